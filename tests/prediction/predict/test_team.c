/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of a team predict the rows that each of them is given. */
#include "support/close.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/threads_team.h"

#include "core/team.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "ops/matmul.h"
#include "prediction/predict.h"

enum { ROWS = 23, INPUTS = 3, MOST = 4, MOST_SEEN = 11 };

typedef struct predicting {
    const char *name;
    int members;
    int64_t rows, batch; /* that are predicted */
    bool sharded;
    size_t seen[MOST], number[MOST][MOST_SEEN];
    double mean[MOST][MOST_SEEN];
    char error[MOST][400];
} predicting;

static double inputs[ROWS * INPUTS], outcomes[ROWS];

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < ROWS * INPUTS; i++)
        inputs[i] = sin(1.7 * i);
    for (int i = 0; i < ROWS; i++)
        outcomes[i] = cos(0.9 * i);
}

static void keep(predicting *p, int rank, gb_prediction *made)
{
    p->seen[rank] = made ? made->rows : 99;
    for (size_t i = 0; made && i < made->rows; i++) {
        p->number[rank][i] = made->row[i];
        p->mean[rank][i] = made->mean[i];
    }
    gb_prediction_free(made);
}

static void predict(gb_team *team, void *user)
{
    predicting *const p = user;
    const int rank = team ? team->rank : 0;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(INPUTS)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(INPUTS)), gb_normal(zero, one), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, 0.5)), y);
    gb_batches *const data = gb_batches_new(
        t, .rows = ROWS, .columns = GB_COLUMNS({x, gb_doubles(inputs)}, {y, gb_doubles(outcomes)}));
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .data = data, .steps = 20);
    const bool is_shard = p->sharded && team;
    gb_batches *const new_rows = gb_batches_new(
        t, .rows = is_shard && rank > 0 ? 0 : p->rows, .batch = p->batch, .in_order = true,
        .sharded = is_shard, .columns = GB_COLUMNS({x, gb_doubles(inputs)}, {y, gb_doubles(outcomes)}));
    keep(p, rank, gb_predictive(e, "y", .data = new_rows, .draws = 50, .only_moments = true));
    gb_tape_any(t, false);
    snprintf(p->error[rank], sizeof p->error[rank], "%s", gb_error_text(t));
    gb_tape_free(t);
}

static const predicting predictions[] = {
    {.name = "in_batches", .members = 3, .rows = 11, .batch = 4},
    {.name = "in_one", .members = 4, .rows = 9},
    {.name = "fewer_rows_than_members", .members = 3, .rows = 2},
    {.name = "of_one_member_alone", .members = 3, .rows = 5, .sharded = true},
};

TEST_EACH(each_member_predicts_its_own_rows, predictions)
{
    predicting team = *(const predicting *)row, alone = team;
    size_t all = 0;
    predict(NULL, &alone);
    assert_string_equal(alone.error[0], "");
    threads_team_run(team.members, (team_fault){0}, predict, &team);
    for (int r = 0; r < team.members; r++) {
        assert_string_equal(team.error[r], "");
        for (size_t i = 0; i < team.seen[r]; i++)
            assert_near(team.mean[r][i], alone.mean[0][team.number[r][i]], 1e-10);
        all += team.seen[r];
    }
    assert_int_equal(all, team.rows);
}
