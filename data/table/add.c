/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of data in memory. */
#include <math.h>

#include "data/numbers/numbers_impl.h"
#include "data/table/table_impl.h"

/* Whether a column may be added. */
static bool takes(gb_table *d, const void *cells, const char *name)
{
    if (gb_error(d->tape) != GB_OK)
        return false;
    if (!cells && d->rows > 0)
        gb_fail(d->tape, GB_EARGUMENT, "table: %s: column %s has no cells", d->name, name ? name : "");
    return cells || d->rows == 0;
}

/* Takes the newest column away, which could not be filled. */
static gb_status drop_last(gb_table *d)
{
    gb_own_column *const own = d->columns.at[--d->columns.count];
    gb_memory_release(&d->memory, own->number);
    gb_memory_release(&d->memory, own->level);
    gb_names_clear(&d->names);
    for (size_t i = 0; i < d->columns.count; i++)
        gb_names_add(&d->memory, &d->names, d->columns.at[i]->seen.name, (uint32_t)i);
    return gb_error(d->tape);
}

/* Integers of 64 bits may be no doubles. */
static bool is_exact(gb_numbers from, size_t i, double value)
{
    const double beyond = 0x1p63;
    if (gb_numbers_are_scaled(from))
        return true;
    if (from.type == GB_NUMBER_INT64)
        return value < beyond && (int64_t)value == ((const int64_t *)from.at)[i];
    if (from.type == GB_NUMBER_UINT64)
        return value < 2 * beyond && (uint64_t)value == ((const uint64_t *)from.at)[i];
    return true;
}

static bool copy_numbers(gb_table *d, gb_own_column *own, gb_numbers from)
{
    for (int64_t i = 0; i < d->rows; i++) {
        const double value = gb_numbers_at(from, (size_t)i);
        if (!is_exact(from, (size_t)i, value)) {
            gb_fail(
                d->tape, GB_ELIMIT,
                "table: %s, row %lld, column %s: the integer %.0f or near it is no double, which is exact "
                "up to 2^53",
                d->name, (long long)i, own->seen.name, value);
            return false;
        }
        if (isinf(value)) {
            gb_fail(
                d->tape, GB_ENONFINITE,
                "table: %s, row %lld, column %s: the number is %g, and must be finite, or NaN where it is "
                "missing",
                d->name, (long long)i, own->seen.name, value);
            return false;
        }
        own->number[i] = value;
    }
    return true;
}

gb_status gb_table_add(gb_table *d, const char *name, gb_numbers values)
{
    if (!d || !takes(d, values.at, name))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    if (gb_number_bytes(values.type) == 0 || (values.count && values.count != (uint64_t)d->rows))
        return gb_fail(d->tape, GB_EARGUMENT, "table: %s has %lld rows, and column %s has %zu numbers (%s)",
                       d->name, (long long)d->rows, name ? name : "", values.count,
                       gb_number_name(values.type));
    gb_own_column *const own = gb_table_column_new(d, name);
    if (!own)
        return gb_error(d->tape);
    own->number = gb_table_cells(d, d->rows);
    if (!own->number || !copy_numbers(d, own, values))
        return drop_last(d);
    gb_table_column_end(d, own);
    return GB_OK;
}

gb_status gb_table_add_texts(gb_table *d, const char *name, const char *const *texts)
{
    if (!d || !takes(d, texts, name))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    gb_own_column *const own = gb_table_column_new(d, name);
    if (!own)
        return gb_error(d->tape);
    gb_levels levels = {.table = d};
    own->level = gb_table_cells(d, d->rows);
    for (int64_t i = 0; own->level && i < d->rows; i++)
        own->level[i] = texts[i] && *texts[i] ? gb_levels_index(&levels, texts[i]) : -1;
    if (!gb_levels_end(&levels, own))
        return drop_last(d);
    gb_table_column_end(d, own);
    return GB_OK;
}
