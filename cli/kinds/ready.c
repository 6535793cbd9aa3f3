/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ready models, and priors of coefficients. */
#include "ready/models.h"

#include "cli/kinds/kind.h"
#include "cli/kinds/options.h"

/* ---- models ---- */

GB_CLI_NAMES_OF(models, gb_models)

static void list_model(gb_cli_listing *l, size_t i)
{
    const gb_model_type *const type = gb_models(NULL)[i];
    gb_cli_plugin(l, type);
    gb_cli_field(l, "outcome", type->outcome ? type->outcome->must_be : "");
    gb_cli_flag(l, "takes_trials", type->takes_trials, "trials");
    gb_cli_flag(l, "takes_offset", type->takes_offset, "offset");
    gb_cli_flag(l, "takes_group", type->takes_group, "group");
    gb_cli_flag(l, "takes_error", type->takes_error, "error");
}

const gb_cli_kind gb_cli_models_kind = {
    .name = "models", .one = "model", .count = count_models, .row = name_of_models, .list = list_model};

/* ---- priors of coefficients ---- */

GB_CLI_NAMES_OF(shrinkages, gb_shrinkages)

static void list_shrinkage(gb_cli_listing *l, size_t i)
{
    gb_cli_plugin(l, gb_shrinkages(NULL)[i]);
}

const gb_cli_kind gb_cli_shrinkages_kind = {.name = "shrinkages",
                                            .one = "prior of coefficients",
                                            .count = count_shrinkages,
                                            .row = name_of_shrinkages,
                                            .list = list_shrinkage};
