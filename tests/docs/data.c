/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every line that docs/data.md has for columns and parts. */
#include <stdio.h>
#include <stdlib.h>

#include <grebe/grebe.h>

static void need(bool holds, gb_tape *t, const char *what)
{
    if (holds && gb_error(t) == GB_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, gb_error_text(t));
    exit(1);
}

/* ---- files ---- */

static void write_file(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void read_images(gb_tape *t, gb_node x, gb_node label)
{
    gb_array *images = gb_array_read(t, "train-images-idx3-ubyte.gz");
    gb_array *labels = gb_array_read(t, "train-labels-idx1-ubyte.gz");
    gb_batches *data =
        gb_batches_new(t, .batch = 128,
                       .columns = GB_COLUMNS({x, gb_numbers_scaled(gb_array_numbers(images), 1. / 255, 0)},
                                             {label, gb_array_numbers(labels)}));
    if (!data) /* there is no such file here */
        gb_forgive(t);
    gb_array_free(images);
    gb_array_free(labels);
}

static void read_options(gb_tape *t)
{
    gb_table *const all[] = {gb_table_read(t, "a", .text = "a;b\n1,5;2,5\n", .decimal_comma = true),
                             gb_table_read(t, "b", .text = "zip,county\n01234,1\n", .texts = "zip, county"),
                             gb_table_read(t, "c", .text = "x\n1\n-9\n", .missing = "-9"),
                             gb_table_read(t, "d", .text = "x\n1\n.\nNaN\n", .missing = ".,NaN"),
                             gb_table_read(t, "e", .text = "# c\nx\n1\n", .comment = '#')};
    need(gb_table_find(all[1], "zip")->level_count == 1, t, "levels");
    need(gb_table_find(all[3], "x")->missing == 2, t, "missing");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gb_table_free(all[i]);
}

/* ---- columns ---- */

static void feed(gb_tape *t, gb_column column)
{
    need(gb_next_batch(gb_batches_new(t, .rows = 3, .columns = gb_columns_of(1, &column))), t, "a batch");
}

static void feed_all(gb_tape *t, gb_node x, gb_node label)
{
    const double xs[] = {1, 2, 3}, a = 2, b = 1;
    const float halves[] = {0.5F, 1, 1.5F};
    const uint8_t labels[] = {0, 1, 2};
    const int32_t small[] = {0, 1, 2};
    const int64_t counts[] = {0, 1, 2};
    gb_table *const d = gb_table_of_text(t, "d", "a,b,kind\n1,2,x\n3,4,y\n5,6,z\n");
    const gb_node two = gb_input_rows(t, "two", gb_shape(2)), three = gb_input_rows(t, "three", gb_shape(3));
    const gb_column columns[] = {{x, gb_doubles(xs)},
                                 {x, gb_floats(halves)},
                                 {label, gb_bytes(labels)},
                                 {label, gb_int32s(small)},
                                 {label, gb_int64s(counts)},
                                 {two, gb_table_numbers(d, "a, b")},
                                 {label, gb_table_levels(d, "kind")},
                                 {three, gb_table_one_hot(d, "kind")},
                                 {x, gb_numbers_scaled(gb_doubles(xs), a, b)}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        feed(t, columns[i]);
    gb_table_free(d);
}

/* ---- parts ---- */

static void split_all(gb_tape *t, int64_t rows)
{
    gb_table *const d = gb_table_of_set(t, "groups");
    write_file("index_test_0.txt", "3\n1\n");
    for (int which = 0; which < 4; which++) {
        gb_split *const s =
            which == 0   ? gb_split_new(t, rows, .test = 0.1, .validate = 0.2)
            : which == 1 ? gb_split_new(t, rows, .test = 50, .by = gb_table_levels(d, "group"))
            : which == 2 ? gb_split_new(t, rows, .folds = 10, .fold = 3)
                         : gb_split_new(t, rows, .test_rows = gb_rows_read(t, "index_test_0.txt"));
        need(s && s->train.count + s->validate.count + s->test.count == (size_t)rows, t, "a split");
        gb_split_free(s);
    }
    const int64_t some[] = {0, 2}, others[] = {1, 3};
    const gb_rows test = gb_rows_of(2, some), train = gb_rows_of(2, others);
    gb_split *const s = gb_split_new(t, 4, .test_rows = test, .train_rows = train);
    need(s != NULL, t, "both lists");
    gb_split_free(s);
    gb_table_free(d);
    remove("index_test_0.txt");
}

int main(void)
{
    gb_tape *const t = gb_tape_new(.seed = 1, .threads = 1);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), label = gb_input_rows_ints(t, "label", gb_shape());
    read_options(t);
    feed_all(t, x, label);
    split_all(t, 96);
    read_images(t, x, label);
    gb_tape_free(t);
    return 0;
}
