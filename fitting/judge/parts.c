/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does p have another part, wide in directions that are those of no number?
 *
 * A slab under a core may be wide along any few directions. Lines along the numbers leave it, and so do rays.
 * But far out its density is larger than the core's nearly everywhere, if it is wide anywhere, and the
 * curvature there is that of the slab: for a normal one, a Newton step from any such place leads to its
 * centre, and −H is its precision. So from places far out where q does not cover p, p is taken for a normal.
 * Where that normal would change q's means or deviations, draws from it, weighted by p, say whether it is
 * there. */
#include <math.h>
#include <string.h>

#include "core/kernels/noise_impl.h"
#include "fitting/density/dense_impl.h"
#include "fitting/judge/covered_impl.h"

/* Curvatures cost so many products at most. */
enum { WORK = 8192, MOST_NUMBERS = 128, MOST_VALUES = 4096, DRAWS = 512, MOST_PARTS = 16 };

/* The mean may move by so much of q's sd, and the sd grow; more, if few draws say so. */
static const double MOVED = 0.3, GROWN = 1.3, SURELY = 2;
enum { FEW_DRAWS = 12, SOME_DRAWS = 60 };

/* A part with less is not looked at, if it changes no free number; values that vary by less are constant. */
static const double LEAST_SHARE = 1e-6, ROUNDING = 1e-12;

/* Places whose normals agree so well, in log mass and in sd, see one part. */
static const double SAME = 0.1;

static const double PI = 3.14159265358979323846;

/* Draws are somewhat wider than the part, so that weights are bounded. */
static const double WIDER = 1.15;

typedef struct parts {
    gb_own_judgement *j;
    gb_covered q;
    size_t n, m;    /* numbers; those that are no points */
    size_t *number; /* of these */
    size_t values;  /* that are looked at, if some are no free numbers */
    gb_far_places far;
    double *gradient;                          /* of places */
    double *v, *product;                       /* (m, n) of a place */
    double *precision, *root, *inverse, *room; /* (m, m) */
    double *centre;                            /* (m) */
    size_t weighed;
    double weighed_mass[MOST_PARTS], *weighed_centre; /* (MOST_PARTS, m) */
    gb_beyond worst;
    double z[2 * MOST_NUMBERS];
} parts;

/* ---- p as a normal, seen from a place ---- */

/* Sets precision, root, inverse and centre. Returns false if p has another form there. */
static bool find_normal(parts *c, size_t p, double *log_mass)
{
    const size_t n = c->n, m = c->m;
    const double *const x = c->far.x + p * n, *const gradient = c->gradient + p * n;
    memset(c->v, 0, m * n * sizeof *c->v);
    for (size_t k = 0; k < m; k++) {
        c->v[k * n + c->number[k]] = 1;
        memcpy(c->room + k * n, x, n * sizeof *x);
    }
    if (gb_density_hessian_times(c->j->shown.density, m, c->room, c->v, c->product) != GB_OK)
        return false;
    for (size_t k = 0; k < m; k++)
        for (size_t l = 0; l < m; l++)
            c->precision[k * m + l] =
                -0.5 * (c->product[k * n + c->number[l]] + c->product[l * n + c->number[k]]);
    if (!gb_dense_factor(m, c->precision, c->root))
        return false;
    double quadratic = 0, log_root = 0;
    for (size_t k = 0; k < m; k++)
        c->centre[k] = gradient[c->number[k]];
    gb_dense_solve(m, c->root, c->centre);
    for (size_t k = 0; k < m; k++) {
        quadratic += c->centre[k] * c->centre[k];
        log_root += log(c->root[k * m + k]);
    }
    gb_dense_solve_transposed(m, c->root, c->centre);
    for (size_t k = 0; k < m; k++)
        c->centre[k] += x[c->number[k]];
    *log_mass = c->far.log_p[p] + quadratic / 2 - log_root + (double)m * 0.5 * log(2 * PI);
    gb_dense_inverse(m, c->root, c->inverse, c->room);
    return isfinite(*log_mass);
}

/* What becomes of q's number if `share` of p is a part with this mean and variance. */
typedef struct mixed {
    double mean, sd; /* in q's sd, from q's mean */
} mixed;

static mixed mix(const gb_own_judgement *j, size_t i, double share, double mean, double variance)
{
    const double sd = j->judged[i].sd, off = (mean - j->judged[i].mean) / sd, all = share * off;
    return (mixed){.mean = all,
                   .sd = sqrt(1 - share + share * (variance / (sd * sd) + off * off) - all * all)};
}

static bool changes(mixed x, double grown)
{
    return x.sd > grown || fabs(x.mean) > MOVED * (grown / GROWN);
}

static double share_of(double log_mass, double evidence)
{
    return 1 / (1 + exp(evidence - log_mass));
}

/* What it does to constrained values is seen by draws alone. */
static bool would_change(const parts *c, double log_mass)
{
    if (c->values > 0 && share_of(log_mass, c->q.evidence) > LEAST_SHARE)
        return true;
    for (size_t k = 0; k < c->m; k++)
        if (changes(mix(c->j, c->number[k], share_of(log_mass, c->q.evidence), c->centre[k],
                        c->inverse[k * c->m + k]),
                    GROWN))
            return true;
    return false;
}

/* ---- draws from it ---- */

static void draw_normals(size_t count, uint64_t from, double *z)
{
    for (size_t k = 0; k < count; k += 2) {
        const double u = ((double)(gb_noise_mix(from + 2 * k) >> 11) + 0.5) * 0x1p-53,
                     w = (double)(gb_noise_mix(from + 2 * k + 1) >> 11) * 0x1p-53;
        const double radius = sqrt(-2 * log(u)), angle = 2 * PI * w;
        z[k] = radius * cos(angle);
        z[k + 1] = radius * sin(angle);
    }
}

/* Draws with their weights: log p − log of their density. */
static void draw(parts *c, double *x, double *log_w)
{
    const gb_own_judgement *const j = c->j;
    double log_root = 0;
    for (size_t k = 0; k < c->m; k++)
        log_root += log(c->root[k * c->m + k] / WIDER);
    for (size_t s = 0; s < DRAWS; s++) {
        double square = 0;
        draw_normals(c->m, gb_noise_mix(j->step + 0x70617274u) + s * 4096, c->z);
        for (size_t k = 0; k < c->m; k++)
            square += c->z[k] * c->z[k];
        log_w[s] = square / 2 - log_root + (double)c->m * 0.5 * log(2 * PI);
        gb_dense_solve_transposed(c->m, c->root, c->z);
        memcpy(x + s * c->n, c->far.x, c->n * sizeof *x); /* for points */
        for (size_t k = 0; k < c->m; k++)
            x[s * c->n + c->number[k]] = c->centre[k] + WIDER * c->z[k];
    }
}

/* Their weights, which sum to 1. */
typedef struct weights {
    double w[DRAWS], ess, share;
} weights;

static weights weights_of(const parts *c, const double *log_w)
{
    weights of = {.share = share_of(gb_log_mean(DRAWS, log_w), c->q.evidence)};
    const double sum = gb_log_mean(DRAWS, log_w) + log(DRAWS);
    double squares = 0;
    for (size_t s = 0; s < DRAWS; s++) {
        of.w[s] = exp(log_w[s] - sum);
        squares += of.w[s] * of.w[s];
    }
    of.ess = 1 / squares; /* NaN if q covers all of them */
    return of;
}

/* One number of all draws: number i of free numbers, then values. */
static void look_at_number(parts *c, size_t i, const weights *of, const double *x, size_t stride)
{
    double mean = 0, variance = 0;
    for (size_t s = 0; s < DRAWS; s++)
        mean += of->w[s] > 0 ? of->w[s] * x[s * stride] : 0;
    for (size_t s = 0; s < DRAWS; s++)
        variance += of->w[s] > 0 ? of->w[s] * (x[s * stride] - mean) * (x[s * stride] - mean) : 0;
    const mixed with = mix(c->j, i, of->share, mean, variance);
    const double seen = c->worst.share > 0 ? fmax(c->worst.sd, fabs(c->worst.mean)) : 0;
    if (changes(with, of->ess < SOME_DRAWS ? SURELY : GROWN) && fmax(with.sd, fabs(with.mean)) > seen)
        c->worst =
            (gb_beyond){.number = i, .share = of->share, .mean = with.mean, .sd = with.sd, .is_part = true};
}

static bool look_at_draws(parts *c, const double *x, const double *log_w, double *value)
{
    const gb_own_judgement *const j = c->j;
    const weights of = weights_of(c, log_w);
    if (!(of.ess >= FEW_DRAWS))
        return true;
    for (size_t k = 0; k < c->m; k++)
        look_at_number(c, c->number[k], &of, x + c->number[k], c->n);
    if (c->values > 0 && gb_density_values(j->shown.density, DRAWS, x, value) != GB_OK)
        return false;
    for (size_t v = 0; v < c->values; v++)
        if (!j->is_point[j->n + v] && j->judged[j->n + v].sd > ROUNDING * fabs(j->judged[j->n + v].mean))
            look_at_number(c, j->n + v, &of, value + v, j->values);
    return true;
}

/* Whether a place before showed the same part; else keeps it. */
static bool is_known(parts *c, double log_mass)
{
    for (size_t w = 0; w < c->weighed; w++) {
        bool is_same = fabs(c->weighed_mass[w] - log_mass) < SAME;
        for (size_t k = 0; k < c->m && is_same; k++)
            is_same =
                fabs(c->weighed_centre[w * c->m + k] - c->centre[k]) < SAME * sqrt(c->inverse[k * c->m + k]);
        if (is_same)
            return true;
    }
    c->weighed_mass[c->weighed] = log_mass;
    memcpy(c->weighed_centre + c->weighed++ * c->m, c->centre, c->m * sizeof *c->centre);
    return false;
}

/* Weights are cut off at twice the mass of the part. So what they sum is less than p, and a draw that comes
 * across the core of p, where p is much larger, does not outweigh all others. What q covers, up to a factor
 * of 2, does not count: a part may be one of those that q is made of. */
static bool weigh(parts *c, double log_mass)
{
    const size_t bytes = (DRAWS * (c->n + c->values + 2)) * sizeof(double);
    double *const x = gb_memory_resize(&c->j->memory, NULL, bytes);
    if (!x)
        return gb_fail(c->j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", c->n) == GB_OK;
    double *const log_w = x + DRAWS * c->n, *const log_p = log_w + DRAWS;
    draw(c, x, log_w);
    bool good = gb_density_evaluate(c->j->shown.density, DRAWS, x, log_p, NULL, NULL) == GB_OK;
    for (size_t s = 0; s < DRAWS && good; s++)
        log_w[s] = log_p[s] < gb_covered_log(&c->q, x + s * c->n) + log(2)
                       ? -INFINITY
                       : fmin(log_w[s] + log_p[s], log_mass + log(2));
    good = good && look_at_draws(c, x, log_w, log_p + DRAWS);
    gb_memory_release(&c->j->memory, x);
    return good;
}

/* ---- all of it ---- */

static bool look(parts *c)
{
    if (gb_density_evaluate(c->j->shown.density, c->far.count, c->far.x, c->far.log_p, c->gradient, NULL) !=
        GB_OK)
        return false;
    for (size_t p = 0; p < c->far.count && c->weighed < MOST_PARTS; p++) {
        double log_mass;
        if (!isfinite(c->far.log_p[p]) || !find_normal(c, p, &log_mass) || !would_change(c, log_mass) ||
            is_known(c, log_mass))
            continue;
        if (!weigh(c, log_mass))
            return false;
    }
    return gb_error(c->j->tape) == GB_OK;
}

static bool make_room(parts *c)
{
    const size_t n = c->n, m = c->m, count = c->far.count * n + 3 * m * n + 3 * m * m + (MOST_PARTS + 1) * m;
    c->gradient = gb_memory_resize(&c->j->memory, NULL, count * sizeof(double));
    if (!c->gradient)
        return gb_fail(c->j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", n) == GB_OK;
    c->v = c->gradient + c->far.count * n;
    c->product = c->v + m * n;
    c->room = c->product + m * n;
    c->precision = c->room + m * n;
    c->root = c->precision + m * m;
    c->inverse = c->root + m * m;
    c->centre = c->inverse + m * m;
    c->weighed_centre = c->centre + m;
    return true;
}

/* Whether some values are no free numbers, and not too many. */
static bool has_values(const gb_own_judgement *j)
{
    size_t count;
    const gb_density_part *const part = gb_density_parts(j->shown.density, &count);
    bool all_free = true;
    for (size_t k = 0; k < count; k++)
        all_free &= part[k].is_free;
    return !all_free && j->values <= MOST_VALUES;
}

bool gb_judge_look_for_parts(gb_own_judgement *j)
{
    parts c = {.j = j, .n = j->n, .m = j->spread};
    if (c.m < 1 || c.m > MOST_NUMBERS || j->beyond.share > 0 || gb_error(j->tape) != GB_OK)
        return gb_error(j->tape) == GB_OK;
    bool good = gb_covered_find(&c.q, j);
    if (good && c.q.is_normal)
        good = gb_judge_far_places(&c.q, WORK / c.m, &c.far);
    c.number = c.q.number;
    c.values = has_values(j) ? j->values : 0;
    if (good && c.far.count > 0)
        good = make_room(&c) && look(&c);
    if (!good && gb_error(j->tape) == GB_EGRADIENT) { /* an operation has no second derivative */
        gb_forgive(j->tape);
        good = true;
    }
    j->beyond = c.worst;
    gb_memory_release(&j->memory, c.gradient);
    gb_memory_release(&j->memory, c.far.x);
    gb_covered_release(&c.q);
    return good;
}
