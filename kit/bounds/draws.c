/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log weights of draws: z ~ N(0, 1), y ~ N(z, NOISE), and q(z) = N(location, scale). */
#include <math.h>

#include "compare/moments.h"
#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "kit/bounds/draws_impl.h"
#include "kit/shell/chance_impl.h"
#include "models/elbo.h"
#include "ops/elementwise.h"

/* The probability that a statistical check fails a correct bound. */
static const double CHANCE = 1e-9;

static const double NOISE = 0.8, DATA = 1.3;

/* The exact posterior and log Z of `count` data. */
typedef struct truth {
    double location, scale, log_z;
} truth;

static double log_normal(double x, double scale)
{
    return -0.5 * (x / scale) * (x / scale) - log(scale) - 0.5 * log(2 * GB_PI);
}

static truth truth_of(size_t count, const double *y)
{
    truth now = {.location = 0, .scale = 1, .log_z = 0};
    for (size_t i = 0; i < count; i++) { /* one observation after the other */
        const double variance = now.scale * now.scale, noise = NOISE * NOISE;
        now.log_z += log_normal(y[i] - now.location, sqrt(variance + noise));
        now.location += (y[i] - now.location) * variance / (variance + noise);
        now.scale = sqrt(variance * noise / (variance + noise));
    }
    return now;
}

typedef struct model {
    gb_tape *tape;
    gb_node q[2], value, slope[2]; /* location and scale */
    gb_program *program;
} model;

static bool begin_model(gb_bound_check *c, model *m, gb_estimator estimator)
{
    gb_tape *const t = m->tape = gb_bound_tape(c, GB_DOUBLE);
    gb_expect *const e = gb_expect_new(t, .bound = c->bound);
    m->q[0] = gb_variable(t, "location", gb_shape(), gb_fill(0.2));
    m->q[1] = gb_variable(t, "scale", gb_shape(), gb_fill(0.9));
    const gb_node z = gb_draw(e, "z", gb_normal(m->q[0], m->q[1]), estimator);
    const gb_node prior = gb_log_prob(gb_normal(gb_num(t, 0), gb_num(t, 1)), z),
                  likelihood = gb_log_prob(gb_normal(z, gb_num(t, NOISE)), gb_num(t, DATA)),
                  minus_log_q = gb_draw_log_prob(e, z, gb_num(t, -1));
    m->value = gb_expected_bound(e, gb_add(gb_add(prior, likelihood), minus_log_q), gb_num(t, 1));
    if (!gb_bound_is_scalar(c, t, m->value))
        return false;
    gb_grads(m->value, m->q, 2, m->slope);
    m->program = gb_compile(t, gb_roots(m->value, m->slope[0], m->slope[1]), gb_no_update);
    return gb_error(t) == GB_OK;
}

static void end_model(gb_bound_check *c, model *m)
{
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, m->tape);
    gb_tape_free(m->tape);
}

static void check_exact_posterior(gb_bound_check *c, model *m, int64_t samples)
{
    const truth exact = truth_of(1, &DATA);
    gb_set(m->q[0], gb_fill(exact.location));
    gb_set(m->q[1], gb_fill(exact.scale));
    for (int run = 0; run < 5 && !c->is_no_mean && gb_run(m->program) == GB_OK; run++)
        gb_kit_verdict(&c->kit, GB_ON_TIGHT, gb_bound_is_near(gb_value(m->value), exact.log_z, 1e-10),
                       "of %lld draws from the exact posterior it is %.12g, and log Z is %.12g",
                       (long long)samples, gb_value(m->value), exact.log_z);
    gb_set(m->q[0], gb_fill(0.2));
    gb_set(m->q[1], gb_fill(0.9));
}

static double error_of(const gb_moments *m)
{
    return sqrt(gb_moments_variance(m) / m->count);
}

static void check_side(gb_bound_check *c, model *m, int64_t samples)
{
    enum { RUNS = 4000 };
    const double log_z = truth_of(1, &DATA).log_z;
    gb_moments mean = {0};
    for (int run = 0; run < RUNS && c->side != 0 && gb_run(m->program) == GB_OK; run++)
        gb_moments_add(&mean, 1, &(double){gb_value(m->value)}, 1);
    if (mean.count < RUNS)
        return;
    const double above = c->side > 0 ? log_z - mean.mean : mean.mean - log_z;
    gb_kit_verdict(&c->kit, GB_ON_SIDE, above <= gb_chance_normal(CHANCE) * error_of(&mean) + 1e-9,
                   "of %lld draws its mean is %.6g, with a standard error of %.2g; log Z is %.6g",
                   (long long)samples, mean.mean, error_of(&mean), log_z);
}

/* Differences with the noise of run number `step`. */
static double difference(model *m, size_t which, uint64_t step)
{
    static const double start[2] = {0.2, 0.9};
    const double move = 1e-3;
    double value[2] = {NAN, NAN};
    for (int side = 0; side < 2; side++) {
        gb_set(m->q[which], gb_fill(start[which] + (side ? move : -move)));
        gb_program_set_step(m->program, step);
        if (gb_run(m->program) == GB_OK)
            value[side] = gb_value(m->value);
    }
    gb_set(m->q[which], gb_fill(start[which]));
    return (value[1] - value[0]) / (2 * move);
}

enum { DRAWS_RUNS = 2000, SCORE_RUNS = 4000, DRAWS = 4 };

/* `mean` receives the differences of the value, in location and scale. */
static void check_draws(gb_bound_check *c, model *m, gb_moments mean[2])
{
    gb_moments off[2] = {{.count = 0}};
    gb_program_set_samples(m->program, DRAWS);
    for (uint64_t run = 0; run < DRAWS_RUNS && gb_error(m->tape) == GB_OK; run++)
        for (size_t i = 0; i < 2; i++) {
            const double should = difference(m, i, run);
            gb_program_set_step(m->program, run);
            if (gb_run(m->program) != GB_OK)
                return;
            const double gap = gb_value(m->slope[i]) - should;
            gb_moments_add(&mean[i], 1, &should, 1);
            gb_moments_add(&off[i], 1, &gap, 1);
        }
    for (size_t i = 0; i < 2; i++)
        gb_kit_verdict(&c->kit, GB_ON_DRAWS,
                       fabs(off[i].mean) <= gb_chance_normal(CHANCE) * error_of(&off[i]) + 1e-5,
                       "in the %s of q it is %.6g off %.6g, with a standard error of %.2g",
                       i ? "scale" : "location", off[i].mean, mean[i].mean, error_of(&off[i]));
}

static void check_score(gb_bound_check *c, const gb_moments should[2])
{
    model m = {0};
    gb_moments mean[2] = {{.count = 0}};
    const bool good = begin_model(c, &m, gb_score());
    if (!good && gb_error(m.tape) == GB_EARGUMENT) {
        gb_kit_skip(&c->kit, GB_ON_SCORE, "it is rejected");
        gb_tape_free(m.tape);
        return;
    }
    gb_program_set_samples(m.program, DRAWS);
    for (int run = 0; run < SCORE_RUNS && good && gb_run(m.program) == GB_OK; run++)
        for (size_t i = 0; i < 2; i++)
            gb_moments_add(&mean[i], 1, &(double){gb_value(m.slope[i])}, 1);
    for (size_t i = 0; i < 2 && mean[i].count == SCORE_RUNS; i++) {
        const double error = hypot(error_of(&mean[i]), error_of(&should[i]));
        gb_kit_verdict(&c->kit, GB_ON_SCORE,
                       fabs(mean[i].mean - should[i].mean) <= gb_chance_normal(CHANCE) * error,
                       "in the %s of q it is %.4g, with a standard error of %.2g, and should be %.4g",
                       i ? "scale" : "location", mean[i].mean, error, should[i].mean);
    }
    end_model(c, &m);
}

/* The number of draws changes after the recording. */
static void check_model(gb_bound_check *c)
{
    static const int64_t samples[] = {1, 4, 16};
    gb_moments mean[2] = {{.count = 0}};
    model m = {0};
    const bool good = begin_model(c, &m, gb_pathwise());
    for (size_t i = 0; i < sizeof samples / sizeof *samples && good; i++) {
        gb_program_set_samples(m.program, samples[i]);
        check_exact_posterior(c, &m, samples[i]);
        check_side(c, &m, samples[i]);
    }
    if (good)
        check_draws(c, &m, mean);
    end_model(c, &m);
    if (good && mean[1].count == DRAWS_RUNS)
        check_score(c, mean);
}

/* ---- rows ---- */

enum { ROWS = 3 };
static const double Y[ROWS] = {1.3, -0.4, 0.9};

/* Each row has its own draw, and its exact posterior. */
static void check_rows(gb_bound_check *c)
{
    const truth one = truth_of(1, &DATA);
    gb_tape *const t = gb_bound_tape(c, GB_DOUBLE);
    gb_expect *const e = gb_expect_new(t, .bound = c->bound);
    const gb_node y = gb_input_rows(t, "y", gb_shape());
    const gb_node z =
        gb_draw(e, "z", gb_normal(gb_scale(y, one.location / DATA), gb_num(t, one.scale)), gb_pathwise());
    const gb_node l = gb_add(gb_add(gb_log_prob(gb_normal(gb_num(t, 0), gb_num(t, 1)), z),
                                    gb_log_prob(gb_normal(z, gb_num(t, NOISE)), y)),
                             gb_draw_log_prob_of_rows(e, z, gb_num(t, -1)));
    const gb_node bound = gb_expected_bound(e, l, gb_num(t, 2.5));
    gb_program *const program = gb_compile(t, gb_roots(bound), gb_no_update);
    double should = 0;
    for (size_t i = 0; i < ROWS; i++)
        should += 2.5 * truth_of(1, &Y[i]).log_z;
    gb_feed(y, Y, ROWS);
    if (!c->is_no_mean && gb_run(program) == GB_OK)
        gb_kit_verdict(&c->kit, GB_ON_ROWS, gb_bound_is_near(gb_value(bound), should, 1e-10),
                       "it is %.12g, not %.12g", gb_value(bound), should);
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, t);
    gb_tape_free(t);
}

/* ---- in an ELBO ---- */

static void check_elbo(gb_bound_check *c)
{
    enum { RUNS = 2000 };
    const truth exact = truth_of(ROWS, Y);
    gb_tape *const t = gb_bound_tape(c, GB_DOUBLE);
    const gb_node rows = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .bound = c->bound);
    const gb_node z =
        gb_latent(e, "z", gb_mean_field(gb_shape(), .location = exact.location, .scale = exact.scale),
                  gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(z, gb_num(t, NOISE)), rows);
    const gb_node bound = gb_neg(gb_elbo_loss(e));
    gb_program *const program = gb_compile(t, gb_roots(bound), gb_no_update);
    gb_moments mean = {0};
    gb_program_set_samples(program, DRAWS);
    gb_feed(rows, Y, ROWS);
    for (int run = 0; run < RUNS && gb_run(program) == GB_OK; run++)
        gb_moments_add(&mean, 1, &(double){gb_value(bound)}, 1);
    if (mean.count == RUNS && !c->is_no_mean)
        gb_kit_verdict(&c->kit, GB_ON_ELBO,
                       fabs(mean.mean - exact.log_z) <= gb_chance_normal(CHANCE) * error_of(&mean) + 1e-9,
                       "it is %.6g, with a standard error of %.2g; log Z is %.6g", mean.mean, error_of(&mean),
                       exact.log_z);
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, t);
    gb_tape_free(t);
}

void gb_bound_check_draws(gb_bound_check *c)
{
    check_model(c);
    check_rows(c);
    check_elbo(c);
}
