/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise as nodes: draws from a stream (core/noise.h), fresh in every run. `axes` are the hidden axes along which
 * draws differ: GB_SAMPLES, GB_ROWS, sites, joined by |, or 0. Each call is another draw of the stream. */
#ifndef GREBE_OPS_DRAWS_H
#define GREBE_OPS_DRAWS_H

#include "../core/noise.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Uniform on the open interval (0, 1). */
GB_API gb_node gb_uniform_noise(gb_noise noise, gb_shape shape, gb_axes axes);
/* Normal with mean 0 and variance 1. */
GB_API gb_node gb_normal_noise(gb_noise noise, gb_shape shape, gb_axes axes);
/* 1 with the probability p, else 0: as a real, without gradient. p broadcasts with `shape`. */
GB_API gb_node gb_bernoulli_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node p);

GB_END_DECLS
#endif
