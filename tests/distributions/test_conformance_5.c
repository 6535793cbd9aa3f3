/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/conform.h"

int main(void)
{
    return conform(4, 6);
}
