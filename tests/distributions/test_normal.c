/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The normal distribution: density, moments, divergence, draws and refusals. */
#include "support/close.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static double log_prob_at(double loc, double scale, double x)
{
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node at = gb_variable(t, "x", gb_shape(), gb_fill(x));
    const double value = gb_value(gb_log_prob(gb_normal(gb_num(t, loc), gb_num(t, scale)), at));
    gb_tape_free(t);
    return value;
}

/* In long double, since GSL's density underflows in the tails. */
static double exact_log_prob(double loc, double scale, double x)
{
    const long double z = ((long double)x - loc) / scale;
    return (double)(-z * z / 2 - logl(scale) - 0.918938533204672741780329736405617640L);
}

static void density_agrees_with_gsl_and_holds_in_the_tails(void **state)
{
    (void)state;
    for (double x = -7; x <= 7; x += 0.37)
        assert_close(log_prob_at(0.5, 1.25, x), log(gsl_ran_gaussian_pdf(x - 0.5, 1.25)), 32);
    static const double far[] = {-1e5, -1e3, -40, 40, 1e3, 1e5, 1e150};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        assert_close(log_prob_at(0, 1, far[i]), exact_log_prob(0, 1, far[i]), 8);
        assert_close(log_prob_at(-3, 1e-3, far[i]), exact_log_prob(-3, 1e-3, far[i]), 32);
        assert_close(log_prob_at(2, 1e4, far[i]), exact_log_prob(2, 1e4, far[i]), 32);
    }
    assert_true(log_prob_at(0, 1, INFINITY) == -INFINITY);
    assert_true(log_prob_at(0, 1, -INFINITY) == -INFINITY);
    assert_true(isnan(log_prob_at(0, 1, NAN)));
}

static void derivatives_of_the_density_are_the_formulas(void **state)
{
    (void)state;
    const double loc = 0.3, scale = 0.7, at = -1.1, z = (at - loc) / scale;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node l = gb_variable(t, "loc", gb_shape(), gb_fill(loc)),
                  s = gb_variable(t, "scale", gb_shape(), gb_fill(scale)),
                  x = gb_variable(t, "x", gb_shape(), gb_fill(at));
    const gb_node log_p = gb_log_prob(gb_normal(l, s), x);
    assert_close(gb_value(gb_grad(log_p, x)), -z / scale, 8);
    assert_close(gb_value(gb_grad(log_p, l)), z / scale, 8);
    assert_close(gb_value(gb_grad(log_p, s)), (z * z - 1) / scale, 8);
    gb_tape_free(t);
}

/* ---- integrals ---- */

typedef struct two_normals {
    double loc[2], scale[2];
} two_normals;

static double kl_integrand(double x, void *context)
{
    const two_normals *n = context;
    const double log_q = exact_log_prob(n->loc[0], n->scale[0], x),
                 log_p = exact_log_prob(n->loc[1], n->scale[1], x);
    return exp(log_q) * (log_q - log_p);
}

static double entropy_integrand(double x, void *context)
{
    const two_normals *n = context;
    const double log_q = exact_log_prob(n->loc[0], n->scale[0], x);
    return -exp(log_q) * log_q;
}

static double integral(double (*function)(double, void *), two_normals n)
{
    gsl_function f = {.function = function, .params = &n};
    double value, error;
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    gsl_integration_qag(&f, n.loc[0] - 30 * n.scale[0], n.loc[0] + 30 * n.scale[0], 0, 1e-11, 1000,
                        GSL_INTEG_GAUSS61, w, &value, &error);
    gsl_integration_workspace_free(w);
    return value;
}

static void entropy_moments_and_divergence_are_the_integrals(void **state)
{
    (void)state;
    static const two_normals cases[] = {{{0, 0}, {1, 2}}, {{1, -2}, {0.3, 0.5}}, {{-4, 3}, {2, 0.7}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const two_normals c = cases[i];
        gb_tape *t = gb_tape_new(.threads = 1);
        const gb_dist q = gb_normal(gb_num(t, c.loc[0]), gb_num(t, c.scale[0]));
        const gb_dist p = gb_normal(gb_num(t, c.loc[1]), gb_num(t, c.scale[1]));
        assert_true(gb_has_kl(q, p));
        assert_close(gb_value(gb_kl(q, p)), integral(kl_integrand, c), 1e6);
        assert_close(gb_value(gb_entropy(q)), integral(entropy_integrand, c), 1e6);
        assert_close(gb_value(gb_dist_mean(q)), c.loc[0], 1);
        assert_close(gb_value(gb_dist_variance(q)), c.scale[0] * c.scale[0], 1);
        assert_true(gb_value(gb_kl(q, q)) == 0);
        gb_tape_free(t);
    }
}

/* ---- draws ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart a right sampler fails with probability below
 * 1e-9. */
static void draws_follow_the_law(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    double *z = malloc(DRAWS * sizeof *z), worst = 0;
    gb_tape *t = gb_tape_new(.seed = 11, .threads = 1, .samples = DRAWS);
    const gb_dist q = gb_normal(gb_num(t, -2), gb_num(t, 0.5));
    assert_int_equal(gb_read(gb_rsample(q, gb_stream(t, "z"), GB_SAMPLES), z, DRAWS), GB_OK);
    qsort(z, DRAWS, sizeof *z, ascending);
    for (int i = 0; i < DRAWS; i++) {
        const double law = gsl_cdf_gaussian_P(z[i] + 2, 0.5);
        worst = fmax(worst, fmax(fabs(law - i / (double)DRAWS), fabs(law - (i + 1) / (double)DRAWS)));
    }
    assert_true(worst < sqrt(log(2 / 1e-9) / (2.0 * DRAWS)));
    free(z);
    gb_tape_free(t);
}

static void a_reparameterised_draw_has_the_derivative_of_loc_plus_scale_times_noise(void **state)
{
    (void)state;
    double z[3], of_scale[3];
    gb_tape *t = gb_tape_new(.seed = 3, .threads = 1);
    const gb_node loc = gb_variable(t, "loc", gb_shape(3), GB_VALUES(1, 2, 3)),
                  scale = gb_variable(t, "scale", gb_shape(3), gb_fill(0.4));
    const gb_dist q = gb_normal(loc, scale);
    const gb_node draw = gb_rsample(q, gb_stream(t, "z"), 0), fixed = gb_sample(q, gb_stream(t, "fixed"), 0);
    assert_values(gb_grad(gb_sum(draw), loc), 1, 1, 1);
    assert_int_equal(gb_read(draw, z, 3), GB_OK);
    assert_int_equal(gb_read(gb_grad(gb_sum(draw), scale), of_scale, 3), GB_OK);
    for (int i = 0; i < 3; i++)
        assert_close(of_scale[i], (z[i] - (i + 1)) / 0.4, 1e3);
    assert_values(gb_grad(gb_sum(fixed), loc), 0, 0, 0);
    gb_tape_free(t);
}

static void draws_carry_what_they_vary_along(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node x = gb_input_rows(t, "x", gb_shape(2, 1));
    const gb_dist q = gb_normal(x, gb_ones(t, gb_shape(3)));
    assert_true(gb_shape_equal(gb_dist_shape(q), gb_shape(2, 3)));
    assert_true(gb_dist_axes(q) == GB_ROWS);
    const gb_node z = gb_sample(q, gb_stream(t, "z"), GB_SAMPLES);
    assert_true(gb_shape_equal(gb_node_shape(z), gb_shape(2, 3)));
    assert_true(gb_node_axes(z) == (GB_SAMPLES | GB_ROWS));
    assert_fine(t);
    gb_tape_free(t);
}

/* ---- refusals ---- */

static void invalid_parameters_are_refused_by_name(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    assert_false(gb_dist_ok(gb_normal(zero, gb_num(t, -1))));
    assert_refused(t, GB_EARGUMENT, "normal: scale is -1, and must be positive");
    gb_normal(zero, zero);
    assert_refused(t, GB_EARGUMENT, "normal: scale is 0, and must be positive");
    gb_normal(gb_num(t, INFINITY), one);
    assert_refused(t, GB_EARGUMENT, "normal: loc is inf, and must be finite");
    gb_normal(gb_num(t, NAN), one);
    assert_refused(t, GB_EARGUMENT, "normal: loc is nan, and must be finite");
    gb_normal(zero, gb_constant(t, gb_shape(3), GB_VALUES(1, 2, -3)));
    assert_refused(t, GB_EARGUMENT, "normal: scale is -3, and must be positive");
    gb_normal(zero, gb_constant(t, gb_shape(2), gb_fill(-4)));
    assert_refused(t, GB_EARGUMENT, "normal: scale is -4, and must be positive");
    gb_normal(gb_zeros(t, gb_shape(2)), gb_ones(t, gb_shape(3)));
    assert_refused(t, GB_ESHAPE, "normal: scale has shape (3), which does not broadcast with (2)");
    gb_normal((gb_node){0}, one);
    assert_refused(t, GB_ENODE, "normal: loc is not a usable node");
    gb_normal(zero, gb_less(zero, one));
    assert_refused(t, GB_ETYPE, "normal: scale is not real");
    assert_false(gb_node_ok(gb_log_prob((gb_dist){0}, one)));
    assert_fine(t);
    gb_tape_free(t);
}

/* A distribution from outside, which brings its divergences with it, in both directions. */
static const gb_dist_type users_type;

static gb_node users_log_prob(const gb_dist *d, gb_node x)
{
    return gb_sub(d->param[0], x);
}
static gb_node users_sample(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0], gb_uniform_noise(from->noise, from->shape, from->axes));
}
static gb_node one_kl(const gb_dist *q, const gb_dist *p)
{
    (void)p;
    return gb_num(q->tape, 1);
}
static gb_node two_kl(const gb_dist *q, const gb_dist *p)
{
    (void)p;
    return gb_num(q->tape, 2);
}
static const gb_kl_pair users_pairs[] = {{.q = &users_type, .p = &gb_normal_type, .kl = one_kl},
                                         {.q = &gb_normal_type, .p = &users_type, .kl = two_kl},
                                         {0}};
static const gb_dist_type users_type = {.size = sizeof(gb_dist_type),
                                        .name = "users",
                                        .formula = "loc - x",
                                        .param = {{"loc", GB_REAL}},
                                        .support = GB_REAL,
                                        .log_prob = users_log_prob,
                                        .sample = users_sample,
                                        .kl = users_pairs};

static void a_users_type_brings_its_divergences(void **state)
{
    (void)state;
    gb_tape *t = gb_tape_new(.threads = 1);
    const gb_node one = gb_num(t, 1);
    const gb_dist normal = gb_normal(one, one), users = gb_dist_new(&users_type, &one);
    assert_true(gb_value(gb_kl(users, normal)) == 1);
    assert_true(gb_value(gb_kl(normal, users)) == 2);
    assert_false(gb_has_kl(users, users));
    gb_kl(users, users);
    assert_refused(t, GB_EARGUMENT, "no exact KL(users ‖ users)");
    gb_rsample(users, gb_stream(t, "a"), 0);
    assert_refused(t, GB_EARGUMENT, "users: there is no reparameterised sampler");
    gb_entropy(users);
    assert_refused(t, GB_EARGUMENT, "users: there is no entropy");
    gb_tape_free(t);
}

static void the_list_finds_what_it_holds(void **state)
{
    (void)state;
    size_t count;
    const gb_dist_type *const *all = gb_distributions(&count);
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(all[i]->size, sizeof(gb_dist_type));
        assert_ptr_equal(gb_distribution_find(all[i]->name), all[i]);
        assert_true(all[i]->formula && all[i]->log_prob && (all[i]->support || all[i]->wraps) &&
                    (all[i]->sample || all[i]->rsample));
    }
    assert_null(gb_distribution_find("none such"));
    assert_null(gb_distribution_find(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_agrees_with_gsl_and_holds_in_the_tails),
        cmocka_unit_test(derivatives_of_the_density_are_the_formulas),
        cmocka_unit_test(entropy_moments_and_divergence_are_the_integrals),
        cmocka_unit_test(draws_follow_the_law),
        cmocka_unit_test(a_reparameterised_draw_has_the_derivative_of_loc_plus_scale_times_noise),
        cmocka_unit_test(draws_carry_what_they_vary_along),
        cmocka_unit_test(invalid_parameters_are_refused_by_name),
        cmocka_unit_test(a_users_type_brings_its_divergences),
        cmocka_unit_test(the_list_finds_what_it_holds),
    };
    return cmocka_run_group_tests_name("distributions/normal", tests, NULL, NULL);
}
