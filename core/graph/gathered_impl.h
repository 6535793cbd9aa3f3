/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows gathered from several feeds, so that a program runs on as many at once as its caller likes, and so
 * that what the inputs had before is theirs again afterwards.
 *
 *     gb_gathered *g = gb_gathered_new(tape);     what the inputs have is kept
 *     gb_gathered_clear(g);                       they count as not fed. Left out, it is the first batch
 *     … feed a batch …; gb_gathered_note(g);      takes note of a batch, until the next one is fed
 *     gb_gathered_take(g, 64);                    copies up to 64 of its rows
 *     gb_gathered_bind(g, 64); gb_run(program);     the program sees the rows that were taken
 *     gb_gathered_clear(g); …
 *     gb_gathered_end(g);                         the inputs have what they had */
#ifndef GREBE_CORE_GRAPH_GATHERED_IMPL_H
#define GREBE_CORE_GRAPH_GATHERED_IMPL_H

#include "core/program.h"

typedef struct gb_gathered gb_gathered;

/* Returns NULL on error. */
gb_gathered *gb_gathered_new(gb_tape *tape);
/* NULL is allowed. */
void gb_gathered_end(gb_gathered *g);

/* Notes what was fed since the last call. Returns the number of rows: −1 if no input with rows was fed, and
 * on error. */
int64_t gb_gathered_note(gb_gathered *g);
/* Copies up to `most` of the noted rows that were not taken yet, after those taken before. Returns how many
 * there are now; −1 on error. */
int64_t gb_gathered_take(gb_gathered *g, int64_t most);
/* How many of the noted rows were not taken; whether the latest batch had rows at all. */
int64_t gb_gathered_left(const gb_gathered *g);
bool gb_gathered_has_rows(const gb_gathered *g);

/* Feeds the first `rows` of those that were taken. They are there until gb_gathered_clear. */
void gb_gathered_bind(gb_gathered *g, int64_t rows);
void gb_gathered_clear(gb_gathered *g);

/* Returns the number of a row in the data set that its batch came from. */
int64_t gb_gathered_row(const gb_gathered *g, int64_t row);

/* Returns whether an input of that name was in the latest batch. */
bool gb_gathered_has(const void *g, const char *name);

#endif
