/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prediction/predict/sums_impl.h"

#include <math.h>
#include <string.h>

bool gb_sums_new(gb_sums *m, const gb_memory *memory, size_t numbers, size_t probabilities, size_t entropies)
{
    const size_t all = 4 * numbers + probabilities + entropies;
    *m = (gb_sums){.numbers = numbers, .probabilities = probabilities, .entropies = entropies};
    m->block = gb_memory_resize(memory, NULL, all * sizeof *m->block + 1);
    if (!m->block)
        return false;
    m->mean = m->block;
    m->square = m->mean + numbers;
    m->spread = m->square + numbers;
    m->noise = m->spread + numbers;
    m->probability = m->noise + numbers;
    m->entropy = m->probability + probabilities;
    return true;
}

void gb_sums_free(gb_sums *m, const gb_memory *memory)
{
    gb_memory_release(memory, m->block);
}

void gb_sums_clear(gb_sums *m)
{
    memset(m->block, 0, (4 * m->numbers + m->probabilities + m->entropies) * sizeof *m->block);
    m->weight = m->squared_weight = 0;
}

void gb_sums_next(gb_sums *m, double weight)
{
    m->weight += weight;
    m->squared_weight += weight * weight;
}

void gb_sums_mean(gb_sums *m, size_t count, const double *x, double weight)
{
    const double share = weight / m->weight;
    for (size_t i = 0; i < count; i++) {
        const double off = x[i] - m->mean[i];
        m->mean[i] += share * off;
        m->square[i] += weight * off * (x[i] - m->mean[i]);
    }
}

void gb_sums_add(double *sum, size_t count, const double *x, double weight)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += weight * x[i];
}

double gb_sums_variance(const gb_sums *m, size_t i)
{
    const double free = m->weight - m->squared_weight / m->weight;
    return free > 0 ? m->square[i] / free : 0;
}
