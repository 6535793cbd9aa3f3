/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/distributions/rule/bounded_impl.h"

#include <math.h>

#include "ops/elementwise.h"
#include "ops/reduce.h"

double gb_case_bounded(size_t which, double z)
{
    return which == 0 ? tanh(z) : which == 1 ? exp(-z * z / 2) : z / (1 + z * z);
}

gb_node gb_case_bounded_node(size_t which, gb_node z)
{
    return which == 0   ? gb_tanh(z)
           : which == 1 ? gb_exp(gb_scale(gb_square(z), -0.5))
                        : gb_div(z, gb_shift(gb_square(z), 1));
}

gb_node gb_case_project_node(const gb_dist_case *c, const gb_rule *rule, gb_node x)
{
    if (c->circle)
        return gb_sin(gb_shift(x, -0.3));
    double *const direction = gb_tape_keep(c->tape, (c->size + 1) * sizeof *direction);
    for (size_t i = 0; direction && i < c->size; i++)
        direction[i] = gb_case_direction(rule, i);
    if (!direction)
        return (gb_node){0};
    const gb_node by = gb_constant(c->tape, c->shape, gb_values_of(direction, c->size));
    return gb_scale(gb_shift(gb_sum(gb_mul(by, x)), -rule->centre), 1 / rule->width);
}

double gb_case_expectation(const gb_dist_case *c, const gb_rule *scale, const gb_rule *rule, size_t which)
{
    double sum = 0;
    for (size_t i = 0; i < rule->count; i++) {
        const double mass = gb_rule_mass(rule, i);
        if (mass > 0)
            sum += mass * gb_case_bounded(which, gb_case_project(c, scale, rule->x + i * c->size));
    }
    return sum;
}
