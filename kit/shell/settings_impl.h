/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other settings of the options of a plug-in, at random. */
#ifndef GREBE_KIT_SHELL_SETTINGS_IMPL_H
#define GREBE_KIT_SHELL_SETTINGS_IMPL_H

#include "plugins/plugin.h"

enum { GB_KIT_SETTINGS = 2 }; /* that a kit tries besides the given one */

/* Returns a number from −1 to 1, which depends on all three. */
double gb_kit_chosen(uint64_t seed, size_t place, size_t which);

/* Returns a number about as large as `value`, from low to high, as `at` from −1 to 1 says; anywhere in a
 * range of probabilities. */
double gb_kit_near(double value, double low, double high, double at);

/* Writes options in which numbers are others near those of `packed`, and flags and choices any. Arguments
 * stay, and names in `but` (ended by NULL; NULL: none), and nodes, nested plug-ins and what has no text.
 * Returns false if nothing can vary. */
bool gb_kit_setting(const void *type, const gb_packed *packed, const char *const *but, uint64_t seed,
                    size_t place, gb_packed *other);

#endif
