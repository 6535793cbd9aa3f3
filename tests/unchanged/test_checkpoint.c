/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints that an earlier build wrote, with the baseline kernels. Today's build writes the same files,
 * byte for byte. A training that is resumed from one of them ends with the bits of a training that was never
 * interrupted, and on every instruction set with the bits that fingerprints.txt has for it.
 *
 * Where results are meant to change, GB_RECORD_CHECKPOINTS=FOLDER writes the files anew. Record
 * fingerprints.txt after that, as its head says. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "probe.h"

#include "programs_checkpoint.h"
#include "run.h"
#include "table.h"

static table recorded;

/* Trains on a new tape, and returns the hash of the result. */
static uint64_t trained(const stopped_training *training, gb_real real, const char *path, int64_t steps)
{
    probe p = {.program = training->name, .t = tape_of(real, 1, 0), .real = real, .hash = HASH_OF_NOTHING};
    const gb_fit_result r = train_until(&p, training, path, steps);
    hash_training(&p, &r);
    gb_tape_free(p.t);
    return p.hash;
}

static void assert_same(const stopped_training *training, gb_real real, const char *isa, uint64_t is,
                        uint64_t should)
{
    if (is != should)
        fail_msg("%s, %s, %s: resumed, the hash is %016llx, uninterrupted %016llx", training->name,
                 REAL[real], isa, (unsigned long long)is, (unsigned long long)should);
}

typedef void what_to_do(const stopped_training *training, gb_real real, const char *isa);

static void for_each(what_to_do *what)
{
    for (int isa = 0; isa < ISAS; isa++)
        for (size_t i = 0; i < TRAINING_COUNT; i++)
            for (int real = GB_DOUBLE; real <= GB_FLOAT; real++)
                if (machine_has(ISA[isa])) {
                    machine_force(ISA[isa]);
                    what(&TRAININGS[i], (gb_real)real, ISA[isa]);
                    machine_release();
                }
}

/* ---- checkpoints of this process ---- */

static void resume_own(const stopped_training *training, gb_real real, const char *isa)
{
    const scratch at = scratch_new();
    const uint64_t whole = trained(training, real, NULL, training->end);
    trained(training, real, at.path, training->stop);
    assert_same(training, real, isa, trained(training, real, at.path, training->end), whole);
    scratch_end(&at);
}

TEST(a_training_resumes_from_its_own_checkpoint)
{
    for_each(resume_own);
}

/* ---- checkpoints of an earlier build ---- */

static bool is_comparable(void)
{
    if (strcmp(recorded.surroundings, machine_surroundings()) == 0)
        return true;
    print_message("left out: the checkpoints were written on %s, and this is %s\n", recorded.surroundings,
                  machine_surroundings());
    return false;
}

/* The baseline kernels wrote the checkpoint: with others the first half of the training has other last
 * bits. */
static void resume_recorded(const stopped_training *training, gb_real real, const char *isa)
{
    char path[4096];
    if (strcmp(isa, "baseline") != 0)
        return;
    const scratch at = scratch_new();
    const uint64_t whole = trained(training, real, NULL, training->end);
    file_of(training, real, GB_TESTS "/unchanged/checkpoints", path);
    copy_file(path, at.path);
    assert_same(training, real, isa, trained(training, real, at.path, training->end), whole);
    scratch_end(&at);
}

TEST(a_training_resumes_from_a_checkpoint_of_an_earlier_build)
{
    if (!is_comparable())
        skip();
    for_each(resume_recorded);
}

static void write_again(const stopped_training *training, gb_real real, const char *isa)
{
    char path[4096];
    size_t length[2];
    if (strcmp(isa, "baseline") != 0)
        return;
    const scratch at = scratch_new();
    trained(training, real, at.path, training->stop);
    file_of(training, real, GB_TESTS "/unchanged/checkpoints", path);
    unsigned char *const was = file_get(path, &length[0]), *const is = file_get(at.path, &length[1]);
    assert_int_equal(length[1], length[0]);
    for (size_t i = 0; i < length[0]; i++)
        if (is[i] != was[i])
            fail_msg("%s, %s: byte %zu of today's checkpoint is %d, and was %d", training->name, REAL[real],
                     i, is[i], was[i]);
    free(was);
    free(is);
    scratch_end(&at);
}

TEST(the_same_checkpoint_is_written_today)
{
    if (!is_comparable())
        skip();
    for_each(write_again);
}

TEST(a_checkpoint_resumes_on_every_instruction_set)
{
    static const named_program PROGRAMS[] = {CHECKPOINT_PROGRAMS};
    judged all = {0};
    for (size_t i = 0; i < TRAINING_COUNT; i++)
        for (int real = GB_DOUBLE; real <= GB_FLOAT; real++)
            for (int isa = 0; isa < ISAS; isa++)
                if (machine_has(ISA[isa])) {
                    machine_force(ISA[isa]);
                    const uint64_t hash = run_program(&PROGRAMS[i], (gb_real)real, 1);
                    machine_release();
                    const table_line is = line_of(PROGRAMS[i].name, REAL[real], ISA[isa], "-", hash);
                    judge(&recorded, &is, &all);
                }
    conclude(&recorded, &all);
}

/* ---- recording ---- */

static void record(const stopped_training *training, gb_real real, const char *isa)
{
    char path[4096];
    if (strcmp(isa, "baseline") != 0)
        return;
    file_of(training, real, getenv("GB_RECORD_CHECKPOINTS"), path);
    remove(path);
    trained(training, real, path, training->stop);
    print_message("written: %s\n", path);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    if (getenv("GB_RECORD_CHECKPOINTS")) {
        for_each(record);
        exit(EXIT_SUCCESS);
    }
    machine_release();
    machine_prepare_blas();
    table_read(&recorded);
}
