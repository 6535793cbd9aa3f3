/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise streams. A draw is a pure function of (seed, stream name, draw within the stream, step, element), by the
 * counter-based generator Philox4x32-10 (Salmon et al. 2011): any run can be repeated, adding a stream moves no
 * other draw, and neither threads nor block sizes matter. */
#ifndef GREBE_CORE_NOISE_H
#define GREBE_CORE_NOISE_H

#include "tape.h"

GB_BEGIN_DECLS

/* A named stream of a tape. Each draw recorded from it is independent of the others. */
typedef struct gb_noise {
    gb_tape *tape;
    uint32_t id;
    uint32_t generation;
} gb_noise;

/* `name` must be new to the tape: the same name twice would be the same draws twice. */
GB_API gb_noise gb_stream(gb_tape *tape, const char *name);

/* For authors of noise operations: the key of the stream's next draw. False on a bad handle (the tape has it). */
GB_API bool gb_noise_key(gb_noise noise, uint64_t *key);

GB_END_DECLS
#endif
