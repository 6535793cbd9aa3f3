/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families, optimisers, schedules and bounds; their names may have options. */
#include "cli/kinds/kind.h"
#include "cli/kinds/options.h"
#include "cli/shell/say.h"
#include "kit/check_bound.h"
#include "kit/check_family.h"
#include "kit/check_optimiser.h"
#include "kit/check_schedule.h"

/* ---- families ---- */

static const char *const family_examples[][2] = {{"dropout", "dropout:location=0.6:keep=0.7"},
                                                 {"ensemble", "ensemble:members=1"},
                                                 {"planar", "planar:layers=2"},
                                                 {"coupling", "coupling:layers=2:hidden=2"},
                                                 {"spline", "spline:layers=2:hidden=1:bins=2"},
                                                 {"autoregressive", "autoregressive:layers=2:hidden=2"},
                                                 {NULL}};
GB_CLI_PLUGINS(gb_family, family_examples)

static void list_whole_family(gb_cli_listing *l, size_t i)
{
    const gb_family_type *const type = (const void *)gb_kind_at(&gb_family_kind, i);
    list_gb_family(l, i);
    gb_cli_flag(l, "point", type->point != NULL, "a point: no density");
    gb_cli_flag(l, "any_support", type->any_support, "takes a support that no transform reaches");
}

static const char *family_is_beyond(const char *name)
{
    const gb_family_type *const type = gb_family_find(name);
    return type == &gb_given_family_type       ? "it is whatever gb_posterior_of is given"
           : type == &gb_amortised_family_type ? "its network is a function of yours"
                                               : NULL;
}

static bool check_family(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_family family;
    return parse_gb_family(name, &family) && gb_check_family(family, .report = report, .seed = how->seed);
}

const gb_cli_kind gb_cli_families_kind = {
    .name = "families",
    .one = "posterior family",
    .of = &gb_family_kind,
    .list = list_whole_family,
    .knows = is_gb_family,
    .example = example_gb_family,
    .beyond = family_is_beyond,
    .check = check_family,
};

/* ---- optimisers; variables of the kit have no metric ---- */

static const char *const optimiser_examples[][2] = {{"natural", "natural:others=1"}, {NULL}};
GB_CLI_PLUGINS(gb_optimiser, optimiser_examples)

static void list_whole_optimiser(gb_cli_listing *l, size_t i)
{
    list_gb_optimiser(l, i);
    const gb_optimiser_type *const type = (const void *)gb_kind_at(&gb_optimiser_kind, i);
    gb_cli_flag(l, "joint", type->joint, "moves all variables together");
}

static bool check_optimiser(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_optimiser optimiser;
    (void)how;
    return parse_gb_optimiser(name, &optimiser) && gb_check_optimiser(optimiser, .report = report);
}

const gb_cli_kind gb_cli_optimisers_kind = {
    .name = "optimisers",
    .one = "optimiser",
    .of = &gb_optimiser_kind,
    .list = list_whole_optimiser,
    .knows = is_gb_optimiser,
    .example = example_gb_optimiser,
    .check = check_optimiser,
};

/* ---- schedules ---- */

static const char *const schedule_examples[][2] = {{"step_decay", "step_decay:100:0.5"},
                                                   {"cosine", "cosine:100"},
                                                   {"robbins_monro", "robbins_monro:1:0.7"},
                                                   {"cyclical", "cyclical:100"},
                                                   {"warm_up", "warm_up:100"},
                                                   {NULL}};
GB_CLI_PLUGINS(gb_schedule, schedule_examples)

static bool check_schedule(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_schedule schedule;
    (void)how;
    return parse_gb_schedule(name, &schedule) && gb_check_schedule(schedule, .report = report);
}

const gb_cli_kind gb_cli_schedules_kind = {
    .name = "schedules",
    .one = "schedule",
    .of = &gb_schedule_kind,
    .list = list_gb_schedule,
    .knows = is_gb_schedule,
    .example = example_gb_schedule,
    .check = check_schedule,
};

/* ---- bounds ---- */

static const char *const bound_examples[][2] = {{NULL}};
GB_CLI_PLUGINS(gb_bound, bound_examples)

static void list_whole_bound(gb_cli_listing *l, size_t i)
{
    list_gb_bound(l, i);
    const gb_bound_type *const type = (const void *)gb_kind_at(&gb_bound_kind, i);
    gb_cli_flag(l, "several_draws", GB_HAS(type, particles), "takes several draws for each sample");
    gb_cli_field(l, "caution", GB_HAS(type, caution) ? type->caution : NULL);
}

static bool check_bound(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_bound bound;
    return parse_gb_bound(name, &bound) && gb_check_bound(bound, .report = report, .seed = how->seed);
}

const gb_cli_kind gb_cli_bounds_kind = {
    .name = "bounds",
    .one = "bound",
    .of = &gb_bound_kind,
    .list = list_whole_bound,
    .knows = is_gb_bound,
    .example = example_gb_bound,
    .check = check_bound,
};
