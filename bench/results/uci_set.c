/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UCI sets as their folders have them, and one training on some rows of a set. */
#include <math.h>
#include <string.h>

#include "uci.h"

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

bool uci_read(const results *r, const char *name, gb_tape *t, uci_set *s)
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

gb_rows uci_rows(const results *r, const uci_set *s, const char *part, int64_t split)
{
    char relative[256], path[RESULTS_PATH];
    snprintf(relative, sizeof relative, "uci/%s/index_%s_%lld.txt", s->name, part, (long long)split);
    return results_data(r, relative, path) ? gb_rows_read(gb_table_tape(s->table), path) : (gb_rows){0};
}

/* ---- one training ---- */

static void score(const gb_prediction *p, double numbers[UCI_NUMBERS])
{
    static const char *const score_names[] = {[UCI_LL] = "log density",
                                              [UCI_RMSE] = "rmse",
                                              [UCI_MAE] = "mae",
                                              [UCI_CRPS] = "crps",
                                              [UCI_COVER50] = "coverage 50 %",
                                              [UCI_COVER90] = "coverage 90 %",
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
    gb_batches *const train = gb_batches_new(t, .batch = UCI_BATCH, .only = j->train, .columns = columns);
    gb_batches *const held_out = j->held_out.count ? gb_batches_new(t, .name = "held out", .in_order = true,
                                                                    .only = j->held_out, .columns = columns)
                                                   : NULL;
    const gb_fit_result fit =
        gb_fit(e, .optimiser = j->optimiser, .data = train, .epochs = j->epochs, .steps = j->steps,
               .window = j->window, .validate = held_out, .patience = held_out ? 20 : 0);
    j->epochs_at_best = fit.best.epoch;
    if (held_out)
        return results_end(t, s->name);
    gb_batches *const test =
        gb_batches_new(t, .name = "test", .in_order = true, .only = j->test, .columns = columns);
    gb_prediction *const p =
        gb_predictive(e, "y", .data = test, .draws = j->draws, .only_moments = j->only_moments,
                      .scale = j->sd, .shift = of_y ? gb_standard_means(of_y)[0] : 0);
    if (p)
        score(p, numbers);
    numbers[UCI_STEPS] = (double)fit.steps;
    gb_prediction_free(p);
    return results_end(t, s->name);
}
