/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training step of a mean-field network of 784-1200-1200-10 (3.6 million numbers of q) by this many
 * processes: step BATCH THREADS STEPS. Started by mpirun; member 0 prints one line of JSON: the median of the
 * seconds of a step, and what one member sends in it. With THREADS = 0 there is no network, only messages of
 * growing length: what an exchange costs. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#include <grebe/grebe.h>
#include <grebe/mpi/team.h>

enum { PIXELS = 784, UNITS = 1200, CLASSES = 10, ROWS = 60000, MOST_STEPS = 10000 };

static double median(double *seconds, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && seconds[j] < seconds[j - 1]; j--) {
            const double x = seconds[j];
            seconds[j] = seconds[j - 1];
            seconds[j - 1] = x;
        }
    return seconds[count / 2];
}

static gb_program *record(gb_tape *t, int64_t batch)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .unit = GB_PER_DATUM);
    const gb_node x = gb_input_rows(t, "x", gb_shape(PIXELS)), y = gb_input_rows(t, "y", gb_shape(CLASSES));
    const gb_node f = gb_mlp(e, "net", x, gb_widths(UNITS, UNITS, CLASSES), .activation = "relu");
    gb_observe(e, "y", gb_one_hot_categorical_logits(f), y);
    const gb_node loss = gb_elbo_loss(e);
    const gb_team *const team = gb_tape_team(t);
    const int64_t members = team ? team->members : 1, rank = team ? team->rank : 0,
                  rows = batch * (rank + 1) / members - batch * rank / members;
    float *const xs = calloc((size_t)rows * PIXELS, sizeof *xs), *const ys = calloc((size_t)rows * CLASSES,
                                                                                    sizeof *ys);
    if (!xs || !ys)
        return NULL;
    for (int64_t i = 0; i < rows * PIXELS; i++)
        xs[i] = (float)(i * 7 % 100) / 100;
    for (int64_t i = 0; i < rows; i++)
        ys[i * CLASSES + i % CLASSES] = 1;
    gb_feed_float(x, xs, rows);
    gb_feed_float(y, ys, rows);
    free(xs);
    free(ys);
    return gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-3)));
}

static int measure_steps(gb_team *team, int64_t batch, int threads, int steps)
{
    static double seconds[MOST_STEPS];
    gb_tape *const t = gb_tape_new(.seed = 1, .real = GB_FLOAT, .threads = threads, .team = team);
    gb_program *const train = record(t, batch);
    for (int i = 0; i < 3; i++)
        gb_run(train);
    const gb_team_traffic before = gb_tape_traffic(t);
    for (int i = 0; i < steps; i++) {
        const double began = MPI_Wtime();
        gb_run(train);
        seconds[i] = MPI_Wtime() - began;
    }
    const gb_team_traffic after = gb_tape_traffic(t);
    const bool is_good = gb_error(t) == GB_OK;
    if (!is_good)
        gb_complain(t, stderr);
    if (is_good && gb_tape_is_first(t))
        printf("{\"members\": %d, \"threads\": %d, \"batch\": %lld, \"seconds\": %.6g, \"messages\": %g, "
               "\"bytes\": %g}\n",
               team->members, threads, (long long)batch, median(seconds, steps),
               (double)(after.messages - before.messages) / steps,
               (double)(after.bytes - before.bytes) / steps);
    gb_tape_free(t);
    return !is_good;
}

static int measure_messages(gb_team *team, int steps)
{
    enum { MOST = 1 << 22 };
    static double seconds[MOST_STEPS];
    float *const numbers = calloc(MOST, sizeof *numbers);
    for (size_t count = 1; numbers && count <= MOST; count *= 4) {
        for (int i = 0; i < steps; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double began = MPI_Wtime();
            if (!team->reduce(team, numbers, count, GB_FLOAT, GB_REDUCE_SUM))
                return 1;
            seconds[i] = MPI_Wtime() - began;
        }
        if (team->rank == 0)
            printf("{\"members\": %d, \"bytes\": %zu, \"exchange\": %.6g}\n", team->members,
                   count * sizeof *numbers, median(seconds, steps));
    }
    free(numbers);
    return 0;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    const int64_t batch = argc > 1 ? atoll(argv[1]) : 1024;
    const int threads = argc > 2 ? atoi(argv[2]) : 1, asked = argc > 3 ? atoi(argv[3]) : 20,
              steps = asked < 1            ? 1
                      : asked > MOST_STEPS ? MOST_STEPS
                                           : asked;
    gb_team *const team = gb_mpi_team_new(MPI_COMM_WORLD);
    const int status =
        threads == 0 ? measure_messages(team, steps) : measure_steps(team, batch, threads, steps);
    gb_mpi_team_free(team);
    MPI_Finalize();
    return status;
}
