/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a data set: each row in one of them, classes in proportion, folds, published rows. */
#include "support/close.h"
#include "support/counted_memory.h"
#include "support/files.h"

#include "data/split.h"

enum { MOST = 1000 };

/* How often a row is in the parts. */
static void count_rows(const gb_split *s, int *count)
{
    const gb_rows parts[] = {s->train, s->validate, s->test};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < parts[k].count; i++)
            count[parts[k].row[i]]++;
}

static void assert_partition(const gb_split *s, int64_t rows)
{
    int count[MOST] = {0};
    assert_non_null(s);
    count_rows(s, count);
    for (int64_t i = 0; i < rows; i++)
        assert_int_equal(count[i], 1);
    assert_int_equal(s->train.count + s->validate.count + s->test.count, rows);
}

static bool is_ascending(gb_rows rows)
{
    for (size_t i = 1; i < rows.count; i++)
        if (rows.row[i] <= rows.row[i - 1])
            return false;
    return true;
}

static bool is_same(gb_rows a, gb_rows b)
{
    return a.count == b.count && memcmp(a.row, b.row, a.count * sizeof *a.row) == 0;
}

/* ---- by seed ---- */

TEST(fractions_and_counts_are_exact_and_each_row_is_in_one_part)
{
    for (int64_t rows = 2; rows < 60; rows++) {
        gb_split *const s = gb_split_new(t, rows, .test = 0.5);
        assert_partition(s, rows);
        assert_int_equal(s->test.count, rint(0.5 * (double)rows));
        gb_split_free(s);
    }
    gb_split *const s = gb_split_new(t, 103, .test = 0.2, .validate = 7);
    assert_partition(s, 103);
    assert_int_equal(s->test.count, 21);
    assert_int_equal(s->validate.count, 7);
    assert_true(is_ascending(s->train) && is_ascending(s->validate) && is_ascending(s->test));
    gb_split_free(s);
    gb_split *const v = gb_split_new(t, 10, .validate = 0.3);
    assert_partition(v, 10);
    assert_true(v->validate.count == 3 && v->test.count == 0);
    gb_split_free(v);
}

TEST(the_seed_decides, .seed = 5)
{
    gb_split *const a = gb_split_new(t, 100, .test = 30),
                    *const b = gb_split_new(t, 100, .test = 30, .seed = 5),
                    *const c = gb_split_new(t, 100, .test = 30, .seed = 6);
    assert_true(is_same(a->test, b->test) && is_same(a->train, b->train));
    assert_false(is_same(a->test, c->test));
    gb_split_free(a);
    gb_split_free(b);
    gb_split_free(c);
}

/* Each row is as likely to test: over 3,000 seeds z of each of 40 rows, |z| < 6 but for a chance of 8e-8. */
TEST(every_row_is_as_likely)
{
    enum { ROWS = 40, SEEDS = 3000 };
    int count[ROWS] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        gb_split *const s = gb_split_new(t, ROWS, .test = 0.25, .seed = seed);
        for (size_t i = 0; i < s->test.count; i++)
            count[s->test.row[i]]++;
        gb_split_free(s);
    }
    for (int i = 0; i < ROWS; i++)
        assert_true(fabs(count[i] - SEEDS * 0.25) < 6 * sqrt(SEEDS * 0.25 * 0.75));
}

/* ---- folds ---- */

TEST(folds_together_test_each_row_once)
{
    for (int64_t folds = 2; folds <= 23; folds++) {
        int tested[23] = {0};
        for (int64_t fold = 0; fold < folds; fold++) {
            gb_split *const s =
                gb_split_new(t, 23, .folds = folds, .fold = fold, .validate = folds > 3 ? 3 : 0);
            assert_partition(s, 23);
            assert_int_equal(s->test.count, 23 / folds + (fold < 23 % folds));
            for (size_t i = 0; i < s->test.count; i++)
                tested[s->test.row[i]]++;
            gb_split_free(s);
        }
        for (int i = 0; i < 23; i++)
            assert_int_equal(tested[i], 1);
    }
}

/* ---- classes ---- */

static int64_t count_class(gb_rows rows, const int64_t *class, int64_t which)
{
    int64_t count = 0;
    for (size_t i = 0; i < rows.count; i++)
        count += class[rows.row[i]] == which;
    return count;
}

TEST(parts_have_their_share_of_each_class)
{
    enum { ROWS = 200, CLASSES = 4, FOLDS = 7 };
    int64_t class[ROWS], of_class[CLASSES] = {0};
    for (int i = 0; i < ROWS; i++) { /* 8, 32, 60 and 100 rows */
        class[i] = i % 25 == 0 ? 0 : i % 25 < 5 ? 1 : i % 25 < 12 + (i % 2) ? 2 : 3;
        of_class[class[i]]++;
    }
    const gb_numbers by = gb_numbers_of(GB_NUMBER_INT64, class, ROWS);
    gb_split *const s = gb_split_new(t, ROWS, .test = 0.25, .validate = 0.1, .by = by);
    assert_partition(s, ROWS);
    for (int k = 0; k < CLASSES; k++) {
        assert_true(fabs((double)count_class(s->test, class, k) - 0.25 * (double)of_class[k]) <= 1);
        assert_true(fabs((double)count_class(s->validate, class, k) - 0.1 * (double)of_class[k]) <= 1.4);
    }
    gb_split_free(s);
    for (int fold = 0; fold < FOLDS; fold++) {
        gb_split *const f = gb_split_new(t, ROWS, .folds = FOLDS, .fold = fold, .by = by);
        assert_partition(f, ROWS);
        for (int k = 0; k < CLASSES; k++)
            assert_true(fabs((double)count_class(f->test, class, k) - (double)of_class[k] / FOLDS) <= 1);
        gb_split_free(f);
    }
}

/* ---- rows that are given ---- */

TEST(given_rows_keep_their_order_and_the_others_train)
{
    const int64_t test[] = {7, 2, 5}, train[] = {9, 0, 1, 3, 8, 4, 6}, rest[] = {0, 1, 3, 4, 6, 8, 9};
    gb_split *const a = gb_split_new(t, 10, .test_rows = gb_rows_of(3, test));
    assert_partition(a, 10);
    assert_true(is_same(a->test, gb_rows_of(3, test)) && is_same(a->train, gb_rows_of(7, rest)));
    gb_split_free(a);
    gb_split *const b =
        gb_split_new(t, 10, .test_rows = gb_rows_of(3, test), .train_rows = gb_rows_of(7, train));
    assert_true(is_same(b->train, gb_rows_of(7, train)));
    gb_split_free(b);
    gb_split *const c = gb_split_new(t, 10, .test_rows = gb_rows_of(3, test),
                                     .train_rows = gb_rows_of(7, train), .validate = 0.2);
    assert_partition(c, 10);
    assert_int_equal(c->validate.count, 2);
    assert_true(is_same(c->test, gb_rows_of(3, test)));
    gb_split_free(c);
}

TEST(rows_are_read_from_files)
{
    file_put_text("rows.txt", "3\n0\r\n 2\n");
    const gb_rows rows = gb_rows_read(t, "rows.txt");
    const int64_t should[] = {3, 0, 2}, less[] = {2, 1, 0};
    assert_fine(t);
    assert_true(is_same(rows, gb_rows_of(3, should)));
    file_put_text("rows.txt", "3\n2\n1\n");
    assert_true(is_same(gb_rows_read(t, "rows.txt", .one_based = true), gb_rows_of(3, less)));
    static const struct {
        const char *text, *words;
        bool one_based;
    } bads[] = {{"1\n0\n", "rows: rows.txt, line 2: 0 is no row; rows are integers from 1 on", true},
                {"1\n-1\n", "rows: rows.txt, line 2: -1 is no row; rows are integers from 0 on", false},
                {"1.5\n", "rows.txt, line 1: 1.5 is no row", false},
                {"1e16\n", "rows.txt, line 1: 1e+16 is no row", false},
                {"1 2\n", "rows: rows.txt has 2 columns, and should have one integer on each line", false},
                {"row\n1\n", "table: rows.txt, line 1, column 1: \"row\" is no finite number", false},
                {"", "table: rows.txt is empty", false}};
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        file_put_text("rows.txt", bads[i].text);
        assert_int_equal(gb_rows_read(t, "rows.txt", .one_based = bads[i].one_based).count, 0);
        if (!strstr(gb_error_text(t), bads[i].words))
            fail_msg("%s, without %s", gb_error_text(t), bads[i].words);
        gb_forgive(t);
    }
    remove("rows.txt");
    assert_null(gb_rows_read(t, "rows.txt").row);
    assert_rejected(t, GB_ESYSTEM, "table: rows.txt cannot be read");
    assert_null(gb_rows_read(NULL, "rows.txt").row);
}

TEST(published_splits_are_partitions)
{
    for (int k = 0; k < 20; k++) {
        char path[2][512];
        snprintf(path[0], sizeof path[0], GB_TESTS "/../../shared/data/uci/yacht/index_train_%d.txt", k);
        snprintf(path[1], sizeof path[1], GB_TESTS "/../../shared/data/uci/yacht/index_test_%d.txt", k);
        const gb_rows train = gb_rows_read(t, path[0]), test = gb_rows_read(t, path[1]);
        if (gb_error(t) == GB_ESYSTEM) {
            print_message("there is no folder ../shared/data\n");
            skip();
        }
        gb_split *const s = gb_split_new(t, 308, .train_rows = train, .test_rows = test, .validate = 0.2);
        assert_fine(t);
        assert_partition(s, 308);
        assert_int_equal(s->test.count, 31);
        assert_int_equal(s->validate.count, 62);
        gb_split_free(s);
    }
}

/* ---- what is rejected ---- */

static const int64_t twice[] = {1, 2, 1}, beyond[] = {0, 10}, negative[] = {-1}, some[] = {1, 2},
                     others[] = {3, 2};
static const double class[] = {0, 0, 0, (double)NAN, 0, 0, 0, 0, 0, 0};

static const struct bad {
    const char *name;
    int64_t rows;
    gb_split_options options;
    const char *words;
} bads[] = {
    {"one_row", 1, {.test = 0.5}, "split: 1 rows; 2 to 2^31 - 1 can be split"},
    {"too_many_rows", (int64_t)1 << 31, {.test = 0.5}, "split: 2147483648 rows; 2 to"},
    {"no_part", 10, {0}, "split: no part is asked for"},
    {"two_ways", 10, {.test = 0.5, .folds = 2}, "give one of .test, .folds and .test_rows"},
    {"rows_and_a_size", 10, {.test = 0.5, .test_rows = {2, some}}, "give one of"},
    {"a_negative_part", 10, {.test = -0.5}, "split: .test is -0.5, and should be a fraction below 1"},
    {"a_part_of_no_rows", 10, {.test = 0.01}, ".test is 0.01, and should be a fraction"},
    {"a_part_and_a_half", 10, {.test = 2.5}, ".test is 2.5"},
    {"more_rows_than_there_are", 10, {.test = 11}, ".test is 11"},
    {"no_number", 10, {.validate = (double)NAN, .test = 0.5}, "split: .validate is nan"},
    {"nothing_to_train_with",
     10,
     {.test = 10},
     "of 10 rows 10 are for testing and 0 for validation: none is left"},
    {"nothing_left_by_validation", 10, {.test = 0.5, .validate = 0.5}, "none is left to train with"},
    {"one_fold", 10, {.folds = 1}, ".folds is 1, and should be 2 to 10"},
    {"more_folds_than_rows", 10, {.folds = 11}, ".folds is 11"},
    {"a_fold_that_is_none", 10, {.folds = 3, .fold = 3}, ".fold is 3, and .folds is 3; folds count from 0"},
    {"a_fold_without_folds", 10, {.test = 0.5, .fold = 1}, ".fold is 1, and .folds is 0"},
    {"a_row_twice", 10, {.test_rows = {3, twice}}, "row 1 of .test_rows, place 2, is there twice"},
    {"a_row_beyond", 10, {.test_rows = {2, beyond}}, ".test_rows has row 10 at place 1, and rows are 0 to 9"},
    {"a_negative_row", 10, {.test_rows = {1, negative}}, ".test_rows has row -1"},
    {"a_row_in_both",
     10,
     {.test_rows = {2, some}, .train_rows = {2, others}},
     "row 2 of .train_rows, place 1, is in .test_rows too"},
    {"a_row_in_neither",
     4,
     {.test_rows = {2, some}, .train_rows = {1, others}},
     "row 0 is neither in .test_rows nor in .train_rows"},
    {"training_rows_alone", 4, {.train_rows = {1, others}}, "no part is asked for"},
    {"training_rows_and_a_size", 4, {.test = 1, .train_rows = {1, others}}, ".train_rows needs .test_rows"},
    {"a_list_that_is_NULL", 4, {.test_rows = {2, NULL}}, "a list of rows is NULL"},
    {"classes_of_other_rows",
     10,
     {.test = 2, .by = {GB_NUMBER_DOUBLE, class, 9, 1, 0}},
     ".by has 9 numbers for 10 rows"},
    {"a_class_that_is_no_number",
     10,
     {.test = 2, .by = {GB_NUMBER_DOUBLE, class, 10, 1, 0}},
     ".by of row 3 is no number"},
};

TEST_EACH(is_rejected, bads)
{
    const struct bad *const b = row;
    gb_split_options options = b->options;
    options.size = sizeof options;
    assert_null(gb_split_new_with(t, b->rows, &options));
    assert_rejected(t, GB_EARGUMENT, b->words);
}

static gb_status use(gb_tape *t, const void *what)
{
    gb_split *const s = gb_split_new(t, 10, .test = 2, .by = gb_doubles(what));
    gb_split_free(s);
    file_put_text("few.txt", "1\n2\n");
    gb_rows_read(t, "few.txt");
    return gb_error(t);
}

TEST(a_split_outlives_lack_of_memory)
{
    static const double classes[10] = {1, 2, 1};
    gb_split_free(NULL);
    assert_null(gb_split_new(NULL, 10, .test = 2));
    assert_outlives_lack_of_memory(use, classes, "split", 0, (gb_tape_options){0});
    remove("few.txt");
}
