/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Covariances of Gaussian processes, for models of your own: latents of a kernel, and its value. Places are
 * standardised columns, and the process is that of the standardised outcome.
 *
 *     gb_covariance *const k = gb_covariance_new(s, options);
 *     if (!k || !gb_model_draw(s))
 *         return false;
 *     const gb_node places = gb_model_standard(s), matrix = gb_covariance_of(k, places, places);
 *
 * The covariance of two places is the sum of
 *
 *     rbf         a² exp(−Σ_k (x_k − x'_k)² / (2 length_k²))
 *     periodic    a_p² exp(−2 sin²(π (x₁ − x'₁) / period) / length_p²), of the first column
 *     the mean    mean_scale², since the mean is N(0, mean_scale²) and integrated out
 *
 * A length for each column says how far one has to go for f to change (automatic relevance determination).
 * Amplitudes a are half-normal a priori, and lengths lognormal. */
#ifndef GREBE_READY_COVARIANCES_H
#define GREBE_READY_COVARIANCES_H

#include "model.h"

GB_BEGIN_DECLS

/* In the order of gb_kernel_names, which ends with NULL. */
typedef enum gb_kernel { GB_KERNEL_RBF, GB_KERNEL_PERIODIC, GB_KERNEL_SUM } gb_kernel;
GB_API extern const char *const gb_kernel_names[8];

/* What the options of processes begin with, after their size. */
#define GB_PROCESS_CHOICES                                                                                   \
    gb_kernel kernel;                                                                                        \
    double period;          /* REQUIRED for a periodic kernel: in units of the first column */               \
    double period_spread;   /* the period is lognormal around it, with this sd of its log; 0: it is known */ \
    double amplitude_scale; /* in standard deviations of y; 0: 1 */                                          \
    double length_scale;    /* the median, in standard deviations of the column; 0: 1 */                     \
    double length_spread;   /* sd of log length; 0: 1 */                                                     \
    double mean_scale;      /* in standard deviations of y; 0: 2.5 */                                        \
    double sigma_scale      /* of the noise, in standard deviations of y; 0: 1 */

/* The options that models with Gaussian processes share. */
typedef struct gb_process_choices {
    size_t size;
    GB_PROCESS_CHOICES;
} gb_process_choices;

/* The rows of these in a table of options. */
#define GB_PROCESS_ROWS(options_)                                                                            \
    GB_OPTION_CHOICE(options_, kernel, gb_kernel_names, "covariance of two rows"),                           \
        GB_OPTION_NUMBER(options_, period, 0, GB_NON_NEGATIVE, "of the first column, in its units"),         \
        GB_OPTION_NUMBER(options_, period_spread, 0, GB_NON_NEGATIVE,                                        \
                         "sd of log period around that; 0: it is known"),                                    \
        GB_OPTION_NUMBER(options_, amplitude_scale, 1, GB_POSITIVE, "of amplitudes, in sds of y"),           \
        GB_OPTION_NUMBER(options_, length_scale, 1, GB_POSITIVE, "median of lengths, in sds of columns"),    \
        GB_OPTION_NUMBER(options_, length_spread, 1, GB_POSITIVE, "sd of log lengths"),                      \
        GB_OPTION_NUMBER(options_, mean_scale, 2.5, GB_POSITIVE, "sd of the mean, in sds of y"),             \
        GB_OPTION_NUMBER(options_, sigma_scale, 1, GB_POSITIVE, "of sigma, in sds of y")

typedef struct gb_covariance gb_covariance;

/* Declares the latents, before gb_model_draw; `options` begins as gb_process_choices. The tape owns the
 * result. NULL on error, as for a model without columns. */
GB_API gb_covariance *gb_covariance_new(gb_model_site *site, const void *options);

/* These are for after gb_model_draw. Of NULL, and after an error, they do nothing and return no node. */

/* Shows the latents: lengths in the units of their columns, amplitudes times `unit`. */
GB_API void gb_covariance_show(gb_covariance *covariance, double unit);

/* Returns the covariances of places u (gb_model_standard_of), (m, columns), or one, (columns), with all of v,
 * (n, columns): (m, n), or (n). */
GB_API gb_node gb_covariance_of(gb_covariance *covariance, gb_node u, gb_node v);

/* Returns the covariance of a place with itself, which is the same everywhere: (). */
GB_API gb_node gb_covariance_variance(gb_covariance *covariance);

GB_END_DECLS
#endif
