/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators along a training: figures are those of closed forms, and the training stays as it is. */
#include <stdio.h>

#include "support/close.h"

#include "compare/watch.h"
#include "distributions/list.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/networks.h"
#include "models/scratch.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const gb_watched *all_of(const gb_watching *w, size_t point, size_t estimator)
{
    return &w->point[point].estimator[estimator].parameter[w->parameters];
}

static void assert_clean(const gb_watching *w)
{
    assert_non_null(w);
    assert_string_equal(w->error, "");
    assert_int_equal(w->status, GB_OK);
    for (size_t i = 0; i < w->estimators; i++)
        assert_string_equal(w->why[i], "");
}

/* ---- Bayesian linear regression: all parts of the variance are known ---- */

/* y ~ N(x.w, SIGMA²), of two weights with a latent each, w_k ~ N(0, 1); batches of two of six rows. */
enum { ROWS = 6, BATCH = 2, SUBSETS = ROWS * (ROWS - 1) / 2, NODES = 10, GRADIENT = 4 };
static const double X[ROWS][2] = {{1, 0.3}, {0.5, -1}, {-0.7, 0.8}, {1.4, 0.2}, {-0.3, -0.9}, {0.8, 1.1}};
static const double Y[ROWS] = {0.9, -0.4, 0.2, 1.1, -1.3, 1.6};
static const double SIGMA = 0.8, MEAN[2] = {0.4, -0.2}, SCALE[2] = {0.5, 0.8};

/* The gradient in the locations and the logarithms of the scales, for two rows and one draw of the noise. */
typedef void formula(const int rows[BATCH], const double noise[2], double gradient[GRADIENT]);

static void divergence(double gradient[GRADIENT])
{
    for (int k = 0; k < 2; k++) {
        gradient[2 * k] += MEAN[k];
        gradient[2 * k + 1] += SCALE[k] * SCALE[k] - 1;
    }
}

static double residual(int row, const double noise[2])
{
    double fitted = 0;
    for (int k = 0; k < 2; k++)
        fitted += X[row][k] * (MEAN[k] + SCALE[k] * noise[k]);
    return fitted - Y[row];
}

static void by_path(const int rows[BATCH], const double noise[2], double gradient[GRADIENT])
{
    for (int k = 0; k < 2; k++) {
        double slope = 0;
        for (int i = 0; i < BATCH; i++)
            slope += (double)ROWS / BATCH * X[rows[i]][k] * residual(rows[i], noise) / (SIGMA * SIGMA);
        gradient[2 * k] = slope;
        gradient[2 * k + 1] = slope * SCALE[k] * noise[k];
    }
    divergence(gradient);
}

static void by_score(const int rows[BATCH], const double noise[2], double gradient[GRADIENT])
{
    double cost = 0;
    for (int i = 0; i < BATCH; i++) {
        const double off = residual(rows[i], noise) / SIGMA;
        cost += (double)ROWS / BATCH * (off * off / 2 + log(SIGMA) + log(2 * GB_PI) / 2);
    }
    for (int k = 0; k < 2; k++) {
        gradient[2 * k] = cost * noise[k] / SCALE[k];
        gradient[2 * k + 1] = cost * (noise[k] * noise[k] - 1);
    }
    divergence(gradient);
}

/* By going through all batches, and by quadrature, which is exact for these polynomials. */
typedef struct parts {
    double mean[GRADIENT], variance[GRADIENT], of_draws[GRADIENT], of_batches[GRADIENT], of_draw[2][GRADIENT];
} parts;

typedef struct moments {
    double mean[GRADIENT], square[GRADIENT];
} moments;

static void add(moments *m, double weight, const double gradient[GRADIENT])
{
    for (int j = 0; j < GRADIENT; j++) {
        m->mean[j] += weight * gradient[j];
        m->square[j] += weight * gradient[j] * gradient[j];
    }
}

static double variance(const moments *m, int j)
{
    return m->square[j] - m->mean[j] * m->mean[j];
}

/* Adds the variance in one draw, in the mean over the other. */
static void add_of_draw(parts *p, int draw, const int rows[BATCH], formula *f)
{
    double node[NODES], weight[NODES], gradient[GRADIENT];
    assert_true(gb_hermite_rule(NODES, node, weight));
    for (int other = 0; other < NODES; other++) {
        moments m = {{0}, {0}};
        for (int own = 0; own < NODES; own++) {
            const double noise[2] = {draw == 0 ? node[own] : node[other],
                                     draw == 0 ? node[other] : node[own]};
            f(rows, noise, gradient);
            add(&m, weight[own], gradient);
        }
        for (int j = 0; j < GRADIENT; j++)
            p->of_draw[draw][j] += weight[other] * variance(&m, j) / SUBSETS;
    }
}

static parts parts_of(formula *f)
{
    parts p = {{0}, {0}, {0}, {0}, {{0}}};
    moments of_means = {{0}, {0}};
    double node[NODES], weight[NODES], gradient[GRADIENT];
    assert_true(gb_hermite_rule(NODES, node, weight));
    for (int a = 0; a < ROWS; a++)
        for (int b = 0; b < a; b++) {
            const int rows[BATCH] = {a, b};
            moments m = {{0}, {0}};
            for (int i = 0; i < NODES * NODES; i++) {
                const double noise[2] = {node[i / NODES], node[i % NODES]};
                f(rows, noise, gradient);
                add(&m, weight[i / NODES] * weight[i % NODES], gradient);
            }
            add(&of_means, 1.0 / SUBSETS, m.mean);
            for (int j = 0; j < GRADIENT; j++)
                p.of_draws[j] += variance(&m, j) / SUBSETS;
            for (int draw = 0; draw < 2; draw++)
                add_of_draw(&p, draw, rows, f);
        }
    for (int j = 0; j < GRADIENT; j++) {
        p.mean[j] = of_means.mean[j];
        p.of_batches[j] = variance(&of_means, j);
        p.variance[j] = p.of_draws[j] + p.of_batches[j];
    }
    return p;
}

typedef struct regression {
    gb_elbo *e;
    gb_batches *data;
} regression;

static regression regression_of(gb_tape *t, gb_estimator estimator)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    regression r = {.data =
                        gb_batches_new(t, .rows = ROWS, .batch = BATCH,
                                       .columns = GB_COLUMNS({x, gb_doubles(&X[0][0])}, {y, gb_doubles(Y)}))};
    r.e = gb_elbo_new(t, .data_size = ROWS);
    gb_node fitted = gb_num(t, 0);
    for (int k = 0; k < 2; k++) {
        const gb_node w =
            gb_latent(r.e, k ? "w1" : "w0",
                      gb_mean_field(gb_shape(), .location = MEAN[k], .scale = SCALE[k], .map = GB_SCALE_EXP),
                      gb_normal(gb_num(t, 0), gb_num(t, 1)), estimator);
        fitted = gb_add(fitted, gb_mul(w, gb_sum(gb_slice(x, 0, k, k + 1))));
    }
    gb_observe(r.e, "y", gb_normal(fitted, gb_num(t, SIGMA)), y);
    return r;
}

/* Points at the same parameters: the training stands still. */
static void stand(regression r, int64_t steps)
{
    const gb_fit_result f = gb_fit(r.e, .optimiser = gb_sgd(.lr = 1e-300), .data = r.data, .steps = steps);
    assert_int_equal(f.status, GB_OK);
}

typedef struct score {
    double count, mean, squares, inside;
} score;

static void count(score *s, const gb_figure *f, double exact)
{
    const double off = f->value - s->mean;
    s->mean += off / ++s->count;
    s->squares += off * (f->value - s->mean);
    s->inside += f->low <= exact && exact <= f->high;
}

/* The mean over the points is right: |z| is below 7, which chance exceeds once in 1e10. */
static void assert_score(const score *s, double exact, const char *what)
{
    const double z = (s->mean - exact) / sqrt(s->squares / (s->count - 1) / s->count);
    if (!(fabs(z) < 7))
        fail_msg("%s: %g over the points, not %g: z %g", what, s->mean, exact, z);
}

/* Intervals of 95 % have the right value nearly as often; less so where tails are heavy. */
static void assert_inside(const score *s, double least, const char *what)
{
    if (s->inside < least * s->count)
        fail_msg("%s: %g of %g intervals have it", what, s->inside, s->count);
}

enum { MEANS = 5, FIGURES };
static const char *const names[FIGURES] = {"variance", "draws", "batches", "w0 alone", "w1 alone", "mean"};

static const gb_figure *figure(const gb_watched *w, int which)
{
    const gb_figure *const all[FIGURES] = {&w->variance,   &w->of_draws,   &w->of_batches,
                                           &w->of_draw[0], &w->of_draw[1], &w->mean};
    return all[which];
}

TEST(parts_of_the_variance_of_a_regression, .seed = 2, .threads = 1)
{
    enum { STEPS = 60 };
    const regression r = regression_of(t, gb_pathwise());
    formula *const by[] = {by_path, by_score};
    gb_watching *const w = gb_watch(r.e, .every = 1, .share = HUGE_VAL, .by_draw = true, .draws = 400,
                                    .batches = 20, .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
    stand(r, STEPS);
    assert_clean(w);
    assert_int_equal(w->points, STEPS + 1);
    assert_int_equal(w->parameters, GRADIENT);
    assert_string_equal(w->parameter[0], "w0.location");
    assert_string_equal(w->parameter[3], "w1.log_scale");
    assert_string_equal(w->draw[1], "w1");
    for (size_t k = 0; k < 2; k++) {
        const parts exact = parts_of(by[k]);
        const double *const should[FIGURES] = {exact.variance,   exact.of_draws,   exact.of_batches,
                                               exact.of_draw[0], exact.of_draw[1], exact.mean};
        for (int i = 0; i < FIGURES; i++) {
            double sum = 0;
            score of_sum = {0};
            for (size_t j = 0; j < GRADIENT; j++) {
                score s = {0};
                for (size_t p = 0; p < w->points; p++)
                    count(&s, figure(&w->point[p].estimator[k].parameter[j], i), should[i][j]);
                assert_score(&s, should[i][j], names[i]);
                sum += should[i][j];
            }
            for (size_t p = 0; p < w->points; p++)
                count(&of_sum, figure(all_of(w, p, k), i), sum);
            if (i == MEANS)
                continue;
            assert_score(&of_sum, sum, names[i]);
            assert_inside(&of_sum, k == 0 ? 0.8 : 0.6, names[i]);
        }
    }
}

/* The same, on each gradient by itself: what is reported is made of these. */
TEST(figures_are_those_of_the_gradients, .seed = 3, .threads = 1)
{
    enum { BATCHES = 5, EACH = 4 };
    FILE *const raw = tmpfile();
    const regression r = regression_of(t, gb_pathwise());
    gb_watching *const w =
        gb_watch(r.e, .every = 7, .share = HUGE_VAL, .draws = BATCHES * EACH, .batches = BATCHES, .raw = raw);
    double mean[BATCHES] = {0}, within = 0, all = 0, between = 0, x[BATCHES][EACH];
    unsigned long step;
    int batch, draw, lines = 0, element;
    char line[256], name[32];
    stand(r, 7);
    assert_clean(w);
    rewind(raw);
    assert_non_null(fgets(line, sizeof line, raw));
    assert_string_equal(line, "step,estimator,batch,draw,variable,element,value\n");
    while (fgets(line, sizeof line, raw)) {
        double value;
        assert_int_equal(sscanf(line, "%lu,as recorded,%d,%d,%31[^,],%d,%lf", &step, &batch, &draw, name,
                                &element, &value),
                         6);
        lines++;
        if (step == 7 && strcmp(name, "w1.location") == 0)
            x[batch][draw] = value;
    }
    fclose(raw);
    assert_int_equal(lines, 2 * BATCHES * EACH * GRADIENT);
    for (int b = 0; b < BATCHES; b++)
        for (int i = 0; i < EACH; i++)
            mean[b] += x[b][i] / EACH;
    for (int b = 0; b < BATCHES; b++) {
        all += mean[b] / BATCHES;
        for (int i = 0; i < EACH; i++)
            within += (x[b][i] - mean[b]) * (x[b][i] - mean[b]) / (EACH - 1) / BATCHES;
    }
    for (int b = 0; b < BATCHES; b++)
        between += (mean[b] - all) * (mean[b] - all) / (BATCHES - 1);
    const gb_watched *const is = &w->point[1].estimator[0].parameter[2];
    assert_close(is->mean.value, all, 100);
    assert_close(is->of_draws.value, within, 100);
    assert_close(is->of_batches.value, between - within / EACH, 1000);
    assert_close(is->variance.value, between + within - within / EACH, 1000);
}

/* ---- Gaussian costs along a training ---- */

/* E (x - K)² − entropy: x ~ N(mu, sigma). */
static gb_elbo *square(gb_tape *t, gb_estimator estimator, int64_t samples)
{
    const double k = 0.5;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = samples);
    const gb_node x =
        gb_latent(e, "x", gb_mean_field(gb_shape(), .location = 2, .scale = 1.5, .map = GB_SCALE_EXP),
                  gb_no_prior, estimator);
    gb_factor(e, "cost", gb_neg(gb_square(gb_shift(x, -k))));
    return e;
}

typedef struct journey {
    gb_tape *t;
    size_t count;
    double mu[64], sigma[64];
} journey;

static bool note(void *user, const gb_fit_point *point)
{
    journey *const p = user;
    (void)point;
    p->mu[p->count] = gb_value(gb_variable_named(p->t, "x.location"));
    p->sigma[p->count++] = exp(gb_value(gb_variable_named(p->t, "x.log_scale")));
    return true;
}

/* One gradient of a single sample, in mu and log sigma: by the table of closed forms for (x - k)², with d =
 * mu - k. */
static void closed_form(int estimator, double mu, double sigma, double variances[2])
{
    const double d2 = (mu - 0.5) * (mu - 0.5), s2 = sigma * sigma;
    const double of_mu = estimator == 0 ? 4 * s2 : d2 * d2 / s2 + 14 * d2 + 15 * s2,
                 of_sigma = estimator == 0 ? 4 * d2 + 8 * s2 : 2 * d2 * d2 / s2 + 60 * d2 + 74 * s2;
    variances[0] = of_mu;
    variances[1] = of_sigma * s2; /* d/d log sigma = sigma d/d sigma */
}

TEST(variances_along_a_path_are_those_of_closed_forms, .seed = 1, .threads = 1)
{
    gb_elbo *const e = square(t, gb_pathwise(), 1);
    journey p = {.t = t};
    gb_watching *const w = gb_watch(e, .every = 50, .share = HUGE_VAL, .draws = 40000,
                                    .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
    note(&p, NULL);
    const gb_fit_result f =
        gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .steps = 600, .window = 50, .each = note, .user = &p);
    assert_int_equal(f.status, GB_OK);
    assert_clean(w);
    assert_int_equal(w->points, 13);
    assert_int_equal(p.count, 13);
    assert_true(p.mu[12] < 0.7 && p.sigma[12] < 0.9); /* it has moved */
    for (size_t i = 0; i < w->points; i++)
        for (int k = 0; k < 2; k++) {
            double should[2], sum = 0;
            closed_form(k, p.mu[i], p.sigma[i], should);
            assert_int_equal(w->point[i].step, 50 * i);
            for (size_t j = 0; j < 2; j++) {
                const gb_figure *const v = &w->point[i].estimator[k].parameter[j].variance;
                /* 52 figures; heavy tails make the error of score's log sigma too small */
                assert_near(log(v->value / should[j]), 0, k == 0 ? 6 * v->error / v->value : 0.5);
                assert_near(w->point[i].estimator[k].parameter[j].mean.value,
                            j == 0 ? 2 * (p.mu[i] - 0.5) : 2 * p.sigma[i] * p.sigma[i] - 1,
                            6 * sqrt(should[j] / 40000));
                sum += v->value;
            }
            assert_close(all_of(w, i, (size_t)k)->variance.value, sum, 100);
            assert_true(isnan(all_of(w, i, (size_t)k)->of_batches.value));
            const gb_watched *const of_mu = &w->point[i].estimator[k].parameter[0];
            const double snr = 2 * fabs(p.mu[i] - 0.5) / sqrt(should[0]);
            assert_true(of_mu->snr.low <= snr + 0.1 && snr - 0.1 <= of_mu->snr.high);
        }
}

/* Noise is common: these two are equal, gradient by gradient. */
TEST(estimators_have_the_same_noise, .threads = 1)
{
    gb_elbo *const e = square(t, gb_pathwise(), 3);
    gb_watching *const w =
        gb_watch(e, .every = 20, .share = HUGE_VAL,
                 .estimators = GB_ESTIMATORS(gb_vargrad(), gb_score(.baseline = gb_leave_one_out())));
    assert_int_equal(gb_fit(e, .optimiser = gb_adam(), .steps = 40).status, GB_OK);
    assert_clean(w);
    for (size_t p = 0; p < w->points; p++) {
        assert_near(all_of(w, p, 0)->variance.value / all_of(w, p, 1)->variance.value, 1, 1e-10);
        assert_near(w->point[p].estimator[1].ratio.value, 1, 1e-10);
        assert_near(w->point[p].estimator[1].ratio.high, 1, 1e-6);
    }
}

/* ---- learning along the way ---- */

/* E (x - 30)² at N(1, 1): by score in mu d⁴ + 14 d² + 15, with the mean as baseline 10 + 8 d². */
enum { FAR = 29 };
static const double WITHOUT = (double)FAR * FAR * FAR * FAR + 14.0 * FAR * FAR + 15,
                    WITH = 10 + 8.0 * FAR * FAR;

static gb_elbo *lifted(gb_tape *t, gb_estimator estimator)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = 1);
    const gb_node x =
        gb_latent(e, "x", gb_mean_field(gb_shape(), .location = 1, .scale = 1, .map = GB_SCALE_EXP),
                  gb_no_prior, estimator);
    gb_factor(e, "cost", gb_neg(gb_square(gb_shift(x, -1 - FAR))));
    return e;
}

TEST(baselines_learn_along_the_way, .threads = 1)
{
    gb_elbo *const e = lifted(t, gb_pathwise());
    gb_watching *const w = gb_watch(
        e, .every = 500, .share = HUGE_VAL, .draws = 2000,
        .estimators = GB_ESTIMATORS(gb_score(), gb_score(.baseline = gb_moving_average(.decay = 0.99))));
    assert_int_equal(gb_fit(e, .optimiser = gb_sgd(.lr = 1e-300), .steps = 500).status, GB_OK);
    assert_clean(w);
    for (size_t p = 0; p < 2; p++)
        assert_near(w->point[p].estimator[0].parameter[0].variance.value / WITHOUT, 1, 0.3);
    /* before the first lesson it is as without; then it has had as many as the training had steps */
    assert_near(all_of(w, 0, 1)->variance.value / all_of(w, 0, 0)->variance.value, 1, 1e-9);
    assert_near(w->point[1].estimator[1].parameter[0].variance.value / WITH, 1, 0.3);
}

/* What the model was recorded with learns in the training, and nowhere else. */
TEST(the_estimators_of_the_model_are_taught_by_the_training, .threads = 1)
{
    gb_elbo *const e = lifted(t, gb_score(.baseline = gb_moving_average(.decay = 0.99)));
    gb_watching *const w = gb_watch(e, .every = 300, .share = HUGE_VAL, .draws = 1000);
    const size_t before = gb_tape_variables(t, NULL, 0);
    assert_int_equal(gb_fit(e, .optimiser = gb_sgd(.lr = 1e-300), .steps = 300).status, GB_OK);
    assert_clean(w);
    assert_string_equal(w->name[0], "as recorded");
    assert_near(w->point[1].estimator[0].parameter[0].variance.value / WITH, 1, 0.5);
    assert_true(gb_tape_variables(t, NULL, 0) > before);
}

/* ---- the training stays as it is ---- */

typedef struct model {
    const char *name;
    gb_estimator (*estimator)(void);
    gb_optimiser (*optimiser)(void);
    bool has_data, is_flipped;
} model;

#define CHOICE(type, name, ...)                                                                              \
    static type name(void)                                                                                   \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }
CHOICE(gb_estimator, pathwise, gb_pathwise())
CHOICE(gb_estimator, learned, gb_score(.baseline = gb_moving_average()))
CHOICE(gb_estimator, measure, gb_measure_valued())
CHOICE(gb_optimiser, adam, gb_adam(.lr = 0.02))
CHOICE(gb_optimiser, momentum, gb_sgd(.lr = 1e-3, .momentum = 0.9))
CHOICE(gb_optimiser, natural, gb_natural(.lr = 0.1))

static const model models[] = {
    {"pathwise, batches", pathwise, adam, true, false},     {"learned, batches", learned, adam, true, false},
    {"learned, all data", learned, momentum, false, false}, {"probes", measure, momentum, true, false},
    {"natural steps", pathwise, natural, true, false},      {"flipout", pathwise, adam, true, true}};

enum { DATA = 30, FEW = 7, LONG = 40 };
static double xs[DATA], ys[DATA];

static gb_elbo *recorded(gb_tape *t, const model *m, gb_batches **data)
{
    for (int i = 0; i < DATA; i++) {
        xs[i] = sin(i);
        ys[i] = cos(3 * i) > 0;
    }
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    const gb_column_list columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)});
    *data = m->has_data ? gb_batches_new(t, .rows = DATA, .batch = FEW, .columns = columns) : NULL;
    gb_feed(x, xs, DATA);
    gb_feed(y, ys, DATA);
    gb_elbo *const e =
        gb_elbo_new(t, .data_size = DATA, .samples = 2, .kl_schedule = gb_warm_up(20, gb_steady()));
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    gb_lazy *const w =
        gb_latent_lazy(e, "w", gb_mean_field(gb_shape(1, 1)), gb_normal(zero, one), m->estimator());
    const gb_node b = gb_latent(e, "b", gb_mean_field(gb_shape()), gb_normal(zero, one), m->estimator());
    const gb_node f = gb_lazy_affine(gb_reshape(x, gb_shape(1)), w, NULL,
                                     m->is_flipped ? GB_NOISE_FLIPOUT : GB_NOISE_SHARED);
    gb_observe(e, "y", gb_bernoulli_logits(gb_add(gb_sum(f), b)), y);
    return e;
}

static gb_watching *watched(gb_elbo *e)
{
    return gb_watch(e, .every = 5, .share = HUGE_VAL, .draws = 40, .by_draw = true,
                    .estimators = GB_ESTIMATORS((gb_estimator){0}, gb_score(.baseline = gb_moving_average()),
                                                gb_measure_valued(), gb_arm()));
}

static gb_fit_result fit(gb_elbo *e, const model *m, gb_batches *data, const char *path, int64_t steps)
{
    return gb_fit(e, .optimiser = m->optimiser(), .data = data, .steps = steps, .checkpoint = path,
                  .resume = true, .gradient_norm = true);
}

TEST_EACH(a_training_is_the_same_to_the_bit, models, .seed = 9, .threads = 1)
{
    const model *const m = row;
    gb_tape *const other = test_tape(.seed = 9, .threads = 1);
    const scratch s = scratch_new();
    char path[300];
    size_t length[2];
    gb_batches *data[2];
    snprintf(path, sizeof path, "%s.watched", s.path);
    gb_elbo *const plain = recorded(t, m, &data[0]), *const seen = recorded(other, m, &data[1]);
    gb_watching *const w = watched(seen);
    const gb_fit_result a = fit(plain, m, data[0], s.path, LONG), b = fit(seen, m, data[1], path, LONG);
    assert_int_equal(a.status, GB_OK);
    assert_string_equal(gb_error_text(other), "");
    assert_int_equal(w->points, LONG / 5 + 1);
    assert_string_equal(w->error, "");
    assert_true(*w->why[3] && !*w->why[2]);
    assert_int_equal(a.points, b.points);
    for (size_t i = 0; i < a.points; i++)
        assert_true(a.point[i].elbo == b.point[i].elbo && a.point[i].error == b.point[i].error &&
                    a.point[i].gradient_norm == b.point[i].gradient_norm);
    unsigned char *const of_plain = file_get(s.path, &length[0]), *const of_seen = file_get(path, &length[1]);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(of_plain, of_seen, length[0]);
    free(of_plain);
    free(of_seen);
    scratch_end(&s);
}

/* Where the model has noise that is no draw of it, gradients are made run by run. */
TEST(noise_of_layers_is_measured_too, .seed = 4, .threads = 1)
{
    enum { RUNS = 4000 };
    gb_batches *data;
    const model m = {"flipout", pathwise, momentum, false, true};
    gb_elbo *const e = recorded(t, &m, &data);
    gb_watching *const w = gb_watch(e, .every = 1, .draws = 50, .share = HUGE_VAL);
    const gb_node g = gb_grad(gb_elbo_loss(e), gb_variable_named(t, "w.location"));
    gb_program *const look = gb_compile(t, gb_roots(g), gb_no_update);
    double mean = 0, squares = 0;
    score s = {0};
    assert_int_equal(gb_fit(e, .optimiser = gb_sgd(.lr = 1e-300), .steps = 80).status, GB_OK);
    assert_clean(w);
    gb_program_set_samples(look, 2);
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(gb_run(look), GB_OK);
        const double value = gb_value(g), off = value - mean;
        mean += off / (i + 1);
        squares += off * (value - mean);
    }
    for (size_t p = 1; p < w->points; p++) /* the weight of KL rises, but does not vary */
        count(&s, &w->point[p].estimator[0].parameter[0].variance, squares / (RUNS - 1));
    assert_near(s.mean / (squares / (RUNS - 1)), 1, 7 * (sqrt(2.0 / RUNS) + sqrt(2.0 / 50 / s.count)));
}

/* ---- what is left out ---- */

TEST(a_watch_keeps_to_its_share, .threads = 1)
{
    const regression r = regression_of(t, gb_pathwise());
    gb_watching *const w = gb_watch(r.e, .every = 10, .share = 1e-6, .seconds = -1);
    stand(r, 100);
    assert_int_equal(w->points, 0);
    assert_int_equal(w->left_out, 11);
    assert_true(w->seconds > 0 && w->training_seconds > 0);
    assert_int_equal(gb_error(t), GB_OK);
}

/* With a share, it takes about that: of 60,000 steps, after the programs are made. */
TEST(a_watch_takes_some_points_of_many, .threads = 1)
{
    const regression r = regression_of(t, gb_pathwise());
    gb_watching *const w = gb_watch(r.e, .every = 5, .share = 0.5, .seconds = 1e-9);
    stand(r, 60000);
    assert_clean(w);
    assert_true(w->points > 0 && w->left_out > w->points);
    assert_true(w->seconds < 2 * w->training_seconds); /* a wide bound: other processes run, too */
}

/* The free seconds are for the whole training: also for its second half, and its last step. */
TEST(a_watch_spreads_its_points, .threads = 1)
{
    enum { STEPS = 20000 };
    const regression r = regression_of(t, gb_pathwise());
    gb_watching *const w = gb_watch(r.e, .every = 1, .draws = 400, .share = 1e-9, .seconds = 0.5);
    size_t late = 0;
    stand(r, STEPS);
    assert_clean(w);
    assert_true(w->points > 4 && w->left_out > 0);
    for (size_t i = 0; i < w->points; i++)
        late += w->point[i].step > STEPS / 2;
    assert_true(4 * late > w->points);
    assert_int_equal(w->point[w->points - 1].step, STEPS);
}

TEST(estimators_that_may_be_biased_are_named, .threads = 1)
{
    char text[4000];
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node logit = gb_variable(t, "logit", gb_shape(), gb_fill(0.3)), half = gb_num(t, 0.5);
    const gb_node z =
        gb_latent(e, "z", gb_posterior_of(gb_bernoulli_logits(logit)), gb_bernoulli(half), gb_disarm());
    gb_observe(e, "y", gb_normal(z, half), gb_num(t, 0.7));
    gb_watching *const w =
        gb_watch(e, .estimators = GB_ESTIMATORS(gb_disarm(), gb_straight_through()), .every = 2, .draws = 8);
    gb_fit(e, .optimiser = gb_adam(), .steps = 2);
    FILE *const file = tmpfile();
    assert_int_equal(gb_watching_print(w, file), GB_OK);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "\nstraight_through says of itself that its mean may be another"));
    assert_null(strstr(text, "\ndisarm says"));
}

TEST(estimators_that_do_not_fit_are_named_by_draw, .threads = 1)
{
    const regression r = regression_of(t, gb_pathwise());
    gb_watching *const w =
        gb_watch(r.e, .estimators = GB_ESTIMATORS(gb_arm(), gb_pathwise(), gb_double_cv()), .every = 50);
    stand(r, 100);
    assert_int_equal(w->status, GB_OK);
    assert_non_null(strstr(w->why[0], "arm does not fit draw w0"));
    assert_non_null(strstr(w->why[0], "draw w1: it needs a"));
    assert_non_null(strstr(w->why[2], "double_cv does not fit"));
    assert_string_equal(w->why[1], "");
    assert_int_equal(w->points, 3);
    assert_null(w->point[0].estimator[0].parameter);
    assert_non_null(w->point[0].estimator[1].parameter);
    assert_true(isnan(w->point[0].estimator[1].ratio.value)); /* the first has no variance */
}

/* Only one latent of two. */
TEST(the_estimator_of_one_latent_is_exchanged, .threads = 1)
{
    const regression r = regression_of(t, gb_pathwise());
    gb_watching *const w =
        gb_watch(r.e, .latent = "w1", .estimators = GB_ESTIMATORS((gb_estimator){0}, gb_score()), .every = 50,
                 .share = HUGE_VAL, .draws = 4000);
    stand(r, 50);
    assert_clean(w);
    const gb_watched_estimator *const own = &w->point[0].estimator[0], *const other =
                                                                           &w->point[0].estimator[1];
    assert_near(other->parameter[0].variance.value / own->parameter[0].variance.value, 1, 1e-9);
    assert_true(other->parameter[2].variance.value > 1.5 * own->parameter[2].variance.value);
}

/* A gradient that is not finite is told, and the training goes on. */
TEST(a_gradient_that_is_not_finite_does_not_end_the_training, .threads = 1)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node x = gb_latent(e, "x", gb_mean_field(gb_shape(), .scale = 1), gb_no_prior, gb_score());
    /* the values are finite, the slope at 0 and below is not */
    gb_factor(e, "cost", gb_sqrt(gb_continuous(gb_relu(x))));
    gb_watching *const w = gb_watch(e, .every = 10, .share = HUGE_VAL, .names = (const char *[]){"a", "b"},
                                    .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
    assert_int_equal(gb_fit(e, .optimiser = gb_sgd(.lr = 1e-3), .steps = 20).status, GB_OK);
    assert_int_equal(gb_error(t), GB_OK);
    assert_int_equal(w->points, 3);
    if (w->status != GB_OK) {
        assert_int_equal(w->status, GB_ENONFINITE);
        assert_true(strncmp(w->error, "a: ", 3) == 0);
        assert_null(w->point[0].estimator[0].parameter);
    }
    assert_non_null(w->point[0].estimator[1].parameter);
}

/* ---- loops of one's own ---- */

TEST(a_loop_by_hand_is_watched, .threads = 1)
{
    const regression r = regression_of(t, gb_pathwise());
    gb_watching *const w = gb_watch(r.e, .every = 4, .share = HUGE_VAL, .data = r.data, .elements = true);
    const gb_node loss = gb_elbo_loss(r.e);
    gb_program *const train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam()));
    for (uint64_t step = 0; step < 10; step++) {
        assert_int_equal(gb_watching_look(w, step), GB_OK);
        while (!gb_next_batch(r.data))
            ;
        assert_int_equal(gb_run(train), GB_OK);
    }
    assert_clean(w);
    assert_int_equal(w->points, 3);
    assert_int_equal(w->point[2].step, 8);
    assert_int_equal(w->batches, 20);
    gb_watching_end(w);
    stand(r, 10);
    assert_int_equal(w->points, 3);
}

TEST(draws_are_rounded_up_to_as_many_on_each_batch, .threads = 1)
{
    static const int64_t counts[][3] = {{50, 40, 80}, {80, 40, 80}, {8, 20, 20}, {0, 30, 210}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const regression r = regression_of(t, gb_pathwise());
        gb_watching *const w =
            gb_watch(r.e, .share = HUGE_VAL, .data = r.data, .draws = counts[i][0], .batches = counts[i][1]);
        assert_int_equal(gb_watching_look(w, 0), GB_OK);
        assert_clean(w);
        assert_int_equal(w->gradients, counts[i][2]);
        assert_int_equal(w->batches, counts[i][1]);
        gb_tape_reset(t);
    }
}

TEST(floats_are_watched, .real = GB_FLOAT, .threads = 1)
{
    gb_elbo *const e = square(t, gb_pathwise(), 1);
    gb_watching *const w = gb_watch(e, .every = 20, .share = HUGE_VAL);
    assert_int_equal(gb_fit(e, .optimiser = gb_adam(), .steps = 20).status, GB_OK);
    assert_clean(w);
    assert_near(w->point[0].estimator[0].parameter[0].variance.value / 9, 1, 0.6); /* 4 σ² */
}
