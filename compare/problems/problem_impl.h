/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_PROBLEMS_PROBLEM_IMPL_H
#define GREBE_COMPARE_PROBLEMS_PROBLEM_IMPL_H

#include "compare/problem.h"

/* A scalar parameter that starts at `start`. */
gb_node gb_trial_number(gb_trial *trial, const char *name, double start);

#endif
