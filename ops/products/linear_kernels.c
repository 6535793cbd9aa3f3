/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors and solves, one matrix after the other, in double; float matrices are widened first. The result for
 * one does not depend on the others. */
#include <math.h>
#include <string.h>

#include "core/tape/within_impl.h"
#include "ops/elementwise/element_impl.h"
#include "ops/products/linear_kernels_impl.h"

/* ---- one matrix after the other ---- */

static int64_t rows_of(const gb_layout *layout)
{
    return layout->shape.size[layout->shape.rank - 2];
}

static int64_t columns_of(const gb_layout *layout)
{
    return layout->shape.size[layout->shape.rank - 1];
}

/* Returns the number of matrices: hidden and leading axes count. */
static int64_t matrices_of(const gb_layout *layout)
{
    int64_t count = 1;
    for (int i = 0; i < layout->shape.rank - 2; i++)
        count *= layout->shape.size[i];
    int place = 0;
    for (gb_axes rest = layout->axes; rest; rest &= rest - 1)
        count *= layout->hidden_size[place++];
    return count;
}

/* Returns the offset of the argument's matrix for matrix `number` of the result, with broadcasting. */
static int64_t matrix_offset(const gb_layout *arg, const gb_layout *result, int64_t number)
{
    const int shift = result->shape.rank - arg->shape.rank;
    int64_t at[GB_MAX_HIDDEN] = {0}, offset = 0;
    for (int i = result->shape.rank - 3; i >= 0; i--) {
        const int64_t size = result->shape.size[i];
        if (i >= shift && arg->shape.size[i - shift] != 1)
            offset += number % size * arg->stride[i - shift];
        number /= size;
    }
    int place = 0;
    for (gb_axes rest = result->axes; rest; rest &= rest - 1)
        place++;
    while (place-- > 0) {
        at[place] = number % result->hidden_size[place];
        number /= result->hidden_size[place];
    }
    return offset + gb_event_offset(arg, result->axes, at);
}

/* What a workspace begins with. */
enum { HEAD = 64 };

/* Threads share many matrices, or else the only one. */
static gb_factoring factoring_of(const gb_kernel_call *call)
{
    return (gb_factoring){.subtract = *(gb_subtract_kernel *const *)call->workspace,
                          .workers = matrices_of(&call->out_layout) == 1 ? call->workers : NULL};
}

bool gb_linear_prepare(gb_tape *tape, const gb_kernel_call *call)
{
    *(gb_subtract_kernel **)call->workspace = gb_subtract_of(gb_tape_isa(tape));
    return true;
}

typedef void matrix_function(const gb_kernel_call *call, const void *const *in, void *out, double *scratch);

typedef struct matrix_job {
    const gb_kernel_call *call;
    matrix_function *each;
    int64_t matrices, tiles;
    int64_t scratch; /* doubles, for each tile */
} matrix_job;

/* Tiles are few, since each has its own scratch memory. */
static int64_t tiles_of(const gb_kernel_call *call)
{
    enum { MOST_TILES = 16 };
    const int64_t matrices = matrices_of(&call->out_layout);
    return matrices < MOST_TILES ? matrices : MOST_TILES;
}

static void run_tile(void *context, size_t index)
{
    const matrix_job *job = context;
    const gb_kernel_call *call = job->call;
    const gb_layout *result = &call->out_layout;
    const int64_t tile = (int64_t)index, width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    double *scratch = (double *)(void *)((char *)call->workspace + HEAD) + tile * job->scratch;
    for (int64_t m = tile * job->matrices / job->tiles; m < (tile + 1) * job->matrices / job->tiles; m++) {
        const void *in[2] = {NULL, NULL};
        for (size_t a = 0; a < call->count; a++)
            in[a] = (const char *)call->in[a] + matrix_offset(&call->arg[a], result, m) * width;
        job->each(call, in, (char *)call->out + m * rows_of(result) * columns_of(result) * width, scratch);
    }
}

static size_t workspace(const gb_kernel_call *call, int64_t scratch)
{
    return HEAD + (size_t)(tiles_of(call) * scratch) * sizeof(double);
}

static void each_matrix(const gb_kernel_call *call, matrix_function *each, int64_t scratch)
{
    enum { WORTH_SHARING = 100000 };
    matrix_job job = {.call = call,
                      .each = each,
                      .matrices = matrices_of(&call->out_layout),
                      .tiles = tiles_of(call),
                      .scratch = scratch};
    const int64_t n = rows_of(&call->arg[0]), work = n * n * columns_of(&call->out_layout) * job.matrices;
    if (job.matrices == 1)
        run_tile(&job, 0);
    else
        gb_parallel(work < WORTH_SHARING ? NULL : call->workers, (size_t)job.tiles, run_tile, &job);
}

/* ---- Cholesky ---- */

enum { SQUARE = 16 /* rows and columns that are in the nearest cache together */ };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* u = lᵀ, of the lower triangle. */
static void transpose_lower(const gb_kernel_call *call, const void *l, double *u, int64_t n)
{
    for (int64_t row = 0; row < n; row += SQUARE)
        for (int64_t column = row; column < n; column += SQUARE)
            for (int64_t j = row; j < least(row + SQUARE, n); j++)
                for (int64_t i = column > j ? column : j; i < least(column + SQUARE, n); i++)
                    u[j * n + i] = gb_real_at(call, l, i * n + j);
}

/* The lower triangle of `l` is uᵀ, or NaN, and the other one 0. */
static void put_lower(const gb_kernel_call *call, const double *u, bool definite, void *l, int64_t n)
{
    for (int64_t row = 0; row < n; row += SQUARE)
        for (int64_t column = 0; column < n; column += SQUARE)
            for (int64_t i = row; i < least(row + SQUARE, n); i++)
                for (int64_t j = column; j < least(column + SQUARE, n); j++)
                    gb_put_real(call, l, i * n + j, !definite ? (double)NAN : j > i ? 0 : u[j * n + i]);
}

static void cholesky_matrix(const gb_kernel_call *call, const void *const *in, void *out, double *u)
{
    const int64_t n = rows_of(&call->out_layout);
    transpose_lower(call, in[0], u, n);
    const gb_factoring by = factoring_of(call);
    put_lower(call, u, gb_triangle_factor(&by, u, n), out, n);
}

static int64_t cholesky_scratch(const gb_kernel_call *call)
{
    const int64_t n = rows_of(&call->out_layout);
    return n * n;
}

void gb_cholesky_run(const gb_kernel_call *call)
{
    each_matrix(call, cholesky_matrix, cholesky_scratch(call));
}

size_t gb_cholesky_workspace(const gb_kernel_call *call)
{
    return workspace(call, cholesky_scratch(call));
}

static void adjoint_matrix(const gb_kernel_call *call, const void *const *in, void *out, double *u)
{
    const int64_t n = rows_of(&call->out_layout);
    double *const m = u + n * n;
    transpose_lower(call, in[0], u, n);
    transpose_lower(call, in[1], m, n);
    const gb_factoring by = factoring_of(call);
    gb_triangle_factor_adjoint(&by, u, m, n);
    for (int64_t i = 0; i < n * n; i++)
        gb_put_real(call, out, i, m[i] / 2);
}

void gb_cholesky_adjoint_run(const gb_kernel_call *call)
{
    each_matrix(call, adjoint_matrix, 2 * cholesky_scratch(call));
}

size_t gb_cholesky_adjoint_workspace(const gb_kernel_call *call)
{
    return workspace(call, 2 * cholesky_scratch(call));
}

/* ---- triangular systems ---- */

static void solve_double(const gb_kernel_call *call, const void *const *in, void *out, double *scratch)
{
    const int64_t n = rows_of(&call->out_layout), width = columns_of(&call->out_layout);
    (void)scratch;
    if (n * width == 0) /* then there may be no array */
        return;
    memcpy(out, in[1], (size_t)(n * width) * sizeof(double));
    const gb_factoring by = factoring_of(call);
    gb_triangle_solve(&by, call->attributes, in[0], out, n, width);
}

static void solve_float(const gb_kernel_call *call, const void *const *in, void *out, double *scratch)
{
    const int64_t n = rows_of(&call->out_layout), width = columns_of(&call->out_layout);
    double *l = scratch, *x = scratch + n * n;
    for (int64_t i = 0; i < n * n; i++)
        l[i] = gb_real_at(call, in[0], i);
    for (int64_t i = 0; i < n * width; i++)
        x[i] = gb_real_at(call, in[1], i);
    const gb_factoring by = factoring_of(call);
    gb_triangle_solve(&by, call->attributes, l, x, n, width);
    for (int64_t i = 0; i < n * width; i++)
        gb_put_real(call, out, i, x[i]);
}

static int64_t solve_scratch(const gb_kernel_call *call)
{
    const int64_t n = rows_of(&call->out_layout);
    return call->real == GB_FLOAT ? n * n + n * columns_of(&call->out_layout) : 0;
}

void gb_triangular_solve_run(const gb_kernel_call *call)
{
    each_matrix(call, call->real == GB_FLOAT ? solve_float : solve_double, solve_scratch(call));
}

size_t gb_triangular_solve_workspace(const gb_kernel_call *call)
{
    return workspace(call, solve_scratch(call));
}
