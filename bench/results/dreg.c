/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signal-to-noise ratio of gradients of the importance weighted bound, as the particles get more
 * (Rainforth et al. 2018; Tucker et al. 2019), on the toy of the former: p(z) = N(μ, I), p(x | z) = N(z, I),
 * q(z | x) = N(A x + b, ⅔ I), in 20 dimensions, near the optimum. */
#include <math.h>
#include <stdlib.h>

#include "results.h"

enum { D = 20, ROWS = 1024, NUMBERS = (D + 1) * D, GRADIENTS = 400, FEWEST = 100 };
static const double off = 0.01, most_particles = 1e8; /* of all gradients of one estimator */
static const int64_t particles[] = {1, 2, 5, 10, 50, 100, 500};

enum { VARIANCE, VARIANCE_LOW, VARIANCE_HIGH, SNR, SNR_LOW, SNR_HIGH, BIAS, GRADIENTS_MADE, COLUMNS };
enum { PATHWISE, STL, DREG, ESTIMATORS };
static const char *const names[ESTIMATORS] = {"pathwise", "STL as published", "DReG"};

typedef struct toy {
    double x[ROWS * (D + 1)]; /* with a 1 after each row */
    double phi[NUMBERS];      /* A, and b below it: the optimum, each number off by noise */
    double mu[D];             /* its optimum */
} toy;

/* Stores standard normal noise. */
static void draw(gb_tape *t, const char *stream, size_t count, double *to)
{
    gb_read(gb_normal_noise(gb_stream(t, stream), gb_shape((int64_t)count), 0), to, count);
}

/* At the optimum μ is the mean of the data, A = ½ I and b = ½ μ. */
static bool make(toy *of)
{
    static double noise[ROWS * D];
    double truth[D];
    gb_tape *const t = gb_tape_new(.seed = 1);
    draw(t, "truth", D, truth);
    draw(t, "x", ROWS * D, noise);
    draw(t, "phi", NUMBERS, of->phi);
    for (size_t i = 0; i < NUMBERS; i++)
        of->phi[i] *= off;
    for (int d = 0; d < D; d++) {
        for (int row = 0; row < ROWS; row++) {
            of->x[row * (D + 1) + d] = truth[d] + sqrt(2) * noise[row * D + d]; /* of z and of x */
            of->x[row * (D + 1) + D] = 1;
            of->mu[d] += of->x[row * (D + 1) + d] / ROWS;
        }
        of->phi[d * D + d] += 0.5;
        of->phi[D * D + d] += of->mu[d] / 2;
    }
    return results_end(t, "dreg");
}

static gb_elbo *record(gb_tape *t, const toy *of, int64_t count)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape(D + 1)), one = gb_num(t, 1);
    const gb_node phi = gb_variable(t, "phi", gb_shape(D + 1, D), gb_values_of(of->phi, NUMBERS));
    const gb_dist q = gb_normal(gb_matmul(x, phi), gb_num(t, sqrt(2. / 3)));
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 1, .unit = GB_PER_DATUM,
                                   .bound = gb_iwae(.draws = count));
    const gb_node mu = gb_constant(t, gb_shape(D), gb_values_of(of->mu, D));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(q), gb_normal(mu, one), gb_pathwise());
    gb_observe(e, "of_x", gb_normal(z, one), gb_slice(x, 0, 0, D));
    gb_feed_borrowed(x, of->x, ROWS);
    return e;
}

/* How far the mean is from that of an unbiased estimator, relative to the latter. What the errors of both
 * bring is subtracted. */
static double bias(const gb_watched *each, const gb_watched *right)
{
    double square = 0, size = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        const gb_figure g = each[i].mean, exact = right[i].mean;
        const double noise = exact.error * exact.error;
        square += pow(g.value - exact.value, 2) - g.error * g.error - noise;
        size += exact.value * exact.value - noise;
    }
    return sqrt(fmax(square, 0) / size);
}

static bool add(const results *r, const gb_watching *w, int64_t count, double began)
{
    bool good = true;
    const gb_watched *const right = w->point[0].estimator[DREG].parameter;
    for (int i = 0; good && i < ESTIMATORS; i++) {
        char key[100];
        const gb_watched *const each = w->point[0].estimator[i].parameter, *const all = &each[NUMBERS];
        const double numbers[COLUMNS] = {all->variance.value, all->variance.low,   all->variance.high,
                                         all->snr.value,      all->snr.low,        all->snr.high,
                                         bias(each, right),   (double)w->gradients};
        snprintf(key, sizeof key, "%s\t%lld\t", names[i], (long long)count);
        good = results_add(r, "dreg", key, COLUMNS, numbers, began);
    }
    return good;
}

static bool measure(const results *r, const toy *of, int64_t count)
{
    const double began = results_begin(), affordable = most_particles / ((double)count * ROWS);
    const int64_t gradients = r->draws > 0 ? r->draws : (int64_t)fmin(fmax(affordable, FEWEST), GRADIENTS);
    gb_tape *const t = gb_tape_new(.seed = 2, .threads = 1);
    gb_watching *const w =
        gb_watch(record(t, of, count), .draws = gradients, .share = HUGE_VAL, .elements = true,
                 .estimators = GB_ESTIMATORS(gb_pathwise(), gb_stl_as_published(), gb_dreg()));
    bool good = gb_watching_look(w, 0) == GB_OK && w->status == GB_OK;
    if (w && w->status != GB_OK)
        fprintf(stderr, "dreg: %s\n", w->error);
    good = good && add(r, w, count, began);
    return results_end(t, "dreg") && good;
}

bool results_dreg(const results *r)
{
    static toy of;
    bool good = make(&of);
    for (size_t i = 0; good && i < sizeof particles / sizeof *particles; i++) {
        char key[100], name[20];
        snprintf(name, sizeof name, "%lld", (long long)particles[i]);
        snprintf(key, sizeof key, "%s\t%s\t", names[DREG], name);
        good = !results_wants(r, name) || results_has(r, "dreg", key) || measure(r, &of, particles[i]);
    }
    return good;
}
