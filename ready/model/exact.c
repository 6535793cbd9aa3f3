/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a linear predictor gives all outcomes exactly. The equations are taken row by row; with groups,
 * each is the difference of a row to the first of its group. Of data with noise, the first row that
 * depends on those before it ends the search. */
#include <math.h>

#include "core/ground/memory_impl.h"
#include "core/tape.h"
#include "ready/model/parts_impl.h"

/* Equations that are independent, as orthonormal rows of columns, each with its right side. */
typedef struct equations {
    const gb_model_site *site;
    int64_t rank, most;
    double *basis; /* [most][columns + 1] */
    double *next;  /* [columns + 1] */
} equations;

/* Beyond so many the search would take seconds, and data that are told exactly by them are no likely case. */
enum { MOST_RANK = 1000 };

static double weight_of(const gb_model_site *s, int64_t row)
{
    return s->weights ? s->weights[row] : 1;
}

/* The row in standard units, minus row `first` unless that is −1. */
static void set_next(const equations *e, int64_t row, int64_t first)
{
    const gb_model_site *const s = e->site;
    const double *const offset = s->parts->offset;
    for (int64_t k = 0; k < s->columns; k++) {
        const double x = gb_numbers_at(s->values, (size_t)(row * s->columns + k)),
                     from = first < 0 ? 0 : gb_numbers_at(s->values, (size_t)(first * s->columns + k));
        e->next[k] = (x - from) / s->sd[k];
    }
    const double y = s->outcomes[row] - (offset ? offset[row] : 0),
                 from = first < 0 ? 0 : s->outcomes[first] - (offset ? offset[first] : 0);
    e->next[s->columns] = (y - from) / s->outcome_sd;
}

static double length(const double *x, int64_t count)
{
    double squares = 0;
    for (int64_t k = 0; k < count; k++)
        squares += x[k] * x[k];
    return sqrt(squares);
}

/* Takes out what earlier equations say, twice for its digits. Returns false if the outcome contradicts
 * them. */
static bool add_next(equations *e)
{
    static const double nothing = 1e-9;
    const int64_t columns = e->site->columns;
    const double before = length(e->next, columns), y = fabs(e->next[columns]);
    for (int64_t i = 0; i < 2 * e->rank; i++) {
        const double *const q = e->basis + i % e->rank * (columns + 1);
        double along = 0;
        for (int64_t k = 0; k < columns; k++)
            along += q[k] * e->next[k];
        for (int64_t k = 0; k <= columns; k++)
            e->next[k] -= along * q[k];
    }
    const double left = length(e->next, columns);
    if (!(left > nothing * before))
        return fabs(e->next[columns]) <= nothing * fmax(y, 1);
    for (int64_t k = 0; k <= columns && e->rank < e->most; k++)
        e->basis[e->rank * (columns + 1) + k] = e->next[k] / left;
    return e->rank++ < e->most;
}

/* Returns whether all are fitted; counts groups and weights of the rows that count. */
static bool add_rows(equations *e, int64_t *first, int64_t *groups, double *sum)
{
    const gb_model_site *const s = e->site;
    const int64_t *const group = s->parts->group;
    for (int64_t g = 0; group && g < s->groups; g++)
        first[g] = -1;
    for (int64_t i = 0; i < s->rows; i++) {
        if (!(weight_of(s, i) > 0))
            continue;
        *sum += weight_of(s, i);
        if (group && first[group[i]] < 0) {
            first[group[i]] = i;
            ++*groups;
            continue;
        }
        set_next(e, i, group ? first[group[i]] : -1);
        if (!add_next(e))
            return false;
    }
    return true;
}

bool gb_model_has_residue(const gb_model_site *s)
{
    const double by_rounding = 1e-6;
    const gb_memory memory = gb_tape_memory(s->tape);
    equations e = {.site = s, .most = s->rows < s->columns ? s->rows : s->columns};
    int64_t groups = 0;
    double sum = 0;
    if (!s->outcomes)
        return true;
    e.most = e.most < MOST_RANK ? e.most : MOST_RANK;
    const size_t width = (size_t)s->columns + 1, first_bytes = ((size_t)s->groups + 1) * sizeof(int64_t);
    e.basis = gb_memory_resize(&memory, NULL, ((size_t)e.most + 1) * width * sizeof *e.basis);
    int64_t *const first = gb_memory_resize(&memory, NULL, first_bytes);
    bool is_exact = false;
    if (e.basis && first) {
        e.next = e.basis + (size_t)e.most * width;
        is_exact = add_rows(&e, first, &groups, &sum);
    } else
        gb_fail(s->tape, GB_ENOMEM, "model: out of memory for %lld columns", (long long)s->columns);
    gb_memory_release(&memory, e.basis);
    gb_memory_release(&memory, first);
    const int64_t numbers = groups + e.rank;
    if (is_exact && sum - (double)numbers > 1 - by_rounding)
        gb_fail(s->tape, GB_EARGUMENT,
                "model: %lld coefficients%s give each %s exactly, in rows whose weights have the sum %g, "
                "so sigma has no posterior: its density is infinite at 0; take fewer columns or "
                "groups, or divide the weights by their mean",
                (long long)numbers, groups ? " and effects of groups" : "", s->outcome, sum);
    return gb_error(s->tape) == GB_OK;
}
