/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws against the density: by its distribution function (Dvoretzky, Kiefer and Wolfowitz 1956; Massart
 * 1990; in the tails Chernoff 1952), by bounded functions, in cells, and by their spread. Vectors are
 * projected on several directions. Draws with too many elements for an integral are compared with closed
 * forms. */
#include <math.h>
#include <stdlib.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/draws_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/projections_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/chance_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static double normal_bound(void)
{
    return gb_chance_normal(gb_drawn_chance);
}

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

static void check_support(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s)
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
static size_t up_to(const gb_drawn *s, double x)
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

static void check_function(gb_dist_case *c, const gb_rule *rule, const gb_drawn *sorted)
{
    const double n = (double)sorted->count, allowed = sqrt(log(1 / gb_drawn_chance) / (2 * n)) + rule->error;
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

/* Beyond a place in the tail there are few draws, so that a cut there is nothing to the largest distance.
 * Chernoff's bound holds at each place by itself. */
static void check_tails(gb_dist_case *c, const gb_rule *rule, const gb_drawn *sorted)
{
    const double n = (double)sorted->count, allowed = log(2 * (double)rule->edges / gb_drawn_chance);
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < rule->edges; i++) {
        const double is = (double)up_to(sorted, rule->edge[i]) / n;
        const double now = gb_drawn_surprise(n, is, fmin(rule->mass[i], 1), rule->error + 1e-12);
        where = now > worst ? i : where;
        worst = fmax(worst, now);
    }
    if (rule->edges)
        gb_kit_verdict(c->kit, sorted->statement, worst <= allowed,
                       "up to %.9g lie %zu of %.0f draws, where %.6g should: by chance once in e^%.3g",
                       rule->edge[where], up_to(sorted, rule->edge[where]), n, n * rule->mass[where], worst);
}

/* ---- cells of whole numbers ---- */

static void check_cells(gb_dist_case *c, const gb_rule *rule, const gb_drawn *sorted)
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
    const double bound = gb_chance_chi_squared(gb_drawn_chance / 10, cells - 1);
    gb_kit_verdict(c->kit, sorted->statement, chi_squared <= bound,
                   "in %zu cells chi squared is %.4g; %.4g is allowed", cells, chi_squared, bound);
}

/* ---- bounded functions ---- */

static void check_bounded(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s, size_t which)
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
static void check_moments(gb_dist_case *c, const gb_drawn *s, const double *mean, const double *variance)
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

static void check_streams(gb_dist_case *c, const gb_rule *rule, const gb_drawn *a, const gb_drawn *b)
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
static void check_samples(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s)
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

static gb_drawn draw_from(gb_dist_case *c, const char *stream, size_t count, bool pathwise)
{
    const gb_noise noise = gb_stream(c->tape, stream);
    const gb_node draw = pathwise ? gb_rsample(c->d, noise, GB_SAMPLES) : gb_sample(c->d, noise, GB_SAMPLES);
    return (gb_drawn){.count = count,
                      .x = gb_case_draws(c, draw, count),
                      .statement = pathwise ? GB_ON_RDRAWS : GB_ON_DRAWS};
}

static void compare_integrals(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s)
{
    gb_rule along[GB_DRAWN_DIRECTIONS];
    const size_t directions = gb_drawn_along_each(c, rule, s, along);
    for (size_t k = 0; k < directions; k++) {
        for (size_t i = 0; i < GB_CASE_FUNCTIONS; i++)
            check_bounded(c, &along[k], s, i);
        if (c->shape.rank > 0)
            gb_drawn_check_tails(c, &along[k], s);
    }
    if (c->shape.rank > 0)
        return;
    qsort(s->x, s->count, sizeof *s->x, gb_kit_ascending);
    check_function(c, rule, s);
    check_tails(c, rule, s);
    if (c->discrete)
        check_cells(c, rule, s);
}

static void compare(gb_dist_case *c, const gb_rule *rule, bool integrated, const gb_drawn *s)
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
    compare(c, rule, integrated, &(gb_drawn){.count = count, .x = x, .statement = statement});
}

/* Draws of a stream of their own, which sorts nothing. */
static void check_spreads(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s, bool pathwise)
{
    gb_rule along[GB_DRAWN_DIRECTIONS];
    const gb_noise noise = gb_stream(c->tape, pathwise ? "spread of paths" : "spread");
    const gb_node draw = pathwise ? gb_rsample(c->d, noise, GB_SAMPLES) : gb_sample(c->d, noise, GB_SAMPLES);
    gb_drawn_check_spread(c, gb_drawn_along_each(c, rule, s, along), along, draw, s->statement);
}

void gb_dist_check_draws(gb_dist_case *c)
{
    gb_rule rule;
    const bool integrated = gb_rule_make(&rule, c, c->d) && gb_rule_is_finite(&rule);
    const size_t count = c->check->draws;
    const gb_drawn one = draw_from(c, "one stream", count, false),
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
        const gb_drawn r = draw_from(c, "a third stream", count, true);
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
