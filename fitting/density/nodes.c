/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of the user's at as many points as there are. */
#include <string.h>

#include "fitting/density/density_impl.h"
#include "models/training/data_impl.h"

/* Points of one run. */
enum { AT_ONCE = 256 };

/* Numbers of the result, at most. */
static const double MOST_NUMBERS = 0x1p28;

typedef struct evaluating {
    gb_density *d;
    gb_memory memory;
    gb_program *program;
    size_t nodes, points, columns;
    size_t *count;
    double *values, *room;
} evaluating;

/* Counts the numbers after the first run. */
static bool make_room(evaluating *v, size_t points)
{
    size_t most = 0;
    v->columns = 0;
    for (size_t k = 0; k < v->nodes; k++) {
        v->count[k] = gb_program_root_count(v->program, k) / points;
        most = v->count[k] > most ? v->count[k] : most;
        v->columns += v->count[k];
    }
    if ((double)v->points * (double)v->columns > MOST_NUMBERS) {
        gb_fail(
            v->d->tape, GB_ELIMIT,
            "density: %zu numbers at %zu points are too many: %.3g are more than %.3g; take fewer points (of "
            "gb_elbo_loo: a judgement or NUTS of fewer draws), or predict other rows (gb_predictive)",
            v->columns, v->points, (double)v->points * (double)v->columns, MOST_NUMBERS);
        return false;
    }
    v->values = gb_memory_resize(&v->memory, NULL, v->points * v->columns * sizeof *v->values + 1);
    v->room = gb_memory_resize(&v->memory, NULL, points * most * sizeof *v->room + 1);
    if (!v->values || !v->room)
        gb_fail(v->d->tape, GB_ENOMEM, "density: out of memory for %zu numbers at %zu points", v->columns,
                v->points);
    return v->values && v->room;
}

static bool rows_fit(const evaluating *v, const char *who)
{
    return !who || gb_data_fit(v->d->elbo, who, v->program, NULL, v->d->options.part_of_data);
}

static bool take(const evaluating *v, size_t from, size_t points)
{
    size_t column = 0;
    for (size_t k = 0; k < v->nodes; column += v->count[k++]) {
        if (gb_read_root(v->program, k, v->room) != GB_OK)
            return false;
        for (size_t p = 0; p < points; p++)
            memcpy(v->values + (from + p) * v->columns + column, v->room + p * v->count[k],
                   v->count[k] * sizeof *v->room);
    }
    return true;
}

double *gb_density_nodes(gb_density *d, const char *who, gb_node_list nodes, size_t points, const double *z,
                         size_t *count)
{
    evaluating v = {.d = d,
                    .memory = gb_tape_memory(d->tape),
                    .program = gb_density_program(d, nodes),
                    .nodes = nodes.count,
                    .points = points,
                    .count = count};
    bool good = v.program;
    for (size_t from = 0; from < points && good; from += AT_ONCE) {
        const size_t now = points - from < AT_ONCE ? points - from : AT_ONCE;
        good = gb_density_run(d, v.program, now, z + from * d->count) == GB_OK &&
               (from > 0 || (rows_fit(&v, who) && make_room(&v, now))) && take(&v, from, now);
    }
    gb_program_free(v.program);
    gb_memory_release(&v.memory, v.room);
    if (good)
        return v.values;
    gb_memory_release(&v.memory, v.values);
    return NULL;
}
