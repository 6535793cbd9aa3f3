/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/predicting/blocks_impl.h"

#include "core/graph/first_row_impl.h"

/* Batches until their end, and what was taken of them. */
typedef struct supply {
    const gb_blocks *blocks;
    gb_gathered *gathered;
    bool ended;
} supply;

static bool next_batch(supply *s)
{
    const gb_blocks *const b = s->blocks;
    s->ended = s->ended || !b->next || !b->next(b->batches);
    return !s->ended && gb_gathered_note(s->gathered) >= 0;
}

/* Takes rows after `taken` ones, until there are `most`, or no more. Returns how many there are; −1 on
 * error. */
static int64_t fill(supply *s, int64_t taken, int64_t most)
{
    while (taken >= 0 && taken < most && (gb_gathered_left(s->gathered) > 0 || next_batch(s)))
        taken = gb_gathered_take(s->gathered, most - taken);
    return gb_error(s->blocks->tape) == GB_OK ? taken : -1;
}

/* No input has rows. */
static bool look_once(const gb_blocks *b, gb_gathered *g)
{
    return b->begin(b->user, g, -1) > 0 && b->look(b->user, g, 0, -1);
}

static bool look_at_all(const gb_blocks *b, gb_gathered *g)
{
    supply s = {.blocks = b, .gathered = g};
    int64_t first = 0, rows = fill(&s, 0, GB_ROWS_OF_NOISE);
    if (rows < 0)
        return false;
    gb_gathered_bind(g, rows);
    if (!gb_gathered_has_rows(g))
        return look_once(b, g);
    const int64_t at_once = b->begin(b->user, g, rows);
    while (at_once > 0 && (rows = fill(&s, rows, at_once)) > 0) {
        gb_gathered_bind(g, rows);
        if (!b->look(b->user, g, first, rows))
            return false;
        gb_gathered_clear(g);
        first += rows;
        rows = 0;
    }
    return at_once > 0 && rows == 0;
}

bool gb_each_block(const gb_blocks *b)
{
    gb_gathered *const g = gb_gathered_new(b->tape);
    if (!g)
        return false;
    if (b->next)
        gb_gathered_clear(g);
    else
        gb_gathered_note(g);
    const bool good = gb_error(b->tape) == GB_OK && look_at_all(b, g);
    gb_gathered_end(g);
    return good && gb_error(b->tape) == GB_OK;
}

/* Stores the bytes of all plans for so many of the rows that were taken. */
static bool bytes_of(size_t programs, gb_program *const *program, gb_gathered *g, int64_t rows, double *bytes)
{
    gb_plan_facts facts;
    *bytes = 0;
    gb_gathered_bind(g, rows);
    for (size_t i = 0; i < programs; i++) {
        if (gb_program_plan(program[i], &facts) != GB_OK)
            return false;
        *bytes += (double)facts.bytes;
    }
    return true;
}

int64_t gb_rows_within(double bytes, double of_row, size_t programs, gb_program *const *program,
                       gb_gathered *g, int64_t rows)
{
    const double least = GB_ROWS_OF_NOISE, most = 1 << 20;
    double all, half;
    if (!bytes_of(programs, program, g, rows, &all))
        return 0;
    if (rows < GB_ROWS_OF_NOISE) /* there are no more */
        return GB_ROWS_OF_NOISE;
    if (!bytes_of(programs, program, g, rows / 2, &half))
        return 0;
    const double each = 2 * (all - half) / (double)rows, fixed = all - each * (double)rows;
    double fits = (bytes - fixed) / (each + of_row);
    fits = fits > least ? fits < most ? fits : most : least;
    gb_gathered_bind(g, rows);
    return (int64_t)fits / GB_ROWS_OF_NOISE * GB_ROWS_OF_NOISE;
}
