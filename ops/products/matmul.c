/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All products are one operation, a contraction. Each visible axis of the arguments and of the result has a
 * letter, as in Einstein's notation (a matrix product is "mk, kn → mn"). A letter that the result lacks is
 * summed over. Contractions are closed under differentiation: the adjoint of a in c = a · b is the
 * contraction of c's adjoint with b to the letters of a. For every letter of c is one of a or b, and every
 * letter of a is one of b or c. */
#include "ops/matmul.h"

#include <string.h>

#include "core/tape/within_impl.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/products/contract_plan_impl.h"

/* A letter is a number from 0. ONE marks an axis of size 1 that is repeated along the others' axis. */
enum { ONE = -1, MOST_LETTERS = 2 * GB_MAX_RANK };

typedef struct contraction {
    gb_axes summed; /* hidden axes, of both arguments, that the result lacks */
    int8_t letter[2][GB_MAX_RANK];
    int8_t result[GB_MAX_RANK];
    int8_t rank; /* of the result */
    int8_t unused[5];
} contraction;

static uint32_t letters_of(const int8_t *letter, int rank)
{
    uint32_t set = 0;
    for (int i = 0; i < rank; i++)
        if (letter[i] != ONE)
            set |= 1u << letter[i];
    return set;
}

static gb_node contract(gb_node a, gb_node b, const contraction *attributes)
{
    return gb_apply(NULL, &gb_matmul_op, 2, (const gb_node[]){a, b}, attributes, sizeof *attributes);
}

/* ---- shape ---- */

static bool infer_letters(const gb_infer *infer, int64_t size[MOST_LETTERS])
{
    const contraction *to = infer->attributes;
    for (int l = 0; l < MOST_LETTERS; l++)
        size[l] = -1;
    for (int arg = 0; arg < 2; arg++) {
        const gb_shape shape = infer->arg_shape[arg];
        for (int i = 0; i < shape.rank; i++) {
            const int8_t letter = to->letter[arg][i];
            if (letter < 0 ? shape.size[i] != 1 : size[letter] >= 0 && size[letter] != shape.size[i])
                return false;
            if (letter >= 0)
                size[letter] = shape.size[i];
        }
    }
    return true;
}

static bool matmul_infer(gb_infer *infer)
{
    const contraction *to = infer->attributes;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    int64_t size[MOST_LETTERS], result[GB_MAX_RANK] = {0};
    if (!infer_letters(infer, size))
        return gb_infer_fail(infer, GB_ESHAPE, "%s · %s: sizes of a common axis differ",
                             gb_shape_text(infer->arg_shape[0], a), gb_shape_text(infer->arg_shape[1], b));
    if (to->summed & ~(gb_node_axes(infer->arg[0]) & gb_node_axes(infer->arg[1])))
        return gb_infer_fail(infer, GB_ESHAPE, "an argument lacks a hidden axis that is to be summed over");
    for (int i = 0; i < to->rank; i++)
        result[i] = to->result[i] == ONE ? 1 : size[to->result[i]];
    infer->shape = gb_shape_of(to->rank, result);
    infer->axes &= ~to->summed;
    return true;
}

/* ---- derivative ---- */

/* Returns whether the letters are the last ones of the result, so that broadcasting puts them in their
 * place. */
static bool broadcasts(const int8_t *letter, int rank, const contraction *to)
{
    if (rank > to->rank)
        return false;
    for (int i = 0; i < rank; i++)
        if (letter[i] == ONE || letter[i] != to->result[to->rank - rank + i])
            return false;
    return true;
}

/* Returns whether there is no sum. Then elementwise operations are better: they can be fused, and an adjoint
 * of 0 stays 0 even times infinity. */
static bool elementwise(const contraction *to, int rank_a, int rank_b)
{
    return !to->summed && broadcasts(to->letter[0], rank_a, to) && broadcasts(to->letter[1], rank_b, to) &&
           (rank_a == to->rank || rank_b == to->rank);
}

/* Hidden axes that the argument lacks are summed over: inside the product if both factors have them, else
 * before it. */
static gb_node adjoint(const gb_vjp *v, int which)
{
    const contraction *from = v->attributes;
    const gb_node other = v->arg[1 - which];
    const gb_axes kept = gb_node_axes(v->arg[which]);
    const gb_axes both = gb_node_axes(v->gradient) & gb_node_axes(other);
    const gb_node g = gb_sum_to(v->gradient, gb_node_shape(v->gradient), kept | both);
    const gb_node o = gb_sum_to(other, gb_node_shape(other), kept | both);
    contraction to;
    memset(&to, 0, sizeof to);
    memcpy(to.letter[0], from->result, sizeof to.letter[0]);
    memcpy(to.letter[1], from->letter[1 - which], sizeof to.letter[1]);
    memcpy(to.result, from->letter[which], sizeof to.result);
    to.rank = (int8_t)gb_node_shape(v->arg[which]).rank;
    to.summed = both & ~kept;
    if (elementwise(&to, from->rank, gb_node_shape(other).rank))
        return gb_chain(g, o);
    return contract(g, o, &to);
}

static void matmul_vjp(const gb_vjp *v)
{
    for (int i = 0; i < 2; i++)
        if (v->wanted[i])
            v->adjoint[i] = adjoint(v, i);
}

/* ---- kernel ---- */

static int hidden_axes(const gb_kernel_call *call, gb_contract_axis *axes)
{
    int count = 0;
    for (gb_axes rest = call->arg[0].axes | call->arg[1].axes; rest; rest &= rest - 1) {
        const gb_axes axis = rest & (~rest + 1);
        const gb_layout *having = &call->arg[call->arg[0].axes & axis ? 0 : 1];
        axes[count++] = (gb_contract_axis){.size = having->hidden_size[gb_axis_place(having->axes, axis)],
                                           .a = gb_layout_stride(&call->arg[0], axis),
                                           .b = gb_layout_stride(&call->arg[1], axis),
                                           .c = gb_layout_stride(&call->out_layout, axis)};
    }
    return count;
}

/* Returns the stride of a letter in a layout, 0 if the layout lacks it. Stores `size` if the layout has
 * it. */
static int64_t letter_step(const gb_layout *layout, const int8_t *letters, int letter, int64_t *size)
{
    for (int i = 0; i < layout->shape.rank; i++)
        if (letters[i] == letter) {
            *size = layout->shape.size[i];
            return layout->stride[i];
        }
    return 0;
}

static int letter_axes(const gb_kernel_call *call, gb_contract_axis *axes)
{
    const contraction *to = call->attributes;
    const uint32_t used = letters_of(to->letter[0], call->arg[0].shape.rank) |
                          letters_of(to->letter[1], call->arg[1].shape.rank);
    int count = 0;
    for (int l = 0; l < MOST_LETTERS; l++) {
        gb_contract_axis *axis = &axes[count];
        if (!(used >> l & 1u))
            continue;
        axis->a = letter_step(&call->arg[0], to->letter[0], l, &axis->size);
        axis->b = letter_step(&call->arg[1], to->letter[1], l, &axis->size);
        axis->c = letter_step(&call->out_layout, to->result, l, &axis->size);
        count++;
    }
    return count;
}

static size_t matmul_workspace(const gb_kernel_call *call)
{
    (void)call;
    return sizeof(gb_contract);
}

static bool matmul_prepare(gb_tape *tape, const gb_kernel_call *call)
{
    gb_contract_axis axes[GB_CONTRACT_AXES];
    int count = hidden_axes(call, axes);
    count += letter_axes(call, axes + count);
    if (gb_contract_prepare(call->workspace, call->real, gb_tape_isa(tape), count, axes))
        return true;
    gb_blas_fail(tape);
    return false;
}

static void matmul_run(const gb_kernel_call *call)
{
    gb_contract_run(call->workspace, call->workers, call->in[0], call->in[1], call->out);
}

/* ---- recording ---- */

/* The letters of matmul: those of leading axes from the last to the first, then the three of the product. */
enum { LEADING = 0, M = GB_MAX_RANK, K, N };

/* Stores the letters of an argument: the last two axes of a matrix are `row` and `column`, that of a vector
 * is `inner`. */
static void matrix_letters(gb_shape shape, bool transpose, int row, int column, int inner, int8_t *letter)
{
    const int leading = shape.rank - 2;
    for (int i = 0; i < leading && i < GB_MAX_RANK - 2; i++)
        letter[i] = (int8_t)(LEADING + leading - 1 - i);
    if (shape.rank == 1)
        letter[0] = (int8_t)inner;
    else {
        letter[leading] = (int8_t)(transpose ? column : row);
        letter[leading + 1] = (int8_t)(transpose ? row : column);
    }
}

static int64_t size_of_letter(gb_shape shape, const int8_t *letters, int letter)
{
    for (int i = 0; i < shape.rank; i++)
        if (letters[i] == letter)
            return shape.size[i];
    return 1;
}

/* Broadcasts leading axes. Returns how many the result has. `differ` is the first of them, from the last,
 * that does not fit, or −1. */
static int broadcast_leading(const gb_shape shape[2], contraction *to, int *differ)
{
    int count = 0;
    *differ = -1;
    for (int arg = 0; arg < 2; arg++)
        if (shape[arg].rank - 2 > count)
            count = shape[arg].rank - 2;
    for (int l = 0; l < count; l++) {
        const int64_t size[2] = {size_of_letter(shape[0], to->letter[0], LEADING + l),
                                 size_of_letter(shape[1], to->letter[1], LEADING + l)};
        if (size[0] != size[1] && size[0] != 1 && size[1] != 1 && *differ < 0)
            *differ = l;
        for (int arg = 0; arg < 2; arg++)
            if (size[arg] == 1 && size[1 - arg] != 1 && shape[arg].rank - 2 > l)
                to->letter[arg][shape[arg].rank - 3 - l] = ONE;
    }
    return count;
}

/* "(2×3)", or "(2×3)ᵀ" if it is transposed. */
enum { ARGUMENT_TEXT = GB_SHAPE_TEXT + 4 };

static const char *argument_text(gb_shape shape, bool transpose, char text[ARGUMENT_TEXT])
{
    gb_shape_text(shape, text);
    return transpose && shape.rank > 1 ? strcat(text, "ᵀ") : text;
}

static void reject(gb_node a, gb_node b, const gb_matmul_options *options, const char *what, int64_t size_a,
                   int64_t size_b)
{
    char text_a[ARGUMENT_TEXT], text_b[ARGUMENT_TEXT];
    gb_fail(a.tape, GB_ESHAPE, "matmul: %s · %s: %s sizes %lld and %lld differ",
            argument_text(gb_node_shape(a), options->transpose_a, text_a),
            argument_text(gb_node_shape(b), options->transpose_b, text_b), what, (long long)size_a,
            (long long)size_b);
}

static void put_result(contraction *to, const gb_shape shape[2], int leading)
{
    for (int i = 0; i < leading; i++)
        to->result[to->rank++] = (int8_t)(LEADING + leading - 1 - i);
    if (shape[0].rank > 1)
        to->result[to->rank++] = M;
    if (shape[1].rank > 1)
        to->result[to->rank++] = N;
}

gb_node gb_matmul_with(gb_node a, gb_node b, const gb_matmul_options *options)
{
    gb_matmul_options own;
    if (!gb_options_take(a.tape, "matmul", &own, sizeof own, options))
        return (gb_node){0};
    const gb_shape shape[2] = {gb_node_shape(a), gb_node_shape(b)};
    contraction to;
    memset(&to, 0, sizeof to);
    to.summed = own.sum_over;
    if (!gb_node_ok(a) || !gb_node_ok(b) || a.tape != b.tape)
        return contract(a, b, &to); /* gb_apply records the error */
    if (shape[0].rank == 0 || shape[1].rank == 0) {
        gb_fail(a.tape, GB_ESHAPE, "matmul: a scalar () has no axis to multiply over; use gb_mul");
        return (gb_node){0};
    }
    matrix_letters(shape[0], own.transpose_a, M, K, K, to.letter[0]);
    matrix_letters(shape[1], own.transpose_b, K, N, K, to.letter[1]);
    int differ;
    const int leading = broadcast_leading(shape, &to, &differ);
    const int letter = differ < 0 ? K : LEADING + differ;
    const int64_t size_a = size_of_letter(shape[0], to.letter[0], letter);
    const int64_t size_b = size_of_letter(shape[1], to.letter[1], letter);
    if (size_a != size_b) {
        reject(a, b, &own, letter == K ? "inner" : "leading", size_a, size_b);
        return (gb_node){0};
    }
    put_result(&to, shape, leading);
    return contract(a, b, &to);
}

gb_node gb_dot(gb_node a, gb_node b)
{
    char text_a[GB_SHAPE_TEXT], text_b[GB_SHAPE_TEXT];
    const gb_shape shape_a = gb_node_shape(a), shape_b = gb_node_shape(b);
    if (gb_node_ok(a) && gb_node_ok(b) && a.tape == b.tape && (shape_a.rank != 1 || shape_b.rank != 1)) {
        gb_fail(a.tape, GB_ESHAPE, "dot: %s and %s are not both vectors; use gb_matmul",
                gb_shape_text(shape_a, text_a), gb_shape_text(shape_b, text_b));
        return (gb_node){0};
    }
    return gb_matmul(a, b);
}

gb_node gb_affine(gb_node x, gb_node w, gb_node b)
{
    return gb_add(gb_matmul(x, w), b);
}

/* ---- for the conformance tests ---- */

/* Returns leading axes for an argument: the last of the result's, each with its size or 1. */
static gb_shape example_shape(gb_example *e, gb_shape leading, bool transpose, int64_t rows, int64_t columns)
{
    gb_shape shape = {.rank = (int)e->integer(e, 0, leading.rank)};
    for (int i = 0; i < shape.rank; i++)
        shape.size[i] = e->integer(e, 0, 2) ? leading.size[leading.rank - shape.rank + i] : 1;
    shape.size[shape.rank++] = transpose ? columns : rows;
    shape.size[shape.rank++] = transpose ? rows : columns;
    return shape;
}

static gb_node matmul_example(gb_example *e)
{
    const gb_shape leading = e->shape(e, 0, 3, 0, 3);
    const int64_t m = e->integer(e, 0, 5), k = e->integer(e, 0, 5), n = e->integer(e, 0, 5);
    const bool transpose_a = e->integer(e, 0, 1), transpose_b = e->integer(e, 0, 1);
    const bool vector_a = e->integer(e, 0, 3) == 0, vector_b = e->integer(e, 0, 3) == 0;
    const gb_shape a = vector_a ? gb_shape(k) : example_shape(e, leading, transpose_a, m, k);
    const gb_shape b = vector_b ? gb_shape(k) : example_shape(e, leading, transpose_b, k, n);
    const gb_node left = e->real(e, a, -2, 2);
    return gb_matmul(left, e->real(e, b, -2, 2), .transpose_a = transpose_a, .transpose_b = transpose_b);
}

static gb_node dot_example(gb_example *e)
{
    const gb_shape shape = gb_shape(e->integer(e, 0, 20));
    const gb_node a = e->real(e, shape, -2, 2);
    return gb_dot(a, e->real(e, shape, -2, 2));
}

static gb_node affine_example(gb_example *e)
{
    const int64_t m = e->integer(e, 0, 5), k = e->integer(e, 0, 5), n = e->integer(e, 0, 5);
    const gb_node x = e->real(e, e->integer(e, 0, 1) ? gb_shape(k) : gb_shape(m, k), -2, 2);
    const gb_node w = e->real(e, gb_shape(k, n), -2, 2);
    return gb_affine(x, w, e->real(e, gb_shape(n), -2, 2));
}

const gb_op gb_matmul_op = {.size = sizeof(gb_op),
                            .name = "matmul",
                            .attribute_bytes = sizeof(contraction),
                            .formula = "Σ a b over the inner axis",
                            .form = GB_FORM_KERNEL,
                            .arguments = 2,
                            .infer = matmul_infer,
                            .vjp = matmul_vjp,
                            .adds_rows = true,
                            .run = matmul_run,
                            .workspace = matmul_workspace,
                            .prepare = matmul_prepare,
                            .example = matmul_example};

GB_COMPOSITE(dot, "Σ a b of two vectors", dot_example);
GB_COMPOSITE(affine, "x · w + b", affine_example);
