/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/models.h"

#define GB_MODEL_ADDRESS(name) &gb_##name##_model_type,
static const gb_model_type *const gb_model_types[] = {GB_MODEL_LIST(GB_MODEL_ADDRESS)};
static const char *const gb_model_words[][2] = {{"normal", "linear"}, {"binomial", "logistic"}, {NULL}};

static const char *gb_model_missing(const gb_plugin *plugin)
{
    const gb_model_type *const type = (const void *)plugin;
    return type->build ? NULL : "build";
}

GB_DEFINE_KIND(gb_model, gb_models, "model")
