/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digits (Blundell et al. 2015): two hidden layers of ReLU units on MNIST, trained by Bayes by Backprop with
 * the mixture prior, by dropout, and as a point. Settings are chosen by the errors on 10,000 of the training
 * images; then three seeds train on all of them. Trainings continue from checkpoints in FOLDER. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results.h"

enum { SIDE = 28, PIXELS = SIDE * SIDE, CLASSES = 10, BATCH = 128, TEST = 10000, HELD_OUT = 10000 };
enum { DRAWS = 100, LOOKS = 20, LOOK_DRAWS = 10 };
enum { ERROR, LOG_DENSITY, CALIBRATION, ENTROPY, ENTROPY_TURNED, ENTROPY_MIXED, EPOCHS, COLUMNS };

/* The data set in memory; and the test images turned by a right angle, and with their pixels mixed up. */
typedef struct digits {
    gb_array *images, *labels, *test_images, *test_labels;
    uint8_t *turned, *mixed;
} digits;

/* One training. */
typedef struct job {
    const digits *data;
    const char *method;
    double a, b; /* what is chosen */
    int64_t units, epochs;
    uint64_t seed;
    bool is_choice; /* trains without the last 10,000 images, and predicts these */
    const results *results;
    gb_tape *t;
    gb_node x, label;
    gb_elbo *e;
} job;

/* ---- the models ---- */

static gb_dist normal(const job *j, double sd)
{
    return gb_normal(gb_num(j->t, 0), gb_num(j->t, sd));
}

/* Bayes by Backprop: a mixture of the sds 1 (of probability `a`) and `b` as the prior. */
static gb_node by_backprop(const job *j)
{
    const gb_dist prior = gb_scale_mixture(gb_num(j->t, j->a), gb_num(j->t, 1), gb_num(j->t, j->b));
    return gb_mlp(j->e, "net", j->x, gb_widths(j->units, j->units, CLASSES), .activation = "relu",
                  .prior = prior, .posterior = gb_mean_field(gb_shape(), .scale = 0.01),
                  .noise = GB_NOISE_LOCAL);
}

/* Dropout with the rate `a` for hidden units, 0.2 for pixels. Weight decay is a prior with the sd `b`. */
static gb_node dropout(const job *j)
{
    return gb_mlp(j->e, "net", j->x, gb_widths(j->units, j->units, CLASSES), .activation = "relu",
                  .prior = normal(j, j->b), .posterior = gb_point(gb_shape()), .dropout = j->a,
                  .input_dropout = 0.2);
}

/* The maximum a posteriori, with a prior of the sd `b`. */
static gb_node point(const job *j)
{
    return gb_mlp(j->e, "net", j->x, gb_widths(j->units, j->units, CLASSES), .activation = "relu",
                  .prior = normal(j, j->b), .posterior = gb_point(gb_shape()));
}

static const struct method {
    const char *name;
    gb_node (*record)(const job *j);
    int64_t epochs;
    size_t settings;
    double setting[6][2];
} methods[] = {
    {"point", point, 40, 3, {{0, 0.03}, {0, 0.1}, {0, 0.3}}},
    {"dropout", dropout, 100, 4, {{0.5, 0.1}, {0.5, 0.3}, {0.3, 0.1}, {0.3, 0.3}}},
    {"Bayes by Backprop",
     by_backprop,
     100,
     4,
     {{0.25, 0.0025}, {0.5, 0.0025}, {0.25, 0.00091}, {0.5, 0.0067}}},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- one training ---- */

static const struct method *method_of(const job *j)
{
    const struct method *m = methods;
    while (strcmp(m->name, j->method) != 0)
        m++;
    return m;
}

static void checkpoint_of(const results *r, const job *j, char path[RESULTS_PATH])
{
    snprintf(path, RESULTS_PATH, "%s/mnist-%s-%g-%g-%lld-%llu-%d.grebe", r->folder, j->method, j->a, j->b,
             (long long)j->units, (unsigned long long)j->seed, j->is_choice);
    for (char *at = path + strlen(r->folder); *at; at++)
        *at = *at == ' ' || *at == ',' ? '_' : *at;
}

static gb_batches *batches(const job *j, const char *name, gb_rows only, gb_numbers images, gb_array *labels)
{
    return gb_batches_new(j->t, .name = name, .batch = BATCH, .only = only,
                          .in_order = strcmp(name, "batches") != 0,
                          .columns = GB_COLUMNS({j->x, gb_numbers_scaled(images, 1. / 126, 0)},
                                                {j->label, gb_array_numbers(labels)}));
}

/* Predicts test images that are no digits, or not as they were. Returns the mean entropy, in nats. */
static double entropy_of(const job *j, const char *name, const uint8_t *pixels)
{
    const gb_numbers images = gb_numbers_of(GB_NUMBER_UINT8, pixels, (size_t)TEST * PIXELS);
    gb_batches *const rows = batches(j, name, (gb_rows){0}, images, j->data->test_labels);
    gb_prediction *const p = gb_predictive(j->e, "label", .data = rows, .draws = DRAWS, .only_moments = true);
    const double entropy = gb_prediction_score(p, "entropy").value;
    gb_prediction_free(p);
    return entropy;
}

static bool set_scores(const job *j, gb_batches *rows, double numbers[COLUMNS])
{
    gb_prediction *const p = gb_predictive(j->e, "label", .data = rows, .draws = DRAWS, .only_moments = true);
    if (!p)
        return false;
    numbers[ENTROPY] = gb_prediction_score(p, "entropy").value;
    numbers[ENTROPY_TURNED] = numbers[ENTROPY_MIXED] = NAN;
    numbers[ERROR] = 100 * (1 - gb_prediction_score(p, "accuracy").value);
    numbers[LOG_DENSITY] = gb_prediction_score(p, "log density").value;
    numbers[CALIBRATION] = gb_prediction_reliability(p, 0).score.value;
    numbers[EPOCHS] = (double)j->epochs;
    gb_prediction_free(p);
    return true;
}

/* The learning curve of a choice: the log density of the images that are held out. */
static bool add_to_curve(void *user, const gb_fit_point *point)
{
    const job *const j = user;
    char key[200];
    snprintf(key, sizeof key, "%s\t%g\t%g\t%llu\t", j->method, j->a, j->b, (unsigned long long)point->step);
    const double numbers[] = {point->elbo, point->validation};
    return results_add(j->results, "mnist_curve", key, 2, numbers, 0);
}

/* Trains, or loads what was trained before, and predicts. Returns the rows that were predicted; NULL on
 * error. */
static gb_batches *train(const results *r, job *j, double numbers[COLUMNS])
{
    static int64_t all[60000];
    char path[RESULTS_PATH];
    j->results = r;
    const int64_t images = gb_array_rows(j->data->images), rows = images - (j->is_choice ? HELD_OUT : 0);
    for (int64_t i = 0; i < images && i < 60000; i++)
        all[i] = i;
    j->t = gb_tape_new(.seed = j->seed, .real = GB_FLOAT, .threads = 1, .flush_subnormals = true);
    j->x = gb_input_rows(j->t, "x", gb_shape(PIXELS));
    j->label = gb_input_rows(j->t, "label", gb_shape());
    j->e = gb_elbo_new(j->t, .data_size = (double)rows, .unit = GB_PER_DATUM);
    gb_observe(j->e, "label", gb_categorical_logits(method_of(j)->record(j)), j->label);

    const double steps = (double)(j->epochs * ((rows + BATCH - 1) / BATCH));
    checkpoint_of(r, j, path);
    const digits *const d = j->data;
    const gb_numbers of_training = gb_array_numbers(d->images);
    gb_batches *const data = batches(j, "batches", gb_rows_of((size_t)rows, all), of_training, d->labels);
    gb_batches *const test =
        j->is_choice ? batches(j, "held out", gb_rows_of(HELD_OUT, all + rows), of_training, d->labels)
                     : batches(j, "test", (gb_rows){0}, gb_array_numbers(d->test_images), d->test_labels);
    gb_fit(j->e, .optimiser = gb_adam(.lr = 1e-3, .schedule = gb_cosine(steps)), .data = data,
           .epochs = j->epochs, .window = (int64_t)ceil(steps / LOOKS), .checkpoint = path, .resume = true,
           .validate = j->is_choice ? test : NULL, .validate_draws = j->is_choice ? LOOK_DRAWS : 0,
           .each = j->is_choice ? add_to_curve : NULL, .user = j);
    if (gb_error(j->t) != GB_OK || !set_scores(j, test, numbers))
        return NULL;
    if (!j->is_choice) {
        numbers[ENTROPY_TURNED] = entropy_of(j, "turned", d->turned);
        numbers[ENTROPY_MIXED] = entropy_of(j, "mixed", d->mixed);
    }
    return test;
}

static void key_of(const job *j, const char *part, char key[200])
{
    snprintf(key, 200, "%s\t%lld\t%s\t%g\t%g\t%llu\t", j->method, (long long)j->units, part, j->a, j->b,
             (unsigned long long)j->seed);
}

static bool run(const results *r, job *j, const char *part, double numbers[COLUMNS])
{
    char key[200], path[RESULTS_PATH];
    key_of(j, part, key);
    if (results_find(r, "mnist", key, COLUMNS, numbers))
        return true;
    const double began = results_begin();
    const bool good = train(r, j, numbers) && results_add(r, "mnist", key, COLUMNS, numbers, began);
    checkpoint_of(r, j, path);
    if (good)
        unlink(path);
    return results_end(j->t, j->method) && good;
}

/* ---- pruning ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets weights to 0, without noise, whose mean over sd is below the given quantile of all of them. */
static bool prune(const job *j, double part)
{
    static const double noiseless = -30; /* softplus of it */
    double *mean[3], *raw[3], *ratio = NULL;
    size_t count[3], all = 0;
    bool good = true;
    for (int i = 0; i < 3; i++) {
        char name[2][64];
        snprintf(name[0], sizeof name[0], "net.%d.weight.location", i + 1);
        snprintf(name[1], sizeof name[1], "net.%d.weight.raw_scale", i + 1);
        const gb_node at[] = {gb_variable_named(j->t, name[0]), gb_variable_named(j->t, name[1])};
        count[i] = gb_value_count(at[0]);
        mean[i] = malloc(count[i] * sizeof *mean[i]);
        raw[i] = malloc(count[i] * sizeof *raw[i]);
        double *const more = realloc(ratio, (all + count[i]) * sizeof *ratio);
        good = good && mean[i] && raw[i] && more && gb_read(at[0], mean[i], count[i]) == GB_OK &&
               gb_read(at[1], raw[i], count[i]) == GB_OK;
        ratio = more ? more : ratio;
        for (size_t k = 0; good && k < count[i]; k++)
            ratio[all + k] = fabs(mean[i][k]) / log1p(exp(raw[i][k]));
        all += count[i];
    }
    if (good)
        qsort(ratio, all, sizeof *ratio, ascending);
    const double least = good ? ratio[(size_t)(part * (double)(all - 1))] : 0;
    for (int i = 0; i < 3; i++) {
        char name[64];
        for (size_t k = 0; good && k < count[i]; k++)
            if (fabs(mean[i][k]) / log1p(exp(raw[i][k])) < least) {
                mean[i][k] = 0;
                raw[i][k] = noiseless;
            }
        snprintf(name, sizeof name, "net.%d.weight.location", i + 1);
        good = good && gb_set(gb_variable_named(j->t, name), gb_values_of(mean[i], count[i])) == GB_OK;
        snprintf(name, sizeof name, "net.%d.weight.raw_scale", i + 1);
        good = good && gb_set(gb_variable_named(j->t, name), gb_values_of(raw[i], count[i])) == GB_OK;
        free(mean[i]);
        free(raw[i]);
    }
    free(ratio);
    return good;
}

/* Pruned weights, on one network of 1200 units. The checkpoint stays until the last row. */
static bool run_pruned(const results *r, job *j)
{
    static const double parts[] = {0, 0.5, 0.75, 0.95, 0.98};
    enum { PARTS = sizeof parts / sizeof *parts };
    char key[200], name[32], path[RESULTS_PATH];
    double numbers[COLUMNS];
    snprintf(name, sizeof name, "pruned %g", parts[PARTS - 1]);
    key_of(j, name, key);
    if (results_has(r, "mnist", key))
        return true;
    const double began = results_begin();
    gb_batches *const test = train(r, j, numbers);
    bool good = test != NULL;
    for (size_t i = 0; good && i < PARTS; i++) {
        snprintf(name, sizeof name, "pruned %g", parts[i]);
        key_of(j, name, key);
        good = prune(j, parts[i]) && set_scores(j, test, numbers) &&
               (results_has(r, "mnist", key) || results_add(r, "mnist", key, COLUMNS, numbers, began));
    }
    checkpoint_of(r, j, path);
    if (good)
        unlink(path);
    return results_end(j->t, "pruning") && good;
}

/* ---- the experiment ---- */

static bool run_method(const results *r, const digits *d, const struct method *m)
{
    double numbers[COLUMNS], best = INFINITY;
    job j = {.data = d, .method = m->name, .units = 400, .epochs = m->epochs, .seed = 1, .is_choice = true};
    job chosen = j;
    if (r->epochs > 0 && r->epochs < j.epochs)
        j.epochs = r->epochs;
    for (size_t i = 0; i < m->settings; i++) {
        j.a = m->setting[i][0];
        j.b = m->setting[i][1];
        if (!run(r, &j, "choice", numbers))
            return false;
        if (numbers[ERROR] < best) {
            best = numbers[ERROR];
            chosen = j;
        }
    }
    chosen.is_choice = false;
    for (chosen.seed = 1; chosen.seed <= 3; chosen.seed++)
        if (!run(r, &chosen, "test", numbers))
            return false;
    chosen.seed = 1;
    chosen.units = 1200;
    return m->record != by_backprop || run_pruned(r, &chosen);
}

/* A fixed order of the pixels, by the congruence 389 i + 17, which meets each of them once. */
static bool change_images(digits *d)
{
    const gb_numbers x = gb_array_numbers(d->test_images);
    d->turned = malloc((size_t)TEST * PIXELS);
    d->mixed = malloc((size_t)TEST * PIXELS);
    if (!d->turned || !d->mixed || x.count != (size_t)TEST * PIXELS)
        return false;
    for (size_t image = 0; image < TEST; image++)
        for (size_t i = 0; i < PIXELS; i++) {
            const size_t from = image * PIXELS, row = i / SIDE, column = i % SIDE;
            d->turned[from + i] = (uint8_t)gb_numbers_at(x, from + (SIDE - 1 - column) * SIDE + row);
            d->mixed[from + i] = (uint8_t)gb_numbers_at(x, from + (389 * i + 17) % PIXELS);
        }
    return true;
}

bool results_mnist(const results *r)
{
    static const char *const names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
    gb_array *array[4] = {NULL};
    char name[100], path[4][RESULTS_PATH];
    bool good = true;
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "mnist/%s", names[i]);
        if (!results_data(r, name, path[i]))
            return true;
    }
    gb_tape *const t = gb_tape_new();
    for (int i = 0; i < 4; i++)
        array[i] = gb_array_read(t, path[i]);
    digits d = {array[0], array[1], array[2], array[3], NULL, NULL};
    good = change_images(&d);
    for (size_t i = 0; i < METHODS && good && gb_error(t) == GB_OK; i++)
        good = !results_wants(r, methods[i].name) || run_method(r, &d, &methods[i]);
    for (int i = 0; i < 4; i++)
        gb_array_free(array[i]);
    free(d.turned);
    free(d.mixed);
    return results_end(t, "mnist") && good;
}
