/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression on UCI sets by the splits and the protocol of Gal and Ghahramani (2016), as Gal ran it again in
 * 2018: rate and precision are chosen by the log-likelihood of the last fifth of each split's training rows,
 * for each split by itself, and the network is then trained on all of them. */
#include "uci.h"

#include <math.h>

static const char *const names[] = {"yacht",    "bostonHousing",          "energy",
                                    "concrete", "wine-quality-red",       "power-plant",
                                    "kin8nm",   "naval-propulsion-plant", "protein-tertiary-structure"};
enum { SETS = sizeof names / sizeof *names };

static const int64_t draws = 10000, most_steps = 40000;

static int64_t or_fewer(int64_t all, int64_t wanted)
{
    return wanted > 0 && wanted < all ? wanted : all;
}

/* Trains and records, unless it is recorded. Returns the numbers. */
static bool try_dropout(const results *r, uci_job *j, const char *part, int64_t split,
                        double numbers[UCI_NUMBERS])
{
    char key[200];
    snprintf(key, sizeof key, "%s\t%lld\t%s\t%g\t%g\t", j->set->name, (long long)split, part, j->rate,
             j->tau);
    if (results_find(r, "uci", key, UCI_NUMBERS, numbers))
        return true;
    const double began = results_begin();
    return uci_train(j, uci_dropout, numbers) && results_add(r, "uci", key, UCI_NUMBERS, numbers, began);
}

static bool run_split(const results *r, const uci_set *s, int64_t split)
{
    double numbers[UCI_NUMBERS], best = -INFINITY;
    const gb_rows train = uci_rows(r, s, "train", split), test = uci_rows(r, s, "test", split);
    const size_t first = (size_t)(0.8 * (double)train.count);
    uci_job job = {.set = s,
                   .epochs = or_fewer(s->epochs, r->epochs),
                   .draws = or_fewer(draws, r->draws),
                   .seed = 1 + (uint64_t)split,
                   .optimiser = gb_adam(),
                   .train = gb_rows_of(first, train.row),
                   .test = gb_rows_of(train.count - first, train.row + first),
                   .only_moments = true};
    uci_job chosen = job;
    if (!train.count || !test.count)
        return false;
    for (size_t i = 0; i < s->rates * s->taus; i++) {
        job.rate = s->rate[i / s->taus];
        job.tau = s->tau[i % s->taus];
        if (!try_dropout(r, &job, "grid", split, numbers))
            return false;
        if (numbers[UCI_LL] > best) {
            best = numbers[UCI_LL];
            chosen = job;
        }
    }
    chosen.train = train;
    chosen.test = test;
    chosen.only_moments = false;
    return try_dropout(r, &chosen, "test", split, numbers);
}

typedef bool run_on_split(const results *r, const uci_set *s, int64_t split);

static bool run_set(const results *r, const char *name, run_on_split *run)
{
    uci_set s;
    char data[200], path[RESULTS_PATH];
    snprintf(data, sizeof data, "uci/%s/data.txt", name);
    if (!results_data(r, data, path))
        return true;
    gb_tape *const t = gb_tape_new();
    bool good = uci_read(r, name, t, &s);
    const int64_t splits = or_fewer(s.splits, r->splits);
    for (int64_t split = 0; split < splits && good; split++)
        good = run(r, &s, split);
    gb_table_free(s.table);
    return results_end(t, name) && good;
}

static bool run_sets(const results *r, run_on_split *run)
{
    bool good = true;
    for (size_t i = 0; i < SETS; i++)
        if (results_wants(r, names[i]))
            good = run_set(r, names[i], run) && good;
    return good;
}

bool results_uci(const results *r)
{
    return run_sets(r, run_split);
}

/* ---- other methods ----
 *
 * Without a grid: one setting for all methods and sets. Only the number of epochs is chosen: that after which
 * the last fifth of the training rows was predicted best, in a training without them; at most as many as the
 * protocol has, or 40,000 steps. The noise is learned. */

static const struct {
    const char *name;
    uci_model *model;
} methods[] = {{"concrete dropout", uci_concrete_dropout},
               {"weights, shared noise", uci_shared},
               {"weights, local noise", uci_local},
               {"full-rank last layer", uci_last_layer},
               {"ensemble of 5", uci_ensemble}};
enum { METHODS = sizeof methods / sizeof *methods, LOOKS = 100 };

static int64_t batches_of(gb_rows rows)
{
    return (int64_t)(rows.count + UCI_BATCH - 1) / UCI_BATCH;
}

static bool try_method(const results *r, const uci_set *s, int64_t split, uci_model *model,
                       double numbers[UCI_NUMBERS])
{
    const gb_rows all = uci_rows(r, s, "train", split);
    const size_t first = (size_t)(0.8 * (double)all.count);
    uci_job job = {.set = s,
                   .train = gb_rows_of(first, all.row),
                   .held_out = gb_rows_of(all.count - first, all.row + first),
                   .test = uci_rows(r, s, "test", split),
                   .draws = or_fewer(1000, r->draws),
                   .optimiser = gb_adam(.lr = 3e-3),
                   .seed = 1 + (uint64_t)split};
    job.steps = or_fewer(most_steps, or_fewer(s->epochs, r->epochs) * batches_of(job.train));
    job.window = (job.steps + LOOKS - 1) / LOOKS;
    if (!job.test.count || !uci_train(&job, model, numbers))
        return false;
    job.held_out = (gb_rows){0};
    job.train = all;
    job.steps = job.window = 0;
    job.epochs = job.epochs_at_best > 0 ? (int64_t)job.epochs_at_best : 1;
    return uci_train(&job, model, numbers);
}

static bool run_methods(const results *r, const uci_set *s, int64_t split)
{
    double numbers[UCI_NUMBERS];
    for (size_t i = 0; i < METHODS; i++) {
        char key[200];
        snprintf(key, sizeof key, "%s\t%s\t%lld\t", s->name, methods[i].name, (long long)split);
        const double began = results_begin();
        if (!results_has(r, "beside", key) && !(try_method(r, s, split, methods[i].model, numbers) &&
                                                results_add(r, "beside", key, UCI_NUMBERS, numbers, began)))
            return false;
    }
    return true;
}

bool results_uci_beside(const results *r)
{
    return run_sets(r, run_methods);
}
