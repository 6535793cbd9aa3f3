/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The peer of bench_recursion: Stan Math, if its headers were found (Debian's r-cran-stanheaders). */
#ifndef GREBE_BENCH_STAN_RECURSION_H
#define GREBE_BENCH_STAN_RECURSION_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gb_stan_job gb_stan_job;
typedef void gb_stan_function(gb_stan_job *job);
struct gb_stan_job {
    gb_stan_function *run;
    size_t steps, size; /* size: of a state */
    const double *data, *at;
    size_t parameters;
    double value;
    double *gradient;
};

/* The models of bench_recursion.c, by the same formulas. */
#if defined(GB_BENCH_STAN)
gb_stan_function gb_stan_garch, gb_stan_arma, gb_stan_ar, gb_stan_markov;
#else
#define gb_stan_garch NULL
#define gb_stan_arma NULL
#define gb_stan_ar NULL
#define gb_stan_markov NULL
#endif

#ifdef __cplusplus
}
#endif
#endif
