/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayesian linear regression, whose every part is known: weights with the prior N(0, PRIOR²), data with noise of sd NOISE. */
#ifndef GREBE_TESTS_REGRESSION_H
#define GREBE_TESTS_REGRESSION_H

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

enum { MOST_ROWS = 25, D = 3 };
static const double NOISE = 0.7, PRIOR = 1.5, LOG_TWO_PI = 1.837877066409345483560659472811;

typedef struct regression {
    double x[MOST_ROWS * D], y[MOST_ROWS];
    double log_z, gap; /* the evidence; and what the best independent normals miss of it */
    double mean[D], root[D * D],
        precision[D]; /* root: L of the covariance; precision: the diagonal of its inverse */
} regression;

/* Λ = XᵀX / NOISE² + 1 / PRIOR², and b = Xᵀy / NOISE². Returns yᵀy. */
static inline double regression_moments(const regression *r, size_t rows, gsl_matrix *lambda, gsl_vector *b)
{
    const double noise2 = NOISE * NOISE;
    const gsl_matrix_const_view x = gsl_matrix_const_view_array(r->x, rows, D);
    const gsl_vector_const_view y = gsl_vector_const_view_array(r->y, rows);
    double yy;
    gsl_matrix_set_identity(lambda);
    gsl_matrix_scale(lambda, 1 / (PRIOR * PRIOR));
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1 / noise2, &x.matrix, &x.matrix, 1, lambda);
    gsl_blas_dgemv(CblasTrans, 1 / noise2, &x.matrix, &y.vector, 0, b);
    gsl_blas_ddot(&y.vector, &y.vector, &yy);
    return yy;
}

/* The rest, from x and y. */
static inline void regression_solve(regression *r, size_t rows)
{
    gsl_matrix *const lambda = gsl_matrix_alloc(D, D);
    gsl_vector *const b = gsl_vector_calloc(D), *const m = gsl_vector_alloc(D);
    const double noise2 = NOISE * NOISE, yy = regression_moments(r, rows, lambda, b);
    double quadratic, log_det = 0, log_diagonal = 0;
    for (size_t d = 0; d < D; d++)
        log_diagonal += log(r->precision[d] = gsl_matrix_get(lambda, d, d));
    gsl_linalg_cholesky_decomp1(lambda);
    gsl_linalg_cholesky_solve(lambda, b, m);
    gsl_blas_ddot(b, m, &quadratic);
    for (size_t d = 0; d < D; d++) {
        r->mean[d] = gsl_vector_get(m, d);
        log_det += 2 * log(gsl_matrix_get(lambda, d, d));
    }
    gsl_linalg_cholesky_invert(lambda);
    gsl_linalg_cholesky_decomp1(lambda);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            r->root[i * D + j] = j <= i ? gsl_matrix_get(lambda, i, j) : 0;
    r->log_z = -0.5 * ((double)rows * (LOG_TWO_PI + log(noise2)) + D * log(PRIOR * PRIOR) + log_det +
                       yy / noise2 - quadratic);
    r->gap = 0.5 * (log_diagonal - log_det);
    gsl_matrix_free(lambda);
    gsl_vector_free(b);
    gsl_vector_free(m);
}

#endif
