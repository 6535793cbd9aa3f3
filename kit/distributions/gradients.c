/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients of log_prob and of closed forms against differences along fixed directions, in the value and in
 * each parameter.
 *
 * Let T = Σ weight · f(x) over a few rows, for one function f, and D the derivative of T along the given
 * directions. Differences are taken with smaller and smaller steps; the two that agree best give the
 * derivative and its uncertainty. gsl_deriv_central takes a sixth of the time, but its bounds are a dozen
 * times as wide, and some are too narrow: it would fail correct distributions. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/gradient.h"
#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/points_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { AT_ONCE = 4, BATCHES = 6, PLACES = AT_ONCE * BATCHES, DRAWS = 4096, MOST = 64 };

/* The function that is differentiated: of draws, of ranks in (0, 1), or of the parameters alone. */
typedef struct subject {
    const char *name;
    gb_ability ability;
    enum { OF_DRAWS, OF_RANKS, OF_NOTHING } argument;
} subject;

/* A distribution of vectors is differentiated in the free numbers from which its support is reached. */
typedef struct slopes {
    gb_dist_case *c;
    gb_statement statement;
    const subject *subject;
    gb_node x, along, weight, total, magnitude, node[GB_CASE_VARIABLES + 1], slope[GB_CASE_VARIABLES + 1];
    gb_program *there;
    size_t nodes; /* x first, if it has a derivative */
    size_t elements[GB_CASE_VARIABLES + 1];
    size_t size; /* of x */
    double *start[GB_CASE_VARIABLES + 1], *direction[GB_CASE_VARIABLES + 1], *moved;
} slopes;

static bool by_reach(const gb_dist_case *c)
{
    return c->shape.rank > 0 && gb_transform_ok(gb_dist_reach(c->d));
}

/* Numbers, and vectors whose elements are free, are differentiated directly. */
static bool has_slope_in_x(const slopes *s)
{
    const gb_dist_case *const c = s->c;
    return s->subject->argument != OF_NOTHING && !c->discrete && (c->shape.rank == 0 || by_reach(c));
}

static bool of_distribution_function(const slopes *s)
{
    return s->subject->ability == GB_CAN_CDF || s->subject->ability == GB_CAN_SURVIVAL;
}

static double direction_of(size_t element)
{
    return cos(0.7 + 2.4 * (double)element) >= 0 ? 0.5 + 0.5 * cos((double)element) : -0.8;
}

static gb_node sum_all(const slopes *s, gb_node x)
{
    return s->subject->argument == OF_NOTHING ? gb_sum(x) : gb_sum_over(gb_sum(x), GB_ROWS);
}

static gb_node along_directions(slopes *s)
{
    gb_node sum = gb_num(s->c->tape, 0);
    for (size_t i = 0; i < s->nodes; i++) {
        const bool is_x = gb_node_same(s->node[i], s->x);
        const gb_node by = is_x ? s->along
                                : gb_constant(s->c->tape, gb_node_shape(s->node[i]),
                                              gb_values_of(s->direction[i], s->elements[i]));
        const gb_node product = gb_mul(by, s->slope[i]);
        sum = gb_add(sum, is_x ? sum_all(s, product) : gb_sum(product));
    }
    return sum;
}

/* cdf is NaN outside the support: no difference reaches beyond an end that moves. */
static gb_node value_of(const slopes *s, gb_node x)
{
    const gb_dist d = s->c->d;
    const gb_node outside = of_distribution_function(s) ? gb_dist_outside(d, x) : (gb_node){0};
    const gb_node inside = gb_case_quantity(d, s->subject->name, x);
    return gb_node_ok(outside) ? gb_where(outside, gb_num(d.tape, NAN), inside) : inside;
}

static gb_node weighted_value(slopes *s, gb_node x)
{
    const gb_node value = value_of(s, x);
    if (s->subject->argument != OF_NOTHING)
        return gb_mul(s->weight, value);
    const gb_shape shape = gb_node_shape(value);
    const size_t count = gb_shape_count(shape);
    double *const weights = gb_tape_keep(s->c->tape, (count + 1) * sizeof *weights);
    for (size_t i = 0; weights && i < count; i++)
        weights[i] = direction_of(i);
    return weights ? gb_mul(gb_constant(s->c->tape, shape, gb_values_of(weights, count)), value)
                   : (gb_node){0};
}

/* Allocates places for values and directions, and sets those of variables. */
static bool keep_room(slopes *s)
{
    size_t read;
    s->moved = gb_tape_keep(s->c->tape, (AT_ONCE * s->size + MOST) * sizeof *s->moved);
    for (size_t i = 0; i < s->nodes; i++) {
        const bool is_x = gb_node_same(s->node[i], s->x);
        s->elements[i] = is_x ? AT_ONCE * s->size : gb_shape_count(gb_node_shape(s->node[i]));
        s->direction[i] = gb_tape_keep(s->c->tape, s->elements[i] * sizeof(double) + 1);
        s->start[i] = is_x ? gb_tape_keep(s->c->tape, s->elements[i] * sizeof(double))
                           : gb_kit_read(s->c->tape, s->node[i], &read);
        if (!s->moved || !s->direction[i] || !s->start[i] || (!is_x && s->elements[i] > MOST))
            return false;
        for (size_t j = 0; j < s->elements[i] && !is_x; j++)
            s->direction[i][j] = direction_of(j + i) * fmax(fabs(s->start[i][j]), 1e-3);
    }
    return true;
}

static bool record(slopes *s, int order)
{
    gb_dist_case *const c = s->c;
    const bool free = by_reach(c);
    const gb_transform reach = free ? gb_dist_reach(c->d) : (gb_transform){0};
    const gb_shape shape = free ? gb_transform_inverse_shape(reach, c->shape) : c->shape;
    s->size = gb_shape_count(shape);
    s->x = gb_input_rows(c->tape, "kit x", shape);
    s->along = gb_input_rows(c->tape, "kit along", shape);
    s->weight = gb_input_rows(c->tape, "kit weight", gb_shape());
    if (has_slope_in_x(s))
        s->node[s->nodes++] = s->x;
    for (size_t i = 0; i < c->variables; i++)
        s->node[s->nodes++] = c->variable[i];
    if (s->nodes == 0 || !keep_room(s))
        return false;
    const gb_node value = free ? gb_transform_forward(reach, s->x) : s->x;
    const gb_node weighted = weighted_value(s, value);
    s->total = sum_all(s, weighted);
    s->magnitude = sum_all(s, gb_abs(weighted));
    if (gb_grads(s->total, s->node, s->nodes, s->slope) != GB_OK)
        return false;
    if (order == 2) {
        s->total = along_directions(s);
        if (gb_grads(s->total, s->node, s->nodes, s->slope) != GB_OK)
            return false;
    }
    gb_node root[GB_CASE_VARIABLES + 3] = {s->total, s->magnitude};
    memcpy(root + 2, s->slope, s->nodes * sizeof *root);
    s->there = gb_compile(c->tape, (gb_node_list){.count = s->nodes + 2, .node = root}, gb_no_update);
    return s->there != NULL;
}

/* ---- differences ---- */

static bool move(slopes *s, size_t which, double t)
{
    for (size_t j = 0; j < s->elements[which]; j++)
        s->moved[j] = s->start[which][j] + t * s->direction[which][j];
    if (gb_node_same(s->node[which], s->x))
        return gb_feed(s->x, s->moved, AT_ONCE) == GB_OK;
    return gb_set(s->node[which], gb_values_of(s->moved, s->elements[which])) == GB_OK;
}

/* Returns NaN if the parameters are not allowed there. */
static double total_at(slopes *s, size_t which, double t)
{
    const bool ran = move(s, which, t) && gb_run(s->there) == GB_OK;
    const double value = ran ? gb_value(s->total) : NAN;
    if (gb_error(s->c->tape) != GB_ENOMEM)
        gb_forgive(s->c->tape);
    return value;
}

static double difference(slopes *s, size_t which, double step)
{
    const double near = total_at(s, which, step) - total_at(s, which, -step);
    const double far = total_at(s, which, 2 * step) - total_at(s, which, -2 * step);
    return (8 * near - far) / (12 * step);
}

/* Returns the derivative, and its uncertainty: infinite if unknown. `rounding` is that of one total. */
static double derivative(slopes *s, size_t which, double rounding, double *unsure)
{
    enum { STEPS = 11 };
    double best = 0, before = difference(s, which, 0x1p-4);
    *unsure = INFINITY;
    for (int k = 1; k < STEPS; k++) {
        const double step = ldexp(0x1p-4, -2 * k), now = difference(s, which, step);
        const double off = fabs(now - before) + rounding / step;
        if (off < *unsure) {
            *unsure = off;
            best = now;
        }
        before = now;
    }
    move(s, which, 0);
    return best;
}

/* There is a kink if the slopes of both sides differ. */
static bool has_kink(slopes *s, size_t which)
{
    const double step = 0x1p-14, here = total_at(s, which, 0);
    const double left = here - total_at(s, which, -step), right = total_at(s, which, step) - here;
    move(s, which, 0);
    return fabs(right - left) > 0.01 * fmax(fabs(left), fabs(right));
}

static void compare(slopes *s, size_t which)
{
    double unsure, is = 0, scale = 0, condition = 0;
    size_t count;
    if (!move(s, which, 0) || gb_run(s->there) != GB_OK)
        return;
    const double *const slope = gb_kit_read(s->c->tape, s->slope[which], &count);
    for (size_t j = 0; slope && j < count && j < s->elements[which]; j++) {
        is += slope[j] * s->direction[which][j];
        scale += fabs(slope[j] * s->direction[which][j]);
        condition += fabs(slope[j] * s->start[which][j]) * (s->direction[which][j] != 0);
    }
    if (!isfinite(gb_value(s->total))) {
        gb_kit_skip(s->c->kit, s->statement, "it is not finite there");
        return;
    }
    const double rounding = DBL_EPSILON * (gb_value(s->magnitude) + fabs(gb_value(s->total)) + condition);
    const double should = derivative(s, which, rounding, &unsure);
    const double allowed = 1e-7 * fmax(scale, fabs(should)) + 10 * unsure + 1e-12;
    const char *const in = gb_node_same(s->node[which], s->x) ? "the value" : gb_node_name(s->node[which]);
    if (s->statement == GB_ON_FORMS && fabs(is - should) > allowed && has_kink(s, which))
        gb_kit_skip(s->c->kit, s->statement, "it has a kink there");
    else if (isfinite(unsure) && unsure <= 1e-4 * fmax(fabs(should), 1e-6))
        gb_kit_verdict(s->c->kit, s->statement, fabs(is - should) <= allowed,
                       "%s in %s, near %.9g: along a line it is %.12g, by differences %.12g",
                       s->subject->name, in, s->start[0][0], is, should);
    else if (isfinite(is))
        gb_kit_skip(s->c->kit, s->statement, "differences are too uncertain there");
    else
        gb_kit_verdict(s->c->kit, s->statement, false, "%s in %s, near %.9g: it is %g", s->subject->name, in,
                       s->start[0][0], is);
}

/* ---- places ---- */

static double *places(slopes *s, double *spread)
{
    gb_dist_case *const c = s->c;
    gb_node draw = gb_sample(c->d, gb_stream(c->tape, "kit places"), GB_SAMPLES);
    if (by_reach(c))
        draw = gb_transform_inverse(gb_dist_reach(c->d), draw);
    const size_t size = c->size;
    c->size = s->size;
    double *const draws = gb_case_draws(c, draw, DRAWS);
    c->size = size;
    *spread = 1;
    if (draws && s->size == 1) {
        qsort(draws, DRAWS, sizeof *draws, gb_kit_ascending);
        *spread = fmax(draws[DRAWS * 3 / 4] - draws[DRAWS / 4], 1e-300);
        for (size_t i = 0; i < PLACES; i++)
            draws[i] = draws[i * (DRAWS - 1) / (PLACES - 1)];
    }
    return draws;
}

static double *ranks(slopes *s, double *spread)
{
    double *const u = gb_tape_keep(s->c->tape, PLACES * sizeof *u);
    *spread = 0.1;
    const size_t half = PLACES / 2;
    for (size_t i = 0; u && i < PLACES; i++)
        u[i] = i < half ? pow(2, -1 - (double)i) : 1 - pow(2, -2 - (double)(i - half));
    return u;
}

/* Puts the median and the mode in the place of draws: formulas may be stitched together there. */
static void put_middle(gb_dist_case *c, double *x)
{
    const bool has_median = gb_dist_can(c->d, GB_CAN_ICDF), has_mode = gb_dist_can(c->d, GB_CAN_MODE);
    const double *const median =
        has_median ? gb_kit_ask(c->tape, gb_icdf(c->d, gb_num(c->tape, 0.5)), NULL) : NULL;
    const double *const mode = has_mode ? gb_kit_ask(c->tape, gb_dist_mode(c->d), NULL) : NULL;
    if (median)
        x[PLACES / 2 - 1] = *median;
    if (mode && isfinite(*mode) && *mode != x[PLACES / 2 - 1])
        x[PLACES / 2] = *mode;
}

/* Returns a step that stays within the support; 0 if numbers are too coarse for one, or at an atom. */
static double step_at(const double ends[2], const double *x, size_t place, double spread)
{
    const double step = fmin(spread, fmin(x[place] - ends[0], ends[1] - x[place]));
    const bool again =
        (place > 0 && x[place] == x[place - 1]) || (place + 1 < PLACES && x[place] == x[place + 1]);
    return again || step < 1e-6 * fabs(x[place]) ? 0 : step;
}

static void check_places(slopes *s)
{
    double spread, weights[AT_ONCE], ends[2] = {0, 1};
    const bool of_ranks = s->subject->argument == OF_RANKS, in_x = gb_node_same(s->node[0], s->x);
    double *const x = of_ranks ? ranks(s, &spread) : places(s, &spread);
    if (!x || (s->c->shape.rank == 0 && !of_ranks && !gb_rule_ends(s->c, s->c->d, ends)))
        return;
    if (of_distribution_function(s) && !s->c->discrete)
        put_middle(s->c, x);
    for (size_t i = 0; i < PLACES && s->c->shape.rank == 0; i++)
        if (x[i] == ends[0] || x[i] == ends[1]) /* rounded to an end, which may have no density */
            x[i] = x[PLACES / 2];
    for (size_t batch = 0; batch < BATCHES; batch++) {
        const double *const from = x + batch * AT_ONCE * s->size;
        double *const along = in_x ? s->direction[0] : s->moved;
        for (size_t i = 0; i < AT_ONCE; i++)
            weights[i] = direction_of(i + batch);
        for (size_t i = 0; i < AT_ONCE * s->size; i++)
            along[i] =
                direction_of(i) * (s->c->shape.rank == 0 ? step_at(ends, x, batch * AT_ONCE + i, spread) : 1);
        if (in_x)
            memcpy(s->start[0], from, AT_ONCE * s->size * sizeof *from);
        if (gb_feed(s->x, from, AT_ONCE) != GB_OK || gb_feed(s->along, along, AT_ONCE) != GB_OK ||
            gb_feed(s->weight, weights, AT_ONCE) != GB_OK)
            return;
        for (size_t which = 0; which < s->nodes; which++)
            compare(s, which);
    }
}

static void check_parameters_alone(slopes *s)
{
    for (size_t which = 0; which < s->nodes; which++)
        compare(s, which);
}

/* ---- all ---- */

static const subject density = {.name = "log_prob", .argument = OF_DRAWS};
static const subject forms[] = {
    {"cdf", GB_CAN_CDF, OF_DRAWS},           {"icdf", GB_CAN_ICDF, OF_RANKS},
    {"survival", GB_CAN_SURVIVAL, OF_DRAWS}, {"inverse_survival", GB_CAN_INVERSE_SURVIVAL, OF_RANKS},
    {"mean", GB_CAN_MEAN, OF_NOTHING},       {"variance", GB_CAN_VARIANCE, OF_NOTHING},
    {"mode", GB_CAN_MODE, OF_NOTHING},       {"entropy", GB_CAN_ENTROPY, OF_NOTHING}};

/* Distribution functions apply to numbers only; quantiles and modes of counts have no derivatives. */
static bool applies(const gb_dist_case *c, const subject *of)
{
    if (of == &density)
        return true;
    const bool jumps = c->discrete && (of->ability == GB_CAN_ICDF || of->ability == GB_CAN_MODE);
    return gb_dist_can(c->d, of->ability) && !jumps && (of->argument == OF_NOTHING || c->shape.rank == 0);
}

static void check_order(gb_dist_check *check, gb_case_number which, const subject *of, gb_statement statement,
                        int order)
{
    gb_dist_case c;
    slopes s = {.c = &c, .statement = statement, .subject = of};
    if (gb_dist_case_begin(&c, check, which) && applies(&c, of)) {
        if (record(&s, order))
            (of->argument == OF_NOTHING ? check_parameters_alone : check_places)(&s);
        if (order == 2 && gb_error(c.tape) != GB_OK && gb_error(c.tape) != GB_ENOMEM) {
            gb_kit_skip(c.kit, s.statement, gb_error_text(c.tape));
            gb_forgive(c.tape);
        }
        gb_dist_case_fine(&c);
    }
    gb_dist_case_end(&c);
}

void gb_dist_check_gradients(gb_dist_check *check, gb_case_number which)
{
    check_order(check, which, &density, GB_ON_GRADIENT, 1);
    check_order(check, which, &density, GB_ON_SECOND, 2);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_order(check, which, &forms[i], GB_ON_FORMS, 1);
}
