/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of variables, made of several words. */
#ifndef GREBE_MODELS_FAMILIES_NAME_IMPL_H
#define GREBE_MODELS_FAMILIES_NAME_IMPL_H

#include "core/tape.h"

/* Writes the concatenation of `first`, `between` and `last`. Returns false, and records an error, if the name
 * is too long. */
enum { GB_PART_NAME = 256 };
bool gb_joined_name(gb_tape *tape, const char *first, const char *between, const char *last,
                    char name[GB_PART_NAME]);

#endif
