/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws belong to the ELBO that they were made from. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/predictive.h"
#include "fitting/summary.h"
#include "ops/array.h"

typedef struct model {
    gb_elbo *e;
    gb_node mu, each;
} model;

static model of_name(gb_tape *t, const char *name)
{
    model m = {.e = gb_elbo_new(t, .data_size = 3)};
    m.mu =
        gb_latent(m.e, name, gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    m.each =
        gb_observe(m.e, "y", gb_normal(m.mu, gb_num(t, 1)), gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3)));
    return m;
}

/* A function that takes draws. Returns whether it failed. */
typedef bool taker(const model *m, const gb_judgement *j, const gb_nuts *n);

static bool summarises(const model *m, const gb_judgement *j, const gb_nuts *n)
{
    gb_summary_table *const s = gb_summary(m->e, .judgement = j, .nuts = n);
    gb_summary_free(s);
    return !s;
}

static bool leaves_one_out(const model *m, const gb_judgement *j, const gb_nuts *n)
{
    return gb_elbo_loo(m->e, gb_roots(m->each), .judgement = j, .nuts = n).status != GB_OK;
}

static bool checks(const model *m, const gb_judgement *j, const gb_nuts *n)
{
    return gb_predictive_check(m->e, m->mu, gb_num(m->mu.tape, 0), .judgement = j, .nuts = n).status != GB_OK;
}

static const struct takes {
    const char *name, *who;
    taker *take;
} takers[] = {{"a_summary_is_of_one_elbo", "summary", summarises},
              {"leaving_one_out_is_of_one_elbo", "elbo_loo", leaves_one_out},
              {"a_predictive_check_is_of_one_elbo", "predictive_check", checks}};

static void rejects(const struct takes *is, const model *m, const gb_judgement *j, const gb_nuts *n,
                    const char *why)
{
    char words[120];
    assert_true(is->take(m, j, NULL));
    snprintf(words, sizeof words, "%s: .judgement is %s", is->who, why);
    assert_rejected(m->mu.tape, GB_EARGUMENT, words);
    assert_true(is->take(m, NULL, n));
    snprintf(words, sizeof words, "%s: .nuts is %s", is->who, why);
    assert_rejected(m->mu.tape, GB_EARGUMENT, words);
}

TEST_EACH(draws_are_of_one_elbo, takers)
{
    model a = of_name(t, "a");
    const model b = of_name(t, "b"), elsewhere = of_name(test_tape(.seed = 1), "a");
    gb_judgement *const j = gb_judge(a.e);
    gb_nuts *const n = gb_sample_nuts(a.e, .draws = 100);
    assert_fine(t);
    assert_false(((const struct takes *)row)->take(&a, j, NULL));
    assert_false(((const struct takes *)row)->take(&a, NULL, n));
    rejects(row, &b, j, n, "of another ELBO, with the latent a");
    rejects(row, &elsewhere, j, n, "of another tape than the ELBO");
    gb_tape_reset(t);
    a = of_name(t, "a");
    rejects(row, &a, j, n, "from before gb_tape_reset");
    gb_judgement_free(j);
    gb_nuts_free(n);
}
