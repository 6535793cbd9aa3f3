/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/tables/cells_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "estimators/list.h"

static int put_shown(FILE *file, const char *text)
{
    int count = 0;
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        char letter[GB_LETTER_TEXT];
        bytes = gb_text_letter(text, left, letter);
        count += bytes == 1 ? (int)strlen(letter) : 1;
        if (file)
            fputs(letter, file);
    }
    return count;
}

int gb_cell_width(const char *text)
{
    return put_shown(NULL, text);
}

void gb_cell_put(FILE *file, const char *text, int width)
{
    const int space = abs(width) - gb_cell_width(text);
    if (width > 0)
        fprintf(file, "%*s", space > 0 ? space : 0, "");
    put_shown(file, text);
    if (width < 0)
        fprintf(file, "%*s", space > 0 ? space : 0, "");
}

/* An error of a number without an exponent has none: "431.2 ± 120", not "± 1.2e+02". */
static void add_error(double value, double error, int digits, char *text, size_t bytes)
{
    const double place = pow(10, floor(log10(error)) - 1), limit = pow(10, digits) - 0.5;
    if (place >= 1 && fabs(value) < limit && error < limit)
        snprintf(text, bytes, " ± %.0f", round(error / place) * place);
    else
        snprintf(text, bytes, " ± %.2g", error);
}

void gb_cell_figure(const gb_figure *f, double unit, int digits, char text[GB_CELL])
{
    const double value = unit * f->value;
    if (isnan(value)) {
        snprintf(text, GB_CELL, "-");
        return;
    }
    const int used = snprintf(text, GB_CELL, "%.*g", digits, value);
    if (!isnan(f->error) && used < GB_CELL)
        add_error(value, unit * f->error, digits, text + used, (size_t)(GB_CELL - used));
}

void gb_cell_put_bias(FILE *file, const char *text)
{
    gb_estimator estimator;
    char error[200];
    if (gb_estimator_parse(text, &estimator, error, sizeof error) && estimator.type->bias)
        fprintf(file, "\n%s says of itself that its mean may be another than the gradient: %s\n", text,
                estimator.type->bias);
}
