/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A normal restricted to an interval, of which either end may be infinite.
 *
 * The functions of ops/normal_interval.h measure distances from the end that is nearer to loc, if the
 * interval lies in a tail. So the interval may lie far out and may be narrow.
 *
 * Some derivatives are small differences and have the absolute error of their terms: those of the
 * distribution function where it is near 1 (survival has them with all digits), and that of log_prob in a
 * scale that is large against the interval, of ε / scale. */
#include <math.h>

#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/normal_interval.h"
#include "ops/products/known_impl.h"

enum { LOC, SCALE, LOW, HIGH };

/* ---- an interval between two nodes ---- */

typedef struct span {
    gb_normal_interval in; /* in units of scale, from loc; mirrored if the higher end is nearer to loc */
    gb_node mirrored;      /* a boolean */
    gb_node start;         /* x is measured from here: the near end in a tail, else loc */
    gb_node r;             /* (start − loc) / scale, mirrored */
} span;

/* (end − loc) / scale. An infinite end stays where it is, without a derivative. */
static gb_node standard_end(const gb_dist *d, gb_node end)
{
    const gb_node is_finite = gb_less(gb_abs(end), gb_num(d->tape, INFINITY)), zero = gb_num(d->tape, 0);
    return gb_where(is_finite, gb_to_standard(d, gb_where(is_finite, end, zero)), gb_stop(end));
}

static gb_node width_between(const gb_dist *d, gb_node low, gb_node high)
{
    const gb_node width = gb_sub(high, low), infinity = gb_num(d->tape, INFINITY);
    const gb_node is_finite = gb_less(width, infinity), one = gb_num(d->tape, 1);
    return gb_where(is_finite, gb_div(gb_where(is_finite, width, one), d->param[SCALE]), infinity);
}

static span span_of(const gb_dist *d, gb_node low, gb_node high)
{
    const gb_node a = standard_end(d, low), b = standard_end(d, high), zero = gb_num(d->tape, 0);
    const gb_node mirrored =
        gb_or(gb_less(gb_abs(b), gb_abs(a)), gb_less(b, zero)); /* a and b may be rounded alike */
    const gb_node near = gb_where(mirrored, gb_neg(b), a), far = gb_where(mirrored, gb_neg(a), b);
    const gb_node width = width_between(d, low, high), in_tail = gb_greater(near, zero);
    return (span){.in = {near, width, far},
                  .mirrored = mirrored,
                  .start = gb_where(in_tail, gb_where(mirrored, high, low), d->param[LOC]),
                  .r = gb_where(in_tail, near, zero)};
}

static span whole(const gb_dist *d)
{
    return span_of(d, d->param[LOW], d->param[HIGH]);
}

static gb_node mirror(const span *s, gb_node x)
{
    return gb_where(s->mirrored, gb_neg(x), x);
}

/* t (r + t/2) = (z² − r²) / 2 */
static gb_node half_squares(const span *s, gb_node t)
{
    return gb_mul(t, gb_add(s->r, gb_scale(t, 0.5)));
}

/* ---- slots ---- */

static gb_node not_above_low(const gb_node *param)
{
    return gb_less_equal(param[HIGH], param[LOW]);
}

static gb_ends ends(const gb_dist *d)
{
    return (gb_ends){d->param[LOW], d->param[HIGH]};
}

static bool is_infinite(gb_node x)
{
    const gb_range range = gb_node_range(x);
    return range.low == range.high && isinf(range.low);
}

static gb_transform ray(gb_node end, double direction)
{
    return gb_composed_transform(gb_affine_transform(end, gb_num(end.tape, direction)),
                                 gb_exponential_transform(end.tape));
}

static gb_transform reach(const gb_dist *d)
{
    const gb_node low = d->param[LOW], high = d->param[HIGH];
    if (is_infinite(low) && is_infinite(high))
        return gb_affine_transform(gb_num(d->tape, 0), gb_num(d->tape, 1));
    if (is_infinite(low))
        return ray(high, -1);
    return is_infinite(high) ? ray(low, 1) : gb_interval_transform(low, high);
}

/* (x − start) / scale, mirrored. Draws are made from it. */
static gb_node distance(const gb_dist *d, const span *s, gb_node x)
{
    return mirror(s, gb_div(gb_sub(x, s->start), d->param[SCALE]));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    bool held;
    const span s = whole(d);
    const gb_node source = gb_source_of(d, x, &held), plain = distance(d, &s, x);
    const gb_node t = gb_node_ok(source) ? gb_by_source(source, plain, held) : plain;
    const gb_node log_mass = gb_add(gb_normal_interval_mass(s.in), gb_log(d->param[SCALE]));
    return gb_neg(gb_add(half_squares(&s, t), log_mass));
}

/* The mass up to x divided by the whole mass. Each is relative to the density at its own start. */
static gb_node cdf(const gb_dist *d, gb_node x)
{
    const span s = whole(d), part = span_of(d, d->param[LOW], x);
    const gb_node apart = gb_mul(gb_sub(part.r, s.r), gb_add(part.r, s.r));
    const gb_node log_ratio = gb_sub(gb_normal_interval_mass(part.in), gb_normal_interval_mass(s.in));
    return gb_exp(gb_sub(log_ratio, gb_scale(apart, 0.5)));
}

/* ---- quantiles ---- */

static gb_node held_between(const gb_dist *d, gb_node x)
{
    return gb_min(gb_max(x, d->param[LOW]), d->param[HIGH]);
}

/* log(1 − Φ(z)) for the quantile z of the mirrored interval. Counted from the near end, u takes mass from the
 * mass beyond that end; counted from the far end, u adds mass to the mass beyond that one. */
static gb_node log_tail(const gb_dist *d, const span *s, gb_node u)
{
    const gb_node beyond_near = gb_log_ndtr(gb_neg(s->in.near)), beyond_far = gb_log_ndtr(gb_neg(s->in.far));
    const gb_node scaled = gb_sub(gb_normal_interval_mass(s->in), gb_scale(gb_square(s->r), 0.5));
    const gb_node log_mass = gb_shift(scaled, -GB_HALF_LOG_TWO_PI);
    const gb_node taken = gb_mul(u, gb_exp(gb_sub(log_mass, beyond_near)));
    const gb_node most = gb_min(taken, gb_num(d->tape, 1));
    return gb_where(s->mirrored, gb_logaddexp(beyond_far, gb_add(gb_log(u), log_mass)),
                    gb_add(beyond_near, gb_log1p(gb_neg(most))));
}

/* By the normal quantile: (x − loc) / scale. Exact to the last digits, but not far out, where z² / 2 has no
 * digits left. */
static gb_node by_normal(const gb_dist *d, const span *s, gb_node u)
{
    return mirror(s, gb_neg(gb_ndtri_exp(gb_min(log_tail(d, s, u), gb_num(d->tape, 0)))));
}

/* The logarithm of the density changes by k along the interval, which is narrow, of width w: as a parabola.
 * Then y = u + k/2 u (1 − u) + (k²/6 + w²/12) u (1 − u) (1 − 2u) of the way, up to w⁴ and k³. */
static gb_node change(const gb_dist *d, const span *s)
{
    const gb_node middle = gb_to_standard(d, gb_scale(gb_add(d->param[LOW], d->param[HIGH]), 0.5));
    return gb_neg(gb_mul(middle, s->in.width));
}

static gb_node by_parabola(const gb_dist *d, const span *s, gb_node u)
{
    const gb_node low = d->param[LOW], high = d->param[HIGH], rest = gb_shift(gb_neg(u), 1), k = change(d, s);
    const gb_node squares = gb_add(gb_scale(gb_square(k), 1. / 6), gb_scale(gb_square(s->in.width), 1. / 12));
    const gb_node bend = gb_mul(squares, gb_sub(rest, u));
    const gb_node off = gb_mul(gb_mul(u, rest), gb_add(gb_scale(k, 0.5), bend));
    return gb_add(low, gb_mul(gb_sub(high, low), gb_add(u, off)));
}

/* −log(S(r + t) / S(r)) for the survival function S: t (r + t/2) + log(h(r + t) / h(r)) for the hazard h. */
static gb_node exponent_at(const span *s, gb_node hazard, gb_node t)
{
    const gb_node there = gb_mills(gb_neg(gb_add(s->r, t)));
    return gb_add(half_squares(s, t), gb_log(gb_div(there, hazard)));
}

/* In a tail: E = −log(S(r + t) / S(r)) at the quantile r + t. Counted from the far end, u adds to the mass
 * beyond that end; or, where that is most of S(r), 1 − u takes from the mass beyond the near end. */
static gb_node exponent_of_tail(const span *s, gb_node hazard, gb_node u)
{
    const gb_node one = gb_num(u.tape, 1), zero = gb_num(u.tape, 0), half = gb_num(u.tape, 0.5);
    const gb_node is_finite = gb_less(s->in.width, gb_num(u.tape, INFINITY));
    const gb_node width = gb_where(is_finite, s->in.width, one);
    const gb_node part = gb_min(gb_mul(gb_exp(gb_normal_interval_mass(s->in)), hazard), one);
    const gb_node share = gb_where(is_finite, part, one); /* of S(near) */
    const gb_node beyond = gb_where(is_finite, gb_exp(gb_neg(exponent_at(s, hazard, width))), zero);
    const gb_node by_near = gb_or(gb_not(s->mirrored), gb_less(share, half));
    const gb_node from_near = gb_where(s->mirrored, gb_sub(one, u), u);
    const gb_node log_left = gb_where(by_near, gb_log1p(gb_neg(gb_mul(share, from_near))),
                                      gb_log(gb_add(gb_mul(share, u), beyond)));
    return gb_neg(log_left);
}

/* E is the integral of the hazard h, which is nearly linear: a quadratic equation, then Newton's method.
 * Exact to the last digits of t. */
static gb_node in_tail(const span *s, gb_node hazard, gb_node e)
{
    const gb_node ratio = gb_div(gb_mills_excess(gb_neg(s->r)), hazard);
    const gb_node root = gb_sqrt(gb_shift(gb_scale(gb_mul(ratio, e), 2), 1));
    gb_node t = gb_div(gb_scale(gb_div(e, hazard), 2), gb_shift(root, 1));
    for (int i = 0; i < 2; i++) {
        const gb_node there = gb_mills(gb_neg(gb_add(s->r, t)));
        const gb_node error = gb_sub(gb_add(half_squares(s, t), gb_log(gb_div(there, hazard))), e);
        t = gb_sub(t, gb_div(error, there));
    }
    return t;
}

/* Whether the density is a parabola to all digits, and its logarithm not flat in a tail to most of them. */
static gb_node is_narrow(const gb_dist *d, const span *s)
{
    const bool narrow_reals = gb_tape_real(d->tape) == GB_FLOAT;
    const gb_node by_width = gb_less(s->in.width, gb_num(d->tape, narrow_reals ? 1e-2 : 1e-4));
    const gb_node by_change = gb_less(gb_abs(change(d, s)), gb_num(d->tape, narrow_reals ? 1e-2 : 1e-5));
    return gb_and(by_width, by_change);
}

/* Also gives the distance of x from the start, which has digits that x may not have. */
static gb_node quantile(const gb_dist *d, gb_node u, gb_node *from_start)
{
    const span s = whole(d);
    const gb_node zero = gb_num(d->tape, 0), hazard = gb_mills(gb_neg(s.r)),
                  e = exponent_of_tail(&s, hazard, u);
    const gb_node is_off = gb_greater(s.in.near, zero), is_near_end = gb_less(e, gb_num(d->tape, 0.25));
    const gb_node is_tail = gb_and(is_off, gb_or(is_near_end, gb_greater(s.r, gb_num(d->tape, 4))));
    const gb_node t = in_tail(&s, hazard, e), z = by_normal(d, &s, u), narrow = is_narrow(d, &s);
    const gb_node of_tail = gb_add(s.start, gb_mul(d->param[SCALE], mirror(&s, t)));
    const gb_node of_rest = gb_where(is_tail, of_tail, gb_from_standard(d, z));
    const gb_node x = held_between(d, gb_where(narrow, by_parabola(d, &s, u), of_rest));
    const gb_node is_inside = gb_not(is_off), of_loc = gb_where(is_inside, mirror(&s, z), distance(d, &s, x));
    *from_start = gb_where(narrow, distance(d, &s, x), gb_where(is_tail, t, of_loc));
    return x;
}

/* The quantile of a small u if the density were constant from the low end on, and whether it is. */
static gb_node from_low(const gb_dist *d, gb_node u, gb_node *is_straight)
{
    const gb_node low = d->param[LOW], step = gb_mul(u, gb_exp(gb_neg(log_prob(d, low))));
    const gb_node z = gb_div(step, d->param[SCALE]),
                  bend = gb_mul(z, gb_add(gb_abs(gb_to_standard(d, low)), z));
    *is_straight = gb_less(bend, gb_num(d->tape, 1e-7));
    return held_between(d, gb_add(low, step));
}

/* One step of Newton's method makes the result exact to the last digits of the distance from the low end.
 * Of a large u 1 − u has no more digits than the quantile already has, except where the density hardly
 * changes. */
static gb_node icdf(const gb_dist *d, gb_node u)
{
    gb_node is_straight;
    const gb_node straight = from_low(d, u, &is_straight);
    gb_node from_start;
    const gb_node x = gb_where(is_straight, straight, quantile(d, u, &from_start));
    const gb_node step = gb_mul(gb_sub(cdf(d, x), u), gb_exp(gb_neg(log_prob(d, x))));
    const gb_normal_interval in = whole(d).in;
    const gb_node most = gb_mul(in.width, gb_add(gb_abs(in.near), in.width));
    const gb_node is_exact = gb_or(gb_less(most, gb_num(d->tape, 0.1)), gb_less(u, gb_num(d->tape, 0.5)));
    const gb_node is_off_end =
        gb_greater(x, d->param[LOW]); /* at the end itself, the mass has no derivative */
    const gb_node is_inside = gb_and(is_off_end, gb_less(u, gb_num(d->tape, 1)));
    return gb_where(gb_and(is_exact, is_inside), held_between(d, gb_sub(x, step)), x);
}

/* The distribution of −x. */
static gb_dist mirrored_at_zero(const gb_dist *d)
{
    gb_dist mirrored = *d;
    mirrored.param[LOC] = gb_neg(d->param[LOC]);
    mirrored.param[LOW] = gb_neg(d->param[HIGH]);
    mirrored.param[HIGH] = gb_neg(d->param[LOW]);
    return mirrored;
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    const gb_dist mirrored = mirrored_at_zero(d);
    return cdf(&mirrored, gb_neg(x));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    const gb_dist mirrored = mirrored_at_zero(d);
    return gb_neg(icdf(&mirrored, q));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    gb_node from_start;
    const gb_node x = quantile(d, gb_uniform_noise(from->noise, from->shape, from->axes), &from_start);
    return gb_drawn(d, x, from_start);
}

static gb_node mean(const gb_dist *d)
{
    const span s = whole(d);
    return gb_add(s.start, gb_mul(d->param[SCALE], mirror(&s, gb_normal_interval_mean(s.in))));
}

/* ---- a narrow interval ----
 *
 * Its law is nearly uniform, and the slopes of its moments in scale are those of what little is missing. At
 * u = −½ … ½ along the interval the density is proportional to e^(k u + l u²), where k is the change of its
 * logarithm and l = −width²/2: entropy − log(high − low) and variance / (high − low)² are series in k² and l,
 * with errors of 1e-11 of the slopes (1e-6 on float tapes). */

enum { TERMS = 7 };

/* clang-format off */
static const double entropy_terms[TERMS][TERMS] = {
    {0, 0, -1. / 360, -1. / 11340, 1. / 302400, 1. / 3742200, -23. / 49037788800},
    {-1. / 24, -1. / 180, -1. / 5040, 1. / 113400, 1. / 1197504, -23. / 13621608000},
    {1. / 960, 1. / 3780, 1. / 40320, 1. / 1425600, -2413. / 46702656000},
    {-1. / 36288, -1. / 100800, -1. / 684288, -197. / 1915538625},
    {1. / 1382400, 1. / 2993760, 691. / 10378368000},
    {-1. / 53222400, -691. / 65383718400},
    {691. / 1426553856000},
};
static const double variance_terms[TERMS][TERMS] = {
    {1. / 12, 1. / 180, 1. / 7560, -1. / 226800, -1. / 2993760, 23. / 40864824000, 23. / 35026992000},
    {-1. / 240, -1. / 1260, -1. / 16800, -1. / 712800, 2413. / 27243216000, 23. / 3405402000},
    {1. / 6048, 1. / 20160, 5. / 798336, 197. / 510810300, 83. / 16345929600},
    {-1. / 172800, -1. / 427680, -691. / 1667952000, -1409. / 35026992000},
    {1. / 5322240, 691. / 7264857600, 1. / 46126080},
    {-691. / 118879488000, -1. / 283046400},
    {1. / 5748019200},
};
/* clang-format on */

/* Σ terms[i][j] k^2i l^j */
static gb_node series(const double terms[TERMS][TERMS], gb_node k, gb_node l)
{
    const gb_node k2 = gb_square(k);
    gb_node sum = gb_num(k.tape, 0);
    for (int i = TERMS; i-- > 0;) {
        gb_node row = gb_num(k.tape, 0);
        for (int j = TERMS - i; j-- > 0;)
            row = gb_shift(gb_mul(row, l), terms[i][j]);
        sum = gb_add(gb_mul(sum, k2), row);
    }
    return sum;
}

/* Where the series are more exact than differences. k and l are 0 elsewhere, and the length is 1. */
typedef struct narrow_span {
    gb_node is, k, l, length;
} narrow_span;

static narrow_span narrow(const gb_dist *d, const span *s)
{
    const gb_node most = gb_num(d->tape, gb_tape_real(d->tape) == GB_FLOAT ? 1 : 0.25), k = change(d, s);
    const gb_node is = gb_and(gb_less(s->in.width, most), gb_less(gb_abs(k), most)),
                  zero = gb_num(d->tape, 0);
    const gb_node length = gb_sub(d->param[HIGH], d->param[LOW]), width = gb_where(is, s->in.width, zero);
    return (narrow_span){.is = is,
                         .k = gb_where(is, k, zero),
                         .l = gb_scale(gb_square(width), -0.5),
                         .length = gb_where(is, length, gb_num(d->tape, 1))};
}

static gb_node variance(const gb_dist *d)
{
    const span s = whole(d);
    const narrow_span n = narrow(d, &s);
    const gb_node value = gb_mul(gb_square(d->param[SCALE]), gb_normal_interval_variance(s.in));
    const gb_node near = gb_mul(gb_square(n.length), series(variance_terms, n.k, n.l));
    return gb_with_value(value, gb_where(n.is, near, value));
}

static gb_node mode(const gb_dist *d)
{
    return gb_min(gb_max(d->param[LOC], d->param[LOW]), d->param[HIGH]);
}

/* log scale + log mass + E[t (r + t/2)], with E[t²] = variance + mean². */
static gb_node entropy(const gb_dist *d)
{
    const span s = whole(d);
    const gb_node log_mass = gb_add(gb_normal_interval_mass(s.in), gb_log(d->param[SCALE]));
    const gb_node of_mean = half_squares(&s, gb_normal_interval_mean(s.in));
    const gb_node value = gb_add(log_mass, gb_add(of_mean, gb_scale(gb_normal_interval_variance(s.in), 0.5)));
    const narrow_span n = narrow(d, &s);
    const gb_node near = gb_add(gb_log(n.length), series(entropy_terms, n.k, n.l));
    return gb_with_value(value, gb_where(n.is, near, value));
}

const gb_dist_type gb_truncated_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "truncated_normal",
    .formula = "log N(x; loc, scale) - log(Phi((high - loc) / scale) - Phi((low - loc) / scale))",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1),
              GB_PARAMETER("low", GB_EXTENDED), GB_PARAMETER("high", GB_EXTENDED)},
    .relation = {.which = HIGH, .must_be = "above low", .outside = not_above_low},
    .support = GB_REAL,
    .moving_support = true,
    .ends = ends,
    .reach = reach,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
};
