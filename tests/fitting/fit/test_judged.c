/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fit says of itself: other starts, a verdict, and words. */
#include "support/close.h"

#include <stdlib.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "fitting/fit.h"
#include "fitting/judge.h"
#include "fitting/normal_target.h"
#include "fitting/summary.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

static gb_fit_result says(gb_fit_result r, gb_tape *t, gb_verdict verdict, const char *words)
{
    assert_fine(t);
    if (r.verdict != verdict || !strstr(r.words, words))
        fail_msg("\"%s\" is without \"%s\", or is no verdict \"%s\"", r.words, words,
                 gb_verdict_text(verdict));
    return r;
}

static gb_elbo *normals(gb_tape *t, int n, gb_family family)
{
    normal_target a;
    normal_target_fill(&a, n, 10, 3, 1, 7);
    return normal_target_elbo(t, &a, family);
}

TEST(a_fit_of_a_normal_is_good_in_words)
{
    const gb_fit_result r =
        says(gb_fit(normals(t, 4, gb_full_rank(gb_shape(4)))), t, GB_VERDICT_GOOD, "good\n");
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    assert_non_null(strstr(r.words, "\n3 other starts agree\n"));
    assert_non_null(strstr(r.words, "\nconverged: from "));
    assert_int_equal(r.judgement->verdict, GB_VERDICT_GOOD);
    assert_int_equal(r.judgement->starts, 3);
}

TEST(a_mean_field_that_cannot_is_not_good)
{
    normal_target a;
    normal_target_fill(&a, 3, 100, 3, 1, 7);
    const gb_fit_result r = gb_fit(normal_target_elbo(t, &a, gb_mean_field(gb_shape(3))));
    assert_fine(t);
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    assert_true(r.verdict < GB_VERDICT_GOOD_HERE);
}

/* Each mode is a normal; `share` is that of the second one. */
static gb_elbo *modes(gb_tape *t, double distance, double share, double location)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(), .location = location), gb_no_prior,
                                gb_pathwise()),
                  one = gb_num(t, 1);
    const gb_dist first = gb_normal(gb_num(t, 0), one), second = gb_normal(gb_num(t, distance), one);
    gb_factor(e, "modes",
              gb_logaddexp(gb_shift(gb_log_prob(first, w), log1p(-share)),
                           gb_shift(gb_log_prob(second, w), log(share))));
    return e;
}

static const struct two {
    const char *name;
    double distance, share;
} twos[] = {{"ten_apart", 10, 0.5},
            {"ten_apart_one_is_small", 10, 0.05},
            {"twenty_apart", 20, 0.5},
            {"six_apart", 6, 0.3}};

TEST_EACH(one_of_two_modes_is_not_to_be_trusted, twos)
{
    const struct two *const is = row;
    for (unsigned seed = 1; seed <= 20; seed++) {
        gb_tape *const tape = test_tape(.seed = seed);
        says(gb_fit(modes(tape, is->distance, is->share, 0)), tape, GB_VERDICT_NOT_TRUSTED,
             "ended elsewhere");
    }
}

/* 99.9 % are far from where the search begins. */
TEST(a_better_place_that_another_start_finds_is_taken)
{
    double mean, sd;
    for (unsigned seed = 1; seed <= 20; seed++) {
        gb_tape *const tape = test_tape(.seed = seed);
        gb_elbo *const e = modes(tape, 12, 0.999999, 0);
        const gb_fit_result r = says(gb_fit(e), tape, GB_VERDICT_GOOD, "negligible weight");
        gb_elbo_posterior_read(e, "w", &mean, &sd, 1);
        assert_near(mean, 12, 1e-3);
        assert_near(r.elbo, log(0.999999), 0.01);
    }
}

TEST(a_mode_of_negligible_weight_does_no_harm)
{
    says(gb_fit(modes(t, 12, 1e-6, 0)), t, GB_VERDICT_GOOD, "\nconverged");
}

TEST(an_unfinished_fit_is_judged_and_not_converged)
{
    gb_elbo *const e = modes(t, 1, 0.5, 0);
    const gb_fit_result r = says(gb_fit(e, .gradients = 10), t, GB_VERDICT_NOT_CONVERGED,
                                 "not converged\nnot converged: the limit");
    assert_int_equal(r.end, GB_FIT_UNFINISHED);
    assert_int_equal(r.judgement->starts, 0);
    assert_true(r.words[strlen(r.words) - 1] != '\n');
}

TEST(a_fit_is_not_judged_on_request)
{
    const gb_fit_result r = gb_fit(normals(t, 4, gb_full_rank(gb_shape(4))), .unjudged = true);
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    assert_int_equal(r.verdict, GB_VERDICT_NONE);
    assert_null(r.judgement);
    assert_memory_equal(r.words, "converged: from ", 16);
}

TEST(what_cannot_be_judged_is_fitted_and_said)
{
    const gb_fit_result r = says(gb_fit(normals(t, 3, gb_point(gb_shape(3)))), t, GB_VERDICT_NONE,
                                 "not judged: judge: all latents are points (such as w)");
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    assert_null(r.judgement);
}

TEST(a_family_that_is_found_by_steps_is_good_if_no_mode_was_missed)
{
    const gb_fit_result r = says(gb_fit(normals(t, 3, gb_low_rank(gb_shape(3), .rank = 2))), t,
                                 GB_VERDICT_GOOD_HERE, "starts not compared");
    assert_int_equal(r.method, GB_FIT_STOCHASTIC);
}

/* The draw is mapped onto that very support, so that no value is outside, and nothing jumps in an end. */
TEST(a_support_may_end_at_an_earlier_latent)
{
    const double root = sqrt(2 / GB_PI), mean[] = {4.5, 1.5, 3 + root, 3.75, 4};
    for (int k = 0; k < 5; k++) {
        gb_tape *const tape = test_tape();
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
        const gb_family q = gb_full_rank(gb_shape());
        const gb_node one = gb_num(tape, 1),
                      a = gb_latent(e, "a", q, gb_gamma(gb_num(tape, 3), one), gb_pathwise());
        const gb_dist prior = k == 0   ? gb_uniform(a, gb_scale(a, 2))
                              : k == 1 ? gb_uniform(gb_num(tape, 0), a)
                              : k == 2 ? gb_truncated_normal(a, one, a, gb_num(tape, INFINITY))
                              : k == 3 ? gb_pareto(a, gb_num(tape, 5))
                                       : gb_transformed(gb_exponential(one), gb_affine_transform(a, one));
        gb_latent(e, "b", q, prior, gb_pathwise());
        const gb_fit_result r = gb_fit(e);
        assert_fine(tape);
        assert_int_equal(r.end, GB_FIT_CONVERGED);
        assert_true(r.elbo < 0.01 && r.elbo > -0.5);
        assert_near(r.judgement->weights.log_evidence, 0, 0.05);
        assert_near(r.judgement->judged[1].corrected_mean.value, mean[k], 0.2);
    }
}

TEST(each_fit_has_a_judgement_of_its_own)
{
    gb_elbo *const e = normals(t, 2, gb_full_rank(gb_shape(2)));
    const gb_fit_result first = gb_fit(e), second = gb_fit(e);
    assert_true(first.judgement != second.judgement);
    assert_ptr_equal(first.judgement->density, second.judgement->density);
    assert_int_equal(first.judgement->verdict, GB_VERDICT_GOOD);
}

TEST(the_judgement_ends_with_the_recording)
{
    counted_memory memory = {0};
    gb_tape *const tape = gb_tape_new(.memory = counted(&memory));
    gb_fit(normals(tape, 2, gb_full_rank(gb_shape(2))));
    gb_tape_reset(tape);
    gb_fit(normals(tape, 2, gb_full_rank(gb_shape(2))));
    gb_tape_free(tape);
    assert_int_equal(memory.outstanding, 0);
}

/* ---- models as users write them ---- */

/* 60 data of that mean and standard deviation, and proper priors that are wide. */
static void fit_far_data(uint64_t seed, double around, double by)
{
    double y[60], mean, sd, average = 0;
    gb_tape *const t = test_tape(.seed = seed);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    for (int i = 0; i < 60; i++)
        y[i] = around + by * (i % 2 ? 1 : -1) * (0.5 + (i % 7) / 6.0);
    const gb_node mu = gb_latent(e, "mu", gb_mean_field(gb_shape()),
                                 gb_normal(gb_num(t, 0), gb_num(t, 3 * around)), gb_pathwise()),
                  sigma = gb_latent(e, "sigma", gb_mean_field(gb_shape()), gb_half_normal(gb_num(t, 3 * by)),
                                    gb_pathwise());
    gb_observe(e, "y", gb_normal(mu, sigma), gb_constant(t, gb_shape(60), gb_values_of(y, 60)));
    says(gb_fit(e), t, GB_VERDICT_GOOD, "good");
    gb_elbo_posterior_read(e, "mu", &mean, &sd, 1);
    for (int i = 0; i < 60; i++)
        average += (y[i] - around) / 60;
    assert_near(mean - around, average, 0.1 * sd);
}

/* A path from around 0 first makes sigma as large as the mean. */
TEST(data_that_are_a_million_or_more_from_the_start_are_fitted)
{
    static const double around[] = {1e6, 1e9, 1e9}, by[] = {1e3, 1e6, 1};
    for (size_t i = 0; i < 3; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            fit_far_data(seed, around[i], by[i]);
}

/* Lifetimes, of which some are only known to exceed a number. */
TEST(censored_data_are_fitted_by_survival_functions)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node scale =
        gb_latent(e, "scale", gb_mean_field(gb_shape()), gb_gamma(gb_num(t, 2), gb_num(t, 1)), gb_pathwise());
    const gb_dist law = gb_weibull(gb_num(t, 1.5), scale);
    gb_observe(e, "died", law, gb_constant(t, gb_shape(8), GB_VALUES(0.3, 0.7, 0.9, 1.2, 1.4, 1.7, 2, 2.6)));
    gb_factor(e, "lived",
              gb_sum(gb_log(gb_survival(law, gb_constant(t, gb_shape(3), GB_VALUES(2.5, 2.5, 3))))));
    says(gb_fit(e), t, GB_VERDICT_GOOD, "good");
}

/* Discrete data, and one of two parts without a prior: the ELBO may be above 0. */
TEST(a_flat_part_allows_an_elbo_above_0)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_latent_part part[] = {
        {.name = "a", .shape = gb_shape(), .prior = gb_normal(gb_num(t, 0), gb_num(t, 5))},
        {.name = "b", .shape = gb_shape(), .prior = gb_no_prior}};
    gb_node w[2];
    double x[20], y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = 1e-12 * (i - 9.5);
        y[i] = i % 3 == 0 ? i < 10 : i >= 10;
    }
    gb_latent_block(e, "w", gb_full_rank(gb_shape()), 2, part, gb_pathwise(), w);
    const gb_node line = gb_add(w[0], gb_mul(w[1], gb_constant(t, gb_shape(20), gb_values_of(x, 20))));
    gb_observe(e, "y", gb_bernoulli_logits(line), gb_constant(t, gb_shape(20), gb_values_of(y, 20)));
    const gb_fit_result r = says(gb_fit(e), t, GB_VERDICT_GOOD, "good");
    assert_true(r.elbo > 0);
}

/* Two modes 5 sd apart: the best normal lies across both, and no path leads there. */
TEST(a_normal_across_several_modes_is_found_where_it_is_the_best)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        gb_tape *const tape = test_tape(.seed = seed);
        gb_elbo *const e = modes(tape, 5, 0.5, 0);
        double mean, sd;
        says(gb_fit(e), tape, GB_VERDICT_GOOD,
             "other starts ended where draws of q reach, and their weights count");
        for (int again = 0; again < 2; again++) {
            gb_elbo_posterior_read(e, "w", &mean, &sd, 1);
            assert_near(mean, 2.5, 0.1);
            assert_near(sd, 2.394, 0.1);
            assert_near(says(gb_fit(e, .unjudged = true), tape, GB_VERDICT_NONE, "converged").elbo, -0.478,
                        0.05);
        }
    }
}

/* The fit compared other starts. So do judgements and summaries of the same q that are asked for later. */
TEST(what_a_fit_found_besides_is_known_to_later_judgements)
{
    gb_elbo *const e = modes(t, 12, 0.5, 0);
    const gb_fit_result r = says(gb_fit(e), t, GB_VERDICT_NOT_TRUSTED, "of the same ELBO");
    gb_judgement *j = gb_judge(e);
    assert_int_equal(j->verdict, GB_VERDICT_NOT_TRUSTED);
    assert_int_equal(j->starts, r.judgement->starts);
    gb_judgement_free(j);
    gb_summary_table *const s = gb_summary(e);
    assert_int_equal(s->verdict, GB_VERDICT_NOT_TRUSTED);
    assert_string_equal(s->row[0].words, "not to be trusted: a mode may be missing");
    gb_summary_free(s);
    /* Of another q nothing is known. */
    gb_set(gb_variable_named(t, "w.location"), gb_fill(0.01));
    j = gb_judge(e);
    assert_int_equal(j->starts, 0);
    gb_judgement_free(j);
}

/* The second mode has no weight until the data say so. */
TEST(what_a_fit_found_with_other_data_is_forgotten)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node p = gb_input(t, "p", gb_shape()), one = gb_num(t, 1);
    const gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "modes",
              gb_logaddexp(gb_log_prob(gb_normal(gb_num(t, 0), one), w),
                           gb_add(gb_log_prob(gb_normal(gb_num(t, 12), one), w), gb_log(p))));
    gb_feed(p, (const double[]){1e-30}, 1);
    gb_fit(e);
    gb_feed(p, (const double[]){1e-30}, 1);
    gb_judgement *j = gb_judge(e);
    assert_true(j->starts >= 3);
    gb_judgement_free(j);
    gb_feed(p, (const double[]){1}, 1);
    j = gb_judge(e);
    assert_int_equal(j->starts, 0);
    gb_judgement_free(j);
}

static bool stop_at(void *user, const gb_fit_point *point)
{
    (void)point;
    return --*(int *)user > 0;
}

static const struct ended {
    const char *name;
    int64_t gradients;
    int calls; /* the callback ends the fit at this one */
    bool unjudged;
} ends[] = {{"limit", 1, 1000000, false}, {"unjudged_limit", 1, 1000000, true}, {"callback", 0, 1, false}};

TEST_EACH(an_unfinished_fit_stays_unfinished_for_later_judgements, ends)
{
    const struct ended *const is = row;
    int left = is->calls;
    gb_elbo *const e = modes(t, 5, 1e-300, 0);
    gb_fit(e, .gradients = is->gradients, .unjudged = is->unjudged, .each = stop_at, .user = &left);
    gb_judgement *const j = gb_judge(e);
    assert_int_equal(j->verdict, GB_VERDICT_NOT_CONVERGED);
    gb_judgement_free(j);
}

/* 60 numbers, each correlated with all others. */
static gb_elbo *many_normals(gb_tape *t)
{
    enum { N = 60 };
    static double root[N * N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k <= i; k++)
            root[i * N + k] = i == k ? 1 : 0.1;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_full_rank(gb_shape(N)),
              gb_multivariate_normal(gb_zeros(t, gb_shape(N)),
                                     gb_constant(t, gb_shape(N, N), gb_values_of(root, N * N))),
              gb_pathwise());
    return e;
}

/* Whenever the caller ends it, also during the searches from other starts. */
TEST(a_caller_who_ends_a_fit_gets_no_verdict_of_a_whole_one)
{
    int stopped = 0;
    for (int calls = 1; calls < 8; calls++) {
        int left = calls;
        gb_tape *const tape = test_tape();
        const gb_fit_result r = gb_fit(many_normals(tape), .each = stop_at, .user = &left);
        if (left > 0)
            break;
        stopped++;
        assert_int_equal(r.end, GB_FIT_CALLBACK);
        assert_int_equal(r.verdict, GB_VERDICT_NOT_CONVERGED);
        assert_non_null(strstr(r.words, "the callback ended the fit"));
        assert_null(r.judgement);
    }
    assert_true(stopped > 0);
}

TEST(where_a_mode_is_missed_no_row_is_corrected)
{
    gb_elbo *const e = modes(t, 12, 0.3, 0);
    const gb_fit_result r = says(gb_fit(e), t, GB_VERDICT_NOT_TRUSTED, "may have a share (of an ELBO 0.8");
    gb_summary_table *const s = gb_summary(e, .judgement = r.judgement);
    assert_true(r.judgement->misses_mode);
    assert_int_equal(s->row[0].source, GB_SUMMARY_Q);
    assert_string_equal(s->row[0].words, "not to be trusted: a mode may be missing");
    gb_summary_free(s);
}
