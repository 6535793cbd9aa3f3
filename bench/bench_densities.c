/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sum of 100,000 log densities, and its gradient in the draws and all parameters, on one thread, against
 * torch.distributions. grebe checks the parameters in every run; PyTorch does not (validate_args=False). */
#include <grebe/core/gradient.h>
#include <grebe/distributions/list.h>
#include <grebe/ops/reduce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"
#include "race.h"

enum { COUNT = 100000, MAX_LEAVES = 1 + GB_MAX_PARAMS };

typedef struct density {
    const char *what, *name; /* `name` is the peer's name for it */
    gb_dist (*make)(const gb_node *param);
    size_t leaves; /* the draws and the parameters */
    struct {
        double low, high;
    } range[MAX_LEAVES];
} density;

typedef struct job {
    const density *of;
    bool arrays; /* each draw has its own parameters */
    gb_real real;
} job;

static size_t count_of(const job *j, size_t leaf)
{
    return leaf == 0 || j->arrays ? COUNT : 1;
}

static const char *real_of(const job *j)
{
    return j->real == GB_FLOAT ? "float" : "double";
}

static gb_program *record(const job *j, gb_tape *tape, double *const *values, gb_node *roots)
{
    static const char *const names[MAX_LEAVES] = {"x", "a", "b", "c", "d"};
    gb_node leaf[MAX_LEAVES];
    for (size_t i = 0; i < j->of->leaves; i++) {
        const size_t count = count_of(j, i);
        leaf[i] = gb_variable(tape, names[i], count > 1 ? gb_shape(COUNT) : gb_shape(),
                              gb_values_of(values[i], count));
    }
    roots[0] = gb_sum(gb_log_prob(j->of->make(leaf + 1), leaf[0]));
    gb_grads(roots[0], leaf, j->of->leaves, roots + 1);
    gb_program *const program =
        gb_compile(tape, (gb_node_list){.count = 1 + j->of->leaves, .node = roots}, gb_no_update);
    gb_bench_need(program && gb_run(program) == GB_OK, tape, j->of->name);
    return program;
}

/* Sends the job to the peer, and compares the results. */
static void compare(const job *j, gb_bench_peer *peer, double *const *values, const gb_node *roots)
{
    gb_bench_peer_say(peer, "density %s %s", j->of->name, real_of(j));
    for (size_t i = 0; i < j->of->leaves; i++)
        gb_bench_peer_say(peer, " %zu", count_of(j, i));
    gb_bench_peer_say(peer, "\n");
    for (size_t i = 0; i < j->of->leaves; i++)
        gb_bench_peer_send(peer, values[i], count_of(j, i));
    for (size_t i = 0; i <= j->of->leaves; i++) {
        const size_t count = i == 0 ? 1 : count_of(j, i - 1);
        double *const ours = gb_bench_read(roots[i]), *const theirs = gb_bench_zeros(count * sizeof *theirs);
        gb_bench_peer_receive(peer, theirs, count);
        gb_bench_agree(j->of->name, count, ours, theirs, j->real == GB_FLOAT ? 1e-4 : 1e-11);
        free(ours);
        free(theirs);
    }
}

static void measure(const job *j, gb_bench_peer *peer)
{
    double *values[MAX_LEAVES];
    gb_node roots[1 + MAX_LEAVES];
    gb_program *program[GB_RACE_USES];
    char what[80];
    for (size_t i = 0; i < j->of->leaves; i++)
        values[i] = gb_bench_randoms(COUNT, j->of->range[i].low, j->of->range[i].high);
    for (int i = 0; i < GB_RACE_USES; i++) {
        program[i] =
            record(j, gb_tape_new(.threads = 1, .real = j->real, .native = gb_race_use[i]), values, roots);
        compare(j, peer, values, roots);
    }
    if (getenv("GB_BENCH_DUMP"))
        gb_program_dump(program[0], GB_DUMP_TEXT, stdout);
    gb_bench_watch watch = {gb_bench_peer_seconds, peer};
    snprintf(what, sizeof what, "%s, %s, %s", real_of(j), j->of->what, j->arrays ? "arrays" : "numbers");
    gb_race_run((gb_race){.what = what,
                          .ours = GB_RACE_PROGRAMS(program[0], program[1]),
                          .peer = {NULL, &watch},
                          .times = {0.2, 0.1}});
    for (size_t i = 0; i < j->of->leaves; i++)
        free(values[i]);
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(gb_program_tape(program[i]));
}

/* ---- the densities ---- */

static gb_dist normal(const gb_node *param)
{
    return gb_normal(param[0], param[1]);
}

static gb_dist gamma_of(const gb_node *param)
{
    return gb_gamma(param[0], param[1]);
}

static gb_dist student_t(const gb_node *param)
{
    return gb_student_t(param[0], param[1], param[2]);
}

int main(void)
{
    static const density densities[] = {
        {"normal", "normal", normal, 3, {{-3, 3}, {-1, 1}, {0.5, 2}}},
        {"gamma of 0.5 to 4", "gamma", gamma_of, 3, {{0.1, 6}, {0.5, 4}, {0.5, 2}}},
        {"gamma of 4 to 30", "gamma", gamma_of, 3, {{4, 30}, {4, 30}, {0.5, 2}}},
        {"student_t", "student_t", student_t, 4, {{-4, 4}, {1, 30}, {-1, 1}, {0.5, 2}}},
    };
    gb_bench_peer peer;
    if (!gb_bench_peer_start(&peer, "peer_torch.py")) {
        printf("\nDensities are not measured: there is no PyTorch (bench/run --peers installs it).\n");
        return 0;
    }
    gb_race_begin("100,000 log densities and their gradient, one thread", peer.name);
    for (size_t i = 0; i < sizeof densities / sizeof *densities; i++)
        for (int setting = 0; setting < 4; setting++) {
            const job j = {
                .of = &densities[i], .arrays = setting < 2, .real = setting % 2 ? GB_FLOAT : GB_DOUBLE};
            measure(&j, &peer);
        }
    gb_bench_peer_end(&peer);
}
