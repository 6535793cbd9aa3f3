/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often verdicts are right: over 60 seeds, with GB_THOROUGH=1 over 200, and dimensions 1 to 20 (50 where
 * q is exact). */
#include "support/close.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"

static int seeds(void)
{
    const char *const thorough = getenv("GB_THOROUGH");
    return thorough && strcmp(thorough, "1") == 0 ? 200 : 60;
}

typedef struct plan {
    const char *name;
    planted_form form;
    double sd, off, apart; /* apart > 0: two modes */
    gb_verdict most;
} plan;

/* Counts judgements of a plan that are better than `most`. */
static int comforts(const plan *p, int dimension, int of_each, int64_t most_draws, uint64_t first)
{
    gb_tape *const t = test_tape(.seed = 1);
    gb_elbo *const e = p->apart > 0 ? planted_modes(t, p->form, dimension, p->apart)
                                    : planted_normal(t, p->form, dimension, p->off, p->sd);
    gb_density *const d = gb_density_new(e);
    int count = 0;
    for (int s = 0; s < of_each; s++) {
        gb_judgement *const j =
            judged(gb_judge(e, .density = d, .seed = first + (uint64_t)s, .most_draws = most_draws), t);
        if (j->verdict > p->most)
            print_message("%s, dimension %d, seed %d:\n%s\n", p->name, dimension, s, j->words);
        count += j->verdict > p->most;
        gb_judgement_free(j);
    }
    return count;
}

static const plan wrong[] = {
    {"narrow_family", PLANTED_FAMILY, 0.55, 0, 0, GB_VERDICT_NOT_CONVERGED},
    {"wide_family", PLANTED_FAMILY, 2, 0, 0, GB_VERDICT_NOT_CONVERGED},
    {"off_family", PLANTED_FAMILY, 1, 0.4, 0, GB_VERDICT_NOT_CONVERGED},
    {"narrow_given", PLANTED_GIVEN, 0.55, 0, 0, GB_VERDICT_MEANS},
    {"a_bit_narrow_given", PLANTED_GIVEN, 0.7, 0, 0, GB_VERDICT_MEANS},
    {"wide_given", PLANTED_GIVEN, 2, 0, 0, GB_VERDICT_MEANS},
    {"a_bit_wide_given", PLANTED_GIVEN, 1.3, 0, 0, GB_VERDICT_MEANS},
    {"off_given", PLANTED_GIVEN, 1, 0.4, 0, GB_VERDICT_NOT_TRUSTED},
    {"a_bit_off_given", PLANTED_GIVEN, 1, 0.3, 0, GB_VERDICT_NOT_TRUSTED},
    {"a_mode_4_sd_away_family", PLANTED_FAMILY, 1, 0, 4, GB_VERDICT_NOT_TRUSTED},
    {"a_mode_4_sd_away_given", PLANTED_GIVEN, 1, 0, 4, GB_VERDICT_NOT_TRUSTED},
    {"a_mode_6_sd_away_given", PLANTED_GIVEN, 1, 0, 6, GB_VERDICT_NOT_TRUSTED},
};

/* As many seeds for each dimension from 1 to 20. */
TEST_EACH(a_wrong_q_is_never_called_better_than_it_is, wrong)
{
    const plan *const p = row;
    int count = 0;
    for (int dimension = 1; dimension <= 20; dimension++)
        count += comforts(p, dimension, seeds() / 20, 16000, (uint64_t)dimension * 1000);
    assert_int_equal(count, 0);
}

/* ---- right fits ---- */

/* A product of gamma distributions: q is the lognormal that is nearest by KL(q ‖ p), which is within 1 % of
 * its sd and 0.002 sd of its mean in free numbers. */
static gb_elbo *skewed(gb_tape *t, int64_t n, double shape)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "rate",
              gb_mean_field(gb_shape(n), .location = log(shape) - 0.5 / shape, .scale = 1 / sqrt(shape)),
              gb_gamma(gb_num(t, shape), gb_num(t, 1)), gb_pathwise());
    return e;
}

static const struct right {
    const char *name;
    double shape; /* of gamma; 0: normal */
    int most;     /* dimensions */
} rights[] = {{"exact_q", 0, 50}, {"rates_of_100_counts", 100, 20}, {"rates_of_30_counts", 30, 10}};

/* At least 97 % are good. */
TEST_EACH(a_right_q_is_called_good, rights)
{
    const struct right *const r = row;
    const int all = seeds();
    int good = 0;
    for (int s = 0; s < all; s++) {
        const int dimension = 1 + s % r->most;
        gb_tape *const u = test_tape(.seed = 5);
        gb_elbo *const e = r->shape > 0 ? skewed(u, dimension, r->shape)
                                        : planted_normal(u, PLANTED_FAMILY, dimension, 0, 1);
        gb_judgement *const j = judged(gb_judge(e, .seed = 900 + (uint64_t)s), u);
        if (j->verdict != GB_VERDICT_GOOD_HERE)
            print_message("%s, dimension %d, seed %d:\n%s\n", r->name, dimension, s, j->words);
        good += j->verdict == GB_VERDICT_GOOD_HERE;
        gb_judgement_free(j);
        gb_tape_reset(u);
    }
    print_message("%s: %d of %d\n", r->name, good, all);
    assert_true(good >= 0.97 * all);
}
