/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What kernels compute, as C. */
#ifndef GREBE_CORE_NATIVE_FORMULAS_IMPL_H
#define GREBE_CORE_NATIVE_FORMULAS_IMPL_H

#include "core/native/text_impl.h"
#include "core/plan/plan_impl.h"

typedef struct gb_formula {
    gb_block_kernel *kernel;
    const char *name, *text;
    bool is_long;   /* it becomes many instructions of the machine */
    bool has_chain; /* v_chain is in it: see chain_alone in native_prelude.h */
} gb_formula;

typedef GB_LIST(gb_formula) gb_formulas;

/* Lists the formulas of all operations of the plan. Returns false if memory runs out. */
bool gb_formulas_find(gb_formulas *formulas, const gb_plan *plan);
/* Returns NULL for a kernel without a formula. */
const gb_formula *gb_formula_of(const gb_formulas *formulas, gb_block_kernel *kernel);
/* Appends them as functions of vectors x, y and z: f_NAME for all, alone_NAME for one vector in straight code
 * if v_chain is in it, and, if asked for, call_NAME for a long one, which is not inlined. */
void gb_formulas_put(const gb_formulas *formulas, gb_growing_text *text, bool calls_long);

#endif
