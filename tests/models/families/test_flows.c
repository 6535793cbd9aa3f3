/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flows: each as a transform, by its determinants and its inverse; each as a q. The kits of transforms and
 * families check them too. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "fitting/judge.h"
#include "kit/check_family.h"
#include "kit/check_transform.h"
#include "models/elbo.h"
#include "models/family.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* Texts of families. The kits differentiate by every weight, so they get few. */
static const struct flow {
    const char *name, *text, *small;
    double allowed; /* error of the inverse */
} flows[] = {
    {"planar", "planar", "planar:layers=2:location=0.3:scale=0.4", 1e-12},
    {"coupling", "coupling:hidden=5", "coupling:layers=3:hidden=2:location=0.3:scale=0.4:map=exp", 1e-12},
    {"spline", "spline:hidden=5:bins=4", "spline:layers=2:hidden=1:bins=2:scale=0.4", 1e-10},
    {"autoregressive", "autoregressive:hidden=5", "autoregressive:layers=2:hidden=2:location=-0.2:scale=0.4",
     1e-12},
    {"banded", "banded", "banded:location=0.3:scale=0.4", 1e-12},
    {"banded", "banded:band=3", "banded:band=3:map=exp", 1e-12},
};

static gb_family family_of(const char *text, gb_shape shape)
{
    gb_family family;
    char error[200];
    if (!gb_family_parse(text, &family, error, sizeof error))
        fail_msg("%s: %s", text, error);
    family.shape = shape;
    return family;
}

/* q of real numbers. Moved: its weights are not those of the start. */
static gb_dist q_of(gb_tape *t, const char *text, gb_shape shape, double moved)
{
    enum { MOST = 16 };
    gb_slot slot;
    gb_node variable[MOST];
    const gb_family family = family_of(text, shape);
    if (!gb_slot_of(t, "w", family, (gb_dist){0}, &slot))
        return (gb_dist){0};
    const gb_dist q = gb_family_posterior(family, &slot);
    const size_t count = gb_tape_variables(t, variable, MOST);
    for (size_t i = 0; i < count && moved > 0; i++) {
        const size_t n = gb_value_count(variable[i]);
        double *const x = gb_tape_keep(t, (n + 1) * sizeof *x);
        if (!x || gb_read(variable[i], x, n) != GB_OK)
            return (gb_dist){0};
        for (size_t j = 0; j < n; j++)
            x[j] += moved * cos(1 + 1.7 * (double)j + 2.3 * (double)i);
        gb_set(variable[i], gb_values_of(x, n));
    }
    return q;
}

static void read(gb_node node, double *x, size_t count)
{
    if (gb_read(node, x, count) != GB_OK)
        fail_msg("%s", gb_error_text(node.tape));
}

/* ---- transforms ---- */

/* log |det| of an n × n matrix, by elimination with pivots. */
static double log_determinant(double *a, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        for (int j = 0; j < n && best != k; j++) {
            const double kept = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = kept;
        }
        sum += log(fabs(a[k * n + k]));
        for (int i = k + 1; i < n; i++)
            for (int j = n - 1; j >= k; j--)
                a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
    }
    return sum;
}

/* A point that lies within the splines, with one number outside if `far`. */
static gb_node point_of(gb_tape *t, int n, bool far)
{
    double x[8];
    for (int i = 0; i < n; i++)
        x[i] = 1.3 * cos(0.4 + 2.1 * i) + (far && i == n / 2 ? 6 : 0);
    return gb_variable(t, "x", gb_shape(n), gb_values_of(x, (size_t)n));
}

TEST_EACH(log_jacobians_are_determinants, flows)
{
    const struct flow *const f = row;
    for (int n = 1; n <= 5; n++)
        for (int far = 0; far < 2; far++) {
            gb_tape *const tape = test_tape(.seed = 5);
            const gb_dist q = q_of(tape, f->text, gb_shape(n), 0.1);
            const gb_node x = point_of(tape, n, far), y = gb_transform_forward(*q.transform, x);
            const double should = gb_value(gb_transform_log_jacobian(*q.transform, x, y));
            double slopes[25];
            for (int i = 0; i < n; i++)
                read(gb_grad(gb_at(y, i), x), slopes + i * n, (size_t)n);
            assert_fine(tape);
            assert_near(log_determinant(slopes, n), should, 1e-10 * (1 + fabs(should)));
        }
}

TEST_EACH(inverses_undo_maps, flows)
{
    const struct flow *const f = row;
    for (int n = 1; n <= 5; n++)
        for (int narrow = 0; narrow < 2; narrow++) {
            gb_tape *const tape = test_tape(.seed = 5, .real = narrow ? GB_FLOAT : GB_DOUBLE);
            const gb_dist q = q_of(tape, f->text, gb_shape(n), 0.1);
            const gb_node x = point_of(tape, n, n > 3), y = gb_transform_forward(*q.transform, x);
            const gb_node back = gb_sub(gb_transform_inverse(*q.transform, y), x);
            assert_near(gb_value(gb_maximum(gb_abs(back))), 0, narrow ? 2e-4 : f->allowed);
            const gb_node near = gb_scale(x, 0.2), x_of = gb_transform_inverse(*q.transform, near);
            const gb_node again = gb_sub(gb_transform_forward(*q.transform, x_of), near);
            if (!narrow) /* the forward map may be steep there */
                assert_near(gb_value(gb_maximum(gb_abs(again))), 0, f->allowed);
        }
}

static gb_transform make(gb_tape *tape, size_t which, void *user)
{
    const struct flow *const f = user;
    const gb_dist q = q_of(tape, f->small, gb_shape(2 + (int64_t)which), 0.3);
    return gb_dist_ok(q) ? *q.transform : (gb_transform){0};
}

TEST_EACH(transforms_conform, flows)
{
    struct flow f = *(const struct flow *)row;
    const gb_dist q = q_of(t, f.small, gb_shape(2), 0);
    gb_report report = {.size = sizeof report, .file = stdout};
    assert_true(
        gb_check_transform(q.transform->type, .make = make, .count = 2, .user = &f, .report = &report));
}

/* ---- q ---- */

TEST_EACH(families_conform, flows)
{
    const struct flow *const f = row;
    gb_report report = {.size = sizeof report, .file = stdout};
    assert_true(gb_check_family(family_of(f->small, gb_shape()), .report = &report));
}

/* At their start all flows are the mean field of that start. */
TEST_EACH(flows_start_as_a_mean_field, flows)
{
    const struct flow *const f = row;
    char text[80];
    snprintf(text, sizeof text, "%s:location=0.3:scale=0.7", f->name);
    const gb_dist q = q_of(t, text, gb_shape(3), 0);
    const gb_dist normal =
        gb_independent(gb_normal(gb_num(t, 0.3), gb_broadcast(gb_num(t, 0.7), gb_shape(3))), 1);
    const gb_node x = gb_constant(t, gb_shape(3), GB_VALUES(1.5, -0.4, 8));
    assert_near(gb_value(gb_log_prob(q, x)), gb_value(gb_log_prob(normal, x)), 1e-11);
}

/* log q of a draw by what made it is that of the value, through the inverse. */
TEST_EACH(log_q_of_own_draws_is_that_of_their_values, flows, .seed = 3, .samples = 7)
{
    const struct flow *const f = row;
    const gb_dist q = q_of(t, f->text, gb_shape(4), 0.1);
    const gb_node draw = gb_rsample(q, gb_stream(t, "w"), GB_SAMPLES);
    const gb_node off = gb_sub(gb_log_prob(q, gb_own_draw(draw)), gb_log_prob(q, draw));
    assert_near(gb_value(gb_maximum_over(gb_abs(off), GB_SAMPLES)), 0, 1e-9);
    const gb_node same = gb_sub(gb_log_prob(q, gb_own_draw(gb_stop(draw))), gb_log_prob(q, draw));
    assert_near(gb_value(gb_maximum_over(gb_abs(same), GB_SAMPLES)), 0, 1e-9);
}

/* The mean of q / p over draws of a known, wider p is 1, for three numbers. */
TEST_EACH(log_q_integrates_to_1, flows, .seed = 3, .samples = 200000)
{
    const struct flow *const f = row;
    char text[80];
    snprintf(text, sizeof text, "%s:scale=0.5", f->text);
    const gb_dist q = q_of(t, text, gb_shape(3), 0.2);
    const gb_dist p =
        gb_independent(gb_student_t(gb_num(t, 5), gb_broadcast(gb_num(t, 0), gb_shape(3)), gb_num(t, 1)), 1);
    const gb_node draw = gb_sample(p, gb_stream(t, "p"), GB_SAMPLES);
    const gb_node weight = gb_exp(gb_sub(gb_log_prob(q, draw), gb_log_prob(p, draw)));
    const double mean = gb_value(gb_mean_over(weight, GB_SAMPLES)),
                 square = gb_value(gb_mean_over(gb_square(weight), GB_SAMPLES));
    assert_fine(t);
    assert_true(square < 20);
    assert_near(mean, 1, 6 * sqrt((square - mean * mean) / 200000));
}

/* The entropy by draws is that of the base and the mean log Jacobian; so is its gradient. */
TEST_EACH(an_entropy_by_draws_has_its_gradient, flows, .seed = 3, .samples = 50)
{
    const struct flow *const f = row;
    const gb_dist q = q_of(t, f->text, gb_shape(3), 0.3);
    const gb_node draw = gb_rsample(q, gb_stream(t, "w"), GB_SAMPLES);
    const gb_node log_q = gb_mean_over(gb_log_prob(q, gb_own_draw(draw)), GB_SAMPLES);
    const gb_node by_value = gb_mean_over(gb_log_prob(q, draw), GB_SAMPLES);
    gb_node variable[16];
    const size_t count = gb_tape_variables(t, variable, 16);
    for (size_t i = 0; i < count; i++) {
        const gb_node off = gb_sub(gb_grad(log_q, variable[i]), gb_grad(by_value, variable[i]));
        assert_near(gb_value(gb_maximum(gb_abs(off))), 0, 1e-8);
    }
}

/* A vector for each row, or along a visible axis, is what it is alone. */
TEST_EACH(rows_and_batches_are_single_vectors, flows)
{
    const struct flow *const f = row;
    const gb_dist q = q_of(t, f->text, gb_shape(3), 0.3);
    const double x[2][3] = {{0.3, -1, 2}, {1.5, 0.2, -7}};
    double of_rows[2], of_batch[2], alone[2];
    for (int i = 0; i < 2; i++)
        alone[i] = gb_value(gb_log_prob(q, gb_constant(t, gb_shape(3), gb_values_of(x[i], 3))));
    read(gb_log_prob(q, gb_constant(t, gb_shape(2, 3), gb_values_of(x[0], 6))), of_batch, 2);
    const gb_node input = gb_input_rows(t, "x", gb_shape(3));
    const gb_node log_q = gb_log_prob(q, input);
    gb_program *const p = gb_compile(t, gb_roots(log_q), gb_no_update);
    gb_feed(input, x[0], 2);
    assert_int_equal(gb_run(p), GB_OK);
    read(log_q, of_rows, 2);
    gb_program_free(p);
    for (int i = 0; i < 2; i++) {
        assert_near(of_rows[i], alone[i], 1e-12 * fabs(alone[i]));
        assert_near(of_batch[i], alone[i], 1e-12 * fabs(alone[i]));
    }
}

/* ---- in an ELBO ---- */

static gb_elbo *regression(gb_tape *t, gb_family family, gb_estimator estimator)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 3, .samples = 16);
    const gb_node w = gb_latent(e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, 1)), estimator);
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_observe(e, "y", gb_normal(gb_sum(gb_mul(x, w)), gb_num(t, 0.5)), y);
    gb_feed(x, (const double[]){1, 0.5, -1, 2, 0.3, 1}, 3);
    gb_feed(y, (const double[]){1, -1, 0.5}, 3);
    return e;
}

/* Pathwise with and without log q's own path, draws for each row, quasi-random draws, and scores. */
TEST_EACH(estimators_take_flows, flows, .seed = 2)
{
    const struct flow *const f = row;
    const gb_estimator all[] = {gb_pathwise(), gb_sticking_the_landing(), gb_pathwise(.draws = GB_SOBOL),
                                gb_score(.baseline = gb_leave_one_out())};
    for (size_t i = 0; i < 5; i++) {
        gb_tape *const tape = test_tape(.seed = 2);
        gb_family family = family_of(f->small, gb_shape(2));
        family = i == 4 ? gb_row_by_row(family) : family;
        const gb_fit_result r = gb_fit(regression(tape, family, all[i % 4]), .optimiser = gb_adam(.lr = 0.01),
                                       .steps = 20, .window = 20);
        if (r.status != GB_OK || !isfinite(r.last.elbo))
            fail_msg("%s, estimator %zu: %s", f->name, i, gb_error_text(tape));
    }
}

TEST(options_are_held_to_their_domains)
{
    const char *const texts[][2] = {{"coupling:layers=0.5", "layers"},    {"spline:bins=1", "bins"},
                                    {"spline:hidden=-3", "hidden"},       {"planar:layers=-1", "layers"},
                                    {"autoregressive:scale=-1", "scale"}, {"banded:band=0.5", "band"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gb_family family;
        char error[200] = "";
        assert_false(gb_family_parse(texts[i][0], &family, error, sizeof error));
        assert_non_null(strstr(error, texts[i][1]));
    }
    q_of(t, "coupling", gb_shape(0), 0);
    assert_rejected(t, GB_ESHAPE, "free number");
}

/* y = x² / 2 and some noise: bent as no normal is. Few steps of few seeds; bench_flows does many. */
static void check_banana(const char *text, uint64_t seed)
{
    gb_tape *const t = test_tape(.seed = seed);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = 32);
    const gb_node z = gb_latent(e, "z", family_of(text, gb_shape(2)), gb_no_prior, gb_pathwise()),
                  x = gb_at(z, 0);
    gb_factor(e, "banana",
              gb_add(gb_log_prob(gb_normal(gb_num(t, 0), gb_num(t, 1)), x),
                     gb_log_prob(gb_normal(gb_scale(gb_square(x), 0.5), gb_num(t, 0.5)), gb_at(z, 1))));
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01, .schedule = gb_warm_up(500, gb_cosine(2500, .end = 0.01))),
           .steps = 3000, .clip_norm = 10);
    gb_judgement *const j = gb_judge(e);
    assert_fine(t);
    assert_true(j->weights.k < 0.7);
    assert_near(j->elbo, 0, 0.03); /* the density is normalised; the best normal is at −0.3 */
    gb_judgement_free(j);
}

TEST(couplings_and_splines_bend)
{
    check_banana("coupling", 1);
    check_banana("coupling", 2);
    check_banana("spline", 1);
}
