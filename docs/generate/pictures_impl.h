/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of distributions share. */
#ifndef GREBE_DOCS_GENERATE_PICTURES_IMPL_H
#define GREBE_DOCS_GENERATE_PICTURES_IMPL_H

#include <stdio.h>

#include "distributions/list.h"

enum { DRAWS = 100000, MOST_SETTINGS = 3, MOST_EVENT = 16 };

/* Numbers lie on a line, pairs in a plane; states are few, and have a name each. */
typedef enum picture_kind { NUMBERS, PAIRS, STATES } picture_kind;

/* A distribution that is not made of its name and numbers. */
typedef struct picture {
    const char *name;
    picture_kind kind;
    const char *label[MOST_SETTINGS]; /* one for each setting; NULL: no more */
    gb_dist (*make)(gb_tape *tape, size_t setting);
    /* OPTIONAL: a number or pair from an event, and an event from a number (false: it has none), or from a point of the
     * unit square that is stretched over all events. NULL: they are the same. */
    void (*shown)(const double *event, double *point);
    bool (*event)(const double *point, double *event);
} picture;

/* NULL: there is none of that name. */
const picture *picture_of(const char *name);

/* Blue, vermillion, green of Okabe and Ito, told apart by the colour-blind. */
extern const char *const picture_colour[MOST_SETTINGS];

/* DRAWS draws of d, event by event; NULL on error. To be freed. */
double *picture_draws(gb_dist d);

/* The log densities of `count` events; false on error. */
bool picture_log_prob(gb_dist d, size_t count, const double *events, double *log_prob);

/* gnuplot, told where to write and how it is to look; to be closed by pclose. NULL: there is none. */
FILE *picture_open(const char *folder, const gb_dist_type *type, int width, int height);

bool picture_of_pairs(const char *folder, const gb_dist_type *type, const picture *p);
bool picture_of_states(const char *folder, const gb_dist_type *type, const picture *p);

#endif
