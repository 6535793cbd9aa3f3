/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/law/own_draw_impl.h"

#include "core/tape/remark_impl.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/products/known_impl.h"

gb_node gb_own_draw(gb_node draw)
{
    return gb_mark_own_draw(draw);
}

/* ---- what made a draw ---- */

typedef struct own_remark {
    gb_dist of;
    gb_node source;
} own_remark;

gb_node gb_drawn(const gb_dist *d, gb_node draw, gb_node source)
{
    own_remark *const remark = gb_node_ok(draw) ? gb_tape_keep(draw.tape, sizeof *remark) : NULL;
    if (!remark)
        return draw;
    *remark = (own_remark){*d, source};
    gb_remark_on(draw, remark);
    return draw;
}

static bool is_same(const gb_dist *a, const gb_dist *b)
{
    if (a->type != b->type || a->count != b->count || !a->transform != !b->transform)
        return false;
    for (size_t i = 0; i < GB_MAX_PARAMS; i++)
        if (a->param[i].tape && !gb_node_same(a->param[i], b->param[i]))
            return false;
    return !a->transform || gb_transform_same(*a->transform, *b->transform);
}

/* The draw behind marks, and behind a hidden axis of values. */
typedef struct own_draw {
    gb_node node;
    gb_axes hidden; /* 0: none */
    bool marked, held;
} own_draw;

static own_draw draw_behind(gb_node x)
{
    own_draw d = {.node = x};
    for (;; d.node = gb_node_argument(d.node, 0)) {
        const gb_op *const op = gb_node_op(d.node);
        gb_axes hidden;
        if (gb_is_own_draw(d.node))
            d.marked = true;
        else if (op == &gb_stop_op || gb_is_known(d.node))
            d.held = true;
        else if (!d.hidden && gb_is_hidden(d.node, &hidden))
            d.hidden = hidden;
        else if (op != &gb_relaxed_op && !(op && op->opens))
            return d;
    }
}

/* A density is summed over the hidden axes that it has, so it needs those of the draw. */
static gb_node as_wide_as(gb_node source, gb_node x)
{
    return gb_widen(source, gb_node_axes(source) | gb_node_axes(x));
}

gb_node gb_by_source(gb_node known, gb_node formula, bool held)
{
    return held ? gb_with_value(known, formula) : known;
}

gb_node gb_source_of(const gb_dist *d, gb_node x, bool *held)
{
    const own_draw draw = draw_behind(x);
    *held = draw.held;
    for (const gb_remark *r = draw.marked ? gb_remarks(draw.node) : NULL; r; r = r->before) {
        const own_remark *const own = r->words;
        if (gb_node_same(r->node, draw.node) && is_same(&own->of, d))
            return as_wide_as(draw.hidden ? gb_hide(own->source, draw.hidden) : own->source, x);
    }
    return (gb_node){0};
}
