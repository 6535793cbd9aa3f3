/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DisARM by a tree: the choice is a path of choices between 0 and 1, of halves of the categories. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/estimators/choices/shared/categories_impl.h"
#include "estimators/estimators/choices/shared/tree_impl.h"
#include "estimators/list.h"

static gb_node draw(gb_site *site)
{
    return gb_tree_draw(site, GB_HALVES);
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    return gb_tree_combine(site, GB_HALVES, costs);
}

const gb_estimator_type gb_disarm_tree_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "disarm_tree",
    .cite = "Dong, Mnih and Tucker 2021",
    .formula =
        "sum_t of disarm in the logits of t, a half or the other; E of it where one draw does not pass",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_categories,
    .expansion = GB_PROBES,
    .evaluations = gb_binary_pair_evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_disarm_tree(void)
{
    return gb_estimator_of(&gb_disarm_tree_estimator_type, NULL);
}
