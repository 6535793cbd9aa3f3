/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments that are published, done again: bench/results/run. Each is one function, made of public parts
 * only, and appends a line to FOLDER/EXPERIMENT.tsv for each run that it ends. */
#ifndef GREBE_BENCH_RESULTS_H
#define GREBE_BENCH_RESULTS_H

#include <grebe/grebe.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct results {
    const char *folder; /* of the records */
    const char *data;   /* the folder of shared data */
    const char *build;  /* what the records say of the program */
    /* What of an experiment is wanted: names with commas between them; NULL: all. */
    const char *only;
    bool *found; /* becomes true as soon as one of them is there */
    /* Fewer of each than the experiment has, for a look; 0: all. */
    int64_t splits, epochs, draws;
} results;

typedef struct results_experiment {
    const char *name;
    const char *columns; /* heads of its record, with tabs; "seconds", "MB" and "build" follow */
    bool (*run)(const results *r);
} results_experiment;

extern const results_experiment results_experiments[]; /* ended by a NULL name */

/* ---- what an experiment needs ---- */

/* Whether `name` is among those that are wanted. */
bool results_wants(const results *r, const char *name);

/* Writes the path of shared data, "uci/yacht/data.txt". Returns false, with a message, if there is no such
 * file; then the experiment is skipped. */
enum { RESULTS_PATH = 1024 };
bool results_data(const results *r, const char *name, char path[RESULTS_PATH]);

/* Prints the error of the tape, frees it, and returns whether there was none. */
bool results_end(gb_tape *tape, const char *what);

/* ---- records ---- */

/* A run is known by the first fields of its line, with a tab after each. A line that was cut off by the end
 * of the process does not count. */
bool results_has(const results *r, const char *experiment, const char *key);

/* Stores the `count` numbers that stand after the key. Returns false if there is no such line. */
bool results_find(const results *r, const char *experiment, const char *key, size_t count, double *numbers);

/* Appends a line: the key, the numbers, processor seconds since `began`, memory, and the build. Returns
 * false, with a message, if that fails. */
bool results_add(const results *r, const char *experiment, const char *key, size_t count,
                 const double *numbers, double began);

/* Begins a run: forgets how much memory the runs before took, where the system can. Returns the processor
 * seconds of the process. */
double results_begin(void);

/* ---- the experiments ---- */

bool results_uci(const results *r);
bool results_uci_beside(const results *r);
bool results_posteriors(const results *r);
bool results_logistic(const results *r);
bool results_sbc(const results *r);
bool results_mnist(const results *r);
bool results_noise(const results *r);
bool results_co2(const results *r);
bool results_belief(const results *r);
bool results_toys(const results *r);
bool results_dreg(const results *r);
bool results_belief200(const results *r);

#endif
