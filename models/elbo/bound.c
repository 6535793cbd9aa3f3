/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/bound.h"

gb_bound gb_bound_of(const gb_bound_type *type, const void *options)
{
    return (gb_bound){.type = type, .options = gb_options_pack(type, options)};
}

gb_node gb_bound_value(gb_bound bound, gb_expect *expect, gb_node log_weight)
{
    gb_option_block block;
    if (!bound.type)
        bound = gb_evidence_bound();
    const void *const options =
        gb_options_use(log_weight.tape, "bound", NULL, &gb_bound_kind, bound.type, &bound.options, &block);
    return options ? bound.type->value(expect, options, log_weight) : (gb_node){0};
}

static gb_node evidence(gb_expect *expect, const void *options, gb_node log_weight)
{
    (void)options;
    return gb_expected(expect, log_weight);
}

const gb_bound_type gb_evidence_bound_type = {
    .size = sizeof(gb_bound_type),
    .name = "elbo",
    .cite = "Jordan, Ghahramani, Jaakkola and Saul 1999",
    .formula = "E log p(data, w) - log q(w)",
    .value = evidence,
};

gb_bound gb_evidence_bound(void)
{
    return gb_bound_of(&gb_evidence_bound_type, NULL);
}

static const gb_bound_type *const gb_bound_types[] = {&gb_evidence_bound_type};
static const char *const gb_bound_words[][2] = {{"evidence_bound", "elbo"}, {NULL}};
static const char *gb_bound_missing(const gb_plugin *plugin)
{
    const gb_bound_type *const type = (const void *)plugin;
    return type->value ? NULL : "value";
}

GB_DEFINE_KIND(gb_bound, gb_bounds, "bound")
