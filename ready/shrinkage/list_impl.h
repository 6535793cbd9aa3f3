/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All priors of coefficients. */
#ifndef GREBE_READY_SHRINKAGE_LIST_IMPL_H
#define GREBE_READY_SHRINKAGE_LIST_IMPL_H

#include "ready/shrinkage.h"

#define GB_SHRINKAGE_LIST(do_) do_(normal) do_(laplace) do_(student_t) do_(no) do_(ridge) do_(horseshoe)
#define GB_SHRINKAGE_DECLARED(name) extern const gb_shrinkage_type gb_##name##_shrinkage_type;
GB_SHRINKAGE_LIST(GB_SHRINKAGE_DECLARED)

#endif
