/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every elementwise operation of the list, on every instruction set and in both real types: an
 * element's value depends on nothing but its arguments, neither on its place, nor on the length,
 * nor on how the arguments lie in memory. */
#include "support/close.h"

#include "ops/array.h"
#include "ops/list.h"

enum { LONGEST = 9000 };
static double argument[3][LONGEST], whole[LONGEST], part[LONGEST];

static const gb_op *the_op;
static gb_real the_real;

/* op of elements first … first + count − 1, as bits that can be compared. */
static void compute(size_t first, size_t count, bool strided, double *result)
{
    gb_tape *t = gb_tape_new(.real = the_real, .threads = 1);
    gb_node arg[3];
    for (size_t i = 0; i < the_op->arguments; i++) {
        const gb_shape shape = gb_shape((int64_t)count);
        arg[i] = gb_input(t, (const char *[]){"x", "y", "z"}[i], shape);
        gb_feed(arg[i], argument[i] + first, 1);
        if (strided) { /* every second element of an array twice as long */
            const gb_node pairs[] = {gb_reshape(arg[i], gb_shape((int64_t)count, 1)),
                                     gb_zeros(t, gb_shape((int64_t)count, 1))};
            const gb_node twice = gb_reshape(gb_concat(2, pairs, 1), gb_shape(2 * (int64_t)count));
            arg[i] = gb_slice_step(twice, 0, 0, 2 * (int64_t)count, 2);
        }
    }
    gb_read(gb_apply(NULL, the_op, the_op->arguments, arg, NULL, 0), result, count);
    assert_fine(t);
    gb_tape_free(t);
}

static void assert_part(size_t first, size_t count, bool strided)
{
    compute(first, count, strided, part);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&part[i], &whole[first + i], sizeof *part) != 0)
            fail_msg("%s (%s): element %zu of %zu from %zu on is %.17g, and %.17g among %d", the_op->name,
                     the_real == GB_FLOAT ? "float" : "double", i, count, first, part[i], whole[first + i],
                     LONGEST);
}

static void draw_arguments(void)
{
    for (size_t i = 0; i < the_op->arguments; i++)
        for (size_t j = 0; j < LONGEST; j++) {
            const double u = fmod((double)(j + 1) * 0.6180339887498949 * (double)(i + 1), 1);
            argument[i][j] = the_op->domain[i].low + u * (the_op->domain[i].high - the_op->domain[i].low);
        }
}

static void values_do_not_depend_on_place_or_length(gb_tape *t, const void *row)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    (void)t;
    the_op = row;
    draw_arguments();
    for (size_t isa = 0; isa < 3; isa++)
        for (int real = 0; real < 2; real++) {
            setenv("GREBE_ISA", isas[isa], 1);
            the_real = real ? GB_FLOAT : GB_DOUBLE;
            compute(0, LONGEST, false, whole);
            for (size_t count = 0; count <= 70; count++)
                assert_part(count % 3 ? count * 37 : 0, count, count % 2);
            static const size_t borders[] = {255,  256,  257,  511,  512,  513,
                                             4095, 4096, 4097, 8191, 8192, 8193};
            for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
                assert_part(i, borders[i], i % 2);
            unsetenv("GREBE_ISA");
        }
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t count, used = 0;
    const gb_op *const *ops = gb_ops(&count);
    for (size_t i = 0; i < count; i++)
        if (ops[i]->form == GB_FORM_ELEMENTWISE && !ops[i]->variadic &&
            ops[i]->domain[0].low < ops[i]->domain[0].high) {
            test_add(ops[i]->name, values_do_not_depend_on_place_or_length, ops[i], __LINE__,
                     (gb_tape_options){0});
            used++;
        }
    assert_true(used >= 20);
}
