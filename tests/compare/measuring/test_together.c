/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons whose estimates a team shares out. */
#include "support/close.h"

#include <math.h>
#include <string.h>

#include "support/threads_team.h"

#include "compare/compare.h"
#include "estimators/list.h"

enum { MOST = 4, ESTIMATORS = 3 };

typedef struct question {
    const char *name, *problem;
    int64_t draws, batch;
    int failing; /* the member that is stopped; −1: none */
    gb_comparison *answer[MOST];
} question;

static bool go_on(void *user, double part)
{
    (void)part;
    return *(const bool *)user;
}

static void ask(gb_team *team, void *user)
{
    question *const q = user;
    const int rank = team ? team->rank : 0;
    bool goes_on = rank != q->failing;
    const bool is_of_bits = strcmp(q->problem, "bernoulli-3") == 0;
    const gb_estimator of_bits[ESTIMATORS] = {gb_disarm(), gb_score(.baseline = gb_leave_one_out()),
                                              gb_rebar(.learn = true)},
                       of_normals[ESTIMATORS] = {gb_pathwise(), gb_score(), gb_measure_valued()};
    q->answer[rank] = gb_compare(.problem = gb_problem_find(q->problem), .estimators = ESTIMATORS,
                                 .estimator = is_of_bits ? of_bits : of_normals, .draws = q->draws,
                                 .samples = is_of_bits ? 2 : 1, .batch = q->batch, .seed = 5, .threads = 1,
                                 .team = team, .progress = q->failing >= 0 ? go_on : NULL, .user = &goes_on);
}

static bool is_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(fabs(a), 1e-6);
}

static const question questions[] = {
    {.name = "many_blocks", .problem = "gauss-square", .draws = 7777, .failing = -1},
    {.name = "fewer_blocks_than_members", .problem = "gauss-square", .draws = 1500, .failing = -1},
    {.name = "rows_in_batches", .problem = "rows", .draws = 3000, .batch = 3, .failing = -1},
};

TEST_EACH(a_team_measures_what_one_process_measures, questions)
{
    question alone = *(const question *)row;
    ask(NULL, &alone);
    assert_int_equal(alone.answer[0]->status, GB_OK);
    for (int members = 1; members <= MOST; members++) {
        question q = *(const question *)row;
        threads_team_run(members, (team_fault){0}, ask, &q);
        for (int r = 0; r < members; r++) {
            if (q.answer[r]->status != GB_OK)
                fail_msg("%s", q.answer[r]->error);
            for (size_t i = 0; i < ESTIMATORS; i++) {
                const gb_compared *const a = &q.answer[r]->estimator[i], *const b =
                                                                             &alone.answer[0]->estimator[i];
                assert_true(is_near(a->total_variance, b->total_variance));
                assert_true(is_near(a->total_variance_stderr, b->total_variance_stderr));
                for (size_t j = 0; j < alone.answer[0]->parameters; j++) {
                    assert_true(is_near(a->parameter[j].mean, b->parameter[j].mean));
                    assert_true(is_near(a->parameter[j].kurtosis, b->parameter[j].kurtosis));
                    assert_true(a->parameter[j].variance == q.answer[0]->estimator[i].parameter[j].variance);
                }
            }
            if (r > 0)
                gb_comparison_free(q.answer[r]);
        }
        gb_comparison_free(q.answer[0]);
    }
    gb_comparison_free(alone.answer[0]);
}

/* What learns goes on from its own runs, so estimates differ; the law is the same. */
TEST(learners_are_shared_out_too)
{
    question alone = {.problem = "bernoulli-3", .draws = 20000, .failing = -1}, q = alone;
    ask(NULL, &alone);
    threads_team_run(2, (team_fault){0}, ask, &q);
    for (size_t i = 0; i < ESTIMATORS; i++) {
        const gb_compared *const a = &q.answer[0]->estimator[i], *const b = &alone.answer[0]->estimator[i];
        assert_true(fabs(a->total_variance - b->total_variance) <
                    6 * hypot(a->total_variance_stderr, b->total_variance_stderr));
    }
    for (int r = 0; r < 2; r++) {
        assert_int_equal(q.answer[r]->status, GB_OK);
        gb_comparison_free(q.answer[r]);
    }
    gb_comparison_free(alone.answer[0]);
}

TEST(a_member_that_is_stopped_is_known_to_all)
{
    question q = {.problem = "gauss-square", .draws = 3000000, .failing = 1};
    threads_team_run(2, (team_fault){0}, ask, &q);
    assert_int_equal(q.answer[1]->status, GB_ESTOPPED);
    assert_int_equal(q.answer[0]->status, GB_ESYSTEM);
    assert_non_null(strstr(q.answer[0]->error, "compare: member 1 of the team: compare: stopped"));
    for (int r = 0; r < 2; r++)
        gb_comparison_free(q.answer[r]);
}
