/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a formula with the precedence of R's operators, and writes parts of it as R does. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/formula/syntax_impl.h"

enum {
    MOST_DEPTH = 1000,
    LONGEST = 1 << 16,
    MOST_ARGUMENTS = 8,
    PREFIX_SIGN = 13,
    PREFIX_NOT = 7,
    LOOSEST = 1
};

/* How an operator between two arguments binds; the higher, the closer. */
static const struct {
    const char *text, *written;
    int binds;
} operators[] = {
    [GB_OPERATOR_POWER] = {"^", "^", 14},
    [GB_OPERATOR_COLON] = {":", ":", 12},
    [GB_OPERATOR_MODULO] = {"%%", "%%", 11},
    [GB_OPERATOR_QUOTIENT] = {"%/%", "%/%", 11},
    [GB_OPERATOR_TIMES] = {"*", " * ", 10},
    [GB_OPERATOR_OVER] = {"/", "/", 10},
    [GB_OPERATOR_PLUS] = {"+", " + ", 9},
    [GB_OPERATOR_MINUS] = {"-", " - ", 9},
    [GB_OPERATOR_LESS_EQUAL] = {"<=", " <= ", 8},
    [GB_OPERATOR_GREATER_EQUAL] = {">=", " >= ", 8},
    [GB_OPERATOR_EQUAL] = {"==", " == ", 8},
    [GB_OPERATOR_UNEQUAL] = {"!=", " != ", 8},
    [GB_OPERATOR_LESS] = {"<", " < ", 8},
    [GB_OPERATOR_GREATER] = {">", " > ", 8},
    [GB_OPERATOR_NOT] = {"!", "!", 0},
    [GB_OPERATOR_AND] = {"&", " & ", 6},
    [GB_OPERATOR_BAR] = {"|", " | ", 5},
    [GB_OPERATOR_TILDE] = {"~", " ~ ", LOOSEST},
};

typedef struct parser {
    const gb_formula_text *formula;
    gb_arena *arena;
    const char *at;
    unsigned depth;
} parser;

static size_t place(const parser *p)
{
    return (size_t)(p->at - p->formula->text);
}

static bool starts_name(const char *c)
{
    return isalpha((unsigned char)*c) || (unsigned char)*c >= 0x80 ||
           (*c == '.' && !isdigit((unsigned char)c[1]));
}

static size_t name_length(const char *c)
{
    size_t length = 0;
    while (isalnum((unsigned char)c[length]) || (unsigned char)c[length] >= 0x80 || c[length] == '.' ||
           c[length] == '_')
        length++;
    return length;
}

static bool is_plain(const char *name)
{
    return starts_name(name) && name_length(name) == strlen(name);
}

/* Returns the unusual column whose name stands around the place where reading ended, without backticks. */
static const char *unquoted_column(const parser *p)
{
    const char *const text = p->formula->text;
    for (size_t i = 0; i < p->formula->columns; i++) {
        const char *const name = p->formula->column[i];
        const size_t length = strlen(name);
        for (const char *c = is_plain(name) ? NULL : strstr(text, name); c; c = strstr(c + 1, name))
            if (c <= p->at && p->at <= c + length && (c == text || c[-1] != '`'))
                return name;
    }
    return NULL;
}

static gb_syntax *reject(const parser *p, const char *words)
{
    char written[GB_WRITTEN_NAME];
    const char *const column = unquoted_column(p);
    if (column)
        gb_formula_fail(p->formula, place(p), GB_EARGUMENT, "%s; the column is written %s, in backticks",
                        words, gb_written_name(column, written));
    else
        gb_formula_fail(p->formula, place(p), GB_EARGUMENT, "%s", words);
    return NULL;
}

static void skip_space(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static gb_syntax *make(const parser *p, gb_syntax_kind kind, size_t at)
{
    gb_syntax *const made = gb_arena_take(p->arena, sizeof *made);
    if (!made)
        gb_fail(p->formula->tape, GB_ENOMEM, "formula: out of memory");
    else
        *made = (gb_syntax){.kind = kind, .op = GB_OPERATOR_NONE, .at = at, .depth = 1};
    return made;
}

/* Appends an argument; the parent is then deeper than it. Returns NULL if either is NULL, or too deep. */
static gb_syntax *with(const parser *p, gb_syntax *parent, gb_syntax *argument)
{
    if (!parent || !argument)
        return NULL;
    gb_syntax **last = &parent->first;
    while (*last)
        last = &(*last)->next;
    *last = argument;
    parent->arguments++;
    if (parent->depth <= argument->depth)
        parent->depth = argument->depth + 1;
    if (parent->depth <= MOST_DEPTH)
        return parent;
    gb_formula_fail(p->formula, parent->at, GB_ELIMIT,
                    "more than %d operators are nested (. stands for all other columns)", MOST_DEPTH);
    return NULL;
}

/* Returns the operator here, or GB_OPERATOR_NONE. && and || mean the same as & and |. */
static gb_operator operator_here(const parser *p, size_t *length)
{
    for (int i = 0; i < GB_OPERATOR_NONE; i++) {
        *length = strlen(operators[i].text);
        if (strncmp(p->at, operators[i].text, *length) != 0)
            continue;
        *length += (i == GB_OPERATOR_AND || i == GB_OPERATOR_BAR) && p->at[1] == p->at[0];
        return (gb_operator)i;
    }
    return GB_OPERATOR_NONE;
}

static char *kept_text(const parser *p, const char *from, size_t length)
{
    char *const text = gb_arena_take(p->arena, length + 1);
    if (!text)
        gb_fail(p->formula->tape, GB_ENOMEM, "formula: out of memory");
    return text ? memcpy(text, from, length) : NULL;
}

static gb_syntax *read_number(parser *p)
{
    gb_syntax *const number = make(p, GB_SYNTAX_NUMBER, place(p));
    size_t length = strspn(p->at, "0123456789.");
    const size_t mark = length + (p->at[length] == 'e' || p->at[length] == 'E');
    const size_t sign = mark + (p->at[mark] == '+' || p->at[mark] == '-');
    if (mark > length && isdigit((unsigned char)p->at[sign]))
        length = sign + strspn(p->at + sign, "0123456789");
    if (!number)
        return NULL;
    if (name_length(p->at + length) > 0 || !gb_text_number(p->at, length, &number->number))
        return reject(p, "this is no number");
    p->at += length;
    return number;
}

static gb_syntax *read_quoted(parser *p)
{
    const char *const end = strchr(p->at + 1, '`');
    if (!end || end == p->at + 1)
        return reject(p, end ? "the name between these backticks is empty" : "the second ` is missing");
    gb_syntax *const name = make(p, GB_SYNTAX_NAME, place(p));
    if (name)
        name->text = kept_text(p, p->at + 1, (size_t)(end - p->at - 1));
    p->at = end + 1;
    return name && name->text ? name : NULL;
}

static gb_syntax *read_expression(parser *p, int binds);

/* Reads "NAME = " before an argument. */
static const char *read_label(parser *p)
{
    const char *const before = p->at;
    const size_t length = starts_name(p->at) ? name_length(p->at) : 0;
    p->at += length;
    skip_space(p);
    if (length > 0 && *p->at == '=' && p->at[1] != '=') {
        p->at++;
        return kept_text(p, before, length);
    }
    p->at = before;
    return NULL;
}

static gb_syntax *read_arguments(parser *p, gb_syntax *call)
{
    p->at++;
    for (skip_space(p); call && *p->at != ')'; skip_space(p)) {
        if (call->first && *p->at++ != ',') {
            p->at--;
            return reject(p, *p->at ? "a comma or ) is expected here" : "a ) is missing at the end");
        }
        skip_space(p);
        if (call->arguments == MOST_ARGUMENTS)
            return reject(p, "no function has so many arguments");
        const size_t label_at = place(p);
        const char *const label = read_label(p);
        gb_syntax *const argument = read_expression(p, LOOSEST);
        if (argument) {
            argument->label = label;
            argument->label_at = label_at;
        }
        call = with(p, call, argument);
    }
    p->at++;
    return call;
}

static gb_syntax *read_name(parser *p)
{
    static const char *const flags[] = {"FALSE", "TRUE", "F", "T"};
    const size_t length = name_length(p->at);
    gb_syntax *const name = make(p, GB_SYNTAX_NAME, place(p));
    if (!name || !(name->text = kept_text(p, p->at, length)))
        return NULL;
    p->at += length;
    skip_space(p);
    if (*p->at == '(') {
        name->kind = GB_SYNTAX_CALL;
        return read_arguments(p, name);
    }
    for (int i = 0; i < 4; i++)
        if (strcmp(name->text, flags[i]) == 0) {
            name->kind = GB_SYNTAX_FLAG;
            name->number = i % 2;
        }
    return name;
}

static gb_syntax *read_group(parser *p)
{
    gb_syntax *const group = make(p, GB_SYNTAX_GROUP, place(p));
    p->at++;
    gb_syntax *const whole = with(p, group, read_expression(p, LOOSEST));
    if (whole && *p->at != ')') {
        return reject(p, *p->at ? "an operator or ) is expected here" : "a ) is missing at the end");
    }
    p->at++;
    return whole;
}

static gb_syntax *read_prefix(parser *p, gb_operator sign)
{
    gb_syntax *const prefix = make(p, GB_SYNTAX_OPERATOR, place(p));
    if (prefix)
        prefix->op = sign;
    p->at++;
    return with(p, prefix,
                read_expression(p, sign == GB_OPERATOR_NOT     ? PREFIX_NOT
                                   : sign == GB_OPERATOR_TILDE ? LOOSEST + 1
                                                               : PREFIX_SIGN));
}

static gb_syntax *read_first(parser *p)
{
    size_t length;
    skip_space(p);
    const gb_operator sign = operator_here(p, &length);
    if (sign == GB_OPERATOR_PLUS || sign == GB_OPERATOR_MINUS || sign == GB_OPERATOR_NOT ||
        sign == GB_OPERATOR_TILDE)
        return read_prefix(p, sign);
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return read_number(p);
    if (*p->at == '`')
        return read_quoted(p);
    if (*p->at == '(')
        return read_group(p);
    if (starts_name(p->at))
        return read_name(p);
    if (*p->at == '"' || *p->at == '\'')
        return reject(p, "texts in quotes are not understood; an unusual name stands in `backticks`");
    return reject(p, *p->at ? "a column, a number or a function is expected here"
                            : "the formula ends where a column, a number or a function is expected");
}

/* Reads operators that bind at least so closely. ^ and what stands right of it are read from the right. */
static gb_syntax *read_rest(parser *p, gb_syntax *left, int binds)
{
    for (skip_space(p); left; skip_space(p)) {
        size_t length;
        const gb_operator sign = operator_here(p, &length);
        if (sign == GB_OPERATOR_NONE || operators[sign].binds < binds)
            break;
        gb_syntax *const both = make(p, GB_SYNTAX_OPERATOR, place(p));
        p->at += length;
        gb_syntax *const right = read_expression(p, operators[sign].binds + (sign != GB_OPERATOR_POWER));
        if (both)
            both->op = sign;
        left = with(p, with(p, both, left), right);
    }
    return left;
}

/* The parser itself is not nested more deeply than the tree may be. */
static gb_syntax *read_expression(parser *p, int binds)
{
    if (++p->depth > MOST_DEPTH)
        return reject(p, "too many parentheses or signs are nested here");
    gb_syntax *const left = read_first(p);
    gb_syntax *const whole = left ? read_rest(p, left, binds) : NULL;
    p->depth--;
    return whole;
}

gb_syntax *gb_formula_parse(const gb_formula_text *formula, gb_arena *arena)
{
    parser p = {.formula = formula, .arena = arena, .at = formula->text};
    if (strnlen(formula->text, LONGEST + 1) > LONGEST) {
        gb_fail(formula->tape, GB_ELIMIT,
                "formula: it has more than %d bytes (. stands for all other columns)", LONGEST);
        return NULL;
    }
    skip_space(&p);
    if (!*p.at)
        return reject(&p, "it is empty; write \"y ~ a + b\"");
    gb_syntax *const whole = read_expression(&p, LOOSEST);
    if (whole && *p.at)
        return reject(&p, "an operator is expected here");
    return whole;
}

/* ---- writing ---- */

const char *gb_written_name(const char *name, char text[GB_WRITTEN_NAME])
{
    const char *const around = is_plain(name) ? "" : "`";
    snprintf(text, GB_WRITTEN_NAME, "%s%.80s%s", around, name, around);
    return text;
}

static void write_arguments(const gb_syntax *call, gb_packing *text)
{
    for (const gb_syntax *a = call->first; a; a = a->next) {
        if (a->label) {
            gb_text_add(text, a->label);
            gb_text_add(text, " = ");
        }
        gb_syntax_write(a, text);
        gb_text_add(text, a->next ? ", " : "");
    }
}

static void write_operator(const gb_syntax *part, gb_packing *text)
{
    if (part->arguments == 1)
        gb_text_add(text, operators[part->op].text);
    gb_syntax_write(part->first, text);
    if (part->arguments < 2)
        return;
    gb_text_add(text, operators[part->op].written);
    gb_syntax_write(part->first->next, text);
}

void gb_syntax_write(const gb_syntax *part, gb_packing *text)
{
    char number[GB_R_NUMBER_TEXT];
    const char *const around =
        part->kind == GB_SYNTAX_NAME && !is_plain(part->text) ? "`" : ""; /* an unusual name */
    switch (part->kind) {
    case GB_SYNTAX_NUMBER: gb_text_add(text, gb_r_number(part->number, number)); break;
    case GB_SYNTAX_OPERATOR: write_operator(part, text); break;
    case GB_SYNTAX_GROUP:
        gb_text_add(text, "(");
        gb_syntax_write(part->first, text);
        gb_text_add(text, ")");
        break;
    case GB_SYNTAX_FLAG:
    case GB_SYNTAX_NAME:
        gb_text_add(text, around);
        gb_text_add(text, part->text);
        gb_text_add(text, around);
        break;
    case GB_SYNTAX_CALL:
        gb_text_add(text, part->text);
        gb_text_add(text, "(");
        write_arguments(part, text);
        gb_text_add(text, ")");
        break;
    }
}

gb_syntax *gb_syntax_inside(gb_syntax *part)
{
    while (part->kind == GB_SYNTAX_GROUP)
        part = part->first;
    return part;
}

bool gb_syntax_is(const gb_syntax *part, gb_operator which)
{
    return part->kind == GB_SYNTAX_OPERATOR && part->op == which;
}

bool gb_syntax_calls(const gb_syntax *part, const char *function)
{
    return part->kind == GB_SYNTAX_CALL && strcmp(part->text, function) == 0;
}
