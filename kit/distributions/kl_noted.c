/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A divergence that is not exact, but what its note says: it is a number, and its gradient is its own. */
#include "kit/distributions/kl_noted_impl.h"

#include <math.h>

#include "kit/distributions/evaluate_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/reduce.h"

typedef struct noted {
    gb_dist_case *c;
    const char *pair;
    gb_node total, slope[GB_CASE_VARIABLES];
    gb_program *program;
    double value;
} noted;

static bool record(noted *n, gb_node kl)
{
    gb_dist_case *const c = n->c;
    gb_node root[1 + GB_CASE_VARIABLES];
    n->total = root[0] = gb_sum(kl);
    if (!gb_case_slopes(c, n->total, n->slope))
        return false;
    for (size_t i = 0; i < c->variables; i++)
        root[1 + i] = n->slope[i];
    n->program = gb_compile(c->tape, (gb_node_list){.count = 1 + c->variables, .node = root}, gb_no_update);
    return gb_run(n->program) == GB_OK;
}

static bool value_at(noted *n, gb_node variable, const double *values, size_t count, double *value)
{
    if (gb_set(variable, gb_values_from(values, count)) != GB_OK || gb_run(n->program) != GB_OK)
        return false;
    *value = gb_value(n->total);
    return true;
}

/* NaN where a step leaves what is allowed. */
static double difference(noted *n, gb_node variable, double *values, size_t count, size_t j, double step)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double start = values[j];
    double sum = 0, value;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        values[j] = start + at[i] * step;
        sum += value_at(n, variable, values, count, &value) ? weight[i] * value / (12 * step) : (double)NAN;
        gb_forgive(n->c->tape);
    }
    values[j] = start;
    return sum;
}

/* A gradient that is wrong is so for all steps; of one that is right, some of them are too long or too short. */
static void check_element(noted *n, gb_node variable, double *values, size_t count, size_t j, double slope)
{
    static const double steps[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    enum { STEPS = sizeof steps / sizeof *steps };
    double best = INFINITY;
    for (size_t i = 0; i < STEPS; i++) {
        const double step = steps[i] * (values[j] == 0 ? 1 : fabs(values[j]));
        const double away = fabs(difference(n, variable, values, count, j, step) - slope);
        const double allowed = 1e-6 * (1 + fabs(slope)) + 1e-14 * fabs(n->value) / step;
        if (!isfinite(away))
            return; /* next to where it ends */
        best = fmin(best, away / allowed);
    }
    gb_kit_verdict(n->c->kit, GB_ON_KL, best <= 1, "%s: its gradient in %s is %.9g, which no difference is",
                   n->pair, gb_node_name(variable), slope);
}

static void check_variable(noted *n, size_t which)
{
    size_t count, slopes;
    const gb_node variable = n->c->variable[which];
    if (gb_run(n->program) != GB_OK)
        return;
    const double *const slope = gb_kit_read(n->c->tape, n->slope[which], &slopes);
    double *const values = gb_kit_read(n->c->tape, variable, &count);
    for (size_t j = 0; slope && values && j < count; j++)
        check_element(n, variable, values, count, j, slope[j]);
    if (values)
        gb_set(variable, gb_values_from(values, count));
}

void gb_dist_check_noted(gb_dist_case *c, gb_node kl, const char *pair)
{
    noted n = {.c = c, .pair = pair};
    if (!record(&n, kl))
        return;
    n.value = gb_value(n.total);
    gb_kit_verdict(c->kit, GB_ON_KL, !isnan(n.value), "%s: it is %g", pair, n.value);
    for (size_t i = 0; i < c->variables && isfinite(n.value); i++)
        check_variable(&n, i);
}
