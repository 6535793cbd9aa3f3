/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/distributions/rule/projections_impl.h"

#include <math.h>

#include "core/op.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

double gb_drawn_surprise(double n, double is, double should, double unsure)
{
    const double p = is > should ? fmin(should + unsure, is) : fmax(should - unsure, is);
    const double up = is > 0 ? is * log(is / p) : 0, rest = is < 1 ? (1 - is) * log((1 - is) / (1 - p)) : 0;
    return n * (up + rest);
}

/* ---- tails of vectors ---- */

typedef struct projected {
    size_t count;
    double *z, *mass; /* `mass` NULL: all have the same */
} projected;

static projected project(gb_dist_case *c, const gb_rule *rule, size_t count, const double *x,
                         double (*mass)(const gb_rule *rule, size_t i))
{
    projected p = {.count = count, .z = gb_tape_keep(c->tape, 2 * count * sizeof *p.z)};
    p.mass = p.z && mass ? p.z + count : NULL;
    for (size_t i = 0; p.z && i < count; i++) {
        p.z[i] = gb_case_project(c, rule, x + i * c->size);
        if (mass)
            p.mass[i] = mass(rule, i);
    }
    return p;
}

/* A step that a grid can integrate. */
static double step_width(double at)
{
    return 0.02 * sqrt(1 + at * at);
}

/* The mass beyond a place. */
static double beyond(const projected *p, double at)
{
    const double width = step_width(at), sign = at > 0 ? 1 : -1, from = sign * at - 16 * width;
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        if (sign * p->z[i] > from)
            sum += (p->mass ? p->mass[i] : 1) / (1 + exp(sign * (at - p->z[i]) / width));
    return p->mass ? sum : sum / (double)p->count;
}

/* How far the mass is off in a grid with half of the points, at most: more than it is off in the grid. */
static double unsure_beyond(const projected *fine, const projected *coarse, double at)
{
    double most = 0;
    for (int i = -1; i <= 1; i++) {
        const double near = at + 1.5 * i * step_width(at);
        most = fmax(most, fabs(beyond(fine, near) - beyond(coarse, near)));
    }
    return most;
}

/* Beyond places in the tails of a projection. The mean of numbers from 0 to 1 has Chernoff's bound too. */
void gb_drawn_check_tails(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s)
{
    static const double places[] = {1.5, 2, 2.5, 2.8, 3.1, 3.4, 4, 5, 7, 15, 50};
    enum { PLACES = sizeof places / sizeof *places };
    const double n = (double)s->count;
    const double allowed = log(4.0 * PLACES * (double)gb_case_directions(c) / gb_drawn_chance);
    const projected draws = project(c, rule, s->count, s->x, NULL),
                    points = project(c, rule, rule->count, rule->x, gb_rule_mass),
                    fewer = project(c, rule, rule->count, rule->x, gb_rule_coarse_mass);
    for (size_t k = 0; k < 2 * PLACES && draws.z && points.z && fewer.z; k++) {
        const double at = k % 2 ? -places[k / 2] : places[k / 2];
        const double is = beyond(&draws, at), should = beyond(&points, at);
        const double unsure = unsure_beyond(&points, &fewer, at) + rule->error + 1e-12;
        const double found = gb_drawn_surprise(n, is, fmin(should, 1), unsure);
        gb_kit_verdict(c->kit, s->statement, found <= allowed,
                       "along direction %zu, %.6g of %.0f draws lie beyond %.6g, where %.6g should: by "
                       "chance once in e^%.3g",
                       rule->direction, n * is, n, rule->centre + at * rule->width, n * should, found);
    }
}

/* ---- the spread ---- */

/* z²/(1 + z²/36): as good as z² for most draws, and bounded, so that its mean has a bound for every law. */
static const double MOST_SPREAD = 36;

typedef struct spread {
    double mean, variance;
    double slope; /* of the mean, if all draws move away from the centre by the same factor */
} spread;

static spread expected_spread(const gb_dist_case *c, const gb_rule *rule)
{
    spread s = {0};
    double square = 0;
    for (size_t i = 0; i < rule->count; i++) {
        const double mass = gb_rule_mass(rule, i);
        if (!(mass > 0))
            continue;
        const double z = gb_case_project(c, rule, rule->x + i * c->size), by = 1 + z * z / MOST_SPREAD;
        const double f = isinf(by) ? MOST_SPREAD : z * z / by;
        s.mean += mass * f;
        square += mass * f * f;
        s.slope += isinf(by) ? 0 : mass * 2 * f / by;
    }
    s.variance = fmax(square - s.mean * s.mean, 0);
    return s;
}

/* As many draws as show a factor of 1 %, in runs of a fixed size. */
static int64_t runs_for(const gb_dist_case *c, const spread *s, double log_chance, int64_t each)
{
    enum { MOST_TIMES = 40 };
    const double sure = sqrt(2 * log_chance) + 3, seen = 0.01 * s->slope;
    const double needed = seen > 0 ? sure * sure * s->variance / (seen * seen) : 0;
    const double most = MOST_TIMES * (double)c->check->draws;
    return (int64_t)ceil(fmin(fmax(needed, (double)each), most) / (double)each);
}

/* The rule, with draws projected on one direction after another. Returns their number. */
size_t gb_drawn_along_each(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s,
                           gb_rule along[GB_DRAWN_DIRECTIONS])
{
    enum { LOOKS = 4096 };
    const size_t directions = gb_case_directions(c), count = s->count < LOOKS ? s->count : LOOKS;
    along[0] = *rule;
    for (size_t k = 1; k < directions; k++) {
        const gb_rule there = gb_rule_of_draws(c, k, count, s->x);
        along[k] = *rule;
        along[k].direction = k;
        along[k].centre = there.centre;
        along[k].width = there.width;
    }
    return directions;
}

static gb_node spread_node(gb_dist_case *c, const gb_rule *rule, gb_node draw)
{
    const gb_node square = gb_square(gb_case_project_node(c, rule, draw)), one = gb_num(c->tape, 1);
    const gb_node f = gb_reciprocal(gb_add(gb_reciprocal(square), gb_scale(one, 1 / MOST_SPREAD)));
    return gb_mean_over(f, GB_SAMPLES);
}

/* By Bernstein's inequality. */
static void judge_spread(gb_dist_case *c, const gb_rule *rule, const spread *should, double mean, double n,
                         gb_statement statement)
{
    const double log_chance = log(2 / gb_drawn_chance);
    const double allowed = sqrt(2 * should->variance * log_chance / n) +
                           2 * MOST_SPREAD * log_chance / (3 * n) + 10 * MOST_SPREAD * rule->error +
                           1e-9 * should->mean;
    gb_kit_verdict(c->kit, statement, fabs(mean - should->mean) <= allowed,
                   "along direction %zu the mean of z^2/(1 + z^2/36) is %.6g over %.0f draws, but the "
                   "integral %.6g; %.2g is allowed",
                   rule->direction, mean, n, should->mean, allowed);
}

void gb_drawn_check_spread(gb_dist_case *c, size_t directions, const gb_rule *along, gb_node draw,
                           gb_statement statement)
{
    enum { EACH = 1 << 15 };
    spread should[GB_DRAWN_DIRECTIONS];
    gb_node root[GB_DRAWN_DIRECTIONS];
    double mean[GB_DRAWN_DIRECTIONS] = {0};
    int64_t runs = 1;
    for (size_t k = 0; k < directions; k++) {
        should[k] = expected_spread(c, &along[k]);
        const int64_t needed = runs_for(c, &should[k], log(2 / gb_drawn_chance), EACH);
        runs = needed > runs ? needed : runs;
        root[k] = spread_node(c, &along[k], draw);
    }
    gb_program *const program =
        gb_compile(c->tape, (gb_node_list){.count = directions, .node = root}, gb_no_update);
    if (gb_program_set_samples(program, EACH) != GB_OK)
        return;
    for (int64_t run = 0; run < runs && gb_run(program) == GB_OK; run++)
        for (size_t k = 0; k < directions; k++)
            mean[k] += gb_value(root[k]) / (double)runs;
    gb_program_free(program);
    for (size_t k = 0; k < directions && gb_dist_case_fine(c); k++)
        judge_spread(c, &along[k], &should[k], mean[k], (double)runs * EACH, statement);
}
