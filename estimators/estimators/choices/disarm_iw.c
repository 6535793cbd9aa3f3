/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DisARM by importance weights: the score function of two draws with each other's cost as baseline, if the
 * draws were independent. They are coupled by stick breaking, and so have a weight, the probability of the
 * pair as independent draws over that of the pair as it is drawn. Pairs of equal draws do not count. The
 * categories are in ascending order of their probabilities, so that all other pairs can be drawn. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/estimators/choices/shared/categories_impl.h"
#include "estimators/estimators/choices/shared/tree_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "ops/take.h"

enum { RANKS, CATEGORIES };

/* Of sticks over the sorted categories. */
static gb_node sorted_logits(const gb_site *site, gb_tree tree, gb_node order)
{
    return gb_tree_logits(tree, gb_take_along(gb_category_log_probs(site), order, -1));
}

static gb_tree tree_of(const gb_site *site)
{
    return gb_tree_of(site->q.tape, GB_TREE_OF_STICKS, gb_categories(site));
}

static gb_node draw(gb_site *site)
{
    const gb_tree tree = tree_of(site);
    const gb_node order = gb_argsort(gb_category_log_probs(site), -1);
    const gb_node ranks = gb_tree_pair(site, tree, sorted_logits(site, tree, order));
    const gb_node pair = gb_squeeze(gb_take_along(gb_to_real(order), gb_expand(ranks, -1), -1), -1);
    site->kept[RANKS] = gb_to_real(ranks);
    site->kept[CATEGORIES] = pair;
    return gb_stop(gb_category_values(site, gb_to_int(pair)));
}

/* Of a node that both draws pass, with probability a ≤ 1/2 to the right: (1 − a)² / (1 − 2a) where both go to
 * the left; sigmoid(|logit|) where they part. After the last node, draws that do not part are equal. */
static gb_node log_weight(const gb_site *site)
{
    const gb_tree tree = tree_of(site);
    const gb_node order = gb_argsort(gb_category_log_probs(site), -1);
    const gb_node logits = gb_stop(sorted_logits(site, tree, order)), ranks = gb_to_int(site->kept[RANKS]);
    const gb_tree_path draw = gb_tree_path_of(tree, gb_evaluation(ranks, 0)),
                       twin = gb_tree_path_of(tree, gb_evaluation(ranks, 1));
    gb_tape *const tape = logits.tape;
    const gb_node half = gb_num(tape, 0.5), zero = gb_num(tape, 0);
    const gb_node both = gb_greater(gb_mul(draw.passes, twin.passes), half);
    const gb_node part = gb_greater(gb_abs(gb_sub(draw.right, twin.right)), half);
    const gb_node last = gb_num(tape, (double)(gb_categories(site) - 2));
    const gb_node is_last = gb_equal(gb_arange(tape, gb_categories(site) - 1), last);
    const gb_node left =
        gb_sub(gb_scale(gb_log_sigmoid(gb_neg(logits)), 2), gb_log(gb_tanh(gb_scale(logits, -0.5))));
    const gb_node stays = gb_where(is_last, zero, left);
    const gb_node each = gb_where(part, gb_log_sigmoid(gb_abs(logits)), stays);
    return gb_sum_along(gb_where(both, each, zero), gb_axis(-1));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const int64_t count = gb_categories(site);
    const gb_node pair = gb_to_int(site->kept[CATEGORIES]);
    const gb_node apart =
        gb_sub(gb_one_hot(gb_evaluation(pair, 0), count), gb_one_hot(gb_evaluation(pair, 1), count));
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
