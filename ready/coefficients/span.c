/* SPDX-License-Identifier: GPL-3.0-or-later */
/* There is no direction but those orthogonal to all rows if some sum of all rows with positive weights is 0
 * (Stiemke 1915). Such weights, 1 + u with u ≥ 0, are found by least squares (Lawson and Hanson 1974). What
 * is then left of the sum, if it is not 0, is a direction. */
#include "ready/coefficients/span_impl.h"

#include <math.h>
#include <string.h>

double gb_span_dot(const double *a, const double *b, int64_t size)
{
    double sum = 0;
    for (int64_t k = 0; k < size; k++)
        sum += a[k] * b[k];
    return sum;
}

static double length(const double *v, int64_t size)
{
    return sqrt(gb_span_dot(v, v, size));
}

bool gb_span_scale(double *v, int64_t size)
{
    const double before = length(v, size);
    for (int64_t k = 0; k < size && before > 0; k++)
        v[k] /= before;
    return before > 0;
}

/* Twice, for its digits. */
double gb_span_project(const gb_span *s, double *v)
{
    const double before = length(v, s->size);
    for (int64_t i = 0; i < 2 * s->rank; i++) {
        const double *const q = s->basis + i % s->rank * s->size;
        const double along = gb_span_dot(q, v, s->size);
        for (int64_t k = 0; k < s->size; k++)
            v[k] -= along * q[k];
    }
    return before > 0 ? length(v, s->size) / before : 0;
}

void gb_span_add(gb_span *s, double *v)
{
    if (s->rank == s->size || !(gb_span_project(s, v) > GB_SPAN_NOTHING) || !gb_span_scale(v, s->size))
        return;
    memcpy(s->basis + s->rank++ * s->size, v, (size_t)s->size * sizeof *v);
}

int64_t gb_span_lacks(const gb_span *s, double *v)
{
    double most = 0;
    int64_t axis = 0;
    for (int64_t k = 0; k < s->size; k++) {
        memset(v, 0, (size_t)s->size * sizeof *v);
        v[k] = 1;
        const double left = gb_span_project(s, v);
        axis = left > most ? k : axis;
        most = fmax(left, most);
    }
    return axis;
}

/* ---- least squares with u ≥ 0 ---- */

typedef struct squares {
    int64_t rows, size, used;
    const double *row;
    bool *is_used;
    int64_t *at;        /* the used rows: [size] */
    double *u, *next;   /* of the used rows: now, and without u ≥ 0 */
    double *sum, *left; /* of all rows, with the weights 1 and 1 + u */
    double *factor, *q; /* of the used rows: row j is factor[j] · q, [size][size] */
} squares;

static const double *row_at(const squares *s, int64_t i)
{
    return s->row + i * s->size;
}

/* Adds used row j to q and the factor, by Gram and Schmidt. Returns false if it depends on others. */
static bool factor_one(squares *s, int64_t j)
{
    const int64_t n = s->size;
    double *const q = s->q + j * n, *const factor = s->factor + j * n;
    memcpy(q, row_at(s, s->at[j]), (size_t)n * sizeof *q);
    memset(factor, 0, (size_t)n * sizeof *factor);
    for (int64_t i = 0; i < 2 * j; i++) {
        const double *const other = s->q + i % j * n;
        const double along = gb_span_dot(other, q, n);
        factor[i % j] += along;
        for (int64_t k = 0; k < n; k++)
            q[k] -= along * other[k];
    }
    factor[j] = length(q, n);
    return factor[j] > GB_SPAN_NOTHING && gb_span_scale(q, n);
}

/* Makes Σ next · row, of the used rows, as near to −sum as it can be. */
static bool solve(squares *s)
{
    for (int64_t j = 0; j < s->used; j++)
        if (!factor_one(s, j))
            return false;
    for (int64_t j = s->used - 1; j >= 0; j--) {
        double value = -gb_span_dot(s->q + j * s->size, s->sum, s->size);
        for (int64_t i = j + 1; i < s->used; i++)
            value -= s->factor[i * s->size + j] * s->next[i];
        s->next[j] = value / s->factor[j * s->size + j];
    }
    return true;
}

/* Moves u to the solution, and takes out rows whose u would be negative on the way. */
static bool move(squares *s)
{
    while (solve(s)) {
        double step = 1;
        int64_t kept = 0;
        for (int64_t j = 0; j < s->used; j++)
            if (s->next[j] <= 0)
                step = fmin(step, s->u[j] / (s->u[j] - s->next[j]));
        for (int64_t j = 0; j < s->used; j++) {
            const double to = s->u[j] + step * (s->next[j] - s->u[j]);
            s->is_used[s->at[j]] = to > GB_SPAN_NOTHING * s->u[j] && to > 0;
            if (!s->is_used[s->at[j]])
                continue;
            s->at[kept] = s->at[j];
            s->u[kept++] = to;
        }
        if (kept == s->used)
            return true;
        s->used = kept;
    }
    return false;
}

static void find_left(squares *s)
{
    memcpy(s->left, s->sum, (size_t)s->size * sizeof *s->left);
    for (int64_t j = 0; j < s->used; j++)
        for (int64_t k = 0; k < s->size; k++)
            s->left[k] += s->u[j] * row_at(s, s->at[j])[k];
}

/* Uses the row along which `left` falls most. Returns false if there is none. */
static bool use_one_more(squares *s)
{
    double least = -GB_SPAN_NOTHING * length(s->sum, s->size);
    int64_t one = -1;
    for (int64_t i = 0; i < s->rows; i++) {
        const double along = gb_span_dot(row_at(s, i), s->left, s->size);
        if (!s->is_used[i] && along < least) {
            least = along;
            one = i;
        }
    }
    if (one < 0 || s->used == s->size)
        return false;
    s->is_used[one] = true;
    s->u[s->used] = 0;
    s->at[s->used++] = one;
    return true;
}

static bool finds_direction(squares *s)
{
    static const double of_sum = 1e-8, along = 1e-7;
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t k = 0; k < s->size; k++)
            s->sum[k] += row_at(s, i)[k];
    find_left(s);
    for (int64_t steps = 20 * s->size + 100; steps > 0 && use_one_more(s); steps--) {
        if (!move(s))
            return false;
        find_left(s);
    }
    if (!(length(s->left, s->size) > of_sum * length(s->sum, s->size)) || !gb_span_scale(s->left, s->size))
        return false;
    for (int64_t i = 0; i < s->rows; i++)
        if (gb_span_dot(row_at(s, i), s->left, s->size) < -along)
            return false;
    return true;
}

gb_wedge gb_wedge_look(const gb_memory *memory, int64_t rows, int64_t size, const double *row, double *b)
{
    const size_t n = (size_t)size, numbers = 2 * n * n + 4 * n;
    double *const room = gb_memory_resize(memory, NULL, numbers * sizeof *room);
    bool *const is_used = gb_memory_resize(memory, NULL, (size_t)rows);
    int64_t *const at = gb_memory_resize(memory, NULL, n * sizeof *at);
    gb_wedge found = GB_WEDGE_NO_MEMORY;
    if (room && is_used && at) {
        squares s = {.rows = rows,
                     .size = size,
                     .row = row,
                     .is_used = memset(is_used, 0, (size_t)rows),
                     .at = at,
                     .u = room,
                     .next = room + n,
                     .sum = memset(room + 2 * n, 0, n * sizeof *room),
                     .left = room + 3 * n,
                     .factor = room + 4 * n,
                     .q = room + 4 * n + n * n};
        found = finds_direction(&s) ? GB_WEDGE_HAS_DIRECTION : GB_WEDGE_IS_POINT;
        memcpy(b, s.left, n * sizeof *b);
    }
    gb_memory_release(memory, room);
    gb_memory_release(memory, is_used);
    gb_memory_release(memory, at);
    return found;
}
