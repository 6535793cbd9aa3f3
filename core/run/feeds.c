/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/feeds_impl.h"

#include "core/run/plans_impl.h"

/* An input: what it had, and the memory of its own that is not in use: before gb_feeds_keep that for later
 * feeds, after it that of the values. */
typedef struct kept_feed {
    uint32_t slot;
    int64_t rows;
    const void *data;
    const uint32_t *order;
    int64_t first;
    void *copy;
    size_t capacity;
} kept_feed;

struct gb_feeds {
    gb_tape *tape;
    uint32_t generation;
    size_t count;
    kept_feed feed[];
};

gb_feeds *gb_feeds_new(gb_program *program)
{
    gb_tape *const tape = program->goal.tape;
    gb_feeds *const feeds = gb_tape_keep(tape, sizeof *feeds + program->input_count * sizeof *feeds->feed);
    if (!feeds)
        return NULL;
    *feeds = (gb_feeds){.tape = tape, .generation = tape->generation};
    for (size_t i = 0; i < program->input_count; i++)
        if (tape->inputs.at[program->inputs[i]].along == GB_ROWS)
            feeds->feed[feeds->count++] = (kept_feed){.slot = program->inputs[i]};
    return feeds;
}

static void exchange_memory(gb_input_slot *slot, kept_feed *feed)
{
    void *const copy = slot->copy;
    const size_t capacity = slot->capacity;
    slot->copy = feed->copy;
    slot->capacity = feed->capacity;
    feed->copy = copy;
    feed->capacity = capacity;
}

void gb_feeds_keep(gb_feeds *feeds)
{
    for (size_t i = 0; i < feeds->count; i++) {
        kept_feed *const feed = &feeds->feed[i];
        gb_input_slot *const slot = &feeds->tape->inputs.at[feed->slot];
        feed->rows = slot->rows;
        feed->data = slot->data;
        feed->order = slot->order;
        feed->first = slot->first;
        slot->is_unused = false;
        exchange_memory(slot, feed);
    }
}

const char *gb_feeds_restore(gb_feeds *feeds)
{
    const char *unused = NULL;
    if (feeds->tape->generation != feeds->generation)
        return NULL;
    for (size_t i = 0; i < feeds->count; i++) {
        kept_feed *const feed = &feeds->feed[i];
        gb_input_slot *const slot = &feeds->tape->inputs.at[feed->slot];
        unused = slot->is_unused ? slot->name : unused;
        slot->rows = feed->rows;
        slot->data = feed->data;
        slot->order = feed->order;
        slot->first = feed->first;
        exchange_memory(slot, feed);
    }
    return unused;
}

void gb_feeds_end(gb_feeds *feeds)
{
    for (size_t i = 0; feeds && i < feeds->count; i++)
        gb_release_aligned(&feeds->tape->memory, feeds->feed[i].copy);
}

const char *gb_feeds_missing(gb_program *program, gb_feeds_test *has, const void *user)
{
    const gb_tape *const tape = program->goal.tape;
    for (size_t i = 0; i < program->input_count; i++) {
        const gb_input_slot *const slot = &tape->inputs.at[program->inputs[i]];
        if (slot->along == GB_ROWS && !has(user, slot->name))
            return slot->name;
    }
    return NULL;
}

bool gb_feeds_rows(gb_program *program, int64_t *rows)
{
    return gb_program_rows(program, rows);
}
