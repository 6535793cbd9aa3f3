/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of statistics are the quantiles of tables, are exceeded as rarely as was
 * asked for, and reach no error handler. */
#include "support/close.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "kit/shell/chance_impl.h"

TEST(quantiles_are_those_of_tables)
{
    assert_close(gb_chance_normal(0.05), 1.9599639845400542, 16);
    assert_close(gb_chance_normal(1e-9), 6.1094102048693671, 64);
    assert_close(gb_chance_student(0.05, 10), 2.2281388519862747, 64);
    assert_close(gb_chance_student(0.01, 49), 2.679951973631552, 64);
    assert_close(gb_chance_chi_squared(0.05, 1), 3.841458820694126, 64);
    assert_close(gb_chance_chi_squared(0.001, 100), 149.44925277903871, 64);
}

static size_t errors;

static void count_error(const char *reason, const char *file, int line, int code)
{
    (void)reason, (void)file, (void)line, (void)code;
    errors++;
}

static void assert_chance(double is, double should, size_t freedom, double room)
{
    if (fabs(is / should - 1) > room)
        fail_msg("with %zu degrees of freedom the chance is %g, not %g", freedom, is, should);
}

/* For all chances and degrees of freedom that a kit may ask for; of many, χ² is by an approximation. */
TEST(no_bound_is_an_error)
{
    static const double chances[] = {1e-6, 1e-9, 1e-10, 1e-12};
    gsl_error_handler_t *const before = gsl_set_error_handler(count_error);
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        const double chance = chances[i];
        assert_chance(2 * gsl_cdf_ugaussian_Q(gb_chance_normal(chance)), chance, 0, 1e-9);
        for (size_t freedom = 1; freedom < 1000000; freedom += 1 + freedom / 4) {
            const double n = (double)freedom;
            assert_chance(2 * gsl_cdf_tdist_Q(gb_chance_student(chance, freedom), n), chance, freedom, 1e-5);
            assert_chance(gsl_cdf_chisq_Q(gb_chance_chi_squared(chance, freedom), n), chance, freedom,
                          freedom > 10000 ? 0.05 : 1e-6);
        }
    }
    gsl_set_error_handler(before);
    assert_int_equal(errors, 0);
}
