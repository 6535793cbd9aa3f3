/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CO2 at Mauna Loa, standardised and without its trend: what dropout with ReLU units, dropout with tanh units
 * and a Gaussian process say where there are no data (after Figure 2 of Gal and Ghahramani 2016). */
#include <math.h>
#include <string.h>

#include "results.h"

enum { ROWS = 272, GRID = 241, STEPS = 60000, UNITS = 200 };
static const double noise = 0.2; /* its standard deviation */
enum { MEAN, EPISTEMIC, SD, COLUMNS };

typedef struct curve {
    gb_tape *t;
    double x[ROWS], y[ROWS], at[GRID];
    double (*number)[COLUMNS]; /* of each place of the grid */
} curve;

/* Five hidden layers with dropout of a tenth before each but the first. The noise is learned. */
static bool network(const curve *c, const char *activation)
{
    gb_tape *const t = c->t;
    const gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_batches *const data =
        gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({x, gb_doubles(c->x)}, {y, gb_doubles(c->y)}));
    gb_batches *const grid =
        gb_batches_new(t, .rows = GRID, .name = "grid", .columns = GB_COLUMNS({x, gb_doubles(c->at)}));

    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .unit = GB_PER_DATUM);
    const gb_node f = gb_mlp(e, "net", x, gb_widths(UNITS, UNITS, UNITS, UNITS, UNITS, 1),
                             .activation = activation, .posterior = gb_point(gb_shape()),
                             .prior = gb_normal(gb_num(t, 0), gb_num(t, 10)), .dropout = 0.1);
    gb_observe(e, "y", gb_normal(f, gb_num(t, noise)), y);
    gb_fit(e, .optimiser = gb_adam(.lr = 1e-3, .schedule = gb_cosine(STEPS)), .data = data, .steps = STEPS);
    gb_prediction *const p = gb_predictive(e, "y", .data = grid, .draws = 1000, .only_moments = true);
    for (size_t i = 0; p && i < GRID; i++) {
        c->number[i][MEAN] = p->mean[i];
        c->number[i][EPISTEMIC] = p->epistemic[i];
        c->number[i][SD] = p->sd[i];
    }
    gb_prediction_free(p);
    return p != NULL;
}

static bool relu(const curve *c)
{
    return network(c, "relu");
}

static bool tanh_units(const curve *c)
{
    return network(c, "tanh");
}

/* amplitude² exp(−(x − x')² / 2 length²) for all pairs of a list and another. */
static gb_node kernel(gb_node amplitude, gb_node length, size_t m, const double *x, size_t n,
                      const double *other)
{
    gb_tape *const t = amplitude.tape;
    const gb_node a = gb_constant(t, gb_shape((int64_t)m, 1), gb_values_of(x, m)),
                  b = gb_constant(t, gb_shape(1, (int64_t)n), gb_values_of(other, n));
    return gb_mul(gb_square(amplitude), gb_exp(gb_scale(gb_square(gb_div(gb_sub(a, b), length)), -0.5)));
}

static gb_node scale_of(gb_tape *t, gb_elbo *e, const char *name, double start)
{
    return gb_latent(e, name, gb_point(gb_shape(), .location = log(start)), gb_half_normal(gb_num(t, 1)),
                     gb_pathwise());
}

/* Its three scales are points; f and its variance on the grid follow from the covariances. */
static bool process(const curve *c)
{
    gb_tape *const t = c->t;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node amplitude = scale_of(t, e, "amplitude", 1), length = scale_of(t, e, "length", 0.03),
                  sigma = scale_of(t, e, "noise", 0.3),
                  y = gb_constant(t, gb_shape(ROWS), gb_values_of(c->y, ROWS));
    const gb_node of_data =
        gb_add(kernel(amplitude, length, ROWS, c->x, ROWS, c->x), gb_mul(gb_square(sigma), gb_eye(t, ROWS)));
    const gb_node factor = gb_cholesky(of_data);
    gb_observe(e, "y", gb_multivariate_normal(gb_zeros(t, gb_shape(ROWS)), factor), y);
    gb_fit(e);

    const gb_node across = gb_triangular_solve(factor, kernel(amplitude, length, ROWS, c->x, GRID, c->at));
    const gb_node whitened = gb_triangular_solve_vector(factor, y);
    const gb_node mean = gb_matmul(gb_transpose(across, gb_axis(1, 0)), whitened),
                  variance = gb_sub(gb_square(amplitude), gb_sum_along(gb_square(across), gb_axis(0)));
    gb_program *const p = gb_compile(t, gb_roots(mean, variance, sigma), gb_no_update);
    double m[GRID], v[GRID];
    if (gb_run(p) != GB_OK || gb_read(mean, m, GRID) != GB_OK || gb_read(variance, v, GRID) != GB_OK)
        return false;
    for (int i = 0; i < GRID; i++) {
        const double known = fmax(v[i], 0);
        c->number[i][MEAN] = m[i];
        c->number[i][EPISTEMIC] = sqrt(known);
        c->number[i][SD] = sqrt(known + gb_value(sigma) * gb_value(sigma));
    }
    return true;
}

static bool read_data(curve *c, const char *path)
{
    gb_table *const d = gb_table_read(c->t, path);
    const double *const x = gb_table_doubles(d, "x"), *const y = gb_table_doubles(d, "y");
    const bool good = x && y && gb_table_rows(d) == ROWS;
    if (good) {
        memcpy(c->x, x, sizeof c->x);
        memcpy(c->y, y, sizeof c->y);
    }
    for (int i = 0; i < GRID; i++)
        c->at[i] = -2 + 6. * i / (GRID - 1);
    gb_table_free(d);
    return good;
}

bool results_co2(const results *r)
{
    static const struct {
        const char *name;
        bool (*run)(const curve *c);
        bool is_float;
    } models[] = {{"dropout, ReLU", relu, true},
                  {"dropout, tanh", tanh_units, true},
                  {"Gaussian process", process, false}};
    char path[RESULTS_PATH], key[100];
    if (!results_data(r, "co2_gal.csv", path))
        return true;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        double number[GRID][COLUMNS];
        snprintf(key, sizeof key, "%s\t%g\t", models[m].name, 4.);
        if (results_has(r, "co2", key))
            continue;
        const double began = results_begin();
        curve c = {.number = number};
        c.t = gb_tape_new(.seed = 1, .threads = 1, .real = models[m].is_float ? GB_FLOAT : GB_DOUBLE);
        bool good = read_data(&c, path) && models[m].run(&c);
        for (int i = 0; i < GRID && good; i++) {
            snprintf(key, sizeof key, "%s\t%g\t", models[m].name, c.at[i]);
            good = results_add(r, "co2", key, COLUMNS, number[i], began);
        }
        if (!results_end(c.t, models[m].name) || !good)
            return false;
    }
    return true;
}
