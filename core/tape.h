/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tape: the list of operations that a program records, and its leaves.
 *
 * Only one thread may use a tape at a time; different threads may use different tapes at once. A tape owns
 * all that is made on it (nodes, variables, programs), and gb_tape_free frees everything together.
 *
 * After fork() the child has a copy of each tape. If no tape was being used at that moment, the child may use
 * and free its copies: programs run on with threads of its own, and give the same bits. */
#ifndef GREBE_CORE_TAPE_H
#define GREBE_CORE_TAPE_H

#include "memory.h"
#include "options.h"
#include "shape.h"
#include "status.h"

GB_BEGIN_DECLS

/* A handle of one operation's value. Pass it by value; it is valid as long as its tape. After gb_tape_reset a
 * node is rejected with an error that says so. {0} is the inert node. */
typedef struct gb_node {
    gb_tape *tape;
    uint32_t id;
    uint32_t generation;
} gb_node;

typedef struct gb_team gb_team;

/* Whether programs become native code by the system's C compiler: see core/native.h. */
typedef enum gb_native_use { GB_NATIVE_OFF, GB_NATIVE_AUTO, GB_NATIVE_NOW } gb_native_use;

typedef struct gb_tape_options {
    size_t size;
    uint64_t seed;    /* of all noise on the tape */
    gb_real real;     /* GB_DOUBLE (the default) or GB_FLOAT */
    int threads;      /* 0: one for each processor; at most 1024; results do not depend on it */
    int64_t samples;  /* see gb_tape_set_samples; 0 means 1, at most 2^31 - 1 */
    gb_memory memory; /* {0} means malloc; one function alone is an error */
    /* True: runs treat subnormal numbers as 0 (below 1e-38 for floats, 2e-308 for doubles), if the processor
     * can (x86-64, AArch64). Some processors need a hundred times as long for subnormal numbers. Long
     * trainings on float tapes meet them: weights that the data do not determine, and Adam's moments of them,
     * decay to 0. */
    bool flush_subnormals;
    gb_team *team; /* the members that run this tape's programs together: core/team.h. NULL: none */
    /* GB_NATIVE_AUTO: a program that has run for a while is compiled by a thread of its own, while it runs
     * on; GB_NATIVE_NOW: every program is compiled before its first run. Results are the same, to the last
     * bit. Without a compiler programs run as they do by default; gb_program_native says why.
     * GREBE_NATIVE=off, auto or now in the environment takes the place of this. */
    gb_native_use native;
} gb_tape_options;

/* Makes a tape: gb_tape_new(.seed = 1, .real = GB_FLOAT). Returns NULL if memory runs out, or if the options
 * have no size; other errors are on the tape. Every function accepts a NULL tape and then returns the same as
 * for an error. */
#define gb_tape_new(...) GB_NEW_0(gb_tape, .size = sizeof(gb_tape_options), __VA_ARGS__)
GB_API gb_tape *gb_tape_new_with(const gb_tape_options *options);

/* Frees the tape and all that it owns. NULL is allowed. */
GB_API void gb_tape_free(gb_tape *tape);

/* Removes all nodes, programs, streams and the error, and keeps memory for reuse. Notes remain. Variables
 * keep their values, and gb_variable finds them by name. gb_run rejects an old program with an error that
 * says that the tape was reset. For that it keeps a hundred bytes of each of the latest 4,096 old programs;
 * an older one is freed, and must not be used. */
GB_API void gb_tape_reset(gb_tape *tape);

/* The number of samples of programs that are compiled later, until gb_program_set_samples changes it for one
 * of them. */
GB_API int64_t gb_tape_samples(const gb_tape *tape);
GB_API gb_status gb_tape_set_samples(gb_tape *tape, int64_t samples);

/* Return what the tape was made with. */
GB_API gb_real gb_tape_real(const gb_tape *tape);
GB_API uint64_t gb_tape_seed(const gb_tape *tape);
/* The number of nodes recorded so far. */
GB_API size_t gb_tape_length(const gb_tape *tape);

/* Initial values: GB_VALUES(1, 2, 3), gb_values_of(pointer, count), or gb_fill(0.5), which sets all elements
 * to 0.5. */
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

/* Makes a variable: a named tensor that outlives a run. The name is copied and must be new to this recording.
 * After gb_tape_reset a variable of the same name and shape keeps its value, and `start` is not used. */
GB_API gb_node gb_variable(gb_tape *tape, const char *name, gb_shape shape, gb_values start);

/* Returns the variable of that name, such as "w.location" of a posterior. Fails if this recording has
 * none. */
GB_API gb_node gb_variable_named(gb_tape *tape, const char *name);

/* Returns whether this recording has a variable of that name. */
GB_API bool gb_tape_has_variable(const gb_tape *tape, const char *name);

/* Sets the values of a variable, outside a program. On error no element changes. */
GB_API gb_status gb_set(gb_node variable, gb_values values);

/* With `awaiting`, new variables have no values yet, whatever their `start` is, until gb_set, gb_set_data,
 * an assign or gb_checkpoint_load gives them some. Before that a run that needs one fails, and so do reading
 * and saving it. This is for a model whose numbers come from a file; gb_analysis_new does so with .noted.
 * Variables that the tape had before keep their values. */
GB_API void gb_tape_set_awaiting(gb_tape *tape, bool awaiting);

/* Writes the variables of this recording to `variables`, at most `most` of them, in the order in which the
 * tape first had them. Returns how many there are. */
GB_API size_t gb_tape_variables(gb_tape *tape, gb_node *variables, size_t most);

/* Returns the name by which gb_variable_named finds the variable; gb_named does not change it. "" for other
 * nodes. */
GB_API const char *gb_variable_name(gb_node variable);

/* The values of a variable, bit for bit, as an array of the tape's own type (double or float).
 * gb_variable_data returns a pointer that is valid until the next run or gb_set, NULL on error. gb_set_data
 * copies from `data`. */
GB_API const void *gb_variable_data(gb_node variable);
GB_API gb_status gb_set_data(gb_node variable, const void *data);

/* Notes: named bytes that belong to the model and are no numbers in its graph, such as the means by which its
 * inputs are standardised. They remain after gb_tape_reset, and checkpoints contain them
 * (models/checkpoint.h).
 *
 * gb_tape_note copies `count` bytes; `bytes` may be NULL if there are none. A recording does not change its
 * notes: other bytes under the same name are an error, the same bytes once more are none. After gb_tape_reset
 * the bytes may differ. Bytes that go to another machine should not depend on the order of bytes. */
GB_API gb_status gb_tape_note(gb_tape *tape, const char *name, const void *bytes, size_t count);

/* Returns the bytes of a note, and stores their number in `count`, which may be NULL. They are valid until
 * gb_tape_free, or until they change after gb_tape_reset. NULL, without error, if there is no such note. */
GB_API const void *gb_tape_noted(const gb_tape *tape, const char *name, size_t *count);

/* Writes the names of the notes to `names`, at most `most` of them, in the order in which the tape first had
 * them. Returns how many there are. The texts are valid until gb_tape_free. */
GB_API size_t gb_tape_notes(const gb_tape *tape, const char **names, size_t most);

/* Constants. gb_num is a scalar; gb_zeros and gb_ones use no memory; gb_ints holds integers, for example
 * indices. Finite numbers that are too large for the numbers of a float tape are rejected (GB_ELIMIT), also
 * where a function takes one as a double, such as gb_scale. */
GB_API gb_node gb_num(gb_tape *tape, double value);
GB_API gb_node gb_constant(gb_tape *tape, gb_shape shape, gb_values values);
GB_API gb_node gb_zeros(gb_tape *tape, gb_shape shape);
GB_API gb_node gb_ones(gb_tape *tape, gb_shape shape);
GB_API gb_node gb_ints(gb_tape *tape, gb_shape shape, const int64_t *values);

/* Inputs, which are fed before a run. gb_input has one value of `shape`. gb_input_rows has one for each row,
 * and the number of rows may differ from feed to feed. */
GB_API gb_node gb_input(gb_tape *tape, const char *name, gb_shape shape);
GB_API gb_node gb_input_rows(gb_tape *tape, const char *name, gb_shape shape);
GB_API gb_node gb_input_ints(gb_tape *tape, const char *name, gb_shape shape);
GB_API gb_node gb_input_rows_ints(gb_tape *tape, const char *name, gb_shape shape);

/* Feeds `rows` values of the input's shape (1 for gb_input), row after row. gb_feed, gb_feed_float and
 * gb_feed_ints copy and convert; they reject a number that is too large for a float tape (GB_ELIMIT).
 * gb_feed_borrowed keeps the pointer: elements must be of the tape's own type (double or float; int64_t or
 * int32_t). They must stay until the next feed of that input or the tape's end. */
GB_API gb_status gb_feed(gb_node input, const double *values, int64_t rows);
GB_API gb_status gb_feed_float(gb_node input, const float *values, int64_t rows);
GB_API gb_status gb_feed_ints(gb_node input, const int64_t *values, int64_t rows);
GB_API gb_status gb_feed_borrowed(gb_node input, const void *values, int64_t rows);

/* Sets aside what inputs with rows have, so that other rows can be fed to look at something in the middle of
 * a training by hand; gb_feeds_put_back gives it back to them, without copying:
 *
 *     gb_feeds *training = gb_tape_set_feeds_aside(t);
 *     gb_feed(x, other, 20);
 *     gb_run(look);
 *     gb_feeds_put_back(training);
 *
 * In between the inputs have nothing, and must be fed. What was set aside last is put back first. gb_fit,
 * gb_predictive and others that feed rows of their own do this by themselves. Returns NULL on error; NULL is
 * put back without effect. gb_feeds_put_back frees it; a reset or the end of the tape does so, too. */
typedef struct gb_feeds gb_feeds;
GB_API gb_feeds *gb_tape_set_feeds_aside(gb_tape *tape);
GB_API void gb_feeds_put_back(gb_feeds *feeds);

/* Returns what was fed last, in the tape's own type, until the next feed; `bytes` receives its length. NULL,
 * without an error, for a node that is no input, and before the first feed. */
GB_API const void *gb_input_data(gb_node input, size_t *bytes);

/* Makes a hidden axis of fixed size, for the evaluations that a site requests. `name` is for messages.
 * Returns 0 on error. */
GB_API gb_axes gb_site_axis(gb_tape *tape, const char *name, int64_t size);

/* Adds `by` places at the end of a site's axis, for sites that join it. Nodes recorded before gain these
 * places too, but for gb_hide, gb_reveal and gb_select, which keep the size that the axis had. */
GB_API gb_status gb_site_axis_grow(gb_tape *tape, gb_axes axis, int64_t by);

/* Returns the current size of one hidden axis as a scalar node: the number of samples, or of rows that were
 * fed. */
GB_API gb_node gb_axis_size(gb_tape *tape, gb_axes axis);

/* Returns the size of a site's hidden axis; −1 for samples and rows, whose sizes belong to a run, and for
 * other sets. */
GB_API int64_t gb_site_axis_size(const gb_tape *tape, gb_axes axis);

/* Returns 0, 1, 2 … along one hidden axis, as reals: a scalar node that carries the axis. */
GB_API gb_node gb_axis_index(gb_tape *tape, gb_axes axis);

/* Properties of a node. An inert node has an invalid shape, no hidden axes, and "" as texts. */
GB_API gb_shape gb_node_shape(gb_node node);
GB_API gb_axes gb_node_axes(gb_node node);
GB_API gb_type gb_node_type(gb_node node);
/* The name of its operation, such as "add". */
GB_API const char *gb_node_op_name(gb_node node);
/* The name of the node itself; "" if it has none. */
GB_API const char *gb_node_name(gb_node node);
/* False if the node is inert, or if its tape was reset. */
GB_API bool gb_node_ok(gb_node node);
GB_API bool gb_node_same(gb_node a, gb_node b);

/* Names a node for messages and dumps. Returns the node. */
GB_API gb_node gb_named(gb_node node, const char *name);

/* Returns whether all elements are one number that is known at recording. Stores it in `value`, which may be
 * NULL. */
GB_API bool gb_is_uniform(gb_node node, double *value);

/* Returns whether the value is given at recording: gb_num, gb_constant, gb_zeros … and nodes that
 * gb_is_uniform knows. */
GB_API bool gb_is_constant(gb_node node);

/* Stores element `index` of a constant of integers in `value`, which may be NULL. Returns false if the node
 * is not such a constant, or `index` is out of range. */
GB_API bool gb_constant_int(gb_node node, size_t index, int64_t *value);

/* Allocates zeroed memory, or copies a text, that is valid until the tape is reset or freed. Returns NULL if
 * memory runs out, for a NULL text, and for a NULL tape or one with an error. */
GB_API void *gb_tape_keep(gb_tape *tape, size_t bytes);
GB_API char *gb_tape_keep_text(gb_tape *tape, const char *text);

/* Calls release(user) when the tape is reset or freed, what was given last first; the tape is still there
 * then. Returns false on error; if memory ran out, release(user) was called at once. */
GB_API bool gb_tape_own(gb_tape *tape, void (*release)(void *user), void *user);

/* Forgets the latest gb_tape_own of `user`, without calling its function. Returns whether there was one. */
GB_API bool gb_tape_disown(gb_tape *tape, const void *user);

/* For authors of operations: returns the tape's allocator, for memory that a call frees itself. */
GB_API gb_memory gb_tape_memory(const gb_tape *tape);

GB_END_DECLS
#endif
