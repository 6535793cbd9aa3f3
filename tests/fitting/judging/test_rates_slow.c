/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often verdicts are right: over 200 seeds, and dimensions 1 to 20 (50 where q is exact). */
#include "support/close.h"

#include <stdio.h>

#include "planted.h"

enum { SEEDS = 200 };

typedef struct plan {
    const char *name;
    planted_form form;
    double sd, off, apart; /* apart > 0: two modes */
    gb_verdict most;
} plan;

/* Counts judgements of a plan that are better than `most`. */
static int comforts(const plan *p, int dimension, int seeds, int64_t most_draws, uint64_t first)
{
    gb_tape *const t = test_tape(.seed = 1);
    gb_elbo *const e = p->apart > 0 ? planted_modes(t, p->form, dimension, p->apart)
                                    : planted_normal(t, p->form, dimension, p->off, p->sd);
    gb_density *const d = gb_density_new(e);
    int count = 0;
    for (int s = 0; s < seeds; s++) {
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

/* Ten seeds for each dimension from 1 to 20. */
TEST_EACH(a_wrong_q_is_never_called_better_than_it_is, wrong)
{
    const plan *const p = row;
    int count = 0;
    for (int dimension = 1; dimension <= 20; dimension++)
        count += comforts(p, dimension, SEEDS / 20, 16000, (uint64_t)dimension * 1000);
    assert_int_equal(count, 0);
}
