/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of models with networks, for models of your own: a network of the columns by the options of
 * gb_network_model, latents beside its weights, encoders. models/networks.h has the layers.
 *
 *     const gb_node rate = gb_model_network(s, options, 1);         (a Poisson network, after its weights)
 *     return gb_node_ok(rate) && gb_model_observe(s, gb_poisson_log(gb_reshape(rate, gb_shape())));
 *
 * Weights and latents of networks are not parts (gb_model_part), so there is no gb_model_draw. */
#ifndef GREBE_READY_NETWORKS_H
#define GREBE_READY_NETWORKS_H

#include "../models/networks.h"
#include "model.h"

GB_BEGIN_DECLS

/* Activations, in the order of gb_activation_names, which are those of gb_activate; and the names of
 * gb_noise_sharing. Both end with NULL. */
typedef enum gb_activation {
    GB_ACTIVATION_TANH,
    GB_ACTIVATION_RELU,
    GB_ACTIVATION_LEAKY_RELU,
    GB_ACTIVATION_ELU,
    GB_ACTIVATION_GELU,
    GB_ACTIVATION_SILU,
    GB_ACTIVATION_SOFTPLUS,
    GB_ACTIVATION_SIGMOID,
    GB_ACTIVATION_SIN
} gb_activation;
GB_API extern const char *const gb_activation_names[16];
GB_API extern const char *const gb_noise_sharing_names[8];

/* What the options of networks of an outcome begin with, after their size. */
#define GB_NETWORK_CHOICES                                                                                   \
    int64_t units;  /* of each hidden layer; 0: 50 */                                                        \
    int64_t layers; /* hidden ones; 0: 1 */                                                                  \
    gb_activation activation;                                                                                \
    gb_noise_sharing sharing; /* of the noise of weights */                                                  \
    double prior_scale;       /* of weights, divided by √inputs, and of biases (gb_mlp); 0: 2 */           \
    double dropout;           /* of what enters all layers but the first, from 0 to below 1 */               \
    double input_dropout;     /* of what enters the first */                                                 \
    bool learned_dropout;                                                                                    \
    bool layer_norm;                                                                                         \
    /* From the second, third and fourth hidden layer on; 0: as before */                                    \
    int64_t units_2, units_3, units_4;                                                                       \
    double dropout_2, dropout_3, dropout_4

/* The options that models with networks share. */
typedef struct gb_network_choices {
    size_t size;
    GB_NETWORK_CHOICES;
} gb_network_choices;

/* The rows of these in a table of options; and of those that networks of columns have, too. */
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
        GB_OPTION_FLAG(options_, layer_norm, "before each activation"),                                      \
        GB_OPTION_WHOLE(options_, units_2, 0, GB_NON_NEGATIVE, "from the second hidden layer on; 0: units"), \
        GB_OPTION_WHOLE(options_, units_3, 0, GB_NON_NEGATIVE, "from the third on; 0: as before"),           \
        GB_OPTION_WHOLE(options_, units_4, 0, GB_NON_NEGATIVE, "from the fourth on; 0: as before"),          \
        GB_OPTION_NUMBER(options_, dropout_2, 0, GB_NON_NEGATIVE, "after the second hidden layer and on"),   \
        GB_OPTION_NUMBER(options_, dropout_3, 0, GB_NON_NEGATIVE, "after the third and on; 0: as before"),   \
        GB_OPTION_NUMBER(options_, dropout_4, 0, GB_NON_NEGATIVE, "after the fourth and on; 0: as before")

/* Returns widths, which the tape owns: hidden layers of so many units, then `outputs`. count 0 on error. */
GB_API gb_width_list gb_network_widths(gb_tape *tape, int64_t units, int64_t layers, int64_t outputs);

/* Returns the outputs of a network of the standardised columns, (outputs) for each row; `options` begins as
 * gb_network_choices. Inert on error, as for a model without columns. */
GB_API gb_node gb_model_network(gb_model_site *site, const void *options, int64_t outputs);

/* Records a latent beside the weights, such as a noise, with the posterior that fits theirs: theirs; beside
 * dropout, a point. Without a posterior of the user's it is a mean field, or, with `is_point`, a point. */
GB_API gb_node gb_model_network_latent(gb_model_site *site, const char *name, gb_shape shape, gb_dist prior,
                                       gb_estimator estimator, bool is_point);

/* Returns a network whose weights are variables NAME.1.weight …, without a prior: a part of q, such as an
 * encoder. */
GB_API gb_node gb_network_of_variables(gb_tape *tape, const char *name, gb_node x, gb_width_list widths,
                                       const char *activation);

/* What an encoder is given of a row: the standardised columns, and, if numbers are missing, which of them are
 * there. */
GB_API gb_node gb_model_seen(const gb_model_site *site);

GB_END_DECLS
#endif
