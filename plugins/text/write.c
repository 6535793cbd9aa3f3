/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ground/text_impl.h"
#include "plugins/options/pack_impl.h"

static void put_number(gb_text_writer *w, double value)
{
    char digits[GB_NUMBER_TEXT];
    gb_text_put(w, gb_number_text(value, digits));
}

static void put_plugin(gb_text_writer *w, gb_plugin_value value, bool is_nested);

static void put_value(gb_text_writer *w, const gb_option *option, const unsigned char *field)
{
    double number;
    int64_t whole;
    int choice;
    bool is_so;
    switch (option->form) {
    case GB_OPTION_IS_NUMBER: put_number(w, (memcpy(&number, field, sizeof number), number)); return;
    case GB_OPTION_IS_WHOLE: put_number(w, (double)(memcpy(&whole, field, sizeof whole), whole)); return;
    case GB_OPTION_IS_FLAG:
        gb_text_put(w, (memcpy(&is_so, field, sizeof is_so), is_so) ? "yes" : "no");
        return;
    case GB_OPTION_IS_CHOICE:
        gb_text_put(w, option->choices[(memcpy(&choice, field, sizeof choice), choice)]);
        return;
    case GB_OPTION_IS_PLUGIN: put_plugin(w, gb_plugin_value_at(field), true); return;
    case GB_OPTION_IS_NODE:
    case GB_OPTION_IS_OTHER: gb_text_put(w, "?");
    }
}

/* Needed besides packing: a packed number may still equal its default. */
static bool is_default(const gb_option *option, const unsigned char *field, const unsigned char *defaults)
{
    return memcmp(field, defaults, gb_option_bytes(option)) == 0;
}

static void put_options(gb_text_writer *w, const void *type, const gb_packed *packed, bool is_nested)
{
    gb_option_block options, defaults;
    const gb_packed none = {0};
    const char *before = is_nested ? "(" : ":";
    gb_options_unpack(type, packed, &options);
    gb_options_unpack(type, &none, &defaults);
    for (const gb_option *o = gb_options_of_type(type); o->name; o++) {
        const unsigned char *const field = options.bytes + o->offset;
        if ((!o->is_argument || o->is_optional) && is_default(o, field, defaults.bytes + o->offset))
            continue;
        gb_text_put(w, before);
        before = ":";
        if (!o->is_argument) {
            gb_text_put(w, o->name);
            gb_text_put(w, "=");
        }
        put_value(w, o, field);
    }
    if (is_nested && *before == ':')
        gb_text_put(w, ")");
}

static void put_plugin(gb_text_writer *w, gb_plugin_value value, bool is_nested)
{
    char fault[8];
    if (!value.type) {
        gb_text_put(w, "none");
        return;
    }
    gb_text_put(w, value.type->name);
    if (gb_options_fit(value.type, &value.options, fault, sizeof fault))
        put_options(w, value.type, &value.options, is_nested);
    else
        gb_text_put(w, is_nested ? "(?)" : ":?");
}

size_t gb_plugin_text(const void *type, const gb_packed *packed, char *text, size_t bytes)
{
    gb_text_writer w = {.text = text, .bytes = text ? bytes : 0};
    if (w.bytes > 0)
        *text = '\0';
    put_plugin(&w, (gb_plugin_value){.type = type, .options = *packed}, false);
    return w.length;
}
