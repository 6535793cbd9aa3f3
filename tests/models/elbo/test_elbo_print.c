/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_elbo_print says of the sum and of its terms, and what it warns of. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/elbo/elbo_impl.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/files.h"
#include "support/parts.h"

enum { N = 4 };
static const double DATA[N] = {0.3, -1.2, 2, 0.7};

typedef struct scene {
    gb_tape *t;
    gb_elbo *e;
    gb_node zero, one, rows, data; /* data as rows, and as a vector */
    gb_dist prior;
    char text[4000];
} scene;

static void begin(scene *s, gb_elbo_options options)
{
    *s = (scene){.t = test_tape(.seed = 2, .samples = 4)};
    options.size = sizeof options;
    options.data_size = N;
    s->e = gb_elbo_new_with(s->t, &options);
    s->zero = gb_num(s->t, 0);
    s->one = gb_num(s->t, 1);
    s->rows = gb_input_rows(s->t, "rows", gb_shape());
    s->data = gb_constant(s->t, gb_shape(N), GB_VALUES(0.3, -1.2, 2, 0.7));
    s->prior = gb_normal(s->zero, s->one);
    gb_feed(s->rows, DATA, N);
}

static gb_node weight(scene *s)
{
    return gb_latent(s->e, "w", gb_mean_field(gb_shape()), s->prior, gb_pathwise());
}

static gb_status print(scene *s)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    const gb_status status = gb_elbo_print(s->e, file);
    rewind(file);
    s->text[fread(s->text, 1, sizeof s->text - 1, file)] = '\0';
    fclose(file);
    return status;
}

static void look(scene *s)
{
    assert_int_equal(gb_run(gb_compile(s->t, gb_elbo_roots(s->e), gb_no_update)), GB_OK);
    assert_int_equal(print(s), GB_OK);
}

static void assert_says_at(const scene *s, const char *words, bool should, int line)
{
    if ((strstr(s->text, words) != NULL) != should)
        fail_msg("line %d: \"%s\" is %s\n%s", line, words, should ? "missing from" : "in", s->text);
}
#define assert_says(s, words) assert_says_at((s), (words), true, __LINE__)
#define assert_silent(s, words) assert_says_at((s), (words), false, __LINE__)

/* ---- what the sum is ---- */

TEST(dropouts_kl_is_called_an_approximation_and_the_sum_no_bound)
{
    size_t count;
    scene s;
    begin(&s, (gb_elbo_options){0});
    const gb_node w = gb_latent(s.e, "w", gb_dropout_posterior(gb_shape(), .keep = 0.5, .location = 0.1),
                                s.prior, gb_pathwise());
    gb_latent(s.e, "v", gb_mean_field(gb_shape()), s.prior, gb_pathwise());
    gb_observe(s.e, "y", gb_normal(w, s.one), s.rows);
    look(&s);
    assert_says(&s, "  approximate  ");
    assert_says(&s, "Not a bound: in place of KL of w stands the approximation of Gal and Ghahramani (2016)");
    assert_silent(&s, "KL of v");
    assert_says(&s, "sum              objective");
    assert_silent(&s, "ELBO");
    const gb_elbo_term *const terms = gb_elbo_terms(s.e, &count);
    assert_non_null(terms[0].approximation);
    assert_null(terms[1].approximation);
    assert_ptr_equal(terms[count - 1].approximation, terms[0].approximation);
}

/* Of a value that has a probability −log p is KL. */
TEST(a_known_count_has_an_exact_kl)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    gb_latent(s.e, "n", gb_posterior_of(gb_point_mass(gb_num(s.t, 2))), gb_poisson(s.one), gb_pathwise());
    assert_fine(s.t);
    assert_null(gb_elbo_terms(s.e, NULL)[0].approximation);
}

TEST(a_sum_with_points_has_the_name_of_what_it_is)
{
    for (int i = 0; i < 3; i++) {
        static const char *const name[] = {"log joint", "log likelihood", "objective"};
        static const char *const words[] = {"so the sum is a log joint density.",
                                            "so the sum is a log likelihood.", "which the sum lacks."};
        char line[100];
        scene s;
        begin(&s, (gb_elbo_options){0});
        const gb_node p =
            gb_latent(s.e, "p", gb_point(gb_shape()), i == 1 ? gb_no_prior : s.prior, gb_pathwise());
        gb_observe(s.e, "y", gb_normal(i == 2 ? gb_add(p, weight(&s)) : p, s.one), s.rows);
        look(&s);
        snprintf(line, sizeof line, "sum              %s ", name[i]);
        assert_says(&s, line);
        assert_says(&s, "Not a bound: a point has no entropy");
        assert_says(&s, words[i]);
        assert_silent(&s, "Warning");
    }
}

static gb_node one_less(const void *options, gb_node log_weights)
{
    (void)options;
    return gb_shift(gb_mean_along(log_weights, gb_axis(0)), -1);
}
static const gb_bound_type lower = {
    .size = sizeof lower, .name = "lower", .formula = "E log weight - 1", .value = one_less};

TEST(another_bound_is_printed_beside_the_elbo)
{
    scene s;
    begin(&s, (gb_elbo_options){.bound = {.type = &lower}});
    weight(&s);
    look(&s);
    assert_says(&s, "sum              ELBO                  -1.807585");
    assert_says(&s, "\nbound            lower                 -2.807585\n");
    begin(&s, (gb_elbo_options){0});
    weight(&s);
    look(&s);
    assert_silent(&s, "bound");
}

/* ---- the weight of KL ---- */

TEST(a_weight_is_reported_beside_its_term)
{
    static const struct {
        double weight;
        const char *line, *sum, *summary, *words;
    } cases[] = {
        {1, "-1.807585   exact           scale 1\n", "ELBO ", "\nKL 1.80759, KL/N 0.451896,", NULL},
        {0.5, "-0.903793   exact           scale 1, weight 0.5\n", "objective ",
         "\nKL 1.80759, KL/N 0.451896,", "Not a bound: KL is multiplied by 0.5."},
        {2, "-3.615170   exact           scale 1, weight 2\n", "objective ", "\nKL 1.80759, KL/N 0.451896,",
         "Not the ELBO, but a looser bound: KL is multiplied by 2."},
        {0, " 0.000000   exact           scale 1, weight 0\n", "objective ",
         "\nKL n/a (its weight is 0), KL/N n/a,", "Not a bound: KL is multiplied by 0."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s;
        begin(&s, (gb_elbo_options){0});
        s.e = gb_elbo_new(s.t, .data_size = N, .kl_weight = gb_num(s.t, cases[i].weight));
        weight(&s);
        look(&s);
        assert_says(&s, cases[i].line);
        assert_says(&s, cases[i].sum);
        assert_says(&s, cases[i].summary);
        assert_silent(&s, "-0.000000");
        if (cases[i].words)
            assert_says(&s, cases[i].words);
        else
            assert_silent(&s, "Not ");
    }
}

TEST(without_latents_kl_is_0)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    gb_observe(s.e, "y", s.prior, s.rows);
    look(&s);
    assert_says(&s, "\nKL 0, KL/N 0, mean log likelihood -");
}

/* ---- of which run ---- */

TEST(without_a_run_of_its_roots_nothing_is_printed)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    gb_observe(s.e, "y", gb_normal(weight(&s), s.one), s.rows);
    assert_int_equal(gb_fit(s.e, .optimiser = gb_adam(), .steps = 3).status, GB_OK);
    assert_int_equal(print(&s), GB_EREAD);
    assert_string_equal(s.text, "");
    assert_rejected(s.t, GB_EREAD,
                    "elbo_print: no program with all the terms has run; first run one: "
                    "gb_compile(tape, gb_elbo_roots(elbo), gb_no_update)");
    look(&s);
    assert_says(&s, "sum              ELBO ");
}

/* Training has the sum among its roots, too, which is of another run then. */
TEST(lines_are_of_one_run)
{
    scene s;
    char before[sizeof s.text];
    begin(&s, (gb_elbo_options){.kl_schedule = gb_warm_up(10, gb_steady())});
    gb_observe(s.e, "y", gb_normal(weight(&s), s.one), s.rows);
    look(&s);
    memcpy(before, s.text, sizeof before);
    assert_int_equal(gb_fit(s.e, .optimiser = gb_adam(), .steps = 3).status, GB_OK);
    assert_int_equal(print(&s), GB_OK);
    assert_string_equal(s.text, before);
}

TEST(a_file_of_null_is_an_error)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    weight(&s);
    assert_int_equal(gb_elbo_print(s.e, NULL), GB_EARGUMENT);
    assert_rejected(s.t, GB_EARGUMENT, "elbo_print: there is no file to print to");
    look(&s);
}

/* ---- averages ---- */

static gb_node sum(gb_node x)
{
    return gb_sum(x);
}
static gb_node mean_by_hand(gb_node x)
{
    return gb_scale(gb_sum(x), 1.0 / N);
}
static gb_node minus_mean_of_losses(gb_node x)
{
    return gb_neg(gb_scale(gb_mean(gb_neg(x)), 0.5));
}
static gb_node mean_times_count(gb_node x)
{
    return gb_scale(gb_mean(x), N);
}
static gb_node each_by_the_rows(gb_node x)
{
    return gb_div(x, gb_axis_size(x.tape, GB_ROWS));
}
static gb_node mean_times_rows(gb_node x)
{
    return gb_mul(gb_mean_over(x, GB_ROWS), gb_axis_size(x.tape, GB_ROWS));
}

TEST(an_average_is_distinguished_from_a_sum)
{
    static const char vector[] = "Warning: y: it is a mean over the elements of a vector",
                      rows[] = "Warning: y: it was divided by the number of rows",
                      lost[] = "Warning: y: its rows were summed before";
    static const struct {
        gb_node (*spoil)(gb_node);
        bool of_rows;
        const char *words;
    } cases[] = {{sum, false, NULL},
                 {gb_mean, false, vector},
                 {mean_by_hand, false, vector},
                 {minus_mean_of_losses, false, vector},
                 {mean_times_count, false, NULL},
                 {mean_over_rows, true, rows},
                 {each_by_the_rows, true, rows},
                 {mean_times_rows, true, lost}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s;
        begin(&s, (gb_elbo_options){0});
        const gb_node y = cases[i].of_rows ? s.rows : s.data;
        gb_log_likelihood(s.e, "y", cases[i].spoil(gb_log_prob(gb_normal(weight(&s), s.one), y)));
        look(&s);
        if (cases[i].words)
            assert_says(&s, cases[i].words);
        else
            assert_silent(&s, "Warning");
    }
}

/* −½ Σ z² of two data is no mean, though it is divided by 2. */
TEST(a_normal_by_hand_is_no_average)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    const gb_node z = gb_sub(gb_constant(s.t, gb_shape(2), GB_VALUES(1, 2)), weight(&s));
    gb_log_likelihood(s.e, "y", gb_scale(gb_sum(gb_square(z)), -0.5));
    look(&s);
    assert_silent(&s, "Warning");
}

TEST(data_may_be_centred_by_their_rows)
{
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        scene s;
        begin(&s, (gb_elbo_options){0});
        const gb_node centred = gb_sub(s.rows, gb_mean_over(s.rows, GB_ROWS));
        const gb_dist p = gb_normal(weight(&s), s.one);
        if (by_hand)
            gb_log_likelihood(s.e, "y", gb_log_prob(p, centred));
        else
            gb_observe(s.e, "y", p, centred);
        look(&s);
        assert_silent(&s, "Warning");
    }
}

TEST(more_rows_than_there_are_is_warned_of)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    s.e = gb_elbo_new(s.t, .data_size = N - 1);
    gb_observe(s.e, "y", gb_normal(weight(&s), s.one), s.rows);
    look(&s);
    assert_says(&s, "\nWarning: y: the run had more rows than the 3 of .data_size.\n");
    gb_feed(s.rows, DATA, N - 1);
    look(&s);
    assert_silent(&s, "Warning");
}

/* ---- weights without a KL ---- */

static gb_node variable(const scene *s, const char *name)
{
    return gb_variable(s->t, name, gb_shape(), gb_fill(0.5));
}

TEST(variables_of_no_latent_are_reported)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    const gb_node b1 = variable(&s, "b1"), b2 = variable(&s, "b2"), bias = gb_add(b1, b2),
                  fixed = gb_stop(variable(&s, "fixed"));
    gb_observe(s.e, "y", gb_normal(gb_add(gb_add(weight(&s), bias), fixed), s.one), s.rows);
    look(&s);
    assert_says(&s, "\nWarning: b1, b2: of no latent, and without KL or prior if the training moves it");
    assert_silent(&s, "fixed");
    assert_silent(&s, "w.");

    begin(&s, (gb_elbo_options){0});
    const gb_node at = variable(&s, "at"), width = variable(&s, "width"), c = variable(&s, "c");
    const gb_dist learned = gb_normal(at, gb_exp(width));
    const gb_node w = gb_latent(s.e, "w", gb_mean_field(gb_shape()), learned, gb_pathwise());
    const gb_node more = gb_mul(gb_add(c, variable(&s, "d")), variable(&s, "e"));
    gb_observe(s.e, "y", gb_normal(gb_add(w, more), s.one), s.rows);
    look(&s);
    assert_says(&s, "\nWarning: at, width, c and 2 more: of no latent");
}

TEST(a_factor_may_be_a_prior)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    const gb_node held = variable(&s, "held");
    gb_factor(s.e, "prior", gb_log_prob(gb_normal(gb_num(s.t, 0), s.one), held));
    gb_observe(s.e, "y", gb_normal(gb_add(weight(&s), held), s.one), s.rows);
    look(&s);
    assert_silent(&s, "Warning");
}

/* Half the sum of two squares is a log density, as well as it is their mean. */
TEST(sums_of_squares_are_no_means)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    const gb_node both = gb_constant(s.t, gb_shape(2), GB_VALUES(1, 2));
    const gb_node off = gb_sub(gb_mul(both, s.rows), weight(&s));
    gb_log_likelihood(s.e, "y", gb_neg(gb_div(gb_sum(gb_square(off)), gb_num(s.t, 2))));
    look(&s);
    assert_silent(&s, "Warning");
}

/* The KL reaches all variables that q is made of: those of any family, of networks whose output q has, of
 * mixtures and transforms. What estimators learn has a loss of its own. */
TEST(variables_of_posteriors_and_estimators_are_not_reported)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    const gb_dist given = gb_normal(gb_mul(s.rows, variable(&s, "net")), gb_exp(variable(&s, "log_sd")));
    const gb_dist moved =
        gb_transformed(gb_normal(variable(&s, "base"), s.one),
                       gb_affine_transform(variable(&s, "shift"), gb_exp(variable(&s, "size"))));
    gb_latent_part parts[] = {{.name = "a", .shape = gb_shape(), .prior = s.prior},
                              {.name = "b", .shape = gb_shape(), .prior = gb_half_normal(s.one)}};
    gb_node part[2], all = gb_latent(s.e, "z", gb_posterior_of(given), s.prior, gb_pathwise());
    all = gb_add(all, gb_latent(s.e, "m", gb_posterior_of(moved), s.prior, gb_pathwise()));
    gb_latent_block(s.e, "block", gb_full_rank(gb_shape()), 2, parts, gb_pathwise(), part);
    all = gb_add(all, gb_mul(part[0], part[1]));
    const gb_dist on = gb_bernoulli_logits(variable(&s, "logit")), half = gb_bernoulli(gb_num(s.t, 0.5));
    all = gb_add(all, gb_latent(s.e, "k", gb_posterior_of(on), half, gb_relax()));
    all = gb_add(all, gb_latent(s.e, "p", gb_point(gb_shape()), s.prior, gb_pathwise()));
    all = gb_add(all, gb_latent(s.e, "d", gb_dropout_posterior(gb_shape(), .keep = 0.5, .is_learned = true),
                                s.prior, gb_dropout_draws(.mask = gb_arm())));
    all = gb_add(all, gb_latent(s.e, "l", gb_mean_field(gb_shape()), gb_laplace(s.zero, s.one),
                                gb_score(.baseline = gb_moving_average())));
    gb_observe(s.e, "y", gb_normal(all, s.one), s.rows);
    assert_fine(s.t);
    gb_elbo_terms(s.e, NULL);
    assert_fine(s.t);
    assert_null(gb_elbo_term_named(s.e, "ELBO").warning);
}

/* ---- a sum above 0 ---- */

/* A density that is too large by a factor of e^30. */
static gb_node too_large(const gb_dist *d, gb_node x)
{
    return gb_shift(gb_scale(gb_square(gb_sub(x, d->param[0])), -0.5), 30);
}

static gb_node sample_normal(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0], gb_normal_noise(from->noise, from->shape, from->axes));
}

static const gb_dist_type too_large_type = {.size = sizeof(gb_dist_type),
                                            .name = "too_large",
                                            .formula = "30 - (x - loc)^2 / 2",
                                            .param = {{.name = "loc", .domain = GB_REAL}},
                                            .support = GB_REAL,
                                            .log_prob = too_large,
                                            .sample = sample_normal};

typedef struct sum_case {
    const char *name;
    gb_kl_mode kl;
    bool wrong, density, has_factor, is_warned;
} sum_case;

static const sum_case sums[] = {{"a_wrong_prior", GB_KL_SAMPLED, true, false, false, true},
                                {"a_right_prior", GB_KL_SAMPLED, false, false, false, false},
                                {"an_exact_kl", GB_KL_EXACT, false, false, false, false},
                                {"data_with_a_density", GB_KL_SAMPLED, true, true, false, false},
                                {"a_factor", GB_KL_SAMPLED, true, false, true, false}};

TEST_EACH(a_sum_above_0, sums)
{
    const sum_case *const c = row;
    scene s;
    (void)t;
    begin(&s, (gb_elbo_options){.kl = c->kl});
    const gb_dist prior = c->wrong ? gb_dist_of(&too_large_type, &s.zero) : s.prior;
    const gb_node w = gb_latent(s.e, "w", gb_mean_field(gb_shape()), prior, gb_pathwise());
    const gb_node y = gb_constant(s.t, gb_shape(1), GB_VALUES(1)), many = gb_num(s.t, 1e-3);
    gb_observe(s.e, "y", gb_bernoulli_logits(w), y);
    if (c->density)
        gb_observe(s.e, "x", gb_normal(gb_scale(w, 0), many), gb_zeros(s.t, gb_shape(1)));
    if (c->has_factor)
        gb_factor(s.e, "f", gb_num(s.t, 1));
    look(&s);
    assert_says_at(&s, "Warning: the sum is above 0, which is impossible: all data are discrete",
                   c->is_warned, __LINE__);
    const gb_fit_result r = gb_fit(s.e, .optimiser = gb_adam(), .steps = 60, .window = 20);
    if (!c->is_warned) {
        assert_int_equal(r.status, GB_OK);
        return;
    }
    assert_int_equal(r.end, GB_FIT_ERROR);
    assert_int_equal(r.steps, 20);
    assert_rejected(s.t, GB_EARGUMENT, "fit: step 20: the ELBO is 2");
}

/* A sampled KL may be down to −20 by chance, and a weight above 1 multiplies it. */
TEST(what_is_impossible_depends_on_the_weight_of_kl)
{
    scene s;
    (void)t;
    begin(&s, (gb_elbo_options){.kl = GB_KL_SAMPLED});
    const gb_node w = gb_latent(s.e, "w", gb_mean_field(gb_shape()), s.prior, gb_pathwise());
    gb_observe(s.e, "y", gb_bernoulli_logits(w), gb_constant(s.t, gb_shape(1), GB_VALUES(1)));
    gb_elbo_terms(s.e, NULL);
    assert_fine(s.t);
    assert_true(gb_elbo_is_impossible(s.e, 21, 1) && gb_elbo_is_impossible(s.e, 21, 0.1));
    assert_false(gb_elbo_is_impossible(s.e, 19, 1) || gb_elbo_is_impossible(s.e, 19, 0.1));
    assert_true(gb_elbo_is_impossible(s.e, 101, 5));
    assert_false(gb_elbo_is_impossible(s.e, 99, 5));
}

/* q is far narrower than its place has digits: log q is known by the noise nevertheless. */
TEST(a_collapsed_posterior_has_an_elbo_below_0)
{
    gb_kl_mode modes[] = {GB_KL_AUTO, GB_KL_SAMPLED};
    const gb_family families[] = {gb_full_rank(gb_shape(2), .location = 3),
                                  gb_mean_field(gb_shape(2), .location = 3),
                                  gb_low_rank(gb_shape(2), .rank = 1, .location = 3)};
    for (size_t i = 0; i < 6; i++) {
        scene s;
        begin(&s, (gb_elbo_options){.kl = modes[i % 2]});
        const gb_node w = gb_latent(s.e, "w", families[i / 2], gb_student_t(gb_num(s.t, 4), s.zero, s.one),
                                    gb_score(.baseline = gb_leave_one_out()));
        gb_observe(s.e, "y", gb_poisson(gb_exp(w)), gb_constant(s.t, gb_shape(2), GB_VALUES(1, 3)));
        gb_set(gb_variable_named(s.t, "w.raw_scale"), gb_fill(-100));
        if (i / 2 == 0)
            gb_set(gb_variable_named(s.t, "w.lower"), gb_fill(1));
        look(&s);
        const double kl = gb_value(gb_elbo_term_named(s.e, "w").value);
        assert_true(kl < -50 && kl > -300); /* two scales of e^-100 at most */
        assert_silent(&s, "impossible");
    }
}

/* ---- evaluations ---- */

/* Seven choices, each of which sets the logit of the next. */
static const char *warning_of_choices(gb_estimator by, bool with_free_variable, char *text, size_t bytes)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    scene s;
    begin(&s, (gb_elbo_options){0});
    gb_node z = gb_variable(s.t, "logit", gb_shape(), gb_fill(0.3));
    for (int i = 0; i < 7; i++)
        z = gb_latent(s.e, names[i], gb_posterior_of(gb_bernoulli_logits(z)), gb_no_prior, by);
    const gb_node free = with_free_variable ? gb_variable(s.t, "free", gb_shape(), gb_fill(0)) : s.zero;
    gb_observe(s.e, "y", gb_normal(gb_add(z, free), s.one), s.rows);
    const gb_elbo_term total = gb_elbo_term_named(s.e, "ELBO");
    assert_fine(s.t);
    snprintf(text, bytes, "%s", total.warning ? total.warning : "");
    return total.warning;
}

TEST(more_than_a_thousand_evaluations_are_warned_of)
{
    char text[800];
    assert_null(warning_of_choices(gb_arm(), false, text, sizeof text));
    assert_non_null(warning_of_choices(gb_rebar(), false, text, sizeof text));
    assert_non_null(strstr(text, "each sample evaluates the model 2187 times"));
    assert_non_null(warning_of_choices(gb_rebar(), true, text, sizeof text));
    assert_non_null(strstr(text, "free: of no latent"));
    assert_non_null(strstr(text, "; besides, each sample evaluates the model 2187 times"));
}

/* 300 means and 300 scales, each with two probes: nothing multiplies. */
TEST(evaluations_of_one_latent_add_up)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    const gb_node loc = gb_variable(s.t, "loc", gb_shape(300), gb_fill(0)),
                  scale = gb_exp(gb_variable(s.t, "log_scale", gb_shape(300), gb_fill(0)));
    const gb_node w = gb_latent(s.e, "w", gb_posterior_of(gb_normal(loc, scale)), gb_normal(s.zero, s.one),
                                gb_measure_valued());
    gb_observe(s.e, "y", gb_normal(gb_sum(w), s.one), s.rows);
    const gb_elbo_term total = gb_elbo_term_named(s.e, "ELBO");
    assert_fine(s.t);
    assert_non_null(total.warning);
    assert_non_null(strstr(total.warning, "each sample evaluates the model 1201 times: so many values"));
    assert_null(strstr(total.warning, "multiply"));
}

TEST(a_full_disk_is_an_error)
{
    scene s;
    begin(&s, (gb_elbo_options){0});
    weight(&s);
    gb_run(gb_compile(s.t, gb_elbo_roots(s.e), gb_no_update));
    FILE *const full = file_on_full_disk();
    assert_int_equal(gb_elbo_print(s.e, full), GB_ESYSTEM);
    fclose(full);
}
