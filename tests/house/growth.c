/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is compiled against the headers as they are, and run with a library whose option structs and
 * type structs have grown (growth.py). It uses each of them, and prints what it computes.
 *
 * Behind each options struct and each type struct of its own stand values that a library must not read: 7,
 * and functions that end the program. It is linked without -fPIE, so the linker copies into it those types of
 * the library that it names. */
#include <grebe/grebe.h>
#include <grebe/kit/kit.h>

#include <stdio.h>
#include <stdlib.h>

#include "../support/cube.h"

#define BEHIND                                                                                               \
    {                                                                                                        \
        7, 7, 7, 7, 7, 7, 7, 7                                                                               \
    }
/* A pointer to options of this type, given as for the macros. */
#define OPTIONS(type, ...)                                                                                   \
    (&((const struct {                                                                                       \
          type it;                                                                                           \
          double behind[8];                                                                                  \
      }){{.size = sizeof(type), __VA_ARGS__}, BEHIND})                                                       \
          .it)

static void not_mine(void)
{
    printf("the library called a slot behind a type struct of the program\n");
    exit(1);
}

/* A type struct of the program, `name.it`, which begins as a copy of one of the library's. */
#define OWN(type, name, from)                                                                                \
    struct {                                                                                                 \
        type it;                                                                                             \
        void (*behind[8])(void);                                                                             \
    } name = {(from), {not_mine, not_mine, not_mine, not_mine, not_mine, not_mine, not_mine, not_mine}}

static void end(gb_tape *t, const char *what)
{
    gb_complain(t, stdout);
    printf("%s: %s\n", what, gb_error(t) == GB_OK ? "done" : "failed");
    gb_tape_free(t);
}

static gb_tape *begin(void)
{
    return gb_tape_new_with(OPTIONS(gb_tape_options, .seed = 5, .threads = 1));
}

/* ---- operations ---- */

static void operations(void)
{
    gb_tape *const t = begin();
    const gb_node a = gb_constant(t, gb_shape(2, 2), GB_VALUES(2, 0, 1, 3));
    const gb_node b = gb_constant(t, gb_shape(2), GB_VALUES(1, -1));
    const gb_node both[] = {
        gb_matmul_with(a, b, OPTIONS(gb_matmul_options, .transpose_a = true)),
        gb_cumsum_with(b, 0, OPTIONS(gb_cumsum_options, .reverse = true)),
        gb_triangular_solve_vector_with(a, b, OPTIONS(gb_triangular_solve_options, .transpose = true)),
        gb_triangular_solve_with(a, a, OPTIONS(gb_triangular_solve_options, .upper = true)),
    };
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        gb_print(both[i], stdout);
    end(t, "operations");
}

/* ---- data ---- */

static void put(const char *path, const char *bytes, size_t length)
{
    FILE *const file = fopen(path, "wb");
    fwrite(bytes, 1, length, file);
    fclose(file);
}

static void data(void)
{
    gb_tape *const t = begin();
    gb_table *const d = gb_table_read_with(
        t, "a table", OPTIONS(gb_table_read_options, .text = "a;b\n1,5;x\n", .decimal_comma = true));
    gb_table_csv(d, stdout);
    gb_array *const a = gb_array_read_with(
        t, "an array", OPTIONS(gb_array_read_options, .data = "\0\0\x08\1\0\0\0\1\7", .bytes = 9));
    printf("%g\n", gb_numbers_at(gb_array_numbers(a), 0));
    put("growth.txt", "2\n4\n", 4);
    const gb_rows rows = gb_rows_read_with(t, "growth.txt", OPTIONS(gb_rows_read_options, .one_based = true));
    remove("growth.txt");
    gb_split *const s = gb_split_new_with(t, 5, OPTIONS(gb_split_options, .test_rows = rows, .validate = 1));
    printf("%zu %zu %zu\n", s->train.count, s->validate.count, s->test.count);
    gb_table_free(d);
    gb_array_free(a);
    gb_split_free(s);
    end(t, "data");
}

/* ---- plug-ins with options, as text and at work ---- */

static gb_estimator relaxed(void)
{
    return gb_relaxed_draws_with(OPTIONS(gb_relaxed_draws_options, .temperature = 0.4));
}

static gb_estimator rebar(void)
{
    return gb_rebar_with(OPTIONS(gb_rebar_options, .temperature = 0.3, .eta = 0.9, .relax_later = true));
}

static void estimators(gb_tape *t)
{
    const gb_baseline average = gb_moving_average_with(OPTIONS(gb_moving_average_options, .decay = 0.8));
    const gb_baseline constant =
        gb_baseline_of(&gb_constant_baseline_type, OPTIONS(gb_constant_baseline_options, .value = 0.5));
    const gb_baseline learned =
        gb_baseline_of(&gb_learned_baseline_type, OPTIONS(gb_learned_baseline_options, .node = gb_num(t, 2)));
    const gb_baseline both = gb_baseline_of(
        &gb_sum_baseline_type, OPTIONS(gb_sum_baseline_options, .first = constant, .rest = average));
    const gb_estimator all[] = {
        gb_pathwise_with(OPTIONS(gb_pathwise_options, .draws = GB_ANTITHETIC)),
        gb_score_with(OPTIONS(gb_score_options, .baseline = average)),
        gb_score_with(OPTIONS(gb_score_options, .baseline = constant)),
        gb_score_with(OPTIONS(gb_score_options, .baseline = learned)),
        gb_score_with(OPTIONS(gb_score_options, .baseline = both, .draws = GB_ANTITHETIC)),
        gb_muprop_with(OPTIONS(gb_muprop_options, .baseline = average)),
        gb_quadrature_with(OPTIONS(gb_quadrature_options, .nodes = 9)),
        gb_relax_with(OPTIONS(gb_relax_options, .temperature = 0.7, .hidden = 2)),
        relaxed(),
        rebar(),
        gb_straight_through_with(OPTIONS(gb_straight_through_options, .temperature = 0.6)),
        gb_dropout_draws_with(OPTIONS(gb_dropout_draws_options, .mask = rebar(), .per_row = true)),
        gb_arms_with(OPTIONS(gb_arms_options, .draws = 3)),
        gb_double_cv_with(OPTIONS(gb_double_cv_options, .alpha = 0.6, .learn = true)),
        gb_rodeo_with(OPTIONS(gb_rodeo_options, .alpha = 0.6, .beta = 0.4, .learn = true)),
        gb_reinmax_with(OPTIONS(gb_reinmax_options, .temperature = 1.5)),
        gb_gumbel_rao_with(OPTIONS(gb_gumbel_rao_options, .temperature = 0.6, .draws = 3)),
        gb_sum_and_sample_with(OPTIONS(gb_sum_and_sample_options, .summed = 2)),
        gb_unordered_set_with(OPTIONS(gb_unordered_set_options, .draws = 3)),
        gb_gumbel_top_k_with(OPTIONS(gb_gumbel_top_k_options, .draws = 9)),
        gb_vimco_with(OPTIONS(gb_vimco_options, .mean = GB_ARITHMETIC_MEAN)),
        gb_ovis_with(OPTIONS(gb_ovis_options, .rounds = 3)),
        gb_ovis_asymptotic_with(OPTIONS(gb_ovis_asymptotic_options, .one_weight = 0.5)),
    };
    char text[256];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gb_estimator_text(all[i], text, sizeof text);
        printf("%s\n", text);
    }
}

static gb_schedule step_decay(void)
{
    return gb_schedule_of(&gb_step_decay_schedule_type,
                          OPTIONS(gb_step_decay_options, .every = 2, .factor = 0.5));
}

static gb_schedule cosine(void)
{
    return gb_cosine_with(10, OPTIONS(gb_cosine_options, .end = 0.1));
}

static gb_schedule robbins_monro(void)
{
    return gb_schedule_of(&gb_robbins_monro_schedule_type,
                          OPTIONS(gb_robbins_monro_options, .b = 3, .c = 0.75));
}

static gb_schedule warm_up(void)
{
    return gb_schedule_of(&gb_warm_up_schedule_type,
                          OPTIONS(gb_warm_up_options, .steps = 3, .then = cosine()));
}

static gb_schedule cyclical(void)
{
    return gb_cyclical_with(4, OPTIONS(gb_cyclical_options, .rise = 0.6));
}

static void print_variables(gb_tape *t)
{
    gb_node variable[32];
    const size_t count = gb_tape_variables(t, variable, 32);
    for (size_t i = 0; i < count && i < 32; i++)
        gb_print(variable[i], stdout);
}

/* A linear regression, with its data. */
typedef struct model {
    gb_elbo *elbo;
    gb_batches *data;
} model;

static model model_on(gb_tape *t, gb_family family, gb_estimator estimator)
{
    static const double xs[] = {1, 0.5, -1, 2, 0.25, 1, -2, 1}, ys[] = {1.2, 0.4, 0.9, -1.1};
    model m = {.elbo = gb_elbo_new_with(
                   t, OPTIONS(gb_elbo_options, .data_size = 4, .samples = 2, .kl_schedule = cyclical()))};
    const gb_node w = gb_latent(m.elbo, "w", family, gb_normal(gb_num(t, 0), gb_num(t, 1)), estimator);
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_observe(m.elbo, "y", gb_normal(gb_dot(x, w), gb_num(t, 0.5)), y);
    m.data = gb_batches_new_with(t, OPTIONS(gb_batches_options, .rows = 4, .batch = 2,
                                            .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)})));
    return m;
}

static void train(gb_tape *t, gb_family family, gb_estimator estimator, gb_optimiser optimiser)
{
    char text[256];
    const model m = model_on(t, family, estimator);
    gb_family_text(family, text, sizeof text);
    printf("%s with ", text);
    gb_optimiser_text(optimiser, text, sizeof text);
    printf("%s\n", text);
    const gb_fit_result r =
        gb_fit_with(m.elbo, OPTIONS(gb_fit_options, .optimiser = optimiser, .data = m.data, .steps = 4));
    printf("%d after %d steps: %.10g\n", (int)r.end, (int)r.steps, r.last.elbo);
    print_variables(t);
}

static gb_node parameters(const gb_slot *slot, void *user)
{
    (void)user;
    return gb_variable(slot->tape, "outputs", gb_shape(4), gb_fill(0.1));
}

/* Each family with an optimiser, each of some with a schedule. */
static void trainings(void)
{
    const gb_shape s = gb_shape(2);
    gb_tape *t = begin();
    train(t, gb_mean_field_with(s, OPTIONS(gb_mean_field_options, .location = 0.1, .map = GB_SCALE_EXP)),
          gb_pathwise(), gb_natural_with(OPTIONS(gb_natural_options, .lr = 0.1, .schedule = step_decay())));
    end(t, "mean field");
    t = begin();
    train(t, gb_full_rank_with(s, OPTIONS(gb_full_rank_options, .scale = 0.2)), gb_pathwise(),
          gb_adam_with(OPTIONS(gb_adam_options, .lr = 0.1, .schedule = warm_up())));
    end(t, "full rank");
    t = begin();
    train(t, gb_low_rank_with(s, OPTIONS(gb_low_rank_options, .rank = 2, .blocks = 2)), gb_pathwise(),
          gb_adamw_with(OPTIONS(gb_adamw_options, .decay = 0.05, .schedule = robbins_monro())));
    end(t, "low rank");
    t = begin();
    train(t, gb_mean_field_matching_with(s, OPTIONS(gb_mean_field_matching_options, .spread = 0.1)),
          gb_score_with(OPTIONS(gb_score_options, .baseline = gb_leave_one_out())),
          gb_sgd_with(OPTIONS(gb_sgd_options, .momentum = 0.5, .nesterov = true)));
    end(t, "matching");
    const gb_family flows[] = {
        gb_planar_with(s, OPTIONS(gb_planar_options, .layers = 2)),
        gb_coupling_with(s, OPTIONS(gb_coupling_options, .layers = 2, .hidden = 3)),
        gb_spline_with(s, OPTIONS(gb_spline_options, .layers = 2, .hidden = 3, .bins = 3)),
        gb_autoregressive_with(s, OPTIONS(gb_autoregressive_options, .layers = 2, .hidden = 3)),
        gb_banded_with(s, OPTIONS(gb_banded_options, .band = 1)),
        gb_amortised_with(s, OPTIONS(gb_amortised_options, .network = parameters)),
        gb_mixture_posterior_with(s, OPTIONS(gb_mixture_posterior_options, .components = 2)),
    };
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        t = begin();
        train(t, flows[i], i < 6 ? gb_pathwise() : gb_components(),
              gb_adam_with(OPTIONS(gb_adam_options, .lr = 0.01)));
        end(t, "flow");
    }
    t = begin();
    train(
        t,
        gb_dropout_posterior_with(s, OPTIONS(gb_dropout_posterior_options, .keep = 0.7, .is_learned = true)),
        gb_dropout_draws_with(OPTIONS(gb_dropout_draws_options, .mask = rebar())),
        gb_rmsprop_with(OPTIONS(gb_rmsprop_options, .momentum = 0.1, .centred = true)));
    end(t, "dropout");
    t = begin();
    const gb_node centre = gb_variable(t, "centre", s, gb_fill(0.3));
    const gb_dist q = gb_normal(centre, gb_num(t, 0.2));
    train(t, gb_family_of(&gb_given_family_type, s, OPTIONS(gb_posterior_of_options, .q = q)), gb_pathwise(),
          gb_adagrad_with(OPTIONS(gb_adagrad_options, .epsilon = 1e-6)));
    end(t, "given");
}

/* A layer of patches with an ensemble of points, and a perceptron. */
static void networks(void)
{
    gb_tape *const t = begin();
    gb_tape_set_samples(t, 2);
    const gb_node x = gb_constant(t, gb_shape(4, 1), GB_VALUES(0.5, -1, 2, 0.3));
    gb_elbo *const e = gb_elbo_new_with(t, OPTIONS(gb_elbo_options, .data_size = 3));
    const gb_node p = gb_patches_with(x, gb_shape(2), OPTIONS(gb_patches_options, .stride = gb_shape(2)));
    gb_print(gb_pool_mean_with(x, gb_shape(2), OPTIONS(gb_pool_mean_options, .stride = gb_shape(1))), stdout);
    const gb_family members = gb_ensemble_with(gb_shape(), OPTIONS(gb_ensemble_options, .members = 2));
    const gb_node h = gb_dense_with(
        e, "h", p, 3,
        OPTIONS(gb_dense_options, .activation = "tanh", .posterior = members, .layer_norm = true));
    const gb_node f = gb_mlp_with(e, "net", h, gb_widths(2, 1),
                                  OPTIONS(gb_mlp_options, .activation = "relu", .last_activation = "sigmoid",
                                          .input_dropout = 0.1, .dropouts = gb_rates(0.2)));
    const gb_node loss = gb_sum_over(gb_sum(f), GB_SAMPLES);
    gb_run(gb_compile(t, gb_roots(loss), gb_no_update));
    printf("networks: %.10g\n", gb_value(loss));
    end(t, "networks");
}

static void a_point(void)
{
    gb_tape *const t = begin();
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(2, -1));
    const gb_node loss = gb_sum(gb_square(gb_sub(x, gb_num(t, 1))));
    const gb_optimiser lbfgs = gb_lbfgs_with(OPTIONS(gb_lbfgs_options, .history = 3));
    gb_program *const program =
        gb_compile(t, gb_roots(loss),
                   gb_minimise_with(loss, lbfgs, OPTIONS(gb_minimise_options, .clip = 10, .average = true)));
    for (int i = 0; i < 3; i++)
        gb_run(program);
    print_variables(t);
    char text[256];
    gb_family_text(gb_point_with(gb_shape(2), OPTIONS(gb_point_options, .location = 0.4)), text, sizeof text);
    printf("%s\n", text);
    end(t, "a point");
}

static gb_elbo *make(void *user, gb_tape *tape, gb_fit_options *options)
{
    (void)user;
    const model m = model_on(tape, gb_mean_field(gb_shape(2)), gb_pathwise());
    *options = (gb_fit_options){
        .size = sizeof *options, .optimiser = gb_adam(.lr = 0.1), .data = m.data, .steps = 3};
    return m.elbo;
}

static void seeds_done(void *user, size_t number, gb_tape *tape, const gb_fit_result *result)
{
    const char *const path = user;
    printf("seed %zu: %.10g\n", number, result->last.elbo);
    const gb_status saved = gb_checkpoint_save(OPTIONS(gb_checkpoint, .tape = tape, .path = path));
    const gb_status loaded = gb_checkpoint_load(OPTIONS(gb_checkpoint, .tape = tape, .path = path));
    printf("checkpoint: %d %d\n", (int)saved, (int)loaded);
    print_variables(tape);
}

static void seeds(const char *path)
{
    static const uint64_t all[] = {3, 4};
    char kept[1024];
    snprintf(kept, sizeof kept, "%s", path);
    const gb_status status = gb_fit_each_seed(OPTIONS(gb_fit_seeds, .seeds = all, .count = 2,
                                                      .tape = OPTIONS(gb_tape_options, .threads = 1),
                                                      .make = make, .done = seeds_done, .user = kept));
    printf("each seed: %d\n", (int)status);
}

/* ---- comparisons ---- */

static void along_a_training(void)
{
    gb_tape *const t = begin();
    const gb_estimator both[] = {gb_pathwise(),
                                 gb_score_with(OPTIONS(gb_score_options, .baseline = gb_no_baseline()))};
    gb_fit_options options;
    gb_elbo *const e = make(NULL, t, &options);
    const gb_watching *const w =
        gb_watch_with(e, OPTIONS(gb_watch_options, .estimators = gb_estimators_of(2, both), .every = 3,
                                 .share = 1e9, .draws = 16, .batches = 4, .samples = 2));
    const gb_fit_result r = gb_fit_with(e, &options);
    printf("watch: %d %s\n", (int)r.status, w ? w->error : "none");
    for (size_t p = 0; w && p < w->points; p++)
        for (size_t i = 0; i < w->estimators; i++)
            printf("  %s %.10g\n", w->name[i],
                   w->point[p].estimator[i].parameter[w->parameters].variance.value);
    end(t, "watch");
    gb_racing *const race = gb_race_with(OPTIONS(gb_race_options, .make = make, .steps = 4, .points = 2,
                                                 .seeds = 1, .estimators = gb_estimators_of(2, both),
                                                 .tape = OPTIONS(gb_tape_options, .threads = 1)));
    printf("race: %d %s", (int)race->status, race->error);
    for (size_t i = 0; i < race->estimators && race->estimator[i].point; i++)
        printf(" %.10g", race->estimator[i].point[1].value.value);
    printf("\n");
    gb_racing_free(race);
}

static void print_comparison(const gb_comparison *c)
{
    printf("%s: %d %s\n", c->problem ? c->problem->name : "", (int)c->status, c->error);
    for (size_t i = 0; i < c->estimators; i++)
        for (size_t j = 0; j < c->parameters && c->estimator[i].parameter; j++) {
            const gb_measured *const m = &c->estimator[i].parameter[j];
            printf("  %s %s: %.10g variance %.10g\n", c->estimator[i].name, c->parameter[j], m->mean,
                   m->variance);
        }
}

static void compare(const char *name, size_t count, const gb_estimator *estimator)
{
    const gb_problem *const problem = gb_problem_find(name);
    gb_comparison *const c =
        gb_compare_with(OPTIONS(gb_compare_options, .problem = problem, .estimators = count,
                                .estimator = estimator, .draws = 200, .threads = 1));
    print_comparison(c);
    gb_comparison_free(c);
}

static void comparisons(void)
{
    const gb_baseline delta = gb_baseline_of(&gb_delta_baseline_type, NULL), none = gb_no_baseline();
    const gb_baseline both =
        gb_baseline_of(&gb_sum_baseline_type, OPTIONS(gb_sum_baseline_options, .first = delta, .rest = none));
    const gb_estimator smooth[] = {gb_pathwise_with(OPTIONS(gb_pathwise_options, .draws = GB_INDEPENDENT)),
                                   gb_score_with(OPTIONS(gb_score_options, .baseline = delta)),
                                   gb_score_with(OPTIONS(gb_score_options, .draws = GB_SOBOL)),
                                   gb_score_with(OPTIONS(gb_score_options, .baseline = both)),
                                   gb_muprop_with(OPTIONS(gb_muprop_options, .baseline = none)),
                                   gb_quadrature_with(OPTIONS(gb_quadrature_options, .nodes = 9)),
                                   gb_measure_valued()};
    const gb_estimator discrete[] = {
        gb_relax_with(OPTIONS(gb_relax_options, .temperature = 0.7)), relaxed(), rebar(), gb_arm(),
        gb_straight_through_with(OPTIONS(gb_straight_through_options, .temperature = 0.6))};
    compare("gauss-square", sizeof smooth / sizeof *smooth, smooth);
    compare("bernoulli-toy", sizeof discrete / sizeof *discrete, discrete);
    static const double points[] = {0.5, 1};
    gb_sweep *const s =
        gb_compare_sweep_with("k", 2, points,
                              OPTIONS(gb_compare_options, .problem = gb_problem_find("gauss-cos"),
                                      .estimators = 1, .estimator = smooth, .draws = 100, .threads = 1));
    for (size_t i = 0; i < s->points; i++)
        print_comparison(s->point[i]);
    gb_sweep_free(s);
    gb_stored *const stored = gb_stored_read_with("{}", 2, OPTIONS(gb_stored_read_options, .memory = NULL));
    puts(stored->error);
    gb_stored_free(stored);
}

/* ---- type structs of the program, copies of the library's ---- */

static void cube_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(gb_square(v->arg[0]), 3));
}

static const gb_op cube_op = {.size = sizeof(gb_op),
                              .name = "cube",
                              .formula = "x^3",
                              .form = GB_FORM_ELEMENTWISE,
                              .arguments = 1,
                              .vjp = cube_vjp,
                              .lane = cube,
                              .domain = {{-2, 2}}};

static void own_arithmetic(void)
{
    gb_tape *const t = begin();
    OWN(gb_op, op, cube_op);
    OWN(gb_domain, domain, gb_positive_domain);
    OWN(gb_dist_type, dist, gb_laplace_type);
    OWN(gb_transform_type, transform, gb_exponential_transform_type);
    OWN(gb_kind, kind, gb_estimator_kind);
    dist.it.name = "mine";
    dist.it.param[1].domain = &domain.it;
    domain.it.name = "mine";
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(0.5, 2));
    const gb_node y = gb_apply(NULL, &op.it, 1, &x, NULL, 0);
    const gb_node parameters[] = {x, gb_num(t, 2)};
    const gb_dist d = gb_dist_of(&dist.it, parameters);
    gb_transform onto = gb_exponential_transform(t);
    onto.type = &transform.it;
    gb_print(gb_grad(gb_sum(y), x), stdout);
    gb_print(gb_grad(gb_sum(gb_log_prob(d, y)), x), stdout);
    gb_print(gb_transform_forward(onto, x), stdout);
    gb_print(gb_transform_inverse(onto, x), stdout);
    printf("%d %d %s\n", gb_domain_holds(&domain.it, 2), gb_domain_holds(&domain.it, -2),
           gb_kind_find(&kind.it, "score")->formula);
    end(t, "own operation, domain, distribution, transform");
}

static void own_plugins(void)
{
    gb_tape *const t = begin();
    OWN(gb_estimator_type, estimator, gb_score_estimator_type);
    OWN(gb_baseline_type, baseline, gb_leave_one_out_baseline_type);
    OWN(gb_family_type, family, gb_mean_field_family_type);
    OWN(gb_optimiser_type, optimiser, gb_adam_optimiser_type);
    OWN(gb_schedule_type, schedule, gb_cosine_schedule_type);
    OWN(gb_problem, problem, *gb_problem_find("gauss-exp"));
    const gb_schedule falling =
        gb_schedule_of(&schedule.it, OPTIONS(gb_cosine_options, .steps = 5, .end = 0.5));
    const gb_baseline others = gb_baseline_of(&baseline.it, NULL);
    const gb_estimator score = gb_estimator_of(&estimator.it, OPTIONS(gb_score_options, .baseline = others));
    train(t, gb_family_of(&family.it, gb_shape(2), OPTIONS(gb_mean_field_options, .scale = 0.3)), score,
          gb_optimiser_of(&optimiser.it, OPTIONS(gb_adam_options, .lr = 0.1, .schedule = falling)));
    const gb_estimator two[] = {score, gb_pathwise()};
    gb_comparison *const c =
        gb_compare_with(OPTIONS(gb_compare_options, .problem = &problem.it, .estimators = 2, .estimator = two,
                                .draws = 200, .samples = 2, .threads = 1));
    print_comparison(c);
    gb_comparison_free(c);
    end(t, "own plug-ins");
}

static void own_bound(void)
{
    gb_tape *const t = begin();
    OWN(gb_bound_type, bound, gb_evidence_bound_type);
    const gb_dist standard = gb_normal(gb_num(t, 1), gb_num(t, 1));
    gb_elbo *const e =
        gb_elbo_new_with(t, OPTIONS(gb_elbo_options, .data_size = 1, .bound = gb_bound_of(&bound.it, NULL)));
    gb_latent(e, "z", gb_mean_field(gb_shape()), standard, gb_pathwise());
    gb_expect *const expect = gb_expect_new_with(t, OPTIONS(gb_expect_options, .samples = 3));
    const gb_node z = gb_draw(expect, "drawn", standard, gb_pathwise());
    gb_print(gb_elbo_loss(e), stdout);
    gb_print(gb_expected(expect, gb_square(z)), stdout);
    end(t, "own bound");
}

static void bounds(void)
{
    const gb_bound all[] = {
        gb_iwae_with(OPTIONS(gb_iwae_options, .draws = 3)),
        gb_renyi_with(OPTIONS(gb_renyi_options, .alpha = 0.3, .draws = 2)),
        gb_thermodynamic_with(OPTIONS(gb_thermodynamic_options, .draws = 4, .points = 3, .lowest = 0.2))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gb_tape *const t = begin();
        gb_expect *const expect = gb_expect_new_with(t, OPTIONS(gb_expect_options, .bound = all[i]));
        const gb_dist q = gb_normal(gb_num(t, 0.3), gb_num(t, 0.5));
        const gb_node z = gb_draw(expect, "z", q, gb_pathwise());
        const gb_node l = gb_sub(gb_neg(gb_square(z)), gb_log_prob(q, z));
        gb_print(gb_expected_bound(expect, l, gb_num(t, 1)), stdout);
        end(t, "bound");
    }
}

/* ---- numbers in, numbers out ---- */

static void diagnostics(void)
{
    double ratios[60], weights[60];
    size_t places[5];
    for (int i = 0; i < 60; i++)
        ratios[i] = 0.001 * (i * 37 % 60) * (i * 37 % 60);
    const gb_psis w = gb_psis_smooth_with(60, ratios, weights, OPTIONS(gb_psis_smooth_options, .r_eff = 0.5));
    gb_psis_resample_with(&w, 5, places, OPTIONS(gb_psis_resample_options, .seed = 3));
    const gb_tails tails = gb_tails_fit_with(30, ratios, OPTIONS(gb_tails_fit_options, .stride = 2));
    const gb_loo l = gb_loo_with(20, 3, ratios, OPTIONS(gb_loo_options, .log_ratios = weights));
    printf("diagnostics: %g, place %zu, %g, %g\n", w.k, places[2], tails.k, l.elpd);
}

/* A simulation that fails: its options are looked at before. */
static gb_elbo *no_elbo(void *user, gb_tape *tape, size_t number, double *truth)
{
    (void)user, (void)tape, (void)number, (void)truth;
    return NULL;
}

static void predicting(const model *m)
{
    gb_prediction *const p = gb_predictive_with(
        m->elbo, "y", OPTIONS(gb_predictive_options, .data = m->data, .draws = 20, .seed = 2));
    printf("predicted: %.10g\n", p ? p->mean[0] + p->sd[0] : 0);
    gb_prediction_free(p);
}

static void judging(gb_tape *t, const model *m, gb_density *d)
{
    gb_judgement *const j = gb_judge_with(
        m->elbo, OPTIONS(gb_judge_options, .density = d, .draws = 200, .most_draws = 400, .seed = 3));
    gb_summary_table *const s = gb_summary_with(m->elbo, OPTIONS(gb_summary_options, .judgement = j));
    printf("judged: %s, %.10g, %zu rows\n", j ? gb_verdict_text(j->verdict) : "", j ? j->elbo : 0,
           s ? s->rows : 0);
    gb_draws_save_with(s, "draws.txt", OPTIONS(gb_draws_save_options, .resample = 10));
    gb_forgive(t);
    const gb_loo l =
        gb_elbo_loo_with(m->elbo, (gb_node_list){0}, OPTIONS(gb_elbo_loo_options, .judgement = j));
    gb_forgive(t);
    const gb_node zero = gb_num(t, 0);
    const gb_predictive_p_value p =
        gb_predictive_check_with(m->elbo, zero, zero, OPTIONS(gb_predictive_check_options, .judgement = j));
    gb_calibration *const c =
        gb_calibrate_with(OPTIONS(gb_calibrate_options, .make = no_elbo, .parameters = 1));
    printf("checks: %s; %g; %s\n", l.words, p.p, c ? c->words : "");
    gb_calibration_free(c);
    gb_summary_free(s);
    gb_judgement_free(j);
}

static void sampling(void)
{
    gb_tape *const t = begin();
    const model m =
        model_on(t, gb_mean_field_with(gb_shape(2), OPTIONS(gb_mean_field_options)), gb_pathwise());
    gb_density *const d = gb_density_new_with(m.elbo, OPTIONS(gb_density_options, .data = m.data));
    gb_nuts *const r = gb_sample_nuts_with(
        m.elbo, OPTIONS(gb_sample_nuts_options, .density = d, .chains = 2, .warmup = 30, .draws = 20));
    printf("nuts: %.10g\n", r ? r->value[2 * 20 * 2 - 1] : 0);
    gb_nuts_free(r);
    predicting(&m);
    judging(t, &m, d);
    const gb_curvature *const laplace =
        gb_laplace_normal_with(m.elbo, OPTIONS(gb_laplace_normal_options, .density = d));
    const gb_curvature *const response =
        gb_linear_response_with(m.elbo, OPTIONS(gb_linear_response_options, .data = m.data, .draws = 64));
    printf("laplace %d, response %d: %s\n", laplace != NULL, response != NULL, gb_error_text(t));
    gb_forgive(t);
    end(t, "sampling");
}

static void leaky_step(gb_scan_step *step)
{
    step->next[0] = gb_add(gb_scale(step->state[0], 0.5), step->input[0]);
    step->output[0] = step->next[0];
}

static void recursions(void)
{
    gb_tape *const t = begin();
    const gb_node x = gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3));
    const gb_scan_result r = gb_scan_with(t, leaky_step, gb_roots(gb_num(t, 0)),
                                          OPTIONS(gb_scan_options, .inputs = gb_roots(x), .outputs = 1));
    printf("scan: %.10g\n", gb_value(gb_sum(r.output[0])));
    end(t, "recursions");
}

/* ---- kits: two at work, the others on what they reject at once ---- */

static void print_report(const char *name, const gb_report *report)
{
    printf("%s: %zu checks, %zu failures %s\n", name, report->checks, report->failures, report->failure[0]);
}

#define CHECK(kit, ...)                                                                                      \
    do {                                                                                                     \
        gb_report report = {.size = sizeof report};                                                          \
        kit##_with(__VA_ARGS__, OPTIONS(kit##_options, .report = &report));                                  \
        print_report(#kit, &report);                                                                         \
    } while (0)

static void kits(void)
{
    OWN(gb_transform_type, transform, gb_exponential_transform_type);
    OWN(gb_dist_type, dist, gb_laplace_type);
    OWN(gb_op, op, cube_op);
    op.it.size = transform.it.size = dist.it.size = 1;
    CHECK(gb_check_schedule, cosine());
    CHECK(gb_check_op, &cube_op);
    CHECK(gb_check_op, &op.it);
    CHECK(gb_check_transform, &transform.it);
    CHECK(gb_check_dist, &dist.it);
    CHECK(gb_check_estimator, (gb_estimator){0});
    CHECK(gb_check_baseline, (gb_baseline){0});
    CHECK(gb_check_family, (gb_family){0});
    CHECK(gb_check_optimiser, (gb_optimiser){0});
    CHECK(gb_check_bound, (gb_bound){0});
    CHECK(gb_check_model, (gb_model){0});
    CHECK(gb_check_problem, NULL);
}

/* ---- data ---- */

static void designs(void)
{
    gb_tape *const t = begin();
    gb_table *const d = gb_table_of_text(t, "d", "y,x,f\n1,2,a\n2,4,b\n4,5,a\n");
    const gb_design *const x = gb_design_new_with(t, "y ~ x + f", d, OPTIONS(gb_design_options, .name = "x"));
    const gb_design *const again =
        gb_design_apply_with(x, d, OPTIONS(gb_design_apply_options, .drop_missing = true));
    const gb_standard *const s =
        gb_standard_new_with(t, gb_design_outcome(again), OPTIONS(gb_standard_options, .population = true));
    printf("%s %.6f\n", gb_design_column_name(again, 2), s ? gb_standard_sds(s)[0] : 0);
    gb_table_free(d);
    end(t, "designs");
}

static void analysis(gb_model model, const char *formula)
{
    gb_tape *const t = begin();
    gb_table *const d = gb_table_of_text(t, "d", "y,x,b\n1,2,1\n0,4,0\n1,5,0\n0,7,1\n");
    gb_analysis *const a =
        gb_analysis_new_with(t, model, OPTIONS(gb_analysis_options, .formula = formula, .table = d));
    const gb_node loss = gb_elbo_loss(gb_analysis_elbo(a));
    if (gb_analysis_data(a))
        gb_next_batch(gb_analysis_data(a));
    gb_print(loss, stdout);
    if (gb_analysis_data(a))
        gb_analysis_rows(a, d);
    gb_table_free(d);
    end(t, model.type->name);
}

static void arrays(void)
{
    static const double x[] = {1, 2, 4, 7}, y[] = {1, 3, 2, 5};
    gb_tape *const t = begin();
    gb_analysis *const a = gb_analysis_new_with(t, gb_linear_model_with(NULL),
                                                OPTIONS(gb_analysis_options, .x = gb_doubles(x),
                                                        .y = gb_doubles(y), .rows = 4, .no_intercept = true));
    gb_batches *const new =
        gb_analysis_new_rows_with(a, OPTIONS(gb_analysis_new_rows_options, .x = gb_doubles(x), .rows = 3));
    printf("%lld rows\n", (long long)gb_batches_rows(new));
    end(t, "arrays");
}

static bool own_build(gb_model_site *s, const void *options)
{
    (void)options;
    gb_coefficients *const c =
        gb_coefficients_new_with(s, OPTIONS(gb_coefficients_options, .name = "own", .intercept_scale = 3));
    if (!gb_model_draw(s))
        return false;
    gb_equations *const e = gb_equations_new_with(s, OPTIONS(gb_equations_options, .no_slopes = true));
    printf("%lld\n", (long long)gb_equations_add(e, 0));
    gb_equations_free(e);
    gb_coefficients_show(c, NULL);
    return gb_model_has_residue_with(s, OPTIONS(gb_model_has_residue_options, .shared_scale = true)) &&
           gb_model_observe(s, gb_normal(gb_coefficients_predictor(c, s->x), gb_num(s->tape, 1)));
}

static void models(void)
{
    OWN(gb_model_type, own, gb_linear_model_type);
    OWN(gb_shrinkage_type, shrinkage, gb_ridge_shrinkage_type);
    own.it.build = own_build;
    own.it.options = NULL;
    own.it.option_bytes = 0;
    const gb_model all[] = {
        gb_linear_model_with(OPTIONS(gb_linear_model_options, .prior = gb_normal_shrinkage_with(OPTIONS(
                                                                  gb_normal_shrinkage_options, .scale = 2)))),
        gb_robust_model_with(
            OPTIONS(gb_robust_model_options, .freedom = 4,
                    .prior = gb_laplace_shrinkage_with(OPTIONS(gb_laplace_shrinkage_options, .scale = 2)))),
        gb_logistic_model_with(OPTIONS(
            gb_logistic_model_options,
            .prior = gb_student_t_shrinkage_with(OPTIONS(gb_student_t_shrinkage_options, .freedom = 5)))),
        gb_multinomial_model_with(OPTIONS(gb_multinomial_model_options,
                                          .prior = gb_ridge_with(OPTIONS(gb_ridge_options, .scale = 2)))),
        gb_ordinal_model_with(
            OPTIONS(gb_ordinal_model_options, .prior = gb_shrinkage_of(&shrinkage.it, NULL))),
        gb_poisson_model_with(OPTIONS(gb_poisson_model_options,
                                      .prior = gb_horseshoe_with(OPTIONS(gb_horseshoe_options, .slab = 2)))),
        gb_negative_binomial_model_with(OPTIONS(gb_negative_binomial_model_options, .raw = true)),
        gb_sparse_gaussian_process_model_with(
            OPTIONS(gb_sparse_gaussian_process_model_options, .inducing = 3)),
        gb_model_of(&own.it, NULL)};
    const gb_model wholes[] = {
        gb_autoregressive_model_with(OPTIONS(gb_autoregressive_model_options, .order = 2)),
        gb_local_level_model_with(OPTIONS(gb_local_level_model_options, .level_scale = 2)),
        gb_garch_model_with(OPTIONS(gb_garch_model_options, .omega_scale = 2)),
        gb_gaussian_process_model_with(OPTIONS(gb_gaussian_process_model_options, .length_scale = 2))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        analysis(all[i], "y ~ x");
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        analysis(wholes[i], "y ~ x");
    analysis(gb_hidden_markov_model_with(OPTIONS(gb_hidden_markov_model_options, .stay = 2)), "y ~ 1");
    analysis(gb_network_model_with(OPTIONS(gb_network_model_options, .units = 2)), "y ~ x");
    analysis(gb_network_class_model_with(OPTIONS(gb_network_class_model_options, .units = 2)), "b ~ x");
    analysis(gb_mixture_model_with(OPTIONS(gb_mixture_model_options, .components = 3)), "~ x");
    analysis(gb_factor_model_with(OPTIONS(gb_factor_model_options, .factors = 1)), "~ x + y");
    analysis(
        gb_variational_autoencoder_model_with(OPTIONS(gb_variational_autoencoder_model_options, .units = 2)),
        "~ x + y");
    analysis(gb_belief_network_model_with(OPTIONS(gb_belief_network_model_options, .units = 2)), "~ b - 1");
    arrays();
}

int main(int count, char **arguments)
{
    gb_tape *const t = begin();
    setvbuf(stdout, NULL, _IOLBF, 0);
    operations();
    estimators(t);
    end(t, "estimators");
    data();
    trainings();
    networks();
    a_point();
    seeds(count > 1 ? arguments[1] : "growth.checkpoint");
    along_a_training();
    comparisons();
    own_arithmetic();
    own_plugins();
    own_bound();
    bounds();
    diagnostics();
    sampling();
    recursions();
    designs();
    models();
    kits();
    return 0;
}
