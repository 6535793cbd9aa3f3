/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELBO: its options, and the terms that are added to it. */
#include "models/elbo/elbo_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/op.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static bool bound_fits(gb_tape *tape, gb_elbo_options *o)
{
    gb_option_block block;
    const gb_bound *const bound = &o->bound;
    if (!gb_options_use(tape, "elbo", "bound", &gb_bound_kind, bound->type, &bound->options, &block))
        return false;
    const bool needs_weights = GB_HAS(bound->type, particles);
    if (needs_weights && o->kl == GB_KL_EXACT)
        return gb_fail(tape, GB_EARGUMENT,
                       "elbo: the bound %s takes KL from the draws, and .kl is GB_KL_EXACT",
                       bound->type->name) == GB_OK;
    if (needs_weights)
        o->kl = GB_KL_SAMPLED;
    return true;
}

static bool options_fit(gb_tape *tape, gb_elbo_options *o)
{
    const gb_node weight = o->kl_weight;
    if (!o->bound.type)
        o->bound = gb_evidence_bound();
    if (weight.tape && (!gb_node_ok(weight) || weight.tape != tape || gb_node_type(weight) != GB_TYPE_REAL ||
                        gb_node_shape(weight).rank != 0 || gb_node_axes(weight)))
        return gb_fail(
                   tape, GB_EARGUMENT,
                   "elbo: .kl_weight must be one real number of this tape: gb_num(tape, 0.5), a variable") ==
               GB_OK;
    double number = 0;
    if (weight.tape && gb_is_uniform(weight, &number) && !gb_domain_holds(GB_NON_NEGATIVE, number))
        return gb_fail(tape, GB_EARGUMENT, "elbo: .kl_weight is %g, and must be %s", number,
                       GB_NON_NEGATIVE->must_be) == GB_OK;
    if (o->kl < GB_KL_AUTO || o->kl > GB_KL_SAMPLED)
        return gb_fail(tape, GB_EARGUMENT,
                       "elbo: there is no .kl number %d (GB_KL_AUTO, GB_KL_EXACT, GB_KL_SAMPLED)",
                       (int)o->kl) == GB_OK;
    if (o->unit < GB_PER_DATA_SET || o->unit > GB_PER_DATUM)
        return gb_fail(tape, GB_EARGUMENT,
                       "elbo: there is no unit number %d (GB_PER_DATA_SET, GB_PER_BATCH, GB_PER_DATUM)",
                       (int)o->unit) == GB_OK;
    return bound_fits(tape, o) && gb_error(tape) == GB_OK;
}

/* The first step variable on a tape has the plain name. Later ones have a number, the same in each
 * recording. */
static gb_node step_of_schedule(gb_tape *tape)
{
    char name[48] = "kl_schedule.step";
    for (int i = 2; gb_tape_has_variable(tape, name); i++)
        snprintf(name, sizeof name, "kl_schedule_%d.step", i);
    return gb_variable(tape, name, gb_shape(), gb_fill(0));
}

/* Returns the weight of KL in a run. Its gradient is stopped: otherwise the loss could be minimised by
 * reducing the weight. */
static gb_node kl_weight(gb_tape *tape, const gb_elbo_options *o, gb_node *step)
{
    const gb_schedule schedule = o->kl_schedule;
    const gb_node weight = o->kl_weight.tape ? o->kl_weight : gb_num(tape, 1);
    if (gb_schedule_is_steady(schedule))
        return gb_is_constant(weight) ? weight : gb_stop(weight);
    *step = step_of_schedule(tape);
    return gb_stop(gb_mul(weight, gb_schedule_factor("elbo", schedule, *step)));
}

gb_elbo *gb_elbo_new_with(gb_tape *tape, const gb_elbo_options *given)
{
    gb_elbo_options options;
    if (!tape || gb_error(tape) != GB_OK || !gb_options_take(tape, "elbo", &options, sizeof options, given))
        return NULL;
    if (!(options.data_size > 0) || !isfinite(options.data_size)) {
        gb_fail(tape, GB_EARGUMENT,
                "elbo: .data_size is %g; it must be the number of rows of the whole data set, which a batch "
                "of rows stands for: gb_elbo_new(tape, .data_size = N)",
                options.data_size);
        return NULL;
    }
    if (!options_fit(tape, &options))
        return NULL;
    gb_node step = {0};
    options.kl_weight = kl_weight(tape, &options, &step);
    gb_elbo *e = gb_tape_keep(tape, sizeof *e);
    gb_expect *expect = gb_expect_new(tape, .samples = options.samples, .bound = options.bound);
    if (!e || !expect)
        return NULL;
    *e = (gb_elbo){.tape = tape, .options = options, .expect = expect, .kl_step = step};
    return e;
}

/* ---- adding terms ---- */

/* Terms, latents and the sum share one set of names. */
static const char *holder_of(const gb_elbo *e, const char *name)
{
    if (strcmp(name, "ELBO") == 0)
        return "the sum of the terms";
    for (const gb_own_term *term = e->last; term; term = term->before)
        if (strcmp(term->shown.name, name) == 0)
            return "a term of this ELBO";
    for (const gb_own_latent *latent = e->latents; latent; latent = latent->before)
        if (strcmp(latent->name, name) == 0)
            return "a latent of this ELBO";
    return NULL;
}

bool gb_elbo_takes(gb_elbo *e, gb_node x, const char *who)
{
    if (!e || !gb_node_check(x, who))
        return false;
    return x.tape == e->tape ||
           gb_fail(e->tape, GB_ENODE,
                   "%s: what enters is of another tape than the ELBO; record it on that of "
                   "the ELBO",
                   who) == GB_OK;
}

bool gb_elbo_can_add(const gb_elbo *e, const char *what, const char *name)
{
    if (!e || gb_error(e->tape) != GB_OK)
        return false;
    const char *const holder = name ? holder_of(e, name) : NULL;
    if (!name || !*name)
        gb_fail(e->tape, GB_ENAME, "%s: a name is required, for printing and reading", what);
    else if (holder)
        gb_fail(e->tape, GB_ENAME, "%s %s: that is the name of %s already; give it another name", what, name,
                holder);
    else if (gb_node_ok(e->loss))
        gb_fail(e->tape, GB_EARGUMENT,
                "%s %s: the ELBO is complete, since its loss or terms were requested; add all terms before",
                what, name);
    else
        return true;
    return false;
}

gb_node gb_elbo_scale(gb_elbo *e, gb_axes axes)
{
    if (!(axes & GB_ROWS))
        return gb_num(e->tape, 1);
    e->has_rows = true;
    return gb_div(gb_num(e->tape, e->options.data_size), gb_axis_size(e->tape, GB_ROWS));
}

void gb_elbo_add(gb_elbo *e, gb_term_kind kind, const char *name, gb_node each, gb_node scale)
{
    gb_own_term *term = gb_node_ok(each) ? gb_tape_keep(e->tape, sizeof *term) : NULL;
    const char *kept = term ? gb_tape_keep_text(e->tape, name) : NULL;
    if (!kept)
        return;
    const bool is_weighted = kind == GB_TERM_KL || kind == GB_TERM_PRIOR || kind == GB_TERM_ENTROPY;
    const gb_node weight = is_weighted ? e->options.kl_weight : gb_num(e->tape, 1);
    *term = (gb_own_term){.before = e->last,
                          .shown = {.name = kept, .kind = kind, .scale = scale, .weight = weight},
                          .each = each};
    e->last = term;
    e->count++;
}

void gb_elbo_add_summed(gb_elbo *e, gb_term_kind kind, const char *name, gb_node log_density)
{
    const gb_axes axes = gb_node_axes(log_density);
    const gb_node scale = gb_elbo_scale(e, axes);
    const gb_node by = kind == GB_TERM_PRIOR ? gb_mul(e->options.kl_weight, scale) : scale;
    const size_t before = e->count;
    gb_elbo_add(e, kind, name, gb_mul(by, gb_per_sample(log_density)), scale);
    if (gb_elbo_has_particles(e) && e->count > before) {
        const gb_node row = gb_sum(log_density);
        e->last->row = kind == GB_TERM_PRIOR ? gb_mul(e->options.kl_weight, row) : row;
    }
}

bool gb_elbo_has_particles(const gb_elbo *e)
{
    return GB_HAS(e->options.bound.type, particles);
}
