/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number that was measured, with its uncertainty. */
#ifndef GREBE_COMPARE_FIGURE_H
#define GREBE_COMPARE_FIGURE_H

#include "../core/export.h"

GB_BEGIN_DECLS

/* `error` is the standard error; low … high is a 95 % interval. All are NaN if the number is not known. */
typedef struct gb_figure {
    double value, error, low, high;
} gb_figure;

GB_END_DECLS
#endif
