/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/op.h"
#include "distributions/cauchy_impl.h"
#include "distributions/domain.h"
#include "ops/elementwise.h"

static double angle_lane(double y, double x, double unused)
{
    (void)unused;
    return atan2(y, x);
}

static void angle_vjp(const gb_vjp *v)
{
    const gb_node y = v->arg[0], x = v->arg[1];
    const gb_node size = gb_add(gb_square(x), gb_square(y));
    if (v->wanted[0])
        v->adjoint[0] = gb_chain(v->gradient, gb_div(x, size));
    if (v->wanted[1])
        v->adjoint[1] = gb_chain(v->gradient, gb_neg(gb_div(y, size)));
}

static const gb_op angle_op = {.size = sizeof(gb_op),
                               .name = "angle",
                               .formula = "the angle of the point (x, y), from -pi to pi",
                               .form = GB_FORM_ELEMENTWISE,
                               .arguments = 2,
                               .vjp = angle_vjp,
                               .lane = angle_lane,
                               .domain = {{0.3, 3}, {0.3, 3}}};

gb_node gb_angle(gb_node y, gb_node x)
{
    return gb_apply(NULL, &angle_op, 2, (const gb_node[]){y, x}, NULL, 0);
}

gb_node gb_tan_pi(gb_node v, gb_node from_pole)
{
    const gb_node a = gb_scale(v, GB_PI), b = gb_scale(from_pole, GB_PI);
    const gb_node inner = gb_div(gb_sin(a), gb_cos(a)), outer = gb_div(gb_cos(b), gb_sin(b));
    return gb_where(gb_less(gb_abs(v), gb_num(v.tape, 0.25)), inner, gb_mul(gb_sign(v), outer));
}
