/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_fit: a training, or a method. */
#include "fitting/fit.h"

#include <math.h>
#include <stdio.h>

#include "core/graph/feeds_impl.h"
#include "core/ground/clock_impl.h"
#include "core/ground/memory_impl.h"
#include "core/team.h"
#include "fitting/fit/judged_impl.h"
#include "fitting/judge/kept_starts_impl.h"
#include "fitting/search/variables_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/training/fit_impl.h"
#include "models/training/progress_impl.h"

/* ---- options ---- */

/* An option that means something to a training only. NULL: there is none. */
static const char *of_training(const gb_fit_options *o)
{
    const struct {
        bool is_given;
        const char *name;
    } option[] = {{o->variables.count > 0, "variables"},
                  {o->clip != 0, "clip"},
                  {o->clip_norm != 0, "clip_norm"},
                  {o->average != 0, "average"},
                  {o->average_after != 0, "average_after"},
                  {o->steps != 0, "steps"},
                  {o->epochs != 0, "epochs"},
                  {o->window != 0, "window"},
                  {o->plateau, "plateau"},
                  {o->improvement != 0, "improvement"},
                  {o->false_stop != 0, "false_stop"},
                  {o->checkpoint != NULL, "checkpoint"},
                  {o->checkpoint_every != 0, "checkpoint_every"},
                  {o->resume, "resume"},
                  {o->gradient_norm, "gradient_norm"},
                  {o->validate != NULL, "validate"},
                  {o->validate_by != GB_VALIDATE_DENSITY, "validate_by"},
                  {o->validate_every != 0, "validate_every"},
                  {o->validate_draws != 0, "validate_draws"},
                  {o->patience != 0, "patience"}};
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (option[i].is_given)
            return option[i].name;
    return NULL;
}

/* An option of the methods. NULL: there is none. */
static const char *of_method(const gb_fit_options *o)
{
    return o->method != GB_FIT_USUAL ? "method"
           : o->seed != 0            ? "seed"
           : o->seconds != 0         ? "seconds"
           : o->gradients != 0       ? "gradients"
           : o->draws != 0           ? "draws"
           : o->unjudged             ? "unjudged"
                                     : NULL;
}

static bool options_fit(gb_tape *tape, const gb_fit_options *o)
{
    const char *const other = o->optimiser.type ? of_method(o) : of_training(o);
    if (other && o->optimiser.type)
        gb_fail(tape, GB_EARGUMENT,
                "fit: .%s is for fits without .optimiser, and an optimiser is given; leave one of them out",
                other);
    else if (other)
        gb_fail(tape, GB_EARGUMENT,
                "fit: .%s is for a training, which needs .optimiser (gb_adam() …); without it, gb_fit "
                "chooses its own steps and ends by itself",
                other);
    else if (o->method < GB_FIT_USUAL || o->method > GB_FIT_STOCHASTIC)
        gb_fail(tape, GB_EARGUMENT, "fit: there is no .method number %d", (int)o->method);
    else if (!(o->seconds >= 0) || o->gradients < 0 || o->draws < 0)
        gb_fail(tape, GB_EARGUMENT, "fit: .seconds is %g, .gradients %lld, .draws %lld: none may be negative",
                o->seconds, (long long)o->gradients, (long long)o->draws);
    return gb_error(tape) == GB_OK;
}

/* ---- progress ---- */

typedef struct watching {
    const gb_fit_options *options;
    gb_tape *tape;
    gb_feeds *feeds; /* while `.each` is called; NULL without it */
    gb_fit_progress progress;
    gb_fit_point last;
} watching;

/* Calls `.each`, which may feed the inputs for programs of its own. The search keeps what it has. */
static bool ask(const watching *w, const gb_fit_point *point)
{
    bool goes_on = !w->options->stop || !w->options->stop(w->options->user);
    if (w->options->each && goes_on) {
        gb_feeds_keep(w->feeds);
        goes_on = w->options->each(w->options->user, point);
        gb_fit_restore(w->tape, w->feeds, w->options->data);
    }
    return !gb_tape_any(w->tape, !goes_on);
}

static bool watch(void *user, const gb_fit_point *point)
{
    watching *const w = user;
    w->last = *point;
    if (gb_fit_progress_due(&w->progress, point->seconds))
        gb_fit_progress_show(&w->progress, point);
    return ask(w, point);
}

/* ---- the methods ---- */

static bool (*const searches[])(gb_search *) = {[GB_FIT_USUAL] = gb_search_fixed_draws,
                                                [GB_FIT_FIXED_DRAWS] = gb_search_fixed_draws,
                                                [GB_FIT_PATHFINDER] = gb_search_pathfinder,
                                                [GB_FIT_LAPLACE] = gb_search_laplace,
                                                [GB_FIT_STOCHASTIC] = gb_search_stochastic};
static const char *const names[] = {"usual", "fixed draws", "Pathfinder", "Laplace", "stochastic"};

/* Returns the method that can do it. `words` of the search say why it is not the one that was asked for. */
static gb_fit_method method_of(gb_search *s, const gb_fit_options *o)
{
    const bool has_normals = s->density != NULL;
    if (has_normals || o->method == GB_FIT_STOCHASTIC)
        return o->method == GB_FIT_USUAL ? GB_FIT_FIXED_DRAWS : o->method;
    if (o->method == GB_FIT_USUAL)
        return GB_FIT_STOCHASTIC;
    gb_fail(s->tape, GB_EARGUMENT,
            "fit: the method %s cannot fit this ELBO: %s; .method = GB_FIT_STOCHASTIC can", names[o->method],
            s->words);
    return o->method;
}

static void search(gb_search *s, gb_elbo *e, const gb_fit_options *o, gb_feeds *feeds, gb_fit_result *result)
{
    watching w = {.options = o, .tape = e->tape, .feeds = feeds};
    gb_search_begin(s, e, o);
    if (gb_error(s->tape) != GB_OK)
        return;
    result->method = method_of(s, o);
    if (gb_error(s->tape) != GB_OK)
        return;
    s->each = watch;
    s->user = &w;
    gb_fit_progress_begin(&w.progress, gb_tape_is_first(e->tape) ? o->progress : NULL, 0, 0);
    if (searches[result->method](s) && s->density && result->method != GB_FIT_STOCHASTIC)
        gb_member_write(&s->family, &s->best);
    if (gb_error(s->tape) == GB_OK)
        gb_fit_judge(s, o, result);
    w.last.elbo = s->elbo;
    w.last.error = s->error;
    w.last.seconds = gb_seconds() - s->began;
    w.last.step = (uint64_t)s->gradients;
    result->last = w.last;
    gb_fit_progress_end(&w.progress, &w.last, s->end == GB_FIT_CONVERGED ? "converged" : "not converged");
}

/* Checks the data, and prepares to keep them while `.each` is called. */
static bool data_fit(gb_elbo *e, const gb_fit_options *o, gb_feeds **feeds)
{
    const char *const ensemble = gb_elbo_ensemble(e);
    if (ensemble)
        return gb_fail(e->tape, GB_EARGUMENT,
                       "fit: latent %s is an ensemble, whose members are the samples of a run; a fit without "
                       ".optimiser takes as many samples as it needs: give .optimiser (gb_adam() ...)",
                       ensemble) == GB_OK;
    gb_program *const program = gb_compile(e->tape, gb_roots(gb_elbo_loss(e)), gb_no_update);
    const bool fits = program && gb_fit_data_fit(e, program, o->data, o->part_of_data) &&
                      (!o->each || (*feeds = gb_feeds_new(program)));
    gb_program_free(program);
    return fits && gb_error(e->tape) == GB_OK;
}

/* What the variables were before: a fit that fails leaves them as it found them. */
typedef struct before {
    gb_arena arena;
    gb_variables all;
    double *x;
} before;

static bool remember(before *b, gb_elbo *e)
{
    if (!gb_variables_find(&b->all, gb_elbo_loss(e), &b->arena))
        return false;
    if (!e->kept && b->all.numbers == 0)
        return gb_fail(e->tape, GB_EARGUMENT,
                       "fit: the ELBO has no latents (gb_latent), so there is nothing to fit") == GB_OK;
    b->x = gb_arena_take(&b->arena, (b->all.numbers + 1) * sizeof *b->x);
    if (b->x)
        gb_variables_read(&b->all, b->x);
    else
        gb_fail(e->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", b->all.numbers);
    return b->x;
}

static void restore(const before *b, gb_tape *tape)
{
    char words[GB_SEARCH_WORDS];
    const gb_status status = gb_error(tape);
    if (!b->x)
        return;
    snprintf(words, sizeof words, "%s", gb_error_text(tape));
    gb_forgive(tape);
    gb_variables_set(&b->all, b->x);
    gb_fail(tape, status, "%s", words);
}

static gb_fit_result find(gb_elbo *e, const gb_fit_options *o)
{
    gb_search s;
    gb_fit_result result = {
        .end = GB_FIT_ERROR, .words = "", .elbo = NAN, .error = NAN, .best.validation = NAN};
    const gb_memory memory = gb_tape_memory(e->tape);
    before b = {.arena.memory = &memory};
    gb_feeds *feeds = NULL;
    gb_search_density(&s, NULL, 0);
    s.tape = e->tape;
    if (data_fit(e, o, &feeds) && remember(&b, e))
        search(&s, e, o, feeds, &result);
    gb_feeds_end(feeds);
    gb_judgement_is_of_tape(result.judgement);
    result.end = gb_error(s.tape) == GB_OK ? s.end : GB_FIT_ERROR;
    result.elbo = s.elbo;
    result.error = s.error;
    result.draws = s.draws;
    result.gradients = s.gradients;
    result.seconds = gb_seconds() - s.began;
    if (gb_error(s.tape) == GB_OK && !result.words[0])
        result.words = gb_tape_keep_text(s.tape, s.words);
    gb_search_end(&s);
    result.status = gb_error(s.tape);
    if (result.status != GB_OK) {
        restore(&b, s.tape);
        result.end = GB_FIT_ERROR;
        result.words = "an error, which is on the tape";
        result.verdict = GB_VERDICT_NONE;
        result.judgement = NULL;
    }
    gb_arena_free(&b.arena);
    return result;
}

gb_fit_result gb_fit_with(gb_elbo *elbo, const gb_fit_options *options)
{
    gb_fit_options own;
    gb_tape *const tape = elbo ? elbo->tape : NULL;
    if (!elbo || gb_error(tape) != GB_OK || !gb_options_take(tape, "fit", &own, sizeof own, options) ||
        !options_fit(tape, &own) || own.optimiser.type)
        return gb_fit_train(elbo, options);
    if (!gb_node_ok(gb_elbo_loss(elbo)))
        return (gb_fit_result){.status = gb_error(tape), .end = GB_FIT_ERROR, .words = ""};
    return find(elbo, &own);
}
