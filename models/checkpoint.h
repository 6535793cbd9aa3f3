/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: all that a training needs to go on as if it had never stopped, in one file.
 *
 *     const gb_checkpoint c = {.size = sizeof c, .tape = t, .path = "run.grebe", .programs = 1, .program = &train};
 *     gb_checkpoint_save(&c);                                        (now and then)
 *     gb_checkpoint_load(&c);                                        (in another process, after the same recording)
 *
 * Saved are the values of all variables of the recording (what an optimiser or an estimator remembers is among them), the
 * step of each program, which decides its noise, and what the caller adds: the order of his data, his place in it. A run
 * that goes on from a file is then bit for bit the run that was not interrupted, if it is fed the same. The numbers of
 * samples are not saved: they are what the caller sets.
 *
 * The file's layout is in docs/checkpoint-format.md. */
#ifndef GREBE_MODELS_CHECKPOINT_H
#define GREBE_MODELS_CHECKPOINT_H

#include "../core/program.h"

GB_BEGIN_DECLS

/* Bytes of the caller's own, under a name. Saving reads them, loading writes them. They are kept as they are: a
 * program for machines of both byte orders gives bytes that do not depend on it. */
typedef struct gb_checkpoint_part {
    const char *name; /* REQUIRED: not empty, and no other part's */
    void *data;       /* REQUIRED unless bytes is 0 */
    size_t bytes;
    /* OPTIONAL. For loading; saving does not look at it. NULL: the file has exactly `bytes`. Else it has at most so many,
     * and how many is stored here. */
    size_t *found;
} gb_checkpoint_part;

/* What is saved or loaded, and where. */
typedef struct gb_checkpoint {
    size_t size;      /* REQUIRED: sizeof(gb_checkpoint) */
    gb_tape *tape;    /* REQUIRED */
    const char *path; /* REQUIRED */
    size_t programs;  /* of this tape, whose steps are saved: training, evaluation … */
    gb_program *const *program;
    size_t parts;
    const gb_checkpoint_part *part;
    /* OPTIONAL, for loading with no programs: variables of the file that the tape has not are passed over. So a program that
     * only predicts needs to record the model alone, without the optimiser and what it remembers. All variables of the tape
     * must be in the file, with their shapes. */
    bool subset;
    /* OPTIONAL, for loading: called when all of the file has been found right and the parts have been read, before anything
     * of the tape changes. False refuses the file: say why with gb_fail. */
    bool (*accept)(void *user);
    void *user;
} gb_checkpoint;

/* Writes the file whole or not at all: under a temporary name beside it ("PATH.PROCESS-NUMBER.part"), synced, then
 * renamed. After an error the old file is as it was, and the temporary is removed; only a process that is killed leaves
 * one behind, which nothing reads. What a symbolic link leads to is replaced, not the link. (Where the folder alone cannot
 * be synced, after the renaming, the error says so: the new file is there, but may not survive a loss of power.)
 *
 * Errors go to the tape and are forgiven with gb_forgive, as those of gb_run: GB_ESYSTEM for a file that cannot be written,
 * GB_ENOMEM (a save needs as much memory as the file is long), GB_EARGUMENT. Nothing is done for a tape with an error. */
GB_API gb_status gb_checkpoint_save(const gb_checkpoint *checkpoint);

/* Reads the file and checks all of it, then changes variables, steps and parts together; after an error nothing is changed.
 * (Only what `accept` refused has been read into the parts.) The tape must have exactly the variables of the file, by names
 * and shapes, or some of them with .subset; and its reals. `parts` may be fewer than the file has. With programs, there must be as many as were saved, in the same order, each with the same
 * gb_program_fingerprint, and the tape must have the same seed. Without any (0), the variables are taken
 * alone, and the run is another:
 *
 *     const gb_checkpoint c = {.size = sizeof c, .tape = t, .path = "run.grebe", .subset = true};
 *     gb_checkpoint_load(&c);                                        (in a program that predicts)
 *
 * Errors as above, and GB_EFILE for a file that is damaged, of a later version, or of something else: the words say
 * what differs. */
GB_API gb_status gb_checkpoint_load(const gb_checkpoint *checkpoint);

GB_END_DECLS
#endif
