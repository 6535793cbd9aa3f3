/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs of this folder are written with: a tape, inputs that are the same on every machine, and a
 * hash of the bits of all values that are read.
 *
 * A program must not record two nodes as arguments of one call: gb_mul(gb_exp(x), gb_sin(x)). Compilers
 * evaluate arguments in different orders, and a gradient adds its terms in the order of recording. */
#ifndef GREBE_TESTS_PROBE_H
#define GREBE_TESTS_PROBE_H

#include "support/close.h"

#include <ctype.h>
#include <stdio.h>

#include "grebe.h"

enum { KEPT = 512 };

typedef struct probe {
    const char *program;
    gb_tape *t; /* the caller frees it */
    gb_real real;
    int threads;
    uint64_t hash;
    bool verbose;       /* print the hash after every value that is read */
    gb_node kept[KEPT]; /* see keep */
    size_t count;
} probe;

/* ---- the hash: FNV-1a, 64 bits ---- */

static const uint64_t HASH_OF_NOTHING = 14695981039346656037u;

static inline uint64_t hash_of(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *const byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

/* Hashes the number of bytes first, so that an empty value changes the hash too. `what` is for GB_VERBOSE. */
static inline void hash_bytes(probe *p, const char *what, const void *bytes, size_t count)
{
    const uint64_t length = count;
    p->hash = hash_of(p->hash, &length, sizeof length);
    p->hash = hash_of(p->hash, bytes, count);
    if (p->verbose)
        print_message("    %s: %s %016llx\n", p->program, what, (unsigned long long)p->hash);
}

/* Replaces every NaN by the same one: which of its bit patterns an operation gives depends on the
 * compiler. */
static inline void hash_numbers(probe *p, const char *what, double *number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(number[i]))
            number[i] = (double)NAN;
    hash_bytes(p, what, number, count * sizeof *number);
}

static inline void hash_number(probe *p, const char *what, double number)
{
    hash_numbers(p, what, &number, 1);
}

/* Hashes the numbers in a text, digit by digit, and nothing else: words may change without a change of
 * results. */
static inline void hash_numbers_in(probe *p, const char *what, const char *text)
{
    const uint64_t before = p->hash;
    for (const char *at = text; *at;) {
        const bool is_signed = *at == '-' && isdigit((unsigned char)at[1]);
        if (!isdigit((unsigned char)*at) && !is_signed) {
            at++;
            continue;
        }
        const char *const from = at++;
        while (isdigit((unsigned char)*at) || *at == '.' ||
               (*at == 'e' && (isdigit((unsigned char)at[1]) || at[1] == '-' || at[1] == '+')) ||
               ((*at == '-' || *at == '+') && at[-1] == 'e'))
            at++;
        p->hash = hash_of(hash_of(p->hash, from, (size_t)(at - from)), "\n", 1);
    }
    if (p->hash == before)
        fail_msg("%s: there is no number in %s", p->program, what);
    if (p->verbose)
        print_message("    %s: %s %016llx\n", p->program, what, (unsigned long long)p->hash);
}

/* ---- reading ---- */

static inline void assert_good(const probe *p)
{
    if (gb_error(p->t) != GB_OK)
        fail_msg("%s (%s): %s: %s", p->program, p->real == GB_FLOAT ? "float" : "double",
                 gb_status_text(gb_error(p->t)), gb_error_text(p->t));
}

static inline void look(probe *p, gb_node node)
{
    assert_good(p);
    const size_t count = gb_value_count(node);
    double *const number = calloc(count + 1, sizeof *number);
    gb_read(node, number, count);
    assert_good(p);
    hash_numbers(p, gb_node_op_name(node), number, count);
    free(number);
}

static inline void look_at_variable(probe *p, gb_node variable)
{
    const char *const name = gb_variable_name(variable);
    const size_t width = p->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    p->hash = hash_of(p->hash, name, strlen(name));
    hash_bytes(p, name, gb_variable_data(variable), gb_shape_count(gb_node_shape(variable)) * width);
}

/* Hashes names and values of all variables of the tape, among them what optimisers and estimators
 * remember. */
static inline void look_at_variables(probe *p)
{
    gb_node variable[256];
    const size_t count = gb_tape_variables(p->t, variable, 256);
    assert_good(p);
    assert_true(count <= 256);
    for (size_t i = 0; i < count; i++)
        look_at_variable(p, variable[i]);
}

/* ---- nodes that are read together ---- */

/* The node becomes a root of the program that look_at_kept compiles. */
static inline void keep(probe *p, gb_node node)
{
    assert_good(p);
    if (p->count == KEPT)
        fail_msg("%s: too much is kept", p->program);
    p->kept[p->count++] = node;
}

static inline void keep_number(probe *p, double number)
{
    keep(p, gb_num(p->t, number));
}

/* Compiles a program with all kept nodes as roots, and reads them after every run. */
static inline void look_at_kept(probe *p, int runs)
{
    gb_program *const program =
        gb_compile(p->t, (gb_node_list){.count = p->count, .node = p->kept}, gb_no_update);
    for (int run = 0; run < runs; run++) {
        gb_run(program);
        for (size_t i = 0; i < p->count; i++)
            look(p, p->kept[i]);
    }
    p->count = 0;
}

/* ---- inputs ---- */

/* Numbers between low and high, from a linear congruential generator that is seeded with the name. */
static inline void fill(const char *name, double low, double high, size_t count, double *number)
{
    uint64_t state = hash_of(HASH_OF_NOTHING, name, strlen(name));
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        number[i] = low + (high - low) * (((double)(state >> 54) + 0.5) / 1024);
    }
}

enum { MOST_INPUTS = 1 << 17 };

static inline const double *inputs(const char *name, gb_shape shape, double low, double high)
{
    static double number[MOST_INPUTS];
    const size_t count = gb_shape_count(shape);
    assert_true(count <= MOST_INPUTS);
    fill(name, low, high, count, number);
    return number;
}

static inline gb_node variable(probe *p, const char *name, gb_shape shape, double low, double high)
{
    return gb_variable(p->t, name, shape,
                       gb_values_of(inputs(name, shape, low, high), gb_shape_count(shape)));
}

static inline gb_node constant(probe *p, const char *name, gb_shape shape, double low, double high)
{
    return gb_constant(p->t, shape, gb_values_of(inputs(name, shape, low, high), gb_shape_count(shape)));
}

/* An input with a value for each row, which is fed. */
static inline gb_node rows_of(probe *p, const char *name, int64_t rows, gb_shape shape, double low,
                              double high)
{
    const gb_node node = gb_input_rows(p->t, name, shape);
    const gb_shape all = gb_shape_join(gb_shape(rows), shape);
    gb_feed(node, inputs(name, all, low, high), rows);
    return node;
}

/* ---- gradients ---- */

/* Σ weight · x over all elements and hidden axes, with different weights: a scalar to take a gradient of. */
static inline gb_node weighted_sum(probe *p, gb_node x)
{
    const gb_axes hidden = gb_node_axes(x);
    const gb_node weight = constant(p, "weight", gb_node_shape(x), -1, 1);
    const gb_node sum = gb_sum(gb_mul(x, weight));
    return hidden ? gb_sum_over(sum, hidden) : sum;
}

/* Keeps the gradient and returns it. Where the library rejects it (some functions have no second
 * derivative), keeps a number in its place and returns an inert node. */
static inline gb_node keep_gradient(probe *p, gb_node y, gb_node x)
{
    assert_good(p);
    const gb_node gradient = gb_grad(y, x);
    if (gb_error(p->t) == GB_EGRADIENT) {
        gb_forgive(p->t);
        keep_number(p, -77);
        return (gb_node){0};
    }
    keep(p, gradient);
    return gradient;
}

/* Keeps y, its gradients, and all gradients of these. */
static inline void keep_two_gradients(probe *p, gb_node y, size_t count, const gb_node *x)
{
    keep(p, y);
    const gb_node sum = weighted_sum(p, y);
    for (size_t i = 0; i < count; i++) {
        const gb_node first = keep_gradient(p, sum, x[i]);
        if (!gb_node_ok(first))
            continue;
        const gb_node again = weighted_sum(p, first);
        for (size_t j = 0; j < count; j++)
            keep_gradient(p, again, x[j]);
    }
}

/* ---- training ---- */

/* Hashes the loss of each run, and all variables at the end. */
static inline void train_by(probe *p, gb_node loss, gb_updates updates, int steps)
{
    gb_program *const program = gb_compile(p->t, gb_roots(loss), updates);
    for (int step = 0; step < steps; step++) {
        gb_run(program);
        look(p, loss);
    }
    look_at_variables(p);
}

static inline void train(probe *p, gb_node loss, int steps)
{
    train_by(p, loss, gb_minimise(loss, gb_adam(.lr = 0.0625)), steps);
}

/* ---- programs ---- */

typedef struct named_program {
    const char *name;
    void (*run)(probe *p);
    int64_t samples; /* of the tape; 0: 1 */
    bool multiplies; /* it has products of matrices that OpenBLAS carries out */
} named_program;

/* clang-format off */
#define PROGRAM(name, run) {(name), (run), 0, false}
#define SAMPLED(name, run, samples) {(name), (run), (samples), false}
#define MULTIPLIED(name, run) {(name), (run), 0, true}
/* clang-format on */

#endif
