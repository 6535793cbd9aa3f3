/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baselines with one slot spoilt. */
#include "distributions/list.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "kit/check_baseline.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_baseline_type *good;
static gb_baseline_type bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    return gb_check_baseline(gb_baseline_of(&bad, NULL), .report = report);
}

#define VALUE(name, ...)                                                                                     \
    static gb_node name##_value(const gb_site *site, const void *options, gb_node cost)                      \
    {                                                                                                        \
        (void)options, (void)site, (void)cost;                                                               \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_baseline_type, it->value = name##_value)
VALUE(own_cost, gb_scale(cost, 0.5))
VALUE(mean_with_its_own, gb_mean_over(cost, gb_node_axes(cost) & GB_SAMPLES))
VALUE(rows_with_their_own, gb_node_axes(cost) & GB_ROWS ? gb_mean_over(cost, GB_ROWS) : gb_num(cost.tape, 0))
VALUE(a_vector, gb_zeros(cost.tape, gb_shape(2)))
VALUE(nothing_at_all, (gb_node){0})
VALUE(own_draw, gb_sum(gb_stop(gb_site_value(site, 0))))
VALUE(lost_in_float, gb_shift(gb_shift(good->value(site, options, cost), 1e6), -1e6))

static gb_node updated_first(const gb_site *site, const void *options, gb_node cost)
{
    const gb_node before = gb_site_variable(site, "average", gb_shape(), 0);
    const gb_node now = gb_add(gb_scale(before, 0.9), gb_scale(gb_mean_over(cost, gb_node_axes(cost)), 0.1));
    (void)options;
    gb_site_assigns(site, before, now);
    return now;
}
SPOIL(update_then_use, gb_baseline_type, it->value = updated_first)

static gb_node moving(const gb_site *site, const void *options, gb_node cost)
{
    (void)options;
    gb_site_lowers(site, gb_mean_over(cost, gb_node_axes(cost)), 1, &site->q.param[0]);
    return gb_num(cost.tape, 0);
}
SPOIL(moves_the_model, gb_baseline_type, it->value = moving)

static gb_node expected_off(const gb_site *site, const void *options, gb_node cost)
{
    return gb_scale(good->expected(site, options, cost), 1.01);
}
SPOIL(wrong_mean, gb_baseline_type, it->expected = expected_off)
SPOIL(no_mean, gb_baseline_type, it->expected = NULL)
SPOIL(no_values, gb_baseline_type, it->values = NULL)
SPOIL(no_value, gb_baseline_type, it->value = NULL)
SPOIL(no_formula, gb_baseline_type, it->formula = "")

/* The mean cost of two fresh draws; they differ from run to run. */
static int64_t two(const gb_site *site, const void *options)
{
    (void)site, (void)options;
    return 2;
}

static gb_node fresh_draws(const gb_site *site, const void *options, gb_node draw)
{
    (void)options, (void)draw;
    return gb_stack(2,
                    (const gb_node[]){gb_sample(site->q, site->noise, site->axes),
                                      gb_sample(site->q, site->noise, site->axes)},
                    0);
}

static gb_node mean_of_fresh(const gb_site *site, const void *options, gb_node cost)
{
    (void)site, (void)options;
    return gb_scale(gb_add(gb_evaluation(cost, 1), gb_evaluation(cost, 2)), 0.5);
}

static const gb_baseline_type fresh = {.size = sizeof(gb_baseline_type),
                                       .name = "fresh",
                                       .formula = "the mean of f at two fresh draws",
                                       .value = mean_of_fresh,
                                       .evaluations = two,
                                       .values = fresh_draws};

static gb_node tenth_of_own(const gb_site *site, const void *options, gb_node draw)
{
    const gb_node values = fresh_draws(site, options, draw);
    return gb_add(gb_scale(values, 0.9), gb_scale(gb_expand(draw, 0), 0.1));
}
SPOIL(fresh_are_near_the_draw, gb_baseline_type, it->values = tenth_of_own)

static const kit_fault faults[] = {
    {"it is half of its own cost", "does not depend on the draw", &gb_leave_one_out_baseline_type, own_cost},
    {"the mean contains its own sample", "does not depend on the draw", &gb_leave_one_out_baseline_type,
     mean_with_its_own},
    {"the mean over rows contains its own", "does not depend on the draw", &gb_none_baseline_type,
     rows_with_their_own},
    {"it is its own draw", LATER "does not depend on the draw", &gb_none_baseline_type, own_draw},
    {"it is a vector", "its value is a number", &gb_none_baseline_type, a_vector},
    {"it is nothing", LATER "its value is a number", &gb_none_baseline_type, nothing_at_all},
    {"its digits are lost in floats", "on a float tape", &gb_leave_one_out_baseline_type, lost_in_float},
    {"it is updated, then used", "does not depend on the draw", &gb_moving_average_baseline_type,
     update_then_use},
    {"it moves the model", "variables of its own", &gb_none_baseline_type, moves_the_model},
    {"delta: its mean is off by 1 %", "the gradient of `expected`", &gb_delta_baseline_type, wrong_mean},
    {"delta: its mean is forgotten", "does not depend on the draw", &gb_delta_baseline_type, no_mean},
    {"delta: its values are forgotten", "its struct is complete", &gb_delta_baseline_type, no_values},
    {"fresh draws contain a tenth of the draw", "does not depend on the draw", &fresh,
     fresh_are_near_the_draw},
    {"it has no value", "its struct is complete", &gb_none_baseline_type, no_value},
    {"it has no formula", "its struct is complete", &gb_none_baseline_type, no_formula},
};
KIT_FAULTS(baselines, faults);
