/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that uses every part of the engine: fused groups, reductions along rows and columns,
 * noise, views, kernels, products of matrices, hidden axes, a gradient, assigns. For tests of
 * what must not depend on how it is run. */
#ifndef GREBE_TESTS_WORKLOAD_H
#define GREBE_TESTS_WORKLOAD_H

#include "core/program.h"

typedef struct workload {
    gb_tape *tape;
    int64_t rows, width, wide; /* of the data; of the hidden layer; of the columns */
    gb_node x, label;          /* inputs */
    gb_node weights, bias, table, columns;
    gb_node noise, prediction, loss;
    gb_program *train, *look;
} workload;

/* Records and compiles; the tape has the error if it cannot. */
void workload_record(workload *w, gb_tape *tape, int64_t rows, int64_t width, int64_t wide);
gb_status workload_feed(const workload *w);

/* All that `train` makes: variables, loss, prediction, noise, as doubles; NULL where they
 * cannot be read. The caller frees them. */
double *workload_values(const workload *w, size_t *count);

#endif
