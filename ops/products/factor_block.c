/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Within a block: four rows at a time, so that each row that is subtracted from them is read once. */
#include "ops/products/factor_block_impl.h"

#include <math.h>

enum { ROWS = 4 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- Cholesky ---- */

/* Of at most four rows. */
static bool factor_few(double *u, int64_t step, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        double *const row = u + j * step;
        for (int64_t k = 0; k < j; k++)
            for (int64_t i = j; i < n; i++)
                row[i] -= u[k * step + j] * u[k * step + i];
        if (!(row[j] > 0 && row[j] < INFINITY))
            return false;
        row[j] = sqrt(row[j]);
        for (int64_t i = j + 1; i < n; i++)
            row[i] /= row[j];
    }
    return true;
}

/* Rows are U of the rows above, subtracted from u, and solved by what they have in their own columns. */
bool gb_block_factor(gb_subtract_kernel *subtract, double *u, int64_t step, int64_t n)
{
    for (int64_t first = 0; first < n; first += ROWS) {
        const int64_t end = least(first + ROWS, n);
        double *const own = u + first * step + first;
        gb_subtraction s = {.to = own,
                            .to_step = step,
                            .rows = end - first,
                            .width = end - first,
                            .coefficient = u + first,
                            .of_row = 1,
                            .of_term = step,
                            .terms = first,
                            .from = u + first,
                            .from_step = step};
        subtract(&s);
        if (!factor_few(own, step, end - first))
            return false;
        s.to += end - first;
        s.from += end - first;
        s.width = n - end;
        s.triangle = own;
        subtract(&s);
    }
    return true;
}

/* ---- its adjoint ---- */

/* Of at most four rows of gb_block_factor, backwards (Smith 1995). M is twice the adjoint of the matrix, and
 * v the adjoint of row k of U: M_ki = (v_i − Σ_j U_kj M_ji) / U_kk over j > k, for i > k; and v_k − Σ_i M_ki
 * U_ki is M_kk U_kk. */
static void adjoint_few(const double *u, double *m, int64_t step, int64_t n)
{
    for (int64_t k = n - 1; k >= 0; k--) {
        const double *const own = u + k * step;
        double *const row = m + k * step;
        for (int64_t i = n - 1; i >= k; i--) {
            for (int64_t j = k + 1; j < n; j++)
                row[i] -= own[j] * m[j * step + i];
            row[i] /= own[k];
            m[i * step + k] = row[i];
        }
    }
}

/* With rows in place of numbers. M is symmetric, and rows after the four are known: those beside them are
 * U_FF⁻¹ (v − U_FR M_RR), and what is left of v for their own columns is v − U_FR M_RF. */
void gb_block_adjoint(gb_subtract_kernel *subtract, const double *u, double *m, int64_t step, int64_t n)
{
    for (int64_t end = n; end > 0; end -= least(ROWS, end)) {
        const int64_t first = end - least(ROWS, end), now = end - first;
        const double *const last = u + (end - 1) * step;
        gb_subtraction s = {.to = m + (end - 1) * step + end,
                            .to_step = -step,
                            .rows = now,
                            .width = n - end,
                            .coefficient = last + n - 1,
                            .of_row = -step,
                            .of_term = -1,
                            .terms = n - end,
                            .from = m + (n - 1) * step + end,
                            .from_step = -step,
                            .triangle = last + end - 1};
        subtract(&s);
        for (int64_t i = end; i < n; i++)
            for (int64_t k = first; k < end; k++)
                m[i * step + k] = m[k * step + i];
        s.to -= now;
        s.from -= now;
        s.width = now;
        s.triangle = NULL;
        subtract(&s);
        adjoint_few(u + first * step + first, m + first * step + first, step, now);
    }
}

/* ---- triangular systems ---- */

gb_lower gb_lower_of(const gb_triangle *triangle, const double *l, int64_t step, int64_t n)
{
    const gb_lower lower = {
        .at = l, .row = triangle->transpose ? 1 : step, .column = triangle->transpose ? step : 1};
    if (triangle->transpose == triangle->upper)
        return lower;
    return (gb_lower){.at = l + (n - 1) * (step + 1), .row = -lower.row, .column = -lower.column};
}

void gb_block_solve(gb_subtract_kernel *subtract, gb_lower l, double *x, int64_t x_step, int64_t n,
                    int64_t width)
{
    for (int64_t known = 0; known < n; known += ROWS)
        subtract(&(gb_subtraction){.to = x + known * x_step,
                                   .to_step = x_step,
                                   .rows = least(ROWS, n - known),
                                   .width = width,
                                   .coefficient = l.at + known * l.row,
                                   .of_row = l.row,
                                   .of_term = l.column,
                                   .terms = known,
                                   .from = x,
                                   .from_step = x_step,
                                   .triangle = l.at + known * (l.row + l.column)});
}
