/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of docs/native.md: it prints the C of a plan, without the formulas. */
#include <stdio.h>
#include <string.h>

#include <grebe/grebe.h>

int main(void)
{
    gb_tape *t = gb_tape_new(.seed = 1, .native = GB_NATIVE_AUTO);
    FILE *file = tmpfile();
    if (!file)
        return 1;
    gb_node x = gb_variable(t, "x", gb_shape(), GB_VALUES(2)), y = gb_mul(x, gb_exp(x));
    gb_program *program = gb_compile(t, gb_roots(y, gb_grad(y, x)), gb_no_update);
    gb_run(program);
    gb_program_dump(program, GB_DUMP_C, file);
    rewind(file);
    char line[256];
    int shown = 0;
    while (fgets(line, sizeof line, file)) {
        shown |= strncmp(line, "GB_NATIVE", 9) == 0;
        if (shown)
            fputs(line, stdout);
    }
    const int failed = gb_complain(t, stderr);
    gb_tape_free(t);
    return failed || !shown;
}
