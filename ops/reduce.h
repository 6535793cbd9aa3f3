/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions. The plain name reduces all visible axes; `_along` the given visible axes (gb_axis(0, -1));
 * `_over` hidden axes (GB_SAMPLES, GB_ROWS, a site's, or several joined by |). Reduced axes go away. A node
 * that lacks a hidden axis counts as constant along it: its sum over that axis is its value times the axis'
 * size. Each function returns an inert node on error. */
#ifndef GREBE_OPS_REDUCE_H
#define GREBE_OPS_REDUCE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* The sum of all elements, along these axes, over these hidden axes. That of no elements is 0. */
GB_API gb_node gb_sum(gb_node x);
GB_API gb_node gb_sum_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_sum_over(gb_node x, gb_axes axes);

/* The mean of no elements is NaN. */
GB_API gb_node gb_mean(gb_node x);
GB_API gb_node gb_mean_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_mean_over(gb_node x, gb_axes axes);

/* The maximum is NaN if an element is NaN. An empty visible axis is an error; the maximum over no rows is −∞.
 * Elements that attain the maximum share the derivative equally. */
GB_API gb_node gb_maximum(gb_node x);
GB_API gb_node gb_maximum_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_maximum_over(gb_node x, gb_axes axes);

/* log Σ exp x, without overflow; −∞ if all elements are −∞. */
GB_API gb_node gb_logsumexp(gb_node x);
GB_API gb_node gb_logsumexp_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_logsumexp_over(gb_node x, gb_axes axes);

/* exp x / Σ exp x along one visible axis, and its logarithm. */
GB_API gb_node gb_softmax(gb_node x, int axis);
GB_API gb_node gb_log_softmax(gb_node x, int axis);

/* Returns for each place along a hidden axis the mean of all others: (Σ x − x) / (n − 1). NaN if n = 1, since
 * there are no others. Fails if x lacks the axis. */
GB_API gb_node gb_leave_one_out_mean(gb_node x, gb_axes axis);

/* Returns the value at one place of a hidden axis; x itself if it lacks the axis. A place that does not exist
 * is an error: at recording for a site's axis, in the run for samples and rows, whose numbers a run
 * decides. */
GB_API gb_node gb_select(gb_node x, gb_axes axis, int64_t place);

GB_END_DECLS
#endif
