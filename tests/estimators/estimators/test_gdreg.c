/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generalised doubly reparameterised gradients: means over a grid of the noise, which are those of pathwise
 * to rounding, for each sort of prior; and what is rejected. */
#include "support/close.h"

#include <stdio.h>
#include <string.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "models/family.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- a grid: the trapezoidal rule over standard normals, which is right to rounding here ---- */

typedef struct grid {
    int64_t dimensions, points, size;
    double step;
} grid;

static grid grid_of(int64_t dimensions, double step)
{
    grid g = {.dimensions = dimensions, .points = 1 + 2 * (int64_t)(7.5 / step), .size = 1, .step = step};
    for (int64_t i = 0; i < dimensions; i++)
        g.size *= g.points;
    return g;
}

static void feed(grid g, gb_node noise, gb_node weight)
{
    double *const x = malloc((size_t)(g.size * g.dimensions) * sizeof *x), *const w = malloc((size_t)g.size *
                                                                                             sizeof *w);
    assert_true(x && w);
    for (int64_t i = 0; i < g.size; i++) {
        w[i] = 1;
        for (int64_t k = 0, rest = i; k < g.dimensions; k++, rest /= g.points) {
            const double e = ((double)(rest % g.points) - (double)(g.points / 2)) * g.step;
            x[i * g.dimensions + k] = e;
            w[i] *= g.step * exp(-e * e / 2) / sqrt(2 * GB_PI);
        }
    }
    gb_feed(noise, x, 1);
    gb_feed(weight, w, 1);
    free(x);
    free(w);
}

/* ---- models ---- */

enum { PRIOR = 3, Q = 2, PARAMETERS = PRIOR + Q };

/* The parameters of the prior, and of q; widened along the samples. `noise`: of all draws, (particles, draws)
 * for each sample. */
typedef struct look {
    gb_tape *tape;
    gb_expect *e;
    gb_node prior[PRIOR], q[Q], noise;
    const gb_estimator_type *type;
} look;

static gb_node noise_now; /* (particles, numbers) of the next draw */

/* A draw by the noise of the grid. */
static gb_node by_grid(gb_site *site)
{
    const gb_node e = gb_hide(noise_now, site->particles);
    const gb_node rank_of = gb_dist_shape(site->q).rank ? e : gb_squeeze(e, -1);
    const gb_node z = gb_add(site->q.param[0], gb_mul(site->q.param[1], rank_of));
    return site->q.type == &gb_lognormal_type ? gb_exp(z) : z;
}

static gb_estimator estimator_of(const look *l, gb_estimator_type *made)
{
    *made = *l->type;
    made->draw = by_grid;
    return gb_estimator_of(made, NULL);
}

/* A draw of q, by numbers `first` to `end` of the noise. */
static gb_node drawn(look *l, const char *name, gb_dist q, int64_t first, int64_t end)
{
    static gb_estimator_type made[2];
    noise_now = gb_slice(l->noise, 1, first, end);
    return gb_draw(l->e, name, q, estimator_of(l, &made[first > 0]));
}

static gb_node number(const look *l, double x)
{
    return gb_num(l->tape, x);
}

static gb_node with_log_q(look *l, gb_node log_p, gb_node z)
{
    return gb_add(log_p, gb_draw_log_prob(l->e, z, number(l, -1)));
}

/* A draw of one number, which explains 0.7. */
static gb_node of_number(look *l, gb_dist prior)
{
    const gb_node z = drawn(l, "z", gb_normal(l->q[0], l->q[1]), 0, 1);
    const gb_node fit = gb_log_prob(gb_normal(z, number(l, 1.3)), number(l, 0.7));
    return with_log_q(l, gb_add(gb_draw_log_prior(l->e, z, prior), fit), z);
}

static gb_node with_normal(look *l)
{
    return of_number(l, gb_normal(l->prior[0], l->prior[1]));
}

static gb_node with_logistic(look *l)
{
    return of_number(l, gb_logistic(l->prior[0], l->prior[1]));
}

static gb_node with_gumbel(look *l)
{
    return of_number(l, gb_gumbel(l->prior[0], l->prior[1]));
}

static gb_node with_student(look *l)
{
    return of_number(l, gb_student_t(number(l, 5), l->prior[0], l->prior[1]));
}

static gb_node with_affine(look *l)
{
    return of_number(l, gb_transformed(gb_logistic(l->prior[0], number(l, 0.8)),
                                       gb_affine_transform(number(l, 0.2), l->prior[1])));
}

/* By its distribution function. */
static gb_node with_mixture(look *l)
{
    const gb_node weights = gb_stack(2, (const gb_node[]){l->prior[0], number(l, 0.3)}, 0);
    const gb_node scales = gb_stack(2, (const gb_node[]){l->prior[1], l->prior[2]}, 0);
    return of_number(l, gb_mixture(weights, gb_normal(number(l, 0.2), scales)));
}

/* A positive number. */
static gb_node of_positive(look *l, gb_dist prior)
{
    const gb_node z = drawn(l, "z", gb_lognormal(l->q[0], l->q[1]), 0, 1);
    const gb_node fit = gb_log_prob(gb_normal(gb_log(z), number(l, 1.3)), number(l, 0.7));
    return with_log_q(l, gb_add(gb_draw_log_prior(l->e, z, prior), fit), z);
}

static gb_node with_lognormal(look *l)
{
    return of_positive(l, gb_lognormal(l->prior[0], l->prior[1]));
}

static gb_node with_weibull(look *l)
{
    return of_positive(l, gb_weibull(l->prior[1], gb_exp(l->prior[0])));
}

static gb_node with_exp_of_normal(look *l)
{
    return of_positive(
        l, gb_transformed(gb_normal(l->prior[0], l->prior[1]), gb_exponential_transform(l->tape)));
}

/* log q counts half, and the prior a third. */
static gb_node with_weights(look *l)
{
    const gb_node z = drawn(l, "z", gb_normal(l->q[0], l->q[1]), 0, 1);
    const gb_node prior = gb_draw_log_prior(l->e, z, gb_normal(l->prior[0], l->prior[1]));
    return gb_add(gb_add(gb_scale(prior, 1. / 3), gb_log_prob(gb_normal(z, number(l, 1.3)), number(l, 0.7))),
                  gb_draw_log_prob(l->e, z, number(l, -0.5)));
}

/* ---- two numbers ---- */

static gb_node two_of(gb_node a, gb_node b)
{
    return gb_stack(2, (const gb_node[]){a, b}, 0);
}

static gb_node of_two(look *l, gb_dist prior)
{
    const gb_dist q = gb_normal(two_of(l->q[0], number(l, 0.4)), two_of(number(l, 0.8), l->q[1]));
    const gb_node z = drawn(l, "z", q, 0, 2);
    const gb_node fit = gb_log_prob(gb_normal(gb_sum(gb_sin(z)), number(l, 1.3)), number(l, 0.7));
    return with_log_q(l, gb_add(gb_sum(gb_draw_log_prior(l->e, z, prior)), fit), z);
}

static gb_node with_two_normals(look *l)
{
    return of_two(l, gb_normal(l->prior[0], two_of(l->prior[1], l->prior[2])));
}

static gb_node with_product(look *l)
{
    return of_two(l, gb_independent(gb_normal(l->prior[0], two_of(l->prior[1], l->prior[2])), 1));
}

static gb_node with_vector(look *l)
{
    const gb_node rows[] = {two_of(l->prior[1], number(l, 0)), two_of(l->prior[0], l->prior[2])};
    return of_two(l, gb_multivariate_normal(two_of(l->prior[0], number(l, 0.1)), gb_stack(2, rows, 0)));
}

/* Two layers: the prior of the lower depends on the draw of the upper, which is drawn first. */
static gb_node with_layers(look *l)
{
    const gb_node upper = drawn(l, "upper", gb_normal(l->q[0], number(l, 0.8)), 0, 1);
    const gb_node middle = gb_add(gb_scale(l->q[0], 0.5), gb_scale(upper, 0.4));
    const gb_node lower = drawn(l, "lower", gb_normal(middle, l->q[1]), 1, 2);
    const gb_node of_upper = gb_draw_log_prior(l->e, upper, gb_normal(number(l, 0), l->prior[2]));
    const gb_dist p = gb_normal(gb_mul(l->prior[0], gb_tanh(upper)), l->prior[1]);
    const gb_node of_lower = gb_draw_log_prior(l->e, lower, p);
    const gb_node fit = gb_log_prob(gb_normal(lower, number(l, 1.3)), number(l, 0.7));
    return with_log_q(l, with_log_q(l, gb_add(gb_add(of_upper, of_lower), fit), upper), lower);
}

typedef gb_node model(look *l);

/* ---- means ---- */

static void parameters(look *l)
{
    static const double start[PARAMETERS] = {0.5, 1.1, 0.9, 0.3, 0.7};
    static const char *const name[PARAMETERS] = {"a", "b", "c", "mu", "sigma"};
    for (size_t i = 0; i < PARAMETERS; i++) {
        const gb_node x = gb_widen(gb_variable(l->tape, name[i], gb_shape(), gb_fill(start[i])), GB_SAMPLES);
        *(i < PRIOR ? &l->prior[i] : &l->q[i - PRIOR]) = x;
    }
}

static gb_node weighted(gb_node each, gb_node weight, gb_node samples)
{
    return gb_sum_over(gb_mul(weight, gb_mul(each, samples)), GB_SAMPLES);
}

/* The mean and the variance of the gradient over the grid. */
static void over_grid(const gb_estimator_type *type, gb_bound bound, grid g, model *m,
                      double mean[PARAMETERS], double variance[PARAMETERS])
{
    look l = {.tape = gb_tape_new(.seed = 5, .samples = g.size, .threads = 1), .type = type};
    l.e = gb_expect_new(l.tape, .bound = bound);
    parameters(&l);
    const int64_t particles = gb_bound_particles(bound);
    const gb_node grid_of_noise =
        gb_input(l.tape, "grid", gb_shape(g.size, particles, g.dimensions / particles));
    const gb_node by = gb_input(l.tape, "by", gb_shape(g.size)), weight = gb_hide(by, GB_SAMPLES);
    l.noise = gb_hide(grid_of_noise, GB_SAMPLES);
    const gb_node value = gb_expected_bound(l.e, m(&l), gb_num(l.tape, 1));
    const gb_node in[] = {l.prior[0], l.prior[1], l.prior[2], l.q[0], l.q[1]};
    const gb_node samples = gb_axis_size(l.tape, GB_SAMPLES);
    gb_node slope[PARAMETERS], root[2 * PARAMETERS];
    gb_grads(value, in, PARAMETERS, slope);
    for (size_t i = 0; i < PARAMETERS; i++) {
        root[i] = weighted(slope[i], weight, samples);
        root[PARAMETERS + i] = weighted(gb_mul(gb_square(slope[i]), samples), weight, samples);
    }
    gb_program *const program = gb_compile(l.tape, gb_roots_of(2 * PARAMETERS, root), gb_no_update);
    feed(g, grid_of_noise, by);
    if (gb_run(program) != GB_OK)
        fail_msg("%s", gb_error_text(l.tape));
    for (size_t i = 0; i < PARAMETERS; i++) {
        mean[i] = gb_value(root[i]);
        variance[i] = gb_value(root[PARAMETERS + i]) - mean[i] * mean[i];
    }
    gb_tape_free(l.tape);
}

static const struct {
    const char *name;
    model *model;
    int64_t particles, numbers;
    double step;
} cases[] = {{"normal", with_normal, 2, 1, 0.125},     {"normal, Renyi", with_normal, -2, 1, 0.125},
             {"logistic", with_logistic, 2, 1, 0.125}, {"gumbel", with_gumbel, 2, 1, 0.125},
             {"student_t", with_student, 2, 1, 0.125}, {"affine", with_affine, 2, 1, 0.125},
             {"mixture", with_mixture, 2, 1, 0.125},   {"lognormal", with_lognormal, 2, 1, 0.125},
             {"weibull", with_weibull, 2, 1, 0.125},   {"exp of normal", with_exp_of_normal, 2, 1, 0.125},
             {"weights", with_weights, 2, 1, 0.125},   {"two normals", with_two_normals, 1, 2, 0.125},
             {"product", with_product, 1, 2, 0.125},   {"vector", with_vector, 1, 2, 0.125},
             {"layers", with_layers, 1, 2, 0.125},     {"layers, two particles", with_layers, 2, 2, 0.6}};

TEST(its_mean_is_that_of_pathwise_for_each_sort_of_prior)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double is[PARAMETERS], should[PARAMETERS], variance[PARAMETERS];
        const gb_bound bound = cases[i].particles < 0 ? gb_renyi(.alpha = 0.4, .draws = -cases[i].particles)
                                                      : gb_iwae(.draws = cases[i].particles);
        const grid g = grid_of(gb_bound_particles(bound) * cases[i].numbers, cases[i].step);
        over_grid(&gb_pathwise_estimator_type, bound, g, cases[i].model, should, variance);
        over_grid(&gb_gdreg_estimator_type, bound, g, cases[i].model, is, variance);
        const double near = cases[i].step < 0.5 ? 1e-10 : 2e-6; /* the error of the rule */
        for (size_t k = 0; k < PARAMETERS; k++)
            if (!(fabs(is[k] - should[k]) <= near))
                fail_msg("%s, parameter %zu: %.14g and not %.14g", cases[i].name, k, is[k], should[k]);
    }
    (void)t;
}

/* ---- variances ---- */

/* N(z; 0.5, 1.1) is nearly the posterior if the likelihood says little: there the score of the prior is noise
 * alone. */
static gb_node with_little_to_say(look *l)
{
    const gb_node z = drawn(l, "z", gb_normal(l->q[0], gb_shift(l->q[1], 0.3)), 0, 1);
    const gb_node fit = gb_log_prob(gb_normal(z, number(l, 4)), number(l, 0.7));
    const gb_node prior = gb_draw_log_prior(l->e, z, gb_normal(l->prior[0], l->prior[1]));
    return with_log_q(l, gb_add(prior, fit), z);
}

TEST(where_the_likelihood_says_little_its_variance_is_a_small_part)
{
    double mean[PARAMETERS], of_pathwise[PARAMETERS], is[PARAMETERS];
    const grid g = grid_of(2, 0.125);
    over_grid(&gb_pathwise_estimator_type, gb_iwae(.draws = 2), g, with_little_to_say, mean, of_pathwise);
    over_grid(&gb_gdreg_estimator_type, gb_iwae(.draws = 2), g, with_little_to_say, mean, is);
    for (size_t k = 0; k < 2; k++)
        assert_true(is[k] < 0.05 * of_pathwise[k]);
    (void)t;
}

/* ---- what is rejected ---- */

typedef struct attempt {
    gb_tape *tape;
    gb_expect *e;
    gb_node mu, scale;
} attempt;

static attempt begin(void)
{
    attempt a = {.tape = gb_tape_new(.threads = 1)};
    a.e = gb_expect_new(a.tape, .bound = gb_iwae(.draws = 3));
    a.mu = gb_variable(a.tape, "mu", gb_shape(), gb_fill(0.4));
    a.scale = gb_variable(a.tape, "scale", gb_shape(), gb_fill(0.7));
    return a;
}

static gb_node own_log_q(attempt *a, gb_node z)
{
    return gb_draw_log_prob(a->e, z, gb_num(a->tape, -1));
}

static void rejects(attempt *a, gb_node log_weight, const char *words)
{
    gb_expected_bound(a->e, log_weight, gb_num(a->tape, 1));
    assert_rejected(a->tape, GB_EARGUMENT, words);
    gb_tape_free(a->tape);
}

static void rejects_prior(attempt *a, gb_dist q, gb_dist prior, const char *words)
{
    const gb_node z = gb_draw(a->e, "z", q, gb_gdreg()), log_p = gb_draw_log_prior(a->e, z, prior);
    rejects(a, gb_add(log_p, own_log_q(a, z)), words);
}

TEST(a_prior_that_does_not_fit_is_rejected_in_words)
{
    attempt a = begin();
    const gb_node zero = gb_num(a.tape, 0);
    rejects_prior(&a, gb_normal(a.mu, a.scale), gb_skew_normal(zero, a.scale, a.mu),
                  "draw z: gdreg needs a prior with a location and a scale, or a distribution function, and "
                  "fixed ends; this prior is skew_normal (dreg fits)");
    a = begin();
    rejects_prior(&a, gb_normal(a.mu, a.scale), gb_uniform(a.mu, gb_num(a.tape, 3)), "fixed ends");
    a = begin();
    rejects_prior(&a, gb_kumaraswamy(a.mu, a.scale), gb_normal(a.mu, a.scale),
                  "gdreg needs a prior whose support is that of the posterior");
    a = begin();
    const gb_node z = gb_draw(a.e, "z", gb_normal(a.mu, a.scale), gb_gdreg());
    const gb_node after = gb_draw(a.e, "after", gb_normal(z, a.scale), gb_gdreg());
    const gb_node log_p = gb_add(gb_draw_log_prior(a.e, z, gb_normal(after, a.scale)),
                                 gb_draw_log_prior(a.e, after, gb_normal(a.mu, a.scale)));
    rejects(&a, gb_add(log_p, gb_add(own_log_q(&a, z), own_log_q(&a, after))),
            "draw z: gdreg needs a prior that does not depend on draws made from this one");
    (void)t;
}

TEST(a_draw_without_a_prior_is_rejected_in_words)
{
    attempt a = begin();
    gb_node z = gb_draw(a.e, "z", gb_normal(a.mu, a.scale), gb_gdreg());
    rejects(&a, own_log_q(&a, z), "draw z: gdreg needs its prior in the log weight by gb_draw_log_prior");
    a = begin();
    z = gb_draw(a.e, "z", gb_normal(a.mu, a.scale), gb_gdreg());
    gb_draw_log_prior(a.e, z, gb_normal(a.mu, a.scale));
    rejects(&a, own_log_q(&a, z), "and there is none (gb_latent adds it, gb_latent_block does not)");
    a = begin();
    z = gb_draw(a.e, "z", gb_normal(a.mu, a.scale), gb_gdreg());
    gb_draw_log_prior(a.e, z, gb_normal(a.mu, a.scale));
    assert_false(gb_node_ok(gb_draw_log_prior(a.e, z, gb_normal(a.mu, a.scale))));
    assert_rejected(a.tape, GB_EARGUMENT, "draw z: gb_draw_log_prior was called for it before");
    gb_tape_free(a.tape);
    a = begin();
    assert_false(gb_node_ok(gb_draw_log_prior(a.e, a.mu, gb_normal(a.mu, a.scale))));
    assert_rejected(a.tape, GB_EARGUMENT, "draw_log_prior: the node is not a draw of this expectation");
    gb_tape_free(a.tape);
    (void)t;
}

/* A latent of a gb_elbo has its prior; the gradient is that of each row. */
TEST(latents_of_an_elbo_have_their_priors)
{
    static const double rows[] = {1.2, -0.4, 0.7};
    double gradient[2];
    const gb_estimator both[] = {gb_pathwise(), gb_gdreg()};
    for (int i = 0; i < 2; i++) {
        gb_tape *const own = gb_tape_new(.seed = 3, .samples = 20000, .threads = 1);
        gb_elbo *const e = gb_elbo_new(own, .data_size = 6, .bound = gb_iwae(.draws = 3));
        const gb_node y = gb_input_rows(own, "y", gb_shape()), one = gb_num(own, 1);
        const gb_node loc = gb_variable(own, "loc", gb_shape(), gb_fill(0.3));
        const gb_node z = gb_latent(e, "z", gb_posterior_of(gb_normal(gb_scale(y, 0.2), one)),
                                    gb_normal(loc, one), both[i]);
        gb_observe(e, "y", gb_normal(z, gb_num(own, 3)), y);
        const gb_node slope = gb_grad(gb_elbo_loss(e), loc);
        gb_feed(y, rows, 3);
        assert_int_equal(gb_run(gb_compile(own, gb_roots(slope), gb_no_update)), GB_OK);
        gradient[i] = gb_value(slope);
        gb_tape_free(own);
    }
    assert_near(gradient[0], gradient[1], 0.06); /* four standard errors of pathwise */
    (void)t;
}
