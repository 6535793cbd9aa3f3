/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The posteriors that the kit requests from a family. */
#include "kit/families/case_impl.h"

#include <math.h>
#include <string.h>

#include "core/op.h"
#include "core/program.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- priors ---- */

static gb_node num(gb_tape *tape, double x)
{
    return gb_num(tape, x);
}

static gb_dist none(gb_tape *tape)
{
    (void)tape;
    return (gb_dist){0};
}

static gb_dist real(gb_tape *tape)
{
    return gb_normal(num(tape, 0), num(tape, 1));
}

static gb_dist real_vector(gb_tape *tape)
{
    return gb_independent(gb_normal(gb_zeros(tape, gb_shape(2)), num(tape, 1)), 1);
}

static gb_dist positive(gb_tape *tape)
{
    return gb_gamma(num(tape, 2), num(tape, 1));
}

static gb_dist unit(gb_tape *tape)
{
    return gb_beta(num(tape, 2), num(tape, 2));
}

static gb_dist interval(gb_tape *tape)
{
    return gb_uniform(num(tape, -1), num(tape, 2));
}

static gb_dist signed_unit(gb_tape *tape)
{
    return gb_transformed(real(tape), gb_tanh_transform(tape));
}

static gb_dist simplex_of_2(gb_tape *tape)
{
    return gb_dirichlet(gb_ones(tape, gb_shape(2)));
}

static gb_dist simplex_of_3(gb_tape *tape)
{
    return gb_dirichlet(gb_ones(tape, gb_shape(3)));
}

static gb_dist ordered(gb_tape *tape)
{
    return gb_transformed(real_vector(tape), gb_ordered_transform(tape));
}

static gb_dist correlation(gb_tape *tape)
{
    return gb_lkj_cholesky(2, num(tape, 2));
}

static gb_dist count(gb_tape *tape)
{
    return gb_poisson(num(tape, 3));
}

size_t gb_family_cases(void)
{
    return 17;
}

/* With the options of the family, if it has any. */
static void name_case(gb_kit *kit, gb_family family, const char *label)
{
    char text[120];
    gb_family_text(family, text, sizeof text);
    const char *const options = strchr(text, ':');
    gb_kit_label(kit, "%s%s%s", label, options ? ", " : "", options ? options + 1 : "");
}

gb_family_case gb_family_case_of(gb_kit *kit, gb_family family, size_t which)
{
    const struct {
        const char *label;
        gb_dist (*prior)(gb_tape *tape);
        gb_shape shape;
    } cases[] = {
        {"a number", real, gb_shape()},
        {"a vector", real, gb_shape(2)},
        {"a vector with a prior of vectors", real_vector, gb_shape(2)},
        {"a matrix", real, gb_shape(2, 1)},
        {"two numbers without a prior", none, gb_shape(2)},
        {"a positive number", positive, gb_shape()},
        {"two positive numbers", positive, gb_shape(2)},
        {"a positive matrix", positive, gb_shape(1, 2)},
        {"a probability", unit, gb_shape()},
        {"two numbers in (-1, 2)", interval, gb_shape(2)},
        {"a number in (-1, 1)", signed_unit, gb_shape(1)},
        {"a simplex of 2", simplex_of_2, gb_shape(2)},
        {"a simplex of 3", simplex_of_3, gb_shape(3)},
        {"an ordered pair", ordered, gb_shape(2)},
        {"a factor of a correlation", correlation, gb_shape(2, 2)},
        {"six positive numbers", positive, gb_shape(2, 3)}, /* by draws */
        {"a count", count, gb_shape()},                     /* no transform reaches it */
    };
    family.shape = cases[which].shape;
    name_case(kit, family, cases[which].label);
    return (gb_family_case){
        .kit = kit, .prior_of = cases[which].prior, .shape = cases[which].shape, .family = family};
}

gb_family_case gb_family_case_of_numbers(gb_kit *kit, gb_family family, int64_t numbers)
{
    gb_kit_label(kit, "%lld real numbers", (long long)numbers);
    family.shape = gb_shape(numbers);
    return (gb_family_case){.kit = kit, .prior_of = real, .shape = family.shape, .family = family};
}

/* ---- recording ---- */

gb_node gb_family_reached(const gb_family_case *c, gb_node free)
{
    return gb_transform_ok(c->reach) ? gb_transform_forward(c->reach, free) : free;
}

gb_node gb_family_free(const gb_family_case *c, gb_node value)
{
    return gb_transform_ok(c->reach) ? gb_transform_inverse(c->reach, value) : value;
}

/* Returns the first estimator that fits, in order of the abilities that they need. */
static gb_estimator estimator_for(gb_dist q)
{
    const gb_estimator all[] = {gb_pathwise(), gb_dropout_draws(), gb_dropout_draws(.mask = gb_score()),
                                gb_score()};
    size_t i = 0;
    while (i + 1 < sizeof all / sizeof *all && gb_estimator_lacks(all[i], q))
        i++;
    return all[i];
}

/* All that the family made, also what a lost gradient does not reach. */
static void find_variables(gb_family_case *c)
{
    c->count = 0;
    for (size_t i = 0; i < gb_tape_length(c->tape) && c->count <= GB_FAMILY_VARIABLES; i++) {
        const gb_node node = gb_tape_node(c->tape, i);
        if (strcmp(gb_node_op_name(node), "variable") == 0 && c->count++ < GB_FAMILY_VARIABLES)
            c->variable[c->count - 1] = node;
    }
}

static bool draw(gb_family_case *c)
{
    c->q = gb_family_posterior(c->family, &c->slot);
    if (!gb_dist_ok(c->q))
        return false;
    find_variables(c);
    c->expect = gb_expect_new(c->tape);
    c->value = gb_draw(c->expect, "latent", c->q, estimator_for(c->q));
    return gb_error(c->tape) == GB_OK;
}

/* Of an ensemble, whose members are samples, the first. */
static bool put(gb_family_case *c)
{
    c->value = gb_family_point(c->family, &c->slot);
    if (gb_node_axes(c->value) & GB_SAMPLES)
        c->value = gb_select(c->value, GB_SAMPLES, 0);
    find_variables(c);
    return gb_error(c->tape) == GB_OK;
}

bool gb_family_record(gb_family_case *c)
{
    c->prior = c->prior_of(c->tape);
    c->q = (gb_dist){0};
    c->reach = gb_dist_ok(c->prior) ? gb_dist_reach(c->prior) : (gb_transform){0};
    return gb_slot_of(c->tape, "latent", c->family, c->prior, &c->slot) &&
           (GB_HAS(c->family.type, point) ? put(c) : draw(c)) && c->count <= GB_FAMILY_VARIABLES;
}

void gb_family_move(const gb_family_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const size_t n = gb_value_count(c->variable[i]);
        double *const values = gb_tape_keep(c->tape, (n + 1) * sizeof *values);
        if (!values || gb_read(c->variable[i], values, n) != GB_OK)
            return;
        for (size_t j = 0; j < n; j++)
            values[j] += 0.25 * cos(1 + 1.7 * (double)j + 2.3 * (double)i);
        gb_set(c->variable[i], gb_values_of(values, n));
    }
}
