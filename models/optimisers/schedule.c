/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/schedule.h"

#include <math.h>

#include "distributions/domain.h"
#include "ops/elementwise.h"

gb_schedule gb_schedule_of(const gb_schedule_type *type, const void *options)
{
    return (gb_schedule){.type = type, .options = gb_options_pack(type, options)};
}

bool gb_schedule_is_steady(gb_schedule schedule)
{
    return !schedule.type || schedule.type == &gb_steady_schedule_type;
}

static gb_node factor_of(const gb_schedule *schedule, gb_node t)
{
    gb_option_block block;
    return schedule->type
               ? schedule->type->factor(t, gb_options_unpack(schedule->type, &schedule->options, &block))
               : gb_num(t.tape, 1);
}

gb_node gb_schedule_factor(const char *who, gb_schedule schedule, gb_node t)
{
    gb_option_block block;
    if (!gb_node_check(t, who))
        return (gb_node){0};
    if (!schedule.type)
        return gb_num(t.tape, 1);
    const void *const options =
        gb_options_use(t.tape, who, "schedule", &gb_schedule_kind, schedule.type, &schedule.options, &block);
    return options ? schedule.type->factor(t, options) : (gb_node){0};
}

/* ---- steady ---- */

static gb_node steady(gb_node t, const void *options)
{
    (void)options;
    return gb_num(t.tape, 1);
}

const gb_schedule_type gb_steady_schedule_type = {
    .size = sizeof(gb_schedule_type), .name = "steady", .formula = "1", .factor = steady};

gb_schedule gb_steady(void)
{
    return gb_schedule_of(&gb_steady_schedule_type, NULL);
}

/* ---- step decay ---- */

static const gb_domain share = {.size = sizeof(gb_domain),
                                .name = "share",
                                .must_be = "above 0 and at most 1",
                                .low = 0,
                                .high = 1,
                                .above = true};

static gb_node step_decay(gb_node t, const void *options)
{
    const gb_step_decay_options *const o = options;
    const gb_node every = gb_num(t.tape, o->every), factor = gb_num(t.tape, o->factor);
    return gb_pow(factor, gb_floor(gb_div(t, every)));
}

static const gb_option step_decay_options[] = {
    GB_OPTION_ARGUMENT(gb_step_decay_options, every, GB_POSITIVE, "runs between steps"),
    GB_OPTION_ARGUMENT(gb_step_decay_options, factor, &share, "factor of each step"),
    {0}};

const gb_schedule_type gb_step_decay_schedule_type = {
    .size = sizeof(gb_schedule_type),
    .name = "step_decay",
    .formula = "factor^floor(t / every)",
    .options = step_decay_options,
    .option_bytes = sizeof(gb_step_decay_options),
    .factor = step_decay,
};

gb_schedule gb_step_decay(double every, double factor)
{
    const gb_step_decay_options options = {.size = sizeof options, .every = every, .factor = factor};
    return gb_schedule_of(&gb_step_decay_schedule_type, &options);
}

/* ---- cosine ---- */

static gb_node cosine(gb_node t, const void *options)
{
    const gb_cosine_options *const o = options;
    const double end = o->end;
    const gb_node passed = gb_min(gb_div(t, gb_num(t.tape, o->steps)), gb_num(t.tape, 1));
    const gb_node wave = gb_shift(gb_cos(gb_scale(passed, GB_PI)), 1);
    return gb_shift(gb_scale(wave, 0.5 * (1 - end)), end);
}

static const gb_option cosine_options[] = {
    GB_OPTION_ARGUMENT(gb_cosine_options, steps, GB_POSITIVE, "runs until the end is reached"),
    GB_OPTION_NUMBER(gb_cosine_options, end, 0, GB_UNIT, "the factor at the end"),
    {0}};

const gb_schedule_type gb_cosine_schedule_type = {
    .size = sizeof(gb_schedule_type),
    .name = "cosine",
    .formula = "end + (1 - end) (1 + cos(pi min(t / steps, 1))) / 2",
    .options = cosine_options,
    .option_bytes = sizeof(gb_cosine_options),
    .factor = cosine,
};

gb_schedule gb_cosine_with(double steps, const gb_cosine_options *options)
{
    gb_cosine_options own;
    gb_options_copy(&own, sizeof own, options);
    own.steps = steps;
    return gb_schedule_of(&gb_cosine_schedule_type, &own);
}

/* ---- Robbins and Monro ---- */

static const gb_domain power = {.size = sizeof(gb_domain),
                                .name = "power",
                                .must_be = "above 1/2 and at most 1",
                                .low = 0.5,
                                .high = 1,
                                .above = true};

static gb_node robbins_monro(gb_node t, const void *options)
{
    const gb_robbins_monro_options *const o = options;
    return gb_pow(gb_shift(t, o->b), gb_num(t.tape, -o->c));
}

static const gb_option robbins_monro_options[] = {
    GB_OPTION_ARGUMENT(gb_robbins_monro_options, b, GB_POSITIVE, "number added to t"),
    GB_OPTION_ARGUMENT(gb_robbins_monro_options, c, &power, "the power"),
    {0}};

const gb_schedule_type gb_robbins_monro_schedule_type = {
    .size = sizeof(gb_schedule_type),
    .name = "robbins_monro",
    .formula = "1 / (b + t)^c",
    .cite = "Robbins and Monro 1951",
    .options = robbins_monro_options,
    .option_bytes = sizeof(gb_robbins_monro_options),
    .factor = robbins_monro,
};

gb_schedule gb_robbins_monro(double b, double c)
{
    const gb_robbins_monro_options options = {.size = sizeof options, .b = b, .c = c};
    return gb_schedule_of(&gb_robbins_monro_schedule_type, &options);
}

/* ---- cycles ---- */

static gb_node cyclical(gb_node t, const void *options)
{
    const gb_cyclical_options *const o = options;
    const gb_node period = gb_num(t.tape, o->period), one = gb_num(t.tape, 1);
    const gb_node cycles = gb_div(t, period), within = gb_sub(t, gb_mul(gb_floor(cycles), period));
    const gb_node rising = gb_min(gb_div(gb_shift(within, 1), gb_num(t.tape, o->rise * o->period)), one);
    if (o->cycles == 0)
        return rising;
    return gb_where(gb_less(cycles, gb_num(t.tape, o->cycles)), rising, one);
}

static const gb_option cyclical_options[] = {
    GB_OPTION_ARGUMENT(gb_cyclical_options, period, GB_POSITIVE, "length of a period, in runs"),
    GB_OPTION_NUMBER(gb_cyclical_options, rise, 0.5, &share, "fraction of a period in which it rises"),
    GB_OPTION_NUMBER(gb_cyclical_options, cycles, 0, GB_NON_NEGATIVE,
                     "number of periods, after which it stays at 1; 0: no end"),
    {0}};

const gb_schedule_type gb_cyclical_schedule_type = {
    .size = sizeof(gb_schedule_type),
    .name = "cyclical",
    .formula = "min(1, (1 + t mod period) / (rise period)), and 1 after so many cycles",
    .cite = "Fu, Li, Liu, Gao, Celikyilmaz and Carin 2019",
    .options = cyclical_options,
    .option_bytes = sizeof(gb_cyclical_options),
    .factor = cyclical,
};

gb_schedule gb_cyclical_with(double period, const gb_cyclical_options *options)
{
    gb_cyclical_options own;
    gb_options_copy(&own, sizeof own, options);
    own.period = period;
    return gb_schedule_of(&gb_cyclical_schedule_type, &own);
}

/* ---- warming up ---- */

static gb_node warm_up(gb_node t, const void *options)
{
    const gb_warm_up_options *const o = options;
    if (o->steps == 0)
        return factor_of(&o->then, t);
    const gb_node steps = gb_num(t.tape, o->steps);
    const gb_node since = gb_max(gb_shift(t, -ceil(o->steps)), gb_num(t.tape, 0));
    const gb_node rising = gb_min(gb_div(gb_shift(t, 1), steps), gb_num(t.tape, 1));
    return gb_where(gb_less(t, steps), rising, factor_of(&o->then, since));
}

static const gb_option warm_up_options[] = {
    GB_OPTION_ARGUMENT(gb_warm_up_options, steps, GB_NON_NEGATIVE, "runs until the factor is 1"),
    {.name = "then",
     .form = GB_OPTION_IS_PLUGIN,
     .offset = offsetof(gb_warm_up_options, then),
     .kind = &gb_schedule_kind,
     .words = "the schedule that follows",
     .is_argument = true,
     .is_optional = true},
    {0}};

const gb_schedule_type gb_warm_up_schedule_type = {
    .size = sizeof(gb_schedule_type),
    .name = "warm_up",
    .formula = "min(1, (t + 1) / steps), then another schedule from its beginning",
    .cite = "Goyal, Dollar, Girshick, Noordhuis and others 2017",
    .options = warm_up_options,
    .option_bytes = sizeof(gb_warm_up_options),
    .factor = warm_up,
};

gb_schedule gb_warm_up(double steps, gb_schedule then)
{
    const gb_warm_up_options options = {.size = sizeof options, .steps = steps, .then = then};
    return gb_schedule_of(&gb_warm_up_schedule_type, &options);
}

/* ---- all of them ---- */

#define GB_SCHEDULE_ADDRESS(name) &gb_##name##_schedule_type,
static const gb_schedule_type *const gb_schedule_types[] = {GB_SCHEDULE_LIST(GB_SCHEDULE_ADDRESS)};
static const char *const gb_schedule_words[][2] = {{"none", "steady"}, {NULL}};
static const char *gb_schedule_missing(const gb_plugin *plugin)
{
    const gb_schedule_type *const type = (const void *)plugin;
    return type->factor ? NULL : "factor";
}

GB_DEFINE_KIND(gb_schedule, gb_schedules, "schedule")
