/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/distributions/grid_impl.h"

#include <math.h>

#include "core/op.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

/* Values in the grid of one parameter; as many further turns are near the ends of its domain. The turns from
 * MORE on are as many as are wanted, in between. */
enum { TURNS = 4, MORE = 2 * TURNS };

/* Van der Corput's sequence in base 2: 1/2, 1/4, 3/4 … */
static double in_between(size_t turn)
{
    double sum = 0, part = 0.5;
    for (size_t rest = turn - MORE + 1; rest > 0; rest >>= 1, part /= 2)
        sum += part * (double)(rest & 1);
    return sum;
}

/* ---- values ---- */

/* Returns a place in an interval: a fraction of it, or a distance from its only finite end. */
static double in_interval(const gb_domain *domain, size_t turn)
{
    static const double fraction[MORE] = {0.3, 0.85, 0.5, 0.04, 1e-6, 1 - 1e-6, 1e-3, 0.999},
                        above[MORE] = {1, 0.3, 2.5, 30, 1e-3, 1e3, 0.02, 1e6},
                        anywhere[MORE] = {-0.7, 1.3, 6, 0, -1e4, 60, -90, 1e6};
    const double at = turn < MORE ? 0 : in_between(turn);
    const double off = turn < MORE ? above[turn] : 0.3 * pow(100, at); /* of an end: 0.3 to 30 */
    if (isfinite(domain->low) && isfinite(domain->high))
        return domain->low + (turn < MORE ? fraction[turn] : 0.04 + 0.92 * at) * (domain->high - domain->low);
    if (isfinite(domain->low))
        return domain->low + off;
    if (isfinite(domain->high))
        return domain->high - off;
    return turn < MORE ? anywhere[turn] : 12 * at - 5.5;
}

static double whole_in_interval(const gb_domain *domain, size_t turn)
{
    static const double from_low[MORE] = {5, 1, 20, 3, 0, 1000, 2, 100000};
    const double from = turn < MORE ? from_low[turn] : floor(20 * in_between(turn));
    const double low = isfinite(domain->low) ? domain->low : 0, width = domain->high - low;
    return isfinite(width) ? low + fmod(from, width + 1) : low + from;
}

double gb_dist_grid_number(const gb_domain *domain, size_t turn)
{
    return domain->whole ? whole_in_interval(domain, turn) : in_interval(domain, turn);
}

/* Free real numbers for vectors and matrices: of both signs, all different. Near the ends: far apart, near
 * each other, all small, and with a large common part. If a transform maps them to the parameter, they are
 * nearer. */
static double free_number(size_t element, size_t turn, bool mapped)
{
    static const double size[MORE] = {0.9, 0.9, 0.9, 0.9 / 0.4, 60, 1, 1, 1},
                        common[MORE] = {0, 0, 0, 0, 0, 0, -7, 1e4};
    const size_t usual = turn < MORE ? turn : 0;
    const double offset = mapped ? fmin(common[usual], 7) : common[usual];
    const double of_size = mapped ? fmin(size[usual], 5) : size[usual];
    return offset + of_size * sin(1.3 + 2.1 * (double)element + 1.7 * (double)turn);
}

/* ---- one parameter ---- */

gb_node gb_dist_grid_leaf(gb_tape *tape, gb_shape shape, const double *values, const char *name,
                          bool variable)
{
    const gb_values from = gb_values_of(values, gb_shape_count(shape));
    return variable ? gb_variable(tape, name, shape, from) : gb_constant(tape, shape, from);
}

enum { MOST = 16 }; /* elements of one */

/* Positive vectors for a user's own domain; their sum is 1 if the domain has a condition. */
static gb_node without_reach(gb_tape *tape, const gb_domain *domain, gb_shape shape, size_t turn,
                             const char *name, bool variable)
{
    double values[MOST];
    if (domain->low != 0 || domain->event_rank != 1)
        return (gb_node){0};
    for (size_t i = 0; i < gb_shape_count(shape); i++)
        values[i] = free_number(i, turn, true);
    const gb_node u = gb_dist_grid_leaf(tape, shape, values, name, variable);
    return domain->outside ? gb_softmax(u, -1) : gb_exp(u);
}

/* Vectors and matrices are reached from free numbers, positive definite ones from their factors. */
static gb_node reached(gb_tape *tape, const gb_domain *domain, gb_shape shape, size_t turn, const char *name,
                       bool variable)
{
    double values[MOST];
    const bool definite = domain == &gb_positive_definite_domain;
    const gb_domain *const by = definite ? &gb_covariance_cholesky_domain : domain;
    if (!by->reach)
        return without_reach(tape, domain, shape, turn, name, variable);
    const gb_transform reach = by->reach(tape);
    const gb_shape free = gb_transform_inverse_shape(reach, shape);
    if (free.rank < 0 || gb_shape_count(free) > MOST)
        return (gb_node){0};
    const bool itself =
        domain == &gb_real_vector_domain || domain == &gb_logits_domain || domain == &gb_real_matrix_domain;
    for (size_t i = 0; i < gb_shape_count(free); i++)
        values[i] = free_number(i, turn, !itself || domain->event_rank == 2);
    const gb_node u = gb_dist_grid_leaf(tape, free, values, name, variable);
    const gb_node y = itself ? u : gb_transform_forward(reach, u);
    return definite ? gb_matmul(y, y, .transpose_b = true) : y;
}

/* Returns the length of vectors: short enough to integrate over all elements. */
static int64_t length(const gb_dist_type *type)
{
    const gb_domain *const support = type->support;
    bool matrices = support && support->event_rank == 2;
    for (size_t i = 0; i < GB_MAX_PARAMS && type->param[i].name; i++)
        matrices |= type->param[i].domain->event_rank == 2;
    return matrices || (support && support->event_rank == 1 && !support->outside && !support->whole) ? 2 : 3;
}

static gb_node parameter(gb_tape *tape, const gb_dist_type *type, const gb_domain *domain, size_t turn,
                         const char *name, bool variable)
{
    const int64_t sizes[] = {length(type), length(type)};
    const gb_shape shape = gb_shape_of(domain->event_rank, sizes);
    if (domain->event_rank > 0)
        return reached(tape, domain, shape, turn, name, variable);
    const double value = gb_dist_grid_number(domain, turn);
    return gb_dist_grid_leaf(tape, shape, &value, name, variable && !domain->whole);
}

/* ---- all of them ---- */

static size_t combinations(size_t params)
{
    return params == 0 ? 1 : TURNS * combinations(params - 1);
}

/* The turns of one combination. The stride is coprime to the number of combinations, so each is visited
 * once. */
static void turns_of(size_t combination, size_t params, size_t first, size_t turns[GB_MAX_PARAMS])
{
    enum { STRIDE = 7 };
    size_t rest = combination * STRIDE % combinations(params);
    for (size_t i = 0; i < params; i++, rest /= TURNS)
        turns[i] = first + rest % TURNS;
}

static gb_dist at_turns(gb_tape *tape, const gb_dist_type *type, bool alternative, const size_t *turns,
                        const char *prefix, bool variables)
{
    char name[96];
    gb_dist d = {.type = type, .tape = tape, .alternative = alternative};
    size_t count = 0;
    const gb_option *const params = gb_dist_params(&d, &count);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, params[i].name);
        d.param[i] = parameter(tape, type, params[i].domain, turns[i], name, variables);
        if (!gb_node_ok(d.param[i]))
            return (gb_dist){0};
    }
    return gb_dist_checked(d);
}

/* Returns whether the parameters of a combination fit each other. */
static bool turns_fit(gb_dist_grid *grid, bool alternative, const size_t *turns)
{
    gb_tape *const tape = gb_tape_new(.threads = 1, .memory = grid->memory);
    const gb_dist d = at_turns(tape, grid->type, alternative, turns, "", false);
    const bool fit = gb_dist_ok(d) && gb_dist_shape(d).rank >= 0;
    grid->starved |= !tape || gb_error(tape) == GB_ENOMEM;
    gb_tape_free(tape);
    return fit;
}

/* The turns of one combination in between, beyond the grid: each parameter has values of its own. */
static void turns_in_between(size_t combination, size_t params, size_t turns[GB_MAX_PARAMS])
{
    for (size_t i = 0; i < params; i++)
        turns[i] = MORE + combination * params + (i + combination) % params;
}

/* Finds the combination of turns for instance `which`; false if there is none left. */
static bool find_turns(gb_dist_grid *grid, gb_case_number which, size_t turns[GB_MAX_PARAMS])
{
    enum { TRIES = 64 }; /* for each combination in between: parameters must fit each other */
    const gb_dist d = {.type = grid->type, .alternative = which.alternative};
    size_t params, found = 0;
    gb_dist_params(&d, &params);
    for (size_t i = 0; params > 0 && i < combinations(params); i++) {
        turns_of(i, params, which.extreme ? TURNS : 0, turns);
        if (turns_fit(grid, which.alternative, turns) && found++ == which.number)
            return true;
    }
    const size_t tries = params > 0 && !which.extreme && found > 0 ? (which.number + 1 - found) * TRIES : 0;
    for (size_t i = 0; i < tries && !grid->starved; i++) {
        turns_in_between(i, params, turns);
        if (turns_fit(grid, which.alternative, turns) && found++ == which.number)
            return true;
    }
    return false;
}

size_t gb_dist_grid_count(gb_dist_grid *grid, gb_case_number first, size_t most)
{
    size_t turns[GB_MAX_PARAMS], count = 0;
    for (; count < most && find_turns(grid, first, turns); first.number++)
        count++;
    return count;
}

gb_dist gb_dist_grid_instance(gb_dist_grid *grid, gb_tape *tape, gb_case_number which, const char *prefix,
                              bool variables)
{
    size_t turns[GB_MAX_PARAMS] = {0};
    if (!find_turns(grid, which, turns))
        return (gb_dist){0};
    return at_turns(tape, grid->type, which.alternative, turns, prefix, variables);
}

gb_dist gb_dist_at_grid(gb_tape *tape, const gb_dist_type *type, gb_case_number which, const char *prefix,
                        bool variables)
{
    gb_dist_grid grid = {.type = type, .memory = gb_tape_memory(tape)};
    const gb_dist d = gb_dist_grid_instance(&grid, tape, which, prefix, variables);
    if (!grid.starved)
        return d;
    gb_fail(tape, GB_ENOMEM, "out of memory");
    return (gb_dist){0};
}
