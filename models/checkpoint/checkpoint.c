/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects what is saved or loaded: the variables, notes and programs of a tape, and the parts. */
#include "models/checkpoint/checkpoint_impl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/looking_impl.h"

/* ---- checking the struct ---- */

/* A long path is cut at the front, since its end distinguishes it. */
static const char *shown_path(const char *path)
{
    enum { MOST = 200 };
    const size_t length = strlen(path);
    return length > MOST ? path + (length - MOST) : path;
}

gb_status gb_checkpoint_fail(const gb_checkpoint *c, gb_status status, const char *format, ...)
{
    char words[GB_SAVED_WHY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return gb_fail(c->tape, status, "checkpoint %s: %s", c->path ? shown_path(c->path) : "", words);
}

static gb_status check_parts(const gb_checkpoint *c)
{
    for (size_t i = 0; i < c->parts; i++) {
        const gb_checkpoint_part *const part = &c->part[i];
        if (!part->name || !*part->name)
            return gb_checkpoint_fail(c, GB_ENAME, "part %zu has no name", i + 1);
        if (!part->data && part->bytes > 0)
            return gb_checkpoint_fail(c, GB_EARGUMENT, "part %s: a pointer to %zu bytes is NULL", part->name,
                                      part->bytes);
        if (part->bytes > PTRDIFF_MAX / 64)
            return gb_checkpoint_fail(c, GB_ELIMIT, "part %s: %zu bytes are too many", part->name,
                                      part->bytes);
    }
    return GB_OK;
}

gb_status gb_checkpoint_asked(const gb_checkpoint *theirs, gb_checkpoint *c)
{
    if (!theirs || !theirs->tape || gb_error(theirs->tape) != GB_OK)
        return theirs ? gb_error(theirs->tape) : GB_EARGUMENT;
    if (!gb_options_copy(c, sizeof *c, theirs))
        return gb_checkpoint_fail(theirs, GB_EARGUMENT,
                                  "its size is not set (.size = sizeof(gb_checkpoint))");
    if (!c->path || !*c->path)
        return gb_checkpoint_fail(c, GB_EARGUMENT, "a path is required");
    if ((c->programs > 0 && !c->program) || (c->parts > 0 && !c->part))
        return gb_checkpoint_fail(c, GB_EARGUMENT, "%zu programs and %zu parts, but no list of them",
                                  c->programs, c->parts);
    if (c->subset && c->programs > 0)
        return gb_checkpoint_fail(
            c, GB_EARGUMENT,
            "with .subset variables of the file are ignored, and a program that continues needs all of them: "
            "leave out .programs, or .subset");
    if (c->programs > UINT32_MAX || c->parts > UINT32_MAX)
        return gb_checkpoint_fail(c, GB_ELIMIT, "%zu programs and %zu parts are too many", c->programs,
                                  c->parts);
    for (size_t i = 0; i < c->programs; i++)
        if (gb_program_tape(c->program[i]) != c->tape)
            return gb_checkpoint_fail(c, GB_EPROGRAM, "program %zu is %s", i + 1,
                                      c->program[i] ? "another tape's" : "NULL");
    return check_parts(c);
}

/* ---- gathering ---- */

static int by_name(const void *a, const void *b)
{
    return gb_saved_order(&((const gb_gathered_item *)a)->entry, &((const gb_gathered_item *)b)->entry);
}

static void gather_variables(gb_gathered *g)
{
    const size_t width = gb_tape_real(g->of->tape) == GB_FLOAT ? sizeof(float) : sizeof(double);
    const size_t all = gb_tape_variables(g->of->tape, g->node, g->variables);
    g->variables = 0;
    for (size_t i = 0; i < all; i++)
        if (!gb_variable_is_looking(g->node[i]))
            g->node[g->variables++] = g->node[i];
    for (size_t i = 0; i < g->variables; i++) {
        const char *const name = gb_variable_name(g->node[i]);
        const gb_shape shape = gb_node_shape(g->node[i]);
        g->variable[i] = (gb_gathered_item){.entry = {.name = name,
                                                      .length = strlen(name),
                                                      .shape = shape,
                                                      .bytes = gb_shape_count(shape) * width},
                                            .index = i};
    }
    qsort(g->variable, g->variables, sizeof *g->variable, by_name);
}

static gb_gathered_item bytes_named(const char *name, const void *data, size_t bytes, size_t index)
{
    return (gb_gathered_item){.entry = {.name = name,
                                        .length = strlen(name),
                                        .shape = gb_shape((int64_t)bytes),
                                        .data = data,
                                        .bytes = bytes},
                              .index = index};
}

static void gather_notes(gb_gathered *g)
{
    gb_tape_notes(g->of->tape, g->name, g->notes);
    for (size_t i = 0; i < g->notes; i++) {
        size_t bytes;
        const void *const data = gb_tape_noted(g->of->tape, g->name[i], &bytes);
        g->note[i] = bytes_named(g->name[i], data, bytes, i);
    }
    qsort(g->note, g->notes, sizeof *g->note, by_name);
}

static gb_status gather_parts(gb_gathered *g)
{
    const gb_checkpoint *const c = g->of;
    for (size_t i = 0; i < c->parts; i++)
        g->part[i] = bytes_named(c->part[i].name, c->part[i].data, c->part[i].bytes, i);
    qsort(g->part, c->parts, sizeof *g->part, by_name);
    for (size_t i = 1; i < c->parts; i++)
        if (by_name(&g->part[i - 1], &g->part[i]) == 0)
            return gb_checkpoint_fail(c, GB_ENAME, "there are two parts of the name %s",
                                      g->part[i].entry.name);
    return GB_OK;
}

static gb_status gather_programs(gb_gathered *g)
{
    gb_status status = GB_OK;
    for (size_t i = 0; i < g->of->programs && status == GB_OK; i++) {
        g->program[i].step = gb_program_step(g->of->program[i]);
        status = gb_program_fingerprint(g->of->program[i], &g->program[i].fingerprint);
    }
    return status;
}

void gb_gathered_free(gb_gathered *g)
{
    gb_memory_release(&g->memory, g->node);
    gb_memory_release(&g->memory, g->variable);
    gb_memory_release(&g->memory, g->part);
    gb_memory_release(&g->memory, g->name);
    gb_memory_release(&g->memory, g->note);
    gb_memory_release(&g->memory, g->program);
}

gb_status gb_checkpoint_gather(gb_gathered *g, const gb_checkpoint *c)
{
    *g = (gb_gathered){.of = c,
                       .memory = gb_tape_memory(c->tape),
                       .variables = gb_tape_variables(c->tape, NULL, 0),
                       .notes = gb_tape_notes(c->tape, NULL, 0)};
    g->node = gb_memory_resize(&g->memory, NULL, (g->variables + 1) * sizeof *g->node);
    g->variable = gb_memory_resize(&g->memory, NULL, (g->variables + 1) * sizeof *g->variable);
    g->part = gb_memory_resize(&g->memory, NULL, (c->parts + 1) * sizeof *g->part);
    g->program = gb_memory_resize(&g->memory, NULL, (c->programs + 1) * sizeof *g->program);
    g->name = gb_memory_resize(&g->memory, NULL, (g->notes + 1) * sizeof *g->name);
    g->note = gb_memory_resize(&g->memory, NULL, (g->notes + 1) * sizeof *g->note);
    if (!g->node || !g->variable || !g->part || !g->program || !g->name || !g->note)
        return gb_checkpoint_fail(c, GB_ENOMEM, "out of memory");
    gather_variables(g);
    gather_notes(g);
    const gb_status status = gather_parts(g);
    return status == GB_OK ? gather_programs(g) : status;
}
