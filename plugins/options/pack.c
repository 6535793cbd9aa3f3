/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value stores one record for each option that is not 0: the index of the option in its table, then its
 * bytes. Tables only grow at the end, so values from programs compiled against an older header keep their
 * meaning. */
#include <string.h>

#include "plugins/options/pack_impl.h"

_Static_assert(sizeof(gb_plugin_value) == GB_PLUGIN_BYTES, "values of plug-ins have one size");

const gb_option *gb_options_of_type(const void *type)
{
    static const gb_option none[] = {{0}};
    const gb_plugin *const plugin = type;
    return plugin && GB_HAS(plugin, options) && plugin->option_bytes <= GB_OPTION_BLOCK_BYTES
               ? plugin->options
               : none;
}

static size_t bytes_of_type(const void *type)
{
    const gb_plugin *const plugin = type;
    return gb_options_of_type(type)->name ? plugin->option_bytes : sizeof(size_t);
}

size_t gb_option_bytes(const gb_option *option)
{
    switch (option->form) {
    case GB_OPTION_IS_NODE: return sizeof(gb_node);
    case GB_OPTION_IS_NUMBER: return sizeof(double);
    case GB_OPTION_IS_WHOLE: return sizeof(int64_t);
    case GB_OPTION_IS_FLAG: return sizeof(bool);
    case GB_OPTION_IS_CHOICE: return sizeof(int);
    case GB_OPTION_IS_PLUGIN: return sizeof(gb_plugin_value);
    case GB_OPTION_IS_OTHER: break;
    }
    return option->bytes;
}

/* ---- packing ---- */

static bool is_at_default(const gb_option *option, const unsigned char *field)
{
    double number;
    if (option->form == GB_OPTION_IS_NUMBER)
        return memcpy(&number, field, sizeof number), number == 0 || number == option->fallback;
    if (option->form == GB_OPTION_IS_PLUGIN) {
        const gb_plugin_value value = gb_plugin_value_at(field);
        return !value.type || (value.type == option->fallback_type && value.options.used == 0);
    }
    for (size_t i = 0; i < gb_option_bytes(option); i++)
        if (field[i] != 0)
            return false;
    return true;
}

static void put(gb_packed *packed, const void *bytes, size_t count)
{
    if (packed->used > GB_PACKED_BYTES)
        return;
    if (packed->used + count > GB_PACKED_BYTES) {
        packed->used = GB_PACK_DOES_NOT_FIT;
        return;
    }
    memcpy(packed->bytes + packed->used, bytes, count);
    packed->used = (unsigned char)(packed->used + count);
}

static void put_nested(gb_packed *packed, const unsigned char *field)
{
    const gb_plugin_value value = gb_plugin_value_at(field);
    if (value.options.used > GB_PACKED_BYTES) {
        if (packed->used <= GB_PACKED_BYTES)
            packed->used = value.options.used; /* its mark */
        return;
    }
    put(packed, &value.type, sizeof value.type);
    put(packed, &value.options.used, 1);
    put(packed, value.options.bytes, value.options.used);
}

gb_packed gb_options_pack(const void *type, const void *options)
{
    gb_packed packed = {0};
    const gb_option *const table = gb_options_of_type(type);
    const unsigned char *const bytes = options;
    size_t size;
    const gb_options_fault fault = gb_options_look(options, bytes_of_type(type));
    if (fault != GB_OPTIONS_GOOD)
        packed.used = (unsigned char)(GB_PACK_FAULT + fault);
    if (!options || fault != GB_OPTIONS_GOOD)
        return packed;
    memcpy(&size, options, sizeof size);
    for (size_t i = 0; table[i].name; i++) {
        const gb_option *const option = &table[i];
        const unsigned char place = (unsigned char)i;
        if (option->offset + gb_option_bytes(option) > size || is_at_default(option, bytes + option->offset))
            continue;
        put(&packed, &place, 1);
        if (option->form == GB_OPTION_IS_PLUGIN)
            put_nested(&packed, bytes + option->offset);
        else
            put(&packed, bytes + option->offset, gb_option_bytes(option));
    }
    return packed;
}

/* ---- unpacking ---- */

void gb_options_fill(const gb_option *table, unsigned char *options)
{
    for (const gb_option *o = table; o->name; o++) {
        unsigned char *const field = options + o->offset;
        const int64_t whole = (int64_t)o->fallback;
        const gb_plugin_value nested = {.type = o->fallback_type};
        memset(field, 0, gb_option_bytes(o));
        if (o->form == GB_OPTION_IS_NUMBER)
            memcpy(field, &o->fallback, sizeof o->fallback);
        else if (o->form == GB_OPTION_IS_WHOLE)
            memcpy(field, &whole, sizeof whole);
        else if (o->form == GB_OPTION_IS_PLUGIN)
            memcpy(field, &nested, sizeof nested);
    }
}

/* Reads the record at `at` into `field`. Returns the position of the next record; the end, if the record is
 * not whole (a value that no constructor made). */
static size_t take(const gb_packed *packed, size_t at, const gb_option *option, unsigned char *field)
{
    const bool is_nested = option->form == GB_OPTION_IS_PLUGIN;
    const size_t end = packed->used, head = sizeof(gb_plugin *) + 1;
    if (at + (is_nested ? head : gb_option_bytes(option)) > end)
        return end;
    if (!is_nested) {
        memcpy(field, packed->bytes + at, gb_option_bytes(option));
        return at + gb_option_bytes(option);
    }
    gb_plugin_value value = {0};
    memcpy(&value.type, packed->bytes + at, sizeof value.type);
    value.options.used = packed->bytes[at + sizeof value.type];
    at += head;
    if (at + value.options.used > end)
        return end;
    memcpy(value.options.bytes, packed->bytes + at, value.options.used);
    memcpy(field, &value, sizeof value);
    return at + value.options.used;
}

static void unpack(const void *type, const gb_packed *packed, unsigned char *block)
{
    const gb_option *const table = gb_options_of_type(type);
    const size_t bytes = bytes_of_type(type), used = packed->used > GB_PACKED_BYTES ? 0 : packed->used;
    size_t count = 0;
    while (table[count].name)
        count++;
    memset(block, 0, bytes);
    memcpy(block, &bytes, sizeof bytes);
    gb_options_fill(table, block);
    for (size_t at = 0; at < used && packed->bytes[at] < count;) {
        const gb_option *const option = &table[packed->bytes[at]];
        at = take(packed, at + 1, option, block + option->offset);
    }
}

const void *gb_options_unpack(const void *type, const gb_packed *packed, gb_option_block *block)
{
    unpack(type, packed, block->bytes);
    return block;
}

const void *gb_options_keep(gb_tape *tape, const void *type, const gb_packed *packed)
{
    unsigned char *const block = gb_tape_keep(tape, bytes_of_type(type));
    if (block)
        unpack(type, packed, block);
    return block;
}

/* ---- comparing ---- */

bool gb_options_same(const gb_packed *a, const gb_packed *b)
{
    return a->used == b->used &&
           memcmp(a->bytes, b->bytes, a->used > GB_PACKED_BYTES ? GB_PACKED_BYTES : a->used) == 0;
}
