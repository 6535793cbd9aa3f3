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

/* Whether the text names a parameter that only the other parameters have. */
static bool asks_for_alternative(const gb_dist_type *type, const char *options)
{
    char mark[MOST_TEXT];
    for (size_t i = 0; i < GB_MAX_PARAMS && type->alternative[i].name; i++) {
        const char *const name = type->alternative[i].name;
        snprintf(mark, sizeof mark, ":%s=", name);
        if (!has(type->param, name) && strstr(options, mark))
            return true;
    }
    return false;
}

/* `options` is "" or begins with a colon. */
static gb_dist with_options(gb_tape *tape, const gb_dist_type *type, const char *options)
{
    char error[MOST_TEXT];
    gb_option table[GB_MAX_PARAMS + 1] = {{0}};
    gb_node param[GB_MAX_PARAMS] = {{0}};
    const bool alternative = asks_for_alternative(type, options);
    for (size_t i = 0; i < GB_MAX_PARAMS; i++) {
        table[i] = alternative ? type->alternative[i] : type->param[i];
        table[i].offset = i * sizeof *param;
        table[i].domain = NULL; /* gb_dist_of checks, in its own words */
    }
    if (!gb_options_parse(type->name, table, *options ? options + 1 : NULL, tape, param, error, sizeof error))
        return gb_fail(tape, GB_EARGUMENT, "distribution %s: %s", type->name, error), (gb_dist){0};
    return alternative ? gb_dist_alternative(type, param) : gb_dist_of(type, param);
}

static const gb_dist_type *find(gb_tape *tape, const char *name)
{
    const char *names[128];
    size_t count;
    const gb_dist_type *const *const all = gb_dists(&count);
    const gb_dist_type *const type = gb_dist_find(name);
    for (size_t i = 0; i < count && i < 128; i++)
        names[i] = all[i]->name;
    const char *const nearest = type ? NULL : gb_nearest_name(name, count, names);
    if (nearest)
        gb_fail(tape, GB_EARGUMENT, "there is no distribution %s; did you mean %s?", name, nearest);
    else if (!type)
        gb_fail(tape, GB_EARGUMENT, "there is no distribution %s", name);
    return type;
}

static bool is_plain(gb_tape *tape, const gb_dist_type *type)
{
    if (!type->wraps && type != &gb_lkj_cholesky_type)
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

static void put_parameter(gb_text_writer *w, gb_node param)
{
    double numbers[MOST_NUMBERS];
    const gb_node node = given(param);
    const size_t count = gb_is_constant(node) ? gb_value_count(node) : 0;
    if (gb_node_shape(node).rank <= 1 && count >= 1 && count <= MOST_NUMBERS &&
        gb_read(node, numbers, count) == GB_OK)
        put_numbers(w, count, numbers);
    else
        gb_text_put(w, "?");
}

size_t gb_dist_text(gb_dist d, char *text, size_t bytes)
{
    gb_text_writer w = {.text = text, .bytes = bytes};
    size_t count = 0;
    if (bytes > 0)
        *text = '\0';
    gb_text_put(&w, gb_dist_ok(d) ? d.type->name : "none");
    const gb_option *const param = gb_dist_ok(d) ? gb_dist_params(&d, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        gb_text_put(&w, ":");
        gb_text_put(&w, param[i].name);
        gb_text_put(&w, "=");
        put_parameter(&w, d.param[i]);
    }
    return w.length;
}
