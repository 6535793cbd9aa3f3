/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as a formula: it is rejected in words, or makes a design that is read back from its note and gives
 * the same bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/formula.h"
#include "fuzz.h"

static void need(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_formula: %s\n", what);
    abort();
}

static const char *const text =
    "y,x,z,f,g,n,odd name\n1,2,3,a,u,5,1\n2,4,1,b,v,6,2\n3,5,2,c,u,7,4\n0,3,,a,v,8,3\n"
    "5,1,4,,u,9,5\n2,2.5,-1,c,v,4,7\n";

static void compare(gb_tape *t, const gb_table *d, const gb_design *x)
{
    const gb_design *const noted = gb_design_noted(t, "design"), *const again = gb_design_apply(
                                                                     noted, d, .drop_missing = true);
    need(again, gb_error_text(t));
    need(gb_design_columns(again) == gb_design_columns(x) && gb_design_rows(again) == gb_design_rows(x),
         "the note gives other columns or rows");
    const gb_numbers a = gb_design_values(x), b = gb_design_values(again);
    need(memcmp(a.at, b.at, a.count * sizeof(double)) == 0, "the note gives other numbers");
    for (int64_t i = 0; i < gb_design_columns(x); i++)
        need(strcmp(gb_design_column_name(x, i), gb_design_column_name(again, i)) == 0,
             "the note gives other names");
}

/* In memory of its own length, so that a sanitizer sees what is read beyond. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char *const formula = malloc(length + 1);
    gb_tape *const t = gb_tape_new(.threads = 1);
    need(formula && t, "out of memory");
    if (length > 0)
        memcpy(formula, data, length);
    formula[length] = '\0';
    gb_table *const d = gb_table_of_text(t, "small", text);
    gb_design *const x = gb_design_new(t, formula, d, .drop_missing = true);
    if (x && gb_design_columns(x) <= 100) {
        compare(t, d, x);
        need(gb_design_warnings(x), "no warnings");
    }
    need(x ? gb_error(t) == GB_OK : gb_error(t) != GB_OK && *gb_error_text(t), "rejected without a reason");
    gb_table_free(d);
    gb_tape_free(t);
    free(formula);
    return 0;
}
