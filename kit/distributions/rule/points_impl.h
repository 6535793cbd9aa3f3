/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rule of integration, Σ weight · f(x): its points, and functions shared by all rules. */
#ifndef GREBE_KIT_DISTRIBUTIONS_RULE_POINTS_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_RULE_POINTS_IMPL_H

#include "kit/distributions/case_impl.h"

typedef struct gb_rule {
    size_t count, room, size;
    double *x, *weight, *log_p;
    /* for numbers: places in increasing order, and the mass up to each */
    size_t edges;
    double *edge, *mass;
    double total, error;  /* of the mass: the sum, and its uncertainty */
    double entropy_error; /* of Σ p log p */
    size_t places, free;  /* of a grid: points in each of its directions; 0: no grid */
    size_t direction;     /* along which draws are projected, and */
    double centre, width; /* roughly where they lie there */
} gb_rule;

/* Makes room for more points; adds one point. */
bool gb_rule_reserve(gb_rule *rule, gb_tape *tape, size_t more);
void gb_rule_add(gb_rule *rule, const double *x, double weight, double log_p);

/* Returns whether anything can be compared with integrals by the rule. */
bool gb_rule_is_finite(const gb_rule *rule);

/* Returns weight · density at point i; 0 if the density is 0. */
double gb_rule_mass(const gb_rule *rule, size_t i);

/* Returns weight · density of point i in a grid with every second point only; 0 if the point is not in it. A
 * rule that is no grid is exact, and the two are the same. */
double gb_rule_coarse_mass(const gb_rule *rule, size_t i);

/* Returns the number of directions: two that mix all elements, and the first elements by themselves. Numbers
 * have one. */
size_t gb_case_directions(const gb_dist_case *c);
/* Returns an element of the rule's direction. */
double gb_case_direction(const gb_rule *rule, size_t element);
/* Returns a number for each draw: the projection on the rule's direction, standardised. */
double gb_case_project(const gb_dist_case *c, const gb_rule *rule, const double *x);

/* Reads the ends of the support of a distribution of numbers; infinite if unknown. */
bool gb_rule_ends(gb_dist_case *c, gb_dist d, double ends[2]);
/* Reads the mode, if it is a finite number. */
bool gb_rule_mode(gb_dist_case *c, gb_dist d, double *mode);

#endif
