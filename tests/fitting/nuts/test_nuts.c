/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NUTS as a user calls it: exact posteriors, reproducible, stopped, rejected in words. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/domain.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/list.h"
#include "fitting/nuts.h"
#include "fitting/psis.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

static gb_nuts *good(gb_nuts *r, gb_tape *t)
{
    if (!r)
        fail_msg("%s", gb_error_text(t));
    return r;
}

/* Five standard errors: once in 10⁶ for each number. */
static void assert_moments(const gb_nuts *r, size_t i, double mean, double sd)
{
    char name[GB_DENSITY_TEXT];
    const gb_convergence *const c = &r->convergence[i];
    gb_density_value_name(r->density, i, name);
    if (!(c->rhat < 1.02))
        fail_msg("%s: R-hat is %g", name, c->rhat);
    if (!(fabs(c->mean - mean) <= 5 * c->mean_error))
        fail_msg("%s: mean %g ± %g, not %g", name, c->mean, c->mean_error, mean);
    if (sd > 0 && !(fabs(c->sd - sd) <= 5 * c->sd_error))
        fail_msg("%s: sd %g ± %g, not %g", name, c->sd, c->sd_error, sd);
}

static gb_dist standard(gb_tape *t)
{
    return gb_normal(gb_num(t, 0), gb_num(t, 1));
}

/* ---- exact posteriors ---- */

/* A normal of 20 dimensions: random directions, standard deviations from 0.01 to 1. */
enum { WIDE = 20 };
static void wide_root(double root[WIDE * WIDE])
{
    memset(root, 0, WIDE * WIDE * sizeof *root);
    for (int i = 0; i < WIDE; i++)
        root[i * WIDE + i] = pow(10, -2.0 * i / (WIDE - 1));
    for (int k = 0; k < 3 * WIDE; k++) { /* rotations from the left */
        const int a = (7 * k) % WIDE, b = (a + 1 + k % (WIDE - 1)) % WIDE;
        const double angle = 1.3 * k + 0.4;
        for (int j = 0; j < WIDE && a != b; j++) {
            const double x = root[a * WIDE + j], y = root[b * WIDE + j];
            root[a * WIDE + j] = cos(angle) * x - sin(angle) * y;
            root[b * WIDE + j] = sin(angle) * x + cos(angle) * y;
        }
    }
}

/* The Cholesky factor of root rootᵀ. */
static void triangular(const double root[WIDE * WIDE], double covariance[WIDE * WIDE], double l[WIDE * WIDE])
{
    for (int i = 0; i < WIDE; i++)
        for (int j = 0; j < WIDE; j++) {
            double sum = 0;
            for (int k = 0; k < WIDE; k++)
                sum += root[i * WIDE + k] * root[j * WIDE + k];
            covariance[i * WIDE + j] = sum;
        }
    memset(l, 0, WIDE * WIDE * sizeof *l);
    for (int i = 0; i < WIDE; i++)
        for (int j = 0; j <= i; j++) {
            double sum = covariance[i * WIDE + j];
            for (int k = 0; k < j; k++)
                sum -= l[i * WIDE + k] * l[j * WIDE + k];
            l[i * WIDE + j] = i == j ? sqrt(sum) : sum / l[j * WIDE + j];
        }
}

TEST(a_normal_with_condition_number_1e4_has_its_moments_by_a_dense_metric, .seed = 3)
{
    double root[WIDE * WIDE], covariance[WIDE * WIDE], l[WIDE * WIDE];
    wide_root(root);
    triangular(root, covariance, l);
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_full_rank(gb_shape(WIDE)),
              gb_multivariate_normal(gb_constant(t, gb_shape(WIDE), gb_fill(3)),
                                     gb_constant(t, gb_shape(WIDE, WIDE), gb_values_of(l, WIDE * WIDE))),
              gb_pathwise());
    gb_nuts *r = good(gb_sample_nuts(e, .metric = GB_METRIC_DENSE, .warmup = 2000, .draws = 2000), t);
    for (size_t i = 0; i < WIDE; i++)
        assert_moments(r, i, 3, sqrt(covariance[i * WIDE + i]));
    assert_int_equal(r->divergences, 0);
    /* The metric of each chain is the covariance, as far as its last window of 1500 draws shows it. */
    for (size_t c = 0; c < 4; c++)
        for (size_t i = 0; i < WIDE; i++) {
            const double is = r->metric[(c * WIDE + i) * WIDE + i], should = covariance[i * WIDE + i];
            assert_near(is, should, 0.3 * should + 1e-5);
        }
    for (size_t i = 0; i < 4; i++)
        assert_true(r->step[i] > 0.2);
    double accept = 0;
    for (size_t i = 0; i < 8000; i++)
        accept += r->accept[i] / 8000;
    assert_near(accept, 0.8, 0.1);
    gb_nuts_free(r);
}

TEST(covariances_are_exact_too, .seed = 8)
{
    const double l[] = {2, 0, 1.5, 0.5};
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape(2)),
              gb_multivariate_normal(gb_constant(t, gb_shape(2), gb_fill(0)),
                                     gb_constant(t, gb_shape(2, 2), gb_values_of(l, 4))),
              gb_pathwise());
    gb_nuts *r = good(gb_sample_nuts(e, .draws = 3000), t);
    double *x = calloc(12000, sizeof *x);
    for (size_t i = 0; i < 12000; i++)
        x[i] = r->value[2 * i] * r->value[2 * i + 1];
    const gb_chains chains = {.x = x, .chains = 4, .length = 3000};
    const gb_convergence c = gb_chains_convergence(&chains);
    assert_near(c.mean, 3, 5 * c.mean_error);
    assert_true(c.mean_error < 0.2);
    free(x);
    gb_nuts_free(r);
}

/* Supports of all kinds, whose moments are known. */
TEST(bounded_and_heavy_priors_have_their_moments, .seed = 4)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node one = gb_num(t, 1);
    gb_latent(e, "gamma", gb_mean_field(gb_shape()), gb_gamma(gb_num(t, 3), gb_num(t, 2)), gb_pathwise());
    gb_latent(e, "beta", gb_mean_field(gb_shape()), gb_beta(gb_num(t, 2), gb_num(t, 0.8)), gb_pathwise());
    gb_latent(e, "uniform", gb_mean_field(gb_shape()), gb_uniform(gb_num(t, -3), gb_num(t, 5)),
              gb_pathwise());
    gb_latent(e, "simplex", gb_mean_field(gb_shape(3)),
              gb_dirichlet(gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 4))), gb_pathwise());
    gb_latent(e, "student", gb_mean_field(gb_shape()), gb_student_t(gb_num(t, 7), gb_num(t, 10), one),
              gb_pathwise());
    gb_latent(e, "half", gb_point(gb_shape()), gb_half_normal(one), gb_pathwise());
    gb_nuts *r = good(gb_sample_nuts(e, .draws = 4000, .warmup = 2000, .target = 0.9), t);
    const double all = 7;
    assert_moments(r, 0, 1.5, sqrt(0.75));
    assert_moments(r, 1, 2 / 2.8, sqrt(1.6 / (2.8 * 2.8 * 3.8)));
    assert_moments(r, 2, 1, 8 / sqrt(12));
    for (size_t i = 0; i < 3; i++) {
        const double a = pow(2, (double)i);
        assert_moments(r, 3 + i, a / all, sqrt(a / all * (1 - a / all) / (all + 1)));
    }
    assert_moments(r, 6, 10, sqrt(7 / 5.0));
    assert_moments(r, 7, sqrt(2 / 3.14159265358979), sqrt(1 - 2 / 3.14159265358979));
    gb_nuts_free(r);
}

TEST(a_funnel_written_without_it_has_its_moments, .seed = 5)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node v =
        gb_latent(e, "v", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    const gb_node x = gb_latent(e, "x", gb_mean_field(gb_shape(4)), standard(t), gb_pathwise());
    const gb_node scaled = gb_mul(gb_exp(gb_scale(v, 0.5)), x);
    gb_nuts *r = good(gb_sample_nuts(e), t);
    assert_moments(r, 0, 0, 3);
    for (size_t i = 1; i < 5; i++)
        assert_moments(r, i, 0, 1);
    assert_int_equal(r->divergences, 0);
    assert_string_equal(r->words, "");
    double *value = calloc(4 * 4000, sizeof *value), log_p = 0;
    gb_program *p = gb_density_program(r->density, gb_roots(scaled));
    assert_int_equal(gb_density_run(r->density, p, 4000, r->z), GB_OK);
    assert_int_equal(gb_read_root(p, 0, value), GB_OK);
    for (size_t i = 0; i < 4000; i++) {
        assert_close(value[4 * i + 3], exp(r->value[5 * i] / 2) * r->value[5 * i + 4], 8);
        log_p = -0.5 * r->z[5 * i] * r->z[5 * i] / 9 - log(3) - 2.5 * log(6.283185307179586);
        for (size_t k = 1; k < 5; k++)
            log_p -= 0.5 * r->z[5 * i + k] * r->z[5 * i + k];
        assert_near(r->log_p[i], log_p, 1e-12 * (1 + fabs(log_p)));
    }
    free(value);
    gb_nuts_free(r);
}

TEST(a_funnel_is_warned_of, .seed = 5)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node v =
        gb_latent(e, "v", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    gb_latent(e, "x", gb_mean_field(gb_shape(9)), gb_normal(gb_num(t, 0), gb_exp(gb_scale(v, 0.5))),
              gb_pathwise());
    gb_nuts *r = good(gb_sample_nuts(e), t);
    assert_true(r->divergences > 0);
    assert_non_null(strstr(r->words, "of 4000 transitions diverged: draws are missing"));
    assert_non_null(strstr(r->words, "E-BFMI below 0.3 for"));
    assert_non_null(strstr(r->words, "R-hat above 1.01 for"));
    assert_non_null(strstr(r->words, "bulk effective size below 400 for"));
    for (size_t i = 0; i < r->divergences; i++) {
        const gb_nuts_divergence *const d = &r->divergence[i];
        assert_true(d->chain < 4 && d->draw < 1000 && isfinite(d->z[0]));
    }
    gb_nuts_free(r);
}

TEST(short_trajectories_and_short_chains_are_warned_of, .seed = 1)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "x", gb_mean_field(gb_shape(2)),
              gb_normal(gb_num(t, 0), gb_constant(t, gb_shape(2), GB_VALUES(1, 100))), gb_pathwise());
    gb_nuts *r = good(gb_sample_nuts(e, .max_depth = 2, .metric = GB_METRIC_UNIT, .draws = 100), t);
    assert_true(r->saturated > 300 && !r->metric);
    assert_non_null(strstr(r->words, "transitions were cut off at depth 2"));
    for (size_t i = 0; i < 400; i++)
        assert_true(r->depth[i] <= 2);
    gb_nuts_free(r);
    r = good(gb_sample_nuts(e, .draws = 5, .warmup = 30), t);
    assert_non_null(strstr(r->words, "chains of 5 draws are too short to be judged"));
    gb_nuts_free(r);
    r = good(gb_sample_nuts(e, .draws = 50, .no_warmup = true, .chains = 1), t);
    assert_int_equal(r->draws, 50);
    gb_nuts_free(r);
}

TEST(values_that_overflow_are_warned_of, .seed = 1)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_latent_part part = {
        .name = "x", .shape = gb_shape(), .prior = gb_no_prior, .support = GB_POSITIVE};
    gb_node x;
    const gb_node free = gb_latent_block(e, "w", gb_mean_field(gb_shape()), 1, &part, gb_pathwise(), &x);
    gb_factor(e, "f", gb_sub(gb_log_prob(gb_normal(gb_num(t, 709), gb_num(t, 0.5)), free), free));
    const double start[] = {709, 709.1};
    gb_nuts *r = good(gb_sample_nuts(e, .chains = 2, .start = start), t);
    assert_non_null(strstr(r->words, "draws of 1 of 2 numbers are not finite (such as w.x)"));
    gb_nuts_free(r);
}

/* ---- ranks: draws of the prior, data of them, draws of the posterior ---- */

/* The rank of each true value among independent draws of its posterior is uniform (Talts et al. 2018). The
 * model is conjugate, so the posterior's mean is checked besides. */
TEST(ranks_of_true_values_are_uniform, .seed = 7)
{
    enum { RUNS = 300, DRAWS = 19, CELLS = 20, ROWS = 5 };
    const gb_node y = gb_input(t, "y", gb_shape(ROWS));
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node mu =
        gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 1), gb_num(t, 2)), gb_pathwise());
    const gb_node s = gb_latent(e, "s", gb_mean_field(gb_shape()), gb_lognormal(gb_num(t, 0), gb_num(t, 0.5)),
                                gb_pathwise());
    gb_observe(e, "y", gb_normal(mu, s), y);
    gb_density *d = gb_density_new(e);
    size_t cells[2][CELLS] = {{0}};
    gb_tape *prior = test_tape(.seed = 70);
    const gb_noise noise = gb_stream(prior, "prior");
    const gb_node z = gb_normal_noise(noise, gb_shape(ROWS + 2), 0);
    gb_program *p = gb_compile(prior, gb_roots(z), gb_no_update);
    for (int run = 0; run < RUNS; run++) {
        double drawn[ROWS + 2], data[ROWS];
        assert_int_equal(gb_run(p), GB_OK);
        gb_read_root(p, 0, drawn);
        const double truth[2] = {1 + 2 * drawn[0], exp(0.5 * drawn[1])};
        for (int i = 0; i < ROWS; i++)
            data[i] = truth[0] + truth[1] * drawn[2 + i];
        gb_feed(y, data, 1);
        gb_nuts *r = good(gb_sample_nuts(NULL, .density = d, .warmup = 200, .draws = 10 * DRAWS, .chains = 1,
                                         .seed = (uint64_t)run + 1),
                          t);
        for (size_t k = 0; k < 2; k++) {
            size_t rank = 0;
            for (size_t i = 0; i < DRAWS; i++) /* thinned, so almost independent */
                rank += r->value[2 * (10 * i + 9) + k] < truth[k];
            cells[k][rank]++;
        }
        gb_nuts_free(r);
    }
    for (int k = 0; k < 2; k++) {
        double chi = 0;
        for (int c = 0; c < CELLS; c++)
            chi += pow((double)cells[k][c] - (double)RUNS / CELLS, 2) / ((double)RUNS / CELLS);
        if (!(chi < 62)) /* χ² of 19: once in 10⁶ */
            fail_msg("number %d: chi squared is %g", k, chi);
    }
}

TEST(a_conjugate_posterior_is_exact, .seed = 6)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 4);
    const gb_node mu =
        gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 2)), gb_pathwise());
    gb_observe(e, "y", gb_normal(mu, gb_num(t, 1)), gb_constant(t, gb_shape(4), GB_VALUES(1, 2, 3, 5)));
    gb_nuts *r = good(gb_sample_nuts(e), t);
    assert_moments(r, 0, 11 / 4.25, sqrt(1 / 4.25));
    gb_nuts_free(r);
}

TEST(batches_give_the_posterior_of_all_data, .seed = 6)
{
    static const double ys[] = {1, 2, 3, 5, 4, 1, 0};
    const gb_node y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 7);
    const gb_node mu =
        gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 2)), gb_pathwise());
    gb_observe(e, "y", gb_normal(mu, gb_num(t, 1)), y);
    gb_nuts *r = good(gb_sample_nuts(e, .data = gb_batches_new(t, .rows = 7, .batch = 3,
                                                               .columns = GB_COLUMNS({y, gb_doubles(ys)}))),
                      t);
    assert_moments(r, 0, 16 / 7.25, sqrt(1 / 7.25));
    gb_nuts_free(r);
}

/* ---- reproducible, started, stopped ---- */

/* A regression with arrays that are worth sharing among threads. */
enum { P = 8 };
static gb_elbo *logistic(gb_tape *t, size_t rows)
{
    double *x = calloc(rows * P, sizeof *x), *y = calloc(rows, sizeof *y);
    for (size_t i = 0; i < rows * P; i++)
        x[i] = sin(1.7 * (double)i) * cos(0.3 * (double)i);
    for (size_t i = 0; i < rows; i++)
        y[i] = x[i * P] + 0.5 * sin(9.1 * (double)i) > 0;
    gb_elbo *e = gb_elbo_new(t, .data_size = (double)rows);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(P)), standard(t), gb_pathwise());
    gb_observe(e, "y",
               gb_bernoulli_logits(
                   gb_matmul(gb_constant(t, gb_shape((int64_t)rows, P), gb_values_of(x, rows * P)), w)),
               gb_constant(t, gb_shape((int64_t)rows), gb_values_of(y, rows)));
    free(x);
    free(y);
    return e;
}

TEST(a_seed_gives_the_same_bits_for_any_number_of_threads_and_for_each_call, .seed = 6)
{
    gb_tape *one = test_tape(.seed = 9, .threads = 1), *three = test_tape(.seed = 9, .threads = 3);
    gb_elbo *e = logistic(one, 3000), *of_three = logistic(three, 3000);
    gb_nuts *a = good(gb_sample_nuts(e, .warmup = 60, .draws = 30), one),
            *b = good(gb_sample_nuts(of_three, .warmup = 60, .draws = 30), three),
            *c = good(gb_sample_nuts(e, .warmup = 60, .draws = 30), one),
            *d = good(gb_sample_nuts(e, .warmup = 60, .draws = 30, .seed = 10), one);
    const size_t bytes = 4 * 30 * 8 * sizeof *a->z;
    assert_memory_equal(a->z, b->z, bytes);
    assert_memory_equal(a->z, c->z, bytes);
    assert_true(memcmp(a->z, d->z, bytes) != 0);
    assert_true(a->gradients == b->gradients && a->gradients > 4 * 90);
    gb_nuts_free(a), gb_nuts_free(b), gb_nuts_free(c), gb_nuts_free(d);
}

TEST(a_chain_does_not_depend_on_how_many_others_there_are, .seed = 6)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape(3)), gb_gamma(gb_num(t, 2), gb_num(t, 1)), gb_pathwise());
    gb_nuts *two = good(gb_sample_nuts(e, .chains = 2, .warmup = 100, .draws = 50), t),
            *many = good(gb_sample_nuts(e, .chains = 30, .warmup = 100, .draws = 50), t);
    assert_memory_equal(two->z, many->z, 2 * 50 * 3 * sizeof *two->z);
    gb_nuts_free(two), gb_nuts_free(many);
}

TEST(starts_can_be_given_or_drawn_from_q, .seed = 6)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape(2), .location = 300, .scale = 0.01),
              gb_normal(gb_num(t, 300), gb_num(t, 0.1)), gb_pathwise());
    const double start[] = {300, 300.1, 299.9, 300.05};
    gb_nuts *r = good(gb_sample_nuts(e, .start = start, .chains = 2), t),
            *q = good(gb_sample_nuts(e, .from_q = true), t);
    assert_moments(r, 0, 300, 0.1);
    assert_moments(q, 1, 300, 0.1);
    gb_nuts_free(r), gb_nuts_free(q);
}

typedef struct watcher {
    int calls;
    int64_t transitions, stop_at;
} watcher;

static bool watch(void *user, const gb_nuts_progress *p)
{
    watcher *const w = user;
    w->calls++;
    assert_true(p->transitions >= w->transitions && p->transitions <= p->of && p->seconds >= 0);
    assert_true(p->gradients >= p->transitions);
    w->transitions = p->transitions;
    return p->transitions < w->stop_at;
}

TEST(a_callback_watches_and_stops, .seed = 6, .threads = 1)
{
    gb_elbo *e =
        gb_elbo_new(t, .data_size = 1); /* without matrix products, whose bits depend on the points */
    gb_latent(e, "w", gb_mean_field(gb_shape(3)), gb_gamma(gb_num(t, 2), gb_num(t, 1)), gb_pathwise());
    watcher all = {.stop_at = INT64_MAX}, soon = {.stop_at = 1}, late = {.stop_at = 4 * 1500};
    gb_nuts *r = gb_sample_nuts(e, .warmup = 1000000, .each = watch, .user = &soon);
    assert_null(r);
    assert_int_equal(gb_error(t), GB_ESTOPPED);
    gb_forgive(t);
    r = good(gb_sample_nuts(e, .warmup = 100, .draws = 200, .each = watch, .user = &all), t);
    assert_true(!r->is_stopped && r->draws == 200);
    gb_nuts *cut = good(gb_sample_nuts(e, .warmup = 100, .draws = 400000, .each = watch, .user = &late), t);
    assert_true(late.calls > 0 && cut->is_stopped && cut->draws > 0 && cut->draws < 400000);
    assert_non_null(strstr(cut->words, "stopped on request: "));
    const size_t same = cut->draws < 200 ? cut->draws : 200;
    for (size_t c = 0; c < 4; c++) {
        assert_memory_equal(cut->z + c * cut->draws * 3, r->z + c * 200 * 3, same * 3 * sizeof *r->z);
        assert_memory_equal(cut->log_p + c * cut->draws, r->log_p + c * 200, same * sizeof *r->z);
        assert_memory_equal(cut->depth + c * cut->draws, r->depth + c * 200, same * sizeof *r->depth);
    }
    gb_nuts_free(r), gb_nuts_free(cut);
}

TEST(a_table_is_printed, .seed = 6)
{
    char text[4096];
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "tau", gb_mean_field(gb_shape(2)), gb_gamma(gb_num(t, 2), gb_num(t, 1)), gb_pathwise());
    gb_nuts *r = good(gb_sample_nuts(e), t);
    FILE *const file = fmemopen(text, sizeof text, "w");
    assert_int_equal(gb_nuts_print(r, file), GB_OK);
    fclose(file);
    assert_non_null(strstr(text, "4 chains of 1000 draws"));
    assert_non_null(strstr(text, "\ntau[1] "));
    assert_non_null(strstr(text, "\nlog_p "));
    assert_int_equal(gb_nuts_print(NULL, stdout), GB_EARGUMENT);
    assert_int_equal(gb_nuts_print(r, NULL), GB_EARGUMENT);
    const gb_chains chains = gb_nuts_chains(r, 1), of_density = gb_nuts_chains(r, 2);
    assert_true(chains.x[chains.chain_stride + 3 * chains.draw_stride] == r->value[1003 * 2 + 1]);
    assert_true(of_density.x[of_density.chain_stride + 3 * of_density.draw_stride] == r->log_p[1003]);
    assert_int_equal(gb_nuts_chains(r, 3).chains, 0);
    gb_nuts_free(r);
    gb_nuts_free(NULL);
}

/* ---- what is rejected ---- */

TEST(options_are_held_to_their_domains)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape()), standard(t), gb_pathwise());
    gb_elbo *many = gb_elbo_new(t, .data_size = 1);
    gb_latent(many, "m", gb_mean_field(gb_shape(100000)), standard(t), gb_pathwise());
    const double start[4] = {0};
    gb_density *d = gb_density_new(e);
    const double ys[] = {1};
    gb_batches *data = gb_batches_new(
        t, .rows = 1, .columns = GB_COLUMNS({gb_input_rows(t, "y", gb_shape()), gb_doubles(ys)}));
#define REJECTED(words_, ...)                                                                                \
    assert_null(gb_sample_nuts(e, __VA_ARGS__));                                                             \
    if (gb_error(t) != GB_EARGUMENT || !strstr(gb_error_text(t), words_))                                    \
        fail_msg("%s", gb_error_text(t));                                                                    \
    gb_forgive(t)
    REJECTED("nuts: .chains is -1, and must be from 1 to 100000", .chains = -1);
    REJECTED("nuts: .draws is -5", .draws = -5);
    REJECTED("nuts: .warmup is -5", .warmup = -5);
    REJECTED("nuts: .max_depth is 21, and must be from 1 to 20", .max_depth = 21);
    REJECTED("nuts: .target is 1, and must be between 0 and 1", .target = 1);
    REJECTED("nuts: .target is nan", .target = NAN);
    REJECTED("nuts: .spread is -2, and must be above 0", .spread = -2);
    REJECTED("nuts: there is no .metric number 9", .metric = (gb_nuts_metric)9);
    REJECTED("nuts: .start and .from_q are both given", .start = start, .from_q = true);
    REJECTED("nuts: .no_warmup and .warmup are both given", .no_warmup = true, .warmup = 5);
    assert_null(gb_sample_nuts(many, .chains = 100000, .draws = INT32_MAX));
    assert_int_equal(gb_error(t), GB_ELIMIT);
    assert_non_null(
        strstr(gb_error_text(t), "nuts: 100000 chains of 2147483647 draws of 100000 numbers are too many"));
    gb_forgive(t);
    REJECTED("nuts: .data is given, and .density", .density = d, .data = data);
    assert_null(gb_sample_nuts_with(NULL, NULL));
    const gb_sample_nuts_options none = {0};
    assert_null(gb_sample_nuts_with(e, &none));
    assert_non_null(strstr(gb_error_text(t), "has no size"));
}

TEST(posteriors_that_cannot_be_sampled_are_told_so_in_words, .seed = 1)
{
    gb_elbo *flat = gb_elbo_new(t, .data_size = 1), *narrow = gb_elbo_new(t, .data_size = 1),
            *bad = gb_elbo_new(t, .data_size = 1);
    gb_latent(flat, "f", gb_mean_field(gb_shape(2)), gb_no_prior, gb_pathwise());
    assert_null(gb_sample_nuts(flat));
    assert_int_equal(gb_error(t), GB_ENONFINITE);
    assert_non_null(strstr(gb_error_text(t), "nuts: chain 0: steps may grow without end"));
    gb_forgive(t);
    const gb_node w = gb_latent(narrow, "w", gb_mean_field(gb_shape()), standard(t), gb_pathwise());
    gb_factor(narrow, "log", gb_log(gb_shift(w, -5))); /* no density below 5 */
    assert_null(gb_sample_nuts(narrow));
    assert_non_null(
        strstr(gb_error_text(t), "nuts: chain 0: log p is not finite at any of 100 random starting points"));
    gb_forgive(t);
    gb_nuts_free(good(gb_sample_nuts(narrow, .spread = 50), t));
    const gb_node s = gb_latent(bad, "s", gb_mean_field(gb_shape()), standard(t), gb_pathwise());
    gb_observe(bad, "y", gb_normal(gb_num(t, 0), gb_shift(s, -5)), gb_num(t, 1));
    const double start[] = {0};
    assert_null(gb_sample_nuts(bad, .chains = 1, .start = start));
    assert_non_null(strstr(gb_error_text(t), "normal")); /* what rejected its argument, and why */
}

/* Flat in log x; a flat dispersion of counts; a scale of one datum. */
TEST(an_improper_posterior_whose_draws_run_off_is_rejected)
{
    for (int k = 0; k < 3; k++) {
        gb_tape *const tape = test_tape(.seed = 1);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
        const gb_family q = gb_mean_field(gb_shape());
        const gb_node x = gb_latent(e, "x", q, gb_no_prior, gb_pathwise(), .support = GB_POSITIVE);
        if (k == 0)
            gb_factor(e, "1/x", gb_neg(gb_log(x)));
        else if (k == 1)
            gb_observe(e, "y", gb_negative_binomial_logits(x, gb_sub(gb_num(tape, 1), gb_log(x))),
                       gb_constant(tape, gb_shape(4), GB_VALUES(2, 3, 2, 4)));
        else
            gb_observe(e, "y", gb_normal(gb_latent(e, "m", q, gb_no_prior, gb_pathwise()), x),
                       gb_num(tape, 1));
        assert_null(gb_sample_nuts(e));
        assert_int_equal(gb_error(tape), GB_ENONFINITE);
        if (!strstr(gb_error_text(tape), "nuts: draws of x reach ") ||
            !strstr(gb_error_text(tape), "since log p does not fall off; is the posterior improper?"))
            fail_msg("%s", gb_error_text(tape));
        gb_forgive(tape);
    }
}

static gb_status sample_some(gb_tape *t, const void *what)
{
    (void)what;
    if (!t)
        return GB_ENOMEM;
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node v =
        gb_latent(e, "v", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    gb_latent(e, "x", gb_mean_field(gb_shape(2)), gb_normal(gb_num(t, 0), gb_exp(v)), gb_pathwise());
    gb_nuts_free(gb_sample_nuts(e, .warmup = 30, .draws = 40, .chains = 2));
    return gb_error(t);
}

TEST(sampling_outlives_lack_of_memory)
{
    assert_outlives_lack_of_memory(
        sample_some, NULL, "nuts", 100,
        (gb_tape_options){.size = sizeof(gb_tape_options), .seed = 5, .threads = 1});
}
