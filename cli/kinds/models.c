/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families, optimisers, schedules and bounds, which are checked with the options that they have of themselves. */
#include <math.h>
#include <string.h>

#include "cli/kinds/kind.h"
#include "kit/check_bound.h"
#include "kit/check_family.h"
#include "kit/check_optimiser.h"
#include "kit/check_schedule.h"

/* ---- families ---- */

GB_CLI_NAMES_OF(families, gb_families)

static void list_family(gb_cli_listing *l, size_t i)
{
    const gb_family_type *const type = gb_families(NULL)[i];
    gb_cli_field(l, "formula", type->formula);
    gb_cli_flag(l, "point", type->point != NULL, "a point: no density");
    gb_cli_flag(l, "any_support", type->any_support, "takes a support that no transform reaches");
}

static const char *family_is_beyond(const char *name)
{
    return gb_family_find(name) == &gb_given_family_type ? "it is whatever gb_posterior_of is given" : NULL;
}

static bool check_family(const char *name, const gb_cli_checking *how, gb_report *report)
{
    const gb_family_type *const type = gb_family_find(name);
    const gb_family family = type == &gb_dropout_family_type
                                 ? gb_dropout_posterior(gb_shape(), .location = 0.6, .keep = 0.7)
                                 : gb_family_of(type, gb_shape(), NULL, 0);
    return gb_check_family(family, .report = report, .seed = how->seed);
}

const gb_cli_kind gb_cli_families_kind = {
    .name = "families",
    .one = "posterior family",
    .count = count_families,
    .row = name_of_families,
    .list = list_family,
    .beyond = family_is_beyond,
    .check = check_family,
};

/* ---- optimisers ---- */

GB_CLI_NAMES_OF(optimisers, gb_optimisers)

static void list_number(gb_cli_listing *l, const char *name, double fallback, const gb_domain *domain)
{
    char text[160];
    gb_cli_row_begin(l, name);
    snprintf(text, sizeof text, "%s (%g)", domain->must_be, fallback);
    gb_cli_field(l, "domain", l->json ? domain->must_be : text);
    gb_cli_number_field(l, "default", fallback);
    gb_cli_row_end(l);
}

static void list_optimiser(gb_cli_listing *l, size_t i)
{
    const gb_optimiser_type *const type = gb_optimisers(NULL)[i];
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "cite", type->cite);
    gb_cli_flag(l, "joint", type->joint, "moves all variables together");
    gb_cli_rows_begin(l, "options");
    list_number(l, "lr", type->lr, GB_POSITIVE);
    for (const gb_optimiser_option *o = type->options; o && o->name; o++)
        list_number(l, o->name, o->fallback, o->domain);
    gb_cli_rows_end(l);
}

/* The kit's variables have no metric. */
static bool check_optimiser(const char *name, const gb_cli_checking *how, gb_report *report)
{
    const gb_optimiser_type *const type = gb_optimiser_find(name);
    (void)how;
    return gb_check_optimiser(type == &gb_natural_type ? gb_natural(.others = 1)
                                                       : gb_optimiser_of(type, NULL),
                              .report = report);
}

const gb_cli_kind gb_cli_optimisers_kind = {
    .name = "optimisers",
    .one = "optimiser",
    .count = count_optimisers,
    .row = name_of_optimisers,
    .list = list_optimiser,
    .check = check_optimiser,
};

/* ---- schedules, with numbers that make some sense ---- */

static gb_schedule schedule_of(size_t i)
{
    const gb_schedule all[] = {gb_step_decay(100, 0.5), gb_cosine(100), gb_robbins_monro(1, 0.7),
                               gb_cyclical(100)};
    return i < sizeof all / sizeof *all ? all[i] : (gb_schedule){0};
}

static size_t count_schedules(void)
{
    size_t count = 0;
    while (schedule_of(count).type)
        count++;
    return count;
}

static const char *name_of_schedules(size_t i)
{
    return schedule_of(i).type->name;
}

static void list_schedule(gb_cli_listing *l, size_t i)
{
    const gb_schedule_type *const type = schedule_of(i).type;
    if (!type)
        return;
    gb_cli_field(l, "formula", type->formula);
    gb_cli_rows_begin(l, "numbers");
    for (size_t k = 0; k < GB_SCHEDULE_NUMBERS && type->number[k].name; k++) {
        gb_cli_row_begin(l, type->number[k].name);
        gb_cli_field(l, "domain", type->number[k].domain->must_be);
        gb_cli_row_end(l);
    }
    gb_cli_rows_end(l);
}

static bool check_schedule(const char *name, const gb_cli_checking *how, gb_report *report)
{
    size_t i = 0;
    (void)how;
    while (i + 1 < count_schedules() && strcmp(name_of_schedules(i), name) != 0)
        i++;
    return gb_check_schedule(schedule_of(i), .report = report);
}

const gb_cli_kind gb_cli_schedules_kind = {
    .name = "schedules",
    .one = "schedule",
    .count = count_schedules,
    .row = name_of_schedules,
    .list = list_schedule,
    .check = check_schedule,
};

/* ---- bounds ---- */

GB_CLI_NAMES_OF(bounds, gb_bounds)

static void list_bound(gb_cli_listing *l, size_t i)
{
    const gb_bound_type *const type = gb_bounds(NULL)[i];
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "cite", type->cite);
    gb_cli_flag(l, "needs_weights", type->needs_weights, "takes all KL from the draws");
}

static bool check_bound(const char *name, const gb_cli_checking *how, gb_report *report)
{
    return gb_check_bound(gb_bound_find(name), .report = report, .seed = how->seed);
}

const gb_cli_kind gb_cli_bounds_kind = {
    .name = "bounds",
    .one = "bound",
    .count = count_bounds,
    .row = name_of_bounds,
    .list = list_bound,
    .check = check_bound,
};
