/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/formulas_impl.h"

#include <string.h>

/* Functions of SLEEF are called as kernels, so that native code needs no library. */
static bool is_elsewhere(const char *text)
{
    static const char *const names[] = {"v_pow(", "v_sin(", "v_cos(", "v_atan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

/* Whether there are functions in it that are more than an instruction or two. */
static bool is_long(const char *text)
{
    static const char *const short_ones[] = {"select(", "chain(",   "splat(",    "sqrt(",
                                             "abs(",    "sign(",    "floor(",    "max(",
                                             "min(",    "of_mask(", "from_int(", "nearest_int("};
    for (const char *at = text; (at = strstr(at, "v_")); at++) {
        bool is_short = false;
        for (size_t i = 0; i < sizeof short_ones / sizeof *short_ones; i++)
            is_short |= strncmp(at + 2, short_ones[i], strlen(short_ones[i])) == 0;
        if (!is_short)
            return true;
    }
    return false;
}

const gb_formula *gb_formula_of(const gb_formulas *formulas, gb_block_kernel *kernel)
{
    for (size_t i = 0; i < formulas->count; i++)
        if (formulas->at[i].kernel == kernel)
            return &formulas->at[i];
    return NULL;
}

bool gb_formulas_find(gb_formulas *formulas, const gb_plan *plan)
{
    const gb_tape *const tape = gb_plan_tape(plan);
    for (size_t i = 0; i < plan->values.count; i++) {
        const gb_op *const op = plan->values.at[i].op;
        if (!op->blocks || !op->blocks->text || is_elsewhere(op->blocks->text))
            continue;
        gb_block_kernel *const kernel = op->blocks->of[tape->isa][tape->options.real == GB_FLOAT];
        if (gb_formula_of(formulas, kernel))
            continue;
        if (!GB_LIST_GROW(&tape->memory, formulas, 1))
            return false;
        formulas->at[formulas->count++] = (gb_formula){.kernel = kernel,
                                                       .name = op->name,
                                                       .text = op->blocks->text,
                                                       .is_long = is_long(op->blocks->text),
                                                       .has_chain = strstr(op->blocks->text, "v_chain(")};
    }
    return true;
}

static void put_formula(gb_growing_text *text, const char *prefix, const gb_formula *f)
{
    gb_text_append(text,
                   "GB_INLINE V %s_%s(V x, V y, V z)\n{\n    (void)x, (void)y, (void)z;\n"
                   "    return settled((V)(%s));\n}\n",
                   prefix, f->name, f->text);
}

void gb_formulas_put(const gb_formulas *formulas, gb_growing_text *text, bool calls_long)
{
    for (size_t i = 0; i < formulas->count; i++) {
        const gb_formula *const f = &formulas->at[i];
        put_formula(text, "f", f);
        if (f->is_long && calls_long)
            gb_text_append(text,
                           "static __attribute__((noinline, unused)) V call_%s(V x, V y, V z)\n{\n"
                           "    return f_%s(x, y, z);\n}\n",
                           f->name, f->name);
    }
    gb_text_append(text, "#define v_chain chain_alone\n");
    for (size_t i = 0; i < formulas->count; i++)
        if (formulas->at[i].has_chain)
            put_formula(text, "alone", &formulas->at[i]);
}
