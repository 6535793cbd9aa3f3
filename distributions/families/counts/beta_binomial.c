/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Successes in `total` trials of one probability, which is itself a draw of Beta(alpha, beta). */
#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

enum { TOTAL, ALPHA, BETA };

static gb_node sum(const gb_dist *d)
{
    return gb_add(d->param[ALPHA], d->param[BETA]);
}

/* log of the negative binomial probability of x successes before `failures` failures. */
static gb_node log_successes(gb_node x, gb_node failures, gb_node logits)
{
    const gb_dist d = {
        .type = &gb_negative_binomial_type, .tape = x.tape, .param = {failures, logits}, .alternative = true};
    return d.type->log_prob(&d, x);
}

/* Counts of alpha and of beta failures, given their sum, which is a count of alpha + beta. Their logits do
 * not matter. Those by which `total` is expected keep each count near its mean, so nothing large cancels. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node total = d->param[TOTAL], logits = gb_log_ratio(total, gb_stop(sum(d)));
    const gb_node yes = log_successes(x, d->param[ALPHA], logits);
    const gb_node no = log_successes(gb_sub(total, x), d->param[BETA], logits);
    return gb_sub(gb_add(yes, no), log_successes(total, sum(d), logits));
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node yes = gb_log_gamma_noise(from->noise, from->shape, from->axes, d->param[ALPHA]);
    const gb_node no = gb_log_gamma_noise(from->noise, from->shape, from->axes, d->param[BETA]);
    const gb_node prob = gb_sigmoid(gb_sub(yes, no));
    return gb_binomial_noise(from->noise, from->shape, from->axes, d->param[TOTAL], prob);
}

static gb_ends ends(const gb_dist *d)
{
    return (gb_ends){.high = d->param[TOTAL]};
}

static gb_node mean(const gb_dist *d)
{
    return gb_mul(d->param[TOTAL], gb_div(d->param[ALPHA], sum(d)));
}

/* total p q (s + total) / (s + 1) with s = alpha + beta */
static gb_node variance(const gb_dist *d)
{
    const gb_node s = sum(d), p = gb_div(d->param[ALPHA], s), q = gb_div(d->param[BETA], s);
    const gb_node wider = gb_div(gb_add(s, d->param[TOTAL]), gb_shift(s, 1));
    return gb_mul(gb_mul(gb_mul(d->param[TOTAL], p), q), wider);
}

/* Probabilities rise up to (total + 1) (alpha − 1) / (s − 2). Where alpha and beta are small they fall before
 * they rise, and the end with the larger parameter is the mode. */
static gb_node mode(const gb_dist *d)
{
    const gb_node total = d->param[TOTAL], zero = gb_num(d->tape, 0), excess = gb_shift(sum(d), -2);
    const gb_node share = gb_div(gb_shift(d->param[ALPHA], -1), excess);
    const gb_node inner = gb_floor(gb_mul(gb_shift(total, 1), share));
    const gb_node end = gb_where(gb_greater(d->param[ALPHA], d->param[BETA]), total, zero);
    return gb_where(gb_greater(excess, zero), gb_min(gb_max(inner, zero), total), end);
}

static gb_node enumerate(const gb_dist *d)
{
    const int64_t most = gb_known_total(d);
    return most < 0 ? (gb_node){0} : gb_arange(d->tape, most + 1);
}

const gb_dist_type gb_beta_binomial_type = {
    .size = sizeof(gb_dist_type),
    .name = "beta_binomial",
    .formula = "log(total! / (x! (total - x)!)) + log B(x + alpha, total - x + beta) - log B(alpha, beta)",
    .param = {GB_PARAMETER("total", GB_COUNT), GB_PARAMETER("alpha", GB_POSITIVE),
              GB_PARAMETER("beta", GB_POSITIVE)},
    .support = GB_COUNT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .ends = ends,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .enumerate = enumerate,
};
