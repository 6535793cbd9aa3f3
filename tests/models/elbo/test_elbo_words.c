/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rejections by an ELBO and its families name the latent or the term, and say what to do. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"

typedef struct scene {
    gb_tape *t, *other;
    gb_elbo *e;
    gb_node one;
    gb_dist prior;
} scene;

static scene begin(void)
{
    scene s = {.t = test_tape(), .other = test_tape()};
    s.e = gb_elbo_new(s.t, .data_size = 2);
    s.one = gb_num(s.t, 1);
    s.prior = gb_normal(gb_num(s.t, 0), s.one);
    return s;
}

TEST(options_that_are_no_numbers_of_theirs_are_rejected)
{
    scene s = begin();
    assert_null(gb_elbo_new(s.t, .data_size = 1, .kl = (gb_kl_mode)9));
    assert_rejected(s.t, GB_EARGUMENT, "elbo: there is no .kl number 9 (GB_KL_AUTO");
    assert_null(gb_elbo_new(s.t, .data_size = 1, .unit = (gb_elbo_unit)9));
    assert_rejected(s.t, GB_EARGUMENT, "elbo: there is no unit number 9 (GB_PER_DATA_SET");
    const double wrong[] = {-1, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_null(gb_elbo_new(s.t, .data_size = 1, .kl_weight = gb_num(s.t, wrong[i])));
        assert_rejected(s.t, GB_EARGUMENT, "elbo: .kl_weight is ");
    }
    assert_non_null(gb_elbo_new(s.t, .data_size = 1, .kl_weight = gb_num(s.t, 0)));
}

TEST(a_name_is_given_once)
{
    scene s = begin();
    const gb_node w = gb_latent(s.e, "w", gb_mean_field(gb_shape()), s.prior, gb_pathwise());
    gb_latent(s.e, "w", gb_mean_field(gb_shape()), s.prior, gb_pathwise());
    assert_rejected(s.t, GB_ENAME,
                    "latent w: that is the name of a term of this ELBO already; give it another name");
    gb_factor(s.e, "w", w);
    assert_rejected(s.t, GB_ENAME, "factor w: that is the name of a term");
    gb_latent(s.e, "v", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    assert_fine(s.t);
    gb_log_likelihood(s.e, "v", w);
    assert_rejected(s.t, GB_ENAME, "log_likelihood v: that is the name of a term");
    gb_observe(s.e, "ELBO", s.prior, s.one);
    assert_rejected(s.t, GB_ENAME, "observe ELBO: that is the name of the sum of the terms");
    gb_node draws[2];
    const gb_latent_part twins[] = {{.name = "a", .shape = gb_shape(), .prior = s.prior},
                                    {.name = "a", .shape = gb_shape(), .prior = s.prior}};
    gb_latent_block(s.e, "block", gb_mean_field(gb_shape()), 2, twins, gb_pathwise(), draws);
    assert_rejected(s.t, GB_ENAME, "latent_block block: parts 0 and 1 are both named a");
    gb_factor(s.e, "", w);
    assert_rejected(s.t, GB_ENAME, "factor: a name is required");
}

TEST(a_term_that_is_no_real_node_is_named)
{
    scene s = begin();
    gb_log_likelihood(s.e, "y", (gb_node){0});
    assert_rejected(s.t, GB_ENODE, "log_likelihood y: it is not a usable node of this tape; give a real one");
    gb_factor(s.e, "penalty", gb_num(s.other, 1));
    assert_rejected(s.t, GB_ENODE, "factor penalty: it is not a usable node of this tape");
    gb_log_likelihood(s.e, "y", gb_ints(s.t, gb_shape(), (int64_t[]){1}));
    assert_rejected(s.t, GB_ETYPE,
                    "log_likelihood y: its values are not real numbers (gb_to_real makes them so)");
}

TEST(a_family_that_cannot_be_is_named_with_its_latent)
{
    scene s = begin();
    gb_latent(s.e, "a", gb_mean_field(gb_shape(), .map = (gb_scale_map)7), s.prior, gb_pathwise());
    assert_rejected(s.t, GB_EARGUMENT, "latent a: mean_field: map has no choice number 7");
    gb_latent(s.e, "b", gb_posterior_of((gb_dist){0}), s.prior, gb_pathwise());
    assert_rejected(s.t, GB_EARGUMENT, "latent b: gb_posterior_of was given no distribution");
    gb_latent(s.e, "c", gb_mean_field(gb_shape(-1)), s.prior, gb_pathwise());
    assert_rejected(s.t, GB_ESHAPE, "latent c: mean_field was given no shape (gb_shape() is one number");
    gb_latent(s.e, "d", gb_full_rank(gb_shape(0)), s.prior, gb_pathwise());
    assert_rejected(s.t, GB_ESHAPE, "latent d: full_rank was given a shape without numbers");
}

/* ---- two ELBOs on one tape ---- */

TEST(each_elbo_has_a_step_of_its_own_schedule)
{
    scene s = begin();
    const char *const name[] = {"a", "b"}, *const step[] = {"kl_schedule.step", "kl_schedule_2.step"};
    gb_program *train[2];
    gb_elbo *e[2];
    for (int i = 0; i < 2; i++) {
        e[i] = gb_elbo_new(s.t, .data_size = 1, .kl_schedule = gb_warm_up(10, gb_steady()));
        gb_latent(e[i], name[i], gb_mean_field(gb_shape()), s.prior, gb_pathwise());
        const gb_node loss = gb_elbo_loss(e[i]);
        train[i] = gb_compile(s.t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 0.01)));
    }
    assert_fine(s.t);
    for (int run = 0; run < 5; run++)
        assert_int_equal(gb_run(train[run < 2]), GB_OK);
    assert_true(gb_value(gb_variable_named(s.t, step[0])) == 3);
    assert_true(gb_value(gb_variable_named(s.t, step[1])) == 2);
}
