/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/bounds/particles_impl.h"

#include <math.h>

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/reduce.h"

const gb_domain gb_particles_domain = {.size = sizeof(gb_domain),
                                       .name = "particles",
                                       .must_be = "a whole number from 1 to 1000000",
                                       .low = 1,
                                       .high = 1e6,
                                       .whole = true};

/* The sum less one term keeps its digits unless that is the largest; for the largest the others are summed
 * up. */
gb_node gb_log_sum_of_others(gb_node l)
{
    gb_tape *const tape = l.tape;
    const gb_node lowest = gb_num(tape, -(double)INFINITY), x = gb_stop(l), top = gb_maximum(x);
    const gb_node is_top = gb_equal(gb_arange(tape, gb_node_shape(l).size[0]), gb_to_real(gb_argmax(x, 0)));
    const gb_node by = gb_where(gb_greater(top, lowest), top, gb_num(tape, 0)), term = gb_exp(gb_sub(x, by));
    const gb_node less = gb_add(by, gb_log(gb_sub(gb_sum(term), term)));
    return gb_stop(gb_where(is_top, gb_logsumexp(gb_where(is_top, lowest, x)), less));
}

/* Where both are equal, each has half of the slope. */
gb_node gb_log_sum_of_two(gb_node a, gb_node b)
{
    return gb_logsumexp_along(gb_stack(2, (const gb_node[]){a, b}, 0), gb_axis(0));
}
