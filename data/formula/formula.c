/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory of a formula. */
#include "data/formula/formula_impl.h"

bool gb_formula_out_of_memory(const gb_formula *f)
{
    gb_fail(f->text.tape, GB_ENOMEM, "formula: out of memory");
    return false;
}

void *gb_formula_keep(gb_formula *f, size_t count, size_t each)
{
    void *const kept = count <= PTRDIFF_MAX / each ? gb_arena_take(&f->arena, count * each) : NULL;
    if (!kept)
        gb_formula_out_of_memory(f);
    return kept;
}

void gb_formula_free(gb_formula *f)
{
    gb_memory_release(&f->memory, f->variables.at);
    gb_memory_release(&f->memory, f->terms.at);
    gb_memory_release(&f->memory, f->offsets.at);
    gb_arena_free(&f->arena);
}
