/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: one file with everything that a training needs to continue as if it had not stopped.
 *
 *     const gb_checkpoint c = {
 *         .size = sizeof c, .tape = t, .path = "run.grebe", .programs = 1, .program = &train};
 *     gb_checkpoint_save(&c);                             (now and then)
 *     gb_checkpoint_load(&c);                             (in another process, after the same recording)
 *
 * A checkpoint contains the values of all variables, including those of optimisers and estimators, and the
 * notes of the tape. It contains the step of each program, which determines its noise, and parts that the
 * caller adds, such as his place in the data. A run that continues from a file equals the uninterrupted run
 * bit for bit, if it is fed the same data and has the same kernels (gb_kernels) and OpenBLAS. The numbers of
 * samples are not saved; the caller sets them.
 *
 * docs/checkpoint-format.md describes the layout of the file. */
#ifndef GREBE_MODELS_CHECKPOINT_H
#define GREBE_MODELS_CHECKPOINT_H

#include "../core/program.h"

GB_BEGIN_DECLS

/* Bytes of the caller, under a name: saved from `data`, and loaded into it. They are stored unchanged. If the
 * file must work on machines of either byte order, the caller must store bytes that do not depend on the
 * order. */
typedef struct gb_checkpoint_part {
    const char *name; /* REQUIRED: not empty, and different from those of other parts */
    void *data;       /* REQUIRED unless bytes is 0 */
    size_t bytes;
    /* OPTIONAL, for loading; ignored when saving. Receives the size of the part in the file, which is at most
     * `bytes`. NULL: the part must have exactly `bytes`. */
    size_t *found;
} gb_checkpoint_part;

/* What to save or load, and where. */
typedef struct gb_checkpoint {
    size_t size;      /* REQUIRED: sizeof(gb_checkpoint) */
    gb_tape *tape;    /* REQUIRED */
    const char *path; /* REQUIRED */
    size_t programs;  /* programs of this tape whose steps are saved: training, evaluation … */
    gb_program *const *program;
    size_t parts;
    const gb_checkpoint_part *part;
    /* OPTIONAL, for loading without programs: ignore variables of the file that the tape does not have. So a
     * program that only predicts records the model alone, without the optimiser. All variables of the tape
     * must be in the file, with the same shapes. */
    bool subset;
    /* OPTIONAL, for loading: called when the whole file has been checked and the parts have been read, before
     * the tape changes. Returns false to reject the file, after gb_fail with the reason. */
    bool (*accept)(void *user);
    void *user;
} gb_checkpoint;

/* Saves. The file is written whole or not at all: under a temporary name beside it
 * ("PATH.PROCESS-NUMBER.part"), synced, then renamed. After an error the old file is unchanged and the
 * temporary file is removed. Only a process that is killed leaves a temporary file, which is never read. If
 * `path` is a symbolic link, its target is written, not the link, also if there is no such file yet. A file
 * that is write-protected is not replaced. A new file takes the place of the old one, so the folder must be
 * writable. It gets the mode of the old one, and its owner and group where the process may give them away
 * (else without setuid and setgid). If the folder cannot be synced after the renaming, it is an error: the
 * new file exists, but may not survive a loss of power. A file beyond the limit of the process (RLIMIT_FSIZE)
 * is an error too: the thread blocks SIGXFSZ while it writes.
 *
 * Errors are recorded on the tape, and gb_forgive clears them, as those of gb_run: GB_ESYSTEM if the file
 * cannot be written, GB_ENOMEM (saving needs as much memory as the file has bytes), GB_EARGUMENT. Does
 * nothing if the tape has an error. */
GB_API gb_status gb_checkpoint_save(const gb_checkpoint *checkpoint);

/* Loads. Reads and checks the whole file, then changes variables, steps and parts together. After an error
 * nothing has changed, except that the parts have been read if `accept` rejected the file.
 *
 * The tape must have exactly the variables of the file, by name and shape, or some of them with .subset. It
 * must have the same type of reals. `parts` may be fewer than the file has. If there are programs, their
 * number and order must be those of the file, and each must have the same gb_program_fingerprint. The tape
 * must then have the same seed. Without programs (0), only the variables are loaded, and a new run begins:
 *
 *     const gb_checkpoint c = {.size = sizeof c, .tape = t, .path = "run.grebe", .subset = true};
 *     gb_checkpoint_load(&c);                             (in a program that predicts)
 *
 * All notes of the file are loaded, with .subset too. A note that this recording has already must have the
 * same bytes. With .subset a new tape without variables gets the notes alone. So a program that needs them in
 * order to record the model loads twice: before and after recording.
 *
 * Errors are those of gb_checkpoint_save, and GB_EFILE for a file that is damaged, of a later version, or
 * does not match. The message says what differs. */
GB_API gb_status gb_checkpoint_load(const gb_checkpoint *checkpoint);

GB_END_DECLS
#endif
