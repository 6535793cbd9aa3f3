/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_FIT_JUDGED_IMPL_H
#define GREBE_FITTING_FIT_JUDGED_IMPL_H

#include "fitting/method/methods_impl.h"

/* Searches from other points, goes on from a better place if one is found, and judges what q is then; puts
 * the verdict and its words into the result. What cannot be judged is no error. */
void gb_fit_judge(gb_search *s, const gb_fit_options *options, gb_fit_result *result);

#endif
