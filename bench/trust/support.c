/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What models are recorded with, and data from a seed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trust.h"

const char *const trust_family_names[TRUST_FAMILIES] = {"mean field", "full rank"};

void trust_block(trust *m, size_t count, const gb_latent_part *parts, gb_node *draws)
{
    const gb_node start = m->start ? trust_vector(m, m->start_count, m->start) : (gb_node){0};
    const gb_family family = m->family == TRUST_FULL_RANK ? gb_full_rank(gb_shape(), .locations = start)
                                                          : gb_mean_field(gb_shape(), .locations = start);
    gb_latent_block(m->e, "w", family, count, parts, gb_pathwise(), draws);
}

void trust_tell(trust *m, const char *name, gb_node node, trust_kind kind)
{
    if (m->nodes < TRUST_TOLD)
        m->told[m->nodes++] = (trust_told){node, name, kind};
}

void trust_free_number(trust *m, gb_node node)
{
    if (m->for_reference)
        trust_tell(m, "free", node, TRUST_FREE);
}

/* ---- splitmix64 ---- */

static uint64_t next(trust_rng *r)
{
    uint64_t x = r->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

double trust_uniform(trust_rng *r, double low, double high)
{
    return low + (high - low) * ((double)(next(r) >> 11) + 0.5) * 0x1p-53;
}

double trust_gauss(trust_rng *r)
{
    const double u = trust_uniform(r, 0, 1);
    return sqrt(-2 * log(u)) * cos(trust_uniform(r, 0, 2 * GB_PI));
}

/* Marsaglia and Tsang 2000. */
double trust_gamma(trust_rng *r, double shape)
{
    if (shape < 1)
        return trust_gamma(r, shape + 1) * pow(trust_uniform(r, 0, 1), 1 / shape);
    const double d = shape - 1. / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = trust_gauss(r), v = 1 + c * x;
        if (v > 0 && log(trust_uniform(r, 0, 1)) < 0.5 * x * x + d - d * v * v * v + 3 * d * log(v))
            return d * v * v * v;
    }
}

/* By gaps between events; far from the largest means that models here have, normal. */
double trust_poisson(trust_rng *r, double mean)
{
    if (mean > 500)
        return fmax(0, round(mean + sqrt(mean) * trust_gauss(r)));
    double count = -1;
    for (double sum = 0; sum <= mean; count++)
        sum -= log(trust_uniform(r, 0, 1));
    return count;
}

int trust_choose(trust_rng *r, int count)
{
    return (int)(next(r) % (uint64_t)count);
}

double trust_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
