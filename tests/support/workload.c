/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { FEATURES = 5, CLASSES = 3 };

static gb_node variable(gb_tape *tape, const char *name, gb_shape shape)
{
    const size_t count = gb_shape_count(shape);
    double *start = calloc(count + 1, sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[i] = sin((double)i + 0.3);
    const gb_node node = gb_variable(tape, name, shape, gb_values_of(start, count));
    free(start);
    return node;
}

static gb_updates descend(gb_node loss, gb_node x)
{
    return gb_assign(x, gb_sub(x, gb_scale(gb_grad(loss, x), 0.01)));
}

void workload_record(workload *w, gb_tape *tape, int64_t rows, int64_t width, int64_t wide)
{
    *w = (workload){.tape = tape, .rows = rows, .width = width, .wide = wide};
    w->x = gb_input_rows(tape, "x", gb_shape(FEATURES));
    w->label = gb_input_rows_ints(tape, "label", gb_shape());
    w->weights = variable(tape, "weights", gb_shape(FEATURES, width));
    w->bias = variable(tape, "bias", gb_shape(width));
    w->table = variable(tape, "table", gb_shape(CLASSES, width));
    w->columns = variable(tape, "columns", gb_shape(4, wide));
    w->noise = gb_normal_noise(gb_stream(tape, "noise"), gb_shape(FEATURES, width), GB_SAMPLES);
    const gb_node drawn = gb_add(w->weights, gb_scale(w->noise, 0.1));
    const gb_node layer = gb_tanh(gb_affine(w->x, drawn, w->bias));
    const gb_node mask =
        gb_bernoulli_noise(gb_stream(tape, "mask"), gb_shape(width), GB_SAMPLES | GB_ROWS, gb_num(tape, 0.8));
    const gb_node kept = gb_mul(layer, mask),
                  turned = gb_concat(2, (gb_node[]){gb_slice(kept, 0, 1, width), gb_slice(kept, 0, 0, 1)}, 0);
    const gb_node score = gb_sum(gb_mul(gb_add(kept, turned), gb_gather(w->table, 0, w->label)));
    w->prediction = gb_mean_over(gb_sigmoid(score), GB_SAMPLES);
    const gb_node bound = gb_logsumexp_over(gb_log_sigmoid(score), GB_SAMPLES);
    const gb_node spread = gb_sum(gb_square(gb_sum_along(gb_tanh(w->columns), gb_axis(0))));
    w->loss = gb_sub(gb_scale(spread, 1e-3), gb_mean_over(bound, GB_ROWS));
    gb_updates updates = gb_updates_join(descend(w->loss, w->weights), descend(w->loss, w->bias));
    updates =
        gb_updates_join(updates, gb_updates_join(descend(w->loss, w->table), descend(w->loss, w->columns)));
    w->train = gb_compile(tape, gb_roots(w->loss, w->prediction, w->noise), updates);
    w->look = gb_compile(tape, gb_roots(w->loss), gb_no_update);
}

gb_status workload_feed(const workload *w)
{
    double *x = calloc((size_t)(w->rows * FEATURES) + 1, sizeof *x);
    int64_t *label = calloc((size_t)w->rows + 1, sizeof *label);
    for (int64_t i = 0; i < w->rows * FEATURES; i++)
        x[i] = cos((double)i * 0.7);
    for (int64_t i = 0; i < w->rows; i++)
        label[i] = i * 7 % CLASSES;
    gb_status status = gb_feed(w->x, x, w->rows);
    if (status == GB_OK)
        status = gb_feed_ints(w->label, label, w->rows);
    free(x);
    free(label);
    return status;
}

double *workload_values(const workload *w, size_t *count)
{
    const gb_node nodes[] = {w->weights, w->bias, w->table, w->columns, w->loss, w->prediction, w->noise};
    double *values = NULL;
    *count = 0;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        const size_t more = gb_value_count(nodes[i]);
        values = realloc(values, (*count + more + 1) * sizeof *values);
        gb_read(nodes[i], values + *count, more);
        *count += more;
    }
    if (gb_error(w->tape) == GB_OK)
        return values;
    free(values);
    return NULL;
}
