/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression on UCI sets by the splits and the protocol of Gal and Ghahramani (2016). */
#ifndef GREBE_BENCH_UCI_H
#define GREBE_BENCH_UCI_H

#include "results.h"

enum { UCI_GRID = 8, UCI_BATCH = 128 };

/* A data set as its folder has it. */
typedef struct uci_set {
    const char *name;
    gb_table *table;
    char features[256], target[24]; /* names of columns */
    int64_t columns, units, epochs, splits;
    size_t rates, taus;
    double rate[UCI_GRID], tau[UCI_GRID];
} uci_set;

/* One training: what a model is recorded from. */
typedef struct uci_job {
    const uci_set *set;
    gb_rows train, test;
    gb_rows held_out; /* when to stop; {0}: after all steps */
    uint64_t epochs_at_best;
    double rate, tau; /* of dropout: the probability to drop, and the precision of the target in its units */
    gb_optimiser optimiser;
    int64_t epochs, steps; /* the one that is reached first ends the training; 0: no limit */
    int64_t window;        /* steps from one look at the held-out rows to the next */
    int64_t draws;
    bool only_moments; /* no intervals, which take longer */
    uint64_t seed;
    gb_tape *t;
    gb_node x, y; /* standardised */
    double rows;  /* of the training */
    double sd;    /* of the target: a standardised 1 in its units */
} uci_job;

/* Records a model and returns its ELBO, whose outcome is "y". */
typedef gb_elbo *uci_model(const uci_job *j);
uci_model uci_dropout, uci_concrete_dropout, uci_shared, uci_local, uci_last_layer, uci_ensemble;

/* Reads a set but for its splits. The tape has the errors of its table, and keeps the rows of splits. */
bool uci_read(const results *r, const char *name, gb_tape *t, uci_set *s);
gb_rows uci_rows(const results *r, const uci_set *s, const char *part, int64_t split);

/* What is recorded of a training. */
enum {
    UCI_LL,
    UCI_RMSE,
    UCI_MAE,
    UCI_CRPS,
    UCI_COVER50,
    UCI_COVER90,
    UCI_COVER95,
    UCI_CALIBRATION,
    UCI_STEPS,
    UCI_NUMBERS
};

/* Trains a model on some rows. Then it predicts others; or, if rows are held out, it only says when they were
 * predicted best. Returns false, with a message, if that failed. */
bool uci_train(uci_job *j, uci_model *model, double numbers[UCI_NUMBERS]);

#endif
