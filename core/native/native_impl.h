/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native code of plans: a second executor beside the interpreter of instructions. It has the same bits.
 *
 *   native.c     when a plan is compiled, and how it is run
 *   formulas.c   what kernels compute, as C
 *   known.c      what is known of each instruction before it is written
 *   write.c      instructions as C
 *   object.c     C as functions of this process: from the cache, or else compiled
 *   cache.c      the folder of objects
 *   compiler.c   the system's compiler
 *   facts.c      what core/native.h says of the last three
 *
 * They use files.c (whole files, temporary folders) and text.c (texts that grow). The C begins with
 * core/kernels/native_prelude.h, which cmake/native.cmake puts into the library. */
#ifndef GREBE_CORE_NATIVE_NATIVE_IMPL_H
#define GREBE_CORE_NATIVE_NATIVE_IMPL_H

#include <stdio.h>

#include "core/plan/plan_impl.h"

typedef struct gb_native gb_native;

/* To be called before a run, while no pointer of the plan is bound. Makes native code if the tape asks for it
 * at once; if the plan has run for long, begins to make it; if it is ready, the next run uses it. `code` has
 * the instructions of every run, once for each step: one, or those of a body, which have other buffers. Some
 * runs are timed: returns what is to be given to gb_native_after_run. */
double gb_native_before_run(gb_plan *plan, const gb_block *code, size_t steps);
void gb_native_after_run(gb_plan *plan, double begin);

/* Runs steps, without the instructions of the first run. Returns false if there is no native code: then
 * nothing was done. */
bool gb_native_run(const gb_plan *plan, size_t steps);

/* Says in words how the plan is run, or why not by native code. */
const char *gb_native_words(const gb_plan *plan);

/* Writes the C that is compiled, and that of bodies. Returns false if memory runs out. */
bool gb_native_dump(const gb_plan *plan, FILE *file);

/* Ends a compiler that is running. */
void gb_native_free(gb_native *native);

#endif
