/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/feeds_impl.h"

#include "core/run/plans_impl.h"

/* An input: what it had, and the memory of its own that is not in use: before gb_feeds_keep that for later
 * feeds, after it that of the values. */
typedef struct kept_feed {
    uint32_t slot;
    int64_t rows;
    const void *data;
    const uint32_t *order;
    int64_t first;
    bool is_unused;
    void *copy;
    size_t capacity;
} kept_feed;

struct gb_feeds {
    gb_tape *tape;
    uint32_t generation;
    size_t count;
    kept_feed feed[];
};

/* Without a list: of the first `count` inputs of the tape. */
static gb_feeds *feeds_of(gb_tape *tape, size_t count, const uint32_t *inputs)
{
    gb_feeds *const feeds =
        gb_memory_resize(&tape->memory, NULL, sizeof *feeds + count * sizeof *feeds->feed);
    if (!feeds) {
        gb_fail(tape, GB_ENOMEM, "feed: out of memory for what %zu inputs have", count);
        return NULL;
    }
    *feeds = (gb_feeds){.tape = tape, .generation = tape->generation};
    for (size_t i = 0; i < count; i++) {
        const uint32_t slot = inputs ? inputs[i] : (uint32_t)i;
        if (tape->inputs.at[slot].along == GB_ROWS)
            feeds->feed[feeds->count++] = (kept_feed){.slot = slot};
    }
    return feeds;
}

gb_feeds *gb_feeds_new(gb_program *program)
{
    return feeds_of(program->goal.tape, program->input_count, program->inputs);
}

gb_feeds *gb_feeds_of_all(gb_tape *tape)
{
    return feeds_of(tape, tape->inputs.count, NULL);
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
        feed->is_unused = slot->is_unused;
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
        slot->is_unused = feed->is_unused;
        exchange_memory(slot, feed);
    }
    return unused;
}

void gb_feeds_end(gb_feeds *feeds)
{
    const gb_memory *const memory = feeds ? &feeds->tape->memory : NULL;
    for (size_t i = 0; feeds && i < feeds->count; i++)
        gb_release_aligned(memory, feeds->feed[i].copy);
    if (feeds)
        gb_memory_release(memory, feeds);
}

static void end(void *feeds)
{
    gb_feeds_end(feeds);
}

/* Inputs stand as if they had never been fed. */
static void forget(gb_input_slot *slot)
{
    slot->rows = -1;
    slot->data = NULL;
    slot->order = NULL;
    slot->first = 0;
}

gb_feeds *gb_tape_set_feeds_aside(gb_tape *tape)
{
    gb_feeds *const feeds = tape && tape->status == GB_OK ? gb_feeds_of_all(tape) : NULL;
    if (!feeds || !gb_tape_own(tape, end, feeds)) /* which has freed it */
        return NULL;
    gb_feeds_keep(feeds);
    for (size_t i = 0; i < feeds->count; i++)
        forget(&tape->inputs.at[feeds->feed[i].slot]);
    return feeds;
}

void gb_feeds_put_back(gb_feeds *feeds)
{
    if (!feeds)
        return;
    gb_feeds_restore(feeds);
    gb_tape_disown(feeds->tape, feeds);
    gb_feeds_end(feeds);
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
