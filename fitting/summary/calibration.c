/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulation-based calibration, and VSBC. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/kernels/noise_impl.h"
#include "fitting/calibration.h"
#include "models/elbo/elbo_impl.h"
#include "ops/special/gamma_impl.h"

typedef struct own {
    gb_calibration shown; /* first: gb_calibration_free gets a pointer to it */
    gb_memory memory;
    gb_calibrate_options options;
    gb_calibrated *parameter;
    size_t *ranks; /* [parameter][simulation] */
    char *names;
    double *truth, *z, *value;
    size_t *bin;
    size_t free; /* numbers of a draw */
} own;

static gb_status fail(own *c, gb_status status, const char *format, ...) GB_PRINTF(3, 4);
static gb_status fail(own *c, gb_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->shown.words, sizeof c->shown.words, format, arguments);
    va_end(arguments);
    return c->shown.status = status;
}

/* ---- statistics ---- */

/* P(a χ² of `bins` − 1 degrees of freedom is not below it). */
static void test_uniform(own *c, gb_calibrated *p)
{
    const size_t each = (c->shown.draws + 1) / c->shown.bins;
    const double expected = (double)c->shown.simulations / (double)c->shown.bins;
    memset(c->bin, 0, c->shown.bins * sizeof *c->bin);
    for (size_t i = 0; i < c->shown.simulations; i++)
        c->bin[p->ranks[i] / each]++;
    p->chi2 = 0;
    for (size_t b = 0; b < c->shown.bins; b++)
        p->chi2 += ((double)c->bin[b] - expected) * ((double)c->bin[b] - expected) / expected;
    p->p = gb_gamma_q_at((double)(c->shown.bins - 1) / 2, p->chi2 / 2);
}

/* The largest distance between the distributions of ranks r and of draws − r, from counts of each rank. */
static double distance(const own *c, const size_t *counts)
{
    const size_t draws = c->shown.draws;
    double sum = 0, most = 0;
    for (size_t r = 0; r <= draws; r++) {
        sum += ((double)counts[r] - (double)counts[draws - r]) / (double)c->shown.simulations;
        most = fmax(most, fabs(sum));
    }
    return most;
}

/* If errors are symmetric, each rank may as well be its reflection: the exact distribution of the distance,
 * by random reflections. */
static void test_symmetry(own *c, gb_calibrated *p, size_t *counts, uint64_t key)
{
    enum { REFLECTIONS = 999 };
    const size_t draws = c->shown.draws;
    size_t as_much = 0;
    uint64_t number = 0;
    for (size_t k = 0; k <= REFLECTIONS; k++) {
        memset(counts, 0, (draws + 1) * sizeof *counts);
        for (size_t i = 0; i < c->shown.simulations; i++) {
            const bool is_reflected = k > 0 && (gb_noise_mix(key + number++) & 1);
            counts[is_reflected ? draws - p->ranks[i] : p->ranks[i]]++;
        }
        const double d = distance(c, counts);
        if (k == 0)
            p->asymmetry = d;
        else
            as_much += d >= p->asymmetry - 1e-12;
    }
    p->asymmetry_p = (double)(as_much + 1) / (REFLECTIONS + 1);
}

static void describe(const own *c, gb_calibrated *p)
{
    const double count = (double)c->shown.simulations, draws = (double)c->shown.draws;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < c->shown.simulations; i++)
        sum += (double)p->ranks[i] / draws / count;
    for (size_t i = 0; i < c->shown.simulations; i++) {
        const double d = (double)p->ranks[i] / draws - sum;
        squares += d * d / (count - 1);
    }
    p->mean = sum;
    p->dispersion = 12 * squares * draws / (draws + 2); /* ranks are whole numbers */
}

/* ---- simulations ---- */

static bool fits(own *c, gb_density *d)
{
    if (gb_density_value_count(d) != c->shown.parameters)
        fail(c, GB_EARGUMENT, "the latents have %zu values, and .parameters is %zu",
             gb_density_value_count(d), c->shown.parameters);
    else if (c->z && gb_density_count(d) != c->free)
        fail(c, GB_EARGUMENT,
             "the latents have %zu free numbers, and those of the first simulation had %zu: all simulations "
             "must have the same model",
             gb_density_count(d), c->free);
    else if (!c->z) {
        c->free = gb_density_count(d);
        c->z = gb_memory_resize(&c->memory, NULL, c->shown.draws * c->free * sizeof *c->z + 1);
    }
    if (c->shown.status == GB_OK && !c->z)
        fail(c, GB_ENOMEM, "out of memory for %zu draws", c->shown.draws);
    return c->shown.status == GB_OK;
}

static void rank(own *c, size_t number, gb_density *d)
{
    const size_t n = c->shown.parameters;
    for (size_t i = 0; i < n; i++) {
        size_t below = 0;
        for (size_t s = 0; s < c->shown.draws; s++)
            below += c->value[s * n + i] < c->truth[i];
        c->ranks[i * c->shown.simulations + number] = below;
        if (number == 0)
            gb_density_value_name(d, i, c->names + i * GB_DENSITY_TEXT);
    }
}

static bool simulate(own *c, size_t number)
{
    gb_tape_options options = c->options.tape ? *c->options.tape : (gb_tape_options){.size = sizeof options};
    options.seed = gb_noise_mix(c->options.seed + number) | 1;
    if (options.size == 0)
        return fail(c, GB_EARGUMENT, ".tape has no size: set .size = sizeof(gb_tape_options)") == GB_OK;
    gb_tape *const tape = gb_tape_new_with(&options);
    if (!tape)
        return fail(c, GB_ENOMEM, "no tape for simulation %zu", number) == GB_OK;
    for (size_t i = 0; i < c->shown.parameters; i++)
        c->truth[i] = (double)NAN;
    gb_elbo *const e = c->options.make(c->options.user, tape, number, c->truth);
    if (e && e->tape != tape)
        fail(c, GB_EARGUMENT, "simulation %zu: make returned an ELBO of another tape", number);
    gb_density *const d = e && c->shown.status == GB_OK ? gb_density_new(e) : NULL;
    if (d && fits(c, d) && gb_density_draw(d, 1, c->shown.draws, c->z, NULL) == GB_OK &&
        gb_density_values(d, c->shown.draws, c->z, c->value) == GB_OK)
        rank(c, number, d);
    if (c->shown.status == GB_OK && gb_error(tape) != GB_OK)
        fail(c, gb_error(tape), "simulation %zu: %s", number, gb_error_text(tape));
    else if (c->shown.status == GB_OK && !d)
        fail(c, GB_EARGUMENT, "simulation %zu: make returned no ELBO", number);
    for (size_t i = 0; i < c->shown.parameters && c->shown.status == GB_OK; i++)
        if (isnan(c->truth[i]))
            fail(c, GB_EARGUMENT, "simulation %zu: make did not write parameter %zu", number, i);
        else if (isinf(c->truth[i]))
            fail(c, GB_EARGUMENT, "simulation %zu: make wrote %g as parameter %zu, and it must be finite",
                 number, c->truth[i], i);
    gb_tape_free(tape);
    return c->shown.status == GB_OK;
}

/* ---- the whole ---- */

static void release(own *c)
{
    const gb_memory memory = c->memory;
    void *const blocks[] = {c->parameter, c->ranks, c->names, c->truth, c->z, c->value, c->bin, c};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gb_memory_release(&memory, blocks[i]);
}

void gb_calibration_free(gb_calibration *calibration)
{
    if (calibration)
        release((void *)calibration);
}

static bool options_fit(own *c)
{
    const gb_calibration *const s = &c->shown;
    if (!c->options.make || s->parameters == 0)
        fail(c, GB_EARGUMENT, ".make and .parameters are required");
    else if (s->simulations < 10 || s->simulations > 1 << 24 || s->draws > 1 << 24 || s->parameters > 1 << 24)
        fail(c, GB_EARGUMENT,
             "%zu simulations of %zu draws of %zu parameters; at least 10 are needed, and "
             "none may exceed %d",
             s->simulations, s->draws, s->parameters, 1 << 24);
    else if (s->bins < 2 || (s->draws + 1) % s->bins != 0)
        fail(c, GB_EARGUMENT, "%zu draws have %zu ranks, which %zu bins do not share", s->draws, s->draws + 1,
             s->bins);
    return s->status == GB_OK;
}

static bool make_room(own *c)
{
    const size_t n = c->shown.parameters, simulations = c->shown.simulations;
    c->parameter = gb_memory_resize(&c->memory, NULL, n * sizeof *c->parameter);
    c->ranks = gb_memory_resize(&c->memory, NULL, n * simulations * sizeof *c->ranks);
    c->names = gb_memory_resize(&c->memory, NULL, n * GB_DENSITY_TEXT);
    c->truth = gb_memory_resize(&c->memory, NULL, n * sizeof *c->truth);
    c->value = gb_memory_resize(&c->memory, NULL, c->shown.draws * n * sizeof *c->value);
    c->bin = gb_memory_resize(&c->memory, NULL, (c->shown.draws + 1 + c->shown.bins) * sizeof *c->bin);
    if (!c->parameter || !c->ranks || !c->names || !c->truth || !c->value || !c->bin)
        return fail(c, GB_ENOMEM, "out of memory for %zu simulations", simulations) == GB_OK;
    memset(c->parameter, 0, n * sizeof *c->parameter);
    return true;
}

static void judge(own *c)
{
    size_t biased = 0, not_uniform = 0;
    const double n = (double)c->shown.parameters, rare = 0.01 / n; /* one in 100 of all parameters together */
    for (size_t i = 0; i < c->shown.parameters; i++) {
        gb_calibrated *const p = &c->parameter[i];
        p->name = c->names + i * GB_DENSITY_TEXT;
        p->ranks = c->ranks + i * c->shown.simulations;
        test_uniform(c, p);
        test_symmetry(c, p, c->bin, gb_noise_mix(c->options.seed + 0x76736263u + i));
        describe(c, p);
        biased += p->asymmetry_p <= fmax(rare, 0.001);
        not_uniform += p->p < rare;
    }
    if (biased > 0 || not_uniform > 0)
        fail(c, GB_OK, "ranks of %zu of %zu parameters are not uniform, and %zu are biased", not_uniform,
             c->shown.parameters, biased);
}

gb_calibration *gb_calibrate_with(const gb_calibrate_options *given)
{
    gb_calibrate_options options;
    if (!gb_options_copy(&options, sizeof options, given))
        return NULL;
    own *const c = gb_memory_resize(&options.memory, NULL, sizeof *c);
    if (!c)
        return NULL;
    options.seed = options.seed ? options.seed : 1;
    *c = (own){.memory = options.memory, .options = options};
    c->shown.simulations = options.simulations ? options.simulations : 200;
    c->shown.draws = options.draws ? options.draws : 199;
    c->shown.bins = options.bins ? options.bins : 20;
    c->shown.parameters = options.parameters;
    bool good = options_fit(c) && make_room(c);
    for (size_t i = 0; i < c->shown.simulations && good; i++)
        good = simulate(c, i);
    if (good)
        judge(c);
    c->shown.parameter = c->parameter;
    return &c->shown;
}

gb_status gb_calibration_print(const gb_calibration *c, FILE *file)
{
    if (!c || !file)
        return GB_EARGUMENT;
    if (c->words[0])
        fprintf(file, "%s\n", c->words);
    if (c->status == GB_OK)
        fprintf(file, "%zu simulations, %zu draws each\n%-24s %8s %8s %9s %8s %6s %10s\n", c->simulations,
                c->draws, "", "chi2", "p", "asymmetry", "p", "mean", "dispersion");
    for (size_t i = 0; i < c->parameters && c->status == GB_OK; i++) {
        const gb_calibrated *const p = &c->parameter[i];
        fprintf(file, "%-24s %8.3g %8.3g %9.3g %8.3g %6.3f %10.3g\n", p->name, p->chi2, p->p, p->asymmetry,
                p->asymmetry_p, p->mean, p->dispersion);
    }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
