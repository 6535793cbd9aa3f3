/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step in the natural parameters Σ⁻¹ and Σ⁻¹ μ of a normal, along the gradient of the loss in its
 * expectation parameters (Khan and Rue 2023). With learning rate ρ, and g the gradient in μ:
 *     Σ⁻¹ ← Σ⁻¹ + 2 ρ dloss/dΣ,    and then μ ← μ − ρ Σ g.
 * The step does not depend on the parametrisation of Σ. With Σ = L Lᵀ and G the gradient in L, Σ⁻¹ becomes
 * L⁻ᵀ (I + ρ H) L⁻¹, where H is symmetric and has the lower triangle of Lᵀ G. */
#include "models/optimisers/natural_normal_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

/* ---- for metrics of users: normals with a Cholesky factor ---- */

gb_node gb_natural_location(gb_node factor, gb_node gradient)
{
    const gb_node column = gb_expand(gradient, -1);
    return gb_squeeze(gb_matmul(factor, gb_matmul(gb_matrix_transpose(factor), column)), -1);
}

/* With L = L₀ (I + A), the Fisher information of the elements of A at 0 is 1 below the diagonal, and 2 on
 * it. */
gb_node gb_natural_factor(gb_node factor, gb_node gradient)
{
    const gb_node l = gb_tril(factor, 0);
    const gb_node inner = gb_matmul(gb_matrix_transpose(l), gb_tril(gradient, 0));
    const gb_node phi = gb_scale(gb_add(gb_tril(inner, 0), gb_tril(inner, -1)), 0.5);
    return gb_matmul(l, phi);
}

/* ---- which normal ---- */

static bool is_same(gb_node a, gb_node b)
{
    return gb_node_ok(a) && gb_node_ok(b) && gb_node_same(a, b);
}

/* Returns the index of a variable among those that are updated; their number if it is not one of them. */
static size_t place_of(const gb_update_step *to, gb_node variable)
{
    size_t i = 0;
    while (i < to->count && !is_same(to->variables[i], variable))
        i++;
    return i;
}

static bool is_updated(const gb_update_step *to, gb_node variable)
{
    return place_of(to, variable) < to->count;
}

/* Returns the variable "OWNER.PART", where OWNER is the first `length` letters of the name of the step's
 * variable. Inert if there is none. */
static gb_node part_of(const gb_update_step *to, size_t length, const char *part)
{
    char name[256];
    const int all = snprintf(name, sizeof name, "%.*s.%s", (int)length, to->name, part);
    const bool fits = all > 0 && (size_t)all < sizeof name;
    return fits && gb_tape_has_variable(to->variable.tape, name) ? gb_variable_named(to->variable.tape, name)
                                                                 : (gb_node){0};
}

/* Returns how many of the updated variables are named "OWNER.…". */
static size_t updated_of(const gb_update_step *to, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < to->count; i++) {
        const char *const name = gb_variable_name(to->variables[i]);
        count += strncmp(name, to->name, length) == 0 && name[length] == '.';
    }
    return count;
}

static bool shapes_fit(const gb_normal_parts *parts)
{
    const gb_shape shape = gb_node_shape(parts->location);
    if (!gb_shape_same(gb_node_shape(parts->scale), shape))
        return false;
    const bool is_vector = shape.rank == 1;
    return !gb_node_ok(parts->lower) ||
           (is_vector && gb_shape_same(gb_node_shape(parts->lower), gb_shape(shape.size[0], shape.size[0])));
}

/* L is updated as a whole or not at all: the Fisher information of a part of it is different. A single number
 * has no `lower`. */
static bool moves_as_one(const gb_update_step *to, const gb_normal_parts *parts)
{
    return !gb_node_ok(parts->lower) || gb_shape_count(gb_node_shape(parts->lower)) == 1 ||
           is_updated(to, parts->scale) == is_updated(to, parts->lower);
}

bool gb_normal_parts_of(const gb_update_step *to, gb_normal_parts *parts)
{
    const char *const dot = strrchr(to->name, '.');
    const size_t length = dot ? (size_t)(dot - to->name) : 0;
    if (length == 0)
        return false;
    const gb_node raw = part_of(to, length, "raw_scale"), log = part_of(to, length, "log_scale");
    *parts = (gb_normal_parts){.location = part_of(to, length, "location"),
                               .scale = gb_node_ok(log) ? log : raw,
                               .lower = part_of(to, length, "lower"),
                               .is_log = gb_node_ok(log),
                               .is_low_rank = gb_node_ok(part_of(to, length, "factor"))};
    if (!gb_node_ok(parts->location) || gb_node_ok(raw) == gb_node_ok(log) || !shapes_fit(parts))
        return false;
    if (parts->is_low_rank)
        return true;
    const size_t known =
        (size_t)is_updated(to, parts->location) + is_updated(to, parts->scale) + is_updated(to, parts->lower);
    const bool is_part = is_same(to->variable, parts->location) || is_same(to->variable, parts->scale) ||
                         is_same(to->variable, parts->lower);
    return is_part && known == updated_of(to, length) && moves_as_one(to, parts);
}

/* ---- scales ---- */

static gb_node scale_of(const gb_normal_parts *parts)
{
    return parts->is_log ? gb_exp(parts->scale) : gb_softplus(parts->scale);
}

/* Returns d scale / d x. */
static gb_node slope_of(const gb_normal_parts *parts)
{
    return parts->is_log ? gb_exp(parts->scale) : gb_sigmoid(parts->scale);
}

/* Returns the x that gives this scale. */
static gb_node from_scale(const gb_normal_parts *parts, gb_node scale)
{
    return parts->is_log ? gb_log(scale) : gb_add(scale, gb_log1mexp(gb_neg(scale)));
}

/* Returns the gradient in a variable; 0 if it is not updated. */
static gb_node gradient_in(const gb_update_step *to, gb_node variable)
{
    const size_t place = place_of(to, variable);
    return place < to->count ? to->gradients[place] : gb_zeros(variable.tape, gb_node_shape(variable));
}

/* ---- the region that a step stays in ---- */

/* KL(q_new ‖ q) of a step is, to second order, ρ² (gᵀ Σ g / 2 + |H|² / 4): the step's length in Fisher's
 * metric. A step that is longer than `trust` is shortened. The elements of H are then small enough for
 * I + ρ H to be definite, and for the next gradient to have to do with this one. */
static gb_node trusted(const gb_update_step *to, const gb_normal_parts *parts, gb_node squared)
{
    if (!(parts->trust < (double)INFINITY))
        return to->rate;
    gb_tape *const tape = to->variable.tape;
    const gb_node kl = gb_mul(gb_square(to->rate), squared);
    const gb_node shorter = gb_min(gb_num(tape, 1), gb_sqrt(gb_div(gb_num(tape, parts->trust), kl)));
    return gb_mul(to->rate, shorter);
}

/* ---- independent elements ---- */

/* Returns 1 + ρ h, which is positive for ρ ≤ 1 if the expected loss is convex. Noise, or a loss that is not
 * convex, may make it negative. It is then 1 + ρ h + (ρ h)² / 2, which is always positive (Lin, Schmidt and
 * Khan 2020). */
static gb_node precision_ratio(gb_node rate, gb_node h)
{
    const gb_node x = gb_mul(rate, h), exact = gb_shift(x, 1);
    const gb_node is_right = gb_less(gb_num(x.tape, 0), exact);
    return gb_where(is_right, exact, gb_add(exact, gb_scale(gb_square(x), 0.5)));
}

static gb_node of_elements(const gb_update_step *to, const gb_normal_parts *parts)
{
    const gb_node scale = scale_of(parts);
    const gb_node h = gb_mul(gradient_in(to, parts->scale), gb_div(scale, slope_of(parts)));
    const gb_node pull = gb_mul(scale, gradient_in(to, parts->location));
    const gb_node rate =
        trusted(to, parts, gb_add(gb_scale(gb_square(pull), 0.5), gb_scale(gb_square(h), 0.25)));
    const gb_node next = gb_mul(scale, gb_rsqrt(precision_ratio(rate, h)));
    if (is_same(to->variable, parts->scale))
        return from_scale(parts, next);
    return gb_sub(to->variable, gb_mul(rate, gb_mul(gb_square(next), to->gradient)));
}

/* ---- all together ---- */

static gb_node symmetric(gb_node lower)
{
    return gb_add(gb_tril(lower, 0), gb_matrix_transpose(gb_tril(lower, -1)));
}

static gb_node turned(gb_node m)
{
    return gb_flip(gb_flip(m, -1), -2);
}

/* Returns the Cholesky factor of I + ρ H, or of its positive definite replacement, from the last row to the
 * first. */
static gb_node turned_factor(gb_node rate, gb_node h)
{
    const gb_node x = gb_mul(rate, h);
    const gb_node exact = gb_add(x, gb_eye(x.tape, gb_shape_size(gb_node_shape(x), -1)));
    const gb_node factor = gb_cholesky(turned(exact));
    const gb_node is_right = gb_less(gb_num(x.tape, 0), gb_sum(gb_diagonal(factor)));
    const gb_node other = gb_add(exact, gb_scale(gb_matmul(x, x), 0.5));
    return gb_where(is_right, factor, gb_cholesky(turned(other)));
}

/* Returns L K, which is lower triangular, with (I + ρ H)⁻¹ = K Kᵀ; and ρ. */
static gb_node next_root(const gb_update_step *to, const gb_normal_parts *parts, gb_node *rate)
{
    const gb_node root = gb_add(gb_tril(parts->lower, -1), gb_diag(scale_of(parts)));
    const gb_node of_diagonal = gb_diag(gb_div(gradient_in(to, parts->scale), slope_of(parts)));
    const gb_node gradient = gb_add(gb_tril(gradient_in(to, parts->lower), -1), of_diagonal);
    const gb_node h = symmetric(gb_matmul(root, gradient, .transpose_a = true));
    const gb_node pull =
        gb_matmul(root, gb_expand(gradient_in(to, parts->location), -1), .transpose_a = true);
    const gb_node length =
        gb_add(gb_scale(gb_sum(gb_square(pull)), 0.5), gb_scale(gb_sum(gb_square(h)), 0.25));
    *rate = trusted(to, parts, length);
    const gb_node factor = turned_factor(*rate, h);
    const gb_node solved = gb_triangular_solve(factor, gb_matrix_transpose(gb_flip(root, -1)));
    return gb_flip(gb_matrix_transpose(solved), -1);
}

static gb_node of_vector(const gb_update_step *to, const gb_normal_parts *parts)
{
    gb_node rate;
    const gb_node root = next_root(to, parts, &rate);
    if (is_same(to->variable, parts->scale))
        return from_scale(parts, gb_diagonal(root));
    if (is_same(to->variable, parts->lower))
        return gb_tril(root, -1);
    return gb_sub(to->variable, gb_mul(rate, gb_natural_location(gb_tril(root, 0), to->gradient)));
}

gb_node gb_normal_step(const gb_update_step *to, const gb_normal_parts *parts)
{
    return gb_node_ok(parts->lower) ? of_vector(to, parts) : of_elements(to, parts);
}
