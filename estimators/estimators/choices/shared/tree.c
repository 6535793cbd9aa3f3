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

/* ---- the tree ---- */

/* Where the next node stands, and the categories that it has. */
typedef struct branching {
    double *passes, *right;
    int64_t categories, nodes;
    gb_tree_form form;
} branching;

/* Adds a node for the categories from `low` to `high`, and those below it. */
static void branch(branching *b, int64_t low, int64_t high)
{
    if (high - low < 2)
        return;
    double *const passes = b->passes + b->nodes * b->categories, *const right =
                                                                     b->right + b->nodes * b->categories;
    const bool sticks = b->form == GB_TREE_OF_STICKS;
    const int64_t middle = sticks ? low + 1 : (low + high) / 2;
    b->nodes++;
    for (int64_t k = low; k < high; k++) {
        passes[k] = 1;
        right[k] = (k < middle) == sticks;
    }
    branch(b, low, middle);
    branch(b, middle, high);
}

gb_tree gb_tree_of(gb_tape *tape, gb_tree_form form, int64_t categories)
{
    const size_t count = (size_t)(categories * (categories - 1));
    branching b = {
        .passes = gb_tape_keep(tape, 2 * count * sizeof(double)), .categories = categories, .form = form};
    if (!b.passes)
        return (gb_tree){{0}, {0}};
    b.right = b.passes + count;
    branch(&b, 0, categories);
    const gb_shape shape = gb_shape(categories - 1, categories);
    return (gb_tree){.passes = gb_constant(tape, shape, gb_values_of(b.passes, count)),
                     .right = gb_constant(tape, shape, gb_values_of(b.right, count))};
}

/* log Σ p over the categories of a node that have this mark. */
static gb_node log_mass(gb_node mark, gb_node log_p)
{
    const gb_node none = gb_num(log_p.tape, -(double)INFINITY), half = gb_num(log_p.tape, 0.5);
    return gb_logsumexp_along(gb_where(gb_greater(mark, half), gb_expand(log_p, -2), none), gb_axis(-1));
}

gb_node gb_tree_logits(gb_tree tree, gb_node log_p)
{
    return gb_gap(log_mass(tree.right, log_p), log_mass(gb_sub(tree.passes, tree.right), log_p));
}

/* A draw is the only category all of whose nodes go its way. */
static gb_node category_of(gb_tree tree, gb_node goes_right)
{
    const gb_node other = gb_mul(tree.passes, gb_abs(gb_sub(gb_expand(goes_right, -1), tree.right)));
    return gb_argmax(gb_neg(gb_sum_along(other, gb_axis(-2))), -1);
}

gb_node gb_tree_pair(const gb_site *site, gb_tree tree, gb_node logits)
{
    const gb_node u = gb_uniform_noise(site->noise, gb_node_shape(logits), site->axes);
    const gb_node draw = gb_to_real(gb_greater(u, gb_sigmoid(gb_neg(logits))));
    const gb_node twin = gb_to_real(gb_less(u, gb_sigmoid(logits)));
    return category_of(tree, gb_stop(gb_stack(2, (const gb_node[]){draw, twin}, 0)));
}

gb_tree_path gb_tree_path_of(gb_tree tree, gb_node category)
{
    const int64_t count = gb_shape_size(gb_node_shape(tree.passes), -1);
    const gb_node is_it = gb_expand(gb_one_hot(category, count), -2);
    return (gb_tree_path){.passes = gb_sum_along(gb_mul(is_it, tree.passes), gb_axis(-1)),
                          .right = gb_sum_along(gb_mul(is_it, tree.right), gb_axis(-1))};
}

/* ---- the estimator ---- */

enum { CATEGORIES };

gb_node gb_tree_draw(gb_site *site, gb_tree_form form)
{
    const gb_tree tree = gb_tree_of(site->q.tape, form, gb_categories(site));
    const gb_node pair = gb_tree_pair(site, tree, gb_tree_logits(tree, gb_category_log_probs(site)));
    site->kept[CATEGORIES] = gb_to_real(pair);
    return gb_stop(gb_category_values(site, pair));
}

/* ½ (b − b′) sigmoid(|logit|), and its mean over b′, ½ (b − p). */
gb_node gb_tree_combine(const gb_site *site, gb_tree_form form, gb_node costs)
{
    const gb_tree tree = gb_tree_of(costs.tape, form, gb_categories(site));
    const gb_node logits = gb_tree_logits(tree, gb_category_log_probs(site)), p = gb_sigmoid(logits);
    const gb_node pair = gb_to_int(site->kept[CATEGORIES]);
    const gb_tree_path draw = gb_tree_path_of(tree, gb_evaluation(pair, 0)),
                       twin = gb_tree_path_of(tree, gb_evaluation(pair, 1));
    const gb_node apart = gb_mul(gb_sub(draw.right, twin.right), gb_sigmoid(gb_abs(logits)));
    const gb_node of_draw = gb_mul(draw.passes, gb_sub(draw.right, p)),
                  of_twin = gb_mul(twin.passes, gb_sub(twin.right, p));
    const gb_node both = gb_greater(gb_mul(draw.passes, twin.passes), gb_num(costs.tape, 0.5));
    const gb_node slope = gb_where(both, apart, gb_sub(of_draw, of_twin));
    const gb_node half = gb_scale(gb_sub(gb_evaluation(costs, 0), gb_evaluation(costs, 1)), 0.5);
    return gb_site_inject(site, gb_mean_along(costs, gb_axis(0)), logits, gb_mul(half, slope));
}
