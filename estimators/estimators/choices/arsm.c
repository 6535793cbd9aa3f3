/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Augment-REINFORCE-swap-merge. A draw is the category whose exponential e_c, divided by its probability, is
 * the smallest. To swap the exponentials of two categories, in all elements at once, gives another draw from
 * q. z_cj is the one with those of c and j swapped; z_cc is the draw itself. */
#include "estimators/estimators/choices/shared/categories_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/reduce.h"

enum { SHARES };

/* One for the draw, and one for each pair of categories. */
static int64_t evaluations(const gb_site *site)
{
    const int64_t count = gb_categories(site);
    return 1 + count * (count - 1) / 2;
}

/* Returns the number of the evaluation with those of c and j swapped, c < j. */
static int64_t swap_of(int64_t count, int64_t c, int64_t j)
{
    return 1 + c * count - c * (c + 1) / 2 + j - c - 1;
}

/* Returns which exponential each category has in each evaluation: integers (evaluations, K). */
static gb_node permutations(const gb_site *site)
{
    const int64_t count = gb_categories(site);
    int64_t *const to = gb_tape_keep(site->q.tape, (size_t)(site->evaluations * count) * sizeof *to);
    if (!to)
        return (gb_node){0};
    for (int64_t i = 0; i < site->evaluations * count; i++)
        to[i] = i % count;
    for (int64_t c = 0; c < count; c++)
        for (int64_t j = c + 1; j < count; j++) {
            to[swap_of(count, c, j) * count + c] = j;
            to[swap_of(count, c, j) * count + j] = c;
        }
    return gb_ints(site->q.tape, gb_shape(site->evaluations, count), to);
}

/* Moves the last axis to the front. */
static gb_node last_first(gb_node x)
{
    const int rank = gb_node_shape(x).rank;
    int order[GB_MAX_RANK] = {rank - 1};
    for (int i = 1; i < rank; i++)
        order[i] = i - 1;
    return gb_transpose(x, gb_axis_of(rank, order));
}

static gb_node draw(gb_site *site)
{
    const gb_node log_p = gb_category_log_probs(site);
    const gb_node log_e = gb_neg(gb_gumbel_noise(site->noise, gb_node_shape(log_p), site->axes));
    const gb_node swapped = gb_gather(log_e, -1, permutations(site));
    const gb_node first = gb_argmax(gb_sub(gb_expand(log_p, -2), swapped), -1);
    site->kept[SHARES] = gb_softmax(log_e, -1);
    return gb_stop(gb_category_values(site, last_first(first)));
}

/* Returns the costs as a matrix, f(z_cj). */
static gb_node matrix_of(const gb_site *site, gb_node costs)
{
    const int64_t count = gb_categories(site);
    int64_t *const from = gb_tape_keep(costs.tape, (size_t)(count * count) * sizeof *from);
    if (!from)
        return (gb_node){0};
    for (int64_t c = 0; c < count; c++)
        for (int64_t j = 0; j < count; j++)
            from[c * count + j] = c == j ? 0 : swap_of(count, c < j ? c : j, c < j ? j : c);
    return gb_gather(costs, 0, gb_ints(costs.tape, gb_shape(count, count), from));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node f = matrix_of(site, costs), off = gb_sub(f, gb_mean_along(f, gb_axis(0)));
    const gb_node share = gb_shift(gb_neg(site->kept[SHARES]), 1 / (double)gb_categories(site));
    const gb_node slope = gb_sum_along(gb_mul(gb_expand(share, -2), off), gb_axis(-1));
    return gb_site_inject(site, gb_mean_along(costs, gb_axis(0)), gb_category_log_probs(site), slope);
}

const gb_estimator_type gb_arsm_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "arsm",
    .cite = "Yin, Yue and Zhou 2019",
    .formula =
        "sum_j (f(z_cj) - mean_c f(z_cj)) (1/K - e_j / sum e) d logit_c, z_cj with e_c and e_j swapped",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_categories,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_arsm(void)
{
    return gb_estimator_of(&gb_arsm_estimator_type, NULL);
}
