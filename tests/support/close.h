/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of values and errors are written in. Include it first. */
#ifndef GREBE_TESTS_CLOSE_H
#define GREBE_TESTS_CLOSE_H

#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/program.h"

/* |is − should| ≤ multiples · ε · |should|; NaN is NaN, an infinity itself, and 0 needs 0. */
static inline bool is_close(double is, double should, double multiples)
{
    if (isnan(should) || isinf(should) || should == 0)
        return isnan(should) ? isnan(is) : is == should;
    return fabs(is - should) <= multiples * DBL_EPSILON * fabs(should);
}

static inline void assert_close_at(double is, double should, double multiples, const char *what, int line)
{
    if (!is_close(is, should, multiples))
        fail_msg("line %d: %s is %.17g, not %.17g", line, what, is, should);
}
#define assert_close(is, should, multiples) assert_close_at((is), (should), (multiples), #is, __LINE__)

/* |is − should| ≤ allowed. */
static inline void assert_near_at(double is, double should, double allowed, const char *what, int line)
{
    if (!(fabs(is - should) <= allowed))
        fail_msg("line %d: %s is %.17g, not %.17g", line, what, is, should);
}
#define assert_near(is, should, allowed) assert_near_at((is), (should), (allowed), #is, __LINE__)

static inline void set_variable(gb_tape *tape, const char *name, const double *values, size_t count)
{
    if (gb_set(gb_variable_named(tape, name), gb_values_of(values, count)) != GB_OK)
        fail_msg("%s: %s", name, gb_error_text(tape));
}

/* For qsort of doubles. */
static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value of a node is these numbers, hidden axes first. */
static inline void assert_values_at(gb_node node, size_t count, const double *should, double multiples,
                                    const char *what, int line)
{
    const size_t has = gb_value_count(node);
    if (has != count)
        fail_msg("line %d: %s has %zu elements, not %zu (%s)", line, what, has, count,
                 gb_error_text(node.tape));
    double *is = calloc(count + 1, sizeof *is);
    if (gb_read(node, is, count) != GB_OK)
        fail_msg("line %d: %s: %s", line, what, gb_error_text(node.tape));
    for (size_t i = 0; i < count; i++)
        if (!is_close(is[i], should[i], multiples))
            fail_msg("line %d: element %zu of %s is %.17g, not %.17g", line, i, what, is[i], should[i]);
    free(is);
}
#define assert_values(node, ...)                                                                             \
    assert_values_at((node), sizeof((const double[]){__VA_ARGS__}) / sizeof(double),                         \
                     (const double[]){__VA_ARGS__}, 4, #node, __LINE__)

static inline void assert_fine_at(const gb_tape *tape, int line)
{
    if (gb_error(tape) != GB_OK)
        fail_msg("line %d: %s: %s", line, gb_status_text(gb_error(tape)), gb_error_text(tape));
}
/* The tape has no error. */
#define assert_fine(tape) assert_fine_at((tape), __LINE__)

static inline void assert_rejected_at(gb_tape *tape, gb_status code, const char *words, int line)
{
    if (gb_error(tape) != code)
        fail_msg("line %d: the error is \"%s: %s\", not %s", line, gb_status_text(gb_error(tape)),
                 gb_error_text(tape), gb_status_text(code));
    if (!strstr(gb_error_text(tape), words))
        fail_msg("line %d: the error is \"%s\", without \"%s\"", line, gb_error_text(tape), words);
    gb_forgive(tape);
}
/* The tape has an error of this code, with these words; it is forgiven. */
#define assert_rejected(tape, code, words) assert_rejected_at((tape), (code), (words), __LINE__)

#endif
