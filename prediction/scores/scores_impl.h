/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_PREDICTION_SCORES_SCORES_IMPL_H
#define GREBE_PREDICTION_SCORES_SCORES_IMPL_H

#include <stdbool.h>

#include "prediction/scores.h"

/* A term of a mean. */
typedef double gb_score_term(const void *user, size_t row);

/* The mean of term(user, i), or of x[i] if `term` is NULL. NULL x: an argument was NULL. */
gb_score gb_score_of_mean(const char *name, size_t count, const double *x, gb_score_term *term,
                          const void *user);
gb_score gb_score_without(const char *name, size_t count, gb_status status);

gb_status gb_classes_fit(size_t count, size_t classes, const double *probability, const double *outcome);

/* The most probable class. */
size_t gb_class_chosen(size_t classes, const double *probability);

/* Which part of the probability from `below` to `up_to` lies in the central interval of probability `level`;
 * of a continuous outcome, whose two are equal: 1 or 0. */
double gb_interval_share(double below, double up_to, double level);

#endif
