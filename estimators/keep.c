/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/op.h"
#include "estimators/keep_impl.h"

static bool no_value(gb_infer *infer)
{
    infer->shape = gb_shape();
    return true;
}

static void no_run(const gb_kernel_call *call)
{
    (void)call;
}

/* The attributes of an operation live as long as the recording: these are the memory, and nothing uses the
 * node. */
static const gb_op keep_op = {.size = sizeof(gb_op),
                              .name = "keep",
                              .formula = "memory that belongs to the recording",
                              .form = GB_FORM_KERNEL,
                              .infer = no_value,
                              .run = no_run};

void *gb_keep(gb_tape *tape, size_t bytes)
{
    if (!tape || gb_error(tape) != GB_OK)
        return NULL;
    const gb_memory memory = gb_tape_memory(tape);
    void *const zeros = gb_memory_resize(&memory, NULL, bytes);
    if (!zeros) {
        gb_fail(tape, GB_ENOMEM, "out of memory");
        return NULL;
    }
    memset(zeros, 0, bytes);
    const gb_node node = gb_apply(tape, &keep_op, 0, NULL, zeros, bytes);
    gb_memory_release(&memory, zeros);
    return (void *)(uintptr_t)gb_node_attributes(node);
}

char *gb_keep_text(gb_tape *tape, const char *text)
{
    char *const copy = gb_keep(tape, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}
