/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line through points with mean-field normal weights, for gb_fit. Include support/close.h first. */
#ifndef GREBE_TESTS_LINE_H
#define GREBE_TESTS_LINE_H

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "ops/elementwise.h"

enum { N = 40, BATCH = 16 };

typedef struct model {
    gb_tape *t;
    gb_elbo *e;
    gb_node x, y;
    double xs[N], ys[N];
    gb_batches *data;
} model;

/* y = a x + b + noise, in batches. */
static inline void record_with(model *m, gb_tape *t, gb_schedule kl_schedule)
{
    m->t = t;
    for (int i = 0; i < N; i++) {
        m->xs[i] = i * 0.05 - 1;
        m->ys[i] = 2 * m->xs[i] + 0.3 + 0.1 * sin(i * 37.0);
    }
    m->x = gb_input_rows(t, "x", gb_shape());
    m->y = gb_input_rows(t, "y", gb_shape());
    m->e = gb_elbo_new(t, .data_size = N, .kl_schedule = kl_schedule);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_node a = gb_latent(m->e, "a", gb_mean_field(gb_shape()), prior, gb_pathwise());
    const gb_node b = gb_latent(m->e, "b", gb_mean_field(gb_shape()), prior, gb_pathwise());
    gb_observe(m->e, "y", gb_normal(gb_add(gb_mul(a, m->x), b), gb_num(t, 0.2)), m->y);
    m->data = gb_batches_new(t, .rows = N, .batch = BATCH,
                             .columns = GB_COLUMNS({m->x, gb_doubles(m->xs)}, {m->y, gb_doubles(m->ys)}));
}

static inline void record(model *m, gb_tape *t)
{
    record_with(m, t, gb_steady());
}

static inline void make(model *m)
{
    record(m, test_tape(.seed = 1));
}

static inline double location(const model *m)
{
    return gb_value(gb_variable_named(m->t, "a.location"));
}

/* Goes on until a step, for .each of gb_fit. */
static inline bool until(void *user, const gb_fit_point *point)
{
    return point->step < *(const uint64_t *)user;
}

#endif
