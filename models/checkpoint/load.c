/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading: from the bytes of a checkpoint to a tape. */
#include "models/checkpoint/load_impl.h"

#include <inttypes.h>
#include <string.h>

#include "core/ground/notes_impl.h"
#include "core/tape/within_impl.h"
#include "core/team.h"
#include "models/checkpoint/checkpoint_impl.h"
#include "models/checkpoint/file_impl.h"
#include "models/checkpoint/format_impl.h"
#include "models/checkpoint/save_impl.h"

/* ---- loading: what differs ---- */

static const char *real_name(gb_real real)
{
    return real == GB_FLOAT ? "float" : "double";
}

static gb_status match_programs(const gb_gathered *g, const gb_saved *saved)
{
    const gb_checkpoint *const c = g->of;
    if (c->programs == 0)
        return GB_OK;
    if (saved->programs != c->programs)
        return gb_checkpoint_fail(c, GB_EFILE, "it was saved with %u programs, and is to be loaded with %zu",
                                  saved->programs, c->programs);
    if (saved->seed != gb_tape_seed(c->tape))
        return gb_checkpoint_fail(c, GB_EFILE, "its seed is %" PRIu64 ", that of the tape is %" PRIu64,
                                  saved->seed, gb_tape_seed(c->tape));
    for (size_t i = 0; i < c->programs; i++)
        if (gb_saved_program_at(saved, i).fingerprint != g->program[i].fingerprint)
            return gb_checkpoint_fail(
                c, GB_EFILE,
                "program %zu of %zu differs from the one that was saved: it has other operations or streams "
                "of noise (another release of grebe may record others); without .programs only variables are "
                "loaded",
                i + 1, c->programs);
    return GB_OK;
}

/* Compares the next variable of the file with that of the tape. Either side may have no more variables. */
static gb_status match_variable(const gb_gathered *g, const gb_saved_entry *file, const gb_saved_entry *tape)
{
    char shown[GB_SAVED_SHOWN], was[GB_SHAPE_TEXT], is[GB_SHAPE_TEXT];
    const int order = !file ? 1 : !tape ? -1 : gb_saved_order(file, tape);
    if (order > 0)
        return gb_checkpoint_fail(g->of, GB_EFILE, "it has no variable %s, and the tape has one",
                                  gb_saved_shown(tape, shown));
    if (order < 0)
        return gb_checkpoint_fail(
            g->of, GB_EFILE,
            "it has a variable %s, and the tape has none (.subset = true ignores such variables, for a "
            "program that only predicts)",
            gb_saved_shown(file, shown));
    if (!gb_shape_same(file->shape, tape->shape))
        return gb_checkpoint_fail(g->of, GB_EFILE, "variable %s has shape %s in it, and %s on the tape",
                                  gb_saved_shown(tape, shown), gb_shape_text(file->shape, was),
                                  gb_shape_text(tape->shape, is));
    return GB_OK;
}

/* The state of reading the variables of a file. */
typedef struct variables_read {
    const unsigned char *at;
    size_t count;
    gb_saved_entry entry; /* the last one read */
} variables_read;

/* Reads the next variable of the file for `wanted`; with .subset, skips those before it. Returns false at the
 * end. */
static bool next_variable(const gb_gathered *g, const gb_saved *saved, variables_read *read,
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

static gb_status match_variables(const gb_gathered *g, const gb_saved *saved)
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

static gb_status match_part(const gb_gathered *g, const gb_gathered_item *asked, const gb_saved_entry *file)
{
    const gb_checkpoint_part *const part = &g->of->part[asked->index];
    char shown[GB_SAVED_SHOWN];
    if (!file)
        return gb_checkpoint_fail(g->of, GB_EFILE, "it has no part %s", gb_saved_shown(&asked->entry, shown));
    if (file->shape.rank != 1 || (part->found ? file->bytes > part->bytes : file->bytes != part->bytes))
        return gb_checkpoint_fail(g->of, GB_EFILE, "its part %s has %zu bytes, and there is room for %zu",
                                  gb_saved_shown(file, shown), file->bytes, part->bytes);
    return GB_OK;
}

/* Both lists are sorted, so one pass through the file finds all parts. */
static gb_status match_parts(const gb_gathered *g, const gb_saved *saved)
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

static gb_status match(const gb_gathered *g, const gb_saved *saved)
{
    const gb_real real = gb_tape_real(g->of->tape);
    if (saved->real != real)
        return gb_checkpoint_fail(g->of, GB_EFILE, "its reals are %s, those of the tape are %s",
                                  real_name(saved->real), real_name(real));
    gb_status status = match_variables(g, saved);
    if (status == GB_OK)
        status = match_programs(g, saved);
    return status == GB_OK ? match_parts(g, saved) : status;
}

static gb_status offer_note(const gb_gathered *g, const gb_saved_entry *file)
{
    gb_notes *const notes = gb_tape_own_notes(g->of->tape);
    char shown[GB_SAVED_SHOWN];
    if (file->shape.rank != 1)
        return gb_checkpoint_fail(g->of, GB_EFILE, "it is damaged: its note %s is no vector",
                                  gb_saved_shown(file, shown));
    switch (gb_notes_offer(&g->memory, notes, file->name, file->length, file->data, file->bytes)) {
    case GB_NOTE_DIFFERS:
        return gb_checkpoint_fail(g->of, GB_EFILE,
                                  "its note %s differs from that of the tape: the model was recorded with "
                                  "other scales, levels or columns than the one in the file",
                                  gb_saved_shown(file, shown));
    case GB_NOTE_NO_MEMORY:
        return gb_checkpoint_fail(g->of, GB_ENOMEM, "out of memory for %zu bytes", file->bytes);
    case GB_NOTE_OFFERED: break;
    }
    return GB_OK;
}

static gb_status offer_notes(const gb_gathered *g, const gb_saved *saved)
{
    const unsigned char *at = saved->note;
    gb_status status = GB_OK;
    for (uint32_t i = 0; i < saved->notes && status == GB_OK; i++) {
        const gb_saved_entry file = gb_saved_part_next(saved, &at);
        status = offer_note(g, &file);
    }
    return status;
}

/* ---- loading: from here on, only `accept` can fail ---- */

static void take_parts(const gb_gathered *g, const gb_saved *saved)
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

static void take(const gb_gathered *g, const gb_saved *saved, unsigned char *bytes)
{
    const size_t width = saved->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    variables_read read = {.at = saved->variable};
    for (size_t i = 0; i < g->variables && next_variable(g, saved, &read, &g->variable[i].entry); i++) {
        unsigned char *const data = bytes + ((const unsigned char *)read.entry.data - bytes);
        gb_saved_elements(data, data, read.entry.bytes, width);
        gb_set_data(g->node[g->variable[i].index], data);
    }
    for (size_t i = 0; i < g->of->programs; i++)
        gb_program_set_step(g->of->program[i], gb_saved_program_at(saved, i).step);
    gb_notes_take(&g->memory, gb_tape_own_notes(g->of->tape));
}

static gb_status ask(const gb_checkpoint *c)
{
    if (!c->accept || c->accept(c->user))
        return GB_OK;
    return gb_error(c->tape) != GB_OK ? gb_error(c->tape)
                                      : gb_checkpoint_fail(c, GB_EFILE, "it was rejected by .accept");
}

static gb_status take_all(const gb_checkpoint *theirs, unsigned char *bytes, size_t length, uint64_t *steps)
{
    gb_checkpoint own;
    const gb_checkpoint *const c = &own;
    gb_gathered g;
    gb_saved saved;
    char why[GB_SAVED_WHY];
    gb_status status = gb_checkpoint_asked(theirs, &own);
    if (status != GB_OK)
        return status;
    if (!gb_saved_open(bytes, length, &saved, why))
        return gb_checkpoint_fail(c, GB_EFILE, "%s", why);
    status = gb_checkpoint_gather(&g, c);
    if (status == GB_OK)
        status = match(&g, &saved);
    for (size_t i = 0; status == GB_OK && steps && i < c->programs; i++)
        steps[i] = gb_saved_program_at(&saved, i).step;
    if (status == GB_OK)
        status = offer_notes(&g, &saved);
    if (status == GB_OK) {
        take_parts(&g, &saved);
        status = ask(c);
    }
    if (status == GB_OK)
        take(&g, &saved, bytes);
    else
        gb_notes_drop(&g.memory, gb_tape_own_notes(c->tape));
    gb_gathered_free(&g);
    return status;
}

gb_status gb_checkpoint_take(const gb_checkpoint *checkpoint, unsigned char *bytes, size_t length)
{
    return take_all(checkpoint, bytes, length, NULL);
}

/* An upper bound on the file size. It is generous, because parts that are not loaded may be long. */
static gb_status most_bytes(const gb_checkpoint *c, size_t *most)
{
    gb_gathered g;
    const gb_status status = gb_checkpoint_gather(&g, c);
    if (status == GB_OK) {
        const size_t length = gb_gathered_length(&g), more = (size_t)1 << 30, times = c->subset ? 128 : 2;
        *most = length < (SIZE_MAX - more) / times ? times * length + more : SIZE_MAX - 1;
    }
    gb_gathered_free(&g);
    return status;
}

static gb_status read_file(const gb_checkpoint *c, unsigned char **bytes, size_t *length)
{
    const gb_memory memory = gb_tape_memory(c->tape);
    char why[GB_SAVED_WHY];
    size_t most = 0;
    gb_status status = most_bytes(c, &most);
    if (status != GB_OK)
        return status;
    status = gb_file_read(&memory, c->path, most, bytes, length, why);
    return status == GB_OK ? GB_OK : gb_checkpoint_fail(c, status, "%s", why);
}

/* The file may be where the first member of a team is, and nowhere else. */
static gb_status read_together(const gb_checkpoint *c, unsigned char **bytes, size_t *length)
{
    const gb_memory memory = gb_tape_memory(c->tape);
    const bool is_first = gb_tape_is_first(c->tape);
    uint64_t told;
    *bytes = NULL;
    if (is_first)
        read_file(c, bytes, length);
    told = *length;
    if (!gb_tape_tell(c->tape, &told, sizeof told))
        return gb_error(c->tape);
    *length = (size_t)told;
    if (!is_first && !(*bytes = gb_memory_resize(&memory, NULL, *length + 1)))
        gb_checkpoint_fail(c, GB_ENOMEM, "it cannot be read: out of memory");
    gb_tape_tell(c->tape, *bytes, *length);
    return gb_error(c->tape);
}

gb_status gb_checkpoint_load_steps(const gb_checkpoint *theirs, uint64_t *steps)
{
    gb_checkpoint own;
    size_t length = 0;
    unsigned char *bytes = NULL;
    gb_status status = gb_checkpoint_asked(theirs, &own);
    if (theirs && theirs->tape && gb_tape_any(theirs->tape, false))
        return gb_error(theirs->tape);
    if (status != GB_OK)
        return status;
    const gb_memory memory = gb_tape_memory(own.tape);
    status = read_together(&own, &bytes, &length);
    if (status == GB_OK)
        status = take_all(&own, bytes, length, steps);
    gb_memory_release(&memory, bytes);
    return gb_tape_any(own.tape, false) ? gb_error(own.tape) : status;
}

gb_status gb_checkpoint_load(const gb_checkpoint *checkpoint)
{
    return gb_checkpoint_load_steps(checkpoint, NULL);
}
