/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear response. With z_s = m + s ∘ ε_s and H_s the Hessian of log p there, the Hessian of F(m, log s) is
 *
 *     means, means    mean of H_s
 *     means, scales   mean of H_s diag(s ∘ ε_s)
 *     scales, scales  mean of diag(s ∘ ε_s) H_s diag(s ∘ ε_s) + diag(g_s ∘ s ∘ ε_s)
 *
 * At the optimum, the means of the last term are −1. The covariance of the means is the Schur complement of
 * the scales, inverted. */
#include <math.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method.h"
#include "fitting/method/methods_impl.h"
#include "models/elbo/elbo_impl.h"

enum { MOST = 512, USUAL = 1024 };
static const double moved_mean = 0.1, moved_scale = 0.1;

typedef struct response {
    gb_search search;
    size_t n;
    double *draws;
    gb_member given;
    double *minus; /* −Hessian of F, 2n × 2n: means, then scales */
    double *scale; /* of each free number; 0 for a point */
} response;

static bool is_rejected(const response *r, gb_status status, const char *words, const char *more)
{
    gb_fail(r->search.tape, status, "linear_response: %s%s", words, more);
    return false;
}

/* ---- is q the optimum? ---- */

static bool is_optimal(const response *r)
{
    const gb_search *const s = &r->search;
    for (size_t i = 0; i < r->n; i++) {
        const double sd = gb_member_sd(&s->family, &s->best, i), was = gb_member_sd(&s->family, &r->given, i),
                     moved = fabs(s->best.mean[i] - r->given.mean[i]);
        char name[GB_DENSITY_TEXT];
        if (sd > 0 ? moved <= moved_mean * sd && fabs(sd / was - 1) <= moved_scale
                   : moved <= 1e-3 * (1 + fabs(r->given.mean[i])))
            continue;
        gb_fail(
            s->tape, GB_ENONFINITE,
            "linear_response: q is not the best member of its family: %s has mean %g and standard deviation "
            "%g, and is best at %g and %g; fit first: gb_fit(e)",
            gb_density_free_name(s->density, i, name), r->given.mean[i], was, s->best.mean[i], sd);
        return false;
    }
    return true;
}

/* ---- the Hessian of F ---- */

/* Adds that of draw number k. */
static bool add_draw(response *r, size_t k, size_t count, double *z, double *hessian, double *gradient)
{
    gb_search *const s = &r->search;
    const size_t n = r->n, all = 2 * n;
    const double *const draw = r->draws + k * n;
    double log_p;
    gb_member_place(&s->family, &s->best, 1, draw, z);
    if (!gb_search_evaluate(s, 1, z, &log_p, gradient) || !gb_search_precision(s, 1, z, hessian))
        return false;
    for (size_t i = 0; i < n; i++) {
        const double by = r->scale[i] * draw[i];
        double *const mean = r->minus + i * all, *const scale = r->minus + (n + i) * all;
        for (size_t j = 0; j < n; j++) {
            const double h = hessian[i * n + j] / (double)count, across = r->scale[j] * draw[j];
            mean[j] += h;
            mean[n + j] += h * across;
            scale[j] += h * by;
            scale[n + j] += h * by * across;
        }
        scale[n + i] -= gradient[i] * by / (double)count;
    }
    return true;
}

static bool find_hessian(response *r, size_t count)
{
    gb_search *const s = &r->search;
    const size_t n = r->n;
    double *const room = gb_search_numbers(s, n * n + 2 * n);
    if (!room)
        return false;
    for (size_t k = 0; k < count; k++)
        if (!add_draw(r, k, count, room + n * n, room, room + n * n + n))
            return gb_error(s->tape) == GB_OK &&
                   is_rejected(r, s->lacks_hessian ? GB_EGRADIENT : GB_ENONFINITE,
                               s->lacks_hessian ? "an operation of the model has no second derivative"
                                                : "second derivatives of log p are not finite at draws of q",
                               "");
    for (size_t i = 0; i < n; i++) /* points have no scale */
        if (r->scale[i] == 0)
            r->minus[(n + i) * (2 * n + 1)] = 1;
    return true;
}

/* ---- the covariance ---- */

/* What the step from q to the optimum gains, by the Hessian. `step` is room for 2 n numbers. */
static double gain_of(const response *r, double *step)
{
    const gb_family_of_normals *const q = &r->search.family;
    const size_t n = r->n, all = 2 * n;
    double twice = 0;
    for (size_t i = 0; i < n; i++) {
        step[i] = r->search.best.mean[i] - r->given.mean[i];
        step[n + i] = r->scale[i] > 0 ? log(r->scale[i] / gb_member_sd(q, &r->given, i)) : 0;
    }
    for (size_t i = 0; i < all; i++)
        twice += step[i] * gb_dense_dot(all, r->minus + i * all, step);
    return twice / 2;
}

static const gb_curvature *covariance_of(response *r)
{
    gb_search *const s = &r->search;
    const size_t n = r->n, all = 2 * n;
    gb_curvature *const c = gb_tape_keep(s->tape, sizeof *c);
    double *const numbers = gb_tape_keep(s->tape, (n * n + 3 * n) * sizeof *numbers), *const room =
                                                                                          gb_search_numbers(
                                                                                              s, all * all);
    if (!c || !numbers || !room)
        return NULL;
    double *const sd = numbers + n, *const of_q = sd + n, *const covariance = of_q + n;
    const double gain = gain_of(r, room);
    if (!gb_dense_factor(all, r->minus, r->minus)) {
        is_rejected(
            r, GB_ENONFINITE,
            "the Hessian of the ELBO is not negative definite: q is at a saddle, or the ELBO is flat there",
            "");
        return NULL;
    }
    gb_dense_inverse(all, r->minus, r->minus, room);
    for (size_t i = 0; i < n; i++) {
        memcpy(covariance + i * n, r->minus + i * all, n * sizeof *covariance);
        sd[i] = sqrt(covariance[i * (n + 1)]);
        of_q[i] = gb_member_sd(&s->family, &r->given, i);
    }
    memcpy(numbers, r->given.mean, n * sizeof *numbers);
    *c = (gb_curvature){.density = s->density,
                        .count = n,
                        .mean = numbers,
                        .sd = sd,
                        .covariance = covariance,
                        .sd_of_q = of_q,
                        .gain = gain,
                        .log_evidence = NAN,
                        .gradients = s->gradients};
    return c;
}

/* ---- the whole ---- */

static bool family_fits(response *r)
{
    const gb_search *const s = &r->search;
    if (!s->density)
        return is_rejected(r, GB_EARGUMENT, "it is for gb_mean_field: ", s->words);
    for (size_t k = 0; k < s->family.groups; k++)
        if (s->family.group[k].form == GB_GROUP_TRIANGLE && s->family.group[k].count > 1)
            return is_rejected(r, GB_EARGUMENT,
                               "it is for gb_mean_field, whose covariances are missing, and not for "
                               "gb_full_rank: latent ",
                               s->family.group[k].name);
    if (s->n <= MOST)
        return true;
    gb_fail(s->tape, GB_EARGUMENT, "linear_response: there are %zu free numbers, and at most %d are taken",
            s->n, MOST);
    return false;
}

static const gb_curvature *respond(response *r, const gb_linear_response_options *o)
{
    gb_search *const s = &r->search;
    if (gb_error(s->tape) != GB_OK || !family_fits(r))
        return NULL;
    const size_t n = r->n = s->n, most = o->draws > 0 ? (size_t)o->draws : USUAL,
                 count = most > 4 * n ? (most + 1) / 2 * 2 : 4 * n;
    r->given = gb_member_new(&s->family, &s->arena);
    r->minus = gb_search_numbers(s, 4 * n * n);
    r->scale = gb_search_numbers(s, n);
    if (!r->given.mean || !r->minus || !r->scale) {
        gb_fail(s->tape, GB_ENOMEM, "linear_response: out of memory for %zu numbers", n);
        return NULL;
    }
    gb_member_copy(&s->family, &s->best, &r->given);
    if (!gb_search_optimum(s, count, &r->draws)) {
        if (gb_error(s->tape) == GB_OK)
            is_rejected(r, GB_ENONFINITE, "no optimum was found near q: ", s->words);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        r->scale[i] = gb_member_sd(&s->family, &s->best, i);
    return is_optimal(r) && find_hessian(r, count) ? covariance_of(r) : NULL;
}

const gb_curvature *gb_linear_response_with(gb_elbo *e, const gb_linear_response_options *options)
{
    gb_linear_response_options own;
    response r = {0};
    if (!e || gb_error(e->tape) != GB_OK ||
        !gb_options_take(e->tape, "linear_response", &own, sizeof own, options))
        return NULL;
    if (own.draws < 0) {
        gb_fail(e->tape, GB_EARGUMENT, "linear_response: .draws is %lld, and may not be negative",
                (long long)own.draws);
        return NULL;
    }
    const gb_fit_options o = {.size = sizeof o, .data = own.data, .seed = own.seed};
    gb_search_begin(&r.search, e, &o);
    const gb_curvature *const c = respond(&r, &own);
    gb_memory_release(&r.search.memory, r.draws);
    gb_search_end(&r.search);
    return c;
}
