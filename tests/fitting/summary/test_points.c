/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points and ensembles have no draws of a posterior: what is made of draws says what to do. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/nuts.h"
#include "fitting/predictive.h"
#include "fitting/summary.h"

static void summarises(gb_elbo *e, gb_node likelihood)
{
    (void)likelihood;
    assert_null(gb_summary(e));
}

static void leaves_out(gb_elbo *e, gb_node likelihood)
{
    assert_int_equal(gb_elbo_loo(e, gb_roots(likelihood)).status, GB_EARGUMENT);
}

static void checks(gb_elbo *e, gb_node likelihood)
{
    assert_int_equal(gb_predictive_check(e, likelihood, likelihood).status, GB_EARGUMENT);
}

static const struct taker {
    const char *name, *who;
    void (*take)(gb_elbo *e, gb_node likelihood);
} takers[] = {{"a_summary_of_points", "summary", summarises},
              {"leaving_out_by_points", "elbo_loo", leaves_out},
              {"a_check_by_points", "predictive_check", checks}};

static gb_elbo *model(gb_tape *t, gb_family family, gb_node *likelihood)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = 2);
    const gb_node one = gb_num(t, 1);
    const gb_node w = gb_latent(e, "w", family, gb_normal(gb_num(t, 0), one), gb_pathwise());
    *likelihood = gb_observe(e, "y", gb_normal(w, one), one);
    return e;
}

static void assert_words(gb_tape *t, const char *who, const char *words)
{
    char all[200];
    snprintf(all, sizeof all, "%s: %s", who, words);
    assert_rejected(t, GB_EARGUMENT, all);
}

TEST_EACH(words_say_what_to_do_of, takers)
{
    const struct taker *const taker = row;
    gb_tape *const other = test_tape();
    gb_node likelihood;
    taker->take(model(t, gb_point(gb_shape()), &likelihood), likelihood);
    assert_words(t, taker->who, "all latents are points (such as w), which have no draws: give .nuts");
    taker->take(model(other, gb_ensemble(gb_shape(), .members = 2), &likelihood), likelihood);
    assert_words(other, taker->who, "latent w is an ensemble, whose members are no draws of a posterior");
}

TEST(chains_of_points_are_draws)
{
    gb_node likelihood;
    gb_elbo *e = model(t, gb_point(gb_shape()), &likelihood);
    gb_nuts *n = gb_sample_nuts(e);
    gb_summary_table *const s = gb_summary(e, .nuts = n);
    assert_non_null(s);
    assert_int_equal(gb_elbo_loo(e, gb_roots(likelihood), .nuts = n).status, GB_OK);
    gb_summary_free(s);
    gb_nuts_free(n);
}
