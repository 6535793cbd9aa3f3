/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plug-ins with planted faults, for the kits to find. A fault is a row: a good plug-in is copied, one slot or
 * flag is spoilt, and the statement of the kit that names it must be the first to fail, as a reader begins
 * there. Each good plug-in must pass as it is. */
#ifndef GREBE_TESTS_FAULTS_KITS_IMPL_H
#define GREBE_TESTS_FAULTS_KITS_IMPL_H

#include "kit/report.h"

typedef struct kit_fault {
    const char *name;      /* what is wrong */
    const char *statement; /* that fails first; NULL: nothing is wrong, and the kit passes it */
    const void *good;      /* the type that is copied */
    void (*spoil)(void *copy);
} kit_fault;

/* Begins a statement before which others may fail: they say what is wrong as well. */
#define LATER "later: "

typedef struct kit_faults {
    const char *kit;
    bool (*judge)(const kit_fault *fault, gb_report *report);
    size_t count;
    const kit_fault *fault;
} kit_faults;

#define KIT_FAULTS(of, rows)                                                                                 \
    const kit_faults gb_faults_of_##of = {#of, judge, sizeof(rows) / sizeof *(rows), rows}

/* A function that spoils a copy: SPOIL(bare, gb_op, it->vjp = NULL) */
#define SPOIL(name, type, ...)                                                                               \
    static void name(void *copy)                                                                             \
    {                                                                                                        \
        type *const it = copy;                                                                               \
        __VA_ARGS__;                                                                                         \
    }

void nothing(void *copy); /* spoils nothing */

extern const kit_faults gb_faults_of_distributions, gb_faults_of_ops, gb_faults_of_transforms,
    gb_faults_of_estimators, gb_faults_of_baselines, gb_faults_of_families, gb_faults_of_optimisers,
    gb_faults_of_schedules, gb_faults_of_bounds, gb_faults_of_problems;

#endif
