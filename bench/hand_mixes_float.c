/* SPDX-License-Identifier: GPL-3.0-or-later */
#define GB_ISA hand
#define GB_REAL_BITS 32
#include "hand_mixes_impl.h"

const gb_hand_mixes gb_hand_mixes_float = MIXES;
