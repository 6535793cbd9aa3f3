/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CORE_TAPE_REPLACE_IMPL_H
#define GREBE_CORE_TAPE_REPLACE_IMPL_H

#include "core/replace.h"

/* gb_replaced, but draws between are recorded again too. They have the noise that they had: in one run equal
 * elements of both are made from equal noise. */
gb_status gb_replaced_with_draws(size_t count, const gb_node *from, const gb_node *to, size_t roots,
                                 const gb_node *root, gb_node *replaced);

#endif
