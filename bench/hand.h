/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The peers: the jobs of the benchmarks, each written by hand for itself. All arrays are aligned to 64
 * bytes and may be read and written up to the next 256. */
#ifndef GREBE_BENCH_HAND_H
#define GREBE_BENCH_HAND_H

#include <stddef.h>
#include <stdint.h>

/* y <- y·w and y <- y + b in turns, `length` in all, from y = x; then the gradient back along the chain.
 * `kept` has room for length + 1 numbers. */
typedef struct gb_hand_chain {
    size_t length;
    double x, w, b;
    double *kept;
    double value, gradient[3]; /* in x, w, b */
} gb_hand_chain;
void gb_hand_chain_run(void *chain);

/* Elementwise mixes, over arrays of doubles or of floats. */
typedef struct gb_hand_mix {
    size_t count, columns;
    const void *x, *y;
    double a, b; /* scalars */
    void *out;   /* results; of a sum: one number */
    /* Of the optimiser, which reads its gradient from x. It writes the new values beside the old and exchanges the
     * pointers, as the commit of a run does; in place it would be faster, and could not be taken back. */
    void *m, *v, *p, *new_m, *new_v, *new_p;
} gb_hand_mix;
typedef struct gb_hand_mixes {
    void (*line)(void *mix); /* out = a x + b y */
    void (*gate)(void *mix); /* out = softplus(x) tanh(y) */
    void (*gelu)(void *mix); /* out = x/2 (1 + tanh(0.7978845608 (x + 0.044715 x^3))) */
    void (*bell)(void *mix); /* out = Σ exp(-x^2/2) y */
    void (*rows)(void *mix); /* out_i = Σ_j (x_ij + y_j)^2 */
    void (*adam)(void *mix); /* m, v, p <- …, with the step size a and the bias corrections left out */
} gb_hand_mixes;
extern const gb_hand_mixes gb_hand_mixes_double, gb_hand_mixes_float;

/* Eight schools, non-centred: q = z[8], mu, log tau. The log density with its constants. */
typedef struct gb_hand_schools {
    double q[10];
    double value, gradient[10];
} gb_hand_schools;
void gb_hand_schools_run(void *schools);

/* Logistic regression with standard normal priors: the log density without its constants, and the
 * gradient. */
typedef struct gb_hand_logistic {
    size_t rows, columns, samples;
    const double *x;  /* [rows][columns] */
    const double *y;  /* [rows] */
    const double *w;  /* [samples][columns] */
    double *value;    /* [samples] */
    double *gradient; /* [samples][columns] */
    double *work;     /* [samples][rows], for several samples */
} gb_hand_logistic;
void gb_hand_logistic_run(void *logistic); /* one sample, one pass over the data */
void gb_hand_logistic_plain_run(
    void *logistic); /* the same, loops over scalars and the C library's functions */
void gb_hand_logistic_samples_run(void *logistic);

/* Bayes by Backprop: a perceptron with relu, independent normal weights, sigma = softplus(rho), one draw a
 * step, the loss KL/N + the mean cross-entropy of the batch, Adam. */
enum { GB_HAND_LAYERS = 3, GB_HAND_TENSORS = 2 * GB_HAND_LAYERS };
typedef struct gb_hand_tensor {
    size_t count;
    uint64_t key; /* of its noise */
    float *mu, *rho, *mu_m, *mu_v, *rho_m, *rho_v;
    float *draw, *noise, *gradient;
} gb_hand_tensor;
typedef struct gb_hand_bayes {
    size_t width[GB_HAND_LAYERS + 1], batch;
    gb_hand_tensor tensor[GB_HAND_TENSORS];                 /* weights [in][out], bias, weights … */
    const float *x, *y;                                     /* [batch][in], [batch][out], one-hot */
    float *value[GB_HAND_LAYERS], *adjoint[GB_HAND_LAYERS]; /* [batch][width] of each layer's result */
    double data_size, prior, rate, beta1, beta2, epsilon;
    uint64_t step;
    double loss;
} gb_hand_bayes;
int gb_hand_bayes_begin(gb_hand_bayes *bayes); /* allocates what is not set; 0: no memory, or no OpenBLAS */
void gb_hand_bayes_run(void *bayes);           /* one step */

#endif
