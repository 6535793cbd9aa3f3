/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cholesky factors, triangular systems and their derivatives beside LAPACK: the one inside the OpenBLAS that
 * grebe multiplies by, with one thread. LAPACK overwrites what it is given, so a copy is part of its job. */
#include <dlfcn.h>
#include <grebe/core/gradient.h>
#include <grebe/ops/blas.h>
#include <grebe/ops/linear.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* By columns, as Fortran has it: the lower triangle of a row-major matrix is the upper one here. */
static struct {
    void (*potrf)(const char *uplo, const int *n, double *a, const int *lda, int *info);
    void (*trsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                 const int *n, const double *alpha, const double *a, const int *lda, double *b,
                 const int *ldb);
    void (*trmm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                 const int *n, const double *alpha, const double *a, const int *lda, double *b,
                 const int *ldb);
    void (*trsv)(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
                 const int *lda, double *x, const int *incx);
} lapack;

static bool find_lapack(void)
{
    if (!gb_blas_look(NULL))
        return false;
    void *const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&lapack.potrf = dlsym(library, "dpotrf_");
    *(void **)&lapack.trsm = dlsym(library, "dtrsm_");
    *(void **)&lapack.trmm = dlsym(library, "dtrmm_");
    *(void **)&lapack.trsv = dlsym(library, "dtrsv_");
    return lapack.potrf && lapack.trsm && lapack.trmm && lapack.trsv;
}

/* ---- the jobs ---- */

typedef struct peer {
    int n, width;
    const double *a, *l, *b, *adjoint; /* a = l lᵀ; b has `width` columns */
    double *out;
} peer;

static const double one = 1;

static void factor(void *context)
{
    const peer *p = context;
    int info = 0;
    memcpy(p->out, p->a, (size_t)p->n * (size_t)p->n * sizeof(double));
    lapack.potrf("U", &p->n, p->out, &p->n, &info);
    gb_bench_need(info == 0, NULL, "dpotrf");
}

/* x l' = b by columns, which is l x = b by rows. */
static void solve(void *context)
{
    const peer *p = context;
    memcpy(p->out, p->b, (size_t)p->n * (size_t)p->width * sizeof(double));
    if (p->width == 1)
        lapack.trsv("U", "T", "N", &p->n, p->l, &p->n, p->out, &(int){1});
    else
        lapack.trsm("R", "U", "N", "N", &p->width, &p->n, &one, p->l, &p->n, p->out, &p->width);
}

/* sym(l⁻ᵀ P l⁻¹), where P is the lower triangle of lᵀ · adjoint with its diagonal halved (Murray 2016). */
static void factor_adjoint(void *context)
{
    const peer *p = context;
    const size_t n = (size_t)p->n;
    double *const m = p->out;
    memcpy(m, p->adjoint, n * n * sizeof(double));
    lapack.trmm("R", "U", "T", "N", &p->n, &p->n, &one, p->l, &p->n, m, &p->n);
    for (size_t i = 0; i < n; i++) {
        m[i * n + i] /= 2;
        memset(m + i * n + i + 1, 0, (n - i - 1) * sizeof(double));
    }
    lapack.trsm("R", "U", "T", "N", &p->n, &p->n, &one, p->l, &p->n, m, &p->n);
    lapack.trsm("L", "U", "N", "N", &p->n, &p->n, &one, p->l, &p->n, m, &p->n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            m[i * n + j] = m[j * n + i] = (m[i * n + j] + m[j * n + i]) / 2;
}

/* ---- the table ---- */

/* A matrix of distances between points of a line, as a Gaussian process has it. */
static double *covariance(int n)
{
    double *const a = gb_bench_zeros((size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = (i == j) + 1 / (1 + 0.01 * (i - j) * (i - j));
    return a;
}

static void compare(const char *what, int n, void (*theirs)(void *), peer *p, size_t count, gb_node y)
{
    char title[64];
    gb_bench_time time[2];
    gb_program *const program = gb_compile(y.tape, gb_roots(y), gb_no_update);
    gb_bench_need(program && gb_run(program) == GB_OK, y.tape, what);
    double *const ours = gb_bench_read(y);
    p->out = gb_bench_zeros(count * sizeof(double));
    theirs(p);
    for (size_t i = 0; theirs == factor && i < count; i++)
        if (i % (size_t)n > i / (size_t)n)
            p->out[i] = 0;
    gb_bench_agree(what, count, ours, p->out, 1e-9);
    gb_bench_measure(2, (gb_bench_job[]){{theirs, p}, {gb_bench_run_program, program}}, time);
    snprintf(title, sizeof title, "%s, n = %d", what, n);
    gb_bench_row(title, n < 200 ? "" : "≤ 1.20 times",
                 n < 200 ? GB_BENCH_NOTE : gb_bench_passes(time[1].ratio <= 1.2),
                 "%.2f times LAPACK: %.0f against %.0f µs", time[1].ratio, 1e6 * time[1].seconds,
                 1e6 * time[0].seconds);
    free(ours);
    free(p->out);
}

static void compare_all(int n)
{
    const size_t size = (size_t)n * (size_t)n;
    const gb_shape square = gb_shape(n, n);
    gb_tape *const tape = gb_tape_new(.threads = 1);
    double *const a = covariance(n), *const b = gb_bench_randoms(size, -1, 1);
    const gb_node matrix = gb_variable(tape, "a", square, gb_values_of(a, size)),
                  right = gb_variable(tape, "b", square, gb_values_of(b, size)), l = gb_cholesky(matrix);
    gb_program *const factored = gb_compile(tape, gb_roots(l), gb_no_update);
    gb_bench_need(factored && gb_run(factored) == GB_OK, tape, "cholesky");
    double *const factor_values = gb_bench_read(l);
    const gb_node known = gb_variable(tape, "l", square, gb_values_of(factor_values, size));
    peer p = {.n = n, .width = n, .a = a, .l = factor_values, .b = b, .adjoint = b};

    compare("cholesky", n, factor, &p, size, l);
    compare("its adjoint", n, factor_adjoint, &p, size, gb_cholesky_adjoint(known, right));
    compare("n systems", n, solve, &p, size, gb_triangular_solve(known, right));
    p.width = 1;
    const gb_node vector = gb_variable(tape, "v", gb_shape(n, 1), gb_values_of(b, (size_t)n));
    compare("one system", n, solve, &p, (size_t)n, gb_triangular_solve(known, vector));
    gb_tape_free(tape);
    free(a);
    free(b);
    free(factor_values);
}

int main(void)
{
    static const int sizes[] = {20, 50, 100, 200, 400, 512, 1000, 2000};
    gb_bench_begin("Cholesky factors and triangular systems (double, one thread)");
    if (!find_lapack()) {
        gb_bench_row("left out", "", GB_BENCH_NOTE, "no OpenBLAS with LAPACK here");
        return 0;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_all(sizes[i]);
}
