/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording a part of a graph again, with other nodes where it begins. */
#include "core/graph/replace_impl.h"

#include <string.h>

#include "core/graph/copies_impl.h"
#include "core/tape/op_impl.h"

enum { BETWEEN = 1, NEEDED = 2, GIVEN = 4 };

typedef struct replacement {
    gb_tape *tape;
    bool with_draws;
    uint32_t low, high;   /* ids from the lowest `from` to the highest root */
    unsigned char *flags; /* [id − low] */
    gb_copies copies;
} replacement;

/* ---- what is given ---- */

static bool fits(const replacement *r, gb_node from, gb_node to)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (!gb_usable(r->tape, from, "replaced") || !gb_usable(r->tape, to, "replaced"))
        return false;
    const gb_record *const old = gb_record_of(from), *const new = gb_record_of(to);
    if (gb_is_constant(from))
        gb_fail(
            r->tape, GB_EARGUMENT,
            "replaced: %s %s is a constant, which recording may have simplified away; only what is not known "
            "while recording can be replaced",
            old->op->name, old->name ? old->name : "");
    else if (!gb_shape_same(old->shape, new->shape) || old->type != new->type)
        gb_fail(r->tape, GB_ESHAPE,
                "replaced: %s %s has shape %s, and what replaces it %s; shapes and types must be the same",
                old->op->name, old->name ? old->name : "", gb_shape_text(old->shape, a),
                gb_shape_text(new->shape, b));
    return r->tape->status == GB_OK;
}

/* Stores the range of ids. */
static bool all_fit(replacement *r, size_t count, const gb_node *from, const gb_node *to, size_t roots,
                    const gb_node *root)
{
    r->low = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        if (!fits(r, from[i], to[i]))
            return false;
        r->low = from[i].id < r->low ? from[i].id : r->low;
    }
    for (size_t i = 0; i < roots; i++) {
        if (!gb_usable(r->tape, root[i], "replaced"))
            return false;
        r->high = root[i].id > r->high ? root[i].id : r->high;
    }
    return true;
}

/* ---- what lies between ---- */

static void mark_between(const replacement *r, size_t count, const gb_node *from)
{
    for (size_t i = 0; i < count; i++)
        if (from[i].id <= r->high)
            r->flags[from[i].id - r->low] = BETWEEN | GIVEN;
    for (uint32_t id = r->low; id <= r->high; id++) {
        const gb_record *const record = &r->tape->nodes.at[id];
        for (uint32_t i = 0; i < record->args; i++)
            if (record->arg[i] >= r->low)
                r->flags[id - r->low] |= r->flags[record->arg[i] - r->low] & BETWEEN;
    }
}

static void mark_needed(const replacement *r, size_t roots, const gb_node *root)
{
    for (size_t i = 0; i < roots; i++)
        if (root[i].id >= r->low)
            r->flags[root[i].id - r->low] |= NEEDED;
    for (uint32_t id = r->high + 1; id-- > r->low;) {
        const gb_record *const record = &r->tape->nodes.at[id];
        if (r->flags[id - r->low] != (BETWEEN | NEEDED))
            continue;
        for (uint32_t i = 0; i < record->args; i++)
            if (record->arg[i] >= r->low)
                r->flags[record->arg[i] - r->low] |= NEEDED;
    }
}

/* ---- recording again ---- */

static bool draw_is_between(const replacement *r, const gb_record *record)
{
    if (r->with_draws || (!record->op->opens && record->op->form != GB_FORM_NOISE))
        return false;
    gb_fail(
        r->tape, GB_EARGUMENT,
        "replaced: draw %s lies between, and what depends on it would be random; replace the draw as well",
        record->name ? record->name : record->op->name);
    return true;
}

/* Puts the name of the function before the error of an operation that did not take its new arguments. */
static void explain(const replacement *r, const char *name)
{
    char why[GB_ERROR_TEXT];
    const gb_status code = r->tape->status;
    if (code == GB_ENOMEM)
        return;
    snprintf(why, sizeof why, "%.480s", r->tape->error);
    gb_forgive(r->tape);
    gb_fail(r->tape, code, "replaced: %s cannot be recorded again: %s", name ? name : "an operation", why);
}

static bool record_between(replacement *r)
{
    for (uint32_t id = r->low; id <= r->high; id++) {
        if (r->flags[id - r->low] != (BETWEEN | NEEDED))
            continue;
        const gb_record record = r->tape->nodes.at[id]; /* a copy: recording moves the nodes */
        if (draw_is_between(r, &record))
            return false;
        if (!gb_copy(&r->copies, gb_node_at(r->tape, id))) {
            explain(r, record.name);
            return false;
        }
    }
    return true;
}

static bool replace_in_range(replacement *r, size_t count, const gb_node *from, const gb_node *to,
                             size_t roots, const gb_node *root)
{
    const size_t range = (size_t)r->high - r->low + 1;
    if (!gb_copies_begin(&r->copies, r->tape, "replaced", r->low, r->high + 1))
        return false;
    r->flags = gb_memory_resize(&r->tape->memory, NULL, range * sizeof *r->flags);
    if (!r->flags) {
        gb_fail(r->tape, GB_ENOMEM, "replaced: out of memory");
        return false;
    }
    memset(r->flags, 0, range * sizeof *r->flags);
    mark_between(r, count, from);
    mark_needed(r, roots, root);
    for (size_t i = 0; i < count; i++)
        if (from[i].id <= r->high)
            gb_copies_put(&r->copies, from[i], to[i]);
    return record_between(r);
}

static gb_status replace(replacement *r, size_t count, const gb_node *from, const gb_node *to, size_t roots,
                         const gb_node *root, gb_node *replaced)
{
    r->tape = count > 0 ? from[0].tape : roots > 0 ? root[0].tape : NULL;
    bool done = r->tape && r->tape->status == GB_OK && all_fit(r, count, from, to, roots, root);
    if (done && r->low <= r->high) /* a root may depend on one of them */
        done = replace_in_range(r, count, from, to, roots, root);
    for (size_t i = 0; i < roots; i++)
        replaced[i] = done ? gb_copy_of(&r->copies, root[i]) : gb_inert();
    if (r->copies.tape)
        gb_copies_end(&r->copies);
    if (r->tape)
        gb_memory_release(&r->tape->memory, r->flags);
    return r->tape ? r->tape->status : GB_ENODE;
}

gb_status gb_replaced(size_t count, const gb_node *from, const gb_node *to, size_t roots, const gb_node *root,
                      gb_node *replaced)
{
    replacement r = {0};
    return replace(&r, count, from, to, roots, root, replaced);
}

gb_status gb_replaced_with_draws(size_t count, const gb_node *from, const gb_node *to, size_t roots,
                                 const gb_node *root, gb_node *replaced)
{
    replacement r = {.with_draws = true};
    return replace(&r, count, from, to, roots, root, replaced);
}
