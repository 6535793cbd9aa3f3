/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What models with networks have in common. */
#ifndef GREBE_READY_MODELS_NETWORKS_NETWORK_IMPL_H
#define GREBE_READY_MODELS_NETWORKS_NETWORK_IMPL_H

#include "ready/models.h"

/* Names of gb_activation, for gb_activate, and of gb_noise_sharing; ended by NULL. */
extern const char *const gb_activation_names[];
extern const char *const gb_noise_sharing_names[];

/* What the options of networks of an outcome begin with. */
typedef struct gb_network_options {
    size_t size;
    GB_NETWORK_CHOICES;
} gb_network_options;

#define GB_NETWORK_LAYER_ROWS(options_, units_)                                                              \
    GB_OPTION_WHOLE(options_, units, units_, GB_COUNT, "of each hidden layer"),                              \
        GB_OPTION_WHOLE(options_, layers, 1, GB_COUNT, "hidden layers"),                                     \
        GB_OPTION_CHOICE(options_, sharing, gb_noise_sharing_names, "who shares the noise of weights"),      \
        GB_OPTION_NUMBER(options_, prior_scale, 2, GB_POSITIVE, "of weights and biases")
#define GB_NETWORK_ROWS(options_)                                                                            \
    GB_NETWORK_LAYER_ROWS(options_, 50),                                                                     \
        GB_OPTION_CHOICE(options_, activation, gb_activation_names, "of hidden units"),                      \
        GB_OPTION_NUMBER(options_, dropout, 0, GB_NON_NEGATIVE, "of what enters all layers but the first"),  \
        GB_OPTION_NUMBER(options_, input_dropout, 0, GB_NON_NEGATIVE, "of what enters the first layer"),     \
        GB_OPTION_FLAG(options_, learned_dropout, "the rate is learned"),                                    \
        GB_OPTION_FLAG(options_, layer_norm, "before each activation")

/* Returns widths, which the tape owns: hidden layers of so many units, then `outputs`. count 0 on error. */
gb_width_list gb_network_widths(const gb_model_site *site, int64_t units, int64_t layers, int64_t outputs);

/* Returns the outputs of a network of the standardised columns; `options` begins as gb_network_options. */
gb_node gb_network_output(gb_model_site *site, const void *options, int64_t outputs);

/* Records a latent beside the weights, such as a noise, with the posterior that fits theirs: theirs; beside
 * dropout, a point. Without a posterior of the user's it is a mean field, or, with `is_point`, a point. */
gb_node gb_network_latent(gb_model_site *site, const char *name, gb_shape shape, gb_dist prior,
                          gb_estimator estimator, bool is_point);

/* Returns a network whose weights are variables NAME.1.weight …, without a prior: a part of q. */
gb_node gb_network_of_variables(gb_tape *tape, const char *name, gb_node x, gb_width_list widths,
                                const char *activation);

/* What an encoder is given of a row: the standardised columns, and which of them are there. */
gb_node gb_network_seen(const gb_model_site *site);

#endif
