/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making, resetting and freeing tapes. */
#include "core/tape.h"

#include <string.h>

#include "core/ground/environment_impl.h"
#include "core/kernels/isa_impl.h"
#include "core/kernels/workers_impl.h"
#include "core/tape/tape_impl.h"
#include "core/tape/within_impl.h"

bool gb_options_take(gb_tape *tape, const char *who, void *own, size_t bytes, const void *theirs)
{
    if (gb_options_copy(own, bytes, theirs) || !tape)
        return true;
    gb_fail(tape, GB_EARGUMENT, "%s: the options struct %s", who,
            gb_options_fault_words(gb_options_look(theirs, bytes)));
    return false;
}

/* GREBE_NATIVE in the environment takes the place of the option. */
static void take_native(gb_tape *tape)
{
    static const char *const words[] = {"off", "auto", "now", NULL};
    const char *unknown;
    gb_native_use *const native = &tape->options.native;
    const int asked = gb_environment_choice("GREBE_NATIVE", words, &unknown);
    if (asked >= 0)
        *native = (gb_native_use)asked;
    if (unknown)
        gb_fail(tape, GB_EARGUMENT,
                "tape_new: GREBE_NATIVE in the environment is \"%.40s\", and must be off, auto or now",
                unknown);
    if (*native >= GB_NATIVE_OFF && *native <= GB_NATIVE_NOW)
        return;
    gb_fail(tape, GB_EARGUMENT, "tape_new: .native is %d, and must be from %d to %d", (int)*native,
            GB_NATIVE_OFF, GB_NATIVE_NOW);
    *native = GB_NATIVE_OFF;
}

/* An error here is the tape's first. */
static void check_surroundings(gb_tape *tape)
{
    enum { MOST_THREADS = 1024 };
    const char *const unknown = gb_unknown_isa();
    const gb_tape_options asked = tape->options;
    /* for a tape whose error is forgiven */
    if (asked.threads < 0 || asked.threads > MOST_THREADS)
        tape->options.threads = 1;
    if (asked.real != GB_FLOAT)
        tape->options.real = GB_DOUBLE;
    if (asked.samples < 1 || asked.samples > INT32_MAX)
        tape->options.samples = 1;
    if (unknown)
        gb_fail(tape, GB_EARGUMENT,
                "tape_new: GREBE_ISA in the environment is \"%.40s\", and must be baseline, avx2 or avx512",
                unknown);
    if (tape->options.threads != asked.threads)
        gb_fail(tape, GB_EARGUMENT,
                "tape_new: .threads is %d, and must be from 0 (one for each processor) to %d", asked.threads,
                MOST_THREADS);
    if (tape->options.real != asked.real)
        gb_fail(tape, GB_EARGUMENT, "tape_new: .real is %d, and must be GB_DOUBLE (%d) or GB_FLOAT (%d)",
                (int)asked.real, GB_DOUBLE, GB_FLOAT);
    if (asked.samples != 0 && tape->options.samples != asked.samples)
        gb_fail(tape, GB_EARGUMENT, "tape_new: .samples is %lld, and must be from 1 to %d (0 means 1)",
                (long long)asked.samples, INT32_MAX);
    take_native(tape);
    const char *const fault = asked.team ? gb_team_fault(asked.team) : NULL;
    if (fault)
        gb_fail(tape, GB_EARGUMENT, "tape_new: .team %s", fault);
    if (!asked.memory.resize != !asked.memory.release)
        gb_fail(tape, GB_EARGUMENT, "tape_new: .memory has %s but not %s: give both functions, or neither",
                asked.memory.resize ? ".resize" : ".release", asked.memory.resize ? ".release" : ".resize");
}

gb_tape *gb_tape_new_with(const gb_tape_options *options)
{
    gb_tape_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return NULL;
    const bool is_whole = own.memory.resize && own.memory.release;
    const gb_memory memory = is_whole ? own.memory : (gb_memory){0};
    gb_team *const team = own.team && !gb_team_fault(own.team) ? own.team : NULL;
    gb_tape *const tape = gb_memory_resize(&memory, NULL, sizeof *tape);
    gb_mates mates = {0};
    if (!tape || !gb_mates_join(&mates, team, &memory)) {
        gb_memory_release(&memory, tape);
        gb_team_go_without(team, GB_ENOMEM);
        return NULL;
    }
    *tape =
        (gb_tape){.options = own, .memory = memory, .isa = gb_best_isa(), .generation = 1, .mates = mates};
    tape->arena.memory = &tape->memory;
    check_surroundings(tape);
    return tape;
}

static void programs_forget(gb_tape *tape)
{
    for (size_t i = 0; i < tape->programs.count; i++)
        tape->forget_program(tape->programs.at[i]);
}

/* Programs of earlier recordings are kept, empty, so that gb_run can reject them: the latest of them. */
static void programs_drop_oldest(gb_tape *tape)
{
    enum { MOST = 4096 };
    const size_t count = tape->programs.count, dropped = count > MOST ? count - MOST : 0;
    for (size_t i = 0; i < dropped; i++)
        gb_memory_release(&tape->memory, tape->programs.at[i]);
    if (dropped > 0)
        memmove(tape->programs.at, tape->programs.at + dropped, MOST * sizeof *tape->programs.at);
    tape->programs.count -= dropped;
}

static void inputs_free(gb_tape *tape)
{
    for (size_t i = 0; i < tape->inputs.count; i++)
        gb_release_aligned(&tape->memory, tape->inputs.at[i].copy);
    tape->inputs.count = 0;
}

/* The latest first: it may point to earlier ones. */
static void owned_free(gb_tape *tape)
{
    while (tape->owned.count > 0) {
        const gb_owned last = tape->owned.at[--tape->owned.count];
        last.release(last.user);
    }
}

void gb_tape_reset(gb_tape *tape)
{
    if (!tape)
        return;
    owned_free(tape);
    programs_forget(tape);
    programs_drop_oldest(tape);
    inputs_free(tape);
    tape->nodes.count = 0;
    tape->axes.count = 0;
    tape->streams.count = 0;
    tape->bodies.count = 0;
    tape->body = 0;
    gb_names_clear(&tape->input_names);
    gb_names_clear(&tape->stream_names);
    gb_arena_reset(&tape->arena);
    tape->generation++;
    tape->notes.recording++;
    tape->runs = 0;
    tape->adjoint_of = 0;
    tape->remarks = NULL;
    tape->observed = NULL;
    gb_forgive(tape);
}

void gb_tape_free(gb_tape *tape)
{
    if (!tape)
        return;
    const gb_memory memory = tape->memory;
    gb_tape_leave(tape);
    owned_free(tape);
    programs_forget(tape);
    for (size_t i = 0; i < tape->programs.count; i++)
        gb_memory_release(&memory, tape->programs.at[i]);
    inputs_free(tape);
    for (size_t i = 0; i < tape->variables.count; i++) {
        gb_memory_release(&memory, tape->variables.at[i].name);
        gb_release_aligned(&memory, tape->variables.at[i].now);
        gb_release_aligned(&memory, tape->variables.at[i].next);
    }
    gb_notes_free(&memory, &tape->notes);
    gb_workers_free(tape->workers);
    void *const lists[] = {tape->nodes.at,          tape->variables.at,   tape->inputs.at,
                           tape->axes.at,           tape->streams.at,     tape->programs.at,
                           tape->variable_names.at, tape->input_names.at, tape->stream_names.at,
                           tape->bodies.at,         tape->owned.at,       tape->mates.heard};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        gb_memory_release(&memory, lists[i]);
    gb_arena_free(&tape->arena);
    gb_memory_release(&memory, tape);
}

gb_real gb_tape_real(const gb_tape *tape)
{
    return tape ? tape->options.real : GB_DOUBLE;
}

uint64_t gb_tape_seed(const gb_tape *tape)
{
    return tape ? tape->options.seed : 0;
}

gb_isa gb_tape_isa(const gb_tape *tape)
{
    return tape->isa;
}

size_t gb_tape_length(const gb_tape *tape)
{
    return tape ? tape->nodes.count : 0;
}

gb_memory gb_tape_memory(const gb_tape *tape)
{
    return tape ? tape->memory : (gb_memory){0};
}

void *gb_tape_keep(gb_tape *tape, size_t bytes)
{
    if (!tape || tape->status != GB_OK)
        return NULL;
    void *kept = gb_arena_take(&tape->arena, bytes);
    if (!kept)
        gb_fail(tape, GB_ENOMEM, "out of memory for %zu bytes", bytes);
    return kept;
}

bool gb_tape_own(gb_tape *tape, void (*release)(void *user), void *user)
{
    if (!tape || !release)
        return gb_fail(tape, GB_EARGUMENT, "tape_own: the function is NULL") == GB_OK;
    if (!GB_LIST_GROW(&tape->memory, &tape->owned, 1)) {
        release(user);
        return gb_fail(tape, GB_ENOMEM, "tape_own: out of memory") == GB_OK;
    }
    tape->owned.at[tape->owned.count++] = (gb_owned){release, user};
    return true;
}

bool gb_tape_disown(gb_tape *tape, const void *user)
{
    for (size_t i = tape ? tape->owned.count : 0; i-- > 0;) {
        gb_owned *const at = &tape->owned.at[i];
        if (at->user != user)
            continue;
        memmove(at, at + 1, (--tape->owned.count - i) * sizeof *at);
        return true;
    }
    return false;
}

char *gb_tape_keep_text(gb_tape *tape, const char *text)
{
    if (!text)
        gb_fail(tape, GB_EARGUMENT, "tape_keep_text: the text is NULL");
    char *copy = text ? gb_tape_keep(tape, strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

int64_t gb_tape_samples(const gb_tape *tape)
{
    return tape ? tape->options.samples : 0;
}

gb_status gb_tape_set_samples(gb_tape *tape, int64_t samples)
{
    if (!tape || tape->status != GB_OK)
        return gb_error(tape);
    if (samples < 1 || samples > INT32_MAX)
        return gb_fail(tape, GB_EARGUMENT, "set_samples: %lld samples are not possible", (long long)samples);
    tape->options.samples = samples;
    return GB_OK;
}
