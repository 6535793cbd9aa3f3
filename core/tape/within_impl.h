/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rooms above ask of a tape, besides its public functions. */
#ifndef GREBE_CORE_TAPE_WITHIN_IMPL_H
#define GREBE_CORE_TAPE_WITHIN_IMPL_H

#include "core/kernels/block_impl.h"

struct gb_tape;
struct gb_notes;

/* The instruction set whose kernels it uses, for operations that choose among kernels by themselves. */
gb_isa gb_tape_isa(const struct gb_tape *tape);

/* Its notes (core/ground/notes_impl.h), for changing several together. */
struct gb_notes *gb_tape_own_notes(struct gb_tape *tape);

#endif
