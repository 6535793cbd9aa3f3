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
    gb_node x = gb_variable(t, "x", gb_shape_of(1, sizes), gb_values_of(start, 2));
    gb_node y = gb_sum(gb_mul(x, gb_exp(x)));
    double gradient[2] = {0, 0};
    gb_read(gb_grad(y, x), gradient, 2);
    const double off = gradient[0] - 5.43656365691809; // 2e

    gb_cumsum_options exclusive = {};
    exclusive.size = sizeof exclusive;
    exclusive.exclusive = true;
    const gb_node sums[] = {gb_cumsum_with(x, 0, nullptr), gb_cumsum_with(x, 0, &exclusive)};
    gb_program *look = gb_compile(t, gb_roots_of(2, sums), gb_no_update);
    double whole[2] = {0, 0}, before[2] = {0, 0};
    gb_run(look);
    gb_read(sums[0], whole, 2);
    gb_read(sums[1], before, 2);

    const bool wrong =
        gb_complain(t, stderr) != GB_OK || off * off > 1e-24 || whole[1] != 3 || before[1] != 1;
    std::printf("grebe %s: %g %g\n", gb_version(), gradient[0], gradient[1]);
    gb_tape_free(t);
    return wrong;
}
