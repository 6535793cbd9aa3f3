/* SPDX-License-Identifier: GPL-3.0-or-later */
/* u = L v are the values of the process at the inducing places, with L Lᵀ their covariance and v ~ N(0, I).
 * Given v, the value f of a row is normal, and does not depend on other rows:
 *
 *     f | v ~ N(aᵀ v, k(x, x) − |a|²),  a = L⁻¹ k(places, x)
 *
 * The term of a row is E[log p(y | f) | v], so that the sum is a bound on the evidence. */
#include "distributions/list.h"
#include "estimators/hermite.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"
#include "ready/models/processes/inducing_impl.h"
#include "ready/models/processes/kernel_impl.h"
#include "ready/models/processes/noise_impl.h"

/* The value f of a row, given v. */
typedef struct of_row {
    gb_node mean, variance;
    gb_node sigma; /* of the noise; inert without */
} of_row;

/* ---- outcomes ---- */

/* Values of f at nodes, (nodes), with these weights. */
enum { NODES = 20 };

static gb_node at_nodes(const of_row *f, gb_node *weight)
{
    gb_tape *const t = f->mean.tape;
    double node[NODES], of_node[NODES];
    gb_hermite_rule(NODES, node, of_node);
    *weight = gb_constant(t, gb_shape(NODES), gb_values_of(of_node, NODES));
    const gb_node places = gb_constant(t, gb_shape(NODES), gb_values_of(node, NODES));
    return gb_add(f->mean, gb_mul(gb_sqrt(f->variance), places));
}

static gb_node term_of_normal(gb_model_site *s, const of_row *f)
{
    const gb_dist law = gb_normal(gb_shift(gb_scale(f->mean, s->outcome_sd), s->outcome_mean),
                                  gb_scale(f->sigma, s->outcome_sd));
    return gb_sub(gb_log_prob(law, s->y), gb_scale(gb_div(f->variance, gb_square(f->sigma)), 0.5));
}

static gb_dist law_of_normal(gb_model_site *s, const of_row *f)
{
    return gb_normal(gb_shift(gb_scale(f->mean, s->outcome_sd), s->outcome_mean),
                     gb_scale(gb_sqrt(gb_add(f->variance, gb_square(f->sigma))), s->outcome_sd));
}

static gb_node term_of_bernoulli(gb_model_site *s, const of_row *f)
{
    gb_node weight;
    const gb_node at = at_nodes(f, &weight);
    return gb_dot(weight, gb_log_prob(gb_bernoulli_logits(at), s->y));
}

static gb_dist law_of_bernoulli(gb_model_site *s, const of_row *f)
{
    gb_node weight;
    const gb_node at = at_nodes(f, &weight), one = gb_num(s->tape, 1);
    return gb_bernoulli(gb_min(gb_dot(weight, gb_sigmoid(at)), one));
}

/* E[exp f] is exp(mean + variance / 2). */
static gb_node term_of_poisson(gb_model_site *s, const of_row *f)
{
    const gb_node half = gb_scale(f->variance, 0.5);
    return gb_sub(gb_log_prob(gb_poisson_log(gb_add(f->mean, half)), s->y), gb_mul(s->y, half));
}

static gb_dist law_of_poisson(gb_model_site *s, const of_row *f)
{
    gb_node weight;
    const gb_node at = at_nodes(f, &weight);
    (void)s;
    return gb_mixture(gb_log(weight), gb_poisson_log(at));
}

typedef struct outcome {
    const gb_domain *domain;
    const char *name;
    bool has_noise;
    gb_node (*term)(gb_model_site *s, const of_row *f);
    gb_dist (*law)(gb_model_site *s, const of_row *f);
} outcome;

static const outcome outcomes[] = {
    [GB_PROCESS_NORMAL] = {GB_REAL, "normal", true, term_of_normal, law_of_normal},
    [GB_PROCESS_BERNOULLI] = {GB_BINARY, "Bernoulli", false, term_of_bernoulli, law_of_bernoulli},
    [GB_PROCESS_POISSON] = {GB_COUNT, "Poisson", false, term_of_poisson, law_of_poisson},
};

static bool outcomes_fit(const gb_model_site *s, const outcome *of)
{
    for (int64_t i = 0; s->outcomes && i < s->rows; i++)
        if (!gb_domain_holds(of->domain, s->outcomes[i]))
            return gb_fail(s->tape, GB_EARGUMENT,
                           "sparse_gaussian_process: %s is %g in row %lld, and a %s outcome must be %s",
                           s->outcome, s->outcomes[i], (long long)i, of->name, of->domain->must_be) == GB_OK;
    return true;
}

/* ---- the process ---- */

/* Values at the places are known up to a small noise, which keeps the factor regular and the bound a
 * bound. */
static double jitter(const gb_model_site *s)
{
    return gb_tape_real(s->tape) == GB_FLOAT ? 1e-5 : 1e-9;
}

static of_row value_of(const gb_kernel_parts *k, gb_node places, gb_node v)
{
    const gb_model_site *const s = k->site;
    const gb_node eye = gb_eye(s->tape, gb_shape_size(gb_node_shape(places), 0)),
                  variance = gb_kernel_variance(k),
                  covariance = gb_kernel_value(k, gb_kernel_differences(places, places)),
                  factor = gb_cholesky(gb_add(covariance, gb_mul(gb_scale(variance, jitter(s)), eye))),
                  whitener = gb_triangular_solve(factor, eye), at = gb_expand(gb_kernel_places(s, s->x), 0),
                  a = gb_matmul(whitener, gb_kernel_value(k, gb_sub(at, places))),
                  left = gb_sub(variance, gb_sum(gb_square(a)));
    return (of_row){.mean = gb_dot(a, v), .variance = gb_max(left, gb_scale(variance, jitter(s)))};
}

/* The inducing places as a node: (places, columns). Inert on error. */
static gb_node places_of(const gb_model_site *s, int64_t most)
{
    int64_t count = 0;
    const double *const at = gb_inducing_places(s, most, &count);
    return at ? gb_constant(s->tape, gb_shape(count, s->columns),
                            gb_values_of(at, (size_t)(count * s->columns)))
              : (gb_node){0};
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_sparse_gaussian_process_model_options *const o = options;
    const outcome *const of = &outcomes[o->outcome];
    gb_tape *const t = s->tape;
    gb_kernel_parts kernel;
    if (!outcomes_fit(s, of) || !gb_kernel_declare(&kernel, s, options))
        return false;
    const gb_node places = places_of(s, o->inducing);
    if (!gb_node_ok(places))
        return false;
    const gb_shape each = gb_shape(gb_shape_size(gb_node_shape(places), 0));
    if (of->has_noise && !gb_noise_has_posterior(s, gb_shape_size(each, 0), true))
        return false;
    size_t noise = 0;
    if (of->has_noise)
        noise = gb_model_part_of(s, "", "sigma", gb_shape(), gb_half_normal(gb_num(t, o->sigma_scale)));
    const size_t inducing = gb_model_part_of(s, "", "inducing", each, gb_normal(gb_num(t, 0), gb_num(t, 1)));
    if (!gb_model_draw(s))
        return false;
    gb_kernel_use(&kernel, of->has_noise ? s->outcome_sd : 1);
    of_row f = value_of(&kernel, places, gb_model_value(s, inducing));
    if (of->has_noise) {
        f.sigma = gb_model_value(s, noise);
        gb_model_show(s, "sigma", gb_scale(f.sigma, s->outcome_sd));
    }
    const gb_node term = of->term(s, &f);
    return gb_model_likelihood(s, gb_model_weighted(s, term), of->law(s, &f));
}

static const char *const outcome_names[] = {"normal", "bernoulli", "poisson", NULL};

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_sparse_gaussian_process_model_options, inducing, 20, GB_COUNT,
                    "number of inducing places"),
    GB_OPTION_CHOICE(gb_sparse_gaussian_process_model_options, outcome, outcome_names, "law of y given f"),
    GB_PROCESS_ROWS(gb_sparse_gaussian_process_model_options),
    {0}};

const gb_model_type gb_sparse_gaussian_process_model_type = {
    .size = sizeof(gb_model_type),
    .name = "sparse_gaussian_process",
    .cite = "Hensman, Fusi and Lawrence 2013",
    .formula = "sum of E[log p(y | f(x)) | u], u = f(places), f ~ GP(mean, kernel)",
    .options = table,
    .option_bytes = sizeof(gb_sparse_gaussian_process_model_options),
    .outcome = GB_REAL,
    .no_intercept = true,
    .build = build,
};

gb_model gb_sparse_gaussian_process_model_with(const gb_sparse_gaussian_process_model_options *options)
{
    return gb_model_of(&gb_sparse_gaussian_process_model_type, options);
}
