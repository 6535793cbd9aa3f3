/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-BFGS (Liu and Nocedal 1989), as a state machine in variables. Between runs, x is a trial point. A run
 * evaluates the loss f and the gradient g there, and compares them with f₀ and g₀ at the last accepted point.
 * d is the direction, t the length of the step:
 *
 *     accept    f ≤ f₀ + c₁ t d·g₀ and d·g ≥ c₂ d·g₀: adds a pair to the history, computes a new direction
 *     shorten   the first condition fails: t becomes the middle of the bracket [low, high]
 *     lengthen  the second fails: the same; or t doubles while there is no upper end (Lewis and Overton 2013)
 *     give up   after too many trials: begins again from `low`; or rests, after steepest descent
 *
 * If f and f₀ differ only by rounding, slopes decide instead of values (Hager and Zhang 2005). */
#include <float.h>
#include <math.h>

#include "models/optimisers/optimiser_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { BEGIN, SEARCH, REST }; /* phases */
enum { TRIALS = 40 };
static const double C1 = 1e-4, C2 = 0.9;

/* ---- helpers ---- */

static gb_node number(gb_node like, double value)
{
    return gb_num(like.tape, value);
}

static gb_node is_number(gb_node x, double value)
{
    return gb_equal(x, number(x, value));
}

static gb_node dot(gb_node a, gb_node b)
{
    return gb_sum(gb_mul(a, b));
}

static gb_node is_finite(gb_node x)
{
    return gb_less(gb_sum(gb_abs(x)), number(x, (double)INFINITY));
}

static double precision(gb_node like)
{
    return gb_tape_real(like.tape) == GB_FLOAT ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* ---- history: rows of s and y, the oldest first, and s·y, which is 0 in unused rows ---- */

typedef struct history {
    int64_t most;
    gb_node s, y, sy;
} history;

static gb_node row(gb_node matrix, int64_t i)
{
    const int64_t n = gb_shape_size(gb_node_shape(matrix), 1);
    return gb_reshape(gb_slice(matrix, 0, i, i + 1), gb_shape(n));
}

static gb_node element(gb_node vector, int64_t i)
{
    return gb_reshape(gb_slice(vector, 0, i, i + 1), gb_shape());
}

/* Drops the first row and appends `last`. */
static gb_node shifted(gb_node rows, gb_node last, gb_shape as)
{
    const gb_node parts[] = {gb_slice(rows, 0, 1, gb_shape_size(gb_node_shape(rows), 0)),
                             gb_reshape(last, as)};
    return gb_concat(2, parts, 0);
}

/* Returns the next history: empty if `forget`; with s and y appended if `add` is true and the curvature along
 * s is positive. */
static history followed(const history *before, gb_node s, gb_node y, gb_node add, gb_node forget)
{
    const gb_node sy = dot(s, y), bound = gb_scale(dot(y, y), precision(s)), none = number(s, 0);
    const gb_node keep = gb_and(add, gb_greater(sy, bound));
    const gb_shape as_row = gb_shape(1, gb_shape_size(gb_node_shape(s), 0));
    history after = {.most = before->most};
    after.s = gb_where(forget, none, gb_where(keep, shifted(before->s, s, as_row), before->s));
    after.y = gb_where(forget, none, gb_where(keep, shifted(before->y, y, as_row), before->y));
    after.sy = gb_where(forget, none, gb_where(keep, shifted(before->sy, sy, gb_shape(1)), before->sy));
    return after;
}

static gb_node newest(const history *h)
{
    return element(h->sy, h->most - 1);
}

enum { MOST_PAIRS = 100 }; /* of the history */

/* Returns the direction of steepest descent, with length at most 1. */
static gb_node steepest(gb_node g)
{
    return gb_div(gb_neg(g), gb_max(gb_sum(gb_abs(g)), number(g, 1)));
}

/* Returns −H g by the two-loop recursion. Without a history, or if −H g is not a descent direction: steepest
 * descent. */
static gb_node direction(const history *h, gb_node g)
{
    const gb_node zero = number(g, 0);
    const gb_node rho = gb_where(gb_greater(h->sy, zero), gb_reciprocal(h->sy), zero);
    gb_node q = g, alpha[MOST_PAIRS];
    for (int64_t i = h->most; i-- > 0;) {
        alpha[i] = gb_mul(element(rho, i), dot(row(h->s, i), q));
        q = gb_sub(q, gb_mul(alpha[i], row(h->y, i)));
    }
    const gb_node last = row(h->y, h->most - 1), has_history = gb_greater(newest(h), zero);
    q = gb_mul(q, gb_div(newest(h), gb_where(has_history, dot(last, last), number(g, 1))));
    for (int64_t i = 0; i < h->most; i++) {
        const gb_node beta = gb_mul(element(rho, i), dot(row(h->y, i), q));
        q = gb_add(q, gb_mul(gb_sub(alpha[i], beta), row(h->s, i)));
    }
    return gb_where(gb_less(dot(g, gb_neg(q)), zero), gb_neg(q), steepest(g));
}

/* ---- the search along a line ---- */

typedef struct search {
    gb_node phase, loss, slope, length, low, high, trials; /* scalars */
    gb_node point, gradient, direction;
} search;

/* The outcome of a run. Exactly one field is true, except that `begin` implies `accept`. */
typedef struct verdict {
    gb_node begin, accept, shorten, lengthen, give_up, rest;
} verdict;

static gb_node low_enough(const search *from, gb_node loss, gb_node slope)
{
    const gb_node line = gb_add(from->loss, gb_scale(gb_mul(from->length, from->slope), C1));
    const gb_node rounding = gb_add(from->loss, gb_scale(gb_abs(from->loss), precision(loss)));
    const gb_node by_slope = gb_less_equal(slope, gb_scale(from->slope, 2 * C1 - 1));
    return gb_or(gb_less_equal(loss, line), gb_and(gb_less_equal(loss, rounding), by_slope));
}

static verdict judge(const search *from, gb_node loss, gb_node gradient)
{
    const gb_node resting = is_number(from->phase, REST), moved = gb_not(gb_equal(loss, from->loss));
    const gb_node slope = dot(gradient, from->direction), searching = is_number(from->phase, SEARCH);
    const gb_node low = gb_and(gb_and(is_finite(loss), is_finite(gradient)), low_enough(from, loss, slope));
    const gb_node flat = gb_greater_equal(slope, gb_scale(from->slope, C2));
    const gb_node last = gb_greater_equal(from->trials, number(loss, TRIALS));
    verdict v;
    v.begin = gb_or(is_number(from->phase, BEGIN), gb_and(resting, moved));
    v.rest = gb_and(resting, gb_not(moved));
    v.accept = gb_or(v.begin, gb_and(searching, gb_and(low, gb_or(flat, last))));
    v.give_up = gb_and(searching, gb_and(last, gb_not(low)));
    v.shorten = gb_and(searching, gb_and(gb_not(low), gb_not(last)));
    v.lengthen = gb_and(searching, gb_and(low, gb_and(gb_not(flat), gb_not(last))));
    return v;
}

/* Returns the search after a rejected trial: a new bracket, and a length in it. */
static search narrowed(const search *from, const verdict *v)
{
    search s = *from;
    const gb_node zero = number(from->low, 0);
    s.low = gb_where(v->lengthen, from->length, from->low);
    s.high = gb_where(v->shorten, from->length, from->high);
    s.length =
        gb_where(gb_greater(s.high, zero), gb_scale(gb_add(s.low, s.high), 0.5), gb_scale(from->length, 2));
    s.trials = gb_shift(from->trials, 1);
    return s;
}

static search accepted(gb_node x, gb_node loss, gb_node gradient, gb_node towards, gb_node rate)
{
    const gb_node zero = number(x, 0);
    return (search){.phase = number(x, SEARCH),
                    .loss = loss,
                    .slope = dot(gradient, towards),
                    .length = rate,
                    .low = zero,
                    .high = zero,
                    .trials = zero,
                    .point = x,
                    .gradient = gradient,
                    .direction = towards};
}

#define SEARCH_NUMBERS(do_) do_(phase) do_(loss) do_(slope) do_(length) do_(low) do_(high) do_(trials)
#define SEARCH_VECTORS(do_) do_(point) do_(gradient) do_(direction)

static search remembered(const gb_update_step *to)
{
    search s;
#define NUMBER(part) s.part = gb_update_memory_of(to, #part, gb_shape());
#define VECTOR(part) s.part = gb_update_memory(to, #part);
    SEARCH_NUMBERS(NUMBER)
    SEARCH_VECTORS(VECTOR)
#undef NUMBER
#undef VECTOR
    return s;
}

static search chosen(gb_node condition, const search *yes, const search *no)
{
    search s;
#define PART(part) s.part = gb_where(condition, yes->part, no->part);
    SEARCH_NUMBERS(PART)
    SEARCH_VECTORS(PART)
#undef PART
    return s;
}

static void remember(const gb_update_step *to, const search *memory, const search *value)
{
#define PART(part) gb_update_remember(to, memory->part, value->part);
    SEARCH_NUMBERS(PART)
    SEARCH_VECTORS(PART)
#undef PART
}

/* ---- the whole ---- */

static bool is_deterministic(gb_node loss)
{
    gb_node noise;
    if (!gb_optimiser_find_noise(loss, &noise))
        return false;
    if (noise.tape)
        gb_fail(
            loss.tape, GB_EARGUMENT,
            "lbfgs: the loss depends on noise (%s), and must be the same in every run: use another optimiser "
            "(gb_adam() …), or an estimator without draws (gb_quadrature() …)",
            gb_node_op_name(noise));
    return !noise.tape;
}

static history all_history(const gb_update_step *to, int64_t most)
{
    const int64_t n = gb_shape_size(gb_node_shape(to->variable), 0);
    return (history){.most = most,
                     .s = gb_update_memory_of(to, "s", gb_shape(most, n)),
                     .y = gb_update_memory_of(to, "y", gb_shape(most, n)),
                     .sy = gb_update_memory_of(to, "sy", gb_shape(most))};
}

/* Returns the trial point of the last run. */
static gb_node trial_of(const search *s)
{
    return gb_add(s->point, gb_mul(s->length, s->direction));
}

/* Between trainings x is the accepted point if a search is in progress; else it stays. A later training
 * continues from the trial point, if x is still the accepted point. */
static gb_update_rest rest_of(gb_node x, const search *from)
{
    const gb_node is_there = is_number(gb_sum(gb_abs(gb_sub(x, from->point))), 0);
    return (gb_update_rest){.settled = gb_where(is_number(from->phase, SEARCH), from->point, x),
                            .trial = gb_where(is_there, trial_of(from), x)};
}

static gb_node update(const gb_update_step *to)
{
    const gb_lbfgs_options *const o = to->options;
    const gb_node x = to->variable, g = to->gradient;
    if (!is_deterministic(to->loss))
        return (gb_node){0};
    const search from = remembered(to);
    const history old = all_history(to, (int64_t)o->history);
    const verdict v = judge(&from, to->loss, g);

    const history h = followed(&old, gb_sub(x, from.point), gb_sub(g, from.gradient), v.accept, v.begin);
    const search fresh = accepted(x, to->loss, g, direction(&h, g), to->rate), on = narrowed(&from, &v);
    search next = chosen(v.accept, &fresh, &on);

    /* Giving up restarts from the best point, without history. If the search began there without history, it
     * rests. */
    const gb_node stuck =
        gb_not(gb_or(gb_greater(newest(&old), number(x, 0)), gb_greater(from.low, number(x, 0))));
    const gb_node halt = gb_where(stuck, number(x, REST), number(x, BEGIN));
    next.phase = gb_where(v.give_up, halt, gb_where(v.rest, number(x, REST), next.phase));
    next.length = gb_where(v.give_up, from.low, gb_where(v.rest, number(x, 0), next.length));
    remember(to, &from, &next);
    if (to->rest)
        *to->rest = rest_of(x, &from);
    gb_update_remember(to, old.s, gb_where(v.give_up, number(x, 0), h.s));
    gb_update_remember(to, old.y, gb_where(v.give_up, number(x, 0), h.y));
    gb_update_remember(to, old.sy, gb_where(v.give_up, number(x, 0), h.sy));
    return trial_of(&next);
}

static const gb_domain up_to_100 = {.size = sizeof(gb_domain),
                                    .name = "history",
                                    .must_be = "a whole number from 1 to 100",
                                    .low = 1,
                                    .high = MOST_PAIRS,
                                    .whole = true};

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(gb_lbfgs_options, 1),
    GB_OPTION_NUMBER(gb_lbfgs_options, history, 10, &up_to_100, "number of steps in the history"),
    {0}};

const gb_optimiser_type gb_lbfgs_optimiser_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "lbfgs",
    .cite = "Liu and Nocedal 1989",
    .formula = "x - t H g, H the inverse Hessian by the last steps, t by the weak Wolfe conditions",
    .joint = true,
    .options = table,
    .option_bytes = sizeof(gb_lbfgs_options),
    .update = update,
};

gb_optimiser gb_lbfgs_with(const gb_lbfgs_options *options)
{
    return gb_optimiser_of(&gb_lbfgs_optimiser_type, options);
}
