/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws against a rule, along directions: their tails, and how far they lie from the centre. */
#ifndef GREBE_KIT_DISTRIBUTIONS_RULE_PROJECTIONS_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_RULE_PROJECTIONS_IMPL_H

#include "kit/distributions/rule/points_impl.h"

/* The probability that a check fails a correct sampler. */
static const double gb_drawn_chance = 5e-10;

typedef struct gb_drawn {
    size_t count;
    double *x;
    gb_statement statement;
} gb_drawn;

/* Returns n times the divergence of a coin that shows `is` from one that shows `should`, which may be nearer
 * by `unsure`. */
double gb_drawn_surprise(double n, double is, double should, double unsure);

/* Writes the rule with draws projected on one direction after another, and returns their number. */
enum { GB_DRAWN_DIRECTIONS = 8 };
size_t gb_drawn_along_each(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s,
                           gb_rule along[GB_DRAWN_DIRECTIONS]);
/* Compares the mass beyond places in the tails of a projection. */
void gb_drawn_check_tails(gb_dist_case *c, const gb_rule *rule, const gb_drawn *s);
/* Compares the spread of a node's draws along several directions. */
void gb_drawn_check_spread(gb_dist_case *c, size_t directions, const gb_rule *along, gb_node draw,
                           gb_statement statement);

#endif
