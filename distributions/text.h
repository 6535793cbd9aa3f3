/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as text: "student_t:df=4:scale=2.5" (plugins/plugin.h has the grammar). */
#ifndef GREBE_DISTRIBUTIONS_TEXT_H
#define GREBE_DISTRIBUTIONS_TEXT_H

#include "distribution.h"

GB_BEGIN_DECLS

/* The distribution that the text says, with constants of this tape for parameters: numbers, or vectors with commas
 * (dirichlet:concentration=1,2,0.5). Names of parameters may be left out in order; loc is then 0 and scale 1, if they are left out
 * themselves. Inert, with an error on the tape, where the text is wrong, or the distribution is made of more than numbers and
 * vectors. */
GB_API gb_dist gb_dist_parse(gb_tape *tape, const char *text);

/* Writes it; a parameter that is no constant number or vector as "?". At most `bytes` with the final 0; returns the length of the
 * whole, as snprintf does. */
GB_API size_t gb_dist_text(gb_dist d, char *text, size_t bytes);

GB_END_DECLS
#endif
