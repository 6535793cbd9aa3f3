/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every family with every optimiser: what does not go together is rejected in words. What does is
 * trained where memory runs out, once or for good, and where data are not finite: an error and
 * nothing else, variables and moments as the last good step left them, and when all is well again the
 * training goes on as if nothing had been. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

/* ---- families: with a prior for each, alone or in a block ---- */

typedef struct posterior {
    gb_family family;
    gb_dist prior;
    gb_estimator estimator;
    unsigned traits;
} posterior;

enum {
    IN_BLOCK = 1,
    NORMAL = 2,  /* a loss without noise is within reach: of a point, or by quadrature */
    NATURAL = 4, /* the natural gradient knows it */
    LOW_RANK = 8 /* … and says why it does not */
};

enum { A_MEAN_FIELD = 2, POSTERIORS = 23 };

static gb_node outputs(const gb_slot *slot, void *user)
{
    (void)user;
    return gb_part_variable(slot->tape, slot->name, "outputs", gb_shape(2 * gb_slot_count(slot)), 0.1);
}

static posterior posterior_of(gb_tape *t, size_t which)
{
    const gb_node one = gb_num(t, 1), zero = gb_num(t, 0);
    const gb_dist real = gb_normal(zero, one), positive = gb_gamma(one, one), unit = gb_beta(one, one);
    const gb_shape two = gb_shape(2), number = gb_shape();
    const gb_estimator path = gb_pathwise(), arm = gb_dropout_draws(.mask = gb_arm());
    const gb_dist own = gb_normal(gb_variable(t, "own", two, gb_fill(0)), one);
    const posterior all[POSTERIORS] = {
        {gb_point(two, .spread = 1), positive, path, NORMAL},
        {gb_point(number, .spread = 1), positive, path, IN_BLOCK | NORMAL},
        {gb_mean_field(two), real, path, NORMAL | NATURAL},
        {gb_mean_field(two, .map = GB_SCALE_EXP), unit, path, NORMAL | NATURAL},
        {gb_mean_field(number), unit, path, IN_BLOCK | NORMAL | NATURAL},
        {gb_full_rank(two), real, path, NORMAL | NATURAL},
        {gb_full_rank(number), positive, path, IN_BLOCK | NORMAL | NATURAL},
        {gb_full_rank(number), real, path, IN_BLOCK | NORMAL | NATURAL},
        {gb_low_rank(two), positive, path, LOW_RANK},
        {gb_mean_field_matching(two), positive, path, 0},
        {gb_mean_field_matching(two, .unit = GB_MATCHING_KUMARASWAMY), unit, path, 0},
        {gb_dropout_posterior(two, .location = 0.5, .keep = 0.5), real, path, 0},
        {gb_dropout_posterior(two, .location = 0.5, .keep = 0.5, .is_learned = true, .by_unit = true), real,
         arm, 0},
        {gb_posterior_of(own), real, path, NORMAL},
        {gb_ensemble(two, .spread = 1, .members = 2), positive, path, NORMAL},
        {gb_planar(two, .layers = 1), real, path, 0},
        {gb_coupling(number, .layers = 2, .hidden = 2), positive, path, IN_BLOCK},
        {gb_spline(two, .layers = 2, .hidden = 2, .bins = 2), real, path, 0},
        {gb_autoregressive(two, .layers = 2, .hidden = 2), real, path, 0},
        {gb_mixture_posterior(two, .components = 2), positive, gb_components(), 0},
        {gb_banded(number, .band = 2), real, path, IN_BLOCK},
        {gb_low_rank(two, .blocks = 2), real, path, LOW_RANK},
        {gb_amortised(two, .network = outputs), positive, path, 0},
    };
    return all[which];
}

static unsigned traits_of(size_t which)
{
    gb_tape *const t = test_tape();
    const unsigned traits = posterior_of(t, which).traits;
    return traits;
}

/* ---- optimisers: each as it comes, then those with more to remember ---- */

enum { MOST_OPTIMISERS = 16 };

static size_t optimisers_of(gb_optimiser optimiser[MOST_OPTIMISERS])
{
    size_t types, count = 0;
    const gb_optimiser_type *const *const all = gb_optimisers(&types);
    const gb_optimiser more[] = {gb_sgd(.momentum = 0.9), gb_sgd(.momentum = 0.9, .nesterov = true),
                                 gb_rmsprop(.centred = true, .momentum = 0.9), gb_natural(.others = 1)};
    assert_true(types + sizeof more / sizeof *more <= MOST_OPTIMISERS);
    for (size_t i = 0; i < types; i++)
        optimiser[count++] = gb_optimiser_of(all[i], NULL);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        optimiser[count++] = more[i];
    return count;
}

static bool takes_any_variable(const gb_optimiser *optimiser)
{
    gb_option_block block;
    const gb_natural_options *const natural = gb_options_unpack(optimiser->type, &optimiser->options, &block);
    return optimiser->type != &gb_natural_optimiser_type || natural->others > 0;
}

/* ---- the two together ---- */

typedef struct pair {
    size_t posterior;
    gb_optimiser optimiser;
} pair;

/* What is documented to reject the two together; NULL: nothing does. */
static const char *rejection_of(const pair *p)
{
    const unsigned traits = traits_of(p->posterior);
    if (p->optimiser.type == &gb_lbfgs_optimiser_type && !(traits & NORMAL))
        return "lbfgs: the loss depends on noise (";
    if (!takes_any_variable(&p->optimiser) && !(traits & NATURAL))
        return traits & LOW_RANK
                   ? " belongs to a normal of low rank, for which no step is known"
                   : " has no metric: it does not belong to a normal NAME.location, NAME.raw_scale or ";
    return NULL;
}

typedef struct training {
    gb_tape *t;
    gb_elbo *e;
    gb_node data;
    gb_program *step;
} training;

static gb_estimator estimator_for(const posterior *q, const gb_optimiser *optimiser)
{
    const bool needs_no_noise = optimiser->type == &gb_lbfgs_optimiser_type;
    return needs_no_noise && (q->traits & NORMAL) ? gb_quadrature(.nodes = 3) : q->estimator;
}

/* The sum of two numbers, which data are seen of. */
static training elbo_of(gb_tape *t, const pair *p)
{
    const posterior q = posterior_of(t, p->posterior);
    const gb_estimator estimator = estimator_for(&q, &p->optimiser);
    const gb_latent_part part = {.name = "w", .shape = gb_shape(2), .prior = q.prior};
    training r = {.t = t, .e = gb_elbo_new(t, .data_size = 4)};
    gb_node w = {0};
    if (q.traits & IN_BLOCK)
        gb_latent_block(r.e, "block", q.family, 1, &part, estimator, &w);
    else
        w = gb_latent(r.e, "w", q.family, q.prior, estimator);
    r.data = gb_input_rows(t, "x", gb_shape());
    gb_observe(r.e, "x", gb_normal(gb_sum(w), gb_num(t, 1)), r.data);
    return r;
}

static training training_of(gb_tape *t, const pair *p)
{
    training r = elbo_of(t, p);
    const gb_node loss = gb_elbo_loss(r.e);
    r.step = gb_compile(t, gb_roots(loss), gb_minimise(loss, p->optimiser, .average = true));
    return r;
}

static gb_tape *new_tape(gb_memory memory)
{
    return gb_tape_new(.seed = 2, .threads = 1, .samples = 2, .memory = memory);
}

static const double GOOD = 2;

static void feed(const training *r, double last)
{
    gb_feed(r->data, (const double[]){1, last}, 2);
}

/* ---- what is trained: the variables, moments and averages, bit for bit ---- */

enum { ROOM = 1024 };
typedef struct snapshot {
    size_t count;
    double value[ROOM];
} snapshot;

static void read_state(const training *r, snapshot *now)
{
    enum { MOST = 64 };
    gb_node variable[MOST];
    const size_t count = gb_tape_variables(r->t, variable, MOST);
    assert_true(count > 0 && count <= MOST);
    now->count = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = gb_shape_count(gb_node_shape(variable[i]));
        assert_true(now->count + n <= ROOM);
        memcpy(now->value + now->count, gb_variable_data(variable[i]), n * sizeof(double));
        now->count += n;
    }
}

static void assert_state(const training *r, const pair *p, const snapshot *should, const char *when)
{
    static snapshot now;
    read_state(r, &now);
    if (now.count != should->count || memcmp(now.value, should->value, now.count * sizeof(double)) != 0)
        fail_msg("posterior %zu, %s: another state %s", p->posterior, p->optimiser.type->name, when);
}

enum { STEPS = 3, BAD_STEP = 2 };
static snapshot expected[STEPS + 1];

/* Fills `expected`, and gives how often memory is asked for. */
static size_t expect(const pair *p)
{
    counted_memory memory = {0};
    const training r = training_of(new_tape(counted(&memory)), p);
    feed(&r, GOOD);
    for (size_t i = 0; i <= STEPS; i++) {
        read_state(&r, &expected[i]);
        gb_run(r.step);
    }
    assert_fine(r.t);
    if (memcmp(expected[1].value, expected[2].value, sizeof expected[1].value) == 0)
        fail_msg("posterior %zu, %s: nothing is trained", p->posterior, p->optimiser.type->name);
    gb_tape_free(r.t);
    assert_int_equal(memory.outstanding, 0);
    return memory.asked;
}

/* Calls `check` for all pairs that go together. */
static void for_each_pair(void (*check)(const pair *p, size_t number))
{
    gb_optimiser optimiser[MOST_OPTIMISERS];
    const size_t optimisers = optimisers_of(optimiser);
    for (size_t i = 0; i < POSTERIORS * optimisers; i++) {
        const pair p = {i / optimisers, optimiser[i % optimisers]};
        if (!rejection_of(&p))
            check(&p, i);
    }
}

/* ---- all of them, and what is rejected ---- */

static const gb_family_type *type_of(size_t which)
{
    gb_tape *const t = test_tape();
    const gb_family_type *const type = posterior_of(t, which).family.type;
    return type;
}

TEST(every_family_is_among_them)
{
    size_t count;
    const gb_family_type *const *const all = gb_families(&count);
    for (size_t i = 0; i < count; i++) {
        size_t which = 0;
        while (which < POSTERIORS && type_of(which) != all[i])
            which++;
        if (which == POSTERIORS)
            fail_msg("family %s is not among those that are tried", all[i]->name);
    }
}

TEST(what_does_not_go_together_is_rejected_in_words)
{
    gb_optimiser optimiser[MOST_OPTIMISERS];
    const size_t optimisers = optimisers_of(optimiser);
    for (size_t i = 0; i < POSTERIORS * optimisers; i++) {
        const pair p = {i / optimisers, optimiser[i % optimisers]};
        const training r = training_of(new_tape((gb_memory){0}), &p);
        const char *const words = rejection_of(&p);
        if (words) {
            assert_null(r.step);
            assert_rejected(r.t, GB_EARGUMENT, words);
        }
        if (gb_error(r.t) != GB_OK)
            fail_msg("posterior %zu, %s: %s", p.posterior, p.optimiser.type->name, gb_error_text(r.t));
        gb_tape_free(r.t);
    }
}

/* ---- out of memory ---- */

static size_t steps_until_failure(const training *r)
{
    size_t done = 0;
    while (done < STEPS && gb_run(r->step) == GB_OK)
        done++;
    return done;
}

static void go_on(training *r, const pair *p, size_t done)
{
    gb_forgive(r->t);
    if (!r->step) { /* not all is recorded: from the start again */
        gb_tape_reset(r->t);
        *r = training_of(r->t, p);
    }
    feed(r, GOOD);
    assert_state(r, p, &expected[done], "after the error");
    while (done++ < STEPS)
        assert_int_equal(gb_run(r->step), GB_OK);
    assert_state(r, p, &expected[STEPS], "at the end, after an error");
    assert_fine(r->t);
}

static void fail_at(const pair *p, size_t request, bool and_after)
{
    counted_memory memory = {.fail_at = request, .fail_after = and_after};
    gb_tape *const t = new_tape(counted(&memory));
    if (t) {
        training r = training_of(t, p);
        feed(&r, GOOD);
        const size_t done = steps_until_failure(&r);
        if (gb_error(t) != GB_ENOMEM || !strstr(gb_error_text(t), "out of memory"))
            fail_msg("posterior %zu, %s, request %zu: \"%s\"", p->posterior, p->optimiser.type->name, request,
                     gb_error_text(t));
        memory.fail_at = 0;
        go_on(&r, p, done);
    }
    gb_tape_free(t);
    assert_int_equal(memory.outstanding, 0);
}

/* Of the requests of each pair every so manieth, from another one on for each. */
static void fail_now_and_then(const pair *p, size_t number)
{
    enum { TRIES = 40 };
    const size_t asked = expect(p), every = 1 + asked / TRIES;
    for (size_t request = 1 + number % every; request <= asked; request += every) {
        fail_at(p, request, false);
        fail_at(p, request, true);
    }
}

TEST(memory_that_runs_out_stops_a_training_that_can_go_on)
{
    for_each_pair(fail_now_and_then);
}

/* ---- data that are not finite ---- */

static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
enum { BADS = sizeof bad / sizeof *bad };

static void assert_stopped(const training *r)
{
    assert_non_null(strstr(gb_error_text(r->t), "run: step 2: ")); /* BAD_STEP */
    assert_non_null(strstr(gb_error_text(r->t), "observe x: row 1 is "));
    assert_rejected(r->t, GB_ENONFINITE, "no variable was changed");
}

static void run_on_bad_data(const pair *p, size_t number)
{
    (void)number;
    expect(p);
    const training r = training_of(new_tape((gb_memory){0}), p);
    for (size_t step = 0; step < STEPS; step++) {
        for (size_t i = 0; step == BAD_STEP && i < BADS; i++) {
            feed(&r, bad[i]);
            assert_int_equal(gb_run(r.step), GB_ENONFINITE);
            assert_stopped(&r);
            assert_int_equal(gb_program_step(r.step), BAD_STEP);
            assert_state(&r, p, &expected[BAD_STEP], "after bad data");
        }
        feed(&r, GOOD);
        assert_int_equal(gb_run(r.step), GB_OK);
    }
    assert_state(&r, p, &expected[STEPS], "at the end, after bad data");
    gb_tape_free(r.t);
}

TEST(data_that_are_not_finite_change_nothing)
{
    for_each_pair(run_on_bad_data);
}

static gb_fit_result fit(const training *r, const pair *p, int64_t steps)
{
    return gb_fit(r->e, .optimiser = p->optimiser, .steps = steps, .part_of_data = true); /* 2 rows of 4 */
}

static training fitted(const pair *p, int64_t steps)
{
    const training r = elbo_of(new_tape((gb_memory){0}), p);
    feed(&r, GOOD);
    assert_int_equal(fit(&r, p, steps).end, GB_FIT_STEPS);
    return r;
}

static void fit_with_bad_data(const pair *p, size_t number)
{
    static snapshot last_good, end;
    if (p->optimiser.type == &gb_lbfgs_optimiser_type)
        return; /* to it a loss that is not finite is the end of a step that was too long: see below */
    const training whole = fitted(p, BAD_STEP), r = fitted(p, BAD_STEP);
    read_state(&whole, &last_good);
    assert_int_equal(fit(&whole, p, STEPS - BAD_STEP).end, GB_FIT_STEPS);
    read_state(&whole, &end);

    feed(&r, bad[number % BADS]);
    const gb_fit_result result = fit(&r, p, STEPS - BAD_STEP);
    assert_int_equal(result.end, GB_FIT_ERROR);
    assert_int_equal(result.status, GB_ENONFINITE);
    assert_int_equal(result.steps, 0);
    assert_stopped(&r);
    assert_state(&r, p, &last_good, "after a fit to bad data");
    feed(&r, GOOD);
    assert_int_equal(fit(&r, p, STEPS - BAD_STEP).end, GB_FIT_STEPS);
    assert_state(&r, p, &end, "after a fit went on from bad data");
    gb_tape_free(whole.t);
    gb_tape_free(r.t);
}

TEST(a_fit_to_data_that_are_not_finite_can_go_on)
{
    for_each_pair(fit_with_bad_data);
}

/* When data are good again it finds the same optimum. */
static void lbfgs_shortens_its_step_in_vain_before(double data)
{
    const pair p = {.posterior = A_MEAN_FIELD, .optimiser = gb_lbfgs()};
    const training whole = fitted(&p, 100), r = fitted(&p, BAD_STEP);
    feed(&r, data);
    const gb_fit_result few = fit(&r, &p, 5);
    assert_int_equal(few.end, GB_FIT_STEPS);
    assert_true(isnan(few.last.elbo) && isnan(few.last.error));
    const gb_fit_result result = fit(&r, &p, 100);
    assert_true(result.end == GB_FIT_ERROR && result.steps > 20 && result.steps < 50);
    assert_rejected(r.t, GB_ENONFINITE, "no variable was changed");

    feed(&r, GOOD);
    assert_int_equal(fit(&r, &p, 100).end, GB_FIT_STEPS);
    assert_true(fabs(fit(&r, &p, 1).last.elbo - fit(&whole, &p, 1).last.elbo) < 1e-9);
    gb_tape_free(whole.t);
    gb_tape_free(r.t);
}

TEST(lbfgs_shortens_its_step_in_vain_before_bad_data_end_a_fit)
{
    for (size_t i = 0; i < BADS; i++)
        lbfgs_shortens_its_step_in_vain_before(bad[i]);
}

/* The range of softplus excludes a scale of 0, but rounding does not. A run with it is rejected, and changes
 * nothing. */
TEST(a_scale_that_is_rounded_to_nothing_is_reported)
{
    const pair p = {.posterior = A_MEAN_FIELD, .optimiser = gb_adam()};
    const training r = training_of(new_tape((gb_memory){0}), &p);
    feed(&r, GOOD);
    gb_set(gb_variable_named(r.t, "w.raw_scale"), gb_fill(-1e6));
    gb_run(r.step);
    assert_rejected(r.t, GB_ENONFINITE, "was made by scale_divergence");
    assert_values(gb_variable_named(r.t, "w.raw_scale"), -1e6, -1e6);
    gb_tape_free(r.t);
}
