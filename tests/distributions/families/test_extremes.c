/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values and gradients where formulas meet the ends of numbers or of supports, or a point at which they are
 * stitched together. The numbers were computed with 60 digits. */
#include "support/close.h"

#include "core/gradient.h"
#include "core/program.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum {
    INPUTS = 4,
    X = INPUTS,
    VALUE,
    TWICE = 8
}; /* what is asked for: the derivative in a parameter, in x, or the value; + TWICE: the second derivative */

typedef gb_node quantity(gb_dist d, gb_node x);

static gb_node mean(gb_dist d, gb_node x)
{
    (void)x;
    return gb_dist_mean(d);
}

static gb_node variance(gb_dist d, gb_node x)
{
    (void)x;
    return gb_dist_variance(d);
}

static gb_node mode(gb_dist d, gb_node x)
{
    (void)x;
    return gb_dist_mode(d);
}

static gb_node entropy(gb_dist d, gb_node x)
{
    (void)x;
    return gb_dist_entropy(d);
}

/* The tolerance is relative, and at least some ε. */
typedef struct row {
    const char *type; /* "name" or "name logits" */
    quantity *of;
    double param[INPUTS], x;
    size_t which;
    double should, tolerance;
} row;

static gb_dist made(gb_tape *t, const char *name, const double *param, gb_node *node)
{
    char type_name[64] = "", form[16] = "", input[32];
    sscanf(name, "%63s %15s", type_name, form);
    const gb_dist_type *const type = gb_dist_find(type_name);
    assert_non_null(type);
    const bool alternative = *form != '\0';
    const gb_option *const params = alternative ? type->alternative : type->param;
    for (size_t i = 0; i < INPUTS && params[i].name; i++) {
        snprintf(input, sizeof input, "%s %zu", params[i].name, gb_tape_length(t));
        node[i] = gb_input(t, input, gb_shape());
        assert_int_equal(gb_feed(node[i], &param[i], 1), GB_OK);
    }
    return alternative ? gb_dist_alternative(type, node) : gb_dist_of(type, node);
}

static double asked(gb_tape *t, const row *r)
{
    gb_node node[INPUTS + 1] = {{0}};
    const gb_dist d = made(t, r->type, r->param, node);
    node[X] = gb_input(t, "at", gb_shape());
    assert_int_equal(gb_feed(node[X], &r->x, 1), GB_OK);
    const gb_node y = r->of(d, node[X]);
    if (r->which == VALUE)
        return gb_value(y);
    const gb_node by = node[r->which % TWICE], slope = gb_grad(y, by);
    return gb_value(r->which < TWICE ? slope : gb_grad(slope, by));
}

static void check_rows(size_t count, const row *rows, gb_real real)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const row *const r = &rows[i];
        gb_tape *t = gb_tape_new(.threads = 1, .real = real);
        const double is = asked(t, r), should = r->should;
        const double allowed = fmax(r->tolerance, real == GB_FLOAT ? 1e-5 : 1e-14) * fabs(should);
        if (is == should || fabs(is - should) <= fmax(allowed, should == 0 ? 1e-15 : 0))
            assert_fine(t);
        else
            print_error("row %zu: %s(%g, %g) at %g, of %zu: it is %.17g, not %.17g %s\n", i, r->type,
                        r->param[0], r->param[1], r->x, r->which, is, should, gb_error_text(t)),
                wrong++;
        gb_tape_free(t);
    }
    assert_int_equal(wrong, 0);
}

#define CHECK_ROWS(rows, real) check_rows(sizeof(rows) / sizeof *(rows), rows, real)

TEST(a_product_that_underflows_has_gradients)
{
    static const row rows[] = {
        {"gamma", gb_log_prob, {1e-3, 1e-3}, 2.5e-308, 1, 1, 0},
        {"gamma", gb_log_prob, {1e-3, 1e-20}, 1e-305, 1, 1e17, 0},
        {"gamma", gb_log_prob, {1e-3, 1e-20}, 1e-305, VALUE, 694.63293432257702, 0},
        {"chi_squared", gb_log_prob, {1e-3}, 2.5e-308, X, -3.9980000000000004e+307, 0},
        {"weibull", gb_log_prob, {0.5, 1e20}, 1e-306, VALUE, 328.57652111758859, 0},
        {"weibull", gb_log_prob, {0.5, 1e20}, 1e-306, 0, -748.64274031605889, 0},
        {"weibull", gb_log_prob, {0.5, 1e20}, 1e-306, 1, -5e-21, 0},
        {"weibull", gb_log_prob, {0.01, 1e-300}, 1e300, VALUE, -1000681.5651875265, 1e-12},
        {"weibull", gb_log_prob, {0.01, 1e-300}, 1e300, 1, 9.9999900000000028e+303, 1e-12},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

/* Where the density is 0 or infinite, too. */
TEST(an_end_of_the_support_has_gradients)
{
    static const row rows[] = {
        {"gamma", gb_log_prob, {0.5, 1.3}, 0, 1, 0.5 / 1.3, 0},
        {"gamma", gb_log_prob, {0.5, 1.3}, 0, 0, -INFINITY, 0},
        {"gamma", gb_log_prob, {0.5, 1.3}, 0, X, -INFINITY, 0},
        {"gamma", gb_log_prob, {2, 1}, 0, 1, 2, 0},
        {"gamma", gb_log_prob, {1, 3}, 0, X, -3, 0},
        {"weibull", gb_log_prob, {0.5, 1}, 0, 1, -0.5, 0},
        {"weibull", gb_log_prob, {0.5, 1}, 0, X, -INFINITY, 0},
        {"weibull", gb_log_prob, {2, 1}, 0, 1, -2, 0},
        {"weibull", gb_log_prob, {2, 1}, 0, X, INFINITY, 0},
        {"weibull", gb_log_prob, {1, 4}, 0, X, -0.25, 0},
        {"kumaraswamy", gb_log_prob, {2, 3}, 1, 0, 1.5, 0},
        {"kumaraswamy", gb_log_prob, {2, 3}, 1, 1, -INFINITY, 0},
        {"kumaraswamy", gb_log_prob, {2, 3}, 1, X, -INFINITY, 0},
        {"kumaraswamy", gb_log_prob, {2, 1}, 1, X, 1, 0},
        {"inverse_gamma", gb_log_prob, {2, 1}, 1e308, 1, 2, 0},
        {"inverse_gamma", gb_log_prob, {2, 1}, 1e308, X, -3e-308, 0},
        {"gamma", gb_icdf, {1, 1}, 0, 0, 0, 0},
        {"gamma", gb_icdf, {1, 1}, 0, X, 1, 0},
        {"cauchy", gb_icdf, {0, 1}, 0, X, INFINITY, 0},
        {"cauchy", gb_icdf, {0, 1}, 1, X, INFINITY, 0},
        {"half_cauchy", gb_icdf, {1}, 1, X, INFINITY, 0},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

TEST(a_median_has_gradients)
{
    static const row rows[] = {
        {"laplace", gb_cdf, {0.5, 2}, 0.5, X, 0.25, 0},
        {"laplace", gb_cdf, {0.5, 2}, 0.5, 0, -0.25, 0},
        {"laplace", gb_icdf, {0.5, 2}, 0.5, X, 4, 0},
        {"student_t", gb_cdf, {3, 0, 1}, 0, X, 0.36755259694786137, 0},
        {"student_t", gb_cdf, {3, 0, 1}, 0, 1, -0.36755259694786137, 0},
        {"student_t", gb_cdf, {3, 0, 1}, 1e-200, X, 0.36755259694786137, 0},
        {"student_t", gb_icdf, {3, 0, 1}, 0.5, X, 2.7206990463513268, 0},
        {"student_t", gb_icdf, {0.7, 0, 1}, 0.5, X, 3.3940149839030155, 0},
        {"von_mises", gb_cdf, {0, 1}, 0, X, 0.34171048862346316, 0},
        {"von_mises", gb_cdf, {0, 1}, 0, 0, -0.2954650028606854, 0},
        {"von_mises", gb_log_prob, {0, 0}, 1, 1, 0.54030230586813972, 0},
        {"von_mises", entropy, {0, 0}, 0, 1, 0, 0},
        {"von_mises", entropy, {0, 1e300}, 0, VALUE, -343.968825415902, 0},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

TEST(logits_go_beyond_what_probabilities_can_say)
{
    static const row rows[] = {
        {"geometric logits", gb_log_prob, {-800}, 3, VALUE, -800, 0},
        {"geometric logits", gb_log_prob, {-800}, 3, 0, 1, 0},
        {"geometric logits", entropy, {-800}, 0, VALUE, 801, 0},
        {"geometric logits", entropy, {-800}, 0, 0, -1, 0},
        {"geometric logits", entropy, {800}, 0, VALUE, 0, 0},
        {"geometric logits", mean, {-700}, 0, VALUE, 1.0142320547350045e304, 1e-12},
        {"geometric logits", gb_icdf, {-800}, 0.5, VALUE, INFINITY, 0},
        {"geometric logits", gb_icdf, {-800}, 1e-300, VALUE, 2.7263745721125665e47, 1e-12},
        {"geometric logits", gb_cdf, {-800}, 1e300, VALUE, 3.6678745841776874e-48, 1e-12},
        {"geometric logits", gb_icdf, {800}, 0.5, VALUE, 0, 0},
        {"negative_binomial logits", gb_icdf, {2, 800}, 0.5, VALUE, INFINITY, 0},
        {"negative_binomial logits", gb_icdf, {2, 800}, 0, VALUE, 0, 0},
        {"negative_binomial logits", gb_log_prob, {2, 800}, 3, VALUE, -1598.6137056388801, 1e-14},
        {"negative_binomial logits", mean, {2, 700}, 0, VALUE, 2 * 1.0142320547350045e304, 1e-12},
        {"negative_binomial logits", mode, {1, 800}, 0, VALUE, 0, 0},
    };
    static const row float_rows[] = {
        {"geometric logits", entropy, {-110}, 0, VALUE, 111, 0},
        {"geometric logits", gb_icdf, {-110}, 0.5, VALUE, INFINITY, 0},
        {"negative_binomial logits", gb_icdf, {2, 110}, 0.5, VALUE, INFINITY, 0},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
    CHECK_ROWS(float_rows, GB_FLOAT);
}

TEST(draws_are_numbers)
{
    static const row rows[] = {{"geometric logits", NULL, {-800}, 0, 0, 0, 0},
                               {"negative_binomial logits", NULL, {2, 800}, 0, 0, 0, 0},
                               {"negative_binomial logits", NULL, {0.001, 800}, 0, 0, 0, 0},
                               {"lognormal", NULL, {0, 1000}, 0, 0, 0, 0},
                               {"student_t", NULL, {0.01, 0, 1}, 0, 0, 0, 0}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const row *const r = &rows[i / 2];
        gb_tape *const tape = test_tape(.samples = 1000, .real = i % 2 ? GB_FLOAT : GB_DOUBLE);
        gb_node node[INPUTS];
        const gb_dist d = made(tape, r->type, r->param, node);
        const gb_node x = gb_sample(d, gb_stream(tape, "x"), GB_SAMPLES);
        const gb_node largest = gb_maximum_over(gb_abs(x), GB_SAMPLES);
        const gb_node least = gb_neg(gb_maximum_over(gb_neg(gb_log_prob(d, x)), GB_SAMPLES));
        assert_int_equal(gb_run(gb_compile(tape, gb_roots(largest, least), gb_no_update)), GB_OK);
        if (!isfinite(gb_value(largest)) || !isfinite(gb_value(least)))
            fail_msg("%s: up to %g, log_prob from %g", r->type, gb_value(largest), gb_value(least));
    }
}

/* Transformed normals of scale 300, whose draws reach the ends of the image. */
static gb_dist far_transformed(gb_tape *t, int which)
{
    const gb_node zero = gb_num(t, 0), scale = gb_num(t, 300), high = gb_num(t, 1e5);
    const gb_dist one = gb_normal(zero, scale), two = gb_normal(gb_zeros(t, gb_shape(2)), scale);
    const gb_transform tanh = gb_tanh_transform(t), exp = gb_exponential_transform(t);
    switch (which) {
    case 0: return gb_transformed(one, exp);
    case 1: return gb_transformed(one, gb_softplus_transform(t));
    case 2: return gb_transformed(one, gb_sigmoid_transform(t));
    case 3: return gb_transformed(one, tanh);
    case 4: return gb_transformed(one, gb_interval_transform(gb_num(t, 99999), high));
    case 5: return gb_transformed(one, gb_interval_transform(zero, gb_num(t, 1e-3)));
    case 6: return gb_transformed(one, gb_composed_transform(gb_affine_transform(high, gb_num(t, -2)), exp));
    case 7: return gb_transformed(one, gb_composed_transform(gb_affine_transform(high, gb_num(t, 3)), tanh));
    case 8: return gb_independent(gb_transformed(two, gb_sigmoid_transform(t)), 1);
    case 9: return gb_transformed(gb_independent(two, 1), gb_sigmoid_transform(t));
    case 10: return gb_transformed(gb_independent(two, 1), gb_stick_breaking_transform(t));
    case 11: return gb_transformed(gb_independent(two, 1), gb_centred_softmax_transform(t));
    default: return (gb_dist){0};
    }
}

TEST(a_transformed_distribution_accepts_its_own_draws)
{
    for (int i = 0; i < 24; i++) {
        gb_tape *const tape = test_tape(.samples = 1000, .real = i % 2 ? GB_FLOAT : GB_DOUBLE);
        const gb_dist d = far_transformed(tape, i / 2);
        const gb_node x = gb_rsample(d, gb_stream(tape, "x"), GB_SAMPLES);
        const gb_node least = gb_neg(gb_maximum_over(gb_neg(gb_log_prob(d, x)), GB_SAMPLES));
        assert_int_equal(gb_run(gb_compile(tape, gb_roots(least), gb_no_update)), GB_OK);
        if (!isfinite(gb_value(least)))
            fail_msg("case %d, %s: log_prob from %g", i / 2, i % 2 ? "float" : "double", gb_value(least));
    }
}

/* The quantiles of a truncated normal far from loc, and of one that is narrow against its scale, with their
 * derivatives in scale: E / r and E / r for E = −log(1 − u), and for the narrow one u and 0. */
TEST(a_truncated_normal_may_be_far_out_or_narrow)
{
    static const double far[] = {200, 5793, 8000, 11600, 1e6, 1.4e8, 1e10}, scale[] = {1e3, 1e6};
    enum { DRAWS = 1000, FAR = sizeof far / sizeof *far };
    for (size_t i = 0; i < 4 * FAR; i++) {
        gb_tape *const tape = test_tape(.samples = DRAWS, .real = i % 2 ? GB_FLOAT : GB_DOUBLE);
        const double r = far[i / 4], tolerance = 5 / (r * r) + (i % 2 ? 1e-6 : 1e-13),
                     side = i % 4 < 2 ? 1 : -1;
        double x[DRAWS], e[DRAWS], slope;
        const gb_node of_scale = gb_variable(tape, "scale", gb_shape(), gb_fill(1));
        const gb_node zero = gb_num(tape, 0), end = gb_num(tape, INFINITY), loc = gb_num(tape, -side * r);
        const gb_dist d = side > 0 ? gb_truncated_normal(loc, of_scale, zero, end)
                                   : gb_truncated_normal(loc, of_scale, gb_neg(end), zero);
        const gb_node draws = gb_rsample(d, gb_stream(tape, "x"), GB_SAMPLES);
        const gb_node as_exponential = gb_scale(draws, side * r);
        const gb_node in_scale = gb_grad(gb_mean_over(as_exponential, GB_SAMPLES), of_scale);
        const gb_node ratio = gb_div(gb_log1p(gb_neg(gb_cdf(d, draws))), as_exponential);
        gb_run(gb_compile(tape, gb_roots(as_exponential, in_scale, ratio), gb_no_update));
        assert_fine(tape);
        assert_int_equal(gb_read(as_exponential, x, DRAWS), GB_OK);
        assert_int_equal(gb_read(ratio, e, DRAWS), GB_OK);
        slope = gb_value(in_scale);
        double mean = 0;
        for (size_t k = 0; k < DRAWS; k++) {
            assert_true(x[k] > 0 && x[k] < 20);
            mean += x[k] / DRAWS;
            if (side > 0 && x[k] < 5)
                assert_near(e[k], -1, tolerance * 20 + (i % 2 ? 1e-4 : 1e-12));
        }
        assert_near(mean, 1, 0.15);
        assert_near(slope, 2 * mean, (10 * tolerance + 10 / (r * r)) * mean);
    }
    for (size_t i = 0; i < 4; i++) {
        gb_tape *const tape = test_tape(.samples = DRAWS, .real = i % 2 ? GB_FLOAT : GB_DOUBLE);
        double x[DRAWS], u[DRAWS];
        const gb_node zero = gb_num(tape, 0), one = gb_num(tape, 1);
        const gb_dist d = gb_truncated_normal(gb_num(tape, 0.3), gb_num(tape, scale[i / 2]), zero, one);
        const gb_node draws = gb_rsample(d, gb_stream(tape, "x"), GB_SAMPLES), of_cdf = gb_cdf(d, draws);
        gb_run(gb_compile(tape, gb_roots(draws, of_cdf), gb_no_update));
        assert_int_equal(gb_read(draws, x, DRAWS), GB_OK);
        assert_int_equal(gb_read(of_cdf, u, DRAWS), GB_OK);
        for (size_t k = 0; k < DRAWS; k++)
            assert_near(x[k], u[k], 2 / (scale[i / 2] * scale[i / 2]) + (i % 2 ? 1e-6 : 1e-13));
        qsort(x, DRAWS, sizeof *x, ascending);
        for (size_t k = 1; k < DRAWS; k++)
            assert_true(x[k] - x[k - 1] < 0.02 && (i % 2 || x[k] > x[k - 1]));
    }
}

/* ---- divergences ---- */

typedef struct pair {
    const char *q;
    double of_q[INPUTS];
    const char *p;
    double of_p[INPUTS];
    double should, tolerance, slope; /* in the first parameter of q; NaN: not looked at */
} pair;

TEST(divergences_are_right)
{
    static const pair pairs[] = {
        {"geometric logits",
         {-800},
         "geometric logits",
         {-801},
         0.36787944117144233,
         1e-14,
         0.63212055882855767},
        {"geometric logits", {-800}, "geometric logits", {0}, INFINITY, 0, NAN},
        {"geometric logits", {800}, "geometric logits", {801}, 0, 0, 0},
        {"kumaraswamy", {1, 2}, "beta", {1, 2}, 0, 0, 0},
        {"normal", {0, 1e200}, "normal", {0, 1e-200}, INFINITY, 0, 0},
        {"normal", {0, 1e-200}, "normal", {0, 1e200}, 920.53403719761827, 1e-14, 0},
        {"laplace", {0, 1e-200}, "laplace", {0, 1e200}, 920.03403719761832, 1e-14, NAN},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const pair *const k = &pairs[i];
        gb_tape *const tape = test_tape();
        gb_node q[INPUTS] = {{0}}, p[INPUTS] = {{0}};
        const gb_dist of_q = made(tape, k->q, k->of_q, q), of_p = made(tape, k->p, k->of_p, p);
        const double is = gb_value(gb_kl(of_q, of_p)), slope = gb_value(gb_grad(gb_kl(of_q, of_p), q[0]));
        if (!(is >= 0) || !(is == k->should || fabs(is - k->should) <= k->tolerance * k->should))
            fail_msg("KL(%s, %s), row %zu: %.17g, not %.17g", k->q, k->p, i, is, k->should);
        if (!isnan(k->slope) && !(fabs(slope - k->slope) <= 1e-12))
            fail_msg("KL(%s, %s), row %zu: slope %.17g, not %.17g", k->q, k->p, i, slope, k->slope);
    }
}

TEST(divergences_keep_their_digits_near_equality)
{
    static const struct {
        const char *type;
        double of_q[2], of_p[2], should;
    } pairs[] = {
        {"gumbel", {0, 1}, {0, 1 + 0x1p-20}, 8.2931258596068268674e-13},
        {"gumbel", {0x1p-20, 1}, {0, 1}, 4.5474720632620892008e-13},
        {"gumbel", {0, 2}, {3, 0.5}, 9675.6363964592276506},
        {"von_mises", {0, 2}, {0, 2 + 0x1p-26}, 1.8232437453299258992e-17},
        {"von_mises", {0, 2}, {0x1p-20, 2}, 6.3462235444963434639e-13},
        {"von_mises", {0, 1e-8}, {1, 1e-8}, 2.2984884706593014804e-17},
        {"von_mises", {0, 1e6}, {0, 1e6 + 1}, 2.499999583335208335e-13},
        {"von_mises", {0, 3}, {1, 0.5}, 0.68737951821958278467},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        gb_tape *const tape = test_tape();
        gb_node q[INPUTS] = {{0}}, p[INPUTS] = {{0}};
        const gb_dist of_q = made(tape, pairs[i].type, pairs[i].of_q, q),
                      of_p = made(tape, pairs[i].type, pairs[i].of_p, p);
        const double is = gb_value(gb_kl(of_q, of_p)), should = pairs[i].should;
        if (!(fabs(is - should) <= 2e-9 * should))
            fail_msg("%s, row %zu: %.17g, not %.17g", pairs[i].type, i, is, should);
    }
}

/* Far from loc, an interval is a tail: of 1 − u, of the mass beyond its far end, and of quantiles that round
 * to an end nothing is lost. An infinite end has no derivatives, of any order. */
TEST(a_truncated_normal_at_its_ends)
{
    static const row rows[] = {
        {"truncated_normal",
         gb_log_prob,
         {0.25, 2, -1, INFINITY},
         0.5,
         0 + TWICE,
         -0.13017476763953071,
         1e-12},
        {"truncated_normal", mean, {0.25, 2, -1, INFINITY}, 0, 0 + TWICE, 0.14052746262070032, 1e-12},
        {"truncated_normal",
         gb_log_prob,
         {0.25, 2, -1, INFINITY},
         0.5,
         1 + TWICE,
         0.14537642701357013,
         1e-12},
        {"truncated_normal", mean, {0.25, 2, -1, INFINITY}, 0, 1 + TWICE, 0.054893540086211064, 1e-12},
        {"truncated_normal",
         gb_log_prob,
         {0.25, 2, -INFINITY, 3},
         0.5,
         0 + TWICE,
         -0.18462381761322153,
         1e-12},
        {"truncated_normal", mean, {0.25, 2, -INFINITY, 3}, 0, 0 + TWICE, -0.1393996338820978, 1e-12},
        {"truncated_normal",
         gb_log_prob,
         {0.25, 2, -INFINITY, 3},
         0.5,
         1 + TWICE,
         0.24546738361053008,
         1e-12},
        {"truncated_normal", mean, {0.25, 2, -INFINITY, 3}, 0, 1 + TWICE, -0.26355243280834115, 1e-12},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-08, VALUE, -30.607210928580514, 0},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-08, X, 3263709.5009492665, 1e-9},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-14, VALUE, -30.994609949416932, 0},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-14, X, 496384931923.34577, 1e-9},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-16, VALUE, -30.999941388259405, 0},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-16, X, 585585251865.61259, 1e-9},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-20, VALUE, -30.999999994133498, 0},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-20, X, 586650098665.05195, 1e-9},
        {"truncated_normal", gb_icdf, {0, 1, -31, -30}, 1e-32, X, 586650205354.1562, 1e-10},
        {"truncated_normal", gb_icdf, {0, 1, 30, 31}, 1e-20, X, 0.033296419072495384, 1e-10},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

/* The draws of a narrow interval are uniform, wherever loc is. */
TEST(draws_of_a_narrow_interval_are_fine)
{
    static const double law[][4] = {{1e6, 1e6, 0, 1}, {-1e6, 1e6, 0, 1}, {3e4, 1e4, 0, 1}, {-1, 1, 0, 1e-4}};
    enum { DRAWS = 4000 };
    for (size_t i = 0; i < 2 * sizeof law / sizeof *law; i++) {
        const double *const p = law[i / 2];
        gb_tape *const tape = test_tape(.samples = DRAWS, .real = i % 2 ? GB_FLOAT : GB_DOUBLE);
        static double x[DRAWS];
        const gb_dist d = gb_truncated_normal(gb_num(tape, p[0]), gb_num(tape, p[1]), gb_num(tape, p[2]),
                                              gb_num(tape, p[3]));
        const gb_node draws = gb_sample(d, gb_stream(tape, "x"), GB_SAMPLES);
        gb_run(gb_compile(tape, gb_roots(draws), gb_no_update));
        assert_int_equal(gb_read(draws, x, DRAWS), GB_OK);
        qsort(x, DRAWS, sizeof *x, ascending);
        for (size_t k = 0; k < DRAWS; k++)
            assert_near((x[k] - p[2]) / (p[3] - p[2]), ((double)k + 0.5) / DRAWS, 0.03);
        size_t same = 0;
        for (size_t k = 1; k < DRAWS; k++)
            same += x[k] == x[k - 1];
        assert_true(same < 10);
    }
}

/* Which derivative: in a parameter of q, or in one of p. */
enum { OF_P = INPUTS };

typedef struct divergence {
    const char *type;
    double of_q[INPUTS], of_p[INPUTS];
    size_t which; /* or VALUE + OF_P */
    double should, tolerance;
} divergence;

enum { DIVERGENCE = 2 * OF_P };

static void check_divergences(size_t count, const divergence *rows, gb_real real)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const divergence *const r = &rows[i];
        gb_tape *const tape = test_tape(.real = real);
        gb_node node[2 * INPUTS] = {{0}};
        const gb_dist q = made(tape, r->type, r->of_q, node), p = made(tape, r->type, r->of_p, node + OF_P);
        const gb_node kl = gb_kl(q, p);
        const double is = gb_value(r->which == DIVERGENCE ? kl : gb_grad(kl, node[r->which]));
        const double allowed = fmax(r->tolerance, real == GB_FLOAT ? 1e-5 : 1e-14);
        if (!(fabs(is - r->should) <= allowed * fabs(r->should)))
            print_error("KL of %s, row %zu, of %zu: it is %.17g, not %.17g\n", r->type, i, r->which, is,
                        r->should),
                wrong++;
    }
    assert_int_equal(wrong, 0);
}

TEST(a_divergence_of_a_narrow_from_a_wide_distribution)
{
    static const divergence rows[] = {
        {"gamma", {1e12, 1e12}, {2, 2}, DIVERGENCE, 13.010277663640544, 0},
        {"gamma", {1e12, 1e12}, {2, 2}, 0, 4.9999999999916667e-13, 0},
        {"gamma", {1e12, 1e12}, {2, 2}, OF_P, -0.27036284546097817, 0},
        {"inverse_gamma", {1e16, 1e15}, {0.5, 3}, DIVERGENCE, 45.873508462841315, 0},
        {"inverse_gamma", {1e16, 1e15}, {0.5, 3}, 0, 3e-15, 0},
        {"inverse_gamma", {1e16, 1e15}, {0.5, 3}, 1, -2.95e-14, 0},
        {"inverse_gamma", {1e16, 1e15}, {0.5, 3}, OF_P, -5.3647074076835788, 0},
        {"inverse_gamma", {1e16, 1e15}, {0.5, 3}, OF_P + 1, 9.8333333333333333, 0},
        {"gamma", {1e24, 1e24}, {2, 2}, DIVERGENCE, 26.825788221603985, 0},
        {"gamma", {1e16, 1e16}, {2, 2}, 0, 5e-17, 0},
        {"beta", {1e12, 1e12}, {2, 2}, DIVERGENCE, 13.030827687492105, 0},
        {"beta", {1e20, 3e20}, {2, 2}, DIVERGENCE, 23.019264758425182, 0},
        {"beta", {1e20, 3e20}, {2, 2}, OF_P, 0.55296102778655729, 0},
        {"gumbel", {0, 0x1p-20}, {0, 1}, DIVERGENCE, 13.285727946298273, 0},
        {"gumbel", {0, 0x1p-20}, {0, 1}, 1, -1048575.9999981135, 0},
        {"gumbel", {0, 0x1p-60}, {0, 1}, DIVERGENCE, 41.011615168695186, 0},
        {"gumbel", {0, 0x1p-60}, {0, 1}, 1, -0x1p60, 0},
        {"gumbel", {0, 0x1p-60}, {0, 1}, OF_P + 1, 1, 0},
        {"weibull", {1, 2}, {0x1p-20, 1}, OF_P, -1048575.9999984185, 0},
        {"weibull", {1, 2}, {0x1p-20, 1}, 0, 0.9999999999985648, 0},
        {"weibull", {1, 2}, {0x1p-60, 1}, OF_P, -0x1p60, 0},
        {"weibull", {1, 2}, {0x1p-60, 1}, 0, 1, 0},
    };
    check_divergences(sizeof rows / sizeof *rows, rows, GB_DOUBLE);
    check_divergences(sizeof rows / sizeof *rows, rows, GB_FLOAT);
}

/* Of laws near each other, and of scales or places so far apart that squares overflow. */
TEST(slopes_of_divergences_do_not_cancel)
{
    static const divergence rows[] = {
        {"cauchy", {0.0, 1.0}, {1000000000000000.0, 1.0}, DIVERGENCE, 67.69125842870148, 0},
        {"cauchy", {0.0, 1.0}, {1000000000000000.0, 1.0}, 0, -2.0e-15, 0},
        {"cauchy", {0.0, 1.0}, {1000000000000000.0, 1.0}, 1, -1.0, 0},
        {"cauchy", {0.0, 1.0}, {1000000000000000.0, 1.0}, OF_P, 2.0e-15, 0},
        {"cauchy", {0.0, 1.0}, {1000000000000000.0, 1.0}, OF_P + 1, -1.0, 0},
        {"cauchy", {0.0, 1e-20}, {1e-20, 1.0}, DIVERGENCE, 44.665407498761023, 0},
        {"cauchy", {0.0, 1e-20}, {1e-20, 1.0}, 0, -1.9999999999999997e-20, 0},
        {"cauchy", {0.0, 1e-20}, {1e-20, 1.0}, 1, -1.0000000000000001e+20, 0},
        {"cauchy", {0.0, 1e-20}, {1e-20, 1.0}, OF_P + 1, 1.0, 0},
        {"cauchy", {1.0, 2.0}, {3.0, 2.5}, DIVERGENCE, 0.19268434382950121, 0},
        {"cauchy", {1.0, 2.0}, {3.0, 2.5}, 0, -0.16494845360824742, 0},
        {"cauchy", {1.0, 2.0}, {3.0, 2.5}, 1, -0.1288659793814433, 0},
        {"cauchy", {1.0, 2.0}, {3.0, 2.5}, OF_P, 0.16494845360824742, 0},
        {"cauchy", {1.0, 2.0}, {3.0, 2.5}, OF_P + 1, -0.028865979381443299, 0},
        {"cauchy",
         {0.0, 1.0},
         {9.5367431640625e-07, 1.0000009536743164},
         DIVERGENCE,
         4.5474691720590532e-13,
         0},
        {"cauchy", {0.0, 1.0}, {9.5367431640625e-07, 1.0000009536743164}, 0, -4.7683670345599095e-7, 0},
        {"cauchy", {0.0, 1.0}, {9.5367431640625e-07, 1.0000009536743164}, 1, -4.7683715820290816e-7, 0},
        {"cauchy", {0.0, 1.0}, {9.5367431640625e-07, 1.0000009536743164}, OF_P, 4.7683670345599095e-7, 0},
        {"cauchy", {0.0, 1.0}, {9.5367431640625e-07, 1.0000009536743164}, OF_P + 1, 4.7683624870950743e-7, 0},
        {"gamma", {1e6, 1}, {1000001, 1}, 0, -1.0000005000001667e-6, 0},
        {"gamma", {1e6, 1}, {1000001, 1}, 1, 1, 0},
        {"gamma", {1e6, 1}, {1000001, 1}, OF_P, 1e-6, 0},
        {"gamma", {1e6, 1}, {1000001, 1}, OF_P + 1, -1, 0},
        {"poisson", {1e6}, {1000001}, DIVERGENCE, 4.9999966666691667e-7, 0},
        {"poisson", {1e6}, {1000001}, 0, -9.9999950000033333e-7, 0},
        {"poisson", {1e6}, {1000001}, OF_P, 9.99999000001e-7, 0},
    };
    check_divergences(sizeof rows / sizeof *rows, rows, GB_DOUBLE);
    check_divergences(sizeof rows / sizeof *rows, rows, GB_FLOAT);
}

/* One category is nearly certain: 1 − p is the sum of the others. */
TEST(a_variance_keeps_the_digits_of_the_rest)
{
    const gb_node logits = gb_constant(t, gb_shape(3), GB_VALUES(0, -50, -60));
    const double a = exp(-50), b = exp(-60);
    assert_values(gb_dist_variance(gb_multinomial_logits(gb_num(t, 10), logits)), 10 * (a + b), 10 * a,
                  10 * b);
    assert_values(gb_dist_variance(gb_one_hot_categorical_logits(logits)), a + b, a, b);
    assert_values(gb_dist_variance(gb_categorical_logits(logits)), a + 4 * b);
    gb_tape *const tape = test_tape(.real = GB_FLOAT);
    const gb_node shares = gb_constant(tape, gb_shape(3), GB_VALUES(1e5, 1e-3, 1e-3));
    double variance[3];
    gb_read(gb_dist_variance(gb_dirichlet(shares)), variance, 3);
    assert_near(variance[0] / 1.9999798802016028e-13, 1, 1e-6);
    assert_near(variance[2] / 9.9998995010070081e-14, 1, 1e-6);
    const gb_node last = gb_constant(t, gb_shape(3), GB_VALUES(-90, -80, 0));
    assert_values(gb_dist_variance(gb_categorical_logits(last)), 4 * exp(-90) + exp(-80));
}

TEST(a_nearly_certain_category_keeps_the_digits_of_the_rest)
{
    static const struct {
        double logits[3], log_prob, slope[3], entropy, entropy_slope[3];
    } rows[] = {
        {{17, 0, 0},
         -8.2798750947886659e-8,
         {8.2798747520070175e-8, -4.1399373760035087e-8, -4.1399373760035087e-8},
         1.4903774587890796e-6,
         {-1.4075785912954389e-6, 7.0378929564771946e-7, 7.0378929564771946e-7}},
        {{0, -20, -40},
         -2.0611536245627349e-9,
         {2.0611536224385578e-9, -2.0611536181902036e-9, -4.2483542465350782e-18},
         4.3284226158300976e-8,
         {-4.1223072448771156e-8, 4.1223072278836986e-8, 1.6993416968627291e-16}},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        gb_tape *const tape = test_tape(.real = i % 2 ? GB_FLOAT : GB_DOUBLE);
        const gb_node logits = gb_variable(tape, "logits", gb_shape(3), gb_values_of(rows[i / 2].logits, 3));
        const gb_dist d = gb_categorical_logits(logits);
        const gb_node log_p = gb_log_prob(d, gb_num(tape, 0)), entropy = gb_dist_entropy(d);
        double slope[3], of_entropy[3];
        gb_read(gb_grad(log_p, logits), slope, 3);
        gb_read(gb_grad(entropy, logits), of_entropy, 3);
        assert_fine(tape);
        const double tolerance = i % 2 ? 2e-6 : 4e-15;
        assert_near(gb_value(log_p) / rows[i / 2].log_prob, 1, tolerance);
        assert_near(gb_value(entropy) / rows[i / 2].entropy, 1, tolerance);
        for (size_t k = 0; k < 3; k++) {
            assert_near(slope[k] / rows[i / 2].slope[k], 1, tolerance);
            assert_near(of_entropy[k] / rows[i / 2].entropy_slope[k], 1, tolerance);
        }
    }
}

TEST(weibull_has_second_derivatives_on_a_float_tape)
{
    gb_tape *const tape = test_tape(.real = GB_FLOAT);
    gb_node node[INPUTS];
    const gb_dist d = made(tape, "weibull", (const double[INPUTS]){0.103, 2}, node);
    const gb_node slope = gb_grad(gb_log_prob(d, gb_num(tape, 6e-25)), node[1]);
    const double should = 0.025665375476741720882;
    assert_near(gb_value(gb_grad(slope, node[1])), should, 1e-5 * should);
}

TEST(nothing_cancels_for_small_parameters)
{
    static const row rows[] = {
        {"negative_binomial", gb_log_prob, {1e-15, 0.5}, 0, 0, -0.69314718055994531, 0},
        {"negative_binomial", gb_log_prob, {1e-15, 0.5}, 0, 1, -2e-15, 0},
        {"beta", gb_log_prob, {3.5e-44, 1.2e-17}, 0.955, 1, -3.1010927889687609, 0},
        {"beta", gb_log_prob, {3.5e-44, 1.2e-17}, 0.955, 0, 2.8571428571428573e+43, 0},
        {"beta", gb_log_prob, {1e-20, 1e-20}, 1e-305, VALUE, 655.54360432274307, 0},
        {"beta", gb_log_prob, {1e-20, 1e-20}, 1e-305, X, -1.0e+305, 0},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

/* In both real types: a row's tolerance is that of floats, and doubles are allowed 1e-11. */
static void check_both(size_t count, const row *rows)
{
    row exact[64];
    assert_true(count <= sizeof exact / sizeof *exact);
    for (size_t i = 0; i < count; i++) {
        exact[i] = rows[i];
        exact[i].tolerance = 1e-11;
    }
    check_rows(count, exact, GB_DOUBLE);
    check_rows(count, rows, GB_FLOAT);
}

#define CHECK_BOTH(rows) check_both(sizeof(rows) / sizeof *(rows), rows)

TEST(small_terms_of_slopes_are_kept)
{
    static const row rows[] = {
        {"gamma", gb_log_prob, {1e-10, 1}, 1e-30, 1, 1e-10, 0},
        {"inverse_gamma", gb_log_prob, {1e-10, 1}, 1e30, 1, 1e-10, 0},
        {"gamma", gb_log_prob, {1e-10, 2}, 1e-30, 1 + TWICE, -2.5e-11, 0},
        {"geometric logits", entropy, {-40}, 0, 0, -1.0, 0},
        {"geometric logits", entropy, {-40}, 0, 0 + TWICE, 2.1241771276457945e-18, 1e-4},
        {"geometric logits", entropy, {-18}, 0, 0, -0.9999999923850102, 0},
        {"geometric logits", entropy, {-18}, 0, 0 + TWICE, 7.6149897177214615e-9, 1e-4},
        {"geometric logits", entropy, {-8}, 0, 0, -0.99983230618833835, 0},
        {"geometric logits", entropy, {-8}, 0, 0 + TWICE, 0.00016765631880482437, 1e-4},
        {"geometric logits", entropy, {-2}, 0, 0, -0.93787819412221285, 0},
        {"geometric logits", entropy, {-2}, 0, 0 + TWICE, 0.057081116144330403, 1e-4},
        {"geometric logits", entropy, {1}, 0, 0, -0.48312197571606913, 0},
        {"geometric logits", entropy, {1}, 0, 0 + TWICE, 0.21418055434607401, 1e-4},
    };
    CHECK_BOTH(rows);
}

TEST(a_variance_that_underflows_has_slopes)
{
    static const row rows[] = {
        {"kumaraswamy", variance, {0.001, 1000}, 0, VALUE, 0, 0},
        {"kumaraswamy", variance, {0.001, 1000}, 0, 0, 0, 0},
        {"kumaraswamy", variance, {0.001, 1000}, 0, 1, 0, 0},
        {"weibull", variance, {0.01, 1}, 0, VALUE, INFINITY, 0},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

TEST(second_slopes_of_a_dirichlet_are_finite_in_floats)
{
    gb_tape *const tape = test_tape(.real = GB_FLOAT);
    const gb_node a = gb_variable(tape, "a", gb_shape(3), GB_VALUES(1e-3, 1e-3, 1e-3));
    const gb_node x = gb_constant(tape, gb_shape(3), GB_VALUES(1e-20, 0.25, 0.75));
    const gb_node slope = gb_grad(gb_log_prob(gb_dirichlet(a), x), a);
    double second[3];
    gb_read(gb_grad(gb_sum(slope), a), second, 3);
    assert_near(second[0] / -666663.33261742314, 1, 1e-5);
    assert_near(second[1] / -666663.33261742314, 1, 1e-5);
    assert_near(second[2] / -666663.33261742314, 1, 1e-5);
}

/* Floats are spaced about as finely as the draws; the mean is that of the law. */
TEST(float_draws_near_a_large_mean_are_fine)
{
    static const struct {
        const char *type;
        double param[INPUTS], mean, deviation;
    } laws[] = {
        {"gamma", {1e8, 1}, 1e8, 1e4},     {"gamma", {1e10, 1}, 1e10, 1e5},
        {"chi_squared", {2e8}, 2e8, 2e4},  {"inverse_gamma", {1e8, 1e8}, 1, 1e-4},
        {"beta", {1e8, 1e8}, 0.5, 3.5e-5}, {"weibull", {1e4, 1}, 0.99994228, 1.2825e-4},
    };
    enum { DRAWS = 10000 };
    static double x[DRAWS];
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = DRAWS, .real = GB_FLOAT);
        gb_node node[INPUTS];
        const gb_node draws =
            gb_sample(made(tape, laws[i].type, laws[i].param, node), gb_stream(tape, "x"), GB_SAMPLES);
        gb_run(gb_compile(tape, gb_roots(draws), gb_no_update));
        assert_int_equal(gb_read(draws, x, DRAWS), GB_OK);
        double mean = 0;
        for (size_t k = 0; k < DRAWS; k++)
            mean += (x[k] - laws[i].mean) / laws[i].deviation / DRAWS;
        assert_near(mean, 0, 0.05);
        qsort(x, DRAWS, sizeof *x, ascending);
        const double step = laws[i].mean * 0x1p-23;
        size_t distinct = 1;
        for (size_t k = 1; k < DRAWS; k++)
            distinct += x[k] > x[k - 1];
        if ((double)distinct < fmin(0.5 * DRAWS, 2 * laws[i].deviation / step))
            fail_msg("%s: %zu values", laws[i].type, distinct);
    }
}

/* One of the components has no weight, but a derivative in it. */
TEST(a_mixture_at_the_ends_of_its_probability)
{
    static const row rows[] = {
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, VALUE, -1.6433357137646181, 0},
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, 0, 0.82102072276006826, 0},
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, 0 + TWICE, -0.67407502720146486, 1e-4},
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, 1, 0.0, 0},
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, 1 + TWICE, 0.0, 1e-4},
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, 2, -0.46875, 0},
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, 2 + TWICE, 0.203125, 1e-4},
        {"scale_mixture", gb_log_prob, {0, 1, 2}, 0.5, X + TWICE, -0.25, 1e-5},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, VALUE, -1.0439385332046727, 0},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, 0, 0.45085742984608708, 0},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, 0 + TWICE, -0.20327242204741933, 1e-4},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, 1, -0.75, 0},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, 1 + TWICE, 0.25, 1e-4},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, 2, 0.0, 0},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, 2 + TWICE, 0.0, 1e-4},
        {"scale_mixture", gb_log_prob, {1, 1, 2}, 0.5, X + TWICE, -1.0, 1e-5},
        {"spike_and_slab", gb_log_prob, {1, 0, 1}, 0.5, 0 + TWICE, -1, 0},
    };
    CHECK_BOTH(rows);
}

TEST(a_moment_or_an_entropy)
{
    static const row rows[] = {
        {"weibull", variance, {1e9, 1}, 0, VALUE, 1.6449340625451492e-18, 1e-14},
        {"kumaraswamy", variance, {1e8, 2}, 0, VALUE, 1.2499999400000018e-16, 1e-14},
        {"kumaraswamy", variance, {1e8, 2}, 0, 0, -2.4999998200000074e-24, 1e-14},
        {"uniform", entropy, {-1e308, 1e308}, 0, VALUE, 709.88935582272602, 0},
        {"uniform", gb_log_prob, {-1e308, 1e308}, 0, VALUE, -709.88935582272602, 0},
        {"uniform", gb_log_prob, {-1e308, 1e308}, 0, 1, -5e-309, 1e-12},
        {"uniform", gb_cdf, {-1e308, 1e308}, 0, VALUE, 0.5, 0},
        {"uniform", mean, {1e308, 1.5e308}, 0, VALUE, 1.25e308, 0},
        {"truncated_normal", mean, {0.5, 2, -INFINITY, INFINITY}, 0, 1, 0, 0},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

/* Parameters are numbers that floats have exactly. The derivatives are small differences of larger terms. */
TEST(slopes_of_large_shapes_do_not_cancel)
{
    static const row rows[] = {
        {"student_t", entropy, {0.0009765625, 0, 1}, 0, 0, -1049087.1784896127, 0},
        {"student_t", entropy, {0.0009765625, 0, 1}, 0, TWICE, 2148007935.0214061, 2e-5},
        {"student_t", entropy, {0.5, 0, 1}, 0, 0, -4.4957935650633141, 0},
        {"student_t", entropy, {0.5, 0, 1}, 0, TWICE, 17.590845133515989, 2e-5},
        {"student_t", entropy, {3, 0, 1}, 0, 0, -0.12320146702978621, 0},
        {"student_t", entropy, {3, 0, 1}, 0, TWICE, 0.084318829977896939, 2e-5},
        {"student_t", entropy, {21, 0, 1}, 0, 0, -0.0023188882664016194, 0},
        {"student_t", entropy, {21, 0, 1}, 0, TWICE, 0.00022315856907822089, 2e-5},
        {"student_t", entropy, {40, 0, 1}, 0, 0, -0.00063261267873180209, 0},
        {"student_t", entropy, {40, 0, 1}, 0, TWICE, 3.1815852167435726e-5, 2e-5},
        {"student_t", entropy, {10000, 0, 1}, 0, 0, -1.0000499949995002e-8, 0},
        {"student_t", entropy, {10000, 0, 1}, 0, TWICE, 2.0001499799975009e-12, 2e-5},
        {"student_t", entropy, {1000000, 0, 1}, 0, 0, -1.0000004999995e-12, 0},
        {"student_t", entropy, {1000000, 0, 1}, 0, TWICE, 2.000001499998e-18, 2e-5},
        {"student_t", entropy, {10000000, 0, 1}, 0, 0, -1.000000049999995e-14, 0},
        {"student_t", entropy, {10000000, 0, 1}, 0, TWICE, 2.00000014999998e-21, 2e-5},
        {"student_t", entropy, {1000000000, 0, 1}, 0, 0, -1.0000000005e-18, 0},
        {"student_t", entropy, {1000000000, 0, 1}, 0, TWICE, 2.0000000015e-27, 2e-5},
        {"student_t", entropy, {999999995904, 0, 1}, 0, 0, -1.0000000081925001e-24, 0},
        {"gamma", entropy, {0.0009765625, 2}, 0, 0, 1047554.6409853009, 0},
        {"gamma", entropy, {0.0009765625, 2}, 0, TWICE, -2146435076.0380317, 3e-5},
        {"gamma", entropy, {0.5, 2}, 0, 0, 3.4674011002723397, 0},
        {"gamma", entropy, {0.5, 2}, 0, TWICE, -13.349200522661839, 3e-5},
        {"gamma", entropy, {3, 2}, 0, 0, 0.21013186630354713, 0},
        {"gamma", entropy, {3, 2}, 0, TWICE, -0.086706454209849295, 3e-5},
        {"gamma", entropy, {20, 2}, 0, 0, 0.025854364231140723, 0},
        {"gamma", entropy, {20, 2}, 0, TWICE, -0.0013364972912246826, 3e-5},
        {"gamma", entropy, {10000, 2}, 0, 0, 5.0003333500003333e-5, 0},
        {"gamma", entropy, {10000, 2}, 0, TWICE, -5.0006667166679998e-9, 3e-5},
        {"gamma", entropy, {1000000, 2}, 0, 0, 5.000003333335e-7, 0},
        {"gamma", entropy, {1000000, 2}, 0, TWICE, -5.0000066666716667e-13, 3e-5},
        {"gamma", entropy, {10000000, 2}, 0, 0, 5.00000033333335e-8, 0},
        {"gamma", entropy, {10000000, 2}, 0, TWICE, -5.0000006666667167e-15, 3e-5},
        {"gamma", entropy, {1000000000, 2}, 0, 0, 5.0000000033333333e-10, 0},
        {"gamma", entropy, {1000000000, 2}, 0, TWICE, -5.0000000066666667e-19, 3e-5},
        {"chi_squared", entropy, {6}, 0, 0, 0.10506593315177356, 0},
        {"inverse_gamma", entropy, {3, 2}, 0, 0, -0.57973626739290575, 0},
        {"inverse_gamma", entropy, {3, 2}, 0, TWICE, 0.22152115842852785, 3e-5},
        {"chi_squared", entropy, {2000000}, 0, 0, 2.5000016666675e-7, 0},
        {"inverse_gamma", entropy, {1000000, 2}, 0, 0, -1.5000006666668333e-6, 0},
        {"inverse_gamma", entropy, {1000000, 2}, 0, TWICE, 1.5000013333338333e-12, 3e-5},
        {"chi_squared", entropy, {20000000}, 0, 0, 2.500000166666675e-8, 0},
        {"inverse_gamma", entropy, {10000000, 2}, 0, 0, -1.5000000666666683e-7, 0},
        {"inverse_gamma", entropy, {10000000, 2}, 0, TWICE, 1.5000001333333383e-14, 3e-5},
        {"beta", entropy, {10000000, 3000000}, 0, 0, -6.5384616982248506e-8, 0},
        {"beta", entropy, {10000000, 3000000}, 0, 1, 5.1282083388127871e-8, 0},
        {"beta", entropy, {2, 3000000}, 0, 0, 0.3550654331520143, 0},
        {"beta", entropy, {2, 3000000}, 0, 1, -3.3333305555566049e-7, 0},
    };
    CHECK_BOTH(rows);
}

TEST(moments_of_kumaraswamy_have_slopes_in_floats)
{
    static const row rows[] = {
        {"kumaraswamy", variance, {25, 8}, 0, 0, -0.00012856377113180098, 1e-4},
        {"kumaraswamy", variance, {25, 8}, 0, 1, 2.5646214586180546e-7, 1e-4},
        {"kumaraswamy", variance, {250, 5}, 0, 0, -1.8052147736181444e-7, 1e-4},
        {"kumaraswamy", variance, {250, 5}, 0, 1, 4.8129205588691501e-7, 1e-4},
        {"kumaraswamy", variance, {20, 1000}, 0, 0, -0.00010899132132026958, 1e-4},
        {"kumaraswamy", variance, {20, 1000}, 0, 1, -1.8102789679686299e-7, 1e-4},
        {"kumaraswamy", variance, {16, 8}, 0, 0, -0.00038731781219173831, 1e-4},
        {"kumaraswamy", variance, {16, 8}, 0, 1, -1.888662648014841e-5, 1e-4},
        {"kumaraswamy", variance, {10, 1000}, 0, 0, -0.00013869840672678166, 1e-4},
        {"kumaraswamy", variance, {10, 1000}, 0, 1, -6.5493896178482713e-7, 1e-4},
        {"kumaraswamy", variance, {10000, 7}, 0, 0, -3.0205278518216786e-12, 1e-4},
        {"kumaraswamy", variance, {10000, 7}, 0, 1, 1.7649696206798527e-10, 1e-4},
        {"kumaraswamy", variance, {3, 2}, 0, 0, -0.010736151603498542, 1e-4},
        {"kumaraswamy", variance, {3, 2}, 0, 1, -0.0030056601667804458, 1e-4},
        {"kumaraswamy", mean, {1000000, 8}, 0, 0, 2.7178482287051019e-12, 0},
        {"kumaraswamy", mean, {1000000, 8}, 0, 1, -1.1751168841704636e-7, 0},
        {"kumaraswamy", mean, {250, 5}, 0, 0, 3.610908344359715e-5, 0},
        {"kumaraswamy", mean, {250, 5}, 0, 1, -0.0007184462362485693, 0},
        {"kumaraswamy", mean, {1000, 1000}, 0, 0, 7.4280233979816779e-6, 0},
        {"kumaraswamy", mean, {1000, 1000}, 0, 1, -9.9204668894584832e-7, 0},
        {"kumaraswamy", mean, {1000000, 1000000}, 0, 0, 1.4392517928877576e-11, 0},
        {"kumaraswamy", mean, {1000000, 1000000}, 0, 1, -9.9998510738453737e-13, 0},
        {"kumaraswamy", entropy, {10000000, 3000000}, 0, 0, -9.9999845086613218e-8, 0},
        {"kumaraswamy", entropy, {10000000, 3000000}, 0, 1, 2.2222233950616667e-14, 0},
        {"kumaraswamy", entropy, {2, 300000}, 0, 0, 2.7971887713014029, 0},
        {"kumaraswamy", entropy, {2, 300000}, 0, 1, -1.6666583333302469e-6, 0},
        {"kumaraswamy", entropy, {0.5, 0.25}, 0, 0, -0.60095147389893019, 0},
        {"kumaraswamy", entropy, {0.5, 0.25}, 0, 1, 10.802670845492889, 0},
    };
    CHECK_BOTH(rows);
}

TEST(a_von_mises_distribution_has_slopes_at_every_concentration)
{
    static const row rows[] = {
        {"von_mises", gb_log_prob, {0, 0.5}, 0x1.0000000000000p+0, 1, 0.29780269328733777, 0},
        {"von_mises", gb_log_prob, {0, 0.5}, 0x1.0000000000000p+0, 1 + TWICE, -0.45619471273655707, 0},
        {"von_mises", entropy, {0, 0.5}, 0, 1, -0.22809735636827854, 0},
        {"von_mises", entropy, {0, 0.5}, 0, 1 + TWICE, -0.37437218406157857, 3e-5},
        {"von_mises", gb_log_prob, {0, 3}, 0x1.bb67ae0000000p+0, 1, -0.97054180184725212, 0},
        {"von_mises", gb_log_prob, {0, 3}, 0x1.bb67ae0000000p+0, 1 + TWICE, -0.073928725588693442, 0},
        {"von_mises", entropy, {0, 3}, 0, 1, -0.22178617676608033, 0},
        {"von_mises", entropy, {0, 3}, 0, 1 + TWICE, 0.089291985181224185, 3e-5},
        {"von_mises", gb_log_prob, {0, 20}, 0x1.5775c60000000p-1, 1, -0.19135857197041749, 0},
        {"von_mises", gb_log_prob, {0, 20}, 0x1.5775c60000000p-1, 1 + TWICE, -0.0012838756553350688, 0},
        {"von_mises", entropy, {0, 20}, 0, 1, -0.025677513106701377, 0},
        {"von_mises", entropy, {0, 20}, 0, 1 + TWICE, 0.0013207040876212643, 3e-5},
        {"von_mises", gb_log_prob, {0, 31.5}, 0x1.11acee0000000p-1, 1, -0.12348480226767973, 0},
        {"von_mises", gb_log_prob, {0, 31.5}, 0x1.11acee0000000p-1, 1 + TWICE, -0.00051231214368535223, 0},
        {"von_mises", entropy, {0, 31.5}, 0, 1, -0.016137832526088595, 0},
        {"von_mises", entropy, {0, 31.5}, 0, 1 + TWICE, 0.00052115747624750885, 3e-5},
        {"von_mises", gb_log_prob, {0, 33}, 0x1.0b621e0000000p-1, 1, -0.11802253763616005, 0},
        {"von_mises", gb_log_prob, {0, 33}, 0x1.0b621e0000000p-1, 1 + TWICE, -0.00046643135264530016, 0},
        {"von_mises", entropy, {0, 33}, 0, 1, -0.015392234637294905, 0},
        {"von_mises", entropy, {0, 33}, 0, 1 + TWICE, 0.00047408742078523932, 3e-5},
        {"von_mises", gb_log_prob, {0, 10000}, 0x1.eb851e0000000p-6, 1, -0.00039996498077391415, 0},
        {"von_mises", gb_log_prob, {0, 10000}, 0x1.eb851e0000000p-6, 1 + TWICE, -5.0002500375078145e-9, 0},
        {"von_mises", entropy, {0, 10000}, 0, 1, -5.0002500375078145e-5, 0},
        {"von_mises", entropy, {0, 10000}, 0, 1 + TWICE, 5.0005001125312602e-9, 3e-5},
        {"von_mises", gb_log_prob, {0, 1000000}, 0x1.89374c0000000p-9, 1, -3.9999965782318668e-6, 0},
        {"von_mises", gb_log_prob, {0, 1000000}, 0x1.89374c0000000p-9, 1 + TWICE, -5.00000250000375e-13, 0},
        {"von_mises", entropy, {0, 1000000}, 0, 1, -5.00000250000375e-7, 0},
        {"von_mises", entropy, {0, 1000000}, 0, 1 + TWICE, 5.00000500001125e-13, 3e-5},
        {"von_mises", gb_log_prob, {0, 16777216}, 0x1.8000000000000p-11, 1, -2.3841856666706481e-7, 0},
        {"von_mises",
         gb_log_prob,
         {0, 16777216},
         0x1.8000000000000p-11,
         1 + TWICE,
         -1.7763568923398144e-15,
         0},
        {"von_mises", entropy, {0, 16777216}, 0, 1, -2.9802323275873812e-8, 0},
        {"von_mises", entropy, {0, 16777216}, 0, 1 + TWICE, 1.7763569452793831e-15, 3e-5},
        {"von_mises", gb_log_prob, {0, 100000000}, 0x1.3a92a40000000p-12, 1, -4.0000003924770656e-8, 0},
        {"von_mises",
         gb_log_prob,
         {0, 100000000},
         0x1.3a92a40000000p-12,
         1 + TWICE,
         -5.0000000250000004e-17,
         0},
        {"von_mises", entropy, {0, 100000000}, 0, 1, -5.0000000250000004e-9, 0},
        {"von_mises", entropy, {0, 100000000}, 0, 1 + TWICE, 5.0000000500000011e-17, 3e-5},
        {"von_mises", gb_log_prob, {0, 999999995904}, 0x1.92a7380000000p-19, 1, -4.0000003162862032e-12, 0},
        {"von_mises",
         gb_log_prob,
         {0, 999999995904},
         0x1.92a7380000000p-19,
         1 + TWICE,
         -5.0000000409625003e-25,
         0},
        {"von_mises", entropy, {0, 999999995904}, 0, 1, -5.0000000204825001e-13, 0},
        {"von_mises", entropy, {0, 999999995904}, 0, 1 + TWICE, 5.0000000409650003e-25, 3e-5},
    };
    CHECK_BOTH(rows);
}

/* Rounded to float, π lies beyond the end of the circle. */
TEST(an_angle_of_pi_is_on_the_circle_in_floats)
{
    static const row rows[] = {
        {"von_mises", gb_cdf, {0, 0.5}, 1, 0, -0.10530158149281555, 0},
        {"von_mises", gb_cdf, {0, 0.5}, -2, 0, -0.030771446721866744, 0},
        {"von_mises", gb_cdf, {0, 2}, 0.5, 0, -0.39440376243733165, 0},
    };
    CHECK_BOTH(rows);
}

/* The number of failures, where it is lost beside that of successes. */
TEST(few_failures_are_kept_beside_many_successes)
{
    static const row rows[] = {
        {"negative_binomial logits", gb_log_prob, {0.375, 16.0}, 4000000.0, VALUE, -16.814342801744521, 0},
        {"negative_binomial logits", gb_log_prob, {0.375, 16.0}, 4000000.0, 0, 1.955803824444138, 0},
        {"negative_binomial logits", gb_log_prob, {0.375, 16.0}, 4000000.0, 1, 0.075140690421065733, 0},
        {"negative_binomial logits", gb_log_prob, {0.375, 10.0}, 100000.0, VALUE, -16.3485605160262, 0},
        {"negative_binomial logits", gb_log_prob, {0.375, 10.0}, 100000.0, 0, 4.2668778652195366, 0},
        {"negative_binomial logits", gb_log_prob, {0.375, 10.0}, 100000.0, 1, 4.1648038944442029, 0},
        {"negative_binomial logits", gb_log_prob, {0.25, 17.0}, 20000000.0, VALUE, -18.97444218999207, 0},
        {"negative_binomial logits", gb_log_prob, {0.25, 17.0}, 20000000.0, 0, 4.0386963109951542, 0},
        {"negative_binomial logits", gb_log_prob, {0.25, 17.0}, 20000000.0, 1, 0.57798751982870999, 0},
        {"negative_binomial logits",
         gb_log_prob,
         {0.0078125, 14.0},
         1000000.0,
         VALUE,
         -19.496051041367646,
         0},
        {"negative_binomial logits", gb_log_prob, {0.0078125, 14.0}, 1000000.0, 0, 128.37994670722505, 0},
        {"negative_binomial logits", gb_log_prob, {0.0078125, 14.0}, 1000000.0, 1, 0.82371553416044486, 0},
        {"negative_binomial logits", gb_log_prob, {0.0078125, 7.0}, 1000.0, VALUE, -12.667524167720948, 0},
        {"negative_binomial logits", gb_log_prob, {0.0078125, 7.0}, 1000.0, 0, 128.47078901854877, 0},
        {"negative_binomial logits", gb_log_prob, {0.0078125, 7.0}, 1000.0, 1, 0.90324581198810161, 0},
        {"negative_binomial logits",
         gb_log_prob,
         {9.094947017729282e-13, 40.0},
         1.1805916207174113e+21,
         VALUE,
         -5091.8176254979937,
         0},
        {"negative_binomial logits",
         gb_log_prob,
         {9.094947017729282e-13, 40.0},
         1.1805916207174113e+21,
         0,
         1099511627785.0975,
         0},
        {"negative_binomial logits",
         gb_log_prob,
         {9.094947017729282e-13, 40.0},
         1.1805916207174113e+21,
         1,
         5015.5714356364071,
         0},
        {"negative_binomial logits",
         gb_log_prob,
         {1099511627776.0, -30.0},
         3.0,
         VALUE,
         -8.7169859546580008,
         0},
        {"negative_binomial logits",
         gb_log_prob,
         {1099511627776.0, -30.0},
         3.0,
         0,
         2.6349078756279058e-12,
         0},
        {"negative_binomial logits", gb_log_prob, {1099511627776.0, -30.0}, 3.0, 1, 2.8971118473738934, 0},
        {"negative_binomial logits", gb_log_prob, {0.5, 0.0}, 3.0, VALUE, -3.5891659417654894, 0},
        {"negative_binomial logits", gb_log_prob, {0.5, 0.0}, 3.0, 0, 2.3735194861067214, 0},
        {"negative_binomial logits", gb_log_prob, {0.5, 0.0}, 3.0, 1, 1.25, 0},
    };
    CHECK_BOTH(rows);
}

/* A slope of small differences: of locations, of concentrations near 0, of large parameters. */
TEST(slopes_in_locations_and_small_concentrations_do_not_cancel)
{
    static const divergence rows[] = {
        {"laplace", {7.450580596923828e-09, 1.0}, {0.0, 1.0}, DIVERGENCE, 2.7755575546697196e-17, 0},
        {"laplace", {7.450580596923828e-09, 1.0}, {0.0, 1.0}, 0, 7.4505805691682526e-9, 0},
        {"laplace", {7.450580596923828e-09, 1.0}, {0.0, 1.0}, OF_P + 0, -7.4505805691682526e-9, 0},
        {"laplace", {1.0, 2.0}, {1.0000009536743164, 3.0}, DIVERGENCE, 0.07213177477490684, 0},
        {"laplace", {1.0, 2.0}, {1.0000009536743164, 3.0}, 0, -1.5894568150543512e-7, 0},
        {"laplace", {1.0, 2.0}, {1.0000009536743164, 3.0}, 1, -0.16666666666670456, 0},
        {"laplace", {1.0, 2.0}, {1.0000009536743164, 3.0}, OF_P + 0, 1.5894568150543512e-7, 0},
        {"laplace", {1.0, 2.0}, {1.0000009536743164, 3.0}, OF_P + 1, 0.11111111111108585, 0},
        {"laplace", {0.0, 2.0}, {-0.0001220703125, 2.0}, DIVERGENCE, 1.8626072541966173e-9, 0},
        {"laplace", {0.0, 2.0}, {-0.0001220703125, 2.0}, 0, 3.0516646821372902e-5, 0},
        {"laplace", {0.0, 2.0}, {-0.0001220703125, 2.0}, OF_P + 0, -3.0516646821372902e-5, 0},
        {"laplace", {10000000000.0, 2.0}, {0.0, 3.0}, DIVERGENCE, 3333333332.7387984, 0},
        {"laplace", {10000000000.0, 2.0}, {0.0, 3.0}, 0, 0.33333333333333333, 0},
        {"laplace", {10000000000.0, 2.0}, {0.0, 3.0}, 1, -0.5, 0},
        {"laplace", {10000000000.0, 2.0}, {0.0, 3.0}, OF_P + 0, -0.33333333333333333, 0},
        {"laplace", {10000000000.0, 2.0}, {0.0, 3.0}, OF_P + 1, -1111111110.7777778, 0},
        {"laplace", {3.0, 2.0}, {0.0, 0.5}, DIVERGENCE, 4.5062262794738287, 0},
        {"laplace", {3.0, 2.0}, {0.0, 0.5}, 0, 1.5537396797031403, 0},
        {"laplace", {3.0, 2.0}, {0.0, 0.5}, 1, 0.61565080074214914, 0},
        {"laplace", {3.0, 2.0}, {0.0, 0.5}, OF_P + 0, -1.5537396797031403, 0},
        {"laplace", {3.0, 2.0}, {0.0, 0.5}, OF_P + 1, -11.785041281187439, 0},
        {"von_mises",
         {0.0, 9.5367431640625e-07},
         {0.0, 1.9073486328125e-06},
         OF_P + 1,
         4.7683715820274553e-7,
         0},
        {"von_mises",
         {0.0, 9.313225746154785e-10},
         {0.0, 1.862645149230957e-09},
         OF_P + 1,
         4.6566128730773926e-10,
         0},
        {"von_mises", {0.0, 0.5}, {0.0, 0.75}, OF_P + 1, 0.10838730063275987, 0},
        {"von_mises", {0.0, 9.5367431640625e-07}, {0.0, 2.0}, OF_P + 1, 0.69777418112684978, 0},
    };
    check_divergences(sizeof rows / sizeof *rows, rows, GB_DOUBLE);
    check_divergences(sizeof rows / sizeof *rows, rows, GB_FLOAT);
}

TEST(entropies_and_moments_have_small_slopes)
{
    static const row rows[] = {
        {"von_mises", entropy, {0, 9.5367431640625e-07}, 0, 1, -4.7683715820296237e-7, 0},
        {"von_mises", entropy, {0, 9.313225746154785e-10}, 0, 1, -4.6566128730773926e-10, 0},
        {"von_mises", entropy, {0, 0.0009765625}, 0, 1, -0.00048828107537706352, 0},
        {"von_mises", entropy, {0, 0.25}, 0, 1, -0.12212042068256933, 0},
        {"beta", mean, {1000000.0, 0.5}, 0, 0, 4.99999500000375e-13, 0},
        {"beta", mean, {1000000.0, 0.5}, 0, 1, -9.9999900000075e-7, 0},
        {"beta", variance, {1000000.0, 0.5}, 0, 0, -9.9999625000899998e-19, 0},
        {"beta", variance, {1000000.0, 0.5}, 0, 1, 9.9999600000949998e-13, 0},
        {"beta", mean, {1000000.0, 0.5}, 0, 0 + TWICE, -9.999985000015e-19, 3e-5},
        {"beta", mean, {0.5, 1000000.0}, 0, 0, 9.9999900000075e-7, 0},
        {"beta", mean, {0.5, 1000000.0}, 0, 1, -4.99999500000375e-13, 0},
        {"beta", variance, {0.5, 1000000.0}, 0, 0, 9.9999600000949998e-13, 0},
        {"beta", variance, {0.5, 1000000.0}, 0, 1, -9.9999625000899998e-19, 0},
        {"beta", mean, {0.5, 1000000.0}, 0, 0 + TWICE, -1.999997000003e-12, 3e-5},
        {"beta", mean, {1099511627776.0, 3.0}, 0, 0, 2.4815418376455413e-24, 0},
        {"beta", mean, {1099511627776.0, 3.0}, 0, 1, -9.0949470176796515e-13, 0},
        {"beta", variance, {1099511627776.0, 3.0}, 0, 0, -4.5138983070960035e-36, 0},
        {"beta", variance, {1099511627776.0, 3.0}, 0, 1, 8.2718061253873366e-25, 0},
        {"beta", mean, {1099511627776.0, 3.0}, 0, 0 + TWICE, -4.5138983071206357e-36, 3e-5},
        {"student_t", variance, {1048576.0, 0, 1}, 0, 0, -1.8189963424596128e-12, 0},
        {"pareto", mean, {1, 1048576.0}, 0, 1, -9.0949643649888576e-13, 0},
        {"student_t", variance, {1073741824.0, 0, 1}, 0, 0, -1.7347234824391556e-18, 0},
        {"pareto", mean, {1, 1073741824.0}, 0, 1, -8.6736173960399068e-19, 0},
        {"student_t", variance, {7.205759403792794e+16, 0, 1}, 0, 0, -3.8518598887744719e-34, 0},
        {"pareto", mean, {1, 7.205759403792794e+16}, 0, 1, -1.9259299443872359e-34, 0},
        {"student_t", variance, {2.5, 0, 1}, 0, 0, -8.0, 0},
        {"pareto", mean, {1, 2.5}, 0, 1, -0.44444444444444444, 0},
    };
    CHECK_BOTH(rows);
}

/* Where the square of the distance overflows, but its inverse times the distance is a number. */
TEST(distribution_functions_have_slopes_far_out)
{
    static const row rows[] = {
        {"cauchy", gb_cdf, {0, 1}, -1.1805916207174113e+21, 1, 2.6961896103443711e-22, 0},
        {"cauchy", gb_survival, {0, 1}, -1.1805916207174113e+21, 1, -2.6961896103443711e-22, 0},
        {"cauchy", gb_cdf, {0, 1}, 1.1805916207174113e+21, 1, -2.6961896103443711e-22, 0},
        {"cauchy", gb_survival, {0, 1}, 1.1805916207174113e+21, 1, 2.6961896103443711e-22, 0},
        {"half_cauchy", gb_cdf, {1}, 1.1805916207174113e+21, 0, -5.3923792206887422e-22, 0},
        {"half_cauchy", gb_survival, {1}, 1.1805916207174113e+21, 0, 5.3923792206887422e-22, 0},
        {"inverse_gamma", gb_survival, {0.0625, 29.0}, 1.9342813113834067e+25, X, -1.083093291761378e-28, 0},
        {"inverse_gamma", gb_cdf, {0.0625, 29.0}, 1.9342813113834067e+25, 1, -7.2241624577198929e-5, 0},
    };
    static const row double_rows[] = {
        {"cauchy", gb_cdf, {0, 1}, -3.599131035634557e+162, 1, 8.8440760570327487e-164, 0},
        {"cauchy", gb_survival, {0, 1}, -3.599131035634557e+162, 1, -8.8440760570327487e-164, 0},
        {"cauchy", gb_cdf, {0, 1}, 3.599131035634557e+162, 1, -8.8440760570327487e-164, 0},
        {"cauchy", gb_survival, {0, 1}, 3.599131035634557e+162, 1, 8.8440760570327487e-164, 0},
        {"half_cauchy", gb_cdf, {1}, 3.599131035634557e+162, 0, -1.7688152114065497e-163, 0},
        {"half_cauchy", gb_survival, {1}, 3.599131035634557e+162, 0, 1.7688152114065497e-163, 0},
        {"inverse_gamma",
         gb_survival,
         {0.0009765625, 2.0},
         1.077275832637107e+214,
         X,
         -5.609131508692414e-218,
         0},
        {"inverse_gamma", gb_cdf, {0.0009765625, 2.0}, 1.077275832637107e+214, 1, -0.00030212909081988259, 0},
    };
    CHECK_BOTH(rows);
    CHECK_ROWS(double_rows, GB_DOUBLE);
}

TEST(a_student_with_few_degrees_of_freedom_has_slopes)
{
    static const row rows[] = {
        {"student_t", gb_log_prob, {0.0001220703125, 0, 1.0}, 1073741824.0, VALUE, -30.501648914495513, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 1.0}, 1073741824.0, 0, 8166.5070811143775, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 1.0}, 1073741824.0, 1, 9.3143626145320013e-10, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 1.0}, 1073741824.0, 2, 0.0001220703125, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 1.0}, 1073741824.0, X, -9.3143626145320013e-10, 0},
        {"student_t",
         gb_log_prob,
         {0.0001220703125, 0, 1.0},
         1073741824.0,
         2 + TWICE,
         -0.00012207031250000004,
         1e-4},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 2.0}, -3.0, VALUE, -10.803384030141091, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 2.0}, -3.0, 0, 8186.6737670052539, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 2.0}, -3.0, 1, -0.33335593772039277, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 2.0}, -3.0, 2, 3.3906580589160744e-5, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 2.0}, -3.0, X, 0.33335593772039277, 0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 2.0}, -3.0, 2 + TWICE, -4.4080394215840562e-5, 1e-4},
        {"student_t", gb_log_prob, {9.5367431640625e-07, 0, 1.0}, 0.25, VALUE, -13.169810009312159, 0},
        {"student_t", gb_log_prob, {9.5367431640625e-07, 0, 1.0}, 0.25, 0, 1048562.2617829692, 0},
        {"student_t", gb_log_prob, {9.5367431640625e-07, 0, 1.0}, 0.25, 1, 3.9999427804141172, 0},
        {"student_t", gb_log_prob, {9.5367431640625e-07, 0, 1.0}, 0.25, 2, -1.4304896470695943e-5, 0},
        {"student_t", gb_log_prob, {9.5367431640625e-07, 0, 1.0}, 0.25, X, -3.9999427804141172, 0},
        {"student_t",
         gb_log_prob,
         {9.5367431640625e-07, 0, 1.0},
         0.25,
         2 + TWICE,
         -1.6211779455987605e-5,
         1e-4},
        {"student_t",
         gb_log_prob,
         {0.0001220703125, 0, 2.0},
         1.2676506002282294e+30,
         VALUE,
         -79.027789829504506,
         0},
        {"student_t",
         gb_log_prob,
         {0.0001220703125, 0, 2.0},
         1.2676506002282294e+30,
         0,
         8118.6799256557413,
         0},
        {"student_t",
         gb_log_prob,
         {0.0001220703125, 0, 2.0},
         1.2676506002282294e+30,
         1,
         7.8895720171823117e-31,
         0},
        {"student_t", gb_log_prob, {0.0001220703125, 0, 2.0}, 1.2676506002282294e+30, 2, 6.103515625e-5, 0},
        {"student_t",
         gb_log_prob,
         {0.0001220703125, 0, 2.0},
         1.2676506002282294e+30,
         X,
         -7.8895720171823117e-31,
         0},
        {"student_t",
         gb_log_prob,
         {0.0001220703125, 0, 2.0},
         1.2676506002282294e+30,
         2 + TWICE,
         -3.0517578125000023e-5,
         1e-4},
        {"student_t", gb_log_prob, {5.0, 0, 2.0}, 7.0, VALUE, -5.3768894627444746, 0},
        {"student_t", gb_log_prob, {5.0, 0, 2.0}, 7.0, 0, -0.18328631177328309, 0},
        {"student_t", gb_log_prob, {5.0, 0, 2.0}, 7.0, 1, 0.60869565217391304, 0},
        {"student_t", gb_log_prob, {5.0, 0, 2.0}, 7.0, 2, 1.6304347826086957, 0},
        {"student_t", gb_log_prob, {5.0, 0, 2.0}, 7.0, X, -0.60869565217391304, 0},
        {"student_t", gb_log_prob, {5.0, 0, 2.0}, 7.0, 2 + TWICE, -1.4327347195967234, 1e-4},
    };
    CHECK_BOTH(rows);
}

TEST(a_narrow_interval_has_slopes_in_its_scale)
{
    static const row rows[] = {
        {"truncated_normal", entropy, {-0.5, 16.0, -2.5, -2.375}, 0, 1, 9.3235164540762966e-9, 0},
        {"truncated_normal", variance, {-0.5, 16.0, -2.5, -2.375}, 0, 1, 3.4570337962824391e-10, 0},
        {"truncated_normal", entropy, {0.0, 1000.0, -1.0, 2.0}, 0, 1, 5.9999961428573357e-16, 0},
        {"truncated_normal", variance, {0.0, 1000.0, -1.0, 2.0}, 0, 1, 4.5000024107097295e-10, 0},
        {"truncated_normal", entropy, {1.0, 64.0, 0.0, 1.0}, 0, 1, 4.1391151975603132e-11, 0},
        {"truncated_normal", variance, {1.0, 64.0, 0.0, 1.0}, 0, 1, 2.1196519770620074e-8, 0},
        {"truncated_normal", entropy, {0.0, 4.0, 0.25, 0.5}, 0, 1, 1.4405456746019195e-6, 0},
        {"truncated_normal", variance, {0.0, 4.0, 0.25, 0.5}, 0, 1, 3.4798834557968762e-7, 0},
        {"truncated_normal", entropy, {0.0, 1.0, -0.125, 0.125}, 0, 1, 1.0834522427875891e-5, 0},
        {"truncated_normal", variance, {0.0, 1.0, -0.125, 0.125}, 0, 1, 2.1669044855751781e-5, 0},
        {"truncated_normal", entropy, {-3.0, 2.0, 1.0, 1.0625}, 0, 1, 0.00033053043402249485, 0},
        {"truncated_normal", variance, {-3.0, 2.0, 1.0, 1.0625}, 0, 1, 1.3968862451266329e-7, 0},
        {"truncated_normal", entropy, {0.0, 1.0, 0.0, 0.5}, 0, 1, 0.0027100703066822453, 0},
        {"truncated_normal", variance, {0.0, 1.0, 0.0, 0.5}, 0, 1, 0.00040787368453971414, 0},
    };
    CHECK_BOTH(rows);
}
