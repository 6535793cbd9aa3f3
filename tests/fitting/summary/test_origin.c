/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws belong to the ELBO that they were made from. */
#include "support/close.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- nodes ---- */

TEST(nodes_are_of_the_tape_of_the_model)
{
    const model m = of_name(t, "a"), elsewhere = of_name(test_tape(), "a");
    assert_null(gb_summary(m.e, .nodes = gb_roots(m.mu, elsewhere.mu)));
    assert_rejected(t, GB_ENODE, "summary: node 1 is not a usable node of the ELBO's tape");
    gb_elbo_loo(m.e, gb_roots(elsewhere.each));
    assert_rejected(t, GB_ENODE, "elbo_loo: node 0 is not a usable node of the ELBO's tape");
    gb_predictive_check(m.e, m.mu, elsewhere.mu);
    assert_rejected(t, GB_ENODE, "predictive_check: node 1 is not a usable node of the ELBO's tape");
}

/* ---- when the others are gone ---- */

typedef gb_status printer(const gb_summary_table *s, FILE *file);

static void print_to(printer *print, const void *what, char text[4096])
{
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_int_equal(print(what, file), GB_OK);
    rewind(file);
    text[fread(text, 1, 4095, file)] = '\0';
    fclose(file);
}

static gb_status print_nuts(const gb_summary_table *s, FILE *file)
{
    return gb_nuts_print((const gb_nuts *)(const void *)s, file);
}

static gb_status print_judgement(const gb_summary_table *s, FILE *file)
{
    return gb_judgement_print((const gb_judgement *)(const void *)s, file);
}

static void overwrite_freed_memory(void)
{
    for (size_t i = 1; i < 60; i++) {
        char *const block = malloc(100 * i);
        memset(block, 'Z', 100 * i);
        free(block);
    }
}

TEST(tables_stay_when_the_judgement_and_the_tape_are_gone)
{
    gb_tape *const tape = gb_tape_new(.seed = 1, .threads = 1);
    const model m = of_name(tape, "mu");
    gb_judgement *const j = gb_judge(m.e);
    gb_nuts *const n = gb_sample_nuts(m.e, .draws = 100);
    gb_summary_table *const of_q = gb_summary(m.e, .judgement = j), *const of_nuts =
                                                                        gb_summary(m.e, .nuts = n);
    const void *const what[] = {of_q, of_nuts, n, j};
    printer *const print[] = {gb_summary_print, gb_summary_json, print_nuts, print_judgement};
    char before[4][4096], after[4096];
    assert_fine(tape);
    for (int i = 0; i < 4; i++)
        print_to(print[i], what[i], before[i]);
    gb_tape_free(tape);
    overwrite_freed_memory();
    assert_int_equal(gb_draws_save(of_q, "/"), GB_EARGUMENT);
    assert_int_equal(gb_draws_save(of_q, "no such folder/draws.csv"), GB_ESYSTEM);
    for (int i = 3; i >= 0; i--) {
        print_to(print[i], what[i], after);
        assert_string_equal(after, before[i]);
        if (i == 3)
            gb_judgement_free(j);
        if (i == 2)
            gb_nuts_free(n);
        overwrite_freed_memory();
    }
    gb_summary_free(of_q);
    gb_summary_free(of_nuts);
}
