/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The levels of factors: made from the rows of the training, and found again in others. */
#include <stdlib.h>
#include <string.h>

#include "core/ground/names_impl.h"
#include "core/ground/text_impl.h"
#include "data/design/contrasts_impl.h"
#include "data/design/evaluate_impl.h"
#include "data/formula/functions_impl.h"
#include "data/table/names_impl.h"

/* A text for each code, and a code for each row. */
typedef struct coded {
    const char *const *text;
    size_t count;
    const uint32_t *code;
    bool are_texts;
} coded;

/* ---- what stands in the rows ---- */

static bool code_texts(const gb_evaluation *e, const gb_table_column *column, coded *c)
{
    uint32_t *const code = gb_evaluation_take(e, e->rows, sizeof *code);
    for (size_t i = 0; code && i < e->rows; i++)
        code[i] = (uint32_t)column->level[e->row[i]];
    *c = (coded){.text = column->levels, .count = column->level_count, .code = code, .are_texts = true};
    return code != NULL;
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const char *text_of(const gb_evaluation *e, double number, bool is_logical)
{
    char text[GB_R_NUMBER_TEXT];
    const char *const kept =
        is_logical ? (number > 0 ? "TRUE" : "FALSE") : gb_arena_text(e->scratch, gb_r_number(number, text));
    if (!kept)
        gb_formula_out_of_memory(e->formula);
    return kept;
}

/* Numbers are in ascending order. */
static bool code_numbers(const gb_evaluation *e, const double *x, bool is_logical, coded *c)
{
    double *const sorted = gb_evaluation_take(e, e->rows, sizeof *sorted);
    uint32_t *const code = gb_evaluation_take(e, e->rows, sizeof *code);
    size_t count = 0;
    if (!sorted || !code)
        return false;
    memcpy(sorted, x, e->rows * sizeof *x);
    qsort(sorted, e->rows, sizeof *sorted, by_number);
    for (size_t i = 0; i < e->rows; i++)
        if (count == 0 || sorted[i] > sorted[count - 1])
            sorted[count++] = sorted[i];
    const char **const text = gb_evaluation_take(e, count, sizeof *text);
    for (size_t i = 0; text && i < count; i++)
        if (!(text[i] = text_of(e, sorted[i], is_logical)))
            return false;
    for (size_t i = 0; i < e->rows && count > 0; i++) {
        const double *const found = bsearch(&x[i], sorted, count, sizeof *sorted, by_number);
        code[i] = (uint32_t)(found - sorted);
    }
    *c = (coded){.text = text, .count = count, .code = code};
    return text != NULL;
}

static bool code_rows(const gb_evaluation *e, gb_formula_variable *v, coded *c)
{
    gb_syntax *const name = gb_expression_column(v->expression);
    const gb_table_column *const column = name ? gb_column_for(e->formula, e->table, name) : NULL;
    if (name && !column)
        return false;
    if (column && column->level)
        return code_texts(e, column, c);
    gb_formula_variable numbers = *v;
    if (name)
        numbers.expression = name;
    const double *const x = gb_evaluate(e, &numbers);
    return x && code_numbers(e, x, !name, c);
}

/* ---- which levels there are ---- */

typedef struct level_list {
    const char **level;
    size_t count;
} level_list;

static bool append(const gb_evaluation *e, level_list *list, const char *text, size_t length)
{
    char *const own = gb_formula_keep(e->formula, length + 1, 1);
    if (!own)
        return false;
    memcpy(own, text, length);
    list->level[list->count++] = own;
    return true;
}

/* Those that occur. Numbers that are written alike are one level. */
static bool list_occurring(const gb_evaluation *e, const coded *c, level_list *list)
{
    bool *const occurs = gb_evaluation_take(e, c->count, sizeof *occurs);
    list->level = gb_formula_keep(e->formula, c->count + 1, sizeof *list->level);
    if (!occurs || !list->level)
        return false;
    for (size_t i = 0; i < e->rows; i++)
        occurs[c->code[i]] = true;
    for (size_t i = 0; i < c->count; i++) {
        const bool is_new =
            occurs[i] && (list->count == 0 || strcmp(list->level[list->count - 1], c->text[i]) != 0);
        if (is_new && !append(e, list, c->text[i], strlen(c->text[i])))
            return false;
    }
    return true;
}

static bool list_logical(const gb_evaluation *e, level_list *list)
{
    list->level = gb_formula_keep(e->formula, 2, sizeof *list->level);
    return list->level && append(e, list, "FALSE", 5) && append(e, list, "TRUE", 4);
}

static bool reject_quotes(const gb_evaluation *e, const gb_factor_column *asked, gb_listed_name level)
{
    return gb_fail(e->formula->text.tape, GB_EARGUMENT,
                   "design: .levels of %.60s has %.*s, and a level in quotes ends with a quote and a comma; "
                   "there are no quotes in it",
                   asked->column, (int)(level.length < 60 ? level.length : 60), level.text) == GB_OK;
}

static bool list_asked(const gb_evaluation *e, const gb_factor_column *asked, level_list *list)
{
    size_t most = 1;
    for (const char *c = asked->levels; *c; c++)
        most += *c == ',';
    list->level = gb_formula_keep(e->formula, most, sizeof *list->level);
    const char *rest = asked->levels;
    for (gb_listed_name next; list->level && (next = gb_next_listed(&rest)).text;)
        if (next.is_half_quoted ? !reject_quotes(e, asked, next) : !append(e, list, next.text, next.length))
            return false;
    return list->level != NULL;
}

static bool move_base(const gb_evaluation *e, const gb_factor_column *asked, level_list *list)
{
    size_t at = 0;
    while (at < list->count && strcmp(list->level[at], asked->base) != 0)
        at++;
    if (at == list->count) {
        const char *const nearest = gb_nearest_text(asked->base, list->count, list->level);
        gb_fail(e->formula->text.tape, GB_ENAME,
                "design: .base of %.60s is %.60s, which is none of its %zu levels%s%.60s%s", asked->column,
                asked->base, list->count, nearest ? "; did you mean " : "", nearest ? nearest : "",
                nearest ? "?" : "");
        return false;
    }
    const char *const base = list->level[at];
    memmove(list->level + 1, list->level, at * sizeof *list->level);
    list->level[0] = base;
    return true;
}

static bool make_levels(const gb_evaluation *e, gb_formula_variable *v, const gb_factor_column *asked,
                        const coded *c)
{
    level_list list = {0};
    const bool is_logical = gb_expression_column(v->expression) == NULL;
    if (asked && asked->levels ? !list_asked(e, asked, &list)
        : is_logical           ? !list_logical(e, &list)
                               : !list_occurring(e, c, &list))
        return false;
    if (asked && asked->base && !move_base(e, asked, &list))
        return false;
    v->levels.level = list.level;
    v->levels.count = list.count;
    v->levels.has_order = (asked && asked->levels) || !c->are_texts;
    return gb_contrasts_prepare(e->formula, v);
}

/* ---- which level each row has ---- */

static bool reject_level(const gb_evaluation *e, const gb_formula_variable *v, const coded *c, uint32_t code)
{
    char place[GB_TABLE_PLACE];
    size_t i = 0;
    while (c->code[i] != code)
        i++;
    const char *const nearest = gb_nearest_text(c->text[code], v->levels.count, v->levels.level);
    gb_table_place(e->table, e->row[i], place);
    return gb_formula_fail(&e->formula->text, v->expression->at, GB_ENAME,
                           "%.60s is \"%.40s\" in %s, which is none of its %zu levels%s%s%.40s%s", v->text,
                           c->text[code], place, v->levels.count, e->learns ? "" : " of the training",
                           nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* Finds the level of each code. A code that no row has may have none. */
static bool find_levels(const gb_evaluation *e, const gb_formula_variable *v, const coded *c, uint32_t *level)
{
    gb_names names = {0};
    bool is_fine = true;
    for (uint32_t i = 0; is_fine && i < v->levels.count; i++)
        is_fine = gb_names_add(&e->formula->memory, &names, v->levels.level[i], i);
    for (size_t i = 0; is_fine && i < c->count; i++)
        if (!gb_names_find(&names, c->text[i], &level[i]))
            level[i] = UINT32_MAX;
    gb_memory_release(&e->formula->memory, names.at);
    return is_fine || gb_formula_out_of_memory(e->formula);
}

const uint32_t *gb_evaluate_levels(const gb_evaluation *e, gb_formula_variable *v,
                                   const gb_factor_column *asked)
{
    coded c;
    if (!code_rows(e, v, &c) || (e->learns && !make_levels(e, v, asked, &c)))
        return NULL;
    uint32_t *const of_code = gb_evaluation_take(e, c.count, sizeof *of_code);
    uint32_t *const level = gb_evaluation_take(e, e->rows, sizeof *level);
    if (!of_code || !level || !find_levels(e, v, &c, of_code))
        return NULL;
    for (size_t i = 0; i < e->rows; i++) {
        level[i] = of_code[c.code[i]];
        if (level[i] == UINT32_MAX) {
            reject_level(e, v, &c, c.code[i]);
            return NULL;
        }
    }
    return level;
}
