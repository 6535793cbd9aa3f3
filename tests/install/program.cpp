// SPDX-License-Identifier: GPL-3.0-or-later
// As program.c, in C++: the functions without the macros of named arguments.
#include <cstdio>

#include <grebe/grebe.h>

int main()
{
    gb_tape_options options = {};
    options.size = sizeof options;
    options.seed = 1;
    gb_tape *t = gb_tape_new_with(&options);
    const int64_t sizes[] = {2};
    const double start[] = {1, 2};
    gb_node x = gb_variable(t, "x", gb_shape_of(1, sizes), gb_values_from(start, 2));
    gb_node y = gb_sum(gb_mul(x, gb_exp(x)));
    double gradient[2] = {0, 0};
    gb_read(gb_grad(y, x), gradient, 2);
    const double off = gradient[0] - 5.43656365691809; // 2e
    const bool wrong = gb_complain(t, stderr) != GB_OK || off * off > 1e-24;
    std::printf("grebe %s: %g %g\n", gb_version(), gradient[0], gradient[1]);
    gb_tape_free(t);
    return wrong;
}
