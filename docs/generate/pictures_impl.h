/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the programs that draw distributions. */
#ifndef GREBE_DOCS_GENERATE_PICTURES_IMPL_H
#define GREBE_DOCS_GENERATE_PICTURES_IMPL_H

#include <stdio.h>

#include "distributions/list.h"

enum { DRAWS = 100000, MOST_SETTINGS = 3, MOST_EVENT = 16 };

/* Numbers are drawn on a line, pairs in a plane; states are few, and each has a name. */
typedef enum picture_kind { NUMBERS, PAIRS, STATES } picture_kind;

/* A distribution that cannot be made from its name and numbers. */
typedef struct picture {
    const char *name;
    picture_kind kind;
    const char *label[MOST_SETTINGS]; /* one for each setting; NULL ends them */
    gb_dist (*make)(gb_tape *tape, size_t setting);
    /* OPTIONAL: `shown` maps an event to a number or pair. `event` maps a number, or a point of the unit
     * square stretched over all events, to an event, and returns false if there is none. NULL: events are
     * shown as they are. */
    void (*shown)(const double *event, double *point);
    bool (*event)(const double *point, double *event);
} picture;

/* Returns NULL if there is none of that name. */
const picture *picture_of(const char *name);

/* Blue, vermillion and green of Okabe and Ito, which the colour-blind can distinguish. */
extern const char *const picture_colour[MOST_SETTINGS];

/* Returns DRAWS draws of d, event by event; NULL on error. The caller frees them. */
double *picture_draws(gb_dist d);

/* Computes the log densities of `count` events; returns false on error. */
bool picture_log_prob(gb_dist d, size_t count, const double *events, double *log_prob);

/* Returns a pipe to gnuplot, with the output file and the style set; the caller closes it by pclose. NULL
 * without gnuplot. */
FILE *picture_open(const char *folder, const gb_dist_type *type, int width, int height);

bool picture_of_pairs(const char *folder, const gb_dist_type *type, const picture *p);
bool picture_of_states(const char *folder, const gb_dist_type *type, const picture *p);

#endif
