/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/replicates/descend_impl.h"

#include <math.h>

#include "core/op.h"
#include "distributions/transform.h"
#include "ops/elementwise.h"

static const double KEEP_MEAN = 0.9, KEEP_SQUARE = 0.999, LEAST = 1e-8;

/* A variable "training.mean.mu". */
static gb_node own(gb_tape *tape, const char *name, const char *part, const char *of, gb_shape shape,
                   double start)
{
    char text[256];
    snprintf(text, sizeof text, "%s.%s%s%s", name, part, *of ? "." : "", of);
    return gb_variable(tape, text, shape, gb_fill(start));
}

gb_descent gb_descent_of(gb_tape *tape, const char *name, double rate)
{
    const gb_node step = own(tape, name, "step", "", gb_shape(), 0);
    return (gb_descent){.name = name,
                        .rate = own(tape, name, "rate", "", gb_shape(), rate),
                        .step = step,
                        .updates = gb_assign(step, gb_shift(step, 1))};
}

/* keep · before + (1 − keep) · value; in the first step `before` is ignored. */
static gb_node mixed(const gb_descent *d, gb_node before, gb_node value, double keep)
{
    const gb_node is_first = gb_equal(d->step, gb_num(d->step.tape, 0));
    const gb_node kept = gb_where(is_first, gb_num(d->step.tape, 0), gb_scale(before, keep));
    return gb_add(kept, gb_scale(value, 1 - keep));
}

/* Divides by 1 − keep^step, which removes the bias towards the initial 0. */
static gb_node unbiased(const gb_descent *d, gb_node mean, double keep)
{
    return gb_div(mean, gb_neg(gb_expm1(gb_scale(gb_shift(d->step, 1), log(keep)))));
}

static void assign(gb_descent *d, gb_node variable, gb_node value)
{
    d->updates = gb_updates_join(d->updates, gb_assign(variable, value));
}

static gb_transform coordinate(gb_tape *tape, const gb_domain *domain)
{
    return domain && domain->reach && domain->event_rank == 0 ? domain->reach(tape) : (gb_transform){0};
}

/* The value after a move in the coordinate. */
static gb_node moved(gb_transform by, gb_node variable, gb_node move)
{
    return by.type ? gb_transform_forward(by, gb_sub(gb_transform_inverse(by, variable), move))
                   : gb_sub(variable, move);
}

/* The slope in the coordinate. */
static gb_node turned(gb_transform by, gb_node variable, gb_node slope)
{
    if (!by.type)
        return slope;
    const gb_node x = gb_transform_inverse(by, variable);
    return gb_mul(slope, gb_exp(gb_transform_log_jacobian(by, x, variable)));
}

void gb_descend(gb_descent *d, gb_node variable, gb_node slope_of_value, const gb_domain *domain)
{
    gb_tape *const tape = variable.tape;
    const gb_transform by = coordinate(tape, domain);
    const gb_node slope = turned(by, variable, slope_of_value);
    const char *const name = gb_variable_name(variable);
    const gb_shape shape = gb_node_shape(variable);
    const gb_node mean = own(tape, d->name, "mean", name, shape, 0),
                  square = own(tape, d->name, "square", name, shape, 0);
    const gb_node new_mean = mixed(d, mean, slope, KEEP_MEAN),
                  new_square = mixed(d, square, gb_square(slope), KEEP_SQUARE);
    const gb_node length = gb_shift(gb_sqrt(unbiased(d, new_square, KEEP_SQUARE)), LEAST);
    const gb_node move = gb_mul(d->rate, gb_div(unbiased(d, new_mean, KEEP_MEAN), length));
    assign(d, mean, new_mean);
    assign(d, square, new_square);
    assign(d, variable, moved(by, variable, move));
}

gb_status gb_descent_restart(const gb_descent *d, double rate)
{
    gb_set(d->step, gb_fill(0));
    return gb_set(d->rate, gb_fill(rate));
}
