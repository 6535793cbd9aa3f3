/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random graphs whose every value is there twice: as a node of a tape, and as numbers that plain loops
 * computed. Views, broadcasts, reductions over visible and hidden axes, products, gathers; what was made is
 * used again and again. A seed makes the same graph on tapes of either real type. */
#ifndef GREBE_TESTS_RANDOM_GRAPH_H
#define GREBE_TESTS_RANDOM_GRAPH_H

#include "core/program.h"

enum { GRAPH_VARIABLES = 3, GRAPH_VALUES = 24 };

typedef struct graph_value {
    gb_node node;
    const char *how; /* it was made … */
    size_t of[2];    /* … and of which others */
    size_t count;    /* elements of its shape */
    double
        *number; /* [samples][places][rows][count]: along all hidden axes, whether the node has them or not */
    double square_norm; /* of them all */
} graph_value;

typedef struct graph {
    gb_tape *tape;
    uint64_t random;
    gb_axes axis[3];    /* samples, a site, rows … */
    int64_t size[3];    /* … and their sizes */
    int64_t lengths[8]; /* what sizes of shapes are drawn from */
    gb_node variable[GRAPH_VARIABLES];
    double *start[GRAPH_VARIABLES]; /* their values */
    graph_value value[GRAPH_VALUES + 1];
    size_t count;
    bool kink; /* the value in the making is not smooth near its numbers */
} graph;

/* Records a graph. The tape has the error if an operation rejects what it should take. */
void graph_begin(graph *g, uint64_t seed, gb_real real);
void graph_end(graph *g);

/* From 0 to below `end`; from −1 to 1. */
size_t graph_below(graph *g, size_t end);
double graph_real(graph *g);

/* Compares the value of a node with its numbers, whose error may be `tolerance` (relative, or absolute
 * below 1). False: `why` says what is wrong. */
enum { GRAPH_TEXT = 400 };
bool graph_value_is_right(const graph *g, size_t index, double tolerance, char why[GRAPH_TEXT]);

#endif
