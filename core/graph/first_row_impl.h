/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CORE_GRAPH_FIRST_ROW_IMPL_H
#define GREBE_CORE_GRAPH_FIRST_ROW_IMPL_H

#include "core/program.h"

/* A multiple of this many rows has noise of its own for whatever number of elements a row has. */
enum { GB_ROWS_OF_NOISE = 64 };

/* Says that the first row of the next runs is number `row`, a multiple of GB_ROWS_OF_NOISE, of the rows that
 * the program sees block by block. Noise that varies over rows is then that of these rows: in a run of one
 * sample, the same as in a run of all rows. Noise that rows share stays the same in all blocks. Does nothing
 * for NULL. */
void gb_program_set_first_row(gb_program *program, uint64_t row);

/* Says that a program on the tape of a team is run by one member, or by each on its own: the rows that it is
 * fed are all there are, and nothing is exchanged. Noise that varies over rows differs between members. To be
 * called before the first run; does nothing for NULL. */
void gb_program_set_apart(gb_program *program);

#endif
