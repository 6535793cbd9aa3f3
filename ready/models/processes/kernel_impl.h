/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The covariance of a Gaussian process at two places: latents of its kernel, and its value. Places are
 * standardised columns, and the process is that of the standardised outcome. */
#ifndef GREBE_READY_MODELS_PROCESSES_KERNEL_IMPL_H
#define GREBE_READY_MODELS_PROCESSES_KERNEL_IMPL_H

#include "ready/models.h"

/* What the options of processes begin with. */
typedef struct gb_process_options {
    size_t size;
    GB_PROCESS_CHOICES;
} gb_process_options;

extern const char *const gb_kernel_names[];

/* The rows of their tables of options. */
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

typedef struct gb_kernel_parts {
    gb_model_site *site;
    const gb_process_options *options;
    bool is_smooth, is_periodic;
    size_t amplitude, length, wave, wave_length, period; /* latents */
    gb_node inverse_length, variance;                    /* of the smooth part: (columns), () */
    gb_node wave_variance, wave_factor, angle;           /* of the periodic one: () */
} gb_kernel_parts;

/* Declares the latents. Returns false on error. */
bool gb_kernel_declare(gb_kernel_parts *kernel, gb_model_site *site, const gb_process_options *options);

/* Reads the draws, after gb_model_draw, and shows them; amplitudes are times `unit`. */
void gb_kernel_use(gb_kernel_parts *kernel, double unit);

/* Returns the covariance of places with this difference, (…, columns) to (…); and that of a place with
 * itself. */
gb_node gb_kernel_value(const gb_kernel_parts *kernel, gb_node difference);
gb_node gb_kernel_variance(const gb_kernel_parts *kernel);

/* Returns x, the columns of rows as they are, (…, columns), standardised. */
gb_node gb_kernel_places(const gb_model_site *site, gb_node x);

/* Stores differences of all pairs of rows of u (m, columns) and v (n, columns): (m, n, columns). */
gb_node gb_kernel_differences(gb_node u, gb_node v);

#endif
