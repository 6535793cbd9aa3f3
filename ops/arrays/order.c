/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/order.h"

#include <math.h>

#include "ops/arrays/axis_impl.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/elementwise/element_impl.h"
#include "ops/take.h"

static gb_node along_axis(const gb_op *op, gb_node x, int axis)
{
    const int64_t along = gb_axis_from_front(x, op->name, axis);
    return along < 0 ? (gb_node){0} : gb_apply(NULL, op, 1, &x, &along, sizeof along);
}

/* A total order: NaN is the largest. */
static bool is_less(double a, double b)
{
    return a < b || (isnan(b) && !isnan(a));
}

/* ---- argmax ---- */

static bool argmax_infer(gb_infer *infer)
{
    const int64_t axis = *(const int64_t *)infer->attributes;
    gb_infer_first(infer);
    if (infer->shape.size[axis] == 0)
        return gb_infer_fail(infer, GB_ESHAPE, "axis %lld is empty and has no largest element",
                             (long long)axis);
    for (int i = (int)axis; i + 1 < infer->shape.rank; i++)
        infer->shape.size[i] = infer->shape.size[i + 1];
    infer->shape = gb_shape_of(infer->shape.rank - 1, infer->shape.size);
    infer->type = GB_TYPE_INT;
    return true;
}

static void argmax_line(const gb_kernel_call *call, const gb_lines *lines, int64_t line, int64_t first,
                        const void *const *in, void *out)
{
    int64_t best = 0;
    double most = gb_real_at(call, in[0], first);
    for (int64_t i = 1; i < lines->size; i++) {
        const double x = gb_real_at(call, in[0], first + i * lines->inner);
        if (is_less(most, x)) {
            most = x;
            best = i;
        }
    }
    gb_put_int(call, out, line, best);
}

static void argmax_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const gb_lines lines = gb_lines_along(&call->arg[0].shape, *(const int64_t *)call->attributes);
    gb_each_line(call, &lines, in, out, argmax_line);
}

static void argmax_run(const gb_kernel_call *call)
{
    gb_each_event(call, argmax_event);
}

static gb_node argmax_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 1, 5), -2, 2);
    return gb_argmax(x, (int)e->integer(e, 0, gb_node_shape(x).rank - 1));
}

const gb_op gb_argmax_op = {.size = sizeof(gb_op),
                            .name = "argmax",
                            .attribute_bytes = sizeof(int64_t),
                            .formula = "the place of the largest x along an axis",
                            .form = GB_FORM_KERNEL,
                            .arguments = 1,
                            .infer = argmax_infer,
                            .run = argmax_run,
                            .example = argmax_example};

gb_node gb_argmax(gb_node x, int axis)
{
    return along_axis(&gb_argmax_op, x, axis);
}

/* ---- argsort ---- */

typedef struct entry {
    double x;
    int64_t place;
} entry;

static bool argsort_infer(gb_infer *infer)
{
    gb_infer_first(infer);
    infer->type = GB_TYPE_INT;
    return true;
}

/* Merges two sorted runs, [first, middle) and [middle, end). */
static void merge(const entry *from, entry *to, int64_t first, int64_t middle, int64_t end)
{
    int64_t left = first, right = middle;
    for (int64_t i = first; i < end; i++) {
        const bool from_right = left == middle || (right < end && is_less(from[right].x, from[left].x));
        to[i] = from[from_right ? right++ : left++];
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Sorts `count` entries; equal ones keep their order. `spare` has room for as many. Returns the array with
 * the result. */
static const entry *sort_entries(entry *entries, entry *spare, int64_t count)
{
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t first = 0; first < count; first += 2 * run)
            merge(entries, spare, first, smaller(first + run, count), smaller(first + 2 * run, count));
        entry *const swap = entries;
        entries = spare;
        spare = swap;
    }
    return entries;
}

static void argsort_line(const gb_kernel_call *call, const gb_lines *lines, int64_t line, int64_t first,
                         const void *const *in, void *out)
{
    entry *const entries = call->workspace;
    (void)line;
    for (int64_t i = 0; i < lines->size; i++)
        entries[i] = (entry){.x = gb_real_at(call, in[0], first + i * lines->inner), .place = i};
    const entry *sorted = sort_entries(entries, entries + lines->size, lines->size);
    for (int64_t i = 0; i < lines->size; i++)
        gb_put_int(call, out, first + i * lines->inner, sorted[i].place);
}

static void argsort_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const gb_lines lines = gb_lines_along(&call->out_layout.shape, *(const int64_t *)call->attributes);
    gb_each_line(call, &lines, in, out, argsort_line);
}

static void argsort_run(const gb_kernel_call *call)
{
    gb_each_event(call, argsort_event);
}

static size_t argsort_workspace(const gb_kernel_call *call)
{
    const int64_t axis = *(const int64_t *)call->attributes;
    return 2 * (size_t)call->out_layout.shape.size[axis] * sizeof(entry);
}

static gb_node argsort_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 0, 5), -2, 2);
    return gb_argsort(x, (int)e->integer(e, 0, gb_node_shape(x).rank - 1));
}

const gb_op gb_argsort_op = {.size = sizeof(gb_op),
                             .name = "argsort",
                             .attribute_bytes = sizeof(int64_t),
                             .formula = "the places of x in ascending order along an axis",
                             .form = GB_FORM_KERNEL,
                             .arguments = 1,
                             .infer = argsort_infer,
                             .run = argsort_run,
                             .workspace = argsort_workspace,
                             .example = argsort_example};

gb_node gb_argsort(gb_node x, int axis)
{
    return along_axis(&gb_argsort_op, x, axis);
}

/* ---- sort ---- */

gb_node gb_sort(gb_node x, int axis)
{
    return gb_take_along(x, gb_argsort(x, axis), axis);
}

static gb_node sort_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 0, 5), -2, 2);
    return gb_sort(x, (int)e->integer(e, 0, gb_node_shape(x).rank - 1));
}

GB_COMPOSITE(sort, "x in ascending order along an axis", sort_example);
