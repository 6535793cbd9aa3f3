/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prediction/predict/prediction_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gb_own_prediction *gb_prediction_new(gb_tape *tape, const char *name)
{
    const gb_memory memory = gb_tape_memory(tape);
    gb_own_prediction *const p = gb_memory_resize(&memory, NULL, sizeof *p);
    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    p->memory = memory;
    p->tape = tape;
    p->name = gb_memory_resize(&memory, NULL, strlen(name) + 1);
    if (!p->name) {
        gb_prediction_free(&p->shown);
        return NULL;
    }
    strcpy(p->name, name);
    return p;
}

void gb_prediction_free(gb_prediction *prediction)
{
    gb_own_prediction *const p = (void *)prediction;
    if (!p)
        return;
    const gb_memory memory = p->memory;
    for (size_t i = 0; i < GB_PREDICTED; i++)
        gb_memory_release(&memory, p->array[i]);
    void *const blocks[] = {p->draw, p->level, p->row, p->name, p};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gb_memory_release(&memory, blocks[i]);
}

bool gb_prediction_room(gb_own_prediction *p, gb_predicted which, size_t each)
{
    const size_t count = p->shown.rows * each;
    double *const array = gb_memory_resize(&p->memory, NULL, count * sizeof *array + 1);
    for (size_t i = 0; array && i < count; i++)
        array[i] = (double)NAN;
    p->array[which] = array;
    p->each[which] = each;
    return array;
}

/* ---- order ---- */

/* A row of the data set, and where it is in the arrays. */
typedef struct placed {
    size_t row, at;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *const x = a, *const y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->at > y->at) - (x->at < y->at);
}

static void permute(const placed *order, size_t rows, double *array, size_t each, double *room)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(room + i * each, array + order[i].at * each, each * sizeof *room);
    memcpy(array, room, rows * each * sizeof *room);
}

static bool is_in_order(const gb_own_prediction *p)
{
    for (size_t i = 1; i < p->shown.rows; i++)
        if (p->row[i] < p->row[i - 1])
            return false;
    return true;
}

bool gb_prediction_order(gb_own_prediction *p)
{
    const size_t rows = p->shown.rows;
    size_t most = p->shown.elements;
    if (is_in_order(p))
        return true;
    for (size_t i = 0; i < GB_PREDICTED; i++)
        most = p->each[i] > most ? p->each[i] : most;
    double *const room = gb_memory_resize(&p->memory, NULL, rows * most * sizeof *room + 1);
    placed *const order = room ? gb_memory_resize(&p->memory, NULL, rows * sizeof *order) : NULL;
    for (size_t i = 0; order && i < rows; i++)
        order[i] = (placed){.row = p->row[i], .at = i};
    if (order) {
        qsort(order, rows, sizeof *order, compare_placed);
        for (size_t i = 0; i < GB_PREDICTED; i++)
            if (p->array[i])
                permute(order, rows, p->array[i], p->each[i], room);
        for (size_t d = 0; p->draw && d < p->shown.draws; d++)
            permute(order, rows, p->draw + d * rows * p->shown.elements, p->shown.elements, room);
        for (size_t i = 0; i < rows; i++)
            p->row[i] = order[i].row;
    }
    const bool good = order;
    gb_memory_release(&p->memory, order);
    gb_memory_release(&p->memory, room);
    return good;
}

/* ---- what is shown ---- */

void gb_prediction_show(gb_own_prediction *p)
{
    gb_prediction *const s = &p->shown;
    const double **const shown[GB_PREDICTED] = {&s->mean,        &s->sd,
                                                &s->epistemic,   &s->noise,
                                                &s->quantile,    &s->outcome,
                                                &s->log_density, &s->log_density_error,
                                                &s->below,       &s->up_to,
                                                &s->crps,        &s->probability,
                                                &s->entropy,     &s->expected_entropy,
                                                &s->information, &s->weight};
    for (size_t i = 0; i < GB_PREDICTED; i++)
        *shown[i] = p->array[i];
    s->name = p->name;
    s->words = p->words;
    s->row = p->row;
    s->level = p->level;
    s->draw = p->draw;
}

void gb_prediction_say(gb_own_prediction *p, const char *format, ...)
{
    const size_t used = strlen(p->words), left = sizeof p->words - used;
    va_list arguments;
    va_start(arguments, format);
    const int begun = used > 0 && left > 1 ? snprintf(p->words + used, left, "\n") : 0;
    vsnprintf(p->words + used + begun, left - (size_t)begun, format, arguments);
    va_end(arguments);
}
