/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/regression.h"

#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

enum { N = REGRESSION_ROWS, D = REGRESSION_COLUMNS };
static const double LOG_TWO_PI = 1.837877066409345483560659472811;

double inverse_softplus(double y)
{
    return y + log(-expm1(-y));
}

static void make_data(regression *r)
{
    for (int i = 0; i < N; i++) {
        r->y[i] = sin(1.3 * i);
        for (int d = 0; d < D; d++) {
            r->x[i * D + d] = 0.6 * cos(0.9 * i + d) + 0.3 * sin(2.1 * i);
            r->y[i] += (d - 0.8) * r->x[i * D + d];
        }
    }
}

/* From the precision Λ = xᵀx / noise² + 1 / prior², and b = xᵀy / noise² = Λ mean. Λ is lost. */
static void finish(regression *r, gsl_matrix *lambda, const gsl_vector *b, double yy)
{
    gsl_vector_view mean = gsl_vector_view_array(r->mean, D);
    double quadratic, log_det = 0, log_diagonal = 0;
    for (size_t d = 0; d < D; d++)
        log_diagonal += log(r->precision[d] = gsl_matrix_get(lambda, d, d));
    gsl_linalg_cholesky_decomp1(lambda);
    gsl_linalg_cholesky_solve(lambda, b, &mean.vector);
    gsl_blas_ddot(b, &mean.vector, &quadratic);
    for (size_t d = 0; d < D; d++)
        log_det += 2 * log(gsl_matrix_get(lambda, d, d));
    gsl_linalg_cholesky_invert(lambda);
    gsl_linalg_cholesky_decomp1(lambda);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            r->root[i * D + j] = j <= i ? gsl_matrix_get(lambda, i, j) : 0;
    r->log_z = -0.5 * (N * (LOG_TWO_PI + 2 * log(REGRESSION_NOISE)) + 2 * D * log(REGRESSION_PRIOR) +
                       log_det + yy / (REGRESSION_NOISE * REGRESSION_NOISE) - quadratic);
    r->gap = 0.5 * (log_diagonal - log_det);
}

regression regression_solved(void)
{
    regression r;
    make_data(&r);
    const double of_noise = 1 / (REGRESSION_NOISE * REGRESSION_NOISE);
    gsl_matrix *const lambda = gsl_matrix_alloc(D, D);
    gsl_vector *const b = gsl_vector_calloc(D);
    const gsl_matrix_const_view x = gsl_matrix_const_view_array(r.x, N, D);
    const gsl_vector_const_view y = gsl_vector_const_view_array(r.y, N);
    double yy;
    gsl_matrix_set_identity(lambda);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, of_noise, &x.matrix, &x.matrix,
                   1 / (REGRESSION_PRIOR * REGRESSION_PRIOR), lambda);
    gsl_blas_dgemv(CblasTrans, of_noise, &x.matrix, &y.vector, 0, b);
    gsl_blas_ddot(&y.vector, &y.vector, &yy);
    finish(&r, lambda, b, yy);
    gsl_matrix_free(lambda);
    gsl_vector_free(b);
    return r;
}
