/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integrals of densities of vectors and matrices with at most three free elements: by the trapezoidal rule
 * over the real vectors u from which the support is reached. Draws centre and whiten them: u = m + L v, each
 * v = sinh t. */
#include "kit/distributions/rule/vectors_impl.h"

#include <math.h>

#include "kit/shell/values_impl.h"
#include "ops/array.h"
#include "ops/reduce.h"

enum { MOST = 3, ROWS = 2048 };

typedef struct grid {
    gb_rule *rule;
    gb_dist_case *c;
    gb_node u, x, log_p, log_slope;
    gb_program *there; /* evaluates x, log_p and log_slope of u */
    size_t free;
    double mean[MOST], factor[MOST][MOST], log_volume;
    size_t half; /* points from the centre outwards, in each direction */
    double step;
    double coarse; /* the mass by every second point */
} grid;

static bool record(grid *g, gb_dist d)
{
    gb_dist_case *const c = g->c;
    char name[48];
    const gb_transform reach = gb_dist_reach(d);
    const gb_shape free = gb_transform_inverse_shape(reach, c->shape);
    snprintf(name, sizeof name, "kit u %zu", gb_tape_length(c->tape));
    g->u = gb_input_rows(c->tape, name, free);
    g->x = gb_transform_forward(reach, g->u);
    gb_shape each = free; /* one number for each event of the transform */
    each.rank -= gb_transform_from(reach)->event_rank;
    const gb_node slope = gb_broadcast(gb_transform_log_jacobian(reach, g->u, g->x), each);
    g->x = gb_widen(g->x, GB_ROWS);
    g->log_p = gb_widen(gb_log_prob(d, g->x), GB_ROWS);
    g->log_slope = gb_widen(gb_sum(slope), GB_ROWS);
    g->there = gb_compile(c->tape, gb_roots(g->x, g->log_p, g->log_slope), gb_no_update);
    g->free = gb_shape_count(free);
    return g->there != NULL;
}

/* ---- the location of the draws, in u ---- */

static double *free_draws(grid *g, gb_dist d, size_t count, const double *draws)
{
    gb_dist_case *const c = g->c;
    gb_case_function f;
    size_t read;
    gb_case_function_begin(&f, c);
    const gb_node u = gb_widen(gb_transform_inverse(gb_dist_reach(d), f.x), GB_ROWS);
    gb_program *const program = gb_compile(c->tape, gb_roots(u), gb_no_update);
    if (gb_feed(f.x, draws, (int64_t)count) != GB_OK || gb_run(program) != GB_OK)
        return NULL;
    double *const values = gb_kit_read(c->tape, u, &read);
    gb_program_free(program);
    return read == count * g->free ? values : NULL;
}

static void whiten(grid *g, size_t count, const double *u)
{
    double covariance[MOST][MOST] = {{0}};
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < g->free; a++)
            g->mean[a] += u[i * g->free + a] / (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < g->free; a++)
            for (size_t b = 0; b <= a; b++)
                covariance[a][b] +=
                    (u[i * g->free + a] - g->mean[a]) * (u[i * g->free + b] - g->mean[b]) / (double)count;
    for (size_t a = 0; a < g->free; a++) {
        for (size_t b = 0; b <= a; b++) {
            double left = covariance[a][b];
            for (size_t k = 0; k < b; k++)
                left -= g->factor[a][k] * g->factor[b][k];
            g->factor[a][b] = a == b ? sqrt(fmax(left, 1e-300)) : left / g->factor[b][b];
        }
        g->log_volume += log(g->factor[a][a] * g->step);
    }
}

/* ---- the grid ---- */

/* Computes point number `index`: u, the logarithm of its weight, and whether the grid with half as many
 * points has it. */
static bool point(const grid *g, size_t index, double *u, double *log_weight)
{
    const size_t places = 2 * g->half + 1;
    double v[MOST];
    bool coarse = true;
    *log_weight = g->log_volume;
    for (size_t a = 0; a < g->free; a++, index /= places) {
        const double k = (double)(index % places) - (double)g->half;
        v[a] = sinh(k * g->step);
        *log_weight += log(cosh(k * g->step));
        coarse &= fmod(k, 2) == 0;
    }
    for (size_t a = 0; a < g->free; a++) {
        u[a] = g->mean[a];
        for (size_t b = 0; b <= a; b++)
            u[a] += g->factor[a][b] * v[b];
    }
    return coarse;
}

static bool add_points(grid *g, size_t first, size_t count, double *buffer)
{
    double log_weight[ROWS];
    bool coarse[ROWS];
    double *const x = buffer + ROWS * MOST, *const log_p = x + ROWS * g->c->size, *const slope = log_p + ROWS;
    for (size_t i = 0; i < ROWS; i++)
        coarse[i] = point(g, first + (i < count ? i : 0), buffer + i * g->free, &log_weight[i]);
    if (gb_feed(g->u, buffer, ROWS) != GB_OK || gb_run(g->there) != GB_OK ||
        gb_read(g->x, x, ROWS * g->c->size) != GB_OK || gb_read(g->log_p, log_p, ROWS) != GB_OK ||
        gb_read(g->log_slope, slope, ROWS) != GB_OK || !gb_rule_reserve(g->rule, g->c->tape, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const double weight = exp(log_weight[i] + slope[i]);
        gb_rule_add(g->rule, x + i * g->c->size, weight,
                    weight > 0 || isnan(slope[i]) ? log_p[i] : -INFINITY);
        if (coarse[i])
            g->coarse += gb_rule_mass(g->rule, g->rule->count - 1) * ldexp(1, (int)g->free);
    }
    return true;
}

bool gb_rule_of_vectors(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *draws)
{
    static const size_t halves[MOST + 1] = {0, 200, 60, 24};
    const double reach = 4.8; /* sinh of it is 60 */
    grid g = {.rule = rule, .c = f->c};
    size_t all = 1;
    if (!record(&g, d) || g.free < 1 || g.free > MOST)
        return false;
    double *const u = free_draws(&g, d, count, draws);
    double *const buffer = gb_tape_keep(g.c->tape, ROWS * (MOST + g.c->size + 2) * sizeof *buffer);
    if (!u || !buffer)
        return false;
    g.half = halves[g.free];
    g.step = reach / (double)g.half;
    whiten(&g, count, u);
    for (size_t a = 0; a < g.free; a++)
        all *= 2 * g.half + 1;
    for (size_t first = 0; first < all; first += ROWS)
        if (!add_points(&g, first, all - first < ROWS ? all - first : ROWS, buffer))
            return false;
    /* for a smooth density, each halving of the step squares the error */
    const double off = fabs(rule->total - g.coarse);
    rule->error = off < 1e-3 ? 1e-10 + 100 * off * off : off;
    rule->entropy_error = 100 * rule->error;
    rule->places = 2 * g.half + 1;
    rule->free = g.free;
    return true;
}
