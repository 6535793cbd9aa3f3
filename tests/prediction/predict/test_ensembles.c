/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions by an ensemble of points: its members take turns as draws. */
#include "support/close.h"

#include "fitting/fit.h"
#include "prediction/predicted.h"

enum { MEMBERS = 3 };

/* y ~ N(a + b x, s), with three values of each. s is positive, so its members are logarithms. */
static const double as[MEMBERS] = {0, 1, 3}, bs[MEMBERS] = {1, -1, 0.5}, log_s[MEMBERS] = {-1, 0, 0.5};

static line ensemble(gb_tape *t)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_family family = gb_ensemble(gb_shape(), .members = MEMBERS, .spread = 1);
    line m = {.x = gb_input_rows(t, "x", gb_shape()), .y = gb_input_rows(t, "y", gb_shape())};
    m.e = gb_elbo_new(t, .data_size = LINE_ROWS, .samples = MEMBERS);
    const gb_node a = gb_latent(m.e, "a", family, gb_normal(zero, one), gb_pathwise()),
                  b = gb_latent(m.e, "b", family, gb_normal(zero, one), gb_pathwise()),
                  s = gb_latent(m.e, "s", family, gb_half_normal(one), gb_pathwise());
    m.f = gb_add(a, gb_mul(b, m.x));
    gb_observe(m.e, "y", gb_normal(m.f, s), m.y);
    m.data = line_batches(&m, 0, true, "line");
    set_variable(t, "a.members", as, MEMBERS);
    set_variable(t, "b.members", bs, MEMBERS);
    set_variable(t, "s.members", log_s, MEMBERS);
    assert_fine(t);
    return m;
}

TEST(members_take_turns)
{
    const line m = ensemble(t);
    gb_prediction *const p =
        predicted(gb_predictive(m.e, "y", .data = m.data, .draws = 20 * MEMBERS, .only_moments = true), t);
    for (size_t i = 0; i < LINE_ROWS; i++) {
        double mean = 0, density = 0, noise = 0;
        for (size_t k = 0; k < MEMBERS; k++) {
            const double f = as[k] + bs[k] * line_x[i], s = exp(log_s[k]);
            mean += f / MEMBERS;
            noise += s * s / MEMBERS;
            density += exp(log_normal(line_y[i], f, s * s)) / MEMBERS;
        }
        assert_near(p->mean[i], mean, 1e-12);
        assert_near(p->noise[i], sqrt(noise), 1e-12);
        assert_near(p->log_density[i], log(density), 1e-12);
    }
    gb_prediction_free(p);
}

TEST(a_node_is_predicted_too)
{
    const line m = ensemble(t);
    gb_prediction *const p =
        predicted(gb_predictive_node(m.e, m.f, .data = m.data, .draws = MEMBERS, .keep_draws = true), t);
    for (size_t k = 0; k < MEMBERS; k++)
        for (size_t i = 0; i < LINE_ROWS; i++)
            assert_near(p->draw[k * LINE_ROWS + i], as[k] + bs[k] * line_x[i], 1e-12);
    gb_prediction_free(p);
}

TEST(held_out_rows_are_scored)
{
    const line m = ensemble(t);
    gb_batches *const held = line_batches(&m, 0, true, "held");
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(.lr = 1e-9), .data = m.data, .steps = 1,
                                   .window = 1, .validate = held, .validate_draws = 2 * MEMBERS);
    assert_fine(t);
    double should = 0;
    for (size_t i = 0; i < LINE_ROWS; i++) {
        double density = 0;
        for (size_t k = 0; k < MEMBERS; k++)
            density += exp(log_normal(line_y[i], as[k] + bs[k] * line_x[i], exp(2 * log_s[k]))) / MEMBERS;
        should += log(density) / LINE_ROWS;
    }
    assert_near(r.last.validation, should, 1e-6);
}
