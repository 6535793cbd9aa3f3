/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/csv.h"
#include "cli/shell/say.h"

static gb_cli_code split(gb_cli_data *data, const gb_cli_csv *csv, size_t target)
{
    const size_t wide = csv->columns - 1;
    data->x = calloc(csv->rows, wide * sizeof *data->x);
    data->y = calloc(csv->rows, sizeof *data->y);
    if (!data->x || !data->y)
        return gb_cli_say(GB_CLI_IO, "no memory for %zu rows", csv->rows);
    for (size_t r = 0; r < csv->rows; r++) {
        const double *const row = csv->value + r * csv->columns;
        data->y[r] = row[target];
        for (size_t c = 0; c < wide; c++)
            data->x[r * wide + c] = row[c + (c >= target)];
    }
    data->is = (gb_problem_data){.rows = csv->rows, .columns = wide, .x = data->x, .y = data->y};
    return GB_CLI_OK;
}

/* Returns n, where the largest is between 2^n and 2^(n+1). Numbers times 2^-n can be squared and added. */
static int exponent_of(const gb_cli_data *data, const double *x)
{
    double largest = 0;
    for (size_t r = 0; r < data->is.rows; r++)
        largest = fmax(largest, fabs(x[r * data->is.columns]));
    return largest > 0 ? ilogb(largest) : 0;
}

static bool standardise_column(gb_cli_data *data, size_t column)
{
    const size_t rows = data->is.rows, wide = data->is.columns;
    double *const x = data->x + column;
    const int exponent = exponent_of(data, x);
    double mean = 0, square = 0;
    for (size_t r = 0; r < rows; r++) {
        x[r * wide] = scalbn(x[r * wide], -exponent);
        mean += x[r * wide] / (double)rows;
    }
    for (size_t r = 0; r < rows; r++)
        square += (x[r * wide] - mean) * (x[r * wide] - mean) / (double)rows;
    const double deviation = sqrt(square);
    for (size_t r = 0; r < rows; r++)
        x[r * wide] = (x[r * wide] - mean) / deviation;
    return deviation > 1e-14 * fabs(mean);
}

static gb_cli_code standardise_all(gb_cli_data *data, const gb_cli_csv *csv, size_t target)
{
    for (size_t c = 0; c < data->is.columns; c++)
        if (!standardise_column(data, c))
            return gb_cli_say(GB_CLI_DATA, "column %s is constant, and cannot be standardised",
                              csv->name[c + (c >= target)]);
    return GB_CLI_OK;
}

static gb_cli_code take(gb_cli_data *data, const gb_cli_csv *csv, const char *target, bool standardise)
{
    size_t column;
    if (!gb_cli_find("column", target, csv->columns, csv->name, &column))
        return GB_CLI_DATA;
    if (csv->columns < 2)
        return gb_cli_say(GB_CLI_DATA, "there is no column besides the target %s", target);
    const gb_cli_code code = split(data, csv, column);
    return code == GB_CLI_OK && standardise ? standardise_all(data, csv, column) : code;
}

gb_cli_code gb_cli_data_read(gb_cli_data *data, const char *path, const char *target, bool standardise)
{
    gb_cli_csv csv;
    gb_cli_code code = gb_cli_csv_read(&csv, path);
    if (code != GB_CLI_OK)
        return code;
    code = take(data, &csv, target, standardise);
    snprintf(data->from, sizeof data->from, "%s, target %s%s", path, target,
             standardise ? ", standardised" : "");
    data->is.from = data->from;
    gb_cli_csv_free(&csv);
    return code;
}

void gb_cli_data_free(gb_cli_data *data)
{
    free(data->x);
    free(data->y);
}
