/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every family where memory runs out, once or for good: an error and nothing else, and nothing lost. And where data are
 * not finite: the run fails, and no variable changes. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "models/elbo.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

/* What is tried, from its number: with a prior for it, alone or in a block. */
typedef struct trial {
    gb_family family;
    gb_dist prior;
    gb_estimator estimator;
    bool in_block;
} trial;

enum { TRIALS = 14 };

static trial trial_of(gb_tape *t, size_t which)
{
    const gb_node one = gb_num(t, 1), zero = gb_num(t, 0);
    const gb_dist real = gb_normal(zero, one), positive = gb_gamma(one, one), unit = gb_beta(one, one);
    const gb_shape two = gb_shape(2);
    const gb_estimator path = gb_pathwise(), arm = gb_dropout_draws(.mask = gb_chosen(gb_arm()));
    const gb_dist own = gb_normal(gb_variable(t, "own", two, gb_fill(0)), one);
    const trial all[TRIALS] = {
        {gb_point(two, .spread = 1), positive, path, false},
        {gb_point(gb_shape(), .spread = 1), positive, path, true},
        {gb_mean_field(two), real, path, false},
        {gb_mean_field(two, .map = GB_SCALE_EXP), unit, path, false},
        {gb_mean_field(gb_shape()), unit, path, true},
        {gb_full_rank(two), real, path, false},
        {gb_full_rank(gb_shape()), positive, path, true},
        {gb_low_rank(two), positive, path, false},
        {gb_mean_field_matching(two), positive, path, false},
        {gb_mean_field_matching(two, .unit = &gb_kumaraswamy_type), unit, path, false},
        {gb_dropout_posterior(two, .location = 0.5, .keep = 0.5), real, path, false},
        {gb_dropout_posterior(two, .location = 0.5, .keep = 0.5, .is_learned = true, .by_unit = true), real,
         arm, false},
        {gb_posterior_of(own), real, path, false},
        {gb_full_rank(gb_shape()), real, path, true},
    };
    return all[which];
}

static gb_program *program_of(gb_tape *t, size_t which, gb_node *data, gb_node *loss)
{
    const trial with = trial_of(t, which);
    gb_elbo *e = gb_elbo_new(t, .data_size = 4);
    gb_node w = {0};
    const gb_latent_part part = {.name = "w", .shape = gb_shape(2), .prior = with.prior};
    if (with.in_block)
        gb_latent_block(e, "block", with.family, 1, &part, with.estimator, &w);
    else
        w = gb_latent(e, "w", with.family, with.prior, with.estimator);
    *data = gb_input_rows(t, "x", gb_shape());
    gb_observe(e, "x", gb_normal(gb_sum(w), gb_num(t, 1)), *data);
    *loss = gb_elbo_loss(e);
    return gb_compile(t, gb_roots(*loss), gb_minimise(*loss, gb_adam()));
}

static gb_status use(size_t which, counted_memory *memory)
{
    gb_node data, loss;
    gb_tape *t = gb_tape_new(.threads = 1, .samples = 2, .memory = counted(memory));
    gb_program *p = program_of(t, which, &data, &loss);
    gb_feed(data, (const double[]){1, 2}, 2);
    gb_run(p);
    const gb_status status = gb_error(t);
    if (status != GB_OK && status != GB_ENOMEM)
        fail_msg("trial %zu: %s", which, gb_error_text(t));
    gb_tape_free(t);
    return t ? status : GB_ENOMEM;
}

static void a_family_without_memory_fails_in_words(void **state)
{
    (void)state;
    enum { TRIES = 150 };
    for (size_t which = 0; which < TRIALS; which++) {
        counted_memory all = {0};
        assert_int_equal(use(which, &all), GB_OK);
        assert_int_equal(all.outstanding, 0);
        for (size_t i = 0; i < 2 * TRIES; i++) {
            counted_memory memory = {.fail_at = 1 + all.asked * (i / 2) / TRIES, .fail_after = i % 2};
            const gb_status got = use(which, &memory);
            if (got != GB_ENOMEM)
                fail_msg("trial %zu, request %zu of %zu: %s", which, memory.fail_at, (size_t)all.asked,
                         gb_status_text(got));
            assert_int_equal(memory.outstanding, 0);
        }
    }
}

static void data_that_are_not_finite_change_nothing(void **state)
{
    (void)state;
    enum { MOST = 12, NUMBERS = 16 };
    const double bad[] = {(double)NAN, (double)INFINITY};
    for (size_t which = 0; which < 2 * TRIALS; which++) {
        gb_node data, loss, variable[MOST];
        double before[MOST][NUMBERS], after[NUMBERS];
        gb_tape *t = gb_tape_new(.threads = 1, .samples = 2);
        gb_program *p = program_of(t, which / 2, &data, &loss);
        const size_t count = gb_variables_of(loss, variable, MOST);
        assert_true(count > 0 && count <= MOST);
        gb_feed(data, (const double[]){1, 2}, 2);
        assert_int_equal(gb_run(p), GB_OK);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(gb_read(variable[i], before[i], gb_value_count(variable[i])), GB_OK);
        gb_feed(data, (const double[]){1, bad[which % 2]}, 2);
        assert_int_equal(gb_run(p), GB_ENONFINITE);
        gb_forgive(t);
        for (size_t i = 0; i < count; i++) {
            const size_t n = gb_value_count(variable[i]);
            assert_int_equal(gb_read(variable[i], after, n), GB_OK);
            assert_memory_equal(after, before[i], n * sizeof *after);
        }
        gb_feed(data, (const double[]){1, 2}, 2);
        assert_int_equal(gb_run(p), GB_OK);
        gb_tape_free(t);
    }
}

/* A scale of 0, which the range of softplus excludes but rounding does not, is told and changes nothing. */
static void a_scale_that_is_rounded_to_nothing_is_told(void **state)
{
    (void)state;
    gb_node data, loss;
    gb_tape *t = gb_tape_new(.threads = 1);
    gb_program *p = program_of(t, 2, &data, &loss);
    gb_feed(data, (const double[]){1, 2}, 2);
    gb_set(gb_variable_named(t, "w.raw_scale"), gb_fill(-1e6));
    gb_run(p);
    assert_refused(t, GB_ENONFINITE, "was made by scale_divergence");
    assert_values(gb_variable_named(t, "w.raw_scale"), -1e6, -1e6);
    gb_tape_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_family_without_memory_fails_in_words),
        cmocka_unit_test(data_that_are_not_finite_change_nothing),
        cmocka_unit_test(a_scale_that_is_rounded_to_nothing_is_told),
    };
    return cmocka_run_group_tests_name("models/family_failures", tests, NULL, NULL);
}
