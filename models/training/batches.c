/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/batches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/kernels/noise_impl.h"
#include "core/run/observed_impl.h"
#include "core/team.h"
#include "data/numbers/convert_impl.h"
#include "models/training/batches_impl.h"
#include "models/training/order_impl.h"
#include "ops/list.h"

typedef struct own_column {
    gb_node input;
    size_t each; /* numbers of a row */
    gb_numbers values;
    gb_number type;    /* of the tape */
    bool is_converted; /* the numbers have another type, or stand for others */
    size_t bytes;      /* of a row, in the type of the tape */
    char *batch;       /* rows of the current batch; NULL: those of `values` are fed */
} own_column;

struct gb_batches {
    gb_tape *tape;
    int64_t rows, batch; /* of all members */
    int64_t most;        /* rows that this member feeds at once */
    uint64_t key;        /* of the order, as all members have it; 0: not shuffled */
    bool sharded;
    gb_row_order order; /* of the rows that this member has */
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
    else if (!gb_node_is(input, "input") || !(gb_node_axes(input) & GB_ROWS))
        gb_fail(tape, GB_EARGUMENT,
                "batches: column %zu is %s%s%s, and must be an input with rows (gb_input_rows)", number,
                gb_node_op_name(input), *name ? " " : "", name);
    else if (!column->values.at || gb_number_bytes(column->values.type) == 0)
        gb_fail(tape, GB_EARGUMENT, "batches: column %s has no values", name);
    else if (!isfinite(column->values.scale) || !isfinite(column->values.shift))
        gb_fail(tape, GB_EARGUMENT,
                "batches: column %s has a scale or a shift that is not finite, or a scale of 0", name);
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

static size_t numbers_of_row(const gb_column *column)
{
    return gb_shape_count(gb_node_shape(column->input));
}

/* A member of a team may have no row where others have some. */
static bool may_be_without(const gb_tape *tape, const gb_batches_options *o)
{
    return o->sharded && gb_tape_team(tape);
}

/* Finds the rows of the data set: `.rows`, or as many as the columns have. All columns that know their count
 * must agree. Returns false on error. */
static bool find_rows(gb_tape *tape, const gb_batches_options *o, int64_t *rows)
{
    *rows = o->rows;
    for (size_t i = 0; i < o->columns.count; i++) {
        const gb_column *const column = &o->columns.column[i];
        const size_t each = numbers_of_row(column), count = column->values.count;
        char shape[GB_SHAPE_TEXT];
        if (*rows == 0 && each > 0 && count % each == 0)
            *rows = count / each <= INT32_MAX ? (int64_t)(count / each) : INT64_MAX;
        if (count == 0 || (*rows <= INT32_MAX && count == each * (size_t)*rows))
            continue;
        gb_shape_text(gb_node_shape(column->input), shape);
        if (*rows == 0)
            gb_fail(tape, GB_EARGUMENT,
                    "batches: column %s has %zu numbers, which are no whole rows of shape %s",
                    gb_node_name(column->input), count, shape);
        else
            gb_fail(tape, GB_EARGUMENT,
                    "batches: column %s has %zu numbers, and %lld rows of shape %s have %zu%s",
                    gb_node_name(column->input), count, (long long)*rows, shape, each * (size_t)*rows,
                    count > each * (size_t)*rows ? "; .only = rows takes some of them" : "");
        return false;
    }
    if (*rows >= 1 - may_be_without(tape, o) && *rows <= INT32_MAX)
        return true;
    gb_fail(tape, GB_EARGUMENT,
            "batches: .rows is %lld, and no column knows how many numbers it has; rows are required, 1 to "
            "2^31 - 1: gb_batches_new(tape, .rows = N, .columns = GB_COLUMNS({x, gb_doubles(xs)}))",
            (long long)o->rows);
    return false;
}

/* The type of an input in memory. */
static gb_number type_of(const gb_tape *tape, gb_node input)
{
    const bool is_wide = gb_tape_real(tape) == GB_DOUBLE;
    if (gb_node_type(input) == GB_TYPE_REAL)
        return is_wide ? GB_NUMBER_DOUBLE : GB_NUMBER_FLOAT;
    return is_wide ? GB_NUMBER_INT64 : GB_NUMBER_INT32;
}

/* Rows of a batch: order[0], order[1] … of the data, or row `first` and those after it. */
typedef struct share {
    const uint32_t *order;
    int64_t first, rows;
} share;

static bool convert(const gb_batches *b, const own_column *column, share of);

static bool take_column(gb_batches *b, const gb_column *column)
{
    own_column *const own = &b->column[b->count];
    const gb_number type = type_of(b->tape, column->input);
    *own = (own_column){.input = column->input, .each = numbers_of_row(column), .values = column->values};
    own->bytes = own->each * gb_number_bytes(type);
    own->type = type;
    own->is_converted = type != column->values.type || gb_numbers_are_scaled(column->values);
    const bool is_picked = b->order.shuffled || b->order.only;
    if (own->is_converted || is_picked) {
        own->batch = gb_tape_keep(b->tape, own->bytes * (size_t)b->most + 1);
        if (!own->batch)
            return false;
    }
    b->count++;
    return is_picked || b->most < b->order.rows || !own->is_converted ||
           convert(b, own, (share){NULL, 0, b->most});
}

static bool options_fit(gb_tape *tape, const gb_batches_options *o)
{
    if (o->columns.count == 0)
        gb_fail(tape, GB_EARGUMENT,
                "batches: there are 0 columns, and at least one is required: gb_batches_new(tape, .rows = N, "
                ".columns = GB_COLUMNS({x, gb_doubles(xs)}))");
    else if (!o->columns.column)
        gb_fail(tape, GB_EARGUMENT, "batches: the list of %zu columns is NULL", o->columns.count);
    else if (o->rows < 0 || o->batch < 0 || o->window < 0 || o->window > INT32_MAX)
        gb_fail(tape, GB_EARGUMENT, "batches: .rows is %lld, .batch %lld and .window %lld; none is negative",
                (long long)o->rows, (long long)o->batch, (long long)o->window);
    else if (o->in_order && o->window > 0)
        gb_fail(tape, GB_EARGUMENT, "batches: .in_order is true, and .window shuffles; choose one");
    else if ((o->only.count == 0) != !o->only.row || o->only.count > INT32_MAX)
        gb_fail(tape, GB_EARGUMENT, "batches: .only has %zu rows%s; it has 1 to 2^31 - 1, or is left out",
                o->only.count, o->only.row ? "" : ", and the list is NULL");
    else
        return true;
    return false;
}

/* Of sharded rows, member r's share of batch i: its rows up to ⌊i R / S⌋ are in earlier ones. */
static int64_t rows_before(const gb_batches *b, int64_t batch)
{
    return b->order.rows * batch / gb_batches_count(b);
}

static bool find_sizes(gb_batches *b, int64_t batch)
{
    double all = (double)b->order.rows;
    if (b->sharded && !gb_tape_add_up(b->tape, &all, 1))
        return false;
    b->rows = (int64_t)all;
    if (b->rows == 0)
        return gb_fail(
                   b->tape, GB_EARGUMENT,
                   "batches: .rows is 0 in all members of the team, and no column knows how many numbers it "
                   "has") == GB_OK;
    b->batch = batch == 0 || batch > b->rows ? b->rows : batch;
    b->most = b->batch < b->order.rows ? b->batch : b->order.rows;
    return true;
}

/* Members whose rows are their own shuffle them each by noise of its own. */
static bool shuffle(gb_batches *b, const gb_batches_options *o)
{
    if (!gb_row_order_shuffle(b->tape, &b->order, o->name, b->most, o->window))
        return false;
    b->key = b->order.key;
    const gb_team *const team = b->sharded ? gb_tape_team(b->tape) : NULL;
    if (team)
        b->order.key = gb_noise_mix(b->order.key + (uint64_t)team->rank);
    return true;
}

gb_batches *gb_batches_new_with(gb_tape *tape, const gb_batches_options *given)
{
    gb_batches_options options;
    int64_t rows;
    if (!tape || gb_error(tape) != GB_OK ||
        !gb_options_take(tape, "batches", &options, sizeof options, given) || !options_fit(tape, &options))
        return NULL;
    const gb_column_list columns = options.columns;
    for (size_t i = 0; i < columns.count; i++)
        if (!column_fits(tape, &columns.column[i], i + 1) || !is_new(tape, columns, i))
            return NULL;
    if (!find_rows(tape, &options, &rows))
        return NULL;
    gb_batches *const b = gb_tape_keep(tape, sizeof *b + columns.count * sizeof *b->column);
    if (!b || !gb_row_order_make(tape, &b->order, rows, options.only))
        return NULL;
    b->tape = tape;
    b->sharded = options.sharded;
    if (!find_sizes(b, options.batch) || (b->batch < b->rows && !options.in_order && !shuffle(b, &options)))
        return NULL;
    for (size_t i = 0; i < columns.count; i++)
        if (!take_column(b, &columns.column[i]))
            return NULL;
    return b;
}

/* ---- batches for those who look on ---- */

static bool take_copy(gb_batches *b, const own_column *column)
{
    own_column *const own = &b->column[b->count++];
    const bool is_whole = !b->order.shuffled && !b->order.only && b->most == b->order.rows;
    *own = *column;
    if (own->batch && !is_whole)
        own->batch = gb_tape_keep(b->tape, own->bytes * (size_t)b->most + 1);
    return own->batch || !column->batch;
}

gb_batches *gb_batches_again(const gb_batches *b, const char *stream)
{
    gb_batches *const made = gb_tape_keep(b->tape, sizeof *made + b->count * sizeof *made->column);
    if (!made)
        return NULL;
    *made = *b;
    made->at = (gb_batches_place){0};
    made->count = 0;
    if (!gb_row_order_again(b->tape, &made->order, stream, b->most))
        return NULL;
    for (size_t i = 0; i < b->count; i++)
        if (!take_copy(made, &b->column[i]))
            return NULL;
    return made;
}

/* The first batch of an epoch is never short. Unshuffled epochs are all the same; there it is one of their
 * batches. */
bool gb_batches_pick(gb_batches *b, uint64_t number)
{
    const int64_t batches = gb_batches_count(b);
    gb_batches_place place = {.epoch = number};
    if (!b->order.shuffled && batches > 1)
        place = (gb_batches_place){.row = b->batch * (int64_t)(gb_noise_mix(number) % (uint64_t)batches)};
    return gb_batches_go(b, place) == GB_OK && gb_next_batch(b);
}

/* ---- going through ---- */

/* Fails with the number of a row that the input cannot have. */
static bool reject_number(const gb_batches *b, const own_column *column, int64_t row, size_t element)
{
    const gb_numbers *const v = &column->values;
    char place[64] = "";
    if (column->each > 1)
        snprintf(place, sizeof place, ", element %zu", element);
    const char *const why =
        column->type == GB_NUMBER_FLOAT
            ? "is too large for a float tape; scale the column (gb_standard_new), or make the tape with "
              ".real = GB_DOUBLE"
        : column->type == GB_NUMBER_INT32
            ? "does not fit the 32-bit integers of a float tape (gb_tape_new(.real = GB_DOUBLE) has 64 bits)"
            : "is no integer of 64 bits";
    gb_fail(b->tape, GB_ELIMIT, "batches: column %s, row %lld%s: %.17g %s", gb_node_name(column->input),
            (long long)row, place, gb_numbers_at(*v, (size_t)row * column->each + element), why);
    return false;
}

static const char *row_at(const own_column *column, int64_t row)
{
    return (const char *)column->values.at +
           (size_t)row * column->each * gb_number_bytes(column->values.type);
}

/* Rows in a random order are found nowhere near: a batch of 128 rows of 784 bytes took three times as long
 * without this. */
static void prefetch_row(const own_column *column, const uint32_t *order, int64_t i, int64_t rows)
{
    enum { AHEAD = 2, LINE = 64, MOST = 4096 };
    if (i + AHEAD >= rows)
        return;
    const char *const row = row_at(column, order[i + AHEAD]);
    const size_t bytes = column->each * gb_number_bytes(column->values.type);
    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        __builtin_prefetch(row + at);
}

/* Converts `count` rows that stand side by side to row `to` of the batch. */
static bool convert_rows(const gb_batches *b, const own_column *column, int64_t row, int64_t count,
                         int64_t to)
{
    const size_t each = column->each, numbers = (size_t)count * each;
    const size_t good = gb_numbers_convert(column->values, (size_t)row * each, numbers, column->type,
                                           column->batch + (size_t)to * column->bytes);
    return good == numbers || reject_number(b, column, row + (int64_t)(good / each), good % each);
}

static bool convert(const gb_batches *b, const own_column *column, share of)
{
    const uint32_t *const order = of.order;
    const int64_t rows = of.rows;
    if (!order)
        return convert_rows(b, column, of.first, rows, 0);
    for (int64_t i = 0; i < rows; i++) {
        prefetch_row(column, order, i, rows);
        if (!convert_rows(b, column, order[i], 1, i))
            return false;
    }
    return true;
}

static void copy(const own_column *column, const uint32_t *order, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) {
        prefetch_row(column, order, i, rows);
        memcpy(column->batch + (size_t)i * column->bytes, row_at(column, order[i]), column->bytes);
    }
}

static bool feed(gb_batches *b, const own_column *column, share of)
{
    const bool is_ready = !of.order && b->most == b->order.rows; /* converted when it was made */
    if (column->is_converted && !is_ready && !convert(b, column, of))
        return false;
    if (!column->is_converted && of.order)
        copy(column, of.order, of.rows);
    const char *const all = column->batch ? column->batch : column->values.at;
    const bool is_alone = column->batch && !is_ready; /* the share has the buffer for itself */
    const char *const fed = all + (is_alone ? 0 : (size_t)of.first * column->bytes);
    if (gb_feed_borrowed(column->input, fed, of.rows) != GB_OK)
        return false;
    gb_feed_is_of(column->input, of.order, of.first);
    return true;
}

static int64_t rank_of(const gb_batches *b)
{
    const gb_team *const team = gb_tape_team(b->tape);
    return team ? team->rank : 0;
}

/* Of so many rows, those of members before this one. */
static int64_t part_before(const gb_batches *b, int64_t rank, int64_t rows)
{
    const gb_team *const team = gb_tape_team(b->tape);
    return rows * rank / (team ? team->members : 1);
}

int64_t gb_batches_own_rows(const gb_batches *b)
{
    const int64_t rank = rank_of(b), batches = b->rows / b->batch, rest = b->rows % b->batch;
    if (b->sharded)
        return b->order.rows;
    return batches * (part_before(b, rank + 1, b->batch) - part_before(b, rank, b->batch)) +
           part_before(b, rank + 1, rest) - part_before(b, rank, rest);
}

/* The members of a team each have a part of the batch, in the order of their ranks. */
static share part_of(gb_batches *b, int64_t rows)
{
    const int64_t rank = rank_of(b), from = part_before(b, rank, rows), to = part_before(b, rank + 1, rows);
    const uint32_t *const order = gb_row_order_next(&b->order, b->at.epoch, b->at.row, rows);
    return (share){order ? order + from : NULL, b->at.row + from, to - from};
}

static share own_share(gb_batches *b)
{
    const int64_t batch = b->at.row / b->batch, from = rows_before(b, batch),
                  rows = rows_before(b, batch + 1) - from;
    return (share){gb_row_order_next(&b->order, b->at.epoch, from, rows), from, rows};
}

bool gb_next_batch(gb_batches *b)
{
    if (!b || gb_error(b->tape) != GB_OK)
        return false;
    if (b->at.row >= b->rows) {
        b->at = (gb_batches_place){.epoch = b->at.epoch + 1};
        return false;
    }
    const int64_t left = b->rows - b->at.row, rows = left < b->batch ? left : b->batch;
    const share mine = b->sharded ? own_share(b) : part_of(b, rows);
    for (size_t i = 0; i < b->count; i++)
        if (!feed(b, &b->column[i], mine))
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
    if (!b)
        return (gb_batches_order){0};
    return (gb_batches_order){b->rows, b->batch, b->sharded ? b->key : gb_row_order_code(&b->order)};
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
    const int64_t rows = b->rows;
    return place.row == rows || (place.row >= 0 && place.row < rows && place.row % b->batch == 0);
}

gb_status gb_batches_go(gb_batches *b, gb_batches_place place)
{
    if (!b || gb_error(b->tape) != GB_OK)
        return b ? gb_error(b->tape) : GB_EARGUMENT;
    if (!gb_batches_has(b, place))
        return gb_fail(b->tape, GB_EARGUMENT, "batches: no batch of %lld rows begins at row %lld of %lld",
                       (long long)b->batch, (long long)place.row, (long long)b->rows);
    b->at = place;
    const int64_t own = b->sharded ? rows_before(b, place.row / b->batch) : place.row;
    if (own > 0 && place.row < b->rows)
        gb_row_order_go(&b->order, place.epoch, own);
    return GB_OK;
}

gb_column_list gb_columns_of(size_t count, const gb_column *columns)
{
    return (gb_column_list){.column = columns, .count = count};
}
