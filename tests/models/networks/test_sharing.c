/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How rows share the noise of weights. The bound and its gradient are the same in expectation for every way:
 * exactly, by quadrature and enumeration. What differs is the variance, whose formulas are held by draws. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "models/networks.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { ROWS = 3, IN = 2, HIDDEN = 2, KINDS = 4, PARTS = 3, MOST = 32 };
static const double N = 12, scale = 0.3;
static const double xs[ROWS][IN] = {{1, -0.5}, {0.3, 2}, {-1.2, 0.7}}, ys[ROWS] = {0.4, -1, 0.6};
static const double starts[] = {0.4, -0.3, 0.2, 0.5};
static const gb_noise_sharing kinds[KINDS] = {GB_NOISE_SHARED, GB_NOISE_LOCAL, GB_NOISE_FLIPOUT,
                                              GB_NOISE_WEIGHTS};

/* ---- the same bound ---- */

/* A network with a square between its layers: a polynomial in each weight. */
typedef struct net {
    gb_tape *t;
    gb_elbo *e;
    gb_node x, y, f, loss;
    gb_lazy *part[PARTS]; /* the weights of the first layer, then weights and bias of the second */
} net;

typedef struct how {
    gb_estimator estimator;
    gb_family (*family)(gb_node starts, gb_shape shape);
    gb_dist (*prior)(gb_tape *t);
    gb_kl_mode kl;
    gb_noise_sharing noise;
} how;

static gb_family normals(gb_node from, gb_shape shape)
{
    return gb_mean_field(shape, .locations = from, .scale = scale);
}

static gb_dist normal_prior(gb_tape *t)
{
    return gb_normal(gb_num(t, 0.1), gb_num(t, 0.7));
}

static gb_dist mixture_prior(gb_tape *t)
{
    return gb_scale_mixture(gb_num(t, 0.5), gb_num(t, 1), gb_num(t, 0.2));
}

static net record(gb_tape *t, const how *h)
{
    static const char *const names[PARTS] = {"w1", "w2", "b2"};
    const gb_shape shape[PARTS] = {gb_shape(IN, HIDDEN), gb_shape(HIDDEN, 1), gb_shape(1)};
    net n = {.t = t};
    n.x = gb_input_rows(t, "x", gb_shape(IN));
    n.y = gb_input_rows(t, "y", gb_shape(1));
    n.e = gb_elbo_new(t, .data_size = N, .kl = h->kl);
    for (int i = 0; i < PARTS; i++) {
        const gb_node from = gb_constant(t, shape[i], gb_values_of(starts, gb_shape_count(shape[i])));
        n.part[i] = gb_latent_lazy(n.e, names[i], h->family(from, shape[i]), h->prior(t), h->estimator);
    }
    const gb_node hidden = gb_square(gb_lazy_affine(n.x, n.part[0], NULL, h->noise));
    n.f = gb_lazy_affine(hidden, n.part[1], n.part[2], h->noise);
    gb_observe(n.e, "y", gb_normal(n.f, gb_num(t, 0.8)), n.y);
    n.loss = gb_elbo_loss(n.e);
    gb_feed(n.x, &xs[0][0], ROWS);
    gb_feed(n.y, ys, ROWS);
    assert_fine(t);
    return n;
}

/* Stores the loss and its gradient; returns how many numbers these are. */
static size_t evaluate(gb_tape *t, const how *h, double value[MOST])
{
    net n = record(t, h);
    gb_node variable[MOST], row[MOST + 1];
    const size_t count = gb_tape_variables(t, variable, MOST);
    row[0] = gb_reshape(n.loss, gb_shape(1));
    for (size_t i = 0; i < count; i++) {
        const gb_node g = gb_grad(n.loss, variable[i]);
        row[i + 1] = gb_reshape(g, gb_shape((int64_t)gb_shape_count(gb_node_shape(g))));
    }
    const gb_node all = gb_concat(count + 1, row, 0);
    assert_true(gb_compile(t, gb_roots(all), gb_no_update) && gb_shape_count(gb_node_shape(all)) <= MOST);
    assert_int_equal(gb_read(all, value, gb_shape_count(gb_node_shape(all))), GB_OK);
    return gb_shape_count(gb_node_shape(all));
}

static void are_the_same(how h, const gb_noise_sharing *noise, size_t count)
{
    double first[MOST], value[MOST], largest = 0;
    for (size_t k = 0; k < count; k++) {
        h.noise = noise[k];
        const size_t numbers = evaluate(test_tape(.seed = 5 + k), &h, k == 0 ? first : value);
        for (size_t i = 0; i < numbers; i++) {
            largest = fmax(largest, fabs(first[i]));
            if (k > 0 && !(fabs(value[i] - first[i]) <= 1e-12 * largest))
                fail_msg("noise %d: number %zu is %.17g, not %.17g", (int)noise[k], i, value[i], first[i]);
        }
        assert_true(numbers > 7);
    }
}

/* Each weight appears in the squared misfit to the fourth power: 4 nodes are exact up to the seventh. */
TEST(the_bound_and_its_gradient_are_the_same_for_all_noise)
{
    are_the_same((how){gb_quadrature(.nodes = 4), normals, normal_prior, GB_KL_EXACT, 0}, kinds, KINDS);
}

/* KL of the mixture is a sum over the same nodes, of draws that no layer uses. */
TEST(so_they_are_with_a_kl_from_draws)
{
    are_the_same((how){gb_quadrature(.nodes = 4), normals, mixture_prior, GB_KL_AUTO, 0}, kinds, KINDS);
    are_the_same((how){gb_quadrature(.nodes = 4), normals, normal_prior, GB_KL_SAMPLED, 0}, kinds, KINDS);
}

static gb_family masks(gb_node from, gb_shape shape)
{
    return shape.rank < 2 ? gb_point(shape, .locations = from)
                          : gb_dropout_posterior(shape, .locations = from, .keep = 0.7, .by_unit = true,
                                                 .is_learned = true, .rescaled = true);
}

/* Masks are enumerated: the gradient in the rates is exact too. */
TEST(so_they_are_with_masks_of_units)
{
    static const gb_noise_sharing with_masks[] = {GB_NOISE_SHARED, GB_NOISE_LOCAL, GB_NOISE_WEIGHTS};
    are_the_same((how){gb_dropout_draws(.mask = gb_enumerated()), masks, normal_prior, GB_KL_AUTO, 0},
                 with_masks, 3);
}

static gb_family points(gb_node from, gb_shape shape)
{
    return gb_point(shape, .locations = from);
}

TEST(points_have_no_noise)
{
    are_the_same((how){gb_pathwise(), points, normal_prior, GB_KL_AUTO, 0}, kinds, KINDS);
}

/* ---- what is drawn ---- */

TEST(local_noise_has_the_mean_and_variance_of_the_weighted_sum)
{
    const how h = {gb_quadrature(.nodes = 3), normals, normal_prior, GB_KL_AUTO, GB_NOISE_LOCAL};
    gb_tape *const tape = test_tape(.seed = 2);
    const gb_node x = gb_input_rows(tape, "x", gb_shape(IN));
    gb_elbo *const e = gb_elbo_new(tape, .data_size = N);
    const gb_node from = gb_constant(tape, gb_shape(IN, 1), gb_values_of(starts, IN)),
                  of_bias = gb_constant(tape, gb_shape(1), GB_VALUES(-0.7));
    gb_lazy *const w = gb_latent_lazy(e, "w", normals(from, gb_shape(IN, 1)), h.prior(tape), h.estimator),
                   *const b =
                       gb_latent_lazy(e, "b", normals(of_bias, gb_shape(1)), h.prior(tape), h.estimator);
    const gb_node f = gb_lazy_affine(x, w, b, GB_NOISE_LOCAL);
    const gb_node mean = gb_predict_mean(e, f), sd = gb_predict_sd(e, f);
    double is[2][ROWS];
    gb_feed(x, &xs[0][0], ROWS);
    gb_run(gb_compile(tape, gb_roots(mean, sd), gb_no_update));
    assert_fine(tape);
    gb_read(mean, is[0], ROWS);
    gb_read(sd, is[1], ROWS);
    for (int i = 0; i < ROWS; i++) {
        const double squares = 1 + xs[i][0] * xs[i][0] + xs[i][1] * xs[i][1];
        assert_near(is[0][i], xs[i][0] * starts[0] + xs[i][1] * starts[1] - 0.7, 1e-14);
        assert_near(is[1][i], scale * sqrt(squares), 1e-14);
    }
}

/* Rows that are unit vectors read single weights. Beside the draw w, a row has centre ± (w − centre), with
 * the product of two signs. Signs are counted: by chance they are off by 6 standard errors less than once in
 * 10⁸. */
TEST(flipout_gives_each_row_the_draw_with_flipped_signs)
{
    enum { MANY = 4000, UNITS = 2 };
    const gb_node x = gb_input_rows(t, "x", gb_shape(IN));
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    const gb_node at = gb_constant(t, gb_shape(IN, UNITS), gb_values_of(starts, IN * UNITS));
    const gb_dist q = gb_laplace(gb_add(at, gb_variable(t, "v", gb_shape(), gb_fill(0))), gb_num(t, 0.5));
    gb_lazy *const w = gb_latent_lazy(e, "w", gb_posterior_of(q), normal_prior(t), gb_pathwise());
    const gb_node f = gb_lazy_affine(x, w, NULL, GB_NOISE_FLIPOUT);
    static double in[MANY][IN], out[MANY][UNITS];
    double draw[IN][UNITS], sum[IN][UNITS] = {{0}}, both = 0;
    for (int i = 0; i < MANY; i++)
        in[i][i % IN] = 1;
    gb_feed(x, &in[0][0], MANY);
    gb_run(gb_compile(t, gb_roots(f, w->value), gb_no_update));
    assert_fine(t);
    gb_read(f, &out[0][0], MANY * UNITS);
    gb_read(w->value, &draw[0][0], IN * UNITS);
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < UNITS; k++) {
            const double centre = starts[(i % IN) * UNITS + k], off = draw[i % IN][k] - centre;
            const double sign = (out[i][k] - centre) / off;
            assert_near(fabs(sign), 1, 1e-12);
            sum[i % IN][k] += sign;
            both += k == 0 ? sign * (out[i][1] - starts[(i % IN) * UNITS + 1]) /
                                 (draw[i % IN][1] - starts[(i % IN) * UNITS + 1])
                           : 0;
        }
    for (int i = 0; i < IN; i++)
        for (int k = 0; k < UNITS; k++)
            assert_true(fabs(sum[i][k]) < 6 * sqrt(MANY / IN));
    assert_true(fabs(both) < 6 * sqrt(MANY));
}

/* With unit rows (1, 1) both weights of a unit have signs s₁ r and s₂ r: three of the four decide. */
TEST(flipout_flips_by_a_product_of_signs)
{
    enum { MANY = 64 };
    const gb_node x = gb_input_rows(t, "x", gb_shape(IN));
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    const gb_node at = gb_constant(t, gb_shape(IN, 2), gb_values_of(starts, IN * 2));
    gb_lazy *const w = gb_latent_lazy(e, "w", normals(at, gb_shape(IN, 2)), normal_prior(t), gb_pathwise());
    const gb_node f = gb_lazy_affine(x, w, NULL, GB_NOISE_FLIPOUT);
    double in[MANY][IN], out[MANY][2], draw[IN][2];
    for (int i = 0; i < MANY; i++)
        in[i][0] = in[i][1] = 1;
    gb_feed(x, &in[0][0], MANY);
    gb_run(gb_compile(t, gb_roots(f, w->value), gb_no_update));
    assert_fine(t);
    gb_read(f, &out[0][0], MANY * 2);
    gb_read(w->value, &draw[0][0], IN * 2);
    for (int i = 0; i < MANY; i++) {
        double least = INFINITY;
        for (int signs = 0; signs < 8; signs++) {
            const double s0 = signs & 1 ? 1 : -1, s1 = signs & 2 ? 1 : -1, r1 = signs & 4 ? 1 : -1;
            double off = 0;
            for (int k = 0; k < 2; k++) {
                const double r = k ? r1 : 1;
                const double should = starts[k] + starts[2 + k] + r * s0 * (draw[0][k] - starts[k]) +
                                      r * s1 * (draw[1][k] - starts[2 + k]);
                off = fmax(off, fabs(out[i][k] - should));
            }
            least = fmin(least, off);
        }
        assert_near(least, 0, 1e-14);
    }
}

/* Also masks that an estimator draws, and where a row has several vectors: these share the row's mask. */
TEST(learned_masks_are_drawn_for_each_row)
{
    enum { UNITS = 4, VECTORS = 2 };
    double ones[ROWS * VECTORS * UNITS], f[ROWS][VECTORS];
    const gb_node x = gb_input_rows(t, "x", gb_shape(VECTORS, UNITS));
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    const gb_family family = gb_dropout_posterior(gb_shape(UNITS, 1), .location = 1, .keep = 0.5,
                                                  .by_unit = true, .is_learned = true);
    gb_lazy *const w =
        gb_latent_lazy(e, "w", family, normal_prior(t), gb_dropout_draws(.mask = gb_relaxed_draws()));
    const gb_node out = gb_lazy_affine(x, w, NULL, GB_NOISE_WEIGHTS);
    for (int i = 0; i < ROWS * VECTORS * UNITS; i++)
        ones[i] = 1;
    gb_feed(x, ones, ROWS);
    gb_run(gb_compile(t, gb_roots(out), gb_no_update));
    assert_fine(t);
    gb_read(out, &f[0][0], ROWS * VECTORS);
    for (int i = 0; i < ROWS; i++) {
        assert_true(f[i][0] == f[i][1]);
        assert_true(i == 0 || f[i][0] != f[0][0]);
    }
}

/* ---- the variance ---- */

/* One weight w ~ N(m, s²) and misfits ½ (x w − y)². The gradient in m is Σ x (x w − y). Its variance is
 * s² (Σ x²)² with one draw for all rows, and s² Σ x⁴ with noise of its own for each, all times (N / rows)².
 * Means are 6 standard errors off by chance less than once in 10⁸; so are variances, by fourth moments. */
TEST(noise_of_each_row_averages_out_as_theory_says)
{
    enum { RUNS = 20000 };
    static const double s = 0.5, loc = 0.4;
    double squares = 0, fourths = 0, misfit = 0;
    for (int i = 0; i < ROWS; i++) {
        squares += xs[i][0] * xs[i][0];
        fourths += pow(xs[i][0], 4);
        misfit += xs[i][0] * (xs[i][0] * loc - ys[i]);
    }
    for (int k = 0; k < KINDS; k++) {
        gb_tape *const tape = test_tape(.seed = 9);
        const gb_node x = gb_input_rows(tape, "x", gb_shape(1)), y = gb_input_rows(tape, "y", gb_shape(1));
        gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS);
        gb_lazy *const w = gb_latent_lazy(e, "w", gb_mean_field(gb_shape(1, 1), .location = loc, .scale = s),
                                          gb_normal(gb_num(tape, 0), gb_num(tape, 2)), gb_pathwise());
        gb_observe(e, "y", gb_normal(gb_lazy_affine(x, w, NULL, kinds[k]), gb_num(tape, 1)), y);
        const gb_node g = gb_grad(gb_elbo_loss(e), gb_variable_named(tape, "w.location"));
        gb_program *const p = gb_compile(tape, gb_roots(g), gb_no_update);
        const double column[ROWS] = {xs[0][0], xs[1][0], xs[2][0]};
        double moment[4] = {0}, known = misfit + loc / 4;
        gb_feed(x, column, ROWS);
        gb_feed(y, ys, ROWS);
        for (int run = 0; run < RUNS; run++) {
            assert_int_equal(gb_run(p), GB_OK);
            const double off = gb_value(g) - known;
            for (int i = 0; i < 4; i++)
                moment[i] += pow(off, i + 1) / RUNS;
        }
        const double should = s * s * (kinds[k] == GB_NOISE_SHARED ? squares * squares : fourths);
        assert_true(fabs(moment[0]) < 6 * sqrt(moment[1] / RUNS));
        assert_true(fabs(moment[1] - should) < 6 * sqrt((moment[3] - moment[1] * moment[1]) / RUNS));
    }
}

/* A dead row: everything that enters a layer is 0, and so is the variance. */
TEST(a_row_of_zeros_has_a_gradient)
{
    for (int k = 0; k < KINDS; k++)
        for (int real = 0; real < 2; real++) {
            gb_tape *const tape = test_tape(.seed = 9, .real = real ? GB_FLOAT : GB_DOUBLE);
            const gb_node x = gb_input_rows(tape, "x", gb_shape(IN)),
                          y = gb_input_rows(tape, "y", gb_shape(1));
            gb_elbo *const e = gb_elbo_new(tape, .data_size = 2);
            gb_lazy *const w =
                gb_latent_lazy(e, "w", gb_mean_field(gb_shape(IN, 1)), normal_prior(tape), gb_pathwise());
            gb_observe(e, "y", gb_normal(gb_lazy_affine(x, w, NULL, kinds[k]), gb_num(tape, 1)), y);
            const gb_node loss = gb_elbo_loss(e), at = gb_variable_named(tape, "w.location"),
                          raw = gb_variable_named(tape, "w.raw_scale");
            const gb_node g = gb_grad(loss, at), h = gb_grad(loss, raw);
            double value[4];
            gb_feed(x, (const double[]){0, 0, 0, 0}, 2);
            gb_feed(y, (const double[]){1, 1}, 2);
            gb_run(gb_compile(tape, gb_roots(g, h), gb_no_update));
            assert_fine(tape);
            gb_read(g, value, 2);
            gb_read(h, value + 2, 2);
            for (int i = 0; i < 4; i++)
                assert_true(isfinite(value[i]));
        }
}
