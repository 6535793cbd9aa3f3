/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stochastic ascent that ends by itself, after RABVI (Welandawe et al. 2024). Adam runs at one rate until its
 * iterates are stationary by R̂; then their average is worth more than each of them. The rate is halved, and
 * the next average is compared with it. When the ELBO gained less than its error and a small number of nats,
 * twice, a smaller rate is not worth its cost, provided that the error is small, too. The training itself is
 * that of gb_fit with an optimiser. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fitting/method/methods_impl.h"
#include "fitting/method/settling_impl.h"
#include "fitting/search/variables_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/optimisers/adam_impl.h"
#include "models/training/fit_impl.h"

enum {
    THINNING = 5,        /* steps from iterate to iterate */
    SEGMENT = 20,        /* iterates in the first segments */
    LONG = 320,          /* iterates in the segments of a long run */
    MOST_STEPS = 400000, /* of all rates together */
    LEVELS = 14,
    PAIRS = 16,  /* of runs of the evaluation, at least, */
    DRAWS = 128, /* with so many draws, */
    FEWEST = 8,  /* and at least so many on a batch */
    LOSSES = 6   /* how often the steps may lead where the loss is not finite */
};
static const double first_rate = 0.05, stationary = 1.1, worth = 0.02, exact = 0.1;
static const double blind = 1, blind_each = 0.1; /* nats of error; for each root of numbers */

typedef struct ascent {
    gb_search *search;
    gb_variables all;
    gb_node rate;
    size_t n;                          /* numbers of all variables */
    double *x, *last, *best, *average; /* iterates; the ELBO of each is the number behind */
    gb_settling settling;
    double *numbers;
    gb_program *look;
    int64_t steps, draws, looked; /* steps, draws of each; runs of looks */
    bool is_full, is_over;
    double elbo, error; /* of `best` */
} ascent;

static bool find_variables(ascent *a)
{
    gb_search *const s = a->search;
    if (!gb_variables_find(&a->all, gb_elbo_loss(s->model), &s->arena))
        return false;
    a->n = a->all.numbers;
    a->x = gb_search_numbers(s, 4 * (a->n + 1) + gb_settling_numbers(a->n + 1));
    if (!a->x)
        return false;
    a->last = a->x + a->n + 1;
    a->best = a->last + a->n + 1;
    a->average = a->best + a->n + 1;
    a->numbers = a->average + a->n + 1;
    return true;
}

/* ---- the ELBO at a place ---- */

/* Looks at each batch twice. The sum is over all rows, so that only draws make it inexact, and two looks at
 * one batch tell how much. Adds the mean and its variance. */
static bool look_once(ascent *a, double *mean, double *variance)
{
    gb_batches *const data = a->search->data;
    const double rows = (double)gb_batches_rows(data);
    bool good = !data || gb_batches_go(data, (gb_batches_place){0}) == GB_OK;
    for (int64_t at = 0, next = 1; at < (data ? gb_batches_rows(data) : 1) && good; at = next) {
        double x[2] = {0};
        good = !data || gb_next_batch(data);
        for (size_t k = 0; k < 2 && good; k++)
            good = gb_run(a->look) == GB_OK && gb_read_root(a->look, 0, &x[k]) == GB_OK;
        next = data ? gb_batches_at(data).row : 1;
        const double share = data ? (double)(next - at) / rows : 1;
        *mean += share * (x[0] + x[1]) / 2;
        *variance += pow(share * (x[0] - x[1]) / 2, 2);
    }
    return good;
}

/* Until it is known as exactly as a decision needs, or there were twice as many runs as steps, which need
 * gradients besides. */
static bool look(ascent *a, double *elbo, double *error)
{
    gb_search *const s = a->search;
    const gb_node objective = gb_elbo_objective(s->model);
    const gb_batches_place before = gb_batches_at(s->data);
    const int64_t batches = s->data ? gb_batches_count(s->data) : 1;
    const int64_t draws = batches > 1 ? FEWEST + DRAWS / batches : DRAWS; /* of a run */
    double mean = 0, variance = 0;
    int64_t rounds = 0;
    if (!a->look && gb_node_ok(objective)) {
        a->look = gb_compile(s->tape, gb_roots(objective), gb_no_update);
        gb_program_set_samples(a->look, draws);
    }
    bool good = gb_error(s->tape) == GB_OK;
    do {
        good = good && look_once(a, &mean, &variance);
        *elbo = mean / (double)++rounds;
        *error = sqrt(variance) / (double)rounds;
        a->looked += 2 * batches;
    } while (good && (rounds * batches < PAIRS || (*error > exact && a->looked < 2 * a->steps)));
    if (s->data)
        gb_batches_go(s->data, before);
    return good;
}

/* ---- one rate ---- */

static bool note(void *user, const gb_fit_point *point)
{
    ascent *const a = user;
    gb_search *const s = a->search;
    gb_variables_read(&a->all, a->x);
    a->x[a->n] = point->elbo;
    a->steps += THINNING;
    s->gradients += THINNING * a->draws;
    a->is_over = !gb_search_goes_on(s, point->elbo);
    a->is_full = gb_settling_add(&a->settling, a->x);
    return !a->is_full && !a->is_over && a->steps < MOST_STEPS;
}

/* Trains until the segments are full. Where the loss is lost, the caller may try a smaller rate. */
static bool train(ascent *a)
{
    a->is_full = false;
    const gb_adam_options adam = {.size = sizeof adam, .rate = a->rate};
    const gb_fit_options o = {.size = sizeof o,
                              .optimiser = gb_optimiser_of(&gb_ascent_optimiser_type, &adam),
                              .data = a->search->data,
                              .steps = MOST_STEPS,
                              .window = THINNING,
                              .each = note,
                              .user = a,
                              .stop = a->search->stop,
                              .part_of_data = a->search->part_of_data};
    return gb_fit_train(a->search->model, &o).status == GB_OK;
}

/* All numbers are, or all but one in a hundred of many. The factor of a low-rank normal turns for ever, with
 * the same q: a long run whose ELBO stays is enough too. */
static bool is_stationary(const ascent *a)
{
    const size_t allowed = a->n > 100 ? a->n / 100 : 0;
    size_t moving = 0;
    for (size_t i = 0; i < a->n; i++)
        moving += gb_settling_moves(&a->settling, i, stationary);
    return moving <= allowed ||
           (a->settling.length >= LONG && !gb_settling_moves(&a->settling, a->n, stationary));
}

static bool settle(ascent *a)
{
    gb_settling_begin(&a->settling, a->n + 1, SEGMENT, a->numbers);
    do {
        if (!train(a))
            return false;
        if (a->is_over || !a->is_full)
            return true;
    } while (!is_stationary(a));
    gb_settling_mean(&a->settling, a->average);
    return true;
}

/* ---- all rates ---- */

/* Moments of an earlier rate, or of steps through large gradients, would stop Adam. */
static bool forget_moments(const ascent *a)
{
    static const char *const part[] = {"first", "second", "step", "step_owed"};
    gb_tape *const tape = a->search->tape;
    for (size_t i = 0; i < a->all.count; i++)
        for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
            char name[320];
            const int length =
                snprintf(name, sizeof name, "%s.ascent.%s", gb_variable_name(a->all.node[i]), part[k]);
            if (length < (int)sizeof name && gb_tape_has_variable(tape, name) &&
                gb_set(gb_variable_named(tape, name), gb_fill(0)) != GB_OK)
                return false;
        }
    return true;
}

static bool rate_variable(ascent *a)
{
    gb_tape *const tape = a->search->tape;
    static const char name[] = "fit.rate";
    a->rate = gb_tape_has_variable(tape, name) ? gb_variable_named(tape, name)
                                               : gb_variable(tape, name, gb_shape(), gb_fill(first_rate));
    return gb_node_ok(a->rate);
}

/* After steps that led where the loss is not finite: back to the best place, a few times. Returns whether to
 * try again; if not, without an error, the search ends. */
static bool is_forgiven(ascent *a, int *losses)
{
    gb_search *const s = a->search;
    if (gb_error(s->tape) != GB_ENONFINITE)
        return false;
    if (++*losses > LOSSES)
        gb_search_stop(s, GB_FIT_UNFINISHED,
                       "not converged: the loss is not finite where steps lead, at any rate: %s",
                       gb_error_text(s->tape));
    gb_forgive(s->tape);
    return *losses <= LOSSES;
}

static bool stop_early(const ascent *a)
{
    gb_search *const s = a->search;
    if (!a->is_over)
        gb_search_stop(
            s, GB_FIT_UNFINISHED,
            "not converged: after %lld steps the iterates still move; the ELBO may rise without end, or "
            "slowly: see .optimiser",
            (long long)a->steps);
    return true;
}

/* The ELBO of the average, or of the last iterate if that is better, which then is a->average. */
static bool look_at_both(ascent *a, double *elbo, double *error)
{
    double last, its_error;
    memcpy(a->last, a->x, a->n * sizeof *a->x);
    if (!look(a, &last, &its_error) || !gb_variables_set(&a->all, a->average) || !look(a, elbo, error))
        return false;
    if (last > *elbo + 2 * hypot(its_error, *error)) {
        memcpy(a->average, a->last, a->n * sizeof *a->last);
        *elbo = last, *error = its_error;
    }
    return true;
}

/* Returns whether an ELBO with this error can show that nothing is gained. Near the optimum its error is that
 * of log p - log q, which vary by about the root of their numbers; units that do not fit make it far larger,
 * and a gain of many nats is hidden by it. */
static bool can_see(const ascent *a, double error)
{
    return error <= fmax(blind, blind_each * sqrt((double)a->n));
}

/* The rates, from the first down. Returns false on error. */
static bool ascend(ascent *a)
{
    gb_search *const s = a->search;
    double rate = first_rate;
    int losses = 0, small = 0;
    bool has_best = false;
    for (int level = 0; level < LEVELS; level++, rate /= 2) {
        double elbo, error;
        if (!gb_variables_set(&a->all, a->best) || !forget_moments(a) ||
            gb_set(a->rate, gb_fill(rate)) != GB_OK)
            return false;
        if (!settle(a) || (!a->is_over && a->is_full && !look_at_both(a, &elbo, &error))) {
            if (!is_forgiven(a, &losses))
                return gb_error(s->tape) == GB_OK;
            level = -1;
            rate /= 4;
            continue;
        }
        if (a->is_over || !a->is_full) {
            if (!has_best) /* what there is */
                gb_variables_read(&a->all, a->best);
            return stop_early(a);
        }
        const double gain = has_best ? elbo - a->elbo : INFINITY;
        const double unsure = hypot(error, a->error);
        small = gain < worth + 2 * unsure && can_see(a, unsure) ? small + 1 : 0;
        if (!has_best || gain > -2 * unsure) {
            memcpy(a->best, a->average, a->n * sizeof *a->best);
            a->elbo = elbo, a->error = error;
            has_best = true;
        }
        if (small == 2)
            break;
    }
    if (small < 2)
        gb_search_stop(
            s, GB_FIT_UNFINISHED,
            "not converged: at the smallest rate, %.2g, the average of iterates may still gain (its "
            "ELBO has an error of %.2g): give the latents units in which their standard deviations "
            "are nearer to 1",
            2 * rate, a->error);
    else
        gb_search_stop(
            s, GB_FIT_CONVERGED,
            "converged: at rate %.2g the average of stationary iterates is no better than at twice it; %lld "
            "steps",
            rate, (long long)a->steps);
    return true;
}

/* Why steps were taken in place of fixed draws. */
static void add_reason(gb_search *s, const char *why)
{
    const size_t used = strlen(s->words);
    if (why[0])
        snprintf(s->words + used, sizeof s->words - used, " (stochastic, since %s)", why);
}

/* The steps here are no training of the user's, whose options, moments and data stay as they are. */
static void swap_training(gb_elbo *e)
{
    struct gb_elbo_training *const other = e->training;
    e->training = e->own_training;
    e->own_training = other;
}

bool gb_search_stochastic(gb_search *s)
{
    ascent a = {.search = s, .draws = s->model->options.samples > 0 ? s->model->options.samples : 1};
    char why[GB_SEARCH_WORDS];
    memcpy(why, s->words, sizeof why);
    s->words[0] = '\0';
    if (!find_variables(&a) || !rate_variable(&a))
        return false;
    gb_variables_read(&a.all, a.best);
    memcpy(a.average, a.best, a.n * sizeof *a.best);
    s->end = GB_FIT_CONVERGED;
    swap_training(s->model);
    const bool good = ascend(&a);
    swap_training(s->model);
    add_reason(s, why);
    bool done = gb_error(s->tape) == GB_OK && gb_variables_set(&a.all, a.best);
    if (done && (s->end != GB_FIT_UNFINISHED || isfinite(a.elbo)))
        done = look(&a, &s->elbo, &s->error);
    gb_program_free(a.look);
    return done && good;
}
