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

/* Makes a stream of this name, or of the first of NAME_2, NAME_3 … that is new: for code that may record
 * again, as after a call that has failed. */
GB_API gb_noise gb_stream_numbered(gb_tape *tape, const char *name);

/* Makes the next draws of the stream the same along these hidden axes, whatever axes they are drawn over
 * (common random numbers). It concerns noise without parameters, and what is computed from it; draws of
 * counts, gammas and angles stay independent. On error the tape has it. */
GB_API void gb_noise_share(gb_noise noise, gb_axes axes);

/* For authors of noise operations: the axes along which draws without parameters are to be the same. 0 for a
 * handle that is not usable. */
GB_API gb_axes gb_noise_shared(gb_noise noise);

/* For authors of noise operations: stores the key of the stream's next draw in `key`. Returns false if the
 * handle is not usable; the tape then has the error. */
GB_API bool gb_noise_key(gb_noise noise, uint64_t *key);

/* For authors of noise operations: what their attributes begin with. The engine reads the key. */
typedef struct gb_noise_attributes {
    uint64_t key;
    gb_axes axes; /* drawn over, besides those of the arguments */
    gb_shape shape;
} gb_noise_attributes;

GB_END_DECLS
#endif
