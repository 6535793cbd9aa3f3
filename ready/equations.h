/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows as linear equations: do some coefficients give their outcomes exactly? Where they do, there may be no
 * posterior of the noise, and a model says so (docs/models.md, "Where there is no posterior").
 *
 *     gb_equations *const e = gb_equations_new(s, .level = true);
 *     int64_t row = 0;
 *     while (row < s->rows && gb_equations_add(e, row) != GB_EQUATION_VIOLATED)
 *         row++;
 *     const bool is_exact = e && row == s->rows;
 *     gb_equations_free(e);
 *
 * The unknowns are the coefficients of the columns, the effects of groups, if the site has some, and those
 * of the options. The right side is the outcome minus the offset. It is fulfilled to 9 digits. */
#ifndef GREBE_READY_EQUATIONS_H
#define GREBE_READY_EQUATIONS_H

#include "model.h"

GB_BEGIN_DECLS

typedef struct gb_equations_options {
    size_t size;
    bool level;                /* one more unknown: the level of a series */
    int64_t lags;              /* and one for each of so many outcomes before that of the row */
    bool no_slopes, no_groups; /* without the columns, but for an intercept; without the effects of groups */
    /* In the place of those of the site, [rows]; read when a row is added. NULL: those of the site. */
    const double *outcomes;
} gb_equations_options;

typedef struct gb_equations gb_equations;

/* Returns equations without rows, for gb_equations_free. NULL on error, and in a process that has no rows. */
#define gb_equations_new(...) GB_NEW_1(gb_equations, __VA_ARGS__, .size = sizeof(gb_equations_options))
GB_API gb_equations *gb_equations_new_with(const gb_model_site *site, const gb_equations_options *options);
GB_API void gb_equations_free(gb_equations *equations);

/* What a row is beside those that were added. */
typedef enum gb_equation {
    GB_EQUATION_INDEPENDENT, /* the row says something new of the unknowns */
    GB_EQUATION_FULFILLED,   /* it follows from the rows that were added */
    GB_EQUATION_VIOLATED     /* no unknowns give this row and those: there is noise */
} gb_equation;

/* Return what a row is; gb_equations_add adds it if it is independent. Beyond 1,000 unknowns, and of NULL,
 * each row is violated. */
GB_API gb_equation gb_equations_look(gb_equations *equations, int64_t row);
GB_API gb_equation gb_equations_add(gb_equations *equations, int64_t row);

/* Returns how many unknowns the rows determine. 0 for NULL. */
GB_API int64_t gb_equations_rank(const gb_equations *equations);

/* Returns the outcome of a row by the smallest unknowns that fulfil the equations, whatever finite number it
 * has. Without groups. */
GB_API double gb_equations_value(gb_equations *equations, int64_t row);

/* Takes all rows out. */
GB_API void gb_equations_clear(gb_equations *equations);

GB_END_DECLS
#endif
