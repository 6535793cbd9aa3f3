/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small data sets of grebe's own, drawn from known formulas, so that a program runs without a file:
 *
 *     gb_table *d = gb_table_of_set(t, "curve");
 *
 *     curve   100 rows, x, y: the regression curve of Blundell et al. (2015),
 *             y = x + 0.3 sin 2π(x + ε) + 0.3 sin 4π(x + ε) + ε, ε ~ N(0, 0.02²), x from 0 to 0.5
 *     moons   200 rows, a, b, class (0 or 1): two half circles of radius 1 around (0, 0) and (1, 0.5), one
 *             open below, one above, with noise of standard deviation 0.15
 *     counts  120 rows, count, x, hours, dose ("none", "low" or "high"):
 *             count ~ Poisson(hours · exp(0.5 + 0.8 x + e)), e = 0 for none, −0.4 for low, −0.9 for high
 *     groups  96 rows, y, x, group ("a" to "h", of 2 to 22 rows): y ~ N(m + 1.5 x, 0.7²), with a mean m of
 *             each group, m ~ N(2, 1)
 *
 * Numbers are rounded to 4 digits after the point, and are the same on all machines. */
#ifndef GREBE_DATA_SETS_H
#define GREBE_DATA_SETS_H

#include "table.h"

GB_BEGIN_DECLS

/* Returns the set of that name, which the caller frees; NULL on error, as for another name. */
GB_API gb_table *gb_table_of_set(gb_tape *tape, const char *name);

/* Returns the names of all sets. `count` may be NULL. */
GB_API const char *const *gb_table_sets(size_t *count);

/* Draws digits 0 … 9 as with a pen, image after image, `count` of them from number `first` of an endless
 * set: 14 × 14 bytes each, row by row, 0 or (where the pen was) 255. Image number i shows the digit i mod 10,
 * its label; each has its own tremble, slant, size, place and width of the pen. They are the same on all
 * machines, whichever are drawn at once. Either array may be NULL.
 *
 *     static uint8_t pixels[1000 * GB_DIGIT_PIXELS], labels[1000];
 *     gb_digits_draw(0, 1000, pixels, labels);
 *     gb_batches *data = gb_batches_new(
 *         t, .columns = GB_COLUMNS({x, gb_numbers_scaled(gb_bytes(pixels), 1. / 255, 0)},
 *                                  {label, gb_bytes(labels)})); */
enum { GB_DIGIT_SIDE = 14, GB_DIGIT_PIXELS = GB_DIGIT_SIDE * GB_DIGIT_SIDE };
GB_API void gb_digits_draw(size_t first, size_t count, uint8_t *pixels, uint8_t *labels);

GB_END_DECLS
#endif
