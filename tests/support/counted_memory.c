/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/test.h"

#include "support/counted_memory.h"

#include <stdlib.h>

static void *resize(void *user, void *old, size_t bytes)
{
    counted_memory *memory = user;
    const size_t number = atomic_fetch_add(&memory->asked, 1) + 1;
    if (memory->fail_at && (memory->fail_after ? number >= memory->fail_at : number == memory->fail_at))
        return NULL;
    void *block = realloc(old, bytes ? bytes : 1);
    if (block && !old)
        atomic_fetch_add(&memory->outstanding, 1);
    return block;
}

/* `old` is never NULL here: grebe asks first. Freeing one that is not ours is for the sanitizers to see. */
static void release(void *user, void *old)
{
    counted_memory *memory = user;
    atomic_fetch_sub(&memory->outstanding, 1);
    free(old);
}

gb_memory counted(counted_memory *memory)
{
    return (gb_memory){.resize = resize, .release = release, .user = memory};
}

static gb_status status_of(use_of_memory *use, const void *what, const char *name, gb_tape_options options,
                           counted_memory *memory)
{
    options.size = sizeof options;
    options.threads = 1;
    options.memory = counted(memory);
    gb_tape *const t = gb_tape_new_with(&options);
    const gb_status status = use(t, what);
    if (status != GB_OK && status != GB_ENOMEM)
        fail_msg("%s: %s", name, gb_error_text(t));
    gb_tape_free(t);
    assert_int_equal(memory->outstanding, 0);
    return status;
}

void assert_outlives_lack_of_memory(use_of_memory *use, const void *what, const char *name, size_t tries,
                                    gb_tape_options options)
{
    counted_memory enough = {0};
    if (status_of(use, what, name, options, &enough) != GB_OK)
        fail_msg("%s: out of memory, though there is some", name);
    if (tries == 0)
        tries = enough.asked;
    for (size_t i = 0; i < 2 * tries; i++) {
        counted_memory memory = {.fail_at = 1 + enough.asked * (i / 2) / tries, .fail_after = i % 2};
        const gb_status status = status_of(use, what, name, options, &memory);
        /* Addresses decide when an arena is full, so that a use may ask less often. */
        if (status != GB_ENOMEM && memory.asked >= memory.fail_at)
            fail_msg("%s, request %zu of %zu: no error", name, memory.fail_at, (size_t)enough.asked);
    }
}
