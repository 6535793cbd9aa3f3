/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What depends on how programs are planned and run: fused groups, long sums, columns, threads,
 * transactions. */
#ifndef GREBE_TESTS_PROGRAMS_ENGINE_H
#define GREBE_TESTS_PROGRAMS_ENGINE_H

#include "probe.h"

/* A chain of fused operations with views and broadcasts among them, and values that are used twice. */
static void engine_fused(probe *p)
{
    gb_node x[2];
    x[0] = variable(p, "x", gb_shape(6, 50), -1, 1);
    x[1] = variable(p, "y", gb_shape(50), -1, 1);
    const gb_node a = gb_tanh(gb_mul(x[0], x[1])), b = gb_softplus(gb_add(a, x[1]));
    const gb_node turned = gb_flip(b, 1), sum = gb_sum_along(turned, gb_axis(1));
    const gb_node centred = gb_sub(b, gb_expand(sum, 1)), c = gb_mul(centred, turned);
    const gb_node squares = gb_mean_along(gb_square(c), gb_axis(0));
    const gb_node root = gb_sqrt(gb_shift(squares, 1)), loss = gb_sum(gb_log1p(root));
    keep(p, c);
    keep_two_gradients(p, loss, 2, x);
    look_at_kept(p, 2);
}

/* Sums over many blocks and chunks, along rows and along columns: their order decides on the last bits. */
static void engine_long_sums(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(60, 1100), -1, 1);
    const gb_node y = gb_mul(x, gb_sigmoid(x));
    keep(p, gb_sum(y));
    keep(p, gb_logsumexp(y));
    keep(p, gb_mean_along(y, gb_axis(0)));
    keep(p, gb_sum_along(y, gb_axis(1)));
    keep(p, gb_maximum_along(y, gb_axis(0)));
    const gb_node wide = gb_reshape(y, gb_shape(3, 20, 1100));
    const gb_node middle = gb_sum_along(wide, gb_axis(1)), cumulated = gb_cumsum(y, 0);
    keep(p, middle);
    const gb_node squares = gb_sum(gb_square(middle)), mean = gb_mean(cumulated),
                  loss = gb_add(squares, mean);
    keep_gradient(p, loss, x);
    look_at_kept(p, 1);
}

/* Large enough for several threads: fused groups, sums, noise, a product with a vector, an optimiser's
 * step. */
static void engine_large(probe *p)
{
    const gb_node table = variable(p, "table", gb_shape(400, 310), -1, 1);
    const gb_node vector = variable(p, "vector", gb_shape(310), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(400, 310), GB_SAMPLES);
    const gb_node mixed = gb_tanh(gb_add(table, gb_scale(noise, 0.125)));
    const gb_node products = gb_matmul(mixed, vector), squares = gb_mean(gb_square(products));
    const gb_node columns = gb_sum_along(mixed, gb_axis(0)), more = gb_mean(gb_square(columns));
    const gb_node loss = gb_mean_over(gb_add(squares, more), GB_SAMPLES);
    train_by(p, loss, gb_minimise(loss, gb_sgd(.lr = 0.03125)), 2);
}

/* Products that are cut into tiles for several threads. */
static void engine_large_products(probe *p)
{
    const gb_node w = variable(p, "w", gb_shape(48, 200), -1, 1);
    const gb_node row = rows_of(p, "row", 1200, gb_shape(48), -1, 1);
    const gb_node hidden = gb_tanh(gb_matmul(row, w)), out = gb_mean(hidden);
    const gb_node loss = gb_mean_over(gb_square(out), GB_ROWS);
    train_by(p, loss, gb_minimise(loss, gb_sgd(.lr = 0.5)), 2);
}

/* Gradients of gradients of gradients. */
static void engine_third_gradients(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(9), -1, 1);
    const gb_node wave = gb_mul(gb_sin(gb_scale(x, 2)), gb_exp(x)), square = gb_square(gb_sum(wave));
    const gb_node tail = gb_sum(gb_log_ndtr(x)), y = gb_add(square, tail);
    const gb_node first = gb_grad(y, x), sum = weighted_sum(p, first);
    const gb_node second = gb_grad(sum, x), again = weighted_sum(p, second), third = gb_grad(again, x);
    keep(p, first);
    keep(p, second);
    keep(p, third);
    look_at_kept(p, 1);
}

/* Operations that have the value of one node and the gradient of another. */
static void engine_gradients_under_control(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(9), -1, 1), y = gb_exp(x);
    keep_two_gradients(p, gb_mul(gb_stop(y), x), 1, &x);
    const gb_node sum = gb_sum(x), squares = gb_sum(gb_square(y)), factor = gb_num(p->t, 0.75);
    keep_two_gradients(p, gb_inject(sum, squares, factor), 1, &x);
    const gb_node log_q = gb_sum(gb_sin(x)), weight = gb_sum(y), cost = gb_sum(gb_square(x));
    keep_two_gradients(p, gb_inject_score(cost, log_q, weight), 1, &x);
    keep_two_gradients(p, gb_gradient_only(y), 1, &x);
    keep_two_gradients(p, gb_continuous(gb_mul(gb_floor(y), x)), 1, &x);
    look_at_kept(p, 1);
}

/* Two programs over the same variables; numbers of rows that differ from run to run; float and integer
 * data. */
static void engine_programs_and_feeds(probe *p)
{
    static const float FLOATS[] = {0.5F, -1.25F, 2, 0.75F, -0.5F, 1.5F};
    const gb_node w = variable(p, "w", gb_shape(3, 2), -1, 1);
    const gb_node x = gb_input_rows(p->t, "x", gb_shape(2)),
                  label = gb_input_rows_ints(p->t, "label", gb_shape());
    const gb_node score = gb_matmul(w, x), taken = gb_take_along(score, gb_expand(label, 0), 0);
    const gb_node own = gb_squeeze(taken, 0), gain = gb_sub(own, gb_logsumexp(score));
    const gb_node loss = gb_neg(gb_mean_over(gain, GB_ROWS));
    gb_program *const step = gb_compile(p->t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 0.5)));
    gb_program *const predict = gb_compile(p->t, gb_roots(gb_softmax(score, 0), gain), gb_no_update);
    for (int64_t rows = 1; rows <= 4; rows++) {
        gb_feed(x, inputs("x", gb_shape(rows, 2), -1, 1), rows);
        gb_feed_ints(label, (const int64_t[]){2, 0, 1, 0}, rows);
        gb_run(step);
        look(p, loss);
        gb_run(predict);
        look(p, gain);
    }
    gb_feed_float(x, FLOATS, 3);
    gb_feed_ints(label, (const int64_t[]){1, 1, 2}, 3);
    gb_run(step);
    look(p, loss);
    look_at_variables(p);
}

/* A run that fails changes nothing; a variable is set; a tape is reset and recorded again. */
static void engine_transactions(probe *p)
{
    gb_node x = variable(p, "x", gb_shape(5), 0.25, 1);
    gb_node loss = gb_sum(gb_mul(x, gb_log(x)));
    gb_program *step =
        gb_compile(p->t, gb_roots(loss), gb_assign(x, gb_sub(x, gb_scale(gb_grad(loss, x), 2))));
    for (int i = 0; i < 4; i++) {
        hash_number(p, "status", (double)gb_run(step));
        gb_forgive(p->t);
        look(p, x);
    }
    gb_set(x, GB_VALUES(1, 2, 3, 4, 5));
    gb_run(step);
    gb_forgive(p->t);
    look_at_variables(p);
    gb_tape_reset(p->t);
    x = gb_variable(p->t, "x", gb_shape(5), gb_fill(0.5));
    const gb_node noise = gb_uniform_noise(gb_stream(p->t, "noise"), gb_shape(5), 0);
    loss = gb_sum(gb_square(gb_sub(x, noise)));
    step = gb_compile(p->t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.25)));
    for (int i = 0; i < 4; i++)
        gb_run(step);
    look_at_variables(p);
}

/* Inputs without rows, and the number of rows as a value. */
static void engine_inputs(probe *p)
{
    const gb_node x = gb_input(p->t, "x", gb_shape(4)), at = gb_input_ints(p->t, "at", gb_shape(3));
    const gb_node row = gb_input_rows(p->t, "row", gb_shape()), rows = gb_axis_size(p->t, GB_ROWS);
    gb_program *const program = gb_compile(p->t, gb_roots(gb_gather(x, 0, at), rows), gb_no_update);
    const gb_node taken = gb_gather(gb_square(x), 0, at), product = gb_mul(taken, rows);
    gb_program *const other = gb_compile(p->t, gb_roots(product), gb_no_update);
    for (int64_t n = 1; n < 4; n++) {
        gb_feed(x, inputs("x", gb_shape(4), -1, 1), 1);
        gb_feed_ints(at, (const int64_t[]){3, 0, n}, 1);
        gb_feed(row, inputs("row", gb_shape(n), -1, 1), n);
        gb_run(program);
        look(p, rows);
        gb_run(other);
        look(p, product);
    }
}

/* More numbers of samples than plans are kept. */
static void engine_many_plans(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(3), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(3), GB_SAMPLES);
    const gb_node mean = gb_mean_over(gb_exp(gb_mul(noise, x)), GB_SAMPLES);
    gb_program *const program = gb_compile(p->t, gb_roots(mean), gb_no_update);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t samples = 1; samples <= 20; samples++) {
            gb_program_set_samples(program, samples);
            gb_run(program);
            look(p, mean);
        }
}

/* A tape that takes subnormal numbers for 0, and one that does not. */
static void engine_subnormal_numbers(probe *p)
{
    gb_tape *const own = p->t;
    for (int flush = 0; flush < 2; flush++) {
        p->t = gb_tape_new(.real = p->real, .threads = p->threads, .flush_subnormals = flush);
        const gb_node x = variable(p, "x", gb_shape(9), 1, 2);
        const gb_node small = gb_scale(x, p->real == GB_FLOAT ? 0x1p-70 : 0x1p-970);
        const gb_node tiny = gb_scale(small, 0x1p-60), back = gb_scale(tiny, 0x1p60);
        keep(p, tiny);
        keep(p, back);
        look_at_kept(p, 1);
        gb_tape_free(p->t);
    }
    p->t = own;
}

/* Nodes that are read before the first run. */
static void engine_reading(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(4, 3), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(3), GB_SAMPLES);
    look(p, gb_mul(x, noise));
    look(p, gb_cumsum(gb_exp(x), 0));
    look(p, x);
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);
    gb_print(gb_mul(noise, x), file);
    fclose(file);
    hash_numbers_in(p, "what gb_print prints", text);
    free(text);
}

/* clang-format off */
#define ENGINE_PROGRAMS                                                                                      \
    PROGRAM("engine/fused", engine_fused),                                                                   \
    PROGRAM("engine/long-sums", engine_long_sums),                                                           \
    SAMPLED("engine/large", engine_large, 2),                                                                \
    MULTIPLIED("engine/large-products", engine_large_products),                                              \
    PROGRAM("engine/third-gradients", engine_third_gradients),                                               \
    PROGRAM("engine/gradients-under-control", engine_gradients_under_control),                               \
    PROGRAM("engine/programs-and-feeds", engine_programs_and_feeds),                                         \
    PROGRAM("engine/transactions", engine_transactions),                                                     \
    PROGRAM("engine/inputs", engine_inputs),                                                                 \
    PROGRAM("engine/many-plans", engine_many_plans),                                                         \
    PROGRAM("engine/subnormal-numbers", engine_subnormal_numbers),                                           \
    SAMPLED("engine/reading", engine_reading, 3)
/* clang-format on */

#endif
