/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the note of a design or of a standardisation: they are read, and then applied to rows, or
 * rejected in words. */
#include <stdio.h>
#include <stdlib.h>

#include "data/formula.h"
#include "data/standard.h"
#include "fuzz.h"

static void need(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_design_note: %s\n", what);
    abort();
}

static void need_words(gb_tape *t, bool is_fine)
{
    need(is_fine == (gb_error(t) == GB_OK), "the result is not that of the tape");
    need(is_fine || *gb_error_text(t), "rejected without a reason");
    gb_forgive(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const double one = 1;
    double z;
    gb_tape *const t = gb_tape_new(.threads = 1);
    gb_table *const d = gb_table_of_text(t, "small", "y,x,f\n1,2,a\n2,4,b\n3,5,a\n");
    need(t && gb_tape_note(t, "n", data, length) == GB_OK, "no note");
    const gb_design *const noted = gb_design_noted(t, "n");
    need_words(t, noted != NULL);
    if (noted)
        need_words(t, gb_design_apply(noted, d) != NULL);
    const gb_standard *const s = gb_standard_noted(t, "n");
    need_words(t, s != NULL);
    if (s && gb_standard_columns(s) == 1)
        need(gb_standard_apply(s, gb_doubles(&one), 1, &z) == GB_OK, "it is not applied");
    gb_table_free(d);
    gb_tape_free(t);
    return 0;
}
