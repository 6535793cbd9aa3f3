// SPDX-License-Identifier: GPL-3.0-or-later
// As program.c, in C++: the functions without the macros of named arguments.
#include <cstdio>

#include <grebe/core/version.h>

int main()
{
    std::printf("grebe %s\n", gb_version());
    return 0;
}
