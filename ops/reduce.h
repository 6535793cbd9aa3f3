/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions. The plain name works over all axes of the shape; `_along` over the axes it is given (gb_axis(0, -1));
 * `_over` over hidden axes (GB_SAMPLES, GB_ROWS, a site's, or several of them joined by |). Reduced axes go away.
 * What does not carry a hidden axis counts as constant along it: its sum over the axis is it times the axis' size. */
#ifndef GREBE_OPS_REDUCE_H
#define GREBE_OPS_REDUCE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

GB_API gb_node gb_sum(gb_node x);
GB_API gb_node gb_sum_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_sum_over(gb_node x, gb_axes axes);

/* Of nothing: NaN. */
GB_API gb_node gb_mean(gb_node x);
GB_API gb_node gb_mean_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_mean_over(gb_node x, gb_axes axes);

/* NaN if one is; of an empty visible axis an error, of no rows −inf. The derivative is shared equally by elements that attain it. */
GB_API gb_node gb_maximum(gb_node x);
GB_API gb_node gb_maximum_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_maximum_over(gb_node x, gb_axes axes);

/* log Σ exp x, without overflow; −inf where all are. */
GB_API gb_node gb_logsumexp(gb_node x);
GB_API gb_node gb_logsumexp_along(gb_node x, gb_axis_list axes);
GB_API gb_node gb_logsumexp_over(gb_node x, gb_axes axes);

/* exp x / Σ exp x along one axis, and its logarithm. */
GB_API gb_node gb_softmax(gb_node x, int axis);
GB_API gb_node gb_log_softmax(gb_node x, int axis);

/* For each place along a hidden axis, the mean of all the others: (Σ x − x) / (n − 1). NaN where n = 1, since there
 * are none. An error where x does not carry the axis. */
GB_API gb_node gb_leave_one_out_mean(gb_node x, gb_axes axis);

/* The value at one place of a hidden axis; x itself where it does not carry the axis. A place that is not there is an
 * error: for a site's axis now, for samples and rows, whose numbers come with it, of the run. */
GB_API gb_node gb_select(gb_node x, gb_axes axis, int64_t place);

GB_END_DECLS
#endif
