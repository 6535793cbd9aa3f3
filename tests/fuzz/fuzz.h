/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each tests/fuzz/fuzz_<subject>.c defines: it is called with any bytes,
 * and aborts if something does not hold. */
#ifndef GREBE_TESTS_FUZZ_H
#define GREBE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

#endif
