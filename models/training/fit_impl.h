/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training while it runs. */
#ifndef GREBE_MODELS_TRAINING_FIT_IMPL_H
#define GREBE_MODELS_TRAINING_FIT_IMPL_H

#include "models/fit.h"

/* Mean and spread of the steps of a window. */
typedef struct gb_fit_window {
    int64_t steps, count; /* taken; whose ELBO is finite */
    double mean, squares;
    bool moved; /* the weight of KL */
} gb_fit_window;

typedef struct gb_fit_run {
    gb_elbo *elbo;
    gb_fit_options options;
    gb_tape *tape;
    struct gb_elbo_training *training; /* once its program is found */
    int64_t steps;                     /* after which it ends; 0: not known */
    size_t room;                       /* for points */
    gb_fit_point *point;
    double gradient_norm, kl_weight; /* at the last step */
    gb_fit_window window;
    gb_plateau plateau;
    gb_fit_end ended; /* how the training that was saved had ended; GB_FIT_STEPS: it had not */
    struct gb_fit_progress *progress;
    double began;
    gb_fit_result result;
} gb_fit_run;

/* Whether the options make sense; else the tape has the error. Fills in the window, the number of steps, and
 * the options of the plateau. */
bool gb_fit_options_fit(gb_fit_run *f);

#endif
