/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priors of coefficients, and of other latents of the models: log p is the formula in plain C. */
#include "support/close.h"

#include <math.h>

#include "fitting/density.h"
#include "ready/analysis.h"
#include "ready/models.h"

enum { ROWS = 4, MOST = 8 };
static const double PI = 3.14159265358979323846;
static const double a[ROWS] = {1, 2, 4, 5}, b[ROWS] = {-1, 0.5, 2, 0}, y[ROWS] = {1.5, 1, 4, 2},
                    error[ROWS] = {1, 0.5, 2, 1};

static double log_normal(double x, double sd)
{
    return -0.5 * log(2 * PI) - log(sd) - 0.5 * x * x / (sd * sd);
}

static double log_half_cauchy(double x, double scale)
{
    return log(2 / (PI * scale)) - log1p(x * x / (scale * scale));
}

static double log_inverse_gamma(double x, double shape, double scale)
{
    return shape * log(scale) - lgamma(shape) - (shape + 1) * log(x) - scale / x;
}

/* ---- priors of two slopes, from the values of the latents ---- */

static double independent_normal(const double *v, double *beta)
{
    beta[0] = v[0], beta[1] = v[1];
    return log_normal(v[0], 1.5) + log_normal(v[1], 1.5);
}

static double independent_laplace(const double *v, double *beta)
{
    beta[0] = v[0], beta[1] = v[1];
    return -2 * log(2 * 0.7) - (fabs(v[0]) + fabs(v[1])) / 0.7;
}

static double log_t(double x, double nu, double scale)
{
    return lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * log(nu * PI) - log(scale) -
           (nu + 1) / 2 * log1p(x * x / (scale * scale) / nu);
}

static double independent_t(const double *v, double *beta)
{
    beta[0] = v[0], beta[1] = v[1];
    return log_t(v[0], 4, 1.2) + log_t(v[1], 4, 1.2);
}

static double flat(const double *v, double *beta)
{
    beta[0] = v[0], beta[1] = v[1];
    return 0;
}

static double ridge(const double *v, double *beta)
{
    beta[0] = v[0] * v[2], beta[1] = v[1] * v[2];
    return log_normal(v[0], 1) + log_normal(v[1], 1) + log(2) + log_normal(v[2], 0.5);
}

static double horseshoe(const double *v, double *beta)
{
    const double tau = v[4], c2 = v[5];
    for (int k = 0; k < 2; k++) {
        const double local = v[2 + k], cut = sqrt(c2 * local * local / (c2 + tau * tau * local * local));
        beta[k] = v[k] * cut * tau;
    }
    return log_normal(v[0], 1) + log_normal(v[1], 1) + log_half_cauchy(v[2], 1) + log_half_cauchy(v[3], 1) +
           log_half_cauchy(tau, 0.3) + log_inverse_gamma(c2, 3, 3 * 4);
}

typedef struct prior_case {
    const char *name; /* the text of the model */
    size_t latents;
    double (*log_prior)(const double *value, double *beta);
} prior_case;

static const prior_case cases[] = {
    {"linear:raw:prior=normal(scale=1.5)", 2, independent_normal},
    {"linear:raw:prior=laplace(scale=0.7)", 2, independent_laplace},
    {"linear:raw:prior=student_t(freedom=4:scale=1.2)", 2, independent_t},
    {"linear:raw:prior=none", 2, flat},
    {"linear:raw:prior=ridge(scale=0.5)", 3, ridge},
    {"linear:raw:prior=horseshoe(scale=0.3:slab=2:slab_freedom=6)", 6, horseshoe},
};

static gb_analysis *record(gb_tape *t, const char *text, const char *formula, bool has_error)
{
    gb_model model;
    char words[256];
    gb_table *const d = gb_table_new(t, "data", ROWS);
    const double *const column[] = {a, b, y, error};
    const char *const name[] = {"a", "b", "y", "error"};
    for (int i = 0; i < 4; i++)
        gb_table_add(d, name[i], gb_numbers_of(GB_NUMBER_DOUBLE, column[i], ROWS));
    if (!gb_model_parse(text, &model, words, sizeof words))
        fail_msg("%s", words);
    gb_analysis *const made =
        gb_analysis_new(t, model, .formula = formula, .table = d, .error = has_error ? "error" : NULL);
    gb_table_free(d);
    return made;
}

/* Σ log |dw/dz|, for latents that are mapped number by number. */
static double log_jacobian(gb_density *d, size_t count, const double *z)
{
    const double step = 1e-5;
    double sum = 0, up[MOST], down[MOST], at[MOST];
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < count; i++)
            at[i] = z[i];
        at[k] = z[k] + step;
        gb_density_values(d, 1, at, up);
        at[k] = z[k] - step;
        gb_density_values(d, 1, at, down);
        sum += log((up[k] - down[k]) / (2 * step));
    }
    return sum;
}

TEST_EACH(log_p_of_a_prior_is_its_formula, cases)
{
    const prior_case *const c = row;
    gb_analysis *const made = record(t, c->name, "y ~ 0 + a + b", true);
    gb_density *const d = gb_density_new(gb_analysis_elbo(made), .data = gb_analysis_data(made));
    assert_fine(t);
    assert_int_equal(gb_density_count(d), c->latents);
    for (int number = 0; number < 3; number++) {
        double z[MOST], value[MOST], beta[2], log_p;
        for (size_t k = 0; k < c->latents; k++)
            z[k] = sin(1 + 2.3 * (double)k + number);
        assert_int_equal(gb_density_evaluate(d, 1, z, &log_p, NULL, NULL), GB_OK);
        assert_int_equal(gb_density_values(d, 1, z, value), GB_OK);
        double should = c->log_prior(value, beta) + log_jacobian(d, c->latents, z);
        for (int i = 0; i < ROWS; i++)
            should += log_normal(y[i] - beta[0] * a[i] - beta[1] * b[i], error[i]);
        assert_near(log_p, should, 1e-7 * (1 + fabs(should)));
    }
}

TEST(phi_of_a_negative_binomial_is_the_inverse_square_of_its_latent)
{
    gb_analysis *const good = record(t, "negative_binomial", "a ~ 1", false);
    gb_density *const d = gb_density_new(gb_analysis_elbo(good), .data = gb_analysis_data(good));
    assert_fine(t);
    const gb_node phi = gb_analysis_node_named(good, "phi");
    gb_program *const program = gb_density_program(d, gb_roots(phi));
    static const double z[] = {0.2, 0.4};
    double value[2], is;
    assert_int_equal(gb_density_values(d, 1, z, value), GB_OK);
    gb_density_run(d, program, 1, z);
    assert_fine(t);
    gb_read_root(program, 0, &is);
    assert_close(is, 1 / (value[1] * value[1]), 16);
}
