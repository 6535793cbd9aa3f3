/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No result has changed by a bit. Every value that many programs read has the bits that it had when
 * fingerprints.txt was recorded: in double and in float, on each instruction set of this machine, with one
 * thread and with two.
 *
 * Where results are meant to change, GB_RECORD=FILE writes the table anew. The head of fingerprints.txt
 * says how, what its lines depend on, and what GB_ONLY and GB_VERBOSE do. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "probe.h"

#include "programs_arrays.h"
#include "programs_checkpoint.h"
#include "programs_compare.h"
#include "programs_distributions.h"
#include "programs_elbo.h"
#include "programs_elementwise.h"
#include "programs_engine.h"
#include "programs_estimators.h"
#include "programs_laws.h"
#include "programs_models.h"
#include "programs_optimisers.h"
#include "programs_sites.h"
#include "programs_special.h"
#include "programs_transforms.h"
#include "run.h"
#include "table.h"

/* clang-format off */
static const named_program PROGRAMS[] = {
    ELEMENTWISE_PROGRAMS, SPECIAL_PROGRAMS, ARRAY_PROGRAMS, ENGINE_PROGRAMS, TRANSFORM_PROGRAMS,
    DISTRIBUTION_PROGRAMS, KL_PROGRAMS, LAWS_OF_OTHERS, ESTIMATOR_PROGRAMS, SITE_PROGRAMS, MODEL_PROGRAMS,
    ELBO_PROGRAMS, OPTIMISER_PROGRAMS, COMPARE_PROGRAMS, CHECKPOINT_PROGRAMS};
/* clang-format on */
enum { PROGRAM_COUNT = sizeof PROGRAMS / sizeof *PROGRAMS };

static table recorded, now;
static judged all;

/* The first large product loads OpenBLAS. Until then every program must do without. */
static void assert_multiplies_as_it_says(const named_program *program, bool loaded_before)
{
    if (!program->multiplies && !loaded_before && machine_loaded_blas())
        fail_msg("%s uses OpenBLAS: make its products smaller, or list it as MULTIPLIED", program->name);
}

static void compute(const named_program *program, gb_real real, const char *isa, bool loaded_before)
{
    const char *const blas = program->multiplies ? machine_blas() : "-";
    if (strcmp(blas, "none") == 0) {
        print_message("left out: %s, as there is no OpenBLAS\n", program->name);
        return;
    }
    assert_true(machine_force(isa));
    const uint64_t hash = run_program(program, real, 1);
    compare_or_keep(&recorded, &now, line_of(program->name, REAL[real], isa, blas, hash), &all);
    machine_release();
    assert_multiplies_as_it_says(program, loaded_before);
}

/* Programs that multiply come last, after OpenBLAS was found not to be needed by the others. */
TEST(the_bits_of_all_values_are_as_recorded)
{
    const bool loaded_before = machine_loaded_blas();
    for (int multiplies = 0; multiplies < 2; multiplies++)
        for (size_t i = 0; i < PROGRAM_COUNT; i++)
            for (int real = GB_DOUBLE; real <= GB_FLOAT; real++)
                for (int isa = 0; isa < ISAS; isa++)
                    if (PROGRAMS[i].multiplies == multiplies && is_asked_for(&PROGRAMS[i]) &&
                        machine_has(ISA[isa]))
                        compute(&PROGRAMS[i], (gb_real)real, ISA[isa], loaded_before);
    conclude_or_record(&recorded, &now, false, &all);
}

/* The best one, which tapes use if no other is forced. */
static const char *best_isa(void)
{
    int best = 0;
    for (int i = 1; i < ISAS; i++)
        if (machine_has(ISA[i]))
            best = i;
    return ISA[best];
}

TEST(two_threads_give_the_bits_of_one)
{
    for (size_t i = 0; i < PROGRAM_COUNT; i++)
        for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
            const char *const blas = PROGRAMS[i].multiplies ? machine_blas() : "-";
            const table_line like = line_of(PROGRAMS[i].name, REAL[real], best_isa(), blas, 0);
            const table_line *const one = table_find(&now, &like, machine_compiler());
            if (!one)
                continue;
            const uint64_t two = run_program(&PROGRAMS[i], (gb_real)real, 2);
            if (one->hash != two)
                fail_msg("%s, %s: the hash is %016llx with two threads, and %016llx with one", one->program,
                         one->real, (unsigned long long)two, (unsigned long long)one->hash);
        }
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    machine_release();
    machine_prepare_blas();
    table_read(&recorded);
}
