/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normals with structure (blocks of a low rank, a banded precision) against dense algebra, and a posterior by
 * a network of the row. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/density.h"
#include "fitting/fit.h"
#include "kit/check_family.h"
#include "models/elbo.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { N = 6, VARIABLES = 8 };

static double wave(size_t i, double at)
{
    return cos(at + 1.7 * (double)i);
}

/* q over real numbers, with its variables moved. */
static gb_dist q_of(gb_tape *t, gb_family family)
{
    gb_slot slot;
    gb_node variable[VARIABLES];
    assert_true(gb_slot_of(t, "w", family, (gb_dist){0}, &slot));
    const gb_dist q = gb_family_posterior(family, &slot);
    const size_t count = gb_tape_variables(t, variable, VARIABLES);
    for (size_t i = 0; i < count; i++) {
        double x[64];
        const size_t n = gb_value_count(variable[i]);
        assert_true(n <= 64 && gb_read(variable[i], x, n) == GB_OK);
        for (size_t j = 0; j < n; j++)
            x[j] += 0.6 * wave(j, 1 + 2.3 * (double)i);
        gb_set(variable[i], gb_values_of(x, n));
    }
    assert_fine(t);
    return q;
}

static void numbers_of(gb_tape *t, const char *name, double *x, size_t count)
{
    assert_int_equal(gb_read(gb_variable_named(t, name), x, count), GB_OK);
}

static gb_node constant(gb_tape *t, gb_shape shape, const double *x)
{
    return gb_constant(t, shape, gb_values_of(x, gb_shape_count(shape)));
}

/* The density at a point of as many numbers as the shape has. */
static void assert_same_density(gb_dist q, gb_dist dense, gb_shape shape)
{
    double x[64];
    for (size_t i = 0; i < gb_shape_count(shape); i++)
        x[i] = wave(i, 0.2);
    const gb_node at = constant(q.tape, shape, x),
                  flat = gb_reshape(at, gb_shape((int64_t)gb_shape_count(shape)));
    assert_near(gb_value(gb_sum(gb_log_prob(q, at))), gb_value(gb_log_prob(dense, flat)), 1e-10);
}

/* ---- blocks of a low rank ---- */

static const struct layout {
    const char *name;
    int rank;
    int64_t size[2], blocks;
} layouts[] = {{"blocks_along_the_first_axis", 2, {2, 3}, 2},
               {"blocks_of_a_vector", 1, {N, 0}, 3},
               {"blocks_across_the_axes", 2, {3, 2}, 2},
               {"blocks_of_one_number", 1, {N, 0}, N}};

/* W Wᵀ + diag(scale²) within each block, by its Cholesky factor. */
static gb_dist dense_blocks(gb_tape *t, int64_t blocks)
{
    enum { RANK = 2 };
    const int64_t each = N / blocks;
    double location[N], raw[N], w[N * RANK], covariance[N * N];
    numbers_of(t, "w.location", location, N);
    numbers_of(t, "w.raw_scale", raw, N);
    numbers_of(t, "w.factor", w, N * RANK);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            const double scale = log1p(exp(raw[i]));
            double sum = i == j ? scale * scale : 0;
            for (int64_t k = 0; k < RANK && i / each == j / each; k++)
                sum += w[i * RANK + k] * w[j * RANK + k];
            covariance[i * N + j] = sum;
        }
    return gb_multivariate_normal(constant(t, gb_shape(N), location),
                                  gb_cholesky(constant(t, gb_shape(N, N), covariance)));
}

TEST_EACH(a_low_rank_in_blocks, layouts)
{
    const struct layout *const it = row;
    const gb_shape shape = gb_shape_of(it->rank, it->size);
    const gb_dist q = q_of(t, gb_low_rank(shape, .rank = 2, .scale = 0.5, .blocks = it->blocks));
    const gb_dist dense = dense_blocks(t, it->blocks);
    assert_true(gb_shape_same(gb_dist_shape(q), shape));
    assert_same_density(q, dense, shape);
    assert_near(gb_value(gb_dist_entropy(q)), gb_value(gb_dist_entropy(dense)), 1e-10);
    assert_near(gb_value(gb_sum(gb_dist_variance(q))), gb_value(gb_sum(gb_dist_variance(dense))), 1e-10);
}

/* KL is exact, against a prior of each number. */
TEST_EACH(a_low_rank_in_blocks_has_an_exact_divergence, layouts)
{
    const struct layout *const it = row;
    double mean[N], scale[N];
    for (size_t i = 0; i < N; i++)
        mean[i] = wave(i, 0.5), scale[i] = 1.5 + wave(i, 2);
    const gb_shape shape = gb_shape_of(it->rank, it->size), flat = gb_shape(N);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_EXACT);
    gb_latent(e, "w", gb_low_rank(shape, .rank = 2, .scale = 0.5, .blocks = it->blocks),
              gb_normal(constant(t, shape, mean), constant(t, shape, scale)), gb_pathwise());
    const gb_node loss = gb_elbo_loss(e);
    assert_fine(t);
    const gb_dist prior = gb_independent(gb_normal(constant(t, flat, mean), constant(t, flat, scale)), 1);
    assert_near(gb_value(loss), gb_value(gb_kl(dense_blocks(t, it->blocks), prior)), 1e-10);
}

TEST(blocks_that_do_not_divide_the_numbers_are_rejected)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_low_rank(gb_shape(N), .blocks = 4), gb_no_prior, gb_pathwise());
    assert_rejected(t, GB_ESHAPE, "latent w: low_rank was given 4 blocks, which do not divide its 6");
}

/* ---- a banded precision ---- */

/* z = centre + spread ⊙ M⁻¹ x: a factor of the covariance by forward substitution. */
static gb_dist dense_band(gb_tape *t, int64_t band)
{
    double centre[N], raw[N], link[N * N] = {0}, root[N * N] = {0};
    numbers_of(t, "w.centre", centre, N);
    numbers_of(t, "w.raw_spread", raw, N);
    numbers_of(t, "w.link", link, (size_t)(band * N));
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = j; i < N; i++) {
            root[i * N + j] = i == j;
            for (int64_t k = 0; k < band && i - 1 - k >= j; k++)
                root[i * N + j] += link[k * N + i] * root[(i - 1 - k) * N + j];
        }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++)
            root[i * N + j] *= log1p(exp(raw[i]));
    return gb_multivariate_normal(constant(t, gb_shape(N), centre), constant(t, gb_shape(N, N), root));
}

TEST(a_band_is_a_normal)
{
    for (int64_t band = 1; band < N; band++) {
        gb_tape *const own = test_tape(.seed = 1);
        const gb_dist q = q_of(own, gb_banded(gb_shape(N), .scale = 0.5, .band = band));
        assert_same_density(q, dense_band(own, band), gb_shape(N));
    }
    const gb_dist q = q_of(t, gb_banded(gb_shape(2, 3), .scale = 0.5, .band = 100)); /* all of it */
    assert_same_density(q, dense_band(t, N - 1), gb_shape(2, 3));
}

/* Local level: z_1 ~ N(0, 1), z_t ~ N(z_{t−1}, q), y_t ~ N(z_t, 1); with `order` 2, z_t ~ N(2 z_{t−1} −
 * z_{t−2}, q) from the third on. */
enum { STEPS = 20 };
static const double step_variance = 0.25;

static gb_elbo *series(gb_tape *t, gb_family family, int order)
{
    double y[STEPS];
    for (size_t i = 0; i < STEPS; i++)
        y[i] = 1.5 * sin(0.4 * (double)i) + 0.7 * wave(i, 0.1);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = 16);
    const gb_node z = gb_latent(e, "z", family, gb_no_prior, gb_sticking_the_landing());
    const gb_node one = gb_num(t, 1), step = gb_num(t, sqrt(step_variance));
    const gb_node before = gb_slice(z, 0, order - 1, STEPS - 1);
    const gb_node next = order == 1 ? before : gb_sub(gb_scale(before, 2), gb_slice(z, 0, 0, STEPS - 2));
    gb_factor(e, "first", gb_sum(gb_log_prob(gb_normal(gb_num(t, 0), one), gb_slice(z, 0, 0, order))));
    gb_factor(e, "steps", gb_sum(gb_log_prob(gb_normal(next, step), gb_slice(z, 0, order, STEPS))));
    gb_factor(e, "y", gb_sum(gb_log_prob(gb_normal(z, one), constant(t, gb_shape(STEPS), y))));
    return e;
}

/* The evidence of a normal model: log p at the mode, plus the volume of Laplace's normal there. The mode is a
 * Newton step from 0. */
static double log_evidence(gb_tape *t, int order)
{
    double zero[STEPS] = {0}, h[STEPS * STEPS], mode[STEPS], gradient[STEPS], at_zero, at_mode;
    gb_density *const d = gb_density_new(series(t, gb_mean_field(gb_shape(STEPS)), order));
    gb_density_evaluate(d, 1, zero, &at_zero, gradient, NULL);
    gb_density_hessian(d, zero, h);
    assert_fine(t);
    for (size_t i = 0; i < STEPS * STEPS; i++)
        h[i] = -h[i];
    gb_tape *const apart = test_tape(.seed = 1);
    const gb_node l = gb_cholesky(constant(apart, gb_shape(STEPS, STEPS), h));
    const gb_node half = gb_triangular_solve_vector(l, constant(apart, gb_shape(STEPS), gradient));
    gb_read(gb_triangular_solve_vector(l, half, .transpose = true), mode, STEPS);
    gb_density_evaluate(d, 1, mode, &at_mode, NULL, NULL);
    return at_mode + 0.5 * STEPS * log(2 * 3.14159265358979323846) - gb_value(gb_triangular_log_det(l));
}

/* The same by the Kalman filter, for order 1. */
static double log_evidence_filtered(void)
{
    double mean = 0, variance = 1, sum = 0;
    for (size_t i = 0; i < STEPS; i++) {
        const double y = 1.5 * sin(0.4 * (double)i) + 0.7 * wave(i, 0.1);
        variance += i > 0 ? step_variance : 0;
        const double off = y - mean, of_y = variance + 1;
        sum -= 0.5 * (log(2 * 3.14159265358979323846 * of_y) + off * off / of_y);
        mean += variance / of_y * off;
        variance -= variance * variance / of_y;
    }
    return sum;
}

/* How far the ELBO is from the evidence after a training. Where q is the posterior, each draw has log p − log
 * q = log Z. */
static double gap_of(gb_family family, int order, double evidence)
{
    gb_tape *const t = test_tape(.seed = 2);
    gb_elbo *const e = series(t, family, order);
    const gb_schedule schedule = gb_warm_up(50, gb_cosine(2950, .end = 1e-4));
    gb_fit(e, .optimiser = gb_adam(.lr = 0.05, .schedule = schedule), .steps = 3000);
    gb_program *const p = gb_compile(t, gb_roots(gb_elbo_loss(e)), gb_no_update);
    gb_program_set_samples(p, 2000);
    assert_int_equal(gb_run(p), GB_OK);
    const double gap = evidence + gb_value(gb_elbo_loss(e));
    gb_program_free(p);
    return gap;
}

TEST(a_band_is_the_posterior_of_a_state_space_model)
{
    const double evidence = log_evidence(t, 1), twice = log_evidence(test_tape(.seed = 1), 2);
    assert_near(evidence, log_evidence_filtered(), 1e-10);
    assert_near(gap_of(gb_banded(gb_shape(STEPS)), 1, evidence), 0, 1e-8);
    assert_near(gap_of(gb_banded(gb_shape(STEPS), .band = 2, .map = GB_SCALE_EXP), 2, twice), 0, 1e-8);
    assert_true(gap_of(gb_banded(gb_shape(STEPS)), 2, twice) > 0.1);
    assert_true(gap_of(gb_mean_field(gb_shape(STEPS)), 1, evidence) > 1);
}

/* ---- the band that a model needs ---- */

static gb_node neighbours(gb_node z, int axis, int64_t size)
{
    return gb_sum(gb_mul(gb_slice(z, axis, 0, size - 1), gb_slice(z, axis, 1, size)));
}

static int64_t band_of(gb_elbo *e, const char *latent)
{
    int64_t band = -1;
    gb_density *const d = gb_density_new(e);
    if (!d || gb_density_band(d, latent, &band) != GB_OK)
        fail_msg("%s: %s", latent, gb_error_text(d ? gb_density_tape(d) : NULL));
    return band;
}

TEST(the_band_of_a_series_is_its_order)
{
    assert_int_equal(band_of(series(t, gb_mean_field(gb_shape(STEPS)), 1), "z"), 1);
    assert_int_equal(band_of(series(test_tape(.seed = 1), gb_mean_field(gb_shape(STEPS)), 2), "z"), 2);
}

TEST(the_band_of_other_models)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_dist unit = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_node alone = gb_latent(e, "alone", gb_mean_field(gb_shape(100)), unit, gb_pathwise());
    const gb_node grid = gb_latent(e, "grid", gb_mean_field(gb_shape(3, 4)), unit, gb_pathwise());
    const gb_node state = gb_latent(e, "state", gb_mean_field(gb_shape(70, 2)),
                                    gb_lognormal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_latent_part parts[] = {{.name = "a", .shape = gb_shape(2), .prior = unit},
                                    {.name = "b", .shape = gb_shape(3), .prior = unit}};
    gb_node part[2];
    gb_latent_block(e, "block", gb_mean_field(gb_shape()), 2, parts, gb_pathwise(), part);
    const gb_node before = gb_slice(state, 0, 0, 69), after = gb_slice(state, 0, 1, 70);
    gb_factor(e, "edges", gb_add(neighbours(grid, 0, 3), neighbours(grid, 1, 4)));
    gb_factor(e, "moves", gb_sum(gb_mul(gb_sum_along(before, gb_axis(1)), gb_sum_along(after, gb_axis(1)))));
    gb_factor(e, "parts", gb_mul(gb_at(part[0], 1), gb_at(part[1], 1)));
    gb_factor(e, "others", gb_mul(gb_at(alone, 0), gb_at(gb_at(grid, 0), 0)));
    assert_fine(t);
    assert_int_equal(band_of(e, "alone"), 0);
    assert_int_equal(band_of(e, "grid"), 4);
    assert_int_equal(band_of(e, "state"), 3);
    assert_int_equal(band_of(e, "block"), 2);
    assert_int_equal(band_of(e, "block.a"), 0);
    int64_t band = -1;
    assert_int_equal(gb_density_band(gb_density_new(e), "none", &band), GB_ENAME);
    assert_rejected(t, GB_ENAME, "density_band: there is no latent none");
    assert_int_equal(gb_density_band(NULL, "a", &band), GB_EARGUMENT);
    assert_int_equal(gb_density_band(NULL, "a", NULL), GB_EARGUMENT);
    assert_int_equal(gb_density_band(gb_density_new(e), "a", NULL), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "density_band: the place for it is NULL");
    assert_int_equal(band, 0);
}

/* ---- amortised ---- */

static gb_node outputs(const gb_slot *slot, void *user)
{
    gb_tape *const t = slot->tape;
    const gb_node w = gb_variable(t, "latent.weight", gb_shape(2, 4), GB_VALUES(1, -1, 0.5, 2, 0, 1, 1, -2));
    return gb_affine(*(gb_node *)user, w, gb_variable(t, "latent.bias", gb_shape(4), gb_fill(0.3)));
}

static double loss_of(gb_tape *t, bool given)
{
    gb_node x = gb_input_rows(t, "x", gb_shape(2));
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 3);
    gb_family family = gb_amortised(gb_shape(2), .network = outputs, .user = &x, .location = 0.4,
                                    .scale = 0.7, .map = GB_SCALE_EXP);
    if (given) {
        const gb_slot slot = {.tape = t};
        const gb_node y = outputs(&slot, &x);
        family = gb_posterior_of(
            gb_lognormal(gb_shift(gb_slice(y, -1, 0, 2), 0.4), gb_scale(gb_exp(gb_slice(y, -1, 2, 4)), 0.7)));
    }
    const gb_node z = gb_latent(e, "latent", family, gb_lognormal(zero, one), gb_pathwise());
    assert_true(gb_node_axes(z) == (GB_SAMPLES | GB_ROWS));
    gb_observe(e, "x", gb_normal(gb_log(z), one), x);
    const gb_node loss = gb_elbo_loss(e);
    gb_feed(x, (const double[]){0.1, -0.4, 1, 0.3, -0.2, 0.7}, 3);
    return gb_value(gb_add(loss, gb_sum(gb_grad(loss, gb_variable_named(t, "latent.weight")))));
}

TEST(an_amortised_posterior_is_that_which_could_be_given, .seed = 3)
{
    assert_close(loss_of(t, false), loss_of(test_tape(.seed = 3), true), 16);
}

/* The kit has the rows for itself; the network may do without. It returns variables for any number of free
 * numbers. */
static gb_node one_row(const gb_slot *slot, void *user)
{
    (void)user;
    return gb_variable(slot->tape, slot->name, gb_shape(2 * gb_slot_count(slot)), gb_fill(0));
}

TEST(amortised_families_conform)
{
    for (int i = 0; i < 2; i++) {
        gb_report report = {.size = sizeof report, .file = stdout};
        assert_true(gb_check_family(gb_amortised(gb_shape(), .network = one_row, .location = 0.3,
                                                 .scale = 0.4, .map = (gb_scale_map)i),
                                    .report = &report));
    }
}

TEST(outputs_of_0_stand_for_the_start)
{
    const gb_family families[] = {
        gb_amortised(gb_shape(2), .network = one_row, .location = 0.3, .scale = 0.4),
        gb_amortised(gb_shape(2), .network = one_row, .location = 0.3, .scale = 0.4, .map = GB_SCALE_EXP)};
    for (int i = 0; i < 2; i++) {
        gb_slot slot;
        gb_tape *const own = test_tape(.seed = 1);
        assert_true(gb_slot_of(own, "w", families[i], (gb_dist){0}, &slot));
        const gb_dist q = gb_family_posterior(families[i], &slot);
        assert_values(gb_dist_mean(q), 0.3, 0.3);
        assert_values(gb_dist_variance(q), 0.16, 0.16);
    }
    (void)t;
}

static gb_node none(const gb_slot *slot, void *user)
{
    (void)slot, (void)user;
    return (gb_node){0};
}

TEST(networks_that_do_not_fit_are_rejected)
{
    (void)t;
    gb_node x;
    const struct {
        gb_family family;
        gb_status code;
        const char *words;
    } wrong[] = {
        {gb_amortised(gb_shape(2)), GB_EARGUMENT, "latent z: amortised was given no .network"},
        {gb_amortised(gb_shape(2), .network = none), GB_EARGUMENT, "returned no node of this tape"},
        {gb_amortised(gb_shape(3), .network = outputs, .user = &x), GB_ESHAPE,
         "returned the shape (4), not (6)"},
        {gb_row_by_row(gb_amortised(gb_shape(2), .network = outputs, .user = &x)), GB_EARGUMENT,
         "latent z: q has parameters for each row"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gb_tape *const own = test_tape(.seed = 1);
        gb_elbo *const e = gb_elbo_new(own, .data_size = 3);
        x = gb_input_rows(own, "x", gb_shape(2));
        gb_latent(e, "z", wrong[i].family, gb_no_prior, gb_pathwise());
        assert_rejected(own, wrong[i].code, wrong[i].words);
    }
}
