/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest training that has all that a checkpoint keeps. */
#ifndef GREBE_TESTS_SMALL_H
#define GREBE_TESTS_SMALL_H

#include <stdlib.h>
#include <string.h>

#include "models/checkpoint.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

typedef struct small {
    gb_tape *t;
    gb_node a, b;
    gb_program *train;
    unsigned char order[3];
    gb_checkpoint_part part;
    gb_checkpoint c;
} small;

/* a takes a step of a random walk in each run; b stays. In place: its address is kept. */
static inline void small_begin(small *s, gb_tape *t, const char *path)
{
    *s = (small){.t = t, .order = "\x01\x02\x03"};
    s->a = gb_variable(s->t, "a", gb_shape(2), GB_VALUES(1.5, -2));
    s->b = gb_variable(s->t, "b", gb_shape(), gb_fill(0.25));
    const gb_node moved = gb_add(s->a, gb_normal_noise(gb_stream(s->t, "walk"), gb_shape(2), 0));
    s->train = gb_compile(s->t, (gb_node_list){0}, gb_assign(s->a, moved));
    s->part = (gb_checkpoint_part){.name = "order", .data = s->order, .bytes = sizeof s->order};
    s->c = (gb_checkpoint){.size = sizeof s->c,
                           .tape = s->t,
                           .path = path,
                           .programs = 1,
                           .program = &s->train,
                           .parts = 1,
                           .part = &s->part};
}

/* All that loading could change. */
typedef struct small_state {
    double a[2], b;
    uint64_t step;
    unsigned char order[3], note[4];
    size_t notes;
} small_state;

static inline small_state small_now(const small *s)
{
    small_state now;
    memset(&now, 0, sizeof now);
    gb_read(s->a, now.a, 2);
    gb_read(s->b, &now.b, 1);
    now.step = gb_program_step(s->train);
    memcpy(now.order, s->order, sizeof now.order);
    now.notes = gb_tape_notes(s->t, NULL, 0);
    size_t bytes;
    const void *const note = gb_tape_noted(s->t, "note", &bytes);
    if (note)
        memcpy(now.note, note, bytes < sizeof now.note ? bytes : sizeof now.note);
    return now;
}

static inline bool small_is(const small *s, const small_state *should)
{
    const small_state now = small_now(s);
    return memcmp(&now, should, sizeof now) == 0;
}

#endif
