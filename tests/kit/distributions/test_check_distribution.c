/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit against distributions from outside: right ones pass, and each planted
 * fault is found, with the right statement. */
#include "support/close.h"

#include <gsl/gsl_integration.h>

#include "distributions/kl.h"
#include "distributions/list.h"
#include "kit/check_distribution.h"
#include "kit/distributions/grid_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/verdict.h"

/* ---- a bell: normal, with all that can be known of it ---- */

static const double half_log_two_pi = 0.918938533204672741780329736405617640;

static gb_node standard(const gb_dist *d, gb_node x)
{
    return gb_div(gb_sub(x, d->param[0]), d->param[1]);
}

static gb_node bell_log_prob(const gb_dist *d, gb_node x)
{
    return gb_sub(gb_scale(gb_square(standard(d, x)), -0.5), gb_shift(gb_log(d->param[1]), half_log_two_pi));
}

static gb_node bell_rsample(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0], gb_mul(d->param[1], gb_normal_noise(from->noise, from->shape, from->axes)));
}

static gb_node bell_cdf(const gb_dist *d, gb_node x)
{
    return gb_ndtr(standard(d, x));
}

static gb_node bell_icdf(const gb_dist *d, gb_node u)
{
    return gb_add(d->param[0], gb_mul(d->param[1], gb_ndtri(u)));
}

static gb_node bell_mean(const gb_dist *d)
{
    return d->param[0];
}

static gb_node bell_variance(const gb_dist *d)
{
    return gb_square(d->param[1]);
}

static gb_node bell_entropy(const gb_dist *d)
{
    return gb_shift(gb_log(d->param[1]), 0.5 + half_log_two_pi);
}

static const gb_dist_type bell;

static gb_node bell_kl(const gb_dist *q, const gb_dist *p)
{
    const gb_node r = gb_div(q->param[1], p->param[1]);
    const gb_node m = gb_div(gb_sub(q->param[0], p->param[0]), p->param[1]);
    return gb_scale(gb_add(gb_sub(gb_shift(gb_square(r), -1), gb_scale(gb_log(r), 2)), gb_square(m)), 0.5);
}

#define BELL(...)                                                                                            \
    {                                                                                                        \
        .size = sizeof(gb_dist_type), .name = "bell", .formula = "-z^2 / 2",                                 \
        .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},             \
        .support = GB_REAL, __VA_ARGS__                                                                      \
    }
#define RIGHT .log_prob = bell_log_prob, .rsample = bell_rsample

static const gb_kl_pair bell_pairs[] = {{.q = &bell, .p = &bell, .kl = bell_kl}, {0}};
static const gb_dist_type bell =
    BELL(RIGHT, .cdf = bell_cdf, .icdf = bell_icdf, .mean = bell_mean, .mode = bell_mean,
         .variance = bell_variance, .entropy = bell_entropy, .kl = bell_pairs);

/* ---- faults of its density ---- */

static gb_node off_by_a_thousandth(const gb_dist *d, gb_node x)
{
    return gb_shift(bell_log_prob(d, x), 1e-3);
}

static gb_node blind_to_nan(const gb_dist *d, gb_node x)
{
    return gb_where(gb_equal(x, x), bell_log_prob(d, x), gb_num(d->tape, 0));
}

static gb_node lost_at_infinity(const gb_dist *d, gb_node x)
{
    return bell_log_prob(d, gb_add(x, gb_sub(x, x)));
}

static gb_node too_large_for_a_float(const gb_dist *d, gb_node x)
{
    return gb_add(bell_log_prob(d, x), gb_shift(gb_log(gb_exp(gb_num(d->tape, 100))), -100));
}

/* One mean of all locations, which is right as long as there is one. */
static gb_node mixed_batch(const gb_dist *d, gb_node x)
{
    gb_dist one = *d;
    one.param[0] = gb_mean(d->param[0]);
    return bell_log_prob(&one, x);
}

static void negated_vjp(const gb_vjp *v)
{
    v->adjoint[1] = gb_neg(v->gradient);
}

static void constant_vjp(const gb_vjp *v)
{
    v->adjoint[1] = gb_mul(v->gradient, gb_stop(gb_scale(v->arg[1], 2)));
}

static const gb_op negated = {.size = sizeof(gb_op),
                              .name = "negated",
                              .formula = "x, with a gradient of the wrong sign",
                              .form = GB_FORM_ALIAS,
                              .arguments = 2,
                              .infer = gb_infer_first,
                              .vjp = negated_vjp},
                   constant = {.size = sizeof(gb_op),
                               .name = "constant slope",
                               .formula = "x^2, whose gradient is thought constant",
                               .form = GB_FORM_ALIAS,
                               .arguments = 2,
                               .infer = gb_infer_first,
                               .vjp = constant_vjp};

static gb_node lying(gb_node x)
{
    return gb_with_vjp(&negated, gb_stop(x), 1, &x, NULL, 0);
}

static gb_node lying_in_loc(const gb_dist *d, gb_node x)
{
    gb_dist other = *d;
    other.param[0] = lying(d->param[0]);
    return bell_log_prob(&other, x);
}

static gb_node lying_in_x(const gb_dist *d, gb_node x)
{
    return bell_log_prob(d, lying(x));
}

static gb_node lying_in_the_second(const gb_dist *d, gb_node x)
{
    const gb_node z = standard(d, x);
    const gb_node square = gb_with_vjp(&constant, gb_stop(gb_square(z)), 1, &z, NULL, 0);
    return gb_sub(gb_scale(square, -0.5), gb_shift(gb_log(d->param[1]), half_log_two_pi));
}

static gb_node score_of_one(const gb_dist *d, gb_node x)
{
    const gb_node loc = d->param[0];
    return gb_add(bell_log_prob(d, x), gb_sub(loc, gb_stop(loc)));
}

/* ---- faults of its draws ---- */

static gb_node too_wide(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0],
                  gb_mul(gb_scale(d->param[1], 1.03), gb_normal_noise(from->noise, from->shape, from->axes)));
}

static gb_node lying_draw(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0],
                  gb_mul(lying(d->param[1]), gb_normal_noise(from->noise, from->shape, from->axes)));
}

static gb_node without_slope(const gb_dist *d, const gb_source *from)
{
    return gb_stop(bell_rsample(d, from));
}

static gb_node one_percent_too_wide(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0],
                  gb_mul(gb_scale(d->param[1], 1.01), gb_normal_noise(from->noise, from->shape, from->axes)));
}

static gb_node one_for_a_batch(const gb_dist *d, const gb_source *from)
{
    const gb_node z = gb_normal_noise(from->noise, gb_shape(), from->axes);
    return gb_add(d->param[0], gb_mul(d->param[1], gb_broadcast(z, from->shape)));
}

static gb_node one_for_all_but_samples(const gb_dist *d, const gb_source *from)
{
    const gb_node z = gb_normal_noise(from->noise, from->shape, from->axes & GB_SAMPLES);
    return gb_add(d->param[0], gb_mul(d->param[1], z));
}

static gb_node without_a_tail(const gb_dist *d, const gb_source *from)
{
    return gb_min(bell_rsample(d, from), gb_add(d->param[0], gb_scale(d->param[1], 3.09)));
}

static gb_node mean_over_rows(const gb_dist *d, gb_node x)
{
    const gb_node log_p = bell_log_prob(d, x);
    return gb_node_axes(log_p) & GB_ROWS ? gb_mean_over(log_p, GB_ROWS) : log_p;
}

/* The right law, but no chance: the same in every stream. */
static gb_node by_number(const gb_dist *d, const gb_source *from)
{
    const gb_node turns = gb_scale(gb_shift(gb_axis_index(d->tape, GB_SAMPLES), 0.5), 0.61803398874989484820);
    (void)from;
    return bell_icdf(d, gb_sub(turns, gb_floor(turns)));
}

/* ---- faults of what is known in closed form ---- */

static gb_node mean_off_by_a_percent(const gb_dist *d)
{
    return gb_add(d->param[0], gb_scale(d->param[1], 0.01));
}

static gb_node variance_of_a_sample(const gb_dist *d)
{
    return gb_scale(gb_square(d->param[1]), 1 - 1e-6);
}

static gb_node entropy_in_bits(const gb_dist *d)
{
    return gb_scale(bell_entropy(d), 1.442695040888963);
}

static gb_node logistic_cdf(const gb_dist *d, gb_node x)
{
    return gb_sigmoid(gb_scale(standard(d, x), 1.702));
}

static gb_node icdf_off_in_the_tail(const gb_dist *d, gb_node u)
{
    return bell_icdf(d, gb_max(u, gb_num(d->tape, 1e-10)));
}

static const gb_dist_type swapped, not_zero, nan_noted, lies_noted, lies_exact;

static gb_node kl_swapped(const gb_dist *q, const gb_dist *p)
{
    return bell_kl(p, q);
}

static gb_node kl_not_zero(const gb_dist *q, const gb_dist *p)
{
    return gb_shift(bell_kl(q, p), 1e-9);
}

static gb_node kl_nan(const gb_dist *q, const gb_dist *p)
{
    return gb_log(gb_shift(gb_neg(bell_kl(q, p)), -1));
}

static gb_node kl_stopped(const gb_dist *q, const gb_dist *p)
{
    const gb_node kl = bell_kl(q, p);
    return gb_add(gb_scale(kl, 0.5), gb_stop(gb_scale(kl, 0.5)));
}

static const gb_kl_pair nan_noted_pairs[] = {{.q = &nan_noted, .p = &nan_noted, .kl = kl_nan, .note = "n"},
                                             {0}},
                        lies_noted_pairs[] = {
                            {.q = &lies_noted, .p = &lies_noted, .kl = kl_stopped, .note = "n"}, {0}};

static const gb_kl_pair lies_exact_pairs[] = {{.q = &lies_exact, .p = &lies_exact, .kl = kl_stopped}, {0}};
static const gb_kl_pair swapped_pairs[] = {{.q = &swapped, .p = &swapped, .kl = kl_swapped}, {0}},
                        not_zero_pairs[] = {{.q = &not_zero, .p = &not_zero, .kl = kl_not_zero}, {0}};

static const gb_dist_type nameless = {.size = sizeof(gb_dist_type), .formula = "?"},
                          constant_off = BELL(.log_prob = off_by_a_thousandth, .rsample = bell_rsample),
                          blind = BELL(.log_prob = blind_to_nan, .rsample = bell_rsample),
                          lost = BELL(.log_prob = lost_at_infinity, .rsample = bell_rsample),
                          large = BELL(.log_prob = too_large_for_a_float, .rsample = bell_rsample),
                          mixed = BELL(.log_prob = mixed_batch, .rsample = bell_rsample),
                          lies_in_loc = BELL(.log_prob = lying_in_loc, .rsample = bell_rsample),
                          lies_in_x = BELL(.log_prob = lying_in_x, .rsample = bell_rsample),
                          lies_in_second = BELL(.log_prob = lying_in_the_second, .rsample = bell_rsample),
                          biased_score = BELL(.log_prob = score_of_one, .rsample = bell_rsample),
                          wide = BELL(RIGHT, .sample = too_wide),
                          wide_path = BELL(.log_prob = bell_log_prob, .rsample = too_wide),
                          slightly_wide = BELL(RIGHT, .sample = one_percent_too_wide),
                          shared = BELL(RIGHT, .sample = one_for_a_batch),
                          shared_along = BELL(RIGHT, .sample = one_for_all_but_samples),
                          tailless = BELL(RIGHT, .sample = without_a_tail),
                          no_rows = BELL(.log_prob = mean_over_rows, .rsample = bell_rsample),
                          lying_path = BELL(.log_prob = bell_log_prob, .rsample = lying_draw),
                          no_path = BELL(.log_prob = bell_log_prob, .rsample = without_slope),
                          no_chance = BELL(.log_prob = bell_log_prob, .sample = by_number),
                          mean_off = BELL(RIGHT, .mean = mean_off_by_a_percent),
                          variance_off = BELL(RIGHT, .variance = variance_of_a_sample),
                          entropy_off = BELL(RIGHT, .entropy = entropy_in_bits),
                          mode_off = BELL(RIGHT, .mode = mean_off_by_a_percent),
                          cdf_off = BELL(RIGHT, .cdf = logistic_cdf),
                          icdf_off = BELL(RIGHT, .cdf = bell_cdf, .icdf = icdf_off_in_the_tail),
                          swapped = BELL(RIGHT, .kl = swapped_pairs),
                          not_zero = BELL(RIGHT, .kl = not_zero_pairs),
                          nan_noted = BELL(RIGHT, .kl = nan_noted_pairs),
                          lies_noted = BELL(RIGHT, .kl = lies_noted_pairs),
                          lies_exact = BELL(RIGHT, .kl = lies_exact_pairs);

/* ---- others ---- */

/* The logarithm is normal, but the change of variables is forgotten. */
static gb_node no_jacobian(const gb_dist *d, gb_node x)
{
    return bell_log_prob(d, gb_log(x));
}

static gb_node exp_of_bell(const gb_dist *d, const gb_source *from)
{
    return gb_exp(bell_rsample(d, from));
}

/* The scale is e^rho in the density, and log(1 + e^rho) in the sampler. */
static gb_node soft_log_prob(const gb_dist *d, gb_node x)
{
    gb_dist other = *d;
    other.param[1] = gb_exp(d->param[1]);
    return bell_log_prob(&other, x);
}

static gb_node soft_rsample(const gb_dist *d, const gb_source *from)
{
    gb_dist other = *d;
    other.param[1] = gb_softplus(d->param[1]);
    return bell_rsample(&other, from);
}

static gb_node half_log_prob(const gb_dist *d, gb_node x)
{
    return gb_shift(gb_scale(gb_square(gb_div(x, d->param[0])), -0.5), log(2) - half_log_two_pi);
}

static gb_node half_of_log_prob(const gb_dist *d, gb_node x)
{
    return gb_sub(half_log_prob(d, x), gb_log(d->param[0]));
}

static gb_node without_abs(const gb_dist *d, const gb_source *from)
{
    return gb_mul(d->param[0], gb_normal_noise(from->noise, from->shape, from->axes));
}

static const gb_dist_type no_slope = {.size = sizeof(gb_dist_type),
                                      .name = "log bell",
                                      .formula = "?",
                                      .param = {GB_PARAMETER_OR("loc", GB_REAL, 0),
                                                GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
                                      .support = GB_POSITIVE,
                                      .log_prob = no_jacobian,
                                      .rsample = exp_of_bell},
                          soft = {.size = sizeof(gb_dist_type),
                                  .name = "soft bell",
                                  .formula = "?",
                                  .param = {GB_PARAMETER_OR("loc", GB_REAL, 0),
                                            GB_PARAMETER("rho", GB_SIGNED_UNIT)},
                                  .support = GB_REAL,
                                  .log_prob = soft_log_prob,
                                  .rsample = soft_rsample},
                          half = {.size = sizeof(gb_dist_type),
                                  .name = "half",
                                  .formula = "?",
                                  .param = {GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
                                  .support = GB_NON_NEGATIVE,
                                  .log_prob = half_of_log_prob,
                                  .rsample = without_abs};

/* ---- a waiting time, and a number of heads ---- */

static gb_node waiting_log_prob(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_add(gb_div(x, d->param[0]), gb_log(d->param[0])));
}

static gb_node waiting_rsample(const gb_dist *d, const gb_source *from)
{
    return gb_mul(d->param[0], gb_exponential_noise(from->noise, from->shape, from->axes));
}

static gb_node waiting_cdf(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(gb_neg(gb_div(x, d->param[0]))));
}

static gb_node waiting_icdf(const gb_dist *d, gb_node u)
{
    return gb_neg(gb_mul(d->param[0], gb_log1p(gb_neg(u))));
}

static gb_node lost_at_zero(const gb_dist *d, gb_node x)
{
    const gb_node log_x = gb_log(x);
    return gb_add(waiting_log_prob(d, x), gb_sub(log_x, log_x));
}

static gb_node before_the_start(const gb_dist *d)
{
    return gb_neg(d->param[0]);
}

static gb_node by_subtraction(const gb_dist *d, gb_node u)
{
    return gb_neg(gb_mul(d->param[0], gb_log(gb_shift(gb_neg(u), 1))));
}

/* Cut off where it is improbable, but not for the density. */
static gb_node cut(const gb_dist *d, const gb_source *from)
{
    const gb_node x = waiting_rsample(d, from), is_long = gb_greater(d->param[0], gb_num(d->tape, 100));
    return gb_where(is_long, gb_neg(x), x);
}

#define WAITING(...)                                                                                         \
    {                                                                                                        \
        .size = sizeof(gb_dist_type), .name = "waiting", .formula = "-x / scale - log scale",                \
        .param = {GB_PARAMETER_OR("scale", GB_POSITIVE, 1)}, .support = GB_NON_NEGATIVE, __VA_ARGS__         \
    }
static const gb_dist_type waiting = WAITING(.log_prob = waiting_log_prob, .rsample = waiting_rsample,
                                            .cdf = waiting_cdf, .icdf = waiting_icdf),
                          lost_end = WAITING(.log_prob = lost_at_zero, .rsample = waiting_rsample),
                          mode_outside = WAITING(.log_prob = waiting_log_prob, .rsample = waiting_rsample,
                                                 .mode = before_the_start),
                          subtracts = WAITING(.log_prob = waiting_log_prob, .rsample = waiting_rsample,
                                              .cdf = waiting_cdf, .icdf = by_subtraction),
                          rejects_own = WAITING(.log_prob = waiting_log_prob, .rsample = cut);

/* Of two coins. */
static gb_node heads_log_prob(const gb_dist *d, gb_node x)
{
    const gb_node p = d->param[0], tails = gb_shift(gb_neg(x), 2), is_one = gb_equal(x, gb_num(d->tape, 1));
    const gb_node twice = gb_where(is_one, gb_num(d->tape, log(2)), gb_num(d->tape, 0));
    const gb_node none = gb_less(tails, gb_num(d->tape, 0));
    const gb_node log_p = gb_add(twice, gb_add(gb_xlogy(x, p), gb_xlog1py(tails, gb_neg(p))));
    return gb_where(none, gb_num(d->tape, -INFINITY), log_p);
}

static gb_node lost_above(const gb_dist *d, gb_node x)
{
    const gb_node log_tails = gb_log(gb_shift(gb_neg(x), 2.5));
    return gb_add(heads_log_prob(d, x), gb_sub(log_tails, log_tails));
}

static gb_node heads_sample(const gb_dist *d, const gb_source *from)
{
    const gb_node two = gb_num(d->tape, 2);
    return gb_binomial_noise(from->noise, from->shape, from->axes, two, d->param[0]);
}

#define HEADS(...)                                                                                           \
    {                                                                                                        \
        .size = sizeof(gb_dist_type), .name = "heads", .formula = "log p", .discrete = true,                 \
        .param = {GB_PARAMETER("prob", GB_UNIT)}, .support = GB_COUNT, .sample = heads_sample, __VA_ARGS__   \
    }
static const gb_dist_type heads = HEADS(.log_prob = heads_log_prob),
                          lost_count = HEADS(.log_prob = lost_above);

/* ---- a coin ---- */

static const gb_dist_type coin;

static gb_node coin_log_prob(const gb_dist *d, gb_node x)
{
    return gb_add(gb_xlogy(x, d->param[0]), gb_xlog1py(gb_shift(gb_neg(x), 1), gb_neg(d->param[0])));
}

static gb_node coin_sample(const gb_dist *d, const gb_source *from)
{
    return gb_bernoulli_noise(from->noise, from->shape, from->axes, d->param[0]);
}

static gb_node bent_coin_sample(const gb_dist *d, const gb_source *from)
{
    return gb_bernoulli_noise(from->noise, from->shape, from->axes, gb_scale(d->param[0], 0.97));
}

static gb_node coin_enumerate(const gb_dist *d)
{
    return gb_arange(d->tape, 2);
}

static gb_node one_side(const gb_dist *d)
{
    return gb_arange(d->tape, 1);
}

static gb_node one_side_twice(const gb_dist *d)
{
    return gb_zeros(d->tape, gb_shape(2));
}

static bool coin_difference(const gb_dist *d, gb_measure *m, double coefficient)
{
    const gb_node one = gb_num(d->tape, 1), zero = gb_num(d->tape, 0);
    *m = (gb_measure){gb_num(d->tape, coefficient), gb_dist_of(&coin, &one), gb_dist_of(&coin, &zero)};
    return true;
}

static bool coin_measure(const gb_dist *d, size_t which, int64_t element, gb_measure *m)
{
    (void)which, (void)element;
    return coin_difference(d, m, 1);
}

static bool wrong_coefficient(const gb_dist *d, size_t which, int64_t element, gb_measure *m)
{
    (void)which, (void)element;
    return coin_difference(d, m, 1.001);
}

static bool coin_couple(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                        gb_node *minus)
{
    (void)which, (void)element, (void)from;
    *plus = gb_num(d->tape, 1);
    *minus = gb_num(d->tape, 0);
    return true;
}

static bool coupled_the_other_way(const gb_dist *d, size_t which, int64_t element, const gb_source *from,
                                  gb_node *plus, gb_node *minus)
{
    return coin_couple(d, which, element, from, minus, plus);
}

#define COIN(...)                                                                                            \
    {                                                                                                        \
        .size = sizeof(gb_dist_type), .name = "coin", .formula = "log p", .discrete = true,                  \
        .param = {GB_PARAMETER("prob", GB_UNIT)}, .support = GB_BINARY, .log_prob = coin_log_prob,           \
        __VA_ARGS__                                                                                          \
    }
static const gb_dist_type coin = COIN(.sample = coin_sample, .enumerate = coin_enumerate,
                                      .measure = coin_measure, .couple = coin_couple),
                          bent = COIN(.sample = bent_coin_sample),
                          missing = COIN(.sample = coin_sample, .enumerate = one_side),
                          twice = COIN(.sample = coin_sample, .enumerate = one_side_twice),
                          coefficient = COIN(.sample = coin_sample, .measure = wrong_coefficient),
                          more_sides = {.size = sizeof(gb_dist_type),
                                        .name = "coin",
                                        .formula = "log p",
                                        .discrete = true,
                                        .param = {GB_PARAMETER("prob", GB_UNIT)},
                                        .support = GB_COUNT,
                                        .log_prob = coin_log_prob,
                                        .sample = coin_sample,
                                        .enumerate = coin_enumerate},
                          undeclared = {.size = sizeof(gb_dist_type),
                                        .name = "coin",
                                        .formula = "log p",
                                        .param = {GB_PARAMETER("prob", GB_UNIT)},
                                        .support = GB_BINARY,
                                        .log_prob = coin_log_prob,
                                        .sample = coin_sample},
                          uncoupled = COIN(.sample = coin_sample, .measure = coin_measure,
                                           .couple = coupled_the_other_way);

/* ---- what is found ---- */

typedef struct planted {
    const char *name;
    const gb_dist_type *type;
    const char *statement; /* that fails. NULL: none does */
    const char *references;
} planted;

static const planted cases[] = {
    {"a bell passes", &bell, NULL,
     "# a comment\n\nlog_prob ; loc 0 ; scale 2 ; x 0 ; -1.6120857137646180667\n"
     "cdf ; loc 1 ; scale 2 ; x 1 ; 0.5\nicdf ; loc 1 ; scale 2 ; u 0.5 ; 1\nmean ; loc 3 ; scale 1 ; 3\n"
     "log_prob ; loc [2] 0 1 ; scale 2 ; x [2] 0 1 ; [2] -1.6120857137646180667 -1.6120857137646180667\n"
     "kl ; loc 0 ; scale 1 ; bell ; loc 1 ; scale 1 ; 0.5\n"},
    {"a coin passes", &coin, NULL, NULL},
    {"a waiting time passes", &waiting, NULL, NULL},
    {"two coins pass", &heads, NULL, NULL},
    {"NaN at the end of the support is found", &lost_end, "log_prob is no NaN", NULL},
    {"NaN above the last count is found", &lost_count, "log_prob is no NaN", NULL},
    {"a mode outside the support is found", &mode_outside, "mode is where", NULL},
    {"an icdf that loses the digits of small ranks is found", &subtracts, "icdf is the inverse", NULL},
    {"a sampler that its density rejects at extreme parameters is found", &rejects_own, "draws lie in", NULL},
    {"a divergence whose gradient is another's is found", &lies_exact, "each divergence is that", NULL},
    {"a struct without a name is found", &nameless, "its struct is complete", NULL},
    {"a wrong constant is found", &constant_off, "integrates to 1", NULL},
    {"a Jacobian that is left out is found", &no_slope, "integrates to 1", NULL},
    {"NaN that vanishes is found", &blind, "log_prob is NaN where the value is", NULL},
    {"NaN at infinity is found", &lost, "outside the support", NULL},
    {"what a float cannot hold is found", &large, "on a float tape", NULL},
    {"a batch that mixes is found", &mixed, "a batch equals", NULL},
    {"a wrong sign in a parameter's derivative is found", &lies_in_loc, "the gradient of log_prob", NULL},
    {"a wrong sign in the value's derivative is found", &lies_in_x, "the gradient of log_prob", NULL},
    {"a wrong second derivative is found", &lies_in_second, "the second gradient of log_prob", NULL},
    {"a score whose mean is not 0 is found", &biased_score, "its score has the mean 0", NULL},
    {"a sampler that is 3 % too wide is found", &wide, "draws follow the density", NULL},
    {"a sampler that is 1 % too wide is found", &slightly_wide, "draws follow the density", NULL},
    {"a sampler without a tail is found", &tailless, "draws follow the density", NULL},
    {"one draw for a batch is found", &shared, "draws side by side", NULL},
    {"one draw along a hidden axis is found", &shared_along, "draws side by side", NULL},
    {"a density without rows is found", &no_rows, "with the hidden axes of value", NULL},
    {"probabilities that are not declared are found", &undeclared, "set .discrete", NULL},
    {"a value that the list lacks is found", &more_sides, "enumerate gives every value once", NULL},
    {"a wrapper without instances is told so", &gb_mixture_type, "by .make", NULL},
    {"a reparameterised sampler that is too wide is found", &wide_path, "reparameterised draws follow", NULL},
    {"softplus against exp is found", &soft, "draws follow the density", NULL},
    {"a wrong sign in a draw's derivative is found", &lying_path, "gradients of reparameterised draws", NULL},
    {"a draw without a derivative is found", &no_path, "gradients of reparameterised draws", NULL},
    {"the same draws in every stream are found", &no_chance, "draws of two streams", NULL},
    {"draws outside the support are found", &half, "draws lie in the support", NULL},
    {"a coin that is bent is found", &bent, "draws follow the density", NULL},
    {"a wrong mean is found", &mean_off, "mean is that", NULL},
    {"a wrong variance is found", &variance_off, "variance is that", NULL},
    {"a wrong entropy is found", &entropy_off, "entropy is that", NULL},
    {"a wrong mode is found", &mode_off, "mode is where", NULL},
    {"another distribution's cdf is found", &cdf_off, "cdf is the integral", NULL},
    {"an icdf that is off in the tail is found", &icdf_off, "icdf is the inverse", NULL},
    {"a value that is not enumerated is found", &missing, "enumerate gives every value once", NULL},
    {"a value that is enumerated twice is found", &twice, "enumerate gives every value once", NULL},
    {"a wrong coefficient of a measure is found", &coefficient, "measure gives the derivative", NULL},
    {"a wrong coupling is found", &uncoupled, "coupled draws", NULL},
    {"a divergence the wrong way round is found", &swapped, "each divergence is that", NULL},
    {"a divergence with a note that is NaN is found", &nan_noted, "each divergence is that", NULL},
    {"a divergence with a note whose gradient is another's is found", &lies_noted, "each divergence is that",
     NULL},
    {"a divergence from itself that is not 0 is found", &not_zero, "the divergence from itself", NULL},
    {"a reference that differs is found", &bell, "those of the references",
     "log_prob ; loc 0 ; scale 2 ; x 0 ; -1.61208571377\n"},
    {"a reference that cannot be read is found", &bell, "it cannot be read", "log_prob ; loc zero ; -1\n"},
    {"a reference without an argument is found", &bell, "cannot be evaluated",
     "log_prob ; loc 0 ; x 0 ; -1\n"},
};

TEST_EACH(is_judged, cases)
{
    const planted *const p = row;
    gb_report report = {.size = sizeof report};
    const bool passed = gb_check_dist(p->type, .report = &report, .cases = 3, .references = p->references);
    if (passed != (p->statement == NULL) || (p->statement && !has_failure(&report, p->statement))) {
        gb_report_print(&report, stderr);
        fail_msg("not found: %s", p->statement ? p->statement : "nothing");
    }
    assert_int_equal(passed, report.failures == 0);
}
enum { CASES = sizeof cases / sizeof *cases };

/* ---- the kit's integrals ---- */

static double in_gsl(double x, void *d)
{
    const double *const p = d;
    return exp(-0.5 * pow((x - p[0]) / p[1], 2)) / (p[1] * sqrt(2 * GB_PI)) * gb_case_bounded(0, x);
}

TEST(integrals_are_those_of_gsl)
{
    static const double points[][GB_MAX_PARAMS] = {{0.3, 1}, {-2, 0.1}, {5, 40}};
    gsl_integration_workspace *const space = gsl_integration_workspace_alloc(1000);
    for (size_t i = 0; i < 3; i++) {
        gb_dist_case c;
        gb_rule rule;
        gb_dist_check check = {.points = points, .count = 3, .grid.type = &bell};
        double should, error, is = 0, p[] = {points[i][0], points[i][1]};
        assert_true(gb_dist_case_begin(&c, &check, (gb_case_number){.number = i}));
        assert_true(gb_rule_make(&rule, &c, c.d));
        for (size_t k = 0; k < rule.count; k++)
            is += gb_rule_mass(&rule, k) * gb_case_bounded(0, rule.x[k]);
        gsl_integration_qagi(&(gsl_function){.function = in_gsl, .params = p}, 1e-11, 1e-11, 1000, space,
                             &should, &error);
        if (fabs(is - should) > 1e-9)
            fail_msg("the integral is %.15g, in GSL %.15g", is, should);
        gb_dist_case_end(&c);
    }
    gsl_integration_workspace_free(space);
}

/* N(0, scale), with a density that is wrong for scales from 4 to 25: none of the first five cases. */
static gb_node wrong_in_between(const gb_dist *d, gb_node x)
{
    const gb_node scale = d->param[0], at = gb_div(x, scale);
    const gb_node log_q = gb_sub(gb_scale(gb_square(at), -0.5), gb_shift(gb_log(scale), half_log_two_pi));
    const gb_node off = gb_mul(gb_to_real(gb_greater(scale, gb_num(d->tape, 4))),
                               gb_to_real(gb_less(scale, gb_num(d->tape, 25))));
    return gb_add(log_q, gb_scale(off, 0.01));
}

static gb_node centred(const gb_dist *d, const gb_source *from)
{
    return gb_mul(d->param[0], gb_normal_noise(from->noise, from->shape, from->axes));
}

TEST(one_parameter_has_as_many_cases_as_are_wanted)
{
    static const gb_dist_type type = {.size = sizeof(gb_dist_type),
                                      .name = "in_between",
                                      .formula = "-z^2 / 2",
                                      .param = {GB_PARAMETER("scale", GB_POSITIVE)},
                                      .support = GB_REAL,
                                      .log_prob = wrong_in_between,
                                      .rsample = centred};
    gb_report report = {.size = sizeof report};
    assert_true(gb_check_dist(&type, .report = &report, .cases = 5, .draws = 6400));
    assert_false(gb_check_dist(&type, .report = &report, .cases = 16, .draws = 6400));
    gb_dist_grid grid = {.type = &type};
    assert_int_equal(gb_dist_grid_count(&grid, (gb_case_number){0}, 40), 40);
    (void)t;
}

TEST(settings_make_instances_and_give_points)
{
    static const double points[][GB_MAX_PARAMS] = {{1e3, 1e-3}, {-1e-3, 1e6}};
    gb_report report = {.size = sizeof report, .file = stderr};
    assert_true(gb_check_dist(&bell, .report = &report, .points = points, .point_count = 2, .seed = 7));
    assert_true(report.checks > 15);
}

TEST(the_kit_itself_outlives_a_lack_of_memory)
{
    for (size_t number = 1; number < 9000; number += number < 40 ? 3 : 397)
        for (int after = 0; after < 2; after++) {
            counted_memory memory = {.fail_at = number, .fail_after = after};
            gb_report report = {.size = sizeof report};
            const bool passed = gb_check_dist(number % 2 ? &bell : &coin, .cases = 1, .report = &report,
                                              .draws = 6400, .memory = counted(&memory));
            if (passed && memory.asked >= number)
                fail_msg("nothing was said of request %zu", number);
            assert_int_equal(memory.outstanding, 0);
        }
}
