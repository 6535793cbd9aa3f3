/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the special functions, on every instruction set and in both real types, against
 * special_values.txt, which special_values.py computed with 70 digits. */
#include "support/close.h"

#include "ops/elementwise.h"
#include "ops/list.h"
#include "points.h"

/* The largest errors allowed in units in the last place, for double and float: those that
 * core/kernels/vector_special_impl.h states; and the limits at −∞ and ∞. */
typedef struct special_test {
    const char *name;
    double ulps, float_ulps, at_minus_infinity, at_infinity;
} special_test;

static const special_test tests[] = {
    {"lgamma", 5.5, 6.5, INFINITY, INFINITY},
    {"digamma", 5.8, 7.5, NAN, INFINITY},
    {"trigamma", 5.8, 6, NAN, 0},
    {"erf", 2.5, 3.2, -1, 1},
    {"erfc", 5, 4.8, 2, 0},
    {"ndtr", 5, 4.8, 0, 1},
    {"log_ndtr", 5, 5, -INFINITY, 0},
    {"normal_density", 2.5, 2.5, 0, 0},
    {"mills", 4.3, 4.2, INFINITY, 0},
    {"mills_excess", 6.2, 4.6, 0, INFINITY},
    {"ndtri", 5, 4.5, NAN, NAN},
    {"ndtri_exp", 5.4, 4.8, -INFINITY, NAN},
    {"i0e", 4.2, 3.4, 0, 0},
    {"i1e", 4.5, 3.5, 0, 0},
};

static points p;

static void add_point(double argument, double value)
{
    p.x[p.count] = argument;
    p.should[p.count] = p.size[p.count] = (long double)value;
    p.count++;
}

static void check_values(const special_test *test, const char *isa, gb_real real)
{
    read_points(&p, GB_TESTS "/ops/special/special_values.txt", test->name, 1, real);
    add_point(-INFINITY, test->at_minus_infinity);
    add_point(INFINITY, test->at_infinity);
    add_point(NAN, NAN);
    compute(gb_op_find(test->name), isa, real, p.count, p.x, p.x, p.is);
    check_points(&p, test->name, isa, real, real == GB_FLOAT ? test->float_ulps : test->ulps);
}

TEST_EACH(values_are_those_of_the_table, tests)
{
    for (size_t isa = 0; isa < 3; isa++)
        for (int real = 0; real < 2; real++)
            check_values(row, isa_name[isa], real ? GB_FLOAT : GB_DOUBLE);
}
