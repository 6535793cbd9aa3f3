/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Increasing maps of single numbers, with parameters from a network: y = e^s u + t, where u is x, or a
 * rational-quadratic spline of x (Gregory and Delbourgo 1982; Durkan, Bekasov, Murray and Papamakarios 2019).
 * Outside [−3, 3] u is x, so y is linear there. */
#include <math.h>

#include "models/families/flow_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/scan.h"

/* The spline is on [−REACH, REACH]. |s| is below MOST, but s has the slope 1 at 0. */
enum { REACH = 3, MOST = 5 };

/* Of the width (and height) of the spline, the least share of a bin; the least slope at a knot. */
static const double least_share = 1e-3, least_slope = 1e-3;

int64_t gb_flow_parameters(int64_t bins)
{
    return bins > 0 ? 2 + 3 * bins - 1 : 2;
}

/* ---- scale and shift ---- */

/* Parameters number `first` to `first + count − 1` of all m numbers: (…, count m). */
static gb_node part(gb_node raw, int64_t m, int64_t first, int64_t count)
{
    return gb_slice(raw, -1, first * m, (first + count) * m);
}

static gb_node shift_of(gb_node raw, int64_t m)
{
    return part(raw, m, 0, 1);
}

static gb_node log_scale_of(gb_node raw, int64_t m)
{
    return gb_scale(gb_tanh(gb_scale(part(raw, m, 1, 1), 1.0 / MOST)), MOST);
}

/* ---- splines ---- */

/* Knots, and slopes there: bins + 1 along a last axis, after that of the m numbers. */
typedef struct spline {
    int64_t bins;
    gb_node x, y, slope;
} spline;

/* Parameters (…, count m) as (…, m, count). They move slower than scale and shift: else the noise of a
 * training bends a spline where few draws come. */
static const double slowed = 0.05;

static gb_node for_each(gb_node raw, int64_t m, int64_t first, int64_t count)
{
    gb_shape shape = gb_node_shape(raw);
    shape.size[shape.rank - 1] = m;
    return gb_scale(gb_reshape(part(raw, m, first, count), gb_shape_join(shape, gb_shape(count))), slowed);
}

/* From −REACH to REACH, exactly at both ends. */
static gb_node knots(gb_node raw, int64_t bins)
{
    const gb_node share =
        gb_shift(gb_scale(gb_softmax(raw, -1), 1 - least_share * (double)bins), least_share);
    const gb_node inner = gb_slice(gb_cumsum(share, -1), -1, 0, bins - 1);
    gb_shape one = gb_node_shape(raw);
    one.size[one.rank - 1] = 1;
    const gb_node end = gb_broadcast(gb_num(raw.tape, REACH), one);
    const gb_node all[] = {gb_neg(end), gb_shift(gb_scale(inner, 2 * REACH), -REACH), end};
    return gb_concat(3, all, -1);
}

/* 1 at both ends, as outside, and wherever a parameter is 0. */
static gb_node slopes(gb_node raw)
{
    const double start = 1 - least_slope;
    gb_shape one = gb_node_shape(raw);
    one.size[one.rank - 1] = 1;
    const gb_node end = gb_ones(raw.tape, one);
    const gb_node inner = gb_shift(gb_softplus(gb_shift(raw, start + log(-expm1(-start)))), least_slope);
    return gb_concat(3, (const gb_node[]){end, inner, end}, -1);
}

static spline spline_of(const gb_flow *f, gb_node raw, int64_t m)
{
    const int64_t bins = f->bins;
    return (spline){.bins = bins,
                    .x = knots(for_each(raw, m, 2, bins), bins),
                    .y = knots(for_each(raw, m, 2 + bins, bins), bins),
                    .slope = slopes(for_each(raw, m, 2 + 2 * bins, bins - 1))};
}

/* The bin of a number, its corner and its size. */
typedef struct bin {
    gb_node x, y, width, height, start, end; /* the slopes at start and end */
    gb_node steep;                           /* height / width */
    gb_node bend;                            /* start + end − 2 steep */
} bin;

/* 1 for the bin that x is in, and 0 for the others (…, m, bins). Outside, it is the first or the last bin. */
static gb_node places(gb_node knots, gb_node x, int64_t bins)
{
    const gb_node at = gb_expand(x, -1);
    const gb_node passed = gb_to_real(gb_greater_equal(at, gb_slice(knots, -1, 1, bins)));
    const gb_node none = gb_zeros(x.tape, gb_node_shape(at));
    return gb_sub(gb_concat(2, (const gb_node[]){gb_shift(none, 1), passed}, -1),
                  gb_concat(2, (const gb_node[]){passed, none}, -1));
}

/* Of values at the knots, that at the start of the bin (next 0), or at its end (1). By sums with a mask, a
 * training takes 0.6 of the time that it takes by gb_take_along. */
static gb_node taken(gb_node values, gb_node place, int64_t next)
{
    const int64_t bins = gb_shape_size(gb_node_shape(place), -1);
    return gb_sum_along(gb_mul(gb_slice(values, -1, next, next + bins), place), gb_axis(-1));
}

/* `knots` are those that x is looked up in. */
static bin bin_of(const spline *s, gb_node knots, gb_node x)
{
    const gb_node place = places(knots, x, s->bins);
    bin b = {.x = taken(s->x, place, 0),
             .y = taken(s->y, place, 0),
             .start = taken(s->slope, place, 0),
             .end = taken(s->slope, place, 1)};
    b.width = gb_sub(taken(s->x, place, 1), b.x);
    b.height = gb_sub(taken(s->y, place, 1), b.y);
    b.steep = gb_div(b.height, b.width);
    b.bend = gb_sub(gb_add(b.start, b.end), gb_scale(b.steep, 2));
    return b;
}

static gb_node is_inside(gb_node x)
{
    return gb_less(gb_abs(x), gb_num(x.tape, REACH));
}

/* Both are continuous where x passes a knot, and so are their gradients. */
static gb_node continuous(gb_node value, gb_node x, gb_node raw)
{
    return gb_continuous_in(value, 2, (const gb_node[]){x, raw});
}

/* How far y is above the corner of the bin, at a fraction of its width; and dy/dx. */
static gb_node rise_of(const bin *b, gb_node at, gb_node *slope)
{
    const gb_node rest = gb_sub(gb_num(at.tape, 1), at), both = gb_mul(at, rest);
    const gb_node below = gb_add(b->steep, gb_mul(b->bend, both));
    const gb_node above = gb_add(gb_mul(b->steep, gb_square(at)), gb_mul(b->start, both));
    const gb_node sum = gb_add(gb_add(gb_mul(b->end, gb_square(at)), gb_mul(gb_scale(b->steep, 2), both)),
                               gb_mul(b->start, gb_square(rest)));
    *slope = gb_mul(gb_square(gb_div(b->steep, below)), sum);
    return gb_div(gb_mul(b->height, above), below);
}

static gb_node bent(const gb_flow *f, gb_node x, gb_node raw, int64_t m, gb_node *log_slope)
{
    const spline s = spline_of(f, raw, m);
    const bin b = bin_of(&s, s.x, x);
    gb_node slope;
    const gb_node y = gb_add(b.y, rise_of(&b, gb_div(gb_sub(x, b.x), b.width), &slope));
    const gb_node inside = is_inside(x);
    *log_slope = continuous(gb_where(inside, gb_log(slope), gb_num(x.tape, 0)), x, raw);
    return continuous(gb_where(inside, y, x), x, raw);
}

/* The root in [0, 1] of a quadratic, in the form that does not cancel. Where the spline is flat, it still
 * loses digits, which a step of Newton's method gives back. */
static gb_node unbent(const gb_flow *f, gb_node y, gb_node raw, int64_t m)
{
    const spline s = spline_of(f, raw, m);
    const bin b = bin_of(&s, s.y, y);
    const gb_node up = gb_sub(y, b.y), bend = gb_mul(up, b.bend);
    const gb_node p = gb_add(gb_mul(b.height, gb_sub(b.steep, b.start)), bend);
    const gb_node q = gb_sub(gb_mul(b.height, b.start), bend), r = gb_mul(b.steep, up);
    const gb_node root = gb_sqrt(gb_add(gb_square(q), gb_scale(gb_mul(p, r), 4)));
    const gb_node at = gb_div(gb_scale(r, 2), gb_add(q, root));
    gb_node slope;
    const gb_node off = gb_sub(rise_of(&b, at, &slope), up);
    const gb_node x = gb_add(b.x, gb_sub(gb_mul(at, b.width), gb_div(off, slope)));
    return continuous(gb_where(is_inside(y), x, y), y, raw);
}

/* ---- both ---- */

gb_node gb_flow_move(const gb_flow *f, gb_node x, gb_node raw, gb_node *log_slope)
{
    const int64_t m = gb_shape_size(gb_node_shape(x), -1);
    const gb_node log_scale = log_scale_of(raw, m);
    gb_node each = log_scale;
    if (f->bins > 0) {
        gb_node of_spline = {0};
        x = bent(f, x, raw, m, &of_spline);
        each = gb_add(each, of_spline);
    }
    *log_slope = gb_sum_along(each, gb_axis(-1));
    return gb_add(gb_mul(x, gb_exp(log_scale)), shift_of(raw, m));
}

gb_node gb_flow_move_back(const gb_flow *f, gb_node y, gb_node raw)
{
    const int64_t m = gb_shape_size(gb_node_shape(y), -1);
    const gb_node u = gb_mul(gb_sub(y, shift_of(raw, m)), gb_exp(gb_neg(log_scale_of(raw, m))));
    return f->bins > 0 ? unbent(f, u, raw, m) : u;
}
