/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/binary_impl.h"

#include "distributions/list.h"
#include "distributions/probability_impl.h"
#include "ops/arrange.h"
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

static gb_node logistic(const gb_site *site)
{
    const gb_node u = gb_uniform_noise(site->noise, gb_dist_shape(site->q), site->axes);
    return gb_sub(gb_log(u), gb_log1p(gb_neg(u)));
}

/* Given b = 1, z = log(1 + e^(noise − log(1 − p))); given 0, −log(1 + e^(noise − log p)) (Tucker et al. 2017). */
gb_binary_path gb_binary_path_of(const gb_site *site)
{
    const gb_node logits = gb_binary_logits(&site->q), zero = gb_num(logits.tape, 0);
    const gb_node z = gb_add(logits, logistic(site)), noise = logistic(site);
    const gb_node is_one = gb_greater(z, zero);
    const gb_node above = gb_softplus(gb_add(noise, gb_softplus(logits)));
    const gb_node below = gb_neg(gb_softplus(gb_add(noise, gb_softplus(gb_neg(logits)))));
    return (gb_binary_path){.z = z, .b = gb_to_real(is_one), .z_given_b = gb_where(is_one, above, below)};
}
