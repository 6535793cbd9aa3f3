/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as text. */
#include "support/close.h"

#include "distributions/list.h"
#include "distributions/text.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static const struct {
    const char *text, *written;
} readable[] = {
    {"normal", NULL},
    {"normal:2", "normal:loc=2"},
    {"normal:0:1", "normal"},
    {"normal:2,:3", "normal:loc=2,:scale=3"},
    {"normal:2:0.5", "normal:loc=2:scale=0.5"},
    {"student_t:df=4:scale=2.5", NULL},
    {"dirichlet:concentration=2,", NULL},
    {"half_cauchy:scale=0.1", NULL},
    {"gamma:concentration=2:rate=3", NULL},
    {"dirichlet:concentration=1,2,0.5", NULL},
    {"categorical:probs=0.25,0.75", NULL},
    {"categorical:logits=0,1,2", NULL},
    {"bernoulli:logits=0.5", NULL},
    {"binomial:10:logits=-1", "binomial:total=10:logits=-1"},
    {"truncated_normal:low=-1:high=inf", NULL},
    {"categorical:logits=0,-inf", NULL},
    {"uniform:-1:1", "uniform:low=-1:high=1"},
};

TEST(a_text_is_the_distribution_and_back)
{
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        char text[128];
        const gb_dist d = gb_dist_parse(t, readable[i].text);
        assert_fine(t);
        assert_true(gb_dist_ok(d));
        const size_t length = gb_dist_text(d, text, sizeof text);
        assert_string_equal(text, readable[i].written ? readable[i].written : readable[i].text);
        assert_int_equal(length, strlen(text));
    }
}

TEST(its_density_is_that_of_the_constructor)
{
    const gb_node x = gb_num(t, 1.25), four = gb_num(t, 4), zero = gb_num(t, 0), scale = gb_num(t, 2.5);
    const gb_node is = gb_log_prob(gb_dist_parse(t, "student_t:df=4:scale=2.5"), x);
    const gb_node should = gb_log_prob(gb_student_t(four, zero, scale), x);
    assert_values(gb_sub(is, should), 0);
}

/* Each type with its parameters at some of their values comes back from its own text. */
TEST(every_plain_distribution_comes_back_from_its_text)
{
    size_t count, plain = 0;
    const gb_dist_type *const *const all = gb_dists(&count);
    for (size_t i = 0; i < count; i++) {
        char text[256] = "", again[256];
        bool numbers = !all[i]->wraps && all[i] != &gb_lkj_cholesky_type;
        size_t used = (size_t)snprintf(text, sizeof text, "%s", all[i]->name);
        for (size_t p = 0; p < GB_MAX_PARAMS && all[i]->param[p].name; p++) {
            const gb_option *const o = &all[i]->param[p];
            const double some[] = {0.25, 0.5, 2, 3, -1, 1, 1e6};
            size_t k = p == 3 ? 3 : 0; /* an upper end */
            numbers &= o->domain->event_rank == 0;
            while (k < 6 && !gb_domain_holds(o->domain, some[k]))
                k++;
            used += (size_t)snprintf(text + used, sizeof text - used, ":%s=%g", o->name, some[k]);
        }
        if (!numbers || all[i] == &gb_uniform_type)
            continue;
        const gb_dist d = gb_dist_parse(t, text);
        if (gb_error(t) != GB_OK)
            fail_msg("%s: %s", text, gb_error_text(t));
        gb_dist_text(d, again, sizeof again);
        assert_string_equal(again, text);
        plain++;
    }
    assert_true(plain > 25);
}

/* It did: a read of what no program keeps. */
TEST(writing_a_text_records_no_error_after_a_run)
{
    char text[64];
    const gb_dist d = gb_normal(gb_zeros(t, gb_shape(2)), gb_stop(gb_num(t, 3)));
    assert_values(gb_log_prob(gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_num(t, 0)), -0.5 * log(2 * GB_PI));
    gb_dist_text(d, text, sizeof text);
    assert_string_equal(text, "normal:loc=0,0:scale=3");
    assert_fine(t);
    gb_dist_text(gb_independent(d, 1), text, sizeof text);
    assert_non_null(strstr(text, ":?"));
}

TEST(a_type_of_ones_own_is_read_by_its_parameters)
{
    char text[64];
    gb_dist_type own = gb_gamma_type;
    own.name = "own";
    gb_dist_text(gb_dist_parse_of(t, &own, "2:rate=3"), text, sizeof text);
    assert_string_equal(text, "own:concentration=2:rate=3");
    assert_false(gb_dist_ok(gb_dist_parse_of(t, NULL, "2")));
    assert_rejected(t, GB_EARGUMENT, "there is no type");
    own.size = 0;
    assert_false(gb_dist_ok(gb_dist_parse_of(t, &own, "2:3")));
    assert_rejected(t, GB_EARGUMENT, "gb_dist_parse_of");
}

TEST(a_parameter_that_is_no_constant_is_marked)
{
    char text[64];
    const gb_node v = gb_variable(t, "v", gb_shape(), gb_fill(1));
    gb_dist_text(gb_normal(v, gb_exp(v)), text, sizeof text);
    assert_string_equal(text, "normal:loc=?:scale=?");
    gb_dist_text((gb_dist){0}, text, sizeof text);
    assert_string_equal(text, "none");
    gb_dist_text(gb_normal(gb_zeros(t, gb_shape(2)), gb_num(t, 3)), text, 10);
    assert_string_equal(text, "normal:lo");
    assert_fine(t);
}

TEST(what_is_wrong_is_rejected_in_words)
{
    static const char *const wrong[][2] = {
        {"", "a distribution is expected"},
        {"norml", "there is no distribution norml; did you mean normal?"},
        {"normal:lco=1", "there is no parameter of normal called lco; did you mean loc?"},
        {"normal:scale=-1", "normal: scale is -1, and must be positive"},
        {"normal:1:2:3", "there is no parameter of normal called 3"},
        {"normal:loc=1:loc=2", "loc is given twice"},
        {"normal:loc=0x1", "loc takes a number, not \"0x1\""},
        {"gamma:concentration=2", "gamma needs rate: gamma:concentration=…:rate=…"},
        {"dirichlet:concentration=1,,2", "concentration takes a number, not \"\""},
        {"mixture", "distribution mixture: it is made of more than numbers and vectors"},
        {"lkj_cholesky:2", "distribution lkj_cholesky: it is made of more than numbers and vectors"},
        {"bernoulli_logits:1", "there is no distribution bernoulli_logits; its text is bernoulli:logits=…"},
        {"bernoulli:prob=0.5:logits=1",
         "bernoulli: the text has parameters of both forms; take prob or logits"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(gb_dist_ok(gb_dist_parse(t, wrong[i][0])));
        assert_rejected(t, GB_EARGUMENT, wrong[i][1]);
    }
    assert_false(gb_dist_ok(gb_dist_parse(t, NULL)));
    assert_rejected(t, GB_EARGUMENT, "a distribution is expected");
    assert_false(gb_dist_ok(gb_dist_parse(NULL, "normal")));
}
