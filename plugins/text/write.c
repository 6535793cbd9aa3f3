/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "plugins/options/pack_impl.h"

/* Counts what does not fit. */
typedef struct writer {
    char *text;
    size_t bytes, length;
} writer;

static void put(writer *w, const char *text)
{
    const size_t length = strlen(text), room = w->length < w->bytes ? w->bytes - w->length : 0;
    if (room > 0)
        snprintf(w->text + w->length, room, "%s", text);
    w->length += length;
}

static void put_number(writer *w, double value)
{
    char digits[GB_NUMBER_TEXT];
    put(w, gb_number_text(value, digits));
}

static void put_plugin(writer *w, gb_plugin_value value, bool is_nested);

static void put_value(writer *w, const gb_option *option, const unsigned char *field)
{
    double number;
    int64_t whole;
    int choice;
    bool is_so;
    switch (option->form) {
    case GB_OPTION_IS_NUMBER: put_number(w, (memcpy(&number, field, sizeof number), number)); return;
    case GB_OPTION_IS_WHOLE: put_number(w, (double)(memcpy(&whole, field, sizeof whole), whole)); return;
    case GB_OPTION_IS_FLAG: put(w, (memcpy(&is_so, field, sizeof is_so), is_so) ? "yes" : "no"); return;
    case GB_OPTION_IS_CHOICE:
        put(w, option->choices[(memcpy(&choice, field, sizeof choice), choice)]);
        return;
    case GB_OPTION_IS_PLUGIN: put_plugin(w, gb_plugin_value_at(field), true); return;
    case GB_OPTION_IS_NODE:
    case GB_OPTION_IS_OTHER: put(w, "?");
    }
}

/* Packed options are those that are not at their defaults; what stands there as a number may still equal it. */
static bool is_default(const gb_option *option, const unsigned char *field, const unsigned char *defaults)
{
    return memcmp(field, defaults, gb_option_bytes(option)) == 0;
}

static void put_options(writer *w, const void *type, const gb_packed *packed, bool is_nested)
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
        put(w, before);
        before = ":";
        if (!o->is_argument) {
            put(w, o->name);
            put(w, "=");
        }
        put_value(w, o, field);
    }
    if (is_nested && *before == ':')
        put(w, ")");
}

static void put_plugin(writer *w, gb_plugin_value value, bool is_nested)
{
    char fault[8];
    if (!value.type) {
        put(w, "none");
        return;
    }
    put(w, value.type->name);
    if (gb_options_fit(value.type, &value.options, fault, sizeof fault))
        put_options(w, value.type, &value.options, is_nested);
    else
        put(w, is_nested ? "(?)" : ":?");
}

size_t gb_plugin_text(const void *type, const gb_packed *packed, char *text, size_t bytes)
{
    writer w = {.text = text, .bytes = bytes};
    if (bytes > 0)
        *text = '\0';
    put_plugin(&w, (gb_plugin_value){.type = type, .options = *packed}, false);
    return w.length;
}
