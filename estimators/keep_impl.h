/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for what belongs to a recording: an expectation, its sites, the terms of an ELBO. */
#ifndef GREBE_ESTIMATORS_KEEP_IMPL_H
#define GREBE_ESTIMATORS_KEEP_IMPL_H

#include "core/tape.h"

/* `bytes` zeros that the tape owns until it is reset or ends. NULL where there is no memory (the tape has the
 * error) or where the tape has an error already. */
void *gb_keep(gb_tape *tape, size_t bytes);

/* A copy of a text, kept alike. */
char *gb_keep_text(gb_tape *tape, const char *text);

#endif
