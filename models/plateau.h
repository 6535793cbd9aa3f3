/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stopping rule: whether noisy numbers still decrease.
 *
 * The numbers come in windows of equal length. The test compares the last two quarters of all numbers so far:
 * in a longer training, it detects a slower decrease. Let d be the mean of the quarter before the last minus
 * the mean of the last quarter. Let s be the standard error of d, from the spread of the means within both
 * quarters, with f degrees of freedom; it is increased if neighbouring means are correlated. The numbers have
 * stopped decreasing if a decrease of `improvement` is rejected by the test
 *
 *     P(T_f > (improvement - d) / s) <= false_stop / (k (k + 1))     at comparison k = 1, 2, 3 …
 *
 * If `improvement` is 0, a decrease by more than 2 s also counts as a decrease.
 *
 * For a sequence that decreases by at least `improvement` at each comparison, with independent normal noise
 * in each window, the probability of a wrong stop is at most `false_stop`, over all comparisons together: the
 * bounds of the comparisons sum to it. A constant sequence is detected when the quarters are long enough that
 * s is small compared to `improvement`; with the default, after about 14,000 numbers. The first comparison
 * takes place after 16 windows, later ones each time the sequence has grown by a seventh to a half. Numbers
 * without noise stop as soon as they no longer decrease.
 *
 * Noise that stays correlated over whole quarters, as that of slowly wandering weights, looks like an
 * increase or a decrease. If there is much of it, set an `improvement`, or a longer window. */
#ifndef GREBE_MODELS_PLATEAU_H
#define GREBE_MODELS_PLATEAU_H

#include "../core/tape.h"

GB_BEGIN_DECLS

enum { GB_PLATEAU_BLOCKS = 64 };

typedef struct gb_plateau_options {
    /* The smallest decrease from quarter to quarter that is worth continuing for. 0: a tenth of the standard
     * deviation of single numbers, within the windows of these quarters. */
    double improvement;
    double false_stop; /* between 0 and 1/2; 0: 0.01 */
} gb_plateau_options;

/* The state of the test. Set all but the options to zero. Windows are collected in blocks, from 16 to 64 of
 * them. */
typedef struct gb_plateau {
    gb_plateau_options options;
    int64_t length; /* windows in a block; 0: 1 */
    int64_t filled; /* windows in the block that is not full */
    int64_t blocks; /* number of full blocks */
    int64_t comparisons;
    /* of the numbers in a block; the variance is within windows */
    double mean[GB_PLATEAU_BLOCKS], variance[GB_PLATEAU_BLOCKS];
} gb_plateau;

/* Returns whether the options are valid. If not, `words` (if not NULL) receives the reason. */
GB_API bool gb_plateau_fits(const gb_plateau_options *options, const char **words);

/* Adds a window: the mean of its numbers, and their variance (of single numbers, with divisor n - 1). Returns
 * true if a comparison takes place and finds that the numbers have stopped decreasing. */
GB_API bool gb_plateau_reached(gb_plateau *plateau, double mean, double variance);

GB_END_DECLS
#endif
