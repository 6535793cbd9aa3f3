/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "models/optimiser.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

/* ---- independent normals ---- */

enum { NAME = 256 };

/* The length of P in "P.PART"; 0 for any other name. */
static size_t owner_length(const char *name, const char *part)
{
    const size_t all = strlen(name), rest = strlen(part);
    const bool ends = all > rest + 1 && name[all - rest - 1] == '.' && strcmp(name + all - rest, part) == 0;
    return ends ? all - rest - 1 : 0;
}

/* How many of the variables are named "OWNER.…". */
static size_t parts_of(const gb_update_step *to, const char *owner, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < to->count; i++) {
        const char *const name = gb_node_name(to->variables[i]);
        count += strncmp(name, owner, length) == 0 && name[length] == '.';
    }
    return count;
}

/* The other one of location and raw_scale, if there are the two and no third; else inert. */
static gb_node partner(const gb_update_step *to, size_t length, const char *part)
{
    char name[NAME];
    const gb_node none = {0};
    if (length == 0 ||
        (size_t)snprintf(name, sizeof name, "%.*s.%s", (int)length, to->name, part) >= sizeof name ||
        !gb_has_variable(to->variable.tape, name))
        return none;
    const gb_node other = gb_variable_named(to->variable.tape, name);
    bool among = false;
    for (size_t i = 0; i < to->count; i++)
        among = among || gb_node_same(to->variables[i], other);
    const bool two = parts_of(to, to->name, length) == (among ? 2 : 1);
    return two && gb_shape_equal(gb_node_shape(other), gb_node_shape(to->variable)) ? other : none;
}

/* With scale s = softplus(r): F = 1 / s² of the location, and 2 (s' / s)² of r. */
static gb_node mean_field(const gb_update_step *to)
{
    const gb_node raw = partner(to, owner_length(to->name, "location"), "raw_scale");
    if (gb_node_ok(raw))
        return gb_mul(to->gradient, gb_square(gb_softplus(raw)));
    if (!gb_node_ok(partner(to, owner_length(to->name, "raw_scale"), "location")))
        return (gb_node){0};
    const gb_node ratio = gb_div(gb_softplus(to->variable), gb_sigmoid(to->variable));
    return gb_mul(to->gradient, gb_scale(gb_square(ratio), 0.5));
}

/* ---- normals with a Cholesky factor ---- */

gb_node gb_natural_location(gb_node factor, gb_node gradient)
{
    const gb_node column = gb_expand(gradient, -1);
    return gb_squeeze(gb_matmul(factor, gb_matmul(gb_matrix_transpose(factor), column)), -1);
}

/* In L = L₀ (I + A) the information of the elements of A at 0 is 1 below the diagonal, and 2 on it. */
gb_node gb_natural_factor(gb_node factor, gb_node gradient)
{
    const gb_node l = gb_tril(factor, 0);
    const gb_node inner = gb_matmul(gb_matrix_transpose(l), gb_tril(gradient, 0));
    const gb_node phi = gb_scale(gb_add(gb_tril(inner, 0), gb_tril(inner, -1)), 0.5);
    return gb_matmul(l, phi);
}

/* ---- the optimiser ---- */

static gb_node natural_gradient(const gb_update_step *to, const gb_natural_options *o)
{
    gb_tape *const tape = to->variable.tape;
    gb_node found = {0};
    if (o->metric)
        found = o->metric(to, o->user);
    if (gb_error(tape) == GB_OK && !gb_node_ok(found))
        found = mean_field(to);
    if (gb_error(tape) != GB_OK || gb_node_ok(found))
        return found;
    if (o->others > 0)
        return gb_scale(to->gradient, o->others);
    gb_fail(
        tape, GB_EARGUMENT,
        "natural: %s has no metric: it is no part of a normal NAME.location, NAME.raw_scale. Give .metric, or in "
        ".others the share of the rate that its plain gradient gets",
        to->name);
    return (gb_node){0};
}

static gb_node update(const gb_update_step *to)
{
    return gb_sub(to->variable, gb_mul(to->rate, natural_gradient(to, to->options)));
}

static const gb_optimiser_option options[] = {
    {"others", offsetof(gb_natural_options, others), 0, GB_NON_NEGATIVE},
    {0},
};

static const gb_optimiser_field fields[] = {
    {offsetof(gb_natural_options, metric), sizeof(gb_metric *)},
    {offsetof(gb_natural_options, user), sizeof(const void *)},
    {0},
};

const gb_optimiser_type gb_natural_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "natural",
    .cite = "Amari 1998",
    .formula = "x - lr F^-1 g, F the Fisher information of the normal that x is a parameter of",
    .lr = 0.1,
    .options = options,
    .fields = fields,
    .update = update,
};

gb_optimiser gb_natural_with(gb_natural_options o)
{
    return gb_optimiser_of(&gb_natural_type, &o, sizeof o);
}
