/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers with noise of their own in each row, where whole functions are needed: densities, judgements,
 * summaries, draws of curves. There the weights are one draw for all rows. */
#include "support/close.h"

#include "core/program.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/density.h"
#include "fitting/fit.h"
#include "fitting/judge.h"
#include "fitting/summary.h"
#include "models/networks.h"
#include "ops/elementwise.h"

enum { N = 8, KINDS = 4, POINTS = 5, COUNT = 10 /* 3 + 3 + 3 + 1 weights and biases */ };
static const double xs[N] = {-1, -0.7, -0.3, 0, 0.2, 0.5, 0.8, 1},
                    ys[N] = {-0.6, -0.5, -0.1, 0.1, 0.1, 0.5, 0.4, 0.7};
static const gb_noise_sharing kinds[KINDS] = {GB_NOISE_SHARED, GB_NOISE_LOCAL, GB_NOISE_FLIPOUT,
                                              GB_NOISE_WEIGHTS};

typedef struct model {
    gb_elbo *e;
    gb_node x, y, f;
} model;

static model record(gb_tape *t, gb_noise_sharing noise)
{
    model m = {.x = gb_input_rows(t, "x", gb_shape(1)), .y = gb_input_rows(t, "y", gb_shape(1))};
    m.e = gb_elbo_new(t, .data_size = N, .samples = 4);
    m.f = gb_mlp(m.e, "net", m.x, gb_widths(3, 1), .activation = "tanh", .noise = noise);
    gb_observe(m.e, "y", gb_normal(m.f, gb_num(t, 0.3)), m.y);
    gb_feed(m.x, xs, N);
    gb_feed(m.y, ys, N);
    assert_fine(t);
    return m;
}

static void fill_points(double *z, size_t count)
{
    for (size_t i = 0; i < count; i++)
        z[i] = sin(12.9898 * (double)(i + 1));
}

/* log p, its gradient, and predictions at given points are those of the model with shared weights, to the
 * last bits. Before the loss, and after it. */
TEST(the_density_is_that_of_shared_weights)
{
    double z[POINTS * COUNT], log_p[2][POINTS], gradient[2][POINTS * COUNT], f[2][POINTS * N];
    fill_points(z, POINTS * COUNT);
    for (int k = 0; k < KINDS; k++)
        for (int after = 0; after < 2; after++) {
            gb_tape *const tape = test_tape(.seed = 3);
            const model m = record(tape, kinds[k]);
            if (after)
                gb_elbo_loss(m.e);
            gb_density *const d = gb_density_new(m.e);
            const int at = k > 0;
            assert_int_equal(gb_density_count(d), COUNT);
            assert_int_equal(gb_density_evaluate(d, POINTS, z, log_p[at], gradient[at], NULL), GB_OK);
            gb_program *const p = gb_density_program(d, gb_roots(m.f));
            assert_int_equal(gb_density_run(d, p, POINTS, z), GB_OK);
            assert_int_equal(gb_read_root(p, 0, f[at]), GB_OK);
            for (int i = 0; i < POINTS; i++)
                assert_close(log_p[at][i], log_p[0][i], 8);
            for (int i = 0; i < POINTS * COUNT; i++)
                assert_near(gradient[at][i], gradient[0][i], 1e-13 * fabs(log_p[0][i / COUNT]));
            for (int i = 0; i < POINTS * N; i++)
                assert_near(f[at][i], f[0][i], 1e-14);
        }
}

/* log q of draws, and log p at them: those of the model with shared weights at the same step. */
TEST(draws_of_q_are_those_of_shared_weights)
{
    double z[2][POINTS * COUNT], log_q[2][POINTS];
    for (int k = 0; k < KINDS; k++) {
        const int at = k > 0;
        gb_density *const d = gb_density_new(record(test_tape(.seed = 3), kinds[k]).e);
        assert_int_equal(gb_density_draw(d, 7, POINTS, z[at], log_q[at]), GB_OK);
        for (int i = 0; i < POINTS * COUNT; i++)
            assert_true(z[at][i] == z[0][i]);
        for (int i = 0; i < POINTS; i++)
            assert_close(log_q[at][i], log_q[0][i], 4);
    }
}

/* Two rows with the same x: equal outputs of a whole function, others without. Their mean and standard
 * deviation are those of each row; 6 standard errors, which chance exceeds less than once in 10⁸. */
TEST(a_whole_function_has_one_draw_for_all_rows)
{
    enum { DRAWS = 20000, ROWS = 3 };
    static const double x[ROWS] = {0.4, 0.4, -1};
    for (int k = 0; k < KINDS; k++) {
        gb_tape *const tape = test_tape(.seed = 4);
        const model m = record(tape, kinds[k]);
        const gb_node whole = gb_elbo_whole(m.e, m.f);
        const gb_node of[] = {gb_predict_mean(m.e, m.f), gb_predict_mean(m.e, whole), gb_predict_sd(m.e, m.f),
                              gb_predict_sd(m.e, whole)};
        gb_program *const look = gb_compile(tape, gb_roots(of[0], of[1], of[2], of[3]), gb_no_update),
                          *const one = gb_compile(tape, gb_roots(m.f, whole), gb_no_update);
        double value[4][ROWS], f[2][ROWS];
        gb_feed(m.x, x, ROWS);
        gb_program_set_samples(one, 1);
        gb_program_set_samples(look, DRAWS);
        gb_run(one);
        gb_read(m.f, f[0], ROWS);
        gb_read(whole, f[1], ROWS);
        gb_run(look);
        assert_fine(tape);
        for (int i = 0; i < 4; i++)
            gb_read(of[i], value[i], ROWS);
        assert_true(f[1][0] == f[1][1]);
        assert_true((f[0][0] == f[0][1]) == (kinds[k] == GB_NOISE_SHARED));
        if (kinds[k] == GB_NOISE_SHARED)
            assert_true(gb_node_same(whole, m.f));
        for (int i = 0; i < ROWS; i++) {
            const double sd = value[3][i];
            assert_near(value[0][i], value[1][i], 6 * sd * sqrt(2.0 / DRAWS));
            assert_near(value[2][i], value[3][i], 6 * sd / sqrt(DRAWS));
        }
    }
}

/* The searches without an optimiser, the judge and the summary see one function of the weights. */
TEST(a_fit_is_judged_and_summarised)
{
    double elbo[2];
    for (int k = 0; k < 2; k++) {
        gb_tape *const tape = test_tape(.seed = 4);
        const model m = record(tape, kinds[k]);
        const gb_fit_result r = gb_fit(m.e, .seed = 2, .seconds = 20);
        assert_fine(tape);
        assert_true(r.end != GB_FIT_ERROR);
        elbo[k] = r.elbo;
        gb_judgement *const j = gb_judge(m.e, .draws = 1000, .most_draws = 2000);
        assert_fine(tape);
        assert_int_equal(j->count, COUNT);
        gb_judgement_free(j);
        gb_summary_table *const s = gb_summary(m.e);
        assert_fine(tape);
        assert_true(s != NULL);
        gb_summary_free(s);
    }
    assert_near(elbo[1], elbo[0], 0.2);
}

/* ---- what has no whole function ---- */

static gb_elbo *with_masks(gb_tape *t, gb_family family)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *const e = gb_elbo_new(t, .data_size = N, .samples = 2);
    const gb_node f = gb_dense(e, "h", x, 1, .posterior = family, .dropout = family.type ? 0 : 0.1);
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.3)), y);
    gb_feed(x, xs, N);
    gb_feed(y, ys, N);
    return e;
}

TEST(dropout_and_ensembles_have_no_density)
{
    assert_null(gb_density_new(with_masks(t, (gb_family){0})));
    assert_rejected(t, GB_EARGUMENT, "density: latent h.weight is drawn by dropout");
    gb_tape *const tape = test_tape();
    gb_elbo *const e = with_masks(tape, gb_ensemble(gb_shape(), .members = 2));
    assert_null(gb_density_new(e));
    assert_rejected(tape, GB_EARGUMENT, "density: latent h.weight is an ensemble");
    gb_fit(e);
    assert_rejected(tape, GB_EARGUMENT, "fit: latent h.weight is an ensemble, whose members are the samples");
}
