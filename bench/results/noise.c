/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How noise is shared, and the time to an ELBO: Bayes by Backprop with the mixture prior, 784-400-400-10 on
 * MNIST, with one draw of the weights for a batch, or one for each image by local reparameterisation. */
#include "results.h"

enum { PIXELS = 784, UNITS = 400, CLASSES = 10, BATCH = 128, EPOCHS = 12, STEPS = 469, WINDOW = STEPS / 7 };

typedef struct run {
    const results *results;
    const char *name;
    double began;
} run;

/* The mean ELBO of a seventh of an epoch, in nats for each image. */
static bool add(void *user, const gb_fit_point *point)
{
    const run *const of = user;
    char key[100];
    snprintf(key, sizeof key, "%s\t%llu\t", of->name, (unsigned long long)point->step);
    return results_add(of->results, "noise", key, 1, &point->elbo, of->began);
}

static bool train(const results *r, const char *name, gb_noise_sharing noise, const gb_array *images,
                  const gb_array *labels)
{
    gb_tape *const t = gb_tape_new(.seed = 1, .real = GB_FLOAT, .threads = 1, .flush_subnormals = true);
    const gb_node x = gb_input_rows(t, "x", gb_shape(PIXELS)), label = gb_input_rows(t, "label", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = (double)gb_array_rows(images), .unit = GB_PER_DATUM);
    const gb_dist prior = gb_scale_mixture(gb_num(t, 0.5), gb_num(t, 1), gb_num(t, 0.0025));
    const gb_node logits =
        gb_mlp(e, "net", x, gb_widths(UNITS, UNITS, CLASSES), .activation = "relu", .prior = prior,
               .posterior = gb_mean_field(gb_shape(), .scale = 0.01), .noise = noise);
    gb_observe(e, "label", gb_categorical_logits(logits), label);
    gb_batches *const data =
        gb_batches_new(t, .batch = BATCH,
                       .columns = GB_COLUMNS({x, gb_numbers_scaled(gb_array_numbers(images), 1. / 126, 0)},
                                             {label, gb_array_numbers(labels)}));
    run of = {.results = r, .name = name, .began = results_begin()};
    gb_fit(e, .optimiser = gb_adam(.lr = 1e-3), .data = data, .epochs = r->epochs > 0 ? r->epochs : EPOCHS,
           .window = WINDOW, .each = add, .user = &of);
    return results_end(t, name);
}

bool results_noise(const results *r)
{
    static const struct {
        const char *name;
        gb_noise_sharing noise;
    } ways[] = {{"shared", GB_NOISE_SHARED}, {"local", GB_NOISE_LOCAL}};
    char path[2][RESULTS_PATH], key[100];
    if (!results_data(r, "mnist/train-images-idx3-ubyte", path[0]) ||
        !results_data(r, "mnist/train-labels-idx1-ubyte", path[1]))
        return true;
    gb_tape *const t = gb_tape_new();
    gb_array *const images = gb_array_read(t, path[0]), *const labels = gb_array_read(t, path[1]);
    bool good = gb_error(t) == GB_OK;
    for (int i = 0; good && i < 2; i++) {
        snprintf(key, sizeof key, "%s\t%d\t", ways[i].name, EPOCHS * STEPS);
        good = !results_wants(r, ways[i].name) || results_has(r, "noise", key) ||
               train(r, ways[i].name, ways[i].noise, images, labels);
    }
    gb_array_free(images);
    gb_array_free(labels);
    return results_end(t, "noise") && good;
}
