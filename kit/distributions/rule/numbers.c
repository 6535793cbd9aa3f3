/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integrals of densities of numbers, with any ends, tails, peaks and kinks.
 *
 * The support is cut into one or two arms that begin at an anchor: an end of the support, or else the mode or
 * the median. Along an arm x = anchor ± width e^s, which turns powers at an end, and heavy tails, into
 * exponentials in s. Pieces in s are first cut at quantiles of draws. They are halved until Gauss-Legendre
 * over the whole and over both halves agree, for the mass and the other integrals. All pieces of one
 * generation are evaluated together.
 *
 * GSL's QAGS and QAGI take half the time for the mass alone. But a rule serves all integrals of a case, and
 * has atoms. And of 106 densities without atoms, those two miss the mass of 2 by more than 0.1. */
#include "kit/distributions/rule/numbers_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { NODES = 12, VALUES = 5, ARMS = 2, GENERATIONS = 40, MOST_POINTS = 400000 };

typedef struct arm {
    double anchor, sign, width, from, to; /* s in [from, to] */
} arm;

typedef struct piece {
    size_t arm;
    double from, to;
    double value[VALUES]; /* of mass, p log p, the first two moments, and p log of another density */
} piece;

/* A piece that is accurate enough, in x. */
typedef struct cell {
    double low, high, mass;
} cell;

typedef struct builder {
    gb_rule *rule;
    gb_case_function *f;
    arm arms[ARMS];
    size_t arm_count;
    piece *active;
    size_t active_count;
    cell *cells;
    size_t cell_count, cell_room;
    double magnitude[VALUES]; /* Σ |value| over all pieces so far, in cells */
} builder;

/* ---- arms ---- */

/* The smallest distance from the anchor that floating-point numbers resolve. */
static double nearest(double anchor, double width)
{
    return anchor == 0 ? log(1e-300) - log(width) : fmin(-1, log(0x1p-40 * fabs(anchor)) - log(width));
}

static void add_arm(builder *b, double anchor, double sign, double width, bool endless)
{
    const double to = endless ? fmin(690, log(1e300) - log(width)) : 0;
    b->arms[b->arm_count++] = (arm){anchor, sign, width, nearest(anchor, width), to};
}

static bool make_arms(builder *b, gb_dist d, double median)
{
    double ends[2];
    if (!gb_rule_ends(b->f->c, d, ends))
        return false;
    const bool low = isfinite(ends[0]), high = isfinite(ends[1]);
    const double width = b->rule->width;
    if (low && high && !(median > ends[0] && median < ends[1]))
        median = ends[0] + (ends[1] - ends[0]) / 2;
    if (low)
        add_arm(b, ends[0], 1, median > ends[0] ? median - ends[0] : width, !high);
    if (high)
        add_arm(b, ends[1], -1, median < ends[1] ? ends[1] - median : width, !low);
    if (!low && !high && gb_dist_can(d, GB_CAN_MODE) && !gb_rule_mode(b->f->c, d, &median))
        return false;
    if (!low && !high) {
        add_arm(b, median, -1, width, true);
        add_arm(b, median, 1, width, true);
    }
    return true;
}

/* ---- pieces ---- */

static double place(const arm *a, double s)
{
    return a->anchor + a->sign * a->width * exp(s);
}

static bool add_piece(builder *b, size_t which, double from, double to)
{
    if (to > from)
        b->active[b->active_count++] = (piece){.arm = which, .from = from, .to = to};
    return true;
}

enum { QUANTILES = 25, OUTWARD = 12, FIRST_PIECES = ARMS * (QUANTILES + 2 * OUTWARD + 4) };

/* Cuts at quantiles of the draws, and beyond them at growing distances. */
static void cut_arm(builder *b, size_t which, size_t count, const double *sorted)
{
    const arm *const a = &b->arms[which];
    double at[QUANTILES], edge = a->from;
    size_t found = 0;
    for (size_t k = 0; k < QUANTILES; k++) {
        const size_t rank = a->sign > 0 ? k : QUANTILES - 1 - k;
        const double distance = a->sign * (sorted[rank * (count - 1) / (QUANTILES - 1)] - a->anchor);
        const double s = distance > 0 ? log(distance) - log(a->width) : -INFINITY;
        if (s > a->from && s < a->to && (found == 0 || s > at[found - 1] + 1e-9))
            at[found++] = s;
    }
    const double first = found ? at[0] : fmin(0, a->to), last = found ? at[found - 1] : first;
    for (int k = OUTWARD; k >= 0; k--) {
        const double s = first - ldexp(1, k) / 2;
        if (s > edge && s < first)
            add_piece(b, which, edge, s), edge = s;
    }
    for (size_t k = 0; k < found; k++)
        add_piece(b, which, edge, at[k]), edge = at[k];
    for (int k = 0; k <= OUTWARD; k++) {
        const double s = last + ldexp(1, k) / 4;
        if (s > edge && s < a->to)
            add_piece(b, which, edge, s), edge = s;
    }
    add_piece(b, which, edge, a->to);
}

/* ---- evaluation ---- */

/* Gauss-Legendre on [-1, 1]: the numbers of gsl_integration_glfixed, which would have to allocate. */
static const double nodes[NODES] = {0.98156063424671924,  0.90411725637047491,  0.76990267419430469,
                                    0.58731795428661748,  0.36783149899818018,  0.12523340851146891,
                                    -0.12523340851146891, -0.36783149899818018, -0.58731795428661748,
                                    -0.76990267419430469, -0.90411725637047491, -0.98156063424671924};
static const double weights[NODES] = {0.047175336386511828, 0.10693932599531843, 0.16007832854334622,
                                      0.20316742672306592,  0.23349253653835481, 0.24914704581340277,
                                      0.24914704581340277,  0.23349253653835481, 0.20316742672306592,
                                      0.16007832854334622,  0.10693932599531843, 0.047175336386511828};

/* Points and weights of one piece. */
static void points_of(const builder *b, const piece *p, double *x, double *weight)
{
    const arm *const a = &b->arms[p->arm];
    for (int i = 0; i < NODES; i++) {
        const double s = (p->from + p->to) / 2 + (p->to - p->from) / 2 * nodes[i];
        x[i] = place(a, s);
        weight[i] = weights[i] * (p->to - p->from) / 2 * a->width * exp(s);
    }
}

typedef struct points {
    double *x, *weight, *log_p, *other; /* other may be NULL */
} points;

static void sum_up(const builder *b, piece *p, const points *at, size_t first)
{
    const double *const x = at->x + first, *const weight = at->weight + first,
                        *const log_p = at->log_p + first;
    const double *const other = at->other ? at->other + first : NULL;
    for (int j = 0; j < VALUES; j++)
        p->value[j] = 0;
    for (int i = 0; i < NODES; i++) {
        const double mass = log_p[i] == -INFINITY ? 0 : weight[i] * exp(log_p[i]);
        const double z = (x[i] - b->rule->centre) / b->rule->width;
        p->value[0] += mass;
        p->value[1] += mass == 0 ? 0 : mass * log_p[i];
        p->value[2] += mass == 0 || fabs(z) > 1e100 ? 0 : mass * z;
        p->value[3] += mass == 0 || fabs(z) > 1e100 ? 0 : mass * z * z;
        p->value[4] += mass == 0 || !other ? 0 : mass * fmax(other[i], -1e280);
    }
}

static bool evaluate(builder *b, size_t count, const piece *pieces, points *out)
{
    const size_t all = count * NODES;
    out->x = gb_tape_keep(b->f->c->tape, 4 * all * sizeof *out->x);
    if (!out->x)
        return false;
    out->weight = out->x + all;
    out->log_p = out->weight + all;
    out->other = b->f->roots == 2 ? out->log_p + all : NULL;
    for (size_t i = 0; i < count; i++)
        points_of(b, &pieces[i], out->x + i * NODES, out->weight + i * NODES);
    return gb_case_evaluate(b->f, all, out->x, out->log_p);
}

/* ---- generations ---- */

static bool add_cell(builder *b, cell one)
{
    if (b->cell_count == b->cell_room) {
        cell *const grown = gb_tape_keep(b->f->c->tape, 2 * (b->cell_room + 64) * sizeof *grown);
        if (!grown)
            return false;
        for (size_t i = 0; i < b->cell_count; i++)
            grown[i] = b->cells[i];
        b->cells = grown;
        b->cell_room = 2 * (b->cell_room + 64);
    }
    b->cells[b->cell_count++] = one;
    return true;
}

static bool keep_cell(builder *b, const piece *p, const points *at, size_t first)
{
    if (!gb_rule_reserve(b->rule, b->f->c->tape, NODES))
        return false;
    for (size_t i = first; i < first + NODES; i++)
        gb_rule_add(b->rule, &at->x[i], at->weight[i], at->log_p[i]);
    const arm *const a = &b->arms[p->arm];
    const double one = place(a, p->from), other = place(a, p->to);
    return add_cell(b, (cell){fmin(one, other), fmax(one, other), p->value[0]});
}

/* Compares the halves with the whole, relative to the sum over all pieces. */
static bool agree(const builder *b, const piece *whole, const piece *half)
{
    const double allowed = 1e-12;
    const arm *const a = &b->arms[whole->arm];
    /* the relative rounding error of the distance from an anchor other than 0 */
    const double rounding = 4 * DBL_EPSILON * fabs(a->anchor) / (a->width * exp(whole->from));
    for (int j = 0; j < VALUES; j++) {
        const double size = fabs(half[0].value[j]) + fabs(half[1].value[j]);
        const double off = fabs(half[0].value[j] + half[1].value[j] - whole->value[j]);
        if (off > allowed * b->magnitude[j] + rounding * size && isfinite(off) && isfinite(b->magnitude[j]))
            return false;
    }
    return whole->to - whole->from < 40; /* a wider piece could hide a peak */
}

static bool halve(builder *b, bool last)
{
    const size_t count = b->active_count;
    piece *const half = gb_tape_keep(b->f->c->tape, (2 * count + 1) * sizeof *half);
    points at;
    if (!half)
        return false;
    for (size_t i = 0; i < count; i++) {
        const piece *const whole = &b->active[i];
        const double middle = (whole->from + whole->to) / 2;
        half[2 * i] = (piece){.arm = whole->arm, .from = whole->from, .to = middle};
        half[2 * i + 1] = (piece){.arm = whole->arm, .from = middle, .to = whole->to};
    }
    if (!evaluate(b, 2 * count, half, &at))
        return false;
    for (size_t i = 0; i < 2 * count; i++)
        sum_up(b, &half[i], &at, i * NODES);
    size_t left = 0;
    piece *const next = gb_tape_keep(b->f->c->tape, (2 * count + 1) * sizeof *next);
    for (size_t i = 0; next && i < count; i++) {
        const piece *const pair = &half[2 * i];
        const bool done = agree(b, &b->active[i], pair);
        for (int j = 0; j < VALUES; j++)
            b->magnitude[j] += fabs(pair[0].value[j]) + fabs(pair[1].value[j]) - fabs(b->active[i].value[j]);
        if (!done && !last) {
            next[left++] = pair[0];
            next[left++] = pair[1];
            continue;
        }
        b->rule->error += fabs(pair[0].value[0] + pair[1].value[0] - b->active[i].value[0]);
        b->rule->entropy_error += fabs(pair[0].value[1] + pair[1].value[1] - b->active[i].value[1]);
        if (!keep_cell(b, &pair[0], &at, 2 * i * NODES) || !keep_cell(b, &pair[1], &at, (2 * i + 1) * NODES))
            return false;
    }
    b->active = next;
    b->active_count = left;
    return next != NULL;
}

/* ---- nearer to an anchor than numbers resolve: a power of the distance ---- */

static bool add_nearest(builder *b, const arm *a)
{
    const double distance = a->width * exp(a->from);
    const double x[] = {a->anchor + a->sign * distance, a->anchor + a->sign * 2 * distance};
    double log_p[4]; /* also of another density */
    if (!gb_rule_reserve(b->rule, b->f->c->tape, 1) || !gb_case_evaluate(b->f, 2, x, log_p))
        return false;
    if (log_p[0] == -INFINITY || distance == 0)
        return true;
    const double power = 1 + (log_p[1] - log_p[0]) / log(2);
    const double weight = distance / fmax(power, 1e-3);
    const double mass = weight * exp(log_p[0]);
    gb_rule_add(b->rule, &x[0], weight, log_p[0]);
    b->rule->error += mass * (fabs(power - 1) > 1e-3 ? 1e-2 : 1e-6);
    b->rule->entropy_error += mass * (fabs(power - 1) > 1e-3 ? 1 + fabs(log_p[0]) : 1e-6);
    return add_cell(b, (cell){fmin(a->anchor, x[0]), fmax(a->anchor, x[0]), mass});
}

/* ---- atoms: a value that repeats among draws has a probability of its own ---- */

static bool add_atom(builder *b, double x)
{
    double log_p[2];
    if (!gb_rule_reserve(b->rule, b->f->c->tape, 1) || !gb_case_evaluate(b->f, 1, &x, log_p))
        return false;
    gb_rule_add(b->rule, &x, 1, log_p[0]);
    for (size_t i = 0; i < b->cell_count; i++) { /* cells end there, but for rounding */
        cell *const one = &b->cells[i];
        const double near = 1e-12 * fmax(fabs(x), b->rule->width);
        one->low = fabs(one->low - x) < near ? x : one->low;
        one->high = fabs(one->high - x) < near ? x : one->high;
    }
    return add_cell(b, (cell){x, x, exp(log_p[0])});
}

static bool add_atoms(builder *b, size_t count, const double *sorted)
{
    size_t first = 0;
    for (size_t i = 1; i <= count; i++) {
        if (i < count && sorted[i] == sorted[first])
            continue;
        if (i - first > count / 16 && !add_atom(b, sorted[first]))
            return false;
        first = i;
    }
    return true;
}

/* ---- the whole ---- */

static int by_place(const void *a, const void *b)
{
    const cell *const x = a, *const y = b;
    const int by_low = (x->low > y->low) - (x->low < y->low);
    return by_low ? by_low : (x->high > y->high) - (x->high < y->high);
}

static bool sort_cells(builder *b)
{
    gb_rule *const rule = b->rule;
    double sum = 0;
    rule->edge = gb_tape_keep(b->f->c->tape, (b->cell_count + 1) * sizeof *rule->edge);
    rule->mass = gb_tape_keep(b->f->c->tape, (b->cell_count + 1) * sizeof *rule->mass);
    if (!rule->edge || !rule->mass)
        return false;
    qsort(b->cells, b->cell_count, sizeof *b->cells, by_place);
    for (size_t i = 0; i < b->cell_count; i++) {
        sum += b->cells[i].mass;
        if (rule->edges == 0 || b->cells[i].high > rule->edge[rule->edges - 1])
            rule->edge[rule->edges++] = b->cells[i].high;
        rule->mass[rule->edges - 1] = sum;
    }
    return true;
}

bool gb_rule_of_numbers(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *sorted)
{
    builder b = {.rule = rule, .f = f};
    points at;
    b.active = gb_tape_keep(f->c->tape, FIRST_PIECES * sizeof *b.active);
    if (!b.active || !make_arms(&b, d, rule->centre))
        return false;
    for (size_t i = 0; i < b.arm_count; i++)
        cut_arm(&b, i, count, sorted);
    if (!evaluate(&b, b.active_count, b.active, &at))
        return false;
    for (size_t i = 0; i < b.active_count; i++) {
        sum_up(&b, &b.active[i], &at, i * NODES);
        for (int j = 0; j < VALUES; j++)
            b.magnitude[j] += fabs(b.active[i].value[j]);
    }
    for (int i = 0; i < GENERATIONS && b.active_count > 0; i++)
        if (!halve(&b, i == GENERATIONS - 1 || rule->count + b.active_count * NODES > MOST_POINTS))
            return false;
    for (size_t i = 0; i < b.arm_count; i++)
        if (!add_nearest(&b, &b.arms[i]))
            return false;
    return add_atoms(&b, count, sorted) && sort_cells(&b);
}
