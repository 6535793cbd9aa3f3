/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/batches.h"

#include <string.h>

#include "core/kernels/noise_impl.h"
#include "core/noise.h"
#include "core/op.h"
#include "core/run/observed_impl.h"
#include "models/training/batches_impl.h"

typedef struct own_column {
    gb_node input;
    size_t bytes;       /* bytes of a row */
    const char *values; /* in the number type of the tape */
    char *batch;        /* rows of the current batch */
} own_column;

struct gb_batches {
    gb_tape *tape;
    int64_t rows, batch;
    uint64_t key;
    uint32_t *order; /* NULL: the original order */
    gb_batches_place at;
    size_t count;
    own_column column[];
};

/* ---- making ---- */

static bool column_fits(gb_tape *tape, const gb_column *column, size_t number)
{
    const gb_node input = column->input;
    const char *const name = gb_node_ok(input) ? gb_node_name(input) : NULL;
    if (!gb_node_ok(input) || input.tape != tape)
        gb_fail(tape, GB_ENODE, "batches: column %zu has no usable input of this tape", number);
    else if (!name || !(gb_node_axes(input) & GB_ROWS))
        gb_fail(tape, GB_EARGUMENT, "batches: column %zu is not an input with rows (gb_input_rows)", number);
    else if (!column->values)
        gb_fail(tape, GB_EARGUMENT, "batches: column %s has no values", name);
    else
        return true;
    return false;
}

/* Returns false, and records an error, if an earlier column feeds the same input. */
static bool is_new(gb_tape *tape, gb_column_list columns, size_t number)
{
    const gb_node input = columns.column[number].input;
    for (size_t i = 0; i < number; i++)
        if (gb_node_same(columns.column[i].input, input)) {
            gb_fail(tape, GB_EARGUMENT, "batches: columns %zu and %zu are both of input %s", i + 1,
                    number + 1, gb_node_name(input));
            return false;
        }
    return true;
}

/* Returns false, and records an error, if a number of the column does not fit the integers of a float
 * tape. */
static bool integers_fit(gb_tape *tape, const gb_column *column, size_t numbers)
{
    const int64_t *const values = column->values;
    const size_t each = gb_shape_count(gb_node_shape(column->input));
    for (size_t i = 0; i < numbers; i++)
        if (values[i] < INT32_MIN || values[i] > INT32_MAX) {
            gb_fail(tape, GB_ELIMIT,
                    "batches: column %s, row %zu: %lld does not fit the 32-bit integers of a float tape "
                    "(gb_tape_new(.real = GB_DOUBLE) has 64 bits)",
                    gb_node_name(column->input), i / each, (long long)values[i]);
            return false;
        }
    return true;
}

/* Returns the numbers of the column, in the number type of the tape. */
static const void *converted(gb_tape *tape, const gb_column *column, size_t numbers)
{
    const bool is_real = gb_node_type(column->input) == GB_TYPE_REAL;
    if (gb_tape_real(tape) == GB_DOUBLE)
        return column->values;
    if (!is_real && !integers_fit(tape, column, numbers))
        return NULL;
    uint32_t *const narrow = gb_tape_keep(tape, numbers * sizeof *narrow);
    for (size_t i = 0; narrow && i < numbers; i++)
        if (is_real)
            ((float *)(void *)narrow)[i] = (float)((const double *)column->values)[i];
        else
            narrow[i] = (uint32_t)((const int64_t *)column->values)[i];
    return narrow;
}

static bool take_column(gb_batches *b, const gb_column *column)
{
    const size_t numbers = gb_shape_count(gb_node_shape(column->input));
    own_column *const own = &b->column[b->count];
    own->input = column->input;
    own->bytes = numbers * (gb_tape_real(b->tape) == GB_DOUBLE ? 8 : 4);
    own->values = converted(b->tape, column, numbers * (size_t)b->rows);
    if (b->order)
        own->batch = gb_tape_keep(b->tape, own->bytes * (size_t)b->batch + 1);
    b->count++;
    return own->values && (own->batch || !b->order);
}

/* Finds the key of a shuffled order. Returns false on error; the error is on the tape. */
static bool find_key(gb_tape *tape, const char *name, uint64_t *key)
{
    if (gb_noise_key(gb_stream(tape, name ? name : "batches"), key))
        return true;
    if (gb_error(tape) == GB_ENAME) {
        gb_forgive(tape);
        gb_fail(
            tape, GB_ENAME,
            "batches: there is a stream of noise of the name %s already, and two orders from it would be the "
            "same; give each a name of its own: gb_batches_new(…, .name = \"test rows\")",
            name ? name : "batches");
    }
    return false;
}

gb_batches *gb_batches_new_with(gb_tape *tape, const gb_batches_options *given)
{
    gb_batches_options options;
    if (!tape || gb_error(tape) != GB_OK ||
        !gb_options_take(tape, "batches", &options, sizeof options, given))
        return NULL;
    const gb_column_list columns = options.columns;
    if (options.rows < 1 || options.rows > INT32_MAX || options.batch < 0 || columns.count == 0) {
        gb_fail(
            tape, GB_EARGUMENT,
            "batches: .rows is %lld, .batch %lld, and there are %zu columns; rows and columns are required: "
            "gb_batches_new(tape, .rows = N, .columns = GB_COLUMNS({x, xs}))",
            (long long)options.rows, (long long)options.batch, columns.count);
        return NULL;
    }
    if (!columns.column) {
        gb_fail(tape, GB_EARGUMENT, "batches: the list of %zu columns is NULL", columns.count);
        return NULL;
    }
    for (size_t i = 0; i < columns.count; i++)
        if (!column_fits(tape, &columns.column[i], i + 1) || !is_new(tape, columns, i))
            return NULL;
    gb_batches *const b = gb_tape_keep(tape, sizeof *b + columns.count * sizeof *b->column);
    if (!b)
        return NULL;
    b->tape = tape;
    b->rows = options.rows;
    b->batch = options.batch == 0 || options.batch > options.rows ? options.rows : options.batch;
    const bool picks = b->batch < b->rows && !options.in_order;
    b->order = picks ? gb_tape_keep(tape, (size_t)b->rows * sizeof *b->order) : NULL;
    if (picks && (!b->order || !find_key(tape, options.name, &b->key)))
        return NULL;
    for (size_t i = 0; i < columns.count; i++)
        if (!take_column(b, &columns.column[i]))
            return NULL;
    return b;
}

/* ---- the order of an epoch ---- */

/* Returns a random integer below `most`: the high half of a product. Its bias is less than most / 2⁶⁴. */
static uint32_t below(const gb_batches *b, uint32_t most)
{
    const uint32_t counter[4] = {most, 0, (uint32_t)b->at.epoch, (uint32_t)(b->at.epoch >> 32)};
    uint32_t bits[4];
    gb_philox(counter, b->key, bits);
    const uint64_t high = bits[0], low = bits[1];
    return (uint32_t)((high * most + ((low * most) >> 32)) >> 32);
}

/* The shuffle of Fisher and Yates. */
static void shuffle(gb_batches *b)
{
    for (uint32_t i = 0; i < (uint32_t)b->rows; i++) {
        const uint32_t other = below(b, i + 1);
        b->order[i] = b->order[other];
        b->order[other] = i;
    }
}

/* ---- going through ---- */

static bool feed(gb_batches *b, own_column *column, int64_t rows)
{
    const char *from = column->values + (size_t)b->at.row * column->bytes;
    for (int64_t i = 0; b->order && i < rows; i++)
        memcpy(column->batch + (size_t)i * column->bytes,
               column->values + b->order[b->at.row + i] * column->bytes, column->bytes);
    if (gb_feed_borrowed(column->input, b->order ? column->batch : from, rows) != GB_OK)
        return false;
    gb_feed_is_of(column->input, b->order ? b->order + b->at.row : NULL, b->at.row);
    return true;
}

bool gb_next_batch(gb_batches *b)
{
    if (!b || gb_error(b->tape) != GB_OK)
        return false;
    if (b->at.row >= b->rows) {
        b->at = (gb_batches_place){.epoch = b->at.epoch + 1};
        return false;
    }
    if (b->order && b->at.row == 0)
        shuffle(b);
    const int64_t left = b->rows - b->at.row, rows = left < b->batch ? left : b->batch;
    for (size_t i = 0; i < b->count; i++)
        if (!feed(b, &b->column[i], rows))
            return false;
    b->at.row += rows;
    return true;
}

gb_tape *gb_batches_tape(const gb_batches *b)
{
    return b ? b->tape : NULL;
}

bool gb_batches_feed(const gb_batches *b, const char *name)
{
    for (size_t i = 0; i < b->count; i++)
        if (strcmp(gb_node_name(b->column[i].input), name) == 0)
            return true;
    return false;
}

gb_batches_order gb_batches_order_of(const gb_batches *b)
{
    return b ? (gb_batches_order){.rows = b->rows, .batch = b->batch, .key = b->key} : (gb_batches_order){0};
}

int64_t gb_batches_rows(const gb_batches *b)
{
    return b ? b->rows : 0;
}

int64_t gb_batches_count(const gb_batches *b)
{
    return b ? (b->rows + b->batch - 1) / b->batch : 0;
}

gb_batches_place gb_batches_at(const gb_batches *b)
{
    return b ? b->at : (gb_batches_place){0};
}

bool gb_batches_has(const gb_batches *b, gb_batches_place place)
{
    return place.row == b->rows || (place.row >= 0 && place.row < b->rows && place.row % b->batch == 0);
}

gb_status gb_batches_go(gb_batches *b, gb_batches_place place)
{
    if (!b || gb_error(b->tape) != GB_OK)
        return b ? gb_error(b->tape) : GB_EARGUMENT;
    if (!gb_batches_has(b, place))
        return gb_fail(b->tape, GB_EARGUMENT, "batches: no batch of %lld rows begins at row %lld of %lld",
                       (long long)b->batch, (long long)place.row, (long long)b->rows);
    b->at = place;
    if (b->order && place.row > 0)
        shuffle(b);
    return GB_OK;
}

gb_column_list gb_columns_of(size_t count, const gb_column *columns)
{
    return (gb_column_list){.column = columns, .count = count};
}
