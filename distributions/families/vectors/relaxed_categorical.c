/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The concrete distribution (Maddison, Mnih, Teh 2017; Jang, Gu, Poole 2017): softmax((log probs + G) /
 * temperature) for Gumbel noise G. It tends to a one-hot draw as the temperature tends to 0. There is no
 * density where an element is 0, and log_prob is −inf there. At low temperatures, draws have the smallest
 * positive number instead of 0. */
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node temperature(const gb_dist *d)
{
    return d->param[0];
}

static gb_node logits(const gb_dist *d)
{
    return d->alternative ? d->param[1] : gb_log(d->param[1]);
}

/* With e = softmax(logits − temperature log x): (K − 1)! temperature^(K − 1) Π e / Π x. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const double k = (double)gb_chances_of(d).count;
    const gb_node log_x = gb_log(x);
    const gb_node scores = gb_sub(logits(d), gb_mul(gb_add_axes(temperature(d), 1), log_x));
    const gb_node each = gb_sub(gb_log_softmax(scores, -1), log_x);
    const gb_node constant = gb_add(gb_scale(gb_log(temperature(d)), k - 1), gb_lgamma(gb_num(d->tape, k)));
    return gb_add(constant, gb_sum_event(each, 1));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node perturbed = gb_add(logits(d), gb_gumbel_noise(from->noise, from->shape, from->axes));
    return gb_positive_draw(gb_log_softmax(gb_div(perturbed, gb_add_axes(temperature(d), 1)), -1));
}

static gb_node not_in_simplex(gb_node x)
{
    return gb_simplex_domain.outside(x);
}

static gb_transform reach_simplex(gb_tape *tape)
{
    return gb_simplex_domain.reach(tape);
}

static const gb_domain open_simplex = {.size = sizeof(gb_domain),
                                       .name = "open_simplex",
                                       .must_be = "positive with a sum of 1",
                                       .event_rank = 1,
                                       .low = 0,
                                       .high = 1,
                                       .above = true,
                                       .outside = not_in_simplex,
                                       .reach = reach_simplex};

const gb_dist_type gb_relaxed_categorical_type = {
    .size = sizeof(gb_dist_type),
    .name = "relaxed_categorical",
    .formula = "log (K-1)! + (K-1) log temperature + sum(log softmax(log probs - temperature log x) - log x)",
    .param = {GB_PARAMETER("temperature", GB_POSITIVE), GB_PARAMETER("probs", &open_simplex)},
    .alternative = {GB_PARAMETER("temperature", GB_POSITIVE), GB_PARAMETER("logits", GB_REAL_VECTOR)},
    .support = &open_simplex,
    .log_prob = log_prob,
    .rsample = rsample,
};
