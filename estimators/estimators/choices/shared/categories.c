/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimators/choices/shared/categories_impl.h"

#include "distributions/families/shared/probability_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"

static int64_t count_of(const gb_dist *q)
{
    return gb_shape_size(gb_node_shape(q->param[0]), -1);
}

const char *gb_lacks_categories(const gb_dist *q, const void *options)
{
    (void)options;
    const bool is_choice = q->type == &gb_categorical_type || q->type == &gb_one_hot_categorical_type;
    if (is_choice && count_of(q) == 1)
        return "second category";
    return is_choice ? NULL : "choice of one among several (categorical, one_hot_categorical)";
}

int64_t gb_categories(const gb_site *site)
{
    return count_of(&site->q);
}

gb_node gb_category_log_probs(const gb_site *site)
{
    return gb_chances_of(&site->q).log_p;
}

gb_node gb_category_values(const gb_site *site, gb_node category)
{
    return site->q.type == &gb_one_hot_categorical_type ? gb_one_hot(category, gb_categories(site))
                                                        : gb_to_real(category);
}

gb_node gb_category_one_hot(const gb_site *site, int64_t evaluation)
{
    const gb_node value = gb_site_value(site, evaluation);
    return site->q.type == &gb_one_hot_categorical_type ? value
                                                        : gb_one_hot(gb_to_int(value), gb_categories(site));
}
