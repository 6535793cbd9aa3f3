/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What files of results have in common. */
#ifndef GREBE_COMPARE_TABLES_JSON_IMPL_H
#define GREBE_COMPARE_TABLES_JSON_IMPL_H

#include "compare/compare.h"

/* Begins an object, with all that was asked and where it ran. */
void gb_json_put_question(FILE *file, const char *schema, const gb_comparison *c);

#endif
