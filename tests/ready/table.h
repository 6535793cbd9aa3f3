/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for ready models, and its outcomes. Include support/close.h first. */
#ifndef GREBE_TESTS_READY_TABLE_H
#define GREBE_TESTS_READY_TABLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fitting/density.h"
#include "ready/analysis.h"
#include "ready/models.h"

typedef struct model_case {
    const char *name; /* the text of the model */
    const char *formula;
    double (*outcome)(int row);
    const char *group, *error;
} model_case;

/* ---- outcomes ---- */

static inline double unit(int row, int k)
{
    const double x = 12.9898 * row + 78.233 * k;
    return fabs(sin(x) * 43758.5453 - floor(sin(x) * 43758.5453));
}

static inline double a_number(int row)
{
    return 3 + 0.5 * row + 2 * unit(row, 1);
}

static inline double a_count(int row)
{
    return floor(6 * unit(row, 2));
}

static inline double a_bit(int row)
{
    return unit(row, 3) < 0.4;
}

static inline double a_class(int row)
{
    return row < 3 ? row : floor(3 * unit(row, 4));
}

/* ---- the table ---- */

enum { ROWS = 24, CHANGED = 7, MOST_NUMBERS = 64 };

/* What differs from the usual table. */
typedef struct twist {
    double weight;     /* of row CHANGED */
    bool is_missing;   /* its outcome */
    double of_y, of_x; /* units; 0: 1 */
} twist;

static inline gb_table *table_of(gb_tape *t, const model_case *c, twist how)
{
    double y[ROWS], a[ROWS], b[ROWS], w[ROWS], n[ROWS], e[ROWS], g[ROWS];
    const char *f[ROWS];
    static const char *const levels[] = {"north", "south", "west"};
    const double of_y = how.of_y > 0 ? how.of_y : 1, of_x = how.of_x > 0 ? how.of_x : 1;
    for (int i = 0; i < ROWS; i++) {
        y[i] = of_y * c->outcome(i);
        a[i] = of_x * (5 + unit(i, 5));
        b[i] = unit(i, 6) - 0.3;
        w[i] = i == CHANGED ? how.weight : 1 + (i % 3 == 0);
        n[i] = 6 + i % 2;
        e[i] = of_y * (0.5 + unit(i, 7));
        g[i] = 10 * (i % 4);
        f[i] = levels[i % 3];
    }
    if (how.is_missing)
        y[CHANGED] = (double)NAN;
    gb_table *const d = gb_table_new(t, "data", ROWS);
    const struct {
        const char *name;
        const double *values;
    } column[] = {{"y", y}, {"a", a}, {"b", b}, {"w", w}, {"n", n}, {"e", e}, {"g", g}};
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        gb_table_add(d, column[i].name, gb_numbers_of(GB_NUMBER_DOUBLE, column[i].values, ROWS));
    gb_table_add_texts(d, "f", f);
    return d;
}

static inline gb_analysis *analysis_of(gb_tape *t, const model_case *c, const gb_table *d)
{
    gb_model model;
    char error[256];
    if (!gb_model_parse(c->name, &model, error, sizeof error))
        fail_msg("%s", error);
    return gb_analysis_new(t, model, .formula = c->formula, .table = d, .group = c->group, .error = c->error);
}

static inline void point(size_t count, int number, double *z)
{
    assert_true(count <= MOST_NUMBERS);
    for (size_t k = 0; k < count; k++)
        z[k] = 0.6 * sin(1.7 * (double)k + number);
}

/* log p of what is fed, at point `number`. */
static inline double density_at_point(const gb_analysis *a, gb_density *p, int number)
{
    double z[MOST_NUMBERS], value = 0;
    assert_fine(gb_analysis_site(a)->tape);
    point(gb_density_count(p), number, z);
    assert_int_equal(gb_density_evaluate(p, 1, z, &value, NULL, NULL), GB_OK);
    assert_true(isfinite(value));
    return value;
}

/* log p if row CHANGED counts once more, and scales are those of the data as they are. */
static inline double added_by_row(const gb_analysis *a, int number)
{
    double w[2][ROWS];
    for (int i = 0; i < ROWS; i++) {
        w[0][i] = i == CHANGED ? 1 : 1 + (i % 3 == 0);
        w[1][i] = w[0][i] + (i == CHANGED);
    }
    gb_next_batch(gb_analysis_data(a));
    gb_density *const p = gb_density_new(gb_analysis_elbo(a));
    gb_feed(gb_analysis_site(a)->weight, w[1], ROWS);
    const double twice = density_at_point(a, p, number);
    gb_feed(gb_analysis_site(a)->weight, w[0], ROWS);
    return twice - density_at_point(a, p, number);
}

#endif
