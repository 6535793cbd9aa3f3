/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All mass at one value: the posterior of a point estimate. */
#include <math.h>

#include "core/op.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"

static gb_node number_where(gb_node condition, double number, gb_node other)
{
    return gb_where(condition, gb_num(condition.tape, number), other);
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node elsewhere = number_where(gb_equal(x, x), -INFINITY, x);
    return number_where(gb_equal(x, d->param[0]), 0, elsewhere);
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_widen(gb_broadcast_to(d->param[0], from->shape), from->axes);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node below = number_where(gb_less(x, d->param[0]), 0, x);
    return number_where(gb_greater_equal(x, d->param[0]), 1, below);
}

static gb_node atoms(const gb_dist *d)
{
    return gb_expand(d->param[0], 0);
}

static bool is_of_numbers(const gb_dist *q, const gb_dist *p)
{
    (void)q;
    return gb_dist_event_shape(*p).rank == 0;
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_neg(gb_log_prob(*p, q->param[0]));
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_point_mass_type,
     .kl = kl,
     .fits = is_of_numbers,
     .note = "-log p(value); where p has a density, the divergence but for a constant that is infinite"},
    {0}};

const gb_dist_type gb_point_mass_type = {
    .size = sizeof(gb_dist_type),
    .name = "point_mass",
    .formula = "0 where x = value, else -inf",
    .param = {GB_PARAMETER("value", GB_REAL)},
    .support = GB_REAL,
    .discrete = true,
    .moving_support = true,
    .log_prob = log_prob,
    .atoms = atoms,
    .rsample = rsample,
    .cdf = cdf,
    .mean = gb_first_parameter,
    .variance = gb_always_zero,
    .mode = gb_first_parameter,
    .entropy = gb_always_zero,
    .kl = pairs,
};
