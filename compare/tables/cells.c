/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/tables/cells_impl.h"

#include <math.h>

#include "estimators/list.h"

int gb_cell_width(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

void gb_cell_put(FILE *file, const char *text, int width)
{
    fprintf(file, "%*s%s", width - gb_cell_width(text), "", text);
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
