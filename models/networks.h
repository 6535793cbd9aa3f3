/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers of neural networks, whose weights are latents of an ELBO.
 *
 *     gb_node h = gb_dense(e, "h", x, 50, .activation = "relu", .noise = GB_NOISE_LOCAL);
 *     gb_node f = gb_dense(e, "f", h, 1, .noise = GB_NOISE_LOCAL);
 *     gb_observe(e, "y", gb_normal(f, sigma), y);
 *
 * or all layers at once: gb_mlp(e, "net", x, gb_widths(50, 50, 1), .activation = "tanh", .dropout = 0.05).
 * docs/networks.md shows what each choice costs and does. Errors are recorded on the tape; a function then
 * returns an inert node. A NULL ELBO means that an earlier call failed. */
#ifndef GREBE_MODELS_NETWORKS_H
#define GREBE_MODELS_NETWORKS_H

#include "lazy.h"

GB_BEGIN_DECLS

/* ---- how noise is shared ---- */

/* How the rows of a batch share the noise of weights. In expectation the ELBO and its gradient are the same,
 * if the likelihood is a sum over rows and a row uses each weight once. The variance of the gradient is not:
 * shared noise does not average out over the rows. */
typedef enum gb_noise_sharing {
    /* One draw of the weights for all rows of a batch. For any q, estimator and bound. */
    GB_NOISE_SHARED,
    /* Local reparameterisation (Kingma, Salimans and Welling 2015): for independent normal weights with means
     * M and standard deviations S, x·w of one row is normal too:
     *     x·w + b ~ N(x·M + m, x²·S² + s²)
     * and that is drawn, for each row. For q = gb_unit_dropout: masks of x, for each row. A row may use each
     * weight once, so x must be one vector: not the patches of a convolution. */
    GB_NOISE_LOCAL,
    /* Flipout (Wen et al. 2018): one draw of the weights, of which each row flips signs. For independent q
     * that are symmetric around M, such as normals, with random signs r and s of each row:
     *     x·w of a row = x·M + ((x ∘ s)·(w − M)) ∘ r
     * The noise of different rows is uncorrelated. Also for convolutions. */
    GB_NOISE_FLIPOUT,
    /* A draw of the weights for each row (gb_row_by_row). For any q; slow, and takes the memory of all those
     * weights. For q = gb_unit_dropout it is GB_NOISE_LOCAL. */
    GB_NOISE_WEIGHTS
} gb_noise_sharing;

/* Returns x·w + b, for x (…, n), w (n, k) and b (k); b NULL: no bias. Points have no noise. With noise of
 * its own for each row, a bias whose q does not fit that of the weights is drawn for each row by itself.
 * Rejects what the kinds of noise above do not take, and what gb_lazy_draw and gb_lazy_draw_aside reject. */
GB_API gb_node gb_lazy_affine(gb_node x, gb_lazy *w, gb_lazy *b, gb_noise_sharing noise);

/* ---- layers ---- */

/* What a dense layer can be told. Each option of 0 stands for its default.
 *
 * Starts. Units that start alike stay alike, so a posterior that says neither .spread nor .locations starts
 * with the spread 1 / √inputs. `.spread = 0` says nothing, as any option of 0: for equal starts give
 * .locations. Biases start at 0.
 *
 * Dropout: what enters the layer is dropped with probability `dropout`, and divided by keep = 1 − dropout
 * where it is kept. `posterior` decides what that means:
 *   - none: a posterior, gb_dropout_posterior(.by_unit = true, .rescaled = true), whose KL to a normal prior
 *     is the approximation of Gal and Ghahramani (2016). For prior N(0, l²) and weights w it is
 *         Σ over units of |w|² / (2 keep l²) − H(keep),   H = −keep log keep − (1 − keep) log(1 − keep)
 *     without constants. Biases are points.
 *   - any other (but dropout, which is rejected): noise of the model, without a term. With gb_point the
 *     prior is plain weight decay, |w|² / 2 l², as in other libraries; gb_density rejects such a model, since
 *     it is random.
 * Masks are drawn for each row, or, with .one_mask, for all rows of a batch; also when predicting, in each
 * sample anew.
 *
 * Concrete dropout (Gal, Hron and Kendall 2017): with .learned_dropout the rate is a variable,
 * NAME.weight.raw_keep, which starts at `dropout`. The term above is then its regulariser; that of the paper,
 * (1 − p) l′² |M|² / 2 − n H(p), is this with M = w / keep, p = dropout and l′ = 1 / l. Masks are relaxed, at
 * the temperature 0.1, unless `mask` is another estimator for bernoulli; gb_arm() is unbiased. */
#define GB_LAYER_CHOICES                                                                                     \
    const char *activation; /* gb_activations; NULL: "identity" */                                           \
    gb_noise_sharing noise; /* of weights and biases; masks of dropout: see one_mask */                      \
    /* Of the weights; its shape may be gb_shape(). None: gb_mean_field with the scale \
     * 0.1 / sqrt(inputs), or gb_dropout_posterior with .dropout. */                     \
    gb_family posterior;                                                                                     \
    gb_dist prior;            /* of each weight; none: N(0, 1) */                                            \
    gb_estimator estimator;   /* none: gb_pathwise() */                                                      \
    gb_family bias_posterior; /* none: as `posterior`, or gb_point beside dropout */                         \
    gb_dist bias_prior;       /* none: as `prior` */                                                         \
    bool no_bias;                                                                                            \
    bool layer_norm; /* gb_layer_norm before the activation */                                               \
    double dropout;  /* from 0 to below 1 */                                                                 \
    bool one_mask, learned_dropout;                                                                          \
    gb_estimator mask /* of a learned rate; none: gb_relaxed_draws(.temperature = 0.1) */

typedef struct gb_dense_options {
    size_t size;
    GB_LAYER_CHOICES;
    /* In place of `prior`: N(0, prior_scale² / inputs) for weights, N(0, prior_scale²) for biases, so that
     * outputs are as wide a priori for any number of units (Neal 1996). 0: `prior` holds. */
    double prior_scale;
} gb_dense_options;

/* Returns activation(x·w + b) of `units` units, for x (…, inputs). The latents are NAME.weight and NAME.bias.
 * With gb_patches (ops/patches.h) in the place of x it is a convolution. */
#define gb_dense(...) GB_CALL_4(gb_dense, __VA_ARGS__, .size = sizeof(gb_dense_options))
GB_API gb_node gb_dense_with(gb_elbo *e, const char *name, gb_node x, int64_t units,
                             const gb_dense_options *options);

/* Widths of layers, from the first to the last. */
typedef struct gb_width_list {
    size_t count;
    const int64_t *width;
} gb_width_list;
#define gb_widths(...)                                                                                       \
    gb_widths_of(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})
GB_API gb_width_list gb_widths_of(size_t count, const int64_t *widths);

/* Rates of dropout, from that of what enters the second layer on. */
typedef struct gb_rate_list {
    size_t count;
    const double *rate;
} gb_rate_list;
#define gb_rates(...)                                                                                        \
    gb_rates_of(sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})
GB_API gb_rate_list gb_rates_of(size_t count, const double *rates);

typedef struct gb_mlp_options {
    size_t size;
    /* For all layers, but: the last one has `last_activation` in the place of `activation`, and no
     * gb_layer_norm; `dropout` is of what enters all but the first, and so rejected for a single one. */
    GB_LAYER_CHOICES;
    const char *last_activation; /* NULL: "identity" */
    double input_dropout;        /* of what enters the first layer; not learned if it is 0 */
    double prior_scale;          /* as that of gb_dense, for all layers */
    gb_rate_list dropouts; /* a rate for each layer but the first, in place of .dropout. count 0: that */
} gb_mlp_options;

/* Returns a multilayer perceptron: layers NAME.1, NAME.2 … of these widths, gb_mlp(e, "net", x,
 * gb_widths(50, 50, 1)). With .dropout and no .posterior, a layer without dropout has points. */
#define gb_mlp(...) GB_CALL_4(gb_mlp, __VA_ARGS__, .size = sizeof(gb_mlp_options))
GB_API gb_node gb_mlp_with(gb_elbo *e, const char *name, gb_node x, gb_width_list widths,
                           const gb_mlp_options *options);

/* ---- parts of layers, which have no latents ---- */

/* Returns an activation by name. Fails for another name, and names the most similar. gb_activations returns
 * all names; `count` may be NULL. */
GB_API gb_node gb_activate(gb_node x, const char *name);
GB_API const char *const *gb_activations(size_t *count);

/* Returns (x − mean) / √(variance + 1e-5) over the last axis (Ba, Kiros and Hinton 2016), which has 2 numbers
 * or more. The usual gain and offset are left to the next layer, whose weights and biases contain them. */
GB_API gb_node gb_layer_norm(gb_node x);

/* Returns x where dropout keeps it, divided by 1 − rate, else 0: noise without a posterior, named `name`. One
 * mask for each sample and place along the last axis, and for each row unless `one_mask`. */
GB_API gb_node gb_dropout(gb_elbo *e, const char *name, gb_node x, double rate, bool one_mask);

/* The outputs (…, 2 k) of a network, as a mean (…, k) and a scale (…, k) that depends on the data:
 *     gb_head h = gb_head_of(f, 1e-3);
 *     gb_observe(e, "y", gb_normal(h.mean, h.scale), y);
 * The scale is `least` + softplus of the second half. A scale that can vanish makes log p unbounded, so
 * `least` must be positive. */
typedef struct gb_head {
    gb_node mean, scale;
} gb_head;
GB_API gb_head gb_head_of(gb_node f, double least);

GB_END_DECLS
#endif
