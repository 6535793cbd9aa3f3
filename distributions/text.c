/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as text: a name, and parameters as numbers or vectors. */
#include "distributions/text.h"

#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/op.h"
#include "core/program.h"
#include "distributions/list.h"

enum { MOST_NUMBERS = 1024, MOST_TEXT = 256 };

/* ---- reading ---- */

static bool has(const gb_option *table, const char *name)
{
    for (size_t i = 0; i < GB_MAX_PARAMS && table[i].name; i++)
        if (strcmp(table[i].name, name) == 0)
            return true;
    return false;
}

/* Whether the text names a parameter that only `table` has, of the two forms of parameters. */
static bool names_only_of(const gb_option *table, const gb_option *other, const char *options)
{
    char mark[MOST_TEXT];
    for (size_t i = 0; i < GB_MAX_PARAMS && table[i].name; i++) {
        snprintf(mark, sizeof mark, ":%s=", table[i].name);
        const char *const first = strstr(options, mark + 1);
        const bool is_named = strstr(options, mark) || (first && first == options);
        if (is_named && !has(other, table[i].name))
            return true;
    }
    return false;
}

/* A colon may stand before the first of the options. */
static gb_dist with_options(gb_tape *tape, const gb_dist_type *type, const char *options)
{
    char error[MOST_TEXT];
    gb_option table[GB_MAX_PARAMS + 1] = {{0}};
    gb_node param[GB_MAX_PARAMS] = {{0}};
    const bool alternative = names_only_of(type->alternative, type->param, options);
    if (alternative && names_only_of(type->param, type->alternative, options))
        return gb_fail(tape, GB_EARGUMENT, "%s: the text has parameters of both forms; take %s or %s",
                       type->name, type->param[0].name, type->alternative[0].name),
               (gb_dist){0};
    for (size_t i = 0; i < GB_MAX_PARAMS; i++) {
        table[i] = alternative ? type->alternative[i] : type->param[i];
        table[i].offset = i * sizeof *param;
        table[i].domain = NULL; /* gb_dist_of checks, in its own words */
    }
    if (!gb_options_parse(type->name, table, *options ? options + (*options == ':') : NULL, tape, param,
                          error, sizeof error))
        return gb_fail(tape, GB_EARGUMENT, "%s", error), (gb_dist){0};
    return alternative ? gb_dist_alternative(type, param) : gb_dist_of(type, param);
}

/* Returns the parameter if the name is that of a constructor by other parameters: bernoulli_logits. */
static const gb_option *form_called(const char *name)
{
    size_t count;
    const gb_dist_type *const *const all = gb_dists(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < GB_MAX_PARAMS && all[i]->alternative[k].name; k++) {
            const size_t length = strlen(all[i]->name);
            if (strncmp(name, all[i]->name, length) == 0 && name[length] == '_' &&
                strcmp(name + length + 1, all[i]->alternative[k].name) == 0)
                return &all[i]->alternative[k];
        }
    return NULL;
}

static const gb_dist_type *find(gb_tape *tape, const char *name)
{
    const char *names[128];
    size_t count = 0;
    const gb_dist_type *const type = gb_dist_find(name);
    for (const gb_plugin *member; count < 128 && (member = gb_kind_at(&gb_dist_kind, count)); count++)
        names[count] = member->name;
    const char *const nearest = type ? NULL : gb_nearest_name(name, count, names);
    const gb_option *const form = type ? NULL : form_called(name);
    if (form)
        gb_fail(tape, GB_EARGUMENT, "there is no distribution %s; its text is %.*s:%s=…", name,
                (int)(strlen(name) - strlen(form->name) - 1), name, form->name);
    else if (nearest)
        gb_fail(tape, GB_EARGUMENT, "there is no distribution %s; did you mean %s?", name, nearest);
    else if (!type)
        gb_fail(tape, GB_EARGUMENT, "there is no distribution %s", name);
    return type;
}

/* Whether it is made of more than its parameters: of another distribution, of a number of rows. */
static bool has_more(const gb_dist_type *type)
{
    return type->wraps || type == &gb_lkj_cholesky_type;
}

static bool is_plain(gb_tape *tape, const gb_dist_type *type)
{
    if (!has_more(type))
        return true;
    gb_fail(tape, GB_EARGUMENT,
            "distribution %s: it is made of more than numbers and vectors, and has no text form", type->name);
    return false;
}

gb_dist gb_dist_parse(gb_tape *tape, const char *text)
{
    char name[64];
    if (!tape || gb_error(tape) != GB_OK)
        return (gb_dist){0};
    const size_t length = text ? strcspn(text, ":") : 0;
    if (length == 0 || length >= sizeof name) {
        gb_fail(tape, GB_EARGUMENT,
                "\"%.100s\": a distribution is expected, as NAME or NAME:PARAMETER=NUMBER", text ? text : "");
        return (gb_dist){0};
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const gb_dist_type *const type = find(tape, name);
    return type && is_plain(tape, type) ? with_options(tape, type, text + length) : (gb_dist){0};
}

gb_dist gb_dist_parse_of(gb_tape *tape, const gb_dist_type *type, const char *parameters)
{
    if (!tape || gb_error(tape) != GB_OK)
        return (gb_dist){0};
    const char *const fault = type ? gb_dist_type_fault(type) : "there is no type";
    if (fault)
        return gb_fail(tape, GB_EARGUMENT, "gb_dist_parse_of: %s", fault), (gb_dist){0};
    return with_options(tape, type, parameters ? parameters : "");
}

/* ---- writing ---- */

static void put_numbers(gb_text_writer *w, size_t count, const double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        char digits[GB_NUMBER_TEXT];
        gb_text_put(w, i ? "," : "");
        gb_text_put(w, gb_number_text(numbers[i], digits));
    }
}

/* The distribution may have put checks around what it was given. */
static gb_node given(gb_node param)
{
    while (gb_node_op(param) && gb_node_op(param)->rejection)
        param = gb_node_argument(param, 0);
    return param;
}

/* Reads a constant number or vector without a program. Returns how many numbers it has; 0: it is neither. */
static size_t constant_numbers(gb_node node, double numbers[MOST_NUMBERS])
{
    double number;
    const size_t count = gb_is_constant(node) ? gb_value_count(node) : 0;
    if (gb_node_shape(node).rank > 1 || count > MOST_NUMBERS)
        return 0;
    if (!gb_is_uniform(node, &number))
        return count > 0 && gb_read(node, numbers, count) == GB_OK ? count : 0;
    for (size_t i = 0; i < count; i++)
        numbers[i] = number;
    return count;
}

static void put_parameter(gb_text_writer *w, gb_node param)
{
    double numbers[MOST_NUMBERS];
    const gb_node node = given(param);
    const size_t count = constant_numbers(node, numbers);
    put_numbers(w, count, numbers);
    if (count == 0)
        gb_text_put(w, "?");
    else if (count == 1 && gb_node_shape(node).rank == 1)
        gb_text_put(w, ","); /* a vector of one number */
}

static bool is_default(const gb_option *option, gb_node param)
{
    double number;
    return option->is_optional && gb_node_shape(param).rank == 0 && gb_is_uniform(given(param), &number) &&
           number == option->fallback;
}

size_t gb_dist_text(gb_dist d, char *text, size_t bytes)
{
    gb_text_writer w = {.text = text, .bytes = text ? bytes : 0};
    size_t count = 0;
    if (w.bytes > 0)
        *text = '\0';
    gb_text_put(&w, gb_dist_ok(d) ? d.type->name : "none");
    const gb_option *const param = gb_dist_ok(d) ? gb_dist_params(&d, &count) : NULL;
    if (param && has_more(d.type))
        gb_text_put(&w, ":?");
    for (size_t i = 0; param && i < count; i++) {
        if (is_default(&param[i], d.param[i]))
            continue;
        gb_text_put(&w, ":");
        gb_text_put(&w, param[i].name);
        gb_text_put(&w, "=");
        put_parameter(&w, d.param[i]);
    }
    return w.length;
}
