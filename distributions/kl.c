/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/kl.h"

#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static bool is_for(const gb_kl_pair *pair, const gb_dist *q, const gb_dist *p)
{
    return pair->q == q->type && (!pair->p || pair->p == p->type) && (!pair->fits || pair->fits(q, p));
}

/* Looks for the pair in one table; a second one is an error. */
static bool look(const gb_dist_type *in, const gb_dist *q, const gb_dist *p, const gb_kl_pair **found)
{
    const gb_kl_pair *pair = GB_HAS(in, kl) ? in->kl : NULL;
    for (; pair && pair->kl; pair++) {
        if (!is_for(pair, q, p))
            continue;
        if (*found) {
            gb_fail(q->tape, GB_EARGUMENT, "kl: KL(%s ‖ %s) was found twice, in tables of %s and %s",
                    q->type->name, p->type->name, q->type->name, in->name);
            return false;
        }
        *found = pair;
    }
    return true;
}

const gb_kl_pair *gb_kl_find(gb_dist q, gb_dist p)
{
    const gb_kl_pair *found = NULL;
    if (!gb_dist_ok(q) || !gb_dist_ok(p) || !look(q.type, &q, &p, &found) ||
        (p.type != q.type && !look(p.type, &q, &p, &found)))
        return NULL;
    return found;
}

bool gb_has_kl(gb_dist q, gb_dist p)
{
    return gb_kl_find(q, p) != NULL;
}

/* But for rounding it is not; the gradient is kept. */
static gb_node not_negative(gb_node kl)
{
    return gb_node_ok(kl) ? gb_inject(gb_stop(gb_relu(kl)), kl, gb_num(kl.tape, 1)) : kl;
}

gb_node gb_kl(gb_dist q, gb_dist p)
{
    const gb_kl_pair *pair = gb_kl_find(q, p);
    gb_shape batch;
    if (pair && gb_shape_broadcast(gb_dist_batch_shape(q), gb_dist_batch_shape(p), &batch))
        return gb_broadcast(pair->note ? pair->kl(&q, &p) : not_negative(pair->kl(&q, &p)), batch);
    if (!gb_dist_ok(q) || !gb_dist_ok(p))
        return (gb_node){0};
    if (pair)
        gb_fail(q.tape, GB_ESHAPE, "kl: the batches of %s and %s do not broadcast", q.type->name,
                p.type->name);
    else
        gb_fail(q.tape, GB_EARGUMENT,
                "kl: there is no exact KL(%s ‖ %s); average log q − log p over draws of q", q.type->name,
                p.type->name);
    return (gb_node){0};
}
