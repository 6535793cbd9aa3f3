/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The equations are orthonormal rows, each with its right side. With groups, each is the difference of a row
 * to the first of its group, which takes the effect of the group out. */
#include "ready/equations.h"

#include <math.h>

#include "core/tape.h"
#include "ready/model/parts_impl.h"

/* Beyond so many a search would take seconds, and data that are told exactly by them are no likely case. */
enum { MOST_RANK = 1000 };

struct gb_equations {
    gb_memory memory;
    const gb_model_site *site;
    gb_equations_options options;
    const double *outcomes;
    bool is_centred;
    int64_t columns, unknowns; /* of the columns; and in all, without effects of groups */
    int64_t rank, most, groups;
    double *basis;  /* [most][unknowns + 1] */
    double *next;   /* [unknowns + 1] */
    int64_t *first; /* the row of each group that was added first; −1: none */
};

static bool has_groups(const gb_equations *e)
{
    return e->site->parts->group && !e->options.no_groups;
}

gb_equations *gb_equations_new_with(const gb_model_site *s, const gb_equations_options *given)
{
    gb_equations_options o;
    if (!s || !s->outcomes || !gb_options_take(s->tape, "equations", &o, sizeof o, given))
        return NULL;
    const gb_memory memory = gb_tape_memory(s->tape);
    const int64_t columns = o.no_slopes ? s->has_intercept : s->columns,
                  unknowns = columns + o.level + o.lags;
    int64_t most = s->rows < unknowns ? s->rows : unknowns;
    most = most < MOST_RANK ? most : MOST_RANK;
    const size_t width = (size_t)unknowns + 1;
    gb_equations *const e = gb_memory_resize(&memory, NULL, sizeof *e);
    double *const basis = gb_memory_resize(&memory, NULL, ((size_t)most + 1) * width * sizeof *basis);
    int64_t *const first = gb_memory_resize(&memory, NULL, ((size_t)s->groups + 1) * sizeof *first);
    if (!e || !basis || !first) {
        gb_memory_release(&memory, e);
        gb_memory_release(&memory, basis);
        gb_memory_release(&memory, first);
        gb_fail(s->tape, GB_ENOMEM, "model: out of memory for %lld columns", (long long)unknowns);
        return NULL;
    }
    *e = (gb_equations){.memory = memory,
                        .site = s,
                        .options = o,
                        .outcomes = o.outcomes ? o.outcomes : s->outcomes,
                        .is_centred = s->has_intercept || o.level,
                        .columns = columns,
                        .unknowns = unknowns,
                        .most = most,
                        .basis = basis,
                        .next = basis + (size_t)most * width,
                        .first = first};
    gb_equations_clear(e);
    return e;
}

void gb_equations_free(gb_equations *e)
{
    if (!e)
        return;
    const gb_memory memory = e->memory;
    gb_memory_release(&memory, e->basis);
    gb_memory_release(&memory, e->first);
    gb_memory_release(&memory, e);
}

void gb_equations_clear(gb_equations *e)
{
    if (!e)
        return;
    e->rank = e->groups = 0;
    for (int64_t g = 0; g <= e->site->groups; g++)
        e->first[g] = -1;
}

/* ---- a row ---- */

static double column_at(const gb_equations *e, int64_t row, int64_t k)
{
    const gb_model_site *const s = e->site;
    const double x = gb_numbers_at(s->values, (size_t)(row * s->columns + k));
    return (e->is_centred ? x - s->mean[k] : x) / s->sd[k];
}

static double outcome_at(const gb_equations *e, int64_t row)
{
    const double *const offset = e->site->parts->offset;
    return (e->outcomes[row] - (offset ? offset[row] : 0) - (e->is_centred ? e->site->outcome_mean : 0)) /
           e->site->outcome_sd;
}

/* Adds `factor` times the row to `next`. */
static void add_row(const gb_equations *e, int64_t row, double factor)
{
    double *to = e->next;
    for (int64_t k = 0; k < e->columns; k++)
        *to++ += factor * column_at(e, row, k);
    if (e->options.level)
        *to++ += factor;
    for (int64_t k = 1; k <= e->options.lags; k++)
        *to++ += factor * outcome_at(e, row - k);
    *to += factor * outcome_at(e, row);
}

static double length(const double *x, int64_t count)
{
    double squares = 0;
    for (int64_t k = 0; k < count; k++)
        squares += x[k] * x[k];
    return sqrt(squares);
}

/* Makes `next` the row, minus what earlier equations say of it, twice for its digits. Returns the length of
 * what is left of its unknowns, and stores that of all of them. */
static double set_next(gb_equations *e, int64_t row, int64_t first, double *before)
{
    const int64_t n = e->unknowns;
    for (int64_t k = 0; k <= n; k++)
        e->next[k] = 0;
    add_row(e, row, 1);
    if (first >= 0)
        add_row(e, first, -1);
    *before = length(e->next, n);
    for (int64_t i = 0; i < 2 * e->rank; i++) {
        const double *const q = e->basis + i % e->rank * (n + 1);
        double along = 0;
        for (int64_t k = 0; k < n; k++)
            along += q[k] * e->next[k];
        for (int64_t k = 0; k <= n; k++)
            e->next[k] -= along * q[k];
    }
    return length(e->next, n);
}

static gb_equation judge(gb_equations *e, int64_t row, double *left)
{
    static const double nothing = 1e-9;
    double before;
    const int64_t first = has_groups(e) ? e->first[e->site->parts->group[row]] : -1;
    if (has_groups(e) && first < 0)
        return GB_EQUATION_INDEPENDENT;
    *left = set_next(e, row, first, &before);
    if (*left > nothing * before)
        return e->rank < e->most ? GB_EQUATION_INDEPENDENT : GB_EQUATION_VIOLATED;
    return fabs(e->next[e->unknowns]) <= nothing * fmax(fabs(outcome_at(e, row)), 1) ? GB_EQUATION_FULFILLED
                                                                                     : GB_EQUATION_VIOLATED;
}

gb_equation gb_equations_look(gb_equations *e, int64_t row)
{
    double left;
    return e ? judge(e, row, &left) : GB_EQUATION_VIOLATED;
}

gb_equation gb_equations_add(gb_equations *e, int64_t row)
{
    double left = 0;
    const gb_equation is = e ? judge(e, row, &left) : GB_EQUATION_VIOLATED;
    if (is != GB_EQUATION_INDEPENDENT)
        return is;
    if (has_groups(e) && e->first[e->site->parts->group[row]] < 0) {
        e->first[e->site->parts->group[row]] = row;
        e->groups++;
        return is;
    }
    for (int64_t k = 0; k <= e->unknowns; k++)
        e->basis[e->rank * (e->unknowns + 1) + k] = e->next[k] / left;
    e->rank++;
    return is;
}

int64_t gb_equations_rank(const gb_equations *e)
{
    return e ? e->groups + e->rank : 0;
}

double gb_equations_value(gb_equations *e, int64_t row)
{
    double before;
    if (!e)
        return 0;
    set_next(e, row, -1, &before);
    return e->outcomes[row] - e->next[e->unknowns] * e->site->outcome_sd;
}
