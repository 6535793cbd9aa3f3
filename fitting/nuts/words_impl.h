/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_NUTS_WORDS_IMPL_H
#define GREBE_FITTING_NUTS_WORDS_IMPL_H

#include "fitting/nuts/result_impl.h"

/* Writes the warnings of a finished result. Returns false on error. */
bool gb_result_warn(gb_own_nuts *r);

#endif
