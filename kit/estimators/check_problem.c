/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/check_problem.h"

#include <math.h>
#include <string.h>

#include "compare/moments.h"
#include "compare/replicates.h"
#include "estimators/list.h"
#include "kit/shell/chance_impl.h"
#include "kit/shell/settings_impl.h"
#include "kit/shell/verdicts_impl.h"

/* clang-format off */
#define GB_PROBLEM_STATEMENTS(do_)                                                                           \
    do_(FORM,      "its struct is complete")                                                                 \
    do_(SETTINGS,  "its settings have names, words, and ranges that hold their defaults")                    \
    do_(RECORDED,  "it is recorded and run without an error, and its values are finite")                     \
    do_(FITS,      "an estimator fits all of its draws")                                                     \
    do_(REPEATS,   "a seed gives the same bits, with any number of threads")                                 \
    do_(APART,     "estimates side by side are distributed as those one by one")                             \
    do_(REFERENCE, "its closed form and its exact estimator agree")                                          \
    do_(MEAN,      "its closed form, or exact estimator, is the mean of estimates")                          \
    do_(DOMAIN,    "its closed form is right at other settings, too")                                        \
    do_(BATCHES,   "batches of its rows have the mean of all rows")                                          \
    do_(WEIGHT,    "it says that its cost is a log weight, and log q of each draw is taken off, once")
/* clang-format on */
GB_STATEMENT_CODES(GB_PROBLEM_STATEMENTS);
static const char *const statements[] = GB_STATEMENT_TEXTS(GB_PROBLEM_STATEMENTS);

enum { ESTIMATORS = 4, AT_A_TIME = 1000, ESTIMATES = 20000, ALONE = 4000, PLACES = 6, MOST_ELEMENTS = 256 };
static const double ROUNDING = 1e-7;

typedef struct problem_check {
    gb_kit kit;
    const gb_problem *problem;
    const gb_problem_data *data;
    gb_estimator estimator[ESTIMATORS];
    double bound; /* of |z| */
} problem_check;

/* Means of one estimator: of the gradient, and of the value. */
typedef struct means {
    size_t elements; /* 0: it does not fit, or has failed */
    int64_t rows;
    gb_moments element[MOST_ELEMENTS];
    char name[MOST_ELEMENTS][64];
} means;

static gb_replicate_plan plan_of(const problem_check *c, gb_estimator estimator)
{
    gb_replicate_plan plan = {.problem = c->problem,
                              .data = c->data,
                              .estimator = estimator,
                              .samples = 2,
                              .at_a_time = 1,
                              .runs = 1,
                              .seed = c->kit.seed,
                              .threads = 1,
                              .value = true};
    gb_problem_defaults(c->problem, plan.setting);
    for (size_t i = 0; c->problem->check_settings && i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name;
         i++)
        plan.setting[i] = c->problem->check_settings[i];
    return plan;
}

static const char *name_of(gb_estimator estimator)
{
    return estimator.type ? estimator.type->name : "the closed form";
}

/* ---- the struct ---- */

static const char *fault_of(const gb_problem *p)
{
    if (GB_KIT_FAULT(p, gb_problem))
        return GB_KIT_FAULT(p, gb_problem);
    if (!p->cost)
        return "it has no cost";
    if (p->exact && !gb_estimator_find(p->exact))
        return "its exact estimator is none";
    return p->shows < GB_SHOWS_GRADIENTS || p->shows > GB_SHOWS_ROWS ? "it shows what is none of GB_SHOWS_…"
                                                                     : NULL;
}

static void check_settings(problem_check *c)
{
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++) {
        const gb_setting *const s = &c->problem->settings[i];
        const double at = c->problem->check_settings ? c->problem->check_settings[i] : s->value;
        size_t before = 0;
        while (before < i && strcmp(c->problem->settings[before].name, s->name) != 0)
            before++;
        gb_kit_verdict(&c->kit, GB_ON_SETTINGS, *s->name && before == i, "setting %zu is called \"%s\", %s",
                       i + 1, s->name, *s->name ? "as an earlier one" : "which is no name");
        gb_kit_verdict(&c->kit, GB_ON_SETTINGS, s->words && *s->words, "%s has no words", s->name);
        gb_kit_verdict(&c->kit, GB_ON_SETTINGS,
                       s->value >= s->low && s->value <= s->high && at >= s->low && at <= s->high,
                       "%s is %g by default, and %g when it is checked, and goes from %g to %g", s->name,
                       s->value, at, s->low, s->high);
    }
}

/* ---- estimates ---- */

/* Some sites of a problem may fit, and others not: then another estimator draws those. */
static bool fits(const gb_replicates *r)
{
    return r->trial.sites == r->trial.fitting;
}

static bool is_rejection(const gb_replicates *r)
{
    return gb_replicates_status(r) == GB_EARGUMENT && r->trial.sites > 0;
}

static bool add(means *m, const gb_replicates *r)
{
    for (size_t j = 0; j < m->elements; j++) {
        size_t stride;
        const double *const x = gb_replicates_element(r, j, &stride);
        for (size_t i = 0; i < (size_t)r->plan.at_a_time; i++)
            if (!isfinite(x[i * stride]))
                return false;
        gb_moments_add(&m->element[j], (size_t)r->plan.at_a_time, x, stride);
    }
    return true;
}

static bool failed(problem_check *c, const gb_replicates *r)
{
    gb_kit_label(&c->kit, "%s", name_of(r->plan.estimator));
    return gb_kit_recorded(&c->kit, GB_ON_RECORDED, r->trial.tape);
}

/* The means of `count` estimates; elements 0 if the estimator does not fit, or something failed. */
static means estimate(problem_check *c, const gb_replicate_plan *plan, double count)
{
    means m = {0};
    gb_replicates r;
    const bool begun = gb_replicates_begin(&r, plan), rejected = !begun && is_rejection(&r);
    if (begun && fits(&r)) {
        m.rows = r.trial.rows;
        m.elements = r.elements < MOST_ELEMENTS ? r.elements : MOST_ELEMENTS;
        for (size_t j = 0; j < m.elements; j++)
            gb_replicates_name(&r, j, sizeof m.name[j], m.name[j]);
    }
    bool finite = true;
    while (m.elements > 0 && finite && m.element[0].count < count && gb_replicates_run(&r, NULL))
        finite = add(&m, &r);
    if (!rejected && fits(&r))
        failed(c, &r);
    gb_kit_verdict(&c->kit, GB_ON_RECORDED, finite, "an estimate is not finite");
    if (gb_replicates_status(&r) != GB_OK || !finite)
        m.elements = 0;
    gb_replicates_end(&r);
    return m;
}

/* Compares two means; one with a count of 0 is exact. */
static void compare(problem_check *c, gb_statement statement, const char *label, const means *m, size_t j,
                    gb_moments other)
{
    const gb_moments *const one = &m->element[j];
    const double own = sqrt(gb_moments_variance(one) / one->count),
                 error = other.count > 0 ? hypot(own, sqrt(gb_moments_variance(&other) / other.count)) : own;
    const double gap = fabs(one->mean - other.mean), scale = fmax(1, fabs(other.mean));
    gb_kit_label(&c->kit, "%s, %s", label, m->name[j]);
    gb_kit_verdict(&c->kit, statement, gap <= c->bound * error + ROUNDING * scale,
                   "the mean of %.0f is %.6g, with a standard error of %.2g; it should be %.6g", one->count,
                   one->mean, error, other.mean);
}

/* ---- what is exact ---- */

/* Of the closed form (`by_form`) or the exact estimator, at the start, with these settings. Returns false if
 * there is none, or it fails. */
static bool find_exact(problem_check *c, bool by_form, const double *setting, double exact[MOST_ELEMENTS])
{
    gb_problem one = *c->problem;
    double start[MOST_ELEMENTS];
    if (by_form ? !one.expected : !one.exact)
        return false;
    gb_replicate_plan plan =
        plan_of(c, by_form ? (gb_estimator){0} : gb_estimator_of(gb_estimator_find(one.exact), NULL));
    memcpy(plan.setting, setting, sizeof plan.setting);
    gb_replicates r;
    if (by_form)
        one.exact = NULL;
    else
        one.expected = NULL;
    plan.problem = &one;
    bool known = gb_replicates_begin(&r, &plan) && r.elements <= MOST_ELEMENTS &&
                 gb_replicates_get(&r, start) && gb_replicates_exact(&plan, start, r.elements, exact);
    for (size_t j = 0; known && j < r.elements; j++)
        known = isfinite(exact[j]);
    gb_kit_label(&c->kit, "%s", by_form ? "its closed form" : "its exact estimator");
    if (r.elements <= MOST_ELEMENTS && gb_kit_recorded(&c->kit, GB_ON_RECORDED, r.trial.tape))
        gb_kit_verdict(&c->kit, GB_ON_RECORDED, known, "it gives no gradient, or one that is not finite");
    gb_replicates_end(&r);
    return known;
}

static void check_reference(problem_check *c, const means *m, const double *form, const double *by_estimator)
{
    for (size_t j = 0; j < m->elements; j++) {
        gb_kit_label(&c->kit, "%s", m->name[j]);
        gb_kit_verdict(&c->kit, GB_ON_REFERENCE,
                       fabs(form[j] - by_estimator[j]) <= 10 * ROUNDING * fmax(1, fabs(form[j])),
                       "the closed form gives %.9g, %s %.9g", form[j], c->problem->exact, by_estimator[j]);
    }
}

/* ---- other settings ---- */

/* What is 1 at least may be a number of things. */
static double near_default(const gb_setting *s, double at)
{
    const double x = gb_kit_near(s->value, s->low, s->high, at);
    return s->low >= 1 ? round(x) : x;
}

/* A problem may have words for settings that do not go together. */
static bool is_rejected(const problem_check *c, const double *setting)
{
    gb_replicates r;
    gb_replicate_plan plan = plan_of(c, (gb_estimator){0});
    memcpy(plan.setting, setting, sizeof plan.setting);
    const bool rejected = !gb_replicates_begin(&r, &plan) && gb_replicates_status(&r) == GB_EARGUMENT;
    gb_replicates_end(&r);
    return rejected;
}

/* The sum by an estimator that has one. Returns false if it draws, or does not fit. */
static bool find_sum(const problem_check *c, const double *setting, gb_estimator estimator, double *sum)
{
    gb_replicates r;
    gb_replicate_plan plan = plan_of(c, estimator);
    memcpy(plan.setting, setting, sizeof plan.setting);
    bool same = gb_replicates_begin(&r, &plan) && r.elements <= MOST_ELEMENTS;
    for (int run = 0; run < 3 && same; run++) {
        same = gb_replicates_run(&r, NULL);
        for (size_t j = 0; j < r.elements && same; j++) {
            const double is = *gb_replicates_element(&r, j, NULL);
            same = isfinite(is) && (run == 0 || fabs(is - sum[j]) <= 1e-12 * (1 + fabs(is)));
            sum[j] = is;
        }
    }
    gb_replicates_end(&r);
    return same;
}

/* A quadrature is believed if more nodes change nothing. */
static bool find_reference(const problem_check *c, const double *setting, size_t elements, double *sum)
{
    double finer[MOST_ELEMENTS];
    if (!find_sum(c, setting, gb_quadrature(.nodes = 64), sum))
        return find_sum(c, setting, gb_enumerated(), sum);
    bool agree = find_sum(c, setting, gb_quadrature(.nodes = 160), finer);
    for (size_t j = 0; j < elements && agree; j++)
        agree = fabs(finer[j] - sum[j]) <= ROUNDING * (1 + fabs(sum[j]));
    return agree;
}

static void is_a_sum(problem_check *c, const means *m, const char *label, const double *form,
                     const double *sum)
{
    for (size_t j = 0; j < m->elements; j++) {
        gb_kit_label(&c->kit, "%s, %s", label, m->name[j]);
        gb_kit_verdict(&c->kit, GB_ON_DOMAIN,
                       fabs(form[j] - sum[j]) <= 10 * ROUNDING * fmax(1, fabs(form[j])),
                       "the closed form gives %.9g, a sum over values %.9g", form[j], sum[j]);
    }
}

/* By the first estimator that fits. */
static void is_a_mean(problem_check *c, const char *label, const double *setting, const double *form)
{
    means m = {0};
    for (size_t i = 0; i < ESTIMATORS && m.elements == 0; i++) {
        gb_replicate_plan plan = plan_of(c, c->estimator[i]);
        memcpy(plan.setting, setting, sizeof plan.setting);
        plan.at_a_time = AT_A_TIME;
        m = estimate(c, &plan, ESTIMATES);
    }
    for (size_t j = 0; j < m.elements; j++)
        compare(c, GB_ON_DOMAIN, label, &m, j, (gb_moments){.mean = form[j]});
}

static void check_domain(problem_check *c, const means *m)
{
    double setting[GB_PROBLEM_SETTINGS] = {0}, form[MOST_ELEMENTS], sum[MOST_ELEMENTS];
    for (size_t place = 0; place < PLACES && c->problem->settings[0].name; place++) {
        char label[256] = "at";
        for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++) {
            const gb_setting *const s = &c->problem->settings[i];
            const size_t used = strlen(label);
            setting[i] = near_default(s, gb_kit_chosen(c->kit.seed, place, i));
            snprintf(label + used, sizeof label - used, " %s %.4g", s->name, setting[i]);
        }
        if (is_rejected(c, setting) || !find_exact(c, true, setting, form))
            continue;
        if (find_reference(c, setting, m->elements, sum))
            is_a_sum(c, m, label, form, sum);
        else
            is_a_mean(c, label, setting, form);
    }
}

/* ---- the statements about one estimator ---- */

static void check_batches(problem_check *c, const means *all, gb_estimator estimator, const double *exact)
{
    gb_replicate_plan plan = plan_of(c, estimator);
    char label[96];
    plan.batch = all->rows / 2;
    const means m = all->rows > 1 ? estimate(c, &plan, ESTIMATES) : (means){0};
    snprintf(label, sizeof label, "%s, batches of %lld of %lld rows", name_of(estimator),
             (long long)plan.batch, (long long)all->rows);
    for (size_t j = 0; j < m.elements; j++)
        compare(c, GB_ON_BATCHES, label, &m, j, exact ? (gb_moments){.mean = exact[j]} : all->element[j]);
}

static void check_repeats(problem_check *c, gb_estimator estimator)
{
    gb_replicate_plan plan = plan_of(c, estimator);
    gb_replicates one, other;
    plan.at_a_time = AT_A_TIME;
    bool same = gb_replicates_begin(&one, &plan) && gb_replicates_run(&one, NULL);
    plan.threads = 4;
    same = gb_replicates_begin(&other, &plan) && gb_replicates_run(&other, NULL) && same;
    gb_kit_label(&c->kit, "%s", name_of(estimator));
    if (same)
        gb_kit_verdict(&c->kit, GB_ON_REPEATS,
                       memcmp(one.values, other.values, one.elements * one.room * sizeof *one.values) == 0,
                       "1 and 4 threads give different estimates");
    gb_replicates_end(&one);
    gb_replicates_end(&other);
}

/* Replicates that share a draw vary too little among themselves in a run, and too much between runs. */
static void check_apart(problem_check *c, const means *side_by_side, gb_estimator estimator)
{
    const gb_replicate_plan plan = plan_of(c, estimator);
    const means alone = estimate(c, &plan, ALONE);
    for (size_t j = 0; j < alone.elements; j++) {
        const gb_moments *const a = &alone.element[j], *const b = &side_by_side->element[j];
        const double va = gb_moments_variance(a), vb = gb_moments_variance(b);
        const double error = hypot(gb_moments_variance_error(a), gb_moments_variance_error(b)),
                     digit = 1e-10 * fmax(1, fabs(b->mean));
        compare(c, GB_ON_APART, name_of(estimator), &alone, j, *b);
        gb_kit_verdict(&c->kit, GB_ON_APART, fabs(va - vb) <= 2 * c->bound * error + digit * digit,
                       "the variance of one estimate is %.5g one by one, and %.5g side by side", va, vb);
    }
}

static bool check_estimator(problem_check *c, gb_estimator estimator, const double *exact)
{
    gb_replicate_plan plan = plan_of(c, estimator);
    plan.at_a_time = AT_A_TIME;
    const means m = estimate(c, &plan, ESTIMATES);
    for (size_t j = 0; exact && j < m.elements; j++)
        compare(c, GB_ON_MEAN, name_of(estimator), &m, j, (gb_moments){.mean = exact[j]});
    if (m.elements == 0)
        return false;
    check_repeats(c, estimator);
    check_apart(c, &m, estimator);
    check_batches(c, &m, estimator, exact);
    return true;
}

/* ---- log weights ---- */

/* An estimator that only looks: it notes what of log q of each draw is in the cost. */
typedef struct witness {
    size_t size;
    struct witness_sites *sites;
} witness;

typedef struct witness_sites {
    problem_check *check;
    size_t count;
} witness_sites;

static gb_node witness_draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static gb_node witness_combine(const gb_site *site, gb_node cost)
{
    witness_sites *const sites = ((const witness *)site->options)->sites;
    const bool is_there = gb_node_ok(site->own);
    const double weight = is_there ? gb_value(site->own_weight) : 0;
    sites->count++;
    gb_kit_verdict(&sites->check->kit, GB_ON_WEIGHT, fabs(weight + 1) <= 1e-6,
                   "of draw %s, the cost has %g log q and should have -1, by gb_draw_log_prob", site->name,
                   weight);
    return cost;
}

static const gb_option witness_options[] = {GB_OPTION_OTHER(witness, sites, "where it notes"), {0}};
static const gb_estimator_type witness_type = {.size = sizeof(gb_estimator_type),
                                               .name = "witness",
                                               .formula = "f",
                                               .options = witness_options,
                                               .option_bytes = sizeof(witness),
                                               .first_order = true,
                                               .draw = witness_draw,
                                               .combine = witness_combine};

/* Without draws there is nothing to weigh. */
static void check_weight(problem_check *c)
{
    witness_sites sites = {.check = c};
    gb_replicates r;
    const gb_replicate_plan plan =
        plan_of(c, gb_estimator_of(&witness_type, &(witness){.size = sizeof(witness), .sites = &sites}));
    gb_kit_label(&c->kit, "%s", "");
    if (c->problem->is_log_weight && gb_replicates_begin(&r, &plan))
        gb_kit_verdict(&c->kit, GB_ON_WEIGHT, sites.count > 0, "it depends on no draw");
    if (c->problem->is_log_weight)
        gb_replicates_end(&r);
}

/* ---- the whole ---- */

static size_t elements_of(problem_check *c, means *m)
{
    gb_replicate_plan plan = plan_of(c, (gb_estimator){0});
    for (size_t i = 0; i < ESTIMATORS && m->elements == 0; i++) {
        plan.estimator = c->estimator[i];
        *m = estimate(c, &plan, 1);
    }
    return m->elements;
}

static void check_all(problem_check *c)
{
    double form[MOST_ELEMENTS], by_estimator[MOST_ELEMENTS];
    means first = {0};
    const double tests = (4.0 * ESTIMATORS + PLACES) * (double)elements_of(c, &first);
    c->bound = gb_chance_normal(1e-6 / fmax(tests, 1));
    const gb_replicate_plan plan = plan_of(c, (gb_estimator){0});
    const bool has_form = first.elements > 0 && find_exact(c, true, plan.setting, form),
               has_estimator = first.elements > 0 && find_exact(c, false, plan.setting, by_estimator);
    if (has_form && has_estimator)
        check_reference(c, &first, form, by_estimator);
    if (has_form)
        check_domain(c, &first);
    size_t fitting = 0;
    for (size_t i = 0; i < ESTIMATORS; i++)
        fitting += check_estimator(c, c->estimator[i], has_form ? form : has_estimator ? by_estimator : NULL);
    gb_kit_label(&c->kit, "%s", "");
    gb_kit_verdict(&c->kit, GB_ON_FITS, fitting > 0, "pathwise, score, measure and enumerate do not");
    check_weight(c);
    if (!has_form && !has_estimator)
        gb_kit_unchecked(&c->kit, GB_ON_MEAN,
                         c->problem->expected || c->problem->exact
                             ? "its exact gradient is not known, or has more than 256 numbers"
                             : "it has neither a closed form nor an exact estimator");
}

bool gb_check_problem_with(const gb_problem *problem, const gb_check_problem_options *options)
{
    gb_check_problem_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const char *const fault = fault_of(problem);
    problem_check c = {.kit = {.subject = problem && problem->name ? problem->name : "(no name)",
                               .report = own.report,
                               .seed = own.seed,
                               .statements = statements},
                       .problem = problem,
                       .data = own.data,
                       .estimator = {gb_pathwise(), gb_score(), gb_measure_valued(), gb_enumerated()}};
    if (!gb_kit_admit(&c.kit, GB_ON_FORM, fault))
        return false;
    check_settings(&c);
    if (problem->needs_data && !own.data)
        gb_kit_skip(&c.kit, GB_ON_RECORDED, "it needs data, and none were given");
    else
        check_all(&c);
    return gb_kit_conclude(&c.kit);
}
