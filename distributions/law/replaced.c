/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A distribution with other nodes behind its parameters. */
#include "distributions/law/replaced_impl.h"

#include <string.h>

#include "core/graph/replace_impl.h"

/* What distributions are made of is walked twice: first the nodes are listed, then what they became is put
 * in. */
typedef struct walk {
    gb_tape *tape;
    gb_node *node; /* NULL: they are counted */
    size_t count;
    bool puts;
} walk;

static void pass(walk *w, gb_node *node, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!gb_node_ok(node[i]))
            continue;
        if (w->puts)
            node[i] = w->node[w->count];
        else if (w->node)
            w->node[w->count] = node[i];
        w->count++;
    }
}

/* A copy that may be changed, or the original where nothing is put in. */
static void *own(const walk *w, const void *original, size_t bytes)
{
    if (!original || !w->puts)
        return (void *)(uintptr_t)original;
    void *const made = gb_tape_keep(w->tape, bytes);
    if (made)
        memcpy(made, original, bytes);
    return made;
}

static bool pass_transform(walk *w, gb_transform *t)
{
    gb_transform copy = *t;
    pass(w, copy.param, sizeof copy.param / sizeof *copy.param);
    const gb_transform *parts[] = {copy.inner, copy.outer};
    for (size_t i = 0; i < 2; i++) {
        gb_transform *const part = own(w, parts[i], sizeof *part);
        if (parts[i] && (!part || !pass_transform(w, part)))
            return false;
        parts[i] = part;
    }
    copy.inner = parts[0];
    copy.outer = parts[1];
    if (w->puts)
        *t = copy;
    return true;
}

static bool pass_dist(walk *w, gb_dist *d)
{
    gb_dist copy = *d;
    pass(w, copy.param, GB_MAX_PARAMS);
    gb_dist *const base = own(w, copy.base, sizeof *base);
    gb_transform *const transform = own(w, copy.transform, sizeof *transform);
    if ((copy.base && (!base || !pass_dist(w, base))) ||
        (copy.transform && (!transform || !pass_transform(w, transform))))
        return false;
    copy.base = base;
    copy.transform = transform;
    if (w->puts)
        *d = copy;
    return true;
}

gb_dist gb_dist_replaced(gb_dist d, size_t count, const gb_node *from, const gb_node *to)
{
    if (!gb_dist_ok(d) || count == 0)
        return d;
    walk w = {.tape = d.tape};
    pass_dist(&w, &d);
    w.node = gb_tape_keep(d.tape, (w.count + 1) * sizeof *w.node);
    w.count = 0;
    if (!w.node)
        return (gb_dist){0};
    pass_dist(&w, &d);
    if (gb_replaced_with_draws(count, from, to, w.count, w.node, w.node) != GB_OK)
        return (gb_dist){0};
    w.count = 0;
    w.puts = true;
    return pass_dist(&w, &d) ? d : (gb_dist){0};
}
