/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "core/kernels/noise_impl.h"
#include "fitting/diagnostics/order_impl.h"
#include "fitting/psis.h"

/* Uniform number i, in the open interval (0, 1). */
static double uniform(uint64_t seed, size_t i)
{
    const uint32_t counter[4] = {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), 0, 0};
    uint32_t word[4];
    gb_philox(counter, gb_noise_key_for(gb_noise_mix(seed), 1), word);
    return ((double)(((uint64_t)word[1] << 32 | word[0]) >> 12) + 0.5) * 0x1p-52;
}

/* The next of `count` points of (0, 1) in ascending order. */
typedef struct points {
    gb_psis_resample_options options;
    size_t count, next;
    double sum, total; /* of exponential spacings, whose shares are independent points in order */
} points;

static double next_point(points *p)
{
    const size_t i = p->next++;
    if (p->options.method == GB_RESAMPLE_INDEPENDENT)
        return (p->sum -= log(uniform(p->options.seed, i))) / p->total;
    const double within = uniform(p->options.seed, p->options.method == GB_RESAMPLE_SYSTEMATIC ? 0 : i);
    return ((double)i + within) / (double)p->count;
}

/* Takes the draw in whose share of (0, 1) each point lies. */
static void with_replacement(const gb_psis *w, points p, size_t *places)
{
    size_t last = w->count - 1, i = 0;
    while (exp(w->log_weights[last]) == 0)
        last--;
    for (size_t j = 0; p.options.method == GB_RESAMPLE_INDEPENDENT && j <= p.count; j++)
        p.total -= log(uniform(p.options.seed, j));
    double sum = exp(w->log_weights[0]);
    for (size_t j = 0; j < p.count; j++) {
        const double point = next_point(&p);
        while (sum < point && i < last)
            sum += exp(w->log_weights[++i]);
        places[j] = i;
    }
}

static int compare_places(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The largest of log weight plus a Gumbel number: the same as one after the other (Yellott 1977). */
static gb_status without_replacement(const gb_psis *w, uint64_t seed, size_t count, size_t *places)
{
    gb_ranked *const ranked = w->count > SIZE_MAX / sizeof *ranked
                                  ? NULL
                                  : gb_memory_resize(&w->memory, NULL, w->count * sizeof *ranked);
    if (!ranked)
        return GB_ENOMEM;
    size_t some = 0;
    for (size_t i = 0; i < w->count; i++)
        if (w->log_weights[i] > -INFINITY)
            ranked[some++] = (gb_ranked){w->log_weights[i] - log(-log(uniform(seed, i))), i};
    if (count && count <= some)
        gb_ranked_largest(ranked, some, count);
    for (size_t i = 0; i < count && count <= some; i++)
        places[i] = ranked[i].place;
    gb_memory_release(&w->memory, ranked);
    if (count > some)
        return GB_EARGUMENT;
    qsort(places, count, sizeof *places, compare_places);
    return GB_OK;
}

gb_status gb_psis_resample_with(const gb_psis *w, size_t count, size_t *places,
                                const gb_psis_resample_options *given)
{
    points p = {.count = count};
    if (!w || !places || !gb_options_copy(&p.options, sizeof p.options, given) ||
        (unsigned)p.options.method > GB_RESAMPLE_WITHOUT_REPLACEMENT)
        return GB_EARGUMENT;
    if (w->status != GB_OK)
        return w->status;
    if (p.options.method == GB_RESAMPLE_WITHOUT_REPLACEMENT)
        return without_replacement(w, p.options.seed, count, places);
    with_replacement(w, p, places);
    return GB_OK;
}
