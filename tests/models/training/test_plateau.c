/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When numbers have stopped falling: at the rate of false stops that
 * is stated, and when there is no noise. */
#include "support/close.h"

#include "models/plateau.h"
#include "ops/draws.h"

enum { WINDOW = 10 };

/* The mean of log over the last quarter, less that over the one before. */
static const double LOG_QUARTER = 0.33979807359079484;

/* What a sequence is without its noise. */
typedef struct shape_of_fall {
    double by_log; /* falls so much with each factor e: from quarter to quarter always the same */
    double by_step;
} shape_of_fall;

static double value_at(const shape_of_fall *s, size_t i)
{
    return -s->by_log * log((double)(i + 1)) - s->by_step * (double)i;
}

/* Returns the number at which the plateau is reached; 0: never. */
static size_t stopped_at(gb_plateau_options options, const shape_of_fall *s, const double *noise,
                         size_t count)
{
    gb_plateau p = {.options = options};
    for (size_t begin = 0; begin + WINDOW <= count; begin += WINDOW) {
        double mean = 0, squares = 0;
        for (size_t i = 0; i < WINDOW; i++) {
            const double x = value_at(s, begin + i) + noise[begin + i], off = x - mean;
            mean += off / (double)(i + 1);
            squares += off * (x - mean);
        }
        if (gb_plateau_reached(&p, mean, squares / (WINDOW - 1)))
            return begin + WINDOW;
    }
    return 0;
}

/* Returns in how many of the cases the plateau is reached, for sequences of `each` numbers with noise of
 * standard deviation 1. */
static size_t cases_stopped(gb_plateau_options options, shape_of_fall s, size_t cases, size_t each)
{
    gb_tape *t = gb_tape_new(.seed = 11, .threads = 1);
    double *const noise = malloc(cases * each * sizeof *noise);
    const gb_shape shape = gb_shape((int64_t)cases, (int64_t)each);
    assert_int_equal(gb_read(gb_normal_noise(gb_stream(t, "noise"), shape, 0), noise, cases * each), GB_OK);
    size_t stopped = 0;
    for (size_t c = 0; c < cases; c++)
        stopped += stopped_at(options, &s, noise + c * each, each) > 0;
    free(noise);
    gb_tape_free(t);
    return stopped;
}

/* A training that gets better by just the improvement at each comparison, all of them together. The share is
 * allowed 6 of its standard errors: above that by chance with probability 1e-9. */
TEST(what_still_falls_by_the_improvement_is_stopped_as_rarely_as_stated)
{
    const double rates[] = {0.01, 0.05, 0.3};
    enum { CASES = 2000, EACH = 64 * WINDOW * 4 };
    for (size_t i = 0; i < 3; i++) {
        const gb_plateau_options o = {.improvement = 0.5, .false_stop = rates[i]};
        const shape_of_fall just = {.by_log = 0.5 / LOG_QUARTER};
        const double share = (double)cases_stopped(o, just, CASES, EACH) / CASES;
        assert_true(share <= rates[i] + 6 * sqrt(rates[i] / CASES));
        if (i < 2)
            continue;
        assert_true(share > 0.02); /* it is at its bound, and not just deaf */
        const shape_of_fall less = {.by_log = 0.2 / LOG_QUARTER};
        assert_true(cases_stopped(o, less, CASES / 10, EACH) > CASES / 20);
    }
}

/* A twentieth of the noise from quarter to quarter: the usual improvement would end most of such trainings,
 * unless quarters so long that the fall is beyond doubt count. Some end before there are any. */
TEST(a_fall_that_is_certain_is_no_end)
{
    enum { CASES = 10, EACH = 400000 };
    const shape_of_fall small = {.by_log = 0.05 / LOG_QUARTER};
    const size_t by_size = cases_stopped((gb_plateau_options){.improvement = 0.1}, small, CASES, EACH);
    assert_true(by_size > CASES / 2);
    assert_true(2 * cases_stopped((gb_plateau_options){0}, small, CASES, EACH) < by_size);
}

/* Half of the noise's variance is remembered for some 40 numbers, a quarter of those before the
 * first comparison. A test that took it for fresh in each block would end more than half of the sequences. A
 * few look like a rise that has ended. */
TEST(noise_that_is_remembered_is_no_end, .seed = 12)
{
    enum { CASES = 400, EACH = 6400, TAU = 40 };
    double *const noise = malloc(2 * EACH * sizeof *noise);
    const gb_node draws = gb_normal_noise(gb_stream(t, "noise"), gb_shape(2, EACH), 0);
    gb_program *const draw = gb_compile(t, gb_roots(draws), gb_no_update);
    const shape_of_fall just = {.by_log = 0.1 / LOG_QUARTER};
    const double keeps = exp(-1.0 / TAU);
    size_t stopped = 0;
    for (int c = 0; c < CASES; c++) {
        assert_int_equal(gb_run(draw), GB_OK);
        gb_read(draws, noise, 2 * EACH);
        double slow = 0;
        for (size_t i = 0; i < EACH; i++) {
            slow = keeps * slow + sqrt(1 - keeps * keeps) * noise[EACH + i];
            noise[i] += slow;
        }
        stopped += stopped_at((gb_plateau_options){0}, &just, noise, EACH) > 0;
    }
    assert_true(stopped < CASES / 5);
    free(noise);
}

/* By 1/250 of its noise with each number: windows that are compared
 * with the one before show nothing of it. */
TEST(a_slow_rise_that_no_window_shows_is_seen)
{
    const shape_of_fall slow = {.by_step = 0.004};
    assert_int_equal(cases_stopped((gb_plateau_options){0}, slow, 100, 20000), 0);
}

TEST(what_stays_is_found_out)
{
    const shape_of_fall none = {0};
    assert_int_equal(cases_stopped((gb_plateau_options){0}, none, 50, 60000), 50);
    assert_int_equal(cases_stopped((gb_plateau_options){.improvement = 0.5}, none, 100, 5000), 100);
}

TEST(without_noise_it_ends_at_rest_and_not_before)
{
    const gb_plateau_options all[] = {{0}, {.improvement = 1e-3}};
    for (size_t i = 0; i < 2; i++) {
        gb_plateau rests = {.options = all[i]}, falls = rests;
        size_t windows = 1;
        while (!gb_plateau_reached(&rests, -0.1, 0) && windows < 100)
            windows++;
        assert_int_equal(windows, 16);
        for (int w = 0; w < 5000; w++)
            assert_false(gb_plateau_reached(&falls, -w * 1e-2, 8e-8));
    }
}

TEST(options_that_make_no_sense_are_reported)
{
    const char *words;
    assert_true(gb_plateau_fits(&(gb_plateau_options){0}, &words));
    assert_null(words);
    const gb_plateau_options wrong[] = {{.improvement = -1}, {.improvement = INFINITY}, {.improvement = NAN},
                                        {.false_stop = 0.5}, {.false_stop = -0.1},      {.false_stop = NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(gb_plateau_fits(&wrong[i], &words));
        assert_non_null(strstr(words, i < 3 ? "the improvement must be" : "must be below 1/2"));
    }
}
