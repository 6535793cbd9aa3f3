/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient of the ELBO in q's locations and scales, from draws' gradients of log p.
 *
 * For q = N(m, C) the gradient in m is g = E ∇log p, and a natural step moves m by C g. In the logarithm of
 * the scale of number i it is E (z_i − m_i) ∂_i log p + 1; the 1 is the entropy's. */
#include <math.h>
#include <string.h>

#include "fitting/density/density_impl.h"
#include "fitting/judge/judging_impl.h"
#include "models/elbo/elbo_impl.h"

/* Errors come from the spread over this many blocks of draws. */
enum { BLOCKS = 16 };

/* Numbers whose q is one normal: a vector with a covariance, or each by itself. */
typedef struct group {
    size_t first, count;
    bool is_dense, has_scale;
} group;

/* Returns false where the ELBO's gradient in q is not that of a normal's location. */
static bool group_of(const gb_density *d, size_t part, group *g)
{
    const gb_placed *const at = &d->placed[part], *const vector = at->vector;
    const gb_family family = vector ? vector->kept->family : at->kept->family;
    *g = (group){.first = d->part[part].first, .count = d->part[part].count, .has_scale = true};
    if (vector) { /* once for the block: at its first part */
        if (part > 0 && d->placed[part - 1].vector == vector)
            return false;
        g->count = 0;
        for (size_t k = part; k < d->parts && d->placed[k].vector == vector; k++)
            g->count += d->part[k].count;
    }
    g->is_dense = family.type == &gb_full_rank_family_type || family.type == &gb_low_rank_family_type;
    g->has_scale = family.type != &gb_low_rank_family_type;
    return g->is_dense || family.type == &gb_mean_field_family_type;
}

/* What is measured of one group in one block of draws. */
typedef struct block {
    double *slope, *move, *stretch;
} block;

static void measure(const gb_own_judgement *j, const group *g, const double *mean, size_t from, size_t to,
                    const block *b)
{
    double counted = 0;
    memset(b->slope, 0, j->n * sizeof(double));
    memset(b->stretch, 0, j->n * sizeof(double));
    for (size_t s = from; s < to; s++) {
        if (j->own.log_ratio[s] == -INFINITY)
            continue;
        counted++;
        for (size_t i = g->first; i < g->first + g->count; i++) {
            const double slope = j->gradient[s * j->n + i];
            b->slope[i] += slope;
            b->stretch[i] += slope * (j->own.z[s * j->n + i] - mean[i]);
        }
    }
    for (size_t i = g->first; i < g->first + g->count; i++) {
        b->slope[i] /= counted;
        b->stretch[i] = 1 + b->stretch[i] / counted;
    }
}

/* C g, where C is the covariance of all draws, or its diagonal. In units of sd. */
static void step_along(const gb_own_judgement *j, const group *g, const double *mean, size_t draws,
                       const block *b)
{
    memset(b->move, 0, j->n * sizeof(double));
    for (size_t s = 0; s < draws && g->is_dense; s++) {
        const double *const z = j->own.z + s * j->n;
        double along = 0;
        for (size_t i = g->first; i < g->first + g->count; i++)
            along += (z[i] - mean[i]) * b->slope[i];
        for (size_t i = g->first; i < g->first + g->count; i++)
            b->move[i] += (z[i] - mean[i]) * along / (double)draws;
    }
    for (size_t i = g->first; i < g->first + g->count; i++) {
        const double sd = j->judged[i].sd;
        b->move[i] = g->is_dense ? b->move[i] / sd : sd * b->slope[i];
    }
}

typedef struct sums {
    double *mean, *square; /* of moves, then of stretches */
    double gain;
} sums;

static void add_block(const gb_own_judgement *j, const group *g, const block *b, const block *before,
                      size_t number, sums *to)
{
    for (size_t i = g->first; i < g->first + g->count; i++) {
        const double x[2] = {b->move[i], b->stretch[i]};
        for (size_t k = 0; k < 2; k++) {
            to->mean[k * j->n + i] += x[k] / BLOCKS;
            to->square[k * j->n + i] += x[k] * x[k] / BLOCKS;
        }
        /* A product over two blocks has no bias by their noise. */
        if (number % 2) {
            to->gain += before->move[i] * b->slope[i] * j->judged[i].sd / BLOCKS;
            if (!g->is_dense) /* else its noise is as large as the condition number */
                to->gain += before->stretch[i] * b->stretch[i] / 2 / BLOCKS;
        }
    }
}

static void finish(gb_own_judgement *j, const group *g, const sums *from)
{
    for (size_t i = g->first; i < g->first + g->count; i++) {
        gb_judged *const out = &j->judged[i];
        const double *const mean = from->mean + i, *const square = from->square + i;
        out->move = *mean;
        out->move_error = sqrt(fmax(*square - *mean * *mean, 0) / (BLOCKS - 1));
        if (!g->has_scale)
            continue;
        out->stretch = mean[j->n];
        out->stretch_error = sqrt(fmax(square[j->n] - mean[j->n] * mean[j->n], 0) / (BLOCKS - 1));
    }
}

static bool is_one(gb_node x)
{
    double value;
    return !gb_node_ok(x) || (gb_is_uniform(x, &value) && value == 1);
}

bool gb_judge_slope(gb_own_judgement *j, size_t draws)
{
    const gb_density *const d = j->shown.density;
    const gb_elbo_options *const o = &d->elbo->options;
    for (size_t i = 0; i < j->n; i++)
        j->judged[i].move = j->judged[i].move_error = j->judged[i].stretch = j->judged[i].stretch_error =
            (double)NAN;
    j->shown.gain = (double)NAN;
    if (o->bound.type != &gb_evidence_bound_type || !is_one(o->kl_weight))
        return true; /* q was fitted to something else */
    double *const room = gb_memory_resize(&j->memory, NULL, 11 * j->n * sizeof *room);
    if (!room)
        return gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", j->n) == GB_OK;
    double *const mean = room;
    block b[2];
    for (size_t k = 0; k < 2; k++)
        b[k] = (block){room + (1 + 3 * k) * j->n, room + (2 + 3 * k) * j->n, room + (3 + 3 * k) * j->n};
    sums sum = {.mean = room + 7 * j->n, .square = room + 9 * j->n};
    memset(sum.mean, 0, 4 * j->n * sizeof *room);
    for (size_t i = 0; i < j->n; i++)
        mean[i] = j->judged[i].mean;
    bool is_some = false;
    for (size_t part = 0; part < d->parts; part++) {
        group g;
        if (!group_of(d, part, &g))
            continue;
        is_some = true;
        for (size_t k = 0; k < BLOCKS; k++) {
            measure(j, &g, mean, k * draws / BLOCKS, (k + 1) * draws / BLOCKS, &b[k % 2]);
            step_along(j, &g, mean, draws, &b[k % 2]);
            add_block(j, &g, &b[k % 2], &b[(k + 1) % 2], k, &sum);
        }
        finish(j, &g, &sum);
    }
    if (is_some)
        j->shown.gain = fmax(sum.gain, 0);
    gb_memory_release(&j->memory, room);
    return true;
}
