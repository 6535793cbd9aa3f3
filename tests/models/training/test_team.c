/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team trains as one process does that has all rows: with every estimator that rows may carry, and through
 * gb_fit with what belongs to it. */
#include "support/close.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/threads_team.h"

#include "core/assign.h"
#include "data/standard.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "fitting/fit.h"
#include "models/checkpoint.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { ROWS = 23, BATCH = 8, INPUTS = 3, STEPS = 50, MOST = 4, NUMBERS = 8 };

static double inputs[ROWS * INPUTS], outcomes[ROWS];

/* ---- estimators ---- */

typedef enum law { OF_BITS, NORMAL, OF_CATEGORIES, OF_MASKS, OF_MIXTURES, LAWS } law;

typedef struct course {
    gb_estimator estimator;
    law law;
    gb_axes axes; /* of the draw */
    bool in_bound;
    double result[MOST][INPUTS];
    char error[MOST][400];
} course;

static gb_dist law_of(law which, gb_node at)
{
    gb_tape *const t = at.tape;
    const double slope[] = {1, -0.5, 0.2, 0};
    const gb_node slopes = gb_constant(t, gb_shape(4), gb_values_of(slope, 4));
    switch (which) {
    case OF_BITS: return gb_bernoulli_logits(at);
    case NORMAL: return gb_normal(at, gb_num(t, 0.8));
    case OF_MASKS: return gb_bernoulli_dropout(at, gb_num(t, 0.3));
    case OF_MIXTURES:
        return gb_mixture(gb_softmax(gb_mul(gb_expand(at, 0), slopes), -1),
                          gb_normal(slopes, gb_num(t, 0.8)));
    default: return gb_categorical_logits(gb_mul(gb_expand(at, 0), slopes));
    }
}

static gb_node cost_of(gb_expect *e, gb_node draw, gb_node at, gb_node y)
{
    const gb_node off = gb_sub(gb_mul(gb_to_real(draw), y), at);
    return gb_expected(e, gb_mean_over(gb_square(off), GB_ROWS));
}

/* Of each row if the draw has rows, else of all of them. */
static gb_node bound_of(gb_expect *e, gb_node draw, gb_node at, gb_node y, bool splits_prior)
{
    gb_tape *const t = at.tape;
    const gb_node one = gb_num(t, 1), z = gb_to_real(draw);
    const bool has_rows = gb_node_axes(draw) & GB_ROWS;
    const gb_dist p = gb_normal(gb_num(t, 0), gb_num(t, 2));
    const gb_node fit = gb_log_prob(gb_normal(gb_mul(z, at), one), y),
                  prior = splits_prior ? gb_draw_log_prior(e, draw, p) : gb_log_prob(p, z);
    const gb_node log_q = has_rows ? gb_draw_log_prob_of_rows(e, draw, one) : gb_draw_log_prob(e, draw, one);
    const gb_node log_weight = gb_sub(gb_add(has_rows ? fit : gb_mean_over(fit, GB_ROWS), prior), log_q);
    return gb_neg(gb_expected_bound(e, log_weight, gb_num(t, has_rows ? 0.05 : 1)));
}

static void train(gb_team *team, void *user)
{
    course *const c = user;
    const int rank = team ? team->rank : 0;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .samples = 4, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(INPUTS)), y = gb_input_rows(t, "y", gb_shape());
    const gb_node w = gb_variable(t, "w", gb_shape(INPUTS), gb_fill(0.3));
    const gb_node at = c->axes ? gb_dot(x, w) : gb_sum(w);
    const gb_estimator_type *const type = c->estimator.type;
    const gb_bound bound =
        type == &gb_path_covariance_estimator_type ? gb_thermodynamic(.draws = 3) : gb_iwae(.draws = 3);
    gb_expect *const e = gb_expect_new(t, .bound = c->in_bound ? bound : (gb_bound){0});
    const gb_node draw = gb_draw_over(e, "z", law_of(c->law, at), c->axes, c->estimator), of_x = gb_dot(x, w);
    const gb_node loss = c->in_bound ? bound_of(e, draw, of_x, y, type == &gb_gdreg_estimator_type)
                                     : cost_of(e, draw, of_x, y);
    gb_batches *const data =
        gb_batches_new(t, .rows = ROWS, .batch = BATCH,
                       .columns = GB_COLUMNS({x, gb_doubles(inputs)}, {y, gb_doubles(outcomes)}));
    gb_program *const step = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 0.02)));
    for (int i = 0; i < STEPS && gb_error(t) == GB_OK; i++) {
        if (!gb_next_batch(data))
            gb_next_batch(data);
        gb_run(step);
    }
    snprintf(c->error[rank], sizeof c->error[rank], "%s", gb_error_text(t));
    gb_forgive(t);
    gb_read(w, c->result[rank], INPUTS);
    gb_tape_free(t);
}

static bool agrees(const course *c, int members)
{
    course alone = *c, team = *c;
    train(NULL, &alone);
    threads_team_run(members, (team_fault){0}, train, &team);
    if (alone.error[0][0] && !team.error[0][0])
        fail_msg("%s: a team does what one process does not: %s", c->estimator.type->name, alone.error[0]);
    if (alone.error[0][0])
        return false;
    for (int r = 0; r < members; r++) {
        if (team.error[r][0])
            fail_msg("%s, law %d: %s", c->estimator.type->name, c->law, team.error[r]);
        for (int i = 0; i < INPUTS; i++)
            if (!(fabs(team.result[r][i] - alone.result[0][i]) <= 1e-10 * fabs(alone.result[0][i])))
                fail_msg("%s, law %d, %d members, axes %d: %.17g for %.17g", c->estimator.type->name, c->law,
                         members, c->axes != 0, team.result[r][i], alone.result[0][i]);
        assert_memory_equal(team.result[r], team.result[0], sizeof team.result[0]);
    }
    return true;
}

static void an_estimator_trains_in_a_team(gb_tape *t, const void *row)
{
    (void)t;
    const gb_estimator estimator = gb_estimator_of(row, NULL);
    int compared = 0;
    for (law of = OF_BITS; of < LAWS; of++)
        for (int which = 0; which < 4; which++)
            compared += agrees(&(course){.estimator = estimator,
                                         .law = of,
                                         .axes = which & 1 ? GB_ROWS : 0,
                                         .in_bound = which & 2},
                               3);
    if (compared == 0)
        fail_msg("%s: nothing was compared", estimator.type->name);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t count;
    for (int i = 0; i < ROWS * INPUTS; i++)
        inputs[i] = sin(1.7 * i);
    for (int i = 0; i < ROWS; i++)
        outcomes[i] = cos(0.9 * i);
    const gb_estimator_type *const *const all = gb_estimators(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i] != &gb_sleep_estimator_type) /* of an ELBO only */
            test_add(all[i]->name, an_estimator_trains_in_a_team, all[i], __LINE__, (gb_tape_options){0});
}

TEST(baselines_of_rows_see_those_of_all_members)
{
    const gb_estimator estimators[] = {
        gb_score(.baseline = gb_leave_one_row_out()), gb_score(.baseline = gb_moving_average()),
        gb_score(.baseline = gb_fitted()), gb_score(.baseline = gb_leave_one_out())};
    for (size_t i = 0; i < sizeof estimators / sizeof *estimators; i++)
        for (int members = 2; members <= MOST; members += 2)
            assert_true(
                agrees(&(course){.estimator = estimators[i], .law = OF_BITS, .axes = GB_ROWS}, members));
}

/* ---- gb_fit ---- */

/* What a training is asked, and what its members have in the end. */
typedef struct fitting {
    const char *checkpoint;
    int64_t steps, samples;
    gb_bound bound;
    bool resumes, validates, of_rows, sleeps, is_part;
    int64_t held_out;       /* rows; 0: 9 */
    int stops;              /* the member whose callback ends the training after 20 steps; −1: none */
    int fails;              /* the member that has a wrong number of rows in its data; −1: none */
    gb_optimiser optimiser; /* none: Adam */
    double clip_norm;
    bool in_one_batch;
    gb_fit_result result[MOST];
    double number[MOST][NUMBERS];
    char error[MOST][400];
} fitting;

typedef struct caller {
    const gb_team *team;
    const fitting *of;
} caller;

static bool end_early(void *user, const gb_fit_point *point)
{
    const caller *const c = user;
    return point->step < 20 || c->of->stops < 0 || (c->team && c->team->rank != c->of->stops);
}

/* Weights of all rows, a scale that is learned, and, if `of_rows`, a latent of each row, amortised. */
static gb_elbo *record(gb_tape *t, const fitting *f, gb_node x, gb_node y)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = f->samples, .bound = f->bound);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(INPUTS)), gb_normal(zero, one), gb_pathwise());
    gb_node at = gb_dot(x, w);
    if (f->of_rows) {
        const gb_node slope = gb_variable(t, "slope", gb_shape(), gb_fill(0.1));
        const gb_dist q = gb_normal(gb_mul(slope, y), gb_num(t, 0.7));
        at = gb_add(at, gb_latent(e, "z", gb_posterior_of(q), gb_normal(zero, one), gb_pathwise()));
    }
    gb_observe(e, "y", gb_normal(at, gb_num(t, 0.5)), y);
    return e;
}

static void fit(gb_team *team, void *user)
{
    fitting *const f = user;
    const int rank = team ? team->rank : 0;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(INPUTS)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = record(t, f, x, y);
    gb_batches *const data =
        gb_batches_new(t, .rows = ROWS - (team && rank == f->fails), .batch = BATCH,
                       .columns = GB_COLUMNS({x, gb_doubles(inputs)}, {y, gb_doubles(outcomes)}));
    gb_batches *const held_out =
        gb_batches_new(t, .rows = f->held_out ? f->held_out : 9, .batch = 6, .in_order = true,
                       .columns = GB_COLUMNS({x, gb_doubles(inputs + 5)}, {y, gb_doubles(outcomes)}));
    caller c = {team, f};
    f->result[rank] =
        gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .data = data, .steps = f->steps, .window = 10,
               .checkpoint = f->checkpoint, .resume = f->resumes, .validate = f->validates ? held_out : NULL,
               .validate_draws = f->validates ? 5 : 0, .patience = f->validates ? 1000 : 0, .each = end_early,
               .user = &c, .part_of_data = f->is_part);
    snprintf(f->error[rank], sizeof f->error[rank], "%s", gb_error_text(t));
    gb_forgive(t);
    gb_node variables[4];
    const size_t count = gb_node_variables(gb_elbo_loss(e), variables, 4);
    size_t at = 0;
    for (size_t i = 0; i < count && i < 4; i++) {
        const size_t numbers = gb_shape_count(gb_node_shape(variables[i]));
        gb_read(variables[i], f->number[rank] + at, numbers);
        at += numbers;
    }
    f->number[rank][7] = f->result[rank].last.validation;
    f->result[rank].point = NULL;
    if (rank == 0 && gb_error(t) != GB_OK)
        snprintf(f->error[rank], sizeof f->error[rank], "%s", gb_error_text(t));
    gb_tape_free(t);
}

static void assert_same(const fitting *team, int members, const fitting *alone)
{
    for (int r = 0; r < members; r++) {
        assert_string_equal(team->error[r], "");
        assert_int_equal(team->result[r].steps, alone->result[0].steps);
        assert_int_equal(team->result[r].end, alone->result[0].end);
        for (int i = 0; i < NUMBERS - !team->validates; i++)
            if (!(fabs(team->number[r][i] - alone->number[0][i]) <= 1e-10 * fabs(alone->number[0][i])))
                fail_msg("member %d of %d, number %d: %.17g for %.17g", r, members, i, team->number[r][i],
                         alone->number[0][i]);
    }
}

static const struct {
    const char *name;
    fitting of;
} trainings[] = {
    {"weights_of_all_rows", {.steps = 50, .samples = 1, .stops = -1, .fails = -1}},
    {"latents_of_rows", {.steps = 50, .samples = 2, .of_rows = true, .stops = -1, .fails = -1}},
    {"a_validation", {.steps = 50, .samples = 1, .validates = true, .stops = -1, .fails = -1}},
    {"few_held_out_rows",
     {.steps = 20, .samples = 1, .validates = true, .held_out = 2, .stops = -1, .fails = -1}},
    {"a_callback_of_one_ends_all", {.steps = 50, .samples = 1, .stops = 1, .fails = -1}},
};

TEST_EACH(a_fit_is_that_of_one_process, trainings)
{
    const fitting *const of = (const fitting *)(const void *)((const char *)row + sizeof(void *));
    for (int members = 1; members <= MOST; members++) {
        fitting alone = *of, together = *of;
        together.stops = together.stops < members ? together.stops : members - 1;
        fit(NULL, &alone);
        assert_string_equal(alone.error[0], "");
        threads_team_run(members, (team_fault){0}, fit, &together);
        assert_same(&together, members, &alone);
    }
}

TEST(every_optimiser_and_clipping_take_the_gradient_of_all_rows)
{
    size_t count;
    const gb_optimiser_type *const *const all = gb_optimisers(&count);
    for (size_t i = 0; i < count; i++)
        for (int clipped = 0; clipped < 2; clipped++) {
            const fitting of = {.steps = 20,
                                .samples = 1,
                                .stops = -1,
                                .fails = -1,
                                .optimiser = gb_optimiser_of(all[i], NULL),
                                .clip_norm = clipped ? 0.5 : 0,
                                .in_one_batch = true};
            fitting alone = of, together = of;
            fit(NULL, &alone);
            threads_team_run(3, (team_fault){0}, fit, &together);
            if (alone.error[0][0]) /* some clip nothing */
                assert_true(together.error[0][0] && together.error[2][0]);
            else
                assert_same(&together, 3, &alone);
        }
}

TEST(a_member_whose_data_are_wrong_stops_all_with_its_words)
{
    fitting f = {.steps = 50, .samples = 1, .stops = -1, .fails = 2};
    threads_team_run(3, (team_fault){0}, fit, &f);
    assert_non_null(strstr(f.error[2], "fit: .data has 22 rows"));
    for (int r = 0; r < 2; r++)
        assert_non_null(strstr(f.error[r], "member 2 of the team: fit: .data has 22 rows"));
}

TEST(members_with_other_data_do_not_train_together)
{
    fitting f = {.steps = 50, .samples = 1, .stops = -1, .fails = 2, .is_part = true};
    threads_team_run(3, (team_fault){0}, fit, &f);
    assert_non_null(
        strstr(f.error[2], "fit: .data has 22 rows in batches of 8, and that of the team's first"));
    for (int r = 0; r < 2; r++)
        assert_non_null(strstr(f.error[r], "member 2 of the team: fit: .data has 22 rows"));
}

TEST(a_training_goes_on_with_another_number_of_members)
{
    char file[] = "/tmp/grebe-team-XXXXXX";
    close(mkstemp(file));
    for (int first = 1; first <= 3; first++) {
        fitting alone = {.steps = 50, .samples = 1, .stops = -1, .fails = -1};
        fit(NULL, &alone);
        unlink(file);
        fitting f = alone;
        f.checkpoint = file;
        f.resumes = true;
        f.steps = 20;
        threads_team_run(first, (team_fault){0}, fit, &f);
        f.steps = 50;
        threads_team_run(4 - first, (team_fault){0}, fit, &f);
        assert_int_equal(f.result[0].before, 20);
        f.result[0].steps += 20;
        for (int r = 1; r < 4 - first; r++)
            f.result[r].steps += 20;
        assert_same(&f, 4 - first, &alone);
        fitting one = f;
        one.steps = 60;
        fit(NULL, &one); /* one process reads it */
        assert_string_equal(one.error[0], "");
        assert_int_equal(one.result[0].before, 50);
    }
    unlink(file);
}

TEST(a_file_that_cannot_be_written_is_an_error_of_all)
{
    fitting f = {.steps = 20, .samples = 1, .checkpoint = "/nowhere/at/all", .stops = -1, .fails = -1};
    threads_team_run(3, (team_fault){0}, fit, &f);
    assert_non_null(strstr(f.error[0], "checkpoint /nowhere/at/all"));
    for (int r = 1; r < 3; r++)
        assert_non_null(strstr(f.error[r], "member 0 of the team: checkpoint /nowhere/at/all"));
}

/* ---- rows of one's own ---- */

/* Three members, the first of which has 12 rows, then one or none, then the others. */
enum { SHARDS = 3, EPOCHS = 2 };
static int64_t first_of_shard[SHARDS + 1] = {0, 12, 13, ROWS};

typedef struct sharding {
    int64_t batch, window;
    bool in_order;
    int visits[SHARDS][ROWS];
    int64_t steps[SHARDS];
    double mean[SHARDS][INPUTS], sd[SHARDS][INPUTS], location[SHARDS][INPUTS];
    char error[SHARDS][400];
} sharding;

static void count_visits(gb_tape *t, sharding *s, int rank, gb_node number, gb_batches *data)
{
    double fed[ROWS];
    gb_program *const rows = gb_compile(t, gb_roots(gb_axis_size(t, GB_ROWS), number), gb_no_update);
    for (int epoch = 0; epoch < EPOCHS; epoch++)
        while (gb_next_batch(data) && gb_run(rows) == GB_OK) {
            const size_t count = gb_program_root_count(rows, 1);
            gb_read_root(rows, 1, fed);
            for (size_t i = 0; i < count; i++)
                s->visits[rank][(int)fed[i]]++;
            s->steps[rank]++;
        }
}

static void have_a_shard(gb_team *team, void *user)
{
    sharding *const s = user;
    const int rank = team ? team->rank : 0;
    const int64_t first = team ? first_of_shard[rank] : 0,
                  rows = (team ? first_of_shard[rank + 1] : ROWS) - first;
    double numbers[ROWS];
    for (int i = 0; i < ROWS; i++)
        numbers[i] = i;
    gb_tape *const t = gb_tape_new(.seed = 3, .threads = 1, .team = team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(INPUTS)), y = gb_input_rows(t, "y", gb_shape()),
                  number = gb_input_rows(t, "number", gb_shape());
    const double *const own = inputs + first * INPUTS;
    const gb_standard *const standard =
        gb_standard_new(t, gb_doubles(own), .columns = INPUTS, .rows = rows, .sharded = team != NULL);
    if (standard) {
        memcpy(s->mean[rank], gb_standard_means(standard), sizeof s->mean[rank]);
        memcpy(s->sd[rank], gb_standard_sds(standard), sizeof s->sd[rank]);
    }
    const gb_column_list columns = GB_COLUMNS({x, gb_doubles(own)}, {y, gb_doubles(outcomes + first)},
                                              {number, gb_doubles(numbers + first)});
    gb_batches *const data = gb_batches_new(t, .rows = rows, .batch = s->batch, .sharded = team != NULL,
                                            .in_order = s->in_order, .window = s->window, .columns = columns);
    count_visits(t, s, rank, number, data);
    gb_batches *const all =
        gb_batches_new(t, .rows = rows, .sharded = team != NULL, .name = "all", .columns = columns);
    gb_elbo *const e = record(t, &(fitting){.samples = 1}, x, y);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .data = all, .steps = 30);
    snprintf(s->error[rank], sizeof s->error[rank], "%s", gb_error_text(t));
    gb_forgive(t);
    gb_read(gb_variable_named(t, "w.location"), s->location[rank], INPUTS);
    gb_tape_free(t);
}

TEST(members_with_rows_of_their_own_visit_each_once_in_an_epoch)
{
    const sharding kinds[] = {
        {.batch = 8}, {.batch = 5, .window = 4}, {.batch = 8, .in_order = true}, {.batch = 1}, {.batch = 0},
        {.batch = 20}};
    const size_t count = sizeof kinds / sizeof *kinds;
    for (size_t k = 0; k < 2 * count; k++) {
        sharding alone = kinds[k % count], s = kinds[k % count];
        first_of_shard[2] = k < count ? 13 : 12;
        have_a_shard(NULL, &alone);
        assert_string_equal(alone.error[0], "");
        threads_team_run(SHARDS, (team_fault){0}, have_a_shard, &s);
        for (int r = 0; r < SHARDS; r++) {
            assert_string_equal(s.error[r], "");
            assert_int_equal(s.steps[r], alone.steps[0]);
            for (int i = 0; i < ROWS; i++)
                assert_int_equal(s.visits[r][i],
                                 i >= first_of_shard[r] && i < first_of_shard[r + 1] ? EPOCHS : 0);
            for (int j = 0; j < INPUTS; j++) {
                assert_true(fabs(s.mean[r][j] - alone.mean[0][j]) < 1e-14);
                assert_true(fabs(s.sd[r][j] - alone.sd[0][j]) < 1e-14);
                assert_true(fabs(s.location[r][j] - alone.location[0][j]) < 1e-10);
            }
        }
    }
}

/* A member's mistake, here a number that is missing, is in the words of all. */
TEST(a_missing_number_in_one_shard_is_known_to_all)
{
    first_of_shard[2] = 13;
    const double kept = inputs[12 * INPUTS + 1];
    sharding s = {.batch = 8};
    inputs[12 * INPUTS + 1] = (double)NAN;
    threads_team_run(SHARDS, (team_fault){0}, have_a_shard, &s);
    inputs[12 * INPUTS + 1] = kept;
    for (int r = 0; r < SHARDS; r++)
        assert_non_null(strstr(s.error[r], "standard: column 2 is missing (NaN) in row 0"));
}
