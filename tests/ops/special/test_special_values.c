/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the special functions, on every instruction set and in both real types, against special_values.txt, which
 * special_values.py computed with 70 digits. */
#include "support/close.h"

#include <stdio.h>

#include "ops/elementwise.h"
#include "ops/list.h"
#include "support/beside.h"
#include "support/ulps.h"

/* The largest errors allowed in units in the last place, for double and float: those that core/kernels/vector_special_impl.h
 * states; and the limits at −∞ and ∞. */
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
enum { TESTS = sizeof tests / sizeof *tests, POINTS = 100000 };

/* ---- the table ---- */

static double x[POINTS];
static long double should[POINTS], size[POINTS];

/* The points of one function, from the table or one that the environment names; on a float tape those whose arguments are floats. */
static size_t read_points(const char *name, gb_real real)
{
    const char *other = getenv("GREBE_TEST_TABLE");
    FILE *file = other ? fopen(other, "r") : open_beside_source("special_values.txt");
    assert_non_null(file);
    char line[256];
    size_t count = 0;
    while (count < POINTS && fgets(line, sizeof line, file)) {
        const size_t length = strlen(name);
        if (strncmp(line, name, length) != 0 || line[length] != ' ')
            continue;
        char *at = line + length;
        x[count] = strtod(at, &at);
        should[count] = strtold(at, &at);
        size[count] = strchr(at, '=') ? should[count] : strtold(at, &at);
        count += real == GB_DOUBLE || (double)(float)x[count] == x[count];
    }
    fclose(file);
    return count;
}

static size_t add_point(size_t count, double argument, double value)
{
    x[count] = argument;
    should[count] = size[count] = (long double)value;
    return count + 1;
}

/* ---- comparison ---- */

static void check_values(const special_test *test, const char *isa, gb_real real)
{
    static double is[POINTS];
    size_t count = read_points(test->name, real);
    assert_in_range(count, 30, POINTS - 3);
    count = add_point(count, -INFINITY, test->at_minus_infinity);
    count = add_point(count, INFINITY, test->at_infinity);
    count = add_point(count, NAN, NAN);
    double worst = 0;
    size_t where = 0;
    compute(gb_op_find(test->name), isa, real, count, x, x, is);
    for (size_t i = 0; i < count; i++) {
        const double off = ulps_off(is[i], should[i], size[i], real, 0);
        if (off > worst)
            worst = off, where = i;
    }
    if (getenv("GREBE_TEST_PRINT"))
        print_message("%-14s %-8s %s %.3f at %.17g: %.17g\n", test->name, isa, real ? "float" : "double",
                      worst, x[where], is[where]);
    if (worst > (real == GB_FLOAT ? test->float_ulps : test->ulps))
        fail_msg("%s, %s, %s: %g ulp off at %.17g, where it is %.17g, not %.20Lg", test->name, isa,
                 real ? "float" : "double", worst, x[where], is[where], should[where]);
}

TEST_EACH(values_are_those_of_the_table, tests)
{
    for (size_t isa = 0; isa < 3; isa++)
        for (int real = 0; real < 2; real++)
            check_values(row, isa_name[isa], real ? GB_FLOAT : GB_DOUBLE);
}
