/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the rule of integration for a distribution. */
#include "kit/distributions/rule/rule_impl.h"

#include <math.h>
#include <stdlib.h>

#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/counts_impl.h"
#include "kit/distributions/rule/numbers_impl.h"
#include "kit/distributions/rule/vectors_impl.h"
#include "kit/shell/values_impl.h"

gb_rule gb_rule_of_draws(gb_dist_case *c, size_t direction, size_t count, const double *draws)
{
    gb_rule rule = {.size = c->size, .direction = direction, .width = 1};
    double *const along = gb_tape_keep(c->tape, count * sizeof *along);
    if (!along)
        return rule;
    for (size_t i = 0; i < count; i++)
        along[i] = gb_case_project(c, &rule, draws + i * c->size);
    qsort(along, count, sizeof *along, gb_kit_ascending);
    rule.centre = along[count / 2];
    const double quartiles = along[count - count / 4] - along[count / 4];
    /* used if half of the draws are equal */
    const double others = along[count - 1 - count / 20] - along[count / 20];
    const double single = fmax(1e-3, fabs(rule.centre));
    rule.width = quartiles > 0 ? quartiles / 1.35 : others > 0 ? others / 3 : single;
    return rule;
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

/* A wrapper without a transform has values of what it wraps. */
static bool has_whole_numbers(const gb_dist *d)
{
    while (d->base && !d->transform)
        d = d->base;
    return d->type->support && d->type->support->whole;
}

bool gb_rule_make(gb_rule *rule, gb_dist_case *c, gb_dist d)
{
    return gb_rule_make_for(rule, c, d, (gb_dist){0});
}

bool gb_rule_make_for(gb_rule *rule, gb_dist_case *c, gb_dist d, gb_dist other)
{
    enum { DRAWS = 4096 };
    gb_rule of_base;
    gb_case_function f;
    char name[48];
    snprintf(name, sizeof name, "kit places %zu", gb_tape_length(c->tape));
    double *const draws = gb_case_draws(c, gb_sample(d, gb_stream(c->tape, name), GB_SAMPLES), DRAWS);
    if (!draws)
        return false;
    *rule = gb_rule_of_draws(c, 0, DRAWS, draws);
    if (gb_error(c->tape) != GB_OK || !gb_case_log_prob(&f, c, d))
        return false;
    if (gb_dist_can(d, GB_CAN_ENUMERATE))
        return gb_rule_of_list(rule, &f, d);
    if (gb_dist_event_shape(d).rank > 0)
        return is_vector_of_reals(d) && gb_rule_of_vectors(rule, &f, d, DRAWS, draws);
    qsort(draws, DRAWS, sizeof *draws, gb_kit_ascending);
    if (gb_dist_discrete(d) && d.base && d.transform)
        return gb_rule_make(&of_base, c, *d.base) && gb_rule_of_image(rule, &f, d, &of_base);
    if (gb_dist_discrete(d) && !has_whole_numbers(&d))
        return gb_rule_of_places(rule, &f, DRAWS, draws);
    if (gb_dist_discrete(d))
        return gb_rule_of_counts(rule, &f, d, DRAWS, draws);
    if (gb_dist_ok(other) && !two_log_probs(&f, c, d, other))
        return false;
    return gb_rule_of_numbers(rule, &f, d, DRAWS, draws);
}
