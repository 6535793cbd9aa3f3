/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/search/inverse_impl.h"

#include <math.h>
#include <string.h>

#include "fitting/density/dense_impl.h"

size_t gb_inverse_numbers(size_t n, bool is_dense)
{
    return n + (is_dense ? n * n : n);
}

void gb_inverse_begin(gb_inverse *h, size_t n, bool is_dense, double *numbers)
{
    *h = (gb_inverse){.n = n, .is_dense = is_dense, .room = numbers, .h = numbers + n};
    memset(h->h, 0, (is_dense ? n * n : n) * sizeof *h->h);
    for (size_t i = 0; i < n; i++)
        h->h[is_dense ? i * (n + 1) : i] = 1;
}

void gb_inverse_times(const gb_inverse *h, const double *x, double *product)
{
    for (size_t i = 0; i < h->n; i++)
        product[i] = h->is_dense ? gb_dense_dot(h->n, h->h + i * h->n, x) : h->h[i] * x[i];
}

/* H + ((sᵀy + yᵀHy) s sᵀ / sᵀy − H y sᵀ − s yᵀ H) / sᵀy */
static void add_dense(gb_inverse *h, const double *s, const double *y, double sy)
{
    const size_t n = h->n;
    double *const hy = h->room;
    gb_inverse_times(h, y, hy);
    const double most = (1 + gb_dense_dot(n, y, hy) / sy) / sy;
    for (size_t i = 0; i < n; i++) {
        gb_dense_add(n, most * s[i] - hy[i] / sy, s, h->h + i * n);
        gb_dense_add(n, -s[i] / sy, hy, h->h + i * n);
    }
}

static void add_diagonal(gb_inverse *h, const double *s, const double *y, double sy)
{
    double a = 0, c = 0;
    for (size_t i = 0; i < h->n; i++) {
        a += h->h[i] * y[i] * y[i];
        c += s[i] * s[i] / h->h[i];
    }
    for (size_t i = 0; i < h->n; i++) {
        const double own = h->h[i],
                     next = 1 / (a / (sy * own) + y[i] * y[i] / sy - a * s[i] * s[i] / (sy * c * own * own));
        if (next > 0 && isfinite(next))
            h->h[i] = next;
    }
}

void gb_inverse_add(gb_inverse *h, const double *s, const double *y)
{
    const size_t n = h->n;
    const double sy = gb_dense_dot(n, s, y), yy = gb_dense_dot(n, y, y);
    if (!(sy > 1e-12 * yy * 1e-12) || !(sy > 1e-12 * sqrt(yy * gb_dense_dot(n, s, s))))
        return;
    if (!h->has_pair) {
        h->has_pair = true;
        for (size_t i = 0; i < n; i++)
            h->h[h->is_dense ? i * (n + 1) : i] = sy / yy;
    }
    if (h->is_dense)
        add_dense(h, s, y, sy);
    else
        add_diagonal(h, s, y, sy);
}
