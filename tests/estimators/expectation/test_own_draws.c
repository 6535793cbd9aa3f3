/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log q of a draw, in a cost, is that of the noise that made it: it has all its digits where q has collapsed,
 * and there its gradient is that of the formula. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

typedef gb_dist law(gb_node loc, gb_node scale);

static gb_node root_of(gb_node scale)
{
    const gb_node lower = gb_constant(scale.tape, gb_shape(3, 3), GB_VALUES(0, 0, 0, 0.5, 0, 0, -2, 1.5, 0));
    return gb_add(gb_mul(scale, lower), gb_diag(gb_mul(scale, gb_ones(scale.tape, gb_shape(3)))));
}

static gb_node in_three(gb_node loc)
{
    return gb_add(loc, gb_constant(loc.tape, gb_shape(3), GB_VALUES(0, 1, -1)));
}

static gb_dist full_rank(gb_node loc, gb_node scale)
{
    return gb_multivariate_normal(in_three(loc), root_of(scale));
}

static gb_dist full_rank_in_shape(gb_node loc, gb_node scale)
{
    return gb_transformed(full_rank(loc, scale), gb_reshaped_transform(loc.tape, gb_shape(3, 1)));
}

static gb_dist low_rank(gb_node loc, gb_node scale)
{
    gb_tape *const t = loc.tape;
    const gb_node w = gb_constant(t, gb_shape(3, 2), GB_VALUES(1, 0.5, -1, 2, 0, 3));
    const gb_node v = gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 0.5));
    return gb_low_rank_normal(in_three(loc), gb_mul(scale, w), gb_mul(gb_square(scale), v));
}

static gb_dist by_precision(gb_node loc, gb_node scale)
{
    const gb_node p = gb_constant(loc.tape, gb_shape(3, 3), GB_VALUES(4, 1, 0, 1, 3, 1, 0, 1, 2));
    return gb_multivariate_normal_precision(in_three(loc), gb_div(p, gb_square(scale)));
}

static gb_dist softplus_of_normal(gb_node loc, gb_node scale)
{
    return gb_transformed(gb_normal(loc, scale), gb_softplus_transform(loc.tape));
}

static gb_dist affine_of_laplace(gb_node loc, gb_node scale)
{
    return gb_transformed(gb_laplace(gb_num(loc.tape, 0.5), gb_num(loc.tape, 2)),
                          gb_affine_transform(loc, scale));
}

static gb_dist exponential_of_normal(gb_node loc, gb_node scale)
{
    return gb_transformed(gb_normal(loc, scale), gb_exponential_transform(loc.tape));
}

static gb_dist three_normals(gb_node loc, gb_node scale)
{
    return gb_independent(gb_normal(in_three(loc), scale), 1);
}

static gb_dist a_student_t(gb_node loc, gb_node scale)
{
    return gb_student_t(gb_num(loc.tape, 5), loc, scale);
}

/* The scale is in the degrees of freedom, along which the draw moves too. */
static gb_dist student_t_by_df(gb_node loc, gb_node scale)
{
    return gb_student_t(gb_shift(gb_scale(scale, 4), 1), loc, gb_num(loc.tape, 0.7));
}

/* Laws without a location, narrow around a number: of the relative spread scale / 4. */
static gb_node spread_of(gb_node scale)
{
    return gb_scale(scale, 0.25);
}

static gb_node weight_of(gb_node scale)
{
    return gb_reciprocal(gb_square(spread_of(scale)));
}

static gb_dist near_gamma(gb_node loc, gb_node scale)
{
    return gb_gamma(weight_of(scale), gb_div(weight_of(scale), loc));
}

static gb_dist near_inverse_gamma(gb_node loc, gb_node scale)
{
    return gb_inverse_gamma(weight_of(scale), gb_mul(weight_of(scale), loc));
}

static gb_dist near_chi_squared(gb_node loc, gb_node scale)
{
    (void)loc;
    return gb_chi_squared(gb_scale(weight_of(scale), 2));
}

static gb_dist near_beta(gb_node loc, gb_node scale)
{
    const gb_node mean = gb_sigmoid(loc), rest = gb_sigmoid(gb_neg(loc));
    return gb_beta(gb_mul(weight_of(scale), mean), gb_mul(weight_of(scale), rest));
}

static gb_dist near_dirichlet(gb_node loc, gb_node scale)
{
    return gb_dirichlet(gb_scale(gb_mul(gb_softmax(in_three(loc), -1), weight_of(scale)), 3));
}

/* Of which two shares are small. */
static gb_dist mixed_dirichlet(gb_node loc, gb_node scale)
{
    const gb_node small = gb_constant(loc.tape, gb_shape(3), GB_VALUES(0, 0.7, 3));
    const gb_node first = gb_constant(loc.tape, gb_shape(3), GB_VALUES(1, 0, 0));
    return gb_dirichlet(gb_add(small, gb_mul(first, weight_of(scale))));
}

static gb_dist near_kumaraswamy(gb_node loc, gb_node scale)
{
    return gb_kumaraswamy(gb_reciprocal(spread_of(scale)), gb_shift(gb_sigmoid(loc), 1));
}

static gb_dist near_weibull(gb_node loc, gb_node scale)
{
    return gb_weibull(gb_reciprocal(spread_of(scale)), loc);
}

static gb_dist near_pareto(gb_node loc, gb_node scale)
{
    return gb_pareto(loc, gb_reciprocal(spread_of(scale)));
}

static gb_dist near_von_mises(gb_node loc, gb_node scale)
{
    return gb_von_mises(loc, weight_of(scale));
}

static gb_dist near_truncated_normal(gb_node loc, gb_node scale)
{
    return gb_truncated_normal(loc, spread_of(scale), gb_num(loc.tape, 0), gb_num(loc.tape, INFINITY));
}

typedef enum way { PATHWISE, LANDING, SCORE, ANTITHETIC, SOBOL, QUADRATURE, WAYS } way;
static const char *const WAY[] = {"pathwise",  "sticking the landing", "score", "antithetic", "sobol",
                                  "quadrature"};

static gb_estimator estimator_of(way w)
{
    switch (w) {
    case LANDING: return gb_sticking_the_landing();
    case SCORE: return gb_score();
    case ANTITHETIC: return gb_pathwise(.draws = GB_ANTITHETIC);
    case SOBOL: return gb_pathwise(.draws = GB_SOBOL);
    case QUADRATURE: return gb_quadrature(.nodes = 3);
    default: return gb_pathwise();
    }
}

/* `volume` is the power of the scale in the volume of q. `maps`: through a map of numbers, whose slope
 * depends on the draw. `no_normals`: not for quadrature, antithetic and Sobol draws. */
typedef struct own_case {
    const char *name;
    law *of;
    int volume;
    bool maps, no_normals;
} own_case;

static const own_case cases[] = {{"normal", gb_normal, 1, false, false},
                                 {"laplace", gb_laplace, 1, false, true},
                                 {"logistic", gb_logistic, 1, false, true},
                                 {"gumbel", gb_gumbel, 1, false, true},
                                 {"cauchy", gb_cauchy, 1, false, true},
                                 {"student_t", a_student_t, 1, false, true},
                                 {"student_t_by_df", student_t_by_df, 0, true, true},
                                 {"lognormal", gb_lognormal, 1, true, false},
                                 {"three_normals", three_normals, 3, false, false},
                                 {"full_rank", full_rank, 3, false, false},
                                 {"full_rank_in_shape", full_rank_in_shape, 3, false, false},
                                 {"low_rank", low_rank, 3, false, true},
                                 {"by_precision", by_precision, 3, false, true},
                                 {"softplus_of_normal", softplus_of_normal, 1, true, false},
                                 {"exponential_of_normal", exponential_of_normal, 1, true, false},
                                 {"affine_of_laplace", affine_of_laplace, 1, false, true},
                                 {"gamma", near_gamma, 1, true, true},
                                 {"inverse_gamma", near_inverse_gamma, 1, true, true},
                                 {"chi_squared", near_chi_squared, 0, true, true},
                                 {"beta", near_beta, 1, true, true},
                                 {"dirichlet", near_dirichlet, 2, true, true},
                                 {"mixed_dirichlet", mixed_dirichlet, 0, true, true},
                                 {"kumaraswamy", near_kumaraswamy, 1, true, true},
                                 {"weibull", near_weibull, 1, true, true},
                                 {"pareto", near_pareto, 1, true, true},
                                 {"von_mises", near_von_mises, 1, true, true},
                                 {"truncated_normal", near_truncated_normal, 1, true, true}};

enum { SAMPLES = 8 };

typedef struct own_values {
    double log_q[64], by_formula[64], gradient[2], gradient_by_formula[2];
    size_t count;
} own_values;

/* log q of the same draws by both ways, and the gradients of their means in loc and scale. */
static own_values values_of(const own_case *c, way w, double at_loc, double at_scale, gb_real real)
{
    own_values v = {0};
    gb_tape *const t = test_tape(.seed = 7, .samples = SAMPLES, .real = real);
    const gb_node loc = gb_variable(t, "loc", gb_shape(), gb_fill(at_loc)),
                  scale = gb_variable(t, "scale", gb_shape(), gb_fill(at_scale));
    const gb_dist q = c->of(loc, scale);
    gb_expect *const e = gb_expect_new(t);
    const gb_node z = gb_draw(e, "z", q, estimator_of(w));
    const gb_node own = gb_draw_log_prob(e, z, gb_num(t, 1)), plain = gb_per_sample(gb_log_prob(q, z));
    const gb_node each = gb_sample_values(e, own), each_plain = gb_sample_values(e, plain);
    gb_node g[4] = {gb_num(t, 0), gb_num(t, 0), gb_num(t, 0), gb_num(t, 0)};
    if (w != LANDING) {
        gb_grads(gb_expected(e, own), (gb_node[]){loc, scale}, 2, g);
        gb_grads(gb_expected(e, plain), (gb_node[]){loc, scale}, 2, g + 2);
    } else
        gb_grads(gb_expected(e, own), (gb_node[]){loc, scale}, 2, g);
    gb_program *const look = gb_compile(t, gb_roots(each, each_plain, g[0], g[1], g[2], g[3]), gb_no_update);
    assert_fine(t);
    assert_int_equal(gb_run(look), GB_OK);
    v.count = gb_value_count(each);
    gb_read_root(look, 0, v.log_q);
    gb_read_root(look, 1, v.by_formula);
    for (size_t i = 0; i < 2; i++) {
        gb_read_root(look, 2 + i, &v.gradient[i]);
        gb_read_root(look, 4 + i, &v.gradient_by_formula[i]);
    }
    assert_fine(t);
    return v;
}

static bool fits(const own_case *c, way w)
{
    const bool moves = c->of == near_pareto || c->of == near_truncated_normal; /* the support */
    return moves ? w == PATHWISE : w < ANTITHETIC || !c->no_normals;
}

/* Where nothing cancels both are the same. */
TEST_EACH(a_wide_q, cases)
{
    const own_case *const c = row;
    (void)t;
    for (way w = PATHWISE; w < WAYS; w++) {
        if (!fits(c, w))
            continue;
        const own_values v = values_of(c, w, 0.3, 0.8, GB_DOUBLE);
        for (size_t i = 0; i < v.count; i++)
            if (fabs(v.log_q[i] - v.by_formula[i]) > 1e-12 * (1 + fabs(v.by_formula[i])))
                fail_msg("%s: log q %.17g, by the formula %.17g", WAY[w], v.log_q[i], v.by_formula[i]);
        for (size_t i = 0; i < 2 && w != LANDING && w != SCORE; i++)
            if (fabs(v.gradient[i] - v.gradient_by_formula[i]) > 1e-11 * (1 + fabs(v.gradient_by_formula[i])))
                fail_msg("%s: gradient %zu is %.17g, by the formula %.17g", WAY[w], i, v.gradient[i],
                         v.gradient_by_formula[i]);
    }
}

/* A scale smaller by a factor only adds to log q: the noise is the same. */
TEST_EACH(a_collapsed_q, cases)
{
    const own_case *const c = row;
    const double little = ldexp(1, -90);
    (void)t;
    if (c->maps)
        return;
    for (way w = PATHWISE; w < WAYS; w++) {
        if (!fits(c, w))
            continue;
        const own_values wide = values_of(c, w, 1.3, 1, GB_DOUBLE),
                         v = values_of(c, w, 1.3, little, GB_DOUBLE);
        for (size_t i = 0; i < v.count; i++) {
            const double should = wide.log_q[i] + c->volume * 90 * log(2);
            if (!(fabs(v.log_q[i] - should) <= 1e-12 * (1 + fabs(should))))
                fail_msg("%s: log q %.17g, and should be %.17g", WAY[w], v.log_q[i], should);
        }
        if (w != PATHWISE && w != ANTITHETIC && w != SOBOL && w != QUADRATURE)
            continue;
        assert_true(fabs(v.gradient[0]) <= 1e-9);
        assert_true(fabs(v.gradient[1] * little + c->volume) <= 1e-9);
    }
}

typedef struct narrow_case {
    const char *name;
    law *of;
    int volume;
} narrow_case;

static const narrow_case narrow[] = {
    {"gamma", near_gamma, 1},
    {"inverse_gamma", near_inverse_gamma, 1},
    {"chi_squared", near_chi_squared, -1},
    {"beta", near_beta, 1},
    {"dirichlet", near_dirichlet, 2},
    {"kumaraswamy", near_kumaraswamy, 1},
    {"weibull", near_weibull, 1},
    {"pareto", near_pareto, 1},
    {"von_mises", near_von_mises, 1},
    {"truncated_normal", near_truncated_normal, 1},
};

/* Laws that are nearly normal, or nearly exponential, around a number: E[log q] is minus the entropy, and its
 * derivative in log scale is minus the volume, whatever little is left of the noise in the draw. */
TEST_EACH(a_narrow_q, narrow)
{
    static const double scale[2][4] = {{1e-3, 1e-8, 1e-12, 1e-18}, {1e-2, 1e-4, 1e-6, 1e-8}};
    const narrow_case *const c = row;
    (void)t;
    for (int i = 0; i < 8; i++) {
        const double little = scale[i / 4][i % 4];
        gb_tape *const tape = test_tape(.seed = 3, .samples = 2000, .real = i / 4 ? GB_FLOAT : GB_DOUBLE);
        const gb_node loc = gb_variable(tape, "loc", gb_shape(), gb_fill(1.3)),
                      log_scale = gb_variable(tape, "log scale", gb_shape(), gb_fill(log(little)));
        const gb_dist q = c->of(loc, gb_exp(log_scale));
        gb_expect *const e = gb_expect_new(tape);
        const gb_node x = gb_draw(e, "x", q, gb_pathwise());
        const gb_node log_q = gb_expected(e, gb_draw_log_prob(e, x, gb_num(tape, 1)));
        const gb_node less = gb_add(log_q, gb_sum(gb_dist_entropy(q)));
        const double off = gb_value(less), slope = gb_value(gb_grad(log_q, log_scale));
        assert_fine(tape);
        if (!(fabs(off) <= 0.15 && fabs(slope + c->volume) <= fmax(4 * little, 3e-3)))
            fail_msg("scale %g, %s: off by %g, slope %.17g", little, i / 4 ? "float" : "double", off, slope);
    }
}

/* At a fixed draw the gradients are those of the formula: in the draw, and in the parameters twice. */
TEST_EACH(a_fixed_draw, cases, .seed = 5, .samples = SAMPLES)
{
    const own_case *const c = row;
    enum { EACH = 7 };
    const gb_node loc = gb_variable(t, "loc", gb_shape(), gb_fill(0.3)),
                  scale = gb_variable(t, "scale", gb_shape(), gb_fill(0.8));
    const gb_dist q = c->of(loc, scale);
    const gb_node z = gb_stop(gb_rsample(q, gb_stream(t, "z"), GB_SAMPLES));
    gb_node all[2 * EACH];
    for (int own = 0; own < 2; own++) {
        gb_node *const to = all + own * EACH;
        const gb_node log_q = gb_log_prob(q, own ? gb_own_draw(z) : z);
        const gb_node sum = to[0] = gb_sum_over(gb_sum(gb_square(log_q)), GB_SAMPLES);
        gb_grads(sum, (gb_node[]){loc, scale}, 2, to + 1);
        to[3] = gb_sum_over(gb_sum(gb_square(gb_grad(sum, z))), GB_SAMPLES);
        gb_grads(to[2], (gb_node[]){loc, scale}, 2, to + 4);
        to[6] = gb_grad(to[1], loc);
    }
    gb_program *const look = gb_compile(t, gb_roots_of(2 * EACH, all), gb_no_update);
    assert_fine(t);
    assert_int_equal(gb_run(look), GB_OK);
    for (size_t i = 0; i < EACH; i++) {
        double by_formula, own;
        gb_read_root(look, i, &by_formula);
        gb_read_root(look, EACH + i, &own);
        if (!(fabs(own - by_formula) <= 1e-9 * (1 + fabs(by_formula))))
            fail_msg("%zu: %.17g, by the formula %.17g", i, own, by_formula);
    }
}

/* Where nothing is left of the noise in the draw, the score still has it: that of the wide q, over the
 * scale. */
TEST_EACH(a_fixed_draw_of_a_collapsed_q, cases)
{
    const own_case *const c = row;
    const bool is_by_formula = c->of == low_rank || c->of == by_precision;
    double slope[2][2];
    (void)t;
    if (c->maps || is_by_formula)
        return;
    for (int i = 0; i < 2; i++) {
        const double size = i ? ldexp(1, -90) : 1;
        gb_tape *const tape = test_tape(.seed = 5, .samples = SAMPLES);
        const gb_node loc = gb_variable(tape, "loc", gb_shape(), gb_fill(1.3)),
                      scale = gb_variable(tape, "scale", gb_shape(), gb_fill(size));
        const gb_dist q = c->of(loc, scale);
        const gb_node z = gb_stop(gb_rsample(q, gb_stream(tape, "z"), GB_SAMPLES));
        const gb_node sum = gb_sum_over(gb_sum(gb_log_prob(q, gb_own_draw(z))), GB_SAMPLES);
        gb_node g[2];
        gb_grads(sum, (gb_node[]){loc, scale}, 2, g);
        gb_program *const look = gb_compile(tape, gb_roots(g[0], g[1]), gb_no_update);
        assert_fine(tape);
        assert_int_equal(gb_run(look), GB_OK);
        for (size_t k = 0; k < 2; k++) {
            gb_read_root(look, k, &slope[i][k]);
            slope[i][k] *= size;
        }
    }
    for (size_t k = 0; k < 2; k++)
        if (!(fabs(slope[1][k] - slope[0][k]) <= 1e-10 * (1 + fabs(slope[0][k]))))
            fail_msg("%zu: %.17g, and should be %.17g", k, slope[1][k], slope[0][k]);
}

/* ---- draws at an end of the numbers ---- */

typedef struct end_case {
    const char *name, *type;
    double param[3];
    int elements; /* of a vector parameter; else 0 */
} end_case;

static const end_case ends[] = {
    {"beta, one large", "beta", {1e12, 1}, 0},
    {"beta, the other large", "beta", {0.3, 1e8}, 0},
    {"beta, both small", "beta", {0.3, 0.05}, 0},
    {"beta, one tiny", "beta", {5, 0.01}, 0},
    {"kumaraswamy", "kumaraswamy", {1e8, 0.7}, 0},
    {"kumaraswamy, at 1", "kumaraswamy", {2, 0.01}, 0},
    {"kumaraswamy, at 0", "kumaraswamy", {0.005, 3}, 0},
    {"gamma", "gamma", {0.02, 1}, 0},
    {"gamma, smaller", "gamma", {0.001, 3}, 0},
    {"inverse_gamma", "inverse_gamma", {0.01, 2}, 0},
    {"chi_squared", "chi_squared", {0.01}, 0},
    {"dirichlet", "dirichlet", {0.02, 0.01, 0.04}, 3},
    {"dirichlet, one large", "dirichlet", {1e4, 0.01, 0.3}, 3},
    {"dirichlet, beyond doubles", "dirichlet", {0.001, 0.002, 0.001}, 3},
    {"weibull", "weibull", {0.005, 2}, 0},
    {"pareto", "pareto", {2, 0.005}, 0},
    {"student_t", "student_t", {0.01, 0, 1}, 0},
    {"student_t, beyond doubles", "student_t", {0.0005, 2, 3}, 0},
};

enum { END_DRAWS = 20000, MOST_PARAMS = 3 };

/* Whether the numbers have this mean, within 6 standard errors. */
static bool has_mean(const double *x, size_t step, double should, double floor)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < END_DRAWS; i++)
        mean += x[i * step] / END_DRAWS;
    for (size_t i = 0; i < END_DRAWS; i++)
        square += (x[i * step] - mean) * (x[i * step] - mean) / END_DRAWS;
    const bool is = fabs(mean - should) <= 6 * sqrt(square / END_DRAWS) + floor;
    if (!is)
        print_error("the mean is %g, and should be %g\n", mean, should);
    return is;
}

/* The mean of log q is minus the entropy, and so are their slopes; at a fixed draw, its slopes have mean 0.
 * Each draw has parameters of its own, so its slopes are seen alone. */
static void check_ends(const end_case *c, gb_real real, bool is_fixed)
{
    static double x[END_DRAWS * MOST_PARAMS];
    gb_tape *const tape = test_tape(.seed = 3, .real = real);
    const gb_dist_type *const type = gb_dist_find(c->type);
    gb_node each[MOST_PARAMS] = {{0}}, one[MOST_PARAMS] = {{0}}, slope[MOST_PARAMS], of_entropy[MOST_PARAMS];
    size_t count = 0;
    for (; count < (c->elements ? 1 : MOST_PARAMS) && type->param[count].name; count++) {
        const gb_shape event = c->elements ? gb_shape(c->elements) : gb_shape();
        const gb_shape shape = c->elements ? gb_shape(END_DRAWS, c->elements) : gb_shape(END_DRAWS);
        one[count] = gb_input(tape, type->param[count].name, event);
        gb_feed(one[count], c->param + count, 1);
        each[count] = gb_add(one[count], gb_zeros(tape, shape));
    }
    const gb_dist q = gb_dist_of(type, each), single = gb_dist_of(type, one);
    const gb_node draw = gb_rsample(q, gb_stream(tape, "x"), 0);
    const gb_node log_q = gb_log_prob(q, gb_own_draw(is_fixed ? gb_stop(draw) : draw));
    const gb_node entropy = gb_dist_entropy(single);
    gb_grads(gb_sum(log_q), each, count, slope);
    gb_grads(entropy, one, count, of_entropy);
    gb_node roots[2 * MOST_PARAMS + 2] = {log_q, entropy};
    for (size_t i = 0; i < count; i++)
        roots[2 + 2 * i] = slope[i], roots[3 + 2 * i] = of_entropy[i];
    gb_run(gb_compile(tape, gb_roots_of(2 + 2 * count, roots), gb_no_update));
    assert_fine(tape);
    const double little = real == GB_FLOAT ? 1e-5 : 1e-12;
    assert_int_equal(gb_read(log_q, x, END_DRAWS), GB_OK);
    const double h = gb_value(entropy);
    assert_true(has_mean(x, 1, -h, little * fabs(h)));
    for (size_t i = 0; i < count; i++) {
        const size_t step = c->elements ? (size_t)c->elements : 1;
        double should[MOST_PARAMS];
        assert_int_equal(gb_read(slope[i], x, END_DRAWS * step), GB_OK);
        assert_int_equal(gb_read(of_entropy[i], should, step), GB_OK);
        for (size_t k = 0; k < step && !(is_fixed && type->moving_support); k++)
            assert_true(has_mean(x + k, step, is_fixed ? 0 : -should[k], 30 * little * fabs(should[k])));
    }
}

TEST_EACH(a_draw_at_an_end_of_the_numbers, ends)
{
    (void)t;
    for (int i = 0; i < 4; i++)
        check_ends(row, i / 2 ? GB_FLOAT : GB_DOUBLE, i % 2);
}
