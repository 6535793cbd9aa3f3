/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judging as a user calls it: exact weights, verdicts and their words, what is rejected. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/transforms.h"
#include "fitting/fit.h"
#include "planted.h"
#include "support/counted_memory.h"

static void assert_says_at(const gb_judgement *j, gb_verdict verdict, const char *words, int line)
{
    if (j->verdict != verdict)
        fail_msg("line %d: the verdict is %s, not %s:\n%s", line, gb_verdict_text(j->verdict),
                 gb_verdict_text(verdict), j->words);
    if (!strstr(j->words, words))
        fail_msg("line %d: \"%s\" is not in:\n%s", line, words, j->words);
}
#define assert_says(j, verdict, words) assert_says_at((j), (verdict), (words), __LINE__)

/* A start where a fit of `n` numbers ended at N(mean, sd²) each. */
typedef struct ended {
    double mean[64], sd[64];
} ended;

static gb_judge_start start_at(ended *at, size_t n, double mean, double sd, double elbo)
{
    for (size_t i = 0; i < n; i++)
        at->mean[i] = mean, at->sd[i] = sd;
    return (gb_judge_start){.mean = at->mean, .sd = at->sd, .elbo = elbo};
}

/* ---- exact ---- */

TEST(if_q_is_the_posterior_all_weights_are_equal_and_the_evidence_is_exact)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 3, 0, 1)), t);
    assert_near(j->weights.log_evidence, 0, 1e-12);
    assert_near(j->weights.log_evidence_error, 0, 1e-7);
    assert_near(j->elbo, 0, 1e-12);
    assert_true(j->spread < 1e-12);
    assert_true(j->weights.k == -INFINITY);
    assert_near(j->weights.ess, 4000, 1e-6);
    assert_int_equal(j->draws, 4000);
    assert_near(j->wide.log_evidence, 0, 5 * j->wide.log_evidence_error);
    assert_says(j, GB_VERDICT_GOOD_HERE, "by wider draws");
    for (size_t i = 0; i < 3; i++) {
        assert_near(j->free[i].mean_off, 0, 1e-12);
        assert_near(j->free[i].sd_off, 0, 1e-3);
        assert_near(j->free[i].move, 0, 6 * j->free[i].move_error);
        assert_near(j->free[i].stretch, 0, 6 * j->free[i].stretch_error);
    }
    gb_judgement_free(j);
}

/* y ~ N(mu, 1), mu ~ N(0, 1): p(y) is N(0, 2). q is too wide, so its errors can be trusted. */
TEST(the_evidence_of_a_conjugate_model_is_within_its_error)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node mu = gb_latent(e, "mu", gb_mean_field(gb_shape(), .location = 0.6, .scale = 0.8),
                                 gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(mu, gb_num(t, 1)), gb_num(t, 1.3));
    gb_judgement *j = judged(gb_judge(e), t);
    const double exact = -0.5 * log(4 * 3.14159265358979323846) - 1.3 * 1.3 / 4;
    assert_true(j->weights.log_evidence_error > 1e-4);
    assert_near(j->weights.log_evidence, exact, 5 * j->weights.log_evidence_error);
    assert_near(j->judged[0].corrected_mean.value, 0.65, 5 * j->judged[0].corrected_mean.error);
    assert_near(j->judged[0].corrected_sd.value, sqrt(0.5), 5 * j->judged[0].corrected_sd.error);
    gb_judgement_free(j);
}

/* log p − log q is −z²/2 + (z − 0.4)²/2 = 0.08 − 0.4 z at each draw. */
TEST(log_ratios_and_gradients_are_those_of_formulas)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 1, 0.4, 1)), t);
    for (size_t s = 0; s < j->draws; s++)
        assert_near(j->weights.log_ratios[s], 0.08 - 0.4 * j->z[s], 1e-12);
    assert_near(j->free[0].move, -0.4, 6 * j->free[0].move_error);
    assert_near(j->free[0].mean_off, 0.4, 5 * j->free[0].mean_error + 1e-3);
    assert_near(j->elbo, -0.08, 5 * j->elbo_error);
    gb_judgement_free(j);
}

TEST(a_natural_step_has_the_gain_that_it_predicts)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0.4, 1), .draws = 40000), t);
    assert_near(j->gain, 0.5 * 2 * 0.16, 0.02);
    gb_judgement_free(j);
}

TEST(the_same_seed_gives_the_same_draws_and_another_one_others)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 2, 0, 1);
    gb_density *d = gb_density_new(e);
    gb_judgement *a = judged(gb_judge(e, .density = d, .seed = 7), t),
                 *b = judged(gb_judge(e, .density = d, .seed = 7), t),
                 *c = judged(gb_judge(NULL, .density = d, .seed = 8), t);
    assert_memory_equal(a->z, b->z, a->draws * 2 * sizeof *a->z);
    assert_true(a->z[0] != c->z[0]);
    gb_judgement_free(a), gb_judgement_free(b), gb_judgement_free(c);
}

TEST(more_draws_are_other_draws)
{
    gb_judgement *j =
        judged(gb_judge(planted_normal(t, PLANTED_GIVEN, 2, 0.15, 1), .draws = 100, .most_draws = 400), t);
    assert_int_equal(j->draws, 400);
    for (size_t s = 100; s < 400; s += 100)
        assert_true(j->z[2 * s] != j->z[0]);
    gb_judgement_free(j);
}

/* 50 numbers of sd 10⁻¹⁰⁰: log p and log q are 11,000, and their difference is 0 but for rounding. */
TEST(rounding_errors_have_no_tail)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape(50), .scale = 3e-100, .map = GB_SCALE_EXP),
              gb_normal(gb_num(t, 0), gb_num(t, 3e-100)), gb_pathwise());
    gb_judgement *j = judged(gb_judge(e), t);
    assert_true(j->weights.k == -INFINITY);
    assert_says(j, GB_VERDICT_GOOD_HERE, "good");
    gb_judgement_free(j);
}

/* ---- verdicts ---- */

TEST(without_starts_a_good_fit_is_good_if_no_mode_was_missed)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 1)), t);
    assert_says(j, GB_VERDICT_GOOD_HERE, "good, if no mode was missed\n");
    assert_says(j, GB_VERDICT_GOOD_HERE, "starts not compared: a mode that this fit missed cannot be seen");
    assert_says(j, GB_VERDICT_GOOD_HERE, "the weights of 4000 draws are reliable");
    assert_int_equal(j->starts, 0);
    gb_judgement_free(j);
}

TEST(with_starts_that_agree_it_is_good)
{
    ended at[3];
    const gb_judge_start starts[] = {start_at(&at[0], 2, 0.05, 1.02, 0), start_at(&at[1], 2, 0, 0.97, NAN),
                                     start_at(&at[2], 2, -0.1, 1, -0.01)};
    gb_judgement *j =
        judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 1), .starts = starts, .start_count = 3), t);
    assert_says(j, GB_VERDICT_GOOD, "good\n");
    assert_says(j, GB_VERDICT_GOOD, "3 other starts agree");
    assert_int_equal(j->starts, 3);
    gb_judgement_free(j);
}

typedef struct other {
    const char *name;
    double mean, sd, elbo;
    gb_verdict verdict;
    const char *words;
} other;

static const other others[] = {
    {"another_mode_of_the_same_height_is_not_trusted", 10, 1, 0, GB_VERDICT_NOT_TRUSTED,
     "1 of 1 other starts ended elsewhere, where the posterior may have a share (of "},
    {"another_mode_of_unknown_height_is_not_trusted", -5, 1, NAN, GB_VERDICT_NOT_TRUSTED,
     "1 of 1 other starts ended elsewhere"},
    {"another_optimum_within_q_is_counted_by_its_weights", -0.5, 1, NAN, GB_VERDICT_GOOD_HERE,
     "1 of 1 other starts ended where draws of q reach, and their weights count"},
    {"another_spread_is_not_trusted", 0, 2, -0.5, GB_VERDICT_NOT_TRUSTED, "its sd +100 %"},
    {"a_higher_start_shows_that_q_is_not_the_best", 0, 1, 0.5, GB_VERDICT_NOT_CONVERGED,
     "1 of 1 other starts reached a higher ELBO, by up to 0.5"},
    {"a_mode_of_negligible_weight_does_no_harm", 10, 1, -12, GB_VERDICT_GOOD_HERE,
     "1 of 1 other starts ended at places of negligible weight (ELBO lower by 12)"},
    {"a_start_without_numbers_does_not_count", NAN, 1, 0, GB_VERDICT_GOOD_HERE,
     "1 of 1 other starts found no optimum, and do not count"},
    {"one_start_is_said_to_be_few", 0, 1, 0, GB_VERDICT_GOOD_HERE,
     "only 1 other start compared, and 3 should be"},
};

TEST_EACH(starts_elsewhere_are_judged_by_their_height, others)
{
    const other *const o = row;
    ended at;
    const gb_judge_start start = start_at(&at, 2, o->mean, o->sd, o->elbo);
    gb_judgement *j =
        judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 1), .starts = &start, .start_count = 1), t);
    assert_says(j, o->verdict, o->words);
    gb_judgement_free(j);
}

TEST(a_start_is_no_higher_than_its_error_shows)
{
    ended at;
    gb_judge_start start = start_at(&at, 2, 0, 1, 0.5);
    start.error = 0.2;
    gb_judgement *const j =
        judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 1), .starts = &start, .start_count = 1), t);
    assert_true(j->verdict == GB_VERDICT_GOOD_HERE);
    gb_judgement_free(j);
}

TEST(q_that_could_be_better_in_its_family_is_not_converged)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0.4, 1)), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "not converged\n");
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "the ELBO still rises along the location of w[");
    gb_judgement_free(j);
}

TEST(scales_that_could_be_better_are_not_converged)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 2)), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "the ELBO still rises along the scale of w[");
    gb_judgement_free(j);
}

TEST(a_scale_near_0_is_named)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 1e-4)), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "is near 0 beside the posterior's");
    gb_judgement_free(j);
}

TEST(a_scale_at_0_is_named)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 1, 5, 1e-17)), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "the scale of w[0] is at 0");
    gb_judgement_free(j);
}

TEST(a_scale_at_infinity_is_named)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    set_variable(t, "w.raw_scale", (double[]){1e308}, 1);
    set_variable(t, "w.location", (double[]){1e308}, 1);
    gb_judgement *j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "draws of w are not finite");
    assert_int_equal(gb_judgement_print(j, stderr), GB_OK);
    gb_judgement_free(j);
}

TEST(a_q_that_is_too_wide_is_usable_for_means)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_GIVEN, 2, 0, 1.5)), t);
    assert_says(j, GB_VERDICT_MEANS, "usable for means, if no mode was missed\n");
    assert_says(j, GB_VERDICT_MEANS, "% are allowed");
    assert_near(j->free[0].sd_off, 0.5, 5 * j->free[0].sd_error);
    assert_near(j->free[0].wide_sd_off, 0.5, 5 * j->free[0].wide_sd_error);
    assert_true(isnan(j->gain));
    gb_judgement_free(j);
}

TEST(a_q_whose_means_are_off_is_not_trusted)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_GIVEN, 2, 0.4, 1)), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "not to be trusted\n");
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "sd off");
    gb_judgement_free(j);
}

TEST(one_mode_of_two_is_not_trusted)
{
    gb_judgement *j = judged(gb_judge(planted_modes(t, PLANTED_FAMILY, 2, 6)), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "draws of q do not show how far it is from the posterior");
    gb_judgement_free(j);
}

/* Two modes 30 sd apart: neither draws nor wider ones reach the other, and no line leads there. Its curvature
 * beyond it tells where it is, and so does a start. */
TEST(a_far_mode_off_all_lines_is_seen_by_its_curvature_and_by_starts)
{
    gb_elbo *e = planted_at(t, PLANTED_FAMILY, 2, (double[]){9, 12});
    gb_density *d = gb_density_new(e);
    gb_judgement *j = judged(gb_judge(e, .density = d), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED,
                "the posterior has another part, which q does not cover: 50 % of it");
    const double here[] = {9, 12}, there[] = {-9, -12}, sd[] = {1, 1};
    const gb_judge_start starts[] = {{.mean = here, .sd = sd, .elbo = j->elbo, .error = 0.01},
                                     {.mean = there, .sd = sd, .elbo = j->elbo, .error = 0.01},
                                     {.mean = here, .sd = sd, .elbo = j->elbo, .error = 0.01}};
    gb_judgement_free(j);
    j = judged(gb_judge(e, .density = d, .starts = starts, .start_count = 3), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "1 of 3 other starts ended elsewhere");
    gb_judgement_free(j);
}

/* ---- where no draw reaches ---- */

/* A standard normal of n numbers, and one `width` times as wide, of weight `share`; q is the narrow one. */
static gb_elbo *slab(gb_tape *t, int64_t n, double width, double share)
{
    const double mean[64] = {0}, sd[1] = {1};
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", planted_q(t, PLANTED_FAMILY, n, mean, sd), gb_no_prior, gb_pathwise());
    const gb_dist narrow = gb_normal(gb_num(t, 0), gb_num(t, 1)),
                  wide = gb_normal(gb_num(t, 0), gb_num(t, width));
    gb_factor(e, "p",
              gb_logaddexp(gb_shift(gb_sum(gb_log_prob(narrow, w)), log1p(-share)),
                           gb_shift(gb_sum(gb_log_prob(wide, w)), log(share))));
    return e;
}

static const struct slabbed {
    const char *name;
    int64_t n;
    double width, share;
    const char *words;
} slabs[] = {{"low_and_far", 1, 300, 0.001, "along w[0], 0.11 % of it is more than 4"},
             {"low_and_wide", 1, 100, 0.2, "along w[0], 20 % of it is more than 4"},
             {"near", 1, 8, 0.03, "along w[0], 1.9 % of it is more than 4"},
             {"in_all_of_9", 9, 4, 0.5, "in all directions, 4"},
             {"in_all_of_30", 30, 5, 0.05, "in all directions, 5"}};

static const struct slant {
    const char *name;
    int64_t n;
    double width, share;
} slanted[] = {{"of_2", 2, 100, 0.5}, {"of_3", 3, 30, 0.4}, {"of_5", 5, 100, 0.25}};

TEST_EACH(a_slab_under_q_is_found_where_no_draw_reaches, slabs)
{
    const struct slabbed *const is = row;
    gb_judgement *const j = judged(gb_judge(slab(t, is->n, is->width, is->share)), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "the posterior goes on where no draw reaches: ");
    assert_says(j, GB_VERDICT_NOT_TRUSTED, is->words);
    gb_judgement_free(j);
}

/* y = 1.2 ~ N(Σ w, 0.1), with slabs under the priors: the sum is known, and differences may be large. */
TEST_EACH(a_slab_in_a_direction_of_no_number_is_found, slanted)
{
    const struct slant *const is = row;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(
        e, "w", gb_full_rank(gb_shape(is->n)),
        gb_scale_mixture(gb_num(t, 1 - is->share), gb_num(t, 1), gb_num(t, is->width)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_sum(w), gb_num(t, 0.1)), gb_num(t, 1.2));
    const gb_fit_result r = gb_fit(e);
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    if (r.verdict > GB_VERDICT_NOT_TRUSTED)
        fail_msg("%s", r.words);
}

/* log x is normal, with sd 0.3 for each number; and with a small share, sd `wide` along (1, 1 … ), or, if
 * `all`, in all directions. q is the narrow part. */
static gb_elbo *log_slab(gb_tape *t, int64_t n, bool all, double wide, double share)
{
    const double sd = 0.3, root = sqrt((double)n);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node x = gb_latent(e, "x", gb_mean_field(gb_shape(n), .location = 0, .scale = sd), gb_no_prior,
                                gb_pathwise(), .support = GB_POSITIVE);
    const gb_node z = gb_log(x), square = gb_scale(gb_sum(gb_square(z)), 1 / (sd * sd)),
                  along = gb_scale(gb_square(gb_sum(z)), 1 / (root * root * sd * sd));
    const double to = sd * sd / (wide * wide), times = all ? (double)n : 1;
    const gb_node far = all ? gb_scale(square, to) : gb_add(gb_sub(square, along), gb_scale(along, to));
    gb_factor(e, "p",
              gb_logaddexp(gb_shift(gb_scale(square, -0.5), log1p(-share)),
                           gb_shift(gb_scale(far, -0.5), log(share) + times * log(sd / wide))));
    gb_factor(e, "Jacobian", gb_neg(gb_sum(z)));
    return e;
}

/* A thousandth of log x changes its sd by 5 %, and is most of the mean of x: e^4.5 / 1000. */
TEST(a_slab_that_only_values_feel_is_found_along_a_line)
{
    gb_judgement *const j = judged(gb_judge(log_slab(t, 1, true, 3, 0.001)), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "the posterior goes on where no draw reaches: along x[0], 0.");
    gb_judgement_free(j);
}

TEST(a_slab_that_only_values_feel_is_found_in_a_direction_of_no_number)
{
    gb_judgement *const j = judged(gb_judge(log_slab(t, 3, false, 3, 0.002)), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "the posterior has another part, which q does not cover: 0.");
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "with it, the mean of x[");
    gb_judgement_free(j);
}

/* q is the wide one of two parts. The other, a tenth as wide, lies within it, and has nine tenths of p. No
 * draw may hit it; the heaviest feel it, and curvature leads there. */
TEST(a_spike_within_q_is_found_from_the_heaviest_draws)
{
    const double mean[64] = {0}, sd[1] = {1};
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", planted_q(t, PLANTED_FAMILY, 4, mean, sd), gb_no_prior, gb_pathwise());
    const gb_dist wide = gb_normal(gb_num(t, 0), gb_num(t, 1)),
                  spike = gb_normal(gb_num(t, 0.5), gb_num(t, 0.07));
    gb_factor(e, "p",
              gb_logaddexp(gb_shift(gb_sum(gb_log_prob(wide, w)), log(0.1)),
                           gb_shift(gb_sum(gb_log_prob(spike, w)), log(0.9))));
    gb_judgement *const j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "the posterior has another part, which q does not cover: 9");
    gb_judgement_free(j);
}

/* Exact k of the weights is 1 − 0.54²; 4000 draws show 0.61, and 0.74 for the number. */
TEST(a_number_whose_own_k_is_too_large_is_not_compared, .seed = 1)
{
    gb_elbo *const e = planted_normal(t, PLANTED_GIVEN, 1, 0, 0.54);
    gb_judgement *const j = judged(gb_judge(e, .most_draws = 4000), t);
    assert_true(j->weights.k < j->weights.threshold);
    assert_true(j->free[0].corrected_mean.k >= j->weights.threshold);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "the mean of w[0] cannot be compared: its own k is 0.");
    gb_judgement_free(j);
}

TEST(a_slab_without_weight_does_no_harm)
{
    gb_judgement *const j = judged(gb_judge(slab(t, 1, 20, 1e-5)), t);
    assert_says(j, GB_VERDICT_GOOD_HERE, "good");
    gb_judgement_free(j);
}

TEST(a_fit_that_never_moved_is_named)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape(2), .location = 3, .scale = 1),
              gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_judgement *j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "w never moved: its location is where it started");
    gb_judgement_free(j);
}

TEST(a_latent_that_nothing_depends_on_is_named)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    gb_latent(e, "unused", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_judgement *j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "log p does not depend on unused");
    gb_judgement_free(j);
}

TEST(points_are_said_not_to_be_judged)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    gb_latent(e, "p", gb_point(gb_shape(), .location = 3), gb_normal(gb_num(t, 0), gb_num(t, 1)),
              gb_pathwise());
    gb_judgement *j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_GOOD_HERE, "p is a point: the others are judged as if it were known");
    gb_judgement_free(j);
}

/* Posterior of a rate with 30 counts. Values are judged too, and heavy tails by quantiles. */
TEST(a_mildly_skewed_posterior_is_good_with_its_best_member)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "rate", gb_mean_field(gb_shape(4), .location = log(30) - 0.5 / 30, .scale = 1 / sqrt(30)),
              gb_gamma(gb_num(t, 30), gb_num(t, 1)), gb_pathwise());
    gb_judgement *j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_GOOD_HERE, "standard deviations are within");
    assert_int_equal(j->count, 4);
    assert_near(j->judged[0].corrected_mean.value, 30, 5 * j->judged[0].corrected_mean.error);
    gb_judgement_free(j);
}

/* Student's t with 2.5 degrees of freedom has no fourth moment, so errors of an sd mean nothing. q is it. */
TEST(heavy_tails_are_compared_by_quantiles)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_dist heavy = gb_student_t(gb_num(t, 1.5), gb_num(t, 0), gb_num(t, 1));
    gb_latent(e, "w", gb_posterior_of(heavy), heavy, gb_pathwise());
    gb_judgement *j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_GOOD_HERE, "good");
    assert_true(j->free[0].by_quantiles);
    gb_judgement_free(j);
}

TEST(nuts_confirms_and_contradicts, .seed = 4)
{
    gb_judgement *j = judged(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 1), .reference = true), t);
    assert_says(j, GB_VERDICT_GOOD_HERE, "against NUTS the mean of w[");
    assert_non_null(j->reference);
    gb_judgement_free(j);
    gb_tape *const other_tape = test_tape(.seed = 3);
    j = judged(gb_judge(planted_modes(other_tape, PLANTED_GIVEN, 1, 5), .reference = true), other_tape);
    assert_says(j, GB_VERDICT_NOT_TRUSTED, "against NUTS the mean of w[0] is +");
    gb_judgement_free(j);
}

/* 0.15 sd off is within the bound of 0.2, and 0.3 too little is not: but 100 draws do not show it. */
TEST(errors_are_included_in_what_is_allowed)
{
    gb_elbo *e = planted_normal(t, PLANTED_GIVEN, 2, 0.15, 1);
    gb_density *d = gb_density_new(e);
    gb_judgement *few = judged(gb_judge(e, .density = d, .draws = 100, .most_draws = 100), t),
                 *many = judged(gb_judge(e, .density = d, .draws = 30000), t);
    assert_says(few, GB_VERDICT_NOT_TRUSTED, "sd off");
    assert_says(many, GB_VERDICT_GOOD_HERE, "means are within 0.1");
    gb_judgement_free(few), gb_judgement_free(many);
}

/* The natural step of a normal with a covariance is along C g: with standard deviations 1 and 1 % across, a
 * shift of a tenth of the narrow direction's sd has a steep gradient and a short step. */
TEST(a_steep_direction_is_no_far_one)
{
    enum { N = 2 };
    const double root[] = {1, 0, 1, 0.01};
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node l = gb_constant(t, gb_shape(N, N), gb_values_of(root, N * N));
    gb_latent(e, "w", gb_full_rank(gb_shape(N), .map = GB_SCALE_EXP),
              gb_multivariate_normal(gb_constant(t, gb_shape(N), gb_fill(0)), l), gb_pathwise());
    set_variable(t, "w.location", (double[]){0.0005, -0.0005}, N);
    set_variable(t, "w.log_scale", (double[]){0, log(0.01)}, N);
    set_variable(t, "w.lower", (double[]){0, 0, 1, 0}, N * N);
    gb_judgement *j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_GOOD_HERE, "good");
    assert_near(j->free[0].move, -0.0005, 6 * j->free[0].move_error);
    assert_near(j->gain, 0.5 * 0.01, 0.01);
    gb_judgement_free(j);
    /* A shift of half an sd along both is found by a step of its length. */
    set_variable(t, "w.location", (double[]){0.5, 0.5}, N);
    j = judged(gb_judge(e), t);
    assert_says(j, GB_VERDICT_NOT_CONVERGED, "still rises along the location");
    assert_near(j->free[0].move, -0.5, 6 * j->free[0].move_error + 0.03);
    gb_judgement_free(j);
}

/* Two modes 8 sd apart: the weights are equal but for 2 %, and only where they point to tells. */
TEST(a_large_k_is_harmless_where_wider_draws_are_reliable_and_no_other_mode_is_near)
{
    gb_judgement *j = judged(gb_judge(planted_modes(t, PLANTED_GIVEN, 3, 8)), t);
    assert_true(j->weights.ess > 0.99 * (double)j->draws);
    assert_says(j, GB_VERDICT_NOT_TRUSTED,
                "an ascent from the largest weights leads to another mode, where w[0] is -");
    gb_judgement_free(j);
    gb_tape *const u = test_tape(.seed = 3);
    gb_elbo *e = gb_elbo_new(u, .data_size = 1);
    gb_latent(e, "rate", gb_mean_field(gb_shape(), .location = log(60) - 0.5 / 60, .scale = 1 / sqrt(60)),
              gb_gamma(gb_num(u, 60), gb_num(u, 1)), gb_pathwise());
    j = judged(gb_judge(e), u);
    assert_true(j->weights.k > 1);
    assert_says(j, GB_VERDICT_GOOD_HERE, "; but wider draws, whose k is -");
    assert_says(j, GB_VERDICT_GOOD_HERE, ", show how far q is from the posterior, and ascents from the ");
    gb_judgement_free(j);
}

/* ---- what is rejected ---- */

static void assert_not_judged(gb_elbo *e, const char *words)
{
    gb_tape *const t = e->tape;
    assert_null(gb_judge(e));
    assert_rejected(t, GB_EARGUMENT, words);
}

TEST(points_alone_are_rejected)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "p", gb_point(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    assert_not_judged(e, "judge: all latents are points (such as p), so there is no q to judge: "
                         "gb_elbo_posterior_read returns their values, and gb_predictive predicts");
}

TEST(dropout_is_rejected)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_dropout_posterior(gb_shape(2), .keep = 0.5), gb_normal(gb_num(t, 0), gb_num(t, 1)),
              gb_pathwise());
    assert_not_judged(e, "latent w is drawn by dropout, which has no density");
}

TEST(latents_of_each_row_are_rejected)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    const gb_node x = gb_input_rows(t, "x", gb_shape());
    const gb_dist q = gb_normal(gb_scale(x, 2), gb_num(t, 1));
    const gb_node z =
        gb_latent(e, "z", gb_posterior_of(q), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "x", gb_normal(z, gb_num(t, 1)), x);
    gb_feed(x, (double[]){1, 2, 3}, 3);
    assert_not_judged(e, "judge: latent z is there for each row, and q of all rows together is not drawn");
}

TEST(impossible_options_are_rejected)
{
    gb_elbo *e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    const gb_judge_start nowhere = {0};
    assert_null(gb_judge(e, .draws = 50));
    assert_rejected(t, GB_EARGUMENT, "judge: .draws is 50, and must be from 100 to");
    assert_null(gb_judge(e, .draws = 500, .most_draws = 400));
    assert_rejected(t, GB_EARGUMENT, "judge: .most_draws is 400, fewer than the first 500");
    assert_null(gb_judge(e, .start_count = 2));
    assert_rejected(t, GB_EARGUMENT, "judge: 2 starts are given, but .starts is NULL");
    assert_null(gb_judge(e, .starts = &nowhere, .start_count = 1));
    assert_rejected(t, GB_EARGUMENT, "judge: start 0 has no array of means, or of sds");
    const gb_judge_start inside_out = {.mean = (double[]){0}, .sd = (double[]){-1}};
    assert_null(gb_judge(e, .starts = &inside_out, .start_count = 1));
    assert_rejected(t, GB_EARGUMENT, "judge: sd 0 of start 0 is -1, and must be 0 or more");
    assert_null(gb_judge_with(e, &(gb_judge_options){.draws = 500}));
    assert_rejected(t, GB_EARGUMENT, "judge");
    assert_null(gb_judge(NULL));
    gb_judgement_free(NULL);
    assert_int_equal(gb_judgement_print(NULL, stdout), GB_EARGUMENT);
    assert_string_equal(gb_verdict_text(GB_VERDICT_NONE), "not judged");
}

TEST(impossible_numbers_of_draws_are_rejected)
{
    gb_elbo *const e = planted_normal(t, PLANTED_FAMILY, 1, 0, 1);
    assert_null(gb_judge(e, .most_draws = -3));
    assert_rejected(t, GB_EARGUMENT, "judge: .most_draws is -3, fewer than the first 4000");
    assert_null(gb_judge(e, .draws = -1));
    assert_rejected(t, GB_EARGUMENT, "judge: .draws is -1, and must be from 100");
}

static gb_status judge_on(gb_tape *t, const void *what)
{
    (void)what;
    if (!t)
        return GB_ENOMEM;
    gb_judgement_free(gb_judge(planted_normal(t, PLANTED_FAMILY, 2, 0, 1), .draws = 200, .most_draws = 400));
    return gb_error(t);
}

TEST(judging_outlives_lack_of_memory)
{
    assert_outlives_lack_of_memory(judge_on, NULL, "judge", 60, (gb_tape_options){.seed = 1});
}
