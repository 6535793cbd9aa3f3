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

/* `cauchy`: -log(1 + (tau/5)²) */
static void run_one(gb_hand_schools *s, double tau, double cauchy)
{
    /* -17/2 log 2 pi - Σ log sigma - log 5 + log 2 - log pi - log 5 */
    static const double constant = -39.261609584796304;
    const double mu = s->q[MU], ratio = tau / 5;
    D squares = {0}, slopes = {0}, products = {0};
    for (int i = 0; i < SCHOOLS; i += LANES) {
        const V z = v_load(s->q + i), scale = v_load(precision + i);
        const V residual = (v_load(effect + i) - mu - tau * z) * scale, slope = residual * scale;
        v_store(s->gradient + i, slope * tau - z);
        squares += residual * residual + z * z;
        slopes += slope;
        products += slope * z;
    }
    s->value = constant - 0.5 * v_sum_wide(squares) - 0.5 * (mu / 5) * (mu / 5) + cauchy + s->q[LOG_TAU];
    s->gradient[MU] = v_sum_wide(slopes) - mu / 25;
    s->gradient[LOG_TAU] = tau * v_sum_wide(products) - 2 * ratio * ratio / (1 + ratio * ratio) + 1;
}

void gb_hand_schools_run(void *schools)
{
    gb_hand_schools *const s = schools;
    const double tau = exp(s->q[LOG_TAU]);
    run_one(s, tau, -log1p(tau / 5 * (tau / 5)));
}

/* exp and log1p of as many particles as a vector has lanes. */
void gb_hand_particles_run(void *particles)
{
    const gb_hand_particles *const p = particles;
    size_t i = 0;
    for (; i + LANES <= p->count; i += LANES) {
        V tau;
        for (size_t lane = 0; lane < LANES; lane++)
            tau[lane] = p->at[i + lane].q[LOG_TAU];
        tau = v_exp(tau);
        const V ratio = tau / 5, cauchy = -v_log1p(ratio * ratio);
        for (size_t lane = 0; lane < LANES; lane++)
            run_one(&p->at[i + lane], tau[lane], cauchy[lane]);
    }
    for (; i < p->count; i++)
        gb_hand_schools_run(&p->at[i]);
}
