/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rule of integration a distribution gets, and what all rules have in common. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "kit/distributions/check_distribution_impl.h"
#include "ops/array.h"

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

double gb_rule_mass(const gb_rule *rule, size_t i)
{
    return rule->log_p[i] == -INFINITY ? 0 : rule->weight[i] * exp(rule->log_p[i]);
}

/* ---- ends ---- */

static bool read_two(gb_dist_case *c, gb_node a, gb_node b, double values[2])
{
    gb_program *const program = gb_compile(c->tape, gb_roots(a, b), gb_no_update);
    if (gb_run(program) != GB_OK)
        return false;
    values[0] = gb_value(a);
    values[1] = gb_value(b);
    gb_program_free(program);
    return gb_error(c->tape) == GB_OK;
}

/* A wrapper: where the real line's ends are taken to. */
static bool reached_ends(gb_dist_case *c, gb_dist d, double ends[2])
{
    const gb_transform reach = gb_dist_reach(d);
    if (!gb_transform_ok(reach))
        return true;
    double at[2];
    const gb_node low = gb_num(c->tape, -INFINITY), high = gb_num(c->tape, INFINITY);
    if (!read_two(c, gb_transform_forward(reach, low), gb_transform_forward(reach, high), at))
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
    return read_two(c, low, high, ends);
}

bool gb_rule_mode(gb_dist_case *c, gb_dist d, double *mode)
{
    double at[2];
    const gb_node node = gb_dist_mode(d);
    if (!read_two(c, node, node, at))
        return false;
    *mode = isfinite(at[0]) ? at[0] : *mode;
    return true;
}

/* ---- which ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Projections of draws, sorted: their median and the distance of their quartiles. */
static bool look_at_draws(gb_rule *rule, gb_dist_case *c, size_t count, const double *draws)
{
    double *const along = gb_tape_keep(c->tape, count * sizeof *along);
    if (!along)
        return false;
    *rule = (gb_rule){.size = c->size, .width = 1};
    for (size_t i = 0; i < count; i++)
        along[i] = gb_case_project(c, rule, draws + i * c->size);
    qsort(along, count, sizeof *along, ascending);
    rule->centre = along[count / 2];
    const double quartiles = along[count - count / 4] - along[count / 4];
    const double others = along[count - 1 - count / 20] - along[count / 20]; /* where half are the same */
    const double single = fmax(1e-3, fabs(rule->centre));
    rule->width = quartiles > 0 ? quartiles / 1.35 : others > 0 ? others / 3 : single;
    return true;
}

static bool is_vector_of_reals(gb_dist d)
{
    enum { MOST = 3 };
    const gb_transform reach = gb_dist_reach(d);
    if (gb_dist_discrete(d) || !gb_transform_ok(reach))
        return false;
    const gb_shape free = gb_transform_inverse_shape(reach, gb_dist_shape(d));
    return free.rank >= 0 && gb_shape_count(free) <= MOST;
}

static bool two_log_probs(gb_case_function *f, gb_dist_case *c, gb_dist d, gb_dist other)
{
    gb_case_function_begin(f, c);
    return gb_case_function_finish(f, 2, (const gb_node[]){gb_log_prob(d, f->x), gb_log_prob(other, f->x)});
}

bool gb_rule_make(gb_rule *rule, gb_dist_case *c, gb_dist d)
{
    return gb_rule_make_for(rule, c, d, (gb_dist){0});
}

bool gb_rule_make_for(gb_rule *rule, gb_dist_case *c, gb_dist d, gb_dist other)
{
    enum { DRAWS = 4096 };
    gb_case_function f;
    char name[48];
    snprintf(name, sizeof name, "kit places %zu", gb_tape_length(c->tape));
    double *const draws = gb_case_draws(c, gb_sample(d, gb_stream(c->tape, name), GB_SAMPLES), DRAWS);
    if (!draws || !look_at_draws(rule, c, DRAWS, draws) || !gb_case_log_prob(&f, c, d))
        return false;
    if (gb_dist_can(d, GB_CAN_ENUMERATE))
        return gb_rule_of_list(rule, &f, d);
    if (gb_dist_event_shape(d).rank > 0)
        return is_vector_of_reals(d) && gb_rule_of_vectors(rule, &f, d, DRAWS, draws);
    qsort(draws, DRAWS, sizeof *draws, ascending);
    if (gb_dist_discrete(d) && d.base && d.transform)
        return gb_rule_of_image(rule, &f, d);
    if (gb_dist_discrete(d) && (d.type->wraps || !d.type->support->whole))
        return gb_rule_of_places(rule, &f, DRAWS, draws);
    if (gb_dist_discrete(d))
        return gb_rule_of_counts(rule, &f, d, DRAWS, draws);
    if (gb_dist_ok(other) && !two_log_probs(&f, c, d, other))
        return false;
    return gb_rule_of_numbers(rule, &f, d, DRAWS, draws);
}
