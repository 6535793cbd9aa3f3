/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ready models, and priors of coefficients. */
#include "ready/models.h"

#include "cli/kinds/kind.h"
#include "cli/kinds/options.h"
#include "cli/shell/say.h"
#include "kit/check_model.h"

/* ---- models ---- */

static const char *const model_examples[][2] = {{NULL}};
GB_CLI_PLUGINS(gb_model, model_examples)

static void list_whole_model(gb_cli_listing *l, size_t i)
{
    const gb_model_type *const type = (const void *)gb_kind_at(&gb_model_kind, i);
    list_gb_model(l, i);
    gb_cli_field(l, "outcome", type->outcome ? type->outcome->must_be : "none: it is one of columns");
    gb_cli_flag(l, "takes_trials", type->takes_trials, "trials");
    gb_cli_flag(l, "takes_offset", type->takes_offset, "offset");
    gb_cli_flag(l, "takes_group", type->takes_group, "group");
    gb_cli_flag(l, "takes_error", type->takes_error, "error");
}

static bool check_model(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_model model;
    (void)how;
    return parse_gb_model(name, &model) && gb_check_model(model, .report = report);
}

const gb_cli_kind gb_cli_models_kind = {
    .name = "models",
    .one = "model",
    .of = &gb_model_kind,
    .list = list_whole_model,
    .knows = is_gb_model,
    .example = example_gb_model,
    .check = check_model,
};

/* ---- priors of coefficients ---- */

static void list_shrinkage(gb_cli_listing *l, size_t i)
{
    gb_cli_plugin(l, gb_kind_at(&gb_shrinkage_kind, i));
}

const gb_cli_kind gb_cli_shrinkages_kind = {
    .name = "shrinkages", .one = "prior of coefficients", .of = &gb_shrinkage_kind, .list = list_shrinkage};
