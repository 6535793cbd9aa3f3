/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_fit, inside: its progress line, and what it saves. */
#ifndef GREBE_MODELS_FIT_IMPL_H
#define GREBE_MODELS_FIT_IMPL_H

#include "models/fit.h"

typedef struct gb_fit_progress {
    FILE *file; /* NULL: silence */
    bool terminal;
    uint64_t first, steps; /* of this call: begun from, and how many there will be; 0: not known */
    double shown;          /* when, in seconds since the call */
    int width;             /* of the line that is there */
} gb_fit_progress;

/* `steps`: 0 where it is not known how many there will be. */
void gb_fit_progress_begin(gb_fit_progress *progress, FILE *file, uint64_t first, uint64_t steps);

/* Whether it is time for a line: a terminal's changes ten times a second, elsewhere there is one a second. */
bool gb_fit_progress_due(const gb_fit_progress *progress, double seconds);

void gb_fit_progress_show(gb_fit_progress *progress, const gb_fit_point *point);

/* The last line stays. */
void gb_fit_progress_end(gb_fit_progress *progress, const gb_fit_point *point, const char *why);

/* ---- the training ---- */

/* Mean and spread of the steps of a window. */
typedef struct gb_fit_window {
    int64_t count;
    double mean, squares;
} gb_fit_window;

typedef struct gb_fit_run {
    gb_fit_options options;
    gb_tape *tape;
    int64_t steps; /* after which it ends; 0: not known */
    size_t most_points;
    gb_node elbo, squared_norm; /* read after each step; the second is none where nobody asks */
    gb_fit_point *point;
    gb_fit_window window;
    gb_plateau plateau;
    double kl_weight;     /* of the last step */
    bool kl_weight_moved; /* in the window of `plateau` */
    gb_fit_progress progress;
    double began;
    gb_fit_result result;
} gb_fit_run;

/* Goes on from options.checkpoint, if there is that file. False: the tape has the error. */
bool gb_fit_resume(gb_fit_run *f);

/* Saves to options.checkpoint; false likewise. */
bool gb_fit_save(const gb_fit_run *f);

#endif
