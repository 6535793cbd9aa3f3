/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_LOG_REST_IMPL_H
#define GREBE_DISTRIBUTIONS_LOG_REST_IMPL_H

#include "core/tape.h"

/* −E[log(1 − x)] ≥ 0 for x from Kumaraswamy(a, b), within 1e-14 of itself for a ≥ 0.01 and 1e-11 for a ≥ 0.001. It can be
 * differentiated once. */
gb_node gb_kumaraswamy_log_rest(gb_node a, gb_node b);

#endif
