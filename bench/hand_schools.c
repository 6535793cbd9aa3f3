/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight schools: eight numbers are one vector of AVX-512. */
#define GB_ISA hand
#define GB_REAL_BITS 64
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "hand.h"

enum { SCHOOLS = 8, MU = 8, LOG_TAU = 9 };

static const double effect[SCHOOLS] = {28, 8, -3, 7, -1, 1, 18, 12};
static const double precision[SCHOOLS] = {1. / 15, 1. / 10, 1. / 16, 1. / 11,
                                          1. / 9,  1. / 11, 1. / 10, 1. / 18};

void gb_hand_schools_run(void *schools)
{
    /* -17/2 log 2 pi - Σ log sigma - log 5 + log 2 - log pi - log 5 */
    static const double constant = -39.261609584796304;
    gb_hand_schools *s = schools;
    const double mu = s->q[MU], tau = exp(s->q[LOG_TAU]), ratio = tau / 5;
    D squares = {0}, slopes = {0}, products = {0};
    for (int i = 0; i < SCHOOLS; i += LANES) {
        const V z = v_load(s->q + i), scale = v_load(precision + i);
        const V residual = (v_load(effect + i) - mu - tau * z) * scale, slope = residual * scale;
        v_store(s->gradient + i, slope * tau - z);
        squares += residual * residual + z * z;
        slopes += slope;
        products += slope * z;
    }
    s->value = constant - 0.5 * v_sum_wide(squares) - 0.5 * (mu / 5) * (mu / 5) - log1p(ratio * ratio) +
               s->q[LOG_TAU];
    s->gradient[MU] = v_sum_wide(slopes) - mu / 25;
    s->gradient[LOG_TAU] = tau * v_sum_wide(products) - 2 * ratio * ratio / (1 + ratio * ratio) + 1;
}
