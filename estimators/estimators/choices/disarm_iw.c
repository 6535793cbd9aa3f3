/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DisARM by importance weights: the score function of two draws with each other's cost as baseline, if the
 * draws were independent. They are coupled by stick breaking, and so have a weight, the probability of the
 * pair as independent draws over that of the pair as it is drawn. Pairs of equal draws do not count. The
 * categories are in rising order of their probabilities, so that all other pairs can be drawn. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/estimators/choices/shared/categories_impl.h"
#include "estimators/estimators/choices/shared/tree_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node draw(gb_site *site)
{
    return gb_tree_draw(site, GB_RISING_STICKS);
}

/* Of a node that both draws pass, with probability a ≤ 1/2 to the right: (1 − a)² / (1 − 2a) where both go to
 * the left; sigmoid(|logit|) where they part. After the last node, draws that do not part are equal. */
static gb_node log_weight(const gb_site *site)
{
    gb_tape *const tape = site->q.tape;
    const gb_tree tree = gb_tree_of(site, GB_RISING_STICKS);
    const gb_tree_path draw = gb_tree_path_of(site, &tree, 0), twin = gb_tree_path_of(site, &tree, 1);
    const gb_node half = gb_num(tape, 0.5), zero = gb_num(tape, 0), logits = gb_stop(tree.logits);
    const gb_node both = gb_greater(gb_mul(draw.passes, twin.passes), half);
    const gb_node part = gb_greater(gb_abs(gb_sub(draw.right, twin.right)), half);
    const int64_t nodes = gb_categories(site) - 1;
    const gb_node is_last = gb_equal(gb_arange(tape, nodes), gb_num(tape, (double)(nodes - 1)));
    const gb_node left =
        gb_sub(gb_scale(gb_log_sigmoid(gb_neg(logits)), 2), gb_log(gb_tanh(gb_scale(logits, -0.5))));
    const gb_node each = gb_where(part, gb_log_sigmoid(gb_abs(logits)), gb_where(is_last, zero, left));
    return gb_sum_along(gb_where(both, each, zero), gb_axis(-1));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node apart = gb_sub(gb_category_one_hot(site, 0), gb_category_one_hot(site, 1));
    const gb_node half = gb_scale(gb_sub(gb_evaluation(costs, 0), gb_evaluation(costs, 1)), 0.5);
    const gb_node weight = gb_expand(gb_exp(log_weight(site)), -1);
    return gb_site_inject(site, gb_mean_along(costs, gb_axis(0)), gb_category_log_probs(site),
                          gb_mul(half, gb_mul(weight, apart)));
}

const gb_estimator_type gb_disarm_iw_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "disarm_iw",
    .cite = "Dong, Mnih and Tucker 2021",
    .formula = "(f(z) - f(z')) (d log q(z) - d log q(z')) q(z) q(z') / 2 p(z, z')",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_categories,
    .expansion = GB_PROBES,
    .evaluations = gb_binary_pair_evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_disarm_iw(void)
{
    return gb_estimator_of(&gb_disarm_iw_estimator_type, NULL);
}
