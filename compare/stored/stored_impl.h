/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a file of results, which was read. */
#ifndef GREBE_COMPARE_STORED_STORED_IMPL_H
#define GREBE_COMPARE_STORED_STORED_IMPL_H

#include "compare/stored.h"
#include "compare/stored/json_impl.h"

gb_json gb_stored_json(const gb_stored *stored); /* none: NULL, or it has an error */

#endif
