/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers: what they compute, how they start, what dropout and ensembles are, and that networks learn. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/networks.h"
#include "models/scratch.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/patches.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

enum { ROWS = 3, IN = 2, UNITS = 4, KINDS = 4 };
static const double xs[ROWS][IN] = {{1, -0.5}, {0.3, 2}, {-1.2, 0.7}};
static const gb_noise_sharing kinds[KINDS] = {GB_NOISE_SHARED, GB_NOISE_LOCAL, GB_NOISE_FLIPOUT,
                                              GB_NOISE_WEIGHTS};

static gb_node inputs(gb_tape *t)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape(IN));
    gb_feed(x, &xs[0][0], ROWS);
    return x;
}

static void read_node(gb_node node, double *values)
{
    assert_fine(node.tape);
    gb_run(gb_compile(node.tape, gb_roots(node), gb_no_update));
    assert_int_equal(gb_read(node, values, gb_value_count(node)), GB_OK);
}

static double softplus(double x)
{
    return log1p(exp(x));
}

/* ---- parts ---- */

TEST(activations_are_found_by_name)
{
    static const double at[] = {-1.5, 0.7};
    size_t count;
    const char *const *const names = gb_activations(&count);
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_values_of(at, 2));
    for (size_t i = 0; i < count; i++)
        assert_true(gb_node_ok(gb_activate(x, names[i])));
    for (int k = 0; k < 2; k++) {
        const double z = at[k], half = erfc(-z / sqrt(2)) / 2;
        const struct {
            const char *name;
            double should;
        } known[] = {{"identity", z},
                     {"relu", fmax(z, 0)},
                     {"leaky_relu", z > 0 ? z : 0.01 * z},
                     {"elu", z > 0 ? z : expm1(z)},
                     {"gelu", z * half},
                     {"silu", z / (1 + exp(-z))},
                     {"softplus", softplus(z)},
                     {"tanh", tanh(z)},
                     {"sigmoid", 1 / (1 + exp(-z))},
                     {"sin", sin(z)}};
        assert_int_equal(count, sizeof known / sizeof *known);
        for (size_t i = 0; i < count; i++)
            assert_close(gb_value(gb_at(gb_activate(x, known[i].name), k)), known[i].should, 8);
    }
    assert_fine(t);
}

TEST(layer_norm_has_mean_0_and_variance_1)
{
    double value[ROWS * IN];
    read_node(gb_layer_norm(inputs(t)), value);
    for (int i = 0; i < ROWS; i++) {
        const double half = (xs[i][0] - xs[i][1]) / 2, sd = sqrt(half * half + 1e-5);
        assert_close(value[IN * i], half / sd, 8);
        assert_close(value[IN * i + 1], -half / sd, 8);
    }
}

TEST(a_head_splits_into_mean_and_scale)
{
    const gb_node f = gb_variable(t, "f", gb_shape(4), GB_VALUES(1, -2, 0.5, -3));
    const gb_head h = gb_head_of(f, 0.01);
    assert_values(h.mean, 1, -2);
    assert_close(gb_value(gb_at(h.scale, 0)), 0.01 + softplus(0.5), 8);
    assert_close(gb_value(gb_at(h.scale, 1)), 0.01 + softplus(-3), 8);
}

/* ---- dense layers ---- */

/* relu(x·w + b) of points, by hand. */
TEST(a_dense_layer_is_an_activation_of_a_weighted_sum)
{
    const double w[IN][UNITS] = {{1, -2, 0.5, 0}, {0.3, 0.1, -1, 2}}, b[UNITS] = {0.1, -0.2, 0.3, -0.4};
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node h =
        gb_dense(e, "h", inputs(t), UNITS, .activation = "relu", .posterior = gb_point(gb_shape()));
    double value[ROWS][UNITS];
    set_variable(t, "h.weight", &w[0][0], IN * UNITS);
    set_variable(t, "h.bias", b, UNITS);
    assert_string_equal(gb_node_name(h), "h");
    read_node(h, &value[0][0]);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < UNITS; k++)
            assert_near(value[i][k], fmax(0, xs[i][0] * w[0][k] + xs[i][1] * w[1][k] + b[k]), 1e-14);
}

/* Spread 1 / √inputs, by 6 standard errors of a standard deviation; biases at 0; scales a tenth of that. */
TEST(weights_start_with_a_spread)
{
    enum { MANY = 400 };
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node x = gb_input_rows(t, "x", gb_shape(MANY));
    double w[MANY * 10], squares = 0;
    gb_dense(e, "h", x, 10);
    gb_dense(e, "own", x, 10, .posterior = gb_mean_field(gb_shape(MANY, 10), .spread = 2, .scale = 0.7),
             .bias_posterior = gb_point(gb_shape(10), .location = 0.4));
    assert_int_equal(gb_read(gb_variable_named(t, "h.weight.location"), w, MANY * 10), GB_OK);
    for (int i = 0; i < MANY * 10; i++)
        squares += w[i] * w[i] / (MANY * 10);
    assert_near(sqrt(squares), 0.05, 6 * 0.05 / sqrt(2 * MANY * 10));
    assert_int_equal(gb_read(gb_variable_named(t, "own.weight.location"), w, MANY * 10), GB_OK);
    squares = 0;
    for (int i = 0; i < MANY * 10; i++)
        squares += w[i] * w[i] / (MANY * 10);
    assert_near(sqrt(squares), 2, 6 * 2 / sqrt(2 * MANY * 10));
    assert_int_equal(gb_read(gb_variable_named(t, "h.bias.location"), w, 10), GB_OK);
    assert_true(w[0] == 0 && w[9] == 0);
    assert_int_equal(gb_read(gb_variable_named(t, "h.weight.raw_scale"), w, MANY * 10), GB_OK);
    assert_close(softplus(w[0]), 0.005, 1e4);
    assert_int_equal(gb_read(gb_variable_named(t, "own.bias"), w, 10), GB_OK);
    assert_true(w[0] == 0.4);
}

/* KL of all weights is that to N(0, 3² / inputs), of biases that to N(0, 3²), whatever the layer. */
TEST(a_prior_by_the_number_of_inputs_is_that_prior_written_out)
{
    gb_tape *const other = test_tape();
    double kl[2][4];
    for (int written = 0; written < 2; written++) {
        gb_tape *const u = written ? other : t;
        gb_elbo *const e = gb_elbo_new(u, .data_size = ROWS);
        const gb_node zero = gb_num(u, 0), wide = gb_num(u, 3), x = inputs(u);
        if (written) {
            const gb_node h =
                gb_dense(e, "net.1", x, UNITS, .activation = "tanh", .bias_prior = gb_normal(zero, wide),
                         .prior = gb_normal(zero, gb_num(u, 3 / sqrt(IN))));
            gb_dense(e, "net.2", h, 1, .prior = gb_normal(zero, gb_num(u, 3 / sqrt(UNITS))),
                     .bias_prior = gb_normal(zero, wide));
        } else
            gb_mlp(e, "net", x, gb_widths(UNITS, 1), .activation = "tanh", .prior_scale = 3);
        static const char *const terms[] = {"net.1.weight", "net.1.bias", "net.2.weight", "net.2.bias"};
        for (size_t i = 0; i < 4; i++)
            kl[written][i] = gb_value(gb_elbo_term_named(e, terms[i]).value);
        assert_fine(u);
    }
    for (size_t i = 0; i < 4; i++)
        assert_close(kl[0][i], kl[1][i], 8);
}

TEST(a_prior_is_given_once)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node x = inputs(t);
    gb_dense(e, "h", x, 1, .prior_scale = 1, .prior = gb_normal(gb_num(t, 0), gb_num(t, 1)));
    assert_rejected(t, GB_EARGUMENT, "dense h: .prior_scale stands for .prior and .bias_prior");
    gb_dense(e, "g", x, 1, .prior_scale = -1);
    assert_rejected(t, GB_EARGUMENT, "dense g: .prior_scale is -1, and must be positive and finite, or 0");
}

/* What has .locations, or starts with a spread of its own, keeps it. */
TEST(a_family_keeps_the_start_that_it_has)
{
    const gb_node at = gb_constant(t, gb_shape(2), GB_VALUES(1, 2));
    const struct {
        gb_family family;
        const char *text;
    } cases[] = {{gb_mean_field(gb_shape(2)), "mean_field:spread=0.5"},
                 {gb_mean_field(gb_shape(2), .spread = 3), "mean_field:spread=3"},
                 {gb_mean_field(gb_shape(2), .locations = at), "mean_field:locations=?"},
                 {gb_posterior_of(gb_normal(at, gb_num(t, 1))), "given:?"},
                 {gb_mean_field(gb_shape(2), .spread = -1), "mean_field:?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        gb_family family = cases[i].family;
        gb_family_spread(&family, 0.5);
        gb_family_text(family, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    gb_family none = {0};
    gb_family_spread(&none, 1);
    assert_null(none.type);
}

/* A step of Adam lowers what it follows: evaluates the loss, and the loss after some steps. */
static void trains(gb_tape *t, gb_elbo *e, gb_node f)
{
    const gb_node y = gb_input_rows(t, "y", gb_shape(1));
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.3)), y);
    const gb_node loss = gb_elbo_loss(e);
    gb_feed(y, (const double[]){1, -1, 0.5}, ROWS);
    gb_program *const look = gb_compile(t, gb_roots(loss), gb_no_update);
    gb_program_set_samples(look, 400);
    gb_run(look);
    const double before = gb_value(loss);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .steps = 200);
    gb_run(look);
    assert_fine(t);
    if (!(gb_value(loss) < before - 1))
        fail_msg("the loss is %g after training, and was %g", gb_value(loss), before);
}

TEST(layers_take_any_family_and_estimator)
{
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < KINDS; k += KINDS - 1) {
            gb_tape *const tape = test_tape(.seed = 1 + (uint64_t)i);
            const struct {
                gb_family family;
                gb_estimator estimator;
            } ways[9] = {
                {gb_mean_field(gb_shape()), gb_pathwise(.draws = GB_ANTITHETIC)},
                {gb_mean_field(gb_shape()), gb_score(.baseline = gb_leave_one_out())},
                {gb_mean_field(gb_shape()), gb_sticking_the_landing()},
                {gb_full_rank(gb_shape()), {.type = NULL}},
                {gb_low_rank(gb_shape()), {.type = NULL}},
                {gb_mean_field_matching(gb_shape()), {.type = NULL}},
                {gb_point(gb_shape()), {.type = NULL}},
                {gb_dropout_posterior(gb_shape(), .keep = 0.8, .by_unit = true), {.type = NULL}},
                {gb_dropout_posterior(gb_shape(), .keep = 0.8), {.type = NULL}},
            };
            gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS, .samples = 4);
            trains(tape, e,
                   gb_dense(e, "h", inputs(tape), 1, .posterior = ways[i].family,
                            .estimator = ways[i].estimator, .noise = kinds[k]));
        }
}

TEST(perceptrons_learn_under_all_noise)
{
    for (int k = 0; k < KINDS; k++)
        for (int norm = 0; norm < 2; norm++) {
            gb_tape *const tape = test_tape(.seed = 6);
            gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS);
            const gb_node prior = gb_num(tape, norm ? 0.5 : 1);
            trains(tape, e,
                   gb_mlp(e, "net", inputs(tape), gb_widths(6, 5, 1), .activation = "tanh", .noise = kinds[k],
                          .layer_norm = norm, .prior = gb_normal(gb_num(tape, 0), prior)));
            assert_true(gb_tape_has_variable(tape, "net.3.bias.location"));
        }
}

/* A convolution, a pooling, and a layer that has the rest as one vector. */
TEST(convolutions_are_dense_layers_of_patches)
{
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k] == GB_NOISE_LOCAL)
            continue;
        gb_tape *const tape = test_tape(.seed = 6);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS);
        const gb_node x = gb_input_rows(tape, "x", gb_shape(6, 6, 1));
        double pixels[ROWS * 36];
        for (int i = 0; i < ROWS * 36; i++)
            pixels[i] = sin(i);
        gb_feed(x, pixels, ROWS);
        const gb_node h =
            gb_dense(e, "conv", gb_patches(x, gb_shape(3, 3)), 2, .activation = "relu", .noise = kinds[k]);
        assert_true(gb_shape_same(gb_node_shape(h), gb_shape(4, 4, 2)));
        const gb_node pooled = gb_pool_maximum(h, gb_shape(2, 2));
        trains(tape, e,
               gb_dense(e, "f", gb_reshape(pooled, gb_shape(8)), 1,
                        .noise = kinds[k] == GB_NOISE_FLIPOUT ? GB_NOISE_LOCAL : kinds[k]));
    }
}

/* ---- dropout ---- */

/* For a prior N(0, l²), weights w and rate 1 − keep: Σ |w|² / 2 keep l² + log l for each weight − H(keep) for
 * each unit. */
TEST(dropout_alone_is_a_posterior_with_the_term_of_gal)
{
    for (int learned = 0; learned < 2; learned++) {
        gb_tape *const tape = test_tape(.seed = 3);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS);
        const double keep = 0.9, l = 0.5;
        const gb_node f =
            gb_dense(e, "h", inputs(tape), UNITS, .dropout = 1 - keep, .learned_dropout = learned,
                     .prior = gb_normal(gb_num(tape, 0), gb_num(tape, l)));
        gb_observe(e, "y", gb_normal(f, gb_num(tape, 1)), gb_input_rows(tape, "y", gb_shape(UNITS)));
        double w[IN * UNITS], squares = 0;
        assert_int_equal(gb_read(gb_variable_named(tape, "h.weight.weight"), w, IN * UNITS), GB_OK);
        for (int i = 0; i < IN * UNITS; i++)
            squares += w[i] * w[i];
        const double entropy = -keep * log(keep) - (1 - keep) * log(1 - keep);
        const gb_node kl = gb_elbo_term_named(e, "h.weight").value;
        double value;
        read_node(kl, &value);
        assert_near(value, -(squares / (2 * keep * l * l) + IN * UNITS * log(l) - IN * entropy), 1e-12);
        assert_true(gb_tape_has_variable(tape, "h.bias"));
    }
}

TEST(dropout_beside_points_is_noise_with_plain_weight_decay)
{
    for (int one_mask = 0; one_mask < 2; one_mask++) {
        gb_tape *const tape = test_tape(.seed = 3);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS);
        const gb_node x = inputs(tape);
        const gb_node dropped = gb_dropout(e, "mask", x, 0.3, one_mask);
        enum { DRAWS = 2000 };
        static double value[DRAWS][ROWS][IN];
        int kept = 0, same = 0;
        gb_program *const p = gb_compile(tape, gb_roots(dropped), gb_no_update);
        gb_program_set_samples(p, DRAWS);
        gb_run(p);
        assert_fine(tape);
        gb_read(dropped, &value[0][0][0], DRAWS * ROWS * IN);
        for (int s = 0; s < DRAWS; s++)
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < IN; j++) {
                    const double v = value[s][i][j];
                    assert_true(v == 0 || fabs(v - xs[i][j] / 0.7) < 1e-14);
                    kept += v != 0;
                    same += (v != 0) == (value[s][0][j] != 0);
                }
        const double each = DRAWS * (one_mask ? 1 : ROWS) * IN; /* independent masks */
        assert_near(kept / (double)(DRAWS * ROWS * IN), 0.7, 6 * sqrt(0.21 / each));
        assert_true((same == DRAWS * ROWS * IN) == one_mask);
    }
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node f = gb_dense(e, "h", inputs(t), UNITS, .dropout = 0.1, .posterior = gb_point(gb_shape()),
                               .prior = gb_normal(gb_num(t, 0), gb_num(t, 2)), .bias_prior = gb_no_prior);
    gb_observe(e, "y", gb_normal(f, gb_num(t, 1)), gb_input_rows(t, "y", gb_shape(UNITS)));
    double w[IN * UNITS], log_prior = 0, value;
    assert_int_equal(gb_read(gb_variable_named(t, "h.weight"), w, IN * UNITS), GB_OK);
    for (int i = 0; i < IN * UNITS; i++)
        log_prior -= w[i] * w[i] / 8 + log(2) + 0.5 * log(6.283185307179586477);
    size_t count;
    gb_elbo_terms(e, &count);
    assert_int_equal(count, 3);
    read_node(gb_elbo_term_named(e, "h.weight").value, &value);
    assert_near(value, log_prior, 1e-12);
}

/* Masks of rows average out, so the gradient of one step varies less than with one mask. */
TEST(concrete_dropout_learns_its_rate)
{
    const gb_estimator masks[] = {{.type = NULL}, gb_arm(), gb_disarm()};
    for (int i = 0; i < 3; i++)
        for (int one_mask = 0; one_mask < 2; one_mask++) {
            gb_tape *const tape = test_tape(.seed = 3);
            gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS, .samples = 4);
            const gb_node f =
                gb_mlp(e, "net", inputs(tape), gb_widths(5, 1), .activation = "relu", .dropout = 0.1,
                       .input_dropout = 0.2, .learned_dropout = true, .one_mask = one_mask, .mask = masks[i]);
            double before[IN], after[IN];
            const gb_node raw = gb_variable_named(tape, "net.1.weight.raw_keep");
            gb_read(raw, before, 1);
            assert_close(before[0], log(4), 8);
            trains(tape, e, f);
            gb_read(raw, after, 1);
            assert_true(fabs(after[0] - before[0]) > 0.01);
        }
}

/* In a perceptron with dropout the layers without it are points. */
TEST(a_perceptron_with_dropout_has_points_elsewhere)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    trains(t, e, gb_mlp(e, "net", inputs(t), gb_widths(5, 1), .activation = "relu", .dropout = 0.1));
    assert_true(gb_tape_has_variable(t, "net.1.weight") && gb_tape_has_variable(t, "net.2.weight.weight"));
}

/* ---- ensembles ---- */

enum { MEMBERS = 3 };

/* The gradient of a member is that of a network of its own, divided by their number. */
TEST(members_of_an_ensemble_do_not_see_each_other)
{
    static const double ys[ROWS] = {1, -1, 0.5};
    double w[MEMBERS][IN], g[MEMBERS][IN], alone[IN];
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = MEMBERS);
    const gb_node f = gb_dense(e, "h", inputs(t), 1,
                               .posterior = gb_ensemble(gb_shape(), .members = MEMBERS)),
                  y = gb_input_rows(t, "y", gb_shape(1));
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.5)), y);
    gb_feed(y, ys, ROWS);
    const gb_node all = gb_variable_named(t, "h.weight.members"), loss = gb_elbo_loss(e);
    read_node(gb_grad(loss, all), &g[0][0]);
    assert_int_equal(gb_read(all, &w[0][0], MEMBERS * IN), GB_OK);
    assert_true(w[0][0] != w[1][0] && w[1][0] != w[2][0]);
    for (int i = 0; i < MEMBERS; i++) {
        gb_tape *const tape = test_tape(.seed = 1);
        gb_elbo *const one = gb_elbo_new(tape, .data_size = ROWS);
        const gb_node at = gb_dense(one, "h", inputs(tape), 1, .posterior = gb_point(gb_shape())),
                      of = gb_input_rows(tape, "y", gb_shape(1));
        gb_observe(one, "y", gb_normal(at, gb_num(tape, 0.5)), of);
        gb_feed(of, ys, ROWS);
        set_variable(tape, "h.weight", w[i], IN);
        read_node(gb_grad(gb_elbo_loss(one), gb_variable_named(tape, "h.weight")), alone);
        for (int k = 0; k < IN; k++)
            assert_near(g[i][k], alone[k] / MEMBERS, 1e-13 * fabs(alone[k]));
    }
}

TEST(an_ensemble_predicts_by_its_members)
{
    double mean[ROWS], sd[ROWS], f[MEMBERS][ROWS];
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = MEMBERS);
    const gb_node out =
        gb_dense(e, "h", inputs(t), 1, .posterior = gb_ensemble(gb_shape(), .members = MEMBERS));
    const gb_node m = gb_predict_mean(e, out), s = gb_predict_sd(e, out);
    gb_run(gb_compile(t, gb_roots(out, m, s), gb_no_update));
    assert_fine(t);
    gb_read(out, &f[0][0], MEMBERS * ROWS);
    gb_read(m, mean, ROWS);
    gb_read(s, sd, ROWS);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0, squares = 0;
        for (int k = 0; k < MEMBERS; k++)
            sum += f[k][i] / MEMBERS;
        for (int k = 0; k < MEMBERS; k++)
            squares += (f[k][i] - sum) * (f[k][i] - sum) / MEMBERS;
        assert_near(mean[i], sum, 1e-14);
        assert_near(sd[i], sqrt(squares), 1e-13);
    }
    gb_program *const wrong = gb_compile(t, gb_roots(m), gb_no_update);
    gb_program_set_samples(wrong, 2);
    gb_run(wrong);
    assert_rejected(t, GB_ESHAPE,
                    "has 3 samples, and this run 2; .samples of an ELBO or gb_program_set_samples");
    gb_elbo_posterior_mean(e, "h.weight");
    assert_rejected(t, GB_EARGUMENT, "the distribution of h.weight by itself has no formula");
}

TEST(an_ensemble_trains_and_is_printed)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = MEMBERS);
    const gb_node f = gb_mlp(e, "net", inputs(t), gb_widths(4, 1), .activation = "tanh",
                             .posterior = gb_ensemble(gb_shape(), .members = MEMBERS)),
                  y = gb_input_rows(t, "y", gb_shape(1));
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.3)), y);
    const gb_node loss = gb_elbo_loss(e);
    gb_feed(y, (const double[]){1, -1, 0.5}, ROWS);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .steps = 200);
    gb_run(gb_compile(t, gb_elbo_roots(e), gb_no_update));
    char text[3000];
    FILE *const file = tmpfile();
    gb_elbo_print(e, file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_fine(t);
    assert_non_null(strstr(text, "log joint"));
    assert_null(strstr(text, "of no latent"));
    (void)loss;
}

/* ---- checkpoints ---- */

enum { WAYS = KINDS + 2, FIRST = 20, STEPS = 50 };

/* A perceptron under one kind of noise, or with dropout as a posterior, or beside points. */
static gb_elbo *network(gb_tape *t, int way)
{
    const gb_node x = inputs(t), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node f = way < KINDS
                          ? gb_mlp(e, "net", x, gb_widths(3, 1), .activation = "tanh", .noise = kinds[way])
                          : gb_mlp(e, "net", x, gb_widths(3, 1), .activation = "tanh", .dropout = 0.2,
                                   .posterior = way == KINDS ? (gb_family){0} : gb_point(gb_shape()));
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.3)), y);
    gb_feed(y, (const double[]){1, -1, 0.5}, ROWS);
    return e;
}

static void all_variables(gb_tape *t, double *values, size_t *count)
{
    enum { MANY = 128 };
    gb_node variable[MANY];
    const size_t variables = gb_tape_variables(t, variable, MANY);
    assert_true(variables < MANY);
    *count = 0;
    for (size_t i = 0; i < variables; i++) {
        const size_t n = gb_shape_count(gb_node_shape(variable[i]));
        assert_int_equal(gb_read(variable[i], values + *count, n), GB_OK);
        *count += n;
    }
}

TEST(a_training_goes_on_from_a_file_bit_for_bit)
{
    for (int way = 0; way < WAYS; way++) {
        static double once[2000], twice[2000];
        size_t counts[2];
        const scratch at = scratch_new();
        gb_tape *const whole = test_tape(.seed = 5), *const first = test_tape(.seed = 5),
                       *const rest = test_tape(.seed = 5);
        gb_fit(network(whole, way), .optimiser = gb_adam(), .steps = STEPS);
        gb_fit(network(first, way), .optimiser = gb_adam(), .steps = FIRST, .checkpoint = at.path);
        gb_fit(network(rest, way), .optimiser = gb_adam(), .steps = STEPS, .checkpoint = at.path,
               .resume = true);
        assert_fine(whole);
        assert_fine(first);
        assert_fine(rest);
        all_variables(whole, once, &counts[0]);
        all_variables(rest, twice, &counts[1]);
        assert_true(counts[0] == counts[1] && memcmp(once, twice, counts[0] * sizeof *once) == 0);
        scratch_end(&at);
    }
}

/* ---- rates that differ ---- */

/* Noise goes by names, so layers by hand have the same bits. */
TEST(each_layer_has_its_own_rate)
{
    double value[2];
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        gb_tape *const own = test_tape(.seed = 3);
        const gb_node x = gb_constant(own, gb_shape(4, IN), gb_fill(0.5));
        gb_elbo *const e = gb_elbo_new(own, .data_size = 4);
        gb_node f;
        if (by_hand) {
            const gb_node a = gb_dense(e, "net.1", x, 3, .activation = "tanh",
                                       .posterior = gb_point(gb_shape())),
                          b = gb_dense(e, "net.2", a, 4, .activation = "tanh", .dropout = 0.1),
                          c = gb_dense(e, "net.3", b, 2, .activation = "tanh",
                                       .posterior = gb_point(gb_shape()));
            f = gb_dense(e, "net.4", c, 1, .activation = "identity", .dropout = 0.4);
        } else
            f = gb_mlp(e, "net", x, gb_widths(3, 4, 2, 1), .activation = "tanh",
                       .dropouts = gb_rates(0.1, 0, 0.4));
        gb_observe(e, "y", gb_normal(f, gb_num(own, 1)), gb_constant(own, gb_shape(4, 1), gb_fill(1)));
        gb_run(gb_compile(own, gb_roots(gb_elbo_loss(e)), gb_no_update));
        value[by_hand] = gb_value(gb_elbo_loss(e));
        assert_fine(own);
    }
    assert_true(isfinite(value[0]) && memcmp(&value[0], &value[1], sizeof *value) == 0);
}

/* ---- memory ---- */

static gb_status record_network(gb_tape *t, const void *what)
{
    const int *const k = what;
    const gb_node x = gb_input_rows(t, "x", gb_shape(IN)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node f = *k < KINDS
                          ? gb_mlp(e, "net", x, gb_widths(2, 1), .activation = "tanh", .noise = kinds[*k])
                          : gb_mlp(e, "net", x, gb_widths(2, 1), .dropout = 0.1, .input_dropout = 0.1,
                                   .posterior = *k == KINDS ? gb_point(gb_shape()) : (gb_family){0});
    gb_observe(e, "y", gb_normal(f, gb_num(t, 1)), y);
    const gb_node loss = gb_elbo_loss(e), whole = gb_elbo_whole(e, f);
    gb_feed(x, &xs[0][0], ROWS);
    gb_feed(y, (const double[]){1, -1, 0.5}, ROWS);
    gb_run(gb_compile(t, gb_roots(loss, whole), gb_no_update));
    return t ? gb_error(t) : GB_ENOMEM;
}

TEST(memory_may_run_out)
{
    for (int k = 0; k < KINDS + 2; k++)
        assert_outlives_lack_of_memory(record_network, &k, "a network", 40,
                                       (gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1});
}
