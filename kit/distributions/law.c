/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The density integrates to 1, and its integrals are the closed forms of the type. */
#include <math.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/values_impl.h"

static const double too_far = 1e100; /* beyond this, moments are dominated by the limits of numbers */
static const double exactly = 1e-8;  /* tolerance of integrals, besides their own error */

static void check_mass(gb_dist_case *c, const gb_rule *rule)
{
    for (size_t i = 0; i < rule->count; i++)
        if (isnan(rule->log_p[i])) {
            gb_kit_verdict(c->kit, GB_ON_NORMALISED, false, "log_prob is NaN at %.17g",
                           rule->x[i * rule->size]);
            return;
        }
    const double allowed = 1e-9 + rule->error;
    if (!gb_rule_is_finite(rule))
        gb_kit_verdict(c->kit, GB_ON_NORMALISED, false, "its density is so large that the sum is %g",
                       rule->total);
    else if (rule->error > 1e-2)
        gb_kit_skip(c->kit, GB_ON_NORMALISED, "the kit's integral is not exact enough");
    else
        gb_kit_verdict(c->kit, GB_ON_NORMALISED, fabs(rule->total - 1) <= allowed,
                       "the sum%s is %.12g, with an error of %.2g",
                       gb_dist_can(c->d, GB_CAN_ENUMERATE) ? " over the values that enumerate lists" : "",
                       rule->total, allowed);
}

/* ---- moments ---- */

/* Σ p |x − centre|^power of one element, without and with the points far away: the two agree if the moment
 * exists. */
static double moment(const gb_rule *rule, size_t element, double centre, int power)
{
    double sum = 0;
    for (size_t i = 0; i < rule->count; i++) {
        const double mass = gb_rule_mass(rule, i), off = rule->x[i * rule->size + element] - centre;
        if (mass > 0)
            sum += mass * (power == 2 ? off * off : power == 1 ? off : fabs(off));
    }
    return sum;
}

static void check_mean(gb_dist_case *c, const gb_rule *rule)
{
    const double *const mean = gb_kit_ask(c->tape, gb_dist_mean(c->d), NULL);
    for (size_t i = 0; mean && i < c->size; i++) {
        if (!isfinite(mean[i]) || fabs(mean[i]) > too_far)
            continue; /* the type says that it does not exist */
        const double is = moment(rule, i, mean[i], 1), spread = moment(rule, i, mean[i], 0);
        const double allowed = (exactly + 100 * rule->error) * fmax(spread, 1e-300) + 1e-12 * fabs(mean[i]);
        gb_kit_verdict(c->kit, GB_ON_MEAN, fabs(is) <= allowed,
                       "element %zu is %.12g, but the integral is %.2g from it, where %.2g is allowed", i,
                       mean[i], is, allowed);
    }
}

/* A variance is a number or infinite where there is a mean, finite or infinite. */
static void check_existence(gb_dist_case *c, const double *variance)
{
    const double *const mean =
        gb_dist_can(c->d, GB_CAN_MEAN) ? gb_kit_ask(c->tape, gb_widen(gb_dist_mean(c->d), 0), NULL) : NULL;
    for (size_t i = 0; mean && variance && i < c->size; i++)
        gb_kit_verdict(c->kit, GB_ON_VARIANCE, !isnan(variance[i]) || isnan(mean[i]),
                       "element %zu is nan, and the mean %.9g: a variance that is not finite is infinite", i,
                       mean[i]);
}

static void check_variance(gb_dist_case *c, const gb_rule *rule)
{
    const double *const variance = gb_kit_ask(c->tape, gb_dist_variance(c->d), NULL);
    check_existence(c, variance);
    for (size_t i = 0; variance && i < c->size; i++) {
        const double centre = moment(rule, i, 0, 1) / rule->total;
        const double should = moment(rule, i, centre, 2);
        if (!isfinite(variance[i]) || variance[i] > too_far)
            continue;
        const double allowed = (exactly + 100 * rule->error) * should + 1e-15 * centre * centre + 1e-300;
        gb_kit_verdict(c->kit, GB_ON_VARIANCE, fabs(variance[i] - should) <= allowed,
                       "element %zu is %.12g, but the integral %.12g", i, variance[i], should);
    }
}

static void check_entropy(gb_dist_case *c, const gb_rule *rule)
{
    const double *const entropy = gb_kit_ask(c->tape, gb_dist_entropy(c->d), NULL);
    double should = 0, magnitude = 0;
    for (size_t i = 0; i < rule->count; i++) {
        const double mass = gb_rule_mass(rule, i);
        should -= mass > 0 ? mass * rule->log_p[i] : 0;
        magnitude += mass > 0 ? mass * fabs(rule->log_p[i]) : 0;
    }
    const double allowed = exactly * fmax(1, magnitude) + 10 * rule->entropy_error;
    if (entropy)
        gb_kit_verdict(c->kit, GB_ON_ENTROPY, fabs(*entropy - should) <= allowed,
                       "it is %.12g, but the integral %.12g", *entropy, should);
}

static void check_mode(gb_dist_case *c, const gb_rule *rule)
{
    gb_case_function f;
    double at;
    const double *const mode = gb_kit_ask(c->tape, gb_dist_mode(c->d), NULL);
    if (!mode || isnan(*mode) || !gb_case_log_prob(&f, c, c->d) || !gb_case_evaluate(&f, 1, mode, &at))
        return;
    if (!gb_kit_verdict(c->kit, GB_ON_MODE, at > -INFINITY, "log_prob(%.9g), at the mode, is %g", *mode, at))
        return;
    for (size_t i = 0; i < rule->count; i++)
        if (rule->log_p[i] > at + 1e-9 * fmax(1, fabs(at)) && rule->weight[i] > 0) {
            gb_kit_verdict(c->kit, GB_ON_MODE, false,
                           "the density at %.9g is greater than at %.9g: log_prob is %.12g and %.12g",
                           rule->x[i * rule->size], *mode, rule->log_p[i], at);
            return;
        }
    gb_kit_verdict(c->kit, GB_ON_MODE, true, "%s", "");
}

/* ---- distribution functions ---- */

static void check_survival(gb_dist_case *c, const gb_rule *rule, const double *cdf, double allowed)
{
    gb_case_function f;
    double *const is = gb_tape_keep(c->tape, (rule->edges + 1) * sizeof *is);
    if (!is || !gb_case_distribution_function(&f, c, GB_CAN_SURVIVAL) ||
        !gb_case_evaluate(&f, rule->edges, rule->edge, is))
        return;
    for (size_t i = 0; i < rule->edges; i++)
        gb_kit_verdict(c->kit, GB_ON_CDF, fabs(is[i] + cdf[i] - 1) <= allowed,
                       "at %.17g it is %.12g, but survival %.12g", rule->edge[i], cdf[i], is[i]);
}

static void check_cdf(gb_dist_case *c, const gb_rule *rule)
{
    gb_case_function f;
    const double ends[] = {-INFINITY, INFINITY};
    double at_ends[2];
    double *const is = gb_tape_keep(c->tape, (rule->edges + 1) * sizeof *is);
    if (!is || !gb_case_distribution_function(&f, c, GB_CAN_CDF) ||
        !gb_case_evaluate(&f, rule->edges, rule->edge, is) || !gb_case_evaluate(&f, 2, ends, at_ends))
        return;
    gb_kit_verdict(c->kit, GB_ON_CDF, at_ends[0] == 0 && at_ends[1] == 1,
                   "it is %g at -infinity and %g at infinity", at_ends[0], at_ends[1]);
    const double allowed = 1e-9 + rule->error;
    bool right = true, rises = true;
    size_t worst = 0, falls = 0;
    for (size_t i = 0; i < rule->edges; i++) {
        /* a rounding error near an end other than 0 makes neighbours differ by more */
        const bool near = fabs(is[i] - rule->mass[i]) <= allowed + 1e-14;
        worst = right && !near ? i : worst;
        right &= near;
        falls = rises && i > 0 && is[i] < is[i - 1] - 1e-15 ? i : falls;
        rises = falls == 0;
    }
    gb_kit_verdict(c->kit, GB_ON_CDF, right, "at %.17g it is %.12g, but the integral %.12g",
                   rule->edge[worst], is[worst], rule->mass[worst]);
    gb_kit_verdict(c->kit, GB_ON_CDF, rises, "it falls before %.17g", rule->edge[falls]);
    if (gb_dist_can(c->d, GB_CAN_SURVIVAL))
        check_survival(c, rule, is, allowed);
}

/* ---- all ---- */

typedef void law_check(gb_dist_case *c, const gb_rule *rule);

static void if_able(gb_dist_case *c, const gb_rule *rule, bool able, gb_statement statement, law_check *check)
{
    if (!able)
        gb_kit_skip(c->kit, statement, "it has none");
    else if (gb_error(c->tape) == GB_OK)
        check(c, rule);
}

static void check_closed_forms(gb_dist_case *c, const gb_rule *rule)
{
    const gb_dist d = c->d;
    const bool cdf = gb_dist_can(d, GB_CAN_CDF) && c->size == 1;
    if_able(c, rule, gb_dist_can(d, GB_CAN_MEAN), GB_ON_MEAN, check_mean);
    if_able(c, rule, gb_dist_can(d, GB_CAN_VARIANCE), GB_ON_VARIANCE, check_variance);
    if_able(c, rule, gb_dist_can(d, GB_CAN_ENTROPY), GB_ON_ENTROPY, check_entropy);
    if_able(c, rule, gb_dist_can(d, GB_CAN_MODE), GB_ON_MODE, check_mode);
    if_able(c, rule, cdf, GB_ON_CDF, check_cdf);
}

void gb_dist_check_law(gb_dist_case *c)
{
    gb_rule rule;
    if (gb_rule_make(&rule, c, c->d)) {
        check_mass(c, &rule);
        if (gb_rule_is_finite(&rule))
            check_closed_forms(c, &rule);
    } else {
        gb_kit_skip(c->kit, GB_ON_NORMALISED, "too many elements to integrate over");
    }
}
