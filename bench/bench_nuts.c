/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Densities at many points in one run, beside the gradient of the loss with as many samples; and draws by
 * NUTS. */
#include <grebe/distributions/list.h>
#include <grebe/estimators/list.h>
#include <grebe/estimators/visit.h>
#include <grebe/fitting/nuts.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/matmul.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { POINTS = 8, ROWS = 569, COLUMNS = 30 };

static gb_elbo *schools(gb_tape *t)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 8);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), five = gb_num(t, 5);
    const gb_node mu = gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(zero, five), gb_pathwise());
    const gb_node tau = gb_latent(e, "tau", gb_mean_field(gb_shape()), gb_half_cauchy(five), gb_pathwise());
    const gb_node z = gb_latent(e, "z", gb_mean_field(gb_shape(8)), gb_normal(zero, one), gb_pathwise());
    gb_observe(e, "y",
               gb_normal(gb_add(mu, gb_mul(tau, z)),
                         gb_constant(t, gb_shape(8), GB_VALUES(15, 10, 16, 11, 9, 11, 10, 18))),
               gb_constant(t, gb_shape(8), GB_VALUES(28, 8, -3, 7, -1, 1, 18, 12)));
    return e;
}

/* A regression of the size of the breast cancer data. */
static gb_elbo *logistic(gb_tape *t)
{
    double *x = gb_bench_randoms(ROWS * COLUMNS, -1.7, 1.7), *y = calloc(ROWS, sizeof *y);
    for (int i = 0; i < ROWS; i++)
        y[i] = x[i * COLUMNS] + x[i * COLUMNS + 1] > gb_bench_random(-1, 1);
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(COLUMNS)),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_node of = gb_constant(t, gb_shape(ROWS, COLUMNS), gb_values_of(x, ROWS * COLUMNS));
    gb_observe(e, "y", gb_bernoulli_logits(gb_matmul(of, w)),
               gb_constant(t, gb_shape(ROWS), gb_values_of(y, ROWS)));
    free(x);
    free(y);
    return e;
}

/* The gradient of the loss in all variables of q. */
static gb_program *loss_gradient(gb_elbo *e)
{
    gb_node variable[8], root[9];
    root[0] = gb_elbo_loss(e);
    const size_t count = gb_node_variables(root[0], variable, 8);
    gb_grads(root[0], variable, count, root + 1);
    gb_program *p = gb_compile(root[0].tape, gb_roots_of(count + 1, root), gb_no_update);
    gb_program_set_samples(p, POINTS);
    return p;
}

typedef struct at_points {
    gb_density *density;
    size_t points;
    double z[POINTS * COLUMNS], log_p[POINTS], gradient[POINTS * COLUMNS];
} at_points;

static void evaluate(void *context)
{
    at_points *a = context;
    gb_density_evaluate(a->density, a->points, a->z, a->log_p, a->gradient, NULL);
}

static void compare(const char *name, gb_elbo *(*make)(gb_tape *t))
{
    char text[80];
    gb_tape *t = gb_tape_new(.seed = 1, .threads = 1);
    gb_elbo *e = make(t);
    static at_points eight, one;
    eight = (at_points){.density = gb_density_new(e), .points = POINTS};
    for (size_t i = 0; i < POINTS * gb_density_count(eight.density); i++)
        eight.z[i] = gb_bench_random(-0.5, 0.5);
    one = eight;
    one.points = 1;
    gb_program *p = loss_gradient(e);
    gb_bench_need(gb_run(p) == GB_OK, t, name);
    evaluate(&eight), evaluate(&one);
    gb_bench_need(gb_error(t) == GB_OK, t, name);
    gb_bench_agree(name, 1, eight.log_p, one.log_p, 1e-13);
    gb_bench_time time[3];
    gb_bench_measure(3, (gb_bench_job[]){{gb_bench_run_program, p}, {evaluate, &eight}, {evaluate, &one}},
                     time);
    snprintf(text, sizeof text, "%s: density, 8 points", name);
    gb_bench_row(text, "≤ 1.25 × loss", gb_bench_passes(time[1].ratio <= 1.25),
                 "%.2f µs, %.2f times the gradient of the loss with 8 samples; 1 point %.2f µs",
                 1e6 * time[1].seconds, time[1].ratio, 1e6 * time[2].seconds);
    gb_tape_free(t);
}

static void sample(const char *name, gb_elbo *(*make)(gb_tape *t))
{
    char text[80];
    gb_tape *t = gb_tape_new(.seed = 1, .threads = 1);
    gb_nuts *r = gb_sample_nuts(make(t));
    gb_bench_need(r != NULL, t, name);
    double least = INFINITY;
    for (size_t i = 0; i < r->values; i++)
        least = fmin(least, fmin(r->convergence[i].ess_bulk, r->convergence[i].ess_tail));
    snprintf(text, sizeof text, "%s: NUTS, 4 chains", name);
    gb_bench_row(text, "", GB_BENCH_NOTE,
                 "%.3f s (warm-up %.3f s), %.2f µs for a gradient; least effective size %.0f, %.0f a second",
                 r->seconds, r->warmup_seconds, 1e6 * r->seconds / (double)r->gradients, least,
                 least / r->seconds);
    gb_nuts_free(r);
    gb_tape_free(t);
}

int main(void)
{
    gb_bench_begin("The log joint density of an ELBO, and NUTS on it (double, 1 thread)");
    compare("eight schools", schools);
    compare("logistic 569 × 30", logistic);
    sample("eight schools", schools);
    sample("logistic 569 × 30", logistic);
}
