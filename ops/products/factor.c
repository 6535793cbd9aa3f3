/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block after block. Many columns are cut into parts, which do not need each other. */
#include "ops/products/factor_impl.h"

enum { BLOCK = 64 /* rows */, PART = 128 /* columns that one thread takes */ };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Rows `first` to `end` of what is computed, m: n rows, `step` apart. */
typedef struct block {
    const gb_factoring *by;
    gb_lower l;
    const double *u;
    double *m;
    int64_t n, step, first, end;
    int64_t column, columns_end; /* of m, that are computed */
    void (*part)(const struct block *b, int64_t column, int64_t columns);
} block;

static void run_part(void *context, size_t index)
{
    const block *b = context;
    const int64_t column = b->column + (int64_t)index * PART;
    b->part(b, column, least(PART, b->columns_end - column));
}

static void each_part(block *b)
{
    enum { WORTH_SHARING = 100000 };
    const int64_t columns = b->columns_end - b->column, parts = (columns + PART - 1) / PART;
    gb_parallel(columns * b->n * BLOCK < WORTH_SHARING ? NULL : b->by->workers, (size_t)parts, run_part, b);
}

/* ---- Cholesky ---- */

/* Columns of the block's rows, less U of the rows above. */
static void subtract_above(const block *b, int64_t column, int64_t columns)
{
    b->by->subtract(&(gb_subtraction){.to = b->m + b->first * b->step + column,
                                      .to_step = b->step,
                                      .rows = b->end - b->first,
                                      .width = columns,
                                      .coefficient = b->m + b->first,
                                      .of_row = 1,
                                      .of_term = b->step,
                                      .terms = b->first,
                                      .from = b->m + column,
                                      .from_step = b->step});
}

static void factor_part(const block *b, int64_t column, int64_t columns)
{
    subtract_above(b, column, columns);
    gb_block_solve(b->by->subtract, b->l, b->m + b->first * b->step + column, b->step, b->end - b->first,
                   columns);
}

bool gb_triangle_factor(const gb_factoring *by, double *u, int64_t n)
{
    static const gb_triangle transposed = {.upper = true, .transpose = true};
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t end = least(first + BLOCK, n);
        double *const own = u + first * n + first;
        block b = {.by = by, .m = u, .n = n, .step = n, .first = first, .end = end};
        subtract_above(&b, first, end - first);
        if (!gb_block_factor(by->subtract, own, n, end - first))
            return false;
        b.l = gb_lower_of(&transposed, own, n, end - first);
        b.column = end;
        b.columns_end = n;
        b.part = factor_part;
        each_part(&b);
    }
    return true;
}

/* ---- its adjoint ---- */

/* Columns of v beside the block, or its own, less U_BR M_RR: R are the rows after the block B. */
static void subtract_below(const block *b, int64_t column, int64_t columns)
{
    b->by->subtract(&(gb_subtraction){.to = b->m + b->first * b->step + column,
                                      .to_step = b->step,
                                      .rows = b->end - b->first,
                                      .width = columns,
                                      .coefficient = b->u + b->first * b->step + b->end,
                                      .of_row = b->step,
                                      .of_term = 1,
                                      .terms = b->n - b->end,
                                      .from = b->m + b->end * b->step + column,
                                      .from_step = b->step});
}

static void adjoint_part(const block *b, int64_t column, int64_t columns)
{
    const int64_t rows = b->end - b->first;
    double *const to = b->m + b->first * b->step + column;
    subtract_below(b, column, columns);
    gb_block_solve(b->by->subtract, b->l, to + (rows - 1) * b->step, -b->step, rows, columns);
    for (int64_t i = 0; i < columns; i++)
        for (int64_t k = 0; k < rows; k++)
            b->m[(column + i) * b->step + b->first + k] = to[k * b->step + i];
}

/* As gb_block_adjoint, with blocks in place of four rows. */
void gb_triangle_factor_adjoint(const gb_factoring *by, const double *u, double *m, int64_t n)
{
    static const gb_triangle upper = {.upper = true};
    for (int64_t first = (n - 1) / BLOCK * BLOCK; first >= 0 && n > 0; first -= BLOCK) {
        const int64_t end = least(first + BLOCK, n), own = first * n + first;
        block b = {.by = by,
                   .l = gb_lower_of(&upper, u + own, n, end - first),
                   .u = u,
                   .m = m,
                   .n = n,
                   .step = n,
                   .first = first,
                   .end = end,
                   .column = end,
                   .columns_end = n,
                   .part = adjoint_part};
        each_part(&b);
        subtract_below(&b, first, end - first);
        gb_block_adjoint(by->subtract, u + own, m + own, n, end - first);
    }
}

/* ---- triangular systems ---- */

/* A block of rows, less those before. With one column, a triangle whose columns are without gaps is read
 * along them: the rows of x are taken for columns. */
static void subtract_known(const block *b, int64_t known, int64_t now, double *x, int64_t columns)
{
    const double *const rows = b->l.at + known * b->l.row;
    gb_subtraction s = {.to = x + known * b->step,
                        .to_step = b->step,
                        .rows = now,
                        .width = columns,
                        .coefficient = rows,
                        .of_row = b->l.row,
                        .of_term = b->l.column,
                        .terms = known,
                        .from = x,
                        .from_step = b->step};
    const int64_t back = b->l.row < 0 ? now - 1 : 0;
    if (b->step == b->l.row && b->step * b->step == 1)
        s = (gb_subtraction){.to = x + known * b->step - back,
                             .rows = 1,
                             .width = now,
                             .coefficient = x,
                             .of_term = b->step,
                             .terms = known,
                             .from = rows - back,
                             .from_step = b->l.column};
    b->by->subtract(&s);
}

/* One column by a triangle whose rows are without gaps needs no blocks: each number is read once. */
static void solve_part(const block *b, int64_t column, int64_t columns)
{
    double *const x = b->m + column;
    if (b->step == b->l.column && b->step * b->step == 1) {
        gb_block_solve(b->by->subtract, b->l, x, b->step, b->n, 1);
        return;
    }
    for (int64_t known = 0; known < b->n; known += BLOCK) {
        const int64_t now = least(BLOCK, b->n - known);
        const gb_lower own = {b->l.at + known * (b->l.row + b->l.column), b->l.row, b->l.column};
        subtract_known(b, known, now, x, columns);
        gb_block_solve(b->by->subtract, own, x + known * b->step, b->step, now, columns);
    }
}

void gb_triangle_solve(const gb_factoring *by, const gb_triangle *triangle, const double *l, double *x,
                       int64_t n, int64_t width)
{
    const bool forwards = triangle->transpose == triangle->upper;
    if (n * width == 0)
        return;
    block b = {.by = by,
               .l = gb_lower_of(triangle, l, n, n),
               .m = forwards ? x : x + (n - 1) * width,
               .n = n,
               .step = forwards ? width : -width,
               .columns_end = width,
               .part = solve_part};
    each_part(&b);
}
