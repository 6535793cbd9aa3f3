/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ensembles: a draw of a prediction is one member of all latents. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/networks.h"
#include "ops/elementwise.h"
#include "prediction/predicted.h"
#include "support/counted_memory.h"

enum { MEMBERS = 3, ROWS = 2, DRAWS = 6000 };
static const double slope[MEMBERS] = {1, -2, 0.5}, offset[MEMBERS] = {10, 20, 30},
                    scale[MEMBERS] = {0.5, 1, 2};
static const double xs[ROWS] = {-1, 3}, ys[ROWS] = {11, 14};

typedef struct many {
    gb_elbo *e;
    gb_node f;
    gb_batches *data, *held_out;
} many;

static gb_node constant(gb_tape *t, const double *x, bool by_log)
{
    double start[MEMBERS];
    for (int i = 0; i < MEMBERS; i++)
        start[i] = by_log ? log(x[i]) : x[i];
    return gb_constant(t, gb_shape(MEMBERS), gb_values_of(start, MEMBERS));
}

/* y = slope · x + offset + noise of the member's own scale. */
static many model(gb_tape *t)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 100));
    many m = {.e = gb_elbo_new(t, .data_size = ROWS, .samples = MEMBERS)};
    const gb_node a = gb_latent(
        m.e, "a", gb_ensemble(gb_shape(), .members = MEMBERS, .locations = constant(t, slope, false)), prior,
        gb_pathwise());
    const gb_node b = gb_latent(
        m.e, "b", gb_ensemble(gb_shape(), .members = MEMBERS, .locations = constant(t, offset, false)), prior,
        gb_pathwise());
    const gb_node s = gb_latent(
        m.e, "s", gb_ensemble(gb_shape(), .members = MEMBERS, .locations = constant(t, scale, true)),
        gb_half_normal(gb_num(t, 1)), gb_pathwise());
    m.f = gb_add(gb_mul(a, x), b);
    gb_observe(m.e, "y", gb_normal(m.f, s), y);
    const gb_column_list columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)});
    m.data = gb_batches_new(t, .rows = ROWS, .columns = columns);
    m.held_out = gb_batches_new(t, .rows = ROWS, .columns = columns, .name = "held out", .in_order = true);
    return m;
}

static void assert_draws_are_members(gb_tape *t, const many *m)
{
    gb_prediction *p =
        predicted(gb_predictive_node(m->e, m->f, .data = m->data, .draws = DRAWS, .keep_draws = true), t);
    int seen[MEMBERS] = {0};
    for (int d = 0; d < DRAWS; d++) {
        int member = 0;
        while (member < MEMBERS && fabs(p->draw[d * ROWS] - (slope[member] * xs[0] + offset[member])) > 1e-9)
            member++;
        if (member == MEMBERS)
            fail_msg("draw %d is %g, which is no member's", d, p->draw[d * ROWS]);
        assert_near(p->draw[d * ROWS + 1], slope[member] * xs[1] + offset[member], 1e-12);
        seen[member]++;
    }
    for (int i = 0; i < MEMBERS; i++) /* 4 standard errors */
        assert_near(seen[i] / (double)DRAWS, 1. / MEMBERS, 4 * sqrt(2. / 9 / DRAWS));
    gb_prediction_free(p);
}

TEST(a_draw_is_a_member_the_same_one_of_all_latents)
{
    const many m = model(t);
    assert_draws_are_members(t, &m);
}

static void assert_mixture(gb_tape *t, const many *m)
{
    gb_prediction *p = predicted(gb_predictive(m->e, "y", .data = m->data, .draws = DRAWS), t);
    for (int i = 0; i < ROWS; i++) {
        double mean = 0, square = 0, noise = 0, density = 0;
        for (int k = 0; k < MEMBERS; k++) {
            const double f = slope[k] * xs[i] + offset[k], variance = scale[k] * scale[k];
            mean += f / MEMBERS;
            square += f * f / MEMBERS;
            noise += variance / MEMBERS;
            density += exp(log_normal(ys[i], f, variance)) / MEMBERS;
        }
        const double epistemic = sqrt(square - mean * mean);
        assert_near(p->mean[i], mean, 4 * epistemic / sqrt(DRAWS));
        assert_near(p->epistemic[i], epistemic, 0.05 * epistemic);
        assert_near(p->noise[i], sqrt(noise), 0.05 * sqrt(noise));
        assert_near(p->log_density[i], log(density), 4 * p->log_density_error[i]);
    }
    gb_prediction_free(p);
}

TEST(an_ensemble_is_predicted_as_a_mixture_of_its_members)
{
    const many m = model(t);
    assert_mixture(t, &m);
}

/* y = slope · x + offset + noise of scale s, with one latent for all three. The parts of a block are pieces
 * of the same member, and each is a value of its own domain. */
TEST(the_parts_of_a_block_are_of_one_member)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    const gb_dist wide = gb_normal(gb_num(t, 0), gb_num(t, 100));
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS, .samples = MEMBERS);
    double start[MEMBERS][3];
    for (int i = 0; i < MEMBERS; i++) {
        start[i][0] = slope[i];
        start[i][1] = offset[i];
        start[i][2] = log(scale[i]);
    }
    const gb_node starts = gb_constant(t, gb_shape(MEMBERS, 3), gb_values_of(*start, (size_t)MEMBERS * 3));
    const gb_latent_part parts[] = {{.name = "a", .prior = wide},
                                    {.name = "b", .prior = wide},
                                    {.name = "s", .prior = gb_half_normal(gb_num(t, 1))}};
    gb_node w[3];
    gb_latent_block(e, "w", gb_ensemble(gb_shape(), .members = MEMBERS, .locations = starts), 3, parts,
                    gb_pathwise(), w);
    const gb_node f = gb_add(gb_mul(w[0], x), w[1]);
    gb_observe(e, "y", gb_normal(f, w[2]), y);
    const many m = {
        e, f,
        gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)})),
        NULL};
    assert_draws_are_members(t, &m);
    assert_mixture(t, &m);
    gb_prediction *p = predicted(gb_predictive_node(e, w[2], .draws = 50, .keep_draws = true), t);
    for (int d = 0; d < 50; d++)
        assert_near((p->draw[d] - 0.5) * (p->draw[d] - 1) * (p->draw[d] - 2), 0, 1e-9);
    gb_prediction_free(p);
}

/* Of layers with masks for each row, a draw has one mask for all rows, as without an ensemble. */
TEST(members_have_layers_with_noise_of_their_own)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS, .samples = MEMBERS);
    const gb_node f = gb_mlp(e, "net", x, gb_widths(4, 1), .activation = "tanh", .dropout = 0.5,
                             .posterior = gb_ensemble(gb_shape(), .members = MEMBERS),
                             .bias_posterior = gb_point(gb_shape()));
    gb_observe(e, "y", gb_normal(f, gb_num(t, 1)), y);
    const double same[ROWS] = {2, 2};
    gb_batches *data =
        gb_batches_new(t, .rows = ROWS, .columns = GB_COLUMNS({x, gb_doubles(same)}, {y, gb_doubles(ys)}));
    gb_prediction *p = predicted(gb_predictive_node(e, f, .data = data, .draws = 200, .keep_draws = true), t);
    int different = 0;
    for (int d = 0; d < 200; d++) {
        assert_near(p->draw[d * ROWS], p->draw[d * ROWS + 1], 1e-14);
        different += p->draw[d * ROWS] != p->draw[0];
    }
    assert_true(different > 100);
    gb_prediction_free(p);
}

TEST(held_out_rows_are_scored_by_members)
{
    const many m = model(t);
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_sgd(.lr = 1e-12), .data = m.data, .steps = 1,
                                   .window = 1, .validate = m.held_out, .validate_draws = DRAWS);
    assert_fine(t);
    double density = 0;
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < MEMBERS; k++)
            sum += exp(log_normal(ys[i], slope[k] * xs[i] + offset[k], scale[k] * scale[k])) / MEMBERS;
        density += log(sum) / ROWS;
    }
    assert_near(r.last.validation, density, 0.1);
}

TEST(a_point_has_no_members)
{
    gb_slot slot;
    const gb_family point = gb_point(gb_shape());
    assert_true(gb_slot_of(t, "w", point, gb_normal(gb_num(t, 0), gb_num(t, 1)), &slot));
    assert_false(gb_node_ok(gb_family_member(point, &slot, gb_num(t, 0.5))));
    assert_rejected(t, GB_EARGUMENT, "latent w: its family has no members to choose from");
}

/* ---- after a failure ---- */

/* Members, a relaxed latent, and an outcome: each has a stream of its own for predictions. */
static gb_elbo *relaxed_model(gb_tape *t, gb_node y)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = MEMBERS);
    const gb_node half = gb_num(t, 0.5), one = gb_num(t, 1),
                  a = gb_latent(e, "a", gb_ensemble(gb_shape(), .members = MEMBERS), gb_normal(half, one),
                                gb_pathwise()),
                  z = gb_latent(e, "z", gb_posterior_of(gb_bernoulli(half)), gb_bernoulli(half),
                                gb_straight_through());
    gb_observe(e, "y", gb_normal(gb_add(a, z), one), y);
    return e;
}

/* Memory runs out at request `at` of the first call. Returns how many requests there were before it. */
static size_t predict_twice(size_t at, bool *failed)
{
    counted_memory memory = {0};
    gb_tape *const own = gb_tape_new(.seed = 1, .threads = 1, .memory = counted(&memory));
    gb_elbo *const e = relaxed_model(own, gb_constant(own, gb_shape(2), GB_VALUES(1, 2)));
    assert_true(gb_node_ok(gb_elbo_loss(e)));
    const size_t before = memory.asked;
    memory.fail_at = at ? before + at : 0;
    gb_prediction *const p = gb_predictive(e, "y", .draws = 8);
    *failed = !p;
    memory.fail_at = 0;
    gb_forgive(own);
    gb_prediction *const q = p ? NULL : gb_predictive(e, "y", .draws = 8);
    if (!p && !q)
        fail_msg("request %zu: %s", at, gb_error_text(own));
    gb_prediction_free(p);
    gb_prediction_free(q);
    const size_t asked = memory.asked - before;
    gb_tape_free(own);
    assert_int_equal(memory.outstanding, 0);
    return asked;
}

TEST(a_call_that_failed_is_in_the_way_of_no_other)
{
    bool failed = false;
    size_t failures = 0;
    const size_t requests = predict_twice(0, &failed);
    assert_false(failed);
    for (size_t at = 1; at <= requests; at++) {
        predict_twice(at, &failed);
        failures += failed;
    }
    assert_true(failures > 5);
    assert_fine(t);
}
