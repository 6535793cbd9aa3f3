/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules with one slot spoilt. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/op.h"
#include "kit/check_schedule.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_schedule_type *good;
static gb_schedule_type bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    const gb_cosine_options cosine = {.size = sizeof cosine, .steps = 50, .end = 0.1};
    const gb_robbins_monro_options robbins_monro = {.size = sizeof robbins_monro, .b = 3, .c = 0.7};
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    const bool is_cosine = good == &gb_cosine_schedule_type;
    const void *const options = is_cosine ? (const void *)&cosine : (const void *)&robbins_monro;
    return gb_check_schedule(gb_schedule_of(&bad, options), .report = report);
}

#define FACTOR(name, ...)                                                                                    \
    static gb_node name##_factor(gb_node t, const void *options)                                             \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_schedule_type, it->factor = name##_factor)

static gb_node of_step(gb_node t)
{
    static unsigned records;
    char name[32];
    snprintf(name, sizeof name, "own%u", records++);
    return gb_variable(t.tape, name, gb_shape(), gb_fill(0));
}

static unsigned turns;

FACTOR(one_ahead, good->factor(gb_shift(t, 1), options))
FACTOR(factor_is_off, gb_scale(good->factor(t, options), 1 + 1e-9))
FACTOR(below_zero, gb_shift(good->factor(t, options), -0.5))
FACTOR(a_vector, gb_reshape(good->factor(t, options), gb_shape(1)))
FACTOR(infinite_at_first, gb_div(good->factor(t, options), t))
FACTOR(a_variable_of_its_own, good->factor(gb_add(of_step(t), t), options))
FACTOR(random_factor, gb_add(good->factor(t, options),
                             gb_scale(gb_uniform_noise(gb_stream(t.tape, "rate"), gb_shape(), 0), 1e-9)))
FACTOR(other_each_time, gb_scale(good->factor(t, options), turns++ % 2 ? 1 : 0.5))
FACTOR(lost_in_float, good->factor(gb_shift(gb_shift(t, 1e9), -1e9), options))
FACTOR(ends_in_nan, good->factor(gb_where(gb_less(t, gb_num(t.tape, 2000)), t, gb_num(t.tape, NAN)), options))
SPOIL(no_factor, gb_schedule_type, it->factor = NULL)
SPOIL(no_name, gb_schedule_type, it->name = "")

static const kit_fault faults[] = {
    {"cosine: it is a step ahead", "its factors are those", &gb_cosine_schedule_type, one_ahead},
    {"robbins_monro: it is a step ahead", "its factors are those", &gb_robbins_monro_schedule_type,
     one_ahead},
    {"cosine: it is off by 1e-9", "its factors are those", &gb_cosine_schedule_type, factor_is_off},
    {"cosine: it falls below 0", "finite and not negative", &gb_cosine_schedule_type, below_zero},
    {"cosine: it is a vector", LATER "a real scalar", &gb_cosine_schedule_type, a_vector},
    {"cosine: it is infinite at first", LATER "finite and not negative", &gb_cosine_schedule_type,
     infinite_at_first},
    {"cosine: it has a variable of its own", "depends on t alone", &gb_cosine_schedule_type,
     a_variable_of_its_own},
    {"cosine: it is random", LATER "depends on t alone", &gb_cosine_schedule_type, random_factor},
    {"cosine: it is another each time", LATER "depends on t alone", &gb_cosine_schedule_type,
     other_each_time},
    {"robbins_monro: digits are lost in floats", "on a float tape", &gb_robbins_monro_schedule_type,
     lost_in_float},
    {"robbins_monro: it is NaN from 2000 on", "finite and not negative", &gb_robbins_monro_schedule_type,
     ends_in_nan},
    {"cosine: it has no factor", "its struct is complete", &gb_cosine_schedule_type, no_factor},
    {"cosine: it has no name", "its struct is complete", &gb_cosine_schedule_type, no_name},
};
KIT_FAULTS(schedules, faults);
