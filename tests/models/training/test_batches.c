/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches: every row once in an epoch, in an order that the seed decides. */
#include "support/close.h"

#include "models/batches.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { ROWS = 11, WIDTH = 2 };

typedef struct data {
    double x[ROWS * WIDTH];
    int64_t k[ROWS];
} data;

static data numbered(void)
{
    data d;
    for (int i = 0; i < ROWS; i++) {
        d.x[i * WIDTH] = i;
        d.x[i * WIDTH + 1] = 100 + i;
        d.k[i] = 1000 + i;
    }
    return d;
}

typedef struct reader {
    gb_tape *t;
    gb_node x, k;
    gb_program *look;
    gb_batches *batches;
} reader;

static reader reader_of(const data *d, uint64_t seed, gb_real real, int64_t batch, bool in_order)
{
    reader r = {.t = test_tape(.seed = seed, .real = real)};
    const gb_node x = gb_input_rows(r.t, "x", gb_shape(WIDTH)), k = gb_input_rows_ints(r.t, "k", gb_shape());
    r.x = gb_scale(x, 1);
    r.k = gb_to_real(k);
    r.look = gb_compile(r.t, gb_roots(r.x, r.k), gb_no_update);
    r.batches = gb_batches_new(r.t, .rows = ROWS, .batch = batch, .in_order = in_order,
                               .columns = GB_COLUMNS({x, gb_doubles(d->x)}, {k, gb_int64s(d->k)}));
    assert_non_null(r.batches);
    return r;
}

/* One epoch: the rows in the order they came. Returns how many batches. */
static int read_epoch(const reader *r, int order[ROWS])
{
    int batches = 0, seen = 0;
    for (; gb_next_batch(r->batches); batches++) {
        double x[ROWS * WIDTH], k[ROWS];
        assert_int_equal(gb_run(r->look), GB_OK);
        const size_t rows = gb_value_count(r->k);
        assert_true(rows <= (size_t)(ROWS - seen));
        gb_read(r->x, x, rows * WIDTH);
        gb_read(r->k, k, rows);
        for (size_t i = 0; i < rows; i++) {
            order[seen++] = (int)x[i * WIDTH];
            assert_true(x[i * WIDTH + 1] == 100 + x[i * WIDTH] && k[i] == 1000 + x[i * WIDTH]);
        }
    }
    assert_int_equal(gb_error(r->t), GB_OK);
    assert_int_equal(seen, ROWS);
    return batches;
}

static bool is_sorted(const int order[ROWS])
{
    for (int i = 0; i < ROWS; i++)
        if (order[i] != i)
            return false;
    return true;
}

TEST(every_epoch_has_each_row_once)
{
    const data d = numbered();
    for (int real = 0; real < 2; real++)
        for (int64_t batch = 1; batch <= ROWS + 1; batch++) {
            reader r = reader_of(&d, 1, real ? GB_FLOAT : GB_DOUBLE, batch, false);
            for (uint64_t epoch = 0; epoch < 4; epoch++) {
                int order[ROWS];
                bool seen[ROWS] = {false};
                assert_int_equal(gb_batches_at(r.batches).epoch, epoch);
                assert_int_equal(read_epoch(&r, order), gb_batches_count(r.batches));
                for (int i = 0; i < ROWS; i++) {
                    assert_false(seen[order[i]]);
                    seen[order[i]] = true;
                }
                assert_true(batch < ROWS ? !is_sorted(order) : is_sorted(order));
            }
        }
}

TEST(the_seed_decides_the_order_and_epochs_differ)
{
    const data d = numbered();
    int order[4][ROWS];
    reader a = reader_of(&d, 1, GB_DOUBLE, 3, false), b = reader_of(&d, 1, GB_FLOAT, 5, false),
           c = reader_of(&d, 2, GB_DOUBLE, 3, false);
    read_epoch(&a, order[0]);
    read_epoch(&a, order[1]);
    read_epoch(&b, order[2]);
    read_epoch(&c, order[3]);
    assert_memory_equal(order[0], order[2], sizeof order[0]);
    assert_memory_not_equal(order[0], order[1], sizeof order[0]);
    assert_memory_not_equal(order[0], order[3], sizeof order[0]);
}

TEST(in_order_means_from_first_to_last)
{
    const data d = numbered();
    int order[ROWS];
    reader r = reader_of(&d, 1, GB_DOUBLE, 4, true);
    for (int epoch = 0; epoch < 2; epoch++) {
        assert_int_equal(read_epoch(&r, order), 3);
        assert_true(is_sorted(order));
    }
}

/* All places are equally likely for a row: χ² over 4,400 epochs with 10 degrees of freedom, for each of the
 * 11 rows. The bound 60 is passed by chance with a probability of 4e-9. */
TEST(every_place_is_as_likely_for_every_row)
{
    enum { EPOCHS = 4400 };
    const data d = numbered();
    static int count[ROWS][ROWS];
    reader r = reader_of(&d, 3, GB_DOUBLE, 4, false);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        int order[ROWS];
        read_epoch(&r, order);
        for (int i = 0; i < ROWS; i++)
            count[order[i]][i]++;
    }
    for (int row = 0; row < ROWS; row++) {
        double square = 0;
        const double expected = (double)EPOCHS / ROWS;
        for (int i = 0; i < ROWS; i++)
            square += pow(count[row][i] - expected, 2) / expected;
        assert_true(square < 60);
    }
}

TEST(going_to_a_place_repeats_what_came_after_it)
{
    const data d = numbered();
    reader r = reader_of(&d, 1, GB_DOUBLE, 4, false);
    int order[ROWS];
    read_epoch(&r, order);
    gb_next_batch(r.batches);
    const gb_batches_place place = gb_batches_at(r.batches);
    double first[4 * WIDTH], again[4 * WIDTH];
    assert_true(gb_next_batch(r.batches) && gb_run(r.look) == GB_OK);
    gb_read(r.x, first, 4 * WIDTH);
    reader other = reader_of(&d, 1, GB_DOUBLE, 4, false);
    assert_int_equal(gb_batches_go(other.batches, place), GB_OK);
    assert_true(gb_next_batch(other.batches) && gb_run(other.look) == GB_OK);
    gb_read(other.x, again, 4 * WIDTH);
    assert_memory_equal(first, again, sizeof first);
    assert_int_equal(gb_batches_go(other.batches, (gb_batches_place){.row = 3}), GB_EARGUMENT);
    assert_rejected(other.t, GB_EARGUMENT, "batches: no batch of 4 rows begins at row 3 of 11");
}

TEST(two_orders_need_two_names)
{
    const data d = numbered();
    const gb_node x = gb_input_rows(t, "x", gb_shape(WIDTH));
    assert_non_null(gb_batches_new(t, .rows = ROWS, .batch = 4, .columns = GB_COLUMNS({x, gb_doubles(d.x)})));
    assert_non_null(gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({x, gb_doubles(d.x)})));
    assert_non_null(gb_batches_new(t, .rows = ROWS, .batch = 4, .in_order = true,
                                   .columns = GB_COLUMNS({x, gb_doubles(d.x)})));
    assert_null(gb_batches_new(t, .rows = ROWS, .batch = 4, .columns = GB_COLUMNS({x, gb_doubles(d.x)})));
    assert_rejected(t, GB_ENAME, "give each a name of its own: gb_batches_new(…, .name =");
    assert_non_null(gb_batches_new(t, .rows = ROWS, .batch = 4, .name = "test rows",
                                   .columns = GB_COLUMNS({x, gb_doubles(d.x)})));
}

TEST(integers_that_a_float_tape_cannot_have_are_rejected, .real = GB_FLOAT)
{
    const gb_node index = gb_input_rows_ints(t, "index", gb_shape(2));
    const int64_t fit[] = {INT32_MAX, INT32_MIN, 0, 1}, too_large[] = {0, 1, 5000000000, 2};
    assert_non_null(gb_batches_new(t, .rows = 2, .columns = GB_COLUMNS({index, gb_int64s(fit)})));
    assert_null(gb_batches_new(t, .rows = 2, .columns = GB_COLUMNS({index, gb_int64s(too_large)})));
    assert_rejected(t, GB_ELIMIT,
                    "batches: column index, row 1, element 0: 5000000000 does not fit the 32-bit integers");
}

TEST(what_makes_no_batches_is_rejected)
{
    const data d = numbered();
    const gb_node x = gb_input_rows(t, "x", gb_shape(WIDTH)), one = gb_input(t, "one", gb_shape());
    assert_null(gb_batches_new(t, .columns = GB_COLUMNS({x, gb_doubles(d.x)})));
    assert_rejected(t, GB_EARGUMENT, "batches: .rows is 0");
    assert_null(gb_batches_new(t, .rows = ROWS));
    assert_rejected(t, GB_EARGUMENT, "there are 0 columns");
    assert_null(gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({one, gb_doubles(d.x)})));
    assert_rejected(t, GB_EARGUMENT, "batches: column 1 is input one, and must be an input with rows");
    assert_null(gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({gb_add(x, x), gb_doubles(d.x)})));
    assert_rejected(t, GB_EARGUMENT, "batches: column 1 is add, and must be an input with rows");
    assert_null(gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({x, gb_doubles(NULL)})));
    assert_rejected(t, GB_EARGUMENT, "batches: column x has no values");
    assert_null(gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({(gb_node){0}, gb_doubles(d.x)})));
    assert_rejected(t, GB_ENODE, "batches: column 1 has no usable input");
    assert_null(
        gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({x, gb_doubles(d.x)}, {x, gb_doubles(d.x)})));
    assert_rejected(t, GB_EARGUMENT, "batches: columns 1 and 2 are both of input x");
    assert_false(gb_next_batch(NULL));
    assert_null(gb_batches_new(NULL, .rows = 1));
}
