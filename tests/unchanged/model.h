/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small regression, trained by gb_fit in batches of which the last one is short. */
#ifndef GREBE_TESTS_MODEL_H
#define GREBE_TESTS_MODEL_H

#include "probe.h"

enum { ROWS = 10, BATCH = 4, COLUMNS = 3 };

/* gb_fit keeps pointers to the data, so a model must stay where it is while its tape lives. */
typedef struct model {
    gb_elbo *e;
    gb_node x, y, w;
    double xs[ROWS * COLUMNS], ys[ROWS];
    gb_batches *data;
} model;

typedef enum outcome { REALS, COINS, COUNTS, POSITIVES } outcome;

/* Outcomes that depend on x. */
static inline void make_data(model *m, outcome kind)
{
    fill("xs", -1, 1, ROWS * COLUMNS, m->xs);
    for (int i = 0; i < ROWS; i++) {
        const double *const x = m->xs + i * COLUMNS, line = x[0] - 0.5 * x[1] + 0.25 * x[2];
        const double whole = floor(4 * fabs(line));
        m->ys[i] = kind == REALS    ? line + (i % 3 - 1) * 0.125
                   : kind == COINS  ? (double)(line > 0)
                   : kind == COUNTS ? whole
                                    : 0.25 + whole;
    }
}

static inline model *begin(probe *p, gb_elbo_options options, outcome kind)
{
    static model m;
    make_data(&m, kind);
    options.size = sizeof options;
    options.data_size = ROWS;
    m.x = gb_input_rows(p->t, "x", gb_shape(COLUMNS));
    m.y = gb_input_rows(p->t, "y", gb_shape());
    m.data = gb_batches_new(p->t, .rows = ROWS, .batch = BATCH,
                            .columns = GB_COLUMNS({m.x, gb_doubles(m.xs)}, {m.y, gb_doubles(m.ys)}));
    m.e = gb_elbo_new_with(p->t, &options);
    return &m;
}

static inline gb_dist standard_normal(probe *p)
{
    const gb_node zero = gb_num(p->t, 0), one = gb_num(p->t, 1);
    return gb_normal(zero, one);
}

/* Reads value, error, scale and weight of each term, with all rows fed, and prints them. */
static inline void look_at_terms(probe *p, model *m)
{
    size_t count = 0;
    const gb_elbo_term *const term = gb_elbo_terms(m->e, &count);
    gb_program *const look_only = gb_compile(p->t, gb_elbo_roots(m->e), gb_no_update);
    gb_program_set_samples(look_only, 6);
    gb_feed(m->x, m->xs, ROWS);
    gb_feed(m->y, m->ys, ROWS);
    gb_run(look_only);
    for (size_t i = 0; i < count; i++) {
        look(p, term[i].value);
        look(p, term[i].error);
        look(p, term[i].scale);
        look(p, term[i].weight);
    }
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);
    gb_elbo_print(m->e, file);
    fclose(file);
    hash_numbers_in(p, "what gb_elbo_print prints", text);
    free(text);
}

/* Hashes the history without its times. */
static inline void hash_fit(probe *p, const gb_fit_result *r)
{
    assert_good(p);
    hash_number(p, "steps", (double)r->steps);
    hash_number(p, "end", (double)r->end);
    for (size_t i = 0; i < r->points; i++) {
        double point[] = {(double)r->point[i].step, (double)r->point[i].epoch, r->point[i].elbo,
                          r->point[i].error, r->point[i].gradient_norm};
        hash_numbers(p, "point", point, 5);
    }
}

static inline void fit(probe *p, model *m)
{
    const gb_fit_result r = gb_fit(m->e, .optimiser = gb_adam(.lr = 0.0625), .data = m->data, .steps = 20,
                                   .window = 7, .gradient_norm = true);
    hash_fit(p, &r);
    look_at_variables(p);
    look_at_terms(p, m);
}

static inline void observe_line(probe *p, model *m)
{
    const gb_node line = gb_dot(m->x, m->w), noise = gb_num(p->t, 0.5);
    gb_observe(m->e, "y", gb_normal(line, noise), m->y);
}

#endif
