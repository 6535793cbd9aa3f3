/* SPDX-License-Identifier: GPL-3.0-or-later */
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
