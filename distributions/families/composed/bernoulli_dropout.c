/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of a weight under dropout: `weight` with probability `keep`, else 0; and of the weights of a unit,
 * which are kept or dropped together. Draws are reparameterised in the weight only. So pathwise needs a
 * constant keep, and a learned keep needs another estimator for the mask. */
#include <math.h>

#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

enum { WEIGHT, KEEP };

/* How many axes share a mask. */
static int rank(const gb_dist *d)
{
    return d->type->support->event_rank;
}

/* keep, broadcast to the weights. */
static gb_node keep(const gb_dist *d)
{
    return gb_add_axes(d->param[KEEP], rank(d));
}

static gb_node other(const gb_dist *d)
{
    return gb_sub(gb_num(d->tape, 1), keep(d));
}

/* For each mask: whether all elements of x and y are equal. */
static gb_node is(const gb_dist *d, gb_node x, gb_node y)
{
    if (rank(d) == 0)
        return gb_equal(x, y);
    const gb_node differ = gb_sum_event(gb_to_real(gb_not(gb_equal(x, y))), rank(d));
    return gb_equal(differ, gb_num(d->tape, 0));
}

static gb_node is_zero(const gb_dist *d, gb_node x)
{
    return is(d, x, gb_num(d->tape, 0));
}

/* Where the weight is 0, the value 0 has probability 1. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node weight = d->param[WEIGHT], p = d->param[KEEP], zero = gb_num(d->tape, 0);
    const gb_node sum = gb_sum_event(x, rank(d));
    const gb_node elsewhere = gb_where(gb_equal(sum, sum), gb_num(d->tape, -INFINITY), sum);
    const gb_node dropped = gb_where(is_zero(d, weight), zero, gb_log1p(gb_neg(p)));
    return gb_where(is_zero(d, x), dropped, gb_where(is(d, x, weight), gb_log(p), elsewhere));
}

/* The gradient goes through the weight; the mask has none. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node mask = gb_bernoulli_noise(from->noise, gb_dist_batch_shape(*d), from->axes, d->param[KEEP]);
    return gb_mul(gb_add_axes(mask, rank(d)), d->param[WEIGHT]);
}

/* A draw is no function of keep, though its law depends on keep. */
static bool has(const gb_dist *d, gb_ability ability)
{
    return ability != GB_CAN_RSAMPLE || gb_is_constant(d->param[KEEP]);
}

static gb_node at_least(gb_node x, gb_node value)
{
    return gb_to_real(gb_greater_equal(x, value));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node kept = gb_mul(d->param[KEEP], at_least(x, d->param[WEIGHT]));
    const gb_node sum = gb_add(kept, gb_mul(other(d), at_least(x, gb_num(d->tape, 0))));
    return gb_where(gb_equal(x, x), sum, x);
}

static gb_node atoms(const gb_dist *d)
{
    const gb_node weight = gb_broadcast(d->param[WEIGHT], gb_dist_shape(*d));
    return gb_stack(2, (const gb_node[]){gb_scale(weight, 0), weight}, 0);
}

static gb_node mean(const gb_dist *d)
{
    return gb_mul(keep(d), d->param[WEIGHT]);
}

static gb_node variance(const gb_dist *d)
{
    return gb_mul(mean(d), gb_mul(other(d), d->param[WEIGHT]));
}

static gb_node mode(const gb_dist *d)
{
    const gb_node is_kept = gb_greater_equal(keep(d), gb_num(d->tape, 0.5));
    return gb_where(is_kept, d->param[WEIGHT], gb_num(d->tape, 0));
}

static gb_node entropy_of_mask(const gb_dist *d)
{
    const gb_node p = d->param[KEEP];
    return gb_neg(gb_add(gb_xlogy(p, p), gb_xlog1py(gb_sub(gb_num(d->tape, 1), p), gb_neg(p))));
}

static gb_node entropy(const gb_dist *d)
{
    return gb_where(is_zero(d, d->param[WEIGHT]), gb_num(d->tape, 0), entropy_of_mask(d));
}

/* Gal and Ghahramani 2016: both values are replaced by narrow normals, whose entropy is a constant that is
 * left out. This leaves E[(x − loc)²] / 2 scale² + log scale − the entropy of the mask. For a standard normal
 * p it is keep · weight² / 2 − the entropy of the mask. */
static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    const gb_dist *const normal = p->type == &gb_independent_type ? p->base : p;
    const gb_node loc = normal->param[0], scale = normal->param[1];
    const gb_node kept = gb_mul(keep(q), gb_square(gb_div(gb_sub(q->param[WEIGHT], loc), scale)));
    const gb_node dropped = gb_mul(other(q), gb_square(gb_div(loc, scale)));
    const gb_node squares = gb_scale(gb_add(kept, dropped), 0.5);
    return gb_sub(gb_sum_event(gb_add(squares, gb_log(scale)), rank(q)), entropy_of_mask(q));
}

static bool are_normals(const gb_dist *q, const gb_dist *p)
{
    return p->base->type == &gb_normal_type && p->count == rank(q);
}

static const char note[] =
    "the approximation of Gal and Ghahramani (2016): E[(x - loc)^2] / (2 scale^2) + log scale - the entropy "
    "of the mask, without a constant";

static const gb_kl_pair pairs[] = {
    {.q = &gb_bernoulli_dropout_type, .p = &gb_normal_type, .kl = kl, .note = note}, {0}};

static const gb_kl_pair pairs_of_units[] = {
    {.q = &gb_unit_dropout_type, .p = &gb_independent_type, .kl = kl, .fits = are_normals, .note = note},
    {0}};

const gb_dist_type gb_bernoulli_dropout_type = {
    .size = sizeof(gb_dist_type),
    .name = "bernoulli_dropout",
    .formula = "log keep where x = weight, log(1 - keep) where x = 0, else -inf",
    .param = {GB_PARAMETER("weight", GB_REAL), GB_PARAMETER("keep", GB_UNIT)},
    .support = GB_REAL,
    .discrete = true,
    .moving_support = true,
    .log_prob = log_prob,
    .atoms = atoms,
    .rsample = rsample,
    .has = has,
    .cdf = cdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs,
};

const gb_dist_type gb_unit_dropout_type = {
    .size = sizeof(gb_dist_type),
    .name = "unit_dropout",
    .formula = "log keep where x = weight, log(1 - keep) where x = 0, else -inf",
    .param = {GB_PARAMETER("weight", GB_REAL_VECTOR), GB_PARAMETER("keep", GB_UNIT)},
    .support = GB_REAL_VECTOR,
    .discrete = true,
    .moving_support = true,
    .log_prob = log_prob,
    .atoms = atoms,
    .rsample = rsample,
    .has = has,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs_of_units,
};
