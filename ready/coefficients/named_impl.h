/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_READY_COEFFICIENTS_NAMED_IMPL_H
#define GREBE_READY_COEFFICIENTS_NAMED_IMPL_H

#include "ready/coefficients.h"

/* Declares the latent "NAME WHAT", or "WHAT" if the name is "". */
size_t gb_coefficients_part(gb_model_site *site, const char *name, const char *what, gb_shape shape,
                            gb_dist prior);

#define GB_SHRINKAGE_LIST(do_) do_(normal) do_(laplace) do_(student_t) do_(no) do_(ridge) do_(horseshoe)
#define GB_SHRINKAGE_DECLARED(name) extern const gb_shrinkage_type gb_##name##_shrinkage_type;
GB_SHRINKAGE_LIST(GB_SHRINKAGE_DECLARED)

#endif
