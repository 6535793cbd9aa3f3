/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a watch: the model recorded again for each estimator, and what was measured. */
#ifndef GREBE_COMPARE_WATCHING_WATCHING_IMPL_H
#define GREBE_COMPARE_WATCHING_WATCHING_IMPL_H

#include "compare/watch.h"
#include "compare/watching/watch_impl.h"
#include "models/elbo/swap_impl.h"
#include "models/training/onlooker_impl.h"

enum {
    GB_WATCH_ESTIMATORS = 16,
    GB_WATCH_ELEMENTS = 1024,
    GB_WATCH_LEAST = 8, /* gradients */
    GB_WATCH_DRAWS = 100000000,
    GB_WATCH_LESSONS = 100000000,
    GB_WATCH_BATCHES = 256,
    GB_WATCH_WORDS = 640
};

/* Programs with the same roots: a gradient in each variable, then the bound. */
typedef struct gb_watch_program {
    gb_program *program; /* NULL: there is none */
    gb_node loss;        /* which has what its estimators have learned */
    int64_t at_a_time;   /* gradients that a run makes side by side */
    double seconds;      /* of a run, the latest */
} gb_watch_program;

/* One estimator. */
typedef struct gb_watcher {
    gb_estimator estimator;    /* without a type: the model as it was recorded */
    bool is_own;               /* it is what the model was recorded with: the training teaches it */
    gb_elbo *elbo;             /* the model with it; NULL: it is left out */
    gb_watch_program one;      /* one gradient in a run */
    gb_watch_program many;     /* as many as fit in */
    gb_watch_program *of_draw; /* of each draw of the model: pairs that differ in it alone */
    gb_program *learns;        /* NULL: it learns nothing, or the training teaches it */
    double evaluations;
    double learning_seconds; /* of one lesson */
    gb_watch_groups sum;     /* of all elements at the current point */
    char why[GB_WATCH_WORDS];
} gb_watcher;

typedef struct gb_watch_work {
    gb_watching it; /* first: its address is what the user has */
    gb_watch_options with;
    gb_tape *tape;
    gb_elbo *elbo;
    gb_onlooker onlooker;
    const char *word; /* of the variables that estimators learn */
    gb_watcher *watcher;
    size_t variables;
    gb_node *variable;                 /* the gradient is in these */
    size_t *size;                      /* how many numbers each has */
    size_t elements;                   /* of all */
    size_t *first;                     /* of each parameter: its first element; then their number */
    bool is_ready, is_broken;          /* its programs are made; they could not be made */
    gb_axes side_by_side, pair, pairs; /* hidden axes of gradients; of the two of a pair, and of pairs */
    gb_batches *data;                  /* NULL: the inputs have been fed */
    int64_t samples;
    size_t room; /* points that there is memory for */
    gb_watch_point *point;
    char **draw_why;
    uint64_t next, last; /* step of the next point, and of the last one */
    bool has_last;
    uint64_t lessons;               /* batches that lessons have taken */
    double began, spent, before;    /* seconds: of loops by hand, of the watch, of earlier trainings */
    double foreseen;                /* of a point without its lessons; NaN: not known yet */
    double *values;                 /* of a run */
    double *mean, *squares, *bound; /* of gradients: [group][element], [group][parameter], [group] */
    double *scratch;                /* [3][group] */
    char error[GB_WATCH_WORDS];
} gb_watch_work;

/* ---- record.c ---- */

/* Records the model with each estimator. Returns false on error. */
bool gb_watch_record(gb_watch_work *w);

/* At the first point, when the sizes of data are known: makes the programs. Returns false on error. */
bool gb_watch_prepare(gb_watch_work *w, const gb_fit_options *training);

/* ---- measure.c ---- */

/* Measures a point. Estimators that fail are not known at it; the tape has no error then. */
void gb_watch_measure(gb_watch_work *w, gb_watch_point *point);

/* Runs each program once, and returns how many seconds a point would take, without its lessons. */
double gb_watch_foresee(gb_watch_work *w, uint64_t step);
/* Returns how many seconds the lessons would take. */
double gb_watch_foresee_lessons(const gb_watch_work *w, uint64_t step);

/* ---- for all ---- */

/* Forgives an error of the tape, and notes it, once, as that of an estimator. */
void gb_watch_forgive(gb_watch_work *w, const char *who);
/* Notes an error, unless there was one before. */
void gb_watch_note(gb_watch_work *w, gb_status status, const char *who, const char *words);

#endif
