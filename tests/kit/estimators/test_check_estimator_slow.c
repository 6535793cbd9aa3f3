/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kit for estimators finds what is wrong, and says it by name. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "kit/check_estimator.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/parts.h"

/* ---- what the kit says ---- */

typedef struct listener {
    const char *words;
    bool heard;
} listener;

static void listen(void *user, bool passed, const char *text)
{
    listener *const l = user;
    l->heard |= !passed && strstr(text, l->words);
}

/* The kit fails it on a statement, and one of the failures holds `words`. */
static void caught_on(const char *statement, gb_estimator estimator, const char *words)
{
    listener l = {.words = words};
    gb_report report = {.size = sizeof report, .each = listen, .user = &l};
    assert_false(gb_check_estimator(estimator, .report = &report, .only = statement));
    if (!l.heard)
        fail_msg("no \"%s\" among the failures; the first of %zu is \"%s\"", words, report.failures,
                 report.failure[0]);
}

static void caught_of(gb_estimator estimator, const char *statement)
{
    caught_on(statement, estimator, statement);
}

static void caught(const gb_estimator_type *type, const char *statement)
{
    caught_of(gb_estimator_of(type, NULL), statement);
}

static const char RIGHT_GRADIENT[] = "its gradient has the mean of the expectation's";

static const char *lacks_bernoulli(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_bernoulli_type ? NULL : "choice between 0 and 1";
}

static gb_node stopped_draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static gb_node the_cost(const gb_site *site, gb_node cost)
{
    (void)site;
    return cost;
}

static gb_node score(const gb_site *site, gb_node cost)
{
    return gb_inject_score(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), cost);
}

/* A right one, to begin with: faults differ from it in one slot. */
#define SCORE_LIKE                                                                                           \
    .size = sizeof(gb_estimator_type), .name = "mine", .formula = "f d log q(z)",                            \
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES, .draw = stopped_draw

TEST(an_estimator_from_outside_passes)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = score};
    gb_report report = {.size = sizeof report};
    if (!gb_check_estimator(gb_estimator_of(&type, NULL), .report = &report))
        fail_msg("%s", report.failure[0]);
    assert_true(report.checks > 8);
}

/* ---- planted faults ---- */

static gb_node mean_of_all(const gb_site *site, const void *options, gb_node cost)
{
    (void)site, (void)options;
    return gb_mean_over(cost, GB_SAMPLES);
}

TEST(a_baseline_that_contains_its_own_sample_is_caught)
{
    static const gb_baseline_type type = {
        .size = sizeof(gb_baseline_type), .name = "mean", .formula = "the mean of f", .value = mean_of_all};
    caught_of(gb_score(.baseline = {.type = &type}), RIGHT_GRADIENT);
}

/* The variance of the costs with 1 / S, where an unbiased one has 1 / (S - 1). */
static gb_node divided_by_all(const gb_site *site, gb_node cost)
{
    const gb_node off = gb_sub(cost, gb_mean_over(cost, GB_SAMPLES));
    return gb_inject_score(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), off);
}

TEST(vargrad_that_divides_by_the_number_of_samples_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = divided_by_all};
    caught(&type, RIGHT_GRADIENT);
}

/* n / (n - 1) is 2 for two samples, so this factor of 2 is right for two samples only. */
static gb_node twice_off_the_mean(const gb_site *site, gb_node cost)
{
    const gb_node off = gb_scale(gb_sub(cost, gb_mean_over(cost, GB_SAMPLES)), 2);
    return gb_inject_score(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), off);
}

TEST(what_is_right_for_two_samples_only_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = twice_off_the_mean};
    caught(&type, RIGHT_GRADIENT);
}

/* Update, then use: the average holds the run's own cost, which shows where estimates are made one by one. */
static gb_node updated_average(const gb_site *site, const void *options, gb_node cost)
{
    (void)options;
    const gb_node before = gb_site_variable(site, "baseline", gb_shape(), 0);
    const gb_node now = gb_mean_over(cost, gb_node_axes(cost));
    const gb_node next = gb_scale(gb_add(before, now), 0.5);
    gb_site_assigns(site, before, next);
    return next;
}

TEST(a_moving_average_that_is_updated_before_it_is_used_is_caught)
{
    static const gb_baseline_type type = {.size = sizeof(gb_baseline_type),
                                          .name = "update_then_use",
                                          .formula = "the mean of earlier runs and this one",
                                          .value = updated_average};
    caught_of(gb_score(.baseline = {.type = &type}), "while it learns");
}

static gb_node without_the_costs_gradient(const gb_site *site, gb_node cost)
{
    return gb_inject_score(gb_stop(cost), gb_site_log_prob(site), cost);
}

TEST(a_dropped_term_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal,
                                           .combine = without_the_costs_gradient};
    caught(&type, "also if the cost depends on the parameters themselves");
}

static gb_node stopped_score(const gb_site *site, gb_node cost)
{
    return gb_inject_score(cost, gb_stop(gb_site_log_prob(site)), cost);
}

TEST(a_stop_in_the_wrong_place_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = stopped_score};
    caught(&type, RIGHT_GRADIENT);
}

TEST(the_naive_gradient_that_forgets_the_density_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = the_cost};
    caught(&type, RIGHT_GRADIENT);
}

/* Pairs z, 2 mu - z, each the baseline of the other: twice the gradient. */
static int64_t two(const gb_site *site)
{
    (void)site;
    return 2;
}

static gb_node pair(gb_site *site)
{
    const gb_node z = gb_sample(site->q, site->noise, site->axes);
    const gb_node mirrored = gb_sub(gb_scale(site->q.param[0], 2), z);
    return gb_stop(gb_stack(2, (const gb_node[]){z, mirrored}, 0));
}

static gb_node log_prob_of(const gb_site *site, int64_t evaluation)
{
    return gb_site_sum(site, gb_log_prob(site->q, gb_stop(gb_site_value(site, evaluation))));
}

static gb_node left_out_of_pairs(const gb_site *site, gb_node costs)
{
    const gb_node a = gb_evaluation(costs, 0), b = gb_evaluation(costs, 1);
    const gb_node half = gb_scale(gb_sub(a, b), 0.5);
    gb_node mean = gb_scale(gb_add(a, b), 0.5);
    mean = gb_inject_score(mean, log_prob_of(site, 0), half);
    return gb_inject_score(mean, log_prob_of(site, 1), gb_neg(half));
}

TEST(leaving_one_out_of_an_antithetic_pair_is_caught)
{
    gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = left_out_of_pairs};
    type.draw = pair;
    type.expansion = GB_PROBES;
    type.evaluations = two;
    type.first_order = type.drops_own_path = true;
    caught(&type, RIGHT_GRADIENT);
}

/* ---- elements of a batch ---- */

/* The score of each half of a pair z, 2 m - z, a half each. */
static gb_node half_and_half(const gb_site *site, gb_node costs)
{
    const gb_node each = gb_scale(costs, 0.5);
    return gb_inject(gb_sum(each), gb_site_log_probs(site), each);
}

/* Mirrored about the mean of all elements. */
static gb_node pair_about_one_mean(gb_site *site)
{
    const gb_node z = gb_sample(site->q, site->noise, site->axes);
    const gb_node mirrored = gb_sub(gb_scale(gb_mean(site->q.param[0]), 2), z);
    return gb_stop(gb_stack(2, (const gb_node[]){z, gb_broadcast(mirrored, gb_node_shape(z))}, 0));
}

static gb_node scores(const gb_site *site)
{
    return gb_log_prob(site->q, gb_stop(site->values));
}

static gb_node mean_of_scores(const gb_site *site, gb_node costs)
{
    const gb_node each = gb_scale(costs, 0.5), log_q = scores(site);
    const bool is_batch = gb_node_shape(log_q).rank > 1;
    return gb_inject(gb_sum(each), is_batch ? gb_mean_along(log_q, gb_axis(1)) : gb_site_log_probs(site),
                     each);
}

static gb_node all_scores_but_the_last(const gb_site *site, gb_node costs)
{
    const gb_node each = gb_scale(costs, 0.5), log_q = scores(site);
    const gb_shape shape = gb_node_shape(log_q);
    if (shape.rank < 2)
        return gb_inject(gb_sum(each), gb_site_log_probs(site), each);
    return gb_inject(gb_sum(each), gb_sum_along(gb_slice(log_q, 1, 0, shape.size[1] - 1), gb_axis(1)), each);
}

static const struct batch_fault {
    const char *name;
    gb_node (*draw)(gb_site *);
    gb_node (*combine)(const gb_site *, gb_node);
    bool is_right;
} batch_faults[] = {
    {"pairs of a batch pass", pair, half_and_half, true},
    {"a mirror at the mean of a batch is caught", pair_about_one_mean, half_and_half, false},
    {"a mean of scores for their sum is caught", pair, mean_of_scores, false},
    {"a score of the last element that is left out is caught", pair, all_scores_but_the_last, false}};

TEST_EACH(elements_of_a_batch_are_told_apart, batch_faults)
{
    const struct batch_fault *const fault = row;
    gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = fault->combine};
    gb_report report = {.size = sizeof report};
    type.draw = fault->draw;
    type.expansion = GB_PROBES;
    type.evaluations = two;
    type.first_order = type.drops_own_path = true;
    if (!fault->is_right)
        caught(&type, "also for a batch of draws");
    else if (!gb_check_estimator(gb_estimator_of(&type, NULL), .report = &report))
        fail_msg("%s", report.failure[0]);
    (void)t;
}

/* As a loop that stops at 8. */
static gb_node scores_of_the_first_eight(const gb_site *site, gb_node cost)
{
    const gb_node log_q = gb_log_prob(site->q, gb_stop(site->values));
    const gb_shape shape = gb_node_shape(log_q);
    const bool is_long = shape.rank > 0 && shape.size[0] > 8;
    const gb_node kept = is_long ? gb_sum(gb_slice(log_q, 0, 0, 8)) : gb_site_log_prob(site);
    return gb_inject_score(gb_site_drop_own_path(site, cost), kept, cost);
}

static gb_node clipped(const gb_site *site, gb_node cost)
{
    return gb_inject_score(gb_site_drop_own_path(site, cost), gb_site_log_prob(site),
                           gb_clip(cost, -1000, 1000));
}

TEST(a_loop_that_ends_at_eight_numbers_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal,
                                           .combine = scores_of_the_first_eight};
    caught(&type, "also for a draw of many numbers");
    (void)t;
}

TEST(a_cost_that_is_clipped_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = clipped};
    caught(&type, "its gradient is in proportion to the cost, also of a large one");
    (void)t;
}

static gb_node less_the_mean_over_rows(const gb_site *site, gb_node cost)
{
    const gb_node f = site->per & GB_ROWS ? gb_sub(cost, gb_mean_over(cost, GB_ROWS)) : cost;
    return gb_inject_score(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), f);
}

TEST(a_mean_over_rows_that_contains_the_row_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal,
                                           .combine = less_the_mean_over_rows};
    caught(&type, "also for a draw for each row");
    static const gb_estimator_type of_choices = {SCORE_LIKE, .lacks = lacks_bernoulli,
                                                 .combine = less_the_mean_over_rows};
    caught(&of_choices, "also for a draw for each row");
}

static gb_node concrete(gb_site *site)
{
    return gb_rsample(gb_dist_relaxed(site->q, gb_num(site->q.tape, 0.5)), site->noise, site->axes);
}

TEST(a_relaxation_declared_unbiased_is_caught)
{
    gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_bernoulli, .combine = the_cost};
    type.draw = concrete;
    type.relaxes = true;
    type.needs |= GB_NEEDS_SMOOTH_COST;
    caught(&type, RIGHT_GRADIENT);
    type.bias = "draws lie between 0 and 1";
    gb_report report = {.size = sizeof report};
    if (!gb_check_estimator(gb_estimator_of(&type, NULL), .report = &report))
        fail_msg("%s", report.failure[0]);
}

TEST(straight_through_declared_unbiased_is_caught)
{
    gb_estimator_type type = gb_straight_through_estimator_type;
    gb_estimator mine = gb_straight_through();
    type.bias = NULL;
    mine.type = &type;
    caught_of(mine, RIGHT_GRADIENT);
}

TEST(a_bias_that_is_none_is_caught)
{
    gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = score};
    type.bias = "so they say";
    caught_on(NULL, gb_estimator_of(&type, NULL), "the bias that its type declares can be seen");
}

static gb_node twice(const gb_site *site, gb_node cost)
{
    return gb_add(score(site, cost), gb_stop(cost));
}

TEST(a_wrong_value_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = twice};
    caught(&type, "its value has the mean of the cost");
}

/* Its gradient is right, and the gradient of that is not: inject instead of inject_score. */
static gb_node once(const gb_site *site, gb_node cost)
{
    return gb_inject(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), cost);
}

TEST(wrong_second_gradients_are_caught_unless_they_are_rejected)
{
    gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_normal, .combine = once};
    caught(&type, "gradients of its gradient are correct, or rejected by name");
    type.first_order = true;
    assert_true(gb_check_estimator(gb_estimator_of(&type, NULL)));
}

TEST(a_struct_that_is_not_complete_is_caught)
{
    gb_estimator_type type = {SCORE_LIKE, .combine = score};
    type.size--;
    caught_on(NULL, gb_estimator_of(&type, NULL), "its size");
    type.size++;
    type.formula = NULL;
    caught_on(NULL, gb_estimator_of(&type, NULL), "no formula");
    type.formula = "f";
    type.expansion = GB_PROBES;
    caught_on(NULL, gb_estimator_of(&type, NULL), "how many");
    caught_on(NULL, (gb_estimator){0}, "there is none");
}

static const char *lacks_all(const gb_dist *q, const void *options)
{
    (void)q, (void)options;
    return "thing that there is not";
}

static void count_others(void *user, bool passed, const char *text)
{
    (void)passed;
    if (!strstr(text, "while it learns") && !strstr(text, "its struct is complete") &&
        !strstr(text, "recorded and run without an error") && !strstr(text, "the mean of the cost"))
        ++*(int *)user;
}

TEST(statements_that_were_not_asked_for_are_not_looked_at)
{
    int others = 0;
    gb_report report = {.size = sizeof report, .each = count_others, .user = &others};
    assert_true(gb_check_estimator(gb_score(.baseline = gb_moving_average()), .report = &report,
                                   .only = "while it learns"));
    assert_true(report.checks > 1);
    assert_int_equal(others, 0);
    listener l = {.words = ".only is \"wile\", and no statement has these words"};
    report = (gb_report){.size = sizeof report, .each = listen, .user = &l};
    assert_false(gb_check_estimator(gb_score(), .report = &report, .only = "wile"));
    assert_true(l.heard);
}

TEST(one_that_fits_nothing_is_caught)
{
    static const gb_estimator_type type = {SCORE_LIKE, .lacks = lacks_all, .combine = score};
    caught_on(NULL, gb_estimator_of(&type, NULL), "it fits a problem");
}

/* ---- needs that a type forgets ---- */

static const char NEEDS[] = "a cost against its needs is rejected";
static const char REJECTED[] = "a distribution that it does not fit is rejected";
static const char RIGHT_OWN[] = "also if the cost contains the log q of the draw";

enum {
    OF_COSTS = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS | GB_NEEDS_SMOOTH_COST | GB_NEEDS_SLOPES
};
enum { OF_BOUNDS = GB_NEEDS_BOUND | GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_OWN_LOG_PROB };

/* Of each estimator every need that it declares. Where `words` is NULL the kit cannot notice, for the reason
 * that stands there. */
static const struct forgotten {
    const char *name, *estimator;
    unsigned need;
    const char *words;
} forgotten[] = {
    {"pathwise, rsample", "pathwise", GB_NEEDS(GB_CAN_RSAMPLE), REJECTED},
    {"pathwise, smooth cost", "pathwise", GB_NEEDS_SMOOTH_COST, NEEDS},
    {"antithetic, separate samples", "pathwise:draws=antithetic", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"sobol, separate samples", "pathwise:draws=sobol", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"score, fixed support", "score", GB_NEEDS_FIXED_SUPPORT, RIGHT_GRADIENT},
    {"score, separate samples", "score", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"vargrad, fixed support", "vargrad", GB_NEEDS_FIXED_SUPPORT, RIGHT_GRADIENT},
    {"vargrad, separate samples", "vargrad", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"sticking, rsample", "sticking_the_landing", GB_NEEDS(GB_CAN_RSAMPLE), REJECTED},
    {"sticking, fixed support", "sticking_the_landing", GB_NEEDS_FIXED_SUPPORT, RIGHT_OWN},
    {"sticking, smooth cost", "sticking_the_landing", GB_NEEDS_SMOOTH_COST, NEEDS},
    /* Without log q in the cost it is pathwise, and right. */
    {"sticking, own log q", "sticking_the_landing", GB_NEEDS_OWN_LOG_PROB, NULL},
    /* Its draw rejects parameters of which no measure is known, with a message of its own. */
    {"measure, measure", "measure", GB_NEEDS(GB_CAN_MEASURE), NULL},
    {"measure, separate samples", "measure", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"measure, separate rows", "measure", GB_NEEDS_SEPARATE_ROWS, "must return one number for each sample"},
    {"arm, separate samples", "arm", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"disarm, separate samples", "disarm", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"arms, separate samples", "arms", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"bitflip, separate samples", "bitflip", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"bitflip, separate rows", "bitflip", GB_NEEDS_SEPARATE_ROWS, NEEDS},
    {"ugc, separate samples", "ugc", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"ugc, separate rows", "ugc", GB_NEEDS_SEPARATE_ROWS, NEEDS},
    {"arsm, separate samples", "arsm", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"disarm_iw, separate samples", "disarm_iw", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"disarm_sb, separate samples", "disarm_sb", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"disarm_tree, separate samples", "disarm_tree", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"rebar, separate samples", "rebar", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"rebar, smooth cost", "rebar", GB_NEEDS_SMOOTH_COST, NEEDS},
    {"relax, separate samples", "relax", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    /* gb_dist_mean rejects a distribution without one, with a message of its own. */
    {"muprop, mean", "muprop", GB_NEEDS(GB_CAN_MEAN), NULL},
    {"muprop, fixed support", "muprop", GB_NEEDS_FIXED_SUPPORT, RIGHT_GRADIENT},
    {"muprop, separate samples", "muprop", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    /* All draws of a case are its own, and at their means together. */
    {"muprop, slopes", "muprop", GB_NEEDS_SLOPES, NULL},
    {"double_cv, separate samples", "double_cv", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    /* Beside draws of several evaluations they reject to take slopes, with a message of their own. */
    {"double_cv, slopes", "double_cv", GB_NEEDS_SLOPES, NULL},
    {"rodeo, separate samples", "rodeo", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"rodeo, slopes", "rodeo", GB_NEEDS_SLOPES, NULL},
    {"relaxed, relax", "relaxed", GB_NEEDS(GB_CAN_RELAX), REJECTED},
    {"relaxed, smooth cost", "relaxed", GB_NEEDS_SMOOTH_COST, NEEDS},
    /* Its function `lacks` says the same. */
    {"straight_through, relax", "straight_through", GB_NEEDS(GB_CAN_RELAX), NULL},
    {"straight_through, smooth cost", "straight_through", GB_NEEDS_SMOOTH_COST, NEEDS},
    {"straight_through_mean, smooth cost", "straight_through_mean", GB_NEEDS_SMOOTH_COST, NEEDS},
    {"reinmax, smooth cost", "reinmax", GB_NEEDS_SMOOTH_COST, NEEDS},
    {"gumbel_rao, smooth cost", "gumbel_rao", GB_NEEDS_SMOOTH_COST, NEEDS},
    /* It is pathwise in the weight, at 0 or at the weight itself: almost nowhere at a jump. */
    {"dropout, smooth cost", "dropout", GB_NEEDS_SMOOTH_COST, NULL},
    {"enumerate, enumerate", "enumerate", GB_NEEDS(GB_CAN_ENUMERATE), REJECTED},
    {"enumerate, separate samples", "enumerate", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"enumerate, separate rows", "enumerate", GB_NEEDS_SEPARATE_ROWS, NEEDS},
    {"sum_and_sample, enumerate", "sum_and_sample", GB_NEEDS(GB_CAN_ENUMERATE), REJECTED},
    {"sum_and_sample, separate samples", "sum_and_sample", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"sum_and_sample, separate rows", "sum_and_sample", GB_NEEDS_SEPARATE_ROWS,
     "must return one number for each sample"},
    {"unordered_set, enumerate", "unordered_set", GB_NEEDS(GB_CAN_ENUMERATE), REJECTED},
    {"unordered_set, separate samples", "unordered_set", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"unordered_set, separate rows", "unordered_set", GB_NEEDS_SEPARATE_ROWS,
     "must return one number for each sample"},
    {"gumbel_top_k, enumerate", "gumbel_top_k", GB_NEEDS(GB_CAN_ENUMERATE), REJECTED},
    {"gumbel_top_k, separate samples", "gumbel_top_k", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"gumbel_top_k, separate rows", "gumbel_top_k", GB_NEEDS_SEPARATE_ROWS,
     "must return one number for each sample"},
    {"components, separate samples", "components", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"components, separate rows", "components", GB_NEEDS_SEPARATE_ROWS,
     "must return one number for each sample"},
    {"components, smooth cost", "components", GB_NEEDS_SMOOTH_COST, NEEDS},
    {"quadrature, separate samples", "quadrature", GB_NEEDS_SEPARATE_SAMPLES, NEEDS},
    {"quadrature, separate rows", "quadrature", GB_NEEDS_SEPARATE_ROWS, NEEDS},
    {"quadrature, smooth cost", "quadrature", GB_NEEDS_SMOOTH_COST, NEEDS},
    {"dreg, rsample", "dreg", GB_NEEDS(GB_CAN_RSAMPLE), REJECTED},
    {"gdreg, rsample", "gdreg", GB_NEEDS(GB_CAN_RSAMPLE), REJECTED},
    {"stl_as_published, rsample", "stl_as_published", GB_NEEDS(GB_CAN_RSAMPLE), REJECTED},
    /* Estimators of bounds are tried with smooth log weights of one draw that contain log q, over fixed
     * supports. Without a bound, the functions that they call reject; sleep has no gradient in q at all. */
    {"dreg, others", "dreg", OF_BOUNDS | GB_NEEDS_SMOOTH_COST | GB_NEEDS_LATER_PATHS, NULL},
    {"gdreg, others", "gdreg", OF_BOUNDS | GB_NEEDS_SMOOTH_COST | GB_NEEDS_LATER_PATHS, NULL},
    {"stl_as_published, others", "stl_as_published", OF_BOUNDS | GB_NEEDS_SMOOTH_COST, NULL},
    {"vimco, others", "vimco", OF_BOUNDS, NULL},
    {"ovis, others", "ovis", OF_BOUNDS | GB_NEEDS_SEPARATE_SAMPLES, NULL},
    {"ovis_asymptotic, others", "ovis_asymptotic", OF_BOUNDS, NULL},
    {"wake, others", "wake", OF_BOUNDS, NULL},
    {"path_covariance, others", "path_covariance", OF_BOUNDS, NULL},
    {"sleep, others", "sleep", GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_OWN_LOG_PROB | GB_NEEDS_MODEL, NULL},
};

static unsigned joint_draws(const void *options)
{
    (void)options;
    return GB_JOINS_SAMPLES;
}

TEST_EACH(a_forgotten_need_is_caught, forgotten)
{
    const struct forgotten *const f = row;
    gb_estimator mine;
    char error[128];
    assert_true(gb_estimator_parse(f->estimator, &mine, error, sizeof error));
    gb_estimator_type type = *mine.type;
    assert_true(gb_estimator_needs(mine) & f->need);
    if (GB_HAS(&type, needs_with) && !(type.needs & f->need))
        type.needs_with = joint_draws;
    type.needs &= ~f->need;
    mine.type = &type;
    assert_false(gb_estimator_needs(mine) & f->need);
    if (f->words)
        caught_on(f->need & OF_COSTS ? NEEDS : f->words, mine, f->words);
}

/* The table above leaves out none. */
TEST(all_needs_are_forgotten_once)
{
    size_t count;
    const gb_estimator_type *const *const all = gb_estimators(&count);
    for (size_t i = 0; i < count; i++) {
        unsigned left = all[i]->needs;
        for (size_t k = 0; k < sizeof forgotten / sizeof *forgotten; k++)
            if (strcmp(forgotten[k].estimator, all[i]->name) == 0)
                left &= ~forgotten[k].need;
        if (left != 0)
            fail_msg("%s: needs %x are not in the table", all[i]->name, left);
    }
}

/* ---- problems from outside ---- */

static gb_node cube(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(1));
    const gb_node x = gb_trial_draw(trial, "x", gb_normal(mu, gb_num(trial->tape, 1)));
    return gb_mul(x, gb_square(x));
}

static gb_node wrong_mean_of_cube(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(1));
    return gb_add(gb_mul(mu, gb_square(mu)), gb_scale(mu, 2)); /* 3 would be right */
}

TEST(problems_of_ones_own_are_tried_too)
{
    static const gb_problem problem = {.size = sizeof(gb_problem),
                                       .name = "cube",
                                       .formula = "E x^3",
                                       .cost = cube,
                                       .expected = wrong_mean_of_cube};
    listener l = {.words = "cube, in mu"};
    gb_report report = {.size = sizeof report, .each = listen, .user = &l};
    assert_false(gb_check_estimator(gb_pathwise(), .report = &report, .problems = 1,
                                    .problem = (const gb_problem *const[]){&problem}));
    assert_true(l.heard);
}
