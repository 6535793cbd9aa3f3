/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws against log q. Expectations of functions of the free numbers are integrals of the density over points
 * along the rows, or sums over the values of a discrete law. They are recorded as graph, so that their
 * gradients are exact. */
#include "kit/families/law_impl.h"

#include <math.h>

#include "compare/moments.h"
#include "core/gradient.h"
#include "core/program.h"
#include "distributions/domain.h"
#include "kit/shell/chance_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* `chance` is the probability that the mean of all runs fails a correct family; `rule_error` is that of the
 * integrals. */
enum { RUNS = 50, SAMPLES = 2000 };
static const double chance = 1e-9, rule_error = 1e-6;

/* Functions of single free numbers, for each of them; then functions of all together. */
enum { FIRST, SECOND, COSINE, SINE, SINGLE, ALL = SINGLE, SKEW, FUNCTIONS };

typedef struct law {
    gb_family_case *c;
    gb_shape free;
    size_t numbers; /* free numbers */
    bool is_discrete;
    gb_node centre, width; /* inputs, in free numbers: the location of q */
    gb_node point, cell;   /* inputs: the points of the rule; the volume of each */
    gb_node mass;
    gb_node exact[FUNCTIONS], drawn[FUNCTIONS];
    gb_node exact_cost, exact_slope[GB_FAMILY_VARIABLES], drawn_slope[GB_FAMILY_VARIABLES];
    gb_node outside;  /* the number of draws outside the support */
    gb_node together; /* the mean of (Σ u)² */
} law;

/* The location of q; for two numbers, also their correlation. */
typedef struct frame {
    double centre[2], width[2], correlation;
} frame;

/* ---- functions ---- */

static gb_node scaled(const law *l, gb_node u)
{
    return gb_div(gb_sub(u, l->centre), l->width);
}

static gb_node function(const law *l, size_t which, gb_node u)
{
    const gb_node v = scaled(l, u);
    switch (which) {
    case FIRST: return u;
    case SECOND: return gb_square(gb_sub(u, l->centre));
    case COSINE: return gb_cos(gb_shift(gb_scale(v, 1.1), 0.3));
    case SINE: return gb_sin(gb_shift(gb_scale(v, 0.7), -0.2));
    case ALL: return gb_cos(gb_scale(gb_sum(v), 0.9));
    default: return gb_sin(gb_scale(gb_sum(gb_square(gb_shift(v, 0.5))), 0.4));
    }
}

/* ---- exact ones ---- */

gb_node gb_family_log_density(const gb_family_case *c, gb_node u)
{
    const gb_node y = gb_family_reached(c, u);
    const gb_node log_q = gb_sum(gb_log_prob(c->q, y));
    return gb_transform_ok(c->reach) ? gb_add(log_q, gb_sum(gb_transform_log_jacobian(c->reach, u, y)))
                                     : log_q;
}

/* Returns, for each point, whether T⁻¹(T(u)) is u. Far out the value is rounded to an end of the support,
 * where q cannot be checked. */
static gb_node comes_back(const law *l)
{
    const gb_node back = gb_family_free(l->c, gb_family_reached(l->c, l->point));
    const gb_node off = gb_maximum(gb_abs(gb_sub(back, l->point)));
    return gb_less(off, gb_num(l->c->tape, 1e-3)); /* false for NaN */
}

/* Points that do not come back count 0. log q is evaluated at the centre in their place, since an adjoint of
 * 0 does not remove infinite slopes in matrix products. */
static void integrate(law *l)
{
    const gb_node is_good = comes_back(l);
    const gb_node point = gb_where(is_good, l->point, l->centre);
    const gb_node density = gb_exp(gb_family_log_density(l->c, point));
    const gb_node weight = gb_where(is_good, gb_mul(l->cell, density), gb_num(l->c->tape, 0));
    l->mass = gb_sum_over(weight, GB_ROWS);
    for (size_t k = 0; k < FUNCTIONS; k++)
        l->exact[k] = gb_sum_over(gb_mul(weight, function(l, k, l->point)), GB_ROWS);
}

/* Values lie along the first axis, then the batch and the event. */
static void enumerate(law *l)
{
    const gb_dist *const q = &l->c->q;
    const gb_node atoms = q->type->atoms(q);
    const gb_node weight = gb_exp(gb_log_prob(*q, atoms));
    const gb_node of_event = gb_add_axes(weight, gb_dist_event_shape(*q).rank);
    l->mass = gb_mean(gb_sum_along(weight, gb_axis(0)));
    for (size_t k = 0; k < SINGLE; k++)
        l->exact[k] = gb_sum_along(gb_mul(of_event, function(l, k, gb_family_free(l->c, atoms))), gb_axis(0));
}

static size_t functions(const law *l)
{
    return l->is_discrete ? SINGLE : FUNCTIONS;
}

/* Returns a cost whose gradient is compared: bounded, and a function of all free numbers. */
static gb_node cost(const law *l, const gb_node *of)
{
    const gb_node single = gb_add(gb_sum(of[COSINE]), gb_sum(of[SINE]));
    return l->is_discrete ? single : gb_add(single, gb_add(of[ALL], of[SKEW]));
}

static void record(law *l)
{
    const gb_family_case *const c = l->c;
    gb_node each[FUNCTIONS];
    l->centre = gb_input(c->tape, "centre", l->free);
    l->width = gb_input(c->tape, "width", l->free);
    l->point = gb_input_rows(c->tape, "point", l->free);
    l->cell = gb_input(c->tape, "cell", gb_shape());
    if (l->is_discrete)
        enumerate(l);
    else
        integrate(l);
    const gb_node u = gb_continuous_in(gb_family_free(c, c->value), 1, &c->value);
    for (size_t k = 0; k < functions(l); k++) {
        each[k] = function(l, k, u);
        l->drawn[k] = gb_mean_over(gb_stop(each[k]), GB_SAMPLES);
    }
    l->together = gb_mean_over(gb_stop(gb_square(gb_sum(u))), GB_SAMPLES);
    const gb_node is_outside =
        gb_dist_ok(c->prior) ? gb_dist_outside(c->prior, gb_stop(c->value)) : (gb_node){0};
    l->outside =
        gb_node_ok(is_outside) ? gb_sum_over(gb_sum(gb_to_real(is_outside)), GB_SAMPLES) : gb_num(c->tape, 0);
    l->exact_cost = cost(l, l->exact);
    gb_grads(l->exact_cost, c->variable, c->count, l->exact_slope);
    gb_grads(gb_expected(c->expect, cost(l, each)), c->variable, c->count, l->drawn_slope);
}

/* ---- where q is ---- */

static bool feed_frame(law *l, const frame *f)
{
    return gb_feed(l->centre, f->centre, 1) == GB_OK && gb_feed(l->width, f->width, 1) == GB_OK;
}

static double correlation_of(const frame *f, double together)
{
    const double sum = f->centre[0] + f->centre[1], product = f->width[0] * f->width[1];
    const double squares = f->width[0] * f->width[0] + f->width[1] * f->width[1];
    const double r = 0.5 * (together - sum * sum - squares) / product;
    return fabs(r) < 0.99999 ? r : 0;
}

/* Estimates means, standard deviations and correlation from a few draws. */
static bool find_frame(law *l, frame *f)
{
    *f = (frame){.width = {1, 1}};
    gb_program *const p =
        gb_compile(l->c->tape, gb_roots(l->drawn[FIRST], l->drawn[SECOND], l->together), gb_no_update);
    gb_program_set_samples(p, SAMPLES);
    const bool good = feed_frame(l, f) && gb_run(p) == GB_OK &&
                      gb_read(l->drawn[FIRST], f->centre, l->numbers) == GB_OK &&
                      gb_read(l->drawn[SECOND], f->width, l->numbers) == GB_OK;
    for (size_t i = 0; good && i < l->numbers; i++) {
        const double variance = f->width[i] - f->centre[i] * f->centre[i];
        f->width[i] = variance > 1e-20 ? sqrt(variance) : 1;
    }
    if (good && l->numbers == 2)
        f->correlation = correlation_of(f, gb_value(l->together));
    gb_program_free(p);
    return good && feed_frame(l, f);
}

/* Feeds a grid over many standard deviations, along the ridge if there is one, moved by a part of a step. The
 * trapezoidal rule converges there faster than any power, except for a density with a kink. */
static bool feed_grid(law *l, const frame *f, double moved)
{
    const bool is_line = l->numbers == 1;
    const int64_t n = is_line ? 2001 : 91, rows = is_line ? n : n * n;
    const double reach = is_line ? 30 : 14, step = 2 * reach / (double)(n - 1);
    double *const points = gb_tape_keep(l->c->tape, (size_t)(2 * rows) * sizeof *points);
    if (!points)
        return false;
    const double across = sqrt(1 - f->correlation * f->correlation);
    for (int64_t row = 0; row < rows; row++) {
        const int64_t across_at = row / n, along_at = row % n;
        const double first = step * ((double)along_at + moved) - reach,
                     second = step * ((double)across_at + moved) - reach;
        double *const point = points + (size_t)row * l->numbers;
        point[0] = f->centre[0] + f->width[0] * first;
        if (!is_line)
            point[1] = f->centre[1] + f->width[1] * (f->correlation * first + across * second);
    }
    const double cell = step * f->width[0] * (is_line ? 1 : step * f->width[1] * across);
    return gb_feed(l->point, points, rows) == GB_OK && gb_feed(l->cell, &cell, 1) == GB_OK;
}

/* ---- comparing ---- */

/* All values of a few nodes, one after the other. */
typedef struct values {
    size_t count;
    double *x;
} values;

static size_t roots_of(const law *l, const gb_node *functions_of, const gb_node *slopes, gb_node *roots)
{
    size_t count = 0;
    for (size_t k = 0; k < functions(l); k++)
        roots[count++] = functions_of[k];
    for (size_t i = 0; i < l->c->count; i++)
        roots[count++] = slopes[i];
    return count;
}

static bool read_all(const law *l, size_t count, const gb_node *roots, values *to)
{
    to->count = 0;
    for (size_t i = 0; i < count; i++)
        to->count += gb_value_count(roots[i]);
    if (!to->x)
        to->x = gb_tape_keep(l->c->tape, (to->count + 1) * sizeof *to->x);
    size_t at = 0;
    for (size_t i = 0; to->x && i < count; i++) {
        const size_t n = gb_value_count(roots[i]);
        if (gb_read(roots[i], to->x + at, n) != GB_OK)
            return false;
        at += n;
    }
    return to->x != NULL;
}

/* Computes means over three grids, and their differences, which measure the error of the integrals. The mass
 * is the last. */
static bool run_exact(law *l, const frame *f, values *exact, values *slack)
{
    enum { GRIDS = 3 };
    gb_node roots[1 + FUNCTIONS + GB_FAMILY_VARIABLES];
    values of[GRIDS] = {{0}};
    size_t count = roots_of(l, l->exact, l->exact_slope, roots);
    roots[count++] = l->mass;
    gb_program *const p = gb_compile(l->c->tape, (gb_node_list){.count = count, .node = roots}, gb_no_update);
    for (int i = 0; i < GRIDS; i++)
        if (!feed_grid(l, f, i / (double)GRIDS) || gb_run(p) != GB_OK || !read_all(l, count, roots, &of[i]))
            return false;
    *exact = of[0];
    *slack = of[1];
    for (size_t i = 0; i < of[0].count; i++) {
        const double a = of[0].x[i], b = of[1].x[i], c = of[2].x[i];
        exact->x[i] = (a + b + c) / GRIDS;
        slack->x[i] = fmax(fmax(a, b), c) - fmin(fmin(a, b), c) + rule_error * (1 + fabs(a));
    }
    gb_program_free(p);
    return true;
}

/* Computes moments over the runs, and returns how many numbers have them; 0 on error. */
static size_t run_drawn(law *l, gb_moments **drawn, double *outside)
{
    gb_node roots[1 + FUNCTIONS + GB_FAMILY_VARIABLES];
    values one = {0};
    const size_t count = roots_of(l, l->drawn, l->drawn_slope, roots);
    roots[count] = l->outside;
    gb_program *const p =
        gb_compile(l->c->tape, (gb_node_list){.count = count + 1, .node = roots}, gb_no_update);
    gb_program_set_samples(p, SAMPLES);
    *outside = 0;
    for (int run = 0; run < RUNS; run++) {
        if (gb_run(p) != GB_OK || !read_all(l, count, roots, &one))
            return 0;
        if (run == 0)
            *drawn = gb_tape_keep(l->c->tape, (one.count + 1) * sizeof **drawn);
        for (size_t i = 0; *drawn && i < one.count; i++)
            gb_moments_add(&(*drawn)[i], 1, &one.x[i], 1);
        *outside += gb_value(l->outside);
    }
    gb_program_free(p);
    return *drawn ? one.count : 0;
}

static void compare(const law *l, const values *exact, const values *slack, size_t count,
                    const gb_moments *drawn)
{
    const gb_family_case *const c = l->c;
    const size_t slopes = SINGLE * l->numbers + (l->is_discrete ? 0 : FUNCTIONS - SINGLE);
    const double bound = gb_chance_student(chance, RUNS - 1);
    for (size_t i = 0; i < count && i < exact->count; i++) {
        const bool is_slope = i >= slopes;
        const double should = exact->x[i], mean = drawn[i].mean;
        const double allowed = bound * sqrt(gb_moments_variance(&drawn[i]) / RUNS) + slack->x[i];
        gb_kit_verdict(c->kit, is_slope ? GB_ON_GRADIENT : GB_ON_DRAWS, fabs(mean - should) <= allowed,
                       "number %zu is %.7g over draws, but %.7g by log q; %.2g is allowed",
                       is_slope ? i - slopes : i, mean, should, allowed);
    }
}

/* Compares with the integrals. A start that holds to first order only may be off by a half, and by its
 * square. */
static void compare_start(const law *l, const values *exact, const values *slack, const double *centre)
{
    const gb_family_case *const c = l->c;
    gb_family_start start;
    if (!gb_family_starts(c->family, &c->slot, &start))
        return;
    for (size_t i = 0; i < l->numbers; i++) {
        const size_t second = l->numbers + i;
        const double mean = exact->x[i], off = mean - centre[i];
        const double deviation = sqrt(fmax(exact->x[second] - off * off, 0));
        const double near = start.is_near ? start.scale * (0.5 + start.scale) : 0;
        const double of_root = slack->x[second] / fmax(deviation, sqrt(slack->x[second]));
        const double off_mean = fabs(mean - start.location), off_scale = fabs(deviation - start.scale);
        const bool is_there = off_mean <= fmax(near, slack->x[i]) && off_scale <= fmax(near, of_root);
        c->near->count += start.is_near ? 1 : 0;
        c->near->off += start.is_near && (off_mean > slack->x[i] || off_scale > of_root) ? 1 : 0;
        gb_kit_verdict(
            c->kit, GB_ON_START, is_there,
            "free number %zu has mean %.7g and standard deviation %.7g, not %.7g and %.7g as declared", i,
            mean, deviation, start.location, start.scale);
    }
}

/* ---- lost gradients ---- */

static double cost_at(gb_program *p, const law *l, gb_node variable, const double *x, size_t count)
{
    gb_set(variable, gb_values_of(x, count));
    return gb_run(p) == GB_OK ? gb_value(l->exact_cost) : (double)NAN;
}

/* Compares the slopes of the integral in one variable with differences: a gradient that is stopped is stopped
 * over draws as well, so the two agree. */
static void check_slopes(const law *l, gb_program *p, size_t which, const double *slope, const double *slack)
{
    const gb_node variable = l->c->variable[which];
    const size_t count = gb_value_count(variable);
    double *const x = gb_tape_keep(l->c->tape, (count + 1) * sizeof *x);
    if (!x || gb_read(variable, x, count) != GB_OK)
        return;
    for (size_t j = 0; j < count; j++) {
        const double at = x[j], step = 1e-4 * (1 + fabs(at));
        x[j] = at + step;
        const double above = cost_at(p, l, variable, x, count);
        x[j] = at - step;
        const double should = (above - cost_at(p, l, variable, x, count)) / (2 * step);
        x[j] = at;
        gb_kit_verdict(l->c->kit, GB_ON_GRADIENT,
                       fabs(slope[j] - should) <= 1e-5 * (1 + fabs(should)) + 10 * slack[j],
                       "in %s, element %zu, the slope of the integral is %.7g, but its difference %.7g: is a "
                       "gradient stopped?",
                       gb_variable_name(variable), j, slope[j], should);
    }
    gb_set(variable, gb_values_of(x, count));
}

static void check_differences(law *l, const frame *f, const values *exact, const values *slack)
{
    gb_program *const p = gb_compile(l->c->tape, gb_roots(l->exact_cost), gb_no_update);
    size_t at = exact->count - 1;
    for (size_t i = 0; i < l->c->count; i++)
        at -= gb_value_count(l->c->variable[i]);
    for (size_t i = 0; i < l->c->count && feed_grid(l, f, 0); i++) {
        const size_t count = gb_value_count(l->c->variable[i]);
        check_slopes(l, p, i, exact->x + at, slack->x + at);
        at += count;
    }
    gb_program_free(p);
}

/* ---- how far it goes ---- */

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Each of two free numbers has a location of its own: they can be moved apart. */
static void check_apart(law *l)
{
    gb_tape *const tape = l->c->tape;
    gb_node sum[GB_FAMILY_VARIABLES], gap[GB_FAMILY_VARIABLES];
    double of_sum = 0, of_gap = 0;
    const gb_node sign = gb_constant(tape, l->free, GB_VALUES(1, -1));
    gb_grads(gb_sum(l->exact[FIRST]), l->c->variable, l->c->count, sum);
    gb_grads(gb_sum(gb_mul(l->exact[FIRST], sign)), l->c->variable, l->c->count, gap);
    for (size_t i = 0; i < l->c->count; i++) {
        const gb_node roots[] = {sum[i], gap[i]};
        gb_program *const p = gb_compile(tape, (gb_node_list){.count = 2, .node = roots}, gb_no_update);
        const size_t count = gb_run(p) == GB_OK ? gb_value_count(sum[i]) : 0;
        double *const x = gb_tape_keep(tape, (count + 1) * sizeof *x);
        if (x && count && gb_read(sum[i], x, count) == GB_OK)
            of_sum = fmax(of_sum, largest(x, count));
        if (x && count && gb_read(gap[i], x, count) == GB_OK)
            of_gap = fmax(of_gap, largest(x, count));
        gb_program_free(p);
    }
    gb_kit_verdict(l->c->kit, GB_ON_GRADIENT, of_gap > 1e-3 * of_sum,
                   "no variable moves the mean of one free number apart from that of the other: the largest "
                   "slope is %.2g, and %.2g in both together",
                   of_gap, of_sum);
}

static void move_all(const law *l, double by)
{
    for (size_t i = 0; i < l->c->count; i++) {
        const size_t count = gb_value_count(l->c->variable[i]);
        double *const x = gb_tape_keep(l->c->tape, (count + 1) * sizeof *x);
        if (!x || gb_read(l->c->variable[i], x, count) != GB_OK)
            return;
        for (size_t j = 0; j < count; j++)
            x[j] += by;
        gb_set(l->c->variable[i], gb_values_of(x, count));
    }
}

/* A slope that is exactly 0 further on, and was not here: the variable is clamped. `here` are the slopes.
 * Without nearly all of its mass, a law that is too wide for numbers has no slopes. */
static void check_clamped(law *l, double by, const double *here)
{
    frame f;
    gb_node roots[GB_FAMILY_VARIABLES + 1] = {l->mass};
    for (size_t i = 0; i < l->c->count; i++)
        roots[i + 1] = l->exact_slope[i];
    move_all(l, by);
    gb_program *const p =
        gb_compile(l->c->tape, (gb_node_list){.count = l->c->count + 1, .node = roots}, gb_no_update);
    const bool good = find_frame(l, &f) && (l->is_discrete || feed_grid(l, &f, 0)) && gb_run(p) == GB_OK &&
                      fabs(gb_value(l->mass) - 1) < 0.01;
    for (size_t i = 0; good && i < l->c->count; i++) {
        const size_t count = gb_value_count(l->exact_slope[i]);
        double *const x = gb_tape_keep(l->c->tape, (count + 1) * sizeof *x);
        if (!x || gb_read(l->exact_slope[i], x, count) != GB_OK)
            return;
        for (size_t j = 0; j < count; j++, here++)
            gb_kit_verdict(l->c->kit, GB_ON_GRADIENT, x[j] != 0 || fabs(*here) < 1e-6,
                           "in %s, element %zu, the slope is %.3g, and exactly 0 where all variables are %g "
                           "further: is it clamped?",
                           gb_variable_name(l->c->variable[i]), j, *here, by);
    }
    gb_program_free(p);
    move_all(l, -by);
}

static void check_reach_of_variables(law *l, const values *exact)
{
    size_t at = exact->count - 1;
    for (size_t i = 0; i < l->c->count; i++)
        at -= gb_value_count(l->c->variable[i]);
    check_clamped(l, 1.5, exact->x + at);
    check_clamped(l, -1.5, exact->x + at);
}

/* ---- all of it ---- */

void gb_family_check_law(gb_family_case *c, bool at_start)
{
    law l = {.c = c, .free = c->slot.free, .numbers = (size_t)gb_slot_count(&c->slot)};
    frame f;
    double outside;
    values exact = {0}, slack = {0};
    gb_moments *drawn = NULL;
    size_t count = 0;
    l.is_discrete = gb_dist_discrete(c->q);
    if (l.numbers > GB_FAMILY_BY_INTEGRALS || (l.is_discrete && !GB_HAS(c->q.type, atoms)))
        return;
    record(&l);
    const bool is_run = find_frame(&l, &f) && run_exact(&l, &f, &exact, &slack) &&
                        (at_start || (count = run_drawn(&l, &drawn, &outside)) > 0);
    gb_kit_verdict(c->kit, GB_ON_RECORDED, is_run, "%s", gb_error_text(c->tape));
    if (!is_run)
        return;
    if (at_start) {
        compare_start(&l, &exact, &slack, f.centre);
        return;
    }
    const double mass = exact.x[exact.count - 1];
    gb_kit_verdict(c->kit, GB_ON_MASS, fabs(mass - 1) <= slack.x[slack.count - 1], "it is %.9g", mass);
    gb_kit_verdict(c->kit, GB_ON_SUPPORT, outside == 0, "%g of %d are outside", outside, RUNS * SAMPLES);
    compare(&l, &exact, &slack, count, drawn);
    check_differences(&l, &f, &exact, &slack);
    if (l.numbers == 2 && feed_frame(&l, &f) && (l.is_discrete || feed_grid(&l, &f, 0)))
        check_apart(&l);
    check_reach_of_variables(&l, &exact);
}

bool gb_family_look(gb_family_case *c, double log_q[GB_FAMILY_LOOKS])
{
    law l = {.c = c, .free = c->slot.free, .numbers = (size_t)gb_slot_count(&c->slot)};
    double at[2 * GB_FAMILY_LOOKS];
    frame f;
    if (l.numbers > GB_FAMILY_BY_INTEGRALS || gb_dist_discrete(c->q))
        return false;
    record(&l);
    if (!find_frame(&l, &f))
        return false;
    for (size_t i = 0; i < GB_FAMILY_LOOKS; i++)
        for (size_t j = 0; j < l.numbers; j++)
            at[i * l.numbers + j] = 0.1 * cos(1 + (double)i + 0.7 * (double)j);
    const gb_node density = gb_family_log_density(c, l.point);
    gb_program *const p = gb_compile(c->tape, gb_roots(density), gb_no_update);
    return gb_feed(l.point, at, GB_FAMILY_LOOKS) == GB_OK && gb_run(p) == GB_OK &&
           gb_read(density, log_q, GB_FAMILY_LOOKS) == GB_OK;
}
