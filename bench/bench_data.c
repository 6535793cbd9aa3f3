/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to numbers, and bytes to batches of floats. The file is in memory of the system, so the disk has no
 * part in it. */
#include <grebe/data/table.h>
#include <grebe/models/batches.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "bench.h"
#include "hand.h"

enum { COLUMNS = 10, ROWS = 100000, IMAGES = 60000, PIXELS = 784, BATCH = 128 };

/* ---- text ---- */

/* Numbers of so many digits; returns megabytes. */
static double write_text(const char *path, const char *packed, int digits)
{
    FILE *file = fopen(path, "wb");
    gzFile zip = gzopen(packed, "wb");
    gb_bench_need(file && zip, NULL, "a file cannot be made");
    double bytes = 0;
    for (int row = -1; row < ROWS; row++) {
        char line[512];
        int used = 0;
        for (int k = 0; k < COLUMNS; k++) {
            used += row < 0 ? sprintf(line + used, "c%d", k)
                            : sprintf(line + used, "%.*g", digits, gb_bench_random(-100, 100));
            used += sprintf(line + used, k + 1 < COLUMNS ? "," : "\n");
        }
        fwrite(line, 1, (size_t)used, file);
        gzwrite(zip, line, (unsigned)used);
        bytes += used;
    }
    fclose(file);
    gzclose(zip);
    return bytes / 1e6;
}

static void read_text(void *path)
{
    gb_tape *tape = gb_tape_new(.threads = 1);
    gb_table *d = gb_table_read(tape, path);
    gb_bench_need(d != NULL, tape, "a table");
    gb_table_free(d);
    gb_tape_free(tape);
}

static void compare_text(int digits, double target)
{
    char path[] = "/tmp/grebe_bench.csv", packed[] = "/tmp/grebe_bench.csv.gz";
    const double megabytes = write_text(path, packed, digits);
    gb_hand_text hand = {.path = path, .number = gb_bench_zeros(ROWS * COLUMNS * sizeof(double))};
    gb_hand_text_run(&hand);
    gb_tape *tape = gb_tape_new(.threads = 1);
    gb_table *d = gb_table_read(tape, path);
    gb_bench_agree("numbers", ROWS * COLUMNS, gb_table_numbers(d, "*").at, hand.number, 0);
    gb_table_free(d);
    gb_tape_free(tape);
    gb_bench_time time[3];
    gb_bench_measure(3, (gb_bench_job[]){{gb_hand_text_run, &hand}, {read_text, path}, {read_text, packed}},
                     time);
    char what[64];
    snprintf(what, sizeof what, "a table, numbers of %d digits", digits);
    gb_bench_row(what, target < 1 ? "≤ 0.7 × strtod" : "≤ 1 × strtod",
                 gb_bench_passes(time[1].ratio <= target), "%.0f MB/s, %.2f times; packed by gzip %.0f MB/s",
                 megabytes / time[1].seconds, time[1].ratio, megabytes / time[2].seconds);
    remove(path);
    remove(packed);
    free(hand.number);
}

/* ---- batches ---- */

static void next_batch(void *data)
{
    if (!gb_next_batch(data))
        gb_next_batch(data);
}

static void compare_batches(void)
{
    uint8_t *bytes = gb_bench_zeros(IMAGES * PIXELS);
    uint32_t *order = gb_bench_zeros(IMAGES * sizeof *order);
    for (size_t i = 0; i < IMAGES * PIXELS; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 24);
    for (int i = 0; i < IMAGES; i++)
        order[i] = (uint32_t)gb_bench_random(0, IMAGES);
    gb_hand_bytes hand = {.rows = BATCH,
                          .columns = PIXELS,
                          .count = IMAGES,
                          .byte = bytes,
                          .order = order,
                          .scale = 1.0F / 255,
                          .batch = gb_bench_zeros(BATCH * PIXELS * sizeof(float))};
    gb_tape *tape = gb_tape_new(.threads = 1, .real = GB_FLOAT);
    const gb_node x = gb_input_rows(tape, "x", gb_shape(PIXELS));
    const gb_column_list columns = GB_COLUMNS({x, gb_numbers_scaled(gb_bytes(bytes), 1. / 255, 0)});
    gb_batches *all = gb_batches_new(tape, .rows = IMAGES, .batch = BATCH, .name = "all", .columns = columns),
               *windows =
                   gb_batches_new(tape, .rows = IMAGES, .batch = BATCH, .window = 4096, .columns = columns);
    gb_bench_need(all && windows, tape, "batches");
    gb_bench_time time[3];
    gb_bench_measure(
        3, (gb_bench_job[]){{gb_hand_bytes_run, &hand}, {next_batch, all}, {next_batch, windows}}, time);
    gb_bench_row("a batch of 128 × 784 bytes, as floats", "≤ 2 × by hand",
                 gb_bench_passes(time[1].ratio <= 2),
                 "%.0f µs, %.2f times; in windows of 4,096 rows %.2f times", 1e6 * time[1].seconds,
                 time[1].ratio, time[2].ratio);
    gb_tape_free(tape);
    free(hand.batch);
    free(order);
    free(bytes);
}

int main(void)
{
    gb_bench_begin("Data: 1,000,000 numbers of a CSV file; batches of bytes that stay bytes");
    compare_text(6, 0.7);
    compare_text(17, 1);
    compare_batches();
}
