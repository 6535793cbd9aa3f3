/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules: what a learning rate, or the weight of KL, is multiplied by as runs go on.
 *
 *     gb_minimise(loss, gb_adam(.lr = 1e-2, .schedule = gb_cosine(1000)))
 *     gb_minimise(loss, gb_sgd(.lr = 0.1, .schedule = gb_warm_up(100, gb_step_decay(500, 0.5))))
 *     gb_elbo_new(t, .data_size = N, .kl_schedule = gb_warm_up(1000, gb_steady()))
 *
 * t counts the runs before: 0 in the first. Numbers that make no sense are an error where the schedule is used.
 * docs/add-a-schedule.md shows one of your own, which gb_check_schedule judges. */
#ifndef GREBE_MODELS_SCHEDULE_H
#define GREBE_MODELS_SCHEDULE_H

#include "../distributions/domain.h"
#include "../distributions/transform.h"

GB_BEGIN_DECLS

enum { GB_SCHEDULE_NUMBERS = 3 };

typedef struct gb_schedule_number {
    const char *name; /* NULL: none */
    const gb_domain *domain;
} gb_schedule_number;

typedef struct gb_schedule_type {
    size_t size;         /* REQUIRED: sizeof(gb_schedule_type) */
    const char *name;    /* REQUIRED */
    const char *formula; /* REQUIRED: one line for a reader */
    gb_schedule_number
        number[GB_SCHEDULE_NUMBERS]; /* OPTIONAL: the first ones are named, the others are not used */
    /* REQUIRED: a real scalar, finite and not negative for t = 0, 1, 2 …, made of t and the numbers alone. */
    gb_node (*factor)(const double *number, gb_node t);
} gb_schedule_type;

/* A schedule with its numbers, by value. type NULL: constant, a factor of 1. */
typedef struct gb_schedule {
    const gb_schedule_type *type;
    double number[GB_SCHEDULE_NUMBERS];
    double warm_up; /* runs */
} gb_schedule;

GB_API extern const gb_schedule_type gb_step_decay_type, gb_cosine_type, gb_robbins_monro_type,
    gb_cyclical_type;

/* 1. */
#define gb_steady() ((gb_schedule){0})

/* factor^floor(t / every), for 0 < factor ≤ 1. */
GB_API gb_schedule gb_step_decay(double every, double factor);

/* From 1 along half a cosine to `end` (0) after `steps` runs, and that afterwards: gb_cosine(1000, .end = 0.01). */
typedef struct gb_cosine_options {
    size_t size;
    double steps; /* REQUIRED, > 0 */
    double end;   /* 0 … 1 */
} gb_cosine_options;
#define gb_cosine(...)                                                                                       \
    gb_cosine_with((gb_cosine_options){.size = sizeof(gb_cosine_options), .steps = __VA_ARGS__})
GB_API gb_schedule gb_cosine_with(gb_cosine_options options);

/* 1 / (b + t)^c, b > 0, for ½ < c ≤ 1: steps that add up to ∞ and whose squares do not (Robbins and Monro 1951). With
 * .lr = a the rate is a / (b + t)^c. */
GB_API gb_schedule gb_robbins_monro(double b, double c);

/* Again and again from 0 to 1, and 1 for the rest of the period: min(1, (1 + t mod period) / (rise · period)). After `cycles`
 * periods it stays at 1 (Fu et al. 2019, for the weight of KL): gb_cyclical(1000, .cycles = 4). */
typedef struct gb_cyclical_options {
    size_t size;
    double period; /* REQUIRED, > 0: runs */
    double rise;   /* the share of a period that it rises in, up to 1; 0: ½ */
    double cycles; /* 0: without end */
} gb_cyclical_options;
#define gb_cyclical(...)                                                                                     \
    gb_cyclical_with((gb_cyclical_options){.size = sizeof(gb_cyclical_options), .period = __VA_ARGS__})
GB_API gb_schedule gb_cyclical_with(gb_cyclical_options options);

/* (t + 1) / steps, at most 1, for t < steps; then `then`, whose t begins at 0 there. */
GB_API gb_schedule gb_warm_up(double steps, gb_schedule then);

/* The factor at t, a real scalar. Errors begin with "WHO: ". */
GB_API gb_node gb_scheduled(const char *who, gb_schedule schedule, gb_node t);

GB_END_DECLS
#endif
