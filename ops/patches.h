/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows of an array side by side. With them a convolution is a matrix product, and pooling a reduction. */
#ifndef GREBE_OPS_PATCHES_H
#define GREBE_OPS_PATCHES_H

#include "../core/gradient.h"
#include "../core/op.h"
#include "../core/options.h"

GB_BEGIN_DECLS

/* One number for each axis of the window, or one number for all of them; gb_shape(): the default. */
typedef struct gb_patches_options {
    size_t size;
    gb_shape stride;   /* steps from one window to the next; default 1 */
    gb_shape padding;  /* zeros before and behind x; default 0 */
    gb_shape dilation; /* steps from one element of a window to the next; default 1 */
} gb_patches_options;

/* For x of shape (…, l, channels), with as many axes l as `window` has sizes k (1 to 4), returns the windows
 * of x as vectors: (…, p, k₁ k₂ ⋯ channels), with
 *     p = 1 + floor((l + 2 padding − 1 − dilation (k − 1)) / stride)
 * In a vector the first axis of the window is the slowest, and channels are the fastest. Padding is 0.
 *
 *     gb_node x = gb_input_rows(t, "x", gb_shape(28, 28, 1));
 *     gb_node h = gb_dense(e, "h", gb_patches(x, gb_shape(5, 5)), 20, .activation = "relu");  // (24, 24, 20)
 *     h = gb_pool_maximum(h, gb_shape(2, 2));                                                 // (12, 12, 20)
 *
 * Fails if the window is larger than the padded x. On error the result is inert. */
#define gb_patches(...) GB_CALL_2(gb_patches, __VA_ARGS__, .size = sizeof(gb_patches_options))
GB_API gb_node gb_patches_with(gb_node x, gb_shape window, const gb_patches_options *options);

/* Return the maximum, or the mean, of each window, channel by channel: (…, p, channels). Fail as gb_patches
 * does; what is left at the end of x belongs to no window. */
typedef struct gb_pool_maximum_options {
    size_t size;
    gb_shape stride; /* default: the window, so that windows are beside each other */
} gb_pool_maximum_options;
typedef gb_pool_maximum_options gb_pool_mean_options;
#define gb_pool_maximum(...) GB_CALL_2(gb_pool_maximum, __VA_ARGS__, .size = sizeof(gb_pool_maximum_options))
#define gb_pool_mean(...) GB_CALL_2(gb_pool_mean, __VA_ARGS__, .size = sizeof(gb_pool_mean_options))
GB_API gb_node gb_pool_maximum_with(gb_node x, gb_shape window, const gb_pool_maximum_options *options);
GB_API gb_node gb_pool_mean_with(gb_node x, gb_shape window, const gb_pool_mean_options *options);

GB_END_DECLS
#endif
