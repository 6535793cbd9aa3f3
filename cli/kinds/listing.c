/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/kinds/listing.h"

#include "core/ground/text_impl.h"

void gb_cli_row_begin(gb_cli_listing *l, const char *name)
{
    if (l->json) {
        fprintf(l->file, "%s\n%*s{\"name\": ", l->rows ? "," : "", 1 + l->depth, "");
        gb_json_text(l->file, name);
    } else
        fprintf(l->file, "%*s%-*s", l->depth ? l->width + 4 : 0, "", l->depth ? 14 : l->width, name);
    l->rows++;
    l->fields = 0;
}

void gb_cli_row_end(gb_cli_listing *l)
{
    fputs(l->json ? "}" : l->fields == 0 ? "\n" : "", l->file);
}

static void begin_field(gb_cli_listing *l, const char *key)
{
    if (l->json)
        fprintf(l->file, ", \"%s\": ", key);
    else if (l->fields++ == 0)
        fputs("  ", l->file);
    else
        fprintf(l->file, "%*s%s: ", l->width + 4, "", key);
}

void gb_cli_field(gb_cli_listing *l, const char *key, const char *text)
{
    if (!l->json && !text)
        return;
    begin_field(l, key);
    if (l->json)
        gb_json_text(l->file, text);
    else
        fprintf(l->file, "%s\n", text);
}

void gb_cli_flag(gb_cli_listing *l, const char *key, bool holds, const char *words)
{
    if (l->json)
        fprintf(l->file, ", \"%s\": %s", key, holds ? "true" : "false");
    else if (holds)
        fprintf(l->file, "%*s%s\n", l->width + 4, "", words);
}

void gb_cli_number_field(gb_cli_listing *l, const char *key, double value)
{
    if (!l->json)
        return;
    begin_field(l, key);
    gb_json_number(l->file, value);
}

void gb_cli_texts_field(gb_cli_listing *l, const char *key, const char *const *texts)
{
    if (!l->json)
        return;
    begin_field(l, key);
    fputc('[', l->file);
    for (size_t i = 0; texts && texts[i]; i++) {
        fputs(i ? ", " : "", l->file);
        gb_json_text(l->file, texts[i]);
    }
    fputc(']', l->file);
}

void gb_cli_rows_begin(gb_cli_listing *l, const char *key)
{
    if (l->json)
        fprintf(l->file, ", \"%s\": [", key);
    l->rows = 0;
    l->depth++;
}

void gb_cli_rows_end(gb_cli_listing *l)
{
    if (l->json)
        fputc(']', l->file);
    l->rows = 1; /* the row that contains these */
    l->depth--;
}
