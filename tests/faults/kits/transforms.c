/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transforms of grebe with one slot spoilt. */
#include <math.h>

#include "distributions/domain.h"
#include "distributions/transforms.h"
#include "kit/check_transform.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_transform_type *good;
static gb_transform_type bad;

static gb_transform make(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    gb_transform t = which ? gb_affine_transform(gb_num(tape, 1), gb_num(tape, 2))
                           : gb_affine_transform(gb_num(tape, -0.4), gb_num(tape, -1.5));
    t.type = &bad;
    return t;
}

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    return good == &gb_affine_transform_type
               ? gb_check_transform(&bad, .report = report, .make = make, .count = 2)
               : gb_check_transform(&bad, .report = report);
}

#define LOG_JACOBIAN(name, ...)                                                                              \
    static gb_node name##_log(const gb_transform *t, gb_node x, gb_node y)                                   \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_transform_type, it->log_jacobian = name##_log)
LOG_JACOBIAN(jacobian_off, gb_shift(good->log_jacobian(t, x, y), 1e-5))
LOG_JACOBIAN(jacobian_negated, gb_neg(good->log_jacobian(t, x, y)))
LOG_JACOBIAN(jacobian_stopped, gb_stop(good->log_jacobian(t, x, y)))
LOG_JACOBIAN(jacobian_summed, gb_sum(good->log_jacobian(t, x, y)))
LOG_JACOBIAN(jacobian_coarse, gb_shift(gb_shift(good->log_jacobian(t, x, y), 1e5), -1e5))
LOG_JACOBIAN(jacobian_forgotten, gb_scale(good->log_jacobian(t, x, y), 0))

#define FORWARD(name, ...)                                                                                   \
    static gb_node name##_forward(const gb_transform *t, gb_node x)                                          \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_transform_type, it->forward = name##_forward)
FORWARD(forward_stopped, gb_stop(good->forward(t, x)))
FORWARD(forward_half_stopped,
        gb_add(gb_scale(good->forward(t, x), 0.5), gb_stop(gb_scale(good->forward(t, x), 0.5))))
FORWARD(forward_off, gb_scale(good->forward(t, x), 1 + 1e-6))
FORWARD(forward_negated, gb_neg(good->forward(t, x)))
FORWARD(forward_clipped, good->forward(t, gb_clip(x, -30, 30)))

#define INVERSE(name, ...)                                                                                   \
    static gb_node name##_inverse(const gb_transform *t, gb_node y)                                          \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_transform_type, it->inverse = name##_inverse)
INVERSE(inverse_off, gb_shift(good->inverse(t, y), 1e-6))
INVERSE(inverse_stopped, gb_stop(good->inverse(t, y)))
INVERSE(inverse_is_forward, good->forward(t, y))
INVERSE(inverse_by_ratio, gb_log(gb_div(y, gb_sub(gb_num(t->tape, 1), y))))

static gb_node falls(const gb_transform *t)
{
    return gb_less(gb_num(t->tape, 1), gb_num(t->tape, 0));
}
SPOIL(says_it_falls, gb_transform_type, it->increases = falls)
SPOIL(says_it_grows, gb_transform_type, it->increases = NULL)
SPOIL(to_is_unit, gb_transform_type, it->to = GB_UNIT)
SPOIL(to_is_real, gb_transform_type, it->to = GB_REAL)
SPOIL(no_inverse, gb_transform_type, it->inverse = NULL)
SPOIL(no_inverse_shape, gb_transform_type, it->inverse_shape = NULL)
SPOIL(no_from, gb_transform_type, it->from = NULL)

static const kit_fault faults[] = {
    {"exponential: log_jacobian is off by 1e-5", "its log_jacobian is", &gb_exponential_transform_type,
     jacobian_off},
    {"sigmoid: log_jacobian has the other sign", "its log_jacobian is", &gb_sigmoid_transform_type,
     jacobian_negated},
    {"softplus: log_jacobian is forgotten", "its log_jacobian is", &gb_softplus_transform_type,
     jacobian_forgotten},
    {"exponential: log_jacobian is forgotten", LATER "still integrates", &gb_exponential_transform_type,
     jacobian_forgotten},
    {"tanh: log_jacobian is stopped", "its gradients are", &gb_tanh_transform_type, jacobian_stopped},
    {"stick_breaking: log_jacobian is off by 1e-5", "its log_jacobian is", &gb_stick_breaking_transform_type,
     jacobian_off},
    {"ordered: log_jacobian is summed over a batch", "batches and rows", &gb_ordered_transform_type,
     jacobian_summed},
    {"sigmoid: log_jacobian loses digits in floats", "on a float tape", &gb_sigmoid_transform_type,
     jacobian_coarse},
    {"affine: log_jacobian has the other sign", "its log_jacobian is", &gb_affine_transform_type,
     jacobian_negated},
    {"exponential: forward is stopped", "its gradients are", &gb_exponential_transform_type, forward_stopped},
    {"sigmoid: half of forward is stopped", "its gradients are", &gb_sigmoid_transform_type,
     forward_half_stopped},
    {"softplus: forward is off by 1e-6", LATER "its inverse returns", &gb_softplus_transform_type,
     forward_off},
    {"exponential: forward is negative", "its values lie in", &gb_exponential_transform_type,
     forward_negated},
    {"affine: forward ends at 30", "far out it is finite", &gb_affine_transform_type, forward_clipped},
    {"sigmoid: inverse is off by 1e-6", LATER "its inverse returns", &gb_sigmoid_transform_type, inverse_off},
    {"ordered: inverse is off by 1e-6", LATER "its inverse returns", &gb_ordered_transform_type, inverse_off},
    {"tanh: inverse is stopped", "its gradients are", &gb_tanh_transform_type, inverse_stopped},
    {"exponential: inverse is forward", LATER "its inverse returns", &gb_exponential_transform_type,
     inverse_is_forward},
    {"softplus: inverse is another's", LATER "its inverse returns", &gb_softplus_transform_type,
     inverse_by_ratio},
    {"exponential: it says that it falls", "grows with x where", &gb_exponential_transform_type,
     says_it_falls},
    {"affine: it says that it always grows", "grows with x where", &gb_affine_transform_type, says_it_grows},
    {"exponential: its to is (0, 1)", "its values lie in", &gb_exponential_transform_type, to_is_unit},
    {"exponential: its to is all numbers", "every member", &gb_exponential_transform_type, to_is_real},
    {"sigmoid: it has no inverse", "its struct is complete", &gb_sigmoid_transform_type, no_inverse},
    {"stick_breaking: it has no inverse_shape", "its struct is complete", &gb_stick_breaking_transform_type,
     no_inverse_shape},
    {"tanh: it has no its from", "its struct is complete", &gb_tanh_transform_type, no_from},
};
KIT_FAULTS(transforms, faults);
