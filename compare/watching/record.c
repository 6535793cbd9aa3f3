/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model recorded again: with each estimator, then with many gradients side by side. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/watching/watching_impl.h"
#include "core/gradient.h"
#include "core/graph/looking_impl.h"
#include "core/ground/text_impl.h"
#include "core/op.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "models/elbo/elbo_impl.h"
#include "models/optimisers/minimise_impl.h"
#include "ops/array.h"
#include "ops/reduce.h"

/* Side by side, gradients share the overhead of a run; numbers beyond the cache would make them slower. */
enum { MOST_BYTES = 1 << 22, LEAST_TOGETHER = 4, MOST_LEARNED = 64 };

static gb_elbo_again again(const gb_watch_work *w, const gb_watcher *one, gb_swap *swap)
{
    *swap = (gb_swap){.latent = w->with.latent, .estimator = one->estimator};
    return (gb_elbo_again){
        .word = w->word, .stream = ".watch", .swaps = one->estimator.type ? 1 : 0, .swap = swap};
}

/* ---- one gradient in a run ---- */

/* Whether the estimators of all draws are what they were. */
static bool is_own(const gb_watch_work *w, const gb_elbo *e)
{
    for (size_t i = 0; i < w->it.draws; i++) {
        const gb_estimator a = gb_elbo_estimator_of(e, w->it.draw[i]),
                           b = gb_elbo_estimator_of(w->elbo, w->it.draw[i]);
        if (a.type != b.type || !gb_options_same(&a.options, &b.options))
            return false;
    }
    return true;
}

/* Variables that were recorded since node number `from` are the watch's. */
static void mark_as_looking(const gb_watch_work *w, size_t from)
{
    const size_t count = gb_tape_variables(w->tape, NULL, 0);
    gb_node *const all = gb_tape_keep(w->tape, (count + 1) * sizeof *all);
    for (size_t i = 0; all && i < gb_tape_variables(w->tape, all, count); i++)
        if (all[i].id >= from)
            gb_variable_looks_on(all[i]);
}

/* Goes on without what could not be recorded. A lack of memory or rows is no fault of the estimator's. */
static void give_up(gb_watch_work *w, const gb_watcher *one)
{
    if (gb_error(w->tape) == GB_ENOMEM || gb_error(w->tape) == GB_EFEED)
        gb_watch_forgive(w, w->it.name[one - w->watcher]);
    else
        gb_forgive(w->tape);
}

/* The error of the tape says why. */
static void leave_out(gb_watch_work *w, gb_watcher *one)
{
    one->elbo = NULL;
    snprintf(one->why, sizeof one->why, "%s", gb_error_text(w->tape));
    give_up(w, one);
}

/* One that was recorded, and that gb_watch did not reject. */
static void lose(gb_watch_work *w, gb_watcher *one)
{
    gb_watch_note(w, gb_error(w->tape), w->it.name[one - w->watcher], gb_error_text(w->tape));
    leave_out(w, one);
}

static void record_one(gb_watch_work *w, size_t which)
{
    gb_swap swap;
    char word[64];
    gb_watcher *const one = &w->watcher[which];
    gb_elbo_again how = again(w, one, &swap);
    snprintf(word, sizeof word, "%s_%zu", w->word, which + 1);
    how.word = word;
    one->elbo = gb_elbo_record_again(w->elbo, &how);
    if (!one->elbo) {
        leave_out(w, one);
        return;
    }
    const double samples = gb_node_axes(one->elbo->sampled) & GB_SAMPLES ? (double)w->samples : 1,
                 particles = (double)gb_bound_particles(one->elbo->options.bound);
    one->is_own = is_own(w, one->elbo);
    one->evaluations =
        samples * fmax(particles, 1) * gb_expect_evaluations(one->elbo->expect, one->elbo->sampled);
}

/* ---- what the gradient is in ---- */

static bool is_zero(gb_node gradient)
{
    double value;
    return gb_is_uniform(gradient, &value) && value == 0;
}

/* All variables in which the loss has a gradient. */
static bool find_variables(gb_watch_work *w)
{
    const gb_node loss = gb_elbo_loss(w->elbo);
    const size_t most = gb_node_variables(loss, NULL, 0);
    gb_node *const all = gb_tape_keep(w->tape, (2 * most + 1) * sizeof *all);
    w->size = gb_tape_keep(w->tape, (most + 1) * sizeof *w->size);
    if (!all || !w->size || gb_node_variables(loss, all, most) != most ||
        gb_grads(loss, all, most, all + most) != GB_OK)
        return false;
    for (size_t i = 0; i < most; i++)
        if (!is_zero(all[most + i])) {
            w->size[w->variables] = gb_shape_count(gb_node_shape(all[i]));
            w->elements += w->size[w->variables];
            all[w->variables++] = all[i];
        }
    w->variable = all;
    return w->elements > 0 ||
           gb_fail(w->tape, GB_EARGUMENT, "watch: the loss has no gradient in any variable") == GB_OK;
}

static void name_element(gb_node variable, size_t element, size_t bytes, char *text)
{
    const gb_shape shape = gb_node_shape(variable);
    int used = snprintf(text, bytes, "%s", gb_variable_name(variable));
    size_t inner = gb_shape_count(shape);
    for (int axis = 0; axis < shape.rank && used >= 0 && (size_t)used < bytes; axis++) {
        inner /= (size_t)shape.size[axis];
        used += snprintf(text + used, bytes - (size_t)used, "%c%zu%s", axis ? ',' : '[',
                         element / inner % (size_t)shape.size[axis], axis + 1 == shape.rank ? "]" : "");
    }
}

/* Parameters are variables, or their elements. */
static bool name_parameters(gb_watch_work *w)
{
    const size_t count = w->with.elements ? w->elements : w->variables;
    if (w->with.elements && count > GB_WATCH_ELEMENTS)
        return gb_fail(w->tape, GB_ELIMIT,
                       "watch: .elements is for at most %d numbers, and the gradient has %zu numbers",
                       GB_WATCH_ELEMENTS, count) == GB_OK;
    const char **const name = gb_tape_keep(w->tape, (count + 1) * sizeof *name);
    int64_t *const numbers = gb_tape_keep(w->tape, (count + 1) * sizeof *numbers);
    w->first = gb_tape_keep(w->tape, (count + 1) * sizeof *w->first);
    if (!name || !numbers || !w->first)
        return false;
    size_t parameter = 0, element = 0;
    for (size_t v = 0; v < w->variables; v++)
        for (size_t k = 0; k < w->size[v]; k += w->with.elements ? 1 : w->size[v]) {
            char text[320];
            if (w->with.elements)
                name_element(w->variable[v], k, sizeof text, text);
            else
                snprintf(text, sizeof text, "%s", gb_variable_name(w->variable[v]));
            name[parameter] = gb_tape_keep_text(w->tape, text);
            w->first[parameter] = element;
            numbers[parameter] = w->with.elements ? 1 : (int64_t)w->size[v];
            element += (size_t)numbers[parameter++];
        }
    w->first[parameter] = element;
    w->it.parameters = parameter;
    w->it.parameter = name;
    w->it.numbers = numbers;
    return gb_error(w->tape) == GB_OK;
}

static bool find_draws(gb_watch_work *w)
{
    const size_t count = gb_elbo_draws(w->elbo, NULL, 0);
    const char **const name = gb_tape_keep(w->tape, (count + 1) * sizeof *name);
    char **const why = gb_tape_keep(w->tape, (count + 1) * sizeof *why);
    if (!name || !why)
        return false;
    w->it.draws = gb_elbo_draws(w->elbo, name, count);
    w->it.draw = name;
    for (size_t i = 0; i < count; i++)
        if (!(why[i] = gb_tape_keep(w->tape, GB_WATCH_WORDS)))
            return false;
    w->draw_why = why;
    w->it.draw_why = (const char *const *)why;
    return true;
}

static bool none_fits(const gb_watch_work *w)
{
    char text[1024] = "";
    gb_text_writer words = {.text = text, .bytes = sizeof text};
    for (size_t i = 0; i < w->it.estimators; i++) {
        gb_text_put(&words, "; ");
        gb_text_put(&words, w->watcher[i].why);
    }
    return gb_fail(w->tape, GB_EARGUMENT, "watch: no estimator fits%s", text) == GB_OK;
}

bool gb_watch_record(gb_watch_work *w)
{
    size_t fitting = 0, before = 0;
    if (!gb_node_ok(gb_elbo_loss(w->elbo)) || !find_draws(w) || !find_variables(w) || !name_parameters(w))
        return false;
    before = gb_tape_length(w->tape);
    for (size_t i = 0; i < w->it.estimators; i++) {
        record_one(w, i);
        fitting += w->watcher[i].elbo != NULL;
    }
    mark_as_looking(w, before);
    if (w->it.status == GB_ENOMEM)
        return gb_fail(w->tape, GB_ENOMEM, "watch: %s", w->error) == GB_OK;
    return fitting > 0 || none_fits(w);
}

/* ---- programs ---- */

/* `variable`: as the model was recorded with. */
static bool make_program(const gb_watch_work *w, gb_watch_program *p, gb_elbo *e, const gb_node *variable,
                         gb_axes axes, int64_t at_a_time)
{
    gb_node *const root = gb_tape_keep(w->tape, (w->variables + 1) * sizeof *root);
    const gb_node loss = gb_elbo_loss(e), bound = gb_elbo_objective(e);
    if (!root || gb_grads(gb_sum_over(loss, gb_node_axes(loss)), variable, w->variables, root) != GB_OK)
        return false;
    root[w->variables] = bound;
    for (size_t i = 0; i <= w->variables; i++)
        root[i] = gb_widen(root[i], gb_node_axes(root[i]) | axes);
    *p = (gb_watch_program){.loss = loss, .at_a_time = at_a_time};
    p->program = gb_compile(w->tape, gb_roots_of(w->variables + 1, root), gb_no_update);
    return p->program && gb_program_set_samples(p->program, w->samples) == GB_OK &&
           gb_prepare(p->program) == GB_OK;
}

/* ---- side by side ---- */

typedef struct noise_search {
    gb_axes axes;
    bool is_alike;
} noise_search;

static bool look_for_noise(void *context, gb_node node)
{
    noise_search *const s = context;
    s->is_alike |= gb_node_op(node)->form == GB_FORM_NOISE && (gb_node_axes(node) & s->axes) != s->axes;
    return true;
}

/* Noise that is no draw of the model, such as the signs of Flipout, is the same in all copies. */
static bool copies_differ(gb_node loss, gb_axes axes)
{
    noise_search s = {.axes = axes};
    return gb_visit(loss, look_for_noise, &s) == GB_OK && !s.is_alike;
}

/* The model with `axes` besides. The noise of all draws but `free` is the same along those of `common`. */
static bool record_side_by_side(gb_watch_work *w, const gb_watcher *one, gb_watch_program *p, gb_axes axes,
                                gb_axes common, const char *free, int64_t at_a_time)
{
    gb_swap swap;
    char word[96];
    gb_elbo_again how = again(w, one, &swap);
    gb_node *const wide = gb_tape_keep(w->tape, (w->variables + 1) * sizeof *wide);
    snprintf(word, sizeof word, "%s_%zu.%zu", w->word, (size_t)(one - w->watcher) + 1,
             gb_tape_length(w->tape));
    how.word = word;
    for (size_t i = 0; wide && i < w->variables; i++)
        wide[i] = gb_widen(w->variable[i], axes);
    how.axes = axes;
    how.common = common;
    how.free = free;
    how.count = w->variables;
    how.variable = w->variable;
    how.instead = wide;
    gb_elbo *const e = wide ? gb_elbo_record_again(w->elbo, &how) : NULL;
    return e && copies_differ(e->loss, axes & ~common) && make_program(w, p, e, wide, axes, at_a_time);
}

/* How many gradients a run of an estimator can make side by side. */
static int64_t fitting(const gb_watcher *one)
{
    gb_plan_facts facts;
    if (!one->elbo || gb_program_plan(one->one.program, &facts) != GB_OK)
        return 0;
    const int64_t fit = MOST_BYTES / (int64_t)(facts.bytes + 1);
    return fit < LEAST_TOGETHER ? 0 : fit;
}

/* How many all of them make that can: with the same number they have the same noise. */
static int64_t together(const gb_watch_work *w)
{
    int64_t least = w->it.gradients / w->it.batches;
    for (size_t i = 0; i < w->it.estimators; i++) {
        const int64_t own = fitting(&w->watcher[i]);
        least = own > 0 && own < least ? own : least;
    }
    return least;
}

/* A model that cannot be recorded so is measured run by run. */
static void make_many(gb_watch_work *w, gb_watcher *one, int64_t count)
{
    if (count < 2 || fitting(one) == 0)
        return;
    gb_watch_program many = {0};
    if (w->side_by_side && record_side_by_side(w, one, &many, w->side_by_side, 0, NULL, count))
        one->many = many;
    else
        give_up(w, one);
}

/* Pairs of gradients that differ in one draw alone, `count` of them along `pairs`. */
static bool make_pairs(gb_watch_work *w, gb_watcher *one, size_t draw, gb_axes pairs, int64_t count)
{
    return w->pair && record_side_by_side(w, one, &one->of_draw[draw], w->pair | pairs, w->pair,
                                          w->it.draw[draw], 2 * count);
}

static void make_of_draw(gb_watch_work *w, gb_watcher *one, size_t draw, int64_t count)
{
    if (one->many.at_a_time > 1 && count > 1) {
        if (make_pairs(w, one, draw, w->pairs, count))
            return;
        give_up(w, one);
    }
    if (make_pairs(w, one, draw, 0, 1))
        return;
    one->of_draw[draw].program = NULL;
    snprintf(w->draw_why[draw], GB_WATCH_WORDS, "%s", gb_error_text(w->tape));
    give_up(w, one);
}

/* ---- learning ---- */

static gb_optimiser teacher_of(const gb_watch_work *w, const gb_fit_options *training)
{
    const bool has_own = w->with.learns_by.type != NULL;
    const gb_optimiser *const o = has_own ? &w->with.learns_by : training ? &training->optimiser : NULL;
    const bool fits = o && o->type && !o->type->joint && o->type != &gb_natural_optimiser_type;
    return fits || has_own ? *o : gb_adam(.lr = 1e-2);
}

/* The variables of the training are the training's to move. */
static bool make_lessons(gb_watch_work *w, gb_watcher *one, const gb_fit_options *training)
{
    const gb_node loss = gb_elbo_loss(one->elbo);
    const size_t most = gb_tape_variables(w->tape, NULL, 0);
    gb_node *const own = gb_tape_keep(w->tape, (most + 1) * sizeof *own);
    size_t count = 0;
    if (!own)
        return false;
    for (size_t i = 0; i < gb_tape_variables(w->tape, own, most); i++)
        if (gb_node_depends(gb_elbo_loss(w->elbo), own[i]))
            own[count++] = own[i];
    const gb_minimise_request request = {.loss = loss, .optimiser = teacher_of(w, training)};
    const gb_updates updates = gb_minimise_learned(&request, (gb_node_list){.count = count, .node = own});
    if (updates.count > 0 && gb_error(w->tape) == GB_OK)
        one->learns = gb_compile(w->tape, (gb_node_list){0}, updates);
    return gb_error(w->tape) == GB_OK &&
           (!one->learns ||
            (gb_program_set_samples(one->learns, w->samples) == GB_OK && gb_prepare(one->learns) == GB_OK));
}

/* ---- all of them ---- */

static bool make_groups(gb_watch_work *w, gb_watch_groups *g, int64_t groups)
{
    const size_t count = (size_t)groups;
    *g = (gb_watch_groups){.groups = count,
                           .each = (double)(w->it.gradients / groups),
                           .are_batches = w->it.batches > 1,
                           .within = gb_tape_keep(w->tape, 3 * count * sizeof *g->within)};
    g->off = g->within + count;
    g->along = g->off + count;
    return g->within;
}

static void prepare(gb_watch_work *w, gb_watcher *one, const gb_fit_options *training)
{
    one->of_draw = gb_tape_keep(w->tape, (w->it.draws + 1) * sizeof *one->of_draw);
    const bool good = one->of_draw && make_program(w, &one->one, one->elbo, w->variable, 0, 1) &&
                      (one->is_own || make_lessons(w, one, training));
    one->many = one->one;
    if (!good)
        lose(w, one);
}

/* Gradients on one batch are groups of one each, if there is memory for all. */
static int64_t groups_of(const gb_watch_work *w)
{
    enum { MOST_NUMBERS = 1 << 24, LEAST_GROUPS = 8 };
    if (w->it.batches > 1)
        return w->it.batches;
    int64_t groups = w->it.gradients;
    while (groups > 2 * LEAST_GROUPS && (size_t)groups * w->elements > MOST_NUMBERS)
        groups /= 2;
    return groups;
}

bool gb_watch_prepare(gb_watch_work *w, const gb_fit_options *training)
{
    const int64_t groups = groups_of(w);
    const size_t before = gb_tape_length(w->tape);
    w->it.gradients -= w->it.gradients % groups;
    const size_t rooms = (size_t)(groups > GB_WATCH_BATCHES ? groups : GB_WATCH_BATCHES);
    w->mean = gb_tape_keep(w->tape, (size_t)groups * w->elements * sizeof *w->mean);
    w->squares = gb_tape_keep(w->tape, rooms * (w->it.parameters + 1) * sizeof *w->squares);
    w->bound = gb_tape_keep(w->tape, (size_t)groups * sizeof *w->bound);
    w->scratch = gb_tape_keep(w->tape, 3 * (size_t)groups * sizeof *w->scratch);
    for (size_t i = 0; w->mean && w->squares && w->bound && w->scratch && i < w->it.estimators; i++) {
        gb_watcher *const one = &w->watcher[i];
        if (one->elbo && make_groups(w, &one->sum, groups))
            prepare(w, one, training);
    }
    const int64_t count = together(w), most = count > 2 ? count : 2;
    w->side_by_side = gb_site_axis(w->tape, "gradients", count);
    w->pair = w->with.by_draw ? gb_site_axis(w->tape, "pair", 2) : 0; /* first, so it is the outer one */
    w->pairs = w->with.by_draw ? gb_site_axis(w->tape, "pairs", count / 2) : 0;
    for (size_t i = 0; w->scratch && i < w->it.estimators; i++) {
        gb_watcher *const one = &w->watcher[i];
        if (!one->elbo)
            continue;
        make_many(w, one, count);
        for (size_t k = 0; w->with.by_draw && k < w->it.draws; k++)
            make_of_draw(w, one, k, count / 2);
    }
    w->values = gb_tape_keep(w->tape, (size_t)most * (w->elements + 1) * sizeof *w->values);
    mark_as_looking(w, before);
    return w->scratch && w->values && gb_error(w->tape) == GB_OK;
}
