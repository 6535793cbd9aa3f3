/* SPDX-License-Identifier: GPL-3.0-or-later */
/* u = L v are the values of the process at the inducing places, with L Lᵀ their covariance and v ~ N(0, I).
 * Given v, the value f of a row is normal, and does not depend on other rows:
 *
 *     f | v ~ N(aᵀ v, k(x, x) − |a|²),  a = L⁻¹ k(places, x)
 *
 * The term of a row is E[log p(y | f) | v], so that the sum is a bound on the evidence. */
#include <math.h>
#include <string.h>

#include "core/tape.h"
#include "distributions/list.h"
#include "estimators/hermite.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"
#include "ready/models.h"

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
    bool has_noise;
    gb_node (*term)(gb_model_site *s, const of_row *f);
    gb_dist (*law)(gb_model_site *s, const of_row *f);
} outcome;

static const outcome outcomes[] = {
    [GB_PROCESS_NORMAL] = {GB_REAL, true, term_of_normal, law_of_normal},
    [GB_PROCESS_BERNOULLI] = {GB_BINARY, false, term_of_bernoulli, law_of_bernoulli},
    [GB_PROCESS_POISSON] = {GB_COUNT, false, term_of_poisson, law_of_poisson},
};

static const gb_domain *domain(const void *options)
{
    const gb_sparse_gaussian_process_model_options *const o = options;
    return outcomes[o->outcome].domain;
}

/* ---- the process ---- */

/* Values at the places are known up to a small noise, which keeps the factor regular and the bound a
 * bound. */
static double jitter(const gb_model_site *s)
{
    return gb_tape_real(s->tape) == GB_FLOAT ? 1e-5 : 1e-9;
}

static of_row value_of(const gb_model_site *s, gb_covariance *k, gb_node places, gb_node v)
{
    const gb_node eye = gb_eye(s->tape, gb_shape_size(gb_node_shape(places), 0)),
                  variance = gb_covariance_variance(k), covariance = gb_covariance_of(k, places, places),
                  factor = gb_cholesky(gb_add(covariance, gb_mul(gb_scale(variance, jitter(s)), eye))),
                  whitener = gb_triangular_solve(factor, eye),
                  a = gb_matmul(whitener, gb_covariance_of(k, gb_model_standard_of(s, s->x), places)),
                  left = gb_sub(variance, gb_sum(gb_square(a)));
    return (of_row){.mean = gb_dot(a, v), .variance = gb_max(left, gb_scale(variance, jitter(s)))};
}

/* ---- inducing places ---- */

enum { MOST_ROWS = 10000, STEPS = 10 };

/* Rows that are clustered, with the centre that is nearest to each. */
typedef struct cover {
    int64_t rows, columns, centres;
    double *row, *centre;
    double *weight;   /* of each row: a row of weight 2 is two */
    double *distance; /* squared, of each row; −∞ if it does not count */
    int64_t *nearest;
} cover;

/* By more than rounding: of equal distances the first counts, whatever the units of the columns are. */
static bool is_more(double a, double b)
{
    return a > b * (1 + 1e-9);
}

static double squared_distance(const double *a, const double *b, int64_t columns)
{
    double sum = 0;
    for (int64_t k = 0; k < columns; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static bool new_cover(cover *c, const gb_model_site *s, int64_t most)
{
    const int64_t stride = (s->rows + MOST_ROWS - 1) / MOST_ROWS;
    *c = (cover){.rows = (s->rows + stride - 1) / stride, .columns = s->columns};
    const size_t row_bytes = (size_t)s->columns * sizeof(double), rows = (size_t)c->rows;
    c->row = gb_tape_keep(s->tape, rows * row_bytes);
    c->centre = gb_tape_keep(s->tape, (size_t)most * row_bytes);
    c->distance = gb_tape_keep(s->tape, rows * sizeof *c->distance);
    c->nearest = gb_tape_keep(s->tape, rows * sizeof *c->nearest);
    c->weight = gb_tape_keep(s->tape, rows * sizeof *c->weight);
    if (!c->row || !c->centre || !c->distance || !c->nearest || !c->weight)
        return false;
    for (int64_t i = 0; i < c->rows * c->columns; i++) {
        const int64_t row = i / c->columns * stride, k = i % c->columns;
        c->row[i] = (gb_numbers_at(s->values, (size_t)(row * c->columns + k)) - s->mean[k]) / s->sd[k];
    }
    for (int64_t i = 0; i < c->rows; i++) {
        c->weight[i] = s->weights ? s->weights[i * stride] : 1;
        c->distance[i] = c->weight[i] > 0 ? (double)INFINITY : -(double)INFINITY;
    }
    return true;
}

/* Adds the row that counts and is farthest from all centres (Gonzalez 1985). Returns false if there is a
 * centre at each. */
static bool add_farthest(cover *c)
{
    int64_t farthest = 0;
    for (int64_t i = 1; i < c->rows; i++)
        farthest = is_more(c->distance[i], c->distance[farthest]) ? i : farthest;
    if (c->centres > 0 && !(c->distance[farthest] > 0))
        return false;
    const double *const place = c->row + farthest * c->columns;
    memcpy(c->centre + c->centres * c->columns, place, (size_t)c->columns * sizeof *place);
    for (int64_t i = 0; i < c->rows; i++)
        c->distance[i] = fmin(c->distance[i], squared_distance(c->row + i * c->columns, place, c->columns));
    c->centres++;
    return true;
}

static void find_nearest(cover *c)
{
    for (int64_t i = 0; i < c->rows; i++) {
        double least = (double)INFINITY;
        for (int64_t j = 0; j < c->centres; j++) {
            const double d =
                squared_distance(c->row + i * c->columns, c->centre + j * c->columns, c->columns);
            const bool is_nearer = is_more(least, d);
            c->nearest[i] = is_nearer ? j : c->nearest[i];
            least = is_nearer ? d : least;
        }
    }
}

/* Moves each centre to the mean of its rows, by running means. */
static void move_centres(cover *c, double *count)
{
    memset(count, 0, (size_t)c->centres * sizeof *count);
    for (int64_t i = 0; i < c->rows; i++) {
        double *const centre = c->centre + c->nearest[i] * c->columns, before = count[c->nearest[i]],
                      n = count[c->nearest[i]] += c->weight[i];
        for (int64_t k = 0; k < c->columns && n > 0; k++)
            centre[k] = before == 0 ? c->row[i * c->columns + k]
                                    : centre[k] + (c->row[i * c->columns + k] - centre[k]) * c->weight[i] / n;
    }
}

static const double *noted(const gb_model_site *s, const char *name, int64_t most, int64_t *count)
{
    size_t bytes = 0;
    const void *const note = gb_tape_noted(s->tape, name, &bytes);
    const size_t of_place = (size_t)s->columns * sizeof(double);
    double *const place = note && bytes > 0 ? gb_tape_keep(s->tape, bytes) : NULL;
    *count = (int64_t)(bytes / of_place);
    if (!note || bytes % of_place != 0 || *count < 1 || *count > most)
        gb_fail(s->tape, GB_EARGUMENT, "sparse_gaussian_process: the note \"%s\" has no inducing places",
                name);
    if (!place || gb_error(s->tape) != GB_OK)
        return NULL;
    return memcpy(place, note, bytes);
}

/* Returns `count` places, at most `most`, as [count][columns] of standardised columns: the centres of a
 * k-means clustering that begins with rows far from each other. They are the rows themselves if no more than
 * `most` differ. Of many rows, evenly spaced ones are clustered. The places are noted on the tape, for a
 * process that only predicts. NULL on error. */
static const double *find_places(const gb_model_site *s, int64_t most, int64_t *count)
{
    cover c;
    const char *const name = gb_model_name(s, "analysis.places");
    if (!name)
        return NULL;
    if (!s->values.at)
        return noted(s, name, most, count);
    double *const in_cluster = gb_tape_keep(s->tape, (size_t)most * sizeof *in_cluster);
    if (!in_cluster || !new_cover(&c, s, most))
        return NULL;
    while (c.centres < most && add_farthest(&c))
        continue;
    for (int step = 0; step < STEPS; step++) {
        find_nearest(&c);
        move_centres(&c, in_cluster);
    }
    *count = c.centres;
    const size_t numbers = (size_t)(c.centres * c.columns);
    return gb_tape_note(s->tape, name, c.centre, numbers * sizeof *c.centre) == GB_OK ? c.centre : NULL;
}

/* The inducing places as a node: (places, columns). Inert on error. */
static gb_node places_of(const gb_model_site *s, int64_t most)
{
    int64_t count = 0;
    const double *const at = find_places(s, most, &count);
    return at ? gb_constant(s->tape, gb_shape(count, s->columns),
                            gb_values_of(at, (size_t)(count * s->columns)))
              : (gb_node){0};
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_sparse_gaussian_process_model_options *const o = options;
    const outcome *const of = &outcomes[o->outcome];
    gb_tape *const t = s->tape;
    gb_covariance *const k = gb_covariance_new(s, o);
    const gb_node places = k ? places_of(s, o->inducing) : (gb_node){0};
    if (!gb_node_ok(places))
        return false;
    const gb_shape each = gb_shape(gb_shape_size(gb_node_shape(places), 0));
    size_t noise = 0;
    if (of->has_noise)
        noise = gb_model_part_of(s, "", "sigma", gb_shape(),
                                 gb_model_sd_prior(s, o->sigma_scale, o->sigma_floor));
    const size_t inducing = gb_model_part_of(s, "", "inducing", each, gb_normal(gb_num(t, 0), gb_num(t, 1)));
    if (!gb_model_draw(s))
        return false;
    gb_covariance_show(k, of->has_noise ? s->outcome_sd : 1);
    of_row f = value_of(s, k, places, gb_model_value(s, inducing));
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
    GB_OPTION_NUMBER(gb_sparse_gaussian_process_model_options, sigma_floor, 0.01, GB_POSITIVE,
                     "below it sigma is unlikely"),
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
    .domain = domain,
};

gb_model gb_sparse_gaussian_process_model_with(const gb_sparse_gaussian_process_model_options *options)
{
    return gb_model_of(&gb_sparse_gaussian_process_model_type, options);
}
