/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does p have another part, wide in directions that are those of no number?
 *
 * A slab under a core may be wide along any few directions. Lines along the numbers leave it, and so do rays.
 * But far out its density is larger than the core's nearly everywhere, if it is wide anywhere, and the
 * curvature there is that of the slab: for a normal one, a Newton step from any such place leads to its
 * centre, and −H is its precision. So from places at growing distances p is taken for a normal. Where that
 * normal would change q's means or deviations, draws from it, weighted by p, say whether it is there. */
#include <math.h>
#include <string.h>

#include "core/kernels/noise_impl.h"
#include "fitting/density/dense_impl.h"
#include "fitting/judge/judging_impl.h"

/* Distances in sd are 4, 8 … 131,072, along so many of q's draws as the work allows; numbers at most. */
enum { RADII = 16, MOST_DIRECTIONS = 8, WORK = 8192, MOST_NUMBERS = 128, DRAWS = 512, MOST_PARTS = 6 };

/* The mean may move by so much of q's sd, and the sd grow; more, if few draws say so. */
static const double MOVED = 0.3, GROWN = 1.3, SURELY = 2;
enum { FEW_DRAWS = 12, SOME_DRAWS = 60 };

static const double PI = 3.14159265358979323846;

/* Draws are somewhat wider than the part, so that weights are bounded. */
static const double WIDER = 1.15;

typedef struct parts {
    gb_own_judgement *j;
    size_t n, m;    /* numbers; those that are no points */
    size_t *number; /* of these */
    size_t places;
    double *x, *log_p, *gradient;              /* of places */
    double *v, *product;                       /* (m, n) of a place */
    double *precision, *root, *inverse, *room; /* (m, m) */
    double *centre;                            /* (m) */
    double *q_root, log_q_root;                /* q as a normal: the root of its covariance, by its draws */
    double evidence;                           /* log Z by q's weights */
    gb_beyond worst;
    double z[2 * MOST_NUMBERS];
} parts;

/* ---- where to look ---- */

static double log_mean(size_t count, const double *log_w)
{
    double most = -INFINITY, sum = 0;
    for (size_t s = 0; s < count; s++)
        most = fmax(most, log_w[s]);
    for (size_t s = 0; s < count && most > -INFINITY; s++)
        sum += exp(log_w[s] - most);
    return most + log(sum / (double)count);
}

/* Places on rays through the first draws, whose distance from the mean in q's sd is about √m. */
static void find_places(parts *c)
{
    const gb_own_judgement *const j = c->j;
    const double root = sqrt((double)c->m);
    for (size_t p = 0; p < c->places; p++) {
        const double *const draw = j->own.z + p / RADII * c->n;
        const double far = 4 * (double)(1u << p % RADII) / root;
        for (size_t i = 0; i < c->n; i++)
            c->x[p * c->n + i] =
                j->is_point[i] ? draw[i] : j->judged[i].mean + far * (draw[i] - j->judged[i].mean);
    }
}

/* ---- what q covers ---- */

/* q as a normal, by the moments of its draws. Returns false if they lie in a plane. */
static bool find_q(parts *c)
{
    const gb_own_judgement *const j = c->j;
    const size_t m = c->m;
    memset(c->q_root, 0, m * m * sizeof *c->q_root);
    for (size_t s = 0; s < j->own.count; s++)
        for (size_t k = 0; k < m; k++) {
            const size_t i = c->number[k];
            const double off = (j->own.z[s * c->n + i] - j->judged[i].mean) / (double)(j->own.count - 1);
            for (size_t l = 0; l <= k; l++)
                c->q_root[k * m + l] +=
                    off * (j->own.z[s * c->n + c->number[l]] - j->judged[c->number[l]].mean);
        }
    for (size_t k = 0; k < m; k++)
        for (size_t l = k + 1; l < m; l++)
            c->q_root[k * m + l] = c->q_root[l * m + k];
    if (!gb_dense_factor(m, c->q_root, c->q_root))
        return false;
    c->log_q_root = 0;
    for (size_t k = 0; k < m; k++)
        c->log_q_root += log(c->q_root[k * m + k]);
    return true;
}

/* log of evidence · q at a point. */
static double log_covered(parts *c, const double *x)
{
    double square = 0;
    for (size_t k = 0; k < c->m; k++)
        c->z[k] = x[c->number[k]] - c->j->judged[c->number[k]].mean;
    gb_dense_solve(c->m, c->q_root, c->z);
    for (size_t k = 0; k < c->m; k++)
        square += c->z[k] * c->z[k];
    return c->evidence - square / 2 - c->log_q_root - 0.5 * (double)c->m * log(2 * PI);
}

/* ---- p as a normal, seen from a place ---- */

/* Sets precision, root, inverse and centre. Returns false if p has another form there. */
static bool find_normal(parts *c, size_t p, double *log_mass)
{
    const size_t n = c->n, m = c->m;
    const double *const x = c->x + p * n, *const gradient = c->gradient + p * n;
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
    *log_mass = c->log_p[p] + quadratic / 2 - log_root + (double)m * 0.5 * log(2 * PI);
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

static bool would_change(const parts *c, double log_mass)
{
    for (size_t k = 0; k < c->m; k++)
        if (changes(mix(c->j, c->number[k], share_of(log_mass, c->evidence), c->centre[k],
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
        memcpy(x + s * c->n, c->x, c->n * sizeof *x); /* for points */
        for (size_t k = 0; k < c->m; k++)
            x[s * c->n + c->number[k]] = c->centre[k] + WIDER * c->z[k];
    }
}

static void look_at_draws(parts *c, const double *x, const double *log_w)
{
    double most = -INFINITY, sum = 0, squares = 0;
    for (size_t s = 0; s < DRAWS; s++)
        most = fmax(most, log_w[s]);
    for (size_t s = 0; s < DRAWS; s++) {
        const double w = exp(log_w[s] - most);
        sum += w;
        squares += w * w;
    }
    const double ess = sum * sum / squares, share = share_of(log_mean(DRAWS, log_w), c->evidence);
    if (!(ess >= FEW_DRAWS)) /* NaN if q covers all of them */
        return;
    for (size_t k = 0; k < c->m; k++) {
        double mean = 0, variance = 0;
        for (size_t s = 0; s < DRAWS; s++)
            mean += exp(log_w[s] - most) / sum * x[s * c->n + c->number[k]];
        for (size_t s = 0; s < DRAWS; s++) {
            const double off = x[s * c->n + c->number[k]] - mean;
            variance += exp(log_w[s] - most) / sum * off * off;
        }
        const mixed with = mix(c->j, c->number[k], share, mean, variance);
        const double seen = c->worst.share > 0 ? fmax(c->worst.sd, fabs(c->worst.mean)) : 0;
        if (changes(with, ess < SOME_DRAWS ? SURELY : GROWN) && fmax(with.sd, fabs(with.mean)) > seen)
            c->worst = (gb_beyond){
                .number = c->number[k], .share = share, .mean = with.mean, .sd = with.sd, .is_part = true};
    }
}

/* Weights are cut off at twice the mass of the part. So what they sum is less than p, and a draw that comes
 * across the core of p, where p is much larger, does not outweigh all others. What q covers, up to a factor
 * of 2, does not count: a part may be one of those that q is made of. */
static bool weigh(parts *c, double log_mass)
{
    const size_t bytes = (DRAWS * (c->n + 2)) * sizeof(double);
    double *const x = gb_memory_resize(&c->j->memory, NULL, bytes);
    if (!x)
        return gb_fail(c->j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", c->n) == GB_OK;
    double *const log_w = x + DRAWS * c->n, *const log_p = log_w + DRAWS;
    draw(c, x, log_w);
    const bool good = gb_density_evaluate(c->j->shown.density, DRAWS, x, log_p, NULL, NULL) == GB_OK;
    for (size_t s = 0; s < DRAWS && good; s++)
        log_w[s] = log_p[s] < log_covered(c, x + s * c->n) + log(2)
                       ? -INFINITY
                       : fmin(log_w[s] + log_p[s], log_mass + log(2));
    if (good)
        look_at_draws(c, x, log_w);
    gb_memory_release(&c->j->memory, x);
    return good;
}

/* ---- all of it ---- */

static bool look(parts *c)
{
    int weighed = 0;
    find_places(c);
    if (gb_density_evaluate(c->j->shown.density, c->places, c->x, c->log_p, c->gradient, NULL) != GB_OK)
        return false;
    /* From the farthest places inwards: there the widest part is alone. */
    for (size_t r = RADII; r-- > 0;)
        for (size_t p = r; p < c->places && weighed < MOST_PARTS; p += RADII) {
            double log_mass;
            if (!isfinite(c->log_p[p]) || !find_normal(c, p, &log_mass) || !would_change(c, log_mass))
                continue;
            weighed++;
            if (!weigh(c, log_mass))
                return false;
        }
    return gb_error(c->j->tape) == GB_OK;
}

static bool make_room(parts *c)
{
    const size_t n = c->n, m = c->m, directions = WORK / (RADII * m);
    c->places = RADII * (directions < 1 ? 1 : directions > MOST_DIRECTIONS ? MOST_DIRECTIONS : directions);
    const size_t count = c->places * (2 * n + 1) + 3 * m * n + 4 * m * m + m;
    c->x = gb_memory_resize(&c->j->memory, NULL, count * sizeof *c->x + m * sizeof *c->number);
    if (!c->x)
        return gb_fail(c->j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", n) == GB_OK;
    c->gradient = c->x + c->places * n;
    c->log_p = c->gradient + c->places * n;
    c->v = c->log_p + c->places;
    c->product = c->v + m * n;
    c->room = c->product + m * n;
    c->precision = c->room + m * n;
    c->root = c->precision + m * m;
    c->inverse = c->root + m * m;
    c->q_root = c->inverse + m * m;
    c->centre = c->q_root + m * m;
    c->number = (size_t *)(void *)(c->centre + m);
    for (size_t i = 0, k = 0; i < n; i++)
        if (!c->j->is_point[i])
            c->number[k++] = i;
    return true;
}

bool gb_judge_look_for_parts(gb_own_judgement *j)
{
    parts c = {.j = j, .n = j->n, .m = j->spread};
    if (c.m < 1 || c.m > MOST_NUMBERS || j->beyond.share > 0 || gb_error(j->tape) != GB_OK)
        return gb_error(j->tape) == GB_OK;
    if (!make_room(&c))
        return false;
    c.evidence = log_mean(j->own.count, j->own.log_ratio);
    bool good = !find_q(&c) || look(&c);
    if (!good && gb_error(j->tape) == GB_EGRADIENT) { /* an operation has no second derivative */
        gb_forgive(j->tape);
        good = true;
    }
    j->beyond = c.worst;
    gb_memory_release(&j->memory, c.x);
    return good;
}
