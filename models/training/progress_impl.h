/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line. */
#ifndef GREBE_MODELS_TRAINING_PROGRESS_IMPL_H
#define GREBE_MODELS_TRAINING_PROGRESS_IMPL_H

#include "models/training.h"

typedef struct gb_fit_progress {
    FILE *file; /* NULL: no output */
    bool terminal;
    uint64_t first, steps; /* first step of this call, and the number of steps; 0: unknown */
    double shown;          /* time of the last output, in seconds since the call */
    int width;             /* width of the line on the terminal */
} gb_fit_progress;

/* Begins the output. `steps` is 0 if the number of steps is unknown. */
void gb_fit_progress_begin(gb_fit_progress *progress, FILE *file, uint64_t first, uint64_t steps);

/* Returns whether a line is due: ten times a second on a terminal, once a second elsewhere. */
bool gb_fit_progress_due(const gb_fit_progress *progress, double seconds);

void gb_fit_progress_show(gb_fit_progress *progress, const gb_fit_point *point);

/* Writes the last line, which stays. */
void gb_fit_progress_end(gb_fit_progress *progress, const gb_fit_point *point, const char *why);

#endif
