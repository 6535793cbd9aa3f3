/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latents that stay undrawn until a layer uses them.
 *
 * A lazy latent has its q, its prior and its KL, as one of gb_latent has, but no draw. The layer that uses it
 * decides what is drawn: the weight itself, once for all rows (gb_lazy_draw) or for each row
 * (gb_lazy_draw_rows); or a *site of the layer's own*, such as its pre-activations (gb_lazy_replace).
 * models/networks.h has such layers; this header is for authors of others.
 *
 *     gb_lazy *w = gb_latent_lazy(e, "w", gb_mean_field(gb_shape(3, 5)), prior, gb_pathwise());
 *     gb_node f = gb_lazy_affine(x, w, NULL, GB_NOISE_LOCAL);
 *
 * A layer with a site of its own evaluates the ELBO right under two conditions, which are checked: the latent
 * is used once, and the log likelihood is a sum over rows, none of which depends on the draws of another row.
 * A third is the layer's to check: one row uses each weight once. What needs whole functions (gb_density and
 * all that is made of it; gb_elbo_whole) takes the layer with one draw of the weight for all rows. */
#ifndef GREBE_MODELS_LAZY_H
#define GREBE_MODELS_LAZY_H

#include "elbo.h"

GB_BEGIN_DECLS

/* A lazy latent. Layers read it; the ELBO owns it, and only the library makes one. */
typedef struct gb_lazy {
    size_t size; /* sizeof(gb_lazy) */
    const char *name;
    gb_elbo *elbo;
    gb_shape shape;
    gb_dist q; /* inert for a point */
    gb_estimator estimator;
    gb_node value; /* the draw, or the point; inert until the latent is used */
} gb_lazy;

/* Like gb_latent, without a draw. Returns NULL on error. An ELBO with a lazy latent that nothing uses is
 * rejected when its loss is requested. The term of KL is added when the latent is used. */
typedef gb_latent_options gb_latent_lazy_options;
#define gb_latent_lazy(...) GB_CALL_5(gb_latent_lazy, __VA_ARGS__, .size = sizeof(gb_latent_lazy_options))
GB_API gb_lazy *gb_latent_lazy_with(gb_elbo *e, const char *name, gb_family family, gb_dist prior,
                                    gb_estimator estimator, const gb_latent_lazy_options *options);

/* Draws the latent as gb_latent does, and returns the draw; with a point, the point. A second call returns
 * the same draw. gb_lazy_draw_rows makes a separate draw for each row (gb_row_by_row). Fail if another
 * function has used the latent. NULL: an earlier call failed. */
GB_API gb_node gb_lazy_draw(gb_lazy *w);
GB_API gb_node gb_lazy_draw_rows(gb_lazy *w);

/* Returns a draw for all rows of a latent that a layer is going to replace (gb_lazy_replace). `is_noise`: the
 * layer makes its noise of this draw, which is then a site as that of gb_latent is. Else it is for whole
 * functions, and for a sampled KL; runs compute it only where they need it. Fails if something else has used
 * the latent; if its estimator needs log q in the cost (sticking the landing); and for bounds other than the
 * ELBO. */
GB_API gb_node gb_lazy_draw_aside(gb_lazy *w, bool is_noise);

/* Returns a draw from `of`, made by the estimator of the latent, as a site NAME.SUFFIX: for a layer that
 * draws something else than the weight. It varies over rows if `axes` or `of` do. */
GB_API gb_node gb_lazy_site(gb_lazy *w, const char *suffix, gb_dist of, gb_axes axes);

/* Says that `drawn`, of a layer with a site or with noise of its own, stands in the place of `whole`: the
 * same layer, made of gb_lazy_draw_aside of its `count` latents. Returns `drawn`. Fails if the shapes differ,
 * or if a latent has not been drawn so. */
GB_API gb_node gb_lazy_replace(size_t count, gb_lazy *const *w, gb_node drawn, gb_node whole);

/* The same for noise that belongs to no latent, such as masks of dropout beside points: `drawn` has noise of
 * its own in each row, and stands for `whole`, which has one for all rows. `name` is for messages. Returns
 * `drawn`. */
GB_API gb_node gb_elbo_stand_in(gb_elbo *e, const char *name, gb_node drawn, gb_node whole);

/* Returns x with one draw of each weight for all rows, also where layers have sites of their own: a whole
 * function, which can be drawn as a curve or evaluated at rows that depend on each other. Each row alone has
 * the same distribution as x has. */
GB_API gb_node gb_elbo_whole(gb_elbo *e, gb_node x);

GB_END_DECLS
#endif
