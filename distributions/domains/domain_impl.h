/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_DOMAINS_DOMAIN_IMPL_H
#define GREBE_DISTRIBUTIONS_DOMAINS_DOMAIN_IMPL_H

#include "distributions/domain.h"

/* For each event of `rank` axes: whether `outside` is true of at least one of its elements. */
gb_node gb_domain_any(gb_node outside, int rank);

#endif
