/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training with all that has to go on where it stopped: draws of several kinds over samples, what
 * estimators learn, two optimisers, an evaluation with draws of its own, and batches in an order
 * that is shuffled again for every epoch. */
#ifndef GREBE_TESTS_TRAINED_H
#define GREBE_TESTS_TRAINED_H

#include <stdlib.h>
#include <string.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "models/checkpoint.h"
#include "models/optimiser.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { ROWS = 12, BATCH = 5, STEPS = 40 };

typedef struct training {
    gb_tape *t;
    gb_node x, y, loss, slope_loss, look_loss;
    gb_program *program[3]; /* by Adam, by plain steps, only looking */
    int32_t order[ROWS];
    uint64_t place[3]; /* step, row of the order, shuffles so far */
    double trace[2 * STEPS];
    gb_checkpoint_part part[3];
    gb_checkpoint c;
} training;

/* (w * b * x)ᵀ1 against y: normal weights, of which whole units are
 * dropped, and which are switched on by coins. */
static inline gb_node training_loss(training *r, double start)
{
    gb_tape *const t = r->t;
    gb_expect *const e = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(3), gb_fill(start)),
                  rho = gb_variable(t, "rho", gb_shape(3), gb_fill(-1)),
                  logits = gb_variable(t, "logits", gb_shape(3), gb_fill(0.3 * start)),
                  weight = gb_variable(t, "weight", gb_shape(3, 2), gb_fill(0.5)),
                  level = gb_variable(t, "level", gb_shape(), gb_fill(start)),
                  keep = gb_constant(t, gb_shape(3), gb_fill(0.8));
    const gb_node w = gb_draw(e, "w", gb_normal(mu, gb_softplus(rho)), gb_pathwise());
    const gb_node on =
        gb_draw(e, "on", gb_bernoulli_logits(logits), gb_score(.baseline = gb_learned_baseline(level)));
    const gb_node off = gb_draw(e, "off", gb_bernoulli_logits(gb_neg(logits)),
                                gb_score(.baseline = gb_moving_average(.decay = 0.9)));
    const gb_node units = gb_draw(e, "units", gb_unit_dropout(weight, keep), gb_dropout_draws());
    const gb_node made = gb_sum(gb_matmul(gb_mul(r->x, gb_mul(w, gb_add(on, gb_scale(off, 0.1)))), units));
    return gb_expected(e, gb_mean_over(gb_square(gb_sub(made, r->y)), GB_ROWS));
}

/* A line through the data by noisy steps, as in stochastic gradient Langevin dynamics. */
static inline gb_updates training_slope(training *r, double start)
{
    const gb_node slope = gb_variable(r->t, "slope", gb_shape(3), gb_fill(start));
    const gb_node noise = gb_normal_noise(gb_stream(r->t, "langevin"), gb_shape(3), 0);
    r->slope_loss = gb_mean_over(gb_square(gb_sub(gb_sum(gb_mul(r->x, slope)), r->y)), GB_ROWS);
    const gb_node step = gb_add(gb_scale(gb_grad(r->slope_loss, slope), -0.01), gb_scale(noise, 0.01));
    return gb_assign(slope, gb_add(slope, step));
}

static inline void training_shuffle(training *r)
{
    uint64_t random = 88172645463325252u + r->place[2]++;
    for (int i = ROWS - 1; i > 0; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int j = (int)(random >> 33) % (i + 1);
        const int32_t kept = r->order[i];
        r->order[i] = r->order[j];
        r->order[j] = kept;
    }
}

/* In place: its address is kept. `start` is where its variables begin. */
static inline void training_begin(training *r, gb_real real, double start, const char *path)
{
    *r = (training){.t = test_tape(.seed = 11, .samples = 3, .real = real)};
    r->x = gb_input_rows(r->t, "x", gb_shape(3));
    r->y = gb_input_rows(r->t, "y", gb_shape());
    r->loss = training_loss(r, start);
    r->look_loss = gb_scale(r->loss, 1);
    r->program[0] = gb_compile(r->t, gb_roots(r->loss), gb_minimise(r->loss, gb_adam(.lr = 0.05)));
    const gb_updates slope = training_slope(r, start);
    r->program[1] = gb_compile(r->t, gb_roots(r->slope_loss), slope);
    r->program[2] = gb_compile(r->t, gb_roots(r->look_loss), gb_no_update);
    gb_program_set_samples(r->program[2], 7);
    for (int32_t i = 0; i < ROWS; i++)
        r->order[i] = i;
    r->part[0] = (gb_checkpoint_part){.name = "order", .data = r->order, .bytes = sizeof r->order};
    r->part[1] = (gb_checkpoint_part){.name = "place", .data = r->place, .bytes = sizeof r->place};
    r->part[2] = (gb_checkpoint_part){.name = "trace", .data = r->trace, .bytes = sizeof r->trace};
    r->c = (gb_checkpoint){.size = sizeof r->c,
                           .tape = r->t,
                           .path = path,
                           .programs = 3,
                           .program = r->program,
                           .parts = 3,
                           .part = r->part};
}

static inline void training_feed(training *r)
{
    double x[3 * BATCH], y[BATCH];
    for (int i = 0; i < BATCH; i++) {
        const double at = r->order[(r->place[1] + (uint64_t)i) % ROWS];
        x[3 * i] = 1, x[3 * i + 1] = at / 6 - 1, x[3 * i + 2] = x[3 * i + 1] * x[3 * i + 1];
        y[i] = 0.7 * x[3 * i] - 1.2 * x[3 * i + 1] + 0.1 * at;
    }
    gb_feed(r->x, x, BATCH);
    gb_feed(r->y, y, BATCH);
}

/* One step; GB_OK, or what went wrong. */
static inline gb_status training_step(training *r)
{
    if (r->place[1] % ROWS < BATCH)
        training_shuffle(r);
    training_feed(r);
    r->place[1] += BATCH;
    for (int i = 0; i < 3; i++)
        if (gb_run(r->program[i]) != GB_OK)
            return gb_error(r->t);
    const uint64_t step = r->place[0]++;
    r->trace[2 * step] = gb_value(r->loss);
    r->trace[2 * step + 1] = gb_value(r->look_loss);
    return gb_error(r->t);
}

static inline gb_status training_until(training *r, uint64_t step)
{
    gb_status status = gb_error(r->t);
    while (status == GB_OK && r->place[0] < step)
        status = training_step(r);
    return status;
}

/* The name of the first variable, or else, that differs in any bit; NULL: none does. */
static inline const char *training_differs(const training *a, const training *b)
{
    gb_node mine[64], others[64];
    const size_t width = gb_tape_real(a->t) == GB_FLOAT ? sizeof(float) : sizeof(double);
    const size_t count = gb_tape_variables(a->t, mine, 64);
    if (count > 64 || gb_tape_variables(b->t, others, 64) != count)
        return "the number of variables";
    for (size_t i = 0; i < count; i++)
        if (memcmp(gb_variable_data(mine[i]), gb_variable_data(others[i]),
                   gb_shape_count(gb_node_shape(mine[i])) * width) != 0)
            return gb_variable_name(mine[i]);
    for (int i = 0; i < 3; i++)
        if (gb_program_step(a->program[i]) != gb_program_step(b->program[i]))
            return "a step";
    if (memcmp(a->order, b->order, sizeof a->order) != 0 || memcmp(a->place, b->place, sizeof a->place) != 0)
        return "the order of data";
    return memcmp(a->trace, b->trace, sizeof a->trace) != 0 ? "the trace" : NULL;
}

#endif
