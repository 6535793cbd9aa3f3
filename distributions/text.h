/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as text: "student_t:df=4:scale=2.5" (plugins/plugin.h has the grammar). */
#ifndef GREBE_DISTRIBUTIONS_TEXT_H
#define GREBE_DISTRIBUTIONS_TEXT_H

#include "distribution.h"

GB_BEGIN_DECLS

/* Returns the distribution that the text describes. Its parameters are constants of this tape: numbers, or
 * vectors with commas (dirichlet:concentration=1,2,0.5). Names of parameters may be omitted if these stand
 * in order. A parameter may be omitted if the table of the type has a default for it: loc is 0 and scale is 1
 * in "normal", but "multivariate_normal" needs both. The result is inert, with an error on the tape, if the
 * text is wrong, or if the distribution is made of more than numbers and vectors. */
GB_API gb_dist gb_dist_parse(gb_tape *tape, const char *text);

/* The same for a type of your own, which no list has: the text has parameters only, "k=3:scale=2". */
GB_API gb_dist gb_dist_parse_of(gb_tape *tape, const gb_dist_type *type, const char *parameters);

/* Writes the text of a distribution, with "?" for a parameter that is not a constant number or vector, and
 * without parameters at their defaults. Writes at most `bytes` with the final 0; returns the length of the
 * whole, as snprintf does. Records no error. An inert distribution, or one of a tape that has an error, gives
 * "none". */
GB_API size_t gb_dist_text(gb_dist d, char *text, size_t bytes);

GB_END_DECLS
#endif
