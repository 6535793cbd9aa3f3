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
