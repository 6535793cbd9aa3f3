/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of variables: calculations with columns, row by row. */
#include "data/design/evaluate_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/design/polynomial_impl.h"
#include "data/formula/functions_impl.h"
#include "data/standard/moments_impl.h"

static const double *value(const gb_evaluation *e, gb_syntax *part);

void *gb_evaluation_take(const gb_evaluation *e, size_t count, size_t each)
{
    void *const taken = count <= PTRDIFF_MAX / each ? gb_arena_take(e->scratch, (count + 1) * each) : NULL;
    if (!taken)
        gb_fail(e->formula->text.tape, GB_ENOMEM, "formula: out of memory for %zu rows", e->rows);
    return taken;
}

static double *room(const gb_evaluation *e)
{
    return gb_evaluation_take(e, e->rows, sizeof(double));
}

/* ---- columns ---- */

const char *gb_nearest_column(const gb_formula *f, const gb_table *table, const char *name)
{
    const size_t count = gb_table_columns(table);
    const char **const names = gb_memory_resize(&f->memory, NULL, (count + 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = gb_table_column_at(table, i)->name;
    const char *const nearest = names ? gb_nearest_text(name, count, names) : NULL;
    gb_memory_release(&f->memory, names);
    return nearest;
}

const gb_table_column *gb_column_for(const gb_formula *f, const gb_table *table, const gb_syntax *name)
{
    const gb_table_column *const found = gb_table_find(table, name->text);
    if (found)
        return found;
    char written[GB_WRITTEN_NAME];
    const char *const nearest = gb_nearest_column(f, table, name->text);
    gb_formula_fail(&f->text, name->at, GB_ENAME, "there is no column %.60s in %.60s%s%s%s", name->text,
                    gb_table_name(table), nearest ? "; did you mean " : "",
                    nearest ? gb_written_name(nearest, written) : "", nearest ? "?" : "");
    return NULL;
}

/* The first row whose text is no number, such as a stray "?"; 0 if all are numbers. */
static size_t first_text(const gb_evaluation *e, const gb_table_column *column)
{
    double number;
    for (size_t i = 0; i < e->rows; i++) {
        const char *const text = column->levels[column->level[e->row[i]]];
        if (!gb_text_number(text, strlen(text), &number))
            return i;
    }
    return 0;
}

static const double *column_value(const gb_evaluation *e, const gb_syntax *name)
{
    char place[GB_TABLE_PLACE];
    const gb_table_column *const column = gb_column_for(e->formula, e->table, name);
    if (column && column->number && e->has_all_rows)
        return column->number;
    double *const x = column ? room(e) : NULL;
    if (!x)
        return NULL;
    if (!column->number && e->rows > 0) { /* no cell is missing in these rows */
        const int64_t row = e->row[first_text(e, column)];
        gb_formula_fail(&e->formula->text, name->at, GB_ETYPE,
                        "numbers are needed here, and column %.60s has texts, such as \"%.40s\" in %s",
                        name->text, column->levels[column->level[row]], gb_table_place(e->table, row, place));
        return NULL;
    }
    for (size_t i = 0; i < e->rows; i++)
        x[i] = column->number[e->row[i]];
    return x;
}

/* ---- what cannot be calculated ---- */

enum { MOST_NAMED = 4 };

/* Finds the columns of a part that have numbers, each once, for messages. Returns how many there are. */
static size_t columns_of(const gb_evaluation *e, const gb_syntax *part, size_t count,
                         const gb_table_column *column[MOST_NAMED])
{
    for (const gb_syntax *a = part->first; a; a = a->next)
        count = columns_of(e, a, count, column);
    const gb_table_column *const own =
        part->kind == GB_SYNTAX_NAME ? gb_table_find(e->table, part->text) : NULL;
    bool is_new = own && own->number && count < MOST_NAMED;
    for (size_t i = 0; is_new && i < count; i++)
        is_new = column[i] != own;
    if (is_new)
        column[count++] = own;
    return count;
}

static bool reject_value(const gb_evaluation *e, const gb_syntax *part, size_t i, double x)
{
    char place[GB_TABLE_PLACE], number[GB_R_NUMBER_TEXT], where[60 * MOST_NAMED] = "";
    gb_text_writer w = {.text = where, .bytes = sizeof where};
    const gb_table_column *column[MOST_NAMED];
    const size_t count = columns_of(e, part, 0, column);
    for (size_t k = 0; k < count; k++) {
        gb_text_put(&w, k == 0 ? ", where " : k + 1 < count ? ", " : " and ");
        gb_text_put(&w, column[k]->name);
        gb_text_put(&w, " is ");
        gb_text_put(&w, gb_r_number(column[k]->number[e->row[i]], number));
    }
    return gb_formula_fail(&e->formula->text, part->at, GB_ENONFINITE, "this is %s in %s%s",
                           isnan(x) ? "not a number" : "infinite", gb_table_place(e->table, e->row[i], place),
                           where);
}

/* A comparison would hide that a number is none, so each step is looked at. */
static const double *checked(const gb_evaluation *e, const gb_syntax *part, const double *x)
{
    for (size_t i = 0; x && i < e->rows; i++)
        if (isnan(x[i])) {
            reject_value(e, part, i, x[i]);
            return NULL;
        }
    return x;
}

/* ---- calculations ---- */

static double modulo(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double calculate(gb_operator op, double a, double b)
{
    switch (op) {
    case GB_OPERATOR_POWER: return pow(a, b);
    case GB_OPERATOR_MODULO: return modulo(a, b);
    case GB_OPERATOR_QUOTIENT: return floor(a / b);
    case GB_OPERATOR_TIMES: return a * b;
    case GB_OPERATOR_OVER: return a / b;
    case GB_OPERATOR_PLUS: return a + b;
    case GB_OPERATOR_MINUS: return a - b;
    case GB_OPERATOR_LESS_EQUAL: return a <= b;
    case GB_OPERATOR_GREATER_EQUAL: return a >= b;
    case GB_OPERATOR_EQUAL: return a <= b && a >= b;
    case GB_OPERATOR_UNEQUAL: return a < b || a > b;
    case GB_OPERATOR_LESS: return a < b;
    case GB_OPERATOR_GREATER: return a > b;
    case GB_OPERATOR_AND: return (a < 0 || a > 0) && (b < 0 || b > 0);
    case GB_OPERATOR_BAR: return a < 0 || a > 0 || b < 0 || b > 0;
    default: return NAN;
    }
}

static double calculate_one(gb_operator op, double a)
{
    return op == GB_OPERATOR_NOT ? !(a < 0 || a > 0) : op == GB_OPERATOR_MINUS ? -a : a;
}

static const double *operator_value(const gb_evaluation *e, const gb_syntax *part)
{
    const double *const a = value(e, part->first), *const b = a && part->arguments == 2
                                                                  ? value(e, part->first->next)
                                                                  : a;
    double *const x = b ? room(e) : NULL;
    for (size_t i = 0; x && i < e->rows; i++)
        x[i] = part->arguments == 2 ? calculate(part->op, a[i], b[i]) : calculate_one(part->op, a[i]);
    return x;
}

static const double *constant_value(const gb_evaluation *e, double number)
{
    double *const x = room(e);
    for (size_t i = 0; x && i < e->rows; i++)
        x[i] = number;
    return x;
}

/* ---- functions that learn ---- */

static bool take_learned(const gb_evaluation *e, gb_syntax *call, size_t count)
{
    if (!e->learns)
        return call->learned_count == count;
    call->learned = gb_formula_keep(e->formula, count, sizeof *call->learned);
    call->learned_count = count;
    return call->learned != NULL;
}

/* The numbers to learn from, and how often each counts. `room` is for as many. */
typedef struct lesson {
    double *x, *weight, *room;
    size_t count;
} lesson;

/* Takes those of the rows that count; if none does, of all. */
static bool take_lesson(const gb_evaluation *e, const double *x, lesson *l)
{
    *l = (lesson){.x = room(e), .weight = room(e), .room = room(e)};
    if (!l->x || !l->weight || !l->room)
        return false;
    for (size_t i = 0; i < e->rows; i++) {
        const double counts = e->counts ? e->counts[e->row[i]] : 1;
        if (!(counts > 0))
            continue;
        l->x[l->count] = x[i];
        l->weight[l->count++] = counts;
    }
    for (size_t i = 0; l->count == 0 && i < e->rows; i++) {
        l->x[i] = x[i];
        l->weight[i] = 1;
    }
    l->count = l->count > 0 ? l->count : e->rows;
    return true;
}

/* As R's scale: without a centre, the root of the mean square takes the place of the standard deviation. */
static bool learn_scale(const gb_evaluation *e, const gb_syntax *call, const gb_scale_call *asked,
                        const double *x)
{
    double *const learned = call->learned;
    char number[GB_R_NUMBER_TEXT];
    lesson l;
    if (!take_lesson(e, x, &l))
        return false;
    const double *const weight = e->counts ? l.weight : NULL;
    learned[0] = asked->centre ? gb_mean_of_weighted(l.x, weight, l.count, l.room) : 0;
    learned[1] = 1;
    if (!isfinite(learned[0]))
        return gb_formula_fail(&e->formula->text, call->at, GB_ENONFINITE,
                               "the numbers are too far apart for their mean");
    if (!asked->scale)
        return true;
    learned[1] = gb_deviation_of_weighted(l.x, weight, l.count, learned[0], l.room);
    if (!isfinite(learned[1]))
        return gb_formula_fail(&e->formula->text, call->at, GB_ENONFINITE,
                               "the numbers are too far apart for their standard deviation");
    return !gb_is_by_rounding(l.x, l.count, learned[1]) ||
           gb_formula_fail(&e->formula->text, call->at, GB_EARGUMENT,
                           "the numbers have no standard deviation: they are %s in all %zu rows%s",
                           gb_r_number(l.x[0], number), l.count, e->counts ? " that count" : "");
}

static const double *scale_value(const gb_evaluation *e, gb_syntax *call)
{
    const gb_scale_call asked = gb_scale_call_of(call);
    const double *const x = value(e, asked.x);
    double *const scaled = x && take_learned(e, call, 2) ? room(e) : NULL;
    if (!scaled || (e->learns && !learn_scale(e, call, &asked, x)))
        return NULL;
    for (size_t i = 0; i < e->rows; i++)
        scaled[i] = (x[i] - call->learned[0]) / call->learned[1];
    return scaled;
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t count_different(const double *x, size_t count, double *sorted)
{
    size_t different = count > 0;
    memcpy(sorted, x, count * sizeof *x);
    qsort(sorted, count, sizeof *sorted, by_number);
    for (size_t i = 1; i < count; i++)
        different += sorted[i] > sorted[i - 1];
    return different;
}

static bool learn_poly(const gb_evaluation *e, const gb_syntax *call, size_t degree, const double *x)
{
    double *const work = gb_evaluation_take(e, (degree + 1) * e->rows, sizeof *work);
    lesson l;
    if (!work || !take_lesson(e, x, &l))
        return false;
    const size_t different = count_different(l.x, l.count, work);
    if (different <= degree)
        return gb_formula_fail(&e->formula->text, call->at, GB_EARGUMENT,
                               "polynomials of degree %zu need %zu different numbers, and there are %zu%s",
                               degree, degree + 1, different, e->counts ? " in the rows that count" : "");
    gb_polynomials_learn(l.x, l.weight, l.count, degree, call->learned, work);
    for (size_t i = 0; i < call->learned_count; i++)
        if (!isfinite(call->learned[i]))
            return gb_formula_fail(&e->formula->text, call->at, GB_ENONFINITE,
                                   "polynomials of these numbers are not finite");
    return true;
}

static const double *poly_value(const gb_evaluation *e, gb_syntax *call)
{
    const gb_poly_call asked = gb_poly_call_of(call);
    const size_t degree = asked.degree;
    const double *const x = value(e, asked.x);
    double *const powers = x ? gb_evaluation_take(e, e->rows * degree, sizeof *powers) : NULL;
    if (!powers)
        return NULL;
    if (!asked.raw && (!take_learned(e, call, gb_polynomials_length(degree)) ||
                       (e->learns && !learn_poly(e, call, degree, x))))
        return NULL;
    for (size_t i = 0; i < e->rows; i++)
        if (!asked.raw)
            gb_polynomials_at(call->learned, degree, x[i], powers + i * degree);
        else
            for (size_t k = 0; k < degree; k++)
                powers[i * degree + k] = pow(x[i], (double)k + 1);
    return powers;
}

/* ---- calls ---- */

static const double *log_value(const gb_evaluation *e, const gb_syntax *call)
{
    const gb_log_call asked = gb_log_call_of(call);
    const double *const x = value(e, asked.x), *const base = x && asked.base ? value(e, asked.base) : x;
    double *const y = base ? room(e) : NULL;
    for (size_t i = 0; y && i < e->rows; i++)
        y[i] = asked.base ? log(x[i]) / log(base[i]) : log(x[i]);
    return y;
}

static const double *call_value(const gb_evaluation *e, gb_syntax *call)
{
    const gb_function *const function = gb_function_find(call->text);
    if (function->kind == GB_FUNCTION_SCALE)
        return scale_value(e, call);
    if (function->kind == GB_FUNCTION_LOG)
        return log_value(e, call);
    const double *const x = value(e, call->first);
    double *const y = x && function->kind == GB_FUNCTION_OF_NUMBER ? room(e) : NULL;
    for (size_t i = 0; y && i < e->rows; i++)
        y[i] = function->of(x[i]);
    return function->kind == GB_FUNCTION_SAME ? x : y;
}

static const double *value(const gb_evaluation *e, gb_syntax *part)
{
    switch (part->kind) {
    case GB_SYNTAX_NUMBER:
    case GB_SYNTAX_FLAG: return constant_value(e, part->number);
    case GB_SYNTAX_NAME: return column_value(e, part);
    case GB_SYNTAX_GROUP: return value(e, part->first);
    case GB_SYNTAX_OPERATOR: return checked(e, part, operator_value(e, part));
    case GB_SYNTAX_CALL: break;
    }
    return checked(e, part, call_value(e, part));
}

const double *gb_evaluate(const gb_evaluation *e, gb_formula_variable *v)
{
    gb_syntax *const part = v->expression;
    const double *const x = gb_syntax_calls(part, "poly") ? poly_value(e, part) : value(e, part);
    for (size_t i = 0; x && i < e->rows * v->width; i++)
        if (!isfinite(x[i])) {
            reject_value(e, part, i / v->width, x[i]);
            return NULL;
        }
    return x;
}
