/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/kl.h"

#include "distributions/law/distribution_impl.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/hold.h"

static bool is_for(const gb_kl_pair *pair, const gb_dist *q, const gb_dist *p)
{
    return pair->q == q->type && (!pair->p || pair->p == p->type) && (!pair->fits || pair->fits(q, p));
}

/* Looks for the pair in one table. A second one is an error. */
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

static const gb_kl_pair *find(const gb_dist *q, const gb_dist *p)
{
    const gb_kl_pair *found = NULL;
    if (q->tape != p->tape || !look(q->type, q, p, &found) ||
        (p->type != q->type && !look(p->type, q, p, &found)))
        return NULL;
    return found;
}

const gb_kl_pair *gb_kl_find(gb_dist q, gb_dist p)
{
    return gb_dist_ok(q) && gb_dist_ok(p) ? find(&q, &p) : NULL;
}

bool gb_has_kl(gb_dist q, gb_dist p)
{
    return gb_kl_find(q, p) != NULL;
}

/* ---- why there is none ---- */

/* The first parameter whose own axes are a vector or a matrix; else NULL. */
static const gb_option *vector_of(const gb_dist *d, gb_shape *shape)
{
    size_t count;
    const gb_option *const params = gb_dist_params(d, &count);
    for (size_t i = 0; i < count; i++) {
        const int rank = params[i].domain->event_rank;
        const gb_shape all = gb_node_shape(d->param[i]);
        *shape = gb_shape_of(rank, all.size + all.rank - rank);
        if (rank > 0)
            return &params[i];
    }
    return NULL;
}

static bool sizes_differ(const gb_dist *q, const gb_dist *p)
{
    gb_shape batch, of_q, of_p;
    gb_dist_shapes(q, &batch, &of_q);
    gb_dist_shapes(p, &batch, &of_p);
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (!gb_shape_same(of_q, of_p)) {
        gb_fail(q->tape, GB_ESHAPE, "kl: draws of %s have shape %s, and those of %s %s", q->type->name,
                gb_shape_text(of_q, a), p->type->name, gb_shape_text(of_p, b));
        return true;
    }
    const gb_option *const vector_q = vector_of(q, &of_q), *const vector_p = vector_of(p, &of_p);
    if (q->type != p->type || !vector_q || !vector_p || gb_shape_same(of_q, of_p))
        return false;
    gb_fail(q->tape, GB_ESHAPE, "kl: %s of %s has shape %s, and %s of %s %s", vector_q->name, q->type->name,
            gb_shape_text(of_q, a), vector_p->name, p->type->name, gb_shape_text(of_p, b));
    return true;
}

static void say_why(const gb_dist *q, const gb_dist *p)
{
    if (q->tape != p->tape)
        gb_fail(q->tape, GB_ENODE, "kl: %s and %s belong to different tapes", q->type->name, p->type->name);
    else if (!sizes_differ(q, p))
        gb_fail(q->tape, GB_EARGUMENT,
                "kl: there is no exact KL(%s ‖ %s); average log q − log p over draws of q", q->type->name,
                p->type->name);
}

/* A divergence is not negative, except for rounding. The gradient is kept. */
static gb_node not_negative(gb_node kl)
{
    if (!gb_node_ok(kl) || gb_node_range(kl).low >= 0)
        return kl;
    return gb_inject(gb_stop(gb_relu(kl)), kl, gb_num(kl.tape, 1));
}

static bool batches_fit(const gb_dist *q, const gb_dist *p, gb_shape *batch)
{
    gb_shape of_q, of_p, event;
    gb_dist_shapes(q, &of_q, &event);
    gb_dist_shapes(p, &of_p, &event);
    return gb_shape_broadcast(of_q, of_p, batch);
}

/* Marks a divergence of discrete laws as continuous in their parameters: its comparisons only choose between
 * equal formulas, and supports do not move. */
static gb_node continuous(const gb_dist *q, const gb_dist *p, gb_node kl)
{
    gb_dist_nodes in = {.count = 0};
    if (!gb_node_ok(kl) || !gb_dist_discrete(*q) || !gb_dist_discrete(*p))
        return kl;
    gb_dist_all_params(q, &in);
    gb_dist_all_params(p, &in);
    return in.count > GB_DIST_NODES ? kl : gb_continuous_in(kl, in.count, in.node);
}

gb_node gb_kl(gb_dist q, gb_dist p)
{
    if (!gb_dist_ok(q) || !gb_dist_ok(p))
        return (gb_node){0};
    gb_shape batch;
    const gb_kl_pair *const pair = find(&q, &p);
    if (pair && batches_fit(&q, &p, &batch))
        return gb_broadcast(
            continuous(&q, &p, pair->note ? pair->kl(&q, &p) : not_negative(pair->kl(&q, &p))), batch);
    if (pair)
        gb_fail(q.tape, GB_ESHAPE, "kl: the batches of %s and %s do not broadcast", q.type->name,
                p.type->name);
    else
        say_why(&q, &p);
    return (gb_node){0};
}
