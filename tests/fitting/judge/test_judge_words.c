/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reasons of a judgement that are rare: each has a model that leads to its words. */
#include "support/close.h"

#include "distributions/domain.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "planted.h"

static void says(gb_elbo *e, gb_verdict verdict, const char *words)
{
    gb_judgement *const j = judged(gb_judge(e), e->tape);
    if (j->verdict != verdict || !strstr(j->words, words))
        fail_msg("\"%s\" is not in, or the verdict is not %s:\n%s", words, gb_verdict_text(verdict),
                 j->words);
    gb_judgement_free(j);
}

static gb_elbo *flat(gb_tape *t, double location, double scale, gb_node *w)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_family q = gb_mean_field(gb_shape(), .location = location, .scale = scale);
    *w = gb_latent(e, "w", q, gb_no_prior, gb_pathwise());
    return e;
}

TEST(a_q_outside_the_support_cannot_be_weighted)
{
    gb_node w;
    gb_elbo *const e = flat(t, -50, 1, &w);
    gb_factor(e, "log", gb_sub(gb_log(w), w));
    says(e, GB_VERDICT_NOT_CONVERGED, "the draws of q cannot be weighted: ");
}

TEST(draws_without_density_are_counted)
{
    gb_node w;
    gb_elbo *const e = flat(t, 1, 0.5, &w);
    gb_factor(e, "log", gb_sub(gb_log(w), w));
    says(e, GB_VERDICT_NOT_TRUSTED, " draws of q have no density under the model");
}

TEST(a_log_p_without_digits_is_not_trusted)
{
    gb_elbo *const e = planted_normal(t, PLANTED_GIVEN, 1, 0, 1);
    gb_factor(e, "offset", gb_num(t, -1e15));
    says(e, GB_VERDICT_NOT_TRUSTED, "log p is about -1e+15, where its last digit is worth 0.2");
}

/* One draw has all the weight. */
TEST(numbers_that_weights_do_not_have_cannot_be_compared)
{
    gb_elbo *const e = planted_normal(t, PLANTED_GIVEN, 1, 1e6, 1);
    says(e, GB_VERDICT_NOT_TRUSTED, "the mean of w[0] cannot be compared: under the weights there is none");
    says(e, GB_VERDICT_NOT_TRUSTED, "deviation of w[0] cannot be compared: under the weights there is none");
}

TEST(warnings_of_a_reference_are_said)
{
    gb_judgement *const j = judged(gb_judge(planted_modes(t, PLANTED_GIVEN, 1, 14), .reference = true), t);
    assert_non_null(strstr(j->words, "the reference by NUTS has warnings: R-hat above 1.01"));
    gb_judgement_free(j);
}

TEST(a_scale_of_1e160_is_at_infinity)
{
    gb_node w;
    gb_elbo *const e = flat(t, 0, 1e160, &w);
    gb_factor(e, "0", gb_scale(w, 0));
    says(e, GB_VERDICT_NOT_CONVERGED, "the scale of w is at infinity: its sd is ");
}

/* A prior of a type of the user's, whose log density is 100 too large. */
static gb_node too_large(const gb_dist *d, gb_node x)
{
    return gb_shift(gb_scale(gb_square(gb_sub(x, d->param[0])), -0.5), 100);
}

static gb_node sample_normal(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0], gb_normal_noise(from->noise, from->shape, from->axes));
}

static const gb_dist_type too_large_type = {.size = sizeof(gb_dist_type),
                                            .name = "too_large",
                                            .formula = "100 - (x - loc)^2 / 2",
                                            .param = {{.name = "loc", .domain = GB_REAL}},
                                            .support = GB_REAL,
                                            .log_prob = too_large,
                                            .sample = sample_normal};

TEST(an_elbo_of_discrete_data_is_below_0)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node zero = gb_num(t, 0);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_dist_of(&too_large_type, &zero), gb_pathwise());
    gb_observe(e, "y", gb_bernoulli_logits(w), gb_num(t, 1));
    gb_elbo_loss(e);
    says(e, GB_VERDICT_NOT_CONVERGED, "and must be below 0, since all data are discrete");
}
