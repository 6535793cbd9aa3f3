/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The excerpts of docs/networks.md: a small convolution, and a gate of lazy weights. */
#include <stdio.h>

#include <grebe/grebe.h>

int main(void)
{
    enum { ROWS = 4 };
    double pixels[ROWS * 64], labels[ROWS * 2] = {1, 0, 0, 1, 1, 0, 0, 1};
    for (int i = 0; i < ROWS * 64; i++)
        pixels[i] = (i * i) % 7 / 7.0;
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node image = gb_input_rows(t, "image", gb_shape(8, 8, 1)), y = gb_input_rows(t, "y", gb_shape(2));
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    /* clang-format off */
    gb_node conv = gb_dense(e, "conv", gb_patches(image, gb_shape(3, 3)), 4, .activation = "relu",
                            .noise = GB_NOISE_FLIPOUT);                         /* (8, 8, 1) to (6, 6, 4) */
    gb_node pooled = gb_pool_maximum(conv, gb_shape(2, 2));                     /* (3, 3, 4) */
    gb_node logits = gb_dense(e, "out", gb_reshape(pooled, gb_shape(36)), 2, .noise = GB_NOISE_LOCAL);
    /* clang-format on */
    gb_node flat = gb_reshape(pooled, gb_shape(36));
    gb_lazy *w = gb_latent_lazy(e, "gate.w", gb_mean_field(gb_shape(36, 2)), prior, gb_pathwise());
    gb_node gate = gb_sigmoid(gb_lazy_affine(flat, w, NULL, GB_NOISE_LOCAL));
    gb_observe(e, "y", gb_one_hot_categorical_logits(gb_mul(gate, logits)), y);
    gb_feed(image, pixels, ROWS);
    gb_feed(y, labels, ROWS);
    gb_fit(e, .optimiser = gb_adam(), .steps = 20);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}
