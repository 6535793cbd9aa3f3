/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_fit, inside: its program, its progress line, and what it saves. */
#ifndef GREBE_MODELS_TRAINING_FIT_IMPL_H
#define GREBE_MODELS_TRAINING_FIT_IMPL_H

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
    int64_t steps, count; /* taken; whose ELBO is finite */
    double mean, squares;
    bool moved; /* the weight of KL */
} gb_fit_window;

typedef struct gb_fit_run {
    gb_fit_options options;
    gb_tape *tape;
    int64_t steps; /* after which it ends; 0: not known */
    size_t room;   /* for points */
    gb_fit_point *point;
    double gradient_norm, kl_weight; /* at the last step */
    gb_fit_window window;
    gb_plateau plateau;
    gb_fit_end ended; /* how the training that was saved had ended; GB_FIT_STEPS: it had not */
    gb_fit_progress progress;
    double began;
    gb_fit_result result;
} gb_fit_run;

/* Finds the program of an earlier call, or makes one. False: the tape has the error. */
bool gb_fit_find_program(gb_fit_run *f, gb_node loss);

/* Goes on from options.checkpoint, if there is that file. False: the tape has the error. */
bool gb_fit_resume(gb_fit_run *f);

/* Saves to options.checkpoint; false likewise. */
bool gb_fit_save(const gb_fit_run *f);

/* Whether that file can be written; false likewise. */
bool gb_fit_can_save(const gb_fit_run *f);

#endif
