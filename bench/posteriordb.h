/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posteriors with reference draws, from posteriordb: the folders of ../shared/data/posteriors. */
#ifndef GREBE_BENCH_POSTERIORDB_H
#define GREBE_BENCH_POSTERIORDB_H

#include <stdbool.h>
#include <stddef.h>

/* A line of reference.csv. */
typedef struct gb_bench_reference {
    char name[64];
    double mean, sd, q05, q50, q95, ess;
} gb_bench_reference;

/* Whether the folder is there. */
bool gb_bench_posterior_is_there(const char *folder);

/* Stores the numbers of an array (or the number) of this name in FOLDER/data.json, row by row if there are
 * several rows. Returns how many; 0 if there is none, or if there are more than `most`. */
size_t gb_bench_posterior_data(const char *folder, const char *name, size_t most, double *x);

/* Stores the lines of FOLDER/reference.csv. Returns how many; 0, with a message, if it cannot be read. */
size_t gb_bench_posterior_references(const char *folder, size_t most, gb_bench_reference *reference);

#endif
