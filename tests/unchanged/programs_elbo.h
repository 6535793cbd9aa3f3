/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bound: units, weights and schedules; blocks, hierarchies, a latent for each row; reading a
 * posterior; plateaus, averages, several seeds. */
#ifndef GREBE_TESTS_PROGRAMS_ELBO_H
#define GREBE_TESTS_PROGRAMS_ELBO_H

#include "model.h"

static void fit_with(probe *p, gb_elbo_options options)
{
    options.samples = 3;
    model *const m = begin(p, options, REALS);
    m->w = gb_latent(m->e, "w", gb_mean_field(gb_shape(COLUMNS), .scale = 0.5), standard_normal(p),
                     gb_pathwise());
    observe_line(p, m);
    fit(p, m);
}

static void elbo_per_batch(probe *p)
{
    fit_with(p, (gb_elbo_options){.unit = GB_PER_BATCH, .kl = GB_KL_EXACT});
}
static void elbo_per_datum(probe *p)
{
    fit_with(p, (gb_elbo_options){.unit = GB_PER_DATUM, .kl = GB_KL_SAMPLED});
}
static void elbo_kl_weight(probe *p)
{
    const gb_node weight = gb_variable(p->t, "weight", gb_shape(), gb_fill(0.375));
    fit_with(p, (gb_elbo_options){.kl_weight = weight});
}
static void elbo_kl_warm_up(probe *p)
{
    fit_with(p, (gb_elbo_options){.kl_schedule = gb_warm_up(12, gb_steady())});
}
static void elbo_kl_cyclical(probe *p)
{
    fit_with(p, (gb_elbo_options){.kl_schedule = gb_cyclical(6, .cycles = 2)});
}

/* One normal over parts with different supports. */
static void elbo_block(probe *p)
{
    gb_node part[3];
    model *const m = begin(p, (gb_elbo_options){.samples = 3}, REALS);
    const gb_node one = gb_num(p->t, 1), two = gb_num(p->t, 2);
    const gb_dist of_noise = gb_gamma(two, one), of_share = gb_beta(two, two);
    const gb_latent_part parts[] = {
        {.name = "slope", .shape = gb_shape(COLUMNS), .prior = standard_normal(p)},
        {.name = "noise", .shape = gb_shape(), .prior = of_noise},
        {.name = "share", .shape = gb_shape(), .prior = of_share}};
    gb_latent_block(m->e, "theta", gb_full_rank(gb_shape(), .scale = 0.25), 3, parts, gb_pathwise(), part);
    const gb_node line = gb_dot(m->x, part[0]), noise = gb_shift(part[1], 0.25);
    gb_observe(m->e, "y", gb_normal(gb_add(line, part[2]), noise), m->y);
    fit(p, m);
    double mean[COLUMNS], sd[COLUMNS];
    gb_elbo_posterior_read(m->e, "theta.slope", mean, sd, COLUMNS);
    hash_numbers(p, "mean", mean, COLUMNS);
    hash_numbers(p, "sd", sd, COLUMNS);
}

/* Blocks whose parts have one kind of prior, so that KL is exact; a block that is a point; parts without
 * priors. */
static void fit_block(probe *p, gb_family family, bool has_priors)
{
    gb_node part[2];
    model *const m = begin(p, (gb_elbo_options){.samples = 3}, REALS);
    const gb_node half = gb_num(p->t, 0.5), two = gb_num(p->t, 2);
    const gb_dist first = standard_normal(p), second = gb_normal(half, two);
    const gb_latent_part parts[] = {
        {.name = "slope", .shape = gb_shape(COLUMNS), .prior = has_priors ? first : gb_no_prior},
        {.name = "shift",
         .shape = gb_shape(),
         .prior = has_priors ? second : gb_no_prior,
         .support = has_priors ? NULL : GB_POSITIVE}};
    gb_latent_block(m->e, "theta", family, 2, parts, gb_pathwise(), part);
    const gb_node line = gb_dot(m->x, part[0]), mean = gb_add(line, part[1]);
    gb_observe(m->e, "y", gb_normal(mean, half), m->y);
    fit(p, m);
}
static void elbo_block_of_normals(probe *p)
{
    fit_block(p, gb_low_rank(gb_shape(), .rank = 2, .factor = 0.25), true);
}
static void elbo_block_of_a_mean_field(probe *p)
{
    fit_block(p, gb_mean_field(gb_shape(), .scale = 0.25), true);
}
static void elbo_block_of_points(probe *p)
{
    fit_block(p, gb_point(gb_shape()), true);
}
static void elbo_block_without_priors(probe *p)
{
    fit_block(p, gb_full_rank(gb_shape()), false);
}

/* Two bounds with schedules on one tape. */
static void elbo_two(probe *p)
{
    for (int i = 0; i < 2; i++) {
        static const char *const NAMES[] = {"first", "second"};
        gb_elbo *const e =
            gb_elbo_new(p->t, .data_size = 1, .samples = 2, .kl_schedule = gb_warm_up(5, gb_steady()));
        const gb_node w =
            gb_latent(e, NAMES[i], gb_mean_field(gb_shape(2)), standard_normal(p), gb_pathwise());
        gb_factor(e, "pull", gb_neg(gb_sum(gb_square(gb_shift(w, -1)))));
        const gb_fit_result r = gb_fit(e, .optimiser = gb_adam(.lr = 0.25), .steps = 8);
        hash_fit(p, &r);
    }
    look_at_variables(p);
}

/* KL from draws, by several estimators. */
static void fit_sampled(probe *p, gb_estimator estimator)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 4, .kl = GB_KL_SAMPLED}, REALS);
    m->w =
        gb_latent(m->e, "w", gb_mean_field(gb_shape(COLUMNS), .scale = 0.5), standard_normal(p), estimator);
    observe_line(p, m);
    fit(p, m);
}
static void elbo_sampled_by_score(probe *p)
{
    fit_sampled(p, gb_score(.baseline = gb_leave_one_out()));
}
static void elbo_sampled_by_measure(probe *p)
{
    fit_sampled(p, gb_measure_valued());
}
static void elbo_sampled_by_quadrature(probe *p)
{
    fit_sampled(p, gb_quadrature(.nodes = 3));
}
static void elbo_sampled_by_sobol(probe *p)
{
    fit_sampled(p, gb_pathwise(.draws = GB_SOBOL));
}

static void elbo_sampled_row_by_row(probe *p)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 2, .kl = GB_KL_SAMPLED}, REALS);
    m->w = gb_latent(m->e, "w", gb_row_by_row(gb_mean_field(gb_shape(COLUMNS))), standard_normal(p),
                     gb_pathwise());
    observe_line(p, m);
    fit(p, m);
}

/* Normals over matrices, whose free numbers are a vector. */
static void fit_matrix(probe *p, gb_family family)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 2}, REALS);
    const gb_node w = gb_latent(m->e, "w", family, standard_normal(p), gb_pathwise());
    const gb_node two = gb_matmul(m->x, w), half = gb_num(p->t, 0.5);
    gb_observe(m->e, "y", gb_normal(gb_sum(gb_tanh(two)), half), m->y);
    fit(p, m);
}
static void elbo_matrix_of_full_rank(probe *p)
{
    fit_matrix(p, gb_full_rank(gb_shape(COLUMNS, 2), .spread = 0.5));
}
static void elbo_matrix_of_low_rank(probe *p)
{
    fit_matrix(p, gb_low_rank(gb_shape(COLUMNS, 2), .spread = 0.5));
}

/* A prior that depends on another latent, two estimators, a factor, and a likelihood that is a node. */
static void elbo_hierarchy(probe *p)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 4}, REALS);
    const gb_node zero = gb_num(p->t, 0), one = gb_num(p->t, 1);
    const gb_node scale = gb_latent(m->e, "scale", gb_mean_field(gb_shape(), .scale = 0.25),
                                    gb_half_normal(one), gb_score(.baseline = gb_moving_average()));
    m->w = gb_latent(m->e, "w", gb_full_rank(gb_shape(COLUMNS)), gb_normal(zero, scale),
                     gb_sticking_the_landing());
    const gb_node line = gb_dot(m->x, m->w), off = gb_sub(line, m->y);
    gb_log_likelihood(m->e, "y", gb_scale(gb_square(off), -2));
    gb_factor(m->e, "pull", gb_scale(gb_square(gb_sum(m->w)), -0.25));
    fit(p, m);
}

/* A latent for each row, found by the row's number in a table. */
static void elbo_local_latents(probe *p)
{
    static const int64_t AT[ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    model *const m = begin(p, (gb_elbo_options){.samples = 2}, REALS);
    const gb_node at = gb_input_rows_ints(p->t, "at", gb_shape());
    const gb_node table = gb_variable(p->t, "z.location", gb_shape(ROWS), gb_fill(0));
    const gb_node loc = gb_gather(table, 0, at), scale = gb_num(p->t, 0.25), wide = gb_num(p->t, 1.5);
    m->data = gb_batches_new(
        p->t, .rows = ROWS, .batch = BATCH, .name = "numbered",
        .columns = GB_COLUMNS({m->x, gb_doubles(m->xs)}, {m->y, gb_doubles(m->ys)}, {at, gb_int64s(AT)}));
    const gb_dist q = gb_normal(loc, scale), prior = gb_normal(gb_num(p->t, 0), wide);
    const gb_node z = gb_latent(m->e, "z", gb_posterior_of(q), prior, gb_pathwise());
    m->w = gb_latent(m->e, "w", gb_mean_field(gb_shape(COLUMNS)), standard_normal(p), gb_pathwise());
    const gb_node line = gb_dot(m->x, m->w);
    gb_observe(m->e, "y", gb_normal(gb_add(line, z), scale), m->y);
    const gb_fit_result r =
        gb_fit(m->e, .optimiser = gb_adam(.lr = 0.0625), .data = m->data, .epochs = 7, .window = 5);
    hash_fit(p, &r);
    look_at_variables(p);
}

/* A discrete latent, which is enumerated. */
static void elbo_choice(probe *p)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 2}, REALS);
    const gb_node logits = variable(p, "logits", gb_shape(), -1, 1);
    const gb_dist q = gb_bernoulli_logits(logits), prior = gb_bernoulli(gb_num(p->t, 0.25));
    const gb_node on = gb_latent(m->e, "on", gb_posterior_of(q), prior, gb_enumerated());
    m->w = gb_latent(m->e, "w", gb_mean_field(gb_shape(COLUMNS)), standard_normal(p), gb_pathwise());
    const gb_node line = gb_dot(m->x, m->w), noise = gb_num(p->t, 0.5);
    gb_observe(m->e, "y", gb_normal(gb_mul(line, on), noise), m->y);
    fit(p, m);
}

/* Quantiles, means and standard deviations of posteriors. */
static void elbo_posterior(probe *p)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 2}, REALS);
    const gb_node one = gb_num(p->t, 1);
    const gb_node s =
        gb_latent(m->e, "s", gb_mean_field(gb_shape(2), .scale = 0.5), gb_half_normal(one), gb_pathwise());
    m->w = gb_latent(m->e, "w", gb_full_rank(gb_shape(COLUMNS)), standard_normal(p), gb_pathwise());
    const gb_node line = gb_dot(m->x, m->w), noise = gb_sum(s);
    gb_observe(m->e, "y", gb_normal(line, noise), m->y);
    fit(p, m);
    const gb_dist q = gb_elbo_posterior(m->e, "s");
    keep(p, gb_icdf(q, constant(p, "u", gb_shape(2), 0, 1)));
    keep(p, gb_elbo_posterior_mean(m->e, "s"));
    keep(p, gb_elbo_posterior_sd(m->e, "s"));
    keep(p, gb_elbo_posterior_mean(m->e, "w"));
    keep(p, gb_elbo_posterior_sd(m->e, "w"));
    look_at_kept(p, 1);
}

/* A network with one hidden layer, with different draws of its first weights for each row. */
static void elbo_network(probe *p)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 2}, COINS);
    const gb_dist prior = standard_normal(p);
    const gb_node first =
        gb_latent(m->e, "first", gb_row_by_row(gb_mean_field(gb_shape(COLUMNS, 5), .spread = 0.5)), prior,
                  gb_pathwise());
    const gb_node bias = gb_latent(m->e, "bias", gb_point(gb_shape(5)), prior, gb_pathwise());
    const gb_node second =
        gb_latent(m->e, "second", gb_mean_field(gb_shape(5), .spread = 0.5), prior, gb_pathwise());
    const gb_node hidden = gb_tanh(gb_affine(m->x, first, bias));
    gb_observe(m->e, "y", gb_bernoulli_logits(gb_dot(hidden, second)), m->y);
    fit(p, m);
}

/* ---- trainings ---- */

static model *line(probe *p)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 2}, REALS);
    m->w = gb_latent(m->e, "w", gb_mean_field(gb_shape(COLUMNS), .scale = 0.5), standard_normal(p),
                     gb_pathwise());
    observe_line(p, m);
    return m;
}

/* A second call of gb_fit continues the first; averages of iterates are exchanged with the variables. */
static void fit_with_averages(probe *p)
{
    model *const m = line(p);
    for (int call = 0; call < 2; call++) {
        const gb_fit_result r =
            gb_fit(m->e, .optimiser = gb_adam(.lr = 0.125, .schedule = gb_cosine(60, .end = 0.125)),
                   .data = m->data, .epochs = 5, .average = true, .average_after = 6, .clip_norm = 8);
        hash_fit(p, &r);
    }
    gb_run(gb_compile(p->t, (gb_node_list){0}, gb_swap_averages(gb_elbo_loss(m->e))));
    look_at_variables(p);
    look_at_terms(p, m);
}

static void fit_to_a_plateau(probe *p)
{
    model *const m = line(p);
    const gb_fit_result r = gb_fit(m->e, .optimiser = gb_adam(.lr = 0.0625), .data = m->data, .steps = 600,
                                   .window = 10, .plateau = true, .improvement = 4);
    hash_fit(p, &r);
    look_at_variables(p);
}

/* Batches that are not shuffled. */
static void fit_in_order(probe *p)
{
    model *const m = line(p);
    gb_batches *const data =
        gb_batches_new(p->t, .rows = ROWS, .batch = 3, .in_order = true,
                       .columns = GB_COLUMNS({m->x, gb_doubles(m->xs)}, {m->y, gb_doubles(m->ys)}));
    const gb_fit_result r = gb_fit(m->e, .optimiser = gb_rmsprop(.lr = 0.03125, .momentum = 0.5),
                                   .data = data, .epochs = 6, .clip = 4, .gradient_norm = true);
    hash_fit(p, &r);
    look_at_variables(p);
}

static gb_elbo *make_seed(void *user, gb_tape *tape, gb_fit_options *options)
{
    probe *const p = user;
    p->t = tape;
    model *const m = line(p);
    options->data = m->data;
    options->optimiser = gb_adam(.lr = 0.125);
    options->steps = 12;
    return m->e;
}

static void seed_done(void *user, size_t number, gb_tape *tape, const gb_fit_result *result)
{
    probe *const p = user;
    (void)number, (void)tape;
    hash_fit(p, result);
    look_at_variables(p);
}

static void fit_from_seeds(probe *p)
{
    gb_tape *const own = p->t;
    const uint64_t seeds[] = {3, 1, 4};
    const gb_tape_options tape_options = {
        .size = sizeof tape_options, .real = p->real, .threads = p->threads};
    const gb_status status = gb_fit_each_seed(&(gb_fit_seeds){.size = sizeof(gb_fit_seeds),
                                                              .seeds = seeds,
                                                              .count = 3,
                                                              .tape = &tape_options,
                                                              .make = make_seed,
                                                              .done = seed_done,
                                                              .user = p});
    p->t = own;
    assert_int_equal(status, GB_OK);
}

/* A loop around gb_next_batch and gb_run. */
static void fit_by_hand(probe *p)
{
    model *const m = line(p);
    const gb_node loss = gb_elbo_loss(m->e);
    gb_program *const step = gb_compile(p->t, gb_roots(loss), gb_minimise(loss, gb_adagrad(.lr = 0.25)));
    for (int epoch = 0; epoch < 4; epoch++)
        while (gb_next_batch(m->data)) {
            gb_run(step);
            look(p, loss);
        }
    look_at_variables(p);
}

/* clang-format off */
#define ELBO_PROGRAMS                                                                                        \
    PROGRAM("elbo/per-batch", elbo_per_batch),                                                               \
    PROGRAM("elbo/per-datum", elbo_per_datum),                                                               \
    PROGRAM("elbo/kl-weight", elbo_kl_weight),                                                               \
    PROGRAM("elbo/kl-warm-up", elbo_kl_warm_up),                                                             \
    PROGRAM("elbo/kl-cyclical", elbo_kl_cyclical),                                                           \
    PROGRAM("elbo/block", elbo_block),                                                                       \
    PROGRAM("elbo/block-of-normals", elbo_block_of_normals),                                                 \
    PROGRAM("elbo/block-of-a-mean-field", elbo_block_of_a_mean_field),                                       \
    PROGRAM("elbo/block-of-points", elbo_block_of_points),                                                   \
    PROGRAM("elbo/block-without-priors", elbo_block_without_priors),                                         \
    PROGRAM("elbo/two", elbo_two),                                                                           \
    PROGRAM("elbo/sampled-by-score", elbo_sampled_by_score),                                                 \
    MULTIPLIED("elbo/sampled-by-measure", elbo_sampled_by_measure),                                          \
    MULTIPLIED("elbo/sampled-by-quadrature", elbo_sampled_by_quadrature),                                    \
    PROGRAM("elbo/sampled-row-by-row", elbo_sampled_row_by_row),                                             \
    PROGRAM("elbo/matrix-of-full-rank", elbo_matrix_of_full_rank),                                           \
    PROGRAM("elbo/matrix-of-low-rank", elbo_matrix_of_low_rank),                                             \
    PROGRAM("elbo/sampled-by-sobol", elbo_sampled_by_sobol),                                                 \
    PROGRAM("elbo/hierarchy", elbo_hierarchy),                                                               \
    PROGRAM("elbo/local-latents", elbo_local_latents),                                                       \
    PROGRAM("elbo/choice", elbo_choice),                                                                     \
    PROGRAM("elbo/posterior", elbo_posterior),                                                               \
    PROGRAM("elbo/network", elbo_network),                                                                   \
    PROGRAM("fit/with-averages", fit_with_averages),                                                         \
    PROGRAM("fit/to-a-plateau", fit_to_a_plateau),                                                           \
    PROGRAM("fit/in-order", fit_in_order),                                                                   \
    PROGRAM("fit/from-seeds", fit_from_seeds),                                                               \
    PROGRAM("fit/by-hand", fit_by_hand)
/* clang-format on */

#endif
