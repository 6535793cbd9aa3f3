/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be read after training: moments of posteriors by name, predictions, terms by name. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "plugins/plugin.h"

enum { DRAWS = 40000, MOST = 6 };

/* Six standard errors of a mean and of a deviation, were the numbers normal; they have heavier tails at
 * times: three times as much for the deviation. By chance less than once in 10⁸ a number. */
static void assert_about(const gb_node is[2], const gb_node should[2])
{
    double got[2][MOST], known[2][MOST];
    const gb_shape shape = gb_node_shape(is[0]);
    const size_t count = gb_shape_count(shape);
    assert_fine(is[0].tape);
    gb_program *look = gb_compile(is[0].tape, gb_roots(is[0], is[1], should[0], should[1]), gb_no_update);
    gb_program_set_samples(look, DRAWS);
    assert_int_equal(gb_run(look), GB_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(gb_shape_same(gb_node_shape(is[i]), shape) &&
                    gb_shape_same(gb_node_shape(should[i]), shape));
        assert_int_equal(gb_read(is[i], got[i], count), GB_OK);
        assert_int_equal(gb_read(should[i], known[i], count), GB_OK);
    }
    for (size_t k = 0; k < count; k++) {
        const double mean = known[0][k], sd = known[1][k];
        if (fabs(got[0][k] - mean) > 6 * sd / sqrt(DRAWS) + 1e-15 * fabs(mean) ||
            fabs(got[1][k] - sd) > 18 * sd / sqrt(2.0 * DRAWS))
            fail_msg("number %zu: %g ± %g, not %g ± %g", k, got[0][k], got[1][k], mean, sd);
    }
}

static void assert_reported(gb_elbo *e, const char *name, gb_node draw)
{
    assert_about((const gb_node[]){gb_predict_mean(e, draw), gb_predict_sd(e, draw)},
                 (const gb_node[]){gb_elbo_posterior_mean(e, name), gb_elbo_posterior_sd(e, name)});
}

/* ---- posteriors ---- */

TEST(mean_and_deviation_are_those_of_the_draws)
{
    enum { CASES = 12 };
    const gb_shape shape = gb_shape(2, 3);
    for (size_t i = 0; i < CASES; i++) {
        gb_tape *const tape = test_tape(.seed = 4);
        const gb_node at = gb_constant(tape, shape, GB_VALUES(0.2, -0.4, 0.1, 0.7, -1, 0.3));
        const struct {
            gb_family family;
            bool positive;
        } cases[CASES] = {
            {gb_point(shape, .locations = at), false},
            {gb_point(shape, .locations = at), true},
            {gb_mean_field(shape, .locations = at, .scale = 0.3), false},
            {gb_mean_field(shape, .locations = at, .scale = 0.3), true},
            {gb_low_rank(shape, .rank = 2, .locations = at, .scale = 0.3), false},
            {gb_low_rank(shape, .rank = 2, .locations = at, .scale = 0.3), true},
            {gb_full_rank(shape, .locations = at, .scale = 0.3), false},
            {gb_full_rank(shape, .locations = at, .scale = 0.3), true},
            {gb_mean_field_matching(shape, .locations = at, .scale = 0.3), false},
            {gb_mean_field_matching(shape, .locations = at, .scale = 0.3), true},
            {gb_dropout_posterior(shape, .locations = at, .keep = 0.8), false},
            {gb_dropout_posterior(shape, .locations = at, .keep = 0.8, .by_unit = true), false},
        };
        const gb_node zero = gb_num(tape, 0), one = gb_num(tape, 1);
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1);
        const bool drops = cases[i].family.type == &gb_dropout_family_type;
        const gb_node w =
            gb_latent(e, "w", cases[i].family, cases[i].positive ? gb_half_normal(one) : gb_normal(zero, one),
                      drops ? gb_dropout_draws() : gb_pathwise());
        assert_true(gb_shape_same(gb_node_shape(w), shape));
        assert_reported(e, "w", w);
    }
}

TEST(a_point_is_its_value_give_or_take_nothing)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_point(gb_shape(2), .locations = gb_constant(t, gb_shape(2), GB_VALUES(1, -2))),
              gb_no_prior, gb_pathwise());
    assert_values(gb_elbo_posterior_mean(e, "w"), 1, -2);
    assert_values(gb_elbo_posterior_sd(e, "w"), 0, 0);
    assert_true(gb_elbo_posterior(e, "w").type == &gb_point_mass_type);
}

TEST(parts_of_a_block_are_reported_by_themselves)
{
    const gb_family families[] = {gb_full_rank(gb_shape(), .spread = 0.5, .scale = 0.3),
                                  gb_mean_field(gb_shape(), .spread = 0.5, .scale = 0.3),
                                  gb_point(gb_shape(), .spread = 0.5)};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        gb_tape *const tape = test_tape(.seed = 2);
        const gb_node one = gb_num(tape, 1);
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1);
        const gb_latent_part parts[] = {
            {.name = "slope", .shape = gb_shape(2, 2), .prior = gb_normal(gb_num(tape, 0), one)},
            {.name = "noise", .shape = gb_shape(2), .prior = gb_half_normal(one)},
            {.name = "share", .shape = gb_shape(3), .prior = gb_dirichlet(gb_ones(tape, gb_shape(3)))}};
        gb_node w[3];
        const gb_node all = gb_latent_block(e, "theta", families[i], 3, parts, gb_pathwise(), w);
        /* Numbers of one row depend on each other from now on. */
        if (families[i].type == &gb_full_rank_family_type) {
            double lower[64];
            for (int k = 0; k < 64; k++)
                lower[k] = 0.1 * (k % 5) - 0.2;
            assert_int_equal(gb_set(gb_variable_named(tape, "theta.lower"), gb_values_of(lower, 64)), GB_OK);
        }
        assert_reported(e, "theta.slope", w[0]);
        assert_reported(e, "theta.noise", w[1]);
        if (families[i].type == &gb_point_family_type)
            assert_reported(e, "theta.share", w[2]);
        else {
            assert_false(gb_node_ok(gb_elbo_posterior_mean(e, "theta.share")));
            assert_rejected(tape, GB_EARGUMENT, "posterior_mean: the distribution of theta.share by itself");
        }
        assert_true(gb_shape_same(gb_node_shape(gb_elbo_posterior_mean(e, "theta")), gb_node_shape(all)));
    }
}

TEST(what_has_no_formula_is_rejected)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_dist prior = gb_uniform(gb_num(t, 0), gb_num(t, 1));
    gb_latent(e, "w", gb_mean_field(gb_shape()), prior, gb_pathwise());
    assert_false(gb_node_ok(gb_elbo_posterior_sd(e, "w")));
    assert_rejected(t, GB_EARGUMENT, "posterior_sd: q of w (transformed) has no closed form; gb_predict_sd");
    assert_false(gb_node_ok(gb_elbo_posterior_mean(e, "v")));
    assert_rejected(t, GB_ENAME, "posterior_mean: there is no latent v");
    assert_false(gb_node_ok(gb_elbo_posterior_mean(e, NULL)));
    assert_rejected(t, GB_ENAME, "posterior_mean: there is no latent (NULL)");
    assert_false(gb_node_ok(gb_elbo_posterior_mean(NULL, "w")));
}

/* They can be read between steps, as often as one likes, and are those of the variables as they stand. */
TEST(numbers_are_read_as_they_stand)
{
    double mean[2], sd[2];
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_family family = gb_mean_field(gb_shape(2), .scale = 0.3, .map = GB_SCALE_EXP);
    const gb_node w = gb_latent(e, "w", family, gb_half_normal(gb_num(t, 1)), gb_pathwise());
    assert_int_equal(gb_run(gb_compile(t, gb_roots(w), gb_no_update)), GB_OK);
    for (int i = 0; i < 3; i++) {
        const double m = 0.5 * i, v = 0.09;
        assert_int_equal(gb_set(gb_variable_named(t, "w.location"), GB_VALUES(m, -m)), GB_OK);
        assert_int_equal(gb_elbo_posterior_read(e, "w", mean, sd, 2), GB_OK);
        for (int k = 0; k < 2; k++) {
            const double should = exp((k ? -m : m) + v / 2);
            assert_close(mean[k], should, 64);
            assert_close(sd[k], should * sqrt(expm1(v)), 64);
        }
    }
    assert_true(gb_elbo_posterior_read(e, "w", NULL, sd, 2) == GB_OK &&
                gb_elbo_posterior_read(e, "w", mean, NULL, 2) == GB_OK);
    assert_true(gb_elbo_posterior_read(e, "w", mean, sd, 3) != GB_OK);
    gb_forgive(t);
    assert_int_equal(gb_elbo_posterior_read(e, "w", NULL, NULL, 99), GB_EREAD);
    assert_rejected(t, GB_EREAD, "posterior_read w: it has 2 elements, not 99");
    assert_int_equal(gb_elbo_posterior_read(e, "v", mean, sd, 2), GB_ENAME);
    assert_rejected(t, GB_ENAME, "there is no latent v");
    assert_int_equal(gb_elbo_posterior_read(NULL, "w", mean, sd, 2), GB_EARGUMENT);
}

/* ---- predictions ---- */

/* b (1, 2) x + z for three rows x, with b ~ Bernoulli(0.3) and z ~ N(0.5, 0.4²): known by hand. */
static void predictions_are_right_under(const char *estimator, const char *of_z, bool row_by_row)
{
    static const double x[3] = {1, -2, 0.5};
    gb_estimator with, with_z;
    char error[200];
    assert_true(gb_estimator_parse(estimator, &with, error, sizeof error));
    assert_true(gb_estimator_parse(of_z, &with_z, error, sizeof error));
    gb_tape *const t = test_tape(.seed = 9);
    const gb_node rows = gb_input_rows(t, "x", gb_shape()), p = gb_num(t, 0.3);
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    const gb_family of_b = gb_posterior_of(gb_bernoulli(p));
    const gb_node b =
        gb_latent(e, "b", row_by_row ? gb_row_by_row(of_b) : of_b, gb_bernoulli(gb_num(t, 0.5)), with);
    const gb_node z = gb_latent(e, "z", gb_mean_field(gb_shape(), .location = 0.5, .scale = 0.4),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), with_z);
    const gb_node by = gb_mul(rows, gb_constant(t, gb_shape(2), GB_VALUES(1, 2)));
    const gb_node f = gb_add(gb_mul(b, by), z);
    const gb_node mean = gb_predict_mean(e, f), sd = gb_predict_sd(e, f);
    gb_program *look = gb_compile(t, gb_roots(mean, sd), gb_no_update);
    gb_program_set_samples(look, DRAWS);
    gb_feed(rows, x, 3);
    assert_fine(t);
    assert_int_equal(gb_run(look), GB_OK);
    double is[2][6];
    assert_true(gb_read(mean, is[0], 6) == GB_OK && gb_read(sd, is[1], 6) == GB_OK);
    const bool exact = strcmp(estimator, "enumerate") == 0 && strcmp(of_z, "pathwise") != 0;
    for (int i = 0; i < 6; i++) {
        const double factor = x[i / 2] * (1 + i % 2), m = 0.3 * factor + 0.5,
                     s = sqrt(0.21 * factor * factor + 0.16);
        if (fabs(is[0][i] - m) > (exact ? 1e-12 : 6 * s / sqrt(DRAWS)) ||
            fabs(is[1][i] - s) > (exact ? 1e-12 : 6 * s / sqrt(2.0 * DRAWS)))
            fail_msg("%s, %s: %g ± %g, not %g ± %g", estimator, of_z, is[0][i], is[1][i], m, s);
    }
}

TEST(predictions_are_right_under_every_estimator)
{
    static const char *const estimators[] = {
        "score", "vargrad",          "measure",   "arm",     "disarm",         "rebar",
        "relax", "straight_through", "enumerate", "reinmax", "sum_and_sample", "unordered_set:draws=2"};
    for (size_t i = 0; i < sizeof estimators / sizeof *estimators; i++)
        for (int row_by_row = 0; row_by_row < 2; row_by_row++) {
            predictions_are_right_under(estimators[i], "pathwise", row_by_row);
            predictions_are_right_under(estimators[i], "quadrature:nodes=3", row_by_row);
        }
}

TEST(predictions_of_what_they_cannot_be_of_are_rejected)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    const gb_node rows = gb_input_rows(t, "x", gb_shape());
    const gb_node b = gb_latent(e, "b", gb_row_by_row(gb_posterior_of(gb_bernoulli(gb_num(t, 0.3)))),
                                gb_bernoulli(gb_num(t, 0.5)), gb_enumerated());
    assert_false(gb_node_ok(gb_predict_mean(e, gb_mean_over(gb_mul(b, rows), GB_ROWS))));
    assert_rejected(t, GB_ESHAPE, "draws: draw b varies over rows, and the node does not");
    assert_false(gb_node_ok(gb_predict_sd(e, gb_less(b, rows))));
    assert_rejected(t, GB_ETYPE, "draws: this is not real");
    assert_false(gb_node_ok(gb_predict_sd(e, (gb_node){0})));
    assert_rejected(t, GB_ENODE, "draws: this is not a usable node");
    assert_false(gb_node_ok(gb_predict_mean(NULL, rows)));
}

/* ---- terms ---- */

TEST(a_term_is_found_by_its_name)
{
    size_t count;
    gb_elbo *e = gb_elbo_new(t, .data_size = 3);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    gb_latent(e, "v", gb_mean_field(gb_shape()), prior, gb_pathwise());
    gb_factor(e, "w", gb_latent(e, "u", gb_point(gb_shape()), prior, gb_pathwise()));
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    for (size_t i = 0; i < count; i++)
        assert_true(gb_node_same(gb_elbo_term_named(e, terms[i].name).value, terms[i].value));
    assert_true(gb_elbo_term_named(e, "ELBO").kind == GB_TERM_TOTAL);
    assert_false(gb_node_ok(gb_elbo_term_named(e, "KL").value));
    assert_rejected(t, GB_ENAME, "elbo: there is no term KL");
}
