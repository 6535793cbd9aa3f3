/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standardised columns: no digit is lost, and a process that only predicts gets the same bits. */
#include "support/close.h"

#include <float.h>
#include <math.h>

#include "data/standard.h"
#include "data/standard/moments_impl.h"
#include "models/checkpoint.h"
#include "models/scratch.h"
#include "support/counted_memory.h"
#include "support/misuse.h"

static const double rows[] = {1, 10, 2, 10.5, 4, 9, 9, 12}; /* two columns of four rows */

static gb_numbers four_rows(void)
{
    return gb_numbers_of(GB_NUMBER_DOUBLE, rows, 8);
}

static void assert_close_to(double is, double should, double relative)
{
    if (!(fabs(is - should) <= relative * fabs(should)))
        fail_msg("%.17g is not %.17g", is, should);
}

TEST(columns_get_mean_0_and_deviation_1)
{
    gb_standard *const s = gb_standard_new(t, four_rows(), .columns = 2);
    const gb_numbers standardised = gb_standard_numbers(s, four_rows());
    double z[8], applied[8];
    for (size_t i = 0; i < 8; i++)
        z[i] = gb_numbers_at(standardised, i);
    assert_int_equal(gb_standard_apply(s, four_rows(), 4, applied), GB_OK);
    assert_memory_equal(z, applied, sizeof z);
    assert_int_equal(gb_standard_columns(s), 2);
    assert_close_to(gb_standard_means(s)[0], 4, 1e-15);
    assert_close_to(gb_standard_means(s)[1], 10.375, 1e-15);
    assert_close_to(gb_standard_sds(s)[0], sqrt(38. / 3), 1e-15);
    for (size_t j = 0; j < 2; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < 4; i++) {
            sum += z[2 * i + j];
            squares += z[2 * i + j] * z[2 * i + j];
        }
        assert_true(fabs(sum) < 1e-15);
        assert_close_to(squares, 3, 1e-15);
    }
    const gb_standard *const population =
        gb_standard_new(t, four_rows(), .columns = 2, .population = true, .name = "p");
    assert_close_to(gb_standard_sds(population)[0], sqrt(38. / 4), 1e-15);
}

TEST(the_training_rows_decide)
{
    const int64_t train[] = {3, 0};
    const gb_standard *const s = gb_standard_new(t, four_rows(), .columns = 2, .of = gb_rows_of(2, train));
    assert_close_to(gb_standard_means(s)[0], 5, 1e-15);
    assert_close_to(gb_standard_sds(s)[0], sqrt(32), 1e-15);
    assert_close_to(gb_standard_means(s)[1], 11, 1e-15);
}

TEST(inverted_values_are_the_raw_ones)
{
    double z[8];
    gb_standard *const s = gb_standard_new(t, four_rows(), .columns = 2);
    assert_int_equal(gb_standard_apply(s, four_rows(), 4, z), GB_OK);
    assert_int_equal(gb_standard_invert(s, z, 4, z), GB_OK);
    for (size_t i = 0; i < 8; i++)
        assert_close_to(z[i], rows[i], 1e-15);
    memcpy(z, rows, sizeof z);
    assert_int_equal(gb_standard_apply(s, gb_doubles(z), 3, z), GB_OK); /* in place, and not the last row */
    assert_close_to(z[0], (1 - gb_standard_means(s)[0]) / gb_standard_sds(s)[0], 1e-15);
    assert_true(z[6] >= 9 && z[7] >= 12);
    assert_int_equal(gb_standard_apply(s, (gb_numbers){0}, 0, NULL), GB_OK);
}

TEST(numbers_of_any_type_are_standardised)
{
    const uint8_t bytes[] = {1, 2, 4, 9};
    const float floats[] = {1, 2, 4, 9};
    const gb_numbers each[] = {gb_bytes(bytes), gb_floats(floats)};
    for (size_t i = 0; i < 2; i++) {
        double z[4];
        gb_standard *const s = gb_standard_new(t, each[i], .rows = 4, .name = i ? "floats" : "bytes");
        assert_close_to(gb_standard_means(s)[0], 4, 1e-15);
        assert_close_to(gb_standard_sds(s)[0], sqrt(38. / 3), 1e-15);
        gb_standard_apply(s, each[i], 4, z);
        assert_close_to(z[3], 5 / sqrt(38. / 3), 1e-15);
    }
}

/* ---- digits ---- */

TEST(small_deviations_of_large_numbers_keep_their_digits)
{
    enum { COUNT = 1000 };
    double x[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = 1e9 + (i % 2 ? 1 : -1) * 0x1p-10; /* exact; about a thousandth */
        assert_true(fabs(x[i] - 1e9) >= 0x1p-10);
    }
    const gb_numbers raw = gb_numbers_of(GB_NUMBER_DOUBLE, x, COUNT);
    for (int real = 0; real < 2; real++) {
        gb_tape *const tape = test_tape(.real = (gb_real)real);
        gb_standard *const s = gb_standard_new(tape, raw, .population = true);
        assert_close_to(gb_standard_sds(s)[0], 0x1p-10, 1e-15);
        double z[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            z[i] = gb_numbers_at(gb_standard_numbers(s, raw), i);
        for (int i = 0; i < COUNT; i++)
            assert_true(fabs(fabs(z[i]) - 1) < 1e-12);
        double back[2];
        gb_standard_invert(s, z, 2, back);
        assert_memory_equal(back, x, sizeof back);
    }
}

/* The mean, 1e9 + 31.5 steps of 2^-23, is no double: each difference to the nearest is off by half a step. */
TEST(a_mean_that_is_rounded_adds_nothing_to_the_deviation)
{
    enum { COUNT = 64 };
    double x[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = 1e9 + i * 0x1p-23;
    gb_standard *const s = gb_standard_new(t, gb_numbers_of(GB_NUMBER_DOUBLE, x, COUNT));
    assert_close_to(gb_standard_sds(s)[0], sqrt(64.0 * 65 / 12) * 0x1p-23, 1e-15);
    const double uncentred[] = {1, 2, 2};
    assert_close_to(gb_deviation_of_numbers(uncentred, 3, 0, 2), sqrt(4.5), 1e-15);
}

/* A sum of squares, or of all numbers, would be 0 or infinite. */
TEST(tiny_and_huge_numbers_have_deviations)
{
    const double unit[] = {1e-300, 1e-160, 1e160, 1e300};
    for (size_t i = 0; i < 4; i++) {
        const double x[] = {unit[i], 3 * unit[i], 5 * unit[i]};
        gb_standard *const s = gb_standard_new(t, gb_numbers_of(GB_NUMBER_DOUBLE, x, 3));
        assert_fine(t);
        assert_close_to(gb_standard_means(s)[0], 3 * unit[i], 1e-15);
        assert_close_to(gb_standard_sds(s)[0], 2 * unit[i], 1e-15);
        gb_tape_reset(t);
    }
}

TEST(a_sum_of_many_numbers_keeps_its_digits)
{
    enum { COUNT = 1 << 20 };
    double *const x = malloc(COUNT * sizeof *x);
    for (int i = 0; i < COUNT; i++)
        x[i] = 0.1 * (i % 3);
    const double mean = gb_mean_of_numbers(x, COUNT);
    assert_close_to(mean, (0.1 + 0.2) * (COUNT / 3) / COUNT, 1e-15);
    free(x);
}

/* ---- what has no standard deviation ---- */

static const double constant[] = {1, 7, 2, 7, 4, 7};

TEST(constant_columns_are_rejected_by_name_or_left_by_request)
{
    const gb_numbers raw = gb_numbers_of(GB_NUMBER_DOUBLE, constant, 6);
    assert_null(gb_standard_new(t, raw, .columns = 2, .names = "age, rooms"));
    assert_rejected(t, GB_EARGUMENT,
                    "standard: column rooms is 7 in all 3 training rows, so it has no standard "
                    "deviation; leave it out, or say .constant = GB_CONSTANT_COLUMNS_KEPT");
    assert_null(gb_standard_new(t, raw, .columns = 2, .names = "age"));
    assert_rejected(t, GB_EARGUMENT, "column 2 is 7 in all 3 training rows");
    const struct {
        gb_constant_columns constant;
        double mean, z;
    } each[] = {{GB_CONSTANT_COLUMNS_KEPT, 0, 7}, {GB_CONSTANT_COLUMNS_CENTRED, 7, 0}};
    for (size_t i = 0; i < 2; i++) {
        double z[6];
        gb_standard *const s = gb_standard_new(t, raw, .columns = 2, .constant = each[i].constant);
        assert_true(gb_standard_means(s)[1] >= each[i].mean && gb_standard_means(s)[1] <= each[i].mean);
        gb_standard_apply(s, raw, 3, z);
        assert_true(z[5] >= each[i].z && z[5] <= each[i].z);
        assert_close_to(z[0], (1 - 7. / 3) / sqrt(7. / 3), 1e-14);
        gb_tape_reset(t);
    }
}

TEST(a_column_that_differs_by_rounding_is_constant)
{
    const double x[] = {0.3, 0.1 + 0.2, 0.3}, one[] = {5};
    assert_null(gb_standard_new(t, gb_numbers_of(GB_NUMBER_DOUBLE, x, 3)));
    assert_rejected(t, GB_EARGUMENT, "column 1 is 0.29999999999999999 in all 3 training rows");
    assert_null(gb_standard_new(t, gb_numbers_of(GB_NUMBER_DOUBLE, one, 1)));
    assert_rejected(t, GB_EARGUMENT, "column 1 is 5 in all 1 training rows");
}

/* ---- another process ---- */

TEST(a_process_that_only_predicts_reads_it_back)
{
    const scratch dir = scratch_new();
    gb_tape *const other = test_tape();
    const gb_standard *const x = gb_standard_new(t, four_rows(), .columns = 2, .name = "x"),
                             *const y = gb_standard_new(t, four_rows(), .name = "y");
    gb_checkpoint c = {.size = sizeof c, .tape = t, .path = dir.path};
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    c.tape = other;
    c.subset = true;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    const gb_standard *const x2 = gb_standard_noted(other, "x"), *const y2 = gb_standard_noted(other, "y");
    assert_fine(other);
    assert_int_equal(gb_standard_columns(x2), 2);
    assert_int_equal(gb_standard_columns(y2), 1);
    assert_memory_equal(gb_standard_means(x2), gb_standard_means(x), 16);
    assert_memory_equal(gb_standard_sds(x2), gb_standard_sds(x), 16);
    assert_memory_equal(gb_standard_sds(y2), gb_standard_sds(y), 8);
    scratch_end(&dir);
}

TEST(other_training_rows_do_not_fit_the_checkpoint)
{
    const scratch dir = scratch_new();
    const gb_checkpoint c = {.size = sizeof c, .tape = t, .path = dir.path};
    gb_standard_new(t, four_rows(), .columns = 2);
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    assert_int_equal(gb_checkpoint_load(&c), GB_OK); /* the same */
    gb_tape_reset(t);
    gb_standard_new(t, four_rows(), .columns = 2, .population = true);
    assert_int_equal(gb_checkpoint_load(&c), GB_EFILE);
    assert_rejected(t, GB_EFILE, "its note standard differs from that of the tape");
    scratch_end(&dir);
}

TEST(notes_of_something_else_are_rejected)
{
    unsigned char bytes[36];
    size_t count;
    gb_standard_new(t, four_rows());
    memcpy(bytes, gb_tape_noted(t, "standard", &count), sizeof bytes);
    assert_int_equal(count, 36);
    const struct {
        size_t at;
        unsigned char byte;
        size_t count;
        const char *words;
    } wrong[] = {
        {0, 'X', 36, "standard: the note n has no means and standard deviations"},
        {0, 'G', 19, "standard: the note n has no means and standard deviations"},
        {8, 2, 36, "standard: the note n is of a later version"},
        {12, 2, 36, "is damaged: it has another number of columns than it says"},
        {12, 0, 20, "is damaged: it has another number of columns than it says"},
        {19, 0x10, 36, "is damaged: it has another number of columns than it says"},
        {12, 1, 35, "is damaged: it has another number of columns than it says"},
        {35, 0xbf, 36, "is damaged: a mean or a standard deviation is impossible"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        unsigned char copy[36];
        memcpy(copy, bytes, sizeof copy);
        copy[wrong[i].at] = wrong[i].byte;
        gb_tape_reset(t);
        gb_tape_note(t, "n", copy, wrong[i].count);
        assert_null(gb_standard_noted(t, "n"));
        assert_rejected(t, GB_EFILE, wrong[i].words);
    }
}

/* ---- misuse ---- */

static const double bad[] = {1, 2, NAN, 4, 5, INFINITY};

MISUSE_BY(missing, GB_ENONFINITE, "standard: column 2 is missing (NaN) in row 0 (rows count from 0)")
{
    assert_null(gb_standard_new(w->t, gb_doubles(bad + 1), .rows = 2, .columns = 2));
}

MISUSE_BY(infinite, GB_ENONFINITE, "standard: column c is infinite in row 1")
{
    assert_null(gb_standard_new(w->t, gb_doubles(bad + 4), .rows = 2, .names = "c"));
}

MISUSE_BY(too_far_apart, GB_ENONFINITE, "standard: the numbers of column 1 are too far apart")
{
    const double x[] = {-DBL_MAX, DBL_MAX};
    assert_null(gb_standard_new(w->t, gb_doubles(x), .rows = 2));
}

MISUSE_BY(no_values, GB_EARGUMENT, "standard: there are no values")
{
    assert_null(gb_standard_new(w->t, (gb_numbers){0}, .rows = 2));
}

MISUSE_BY(no_count, GB_EARGUMENT, "standard: the values do not say how many they are")
{
    assert_null(gb_standard_new(w->t, gb_doubles(rows)));
}

MISUSE_BY(no_whole_rows, GB_ESHAPE, "standard: 8 values are no whole rows of 3 columns")
{
    assert_null(gb_standard_new(w->t, four_rows(), .columns = 3));
}

MISUSE_BY(too_few, GB_ESHAPE, "standard: 8 values are too few for 5 rows of 2 columns")
{
    assert_null(gb_standard_new(w->t, four_rows(), .columns = 2, .rows = 5));
}

MISUSE_BY(negative_columns, GB_EARGUMENT, "standard: .columns or .rows is negative")
{
    assert_null(gb_standard_new(w->t, four_rows(), .columns = -2));
}

MISUSE_BY(unknown_constant, GB_EARGUMENT, ".constant is none of its values")
{
    assert_null(gb_standard_new(w->t, four_rows(), .constant = (gb_constant_columns)3));
}

MISUSE_BY(foreign_row, GB_EARGUMENT, "standard: .of names row 4, and rows count from 0 to 3")
{
    assert_null(gb_standard_new(w->t, four_rows(), .columns = 2, .of = gb_rows_of(2, (int64_t[]){0, 4})));
}

MISUSE_BY(rows_without_a_list, GB_EARGUMENT, "standard: .of is a list of rows without members")
{
    assert_null(gb_standard_new(w->t, four_rows(), .of = gb_rows_of(2, NULL)));
}

MISUSE_BY(without_a_note, GB_ENAME, "standard_noted: the tape has no note x; load the checkpoint first")
{
    assert_null(gb_standard_noted(w->t, "x"));
}

MISUSE_BY(two_of_one_name, GB_ENAME, "tape_note standard: there is a note of that name already")
{
    assert_non_null(gb_standard_new(w->t, four_rows()));
    assert_null(gb_standard_new(w->t, four_rows(), .columns = 2));
}

MISUSE_BY(apply_too_few, GB_ESHAPE, "standard_apply: 8 values are too few for 5 rows of 2 columns")
{
    double z[10];
    assert_int_equal(gb_standard_apply(gb_standard_new(w->t, four_rows(), .columns = 2), four_rows(), 5, z),
                     GB_ESHAPE);
}

MISUSE_BY(apply_to_nothing, GB_EARGUMENT, "standard_apply: an array is NULL")
{
    assert_int_equal(gb_standard_apply(gb_standard_new(w->t, four_rows()), four_rows(), 5, NULL),
                     GB_EARGUMENT);
}

MISUSE_BY(invert_negative, GB_EARGUMENT, "standard_invert: the number of rows is negative")
{
    double z[1] = {0};
    assert_int_equal(gb_standard_invert(gb_standard_new(w->t, four_rows()), z, -1, z), GB_EARGUMENT);
}

MISUSE_BY(standardised_twice, GB_EARGUMENT, "standard_numbers: the values are standardised already")
{
    gb_standard *const s = gb_standard_new(w->t, four_rows(), .columns = 2);
    assert_null(gb_standard_numbers(s, gb_standard_numbers(s, four_rows())).at);
}

MISUSE_BY(numbers_without_count, GB_ESHAPE,
          "standard_numbers: the values do not say how many they are: use gb_numbers_of")
{
    assert_null(gb_standard_numbers(gb_standard_new(w->t, four_rows()), gb_doubles(rows)).at);
}

TEST(nothing_comes_of_nothing)
{
    double z[1];
    assert_null(gb_standard_new(NULL, four_rows()));
    assert_null(gb_standard_noted(NULL, "x"));
    assert_int_equal(gb_standard_columns(NULL), 0);
    assert_null(gb_standard_means(NULL));
    assert_null(gb_standard_sds(NULL));
    assert_int_equal(gb_standard_apply(NULL, four_rows(), 1, z), GB_EARGUMENT);
    assert_null(gb_standard_numbers(NULL, four_rows()).at);
}

static gb_status make(gb_tape *t, const void *what)
{
    (void)what;
    gb_standard *const s = gb_standard_new(t, four_rows(), .columns = 2);
    gb_standard_noted(t, "standard");
    gb_standard_numbers(s, four_rows());
    return gb_error(t);
}

TEST(lack_of_memory_loses_no_block)
{
    assert_outlives_lack_of_memory(make, NULL, "standard", 0,
                                   (gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1});
}
