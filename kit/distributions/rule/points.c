/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/distributions/rule/points_impl.h"

#include <math.h>
#include <string.h>

#include "kit/shell/values_impl.h"

bool gb_rule_reserve(gb_rule *rule, gb_tape *tape, size_t more)
{
    if (rule->count + more <= rule->room)
        return true;
    const size_t room = 2 * (rule->count + more);
    double *const all = gb_tape_keep(tape, room * (rule->size + 2) * sizeof *all);
    if (!all)
        return false;
    double *const weight = all + room * rule->size, *const log_p = weight + room;
    if (rule->count > 0) {
        memcpy(all, rule->x, rule->count * rule->size * sizeof *all);
        memcpy(weight, rule->weight, rule->count * sizeof *all);
        memcpy(log_p, rule->log_p, rule->count * sizeof *all);
    }
    rule->x = all, rule->weight = weight, rule->log_p = log_p;
    rule->room = room;
    return true;
}

void gb_rule_add(gb_rule *rule, const double *x, double weight, double log_p)
{
    memcpy(rule->x + rule->count * rule->size, x, rule->size * sizeof *x);
    rule->weight[rule->count] = weight;
    rule->log_p[rule->count++] = log_p;
    rule->total += log_p == -INFINITY ? 0 : weight * exp(log_p);
}

bool gb_rule_is_finite(const gb_rule *rule)
{
    return isfinite(rule->total) && isfinite(rule->error);
}

double gb_rule_mass(const gb_rule *rule, size_t i)
{
    return rule->log_p[i] == -INFINITY ? 0 : rule->weight[i] * exp(rule->log_p[i]);
}

double gb_rule_coarse_mass(const gb_rule *rule, size_t i)
{
    const double mass = gb_rule_mass(rule, i);
    for (size_t a = 0, index = i; a < rule->free; a++, index /= rule->places)
        if ((index % rule->places + rule->places / 2) % 2 == 1)
            return 0;
    return ldexp(mass, (int)rule->free);
}

/* ---- projections ---- */

enum { MIXED = 2, MOST_ELEMENTS = 6 };

size_t gb_case_directions(const gb_dist_case *c)
{
    return c->size == 1 ? 1 : MIXED + (c->size < MOST_ELEMENTS ? c->size : MOST_ELEMENTS);
}

double gb_case_direction(const gb_rule *rule, size_t element)
{
    if (rule->direction >= MIXED)
        return element == rule->direction - MIXED ? 1 : 0;
    if (rule->direction == 1)
        return 1 / (1 + 0.6 * (double)element);
    return element == 0 ? 1 : 1.5 * cos(2.3 * (double)element);
}

double gb_case_project(const gb_dist_case *c, const gb_rule *rule, const double *x)
{
    double sum = 0;
    if (c->circle)
        return sin(x[0] - 0.3);
    for (size_t i = 0; i < c->size; i++)
        sum += gb_case_direction(rule, i) * x[i];
    return (sum - rule->centre) / rule->width;
}

/* ---- ends ---- */

static bool read_ends(gb_dist_case *c, gb_node low, gb_node high, double ends[2])
{
    ends[0] = gb_kit_number(c->tape, low);
    ends[1] = gb_kit_number(c->tape, high);
    return gb_error(c->tape) == GB_OK;
}

/* A wrapper: the images of the real line's ends. */
static bool reached_ends(gb_dist_case *c, gb_dist d, double ends[2])
{
    const gb_transform reach = gb_dist_reach(d);
    if (!gb_transform_ok(reach))
        return true;
    double at[2];
    const gb_node low = gb_num(c->tape, -INFINITY), high = gb_num(c->tape, INFINITY);
    if (!read_ends(c, gb_transform_forward(reach, low), gb_transform_forward(reach, high), at))
        return false;
    ends[0] = fmin(at[0], at[1]);
    ends[1] = fmax(at[0], at[1]);
    return true;
}

bool gb_rule_ends(gb_dist_case *c, gb_dist d, double ends[2])
{
    ends[0] = -INFINITY, ends[1] = INFINITY;
    if (!d.type->support)
        return reached_ends(c, d, ends);
    const gb_ends given = GB_HAS(d.type, ends) ? d.type->ends(&d) : (gb_ends){0};
    const gb_node low = gb_node_ok(given.low) ? given.low : gb_num(c->tape, d.type->support->low);
    const gb_node high = gb_node_ok(given.high) ? given.high : gb_num(c->tape, d.type->support->high);
    return read_ends(c, low, high, ends);
}

bool gb_rule_mode(gb_dist_case *c, gb_dist d, double *mode)
{
    const double at = gb_kit_number(c->tape, gb_dist_mode(d));
    *mode = isfinite(at) ? at : *mode;
    return gb_error(c->tape) == GB_OK;
}
