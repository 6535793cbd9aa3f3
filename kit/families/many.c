/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More free numbers than integrals reach. Draws u of q are compared with log q by identities that hold in any
 * number of dimensions, with expectations under q:
 *
 *     E[∂ log q / ∂u_i] = 0,   E[(u_i − c_i) ∂ log q / ∂u_j] = −1 if i = j, else 0   (Stein)
 *     E[∂ log q / ∂θ] = 0,     ∂E[f] / ∂θ = E[f ∂ log q / ∂θ]
 *
 * log q is that of given values, not of own draws. */
#include <math.h>
#include <stdlib.h>

#include "compare/moments.h"
#include "core/gradient.h"
#include "core/program.h"
#include "kit/families/law_impl.h"
#include "kit/shell/chance_impl.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

enum { RUNS = 60, SAMPLES = 400 };
static const double chance = 1e-9;

typedef struct many {
    gb_family_case *c;
    gb_node drawn;         /* u of each sample */
    gb_node point, centre; /* inputs: the same numbers as rows; c */
    gb_node mean, stein;   /* over the points: ∂ log q / ∂u, and its products with u − c */
    gb_node score[GB_FAMILY_VARIABLES], by_score[GB_FAMILY_VARIABLES], slope[GB_FAMILY_VARIABLES];
} many;

/* Bounded, and of all numbers. */
static gb_node function(gb_node u)
{
    return gb_add(gb_cos(gb_shift(gb_sum(u), 0.4)), gb_sum(gb_sin(gb_shift(gb_scale(u, 1.3), 0.2))));
}

static void record(many *m)
{
    const gb_family_case *const c = m->c;
    const gb_shape free = c->slot.free, flat = gb_shape(gb_slot_count(&c->slot));
    const gb_node u = gb_continuous_in(gb_family_free(c, c->value), 1, &c->value);
    m->drawn = gb_reshape(gb_stop(u), flat);
    m->point = gb_input_rows(c->tape, "point", flat);
    m->centre = gb_input(c->tape, "centre", flat);
    const gb_node log_q = gb_family_log_density(c, gb_reshape(m->point, free));
    const gb_node slope = gb_grad(gb_sum_over(log_q, GB_ROWS), m->point);
    m->mean = gb_mean_over(slope, GB_ROWS);
    m->stein = gb_mean_over(gb_outer(gb_sub(m->point, m->centre), slope), GB_ROWS);
    gb_grads(gb_mean_over(log_q, GB_ROWS), c->variable, c->count, m->score);
    const gb_node off = gb_sub(function(m->point), function(m->centre)); /* a baseline, for less noise */
    gb_grads(gb_mean_over(gb_mul(gb_stop(off), log_q), GB_ROWS), c->variable, c->count, m->by_score);
    gb_grads(gb_expected(c->expect, function(u)), c->variable, c->count, m->slope);
}

/* ---- what is averaged over the runs ---- */

typedef struct averages {
    size_t count;
    gb_moments *of;
    double *x;
} averages;

static averages averages_of(const gb_family_case *c, size_t count)
{
    averages a = {.of = gb_tape_keep(c->tape, (count + 1) * sizeof *a.of),
                  .x = gb_tape_keep(c->tape, (count + 1) * sizeof *a.x)};
    a.count = a.of && a.x ? count : 0;
    return a;
}

/* Reads a node, less another one if it is given. */
static bool add(averages *a, gb_node node, gb_node less, gb_tape *tape)
{
    double *const other = gb_tape_keep(tape, (a->count + 1) * sizeof *other);
    if (!a->count || !other || gb_read(node, a->x, a->count) != GB_OK ||
        (gb_node_ok(less) && gb_read(less, other, a->count) != GB_OK))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const double x = a->x[i] - (gb_node_ok(less) ? other[i] : 0);
        gb_moments_add(&a->of[i], 1, &x, 1);
    }
    return true;
}

static bool is_near(const gb_moments *of, double should, double *allowed)
{
    const double bound = gb_chance_student(chance, RUNS - 1);
    *allowed = bound * sqrt(gb_moments_variance(of) / RUNS) + 1e-9;
    return fabs(of->mean - should) <= *allowed;
}

/* ---- the checks ---- */

typedef struct findings {
    averages mean, stein, score[GB_FAMILY_VARIABLES], slope[GB_FAMILY_VARIABLES];
} findings;

static findings findings_of(const many *m)
{
    const size_t n = (size_t)gb_slot_count(&m->c->slot);
    findings f = {.mean = averages_of(m->c, n), .stein = averages_of(m->c, n * n)};
    for (size_t i = 0; i < m->c->count; i++) {
        f.score[i] = averages_of(m->c, gb_value_count(m->c->variable[i]));
        f.slope[i] = averages_of(m->c, gb_value_count(m->c->variable[i]));
    }
    return f;
}

static gb_node_list roots_at_points(const many *m, gb_node *root)
{
    size_t count = 0;
    root[count++] = m->mean;
    root[count++] = m->stein;
    for (size_t i = 0; i < m->c->count; i++) {
        root[count++] = m->score[i];
        root[count++] = m->by_score[i];
    }
    return (gb_node_list){.count = count, .node = root};
}

static gb_node_list roots_of_draws(const many *m, gb_node *root)
{
    size_t count = 0;
    root[count++] = m->drawn;
    for (size_t i = 0; i < m->c->count; i++)
        root[count++] = m->slope[i];
    return (gb_node_list){.count = count, .node = root};
}

/* c: the mean of the draws of the first run. */
static bool feed_centre(const many *m, const double *u)
{
    const size_t n = (size_t)gb_slot_count(&m->c->slot);
    double *const mean = gb_tape_keep(m->c->tape, (n + 1) * sizeof *mean);
    for (size_t i = 0; mean && i < SAMPLES * n; i++)
        mean[i % n] += u[i] / SAMPLES;
    return mean && gb_feed(m->centre, mean, 1) == GB_OK;
}

static bool run(const many *m, gb_program *draw, gb_program *look, findings *f, double *u)
{
    gb_tape *const tape = m->c->tape;
    const size_t n = (size_t)gb_slot_count(&m->c->slot);
    for (int k = 0; k < RUNS; k++) {
        if (gb_run(draw) != GB_OK || gb_read(m->drawn, u, SAMPLES * n) != GB_OK ||
            (k == 0 && !feed_centre(m, u)) || gb_feed(m->point, u, SAMPLES) != GB_OK || gb_run(look) != GB_OK)
            return false;
        bool good =
            add(&f->mean, m->mean, (gb_node){0}, tape) && add(&f->stein, m->stein, (gb_node){0}, tape);
        for (size_t i = 0; i < m->c->count; i++)
            good = good && add(&f->score[i], m->score[i], (gb_node){0}, tape) &&
                   add(&f->slope[i], m->slope[i], m->by_score[i], tape);
        if (!good)
            return false;
    }
    return true;
}

static void conclude(const many *m, const findings *f)
{
    gb_kit *const kit = m->c->kit;
    const size_t n = f->mean.count;
    double allowed = 0;
    for (size_t i = 0; i < n; i++)
        gb_kit_verdict(
            kit, GB_ON_DRAWS, is_near(&f->mean.of[i], 0, &allowed),
            "the slope of log q in number %zu is %.3g on average over draws, not 0; %.2g is allowed", i,
            f->mean.of[i].mean, allowed);
    for (size_t i = 0; i < n * n; i++)
        gb_kit_verdict(
            kit, GB_ON_DRAWS, is_near(&f->stein.of[i], i / n == i % n ? -1 : 0, &allowed),
            "number %zu times the slope of log q in number %zu is %.3g on average over draws, not %d; "
            "%.2g is allowed",
            i / n, i % n, f->stein.of[i].mean, i / n == i % n ? -1 : 0, allowed);
    for (size_t k = 0; k < m->c->count; k++)
        for (size_t i = 0; i < f->score[k].count; i++) {
            const char *const name = gb_variable_name(m->c->variable[k]);
            gb_kit_verdict(
                kit, GB_ON_MASS, is_near(&f->score[k].of[i], 0, &allowed),
                "the slope of log q in %s, element %zu, is %.3g on average over draws, not 0; %.2g is "
                "allowed",
                name, i, f->score[k].of[i].mean, allowed);
            gb_kit_verdict(
                kit, GB_ON_GRADIENT, is_near(&f->slope[k].of[i], 0, &allowed),
                "in %s, element %zu, the gradient of an expectation is %.3g off that by the slopes of "
                "log q; %.2g is allowed",
                name, i, f->slope[k].of[i].mean, allowed);
        }
}

void gb_family_check_many(gb_family_case *c)
{
    many m = {.c = c};
    gb_node root[2 + 2 * GB_FAMILY_VARIABLES];
    if (gb_dist_discrete(c->q))
        return;
    record(&m);
    findings f = findings_of(&m);
    double *const u = gb_tape_keep(c->tape, SAMPLES * (size_t)gb_slot_count(&c->slot) * sizeof *u);
    gb_program *const draw = gb_compile(c->tape, roots_of_draws(&m, root), gb_no_update);
    gb_program_set_samples(draw, SAMPLES);
    gb_program *const look = gb_compile(c->tape, roots_at_points(&m, root), gb_no_update);
    const bool is_run = u && run(&m, draw, look, &f, u);
    gb_kit_verdict(c->kit, GB_ON_RECORDED, is_run, "%s", gb_error_text(c->tape));
    if (is_run)
        conclude(&m, &f);
    gb_program_free(draw);
    gb_program_free(look);
}
