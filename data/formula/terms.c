/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The algebra of formulas: which terms the right side has, and which parts the left one. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/formula/formula_impl.h"
#include "data/formula/functions_impl.h"

typedef GB_LIST(gb_term) term_list;

/* A walk over the right side. */
typedef struct reading {
    gb_formula *f;
    bool is_plain; /* only + and - stand around: numbers and offsets may occur */
    bool is_minus; /* terms are removed */
} reading;

static bool reject(const reading *r, const gb_syntax *at, const char *words)
{
    return gb_formula_fail(&r->f->text, at->at, GB_EARGUMENT, "%s", words);
}

/* ---- variables ---- */

static bool has_text(const gb_formula_variable *v, const char *text)
{
    return strcmp(v->text, text) == 0;
}

int32_t gb_formula_variable_of(gb_formula *f, gb_syntax *expression)
{
    gb_packing text = {.memory = &f->memory};
    gb_syntax_write(expression, &text);
    const char *const name = gb_text_moved(&text, &f->arena);
    if (!name || !GB_LIST_GROW(&f->memory, &f->variables, 1)) {
        gb_formula_out_of_memory(f);
        return GB_NO_VARIABLE;
    }
    for (size_t i = 0; i < f->variables.count; i++)
        if (has_text(&f->variables.at[i], name))
            return (int32_t)i;
    if (!gb_expression_check(&f->text, expression))
        return GB_NO_VARIABLE;
    const gb_formula_variable made = {
        .text = name, .expression = expression, .width = gb_expression_width(expression)};
    f->variables.at[f->variables.count] = made;
    return (int32_t)f->variables.count++;
}

/* ---- lists of terms ---- */

static bool is_same(const gb_term *a, const gb_term *b)
{
    return a->count == b->count && memcmp(a->variable, b->variable, a->count * sizeof *a->variable) == 0;
}

static bool append(const reading *r, term_list *list, const gb_term *term)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_same(&list->at[i], term))
            return true;
    if (list->count >= GB_MOST_TERMS)
        return gb_formula_fail(&r->f->text, term->at, GB_ELIMIT, "there are more than %d terms",
                               GB_MOST_TERMS);
    if (!GB_LIST_GROW(&r->f->memory, list, 1))
        return gb_formula_out_of_memory(r->f);
    list->at[list->count++] = *term;
    return true;
}

static bool append_all(const reading *r, term_list *list, const term_list *more)
{
    for (size_t i = 0; i < more->count; i++)
        if (!append(r, list, &more->at[i]))
            return false;
    return true;
}

/* The interaction of two terms; a variable of both counts once. */
static bool join(const reading *r, const gb_term *a, const gb_term *b, gb_term *joined)
{
    size_t i = 0, j = 0;
    *joined = (gb_term){.at = b->at};
    while (i < a->count || j < b->count) {
        const uint32_t left = i < a->count ? a->variable[i] : UINT32_MAX;
        const uint32_t right = j < b->count ? b->variable[j] : UINT32_MAX;
        if (joined->count == GB_MOST_ORDER)
            return gb_formula_fail(&r->f->text, b->at, GB_ELIMIT, "an interaction of more than %d variables",
                                   GB_MOST_ORDER);
        joined->variable[joined->count++] = left < right ? left : right;
        i += left <= right;
        j += right <= left;
    }
    return true;
}

/* Appends the interactions of each of `left` with each of `right`. */
static bool append_joined(const reading *r, term_list *list, const term_list *left, const term_list *right)
{
    gb_term joined;
    for (size_t i = 0; i < left->count; i++)
        for (size_t j = 0; j < right->count; j++)
            if (!join(r, &left->at[i], &right->at[j], &joined) || !append(r, list, &joined))
                return false;
    return true;
}

/* ---- the right side ---- */

static bool read_terms(const reading *r, gb_syntax *part, term_list *list);

/* Reads a part of its own, inside an operator that numbers and offsets have no place in. */
static bool read_inner(const reading *r, gb_syntax *part, term_list *list)
{
    const reading inner = {.f = r->f};
    return read_terms(&inner, part, list);
}

static bool read_one(const reading *r, gb_syntax *part, const char *column, term_list *list)
{
    gb_syntax *expression = part;
    if (column) { /* one of those that "." stands for */
        expression = gb_formula_keep(r->f, 1, sizeof *expression);
        if (!expression)
            return false;
        *expression = (gb_syntax){.kind = GB_SYNTAX_NAME, .text = column, .at = part->at, .depth = 1};
    }
    const int32_t index = gb_formula_variable_of(r->f, expression);
    const gb_term term = {.variable = {(uint32_t)index}, .count = 1, .at = part->at};
    if (index == GB_NO_VARIABLE)
        return false;
    if (index == r->f->outcome || index == r->f->failures)
        return reject(r, part, "this is the outcome, which cannot explain itself");
    return append(r, list, &term);
}

static bool read_dot(const reading *r, gb_syntax *part, term_list *list)
{
    for (size_t i = 0; i < r->f->dots; i++)
        if (!read_one(r, part, r->f->dot[i], list))
            return false;
    return r->f->dots > 0 || reject(r, part, ". stands for all other columns, and there are none");
}

static bool read_number(const reading *r, const gb_syntax *part)
{
    const bool is_one = part->number == 1, is_known = is_one || part->number == 0;
    if (!is_known || !r->is_plain)
        return reject(r, part,
                      "only 1 (with an intercept) and 0 or -1 (without) stand as terms; a number in a "
                      "calculation stands in a function, such as I(x + 2)");
    r->f->has_intercept = is_one != r->is_minus;
    return true;
}

static bool read_offset(const reading *r, const gb_syntax *call)
{
    gb_formula *const f = r->f;
    if (!r->is_plain || r->is_minus)
        return reject(r, call, "an offset can only be added");
    if (call->arguments != 1 || call->first->label)
        return reject(r, call, "an offset is of one column or one calculation");
    const int32_t index = gb_formula_variable_of(f, call->first);
    if (index == GB_NO_VARIABLE)
        return false;
    if (!GB_LIST_GROW(&f->memory, &f->offsets, 1))
        return gb_formula_out_of_memory(f);
    f->offsets.at[f->offsets.count++] = (uint32_t)index;
    return true;
}

/* a*b is a + b + a:b, and a/b is a + a:b. */
static bool read_pair(const reading *r, gb_syntax *part, term_list *list)
{
    term_list left = {0}, right = {0}, all = {0};
    bool is_fine = read_inner(r, part->first, &left) && read_inner(r, part->first->next, &right);
    const bool is_over = part->op == GB_OPERATOR_OVER;
    if (is_fine && part->op != GB_OPERATOR_COLON)
        is_fine = append_all(r, list, &left);
    if (is_fine && part->op == GB_OPERATOR_TIMES)
        is_fine = append_all(r, list, &right);
    gb_term whole = {.at = part->at};
    for (size_t i = 0; is_fine && is_over && i < left.count; i++) {
        gb_term joined;
        is_fine = join(r, &whole, &left.at[i], &joined);
        whole = joined;
    }
    is_fine = is_fine && (!is_over || append(r, &all, &whole));
    is_fine = is_fine && append_joined(r, list, is_over ? &all : &left, &right);
    gb_memory_release(&r->f->memory, left.at);
    gb_memory_release(&r->f->memory, right.at);
    gb_memory_release(&r->f->memory, all.at);
    return is_fine;
}

/* (a + b)^2 has all terms and their interactions of two. */
static bool read_power(const reading *r, gb_syntax *part, term_list *list)
{
    gb_syntax *const exponent = gb_syntax_inside(part->first->next);
    term_list base = {0}, power = {0};
    if (exponent->kind != GB_SYNTAX_NUMBER || exponent->number < 1 || exponent->number > GB_MOST_ORDER ||
        exponent->number != floor(exponent->number))
        return reject(r, exponent,
                      "the power of terms is a whole number from 1 to 8; that of a column stands "
                      "in I(), as in I(x^2)");
    bool is_fine = read_inner(r, part->first, &base) && append_all(r, &power, &base);
    if (is_fine && base.count == 1)
        is_fine = reject(r, part, "the power of one term is the term itself; its square is I(x^2)");
    for (int i = 1; is_fine && i < (int)exponent->number; i++) {
        term_list next = {0};
        is_fine = append_joined(r, &next, &power, &base);
        gb_memory_release(&r->f->memory, power.at);
        power = next;
    }
    is_fine = is_fine && append_all(r, list, &power);
    gb_memory_release(&r->f->memory, base.at);
    gb_memory_release(&r->f->memory, power.at);
    return is_fine;
}

static bool remove_terms(const reading *r, const gb_syntax *part, term_list *list, const term_list *removed)
{
    for (size_t i = 0; i < removed->count; i++) {
        size_t at = 0;
        while (at < list->count && !is_same(&list->at[at], &removed->at[i]))
            at++;
        if (at == list->count)
            return reject(r, part, "a term is removed here that is not there before");
        list->count--;
        memmove(&list->at[at], &list->at[at + 1], (list->count - at) * sizeof *list->at);
    }
    return true;
}

/* The left argument may be missing, as in "~ -1 + x". */
static bool read_minus(const reading *r, gb_syntax *part, term_list *list)
{
    term_list kept = {0}, removed = {0};
    reading right = *r;
    right.is_minus = !r->is_minus;
    gb_syntax *const last = part->arguments == 2 ? part->first->next : part->first;
    const bool is_fine = (part->arguments == 1 || read_terms(r, part->first, &kept)) &&
                         read_terms(&right, last, &removed) && remove_terms(r, last, &kept, &removed) &&
                         append_all(r, list, &kept);
    gb_memory_release(&r->f->memory, kept.at);
    gb_memory_release(&r->f->memory, removed.at);
    return is_fine;
}

static bool read_operator(const reading *r, gb_syntax *part, term_list *list)
{
    switch (part->op) {
    case GB_OPERATOR_PLUS:
        return read_terms(r, part->first, list) &&
               (part->arguments == 1 || read_terms(r, part->first->next, list));
    case GB_OPERATOR_MINUS: return read_minus(r, part, list);
    case GB_OPERATOR_TIMES:
    case GB_OPERATOR_OVER:
    case GB_OPERATOR_COLON: return read_pair(r, part, list);
    case GB_OPERATOR_POWER: return read_power(r, part, list);
    case GB_OPERATOR_TILDE: return reject(r, part, "there is a second ~");
    case GB_OPERATOR_BAR:
        return reject(
            r, part,
            "terms of groups, such as (1 | g), are not understood: an analysis has .group = \"g\" in "
            "the place of (1 | g); write other hierarchies as latents of the model");
    default: return read_one(r, part, NULL, list); /* a comparison */
    }
}

static bool read_terms(const reading *r, gb_syntax *part, term_list *list)
{
    switch (part->kind) {
    case GB_SYNTAX_NUMBER: return read_number(r, part);
    case GB_SYNTAX_FLAG: return reject(r, part, "this is no term");
    case GB_SYNTAX_GROUP: return read_terms(r, part->first, list);
    case GB_SYNTAX_OPERATOR: return read_operator(r, part, list);
    case GB_SYNTAX_CALL:
        if (gb_syntax_calls(part, "offset"))
            return read_offset(r, part);
        return read_one(r, part, NULL, list);
    case GB_SYNTAX_NAME: break;
    }
    return strcmp(part->text, ".") == 0 ? read_dot(r, part, list) : read_one(r, part, NULL, list);
}

bool gb_formula_terms(gb_formula *f, gb_syntax *right)
{
    const reading whole = {.f = f, .is_plain = true};
    term_list found = {0};
    f->has_intercept = true;
    bool is_fine = read_terms(&whole, right, &found);
    for (uint32_t order = 1; is_fine && order <= GB_MOST_ORDER; order++)
        for (size_t i = 0; i < found.count; i++)
            if (found.at[i].count == order) {
                if (!GB_LIST_GROW(&f->memory, &f->terms, 1)) {
                    is_fine = gb_formula_out_of_memory(f);
                    break;
                }
                f->terms.at[f->terms.count++] = found.at[i];
            }
    gb_memory_release(&f->memory, found.at);
    return is_fine;
}
