/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of functions at the points of a table. Include support/close.h first. */
#ifndef GREBE_TESTS_POINTS_H
#define GREBE_TESTS_POINTS_H

#include "support/files.h"
#include "support/ulps.h"

enum { POINTS = 100000 };

/* f(x, y) is …, should be …, and may be off by units in the last place of `size`. */
typedef struct points {
    size_t count;
    double x[POINTS], y[POINTS], is[POINTS];
    long double should[POINTS], size[POINTS];
} points;

/* GREBE_TEST_TABLE names another table. */
static inline FILE *open_points(const char *path)
{
    const char *const other = getenv("GREBE_TEST_TABLE");
    return file_open(other ? other : path);
}

/* Lines of one function: NAME x [y] should size, where = is the size of what it should be. On a float
 * tape those whose arguments are floats. */
static inline void read_points(points *p, const char *path, const char *name, int arguments, gb_real real)
{
    FILE *const file = open_points(path);
    const size_t length = strlen(name);
    char line[256];
    p->count = 0;
    while (p->count < POINTS && fgets(line, sizeof line, file)) {
        const size_t i = p->count;
        char *at = line + length;
        if (strncmp(line, name, length) != 0 || *at != ' ')
            continue;
        p->x[i] = strtod(at, &at);
        p->y[i] = arguments == 2 ? strtod(at, &at) : 0;
        p->should[i] = strtold(at, &at);
        p->size[i] = strchr(at, '=') ? p->should[i] : strtold(at, &at);
        p->count +=
            real == GB_DOUBLE || ((double)(float)p->x[i] == p->x[i] && (double)(float)p->y[i] == p->y[i]);
    }
    fclose(file);
    assert_in_range(p->count, 30, POINTS - 3);
}

static inline void check_points(const points *p, const char *name, const char *isa, gb_real real, double ulps)
{
    const char *const type = real == GB_FLOAT ? "float" : "double";
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < p->count; i++) {
        const double off = ulps_off(p->is[i], p->should[i], p->size[i], real, 0);
        if (off > worst)
            worst = off, at = i;
    }
    if (getenv("GREBE_TEST_PRINT"))
        print_message("%-20s %-8s %s %.3f at %.17g, %.17g: %.17g\n", name, isa, type, worst, p->x[at],
                      p->y[at], p->is[at]);
    if (worst > ulps)
        fail_msg("%s, %s, %s: %g ulp off at %.17g, %.17g, where it is %.17g, not %.20Lg", name, isa, type,
                 worst, p->x[at], p->y[at], p->is[at], p->should[at]);
}

#endif
