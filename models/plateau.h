/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When to stop: whether noisy numbers still fall.
 *
 * They are taken in windows, and each window's mean is compared with the one before: d is by how much it fell, and s the
 * standard error of that, from the spread within both. Told is "no longer" where
 *
 *     d + z s < improvement          (z: the normal quantile of 1 - false_stop)
 *
 * or, where no improvement was named, d < 0. A sequence that does fall by `improvement`, or by z s, from window to window is
 * then told to have stopped with probability `false_stop` at most, at each comparison; one that has stopped is found out by
 * each comparison with probability one half (no improvement named) or more. A window with a number that is not finite tells
 * nothing, and is compared with none. */
#ifndef GREBE_MODELS_PLATEAU_H
#define GREBE_MODELS_PLATEAU_H

#include "../core/tape.h"

GB_BEGIN_DECLS

typedef struct gb_plateau_options {
    int64_t window; /* numbers to a window, at least 2 */
    double
        improvement; /* the least that is worth going on for, from window to window; 0: what exceeds the noise */
    double false_stop; /* between 0 and 1/2; 0: 0.01 */
} gb_plateau_options;

/* To be filled with zeros but for the options. */
typedef struct gb_plateau {
    gb_plateau_options options;
    int64_t count, windows;
    double mean, squares;                /* of this window */
    double mean_before, variance_before; /* of the one before: its mean, and the variance of that */
} gb_plateau;

/* Whether the options can be used; else `words` (if not NULL) says what is wrong with them. */
GB_API bool gb_plateau_fits(const gb_plateau_options *options, const char **words);

/* Takes the next number. True where a window ends with it that is no better than the one before. */
GB_API bool gb_plateau_reached(gb_plateau *plateau, double value);

GB_END_DECLS
#endif
