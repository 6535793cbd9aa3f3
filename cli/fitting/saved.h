/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit in a file: a checkpoint (models/checkpoint.h) whose notes also say which model it is of. So --resume
 * and `grebe predict` need nothing but the file. docs/fit.md describes the notes. */
#ifndef GREBE_CLI_FITTING_SAVED_H
#define GREBE_CLI_FITTING_SAVED_H

#include "cli/fitting/model.h"

enum { GB_CLI_SAVED_VERDICT = 64 };

/* What a file says of its fit. */
typedef struct gb_cli_saved {
    gb_cli_asked asked;
    char verdict[GB_CLI_SAVED_VERDICT]; /* "" if the file has none, as that of a training */
} gb_cli_saved;

/* Note on the tape which model is fitted, before the fit, and what came of it, after it. Return the status of
 * the tape. */
gb_status gb_cli_saved_note(gb_tape *tape, const gb_cli_asked *asked);
gb_status gb_cli_saved_note_verdict(gb_tape *tape, const char *verdict);

/* Reads the notes of a file, which the tape then has. Prints errors: a file that is none, is damaged, or is
 * not of `grebe fit`. */
gb_cli_code gb_cli_saved_read(gb_cli_saved *saved, gb_tape *tape, const char *path);

/* Rejects in words a file of another model than the one that is asked for. */
gb_cli_code gb_cli_saved_fits(const char *path, const gb_cli_asked *asked);

#endif
