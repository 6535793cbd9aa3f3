/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every optimiser, with schedules, clipped gradients and averages of iterates. */
#ifndef GREBE_TESTS_PROGRAMS_OPTIMISERS_H
#define GREBE_TESTS_PROGRAMS_OPTIMISERS_H

#include "probe.h"

/* A noisy loss in two variables, of which one has a shape. */
static gb_node noisy_loss(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(4, 3), -1, 1), y = variable(p, "y", gb_shape(), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(4, 3), 0);
    const gb_node off = gb_sub(gb_mul(x, y), gb_scale(noise, 0.25)), bend = gb_square(gb_shift(y, -0.75));
    const gb_node far = gb_sum(gb_square(off)), steep = gb_sum(gb_square(gb_square(x)));
    return gb_add(gb_add(far, steep), bend);
}

/* Rosenbrock's valley, which has no noise. */
static gb_node valley(probe *p)
{
    const gb_node x = gb_variable(p->t, "x", gb_shape(), gb_fill(-1.25)),
                  y = gb_variable(p->t, "y", gb_shape(), gb_fill(1));
    const gb_node across = gb_scale(gb_square(gb_sub(y, gb_square(x))), 100);
    return gb_add(across, gb_square(gb_shift(gb_neg(x), 1)));
}

#define BY(p, ...)                                                                                           \
    do {                                                                                                     \
        const gb_node loss = noisy_loss(p);                                                                  \
        train_by((p), loss, gb_minimise(loss, __VA_ARGS__), 40);                                             \
    } while (0)

static void optimiser_sgd(probe *p)
{
    BY(p, gb_sgd(.lr = 0.03125, .momentum = 0.75, .schedule = gb_step_decay(10, 0.5)));
}
static void optimiser_sgd_nesterov(probe *p)
{
    BY(p, gb_sgd(.lr = 0.03125, .momentum = 0.5, .nesterov = true), .clip = 1);
}
static void optimiser_adagrad(probe *p)
{
    BY(p, gb_adagrad(.lr = 0.25, .schedule = gb_robbins_monro(2, 0.75)), .clip_norm = 2);
}
static void optimiser_rmsprop(probe *p)
{
    BY(p, gb_rmsprop(.lr = 0.03125, .schedule = gb_warm_up(8, gb_cosine(40))), .average = true);
}
static void optimiser_rmsprop_centred(probe *p)
{
    BY(p, gb_rmsprop(.lr = 0.03125, .centred = true, .momentum = 0.5, .decay = 0.75));
}
static void optimiser_adam(probe *p)
{
    BY(p, gb_adam(.lr = 0.125, .schedule = gb_cosine(30, .end = 0.125)), .clip = 3, .clip_norm = 2,
       .average = true, .average_after = 10);
}
static void optimiser_adam_with_betas(probe *p)
{
    BY(p, gb_adam(.beta1 = 0.75, .beta2 = 0.875, .epsilon = 0.0625));
}
static void optimiser_adamw(probe *p)
{
    BY(p, gb_adamw(.lr = 0.125, .decay = 0.25, .schedule = gb_cyclical(8, .rise = 0.25)));
}

/* A rate that is a variable, and is changed on the way. */
static void optimiser_rate_as_a_node(probe *p)
{
    const gb_node rate = gb_variable(p->t, "rate", gb_shape(), gb_fill(0.125)), loss = noisy_loss(p);
    const gb_node x = gb_variable_named(p->t, "x");
    gb_program *const step =
        gb_compile(p->t, gb_roots(loss), gb_minimise(loss, gb_adam(.rate = rate), .variables = gb_roots(x)));
    for (int i = 0; i < 20; i++) {
        if (i == 10)
            gb_set(rate, gb_fill(0.03125));
        gb_run(step);
    }
    look_at_variables(p);
}

static void optimiser_lbfgs(probe *p)
{
    const gb_node loss = valley(p);
    train_by(p, loss, gb_minimise(loss, gb_lbfgs()), 40);
}

static void optimiser_lbfgs_with_history(probe *p)
{
    const gb_node loss = valley(p);
    const gb_updates updates = gb_minimise(loss, gb_lbfgs(.history = 3, .lr = 0.5), .average = true);
    train_by(p, loss, updates, 40);
}

/* A regression with a variable that is not a part of the posterior. */
static void train_naturally(probe *p, gb_family family, gb_optimiser optimiser)
{
    gb_elbo *const e = gb_elbo_new(p->t, .data_size = 6, .samples = 3);
    const gb_node x = rows_of(p, "x", 6, gb_shape(3), -1, 1), y = rows_of(p, "y", 6, gb_shape(), -1, 1);
    const gb_node zero = gb_num(p->t, 0), one = gb_num(p->t, 1);
    const gb_node w = gb_latent(e, "w", family, gb_normal(zero, one), gb_pathwise());
    const gb_node line = gb_dot(x, w), size = gb_variable(p->t, "size", gb_shape(), gb_fill(0.5));
    gb_observe(e, "y", gb_normal(line, gb_softplus(size)), y);
    const gb_node loss = gb_elbo_loss(e);
    train_by(p, loss, gb_minimise(loss, optimiser), 30);
}

static void optimiser_natural(probe *p)
{
    const gb_schedule decay = gb_step_decay(10, 0.5);
    train_naturally(p, gb_mean_field(gb_shape(3)),
                    gb_natural(.lr = 0.25, .others = 0.125, .trust = 1e30, .schedule = decay));
}
static void optimiser_natural_full_rank(probe *p)
{
    train_naturally(p, gb_full_rank(gb_shape(3), .map = GB_SCALE_EXP),
                    gb_natural(.lr = 0.25, .others = 0.125, .trust = 1e30));
}

/* A metric of the caller's: that of a normal whose factor is a variable. */
static gb_node own_metric(const gb_update_step *to, const void *user)
{
    const gb_node factor = *(const gb_node *)user;
    if (strcmp(to->name, "location") == 0)
        return gb_natural_location(factor, to->gradient);
    return gb_natural_factor(factor, to->gradient);
}

static void optimiser_natural_by_a_metric(probe *p)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node location = variable(p, "location", gb_shape(3), -1, 1), unit = gb_eye(p->t, 3);
    gb_node factor = variable(p, "factor", gb_shape(3, 3), -0.25, 0.25);
    gb_set(factor, GB_VALUES(1, 0, 0, 0.25, 0.75, 0, -0.25, 0.125, 0.5));
    const gb_node lower = gb_tril(factor, 0);
    const gb_node x = gb_draw(e, "x", gb_multivariate_normal(location, lower), gb_pathwise());
    const gb_node far = gb_sum(gb_square(gb_shift(x, -1))), near = gb_sum(gb_square(gb_sub(factor, unit)));
    const gb_node loss = gb_expected(e, gb_add(far, near));
    train_by(p, loss, gb_minimise(loss, gb_natural(.lr = 0.0625, .metric = own_metric, .user = &factor)), 12);
}

/* The factors of every schedule for forty runs. */
static void schedules(probe *p)
{
    const gb_schedule all[] = {gb_steady(),
                               gb_step_decay(7, 0.75),
                               gb_cosine(25, .end = 0.25),
                               gb_robbins_monro(3, 0.625),
                               gb_cyclical(9, .rise = 0.5, .cycles = 3),
                               gb_warm_up(6, gb_cosine(20))};
    const gb_node t = gb_arange(p->t, 40);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int64_t at = 0; at < 40; at++) {
            const gb_node here = gb_reshape(gb_slice(t, 0, at, at + 1), gb_shape());
            keep(p, gb_schedule_factor("schedules", all[i], here));
        }
    look_at_kept(p, 1);
}

/* The search for a plateau, without a tape. */
static void plateaus(probe *p)
{
    static double number[2400];
    fill("plateau", -1, 1, 2400, number);
    gb_plateau plateau = {.options = {.improvement = 0.25}};
    for (int i = 0; i < 1200; i++) {
        const double fall = i < 400 ? (400 - i) / 32.0 : 0;
        const double is = gb_plateau_reached(&plateau, fall + number[2 * i], 0.5 + number[2 * i + 1] / 4);
        hash_number(p, "reached", is);
    }
    hash_numbers(p, "mean", plateau.mean, GB_PLATEAU_BLOCKS);
    hash_numbers(p, "variance", plateau.variance, GB_PLATEAU_BLOCKS);
    hash_number(p, "comparisons", (double)plateau.comparisons);
}

/* clang-format off */
#define OPTIMISER_PROGRAMS                                                                                   \
    PROGRAM("optimiser/sgd", optimiser_sgd),                                                                 \
    PROGRAM("optimiser/sgd-nesterov", optimiser_sgd_nesterov),                                               \
    PROGRAM("optimiser/adagrad", optimiser_adagrad),                                                         \
    PROGRAM("optimiser/rmsprop", optimiser_rmsprop),                                                         \
    PROGRAM("optimiser/rmsprop-centred", optimiser_rmsprop_centred),                                         \
    PROGRAM("optimiser/adam", optimiser_adam),                                                               \
    PROGRAM("optimiser/adam-with-betas", optimiser_adam_with_betas),                                         \
    PROGRAM("optimiser/adamw", optimiser_adamw),                                                             \
    PROGRAM("optimiser/lbfgs", optimiser_lbfgs),                                                             \
    PROGRAM("optimiser/lbfgs-with-history", optimiser_lbfgs_with_history),                                   \
    PROGRAM("optimiser/natural", optimiser_natural),                                                         \
    PROGRAM("optimiser/natural-full-rank", optimiser_natural_full_rank),                                     \
    SAMPLED("optimiser/natural-by-a-metric", optimiser_natural_by_a_metric, 3),                              \
    PROGRAM("optimiser/rate-as-a-node", optimiser_rate_as_a_node),                                           \
    PROGRAM("rule/schedules", schedules),                                                                    \
    PROGRAM("rule/plateaus", plateaus)
/* clang-format on */

#endif
