/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variational autoencoder: its joint density and its bound by hand, and what it learns. */
#include "support/close.h"

#include "ready/models/networks/units.h"

enum { ROWS = 6, COLUMNS = 3, UNITS = 3, CODES = 2 };

typedef struct data {
    double x[ROWS * COLUMNS], weight[ROWS];
} data;

static data some_data(bool are_bits, bool has_missing)
{
    data d;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        d.x[i] = are_bits ? pseudo(i) > 0 : 10 * (double)(i % COLUMNS) + 2 * pseudo(i);
        if (has_missing && i % 7 == 1)
            d.x[i] = (double)NAN;
    }
    for (size_t i = 0; i < ROWS; i++)
        d.weight[i] = i == 2 ? 0 : 1 + 0.5 * (double)(i % 3);
    return d;
}

/* ---- the joint density of numbers, and of the codes of all rows ---- */

enum {
    OF_DECODER = (CODES + 1) * UNITS + (UNITS + 1) * COLUMNS,
    NUMBERS = ROWS * CODES + OF_DECODER + COLUMNS
};

static const double *dense(const double *z, size_t inputs, size_t units, const double *x, double *f,
                           double *prior)
{
    for (size_t k = 0; k < units; k++) {
        f[k] = z[inputs * units + k];
        *prior += log_normal(f[k], 0, 2);
        for (size_t i = 0; i < inputs; i++) {
            f[k] += x[i] * z[i * units + k];
            *prior += log_normal(z[i * units + k], 0, 2 / sqrt((double)inputs));
        }
    }
    return z + (inputs + 1) * units;
}

static double joint_by_hand(const data *d, const double *z)
{
    double mean[COLUMNS], sd[COLUMNS], log_p = 0, prior = 0;
    column_scales(ROWS, COLUMNS, d->x, NULL, mean, sd);
    const double *const decoder = z + ROWS * CODES, *const free_sd = decoder + OF_DECODER;
    for (size_t i = 0; i < ROWS; i++) {
        double h[UNITS], f[COLUMNS];
        prior = 0;
        for (size_t k = 0; k < CODES; k++)
            log_p += log_normal(z[i * CODES + k], 0, 1);
        const double *const second = dense(decoder, CODES, UNITS, z + i * CODES, h, &prior);
        for (size_t k = 0; k < UNITS; k++)
            h[k] = tanh(h[k]);
        dense(second, UNITS, COLUMNS, h, f, &prior);
        for (size_t c = 0; c < COLUMNS; c++)
            if (!isnan(d->x[i * COLUMNS + c]))
                log_p +=
                    log_normal(d->x[i * COLUMNS + c], mean[c] + sd[c] * f[c], sd[c] * exp(-0.5 * free_sd[c]));
    }
    for (size_t c = 0; c < COLUMNS; c++)
        log_p += log_sd_free(free_sd[c], 1, 0.1);
    return log_p + prior;
}

TEST(the_joint_density_is_the_formula)
{
    for (int missing = 0; missing < 2; missing++) {
        const data d = some_data(false, missing);
        gb_tape *const own = test_tape();
        gb_analysis *const a =
            gb_analysis_new(own, gb_variational_autoencoder_model(.codes = CODES, .units = UNITS),
                            .x = gb_doubles(d.x), .columns = COLUMNS, .rows = ROWS);
        assert_fine(own);
        for (size_t number = 0; number < 3; number++) {
            double z[NUMBERS];
            for (size_t i = 0; i < NUMBERS; i++)
                z[i] = 0.7 * pseudo(i + 31 * number);
            const double should = joint_by_hand(&d, z);
            assert_near(density_at(a, NUMBERS, z), should, 1e-12 * fabs(should));
        }
    }
}

TEST(weights_of_rows_have_no_joint_density)
{
    const data d = some_data(false, false);
    gb_analysis *const a =
        gb_analysis_new(t, gb_variational_autoencoder_model(.units = UNITS), .x = gb_doubles(d.x),
                        .columns = COLUMNS, .rows = ROWS, .weight = gb_doubles(d.weight));
    assert_null(gb_density_new(gb_analysis_elbo(a), .data = gb_analysis_data(a)));
    assert_rejected(t, GB_EARGUMENT, "density: rows of latent code have weights");
}

/* ---- the bound of bits, summed over all codes ---- */

static double bound_by_hand(gb_tape *t, const data *d, bool has_missing)
{
    double mean[COLUMNS], sd[COLUMNS], bound = 0, prior = 0;
    column_scales(ROWS, COLUMNS, d->x, d->weight, mean, sd);
    for (size_t i = 0; i < ROWS; i++) {
        double seen[2 * COLUMNS], h[UNITS], q[CODES], row = 0;
        for (size_t c = 0; c < COLUMNS; c++) {
            const bool is_there = !isnan(d->x[i * COLUMNS + c]);
            seen[c] = is_there ? (d->x[i * COLUMNS + c] - mean[c]) / sd[c] : 0;
            seen[COLUMNS + c] = is_there;
        }
        layer(t, "encoder.1", has_missing ? 2 * COLUMNS : COLUMNS, UNITS, seen, h);
        for (size_t k = 0; k < UNITS; k++)
            h[k] = tanh(h[k]);
        layer(t, "encoder.2", UNITS, CODES, h, q);
        for (int code = 0; code < 1 << CODES; code++) {
            double z[CODES], f[COLUMNS], log_q = 0, log_p = -CODES * log(2);
            for (int k = 0; k < CODES; k++) {
                z[k] = code >> k & 1;
                log_q += log_bit(z[k], q[k]);
            }
            prior = layer(t, "decoder.1", CODES, UNITS, z, h);
            for (size_t k = 0; k < UNITS; k++)
                h[k] = tanh(h[k]);
            prior += layer(t, "decoder.2", UNITS, COLUMNS, h, f);
            for (size_t c = 0; c < COLUMNS; c++)
                if (!isnan(d->x[i * COLUMNS + c]))
                    log_p += log_bit(d->x[i * COLUMNS + c], f[c]);
            row += exp(log_q) * (log_p - log_q);
        }
        bound += d->weight[i] * row;
    }
    return bound + prior;
}

TEST(the_bound_of_binary_codes_is_the_formula)
{
    for (int missing = 0; missing < 2; missing++)
        for (int sampled = 0; sampled < 2; sampled++) {
            const data d = some_data(true, missing);
            gb_tape *const own = test_tape();
            gb_analysis *const a = gb_analysis_new(
                own,
                gb_variational_autoencoder_model(.codes = CODES, .units = UNITS, .binary_code = true,
                                                 .binary = true),
                .x = gb_doubles(d.x), .columns = COLUMNS, .rows = ROWS, .weight = gb_doubles(d.weight),
                .estimator = gb_enumerated(), .kl = sampled ? GB_KL_SAMPLED : GB_KL_AUTO);
            shake(own);
            const double should = bound_by_hand(own, &d, missing);
            assert_near(elbo_of(a), should, 1e-12 * fabs(should));
            assert_fine(own);
        }
}

/* ---- what it learns ---- */

enum { MANY = 400, WIDE = 6 };

TEST(a_curve_in_many_columns_is_learned, .seed = 1)
{
    static double x[MANY * WIDE];
    uint64_t state = 3;
    for (size_t i = 0; i < MANY; i++) {
        const double z = normal_draw(&state);
        for (size_t c = 0; c < WIDE; c++)
            x[i * WIDE + c] = 10 * (double)c + 5 * sin(z + (double)c) + 0.5 * normal_draw(&state);
    }
    gb_analysis *const a = gb_analysis_new(t, gb_variational_autoencoder_model(.codes = 1),
                                           .x = gb_doubles(x), .rows = MANY, .columns = WIDE, .batch = 100);
    gb_elbo *const e = gb_analysis_elbo(a);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .data = gb_analysis_data(a), .epochs = 500);
    gb_prediction *const sd = gb_predictive_node(e, gb_analysis_node_named(a, "sd"));
    assert_fine(t);
    for (size_t c = 0; c < WIDE; c++)
        assert_near(sd->mean[c], 0.5, 0.2);
    gb_prediction_free(sd);
    gb_prediction *const p =
        gb_predictive_node(e, gb_analysis_node_named(a, "reconstruction"), .data = gb_analysis_data(a));
    assert_fine(t);
    double squares = 0;
    for (size_t i = 0; i < MANY * WIDE; i++)
        squares += pow(p->mean[i] - x[i], 2) / (MANY * WIDE);
    assert_near(sqrt(squares), 0.5, 0.15);
    gb_prediction_free(p);
}

/* The mean bound of a row without priors of weights, beside the truth. */
TEST(patterns_are_learned_with_codes_of_either_kind, .seed = 1)
{
    static double x[MANY * WIDE];
    const double truth = two_patterns(MANY, WIDE, x);
    for (int binary = 0; binary < 2; binary++) {
        gb_tape *const own = test_tape(.seed = 2);
        gb_analysis *const a = gb_analysis_new(
            own,
            gb_variational_autoencoder_model(.codes = 1, .units = 10, .binary_code = binary, .binary = true),
            .x = gb_doubles(x), .rows = MANY, .columns = WIDE);
        gb_elbo *const e = gb_analysis_elbo(a);
        gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .data = gb_analysis_data(a), .epochs = 1500);
        assert_fine(own);
        gb_program *const look = gb_compile(own, gb_elbo_roots(e), gb_no_update);
        gb_program_set_samples(look, 100);
        gb_next_batch(gb_analysis_data(a));
        gb_run(look);
        const double bound =
            (gb_value(gb_elbo_term_named(e, "x").value) + gb_value(gb_elbo_term_named(e, "code").value)) /
            MANY;
        assert_fine(own);
        assert_near(bound, truth, 0.2);
    }
}

/* ---- words ---- */

TEST(columns_that_are_not_bits_are_rejected_by_row)
{
    data d = some_data(true, false);
    d.x[4 * COLUMNS + 1] = 2;
    gb_analysis *const a = gb_analysis_new(t, gb_variational_autoencoder_model(.binary = true),
                                           .x = gb_doubles(d.x), .rows = ROWS, .columns = COLUMNS);
    gb_fit(gb_analysis_elbo(a), .optimiser = gb_adam(), .data = gb_analysis_data(a), .steps = 1);
    assert_int_not_equal(gb_error(t), GB_OK);
    assert_non_null(strstr(gb_error_text(t), "row 4"));
}

TEST(a_code_has_numbers)
{
    const data d = some_data(false, false);
    gb_analysis_new(t, gb_variational_autoencoder_model(.codes = -1), .x = gb_doubles(d.x), .rows = ROWS,
                    .columns = COLUMNS);
    assert_rejected(t, GB_EARGUMENT,
                    "variational_autoencoder: codes is -1, and must be a whole number, not negative");
}
