/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published formulas in plain C, as they are printed: what the optimisers of the same names are held to. */
#include <math.h>
#include <string.h>

#include "kit/check_optimiser.h"

static void sgd(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_sgd_options *const o = options;
    double v = 0;
    for (size_t i = 0; i < steps; i++) {
        v = o->momentum * v + g[i];
        x -= o->lr * (o->nesterov ? g[i] + o->momentum * v : v);
        out[i] = x;
    }
}

static void adagrad(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_adagrad_options *const o = options;
    double sum = 0;
    for (size_t i = 0; i < steps; i++) {
        sum += g[i] * g[i];
        x -= o->lr * g[i] / (sqrt(sum) + o->epsilon);
        out[i] = x;
    }
}

static void rmsprop(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_rmsprop_options *const o = options;
    double square = 0, mean = 0, b = 0;
    for (size_t i = 0; i < steps; i++) {
        square = o->decay * square + (1 - o->decay) * g[i] * g[i];
        mean = o->decay * mean + (1 - o->decay) * g[i];
        const double v = o->centred ? square - mean * mean : square;
        b = o->momentum * b + g[i] / (sqrt(v) + o->epsilon);
        x -= o->lr * b;
        out[i] = x;
    }
}

static void adam_with_decay(const gb_adam_options *o, double decay, double x, size_t steps, const double *g,
                            double *out)
{
    double m = 0, v = 0;
    for (size_t i = 0; i < steps; i++) {
        m = o->beta1 * m + (1 - o->beta1) * g[i];
        v = o->beta2 * v + (1 - o->beta2) * g[i] * g[i];
        const double t = (double)(i + 1), m_hat = m / (1 - pow(o->beta1, t)),
                     v_hat = v / (1 - pow(o->beta2, t));
        x -= o->lr * (m_hat / (sqrt(v_hat) + o->epsilon) + decay * x);
        out[i] = x;
    }
}

static void adam(const void *options, double x, size_t steps, const double *g, double *out)
{
    adam_with_decay(options, 0, x, steps, g, out);
}

static void adamw(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_adamw_options *const o = options;
    const gb_adam_options same = {.lr = o->lr, .beta1 = o->beta1, .beta2 = o->beta2, .epsilon = o->epsilon};
    adam_with_decay(&same, o->decay, x, steps, g, out);
}

static void natural(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_natural_options *const o = options;
    for (size_t i = 0; i < steps; i++)
        out[i] = x -= o->lr * o->others * g[i];
}

gb_optimiser_reference *gb_optimiser_reference_of(const char *name)
{
    static const struct {
        const char *name;
        gb_optimiser_reference *reference;
    } all[] = {{"sgd", sgd},   {"adagrad", adagrad}, {"rmsprop", rmsprop},
               {"adam", adam}, {"adamw", adamw},     {"natural", natural}};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].reference;
    return NULL;
}
