/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/version.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *gb_version(void)
{
    return TEXT(GB_VERSION_MAJOR) "." TEXT(GB_VERSION_MINOR) "." TEXT(GB_VERSION_PATCH);
}
