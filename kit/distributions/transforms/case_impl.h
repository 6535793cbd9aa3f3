/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One instance of a transform with events of one shape: its values and slopes at points. */
#ifndef GREBE_KIT_DISTRIBUTIONS_TRANSFORMS_CASE_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_TRANSFORMS_CASE_IMPL_H

#include "core/program.h"
#include "distributions/domain.h"
#include "distributions/transform.h"
#include "kit/shell/verdicts_impl.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define GB_TRANSFORM_STATEMENTS(do_)                                                                         \
    do_(FORM,      "its struct is complete")                                                                 \
    do_(TAKES,     "it accepts events of some shape")                                                        \
    do_(RECORDED,  "it is recorded and run without an error")                                                \
    do_(SHAPE,     "shapes are those of `shape` and `inverse_shape`")                                        \
    do_(IMAGE,     "its values lie in its `to`")                                                             \
    do_(ONTO,      "every member of its `to` is a value")                                                    \
    do_(INVERSE,   "its inverse returns x")                                                                  \
    do_(JACOBIAN,  "its log_jacobian is that of differences")                                                \
    do_(MASS,      "a density through it still integrates to 1")                                             \
    do_(INCREASES, "it grows with x where it says so, and only there")                                       \
    do_(GRADIENT,  "its gradients are those of differences")                                                 \
    do_(SECOND,    "second gradients are those of differences, or rejected")                                 \
    do_(ENDS,      "far out it is finite, and NaN nowhere")                                                  \
    do_(BATCH,     "batches and rows equal single events")                                                   \
    do_(FLOAT,     "on a float tape it is the same, rounded")
/* clang-format on */
GB_STATEMENT_CODES(GB_TRANSFORM_STATEMENTS);

/* A point: the free numbers u, from which the domain's `reach` makes x; and a number added to each
 * parameter. */
enum { GB_TRANSFORM_PARAMS = 2, GB_TRANSFORM_NUMBERS = 24, GB_TRANSFORM_ELEMENTS = 40 };
typedef double gb_transform_point[GB_TRANSFORM_NUMBERS];

/* Sums that are differentiated: Σ cos(1 + i) y_i, the same of inverse(y), and the two log-Jacobians. */
enum { GB_OF_FORWARD, GB_OF_INVERSE, GB_OF_LOG_JACOBIAN, GB_OF_DENSITY, GB_TRANSFORM_SUMS };

/* The values at one point, all doubles. `density` is log_jacobian(inverse(y), y), as for a density of y. */
typedef struct gb_transform_look {
    double x[GB_TRANSFORM_ELEMENTS], y[GB_TRANSFORM_ELEMENTS], back[GB_TRANSFORM_ELEMENTS];
    double log_jacobian, density;
    double x_outside, y_outside;             /* how many events of x and y are outside their domains */
    double increases[GB_TRANSFORM_ELEMENTS]; /* 1 where y should grow with x, for maps of numbers */
    double slope[GB_TRANSFORM_SUMS][GB_TRANSFORM_NUMBERS];
} gb_transform_look;

/* The axis of several points at once: none, the first visible one, rows. */
typedef enum gb_transform_way { GB_ONE_BY_ONE, GB_IN_A_BATCH, GB_IN_ROWS } gb_transform_way;
enum { GB_TRANSFORM_POINTS = 5 };

typedef struct gb_transform_case {
    gb_kit *kit;
    const gb_transform_type *type;
    gb_transform (*make)(gb_tape *tape, size_t which, void *user); /* NULL: no parameters */
    void *user;
    size_t which;
    gb_shape free; /* of u: batch and event */
    size_t params;
    /* after recording */
    gb_tape *tape;
    gb_transform t;
    gb_transform_way way;
    const char *fault; /* of the shapes; NULL: none */
    gb_node in[1 + GB_TRANSFORM_PARAMS];
    gb_node x, y, back, log_jacobian, density, x_outside, y_outside, increases; /* see the look */
    gb_node slope[GB_TRANSFORM_SUMS][1 + GB_TRANSFORM_PARAMS];
    gb_program *program;
} gb_transform_case;

/* Makes an instance on a new tape, without points. */
bool gb_transform_instance(gb_transform_case *c, gb_real real);

/* Finds shapes of u that the instance accepts, at most `most`; returns how many. */
size_t gb_transform_shapes(gb_transform_case *c, size_t most, gb_shape *free);

/* Records an instance with points of shape c->free on a new tape; with slopes, if the points are one by one.
 * Returns false on error, or if shapes are wrong. */
bool gb_transform_record(gb_transform_case *c, gb_real real, gb_transform_way way);

/* Replaces the slopes by gradients of Σ cos(1 + i) slope_i. `rejected` receives which of them GB_EGRADIENT
 * rejects. Returns false on another error. */
bool gb_transform_differentiate(gb_transform_case *c, bool rejected[GB_TRANSFORM_SUMS]);

/* Returns how many numbers a point has: those of u, and those added to the parameters. */
size_t gb_transform_numbers(const gb_transform_case *c);

/* Evaluates a point, which must have been recorded one by one. Returns false on error. */
bool gb_transform_see(gb_transform_case *c, const double *point, gb_transform_look *look);

/* Computes d look / d point[i] for each i, by differences. Returns false on error. */
bool gb_transform_differences(gb_transform_case *c, const double *point, gb_transform_look *slope);

/* Chooses point number `which` (0 is the middle): numbers up to `scale`, and up to 0.1 for the parameters. */
void gb_transform_choose(const gb_transform_case *c, size_t which, double scale, gb_transform_point point);

/* Checks IMAGE. */
void gb_transform_check_image(const gb_transform_case *c, const gb_transform_look *look);

size_t gb_transform_elements(gb_node node);

/* Returns the log of the volume that the columns span: that of the square matrix of the first rows that
 * determine the others. −∞ if they span none. `first` receives the first of these rows. */
double gb_log_volume(size_t rows, size_t columns, double (*matrix)[GB_TRANSFORM_NUMBERS], size_t *first);

#endif
