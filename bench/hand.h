/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hand-written peers of the benchmarks. All arrays are aligned to 64 bytes, and may be read and written
 * up to the next multiple of 256. */
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

/* The numbers of a CSV file behind its first line. */
typedef struct gb_hand_text {
    const char *path;
    double *number;
    size_t count;
} gb_hand_text;
void gb_hand_text_run(void *text);

/* The next rows of an order of `count` rows of bytes, as floats, times a scale. */
typedef struct gb_hand_bytes {
    size_t rows, columns, count;
    const uint8_t *byte;
    const uint32_t *order;
    float scale;
    float *batch;
    size_t next;
} gb_hand_bytes;
void gb_hand_bytes_run(void *bytes);

/* Elementwise mixes, over arrays of doubles or of floats. */
typedef struct gb_hand_mix {
    size_t count, columns;
    const void *x, *y;
    double a, b; /* scalars */
    void *out;   /* results; one number for a sum */
    /* For the optimiser, which reads its gradient from x. It writes new values beside the old and exchanges
     * the pointers, as the commit of a run does. In place it would be faster, but could not be undone. */
    void *m, *v, *p, *new_m, *new_v, *new_p;
} gb_hand_mix;
typedef struct gb_hand_mixes {
    void (*line)(void *mix); /* out = a x + b y */
    void (*gate)(void *mix); /* out = softplus(x) tanh(y) */
    void (*gelu)(void *mix); /* out = x/2 (1 + tanh(0.7978845608 (x + 0.044715 x^3))) */
    void (*bell)(void *mix); /* out = Σ exp(-x^2/2) y */
    void (*rows)(void *mix); /* out_i = Σ_j (x_ij + y_j)^2 */
    void (*adam)(void *mix); /* m, v, p <- …, with the step size a and without bias corrections */
} gb_hand_mixes;
extern const gb_hand_mixes gb_hand_mixes_double, gb_hand_mixes_float;

/* Eight schools, non-centred: q = z[8], mu, log tau. The log density with its constants. */
typedef struct gb_hand_schools {
    double q[10];
    double value, gradient[10];
} gb_hand_schools;
void gb_hand_schools_run(void *schools);

typedef struct gb_hand_particles {
    size_t count;
    gb_hand_schools *at;
} gb_hand_particles;
void gb_hand_particles_run(void *particles);

/* GARCH(1,1) from h = 0.7: Σ -1/2 (log h + (y - mu)²/h) and its gradient in omega, alpha, beta, mu. `steps`
 * is a multiple of 8, and the room of each array. */
typedef struct gb_hand_garch {
    size_t steps;
    const double *y, *at;
    double *square, *variance, *slope; /* (y - mu)², h, and the slope in the next h */
    double value, gradient[4];
} gb_hand_garch;
void gb_hand_garch_run(void *garch);

/* Logistic regression with normal priors: the log density without its constants, and the gradient. Arrays of
 * doubles or of floats; 32 columns or a few less. */
typedef struct gb_hand_logistic {
    size_t rows, columns, samples;
    double precision; /* of the priors */
    const void *x;    /* [rows][columns] */
    const void *y;    /* [rows] */
    const void *w;    /* [samples][columns] */
    double *value;    /* [samples] */
    void *gradient;   /* [samples][columns] */
    void *work;       /* [samples][rows], for several samples */
} gb_hand_logistic;

/* Its negative evidence lower bound for w ~ N(mu, softplus(rho)²) and standard normal priors, with exact
 * divergence, and the gradient. */
typedef struct gb_hand_elbo {
    gb_hand_logistic model; /* precision 0; its w is not used */
    uint64_t key, step;     /* of the noise */
    const void *mu, *rho;   /* [columns] */
    void *noise, *w;        /* [samples][columns], and a group of noise beyond */
    double loss;
    void *in_mu, *in_rho;
} gb_hand_elbo;

typedef struct gb_hand_logistics {
    void (*one_pass)(void *logistic);    /* one sample */
    void (*by_products)(void *logistic); /* any number of samples */
    void (*plain)(void *logistic); /* one sample: loops over scalars and the C library's functions; or NULL */
    void (*elbo)(void *elbo);
    void (*elbo_of_noise)(void *elbo); /* with the noise that is already there */
} gb_hand_logistics;
extern const gb_hand_logistics gb_hand_logistic_double, gb_hand_logistic_float;

/* Bayes by Backprop: a perceptron with relu, independent normal weights, and sigma = softplus(rho). One draw
 * in each step, the loss KL/N + the mean cross-entropy of the batch, and Adam. */
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
void gb_hand_bayes_end(gb_hand_bayes *bayes);

/* The same network by local reparameterisation: what is drawn are the pre-activations of each row. In the
 * tensors `draw` is sigma², and `noise` the slope of the loss in it; their keys are not used. */
typedef struct gb_hand_local {
    gb_hand_bayes net;
    uint64_t key[GB_HAND_LAYERS]; /* of the noise of each layer */
    float *square[GB_HAND_LAYERS], *variance[GB_HAND_LAYERS];
} gb_hand_local;
int gb_hand_local_begin(gb_hand_local *local);
void gb_hand_local_run(void *local);
void gb_hand_local_end(gb_hand_local *local);

/* Limits of the machine, over arrays of `count` floats, a multiple of 1,024; products of m x k by k x n. */
typedef struct gb_hand_limits {
    size_t count, m, n, k;
    int transposed; /* 1: the first factor; 2: the second */
    float *from, *by, *to;
    uint64_t step; /* of the noise */
    double result;
} gb_hand_limits;
void gb_hand_read(void *limits);
void gb_hand_copy(void *limits);
void gb_hand_normals(void *limits);
void gb_hand_latency(void *limits); /* `count` operations on a double */
void gb_hand_product(void *limits);

/* MC-dropout with one hidden layer: weights, bias, weights, bias. The loss of a datum, N(f, 1 / precision),
 * plus weight decay by the prior N(0, prior²) for all of them. */
typedef struct gb_hand_points {
    size_t count;
    float *value, *m, *v, *gradient;
} gb_hand_points;
typedef struct gb_hand_dropout {
    size_t width[2], batch; /* inputs, hidden units; one output */
    gb_hand_points tensor[4];
    uint64_t key[2]; /* of the masks of each layer */
    const float *x, *y;
    float *input, *hidden, *output;
    double keep, precision, prior, data_size, rate, beta1, beta2, epsilon;
    uint64_t step;
    double loss;
} gb_hand_dropout;
int gb_hand_dropout_begin(gb_hand_dropout *dropout);
void gb_hand_dropout_run(void *dropout);
void gb_hand_dropout_end(gb_hand_dropout *dropout);

#endif
