/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The posterior of a latent, its moments, and predictions. */
#include "models/elbo/posterior_impl.h"

#include <string.h>

#include "distributions/list.h"
#include "models/elbo/elbo_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"

gb_own_latent *gb_elbo_own_latent(const gb_elbo *e, const char *name)
{
    gb_own_latent *at = e ? e->latents : NULL;
    while (at && name && strcmp(at->name, name) != 0)
        at = at->before;
    return name ? at : NULL;
}

void gb_elbo_note_latent(gb_elbo *e, const char *name, gb_dist q, bool is_flat)
{
    if (gb_elbo_own_latent(e, name)) {
        gb_fail(e->tape, GB_ENAME, "latent %s: there is one of that name already; give it another name",
                name);
        return;
    }
    gb_own_latent *made = gb_tape_keep(e->tape, sizeof *made);
    const char *kept = made ? gb_tape_keep_text(e->tape, name) : NULL;
    if (!kept)
        return;
    *made = (gb_own_latent){.before = e->latents, .name = kept, .q = q, .is_flat = is_flat};
    e->latents = made;
}

gb_dist gb_elbo_posterior_of_point(gb_node value)
{
    return gb_node_axes(value) & GB_SAMPLES ? (gb_dist){0} : gb_point_mass(value);
}

gb_dist gb_elbo_posterior(const gb_elbo *e, const char *name)
{
    const gb_own_latent *const latent = gb_elbo_own_latent(e, name);
    return latent ? latent->q : (gb_dist){0};
}

/* ---- its moments ---- */

static bool has_moment(const gb_elbo *e, const char *what, const char *name, gb_ability ability)
{
    const gb_own_latent *const latent = gb_elbo_own_latent(e, name);
    if (!e || gb_error(e->tape) != GB_OK)
        return false;
    if (!latent)
        gb_fail(e->tape, GB_ENAME, "posterior_%s: there is no latent %s", what, name ? name : "(NULL)");
    else if (!gb_dist_ok(latent->q))
        gb_fail(e->tape, GB_EARGUMENT,
                "posterior_%s: the distribution of %s by itself has no formula; gb_predict_%s estimates it "
                "from draws",
                what, name, what);
    else if (!gb_dist_can(latent->q, ability))
        gb_fail(e->tape, GB_EARGUMENT,
                "posterior_%s: q of %s (%s) has no closed form; gb_predict_%s estimates it from draws", what,
                name, latent->q.type->name, what);
    else
        return true;
    return false;
}

gb_node gb_elbo_posterior_mean(const gb_elbo *e, const char *name)
{
    if (!has_moment(e, "mean", name, GB_CAN_MEAN))
        return (gb_node){0};
    const gb_dist q = gb_elbo_posterior(e, name);
    return gb_broadcast(gb_dist_mean(q), gb_dist_shape(q));
}

gb_node gb_elbo_posterior_sd(const gb_elbo *e, const char *name)
{
    if (!has_moment(e, "sd", name, GB_CAN_VARIANCE))
        return (gb_node){0};
    const gb_dist q = gb_elbo_posterior(e, name);
    return gb_broadcast(gb_sqrt(gb_dist_variance(q)), gb_dist_shape(q));
}

gb_status gb_elbo_posterior_read(gb_elbo *e, const char *name, double *mean, double *sd, size_t count)
{
    gb_own_latent *const latent = gb_elbo_own_latent(e, name);
    if (!latent || !latent->moments) {
        const gb_node nodes[] = {gb_elbo_posterior_mean(e, name), gb_elbo_posterior_sd(e, name)};
        if (!latent || gb_error(e->tape) != GB_OK)
            return e ? gb_error(e->tape) : GB_EARGUMENT;
        latent->mean = nodes[0];
        latent->sd = nodes[1];
        latent->moments = gb_compile(e->tape, gb_roots(latent->mean, latent->sd), gb_no_update);
        if (!latent->moments)
            return gb_error(e->tape);
    }
    const size_t elements = gb_shape_count(gb_node_shape(latent->mean));
    if (gb_error(e->tape) == GB_OK && count != elements)
        return gb_fail(e->tape, GB_EREAD, "posterior_read %s: it has %zu elements, not %zu", name, elements,
                       count);
    gb_status status = gb_run(latent->moments);
    if (status == GB_OK && mean)
        status = gb_read(latent->mean, mean, count);
    if (status == GB_OK && sd)
        status = gb_read(latent->sd, sd, count);
    return status;
}

/* ---- predictions ---- */

gb_node gb_predict_mean(gb_elbo *e, gb_node x)
{
    return gb_mean_of_draws(e ? e->expect : NULL, x);
}

gb_node gb_predict_sd(gb_elbo *e, gb_node x)
{
    return gb_sd_of_draws(e ? e->expect : NULL, x);
}
