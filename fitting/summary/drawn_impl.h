/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The draws that a check takes: of a judgement, or of NUTS. */
#ifndef GREBE_FITTING_SUMMARY_DRAWN_IMPL_H
#define GREBE_FITTING_SUMMARY_DRAWN_IMPL_H

#include "fitting/judge.h"

typedef struct gb_drawn {
    gb_tape *tape;
    gb_density *density;
    gb_memory memory;
    gb_judgement *made; /* here; NULL: given */
    const gb_judgement *judgement;
    const gb_nuts *nuts;
    size_t draws;
    const double *z;
    const gb_psis *weights; /* of a judgement */
} gb_drawn;

/* Returns the tape of what is given; NULL if nothing is. */
gb_tape *gb_drawn_tape(gb_elbo *e, const gb_judgement *judgement, const gb_nuts *nuts);

/* Returns whether at most one is given, and is of this ELBO (NULL: any) since the tape was reset. If not,
 * records an error on the tape that gb_drawn_tape returns. */
bool gb_drawn_fits(const char *who, gb_elbo *e, const gb_judgement *judgement, const gb_nuts *nuts);

/* Returns whether all nodes are of this tape, and usable. If not, records an error. */
bool gb_drawn_nodes_fit(const char *who, gb_tape *tape, gb_node_list nodes);

/* Makes the judgement of who was given none. NULL: an error, as for points, which have no draws. */
gb_judgement *gb_drawn_judged(const char *who, gb_elbo *e, gb_batches *data);

/* Finds the draws, or makes a judgement for them. Returns false on error. gb_drawn_end frees what was made,
 * also after a failure. */
bool gb_drawn_begin(gb_drawn *d, const char *who, gb_elbo *e, const gb_judgement *judgement,
                    const gb_nuts *nuts, gb_batches *data);
void gb_drawn_end(gb_drawn *d);

/* Returns what is wrong with the draws, one line for each thing: the warnings of the chains; the words of a
 * judgement, unless its weights correct what its draws say. "" if nothing is. Whoever returns numbers of
 * these draws passes it on. It lives as long as the draws. */
const char *gb_drawn_words(const gb_drawn *d);

#endif
