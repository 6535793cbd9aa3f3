/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of grebe with one slot spoilt. The spoilt slots call those of the good type. */
#include <math.h>

#include "core/op.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "kit/check_distribution.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_dist_type *good;
static gb_dist_type bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    bad.kl = NULL; /* pairs are of the good type */
    fault->spoil(&bad);
    return gb_check_dist(&bad, .report = report, .cases = 3);
}

/* ---- densities ---- */

static gb_node off(const gb_dist *d, gb_node x)
{
    return gb_shift(good->log_prob(d, x), 1e-6);
}
SPOIL(density_off, gb_dist_type, it->log_prob = off)

static gb_node without_first(const gb_dist *d, gb_node x)
{
    gb_dist other = *d;
    other.param[0] = gb_stop(d->param[0]);
    return good->log_prob(&other, x);
}
SPOIL(no_slope_in_first, gb_dist_type, it->log_prob = without_first)

static gb_node without_second(const gb_dist *d, gb_node x)
{
    gb_dist other = *d;
    other.param[1] = gb_stop(d->param[1]);
    return good->log_prob(&other, x);
}
SPOIL(no_slope_in_second, gb_dist_type, it->log_prob = without_second)

static gb_node without_value(const gb_dist *d, gb_node x)
{
    return good->log_prob(d, gb_stop(x));
}
SPOIL(no_slope_in_value, gb_dist_type, it->log_prob = without_value)

/* Value and slope are right, the curvature is not. */
static gb_node curved(const gb_dist *d, gb_node x)
{
    return gb_add(good->log_prob(d, x), gb_scale(gb_square(gb_sub(x, gb_stop(x))), 0.5));
}
SPOIL(wrong_curvature, gb_dist_type, it->log_prob = curved)

static gb_node blind(const gb_dist *d, gb_node x)
{
    return gb_where(gb_equal(x, x), good->log_prob(d, x), gb_num(d->tape, 0));
}
SPOIL(nan_vanishes, gb_dist_type, it->log_prob = blind)

static gb_node coarse(const gb_dist *d, gb_node x)
{
    return gb_shift(gb_shift(good->log_prob(d, x), 1e5), -1e5);
}
SPOIL(lost_in_float, gb_dist_type, it->log_prob = coarse)

/* As log(1 + e^l) would be where e^l overflows. */
static gb_node overflowing(const gb_dist *d, gb_node x)
{
    const gb_node log_p = good->log_prob(d, x);
    return gb_where(gb_less(log_p, gb_num(d->tape, -700)), gb_num(d->tape, -INFINITY), log_p);
}
SPOIL(overflows, gb_dist_type, it->log_prob = overflowing)

static gb_node of_mean(const gb_dist *d, gb_node x)
{
    gb_dist other = *d;
    other.param[0] = gb_mean(d->param[0]);
    return good->log_prob(&other, x);
}
SPOIL(batch_is_mixed, gb_dist_type, it->log_prob = of_mean)

static gb_node over_rows(const gb_dist *d, gb_node x)
{
    const gb_node log_p = good->log_prob(d, x);
    return gb_node_axes(log_p) & GB_ROWS ? gb_mean_over(log_p, GB_ROWS) : log_p;
}
SPOIL(rows_are_lost, gb_dist_type, it->log_prob = over_rows)

static gb_node summed(const gb_dist *d, gb_node x)
{
    return gb_expand(good->log_prob(d, x), 0);
}
SPOIL(an_axis_too_many, gb_dist_type, it->log_prob = summed)

/* ---- draws ---- */

static gb_node plain(const gb_dist *d, const gb_source *from)
{
    return good->sample ? good->sample(d, from) : good->rsample(d, from);
}

static void set_draws(gb_dist_type *it, gb_node (*draw)(const gb_dist *d, const gb_source *from))
{
    if (it->sample)
        it->sample = draw;
    else
        it->rsample = draw;
}

static gb_node wide(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0], gb_scale(gb_sub(plain(d, from), d->param[0]), 1.01));
}
SPOIL(wide_about_location, gb_dist_type, set_draws(it, wide))

static gb_node narrow(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0], gb_scale(gb_sub(plain(d, from), d->param[0]), 0.99));
}
SPOIL(narrow_about_location, gb_dist_type, set_draws(it, narrow))

static gb_node stretched(const gb_dist *d, const gb_source *from)
{
    return gb_scale(plain(d, from), 1.01);
}
SPOIL(stretched_draws, gb_dist_type, set_draws(it, stretched))

static gb_node shifted(const gb_dist *d, const gb_source *from)
{
    return gb_add(plain(d, from), gb_scale(d->param[1], 0.03));
}
SPOIL(shifted_draws, gb_dist_type, set_draws(it, shifted))

static gb_node cut(const gb_dist *d, const gb_source *from)
{
    return gb_min(plain(d, from), good->icdf(d, gb_num(d->tape, 0.999)));
}
SPOIL(cut_at_999, gb_dist_type, set_draws(it, cut))

static gb_node cut_low(const gb_dist *d, const gb_source *from)
{
    return gb_max(plain(d, from), good->icdf(d, gb_num(d->tape, 0.001)));
}
SPOIL(cut_at_001, gb_dist_type, set_draws(it, cut_low))

static gb_node rarely_zero(const gb_dist *d, const gb_source *from)
{
    const gb_node x = plain(d, from);
    return gb_where(gb_equal(x, gb_num(d->tape, 0)), gb_num(d->tape, 1), x);
}
SPOIL(never_zero, gb_dist_type, set_draws(it, rarely_zero))

static gb_node one_for_all(const gb_dist *d, const gb_source *from)
{
    gb_source one = *from;
    one.shape = gb_shape();
    return gb_broadcast(plain(d, &one), from->shape);
}
SPOIL(shared_over_a_batch, gb_dist_type, set_draws(it, one_for_all))

static gb_node samples_only(const gb_dist *d, const gb_source *from)
{
    gb_source one = *from;
    one.axes &= GB_SAMPLES;
    return plain(d, &one);
}
SPOIL(shared_along_axes, gb_dist_type, set_draws(it, samples_only))

static gb_node without_axes(const gb_dist *d, const gb_source *from)
{
    gb_source one = *from;
    one.axes = 0;
    return plain(d, &one);
}
SPOIL(shared_by_all_samples, gb_dist_type, set_draws(it, without_axes))

static gb_node of_shape_of_first(const gb_dist *d, const gb_source *from)
{
    gb_source one = *from;
    one.shape = gb_node_shape(d->param[0]);
    return gb_broadcast(plain(d, &one), from->shape);
}
SPOIL(shared_where_second_is_a_batch, gb_dist_type, set_draws(it, of_shape_of_first))

/* A draw that has all axes, and is the same in each row. */
static gb_node same_in_each_row(const gb_dist *d, const gb_source *from)
{
    gb_source one = *from;
    one.axes &= ~GB_ROWS;
    return gb_widen(plain(d, &one), from->axes);
}
SPOIL(shared_by_all_rows, gb_dist_type, set_draws(it, same_in_each_row))

static gb_node of_mean_of_first(const gb_dist *d, const gb_source *from)
{
    gb_dist other = *d;
    other.param[0] = gb_broadcast(gb_mean(d->param[0]), gb_node_shape(d->param[0]));
    return plain(&other, from);
}
SPOIL(drawn_by_mean_of_batch, gb_dist_type, set_draws(it, of_mean_of_first))

static gb_node of_mean_along_axes(const gb_dist *d, const gb_source *from)
{
    gb_dist other = *d;
    const gb_node first = d->param[0];
    other.param[0] = gb_widen(gb_mean_over(first, gb_node_axes(first)), gb_node_axes(first));
    return plain(&other, from);
}
SPOIL(drawn_by_mean_along_axes, gb_dist_type, set_draws(it, of_mean_along_axes))

/* The second half of a batch mirrors the first. */
static gb_node mirrored(const gb_dist *d, const gb_source *from)
{
    const gb_node x = plain(d, from);
    const int64_t n = from->shape.rank > 0 ? from->shape.size[0] : 0;
    if (n == 0 || n % 2 == 1)
        return x;
    const gb_node half = gb_slice(x, 0, 0, n / 2),
                  centre = gb_slice(gb_broadcast(d->param[0], from->shape), 0, 0, n / 2);
    return gb_concat(2, (const gb_node[]){half, gb_sub(gb_scale(centre, 2), half)}, 0);
}
SPOIL(halves_are_mirrored, gb_dist_type, set_draws(it, mirrored))

static gb_node in_pairs(const gb_dist *d, const gb_source *from)
{
    const gb_node u = gb_antithetic_noise(from->noise, from->shape, from->axes | GB_SAMPLES);
    return good->icdf(d, u);
}
SPOIL(samples_are_antithetic, gb_dist_type, set_draws(it, in_pairs))

/* ---- draws of vectors ---- */

static gb_node last_exchanged(const gb_dist *d, const gb_source *from)
{
    gb_dist other = *d;
    other.param[2] = gb_flip(d->param[2], -1);
    return plain(&other, from);
}
SPOIL(diagonal_is_exchanged, gb_dist_type, set_draws(it, last_exchanged))

static gb_node last_averaged(const gb_dist *d, const gb_source *from)
{
    gb_dist other = *d;
    const gb_node mean = gb_expand(gb_mean_along(d->param[2], gb_axis(-1)), -1);
    other.param[2] = gb_broadcast(mean, gb_node_shape(d->param[2]));
    return plain(&other, from);
}
SPOIL(diagonal_is_averaged, gb_dist_type, set_draws(it, last_averaged))

static gb_node clipped(const gb_dist *d, const gb_source *from)
{
    const gb_node deviation = gb_sqrt(good->variance(d)), three = gb_scale(deviation, 3);
    const gb_node off = gb_sub(plain(d, from), d->param[0]);
    return gb_add(d->param[0], gb_max(gb_min(off, three), gb_neg(three)));
}
SPOIL(clipped_at_three, gb_dist_type, set_draws(it, clipped))

static gb_node stopped(const gb_dist *d, const gb_source *from)
{
    return gb_stop(good->rsample(d, from));
}
SPOIL(path_is_stopped, gb_dist_type, it->rsample = stopped)

static gb_node stopped_first(const gb_dist *d, const gb_source *from)
{
    gb_dist other = *d;
    other.param[0] = gb_stop(d->param[0]);
    return good->rsample(&other, from);
}
SPOIL(path_of_first_is_stopped, gb_dist_type, it->rsample = stopped_first)

static gb_node stopped_second(const gb_dist *d, const gb_source *from)
{
    gb_dist other = *d;
    other.param[1] = gb_stop(d->param[1]);
    return good->rsample(&other, from);
}
SPOIL(path_of_second_is_stopped, gb_dist_type, it->rsample = stopped_second)

/* ---- closed forms ---- */

#define FORM(slot)                                                                                           \
    static gb_node slot##_off(const gb_dist *d)                                                              \
    {                                                                                                        \
        return gb_scale(good->slot(d), 1 + 1e-6);                                                            \
    }                                                                                                        \
    SPOIL(wrong_##slot, gb_dist_type, it->slot = slot##_off)                                                 \
    static gb_node slot##_stopped(const gb_dist *d)                                                          \
    {                                                                                                        \
        return gb_stop(good->slot(d));                                                                       \
    }                                                                                                        \
    SPOIL(stopped_##slot, gb_dist_type, it->slot = slot##_stopped)
FORM(mean)
FORM(variance)
FORM(entropy)

static gb_node far_mode(const gb_dist *d)
{
    return gb_shift(good->mode(d), 0.2);
}
SPOIL(wrong_mode, gb_dist_type, it->mode = far_mode)

static gb_node cdf_off(const gb_dist *d, gb_node x)
{
    return gb_scale(good->cdf(d, x), 1 - 1e-6);
}
SPOIL(wrong_cdf, gb_dist_type, it->cdf = cdf_off)

static gb_node cdf_stopped(const gb_dist *d, gb_node x)
{
    return good->cdf(d, gb_stop(x));
}
SPOIL(stopped_cdf, gb_dist_type, it->cdf = cdf_stopped)

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_sub(gb_num(d->tape, 1), good->cdf(d, x));
}
SPOIL(cdf_is_survival, gb_dist_type, it->cdf = survival)

static gb_node icdf_off(const gb_dist *d, gb_node u)
{
    return gb_scale(good->icdf(d, u), 1 + 1e-5);
}
SPOIL(wrong_icdf, gb_dist_type, it->icdf = icdf_off)

static gb_node icdf_in_the_middle(const gb_dist *d, gb_node u)
{
    return good->icdf(d, gb_clip(u, 1e-8, 1 - 1e-8));
}
SPOIL(icdf_without_tails, gb_dist_type, it->icdf = icdf_in_the_middle)

static gb_node nan_for_infinite(const gb_dist *d)
{
    const gb_node variance = good->variance(d);
    return gb_where(gb_less(variance, gb_num(d->tape, INFINITY)), variance, gb_num(d->tape, NAN));
}
SPOIL(variance_is_nan, gb_dist_type, it->variance = nan_for_infinite)

static gb_node ten_values(const gb_dist *d)
{
    return gb_to_real(gb_arange(d->tape, 10));
}
SPOIL(ten_atoms, gb_dist_type, it->atoms = ten_values)

/* ---- flags and domains ---- */

SPOIL(falsely_moving, gb_dist_type, it->moving_support = true)
SPOIL(zero_is_admitted, gb_dist_type, it->param[0].domain = GB_NON_NEGATIVE)

SPOIL(discrete_forgotten, gb_dist_type, it->discrete = false)
SPOIL(falsely_discrete, gb_dist_type, it->discrete = true)
SPOIL(support_counts, gb_dist_type, it->support = GB_COUNT)
SPOIL(support_is_positive, gb_dist_type, it->support = GB_POSITIVE)
SPOIL(support_is_real, gb_dist_type, it->support = GB_REAL)
SPOIL(support_is_still, gb_dist_type, it->moving_support = false)
SPOIL(any_scale, gb_dist_type, it->param[1].domain = GB_REAL)
SPOIL(no_name, gb_dist_type, it->name = "")
SPOIL(no_density, gb_dist_type, it->log_prob = NULL)
SPOIL(no_sampler, gb_dist_type, it->sample = it->rsample = NULL)
SPOIL(no_ends, gb_dist_type, it->ends = NULL)

static gb_ends ends_too_far(const gb_dist *d)
{
    const gb_ends is = good->ends(d);
    return (gb_ends){is.low, gb_shift(is.high, 0.1)};
}
SPOIL(end_is_off, gb_dist_type, it->ends = ends_too_far)

static gb_transform reach_too_far(const gb_dist *d)
{
    return gb_interval_transform(d->param[0], gb_shift(d->param[1], 0.5));
}
SPOIL(reach_is_off, gb_dist_type, it->reach = reach_too_far)

static gb_transform reach_too_near(const gb_dist *d)
{
    return gb_interval_transform(d->param[0], gb_add(gb_scale(d->param[0], 0.5), gb_scale(d->param[1], 0.5)));
}
SPOIL(reach_is_half, gb_dist_type, it->reach = reach_too_near)

SPOIL(relation_forgotten, gb_dist_type, it->relation.outside = NULL)

static gb_node opposite_form(const gb_dist *d, gb_node x)
{
    gb_dist other = *d;
    if (d->alternative)
        other.param[0] = gb_neg(d->param[0]);
    return good->log_prob(&other, x);
}
SPOIL(alternative_is_opposite, gb_dist_type, it->log_prob = opposite_form)

static gb_dist hotter(const gb_dist *d, gb_node temperature)
{
    gb_dist other = *d;
    other.param[0] = gb_stop(d->param[0]);
    other.type = good;
    return good->relaxed(&other, temperature);
}
SPOIL(relaxation_is_stopped, gb_dist_type, it->relaxed = hotter)

/* ---- values and measures ---- */

static gb_node all_but_one(const gb_dist *d)
{
    const gb_node values = good->enumerate(d);
    return gb_slice(values, 0, 1, gb_node_shape(values).size[0]);
}
SPOIL(a_value_is_missing, gb_dist_type, it->enumerate = all_but_one)

static gb_node one_twice(const gb_dist *d)
{
    const gb_node values = good->enumerate(d);
    return gb_concat(2, (const gb_node[]){values, gb_slice(values, 0, 0, 1)}, 0);
}
SPOIL(a_value_is_there_twice, gb_dist_type, it->enumerate = one_twice)

static bool larger(const gb_dist *d, size_t which, int64_t element, gb_measure *m)
{
    const bool has = good->measure(d, which, element, m);
    if (has)
        m->coefficient = gb_scale(m->coefficient, 1.001);
    return has;
}
SPOIL(wrong_coefficient, gb_dist_type, it->measure = larger)

static bool exchanged(const gb_dist *d, size_t which, int64_t element, gb_measure *m)
{
    const bool has = good->measure(d, which, element, m);
    const gb_dist plus = m->plus;
    m->plus = m->minus;
    m->minus = plus;
    return has;
}
SPOIL(measures_exchanged, gb_dist_type, it->measure = exchanged)

static bool couple_exchanged(const gb_dist *d, size_t which, int64_t element, const gb_source *from,
                             gb_node *plus, gb_node *minus)
{
    return good->couple(d, which, element, from, minus, plus);
}
SPOIL(coupling_exchanged, gb_dist_type, it->couple = couple_exchanged)

/* ---- divergences ---- */

static gb_kl_pair pairs[2];

static void set_pair(gb_node (*kl)(const gb_dist *q, const gb_dist *p))
{
    pairs[0] = (gb_kl_pair){.q = &bad, .p = &bad, .kl = kl};
    bad.kl = pairs;
}

static gb_node right_kl(const gb_dist *q, const gb_dist *p)
{
    return good->kl->kl(q, p);
}
SPOIL(kl_as_it_is, gb_dist_type, (void)it, set_pair(right_kl))

static gb_node reversed_kl(const gb_dist *q, const gb_dist *p)
{
    return right_kl(p, q);
}
SPOIL(kl_reversed, gb_dist_type, (void)it, set_pair(reversed_kl))

static gb_node kl_scaled(const gb_dist *q, const gb_dist *p)
{
    return gb_scale(right_kl(q, p), 1 + 1e-5);
}
SPOIL(kl_too_large, gb_dist_type, (void)it, set_pair(kl_scaled))

static gb_node kl_shifted(const gb_dist *q, const gb_dist *p)
{
    return gb_shift(right_kl(q, p), 1e-9);
}
SPOIL(kl_not_zero, gb_dist_type, (void)it, set_pair(kl_shifted))

/* ---- the table ---- */

static const kit_fault faults[] = {
    {"a copy of the normal with its divergence passes", NULL, &gb_normal_type, kl_as_it_is},
    {"normal: its density is off by 1e-6", "integrates to 1", &gb_normal_type, density_off},
    {"gamma: its density is off by 1e-6", "integrates to 1", &gb_gamma_type, density_off},
    {"poisson: its density is off by 1e-6", "integrates to 1", &gb_poisson_type, density_off},
    {"normal: no slope in loc", "the gradient of log_prob is", &gb_normal_type, no_slope_in_first},
    {"gamma: no slope in rate", "the gradient of log_prob is", &gb_gamma_type, no_slope_in_second},
    {"logistic: no slope in the value", "the gradient of log_prob is", &gb_logistic_type, no_slope_in_value},
    {"laplace: a wrong curvature", "the second gradient of log_prob", &gb_laplace_type, wrong_curvature},
    {"gumbel: NaN vanishes", "log_prob is NaN where", &gb_gumbel_type, nan_vanishes},
    {"normal: digits are lost in floats", LATER "on a float tape", &gb_normal_type, lost_in_float},
    {"logistic: log_prob overflows far out", "far out in the support", &gb_logistic_type, overflows},
    {"laplace: log_prob overflows far out", "far out in the support", &gb_laplace_type, overflows},
    {"normal: a batch is mixed", "a batch equals", &gb_normal_type, batch_is_mixed},
    {"normal: rows are averaged", "with the hidden axes of value", &gb_normal_type, rows_are_lost},
    {"gamma: rows are averaged", "with the hidden axes of value", &gb_gamma_type, rows_are_lost},
    {"cauchy: log_prob has an axis too many", LATER "log_prob is a number for each event", &gb_cauchy_type,
     an_axis_too_many},
    {"normal: draws are 1 % too wide", "draws follow the density", &gb_normal_type, wide_about_location},
    {"laplace: draws are 1 % too wide", "draws follow the density", &gb_laplace_type, wide_about_location},
    {"logistic: draws are 1 % too narrow", "draws follow the density", &gb_logistic_type,
     narrow_about_location},
    {"gumbel: draws are 1 % too wide", "draws follow the density", &gb_gumbel_type, wide_about_location},
    {"cauchy: draws are 1 % too wide", "draws follow the density", &gb_cauchy_type, wide_about_location},
    {"exponential: draws are 1 % too large", "draws follow the density", &gb_exponential_type,
     stretched_draws},
    {"weibull: draws are 1 % too large", LATER "draws follow the density", &gb_weibull_type, stretched_draws},
    {"gamma: draws are 1 % too large", "draws follow the density", &gb_gamma_type, stretched_draws},
    {"half_normal: draws are 1 % too large", "draws follow the density", &gb_half_normal_type,
     stretched_draws},
    {"normal: draws are off by 3 % of scale", "draws follow the density", &gb_normal_type, shifted_draws},
    {"normal: draws are cut at the 99.9 % quantile", "draws follow the density", &gb_normal_type, cut_at_999},
    {"exponential: draws are cut at the 99.9 % quantile", "draws follow the density", &gb_exponential_type,
     cut_at_999},
    {"logistic: draws are cut at the 0.1 % quantile", "draws follow the density", &gb_logistic_type,
     cut_at_001},
    {"poisson: draws are never 0", "draws follow the density", &gb_poisson_type, never_zero},
    {"normal: one draw for a batch", "draws side by side", &gb_normal_type, shared_over_a_batch},
    {"gumbel: one draw for a batch", "draws side by side", &gb_gumbel_type, shared_over_a_batch},
    {"weibull: one draw for a batch", "draws side by side", &gb_weibull_type, shared_over_a_batch},
    {"logistic: one draw for a batch", "draws side by side", &gb_logistic_type, shared_over_a_batch},
    {"bernoulli: one draw for a batch", "draws side by side", &gb_bernoulli_type, shared_over_a_batch},
    {"gamma: one draw where only rate is a batch", "draws side by side", &gb_gamma_type,
     shared_where_second_is_a_batch},
    {"normal: from->axes are ignored but for samples", LATER "draws have all hidden axes", &gb_normal_type,
     shared_along_axes},
    {"poisson: from->axes are ignored but for samples", LATER "draws have all hidden axes", &gb_poisson_type,
     shared_along_axes},
    {"laplace: from->axes are ignored", LATER "draws have all hidden axes", &gb_laplace_type,
     shared_by_all_samples},
    {"normal: one draw for all rows", "draws side by side", &gb_normal_type, shared_by_all_rows},
    {"poisson: one draw for all rows", "draws side by side", &gb_poisson_type, shared_by_all_rows},
    {"gamma: draws of a batch have the mean concentration", "a batch equals", &gb_gamma_type,
     drawn_by_mean_of_batch},
    {"poisson: draws of a batch have the mean rate", "a batch equals", &gb_poisson_type,
     drawn_by_mean_of_batch},
    {"normal: draws along an axis have the mean location", "a batch equals", &gb_normal_type,
     drawn_by_mean_along_axes},
    {"normal: half of a batch mirrors the other", "draws side by side", &gb_normal_type, halves_are_mirrored},
    {"logistic: samples are antithetic", "draws side by side", &gb_logistic_type, samples_are_antithetic},
    {"low_rank_normal: its diagonal is exchanged", "draws follow the density", &gb_low_rank_normal_type,
     diagonal_is_exchanged},
    {"low_rank_normal: its diagonal is averaged", "draws follow the density", &gb_low_rank_normal_type,
     diagonal_is_averaged},
    {"multivariate_normal: draws are clipped at 3 deviations", "draws follow the density",
     &gb_multivariate_normal_type, clipped_at_three},
    {"normal: rsample is stopped", "gradients of reparameterised", &gb_normal_type, path_is_stopped},
    {"gamma: rsample has no slope in concentration", "gradients of reparameterised", &gb_gamma_type,
     path_of_first_is_stopped},
    {"lognormal: rsample has no slope in scale", "gradients of reparameterised", &gb_lognormal_type,
     path_of_second_is_stopped},
    {"gamma: its mean is off by 1e-6", "mean is that", &gb_gamma_type, wrong_mean},
    {"beta: its variance is off by 1e-6", "variance is that", &gb_beta_type, wrong_variance},
    {"gumbel: its entropy is off by 1e-6", "entropy is that", &gb_gumbel_type, wrong_entropy},
    {"gamma: its mean has no slope", "gradients of closed forms", &gb_gamma_type, stopped_mean},
    {"beta: its variance has no slope", "gradients of closed forms", &gb_beta_type, stopped_variance},
    {"gamma: its entropy has no slope", "gradients of closed forms", &gb_gamma_type, stopped_entropy},
    {"pareto: its variance is NaN for infinite", "variance is that", &gb_pareto_type, variance_is_nan},
    {"poisson: it lists ten values", "of its .atoms have the sum", &gb_poisson_type, ten_atoms},
    {"normal: .moving_support is set", ".moving_support is set, but", &gb_normal_type, falsely_moving},
    {"gamma: its concentration may be 0", "an invalid parameter is rejected", &gb_gamma_type,
     zero_is_admitted},
    {"laplace: its mode is elsewhere", LATER "mode is where", &gb_laplace_type, wrong_mode},
    {"normal: its cdf is off by 1e-6", "cdf is the integral", &gb_normal_type, wrong_cdf},
    {"logistic: its cdf is 1 - cdf", "cdf is the integral", &gb_logistic_type, cdf_is_survival},
    {"gumbel: its cdf has no slope", "gradients of closed forms", &gb_gumbel_type, stopped_cdf},
    {"weibull: its icdf is off by 1e-5", "icdf is the inverse", &gb_weibull_type, wrong_icdf},
    {"normal: its icdf ends at 1e-8", "icdf is the inverse", &gb_normal_type, icdf_without_tails},
    {"poisson: .discrete is forgotten", "set .discrete", &gb_poisson_type, discrete_forgotten},
    {"bernoulli: .discrete is forgotten", "set .discrete", &gb_bernoulli_type, discrete_forgotten},
    {"normal: .discrete is set", ".discrete is set, but", &gb_normal_type, falsely_discrete},
    {"bernoulli: its support has more than it lists", "enumerate gives every value once", &gb_bernoulli_type,
     support_counts},
    {"normal: its support is that of positive numbers", "integrates to 1", &gb_normal_type,
     support_is_positive},
    {"exponential: its support is all numbers", "integrates to 1", &gb_exponential_type, support_is_real},
    {"uniform: its ends are forgotten", "set .ends", &gb_uniform_type, no_ends},
    {"uniform: its upper end is 0.1 too far", "integrates to 1", &gb_uniform_type, end_is_off},
    {"uniform: its reach goes too far", "its reach leads", &gb_uniform_type, reach_is_off},
    {"uniform: its reach is half", "its reach leads", &gb_uniform_type, reach_is_half},
    {"uniform: its relation is forgotten", "it is recorded and run", &gb_uniform_type, relation_forgotten},
    {"bernoulli: its logits have the other sign", "draws follow", &gb_bernoulli_type,
     alternative_is_opposite},
    {"bernoulli: its relaxation is stopped", "its relaxation is", &gb_bernoulli_type, relaxation_is_stopped},
    {"uniform: .moving_support is forgotten", "its score has the mean 0", &gb_uniform_type, support_is_still},
    {"normal: its scale may be negative", LATER "integrates to 1", &gb_normal_type, any_scale},
    {"normal: it has no name", "its struct is complete", &gb_normal_type, no_name},
    {"normal: it has no density", "its struct is complete", &gb_normal_type, no_density},
    {"normal: it has no sampler", "its struct is complete", &gb_normal_type, no_sampler},
    {"mixture: without .make", "by .make", &gb_mixture_type, nothing},
    {"bernoulli: a value is missing in its list", LATER "enumerate gives every value once",
     &gb_bernoulli_type, a_value_is_missing},
    {"categorical: a value is missing in its list", LATER "enumerate gives every value once",
     &gb_categorical_type, a_value_is_missing},
    {"bernoulli: a value is listed twice", LATER "enumerate gives every value once", &gb_bernoulli_type,
     a_value_is_there_twice},
    {"poisson: its coefficient is off by a thousandth", "measure gives the derivative", &gb_poisson_type,
     wrong_coefficient},
    {"gamma: its coefficient is off by a thousandth", "measure gives the derivative", &gb_gamma_type,
     wrong_coefficient},
    {"normal: its measures are exchanged", "measure gives the derivative", &gb_normal_type,
     measures_exchanged},
    {"poisson: its coupled draws are exchanged", "coupled draws", &gb_poisson_type, coupling_exchanged},
    {"normal: its divergence is the other way round", "each divergence", &gb_normal_type, kl_reversed},
    {"gamma: its divergence is off by 1e-5", "each divergence", &gb_gamma_type, kl_too_large},
    {"laplace: its divergence from itself is not 0", "the divergence from itself", &gb_laplace_type,
     kl_not_zero},
};
KIT_FAULTS(distributions, faults);
