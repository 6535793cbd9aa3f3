/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line. */
#ifndef GREBE_MODELS_TRAINING_PROGRESS_IMPL_H
#define GREBE_MODELS_TRAINING_PROGRESS_IMPL_H

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

#endif
