/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a formula: its sides, the columns that "." stands for, the variables that are used. */
#include <string.h>

#include "data/formula/formula_impl.h"

static bool has_name(const gb_syntax *part, const char *name)
{
    if (!part)
        return false;
    if (part->kind == GB_SYNTAX_NAME)
        return strcmp(part->text, name) == 0;
    for (const gb_syntax *a = part->first; a; a = a->next)
        if (has_name(a, name))
            return true;
    return false;
}

static bool is_beside(const char *const *beside, const char *name)
{
    for (int i = 0; beside && i < GB_DESIGN_BESIDE; i++)
        if (beside[i] && strcmp(beside[i], name) == 0)
            return true;
    return false;
}

/* "." stands for all columns but those on the left side, and those beside the formula. */
static bool keep_dot(gb_formula *f, const gb_syntax *left, const char *const *dot, size_t dots,
                     const char *const *beside)
{
    const char **const kept = gb_formula_keep(f, dots + 1, sizeof *kept);
    for (size_t i = 0; kept && i < dots; i++) {
        if (has_name(left, dot[i]) || is_beside(beside, dot[i]))
            continue;
        kept[f->dots] = gb_arena_text(&f->arena, dot[i]);
        if (!kept[f->dots++])
            return gb_formula_out_of_memory(f);
    }
    f->dot = kept;
    return kept != NULL;
}

static void mark_used(gb_formula *f)
{
    const int32_t left[] = {f->outcome, f->failures, f->trials, f->weights};
    for (size_t i = 0; i < f->terms.count; i++)
        for (uint32_t j = 0; j < f->terms.at[i].count; j++)
            f->variables.at[f->terms.at[i].variable[j]].is_used = true;
    for (size_t i = 0; i < f->offsets.count; i++)
        f->variables.at[f->offsets.at[i]].is_used = true;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != GB_NO_VARIABLE)
            f->variables.at[left[i]].is_used = true;
}

bool gb_formula_read(gb_formula *f, const char *text, const char *const *dot, size_t dots,
                     const char *const *beside)
{
    f->outcome = f->failures = f->trials = f->weights = GB_NO_VARIABLE;
    f->text.text = text; /* that of the caller, until there is a copy */
    const char *const own = gb_arena_text(&f->arena, text);
    if (!own)
        return gb_formula_out_of_memory(f);
    f->text.text = own;
    f->text.column = dot;
    f->text.columns = dots;
    f->tree = gb_formula_parse(&f->text, &f->arena);
    f->text.column = NULL;
    f->text.columns = 0;
    if (!f->tree)
        return false;
    if (!gb_syntax_is(f->tree, GB_OPERATOR_TILDE))
        return gb_formula_fail(&f->text, f->tree->at, GB_EARGUMENT,
                               "a formula has a ~ between the outcome and the terms: \"y ~ a + b\"");
    gb_syntax *const left = f->tree->arguments == 2 ? f->tree->first : NULL;
    if (left && gb_syntax_is(left, GB_OPERATOR_TILDE))
        return gb_formula_fail(&f->text, f->tree->at, GB_EARGUMENT, "there is a second ~");
    gb_syntax *const right = left ? left->next : f->tree->first;
    if (!keep_dot(f, left, dot, dots, beside) || (left && !gb_formula_outcome(f, left)) ||
        !gb_formula_terms(f, right))
        return false;
    mark_used(f);
    return true;
}
