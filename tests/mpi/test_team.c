/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Teams of processes, started by mpirun: they train as one process does, and none waits for ever. */
#include "support/close.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 280, MOST = 4, TEXT = 512 };

/* What the members wrote. */
typedef struct outcome {
    int code; /* of mpirun */
    char printed[1 << 14];
    size_t numbers[MOST];
    double number[MOST][NUMBERS];
    char error[MOST][TEXT];
} outcome;

#ifdef GB_MEMBER
static void read_member(outcome *o, const char *path, int rank)
{
    char file[256], line[TEXT], *end;
    snprintf(file, sizeof file, "%s.%d", path, rank);
    FILE *const in = fopen(file, "r");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        const double x = strtod(line, &end);
        if (end != line && !*end && o->numbers[rank] < NUMBERS)
            o->number[rank][o->numbers[rank]++] = x;
        else
            snprintf(o->error[rank], TEXT, "%s", line);
    }
    if (in)
        fclose(in);
    unlink(file);
}

/* The variables are for Open MPI in containers: more processes than processors, as root. 0 members: without
 * mpirun. */
static void start(outcome *o, int members, const char *program)
{
    char start[512] = "", command[1024];
    if (members > 0)
        snprintf(start, sizeof start,
                 "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                 "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none "
                 "OMPI_MCA_mpi_yield_when_idle=1 timeout 100 " GB_MPIEXEC " -n %d ",
                 members);
    snprintf(command, sizeof command, "%s%s 2>&1", start, program);
    FILE *const from = popen(command, "r");
    assert_non_null(from);
    const size_t length = fread(o->printed, 1, sizeof o->printed - 1, from);
    o->printed[length] = '\0';
    const int status = pclose(from);
    o->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static outcome *play(const char *scenario, int members)
{
    static outcome o;
    char path[] = "/tmp/grebe-members-XXXXXX", program[512];
    close(mkstemp(path));
    memset(&o, 0, sizeof o);
    snprintf(program, sizeof program, GB_MEMBER " %s %s", scenario, path);
    start(&o, members, program);
    for (int r = 0; r < MOST; r++)
        read_member(&o, path, r);
    unlink(path);
    return &o;
}

static void assert_worked(const outcome *o, int members)
{
    if (o->code != 0)
        fail_msg("mpirun ended with %d: %s", o->code, o->printed);
    for (int r = 0; r < members; r++)
        assert_string_equal(o->error[r], "");
}

static size_t lines_with(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}
#else
#define GB_COMMAND "grebe"
static void start(outcome *o, int members, const char *program)
{
    (void)o, (void)members, (void)program;
    print_message("this build has no libgrebe-mpi: MPI is not installed (Debian: libopenmpi-dev)\n");
    skip();
}
static outcome *play(const char *scenario, int members)
{
    (void)scenario, (void)members;
    print_message("this build has no libgrebe-mpi: MPI is not installed (Debian: libopenmpi-dev)\n");
    skip();
    return NULL;
}
static void assert_worked(const outcome *o, int members)
{
    (void)o, (void)members;
}
static size_t lines_with(const char *text, const char *word)
{
    (void)text, (void)word;
    return 0;
}
#endif

TEST(processes_train_as_one_process_does_and_print_once)
{
    static double alone[NUMBERS];
    const outcome *o = play("alone", 0);
    assert_worked(o, 1);
    assert_int_equal(o->numbers[0], NUMBERS);
    memcpy(alone, o->number[0], sizeof alone);
    for (int members = 2; members <= MOST; members += 2) {
        o = play("train", members);
        assert_worked(o, members);
        assert_int_equal(lines_with(o->printed, "done"), 1);
        for (int r = 0; r < members; r++) {
            assert_int_equal(o->numbers[r], NUMBERS);
            assert_memory_equal(o->number[r], o->number[0], sizeof alone);
            for (int i = 0; i < NUMBERS; i++)
                assert_true(fabs(o->number[r][i] - alone[i]) <= 1e-10 * fmax(fabs(alone[i]), 1e-3));
        }
    }
}

TEST(the_same_team_gives_the_same_bits_again)
{
    static double before[NUMBERS];
    memcpy(before, play("train", 3)->number[0], sizeof before);
    assert_memory_equal(play("train", 3)->number[0], before, sizeof before);
}

TEST(sums_and_maxima_of_any_length_are_right)
{
    for (int members = 2; members <= 3; members++) {
        const outcome *const o = play("sums", members);
        assert_worked(o, members);
        for (int r = 0; r < members; r++)
            assert_true(o->numbers[r] == 1 && o->number[r][0] == 0);
    }
}

TEST(programs_that_differ_are_told_apart)
{
    const outcome *const o = play("different", 2);
    for (int r = 0; r < 2; r++)
        assert_non_null(
            strstr(o->error[r], "constants of the program differ between the members of the team"));
}

TEST(a_member_that_dies_ends_the_others)
{
    const outcome *const o = play("dies", 3);
    assert_true(o->code != 0 && o->code != 124);
}

TEST(a_member_that_does_not_answer_is_not_waited_for)
{
    const outcome *const o = play("silent", 2);
    assert_non_null(strstr(o->error[0], "member 0 of the team's 2 cannot reach the others: a member did not "
                                        "answer for 1 s"));
}

TEST(a_forked_process_is_no_member)
{
    static double before[NUMBERS];
    memcpy(before, play("train", 2)->number[0], sizeof before);
    const outcome *const o = play("forks", 2);
    assert_worked(o, 2);
    assert_memory_equal(o->number[0], before, sizeof before);
    assert_int_equal(lines_with(o->printed, "this process was forked from the member"), 2);
}

TEST(mpi_is_called_by_the_right_thread_after_its_beginning)
{
    const outcome *o = play("early", 1);
    assert_non_null(strstr(o->error[0], "MPI is not initialised: call MPI_Init_thread first"));
    o = play("thread", 1);
    assert_non_null(strstr(o->error[0], "and this is another thread"));
}

/* ---- the command ---- */

TEST(the_command_shares_a_comparison_out_and_prints_it_once)
{
    static outcome alone, team;
    start(&alone, 0, GB_COMMAND " compare gauss-square --estimators pathwise,score --draws 9000");
    start(&team, 3, GB_COMMAND " --team mpi compare gauss-square --estimators pathwise,score --draws 9000");
    if (team.code != 0)
        fail_msg("%s", team.printed);
    assert_int_equal(lines_with(team.printed, "gauss-square:"), 1);
    const char *const table = strstr(alone.printed, "parameter estimator"); /* what is above has times */
    assert_non_null(table);
    assert_non_null(strstr(team.printed, table));
}

TEST(the_command_shares_a_fit_out_and_prints_it_once)
{
    static outcome alone, team;
    start(&alone, 0, GB_COMMAND " fit linear --data curve --target y");
    start(&team, 2, GB_COMMAND " --team mpi fit linear --data curve --target y");
    if (team.code != 0)
        fail_msg("%s", team.printed);
    assert_int_equal(lines_with(team.printed, "Verdict: "), 1);
    const char *const row = strstr(alone.printed, "\nsigma ");
    const char *const other = strstr(team.printed, "\nsigma ");
    assert_non_null(row);
    assert_non_null(other);
    assert_memory_equal(row, other, 40);
    start(&team, 2, GB_COMMAND " --team mpi fit linear --data curve --target y --out o.csv");
    assert_int_equal(team.code, 2);
    assert_non_null(strstr(team.printed, "--out is for one process"));
}

TEST(the_command_says_what_a_team_is_not_for)
{
    outcome o = {0};
    start(&o, 0, GB_COMMAND " --team mpi list");
    assert_int_equal(o.code, 2);
    assert_non_null(strstr(o.printed, "list: --team is for commands that share their work out: compare"));
    start(&o, 0, GB_COMMAND " --team none compare");
    assert_int_equal(o.code, 2);
    assert_non_null(strstr(o.printed, "--team takes a kind of team, and there is one: mpi"));
    start(&o, 0, GB_COMMAND " --team=mpi compare gauss-square --estimators score --train 10");
    assert_int_equal(o.code, 2);
    assert_non_null(strstr(o.printed, "a race (--train) is made by one process"));
}
