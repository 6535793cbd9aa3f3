/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hermite polynomials, orthonormal under the standard normal: x h_k = √(k + 1) h_(k + 1) + √k h_(k − 1), h_0
 * = 1, and h_n′ = √n h_(n − 1). At all nodes of the rules up to 256, their values stay within the range of a
 * double. */
#include "estimators/hermite.h"

#include <math.h>

typedef struct hermite {
    double last, before; /* h_n and h_(n − 1) */
    int changes;         /* sign changes from h_0 to h_n: the number of roots of h_n above x (Sturm) */
} hermite;

static hermite hermite_at(int n, double x)
{
    hermite h = {.last = 1};
    for (int k = 0; k < n; k++) {
        const double next = (x * h.last - sqrt(k) * h.before) / sqrt(k + 1.0);
        h.changes += signbit(next) != signbit(h.last);
        h.before = h.last;
        h.last = next;
    }
    return h;
}

/* Returns the root of h_n that has `above` roots above it, by bisection and one Newton step. All roots lie
 * within 2 √n. */
static double root(int n, int above)
{
    double low = 0, high = 2 * sqrt(n);
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (hermite_at(n, middle).changes > above)
            low = middle;
        else
            high = middle;
    }
    const hermite h = hermite_at(n, low);
    return low - h.last / (sqrt(n) * h.before);
}

static double weight_at(int n, double x)
{
    const double h = hermite_at(n, x).before;
    return 1 / (n * h * h);
}

bool gb_hermite_rule(int count, double *node, double *weight)
{
    if (count < 1 || count > GB_HERMITE_MOST || !node || !weight)
        return false;
    for (int i = 0; i < (count + 1) / 2; i++) {
        const int mirrored = count - 1 - i;
        node[mirrored] = i == mirrored ? 0 : root(count, i);
        node[i] = -node[mirrored];
        weight[i] = weight[mirrored] = weight_at(count, node[mirrored]);
    }
    return true;
}
