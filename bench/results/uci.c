/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression on UCI sets by the splits and the protocol of Gal and Ghahramani (2016), as Gal ran it again in
 * 2018: rate and precision are chosen by the log-likelihood of the last fifth of each split's training rows,
 * for each split by itself, and the network is then trained on all of them. */
#include "uci.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"yacht", "bostonHousing", "energy", "concrete", "wine-quality-red",
                                    "power-plant", "kin8nm", "naval-propulsion-plant",
                                    "protein-tertiary-structure"};
enum { SETS = sizeof names / sizeof *names };

/* ---- files ---- */

/* Reads the numbers of a file of the set, one on each line. Returns how many. */
static size_t read_numbers(const results *r, const uci_set *s, const char *name, size_t most, double *x)
{
    char relative[256], path[RESULTS_PATH];
    size_t count = 0;
    snprintf(relative, sizeof relative, "uci/%s/%s", s->name, name);
    FILE *const file = results_data(r, relative, path) ? fopen(path, "r") : NULL;
    while (file && count < most && fscanf(file, "%lf", &x[count]) == 1)
        count++;
    if (file)
        fclose(file);
    return count;
}

static int64_t read_number(const results *r, const uci_set *s, const char *name)
{
    double x = 0;
    return read_numbers(r, s, name, 1, &x) == 1 ? (int64_t)x : 0;
}

/* Reads a set but for its splits. The tape has the errors of its table. */
static bool read_set(const results *r, const char *name, gb_tape *t, uci_set *s)
{
    enum { MOST = 64 };
    char relative[256], path[RESULTS_PATH];
    double feature[MOST];
    *s = (uci_set){.name = name};
    snprintf(relative, sizeof relative, "uci/%s/data.txt", name);
    if (!results_data(r, relative, path))
        return false;
    s->table = gb_table_read(t, path, .separator = ' ', .no_header = true);
    s->columns = (int64_t)read_numbers(r, s, "index_features.txt", MOST, feature);
    for (int64_t i = 0; i < s->columns; i++)
        snprintf(s->features + strlen(s->features), sizeof s->features - strlen(s->features), "%s%.0f",
                 i ? "," : "", feature[i] + 1);
    snprintf(s->target, sizeof s->target, "%d", (int)read_number(r, s, "index_target.txt") + 1);
    s->units = read_number(r, s, "n_hidden.txt");
    s->epochs = 100 * read_number(r, s, "n_epochs.txt");
    s->splits = read_number(r, s, "n_splits.txt");
    s->rates = read_numbers(r, s, "dropout_rates.txt", UCI_GRID, s->rate);
    s->taus = read_numbers(r, s, "tau_values.txt", UCI_GRID, s->tau);
    return s->table && s->columns && s->units && s->epochs && s->splits && s->rates && s->taus;
}

/* The rows of a split. The tape of the set keeps them. */
static gb_rows rows_of(const results *r, const uci_set *s, const char *part, int64_t split)
{
    char relative[256], path[RESULTS_PATH];
    snprintf(relative, sizeof relative, "uci/%s/index_%s_%lld.txt", s->name, part, (long long)split);
    return results_data(r, relative, path) ? gb_rows_read(gb_table_tape(s->table), path) : (gb_rows){0};
}

/* ---- one training ---- */

static void score(const gb_prediction *p, double numbers[UCI_NUMBERS])
{
    static const char *const score_names[] = {
        [UCI_LL] = "log density", [UCI_RMSE] = "rmse",         [UCI_MAE] = "mae",
        [UCI_CRPS] = "crps",      [UCI_COVER50] = "coverage 50 %", [UCI_COVER90] = "coverage 90 %",
        [UCI_COVER95] = "coverage 95 %"};
    const gb_scores scores = gb_prediction_scores(p);
    for (int i = UCI_LL; i <= UCI_COVER95; i++) {
        const gb_score *const s = gb_scores_find(&scores, score_names[i]);
        numbers[i] = s ? s->value : NAN;
    }
    numbers[UCI_CALIBRATION] = p->below ? gb_prediction_reliability(p, 10).score.value : NAN;
}

bool uci_train(uci_job *j, uci_model *model, double numbers[UCI_NUMBERS])
{
    const uci_set *const s = j->set;
    gb_tape *const t = j->t =
        gb_tape_new(.seed = j->seed, .real = GB_FLOAT, .threads = 1, .flush_subnormals = true);
    const gb_numbers xs = gb_table_numbers(s->table, s->features), ys = gb_table_numbers(s->table, s->target);
    const gb_standard *const of_x =
        gb_standard_new(t, xs, .name = "x", .columns = s->columns, .of = j->train, .population = true,
                        .constant = GB_CONSTANT_COLUMNS_CENTRED);
    const gb_standard *const of_y = gb_standard_new(t, ys, .name = "y", .of = j->train, .population = true);
    j->x = gb_input_rows(t, "x", gb_shape(s->columns));
    j->y = gb_input_rows(t, "y", gb_shape(1));
    j->rows = (double)j->train.count;
    j->sd = of_y ? gb_standard_sds(of_y)[0] : 1;
    const gb_column_list columns =
        GB_COLUMNS({j->x, gb_standard_numbers(of_x, xs)}, {j->y, gb_standard_numbers(of_y, ys)});

    gb_elbo *const e = model(j);
    gb_batches *const train = gb_batches_new(t, .batch = 128, .only = j->train, .columns = columns);
    const gb_fit_result fit = gb_fit(e, .optimiser = gb_adam(), .data = train, .epochs = j->epochs);
    gb_batches *const test = gb_batches_new(t, .name = "test", .in_order = true, .only = j->test, .columns = columns);
    gb_prediction *const p =
        gb_predictive(e, "y", .data = test, .draws = j->draws, .only_moments = j->only_moments, .scale = j->sd,
                      .shift = of_y ? gb_standard_means(of_y)[0] : 0);
    if (p)
        score(p, numbers);
    numbers[UCI_STEPS] = (double)fit.steps;
    gb_prediction_free(p);
    return results_end(t, s->name);
}

/* ---- MC-dropout ---- */

static const int64_t draws = 10000;

static int64_t or_fewer(int64_t all, int64_t wanted)
{
    return wanted > 0 && wanted < all ? wanted : all;
}

/* Trains and records, unless it is recorded. Returns the numbers. */
static bool try_dropout(const results *r, uci_job *j, const char *part, int64_t split, double numbers[UCI_NUMBERS])
{
    char key[200];
    snprintf(key, sizeof key, "%s\t%lld\t%s\t%g\t%g\t", j->set->name, (long long)split, part, j->rate, j->tau);
    if (results_find(r, "uci", key, UCI_NUMBERS, numbers))
        return true;
    const double began = results_seconds();
    return uci_train(j, uci_dropout, numbers) && results_add(r, "uci", key, UCI_NUMBERS, numbers, began);
}

static bool run_split(const results *r, const uci_set *s, int64_t split)
{
    double numbers[UCI_NUMBERS], best = -INFINITY;
    const gb_rows train = rows_of(r, s, "train", split), test = rows_of(r, s, "test", split);
    const size_t first = (size_t)(0.8 * (double)train.count);
    uci_job job = {.set = s, .epochs = or_fewer(s->epochs, r->epochs), .draws = or_fewer(draws, r->draws),
                   .seed = 1 + (uint64_t)split, .rate = s->rate[0], .tau = s->tau[0]};
    double rate = job.rate, tau = job.tau;
    for (size_t i = 0; i < s->rates * s->taus && train.count; i++) {
        job.rate = s->rate[i / s->taus];
        job.tau = s->tau[i % s->taus];
        job.train = gb_rows_of(first, train.row);
        job.test = gb_rows_of(train.count - first, train.row + first);
        job.only_moments = true;
        if (!try_dropout(r, &job, "grid", split, numbers))
            return false;
        if (numbers[UCI_LL] > best) {
            best = numbers[UCI_LL];
            rate = job.rate;
            tau = job.tau;
        }
    }
    job.rate = rate;
    job.tau = tau;
    job.train = train;
    job.only_moments = false;
    job.test = test;
    return train.count && test.count && try_dropout(r, &job, "test", split, numbers);
}

static bool run_set(const results *r, const char *name)
{
    uci_set s;
    gb_tape *const t = gb_tape_new();
    bool good = read_set(r, name, t, &s);
    const int64_t splits = or_fewer(s.splits, r->splits);
    for (int64_t split = 0; split < splits && good; split++)
        good = run_split(r, &s, split);
    gb_table_free(s.table);
    return results_end(t, name) && good;
}

bool results_uci(const results *r)
{
    bool good = true;
    for (size_t i = 0; i < SETS; i++)
        if (results_wants(r, names[i]))
            good = run_set(r, names[i]) && good;
    return good;
}

bool results_uci_beside(const results *r)
{
    (void)r;
    return true;
}
