/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "models/family.h"

#define GB_FAMILY_ADDRESS(name) &gb_##name##_family_type,
static const gb_family_type *const gb_family_types[] = {GB_FAMILY_LIST(GB_FAMILY_ADDRESS)};
static const char *const gb_family_words[][2] = {{"mean_field_matching", "matching"},
                                                 {"dropout_posterior", "dropout"},
                                                 {"mixture_posterior", "mixture"},
                                                 {"posterior_of", "given"},
                                                 {NULL}};

static const char *gb_family_missing(const gb_plugin *plugin)
{
    const gb_family_type *const type = (const void *)plugin;
    return !type->posterior == !type->point ? "one of posterior and point" : NULL;
}

GB_DEFINE_KIND_LIST(gb_family, gb_families, "posterior family", true, gb_family_missing)

/* ---- calls of a member ---- */

gb_dist gb_family_posterior(gb_family family, const gb_slot *slot)
{
    gb_option_block block;
    const void *const options = gb_options_use(slot->tape, "latent", slot->name, &gb_family_kind, family.type,
                                               &family.options, &block);
    return options ? family.type->posterior(slot, options) : (gb_dist){0};
}

gb_node gb_family_point(gb_family family, const gb_slot *slot)
{
    gb_option_block block;
    const void *const options = gb_options_use(slot->tape, "latent", slot->name, &gb_family_kind, family.type,
                                               &family.options, &block);
    return options ? family.type->point(slot, options) : (gb_node){0};
}

bool gb_family_starts(gb_family family, const gb_slot *slot, gb_family_start *start)
{
    gb_option_block block;
    if (!family.type || !GB_HAS(family.type, start))
        return false;
    const void *const options = gb_options_use(slot->tape, "latent", slot->name, &gb_family_kind, family.type,
                                               &family.options, &block);
    return options && family.type->start(slot, options, start);
}

gb_node gb_family_member(gb_family family, const gb_slot *slot, gb_node u)
{
    gb_option_block block;
    if (!family.type || !GB_HAS(family.type, member)) {
        gb_fail(slot->tape, GB_EARGUMENT, "latent %s: its family has no members to choose from", slot->name);
        return (gb_node){0};
    }
    const void *const options = gb_options_use(slot->tape, "latent", slot->name, &gb_family_kind, family.type,
                                               &family.options, &block);
    return options ? family.type->member(slot, options, u) : (gb_node){0};
}

/* ---- text: that of the options, after a word for the field that is not one of them ---- */

static const char rows[] = "row_by_row:";

bool gb_family_parse(const char *text, gb_family *value, char *error, size_t bytes)
{
    const bool by_row = text && strncmp(text, rows, strlen(rows)) == 0;
    const gb_plugin *type;
    *value = (gb_family){.row_by_row = by_row};
    const bool is_read = gb_plugin_parse(&gb_family_kind, by_row ? text + strlen(rows) : text, &type,
                                         &value->options, error, bytes);
    value->type = (const void *)type;
    return is_read;
}

size_t gb_family_text(gb_family value, char *text, size_t bytes)
{
    const size_t before = value.row_by_row ? strlen(rows) : 0, place = before < bytes ? before : bytes;
    if (before > 0 && bytes > 0)
        snprintf(text, bytes, "%s", rows);
    return before + gb_plugin_text(value.type, &value.options, text + place, bytes - place);
}
