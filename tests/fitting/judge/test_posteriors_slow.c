/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts on posteriors with reference draws: no false comfort, and those that the family can fit are
 * good. */
#include "support/close.h"

#include <stdio.h>

#include "fitting/fit.h"
#include "fitting/posteriors.h"
#include "fitting/summary.h"

static gb_family mean_field(gb_shape shape)
{
    return gb_mean_field(shape);
}

static gb_family full_rank(gb_shape shape)
{
    return gb_full_rank(shape);
}

/* How far q's means are off, in standard deviations of the reference; and its standard deviations. */
typedef struct truth {
    double mean, sd;
    gb_verdict verdict;
} truth;

static truth judge(gb_tape *t, const struct posterior_model *model, gb_family (*family)(gb_shape shape))
{
    posterior p;
    if (!posteriors_are_there())
        skip();
    posterior_begin(&p, t, model, family);
    const gb_fit_result r = gb_fit(p.e);
    gb_summary_table *const s =
        gb_summary(p.e, .judgement = r.judgement, .of_q = true, .nodes = gb_roots_of(p.nodes, p.told));
    assert_fine(t);
    truth worst = {.verdict = s->verdict};
    for (size_t i = 0; i < p.numbers; i++) {
        const gb_summary_row *const q = &s->row[s->parameters + i];
        worst.mean = fmax(worst.mean, fabs(q->mean - p.number[i].mean) / p.number[i].sd);
        worst.sd = fmax(worst.sd, fabs(q->sd / p.number[i].sd - 1));
    }
    print_message("%s: worst mean %.2f sd off, worst sd %.0f %%; %.3g s\n%s\n", p.name, worst.mean,
                  100 * worst.sd, r.seconds, r.words);
    gb_summary_free(s);
    return worst;
}

static void assert_no_comfort(truth t)
{
    assert_true(t.verdict < GB_VERDICT_MEANS || t.mean < 0.3);
    assert_true(t.verdict < GB_VERDICT_GOOD_HERE || t.sd < 0.3);
}

TEST_EACH(a_mean_field_gives_no_false_comfort, posterior_models, .seed = 3)
{
    assert_no_comfort(judge(t, row, mean_field));
}

TEST_EACH(a_full_rank_is_good_but_where_a_scale_meets_its_effects, posterior_models, .seed = 3)
{
    const struct posterior_model *const model = row;
    const truth found = judge(t, model, full_rank);
    const bool is_funnel = strstr(model->name, "eight_schools");
    assert_no_comfort(found);
    assert_true(is_funnel ? found.verdict < GB_VERDICT_MEANS : found.verdict == GB_VERDICT_GOOD);
}
