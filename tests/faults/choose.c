/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/faults/choose_impl.h"

#include <stdlib.h>

int gb_fault_chosen;

__attribute__((constructor)) static void choose(void)
{
    const char *const number = getenv("GB_FAULT");
    gb_fault_chosen = number ? (int)strtol(number, NULL, 10) : 0;
}
