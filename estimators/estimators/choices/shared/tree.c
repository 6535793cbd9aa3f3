/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/choices/shared/tree_impl.h"

#include <math.h>

#include "estimators/estimators/choices/shared/categories_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "ops/take.h"

enum { RANKS };

/* ---- the tree ---- */

/* The rows of `passes` and `right` that are filled so far. */
typedef struct branching {
    double *passes, *right;
    int64_t ranks, nodes;
    bool sticks;
} branching;

/* Adds a node for the ranks from `low` to `high`, and those below it. */
static void branch(branching *b, int64_t low, int64_t high)
{
    if (high - low < 2)
        return;
    const int64_t first = b->nodes++ * b->ranks, middle = b->sticks ? low + 1 : (low + high) / 2;
    for (int64_t k = low; k < high; k++) {
        b->passes[first + k] = 1;
        b->right[first + k] = (k < middle) == b->sticks;
    }
    branch(b, low, middle);
    branch(b, middle, high);
}

static bool fill(gb_tape *tape, bool sticks, int64_t ranks, gb_tree *tree)
{
    const size_t count = (size_t)(ranks * (ranks - 1));
    double *const all = gb_tape_keep(tape, 2 * count * sizeof *all);
    branching b = {.passes = all, .right = all + count, .ranks = ranks, .sticks = sticks};
    const gb_shape shape = gb_shape(ranks - 1, ranks);
    if (!all)
        return false;
    branch(&b, 0, ranks);
    tree->passes = gb_constant(tape, shape, gb_values_of(b.passes, count));
    tree->right = gb_constant(tape, shape, gb_values_of(b.right, count));
    return true;
}

/* log Σ p over the ranks of each node that have this mark. */
static gb_node log_mass(gb_node mark, gb_node log_p)
{
    const gb_node none = gb_num(log_p.tape, -(double)INFINITY), half = gb_num(log_p.tape, 0.5);
    return gb_logsumexp_along(gb_where(gb_greater(mark, half), gb_expand(log_p, -2), none), gb_axis(-1));
}

gb_tree gb_tree_of(const gb_site *site, gb_tree_form form)
{
    gb_tree tree = {0};
    gb_node log_p = gb_category_log_probs(site);
    if (form != GB_HALVES) {
        const gb_node key = gb_stop(log_p);
        tree.order = gb_argsort(form == GB_FALLING_STICKS ? gb_neg(key) : key, -1);
        log_p = gb_take_along(log_p, tree.order, -1);
    }
    if (!fill(log_p.tape, form != GB_HALVES, gb_categories(site), &tree))
        return (gb_tree){0};
    const gb_node left = gb_sub(tree.passes, tree.right);
    tree.logits = gb_gap(log_mass(tree.right, log_p), log_mass(left, log_p));
    return tree;
}

/* A draw is the only rank all of whose nodes go its way. */
static gb_node rank_of(const gb_tree *tree, gb_node goes_right)
{
    const gb_node other = gb_mul(tree->passes, gb_abs(gb_sub(gb_expand(goes_right, -1), tree->right)));
    return gb_argmax(gb_neg(gb_sum_along(other, gb_axis(-2))), -1);
}

static gb_node category_of(const gb_tree *tree, gb_node ranks)
{
    if (!gb_node_ok(tree->order))
        return ranks;
    const gb_node category = gb_take_along(gb_to_real(tree->order), gb_expand(ranks, -1), -1);
    return gb_to_int(gb_squeeze(category, -1));
}

gb_node gb_tree_draw(gb_site *site, gb_tree_form form)
{
    const gb_tree tree = gb_tree_of(site, form);
    const gb_node u = gb_uniform_noise(site->noise, gb_node_shape(tree.logits), site->axes);
    const gb_node draw = gb_to_real(gb_greater(u, gb_sigmoid(gb_neg(tree.logits))));
    const gb_node twin = gb_to_real(gb_less(u, gb_sigmoid(tree.logits)));
    const gb_node ranks = rank_of(&tree, gb_stop(gb_stack(2, (const gb_node[]){draw, twin}, 0)));
    site->kept[RANKS] = gb_to_real(ranks);
    return gb_stop(gb_category_values(site, category_of(&tree, ranks)));
}

gb_tree_path gb_tree_path_of(const gb_site *site, const gb_tree *tree, int64_t evaluation)
{
    const gb_node rank = gb_to_int(gb_evaluation(site->kept[RANKS], evaluation));
    const gb_node is_it = gb_expand(gb_one_hot(rank, gb_categories(site)), -2);
    return (gb_tree_path){.passes = gb_sum_along(gb_mul(is_it, tree->passes), gb_axis(-1)),
                          .right = gb_sum_along(gb_mul(is_it, tree->right), gb_axis(-1))};
}

/* ---- the estimator ---- */

/* ½ (b − b′) sigmoid(|logit|), and its mean over b′, ½ (b − p). */
gb_node gb_tree_combine(const gb_site *site, gb_tree_form form, gb_node costs)
{
    const gb_tree tree = gb_tree_of(site, form);
    const gb_tree_path draw = gb_tree_path_of(site, &tree, 0), twin = gb_tree_path_of(site, &tree, 1);
    const gb_node p = gb_sigmoid(tree.logits);
    const gb_node apart = gb_mul(gb_sub(draw.right, twin.right), gb_sigmoid(gb_abs(tree.logits)));
    const gb_node of_draw = gb_mul(draw.passes, gb_sub(draw.right, p)),
                  of_twin = gb_mul(twin.passes, gb_sub(twin.right, p));
    const gb_node both = gb_greater(gb_mul(draw.passes, twin.passes), gb_num(costs.tape, 0.5));
    const gb_node slope = gb_where(both, apart, gb_sub(of_draw, of_twin));
    const gb_node half = gb_scale(gb_sub(gb_evaluation(costs, 0), gb_evaluation(costs, 1)), 0.5);
    return gb_site_inject(site, gb_mean_along(costs, gb_axis(0)), tree.logits, gb_mul(half, slope));
}
