/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/choices/shared/binary_impl.h"

#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

const char *gb_lacks_bernoulli(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_bernoulli_type ? NULL : "choice between 0 and 1 (bernoulli)";
}

gb_node gb_binary_logits(const gb_dist *q)
{
    return q->alternative ? q->param[0] : gb_logit(q->param[0]);
}

int64_t gb_binary_pair_evaluations(const gb_site *site)
{
    (void)site;
    return 2;
}

gb_node gb_binary_pair_draw(gb_site *site)
{
    const gb_node u = gb_uniform_noise(site->noise, gb_dist_shape(site->q), site->axes);
    const gb_node logits = gb_binary_logits(&site->q);
    const gb_node draw = gb_to_real(gb_greater(u, gb_sigmoid(gb_neg(logits))));
    const gb_node twin = gb_to_real(gb_less(u, gb_sigmoid(logits)));
    site->kept[0] = u;
    return gb_stop(gb_stack(2, (const gb_node[]){draw, twin}, 0));
}

/* 0 where the draws are equal; elsewhere (f − f′) (b − b′) sigmoid(|logit|) / 2. */
gb_node gb_binary_pair_slope(const gb_site *site, gb_node costs)
{
    const gb_node apart = gb_sub(gb_site_value(site, 0), gb_site_value(site, 1));
    const gb_node difference = gb_sub(gb_evaluation(costs, 0), gb_evaluation(costs, 1));
    const gb_node half = gb_scale(gb_mul(apart, gb_sigmoid(gb_abs(gb_binary_logits(&site->q)))), 0.5);
    return gb_mul(difference, half);
}

static int64_t elements_of(const gb_site *site)
{
    return (int64_t)gb_shape_count(gb_dist_shape(site->q));
}

/* A number below 1 may round to 1 when it is multiplied by the count. */
gb_node gb_binary_flipped(const gb_site *site, gb_node b)
{
    const int64_t count = elements_of(site);
    const gb_node u = gb_uniform_noise(site->noise, gb_shape(), site->axes);
    const gb_node place = gb_min(gb_floor(gb_scale(u, (double)count)), gb_num(u.tape, (double)(count - 1)));
    const gb_node chosen = gb_to_real(gb_equal(gb_arange(u.tape, count), gb_expand(place, 0)));
    return gb_abs(gb_sub(b, gb_reshape(chosen, gb_dist_shape(site->q))));
}

gb_node gb_binary_flip_slope(const gb_site *site, gb_node costs, int64_t flipped)
{
    const gb_node apart = gb_sub(gb_site_value(site, flipped), gb_site_value(site, 0));
    const gb_node difference = gb_sub(gb_evaluation(costs, flipped), gb_evaluation(costs, 0));
    return gb_mul(difference, gb_scale(apart, (double)elements_of(site)));
}
