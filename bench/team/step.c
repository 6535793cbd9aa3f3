/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training step of a mean-field network of 784-1200-1200-10 (4.8 million numbers of q) by this many
 * processes: step BATCH THREADS STEPS [still]. Started by mpirun; member 0 prints one line of JSON: the
 * median of the seconds of a step, and what one member sends in it. `still`: the step ends with the gradient,
 * of which the squared norm is taken, and changes no variable. With THREADS = 0 there is no network, only
 * messages of growing length: what an exchange costs, and what gathering twice the numbers costs, a part from
 * each member, as if each had updated two variables for its part of a gradient. */
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

/* The program of a step, or of its gradient alone. */
static gb_program *program_of(gb_node loss, bool is_still)
{
    enum { MOST = 32 };
    gb_node variable[MOST], norm = gb_num(loss.tape, 0);
    if (!is_still)
        return gb_compile(loss.tape, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-3)));
    const size_t count = gb_node_variables(loss, variable, MOST);
    for (size_t i = 0; i < count && i < MOST; i++)
        norm = gb_add(norm, gb_sum(gb_square(gb_grad(loss, variable[i]))));
    return gb_compile(loss.tape, gb_roots(loss, norm), gb_no_update);
}

static gb_program *record(gb_tape *t, int64_t batch, bool is_still)
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
    return program_of(loss, is_still);
}

static int measure_steps(gb_team *team, int64_t batch, int threads, int steps, bool is_still)
{
    static double seconds[MOST_STEPS];
    gb_tape *const t = gb_tape_new(.seed = 1, .real = GB_FLOAT, .threads = threads, .team = team);
    gb_program *const train = record(t, batch, is_still);
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
        printf("{\"members\": %d, \"threads\": %d, \"batch\": %lld, \"%s\": %.6g, \"messages\": %g, "
               "\"bytes\": %g}\n",
               team->members, threads, (long long)batch, is_still ? "gradient" : "seconds",
               median(seconds, steps), (double)(after.messages - before.messages) / steps,
               (double)(after.bytes - before.bytes) / steps);
    gb_tape_free(t);
    return !is_good;
}

typedef bool message(gb_team *team, float *numbers, size_t count, float *all);

static bool add_up(gb_team *team, float *numbers, size_t count, float *all)
{
    (void)all;
    return team->reduce(team, numbers, count, GB_FLOAT, GB_REDUCE_SUM);
}

static bool gather(gb_team *team, float *numbers, size_t count, float *all)
{
    return team->gather(team, numbers, all, 2 * count / (size_t)team->members * sizeof *numbers);
}

/* Returns the median of the seconds; a negative number on error. */
static double time_of(message *send, gb_team *team, float *numbers, size_t count, float *all, int times)
{
    static double seconds[MOST_STEPS];
    for (int i = 0; i < times; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double began = MPI_Wtime();
        if (!send(team, numbers, count, all))
            return -1;
        seconds[i] = MPI_Wtime() - began;
    }
    return median(seconds, times);
}

static int measure_messages(gb_team *team, int times)
{
    enum { MOST = 1 << 22 };
    float *const numbers = calloc(2 * MOST, sizeof *numbers), *const all = calloc(2 * MOST, sizeof *all);
    bool good = numbers && all;
    for (size_t count = 1; good && count <= MOST; count *= 4) {
        const double exchange = time_of(add_up, team, numbers, count, all, times),
                     gathering = time_of(gather, team, numbers, count, all, times);
        good = exchange >= 0 && gathering >= 0;
        if (good && team->rank == 0)
            printf("{\"members\": %d, \"bytes\": %zu, \"exchange\": %.6g, \"gather\": %.6g}\n", team->members,
                   count * sizeof *numbers, exchange, gathering);
    }
    free(numbers);
    free(all);
    return !good;
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
    gb_team *const team = gb_mpi_team(MPI_COMM_WORLD);
    const int status =
        threads == 0 ? measure_messages(team, steps) : measure_steps(team, batch, threads, steps, argc > 4);
    gb_mpi_team_free(team);
    MPI_Finalize();
    return status;
}
