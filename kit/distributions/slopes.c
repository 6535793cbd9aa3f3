/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of expectations: by the score, or by differences if the support moves with the parameters. */
#include "kit/distributions/slopes_impl.h"

#include <math.h>

#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/values_impl.h"

typedef struct place {
    gb_node variable;
    double *values;
    size_t count;
} place;

static bool expectations_at(gb_dist_case *c, const gb_rule *scale, const place *at, double out[])
{
    gb_rule moved;
    if (gb_set(at->variable, gb_values_of(at->values, at->count)) != GB_OK || !gb_rule_make(&moved, c, c->d))
        return false;
    for (size_t k = 0; k < GB_CASE_FUNCTIONS; k++)
        out[k] = gb_case_expectation(c, scale, &moved, k);
    return true;
}

/* Writes differences of all functions in element j, at intervals of `stride`. */
static bool move_element(gb_dist_case *c, const gb_rule *scale, const place *p, size_t j, size_t stride,
                         double *out)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double start = p->values[j], step = 1e-3 * (start == 0 ? scale->width : fabs(start));
    double f[GB_CASE_FUNCTIONS];
    for (size_t k = 0; k < GB_CASE_FUNCTIONS; k++)
        out[k * stride] = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        p->values[j] = start + at[i] * step;
        if (!expectations_at(c, scale, p, f))
            return false;
        for (size_t k = 0; k < GB_CASE_FUNCTIONS; k++)
            out[k * stride] += weight[i] * f[k] / (12 * step);
    }
    p->values[j] = start;
    return gb_set(p->variable, gb_values_of(p->values, p->count)) == GB_OK;
}

static bool by_differences(gb_dist_case *c, const gb_rule *scale, size_t elements, double *out)
{
    size_t at = 0;
    for (size_t i = 0; i < c->variables; i++) {
        place p = {.variable = c->variable[i]};
        p.values = gb_kit_read(c->tape, p.variable, &p.count);
        for (size_t j = 0; j < p.count; j++, at++)
            if (!p.values || !move_element(c, scale, &p, j, elements, out + at))
                return false;
    }
    return true;
}

static bool by_score(gb_dist_case *c, const gb_rule *rule, size_t elements, double *out)
{
    gb_case_scores score;
    double *const weight = gb_tape_keep(c->tape, rule->count * sizeof *weight);
    bool done = weight && gb_case_score_begin(&score, c, c->d);
    for (size_t k = 0; k < GB_CASE_FUNCTIONS && done; k++) {
        for (size_t i = 0; i < rule->count; i++)
            weight[i] =
                gb_rule_mass(rule, i) * gb_case_bounded(k, gb_case_project(c, rule, rule->x + i * c->size));
        done = gb_case_score(&score, rule->count, rule->x, weight, out + k * elements);
    }
    return done;
}

bool gb_case_expected_slopes(gb_dist_case *c, const gb_rule *rule, double *out)
{
    return (gb_dist_moving_support(c->d) ? by_differences : by_score)(c, rule, gb_case_elements(c), out);
}
