/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in problems. To add one, write a file with a const struct, and list its name here. */
#ifndef GREBE_COMPARE_PROBLEMS_LIST_IMPL_H
#define GREBE_COMPARE_PROBLEMS_LIST_IMPL_H

#include "compare/problem.h"

/* clang-format off */
#define GB_PROBLEM_LIST(do_)                                                                                 \
    do_(gauss_square) do_(gauss_exp) do_(gauss_cos)                                                          \
    do_(bernoulli_toy) do_(bernoulli_3) do_(categorical) do_(choices)                                        \
    do_(poisson_square) do_(gamma_log)                                                                       \
    do_(logistic) do_(dropout_layer) do_(dropout_weights)                                                    \
    do_(two_sites) do_(layers) do_(rows) do_(gauss_evidence) do_(gauss_prior) \
    do_(bernoulli_evidence)
/* clang-format on */

#define GB_DECLARE_PROBLEM(name) extern const gb_problem gb_##name##_problem;
GB_PROBLEM_LIST(GB_DECLARE_PROBLEM)
#undef GB_DECLARE_PROBLEM

#endif
