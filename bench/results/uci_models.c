/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The models that are trained on UCI sets: one hidden layer of ReLU units. */
#include <math.h>

#include "uci.h"

/* Uniform starts within ±√(6 / (inputs + outputs)) (Glorot and Bengio 2010), as a constant for .locations. */
static gb_node glorot(const uci_job *j, const char *name, int64_t in, int64_t out)
{
    enum { MOST = 8192 };
    double start[MOST];
    const size_t count = (size_t)(in * out);
    const gb_node u = gb_uniform_noise(gb_stream(j->t, name), gb_shape(in, out), 0);
    const double width = sqrt(6. / (double)(in + out));
    if (count > MOST || gb_read(u, start, count) != GB_OK)
        return (gb_node){0};
    for (size_t i = 0; i < count; i++)
        start[i] = width * (2 * start[i] - 1);
    return gb_constant(j->t, gb_shape(in, out), gb_values_of(start, count));
}

/* MC-dropout by the protocol. The loss there is the mean squared error of the standardised target, plus
 * λ |w|² with λ = lengthscale² (1 − rate) / (2 N τ), where τ is in the units of the target. Times τ sd² / 2
 * this is −log of a normal likelihood with the precision τ, and of a normal prior of weights. */
gb_elbo *uci_dropout(const uci_job *j)
{
    const double lengthscale = 0.01, precision = j->tau * j->sd * j->sd;
    const double width = sqrt(2 / (1 - j->rate)) / (lengthscale * j->sd);
    const gb_dist prior = gb_normal(gb_num(j->t, 0), gb_num(j->t, width));
    const int64_t in = j->set->columns, units = j->set->units;

    gb_elbo *const e = gb_elbo_new(j->t, .data_size = j->rows, .unit = GB_PER_DATUM);
    const gb_node h = gb_dense(
        e, "hidden", j->x, units, .activation = "relu", .dropout = j->rate, .prior = prior,
        .bias_prior = gb_no_prior,
        .posterior = gb_point(gb_shape(in, units), .locations = glorot(j, "hidden.start", in, units)),
        .bias_posterior = gb_point(gb_shape()));
    const gb_node f =
        gb_dense(e, "output", h, 1, .dropout = j->rate, .prior = prior, .bias_prior = gb_no_prior,
                 .posterior = gb_point(gb_shape(units, 1), .locations = glorot(j, "output.start", units, 1)),
                 .bias_posterior = gb_point(gb_shape()));
    gb_observe(e, "y", gb_normal(f, gb_num(j->t, 1 / sqrt(precision))), j->y);
    return e;
}

/* ---- without anything to choose ---- */

/* Observes y with a noise that is learned: a point `noise`, which starts at 0.3 of the standard deviation. */
static gb_elbo *observe(const uci_job *j, gb_elbo *e, gb_node f, gb_family noise)
{
    const gb_node sigma = gb_latent(e, "noise", noise, gb_half_normal(gb_num(j->t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(f, sigma), j->y);
    return e;
}

static gb_family learned_noise(void)
{
    return gb_point(gb_shape(), .location = log(0.3));
}

static gb_elbo *elbo(const uci_job *j, int64_t samples)
{
    return gb_elbo_new(j->t, .data_size = j->rows, .unit = GB_PER_DATUM, .samples = samples);
}

/* Rates are learned, for the inputs and for the hidden units (Gal, Hron and Kendall 2017). */
gb_elbo *uci_concrete_dropout(const uci_job *j)
{
    gb_elbo *const e = elbo(j, 1);
    const gb_node f = gb_mlp(e, "net", j->x, gb_widths(j->set->units, 1), .activation = "relu",
                             .learned_dropout = true, .dropout = 0.1, .input_dropout = 0.1);
    return observe(j, e, f, learned_noise());
}

static gb_elbo *by_backprop(const uci_job *j, gb_noise_sharing noise)
{
    gb_elbo *const e = elbo(j, 1);
    const gb_node f =
        gb_mlp(e, "net", j->x, gb_widths(j->set->units, 1), .activation = "relu", .noise = noise);
    return observe(j, e, f, learned_noise());
}

/* Bayes by Backprop (Blundell et al. 2015), one draw of the weights for a batch. */
gb_elbo *uci_shared(const uci_job *j)
{
    return by_backprop(j, GB_NOISE_SHARED);
}

/* The same bound with noise of its own in each row (Kingma, Salimans and Welling 2015). */
gb_elbo *uci_local(const uci_job *j)
{
    return by_backprop(j, GB_NOISE_LOCAL);
}

/* A point for the hidden layer, and a normal with all covariances for the weights of the last one. */
gb_elbo *uci_last_layer(const uci_job *j)
{
    gb_elbo *const e = elbo(j, 1);
    const gb_node h =
        gb_dense(e, "hidden", j->x, j->set->units, .activation = "relu", .posterior = gb_point(gb_shape()));
    const gb_node f = gb_dense(e, "output", h, 1, .posterior = gb_full_rank(gb_shape(), .scale = 0.02),
                               .bias_posterior = gb_mean_field(gb_shape()));
    return observe(j, e, f, learned_noise());
}

/* Five networks, each from a start of its own (Lakshminarayanan, Pritzel and Blundell 2017). */
gb_elbo *uci_ensemble(const uci_job *j)
{
    enum { MEMBERS = 5 };
    gb_elbo *const e = elbo(j, MEMBERS);
    const gb_node f = gb_mlp(e, "net", j->x, gb_widths(j->set->units, 1), .activation = "relu",
                             .posterior = gb_ensemble(gb_shape(), .members = MEMBERS));
    return observe(j, e, f, gb_ensemble(gb_shape(), .members = MEMBERS, .location = log(0.3)));
}
