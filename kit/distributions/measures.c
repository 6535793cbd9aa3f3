/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of all values, and measure-valued derivatives with their couplings. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/draws_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/distributions/slopes_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"

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

void gb_dist_check_enumerate(gb_dist_case *c)
{
    gb_rule rule;
    gb_case_function f;
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
