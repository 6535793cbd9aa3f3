/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether rows show the noise sigma of a linear predictor, or leave its density infinite at 0.
 *
 * Where rows with the weights W are given exactly, near those coefficients and sigma = 0 the likelihood goes
 * as sigma^(−W), if the law is normal, and sigma^(−W + freedom · (the other weights)) if it is a Student t.
 * The r numbers that are determined by these rows lie within sigma of their values. So the density of sigma
 * goes as sigma^(r − W + …), which has an integral above −1. A scale of several numbers that are 0, such as
 * that of the effects of groups, counts once in r in the place of all of them. */
#include <math.h>

#include "core/tape.h"
#include "ready/equations.h"
#include "ready/model/parts_impl.h"

typedef struct residue {
    const gb_model_site *site;
    gb_model_has_residue_options options;
    int64_t rows; /* that count */
    double sum;   /* of their weights */
} residue;

/* Numbers that are 0, as their scale is. */
typedef struct zeros {
    bool slopes, groups;
} zeros;

static const double by_rounding = 1e-6;

static double weight_of(const gb_model_site *s, int64_t row)
{
    return s->weights ? s->weights[row] : 1;
}

static gb_equations *equations_of(const residue *r, zeros at)
{
    return gb_equations_new(r->site, .level = r->options.level, .no_slopes = at.slopes,
                            .no_groups = at.groups);
}

static bool has_groups(const residue *r)
{
    return r->site->parts->group != NULL;
}

static int64_t slopes_of(const residue *r)
{
    return r->site->columns - r->site->has_intercept;
}

/* How many numbers of the prior are determined. */
static int64_t numbers_of(const residue *r, const gb_equations *e, zeros at)
{
    const int64_t slopes = r->options.shared_scale ? 1 : slopes_of(r);
    return gb_equations_rank(e) + (at.slopes ? slopes : 0) + at.groups + r->options.drifts;
}

static const char *words_of(const residue *r, zeros at)
{
    static const char *const without[] = {"", " without slopes", " without effects of groups",
                                          " without slopes and effects of groups"};
    return has_groups(r) && !at.groups ? " and effects of groups" : without[at.slopes + 2 * at.groups];
}

/* ---- all rows ---- */

static bool gives_all(const gb_model_site *s, gb_equations *e)
{
    for (int64_t i = 0; i < s->rows; i++)
        if (weight_of(s, i) > 0 && gb_equations_add(e, i) == GB_EQUATION_VIOLATED)
            return false;
    return e;
}

/* Stores whether rows are given exactly. */
static bool shows(const residue *r, zeros at, bool *is_exact)
{
    gb_equations *const e = equations_of(r, at);
    *is_exact = gives_all(r->site, e);
    const int64_t rank = gb_equations_rank(e), numbers = numbers_of(r, e, at);
    gb_equations_free(e);
    if (*is_exact && r->sum - (double)numbers > 1 - by_rounding)
        gb_fail(r->site->tape, GB_EARGUMENT,
                "model: %lld coefficients%s give each %s exactly, in rows whose weights have the sum %g, "
                "so sigma has no posterior: its density is infinite at 0; take fewer columns or "
                "groups, or divide the weights by their mean",
                (long long)rank, words_of(r, at), r->site->outcome, r->sum);
    return gb_error(r->site->tape) == GB_OK;
}

/* A level of its own for each row. */
static bool shows_beside_levels(const residue *r)
{
    return !r->options.drifts || r->sum - (double)r->rows < 1 - by_rounding ||
           gb_fail(r->site->tape, GB_EARGUMENT,
                   "model: the %lld rows that count have weights whose sum is %g, and each has a level of "
                   "its own, so sigma has no posterior: its density is infinite at 0; divide the weights by "
                   "their mean",
                   (long long)r->rows, r->sum) == GB_OK;
}

/* ---- a part of the rows, under a Student t ---- */

enum { MOST_TRIALS = 5000, MOST_DRAWN = 10, LOOKS = 64 };

/* Rows that count, drawn with probabilities as their weights. */
typedef struct urn {
    int64_t rows, *row;
    double *up_to; /* sums of weights */
    uint64_t state;
} urn;

static bool fill(urn *u, const residue *r)
{
    *u = (urn){.row = gb_tape_keep(r->site->tape, (size_t)r->rows * sizeof *u->row),
               .up_to = gb_tape_keep(r->site->tape, (size_t)r->rows * sizeof *u->up_to)};
    double sum = 0;
    for (int64_t i = 0; u->row && u->up_to && i < r->site->rows; i++)
        if (weight_of(r->site, i) > 0) {
            u->row[u->rows] = i;
            u->up_to[u->rows++] = sum += weight_of(r->site, i);
        }
    return u->rows > 0;
}

static int64_t draw(urn *u)
{
    u->state = u->state * 6364136223846793005u + 1442695040888963407u;
    const double at = ((double)(u->state >> 11) + 0.5) * 0x1p-53 * u->up_to[u->rows - 1];
    int64_t low = 0, high = u->rows - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (u->up_to[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return u->row[low];
}

/* Weights of the rows that the equations of a few drawn ones give, if those are a fourth of all at least. */
static double given_by_few(urn *u, gb_equations *e, const gb_model_site *s, int64_t most)
{
    int64_t given = 0;
    double sum = 0;
    gb_equations_clear(e);
    for (int64_t i = 0; i < 3 * most + 10 && gb_equations_rank(e) < most; i++)
        gb_equations_add(e, draw(u));
    for (int i = 0; i < LOOKS; i++)
        given += gb_equations_look(e, draw(u)) == GB_EQUATION_FULFILLED;
    for (int64_t i = 0; i < u->rows && 4 * given >= LOOKS; i++)
        sum += gb_equations_look(e, u->row[i]) == GB_EQUATION_FULFILLED ? weight_of(s, u->row[i]) : 0;
    return sum;
}

/* The weights that rows on one plane need to leave no posterior: (1 + freedom) W − freedom · sum − r is 1. */
static double too_much(const residue *r, int64_t numbers)
{
    const double freedom = r->options.freedom, more = r->options.is_least ? by_rounding : -by_rounding;
    return (freedom * r->sum + (double)numbers + 1 + more) / (1 + freedom);
}

/* So many drawings of `most` rows find a plane with a share of the weights but once in a million times. */
static int trials_for(double share, int64_t most)
{
    const double each = share < 1 ? pow(share, (double)most) : 1, count = log(1e-6) / log1p(-0.999999 * each);
    return count < MOST_TRIALS ? (int)ceil(count) : MOST_TRIALS;
}

/* Looks for the plane through a few rows on which most of the others lie (Rousseeuw and Leroy 1987). */
static bool shows_beside_outliers(const residue *r, zeros at)
{
    urn u;
    const gb_model_site *const s = r->site;
    const int64_t most = (at.slopes ? s->has_intercept : s->columns) + r->options.level;
    const double share = too_much(r, most) / r->sum;
    if (most == 0 || most > MOST_DRAWN || !(share <= 1) || !fill(&u, r))
        return gb_error(s->tape) == GB_OK;
    gb_equations *const e = equations_of(r, at);
    for (int i = trials_for(share, most); e && i > 0 && gb_error(s->tape) == GB_OK; i--) {
        const double given = given_by_few(&u, e, s, most);
        if (given > too_much(r, numbers_of(r, e, at)))
            gb_fail(s->tape, GB_EARGUMENT,
                    "model: %lld coefficients%s give %s exactly in rows whose weights have the sum %g, of %g "
                    "in all, so sigma has no posterior: its density is infinite at 0, whatever the other "
                    "rows are; take fewer columns, or a larger .freedom",
                    (long long)gb_equations_rank(e), words_of(r, at), s->outcome, given, r->sum);
    }
    gb_equations_free(e);
    return gb_error(s->tape) == GB_OK;
}

/* On any plane, and, for any number of columns, of equal outcomes. Effects of groups are looked at with all
 * rows only, and else where they are 0. */
static bool shows_beside_all_outliers(const residue *r)
{
    return shows_beside_outliers(r, (zeros){.groups = has_groups(r)}) &&
           (slopes_of(r) == 0 || shows_beside_outliers(r, (zeros){true, has_groups(r)}));
}

bool gb_model_has_residue_with(const gb_model_site *s, const gb_model_has_residue_options *given)
{
    residue r = {.site = s};
    if (!gb_options_take(s->tape, "residue", &r.options, sizeof r.options, given))
        return false;
    if (!s->outcomes)
        return true; /* a process that only predicts */
    for (int64_t i = 0; i < s->rows; i++) {
        r.rows += weight_of(s, i) > 0;
        r.sum += weight_of(s, i);
    }
    bool is_exact = true;
    if (!shows_beside_levels(&r) || !shows(&r, (zeros){0}, &is_exact))
        return false;
    for (int i = 1; i < 4 && is_exact; i++) {
        const zeros at = {.slopes = i & 1, .groups = i & 2};
        bool is_so;
        if ((at.slopes && (!r.options.shared_scale || slopes_of(&r) == 0)) || (at.groups && !has_groups(&r)))
            continue;
        if (!shows(&r, at, &is_so))
            return false;
    }
    return r.options.freedom > 0 && !is_exact ? shows_beside_all_outliers(&r) : true;
}
