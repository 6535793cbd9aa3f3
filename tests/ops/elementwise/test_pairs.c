/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of operations that a plan carries out as one instruction: nothing but the time is another. */
#include "support/close.h"

#include <stdlib.h>
#include <string.h>

#include "core/gradient.h"
#include "core/plan/pair_impl.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/elementwise/elementwise_impl.h"
#include "ops/reduce.h"

enum { COUNT = 1003 };

/* What may be special, and numbers of many sizes. */
static void fill(double *x, unsigned seed)
{
    static const double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 1e-310, 1e300, -1e-40, 3, 0.5};
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned mixed = (i + seed) * 2654435761u;
        x[i] = mixed % 5 == 0 ? special[mixed / 5 % 12]
                              : ldexp((double)(mixed % 1000) - 500, (int)(mixed % 17) - 8);
    }
}

typedef struct pair_case {
    gb_tape *tape;
    gb_node first, second;
} pair_case;

/* second(first(…), …), whose arguments are arrays, or single numbers where `single` has a bit. */
static pair_case record(const struct gb_pair *pair, gb_real real, unsigned single)
{
    pair_case c = {.tape = gb_tape_new(.real = real, .threads = 1)};
    double values[COUNT];
    gb_node arg[3];
    for (unsigned i = 0; i < 3; i++) {
        const bool one = single >> i & 1;
        arg[i] =
            gb_input(c.tape, (const char *const[]){"x", "y", "z"}[i], one ? gb_shape() : gb_shape(COUNT));
        fill(values, 7 * i);
        gb_feed(arg[i], one ? (const double[]){0.3 + i} : values, 1);
    }
    const size_t firsts = pair->first->arguments;
    c.first = gb_apply(NULL, pair->first, firsts, arg, NULL, 0);
    gb_node of_second[2] = {c.first, arg[firsts]};
    if (pair->place == 1) {
        of_second[0] = arg[firsts];
        of_second[1] = c.first;
    }
    c.second = gb_apply(NULL, pair->second, pair->whole->arguments - firsts + 1, of_second, NULL, 0);
    return c;
}

/* The bits of the second; the first is a root as well if it is to be kept. */
static size_t run(const pair_case *c, bool keep_first, double *result, char *plan, size_t bytes)
{
    const gb_node roots[] = {c->second, c->first};
    gb_program *const p = gb_compile(c->tape, (gb_node_list){keep_first ? 2 : 1, roots}, gb_no_update);
    FILE *const file = fmemopen(plan, bytes, "w");
    gb_prepare(p);
    gb_program_dump(p, GB_DUMP_TEXT, file);
    fclose(file);
    gb_run(p);
    const size_t count = gb_value_count(c->second);
    gb_read(c->second, result, count);
    return count;
}

static uint64_t bits(double x)
{
    uint64_t to;
    memcpy(&to, &x, sizeof to);
    return to;
}

static void compare(const struct gb_pair *pair, gb_real real, unsigned single)
{
    static double together[COUNT], apart[COUNT];
    static char fused[20000], kept[20000];
    char name[64];
    pair_case c = record(pair, real, single);
    const size_t count = run(&c, false, together, fused, sizeof fused);
    assert_int_equal(run(&c, true, apart, kept, sizeof kept), count);
    snprintf(name, sizeof name, " %s ", pair->whole->name);
    if (!strstr(fused, name) || strstr(kept, name))
        fail_msg("%s: the plans are\n%s\n%s", name, fused, kept);
    for (size_t i = 0; i < count; i++)
        if (bits(together[i]) != bits(apart[i]) && !(isnan(together[i]) && isnan(apart[i])))
            fail_msg("%s: element %zu is %.17g, and in two steps %.17g", name, i, together[i], apart[i]);
    gb_tape_free(c.tape);
}

TEST(a_pair_has_the_bits_of_its_two_operations)
{
    static const char *const isa[] = {"baseline", "avx2", "avx512"};
    for (size_t which = 0; which < 3; which++) {
        setenv("GREBE_ISA", isa[which], 1);
        for (const struct gb_pair *pair = gb_pairs; pair->first; pair++)
            for (unsigned single = 0; single < 1u << pair->whole->arguments; single++) {
                if ((single & 3) == 3 || (single & 1 && pair->first->arguments == 1))
                    continue; /* the first is one number, which is computed once */
                compare(pair, GB_DOUBLE, single);
                compare(pair, GB_FLOAT, single);
            }
        unsetenv("GREBE_ISA");
    }
}

/* x y is read twice: once to be added, once to be summed. */
TEST(what_is_read_elsewhere_is_kept, .seed = 1)
{
    gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, 3));
    gb_node product = gb_mul(x, gb_scale(x, 2)), sum = gb_add(product, x);
    gb_node first = gb_sum(sum), second = gb_sum(gb_exp(gb_neg(product)));
    gb_run(gb_compile(t, gb_roots(first, second), gb_no_update));
    assert_close(gb_value(first), 34, 4);
    assert_close(gb_value(second), exp(-2) + exp(-8) + exp(-18), 4);
}

/* The first has the shape (2, 2), with rows repeated; the second sees its elements as (4). */
TEST(a_reshaped_argument_is_repeated_in_its_own_shape, .seed = 1)
{
    gb_node x = gb_variable(t, "x", gb_shape(2, 2), GB_VALUES(1, 2, 3, 4));
    gb_node y = gb_variable(t, "y", gb_shape(2), GB_VALUES(10, 100));
    gb_node z = gb_variable(t, "z", gb_shape(4), GB_VALUES(5, 6, 7, 8));
    gb_node sum = gb_add(gb_reshape(gb_mul(x, y), gb_shape(4)), z);
    assert_values(sum, 15, 206, 37, 408);
}

/* The terms of a sum may be copies of values with other axes. */
TEST(terms_with_a_single_sample_add_up, .seed = 1)
{
    gb_node w = gb_variable(t, "w", gb_shape(3), GB_VALUES(1, 2, 3));
    gb_node noise = gb_normal_noise(gb_stream(t, "s"), gb_shape(3), GB_SAMPLES);
    gb_node loss = gb_mean_over(gb_sum(gb_square(gb_add(w, gb_mul(w, noise)))), GB_SAMPLES);
    gb_node g = gb_grad(gb_add(loss, gb_sum(w)), w);
    gb_node one = gb_sum_over(noise, GB_SAMPLES);
    double gradient[3], e[3];
    gb_run(gb_compile(t, gb_roots(g, one), gb_no_update));
    gb_read(g, gradient, 3);
    gb_read(one, e, 3);
    for (int i = 0; i < 3; i++)
        assert_close(gradient[i], 1 + 2 * (i + 1) * (1 + e[i]) * (1 + e[i]), 16);
}
