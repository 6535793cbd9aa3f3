/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An outside program, as a user of the installed library would write it. */
#include <stdio.h>

#include <grebe/core/version.h>

int main(void)
{
    printf("grebe %s\n", gb_version());
    return 0;
}
