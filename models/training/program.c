/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/training/program_impl.h"

#include <math.h>
#include <string.h>

#include "core/gradient.h"
#include "estimators/visit.h"
#include "models/elbo/elbo_impl.h"
#include "models/optimisers/minimise_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_minimise_request choices_of(const gb_fit_options *o, gb_node loss)
{
    return (gb_minimise_request){.loss = loss,
                                 .optimiser = o->optimiser,
                                 .variables = o->variables,
                                 .clip = o->clip,
                                 .clip_norm = o->clip_norm,
                                 .average = o->average,
                                 .average_after = o->average_after};
}

/* Returns |gradient|² over the trained variables. */
static gb_node squared_norm_of(const gb_minimise_request *choices)
{
    const gb_node loss = choices->loss;
    const gb_node_list chosen = choices->variables;
    const gb_memory memory = gb_tape_memory(loss.tape);
    const size_t count = chosen.count ? chosen.count : gb_node_variables(loss, NULL, 0);
    gb_node sum = gb_num(loss.tape, 0);
    gb_node *const nodes = gb_memory_resize(&memory, NULL, (2 * count + 1) * sizeof *nodes);
    if (!nodes) {
        gb_fail(loss.tape, GB_ENOMEM, "fit: out of memory for %zu variables", count);
        return sum;
    }
    if (chosen.count)
        memcpy(nodes, chosen.node, count * sizeof *nodes);
    else
        gb_node_variables(loss, nodes, count);
    gb_grads(loss, nodes, count, nodes + count);
    for (size_t i = 0; i < count; i++)
        sum = gb_add(sum, gb_sum(gb_square(nodes[count + i])));
    gb_memory_release(&memory, nodes);
    return sum;
}

/* Returns x, with −inf for values that are not finite: −inf is allowed in a root. */
static gb_node passing(gb_node x)
{
    const gb_node most = gb_num(x.tape, (double)INFINITY);
    return gb_where(gb_less(gb_abs(x), most), x, gb_neg(most));
}

/* Copies the list of variables, since it is memory of the caller. */
static bool keep_choices(gb_elbo_training *training, const gb_minimise_request *choices)
{
    const gb_node_list list = choices->variables;
    gb_node *const kept = gb_tape_keep(choices->loss.tape, (list.count + 1) * sizeof *kept);
    if (!kept)
        return false;
    if (list.count > 0)
        memcpy(kept, list.node, list.count * sizeof *kept);
    training->choices = *choices;
    training->choices.variables.node = kept;
    return true;
}

/* Makes the loss a root, so that a run fails if it is not finite. With trial points, the loss is not a root:
 * the optimiser rejects such points. */
static void compile(gb_elbo_training *t, gb_elbo *e, const gb_minimise_request *choices, bool norm)
{
    gb_tape *const tape = e->tape;
    const gb_minimised made = gb_minimise_all(choices);
    const bool tries = made.settle.count > 0;
    t->elbo = tries ? passing(gb_elbo_objective(e)) : gb_elbo_objective(e);
    t->squared_norm = (gb_node){0};
    if (norm)
        t->squared_norm = tries ? passing(squared_norm_of(choices)) : squared_norm_of(choices);
    t->kl_weight = e->options.kl_weight;
    const gb_node roots[] = {t->elbo, tries ? t->elbo : choices->loss, t->kl_weight, t->squared_norm};
    t->program = gb_compile(tape, (gb_node_list){.count = norm ? 4 : 3, .node = roots}, made.step);
    if (tries && t->program) {
        t->settle = gb_compile(tape, (gb_node_list){0}, made.settle);
        t->go_on = gb_compile(tape, (gb_node_list){0}, made.go_on);
    }
    if (t->program && e->options.samples > 0)
        gb_program_set_samples(t->program, e->options.samples);
}

/* Returns the state of gb_fit; NULL: the error is on the tape. */
static gb_elbo_training *training_of(gb_elbo *e)
{
    gb_elbo_training *const made = e->training ? NULL : gb_tape_keep(e->tape, sizeof *made);
    if (made) {
        *made = (gb_elbo_training){0};
        e->training = made;
    }
    return e->training;
}

bool gb_fit_find_program(gb_fit_run *f, gb_node loss)
{
    const gb_fit_options *const o = &f->options;
    gb_elbo_training *const training = f->training = training_of(f->elbo);
    const gb_minimise_request choices = choices_of(o, loss);
    if (!training || !gb_minimise_has_list(&choices))
        return false;
    if (training->program && !gb_minimise_is_same(&training->choices, &choices)) {
        gb_fail(
            f->tape, GB_EARGUMENT,
            "fit: this ELBO was fitted before, by another optimiser or with other options of gb_minimise; to "
            "change them, record the ELBO on a new tape (a rate that changes: .rate, .schedule)");
        return false;
    }
    if (!training->program && keep_choices(training, &choices))
        compile(training, f->elbo, &choices, o->gradient_norm || o->progress);
    f->result.program = training->program;
    return training->program && gb_error(f->tape) == GB_OK;
}
