/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/kl.h"

static const gb_kl_pair *find(const gb_dist_type *in, gb_dist q, gb_dist p)
{
    if (!GB_HAS(in, kl))
        return NULL;
    for (const gb_kl_pair *pair = in->kl; pair->kl; pair++)
        if (pair->q == q.type && pair->p == p.type)
            return pair;
    return NULL;
}

static const gb_kl_pair *pair_of(gb_dist q, gb_dist p)
{
    if (!gb_dist_ok(q) || !gb_dist_ok(p))
        return NULL;
    const gb_kl_pair *pair = find(q.type, q, p);
    return pair ? pair : find(p.type, q, p);
}

bool gb_has_kl(gb_dist q, gb_dist p)
{
    return pair_of(q, p) != NULL;
}

gb_node gb_kl(gb_dist q, gb_dist p)
{
    const gb_kl_pair *pair = pair_of(q, p);
    if (pair)
        return pair->kl(&q, &p);
    if (gb_dist_ok(q) && gb_dist_ok(p))
        gb_fail(q.tape, GB_EARGUMENT,
                "kl: there is no exact KL(%s ‖ %s); average log q − log p over draws of q", q.type->name,
                p.type->name);
    return (gb_node){0};
}
