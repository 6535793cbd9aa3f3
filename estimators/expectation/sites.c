/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/expectation/sites_impl.h"

#include "core/op.h"
#include "estimators/visit.h"
#include "ops/control.h"

own_site *gb_site_of(const gb_expect *e, gb_node draw)
{
    own_site *own = e->last;
    while (own && !gb_node_same(own->site.draw, draw))
        own = gb_site_before(own);
    return own;
}

/* Returns the axes of samples and rows that `node` lacks and one of its arguments has. */
static gb_axes mixed_by(gb_node node)
{
    gb_axes of_arguments = 0;
    for (size_t i = 0; i < gb_node_arguments(node); i++)
        of_arguments |= gb_node_axes(gb_node_argument(node, i));
    return of_arguments & ~gb_node_axes(node) & (GB_SAMPLES | GB_ROWS);
}

static const gb_op own_op = {.size = sizeof(gb_op),
                             .name = "draw_log_prob",
                             .formula = "x, the log q of a draw",
                             .form = GB_FORM_ALIAS,
                             .arguments = 1,
                             .infer = gb_infer_first,
                             .vjp = gb_vjp_pass};

gb_node gb_mark_own(gb_node log_q)
{
    return gb_apply(NULL, &own_op, 1, &log_q, NULL, 0);
}

static bool mark(void *context, gb_node node)
{
    gb_expect *const e = context;
    const gb_op *const op = gb_node_op(node);
    if (op->closes) {
        for (const own_result *result = e->results; result; result = result->before)
            if (gb_node_same(result->node, node))
                gb_fail(
                    e->tape, GB_EARGUMENT,
                    "expected: the cost contains an expectation over its own draws, so its samples depend on "
                    "each other; take another gb_expect for the inner one");
        return false;
    }
    if (op->opens) {
        own_site *const own = gb_site_of(e, node);
        if (own)
            own->reached = true;
        else
            gb_fail(e->tape, GB_EARGUMENT,
                    "expected: the cost depends on draw %s, which belongs to another expectation",
                    gb_node_name(node));
    }
    for (own_site *own = op == &own_op ? e->last : NULL; own; own = gb_site_before(own))
        own->own_held |= gb_node_same(own->site.own, node);
    e->mixed |= mixed_by(node);
    return true;
}

static void forget_marks(gb_expect *e)
{
    e->mixed = 0;
    for (own_site *own = e->last; own; own = gb_site_before(own))
        own->reached = own->own_held = false;
}

static bool mark_all(gb_expect *e, size_t count, const gb_node *nodes)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        if (gb_is_open(nodes[i]))
            good = gb_visit(nodes[i], mark, e) == GB_OK;
    return good;
}

static bool mark_transform(gb_expect *e, const gb_transform *t)
{
    return !t || (mark_all(e, 2, t->param) && mark_transform(e, t->inner) && mark_transform(e, t->outer));
}

/* Marks the sites that the parameters of q, its base and its transform depend on. */
static bool mark_parameters(gb_expect *e, const gb_dist *q)
{
    return !q || (mark_all(e, GB_MAX_PARAMS, q->param) && mark_transform(e, q->transform) &&
                  mark_parameters(e, q->base));
}

bool gb_mark_sites(gb_expect *e, gb_node node)
{
    forget_marks(e);
    if (gb_visit(node, mark, e) != GB_OK)
        return false;
    /* Weighted values do not depend on q, but their weights do. */
    for (own_site *own = e->last; own; own = gb_site_before(own))
        if (own->reached && gb_site_is_weighted(own) && !mark_parameters(e, &own->site.q))
            return false;
    return true;
}

bool gb_mark_sites_of(gb_expect *e, const gb_dist *q)
{
    forget_marks(e);
    return mark_parameters(e, q);
}

bool gb_law_depends(const gb_dist *d, gb_node other)
{
    size_t count;
    gb_dist_params(d, &count);
    for (size_t i = 0; i < count; i++)
        if (gb_node_depends(d->param[i], other))
            return true;
    return d->base && gb_law_depends(d->base, other);
}
