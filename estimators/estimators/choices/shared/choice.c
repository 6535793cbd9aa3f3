/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/choices/shared/choice_impl.h"

#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/reduce.h"

static bool is_binary(const gb_dist *q)
{
    return q->type == &gb_bernoulli_type;
}

const char *gb_lacks_choice(const gb_dist *q, const void *options)
{
    (void)options;
    return is_binary(q) || q->type == &gb_one_hot_categorical_type
               ? NULL
               : "choice between 0 and 1, or of one among several (bernoulli, one_hot_categorical)";
}

gb_node gb_choice_relaxed(const gb_dist *q, gb_node z, double temperature)
{
    const gb_node scaled = gb_scale(z, 1 / temperature);
    return is_binary(q) ? gb_sigmoid(scaled) : gb_softmax(scaled, -1);
}

gb_node gb_choice_of(const gb_dist *q, gb_node x, double middle)
{
    const int64_t count = gb_shape_size(gb_dist_shape(*q), -1);
    return is_binary(q) ? gb_to_real(gb_greater(x, gb_num(x.tape, middle)))
                        : gb_one_hot(gb_argmax(x, -1), count);
}

gb_node gb_choice_logits(const gb_dist *q)
{
    return is_binary(q) ? gb_binary_logits(q) : gb_chances_of(q).log_p;
}

gb_node gb_choice_logits_of(const gb_dist *q, gb_node p)
{
    return is_binary(q) ? gb_logit(p) : gb_log(p);
}

/* ---- 0 or 1 ---- */

static gb_node logistic(const gb_site *site, gb_shape draws)
{
    const gb_shape shape = gb_shape_join(draws, gb_dist_shape(site->q));
    const gb_node u = gb_uniform_noise(site->noise, shape, site->axes);
    return gb_sub(gb_log(u), gb_log1p(gb_neg(u)));
}

/* Given b = 1, z = log(1 + e^(noise − log(1 − p))); given b = 0, z = −log(1 + e^(noise − log p)) (Tucker et
 * al. 2017). */
static gb_node binary_given(gb_node is_one, gb_node logits, gb_node noise)
{
    const gb_node above = gb_softplus(gb_add(noise, gb_softplus(logits)));
    const gb_node below = gb_neg(gb_softplus(gb_add(noise, gb_softplus(gb_neg(logits)))));
    return gb_where(is_one, above, below);
}

static gb_choice_path binary_path(const gb_site *site)
{
    const gb_node logits = gb_binary_logits(&site->q), zero = gb_num(logits.tape, 0);
    const gb_node z = gb_add(logits, logistic(site, gb_shape())), noise = logistic(site, gb_shape());
    const gb_node is_one = gb_greater(gb_stop(z), zero);
    return (gb_choice_path){
        .z = z, .b = gb_to_real(is_one), .z_given_b = binary_given(is_one, logits, noise)};
}

/* ---- one among several ---- */

/* With E exponential: given that z_k is the largest, z_k is −log E_k for any p, and the others are −log(E_i /
 * p_i + E_k) (Tucker et al. 2017). */
static gb_node one_hot_given(gb_node b, gb_node log_p, gb_node log_e)
{
    const gb_node of_largest = gb_expand(gb_sum_along(gb_mul(b, log_e), gb_axis(-1)), -1);
    const gb_node others = gb_neg(gb_logaddexp(gb_sub(log_e, log_p), of_largest));
    return gb_where(gb_greater(b, gb_num(b.tape, 0.5)), gb_neg(log_e), others);
}

static gb_node gumbel(const gb_site *site, gb_shape draws)
{
    return gb_gumbel_noise(site->noise, gb_shape_join(draws, gb_dist_shape(site->q)), site->axes);
}

static gb_choice_path one_hot_path(const gb_site *site)
{
    const gb_node log_p = gb_chances_of(&site->q).log_p;
    const gb_node z = gb_add(log_p, gumbel(site, gb_shape()));
    const gb_node b = gb_choice_of(&site->q, gb_stop(z), 0);
    const gb_node log_e = gb_neg(gumbel(site, gb_shape()));
    return (gb_choice_path){.z = z, .b = b, .z_given_b = one_hot_given(b, log_p, log_e)};
}

/* ---- both ---- */

gb_choice_path gb_choice_path_of(const gb_site *site)
{
    return is_binary(&site->q) ? binary_path(site) : one_hot_path(site);
}

gb_node gb_choice_given(const gb_site *site, gb_node b, gb_shape draws)
{
    const gb_node logits = gb_choice_logits(&site->q);
    return is_binary(&site->q)
               ? binary_given(gb_greater(b, gb_num(b.tape, 0.5)), logits, logistic(site, draws))
               : one_hot_given(b, logits, gb_neg(gumbel(site, draws)));
}
