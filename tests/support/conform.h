/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every distribution in the list passes the conformance kit: one test for each, made from the list. The list is dealt
 * to several programs, which run side by side.
 *
 * GB_ONLY=beta runs one; GB_VERBOSE=1 shows all statements; GB_SEED, GB_DRAWS and GB_CASES look longer and elsewhere. */
#ifndef GREBE_TESTS_CONFORM_H
#define GREBE_TESTS_CONFORM_H

#include <stddef.h>

/* The tests of one part in `parts`: what main returns. */
int conform(size_t part, size_t parts);

#endif
