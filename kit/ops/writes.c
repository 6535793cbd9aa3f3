/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kernel writes: it runs on memory of the kit, filled with one pattern and then with another. */
#include <string.h>

#include "kit/ops/checks_impl.h"

enum { GUARD = 4096, FILL = 0xa5, OTHER_FILL = 0x5a };

/* A copy of an operation, whose kernel is watched. */
typedef struct watched {
    gb_op op; /* first: a call points to it */
    const gb_op *original;
    gb_memory memory;
    bool ran, out_of_memory, beyond, beyond_workspace;
    size_t unwritten, unsteady; /* 1 + the element; 0: none */
} watched;

static gb_kernel_call call_of_original(const gb_kernel_call *call)
{
    gb_kernel_call original = *call;
    original.op = ((const watched *)(const void *)call->op)->original;
    return original;
}

static size_t watched_workspace(const gb_kernel_call *call)
{
    const gb_kernel_call original = call_of_original(call);
    return original.op->workspace(&original) + GUARD;
}

static bool watched_prepare(gb_tape *tape, const gb_kernel_call *call)
{
    const gb_kernel_call original = call_of_original(call);
    return original.op->prepare(tape, &original);
}

static bool is_filled(const unsigned char *bytes, size_t count, int fill)
{
    while (count > 0 && bytes[count - 1] == fill)
        count--;
    return count == 0;
}

/* Returns memory for a value and its guards; the value begins a page, as in a plan. `block` is the block to
 * release. */
static unsigned char *room_for(const gb_memory *memory, size_t bytes, void **block)
{
    *block = gb_memory_resize(memory, NULL, bytes + 3 * GUARD);
    const uintptr_t begins = ((uintptr_t)*block + GUARD - 1) / GUARD * GUARD;
    return *block ? (unsigned char *)begins : NULL;
}

/* The guard behind the workspace; NULL if there is no workspace. */
static unsigned char *behind_workspace(const gb_kernel_call *original)
{
    if (!original->op->workspace || !original->workspace)
        return NULL;
    gb_kernel_call sizes = *original; /* a workspace is asked for without pointers */
    sizes.workspace = NULL;
    return (unsigned char *)original->workspace + original->op->workspace(&sizes);
}

/* Runs on `room`: the bytes before and after the value, and behind the workspace, must not change. */
static void run_between_guards(watched *w, const gb_kernel_call *call, unsigned char *room, size_t bytes,
                               int fill)
{
    gb_kernel_call original = call_of_original(call);
    unsigned char *const behind = behind_workspace(&original);
    memset(room, fill, bytes + 2 * GUARD);
    if (behind)
        memset(behind, fill, GUARD);
    original.out = room + GUARD;
    original.op->run(&original);
    w->beyond_workspace |= behind && !is_filled(behind, GUARD, fill);
    w->beyond |= !is_filled(room, GUARD, fill) || !is_filled(room + GUARD + bytes, GUARD, fill);
}

static void compare_runs(watched *w, const unsigned char *first, const unsigned char *second, size_t count,
                         size_t width)
{
    for (size_t i = 0; i < count; i++, first += width, second += width) {
        if (memcmp(first, second, width) == 0)
            continue;
        if (is_filled(first, width, FILL) && is_filled(second, width, OTHER_FILL))
            w->unwritten = w->unwritten ? w->unwritten : i + 1;
        else
            w->unsteady = w->unsteady ? w->unsteady : i + 1;
    }
}

static void watched_run(const gb_kernel_call *call)
{
    watched *w = (watched *)(uintptr_t)call->op;
    const size_t count = gb_layout_count(&call->out_layout),
                 width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double), bytes = count * width;
    void *block;
    unsigned char *const room = room_for(&w->memory, bytes, &block);
    w->ran = true;
    w->out_of_memory = !room;
    if (!room)
        return;
    run_between_guards(w, call, room, bytes, FILL);
    memcpy(call->out, room + GUARD, bytes);
    run_between_guards(w, call, room, bytes, OTHER_FILL);
    compare_runs(w, call->out, room + GUARD, count, width);
    gb_memory_release(&w->memory, block);
}

static void judge(gb_op_case *c, const watched *w)
{
    if (w->out_of_memory)
        gb_kit_verdict(c->kit, GB_ON_WRITES, false, "out of memory");
    else if (w->beyond)
        gb_kit_verdict(c->kit, GB_ON_WRITES, false, "it writes beyond a value of the inferred shape");
    else if (w->beyond_workspace)
        gb_kit_verdict(c->kit, GB_ON_WRITES, false, "it writes beyond its workspace");
    else if (w->unwritten)
        gb_kit_verdict(c->kit, GB_ON_WRITES, false, "element %zu of the inferred shape is not written",
                       w->unwritten - 1);
    else
        gb_kit_verdict(c->kit, GB_ON_WRITES, !w->unsteady, "element %zu differs when it runs again",
                       w->unsteady - 1);
}

void gb_op_check_writes(gb_op_case *c)
{
    const gb_node y = c->own;
    gb_node arg[GB_CASE_ARGUMENTS];
    const size_t count = gb_node_arguments(y);
    if (c->op->form != GB_FORM_KERNEL || !gb_node_ok(y) || count > GB_CASE_ARGUMENTS)
        return;
    watched *w = gb_tape_keep(c->tape, sizeof *w); /* lives as long as the nodes that point to it */
    if (!w) {
        gb_op_case_fine(c);
        return;
    }
    *w = (watched){.op = *c->op, .original = c->op, .memory = gb_tape_memory(c->tape)};
    w->op.run = watched_run;
    w->op.workspace = c->op->workspace ? watched_workspace : NULL;
    w->op.prepare = c->op->prepare ? watched_prepare : NULL;
    w->op.same_as = NULL;
    for (size_t i = 0; i < count; i++)
        arg[i] = gb_node_argument(y, i);
    const gb_node again =
        gb_apply(c->tape, &w->op, count, arg, gb_node_attributes(y), gb_node_attribute_bytes(y));
    gb_op_case_run(c, 1, &again);
    if (w->ran)
        judge(c, w);
    gb_op_case_fine(c);
}
