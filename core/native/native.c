/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a plan's native code: waiting, being compiled, in use. */
#include "core/native/native_impl.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"
#include "core/native/object_impl.h"
#include "core/native/write_impl.h"

typedef enum state { WAITING, COMPILING, COMPILED, IN_USE, FAILED } state;

/* The address of a function, as the loader gives it and as it is called. */
typedef union function {
    void *found;
    void (*straight)(const gb_block *code, char *const *pointers);
    gb_loop_chunk *chunk;
} function;

struct gb_native {
    const gb_memory *memory;
    gb_native_text text;
    gb_native_source source;
    gb_object *object;
    function *function;   /* [text.functions] */
    const gb_block *code; /* [steps, length], of every run */
    size_t steps, length;
    char **table; /* [steps, text.pointers] */
    atomic_int state;
    atomic_bool cancel;
    pthread_t thread;
    pid_t process;          /* that has the thread; 0: there is none */
    double seconds, latest; /* of all runs; of the latest that was timed */
    uint64_t runs;
    bool is_long; /* the latest run that was timed: reading the clock twice is nothing beside it */
    char why[200];
};

static bool is(const gb_native *native, state asked)
{
    return native && (state)atomic_load_explicit(&native->state, memory_order_acquire) == asked;
}

/* ---- compiling ---- */

static void *compile(void *of)
{
    gb_native *const native = of;
    native->object = gb_object_load(&native->source, &native->cancel, native->why, sizeof native->why);
    atomic_store_explicit(&native->state, native->object ? COMPILED : FAILED, memory_order_release);
    return NULL;
}

/* Signals are for the threads of the program around grebe. */
static bool start_thread(gb_native *native)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&native->thread, NULL, compile, native) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static void fail(gb_native *native, const char *why)
{
    snprintf(native->why, sizeof native->why, "%s", why);
    atomic_store(&native->state, FAILED);
}

static bool is_same_text(const gb_native_text *a, const gb_native_text *b)
{
    bool is = a->files.count == b->files.count;
    for (size_t i = 0; is && i < a->files.count; i++)
        is = strcmp(a->files.at[i], b->files.at[i]) == 0;
    return is;
}

/* Takes the object of another plan of the program, for other numbers of rows and samples. */
static bool share(const gb_plan *plan)
{
    gb_native *const native = plan->native;
    for (const gb_plan *other = plan->next; other; other = other->next)
        if (is(other->native, IN_USE) && is_same_text(&native->text, &other->native->text)) {
            native->object = gb_object_share(other->native->object);
            atomic_store(&native->state, COMPILED);
            return true;
        }
    return false;
}

static void begin_compiling(gb_plan *plan, bool waits)
{
    gb_native *const native = plan->native;
    const gb_tape *const tape = gb_plan_tape(plan);
    if (!gb_native_write(plan, &native->text)) {
        fail(native, "out of memory for the text of native code");
        return;
    }
    native->source = (gb_native_source){.file = (const char *const *)native->text.files.at,
                                        .files = native->text.files.count,
                                        .isa = tape->isa,
                                        .real_bits = tape->options.real == GB_FLOAT ? 32 : 64};
    if (native->source.files == 0)
        fail(native, "the program has no instructions");
    else if (!share(plan)) {
        atomic_store(&native->state, COMPILING);
        if (waits)
            compile(native);
        else if (start_thread(native))
            native->process = getpid();
        else
            fail(native, "no thread could be started for the compiler");
    }
}

/* A forked process has what was being compiled, but not the thread that does it. */
static bool has_thread(const gb_native *native)
{
    return native->process && native->process == getpid();
}

static void wait_for_thread(gb_native *native)
{
    if (has_thread(native))
        pthread_join(native->thread, NULL);
    native->process = 0;
}

static void start_over(gb_native *native)
{
    gb_native_text_free(&native->text);
    native->process = 0;
    native->seconds = 0;
    atomic_store(&native->state, WAITING);
}

/* ---- use ---- */

static bool find_functions(gb_native *native)
{
    bool good = true;
    for (size_t i = 0; i < native->text.functions.count; i++) {
        char name[32];
        snprintf(name, sizeof name, "part_%zu", i);
        native->function[i].found = gb_object_find(native->object, name);
        good &= native->function[i].found != NULL;
    }
    return good;
}

/* Each step has buffers of its own. */
static void fill_table(const gb_native *native, size_t step, size_t once)
{
    for (size_t i = 0; i < native->text.pointers.count; i++) {
        const gb_native_pointer p = native->text.pointers.at[i];
        const gb_block *const block = native->code + step * native->length + p.instruction - once;
        native->table[step * native->text.pointers.count + i] =
            (char *)(uintptr_t)(p.operand ? block->in[p.operand - 1] : block->out);
    }
}

/* Pointers that follow variables and inputs do so from here on. A body has none. */
static bool follow(gb_plan *plan)
{
    gb_native *const native = plan->native;
    for (size_t i = 0; i < native->text.pointers.count; i++) {
        const gb_native_pointer p = native->text.pointers.at[i];
        const uint32_t watch = gb_key_watch(p.key);
        if (watch == GB_NONE)
            continue;
        if (!GB_LIST_GROW(plan->arena.memory, &plan->fixups, 1))
            return false;
        gb_watch *const of = &plan->watches.at[watch];
        plan->fixups.at[plan->fixups.count++] = (gb_fixup){.where = (const void **)(void *)&native->table[i],
                                                           .offset = gb_key_offset(p.key),
                                                           .next = of->first,
                                                           .instruction = GB_NONE};
        of->first = (uint32_t)plan->fixups.count;
        of->bound = NULL; /* so that all are written again */
    }
    return true;
}

static void put_in_use(gb_plan *plan)
{
    gb_native *const native = plan->native;
    wait_for_thread(native);
    const gb_native_text *const text = &native->text;
    native->function = gb_arena_take(&plan->arena, (text->functions.count + 1) * sizeof *native->function);
    native->table =
        gb_arena_take(&plan->arena, (native->steps * text->pointers.count + 1) * sizeof *native->table);
    if (!native->function || !native->table || !follow(plan)) {
        fail(native, "out of memory for native code");
        return;
    }
    for (size_t step = 0; step < native->steps; step++)
        fill_table(native, step, plan->once);
    if (!find_functions(native)) {
        fail(native, "the compiler left out a function of native code");
        return;
    }
    for (size_t i = 0; i < text->parts.count; i++) {
        const gb_native_part *const part = &text->parts.at[i];
        if (part->loop)
            part->loop->compiled = native->function[part->function].chunk;
    }
    atomic_store(&native->state, IN_USE);
}

bool gb_native_run(const gb_plan *plan, size_t steps)
{
    const gb_native *const native = plan->native;
    if (!is(native, IN_USE))
        return false;
    const gb_native_text *const text = &native->text;
    for (size_t step = 0; step < steps; step++) {
        const gb_block *const code = native->code + step * native->length - plan->once;
        char *const *const table = native->table + step * text->pointers.count;
        for (const gb_native_part *part = text->parts.at, *end = part + text->parts.count; part < end; part++)
            if (!part->loop)
                native->function[part->function].straight(code + part->first, table + part->pointers);
    }
    return true;
}

/* ---- when ---- */

enum { TIMED_EVERY = 32, NOT_TIMED = -1 };

static bool is_worth_it(const gb_plan *plan)
{
    return plan->native->seconds > 0.5 + 1e-3 * (double)(plan->code.count + plan->bodies.count);
}

static bool is_timed(const gb_native *native)
{
    return is(native, WAITING) && (native->is_long || native->runs % TIMED_EVERY == 0);
}

/* Returns NULL if memory runs out. */
static gb_native *native_of(gb_plan *plan, const gb_block *code, size_t steps)
{
    if (plan->native)
        return plan->native;
    gb_native *const native = gb_memory_resize(plan->arena.memory, NULL, sizeof *native);
    if (!native)
        return NULL;
    *native = (gb_native){.memory = plan->arena.memory,
                          .is_long = true,
                          .latest = 1e300,
                          .code = code,
                          .steps = steps,
                          .length = plan->code.count - plan->once};
    plan->free_native = gb_native_free;
    return plan->native = native;
}

double gb_native_before_run(gb_plan *plan, const gb_block *code, size_t steps)
{
    const gb_native_use use = gb_plan_tape(plan)->options.native;
    gb_native *const native = use != GB_NATIVE_OFF && plan->fused ? native_of(plan, code, steps) : NULL;
    if (!native)
        return NOT_TIMED;
    native->runs++;
    if (is(native, COMPILING) && !has_thread(native))
        start_over(native);
    else if (is(native, WAITING) && (use == GB_NATIVE_NOW || is_worth_it(plan)))
        begin_compiling(plan, use == GB_NATIVE_NOW);
    if (is(native, COMPILED))
        put_in_use(plan);
    return is_timed(native) ? gb_seconds() : NOT_TIMED;
}

void gb_native_after_run(gb_plan *plan, double begin)
{
    gb_native *const native = plan->native;
    if (begin < 0)
        return;
    const double seconds = gb_seconds() - begin;
    const double usual = seconds < native->latest ? seconds : native->latest; /* or it waited */
    native->seconds += usual * (native->is_long ? 1 : TIMED_EVERY);
    native->latest = seconds;
    native->is_long = seconds > 1e-5;
}

const char *gb_native_words(const gb_plan *plan)
{
    const gb_native *const native = plan ? plan->native : NULL;
    switch (native ? atomic_load(&native->state) : WAITING) {
    case COMPILING: return has_thread(native) ? "interpreted; native code is being compiled" : "interpreted";
    case COMPILED: return "interpreted; native code is ready for the next run";
    case IN_USE: return "native code";
    case FAILED: return native->why;
    default: return "interpreted";
    }
}

bool gb_native_dump(const gb_plan *plan, FILE *file)
{
    gb_native_text text;
    if (!gb_native_write(plan, &text))
        return false;
    for (size_t i = 0; i < text.files.count; i++)
        fputs(text.files.at[i], file);
    gb_native_text_free(&text);
    bool good = true;
    for (const gb_body_plan *body = plan->bodies_of; body && good; body = body->next)
        good = gb_native_dump(body->plan, file);
    return good;
}

void gb_native_free(gb_native *native)
{
    atomic_store(&native->cancel, true);
    wait_for_thread(native);
    gb_object_free(native->object);
    gb_native_text_free(&native->text);
    gb_memory_release(native->memory, native);
}
