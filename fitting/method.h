/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normals by the curvature at one place: Laplace's, at the mode of log p; and the covariances that a mean
 * field misses, by linear response. Both are numbers about the posterior and leave q as it is; gb_fit(.method
 * = GB_FIT_LAPLACE) moves q.
 *
 *     const gb_curvature *c = gb_linear_response(e);
 *     if (c)
 *         printf("%g instead of %g\n", c->sd[0], c->sd_of_q[0]);
 *
 * All is in free numbers (fitting/density.h). The tape owns a result. NULL means an error, which is on the
 * tape; gb_forgive clears it. */
#ifndef GREBE_FITTING_METHOD_H
#define GREBE_FITTING_METHOD_H

#include "density.h"

GB_BEGIN_DECLS

/* N(mean, covariance). Only the library makes one; it may grow at its end. */
typedef struct gb_curvature {
    gb_density *density; /* names of the numbers */
    size_t count;        /* n */
    const double *mean, *sd;
    const double *covariance; /* n × n */
    const double *sd_of_q;    /* of a mean field, for comparison; Laplace: NULL */
    /* What a Newton step would still gain, in nats: the place is stationary. */
    double gain;
    double log_evidence; /* of Laplace: log p + n/2 log 2π + log |covariance| / 2. Linear response: NaN */
    int64_t gradients;
} gb_curvature;

/* The normal at a mode of log p, whose covariance is the inverse of minus the Hessian. The mode is found by
 * L-BFGS from several points, the mean of q among them, and Newton's steps; the highest one is taken. In free
 * numbers, with the Jacobian, also of points. Rejected with words, as GB_ENONFINITE:
 *   - a place where a Newton step gains more than 10⁻⁶ nats: it is not stationary, and so no mode, as where
 *     log p rises without end;
 *   - a place beyond which log p does not fall: its highest point may be infinitely far away;
 *   - a Hessian that is not negative definite: a saddle, or a posterior that is flat there.
 * As GB_EGRADIENT: an operation without second derivative. More than 1024 numbers: GB_EARGUMENT. */
typedef struct gb_laplace_normal_options {
    size_t size;
    gb_density *density; /* NULL: gb_density_new(e, .data) */
    gb_batches *data;
    /* n free numbers of a stationary place, at which the normal is wanted. NULL: the mode is looked for. */
    const double *at;
    uint64_t seed; /* of starting points; 0: that of the tape */
} gb_laplace_normal_options;
#define gb_laplace_normal(...)                                                                               \
    GB_CALL_1(gb_laplace_normal, __VA_ARGS__, .size = sizeof(gb_laplace_normal_options))
GB_API const gb_curvature *gb_laplace_normal_with(gb_elbo *e, const gb_laplace_normal_options *options);

/* Linear response (Giordano, Broderick and Jordan 2018): how the means of the best mean field would move if
 * log p were tilted, which is a covariance. It has the correlations that q lacks, and standard deviations
 * which q underestimates. With F(m, log s) the ELBO, it is the block of the means of (−Hessian of F)⁻¹. Exact
 * if the posterior is normal. F is an average over fixed draws, from whose optimum near q the Hessian is
 * taken. Rejected with words, as GB_ENONFINITE:
 *   - q is not the best member: the optimum is more than a tenth of a standard deviation, or a tenth of a
 *     scale, away. Fit first;
 *   - the Hessian is not negative definite.
 * As GB_EARGUMENT: families that are not gb_mean_field (or gb_point), more than 512 numbers. As GB_EGRADIENT:
 * an operation without second derivative. */
typedef struct gb_linear_response_options {
    size_t size;
    gb_batches *data;
    int64_t draws; /* 0: 1024, or 4 n if that is more */
    uint64_t seed; /* of the draws; 0: that of the tape */
} gb_linear_response_options;
#define gb_linear_response(...)                                                                              \
    GB_CALL_1(gb_linear_response, __VA_ARGS__, .size = sizeof(gb_linear_response_options))
GB_API const gb_curvature *gb_linear_response_with(gb_elbo *e, const gb_linear_response_options *options);

GB_END_DECLS
#endif
