/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/quantile.h"

#include <float.h>
#include <math.h>

#include "ops/elementwise.h"
#include "ops/special/beta_impl.h"
#include "ops/special/gamma_impl.h"

/* A law of counts: P(X ≤ x) and P(X > x), and where to begin the search. */
typedef struct count_law {
    void (*tails)(const struct count_law *law, double x, double *below, double *above);
    double total, p, q; /* Poisson: total is the rate */
    double mean, deviation, last;
} count_law;

static void poisson_tails(const count_law *law, double x, double *below, double *above)
{
    *below = gb_gamma_q_at(x + 1, law->total);
    *above = gb_gamma_p_at(x + 1, law->total);
}

/* The tails of the number of successes, given the number of failures, by the smaller of p and q: the other
 * one may have lost its digits. */
static void trial_tails(const count_law *law, double x, double failures, double *below, double *above)
{
    const bool by_q = law->q < law->p;
    const double a = by_q ? failures : x + 1, b = by_q ? x + 1 : failures, side = by_q ? law->q : law->p;
    *(by_q ? below : above) = gb_beta_i_at(a, b, side);
    *(by_q ? above : below) = gb_beta_i_upper_at(a, b, side);
}

static void binomial_tails(const count_law *law, double x, double *below, double *above)
{
    trial_tails(law, x, law->total - x, below, above);
}

static void negative_binomial_tails(const count_law *law, double x, double *below, double *above)
{
    trial_tails(law, x, law->total, below, above);
}

/* Returns whether P(X ≤ x) ≥ u, by the smaller tail. A u that was computed as P(X ≤ x) must give that x
 * again, so errors of the functions and of u itself are allowed for. */
static bool reaches(const count_law *law, double x, double u)
{
    const double slack = 16 * DBL_EPSILON;
    double below, above;
    if (x < 0 || x >= law->last)
        return x >= 0;
    law->tails(law, x, &below, &above);
    return u <= 0.5 ? below >= u * (1 - slack) : above <= (1 - u) * (1 + slack) + DBL_EPSILON / 4;
}

/* Searches from the mean in growing steps until the quantile is between `low` and `high`, then by
 * bisection. */
static double search(const count_law *law, double u)
{
    double low = floor(law->mean), high = low, step = 1 + floor(law->deviation);
    if (reaches(law, low, u)) {
        while (low >= 0 && reaches(law, low, u)) {
            high = low;
            low -= step;
            step *= 2;
        }
        low = fmax(low, -1);
    } else {
        while (high < law->last && !reaches(law, high, u)) {
            low = high;
            high += step;
            step *= 2;
        }
        high = fmin(high, law->last);
    }
    for (double middle = floor(low + (high - low) / 2); middle > low && middle < high;
         middle = floor(low + (high - low) / 2)) {
        if (reaches(law, middle, u))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static double quantile(const count_law *law, double u)
{
    if (!(u >= 0 && u <= 1) || isnan(law->mean) || !isfinite(law->total))
        return (double)NAN;
    if (law->mean == 0 || u == 0)
        return 0;
    if (isinf(law->mean))
        return INFINITY;
    return u == 1 ? law->last : search(law, u);
}

static count_law law_of_trials(double total, double side)
{
    const bool of_p = !signbit(side); /* −0 is 1 − p */
    const bool allowed = total >= 0 && fabs(side) <= 1;
    return (count_law){
        .total = allowed ? total : (double)NAN, .p = of_p ? side : 1 + side, .q = of_p ? 1 - side : -side};
}

static double poisson_quantile_lane(double rate, double u, double unused_z)
{
    (void)unused_z;
    const count_law law = {.tails = poisson_tails,
                           .total = rate >= 0 ? rate : (double)NAN,
                           .mean = rate,
                           .deviation = sqrt(rate),
                           .last = INFINITY};
    return quantile(&law, u);
}

static double binomial_quantile_lane(double total, double side, double u)
{
    count_law law = law_of_trials(total, side);
    law.tails = binomial_tails;
    law.mean = total * law.p;
    law.deviation = sqrt(law.mean * law.q);
    law.last = total;
    return quantile(&law, u);
}

static double negative_binomial_quantile_lane(double total, double side, double u)
{
    count_law law = law_of_trials(total, side);
    law.tails = negative_binomial_tails;
    law.mean = total * law.p / law.q;
    law.deviation = sqrt(law.mean) / sqrt(law.q);
    law.last = INFINITY;
    return quantile(&law, u);
}

/* ---- the operations ---- */

static void no_vjp(const gb_vjp *v)
{
    (void)v;
}

/* Returns constant multiples of 1/4; they are constant since finite differences cannot check steps. */
static gb_node quarters(gb_example *e, gb_shape shape, int64_t low, int64_t high)
{
    return gb_scale(gb_to_real(e->ints(e, shape, low, high)), 0.25);
}

static gb_node poisson_quantile_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    return gb_poisson_quantile(quarters(e, shape, 1, 40), quarters(e, shape, 1, 3));
}

static gb_node binomial_quantile_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    const gb_node total = gb_to_real(e->ints(e, shape, 0, 20));
    return gb_binomial_quantile(total, quarters(e, shape, -2, 2), quarters(e, shape, 1, 3));
}

static gb_node negative_binomial_quantile_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    return gb_negative_binomial_quantile(quarters(e, shape, 1, 20), quarters(e, shape, 0, 2),
                                         quarters(e, shape, 1, 3));
}

#define QUANTILE_OP(op_name, words, count)                                                                   \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = "the smallest x with P(X <= x) >= u, of " words,                                          \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = count,                                                                                  \
        .vjp = no_vjp,                                                                                       \
        .lane = op_name##_lane,                                                                              \
        .example = op_name##_example,                                                                        \
    };
QUANTILE_OP(poisson_quantile, "Poisson counts", 2)
QUANTILE_OP(binomial_quantile, "successes in trials", 3)
QUANTILE_OP(negative_binomial_quantile, "successes before failures", 3)

gb_node gb_poisson_quantile(gb_node rate, gb_node u)
{
    return gb_apply(NULL, &gb_poisson_quantile_op, 2, (const gb_node[]){rate, u}, NULL, 0);
}

gb_node gb_binomial_quantile(gb_node total, gb_node side, gb_node u)
{
    return gb_apply(NULL, &gb_binomial_quantile_op, 3, (const gb_node[]){total, side, u}, NULL, 0);
}

gb_node gb_negative_binomial_quantile(gb_node total, gb_node side, gb_node u)
{
    return gb_apply(NULL, &gb_negative_binomial_quantile_op, 3, (const gb_node[]){total, side, u}, NULL, 0);
}
