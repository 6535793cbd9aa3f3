/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The eight posteriors of ../shared/data/posteriors, which are from posteriordb: each fitted with one normal
 * over all free numbers, and sampled by NUTS. Both are compared with reference draws, or with exact values by
 * quadrature where they are known. */
#include <math.h>
#include <string.h>

#include "posteriordb.h"
#include "results.h"

enum { NUMBERS = 32, NODES = 4, DATA = 4096 };

/* A model while it is recorded. */
typedef struct posterior {
    const char *folder;
    gb_tape *t;
    gb_elbo *e;
    gb_node node[NODES]; /* what is compared, in the order of the reference */
    size_t nodes;
} posterior;

/* ---- the models ---- */

static gb_node data(const posterior *p, const char *name)
{
    double x[DATA];
    const size_t count = gb_bench_posterior_data(p->folder, name, DATA, x);
    return gb_constant(p->t, gb_shape((int64_t)count), gb_values_of(x, count));
}

static gb_node column(const posterior *p, const char *name)
{
    return gb_expand(data(p, name), 1);
}

static gb_dist normal(const posterior *p, double mean, double sd)
{
    return gb_normal(gb_num(p->t, mean), gb_num(p->t, sd));
}

static void block(posterior *p, size_t count, const gb_latent_part *parts, gb_node *draws)
{
    gb_latent_block(p->e, "w", gb_full_rank(gb_shape()), count, parts, gb_pathwise(), draws);
}

static void compare_node(posterior *p, gb_node node)
{
    p->node[p->nodes++] = node;
}

/* y ~ N(x·beta, sigma); the columns of x stand in `columns`. */
static void regress(posterior *p, gb_node y, size_t count, const gb_node *columns, gb_dist of_beta,
                    gb_dist of_sigma)
{
    const gb_node x = gb_concat(count, columns, 1);
    const gb_latent_part parts[] = {
        {.name = "beta", .shape = gb_shape(gb_shape_size(gb_node_shape(x), 1)), .prior = of_beta},
        {.name = "sigma", .prior = of_sigma, .support = of_sigma.type ? NULL : GB_POSITIVE}};
    gb_node w[2];
    block(p, 2, parts, w);
    gb_observe(p->e, "y", gb_normal(gb_matmul(x, w[0]), w[1]), y);
    compare_node(p, w[0]);
    compare_node(p, w[1]);
}

static void kids(posterior *p)
{
    const gb_node hs = column(p, "mom_hs"), iq = column(p, "mom_iq");
    const gb_node columns[] = {gb_ones(p->t, gb_node_shape(hs)), hs, iq, gb_mul(hs, iq)};
    regress(p, data(p, "kid_score"), 4, columns, gb_no_prior, gb_half_cauchy(gb_num(p->t, 2.5)));
}

static void earnings(posterior *p)
{
    const gb_node height = column(p, "height");
    const gb_node columns[] = {gb_ones(p->t, gb_node_shape(height)), height};
    regress(p, gb_log(data(p, "earn")), 2, columns, gb_no_prior, gb_no_prior);
}

static void mesquite(posterior *p)
{
    const gb_node group = column(p, "group");
    const gb_node columns[] = {gb_ones(p->t, gb_node_shape(group)),
                               gb_log(column(p, "diam1")),
                               gb_log(column(p, "diam2")),
                               gb_log(column(p, "canopy_height")),
                               gb_log(column(p, "total_height")),
                               gb_log(column(p, "density")),
                               group};
    regress(p, gb_log(data(p, "weight")), 7, columns, gb_no_prior, gb_no_prior);
}

static void blr(posterior *p)
{
    const gb_node x = gb_reshape(data(p, "X"), gb_shape(100, 5));
    regress(p, data(p, "y"), 1, &x, normal(p, 0, 10), gb_half_normal(gb_num(p->t, 10)));
}

static void autoregression(posterior *p)
{
    const gb_node y = data(p, "y");
    const gb_latent_part parts[] = {{.name = "alpha", .prior = normal(p, 0, 10)},
                                    {.name = "beta", .shape = gb_shape(5), .prior = normal(p, 0, 10)},
                                    {.name = "sigma", .prior = gb_half_cauchy(gb_num(p->t, 2.5))}};
    gb_node w[3];
    block(p, 3, parts, w);
    gb_node mean = w[0];
    for (int64_t k = 1; k <= 5; k++)
        mean = gb_add(mean, gb_mul(gb_slice(w[1], 0, k - 1, k), gb_slice(y, 0, 5 - k, 200 - k)));
    gb_observe(p->e, "y", gb_normal(mean, w[2]), gb_slice(y, 0, 5, 200));
    for (int i = 0; i < 3; i++)
        compare_node(p, w[i]);
}

static void schools_centred(posterior *p)
{
    const gb_latent_part parts[] = {{.name = "mu", .prior = normal(p, 0, 5)},
                                    {.name = "tau", .prior = gb_half_cauchy(gb_num(p->t, 5))},
                                    {.name = "theta", .shape = gb_shape(8), .prior = gb_no_prior}};
    gb_node w[3];
    block(p, 3, parts, w);
    gb_prior(p->e, "prior of theta", gb_normal(w[0], w[1]), w[2]);
    gb_observe(p->e, "y", gb_normal(w[2], data(p, "sigma")), data(p, "y"));
    compare_node(p, w[2]);
    compare_node(p, w[0]);
    compare_node(p, w[1]);
}

static void schools(posterior *p)
{
    const gb_latent_part parts[] = {{.name = "mu", .prior = normal(p, 0, 5)},
                                    {.name = "tau", .prior = gb_half_cauchy(gb_num(p->t, 5))},
                                    {.name = "z", .shape = gb_shape(8), .prior = normal(p, 0, 1)}};
    gb_node w[3];
    block(p, 3, parts, w);
    const gb_node theta = gb_add(w[0], gb_mul(w[1], w[2]));
    gb_observe(p->e, "y", gb_normal(theta, data(p, "sigma")), data(p, "y"));
    compare_node(p, theta);
    compare_node(p, w[0]);
    compare_node(p, w[1]);
}

static void mixture(posterior *p)
{
    const gb_latent_part parts[] = {
        {.name = "mu", .shape = gb_shape(2), .prior = gb_no_prior, .support = &gb_ordered_domain},
        {.name = "sigma", .shape = gb_shape(2), .prior = gb_half_normal(gb_num(p->t, 2))},
        {.name = "theta", .prior = gb_beta(gb_num(p->t, 5), gb_num(p->t, 5))}};
    gb_node w[3];
    block(p, 3, parts, w);
    gb_prior(p->e, "prior of mu", normal(p, 0, 2), w[0]);
    const gb_node one = gb_expand(w[2], 0), weights[] = {one, gb_sub(gb_num(p->t, 1), one)};
    const gb_node each = gb_log_prob(gb_normal(w[0], w[1]), column(p, "y"));
    gb_log_likelihood(p->e, "y",
                      gb_logsumexp_along(gb_add(gb_log(gb_concat(2, weights, 0)), each), gb_axis(-1)));
    for (int i = 0; i < 3; i++)
        compare_node(p, w[i]);
}

/* ---- what is known ---- */

typedef struct known {
    const char *name;
    void (*record)(posterior *p);
    double log_z;   /* NaN: not known */
    size_t numbers; /* exact, by quadrature: the first of the reference; 0: draws only */
    double exact[10][2];
} known;

static const known posteriors[] = {
    {"kidiq-kidscore_interaction",
     kids,
     NAN,
     5,
     {{-11.48202, 13.77461},
      {51.26822, 15.35612},
      {0.968889, 0.148523},
      {-0.484275, 0.162413},
      {17.98271, 0.61410}}},
    {"earnings-logearn_height",
     earnings,
     NAN,
     3,
     {{5.778506, 0.451496}, {0.058817, 0.006736}, {0.894021, 0.018351}}},
    {"mesquite-logmesquite", mesquite, NAN, 0, {{0}}},
    {"sblri-blr",
     blr,
     -185.466319 + 0.693147,
     6, /* the half normal is normalised here */
     {{0.999462, 0.000964},
      {1.000232, 0.001149},
      {1.000435, 0.000952},
      {1.001143, 0.001062},
      {1.001548, 0.001046},
      {0.964211, 0.071171}}},
    {"arK-arK",
     autoregression,
     NAN,
     7,
     {{-0.000805, 0.010794},
      {0.691531, 0.070653},
      {0.440160, 0.086924},
      {0.105095, 0.092130},
      {-0.035668, 0.086638},
      {-0.301217, 0.070047},
      {0.150448, 0.007805}}},
    {"eight_schools-eight_schools_noncentered", schools, -31.311347, 0, {{0}}},
    {"eight_schools-eight_schools_centered", schools_centred, -31.311347, 0, {{0}}},
    {"low_dim_gauss_mix-low_dim_gauss_mix", mixture, NAN, 0, {{0}}},
};
enum { POSTERIORS = sizeof posteriors / sizeof *posteriors };

/* ---- comparing ---- */

enum { MEAN_OFF, SD_OFF, ELBO, ELBO_ERROR, LOG_Z, VERDICT, COLUMNS };

/* The largest distances, in sds of the reference and relative; tau of the schools, whose tail is heavy, by
 * the median and by the distance from the 5 % to the 95 % quantile. */
static bool set_distances(const posterior *p, const known *k, const gb_summary_table *s,
                          double numbers[COLUMNS])
{
    gb_bench_reference reference[NUMBERS];
    const size_t count = gb_bench_posterior_references(p->folder, NUMBERS, reference);
    if (!s || count == 0 || s->rows - s->parameters != count) {
        fprintf(stderr, "%s: the reference does not have the model's numbers\n", k->name);
        return false;
    }
    numbers[MEAN_OFF] = numbers[SD_OFF] = 0;
    for (size_t i = 0; i < count; i++) {
        const gb_summary_row *const row = &s->row[s->parameters + i];
        const gb_bench_reference *const r = &reference[i];
        const bool is_heavy = strcmp(r->name, "tau") == 0, is_exact = i < k->numbers;
        const double mean = is_exact ? k->exact[i][0] : r->mean, sd = is_exact ? k->exact[i][1] : r->sd;
        const double width = r->q95 - r->q05,
                     mean_off = is_heavy ? (row->q50 - r->q50) / (width / 3.29) : (row->mean - mean) / sd;
        const double sd_off = is_heavy ? (row->q95 - row->q05) / width - 1 : row->sd / sd - 1;
        numbers[MEAN_OFF] = fmax(numbers[MEAN_OFF], fabs(mean_off));
        numbers[SD_OFF] = fmax(numbers[SD_OFF], fabs(sd_off));
    }
    return true;
}

static bool begin(const results *r, const known *k, posterior *p, char folder[RESULTS_PATH])
{
    snprintf(folder, RESULTS_PATH, "%s/posteriors/%s", r->data, k->name);
    *p = (posterior){.folder = folder, .t = gb_tape_new(.seed = 1, .threads = 1)};
    p->e = gb_elbo_new(p->t, .data_size = 1); /* data are constants: nothing is scaled */
    k->record(p);
    return gb_error(p->t) == GB_OK;
}

static bool by_fit(const results *r, const known *k, const char *key)
{
    posterior p;
    char folder[RESULTS_PATH];
    const double began = results_begin();
    bool good = begin(r, k, &p, folder);
    const gb_fit_result fit = gb_fit(p.e);
    gb_summary_table *const s =
        gb_summary(p.e, .judgement = fit.judgement, .nodes = gb_roots_of(p.nodes, p.node));
    double numbers[COLUMNS] = {0, 0, fit.elbo, fit.error, k->log_z, (double)fit.verdict};
    good = good && set_distances(&p, k, s, numbers) &&
           results_add(r, "posteriors", key, COLUMNS, numbers, began);
    gb_summary_free(s);
    return results_end(p.t, k->name) && good;
}

static bool by_nuts(const results *r, const known *k, const char *key)
{
    posterior p;
    char folder[RESULTS_PATH];
    const double began = results_begin();
    bool good = begin(r, k, &p, folder);
    gb_nuts *const nuts = gb_sample_nuts(p.e, .draws = 4000, .target = 0.95);
    gb_summary_table *const s = gb_summary(p.e, .nuts = nuts, .nodes = gb_roots_of(p.nodes, p.node));
    double numbers[COLUMNS] = {0, 0, NAN, NAN, k->log_z, nuts ? (double)nuts->divergences : NAN};
    good = good && set_distances(&p, k, s, numbers) &&
           results_add(r, "posteriors", key, COLUMNS, numbers, began);
    gb_summary_free(s);
    gb_nuts_free(nuts);
    return results_end(p.t, k->name) && good;
}

bool results_posteriors(const results *r)
{
    bool good = true;
    for (const known *k = posteriors; k < posteriors + POSTERIORS; k++) {
        char folder[RESULTS_PATH], fit[200], nuts[200];
        snprintf(folder, sizeof folder, "%s/posteriors/%s", r->data, k->name);
        snprintf(fit, sizeof fit, "%s\tfit\t", k->name);
        snprintf(nuts, sizeof nuts, "%s\tnuts\t", k->name);
        if (!results_wants(r, k->name))
            continue;
        if (!gb_bench_posterior_is_there(folder)) {
            fprintf(stderr, "%s is not there: skipped\n", folder);
            continue;
        }
        good = (results_has(r, "posteriors", fit) || by_fit(r, k, fit)) && good;
        good = (results_has(r, "posteriors", nuts) || by_nuts(r, k, nuts)) && good;
    }
    return good;
}
