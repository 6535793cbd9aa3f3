/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For programs that use the installed library: the value of an operation with one argument, x³. */
#ifndef GREBE_TESTS_CUBE_H
#define GREBE_TESTS_CUBE_H

static inline double cube(double x, double unused_y, double unused_z)
{
    (void)unused_y, (void)unused_z;
    return x * x * x;
}

#endif
