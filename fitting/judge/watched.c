/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/judge/watched_impl.h"

static void *resize(void *user, void *old, size_t bytes)
{
    gb_watched *const w = user;
    void *const block = gb_memory_resize(&w->memory, old, bytes);
    w->ran_out = w->ran_out || !block;
    return block;
}

static void release(void *user, void *old)
{
    gb_memory_release(&((gb_watched *)user)->memory, old);
}

gb_memory gb_watched_memory(gb_watched *watched)
{
    return (gb_memory){.resize = resize, .release = release, .user = watched};
}
