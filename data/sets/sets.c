/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/sets.h"

#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/kernels/noise_impl.h"

/* ---- random numbers, which depend on the set, the row and their place in it ---- */

static const double pi = 3.14159265358979323846;

static double uniform(uint32_t set, size_t row, uint32_t place)
{
    const uint32_t counter[4] = {(uint32_t)row, place, set, 0};
    uint32_t bits[4];
    gb_philox(counter, 0x6772656265, bits);
    return ((double)bits[0] + 0.5) * 0x1p-32;
}

/* Box and Muller. */
static double normal(uint32_t set, size_t row, uint32_t place)
{
    return sqrt(-2 * log(uniform(set, row, place))) * cos(2 * pi * uniform(set, row, place + 100));
}

/* The inverse of the distribution function. */
static double poisson(double u, double rate)
{
    double k = 0, p = exp(-rate), sum = p;
    for (; sum < u && k < 1000; sum += p)
        p *= rate / ++k;
    return k;
}

/* To 4 digits after the point: last bits of sin and log differ between machines. */
static double rounded(double x)
{
    return rint(x * 10000) / 10000;
}

/* ---- the sets ---- */

enum { MOST_ROWS = 200, MOST_COLUMNS = 3 };

typedef struct drawn {
    double number[MOST_COLUMNS][MOST_ROWS];
    const char *text[MOST_ROWS];
} drawn;

static void draw_curve(drawn *d, uint32_t set, size_t i)
{
    const double x = rounded(0.5 * (double)i / 99), e = 0.02 * normal(set, i, 0);
    d->number[0][i] = x;
    d->number[1][i] = rounded(x + 0.3 * sin(2 * pi * (x + e)) + 0.3 * sin(4 * pi * (x + e)) + e);
}

static void draw_moons(drawn *d, uint32_t set, size_t i)
{
    const double is_second = (double)(i % 2), angle = pi * uniform(set, i, 0), sign = 1 - 2 * is_second;
    d->number[0][i] = rounded(sign * cos(angle) + is_second + 0.15 * normal(set, i, 1));
    d->number[1][i] = rounded(sign * sin(angle) + 0.5 * is_second + 0.15 * normal(set, i, 2));
    d->number[2][i] = is_second;
}

static void draw_counts(drawn *d, uint32_t set, size_t i)
{
    static const char *const dose[] = {"none", "low", "high"};
    static const double effect[] = {0, -0.4, -0.9};
    const double x = rounded(normal(set, i, 0)), hours = 1 + floor(4 * uniform(set, i, 1));
    d->number[0][i] = poisson(uniform(set, i, 2), hours * exp(0.5 + 0.8 * x + effect[i % 3]));
    d->number[1][i] = x;
    d->number[2][i] = hours;
    d->text[i] = dose[i % 3];
}

/* Groups of 2, 3, 5, 8, 14, 20, 22 and 22 rows. */
static void draw_groups(drawn *d, uint32_t set, size_t i)
{
    static const size_t ends[] = {2, 5, 10, 18, 32, 52, 74, 96};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    size_t group = 0;
    while (i >= ends[group])
        group++;
    const double x = rounded(2 * uniform(set, i, 0) - 1), mean = 2 + normal(set, group, 50);
    d->number[0][i] = rounded(mean + 1.5 * x + 0.7 * normal(set, i, 1));
    d->number[1][i] = x;
    d->text[i] = names[group];
}

static const struct set {
    void (*draw)(drawn *d, uint32_t set, size_t row);
    int64_t rows;
    const char *number[MOST_COLUMNS];
    const char *text;
} sets[] = {{draw_curve, 100, {"x", "y"}, NULL},
            {draw_moons, 200, {"a", "b", "class"}, NULL},
            {draw_counts, 120, {"count", "x", "hours"}, "dose"},
            {draw_groups, 96, {"y", "x"}, "group"}};

static const char *const names[] = {"curve", "moons", "counts", "groups"};
enum { SETS = sizeof names / sizeof *names };

const char *const *gb_table_sets(size_t *count)
{
    if (count)
        *count = SETS;
    return names;
}

static gb_table *table_of(gb_tape *tape, uint32_t which)
{
    const struct set *const set = &sets[which];
    drawn d;
    for (size_t i = 0; i < (size_t)set->rows; i++)
        set->draw(&d, which, i);
    gb_table *const table = gb_table_new(tape, names[which], set->rows);
    for (int k = 0; k < MOST_COLUMNS && set->number[k]; k++)
        gb_table_add(table, set->number[k], gb_doubles(d.number[k]));
    if (set->text)
        gb_table_add_texts(table, set->text, d.text);
    if (table && gb_error(tape) == GB_OK)
        return table;
    gb_table_free(table);
    return NULL;
}

gb_table *gb_table_of_set(gb_tape *tape, const char *name)
{
    if (!tape || gb_error(tape) != GB_OK)
        return NULL;
    for (uint32_t i = 0; name && i < SETS; i++)
        if (strcmp(names[i], name) == 0)
            return table_of(tape, i);
    const char *const near = gb_nearest_text(name, SETS, names);
    gb_fail(tape, GB_ENAME, "table: there is no set %s%s%s%s; there are curve, moons, counts and groups",
            name ? name : "NULL", near ? " (is it " : "", near ? near : "", near ? "?)" : "");
    return NULL;
}
