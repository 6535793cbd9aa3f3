/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/nuts/tree_impl.h"

#include <math.h>
#include <string.h>

static const double MOST_ERROR = 1000; /* of the energy */

enum { SPAN_VECTORS = 7, TREE_VECTORS = 8 };

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void copy(size_t n, double *to, const double *from)
{
    memcpy(to, from, n * sizeof *to);
}

/* ---- leaps ---- */

void gb_leap_begin(const gb_metric *metric, double step, const double *gradient, double *z, double *p,
                   double *velocity)
{
    gb_leap_end(metric->n, step, gradient, p);
    gb_metric_velocity(metric, p, velocity);
    for (size_t i = 0; i < metric->n; i++)
        z[i] += step * velocity[i];
}

void gb_leap_end(size_t n, double step, const double *gradient, double *p)
{
    for (size_t i = 0; i < n; i++)
        p[i] += 0.5 * step * gradient[i];
}

double gb_energy(const gb_metric *metric, double log_p, const double *p, double *velocity)
{
    gb_metric_velocity(metric, p, velocity);
    const double energy = 0.5 * dot(metric->n, p, velocity) - log_p;
    return isnan(energy) ? INFINITY : energy;
}

/* ---- spans ---- */

static double *span_begin(gb_span *span, size_t n, double *memory)
{
    double **const vector[SPAN_VECTORS] = {&span->momentum, &span->p_begin, &span->p_end,   &span->v_begin,
                                           &span->v_end,    &span->z,       &span->gradient};
    for (int i = 0; i < SPAN_VECTORS; i++, memory += n)
        *vector[i] = memory;
    return memory;
}

size_t gb_tree_numbers(size_t n, int max_depth)
{
    return (TREE_VECTORS + SPAN_VECTORS * ((size_t)max_depth + 2)) * n;
}

void gb_tree_begin(gb_tree *tree, size_t n, int max_depth, gb_span *stack, double *memory)
{
    tree->n = n;
    tree->max_depth = max_depth;
    tree->stack = stack;
    double **const vector[TREE_VECTORS] = {&tree->z,        &tree->p,        &tree->velocity, &tree->z_end[0],
                                           &tree->z_end[1], &tree->g_end[0], &tree->g_end[1], &tree->where};
    for (int i = 0; i < TREE_VECTORS; i++, memory += n)
        *vector[i] = memory;
    memory = span_begin(&tree->whole, n, memory);
    for (int i = 0; i < max_depth + 1; i++)
        memory = span_begin(&stack[i], n, memory);
}

static void swap(double **a, double **b)
{
    double *const was = *a;
    *a = *b;
    *b = was;
}

static double log_sum(double a, double b)
{
    const double high = fmax(a, b);
    return isinf(high) ? high : high + log1p(exp(fmin(a, b) - high));
}

/* A span of one point. */
static void fill_leaf(gb_span *leaf, size_t n, const double *z, const double *p, const double *velocity,
                      const double *gradient)
{
    leaf->depth = 0;
    copy(n, leaf->momentum, p);
    copy(n, leaf->p_begin, p);
    copy(n, leaf->p_end, p);
    copy(n, leaf->v_begin, velocity);
    copy(n, leaf->v_end, velocity);
    copy(n, leaf->z, z);
    copy(n, leaf->gradient, gradient);
}

/* Whether both velocities have a part along a + b. */
static bool goes_on(size_t n, const double *v_begin, const double *v_end, const double *a, const double *b)
{
    double first = 0, last = 0;
    for (size_t i = 0; i < n; i++) {
        const double along = a[i] + b[i];
        first += v_begin[i] * along;
        last += v_end[i] * along;
    }
    return first > 0 && last > 0;
}

/* Whether the trajectory `a`, then `b`, does not turn back: as a whole, and from each to the nearest point of
 * the other. */
static bool persists(size_t n, const gb_span *a, const gb_span *b)
{
    return goes_on(n, a->v_begin, b->v_end, a->momentum, b->momentum) &&
           goes_on(n, a->v_begin, b->v_begin, a->momentum, b->p_begin) &&
           goes_on(n, a->v_end, b->v_end, b->momentum, a->p_end);
}

/* Appends b to a, by exchange of their vectors; b's point is taken with this probability. */
static void append(gb_span *a, gb_span *b, size_t n, double probability, gb_random *random)
{
    for (size_t i = 0; i < n; i++)
        a->momentum[i] += b->momentum[i];
    swap(&a->p_end, &b->p_end);
    swap(&a->v_end, &b->v_end);
    if (probability >= 1 || gb_random_uniform(random) < probability) {
        swap(&a->z, &b->z);
        swap(&a->gradient, &b->gradient);
        a->log_p = b->log_p;
        a->energy = b->energy;
    }
    a->log_weight = log_sum(a->log_weight, b->log_weight);
    a->depth++;
}

/* ---- the transition ---- */

/* Turns the whole round, so that it grows at its end. */
static void turn(gb_tree *tree)
{
    swap(&tree->whole.p_begin, &tree->whole.p_end);
    swap(&tree->whole.v_begin, &tree->whole.v_end);
    swap(&tree->z_end[0], &tree->z_end[1]);
    swap(&tree->g_end[0], &tree->g_end[1]);
    tree->forwards = !tree->forwards;
}

static void leap(gb_tree *tree, const double *gradient)
{
    gb_leap_begin(tree->metric, tree->direction * tree->step, gradient, tree->z, tree->p, tree->velocity);
}

/* Begins a doubling, in a random direction. */
static void double_whole(gb_tree *tree)
{
    tree->direction = gb_random_uniform(tree->random) > 0.5 ? 1 : -1;
    if (tree->forwards != (tree->direction > 0))
        turn(tree);
    copy(tree->n, tree->z, tree->z_end[1]);
    copy(tree->n, tree->p, tree->whole.p_end);
    tree->parts = 0;
    leap(tree, tree->g_end[1]);
}

void gb_tree_start(gb_tree *tree, const double *z, double log_p, const double *gradient)
{
    gb_span *const whole = &tree->whole;
    const size_t n = tree->n;
    gb_metric_draw(tree->metric, tree->random, tree->p);
    tree->energy = gb_energy(tree->metric, log_p, tree->p, tree->velocity);
    fill_leaf(whole, n, z, tree->p, tree->velocity, gradient);
    whole->log_weight = 0;
    whole->log_p = log_p;
    whole->energy = tree->energy;
    for (int i = 0; i < 2; i++) {
        copy(n, tree->z_end[i], z);
        copy(n, tree->g_end[i], gradient);
    }
    tree->forwards = true;
    tree->accepted = 0;
    tree->leaps = 0;
    tree->diverged = false;
    double_whole(tree);
}

/* Adds the point that was evaluated. Returns false if it diverged, or if a part turns back. */
static bool add_leaf(gb_tree *tree, double log_p, const double *gradient)
{
    gb_span *const leaf = &tree->stack[tree->parts];
    gb_leap_end(tree->n, tree->direction * tree->step, gradient, tree->p);
    leaf->energy = gb_energy(tree->metric, log_p, tree->p, tree->velocity);
    leaf->log_weight = tree->energy - leaf->energy;
    leaf->log_p = log_p;
    tree->leaps++;
    tree->accepted += leaf->log_weight > 0 ? 1 : exp(leaf->log_weight);
    if (leaf->energy - tree->energy > MOST_ERROR) {
        tree->diverged = true;
        copy(tree->n, tree->where, tree->z);
        return false;
    }
    fill_leaf(leaf, tree->n, tree->z, tree->p, tree->velocity, gradient);
    tree->parts++;
    while (tree->parts > 1 && tree->stack[tree->parts - 1].depth == tree->stack[tree->parts - 2].depth) {
        gb_span *const last = &tree->stack[--tree->parts], *const before = last - 1;
        const bool good = persists(tree->n, before, last);
        const double both = log_sum(before->log_weight, last->log_weight);
        append(before, last, tree->n, exp(last->log_weight - both), tree->random);
        if (!good)
            return false;
    }
    return true;
}

/* Joins the whole and its finished doubling. Returns whether it is to be doubled again. */
static bool join(gb_tree *tree, const double *gradient)
{
    gb_span *const whole = &tree->whole, *const more = &tree->stack[0];
    const bool good = persists(tree->n, whole, more);
    copy(tree->n, tree->z_end[1], tree->z);
    copy(tree->n, tree->g_end[1], gradient);
    append(whole, more, tree->n, exp(more->log_weight - whole->log_weight), tree->random);
    return good && whole->depth < tree->max_depth;
}

bool gb_tree_take(gb_tree *tree, double log_p, const double *gradient)
{
    if (!add_leaf(tree, log_p, gradient))
        return false;
    if (tree->stack[0].depth < tree->whole.depth) {
        leap(tree, gradient);
        return true;
    }
    if (!join(tree, gradient))
        return false;
    double_whole(tree);
    return true;
}
