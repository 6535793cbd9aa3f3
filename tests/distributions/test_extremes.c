/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values and gradients where formulas meet the ends of numbers or of supports, or a point at which they are stitched
 * together. The numbers were computed with 60 digits. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"

enum {
    INPUTS = 4,
    X = INPUTS,
    VALUE
}; /* what is asked for: the derivative in a parameter, in x, or the value */

typedef gb_node quantity(gb_dist d, gb_node x);

static gb_node mean(gb_dist d, gb_node x)
{
    (void)x;
    return gb_dist_mean(d);
}

static gb_node entropy(gb_dist d, gb_node x)
{
    (void)x;
    return gb_entropy(d);
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
    const gb_dist_type *const type = gb_distribution_find(type_name);
    assert_non_null(type);
    const bool alternative = *form != '\0';
    const gb_param *const params = alternative ? type->alternative : type->param;
    for (size_t i = 0; i < INPUTS && params[i].name; i++) {
        snprintf(input, sizeof input, "%s %zu", params[i].name, gb_tape_length(t));
        node[i] = gb_input(t, input, gb_shape());
        assert_int_equal(gb_feed(node[i], &param[i], 1), GB_OK);
    }
    return alternative ? gb_dist_alternative(type, node) : gb_dist_new(type, node);
}

static double asked(gb_tape *t, const row *r)
{
    gb_node node[INPUTS + 1] = {{0}};
    const gb_dist d = made(t, r->type, r->param, node);
    node[X] = gb_input(t, "at", gb_shape());
    assert_int_equal(gb_feed(node[X], &r->x, 1), GB_OK);
    const gb_node y = r->of(d, node[X]);
    return gb_value(r->which == VALUE ? y : gb_grad(y, node[r->which]));
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

static void a_product_that_underflows_has_gradients(void **state)
{
    (void)state;
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
static void an_end_of_the_support_has_gradients(void **state)
{
    (void)state;
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

static void a_median_has_gradients(void **state)
{
    (void)state;
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

static void a_moment_or_an_entropy(void **state)
{
    (void)state;
    static const row rows[] = {
        {"truncated_normal", mean, {0.5, 2, -INFINITY, INFINITY}, 0, 1, 0, 0},
    };
    CHECK_ROWS(rows, GB_DOUBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_that_underflows_has_gradients),
        cmocka_unit_test(an_end_of_the_support_has_gradients),
        cmocka_unit_test(a_median_has_gradients),
        cmocka_unit_test(a_moment_or_an_entropy),
    };
    return cmocka_run_group_tests_name("distributions at extremes", tests, NULL, NULL);
}
