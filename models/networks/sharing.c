/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x·w + b by lazy latents: what is drawn, and for whom. */
#include "models/networks.h"

#include "core/op.h"
#include "distributions/list.h"
#include "models/families/name_impl.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

typedef struct layer {
    gb_tape *tape;
    gb_node x;
    gb_lazy *w, *b; /* b NULL: no bias */
    gb_dist of_w, of_b;
} layer;

/* Products state which axes are an event, which does not matter here. */
static gb_dist without_products(gb_dist q)
{
    while (q.type == &gb_independent_type && q.base)
        q = *q.base;
    return q;
}

static bool is_point(const gb_lazy *w)
{
    return !w->q.type;
}

static gb_node affine(gb_node x, gb_node w, gb_node b)
{
    return gb_node_ok(b) ? gb_affine(x, w, b) : gb_matmul(x, w);
}

static gb_node plus(gb_node x, gb_node b)
{
    return gb_node_ok(b) ? gb_add(x, b) : x;
}

/* The draw of the bias that `draw` makes; inert if there is no bias. */
static gb_node bias(const layer *l, gb_node (*draw)(gb_lazy *))
{
    return l->b ? draw(l->b) : (gb_node){0};
}

static gb_node reject(const layer *l, const char *noise, const char *why)
{
    gb_fail(l->tape, GB_EARGUMENT,
            "layer %s: %s %s; GB_NOISE_SHARED takes any, and GB_NOISE_WEIGHTS draws the weights for each row",
            l->w->name, noise, why);
    return (gb_node){0};
}

/* A parameter of a latent's q, in the latent's shape. */
static gb_node of_each(const gb_lazy *w, gb_node param)
{
    return gb_broadcast_to(param, w->shape);
}

/* What stands for a layer that has a site, or signs, of its own; `joined` is the bias, if it is a part of
 * that. */
static gb_node replaced(const layer *l, gb_lazy *joined, gb_node drawn, gb_node w, gb_node b)
{
    gb_lazy *const both[] = {l->w, joined};
    return gb_lazy_replace(joined ? 2 : 1, both, drawn, affine(l->x, w, b));
}

/* ---- local reparameterisation ---- */

/* A row of zeros has no variance; there the slope of the root is not 0 · ∞, but 0. */
static gb_node root(gb_node variance)
{
    const double least = gb_tape_real(variance.tape) == GB_FLOAT ? 1e-36 : 1e-300;
    return gb_sqrt(gb_max(variance, gb_num(variance.tape, least)));
}

static gb_node local_normal(const layer *l)
{
    enum { LOC, SCALE };
    gb_lazy *const joined = l->b && l->of_b.type == &gb_normal_type ? l->b : NULL;
    const gb_node w = gb_lazy_draw_aside(l->w, false),
                  aside = joined ? gb_lazy_draw_aside(joined, false) : (gb_node){0};
    if (!gb_node_ok(w) || (joined && !gb_node_ok(aside)))
        return (gb_node){0};
    gb_node m[2] = {{0}}, v[2] = {{0}};
    m[0] = of_each(l->w, l->of_w.param[LOC]);
    v[0] = gb_square(of_each(l->w, l->of_w.param[SCALE]));
    if (joined) {
        m[1] = of_each(joined, l->of_b.param[LOC]);
        v[1] = gb_square(of_each(joined, l->of_b.param[SCALE]));
    }
    const gb_node mean = affine(l->x, m[0], m[1]), variance = affine(gb_square(l->x), v[0], v[1]);
    const gb_node drawn = gb_lazy_site(l->w, "local", gb_normal(mean, root(variance)), 0);
    const gb_node made = replaced(l, joined, drawn, w, aside);
    return joined ? made : plus(made, bias(l, gb_lazy_draw_rows));
}

/* ---- masks of units ---- */

/* x·(m ∘ w) = (x ∘ m)·w. The site is the masked x, whose law the estimator of the weights can draw. */
static gb_node masked(const layer *l)
{
    enum { WEIGHT, KEEP };
    const gb_node w = gb_lazy_draw_aside(l->w, false);
    if (!gb_node_ok(w))
        return w;
    const gb_dist of_x = gb_bernoulli_dropout(l->x, l->of_w.param[KEEP]);
    const gb_node kept = gb_lazy_site(l->w, "masked", of_x, GB_ROWS);
    const gb_node drawn = gb_matmul(kept, of_each(l->w, l->of_w.param[WEIGHT]));
    return plus(replaced(l, NULL, drawn, w, (gb_node){0}), bias(l, gb_lazy_draw_rows));
}

/* ---- Flipout ---- */

/* Returns the point around which q is symmetric; inert if it is not known to be. */
static gb_node centre_of(const gb_dist *q)
{
    static const struct {
        const gb_dist_type *type;
        size_t loc;
    } symmetric[] = {{&gb_normal_type, 0},
                     {&gb_laplace_type, 0},
                     {&gb_logistic_type, 0},
                     {&gb_student_t_type, 1},
                     {&gb_cauchy_type, 0}};
    for (size_t i = 0; i < sizeof symmetric / sizeof *symmetric; i++)
        if (q->type == symmetric[i].type)
            return q->param[symmetric[i].loc];
    return (gb_node){0};
}

static gb_node signs(const layer *l, const char *of, int64_t count)
{
    char name[GB_PART_NAME];
    if (!gb_joined_name(l->tape, l->w->name, ".signs_", of, name))
        return (gb_node){0};
    const gb_axes axes = GB_SAMPLES | (gb_node_axes(l->x) & GB_ROWS);
    return gb_rademacher_noise(gb_stream(l->tape, name), gb_shape(count), axes);
}

static gb_node flipped(const layer *l)
{
    gb_lazy *const joined = l->b && gb_node_ok(centre_of(&l->of_b)) ? l->b : NULL;
    const gb_node w = gb_lazy_draw_aside(l->w, true),
                  aside = joined ? gb_lazy_draw_aside(joined, true) : (gb_node){0};
    if (!gb_node_ok(w) || (joined && !gb_node_ok(aside)))
        return (gb_node){0};
    gb_node centre[2] = {{0}}, rest[2] = {{0}};
    centre[0] = of_each(l->w, centre_of(&l->of_w));
    rest[0] = gb_sub(w, centre[0]);
    if (joined) {
        centre[1] = of_each(joined, centre_of(&l->of_b));
        rest[1] = gb_sub(aside, centre[1]);
    }
    const gb_node in = gb_mul(l->x, signs(l, "in", l->w->shape.size[0]));
    const gb_node noise = gb_mul(affine(in, rest[0], rest[1]), signs(l, "out", l->w->shape.size[1]));
    const gb_node drawn = gb_add(affine(l->x, centre[0], centre[1]), noise);
    const gb_node made = replaced(l, joined, drawn, w, aside);
    return joined ? made : plus(made, bias(l, gb_lazy_draw_rows));
}

/* ---- what fits ---- */

static bool shapes_fit(const layer *l)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    const gb_shape of_x = gb_node_shape(l->x), of_w = l->w->shape;
    if (of_x.rank < 1 || of_w.rank != 2 || of_x.size[of_x.rank - 1] != of_w.size[0])
        gb_fail(l->tape, GB_ESHAPE,
                "layer %s: the weights have shape %s and what enters %s; these must be (n, k) and (…, n)",
                l->w->name, gb_shape_text(of_w, a), gb_shape_text(of_x, b));
    else if (l->b && !gb_shape_same(l->b->shape, gb_shape(of_w.size[1])))
        gb_fail(l->tape, GB_ESHAPE, "layer %s: the bias %s has shape %s, and must have (%lld)", l->w->name,
                l->b->name, gb_shape_text(l->b->shape, a), (long long)of_w.size[1]);
    else if (l->b && l->b->elbo != l->w->elbo)
        gb_fail(l->tape, GB_EARGUMENT, "layer %s: the bias %s is of another ELBO", l->w->name, l->b->name);
    return gb_error(l->tape) == GB_OK;
}

/* An x of several vectors would meet each weight several times in one row. */
static bool meets_once(const layer *l)
{
    const gb_shape shape = gb_node_shape(l->x);
    return gb_shape_count(shape) == (size_t)shape.size[shape.rank - 1];
}

static gb_node local(const layer *l)
{
    if (!meets_once(l))
        return reject(
            l, "GB_NOISE_LOCAL",
            "needs one vector for each row, and x has several (patches, or rows that are an axis of "
            "the shape, not gb_input_rows): each would have noise of its own. GB_NOISE_FLIPOUT takes "
            "such x");
    if (l->of_w.type == &gb_normal_type)
        return local_normal(l);
    if (l->of_w.type == &gb_unit_dropout_type)
        return masked(l);
    return reject(l, "GB_NOISE_LOCAL", "needs independent normal weights, or gb_unit_dropout");
}

/* Draws the weights before the bias. */
static gb_node drawn_by(const layer *l, gb_node (*draw)(gb_lazy *))
{
    const gb_node w = draw(l->w);
    return affine(l->x, w, bias(l, draw));
}

static gb_node shared(const layer *l)
{
    return drawn_by(l, gb_lazy_draw);
}

static gb_node by_row(const layer *l)
{
    if (l->of_w.type == &gb_unit_dropout_type && meets_once(l))
        return masked(l);
    return drawn_by(l, gb_lazy_draw_rows);
}

static gb_node of_points(const layer *l, gb_noise_sharing noise)
{
    return drawn_by(l, noise == GB_NOISE_SHARED ? gb_lazy_draw : gb_lazy_draw_rows);
}

static gb_node by_flipout(const layer *l)
{
    if (gb_node_ok(centre_of(&l->of_w)))
        return flipped(l);
    return reject(l, "GB_NOISE_FLIPOUT",
                  "needs independent weights that are symmetric around a point (normal, laplace, logistic, "
                  "student_t, cauchy)");
}

gb_node gb_lazy_affine(gb_node x, gb_lazy *w, gb_lazy *b, gb_noise_sharing noise)
{
    static gb_node (*const kinds[])(const layer *) = {[GB_NOISE_SHARED] = shared,
                                                      [GB_NOISE_LOCAL] = local,
                                                      [GB_NOISE_FLIPOUT] = by_flipout,
                                                      [GB_NOISE_WEIGHTS] = by_row};
    if (!w || !gb_node_check(x, "layer"))
        return (gb_node){0};
    layer l = {.tape = x.tape, .x = x, .w = w, .b = b, .of_w = without_products(w->q)};
    if (b)
        l.of_b = without_products(b->q);
    if (noise < GB_NOISE_SHARED || noise > GB_NOISE_WEIGHTS) {
        gb_fail(l.tape, GB_EARGUMENT, "layer %s: there is no noise number %d (GB_NOISE_SHARED …)", w->name,
                (int)noise);
        return (gb_node){0};
    }
    if (!shapes_fit(&l))
        return (gb_node){0};
    return is_point(w) ? of_points(&l, noise) : kinds[noise](&l);
}
