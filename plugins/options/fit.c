/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a plug-in and its options can be used: checked before each use, since a value may come from any
 * program. */
#include <math.h>
#include <string.h>

#include "plugins/options/pack_impl.h"

/* ---- the type ---- */

static const char *row_fault(const gb_plugin *type, const gb_option *option)
{
    if (option->offset + gb_option_bytes(option) > type->option_bytes)
        return "lies outside its options struct: .option_bytes must be sizeof(it)";
    if (option->form == GB_OPTION_IS_CHOICE && (!option->choices || !option->choices[0]))
        return "has no choices";
    if (option->form == GB_OPTION_IS_PLUGIN && !option->kind)
        return "has no kind";
    return NULL;
}

static bool table_fits(const gb_plugin *type, char *fault, size_t bytes)
{
    if (!type->options)
        return true;
    if (type->option_bytes < sizeof(size_t) || type->option_bytes > GB_OPTION_BLOCK_BYTES) {
        snprintf(fault, bytes, "%s: .option_bytes is %zu, and must be sizeof(its options struct), at most %d",
                 type->name, type->option_bytes, GB_OPTION_BLOCK_BYTES);
        return false;
    }
    for (size_t i = 0; type->options[i].name; i++) {
        const char *const why =
            i < GB_MOST_OPTIONS ? row_fault(type, &type->options[i]) : "is one row too many";
        if (why) {
            snprintf(fault, bytes, "%s: option %s %s", type->name, type->options[i].name, why);
            return false;
        }
    }
    return true;
}

bool gb_plugin_fits(const gb_kind *kind, const void *type, char *fault, size_t bytes)
{
    const gb_plugin *const plugin = type;
    if (!type)
        snprintf(fault, bytes, "no %s was given: the type is NULL", kind->name);
    else if (!plugin->name || !*plugin->name)
        snprintf(fault, bytes, "a type of a %s has no name", kind->name);
    else if (kind->type_bytes && plugin->size != kind->type_bytes)
        snprintf(fault, bytes,
                 "%s: its type struct has the size %zu, and must have %zu: set .size = sizeof(it)",
                 plugin->name, plugin->size, kind->type_bytes);
    else if (kind->missing && kind->missing(type))
        snprintf(fault, bytes, "%s: its type struct lacks %s", plugin->name, kind->missing(type));
    else
        return kind->no_options || table_fits(plugin, fault, bytes);
    return false;
}

/* ---- the options ---- */

static bool number_fits(const gb_option *option, double value, const char *name, char *fault, size_t bytes)
{
    if (!option->domain || gb_domain_holds(option->domain, value))
        return true;
    snprintf(fault, bytes, "%s: %s is %g, and must be %s", name, option->name, value,
             option->domain->must_be);
    return false;
}

/* Whole numbers up to 2^53 are the same as text and as a double. */
static bool whole_fits(const gb_option *option, int64_t value, const char *name, char *fault, size_t bytes)
{
    const int64_t most = INT64_C(1) << 53;
    if (value >= -most && value <= most)
        return true;
    snprintf(fault, bytes, "%s: %s is %lld, and must be at most 2^53", name, option->name, (long long)value);
    return false;
}

static bool choice_fits(const gb_option *option, int value, const char *name, char *fault, size_t bytes)
{
    int count = 0;
    while (option->choices[count])
        count++;
    if (value >= 0 && value < count)
        return true;
    snprintf(fault, bytes, "%s: %s has no choice number %d", name, option->name, value);
    return false;
}

/* The message for a nested plug-in begins with the names of both plug-ins. */
static bool nested_fits(const gb_option *option, gb_plugin_value value, const char *name, char *fault,
                        size_t bytes)
{
    char inner[256];
    if (!value.type || (gb_plugin_fits(option->kind, value.type, inner, sizeof inner) &&
                        gb_options_fit(value.type, &value.options, inner, sizeof inner)))
        return true;
    snprintf(fault, bytes, "%s: %s %s", name, option->name, inner);
    return false;
}

bool gb_option_fits(const gb_option *option, const unsigned char *field, const char *name, char *fault,
                    size_t bytes)
{
    double number;
    int64_t whole;
    int choice;
    switch (option->form) {
    case GB_OPTION_IS_NUMBER:
        memcpy(&number, field, sizeof number);
        return number_fits(option, number, name, fault, bytes);
    case GB_OPTION_IS_WHOLE:
        memcpy(&whole, field, sizeof whole);
        return whole_fits(option, whole, name, fault, bytes) &&
               number_fits(option, (double)whole, name, fault, bytes);
    case GB_OPTION_IS_CHOICE:
        memcpy(&choice, field, sizeof choice);
        return choice_fits(option, choice, name, fault, bytes);
    case GB_OPTION_IS_PLUGIN: return nested_fits(option, gb_plugin_value_at(field), name, fault, bytes);
    case GB_OPTION_IS_NODE:
    case GB_OPTION_IS_FLAG:
    case GB_OPTION_IS_OTHER: break;
    }
    return true;
}

bool gb_options_fit(const void *type, const gb_packed *packed, char *fault, size_t bytes)
{
    gb_option_block block;
    const gb_plugin *const plugin = type;
    if (!type)
        snprintf(fault, bytes, "no plug-in was given: the type is NULL");
    else if (packed->used == GB_PACK_DOES_NOT_FIT)
        snprintf(fault, bytes,
                 "%s: its options and those of plug-ins in it take more than %d bytes; leave some out",
                 plugin->name, GB_PACKED_BYTES);
    else if (packed->used > GB_PACKED_BYTES)
        snprintf(fault, bytes, "%s: its options struct, or that of a plug-in in it, %s", plugin->name,
                 gb_options_fault_words((gb_options_fault)(packed->used - GB_PACK_FAULT)));
    if (!type || packed->used > GB_PACKED_BYTES || !table_fits(plugin, fault, bytes))
        return false;
    gb_options_unpack(type, packed, &block);
    for (const gb_option *o = gb_options_of_type(type); o->name; o++)
        if (!gb_option_fits(o, block.bytes + o->offset, plugin->name, fault, bytes))
            return false;
    return true;
}

const void *gb_options_use(gb_tape *tape, const char *what, const char *name, const gb_kind *kind,
                           const void *type, const gb_packed *packed, gb_option_block *block)
{
    char fault[256];
    if (gb_plugin_fits(kind, type, fault, sizeof fault) && gb_options_fit(type, packed, fault, sizeof fault))
        return gb_options_unpack(type, packed, block);
    gb_fail(tape, GB_EARGUMENT, "%s%s%s: %s", what, name ? " " : "", name ? name : "", fault);
    return NULL;
}

void gb_plugin_visit(const gb_kind *kind, const void *type, const gb_packed *packed,
                     void (*visit)(void *user, const gb_kind *kind, const gb_plugin *type), void *user)
{
    gb_option_block block;
    char fault[8];
    if (!type || !gb_plugin_fits(kind, type, fault, sizeof fault) ||
        !gb_options_fit(type, packed, fault, sizeof fault))
        return;
    visit(user, kind, type);
    gb_options_unpack(type, packed, &block);
    for (const gb_option *o = gb_options_of_type(type); o->name; o++) {
        if (o->form != GB_OPTION_IS_PLUGIN)
            continue;
        const gb_plugin_value value = gb_plugin_value_at(block.bytes + o->offset);
        gb_plugin_visit(o->kind, value.type, &value.options, visit, user);
    }
}
