/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patches against loops: windows, a convolution with its gradients, pooling. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/patches.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/misuse.h"

enum { HIGH = 6, WIDE = 5, CHANNELS = 2, OUT = 3, MOST = 4096 };

typedef struct geometry {
    const char *name;
    int64_t window[2], stride[2], padding[2], dilation[2];
} geometry;

static const geometry geometries[] = {
    {"plain", {3, 2}, {1, 1}, {0, 0}, {1, 1}},         {"one_by_one", {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {"stride", {2, 3}, {2, 1}, {0, 0}, {1, 1}},        {"padding", {3, 3}, {1, 1}, {1, 2}, {1, 1}},
    {"dilation", {2, 3}, {1, 1}, {0, 0}, {3, 2}},      {"all", {3, 2}, {2, 3}, {2, 1}, {2, 3}},
    {"as_large_as_x", {6, 5}, {1, 1}, {0, 0}, {1, 1}},
};

static double pseudo(size_t i)
{
    return sin(12.9898 * (double)(i + 1)) * cos(78.233 * (double)(i * i + 3));
}

static int64_t count_of(const geometry *g, int axis)
{
    const int64_t size = axis == 0 ? HIGH : WIDE;
    return 1 +
           (size + 2 * g->padding[axis] - 1 - g->dilation[axis] * (g->window[axis] - 1)) / g->stride[axis];
}

/* The place in x that element (a, b) of window (i, j) has; −1: padding. */
static int64_t place(const geometry *g, int64_t i, int64_t j, int64_t a, int64_t b)
{
    const int64_t y = i * g->stride[0] - g->padding[0] + a * g->dilation[0],
                  x = j * g->stride[1] - g->padding[1] + b * g->dilation[1];
    return y < 0 || y >= HIGH || x < 0 || x >= WIDE ? -1 : y * WIDE + x;
}

/* Calls `each` for every product of a convolution: x[from] · w[weight] is added to y[to]. */
typedef void term(void *user, int64_t from, int64_t weight, int64_t to);
static void convolve(const geometry *g, term *each, void *user)
{
    for (int64_t i = 0; i < count_of(g, 0); i++)
        for (int64_t j = 0; j < count_of(g, 1); j++)
            for (int64_t a = 0; a < g->window[0]; a++)
                for (int64_t b = 0; b < g->window[1]; b++)
                    for (int64_t c = 0; c < CHANNELS; c++)
                        for (int64_t o = 0; o < OUT && place(g, i, j, a, b) >= 0; o++)
                            each(user, place(g, i, j, a, b) * CHANNELS + c,
                                 ((a * g->window[1] + b) * CHANNELS + c) * OUT + o,
                                 (i * count_of(g, 1) + j) * OUT + o);
}

typedef struct arrays {
    double x[HIGH * WIDE * CHANNELS], w[MOST], y[MOST], in_x[HIGH * WIDE * CHANNELS], in_w[MOST];
} arrays;

static void forward(void *user, int64_t from, int64_t weight, int64_t to)
{
    arrays *const all = user;
    all->y[to] += all->x[from] * all->w[weight];
}

/* Of the cost Σ y² / 2. */
static void backward(void *user, int64_t from, int64_t weight, int64_t to)
{
    arrays *const all = user;
    all->in_x[from] += all->y[to] * all->w[weight];
    all->in_w[weight] += all->y[to] * all->x[from];
}

static gb_node patches(gb_node x, const geometry *g)
{
    return gb_patches(x, gb_shape(g->window[0], g->window[1]), .stride = gb_shape(g->stride[0], g->stride[1]),
                      .padding = gb_shape(g->padding[0], g->padding[1]),
                      .dilation = gb_shape(g->dilation[0], g->dilation[1]));
}

static void assert_numbers(gb_node node, const double *should, size_t count)
{
    static double is[MOST];
    assert_int_equal(gb_read(node, is, count), GB_OK);
    for (size_t i = 0; i < count; i++)
        assert_near(is[i], should[i], 1e-12);
}

TEST_EACH(a_product_of_patches_is_a_convolution, geometries)
{
    const geometry *const g = row;
    static arrays all;
    const size_t pixels = HIGH * WIDE * CHANNELS;
    const int64_t elements = g->window[0] * g->window[1] * CHANNELS, high = count_of(g, 0),
                  wide = count_of(g, 1);
    memset(&all, 0, sizeof all);
    for (size_t i = 0; i < pixels; i++)
        all.x[i] = pseudo(i);
    for (int64_t i = 0; i < elements * OUT; i++)
        all.w[i] = pseudo((size_t)i + 100);
    const gb_node x = gb_variable(t, "x", gb_shape(HIGH, WIDE, CHANNELS), gb_values_of(all.x, pixels)),
                  w = gb_variable(t, "w", gb_shape(elements, OUT),
                                  gb_values_of(all.w, (size_t)(elements * OUT)));
    const gb_node y = gb_matmul(patches(x, g), w), cost = gb_scale(gb_sum(gb_square(y)), 0.5);
    const gb_node in_x = gb_grad(cost, x), in_w = gb_grad(cost, w);
    assert_fine(t);
    assert_true(gb_shape_same(gb_node_shape(y), gb_shape(high, wide, OUT)));
    convolve(g, forward, &all);
    convolve(g, backward, &all);
    assert_numbers(y, all.y, (size_t)(high * wide * OUT));
    assert_numbers(in_x, all.in_x, pixels);
    assert_numbers(in_w, all.in_w, (size_t)(elements * OUT));
}

TEST(axes_before_the_windows_and_rows_are_separate)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const gb_node both = gb_constant(t, gb_shape(2, 3, 2), gb_values_of(values, 12)),
                  rows = gb_input_rows(t, "x", gb_shape(3, 2));
    gb_feed(rows, values, 2);
    const gb_node one = gb_patches(both, gb_shape(2)), of_rows = gb_patches(rows, gb_shape(2));
    assert_true(gb_shape_same(gb_node_shape(one), gb_shape(2, 2, 4)));
    assert_values(one, 1, 2, 3, 4, 3, 4, 5, 6, 7, 8, 9, 10, 9, 10, 11, 12);
    assert_values(of_rows, 1, 2, 3, 4, 3, 4, 5, 6, 7, 8, 9, 10, 9, 10, 11, 12);
}

TEST(one_number_is_for_all_axes)
{
    const gb_node x = gb_variable(t, "x", gb_shape(4, 4, 1),
                                  GB_VALUES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
    const gb_node p = gb_patches(x, gb_shape(2, 2), .stride = gb_shape(2));
    assert_values(p, 1, 2, 5, 6, 3, 4, 7, 8, 9, 10, 13, 14, 11, 12, 15, 16);
    assert_values(gb_maximum_along(gb_reshape(p, gb_shape(2, 2, 4, 1)), gb_axis(-2)), 6, 8, 14, 16);
}

/* Two channels, which are not mixed; the last column of x is in no window. */
TEST(pools_reduce_windows_channel_by_channel)
{
    const gb_node x = gb_constant(t, gb_shape(2, 5, 2),
                                  GB_VALUES(1, -1, 2, -2, 3, -3, 4, -4, 99, 99, /* */
                                            5, -5, 6, -6, 0, -7, 8, -8, 99, 99));
    const gb_node most = gb_pool_maximum(x, gb_shape(2, 2)), mean = gb_pool_mean(x, gb_shape(2, 2));
    assert_true(gb_shape_same(gb_node_shape(most), gb_shape(1, 2, 2)));
    assert_values(most, 6, -1, 8, -3);
    assert_values(mean, 3.5, -3.5, 3.75, -5.5);
    assert_values(gb_pool_maximum(x, gb_shape(1, 2), .stride = gb_shape(1, 1)), 2, -1, 3, -2, 4, -3, 99, 99,
                  6, -5, 6, -6, 8, -7, 99, 99);
    assert_values(gb_pool_mean(x, gb_shape(2, 5)), 227. / 10, (198. - 36) / 10);
}

TEST(many_axes_have_windows_too)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2, 2, 2, 2, 1),
                                  GB_VALUES(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
    assert_values(gb_patches(x, gb_shape(1, 2, 1, 2)), 1, 2, 5, 6, 3, 4, 7, 8, 9, 10, 13, 14, 11, 12, 15, 16);
}

MISUSE(a_pool_without_channels, GB_ESHAPE, "patches: the window (1×2) does not fit x of shape (2×3)",
       gb_pool_mean(w->matrix, gb_shape(1, 2)))
MISUSE(a_window_without_axes, GB_ESHAPE, "patches: the window () does not fit x of shape (2×3)",
       gb_patches(w->matrix, gb_shape()))
MISUSE(no_axis_of_channels, GB_ESHAPE, "patches: the window (2×2) does not fit x of shape (2×3)",
       gb_patches(w->matrix, gb_shape(2, 2)))
MISUSE(a_window_that_is_too_large, GB_ESHAPE,
       "patches: the window takes 5 places of axis 0 of x, which has 4 with its padding",
       gb_patches(w->matrix, gb_shape(3), .padding = gb_shape(1), .dilation = gb_shape(2)))
MISUSE(a_stride_of_0, GB_ESHAPE, "patches: .stride is (0), and must be at least 1",
       gb_patches(w->matrix, gb_shape(1), .stride = gb_shape(0)))
MISUSE(padding_below_0, GB_ESHAPE, "patches: .padding has a number below 0",
       gb_patches(w->matrix, gb_shape(1), .padding = gb_shape(-1)))
MISUSE(too_many_strides, GB_ESHAPE, "patches: .stride has 2 numbers, and the window 1 axes",
       gb_patches(w->matrix, gb_shape(1), .stride = gb_shape(1, 2)))
MISUSE(patches_of_nothing, GB_ENODE, "patches", gb_patches(w->old, gb_shape(1)))

static gb_status use(gb_tape *t, const void *what)
{
    (void)what;
    const gb_node x = gb_variable(t, "x", gb_shape(3, 2), gb_fill(1));
    const gb_node y = gb_sum(gb_square(gb_patches(x, gb_shape(2), .padding = gb_shape(1))));
    gb_run(gb_compile(t, gb_roots(y, gb_grad(y, x)), gb_no_update));
    return t ? gb_error(t) : GB_ENOMEM;
}

TEST(memory_may_run_out)
{
    assert_outlives_lack_of_memory(use, NULL, "patches", 0,
                                   (gb_tape_options){.size = sizeof(gb_tape_options)});
}
