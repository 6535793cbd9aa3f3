/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in high precision, one in each line of a text (kit/check_distribution.h shows the format). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/shell/values_impl.h"

enum { FIELDS = 16, NUMBERS = 64, NAME = 48, LINE = 2048 };

/* "scale_tril [2,2] 1 0 0.5 2": a name or "", a shape, numbers. */
typedef struct field {
    char name[NAME];
    gb_shape shape;
    double value[NUMBERS];
    size_t count;
} field;

typedef struct line {
    gb_dist_case c;
    field field[FIELDS]; /* the first is the quantity, the last the value */
    size_t fields;
    const gb_dist_type *(*find)(const char *name);
} line;

/* ---- reading ---- */

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static const char *read_name(const char *text, char name[NAME])
{
    size_t count = 0;
    while ((isalnum((unsigned char)*text) || *text == '_') && count + 1 < NAME)
        name[count++] = *text++;
    name[count] = '\0';
    return skip_blanks(text);
}

static const char *read_shape(const char *text, gb_shape *shape)
{
    *shape = gb_shape();
    if (*text != '[')
        return text;
    while (*text && *text != ']' && shape->rank < GB_MAX_RANK) {
        char *end;
        shape->size[shape->rank++] = strtoll(text + 1, &end, 10);
        text = end;
    }
    return *text == ']' ? text + 1 : text;
}

/* A field without a name begins with inf, nan, a digit or a sign. */
static bool begins_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && !isalpha((unsigned char)*end) && *end != '_';
}

static bool read_field(const char *text, field *f)
{
    *f = (field){.shape = gb_shape()};
    text = skip_blanks(text);
    if (!begins_number(text))
        text = read_name(text, f->name);
    text = skip_blanks(read_shape(text, &f->shape));
    while (*text && f->count < NUMBERS) {
        char *end;
        f->value[f->count] = strtod(text, &end);
        if (end == text)
            return false;
        f->count++;
        text = skip_blanks(end);
    }
    return *text == '\0';
}

/* Splits a line at semicolons. */
static bool read_line(char *text, line *l)
{
    l->fields = 0;
    for (char *rest = text; rest;) {
        char *const next = strchr(rest, ';');
        if (next)
            *next = '\0';
        if (l->fields == FIELDS || !read_field(rest, &l->field[l->fields++]))
            return false;
        rest = next ? next + 1 : NULL;
    }
    return l->fields >= 2 && l->field[l->fields - 1].count > 0;
}

/* ---- what a line says ---- */

static gb_node constant_of(gb_tape *tape, const field *f)
{
    if (gb_shape_count(f->shape) != f->count)
        return (gb_node){0};
    return gb_constant(tape, f->shape, gb_values_of(f->value, f->count));
}

/* Returns the argument of that name among fields from … to − 1. */
static const field *find_field(const line *l, size_t from, size_t to, const char *name)
{
    for (size_t i = from; i < to; i++)
        if (strcmp(l->field[i].name, name) == 0)
            return &l->field[i];
    return NULL;
}

static bool has_all(const line *l, size_t from, size_t to, const gb_option *param)
{
    for (size_t i = 0; i < GB_MAX_PARAMS && param[i].name; i++)
        if (!find_field(l, from, to, param[i].name))
            return false;
    return param[0].name != NULL;
}

static gb_dist dist_of(const line *l, const gb_dist_type *type, size_t from, size_t to)
{
    const bool alternative = !has_all(l, from, to, type->param);
    gb_dist d = {.type = type, .tape = l->c.tape, .alternative = alternative};
    size_t count;
    const gb_option *const params = gb_dist_params(&d, &count);
    if (!has_all(l, from, to, params))
        return (gb_dist){0};
    for (size_t i = 0; i < count; i++)
        d.param[i] = constant_of(l->c.tape, find_field(l, from, to, params[i].name));
    const field *const number = find_field(l, from, to, "count");
    d.count = number ? (int64_t)number->value[0] : 0;
    return gb_dist_checked(d);
}

/* Returns the divergence of a line of kl, which has the name of p's type between the arguments of q and p. */
static gb_node divergence(const line *l)
{
    const gb_dist_type *const q = l->c.check->grid.type;
    for (size_t i = 1; i + 1 < l->fields; i++) {
        if (l->field[i].count > 0)
            continue;
        const char *const name = l->field[i].name;
        const gb_dist_type *p = strcmp(name, q->name) == 0 ? q : NULL;
        if (!p)
            p = l->find ? l->find(name) : gb_dist_find(name);
        if (p)
            return gb_kl(dist_of(l, q, 1, i), dist_of(l, p, i + 1, l->fields - 1));
    }
    return (gb_node){0};
}

static gb_node quantity(const line *l)
{
    const char *const name = l->field[0].name;
    if (strcmp(name, "kl") == 0)
        return divergence(l);
    const field *const at = find_field(l, 1, l->fields - 1, strcmp(name, "icdf") == 0 ? "u" : "x");
    return gb_case_quantity(dist_of(l, l->c.check->grid.type, 1, l->fields - 1), name,
                            at ? constant_of(l->c.tape, at) : (gb_node){0});
}

static bool is_right(const char *name, double is, double should)
{
    const bool absolute =
        strcmp(name, "log_prob") == 0 || strcmp(name, "entropy") == 0 || strcmp(name, "kl") == 0;
    const double size = absolute ? fmax(1, fabs(should)) : fabs(should);
    const double allowed = strcmp(name, "log_prob") == 0 ? 1e-12 : 1e-10;
    if (isnan(should) || isinf(should))
        return isnan(should) ? isnan(is) : is == should;
    return fabs(is - should) <= allowed * size + (should == 0 ? 1e-12 : 1e-300);
}

static void judge(line *l)
{
    const field *const value = &l->field[l->fields - 1];
    size_t count = 0;
    const gb_node node = quantity(l);
    const double *const is = gb_node_ok(node) ? gb_kit_read(l->c.tape, node, &count) : NULL;
    gb_kit_verdict(l->c.kit, GB_ON_REFERENCES, is && count == value->count, "%s cannot be evaluated: %s",
                   l->field[0].name, gb_error_text(l->c.tape));
    for (size_t i = 0; is && i < count && count == value->count; i++)
        gb_kit_verdict(l->c.kit, GB_ON_REFERENCES, is_right(l->field[0].name, is[i], value->value[i]),
                       "%s is %.17g, not %.17g", l->field[0].name, is[i], value->value[i]);
}

static void check_line(gb_dist_check *check, size_t number, char *text,
                       const gb_dist_type *(*find)(const char *name))
{
    line l = {.find = find};
    gb_kit_label(&check->kit, "line %zu: %.150s", number, text);
    if (!gb_dist_case_tape(&l.c, check, GB_DOUBLE))
        return;
    if (gb_kit_verdict(l.c.kit, GB_ON_REFERENCES, read_line(text, &l), "it cannot be read"))
        judge(&l);
    gb_dist_case_end(&l.c);
}

void gb_dist_check_references(gb_dist_check *check, const char *references,
                              const gb_dist_type *(*find)(const char *name))
{
    char text[LINE];
    size_t number = 0;
    for (const char *at = references; *at;) {
        const size_t length = strcspn(at, "\r\n");
        number++;
        snprintf(text, sizeof text, "%.*s", (int)(length < LINE ? length : LINE - 1), at);
        if (*skip_blanks(text) && *skip_blanks(text) != '#')
            check_line(check, number, text, find);
        at += length;
        at += *at == '\r';
        at += *at == '\n';
    }
}
