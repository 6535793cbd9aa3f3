/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prediction/predict/predictor_impl.h"

#include <stdio.h>

#include "core/graph/first_row_impl.h"
#include "core/op.h"
#include "core/run/tolerant_impl.h"
#include "fitting/density/density_impl.h"

/* ---- points of a density in the place of the latents ---- */

static bool stand_at(gb_elbo *e, const gb_density *d, gb_standpoint *at)
{
    const size_t count = d->places + gb_elbo_layers(e, NULL, NULL);
    gb_node *const from = gb_tape_keep(e->tape, (count + 1) * sizeof *from), *const to = gb_tape_keep(
                                                                                 e->tape,
                                                                                 (count + 1) * sizeof *to);
    if (!from || !to)
        return false;
    for (size_t i = 0; i < d->places; i++) {
        from[i] = d->placed[i].kept->value;
        to[i] = d->placed[i].value;
        if (d->placed[i].of_rows)
            return gb_fail(e->tape, GB_EARGUMENT,
                           "predictive: latent %s is there for each row, so the draws of a judgement or of "
                           "NUTS are those of the rows that it was fitted to; without them, draws are of q",
                           d->placed[i].slot.name) == GB_OK;
    }
    if (!gb_elbo_add_layers(e, d->places, from, to, true))
        return false;
    at->exact = (gb_at_draws){.expect = e->expect, .count = count, .from = from, .to = to};
    at->drawn = at->exact;
    at->is_same = true;
    return true;
}

/* ---- finding and making ---- */

static gb_predictor *add(gb_outlook *look, gb_predictor found)
{
    gb_predictor *const made = gb_tape_keep(found.node.tape, sizeof *made);
    if (!made)
        return NULL;
    const gb_view *const v = &found.view;
    const gb_node known[] = {v->mean, v->noise, v->log_p};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found.is_random |= gb_node_ok(known[i]) && (gb_node_axes(known[i]) & GB_SAMPLES);
    found.before = look->predictors;
    *made = found;
    return look->predictors = made;
}

static gb_predictor *find(const gb_outlook *look, const gb_kept_outcome *outcome, gb_node node,
                          const gb_density *density)
{
    gb_predictor *at = look->predictors;
    while (at && !(at->outcome == outcome && gb_node_same(at->node, node) && at->density == density))
        at = at->before;
    return at;
}

/* The stream of draws of an outcome: one for each view. */
static gb_noise stream_of(gb_tape *tape, const char *outcome)
{
    char name[320];
    if (snprintf(name, sizeof name, "%s.predicted", outcome) < (int)sizeof name)
        return gb_stream_numbered(tape, name);
    gb_fail(tape, GB_ENAME, "predictive: the name of outcome %.40s … is too long", outcome);
    return (gb_noise){0};
}

static bool find_standpoint(gb_elbo *e, gb_density *density, const gb_outlook *look, gb_standpoint *at)
{
    if (density)
        return stand_at(e, density, at);
    *at = look->q;
    return true;
}

gb_predictor *gb_predictor_of_outcome(gb_elbo *e, const char *name, gb_density *density)
{
    gb_outlook *const look = gb_outlook_of(e);
    const gb_kept_outcome *const outcome = look ? gb_outcome_named(e, "predictive", name) : NULL;
    if (!outcome)
        return NULL;
    if (!gb_dist_ok(outcome->law)) {
        gb_fail(e->tape, GB_EARGUMENT,
                "predictive: the law of %s is not known: it was recorded as a log likelihood "
                "(gb_log_likelihood), not by gb_observe; gb_predictive_node predicts nodes of the model",
                name);
        return NULL;
    }
    gb_predictor *const known = find(look, outcome, outcome->data, density);
    gb_predictor made = {.outcome = outcome, .node = outcome->data, .density = density};
    gb_standpoint at;
    if (known)
        return known;
    return find_standpoint(e, density, look, &at) &&
                   gb_view_outcome(&at, outcome, stream_of(e->tape, name), &made.view)
               ? add(look, made)
               : NULL;
}

gb_predictor *gb_predictor_of_node(gb_elbo *e, gb_node node, gb_density *density)
{
    gb_outlook *const look = gb_outlook_of(e);
    if (!look)
        return NULL;
    if (!gb_node_ok(node) || node.tape != e->tape || gb_node_type(node) != GB_TYPE_REAL) {
        gb_fail(e->tape, GB_ENODE, "predictive_node: this is not a usable real node of the ELBO's tape");
        return NULL;
    }
    gb_predictor *const known = find(look, NULL, node, density);
    gb_predictor made = {.node = node, .density = density};
    gb_standpoint at;
    if (known)
        return known;
    return find_standpoint(e, density, look, &at) && gb_view_node(&at, node, &made.view) ? add(look, made)
                                                                                         : NULL;
}

/* ---- programs ---- */

static gb_node node_of(const gb_view *v, gb_root root)
{
    switch (root) {
    case GB_ROOT_MEAN: return v->mean;
    case GB_ROOT_SPREAD: return v->spread;
    case GB_ROOT_NOISE: return v->noise;
    case GB_ROOT_PROBABILITY: return v->probability;
    case GB_ROOT_ENTROPY: return v->entropy;
    case GB_ROOT_LOG_P: return v->log_p;
    case GB_ROOT_DATA: return v->data;
    case GB_ROOT_WEIGHT: return v->weight;
    case GB_ROOT_DRAW: return v->draw;
    case GB_ROOTS: break;
    }
    return (gb_node){0};
}

static unsigned part_of(gb_root root)
{
    switch (root) {
    case GB_ROOT_DRAW: return GB_OF_DRAWS;
    case GB_ROOT_LOG_P:
    case GB_ROOT_DATA:
    case GB_ROOT_WEIGHT: return GB_OF_OUTCOMES;
    default: return GB_OF_LATENTS;
    }
}

size_t gb_predictor_roots(const gb_predictor *p, unsigned parts, gb_root root[GB_ROOTS])
{
    size_t count = 0;
    for (gb_root r = GB_ROOT_MEAN; r < GB_ROOTS; r++)
        if ((parts & part_of(r)) && gb_node_ok(node_of(&p->view, r)))
            root[count++] = r;
    return count;
}

gb_program *gb_predictor_program(gb_predictor *p, unsigned parts)
{
    gb_root root[GB_ROOTS];
    gb_node node[GB_ROOTS];
    const size_t count = gb_predictor_roots(p, parts, root);
    if (p->program[parts])
        return p->program[parts];
    for (size_t i = 0; i < count; i++) {
        node[i] = node_of(&p->view, root[i]);
        if (p->view.has_rows)
            node[i] = gb_widen(node[i], GB_ROWS);
    }
    gb_program *const program = gb_compile(p->node.tape, gb_roots_of(count, node), gb_no_update);
    if (p->density)
        gb_program_tolerate(program, p->density);
    gb_program_set_apart(program);
    if (!program || gb_program_set_samples(program, 1) != GB_OK)
        return NULL;
    return p->program[parts] = program;
}
