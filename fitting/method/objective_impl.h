/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ELBO over fixed draws as a function of one vector u of unknowns, in which its Hessian is about minus
 * the unit matrix where the posterior is about the member at the centre:
 *
 *     m = m₀ + P a,     L = C T,     F = mean over s of log p(m + L ε_s) + log |L|
 *
 * C is L at the centre, and P a root of the covariance that its means have. T is lower triangular with
 * diagonal e^(t/√2). u has a for all free numbers, then for each group its t, then the elements of T below
 * the diagonal, row by row. */
#ifndef GREBE_FITTING_METHOD_OBJECTIVE_IMPL_H
#define GREBE_FITTING_METHOD_OBJECTIVE_IMPL_H

#include "fitting/search/member_impl.h"

typedef struct gb_objective {
    gb_density *density;
    const gb_family_of_normals *family;
    size_t unknowns;
    size_t count;  /* of draws */
    double *draws; /* [count][n]; NULL: one, which is 0 */
    gb_member centre;
    double *turn;                 /* P: n × n, or its diagonal */
    bool is_dense;                /* P is a matrix */
    gb_member at;                 /* that of the last call */
    double *z, *gradient, *log_p; /* of some draws at once */
    double *slope;                /* n and `roots` numbers: of the means, and of L */
    int64_t gradients;            /* evaluated so far */
} gb_objective;

/* Makes room, but for draws. Returns false if memory runs out. */
bool gb_objective_new(gb_objective *o, gb_density *density, const gb_family_of_normals *family, bool is_dense,
                      gb_arena *arena);

/* Stores the member at u; C, P and m₀ are those of the objective. */
void gb_objective_member(const gb_objective *o, const double *u, const gb_member *to);

/* Stores F and its gradient in u. `value` is −∞ where the density is lost for a draw. */
gb_status gb_objective_evaluate(gb_objective *o, const double *u, double *value, double *gradient);

#endif
