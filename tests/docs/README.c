/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What README.md shows of swapping, within a program: it trains. */
#include <grebe/grebe.h>

int main(void)
{
    enum { N = 6 };
    static const double xs[N][2] = {{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}},
                        ys[N] = {1, 1, 3, 2, 5, 8};
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_node zero = gb_num(t, 0), one = gb_num(t, 1), df = gb_num(t, 4);
    gb_batches *batches = gb_batches_new(t, .rows = N, .batch = 3,
                                         .columns = GB_COLUMNS({x, gb_doubles(*xs)}, {y, gb_doubles(ys)}));
    gb_elbo *e = gb_elbo_new(t, .data_size = N, .samples = 8);
    /* clang-format off */
    gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(2)), gb_student_t(df, zero, one),
                          gb_score(.baseline = gb_leave_one_out()));
    gb_observe(e, "y", gb_poisson(gb_exp(gb_dot(x, w))), y);
    gb_fit(e, .optimiser = gb_rmsprop(.lr = 1e-2), .data = batches, .plateau = true, .progress = stderr);
    /* clang-format on */
    double mean[2] = {0};
    gb_read(gb_elbo_posterior(e, "w").param[0], mean, 2);
    gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status != GB_OK || !(mean[1] > 0.2 && mean[1] < 0.6);
}
