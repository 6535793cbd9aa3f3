/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/products/factor_impl.h"

#include <math.h>

enum { BLOCK = 4 /* rows that are computed at a time */ };

gb_subtract_kernel *gb_subtract_of(gb_isa isa)
{
#define SUBTRACT(isa, name) gb_##name##_##isa##_64,
    static gb_subtract_kernel *const kernels[GB_ISA_COUNT] = {GB_EACH_ISA(SUBTRACT, subtract)};
#undef SUBTRACT
    return kernels[isa];
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Calls the kernel, unless that takes longer than so few products do. The order of the sums is the same. */
static inline void take_away(gb_subtract_kernel *subtract, const gb_subtraction *s)
{
    enum { SMALL = 32 };
    if (s->rows * s->width * s->terms > SMALL) {
        subtract(s);
        return;
    }
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t k = 0; k < s->terms; k++)
            for (int64_t i = 0; i < s->width; i++)
                s->to[r * s->to_step + i] -=
                    s->coefficient[r * s->of_row + k * s->of_term] * s->from[k * s->from_step + i];
}

static void divide(double *x, int64_t count, double by)
{
    for (int64_t i = 0; i < count; i++)
        x[i] /= by;
}

/* Four sums, which do not wait for each other. */
static double dot(int64_t count, const double *x, const double *y)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < count; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* ---- Cholesky ---- */

/* Each row is U of the rows above, subtracted from u, and divided by its pivot. */
bool gb_triangle_factor(gb_subtract_kernel *subtract, double *u, int64_t n)
{
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t end = least(first + BLOCK, n);
        take_away(subtract, &(gb_subtraction){.to = u + first * n + first,
                                              .to_step = n,
                                              .rows = end - first,
                                              .width = n - first,
                                              .coefficient = u + first,
                                              .of_row = 1,
                                              .of_term = n,
                                              .terms = first,
                                              .from = u + first,
                                              .from_step = n});
        for (int64_t j = first; j < end; j++) {
            double *const row = u + j * n + j;
            take_away(subtract, &(gb_subtraction){.to = row,
                                                  .rows = 1,
                                                  .width = n - j,
                                                  .coefficient = u + first * n + j,
                                                  .of_term = n,
                                                  .terms = j - first,
                                                  .from = u + first * n + j,
                                                  .from_step = n});
            if (!(*row > 0 && *row < INFINITY))
                return false;
            *row = sqrt(*row);
            divide(row + 1, n - j - 1, *row);
        }
    }
    return true;
}

/* The rows of gb_triangle_factor backwards (Smith 1995). M is twice the adjoint of the matrix, and v the
 * adjoint of row k of U: M_ki = (v_i − Σ_j U_kj M_ji) / U_kk over j > k, for i > k; and v_k − Σ_i M_ki U_ki
 * is M_kk U_kk. */
void gb_triangle_factor_adjoint(gb_subtract_kernel *subtract, const double *u, double *m, int64_t n)
{
    for (int64_t end = n; end > 0; end -= least(BLOCK, end)) {
        const int64_t first = end - least(BLOCK, end), rest = n - end;
        take_away(subtract, &(gb_subtraction){.to = m + first * n + end,
                                              .to_step = n,
                                              .rows = end - first,
                                              .width = rest,
                                              .coefficient = u + first * n + end,
                                              .of_row = n,
                                              .of_term = 1,
                                              .terms = rest,
                                              .from = m + end * n + end,
                                              .from_step = n});
        for (int64_t k = end - 1; k >= first; k--) {
            const double *const own = u + k * n;
            double *const row = m + k * n;
            take_away(subtract, &(gb_subtraction){.to = row + end,
                                                  .rows = 1,
                                                  .width = rest,
                                                  .coefficient = own + k + 1,
                                                  .of_term = 1,
                                                  .terms = end - k - 1,
                                                  .from = m + (k + 1) * n + end,
                                                  .from_step = n});
            for (int64_t i = k + 1; i < end; i++)
                row[i] -= dot(n - k - 1, own + k + 1, m + i * n + k + 1);
            divide(row + k + 1, n - k - 1, own[k]);
            row[k] = (row[k] - dot(n - k - 1, row + k + 1, own + k + 1)) / own[k];
            for (int64_t i = k + 1; i < end; i++)
                m[i * n + k] = row[i];
        }
        for (int64_t i = end; i < n; i++)
            for (int64_t k = first; k < end; k++)
                m[i * n + k] = m[k * n + i];
    }
}

/* ---- triangular systems ---- */

/* Beginning with the equation that has one unknown. Element i, j of the triangle is at l[i · row +
 * j · column]. */
void gb_triangle_solve(gb_subtract_kernel *subtract, const gb_triangle *triangle, const double *l, double *x,
                       int64_t n, int64_t width)
{
    const int64_t row = triangle->transpose ? 1 : n, column = triangle->transpose ? n : 1;
    const bool forwards = triangle->transpose == triangle->upper;
    for (int64_t known = 0; known < n; known += BLOCK) {
        const int64_t now = least(BLOCK, n - known), first = forwards ? known : n - known - now,
                      end = first + now, before = forwards ? 0 : end;
        take_away(subtract, &(gb_subtraction){.to = x + first * width,
                                              .to_step = width,
                                              .rows = now,
                                              .width = width,
                                              .coefficient = l + first * row + before * column,
                                              .of_row = row,
                                              .of_term = column,
                                              .terms = known,
                                              .from = x + before * width,
                                              .from_step = width});
        for (int64_t k = 0; k < now; k++) {
            const int64_t i = forwards ? first + k : end - 1 - k, from = forwards ? first : i + 1;
            take_away(subtract, &(gb_subtraction){.to = x + i * width,
                                                  .rows = 1,
                                                  .width = width,
                                                  .coefficient = l + i * row + from * column,
                                                  .of_term = column,
                                                  .terms = k,
                                                  .from = x + from * width,
                                                  .from_step = width});
            divide(x + i * width, width, l[i * row + i * column]);
        }
    }
}
