/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several draws: one that shifts the mean of another, and one for each row of data. */
#include "compare/problems/list_impl.h"
#include "compare/problems/problem_impl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- a Bernoulli that shifts a normal ---- */

enum { THETA, MU, SIGMA, SHIFT };

static gb_node two_cost(gb_trial *trial)
{
    const gb_node theta = gb_trial_number(trial, "theta", trial->setting[THETA]),
                  mu = gb_trial_number(trial, "mu", trial->setting[MU]),
                  sigma = gb_trial_number(trial, "sigma", trial->setting[SIGMA]);
    const gb_node b = gb_trial_draw(trial, "b", gb_bernoulli(theta));
    const gb_node mean = gb_add(mu, gb_scale(b, trial->setting[SHIFT]));
    return gb_square(gb_trial_draw(trial, "x", gb_normal(mean, sigma)));
}

static gb_node expected_two(gb_trial *trial)
{
    const gb_node theta = gb_trial_number(trial, "theta", trial->setting[THETA]),
                  mu = gb_trial_number(trial, "mu", trial->setting[MU]),
                  sigma = gb_trial_number(trial, "sigma", trial->setting[SIGMA]);
    const gb_node low = gb_square(mu), high = gb_square(gb_shift(mu, trial->setting[SHIFT]));
    return gb_add(gb_add(low, gb_mul(theta, gb_sub(high, low))), gb_square(sigma));
}

const gb_problem gb_two_sites_problem = {
    .size = sizeof(gb_problem),
    .name = "two-sites",
    .formula = "E x^2, x ~ N(mu + shift b, sigma), b ~ Bernoulli(theta)",
    .settings = {{"theta", 0.4, 1e-6, 1 - 1e-6, "the probability of b"},
                 {"mu", 0.5, -100, 100, "the mean of x where b is 0"},
                 {"sigma", 0.8, 1e-6, 100, "the standard deviation of x"},
                 {"shift", 1, -100, 100, "what b adds to the mean"}},
    .cost = two_cost,
    .expected = expected_two,
    .shows = GB_SHOWS_DEPENDENT_DRAWS,
};

/* ---- a latent for each row ---- */

enum { SLOPE, SCALE, ROWS = 6 };
static const double X[ROWS] = {0.5, 1.2, -0.7, 0.9, -1.4, 0.3};
static const double Y[ROWS] = {0.1, 2.0, -0.9, 0.4, -2.2, 1.0};

typedef struct row_model {
    gb_node slope, sigma, x, y;
} row_model;

static row_model row_model_of(gb_trial *trial)
{
    const row_model m = {.slope = gb_trial_number(trial, "slope", trial->setting[SLOPE]),
                         .sigma = gb_trial_number(trial, "sigma", trial->setting[SCALE]),
                         .x = gb_trial_rows(trial, "x", gb_shape(), ROWS, X),
                         .y = gb_trial_rows(trial, "y", gb_shape(), ROWS, Y)};
    return m;
}

static gb_node rows_cost(gb_trial *trial)
{
    const row_model m = row_model_of(trial);
    const gb_node z = gb_trial_draw(trial, "z", gb_normal(gb_mul(m.slope, m.x), m.sigma));
    return gb_trial_row_sum(trial, gb_square(gb_sub(z, m.y)));
}

static gb_node expected_rows(gb_trial *trial)
{
    const row_model m = row_model_of(trial);
    const gb_node each = gb_add(gb_square(gb_sub(gb_mul(m.slope, m.x), m.y)), gb_square(m.sigma));
    return gb_trial_row_sum(trial, each);
}

const gb_problem gb_rows_problem = {
    .size = sizeof(gb_problem),
    .name = "rows",
    .formula = "E sum_n (z_n - y_n)^2, z_n ~ N(slope x_n, sigma), of six rows",
    .settings = {{"slope", 0.6, -100, 100, "of the means"},
                 {"sigma", 0.9, 1e-6, 100, "the standard deviation"}},
    .cost = rows_cost,
    .expected = expected_rows,
    .shows = GB_SHOWS_ROWS,
};
