/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/expect.h"

#include <string.h>

#include "core/op.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* A site, and whether the cost at hand depends on its draw and holds its log q. */
typedef struct own_site {
    gb_site site;
    bool reached, own_reached;
} own_site;

struct gb_expect {
    gb_tape *tape;
    own_site *last;
    bool mixed; /* the cost at hand has samples that depend on each other */
};

static own_site *before(const own_site *own)
{
    return (own_site *)(uintptr_t)own->site.before; /* the first member of what gb_draw made */
}

gb_expect *gb_expect_new_with(gb_expect_options options)
{
    if (options.samples != 0)
        gb_tape_set_samples(options.tape, options.samples);
    gb_expect *e = gb_tape_keep(options.tape, sizeof *e);
    if (e)
        e->tape = options.tape;
    return e;
}

/* ---- drawing ---- */

static const char *lacking(const gb_estimator_type *estimator, gb_dist q)
{
    if ((estimator->needs & GB_NEEDS_RSAMPLE) && !gb_dist_can(q, GB_CAN_RSAMPLE))
        return "has no reparameterised sampler";
    return "has a support that moves with its parameters";
}

static void refuse(gb_expect *e, const char *name, const gb_estimator_type *estimator, gb_dist q)
{
    char fitting[240] = "";
    size_t count, used = 0;
    const gb_estimator_type *const *const all = gb_estimators(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(all[i]->name);
        if (!gb_estimator_fits(all[i], q) || used + length + 3 > sizeof fitting)
            continue;
        used +=
            (size_t)snprintf(fitting + used, sizeof fitting - used, "%s%s", used ? ", " : "", all[i]->name);
    }
    gb_fail(e->tape, GB_EARGUMENT, "draw %s: %s does not fit %s, which %s; what fits: %s", name,
            estimator->name, q.type->name, lacking(estimator, q), used ? fitting : "nothing");
}

static bool site_fits(gb_expect *e, const char *name, gb_dist q, gb_estimator estimator)
{
    if (gb_error(e->tape) != GB_OK)
        return false;
    if (!name || !*name)
        gb_fail(e->tape, GB_ENAME, "draw: a name is required");
    else if (!gb_dist_ok(q) || q.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT, "draw %s: no distribution of this tape was given", name);
    else if (!estimator.type)
        gb_fail(e->tape, GB_EARGUMENT, "draw %s: no estimator was given (gb_pathwise(), gb_score() …)", name);
    else if (!gb_estimator_fits(estimator.type, q))
        refuse(e, name, estimator.type, q);
    else
        return true;
    return false;
}

gb_node gb_draw(gb_expect *e, const char *name, gb_dist q, gb_estimator estimator)
{
    if (!e || !site_fits(e, name, q, estimator))
        return (gb_node){0};
    own_site *own = gb_tape_keep(e->tape, sizeof *own);
    const char *kept = own ? gb_tape_keep_text(e->tape, name) : NULL;
    if (!kept)
        return (gb_node){0};
    own->site = (gb_site){.size = sizeof(gb_site),
                          .name = kept,
                          .q = q,
                          .estimator = estimator,
                          .noise = gb_stream(e->tape, name),
                          .axes = GB_SAMPLES | gb_dist_axes(q),
                          .before = e->last ? &e->last->site : NULL};
    own->site.draw = gb_named(gb_open_draw(estimator.type->draw(&own->site)), name);
    e->last = own;
    return own->site.draw;
}

static void pass_adjoint(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}

/* Marks the log q of a draw, so that a walk over the cost finds it. */
static const gb_op own_op = {.size = sizeof(gb_op),
                             .name = "draw_log_prob",
                             .formula = "x, the log q of a draw",
                             .form = GB_FORM_ALIAS,
                             .arguments = 1,
                             .infer = gb_infer_first,
                             .vjp = pass_adjoint};

static own_site *site_of(const gb_expect *e, gb_node draw)
{
    own_site *own = e->last;
    while (own && !gb_node_same(own->site.draw, draw))
        own = before(own);
    return own;
}

gb_node gb_draw_log_prob(gb_expect *e, gb_node draw, gb_node weight)
{
    own_site *const own = e && gb_error(e->tape) == GB_OK ? site_of(e, draw) : NULL;
    if (own && !gb_node_ok(own->site.own)) {
        const gb_node weighted = gb_mul(weight, gb_per_sample(gb_log_prob(own->site.q, draw)));
        own->site.own = gb_apply(NULL, &own_op, 1, &weighted, NULL, 0);
        own->site.own_weight = weight;
        return own->site.own;
    }
    if (own)
        gb_fail(e->tape, GB_EARGUMENT, "draw %s: its log q was asked for before", own->site.name);
    else if (e)
        gb_fail(e->tape, GB_EARGUMENT, "draw_log_prob: the node is no draw of this expectation");
    return (gb_node){0};
}

/* ---- for estimators ---- */

gb_estimator gb_estimator_of(const gb_estimator_type *type, const void *options, size_t bytes)
{
    gb_estimator estimator = {.type = bytes <= GB_ESTIMATOR_OPTIONS ? type : NULL};
    if (estimator.type && bytes > 0)
        memcpy(estimator.options.bytes, options, bytes);
    return estimator;
}

gb_node gb_per_sample(gb_node x)
{
    return gb_sum_over(gb_sum(x), gb_node_axes(x) & ~GB_SAMPLES);
}

gb_node gb_site_log_prob(const gb_site *site)
{
    return gb_per_sample(gb_log_prob(site->q, gb_stop(site->draw)));
}

gb_node gb_site_drop_own_path(const gb_site *site, gb_node cost)
{
    return gb_node_ok(site->own) ? gb_inject(cost, gb_site_log_prob(site), gb_neg(site->own_weight)) : cost;
}

/* ---- folding ---- */

static bool cost_fits(gb_expect *e, gb_node cost)
{
    char text[GB_SHAPE_TEXT];
    if (gb_error(e->tape) != GB_OK)
        return false;
    if (!gb_node_ok(cost) || cost.tape != e->tape)
        gb_fail(e->tape, GB_ENODE, "expected: the cost is not a usable node of this tape");
    else if (gb_node_type(cost) != GB_TYPE_REAL)
        gb_fail(e->tape, GB_ETYPE, "expected: the cost is not real (gb_to_real makes it so)");
    else if (gb_node_shape(cost).rank != 0)
        gb_fail(e->tape, GB_ESHAPE, "expected: the cost must be a scalar, and has shape %s; sum it first",
                gb_shape_text(gb_node_shape(cost), text));
    else if (gb_node_axes(cost) & ~GB_SAMPLES)
        gb_fail(e->tape, GB_ESHAPE,
                "expected: the cost varies over more than the samples; sum over the rows first");
    else
        return true;
    return false;
}

static bool mixes_samples(gb_node node)
{
    if (gb_node_axes(node) & GB_SAMPLES)
        return false;
    for (size_t i = 0; i < gb_node_arguments(node); i++)
        if (gb_node_axes(gb_node_argument(node, i)) & GB_SAMPLES)
            return true;
    return false;
}

/* Marks the sites whose draws, and whose log q, the cost depends on. */
static bool mark(void *context, gb_node node)
{
    gb_expect *const e = context;
    const gb_op *const op = gb_node_operation(node);
    if (op->closes)
        return false;
    if (op->opens) {
        own_site *const own = site_of(e, node);
        if (own)
            own->reached = true;
        else
            gb_fail(e->tape, GB_EARGUMENT,
                    "expected: the cost depends on draw %s, which belongs to another expectation",
                    gb_node_name(node));
    }
    for (own_site *own = op == &own_op ? e->last : NULL; own; own = before(own))
        own->own_reached |= gb_node_same(own->site.own, node);
    e->mixed |= mixes_samples(node);
    return true;
}

/* What the cost depends on. */
static bool look_back(gb_expect *e, gb_node cost)
{
    e->mixed = false;
    for (own_site *own = e->last; own; own = before(own))
        own->reached = own->own_reached = false;
    if (gb_visit(cost, mark, e) != GB_OK)
        return false;
    for (own_site *own = e->last; own && e->mixed; own = before(own))
        if (own->reached && (own->site.estimator.type->needs & GB_NEEDS_SEPARATE_SAMPLES))
            gb_fail(e->tape, GB_EARGUMENT,
                    "expected: the cost of one sample depends on other samples (a sum or mean over them), "
                    "and %s of draw %s needs costs that do not",
                    own->site.estimator.type->name, own->site.name);
    return gb_error(e->tape) == GB_OK;
}

gb_node gb_expected(gb_expect *e, gb_node cost)
{
    if (!e || !cost_fits(e, cost) || !look_back(e, cost))
        return (gb_node){0};
    for (own_site *own = e->last; own; own = before(own)) {
        gb_site site = own->site;
        if (!own->own_reached)
            site.own = site.own_weight = (gb_node){0};
        if (own->reached)
            cost = site.estimator.type->combine(&site, cost);
    }
    return gb_close_draws(gb_mean_over(cost, GB_SAMPLES));
}
