/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks. */
#include "kit/check_distribution.h"

#include "kit/distributions/checks_impl.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_DIST_STATEMENTS);

/* What the library cannot know of a struct, or cannot do without. */
static const char *fault_of(const gb_dist_type *type, bool has_make)
{
    const char *const fault = gb_dist_type_fault(type);
    if (fault || !type)
        return fault;
    if (type->wraps)
        return has_make ? NULL : "it wraps another distribution: give instances of it by .make";
    const bool may_move = GB_HAS(type, ends) || GB_HAS(type, atoms) || type->support->event_rank > 0;
    if (type->moving_support && !may_move)
        return ".moving_support is set, but no slot says where the support ends: set .ends, or leave it out";
    const bool is_listed = type->support->whole || GB_HAS(type, atoms) || GB_HAS(type, enumerate);
    if (type->support->whole && !type->discrete)
        return "its support has whole numbers alone, so it has probabilities: set .discrete";
    return type->discrete && !is_listed
               ? ".discrete is set, but its support is not of whole numbers, and no slot lists its values"
               : NULL;
}

static void check_instance(gb_dist_check *check, gb_case_number which)
{
    gb_dist_case_judge(check, which, gb_dist_check_axes);
    gb_dist_case_judge(check, which, gb_dist_check_law);
    gb_dist_check_gradients(check, which);
    gb_dist_case_judge(check, which, gb_dist_check_edges);
    gb_dist_case_judge(check, which, gb_dist_check_draws);
    gb_dist_case_judge(check, which, gb_dist_check_apart);
    gb_dist_case_judge(check, which, gb_dist_check_extremes);
    gb_dist_case_judge(check, which, gb_dist_check_score);
    gb_dist_case_judge(check, which, gb_dist_check_pathwise);
    gb_dist_case_judge(check, which, gb_dist_check_reach);
    gb_dist_case_judge(check, which, gb_dist_check_relaxed);
    gb_dist_case_judge(check, which, gb_dist_check_enumerate);
    gb_dist_case_judge(check, which, gb_dist_check_measures);
    gb_dist_check_kl(check, which);
}

/* Instances at parameters near the ends of their domains. */
static void check_extremes(gb_dist_check *check, bool alternative)
{
    gb_case_number which = {.alternative = alternative, .extreme = true};
    const size_t count = check->points ? 0 : gb_dist_grid_count(&check->grid, which, 2 * check->cases);
    for (; which.number < count; which.number++)
        gb_dist_case_judge(check, which, gb_dist_check_extremes);
}

static void check_form(gb_dist_check *check, bool alternative)
{
    const size_t count = gb_dist_case_count(check, alternative);
    gb_kit_label(&check->kit, "the grid of parameters");
    gb_kit_verdict(&check->kit, GB_ON_CASES, count > 0,
                   "not checked: its domains give no parameters; use .make");
    for (size_t i = 0; i < count; i++)
        check_instance(check, (gb_case_number){.number = i, .alternative = alternative});
    if (count > 0 && !check->make) {
        gb_dist_check_batch(check, alternative);
        gb_dist_check_rejections(check, alternative);
        check_extremes(check, alternative);
    }
}

bool gb_check_dist_with(const gb_dist_type *type, const gb_check_dist_options *options)
{
    gb_check_dist_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    enum { DRAWS = 100000, CASES = 5, LEAST_DRAWS = 6400 };
    const bool named = type && type->size == sizeof *type && type->name;
    const size_t draws = own.draws ? own.draws : DRAWS;
    gb_dist_check check = {.kit = {.subject = named ? type->name : "a distribution",
                                   .report = own.report,
                                   .seed = own.seed,
                                   .memory = own.memory,
                                   .statements = statements},
                           .grid = {.type = type, .memory = own.memory},
                           .draws = draws < LEAST_DRAWS ? LEAST_DRAWS : draws,
                           .cases = own.cases ? own.cases : CASES,
                           .make = own.make,
                           .user = own.user,
                           .points = own.points,
                           .count = own.make ? own.count : own.point_count};
    if (!gb_kit_admit(&check.kit, GB_ON_FORM, fault_of(type, own.make != NULL)) || !type)
        return false;
    check_form(&check, false);
    if (type->alternative[0].name && !own.make)
        check_form(&check, true);
    if (own.references)
        gb_dist_check_references(&check, own.references, own.find);
    gb_kit_label(&check.kit, "the grid of parameters");
    if (check.grid.starved)
        gb_kit_verdict(&check.kit, GB_ON_RECORDED, false, "out of memory");
    return gb_kit_conclude(&check.kit);
}
