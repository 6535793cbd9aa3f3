/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators as text: what is understood, and what is said of what is not. */
#include "support/close.h"

#include "estimators/list.h"
#include "plugins/plugin.h"

static void refused(const char *text, const char *words)
{
    char error[256] = "";
    gb_estimator e;
    if (gb_estimator_parse(text, &e, error, sizeof error))
        fail_msg("\"%s\" was taken", text);
    if (!strstr(error, words))
        fail_msg("\"%s\": \"%s\", without \"%s\"", text, error, words);
    assert_null(e.type);
}

static gb_estimator taken(const char *text)
{
    char error[256] = "";
    gb_estimator e;
    if (!gb_estimator_parse(text, &e, error, sizeof error))
        fail_msg("\"%s\": %s", text, error);
    return e;
}

TEST(every_name_alone_is_its_estimator)
{
    size_t count;
    const gb_estimator_type *const *all = gb_estimators(&count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(taken(all[i]->name).type, all[i]);
    assert_ptr_equal(taken("stl").type, &gb_sticking_the_landing_type);
}

TEST(options_are_as_the_constructor_would_set_them)
{
    const struct {
        const char *text;
        gb_baseline baseline;
    } cases[] = {{"score", gb_no_baseline()},
                 {"score:baseline=loo", gb_leave_one_out()},
                 {"score:baseline=leave_one_out", gb_leave_one_out()},
                 {"score:baseline=moving", gb_moving_average()},
                 {"score:baseline=moving_average(0.5)", gb_moving_average(.decay = 0.5)},
                 {"score:baseline=constant(-2e1)", gb_constant_baseline(-20)},
                 {"score:baseline=delta", gb_delta()}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gb_estimator e = taken(cases[i].text);
        const gb_score_options *const o = (const void *)e.options.bytes;
        assert_ptr_equal(o->baseline.type, cases[i].baseline.type);
        assert_true(o->baseline.number == cases[i].baseline.number);
    }
    const gb_estimator e = taken("rebar:temperature=0.3:learn");
    const gb_rebar_options *const o = (const void *)e.options.bytes;
    assert_true(o->temperature == 0.3 && o->eta == 1 && o->learn);
    const gb_estimator no = taken("rebar:learn=no");
    assert_false(((const gb_rebar_options *)(const void *)no.options.bytes)->learn);
}

TEST(what_is_wrong_is_told_with_the_nearest_name)
{
    refused("", "an estimator is expected");
    refused(NULL, "an estimator is expected");
    refused("pathwize", "there is no estimator pathwize; did you mean pathwise?");
    refused("xyzzyxyzzy", "there is no estimator xyzzyxyzzy");
    refused("score:basline=loo", "there is no option of score called basline; did you mean baseline?");
    refused("score:baseline=leave_one", "there is no baseline leave_one; did you mean leave_one_out?");
    refused("score:baseline=constant(x)", "constant takes a number, not \"x\"");
    refused("score:baseline=constant(1", "NAME or NAME(NUMBER) is expected");
    refused("score:baseline=constant", "baseline constant needs the number: constant(NUMBER)");
    refused("score:baseline=none(3)", "baseline none takes no number");
    refused("score:baseline=loo(1)", "baseline loo takes no number");
    refused("score:baseline=learned", "cannot be given as text");
    refused("rebar:temperature=0", "temperature is 0, and must be from 0.001 to 1000");
    refused("rebar:temperature=1x", "temperature takes a number, not \"1x\"");
    refused("rebar:learn=perhaps", "learn takes yes or no");
    refused("rebar:eta=0", "eta: 0 stands for the usual number");
    refused("score:baseline=moving(0)", "moving: 0 stands for the usual number");
    refused("arm:eta=1", "there is no option of arm called eta");
    refused("score:", "there is no option of score called");
}

TEST(the_nearest_name_is_near_or_none)
{
    static const char *const names[] = {"pathwise", "score", "measure"};
    assert_string_equal(gb_nearest_name("scor", 3, names), "score");
    assert_string_equal(gb_nearest_name("mesure", 3, names), "measure");
    assert_null(gb_nearest_name("qqqqqqq", 3, names));
    assert_null(gb_nearest_name(NULL, 3, names));
}
