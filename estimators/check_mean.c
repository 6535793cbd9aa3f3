/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means of many estimates against what they should be. */
#include <math.h>

#include "estimators/check_impl.h"
#include "estimators/moments_impl.h"

/* 6.11: a thousand tests together fail by chance once in a million times. A bias of 6.11 + 4.76 standard errors is then
 * missed as seldom as a right mean is refused: (s / bias)² times the square of that. */
static const double BOUND = 6.11, SQUARE_TO_SEE = 118;
/* Against a reference that is itself a sum over nodes or values. */
static const double ROUNDING = 1e-7;

/* Second gradients of scores have so large a variance that only gross faults are looked for. */
static const double MOST = 4e6, MOST_THOROUGH = 1e8, MOST_SECOND = 2e5;

enum { AT_A_TIME = 1024, PILOT = 20000, LEARNING_RUNS = 500, MOST_ELEMENTS = 32 };

gb_replicate_plan gb_check_plan(const gb_check_case *c)
{
    gb_replicate_plan plan = c->plan;
    plan.estimator = c->check->with.estimator;
    plan.seed = c->check->with.seed;
    plan.samples = 2;
    plan.threads = plan.threads ? plan.threads : 1;
    plan.at_a_time = plan.at_a_time ? plan.at_a_time : 1;
    return plan;
}

typedef struct estimates {
    gb_replicates r;
    double exact[MOST_ELEMENTS];
    gb_moments element[MOST_ELEMENTS];
} estimates;

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

/* The draws that show the bias in question. */
static double enough(const gb_check_case *c, const estimates *e)
{
    const double part = c->plan.second ? 0.1 : c->check->with.thorough ? 0.01 : 0.05;
    double most = 0;
    for (size_t j = 0; j < e->r.elements; j++) {
        const double s = sqrt(gb_moments_variance(&e->element[j]));
        const double bias = part * fmax(fabs(e->exact[j]), (is_value(e, j) ? 1 : 0.1) * s);
        if (s > 0)
            most = fmax(most, SQUARE_TO_SEE * (s / bias) * (s / bias));
    }
    return most;
}

/* A mean so wrong that no more draws are needed. */
static bool is_plain(const estimates *e)
{
    for (size_t j = 0; j < e->r.elements; j++) {
        const gb_moments *const m = &e->element[j];
        if (fabs(m->mean - e->exact[j]) > 2 * BOUND * sqrt(gb_moments_variance(m) / m->count) + ROUNDING)
            return true;
    }
    return false;
}

static void judge(const gb_check_case *c, const estimates *e)
{
    double scale = 1;
    for (size_t j = 0; j < e->r.elements; j++)
        scale = fmax(scale, fabs(e->exact[j]));
    for (size_t j = 0; j < e->r.elements; j++) {
        const bool value = is_value(e, j);
        const gb_moments *const m = &e->element[j];
        const double error = sqrt(gb_moments_variance(m) / m->count), gap = fabs(m->mean - e->exact[j]);
        const bool right = gap <= BOUND * error + ROUNDING * scale;
        char name[64] = "the value";
        if (!value)
            gb_replicates_name(&e->r, j, sizeof name, name);
        if (!right)
            c->check->biases++;
        gb_estimator_verdict(
            c->check, value ? GB_ESTIMATOR_CHECK_VALUE : c->statement, right || c->check->type->bias,
            "%s, %s%s: the mean of %.0f is %.6g, with a standard error of %.2g; it should be %.6g", c->label,
            value ? "" : "in ", name, m->count, m->mean, error, e->exact[j]);
    }
}

static bool fails(const gb_check_case *c, const gb_replicates *r)
{
    return gb_estimator_verdict(c->check, GB_ESTIMATOR_CHECK_RECORDED, gb_replicates_status(r) == GB_OK,
                                "%s: %s: %s", c->label, gb_status_text(gb_replicates_status(r)),
                                gb_error_text(r->trial.tape));
}

/* There is no gradient of this gradient, and that was said. */
static bool is_refusal(const gb_check_case *c, const gb_replicates *r)
{
    return c->plan.second && gb_replicates_status(r) == GB_EGRADIENT;
}

/* The distribution lacks what it takes, or it says itself that this problem will not do. */
static bool does_not_fit(const gb_replicates *r)
{
    return (r->trial.sites > 0 && r->trial.fitting == 0) || gb_replicates_status(r) == GB_EARGUMENT;
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

static void compare_means(const gb_check_case *c, estimates *e)
{
    if (e->r.elements > MOST_ELEMENTS || !find_exact(e)) {
        gb_estimator_verdict(c->check, GB_ESTIMATOR_CHECK_RECORDED, false,
                             "%s: its exact gradient is not known", c->label);
        return;
    }
    const double most = c->plan.second ? MOST_SECOND : c->check->with.thorough ? MOST_THOROUGH : MOST;
    double count = PILOT;
    bool good = draw(e, count);
    for (int i = 0; i < 2 && good && !is_plain(e); i++) { /* the variance is known better by then */
        count = fmax(count, fmin(enough(c, e), most));
        good = draw(e, count);
    }
    if (!fails(c, &e->r))
        return;
    judge(c, e);
    if (!c->plan.second && !is_plain(e) && enough(c, e) > 1.5 * most)
        gb_estimator_verdict(c->check, c->statement, false,
                             "%s: its variance hides a bias: %.2g draws would show it", c->label,
                             enough(c, e));
}

/* An estimator that learns does so alone; its estimates are then made with what it has come to. */
static bool begin(const gb_check_case *c, gb_replicates *r)
{
    gb_replicate_plan plan = gb_check_plan(c);
    gb_replicates alone;
    bool good = gb_replicates_begin(&alone, &plan);
    if (!good) {
        *r = alone;
        return false;
    }
    plan.at_a_time = AT_A_TIME;
    good = gb_replicates_begin(r, &plan);
    if (good && alone.learned > 0)
        good = learn(&alone) && gb_replicates_learn_from(r, &alone);
    gb_replicates_end(&alone);
    return good;
}

bool gb_check_means(const gb_check_case *c)
{
    estimates e = {0};
    bool fit = true;
    if (begin(c, &e.r))
        compare_means(c, &e);
    else if (does_not_fit(&e.r))
        fit = false;
    else if (is_refusal(c, &e.r))
        gb_estimator_verdict(c->check, c->statement, true, "%s", "");
    else
        fails(c, &e.r);
    gb_replicates_end(&e.r);
    return fit;
}
