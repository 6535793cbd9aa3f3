/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sum and sample: the most probable values are summed over, and one draw from the others stands for these.
 * Their baseline is the mean cost of the summed values, which is known. */
#include <stddef.h>

#include "estimators/estimators/subsets/shared/subset_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/take.h"

static int64_t evaluations(const gb_site *site)
{
    const gb_sum_and_sample_options *const options = site->options;
    return gb_subset_evaluations(site, options->summed + 1);
}

/* Returns the rank of the draw, then those of the summed values. */
static gb_node ranks_of(const gb_site *site, const gb_ranking *all, int64_t rest)
{
    const gb_node summed = gb_shift(gb_arange(all->p.tape, all->count - rest), (double)rest);
    const gb_node log_p = gb_log(gb_slice(all->p, 0, 0, rest));
    const gb_node one = gb_categorical_noise(site->noise, gb_shape(), site->axes, log_p);
    return gb_to_int(gb_concat(2, (const gb_node[]){gb_expand(one, 0), summed}, 0));
}

static gb_node draw(gb_site *site)
{
    const gb_ranking all = gb_ranking_of(site, false);
    const int64_t summed = site->evaluations - 1, rest = all.count - summed;
    gb_tape *const tape = site->q.tape;
    const gb_node ranks = ranks_of(site, &all, rest), p = gb_take_along(all.p, ranks, 0);
    const gb_node of_rest = gb_sum(gb_slice(all.p, 0, 0, rest)), zero = gb_num(tape, 0);
    const gb_node is_draw = gb_equal(gb_arange(tape, summed + 1), zero);
    const gb_node mass = gb_where(is_draw, gb_broadcast(of_rest, gb_shape(1)), p);
    const gb_node c = gb_where(gb_greater(p, zero), gb_div(mass, p), zero);
    const gb_node share = gb_where(is_draw, zero, p);
    const gb_node row = gb_div(share, gb_sum(share));
    const gb_node place = gb_to_int(gb_take_along(gb_to_real(all.place), ranks, 0));
    return gb_subset_draw(site, &all, place, c, gb_expand(row, 0));
}

static const gb_domain summed = {.size = sizeof(gb_domain),
                                 .name = "summed",
                                 .must_be = "a whole number from 1 to 1000000",
                                 .low = 1,
                                 .high = 1000000,
                                 .whole = true};

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_sum_and_sample_options, summed, 3, &summed, "values that are summed over"), {0}};

const gb_estimator_type gb_sum_and_sample_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "sum_and_sample",
    .cite = "Liu, Regier, Tripuraneni, Jordan and McAuliffe 2019",
    .formula = "sum_s (f_s - b) dp_s over the k most probable values, + P(others) (f(z) - b) d log p(z), z "
               "of the others, b = sum p f / sum p of the k",
    GB_SUBSET_SLOTS(gb_sum_and_sample_options),
};

gb_estimator gb_sum_and_sample_with(const gb_sum_and_sample_options *options)
{
    return gb_estimator_of(&gb_sum_and_sample_estimator_type, options);
}
