/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_POSITIVE_EXPONENTIAL_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_POSITIVE_EXPONENTIAL_IMPL_H

#include "distributions/distribution.h"

/* The gamma distribution that an exponential or a gamma distribution is. */
gb_dist gb_as_gamma(const gb_dist *d);

#endif
