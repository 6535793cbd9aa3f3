/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a comparison keeps of how it was made, so that it can be made again. */
#ifndef GREBE_COMPARE_MEASURING_CONTEXT_IMPL_H
#define GREBE_COMPARE_MEASURING_CONTEXT_IMPL_H

#include "compare/measuring/work_impl.h"

/* Fills what the options say: texts of estimators, plug-ins that are not built in, data. Returns false
 * without memory. */
bool gb_compare_keep_context(gb_compare_work *c);

/* Fills what the machine did; call it after the runs. */
void gb_compare_keep_machine(gb_compare_work *c);

#endif
