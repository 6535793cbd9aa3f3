/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables: columns of memory, levels, rows that are taken, files. */
#include "support/close.h"
#include "support/counted_memory.h"
#include "support/files.h"

#include "data/table.h"

static gb_table *pets(gb_tape *t)
{
    return gb_table_of_text(t, "pets.csv",
                            "who,kind,age,weight\nTom,cat,3,4.5\nRex,dog,5,\nKim,cat,1,3.25\nIda,,2,20\n");
}

/* ---- columns ---- */

TEST(columns_are_found_by_name)
{
    gb_table *const d = pets(t);
    assert_int_equal(gb_table_rows(d), 4);
    assert_int_equal(gb_table_columns(d), 4);
    assert_ptr_equal(gb_table_find(d, "age"), gb_table_column_at(d, 2));
    assert_ptr_equal(gb_table_column_named(d, "age"), gb_table_column_at(d, 2));
    assert_string_equal(gb_table_column_at(d, 3)->name, "weight");
    assert_null(gb_table_column_at(d, 4));
    assert_null(gb_table_find(d, "agee"));
    assert_fine(t);
    assert_null(gb_table_column_named(d, "agee"));
    assert_rejected(t, GB_ENAME, "table: pets.csv has no column agee (is it age?)");
    assert_null(gb_table_column_named(d, NULL));
    assert_rejected(t, GB_ENAME, "pets.csv has no column NULL");
    assert_string_equal(gb_table_name(d), "pets.csv");
    assert_ptr_equal(gb_table_tape(d), t);
    gb_table_free(d);
}

TEST(texts_are_levels_in_the_order_of_strcmp)
{
    gb_table *const d = pets(t);
    const gb_table_column *const kind = gb_table_find(d, "kind"), *const who = gb_table_find(d, "who");
    const int64_t kinds[] = {0, 1, 0, -1}, whos[] = {3, 2, 1, 0};
    assert_int_equal(kind->level_count, 2);
    assert_string_equal(kind->levels[0], "cat");
    assert_string_equal(kind->levels[1], "dog");
    assert_int_equal(kind->missing, 1);
    assert_null(kind->number);
    assert_memory_equal(kind->level, kinds, sizeof kinds);
    assert_memory_equal(who->level, whos, sizeof whos);
    assert_null(gb_table_find(d, "age")->level);
    gb_table_free(d);
}

TEST(levels_become_indices_or_one_number_each)
{
    gb_table *const d = pets(t), *const known = gb_table_complete(d, "kind", NULL);
    const uint8_t hot[] = {1, 0, 0, 1, 1, 0};
    const gb_numbers index = gb_table_levels(known, "kind"), one_hot = gb_table_one_hot(known, "kind");
    assert_int_equal(index.type, GB_NUMBER_INT64);
    assert_int_equal(index.count, 3);
    assert_int_equal(one_hot.type, GB_NUMBER_UINT8);
    assert_int_equal(one_hot.count, sizeof hot);
    assert_memory_equal(one_hot.at, hot, sizeof hot);
    assert_null(gb_table_levels(d, "kind").at);
    assert_rejected(t, GB_EARGUMENT, "pets.csv, line 5, column kind: the cell is missing (1 of 4 are)");
    assert_null(gb_table_one_hot(d, "age").at);
    assert_rejected(t, GB_ETYPE, "column age has numbers; .texts = \"age\" of gb_table_read makes texts");
    gb_table_free(d);
    gb_table_free(known);
}

TEST(several_columns_stand_side_by_side)
{
    gb_table *const d = pets(t);
    const double both[] = {4.5, 3, 3.25, 1, 20, 2};
    gb_table *const known = gb_table_complete(d, "weight", NULL);
    const gb_numbers numbers = gb_table_numbers(known, "weight, age");
    assert_int_equal(numbers.count, 6);
    assert_memory_equal(numbers.at, both, sizeof both);
    assert_ptr_equal(gb_table_numbers(known, "age").at, gb_table_find(known, "age")->number);
    assert_int_equal(gb_table_numbers(known, "age").count, 3);
    assert_null(gb_table_numbers(d, "age,weight").at);
    assert_rejected(t, GB_EARGUMENT, "pets.csv, line 3, column weight: the cell is missing");
    assert_null(gb_table_numbers(d, "age,kind").at);
    assert_rejected(t, GB_ETYPE, "column kind: \"cat\" is no finite number");
    assert_null(gb_table_numbers(d, "").at);
    assert_rejected(t, GB_EARGUMENT, "pets.csv: no columns are named");
    assert_null(gb_table_numbers(d, NULL).at);
    assert_rejected(t, GB_EARGUMENT, "pets.csv: no columns are named");
    gb_table_free(known);
    gb_table_free(d);
}

/* ---- data in memory ---- */

TEST(a_name_with_a_comma_stands_in_quotes_in_a_list)
{
    gb_table *const d = gb_table_of_text(t, "d", "\"a, b\",c,5\" pipe\n1,2,3\n4,5,6\n");
    static const struct {
        const char *names;
        double first_row[2];
    } lists[] = {{"\"a, b\", c", {1, 2}}, {"c , \"a, b\" ", {2, 1}}, {"5\" pipe,\"c\"", {3, 2}}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const gb_numbers both = gb_table_numbers(d, lists[i].names);
        assert_fine(t);
        assert_int_equal(both.count, 4);
        assert_memory_equal(both.at, lists[i].first_row, sizeof lists[i].first_row);
    }
    assert_null(gb_table_numbers(d, "\"a, b\"c").at);
    assert_rejected(t, GB_ENAME, "d has no column \"a");
    gb_table_free(d);
}

TEST(a_table_is_made_of_memory)
{
    const int32_t count[] = {1, 2, -3};
    const double x[] = {0.5, NAN, 2};
    const char *const names[] = {"b", NULL, "a"};
    gb_table *const d = gb_table_new(t, "made", 3);
    assert_int_equal(gb_table_add(d, "count", gb_int32s(count)), GB_OK);
    assert_int_equal(gb_table_add(d, "x", gb_numbers_of(GB_NUMBER_DOUBLE, x, 3)), GB_OK);
    assert_int_equal(gb_table_add(d, "half", gb_numbers_scaled(gb_int32s(count), 0.5, 1)), GB_OK);
    assert_int_equal(gb_table_add_texts(d, "name", names), GB_OK);
    assert_true(gb_table_doubles(d, "count")[2] == -3);
    assert_true(gb_table_doubles(d, "half")[2] == -0.5);
    assert_int_equal(gb_table_find(d, "x")->missing, 1);
    assert_int_equal(gb_table_find(d, "name")->missing, 1);
    assert_int_equal(gb_table_find(d, "name")->level[0], 1);
    assert_null(gb_table_doubles(d, "x"));
    assert_rejected(t, GB_EARGUMENT, "table: made, row 1, column x: the cell is missing");
    assert_int_equal(gb_table_line(d, 1), 0);
    gb_table_free(d);
}

TEST(columns_that_do_not_fit_are_rejected_and_leave_the_table_as_it_is)
{
    const double x[] = {1, 2};
    const int64_t large[] = {1, ((int64_t)1 << 53) + 1}, exact[] = {INT64_MIN, (int64_t)1 << 60};
    gb_table *const d = gb_table_new(t, NULL, 2);
    gb_table_add(d, "x", gb_doubles(x));
    assert_int_equal(gb_table_add(d, "x", gb_doubles(x)), GB_ENAME);
    assert_rejected(t, GB_ENAME, "columns 1 and 2 are both named x");
    gb_table_add(d, "", gb_doubles(x));
    assert_rejected(t, GB_ENAME, "column 2 has no name");
    gb_table_add(d, "y", gb_doubles(NULL));
    assert_rejected(t, GB_EARGUMENT, "column y has no cells");
    gb_table_add(d, "y", gb_numbers_of(GB_NUMBER_DOUBLE, x, 3));
    assert_rejected(t, GB_EARGUMENT, "a table has 2 rows, and column y has 3 numbers (double)");
    gb_table_add(d, "y", gb_numbers_of((gb_number)77, x, 2));
    assert_rejected(t, GB_EARGUMENT, "(unknown)");
    gb_table_add(d, "y", gb_int64s(large));
    assert_rejected(t, GB_ELIMIT, "row 1, column y: the integer 9007199254740992 or near it is no double");
    gb_table_add(d, "y", gb_doubles((const double[]){(double)NAN, -INFINITY}));
    assert_rejected(t, GB_ENONFINITE,
                    "row 1, column y: the number is -inf, and must be finite, or NaN where");
    assert_int_equal(gb_table_columns(d), 1);
    assert_int_equal(gb_table_add(d, "y", gb_int64s(exact)), GB_OK);
    assert_true(gb_table_doubles(d, "y")[0] == -0x1p63);
    assert_null(gb_table_new(t, "none", -1));
    assert_rejected(t, GB_EARGUMENT, "a table cannot have -1 rows");
    gb_table_free(d);
}

TEST(a_table_that_is_not_there_does_nothing)
{
    size_t dropped = 7;
    gb_table_free(NULL);
    assert_int_equal(gb_table_rows(NULL) + (int64_t)gb_table_columns(NULL) + gb_table_line(NULL, 0), 0);
    assert_null(gb_table_find(NULL, "x"));
    assert_null(gb_table_column_named(NULL, "x"));
    assert_null(gb_table_column_at(NULL, 0));
    assert_null(gb_table_doubles(NULL, "x"));
    assert_null(gb_table_numbers(NULL, "x").at);
    assert_null(gb_table_levels(NULL, "x").at);
    assert_null(gb_table_one_hot(NULL, "x").at);
    assert_null(gb_table_take(NULL, gb_rows_of(0, NULL)));
    assert_null(gb_table_complete(NULL, "*", &dropped));
    assert_int_equal(gb_table_csv(NULL, stdout), GB_EARGUMENT);
    assert_int_equal(gb_table_add(NULL, "x", gb_doubles(NULL)), GB_EARGUMENT);
    assert_int_equal(gb_table_add_texts(NULL, "x", NULL), GB_EARGUMENT);
    assert_null(gb_table_tape(NULL));
    assert_null(gb_table_read(NULL, "x.csv"));
    assert_null(gb_table_of_text(t, "x", NULL));
    assert_rejected(t, GB_EARGUMENT, "table: the text of x is NULL");
    assert_null(gb_table_read(t, NULL));
    assert_rejected(t, GB_EARGUMENT, "table: the path is NULL");
}

TEST(a_table_is_freed_before_or_after_its_tape)
{
    gb_tape *const other = gb_tape_new(.threads = 1);
    gb_table *const d = pets(other);
    gb_tape_free(other);
    assert_true(gb_table_find(d, "age")->number[1] == 5);
    gb_table_free(d);
}

/* ---- rows ---- */

TEST(rows_are_taken_in_their_order_with_levels_and_lines)
{
    const int64_t rows[] = {2, 0, 2};
    gb_table *const d = pets(t), *const some = gb_table_take(d, gb_rows_of(3, rows));
    gb_table_free(d);
    assert_int_equal(gb_table_rows(some), 3);
    assert_true(gb_table_doubles(some, "weight")[0] == 3.25 && gb_table_doubles(some, "age")[1] == 3);
    const gb_table_column *const kind = gb_table_find(some, "kind");
    assert_int_equal(kind->level_count, 2); /* also those that no row has */
    assert_string_equal(kind->levels[1], "dog");
    assert_int_equal(kind->missing, 0);
    assert_int_equal(gb_table_line(some, 0), 4);
    const int64_t bad[] = {0, 3};
    assert_null(gb_table_take(some, gb_rows_of(2, bad)));
    assert_rejected(t, GB_EARGUMENT, "pets.csv has rows 0 to 2, and no row 3 (place 1 of the list)");
    assert_null(gb_table_take(some, gb_rows_of(0, NULL)));
    assert_rejected(t, GB_EARGUMENT, "no row is left");
    assert_null(gb_table_take(some, gb_rows_of(2, NULL)));
    assert_rejected(t, GB_EARGUMENT, "the list of 2 rows is NULL");
    gb_table_free(some);
}

TEST(incomplete_rows_are_dropped_on_request)
{
    size_t dropped = 0;
    gb_table *const d = pets(t), *const all = gb_table_complete(d, "*", &dropped);
    assert_int_equal(dropped, 2);
    assert_int_equal(gb_table_rows(all), 2);
    gb_table_free(all);
    gb_table *const weighed = gb_table_complete(d, "age , weight", &dropped);
    assert_int_equal(dropped, 1);
    gb_table_free(weighed);
    gb_table *const same = gb_table_complete(d, "age", &dropped);
    assert_int_equal(dropped, 0);
    gb_table_free(same);
    assert_null(gb_table_complete(d, "age,wait", NULL));
    assert_rejected(t, GB_ENAME, "has no column wait");
    gb_table_free(d);
    gb_table *const none = gb_table_of_text(t, "n", "a,b\n1,\n,2\n");
    assert_null(gb_table_complete(none, "*", NULL));
    assert_rejected(t, GB_EARGUMENT, "table: n: no row is left");
    gb_table_free(none);
}

/* ---- levels of another table ---- */

TEST(new_rows_have_the_levels_of_the_table_that_they_are_like)
{
    gb_table *const train = gb_table_read(t, "train", .text = "zip,kind\n7,a\n8,b\n9,c\n", .texts = "zip");
    gb_table *const test = gb_table_read(t, "test", .text = "kind,zip,n\nc,9,1\nb,,2\n", .like = train);
    assert_fine(t);
    const gb_table_column *const kind = gb_table_find(test, "kind"), *const zip = gb_table_find(test, "zip");
    assert_int_equal(kind->level_count, 3);
    assert_true(kind->level[0] == 2 && kind->level[1] == 1 && zip->level[0] == 2 && zip->level[1] == -1);
    gb_table_free(train);
    assert_string_equal(kind->levels[0], "a");
    assert_null(gb_table_read(t, "new", .text = "kind\nb\nbc\n", .like = test));
    assert_rejected(t, GB_EARGUMENT,
                    "table: new, line 3, column kind: \"bc\" is none of the 3 texts of test (is it b?)");
    gb_table_free(test);
}

/* ---- files ---- */

TEST(a_file_is_read_and_what_is_no_file_rejected)
{
    file_put_text("table.csv", "a,b\n1,x\n");
    gb_table *const d = gb_table_read(t, "table.csv");
    assert_fine(t);
    assert_true(*gb_table_doubles(d, "a") == 1);
    gb_table_free(d);
    remove("table.csv");
    assert_null(gb_table_read(t, "table.csv"));
    assert_rejected(t, GB_ESYSTEM, "table: table.csv cannot be read: No such file or directory");
    assert_null(gb_table_read(t, "."));
    assert_rejected(t, GB_EFILE, "table: . is a directory, and no file");
}

TEST(writing_that_fails_is_reported)
{
    gb_table *const d = pets(t);
    FILE *const full = file_on_full_disk();
    assert_int_equal(gb_table_csv(d, full), GB_ESYSTEM);
    assert_int_equal(gb_table_csv(d, NULL), GB_EARGUMENT);
    fclose(full);
    gb_table_free(d);
}

/* The sets of ../shared/data, if it is there. */
TEST(published_tables_are_read)
{
    static const struct {
        const char *path;
        int64_t rows;
        size_t columns;
        bool no_header;
    } files[] = {{"breast_cancer.csv", 569, 31, false},
                 {"co2.csv", 689, 2, false},
                 {"uci/published.csv", 90, 8, false},
                 {"uci/bostonHousing/data.txt", 506, 14, true},
                 {"uci/concrete/data.txt", 1030, 9, true},
                 {"uci/energy/data.txt", 768, 9, true},
                 {"uci/kin8nm/data.txt.gz", 8192, 9, true},
                 {"uci/naval-propulsion-plant/data.txt.gz", 11934, 18, true},
                 {"uci/power-plant/data.txt.gz", 9568, 5, true},
                 {"uci/protein-tertiary-structure/data.txt.gz", 45730, 10, true},
                 {"uci/wine-quality-red/data.txt", 1599, 12, true},
                 {"uci/yacht/data.txt", 308, 7, true},
                 {"uci/yacht/index_train_0.txt", 277, 1, true}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        snprintf(path, sizeof path, GB_TESTS "/../../shared/data/%s", files[i].path);
        gb_table *const d = gb_table_read(t, path, .no_header = files[i].no_header);
        if (i == 0 && gb_error(t) == GB_ESYSTEM) {
            print_message("there is no folder ../shared/data\n");
            skip();
        }
        assert_fine(t);
        assert_int_equal(gb_table_rows(d), files[i].rows);
        assert_int_equal(gb_table_columns(d), files[i].columns);
        if (files[i].no_header)
            assert_int_equal(gb_table_numbers(d, "*").count, (size_t)files[i].rows * files[i].columns);
        assert_fine(t);
        gb_table_free(d);
    }
}

/* ---- memory ---- */

static gb_status use(gb_tape *t, const void *what)
{
    (void)what;
    size_t dropped;
    const char *const texts[] = {"x", "y", NULL, "x"};
    const double numbers[] = {1, 2, 3, 4};
    gb_table *const d = pets(t);
    gb_table *const like = gb_table_read(t, "like", .text = "kind,a\ndog,1\ncat,2\n", .like = d);
    gb_table *const some = gb_table_complete(d, "kind,age", &dropped);
    gb_table_add(d, "number", gb_doubles(numbers));
    gb_table_add_texts(d, "text", texts);
    gb_table_numbers(d, "age,number");
    gb_table_one_hot(some, "kind");
    const gb_status status = gb_error(t);
    gb_table_free(d);
    gb_table_free(like);
    gb_table_free(some);
    return status;
}

TEST(a_table_outlives_lack_of_memory)
{
    assert_outlives_lack_of_memory(use, NULL, "table", 0, (gb_tape_options){0});
}
