/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of elementwise operations, on every instruction set and in both real types,
 * against libm in long double: at zeros, infinities, NaN, subnormal numbers and branch
 * points, and at random numbers of all magnitudes. */
#include "support/close.h"

#include <float.h>
#include <stdio.h>

#include "core/kernels/isa_impl.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "support/ulps.h"

/* ---- references ---- */

/* By Taylor's series where it cancels. */
static long double ratio_excess_of(long double x, long double y)
{
    const long double d = (x - y) / y;
    long double sum = 0, power = d * d;
    if (!(fabsl(d) < 0.05L))
        return d - (logl(x) - logl(y));
    for (int n = 2; n < 40; n++, power *= -d)
        sum += power / n;
    return sum;
}

#define ONE(name, value)                                                                                     \
    static long double name(long double x)                                                                   \
    {                                                                                                        \
        return value;                                                                                        \
    }
#define TWO(name, value)                                                                                     \
    static long double name(long double x, long double y)                                                    \
    {                                                                                                        \
        return value;                                                                                        \
    }
ONE(neg, -x)
ONE(square, x *x)
ONE(reciprocal, 1 / x)
ONE(relu, x <= 0 ? 0 : x)
ONE(sigmoid, x >= 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x)))
ONE(softplus, isnan(x) ? x : fmaxl(x, 0) + log1pl(expl(-fabsl(x))))
ONE(log_sigmoid, -softplus(-x))
ONE(rsqrt, 1 / sqrtl(x))
ONE(sign, x > 0 ? 1 : x < 0 ? -1 : x)
ONE(log1mexp, x == 0 ? -(long double)INFINITY : x < -1 ? log1pl(-expl(x)) : logl(-expm1l(x)))
TWO(xlogy, x == 0 && !isnan(y) ? 0 : x * logl(y))
TWO(xlog1py, x == 0 && !isnan(y) ? 0 : x * log1pl(y))
TWO(log_ratio, x < 0 || y < 0            ? (long double)NAN
               : x == 0 && !isnan(y)     ? -(long double)INFINITY
               : fabsl(x - y) < 0.5L * y ? log1pl((x - y) / y)
               : isinf(x / y)            ? logl(x) - logl(y)
                                         : logl(x / y))
TWO(gap, x == y ? 0 : x - y)
TWO(logaddexp, x == y ? x + logl(2) : fmaxl(x, y) + log1pl(expl(-fabsl(x - y))))
TWO(lgamma_terms, x < 0 ? lgammal(1 - x) : 0 * y)
TWO(ratio_excess, x < 0 || y <= 0                       ? (long double)NAN
                  : x == (long double)INFINITY && y < x ? x
                                                        : ratio_excess_of(x, y))
TWO(scale_divergence, ratio_excess(x, y) + 0.5L * ((x - y) / y) * ((x - y) / y))
TWO(scale_divergence_slope, x < 0 || y <= 0 ? (long double)NAN
                            : x - y == 0    ? 0
                                            : (x - y) / y * (1 / fabsl(x) + 1 / y))
TWO(scale_divergence_slope_terms, fabsl((x - y) / y) * (1 / fabsl(x) + 1 / fabsl(y)))
TWO(misfit, 0.5L * (x / y) * (x / y))
TWO(misfit_slope, x / y / y)
TWO(won, x == 0 && !isnan(y) ? 0 : isnan(y) ? y : x * fminl(y, 0))
TWO(lost, x == 1 && !isnan(y) ? 0 : isnan(y) ? y : (1 - x) * fmaxl(y, 0))
TWO(log_bernoulli, won(x, y) - lost(x, y) - log1pl(expl(-fabsl(y))))
TWO(log_bernoulli_terms, fabsl(won(x, y)) + fabsl(lost(x, y)) + log1pl(expl(-fabsl(y))))
TWO(bernoulli_residual, y < 0 ? x - sigmoid(y) : (x - 1) + sigmoid(-y))
TWO(bernoulli_residual_terms, y < 0 ? fabsl(x) + sigmoid(y) : fabsl(x - 1) + sigmoid(-y))
TWO(add, x + y)
TWO(sub, x - y)
TWO(mul, x *y)
TWO(divide, x / y)
TWO(larger, isnan(x) || isnan(y) ? (long double)NAN : fmaxl(x, y))
TWO(smaller, isnan(x) || isnan(y) ? (long double)NAN : fminl(x, y))
TWO(chain, x == 0 ? 0 : x * y)
TWO(chain_both, x == 0 || y == 0 ? 0 : x * y)
TWO(less, x < y)
TWO(less_equal, x <= y)
TWO(greater, x > y)
TWO(greater_equal, x >= y)
TWO(equal, x == y)

/* The largest errors allowed, in units in the last place of the type: those that
 * core/kernels/vector_math_impl.h states, SLEEF's for pow; 0.5: correctly rounded. */
typedef struct value_test {
    const char *name;
    long double (*unary)(long double x);
    long double (*binary)(long double x, long double y);
    double ulps, float_ulps;
    bool signed_zero; /* the sign of a zero is that of the reference */
    double early;     /* so close to the largest number, relatively, a value may be infinite already */
    long double (*size)(long double x,
                        long double y); /* OPTIONAL: smaller values have the units of this one */
} value_test;

static const value_test tests[] = {
    {"neg", neg, NULL, 0.5, 0.5, true, 0, NULL},
    {"abs", fabsl, NULL, 0.5, 0.5, true, 0, NULL},
    {"square", square, NULL, 0.5, 0.5, true, 0, NULL},
    {"sqrt", sqrtl, NULL, 0.5, 0.5, true, 0, NULL},
    {"rsqrt", rsqrt, NULL, 1.5, 1.5, true, 0, NULL},
    {"sign", sign, NULL, 0, 0, true, 0, NULL},
    {"floor", floorl, NULL, 0, 0, true, 0, NULL},
    {"sin", sinl, NULL, 1, 1, true, 0, NULL},
    {"cos", cosl, NULL, 1, 1, true, 0, NULL},
    {"log1mexp", log1mexp, NULL, 2.3, 2, false, 0, NULL},
    {"gap", NULL, gap, 0.5, 0.5, false, 0, NULL},
    {"logaddexp", NULL, logaddexp, 2.3, 3.3, false, 0, larger},
    {"xlogy", NULL, xlogy, 2, 2, false, 0, NULL},
    {"xlog1py", NULL, xlog1py, 2, 2, false, 0, NULL},
    {"ratio_excess", NULL, ratio_excess, 40, 40, false, 0, NULL},
    {"scale_divergence", NULL, scale_divergence, 20, 20, false, 0, NULL},
    {"scale_divergence_slope", NULL, scale_divergence_slope, 4, 4, false, 0, scale_divergence_slope_terms},
    {"misfit", NULL, misfit, 4, 4, false, 0, NULL},
    {"misfit_slope", NULL, misfit_slope, 3, 3, true, 0, NULL},
    {"log_bernoulli", NULL, log_bernoulli, 2, 2, false, 0, log_bernoulli_terms},
    {"bernoulli_residual", NULL, bernoulli_residual, 2.5, 2.5, false, 0, bernoulli_residual_terms},
    {"erf", erfl, NULL, 2.5, 3.2, true, 0, NULL},
    {"erfc", erfcl, NULL, 5, 4.8, true, 0, NULL},
    {"lgamma", lgammal, NULL, 5.5, 6.5, false, 0, lgamma_terms},
    {"exp", expl, NULL, 1.1, 1.1, true, 0, NULL},
    {"log", logl, NULL, 1.25, 1.25, true, 0, NULL},
    {"log1p", log1pl, NULL, 1.25, 1.25, true, 0, NULL},
    {"expm1", expm1l, NULL, 2.3, 2.3, true, 0, NULL},
    {"reciprocal", reciprocal, NULL, 0.5, 0.5, true, 0, NULL},
    {"tanh", tanhl, NULL, 2.65, 2.65, true, 0, NULL},
    {"sigmoid", sigmoid, NULL, 2.45, 2.45, true, 0, NULL},
    {"softplus", softplus, NULL, 2, 2, true, 0, NULL},
    {"log_sigmoid", log_sigmoid, NULL, 2, 2, false, 0, NULL},
    {"relu", relu, NULL, 0.5, 0.5, true, 0, NULL},
    {"add", NULL, add, 0.5, 0.5, true, 0, NULL},
    {"sub", NULL, sub, 0.5, 0.5, true, 0, NULL},
    {"mul", NULL, mul, 0.5, 0.5, true, 0, NULL},
    {"div", NULL, divide, 0.5, 0.5, true, 0, NULL},
    {"pow", NULL, powl, 1, 1, true, 2e-6, NULL},
    {"max", NULL, larger, 0.5, 0.5, false, 0, NULL},
    {"min", NULL, smaller, 0.5, 0.5, false, 0, NULL},
    {"chain", NULL, chain, 0.5, 0.5, false, 0, NULL},
    {"chain_both", NULL, chain_both, 0.5, 0.5, false, 0, NULL},
    {"less", NULL, less, 0.5, 0.5, true, 0, NULL},
    {"less_equal", NULL, less_equal, 0.5, 0.5, true, 0, NULL},
    {"greater", NULL, greater, 0.5, 0.5, true, 0, NULL},
    {"greater_equal", NULL, greater_equal, 0.5, 0.5, true, 0, NULL},
    {"equal", NULL, equal, 0.5, 0.5, true, 0, NULL},
    {"log_ratio", NULL, log_ratio, 2.5, 2.5, false, 0, NULL},
};
enum { TESTS = sizeof tests / sizeof *tests };

/* ---- arguments ---- */

static uint64_t state_of_random = 1;

static uint64_t next_random(void)
{
    uint64_t x = state_of_random += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double unit(void)
{
    return (double)(next_random() >> 11) * 0x1p-53;
}

/* Where functions branch, overflow, underflow, round to 0 or 1, or have no value. */
/* clang-format off */
static const double special[] = {
    0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 2, -2, 0.5, -0.5, 0.25, 3, -3, 0.75, 1.5, 0x1p-53, -0x1p-53,
    0x1p-24, -0x1p-24, 1e-30, -1e-30, 1e30, -1e30, 0x1p-126, -0x1p-126, 1e-40, -1e-40, 0x1p-149, 88.72,
    88.73, -87.3, -87.4, -103.9, -104, 709.78, 709.79, -708.39, -708.4, -745.1, -745.2, 0x1p-1022, 1e-310,
    -1e-310, 0x1p-1074, -0x1p-1074, 0x1.fffffep127, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 36.7,
    -36.8, 18.7, -18.8, 9.01, -9.02, 16.6, -16.7, 0x1.fffffffffffffp-1, 0x1.0000000000001p0,
    0x1.fffffep-1, 0x1.000002p0, 0.34657359, 0.69314718, -0.69314718, 1e-8, -1e-8, 4, -4, 5, -5, 1023,
    -1075, 0x1p52, 0x1p53, -0x1p53,
};
/* clang-format on */
enum {
    SPECIAL = sizeof special / sizeof *special,
    RANDOM = 6000,
    UNARY = SPECIAL + RANDOM,
    BINARY = SPECIAL * SPECIAL + RANDOM
};

/* A third of any magnitude, a third near 1, a third of moderate size. */
static double random_argument(gb_real real)
{
    const double sign = next_random() & 1 ? 1 : -1;
    const int largest = real == GB_FLOAT ? 126 : 1022;
    switch (next_random() % 3) {
    case 0: return sign * ldexp(1 + unit(), (int)(next_random() % (unsigned)(2 * largest)) - largest);
    case 1: return 1 + sign * ldexp(unit(), -(int)(next_random() % 30));
    default: return sign * 40 * unit();
    }
}

static size_t draw_arguments(bool binary, gb_real real, double *x, double *y)
{
    size_t count = 0;
    for (size_t i = 0; i < SPECIAL; i++)
        for (size_t j = 0; j < (binary ? SPECIAL : 1); j++, count++) {
            x[count] = special[i];
            y[count] = special[j];
        }
    for (size_t i = 0; i < RANDOM; i++, count++) {
        x[count] = random_argument(real);
        y[count] = random_argument(real);
    }
    for (size_t i = 0; i < count && real == GB_FLOAT; i++) {
        x[i] = (double)(float)x[i];
        y[i] = (double)(float)y[i];
    }
    return count;
}

/* ---- comparison ---- */

static double x[BINARY], y[BINARY], is[BINARY];

/* A long double of two doubles, as powerpc64 has it, has the range of one: near the ends of that range it is
 * no reference. */
static bool is_reference(long double a)
{
    return LDBL_MAX_EXP > DBL_MAX_EXP || a == 0 || (fabsl(a) < 0x1p1000L && fabsl(a) > 0x1p-900L);
}

static void check_values(const value_test *test, const char *isa, gb_real real)
{
    const size_t count = draw_arguments(test->binary != NULL, real, x, y);
    const double allowed = real == GB_FLOAT ? test->float_ulps : test->ulps;
    double worst = 0, worst_x = 0, worst_y = 0;
    compute(gb_op_find(test->name), isa, real, count, x, y, is);
    for (size_t i = 0; i < count; i++) {
        const long double should = test->unary ? test->unary(x[i]) : test->binary(x[i], y[i]);
        const long double size = test->size ? fmaxl(fabsl(should), fabsl(test->size(x[i], y[i]))) : should;
        if (!is_reference(should) || !is_reference(x[i]) || !is_reference(y[i]))
            continue;
        double off = ulps_off(is[i], should, size, real, test->early);
        if (test->signed_zero && should == 0 && !signbit(should) != !signbit(is[i]))
            off = INFINITY;
        if (off > worst)
            worst = off, worst_x = x[i], worst_y = y[i];
    }
    if (getenv("GREBE_TEST_PRINT"))
        print_message("%-14s %-8s %s %.3f at %.17g, %.17g\n", test->name, isa, real ? "float" : "double",
                      worst, worst_x, worst_y);
    if (worst > allowed)
        fail_msg("%s, %s, %s: %g ulp off at %.17g, %.17g", test->name, isa, real ? "float" : "double", worst,
                 worst_x, worst_y);
}

TEST_EACH(values_are_those_of_libm, tests)
{
    for (size_t isa = 0; isa <= (size_t)gb_best_isa(); isa++)
        for (int real = 0; real < 2; real++)
            check_values(row, isa_name[isa], real ? GB_FLOAT : GB_DOUBLE);
}
