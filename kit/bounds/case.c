/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/bounds/case_impl.h"

#include <math.h>

gb_tape *gb_bound_tape(const gb_bound_check *c, gb_real real)
{
    return gb_tape_new(.seed = c->kit.seed, .real = real, .threads = 1, .memory = c->kit.memory);
}

bool gb_bound_is_scalar(gb_bound_check *c, const gb_tape *tape, gb_node value)
{
    return gb_error(tape) == GB_OK &&
           gb_kit_verdict(&c->kit, GB_ON_SCALAR,
                          gb_node_ok(value) && gb_node_type(value) == GB_TYPE_REAL &&
                              gb_node_shape(value).rank == 0 && !gb_node_axes(value),
                          "it has a shape or hidden axes, or is no real node");
}

bool gb_bound_is_near(double is, double should, double allowed)
{
    return fabs(is - should) <= allowed * (1 + fabs(should));
}
