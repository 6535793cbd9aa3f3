/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_fit saves besides variables and steps: where it is in the data, and in its window. */
#include <errno.h>
#include <sys/stat.h>

#include "models/checkpoint.h"
#include "models/fit_impl.h"

/* Whole numbers below 2^53 among them are exact. */
enum { STATE = 14 };

static void state_of(const gb_fit_run *f, double state[STATE])
{
    const gb_batches_place at = gb_batches_at(f->options.data);
    const gb_plateau *const p = &f->plateau;
    const double now[STATE] = {(double)(f->result.before + f->result.steps),
                               (double)at.epoch,
                               (double)at.row,
                               (double)f->window.count,
                               f->window.mean,
                               f->window.squares,
                               (double)p->count,
                               (double)p->windows,
                               p->mean,
                               p->squares,
                               p->mean_before,
                               p->variance_before,
                               f->kl_weight_moved,
                               f->kl_weight};
    for (int i = 0; i < STATE; i++)
        state[i] = now[i];
}

static bool take_state(gb_fit_run *f, const double state[STATE])
{
    f->result.before = (uint64_t)state[0];
    f->window = (gb_fit_window){(int64_t)state[3], state[4], state[5]};
    f->kl_weight_moved = state[12] != 0;
    f->kl_weight = state[13];
    f->plateau = (gb_plateau){.options = f->plateau.options,
                              .count = (int64_t)state[6],
                              .windows = (int64_t)state[7],
                              .mean = state[8],
                              .squares = state[9],
                              .mean_before = state[10],
                              .variance_before = state[11]};
    const gb_batches_place at = {.epoch = (uint64_t)state[1], .row = (int64_t)state[2]};
    return !f->options.data || gb_batches_go(f->options.data, at) == GB_OK;
}

static gb_checkpoint file_of(const gb_fit_run *f, const gb_checkpoint_part *part)
{
    return (gb_checkpoint){.size = sizeof(gb_checkpoint),
                           .tape = f->tape,
                           .path = f->options.checkpoint,
                           .programs = 1,
                           .program = &f->result.program,
                           .parts = 1,
                           .part = part};
}

bool gb_fit_save(const gb_fit_run *f)
{
    double state[STATE];
    state_of(f, state);
    const gb_checkpoint_part part = {.name = "fit", .data = state, .bytes = sizeof state};
    const gb_checkpoint file = file_of(f, &part);
    return gb_checkpoint_save(&file) == GB_OK;
}

bool gb_fit_resume(gb_fit_run *f)
{
    double state[STATE];
    struct stat found;
    const gb_checkpoint_part part = {.name = "fit", .data = state, .bytes = sizeof state};
    const gb_checkpoint file = file_of(f, &part);
    if (stat(f->options.checkpoint, &found) != 0 && errno == ENOENT)
        return true;
    return gb_checkpoint_load(&file) == GB_OK && take_state(f, state);
}
