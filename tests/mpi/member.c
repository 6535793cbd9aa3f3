/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One member of a team of processes, for test_team.c: `member SCENARIO FILE`, started by mpirun. Each member
 * writes FILE.RANK: numbers, one on each line, then the error of its tape. Without mpirun: `member alone`. */
#include <mpi.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <grebe/grebe.h>
#include <grebe/mpi/team.h>

enum { ROWS = 37, BATCH = 16, INPUTS = 3, STEPS = 50, HIDDEN = 70 };

typedef struct member {
    const char *scenario;
    FILE *file;
    gb_team *team;
    int rank;
} member;

static bool plays(const member *m, const char *scenario)
{
    return strcmp(m->scenario, scenario) == 0;
}

static void put_error(const member *m, const gb_tape *t)
{
    fprintf(m->file, "%s\n", gb_error_text(t));
}

/* ---- a training ---- */

/* Two layers, so that sums over rows are short and long. */
static gb_elbo *record(const member *m, gb_tape *t, gb_node x, gb_node y)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, plays(m, "different") && m->rank == 1 ? 2 : 1);
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_family first = gb_mean_field(gb_shape(INPUTS, HIDDEN), .spread = 0.5);
    const gb_node w = gb_latent(e, "w", first, gb_normal(zero, one), gb_pathwise()),
                  v = gb_latent(e, "v", gb_mean_field(gb_shape(HIDDEN)), gb_normal(zero, one), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(gb_tanh(gb_matmul(x, w)), v), gb_num(t, 0.3)), y);
    return e;
}

/* A forked process has the member's memory, and is none: the others hear nothing of it. */
static void use_as_a_child(const member *m)
{
    gb_tape *const t = gb_tape_new(.seed = 4, .threads = 1, .team = m->team);
    gb_run(gb_compile(t, gb_roots(gb_num(t, 1)), gb_no_update));
    printf("%s\n", gb_error_text(t));
    fflush(stdout);
    gb_tape_free(t);
    gb_mpi_team_free(m->team);
    _exit(0);
}

static bool at_window(void *user, const gb_fit_point *point)
{
    const member *const m = user;
    if (plays(m, "dies") && m->rank == 1 && point->step >= 20)
        _exit(3);
    if (plays(m, "silent") && m->rank == 1 && point->step >= 20)
        sleep(4);
    if (plays(m, "forks") && point->step == 20 && fork() == 0)
        use_as_a_child(m);
    return true;
}

static void train(member *m)
{
    double xs[ROWS * INPUTS], ys[ROWS], w[2 * INPUTS * HIDDEN];
    for (int i = 0; i < ROWS * INPUTS; i++)
        xs[i] = sin(1.7 * i);
    for (int i = 0; i < ROWS; i++)
        ys[i] = cos(0.9 * i);
    gb_tape *const t = gb_tape_new(.seed = 4, .threads = 1, .team = m->team);
    const gb_node x = gb_input_rows(t, "x", gb_shape(INPUTS)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = record(m, t, x, y);
    gb_batches *const data = gb_batches_new(t, .rows = ROWS, .batch = BATCH,
                                            .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .data = data, .steps = STEPS, .window = 10, .each = at_window,
           .user = m, .progress = plays(m, "train") ? stdout : NULL);
    if (gb_error(t) == GB_OK) {
        gb_read(gb_variable_named(t, "w.location"), w, INPUTS * HIDDEN);
        gb_read(gb_variable_named(t, "v.location"), w + INPUTS * HIDDEN, HIDDEN);
        for (int i = 0; i < (INPUTS + 1) * HIDDEN; i++)
            fprintf(m->file, "%a\n", w[i]);
    }
    put_error(m, t);
    gb_tape_free(t);
}

/* ---- the team itself ---- */

static void add_up(member *m)
{
    enum { MOST = 100003 };
    float *const narrow = malloc(MOST * sizeof *narrow);
    double *const wide = malloc(MOST * sizeof *wide);
    const size_t counts[] = {0, 1, 7, 4096, 4099, MOST};
    const double members = m->team->members, ranks = members * (members - 1) / 2;
    int wrong = 0;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t i = 0; i < counts[c]; i++)
            narrow[i] = (float)(wide[i] = (double)i + m->rank);
        if (!m->team->reduce(m->team, wide, counts[c], GB_DOUBLE, GB_REDUCE_SUM) ||
            !m->team->reduce(m->team, narrow, counts[c], GB_FLOAT, GB_REDUCE_MAX))
            wrong++;
        for (size_t i = 0; i < counts[c]; i++)
            wrong += wide[i] != members * (double)i + ranks || narrow[i] != (float)((double)i + members - 1);
        for (size_t i = 0; i < counts[c]; i++)
            wide[i] = m->rank == 1 && i % 2 == 0 ? (double)NAN : 1;
        m->team->reduce(m->team, wide, counts[c], GB_DOUBLE, GB_REDUCE_MAX);
        for (size_t i = 0; i < counts[c]; i++)
            wrong += isnan(wide[i]) != (i % 2 == 0);
    }
    fprintf(m->file, "%d\n", wrong);
    free(narrow);
    free(wide);
}

static void *in_another_thread(void *of)
{
    const member *const m = of;
    gb_tape *const t = gb_tape_new(.seed = 4, .threads = 1, .team = m->team);
    gb_run(gb_compile(t, gb_roots(gb_num(t, 1)), gb_no_update));
    put_error(m, t);
    gb_tape_free(t);
    return NULL;
}

static void use_another_thread(member *m)
{
    pthread_t thread;
    pthread_create(&thread, NULL, in_another_thread, m);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    char path[4096];
    int level;
    if (argc != 3)
        return 2;
    member m = {.scenario = argv[1]};
    const bool is_early = plays(&m, "early"), is_alone = plays(&m, "alone");
    if (!is_early && !is_alone)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    if (!is_alone)
        m.team = gb_mpi_team(MPI_COMM_WORLD, .timeout = plays(&m, "silent") ? 1 : 60);
    m.rank = m.team ? m.team->rank : 0;
    snprintf(path, sizeof path, "%s.%d", argv[2], m.rank);
    m.file = fopen(path, "w");
    if (!m.file)
        return 2;
    if (plays(&m, "sums"))
        add_up(&m);
    else if (plays(&m, "thread"))
        use_another_thread(&m);
    else
        train(&m);
    fclose(m.file);
    if (plays(&m, "silent"))
        _exit(0); /* a collective call is still open */
    gb_mpi_team_free(m.team);
    if (!is_early && !is_alone)
        MPI_Finalize();
    return 0;
}
