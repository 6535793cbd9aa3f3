/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers and schedules with one slot spoilt. */
#include <math.h>
#include <stdio.h>

#include "core/gradient.h"
#include "core/op.h"
#include "kit/check_optimiser.h"
#include "kit/check_schedule.h"
#include "models/update.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tests/faults/kits/kits_impl.h"

/* ---- optimisers ---- */

static const gb_optimiser_type *good;
static gb_optimiser_type bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    return gb_check_optimiser(gb_optimiser_of(&bad, NULL), .report = report);
}

#define UPDATE(name, ...)                                                                                    \
    static gb_node name##_update(const gb_update_step *to)                                                   \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_optimiser_type, it->update = name##_update)

static gb_node step_of(const gb_update_step *to)
{
    return gb_sub(good->update(to), to->variable);
}

static double lr_of(const gb_update_step *to)
{
    return ((const gb_optimiser_head *)to->options)->lr;
}

/* The same step with another rate. */
static gb_node with_rate(const gb_update_step *to, gb_node rate)
{
    gb_update_step other = *to;
    other.rate = rate;
    return good->update(&other);
}

static gb_node with_gradient(const gb_update_step *to, gb_node gradient)
{
    gb_update_step other = *to;
    other.gradient = gradient;
    return good->update(&other);
}

UPDATE(step_is_larger, gb_add(to->variable, gb_scale(step_of(to), 1.001)))
UPDATE(uphill, gb_sub(to->variable, step_of(to)))
UPDATE(rate_is_lr, with_rate(to, gb_num(to->step.tape, lr_of(to))))
UPDATE(rate_is_a_number, with_rate(to, gb_num(to->step.tape, 0.01)))
UPDATE(rate_is_halved, with_rate(to, gb_scale(to->rate, 0.5)))
UPDATE(rate_is_squared, with_rate(to, gb_square(to->rate)))
UPDATE(sign_only, gb_sub(to->variable, gb_mul(to->rate, gb_sign(to->gradient))))
UPDATE(own_gradient, with_gradient(to, gb_grad(to->loss, to->variable)))
UPDATE(nan_is_swallowed, with_gradient(to, gb_where(gb_equal(to->gradient, to->gradient), to->gradient,
                                                    gb_num(to->step.tape, 0))))
UPDATE(lost_in_float, gb_shift(gb_shift(good->update(to), 1e6), -1e6))
UPDATE(decays_by_lr, gb_sub(good->update(to), gb_scale(to->variable, lr_of(to) * 0.1)))
UPDATE(gradient_is_normalised,
       with_gradient(to, gb_div(to->gradient, gb_shift(gb_sqrt(gb_sum(gb_square(to->gradient))), 1e-12))))

UPDATE(rate_is_capped, with_rate(to, gb_min(to->rate, gb_num(to->step.tape, 0.05))))
UPDATE(clipped_at_100, gb_clip(good->update(to), -100, 100))

static gb_node matrices_at_half_rate(const gb_update_step *to)
{
    return gb_node_shape(to->variable).rank > 1 ? with_rate(to, gb_scale(to->rate, 0.5)) : good->update(to);
}
SPOIL(slow_matrices, gb_optimiser_type, it->update = matrices_at_half_rate)

static gb_node never_remembers(const gb_update_step *to)
{
    gb_updates lost = gb_no_update;
    gb_update_step other = *to;
    other.assigns = &lost;
    return good->update(&other);
}
SPOIL(nothing_is_remembered, gb_optimiser_type, it->update = never_remembers)

static unsigned records;
static gb_node renamed(const gb_update_step *to)
{
    char part[32];
    snprintf(part, sizeof part, "memory%u", records++);
    const gb_node before = gb_update_memory(to, part);
    const gb_node v = gb_update_remember(to, before, gb_add(gb_scale(before, 0.5), to->gradient));
    return gb_sub(to->variable, gb_mul(to->rate, v));
}
SPOIL(memory_is_renamed, gb_optimiser_type, it->update = renamed)

SPOIL(no_update, gb_optimiser_type, it->update = NULL)
SPOIL(no_options, gb_optimiser_type, it->options = NULL)
SPOIL(other_name, gb_optimiser_type, it->name = "unknown")

static const kit_fault faults[] = {
    {"a copy under another name passes", NULL, &gb_adam_optimiser_type, other_name},
    {"adam: its steps are 0.1 % too long", "its steps are", &gb_adam_optimiser_type, step_is_larger},
    {"sgd: it goes uphill", LATER "its steps are", &gb_sgd_optimiser_type, uphill},
    {"adam: it looks at lr, not at the rate", "a schedule multiplies the rate", &gb_adam_optimiser_type,
     rate_is_lr},
    {"sgd: its rate is a number", LATER "a schedule multiplies the rate", &gb_sgd_optimiser_type,
     rate_is_a_number},
    {"rmsprop: its rate is halved", "its steps are", &gb_rmsprop_optimiser_type, rate_is_halved},
    {"adagrad: its rate is squared", "its steps are", &gb_adagrad_optimiser_type, rate_is_squared},
    {"sgd: it goes by signs", "its steps are", &gb_sgd_optimiser_type, sign_only},
    {"sgd: it takes the gradient that is not clipped", "that gb_minimise has clipped", &gb_sgd_optimiser_type,
     own_gradient},
    {"adam: it takes the gradient that is not clipped", "that gb_minimise has clipped",
     &gb_adam_optimiser_type, own_gradient},
    {"sgd: NaN is swallowed", "data that are not finite", &gb_sgd_optimiser_type, nan_is_swallowed},
    {"adam: digits are lost in floats", LATER "on a float tape", &gb_adam_optimiser_type, lost_in_float},
    {"adam: a decay ignores the schedule", LATER "a schedule multiplies the rate", &gb_adam_optimiser_type,
     decays_by_lr},
    {"sgd: gradients are normalised, each variable's", LATER "two variables are updated as one",
     &gb_sgd_optimiser_type, gradient_is_normalised},
    {"adam: its rate is at most 0.05", "its steps are", &gb_adam_optimiser_type, rate_is_capped},
    {"adam: variables are clipped at 100", "its steps are", &gb_adam_optimiser_type, clipped_at_100},
    {"adam: matrices have half of the rate", "and a matrix as a vector", &gb_adam_optimiser_type,
     slow_matrices},
    {"adam: nothing is remembered", "its steps are", &gb_adam_optimiser_type, nothing_is_remembered},
    {"sgd: its memory has another name each time", LATER "its state is in variables", &gb_sgd_optimiser_type,
     memory_is_renamed},
    {"adam: it has no update", "its struct is complete", &gb_adam_optimiser_type, no_update},
    {"adam: it has no options", "its struct is complete", &gb_adam_optimiser_type, no_options},
};
KIT_FAULTS(optimisers, faults);
