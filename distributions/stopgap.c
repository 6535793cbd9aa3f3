/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/stopgap_impl.h"

#include "core/op.h"
#include "ops/elementwise.h"
#include "ops/special_impl.h"

static void lbeta_vjp(const gb_vjp *v)
{
    const gb_node sum = gb_digamma(gb_add(v->arg[0], v->arg[1]));
    for (int i = 0; i < 2; i++)
        v->adjoint[i] = gb_chain(v->gradient, gb_sub(gb_digamma(v->arg[i]), sum));
}

#define TWO(id, derivative)                                                                                  \
    static double id##_lane(double x, double y, double z)                                                    \
    {                                                                                                        \
        (void)z;                                                                                             \
        return gb_##id##_at(x, y);                                                                           \
    }                                                                                                        \
    static const gb_op id##_op = {.size = sizeof(gb_op),                                                     \
                                  .name = #id,                                                               \
                                  .formula = #id,                                                            \
                                  .form = GB_FORM_ELEMENTWISE,                                               \
                                  .arguments = 2,                                                            \
                                  .vjp = derivative,                                                         \
                                  .lane = id##_lane};                                                        \
    gb_node gb_##id(gb_node x, gb_node y)                                                                    \
    {                                                                                                        \
        return gb_apply(NULL, &id##_op, 2, (const gb_node[]){x, y}, NULL, 0);                                \
    }

#define THREE(id)                                                                                            \
    static double id##_lane(double x, double y, double z)                                                    \
    {                                                                                                        \
        return gb_##id##_at(x, y, z);                                                                        \
    }                                                                                                        \
    static const gb_op id##_op = {.size = sizeof(gb_op),                                                     \
                                  .name = #id,                                                               \
                                  .formula = #id,                                                            \
                                  .form = GB_FORM_ELEMENTWISE,                                               \
                                  .arguments = 3,                                                            \
                                  .lane = id##_lane};                                                        \
    gb_node gb_##id(gb_node x, gb_node y, gb_node z)                                                         \
    {                                                                                                        \
        return gb_apply(NULL, &id##_op, 3, (const gb_node[]){x, y, z}, NULL, 0);                             \
    }

TWO(gamma_draw_slope, NULL)
TWO(gamma_p, NULL)
TWO(gamma_q, NULL)
TWO(gamma_p_inverse, NULL)
TWO(von_mises_cdf, NULL)
TWO(von_mises_draw_slope, NULL)
TWO(lbeta, lbeta_vjp)
THREE(beta_i)
THREE(beta_i_inverse)
