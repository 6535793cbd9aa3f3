/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/products/blas_impl.h"
#include "ops/products/provider_impl.h"

/* Under `lock`, until it is loaded or cannot be; afterwards it is only read. */
static struct {
    enum { UNTRIED, LOADED, ABSENT } state;
    gb_blas blas;
    gb_blas_facts facts;
    gb_blas_provider provider;
    void *(*take_buffer)(int); /* with `give_buffer`, or NULL: not exported */
    void (*give_buffer)(void *);
    char library[256];
    char advice[320], rejection[208];
} loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- kernels for this processor ---- */

enum { PLAIN, AVX2, AVX512 };

static int processor_level(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return AVX2;
#endif
    return PLAIN;
}

static int kernels_level(const char *kernels)
{
    static const struct {
        const char *name;
        int level;
    } known[] = {{"Haswell", AVX2},          {"Zen", AVX2},
                 {"SkylakeX", AVX512},       {"Cooperlake", AVX512},
                 {"SapphireRapids", AVX512}, {"Sapphirerapids", AVX512}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(kernels, known[i].name) == 0)
            return known[i].level;
    return PLAIN;
}

/* Returns the kernels to request from OpenBLAS. NULL: let it choose, which it does well on processors whose
 * level is unknown here. */
static const char *best_kernels(void)
{
    switch (processor_level()) {
    case AVX512: return "SkylakeX";
    case AVX2: return "Haswell";
    default: return NULL;
    }
}

/* ---- loading ---- */

typedef struct environment_change {
    const char *name;
    const char *value; /* NULL: no change */
    char *before;      /* NULL: not set before */
} environment_change;

static void change_environment(environment_change *change)
{
    const char *before = getenv(change->name);
    if (!change->value)
        return;
    change->before = before ? strdup(before) : NULL;
    if (before && !change->before) /* what cannot be restored is not changed */
        change->value = NULL;
    else
        setenv(change->name, change->value, 1);
}

static void restore_environment(environment_change *change)
{
    if (!change->value)
        return;
    if (change->before)
        setenv(change->name, change->before, 1);
    else
        unsetenv(change->name);
    free(change->before);
}

/* Why the library could not be opened; "" if no error is known. */
typedef struct opening {
    char why[256];
    bool is_there; /* a file of one of the names is there */
} opening;

/* Keeps the error of the first file that is there, else that of the first name. */
static void keep_error(opening *o, const char *name)
{
    const char *const error = dlerror();
    const bool has_error = error != NULL;
    const bool is_missing =
        has_error && strncmp(error, name, strlen(name)) == 0 && strstr(error, strerror(ENOENT));
    if (has_error && (!*o->why || (!is_missing && !o->is_there)))
        snprintf(o->why, sizeof o->why, "%s", error);
    o->is_there |= has_error && !is_missing;
}

static void *open_file(const char *name, int flags, opening *o)
{
    void *const library = dlopen(name, flags);
    if (!library)
        keep_error(o, name);
    return library;
}

/* OpenBLAS reads these variables in its constructor, so they need to be set only while it is loaded. A number
 * of threads that the user has set is for the other callers of OpenBLAS in this process: it stays. */
static void *open_with_kernels(const char *name, opening *o)
{
    environment_change kernels = {.name = "OPENBLAS_CORETYPE"};
    environment_change threads = {.name = "OPENBLAS_NUM_THREADS"};
    const char *const asked = getenv(kernels.name), *const own = getenv(threads.name);
    if (!asked || !*asked)
        kernels.value = best_kernels();
    if (!own || !*own)
        threads.value = "1";
    change_environment(&kernels);
    change_environment(&threads);
    void *library = open_file(name, RTLD_NOW | RTLD_LOCAL, o);
    restore_environment(&threads);
    restore_environment(&kernels);
    return library;
}

/* ---- advice ---- */

GB_PRINTF(1, 2)
static void advise(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(loaded.advice, sizeof loaded.advice, format, values);
    va_end(values);
}

static bool reject(const char *why)
{
    snprintf(loaded.rejection, sizeof loaded.rejection, "%.200s", why);
    const char *const asked = getenv("GREBE_BLAS");
    advise("%.200s; %s", why,
           asked && *asked ? "GREBE_BLAS in the environment asks for it: unset it, and another is looked for"
                           : "install libopenblas0 (Debian, Ubuntu) or openblas");
    return false;
}

static bool find_functions(void *library)
{
    *(void **)&loaded.blas.sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&loaded.blas.dgemm = dlsym(library, "cblas_dgemm");
    *(void **)&loaded.give_buffer = dlsym(library, "blas_memory_free");
    if (loaded.give_buffer)
        *(void **)&loaded.take_buffer = dlsym(library, "blas_memory_alloc");
    return loaded.blas.sgemm && loaded.blas.dgemm;
}

/* best_kernels(), as a word of a message. */
static const char *kernels_word(void)
{
    const char *const best = best_kernels();
    return best ? best : "better";
}

static void advise_on_kernels(void)
{
    const char *asked = getenv("OPENBLAS_CORETYPE");
    const bool asked_for = asked && *asked;
    if (loaded.facts.fallback && asked_for)
        advise("OPENBLAS_CORETYPE=%s in the environment selects kernels older than the processor: unset it",
               asked);
    else if (loaded.facts.fallback && !loaded.facts.loaded_by_grebe)
        advise("the process had loaded OpenBLAS before grebe, with kernels older than the processor: "
               "run the program with OPENBLAS_CORETYPE=%s",
               kernels_word());
    else if (loaded.facts.fallback)
        advise("this OpenBLAS has no %s kernels: install one built with DYNAMIC_ARCH (libopenblas0-pthread)",
               kernels_word());
    else if (!loaded.facts.loaded_by_grebe)
        advise(
            "the process had loaded OpenBLAS before grebe, which sets it to one thread while it multiplies");
}

/* Facts about a BLAS that is not OpenBLAS. */
static void advise_on_another(const char *file)
{
    const char *const name = loaded.provider.name;
    loaded.facts.kernels = "chosen by itself";
    loaded.facts.fallback = loaded.provider.is_slow;
    if (loaded.provider.is_slow)
        advise("this is not OpenBLAS, and it may multiply at a tenth of its speed: install "
               "libopenblas0 (Debian, Ubuntu) or openblas");
    else if (!gb_blas_has_threads(&loaded.provider))
        advise("the number of threads of %s cannot be set: last digits may depend on it", name);
    else if (!loaded.facts.loaded_by_grebe)
        advise("the process had loaded %s before grebe, which sets it to one thread while it multiplies",
               name);
    snprintf(loaded.library, sizeof loaded.library, "%s (%.200s)", name, file);
}

static bool look_inside(void *library, const char *file)
{
    if (!find_functions(library))
        return reject("the library of that name has no CBLAS");
    *loaded.advice = '\0';
    gb_blas_provider_of(library, &loaded.provider);
    loaded.facts.library = loaded.library;
    if (gb_blas_takes_long_integers(&loaded.provider, library))
        return reject("the BLAS that was found takes 64-bit integers");
    if (!loaded.provider.describe) {
        advise_on_another(file);
        return true;
    }
    snprintf(loaded.library, sizeof loaded.library, "%s", loaded.provider.describe());
    loaded.facts.kernels = loaded.provider.kernels();
    loaded.facts.fallback = kernels_level(loaded.facts.kernels) < processor_level();
    advise_on_kernels();
    return true;
}

/* ---- memory ---- */

enum { BUFFER = (128 << 20) + (64 << 10) /* bytes; the largest that OpenBLAS has on common processors */ };

static bool is_memory_left(void)
{
    void *volatile at = malloc(BUFFER); /* volatile: the compiler may not leave it out */
    free(at);
    return at;
}

static const char no_memory[] = "there is no memory to load it, and for 128 MiB besides";

/* Opens a library, unless the process has it already, and keeps it if it serves. */
static bool try_file(const char *file, opening *o)
{
    opening none = {.why = ""};
    void *library = open_file(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD, &none);
    loaded.facts = (gb_blas_facts){.loaded_by_grebe = !library, .advice = loaded.advice};
    if (!library)
        library = open_with_kernels(file, o);
    if (library && look_inside(library, file))
        loaded.state = LOADED;
    else if (library) {
        snprintf(o->why, sizeof o->why, "%.100s: %.150s", file, loaded.rejection);
        dlclose(library);
    }
    return loaded.state == LOADED;
}

/* Returns whether one of them serves, those first that the process has loaded. */
static bool try_files(const char *const *files, opening *o)
{
    for (size_t i = 0; files[i]; i++) {
        void *const there = dlopen(files[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        const bool serves = there && try_file(files[i], o);
        if (there)
            dlclose(there);
        if (serves)
            return true;
    }
    for (size_t i = 0; files[i]; i++)
        if (try_file(files[i], o))
            return true;
    return false;
}

/* Lack of memory may end, so it is not kept. */
static void load(void)
{
    const char *const asked = getenv("GREBE_BLAS");
    const bool is_asked = asked && *asked;
    const char *const own[] = {asked, NULL};
    opening o = {.why = ""}, other = {.why = ""};
    if (try_files(is_asked ? own : gb_blas_openblas_files, &o))
        return;
    const bool starved = o.is_there && !is_memory_left();
    if (!starved && !is_asked && try_files(gb_blas_other_files, &other))
        return;
    loaded.facts = (gb_blas_facts){.advice = starved ? no_memory : loaded.advice};
    if (starved)
        return;
    reject(*o.why ? o.why : "there is no library of that name");
    loaded.state = ABSENT;
}

static gb_blas_facts look(void)
{
    pthread_mutex_lock(&lock);
    if (loaded.state == UNTRIED)
        load();
    const gb_blas_facts facts = loaded.facts;
    pthread_mutex_unlock(&lock);
    return facts;
}

bool gb_blas_look(gb_blas_facts *facts)
{
    const gb_blas_facts found = look();
    if (facts)
        *facts = found;
    return found.library;
}

bool gb_blas_is_loaded(gb_blas_facts *facts)
{
    pthread_mutex_lock(&lock);
    const bool is = loaded.state == LOADED;
    *facts = loaded.facts;
    pthread_mutex_unlock(&lock);
    return is;
}

const gb_blas *gb_blas_load(void)
{
    return look().library ? &loaded.blas : NULL;
}

gb_status gb_blas_fail(gb_tape *tape)
{
    const gb_blas_facts facts = look();
    if (facts.library || facts.advice == no_memory)
        return gb_fail(tape, GB_ENOMEM,
                       "matmul: out of memory for OpenBLAS, which needs 128 MiB for each thread");
    return gb_fail(tape, GB_ESYSTEM, "matmul: no BLAS could be loaded: %s", facts.advice);
}

/* ---- buffers and threads ---- */

enum { MOST_BUFFERS = 64 }; /* OpenBLAS has room for twice as many as it was built for processors */

static pthread_cond_t is_free = PTHREAD_COND_INITIALIZER;
/* Under `lock`. */
static struct {
    void *buffer[MOST_BUFFERS];
    int buffers; /* that OpenBLAS is known to have */
    int busy;    /* products that are being computed */
    int threads; /* the number to restore after them */
} turns;

static bool is_known(const void *buffer)
{
    for (int i = 0; i < turns.buffers; i++)
        if (turns.buffer[i] == buffer)
            return true;
    return false;
}

/* Makes OpenBLAS allocate one buffer more than are known. It first hands out those that it has and that are
 * not in use. */
static bool add_buffer(void)
{
    void *taken[MOST_BUFFERS];
    int count = 0;
    if (turns.buffers == MOST_BUFFERS || !is_memory_left())
        return false;
    while (loaded.take_buffer && count < MOST_BUFFERS) {
        taken[count] = loaded.take_buffer(0);
        if (!taken[count] || !is_known(taken[count++]))
            break;
    }
    turns.buffer[turns.buffers++] = count ? taken[count - 1] : NULL;
    for (int i = 0; i < count; i++)
        loaded.give_buffer(taken[i]);
    return true;
}

bool gb_blas_reserve(void)
{
    pthread_mutex_lock(&lock);
    const bool is_ready = turns.buffers > 0 || add_buffer();
    pthread_mutex_unlock(&lock);
    return is_ready;
}

void gb_blas_begin(void)
{
    pthread_mutex_lock(&lock);
    while (turns.busy >= turns.buffers && !add_buffer())
        pthread_cond_wait(&is_free, &lock);
    if (turns.busy++ == 0) {
        turns.threads = gb_blas_threads(&loaded.provider);
        if (turns.threads != 1)
            gb_blas_set_threads(&loaded.provider, 1);
    }
    pthread_mutex_unlock(&lock);
}

/* A number that the program has set meanwhile stays. */
void gb_blas_end(void)
{
    pthread_mutex_lock(&lock);
    if (--turns.busy == 0 && turns.threads != 1 && gb_blas_threads(&loaded.provider) == 1)
        gb_blas_set_threads(&loaded.provider, turns.threads);
    pthread_cond_signal(&is_free);
    pthread_mutex_unlock(&lock);
}
