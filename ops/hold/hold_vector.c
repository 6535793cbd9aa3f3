/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/kernels/vector_impl.h"
#include "ops/hold/hold_impl.h"

void GB_BLOCK(hold)(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    V *out = block->out;
    const V *x = block->in[0];
    const M *outside = block->in[1];
    const size_t sx = block->step[0], so = block->step[1];
    for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, x += sx, outside += so)
        out[i] = v_select(*outside, v_splat(NAN), *x);
}
