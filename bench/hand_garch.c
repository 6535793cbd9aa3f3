/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GARCH(1,1): only h goes step by step, forwards, and its slope backwards; all else is in vectors. */
#define GB_ISA hand
#define GB_REAL_BITS 64
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "hand.h"

void gb_hand_garch_run(void *garch)
{
    gb_hand_garch *const g = garch;
    const double omega = g->at[0], alpha = g->at[1], beta = g->at[2], mu = g->at[3];
    for (size_t i = 0; i < g->steps; i += LANES) {
        const V e = v_load(g->y + i) - mu;
        v_store(g->square + i, e * e);
    }
    double h = 0.7;
    for (size_t i = 0; i < g->steps; i++) {
        g->variance[i] = h;
        h = omega + alpha * g->square[i] + beta * h;
    }
    D value = {0}, in[4] = {{0}};
    for (size_t i = 0; i < g->steps; i += LANES) { /* the direct slope in h */
        const V now = v_load(g->variance + i), precision = 1 / now, share = v_load(g->square + i) * precision;
        value -= 0.5 * (v_log(now) + share);
        v_store(g->slope + i, 0.5 * precision * (share - 1));
    }
    double slope = 0;
    for (size_t i = g->steps; i-- > 0;) {
        const double next = slope;
        slope = g->slope[i] + beta * next;
        g->slope[i] = next;
    }
    for (size_t i = 0; i < g->steps; i += LANES) {
        const V now = v_load(g->variance + i), next = v_load(g->slope + i);
        in[0] += next;
        in[1] += next * v_load(g->square + i);
        in[2] += next * now;
        in[3] += (1 / now - 2 * alpha * next) * (v_load(g->y + i) - mu);
    }
    g->value = v_sum_wide(value);
    for (int i = 0; i < 4; i++)
        g->gradient[i] = v_sum_wide(in[i]);
}
