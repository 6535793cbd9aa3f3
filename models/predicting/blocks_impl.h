/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of data, block by block: as many at once as memory allows, whatever the batches are. Inputs have
 * afterwards what they had before. */
#ifndef GREBE_MODELS_PREDICTING_BLOCKS_IMPL_H
#define GREBE_MODELS_PREDICTING_BLOCKS_IMPL_H

#include "core/graph/gathered_impl.h"

typedef struct gb_blocks {
    gb_tape *tape;
    /* Feeds the next batch; false after the last one, and on error. NULL: the rows that the inputs have. */
    bool (*next)(void *batches);
    void *batches;
    /* Called once, when the first rows are fed (`rows` ≤ 64; −1: no input has rows). Returns how many are to
     * be fed at once, a multiple of 64, or INT64_MAX for all; 0 on error. */
    int64_t (*begin)(void *user, gb_gathered *gathered, int64_t rows);
    /* Called when rows `first` … `first + rows − 1` are fed; once with −1, if no input has rows. Returns
     * false on error. */
    bool (*look)(void *user, gb_gathered *gathered, int64_t first, int64_t rows);
    void *user;
} gb_blocks;

/* Returns false on error, which is on the tape. */
bool gb_each_block(const gb_blocks *blocks);

/* For `begin`: returns how many rows at once need about so many bytes, by the plans of the programs, and by
 * `of_row` bytes besides for each row: at least 64. 0 on error. */
int64_t gb_rows_within(double bytes, double of_row, size_t programs, gb_program *const *program,
                       gb_gathered *gathered, int64_t rows);

#endif
