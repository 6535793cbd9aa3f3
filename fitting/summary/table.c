/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table: parameters, then nodes of the user's. */
#include <string.h>

#include "fitting/density/density_impl.h"
#include "fitting/summary/drawn_impl.h"
#include "fitting/summary/summary_impl.h"
#include "models/elbo/elbo_impl.h"

/* ---- memory ---- */

static void let_go(gb_summary_tape *held)
{
    const gb_memory memory = held->memory;
    if (held->is_held)
        held->is_held = false;
    else
        gb_memory_release(&memory, held);
}

static void forget_tape(void *held)
{
    ((gb_summary_tape *)held)->tape = NULL;
    let_go(held);
}

static void release(gb_own_summary *s)
{
    const gb_memory memory = s->memory;
    gb_judgement_free(s->made);
    if (s->held)
        let_go(s->held);
    void *const blocks[] = {s->own.node, s->wide.node, s->row, s->names, s->words, s};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gb_memory_release(&memory, blocks[i]);
}

void gb_summary_free(gb_summary_table *summary)
{
    if (summary)
        release((void *)summary);
}

static bool no_memory(const gb_own_summary *s)
{
    gb_fail(s->tape, GB_ENOMEM, "summary: out of memory for %zu numbers", s->shown.rows);
    return false;
}

/* Keeps what the table needs of others: the words, and to know whether the tape is still there. */
static bool keep(gb_own_summary *s)
{
    s->words = gb_memory_resize(&s->memory, NULL, strlen(s->shown.words) + 1);
    s->held = gb_memory_resize(&s->memory, NULL, sizeof *s->held);
    if (!s->words || !s->held)
        return no_memory(s);
    s->shown.words = strcpy(s->words, s->shown.words);
    *s->held = (gb_summary_tape){.memory = s->memory, .tape = s->tape, .is_held = true};
    return gb_tape_own(s->tape, forget_tape, s->held);
}

/* ---- names ---- */

/* The shape of a node's numbers: rows of data are its first axis. */
static gb_shape shape_of(gb_node node, size_t count)
{
    const gb_shape shape = gb_node_shape(node);
    const size_t each = gb_shape_count(shape);
    return count == each ? shape : gb_shape_join(gb_shape((int64_t)(count / (each ? each : 1))), shape);
}

static bool name_rows(gb_own_summary *s, gb_node_list nodes, const size_t *count)
{
    s->shown.rows = s->shown.parameters + s->nodes;
    s->row = gb_memory_resize(&s->memory, NULL, s->shown.rows * sizeof *s->row + 1);
    s->names = gb_memory_resize(&s->memory, NULL, s->shown.rows * GB_DENSITY_TEXT + 1);
    if (!s->row || !s->names)
        return no_memory(s);
    for (size_t i = 0; i < s->shown.parameters; i++)
        gb_density_value_name(s->density, i, s->names + i * GB_DENSITY_TEXT);
    size_t at = s->shown.parameters;
    for (size_t k = 0; k < nodes.count; k++) {
        char own[32];
        const char *name = gb_node_name(nodes.node[k]);
        snprintf(own, sizeof own, "node %zu", k);
        name = name && *name ? name : own;
        for (size_t i = 0; i < count[k]; i++)
            gb_density_write_name(name, shape_of(nodes.node[k], count[k]), i,
                                  s->names + at++ * GB_DENSITY_TEXT);
    }
    for (size_t i = 0; i < s->shown.rows; i++)
        s->row[i].name = s->names + i * GB_DENSITY_TEXT;
    return true;
}

static bool evaluate_at(const gb_own_summary *s, gb_summary_draws *draws, gb_node_list nodes, size_t *count)
{
    if (draws->count == 0)
        return true;
    draws->node = gb_density_nodes(s->density, NULL, nodes, draws->count, draws->z, count);
    return draws->node;
}

static bool evaluate(gb_own_summary *s, gb_node_list nodes)
{
    if (nodes.count == 0 || s->shown.draws == 0)
        return name_rows(s, (gb_node_list){0}, NULL);
    size_t *const count = gb_memory_resize(&s->memory, NULL, nodes.count * sizeof *count);
    if (!count)
        return no_memory(s);
    bool good = evaluate_at(s, &s->own, nodes, count) && evaluate_at(s, &s->wide, nodes, count);
    for (size_t k = 0; k < nodes.count && good; k++)
        s->nodes += count[k];
    good = good && name_rows(s, nodes, count);
    gb_memory_release(&s->memory, count);
    return good;
}

/* ---- the whole ---- */

static gb_summary_draws of_nuts(const gb_nuts *r)
{
    return (gb_summary_draws){.count = r->chains * r->draws, .z = r->z, .value = r->value};
}

static gb_psis with_memory(gb_own_summary *s, gb_psis weights)
{
    weights.memory = gb_watched_memory(&s->watched);
    return weights;
}

static gb_summary_draws of_q(gb_own_summary *s)
{
    const gb_judgement *const j = s->judgement;
    return (gb_summary_draws){
        .count = j->draws, .z = j->z, .value = j->value, .weights = with_memory(s, j->weights)};
}

static gb_summary_draws of_wide(gb_own_summary *s)
{
    const gb_judgement *const j = s->judgement;
    return (gb_summary_draws){
        .count = j->wide_draws, .z = j->wide_z, .value = j->wide_value, .weights = with_memory(s, j->wide)};
}

static void use_nuts(gb_own_summary *s, const gb_nuts *nuts)
{
    s->nuts = nuts;
    s->density = nuts->density;
    s->own = of_nuts(nuts);
    s->shown.verdict = GB_VERDICT_NONE;
    s->shown.words = nuts->words;
}

static void use_judgement(gb_own_summary *s, const gb_judgement *judgement)
{
    s->judgement = judgement;
    s->density = judgement->density;
    s->own = of_q(s);
    if (judgement->corrects_by_wide && !s->of_q)
        s->wide = of_wide(s);
    s->shown.verdict = judgement->verdict;
    s->shown.words = judgement->words;
}

static bool find_draws(gb_own_summary *s, gb_elbo *e, const gb_summary_options *o)
{
    if (!o->nuts && !o->judgement)
        s->made = gb_drawn_judged("summary", e, o->data);
    const gb_judgement *const judgement = o->judgement ? o->judgement : s->made;
    if (o->nuts)
        use_nuts(s, o->nuts);
    else if (judgement)
        use_judgement(s, judgement);
    else
        return false;
    s->corrects = s->wide.count > 0 ? &s->wide : &s->own;
    s->shown.draws = s->corrects->count;
    s->shown.parameters = o->only_nodes ? 0 : gb_density_value_count(s->density);
    return true;
}

gb_summary_table *gb_summary_with(gb_elbo *e, const gb_summary_options *given)
{
    gb_summary_options options;
    gb_options_copy(&options, sizeof options, given);
    gb_tape *const tape = gb_drawn_tape(e, options.judgement, options.nuts);
    if (!tape || gb_error(tape) != GB_OK ||
        !gb_options_take(tape, "summary", &options, sizeof options, given) ||
        !gb_drawn_fits("summary", e, options.judgement, options.nuts))
        return NULL;
    if (options.nodes.count > 0 && !options.nodes.node) {
        gb_fail(tape, GB_EARGUMENT, "summary: %zu nodes are given, but the list is NULL",
                options.nodes.count);
        return NULL;
    }
    if (!gb_drawn_nodes_fit("summary", tape, options.nodes))
        return NULL;
    const gb_memory memory = gb_tape_memory(tape);
    gb_own_summary *const s = gb_memory_resize(&memory, NULL, sizeof *s);
    if (!s) {
        gb_fail(tape, GB_ENOMEM, "summary: out of memory");
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->memory = s->watched.memory = memory;
    s->tape = tape;
    s->of_q = options.of_q;
    bool good = find_draws(s, e, &options) && evaluate(s, options.nodes);
    for (size_t i = 0; i < s->shown.rows && good; i++)
        good = gb_summary_fill(s, i) || no_memory(s);
    good = good && keep(s);
    s->shown.row = s->row;
    if (good)
        return &s->shown;
    release(s);
    return NULL;
}

const gb_summary_row *gb_summary_find(const gb_summary_table *summary, const char *name)
{
    for (size_t i = 0; summary && name && i < summary->rows; i++)
        if (strcmp(summary->row[i].name, name) == 0)
            return &summary->row[i];
    return NULL;
}
