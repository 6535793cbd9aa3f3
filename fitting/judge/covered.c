/* SPDX-License-Identifier: GPL-3.0-or-later */
/* q as a normal, by its draws: what p would be, were there nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/judge/covered_impl.h"

static const double LOG_2PI = 1.83787706640934548356, MOST = 10;

double gb_log_mean(size_t count, const double *log_w)
{
    double most = -INFINITY, sum = 0;
    for (size_t s = 0; s < count; s++)
        most = fmax(most, log_w[s]);
    for (size_t s = 0; s < count && most > -INFINITY; s++)
        sum += exp(log_w[s] - most);
    return most + log(sum / (double)count);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* What q covers: weights beyond `MOST` times their median are of something else, such as a spike that one
 * draw has hit. Sorts them. */
static double evidence_of(size_t count, double *log_w)
{
    qsort(log_w, count, sizeof *log_w, ascending);
    const double most = log_w[count / 2] + log(MOST);
    for (size_t s = 0; s < count; s++)
        log_w[s] = fmin(log_w[s], most);
    return gb_log_mean(count, log_w);
}

/* The lower triangle of the covariance, then the rest. */
static void find_covariance(gb_covered *q)
{
    const gb_own_judgement *const j = q->j;
    const size_t m = q->m;
    memset(q->root, 0, m * m * sizeof *q->root);
    for (size_t s = 0; s < j->own.count; s++)
        for (size_t k = 0; k < m; k++) {
            const size_t i = q->number[k];
            const double off = (j->own.z[s * j->n + i] - j->judged[i].mean) / (double)(j->own.count - 1);
            for (size_t l = 0; l <= k; l++)
                q->root[k * m + l] +=
                    off * (j->own.z[s * j->n + q->number[l]] - j->judged[q->number[l]].mean);
        }
    for (size_t k = 0; k < m; k++)
        for (size_t l = k + 1; l < m; l++)
            q->root[k * m + l] = q->root[l * m + k];
}

bool gb_covered_find(gb_covered *q, gb_own_judgement *j)
{
    const size_t m = j->spread;
    *q = (gb_covered){.j = j, .m = m};
    const size_t count = j->own.count, doubles = m * m + m + count;
    q->root = gb_memory_resize(&j->memory, NULL, doubles * sizeof *q->root + m * sizeof *q->number);
    if (!q->root)
        return gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", m) == GB_OK;
    q->room = q->root + m * m;
    double *const log_w = q->room + m;
    q->number = (size_t *)(void *)(log_w + count);
    for (size_t i = 0, k = 0; i < j->n; i++)
        if (!j->is_point[i])
            q->number[k++] = i;
    find_covariance(q);
    q->is_normal = gb_dense_factor(m, q->root, q->root);
    for (size_t k = 0; k < m && q->is_normal; k++)
        q->log_root += log(q->root[k * m + k]);
    memcpy(log_w, j->own.log_ratio, count * sizeof *log_w);
    q->evidence = evidence_of(count, log_w);
    return true;
}

void gb_covered_release(gb_covered *q)
{
    if (q->j)
        gb_memory_release(&q->j->memory, q->root);
}

double gb_covered_log(gb_covered *q, const double *x)
{
    double square = 0;
    for (size_t k = 0; k < q->m; k++)
        q->room[k] = x[q->number[k]] - q->j->judged[q->number[k]].mean;
    gb_dense_solve(q->m, q->root, q->room);
    for (size_t k = 0; k < q->m; k++)
        square += q->room[k] * q->room[k];
    return q->evidence - square / 2 - q->log_root - 0.5 * (double)q->m * LOG_2PI;
}
