/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families that cannot be the posterior asked for: the code and the words of each rejection. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "ops/array.h"
#include "support/misuse.h"

static gb_elbo *elbo_of(const world *w)
{
    return gb_elbo_new(w->t, .data_size = 10);
}

static gb_dist unit(const world *w)
{
    return gb_normal(gb_num(w->t, 0), gb_num(w->t, 1));
}

static gb_dist positive(const world *w)
{
    return gb_half_normal(gb_num(w->t, 1));
}

/* ---- one latent variable ---- */

#define LATENT(name, code, words, family, prior)                                                             \
    MISUSE(name, code, words, gb_latent(elbo_of(w), "a", (family), (prior), gb_pathwise()))

LATENT(prior_of_counts, GB_EARGUMENT, "latent a: no transform reaches the support of the prior (poisson)",
       gb_mean_field(gb_shape(2)), gb_poisson(gb_num(w->t, 1)))
LATENT(negative_scale, GB_EARGUMENT, "latent a: full_rank: scale is -1",
       gb_full_rank(gb_shape(2), .scale = -1), unit(w))
LATENT(location_of_nan, GB_EARGUMENT, "latent a: point: location is nan",
       gb_point(gb_shape(2), .location = (double)NAN), unit(w))
LATENT(negative_spread, GB_EARGUMENT, "latent a: mean_field: spread is -1",
       gb_mean_field(gb_shape(2), .spread = -1), unit(w))
LATENT(negative_rank, GB_EARGUMENT, "latent a: low_rank: rank is -1, and must be a whole number above 0",
       gb_low_rank(gb_shape(2), .rank = -1), unit(w))
LATENT(rank_above_the_numbers, GB_ESHAPE,
       "latent a: low_rank was given rank 1000000000 for 2 free numbers; the covariance of 2 numbers has",
       gb_low_rank(gb_shape(2), .rank = 1000000000), unit(w))
LATENT(keep_of_1, GB_EARGUMENT, "latent a: dropout: keep is 1, and must be",
       gb_dropout_posterior(gb_shape(2), .keep = 1), unit(w))
LATENT(dropout_of_positive_numbers, GB_EARGUMENT, "dropout a: the prior is of numbers that are",
       gb_dropout_posterior(gb_shape(2), .keep = 0.5), positive(w))
LATENT(units_of_a_scalar, GB_ESHAPE, "dropout a: units have weights",
       gb_dropout_posterior(gb_shape(), .keep = 0.5, .by_unit = true), unit(w))
LATENT(matching_of_correlations, GB_EARGUMENT,
       "latent a: gb_mean_field_matching has distributions for real numbers, positive ones",
       gb_mean_field_matching(gb_shape(2, 2)), gb_lkj_cholesky(2, gb_num(w->t, 1)))
LATENT(matching_by_another_law, GB_EARGUMENT, "latent a: matching: positive has no choice number 7",
       gb_mean_field_matching(gb_shape(2), .positive = 7), positive(w))
LATENT(matching_of_units_by_another_law, GB_EARGUMENT, "latent a: matching: unit has no choice number 7",
       gb_mean_field_matching(gb_shape(2), .unit = 7), positive(w))
LATENT(posterior_of_nothing, GB_EARGUMENT, "latent a: gb_posterior_of was given no distribution",
       gb_posterior_of((gb_dist){0}), unit(w))
LATENT(posterior_of_another_tape, GB_EARGUMENT,
       "latent a: gb_posterior_of was given no distribution of this tape",
       gb_posterior_of(gb_normal(w->foreign, w->foreign)), unit(w))
LATENT(prior_over_rows, GB_ESHAPE, "latent a: the prior varies over rows, the posterior does not",
       gb_posterior_of(unit(w)), gb_normal(w->rows, gb_num(w->t, 1)))
LATENT(map_7, GB_EARGUMENT, "latent a: mean_field: map has no choice number 7",
       gb_mean_field(gb_shape(2), .map = (gb_scale_map)7), unit(w))
LATENT(map_2_of_a_matching, GB_EARGUMENT, "latent a: matching: map has no choice number 2",
       gb_mean_field_matching(gb_shape(2), .map = (gb_scale_map)2), positive(w))

/* Of 299 letters. */
static const char *long_name(void)
{
    static char name[300];
    memset(name, 'a', sizeof name - 1);
    return name;
}

MISUSE(a_long_name, GB_ENAME, "the name is too long",
       gb_latent(elbo_of(w), long_name(), gb_mean_field(gb_shape()), unit(w), gb_pathwise()))

/* ---- blocks ---- */

static void block(gb_elbo *e, gb_family family, size_t count, const gb_latent_part *part)
{
    gb_node out[2] = {{0}};
    gb_latent_block(e, "j", family, count, part, gb_pathwise(), out);
    assert_false(gb_node_ok(out[0]));
}

#define PARTS(...)                                                                                           \
    sizeof((gb_latent_part[]){__VA_ARGS__}) / sizeof(gb_latent_part), (const gb_latent_part[])               \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define BLOCK(name, code, words, family, ...)                                                                \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        block(elbo_of(w), (family), PARTS(__VA_ARGS__));                                                     \
    }

BLOCK(part_with_a_long_name, GB_ENAME, "the name is too long", gb_full_rank(gb_shape()),
      {.name = long_name(), .shape = gb_shape(), .prior = unit(w)})
BLOCK(parts_of_one_name, GB_ENAME, "latent_block j: parts 0 and 1 are both named a", gb_full_rank(gb_shape()),
      {.name = "a", .shape = gb_shape(), .prior = unit(w)},
      {.name = "a", .shape = gb_shape(), .prior = unit(w)})
BLOCK(points_row_by_row, GB_EARGUMENT, "latent_block j: a point has no draws that could be of rows",
      gb_row_by_row(gb_point(gb_shape())), {.name = "a", .shape = gb_shape(), .prior = unit(w)})
BLOCK(part_of_counts, GB_EARGUMENT,
      "latent_block j: KL cannot be sampled: the prior of k (poisson) has probab",
      gb_posterior_of(gb_independent(gb_normal(gb_zeros(w->t, gb_shape(2)), gb_num(w->t, 1)), 1)),
      {.name = "k", .shape = gb_shape(), .prior = gb_poisson(gb_num(w->t, 1))},
      {.name = "a", .shape = gb_shape(), .prior = unit(w)})
BLOCK(part_without_a_name, GB_ENAME, "latent_block j: part 0 has no name", gb_full_rank(gb_shape()),
      {.shape = gb_shape(), .prior = unit(w)})
BLOCK(part_without_a_prior, GB_EARGUMENT,
      "latent j.a: no prior of this tape was given (gb_normal(mean, scale)", gb_full_rank(gb_shape()),
      {.name = "a", .shape = gb_shape()})
BLOCK(family_of_another_shape, GB_ESHAPE,
      "the family has shape (3), but its parts have 2 free numbers together", gb_full_rank(gb_shape(3)),
      {.name = "a", .shape = gb_shape(2), .prior = unit(w)})
BLOCK(no_family, GB_EARGUMENT, "latent j.a: no posterior family was given", (gb_family){0},
      {.name = "a", .shape = gb_shape(2), .prior = unit(w)})
BLOCK(part_that_must_be_whole, GB_EARGUMENT, "latent j.a: no transform reaches the support (a whole number",
      gb_full_rank(gb_shape()), {.name = "a", .prior = gb_no_prior, .support = GB_COUNT})
BLOCK(dropout_of_several_parts, GB_EARGUMENT, "latent_block j: KL cannot be sampled",
      gb_dropout_posterior(gb_shape(), .keep = 0.5), {.name = "a", .prior = unit(w)},
      {.name = "b", .prior = positive(w)})

MISUSE_BY(no_parts, GB_EARGUMENT, "latent_block j: no parts were given")
{
    block(elbo_of(w), gb_full_rank(gb_shape()), 0, NULL);
}

MISUSE_BY(exact_kl_of_several_parts, GB_EARGUMENT, "latent_block j: there is no exact KL")
{
    block(gb_elbo_new(w->t, .data_size = 1, .kl = GB_KL_EXACT), gb_full_rank(gb_shape()),
          PARTS({.name = "a", .prior = unit(w)}, {.name = "b", .prior = positive(w)}));
}

TEST(without_an_elbo_nothing_is_recorded)
{
    block(NULL, gb_full_rank(gb_shape()),
          PARTS({.name = "a", .prior = gb_normal(gb_num(t, 0), gb_num(t, 1))}));
    assert_fine(t);
}
