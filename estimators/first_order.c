/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gradient that goes through the fence leaves a mark in all that it makes. When a later gradient arrives at the guard
 * and depends on such a mark, then it is one of a gradient. */
#include "estimators/first_order.h"

#include "core/op.h"
#include "estimators/visit.h"

struct gb_first_order {
    const char *estimator, *site;
    bool is_marked;
    gb_node oldest; /* mark */
};

typedef struct shared {
    gb_first_order *first;
} shared;

static void pass_adjoint(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}

static const gb_op mark_op = {.size = sizeof(gb_op),
                              .name = "first_gradient",
                              .formula = "x, an adjoint",
                              .form = GB_FORM_ALIAS,
                              .arguments = 1,
                              .attribute_bytes = sizeof(shared),
                              .infer = gb_infer_first,
                              .vjp = pass_adjoint};

static void fence_vjp(const gb_vjp *v)
{
    const shared *const with = v->attributes;
    v->adjoint[0] = gb_apply(NULL, &mark_op, 1, &v->gradient, with, sizeof *with);
    if (!with->first->is_marked)
        with->first->oldest = v->adjoint[0];
    with->first->is_marked = true;
}

static const gb_op fence_op = {.size = sizeof(gb_op),
                               .name = "fence",
                               .formula = "x, whose gradient has none in guarded parameters",
                               .form = GB_FORM_ALIAS,
                               .arguments = 1,
                               .attribute_bytes = sizeof(shared),
                               .infer = gb_infer_first,
                               .vjp = fence_vjp};

typedef struct search {
    const gb_first_order *first;
    size_t began;
    bool found;
} search;

static bool find_older_mark(void *context, gb_node node)
{
    search *const s = context;
    const shared *const with = gb_node_operation(node) == &mark_op ? gb_node_attributes(node) : NULL;
    s->found |= with && with->first == s->first && node.id < s->began;
    return !s->found;
}

static void guard_vjp(const gb_vjp *v)
{
    const shared *const with = v->attributes;
    search s = {.first = with->first, .began = v->began};
    v->adjoint[0] = v->gradient;
    if (!s.first->is_marked || s.first->oldest.id >= v->began)
        return;
    if (gb_visit(v->gradient, find_older_mark, &s) == GB_OK && s.found)
        gb_fail(
            v->tape, GB_EGRADIENT,
            "gradient: that of %s for draw %s has itself no gradient in the parameters of the draw (what fits: "
            "pathwise, score, enumerate, quadrature)",
            s.first->estimator, s.first->site);
}

static const gb_op guard_op = {.size = sizeof(gb_op),
                               .name = "guard",
                               .formula = "x, in which fenced gradients have none",
                               .form = GB_FORM_ALIAS,
                               .arguments = 1,
                               .attribute_bytes = sizeof(shared),
                               .infer = gb_infer_first,
                               .vjp = guard_vjp};

gb_first_order *gb_first_order_new(gb_tape *tape, const char *estimator, const char *site)
{
    gb_first_order *const first = gb_tape_keep(tape, sizeof *first);
    if (first)
        *first = (gb_first_order){.estimator = estimator, .site = site};
    return first;
}

gb_dist gb_guarded(gb_first_order *first, gb_dist q)
{
    const shared with = {.first = first};
    size_t count;
    gb_dist_params(&q, &count);
    for (size_t i = 0; first && i < count; i++)
        if (gb_node_type(q.param[i]) == GB_TYPE_REAL && !gb_is_constant(q.param[i]))
            q.param[i] = gb_apply(NULL, &guard_op, 1, &q.param[i], &with, sizeof with);
    gb_dist *const base = first && q.base ? gb_tape_keep(q.tape, sizeof *base) : NULL;
    if (base) {
        *base = gb_guarded(first, *q.base);
        q.base = base;
    }
    return q;
}

gb_node gb_fenced(gb_first_order *first, gb_node cost)
{
    const shared with = {.first = first};
    return first ? gb_apply(NULL, &fence_op, 1, &cost, &with, sizeof with) : cost;
}
