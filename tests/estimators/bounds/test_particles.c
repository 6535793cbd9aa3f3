/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log sums of weights keep their digits, however far the weights are apart. */
#include "support/close.h"

#include "core/gradient.h"
#include "core/program.h"
#include "estimators/bounds/particles_impl.h"
#include "ops/reduce.h"

#define NONE (-(double)INFINITY)

enum { MOST = 4 };
static const struct {
    const char *name;
    size_t count;
    double l[MOST], others[MOST];
} sums[] = {
    {"equal", 3, {0, 0, 0}, {0.69314718055994531, 0.69314718055994531, 0.69314718055994531}},
    {"one_is_far_above", 3, {0, -50, -60}, {-49.999954601100729, 0, 0}},
    {"far_from_0", 3, {1000, 999, -1000}, {999, 1000, 1000.3132616875182}},
    {"two_are_largest", 3, {5, 5, NONE}, {5, 5, 5.69314718055994531}},
    {"one_is_there", 3, {NONE, 3, NONE}, {3, NONE, 3}},
    {"none_is_there", 2, {NONE, NONE}, {NONE, NONE}},
    {"alone", 1, {7}, {NONE}},
};

TEST_EACH(the_others_are_summed_up, sums)
{
    const size_t i = (size_t)((const char *)row - (const char *)sums) / sizeof *sums;
    const size_t count = sums[i].count;
    double others[MOST];
    const gb_node l = gb_constant(t, gb_shape((int64_t)count), gb_values_of(sums[i].l, count));
    assert_int_equal(gb_read(gb_log_sum_of_others(l), others, count), GB_OK);
    for (size_t k = 0; k < count; k++) {
        if (isinf(sums[i].others[k]))
            assert_true(others[k] == sums[i].others[k]);
        else
            assert_near(others[k], sums[i].others[k], 1e-12);
    }
}

/* Equal ones, as discrete draws have them, included. */
TEST(the_slope_of_two_is_the_share_of_each)
{
    const gb_node a = gb_constant(t, gb_shape(3), GB_VALUES(1, NONE, 0)),
                  b = gb_variable(t, "b", gb_shape(3), GB_VALUES(1, 2, log(3)));
    double slope[3];
    const gb_node sum = gb_sum(gb_log_sum_of_two(a, b));
    assert_int_equal(gb_read(gb_grad(sum, b), slope, 3), GB_OK);
    assert_near(slope[0], 0.5, 1e-15);
    assert_near(slope[1], 1, 1e-15);
    assert_near(slope[2], 0.75, 1e-15);
}

TEST(two_are_added)
{
    const gb_node a = gb_constant(t, gb_shape(4), GB_VALUES(1, NONE, NONE, 800)),
                  b = gb_constant(t, gb_shape(4), GB_VALUES(1, 2, NONE, -800));
    double sum[4];
    assert_int_equal(gb_read(gb_log_sum_of_two(a, b), sum, 4), GB_OK);
    assert_near(sum[0], 1.69314718055994531, 1e-14);
    assert_true(sum[1] == 2 && sum[2] == NONE && sum[3] == 800);
}
