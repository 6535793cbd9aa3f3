/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laplace's normal: as numbers, and as a member of q's family. */
#include <math.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method.h"
#include "fitting/method/methods_impl.h"

enum { MOST = 1024, FRESH = 1024 };

/* ---- as numbers ---- */

static const gb_curvature *curvature_of(gb_search *s, const gb_mode *mode)
{
    const size_t n = s->n;
    gb_curvature *const c = gb_tape_keep(s->tape, sizeof *c);
    double *const numbers = gb_tape_keep(s->tape, (n * n + 2 * n) * sizeof *numbers);
    if (!c || !numbers)
        return NULL;
    double *const sd = numbers + n, *const covariance = sd + n;
    double log_volume = 0;
    memcpy(numbers, mode->z, n * sizeof *numbers);
    for (size_t i = 0; i < n; i++) {
        const double *const row = mode->root + i * n;
        log_volume += log(row[i]);
        for (size_t k = 0; k <= i; k++)
            covariance[i * n + k] = covariance[k * n + i] = gb_dense_dot(k + 1, row, mode->root + k * n);
        sd[i] = sqrt(covariance[i * n + i]);
    }
    *c = (gb_curvature){.density = s->density,
                        .count = n,
                        .mean = numbers,
                        .sd = sd,
                        .covariance = covariance,
                        .gain = mode->gain,
                        .log_evidence = mode->log_p + log_volume + 0.91893853320467274178 * (double)n,
                        .gradients = s->gradients};
    return c;
}

static const gb_curvature *laplace(gb_search *s, const double *at)
{
    gb_mode mode = {.z = gb_search_numbers(s, s->n)};
    double *const first = gb_search_numbers(s, s->n); /* 0 */
    if (!mode.z || !first)
        return NULL;
    if (at)
        memcpy(mode.z, at, s->n * sizeof *at);
    const double *const starts = at ? NULL : gb_search_starts(s, first);
    if ((!at && !starts) || !gb_search_mode(s, at ? 0 : GB_SEARCH_STARTS, starts, &mode))
        return NULL;
    if (mode.words[0]) {
        gb_fail(s->tape, s->lacks_hessian ? GB_EGRADIENT : GB_ENONFINITE, "laplace_normal: %s", mode.words);
        return NULL;
    }
    return curvature_of(s, &mode);
}

const gb_curvature *gb_laplace_normal_with(gb_elbo *e, const gb_laplace_normal_options *options)
{
    gb_laplace_normal_options own;
    gb_options_copy(&own, sizeof own, options);
    gb_density *const density = own.density ? own.density : gb_density_new(e, .data = own.data);
    gb_tape *const tape = gb_density_tape(density);
    if (!tape || gb_error(tape) != GB_OK ||
        !gb_options_take(tape, "laplace_normal", &own, sizeof own, options))
        return NULL;
    if (own.density && own.data) {
        gb_fail(tape, GB_EARGUMENT, "laplace_normal: .data is given, and .density, which has its own");
        return NULL;
    }
    if (gb_density_count(density) > MOST) {
        gb_fail(tape, GB_EARGUMENT, "laplace_normal: there are %zu free numbers, and at most %d are taken",
                gb_density_count(density), MOST);
        return NULL;
    }
    gb_search s;
    gb_search_density(&s, density, own.seed);
    const gb_curvature *const c = laplace(&s, own.at);
    gb_search_end(&s);
    return c;
}

/* ---- as a member of q's family ---- */

bool gb_search_laplace(gb_search *s)
{
    gb_mode mode = {0};
    const size_t n = s->n;
    if (n > MOST) {
        gb_search_stop(s, GB_FIT_UNFINISHED,
                       "not converged: Laplace's normal is for at most %d free numbers, not %zu", MOST, n);
        return true;
    }
    const double *const starts = gb_search_starts(s, s->best.mean);
    double *const precision = gb_search_numbers(s, 2 * n * n);
    s->end = GB_FIT_CONVERGED;
    if (!starts || !precision || !gb_search_mode(s, GB_SEARCH_STARTS, starts, &mode))
        return gb_error(s->tape) == GB_OK;
    if (mode.words[0]) {
        gb_search_stop(s, GB_FIT_UNFINISHED, "not converged: there is no normal at the mode: %s", mode.words);
        return true;
    }
    gb_dense_inverse(n, mode.root, precision, precision + n * n);
    if (!gb_search_project(s, mode.z, precision)) {
        gb_search_stop(s, GB_FIT_UNFINISHED,
                       "not converged: the Hessian at the mode is too near to singular for a normal there");
        return gb_error(s->tape) == GB_OK;
    }
    if (!gb_search_elbo(s, &s->best, 2997, FRESH, &s->elbo, &s->error))
        return false;
    gb_search_stop(s, GB_FIT_CONVERGED, "converged: the normal at the mode of log p, which is %.6g there",
                   mode.log_p);
    return true;
}
