/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/judge/kept_starts_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/tape.h"
#include "estimators/visit.h"
#include "models/elbo/elbo_impl.h"
#include "models/training/batches_impl.h"
#include "ops/list.h"

enum { WORDS = 400 };

typedef struct gb_kept_starts {
    uint64_t state;     /* of variables and data */
    size_t count, room; /* `room`: numbers of a start */
    gb_judge_start start[GB_STARTS_KEPT];
    double *numbers; /* [GB_STARTS_KEPT][2][n] */
    bool is_unfinished;
    char words[WORDS];
    gb_verdict verdict; /* of the fit, while the variables are as `q` says */
    uint64_t q;
} gb_kept_starts;

/* What a fit depends on: all variables, and all that was fed but what batches feed. */
typedef struct hashing {
    uint64_t hash; /* FNV-1a over the bytes */
    const gb_batches *data;
    bool only_variables;
} hashing;

static void add_bytes(hashing *s, const void *data, size_t count)
{
    const unsigned char *const byte = data;
    for (size_t i = 0; byte && i < count; i++)
        s->hash = (s->hash ^ byte[i]) * 0x100000001b3u;
}

static bool add_node(void *user, gb_node node)
{
    hashing *const s = user;
    const size_t width = gb_tape_real(node.tape) == GB_FLOAT ? sizeof(float) : sizeof(double);
    if (gb_node_is(node, "variable"))
        add_bytes(s, gb_variable_data(node), gb_value_count(node) * width);
    size_t bytes;
    const void *const fed = s->only_variables ? NULL : gb_input_data(node, &bytes);
    if (fed && !(s->data && gb_batches_feed(s->data, gb_node_name(node))))
        add_bytes(s, fed, bytes);
    return true;
}

/* Returns false on error. */
static bool find_state(gb_elbo *e, const gb_batches *data, uint64_t *hash)
{
    hashing s = {.hash = 0xcbf29ce484222325u, .data = data};
    const bool good = gb_visit(gb_elbo_loss(e), add_node, &s) == GB_OK;
    add_bytes(&s, &data, sizeof data);
    *hash = s.hash;
    return good;
}

static bool find_q(gb_elbo *e, uint64_t *hash)
{
    hashing s = {.hash = 0xcbf29ce484222325u, .only_variables = true};
    const bool good = gb_visit(gb_elbo_loss(e), add_node, &s) == GB_OK;
    *hash = s.hash;
    return good;
}

static gb_kept_starts *room_for(gb_elbo *e, size_t n)
{
    gb_kept_starts *f = e->starts;
    if (f && f->room >= n)
        return f;
    f = gb_tape_keep(e->tape, sizeof *f);
    double *const numbers = f ? gb_tape_keep(e->tape, (2 * GB_STARTS_KEPT * n + 1) * sizeof *numbers) : NULL;
    if (!numbers)
        return NULL;
    *f = (gb_kept_starts){.numbers = numbers, .room = n};
    return e->starts = f;
}

bool gb_starts_keep(gb_elbo *e, const gb_batches *data, size_t n, size_t count, const gb_judge_start *starts,
                    const char *unfinished)
{
    gb_kept_starts *const f = room_for(e, n);
    if (!f || !find_state(e, data, &f->state))
        return gb_fail(e->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", n) == GB_OK;
    f->count = count < GB_STARTS_KEPT ? count : GB_STARTS_KEPT;
    for (size_t i = 0; i < f->count; i++) {
        double *const mean = f->numbers + 2 * n * i, *const sd = mean + n;
        memcpy(mean, starts[i].mean, n * sizeof *mean);
        memcpy(sd, starts[i].sd, n * sizeof *sd);
        f->start[i] = starts[i];
        f->start[i].mean = mean;
        f->start[i].sd = sd;
    }
    f->verdict = GB_VERDICT_NONE;
    f->is_unfinished = unfinished != NULL;
    snprintf(f->words, sizeof f->words, "%s", unfinished ? unfinished : "");
    return true;
}

void gb_starts_keep_verdict(gb_elbo *e, gb_verdict verdict)
{
    gb_kept_starts *const f = e->starts;
    if (f && find_q(e, &f->q))
        f->verdict = verdict;
}

gb_verdict gb_starts_verdict(gb_elbo *e)
{
    const gb_kept_starts *const f = e->starts;
    uint64_t q;
    return f && f->verdict != GB_VERDICT_NONE && find_q(e, &q) && q == f->q ? f->verdict : GB_VERDICT_NONE;
}

void gb_starts_recall(gb_elbo *e, gb_judge_options *options)
{
    const gb_kept_starts *const f = e ? e->starts : NULL;
    uint64_t state;
    if (!f || options->starts || options->unfinished || !find_state(e, options->data, &state) ||
        state != f->state)
        return;
    options->starts = f->count > 0 ? f->start : NULL;
    options->start_count = f->count;
    options->unfinished = f->is_unfinished ? f->words : NULL;
}
