/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise streams. A draw is a pure function of (seed, stream name, draw within the stream, step, element),
 * computed by the counter-based generator Philox4x32-10 (Salmon et al. 2011). So any run can be repeated, and
 * a new stream changes no other draw. Draws depend neither on the number of threads nor on block sizes. On
 * another instruction set (gb_kernels) uniform draws are the same, and others may differ in last digits. */
#ifndef GREBE_CORE_NOISE_H
#define GREBE_CORE_NOISE_H

#include "tape.h"

GB_BEGIN_DECLS

/* A named stream of a tape. All draws recorded from it are independent of each other. */
typedef struct gb_noise {
    gb_tape *tape;
    uint32_t id;
    uint32_t generation;
} gb_noise;

/* Makes a stream. `name` must be new to the tape, since a second stream of that name would repeat the draws
 * of the first. On error the result is {0}. */
GB_API gb_noise gb_stream(gb_tape *tape, const char *name);

/* For authors of noise operations: stores the key of the stream's next draw in `key`. Returns false if the
 * handle is not usable; the tape then has the error. */
GB_API bool gb_noise_key(gb_noise noise, uint64_t *key);

GB_END_DECLS
#endif
