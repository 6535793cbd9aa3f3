/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/judge/kept_starts_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/tape.h"
#include "estimators/visit.h"
#include "models/elbo/elbo_impl.h"

enum { MOST = 8, WORDS = 400 };

typedef struct gb_kept_starts {
    uint64_t state; /* of the variables */
    size_t count;
    gb_judge_start start[MOST];
    double *numbers; /* [MOST][2][n] */
    bool is_unfinished;
    char words[WORDS];
} gb_kept_starts;

/* A number for all values of all variables, by FNV-1a over their bytes. Returns false if memory runs out. */
static bool find_state(gb_elbo *e, uint64_t *state)
{
    const gb_memory memory = gb_tape_memory(e->tape);
    const gb_node loss = gb_elbo_loss(e);
    const size_t count = gb_node_variables(loss, NULL, 0),
                 width = gb_tape_real(e->tape) == GB_FLOAT ? sizeof(float) : sizeof(double);
    gb_node *const variable = gb_memory_resize(&memory, NULL, (count + 1) * sizeof *variable);
    *state = 0xcbf29ce484222325u;
    if (!variable)
        return false;
    gb_node_variables(loss, variable, count);
    const bool good = gb_error(e->tape) == GB_OK;
    for (size_t i = 0; i < count && good; i++) {
        const unsigned char *const data = gb_variable_data(variable[i]);
        for (size_t k = 0; data && k < gb_value_count(variable[i]) * width; k++)
            *state = (*state ^ data[k]) * 0x100000001b3u;
    }
    gb_memory_release(&memory, variable);
    return good;
}

static gb_kept_starts *room_for(gb_elbo *e, size_t n)
{
    if (!e->starts) {
        gb_kept_starts *const f = gb_tape_keep(e->tape, sizeof *f);
        double *const numbers = f ? gb_tape_keep(e->tape, (2 * MOST * n + 1) * sizeof *numbers) : NULL;
        if (!numbers)
            return NULL;
        memset(f, 0, sizeof *f);
        f->numbers = numbers;
        e->starts = f;
    }
    return e->starts;
}

bool gb_starts_keep(gb_elbo *e, size_t n, size_t count, const gb_judge_start *starts, const char *unfinished)
{
    gb_kept_starts *const f = room_for(e, n);
    if (!f || !find_state(e, &f->state))
        return gb_fail(e->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", n) == GB_OK;
    f->count = count < MOST ? count : MOST;
    for (size_t i = 0; i < f->count; i++) {
        double *const mean = f->numbers + 2 * n * i, *const sd = mean + n;
        memcpy(mean, starts[i].mean, n * sizeof *mean);
        memcpy(sd, starts[i].sd, n * sizeof *sd);
        f->start[i] = starts[i];
        f->start[i].mean = mean;
        f->start[i].sd = sd;
    }
    f->is_unfinished = unfinished != NULL;
    snprintf(f->words, sizeof f->words, "%s", unfinished ? unfinished : "");
    return true;
}

void gb_starts_recall(gb_elbo *e, gb_judge_options *options)
{
    const gb_kept_starts *const f = e ? e->starts : NULL;
    uint64_t state;
    if (!f || options->starts || options->unfinished || !find_state(e, &state) || state != f->state)
        return;
    options->starts = f->count > 0 ? f->start : NULL;
    options->start_count = f->count;
    options->unfinished = f->is_unfinished ? f->words : NULL;
}
