/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradients of a point: lessons, runs, and their moments by groups. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/replicates/figure_impl.h"
#include "compare/watching/watching_impl.h"
#include "core/ground/clock_impl.h"
#include "core/ground/text_impl.h"
#include "core/op.h"
#include "estimators/learn.h"
#include "models/elbo/elbo_impl.h"
#include "models/training/batches_impl.h"

enum { MOST_LEARNED = 64, TIMED = 4 };

/* Numbers of batches: those of lessons are no measured ones. */
static const uint64_t OF_LESSONS = UINT64_C(1) << 62;

/* ---- what was learned ---- */

static bool copy_learned(gb_node from, gb_node to)
{
    gb_learned source[MOST_LEARNED], own[MOST_LEARNED];
    const size_t count = gb_node_learned(to, own, MOST_LEARNED);
    if (gb_node_learned(from, source, MOST_LEARNED) != count || count > MOST_LEARNED)
        return gb_fail(to.tape, GB_ELIMIT, "watch: an estimator learns more than %d things", MOST_LEARNED) ==
               GB_OK;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < own[i].count; k++)
            if (!gb_node_same(own[i].variable[k], source[i].variable[k]) &&
                gb_set_data(own[i].variable[k], gb_variable_data(source[i].variable[k])) != GB_OK)
                return false;
    return true;
}

static bool teach(gb_watch_work *w, gb_watcher *one, const gb_watch_program *p)
{
    return copy_learned(gb_elbo_loss(one->is_own ? w->elbo : one->elbo), p->loss);
}

static bool pick(gb_watch_work *w, uint64_t number)
{
    return !w->data || gb_batches_pick(w->data, number);
}

static bool learn(gb_watch_work *w, gb_watcher *one, int64_t lessons, uint64_t first)
{
    const double began = gb_seconds();
    for (int64_t i = 0; one->learns && i < lessons; i++)
        if (!pick(w, OF_LESSONS + first + (uint64_t)i) || gb_run(one->learns) != GB_OK)
            return false;
    if (one->learns && lessons > 0)
        one->learning_seconds = (gb_seconds() - began) / (double)lessons;
    return true;
}

/* ---- runs ---- */

/* Runs by number: all programs have the noise of the same numbers. */
static bool run(gb_watch_work *w, gb_watch_program *p, uint64_t number, double *values)
{
    const double began = gb_seconds();
    if (gb_program_set_step(p->program, number) != GB_OK || gb_run(p->program) != GB_OK)
        return false;
    p->seconds = gb_seconds() - began;
    double *at = values;
    for (size_t i = 0; i <= w->variables; i++) {
        gb_read_root(p->program, i, at);
        at += (size_t)p->at_a_time * (i < w->variables ? w->size[i] : 1);
    }
    return gb_error(w->tape) == GB_OK;
}

/* Returns the address of element 0 of a variable in one gradient of a run. */
static const double *gradient(const gb_watch_work *w, const gb_watch_program *p, size_t variable, int64_t i)
{
    const double *at = w->values;
    for (size_t v = 0; v < variable; v++)
        at += (size_t)p->at_a_time * w->size[v];
    return at + (size_t)i * (variable < w->variables ? w->size[variable] : 1);
}

/* ---- moments ---- */

/* Of the elements of one gradient after `count` others of its group: the mean moves, and what is added to
 * the sum of squares about it goes to `squares`, parameter by parameter. */
static void add(const gb_watch_work *w, const gb_watch_program *p, int64_t i, double count, double *mean,
                double *squares)
{
    size_t element = 0, parameter = 0;
    for (size_t v = 0; v < w->variables; v++) {
        const double *const x = gradient(w, p, v, i);
        for (size_t k = 0; k < w->size[v]; k++, element++) {
            const double off = x[k] - mean[element];
            mean[element] += off / (count + 1);
            if (element == w->first[parameter + 1])
                parameter++;
            squares[parameter] += off * (x[k] - mean[element]);
        }
    }
}

static void write_raw(gb_watch_work *w, const gb_watcher *one, const gb_watch_program *p, uint64_t step,
                      int64_t batch, int64_t draw, int64_t i)
{
    const char *const name = w->it.name[one - w->watcher];
    for (size_t v = 0; w->with.raw && v < w->variables; v++)
        for (size_t k = 0; k < w->size[v]; k++) {
            fprintf(w->with.raw, "%llu,", (unsigned long long)step);
            gb_csv_text(w->with.raw, name);
            fprintf(w->with.raw, ",%lld,%lld,", (long long)batch, (long long)draw);
            gb_csv_text(w->with.raw, gb_variable_name(w->variable[v]));
            fprintf(w->with.raw, ",%zu,", k);
            gb_put_number(w->with.raw, gradient(w, p, v, i)[k]);
            fputc('\n', w->with.raw);
        }
}

static bool take_batch(gb_watch_work *w, gb_watcher *one, uint64_t step, int64_t batch)
{
    gb_watch_program *const p = &one->many;
    const int64_t each = w->it.gradients / w->it.batches, runs = (each + p->at_a_time - 1) / p->at_a_time,
                  of_group = (int64_t)one->sum.each;
    for (int64_t draw = 0, i = 0; draw < each; draw++, i++) {
        if (i == p->at_a_time || draw == 0) {
            const int64_t number = batch * runs + draw / p->at_a_time;
            if (!run(w, p, step * (uint64_t)(w->it.batches * runs) + (uint64_t)number, w->values))
                return false;
            i = 0;
        }
        const size_t group = (size_t)(w->it.batches > 1 ? batch : draw / of_group);
        const int64_t before = w->it.batches > 1 ? draw : draw % of_group;
        add(w, p, i, (double)before, w->mean + group * w->elements, w->squares + group * w->it.parameters);
        w->bound[group] += *gradient(w, p, w->variables, i) / (double)of_group;
        write_raw(w, one, p, step, batch, draw, i);
    }
    return true;
}

/* ---- figures ---- */

/* Moments of one parameter over the groups, whose means are in w->mean. */
static void group_moments(const gb_watch_work *w, size_t parameter, gb_watch_groups *g)
{
    const double divide = g->each > 1 ? g->each - 1 : 1;
    g->length = 0;
    for (size_t i = 0; i < g->groups; i++) {
        g->within[i] = w->squares[i * w->it.parameters + parameter] / divide;
        g->off[i] = g->along[i] = 0;
    }
    for (size_t e = w->first[parameter]; e < w->first[parameter + 1]; e++) {
        double mean = 0;
        for (size_t i = 0; i < g->groups; i++)
            mean += w->mean[i * w->elements + e] / (double)g->groups;
        g->length += mean * mean;
        for (size_t i = 0; i < g->groups; i++) {
            const double off = w->mean[i * w->elements + e] - mean;
            g->off[i] += off * off;
            g->along[i] += mean * off;
        }
    }
}

/* The gradient itself, of a single number. */
static gb_figure mean_of(const gb_watch_work *w, size_t parameter, const gb_watch_groups *g, double *scratch)
{
    if (w->it.numbers[parameter] != 1)
        return gb_figure_unknown();
    for (size_t i = 0; i < g->groups; i++)
        scratch[i] = w->mean[i * w->elements + w->first[parameter]];
    return gb_figure_of_mean(g->groups, scratch, false);
}

/* Changes the figures, and keeps those of single draws. */
static void set(gb_watched *to, gb_watched figures)
{
    figures.of_draw = to->of_draw;
    *to = figures;
}

static void conclude(const gb_watch_work *w, gb_watcher *one, gb_watched *parameter)
{
    const size_t groups = one->sum.groups;
    gb_watch_groups own = one->sum;
    own.within = w->scratch;
    own.off = own.within + groups;
    own.along = own.off + groups;
    one->sum.length = 0;
    memset(one->sum.within, 0, 3 * groups * sizeof *own.within);
    for (size_t i = 0; i < w->it.parameters; i++) {
        group_moments(w, i, &own);
        gb_watch_groups_add(&one->sum, &own);
        set(&parameter[i], gb_watched_of(&own));
        parameter[i].mean = mean_of(w, i, &own, w->scratch);
    }
    set(&parameter[w->it.parameters], gb_watched_of(&one->sum));
}

static bool gradients(gb_watch_work *w, gb_watcher *one, uint64_t step, gb_watched_estimator *result,
                      gb_watched *parameter)
{
    const size_t groups = one->sum.groups;
    memset(w->mean, 0, groups * w->elements * sizeof *w->mean);
    memset(w->squares, 0, groups * w->it.parameters * sizeof *w->squares);
    memset(w->bound, 0, groups * sizeof *w->bound);
    if (!teach(w, one, &one->many))
        return false;
    for (int64_t b = 0; b < w->it.batches; b++)
        if (!pick(w, step * (uint64_t)w->it.batches + (uint64_t)b) || !take_batch(w, one, step, b))
            return false;
    conclude(w, one, parameter);
    result->bound = gb_figure_of_mean(groups, w->bound, false);
    return true;
}

/* ---- parts of single draws ---- */

/* Adds |g − g′|² / 2 of the pairs of a run to `sum`, parameter by parameter, and the total. The axis of the
 * two of a pair was made first, so it is the outer one. */
static void add_pairs(const gb_watch_work *w, const gb_watch_program *p, double *sum)
{
    const int64_t pairs = p->at_a_time / 2;
    for (int64_t i = 0; i < pairs; i++) {
        size_t element = 0, parameter = 0;
        for (size_t v = 0; v < w->variables; v++) {
            const double *const x = gradient(w, p, v, i), *const y = gradient(w, p, v, pairs + i);
            for (size_t k = 0; k < w->size[v]; k++, element++) {
                const double square = (x[k] - y[k]) * (x[k] - y[k]) / 2;
                if (element == w->first[parameter + 1])
                    parameter++;
                sum[parameter] += square;
                sum[w->it.parameters] += square;
            }
        }
    }
}

/* Runs of pairs on each batch: with one batch, enough for groups. */
static int64_t pair_runs(const gb_watch_work *w, const gb_watch_program *p)
{
    enum { LEAST_RUNS = 8 };
    const int64_t pairs = p->at_a_time / 2, wanted = w->it.gradients / 2 / w->it.batches,
                  runs = (wanted + pairs - 1) / pairs, least = w->it.batches > 1 ? 1 : LEAST_RUNS;
    return runs < least ? least : runs;
}

static bool part_of(gb_watch_work *w, gb_watcher *one, size_t draw, uint64_t step, gb_watched *parameter)
{
    gb_watch_program *const p = &one->of_draw[draw];
    const int64_t runs = pair_runs(w, p), batches = w->it.batches;
    const size_t all = w->it.parameters + 1, groups = batches > 1               ? (size_t)batches
                                                      : runs < GB_WATCH_BATCHES ? (size_t)runs
                                                                                : GB_WATCH_BATCHES;
    double count[GB_WATCH_BATCHES] = {0}, each[GB_WATCH_BATCHES];
    memset(w->squares, 0, groups * all * sizeof *w->squares);
    if (!teach(w, one, p))
        return false;
    for (int64_t i = 0; i < batches * runs; i++) {
        const uint64_t batch = step * (uint64_t)batches + (uint64_t)(i / runs);
        const size_t group = batches > 1 ? (size_t)(i / runs) : (size_t)i % groups;
        if ((i % runs == 0 && !pick(w, batch)) ||
            !run(w, p, batch * (uint64_t)runs + (uint64_t)(i % runs), w->values))
            return false;
        count[group] += (double)(p->at_a_time / 2);
        add_pairs(w, p, w->squares + group * all);
    }
    for (size_t i = 0; i < all; i++) {
        for (size_t k = 0; k < groups; k++)
            each[k] = w->squares[k * all + i] / count[k];
        ((gb_figure *)(uintptr_t)parameter[i].of_draw)[draw] = gb_figure_of_mean(groups, each, true);
    }
    return true;
}

/* ---- the cost ---- */

static bool time_it(gb_watch_work *w, gb_watcher *one, uint64_t step, gb_figure *seconds)
{
    double took[TIMED];
    if (!teach(w, one, &one->one))
        return false;
    for (int i = 0; i < TIMED; i++) {
        if (!run(w, &one->one, step * TIMED + (uint64_t)i, w->values))
            return false;
        took[i] = one->one.seconds;
    }
    *seconds = gb_figure_of_mean(TIMED, took, true);
    return true;
}

/* ---- a point ---- */

static int64_t lessons_of(const gb_watch_work *w, uint64_t step)
{
    const uint64_t since = w->has_last && step > w->last ? step - w->last
                           : w->has_last                 ? 0
                                                         : step,
                   every = (uint64_t)w->with.every;
    return w->with.lessons > 0 ? w->with.lessons : (int64_t)(since < every ? since : every);
}

static gb_watched *new_parameters(const gb_watch_work *w)
{
    const size_t all = w->it.parameters + 1;
    gb_watched *const made = gb_tape_keep(w->tape, all * sizeof *made);
    gb_figure *const of_draw =
        w->with.by_draw ? gb_tape_keep(w->tape, all * (w->it.draws + 1) * sizeof *of_draw) : NULL;
    for (size_t i = 0; made && of_draw && i < all; i++) {
        made[i].of_draw = of_draw + i * (w->it.draws + 1);
        for (size_t k = 0; k <= w->it.draws; k++)
            of_draw[i * (w->it.draws + 1) + k] = gb_figure_unknown();
    }
    return made;
}

static bool measure(gb_watch_work *w, gb_watcher *one, uint64_t step, gb_watched_estimator *result)
{
    gb_watched *const parameter = new_parameters(w);
    if (!parameter || !learn(w, one, lessons_of(w, step), w->lessons) ||
        !gradients(w, one, step, result, parameter) || !time_it(w, one, step, &result->seconds))
        return false;
    for (size_t i = 0; w->with.by_draw && i < w->it.draws; i++)
        if (one->of_draw[i].program && !part_of(w, one, i, step, parameter))
            return false;
    result->parameter = parameter;
    return true;
}

void gb_watch_measure(gb_watch_work *w, gb_watch_point *point)
{
    gb_watched_estimator *const result = gb_tape_keep(w->tape, w->it.estimators * sizeof *result);
    const gb_watcher *first = NULL;
    if (!result)
        return;
    for (size_t i = 0; i < w->it.estimators; i++) {
        gb_watcher *const one = &w->watcher[i];
        result[i] = (gb_watched_estimator){.evaluations = one->evaluations,
                                           .seconds = gb_figure_unknown(),
                                           .bound = gb_figure_unknown(),
                                           .ratio = gb_figure_unknown()};
        if (!one->elbo)
            continue;
        if (!measure(w, one, point->step, &result[i]))
            gb_watch_forgive(w, w->it.name[i]);
        if (!result[i].parameter)
            continue;
        first = first || i > 0 ? first : one;
        if (first)
            result[i].ratio = gb_watch_ratio(one->evaluations, &one->sum, first->evaluations, &first->sum);
    }
    w->lessons += (uint64_t)lessons_of(w, point->step);
    point->estimator = result;
}

double gb_watch_foresee(gb_watch_work *w, uint64_t step)
{
    double seconds = 0;
    for (size_t i = 0; i < w->it.estimators; i++) {
        gb_watcher *const one = &w->watcher[i];
        const double each = (double)(w->it.gradients / w->it.batches), batches = (double)w->it.batches;
        if (!one->elbo || !pick(w, step))
            continue;
        if (run(w, &one->one, 0, w->values) && run(w, &one->many, 0, w->values))
            seconds += ceil(each / (double)one->many.at_a_time) * batches * one->many.seconds +
                       TIMED * one->one.seconds;
        for (size_t k = 0; w->with.by_draw && k < w->it.draws; k++)
            if (one->of_draw[k].program && run(w, &one->of_draw[k], 0, w->values))
                seconds += (double)pair_runs(w, &one->of_draw[k]) * batches * one->of_draw[k].seconds;
        if (gb_error(w->tape) != GB_OK)
            gb_watch_forgive(w, w->it.name[i]);
    }
    return seconds;
}

/* A lesson is about a gradient. */
double gb_watch_foresee_lessons(const gb_watch_work *w, uint64_t step)
{
    double each = 0;
    for (size_t i = 0; i < w->it.estimators; i++) {
        const gb_watcher *const one = &w->watcher[i];
        if (one->elbo && one->learns)
            each += one->learning_seconds > 0 ? one->learning_seconds : one->one.seconds;
    }
    return each * (double)lessons_of(w, step);
}
