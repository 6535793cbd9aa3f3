/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sigmoid belief network: its bound by hand, over all values of the hidden units, and what it learns by
 * each estimator. */
#include "support/close.h"

#include "ready/models/networks/units.h"

enum { ROWS = 6, COLUMNS = 3, UNITS = 2 };

typedef struct data {
    double x[ROWS * COLUMNS], weight[ROWS];
} data;

static data some_data(bool has_missing)
{
    data d;
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        d.x[i] = has_missing && i % 7 == 1 ? (double)NAN : pseudo(i) > 0;
    for (size_t i = 0; i < ROWS; i++)
        d.weight[i] = i == 2 ? 0 : 1 + 0.5 * (double)(i % 3);
    return d;
}

static void bits_of(int number, double bit[UNITS])
{
    for (int k = 0; k < UNITS; k++)
        bit[k] = number >> k & 1;
}

static double log_bits(const double *bit, const double *logit)
{
    double sum = 0;
    for (size_t k = 0; k < UNITS; k++)
        sum += log_bit(bit[k], logit[k]);
    return sum;
}

/* E_q of log p(h₁, x) − log q, where log p(h₁) is that of the top or, with a second layer, E_q(h₂ | h₁) of
 * log p(h₁ | h₂) p(h₂) / q(h₂ | h₁). */
static double of_lowest(gb_tape *t, int layers, const double *h, double *prior)
{
    double top[UNITS], sum = 0, q[UNITS], f[UNITS], above[UNITS];
    assert_int_equal(gb_read(gb_variable_named(t, "top"), top, UNITS), GB_OK);
    for (size_t k = 0; k < UNITS; k++)
        *prior += log_normal(top[k], 0, 2);
    if (layers == 1)
        return log_bits(h, top);
    layer(t, "recognition.2.1", UNITS, UNITS, h, q);
    for (int number = 0; number < 1 << UNITS; number++) {
        bits_of(number, above);
        const double log_q = log_bits(above, q), of_layer = layer(t, "generation.2", UNITS, UNITS, above, f);
        *prior += number == 0 ? of_layer : 0;
        sum += exp(log_q) * (log_bits(above, top) + log_bits(h, f) - log_q);
    }
    return sum;
}

static double bound_by_hand(gb_tape *t, const data *d, int layers, bool has_missing)
{
    double mean[COLUMNS], sd[COLUMNS], bound = 0, prior = 0;
    column_scales(ROWS, COLUMNS, d->x, d->weight, mean, sd);
    for (size_t i = 0; i < ROWS; i++) {
        double seen[2 * COLUMNS], q[UNITS], h[UNITS], f[COLUMNS], row = 0;
        for (size_t c = 0; c < COLUMNS; c++) {
            const bool is_there = !isnan(d->x[i * COLUMNS + c]);
            seen[c] = is_there ? (d->x[i * COLUMNS + c] - mean[c]) / sd[c] : 0;
            seen[COLUMNS + c] = is_there;
        }
        layer(t, "recognition.1.1", has_missing ? 2 * COLUMNS : COLUMNS, UNITS, seen, q);
        for (int number = 0; number < 1 << UNITS; number++) {
            bits_of(number, h);
            prior = layer(t, "generation.1", UNITS, COLUMNS, h, f);
            const double log_q = log_bits(h, q);
            double log_p = of_lowest(t, layers, h, &prior);
            for (size_t c = 0; c < COLUMNS; c++)
                log_p += isnan(d->x[i * COLUMNS + c]) ? 0 : log_bit(d->x[i * COLUMNS + c], f[c]);
            row += exp(log_q) * (log_p - log_q);
        }
        bound += d->weight[i] * row;
    }
    return bound + prior;
}

TEST(the_bound_is_the_formula)
{
    for (int layers = 1; layers <= 2; layers++)
        for (int missing = 0; missing < 2; missing++) {
            const data d = some_data(missing);
            gb_tape *const own = test_tape();
            gb_analysis *const a =
                gb_analysis_new(own, gb_belief_network_model(.units = UNITS, .layers = layers),
                                .x = gb_doubles(d.x), .columns = COLUMNS, .rows = ROWS,
                                .weight = gb_doubles(d.weight), .estimator = gb_enumerated());
            assert_fine(own);
            shake(own);
            const double should = bound_by_hand(own, &d, layers, missing);
            assert_near(elbo_of(a), should, 1e-12 * fabs(should));
        }
}

/* ---- what it learns ---- */

typedef struct way {
    const char *name, *estimator;
    int64_t layers;
    double within; /* nats of a row */
} way;

static const way ways[] = {
    {"usual", "", 1, 0.1},   {"two_layers", "", 2, 0.2},  {"score", "score:baseline=leave_one_out", 1, 0.2},
    {"arm", "arm", 1, 0.15}, {"rebar", "rebar", 1, 0.15}, {"enumerated", "enumerate", 1, 0.1}};

enum { MANY = 400, WIDE = 6 };

TEST_EACH(patterns_are_learned, ways, .seed = 1)
{
    static double x[MANY * WIDE];
    const way *const w = row;
    const double truth = two_patterns(MANY, WIDE, x);
    gb_estimator estimator = {0};
    assert_true(!*w->estimator || gb_estimator_parse(w->estimator, &estimator, NULL, 0));
    gb_analysis *const a = gb_analysis_new(
        t, gb_belief_network_model(.units = 2, .layers = w->layers, .prior_scale = 4), .x = gb_doubles(x),
        .rows = MANY, .columns = WIDE, .estimator = estimator, .samples = 4);
    gb_elbo *const e = gb_analysis_elbo(a);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .data = gb_analysis_data(a), .epochs = 1500);
    assert_fine(t);
    gb_program *const look = gb_compile(t, gb_elbo_roots(e), gb_no_update);
    gb_program_set_samples(look, 100);
    gb_next_batch(gb_analysis_data(a));
    gb_run(look);
    double bound = 0;
    static const char *const terms[] = {"x", "hidden.1", "hidden.2", "prior of hidden.1"};
    for (size_t i = 0; i < (w->layers == 1 ? 2 : 4); i++)
        bound += gb_value(gb_elbo_term_named(e, terms[i]).value) / MANY;
    assert_fine(t);
    assert_near(bound, truth, w->within);
}

TEST(a_layer_has_units)
{
    const data d = some_data(false);
    gb_analysis_new(t, gb_belief_network_model(.units = -2), .x = gb_doubles(d.x), .rows = ROWS,
                    .columns = COLUMNS);
    assert_rejected(t, GB_EARGUMENT, "belief_network: units is -2, and must be a whole number, not negative");
}

TEST(columns_are_bits)
{
    data d = some_data(true);
    d.x[4 * COLUMNS + 2] = 2;
    gb_analysis_new(t, gb_belief_network_model(), .x = gb_doubles(d.x), .rows = ROWS, .columns = COLUMNS);
    assert_rejected(t, GB_EARGUMENT, "analysis: column 2 is 2 in row 4, and columns must be");
}
