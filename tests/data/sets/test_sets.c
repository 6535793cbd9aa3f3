/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sets are what their formulas say. */
#include "support/close.h"
#include "support/counted_memory.h"

#include "data/sets.h"

static gb_table *set_of(gb_tape *t, const char *name, int64_t rows)
{
    gb_table *const d = gb_table_of_set(t, name);
    assert_fine(t);
    assert_int_equal(gb_table_rows(d), rows);
    for (size_t i = 0; i < gb_table_columns(d); i++)
        assert_int_equal(gb_table_column_at(d, i)->missing, 0);
    return d;
}

/* y(x, ε) rises with ε, so that each point has one ε, which is found by halving. */
static double curve_noise(double x, double y)
{
    const double pi = 3.14159265358979323846;
    double low = -0.12, high = 0.12;
    for (int i = 0; i < 60; i++) {
        const double e = (low + high) / 2;
        const double is = x + 0.3 * sin(2 * pi * (x + e)) + 0.3 * sin(4 * pi * (x + e)) + e;
        *(is < y ? &low : &high) = e;
    }
    return low;
}

/* Where the curve is steep, ε follows from y, and its moments are those of N(0, 0.02²). */
TEST(the_curve_has_the_noise_of_its_formula)
{
    gb_table *const d = set_of(t, "curve", 100);
    const double *const x = gb_table_doubles(d, "x"), *const y = gb_table_doubles(d, "y");
    double squares = 0;
    int count = 0;
    assert_true(x[0] == 0 && x[99] == 0.5);
    for (int i = 0; i < 14; i++, count++)
        squares += pow(curve_noise(x[i], y[i]) / 0.02, 2);
    assert_true(squares > 2 && squares < 45); /* χ² with 14 degrees: outside by chance with 1e-4 */
    gb_table_free(d);
}

TEST(the_moons_are_two_half_circles)
{
    gb_table *const d = set_of(t, "moons", 200);
    const double *const a = gb_table_doubles(d, "a"), *const b = gb_table_doubles(d, "b"),
                        *const class = gb_table_doubles(d, "class");
    double off = 0;
    for (int i = 0; i < 200; i++) {
        assert_true(class[i] == i % 2);
        off += hypot(a[i] - class[i], b[i] - 0.5 * class[i]) - 1;
    }
    assert_near(off / 200, 0.15 * 0.15 / 2,
                6 * 0.15 / sqrt(200)); /* a radius with noise is a little larger */
    gb_table_free(d);
}

TEST(counts_have_the_means_of_their_formula)
{
    gb_table *const d = set_of(t, "counts", 120);
    const double *const count = gb_table_doubles(d, "count"), *const x = gb_table_doubles(d, "x"),
                        *const hours = gb_table_doubles(d, "hours");
    const gb_table_column *const dose = gb_table_find(d, "dose");
    double squares = 0;
    assert_int_equal(dose->level_count, 3);
    for (int i = 0; i < 120; i++) {
        const double effects[] = {-0.9, -0.4, 0}; /* high, low, none */
        const double mean = hours[i] * exp(0.5 + 0.8 * x[i] + effects[dose->level[i]]);
        assert_true(hours[i] >= 1 && hours[i] <= 4 && floor(hours[i]) >= hours[i]);
        squares += pow(count[i] - mean, 2) / mean;
    }
    assert_near(squares, 120, 6 * sqrt(2 * 120 + 120)); /* small means widen it */
    gb_table_free(d);
}

TEST(groups_are_unequal)
{
    gb_table *const d = set_of(t, "groups", 96);
    const gb_table_column *const group = gb_table_find(d, "group");
    const int64_t sizes[] = {2, 3, 5, 8, 14, 20, 22, 22};
    int64_t count[8] = {0};
    assert_int_equal(group->level_count, 8);
    for (int i = 0; i < 96; i++)
        count[group->level[i]]++;
    assert_memory_equal(count, sizes, sizeof sizes);
    gb_table_free(d);
}

/* Rounded, so that no last bit of a mathematical library shows: a sum over all numbers is known. */
TEST(numbers_are_the_same_everywhere)
{
    static const double should[] = {337.9599, 1449.5946, 3585.0658, 486.3291};
    size_t sets;
    const char *const *const names = gb_table_sets(&sets);
    for (size_t s = 0; s < sets; s++) {
        gb_table *const d = gb_table_of_set(t, names[s]);
        double sum = 0;
        for (size_t k = 0; k < gb_table_columns(d); k++)
            for (int64_t i = 0; gb_table_column_at(d, k)->number && i < gb_table_rows(d); i++)
                sum += (double)(k + 1) * gb_table_column_at(d, k)->number[i] * (double)(i % 7);
        assert_near(sum, should[s], 1e-6);
        gb_table_free(d);
    }
}

TEST(another_name_is_rejected)
{
    assert_null(gb_table_of_set(t, "curves"));
    assert_rejected(t, GB_ENAME,
                    "there is no set curves (is it curve?); there are curve, moons, counts and groups");
    assert_null(gb_table_of_set(t, NULL));
    assert_rejected(t, GB_ENAME, "there is no set NULL;");
    assert_null(gb_table_of_set(NULL, "curve"));
    assert_non_null(gb_table_sets(NULL));
}

/* ---- digits ---- */

enum { DIGITS = 1000, PIXELS = GB_DIGIT_PIXELS };

static uint64_t checksum(const uint8_t *bytes, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

TEST(digits_are_the_same_everywhere_and_however_many_are_drawn_at_once)
{
    static uint8_t all[DIGITS * PIXELS], some[10 * PIXELS], labels[DIGITS], label[10];
    gb_digits_draw(0, DIGITS, all, labels);
    gb_digits_draw(415, 10, some, label);
    assert_memory_equal(some, all + (size_t)415 * PIXELS, sizeof some);
    assert_memory_equal(label, labels + 415, sizeof label);
    for (size_t i = 0; i < DIGITS; i++)
        assert_int_equal(labels[i], i % 10);
    assert_int_equal(checksum(all, sizeof all), 0xd3c20eebd70895db);
    gb_digits_draw(0, 10, NULL, NULL);
}

/* The number of white pixels in which two images differ. */
static int apart(const uint8_t *a, const uint8_t *b)
{
    int sum = 0;
    for (int i = 0; i < PIXELS; i++)
        sum += a[i] != b[i];
    return sum;
}

/* Each new image is looked up among 1000 others: neighbours mostly show the same digit, and none the same
 * image. */
TEST(digits_of_a_kind_are_alike_and_never_the_same)
{
    static uint8_t known[DIGITS * PIXELS], fresh[200 * PIXELS];
    int right = 0;
    gb_digits_draw(0, DIGITS, known, NULL);
    gb_digits_draw(DIGITS, 200, fresh, NULL);
    for (size_t i = 0; i < 200; i++) {
        size_t nearest = 0;
        for (size_t k = 1; k < DIGITS; k++)
            if (apart(fresh + i * PIXELS, known + k * PIXELS) <
                apart(fresh + i * PIXELS, known + nearest * PIXELS))
                nearest = k;
        assert_true(apart(fresh + i * PIXELS, known + nearest * PIXELS) > 0);
        right += nearest % 10 == i % 10;
    }
    assert_in_range(right, 180, 200);
}

static gb_status use(gb_tape *t, const void *what)
{
    gb_table_free(gb_table_of_set(t, what));
    return gb_error(t);
}

TEST(sets_outlive_lack_of_memory)
{
    assert_outlives_lack_of_memory(use, "counts", "sets", 0, (gb_tape_options){0});
}
