/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of a user's, each one struct and one function, made of the parts that the ready models are made of:
 * they need no header but the public ones, and keep the promises of the kit. */
#include "support/close.h"

#include "grebe.h"
#include "kit/check_model.h"
#include "support/verdict.h"

/* ---- a series: a level and a trend ---- */

typedef struct trend_options {
    size_t size;
    GB_SERIES_CHOICES;
    double sigma_scale;
} trend_options;

static bool build_trend(gb_model_site *s, const void *options)
{
    const trend_options *const o = options;
    const gb_series is = gb_series_of(s, o->prior, o->raw, 3);
    const size_t level = gb_series_number(&is, "level", gb_shape(), o->intercept_scale),
                 slope = gb_series_number(&is, "slope", gb_shape(), 1),
                 sigma = gb_series_spread(&is, "sigma", gb_shape(), o->sigma_scale);
    if (!gb_model_draw(s))
        return false;
    const gb_node one = gb_num(s->tape, 1.0 / (double)s->rows),
                  time = gb_cumsum(gb_broadcast(one, gb_shape(s->rows)), 0),
                  place = gb_series_place(&is, gb_model_value(s, level)),
                  drift = gb_mul(time, gb_series_scaled(&is, gb_model_value(s, slope)));
    gb_series_show(&is, place);
    return gb_model_observe(s, gb_normal(gb_add(gb_add(place, drift), gb_series_effect(&is)),
                                         gb_series_scaled(&is, gb_model_value(s, sigma))));
}

static const gb_option trend_table[] = {
    GB_SERIES_ROWS(trend_options),
    GB_OPTION_NUMBER(trend_options, sigma_scale, 2.5, GB_POSITIVE, "of sigma, in sds of y"),
    {0}};

static const gb_model_type trend = {
    .size = sizeof(gb_model_type),
    .name = "trend",
    .formula = "y[t] ~ N(level + slope t + x[t] beta, sigma^2)",
    .options = trend_table,
    .option_bytes = sizeof(trend_options),
    .outcome = GB_REAL,
    .is_whole = true,
    .no_intercept = true,
    .build = build_trend,
};

/* ---- a Gaussian process of counts, with a value at each row ---- */

static bool build_counts(gb_model_site *s, const void *options)
{
    gb_tape *const t = s->tape;
    gb_covariance *const k = gb_covariance_new(s, options);
    const size_t white =
        gb_model_part_of(s, "", "values", gb_shape(s->rows), gb_normal(gb_num(t, 0), gb_num(t, 1)));
    if (!k || !gb_model_draw(s))
        return false;
    const gb_node places = gb_model_standard_of(s, s->x),
                  small = gb_scale(gb_mul(gb_covariance_variance(k), gb_eye(t, s->rows)), 1e-9),
                  root = gb_cholesky(gb_add(gb_covariance_of(k, places, places), small)),
                  f = gb_matmul(root, gb_model_value(s, white));
    gb_covariance_show(k, 1);
    gb_model_keep(s, "f", f);
    return gb_model_observe(s, gb_poisson_log(f));
}

static const gb_option counts_table[] = {GB_PROCESS_ROWS(gb_process_choices), {0}};

static const gb_model_type counts = {
    .size = sizeof(gb_model_type),
    .name = "counts",
    .formula = "y ~ Poisson(exp(f(x))), f ~ GP",
    .options = counts_table,
    .option_bytes = sizeof(gb_process_choices),
    .outcome = GB_COUNT,
    .is_whole = true,
    .no_intercept = true,
    .build = build_counts,
};

/* ---- a network of counts ---- */

static bool build_rates(gb_model_site *s, const void *options)
{
    const gb_node f = gb_model_network(s, options, 1);
    if (!gb_node_ok(f))
        return false;
    const gb_node log_rate = gb_shift(gb_reshape(f, gb_shape()), gb_model_log_mean(s));
    gb_model_keep(s, "log rate", log_rate);
    return gb_model_observe(s, gb_poisson_log(log_rate));
}

static const gb_option rates_table[] = {GB_NETWORK_ROWS(gb_network_choices), {0}};

static const gb_model_type rates = {
    .size = sizeof(gb_model_type),
    .name = "rates",
    .formula = "y ~ Poisson(exp(f(x; w)))",
    .options = rates_table,
    .option_bytes = sizeof(gb_network_choices),
    .outcome = GB_COUNT,
    .no_intercept = true,
    .build = build_rates,
};

/* ---- a regression with noise that has a scale of its own ---- */

static bool build_laplace(gb_model_site *s, const void *options)
{
    const gb_regression_choices *const o = options;
    gb_coefficients *const beta =
        gb_coefficients_new(s, .choices = o, .centre = s->outcome_mean, .scale = s->outcome_sd);
    const size_t sigma = gb_model_sigma(s, 2.5);
    if (!gb_model_draw(s))
        return false;
    gb_coefficients_show(beta, NULL);
    return gb_model_observe(
        s, gb_laplace(gb_coefficients_predictor(beta, s->x), gb_model_sigma_value(s, sigma, o->raw)));
}

static const gb_option laplace_table[] = {GB_REGRESSION_ROWS(gb_regression_choices), {0}};

static const gb_model_type laplace = {
    .size = sizeof(gb_model_type),
    .name = "laplace",
    .formula = "y ~ Laplace(x beta, sigma)",
    .options = laplace_table,
    .option_bytes = sizeof(gb_regression_choices),
    .outcome = GB_REAL,
    .takes_offset = true,
    .takes_group = true,
    .build = build_laplace,
};

typedef struct of_a_user {
    const char *name;
    const gb_model_type *type;
    const char *columns;
    bool with_group;
} of_a_user;

static const of_a_user models[] = {{"trend", &trend, "a", false},
                                   {"counts", &counts, "a + b", false},
                                   {"rates", &rates, "a + f", false},
                                   {"laplace", &laplace, "a + f", true}};

TEST_EACH(a_model_of_parts_keeps_its_promises, models)
{
    const of_a_user *const m = row;
    gb_report report = {.size = sizeof report, .file = stdout};
    assert_true(gb_check_model(gb_model_of(m->type, NULL), .columns = m->columns, .with_group = m->with_group,
                               .report = &report));
}

/* ---- what they reject ---- */

static bool build_too_early(gb_model_site *s, const void *options)
{
    gb_covariance *const k = gb_covariance_new(s, options);
    const gb_node places = gb_model_standard_of(s, s->x);
    return gb_node_ok(gb_covariance_of(k, places, places)) && gb_model_draw(s);
}

static const gb_model_type too_early = {
    .size = sizeof(gb_model_type),
    .name = "early",
    .formula = "nothing",
    .options = counts_table,
    .option_bytes = sizeof(gb_process_choices),
    .outcome = GB_COUNT,
    .is_whole = true,
    .build = build_too_early,
};

TEST(latents_are_drawn_before_they_are_read)
{
    const double y[] = {0, 1, 3, 2}, x[] = {1, 2, 3, 4};
    gb_tape *const own = test_tape();
    assert_null(gb_analysis_new(own, gb_model_of(&too_early, NULL),
                                .y = gb_numbers_of(GB_NUMBER_DOUBLE, y, 4),
                                .x = gb_numbers_of(GB_NUMBER_DOUBLE, x, 4)));
    assert_rejected(own, GB_EARGUMENT, "gb_model_draw has drawn none yet");
    assert_false(gb_node_ok(gb_covariance_variance(NULL)));
}

TEST(parts_reject_what_they_cannot_do)
{
    const double y[] = {0, 1, 3, 2};
    const gb_model_type *const types[] = {&counts, &rates, &trend};
    const char *const words[] = {"needs columns", "no columns", "the model needs at least 3"};
    for (int i = 0; i < 3; i++) {
        gb_tape *const own = test_tape();
        assert_null(gb_analysis_new(own, gb_model_of(types[i], NULL), .rows = i == 2 ? 2 : 4,
                                    .y = gb_numbers_of(GB_NUMBER_DOUBLE, y, i == 2 ? 2 : 4)));
        assert_rejected(own, GB_EARGUMENT, words[i]);
    }
}
