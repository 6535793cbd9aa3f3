/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tape's threads. They sleep between jobs. A job is a number of tiles; each free thread takes the next one.
 * The result of a tile does not depend on the thread.
 *
 * A forked process has none of the threads, and locks as they were at that moment: perhaps held by a thread
 * that is no more. It uses none of them. Its first job makes new locks in their place, and starts threads of
 * its own. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "core/kernels/flush_impl.h"
#include "core/kernels/workers_impl.h"

typedef struct worker_start {
    gb_workers *workers;
    unsigned number;
} worker_start;

struct gb_workers {
    gb_memory memory; /* used by the tape's own thread alone */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    void (*run)(void *context, size_t tile, unsigned thread);
    void *context;
    size_t tiles;
    atomic_size_t next;
    atomic_ulong job;   /* a new number for each job */
    atomic_uint active; /* workers that have not finished the job */
    atomic_bool ending;
    bool flush;          /* subnormal numbers */
    unsigned long forks; /* that came before these threads were started */
    unsigned threads;    /* the calling one included */
    pthread_t *thread;
    worker_start *start; /* [threads - 1] */
};

/* How many forks lie between the first process and this one. (A process number does not tell: the child of a
 * child may have that of a process that ended.) */
static atomic_ulong forks;
static bool counts_forks;

static void count_fork(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void begin_counting(void)
{
    counts_forks = pthread_atfork(NULL, NULL, count_fork) == 0;
}

static bool is_inherited(const gb_workers *w)
{
    return w->forks != atomic_load_explicit(&forks, memory_order_relaxed);
}

static void take_tiles(gb_workers *w, unsigned thread)
{
    size_t tile;
    while ((tile = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed)) < w->tiles)
        w->run(w->context, tile, thread);
}

/* A short spin saves the system call if jobs follow each other closely. */
enum { SPINS = 20000 };

static void wait_for_job(gb_workers *w, unsigned long seen)
{
    for (int i = 0; i < SPINS; i++)
        if (atomic_load_explicit(&w->job, memory_order_acquire) != seen)
            return;
    pthread_mutex_lock(&w->lock);
    while (atomic_load_explicit(&w->job, memory_order_acquire) == seen)
        pthread_cond_wait(&w->wake, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

static void *worker(void *argument)
{
    const worker_start *start = argument;
    gb_workers *const w = start->workers;
    const unsigned number = start->number;
    if (w->flush)
        gb_flush_begin(); /* until the thread ends */
    for (unsigned long seen = 0;;) {
        wait_for_job(w, seen);
        seen = atomic_load_explicit(&w->job, memory_order_acquire);
        if (atomic_load_explicit(&w->ending, memory_order_acquire))
            return NULL;
        take_tiles(w, number);
        if (atomic_fetch_sub_explicit(&w->active, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&w->lock);
            pthread_cond_signal(&w->done);
            pthread_mutex_unlock(&w->lock);
        }
    }
}

static void publish_job(gb_workers *w)
{
    pthread_mutex_lock(&w->lock);
    atomic_fetch_add_explicit(&w->job, 1, memory_order_release);
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

static bool start_worker(gb_workers *w)
{
    worker_start *start = &w->start[w->threads - 1];
    *start = (worker_start){.workers = w, .number = w->threads};
    if (pthread_create(&w->thread[w->threads - 1], NULL, worker, start) != 0)
        return false;
    w->threads++;
    return true;
}

/* Starts up to threads - 1; fewer are no error, since the results are the same. */
static void start_workers(gb_workers *w, unsigned threads)
{
    w->forks = atomic_load_explicit(&forks, memory_order_relaxed);
    w->threads = 1;
    atomic_store_explicit(&w->job, 0, memory_order_relaxed);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    pthread_cond_init(&w->done, NULL);
    while (w->threads < threads && start_worker(w)) {}
}

void gb_workers_run(gb_workers *w, size_t tiles, void (*run)(void *context, size_t tile, unsigned thread),
                    void *context)
{
    if (w && tiles > 1 && w->threads > 1 && is_inherited(w))
        start_workers(w, w->threads);
    if (!w || w->threads < 2 || tiles < 2) {
        for (size_t tile = 0; tile < tiles; tile++)
            run(context, tile, 0);
        return;
    }
    w->run = run;
    w->context = context;
    w->tiles = tiles;
    atomic_store_explicit(&w->next, 0, memory_order_relaxed);
    atomic_store_explicit(&w->active, w->threads - 1, memory_order_relaxed);
    publish_job(w);
    take_tiles(w, 0);
    for (int i = 0; i < SPINS; i++)
        if (atomic_load_explicit(&w->active, memory_order_acquire) == 0)
            return;
    pthread_mutex_lock(&w->lock);
    while (atomic_load_explicit(&w->active, memory_order_acquire) != 0)
        pthread_cond_wait(&w->done, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

unsigned gb_workers_count(const gb_workers *w)
{
    return w ? w->threads : 1;
}

gb_workers *gb_workers_new(const gb_memory *memory, int threads, bool flush_subnormals)
{
    if (threads <= 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        threads = online > 0 && online < 256 ? (int)online : 1;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin_counting);
    if (!counts_forks)
        return NULL;
    gb_workers *w = gb_memory_resize(memory, NULL, sizeof *w);
    if (!w)
        return NULL;
    memset(w, 0, sizeof *w);
    w->memory = *memory;
    w->flush = flush_subnormals;
    w->thread = gb_memory_resize(memory, NULL, (size_t)threads * sizeof *w->thread);
    w->start = gb_memory_resize(memory, NULL, (size_t)threads * sizeof *w->start);
    if (!w->thread || !w->start) {
        gb_memory_release(memory, w->thread);
        gb_memory_release(memory, w->start);
        gb_memory_release(memory, w);
        return NULL;
    }
    start_workers(w, (unsigned)threads);
    return w;
}

static void end_workers(gb_workers *w)
{
    atomic_store_explicit(&w->ending, true, memory_order_release);
    publish_job(w);
    for (unsigned i = 0; i + 1 < w->threads; i++)
        pthread_join(w->thread[i], NULL);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->done);
    pthread_mutex_destroy(&w->lock);
}

void gb_workers_free(gb_workers *w)
{
    if (!w)
        return;
    if (!is_inherited(w))
        end_workers(w);
    const gb_memory memory = w->memory;
    gb_memory_release(&memory, w->thread);
    gb_memory_release(&memory, w->start);
    gb_memory_release(&memory, w);
}
