/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of the process are integrated out. With weights W (how often each row counts), noise σ² and
 * B = I + W^½ K W^½ / σ², which is never near singular, minus twice the log evidence is
 *
 *     Σ w log(2π σ²) + log |B| + rᵀ W^½ B⁻¹ W^½ r / σ² */
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"
#include "ready/models.h"

typedef struct trained {
    gb_node places;  /* (rows, columns), standardised */
    gb_node factor;  /* L, with L Lᵀ = B */
    gb_node per_sd;  /* W^½ / σ: (rows) */
    gb_node residue; /* L⁻¹ W^½ r / σ */
} trained;

static trained train(const gb_model_site *s, gb_covariance *k, gb_node sigma)
{
    trained of = {.places = gb_model_standard_of(s, s->x)};
    const gb_node weight = gb_node_ok(s->weight) ? s->weight : gb_ones(s->tape, gb_shape(s->rows)),
                  outcome = gb_scale(gb_shift(s->y, -s->outcome_mean), 1 / s->outcome_sd);
    of.per_sd = gb_div(gb_sqrt(weight), sigma);
    const gb_node covariance = gb_covariance_of(k, of.places, of.places);
    of.factor =
        gb_cholesky(gb_add(gb_eye(s->tape, s->rows), gb_mul(gb_outer(of.per_sd, of.per_sd), covariance)));
    of.residue = gb_triangular_solve_vector(of.factor, gb_mul(of.per_sd, outcome));
    return of;
}

static gb_node evidence(const gb_model_site *s, const trained *of, gb_node sigma)
{
    const gb_node count = gb_node_ok(s->weight) ? gb_sum(s->weight) : gb_num(s->tape, (double)s->rows),
                  of_noise =
                      gb_mul(count, gb_log(gb_scale(gb_square(gb_scale(sigma, s->outcome_sd)), 2 * GB_PI))),
                  fit = gb_sum(gb_square(of->residue));
    return gb_sub(gb_scale(gb_add(of_noise, fit), -0.5), gb_triangular_log_det(of->factor));
}

/* The law of a new outcome: that of the process given the rows, and noise. */
static gb_dist foreseen(const gb_model_site *s, gb_covariance *k, const trained *of, gb_node sigma)
{
    const gb_node at = gb_model_standard_of(s, s->new_x),
                  to_rows = gb_mul(of->per_sd, gb_covariance_of(k, at, of->places)),
                  known = gb_triangular_solve_vector(of->factor, to_rows),
                  left = gb_sub(gb_covariance_variance(k), gb_sum(gb_square(known))),
                  variance = gb_add(gb_max(left, gb_num(s->tape, 0)), gb_square(sigma));
    return gb_normal(gb_shift(gb_scale(gb_dot(known, of->residue), s->outcome_sd), s->outcome_mean),
                     gb_scale(gb_sqrt(variance), s->outcome_sd));
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_gaussian_process_model_options *const o = options;
    gb_covariance *const k = gb_covariance_new(s, o);
    if (!k)
        return false;
    const size_t noise =
        gb_model_part_of(s, "", "sigma", gb_shape(), gb_model_sd_prior(s, o->sigma_scale, o->sigma_floor));
    if (!gb_model_draw(s))
        return false;
    const gb_node sigma = gb_model_value(s, noise);
    gb_covariance_show(k, s->outcome_sd);
    gb_model_show(s, "sigma", gb_scale(sigma, s->outcome_sd));
    const trained of = train(s, k, sigma);
    gb_log_likelihood(s->elbo, s->outcome, evidence(s, &of, sigma));
    return gb_model_foresee(s, foreseen(s, k, &of, sigma));
}

static const gb_option table[] = {GB_PROCESS_ROWS(gb_gaussian_process_model_options),
                                  GB_OPTION_NUMBER(gb_gaussian_process_model_options, sigma_floor, 0.01,
                                                   GB_POSITIVE, "below it sigma is unlikely"),
                                  {0}};

const gb_model_type gb_gaussian_process_model_type = {
    .size = sizeof(gb_model_type),
    .name = "gaussian_process",
    .cite = "Rasmussen and Williams 2006",
    .formula = "y ~ N(f(x), sigma^2), f ~ GP(mean, kernel)",
    .options = table,
    .option_bytes = sizeof(gb_gaussian_process_model_options),
    .outcome = GB_REAL,
    .is_whole = true,
    .has_new_rows = true,
    .no_intercept = true,
    .build = build,
};

gb_model gb_gaussian_process_model_with(const gb_gaussian_process_model_options *options)
{
    return gb_model_of(&gb_gaussian_process_model_type, options);
}
