/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/estimator.h"

#include <string.h>

gb_estimator gb_estimator_of(const gb_estimator_type *type, const void *options, size_t bytes)
{
    gb_estimator estimator = {.type = bytes <= GB_ESTIMATOR_OPTIONS ? type : NULL};
    if (!estimator.type)
        return estimator;
    if (bytes > 0)
        memcpy(estimator.options.bytes, options, bytes);
    if (GB_HAS(type, complete))
        type->complete(estimator.options.bytes);
    return estimator;
}

gb_estimator_choice gb_chosen(gb_estimator estimator)
{
    gb_estimator_choice choice = {.type = estimator.type};
    memcpy(choice.options.bytes, estimator.options.bytes, GB_CHOICE_OPTIONS);
    for (size_t i = GB_CHOICE_OPTIONS; i < GB_ESTIMATOR_OPTIONS; i++)
        if (estimator.options.bytes[i] != 0)
            choice.type = NULL;
    return choice;
}

gb_estimator gb_estimator_chosen(gb_estimator_choice choice)
{
    return gb_estimator_of(choice.type, choice.options.bytes, GB_CHOICE_OPTIONS);
}
