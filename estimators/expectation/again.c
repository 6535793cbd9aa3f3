/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/expectation/again_impl.h"

#include "core/graph/replace_impl.h"
#include "distributions/law/replaced_impl.h"
#include "estimators/expect.h"
#include "estimators/visit.h"

gb_again *gb_again_new(const gb_expect *e, gb_axes axes, const char *word, const char *stream, size_t room)
{
    gb_again *const a = gb_tape_keep(e->tape, sizeof *a);
    gb_node *const both = gb_tape_keep(e->tape, (2 * room + 1) * sizeof *both);
    gb_expect *const expect = gb_expect_new(e->tape, .axes = axes, .bound = e->bound);
    if (!a || !both || !expect)
        return NULL;
    *a = (gb_again){
        .expect = expect, .word = word, .stream = stream, .room = room, .from = both, .to = both + room};
    expect->again = a;
    expect->has_model = e->has_model;
    return a;
}

void gb_again_put(gb_again *a, gb_node from, gb_node to)
{
    if (a->count == a->room)
        return;
    a->from[a->count] = from;
    a->to[a->count++] = to;
}

bool gb_again_replace(const gb_again *a, size_t count, const gb_node *nodes, gb_node *replaced)
{
    return gb_replaced_with_draws(a->count, a->from, a->to, count, nodes, replaced) == GB_OK;
}

gb_dist gb_again_dist(const gb_again *a, gb_dist d)
{
    return gb_dist_replaced(d, a->count, a->from, a->to);
}

/* ---- common noise ---- */

typedef struct search {
    gb_axes common;
    bool is_found;
} search;

/* Noise with parameters is drawn anew along every axis. That of earlier draws is theirs. */
static bool look_for_own_noise(void *context, gb_node node)
{
    search *const s = context;
    const gb_op *const op = gb_node_op(node);
    s->is_found |=
        op->form == GB_FORM_NOISE && gb_node_arguments(node) > 0 && (gb_node_axes(node) & s->common) != 0;
    return !op->opens;
}

static bool noise_is_common(const gb_again *a, const own_site *site, gb_node values)
{
    search s = {.common = a->common};
    if (!a->common || !gb_node_ok(values) || gb_visit(values, look_for_own_noise, &s) != GB_OK)
        return gb_node_ok(values);
    if (!s.is_found)
        return true;
    gb_fail(a->expect->tape, GB_EARGUMENT,
            "draw %s: its noise depends on parameters (%s), so it cannot be the same while another draw "
            "varies",
            site->site.name, site->q.type->name);
    return false;
}

/* ---- drawing ---- */

gb_node gb_again_draw(gb_again *a, const own_site *site, gb_dist q, gb_estimator estimator)
{
    const gb_node draw = gb_draw_over(a->expect, site->site.name, q, site->site.axes & GB_ROWS, estimator);
    if (!gb_node_ok(draw) || !noise_is_common(a, site, a->expect->last->site.values))
        return (gb_node){0};
    gb_again_put(a, site->site.draw, draw);
    return draw;
}

void gb_again_put_own(gb_again *a, const own_site *site)
{
    gb_node weight;
    if (!gb_node_ok(site->site.own) || !gb_again_replace(a, 1, &site->site.own_weight, &weight))
        return;
    gb_draw_log_prob_of_rows(a->expect, a->expect->last->site.draw, weight);
    gb_again_put(a, site->site.own, a->expect->last->site.own);
}
