/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/probability_impl.h"

#include <math.h>

#include "core/op.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "ops/special.h"

/* ---- both forms ---- */

static gb_node last_parameter(const gb_dist *d)
{
    size_t count;
    gb_dist_params(d, &count);
    return d->param[count - 1];
}

gb_chance gb_chance_of(const gb_dist *d)
{
    const gb_node x = last_parameter(d), minus = gb_neg(x);
    if (d->alternative)
        return (gb_chance){gb_sigmoid(x),         gb_sigmoid(minus), gb_log_sigmoid(x),
                           gb_log_sigmoid(minus), gb_exp(x),         gb_exp(minus)};
    const gb_node q = gb_shift(minus, 1);
    return (gb_chance){x, q, gb_log(x), gb_log1p(minus), gb_div(x, q), gb_div(q, x)};
}

gb_chance gb_chance_against(gb_chance c)
{
    return (gb_chance){c.q, c.p, c.log_q, c.log_p, c.q_by_p, c.p_by_q};
}

gb_node gb_is_tiny(gb_node x)
{
    return gb_less(x, gb_num(x.tape, 1e-25));
}

static int64_t count_of(const gb_dist *d)
{
    const gb_shape shape = gb_node_shape(last_parameter(d));
    return shape.rank > 0 ? shape.size[shape.rank - 1] : 0;
}

gb_chances gb_chances_of(const gb_dist *d)
{
    const gb_node x = last_parameter(d);
    const int64_t count = count_of(d);
    if (!d->alternative)
        return (gb_chances){x, gb_log(x), count, false};
    const gb_node log_p = gb_log_softmax(x, -1);
    return (gb_chances){gb_exp(log_p), log_p, count, true};
}

gb_node gb_chances_rest(const gb_chances *c)
{
    if (!c->soft)
        return gb_neg(gb_expm1(c->log_p));
    const gb_node before = gb_cumsum(c->p, -1, .exclusive = true);
    return gb_add(before, gb_cumsum(c->p, -1, .exclusive = true, .reverse = true));
}

gb_node gb_nan_where(gb_node x, gb_node otherwise)
{
    return gb_where(gb_equal(x, x), otherwise, x);
}

gb_node gb_logit(gb_node p)
{
    return gb_sub(gb_log(p), gb_log1p(gb_neg(p)));
}

/* ---- divergence and entropy ---- */

gb_node gb_deviance_by_logs(gb_node x, gb_node log_x, gb_node y, gb_node log_y)
{
    const gb_node near = gb_less(gb_abs(gb_sub(x, y)), gb_scale(y, 0.2));
    const gb_node far = gb_add(gb_chain(x, gb_gap(log_x, log_y)), gb_sub(y, x));
    return gb_where(near, gb_deviance(x, y), far);
}

gb_node gb_chance_kl(gb_chance q, gb_chance p)
{
    return gb_add(gb_deviance_by_logs(q.p, q.log_p, p.p, p.log_p),
                  gb_deviance_by_logs(q.q, q.log_q, p.q, p.log_q));
}

/* The first deviance is p times that of 1 and the ratio of probabilities; the second vanishes as p². */
gb_node gb_waiting_kl(gb_chance q, gb_chance p)
{
    const gb_node one = gb_num(q.p.tape, 1), zero = gb_num(q.p.tape, 0);
    const gb_node log_ratio = gb_gap(p.log_p, q.log_p);
    const gb_node yes = gb_deviance_by_logs(one, zero, gb_exp(log_ratio), log_ratio);
    const gb_node no = gb_deviance_by_logs(q.q, q.log_q, p.q, p.log_q);
    const gb_node far = gb_where(gb_greater(no, zero), gb_div(no, q.p), zero);
    return gb_where(gb_is_tiny(q.p), gb_add(yes, far), gb_div(gb_chance_kl(q, p), q.p));
}

/* `each`, but `otherwise` and without a gradient where the logit says that an event is impossible. */
static gb_node where_possible(const gb_chances *c, gb_node each, gb_node otherwise)
{
    if (!c->soft)
        return each;
    return gb_where(gb_greater(c->log_p, gb_num(each.tape, -INFINITY)), each, otherwise);
}

gb_node gb_chances_kl(const gb_dist *q, const gb_dist *p)
{
    const gb_chances of_q = gb_chances_of(q), of_p = gb_chances_of(p);
    const gb_node each = gb_deviance_by_logs(of_q.p, of_q.log_p, of_p.p, of_p.log_p);
    return gb_sum_event(where_possible(&of_q, each, of_p.p), 1);
}

/* Of logits Σ p is 1, so Σ p ∂log p is 0: a large term that the derivative would have to lose again. */
gb_node gb_chances_entropy(const gb_dist *d)
{
    const gb_chances c = gb_chances_of(d);
    gb_node each = gb_chain(c.p, c.log_p);
    if (c.soft)
        each = gb_inject(gb_stop(each), c.log_p, each);
    return gb_neg(gb_sum_event(where_possible(&c, each, gb_num(d->tape, 0)), 1));
}

bool gb_same_count(const gb_dist *q, const gb_dist *p)
{
    return count_of(q) == count_of(p);
}

/* ---- derivative ---- */

/* Logits of the certain event k. */
static gb_node certain(const gb_dist *d, int64_t count, int64_t k)
{
    const gb_node is_k = gb_equal(gb_arange(d->tape, count), gb_num(d->tape, (double)k));
    const gb_node logits = gb_where(is_k, gb_num(d->tape, 0), gb_num(d->tape, -INFINITY));
    return gb_broadcast(logits, gb_node_shape(d->param[0]));
}

bool gb_chances_have(const gb_dist *d, gb_ability ability)
{
    return ability != GB_CAN_MEASURE || d->alternative;
}

bool gb_chances_measure(const gb_dist *d, size_t which, int64_t element, gb_measure *measure)
{
    if (which != 0)
        return false;
    const gb_chances c = gb_chances_of(d);
    if (!c.soft || element < 0 || element >= c.count)
        return false;
    const gb_node logits = certain(d, c.count, element);
    *measure = (gb_measure){.coefficient = gb_squeeze(gb_slice(c.p, -1, element, element + 1), -1),
                            .plus = gb_dist_alternative(d->type, &logits),
                            .minus = *d};
    return gb_dist_ok(measure->plus);
}

/* ---- numbers of trials ---- */

/* x without the checks that distributions put around their parameters. */
static gb_node unchecked(gb_node x)
{
    while (gb_node_is(x, "hold"))
        x = gb_node_argument(x, 0);
    return x;
}

bool gb_same_total(const gb_dist *q, const gb_dist *p)
{
    double of_q, of_p;
    if (gb_is_uniform(q->param[0], &of_q) && gb_is_uniform(p->param[0], &of_p))
        return of_q == of_p;
    return gb_node_same(unchecked(q->param[0]), unchecked(p->param[0]));
}

int64_t gb_known_total(const gb_dist *d)
{
    double total;
    if (gb_is_uniform(d->param[0], &total) && total < 0x1p53)
        return (int64_t)total;
    gb_fail(d->tape, GB_EARGUMENT,
            "%s: values can be listed only where total is one number that is a constant", d->type->name);
    return -1;
}

/* ---- counts ---- */

static const double many = 16; /* from here on, the error of a series of five terms is below 1e-14 */

/* log Γ(x + 1) − log(√(2πx) (x/e)^x), for x ≥ `many`. */
static gb_node stirling_error(gb_node x)
{
    static const double of[] = {-1. / 1680, 1. / 1260, -1. / 360, 1. / 12};
    const gb_node u = gb_reciprocal(x), w = gb_square(u);
    gb_node sum = gb_num(x.tape, 1. / 1188);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        sum = gb_shift(gb_mul(sum, w), of[i]);
    return gb_mul(u, sum);
}

gb_node gb_log_poisson(gb_node x, gb_node mean, gb_node log_mean)
{
    const gb_node direct = gb_sub(gb_sub(gb_chain(x, log_mean), mean), gb_lgamma(gb_shift(x, 1)));
    const gb_node log_x = gb_log(x), height = gb_scale(gb_shift(log_x, GB_LOG_TWO_PI), -0.5);
    const gb_node deviance = gb_deviance_by_logs(x, log_x, mean, log_mean);
    const gb_node by_series = gb_sub(gb_sub(height, stirling_error(x)), deviance);
    return gb_where(gb_less(x, gb_num(x.tape, many)), direct, by_series);
}

gb_node gb_by_tails(gb_node below, gb_node above)
{
    return gb_where(gb_less(above, gb_num(above.tape, 0.5)), gb_shift(gb_neg(above), 1), below);
}

/* By the smaller of p and q: the other one may have lost its digits. */
gb_node gb_at_most(gb_node x, gb_node failures, gb_chance c)
{
    const gb_node successes = gb_shift(x, 1), by_q = gb_less(c.q, c.p);
    const gb_node a = gb_where(by_q, failures, successes), b = gb_where(by_q, successes, failures);
    const gb_node side = gb_where(by_q, c.q, c.p);
    const gb_node low = gb_beta_i(a, b, side), high = gb_beta_i_upper(a, b, side);
    return gb_by_tails(gb_where(by_q, low, high), gb_where(by_q, high, low));
}

gb_node gb_chance_side(gb_chance c)
{
    return gb_where(gb_less_equal(c.p, c.q), c.p, gb_neg(c.q));
}

gb_node gb_log_binomial(gb_node total, gb_node x, gb_chance c)
{
    const gb_node log_total = gb_log(total);
    const gb_node yes = gb_log_poisson(x, gb_mul(total, c.p), gb_add(log_total, c.log_p));
    const gb_node no = gb_log_poisson(gb_sub(total, x), gb_mul(total, c.q), gb_add(log_total, c.log_q));
    return gb_sub(gb_add(yes, no), gb_log_poisson(total, total, log_total));
}
