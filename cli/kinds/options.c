/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/kinds/options.h"

#include <math.h>
#include <string.h>

#include "cli/shell/say.h"

/* "a number that is positive and finite", "flat or sharp" */
static void values_words(const gb_option *o, char *text, size_t bytes)
{
    size_t used = 0;
    switch (o->form) {
    case GB_OPTION_IS_NODE: snprintf(text, bytes, "%s", o->domain ? o->domain->must_be : "a node"); return;
    case GB_OPTION_IS_NUMBER:
    case GB_OPTION_IS_WHOLE:
        snprintf(text, bytes, "%s", o->domain ? o->domain->must_be : "any number");
        return;
    case GB_OPTION_IS_FLAG: snprintf(text, bytes, "yes or no"); return;
    case GB_OPTION_IS_PLUGIN: snprintf(text, bytes, "NAME or NAME(OPTIONS) of a %s", o->kind->name); return;
    case GB_OPTION_IS_OTHER: snprintf(text, bytes, "from C alone"); return;
    case GB_OPTION_IS_CHOICE: break;
    }
    for (size_t i = 0; o->choices[i] && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? " or " : "", o->choices[i]);
}

static bool has_default(const gb_option *o)
{
    const bool is_number = o->form == GB_OPTION_IS_NUMBER || o->form == GB_OPTION_IS_WHOLE;
    return (is_number && !o->is_argument) || (o->form == GB_OPTION_IS_NODE && o->is_optional);
}

/* "", "; 0.5", "; no" */
static void default_words(const gb_option *o, char *text, size_t bytes)
{
    const gb_plugin *const nested = o->fallback_type;
    if (has_default(o))
        snprintf(text, bytes, "; %g", o->fallback);
    else if (o->is_argument)
        snprintf(text, bytes, "; %s", o->is_optional ? "an argument that may be left out" : "an argument");
    else
        snprintf(text, bytes, "%s", o->form == GB_OPTION_IS_FLAG ? "; no" : "");
    if (o->form == GB_OPTION_IS_CHOICE)
        snprintf(text, bytes, "; %s", o->choices[0]);
    if (o->form == GB_OPTION_IS_PLUGIN && !o->is_argument)
        snprintf(text, bytes, "; %s", nested ? nested->name : "none");
}

static void list_row(gb_cli_listing *l, const gb_option *o)
{
    static const char *const forms[] = {
        [GB_OPTION_IS_NODE] = "node",  [GB_OPTION_IS_NUMBER] = "number", [GB_OPTION_IS_WHOLE] = "number",
        [GB_OPTION_IS_FLAG] = "flag",  [GB_OPTION_IS_CHOICE] = "choice", [GB_OPTION_IS_PLUGIN] = "plugin",
        [GB_OPTION_IS_OTHER] = "other"};
    char values[160], usual[80], text[400];
    const gb_domain *const domain = o->form == GB_OPTION_IS_OTHER ? NULL : o->domain;
    values_words(o, values, sizeof values);
    default_words(o, usual, sizeof usual);
    snprintf(text, sizeof text, o->words ? "%s (%s%s)" : "%s%s%s", o->words ? o->words : "", values, usual);
    gb_cli_row_begin(l, o->name);
    gb_cli_field(l, "words", l->json ? o->words : text);
    if (l->json) {
        gb_cli_field(l, "kind", forms[o->form]);
        gb_cli_field(l, "domain", domain ? domain->must_be : NULL);
    }
    if (l->json) {
        gb_cli_field(l, "of", o->form == GB_OPTION_IS_PLUGIN ? o->kind->name : NULL);
        gb_cli_flag(l, "argument", o->is_argument, "");
        gb_cli_flag(l, "required", o->is_argument && !o->is_optional, "");
    }
    gb_cli_number_field(l, "default", has_default(o) ? o->fallback : (double)NAN);
    gb_cli_number_field(l, "low", domain ? domain->low : (double)NAN);
    gb_cli_number_field(l, "high", domain ? domain->high : (double)NAN);
    gb_cli_texts_field(l, "choices", o->form == GB_OPTION_IS_CHOICE ? o->choices : NULL);
    gb_cli_row_end(l);
}

void gb_cli_options(gb_cli_listing *l, const char *key, const gb_option *table, size_t most)
{
    gb_cli_rows_begin(l, key);
    for (size_t i = 0; table && i < most && table[i].name; i++)
        list_row(l, &table[i]);
    gb_cli_rows_end(l);
}

const char *gb_cli_example(const char *const (*examples)[2], const char *text)
{
    for (size_t i = 0; examples[i][0]; i++)
        if (strcmp(examples[i][0], text) == 0)
            return examples[i][1];
    return text;
}

void gb_cli_plugin(gb_cli_listing *l, const void *type)
{
    const gb_plugin *const plugin = type;
    gb_cli_field(l, "formula", plugin->formula);
    gb_cli_field(l, "cite", plugin->cite);
    gb_cli_options(l, "options", plugin->options, GB_MOST_OPTIONS);
}
