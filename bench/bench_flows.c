/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flows on posteriors that no normal fits: how many of several seeds reach k < 0.7, and how long it takes.
 *
 *     bench_flows [--first N] [--seeds N] [--target NAME] [--family TEXT] [--steps N] [--samples N]
 *                 [--rate X] [--clip X] [--estimator TEXT]
 *
 * Without arguments: coupling and spline on all targets, 20 seeds each from seed --first (1) on. TEXT is that
 * of gb_family_parse, such as "spline:layers=6:bins=8". VERBOSE in the environment prints each seed. All
 * targets are normalised, so the best ELBO is 0. */
#include <grebe/distributions/list.h>
#include <grebe/estimators/list.h>
#include <grebe/fitting/fit.h>
#include <grebe/fitting/judge.h>
#include <grebe/ops/array.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/reduce.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

/* ---- targets ---- */

enum { FUNNEL = 10 };

/* Neal's funnel: v ~ N(0, 3²), and the other numbers N(0, e^v). */
static gb_node funnel(gb_node z, int64_t neck)
{
    gb_tape *const t = z.tape;
    const gb_node zero = gb_num(t, 0), v = gb_at(z, neck);
    const gb_node others = neck ? gb_slice(z, 0, 0, FUNNEL - 1) : gb_slice(z, 0, 1, FUNNEL);
    return gb_add(gb_log_prob(gb_normal(zero, gb_num(t, 3)), v),
                  gb_sum(gb_log_prob(gb_normal(zero, gb_exp(gb_scale(v, 0.5))), others)));
}

static gb_node neck_first(gb_node z)
{
    return funnel(z, 0);
}

static gb_node neck_last(gb_node z)
{
    return funnel(z, FUNNEL - 1);
}

/* x ~ N(0, 1), and y ~ N(x² / 2, ½²). */
static gb_node banana(gb_node z)
{
    gb_tape *const t = z.tape;
    const gb_node x = gb_at(z, 0), zero = gb_num(t, 0);
    return gb_add(gb_log_prob(gb_normal(zero, gb_num(t, 1)), x),
                  gb_log_prob(gb_normal(gb_scale(gb_square(x), 0.5), gb_num(t, 0.5)), gb_at(z, 1)));
}

typedef struct target {
    const char *name;
    int64_t numbers;
    gb_node (*log_density)(gb_node z);
} target;

static const target targets[] = {{"funnel of 10, neck first", FUNNEL, neck_first},
                                 {"funnel of 10, neck last", FUNNEL, neck_last},
                                 {"banana", 2, banana}};

/* ---- one training ---- */

typedef struct settings {
    const char *target, *family;
    gb_estimator estimator;
    int64_t first, seeds, steps, samples;
    double rate, clip;
} settings;

static gb_judgement *trained(const settings *s, const target *to, gb_family family, gb_tape *t)
{
    family.shape = gb_shape(to->numbers);
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = s->samples);
    const gb_node z = gb_latent(e, "z", family, gb_no_prior, s->estimator);
    gb_factor(e, "target", to->log_density(z));
    const gb_schedule schedule = gb_warm_up(500, gb_cosine((double)s->steps - 500, .end = 0.01));
    gb_fit(e, .optimiser = gb_adam(.lr = s->rate, .schedule = schedule), .steps = s->steps,
           .clip_norm = s->clip);
    gb_judgement *const j = gb_judge(e);
    gb_bench_need(j, t, to->name);
    return j;
}

static double now(void)
{
    struct timespec at;
    timespec_get(&at, TIME_UTC);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void compare(const settings *s, const target *to, const char *text)
{
    gb_family family;
    char error[200], what[200];
    gb_bench_need(gb_family_parse(text, &family, error, sizeof error), NULL, text);
    double worst = -INFINITY, elbo = 0, seconds = 0;
    int64_t good = 0;
    for (int64_t seed = s->first; seed < s->first + s->seeds; seed++) {
        gb_tape *const t = gb_tape_new(.seed = (uint64_t)seed, .threads = 1);
        const double before = now();
        gb_judgement *const j = trained(s, to, family, t);
        seconds += now() - before;
        good += j->weights.k < 0.7;
        worst = fmax(worst, j->weights.k);
        elbo += j->elbo;
        if (getenv("VERBOSE"))
            fprintf(stderr, "    seed %lld: k %.2f, elbo %.3f, %s\n", (long long)seed, j->weights.k, j->elbo,
                    gb_verdict_text(j->verdict));
        gb_judgement_free(j);
        gb_tape_free(t);
    }
    snprintf(what, sizeof what, "%s, %s", to->name, text);
    gb_bench_row(what, "19 of 20", gb_bench_passes(20 * good >= 19 * s->seeds),
                 "k < 0.7 in %lld of %lld seeds; largest %.2f; ELBO %.3f; %.1f s each", (long long)good,
                 (long long)s->seeds, worst, elbo / (double)s->seeds, seconds / (double)s->seeds);
}

static const char *argument(int count, char **words, const char *name, const char *fallback)
{
    for (int i = 1; i + 1 < count; i += 2)
        if (strcmp(words[i], name) == 0)
            return words[i + 1];
    return fallback;
}

int main(int count, char **words)
{
    char error[200];
    settings s = {.target = argument(count, words, "--target", ""),
                  .family = argument(count, words, "--family", NULL),
                  .first = atoll(argument(count, words, "--first", "1")),
                  .seeds = atoll(argument(count, words, "--seeds", "20")),
                  .steps = atoll(argument(count, words, "--steps", "4000")),
                  .samples = atoll(argument(count, words, "--samples", "64")),
                  .rate = atof(argument(count, words, "--rate", "0.01")),
                  .clip = atof(argument(count, words, "--clip", "10"))};
    const char *const estimator = argument(count, words, "--estimator", "sticking_the_landing");
    gb_bench_need(gb_estimator_parse(estimator, &s.estimator, error, sizeof error), NULL, estimator);
    gb_bench_begin("flows");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (!strstr(targets[i].name, s.target))
            continue;
        compare(&s, &targets[i], s.family ? s.family : "coupling");
        if (!s.family)
            compare(&s, &targets[i], "spline");
    }
    return 0;
}
