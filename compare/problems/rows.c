/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/problems/rows_impl.h"

#include <string.h>

#include "core/kernels/noise_impl.h"
#include "core/op.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* An input, and the values that its rows are taken from. */
typedef struct gb_row_input {
    struct gb_row_input *before;
    gb_node node;
    size_t each; /* numbers of a row */
    const double *values;
    double *batch;   /* room for its rows, of a trial with batches */
    uint32_t *order; /* of all rows, of the first input: 0, 1, 2 … between two runs */
} gb_row_input;

static bool rows_fit(gb_trial *trial, const char *name, size_t rows, const double *values)
{
    name = name ? name : "(NULL)";
    if (gb_error(trial->tape) != GB_OK)
        return false;
    if (rows == 0 || rows > INT32_MAX || !values)
        gb_fail(trial->tape, GB_EARGUMENT,
                "rows %s: %zu rows, and %s; there must be values of 1 to 2^31 - 1 rows", name, rows,
                values ? "values" : "no values");
    else if (trial->rows > 0 && trial->rows != (int64_t)rows)
        gb_fail(trial->tape, GB_ESHAPE, "rows %s: %zu rows, but an earlier input has %lld", name, rows,
                (long long)trial->rows);
    else if (trial->batch > (int64_t)rows)
        gb_fail(trial->tape, GB_ESHAPE, "rows %s: a batch of %lld rows, and there are %zu", name,
                (long long)trial->batch, rows);
    else
        return true;
    return false;
}

/* Returns NULL without memory. */
static gb_row_input *row_input(gb_trial *trial, gb_node node, const double *values)
{
    gb_row_input *const input = gb_tape_keep(trial->tape, sizeof *input);
    if (!input)
        return NULL;
    *input = (gb_row_input){.before = trial->row_input,
                            .node = node,
                            .each = gb_shape_count(gb_node_shape(node)),
                            .values = values};
    const size_t batch = (size_t)trial->batch, rows = (size_t)trial->rows;
    if (batch > 0)
        input->batch = gb_tape_keep(trial->tape, batch * input->each * sizeof *input->batch + 1);
    if (batch > 0 && !input->before)
        input->order = gb_tape_keep(trial->tape, rows * sizeof *input->order);
    for (size_t i = 0; input->order && i < rows; i++)
        input->order[i] = (uint32_t)i;
    return gb_error(trial->tape) == GB_OK ? input : NULL;
}

gb_node gb_trial_rows(gb_trial *trial, const char *name, gb_shape shape, size_t rows, const double *values)
{
    if (!rows_fit(trial, name, rows, values))
        return (gb_node){0};
    const gb_node node = gb_input_rows(trial->tape, name, shape);
    trial->rows = (int64_t)rows;
    gb_row_input *const input = gb_node_ok(node) ? row_input(trial, node, values) : NULL;
    if (!input)
        return (gb_node){0};
    trial->row_input = input;
    const int64_t fed = trial->batch > 0 ? trial->batch : trial->rows;
    return gb_feed(node, values, fed) == GB_OK ? node : (gb_node){0};
}

gb_node gb_trial_row_sum(gb_trial *trial, gb_node x)
{
    const double share = trial->batch > 0 ? (double)trial->rows / (double)trial->batch : 1;
    return gb_scale(gb_sum_over(x, GB_ROWS), share);
}

/* ---- batches ---- */

static uint32_t pick(uint64_t key, uint64_t run, uint32_t at, uint32_t most)
{
    const uint32_t counter[4] = {at, 0, (uint32_t)run, (uint32_t)(run >> 32)};
    return gb_philox_below(counter, key, most);
}

static void exchange(uint32_t *order, size_t a, size_t b)
{
    const uint32_t before = order[a];
    order[a] = order[b];
    order[b] = before;
}

static bool feed(const gb_row_input *input, const uint32_t *order, int64_t batch)
{
    for (size_t i = 0; i < (size_t)batch; i++)
        memcpy(input->batch + i * input->each, input->values + order[i] * input->each,
               input->each * sizeof *input->batch);
    return gb_feed(input->node, input->batch, batch) == GB_OK;
}

/* The first exchanges of a shuffle (Fisher and Yates 1938). Taken back, they leave the order as it was. */
bool gb_trial_next_rows(gb_trial *trial, uint64_t run)
{
    const uint64_t key = gb_noise_key_for(gb_noise_mix(gb_tape_seed(trial->tape)), 1);
    const size_t batch = (size_t)trial->batch;
    gb_row_input *first = trial->row_input;
    if (batch == 0 || !first)
        return true;
    while (first->before)
        first = first->before;
    for (size_t i = 0; i < batch; i++)
        exchange(first->order, i, i + pick(key, run, (uint32_t)i, (uint32_t)((size_t)trial->rows - i)));
    bool good = true;
    for (const gb_row_input *input = trial->row_input; input && good; input = input->before)
        good = feed(input, first->order, trial->batch);
    for (size_t i = batch; i-- > 0;)
        exchange(first->order, i, i + pick(key, run, (uint32_t)i, (uint32_t)((size_t)trial->rows - i)));
    return good;
}
