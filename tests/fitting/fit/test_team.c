/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit without optimiser, its judgement and its summary, by a team. */
#include "support/close.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/counted_memory.h"
#include "support/threads_team.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "fitting/predictive.h"
#include "fitting/summary.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

enum { ROWS = 23, INPUTS = 3, MOST = 4 };

typedef struct fitting {
    const char *name;
    gb_fit_method method;
    bool in_batches;
    double seconds; /* that only the last member has as its limit; 0: none */
    gb_fit_result result[MOST];
    double mean[MOST], sd[MOST];
    char error[MOST][400];
} fitting;

static double inputs[ROWS * INPUTS], outcomes[ROWS];

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < ROWS * INPUTS; i++)
        inputs[i] = sin(1.7 * i);
    for (int i = 0; i < ROWS; i++)
        outcomes[i] = cos(0.9 * i);
}

static void fit(gb_team *team, void *user)
{
    fitting *const f = user;
    const int rank = team ? team->rank : 0, last = team ? team->members - 1 : 0;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(INPUTS)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(INPUTS)), gb_normal(zero, one), gb_pathwise()),
                  s = gb_latent(e, "s", gb_mean_field(gb_shape()), gb_gamma(gb_num(t, 2), one),
                                gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), s), y);
    gb_batches *const data =
        gb_batches_new(t, .rows = ROWS, .batch = f->in_batches ? 8 : 0,
                       .columns = GB_COLUMNS({x, gb_doubles(inputs)}, {y, gb_doubles(outcomes)}));
    f->result[rank] = gb_fit(e, .data = data, .method = f->method, .seconds = rank == last ? f->seconds : 0);
    gb_summary_table *const summary = gb_summary(e, .data = data);
    snprintf(f->error[rank], sizeof f->error[rank], "%s", gb_error_text(t));
    const gb_summary_row *const row = gb_summary_find(summary, "w[1]");
    f->mean[rank] = row ? row->mean : (double)NAN;
    f->sd[rank] = row ? row->sd : (double)NAN;
    gb_summary_free(summary);
    gb_tape_free(t);
}

static const fitting fittings[] = {
    {.name = "fixed_draws", .method = GB_FIT_USUAL},
    {.name = "in_batches", .method = GB_FIT_USUAL, .in_batches = true},
    {.name = "pathfinder", .method = GB_FIT_PATHFINDER},
    {.name = "laplace", .method = GB_FIT_LAPLACE},
    {.name = "stochastic", .method = GB_FIT_STOCHASTIC, .in_batches = true},
};

/* Sums of other orders lead to other last digits, and so to searches of other lengths. */
TEST_EACH(a_team_finds_what_one_process_finds, fittings)
{
    const fitting *const of = row;
    fitting alone = *of;
    fit(NULL, &alone);
    assert_string_equal(alone.error[0], "");
    for (int members = 2; members <= 3; members++) {
        fitting team = *of;
        threads_team_run(members, (team_fault){0}, fit, &team);
        for (int r = 0; r < members; r++) {
            assert_string_equal(team.error[r], "");
            assert_int_equal(team.result[r].end, alone.result[0].end);
            assert_int_equal(team.result[r].verdict, alone.result[0].verdict);
            assert_true(team.result[r].elbo == team.result[0].elbo && team.mean[r] == team.mean[0]);
            assert_true(fabs(team.mean[r] - alone.mean[0]) < 0.05 * alone.sd[0]);
            assert_true(fabs(team.sd[r] - alone.sd[0]) < 0.05 * alone.sd[0]);
        }
    }
}

TEST(the_first_clock_that_has_run_out_ends_all)
{
    fitting f = {.method = GB_FIT_STOCHASTIC, .seconds = 0.01};
    threads_team_run(3, (team_fault){0}, fit, &f);
    for (int r = 0; r < 3; r++) {
        assert_string_equal(f.error[r], "");
        assert_int_equal(f.result[r].end, GB_FIT_UNFINISHED);
    }
}

/* ---- memory ---- */

typedef struct lacking {
    size_t fails_at, allocations; /* of member 1 */
    bool leaves_out;
    char error[2][400];
} lacking;

static void fit_with_less(gb_team *team, void *user)
{
    lacking *const l = user;
    counted_memory c = {.fail_at = team->rank == 1 ? l->fails_at : 0};
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team, .memory = counted(&c));
    const gb_node y = gb_input_rows(t, "y", gb_shape()), one = gb_num(t, 1);
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node m =
        gb_latent(e, "m", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), one), gb_pathwise());
    const gb_node log_p = gb_observe(e, "y", gb_normal(m, one), y);
    gb_batches *const data =
        gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({y, gb_doubles(outcomes)}));
    gb_fit(e, .data = data, .method = GB_FIT_LAPLACE);
    if (l->leaves_out)
        gb_elbo_loo(e, gb_roots(log_p), .data = data);
    snprintf(l->error[team->rank], sizeof *l->error, "%s", gb_error_text(t));
    l->allocations = team->rank == 1 ? c.asked : l->allocations;
    gb_tape_free(t);
}

TEST(a_judgement_that_lacks_memory_is_an_error_of_all)
{
    enum { LAST = 3 };
    lacking of = {0};
    threads_team_run(2, (team_fault){0}, fit_with_less, &of);
    assert_string_equal(of.error[0], "");
    for (size_t at = of.allocations - LAST; at <= of.allocations; at++) {
        lacking l = {.fails_at = at};
        threads_team_run(2, (team_fault){0}, fit_with_less, &l);
        assert_true(!l.error[0][0] == !l.error[1][0]);
        assert_null(strstr(l.error[0], "different functions"));
    }
}

TEST(leaving_out_the_rows_of_one_member_is_rejected)
{
    lacking l = {.leaves_out = true};
    threads_team_run(2, (team_fault){0}, fit_with_less, &l);
    for (int r = 0; r < 2; r++)
        assert_non_null(strstr(l.error[r], "elbo_loo: the members of a team have the data of rows apart"));
}
