/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/json_impl.h"

#include <math.h>
#include <string.h>

/* Of a finite number the language of printf decides the point alone: it is what is no digit, sign or exponent, in one
 * byte or several. */
void gb_put_number(FILE *file, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    if (!isfinite(value)) {
        fputs(text, file);
        return;
    }
    const size_t whole = strspn(text, "0123456789-+e");
    const char *const rest = text + whole;
    fwrite(text, 1, whole, file);
    if (*rest)
        fprintf(file, ".%s", rest + strcspn(rest, "0123456789"));
}

void gb_json_number(FILE *file, double value)
{
    if (isfinite(value))
        gb_put_number(file, value);
    else
        fputs("null", file);
}

void gb_json_text(FILE *file, const char *text)
{
    if (!text) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}
