/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of numbers of any type, of chosen rows, in windows. */
#include "support/close.h"
#include "support/counted_memory.h"

#include "data/array.h"
#include "data/sets.h"
#include "data/split.h"
#include "data/standard.h"
#include "models/batches.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- types ---- */

enum { ROWS = 7, WIDTH = 3, COUNT = ROWS * WIDTH };

/* The numbers 0 to 20 of each type. */
static const struct any {
    const char *name;
    gb_numbers numbers;
} types[] = {
#define NUMBERS(code, type, type_name)                                                                       \
    {type_name,                                                                                              \
     {code, (const type[COUNT]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},   \
      COUNT, 1, 0, 0, NULL, NULL}},
    GB_NUMBER_LIST(NUMBERS)
#undef NUMBERS
};

/* Feeds an epoch of `numbers` in the original order or shuffled, and compares with scale · x + shift. */
static void assert_fed(gb_real real, gb_numbers numbers, bool ints, bool in_order, double scale, double shift)
{
    gb_tape *const t = test_tape(.real = real);
    const gb_node x =
        ints ? gb_input_rows_ints(t, "x", gb_shape(WIDTH)) : gb_input_rows(t, "x", gb_shape(WIDTH));
    const gb_node look = ints ? gb_to_real(x) : gb_scale(x, 1);
    gb_program *const p = gb_compile(t, gb_roots(look), gb_no_update);
    gb_batches *const b =
        gb_batches_new(t, .batch = 2, .in_order = in_order, .columns = GB_COLUMNS({x, numbers}));
    assert_fine(t);
    bool seen[ROWS] = {false};
    int count = 0;
    for (; gb_next_batch(b); count++) {
        double is[2 * WIDTH];
        assert_int_equal(gb_run(p), GB_OK);
        const size_t rows = gb_value_count(look) / WIDTH;
        gb_read(look, is, rows * WIDTH);
        for (size_t i = 0; i < rows; i++) {
            const int row = (int)rint((is[i * WIDTH] - shift) / scale / WIDTH);
            assert_false(seen[row]);
            seen[row] = true;
            for (int k = 0; k < WIDTH; k++) {
                const double should = scale * (row * WIDTH + k) + shift;
                assert_true(is[i * WIDTH + (size_t)k] == (real == GB_FLOAT ? (double)(float)should : should));
            }
        }
    }
    assert_fine(t);
    assert_int_equal(count, 4);
}

TEST_EACH(any_type_is_fed, types)
{
    const struct any *const any = row;
    for (int i = 0; i < 8; i++) {
        const gb_real real = i & 1 ? GB_FLOAT : GB_DOUBLE;
        const bool ints = i & 2, in_order = i & 4;
        assert_fed(real, any->numbers, ints, in_order, 1, 0);
        assert_fed(real, gb_numbers_scaled(any->numbers, 2, -1), ints, in_order, 2, -1);
    }
    assert_fed(GB_DOUBLE, gb_numbers_scaled(any->numbers, 1. / 255, 0.5), false, false, 1. / 255, 0.5);
    assert_fed(GB_FLOAT, gb_numbers_scaled(any->numbers, 1. / 255, 0.5), false, true, 1. / 255, 0.5);
}

TEST(an_integer_that_does_not_fit_is_named_by_row_and_column_when_it_is_fed, .real = GB_FLOAT)
{
    const int64_t large[] = {0, 1, 2, 3, 4, 3000000000, 6, 7};
    const gb_node k = gb_input_rows_ints(t, "k", gb_shape(2));
    gb_batches *const b =
        gb_batches_new(t, .rows = 4, .batch = 1, .columns = GB_COLUMNS({k, gb_int64s(large)}));
    assert_fine(t);
    while (gb_next_batch(b)) {}
    assert_rejected(
        t, GB_ELIMIT,
        "batches: column k, row 2, element 1: 3000000000 does not fit the 32-bit integers of a float");
}

TEST(a_number_that_is_too_large_is_named_by_row_and_column, .real = GB_FLOAT)
{
    static const char words[] =
        "batches: column x, row 2, element 1: 1.0000000000000001e+300 is too large for";
    const double large[] = {0, 1, 2, (double)INFINITY, 4, 1e300, 6, 7};
    const int32_t small[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const gb_node x = gb_input_rows(t, "x", gb_shape(2));
    gb_batches *const b =
        gb_batches_new(t, .rows = 4, .batch = 1, .columns = GB_COLUMNS({x, gb_doubles(large)}));
    assert_fine(t);
    while (gb_next_batch(b)) {}
    assert_rejected(t, GB_ELIMIT, words);
    assert_null(gb_batches_new(t, .rows = 4, .columns = GB_COLUMNS({x, gb_doubles(large)})));
    assert_rejected(t, GB_ELIMIT, words);
    const gb_numbers scaled = gb_numbers_scaled(gb_int32s(small), 0x1p126, 0);
    assert_null(gb_batches_new(t, .rows = 4, .columns = GB_COLUMNS({x, scaled})));
    assert_rejected(t, GB_ELIMIT, "batches: column x, row 2, element 0: 3.4028236692093846e+38 is too");
    const gb_numbers fits = gb_numbers_scaled(gb_doubles(large), 1e-300, 0);
    assert_non_null(gb_batches_new(t, .rows = 4, .columns = GB_COLUMNS({x, fits})));
}

TEST(a_real_that_is_no_integer_is_named_by_row_and_column)
{
    const double real[] = {0, 1, 2.5, 3};
    const double missing[] = {0, (double)NAN};
    const gb_node k = gb_input_rows_ints(t, "k", gb_shape());
    gb_batches *const b = gb_batches_new(t, .rows = 4, .batch = 3, .in_order = true,
                                         .columns = GB_COLUMNS({k, gb_doubles(real)}));
    assert_false(gb_next_batch(b));
    assert_rejected(t, GB_ELIMIT, "batches: column k, row 2: 2.5 is no integer of 64 bits");
    assert_null(gb_batches_new(t, .rows = 2, .columns = GB_COLUMNS({k, gb_doubles(missing)})));
    assert_rejected(t, GB_ELIMIT, "batches: column k, row 1: nan is no integer");
}

TEST(a_scale_that_is_none_is_rejected)
{
    const double x[] = {1, 2};
    const gb_node in = gb_input_rows(t, "x", gb_shape());
    const double wrong[][2] = {{0, 0}, {(double)NAN, 0}, {1, (double)INFINITY}};
    for (int i = 0; i < 3; i++) {
        const gb_numbers numbers = gb_numbers_scaled(gb_doubles(x), wrong[i][0], wrong[i][1]);
        assert_null(gb_batches_new(t, .rows = 2, .columns = GB_COLUMNS({in, numbers})));
        assert_rejected(t, GB_EARGUMENT,
                        "column x has a scale or a shift that is not finite, or a scale of 0");
    }
}

/* ---- how many rows there are ---- */

TEST(the_columns_say_how_many_rows_there_are)
{
    const uint8_t bytes[12] = {0};
    const double numbers[6] = {0};
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    const gb_numbers six = gb_numbers_of(GB_NUMBER_DOUBLE, numbers, 6),
                     twelve = gb_numbers_of(GB_NUMBER_UINT8, bytes, 12);
    assert_int_equal(gb_batches_rows(gb_batches_new(t, .columns = GB_COLUMNS({y, six}))), 6);
    assert_int_equal(
        gb_batches_rows(gb_batches_new(t, .columns = GB_COLUMNS({y, gb_doubles(numbers)}, {x, twelve}))), 6);
    assert_null(gb_batches_new(t, .rows = 5, .columns = GB_COLUMNS({y, six})));
    assert_rejected(t, GB_EARGUMENT,
                    "column y has 6 numbers, and 5 rows of shape () have 5; .only = rows takes some");
    assert_null(gb_batches_new(t, .rows = 7, .columns = GB_COLUMNS({y, six})));
    assert_rejected(t, GB_EARGUMENT, "column y has 6 numbers, and 7 rows of shape () have 7");
    assert_null(gb_batches_new(t, .columns = GB_COLUMNS({x, six}, {y, six})));
    assert_rejected(t, GB_EARGUMENT, "column y has 6 numbers, and 3 rows of shape () have 3");
    assert_null(gb_batches_new(t, .columns = GB_COLUMNS({x, gb_numbers_of(GB_NUMBER_UINT8, bytes, 11)})));
    assert_rejected(t, GB_EARGUMENT, "column x has 11 numbers, which are no whole rows of shape (2)");
    assert_null(gb_batches_new(t, .columns = GB_COLUMNS({y, gb_doubles(numbers)})));
    assert_rejected(t, GB_EARGUMENT, "no column knows how many numbers it has; rows are required");
}

/* ---- an order of rows, read from batches of the numbers 0, 1, 2 … ---- */

enum { MOST = 1000 };

typedef struct numbered {
    gb_tape *t;
    gb_node look;
    gb_program *program;
    gb_batches *batches;
} numbered;

static numbered numbered_of(uint64_t seed, gb_batches_options options)
{
    static int32_t number[MOST];
    for (int i = 0; i < MOST; i++)
        number[i] = i;
    numbered n = {.t = test_tape(.seed = seed)};
    const gb_node x = gb_input_rows(n.t, "x", gb_shape());
    n.look = gb_scale(x, 1);
    n.program = gb_compile(n.t, gb_roots(n.look), gb_no_update);
    options.size = sizeof options;
    options.columns = GB_COLUMNS({x, gb_int32s(number)});
    n.batches = gb_batches_new_with(n.t, &options);
    assert_fine(n.t);
    return n;
}

/* Returns how many rows there are until the epoch ends. */
static int read_epoch(const numbered *n, int *rows)
{
    double is[MOST];
    int count = 0;
    while (gb_next_batch(n->batches)) {
        assert_int_equal(gb_run(n->program), GB_OK);
        const size_t more = gb_value_count(n->look);
        gb_read(n->look, is, more);
        for (size_t i = 0; i < more; i++)
            rows[count++] = (int)is[i];
    }
    assert_fine(n->t);
    return count;
}

static bool is_permutation(const int *rows, int count, int beyond)
{
    bool seen[MOST] = {false};
    for (int i = 0; i < count; i++) {
        if (rows[i] < 0 || rows[i] >= beyond || seen[rows[i]])
            return false;
        seen[rows[i]] = true;
    }
    return count == beyond;
}

/* ---- chosen rows ---- */

TEST(only_the_chosen_rows_are_fed)
{
    const int64_t chosen[] = {8, 3, 5, 9, 0, 6, 4};
    int rows[MOST], sorted[10] = {0};
    numbered n = numbered_of(1, (gb_batches_options){.rows = 10, .batch = 3, .only = gb_rows_of(7, chosen)});
    assert_int_equal(gb_batches_rows(n.batches), 7);
    assert_int_equal(gb_batches_count(n.batches), 3);
    bool moved = false;
    for (int epoch = 1; epoch < 4; epoch++) {
        assert_int_equal(read_epoch(&n, rows), 7);
        for (int i = 0; i < 7; i++) {
            sorted[rows[i]]++;
            moved |= rows[i] != chosen[i];
        }
        for (int i = 0; i < 7; i++)
            assert_int_equal(sorted[chosen[i]], epoch);
    }
    assert_true(moved);
    for (int64_t batch = 1; batch < 9; batch++) {
        int64_t some[] = {8, 3, 5, 9, 0, 6, 4};
        n = numbered_of(1, (gb_batches_options){
                               .rows = 10, .batch = batch, .in_order = true, .only = gb_rows_of(7, some)});
        memset(some, 0, sizeof some); /* they were copied */
        assert_int_equal(read_epoch(&n, rows), 7);
        for (int i = 0; i < 7; i++)
            assert_int_equal(rows[i], chosen[i]);
    }
}

TEST(a_row_may_be_chosen_several_times)
{
    const int64_t chosen[] = {2, 2, 1};
    int rows[MOST];
    numbered n = numbered_of(1, (gb_batches_options){.rows = 3, .batch = 2, .only = gb_rows_of(3, chosen)});
    assert_int_equal(read_epoch(&n, rows), 3);
    assert_int_equal((rows[0] == 2) + (rows[1] == 2) + (rows[2] == 2), 2);
}

TEST(rows_that_are_not_there_are_rejected)
{
    const double x[3] = {0};
    const gb_node in = gb_input_rows(t, "x", gb_shape());
    const int64_t beyond[] = {0, 3}, negative[] = {-1};
    assert_null(gb_batches_new(t, .rows = 3, .only = gb_rows_of(2, beyond),
                               .columns = GB_COLUMNS({in, gb_doubles(x)})));
    assert_rejected(t, GB_EARGUMENT, "batches: .only has row 3 at place 1, and rows are 0 to 2");
    assert_null(gb_batches_new(t, .rows = 3, .only = gb_rows_of(1, negative),
                               .columns = GB_COLUMNS({in, gb_doubles(x)})));
    assert_rejected(t, GB_EARGUMENT, ".only has row -1 at place 0");
    assert_null(gb_batches_new(t, .rows = 3, .only = gb_rows_of(2, NULL),
                               .columns = GB_COLUMNS({in, gb_doubles(x)})));
    assert_rejected(t, GB_EARGUMENT, ".only has 2 rows, and the list is NULL");
    assert_null(gb_batches_new(t, .rows = 3, .only = gb_rows_of(0, negative),
                               .columns = GB_COLUMNS({in, gb_doubles(x)})));
    assert_rejected(t, GB_EARGUMENT, ".only has 0 rows");
}

/* ---- windows ---- */

/* Rows stand in windows, and all windows and rows are there. */
static void assert_windows(const int *rows, int count, int window)
{
    assert_true(is_permutation(rows, count, count));
    for (int at = 0; at < count;) {
        const int first = rows[at] / window * window,
                  length = count - first < window ? count - first : window;
        for (int i = 0; i < length; i++, at++)
            assert_int_equal(rows[at] / window * window, first);
    }
}

TEST(windows_stand_side_by_side_and_each_epoch_has_all_rows)
{
    for (int window = 1; window < 40; window += 3)
        for (int64_t batch = 1; batch < 33; batch += 5) {
            int rows[2][MOST], whole[MOST];
            numbered n = numbered_of(1, (gb_batches_options){.rows = 33, .batch = batch, .window = window}),
                     other = numbered_of(1, (gb_batches_options){.rows = 33, .batch = 7, .window = window});
            for (int epoch = 0; epoch < 2; epoch++) {
                assert_int_equal(read_epoch(&n, rows[epoch]), 33);
                assert_windows(rows[epoch], 33, window);
            }
            assert_memory_not_equal(rows[0], rows[1], sizeof whole / MOST * 33);
            read_epoch(&other, whole);
            assert_memory_equal(rows[0], whole, sizeof whole / MOST * 33); /* whatever the batches are */
        }
}

/* Over 3,000 epochs each row is as likely at each place of its window, and each full window at each place of
 * the epoch: |z| < 6 for 4 + 9 numbers. */
TEST(rows_in_windows_and_windows_are_as_likely_everywhere)
{
    enum { EPOCHS = 3000 };
    int of_row[4] = {0}, of_window[3] = {0}, rows[MOST];
    numbered n = numbered_of(3, (gb_batches_options){.rows = 12, .batch = 5, .window = 4});
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        read_epoch(&n, rows);
        for (int i = 0; i < 12; i++)
            of_row[i % 4] += rows[i] == 6;
        of_window[rows[0] / 4]++;
    }
    for (int i = 0; i < 4; i++)
        assert_true(fabs(of_row[i] - EPOCHS / 4.) < 6 * sqrt(EPOCHS * 3 / 16.));
    for (int i = 0; i < 3; i++)
        assert_true(fabs(of_window[i] - EPOCHS / 3.) < 6 * sqrt(EPOCHS * 2 / 9.));
}

TEST(each_window_has_an_order_of_its_own)
{
    int rows[MOST];
    numbered n = numbered_of(1, (gb_batches_options){.rows = 60, .batch = 9, .window = 20});
    read_epoch(&n, rows);
    for (int i = 0; i < 60; i++)
        rows[i] %= 20;
    assert_memory_not_equal(rows, rows + 20, 20 * sizeof *rows);
    assert_memory_not_equal(rows, rows + 40, 20 * sizeof *rows);
    assert_memory_not_equal(rows + 20, rows + 40, 20 * sizeof *rows);
}

TEST(windows_of_chosen_rows_are_windows_of_their_list)
{
    int64_t even[20];
    int rows[MOST];
    for (int i = 0; i < 20; i++)
        even[i] = 2 * i;
    numbered n = numbered_of(
        1, (gb_batches_options){.rows = 40, .batch = 6, .window = 5, .only = gb_rows_of(20, even)});
    assert_int_equal(read_epoch(&n, rows), 20);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(rows[i] % 2, 0);
        rows[i] /= 2;
    }
    assert_windows(rows, 20, 5);
}

TEST(going_to_any_place_repeats_what_came_after_it)
{
    const int64_t chosen[] = {8, 3, 5, 9, 0, 6, 4, 1, 2, 7, 10};
    for (int way = 0; way < 4; way++)
        for (int64_t batch = 1; batch < 11; batch++)
            for (int64_t place = 0; place <= 11; place += batch) {
                int rows[MOST], again[MOST];
                const gb_batches_options o = {.rows = 11,
                                              .batch = batch,
                                              .window = way & 1 ? 4 : 0,
                                              .only = way & 2 ? gb_rows_of(11, chosen) : (gb_rows){0}};
                numbered n = numbered_of(1, o), other = numbered_of(1, o);
                read_epoch(&n, rows);
                read_epoch(&n, rows);
                assert_int_equal(gb_batches_go(other.batches, (gb_batches_place){.epoch = 1, .row = place}),
                                 GB_OK);
                assert_int_equal(read_epoch(&other, again), 11 - place);
                assert_memory_equal(again, rows + place, (size_t)(11 - place) * sizeof *rows);
                read_epoch(&n, rows);
                read_epoch(&other, again);
                assert_memory_equal(again, rows, 11 * sizeof *rows);
            }
}

TEST(windows_and_an_order_are_rejected)
{
    const double x[3] = {0};
    const gb_node in = gb_input_rows(t, "x", gb_shape());
    assert_null(gb_batches_new(t, .rows = 3, .window = -1, .columns = GB_COLUMNS({in, gb_doubles(x)})));
    assert_rejected(t, GB_EARGUMENT, "batches: .rows is 3, .batch 0 and .window -1; none is negative");
    assert_null(gb_batches_new(t, .rows = 3, .window = 2, .in_order = true,
                               .columns = GB_COLUMNS({in, gb_doubles(x)})));
    assert_rejected(t, GB_EARGUMENT, ".in_order is true, and .window shuffles; choose one");
}

/* ---- memory ---- */

TEST(feeding_allocates_nothing)
{
    counted_memory memory = {0};
    gb_tape *const own = gb_tape_new(.threads = 1, .memory = counted(&memory));
    gb_table *const d = gb_table_of_set(own, "counts");
    gb_split *const s = gb_split_new(own, 120, .test = 0.2);
    const gb_node x = gb_input_rows(own, "x", gb_shape()), y = gb_input_rows_ints(own, "y", gb_shape()),
                  dose = gb_input_rows(own, "dose", gb_shape(3));
    gb_program *const p =
        gb_compile(own, gb_roots(gb_mul(gb_sum(dose), gb_mul(x, gb_to_real(y)))), gb_no_update);
    gb_batches *const b = gb_batches_new(
        own, .batch = 7, .only = s->train, .window = 20,
        .columns = GB_COLUMNS({x, gb_numbers_scaled(gb_table_numbers(d, "x"), 2, 1)},
                              {y, gb_table_numbers(d, "count")}, {dose, gb_table_one_hot(d, "dose")}));
    size_t before = 0;
    for (int epoch = 0; epoch < 3; epoch++) {
        before = memory.asked;
        while (gb_next_batch(b))
            assert_int_equal(gb_run(p), GB_OK);
    }
    assert_fine(own);
    assert_int_equal(memory.asked, before);
    gb_split_free(s);
    gb_table_free(d);
    gb_tape_free(own);
    assert_int_equal(memory.outstanding, 0);
}

/* A file of 4 GB without blocks on the disk: 2^30 rows of 4 bytes, of which some are read in windows. */
TEST(a_large_file_is_mapped_and_fed_in_windows)
{
    const int64_t rows = (int64_t)1 << 30;
    FILE *const file = fopen("large.npy", "wb");
    assert_non_null(file);
    fputs("\x93NUMPY\1", file);
    fwrite("\0\x76\0", 1, 3, file);
    const int used =
        fprintf(file, "{'descr': '|u1', 'fortran_order': False, 'shape': (%lld, 4), }", (long long)rows);
    fprintf(file, "%*s", 0x76 - used, "\n");
    const bool is_there =
        fseeko(file, 128 + 4 * rows - 4, SEEK_SET) == 0 && fwrite("\1\2\3\4", 1, 4, file) == 4;
    if (fclose(file) != 0 || !is_there) {
        remove("large.npy");
        skip();
    }
    gb_array *const a = gb_array_read(t, "large.npy", .mapped = true);
    assert_fine(t);
    remove("large.npy");
    assert_true(gb_numbers_at(gb_array_numbers(a), (size_t)rows * 4 - 1) == 4);
    const gb_node x = gb_input_rows(t, "x", gb_shape(4)), sum = gb_sum(x);
    gb_program *const p = gb_compile(t, gb_roots(sum), gb_no_update);
    gb_batches *const b =
        gb_batches_new(t, .batch = 100, .window = 1000, .columns = GB_COLUMNS({x, gb_array_numbers(a)}));
    assert_int_equal(gb_batches_rows(b), rows);
    for (int i = 0; i < 30; i++)
        assert_true(gb_next_batch(b) && gb_run(p) == GB_OK);
    assert_int_equal(gb_batches_go(b, (gb_batches_place){.epoch = 3, .row = rows / 200 * 100}), GB_OK);
    assert_true(gb_next_batch(b) && gb_run(p) == GB_OK);
    gb_array_free(a);
}

static gb_status use(gb_tape *t, const void *what)
{
    const gb_batches_options *const o = what;
    const uint8_t bytes[20] = {0};
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), look = gb_sum(x);
    gb_program *const p = gb_compile(t, gb_roots(look), gb_no_update);
    gb_batches *const b = gb_batches_new(t, .rows = 10, .batch = 4, .only = o->only, .window = o->window,
                                         .columns = GB_COLUMNS({x, gb_bytes(bytes)}));
    while (gb_next_batch(b))
        gb_run(p);
    return gb_error(t);
}

TEST(batches_outlive_lack_of_memory)
{
    const int64_t chosen[] = {1, 2, 3, 4, 5, 6};
    const gb_batches_options windows = {.window = 3}, some = {.only = gb_rows_of(6, chosen)};
    assert_outlives_lack_of_memory(use, &windows, "windows", 0, (gb_tape_options){0});
    assert_outlives_lack_of_memory(use, &some, "chosen rows", 0, (gb_tape_options){0});
}

/* ---- standardised columns ---- */

static const int32_t far[] = {1000000000, 7, 1000000002, 9, 1000000004, 11, 1000000006, 13};

static void standardised_rows_are_fed(gb_tape *t, bool is_shuffled)
{
    const gb_numbers raw = gb_numbers_of(GB_NUMBER_INT32, far, 8);
    gb_standard *const s = gb_standard_new(t, raw, .columns = 2);
    const gb_node x = gb_input_rows(t, "x", gb_shape(2));
    gb_batches *const b = gb_batches_new(t, .batch = 3, .in_order = !is_shuffled,
                                         .columns = GB_COLUMNS({x, gb_standard_numbers(s, raw)}));
    gb_program *const p = gb_compile(t, gb_roots(gb_scale(x, 1)), gb_no_update);
    double sum = 0, squares = 0;
    assert_fine(t);
    while (gb_next_batch(b)) {
        double z[6];
        const size_t count = (gb_run(p), gb_program_root_count(p, 0));
        assert_int_equal(gb_read_root(p, 0, z), GB_OK);
        for (size_t i = 0; i < count; i++) {
            sum += z[i];
            squares += z[i] * z[i];
        }
    }
    assert_fine(t);
    assert_near(sum, 0, 1e-6);
    assert_near(squares, 6, 1e-5);
}

TEST(standardised_rows_keep_their_digits_on_a_float_tape, .real = GB_FLOAT)
{
    standardised_rows_are_fed(t, false);
}

TEST(standardised_rows_are_shuffled)
{
    standardised_rows_are_fed(t, true);
}
