/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "belief_net.h"

/* Returns "w", "w2" … */
static const char *named(char text[32], const char *word, int64_t layer)
{
    snprintf(text, 32, layer > 0 ? "%s%d" : "%s", word, (int)layer + 1);
    return text;
}

static gb_node weights(gb_tape *t, const char *name, int64_t in, int64_t out)
{
    const size_t count = (size_t)(in * out);
    double *const start = malloc(count * sizeof *start);
    if (!start)
        return (gb_node){0};
    const gb_node noise = gb_normal_noise(gb_stream(t, name), gb_shape(in, out), 0);
    gb_read(gb_scale(noise, 1 / sqrt((double)in)), start, count);
    const gb_node node = gb_variable(t, name, gb_shape(in, out), gb_values_of(start, count));
    free(start);
    return node;
}

belief_net belief_begin(gb_tape *t, const belief_sizes *sizes, const double *c)
{
    const int64_t bits = sizes->bits;
    belief_net n = {.sizes = *sizes, .x = gb_input_rows(t, "x", gb_shape(sizes->pixels))};
    n.top = gb_variable(t, "of_z", gb_shape(bits), gb_fill(0));
    for (int64_t k = 0; k < sizes->layers; k++) {
        char text[32];
        const int64_t below = k > 0 ? bits : sizes->pixels;
        const gb_values start = k > 0 ? gb_fill(0) : c ? gb_values_of(c, (size_t)below) : gb_fill(-1);
        n.w[k] = weights(t, named(text, "w", k), bits, below);
        n.c[k] = gb_variable(t, named(text, "c", k), gb_shape(below), start);
        n.v[k] = weights(t, named(text, "v", k), below, bits);
        n.d[k] = gb_variable(t, named(text, "d", k), gb_shape(bits), gb_fill(0));
    }
    return n;
}

gb_elbo *belief_record(const belief_net *n, const char *name, gb_estimator estimator, int64_t samples,
                       gb_bound bound)
{
    char text[32];
    gb_node z = n->x, below[BELIEF_LAYERS];
    gb_elbo *const e = gb_elbo_new(n->x.tape, .data_size = (double)n->sizes.rows, .samples = samples,
                                   .unit = GB_PER_DATUM, .bound = bound);
    for (int64_t k = 0; k < n->sizes.layers; k++) {
        const gb_dist q = gb_bernoulli_logits(gb_affine(z, n->v[k], n->d[k]));
        const bool is_top = k + 1 == n->sizes.layers;
        below[k] = z;
        z = gb_latent(e, named(text, name, k), gb_posterior_of(q),
                      is_top ? gb_bernoulli_logits(n->top) : gb_no_prior, estimator);
    }
    for (int64_t k = n->sizes.layers - 1; k >= 0; k--) {
        const gb_dist p = gb_bernoulli_logits(gb_affine(z, n->w[k], n->c[k]));
        snprintf(text, sizeof text, "%s.%s", name, k > 0 ? "of_z" : "x");
        if (k > 0)
            gb_prior(e, text, p, below[k]);
        else
            gb_observe(e, text, p, n->x);
        z = below[k];
    }
    return e;
}
