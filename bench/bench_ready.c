/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long does gb_fit take on each ready model? Data are drawn from the model, or from one much like it.
 * `bench_ready [WORD...]` runs the lines whose text has one of the words. Times are those of the processor,
 * with one thread, so that another process that uses it matters less. */
#include <grebe/fitting/fit.h>
#include <grebe/fitting/judge.h>
#include <grebe/models/optimiser.h>
#include <grebe/ready/analysis.h>
#include <grebe/ready/models.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { COLUMNS = 6, MOST_ROWS = 2000, GROUPS = 12 };

static double x[COLUMNS][MOST_ROWS], y[MOST_ROWS];
static const char *group[MOST_ROWS];

/* Begins anew at each line, whose data do not depend on those before. */
static uint64_t state;

static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.28318530717958648 * uniform());
}

/* ---- data: columns, then outcomes ---- */

static int poisson(double mean)
{
    int count = 0;
    for (double sum = -log(uniform()); sum < mean; sum -= log(uniform()))
        count++;
    return count;
}

static double predictor(int i)
{
    return 0.5 + 0.8 * x[0][i] - 0.5 * x[1][i] + 0.2 * x[2][i];
}

static void numbers(int rows)
{
    for (int i = 0; i < rows; i++)
        y[i] = predictor(i) + 0.7 * normal();
}

static void outliers(int rows)
{
    for (int i = 0; i < rows; i++)
        y[i] = predictor(i) + normal() / (uniform() < 0.1 ? 0.2 : 1.5);
}

static void in_groups(int rows)
{
    static const char *const name[GROUPS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    double effect[GROUPS];
    for (int k = 0; k < GROUPS; k++)
        effect[k] = normal();
    for (int i = 0; i < rows; i++) {
        group[i] = name[i % GROUPS];
        y[i] = predictor(i) + effect[i % GROUPS] + 0.7 * normal();
    }
}

static void bits(int rows)
{
    for (int i = 0; i < rows; i++)
        y[i] = uniform() < 1 / (1 + exp(-predictor(i)));
}

/* Two thresholds on a latent number, which are classes in order too. */
static void classes(int rows)
{
    for (int i = 0; i < rows; i++) {
        const double u = uniform(), at = predictor(i) + log(u / (1 - u));
        y[i] = (at > -0.5) + (at > 1.2);
    }
}

static void counts(int rows)
{
    for (int i = 0; i < rows; i++)
        y[i] = poisson(exp(predictor(i)));
}

static void varied_counts(int rows)
{
    for (int i = 0; i < rows; i++)
        y[i] = poisson(exp(predictor(i) + 0.6 * normal()));
}

static void series(int rows)
{
    for (int i = 0; i < rows; i++)
        y[i] = (i > 0 ? 0.6 * y[i - 1] : 0) + (i > 1 ? 0.2 * y[i - 2] : 0) + normal();
}

static void walk(int rows)
{
    double level = 0;
    for (int i = 0; i < rows; i++)
        y[i] = (level += 0.3 * normal()) + normal();
}

static void volatile_series(int rows)
{
    double h = 1;
    for (int i = 0; i < rows; i++) {
        y[i] = sqrt(h) * normal();
        h = 0.1 + 0.2 * y[i] * y[i] + 0.7 * h;
    }
}

static void states(int rows)
{
    int at = 0;
    for (int i = 0; i < rows; i++) {
        at = uniform() < 0.1 ? (at + 1 + (uniform() < 0.5)) % 3 : at;
        y[i] = 3 * at + normal();
    }
}

static void curve(int rows)
{
    for (int i = 0; i < rows; i++) {
        x[0][i] = 6 * uniform();
        y[i] = sin(x[0][i]) + 0.5 * cos(2.3 * x[0][i]) + 0.3 * x[1][i] + 0.2 * normal();
    }
}

static void curve_of_bits(int rows)
{
    curve(rows);
    for (int i = 0; i < rows; i++)
        y[i] = uniform() < 1 / (1 + exp(-2 * y[i]));
}

static void components(int rows)
{
    for (int i = 0; i < rows; i++) {
        const double u = uniform();
        const int of = u < 0.3 ? 0 : u < 0.7 ? 1 : 2;
        for (int k = 0; k < COLUMNS; k++)
            x[k][i] = (k % 3 + 1.5) * of + (1 - 0.2 * of) * normal();
    }
}

static void factors(int rows)
{
    for (int i = 0; i < rows; i++) {
        const double a = normal(), b = normal();
        for (int k = 0; k < COLUMNS; k++)
            x[k][i] = (k % 2 ? 0.3 : 1) * a + (k % 2 ? 1 : 0.3) * b + 0.5 * normal();
    }
}

static void bits_of_factors(int rows)
{
    factors(rows);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < COLUMNS; k++)
            x[k][i] = x[k][i] > 0;
}

static void two_classes(int rows)
{
    for (int i = 0; i < rows; i++)
        y[i] = sin(2 * x[0][i]) + x[1][i] * x[1][i] + 0.3 * normal() > 0.8;
}

/* ---- the lines ---- */

typedef struct line {
    const char *model, *formula;
    void (*data)(int rows);
    int rows;
    int epochs; /* with Adam, as docs/models.md shows it; 0: gb_fit(e) */
    bool has_groups;
} line;

static const line lines[] = {
    {"linear", "y ~ x0 + x1 + x2 + x3", numbers, 400, 0, false},
    {"linear", "y ~ x0 + x1 + x2 + x3", in_groups, 400, 0, true},
    {"linear:prior=horseshoe", "y ~ x0 + x1 + x2 + x3 + x4 + x5", numbers, 400, 0, false},
    {"robust", "y ~ x0 + x1 + x2 + x3", outliers, 400, 0, false},
    {"logistic", "y ~ x0 + x1 + x2 + x3", bits, 400, 0, false},
    {"multinomial", "y ~ x0 + x1 + x2 + x3", classes, 400, 0, false},
    {"ordinal", "y ~ x0 + x1 + x2 + x3", classes, 400, 0, false},
    {"poisson", "y ~ x0 + x1 + x2 + x3", counts, 400, 0, false},
    {"negative_binomial", "y ~ x0 + x1 + x2 + x3", varied_counts, 400, 0, false},
    {"autoregressive:order=2", "y ~ 1", series, 200, 0, false},
    {"local_level", "y ~ 1", walk, 200, 0, false},
    {"garch", "y ~ 1", volatile_series, 500, 0, false},
    {"hidden_markov:states=2", "y ~ 1", states, 200, 0, false},
    {"hidden_markov:states=3", "y ~ 1", states, 500, 0, false},
    {"gaussian_process", "y ~ x0", curve, 60, 0, false},
    {"gaussian_process", "y ~ x0 + x1", curve, 60, 0, false},
    {"gaussian_process:kernel=sum:period=2.7", "y ~ x0", curve, 60, 0, false},
    {"gaussian_process", "y ~ x0", curve, 200, 0, false},
    {"sparse_gaussian_process", "y ~ x0", curve, 500, 0, false},
    {"sparse_gaussian_process:outcome=bernoulli", "y ~ x0", curve_of_bits, 500, 0, false},
    {"mixture:components=3", "~ x0 - 1", components, 500, 0, false},
    {"mixture:components=3", "~ x0 + x1 + x2 - 1", components, 500, 0, false},
    {"mixture:components=3", "~ x0 - 1", components, 1000, 0, false},
    {"mixture:components=3:classes=enumerated", "~ x0 - 1", components, 500, 0, false},
    {"mixture:components=3:classes=score", "~ x0 - 1", components, 500, 0, false},
    {"factor:factors=2", "~ x0 + x1 + x2 + x3 + x4 + x5 - 1", factors, 300, 0, false},
    {"factor:factors=2:scores=pathwise", "~ x0 + x1 + x2 + x3 + x4 + x5 - 1", factors, 300, 0, false},
    {"network", "y ~ x0 + x1", curve, 500, 500, false},
    {"network", "y ~ x0 + x1", curve, 500, 0, false},
    {"network_class", "y ~ x0 + x1", two_classes, 500, 500, false},
    {"network_class", "y ~ x0 + x1", two_classes, 500, 0, false},
    {"variational_autoencoder", "~ x0 + x1 + x2 + x3 + x4 + x5 - 1", factors, 500, 500, false},
    {"variational_autoencoder", "~ x0 + x1 + x2 + x3 + x4 + x5 - 1", factors, 500, 0, false},
    {"belief_network", "~ x0 + x1 + x2 + x3 + x4 + x5 - 1", bits_of_factors, 500, 500, false},
    {"belief_network", "~ x0 + x1 + x2 + x3 + x4 + x5 - 1", bits_of_factors, 500, 0, false},
};

static gb_table *table_of(gb_tape *t, const line *l)
{
    gb_table *const d = gb_table_new(t, "data", l->rows);
    state = 1;
    for (int i = 0; i < l->rows; i++)
        for (int k = 0; k < COLUMNS; k++)
            x[k][i] = normal();
    memset(y, 0, sizeof y);
    l->data(l->rows);
    for (int k = 0; k < COLUMNS; k++) {
        const char name[] = {'x', (char)('0' + k), '\0'};
        gb_table_add(d, name, gb_doubles(x[k]));
    }
    gb_table_add(d, "y", gb_doubles(y));
    if (l->has_groups)
        gb_table_add_texts(d, "group", group);
    return d;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *text_of(const line *l, char text[200])
{
    snprintf(text, 200, "%s, %s, %d rows%s", l->model, l->formula, l->rows,
             l->has_groups ? ", in groups" : "");
    return text;
}

static void measure(const line *l)
{
    gb_model model;
    char what[200], error[200];
    gb_tape *const t = gb_tape_new(.seed = 1, .threads = 1);
    gb_bench_need(gb_model_parse(l->model, &model, error, sizeof error), NULL, error);
    gb_table *const d = table_of(t, l);
    const double began = processor_seconds();
    gb_analysis *const a =
        gb_analysis_new(t, model, .formula = l->formula, .table = d, .group = l->has_groups ? "group" : NULL,
                        .batch = l->epochs > 0 ? 50 : 0);
    gb_elbo *const e = gb_analysis_elbo(a);
    const gb_fit_result r = l->epochs > 0 ? gb_fit(e, .data = gb_analysis_data(a), .epochs = l->epochs,
                                                   .optimiser = gb_adam(.lr = 0.01))
                                          : gb_fit(e, .data = gb_analysis_data(a));
    const double seconds = processor_seconds() - began;
    gb_bench_need(r.status == GB_OK, t, l->model);
    text_of(l, what);
    if (l->epochs > 0)
        gb_bench_row(what, "", GB_BENCH_NOTE, "%6.1f s  %d epochs", seconds, l->epochs);
    else
        gb_bench_row(what, "", GB_BENCH_NOTE, "%6.1f s  %s", seconds, gb_verdict_text(r.verdict));
    if (getenv("WORDS"))
        printf("%s\n%lld gradients, elbo %.9g\n", r.words, (long long)r.gradients, r.elbo);
    gb_table_free(d);
    gb_tape_free(t);
}

static bool is_wanted(const line *l, int count, char **words)
{
    char text[200];
    bool wanted = count == 0;
    for (int i = 0; i < count; i++)
        wanted |= strstr(text_of(l, text), words[i]) != NULL;
    return wanted;
}

int main(int count, char **words)
{
    gb_bench_begin("Ready models: processor seconds of gb_fit");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (is_wanted(&lines[i], count - 1, words + 1))
            measure(&lines[i]);
    return 0;
}
