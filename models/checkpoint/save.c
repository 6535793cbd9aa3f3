/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saving: from a tape to the bytes of a checkpoint. */
#include "models/checkpoint/save_impl.h"

#include "core/team.h"
#include "models/checkpoint/checkpoint_impl.h"
#include "models/checkpoint/file_impl.h"
#include "models/checkpoint/format_impl.h"

static void put_all(gb_saving *s, const gb_gathered *g, size_t length)
{
    const gb_checkpoint *const c = g->of;
    const gb_real real = gb_tape_real(c->tape);
    const gb_saved head = {.seed = gb_tape_seed(c->tape),
                           .real = real,
                           .programs = (uint32_t)c->programs,
                           .variables = (uint32_t)g->variables,
                           .parts = (uint32_t)c->parts,
                           .notes = (uint32_t)g->notes};
    gb_saving_head(s, &head, length);
    for (size_t i = 0; i < c->programs; i++)
        gb_saving_program(s, g->program[i]);
    for (size_t i = 0; i < g->variables; i++)
        gb_saving_entry(s, &g->variable[i].entry, real == GB_FLOAT ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < c->parts; i++)
        gb_saving_entry(s, &g->part[i].entry, 1);
    for (size_t i = 0; i < g->notes; i++)
        gb_saving_entry(s, &g->note[i].entry, 1);
    gb_saving_tail(s);
}

size_t gb_gathered_length(const gb_gathered *g)
{
    gb_saving count = {0};
    put_all(&count, g, 0);
    return count.too_long ? SIZE_MAX : count.used;
}

static unsigned char *bytes_of(const gb_gathered *g, size_t *length)
{
    *length = gb_gathered_length(g);
    gb_saving s = {.to = *length < SIZE_MAX ? gb_memory_resize(&g->memory, NULL, *length) : NULL};
    if (s.to)
        put_all(&s, g, *length);
    else
        gb_checkpoint_fail(g->of, GB_ENOMEM, "out of memory for %zu bytes", *length);
    return s.to;
}

/* A variable that awaits its value has none to be saved. */
static bool find_values(gb_gathered *g)
{
    for (size_t i = 0; i < g->variables; i++)
        if (!(g->variable[i].entry.data = gb_variable_data(g->node[g->variable[i].index])))
            return false;
    return true;
}

unsigned char *gb_checkpoint_bytes(const gb_checkpoint *theirs, size_t *length)
{
    gb_gathered g;
    gb_checkpoint own;
    if (gb_checkpoint_asked(theirs, &own) != GB_OK)
        return NULL;
    const bool good = gb_checkpoint_gather(&g, &own) == GB_OK && find_values(&g);
    unsigned char *const bytes = good ? bytes_of(&g, length) : NULL;
    gb_gathered_free(&g);
    return bytes;
}

static gb_status save(const gb_checkpoint *theirs)
{
    gb_checkpoint own;
    const gb_checkpoint *const c = &own;
    size_t length = 0;
    char why[GB_SAVED_WHY];
    const gb_status asked = gb_checkpoint_asked(theirs, &own);
    if (asked != GB_OK)
        return asked;
    const gb_memory memory = gb_tape_memory(c->tape);
    unsigned char *const bytes = gb_checkpoint_bytes(c, &length);
    if (!bytes)
        return gb_error(c->tape);
    const gb_status status = gb_file_write(&memory, c->path, bytes, length, why);
    gb_memory_release(&memory, bytes);
    return status == GB_OK ? GB_OK : gb_checkpoint_fail(c, status, "%s", why);
}

/* Members have the same variables, so one of them saves. */
static gb_status by_first(const gb_checkpoint *theirs, gb_status (*what)(const gb_checkpoint *))
{
    gb_tape *const tape = theirs ? theirs->tape : NULL;
    const gb_status status = gb_tape_is_first(tape) ? what(theirs) : gb_error(tape);
    return tape && gb_tape_any(tape, false) ? gb_error(tape) : status;
}

gb_status gb_checkpoint_save(const gb_checkpoint *checkpoint)
{
    return by_first(checkpoint, save);
}

static gb_status try(const gb_checkpoint *theirs)
{
    gb_checkpoint own;
    const gb_checkpoint *const c = &own;
    char why[GB_SAVED_WHY];
    const gb_status asked = gb_checkpoint_asked(theirs, &own);
    if (asked != GB_OK)
        return asked;
    const gb_memory memory = gb_tape_memory(c->tape);
    const gb_status status = gb_file_write(&memory, c->path, NULL, 0, why);
    return status == GB_OK ? GB_OK : gb_checkpoint_fail(c, status, "%s", why);
}

gb_status gb_checkpoint_try(const gb_checkpoint *checkpoint)
{
    return by_first(checkpoint, try);
}
