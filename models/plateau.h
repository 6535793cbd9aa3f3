/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When to stop: whether noisy numbers still fall.
 *
 * They come in windows of one length, and what is compared are the last two quarters of all that came so far: the longer
 * the training, the longer the look back, and so the slower a fall that is seen. d is by how much the mean of the last
 * quarter is below that of the one before, s its standard error, from the spread of means within both, on f degrees of
 * freedom, and widened where neighbours are alike. Told is "no longer" where a fall of `improvement` is refuted:
 *
 *     P(T_f > (improvement - d) / s) <= false_stop / (k (k + 1))     at comparison k = 1, 2, 3 …
 *
 * Where no improvement was named, a fall by more than 2 s is one as well.
 *
 * A sequence that falls by `improvement` or more at each comparison, in normal noise that is fresh in each window, is then
 * told to have stopped with probability `false_stop` at most, over all comparisons together: what the k-th may spend adds
 * up to it. One that stays is found out once quarters are so long that s is small beside `improvement`: for the usual one
 * after some 14,000 numbers. A comparison comes each time the sequence has grown by a seventh to a half, the first one
 * after 16 windows. Numbers without any noise are told to have stopped where they no longer fall.
 *
 * Noise that is remembered for as long as quarters last, as by weights that wander, cannot be told from a rise that ended,
 * nor from a fall: where there is much of it, name an improvement, or a longer window. */
#ifndef GREBE_MODELS_PLATEAU_H
#define GREBE_MODELS_PLATEAU_H

#include "../core/tape.h"

GB_BEGIN_DECLS

enum { GB_PLATEAU_BLOCKS = 64 };

typedef struct gb_plateau_options {
    /* The least fall from quarter to quarter that is worth going on for. 0: a tenth of the standard deviation of single
     * numbers, as it was within the windows of these quarters. */
    double improvement;
    double false_stop; /* between 0 and 1/2; 0: 0.01 */
} gb_plateau_options;

/* To be filled with zeros but for the options. Windows are gathered in blocks, 16 to 64 of them once there are so many. */
typedef struct gb_plateau {
    gb_plateau_options options;
    int64_t length; /* of a block, in windows; 0: as 1 */
    int64_t filled; /* windows of the block that is not full yet */
    int64_t blocks; /* that are full */
    int64_t comparisons;
    double mean[GB_PLATEAU_BLOCKS], variance[GB_PLATEAU_BLOCKS]; /* of numbers, the second within windows */
} gb_plateau;

/* Whether the options can be used; else `words` (if not NULL) says what is wrong with them. */
GB_API bool gb_plateau_fits(const gb_plateau_options *options, const char **words);

/* Takes the next window: the mean of its numbers, and their variance (of single ones, by n - 1). True where there is a
 * comparison now, and it tells that the numbers no longer fall. */
GB_API bool gb_plateau_reached(gb_plateau *plateau, double mean, double variance);

GB_END_DECLS
#endif
