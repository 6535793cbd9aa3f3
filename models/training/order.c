/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/training/order_impl.h"

#include "core/graph/streams_impl.h"
#include "core/kernels/noise_impl.h"
#include "core/noise.h"
#include "core/op.h"

/* ---- shuffling ---- */

/* What is shuffled has random numbers of its own: all rows, the windows, or the rows of window `i`. */
enum { OF_ALL = 0, OF_FIRST_WINDOW = 1 };
static const uint32_t of_windows = UINT32_MAX;

/* The shuffle of Fisher and Yates, of from[0], from[1] …; NULL: of first, first + 1 …. */
static void shuffle(const gb_row_order *o, uint32_t which, uint64_t epoch, const uint32_t *from,
                    uint32_t first, uint32_t count, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t counter[4] = {i + 1, which, (uint32_t)epoch, (uint32_t)(epoch >> 32)};
        const uint32_t other = gb_philox_below(counter, o->key, i + 1);
        to[i] = to[other];
        to[other] = from ? from[first + i] : first + i;
    }
}

/* ---- windows ---- */

static uint32_t count_windows(const gb_row_order *o)
{
    return (uint32_t)((o->rows + o->window - 1) / o->window);
}

/* The window of that index in the original order; the last one may be shorter. */
static int64_t rows_of_window(const gb_row_order *o, uint32_t index)
{
    const int64_t left = o->rows - index * o->window;
    return left < o->window ? left : o->window;
}

/* Shuffles the rows of the window that is the next one of the epoch. */
static void next_window(gb_row_order *o, uint64_t epoch)
{
    const uint32_t index = o->windows[++o->at];
    const int64_t rows = rows_of_window(o, index);
    o->begins = o->ends;
    o->ends += rows;
    shuffle(o, OF_FIRST_WINDOW + index, epoch, o->only, (uint32_t)(index * o->window), (uint32_t)rows,
            o->shuffled);
}

static void begin_windows(gb_row_order *o, uint64_t epoch, int64_t place)
{
    const uint32_t count = count_windows(o);
    shuffle(o, of_windows, epoch, NULL, 0, count, o->windows);
    o->at = -1;
    o->begins = o->ends = 0;
    while (o->at + 2 < count && o->ends + rows_of_window(o, o->windows[o->at + 1]) <= place)
        o->ends += rows_of_window(o, o->windows[++o->at]);
    next_window(o, epoch);
}

static const uint32_t *next_of_windows(gb_row_order *o, uint64_t epoch, int64_t place, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (place + i >= o->ends)
            next_window(o, epoch);
        o->batch[i] = o->shuffled[place + i - o->begins];
    }
    return o->batch;
}

/* ---- the order ---- */

void gb_row_order_go(gb_row_order *o, uint64_t epoch, int64_t place)
{
    if (!o->shuffled || o->rows == 0)
        return;
    if (o->window)
        begin_windows(o, epoch, place);
    else
        shuffle(o, OF_ALL, epoch, o->only, 0, (uint32_t)o->rows, o->shuffled);
}

const uint32_t *gb_row_order_next(gb_row_order *o, uint64_t epoch, int64_t place, int64_t count)
{
    if (place == 0)
        gb_row_order_go(o, epoch, place);
    if (o->windows)
        return next_of_windows(o, epoch, place, count);
    const uint32_t *const all = o->shuffled ? o->shuffled : o->only;
    return all ? all + place : NULL;
}

uint64_t gb_row_order_code(const gb_row_order *o)
{
    const uint64_t prime = 0x100000001b3u;
    if (!o->only && !o->window)
        return o->key;
    uint64_t code = (o->key ^ (uint64_t)o->window) * prime;
    for (int64_t i = 0; o->only && i < o->rows; i++)
        code = (code ^ o->only[i]) * prime;
    return code ? code : 1;
}

/* ---- making ---- */

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

/* Copies the rows of `.only`, which must be there. */
static bool take_only(gb_tape *tape, gb_row_order *o, gb_rows only, int64_t rows)
{
    uint32_t *const own = gb_tape_keep(tape, only.count * sizeof *own);
    for (size_t i = 0; own && i < only.count; i++) {
        if (only.row[i] < 0 || only.row[i] >= rows) {
            gb_fail(tape, GB_EARGUMENT, "batches: .only has row %lld at place %zu, and rows are 0 to %lld",
                    (long long)only.row[i], i, (long long)rows - 1);
            return false;
        }
        own[i] = (uint32_t)only.row[i];
    }
    o->only = own;
    o->rows = (int64_t)only.count;
    return own != NULL;
}

bool gb_row_order_make(gb_tape *tape, gb_row_order *o, int64_t rows, gb_rows only)
{
    o->rows = rows;
    return !only.row || take_only(tape, o, only, rows);
}

static bool make_room(gb_tape *tape, gb_row_order *o, int64_t batch, int64_t window)
{
    const int64_t together = window > 0 && window < o->rows ? window : o->rows;
    o->window = window;
    o->shuffled = gb_tape_keep(tape, (size_t)together * sizeof *o->shuffled);
    if (window > 0) {
        o->windows = gb_tape_keep(tape, count_windows(o) * sizeof *o->windows);
        o->batch = gb_tape_keep(tape, (size_t)batch * sizeof *o->batch);
    }
    return gb_error(tape) == GB_OK;
}

bool gb_row_order_shuffle(gb_tape *tape, gb_row_order *o, const char *name, int64_t batch, int64_t window)
{
    return make_room(tape, o, batch, window) && find_key(tape, name, &o->key);
}

bool gb_row_order_again(gb_tape *tape, gb_row_order *o, const char *name, int64_t batch)
{
    return !o->shuffled ||
           (make_room(tape, o, batch, o->window) && gb_noise_key(gb_stream_repeated(tape, name), &o->key));
}
