/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws against the density: by its distribution function (Dvoretzky, Kiefer and Wolfowitz 1956; Massart
 * 1990; in the tails Chernoff 1952), by bounded functions, in cells, and by their spread. Vectors are projected
 * on several directions. Draws with too many elements for an integral are compared with closed forms. */
#include <math.h>
#include <stdlib.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/draws_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/chance_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* The probability that a check fails a correct sampler. */
static const double chance = 5e-10;

static double normal_bound(void)
{
    return gb_chance_normal(chance);
}

typedef struct sample {
    size_t count;
    double *x;
    gb_statement statement;
} sample;

/* ---- the support ---- */

/* How many draws may be rounded to the end of an open support: the mass that lies too near to it, times n. */
static double rounded(const gb_rule *rule, double n)
{
    if (rule->edges < 2)
        return 0;
    const double near = rule->mass[0] + rule->total - rule->mass[rule->edges - 2];
    return near > 1e-9 ? n * near + 7 * sqrt(n * near) : 0;
}

static bool is_end(const gb_dist_case *c, double x)
{
    const gb_domain *const support = c->d.type->support;
    return support && c->shape.rank == 0 && !c->discrete && (x == support->low || x == support->high);
}

static void check_support(gb_dist_case *c, const gb_rule *rule, const sample *s)
{
    gb_case_function f;
    double at_ends = 0;
    const double allowed = rounded(rule, (double)s->count);
    double *const log_p = gb_tape_keep(c->tape, s->count * sizeof *log_p);
    if (!log_p || !gb_case_log_prob(&f, c, c->d) || !gb_case_evaluate(&f, s->count, s->x, log_p))
        return;
    for (size_t i = 0; i < s->count; i++) {
        if (is_end(c, s->x[i * c->size]) && ++at_ends <= allowed)
            continue;
        if (isnan(log_p[i]) || log_p[i] == -INFINITY || !isfinite(s->x[i * c->size])) {
            gb_kit_verdict(c->kit, GB_ON_SUPPORT, false, "log_prob of draw %.17g is %g", s->x[i * c->size],
                           log_p[i]);
            return;
        }
    }
    gb_kit_verdict(c->kit, GB_ON_SUPPORT, true, "%s", "");
}

/* ---- the distribution function ---- */

/* Returns how many of the sorted draws are at most `x`. */
static size_t up_to(const sample *s, double x)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->x[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void check_function(gb_dist_case *c, const gb_rule *rule, const sample *sorted)
{
    const double n = (double)sorted->count, allowed = sqrt(log(1 / chance) / (2 * n)) + rule->error;
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < rule->edges; i++) {
        const double off = fabs((double)up_to(sorted, rule->edge[i]) / n - rule->mass[i]);
        where = off > worst ? i : where;
        worst = fmax(worst, off);
    }
    if (rule->edges)
        gb_kit_verdict(c->kit, sorted->statement, worst <= allowed,
                       "up to %.9g lie %.5g of the draws, not %.5g; %.2g is allowed", rule->edge[where],
                       (double)up_to(sorted, rule->edge[where]) / n, rule->mass[where], allowed);
}

/* n times the divergence of a coin that shows `is` from one that shows `should`, which may be nearer by
 * `unsure`. */
static double surprise(double n, double is, double should, double unsure)
{
    const double p = is > should ? fmin(should + unsure, is) : fmax(should - unsure, is);
    const double up = is > 0 ? is * log(is / p) : 0, rest = is < 1 ? (1 - is) * log((1 - is) / (1 - p)) : 0;
    return n * (up + rest);
}

/* Beyond a place in the tail there are few draws, so that a cut there is nothing to the largest distance.
 * Chernoff's bound holds at each place by itself. */
static void check_tails(gb_dist_case *c, const gb_rule *rule, const sample *sorted)
{
    const double n = (double)sorted->count, allowed = log(2 * (double)rule->edges / chance);
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < rule->edges; i++) {
        const double is = (double)up_to(sorted, rule->edge[i]) / n;
        const double now = surprise(n, is, fmin(rule->mass[i], 1), rule->error + 1e-12);
        where = now > worst ? i : where;
        worst = fmax(worst, now);
    }
    if (rule->edges)
        gb_kit_verdict(c->kit, sorted->statement, worst <= allowed,
                       "up to %.9g lie %zu of %.0f draws, where %.6g should: by chance once in e^%.3g",
                       rule->edge[where], up_to(sorted, rule->edge[where]), n, n * rule->mass[where], worst);
}

/* ---- cells of whole numbers ---- */

static void check_cells(gb_dist_case *c, const gb_rule *rule, const sample *sorted)
{
    const double n = (double)sorted->count, least = 50;
    double expected = 0, chi_squared = 0;
    size_t cells = 0, below = 0;
    for (size_t i = 0; i < rule->edges; i++) {
        const double left = n * (rule->total - rule->mass[i]);
        expected += n * gb_rule_mass(rule, i);
        if ((expected < least || left < least) && i + 1 < rule->edges)
            continue;
        const size_t now = up_to(sorted, rule->edge[i]);
        const double off = (double)(now - below) - expected;
        chi_squared += off * off / fmax(expected, 1e-300);
        cells++;
        expected = 0;
        below = now;
    }
    if (cells < 2)
        return;
    /* the statistic is only approximately χ² */
    const double bound = gb_chance_chi_squared(chance / 10, cells - 1);
    gb_kit_verdict(c->kit, sorted->statement, chi_squared <= bound,
                   "in %zu cells chi squared is %.4g; %.4g is allowed", cells, chi_squared, bound);
}

/* ---- bounded functions ---- */

static void check_bounded(gb_dist_case *c, const gb_rule *rule, const sample *s, size_t which)
{
    double mean = 0, square = 0;
    const double n = (double)s->count, should = gb_case_expectation(c, rule, rule, which);
    for (size_t i = 0; i < s->count; i++) {
        const double f = gb_case_bounded(which, gb_case_project(c, rule, s->x + i * c->size));
        mean += f / n;
        square += f * f / n;
    }
    const double error = sqrt(fmax(square - mean * mean, 0) / n) + 1 / n;
    const double allowed = normal_bound() * error + 10 * rule->error + 1e-12;
    gb_kit_verdict(c->kit, s->statement, fabs(mean - should) <= allowed,
                   "bounded function %zu, along direction %zu, has the mean %.6g, but the integral %.6g; "
                   "%.2g is allowed",
                   which, rule->direction, mean, should, allowed);
}

/* ---- tails of vectors ---- */

typedef struct projected {
    size_t count;
    double *z, *mass; /* `mass` NULL: all have the same */
} projected;

static projected project(gb_dist_case *c, const gb_rule *rule, size_t count, const double *x,
                         double (*mass)(const gb_rule *rule, size_t i))
{
    projected p = {.count = count, .z = gb_tape_keep(c->tape, 2 * count * sizeof *p.z)};
    p.mass = p.z && mass ? p.z + count : NULL;
    for (size_t i = 0; p.z && i < count; i++) {
        p.z[i] = gb_case_project(c, rule, x + i * c->size);
        if (mass)
            p.mass[i] = mass(rule, i);
    }
    return p;
}

/* A step that a grid can integrate. */
static double step_width(double at)
{
    return 0.02 * sqrt(1 + at * at);
}

/* The mass beyond a place. */
static double beyond(const projected *p, double at)
{
    const double width = step_width(at), sign = at > 0 ? 1 : -1, from = sign * at - 16 * width;
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        if (sign * p->z[i] > from)
            sum += (p->mass ? p->mass[i] : 1) / (1 + exp(sign * (at - p->z[i]) / width));
    return p->mass ? sum : sum / (double)p->count;
}

/* How far the mass is off in a grid with half of the points, at most: more than it is off in the grid. */
static double unsure_beyond(const projected *fine, const projected *coarse, double at)
{
    double most = 0;
    for (int i = -1; i <= 1; i++) {
        const double near = at + 1.5 * i * step_width(at);
        most = fmax(most, fabs(beyond(fine, near) - beyond(coarse, near)));
    }
    return most;
}

/* Beyond places in the tails of a projection. The mean of numbers from 0 to 1 has Chernoff's bound too. */
static void check_projected_tails(gb_dist_case *c, const gb_rule *rule, const sample *s)
{
    static const double places[] = {1.5, 2, 2.5, 2.8, 3.1, 3.4, 4, 5, 7, 15, 50};
    enum { PLACES = sizeof places / sizeof *places };
    const double n = (double)s->count;
    const double allowed = log(4.0 * PLACES * (double)gb_case_directions(c) / chance);
    const projected draws = project(c, rule, s->count, s->x, NULL),
                    points = project(c, rule, rule->count, rule->x, gb_rule_mass),
                    fewer = project(c, rule, rule->count, rule->x, gb_rule_coarse_mass);
    for (size_t k = 0; k < 2 * PLACES && draws.z && points.z && fewer.z; k++) {
        const double at = k % 2 ? -places[k / 2] : places[k / 2];
        const double is = beyond(&draws, at), should = beyond(&points, at);
        const double unsure = unsure_beyond(&points, &fewer, at) + rule->error + 1e-12;
        const double found = surprise(n, is, fmin(should, 1), unsure);
        gb_kit_verdict(c->kit, s->statement, found <= allowed,
                       "along direction %zu, %.6g of %.0f draws lie beyond %.6g, where %.6g should: by "
                       "chance once in e^%.3g",
                       rule->direction, n * is, n, rule->centre + at * rule->width, n * should, found);
    }
}

/* ---- the spread ---- */

/* z²/(1 + z²/36): as good as z² for most draws, and bounded, so that its mean has a bound for every law. */
static const double MOST_SPREAD = 36;

typedef struct spread {
    double mean, variance;
    double slope; /* of the mean, if all draws move away from the centre by the same factor */
} spread;

static spread expected_spread(const gb_dist_case *c, const gb_rule *rule)
{
    spread s = {0};
    double square = 0;
    for (size_t i = 0; i < rule->count; i++) {
        const double mass = gb_rule_mass(rule, i);
        if (!(mass > 0))
            continue;
        const double z = gb_case_project(c, rule, rule->x + i * c->size), by = 1 + z * z / MOST_SPREAD;
        const double f = isinf(by) ? MOST_SPREAD : z * z / by;
        s.mean += mass * f;
        square += mass * f * f;
        s.slope += isinf(by) ? 0 : mass * 2 * f / by;
    }
    s.variance = fmax(square - s.mean * s.mean, 0);
    return s;
}

/* As many draws as show a factor of 1 %, in runs of a fixed size. */
static int64_t runs_for(const gb_dist_case *c, const spread *s, double log_chance, int64_t each)
{
    enum { MOST_TIMES = 40 };
    const double sure = sqrt(2 * log_chance) + 3, seen = 0.01 * s->slope;
    const double needed = seen > 0 ? sure * sure * s->variance / (seen * seen) : 0;
    const double most = MOST_TIMES * (double)c->check->draws;
    return (int64_t)ceil(fmin(fmax(needed, (double)each), most) / (double)each);
}

enum { MOST_DIRECTIONS = 8 };

/* The rule, with draws projected on one direction after another. Returns their number. */
static size_t along_each(gb_dist_case *c, const gb_rule *rule, const sample *s,
                         gb_rule along[MOST_DIRECTIONS])
{
    enum { LOOKS = 4096 };
    const size_t directions = gb_case_directions(c), count = s->count < LOOKS ? s->count : LOOKS;
    along[0] = *rule;
    for (size_t k = 1; k < directions; k++) {
        const gb_rule there = gb_rule_of_draws(c, k, count, s->x);
        along[k] = *rule;
        along[k].direction = k;
        along[k].centre = there.centre;
        along[k].width = there.width;
    }
    return directions;
}

static gb_node spread_node(gb_dist_case *c, const gb_rule *rule, gb_node draw)
{
    const gb_node square = gb_square(gb_case_project_node(c, rule, draw)), one = gb_num(c->tape, 1);
    const gb_node f = gb_reciprocal(gb_add(gb_reciprocal(square), gb_scale(one, 1 / MOST_SPREAD)));
    return gb_mean_over(f, GB_SAMPLES);
}

/* By Bernstein's inequality. */
static void judge_spread(gb_dist_case *c, const gb_rule *rule, const spread *should, double mean, double n,
                         gb_statement statement)
{
    const double log_chance = log(2 / chance);
    const double allowed = sqrt(2 * should->variance * log_chance / n) +
                           2 * MOST_SPREAD * log_chance / (3 * n) + 10 * MOST_SPREAD * rule->error +
                           1e-9 * should->mean;
    gb_kit_verdict(c->kit, statement, fabs(mean - should->mean) <= allowed,
                   "along direction %zu the mean of z^2/(1 + z^2/36) is %.6g over %.0f draws, but the "
                   "integral %.6g; %.2g is allowed",
                   rule->direction, mean, n, should->mean, allowed);
}

static void check_spread(gb_dist_case *c, size_t directions, const gb_rule *along, gb_node draw,
                         gb_statement statement)
{
    enum { EACH = 1 << 15 };
    spread should[MOST_DIRECTIONS];
    gb_node root[MOST_DIRECTIONS];
    double mean[MOST_DIRECTIONS] = {0};
    int64_t runs = 1;
    for (size_t k = 0; k < directions; k++) {
        should[k] = expected_spread(c, &along[k]);
        const int64_t needed = runs_for(c, &should[k], log(2 / chance), EACH);
        runs = needed > runs ? needed : runs;
        root[k] = spread_node(c, &along[k], draw);
    }
    gb_program *const program =
        gb_compile(c->tape, (gb_node_list){.count = directions, .node = root}, gb_no_update);
    if (gb_program_set_samples(program, EACH) != GB_OK)
        return;
    for (int64_t run = 0; run < runs && gb_run(program) == GB_OK; run++)
        for (size_t k = 0; k < directions; k++)
            mean[k] += gb_value(root[k]) / (double)runs;
    gb_program_free(program);
    for (size_t k = 0; k < directions && gb_dist_case_fine(c); k++)
        judge_spread(c, &along[k], &should[k], mean[k], (double)runs * EACH, statement);
}

/* ---- without a rule ---- */

static bool closed_moments(gb_dist_case *c, double **mean, double **variance)
{
    if (!gb_dist_can(c->d, GB_CAN_MEAN) || !gb_dist_can(c->d, GB_CAN_VARIANCE))
        return false;
    *mean = gb_kit_ask(c->tape, gb_widen(gb_dist_mean(c->d), 0), NULL);
    *variance = gb_kit_ask(c->tape, gb_widen(gb_dist_variance(c->d), 0), NULL);
    return *mean && *variance;
}

/* Compares the means of x − m and of (x − m)² − v with 0, by their own standard errors. */
static void check_moments(gb_dist_case *c, const sample *s, const double *mean, const double *variance)
{
    const double n = (double)s->count;
    for (size_t j = 0; j < c->size; j++) {
        double first = 0, second = 0, fourth = 0;
        if (!isfinite(mean[j]) || !isfinite(variance[j]))
            continue;
        for (size_t i = 0; i < s->count; i++) {
            const double off = s->x[i * c->size + j] - mean[j], square = off * off - variance[j];
            first += off / n;
            second += square / n;
            fourth += square * square / n;
        }
        const double allowed = normal_bound() * 1.1 * sqrt(variance[j] / n) + 1e-12 * fabs(mean[j]);
        gb_kit_verdict(c->kit, s->statement, fabs(first) <= allowed,
                       "the mean of element %zu is %.3g from %.6g; %.2g is allowed", j, first, mean[j],
                       allowed);
        const double allowed_second =
            normal_bound() * 1.3 * sqrt(fmax(fourth, variance[j] * variance[j]) / n) +
            1e-12 * mean[j] * mean[j];
        gb_kit_verdict(c->kit, s->statement, fabs(second) <= allowed_second,
                       "the variance of element %zu is %.3g from %.6g; %.2g is allowed", j, second,
                       variance[j], allowed_second);
    }
}

/* ---- streams ---- */

static double centred(const gb_dist_case *c, const gb_rule *rule, const double *x, double mean)
{
    return gb_case_bounded(0, gb_case_project(c, rule, x)) - mean;
}

static void check_streams(gb_dist_case *c, const gb_rule *rule, const sample *a, const sample *b)
{
    const double n = (double)a->count;
    double mean[2] = {0}, product = 0, square[2] = {0};
    for (size_t i = 0; i < a->count; i++) {
        mean[0] += centred(c, rule, a->x + i * c->size, 0) / n;
        mean[1] += centred(c, rule, b->x + i * c->size, 0) / n;
    }
    for (size_t i = 0; i < a->count; i++) {
        const double one = centred(c, rule, a->x + i * c->size, mean[0]);
        const double other = centred(c, rule, b->x + i * c->size, mean[1]);
        product += one * other;
        square[0] += one * one;
        square[1] += other * other;
    }
    const double correlation = product / sqrt(fmax(square[0] * square[1], 1e-300));
    gb_kit_verdict(c->kit, GB_ON_STREAMS, fabs(correlation) <= 1.2 * normal_bound() / sqrt(n),
                   "their correlation is %.3g over %.0f draws", correlation, n);
}

/* ---- one sample after another ---- */

/* Which draw is compared with draw i: the next ones, that of the other half, that from the other end. */
static size_t partner(size_t i, size_t count, int which)
{
    return which == 0   ? (i + 1) % count
           : which == 1 ? (i + 2) % count
           : which == 2 ? (i + count / 2) % count
                        : count - 1 - i;
}

/* Pairs that cancel leave every mean as it is; the mean of products shows them. */
static void check_samples(gb_dist_case *c, const gb_rule *rule, const sample *s)
{
    static const char *const words[] = {"each and the next", "each and the next but one",
                                        "one half and the other", "each and that from the other end"};
    const double n = (double)s->count;
    double *const f = gb_tape_keep(c->tape, s->count * sizeof *f);
    for (size_t which = 0; f && which < 2; which++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < s->count; i++)
            mean += (f[i] = gb_case_bounded(which, gb_case_project(c, rule, s->x + i * c->size))) / n;
        for (size_t i = 0; i < s->count; i++)
            square += (f[i] - mean) * (f[i] - mean);
        if (square <= 1e-20 * n)
            continue; /* all draws are the same */
        for (int way = 0; way < 4; way++) {
            double product = 0;
            for (size_t i = 0; i < s->count; i++)
                product += (f[i] - mean) * (f[partner(i, s->count, way)] - mean);
            const double correlation = product / square;
            /* of the last two ways each pair counts twice */
            gb_kit_verdict(c->kit, GB_ON_APART, fabs(correlation) <= 1.2 * sqrt(2) * normal_bound() / sqrt(n),
                           "of samples of one run, %s: their correlation is %.3g over %.0f draws", words[way],
                           correlation, n);
        }
    }
}

/* ---- all ---- */

static sample draw_from(gb_dist_case *c, const char *stream, size_t count, bool pathwise)
{
    const gb_noise noise = gb_stream(c->tape, stream);
    const gb_node draw = pathwise ? gb_rsample(c->d, noise, GB_SAMPLES) : gb_sample(c->d, noise, GB_SAMPLES);
    return (sample){.count = count,
                    .x = gb_case_draws(c, draw, count),
                    .statement = pathwise ? GB_ON_RDRAWS : GB_ON_DRAWS};
}

static void compare_integrals(gb_dist_case *c, const gb_rule *rule, const sample *s)
{
    gb_rule along[MOST_DIRECTIONS];
    const size_t directions = along_each(c, rule, s, along);
    for (size_t k = 0; k < directions; k++) {
        for (size_t i = 0; i < GB_CASE_FUNCTIONS; i++)
            check_bounded(c, &along[k], s, i);
        if (c->shape.rank > 0)
            check_projected_tails(c, &along[k], s);
    }
    if (c->shape.rank > 0)
        return;
    qsort(s->x, s->count, sizeof *s->x, gb_kit_ascending);
    check_function(c, rule, s);
    check_tails(c, rule, s);
    if (c->discrete)
        check_cells(c, rule, s);
}

static void compare(gb_dist_case *c, const gb_rule *rule, bool integrated, const sample *s)
{
    double *mean, *variance;
    if (integrated)
        compare_integrals(c, rule, s);
    else if (closed_moments(c, &mean, &variance))
        check_moments(c, s, mean, variance);
    else
        gb_kit_skip(c->kit, s->statement, "too many elements for an integral, and no moments");
}

void gb_dist_compare_draws(gb_dist_case *c, const gb_rule *rule, bool integrated, gb_statement statement,
                           size_t count, double *x)
{
    compare(c, rule, integrated, &(sample){.count = count, .x = x, .statement = statement});
}

/* Draws of a stream of their own, which sorts nothing. */
static void check_spreads(gb_dist_case *c, const gb_rule *rule, const sample *s, bool pathwise)
{
    gb_rule along[MOST_DIRECTIONS];
    const gb_noise noise = gb_stream(c->tape, pathwise ? "spread of paths" : "spread");
    const gb_node draw = pathwise ? gb_rsample(c->d, noise, GB_SAMPLES) : gb_sample(c->d, noise, GB_SAMPLES);
    check_spread(c, along_each(c, rule, s, along), along, draw, s->statement);
}

void gb_dist_check_draws(gb_dist_case *c)
{
    gb_rule rule;
    const bool integrated = gb_rule_make(&rule, c, c->d) && gb_rule_is_finite(&rule);
    const size_t count = c->check->draws;
    const sample one = draw_from(c, "one stream", count, false),
                 other = draw_from(c, "other stream", count, false);
    if (one.x && other.x) {
        check_support(c, &rule, &one);
        check_streams(c, &rule, &one, &other);
        check_samples(c, &rule, &one);
        compare(c, &rule, integrated, &one);
        if (integrated)
            check_spreads(c, &rule, &other, false);
    }
    if (gb_dist_can(c->d, GB_CAN_RSAMPLE)) {
        const sample r = draw_from(c, "a third stream", count, true);
        if (r.x) {
            check_samples(c, &rule, &r);
            compare(c, &rule, integrated, &r);
        }
        if (r.x && integrated && GB_HAS(c->d.type, sample))
            check_spreads(c, &rule, &r, true);
    } else {
        gb_kit_skip(c->kit, GB_ON_RDRAWS, "it has no reparameterised sampler");
    }
}
