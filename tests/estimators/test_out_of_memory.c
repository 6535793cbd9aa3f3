/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every estimator, and score with every baseline, where memory runs out, once or for good: an error and
 * nothing else, and nothing lost. Every single allocation is made to fail in turn. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "models/optimiser.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

/* The first of a few distributions that it fits. */
static gb_dist fitting(gb_tape *t, gb_estimator estimator)
{
    const gb_node a = gb_variable(t, "a", gb_shape(2), gb_fill(0.4)), one = gb_num(t, 1);
    const gb_dist all[] = {gb_normal(a, one), gb_bernoulli_logits(a), gb_categorical_logits(a),
                           gb_bernoulli_dropout(a, gb_num(t, 0.7)), gb_mixture(a, gb_normal(a, one))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (gb_dist_ok(all[i]) && !gb_estimator_lacks(estimator, all[i]))
            return all[i];
    return (gb_dist){0};
}

/* Two sites, the second of which depends on the first, and a cost with a log density of its own. */
static gb_status use(gb_tape *t, const void *what)
{
    const gb_estimator estimator = *(const gb_estimator *)what;
    const unsigned needs = gb_estimator_needs(estimator);
    const bool takes_signals = estimator.type == &gb_path_covariance_estimator_type;
    const gb_bound several = takes_signals ? gb_thermodynamic(.draws = 2) : gb_iwae(.draws = 2);
    gb_expect *e = gb_expect_new(t, .bound = needs & GB_NEEDS_BOUND ? several : gb_evidence_bound());
    if (needs & GB_NEEDS_MODEL)
        gb_expect_has_model(e);
    const gb_node x = gb_input_rows(t, "x", gb_shape());
    gb_feed(x, (const double[]){1, 2}, 2);
    const gb_dist q = fitting(t, estimator);
    const bool rows = estimator.type == &gb_score_estimator_type; /* for the baseline over rows */
    const gb_dist at_rows = rows ? gb_normal(gb_mul(gb_sum(q.param[0]), x), gb_num(t, 1)) : q;
    const gb_node z = gb_draw(e, "z", at_rows, estimator);
    const bool by_path = (needs & GB_NEEDS_LATER_PATHS) != 0;
    const gb_node y = gb_draw(e, "y", gb_normal(z, gb_num(t, 1)), by_path ? gb_pathwise() : gb_score());
    const gb_node own = gb_draw_log_prob(e, z, gb_num(t, 0.5));
    const gb_node square = gb_sum(gb_square(y)), each = rows ? gb_sum_over(square, GB_ROWS) : square;
    const gb_node plain = gb_add(each, own);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_variable(t, "prior", gb_shape(), gb_fill(1)));
    const gb_node cost = by_path ? gb_add(plain, gb_sum(gb_draw_log_prior(e, z, prior))) : plain;
    const gb_node loss =
        needs & GB_NEEDS_BOUND ? gb_expected_bound(e, cost, gb_num(t, 1)) : gb_expected(e, cost);
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam()));
    gb_run(p);
    return gb_error(t);
}

static void running_out_of_memory_is_an_error(gb_estimator estimator)
{
    assert_outlives_lack_of_memory(use, &estimator, estimator.type->name, 200,
                                   (gb_tape_options){.samples = 3});
}

TEST(an_estimator_without_memory_fails_in_words)
{
    size_t count;
    const gb_estimator_type *const *const all = gb_estimators(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i] != &gb_score_estimator_type)
            running_out_of_memory_is_an_error(gb_estimator_of(all[i], NULL));
}

TEST(a_baseline_without_memory_fails_in_words)
{
    size_t count;
    const gb_baseline_type *const *const all = gb_baselines(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i] != &gb_learned_baseline_type)
            running_out_of_memory_is_an_error(gb_score(.baseline = {.type = all[i]}));
}
