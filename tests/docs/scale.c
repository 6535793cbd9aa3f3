/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of docs/scale.md: a network that several processes train. */
#include <mpi.h>
#include <stdio.h>

#include <grebe/grebe.h>
#include <grebe/mpi/team.h>

enum { ROWS = 1000 };

static void make_data(double *x, double *y)
{
    for (int i = 0; i < ROWS; i++) {
        x[i] = (double)i / ROWS;
        y[i] = x[i] * x[i] + 0.1 * (i % 7 - 3);
    }
}

int main(int argc, char **argv)
{
    static double xs[ROWS], ys[ROWS];
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    gb_team *team = gb_mpi_team_new(MPI_COMM_WORLD);
    gb_tape *t = gb_tape_new(.seed = 1, .team = team);
    make_data(xs, ys);

    gb_node x = gb_input_rows(t, "x", gb_shape(1)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    gb_node f = gb_mlp(e, "net", x, gb_widths(20, 1), .activation = "tanh");
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.2)), y);
    gb_batches *data = gb_batches_new(t, .rows = ROWS, .batch = 100,
                                      .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_fit_result r = gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .data = data, .epochs = 40,
                             .progress = stderr, .checkpoint = "net.ckpt", .resume = true);
    if (r.status != GB_OK)
        gb_complain(t, stderr);
    else if (gb_tape_is_first(t))
        printf("after %llu steps the ELBO is %.0f\n", (unsigned long long)(r.before + r.steps), r.last.elbo);

    gb_tape_free(t);
    gb_mpi_team_free(team);
    MPI_Finalize();
    return r.status != GB_OK;
}
