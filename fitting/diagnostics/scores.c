/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/diagnostics/scores_impl.h"

#include "core/kernels/isa_impl.h"

GB_DECLARE_KERNELS(ndtri)

void gb_normal_scores(double *x, size_t count, gb_ranked *ranked)
{
    static const gb_block_kernels kernels = GB_KERNELS(ndtri);
    enum { PER_LINE = GB_LINE_BYTES / sizeof(double) };
    for (size_t i = 0; i < count; i++)
        ranked[i] = (gb_ranked){x[i], i};
    gb_ranked_sort(ranked, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && ranked[to].value == ranked[from].value; to++)
            continue;
        const double rank = (double)(from + 1 + to) / 2; /* the mean of from + 1 … to */
        for (size_t i = from; i < to; i++)
            x[ranked[i].place] = (rank - 0.375) / ((double)count + 0.25);
    }
    for (size_t i = count; i % PER_LINE; i++)
        x[i] = 0.5;
    const gb_block block = {.out = x, .in = {x}, .step = {1}};
    kernels.of[gb_best_isa()][0](&block, (count + PER_LINE - 1) / PER_LINE, 0);
}
