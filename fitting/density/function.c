/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a term is a function of each point by itself. */
#include "fitting/density/function_impl.h"

#include "core/op.h"
#include "estimators/visit.h"
#include "ops/list.h"

typedef struct search {
    gb_node noise, mixing;
} search;

/* Returns whether the value at one sample depends on other samples, or on the number of its place. */
static bool mixes(gb_node node)
{
    gb_axes of_arguments = 0, of_size = 0;
    for (size_t i = 0; i < gb_node_arguments(node); i++)
        of_arguments |= gb_node_axes(gb_node_argument(node, i));
    if (gb_node_op(node) == &gb_axis_size_op)
        of_size = *(const gb_axes *)gb_node_attributes(node);
    const bool loses = (of_arguments & ~gb_node_axes(node) & GB_SAMPLES) != 0;
    const bool has_places = (gb_node_axes(node) & GB_SAMPLES) && !(of_arguments & GB_SAMPLES) &&
                            (gb_node_is(node, "axis_index") || gb_node_is(node, "hide"));
    return loses || has_places || of_size == GB_SAMPLES;
}

static bool look(void *user, gb_node node)
{
    search *const s = user;
    if (gb_node_op(node)->form == GB_FORM_NOISE)
        s->noise = node;
    if (mixes(node))
        s->mixing = node;
    return true;
}

static const char *name_of(gb_node node)
{
    return *gb_node_name(node) ? gb_node_name(node) : gb_node_op_name(node);
}

bool gb_density_is_function(gb_node node, const char *what)
{
    search s = {{0}, {0}};
    if (gb_visit(node, look, &s) != GB_OK)
        return false;
    if (gb_node_ok(s.noise))
        gb_fail(
            node.tape, GB_EARGUMENT,
            "density: %s depends on noise (%s) besides the latents, so its log density is random; make it a "
            "latent, or take its mean",
            what, name_of(s.noise));
    else if (gb_node_ok(s.mixing))
        gb_fail(node.tape, GB_EARGUMENT,
                "density: %s depends on several samples at once (%s), so it is no function of one point",
                what, name_of(s.mixing));
    else if (gb_node_axes(node) & ~GB_SAMPLES)
        gb_fail(node.tape, GB_EARGUMENT,
                "density: %s varies over evaluations of another expectation, and has no one value", what);
    return gb_error(node.tape) == GB_OK;
}
