/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what gb_tape_dump writes for Graphviz: nodes in the order in which they were recorded, so that
 * arguments come first, each followed by its edges. */
#include "cli/graph/fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell/say.h"
#include "core/program.h"

/* ---- the operations ---- */

enum { WORDS = GB_CLI_VERTICES / 64, NONE = -1 };

typedef struct operation {
    char what[32], name[GB_CLI_VERTEX_TEXT], shape[48];
    bool is_needed, is_of_rows;
    int vertex;          /* NONE: it is folded */
    uint64_t via[WORDS]; /* the vertices that it depends on without others between */
    size_t folded;       /* operations between */
} operation;

typedef struct edge {
    size_t from, to;
} edge;

typedef struct whole {
    operation *operation;
    edge *edge;
    size_t count, edges;
} whole;

/* Copies up to one of the ends, and returns where it is. */
static const char *copy_until(char *to, size_t bytes, const char *from, const char *ends)
{
    const size_t length = strcspn(from, ends);
    snprintf(to, bytes, "%.*s", (int)length, from);
    return from + length;
}

/* "24 draw network.1.weight\n(2×50) for each of samples": what stands behind the shape is left out. */
static void read_label(operation *o, const char *label)
{
    const char *at = strchr(label, ' ');
    at = copy_until(o->what, sizeof o->what, at ? at + 1 : label, " \\\"");
    if (*at == ' ')
        at = copy_until(o->name, sizeof o->name, at + 1, "\\\"");
    const char *const shape = strchr(at, '(');
    if (shape)
        at = copy_until(o->shape, sizeof o->shape - 1, shape, ")");
    if (shape)
        strcat(o->shape, ")");
    o->is_of_rows = strstr(at, "rows");
}

static void read_line(whole *w, const char *line)
{
    size_t from, to;
    const char *const label = strstr(line, "[label=\"");
    if (sscanf(line, " n%zu -> n%zu", &from, &to) == 2)
        w->edge[w->edges++] = (edge){from, to};
    else if (label && sscanf(line, " n%zu", &from) == 1) {
        w->count = from + 1;
        w->operation[from].vertex = NONE;
        read_label(&w->operation[from], label + strlen("[label=\""));
    }
}

static bool read_all(whole *w, char *text)
{
    size_t lines = 1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    w->operation = calloc(lines, sizeof *w->operation);
    w->edge = calloc(lines, sizeof *w->edge);
    for (char *at = text; w->operation && w->edge && *at;) {
        char *const end = at + strcspn(at, "\n");
        const bool is_last = *end == '\0';
        *end = '\0';
        read_line(w, at);
        at = end + !is_last;
    }
    return w->operation && w->edge;
}

static bool read_tape(whole *w, const gb_tape *tape)
{
    char *text = NULL;
    size_t bytes;
    FILE *const file = open_memstream(&text, &bytes);
    const bool is_written = file && gb_tape_dump(tape, GB_DUMP_GRAPHVIZ, file) == GB_OK;
    const bool good = file && fclose(file) == 0 && is_written && read_all(w, text);
    free(text);
    return good || gb_cli_reject("out of memory");
}

/* Edges lead from smaller numbers to larger ones. */
static void mark_needed(const whole *w, const gb_elbo_term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        w->operation[terms[i].value.id].is_needed = true;
    for (size_t i = w->edges; i > 0; i--)
        w->operation[w->edge[i - 1].from].is_needed |= w->operation[w->edge[i - 1].to].is_needed;
}

/* ---- the vertices ---- */

/* Returns the length of the name of the vertex to which a name belongs: that of a latent, for its variables;
 * without ".weight" and ".bias", which are parts of a layer. */
static size_t owner_of(const whole *w, const char *name)
{
    static const char *const parts[] = {".weight", ".bias"};
    size_t length = strlen(name), longest = 0;
    for (size_t i = 0; i < w->count; i++) {
        const operation *const o = &w->operation[i];
        const size_t own = strcmp(o->what, "draw") == 0 ? strlen(o->name) : 0;
        if (own > longest && own < length && strncmp(name, o->name, own) == 0 && name[own] == '.')
            longest = own;
    }
    length = longest ? longest : length;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t part = strlen(parts[i]);
        if (length > part && strncmp(name + length - part, parts[i], part) == 0)
            length -= part;
    }
    return length;
}

/* Returns the vertex of that name and kind, a new one if there is none; NONE if there is no room. */
static int vertex_of(gb_cli_graph *g, const char *name, gb_cli_vertex_kind kind)
{
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->vertex[i].name, name) == 0)
            return (int)i;
    if (g->count == GB_CLI_VERTICES)
        return NONE;
    gb_cli_vertex *const v = &g->vertex[g->count];
    *v = (gb_cli_vertex){.kind = kind, .value = (double)NAN, .error = (double)NAN};
    snprintf(v->name, sizeof v->name, "%s", name);
    return (int)g->count++;
}

static void add_part(gb_cli_vertex *v, const char *name, const char *shape)
{
    const size_t used = strlen(v->parts);
    snprintf(v->parts + used, sizeof v->parts - used, "%s%s%s%s", used ? ", " : "", name, *name ? " " : "",
             shape);
}

static void add_named(gb_cli_graph *g, const whole *w, operation *o)
{
    char owner[GB_CLI_VERTEX_TEXT];
    const size_t length = owner_of(w, o->name);
    snprintf(owner, sizeof owner, "%.*s", (int)length, o->name);
    const bool is_draw = strcmp(o->what, "draw") == 0, is_input = strcmp(o->what, "input") == 0;
    const char *const part = o->name[length] == '.' ? o->name + length + 1 : "";
    o->vertex = vertex_of(g, owner, is_input ? GB_CLI_VERTEX_INPUT : GB_CLI_VERTEX_VALUE);
    if (o->vertex == NONE)
        return;
    gb_cli_vertex *const v = &g->vertex[o->vertex];
    const bool is_layer = o->is_of_rows && !is_draw && !is_input;
    if (is_draw && v->kind == GB_CLI_VERTEX_VALUE)
        v->kind = GB_CLI_VERTEX_LATENT;
    if (is_layer)
        v->kind = GB_CLI_VERTEX_LAYER;
    const bool is_variable = strcmp(o->what, "variable") == 0,
               is_weight = strcmp(part, "weight") == 0 || strcmp(part, "bias") == 0;
    if (is_draw ? *part || !*v->parts : (!is_variable || is_weight) && !*v->parts)
        add_part(v, part, o->shape);
}

/* Terms of the latents of a layer are one. */
static void add_term(gb_cli_graph *g, const whole *w, const gb_elbo_term *t)
{
    static const char *const around[][2] = {
        [GB_TERM_DATA] = {"log p(", ")"}, [GB_TERM_FACTOR] = {"factor ", ""},
        [GB_TERM_KL] = {"-KL(", ")"},     [GB_TERM_PRIOR] = {"log prior(", ")"},
        [GB_TERM_TOTAL] = {"", ""},       [GB_TERM_ENTROPY] = {"entropy(", ")"}};
    char name[GB_CLI_VERTEX_TEXT];
    operation unused, *const o = t->kind == GB_TERM_TOTAL ? &unused : &w->operation[t->value.id];
    const size_t length = t->kind == GB_TERM_DATA ? strlen(t->name) : owner_of(w, t->name);
    snprintf(name, sizeof name, "%s%.*s%s", around[t->kind][0], (int)length, t->name, around[t->kind][1]);
    o->vertex = vertex_of(g, name, t->kind == GB_TERM_TOTAL ? GB_CLI_VERTEX_ELBO : GB_CLI_VERTEX_TERM);
    if (o->vertex == NONE)
        return;
    gb_cli_vertex *const v = &g->vertex[o->vertex];
    const double value = gb_value(t->value), error = gb_value(t->error);
    v->value = isnan(v->value) ? value : v->value + value;
    v->error = isnan(v->error) ? error : hypot(v->error, error);
}

/* ---- the edges ---- */

static void connect_to(gb_cli_graph *g, const operation *o)
{
    for (int from = 0; from < (int)g->count; from++)
        if ((o->via[from / 64] >> (from % 64) & 1) && from != o->vertex)
            g->edge[from][o->vertex] = true;
    g->vertex[o->vertex].operations += o->folded;
}

static void fold_edges(gb_cli_graph *g, const whole *w)
{
    size_t e = 0;
    for (size_t i = 0; i < w->count; i++) {
        operation *const o = &w->operation[i];
        for (; e < w->edges && w->edge[e].to == i; e++) {
            const operation *const from = &w->operation[w->edge[e].from];
            for (size_t k = 0; k < WORDS; k++)
                o->via[k] |= from->via[k];
        }
        g->operations += o->is_needed;
        if (!o->is_needed || o->vertex == NONE)
            continue;
        connect_to(g, o);
        memset(o->via, 0, sizeof o->via);
        o->via[o->vertex / 64] |= UINT64_C(1) << (o->vertex % 64);
    }
}

/* Longest ways; all terms stand before their sum. A circle, which folding may make, ends after as many rounds
 * as there are vertices. */
static void rank(gb_cli_graph *g)
{
    bool moved = true;
    for (size_t round = 0; moved && round < g->count; round++) {
        moved = false;
        for (size_t from = 0; from < g->count; from++)
            for (size_t to = 0; to < g->count; to++)
                if (g->edge[from][to] && g->vertex[to].rank <= g->vertex[from].rank) {
                    g->vertex[to].rank = g->vertex[from].rank + 1;
                    moved = true;
                }
    }
    for (size_t i = 0; i < g->count; i++)
        if (g->vertex[i].kind == GB_CLI_VERTEX_TERM)
            g->vertex[i].rank = g->vertex[g->count - 1].rank - 1;
}

static void fold(gb_cli_graph *g, const whole *w, const gb_elbo_term *terms, size_t count)
{
    mark_needed(w, terms, count - 1);
    for (size_t i = 0; i < w->count; i++)
        if (w->operation[i].is_needed && *w->operation[i].name)
            add_named(g, w, &w->operation[i]);
    for (size_t i = 0; i < count; i++)
        add_term(g, w, &terms[i]);
    fold_edges(g, w);
    for (size_t i = 0; i < g->count; i++)
        if (g->vertex[i].kind == GB_CLI_VERTEX_TERM) /* the ELBO is recorded as one sum of all costs */
            g->edge[i][g->count - 1] = true;
    rank(g);
}

gb_cli_graph *gb_cli_graph_fold(gb_elbo *e)
{
    whole w = {0};
    size_t count = 0;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    gb_cli_graph *const g = calloc(1, sizeof *g);
    const bool good = terms && g && read_tape(&w, terms[0].value.tape);
    if (good)
        fold(g, &w, terms, count);
    free(w.operation);
    free(w.edge);
    if (!good)
        free(g);
    return good ? g : NULL;
}
