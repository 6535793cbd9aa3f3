/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the text form:
 *
 *     plug-in = NAME [":" options]       at the top level
 *             | NAME ["(" options ")"]   as a value
 *     options = option {":" option}
 *     option  = NAME "=" value
 *             | NAME                     a flag: yes
 *             | value                    the next argument */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "plugins/options/pack_impl.h"

enum { MOST_NAMES = 64, MOST_WORD = 64, MOST_DEPTH = 32 }; /* no value holds as many levels */

typedef struct parser {
    gb_tape *tape; /* for nodes; NULL: nodes are rejected */
    int depth;     /* of plug-ins in plug-ins */
    char *error;
    size_t bytes;
} parser;

/* A part of the text. */
typedef struct piece {
    const char *at;
    size_t length;
} piece;

static piece part(piece p, size_t from, size_t to)
{
    return (piece){p.at + from, to - from};
}

static bool is_word(piece p, const char *word)
{
    return strlen(word) == p.length && memcmp(word, p.at, p.length) == 0;
}

/* Copies the text into `word` for a message. A long text is cut. */
static const char *shown(piece p, char word[MOST_WORD + 4])
{
    return gb_text_show(p.at, p.length, MOST_WORD, word) ? word : strcat(word, "…");
}

/* A name of any other form is quoted in a message, so that a blank at its end is seen. */
static const char *quote_of(piece name)
{
    for (size_t i = 0; i < name.length; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz_0123456789", name.at[i]))
            return "\"";
    return name.length ? "" : "\"";
}

static bool reject(const parser *p, const char *format, ...) GB_PRINTF(2, 3);
static bool reject(const parser *p, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(p->error, p->bytes, format, values);
    va_end(values);
    return false;
}

static bool unknown(const parser *p, const char *what, piece name, size_t count, const char *const *names)
{
    char word[MOST_WORD + 4];
    const char *const nearest = gb_nearest_text(shown(name, word), count, names), *const quote =
                                                                                      quote_of(name);
    return nearest ? reject(p, "there is no %s %s%s%s; did you mean %s?", what, quote, word, quote, nearest)
                   : reject(p, "there is no %s %s%s%s", what, quote, word, quote);
}

/* Returns the index of the first of `marks` outside parentheses; the length if there is none. */
static size_t find(piece p, const char *marks)
{
    int depth = 0;
    for (size_t i = 0; i < p.length; i++) {
        if (depth == 0 && strchr(marks, p.at[i]))
            return i;
        depth += (p.at[i] == '(') - (p.at[i] == ')');
    }
    return p.length;
}

/* ---- values ---- */

static bool number(const parser *p, const char *owner, const gb_option *option, piece text, double *value)
{
    char word[MOST_WORD + 4];
    if (!gb_text_number(text.at, text.length, value))
        return reject(p, "%s: %s takes a number, not \"%s\"", owner, option->name, shown(text, word));
    if (*value != 0 || option->fallback == 0 || option->form == GB_OPTION_IS_NODE)
        return true;
    /* In a struct, 0 would become the default. */
    if (option->domain && !gb_domain_holds(option->domain, 0))
        return reject(p, "%s: %s is 0, and must be %s", owner, option->name, option->domain->must_be);
    return reject(p, "%s: %s: 0 stands for the default, %g; leave it out, or take a number near 0", owner,
                  option->name, option->fallback);
}

static bool whole(const parser *p, const char *owner, const gb_option *option, piece text, int64_t *value)
{
    double real;
    if (!number(p, owner, option, text, &real))
        return false;
    if (fabs(real) > 0x1p53)
        return reject(p, "%s: %s is %g, and must be at most 2^53", owner, option->name, real);
    *value = (int64_t)real;
    return (double)*value == real || reject(p, "%s: %s is %g, and must be %s", owner, option->name, real,
                                            option->domain ? option->domain->must_be : "a whole number");
}

static bool flag(const parser *p, const char *owner, const gb_option *option, piece text, bool *value)
{
    char word[MOST_WORD + 4];
    *value = is_word(text, "yes");
    return *value || is_word(text, "no") ||
           reject(p, "%s: %s takes yes or no, not \"%s\"", owner, option->name, shown(text, word));
}

static bool choice(const parser *p, const char *owner, const gb_option *option, piece text, int *value)
{
    size_t count = 0;
    while (option->choices[count])
        count++;
    for (*value = 0; *value < (int)count; ++*value)
        if (is_word(text, option->choices[*value]))
            return true;
    char what[MOST_WORD + 32];
    snprintf(what, sizeof what, "choice of %.*s called", MOST_WORD, option->name);
    (void)owner;
    return unknown(p, what, text, count, option->choices);
}

static bool number_of_node(const parser *p, const char *owner, const gb_option *option, piece text,
                           double *value)
{
    const bool is_infinite = is_word(text, "inf") || is_word(text, "-inf");
    if (is_infinite)
        *value = *text.at == '-' ? -INFINITY : INFINITY;
    return is_infinite || number(p, owner, option, text, value);
}

/* One number gives a scalar; numbers separated or ended by commas give a vector. */
static bool node(const parser *p, const char *owner, const gb_option *option, piece text, gb_node *value)
{
    enum { MOST = 1024 };
    double numbers[MOST];
    size_t count = 0;
    if (!p->tape)
        return reject(p, "%s: %s is a node, and cannot be given as text", owner, option->name);
    const bool is_vector = find(text, ",") < text.length;
    for (size_t at = 0; at <= text.length && !(count > 0 && at == text.length); count++) {
        const piece rest = part(text, at, text.length);
        const size_t length = find(rest, ",");
        if (count == MOST)
            return reject(p, "%s: %s has more than %d numbers", owner, option->name, MOST);
        if (!number_of_node(p, owner, option, part(rest, 0, length), &numbers[count]))
            return false;
        at += length + 1;
    }
    *value = !is_vector ? gb_num(p->tape, numbers[0])
                        : gb_constant(p->tape, gb_shape((int64_t)count), gb_values_of(numbers, count));
    return gb_node_ok(*value) || reject(p, "%s: %s: %s", owner, option->name, gb_error_text(p->tape));
}

static bool plugin(const parser *p, const gb_option *option, const gb_kind *kind, piece text,
                   gb_plugin_value *value);

static bool set(const parser *p, const char *owner, const gb_option *option, piece text, unsigned char *field)
{
    union {
        gb_node node;
        double number;
        int64_t whole;
        bool flag;
        int choice;
        gb_plugin_value plugin;
    } value;
    bool is_read = false;
    switch (option->form) {
    case GB_OPTION_IS_NODE: is_read = node(p, owner, option, text, &value.node); break;
    case GB_OPTION_IS_NUMBER: is_read = number(p, owner, option, text, &value.number); break;
    case GB_OPTION_IS_WHOLE: is_read = whole(p, owner, option, text, &value.whole); break;
    case GB_OPTION_IS_FLAG: is_read = flag(p, owner, option, text, &value.flag); break;
    case GB_OPTION_IS_CHOICE: is_read = choice(p, owner, option, text, &value.choice); break;
    case GB_OPTION_IS_PLUGIN: is_read = plugin(p, option, option->kind, text, &value.plugin); break;
    case GB_OPTION_IS_OTHER: return reject(p, "%s: %s cannot be given as text", owner, option->name);
    }
    if (is_read)
        memcpy(field, &value, gb_option_bytes(option));
    return is_read;
}

/* ---- options ---- */

typedef struct reading {
    const parser *parser;
    const char *owner;
    const gb_option *table;
    unsigned char *options;
    bool is_nested;
    uint64_t seen; /* bit i: option i was given */
} reading;

static bool take(reading *r, size_t i, piece value)
{
    if (r->seen & (UINT64_C(1) << i))
        return reject(r->parser, "%s: %s is given twice", r->owner, r->table[i].name);
    r->seen |= UINT64_C(1) << i;
    return set(r->parser, r->owner, &r->table[i], value, r->options + r->table[i].offset);
}

static bool no_such_option(const reading *r, piece name)
{
    char what[MOST_WORD + 32];
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (; r->table[count].name && count < MOST_NAMES; count++)
        names[count] = r->table[count].name;
    snprintf(what, sizeof what, "%s of %.*s called",
             r->table[0].name && r->table[0].form == GB_OPTION_IS_NODE ? "parameter" : "option", MOST_WORD,
             r->owner);
    return unknown(r->parser, what, name, count, names);
}

/* A value without a name is the next argument. */
static bool next_argument(reading *r, piece value)
{
    for (size_t i = 0; r->table[i].name; i++)
        if (r->table[i].is_argument && !(r->seen & (UINT64_C(1) << i)))
            return take(r, i, value);
    return no_such_option(r, value);
}

static bool one_option(reading *r, piece text)
{
    static const piece yes = {"yes", 3};
    const size_t sign = find(text, "=");
    const piece name = part(text, 0, sign);
    for (size_t i = 0; r->table[i].name && i < MOST_NAMES; i++) {
        const gb_option_form form = r->table[i].form;
        const bool is_flag = form == GB_OPTION_IS_FLAG;
        if (!is_word(name, r->table[i].name))
            continue;
        if (form == GB_OPTION_IS_OTHER)
            return reject(r->parser, "%s: %s cannot be given as text", r->owner, r->table[i].name);
        if (sign == text.length && !is_flag)
            return reject(r->parser, "%s: %s needs a value: %s=…", r->owner, r->table[i].name,
                          r->table[i].name);
        return take(r, i, sign < text.length ? part(text, sign + 1, text.length) : yes);
    }
    return sign < text.length ? no_such_option(r, name) : next_argument(r, text);
}

/* A node that is omitted becomes a constant of the tape. */
static void default_node(const reading *r, const gb_option *option)
{
    const gb_node constant = gb_num(r->parser->tape, option->fallback);
    memcpy(r->options + option->offset, &constant, sizeof constant);
}

/* "step_decay needs factor: step_decay:EVERY:FACTOR", or in parentheses if it is nested. */
static bool needs(const reading *r, const gb_option *option)
{
    char form[160] = "";
    gb_text_writer w = {.text = form, .bytes = sizeof form};
    gb_text_put(&w, r->owner);
    const char *before = r->is_nested ? "(" : ":";
    for (const gb_option *o = r->table; o->name; o++) {
        if (!o->is_argument || o->is_optional)
            continue;
        gb_text_put(&w, before);
        gb_text_put(&w, o->name);
        gb_text_put(&w, "=…");
        before = ":";
    }
    gb_text_put(&w, r->is_nested ? ")" : "");
    return reject(r->parser, "%s needs %s: %s", r->owner, option->name, form);
}

static bool arguments_are_there(const reading *r)
{
    for (size_t i = 0; r->table[i].name; i++) {
        const gb_option *const o = &r->table[i];
        const bool is_node = o->form == GB_OPTION_IS_NODE;
        if (!o->is_argument || (r->seen & (UINT64_C(1) << i)))
            continue;
        if (o->is_optional && is_node && r->parser->tape)
            default_node(r, o);
        if (o->is_optional)
            continue;
        return o->form == GB_OPTION_IS_OTHER || (is_node && !r->parser->tape)
                   ? reject(r->parser, "%s is made of %s, and cannot be given as text", r->owner,
                            o->words ? o->words : "nodes")
                   : needs(r, o);
    }
    return true;
}

static bool all_options(reading *r, piece text)
{
    for (size_t at = 0; at <= text.length && text.at;) {
        const piece rest = part(text, at, text.length);
        const size_t length = find(rest, ":");
        if (!one_option(r, part(rest, 0, length)))
            return false;
        at += length + 1;
    }
    return arguments_are_there(r);
}

/* ---- the whole ---- */

static const gb_plugin *find_type(const parser *p, const gb_kind *kind, piece name)
{
    char word[MOST_WORD + 4];
    const char *names[MOST_NAMES];
    size_t count = 0;
    const gb_plugin *const type = name.length <= MOST_WORD ? gb_kind_find(kind, shown(name, word)) : NULL;
    if (type)
        return type;
    for (const gb_plugin *member; count < MOST_NAMES && (member = gb_kind_at(kind, count)); count++)
        names[count] = member->name;
    unknown(p, kind->name, name, count, names);
    return NULL;
}

/* Splits the text into name and options. `options.at` is NULL if there are no options. */
static bool cut(const parser *p, piece text, bool is_nested, piece *name, piece *options)
{
    const size_t end = find(text, "(:");
    char word[MOST_WORD + 4];
    *name = part(text, 0, end);
    *options = (piece){NULL, 0};
    if (end == text.length)
        return true;
    *options = part(text, end + 1, text.length - (is_nested ? 1 : 0));
    if (!is_nested)
        return text.at[end] == ':' ||
               reject(p, "\"%s\": NAME:OPTIONS is expected; parentheses are for a plug-in inside another one",
                      shown(text, word));
    const piece inside = part(text, end, text.length);
    const bool closes = inside.length >= 2 && inside.at[0] == '(' && inside.at[inside.length - 1] == ')' &&
                        find(part(inside, 1, inside.length), ")") == inside.length - 2;
    return closes ||
           reject(p, "\"%s\": inside another plug-in, NAME or NAME(OPTIONS) is expected", shown(text, word));
}

/* `option` is that of the plug-in outside; NULL at the top level. */
static bool plugin(const parser *outside, const gb_option *option, const gb_kind *kind, piece text,
                   gb_plugin_value *value)
{
    piece name, options;
    gb_option_block block = {0};
    parser own = *outside;
    *value = (gb_plugin_value){0};
    if (++own.depth > MOST_DEPTH)
        return reject(&own, "plug-ins stand in one another more than %d deep", MOST_DEPTH);
    if (option && !option->fallback_type && is_word(text, "none"))
        return true;
    if (!cut(&own, text, option != NULL, &name, &options))
        return false;
    const gb_plugin *const type = find_type(&own, kind, name);
    if (!type)
        return false;
    const size_t bytes = GB_HAS(type, options) ? type->option_bytes : sizeof(size_t);
    memcpy(block.bytes, &bytes, sizeof bytes);
    reading r = {.parser = &own,
                 .owner = type->name,
                 .table = gb_options_of_type(type),
                 .options = block.bytes,
                 .is_nested = option != NULL};
    if (!all_options(&r, options))
        return false;
    *value = (gb_plugin_value){.type = type, .options = gb_options_pack(type, &block)};
    return true;
}

bool gb_plugin_parse(const gb_kind *kind, const char *text, const gb_plugin **type, gb_packed *packed,
                     char *error, size_t bytes)
{
    const parser p = {.error = error, .bytes = bytes};
    gb_plugin_value value = {0};
    const bool is_read =
        !kind->has_text
            ? reject(&p, "a %s has no text form of options; gb_dist_parse reads distributions", kind->name)
        : text && *text ? plugin(&p, NULL, kind, (piece){text, strlen(text)}, &value) &&
                              gb_options_fit(value.type, &value.options, error, bytes)
                        : reject(&p, "a name is expected (of a kind: %s), or NAME:OPTION=VALUE", kind->name);
    *type = is_read ? value.type : NULL;
    *packed = value.options;
    return is_read;
}

bool gb_options_parse(const char *owner, const gb_option *options, const char *text, gb_tape *tape,
                      void *struct_of_options, char *error, size_t bytes)
{
    const parser p = {.tape = tape, .error = error, .bytes = bytes};
    reading r = {.parser = &p, .owner = owner, .table = options, .options = struct_of_options};
    gb_options_fill(options, r.options);
    if (!all_options(&r, (piece){text, text ? strlen(text) : 0}))
        return false;
    for (size_t i = 0; options[i].name; i++)
        if (!gb_option_fits(&options[i], r.options + options[i].offset, owner, error, bytes))
            return false;
    return true;
}
