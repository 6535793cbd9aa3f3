/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts that are tables, cell by cell, and texts that are none. */
#include "support/close.h"

#include "data/table.h"

/* ---- what is read: the table as CSV of grebe's own form ---- */

typedef struct good {
    const char *name, *text;
    gb_table_read_options options;
    const char *should;
} good;

#define FIVE(line) line line line line line
#define MANY_ROWS FIVE(FIVE("1\t2\n"))
#define MANY_ROWS_READ FIVE(FIVE("1,\"2\"\n"))

static const good goods[] = {
    {"names_and_numbers", "a,b\n1,2\n3,4\n", {0}, "\"a\",\"b\"\n1,2\n3,4\n"},
    {"no_end_of_the_last_line", "a,b\n1,2\n3,4", {0}, "\"a\",\"b\"\n1,2\n3,4\n"},
    {"lines_of_windows", "a,b\r\n1,2\r\n3,4\r\n", {0}, "\"a\",\"b\"\n1,2\n3,4\n"},
    {"lines_of_old_macs", "a,b\r1,2\r3,4\r", {0}, "\"a\",\"b\"\n1,2\n3,4\n"},
    {"a_byte_order_mark",
     "\xEF\xBB\xBF"
     "a,b\n1,2\n",
     {0},
     "\"a\",\"b\"\n1,2\n"},
    {"empty_lines", "\n\na,b\n\n1,2\n  \n3,4\n\n\n", {0}, "\"a\",\"b\"\n1,2\n3,4\n"},
    {"spaces_around_cells", "a , b\n 1 ,\t2\n", {0}, "\"a\",\"b\"\n1,2\n"},
    {"quotes", "\"a\",\"b\"\n\"1\",\"x\"\n", {0}, "\"a\",\"b\"\n1,\"x\"\n"},
    {"a_separator_in_quotes", "a,b\n1,\"x, y\"\n", {0}, "\"a\",\"b\"\n1,\"x, y\"\n"},
    {"doubled_quotes", "a\n\"\"\"x\"\" y\"\"\"\"\"\n", {0}, "\"a\"\n\"\"\"x\"\" y\"\"\"\"\"\n"},
    {"a_line_in_quotes", "a,b\n1,\"x\ny\"\n2,z\n", {0}, "\"a\",\"b\"\n1,\"x\ny\"\n2,\"z\"\n"},
    {"spaces_around_quotes", "a, \"b\" \n1, \"x\" \n", {0}, "\"a\",\"b\"\n1,\"x\"\n"},
    {"spaces_in_quotes_stay", "a\n\" x \"\n", {0}, "\"a\"\n\" x \"\n"},
    {"a_quote_inside_a_cell", "a,b\n5\" pipe,1\n", {0}, "\"a\",\"b\"\n\"5\"\" pipe\",1\n"},
    {"missing_cells", "a,b,c\n,NA,1\n2,x,\n", {0}, "\"a\",\"b\",\"c\"\nNA,NA,1\n2,\"x\",NA\n"},
    {"NA_in_quotes_is_a_text", "a\n\"NA\"\nNA\n", {0}, "\"a\"\n\"NA\"\nNA\n"},
    {"an_empty_text_is_missing", "a,b\n\"\",1\nx,2\n", {0}, "\"a\",\"b\"\nNA,1\n\"x\",2\n"},
    {"words_that_mean_missing", "a,b\n?,-9\nx,1\n", {.missing = "?, -9"}, "\"a\",\"b\"\nNA,NA\n\"x\",1\n"},
    {"NaN_among_the_words", "a,b\nNaN,1\n2,nan\n", {.missing = "NaN,nan"}, "\"a\",\"b\"\nNA,1\n2,NA\n"},
    {"a_number_that_is_missing_makes_no_text", "a\n-9.5\n-9\n", {.missing = "-9"}, "\"a\"\n-9.5\nNA\n"},
    {"missing_numbers_are_compared_as_numbers",
     "a,b\n-9.0,-9\n-9e0,x\n1,-9.00\n",
     {.missing = "-9"},
     "\"a\",\"b\"\nNA,NA\nNA,\"x\"\n1,NA\n"},
    {"a_text_among_numbers", "a\n1\nx\n02\n", {0}, "\"a\"\n\"1\"\n\"x\"\n\"02\"\n"},
    {"codes_stay_texts",
     "zip,n\n01234,1\n99999,2\n",
     {.texts = "zip"},
     "\"zip\",\"n\"\n\"01234\",1\n\"99999\",2\n"},
    {"all_stay_texts", "a,b\n1,2\n", {.texts = "*"}, "\"a\",\"b\"\n\"1\",\"2\"\n"},
    {"numbers_of_all_kinds",
     "a\n+1\n-.5\n5.\n1e3\n1E-3\n0.1\n123456789012345678\n1e308\n5e-324\n",
     {0},
     "\"a\"\n1\n-0.5\n5\n1000\n0.001\n0.1\n1.2345678901234568e+17\n1e+308\n4.94066e-324\n"},
    {"no_names", "1,2\n3,4\n", {.no_header = true}, "\"1\",\"2\"\n1,2\n3,4\n"},
    {"names_that_are_numbers_in_quotes", "\"1990\",\"1991\"\n1,2\n", {0}, "\"1990\",\"1991\"\n1,2\n"},
    {"a_column_without_a_name", ",a\nx,1\n", {0}, "\"1\",\"a\"\n\"x\",1\n"},
    {"semicolons", "a;b\n1;2\n", {0}, "\"a\",\"b\"\n1,2\n"},
    {"semicolons_and_decimal_commas",
     "a;b\n1,5;-2,25e1\n",
     {.decimal_comma = true},
     "\"a\",\"b\"\n1.5,-22.5\n"},
    {"tabs", "a\tb c\n1\t2\n", {0}, "\"a\",\"b c\"\n1,2\n"},
    {"empty_cells_between_tabs", "a\tb\tc\n1\t\t2\n\t3\t\n", {0}, "\"a\",\"b\",\"c\"\n1,NA,2\nNA,3,NA\n"},
    {"white_space", "  1  2.5\t3 \n4\t5   6\n\n", {.no_header = true}, "\"1\",\"2\",\"3\"\n1,2.5,3\n4,5,6\n"},
    {"tabs_and_texts_of_two_words", "who\tn\nA B\t1\nC D\t2\n", {0}, "\"who\",\"n\"\n\"A B\",1\n\"C D\",2\n"},
    {"white_space_after_names", "a\tb  c\n1 2\t3\n4  5  6\n", {0}, "\"a\",\"b\",\"c\"\n1,2,3\n4,5,6\n"},
    {"spaces_and_tabs_at_the_end", "1 \t2 \t\n3 \t4 \t\n", {.no_header = true}, "\"1\",\"2\"\n1,2\n3,4\n"},
    {"tabs_between_numbers_stay_tabs_where_a_cell_is_empty_later",
     "a\tb\n" MANY_ROWS "\t3\n",
     {.texts = "b"},
     "\"a\",\"b\"\n" MANY_ROWS_READ "NA,\"3\"\n"},
    {"an_empty_cell_between_given_tabs",
     "1\t\t3\n4\t\t6\n",
     {.no_header = true, .separator = '\t'},
     "\"1\",\"2\",\"3\"\n1,NA,3\n4,NA,6\n"},
    {"names_in_quotes_between_tabs", "\"a b\"\tc\n1\t2\n", {0}, "\"a b\",\"c\"\n1,2\n"},
    {"quotes_between_white_space", "a \"b c\"\n1 \"x y\"\n2 z\n", {0}, "\"a\",\"b c\"\n1,\"x y\"\n2,\"z\"\n"},
    {"a_separator_that_is_given", "a|b\n1|x,y\n", {.separator = '|'}, "\"a\",\"b\"\n1,\"x,y\"\n"},
    {"white_space_that_is_given", "a,b c\n1 2\n", {.separator = ' '}, "\"a,b\",\"c\"\n1,2\n"},
    {"comments", "# of 1990\na,b\n  # more\n1,2\n", {.comment = '#'}, "\"a\",\"b\"\n1,2\n"},
    {"no_comments_by_default", "a\n#1\n", {0}, "\"a\"\n\"#1\"\n"},
    {"one_column", "a\n1\n2\n", {0}, "\"a\"\n1\n2\n"},
    {"one_column_with_an_empty_line", "a\n1\n\n2\n\n\n", {0}, "\"a\"\n1\nNA\n2\n"},
    {"one_number", "7", {.no_header = true}, "\"1\"\n7\n"},
    {"bytes_that_are_no_UTF_8", "a\n\xE9t\xE9\n", {0}, "\"a\"\n\"\xE9t\xE9\"\n"},
    {"a_part_of_a_text", "a\n1\n2\n3\n", {.bytes = 6}, "\"a\"\n1\n2\n"},
};

static void table_text(const gb_table *d, char *text, size_t bytes)
{
    FILE *const file = tmpfile();
    assert_int_equal(gb_table_csv(d, file), GB_OK);
    rewind(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

static gb_table *read_text(gb_tape *t, const char *text, gb_table_read_options options)
{
    options.size = sizeof options;
    options.text = text;
    return gb_table_read_with(t, "data.csv", &options);
}

TEST_EACH(is_read, goods)
{
    enum { MOST = 1024 };
    const good *const g = row;
    char is[MOST], again[MOST];
    gb_table *const d = read_text(t, g->text, g->options);
    assert_fine(t);
    table_text(d, is, MOST);
    assert_string_equal(is, g->should);
    gb_table *const e = read_text(t, is, (gb_table_read_options){.texts = g->options.texts});
    assert_fine(t);
    table_text(e, again, MOST);
    assert_string_equal(again, is); /* what grebe writes it reads */
    gb_table_free(d);
    gb_table_free(e);
}

/* ---- what is rejected, and where ---- */

typedef struct bad {
    const char *name, *text;
    gb_table_read_options options;
    gb_status code;
    const char *words;
} bad;

#define ZERO "a,b\n1,2\n3,\0\n"

static const bad bads[] = {
    {"nothing", "", {0}, GB_EFILE, "table: data.csv is empty"},
    {"only_white_space", "\n \r\n\t\n", {0}, GB_EFILE, "table: data.csv is empty"},
    {"only_comments", "# a\n# b\n", {.comment = '#'}, GB_EFILE, "table: data.csv is empty"},
    {"only_names", "a,b\n", {0}, GB_EFILE, "data.csv has names of columns, and no rows"},
    {"a_short_line",
     "a,b,c\n1,2,3\n\n4,5\n",
     {0},
     GB_EFILE,
     "line 4 has 2 cells, and the first line has 3 (separated by commas; .separator sets another)"},
    {"a_long_line",
     "a,b\n1,2\n4,5,6,7\n",
     {0},
     GB_EFILE,
     "line 3 has more than 2 cells, and the first line has 2"},
    {"names_of_rows_without_a_name", "a,b\nx,1,2\n", {0}, GB_EFILE, "names of rows, it needs a name too"},
    {"a_comma_at_the_end", "a,b\n1,2,\n", {0}, GB_EFILE, "line 2 has more than 2 cells"},
    {"lines_after_a_line_in_quotes", "a,b\n\"x\n\ny\",1\n2\n", {0}, GB_EFILE, "line 5 has 1 cell, and"},
    {"a_quote_that_does_not_end",
     "a,b\n1,\"x\n2,3\n",
     {0},
     GB_EFILE,
     "line 2: a quote (\") begins here, and none ends"},
    {"a_quote_among_the_names", "a,\"b\n1,2\n", {0}, GB_EFILE, "line 1: a quote (\") begins here"},
    {"more_after_quotes", "a,b\n\"x\"y,1\n", {0}, GB_EFILE, "line 2: after a cell in quotes there is more"},
    {"two_columns_of_one_name", "a,b,a\n1,2,3\n", {0}, GB_ENAME, "columns 1 and 3 are both named a"},
    {"a_number_for_a_name", "2,b\n1,2\n,3\n", {.texts = "c"}, GB_ENAME, "data.csv has no column c"},
    {"a_name_of_a_column_that_is_not_there", "alpha,b\n1,2\n", {.texts = "alpa"}, GB_ENAME, "(is it alpha?)"},
    {"numbers_for_names", "1,2\n3,4\n", {0}, GB_EFILE, "line 1: the first line has only numbers"},
    {"a_zero_byte", ZERO, {.bytes = sizeof ZERO - 1}, GB_EFILE, "line 3: a zero byte"},
    {"UTF_16",
     "\xFF\xFE"
     "a",
     {0},
     GB_EFILE,
     "line 1: the text is UTF-16; convert it first: iconv"},
    {"UTF_16_of_the_other_order",
     "\xFE\xFF"
     "a",
     {0},
     GB_EFILE,
     "line 1: the text is UTF-16"},
    {"a_separator_of_numbers",
     "a\n1\n",
     {.separator = '.'},
     GB_EARGUMENT,
     ".separator cannot be part of a number"},
    {"a_digit_as_separator", "a\n1\n", {.separator = '1'}, GB_EARGUMENT, ".separator 1 is part of numbers"},
    {"an_empty_cell_between_tabs_or_two_tabs",
     "1\t\t3\n4\t\t6\n",
     {.no_header = true},
     GB_EFILE,
     "data.csv: tabs separate other cells than any white space does (an empty cell, or one with spaces): "
     ".separator = '\\t' or ' ' says which"},
    {"spaces_in_cells_between_tabs", "mean a\tsd b\n1 2\t3 4\n", {0}, GB_EFILE, "tabs separate other cells"},
    {"spaces_and_an_empty_cell_of_as_many",
     "1 2\t\t3\n",
     {.no_header = true},
     GB_EFILE,
     "tabs separate other cells"},
    {"two_uses_of_a_comma",
     "a\n1\n",
     {.separator = ',', .decimal_comma = true},
     GB_EARGUMENT,
     "and .decimal_comma too"},
};

TEST_EACH(is_rejected, bads)
{
    const bad *const b = row;
    assert_null(read_text(t, b->text, b->options));
    assert_rejected(t, b->code, b->words);
}

/* ---- numbers that are used ---- */

typedef struct misused {
    const char *name, *text;
    gb_table_read_options options;
    gb_status code;
    const char *words;
} misused;

static const misused misuses[] = {
    {"a_missing_cell",
     "n,x\n1,2\n2,\n3,4\n4,NA\n",
     {0},
     GB_EARGUMENT,
     "table: data.csv, line 3, column x: the cell is missing (2 of 4 are); gb_table_complete"},
    {"a_text",
     "n,x\n1,2\n\n2,two\n",
     {0},
     GB_ETYPE,
     "table: data.csv, line 4, column x: \"two\" is no finite number; if it means a missing cell, "
     "name it in .missing"},
    {"NaN", "x\n1\nNaN\n", {0}, GB_ETYPE, "line 3, column x: \"NaN\" is no finite number"},
    {"an_infinity", "x\n-inf\n1\n", {0}, GB_ETYPE, "line 2, column x: \"-inf\" is no finite number"},
    {"a_number_beyond_doubles",
     "x\n1\n1e400\n",
     {0},
     GB_ETYPE,
     "line 3, column x: \"1e400\" is no finite number; doubles have 0, and 5e-324 to 1.8e308"},
    {"a_number_below_doubles", "x\n-1.5E-400\n", {0}, GB_ETYPE, "doubles have 0, and 5e-324 to 1.8e308"},
    {"an_exponent_without_digits", "x\n1e-\n", {0}, GB_ETYPE, "\"1e-\" is no finite number; if it means"},
    {"a_decimal_comma", "n;x\n1;2,5\n", {0}, GB_ETYPE, "it is a number with a comma: .decimal_comma = true"},
    {"a_point_among_decimal_commas",
     "n;x\n1;2.5\n",
     {.decimal_comma = true},
     GB_ETYPE,
     "the file is read with .decimal_comma"},
    {"hexadecimals", "x\n0x10\n", {0}, GB_ETYPE, "\"0x10\" is no finite number"},
    {"a_thousand", "n;x\n1;1.000,5\n", {.decimal_comma = true}, GB_ETYPE, "\"1.000,5\" is no finite number"},
    {"what_a_terminal_obeys", "x\n\x1B[2J\n", {0}, GB_ETYPE, "\"\\x1b[2J\" is no finite number"},
    {"codes", "x\n1\n2\n", {.texts = "x"}, GB_ETYPE, "column x has texts, and no numbers"},
};

TEST_EACH(is_no_number, misuses)
{
    const misused *const m = row;
    gb_table *const d = read_text(t, m->text, m->options);
    assert_fine(t);
    assert_null(gb_table_doubles(d, "x"));
    assert_rejected(t, m->code, m->words);
    assert_null(gb_table_numbers(d, "x").at);
    assert_rejected(t, m->code, m->words);
    assert_null(gb_table_numbers(d, "*").at);
    assert_rejected(t, m->code, m->words);
    gb_table_free(d);
}

/* ---- sizes ---- */

TEST(a_line_of_many_megabytes_is_a_row)
{
    enum { LETTERS = 30 * 1000 * 1000 };
    char *const text = malloc(LETTERS + 100);
    assert_non_null(text);
    const int begin = sprintf(text, "a,b\n1,\"");
    memset(text + begin, 'x', LETTERS);
    strcpy(text + begin + LETTERS, "\"\n2,y\n");
    gb_table *const d = gb_table_of_text(t, "long", text);
    assert_fine(t);
    const gb_table_column *const b = gb_table_find(d, "b");
    assert_int_equal(strlen(b->levels[0]), LETTERS);
    assert_null(gb_table_doubles(d, "b"));
    assert_rejected(t, GB_ETYPE, "xxx…\" is no finite number");
    gb_table_free(d);
    free(text);
}

TEST(a_million_columns_are_read_and_more_are_rejected)
{
    enum { COLUMNS = 1 << 20 };
    char *const text = malloc(8 * COLUMNS + 100);
    assert_non_null(text);
    for (int more = 0; more < 2; more++) {
        memset(text, 0, 8);
        for (int i = 0, at = 0; i < COLUMNS + more; i++)
            at += sprintf(text + at, i + 1 < COLUMNS + more ? "%d," : "%d\n", i % 10);
        gb_table *const d = gb_table_read(t, "wide", .text = text, .no_header = true);
        if (more) {
            assert_null(d);
            assert_rejected(t, GB_EFILE, "wide, line 1: more than 1,048,576 columns");
        } else {
            assert_int_equal(gb_table_columns(d), COLUMNS);
            assert_true(*gb_table_doubles(d, "1048576") == (COLUMNS - 1) % 10);
        }
        gb_table_free(d);
    }
    free(text);
}

/* The least double, written out, has 1074 digits after the comma. */
TEST(all_digits_of_a_number_are_read_with_a_decimal_comma)
{
    char text[1200];
    const double least = 0x1p-1074;
    snprintf(text, sizeof text, "a\n%.1074f\n", least);
    text[3] = ',';
    gb_table *const d = gb_table_read(t, "d", .text = text, .decimal_comma = true);
    assert_fine(t);
    assert_true(gb_table_find(d, "a")->number[0] >= least && gb_table_find(d, "a")->number[0] <= least);
    gb_table_free(d);
}

TEST(the_line_of_each_row_is_known)
{
    gb_table *const d =
        gb_table_read(t, "d", .text = "# c\na,b\n\n1,\"x\r\ny\n\"\r\n\n2,z\n3,w", .comment = '#');
    const int64_t lines[] = {4, 8, 9};
    assert_int_equal(gb_table_rows(d), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(gb_table_line(d, i), lines[i]);
    assert_int_equal(gb_table_line(d, 3), 0);
    assert_int_equal(gb_table_line(d, -1), 0);
    gb_table_free(d);
}
