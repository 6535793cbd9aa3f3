/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording a part of a graph again, with other nodes where it begins. */
#include "core/graph/replace_impl.h"

#include <string.h>

#include "core/tape/op_impl.h"

typedef struct replacement {
    gb_tape *tape;
    bool with_draws;
    uint32_t low, high; /* ids from the lowest `from` to the highest root */
    uint32_t *made;     /* [id − low]: 1 + the node in its place; UNMADE: it will have one; 0: it stays */
    bool *needed;       /* [id − low]: a root depends on it */
    gb_node *arg;       /* room for the arguments of one node */
} replacement;

#define UNMADE UINT32_MAX

static bool out_of_memory(const replacement *r)
{
    gb_fail(r->tape, GB_ENOMEM, "replaced: out of memory");
    return false;
}

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

/* ---- what lies between ---- */

static bool is_between(const replacement *r, uint32_t id)
{
    return r->made && id >= r->low && id <= r->high && r->made[id - r->low] != 0;
}

static bool begin(replacement *r, size_t count, const gb_node *from, const gb_node *to, size_t roots,
                  const gb_node *root)
{
    uint32_t most = 0;
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
    if (r->low > r->high) /* no root depends on any of them */
        return true;
    const size_t range = (size_t)r->high - r->low + 1;
    r->made = gb_memory_resize(&r->tape->memory, NULL, range * sizeof *r->made);
    r->needed = gb_memory_resize(&r->tape->memory, NULL, range * sizeof *r->needed);
    if (!r->made || !r->needed)
        return out_of_memory(r);
    memset(r->made, 0, range * sizeof *r->made);
    memset(r->needed, 0, range * sizeof *r->needed);
    for (size_t i = 0; i < count; i++)
        if (from[i].id <= r->high)
            r->made[from[i].id - r->low] = to[i].id + 1;
    for (uint32_t id = r->low; id <= r->high; id++) {
        const gb_record *const record = &r->tape->nodes.at[id];
        for (uint32_t i = 0; i < record->args && !is_between(r, id); i++)
            if (is_between(r, record->arg[i]))
                r->made[id - r->low] = UNMADE;
    }
    for (size_t i = 0; i < roots; i++)
        if (root[i].id >= r->low)
            r->needed[root[i].id - r->low] = true;
    for (uint32_t id = r->high + 1; id-- > r->low;) {
        const gb_record *const record = &r->tape->nodes.at[id];
        if (!r->needed[id - r->low] || r->made[id - r->low] != UNMADE)
            continue;
        most = record->args > most ? record->args : most;
        for (uint32_t i = 0; i < record->args; i++)
            if (record->arg[i] >= r->low)
                r->needed[record->arg[i] - r->low] = true;
    }
    r->arg = gb_memory_resize(&r->tape->memory, NULL, ((size_t)most + 1) * sizeof *r->arg);
    return r->arg || out_of_memory(r);
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

/* The arguments of a reduction get the axes that it reduces and they lack. */
static void widen(const gb_record *record, gb_node *arg)
{
    if (record->op->form != GB_FORM_REDUCE)
        return;
    const gb_axes reduced = ((const gb_reduce_over *)record->attributes)->hidden;
    if (reduced & ~gb_node_axes(arg[0]))
        arg[0] = gb_widen(arg[0], reduced);
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

static bool record_again(const replacement *r, uint32_t id)
{
    const gb_record record = r->tape->nodes.at[id]; /* a copy: recording moves the nodes */
    if (draw_is_between(r, &record))
        return false;
    for (uint32_t i = 0; i < record.args; i++) {
        const uint32_t at = record.arg[i];
        r->arg[i] = gb_node_at(r->tape, is_between(r, at) ? r->made[at - r->low] - 1 : at);
    }
    widen(&record, r->arg);
    const size_t before = r->tape->nodes.count;
    const gb_node node =
        gb_apply(r->tape, record.op, record.args, r->arg, record.attributes, record.attribute_bytes);
    if (!gb_node_ok(node)) {
        explain(r, record.name);
        return false;
    }
    if (node.id >= before) /* not one of its arguments */
        gb_record_of(node)->name = record.name;
    r->made[id - r->low] = node.id + 1;
    return true;
}

static void end(const replacement *r)
{
    gb_memory_release(&r->tape->memory, r->made);
    gb_memory_release(&r->tape->memory, r->needed);
    gb_memory_release(&r->tape->memory, r->arg);
}

static gb_status replace(replacement *r, size_t count, const gb_node *from, const gb_node *to, size_t roots,
                         const gb_node *root, gb_node *replaced)
{
    r->tape = count > 0 ? from[0].tape : roots > 0 ? root[0].tape : NULL;
    bool done = r->tape && r->tape->status == GB_OK && begin(r, count, from, to, roots, root);
    for (uint32_t id = r->low; done && r->made && id <= r->high; id++)
        if (r->needed[id - r->low] && r->made[id - r->low] == UNMADE)
            done = record_again(r, id);
    for (size_t i = 0; i < roots; i++)
        replaced[i] = !done                       ? gb_inert()
                      : is_between(r, root[i].id) ? gb_node_at(r->tape, r->made[root[i].id - r->low] - 1)
                                                  : root[i];
    if (r->tape)
        end(r);
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
