/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELBO as a small graph: of all operations of its tape, those with names remain (inputs, latents, layers,
 * terms). There is an edge where one named thing depends on another along operations without names. A layer
 * is one vertex with its weights, and so are their KL terms. */
#ifndef GREBE_CLI_GRAPH_FOLD_H
#define GREBE_CLI_GRAPH_FOLD_H

#include "models/elbo.h"

enum { GB_CLI_VERTICES = 128, GB_CLI_VERTEX_TEXT = 128 };

typedef enum gb_cli_vertex_kind {
    GB_CLI_VERTEX_INPUT,
    GB_CLI_VERTEX_LATENT,
    GB_CLI_VERTEX_VALUE, /* another operation with a name */
    GB_CLI_VERTEX_LAYER, /* the same, of each row; with its weights */
    GB_CLI_VERTEX_TERM,
    GB_CLI_VERTEX_ELBO
} gb_cli_vertex_kind;

typedef struct gb_cli_vertex {
    char name[GB_CLI_VERTEX_TEXT];
    char parts[GB_CLI_VERTEX_TEXT]; /* "weight (2×50), bias (50)": names within it, and shapes */
    gb_cli_vertex_kind kind;
    double value, error; /* of a term; NaN for others */
    size_t operations;   /* that lead to it from other vertices, and are folded */
    int rank;            /* vertices on the longest way to it */
} gb_cli_vertex;

typedef struct gb_cli_graph {
    size_t count, operations; /* the latter of the whole ELBO */
    gb_cli_vertex vertex[GB_CLI_VERTICES];
    bool edge[GB_CLI_VERTICES][GB_CLI_VERTICES]; /* from, to */
} gb_cli_graph;

/* Folds the tape of an ELBO, whose terms have been evaluated. Returns NULL with a message on error; the
 * caller frees it by free(). */
gb_cli_graph *gb_cli_graph_fold(gb_elbo *e);

/* Write it for people, for Graphviz, and as a picture. */
void gb_cli_graph_text(const gb_cli_graph *graph, FILE *file);
void gb_cli_graph_dot(const gb_cli_graph *graph, FILE *file);
void gb_cli_graph_svg(const gb_cli_graph *graph, FILE *file);

#endif
