/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native code goes through arrays row by row, where rows are summed or repeated, with the bits of the
 * interpreter. */
#include "support/test.h"

#include <stdlib.h>

#include "core/program.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/native.h"

/* Rows shorter and longer than a vector, a block and a chunk, and with such ends. */
static const int64_t columns[] = {2, 3, 7, 8, 9, 16, 31, 255, 256, 257, 1000, 5003};
enum { SHAPES = sizeof columns / sizeof *columns, EACH = 6, OTHERS = 8, ELEMENTS = 5010 };

/* Numbers of both signs and of very different sizes, so that each order of a sum has other bits. */
static double number(size_t i)
{
    const double x = (double)((i * 2654435761u) % 1000) / 333 - 1.5;
    return i % 17 == 0 ? -0.0 : i % 11 == 0 ? x * 1e5 : x;
}

static gb_node filled(gb_tape *t, const char *kind, gb_shape shape)
{
    const size_t count = gb_shape_count(shape);
    char name[32];
    snprintf(name, sizeof name, "%s %zu", kind, count);
    double *const at = malloc((count + 1) * sizeof *at);
    for (size_t i = 0; i < count; i++)
        at[i] = number(i + (size_t)shape.size[0]);
    const gb_node made = gb_variable(t, name, shape, gb_values_of(at, count));
    free(at);
    return made;
}

/* Row sums of a short and of a long formula, all of a matrix, a matrix with a repeated row, and sums of a row
 * between formulas of its elements. */
static void make_roots(gb_tape *t, int64_t width, gb_node root[EACH])
{
    const int64_t rows = (ELEMENTS + width - 1) / width + 1;
    const gb_node x = filled(t, "x", gb_shape(rows, width)), b = filled(t, "b", gb_shape(width));
    root[0] = gb_sum_along(gb_square(gb_add(x, b)), gb_axis(1));
    root[1] = gb_sum_along(gb_exp(gb_scale(x, 1e-4)), gb_axis(1));
    root[2] = gb_sum(gb_mul(x, b));
    root[3] = gb_mul(gb_neg(x), gb_shift(b, 1));
    const gb_node u = gb_square(b), v = gb_tanh(u), w = gb_exp(v); /* w has the memory of u */
    root[5] = gb_sub(gb_sum(u), gb_sum(w));
    root[4] = gb_mul(gb_square(b), gb_add(gb_sum(gb_square(b)), gb_maximum(gb_square(gb_shift(b, 1)))));
}

/* Loops that look like these and are not: maxima of rows, sums along the middle, rows with gaps, columns that
 * are repeated, and rows that are not. And a loop of nothing but sums of long rows, and rows of two lengths
 * in the same elements. */
static void make_others(gb_tape *t, gb_node root[OTHERS])
{
    enum { ROWS = 300, WIDTH = 20, FEW = 3 };
    const gb_node x = filled(t, "y", gb_shape(ROWS, WIDTH)), b = filled(t, "c", gb_shape(2 * WIDTH)),
                  c = filled(t, "d", gb_shape(ROWS, 1)), z = filled(t, "z", gb_shape(ROWS, WIDTH, FEW)),
                  w = filled(t, "w", gb_shape(ROWS, 2 * WIDTH));
    root[0] = gb_maximum_along(gb_square(gb_shift(x, -1)), gb_axis(1));
    root[1] = gb_sum_along(gb_square(gb_shift(z, -1)), gb_axis(1));
    root[2] = gb_mul(gb_neg(x), gb_slice_step(b, 0, 0, 2 * WIDTH, 2));
    root[3] = gb_mul(gb_neg(x), c);
    root[4] = gb_mul(gb_neg(x), gb_slice(w, 1, 3, 3 + WIDTH));
    root[5] = gb_sum_along(gb_square(filled(t, "v", gb_shape(7, 900))), gb_axis(1));
    const gb_node u = gb_neg(filled(t, "u", gb_shape(60, 100)));
    root[6] = gb_sum_along(gb_square(u), gb_axis(1));
    root[7] = gb_sum_along(gb_square(gb_reshape(u, gb_shape(200, 30))), gb_axis(1));
}

/* Returns the numbers of all roots; the caller frees them. */
static double *run(gb_tape_options how, size_t *count)
{
    gb_node root[SHAPES * EACH + OTHERS];
    how.size = sizeof how;
    gb_tape *const t = gb_tape_new_with(&how);
    for (size_t i = 0; i < SHAPES; i++)
        make_roots(t, columns[i], &root[i * EACH]);
    make_others(t, &root[SHAPES * EACH]);
    gb_program *const p = gb_compile(t, (gb_node_list){SHAPES * EACH + OTHERS, root}, gb_no_update);
    for (int times = 0; times < 2; times++)
        if (gb_run(p) != GB_OK)
            fail_msg("%s", gb_error_text(t));
    if (how.native && strcmp(gb_program_native(p), "native code") != 0)
        fail_msg("not native: %s", gb_program_native(p));
    double *all = NULL;
    *count = 0;
    for (size_t i = 0; i < SHAPES * EACH + OTHERS; i++) {
        const size_t more = gb_value_count(root[i]);
        all = realloc(all, (*count + more) * sizeof *all);
        assert_int_equal(gb_read(root[i], all + *count, more), GB_OK);
        *count += more;
    }
    gb_tape_free(t);
    return all;
}

/* New values of arrays beyond the caches, in rows that begin anywhere in a vector. */
static double far_rows(gb_native_use use)
{
    enum { WIDTH = 1101 };
    gb_tape *const t = gb_tape_new(.threads = 1, .native = use);
    const gb_node x = gb_variable(t, "x", gb_shape(WIDTH, WIDTH), gb_fill(0.5));
    const gb_node b = filled(t, "b", gb_shape(WIDTH));
    gb_program *const p =
        gb_compile(t, (gb_node_list){0}, gb_assign(x, gb_add(gb_scale(x, 0.75), gb_square(b))));
    for (int run = 0; run < 2; run++)
        assert_int_equal(gb_run(p), GB_OK);
    double *const now = malloc(WIDTH * WIDTH * sizeof *now), sum = 0;
    assert_int_equal(gb_read(x, now, WIDTH * WIDTH), GB_OK);
    for (size_t i = 0; i < WIDTH * WIDTH; i++)
        sum += now[i] * (double)(i % 7 + 1);
    free(now);
    gb_tape_free(t);
    return sum;
}

TEST(rows_beyond_the_caches_have_the_bits_of_the_interpreter)
{
    native_needs_compiler();
    native_begin();
    const double by_interpreter = far_rows(GB_NATIVE_OFF), by_native = far_rows(GB_NATIVE_NOW);
    assert_memory_equal(&by_interpreter, &by_native, sizeof by_native);
    native_end();
}

TEST(rows_have_the_bits_of_the_interpreter)
{
    native_needs_compiler();
    native_begin();
    static const char *const isa[GB_ISA_COUNT] = {"baseline", "avx2", "avx512"};
    for (int i = 0; i <= 2 * (int)gb_best_isa() + 1; i++) {
        gb_tape_options how = {.real = i % 2 ? GB_FLOAT : GB_DOUBLE, .threads = 1 + i % 2};
        setenv("GREBE_ISA", isa[i / 2], 1);
        size_t expected, count;
        double *const by_interpreter = run(how, &expected);
        how.native = GB_NATIVE_NOW;
        double *const by_native = run(how, &count);
        assert_int_equal(count, expected);
        for (size_t k = 0; k < count; k++)
            if (memcmp(&by_interpreter[k], &by_native[k], sizeof(double)) != 0)
                fail_msg("%s, %s: number %zu is %.17g by the interpreter, %.17g by native code", isa[i / 2],
                         i % 2 ? "float" : "double", k, by_interpreter[k], by_native[k]);
        free(by_interpreter);
        free(by_native);
    }
    unsetenv("GREBE_ISA");
    native_end();
}
