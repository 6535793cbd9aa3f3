/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observed data, for messages: when a run fails, data outside the support of their distribution are the
 * reason that is given. They cost nothing in a run that succeeds. */
#ifndef GREBE_CORE_RUN_OBSERVED_IMPL_H
#define GREBE_CORE_RUN_OBSERVED_IMPL_H

#include "core/program.h"

typedef struct gb_observed {
    const char *name; /* of the observation; kept by the tape */
    gb_node log_p;
    gb_node data;        /* inert: a log likelihood of the caller's own, and nothing below is known */
    const char *law;     /* name of the distribution */
    const char *must_be; /* its support, in words */
    /* Whether a single number is in the support. NULL: only `outside` tells. */
    bool (*holds)(const void *support, double x);
    const void *support;
    gb_node outside;   /* a boolean for each event; inert: where log_p is -infinity */
    gb_node low, high; /* ends that depend on parameters, as wide as the data; inert: none */
} gb_observed;

void gb_observed_note(const gb_observed *observed);

/* The rows that an input was fed are rows `order[0]`, `order[1]` … of the data set; with `order` NULL they
 * are rows `first`, `first + 1` …. It holds until the next feed. */
void gb_feed_is_of(gb_node input, const uint32_t *order, int64_t first);

/* Returns the row of the data set that is number `row` of those that were fed, as far as it is known where
 * they come from. */
int64_t gb_observed_row(const gb_program *program, size_t row);

/* Records an error if data that the program depends on are outside their support, and returns true.
 * `samples` are those of the run that failed. */
bool gb_explain_observed(gb_program *program, int64_t samples);

/* If data have no finite log density, and the node `culprit` depends on them, writes which: "observe y: row 3
 * is 0, and its log density (gamma) is inf". */
bool gb_write_observed(gb_program *program, int64_t samples, uint32_t culprit, char *text, size_t bytes);

#endif
