/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_elbo_print writes, as text. */
#ifndef GREBE_TESTS_PRINTED_H
#define GREBE_TESTS_PRINTED_H

#include <stdio.h>

#include "models/elbo.h"

static inline void print_to(gb_elbo *e, char *text, size_t bytes)
{
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_int_equal(gb_elbo_print(e, file), GB_OK);
    rewind(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

#endif
