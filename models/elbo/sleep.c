/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sleep phase: latents and data are drawn from the model, and q learns to tell the latents from the data.
 * It descends E_p [−log q(z | x)], which is KL(p(z | x) ‖ q(z | x)) at data of the model. */
#include "models/elbo/sleep_impl.h"

#include <stdio.h>

#include "core/replace.h"
#include "distributions/law/replaced_impl.h"
#include "distributions/list.h"
#include "estimators/visit.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* What is dreamt in the place of what was drawn and observed, in the order of recording. */
typedef struct dream {
    gb_elbo *e;
    size_t count;
    gb_node *from, *to;
} dream;

static size_t length(const gb_elbo *e)
{
    size_t count = 1;
    for (const gb_kept *at = e->kept; at; at = at->before)
        count++;
    for (const gb_kept_outcome *o = e->outcomes; o; o = o->before)
        count++;
    return count;
}

/* Data stand before latents, since q depends on them. */
static void put(dream *d, gb_node from, gb_node to)
{
    size_t at = d->count++;
    for (; at > 0 && d->from[at - 1].id > from.id; at--) {
        d->from[at] = d->from[at - 1];
        d->to[at] = d->to[at - 1];
    }
    d->from[at] = from;
    d->to[at] = to;
}

/* Draws from a law of the model in the place of a node, in its shape, for each sample and row. */
static void dream_of(dream *d, const char *name, gb_dist law, gb_node instead)
{
    char stream[640];
    gb_tape *const tape = d->e->tape;
    if (snprintf(stream, sizeof stream, "%s.dream", name) >= (int)sizeof stream) {
        gb_fail(tape, GB_ENAME, "sleep: the name of %.40s … is too long", name);
        return;
    }
    gb_dist p = gb_dist_replaced(law, d->count, d->from, d->to);
    gb_shape batch = gb_node_shape(instead);
    batch.rank -= gb_dist_event_shape(p).rank;
    p = gb_dist_expand(p, batch);
    const gb_axes axes = GB_SAMPLES | (gb_node_axes(instead) & GB_ROWS);
    put(d, instead, gb_stop(gb_sample(p, gb_stream_numbered(tape, stream), axes)));
}

static bool can_dream_of(const gb_elbo *e, const gb_kept *latent)
{
    if (latent->parts == 0 && gb_dist_ok(latent->q) && gb_dist_ok(latent->prior))
        return true;
    if (latent->parts == 0 && !gb_dist_ok(latent->q) && GB_HAS(latent->family.type, point))
        return true; /* a parameter of the model */
    gb_fail(e->tape, GB_EARGUMENT,
            "latent %s: the sleep phase draws it from its prior; it needs one of its own, and is no block",
            latent->slot.name);
    return false;
}

static bool can_dream_of_data(const gb_elbo *e, const gb_kept_outcome *o)
{
    if (gb_dist_ok(o->law) && !gb_node_ok(o->weight))
        return true;
    gb_fail(e->tape, GB_EARGUMENT,
            "observe %s: the sleep phase draws the data from their law; %s, and so it cannot", o->name,
            gb_dist_ok(o->law) ? "they have weights" : "it is not known");
    return false;
}

/* The latents are recorded from the last to the first. */
static void dream_of_latents(dream *d, const gb_kept *last)
{
    if (!last || gb_error(d->e->tape) != GB_OK)
        return;
    dream_of_latents(d, last->before);
    if (can_dream_of(d->e, last) && gb_dist_ok(last->q))
        dream_of(d, last->slot.name, last->prior, last->value);
}

static void dream_of_all_data(dream *d, const gb_kept_outcome *last)
{
    if (!last || gb_error(d->e->tape) != GB_OK)
        return;
    dream_of_all_data(d, last->before);
    if (!last->is_foreseen && can_dream_of_data(d->e, last))
        dream_of(d, last->name, last->law, last->data);
}

/* Whether q was made from the data, so that it has something to learn. */
static bool sees_data(const gb_elbo *e, const gb_kept *latent)
{
    for (const gb_kept_outcome *o = e->outcomes; o; o = o->before)
        for (size_t i = 0; i < GB_MAX_PARAMS; i++)
            if (gb_node_ok(latent->q.param[i]) && gb_node_depends(latent->q.param[i], o->data))
                return true;
    gb_fail(
        e->tape, GB_EARGUMENT,
        "latent %s: the sleep phase teaches q to tell the latent from the data, and its q does not depend "
        "on any: give gb_posterior_of(q) with parameters made from the data",
        latent->slot.name);
    return false;
}

gb_node gb_elbo_sleep_loss(gb_elbo *e)
{
    const size_t most = length(e);
    dream d = {.e = e, .from = gb_tape_keep(e->tape, 2 * most * sizeof(gb_node))};
    if (!d.from)
        return (gb_node){0};
    d.to = d.from + most;
    dream_of_latents(&d, e->kept);
    dream_of_all_data(&d, e->outcomes);
    gb_node sum = gb_num(e->tape, 0);
    for (const gb_kept *at = e->kept; at && gb_error(e->tape) == GB_OK; at = at->before) {
        if (!gb_dist_ok(at->q) || !sees_data(e, at))
            continue;
        size_t place = 0;
        while (!gb_node_same(d.from[place], at->value))
            place++;
        const gb_dist q = gb_dist_replaced(at->q, d.count, d.from, d.to);
        const gb_node log_q = gb_sum(gb_log_prob(q, d.to[place]));
        const gb_node scale = gb_elbo_scale(e, gb_node_axes(log_q));
        sum = gb_sub(sum, gb_mul(scale, gb_per_sample(log_q)));
    }
    return gb_mean_over(sum, GB_SAMPLES);
}
