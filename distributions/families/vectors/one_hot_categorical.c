/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of K categories, as a vector: 1 at its place, else 0. */
#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/order.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_sum_event(gb_chain(x, gb_chances_of(d).log_p), 1);
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_chances c = gb_chances_of(d);
    const gb_shape batch = gb_dist_batch_shape(*d);
    const gb_node chosen = gb_categorical_noise(from->noise, batch, from->axes, c.log_p);
    return gb_to_real(gb_equal(gb_expand(chosen, -1), gb_arange(d->tape, c.count)));
}

static gb_node mean(const gb_dist *d)
{
    return gb_chances_of(d).p;
}

static gb_node variance(const gb_dist *d)
{
    const gb_chances c = gb_chances_of(d);
    return gb_mul(c.p, gb_chances_rest(&c));
}

static gb_node mode(const gb_dist *d)
{
    return gb_one_hot(gb_argmax(d->param[0], -1), gb_chances_of(d).count);
}

static gb_node enumerate(const gb_dist *d)
{
    return gb_eye(d->tape, gb_chances_of(d).count);
}

static gb_dist relaxed(const gb_dist *d, gb_node temperature)
{
    return d->alternative ? gb_relaxed_categorical_logits(temperature, d->param[0])
                          : gb_relaxed_categorical(temperature, d->param[0]);
}

static const gb_kl_pair pairs[] = {{.q = &gb_one_hot_categorical_type,
                                    .p = &gb_one_hot_categorical_type,
                                    .kl = gb_chances_kl,
                                    .fits = gb_same_count},
                                   {0}};

const gb_dist_type gb_one_hot_categorical_type = {
    .size = sizeof(gb_dist_type),
    .name = "one_hot_categorical",
    .formula = "sum of x log probs",
    .param = {GB_PARAMETER("probs", GB_SIMPLEX)},
    .alternative = {GB_PARAMETER("logits", GB_LOGITS)},
    .support = GB_ONE_HOT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .has = gb_chances_have,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = gb_chances_entropy,
    .enumerate = enumerate,
    .measure = gb_chances_measure,
    .relaxed = relaxed,
    .kl = pairs,
};
