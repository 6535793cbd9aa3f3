/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit that says how good it is: other starts, and a judgement. */
#include "fitting/fit/judged_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fitting/judge.h"
#include "fitting/judge/kept_starts_impl.h"
#include "models/elbo/elbo_impl.h"

/* A place is better if its ELBO is higher by so much, in nats, and by four standard errors. */
static const double better = 0.05;
enum { MOST_MOVES = 4 };

typedef struct elsewhere {
    gb_search_place place[GB_SEARCH_PLACES];
    size_t count;
} elsewhere;

static gb_search_place *best_of(const gb_search *s, elsewhere *other)
{
    gb_search_place *best = NULL;
    double most = s->elbo;
    for (size_t i = 0; i < other->count; i++) {
        gb_search_place *const p = &other->place[i];
        if (p->end == GB_FIT_CONVERGED && p->elbo > most &&
            p->elbo - s->elbo > better + 4 * hypot(p->error, s->error)) {
            best = p;
            most = p->elbo;
        }
    }
    return best;
}

/* The best member and a place change places; the search goes on from there. */
static bool move_to(gb_search *s, gb_search_place *place)
{
    gb_member found = gb_member_new(&s->family, &s->arena);
    if (!found.mean)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", s->n) == GB_OK;
    gb_member_copy(&s->family, &place->member, &found);
    gb_member_copy(&s->family, &s->best, &place->member);
    gb_member_copy(&s->family, &found, &s->best);
    for (size_t i = 0; i < s->n; i++)
        place->sd[i] = gb_member_sd(&s->family, &place->member, i);
    place->elbo = s->elbo;
    place->error = s->error;
    return gb_search_settle(s);
}

static bool look_elsewhere(gb_search *s, elsewhere *other)
{
    gb_search_place *higher;
    if (!gb_search_others(s, other->place, &other->count))
        return false;
    for (int moves = 0; moves < MOST_MOVES && s->end == GB_FIT_CONVERGED && (higher = best_of(s, other));
         moves++)
        if (!move_to(s, higher))
            return false;
    return true;
}

static void release(void *judgement)
{
    gb_judgement_free(judgement);
}

/* The verdict's words, then those of the search, unless the verdict has them. */
static void say(gb_search *s, gb_fit_result *result, const char *verdict)
{
    const bool has_both = !result->judgement || s->end == GB_FIT_CONVERGED;
    const size_t bytes = strlen(verdict) + strlen(s->words) + 2;
    char *const words = gb_tape_keep(s->tape, bytes);
    if (!words)
        return;
    snprintf(words, bytes, "%s%s%s", verdict, has_both ? "\n" : "", has_both ? s->words : "");
    result->words = words;
}

/* Why q is not the best member; NULL: it is. */
static const char *unfinished_words(const gb_search *s)
{
    return s->end == GB_FIT_CONVERGED ? NULL : s->words;
}

/* An error of judging alone is said, and the fit stands. */
static void say_unjudged(gb_search *s, gb_fit_result *result)
{
    char why[GB_SEARCH_WORDS];
    if (gb_error(s->tape) == GB_ENOMEM)
        return;
    snprintf(why, sizeof why, "not judged: %s", gb_error_text(s->tape));
    gb_forgive(s->tape);
    say(s, result, why);
}

_Static_assert((int)GB_SEARCH_PLACES <= (int)GB_STARTS_KEPT, "all starts are kept");

static void judge(gb_search *s, const gb_fit_options *o, const gb_judge_start *start, size_t count,
                  gb_fit_result *result)
{
    bool is_long;
    gb_density *const density = gb_search_judged(s, o->data, &is_long);
    if (is_long) {
        if (s->end == GB_FIT_UNFINISHED)
            result->verdict = GB_VERDICT_NOT_CONVERGED;
        say(s, result, "not judged: the data are in many batches; gb_judge(e, .data = …) takes its time");
        return;
    }
    gb_judgement *const j =
        density ? gb_judge(s->model, .density = density, .starts = start, .start_count = count,
                           .seed = s->seed, .unfinished = unfinished_words(s))
                : NULL;
    if (!j) {
        say_unjudged(s, result);
        return;
    }
    if (!gb_tape_own(s->tape, release, j))
        return;
    result->judgement = j;
    result->verdict = j->verdict;
    say(s, result, j->words);
}

void gb_fit_judge(gb_search *s, const gb_fit_options *o, gb_fit_result *result)
{
    elsewhere other = {0};
    gb_judge_start start[GB_SEARCH_PLACES];
    const bool has_optimum = result->method == GB_FIT_FIXED_DRAWS && s->end == GB_FIT_CONVERGED;
    if (!o->unjudged && has_optimum && s->family.scaled > 0 &&
        (!look_elsewhere(s, &other) || gb_member_write(&s->family, &s->best) != GB_OK))
        return;
    for (size_t i = 0; i < other.count; i++) {
        const gb_search_place *const p = &other.place[i];
        start[i] = (gb_judge_start){.mean = p->member.mean,
                                    .sd = p->sd,
                                    .elbo = p->elbo,
                                    .error = p->error,
                                    .is_unfinished = p->end != GB_FIT_CONVERGED};
    }
    if (!gb_starts_keep(s->model, o->data, s->density ? s->n : 0, other.count, start, unfinished_words(s)) ||
        o->unjudged)
        return;
    if (s->end == GB_FIT_CALLBACK) {
        result->verdict = GB_VERDICT_NOT_CONVERGED;
        say(s, result, gb_verdict_text(result->verdict));
    } else
        judge(s, o, start, other.count, result);
    if (gb_error(s->tape) == GB_OK)
        gb_starts_keep_verdict(s->model, result->verdict);
}
