/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "cli/graph/fold.h"

static const char *const kinds[] = {
    [GB_CLI_VERTEX_INPUT] = "input", [GB_CLI_VERTEX_LATENT] = "latent", [GB_CLI_VERTEX_VALUE] = "value",
    [GB_CLI_VERTEX_LAYER] = "layer", [GB_CLI_VERTEX_TERM] = "term",     [GB_CLI_VERTEX_ELBO] = "sum"};
/* Light fills of the colours of all pictures: in print they differ by their frames and kinds as well. */
static const char *const fill[] = {
    [GB_CLI_VERTEX_INPUT] = "#f2f2f2", [GB_CLI_VERTEX_LATENT] = "#d6e9f5", [GB_CLI_VERTEX_VALUE] = "#ffffff",
    [GB_CLI_VERTEX_LAYER] = "#dff0e8", [GB_CLI_VERTEX_TERM] = "#fbe9c6",   [GB_CLI_VERTEX_ELBO] = "#f7d9c4"};

/* "-15.8 ± 0.07", or "weight (2×50), bias (50)" */
static void write_second(const gb_cli_vertex *v, char *text, size_t bytes)
{
    if (isnan(v->value))
        snprintf(text, bytes, "%s", v->parts);
    else if (v->error > 0)
        snprintf(text, bytes, "%.6g ± %.2g", v->value, v->error);
    else
        snprintf(text, bytes, "%.6g", v->value);
}

/* ---- text ---- */

/* Letters beyond ASCII take several bytes, and one place. */
static int places(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

void gb_cli_graph_text(const gb_cli_graph *g, FILE *file)
{
    int width = 0, wide = 0;
    char second[2 * GB_CLI_VERTEX_TEXT];
    for (size_t i = 0; i < g->count; i++) {
        write_second(&g->vertex[i], second, sizeof second);
        width = places(g->vertex[i].name) > width ? places(g->vertex[i].name) : width;
        wide = places(second) > wide ? places(second) : wide;
    }
    for (size_t i = 0; i < g->count; i++) {
        const gb_cli_vertex *const v = &g->vertex[i];
        const char *before = "  <- ";
        write_second(v, second, sizeof second);
        fprintf(file, "%-6s  %s%*s  %s%*s", kinds[v->kind], v->name, width - places(v->name), "", second,
                wide - places(second), "");
        for (size_t from = 0; from < g->count; from++)
            if (g->edge[from][i]) {
                fprintf(file, "%s%s", before, g->vertex[from].name);
                before = ", ";
            }
        fputc('\n', file);
    }
    fprintf(file, "%zu operations in all\n", g->operations);
}

/* ---- Graphviz, and SVG ---- */

static void put_escaped(FILE *file, const char *text, bool xml)
{
    for (; *text; text++)
        if (xml && strchr("<>&\"", *text))
            fprintf(file, "&#%d;", *text);
        else if (!xml && strchr("\"\\", *text))
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
}

void gb_cli_graph_dot(const gb_cli_graph *g, FILE *file)
{
    char second[2 * GB_CLI_VERTEX_TEXT];
    fputs("digraph elbo {\n  rankdir=LR;\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n",
          file);
    for (size_t i = 0; i < g->count; i++) {
        write_second(&g->vertex[i], second, sizeof second);
        fprintf(file, "  v%zu [fillcolor=\"%s\", label=\"", i, fill[g->vertex[i].kind]);
        put_escaped(file, g->vertex[i].name, false);
        fputs("\\n", file);
        put_escaped(file, second, false);
        fputs("\"];\n", file);
    }
    for (size_t from = 0; from < g->count; from++)
        for (size_t to = 0; to < g->count; to++)
            if (g->edge[from][to])
                fprintf(file, "  v%zu -> v%zu;\n", from, to);
    fputs("}\n", file);
}

enum { BOX = 190, TALL = 44, GAP = 60, ROW = 62, EDGE = 12 };

typedef struct place {
    int x, y;
} place;

/* A column for each rank, centred. Returns the size of the picture. */
static place lay_out(const gb_cli_graph *g, place *at)
{
    int in_rank[GB_CLI_VERTICES + 1] = {0}, most = 0, ranks = 0, row[GB_CLI_VERTICES + 1] = {0};
    for (size_t i = 0; i < g->count; i++) {
        const int rank = g->vertex[i].rank;
        most = ++in_rank[rank] > most ? in_rank[rank] : most;
        ranks = rank >= ranks ? rank + 1 : ranks;
    }
    for (size_t i = 0; i < g->count; i++) {
        const int rank = g->vertex[i].rank, above = (most - in_rank[rank]) * ROW / 2;
        at[i] = (place){EDGE + rank * (BOX + GAP), EDGE + above + row[rank]++ * ROW};
    }
    return (place){2 * EDGE + ranks * (BOX + GAP) - GAP, 2 * EDGE + most * ROW};
}

static void put_edge(FILE *file, place from, place to)
{
    const int x = from.x + BOX, y = from.y + TALL / 2, end = to.x - 5, down = to.y + TALL / 2;
    fprintf(file,
            "<path d='M%d %d C%d %d %d %d %d %d' fill='none' stroke='#555555' marker-end='url(#arrow)'/>\n",
            x, y, x + GAP / 2, y, end - GAP / 2, down, end, down);
}

static void put_box(FILE *file, const gb_cli_vertex *v, place at)
{
    char second[2 * GB_CLI_VERTEX_TEXT];
    write_second(v, second, sizeof second);
    fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' rx='%d' fill='%s' stroke='#333333'%s/>\n", at.x,
            at.y, BOX, TALL, v->kind == GB_CLI_VERTEX_LATENT ? 20 : 3, fill[v->kind],
            v->kind >= GB_CLI_VERTEX_TERM ? " stroke-width='1.5'" : "");
    fprintf(file, "<text x='%d' y='%d' font-weight='bold'>", at.x + BOX / 2, at.y + 18);
    put_escaped(file, v->name, true);
    fprintf(file, "</text>\n<text x='%d' y='%d' font-size='10'>", at.x + BOX / 2, at.y + 34);
    put_escaped(file, second, true);
    fputs("</text>\n", file);
}

void gb_cli_graph_svg(const gb_cli_graph *g, FILE *file)
{
    place at[GB_CLI_VERTICES];
    const place size = lay_out(g, at);
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' "
            "font-size='12' text-anchor='middle'>\n<title>The ELBO: what it depends on</title>\n"
            "<defs><marker id='arrow' markerWidth='8' markerHeight='8' refX='4' refY='3' orient='auto'>"
            "<path d='M0 0 L6 3 L0 6 z' fill='#555555'/></marker></defs>\n"
            "<rect width='100%%' height='100%%' fill='#ffffff'/>\n",
            size.x, size.y);
    for (size_t from = 0; from < g->count; from++)
        for (size_t to = 0; to < g->count; to++)
            if (g->edge[from][to])
                put_edge(file, at[from], at[to]);
    for (size_t i = 0; i < g->count; i++)
        put_box(file, &g->vertex[i], at[i]);
    fputs("</svg>\n", file);
}
