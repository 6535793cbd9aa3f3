/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The posteriors of ../shared/data/posteriors, which are from posteriordb. Their references are summaries of
 * draws that posteriordb publishes. */
#include <math.h>
#include <string.h>

#include "posteriordb.h"
#include "trust.h"

#define SHARED GB_BENCH_DIRECTORY "/../../shared/data/posteriors/"

/* ---- files ---- */

bool trust_has_shared(const char *name)
{
    char folder[512];
    snprintf(folder, sizeof folder, SHARED "%s", name);
    const bool is_there = gb_bench_posterior_is_there(folder);
    if (!is_there)
        fprintf(stderr, "%s is not in ../shared/data/posteriors: skipped\n", name);
    return is_there;
}

bool trust_read_shared(const char *name, trust_number *number, size_t *count)
{
    static gb_bench_reference reference[TRUST_NUMBERS];
    _Static_assert(sizeof number->name == sizeof reference->name, "names have one length");
    char folder[512];
    snprintf(folder, sizeof folder, SHARED "%s", name);
    *count = gb_bench_posterior_references(folder, TRUST_NUMBERS, reference);
    for (size_t i = 0; i < *count; i++) {
        const gb_bench_reference *const r = &reference[i];
        number[i] = (trust_number){.mean = r->mean,
                                   .sd = r->sd,
                                   .q05 = r->q05,
                                   .q50 = r->q50,
                                   .q95 = r->q95,
                                   .ess = r->ess,
                                   .rhat = 1};
        memcpy(number[i].name, r->name, sizeof r->name);
    }
    return *count > 0;
}

/* The numbers of an array of the model's data.json, row by row if there are several; f of each. */
static gb_node data(const trust *m, const char *name_of_folder, const char *name, double (*f)(double),
                    double unit)
{
    enum { MOST = 4096 };
    static double x[MOST];
    char folder[512];
    snprintf(folder, sizeof folder, SHARED "%s", name_of_folder);
    const size_t count = gb_bench_posterior_data(folder, name, MOST, x);
    for (size_t i = 0; i < count; i++)
        x[i] = unit * (f ? f(x[i]) : x[i]);
    return trust_vector(m, count, x);
}

/* ---- models ---- */

/* y ~ N(Σ columns · beta, sigma); the first column may be the intercept, which has no unit. */
typedef struct linear {
    gb_node y;
    size_t count;
    gb_node column[8];
    bool has_intercept;
    double beta_sd; /* of the prior; 0: flat */
    gb_dist sigma;  /* its prior; inert: flat */
} linear;

static void regress(trust *m, const linear *l)
{
    double unit[8], sd[8];
    const int64_t rows = gb_shape_size(gb_node_shape(l->y), 0);
    gb_node x[8], w[2];
    for (size_t i = 0; i < l->count; i++) {
        unit[i] = m->y / (i == 0 && l->has_intercept ? 1 : m->x);
        sd[i] = l->beta_sd * unit[i];
        x[i] = gb_reshape(gb_broadcast(gb_scale(l->column[i], m->y / unit[i]), gb_shape(rows)),
                          gb_shape(rows, 1));
    }
    const bool is_flat = !l->sigma.type;
    const gb_latent_part parts[] = {
        {.name = "beta",
         .shape = gb_shape((int64_t)l->count),
         .prior = l->beta_sd > 0 ? gb_normal(trust_num(m, 0), trust_vector(m, l->count, sd)) : gb_no_prior},
        {.name = "sigma",
         .prior = is_flat ? gb_no_prior : l->sigma,
         .support = is_flat ? GB_POSITIVE : NULL}};
    trust_block(m, 2, parts, w);
    gb_observe(m->e, "y", gb_normal(gb_matmul(gb_concat(l->count, x, 1), w[0]), w[1]), l->y);
    trust_tell(m, "beta", gb_div(w[0], trust_vector(m, l->count, unit)), TRUST_LIGHT);
    trust_tell(m, "sigma", gb_scale(w[1], 1 / m->y), TRUST_LIGHT);
}

static void kids(trust *m)
{
    static const char folder[] = "kidiq-kidscore_interaction";
    const gb_node hs = data(m, folder, "mom_hs", NULL, 1), iq = data(m, folder, "mom_iq", NULL, 1);
    regress(m, &(linear){.y = data(m, folder, "kid_score", NULL, m->y),
                         .count = 4,
                         .column = {trust_num(m, 1), hs, iq, gb_mul(hs, iq)},
                         .has_intercept = true,
                         .sigma = gb_half_cauchy(trust_num(m, 2.5 * m->y))});
}

static void earnings(trust *m)
{
    static const char folder[] = "earnings-logearn_height";
    regress(m, &(linear){.y = data(m, folder, "earn", log, m->y),
                         .count = 2,
                         .column = {trust_num(m, 1), data(m, folder, "height", NULL, 1)},
                         .has_intercept = true});
}

static void mesquite(trust *m)
{
    static const char folder[] = "mesquite-logmesquite";
    regress(m,
            &(linear){.y = data(m, folder, "weight", log, m->y),
                      .count = 7,
                      .column = {trust_num(m, 1), data(m, folder, "diam1", log, 1),
                                 data(m, folder, "diam2", log, 1), data(m, folder, "canopy_height", log, 1),
                                 data(m, folder, "total_height", log, 1), data(m, folder, "density", log, 1),
                                 data(m, folder, "group", NULL, 1)},
                      .has_intercept = true});
}

static void blr(trust *m)
{
    static const char folder[] = "sblri-blr";
    const gb_node x = gb_reshape(data(m, folder, "X", NULL, 1), gb_shape(100, 5));
    linear l = {.y = data(m, folder, "y", NULL, m->y),
                .count = 5,
                .beta_sd = 10,
                .sigma = gb_half_normal(trust_num(m, 10 * m->y))};
    for (int64_t i = 0; i < 5; i++)
        l.column[i] = gb_reshape(gb_slice(x, 1, i, i + 1), gb_shape(100));
    regress(m, &l);
}

/* Returns theta, and writes mu and tau. */
static gb_node schools(trust *m, bool is_centred, gb_node *scales)
{
    static const char folder[] = "eight_schools-eight_schools_noncentered";
    const gb_latent_part parts[] = {
        {.name = "mu", .prior = trust_normal(m, 0, 5 * m->y)},
        {.name = "tau", .prior = gb_half_cauchy(trust_num(m, 5 * m->y))},
        {.name = "theta", .shape = gb_shape(8), .prior = is_centred ? gb_no_prior : trust_normal(m, 0, 1)}};
    gb_node w[3];
    trust_block(m, 3, parts, w);
    scales[0] = w[0], scales[1] = w[1];
    if (is_centred)
        gb_prior(m->e, "prior of theta", gb_normal(w[0], w[1]), w[2]);
    const gb_node theta = is_centred ? w[2] : gb_add(w[0], gb_mul(w[1], w[2]));
    gb_observe(m->e, "y", gb_normal(theta, data(m, folder, "sigma", NULL, m->y)),
               data(m, folder, "y", NULL, m->y));
    trust_tell(m, "theta", gb_scale(theta, 1 / m->y), TRUST_LIGHT);
    trust_tell(m, "mu", gb_scale(w[0], 1 / m->y), TRUST_LIGHT);
    trust_tell(m, "tau", gb_scale(w[1], 1 / m->y), TRUST_HEAVY);
    return theta;
}

static void schools_centred(trust *m)
{
    gb_node w[2];
    const gb_node theta = schools(m, !m->for_reference, w);
    trust_free_number(m, w[0]);
    trust_free_number(m, gb_log(w[1]));
    trust_free_number(m, theta);
}

static void schools_other(trust *m)
{
    gb_node w[2];
    schools(m, false, w);
}

static void autoregression(trust *m)
{
    const gb_node y = data(m, "arK-arK", "y", NULL, m->y);
    const gb_latent_part parts[] = {{.name = "alpha", .prior = trust_normal(m, 0, 10 * m->y)},
                                    {.name = "beta", .shape = gb_shape(5), .prior = trust_normal(m, 0, 10)},
                                    {.name = "sigma", .prior = gb_half_cauchy(trust_num(m, 2.5 * m->y))}};
    gb_node w[3];
    trust_block(m, 3, parts, w);
    gb_node mean = w[0];
    for (int64_t k = 1; k <= 5; k++)
        mean = gb_add(mean, gb_mul(gb_slice(w[1], 0, k - 1, k), gb_slice(y, 0, 5 - k, 200 - k)));
    gb_observe(m->e, "y", gb_normal(mean, w[2]), gb_slice(y, 0, 5, 200));
    trust_tell(m, "alpha", gb_scale(w[0], 1 / m->y), TRUST_LIGHT);
    trust_tell(m, "beta", w[1], TRUST_LIGHT);
    trust_tell(m, "sigma", gb_scale(w[2], 1 / m->y), TRUST_LIGHT);
}

static void mixture(trust *m)
{
    const gb_node y =
        gb_reshape(data(m, "low_dim_gauss_mix-low_dim_gauss_mix", "y", NULL, m->y), gb_shape(1000, 1));
    const gb_latent_part parts[] = {
        {.name = "mu", .shape = gb_shape(2), .prior = gb_no_prior, .support = &gb_ordered_domain},
        {.name = "sigma", .shape = gb_shape(2), .prior = gb_half_normal(trust_num(m, 2 * m->y))},
        {.name = "theta", .prior = gb_beta(trust_num(m, 5), trust_num(m, 5))}};
    gb_node w[3];
    trust_block(m, 3, parts, w);
    gb_prior(m->e, "prior of mu", trust_normal(m, 0, 2 * m->y), w[0]);
    const gb_node one = gb_reshape(w[2], gb_shape(1)),
                  weights[] = {one, gb_sub(gb_ones(m->t, gb_shape(1)), one)};
    gb_log_likelihood(
        m->e, "y",
        gb_logsumexp_along(gb_add(gb_log(gb_concat(2, weights, 0)), gb_log_prob(gb_normal(w[0], w[1]), y)),
                           gb_axis(-1)));
    trust_tell(m, "mu", gb_scale(w[0], 1 / m->y), TRUST_LIGHT);
    trust_tell(m, "sigma", gb_scale(w[1], 1 / m->y), TRUST_LIGHT);
    trust_tell(m, "theta", w[2], TRUST_LIGHT);
}

const trust_model trust_shared_models[] = {
    {"schools", schools_other, TRUST_Y | TRUST_FAR, NULL, "eight_schools-eight_schools_noncentered"},
    {"schools_centred", schools_centred, TRUST_Y | TRUST_FAR, NULL, "eight_schools-eight_schools_centered"},
    {"kidiq", kids, TRUST_X | TRUST_Y | TRUST_FAR, NULL, "kidiq-kidscore_interaction"},
    {"earnings", earnings, TRUST_X | TRUST_Y | TRUST_FAR, NULL, "earnings-logearn_height"},
    {"mesquite", mesquite, TRUST_X | TRUST_Y | TRUST_FAR, NULL, "mesquite-logmesquite"},
    {"blr", blr, TRUST_X | TRUST_Y | TRUST_FAR, NULL, "sblri-blr"},
    {"arK", autoregression, TRUST_Y | TRUST_FAR, NULL, "arK-arK"},
    {"mixture", mixture, TRUST_Y | TRUST_FAR, NULL, "low_dim_gauss_mix-low_dim_gauss_mix"},
    {0}};
