/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers against loops that do their steps by hand; what holds for all of them (schedules, clipping,
 * averages, which variables); L-BFGS, which has no such formula. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/elbo.h"
#include "models/optimiser.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

enum { N = 3, STEPS = 8 };

/* ---- by hand: f = Σ a (x − c)² + x₀ x₁ ---- */

static const double START[N] = {0.3, -1.2, 2}, STEEP[N] = {0.5, 3, 20}, CENTRE[N] = {1, -1, 0.5};

static void slope(const double *x, double *g)
{
    for (int i = 0; i < N; i++)
        g[i] = 2 * STEEP[i] * (x[i] - CENTRE[i]) + (i < 2 ? x[1 - i] : 0);
}

typedef struct hill {
    gb_tape *t;
    gb_node x, loss;
} hill;

static hill hill_new(void)
{
    hill h = {.t = test_tape()};
    h.x = gb_variable(h.t, "x", gb_shape(N), gb_values_of(START, N));
    const gb_node a = gb_constant(h.t, gb_shape(N), gb_values_of(STEEP, N));
    const gb_node c = gb_constant(h.t, gb_shape(N), gb_values_of(CENTRE, N));
    const gb_node cross = gb_mul(gb_slice(h.x, 0, 0, 1), gb_slice(h.x, 0, 1, 2));
    h.loss = gb_add(gb_sum(gb_mul(a, gb_square(gb_sub(h.x, c)))), gb_sum(cross));
    return h;
}

/* What a loop remembers of one number. */
typedef struct by_hand {
    double a, b, c;
} by_hand;

typedef double hand_step(by_hand *m, double x, double g, int t);

static void follows(gb_optimiser optimiser, hand_step *step)
{
    const hill h = hill_new();
    gb_program *p = gb_compile(h.t, gb_roots(h.loss), gb_minimise(h.loss, optimiser));
    assert_fine(h.t);
    by_hand m[N] = {{0}};
    double x[N], g[N], is[N];
    memcpy(x, START, sizeof x);
    for (int t = 1; t <= STEPS; t++) {
        assert_int_equal(gb_run(p), GB_OK);
        slope(x, g);
        for (int i = 0; i < N; i++)
            x[i] = step(&m[i], x[i], g[i], t);
        assert_int_equal(gb_read(h.x, is, N), GB_OK);
        for (int i = 0; i < N; i++)
            if (!(fabs(is[i] - x[i]) <= 1e-12 * (1 + fabs(x[i]))))
                fail_msg("%s, step %d, number %d: %.17g, not %.17g", optimiser.type->name, t, i, is[i], x[i]);
    }
}

static double by_sgd(by_hand *m, double x, double g, int t)
{
    (void)m, (void)t;
    return x - 0.02 * g;
}

static double by_momentum(by_hand *m, double x, double g, int t)
{
    (void)t;
    return x - 0.02 * (m->a = 0.9 * m->a + g);
}

/* In Nesterov's own form: the gradient at y = x + momentum v, where y is what we hold; v = y's last move. */
static double by_nesterov(by_hand *m, double y, double g, int t)
{
    (void)t;
    const double look_ahead_from = y - 0.9 * m->a; /* x_t */
    const double next = y - 0.02 * g;              /* x_{t+1} */
    m->a = next - look_ahead_from;
    return next + 0.9 * m->a;
}

static double by_adagrad(by_hand *m, double x, double g, int t)
{
    (void)t;
    m->a += g * g;
    return x - 0.5 * g / (sqrt(m->a) + 1e-10);
}

static double by_rmsprop(by_hand *m, double x, double g, int t)
{
    (void)t;
    m->a = 0.9 * m->a + 0.1 * g * g;
    return x - 0.01 * g / (sqrt(m->a) + 1e-8);
}

static double by_centred_rmsprop(by_hand *m, double x, double g, int t)
{
    (void)t;
    m->a = 0.9 * m->a + 0.1 * g * g;
    m->b = 0.9 * m->b + 0.1 * g;
    m->c = 0.5 * m->c + g / (sqrt(m->a - m->b * m->b) + 1e-8);
    return x - 0.01 * m->c;
}

static double adam_move(by_hand *m, double g, int t)
{
    m->a = 0.9 * m->a + 0.1 * g;
    m->b = 0.999 * m->b + 0.001 * g * g;
    return m->a / (1 - pow(0.9, t)) / (sqrt(m->b / (1 - pow(0.999, t))) + 1e-8);
}

static double by_adam(by_hand *m, double x, double g, int t)
{
    return x - 0.05 * adam_move(m, g, t);
}

static double by_adamw(by_hand *m, double x, double g, int t)
{
    return (1 - 0.05 * 0.1) * x - 0.05 * adam_move(m, g, t);
}

static double by_scheduled_adam(by_hand *m, double x, double g, int t)
{
    return x - 0.05 * 0.5 * (1 + cos(acos(-1) * (t - 1) / 5 * (t <= 6) + acos(-1) * (t > 6))) *
                   adam_move(m, g, t);
}

TEST(optimisers_follow_their_formulas)
{
    follows(gb_sgd(.lr = 0.02), by_sgd);
    follows(gb_sgd(.lr = 0.02, .momentum = 0.9), by_momentum);
    follows(gb_sgd(.lr = 0.02, .momentum = 0.9, .nesterov = true), by_nesterov);
    follows(gb_adagrad(.lr = 0.5), by_adagrad);
    follows(gb_rmsprop(.lr = 0.01), by_rmsprop);
    follows(gb_rmsprop(.lr = 0.01, .centred = true, .momentum = 0.5), by_centred_rmsprop);
    follows(gb_adam(.lr = 0.05), by_adam);
    follows(gb_adamw(.lr = 0.05, .decay = 0.1), by_adamw);
    follows(gb_natural(.lr = 0.04, .others = 0.5), by_sgd);
    follows(gb_adam(.lr = 0.05, .schedule = gb_cosine(5)), by_scheduled_adam);
}

/* ---- schedules ---- */

static void is_schedule(gb_schedule schedule, size_t count, const double *should)
{
    gb_tape *const t = test_tape();
    for (size_t i = 0; i < count; i++) {
        const gb_node factor = gb_schedule_factor("test", schedule, gb_num(t, (double)i));
        assert_fine(t);
        assert_near(gb_value(factor), should[i], 1e-15);
    }
}
#define assert_schedule(schedule, ...)                                                                       \
    is_schedule((schedule), sizeof((const double[]){__VA_ARGS__}) / sizeof(double),                          \
                (const double[]){__VA_ARGS__})

TEST(schedules_are_their_formulas)
{
    const double r = sqrt(0.5);
    assert_schedule(gb_steady(), 1, 1, 1);
    assert_schedule(gb_step_decay(3, 0.5), 1, 1, 1, 0.5, 0.5, 0.5, 0.25);
    assert_schedule(gb_cosine(4), 1, 0.5 + r / 2, 0.5, 0.5 - r / 2, 0, 0, 0);
    assert_schedule(gb_cosine(2, .end = 0.2), 1, 0.6, 0.2, 0.2);
    assert_schedule(gb_robbins_monro(1, 1), 1, 0.5, 1.0 / 3, 0.25);
    assert_schedule(gb_robbins_monro(4, 0.75), pow(4, -0.75), pow(5, -0.75), pow(6, -0.75));
    assert_schedule(gb_warm_up(4, gb_steady()), 0.25, 0.5, 0.75, 1, 1, 1);
    assert_schedule(gb_warm_up(2, gb_cosine(2)), 0.5, 1, 1, 0.5, 0, 0);
    assert_schedule(gb_cyclical(4), 0.5, 1, 1, 1, 0.5, 1, 1, 1, 0.5);
    assert_schedule(gb_cyclical(4, .rise = 1, .cycles = 2), 0.25, 0.5, 0.75, 1, 0.25, 0.5, 0.75, 1, 1, 1, 1);
    assert_schedule(gb_warm_up(2, gb_warm_up(4, gb_steady())), 0.5, 1, 0.25, 0.5, 0.75, 1, 1);
    assert_schedule(gb_warm_up(2.5, gb_cosine(2)), 0.4, 0.8, 1, 1, 0.5, 0, 0);
    assert_schedule(gb_warm_up(0.5, gb_step_decay(1, 0.5)), 1, 1, 0.5, 0.25);
}

/* A hundred steps of a third: no rounding moves a boundary. */
TEST(step_decay_steps_where_it_says, .real = GB_FLOAT)
{
    for (int every = 1; every <= 100; every++)
        for (int k = 1; k < 10; k++) {
            const gb_schedule schedule = gb_step_decay(every, 0.5);
            assert_true(gb_value(gb_schedule_factor("test", schedule, gb_num(t, every * k))) == pow(0.5, k));
            assert_true(gb_value(gb_schedule_factor("test", schedule, gb_num(t, every * k - 1))) ==
                        pow(0.5, k - 1));
        }
    assert_fine(t);
}

/* 2^24 + 1 is no float: a count by adding 1 would stand still there, and its schedule with it. */
TEST(steps_are_counted_beyond_what_a_float_holds)
{
    const double most = 16777216;
    for (int real = 0; real < 2; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        const gb_node x = gb_variable(tape, "x", gb_shape(), gb_fill(0));
        gb_program *p =
            gb_compile(tape, (gb_node_list){0},
                       gb_minimise(x, gb_sgd(.lr = 1, .schedule = gb_step_decay(most + 20, 0.5))));
        const gb_node step = gb_variable_named(tape, "x.sgd.step");
        gb_set(step, gb_fill(most - 3));
        for (int run = 1; run <= 60; run++) {
            assert_int_equal(gb_run(p), GB_OK);
            assert_near(gb_value(step), most - 3 + run, real ? 1 : 0);
        }
        assert_near(gb_value(x), -(23 + 37 * 0.5), real ? 1 : 0);
    }
}

typedef struct power_options {
    size_t size;
    double b;
} power_options;

static gb_node power(gb_node t, const void *options)
{
    return gb_pow(gb_num(t.tape, ((const power_options *)options)->b), gb_neg(t));
}

TEST(a_schedule_of_ones_own_works)
{
    static const gb_option table[] = {GB_OPTION_ARGUMENT(power_options, b, GB_POSITIVE, "the base"), {0}};
    const gb_schedule_type type = {.size = sizeof type,
                                   .name = "powers",
                                   .formula = "b^-t",
                                   .options = table,
                                   .option_bytes = sizeof(power_options),
                                   .factor = power};
    const gb_schedule mine = gb_schedule_of(&type, &(power_options){.size = sizeof(power_options), .b = 2});
    assert_schedule(mine, 1, 0.5, 0.25);
    assert_schedule(gb_warm_up(1, mine), 1, 1, 0.5, 0.25);
}

/* ---- what a loss carries ---- */

TEST(what_a_loss_carries_is_assigned_by_training_alone)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  n = gb_variable(t, "n", gb_shape(), gb_fill(0));
    const gb_node loss = gb_scale(gb_with_assign(gb_square(x), n, gb_add(n, x)), 0.5);
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 0.5)));
    gb_program *look = gb_compile(t, gb_roots(loss), gb_no_update);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gb_run(look), GB_OK);
        assert_int_equal(gb_run(train), GB_OK);
    }
    assert_fine(t);
    assert_values(x, 0.125);
    assert_values(n, 1 + 0.5 + 0.25);
    assert_int_equal(gb_node_learned(loss, NULL, 0), 1);
}

/* ---- clipping ---- */

/* x − g, g as clipped, where the gradient is as given. */
static void clipped_gradient(gb_node_list slopes, double clip, double norm, double *is)
{
    gb_tape *t = slopes.node[0].tape;
    gb_node loss = gb_num(t, 0), x[2] = {{0}};
    for (size_t i = 0; i < slopes.count; i++) {
        x[i] = gb_variable(t, i ? "y" : "x", gb_node_shape(slopes.node[i]), gb_fill(0));
        loss = gb_add(loss, gb_sum(gb_mul(x[i], slopes.node[i])));
    }
    gb_program *p =
        gb_compile(t, (gb_node_list){0}, gb_minimise(loss, gb_sgd(.lr = 1), .clip = clip, .clip_norm = norm));
    if (gb_run(p) == GB_OK)
        for (size_t i = 0, at = 0; i < slopes.count; at += gb_value_count(x[i]), i++)
            gb_read(x[i], is + at, gb_value_count(x[i]));
}

static void clips(double clip, double norm, double scale, const double should[5])
{
    double is[5];
    gb_tape *const t = test_tape();
    const gb_node one = gb_constant(t, gb_shape(3), GB_VALUES(3 * scale, 0, -4 * scale)),
                  other = gb_constant(t, gb_shape(2), GB_VALUES(12 * scale, -0.5));
    clipped_gradient(gb_roots(one, other), clip, norm, is);
    assert_fine(t);
    for (int i = 0; i < 5; i++)
        assert_near(-is[i], should[i], 1e-14 * fabs(should[i]));
}

TEST(gradients_are_clipped_by_value_and_common_norm)
{
    const double n = sqrt(9 + 16 + 144 + 0.25);
    clips(0, 0, 1, (const double[]){3, 0, -4, 12, -0.5});
    clips(3.5, 0, 1, (const double[]){3, 0, -3.5, 3.5, -0.5});
    clips(0, 100, 1, (const double[]){3, 0, -4, 12, -0.5});
    clips(0, 2, 1, (const double[]){6 / n, 0, -8 / n, 24 / n, -1 / n});
    const double both = sqrt(4 + 4 + 4 + 0.25);
    clips(2, 1, 1, (const double[]){2 / both, 0, -2 / both, 2 / both, -0.5 / both});
    /* squares that overflow */
    clips(0, 1, 1e200, (const double[]){3.0 / 13, 0, -4.0 / 13, 12.0 / 13, -0.5e-200 / 13});
}

TEST(clipping_does_not_hide_what_is_not_finite)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++) {
        double is[2];
        gb_tape *const tape = test_tape();
        const gb_node slope_in = gb_input(tape, "slope", gb_shape(2));
        gb_feed(slope_in, (const double[]){bad[i / 2], 1}, 1);
        clipped_gradient(gb_roots(slope_in), i % 2 ? 1 : 0, i % 2 ? 0 : 1, is);
        assert_int_equal(gb_error(tape), GB_ENONFINITE);
        gb_forgive(tape);
        assert_int_equal(gb_read(gb_variable_named(tape, "x"), is, 2), GB_OK);
        assert_true(is[0] == 0 && is[1] == 0);
    }
}

TEST(a_gradient_of_zeros_has_a_norm)
{
    const hill h = hill_new();
    const gb_node flat =
        gb_sum(gb_square(gb_sub(h.x, gb_constant(h.t, gb_shape(N), gb_values_of(START, N)))));
    gb_program *p = gb_compile(h.t, gb_roots(flat), gb_minimise(flat, gb_sgd(), .clip_norm = 1));
    assert_int_equal(gb_run(p), GB_OK);
    assert_values(h.x, 0.3, -1.2, 2);
}

/* ---- averages ---- */

/* x^2 from 1, with a first step to -99: what is tried and rejected is no iterate. */
TEST(points_that_are_only_tried_are_not_averaged)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)), loss = gb_square(x);
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_lbfgs(.lr = 50), .average = true));
    double least = 1;
    for (int i = 0; i < 30; i++) {
        assert_int_equal(gb_run(p), GB_OK);
        least = fmin(least, gb_value(x));
        assert_true(fabs(gb_value(gb_variable_average(x))) <= 1);
    }
    assert_true(least < -2);
}

TEST(averages_are_means_of_the_iterates)
{
    for (int after = 0; after < 4; after += 3) {
        const hill h = hill_new();
        gb_program *p =
            gb_compile(h.t, gb_roots(h.loss),
                       gb_minimise(h.loss, gb_sgd(.lr = 0.02), .average = true, .average_after = after));
        gb_program *swap = gb_compile(h.t, (gb_node_list){0}, gb_swap_averages(h.loss));
        gb_program *look = gb_compile(h.t, gb_roots(h.loss), gb_no_update);
        double sum[N] = {0}, x[N], mean[N];
        for (int step = 1; step <= STEPS; step++) {
            assert_int_equal(gb_run(p), GB_OK);
            gb_read(h.x, x, N);
            gb_read(gb_variable_average(h.x), mean, N);
            for (int i = 0; i < N; i++) {
                sum[i] = step <= after ? 0 : sum[i] + x[i];
                assert_near(mean[i], step <= after ? x[i] : sum[i] / (step - after), 1e-14);
            }
        }
        gb_run(look);
        const double before = gb_value(h.loss);
        double swapped[N];
        assert_int_equal(gb_run(swap), GB_OK);
        gb_read(h.x, swapped, N);
        assert_memory_equal(swapped, mean, sizeof mean);
        gb_run(look);
        assert_true(gb_value(h.loss) != before);
        assert_int_equal(gb_run(swap), GB_OK);
        gb_read(h.x, swapped, N);
        assert_memory_equal(swapped, x, sizeof x);
        gb_run(look);
        assert_true(gb_value(h.loss) == before);
    }
}

/* ---- which variables ---- */

TEST(only_the_listed_variables_move)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(2)),
                  z = gb_variable(t, "z", gb_shape(), gb_fill(3));
    const gb_node loss = gb_add(gb_mul(x, y), gb_square(z));
    gb_program *p = gb_compile(
        t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 0.5), .variables = gb_roots(z, x), .clip_norm = 2));
    assert_int_equal(gb_run(p), GB_OK);
    const double factor = 0.5 * 2 / sqrt(40);
    assert_near(gb_value(x), 1 - 2 * factor, 1e-15);
    assert_true(gb_value(y) == 2);
    assert_near(gb_value(z), 3 - 6 * factor, 1e-15);
}

TEST(a_count_of_variables_without_a_list_is_rejected)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1));
    const gb_node_list none = {.count = 2};
    gb_minimise(gb_square(x), gb_sgd(), .variables = none);
    assert_rejected(t, GB_EARGUMENT, "minimise: 2 .variables are given, but the list is NULL");
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_fit(e, .optimiser = gb_adam(), .steps = 2, .variables = none);
    assert_rejected(t, GB_EARGUMENT, "minimise: 2 .variables are given, but the list is NULL");
}

/* gb_named is for dumps: two variables may be named alike there, before or after. */
TEST(what_is_remembered_goes_by_the_names_of_variables)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(2));
    gb_named(x, "weights");
    gb_named(y, "weights");
    const gb_node loss = gb_add(gb_square(x), gb_square(y));
    const gb_updates updates = gb_minimise(loss, gb_adam(), .average = true);
    assert_fine(t);
    gb_named(y, "other weights");
    gb_program *p = gb_compile(t, gb_roots(loss), updates);
    gb_program *swap = gb_compile(t, (gb_node_list){0}, gb_swap_averages(loss));
    assert_int_equal(gb_run(p), GB_OK);
    assert_true(gb_value(gb_variable_average(y)) == gb_value(y));
    assert_true(gb_tape_has_variable(t, "x.adam.first") && gb_tape_has_variable(t, "y.adam.second"));
    gb_set(gb_variable_average(y), gb_fill(7));
    assert_int_equal(gb_run(swap), GB_OK);
    assert_true(gb_value(y) == 7);
    gb_minimise(loss, gb_sgd(), .variables = gb_roots(y, y));
    assert_rejected(t, GB_EARGUMENT, "minimise: y is given twice");
}

/* ---- L-BFGS ---- */

TEST(lbfgs_solves_a_quadratic_and_stays)
{
    const hill h = hill_new();
    gb_program *p = gb_compile(h.t, gb_roots(h.loss), gb_minimise(h.loss, gb_lbfgs()));
    double x[N], g[N], again[N];
    for (int run = 0; run < 60; run++)
        assert_int_equal(gb_run(p), GB_OK);
    gb_read(h.x, x, N);
    slope(x, g);
    for (int i = 0; i < N; i++)
        assert_near(g[i], 0, 1e-12);
    for (int run = 0; run < 60; run++)
        assert_int_equal(gb_run(p), GB_OK);
    gb_read(h.x, again, N);
    for (int i = 0; i < N; i++)
        assert_near(again[i], x[i], 1e-14);
}

/* Nothing but values: how many runs to 1e-10, of which each is one evaluation. */
static int runs_down_a_chain(gb_real real, double to, double history)
{
    enum { D = 20 };
    gb_tape *const t = test_tape(.real = real);
    double start[D];
    for (int i = 0; i < D; i++)
        start[i] = i % 2 ? 1 : -1.2;
    const gb_node a = gb_variable(t, "a", gb_shape(D / 2), gb_values_of(start, D / 2)),
                  b = gb_variable(t, "b", gb_shape(D / 2), gb_values_of(start + D / 2, D / 2));
    const gb_node x = gb_concat(2, (const gb_node[]){a, b}, 0);
    const gb_node head = gb_slice(x, 0, 0, D - 1), next = gb_slice(x, 0, 1, D);
    const gb_node loss = gb_add(gb_scale(gb_sum(gb_square(gb_sub(next, gb_square(head)))), 100),
                                gb_sum(gb_square(gb_shift(head, -1))));
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_lbfgs(.history = history)));
    int runs = 0;
    double f = INFINITY;
    while (runs < 1000 && gb_run(p) == GB_OK && (f = gb_value(loss)) > to)
        runs++;
    assert_fine(t);
    assert_true(f <= to);
    return runs;
}

TEST(lbfgs_is_quick_in_a_chain_of_valleys)
{
    assert_in_range(runs_down_a_chain(GB_DOUBLE, 1e-10, 10), 20, 200);
    assert_in_range(runs_down_a_chain(GB_DOUBLE, 1e-20, 10), 20, 200);
    assert_in_range(runs_down_a_chain(GB_DOUBLE, 1e-10, 1), 20, 600);
    assert_in_range(runs_down_a_chain(GB_FLOAT, 1e-5, 10), 20, 300);
}

/* log x − x … : beyond 0 the loss is NaN, and steps are shortened until it is not. */
TEST(lbfgs_shortens_a_step_to_where_there_is_no_loss)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(0.9, 30));
    const gb_node loss = gb_sum(gb_sub(gb_scale(x, 40), gb_log(x)));
    gb_program *p = gb_compile(t, (gb_node_list){0}, gb_minimise(loss, gb_lbfgs(.lr = 1)));
    for (int run = 0; run < 200; run++)
        if (gb_run(p) != GB_OK)
            fail_msg("run %d: %s", run, gb_error_text(t));
    double is[2];
    gb_read(x, is, 2);
    assert_near(is[0], 0.025, 1e-9);
    assert_near(is[1], 0.025, 1e-9);
}

/* A kink, where no step satisfies the conditions: it gives up, rests at the best point, and
 * goes on when the loss is another one. */
TEST(lbfgs_rests_where_nothing_gets_better)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(0.7)), at = gb_input(t, "at", gb_shape());
    const gb_node loss = gb_abs(gb_sub(x, at));
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_lbfgs()));
    for (int turn = 0; turn < 3; turn++) {
        const double where = turn - 0.3;
        gb_feed(at, &where, 1);
        for (int run = 0; run < 400; run++)
            assert_int_equal(gb_run(p), GB_OK);
        assert_near(gb_value(x), where, 1e-6);
        const double rest = gb_value(x);
        for (int run = 0; run < 5; run++) {
            assert_int_equal(gb_run(p), GB_OK);
            assert_true(gb_value(x) == rest);
        }
    }
}

/* Values never rise from one accepted point to the next. */
TEST(lbfgs_accepts_only_what_is_lower)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(-1.2, 1));
    const gb_node a = gb_slice(x, 0, 0, 1), b = gb_slice(x, 0, 1, 2);
    const gb_node loss =
        gb_sum(gb_add(gb_scale(gb_square(gb_sub(b, gb_square(a))), 100), gb_square(gb_shift(a, -1))));
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_lbfgs()));
    const gb_node accepted = gb_variable_named(t, "x.lbfgs.loss");
    double last = INFINITY;
    int trials = 0;
    for (int run = 0; run < 60; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        trials += gb_value(loss) > last;
        assert_true(gb_value(accepted) <= last);
        last = gb_value(accepted);
    }
    assert_true(trials > 0); /* some were not */
    assert_true(last < 1e-20);
}

TEST(lbfgs_rejects_noise)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_fill(1));
    const gb_node noise = gb_normal_noise(gb_stream(t, "noise"), gb_shape(2), 0);
    gb_minimise(gb_sum(gb_square(gb_add(x, noise))), gb_lbfgs());
    assert_rejected(t, GB_EARGUMENT, "lbfgs: the loss depends on noise (normal_noise)");
    const gb_node y = gb_variable(t, "y", gb_shape(2), gb_fill(1));
    gb_minimise(gb_sum(gb_square(gb_add(y, gb_stop(noise)))), gb_lbfgs());
    assert_rejected(t, GB_EARGUMENT, "lbfgs: the loss depends on noise");
}

/* ---- what estimators learn ---- */

/* RELAX learns a surrogate, score with a learned baseline a number: both go on
 * under every optimiser that takes noise. */
TEST(what_estimators_learn_moves_with_every_optimiser)
{
    size_t count;
    const gb_optimiser_type *const *const all = gb_optimisers(&count);
    for (size_t i = 0; i < count; i++) {
        if (all[i] == &gb_lbfgs_optimiser_type)
            continue;
        gb_tape *const tape = test_tape(.seed = 2, .samples = 8);
        gb_expect *e = gb_expect_new(tape);
        const gb_node x = gb_variable(tape, "x", gb_shape(), gb_fill(0.2));
        const gb_node z = gb_draw(e, "z", gb_bernoulli_logits(x), gb_relax());
        const gb_node loss = gb_expected(e, gb_square(gb_shift(z, -0.45)));
        gb_optimiser optimiser = gb_optimiser_of(all[i], NULL);
        if (all[i] == &gb_natural_optimiser_type)
            optimiser = gb_natural(.others = 1);
        gb_program *p =
            gb_compile(tape, gb_roots(loss), gb_minimise(loss, optimiser, .clip_norm = 1, .average = true));
        for (int run = 0; run < 3; run++)
            assert_int_equal(gb_run(p), GB_OK);
        assert_true(gb_value(gb_variable_named(tape, "z.linear")) != 0);
        assert_true(gb_value(x) != 0.2);
        assert_true(gb_tape_has_variable(tape, "x.average") &&
                    !gb_tape_has_variable(tape, "z.linear.average"));
    }
}

/* ---- what is not finite ---- */

/* All variables of the tape, one after the other; returns how many numbers. */
static size_t all_numbers(gb_node last, double *numbers)
{
    size_t at = 0;
    for (uint32_t id = 0; id < (uint32_t)gb_tape_length(last.tape); id++) {
        const gb_node node = {.tape = last.tape, .id = id, .generation = last.generation};
        if (strcmp(gb_node_op_name(node), "variable") != 0)
            continue;
        const size_t count = gb_value_count(node);
        assert_true(at + count <= 512);
        assert_int_equal(gb_read(node, numbers + at, count), GB_OK);
        at += count;
    }
    return at;
}

static void gradients_that_are_not_finite_change_nothing(gb_optimiser optimiser)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double before[512], after[512];
    gb_tape *const t = test_tape();
    const gb_node x = gb_variable(t, "x", gb_shape(N), gb_fill(0.5)), in = gb_input(t, "in", gb_shape(N));
    const gb_node loss = gb_add(gb_sum(gb_square(x)), gb_sum(gb_mul(in, gb_square(x))));
    const gb_updates updates = gb_minimise(loss, optimiser, .average = true);
    gb_program *p = gb_compile(t, gb_roots(loss), updates),
               *blind = gb_compile(t, (gb_node_list){0}, updates);
    const bool searches =
        optimiser.type == &gb_lbfgs_optimiser_type; /* which then takes it for a step that is too long */
    for (int run = 0; run < 3; run++) {
        const size_t count = all_numbers(loss, before);
        for (int i = 0; i < (searches && run > 0 ? 4 : 6); i++) {
            gb_feed(in, (const double[]){1, bad[i / 2], 2}, 1);
            assert_int_equal(gb_run(i % 2 && (!searches || run == 0) ? blind : p), GB_ENONFINITE);
            gb_forgive(t);
            assert_int_equal(all_numbers(loss, after), count);
            assert_memory_equal(before, after, count * sizeof *before);
        }
        gb_feed(in, (const double[]){1, 3, 2}, 1);
        assert_int_equal(gb_run(p), GB_OK);
    }
}

TEST(no_optimiser_takes_a_gradient_that_is_not_finite)
{
    size_t count;
    const gb_optimiser_type *const *const all = gb_optimisers(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i] != &gb_natural_optimiser_type)
            gradients_that_are_not_finite_change_nothing(gb_optimiser_of(all[i], NULL));
    gradients_that_are_not_finite_change_nothing(gb_natural(.others = 1));
    gradients_that_are_not_finite_change_nothing(gb_sgd(.momentum = 0.9, .nesterov = true));
    gradients_that_are_not_finite_change_nothing(gb_rmsprop(.momentum = 0.9, .centred = true));
}

/* ---- the list ---- */

TEST(optimisers_are_found_by_name)
{
    size_t count;
    const gb_optimiser_type *const *const all = gb_optimisers(&count);
    assert_int_equal(count, 7);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(gb_optimiser_find(all[i]->name), all[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(all[i]->name, all[k]->name);
    }
    assert_null(gb_optimiser_find("adam2"));
    assert_null(gb_optimiser_find(NULL));
    assert_ptr_equal(gb_optimisers(NULL), all);
}
