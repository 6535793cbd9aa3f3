/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clip and the activations are recorded as other elementwise operations. */
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"

gb_node gb_clip(gb_node x, double low, double high)
{
    if (!(low <= high)) {
        gb_fail(x.tape, GB_EARGUMENT, "clip: low %g is not below high %g", low, high);
        return (gb_node){0};
    }
    return gb_min(gb_max(x, gb_num(x.tape, low)), gb_num(x.tape, high));
}

static gb_node clip_example(gb_example *e)
{
    return gb_clip(e->real(e, e->shape(e, 0, 3, 0, 3), -3, 3), -1, 1.5);
}

GB_COMPOSITE(clip, "min(max(x, low), high)", clip_example);

/* ---- activations ---- */

#define ACTIVATION(op_name, op_formula, ...)                                                                 \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_node x = e->real(e, e->shape(e, 0, 3, 0, 3), -3, 3);                                        \
        return gb_##op_name(__VA_ARGS__);                                                                    \
    }                                                                                                        \
    GB_COMPOSITE(op_name, op_formula, op_name##_example)
ACTIVATION(leaky_relu, "x where x > 0, else slope x", x, 0.1);
ACTIVATION(elu, "x where x > 0, else alpha (e^x - 1)", x, 0.7);
ACTIVATION(gelu, "x Phi(x), Phi the standard normal distribution function", x);
ACTIVATION(silu, "x / (1 + e^-x)", x);

gb_node gb_leaky_relu(gb_node x, double slope)
{
    return gb_where(gb_greater(x, gb_num(x.tape, 0)), x, gb_chain(gb_num(x.tape, slope), x));
}

gb_node gb_elu(gb_node x, double alpha)
{
    return gb_where(gb_greater(x, gb_num(x.tape, 0)), x, gb_scale(gb_expm1(x), alpha));
}

/* The factor that underflows comes first, so that −∞ times it is 0. */
gb_node gb_gelu(gb_node x)
{
    return gb_chain(gb_ndtr(x), x);
}

gb_node gb_silu(gb_node x)
{
    return gb_chain(gb_sigmoid(x), x);
}
