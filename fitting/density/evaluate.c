/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating a density at points: many in one run, and over all batches of the data. */
#include <math.h>
#include <string.h>

#include "core/gradient.h"
#include "core/graph/buffers_impl.h"
#include "core/graph/feeds_impl.h"
#include "core/run/tolerant_impl.h"
#include "core/tape/input_impl.h"
#include "fitting/density/density_impl.h"
#include "models/training/data_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* Points of one run at most: enough that the run costs more than starting it, and few enough that its values
 * stay near the processor. */
enum { MOST_POINTS = 256, FEW_POINTS = 4, NEAR_BYTES = 1 << 19 };

/* ---- programs ---- */

/* The gradient of Σ gradient · v over all points is H v of each. */
static gb_node product_of(gb_density *d)
{
    const gb_shape shape = gb_shape((int64_t)d->count);
    d->direction = gb_input_points(d->tape, "the directions of a density", shape);
    const gb_node slope = gb_sum_over(gb_sum(gb_mul(d->gradient, d->direction)), GB_SAMPLES);
    return gb_widen(gb_grad(slope, d->points), GB_SAMPLES);
}

static size_t roots_of(gb_density *d, gb_density_kind kind, gb_node root[2])
{
    switch (kind) {
    case GB_DENSITY_HEIGHT: root[0] = d->log_p; return 1;
    case GB_DENSITY_GRADIENT: root[0] = d->log_p, root[1] = d->gradient; return 2;
    case GB_DENSITY_PRODUCT: root[0] = product_of(d); return 1;
    case GB_DENSITY_VALUES: root[0] = gb_density_all_values(d); return 1;
    case GB_DENSITY_FREE: root[0] = gb_density_all_free(d); return 1;
    case GB_DENSITY_DRAW: gb_density_all_draws(d, root); return 2;
    case GB_DENSITY_KINDS: break;
    }
    return 0;
}

static gb_program *program_of(gb_density *d, gb_density_kind kind)
{
    gb_node root[2];
    if (gb_error(d->tape) != GB_OK || d->program[kind])
        return gb_error(d->tape) == GB_OK ? d->program[kind] : NULL;
    const size_t count = roots_of(d, kind, root);
    d->program[kind] = gb_compile(d->tape, gb_roots_of(count, root), gb_no_update);
    gb_program_tolerate(d->program[kind], NULL);
    return d->program[kind];
}

gb_feeds *gb_density_feeds(gb_density *d)
{
    gb_program *const program = program_of(d, GB_DENSITY_GRADIENT);
    return program ? gb_feeds_new(program) : NULL;
}

/* ---- runs ---- */

/* What a run reads and writes. */
typedef struct evaluation {
    gb_density_kind kind;
    gb_node input[2]; /* points, directions; inert: none */
    const double *from[2];
    double *to[2];
    size_t each[2]; /* numbers for each point of a result */
} evaluation;

static double *scratch(gb_density *d, size_t count)
{
    if (count > d->room) {
        double *const larger = gb_tape_keep(d->tape, 2 * count * sizeof *larger);
        d->scratch = larger ? larger : d->scratch;
        d->room = larger ? 2 * count : d->room;
    }
    return count <= d->room ? d->scratch : NULL;
}

/* Log p is that of the data set. */
static bool data_fit(const gb_density *d, gb_program *program)
{
    return gb_data_fit(d->elbo, "density", program, d->options.data, d->options.part_of_data);
}

/* Feeds points, from number `first` on. */
static gb_status feed(gb_density *d, const evaluation *v, size_t first, size_t points)
{
    const size_t n[2] = {v->kind == GB_DENSITY_FREE ? d->value_count : d->count, d->count};
    for (size_t k = 0; k < 2; k++) {
        const double *const from = v->from[k] ? v->from[k] + first * n[k] : NULL;
        if (from &&
            (gb_tape_real(d->tape) == GB_DOUBLE ? gb_feed_borrowed(v->input[k], from, (int64_t)points)
                                                : gb_feed(v->input[k], from, (int64_t)points)) != GB_OK)
            return gb_error(d->tape);
    }
    return gb_program_set_samples(d->program[v->kind], (int64_t)points);
}

/* Finds how many points have their values near the processor, from plans for few. Values of a large model,
 * such as a matrix for each point, would leave it; or there might be no memory for them. */
static bool find_at_once(gb_density *d, const evaluation *v)
{
    gb_program *const program = d->program[v->kind];
    size_t few, fewer, most = MOST_POINTS;
    if (feed(d, v, 0, FEW_POINTS) != GB_OK || !gb_program_buffers(program, &few))
        return false;
    if (few > FEW_POINTS * (NEAR_BYTES / MOST_POINTS)) { /* or most of that is there once */
        if (feed(d, v, 0, FEW_POINTS / 2) != GB_OK || !gb_program_buffers(program, &fewer))
            return false;
        const size_t each = (few - fewer) / (FEW_POINTS - FEW_POINTS / 2);
        most = NEAR_BYTES / (each + 1);
    }
    d->at_once[v->kind] = most < FEW_POINTS ? FEW_POINTS : most < MOST_POINTS ? most : MOST_POINTS;
    return true;
}

/* Reads the results of a run, or adds `weight` times them if there are several batches. */
static gb_status take(gb_density *d, const evaluation *v, size_t first, size_t points, bool adds,
                      double weight)
{
    for (size_t k = 0; k < 2; k++) {
        const size_t count = points * v->each[k];
        double *const to = v->to[k] ? v->to[k] + first * v->each[k] : NULL, *const now =
                                                                                to && adds ? scratch(d, count)
                                                                                           : to;
        if (!to)
            continue;
        if (!now || gb_read_root(d->program[v->kind], k, now) != GB_OK)
            return gb_error(d->tape);
        for (size_t i = 0; i < count && adds; i++)
            to[i] += weight * now[i];
    }
    return GB_OK;
}

/* On the rows at hand. */
static gb_status run_points(gb_density *d, const evaluation *v, size_t points, bool adds, double weight)
{
    const bool has_data = v->kind <= GB_DENSITY_PRODUCT, is_cut = has_data && points > FEW_POINTS;
    const size_t few = points < FEW_POINTS ? points : FEW_POINTS;
    if (has_data && (feed(d, v, 0, few) != GB_OK || !data_fit(d, d->program[v->kind])))
        return gb_error(d->tape);
    if (is_cut && d->at_once[v->kind] == 0 && !find_at_once(d, v))
        return gb_error(d->tape);
    for (size_t at = 0, now; at < points; at += now) {
        now = is_cut && points - at > d->at_once[v->kind] ? d->at_once[v->kind] : points - at;
        if (feed(d, v, at, now) != GB_OK || gb_run(d->program[v->kind]) != GB_OK ||
            take(d, v, at, now, adds, weight) != GB_OK)
            return gb_error(d->tape);
    }
    return gb_error(d->tape);
}

/* Each run estimates the density for all data; their mean over the batches, weighted with their rows, is
 * it. */
static gb_status run_batches(gb_density *d, const evaluation *v, size_t points)
{
    gb_batches *const data = d->options.data;
    const gb_batches_place before = gb_batches_at(data);
    const double rows = (double)gb_batches_rows(data);
    for (size_t k = 0; k < 2 && v->each[k]; k++)
        if (v->to[k])
            memset(v->to[k], 0, points * v->each[k] * sizeof(double));
    gb_status status = gb_batches_go(data, (gb_batches_place){0});
    for (int64_t at = 0; status == GB_OK && at < gb_batches_rows(data);) {
        gb_next_batch(data);
        const int64_t next = gb_batches_at(data).row;
        status = run_points(d, v, points, true, (double)(next - at) / rows);
        at = next;
    }
    gb_batches_go(data, before);
    return status;
}

static gb_status run_all(gb_density *d, const evaluation *v, size_t points)
{
    gb_batches *const data = d->options.data;
    if (data && gb_batches_count(data) > 1)
        return run_batches(d, v, points);
    const gb_batches_place before = gb_batches_at(data);
    if (data && (gb_batches_go(data, (gb_batches_place){0}) != GB_OK || !gb_next_batch(data)))
        return gb_error(d->tape);
    const gb_status status = run_points(d, v, points, false, 1);
    if (data)
        gb_batches_go(data, before);
    return status == GB_OK ? gb_error(d->tape) : status;
}

/* ---- results that are not finite ---- */

static bool all_finite(const double *x, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= isfinite(x[i]);
    return good;
}

/* Makes them −∞, with gradient 0. Returns how many there are. */
static size_t lose(size_t points, size_t n, double *log_p, double *gradient)
{
    size_t lost = 0;
    for (size_t i = 0; i < points; i++) {
        if (isfinite(log_p[i]) && (!gradient || all_finite(gradient + i * n, n)))
            continue;
        lost++;
        log_p[i] = -INFINITY;
        if (gradient)
            memset(gradient + i * n, 0, n * sizeof *gradient);
    }
    return lost;
}

static bool arrays_given(const gb_density *d, const char *who, size_t points, const double *from)
{
    if (gb_error(d->tape) == GB_OK && points > 0 && !from)
        gb_fail(d->tape, GB_EARGUMENT, "%s: %zu points are given, but the array is NULL", who, points);
    return gb_error(d->tape) == GB_OK;
}

static size_t fewer(size_t points)
{
    return points < MOST_POINTS ? points : MOST_POINTS;
}

gb_status gb_density_evaluate(gb_density *d, size_t points, const double *z, double *log_p, double *gradient,
                              size_t *lost)
{
    const gb_density_kind kind = gradient ? GB_DENSITY_GRADIENT : GB_DENSITY_HEIGHT;
    double own[MOST_POINTS];
    if (!log_p)
        memset(own, 0, sizeof own);
    if (lost)
        *lost = 0;
    if (!d || !arrays_given(d, "density_evaluate", points, z) || !program_of(d, kind))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    for (size_t at = 0, now; at < points; at += now) {
        now = fewer(points - at);
        double *const height = log_p ? log_p + at : own, *const slope =
                                                             gradient ? gradient + at * d->count : NULL;
        const evaluation v = {.kind = kind,
                              .input = {d->points},
                              .from = {z + at * d->count},
                              .to = {height, slope},
                              .each = {1, slope ? d->count : 0}};
        if (run_all(d, &v, now) != GB_OK)
            return gb_error(d->tape);
        const size_t some = lose(now, d->count, height, slope);
        if (lost)
            *lost += some;
    }
    return GB_OK;
}

gb_status gb_density_hessian_times(gb_density *d, size_t points, const double *z, const double *direction,
                                   double *product)
{
    if (!d || !arrays_given(d, "density_hessian_times", points, z) ||
        !arrays_given(d, "density_hessian_times", points, direction) ||
        !arrays_given(d, "density_hessian_times", points, product) || !program_of(d, GB_DENSITY_PRODUCT))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    const size_t n = d->count;
    for (size_t at = 0, now; at < points; at += now) {
        now = fewer(points - at);
        const evaluation v = {.kind = GB_DENSITY_PRODUCT,
                              .input = {d->points, d->direction},
                              .from = {z + at * n, direction + at * n},
                              .to = {product + at * n},
                              .each = {n}};
        if (run_all(d, &v, now) != GB_OK)
            return gb_error(d->tape);
        for (size_t i = at; i < at + now; i++)
            for (size_t k = 0; k < n && !all_finite(product + i * n, n); k++)
                product[i * n + k] = NAN;
    }
    return GB_OK;
}

/* Rows of H, `now` at a time: H e for unit vectors e, all at the same point. */
static gb_status hessian_rows(gb_density *d, const double *z, double *points, double *hessian)
{
    const size_t n = d->count, most = fewer(n);
    double *const direction = points + most * n;
    for (size_t i = 0; i < most; i++)
        memcpy(points + i * n, z, n * sizeof *z);
    for (size_t at = 0; at < n; at += most) {
        const size_t now = n - at < most ? n - at : most;
        memset(direction, 0, most * n * sizeof *direction);
        for (size_t i = 0; i < now; i++)
            direction[i * n + at + i] = 1;
        if (gb_density_hessian_times(d, now, points, direction, hessian + at * n) != GB_OK)
            return gb_error(d->tape);
    }
    return GB_OK;
}

gb_status gb_density_hessian(gb_density *d, const double *z, double *hessian)
{
    if (!d || !arrays_given(d, "density_hessian", 1, z) || !arrays_given(d, "density_hessian", 1, hessian))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    const size_t n = d->count;
    const gb_memory memory = gb_tape_memory(d->tape);
    double *const room = gb_memory_resize(&memory, NULL, 2 * fewer(n) * n * sizeof *room);
    if (!room)
        return gb_fail(d->tape, GB_ENOMEM, "density_hessian: out of memory");
    const gb_status status = hessian_rows(d, z, room, hessian);
    gb_memory_release(&memory, room);
    for (size_t i = 0; i < n && status == GB_OK; i++)
        for (size_t k = 0; k < i; k++)
            hessian[i * n + k] = hessian[k * n + i] = (hessian[i * n + k] + hessian[k * n + i]) / 2;
    return status;
}

/* ---- values, free numbers, draws ---- */

/* Runs that need no data. */
static gb_status run_plain(gb_density *d, gb_density_kind kind, size_t points, evaluation v)
{
    const size_t from = kind == GB_DENSITY_FREE ? d->value_count : d->count;
    v.kind = kind;
    for (size_t at = 0, now; at < points; at += now) {
        evaluation part = v;
        now = fewer(points - at);
        part.from[0] = v.from[0] ? v.from[0] + at * from : NULL;
        for (size_t k = 0; k < 2; k++)
            part.to[k] = v.to[k] ? v.to[k] + at * v.each[k] : NULL;
        if (run_points(d, &part, now, false, 1) != GB_OK)
            return gb_error(d->tape);
    }
    return gb_error(d->tape);
}

gb_status gb_density_values(gb_density *d, size_t points, const double *z, double *values)
{
    if (!d || !arrays_given(d, "density_values", points, z) ||
        !arrays_given(d, "density_values", points, values) || !program_of(d, GB_DENSITY_VALUES))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    return run_plain(
        d, GB_DENSITY_VALUES, points,
        (evaluation){.input = {d->points}, .from = {z}, .to = {values}, .each = {d->value_count}});
}

gb_status gb_density_free_numbers(gb_density *d, size_t points, const double *values, double *z)
{
    if (!d || !arrays_given(d, "density_free_numbers", points, values) ||
        !arrays_given(d, "density_free_numbers", points, z) || !program_of(d, GB_DENSITY_FREE))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    return run_plain(d, GB_DENSITY_FREE, points,
                     (evaluation){.input = {d->given}, .from = {values}, .to = {z}, .each = {d->count}});
}

/* Each part of the points has a step of its own: there is room for 2³² of them. */
gb_status gb_density_draw(gb_density *d, uint64_t step, size_t points, double *z, double *log_q)
{
    if (!d || gb_error(d->tape) != GB_OK || !program_of(d, GB_DENSITY_DRAW))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    if (step >> 31)
        return gb_fail(d->tape, GB_EARGUMENT, "density_draw: a step must be below 2^31");
    if (gb_program_set_step(d->program[GB_DENSITY_DRAW], step << 32) != GB_OK)
        return gb_error(d->tape);
    return run_plain(d, GB_DENSITY_DRAW, points, (evaluation){.to = {z, log_q}, .each = {d->count, 1}});
}

/* ---- nodes of the user's ---- */

gb_status gb_density_run(gb_density *d, gb_program *program, size_t points, const double *z)
{
    if (!d || !program || !arrays_given(d, "density_run", points, z))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    if (!gb_program_is_by(program, d))
        return gb_fail(d->tape, GB_EPROGRAM,
                       "density_run: the program was not made by gb_density_program for this density");
    if (gb_program_set_samples(program, (int64_t)points) == GB_OK &&
        gb_feed(d->points, z, (int64_t)points) == GB_OK)
        gb_run(program);
    return gb_error(d->tape);
}

/* ---- why there is no density ---- */

static bool point_is_finite(const gb_density *d, const double *z)
{
    char name[GB_DENSITY_TEXT];
    for (size_t i = 0; i < d->count; i++)
        if (!isfinite(z[i])) {
            gb_fail(d->tape, GB_ENONFINITE, "density: number %zu of the point (%s) is %g", i,
                    gb_density_free_name(d, i, name), z[i]);
            return false;
        }
    return true;
}

/* Runs it on all batches, or on what was fed. */
static void run_strictly(const gb_density *d, gb_program *program)
{
    gb_batches *const data = d->options.data;
    const gb_batches_place before = gb_batches_at(data);
    bool goes_on = !data || (gb_batches_go(data, (gb_batches_place){0}) == GB_OK && gb_next_batch(data));
    while (goes_on && data_fit(d, program) && gb_run(program) == GB_OK)
        goes_on = data && gb_batches_at(data).row < gb_batches_rows(data) && gb_next_batch(data);
    if (data && gb_error(d->tape) == GB_OK)
        gb_batches_go(data, before);
}

gb_status gb_density_explain(gb_density *d, const double *z)
{
    if (!d || !arrays_given(d, "density_explain", 1, z) || !point_is_finite(d, z))
        return d ? gb_error(d->tape) : GB_EARGUMENT;
    gb_program *const strict = gb_compile(d->tape, gb_roots(d->log_p, d->gradient), gb_no_update);
    gb_program_demand_finite(strict);
    if (strict && gb_program_set_samples(strict, 1) == GB_OK && gb_feed(d->points, z, 1) == GB_OK)
        run_strictly(d, strict);
    gb_program_free(strict);
    return gb_error(d->tape);
}
