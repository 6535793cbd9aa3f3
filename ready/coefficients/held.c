/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether data hold slopes that have a flat prior: the likelihood has an integral if it falls without end in
 * each direction. Other numbers have priors, and do not change which directions these are. */
#include <math.h>
#include <string.h>

#include "core/tape.h"
#include "ready/coefficients/coefficients_impl.h"
#include "ready/coefficients/span_impl.h"
#include "ready/model/parts_impl.h"

static bool is_looked_at(const gb_coefficients *c)
{
    return c && c->options.prior.type->is_flat && c->columns > 0 && c->site->outcomes &&
           gb_error(c->site->tape) == GB_OK;
}

/* In the units of the slopes' latents. */
static void read_row(const gb_coefficients *c, int64_t row, double *x)
{
    const gb_model_site *const s = c->site;
    const bool is_centred = !c->options.raw && (s->has_intercept || c->options.centred);
    for (int64_t k = 0; k < c->columns; k++) {
        const int64_t at = c->first + k;
        const double value = gb_numbers_at(s->values, (size_t)(row * s->columns + at));
        x[k] = (is_centred ? value - s->mean[at] : value) / s->sd[at];
    }
}

/* Outcomes that are missing hold nothing; `lost` is how many were before the row. */
static bool counts(const gb_model_site *s, int64_t row, size_t *lost)
{
    const bool is_missing = *lost < s->missing && s->missing_row[*lost] == row;
    *lost += is_missing;
    return !is_missing && (!s->weights || s->weights[row] > 0);
}

static bool reject(const gb_coefficients *c, int64_t column, const char *words)
{
    return gb_fail(c->site->tape, GB_EARGUMENT,
                   "model: %s %s, and its prior is flat, so there is no posterior; take a prior such as "
                   "gb_normal_shrinkage(), or leave the column out",
                   c->site->column[c->first + column], words) == GB_OK;
}

static const char *const is_a_sum = "is a sum of other columns, or constant, in rows that count";

/* ---- any outcomes ---- */

bool gb_coefficients_are_held(const gb_coefficients *c, int64_t first_row)
{
    if (!is_looked_at(c))
        return !c || gb_error(c->site->tape) == GB_OK;
    const gb_memory memory = gb_tape_memory(c->site->tape);
    const size_t n = (size_t)c->columns;
    double *const room = gb_memory_resize(&memory, NULL, (n + 1) * n * sizeof *room);
    gb_span span = {.size = c->columns, .basis = room};
    size_t lost = 0;
    if (!room)
        return gb_fail(c->site->tape, GB_ENOMEM, "model: out of memory for %zu columns", n) == GB_OK;
    double *const row = room + n * n;
    for (int64_t i = 0; i < c->site->rows && span.rank < span.size; i++)
        if (counts(c->site, i, &lost) && i >= first_row) {
            read_row(c, i, row);
            gb_span_add(&span, row);
        }
    if (span.rank < span.size)
        reject(c, gb_span_lacks(&span, row), is_a_sum);
    gb_memory_release(&memory, room);
    return gb_error(c->site->tape) == GB_OK;
}

/* ---- counts and classes ---- */

enum { MOST_SLOPES = 100, MOST_NUMBERS = 20 * 1000 * 1000 };

/* Rows that become no less likely in directions b with v · b ≥ 0, as constraints v. */
typedef struct cone {
    const gb_coefficients *of;
    int64_t predictors, size; /* columns · predictors */
    gb_span held;             /* by rows that become less likely on both sides */
    int64_t rows;
    double *row;        /* [rows][size], of length 1, without what is held */
    double *x, *vector; /* [columns], [size] */
} cone;

/* Of one predictor: it may fall if the outcome is 0, and grow if it is the highest. */
static void constrain(cone *c, int64_t row, bool both)
{
    const gb_model_site *const s = c->of->site;
    const double *const trials = s->parts->trials, highest = trials           ? trials[row]
                                                             : s->classes > 0 ? (double)(s->classes - 1)
                                                                              : (double)INFINITY;
    const bool may_fall = s->outcomes[row] <= 0, may_grow = s->outcomes[row] >= highest;
    double *const v = both ? c->vector : c->row + c->rows * c->size;
    if ((may_fall && may_grow) || both != (!may_fall && !may_grow))
        return;
    for (int64_t k = 0; k < c->size; k++)
        v[k] = may_fall ? -c->x[k] : c->x[k];
    if (both)
        gb_span_add(&c->held, v);
    else
        c->rows += gb_span_scale(v, c->size);
}

/* Of a predictor for each class but the first: that of the outcome may not fall below another. */
static void constrain_classes(cone *c, int64_t row)
{
    const int64_t is = (int64_t)c->of->site->outcomes[row];
    for (int64_t other = 0; other <= c->predictors; other++) {
        double *const v = c->row + c->rows * c->size;
        if (other == is)
            continue;
        for (int64_t k = 0; k < c->size; k++) {
            const int64_t class = 1 + k % c->predictors;
            const double x = c->x[k / c->predictors];
            v[k] = class == is ? x : class == other ? -x : 0;
        }
        c->rows += gb_span_scale(v, c->size);
    }
}

static void read_rows(cone *c, bool both)
{
    size_t lost = 0;
    for (int64_t i = 0; i < c->of->site->rows; i++) {
        if (!counts(c->of->site, i, &lost))
            continue;
        read_row(c->of, i, c->x);
        if (c->of->options.shape.rank == 0)
            constrain(c, i, both);
        else if (!both)
            constrain_classes(c, i);
    }
}

/* Takes out what is held, and rows that are nothing else. */
static void take_out_held(cone *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        double *const v = c->row + kept * c->size;
        memmove(v, c->row + i * c->size, (size_t)c->size * sizeof *v);
        kept += gb_span_project(&c->held, v) > GB_SPAN_NOTHING && gb_span_scale(v, c->size);
    }
    c->rows = kept;
}

static bool is_separated(cone *c)
{
    const gb_memory memory = gb_tape_memory(c->of->site->tape);
    const gb_wedge found =
        c->rows > 0 ? gb_wedge_look(&memory, c->rows, c->size, c->row, c->vector) : GB_WEDGE_IS_POINT;
    int64_t most = 0;
    for (int64_t k = 0; k < c->size && found == GB_WEDGE_HAS_DIRECTION; k++)
        most = fabs(c->vector[k]) > fabs(c->vector[most]) ? k : most;
    if (found == GB_WEDGE_NO_MEMORY)
        gb_fail(c->of->site->tape, GB_ENOMEM, "model: out of memory for %lld slopes", (long long)c->size);
    if (found == GB_WEDGE_HAS_DIRECTION)
        reject(c->of, most / c->predictors,
               "separates the outcomes: no row becomes less likely, however large its coefficient and those "
               "of other columns");
    return gb_error(c->of->site->tape) != GB_OK;
}

static void look(cone *c)
{
    read_rows(c, true);
    read_rows(c, false);
    take_out_held(c);
    if (is_separated(c))
        return;
    for (int64_t i = 0; i < c->rows; i++)
        gb_span_add(&c->held, c->row + i * c->size);
    if (c->held.rank < c->held.size)
        reject(c->of, gb_span_lacks(&c->held, c->vector) / c->predictors, is_a_sum);
}

bool gb_coefficients_overlap(const gb_coefficients *c)
{
    if (!is_looked_at(c))
        return !c || gb_error(c->site->tape) == GB_OK;
    const int64_t predictors = (int64_t)gb_shape_count(c->options.shape), size = c->columns * predictors,
                  rows = c->site->rows * predictors;
    if (size > MOST_SLOPES || rows > MOST_NUMBERS / size)
        return true;
    const gb_memory memory = gb_tape_memory(c->site->tape);
    const size_t n = (size_t)size;
    double *const room = gb_memory_resize(&memory, NULL, (n * n + 2 * n) * sizeof *room),
                  *const row = gb_memory_resize(&memory, NULL, (size_t)(rows + 1) * n * sizeof *row);
    if (room && row)
        look(&(cone){.of = c,
                     .predictors = predictors,
                     .size = size,
                     .held = {.size = size, .basis = room},
                     .row = row,
                     .x = room + n * n,
                     .vector = room + n * n + n});
    else
        gb_fail(c->site->tape, GB_ENOMEM, "model: out of memory for %lld rows", (long long)rows);
    gb_memory_release(&memory, room);
    gb_memory_release(&memory, row);
    return gb_error(c->site->tape) == GB_OK;
}
