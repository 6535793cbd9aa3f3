/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team gives what one process gives of all rows. */
#include "support/close.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/counted_memory.h"
#include "support/threads_team.h"

#include "core/assign.h"
#include "core/gradient.h"
#include "core/graph/first_row_impl.h"
#include "core/noise.h"
#include "core/program.h"
#include "core/team.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { INPUTS = 3, OUTPUTS = 2, ROWS = 37, STEPS = 50, MOST = 5, NUMBERS = INPUTS * OUTPUTS + 3 };

/* How the rows are divided, and what the members have in the end. */
typedef struct division {
    int members;
    int64_t rows[MOST]; /* of each member */
    gb_real real;
    int64_t samples;
    double result[MOST][NUMBERS];
    gb_team_traffic traffic[MOST];
    char error[MOST][400];
    void (*change)(gb_tape *t, int rank, int step, gb_node x, gb_program *train);
} division;

static double datum(int64_t row, int column)
{
    return sin(1.7 * (double)row + 0.9 * column);
}

static void feed(const division *d, int rank, gb_node x, gb_node y)
{
    double xs[ROWS * INPUTS], ys[ROWS * OUTPUTS];
    int64_t first = 0;
    for (int i = 0; i < rank; i++)
        first += d->rows[i];
    for (int64_t r = 0; r < d->rows[rank]; r++) {
        for (int i = 0; i < INPUTS; i++)
            xs[r * INPUTS + i] = datum(first + r, i);
        for (int o = 0; o < OUTPUTS; o++)
            ys[r * OUTPUTS + o] = datum(first + r, 5 + o);
    }
    gb_feed(x, xs, d->rows[rank]);
    gb_feed(y, ys, d->rows[rank]);
}

/* A regression with noise in each row, shared noise in its weights, a mean over rows that is not linear in
 * what it takes together, a largest value, and the number of rows. */
static void train(gb_team *team, void *user)
{
    division *const d = user;
    const int rank = team ? team->rank : 0;
    gb_tape *const t =
        gb_tape_new(.seed = 3, .threads = 1, .real = d->real, .samples = d->samples, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(INPUTS)), y = gb_input_rows(t, "y", gb_shape(OUTPUTS));
    const gb_node w = gb_variable(t, "w", gb_shape(INPUTS, OUTPUTS), gb_fill(0.1)),
                  b = gb_variable(t, "b", gb_shape(), gb_fill(0)),
                  biggest = gb_variable(t, "biggest", gb_shape(), gb_fill(0));
    const gb_node ws = gb_add(
                      w, gb_scale(gb_normal_noise(gb_stream(t, "w"), gb_shape(INPUTS, OUTPUTS), GB_SAMPLES),
                                  0.1)),
                  own = gb_normal_noise(gb_stream(t, "rows"), gb_shape(OUTPUTS), GB_SAMPLES | GB_ROWS);
    const gb_node f = gb_add(gb_add(gb_matmul(x, ws), b), gb_scale(own, 0.2)),
                  off = gb_sum(gb_square(gb_sub(f, y))), rows = gb_axis_size(t, GB_ROWS);
    const gb_node spread = gb_sub(off, gb_mean_over(off, GB_ROWS)),
                  loss = gb_mean_over(gb_add(gb_mean_over(off, GB_ROWS), gb_scale(gb_square(spread), 0.01)),
                                      GB_SAMPLES | GB_ROWS);
    const gb_node largest = gb_maximum_over(gb_mean_over(off, GB_SAMPLES), GB_ROWS);
    const gb_node gw = gb_grad(loss, w), gb = gb_grad(loss, b);
    const gb_updates steps = gb_updates_join(gb_assign(w, gb_sub(w, gb_scale(gw, 0.05))),
                                             gb_assign(b, gb_sub(b, gb_scale(gb, 0.05)))),
                     updates = gb_updates_join(steps, gb_assign(biggest, largest));
    gb_program *const program = gb_compile(t, gb_roots(loss, rows), updates);
    for (int step = 0; step < STEPS; step++) {
        feed(d, rank, x, y);
        if (d->change)
            d->change(t, rank, step, x, program);
        if (gb_run(program) != GB_OK)
            break;
    }
    snprintf(d->error[rank], sizeof d->error[rank], "%s", gb_error_text(t));
    gb_forgive(t);
    gb_read(w, d->result[rank], INPUTS * OUTPUTS);
    d->result[rank][INPUTS * OUTPUTS] = gb_value(b);
    d->result[rank][INPUTS * OUTPUTS + 1] = gb_value(biggest);
    d->result[rank][INPUTS * OUTPUTS + 2] = gb_value(rows);
    gb_forgive(t);
    d->traffic[rank] = gb_tape_traffic(t);
    gb_tape_free(t);
}

static division alone_of(const division *d)
{
    division alone = {.members = 1, .rows = {ROWS}, .real = d->real, .samples = d->samples};
    train(NULL, &alone);
    assert_string_equal(alone.error[0], "");
    return alone;
}

static const struct {
    const char *name;
    division of;
    double within;
} divisions[] = {
    {"one_member", {.members = 1, .rows = {37}, .real = GB_DOUBLE, .samples = 1}, 0},
    {"two_members", {.members = 2, .rows = {20, 17}, .real = GB_DOUBLE, .samples = 1}, 1e-12},
    {"three_members", {.members = 3, .rows = {10, 1, 26}, .real = GB_DOUBLE, .samples = 1}, 1e-12},
    {"a_member_without_rows", {.members = 3, .rows = {10, 0, 27}, .real = GB_DOUBLE, .samples = 1}, 1e-12},
    {"the_first_has_none", {.members = 2, .rows = {0, 37}, .real = GB_DOUBLE, .samples = 1}, 1e-12},
    {"four_members_and_samples",
     {.members = 4, .rows = {9, 9, 1, 18}, .real = GB_DOUBLE, .samples = 4},
     1e-12},
    {"floats", {.members = 3, .rows = {10, 1, 26}, .real = GB_FLOAT, .samples = 3}, 1e-5},
};

TEST_EACH(a_team_trains_as_one_process_does, divisions)
{
    const struct {
        const char *name;
        division of;
        double within;
    } *const of = row;
    division d = of->of;
    const division alone = alone_of(&d);
    threads_team_run(d.members, (team_fault){0}, train, &d);
    for (int r = 0; r < d.members; r++) {
        assert_string_equal(d.error[r], "");
        assert_memory_equal(d.result[r], d.result[0], sizeof d.result[0]);
        for (int i = 0; i < NUMBERS; i++)
            assert_true(fabs(d.result[r][i] - alone.result[0][i]) <=
                        of->within * fmax(1, fabs(alone.result[0][i])));
        assert_int_equal(d.traffic[r].messages, d.traffic[0].messages);
    }
    assert_true(alone.result[0][NUMBERS - 1] == ROWS);
}

static void leave_out_an_input(gb_tape *t, int rank, int step, gb_node x, gb_program *program)
{
    (void)t, (void)program;
    if (rank == 1 && step == 3)
        gb_feed(x, (const double[]){1, 2, 3}, 1);
}

TEST(an_error_of_one_member_is_one_of_all)
{
    division d = {
        .members = 3, .rows = {10, 5, 22}, .real = GB_DOUBLE, .samples = 1, .change = leave_out_an_input};
    threads_team_run(3, (team_fault){0}, train, &d);
    assert_non_null(strstr(d.error[1], "was fed 5 rows, but x 1"));
    assert_non_null(strstr(d.error[0], "member 1 of the team: run: input y was fed 5 rows, but x 1"));
    assert_string_equal(d.error[2], d.error[0]);
    for (int r = 1; r < 3; r++)
        assert_memory_equal(d.result[r], d.result[0], (NUMBERS - 1) * sizeof(double));
}

static void feed_infinity(gb_tape *t, int rank, int step, gb_node x, gb_program *program)
{
    (void)t, (void)program;
    double rows[22 * INPUTS] = {0};
    rows[7] = 1e200;
    if (rank == 2 && step == 3)
        gb_feed(x, rows, 22);
}

TEST(what_is_not_finite_in_one_member_is_said_by_all)
{
    division d = {
        .members = 3, .rows = {10, 5, 22}, .real = GB_DOUBLE, .samples = 1, .change = feed_infinity};
    threads_team_run(3, (team_fault){0}, train, &d);
    for (int r = 0; r < 3; r++) {
        assert_non_null(strstr(d.error[r], "step 3"));
        assert_non_null(strstr(d.error[r], "the first "));
        assert_memory_equal(d.result[r], d.result[0], (NUMBERS - 1) * sizeof(double));
    }
}

TEST(a_member_that_leaves_ends_the_others_in_words)
{
    for (int call = 1; call < 40; call += 3) {
        division d = {.members = 3, .rows = {10, 5, 22}, .real = GB_DOUBLE, .samples = 1};
        threads_team_run(3, (team_fault){call}, train, &d);
        for (int r = 0; r < 3; r++)
            assert_non_null(strstr(d.error[r], "cannot reach the others: a member has left"));
    }
}

/* ---- members that differ ---- */

typedef struct difference {
    const char *name, *words;
    /* 1: a constant, 2: a variable, 3: an operation, 4: a variable, after the first runs, 5: axes, 6: places,
     * 7: the seed, 8: the type of reals, 9: samples that cannot be */
    int in;
} difference;

static const difference differences[] = {
    {"an_axis", "differ between the members of the team, or axes and places in its operations", 5},
    {"a_place", "differ between the members of the team, or axes and places in its operations", 6},
    {"a_seed", "their tapes have other seeds, types of reals", 7},
    {"a_type", "their tapes have other seeds, types of reals", 8},
    {"options_that_are_wrong", "tape_new: .samples is -1", 9},
    {"a_constant", "constants of the program differ", 1},
    {"a_variable", "variables have other values in another member", 2},
    {"an_operation", "have recorded different programs", 3},
    {"a_variable_that_was_set", "run: variables have other values in another member", 4},
};

typedef struct differing {
    const difference *of;
    char error[2][400];
} differing;

static void run_many(gb_team *team, void *user)
{
    differing *const d = user;
    const int odd = team->rank == 1 ? d->of->in : 0;
    gb_tape *const t =
        gb_tape_new(.seed = odd == 7 ? 4 : 3, .threads = 1, .real = odd == 8 ? GB_FLOAT : GB_DOUBLE,
                    .samples = odd == 9 ? -1 : 1, .team = team);
    const gb_node square = gb_constant(t, gb_shape(2, 2), GB_VALUES(0, 2e-3, 1e-3, 0)),
                  sums = gb_sum_along(square, gb_axis(odd == 5 ? 0 : 1)),
                  place = gb_at(sums, odd == 6 ? 0 : 1);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(odd == 2 ? 1 : 0)),
                  by = gb_scale(place, odd == 1 ? 3 : 2), next = odd == 3 ? gb_sub(w, by) : gb_add(w, by);
    gb_program *const program = gb_compile(t, gb_roots(w), gb_assign(w, next));
    for (int i = 0; i < 2100 && gb_error(t) == GB_OK; i++) {
        if (odd == 4 && i == 500)
            gb_set(w, gb_fill(7));
        gb_run(program);
    }
    snprintf(d->error[team->rank], sizeof d->error[0], "%s", gb_error_text(t));
    gb_tape_free(t);
}

TEST_EACH(members_that_differ_are_told, differences)
{
    differing d = {.of = row};
    threads_team_run(2, (team_fault){0}, run_many, &d);
    for (int r = 0; r < 2; r++)
        assert_non_null(strstr(d.error[r], d.of->words));
}

/* ---- arrays that travel alone ---- */

enum { LARGE = 70001 };

typedef struct large_sums {
    int members;
    double sum[MOST][LARGE], largest[MOST][LARGE], small[MOST];
} large_sums;

/* Σ over rows i of i + j, and the largest of them, for each j. */
static void add_many(gb_team *team, void *user)
{
    large_sums *const s = user;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(LARGE));
    const gb_node sum = gb_sum_over(x, GB_ROWS), largest = gb_maximum_over(x, GB_ROWS);
    gb_program *const program = gb_compile(t, gb_roots(sum, largest, gb_sum(sum)), gb_no_update);
    double *const rows = malloc(2 * LARGE * sizeof *rows);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < LARGE; j++)
            rows[i * LARGE + j] = 2 * team->rank + i + j;
    gb_feed(x, rows, 2);
    gb_run(program);
    gb_read_root(program, 0, s->sum[team->rank]);
    gb_read_root(program, 1, s->largest[team->rank]);
    gb_read_root(program, 2, &s->small[team->rank]);
    assert_int_equal(gb_error(t), GB_OK);
    free(rows);
    gb_tape_free(t);
}

TEST(large_arrays_are_added_up_too)
{
    large_sums *const s = calloc(1, sizeof *s);
    s->members = 3;
    threads_team_run(3, (team_fault){0}, add_many, s);
    for (int r = 0; r < 3; r++) {
        for (int j = 0; j < LARGE; j++)
            assert_true(s->sum[r][j] == 15 + 6.0 * j && s->largest[r][j] == 5 + j);
        assert_true(s->small[r] == 15.0 * LARGE + 6.0 * LARGE * (LARGE - 1) / 2);
    }
    free(s);
}

/* One member alone runs a program apart, and so has more runs than the other. */
static void run_apart(gb_team *team, void *user)
{
    char(*const error)[400] = user;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(0));
    gb_program *const step = gb_compile(t, gb_roots(w), gb_assign(w, gb_shift(w, 1))), *const apart =
                                                                                           gb_compile(
                                                                                               t, gb_roots(w),
                                                                                               gb_no_update);
    gb_program_set_apart(apart);
    for (int i = 0; i < 2100 && gb_error(t) == GB_OK; i++) {
        if (i == 3 && team->rank == 1)
            gb_run(apart);
        gb_run(step);
    }
    snprintf(error[team->rank], sizeof *error, "%s", gb_error_text(t));
    gb_tape_free(t);
}

TEST(runs_apart_do_not_matter_to_the_team)
{
    char error[2][400];
    threads_team_run(2, (team_fault){0}, run_apart, error);
    for (int r = 0; r < 2; r++)
        assert_string_equal(error[r], "");
}

/* ---- rows by themselves ---- */

enum { PLACES = 11 };

typedef struct placing {
    const char *name;
    int members;
    int64_t rows[MOST];
    gb_real real;
    double seen[MOST][4 * PLACES], sum[MOST];
    char error[MOST][400];
} placing;

/* Each row has a number of its own from noise, and its place; both meet three numbers of the row. */
static void have_places(gb_team *team, void *user)
{
    placing *const p = user;
    const int rank = team ? team->rank : 0;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .real = p->real, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(3));
    const gb_node own = gb_normal_noise(gb_stream(t, "own"), gb_shape(), GB_ROWS),
                  at = gb_axis_index(t, GB_ROWS);
    const gb_node seen = gb_add(x, gb_add(own, at)), sum = gb_sum(gb_sum_over(gb_mul(x, at), GB_ROWS));
    gb_program *const program = gb_compile(t, gb_roots(seen, sum), gb_no_update);
    double xs[3 * PLACES];
    int64_t first = 0;
    for (int r = 0; r < rank; r++)
        first += p->rows[r];
    for (int64_t i = 0; i < 3 * p->rows[rank]; i++)
        xs[i] = cos((double)(3 * first + i));
    for (int run = 0; run < 2; run++) { /* the second run is of the same plan */
        gb_feed(x, xs, p->rows[rank]);
        gb_run(program);
    }
    gb_read_root(program, 0, p->seen[rank]);
    gb_read_root(program, 1, &p->sum[rank]);
    snprintf(p->error[rank], sizeof p->error[rank], "%s", gb_error_text(t));
    gb_tape_free(t);
}

static const placing placings[] = {
    {.name = "a_row_each", .members = 2, .rows = {1, 1}},
    {.name = "a_row_beside_many", .members = 3, .rows = {3, 1, 7}},
    {.name = "rows_beside_none", .members = 3, .rows = {0, 1, 2}},
    {.name = "one_for_all", .members = 4, .rows = {2, 0, 1, 0}},
    {.name = "in_floats", .members = 3, .rows = {1, 5, 1}, .real = GB_FLOAT},
};

TEST_EACH(rows_have_the_noise_and_the_places_of_one_process, placings)
{
    placing team = *(const placing *)row, alone = {.members = 1, .real = team.real};
    for (int r = 0; r < team.members; r++)
        alone.rows[0] += team.rows[r];
    have_places(NULL, &alone);
    assert_string_equal(alone.error[0], "");
    threads_team_run(team.members, (team_fault){0}, have_places, &team);
    int64_t first = 0;
    for (int r = 0; r < team.members; first += team.rows[r++]) {
        assert_string_equal(team.error[r], "");
        assert_near(team.sum[r], alone.sum[0], team.real == GB_FLOAT ? 1e-4 : 1e-12);
        for (int64_t i = 0; i < 3 * team.rows[r]; i++)
            assert_true(team.seen[r][i] == alone.seen[0][3 * first + i]);
    }
}

/* ---- what is rejected ---- */

typedef struct rejected {
    int which;
    char error[3][400];
} rejected;

static void use_places(gb_team *team, void *user)
{
    rejected *const j = user;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape());
    const gb_node fixed = gb_constant(t, gb_shape(2), GB_VALUES(1, 2));
    const gb_node y = j->which == 0 ? gb_select(x, GB_ROWS, 4) : gb_mul(x, gb_hide(fixed, GB_ROWS));
    gb_program *const program = gb_compile(t, gb_roots(gb_sum_over(y, GB_ROWS)), gb_no_update);
    gb_feed(x, (const double[]){1, 2, 3, 4, 5, 6}, team->rank == 0 ? 6 : 2);
    gb_run(program);
    snprintf(j->error[team->rank], sizeof *j->error, "%s", gb_error_text(t));
    gb_tape_free(t);
}

TEST(rows_by_their_places_are_rejected_alike)
{
    static const char *const words[] = {"run: select (node 2) takes or gives rows by their places",
                                        "takes or gives rows by their places"};
    for (int which = 0; which < 2; which++) {
        rejected j = {.which = which};
        threads_team_run(3, (team_fault){0}, use_places, &j);
        for (int r = 0; r < 3; r++)
            assert_non_null(strstr(j.error[r], words[which]));
    }
}

/* ---- members that go ---- */

static void go_early(gb_team *team, void *user)
{
    char(*const error)[400] = user;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(0));
    gb_program *const step = gb_compile(t, gb_roots(w), gb_assign(w, gb_shift(w, 1)));
    if (team->rank == 1)
        gb_add(w, (gb_node){0});
    gb_run(team->rank == 1 ? NULL : step);
    snprintf(error[team->rank], sizeof *error, "%s", gb_error_text(t));
    gb_tape_free(t);
}

static void go_on_alone(gb_team *team, void *user)
{
    char(*const error)[400] = user;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(0));
    gb_program *const step = gb_compile(t, gb_roots(w), gb_assign(w, gb_shift(w, 1)));
    for (int i = 0; i < (team->rank == 1 ? 2 : 5); i++)
        gb_run(step);
    snprintf(error[team->rank], sizeof *error, "%s", gb_error_text(t));
    gb_tape_free(t);
}

TEST(a_member_that_goes_says_why)
{
    char error[3][400];
    threads_team_run(3, (team_fault){0}, go_early, error);
    assert_non_null(strstr(error[0], "member 1 of the team: add: an argument is no node"));
    assert_string_equal(error[2], error[0]);
    threads_team_run(3, (team_fault){0}, go_on_alone, error);
    assert_string_equal(error[0], "member 1 of the team: it has freed its tape");
    assert_string_equal(error[2], error[0]);
}

/* ---- the search for what is not finite ---- */

typedef struct searching {
    size_t fails_at, allocations; /* of member 1 */
    char error[3][400];
} searching;

/* The mean over rows is 1 / rows times a sum, and member 2 has a number whose square is infinite. */
static void meet_infinity(gb_team *team, void *user)
{
    searching *const s = user;
    const int rank = team ? team->rank : 2;
    counted_memory c = {.fail_at = rank == 1 ? s->fails_at : 0};
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team, .memory = counted(&c));
    const gb_node x = gb_input_rows(t, "x", gb_shape());
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(0.2));
    const gb_node each = gb_div(w, gb_axis_size(t, GB_ROWS));
    const gb_node loss = gb_mean_over(gb_square(gb_mul(x, each)), GB_ROWS);
    gb_program *const program = gb_compile(t, gb_roots(loss), gb_assign(w, gb_grad(loss, w)));
    gb_feed(x, (const double[]){1, rank == 2 ? 1e200 : 2}, rank == 0 ? 0 : 2);
    gb_run(program);
    snprintf(s->error[rank], sizeof *s->error, "%s", gb_error_text(t));
    if (rank == 1)
        s->allocations = c.asked;
    gb_tape_free(t);
}

TEST(the_search_finds_what_one_process_finds)
{
    searching alone = {0}, team = {0};
    meet_infinity(NULL, &alone);
    const char *const made = strstr(alone.error[2], "was made by");
    assert_non_null(made);
    threads_team_run(3, (team_fault){0}, meet_infinity, &team);
    assert_non_null(strstr(team.error[2], made));
    for (int r = 0; r < 2; r++)
        assert_non_null(strstr(team.error[r], "was made by"));
}

/* The first two allocations are the tape's own: without them there is none, and its member has no words. */
TEST(a_member_without_memory_is_not_waited_for)
{
    searching of = {0};
    threads_team_run(3, (team_fault){0}, meet_infinity, &of);
    for (size_t at = 1; at <= of.allocations; at++) {
        searching s = {.fails_at = at};
        threads_team_run(3, (team_fault){0}, meet_infinity, &s);
        for (int r = 0; r < 3; r++)
            if (!strstr(s.error[r], at > 2 || r == 1 ? "memory" : "member 1 of the team: it has no memory"))
                fail_msg("allocation %zu, member %d: %s", at, r, s.error[r]);
    }
}
