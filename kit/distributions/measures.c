/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of all values, ways to them (reach, relaxations), and measure-valued derivatives with their
 * couplings. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/draws_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/distributions/slopes_impl.h"
#include "kit/shell/chance_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- reach ---- */

enum { REACHED = 64 };

/* How many of some events are outside; 0 if no event is. */
static gb_node outside_of(const gb_dist_case *c, gb_node y)
{
    const gb_node outside = gb_dist_outside(c->d, y);
    return gb_node_ok(outside) ? gb_sum(gb_to_real(outside)) : gb_num(c->tape, 0);
}

/* For each draw x: how far forward(inverse(x)) is from it, and whether the neighbours of inverse(x) lead into
 * the support. */
static bool reach_function(gb_case_function *f, gb_dist_case *c, gb_transform reach)
{
    gb_case_function_begin(f, c);
    const gb_node u = gb_transform_inverse(reach, f->x), back = gb_transform_forward(reach, u);
    const gb_node size = gb_shift(gb_abs(f->x), 1), off = gb_div(gb_abs(gb_sub(back, f->x)), size);
    const gb_node below = gb_transform_forward(reach, gb_shift(u, -1.5)),
                  above = gb_transform_forward(reach, gb_shift(u, 1.5));
    return gb_case_function_finish(
        f, 2, (const gb_node[]){gb_maximum(off), gb_add(outside_of(c, below), outside_of(c, above))});
}

void gb_dist_check_reach(gb_dist_case *c)
{
    gb_case_function f;
    double out[2 * REACHED];
    const gb_transform reach = gb_dist_reach(c->d);
    if (c->discrete || !gb_transform_ok(reach)) {
        gb_kit_skip(c->kit, GB_ON_REACH, "no transform reaches its support");
        return;
    }
    const double *const x =
        gb_case_draws(c, gb_sample(c->d, gb_stream(c->tape, "kit reached"), GB_SAMPLES), REACHED);
    if (!x || !reach_function(&f, c, reach) || !gb_case_evaluate(&f, REACHED, x, out))
        return;
    for (size_t i = 0; i < REACHED; i++) {
        gb_kit_verdict(c->kit, GB_ON_REACH, out[i] <= 1e-6,
                       "draw %.9g … is not reached: back from its free number it is %.2g away (of 1 + |x|)",
                       x[i * c->size], out[i]);
        gb_kit_verdict(c->kit, GB_ON_REACH, out[REACHED + i] == 0,
                       "free numbers beside those of draw %.9g … lead out of the support", x[i * c->size]);
    }
}

/* ---- relaxations ---- */

/* Rounded, the draws have the probabilities of the values, at every temperature. */
static void check_rounded(gb_dist_case *c, gb_dist relaxed)
{
    if (!gb_dist_can(c->d, GB_CAN_MEAN) || !gb_shape_same(gb_dist_shape(relaxed), c->shape) ||
        c->d.type->support == GB_COUNT)
        return;
    const size_t count = c->check->draws;
    const double n = (double)count, bound = gb_chance_normal(5e-10);
    const double *const mean = gb_kit_ask(c->tape, gb_widen(gb_dist_mean(c->d), 0), NULL);
    const double *const x =
        gb_case_draws(c, gb_sample(relaxed, gb_stream(c->tape, "kit relaxed"), GB_SAMPLES), count);
    for (size_t j = 0; mean && x && j < c->size; j++) {
        double is = 0;
        for (size_t i = 0; i < count; i++)
            is += x[i * c->size + j] > 0.5 ? 1 / n : 0;
        const double p = mean[j], allowed = bound * sqrt(fmax(p * (1 - p), 0) / n) + 20 / n;
        gb_kit_verdict(c->kit, GB_ON_RELAXED, c->size > 1 || fabs(is - p) <= allowed,
                       "%.6g of its draws round to 1, not %.6g; %.2g is allowed", is, p, allowed);
    }
}

/* Returns Σ |∂ log_prob/∂θ| over the elements of each variable, at a draw. */
static bool slopes_at(gb_dist_case *c, gb_dist d, gb_node draw, double out[GB_CASE_VARIABLES])
{
    gb_node slope[GB_CASE_VARIABLES];
    if (!gb_case_slopes(c, gb_sum(gb_mean_over(gb_square(gb_log_prob(d, gb_stop(draw))), GB_SAMPLES)), slope))
        return false;
    for (size_t i = 0; i < c->variables; i++)
        out[i] = gb_kit_number(c->tape, gb_sum(gb_abs(slope[i])));
    return true;
}

void gb_dist_check_relaxed(gb_dist_case *c)
{
    double own[GB_CASE_VARIABLES] = {0}, its[GB_CASE_VARIABLES] = {0};
    if (!gb_dist_can(c->d, GB_CAN_RELAX)) {
        gb_kit_skip(c->kit, GB_ON_RELAXED, "it has none");
        return;
    }
    const gb_dist relaxed = gb_dist_relaxed(c->d, gb_num(c->tape, 0.5));
    const gb_noise noise = gb_stream(c->tape, "kit slopes");
    if (!gb_dist_case_fine(c))
        return;
    gb_kit_verdict(c->kit, GB_ON_RELAXED, !gb_dist_discrete(relaxed) && gb_dist_can(relaxed, GB_CAN_RSAMPLE),
                   "%s is discrete, or has no reparameterised sampler", relaxed.type->name);
    check_rounded(c, relaxed);
    if (!slopes_at(c, c->d, gb_sample(c->d, noise, GB_SAMPLES), own) ||
        !slopes_at(c, relaxed, gb_sample(relaxed, noise, GB_SAMPLES), its))
        return;
    for (size_t i = 0; i < c->variables; i++)
        gb_kit_verdict(c->kit, GB_ON_RELAXED, own[i] == 0 || its[i] != 0, "it has no slope in %s",
                       gb_node_name(c->variable[i]));
}

/* ---- enumerate ---- */

static bool outside_function(gb_case_function *f, gb_dist_case *c)
{
    gb_case_function_begin(f, c);
    const gb_node outside = gb_dist_outside(c->d, f->x);
    const gb_node root = gb_node_ok(outside) ? gb_to_real(outside) : gb_num(c->tape, 0);
    return gb_case_function_finish(f, 1, &root);
}

static bool distinct(const gb_rule *rule)
{
    for (size_t i = 0; i < rule->count; i++)
        for (size_t j = 0; j < i; j++)
            if (memcmp(rule->x + i * rule->size, rule->x + j * rule->size, rule->size * sizeof(double)) == 0)
                return false;
    return true;
}

static bool is_listed(const gb_rule *rule, double x)
{
    for (size_t i = 0; i < rule->count; i++)
        if (rule->x[i] == x)
            return true;
    return false;
}

/* Whole numbers of the support that are not in the list have no probability. */
static void check_rest(gb_dist_case *c, const gb_rule *rule)
{
    enum { MOST = 64 };
    gb_case_function f;
    double x[MOST], log_p[MOST];
    size_t count = 0;
    const gb_domain *const support = c->d.type->support;
    if (!support || !support->whole || c->shape.rank > 0)
        return;
    const double from = isfinite(support->low) ? support->low : -0.5 * MOST;
    for (size_t i = 0; i < MOST; i++)
        if (gb_domain_holds(support, from + (double)i) && !is_listed(rule, from + (double)i))
            x[count++] = from + (double)i;
    if (count == 0 || !gb_case_log_prob(&f, c, c->d) || !gb_case_evaluate(&f, count, x, log_p))
        return;
    for (size_t i = 0; i < count; i++)
        gb_kit_verdict(c->kit, GB_ON_ENUMERATE, log_p[i] == -INFINITY,
                       "log_prob(%g) is %g: the value lies in the support, and the list lacks it", x[i],
                       log_p[i]);
}

/* A discrete distribution has no value besides its atoms. */
static void check_atoms(gb_dist_case *c)
{
    if (!GB_HAS(c->d.type, atoms) || !c->discrete || c->d.type->wraps)
        return;
    const gb_node log_p = gb_log_prob(c->d, c->d.type->atoms(&c->d));
    const double total = gb_kit_number(c->tape, gb_sum(gb_exp(log_p)));
    gb_kit_verdict(c->kit, GB_ON_ENUMERATE, fabs(total - 1) <= 1e-9,
                   "the probabilities of its .atoms have the sum %.12g", total);
}

void gb_dist_check_enumerate(gb_dist_case *c)
{
    gb_rule rule;
    gb_case_function f;
    check_atoms(c);
    if (!gb_dist_can(c->d, GB_CAN_ENUMERATE)) {
        gb_kit_skip(c->kit, GB_ON_ENUMERATE, "it has no finite list of values");
        return;
    }
    if (!gb_rule_make(&rule, c, c->d) || !outside_function(&f, c))
        return;
    double *const outside = gb_tape_keep(c->tape, (rule.count + 1) * sizeof *outside);
    gb_kit_verdict(c->kit, GB_ON_ENUMERATE, fabs(rule.total - 1) <= 1e-12,
                   "probabilities of the %zu values have the sum %.15g", rule.count, rule.total);
    gb_kit_verdict(c->kit, GB_ON_ENUMERATE, distinct(&rule), "a value occurs twice");
    check_rest(c, &rule);
    if (outside && gb_case_evaluate(&f, rule.count, rule.x, outside))
        for (size_t i = 0; i < rule.count; i++)
            gb_kit_verdict(c->kit, GB_ON_ENUMERATE, outside[i] == 0,
                           "value number %zu is outside the support", i);
}

/* ---- measures ---- */

typedef struct parts {
    gb_dist_case *c;
    gb_rule rule;
    double *slope; /* ∂E[f]/∂θ for all f, in all elements of all variables */
} parts;

static void check_couple(parts *p, size_t which, int64_t element, const gb_rule *plus, const gb_rule *minus)
{
    gb_dist_case *const c = p->c;
    char name[48];
    gb_node high, low;
    const size_t count = c->check->draws;
    snprintf(name, sizeof name, "kit couple %zu", gb_tape_length(c->tape));
    const gb_source from = {.noise = gb_stream(c->tape, name), .shape = c->shape, .axes = GB_SAMPLES};
    if (!c->d.type->couple(&c->d, which, element, &from, &high, &low))
        return;
    double *const x = gb_case_draws(c, gb_broadcast(high, c->shape), count);
    double *const y = gb_case_draws(c, gb_broadcast(low, c->shape), count);
    if (x && y) {
        gb_dist_compare_draws(c, plus, true, GB_ON_COUPLE, count, x);
        gb_dist_compare_draws(c, minus, true, GB_ON_COUPLE, count, y);
    }
}

/* Checks one element of one parameter; its derivative is element number `at` of all variables. */
static void check_element(parts *p, size_t which, int64_t element, size_t at)
{
    gb_measure m;
    gb_rule plus, minus;
    gb_dist_case *const c = p->c;
    if (!gb_dist_measure(c->d, which, element, &m))
        return;
    const double coefficient = gb_kit_number(c->tape, m.coefficient);
    if (!gb_rule_make(&plus, c, m.plus) || !gb_rule_make(&minus, c, m.minus))
        return;
    for (size_t f = 0; f < GB_CASE_FUNCTIONS; f++) {
        const double is = coefficient * (gb_case_expectation(c, &p->rule, &plus, f) -
                                         gb_case_expectation(c, &p->rule, &minus, f));
        const double should = p->slope[f * gb_case_elements(c) + at],
                     unsure = p->rule.error + plus.error + minus.error;
        gb_kit_verdict(c->kit, GB_ON_MEASURE,
                       fabs(is - should) <= (1e-8 + 1e3 * unsure) * fmax(1, fabs(coefficient)),
                       "in %s, element %d, of bounded function %zu: it is %.12g, not %.12g",
                       c->check->grid.type->param[which].name, (int)element, f, is, should);
    }
    if (gb_dist_can(c->d, GB_CAN_COUPLE))
        check_couple(p, which, element, &plus, &minus);
}

/* Checks the parameters that are variables themselves. */
static void check_parameters(parts *p)
{
    size_t count, at = 0;
    const gb_option *const params = gb_dist_params(&p->c->d, &count);
    for (size_t i = 0; i < p->c->variables; i++) {
        const size_t elements = gb_shape_count(gb_node_shape(p->c->variable[i]));
        for (size_t which = 0; which < count; which++) {
            const gb_domain *const domain = params[which].domain;
            const bool itself =
                domain->event_rank == 0 || domain == &gb_logits_domain || domain == &gb_real_vector_domain;
            if (itself && strcmp(params[which].name, gb_node_name(p->c->variable[i])) == 0)
                for (size_t j = 0; j < elements; j++)
                    check_element(p, which, (int64_t)j, at + j);
        }
        at += elements;
    }
}

void gb_dist_check_measures(gb_dist_case *c)
{
    parts p = {.c = c};
    if (!gb_dist_can(c->d, GB_CAN_MEASURE)) {
        gb_kit_skip(c->kit, GB_ON_MEASURE, "it has none");
    } else if (c->variables == 0) {
        gb_kit_skip(c->kit, GB_ON_MEASURE, "it has no variables");
    } else if (gb_rule_make(&p.rule, c, c->d)) {
        p.slope = gb_tape_keep(c->tape, GB_CASE_FUNCTIONS * gb_case_elements(c) * sizeof *p.slope);
        if (p.slope && gb_case_expected_slopes(c, &p.rule, p.slope))
            check_parameters(&p);
    }
}
