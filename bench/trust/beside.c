/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times beside those of Stan (stan.R, in one table), and standard deviations by linear response. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "beside.h"

#include <grebe/fitting/method.h>

/* ---- times ---- */

/* Of all threads. */
static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct method {
    const char *name;
    trust_family family;
    gb_fit_options options;
} method;

static const method methods[] = {
    {"gb_fit, mean field", TRUST_MEAN_FIELD, {.size = sizeof(gb_fit_options)}},
    {"gb_fit, full rank", TRUST_FULL_RANK, {.size = sizeof(gb_fit_options)}},
    {"gb_fit, full rank, unjudged", TRUST_FULL_RANK, {.size = sizeof(gb_fit_options), .unjudged = true}},
    {"gb_fit, Laplace, unjudged",
     TRUST_FULL_RANK,
     {.size = sizeof(gb_fit_options), .method = GB_FIT_LAPLACE, .unjudged = true}}};

static void report(FILE *file, const trust_job *job, const char *name, uint64_t seed, double seconds,
                   const char *says, double ess, size_t count, const trust_number *q,
                   const trust_reference *r)
{
    trust_gap g = {.mean = INFINITY, .sd = INFINITY};
    if (count == r->count)
        g = trust_compare(count, q, r->number);
    fprintf(file, "%s\t%s\t%llu\t%.4g\t%s\t%.4g\t%.4g\t%.4g\n", job->name, name, (unsigned long long)seed,
            seconds, says, g.mean, g.sd, ess / seconds);
}

static bool time_fit(FILE *file, const trust_job *job, const method *by, uint64_t seed,
                     const trust_reference *r)
{
    trust m = {.family = by->family, .x = 1, .y = 1};
    trust_number q[TRUST_NUMBERS];
    const double began = processor_seconds();
    if (!trust_begin(&m, job, seed))
        return false;
    const gb_fit_result fit = gb_fit_with(m.e, &by->options);
    const double seconds = processor_seconds() - began;
    const size_t count = trust_numbers_of_q(&m, q);
    report(file, job, by->name, seed, seconds,
           by->options.unjudged ? (fit.end == GB_FIT_CONVERGED ? "converged" : "not converged")
                                : gb_verdict_text(fit.verdict),
           NAN, count, q, r);
    trust_end(&m);
    return true;
}

/* As Stan's: four chains, one after the other, of 1000 draws after as many of warm-up. */
static bool time_nuts(FILE *file, const trust_job *job, uint64_t seed, const trust_reference *r)
{
    trust m = {.family = TRUST_MEAN_FIELD, .x = 1, .y = 1};
    trust_number q[TRUST_NUMBERS];
    const double began = processor_seconds();
    if (!trust_begin(&m, job, seed))
        return false;
    gb_nuts *const s = gb_sample_nuts(m.e, .seed = seed);
    const double seconds = processor_seconds() - began;
    double least = INFINITY;
    const size_t count = s ? trust_numbers(&m, s->density, s->chains * s->draws, s->z, s->chains, q) : 0;
    for (size_t i = 0; s && i < s->values; i++)
        least = fmin(least, s->convergence[i].ess_bulk);
    char says[64] = "error";
    if (s)
        snprintf(says, sizeof says, "%zu divergences", s->divergences);
    report(file, job, "gb_sample_nuts", seed, seconds, says, least, count, q, r);
    gb_nuts_free(s);
    trust_end(&m);
    return s;
}

bool trust_time(const char *folder, const trust_job *job, uint64_t seed)
{
    char path[512];
    trust_reference r;
    snprintf(path, sizeof path, "%s/beside-grebe.tsv", folder);
    FILE *const file = fopen(path, "a");
    bool good = file && trust_refer(folder, job, &r);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && good; i++)
        good = time_fit(file, job, &methods[i], seed, &r);
    good = good && time_nuts(file, job, seed, &r);
    if (file)
        fclose(file);
    return good;
}

/* ---- linear response ---- */

/* The largest relative distance of standard deviations of free numbers from the reference's. */
static double furthest(const trust_reference *r, const double *sd)
{
    double most = 0;
    for (size_t i = 0; i < r->free; i++)
        most = fmax(most, fabs(sd[i] / r->free_sd[i] - 1));
    return most;
}

bool trust_respond(const char *folder, const trust_job *job, uint64_t seed)
{
    char path[512];
    trust_reference r;
    trust m = {.family = TRUST_MEAN_FIELD, .x = 1, .y = 1};
    snprintf(path, sizeof path, "%s/response.tsv", folder);
    if (!trust_refer(folder, job, &r) || !trust_begin(&m, job, seed))
        return false;
    FILE *const file = fopen(path, "a");
    gb_fit(m.e, .unjudged = true);
    const gb_curvature *const c = gb_linear_response(m.e);
    if (file && c && c->count == r.free)
        fprintf(file, "%s\t%llu\t%.4g\t%.4g\t\n", job->name, (unsigned long long)seed,
                furthest(&r, c->sd_of_q), furthest(&r, c->sd));
    else if (file)
        fprintf(file, "%s\t%llu\tnan\tnan\t%s\n", job->name, (unsigned long long)seed,
                c ? "no reference in free numbers" : gb_error_text(m.t));
    if (file)
        fclose(file);
    trust_end(&m);
    return file;
}
