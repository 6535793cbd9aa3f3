/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every transform: its inverse, its Jacobian against determinants of derivatives, where its values lie. */
#include "support/close.h"

#include <gsl/gsl_linalg.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST = 40 };

/* One of each, by name, with the number of elements of an event of x. */
static gb_transform make(gb_tape *t, const char *name, int64_t *numbers)
{
    static const int64_t order[] = {2, 0, 3, 1};
    const gb_node a = gb_num(t, -0.7), b = gb_num(t, 1.9);
    *numbers = 1;
    if (strcmp(name, "affine") == 0)
        return gb_affine_transform(b, a);
    if (strcmp(name, "exp") == 0)
        return gb_exponential_transform(t);
    if (strcmp(name, "softplus") == 0)
        return gb_softplus_transform(t);
    if (strcmp(name, "sigmoid") == 0)
        return gb_sigmoid_transform(t);
    if (strcmp(name, "tanh") == 0)
        return gb_tanh_transform(t);
    if (strcmp(name, "interval") == 0)
        return gb_interval_transform(a, b);
    *numbers = 4;
    if (strcmp(name, "ordered") == 0)
        return gb_ordered_transform(t);
    if (strcmp(name, "positive_ordered") == 0)
        return gb_positive_ordered_transform(t);
    if (strcmp(name, "stick_breaking") == 0)
        return gb_stick_breaking_transform(t);
    if (strcmp(name, "centred_softmax") == 0)
        return gb_centred_softmax_transform(t);
    if (strcmp(name, "permutation") == 0)
        return gb_permutation_transform(t, 4, order);
    if (strcmp(name, "composed") == 0) /* events grow from numbers to vectors */
        return gb_composed_transform(gb_stick_breaking_transform(t), gb_affine_transform(b, a));
    if (strcmp(name, "inverted") == 0)
        return gb_inverted_transform(gb_ordered_transform(t));
    *numbers = 6;
    if (strcmp(name, "reshaped") == 0)
        return gb_reshaped_transform(t, gb_shape(2, 3));
    if (strcmp(name, "covariance_cholesky") == 0)
        return gb_covariance_cholesky_transform(t);
    if (strcmp(name, "correlation_cholesky") == 0)
        return gb_correlation_cholesky_transform(t);
    if (strcmp(name, "covariance") == 0)
        return gb_covariance_transform(t);
    if (strcmp(name, "correlation") == 0)
        return gb_correlation_transform(t);
    fail_msg("the test does not know how to make %s", name);
    return (gb_transform){0};
}

/* x is increasing, so that the inverse of `ordered` takes it too. */
static gb_node variable_x(gb_tape *t, int64_t numbers, double spread)
{
    double values[MOST] = {0};
    for (int64_t i = 0; i < numbers; i++)
        values[i] = spread * ((double)i - 1.3 + 0.1 * (double)(i * i % 3));
    return gb_variable(t, "x", numbers == 1 ? gb_shape(1) : gb_shape(1, numbers),
                       gb_values_of(values, (size_t)numbers));
}

static void the_inverse_comes_back(const char *name, double spread)
{
    double x_was[MOST], x_is[MOST];
    int64_t numbers;
    gb_tape *const t = test_tape();
    const gb_transform map = make(t, name, &numbers);
    const gb_node x = variable_x(t, numbers, spread), y = gb_transform_forward(map, x);
    const gb_node back = gb_transform_inverse(map, y);
    assert_true(gb_shape_same(gb_node_shape(y), gb_transform_shape(map, gb_node_shape(x))));
    assert_true(gb_shape_same(gb_node_shape(x), gb_transform_inverse_shape(map, gb_node_shape(y))));
    gb_read(x, x_was, (size_t)numbers);
    assert_int_equal(gb_read(back, x_is, (size_t)numbers), GB_OK);
    for (int64_t i = 0; i < numbers; i++)
        if (fabs(x_is[i] - x_was[i]) > 1e-12 * (1 + fabs(x_was[i])))
            fail_msg("%s: %.17g comes back as %.17g", name, x_was[i], x_is[i]);
}

/* There and back is the identity, so its slope is 1, at 0 too. */
static void there_and_back_has_slope_1(const char *name, double spread)
{
    double slope[MOST];
    int64_t numbers;
    gb_tape *const t = test_tape();
    const gb_transform map = make(t, name, &numbers);
    const gb_node x = variable_x(t, numbers, spread);
    const gb_node back = gb_transform_inverse(map, gb_transform_forward(map, x));
    assert_int_equal(gb_read(gb_grad(gb_sum(back), x), slope, (size_t)numbers), GB_OK);
    for (int64_t i = 0; i < numbers; i++)
        if (!(fabs(slope[i] - 1) <= 1e-12))
            fail_msg("%s, %g: slope %lld is %.17g", name, spread, (long long)i, slope[i]);
}

/* Which elements of y are free to move: as many as x has. */
static bool is_free(const char *name, int64_t element, int64_t numbers)
{
    const int64_t row = element / 3, column = element % 3;
    if (strcmp(name, "covariance_cholesky") == 0 || strcmp(name, "covariance") == 0)
        return column <= row;
    if (strcmp(name, "correlation_cholesky") == 0 || strcmp(name, "correlation") == 0)
        return element / 4 > element % 4;
    return element < numbers;
}

/* log |det dy/dx| from the derivatives of the single elements. */
static double numeric_log_jacobian(const char *name, gb_node x, gb_node y, int64_t numbers)
{
    const size_t count = gb_shape_count(gb_node_shape(y));
    const gb_node flat = gb_reshape(y, gb_shape((int64_t)count));
    gsl_matrix *const jacobian = gsl_matrix_alloc((size_t)numbers, (size_t)numbers);
    gsl_permutation *const p = gsl_permutation_alloc((size_t)numbers);
    double row[MOST];
    size_t next = 0;
    int sign;
    for (size_t i = 0; i < count; i++) {
        if (!is_free(name, (int64_t)i, numbers))
            continue;
        const gb_node element = gb_sum(gb_slice(flat, 0, (int64_t)i, (int64_t)i + 1));
        assert_int_equal(gb_read(gb_grad(element, x), row, (size_t)numbers), GB_OK);
        for (size_t j = 0; j < (size_t)numbers; j++)
            gsl_matrix_set(jacobian, next, j, row[j]);
        next++;
    }
    assert_int_equal(next, numbers);
    gsl_linalg_LU_decomp(jacobian, p, &sign);
    const double log_det = gsl_linalg_LU_lndet(jacobian);
    gsl_permutation_free(p);
    gsl_matrix_free(jacobian);
    return log_det;
}

static void the_jacobian_is_the_determinant(const char *name)
{
    int64_t numbers;
    gb_tape *const t = test_tape();
    const gb_transform map = make(t, name, &numbers);
    const gb_node x = variable_x(t, numbers, 0.6), y = gb_transform_forward(map, x);
    const gb_node log_jacobian = gb_sum(gb_transform_log_jacobian(map, x, y));
    double should = numeric_log_jacobian(name, x, y, numbers);
    assert_fine(t);
    if (fabs(gb_value(log_jacobian) - should) > 1e-10)
        fail_msg("%s: log |det dy/dx| is %.17g, not %.17g", name, gb_value(log_jacobian), should);
}

static void values_lie_in_the_domain(const char *name, double spread)
{
    int64_t numbers;
    gb_tape *const t = test_tape();
    const gb_transform map = make(t, name, &numbers);
    const gb_node y = gb_transform_forward(map, variable_x(t, numbers, spread));
    const gb_node outside = gb_domain_outside(gb_transform_to(map), y);
    assert_false(gb_node_ok(outside) && gb_value(gb_sum(gb_to_real(outside))) != 0);
    assert_fine(t);
}

/* There and back has the slope 1, also where a formula may have its kink: at 0. */
static void the_inverse_has_the_inverse_slope(const char *name, double spread)
{
    int64_t numbers;
    double slope[MOST];
    gb_tape *const t = test_tape();
    const gb_transform map = make(t, name, &numbers);
    const gb_node x = variable_x(t, numbers, spread);
    const gb_node back = gb_transform_inverse(map, gb_transform_forward(map, x));
    assert_int_equal(gb_read(gb_grad(gb_sum(back), x), slope, (size_t)numbers), GB_OK);
    for (int64_t i = 0; i < numbers; i++)
        if (!(fabs(slope[i] - 1) <= 1e-12))
            fail_msg("%s: there and back has the slope %.17g in x[%d]", name, slope[i], (int)i);
}

/* A product of a factor with itself has half of its digits. */
static bool is_product(const char *name)
{
    return strcmp(name, "covariance") == 0 || strcmp(name, "correlation") == 0;
}

TEST(every_transform_conforms)
{
    size_t count;
    const gb_transform_type *const *const all = gb_transforms(&count);
    assert_true(count >= 14);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(gb_transform_find(all[i]->name), all[i]);
        the_inverse_comes_back(all[i]->name, 0.6);
        the_inverse_comes_back(all[i]->name, is_product(all[i]->name) ? 0.3 : 3);
        if (strcmp(all[i]->name, "inverted") != 0) /* zeros do not ascend */
            the_inverse_has_the_inverse_slope(all[i]->name, 0);
        the_inverse_has_the_inverse_slope(all[i]->name, 0.6);
        the_jacobian_is_the_determinant(all[i]->name);
        there_and_back_has_slope_1(all[i]->name, 0.6);
        if (strcmp(all[i]->name, "inverted") != 0) /* of pairs in order */
            there_and_back_has_slope_1(all[i]->name, 0);
        values_lie_in_the_domain(all[i]->name, 0.6);
        values_lie_in_the_domain(all[i]->name, is_product(all[i]->name) ? 1 : 5);
    }
}

static bool is_member(const gb_domain *domain, gb_node x)
{
    return gb_value(gb_to_real(gb_domain_outside(domain, x))) == 0;
}

TEST(domains_of_vectors_and_matrices_hold_their_members_alone)
{
    static const struct {
        double diagonal, below, above;
        bool is_covariance, is_correlation;
    } rows[] = {{1, 0.5, 0.5, true, true},     {1, -0.99, -0.99, true, true}, {2, 0.5, 0.5, true, false},
                {1, 1.25, 1.25, false, false}, {1, 0.5, 0.25, false, false},  {-1, 0, 0, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gb_node x =
            gb_constant(t, gb_shape(2, 2), GB_VALUES(1, rows[i].above, rows[i].below, rows[i].diagonal));
        assert_int_equal(is_member(GB_POSITIVE_DEFINITE, x), rows[i].is_covariance);
        assert_int_equal(is_member(GB_CORRELATION, x), rows[i].is_correlation);
    }
    assert_true(is_member(GB_POSITIVE_ORDERED, gb_constant(t, gb_shape(3), GB_VALUES(0.1, 0.2, 3))));
    assert_false(is_member(GB_POSITIVE_ORDERED, gb_constant(t, gb_shape(3), GB_VALUES(-0.1, 0.2, 3))));
    assert_false(is_member(GB_POSITIVE_ORDERED, gb_constant(t, gb_shape(3), GB_VALUES(0.1, 0.3, 0.2))));
    assert_fine(t);
}

TEST(far_out_the_maps_stay_finite)
{
    static const char *const names[] = {
        "exp",        "softplus",       "sigmoid",         "tanh",
        "interval",   "stick_breaking", "centred_softmax", "correlation_cholesky",
        "correlation"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t numbers;
        gb_tape *const tape = test_tape();
        const gb_transform map = make(tape, names[i], &numbers);
        const gb_node x = variable_x(tape, numbers, 200), y = gb_transform_forward(map, x);
        assert_true(isfinite(gb_value(gb_sum(y))));
        assert_true(isfinite(gb_value(gb_sum(gb_transform_log_jacobian(map, x, y)))));
    }
}

TEST(the_simplex_is_reached_by_the_middle)
{
    const gb_node zero = gb_zeros(t, gb_shape(3));
    assert_values(gb_transform_forward(gb_stick_breaking_transform(t), zero), 0.25, 0.25, 0.25, 0.25);
    assert_values(gb_transform_forward(gb_centred_softmax_transform(t), zero), 0.25, 0.25, 0.25, 0.25);
}

/* A normal through exp is the lognormal; a vector of them through an ordered map has its own Jacobian. */
TEST(a_transformed_distribution_changes_its_density_once)
{
    const gb_node zeros = gb_zeros(t, gb_shape(3)), y = gb_constant(t, gb_shape(3), GB_VALUES(0.5, 1, 4));
    const gb_dist each = gb_transformed(gb_normal(zeros, gb_num(t, 1)), gb_exponential_transform(t));
    const gb_node base = gb_log_prob(gb_normal(zeros, gb_num(t, 1)), gb_log(y));
    assert_values(gb_sub(gb_log_prob(each, y), base), -log(0.5), 0, -log(4));
    const gb_dist whole = gb_transformed(gb_normal(zeros, gb_num(t, 1)), gb_ordered_transform(t));
    assert_true(gb_shape_same(gb_dist_batch_shape(whole), gb_shape()));
    assert_true(gb_shape_same(gb_dist_event_shape(whole), gb_shape(3)));
    const double x[] = {0.5, log(0.5), log(3)}, half_log_two_pi = 0.91893853320467274178;
    double should = -3 * half_log_two_pi;
    for (int i = 0; i < 3; i++)
        should -= x[i] * x[i] / 2 + (i > 0 ? x[i] : 0);
    assert_close(gb_value(gb_log_prob(whole, y)), should, 16);
    const gb_node falling = gb_constant(t, gb_shape(3), GB_VALUES(0.5, 4, 1));
    assert_true(gb_value(gb_log_prob(whole, falling)) == -INFINITY);
}

static void assert_batch_of_three(gb_dist d, const char *draws_of)
{
    gb_tape *const t = d.tape;
    double draws[3];
    assert_true(gb_shape_same(gb_dist_batch_shape(d), gb_shape(3)));
    assert_true(gb_shape_same(gb_dist_shape(d), gb_shape(3)));
    assert_true(gb_shape_same(gb_node_shape(gb_log_prob(d, gb_num(t, 0.5))), gb_shape(3)));
    const gb_node draw = gb_transform_inverse(*d.transform, gb_sample(d, gb_stream(t, draws_of), 0));
    gb_read(draw, draws, 3);
    assert_fine(t);
    assert_true(draws[0] != draws[1] && draws[1] != draws[2]);
}

/* Parameters of a transform are those of a distribution: what broadcasts is drawn for each. */
TEST(the_parameters_of_a_transform_widen_the_batch)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1),
                  three = gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3));
    const gb_dist normal = gb_normal(zero, one),
                  affine = gb_transformed(normal, gb_affine_transform(three, three));
    const gb_transform interval = gb_interval_transform(zero, three);
    const gb_dist moved = gb_dist_expand(gb_transformed(normal, gb_exponential_transform(t)), gb_shape(3));
    assert_batch_of_three(affine, "a");
    assert_values(gb_dist_mean(affine), 1, 2, 3);
    assert_values(gb_sub(gb_dist_entropy(affine), gb_dist_entropy(normal)), 0, log(2), log(3));
    assert_values(gb_icdf(affine, gb_num(t, 0.5)), 1, 2, 3);
    assert_batch_of_three(gb_transformed(normal, interval), "b");
    assert_batch_of_three(
        gb_transformed(normal, gb_composed_transform(gb_exponential_transform(t), interval)), "f");
    assert_batch_of_three(gb_transformed(normal, gb_composed_transform(interval, gb_tanh_transform(t))), "c");
    assert_batch_of_three(gb_transformed(affine, gb_exponential_transform(t)), "d");
    assert_batch_of_three(moved, "e");
    const gb_dist vector = gb_independent(gb_normal(three, one), 1);
    const gb_dist two = gb_transformed(vector, gb_affine_transform(gb_zeros(t, gb_shape(2, 3)), one));
    assert_true(gb_shape_same(gb_dist_batch_shape(two), gb_shape(2)));
    assert_true(gb_shape_same(gb_dist_event_shape(two), gb_shape(3)));
    assert_fine(t);
    gb_transformed(gb_independent(gb_normal(gb_zeros(t, gb_shape(1)), one), 1),
                   gb_affine_transform(three, one));
    assert_rejected(t, GB_ESHAPE, "transformed: affine does not take draws of shape (1)");
    gb_dist_expand(affine, gb_shape(2));
    assert_rejected(t, GB_ESHAPE, "transformed: a batch of shape (3) does not expand to (2)");
}

TEST(a_mixture_broadcasts_its_parameters)
{
    const gb_node logits = gb_constant(t, gb_shape(2, 3), GB_VALUES(9, -90, -90, -90, -90, 9)),
                  loc = gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3));
    const gb_dist d = gb_mixture(logits, gb_normal(loc, gb_num(t, 0.001)));
    assert_true(gb_shape_same(gb_dist_batch_shape(d), gb_shape(2)));
    assert_values(gb_dist_mean(d), 1, 3);
    const gb_node draw = gb_sample(d, gb_stream(t, "draw"), 0);
    assert_values(gb_floor(gb_shift(draw, 0.5)), 1, 3);
    assert_true(isfinite(gb_value(gb_sum(gb_log_prob(d, draw)))));
    assert_fine(t);
}

/* Where the density is 0, its logarithm and that of the slope are both infinite. */
TEST(at_the_ends_of_an_image_there_is_no_density)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), two = gb_zeros(t, gb_shape(2));
    const gb_dist normal = gb_normal(zero, one), pair = gb_normal(two, one);
    const gb_node ends = gb_constant(t, gb_shape(3), GB_VALUES(-1, 3, NAN));
    const gb_transform interval = gb_interval_transform(gb_num(t, -1), gb_num(t, 3));
    assert_values(gb_log_prob(gb_transformed(normal, interval), ends), -INFINITY, -INFINITY, NAN);
    const gb_transform ray =
        gb_composed_transform(gb_affine_transform(one, gb_num(t, -2)), gb_exponential_transform(t));
    assert_values(gb_log_prob(gb_transformed(normal, ray), gb_constant(t, gb_shape(2), GB_VALUES(1, NAN))),
                  -INFINITY, NAN);
    const gb_node corner = gb_constant(t, gb_shape(3, 3), GB_VALUES(1, 0, 0, 0, 0.5, 0.5, NAN, 0, 1));
    assert_values(gb_log_prob(gb_transformed(pair, gb_stick_breaking_transform(t)), corner), -INFINITY,
                  -INFINITY, NAN);
    assert_values(gb_log_prob(gb_transformed(pair, gb_centred_softmax_transform(t)), corner), -INFINITY,
                  -INFINITY, NAN);
    assert_fine(t);
}

TEST(misuse_is_rejected_in_words)
{
    static const int64_t twice[] = {0, 0};
    const gb_node one = gb_num(t, 1), zero = gb_num(t, 0);
    gb_affine_transform(one, zero);
    assert_rejected(t, GB_EARGUMENT, "affine: scale is 0");
    gb_interval_transform(one, zero);
    assert_rejected(t, GB_EARGUMENT, "interval: high is 0, and must be above low");
    gb_permutation_transform(t, 2, twice);
    assert_rejected(t, GB_EARGUMENT, "permutation: the order must have each of 0 … 1 once");
    gb_transformed(gb_normal(zero, one), gb_ordered_transform(t));
    assert_rejected(t, GB_ESHAPE, "transformed: ordered does not take draws of shape ()");
    gb_independent(gb_normal(zero, one), 1);
    assert_rejected(t, GB_EARGUMENT, "independent: 1 axes, and the batch of normal has shape ()");
    gb_mixture(gb_zeros(t, gb_shape(2)), gb_normal(gb_zeros(t, gb_shape(3)), one));
    assert_rejected(t, GB_ESHAPE, "mixture: logits have shape (2), and the batch of normal (3)");
}
