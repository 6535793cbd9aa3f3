/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/shared/binary_impl.h"

#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
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
