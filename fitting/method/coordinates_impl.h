/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coordinates in which the ELBO over fixed draws is round. */
#ifndef GREBE_FITTING_METHOD_COORDINATES_IMPL_H
#define GREBE_FITTING_METHOD_COORDINATES_IMPL_H

#include "fitting/method/objective_impl.h"
#include "fitting/search/search_impl.h"

/* Moves the centre of an objective to the best member, and sets its P: by the mean Hessian over some draws,
 * if that is wanted and there is one, else by L. `room` has 2 n × n numbers if P is dense. Returns false on
 * error. */
bool gb_coordinates_centre(gb_search *s, gb_objective *o, bool by_hessian, double *room);

#endif
