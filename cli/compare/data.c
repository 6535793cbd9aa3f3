/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell/table.h"

/* Columns but the target are x, in the order of the file. Fails with an error on the tape. */
static bool split(gb_cli_data *data, const gb_table *table, const char *target)
{
    const size_t rows = (size_t)gb_table_rows(table), columns = gb_table_columns(table), wide = columns - 1;
    data->x = calloc(rows, (wide + 1) * sizeof *data->x);
    data->y = calloc(rows, sizeof *data->y);
    if (!data->x || !data->y)
        return gb_fail(gb_table_tape(table), GB_ENOMEM, "no memory for %zu rows", rows) == GB_OK;
    for (size_t c = 0, next = 0; c < columns; c++) {
        const char *const name = gb_table_column_at(table, c)->name;
        const double *const number = gb_table_doubles(table, name);
        const bool is_target = strcmp(name, target) == 0;
        for (size_t r = 0; number && r < rows; r++)
            *(is_target ? &data->y[r] : &data->x[r * wide + next]) = number[r];
        if (!number)
            return false;
        next += !is_target;
    }
    data->is = (gb_problem_data){.rows = rows, .columns = wide, .x = data->x, .y = data->y};
    return true;
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

static gb_cli_code standardise_all(gb_cli_data *data, const gb_table *table, const char *target)
{
    for (size_t c = 0, next = 0; c < gb_table_columns(table); c++) {
        const char *const name = gb_table_column_at(table, c)->name;
        if (strcmp(name, target) != 0 && !standardise_column(data, next++))
            return gb_cli_say(GB_CLI_DATA, "column %s is constant, and cannot be standardised", name);
    }
    return GB_CLI_OK;
}

static gb_cli_code take(gb_cli_data *data, gb_tape *t, const gb_table *table, const char *target,
                        bool standardise)
{
    if (!gb_table_column_named(table, target))
        return gb_cli_complain(t);
    if (gb_table_columns(table) < 2)
        return gb_cli_say(GB_CLI_DATA, "there is no column besides the target %s", target);
    if (!split(data, table, target))
        return gb_cli_complain(t);
    return standardise ? standardise_all(data, table, target) : GB_CLI_OK;
}

gb_cli_code gb_cli_data_read(gb_cli_data *data, const char *path, const char *target, bool standardise)
{
    gb_tape *const t = gb_tape_new(.threads = 1);
    gb_table *const table =
        gb_cli_table_open(t, path, (gb_table_read_options){.size = sizeof(gb_table_read_options)});
    const gb_cli_code read = table ? take(data, t, table, target, standardise) : gb_cli_complain(t);
    snprintf(data->from, sizeof data->from, "%s, target %s%s", path, target,
             standardise ? ", standardised" : "");
    data->is.from = data->from;
    gb_table_free(table);
    gb_tape_free(t);
    return table || read != GB_CLI_OK ? read : GB_CLI_IO;
}

void gb_cli_data_free(gb_cli_data *data)
{
    free(data->x);
    free(data->y);
}
