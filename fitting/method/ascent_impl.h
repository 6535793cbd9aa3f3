/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ascent of the ELBO over one set of fixed draws: L-BFGS in coordinates in which the ELBO is round
 * (Giordano et al. 2024), chosen anew on the way. It moves the search's best member. */
#ifndef GREBE_FITTING_METHOD_ASCENT_IMPL_H
#define GREBE_FITTING_METHOD_ASCENT_IMPL_H

#include "fitting/method/objective_impl.h"
#include "fitting/search/descent_impl.h"
#include "fitting/search/search_impl.h"

typedef struct gb_ascent {
    gb_search *search;
    gb_objective objective; /* owns its draws: release objective.draws, also after a failure */
    gb_descent descent;
    double *numbers, *u, *gradient; /* of the descent; unknowns */
    double *width;                  /* of each free number: by Pathfinder */
    double *room;                   /* see gb_coordinates_centre */
    gb_member start;
    double value;        /* F at the best member */
    bool stands;         /* the last descent ended near the centre of its coordinates, which are still good */
    const char *runaway; /* why the ELBO seems to have no bound; NULL: it does not */
    char runaway_name[GB_DENSITY_TEXT];
} gb_ascent;

/* All return false, with the search's words or the tape's error, if there is nothing to go on from. */

/* Makes room for an ascent from the search's best member, whose scales are the widths. There are no draws
 * yet: the objective is log p itself. */
bool gb_ascent_new(gb_ascent *f, gb_search *s);

/* Halves the scales until all draws have a density. */
bool gb_ascent_find_footing(gb_ascent *f);

/* Ascends until no gain above `least` nats is left. True with f->runaway if a mean or a scale runs off. */
bool gb_ascent_settle(gb_ascent *f, double least);

/* Takes `count` new draws, and settles roughly: so far as other draws would not move it. */
bool gb_ascent_over(gb_ascent *f, size_t count);

/* Ends the search with words about f->runaway. */
void gb_ascent_tell_runaway(const gb_ascent *f);

#endif
