/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An outside program, as a user of the installed library would write it. */
#include <stdio.h>

#include <grebe/grebe.h>

int main(void)
{
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2));
    gb_node y = gb_sum(gb_mul(x, gb_exp(x)));
    double gradient[2] = {0};
    gb_read(gb_grad(y, x), gradient, 2);
    const double off = gradient[0] - 5.43656365691809; /* 2e */
    const int wrong = gb_complain(t, stderr) != GB_OK || off * off > 1e-24;
    printf("grebe %s: %g %g\n", gb_version(), gradient[0], gradient[1]);
    gb_tape_free(t);
    return wrong;
}
