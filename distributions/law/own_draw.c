/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/law/own_draw_impl.h"

#include "core/tape/note_impl.h"
#include "ops/array.h"
#include "ops/control.h"

static const gb_op own_draw_op = {.size = sizeof(gb_op),
                                  .name = "own_draw",
                                  .formula = "x, a draw whose own log density is taken",
                                  .form = GB_FORM_ALIAS,
                                  .arguments = 1,
                                  .infer = gb_infer_first,
                                  .vjp = gb_vjp_pass};

gb_node gb_own_draw(gb_node draw)
{
    return gb_apply(NULL, &own_draw_op, 1, &draw, NULL, 0);
}

static void pass_to_like(const gb_vjp *v)
{
    v->adjoint[1] = v->gradient;
}

static const gb_op with_value_op = {.size = sizeof(gb_op),
                                    .name = "with_value",
                                    .formula = "x, with the gradient of the other argument",
                                    .form = GB_FORM_ALIAS,
                                    .arguments = 2,
                                    .infer = gb_infer_first,
                                    .vjp = pass_to_like};

gb_node gb_with_value(gb_node value, gb_node like)
{
    return gb_with_vjp(&with_value_op, value, 1, &like, NULL, 0);
}

/* ---- what made a draw ---- */

typedef struct own_note {
    gb_dist of;
    gb_node source;
} own_note;

gb_node gb_drawn(const gb_dist *d, gb_node draw, gb_node source)
{
    own_note *const note = gb_node_ok(draw) ? gb_tape_keep(draw.tape, sizeof *note) : NULL;
    if (!note)
        return draw;
    *note = (own_note){*d, source};
    gb_tape_note(draw, note);
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
        if (op == &own_draw_op)
            d.marked = true;
        else if (op == &gb_stop_op || op == &with_value_op)
            d.held = true;
        else if (!d.hidden && gb_is_hidden(d.node, &hidden))
            d.hidden = hidden;
        else if (op != &gb_relaxed_op && !(op && op->opens))
            return d;
    }
}

gb_node gb_source_of(const gb_dist *d, gb_node x, bool *held)
{
    const own_draw draw = draw_behind(x);
    *held = draw.held;
    for (const gb_note *note = draw.marked ? gb_tape_notes(draw.node) : NULL; note; note = note->before) {
        const own_note *const own = note->note;
        if (gb_node_same(note->node, draw.node) && is_same(&own->of, d))
            return draw.hidden ? gb_hide(own->source, draw.hidden) : own->source;
    }
    return (gb_node){0};
}
