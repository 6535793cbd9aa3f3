/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators that make a choice among K categories out of choices between 0 and 1.
 *
 * The categories are the leaves of a tree. Each of its K − 1 nodes goes to the right with its own
 * probability, by a uniform number of its own. The mirror images of all these numbers give a second draw,
 * which is rarely the same. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_TREE_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_TREE_IMPL_H

#include "estimators/estimator.h"

typedef enum gb_tree_form {
    GB_TREE_OF_STICKS, /* node t goes to category t, or to the next node */
    GB_TREE_OF_HALVES  /* each node divides its categories into halves */
} gb_tree_form;

/* For nodes (rows) and categories (columns), 1 or 0: whether the path to the category passes the node, and
 * goes to the right there. */
typedef struct gb_tree {
    gb_node passes, right;
} gb_tree;
gb_tree gb_tree_of(gb_tape *tape, gb_tree_form form, int64_t categories);

/* Returns the logits of the nodes, (batch) + (nodes), from log probabilities of the categories. */
gb_node gb_tree_logits(gb_tree tree, gb_node log_p);

/* Returns two antithetic draws by these logits, as categories: integers (2) + (batch). */
gb_node gb_tree_pair(const gb_site *site, gb_tree tree, gb_node logits);

/* What a draw does in the nodes, (batch) + (nodes), 1 or 0: whether it passes the node, and goes to the right
 * there. `category`: of one draw. */
typedef struct gb_tree_path {
    gb_node passes, right;
} gb_tree_path;
gb_tree_path gb_tree_path_of(gb_tree tree, gb_node category);

/* `draw` and `combine` of a gb_estimator_type, of a tree over the categories in their order. `combine`
 * injects DisARM into the logits of the nodes that both draws pass. In the nodes that one of them passes, the
 * direction of the other one does not matter, and its mean is taken. */
gb_node gb_tree_draw(gb_site *site, gb_tree_form form);
gb_node gb_tree_combine(const gb_site *site, gb_tree_form form, gb_node costs);

#endif
