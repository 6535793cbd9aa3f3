/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/formula/functions_impl.h"

#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"

enum { MOST_DEGREE = 1000 };

static double expit(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

static double logit(double p)
{
    return log(p) - log1p(-p);
}

static const gb_function functions[] = {
    {"I", GB_FUNCTION_SAME, NULL},
    {"exp", GB_FUNCTION_OF_NUMBER, exp},
    {"expm1", GB_FUNCTION_OF_NUMBER, expm1},
    {"log", GB_FUNCTION_LOG, log},
    {"log2", GB_FUNCTION_OF_NUMBER, log2},
    {"log10", GB_FUNCTION_OF_NUMBER, log10},
    {"log1p", GB_FUNCTION_OF_NUMBER, log1p},
    {"sqrt", GB_FUNCTION_OF_NUMBER, sqrt},
    {"abs", GB_FUNCTION_OF_NUMBER, fabs},
    {"sin", GB_FUNCTION_OF_NUMBER, sin},
    {"cos", GB_FUNCTION_OF_NUMBER, cos},
    {"tan", GB_FUNCTION_OF_NUMBER, tan},
    {"tanh", GB_FUNCTION_OF_NUMBER, tanh},
    {"floor", GB_FUNCTION_OF_NUMBER, floor},
    {"ceiling", GB_FUNCTION_OF_NUMBER, ceil},
    {"plogis", GB_FUNCTION_OF_NUMBER, expit},
    {"qlogis", GB_FUNCTION_OF_NUMBER, logit},
    {"scale", GB_FUNCTION_SCALE, NULL},
    {"standardise", GB_FUNCTION_SCALE, NULL},
    {"standardize", GB_FUNCTION_SCALE, NULL},
    {"centre", GB_FUNCTION_SCALE, NULL},
    {"center", GB_FUNCTION_SCALE, NULL},
    {"poly", GB_FUNCTION_POLY, NULL},
    {"factor", GB_FUNCTION_FACTOR, NULL},
    {"as.factor", GB_FUNCTION_FACTOR, NULL},
    {"offset", GB_FUNCTION_PLACE, NULL},
    {"cbind", GB_FUNCTION_PLACE, NULL},
    {"trials", GB_FUNCTION_PLACE, NULL},
    {"weights", GB_FUNCTION_PLACE, NULL},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

const gb_function *gb_function_find(const char *name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

/* ---- arguments ---- */

/* The names of arguments, which NULL ends. */
static const char *const one_label[] = {"x", NULL}, *const log_labels[] = {"x", "base", NULL},
                         *const poly_labels[] = {"x", "degree", "raw", NULL},
                         *const scale_labels[] = {"x", "center", "scale", NULL};

static gb_syntax *labelled(const gb_syntax *call, const char *label)
{
    gb_syntax *a = call->first;
    while (a && !(a->label && strcmp(a->label, label) == 0))
        a = a->next;
    return a;
}

/* Returns an argument as R matches them: by its name, or else by its place among those that have none. */
static gb_syntax *argument(const gb_syntax *call, const char *const *labels, size_t index)
{
    size_t place = 0;
    gb_syntax *a = labelled(call, labels[index]);
    if (a)
        return a;
    for (size_t i = 0; i < index; i++)
        place += !labelled(call, labels[i]);
    for (a = call->first; a; a = a->next)
        if (!a->label && place-- == 0)
            return a;
    return NULL;
}

gb_poly_call gb_poly_call_of(const gb_syntax *call)
{
    const gb_syntax *const degree = argument(call, poly_labels, 1), *const raw = labelled(call, "raw");
    return (gb_poly_call){.x = argument(call, poly_labels, 0),
                          .degree = degree ? (size_t)degree->number : 1,
                          .raw = raw && raw->number > 0};
}

gb_log_call gb_log_call_of(const gb_syntax *call)
{
    return (gb_log_call){.x = argument(call, log_labels, 0), .base = argument(call, log_labels, 1)};
}

gb_scale_call gb_scale_call_of(const gb_syntax *call)
{
    const bool only_centres = call->text[0] == 'c';
    const gb_syntax *const centre = argument(call, scale_labels, 1), *const scale =
                                                                         argument(call, scale_labels, 2);
    return (gb_scale_call){.x = argument(call, scale_labels, 0),
                           .centre = !centre || centre->number > 0,
                           .scale = !only_centres && (!scale || scale->number > 0)};
}

/* ---- checks ---- */

static bool reject(const gb_formula_text *f, const gb_syntax *at, const char *words)
{
    return gb_formula_fail(f, at->at, GB_EARGUMENT, "%s", words);
}

static bool unknown_function(const gb_formula_text *f, const gb_syntax *call)
{
    const char *names[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++)
        names[i] = functions[i].name;
    const char *const nearest = gb_nearest_text(call->text, FUNCTIONS, names);
    return gb_formula_fail(f, call->at, GB_ENAME, "there is no function %.60s%s%s%s", call->text,
                           nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* The arguments' names are among `labels`, which NULL ends; the first is that of the numbers. */
static bool check_labels(const gb_formula_text *f, const gb_syntax *call, const char *const *labels)
{
    size_t count = 0;
    while (labels[count])
        count++;
    for (const gb_syntax *a = call->first; a; a = a->next) {
        size_t i = 0;
        while (a->label && i < count && strcmp(labels[i], a->label) != 0)
            i++;
        if (i == count)
            return gb_formula_fail(f, a->label_at, GB_ENAME, "%s has no argument %.60s", call->text,
                                   a->label);
        for (const gb_syntax *b = call->first; a->label && b != a; b = b->next)
            if (b->label && strcmp(a->label, b->label) == 0)
                return gb_formula_fail(f, a->label_at, GB_ENAME, "the argument %.60s stands here twice",
                                       a->label);
    }
    if (call->arguments <= count && argument(call, labels, 0))
        return true;
    return count == 1
               ? gb_formula_fail(f, call->at, GB_EARGUMENT, "%s has one argument, and here are %u",
                                 call->text, call->arguments)
               : gb_formula_fail(f, call->at, GB_EARGUMENT, "%s has 1 to %zu arguments, and here are %u",
                                 call->text, count, call->arguments);
}

static bool check_flag(const gb_formula_text *f, const gb_syntax *flag)
{
    return !flag || flag->kind == GB_SYNTAX_FLAG || reject(f, flag, "this is TRUE or FALSE");
}

static bool check_poly(const gb_formula_text *f, const gb_syntax *call)
{
    if (!check_labels(f, call, poly_labels))
        return false;
    const gb_syntax *const degree = argument(call, poly_labels, 1), *const raw =
                                                                        argument(call, poly_labels, 2);
    if (degree && (degree->kind != GB_SYNTAX_NUMBER || degree->number < 1 || degree->number > MOST_DEGREE ||
                   degree->number != floor(degree->number)))
        return reject(f, degree,
                      "the degree is a whole number from 1 to 1000 (poly has one column, not several)");
    if (raw && !raw->label)
        return reject(f, raw, "poly has a column and a degree; write raw = TRUE for plain powers");
    return check_flag(f, raw);
}

static bool check_scale(const gb_formula_text *f, const gb_syntax *call)
{
    const bool has_flags = strcmp(call->text, "scale") == 0;
    return check_labels(f, call, has_flags ? scale_labels : one_label) &&
           check_flag(f, argument(call, scale_labels, 1)) && check_flag(f, argument(call, scale_labels, 2));
}

static bool check(const gb_formula_text *f, gb_syntax *part, bool is_whole);

static bool check_call(const gb_formula_text *f, gb_syntax *call, bool is_whole)
{
    const gb_function *const function = gb_function_find(call->text);
    if (!function)
        return unknown_function(f, call);
    switch (function->kind) {
    case GB_FUNCTION_OF_NUMBER:
    case GB_FUNCTION_SAME: return check_labels(f, call, one_label) && check(f, call->first, false);
    case GB_FUNCTION_LOG:
        if (!check_labels(f, call, log_labels))
            return false;
        break;
    case GB_FUNCTION_SCALE: return check_scale(f, call) && check(f, gb_scale_call_of(call).x, false);
    case GB_FUNCTION_POLY:
        return (is_whole || reject(f, call, "poly has several columns, and stands as a term of its own")) &&
               check_poly(f, call) && check(f, gb_poly_call_of(call).x, false);
    case GB_FUNCTION_FACTOR:
        if (!is_whole || !check_labels(f, call, one_label) || call->first->kind != GB_SYNTAX_NAME)
            return reject(f, call,
                          "a factor is made of one column, and stands as a term of its own; "
                          ".factors says its levels");
        return true;
    case GB_FUNCTION_PLACE:
        return reject(
            f, call,
            strcmp(call->text, "offset") == 0
                ? "an offset stands as a term of its own"
                : "this stands left of ~ only: cbind(successes, failures), y | trials(n) + weights(w)");
    }
    for (gb_syntax *a = call->first; a; a = a->next)
        if (!check(f, a, false))
            return false;
    return true;
}

static bool check_operator(const gb_formula_text *f, gb_syntax *part)
{
    if (part->op == GB_OPERATOR_COLON || part->op == GB_OPERATOR_TILDE)
        return reject(f, part, "this operator has no meaning in a calculation");
    for (gb_syntax *a = part->first; a; a = a->next)
        if (!check(f, a, false))
            return false;
    return true;
}

static bool check(const gb_formula_text *f, gb_syntax *part, bool is_whole)
{
    switch (part->kind) {
    case GB_SYNTAX_NUMBER:
    case GB_SYNTAX_FLAG: return true;
    case GB_SYNTAX_GROUP: return check(f, part->first, false);
    case GB_SYNTAX_OPERATOR: return check_operator(f, part);
    case GB_SYNTAX_CALL: return check_call(f, part, is_whole);
    case GB_SYNTAX_NAME: break;
    }
    return strcmp(part->text, ".") != 0 ||
           reject(f, part, ". stands for all other columns as terms, and not in a calculation");
}

bool gb_expression_check(const gb_formula_text *f, gb_syntax *part)
{
    return check(f, part, true);
}

/* ---- questions ---- */

size_t gb_expression_width(const gb_syntax *part)
{
    return gb_syntax_calls(part, "poly") ? gb_poly_call_of(part).degree : 1;
}

bool gb_expression_is_logical(const gb_syntax *part)
{
    if (part->kind == GB_SYNTAX_FLAG)
        return true;
    if (part->kind == GB_SYNTAX_GROUP || gb_syntax_calls(part, "I"))
        return gb_expression_is_logical(part->first);
    return part->kind == GB_SYNTAX_OPERATOR && part->op >= GB_OPERATOR_LESS_EQUAL &&
           part->op <= GB_OPERATOR_BAR;
}

bool gb_expression_makes_factor(const gb_syntax *part)
{
    return gb_syntax_calls(part, "factor") || gb_syntax_calls(part, "as.factor");
}

gb_syntax *gb_expression_column(gb_syntax *part)
{
    if (gb_expression_makes_factor(part))
        return part->first;
    return part->kind == GB_SYNTAX_NAME ? part : NULL;
}
