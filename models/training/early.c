/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/training/early_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimators/visit.h"
#include "models/elbo/elbo_impl.h"
#include "models/predicting/held_out_impl.h"
#include "models/training/program_impl.h"

enum { USUAL_DRAWS = 100 };

/* ---- the programs ---- */

/* The step of a schedule is no parameter: the training continues to count. */
static bool is_kept(const gb_elbo *e, gb_node variable)
{
    return !gb_node_same(variable, e->kl_step);
}

static gb_node best_of(gb_node variable)
{
    char name[320];
    const char *const own = gb_variable_name(variable);
    if (snprintf(name, sizeof name, "%s.best", own) >= (int)sizeof name) {
        gb_fail(variable.tape, GB_ENAME, "fit: .patience: the name of variable %.40s … is too long", own);
        return (gb_node){0};
    }
    if (gb_tape_has_variable(variable.tape, name))
        return gb_variable_named(variable.tape, name);
    return gb_variable(variable.tape, name, gb_node_shape(variable), gb_fill(0));
}

static void compile(gb_fit_run *f, size_t count, const gb_node *variable)
{
    gb_updates keep = gb_no_update, exchange = gb_no_update;
    for (size_t i = 0; i < count; i++) {
        if (!is_kept(f->elbo, variable[i]))
            continue;
        const gb_node best = best_of(variable[i]);
        keep = gb_updates_join(gb_assign(best, variable[i]), keep);
        exchange = gb_updates_join(gb_assign(best, variable[i]), exchange);
        exchange = gb_updates_join(gb_assign(variable[i], best), exchange);
    }
    f->training->keep = gb_compile(f->tape, (gb_node_list){0}, keep);
    f->training->exchange = gb_compile(f->tape, (gb_node_list){0}, exchange);
}

static bool find_programs(gb_fit_run *f)
{
    const gb_node loss = gb_elbo_loss(f->elbo);
    const gb_memory memory = gb_tape_memory(f->tape);
    const size_t count = gb_node_variables(loss, NULL, 0);
    if (f->training->exchange || gb_error(f->tape) != GB_OK)
        return gb_error(f->tape) == GB_OK;
    gb_node *const variables = gb_memory_resize(&memory, NULL, (count + 1) * sizeof *variables);
    if (!variables)
        gb_fail(f->tape, GB_ENOMEM, "fit: out of memory for %zu variables", count);
    else if (gb_node_variables(loss, variables, count) == count)
        compile(f, count, variables);
    gb_memory_release(&memory, variables);
    return gb_error(f->tape) == GB_OK;
}

bool gb_fit_early_begin(gb_fit_run *f)
{
    if (!f->options.validate)
        return true;
    f->early.scores = gb_held_out_of(f->elbo, f->options.validate_by == GB_VALIDATE_ELBO);
    return f->early.scores && (f->options.patience == 0 || find_programs(f));
}

/* ---- scores ---- */

static bool run(gb_program *program)
{
    return !program || gb_run(program) == GB_OK;
}

static bool next_batch(void *batches)
{
    return gb_next_batch(batches);
}

/* The batches stand afterwards where they stood. */
static bool score_rows(const gb_fit_run *f, gb_held_out_score *scored)
{
    const gb_fit_options *const o = &f->options;
    const gb_batches_place before = gb_batches_at(o->validate);
    return gb_batches_go(o->validate, (gb_batches_place){0}) == GB_OK &&
           gb_held_out_rows(f->early.scores, gb_batches_rows(o->validate), next_batch, o->validate,
                            o->validate_draws ? o->validate_draws : USUAL_DRAWS, scored) &&
           gb_batches_go(o->validate, before) == GB_OK;
}

/* Optimisers that try points are scored at the accepted one. */
static bool score(gb_fit_run *f)
{
    gb_held_out_score scored;
    if (!run(f->training->settle) || !score_rows(f, &scored))
        return false;
    f->early.validation = scored.mean;
    f->early.error = scored.error;
    const bool is_better = !(f->early.validation <= f->result.best.validation);
    if (f->options.patience > 0 && is_better && !isnan(scored.mean) && !run(f->training->keep))
        return false;
    return run(f->training->go_on);
}

bool gb_fit_early_score(gb_fit_run *f, bool full)
{
    const int64_t every = f->options.validate_every ? f->options.validate_every : 1;
    f->early.validation = f->early.error = (double)NAN;
    if (!f->early.scores || !full || ++f->early.windows < every)
        return true;
    f->early.windows = 0;
    return score(f);
}

void gb_fit_early_note(gb_fit_run *f)
{
    const double now = f->early.validation;
    if (f->options.patience == 0 || isnan(now))
        return;
    const bool is_better = !(now <= f->result.best.validation);
    f->early.worse = is_better ? 0 : f->early.worse + 1;
    if (is_better)
        f->result.best = f->result.last;
}

bool gb_fit_early_ends(const gb_fit_run *f)
{
    return f->options.patience > 0 && f->early.worse >= f->options.patience;
}

/* ---- the best variables ---- */

static bool exchange(gb_fit_run *f)
{
    f->early.is_best = !f->early.is_best;
    return gb_run(f->training->exchange) == GB_OK;
}

bool gb_fit_early_go_on(gb_fit_run *f)
{
    return !f->early.is_best || !f->options.patience || exchange(f);
}

bool gb_fit_early_end(gb_fit_run *f)
{
    return f->early.is_best || !f->options.patience || isnan(f->result.best.validation) || exchange(f);
}

void gb_fit_early_tell(gb_fit_run *f)
{
    enum { MOST = 320 };
    const gb_fit_point *const best = &f->result.best;
    char *const words = f->early.is_best ? gb_tape_keep(f->tape, MOST) : NULL;
    if (!words)
        return;
    const bool by_elbo = f->options.validate_by == GB_VALIDATE_ELBO;
    int used = 0;
    if (f->result.end == GB_FIT_PATIENCE)
        used = snprintf(words, MOST, "ended early: %lld validations were no better; ",
                        (long long)f->early.worse);
    used += snprintf(words + used, (size_t)(MOST - used),
                     "the variables are those of step %llu, where held-out rows had the highest %s, %.6g",
                     (unsigned long long)best->step, by_elbo ? "ELBO" : "log density", best->validation);
    if (by_elbo)
        snprintf(words + used, (size_t)(MOST - used), " a row");
    else
        snprintf(words + used, (size_t)(MOST - used), " (± %.2g) a row", best->validation_error);
    f->result.words = words;
}
