/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DisARM by stick breaking: the choice is a sequence of choices between 0 and 1, of one category or the later
 * ones. The most probable ones come first: any order is unbiased, and this one has the least variance. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/estimators/choices/shared/categories_impl.h"
#include "estimators/estimators/choices/shared/tree_impl.h"
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_tree_draw(site, GB_FALLING_STICKS);
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    return gb_tree_combine(site, GB_FALLING_STICKS, costs);
}

const gb_estimator_type gb_disarm_sb_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "disarm_sb",
    .cite = "Dong, Mnih and Tucker 2021",
    .formula =
        "sum_t of disarm in the logits of t, a category or a less probable one; E of it where one draw does "
        "not pass",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_categories,
    .expansion = GB_PROBES,
    .evaluations = gb_binary_pair_evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_disarm_sb(void)
{
    return gb_estimator_of(&gb_disarm_sb_estimator_type, NULL);
}
