/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options of a plug-in. */
#include <math.h>
#include <string.h>

#include "kit/shell/verdicts_impl.h"

static bool is_number(const gb_option *o)
{
    return o->form == GB_OPTION_IS_NUMBER || o->form == GB_OPTION_IS_WHOLE;
}

static bool has_domain(const gb_option *o)
{
    return o->domain && o->domain->must_be && *o->domain->must_be;
}

/* How many options of the table have this name. */
static size_t named(const gb_option *table, const char *name)
{
    size_t count = 0;
    for (const gb_option *o = table; o->name; o++)
        count += strcmp(o->name, name) == 0;
    return count;
}

/* The grammar of texts takes such names only. */
static bool is_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(name);
}

/* Whether 8 bytes of the options struct belong to no option: a row is missing. */
static bool has_gap(const gb_plugin *type)
{
    for (size_t at = sizeof(size_t); at + 8 <= type->option_bytes; at += 8) {
        bool is_covered = false;
        for (const gb_option *o = type->options; o->name; o++)
            is_covered |= o->offset < at + 8 && o->offset + gb_option_bytes(o) > at;
        if (!is_covered)
            return true;
    }
    return false;
}

static const char *option_fault(const gb_plugin *type, const gb_option *o)
{
    const bool needs_default = is_number(o) && !o->is_argument;
    if (!is_name(o->name) || named(type->options, o->name) > 1)
        return "two of its options have the same name, or one has a name that is not of a-z, 0-9 and _";
    if ((int)o->form < 0 || o->form > GB_OPTION_IS_OTHER)
        return "one of its options has no form";
    if (!o->words || !*o->words)
        return "one of its options has no description";
    if (o->offset < sizeof(size_t) || o->offset + gb_option_bytes(o) > type->option_bytes)
        return "one of its options lies outside its struct of options, or overlaps the size at its start";
    if (is_number(o) && !has_domain(o))
        return "one of its numbers has no domain";
    if (needs_default && !gb_domain_holds(o->domain, o->fallback) && o->fallback != 0)
        return "the default of one of its numbers is outside its domain";
    if (o->form == GB_OPTION_IS_CHOICE && (!o->choices || !o->choices[0]))
        return "one of its choices has nothing to choose from";
    if (o->form == GB_OPTION_IS_PLUGIN && !o->kind)
        return "one of its options is a plug-in of no kind";
    return NULL;
}

const char *gb_kit_table_fault(const void *type)
{
    const gb_plugin *const plugin = type;
    if (plugin->name && !is_name(plugin->name))
        return "its name is not of a-z, 0-9 and _";
    if (!GB_HAS(plugin, options))
        return NULL;
    if (plugin->option_bytes < sizeof(size_t) || plugin->option_bytes > GB_OPTION_BLOCK_BYTES)
        return "its option_bytes are not the size of a struct of options";
    for (const gb_option *o = plugin->options; o->name; o++)
        if (option_fault(plugin, o))
            return option_fault(plugin, o);
    return has_gap(plugin) ? "a field of its options struct has no row in the table" : NULL;
}

void gb_kit_wrong_numbers(const void *type, const gb_packed *options, gb_kit_wrong_number *rejected,
                          void *context)
{
    static const double values[] = {-INFINITY, -1e3, -1, -0.5, 0,   1e-3, 0.3,      0.5,
                                    0.75,      1,    2,  7.3,  1e3, 1e9,  INFINITY, (double)NAN};
    const gb_plugin *const plugin = type;
    for (const gb_option *o = GB_HAS(plugin, options) ? plugin->options : NULL; o && o->name; o++)
        for (size_t i = 0; i < sizeof values / sizeof *values && o->form == GB_OPTION_IS_NUMBER; i++) {
            gb_option_block block;
            const double value = values[i] == 0 ? o->fallback : values[i];
            if (gb_domain_holds(o->domain, value))
                continue;
            gb_options_unpack(type, options, &block);
            memcpy(block.bytes + o->offset, &value, sizeof value);
            const gb_packed wrong = gb_options_pack(type, &block);
            if (!rejected(context, &wrong, o->name, value))
                return;
        }
}
