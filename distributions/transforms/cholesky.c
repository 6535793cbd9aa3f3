/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From vectors of real numbers onto Cholesky factors of covariances and correlations, and onto these
 * matrices. The numbers fill the lower triangle row by row. */
#include "distributions/transforms.h"
#include "distributions/transforms/transform_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"
#include "ops/scan.h"

static const double log_2 = 0.693147180559945309417232121458176568;

/* ---- between vectors and triangles; `below` is 0 with the diagonal, 1 without ---- */

static int64_t numbers_of(int64_t n, int64_t below)
{
    return n * (n + 1) / 2 - below * n;
}

/* The size of the matrix that so many numbers fill; −1 if there is none. */
static int64_t size_of(int64_t numbers, int64_t below)
{
    int64_t n = below;
    while (numbers_of(n, below) < numbers)
        n++;
    return numbers_of(n, below) == numbers ? n : -1;
}

/* For each element of an n × n matrix, its place in the vector. Those above the diagonal take its last
 * place, a 0. */
static gb_node places_in_vector(gb_tape *tape, int64_t n, int64_t below)
{
    int64_t *const place = gb_tape_keep(tape, (size_t)(n * n) * sizeof *place);
    int64_t next = 0;
    for (int64_t i = 0; place && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            place[i * n + j] = j + below <= i ? next++ : numbers_of(n, below);
    return place ? gb_ints(tape, gb_shape(n, n), place) : (gb_node){0};
}

/* For each number, its place in the flat matrix. */
static gb_node places_in_matrix(gb_tape *tape, int64_t n, int64_t below)
{
    const int64_t numbers = numbers_of(n, below);
    int64_t *const place = gb_tape_keep(tape, ((size_t)numbers + 1) * sizeof *place);
    int64_t next = 0;
    for (int64_t i = 0; place && i < n; i++)
        for (int64_t j = 0; j + below <= i; j++)
            place[next++] = i * n + j;
    return place ? gb_ints(tape, gb_shape(numbers), place) : (gb_node){0};
}

static gb_node triangle_of(gb_node x, int64_t below)
{
    const gb_shape zero = gb_shape_replace(gb_node_shape(x), -1, 1);
    const gb_node padded = gb_concat(2, (const gb_node[]){x, gb_zeros(x.tape, zero)}, -1);
    return gb_gather(padded, -1,
                     places_in_vector(x.tape, size_of(gb_shape_size(gb_node_shape(x), -1), below), below));
}

static gb_node numbers_in(gb_node triangle, int64_t below)
{
    gb_shape flat = gb_node_shape(triangle);
    const int64_t n = gb_shape_size(flat, -1);
    flat.rank -= flat.rank > 0;
    flat = gb_shape_replace(flat, -1, n * n);
    return gb_gather(gb_reshape(triangle, flat), -1, places_in_matrix(triangle.tape, n, below));
}

static gb_node is_diagonal(gb_node matrix)
{
    return gb_greater(gb_eye(matrix.tape, gb_shape_size(gb_node_shape(matrix), -1)), gb_num(matrix.tape, 0));
}

static gb_shape matrix_shape(gb_shape x, int64_t below)
{
    const int64_t n = size_of(x.size[x.rank - 1], below);
    if (n < 1 || x.rank == GB_MAX_RANK)
        return (gb_shape){.rank = -1};
    x.size[x.rank - 1] = n;
    x.size[x.rank++] = n;
    return x;
}

static gb_shape vector_shape(gb_shape y, int64_t below)
{
    const int64_t n = y.size[y.rank - 1];
    if (y.size[y.rank - 2] != n || n < 1)
        return (gb_shape){.rank = -1};
    y.rank--;
    y.size[y.rank - 1] = numbers_of(n, below);
    return y;
}

/* ---- of covariances: the diagonal by exp ---- */

static gb_node covariance_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    const gb_node triangle = triangle_of(x, 0);
    return gb_where(is_diagonal(triangle), gb_exp(triangle), triangle);
}

static gb_node covariance_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return numbers_in(gb_where(is_diagonal(y), gb_log(y), y), 0);
}

static gb_node covariance_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_sum_along(gb_diagonal(triangle_of(x, 0)), gb_axis(-1));
}

static gb_shape covariance_shape(const gb_transform *t, gb_shape x)
{
    (void)t;
    return matrix_shape(x, 0);
}

static gb_shape covariance_inverse_shape(const gb_transform *t, gb_shape y)
{
    (void)t;
    return vector_shape(y, 0);
}

const gb_transform_type gb_covariance_cholesky_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "covariance_cholesky",
    .formula = "x row by row, the diagonal e^x",
    .from = GB_REAL_VECTOR,
    .to = GB_COVARIANCE_CHOLESKY,
    .forward = covariance_forward,
    .inverse = covariance_inverse,
    .log_jacobian = covariance_log_jacobian,
    .shape = covariance_shape,
    .inverse_shape = covariance_inverse_shape,
};

gb_transform gb_covariance_cholesky_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_covariance_cholesky_transform_type, tape);
}

/* ---- of correlations: rows of length 1 (Lewandowski, Kurowicka and Joe 2009, with tanh for the partial
 * correlations) ---- */

/* log cosh x */
static gb_node log_cosh(gb_node x)
{
    return gb_sub(gb_sub(gb_softplus(gb_scale(x, 2)), x), gb_num(x.tape, log_2));
}

/* The log of the length of a row that is left before each element, after earlier partial correlations. */
static gb_node log_left(gb_node triangle)
{
    return gb_cumsum(gb_neg(log_cosh(triangle)), -1, .exclusive = true);
}

/* Of a triangle with zeros on its diagonal. */
static gb_node correlation_factor(gb_node triangle)
{
    const gb_node share = gb_where(is_diagonal(triangle), gb_num(triangle.tape, 1), gb_tanh(triangle));
    return gb_mul(share, gb_exp(log_left(triangle)));
}

static gb_node correlation_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return correlation_factor(triangle_of(x, 1));
}

/* asinh s = ±log(|s| + √(1 + s²)). Sign and absolute value have no slope at 0; this form has. */
static gb_node inverse_sinh(gb_node s)
{
    const gb_node square = gb_square(s), root = gb_sqrt(gb_shift(square, 1));
    const gb_node sign = gb_where(gb_less(s, gb_num(s.tape, 0)), gb_num(s.tape, -1), gb_num(s.tape, 1));
    return gb_mul(sign, gb_log1p(gb_add(gb_mul(sign, s), gb_div(square, gb_shift(root, 1)))));
}

/* An element divided by the length of the later elements of its row is sinh x. */
static gb_node correlation_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    const gb_node later = gb_cumsum(gb_square(y), -1, .reverse = true, .exclusive = true);
    return inverse_sinh(gb_div(numbers_in(y, 1), gb_sqrt(numbers_in(later, 1))));
}

static gb_node correlation_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    const gb_node left = numbers_in(log_left(triangle_of(x, 1)), 1);
    return gb_sum_along(gb_sub(left, gb_scale(log_cosh(x), 2)), gb_axis(-1));
}

static gb_shape correlation_shape(const gb_transform *t, gb_shape x)
{
    (void)t;
    return matrix_shape(x, 1);
}

static gb_shape correlation_inverse_shape(const gb_transform *t, gb_shape y)
{
    (void)t;
    return vector_shape(y, 1);
}

const gb_transform_type gb_correlation_cholesky_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "correlation_cholesky",
    .formula = "rows of tanh(x) times what is left of length 1",
    .from = GB_REAL_VECTOR,
    .to = GB_CORRELATION_CHOLESKY,
    .forward = correlation_forward,
    .inverse = correlation_inverse,
    .log_jacobian = correlation_log_jacobian,
    .shape = correlation_shape,
    .inverse_shape = correlation_inverse_shape,
};

gb_transform gb_correlation_cholesky_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_correlation_cholesky_transform_type, tape);
}

/* ---- correlations, R = L Lᵀ, and covariances S with S_ij = s_i s_j R_ij. The scales s are free numbers of
 * their own, so R keeps its digits whatever they are. ---- */

/* The rows of L have length 1 but for rounding. */
static gb_node matrix_of(gb_node below)
{
    const gb_node factor = correlation_factor(below);
    const gb_node product = gb_matmul(factor, factor, .transpose_b = true);
    return gb_where(is_diagonal(below), gb_num(below.tape, 1), product);
}

/* Of the factor, and Σ_k (n − k) log L_kk of R: L_kk moves each of the n − k elements below it. */
static gb_node matrix_log_jacobian(gb_node below)
{
    const int64_t n = gb_shape_size(gb_node_shape(below), -1);
    const gb_node left = log_left(below), rows_below = gb_flip(gb_arange(below.tape, n), -1);
    const gb_node of_factor = numbers_in(gb_sub(left, gb_scale(log_cosh(below), 2)), 1);
    const gb_node of_columns = gb_mul(rows_below, gb_diagonal(left));
    return gb_add(gb_sum_along(of_factor, gb_axis(-1)), gb_sum_along(of_columns, gb_axis(-1)));
}

static gb_node numbers_of_matrix(gb_node y)
{
    return correlation_inverse(NULL, gb_cholesky(y));
}

static gb_node correlation_matrix_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return matrix_of(triangle_of(x, 1));
}

static gb_node correlation_matrix_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return numbers_of_matrix(y);
}

static gb_node correlation_matrix_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return matrix_log_jacobian(triangle_of(x, 1));
}

const gb_transform_type gb_correlation_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "correlation",
    .formula = "L L^T with L = correlation_cholesky(x)",
    .from = GB_REAL_VECTOR,
    .to = GB_CORRELATION,
    .forward = correlation_matrix_forward,
    .inverse = correlation_matrix_inverse,
    .log_jacobian = correlation_matrix_log_jacobian,
    .shape = correlation_shape,
    .inverse_shape = correlation_inverse_shape,
};

gb_transform gb_correlation_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_correlation_transform_type, tape);
}

/* a_i + a_j */
static gb_node sums_of_pairs(gb_node a)
{
    return gb_add(gb_expand(a, -1), gb_expand(a, -2));
}

/* Products of scales are sums of their logarithms, so that a large one and a small one have a product. */
static gb_node covariance_matrix_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    const gb_node triangle = triangle_of(x, 0);
    const gb_node scales = gb_exp(sums_of_pairs(gb_diagonal(triangle)));
    return gb_chain(matrix_of(gb_tril(triangle, -1)), scales);
}

static gb_node covariance_matrix_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    const gb_node log_scale = gb_scale(gb_log(gb_diagonal(y)), 0.5), scale = gb_exp(log_scale);
    const gb_node r = gb_div(gb_div(y, gb_expand(scale, -1)), gb_expand(scale, -2));
    const gb_node below = triangle_of(numbers_of_matrix(r), 1);
    return numbers_in(gb_add(below, gb_diag(log_scale)), 0);
}

/* Of R, and of S_ij in R_ij and s_ii: Σ log 2 + (n + 1) log s_i. */
static gb_node covariance_matrix_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    const gb_node triangle = triangle_of(x, 0), log_scale = gb_diagonal(triangle);
    const double n = (double)gb_shape_size(gb_node_shape(log_scale), -1);
    const gb_node of_scales = gb_sum_along(gb_shift(gb_scale(log_scale, n + 1), log_2), gb_axis(-1));
    return gb_add(matrix_log_jacobian(gb_tril(triangle, -1)), of_scales);
}

const gb_transform_type gb_covariance_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "covariance",
    .formula = "s_i s_j correlation(x below)_ij with s = e^(x on the diagonal)",
    .from = GB_REAL_VECTOR,
    .to = GB_POSITIVE_DEFINITE,
    .forward = covariance_matrix_forward,
    .inverse = covariance_matrix_inverse,
    .log_jacobian = covariance_matrix_log_jacobian,
    .shape = covariance_shape,
    .inverse_shape = covariance_inverse_shape,
};

gb_transform gb_covariance_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_covariance_transform_type, tape);
}
