/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a tape to a checkpoint and back. */
#include "models/checkpoint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "models/checkpoint/checkpoint_impl.h"

/* ---- what is asked for ---- */

/* One that is saved or loaded: a variable, or a part. */
typedef struct item {
    gb_saved_entry entry;
    size_t index; /* among the nodes, or the caller's parts */
} item;

typedef struct gathered {
    const gb_checkpoint *of;
    gb_memory memory;
    size_t variables;
    gb_node *node;
    item *variable, *part;     /* in the order of their names */
    gb_saved_program *program; /* as they are now */
} gathered;

/* The end of a path is what tells one from another. */
static const char *shown_path(const char *path)
{
    enum { MOST = 200 };
    const size_t length = strlen(path);
    return length > MOST ? path + (length - MOST) : path;
}

static gb_status GB_PRINTF(3, 4) fail(const gb_checkpoint *c, gb_status status, const char *format, ...)
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
            return fail(c, GB_ENAME, "part %zu has no name", i + 1);
        if (!part->data && part->bytes > 0)
            return fail(c, GB_EARGUMENT, "part %s: a pointer to %zu bytes is NULL", part->name, part->bytes);
        if (part->bytes > PTRDIFF_MAX / 64)
            return fail(c, GB_ELIMIT, "part %s: %zu bytes are too many", part->name, part->bytes);
    }
    return GB_OK;
}

static gb_status check_asked(const gb_checkpoint *c)
{
    if (!c || !c->tape || gb_error(c->tape) != GB_OK)
        return c ? gb_error(c->tape) : GB_EARGUMENT;
    if (c->size != sizeof *c)
        return fail(c, GB_EARGUMENT, "its size is not set (.size = sizeof(gb_checkpoint))");
    if (!c->path || !*c->path)
        return fail(c, GB_EARGUMENT, "a path is required");
    if ((c->programs > 0 && !c->program) || (c->parts > 0 && !c->part))
        return fail(c, GB_EARGUMENT, "%zu programs and %zu parts, but no list of them", c->programs,
                    c->parts);
    if (c->subset && c->programs > 0)
        return fail(
            c, GB_EARGUMENT,
            "with .subset variables are passed over, and a program that goes on needs all of them: leave "
            "out .programs, or .subset");
    if (c->programs > UINT32_MAX || c->parts > UINT32_MAX)
        return fail(c, GB_ELIMIT, "%zu programs and %zu parts are too many", c->programs, c->parts);
    for (size_t i = 0; i < c->programs; i++)
        if (gb_program_tape(c->program[i]) != c->tape)
            return fail(c, GB_EPROGRAM, "program %zu is %s", i + 1,
                        c->program[i] ? "another tape's" : "NULL");
    return check_parts(c);
}

/* ---- gathering ---- */

static int by_name(const void *a, const void *b)
{
    return gb_saved_order(&((const item *)a)->entry, &((const item *)b)->entry);
}

static void gather_variables(gathered *g)
{
    const size_t width = gb_tape_real(g->of->tape) == GB_FLOAT ? sizeof(float) : sizeof(double);
    gb_tape_variables(g->of->tape, g->node, g->variables);
    for (size_t i = 0; i < g->variables; i++) {
        const char *const name = gb_variable_name(g->node[i]);
        const gb_shape shape = gb_node_shape(g->node[i]);
        g->variable[i] = (item){.entry = {.name = name,
                                          .length = strlen(name),
                                          .shape = shape,
                                          .data = gb_variable_data(g->node[i]),
                                          .bytes = gb_shape_count(shape) * width},
                                .index = i};
    }
    qsort(g->variable, g->variables, sizeof *g->variable, by_name);
}

static gb_status gather_parts(gathered *g)
{
    const gb_checkpoint *const c = g->of;
    for (size_t i = 0; i < c->parts; i++) {
        const gb_checkpoint_part *const part = &c->part[i];
        g->part[i] = (item){.entry = {.name = part->name,
                                      .length = strlen(part->name),
                                      .shape = gb_shape((int64_t)part->bytes),
                                      .data = part->data,
                                      .bytes = part->bytes},
                            .index = i};
    }
    qsort(g->part, c->parts, sizeof *g->part, by_name);
    for (size_t i = 1; i < c->parts; i++)
        if (by_name(&g->part[i - 1], &g->part[i]) == 0)
            return fail(c, GB_ENAME, "there are two parts of the name %s", g->part[i].entry.name);
    return GB_OK;
}

static gb_status gather_programs(gathered *g)
{
    gb_status status = GB_OK;
    for (size_t i = 0; i < g->of->programs && status == GB_OK; i++) {
        g->program[i].step = gb_step(g->of->program[i]);
        status = gb_program_fingerprint(g->of->program[i], &g->program[i].fingerprint);
    }
    return status;
}

static void gathered_free(gathered *g)
{
    gb_memory_release(&g->memory, g->node);
    gb_memory_release(&g->memory, g->variable);
    gb_memory_release(&g->memory, g->part);
    gb_memory_release(&g->memory, g->program);
}

/* To be freed, whatever comes of it. */
static gb_status gather(gathered *g, const gb_checkpoint *c)
{
    *g = (gathered){
        .of = c, .memory = gb_tape_memory(c->tape), .variables = gb_tape_variables(c->tape, NULL, 0)};
    g->node = gb_memory_resize(&g->memory, NULL, (g->variables + 1) * sizeof *g->node);
    g->variable = gb_memory_resize(&g->memory, NULL, (g->variables + 1) * sizeof *g->variable);
    g->part = gb_memory_resize(&g->memory, NULL, (c->parts + 1) * sizeof *g->part);
    g->program = gb_memory_resize(&g->memory, NULL, (c->programs + 1) * sizeof *g->program);
    if (!g->node || !g->variable || !g->part || !g->program)
        return fail(c, GB_ENOMEM, "out of memory");
    gather_variables(g);
    const gb_status status = gather_parts(g);
    return status == GB_OK ? gather_programs(g) : status;
}

/* ---- saving ---- */

static void put_all(gb_saving *s, const gathered *g, size_t length)
{
    const gb_checkpoint *const c = g->of;
    const gb_real real = gb_tape_real(c->tape);
    const gb_saved head = {.seed = gb_tape_seed(c->tape),
                           .real = real,
                           .programs = (uint32_t)c->programs,
                           .variables = (uint32_t)g->variables,
                           .parts = (uint32_t)c->parts};
    gb_saving_head(s, &head, length);
    for (size_t i = 0; i < c->programs; i++)
        gb_saving_program(s, g->program[i]);
    for (size_t i = 0; i < g->variables; i++)
        gb_saving_entry(s, &g->variable[i].entry, real == GB_FLOAT ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < c->parts; i++)
        gb_saving_entry(s, &g->part[i].entry, 1);
    gb_saving_tail(s);
}

static size_t length_of(const gathered *g)
{
    gb_saving count = {0};
    put_all(&count, g, 0);
    return count.too_long ? SIZE_MAX : count.used;
}

static unsigned char *bytes_of(const gathered *g, size_t *length)
{
    *length = length_of(g);
    gb_saving s = {.to = *length < SIZE_MAX ? gb_memory_resize(&g->memory, NULL, *length) : NULL};
    if (s.to)
        put_all(&s, g, *length);
    else
        fail(g->of, GB_ENOMEM, "out of memory for %zu bytes", *length);
    return s.to;
}

unsigned char *gb_checkpoint_bytes(const gb_checkpoint *c, size_t *length)
{
    gathered g;
    if (check_asked(c) != GB_OK)
        return NULL;
    unsigned char *const bytes = gather(&g, c) == GB_OK ? bytes_of(&g, length) : NULL;
    gathered_free(&g);
    return bytes;
}

gb_status gb_checkpoint_save(const gb_checkpoint *c)
{
    size_t length = 0;
    char why[GB_SAVED_WHY];
    const gb_status asked = check_asked(c);
    if (asked != GB_OK)
        return asked;
    const gb_memory memory = gb_tape_memory(c->tape);
    unsigned char *const bytes = gb_checkpoint_bytes(c, &length);
    if (!bytes)
        return gb_error(c->tape);
    const gb_status status = gb_file_write(&memory, c->path, bytes, length, why);
    gb_memory_release(&memory, bytes);
    return status == GB_OK ? GB_OK : fail(c, status, "%s", why);
}

gb_status gb_checkpoint_try(const gb_checkpoint *c)
{
    char why[GB_SAVED_WHY];
    const gb_status asked = check_asked(c);
    if (asked != GB_OK)
        return asked;
    const gb_memory memory = gb_tape_memory(c->tape);
    const gb_status status = gb_file_write(&memory, c->path, NULL, 0, why);
    return status == GB_OK ? GB_OK : fail(c, status, "%s", why);
}

/* ---- loading: what differs ---- */

static const char *real_name(gb_real real)
{
    return real == GB_FLOAT ? "float" : "double";
}

static gb_status match_programs(const gathered *g, const gb_saved *saved)
{
    const gb_checkpoint *const c = g->of;
    if (c->programs == 0)
        return GB_OK;
    if (saved->programs != c->programs)
        return fail(c, GB_EFILE, "it was saved with %u programs, and is to be loaded with %zu",
                    saved->programs, c->programs);
    if (saved->seed != gb_tape_seed(c->tape))
        return fail(c, GB_EFILE, "it is of seed %" PRIu64 ", the tape of seed %" PRIu64, saved->seed,
                    gb_tape_seed(c->tape));
    for (size_t i = 0; i < c->programs; i++)
        if (gb_saved_program_at(saved, i).fingerprint != g->program[i].fingerprint)
            return fail(
                c, GB_EFILE,
                "program %zu of %zu is another than the one that was saved: its operations or streams of "
                "noise differ (another release of grebe may record others); without .programs variables are loaded alone",
                i + 1, c->programs);
    return GB_OK;
}

/* One variable of the file and one of the tape, where either may have come to its end. */
static gb_status match_variable(const gathered *g, const gb_saved_entry *file, const gb_saved_entry *tape)
{
    char shown[GB_SAVED_SHOWN], was[GB_SHAPE_TEXT], is[GB_SHAPE_TEXT];
    const int order = !file ? 1 : !tape ? -1 : gb_saved_order(file, tape);
    if (order > 0)
        return fail(g->of, GB_EFILE, "it has no variable %s, and the tape has one",
                    gb_saved_shown(tape, shown));
    if (order < 0)
        return fail(
            g->of, GB_EFILE,
            "it has a variable %s, and the tape has none (.subset = true passes such over, for a program "
            "that only predicts)",
            gb_saved_shown(file, shown));
    if (!gb_shape_equal(file->shape, tape->shape))
        return fail(g->of, GB_EFILE, "variable %s has shape %s in it, and %s on the tape",
                    gb_saved_shown(tape, shown), gb_shape_text(file->shape, was),
                    gb_shape_text(tape->shape, is));
    return GB_OK;
}

/* How far the variables of a file have been read. */
typedef struct variables_read {
    const unsigned char *at;
    size_t count;
    gb_saved_entry entry; /* the last of them */
} variables_read;

/* The next variable of the file for `wanted`; with .subset those before it are passed over. False at the end. */
static bool next_variable(const gathered *g, const gb_saved *saved, variables_read *read,
                          const gb_saved_entry *wanted)
{
    while (read->count < saved->variables) {
        read->count++;
        read->entry = gb_saved_variable_next(saved, &read->at);
        if (!g->of->subset || (wanted && gb_saved_order(&read->entry, wanted) >= 0))
            return true;
    }
    return false;
}

static gb_status match_variables(const gathered *g, const gb_saved *saved)
{
    variables_read read = {.at = saved->variable};
    gb_status status = GB_OK;
    for (size_t i = 0; (i < g->variables || read.count < saved->variables) && status == GB_OK; i++) {
        const gb_saved_entry *const wanted = i < g->variables ? &g->variable[i].entry : NULL;
        const bool found = next_variable(g, saved, &read, wanted);
        if (found || wanted)
            status = match_variable(g, found ? &read.entry : NULL, wanted);
    }
    return status;
}

static gb_status match_part(const gathered *g, const item *asked, const gb_saved_entry *file)
{
    const gb_checkpoint_part *const part = &g->of->part[asked->index];
    char shown[GB_SAVED_SHOWN];
    if (!file)
        return fail(g->of, GB_EFILE, "it has no part %s", gb_saved_shown(&asked->entry, shown));
    if (file->shape.rank != 1 || (part->found ? file->bytes > part->bytes : file->bytes != part->bytes))
        return fail(g->of, GB_EFILE, "its part %s has %zu bytes, and there is room for %zu",
                    gb_saved_shown(file, shown), file->bytes, part->bytes);
    return GB_OK;
}

/* Both are in order: what is asked for is found on one way through the file. */
static gb_status match_parts(const gathered *g, const gb_saved *saved)
{
    const unsigned char *at = saved->part;
    size_t asked = 0;
    for (uint32_t i = 0; i < saved->parts && asked < g->of->parts; i++) {
        const gb_saved_entry file = gb_saved_part_next(saved, &at);
        const int order = gb_saved_order(&file, &g->part[asked].entry);
        if (order < 0)
            continue;
        const gb_status status = match_part(g, &g->part[asked], order == 0 ? &file : NULL);
        if (status != GB_OK)
            return status;
        asked++;
    }
    return asked < g->of->parts ? match_part(g, &g->part[asked], NULL) : GB_OK;
}

static gb_status match(const gathered *g, const gb_saved *saved)
{
    const gb_real real = gb_tape_real(g->of->tape);
    if (saved->real != real)
        return fail(g->of, GB_EFILE, "it is of %s, the tape of %s", real_name(saved->real), real_name(real));
    gb_status status = match_variables(g, saved);
    if (status == GB_OK)
        status = match_programs(g, saved);
    return status == GB_OK ? match_parts(g, saved) : status;
}

/* ---- loading: nothing can fail any more, but for the caller's word on his parts ---- */

static void take_parts(const gathered *g, const gb_saved *saved)
{
    const unsigned char *at = saved->part;
    for (uint32_t i = 0, asked = 0; i < saved->parts && asked < g->of->parts; i++) {
        const gb_saved_entry file = gb_saved_part_next(saved, &at);
        if (gb_saved_order(&file, &g->part[asked].entry) != 0)
            continue;
        const gb_checkpoint_part *const part = &g->of->part[g->part[asked++].index];
        if (file.bytes > 0)
            memcpy(part->data, file.data, file.bytes);
        if (part->found)
            *part->found = file.bytes;
    }
}

static void take(const gathered *g, const gb_saved *saved, unsigned char *bytes)
{
    const size_t width = saved->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    variables_read read = {.at = saved->variable};
    for (size_t i = 0; i < g->variables && next_variable(g, saved, &read, &g->variable[i].entry); i++) {
        unsigned char *const data = bytes + ((const unsigned char *)read.entry.data - bytes);
        gb_saved_elements(data, data, read.entry.bytes, width);
        gb_set_data(g->node[g->variable[i].index], data);
    }
    for (size_t i = 0; i < g->of->programs; i++)
        gb_set_step(g->of->program[i], gb_saved_program_at(saved, i).step);
}

static gb_status ask(const gb_checkpoint *c)
{
    if (!c->accept || c->accept(c->user))
        return GB_OK;
    return gb_error(c->tape) != GB_OK ? gb_error(c->tape) : fail(c, GB_EFILE, "it was not accepted");
}

gb_status gb_checkpoint_take(const gb_checkpoint *c, unsigned char *bytes, size_t length)
{
    gathered g;
    gb_saved saved;
    char why[GB_SAVED_WHY];
    gb_status status = check_asked(c);
    if (status != GB_OK)
        return status;
    if (!gb_saved_open(bytes, length, &saved, why))
        return fail(c, GB_EFILE, "%s", why);
    status = gather(&g, c);
    if (status == GB_OK)
        status = match(&g, &saved);
    if (status == GB_OK) {
        take_parts(&g, &saved);
        status = ask(c);
    }
    if (status == GB_OK)
        take(&g, &saved, bytes);
    gathered_free(&g);
    return status;
}

/* More than any checkpoint that this tape's could be: parts that nobody asks for may be long. */
static gb_status most_bytes(const gb_checkpoint *c, size_t *most)
{
    gathered g;
    const gb_status status = gather(&g, c);
    if (status == GB_OK) {
        const size_t length = length_of(&g), more = (size_t)1 << 30, times = c->subset ? 128 : 2;
        *most = length < (SIZE_MAX - more) / times ? times * length + more : SIZE_MAX - 1;
    }
    gathered_free(&g);
    return status;
}

gb_status gb_checkpoint_load(const gb_checkpoint *c)
{
    size_t length = 0, most = 0;
    unsigned char *bytes;
    char why[GB_SAVED_WHY];
    gb_status status = check_asked(c);
    if (status == GB_OK)
        status = most_bytes(c, &most);
    if (status != GB_OK)
        return status;
    const gb_memory memory = gb_tape_memory(c->tape);
    status = gb_file_read(&memory, c->path, most, &bytes, &length, why);
    if (status != GB_OK)
        return fail(c, status, "%s", why);
    status = gb_checkpoint_take(c, bytes, length);
    gb_memory_release(&memory, bytes);
    return status;
}
