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
    const gb_node f = gb_dense(
        e, "output", h, 1, .dropout = j->rate, .prior = prior, .bias_prior = gb_no_prior,
        .posterior = gb_point(gb_shape(units, 1), .locations = glorot(j, "output.start", units, 1)),
        .bias_posterior = gb_point(gb_shape()));
    gb_observe(e, "y", gb_normal(f, gb_num(j->t, 1 / sqrt(precision))), j->y);
    return e;
}
