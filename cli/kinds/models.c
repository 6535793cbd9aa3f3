/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families and optimisers, which are checked with the options that they have of themselves. */
#include <math.h>

#include "cli/kinds/kind.h"
#include "kit/check_family.h"
#include "kit/check_optimiser.h"

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
                                                       : gb_optimiser_of(type, NULL, 0),
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
