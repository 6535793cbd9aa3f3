/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules: factors of a learning rate, or of the weight of KL, that depend on the step.
 *
 *     gb_minimise(loss, gb_adam(.lr = 1e-2, .schedule = gb_cosine(1000)))
 *     gb_minimise(loss, gb_sgd(.lr = 0.1, .schedule = gb_warm_up(100, gb_step_decay(500, 0.5))))
 *     gb_elbo_new(t, .data_size = N, .kl_schedule = gb_warm_up(1000, gb_steady()))
 *
 * t is the number of earlier runs: 0 in the first run. Options outside their domain are an error where the
 * schedule is used. docs/add-a-schedule.md shows how to write your own; gb_check_schedule tests it. */
#ifndef GREBE_MODELS_SCHEDULE_H
#define GREBE_MODELS_SCHEDULE_H

#include "../distributions/domain.h"
#include "../plugins/plugin.h"

GB_BEGIN_DECLS

/* The type of a schedule. */
typedef struct gb_schedule_type {
    GB_PLUGIN_HEAD;
    /* REQUIRED: returns the factor, a real scalar, finite and not negative for t = 0, 1, 2 …. It depends only
     * on t and the options. `options` is the options struct of the type, with defaults filled in. */
    gb_node (*factor)(gb_node t, const void *options);
    GB_RESERVE(8);
} gb_schedule_type;

/* A schedule with its options, by value. type NULL: constant, a factor of 1. */
typedef struct gb_schedule {
    const gb_schedule_type *type;
    gb_packed options;
} gb_schedule;

/* Returns the schedule of a type with these options (an options struct; NULL: all defaults). For
 * constructors. */
GB_API gb_schedule gb_schedule_of(const gb_schedule_type *type, const void *options);

/* clang-format off */
/* The members of the library, each as do_(name). */
#define GB_SCHEDULE_LIST(do_)                                                                                \
    do_(steady) do_(step_decay) do_(cosine) do_(robbins_monro) do_(cyclical) do_(warm_up)
/* clang-format on */
#define GB_DECLARE_SCHEDULE(name) GB_API extern const gb_schedule_type gb_##name##_schedule_type;
GB_SCHEDULE_LIST(GB_DECLARE_SCHEDULE)
#undef GB_DECLARE_SCHEDULE

GB_DECLARE_KIND(gb_schedule, gb_schedules)

/* The constant 1. */
GB_API gb_schedule gb_steady(void);

/* factor^floor(t / every), for 0 < factor ≤ 1. */
typedef struct gb_step_decay_options {
    size_t size;
    double every, factor; /* the arguments */
} gb_step_decay_options;
GB_API gb_schedule gb_step_decay(double every, double factor);

/* Decreases from 1 along half a cosine to `end` after `steps` runs (above 0), and stays at `end`:
 * gb_cosine(1000, .end = 0.01). */
typedef struct gb_cosine_options {
    size_t size;
    double steps; /* the argument */
    double end;   /* 0 … 1 */
} gb_cosine_options;
#define gb_cosine(...) GB_CALL_1(gb_cosine, __VA_ARGS__, .size = sizeof(gb_cosine_options))
GB_API gb_schedule gb_cosine_with(double steps, const gb_cosine_options *options);

/* 1 / (b + t)^c with b > 0 and ½ < c ≤ 1: the factors sum to ∞, their squares do not (Robbins and Monro
 * 1951). With .lr = a the rate is a / (b + t)^c. */
typedef struct gb_robbins_monro_options {
    size_t size;
    double b, c; /* the arguments */
} gb_robbins_monro_options;
GB_API gb_schedule gb_robbins_monro(double b, double c);

/* Rises from 0 to 1 in each period, and is 1 for the rest of the period: min(1, (1 + t mod period) / (rise ·
 * period)). The period is a number of runs above 0. After `cycles` periods it stays at 1: gb_cyclical(1000,
 * .cycles = 4). For the weight of KL (Fu et al. 2019). */
typedef struct gb_cyclical_options {
    size_t size;
    double period; /* the argument */
    double rise;   /* fraction of a period in which it rises, up to 1; 0: ½ */
    double cycles; /* 0: it never stops */
} gb_cyclical_options;
#define gb_cyclical(...) GB_CALL_1(gb_cyclical, __VA_ARGS__, .size = sizeof(gb_cyclical_options))
GB_API gb_schedule gb_cyclical_with(double period, const gb_cyclical_options *options);

/* (t + 1) / steps, at most 1, for t < steps; then `then`, whose t begins at 0. With 0 steps it is `then`. */
typedef struct gb_warm_up_options {
    size_t size;
    double steps;     /* the arguments */
    gb_schedule then; /* type NULL: constant */
} gb_warm_up_options;
GB_API gb_schedule gb_warm_up(double steps, gb_schedule then);

/* Returns the factor at t, a real scalar. Messages begin with "WHO: ". */
GB_API gb_node gb_schedule_factor(const char *who, gb_schedule schedule, gb_node t);

/* Returns whether the schedule is constant: type NULL, or gb_steady(). */
GB_API bool gb_schedule_is_steady(gb_schedule schedule);

GB_END_DECLS
#endif
