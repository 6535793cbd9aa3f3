/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tape: the list of operations that a program records, and its leaves.
 *
 * A tape belongs to one thread at a time; different tapes may be used by different threads at once. It owns all
 * that is made on it (nodes, variables, programs), and gb_tape_free ends them together. */
#ifndef GREBE_CORE_TAPE_H
#define GREBE_CORE_TAPE_H

#include "memory.h"
#include "options.h"
#include "shape.h"
#include "status.h"

GB_BEGIN_DECLS

/* A handle of one operation's value: pass it by value, keep it as long as its tape. A node whose tape was reset
 * is refused by name. {0} is the inert node. */
typedef struct gb_node {
    gb_tape *tape;
    uint32_t id;
    uint32_t generation;
} gb_node;

typedef struct gb_tape_options {
    size_t size;
    uint64_t seed;    /* of all its noise */
    gb_real real;     /* GB_DOUBLE (default) or GB_FLOAT */
    int threads;      /* 0: as many as the machine has processors; results do not depend on it */
    int64_t samples;  /* see gb_tape_set_samples; 0: 1 */
    gb_memory memory; /* {0}: malloc */
    /* Runs take numbers that are too small to be normal (below 1e-38 of floats, 2e-308 of doubles) for 0, where the processor
     * can (x86-64, AArch64). Some processors need a hundred times as long for them, and long trainings on float tapes come upon
     * them: weights that nothing holds, and what Adam remembers of them, fade away through them. */
    bool flush_subnormals;
} gb_tape_options;

/* gb_tape_new(.seed = 1, .real = GB_FLOAT). NULL where there is no memory; every function takes a NULL tape and
 * then returns what it returns for an error. */
#define gb_tape_new(...) GB_NEW_0(gb_tape, .size = sizeof(gb_tape_options), __VA_ARGS__)
GB_API gb_tape *gb_tape_new_with(const gb_tape_options *options);

/* Ends the tape and all that it owns. NULL is fine. */
GB_API void gb_tape_free(gb_tape *tape);

/* Forgets all nodes, programs, streams and the error; keeps the variables and their values, for gb_variable to
 * find by name. Programs stay refusable: gb_run says that the tape was reset. Memory is kept for reuse. */
GB_API void gb_tape_reset(gb_tape *tape);

/* How many samples the programs compiled from now on run with, until gb_program_set_samples says otherwise. */
GB_API int64_t gb_tape_samples(const gb_tape *tape);
GB_API gb_status gb_tape_set_samples(gb_tape *tape, int64_t samples);

GB_API gb_real gb_tape_real(const gb_tape *tape);
GB_API uint64_t gb_tape_seed(const gb_tape *tape);
GB_API size_t gb_tape_length(const gb_tape *tape); /* nodes recorded so far */

/* Values to start from: GB_VALUES(1, 2, 3); gb_values_of(pointer, count); gb_fill(0.5) for all elements. */
typedef struct gb_values {
    const double *data;
    size_t count;
    double fill;
} gb_values;
#define GB_VALUES(...)                                                                                       \
    ((gb_values){.data = (const double[]){__VA_ARGS__},                                                      \
                 .count = sizeof((const double[]){__VA_ARGS__}) / sizeof(double)})
GB_API gb_values gb_values_of(const double *data, size_t count);
GB_API gb_values gb_fill(double value);

/* A named tensor that outlives a run. The name is copied; it must be new to this recording. After gb_tape_reset a
 * variable of the same name and shape is found again, with its value, and `start` is not used. */
GB_API gb_node gb_variable(gb_tape *tape, const char *name, gb_shape shape, gb_values start);

/* The variable of that name, whoever made it: "w.location" of a posterior, say. Where there is none in this recording it is
 * an error. */
GB_API gb_node gb_variable_named(gb_tape *tape, const char *name);

/* Whether there is one in this recording. */
GB_API bool gb_tape_has_variable(const gb_tape *tape, const char *name);

/* Gives a variable another value, from outside a program. All or nothing. */
GB_API gb_status gb_set(gb_node variable, gb_values values);

/* All variables of this recording, in the order in which the tape first had them. Writes at most `most` of them, and
 * returns how many there are. */
GB_API size_t gb_tape_variables(gb_tape *tape, gb_node *variables, size_t most);

/* The name by which gb_variable_named finds it, whatever gb_named has said since; "" for what is no variable. */
GB_API const char *gb_variable_name(gb_node variable);

/* A variable's values, bit for bit: an array of the tape's own type (double or float). The first is to be read before the
 * next run or gb_set, NULL on error; the second copies. */
GB_API const void *gb_variable_data(gb_node variable);
GB_API gb_status gb_set_data(gb_node variable, const void *data);

/* Constants. gb_num is a scalar; gb_zeros and gb_ones cost no memory. gb_ints are integers (indices). */
GB_API gb_node gb_num(gb_tape *tape, double value);
GB_API gb_node gb_constant(gb_tape *tape, gb_shape shape, gb_values values);
GB_API gb_node gb_zeros(gb_tape *tape, gb_shape shape);
GB_API gb_node gb_ones(gb_tape *tape, gb_shape shape);
GB_API gb_node gb_ints(gb_tape *tape, gb_shape shape, const int64_t *values);

/* Inputs: fed before a run. gb_input has one value of `shape`, gb_input_rows one for each row, where the number
 * of rows may differ from feed to feed. */
GB_API gb_node gb_input(gb_tape *tape, const char *name, gb_shape shape);
GB_API gb_node gb_input_rows(gb_tape *tape, const char *name, gb_shape shape);
GB_API gb_node gb_input_ints(gb_tape *tape, const char *name, gb_shape shape);
GB_API gb_node gb_input_rows_ints(gb_tape *tape, const char *name, gb_shape shape);

/* Feeds `rows` values of the input's shape (1 for gb_input), row after row. gb_feed, gb_feed_float and
 * gb_feed_ints copy and convert; gb_feed_borrowed keeps the pointer: elements must be in the tape's own type
 * (double or float; int64_t or int32_t), and stay until the next feed of that input or the tape's end. */
GB_API gb_status gb_feed(gb_node input, const double *values, int64_t rows);
GB_API gb_status gb_feed_float(gb_node input, const float *values, int64_t rows);
GB_API gb_status gb_feed_ints(gb_node input, const int64_t *values, int64_t rows);
GB_API gb_status gb_feed_borrowed(gb_node input, const void *values, int64_t rows);

/* A hidden axis of fixed size, for the evaluations that a site asks for. `name` is for messages. 0 on error. */
GB_API gb_axes gb_site_axis(gb_tape *tape, const char *name, int64_t size);

/* More places at the end of such an axis, for sites that join it. What was recorded before takes part in them, but for
 * gb_hide, gb_reveal and gb_select, which know the size that it had. */
GB_API gb_status gb_site_axis_grow(gb_tape *tape, gb_axes axis, int64_t by);

/* The current size of one hidden axis as a scalar: how many samples, how many rows were fed. */
GB_API gb_node gb_axis_size(gb_tape *tape, gb_axes axis);

/* The size of a site's hidden axis; −1 for samples and rows, whose sizes come with the run, and for what is none. */
GB_API int64_t gb_site_axis_size(const gb_tape *tape, gb_axes axis);

/* 0, 1, 2 … along one hidden axis, as reals: a scalar that carries the axis. */
GB_API gb_node gb_axis_index(gb_tape *tape, gb_axes axis);

/* What a node is. For an inert node: an invalid shape, no axes, "". */
GB_API gb_shape gb_node_shape(gb_node node);
GB_API gb_axes gb_node_axes(gb_node node);
GB_API gb_type gb_node_type(gb_node node);
GB_API const char *gb_node_op_name(gb_node node); /* the name of its operation: "add" */
GB_API const char *gb_node_name(gb_node node);    /* its own name, "" if it has none */
GB_API bool gb_node_ok(gb_node node);             /* usable: not inert, not of a reset tape */
GB_API bool gb_node_same(gb_node a, gb_node b);

/* Names a node for messages and dumps. Returns the node. */
GB_API gb_node gb_named(gb_node node, const char *name);

/* True where all elements are one number known at recording; stores it in `value` (may be NULL). */
GB_API bool gb_is_uniform(gb_node node, double *value);

/* True for values that are given at recording: gb_num, gb_constant, gb_zeros … and what is known to be uniform. */
GB_API bool gb_is_constant(gb_node node);

/* Element `index` of a constant of integers; false where the node is none. */
GB_API bool gb_constant_int(gb_node node, size_t index, int64_t *value);

/* Memory that belongs to the recording: zeros, until the tape is reset or ends. NULL: none left (the tape has the
 * error), as for a NULL tape or one with an error. */
GB_API void *gb_tape_keep(gb_tape *tape, size_t bytes);
GB_API char *gb_tape_keep_text(gb_tape *tape, const char *text);

/* For authors of operations: the tape's memory, for what lives as long as a call. */
GB_API gb_memory gb_tape_memory(const gb_tape *tape);

GB_END_DECLS
#endif
