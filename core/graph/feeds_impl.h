/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was fed to a program, kept while other code may feed its inputs. */
#ifndef GREBE_CORE_GRAPH_FEEDS_IMPL_H
#define GREBE_CORE_GRAPH_FEEDS_IMPL_H

#include "core/program.h"
#include "core/tape.h"

/* Return a keeper of the inputs with rows that the program depends on, or of all that the tape has; NULL on
 * error. gb_feeds_end frees it; NULL is allowed. */
gb_feeds *gb_feeds_new(gb_program *program);
gb_feeds *gb_feeds_of_all(gb_tape *tape);
void gb_feeds_end(gb_feeds *feeds);

/* gb_feeds_keep keeps what the inputs have now: later feeds use other memory. gb_feeds_restore gives it back
 * to the inputs, without copying. It returns the name of an input that was fed in between although no program
 * has run on it since; NULL: none. */
void gb_feeds_keep(gb_feeds *feeds);
const char *gb_feeds_restore(gb_feeds *feeds);

/* Returns the name of an input with rows that the program depends on, and for which `has` returns false;
 * NULL: there is none. */
typedef bool gb_feeds_test(const void *user, const char *name);
const char *gb_feeds_missing(gb_program *program, gb_feeds_test *has, const void *user);

/* Stores the number of rows that the program's inputs have; -1: it has none. Returns false on error, as for
 * an input that was not fed. */
bool gb_feeds_rows(gb_program *program, int64_t *rows);

#endif
