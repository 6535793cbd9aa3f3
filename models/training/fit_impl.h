/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a running training. */
#ifndef GREBE_MODELS_TRAINING_FIT_IMPL_H
#define GREBE_MODELS_TRAINING_FIT_IMPL_H

#include "models/training.h"

/* Mean and spread of the steps in a window. */
typedef struct gb_fit_window {
    int64_t steps, count; /* steps taken; steps with a finite ELBO */
    double mean, squares;
    bool moved; /* the weight of KL changed */
} gb_fit_window;

/* Validation: see early_impl.h. */
typedef struct gb_fit_early {
    struct gb_held_out *scores; /* NULL: there is none */
    int64_t windows;            /* since the latest validation */
    int64_t worse;              /* validations in a row that were no better than the best */
    bool is_best;               /* the variables have the best values, and "NAME.best" the last ones */
    double validation, error;   /* of the window that ends now; NaN: none */
} gb_fit_early;

typedef struct gb_fit_run {
    gb_elbo *elbo;
    gb_fit_options options;
    gb_tape *tape;
    struct gb_elbo_training *training; /* NULL until its program is found */
    struct gb_feeds *feeds;            /* while `.each` is called; NULL without it */
    int64_t steps;                     /* number of steps until the end; 0: unknown */
    size_t room;                       /* capacity of `point` */
    gb_fit_point *point;
    double gradient_norm, kl_weight; /* at the last step */
    gb_fit_window window;
    gb_plateau plateau;
    gb_fit_early early;
    gb_fit_end ended; /* end of the training in the checkpoint; GB_FIT_STEPS: it had not ended */
    struct gb_fit_progress *progress;
    double began;
    gb_fit_result result;
} gb_fit_run;

/* Checks the options. Returns false, and records an error, if they are invalid. Fills in the window, the
 * number of steps, and the options of the plateau. */
bool gb_fit_options_fit(gb_fit_run *f);

/* Returns whether the data are the data set of the ELBO, or a part of it, which the ELBO then keeps in mind.
 * If not, records an error. */
bool gb_fit_data_fit(gb_elbo *e, gb_program *program, const gb_batches *data, bool part_of_data);

/* Gives the inputs back what they had before `.each` was called. Rows that it fed and did not run are an
 * error, unless `data` feed the inputs. */
void gb_fit_restore(gb_tape *tape, struct gb_feeds *feeds, const gb_batches *data);

/* Returns whether `.stop` says that the fit ends: to all members of a team, if it says so to one. */
bool gb_fit_is_stopped(gb_tape *tape, const volatile int *stop);

/* Trains: gb_fit with an optimiser. */
gb_fit_result gb_fit_train(gb_elbo *elbo, const gb_fit_options *options);

#endif
