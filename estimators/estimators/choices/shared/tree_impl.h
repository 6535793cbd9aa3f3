/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators that make a choice among K categories out of choices between 0 and 1.
 *
 * The categories are the leaves of a tree. Each of its K − 1 nodes goes to the right with its own
 * probability, by a uniform number of its own. The mirror images of all these numbers give a second draw,
 * which is rarely the same. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_TREE_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_TREE_IMPL_H

#include "estimators/estimator.h"

/* Sticks: node t goes to the right to category t, or to the left to the next node. The categories are in
 * falling or rising order of their probabilities. Halves: each node divides its categories, in their own
 * order. */
typedef enum gb_tree_form { GB_FALLING_STICKS, GB_RISING_STICKS, GB_HALVES } gb_tree_form;

typedef struct gb_tree {
    /* For nodes (rows) and ranks in the order of the tree (columns), 1 or 0: whether the path there passes
     * the node, and goes to the right. */
    gb_node passes, right;
    gb_node order;  /* the category of each rank, integers (batch) + (K); inert: the rank itself */
    gb_node logits; /* of the nodes, (batch) + (nodes) */
} gb_tree;
gb_tree gb_tree_of(const gb_site *site, gb_tree_form form);

/* `draw` of a gb_estimator_type: two antithetic draws. Keeps their ranks. */
gb_node gb_tree_draw(gb_site *site, gb_tree_form form);

/* What the draw of an evaluation does in the nodes, (batch) + (nodes), 1 or 0. */
typedef struct gb_tree_path {
    gb_node passes, right;
} gb_tree_path;
gb_tree_path gb_tree_path_of(const gb_site *site, const gb_tree *tree, int64_t evaluation);

/* `combine` of a gb_estimator_type: injects DisARM into the logits of the nodes that both draws pass. In the
 * nodes that one of them passes, the direction of the other one does not matter, and its mean is taken. */
gb_node gb_tree_combine(const gb_site *site, gb_tree_form form, gb_node costs);

#endif
