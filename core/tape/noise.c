/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/noise.h"

#include "core/kernels/noise_impl.h"
#include "core/tape/tape_impl.h"

static uint64_t stream_key(uint64_t seed, const char *name)
{
    uint64_t key = gb_noise_mix(seed + 0x9e3779b97f4a7c15u);
    for (const char *c = name; *c; c++)
        key = gb_noise_mix(key ^ (unsigned char)*c) + 0x9e3779b97f4a7c15u;
    return key;
}

gb_noise gb_stream(gb_tape *tape, const char *name)
{
    uint32_t index;
    if (!tape || tape->status != GB_OK)
        return (gb_noise){0};
    if (!name || !*name) {
        gb_fail(tape, GB_ENAME, "stream: a name is required");
        return (gb_noise){0};
    }
    if (gb_names_find(&tape->stream_names, name, &index)) {
        gb_fail(tape, GB_ENAME,
                "stream %s: there is a stream of that name already, and a second one would repeat its draws",
                name);
        return (gb_noise){0};
    }
    index = (uint32_t)tape->streams.count;
    const char *kept = gb_arena_text(&tape->arena, name);
    if (!kept || !GB_LIST_GROW(&tape->memory, &tape->streams, 1) ||
        !gb_names_add(&tape->memory, &tape->stream_names, kept, index)) {
        gb_fail(tape, GB_ENOMEM, "stream %s: out of memory", name);
        return (gb_noise){0};
    }
    tape->streams.at[tape->streams.count++] =
        (gb_stream_slot){.name = kept, .key = stream_key(tape->options.seed, name)};
    return (gb_noise){.tape = tape, .id = index, .generation = tape->generation};
}

static gb_stream_slot *slot_of(gb_noise noise)
{
    gb_tape *const tape = noise.tape;
    if (!tape || tape->status != GB_OK)
        return NULL;
    if (noise.generation == tape->generation && noise.id < tape->streams.count)
        return &tape->streams.at[noise.id];
    gb_fail(tape, GB_ENODE, "noise: the stream was made before gb_tape_reset; make it again");
    return NULL;
}

void gb_noise_share(gb_noise noise, gb_axes axes)
{
    gb_stream_slot *const stream = slot_of(noise);
    if (stream)
        stream->shared = axes;
}

gb_axes gb_noise_shared(gb_noise noise)
{
    const gb_stream_slot *const stream = slot_of(noise);
    return stream ? stream->shared : 0;
}

bool gb_noise_key(gb_noise noise, uint64_t *key)
{
    gb_stream_slot *const stream = slot_of(noise);
    if (stream && !key)
        gb_fail(noise.tape, GB_EARGUMENT, "noise_key: the place for the key is NULL");
    if (!stream || !key)
        return false;
    *key = gb_noise_key_for(stream->key, stream->draws++);
    return true;
}
