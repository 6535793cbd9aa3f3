/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/search/search_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/ground/clock_impl.h"
#include "core/team.h"
#include "fitting/nuts/random_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/training/fit_impl.h"

/* Draws of few numbers are cheap. */
enum { FEW_NUMBERS = 50, MANY_DRAWS = 65536 };

void gb_search_density(gb_search *s, gb_density *density, uint64_t seed)
{
    gb_tape *const tape = gb_density_tape(density);
    *s = (gb_search){.tape = tape,
                     .memory = gb_tape_memory(tape),
                     .density = density,
                     .n = gb_density_count(density),
                     .seed = seed ? seed : gb_tape_seed(tape),
                     .most_gradients = 20000000,
                     .most_draws = 16384,
                     .noise = gb_tape_real(tape) == GB_FLOAT ? 1e-5 : 2e-12,
                     .elbo = NAN,
                     .error = NAN,
                     .end = GB_FIT_ERROR,
                     .shown = -1,
                     .began = gb_seconds()};
    s->arena.memory = &s->memory;
}

bool gb_search_is_long(const gb_batches *data, size_t numbers)
{
    return gb_batches_count(data) > GB_SEARCH_BATCHES &&
           (double)gb_batches_rows(data) * (double)numbers > GB_SEARCH_WORK;
}

bool gb_search_begin(gb_search *s, gb_elbo *e, const gb_fit_options *o)
{
    gb_search_density(s, NULL, 0);
    s->tape = e->tape;
    s->memory = gb_tape_memory(s->tape);
    s->model = e;
    s->data = o->data;
    s->part_of_data = o->part_of_data;
    s->seed = o->seed ? o->seed : gb_tape_seed(s->tape);
    s->seconds = o->seconds;
    s->stop = o->stop;
    s->noise = gb_tape_real(s->tape) == GB_FLOAT ? 1e-5 : 2e-12;
    s->most_gradients = o->gradients > 0 ? o->gradients : s->most_gradients;
    const char *const why = gb_normals_of(e, &s->arena, &s->family);
    if (gb_error(s->tape) != GB_OK)
        return false;
    if (!why) {
        gb_fail(s->tape, GB_ENOMEM, "fit: out of memory");
        return false;
    }
    if (!why[0] && gb_search_is_long(o->data, s->family.n)) {
        snprintf(
            s->words, sizeof s->words,
            "the data are %lld rows in %lld batches; all of them for each gradient take up to %d batches, "
            "or %d rows for %zu numbers",
            (long long)gb_batches_rows(o->data), (long long)gb_batches_count(o->data), GB_SEARCH_BATCHES,
            GB_SEARCH_WORK / (int)s->family.n, s->family.n);
        return false;
    }
    if (why[0]) {
        snprintf(s->words, sizeof s->words, "%s", why);
        return false;
    }
    s->density = gb_density_new(e, .data = o->data, .points_by_height = true);
    if (!s->density) {
        if (gb_error(s->tape) != GB_ENOMEM) {
            snprintf(s->words, sizeof s->words, "%s", gb_error_text(s->tape));
            gb_forgive(s->tape);
        }
        return false;
    }
    s->n = s->family.n;
    s->most_draws = o->draws > 0 ? o->draws : s->n <= FEW_NUMBERS ? MANY_DRAWS : s->most_draws;
    s->best = gb_member_new(&s->family, &s->arena);
    s->given = gb_member_new(&s->family, &s->arena);
    s->own = gb_search_numbers(s, s->n);
    if (!s->best.mean || !s->given.mean || !s->own) {
        gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", s->n);
        return false;
    }
    if (gb_member_read(&s->family, &s->best) != GB_OK)
        return false;
    gb_member_copy(&s->family, &s->best, &s->given);
    for (size_t i = 0; i < s->n; i++)
        s->own[i] = gb_member_sd(&s->family, &s->best, i) + fabs(s->best.mean[i]);
    return true;
}

bool gb_search_branch(gb_search *s, const gb_search *from, const double *mean)
{
    *s = *from;
    s->arena = (gb_arena){.memory = &s->memory};
    s->best = gb_member_new(&s->family, &s->arena);
    s->words[0] = '\0';
    if (!s->best.mean)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", s->n) == GB_OK;
    gb_member_copy(&s->family, &from->best, &s->best);
    memcpy(s->best.mean, mean, s->n * sizeof *mean);
    return true;
}

const double *gb_search_starts(gb_search *s, const double *first)
{
    double *const starts = gb_search_numbers(s, GB_SEARCH_STARTS * s->n);
    if (!starts)
        return NULL;
    memcpy(starts, first, s->n * sizeof *starts);
    for (size_t k = 1; k < GB_SEARCH_STARTS; k++) {
        gb_random random = gb_random_of(s->seed, 1000 + k);
        for (size_t i = 0; i < s->n; i++)
            starts[k * s->n + i] = 4 * gb_random_uniform(&random) - 2;
    }
    return starts;
}

void gb_search_end(gb_search *s)
{
    gb_arena_free(&s->arena);
}

double *gb_search_numbers(gb_search *s, size_t count)
{
    double *const numbers = gb_arena_take(&s->arena, (count + 1) * sizeof *numbers);
    if (!numbers)
        gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", count);
    return numbers;
}

bool gb_search_stop(gb_search *s, gb_fit_end end, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(s->words, sizeof s->words, format, list);
    va_end(list);
    s->end = end;
    return false;
}

bool gb_search_goes_on(gb_search *s, double elbo)
{
    const double now = gb_seconds() - s->began;
    /* Members of a team have other clocks. */
    const bool is_late = gb_tape_any(s->tape, s->seconds > 0 && now >= s->seconds),
               is_due = gb_tape_any(s->tape, now - s->shown >= 0.1),
               is_stopped = gb_fit_is_stopped(s->tape, s->stop);
    if (gb_error(s->tape) != GB_OK)
        return false;
    s->is_limited = true;
    if (s->gradients >= s->most_gradients)
        return gb_search_stop(s, GB_FIT_UNFINISHED, "not converged: the limit of %lld gradients was reached",
                              (long long)s->most_gradients);
    if (is_late)
        return gb_search_stop(s, GB_FIT_UNFINISHED, "not converged: the limit of %g seconds was reached",
                              s->seconds);
    if (is_stopped)
        return gb_search_stop(s, GB_FIT_CALLBACK, "not converged: the fit was stopped");
    const gb_fit_point point = {.step = (uint64_t)s->gradients,
                                .elbo = elbo,
                                .error = NAN,
                                .gradient_norm = NAN,
                                .seconds = now,
                                .validation = NAN,
                                .validation_error = NAN};
    s->is_limited = false;
    if (!is_due)
        return true;
    s->shown = now;
    s->is_limited = true;
    if (s->each && !s->each(s->user, &point))
        return gb_search_stop(s, GB_FIT_CALLBACK, "not converged: the callback ended the fit");
    s->is_limited = false;
    return gb_error(s->tape) == GB_OK;
}

bool gb_search_evaluate(gb_search *s, size_t points, const double *z, double *log_p, double *gradient)
{
    s->gradients += (int64_t)points;
    return gb_density_evaluate(s->density, points, z, log_p, gradient, NULL) == GB_OK;
}

const char *gb_search_reason(gb_search *s, const double *z, char reason[GB_SEARCH_WORDS])
{
    snprintf(reason, GB_SEARCH_WORDS, "log p is not finite there");
    if (gb_error(s->tape) != GB_OK || gb_density_explain(s->density, z) == GB_OK ||
        gb_error(s->tape) == GB_ENOMEM)
        return reason;
    snprintf(reason, GB_SEARCH_WORDS, "%s", gb_error_text(s->tape));
    gb_forgive(s->tape);
    return reason;
}

static bool has_hessian(gb_search *s, const double *z, double *room)
{
    if (s->lacks_hessian || gb_error(s->tape) != GB_OK)
        return false;
    if (gb_density_hessian(s->density, z, room) == GB_OK)
        return true;
    if (gb_error(s->tape) == GB_EGRADIENT) {
        s->lacks_hessian = true;
        gb_forgive(s->tape);
    }
    return false;
}

bool gb_search_precision(gb_search *s, size_t points, const double *z, double *precision)
{
    const size_t n = s->n;
    double *const one = gb_memory_resize(&s->memory, NULL, (n * n + 1) * sizeof *one);
    bool good = one != NULL;
    if (!one)
        gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for a Hessian");
    memset(precision, 0, n * n * sizeof *precision);
    for (size_t i = 0; i < points && good; i++) {
        good = has_hessian(s, z + i * n, one);
        s->gradients += (int64_t)n;
        for (size_t k = 0; k < n * n && good; k++)
            precision[k] -= one[k] / (double)points;
    }
    for (size_t k = 0; k < n * n && good; k++)
        good = isfinite(precision[k]);
    gb_memory_release(&s->memory, one);
    return good;
}

bool gb_search_project(gb_search *s, const double *mean, const double *precision)
{
    const size_t n = s->n;
    const gb_member member = gb_member_new(&s->family, &s->arena);
    double *const room = gb_memory_resize(&s->memory, NULL, (2 * n * n + 1) * sizeof *room);
    bool good = member.mean && room;
    if (!good)
        gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for a covariance");
    good = good && gb_member_project(&s->family, precision, room, &member);
    if (good) {
        memcpy(member.mean, mean, n * sizeof *mean);
        gb_member_copy(&s->family, &member, &s->best);
    }
    gb_memory_release(&s->memory, room);
    return good;
}

bool gb_search_elbo(gb_search *s, const gb_member *m, uint64_t stream, size_t count, double *elbo,
                    double *error)
{
    const size_t n = s->n;
    gb_random random = gb_random_of(s->seed, stream);
    double *const draws = gb_memory_resize(&s->memory, NULL, (2 * n + 1) * count * sizeof *draws);
    if (!draws)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu draws", count) == GB_OK;
    double *const z = draws + n * count, *const log_p = z + n * count;
    for (size_t i = 0; i < n * count; i++)
        draws[i] = gb_random_normal(&random);
    gb_member_place(&s->family, m, count, draws, z);
    const bool good = gb_search_evaluate(s, count, z, log_p, NULL);
    const double log_tau = 1.83787706640934548356; /* log 2π */
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count && good; i++) {
        double norm = 0;
        for (size_t k = 0; k < s->family.groups; k++) {
            const gb_group *const g = &s->family.group[k];
            for (size_t j = 0; j < g->count && g->form != GB_GROUP_POINT; j++)
                norm += draws[i * n + g->first + j] * draws[i * n + g->first + j];
        }
        const double x = log_p[i] + norm / 2, d = x - mean;
        mean += d / (double)(i + 1);
        squares += d * (x - mean);
    }
    *elbo = mean + gb_member_log_volume(&s->family, m) + (double)s->family.scaled * log_tau / 2;
    *error = sqrt(squares / (double)(count - 1) / (double)count);
    if (isnan(*elbo))
        *elbo = -INFINITY;
    gb_memory_release(&s->memory, draws);
    return good;
}

gb_density *gb_search_judged(gb_search *s, gb_batches *data, bool *is_long)
{
    gb_density *const density =
        s->density && s->family.scaled == s->n ? s->density : gb_density_new(s->model, .data = data);
    *is_long = density && gb_search_is_long(data, gb_density_count(density));
    return density;
}
