/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedule.h"

#include <math.h>

#include "ops/elementwise.h"

/* ---- the kinds ---- */

static gb_node step_decay(const double *number, gb_node t)
{
    const gb_node every = gb_num(t.tape, number[0]), factor = gb_num(t.tape, number[1]);
    return gb_pow(factor, gb_floor(gb_div(t, every)));
}

static gb_node cosine(const double *number, gb_node t)
{
    const double end = number[1];
    const gb_node passed = gb_min(gb_div(t, gb_num(t.tape, number[0])), gb_num(t.tape, 1));
    const gb_node wave = gb_shift(gb_cos(gb_scale(passed, GB_PI)), 1);
    return gb_shift(gb_scale(wave, 0.5 * (1 - end)), end);
}

static gb_node robbins_monro(const double *number, gb_node t)
{
    return gb_pow(gb_shift(t, number[0]), gb_num(t.tape, -number[1]));
}

static gb_node cyclical(const double *number, gb_node t)
{
    const gb_node period = gb_num(t.tape, number[0]), one = gb_num(t.tape, 1);
    const gb_node cycles = gb_div(t, period), within = gb_sub(t, gb_mul(gb_floor(cycles), period));
    const gb_node rising = gb_min(gb_div(gb_shift(within, 1), gb_num(t.tape, number[1] * number[0])), one);
    if (number[2] == 0)
        return rising;
    return gb_where(gb_less(cycles, gb_num(t.tape, number[2])), rising, one);
}

static const gb_domain share = {.size = sizeof(gb_domain),
                                .name = "share",
                                .must_be = "above 0 and at most 1",
                                .low = 0,
                                .high = 1,
                                .above = true};
static const gb_domain power = {.size = sizeof(gb_domain),
                                .name = "power",
                                .must_be = "above 1/2 and at most 1",
                                .low = 0.5,
                                .high = 1,
                                .above = true};

const gb_schedule_type gb_step_decay_type = {
    .size = sizeof(gb_schedule_type),
    .name = "step_decay",
    .formula = "factor^floor(t / every)",
    .number = {{"every", GB_POSITIVE}, {"factor", &share}},
    .factor = step_decay,
};

const gb_schedule_type gb_cosine_type = {
    .size = sizeof(gb_schedule_type),
    .name = "cosine",
    .formula = "end + (1 - end) (1 + cos(pi min(t / steps, 1))) / 2",
    .number = {{"steps", GB_POSITIVE}, {"end", GB_UNIT}},
    .factor = cosine,
};

const gb_schedule_type gb_robbins_monro_type = {
    .size = sizeof(gb_schedule_type),
    .name = "robbins_monro",
    .formula = "1 / (b + t)^c",
    .number = {{"b", GB_POSITIVE}, {"c", &power}},
    .factor = robbins_monro,
};

const gb_schedule_type gb_cyclical_type = {
    .size = sizeof(gb_schedule_type),
    .name = "cyclical",
    .formula = "min(1, (1 + t mod period) / (rise period)), and 1 after so many cycles",
    .number = {{"period", GB_POSITIVE}, {"rise", &share}, {"cycles", GB_NON_NEGATIVE}},
    .factor = cyclical,
};

gb_schedule gb_step_decay(double every, double factor)
{
    return (gb_schedule){.type = &gb_step_decay_type, .number = {every, factor}};
}

gb_schedule gb_cosine_with(gb_cosine_options options)
{
    return (gb_schedule){.type = &gb_cosine_type, .number = {options.steps, options.end}};
}

gb_schedule gb_robbins_monro(double b, double c)
{
    return (gb_schedule){.type = &gb_robbins_monro_type, .number = {b, c}};
}

gb_schedule gb_cyclical_with(gb_cyclical_options options)
{
    const double rise = options.rise == 0 ? 0.5 : options.rise;
    return (gb_schedule){.type = &gb_cyclical_type, .number = {options.period, rise, options.cycles}};
}

/* One of what is warmed up already goes on to be: the two follow each other only as one. */
gb_schedule gb_warm_up(double steps, gb_schedule then)
{
    then.warm_up = then.warm_up == 0 ? steps : NAN;
    return then;
}

/* ---- using one ---- */

static bool is_right(const char *who, const gb_schedule *schedule, gb_tape *tape)
{
    if (!gb_domain_holds(GB_NON_NEGATIVE, schedule->warm_up)) {
        gb_fail(tape, GB_EARGUMENT, "%s: schedule: warm_up is %g, and must be %s; one cannot follow another",
                who, schedule->warm_up, GB_NON_NEGATIVE->must_be);
        return false;
    }
    for (int i = 0; schedule->type && i < GB_SCHEDULE_NUMBERS && schedule->type->number[i].name; i++) {
        const gb_schedule_number number = schedule->type->number[i];
        if (!gb_domain_holds(number.domain, schedule->number[i])) {
            gb_fail(tape, GB_EARGUMENT, "%s: schedule %s: %s is %g, and must be %s", who,
                    schedule->type->name, number.name, schedule->number[i], number.domain->must_be);
            return false;
        }
    }
    return true;
}

static gb_node without_warm_up(const gb_schedule *schedule, gb_node t)
{
    return schedule->type ? schedule->type->factor(schedule->number, t) : gb_num(t.tape, 1);
}

gb_node gb_scheduled(const char *who, gb_schedule schedule, gb_node t)
{
    if (!gb_check_node(t, who) || !is_right(who, &schedule, t.tape))
        return (gb_node){0};
    if (schedule.warm_up == 0)
        return without_warm_up(&schedule, t);
    const gb_node steps = gb_num(t.tape, schedule.warm_up);
    const gb_node since = gb_max(gb_shift(t, -ceil(schedule.warm_up)), gb_num(t.tape, 0));
    const gb_node rising = gb_min(gb_div(gb_shift(t, 1), steps), gb_num(t.tape, 1));
    return gb_where(gb_less(t, steps), rising, without_warm_up(&schedule, since));
}
