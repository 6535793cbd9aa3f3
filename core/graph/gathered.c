/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/gathered_impl.h"

#include <string.h>

#include "core/graph/feeds_impl.h"
#include "core/tape/op_impl.h"

typedef struct gathered_input {
    uint32_t slot;
    size_t bytes; /* of a row */
    bool is_fed;
    const char *noted; /* rows of the batch */
    char *rows;        /* those that were taken */
    size_t capacity;   /* in bytes */
} gathered_input;

struct gb_gathered {
    gb_tape *tape;
    gb_feeds *before;
    int64_t noted, used; /* rows of the batch; those of them that were taken */
    const uint32_t *order;
    int64_t first;
    int64_t taken;
    GB_LIST(uint32_t) number; /* of the rows that were taken */
    size_t count;
    gathered_input input[];
};

static gb_input_slot *slot_of(const gb_gathered *g, const gathered_input *input)
{
    return &g->tape->inputs.at[input->slot];
}

/* What comes next is fed anew. */
static void forget_feeds(gb_gathered *g)
{
    for (size_t i = 0; i < g->count; i++)
        slot_of(g, &g->input[i])->rows = -1;
}

gb_gathered *gb_gathered_new(gb_tape *tape)
{
    const size_t inputs = tape->inputs.count, each = tape->options.real == GB_FLOAT ? 4 : 8;
    gb_feeds *const before = gb_feeds_of_all(tape);
    gb_gathered *const g =
        before ? gb_memory_resize(&tape->memory, NULL, sizeof *g + inputs * sizeof *g->input) : NULL;
    if (!g) {
        gb_feeds_end(before);
        gb_fail(tape, GB_ENOMEM, "feed: out of memory for %zu inputs", inputs);
        return NULL;
    }
    *g = (gb_gathered){.tape = tape, .before = before, .noted = -1};
    for (uint32_t i = 0; i < inputs; i++)
        if (tape->inputs.at[i].along == GB_ROWS)
            g->input[g->count++] =
                (gathered_input){.slot = i, .bytes = each * gb_shape_count(tape->inputs.at[i].shape)};
    gb_feeds_keep(before);
    return g;
}

void gb_gathered_end(gb_gathered *g)
{
    if (!g)
        return;
    const gb_memory *const memory = &g->tape->memory;
    gb_feeds_restore(g->before);
    gb_feeds_end(g->before);
    for (size_t i = 0; i < g->count; i++)
        gb_release_aligned(memory, g->input[i].rows);
    gb_memory_release(memory, g->number.at);
    gb_memory_release(memory, g);
}

/* ---- the batch ---- */

static bool note_input(gb_gathered *g, gathered_input *input, const char **first)
{
    const gb_input_slot *const slot = slot_of(g, input);
    input->is_fed = slot->rows >= 0;
    input->noted = slot->data;
    if (!input->is_fed)
        return true;
    if (*first && slot->rows != g->noted) {
        gb_fail(g->tape, GB_EFEED,
                "feed: input %s was fed %lld rows, but %s %lld; to predict rows without outcome, give .data",
                *first, (long long)g->noted, slot->name, (long long)slot->rows);
        return false;
    }
    *first = slot->name;
    g->noted = slot->rows;
    g->order = slot->order;
    g->first = slot->first;
    return true;
}

int64_t gb_gathered_note(gb_gathered *g)
{
    const char *first = NULL;
    g->noted = -1;
    g->used = 0;
    for (size_t i = 0; i < g->count; i++)
        if (!note_input(g, &g->input[i], &first))
            return g->noted = -1;
    forget_feeds(g);
    return g->noted;
}

int64_t gb_gathered_left(const gb_gathered *g)
{
    return g->noted < 0 ? 0 : g->noted - g->used;
}

bool gb_gathered_has_rows(const gb_gathered *g)
{
    return g->noted >= 0;
}

/* Makes room for `rows` rows in all, and keeps those that are there. */
static bool make_room(gb_gathered *g, gathered_input *input, int64_t rows)
{
    const size_t bytes = (size_t)rows * input->bytes + GB_LINE_BYTES;
    if (bytes <= input->capacity)
        return true;
    char *const larger = gb_allocate_aligned(&g->tape->memory, bytes);
    if (!larger)
        return false;
    if (g->taken > 0)
        memcpy(larger, input->rows, (size_t)g->taken * input->bytes);
    gb_release_aligned(&g->tape->memory, input->rows);
    input->rows = larger;
    input->capacity = bytes;
    return true;
}

static void number_rows(gb_gathered *g, int64_t more)
{
    for (int64_t i = g->used; i < g->used + more; i++)
        g->number.at[g->number.count++] = g->order ? g->order[i] : (uint32_t)(g->first + i);
}

int64_t gb_gathered_take(gb_gathered *g, int64_t most)
{
    const int64_t left = gb_gathered_left(g), more = left < most ? left : most;
    bool good = GB_LIST_GROW(&g->tape->memory, &g->number, (size_t)more);
    for (size_t i = 0; i < g->count && good; i++)
        good = !g->input[i].is_fed || make_room(g, &g->input[i], g->taken + more);
    if (!good) {
        gb_fail(g->tape, GB_ENOMEM, "feed: out of memory for %lld rows", (long long)(g->taken + more));
        return -1;
    }
    for (size_t i = 0; i < g->count; i++) {
        gathered_input *const input = &g->input[i];
        if (input->is_fed && input->bytes > 0)
            memcpy(input->rows + (size_t)g->taken * input->bytes,
                   input->noted + (size_t)g->used * input->bytes, (size_t)more * input->bytes);
    }
    number_rows(g, more);
    g->used += more;
    return g->taken += more;
}

/* ---- what was taken ---- */

void gb_gathered_bind(gb_gathered *g, int64_t rows)
{
    for (size_t i = 0; i < g->count; i++) {
        gb_input_slot *const slot = slot_of(g, &g->input[i]);
        slot->rows = g->input[i].is_fed ? rows : -1;
        slot->data = g->input[i].rows;
        slot->order = g->number.at;
        slot->first = 0;
    }
}

void gb_gathered_clear(gb_gathered *g)
{
    g->taken = 0;
    g->number.count = 0;
    forget_feeds(g);
}

int64_t gb_gathered_row(const gb_gathered *g, int64_t row)
{
    return g->number.at[row];
}

bool gb_gathered_has(const void *user, const char *name)
{
    const gb_gathered *const g = user;
    for (size_t i = 0; i < g->count; i++)
        if (g->input[i].is_fed && strcmp(slot_of(g, &g->input[i])->name, name) == 0)
            return true;
    return false;
}
