/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELBO with other estimators: it trains as a model that was recorded with these. */
#include <stdio.h>

#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/networks.h"
#include "models/swap.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { ROWS = 8, STEPS = 12 };
static const double X[ROWS] = {0.5, 1.2, -0.7, 0.9, -1.4, 0.3, 2.0, -0.2};
static const double Y[ROWS] = {0, 1, 0, 1, 0, 0, 1, 1};

/* What a model is recorded with: of its first draw, and of all others. */
typedef struct choice {
    gb_estimator first, others;
    gb_bound bound;
} choice;

static gb_node rows(gb_tape *t, const char *name, const double *values)
{
    const gb_node input = gb_input_rows(t, name, gb_shape());
    gb_feed(input, values, ROWS);
    return input;
}

/* ---- models ---- */

static gb_elbo *normals(gb_tape *t, const choice *c)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 4, .bound = c->bound);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), x = rows(t, "x", X), y = rows(t, "y", Y);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(2), .scale = 0.5), gb_normal(zero, one), c->first);
    const gb_node mean = gb_slice(w, 0, 0, 1);
    const gb_node b = gb_latent(e, "b", gb_mean_field(gb_shape(1)),
                                gb_normal(gb_reshape(mean, gb_shape(1)), one), c->others);
    const gb_node logit = gb_add(gb_mul(gb_sum(gb_slice(w, 0, 1, 2)), x), gb_sum(b));
    gb_observe(e, "y", gb_bernoulli_logits(logit), y);
    return e;
}

/* A positive latent, whose KL is sampled; and no prior. */
static gb_elbo *priors(gb_tape *t, const choice *c)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 2, .kl_weight = gb_num(t, 0.7));
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), y = rows(t, "y", Y);
    const gb_node s = gb_latent(e, "s", gb_mean_field(gb_shape()), gb_half_normal(one), c->first);
    const gb_node m = gb_latent(e, "m", gb_full_rank(gb_shape(2)), gb_no_prior, c->others);
    gb_prior(e, "m's", gb_student_t(gb_num(t, 4), zero, s), m);
    gb_observe(e, "y", gb_normal(gb_sum(m), s), y);
    return e;
}

/* Blocks: priors of one kind, of several, and none. */
static gb_elbo *blocks(gb_tape *t, const choice *c)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 2);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), y = rows(t, "y", Y), x = rows(t, "x", X);
    const gb_latent_part alike[] = {{.name = "a", .shape = gb_shape(), .prior = gb_normal(zero, one)},
                                    {.name = "b", .shape = gb_shape(2), .prior = gb_normal(one, one)}},
                         mixed[] = {{.name = "c", .shape = gb_shape(), .prior = gb_normal(zero, one)},
                                    {.name = "d", .shape = gb_shape(), .prior = gb_half_normal(one)}},
                         flat[] = {{.name = "f", .shape = gb_shape(), .prior = gb_no_prior}};
    gb_node of_alike[2], of_mixed[2], of_flat[1];
    gb_latent_block(e, "alike", gb_full_rank(gb_shape()), 2, alike, c->first, of_alike);
    gb_latent_block(e, "mixed", gb_mean_field(gb_shape()), 2, mixed, c->others, of_mixed);
    gb_latent_block(e, "flat", gb_mean_field(gb_shape()), 1, flat, c->first, of_flat);
    gb_prior(e, "f's", gb_normal(of_mixed[0], one), of_flat[0]);
    const gb_node mean = gb_add(gb_mul(gb_add(of_alike[0], of_flat[0]), x), gb_sum(of_alike[1]));
    gb_observe(e, "y", gb_normal(mean, of_mixed[1]), y);
    return e;
}

/* Choices in each row, whose q is made from the data; and what they depend on. */
static gb_elbo *choices(gb_tape *t, const choice *c)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 3, .bound = c->bound);
    const gb_node y = rows(t, "y", Y), x = rows(t, "x", X), one = gb_num(t, 1);
    const gb_node slope = gb_variable(t, "slope", gb_shape(2), GB_VALUES(0.3, -0.2)),
                  level = gb_variable(t, "level", gb_shape(2), GB_VALUES(0.5, 1.5));
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), one), c->others);
    const gb_node z = gb_latent(e, "z", gb_posterior_of(gb_bernoulli_logits(gb_mul(slope, y))),
                                gb_bernoulli(gb_constant(t, gb_shape(2), GB_VALUES(0.4, 0.6))), c->first);
    gb_observe(e, "y", gb_normal(gb_add(gb_dot(level, z), gb_mul(w, x)), one), y);
    return e;
}

/* Layers with noise of their own, and dropout. */
static gb_elbo *layers(gb_tape *t, const choice *c)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 2);
    const gb_node y = rows(t, "y", Y), x = rows(t, "x", X), zero = gb_num(t, 0), one = gb_num(t, 1);
    gb_lazy *const w = gb_latent_lazy(e, "w", gb_mean_field(gb_shape(1, 3)), gb_normal(zero, one), c->first);
    gb_lazy *const v = gb_latent_lazy(e, "v", gb_mean_field(gb_shape(3, 1)),
                                      gb_student_t(gb_num(t, 5), zero, one), c->others);
    const gb_node h = gb_tanh(gb_lazy_affine(gb_reshape(x, gb_shape(1)), w, NULL, GB_NOISE_LOCAL));
    const gb_node f = gb_lazy_affine(h, v, NULL, GB_NOISE_FLIPOUT);
    gb_observe(e, "y", gb_normal(gb_sum(f), one), y);
    return e;
}

static gb_elbo *dropped(gb_tape *t, const choice *c)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 2);
    const gb_node y = rows(t, "y", Y), x = rows(t, "x", X), zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_node w =
        gb_latent(e, "w", gb_dropout_posterior(gb_shape(3), .location = 0.4, .keep = 0.7, .is_learned = true),
                  gb_normal(zero, one), c->first);
    const gb_node b = gb_latent(e, "b", gb_mean_field(gb_shape()), gb_normal(zero, one), c->others);
    gb_observe(e, "y", gb_normal(gb_add(gb_mul(gb_sum(w), x), b), one), y);
    return e;
}

/* ---- both ways ---- */

typedef gb_elbo *model(gb_tape *t, const choice *c);

static const gb_fit_options TRAINING = {.size = sizeof(gb_fit_options), .steps = STEPS};

static void train(gb_elbo *e)
{
    gb_fit_options o = TRAINING;
    o.optimiser = gb_adam(.lr = 0.05);
    const gb_fit_result r = gb_fit_with(e, &o);
    assert_int_equal(r.status, GB_OK);
}

/* Every variable of `plain` has the same values in the other one, up to the order of sums; what is learned is
 * NAME.other.PART there. */
static void assert_same_variables(gb_tape *plain, gb_tape *swapped)
{
    gb_node mine[64];
    double a[64], b[64];
    const size_t count = gb_tape_variables(plain, mine, 64);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        const char *const own = gb_variable_name(mine[i]), *const dot = strchr(own, '.');
        const size_t elements = gb_shape_count(gb_node_shape(mine[i]));
        snprintf(name, sizeof name, "%s", own);
        if (dot && !gb_tape_has_variable(swapped, name))
            snprintf(name, sizeof name, "%.*s.other%s", (int)(dot - own), own, dot);
        assert_true(elements <= 64);
        assert_int_equal(gb_read(mine[i], a, elements), GB_OK);
        assert_int_equal(gb_read(gb_variable_named(swapped, name), b, elements), GB_OK);
        for (size_t k = 0; k < elements; k++)
            if (!(fabs(a[k] - b[k]) <= 1e-11 * (1 + fabs(a[k]))))
                fail_msg("%s[%zu] is %.17g, not %.17g", name, k, b[k], a[k]);
    }
}

typedef struct pair {
    const char *name;
    model *record;
    gb_estimator (*from_first)(void), (*from_others)(void), (*first)(void), (*others)(void);
    const char *swapped; /* the draw whose estimator becomes `first`, after all became `others`; NULL: all */
    bool has_bound;
} pair;

#define ESTIMATOR(name, ...)                                                                                 \
    static gb_estimator name(void)                                                                           \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }
ESTIMATOR(pathwise, gb_pathwise())
ESTIMATOR(score, gb_score())
ESTIMATOR(with_mean, gb_score(.baseline = gb_moving_average()))
ESTIMATOR(with_others, gb_score(.baseline = gb_leave_one_out()))
ESTIMATOR(fitted, gb_score(.baseline = gb_fitted()))
ESTIMATOR(landing, gb_sticking_the_landing())
ESTIMATOR(measure, gb_measure_valued())
ESTIMATOR(quadrature, gb_quadrature(.nodes = 5))
ESTIMATOR(enumerated, gb_enumerated())
ESTIMATOR(disarm, gb_disarm())
ESTIMATOR(arm, gb_arm())
ESTIMATOR(rebar, gb_rebar(.learn = true))
ESTIMATOR(relax, gb_relax())
ESTIMATOR(relaxed, gb_relaxed_draws())
ESTIMATOR(dreg, gb_dreg())
ESTIMATOR(vimco, gb_vimco())
ESTIMATOR(of_masks, gb_dropout_draws(.mask = gb_disarm()))
ESTIMATOR(of_relaxed_masks, gb_dropout_draws(.mask = gb_relaxed_draws()))

static const pair pairs[] = {
    {"pathwise to score", normals, pathwise, pathwise, score, score, NULL, false},
    {"score to pathwise", normals, score, score, pathwise, pathwise, NULL, false},
    {"to one with a learned baseline", normals, pathwise, pathwise, with_mean, with_mean, NULL, false},
    {"from one with a learned baseline", normals, fitted, with_mean, pathwise, pathwise, NULL, false},
    {"one draw of two", normals, pathwise, pathwise, with_others, pathwise, "w", false},
    {"a sampled divergence", normals, pathwise, pathwise, landing, landing, NULL, false},
    {"an exact divergence", normals, landing, landing, pathwise, pathwise, NULL, false},
    {"probes", normals, pathwise, pathwise, measure, measure, NULL, false},
    {"from probes", normals, measure, measure, pathwise, pathwise, NULL, false},
    {"weights and probes", normals, pathwise, pathwise, measure, quadrature, "w", false},
    {"from weights", normals, quadrature, measure, score, score, NULL, false},
    {"a bound", normals, pathwise, pathwise, dreg, dreg, NULL, true},
    {"a bound by values", normals, dreg, dreg, vimco, vimco, NULL, true},
    {"priors", priors, pathwise, pathwise, score, score, NULL, false},
    {"priors, sampled", priors, pathwise, pathwise, landing, landing, NULL, false},
    {"priors, from sampled", priors, landing, landing, score, pathwise, "s", false},
    {"blocks", blocks, pathwise, pathwise, score, score, NULL, false},
    {"blocks, sampled", blocks, pathwise, pathwise, landing, landing, NULL, false},
    {"blocks, from sampled", blocks, landing, landing, pathwise, pathwise, NULL, false},
    {"rows, enumerated", choices, disarm, pathwise, enumerated, pathwise, "z", false},
    {"rows, from enumerated", choices, enumerated, pathwise, disarm, pathwise, "z", false},
    {"rows, rebar", choices, disarm, pathwise, rebar, pathwise, "z", false},
    {"rows, relax", choices, arm, score, relax, pathwise, "z", false},
    {"rows, relaxed", choices, disarm, pathwise, relaxed, pathwise, "z", false},
    {"rows, from relaxed", choices, relaxed, pathwise, arm, pathwise, "z", false},
    {"rows, a bound", choices, with_others, pathwise, disarm, pathwise, "z", true},
    {"layers", layers, pathwise, pathwise, score, pathwise, "w", false},
    {"dropout", dropped, of_masks, pathwise, of_relaxed_masks, pathwise, "w", false},
    {"dropout, one beside it", dropped, of_masks, pathwise, of_masks, score, "w", false},
};

static gb_bound bound_of(const pair *p)
{
    return p->has_bound ? gb_iwae(.draws = 3) : gb_evidence_bound();
}

TEST_EACH(trains_like_one_recorded_so, pairs, .threads = 1, .seed = 5)
{
    const pair *const p = row;
    gb_tape *const other = test_tape(.threads = 1, .seed = 5);
    const choice plain = {p->first(), p->others(), bound_of(p)},
                 from = {p->from_first(), p->from_others(), bound_of(p)};
    train(p->record(t, &plain));
    const gb_swap swaps[] = {{.estimator = p->others()}, {.latent = p->swapped, .estimator = p->first()}};
    gb_elbo *const e = p->record(other, &from);
    const size_t first = p->record == dropped; /* there none fits both */
    if (first) {
        const gb_swap own[] = {{.latent = "b", .estimator = p->others()}, swaps[1]};
        train(gb_elbo_swapped(e, "other", 2, own));
    } else if (p->record == choices) {
        const gb_swap own[] = {{.latent = "w", .estimator = p->others()}, swaps[1]};
        train(gb_elbo_swapped(e, "other", 2, own));
    } else
        train(gb_elbo_swapped(e, "other", 2, swaps));
    assert_string_equal(gb_error_text(other), "");
    assert_same_variables(t, other);
}

/* The ELBO that is recorded again stays as it was. */
TEST_EACH(leaves_the_first_alone, pairs, .threads = 1, .seed = 5)
{
    const pair *const p = row;
    gb_tape *const other = test_tape(.threads = 1, .seed = 5);
    const choice from = {p->from_first(), p->from_others(), bound_of(p)};
    train(p->record(t, &from));
    gb_elbo *const e = p->record(other, &from);
    assert_non_null(gb_elbo_swapped(e, "other", 0, NULL));
    train(e);
    assert_same_variables(t, other);
}
