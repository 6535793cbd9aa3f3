/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NUTS on posteriors of which reference draws are known: means, standard deviations and quantiles agree
 * within the errors of both, the chains have mixed. */
#include "support/close.h"

#include "fitting/nuts.h"
#include "fitting/posteriors.h"

static gb_family a_mean_field(gb_shape shape)
{
    return gb_mean_field(shape);
}

/* The numbers of the reference at all draws: [number][chain][draw]. */
static double *told_values(posterior *p, const gb_nuts *r)
{
    const size_t all = r->chains * r->draws;
    gb_program *program = gb_density_program(r->density, gb_roots_of(p->nodes, p->told));
    if (gb_density_run(r->density, program, all, r->z) != GB_OK)
        fail_msg("%s", gb_error_text(p->t));
    double *const values = calloc(p->numbers * all, sizeof *values), *const room = calloc(p->numbers * all,
                                                                                          sizeof *room);
    size_t first = 0;
    for (size_t k = 0; k < p->nodes; k++) {
        const size_t each = gb_shape_count(gb_node_shape(p->told[k]));
        assert_int_equal(gb_read_root(program, k, room), GB_OK);
        for (size_t i = 0; i < all; i++)
            for (size_t j = 0; j < each; j++)
                values[(first + j) * all + i] = room[i * each + j];
        first += each;
    }
    assert_int_equal(first, p->numbers);
    free(room);
    return values;
}

TEST_EACH(posteriors_agree_with_reference_draws, posterior_models, .seed = 2, .threads = 1)
{
    if (!posteriors_are_there())
        skip();
    posterior p;
    const struct posterior_model *const model = row;
    const bool is_centred = strstr(model->name, "_centered") != NULL;
    posterior_begin(&p, t, model, a_mean_field);
    gb_nuts *r = gb_sample_nuts(p.e, .chains = 4, .draws = 2000, .target = is_centred ? 0.99 : 0.9);
    if (!r)
        fail_msg("%s: %s", model->name, gb_error_text(t));
    double *const values = told_values(&p, r);
    for (size_t k = 0; k < p.numbers; k++) {
        const posterior_number *const n = &p.number[k];
        const gb_chains chains = {
            .x = values + k * r->chains * r->draws, .chains = r->chains, .length = r->draws};
        const gb_convergence c = gb_chains_convergence(&chains);
        static const double probability[] = {0.05, 0.5, 0.95};
        const double should[] = {n->q05, n->q50, n->q95};
        gb_estimate quantile[3];
        assert_int_equal(gb_chains_quantiles(&chains, 3, probability, quantile), GB_OK);
        const double less = sqrt(c.ess_mean / n->ess); /* the error of the reference, relative to that here */
        if (!is_centred && (!(c.rhat < 1.01) || !(c.ess_bulk > 400)))
            fail_msg("%s %zu: R-hat %g, effective size %g", model->name, k, c.rhat, c.ess_bulk);
        /* Five standard errors: once in 10⁶. The centred form of eight schools is known to miss some of its
         * funnel. */
        const double most = is_centred ? 0.2 * n->sd : 0;
        if (!(fabs(c.mean - n->mean) <= most + 5 * hypot(c.mean_error, n->sd / sqrt(n->ess))))
            fail_msg("%s %zu: mean %g ± %g, not %g", model->name, k, c.mean, c.mean_error, n->mean);
        if (!(fabs(c.sd - n->sd) <= most + 5 * c.sd_error * hypot(1, less)))
            fail_msg("%s %zu: sd %g ± %g, not %g", model->name, k, c.sd, c.sd_error, n->sd);
        for (int q = 0; q < 3; q++)
            if (!(fabs(quantile[q].value - should[q]) <= most + 5 * quantile[q].error * hypot(1, less)))
                fail_msg("%s %zu: quantile %g ± %g, not %g", model->name, k, quantile[q].value,
                         quantile[q].error, should[q]);
    }
    if (!is_centred && r->divergences > 8)
        fail_msg("%s: %zu divergences", model->name, r->divergences);
    free(values);
    gb_nuts_free(r);
}

/* At the mean of the reference draws the gradient is small, and differences agree with it. */
TEST_EACH(gradients_of_posteriors_are_differences, posterior_models)
{
    if (!posteriors_are_there())
        skip();
    posterior p;
    posterior_begin(&p, t, row, a_mean_field);
    gb_density *d = gb_density_new(p.e);
    const size_t n = gb_density_count(d);
    double z[2 * 16 * 16], log_p[32], g[16], middle[16];
    for (size_t i = 0; i < n; i++)
        middle[i] = 0.1 * sin((double)i + 1);
    const double h = 1e-6;
    for (size_t i = 0; i < 2 * n; i++) {
        memcpy(z + i * n, middle, n * sizeof *z);
        z[i * n + i / 2] += i % 2 ? h : -h;
    }
    size_t lost;
    assert_int_equal(gb_density_evaluate(d, 2 * n, z, log_p, NULL, &lost), GB_OK);
    assert_int_equal(lost, 0);
    double height;
    assert_int_equal(gb_density_evaluate(d, 1, middle, &height, g, NULL), GB_OK);
    for (size_t i = 0; i < n; i++)
        assert_near(g[i], (log_p[2 * i + 1] - log_p[2 * i]) / (2 * h),
                    1e-4 * fabs(g[i]) + 1e-8 * fabs(height) / h * 1e-2);
}
