/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NULL where an array or a place is needed, in the rooms above the operations: the code and the words, or
 * nothing stored. */
#include "support/close.h"

#include <string.h>

#include "compare/compare.h"
#include "compare/problem.h"
#include "distributions/list.h"
#include "distributions/text.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "estimators/reach.h"
#include "estimators/smooth.h"
#include "estimators/visit.h"
#include "models/batches.h"
#include "models/elbo.h"
#include "models/family.h"
#include "models/plateau.h"

TEST(a_list_of_columns_that_is_not_there_is_rejected)
{
    assert_null(gb_batches_new(t, .rows = 3, .columns = {NULL, 3}));
    assert_rejected(t, GB_EARGUMENT, "batches: the list of 3 columns is NULL");
}

TEST(distributions_store_what_is_asked_for)
{
    const gb_dist d = gb_normal(gb_num(t, 0), gb_num(t, 2));
    char text[64];
    assert_non_null(gb_dist_params(&d, NULL));
    assert_null(gb_dist_params(NULL, NULL));
    assert_int_equal(gb_dist_text(d, NULL, 10), gb_dist_text(d, text, sizeof text));
    assert_true(gb_dist_measure(gb_poisson(gb_num(t, 2)), 0, 0, NULL) ==
                gb_dist_measure(gb_poisson(gb_num(t, 2)), 0, 0, &(gb_measure){0}));
    assert_fine(t);
    assert_false(gb_node_ok(gb_domain_outside(NULL, gb_num(t, 1))));
    assert_rejected(t, GB_EARGUMENT, "domain: NULL is no domain");
}

TEST(estimators_store_what_is_asked_for)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(1));
    char text[64];
    assert_true(gb_estimator_parse("score", NULL, NULL, 0));
    assert_false(gb_estimator_parse("scroe", NULL, text, sizeof text));
    assert_int_equal(gb_estimator_text(gb_score(), NULL, 10),
                     gb_estimator_text(gb_score(), text, sizeof text));
    assert_false(gb_hermite_rule(3, NULL, NULL));
    assert_int_equal(gb_node_variables(x, NULL, 4), 1);
    assert_true(gb_is_smooth(x, x, NULL));
    assert_fine(t);
    gb_visit(x, NULL, NULL);
    assert_rejected(t, GB_EARGUMENT, "visit: the function is NULL");
    assert_false(gb_reach_of(x, x, NULL));
    assert_rejected(t, GB_EARGUMENT, "reach_of: the place for the terms is NULL");
}

TEST(a_plateau_and_a_problem_that_are_not_there_do_nothing)
{
    const char *words = NULL;
    double setting[GB_PROBLEM_SETTINGS] = {7};
    assert_false(gb_plateau_fits(NULL, &words));
    assert_string_equal(words, "the options are NULL");
    assert_false(gb_plateau_reached(NULL, 0, 0));
    gb_problem_defaults(NULL, setting);
    assert_true(setting[0] == 7);
}

TEST(a_family_of_a_shape_that_nobody_has_filled_in_is_rejected)
{
    gb_shape wild;
    memset(&wild, 0x7f, sizeof wild);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_family families[] = {gb_mean_field(wild), gb_full_rank(wild), gb_point(wild), gb_low_rank(wild)};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        gb_latent(e, "w", families[i], gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
        assert_int_equal(gb_error(t), GB_ESHAPE);
        gb_forgive(t);
    }
}
