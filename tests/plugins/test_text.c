/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plug-ins as text, of all kinds: what is read is what the constructor makes, what is written is read back,
 * and what is wrong is rejected in words. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/bound.h"
#include "estimators/list.h"
#include "models/family.h"
#include "models/optimiser.h"
#include "support/plugins.h"

/* ---- reading and writing ---- */

/* The two constructors of `text` and `value` agree, and the text comes back. */
static void agrees(const gb_kind *kind, const char *text, const void *type, gb_packed options,
                   const char *written)
{
    char error[256], back[256];
    const gb_plugin *read;
    gb_packed packed;
    if (!gb_plugin_parse(kind, text, &read, &packed, error, sizeof error))
        fail_msg("\"%s\": %s", text, error);
    assert_ptr_equal(read, type);
    if (!gb_options_same(&packed, &options))
        fail_msg("\"%s\" has other options than the constructor", text);
    const size_t length = gb_plugin_text(type, &options, back, sizeof back);
    assert_int_equal(length, strlen(back));
    assert_string_equal(back, written ? written : text);
}
#define AGREES(kind, text, value, written) agrees(&kind, text, (value).type, (value).options, written)

TEST(a_text_makes_what_the_constructor_makes_and_back)
{
    AGREES(gb_estimator_kind, "score", gb_score(), NULL);
    AGREES(gb_estimator_kind, "score:baseline=loo", gb_score(.baseline = gb_leave_one_out()),
           "score:baseline=leave_one_out");
    AGREES(gb_estimator_kind, "score:baseline=constant(0.5)", gb_score(.baseline = gb_constant_baseline(0.5)),
           NULL);
    AGREES(gb_estimator_kind, "score:baseline=constant(value=-2e1)",
           gb_score(.baseline = gb_constant_baseline(-20)), "score:baseline=constant(-20)");
    AGREES(gb_estimator_kind, "score:baseline=moving(decay=0.5)",
           gb_score(.baseline = gb_moving_average(.decay = 0.5)), "score:baseline=moving_average(decay=0.5)");
    AGREES(gb_estimator_kind, "rebar:temperature=0.3:learn", gb_rebar(.temperature = 0.3, .learn = true),
           "rebar:temperature=0.3:learn=yes");
    AGREES(gb_estimator_kind, "rebar:learn=no", gb_rebar(), "rebar");
    AGREES(gb_estimator_kind, "pathwise:draws=sobol", gb_pathwise(.draws = GB_SOBOL), NULL);
    AGREES(gb_estimator_kind, "dropout:mask=rebar(temperature=0.3:eta=0.25)",
           gb_dropout_draws(.mask = gb_rebar(.temperature = 0.3, .eta = 0.25)), NULL);
    AGREES(gb_estimator_kind, "dropout:mask=score(baseline=constant(0.5)):per_row",
           gb_dropout_draws(.mask = gb_score(.baseline = gb_constant_baseline(0.5)), .per_row = true),
           "dropout:mask=score(baseline=constant(0.5)):per_row=yes");
    AGREES(gb_optimiser_kind, "adam:lr=0.01:schedule=cosine(5000)",
           gb_adam(.lr = 0.01, .schedule = gb_cosine(5000)), NULL);
    AGREES(gb_optimiser_kind, "sgd:schedule=warm_up(10:cosine(100:end=0.1)):nesterov:momentum=0.9",
           gb_sgd(.schedule = gb_warm_up(10, gb_cosine(100, .end = 0.1)), .momentum = 0.9, .nesterov = true),
           "sgd:schedule=warm_up(10:cosine(100:end=0.1)):momentum=0.9:nesterov=yes");
    AGREES(gb_schedule_kind, "step_decay:500:0.5", gb_step_decay(500, 0.5), NULL);
    AGREES(gb_schedule_kind, "step_decay:factor=0.5:every=500", gb_step_decay(500, 0.5),
           "step_decay:500:0.5");
    AGREES(gb_schedule_kind, "warm_up:10", gb_warm_up(10, (gb_schedule){0}), NULL);
    AGREES(gb_family_kind, "full_rank:scale=0.05", gb_full_rank(gb_shape(3), .scale = 0.05), NULL);
    AGREES(gb_family_kind, "low_rank:map=exp:rank=3",
           gb_low_rank(gb_shape(3), .rank = 3, .map = GB_SCALE_EXP), "low_rank:map=exp:rank=3");
    AGREES(gb_family_kind, "matching:positive=lognormal",
           gb_mean_field_matching(gb_shape(), .positive = GB_MATCHING_LOGNORMAL), NULL);
    AGREES(gb_bound_kind, "elbo", gb_evidence_bound(), NULL);
}

TEST(what_cannot_be_text_is_marked_and_not_read_back)
{
    char text[64], error[256];
    gb_estimator back;
    gb_estimator_text(gb_score(.baseline = gb_learned_baseline(gb_num(t, 1))), text, sizeof text);
    assert_string_equal(text, "score:baseline=learned(?)");
    assert_false(gb_estimator_parse(text, &back, error, sizeof error));
    assert_null(back.type);
}

TEST(a_text_that_finds_no_room_says_how_long_it_is)
{
    char text[8];
    assert_int_equal(gb_optimiser_text(gb_adam(.lr = 0.01), text, sizeof text), strlen("adam:lr=0.01"));
    assert_string_equal(text, "adam:lr");
    assert_int_equal(gb_optimiser_text(gb_adam(.lr = 0.01), NULL, 0), strlen("adam:lr=0.01"));
}

/* ---- every member of every kind ---- */

TEST(every_member_comes_back_from_its_text)
{
    for (size_t k = 0; k < PLUGIN_KINDS; k++)
        for (size_t i = 0; plugin_kinds[k]->at(i); i++) {
            char text[256], error[256];
            const gb_plugin *const type = plugin_kinds[k]->at(i), *back;
            gb_packed options = {0}, read;
            if (!plugin_example(type, &options))
                continue;
            gb_plugin_text(type, &options, text, sizeof text);
            if (!gb_plugin_parse(plugin_kinds[k], text, &back, &read, error, sizeof error))
                fail_msg("%s: %s", text, error);
            assert_ptr_equal(back, type);
            assert_true(gb_options_same(&options, &read));
        }
}

/* ---- rejections ---- */

static const struct {
    const gb_kind *kind;
    const char *text, *words;
} rejections[] = {
    {&gb_estimator_kind, "", "a name is expected (of a kind: estimator), or NAME:OPTION=VALUE"},
    {&gb_estimator_kind, NULL, "a name is expected"},
    {&gb_estimator_kind, "pathwize", "there is no estimator pathwize; did you mean pathwise?"},
    {&gb_estimator_kind, "xyzzyxyzzy", "there is no estimator xyzzyxyzzy"},
    {&gb_estimator_kind, "score:basline=loo",
     "there is no option of score called basline; did you mean baseline?"},
    {&gb_estimator_kind, "score:baseline=leave_one",
     "there is no baseline leave_one; did you mean leave_one_out?"},
    {&gb_estimator_kind, "score:baseline=constant(x)", "value takes a number, not \"x\""},
    {&gb_estimator_kind, "score:baseline=constant(1", "NAME or NAME(OPTIONS) is expected"},
    {&gb_estimator_kind, "score:baseline=constant(1))", "NAME or NAME(OPTIONS) is expected"},
    {&gb_estimator_kind, "score:baseline=constant(1)x", "NAME or NAME(OPTIONS) is expected"},
    {&gb_estimator_kind, "score:baseline=constant", "constant needs value: constant(value=…)"},
    {&gb_estimator_kind, "score:baseline=constant()", "value takes a number, not \"\""},
    {&gb_estimator_kind, "score:baseline=constant(\n1)", "value takes a number"},
    {&gb_estimator_kind, "score:baseline=constant(0x10)", "value takes a number, not \"0x10\""},
    {&gb_estimator_kind, "score:baseline=constant(1:2)", "there is no option of constant called 2"},
    {&gb_estimator_kind, "score:baseline=none(3)", "there is no option of none called 3"},
    {&gb_estimator_kind, "score:baseline=learned", "learned is made of a node, and cannot be given as text"},
    {&gb_estimator_kind, "score:baseline=loo:baseline=none", "score: baseline is given twice"},
    {&gb_estimator_kind, "score:baseline", "score: baseline needs a value: baseline=…"},
    {&gb_estimator_kind, "rebar:temperature=0", "temperature is 0, and must be from 0.001 to 1000"},
    {&gb_estimator_kind, "rebar:temperature=1x", "temperature takes a number, not \"1x\""},
    {&gb_estimator_kind, "rebar:temperature=1e999", "temperature takes a number"},
    {&gb_estimator_kind, "rebar:learn=perhaps", "learn takes yes or no, not \"perhaps\""},
    {&gb_estimator_kind, "rebar:eta=0", "eta: 0 stands for the default, 1"},
    {&gb_estimator_kind, "arm:eta=1", "there is no option of arm called eta"},
    {&gb_estimator_kind, "score:", "there is no option of score called"},
    {&gb_estimator_kind, "score ", "there is no estimator \"score \"; did you mean score?"},
    {&gb_estimator_kind, "relaxed:annealed=1", "annealed is a node, and cannot be given as text"},
    {&gb_estimator_kind, "relax:surrogate=1", "surrogate cannot be given as text"},
    {&gb_estimator_kind, "pathwise:draws=sobl",
     "there is no choice of draws called sobl; did you mean sobol?"},
    {&gb_schedule_kind, "cosine:-5", "steps is -5, and must be positive"},
    {&gb_schedule_kind, "cosine:5:6", "there is no option of cosine called 6"},
    {&gb_schedule_kind, "cosine", "cosine needs steps: cosine:steps=…"},
    {&gb_schedule_kind, "step_decay:5", "step_decay needs factor: step_decay:every=…:factor=…"},
    {&gb_schedule_kind, "cosine(5)",
     "NAME:OPTIONS is expected; parentheses are for a plug-in inside another"},
    {&gb_optimiser_kind, "adam:schedule=cosine:5", "cosine needs steps: cosine(steps=…)"},
    {&gb_optimiser_kind, "adam:schedule=cosine(5:end=2)", "adam: schedule cosine: end is 2, and must be"},
    {&gb_family_kind, "low_rank:rank=1e16", "rank is 1e+16, and must be at most 2^53"},
    {&gb_estimator_kind, "score:baseline=constant(1e-400)", "value takes a number"},
    {&gb_estimator_kind, "score:baseline=", "there is no baseline \"\""},
    {&gb_estimator_kind, "score\n", "there is no estimator \"score\\n\"; did you mean score?"},
    {&gb_estimator_kind, "relax:surrogate", "surrogate cannot be given as text"},
    {&gb_dist_kind, "normal", "a distribution has no text form of options"},
    {&gb_optimiser_kind, "adam:schedule=cosine(0)", "steps is 0, and must be positive"},
    {&gb_optimiser_kind, "adam:beta1=1", "beta1 is 1, and must be from 0 to below 1"},
    {&gb_optimiser_kind, "lbfgs:history=2.5", "history is 2.5, and must be a whole number from 1 to 100"},
    {&gb_family_kind, "low_rank:rank=1.5", "rank is 1.5, and must be a whole number above 0"},
    {&gb_family_kind, "dropout", "dropout needs keep: dropout:keep=…"},
    {&gb_family_kind, "given", "given is made of a distribution, and cannot be given as text"},
};

TEST(what_is_wrong_is_rejected_with_the_nearest_name)
{
    for (size_t i = 0; i < sizeof rejections / sizeof *rejections; i++) {
        char error[256] = "";
        const gb_plugin *type;
        gb_packed options;
        if (gb_plugin_parse(rejections[i].kind, rejections[i].text, &type, &options, error, sizeof error))
            fail_msg("\"%s\" was read", rejections[i].text);
        if (!strstr(error, rejections[i].words))
            fail_msg("\"%s\": \"%s\", without \"%s\"", rejections[i].text, error, rejections[i].words);
        assert_null(type);
    }
}

/* Today's limit was 64 bytes of a number: what stood beyond it was dropped. */
TEST(a_long_text_is_read_to_its_end)
{
    char text[400] = "score:baseline=constant(0.", error[256];
    gb_estimator e;
    memset(text + strlen(text), '3', 300);
    strcat(text, ")");
    assert_true(gb_estimator_parse(text, &e, error, sizeof error));
    text[strlen(text) - 2] = 'x';
    assert_false(gb_estimator_parse(text, &e, error, sizeof error));
    assert_non_null(strstr(error, "value takes a number"));
}

TEST(the_nearest_name_is_near_or_none)
{
    static const char *const names[] = {"pathwise", "score", "measure"};
    assert_string_equal(gb_nearest_name("scor", 3, names), "score");
    assert_string_equal(gb_nearest_name("mesure", 3, names), "measure");
    assert_null(gb_nearest_name("qqqqqqq", 3, names));
    assert_null(gb_nearest_name(NULL, 3, names));
}

TEST(shorter_words_stand_for_names)
{
    assert_ptr_equal(gb_estimator_find("stl"), &gb_sticking_the_landing_estimator_type);
    assert_ptr_equal(gb_baseline_find("loo"), &gb_leave_one_out_baseline_type);
    assert_null(gb_estimator_find(NULL));
    assert_null(gb_estimator_find("st2"));
}

TEST(none_is_the_text_of_no_plugin)
{
    char error[256], text[64];
    gb_optimiser adam;
    gb_estimator dropout;
    assert_true(gb_optimiser_parse("adam:schedule=none", &adam, error, sizeof error));
    gb_optimiser_text(adam, text, sizeof text);
    assert_string_equal(text, "adam");
    assert_true(gb_estimator_parse("dropout:mask=none", &dropout, error, sizeof error));
    gb_estimator_text(dropout, text, sizeof text);
    assert_string_equal(text, "dropout");
}

TEST(plugins_in_one_another_without_end_are_rejected)
{
    enum { LEVELS = 100000 };
    static const char level[] = "warm_up(1:";
    char *const text = malloc(LEVELS * sizeof level + 64), *at = text, error[256];
    gb_schedule schedule;
    assert_non_null(text);
    at += sprintf(at, "warm_up:1:");
    for (size_t i = 0; i < LEVELS; i++)
        at += sprintf(at, "%s", level);
    at += sprintf(at, "cosine(5)");
    for (size_t i = 0; i < LEVELS; i++)
        *at++ = ')';
    *at = '\0';
    assert_false(gb_schedule_parse(text, &schedule, error, sizeof error));
    assert_non_null(strstr(error, "more than 32 deep"));
    free(text);
}

TEST(a_family_keeps_its_rows_in_a_text)
{
    char error[256], text[64], small[6];
    gb_family family;
    memset(&family, 0xaa, sizeof family);
    assert_true(gb_family_parse("mean_field:scale=0.3", &family, error, sizeof error));
    assert_true(!family.row_by_row && family.shape.rank == 0);
    gb_family_text(gb_row_by_row(family), text, sizeof text);
    assert_string_equal(text, "row_by_row:mean_field:scale=0.3");
    assert_true(gb_family_parse(text, &family, error, sizeof error) && family.row_by_row);
    assert_int_equal(gb_family_text(family, small, sizeof small), strlen(text));
    assert_string_equal(small, "row_b");
    assert_false(gb_family_parse("row_by_row:", &family, error, sizeof error));
}

TEST(options_that_a_text_does_not_name_have_their_defaults)
{
    char error[256];
    gb_cosine_options cosine = {.size = sizeof cosine, .steps = 3, .end = 0.5};
    assert_true(gb_options_parse("cosine", gb_cosine_schedule_type.options, "500", NULL, &cosine, error,
                                 sizeof error));
    assert_true(cosine.size == sizeof cosine && cosine.steps == 500 && cosine.end == 0);
    assert_false(gb_options_parse("cosine", gb_cosine_schedule_type.options, "-1", NULL, &cosine, error,
                                  sizeof error));
    assert_string_equal(error, "cosine: steps is -1, and must be positive and finite");
}
