/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constant that minimises the sum of the variances of the score's elements is E[f s²] / E[s²], with s²
 * the squared norm of the score. Both means are over earlier runs, so no sample is in its own baseline. */
#include "core/gradient.h"
#include "estimators/estimator.h"
#include "estimators/learn.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const double DECAY = 0.95;

/* Returns |∂ log q / ∂ parameters|² for each sample (and row), and each evaluation of other sites. The
 * parameters are widened along them, so that their gradients stay separate. */
static gb_node squared_score(const gb_site *site)
{
    gb_dist q = site->q;
    gb_node own[GB_MAX_PARAMS], gradient[GB_MAX_PARAMS], sum = gb_num(q.tape, 0);
    size_t params, count = 0;
    gb_dist_params(&q, &params);
    const gb_node draw = gb_stop(gb_site_value(site, 0));
    const gb_axes evaluations = (gb_dist_axes(q) | gb_node_axes(draw)) & ~(GB_SAMPLES | GB_ROWS);
    const gb_axes apart = site->per | evaluations;
    for (size_t i = 0; i < params; i++)
        if (!gb_is_constant(q.param[i]) && gb_node_type(q.param[i]) == GB_TYPE_REAL)
            q.param[i] = own[count++] = gb_widen(gb_stop(q.param[i]), gb_node_axes(q.param[i]) | apart);
    const gb_node log_q = gb_log_prob(q, draw);
    const gb_node all = gb_close_draws(gb_sum_over(gb_sum(log_q), gb_node_axes(log_q)));
    if (gb_grads(all, own, count, gradient) != GB_OK)
        return (gb_node){0};
    for (size_t i = 0; i < count; i++)
        sum = gb_add(sum, gb_site_sum(site, gb_square(gradient[i])));
    return sum;
}

static gb_node moving(const gb_site *site, const char *part, gb_node now)
{
    const gb_node before = gb_site_variable(site, part, gb_shape(), 0), mean = gb_site_mean(site, now);
    gb_site_assigns(site, before, gb_add(gb_scale(before, DECAY), gb_scale(mean, 1 - DECAY)));
    return before;
}

static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    (void)options;
    const gb_node squares = squared_score(site);
    if (!gb_node_ok(squares))
        return squares;
    const gb_node weighted = moving(site, "fitted_cost", gb_mul(gb_stop(cost), squares));
    const gb_node weight = moving(site, "fitted_weight", squares), zero = gb_num(cost.tape, 0);
    return gb_where(gb_greater(weight, zero), gb_div(weighted, weight), zero);
}

static const char *lacks(const gb_dist *q, const void *options)
{
    (void)options;
    return q->base ? "score in its own parameters (it wraps another distribution)" : NULL;
}

const gb_baseline_type gb_fitted_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "fitted",
    .cite = "Weaver and Tao 2001; Greensmith, Bartlett and Baxter 2004",
    .formula = "E[f s^2] / E[s^2] over earlier runs, s the length of the score",
    .value = value,
    .lacks = lacks,
};

gb_baseline gb_fitted(void)
{
    return gb_baseline_of(&gb_fitted_baseline_type, NULL);
}
