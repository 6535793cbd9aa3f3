/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators as text, for commands and tables: NAME or NAME:OPTION=VALUE:OPTION=VALUE.
 * "pathwise", "score:baseline=leave_one_out", "rebar:temperature=0.3". */
#ifndef GREBE_ESTIMATORS_PARSE_H
#define GREBE_ESTIMATORS_PARSE_H

#include "estimator.h"

GB_BEGIN_DECLS

/* Fills `estimator`. False where the text is wrong: `error` (of `bytes`) then says why, with the nearest name
 * where a name is not known, and `estimator` is inert. */
GB_API bool gb_estimator_parse(const char *text, gb_estimator *estimator, char *error, size_t bytes);

/* The name among `count` that is most like `text`; NULL where none is near. For messages: "did you mean …?" */
GB_API const char *gb_nearest_name(const char *text, size_t count, const char *const *names);

GB_END_DECLS
#endif
