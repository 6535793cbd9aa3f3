/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The toys of REBAR (Tucker et al. 2017, t = 0.45) and RELAX (Grathwohl et al. 2018, t = 0.499): the cost (b
 * − t)² of one bit. The variance of the gradient in its logit φ, exactly and measured; and how many steps a
 * training takes. */
#include <math.h>

#include "one_bit.h"
#include "results.h"

enum { DRAWS = 20000, SEEDS = 20, STEPS = 20000, PHIS = 25 };
static const double targets[] = {0.45, 0.499}, first_phi = -6, phi_step = 0.5, near = 0.01, rate = 0.01;

/* ---- estimators, and their exact variances ---- */

static double none(const one_bit *bit)
{
    (void)bit;
    return 0;
}

typedef enum learned { NOTHING, ETA, ETA_AND_TEMPERATURE } learned;

static const struct way {
    const char *name;
    double (*baseline)(const one_bit *bit); /* of the score function; NULL: another estimator */
    const char *text;                       /* of that; NULL: grebe has none, and it is not measured */
    double (*exact)(const one_bit *bit);    /* its variance; NULL: it is REBAR */
    learned learns;
    bool coupled;
    bool trains; /* does not know the exact gradient */
} ways[] = {
    {"score", .baseline = none, .trains = true},
    {"score, mean cost", .baseline = one_bit_mean_cost},
    {"score, best constant", .baseline = one_bit_best_baseline},
    {"ARM", .text = "arm", .exact = one_bit_arm, .trains = true},
    {"DisARM", .text = "disarm", .exact = one_bit_disarm, .trains = true},
    {"REBAR", .text = "rebar", .trains = true},
    {"REBAR, η learned", .text = "rebar:learn", .learns = ETA, .trains = true},
    {"REBAR, η, τ learned", .text = "rebar:learn:learn_temperature", .learns = ETA_AND_TEMPERATURE,
     .trains = true},
    /* Its surrogate can learn a constant, and the best one leaves no variance. */
    {"RELAX", .text = "relax", .exact = none, .trains = true},
    {"exact", .text = "enumerate", .exact = none, .trains = true},
    {"REBAR, coupled", .coupled = true},
    {"REBAR, coupled, η learned", .coupled = true, .learns = ETA},
    {"REBAR, coupled, η, τ learned", .coupled = true, .learns = ETA_AND_TEMPERATURE},
};

enum { WAYS = sizeof ways / sizeof *ways };

static bool is_measured(const struct way *way)
{
    return way->baseline || way->text;
}

static gb_estimator estimator_of(const struct way *way, const one_bit *bit)
{
    gb_estimator estimator = gb_score();
    if (way->baseline)
        return gb_score(.baseline = gb_constant_baseline(way->baseline(bit)));
    gb_estimator_parse(way->text, &estimator, NULL, 0);
    return estimator;
}

/* What is learned takes costs relative to their mean, as gb_rebar does. */
static double rebar_variance(const struct way *way, const one_bit *bit)
{
    const one_bit_rebar how = {.temperature = 0.5,
                               .level = way->learns == NOTHING ? 0 : one_bit_mean_cost(bit),
                               .coupled = way->coupled};
    if (way->learns == ETA_AND_TEMPERATURE)
        return one_bit_rebar_best(bit, &how);
    const one_bit_quadratic v = one_bit_rebar_of(bit, &how);
    return one_bit_at(v, way->learns == ETA ? one_bit_best_eta(v) : 1);
}

static double exact_of(const struct way *way, const one_bit *bit)
{
    return way->baseline ? one_bit_score(bit, way->baseline(bit))
           : way->exact  ? way->exact(bit)
                         : rebar_variance(way, bit);
}

/* ---- variances ---- */

static gb_comparison *compare(const results *r, const one_bit *bit)
{
    gb_estimator estimator[WAYS];
    size_t count = 0;
    for (size_t i = 0; i < WAYS; i++)
        if (is_measured(&ways[i]))
            estimator[count++] = estimator_of(&ways[i], bit);
    return gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = count,
                      .estimator = estimator, .settings = 2,
                      .setting = (gb_compare_setting[]){{"phi", bit->phi}, {"t", bit->t}},
                      .draws = r->draws > 0 ? r->draws : DRAWS, .threads = 1, .seed = 1);
}

static bool add_variances(const results *r, const one_bit *bit)
{
    const double began = results_begin();
    gb_comparison *const c = compare(r, bit);
    bool good = gb_comparison_has_results(c);
    if (!good)
        fprintf(stderr, "toys: %s\n", c ? c->error : "no memory");
    for (size_t i = 0, at = 0; good && i < WAYS; i++) {
        char key[200];
        double numbers[] = {exact_of(&ways[i], bit), NAN, NAN, NAN};
        if (is_measured(&ways[i])) {
            const gb_measured *const m = &c->estimator[at++].parameter[0];
            numbers[1] = m->variance;
            numbers[2] = m->variance_stderr;
            numbers[3] = m->z;
        }
        snprintf(key, sizeof key, "%g\t%g\t%s\t", bit->t, bit->phi, ways[i].name);
        good = results_add(r, "toys", key, 4, numbers, began);
    }
    gb_comparison_free(c);
    return good;
}

static bool variances(const results *r, double t)
{
    bool good = true;
    const int64_t most = r->splits > 0 ? r->splits : PHIS;
    for (int64_t k = 0; good && k < most; k++) {
        const one_bit bit = {first_phi + phi_step * (double)k, t};
        char key[200];
        snprintf(key, sizeof key, "%g\t%g\t%s\t", bit.t, bit.phi, ways[WAYS - 1].name);
        good = results_has(r, "toys", key) || add_variances(r, &bit);
    }
    return good;
}

/* ---- trainings ---- */

/* Trains from φ = 0 by Adam, as the program of RELAX does, until the probability is near its best value 0.
 * Stores the steps, NaN if there are too many, and the probability. */
static bool train(const results *r, double t, const struct way *way, uint64_t seed, double numbers[2])
{
    const one_bit start = {0, t};
    const int64_t most = r->epochs > 0 ? r->epochs : STEPS;
    gb_replicates replicates;
    double phi = 0;
    const gb_replicate_plan plan = {.problem = gb_problem_find("bernoulli-toy"),
                                    .setting = {0, t},
                                    .estimator = estimator_of(way, &start),
                                    .rate = rate,
                                    .seed = seed,
                                    .threads = 1};
    bool good = gb_replicates_begin(&replicates, &plan);
    numbers[0] = NAN;
    for (int64_t step = 1; good && isnan(numbers[0]) && step <= most; step++) {
        good = gb_replicates_run(&replicates, NULL) && gb_replicates_get(&replicates, &phi);
        if (good && one_bit_chance(&(one_bit){phi, t}) < near)
            numbers[0] = (double)step;
    }
    numbers[1] = one_bit_chance(&(one_bit){phi, t});
    if (!good)
        gb_complain(replicates.trial.tape, stderr);
    gb_replicates_end(&replicates);
    return good;
}

static bool race(const results *r, double t)
{
    bool good = true;
    for (size_t i = 0; i < WAYS; i++)
        for (uint64_t seed = 1; good && ways[i].trains && seed <= (r->splits > 0 ? 1 : SEEDS); seed++) {
            char key[200];
            snprintf(key, sizeof key, "%g\t%s\t%d\t", t, ways[i].name, (int)seed);
            if (results_has(r, "toys_race", key))
                continue;
            double numbers[2];
            const double began = results_begin();
            good =
                train(r, t, &ways[i], seed, numbers) && results_add(r, "toys_race", key, 2, numbers, began);
        }
    return good;
}

bool results_toys(const results *r)
{
    bool good = true;
    for (size_t i = 0; good && i < sizeof targets / sizeof *targets; i++) {
        char name[20];
        snprintf(name, sizeof name, "%g", targets[i]);
        good = !results_wants(r, name) || (variances(r, targets[i]) && race(r, targets[i]));
    }
    return good;
}
