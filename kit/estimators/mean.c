/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/estimators/mean_impl.h"

#include <math.h>
#include <string.h>

#include "compare/moments.h"
#include "estimators/list.h"
#include "kit/shell/chance_impl.h"

/* The probability that any test of one call fails by chance. */
static const double FAMILY_ERROR = 1e-6;
/* A bias this many standard errors beyond the bound is missed once in a million times. */
static const double MISSED = 4.76;
/* For a reference that is itself a sum over nodes or values. */
static const double ROUNDING = 1e-7;

/* Second gradients of scores have a large variance, and a need that is not met gives a large bias. There only
 * gross faults are looked for. */
static const double MOST = 4e6, MOST_THOROUGH = 1e8, MOST_GROSS = 2e5, MOST_WIDE = 4e4;

/* Estimates that learn are made one by one, which is slow. Each is unbiased given those before it, or is
 * not. Those that learn nothing are made one by one to see whether the share of one sample is missing. */
static const double MOST_LEARNING = 1e5, MOST_ALONE = 5e4, PART_ALONE = 0.25;

enum {
    AT_A_TIME = 1024,
    AT_A_TIME_WIDE = 64,
    PILOT = 20000,
    PILOT_ALONE = 4000,
    PILOT_WIDE = 1000,
    LEARNING_RUNS = 500,
    MOST_ELEMENTS = 256
};

double gb_mean_bound(size_t tests)
{
    return gb_chance_normal(FAMILY_ERROR / (double)(tests > 0 ? tests : 1));
}

gb_replicate_plan gb_check_plan(const gb_check_case *c)
{
    gb_replicate_plan plan = c->plan;
    plan.estimator = c->check->estimator;
    plan.seed = c->check->kit.seed;
    plan.samples = plan.samples ? plan.samples : 2;
    plan.threads = plan.threads ? plan.threads : 1;
    plan.at_a_time = plan.at_a_time ? plan.at_a_time : 1;
    return plan;
}

typedef struct estimates {
    gb_replicates r;
    double exact[MOST_ELEMENTS];
    gb_moments element[MOST_ELEMENTS];
} estimates;

static bool is_gross(const gb_check_case *c)
{
    return c->gross || c->wide || c->plan.second || c->statement == GB_ON_NEEDS;
}

static bool draw(estimates *e, double count)
{
    while (e->element[0].count < count) {
        if (!gb_replicates_run(&e->r, NULL))
            return false;
        for (size_t j = 0; j < e->r.elements; j++) {
            size_t stride;
            const double *const x = gb_replicates_element(&e->r, j, &stride);
            gb_moments_add(&e->element[j], (size_t)e->r.plan.at_a_time, x, stride);
        }
    }
    return true;
}

static bool is_value(const estimates *e, size_t element)
{
    return e->r.plan.value && element + 1 == e->r.elements;
}

/* The number of draws that would show the bias. */
static double enough(const gb_check_case *c, const estimates *e)
{
    const double part = c->wide              ? 0.5
                        : c->alone           ? PART_ALONE
                        : is_gross(c)        ? 0.1
                        : c->check->thorough ? 0.01
                                             : 0.05;
    double most = 0;
    for (size_t j = 0; j < e->r.elements; j++) {
        const double s = sqrt(gb_moments_variance(&e->element[j])), exact = fabs(e->exact[j]);
        const double bias = part * (c->wide ? exact : fmax(exact, (is_value(e, j) ? 1 : 0.2) * s));
        if (s > 0 && bias > 0)
            most = fmax(most, (s / bias) * (s / bias));
    }
    return most * (c->check->bound + MISSED) * (c->check->bound + MISSED);
}

/* The mean is so wrong that no more draws are needed. */
static bool is_plain(const gb_check_case *c, const estimates *e)
{
    for (size_t j = 0; j < e->r.elements; j++) {
        const gb_moments *const m = &e->element[j];
        if (fabs(m->mean - e->exact[j]) >
            2 * c->check->bound * sqrt(gb_moments_variance(m) / m->count) + ROUNDING)
            return true;
    }
    return false;
}

/* A bias that the type declares excuses a wrong mean, but not a gradient that is lost altogether, as it is
 * where the path goes through a jump. */
static bool is_excused(const gb_check_case *c, const estimates *e, size_t element)
{
    const gb_moments *const m = &e->element[element];
    const bool is_lost = m->mean == 0 && m->second == 0;
    return c->check->estimator.type->bias && !(c->statement == GB_ON_NEEDS && is_lost);
}

static void judge(const gb_check_case *c, const estimates *e)
{
    gb_kit *const kit = &c->check->kit;
    double scale = 1;
    for (size_t j = 0; j < e->r.elements; j++)
        scale = fmax(scale, fabs(e->exact[j]));
    for (size_t j = 0; j < e->r.elements; j++) {
        const bool value = is_value(e, j);
        const gb_moments *const m = &e->element[j];
        const double error = sqrt(gb_moments_variance(m) / m->count), gap = fabs(m->mean - e->exact[j]);
        const bool right = gap <= c->check->bound * error + ROUNDING * scale;
        char name[64] = "the value";
        if (!value)
            gb_replicates_name(&e->r, j, sizeof name, name);
        if (!right)
            c->check->biases++;
        gb_kit_label(kit, "%s, %s%s, S = %lld", c->label, value ? "" : "in ", name,
                     (long long)e->r.plan.samples);
        gb_kit_verdict(kit, value ? GB_ON_VALUE : c->statement, right || is_excused(c, e, j),
                       "the mean of %.0f is %.6g, with a standard error of %.2g; it should be %.6g", m->count,
                       m->mean, error, e->exact[j]);
    }
    gb_kit_label(kit, "%s", c->label);
}

static bool fails(const gb_check_case *c, const gb_replicates *r)
{
    return gb_kit_verdict(&c->check->kit, GB_ON_RECORDED, gb_replicates_status(r) == GB_OK, "%s: %s",
                          gb_status_text(gb_replicates_status(r)), gb_error_text(r->trial.tape));
}

/* The gradient of this gradient is rejected with a message. */
static bool is_rejection(const gb_check_case *c, const gb_replicates *r)
{
    return c->plan.second && gb_replicates_status(r) == GB_EGRADIENT;
}

/* The distribution lacks an ability, or the estimator rejects this problem. Only the run can reject a single
 * sample. Many numbers have too many values for a sum over them. */
static bool does_not_fit(const gb_check_case *c, const gb_replicates *r)
{
    return (r->trial.sites > 0 && r->trial.fitting == 0) ||
           (c->wide && gb_replicates_status(r) == GB_ELIMIT) ||
           (gb_replicates_status(r) == GB_EARGUMENT && (!r->values || r->plan.samples == 1));
}

static bool learn(gb_replicates *r)
{
    for (int i = 0; i < LEARNING_RUNS; i++)
        if (!gb_replicates_run(r, NULL))
            return false;
    return true;
}

static bool find_exact(estimates *e)
{
    double parameters[MOST_ELEMENTS];
    return gb_replicates_parameters(&e->r) <= MOST_ELEMENTS && gb_replicates_get(&e->r, parameters) &&
           gb_replicates_exact(&e->r.plan, parameters, e->r.elements, e->exact);
}

static double most_draws(const gb_check_case *c)
{
    if (c->alone)
        return MOST_ALONE;
    if (c->wide)
        return MOST_WIDE;
    if (is_gross(c))
        return MOST_GROSS;
    if (c->learning)
        return MOST_LEARNING;
    return c->check->thorough ? MOST_THOROUGH : MOST;
}

/* Returns false on an error, which the tape has. */
static bool compare_means(const gb_check_case *c, estimates *e)
{
    if (e->r.elements > MOST_ELEMENTS || !find_exact(e)) {
        gb_kit_verdict(&c->check->kit, GB_ON_RECORDED, false, "its exact gradient is not known");
        return true;
    }
    const double most = most_draws(c);
    double count = c->wide ? PILOT_WIDE : c->alone || c->gross ? PILOT_ALONE : PILOT;
    bool good = draw(e, count);
    /* the second time the variance is known better */
    for (int i = 0; i < 2 && good && !is_plain(c, e); i++) {
        count = fmax(count, fmin(enough(c, e), most));
        good = draw(e, count);
    }
    if (!good)
        return false;
    fails(c, &e->r);
    judge(c, e);
    if (!is_gross(c) && !c->learning && !c->alone && !is_plain(c, e) && enough(c, e) > 1.5 * most)
        gb_kit_verdict(&c->check->kit, c->statement, false,
                       "its variance hides a bias: %.2g draws would show it", enough(c, e));
    return true;
}

/* An estimator that learns does so alone; then its estimates are made in the final state. */
static bool begin(const gb_check_case *c, gb_replicates *r)
{
    gb_replicate_plan plan = gb_check_plan(c);
    bool good = gb_replicates_begin(r, &plan) && (r->learned == 0 || learn(r));
    if (!good || c->learning || c->alone)
        return good;
    gb_replicates alone = *r;
    plan.at_a_time = c->wide ? AT_A_TIME_WIDE : AT_A_TIME;
    good = gb_replicates_begin(r, &plan) && (alone.learned == 0 || gb_replicates_learn_from(r, &alone));
    gb_replicates_end(&alone);
    return good;
}

/* The elements of the closed form: of the gradient, and the value. */
static size_t tests_of(const gb_check_case *c)
{
    gb_replicate_plan plan = gb_check_plan(c);
    gb_replicates r;
    plan.estimator = (gb_estimator){0};
    plan.second = false;
    const gb_estimator_type *const exact = gb_estimator_find(plan.problem->exact);
    if (!plan.problem->expected && !exact)
        return 0;
    if (!plan.problem->expected)
        plan.estimator = gb_estimator_of(exact, NULL);
    const size_t tests = gb_replicates_begin(&r, &plan) ? r.elements : 0;
    gb_replicates_end(&r);
    return tests;
}

bool gb_check_wants(const gb_estimator_check *check, gb_statement statement)
{
    return !check->only || strstr(check->kit.statements[statement], check->only);
}

static bool is_wanted(const gb_check_case *c)
{
    return gb_check_wants(c->check, c->statement) || (c->plan.value && gb_check_wants(c->check, GB_ON_VALUE));
}

bool gb_check_means(const gb_check_case *c)
{
    if (c->check->counting) {
        c->check->tests += tests_of(c);
        return true;
    }
    if (!is_wanted(c))
        return true;
    estimates e = {0};
    bool fit = true;
    gb_kit_label(&c->check->kit, "%s", c->label);
    const bool begun = begin(c, &e.r);
    const bool is_of_other_kind = begun && (e.r.learned == 0 ? c->learning : c->alone);
    if (is_of_other_kind || (begun && compare_means(c, &e)))
        fit = true;
    else if (does_not_fit(c, &e.r)) {
        fit = false;
        if (c->statement == GB_ON_NEEDS && e.r.trial.fitting > 0)
            gb_kit_verdict(&c->check->kit, c->statement, true, "%s", "");
    } else if (is_rejection(c, &e.r))
        gb_kit_verdict(&c->check->kit, c->statement, true, "%s", "");
    else
        fails(c, &e.r);
    gb_replicates_end(&e.r);
    return fit;
}
