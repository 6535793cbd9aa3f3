/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows from a file. */
#include <math.h>

#include "data/split.h"
#include "data/table.h"

static const gb_table_column *only_column(const gb_table *d)
{
    if (gb_table_columns(d) == 1)
        return gb_table_column_at(d, 0);
    if (d)
        gb_fail(gb_table_tape(d), GB_EFILE,
                "rows: %s has %zu columns, and should have one integer on each line", gb_table_name(d),
                gb_table_columns(d));
    return NULL;
}

static gb_rows take(const gb_table *d, const double *numbers, bool one_based)
{
    gb_tape *const tape = gb_table_tape(d);
    const size_t count = (size_t)gb_table_rows(d);
    const double first = one_based ? 1 : 0;
    char place[GB_TABLE_PLACE];
    int64_t *const rows = gb_tape_keep(tape, count * sizeof *rows);
    for (size_t i = 0; rows && i < count; i++) {
        if (!(numbers[i] >= first && numbers[i] < 0x1p53) || rint(numbers[i]) < numbers[i] ||
            rint(numbers[i]) > numbers[i]) {
            gb_fail(tape, GB_EFILE, "rows: %s: %g is no row; rows are integers from %g on",
                    gb_table_place(d, (int64_t)i, place), numbers[i], first);
            return (gb_rows){0};
        }
        rows[i] = (int64_t)(numbers[i] - first);
    }
    return rows ? gb_rows_of(count, rows) : (gb_rows){0};
}

gb_rows gb_rows_read_with(gb_tape *tape, const char *path, const gb_rows_read_options *given)
{
    gb_rows_read_options options;
    if (!tape || gb_error(tape) != GB_OK || !gb_options_take(tape, "rows", &options, sizeof options, given))
        return (gb_rows){0};
    gb_table *const d = gb_table_read(tape, path, .no_header = true);
    const gb_table_column *const column = only_column(d);
    const double *const numbers = column ? gb_table_doubles(d, column->name) : NULL;
    const gb_rows rows = numbers ? take(d, numbers, options.one_based) : (gb_rows){0};
    gb_table_free(d);
    return rows;
}
