/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lessons (examples/) print the numbers that they printed when fingerprints.txt was recorded: the first
 * eight on every instruction set of this machine, the others with AVX2, since they say little more about
 * kernels. Their words may change. GB_RECORD=FILE records them again: see the head of fingerprints.txt. */
#define _XOPEN_SOURCE 700 /* popen */
#include "probe.h"

#include "table.h"

/* MULTIPLIED: those that load OpenBLAS. */
static const named_program LESSONS[] = {PROGRAM("lesson/01_gradient", NULL),
                                        PROGRAM("lesson/02_monte_carlo_gradients", NULL),
                                        PROGRAM("lesson/03_variance", NULL),
                                        MULTIPLIED("lesson/04_evidence", NULL),
                                        PROGRAM("lesson/05_minibatches", NULL),
                                        MULTIPLIED("lesson/06_points", NULL),
                                        MULTIPLIED("lesson/07_bayes_by_backprop", NULL),
                                        MULTIPLIED("lesson/08_dropout", NULL),
                                        MULTIPLIED("lesson/09_predictive", NULL),
                                        MULTIPLIED("lesson/10_a_table", NULL),
                                        MULTIPLIED("lesson/11_classes", NULL),
                                        MULTIPLIED("lesson/12_priors", NULL),
                                        PROGRAM("lesson/13_discrete", NULL),
                                        PROGRAM("lesson/14_not_here", NULL),
                                        MULTIPLIED("lesson/15_trust", NULL),
                                        PROGRAM("lesson/16_iwae", NULL),
                                        MULTIPLIED("lesson/17_local", NULL),
                                        PROGRAM("lesson/18_a_series", NULL),
                                        MULTIPLIED("lesson/19_a_distribution", NULL),
                                        MULTIPLIED("lesson/20_an_estimator", NULL),
                                        MULTIPLIED("lesson/21_an_optimiser", NULL),
                                        MULTIPLIED("lesson/22_autoencoder", NULL),
                                        PROGRAM("lesson/23_your_own_cost", NULL)};
enum { LESSON_COUNT = sizeof LESSONS / sizeof *LESSONS, EVERYWHERE = 8 };

static bool is_run(size_t lesson, const char *isa)
{
    return is_asked_for(&LESSONS[lesson]) && machine_has(isa) &&
           (lesson < EVERYWHERE || strcmp(isa, "avx2") == 0);
}

#ifdef GB_LESSONS
/* The lesson inherits the instruction set that is forced at present. */
static uint64_t hash_of_lesson(const named_program *lesson)
{
    static char text[1 << 20];
    char command[4096];
    probe p = {.program = lesson->name, .hash = HASH_OF_NOTHING};
    snprintf(command, sizeof command, "'%s%s'", GB_LESSONS, strchr(lesson->name, '/'));
    FILE *const output = popen(command, "r");
    assert_non_null(output);
    text[fread(text, 1, sizeof text - 1, output)] = '\0';
    if (pclose(output) != 0)
        fail_msg("%s failed; it printed:\n%s", command, text);
    hash_numbers_in(&p, "output", text);
    return p.hash;
}

TEST(lessons_print_the_same_numbers)
{
    static table recorded, now;
    judged all = {0};
    table_read(&recorded);
    for (size_t i = 0; i < LESSON_COUNT; i++)
        for (int isa = 0; isa < ISAS; isa++) {
            const char *const blas = LESSONS[i].multiplies ? machine_blas() : "-";
            if (!is_run(i, ISA[isa]) || strcmp(blas, "none") == 0)
                continue;
            machine_force(ISA[isa]);
            const table_line is = line_of(LESSONS[i].name, "-", ISA[isa], blas, hash_of_lesson(&LESSONS[i]));
            compare_or_keep(&recorded, &now, is, &all);
            machine_release();
        }
    conclude_or_record(&recorded, &now, true, &all);
}
#else
TEST(lessons_print_the_same_numbers)
{
    print_message("left out: the lessons, which were not built\n");
    skip();
}
#endif

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    setenv("GREBE_DATA", "", 1); /* lesson 10 takes its own */
    machine_release();
    machine_prepare_blas();
}
