/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/binary_impl.h"

#include "distributions/list.h"
#include "distributions/probability_impl.h"
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
