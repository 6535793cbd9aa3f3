/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares for what estimators learn: where the slopes of an objective are linear in its variables, its
 * minimum is one linear system of means. Steps along slopes stall where large slopes are rare. */
#include "compare/replicates/solve_impl.h"

#include <math.h>

#include "compare/problems/rows_impl.h"
#include "core/gradient.h"
#include "core/op.h"
#include "core/program.h"
#include "estimators/visit.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/reduce.h"

enum { MOST_ELEMENTS = 32, MOST_NUMBERS = MOST_ELEMENTS * (MOST_ELEMENTS + 1) };

/* The variables of one objective, side by side; and the means of its slopes and of their slopes. */
typedef struct system_of {
    const gb_learned *learned;
    size_t count; /* of the elements */
    double slope[MOST_ELEMENTS], curve[MOST_ELEMENTS][MOST_ELEMENTS];
} system_of;

static size_t elements_of(const gb_learned *learned)
{
    size_t count = 0;
    for (size_t i = 0; i < learned->count; i++)
        count += gb_shape_count(gb_node_shape(learned->variable[i]));
    return count;
}

static gb_node side_by_side(size_t count, const gb_node *nodes)
{
    gb_node flat[GB_LEARNED_MOST];
    for (size_t i = 0; i < count; i++)
        flat[i] = gb_reshape(nodes[i], gb_shape((int64_t)gb_shape_count(gb_node_shape(nodes[i]))));
    return gb_concat(count, flat, 0);
}

/* Returns the slopes of `y` in all elements; inert on error. */
static gb_node slopes_of(const gb_learned *learned, gb_node y)
{
    gb_node slope[GB_LEARNED_MOST];
    if (gb_grads(y, learned->variable, learned->count, slope) != GB_OK)
        return (gb_node){0};
    return side_by_side(learned->count, slope);
}

static bool is_linear(const gb_learned *learned, gb_node curves)
{
    for (size_t i = 0; i < learned->count; i++)
        if (gb_node_depends(curves, learned->variable[i]))
            return false;
    return true;
}

/* Returns the slopes, and the slopes of each of them, in one vector; inert if they are not linear. */
static gb_node system_node(const gb_learned *learned, size_t count)
{
    gb_node all[1 + MOST_ELEMENTS] = {slopes_of(learned, learned->target)};
    for (size_t i = 0; i < count && gb_node_ok(all[0]); i++)
        all[1 + i] = slopes_of(learned, gb_sum(gb_slice(all[0], 0, (int64_t)i, (int64_t)i + 1)));
    if (gb_error(learned->target.tape) != GB_OK)
        return (gb_node){0};
    return is_linear(learned, gb_concat(count, all + 1, 0)) ? gb_concat(1 + count, all, 0) : (gb_node){0};
}

static bool take_means(gb_trial *trial, uint64_t *begun, system_of *s, gb_program *program, int64_t runs)
{
    double now[MOST_NUMBERS];
    for (int64_t run = 0; run < runs; run++) {
        if (!gb_trial_next_rows(trial, (*begun)++) || gb_run(program) != GB_OK ||
            gb_read_root(program, 0, now) != GB_OK)
            return false;
        for (size_t i = 0; i < s->count; i++) {
            s->slope[i] += now[i] / (double)runs;
            for (size_t j = 0; j < s->count; j++)
                s->curve[i][j] += now[s->count * (1 + i) + j] / (double)runs;
        }
    }
    return true;
}

/* Replaces the slopes by curve⁻¹ slope, by Cholesky. Directions without a curve are left as they are. Returns
 * false if there is none with one. */
static bool solve(system_of *s)
{
    static const double LEAST = 1e-9;
    double most = 0;
    for (size_t i = 0; i < s->count; i++)
        most = fmax(most, s->curve[i][i]);
    for (size_t j = 0; j < s->count && most > 0; j++) {
        for (size_t k = 0; k < j; k++)
            s->curve[j][j] -= s->curve[j][k] * s->curve[j][k];
        const bool flat = !(s->curve[j][j] > LEAST * most);
        s->curve[j][j] = flat ? (double)INFINITY : sqrt(s->curve[j][j]);
        for (size_t i = j + 1; i < s->count; i++) {
            for (size_t k = 0; k < j; k++)
                s->curve[i][j] -= s->curve[i][k] * s->curve[j][k];
            s->curve[i][j] = flat ? 0 : s->curve[i][j] / s->curve[j][j];
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = 0; k < i; k++)
            s->slope[i] -= s->curve[i][k] * s->slope[k];
        s->slope[i] /= s->curve[i][i];
    }
    for (size_t i = s->count; i-- > 0;) {
        for (size_t k = i + 1; k < s->count; k++)
            s->slope[i] -= s->curve[k][i] * s->slope[k];
        s->slope[i] /= s->curve[i][i];
    }
    return most > 0;
}

static bool move(const system_of *s)
{
    const double *step = s->slope;
    double values[MOST_ELEMENTS];
    for (size_t i = 0; i < s->learned->count; i++) {
        const gb_node variable = s->learned->variable[i];
        const size_t count = gb_shape_count(gb_node_shape(variable));
        if (gb_read(variable, values, count) != GB_OK)
            return false;
        for (size_t k = 0; k < count; k++)
            values[k] -= *step++;
        if (gb_set(variable, gb_values_of(values, count)) != GB_OK)
            return false;
    }
    return true;
}

bool gb_solve_learned(gb_trial *trial, uint64_t *begun, const gb_learned *learned, int64_t runs,
                      bool *is_flat)
{
    gb_tape *const tape = learned->target.tape;
    system_of s = {.learned = learned, .count = elements_of(learned)};
    const gb_node node = s.count <= MOST_ELEMENTS ? system_node(learned, s.count) : (gb_node){0};
    gb_program *const program =
        gb_node_ok(node) ? gb_compile(tape, gb_roots_of(1, &node), gb_no_update) : NULL;
    const bool is_known = program && take_means(trial, begun, &s, program, runs),
               has_curve = is_known && solve(&s);
    if (program)
        gb_program_free(program);
    *is_flat = is_known && !has_curve;
    return has_curve && move(&s);
}
