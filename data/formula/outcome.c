/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The left side of a formula: the outcome, and what belongs to it. */
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/formula/formula_impl.h"
#include "data/formula/functions_impl.h"

static bool reject(const gb_formula *f, const gb_syntax *at, const char *words)
{
    return gb_formula_fail(&f->text, at->at, GB_EARGUMENT, "%s", words);
}

/* Stores the variable for `part`, which has one number in a row. */
static bool read_variable(gb_formula *f, gb_syntax *part, int32_t *index)
{
    if (part->kind == GB_SYNTAX_NAME && strcmp(part->text, ".") == 0)
        return reject(f, part, ". stands right of ~ only");
    if (gb_expression_width(part) > 1)
        return reject(f, part, "the left side has one number in a row");
    *index = gb_formula_variable_of(f, part);
    return *index != GB_NO_VARIABLE;
}

/* Reads "trials(n)" or "weights(w)". */
static bool read_addition(gb_formula *f, gb_syntax *part)
{
    static const char *const names[] = {"trials", "weights"};
    int32_t *const places[] = {&f->trials, &f->weights};
    const bool is_call = part->kind == GB_SYNTAX_CALL;
    for (int i = 0; i < 2 && is_call; i++) {
        if (strcmp(names[i], part->text) != 0)
            continue;
        if (part->arguments != 1 || part->first->label)
            return reject(f, part, "this has one argument, a column or a number");
        if (*places[i] != GB_NO_VARIABLE)
            return reject(f, part, "this stands here twice");
        return read_variable(f, part->first, places[i]);
    }
    const char *const nearest = is_call ? gb_nearest_text(part->text, 2, names) : NULL;
    return gb_formula_fail(&f->text, part->at, GB_EARGUMENT,
                           "after | stand trials(n) and weights(w), with + between them%s%s%s",
                           nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static bool read_additions(gb_formula *f, gb_syntax *part)
{
    part = gb_syntax_inside(part);
    if (!gb_syntax_is(part, GB_OPERATOR_PLUS) || part->arguments < 2)
        return read_addition(f, part);
    return read_additions(f, part->first) && read_additions(f, part->first->next);
}

static bool read_pair(gb_formula *f, gb_syntax *call)
{
    if (call->arguments != 2 || call->first->label || call->first->next->label)
        return reject(f, call, "cbind has two columns: successes and failures");
    if (!read_variable(f, call->first, &f->outcome) || !read_variable(f, call->first->next, &f->failures))
        return false;
    return f->outcome != f->failures || reject(f, call, "successes and failures are the same column");
}

bool gb_formula_outcome(gb_formula *f, gb_syntax *left)
{
    left = gb_syntax_inside(left);
    const bool has_additions = gb_syntax_is(left, GB_OPERATOR_BAR);
    gb_syntax *const outcome = has_additions ? gb_syntax_inside(left->first) : left;
    if (outcome->kind == GB_SYNTAX_NUMBER || outcome->kind == GB_SYNTAX_FLAG)
        return reject(f, outcome, "this is no outcome");
    const bool is_pair = gb_syntax_calls(outcome, "cbind");
    if (is_pair ? !read_pair(f, outcome) : !read_variable(f, outcome, &f->outcome))
        return false;
    if (has_additions && !read_additions(f, left->first->next))
        return false;
    return !is_pair || f->trials == GB_NO_VARIABLE ||
           reject(f, left, "cbind gives the trials; trials(n) has no place beside it");
}
