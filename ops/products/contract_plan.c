/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planning a contraction: which axes make the product, which kernel computes it, and in which tiles. */
#include "ops/products/contract_plan_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- axes: sorted by kind, merged if they are contiguous in memory ---- */

typedef enum axis_kind { REPEAT, ROWS, COLUMNS, SUM, KINDS } axis_kind;

typedef struct sorted_axes {
    int count[KINDS];
    gb_contract_axis axis[KINDS][GB_CONTRACT_AXES];
} sorted_axes;

static axis_kind kind_of(const gb_contract_axis *axis)
{
    if (axis->c == 0)
        return SUM;
    if (axis->a && axis->b)
        return REPEAT;
    return axis->b ? COLUMNS : ROWS;
}

/* Returns whether one step of `outer` spans all of `inner`, in every array. */
static bool follows(const gb_contract_axis *outer, const gb_contract_axis *inner)
{
    return outer->a == inner->a * inner->size && outer->b == inner->b * inner->size &&
           outer->c == inner->c * inner->size;
}

static bool merge_once(gb_contract_axis *axis, int *count)
{
    for (int i = 0; i < *count; i++) {
        for (int j = 0; j < *count; j++) {
            if (i == j || !follows(&axis[i], &axis[j]))
                continue;
            axis[j].size *= axis[i].size;
            memmove(&axis[i], &axis[i + 1], (size_t)(--*count - i) * sizeof *axis);
            return true;
        }
    }
    return false;
}

static void sort_axes(sorted_axes *sorted, int count, const gb_contract_axis *axes)
{
    memset(sorted->count, 0, sizeof sorted->count);
    for (int i = 0; i < count; i++) {
        const axis_kind kind = kind_of(&axes[i]);
        if (axes[i].size != 1)
            sorted->axis[kind][sorted->count[kind]++] = axes[i];
    }
    for (int kind = 0; kind < KINDS; kind++)
        while (merge_once(sorted->axis[kind], &sorted->count[kind])) {}
}

/* ---- one choice of m, n and k, and its cost ---- */

typedef struct choice {
    gb_contract_form form;
    bool swapped;
    int m, n, k, times; /* indices into the sorted axes before swapping; −1: none */
    gb_product product;
    gb_contract_call call;
    double cost;
} choice;

static const gb_contract_axis NO_AXIS = {.size = 1, .a = 1, .b = 1, .c = 1};

static gb_contract_axis axis_at(const sorted_axes *sorted, axis_kind kind, int place)
{
    return place < 0 ? NO_AXIS : sorted->axis[kind][place];
}

static gb_contract_axis swap_arrays(gb_contract_axis axis)
{
    return (gb_contract_axis){.size = axis.size, .a = axis.b, .b = axis.a, .c = axis.c};
}

static void fill_product(choice *to, const sorted_axes *sorted)
{
    gb_product *p = &to->product;
    *p = (gb_product){.times = NO_AXIS,
                      .m = axis_at(sorted, ROWS, to->m),
                      .n = axis_at(sorted, COLUMNS, to->n),
                      .k = axis_at(sorted, SUM, to->k)};
    if (!to->swapped)
        return;
    const gb_contract_axis m = p->m;
    p->m = swap_arrays(p->n);
    p->n = swap_arrays(m);
    p->k = swap_arrays(p->k);
}

/* Returns whether BLAS accepts a matrix: one stride must be 1, and the other, the leading dimension, must
 * skip a line. */
static bool blas_matrix(int64_t rows, int64_t row_step, int64_t columns, int64_t column_step, int *trans,
                        int *ld)
{
    const bool plain = (columns == 1 || column_step == 1) && (rows == 1 || row_step >= columns);
    const bool transposed = (rows == 1 || row_step == 1) && (columns == 1 || column_step >= rows);
    const int64_t lines = plain ? rows : columns, line = plain ? columns : rows;
    const int64_t step = lines == 1 ? line : plain ? row_step : column_step;
    *trans = plain ? GB_BLAS_PLAIN : GB_BLAS_TRANSPOSED;
    *ld = (int)step;
    return (plain || transposed) && step <= INT_MAX && rows <= INT_MAX && columns <= INT_MAX;
}

static bool blas_can(const gb_product *p, gb_contract_call *call)
{
    int trans_c;
    return blas_matrix(p->m.size, p->m.a, p->k.size, p->k.a, &call->trans_a, &call->lda) &&
           blas_matrix(p->k.size, p->k.b, p->n.size, p->n.b, &call->trans_b, &call->ldb) &&
           blas_matrix(p->m.size, p->m.c, p->n.size, p->n.c, &trans_c, &call->ldc) &&
           trans_c == GB_BLAS_PLAIN && p->k.size > 0;
}

static double whole_vectors(int64_t size)
{
    const int64_t vectors = (size + 7) / 8;
    return 8 * (double)vectors;
}

/* Returns the nanoseconds of one product, fitted to measurements in double with AVX-512; elsewhere the ratios
 * hold well enough. OpenBLAS first copies both matrices, so it wins if each element is used often: from about
 * 200³ on against `wide` and from 20³ on against `dots`, seldom if m or n is below 16. Only the shape
 * decides, so that the choice adds no further dependence of the bits on the machine. */
static double product_cost(const choice *candidate)
{
    const gb_product *p = &candidate->product;
    const double m = (double)p->m.size, n = (double)p->n.size, k = (double)p->k.size;
    const bool few_rows = p->m.size < 4;
    switch (candidate->form) {
    case GB_CONTRACT_BLAS: return 100 + m * n * k / 40 + (m * k + k * n + m * n) / 5;
    case GB_CONTRACT_DOTS: return 10 + m * n * (whole_vectors(p->k.size) + 12) / (few_rows ? 11 : 22);
    default: break;
    }
    const bool strided = p->n.b != 1 || p->n.c != 1, far = p->k.a != 1;
    const double elements = m * whole_vectors(p->n.size);
    return 20 + elements / 8 + elements * k / (strided ? 6 : few_rows ? 12 : far ? 29 : 36);
}

static bool form_can(choice *candidate)
{
    const gb_product *p = &candidate->product;
    switch (candidate->form) {
    case GB_CONTRACT_BLAS: return blas_can(p, &candidate->call);
    case GB_CONTRACT_DOTS: return p->k.a == 1 && p->k.b == 1;
    default: return true;
    }
}

/* The longest loop over C goes into the kernel; OpenBLAS has no such loop. */
static void choose_times(choice *to, const sorted_axes *sorted)
{
    to->times = -1;
    for (int i = 0; i < sorted->count[REPEAT] && to->form != GB_CONTRACT_BLAS; i++)
        if (to->times < 0 || sorted->axis[REPEAT][i].size > sorted->axis[REPEAT][to->times].size)
            to->times = i;
    const gb_contract_axis times = axis_at(sorted, REPEAT, to->times);
    to->product.times = to->swapped ? swap_arrays(times) : times;
}

/* Returns the number of products: the product of all axes but m, n and k. */
static double repetitions(const choice *candidate, const sorted_axes *sorted)
{
    const int taken[KINDS] = {
        [REPEAT] = -1, [ROWS] = candidate->m, [COLUMNS] = candidate->n, [SUM] = candidate->k};
    double product = 1;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < sorted->count[kind]; i++)
            if (i != taken[kind])
                product *= (double)sorted->axis[kind][i].size;
    return product;
}

static void consider(choice *best, choice candidate, const sorted_axes *sorted)
{
    fill_product(&candidate, sorted);
    if (!form_can(&candidate))
        return;
    choose_times(&candidate, sorted);
    candidate.cost = product_cost(&candidate) * repetitions(&candidate, sorted);
    if (best->cost < 0 || candidate.cost < best->cost)
        *best = candidate;
}

static choice cheapest(const sorted_axes *sorted)
{
    choice best = {.cost = -1};
    for (int m = -1; m < sorted->count[ROWS]; m++)
        for (int n = -1; n < sorted->count[COLUMNS]; n++)
            for (int k = -1; k < sorted->count[SUM]; k++)
                for (int swapped = 0; swapped < 2; swapped++)
                    for (int form = GB_CONTRACT_WIDE; form <= GB_CONTRACT_BLAS; form++)
                        consider(
                            &best,
                            (choice){
                                .form = (gb_contract_form)form, .swapped = swapped, .m = m, .n = n, .k = k},
                            sorted);
    return best;
}

/* ---- loops and tiles ---- */

static gb_contract_kernel *const wide_kernels[GB_ISA_COUNT][2] = {
#define WIDE(isa, name) {gb_contract_##name##_##isa##_64, gb_contract_##name##_##isa##_32},
    GB_EACH_ISA(WIDE, wide)};
static gb_contract_kernel *const dots_kernels[GB_ISA_COUNT][2] = {GB_EACH_ISA(WIDE, dots)};

static void add_loops(gb_contract *contract, const sorted_axes *sorted, axis_kind kind, int taken)
{
    for (int i = 0; i < sorted->count[kind]; i++) {
        const gb_contract_axis axis = sorted->axis[kind][i];
        if (i != taken)
            contract->axis[contract->loops + contract->sums++] = contract->swapped ? swap_arrays(axis) : axis;
    }
    if (kind != SUM) {
        contract->loops += contract->sums;
        contract->sums = 0;
    }
}

static int64_t count_items(const gb_contract *contract)
{
    const gb_product *p = &contract->product;
    int64_t items = gb_ceil_div(p->times.size, contract->tile_times) *
                    gb_ceil_div(p->m.size, contract->tile_m) * gb_ceil_div(p->n.size, contract->tile_n);
    for (int i = 0; i < contract->loops; i++)
        items *= contract->axis[i].size;
    return items;
}

/* In multiplications: the least product for threads, the least size of a tile, and the least product for more
 * tiles than FEW. More tiles serve more threads. But each tile packs its part of A and B again, a sixth of
 * its time at 128 columns. */
static const double WORTH_THREADS = 1e7, TILE = 5e6, LONG_TILE = 1e8;
enum { FEW = 8, ENOUGH = 16, SMALLEST_SIDE = 96, SIDE_STEP = 16 };

/* Returns half of a side, in whole steps, so that kernels see few partial ends. */
static int64_t half_side(int64_t size)
{
    return gb_ceil_div(gb_ceil_div(size, 2), SIDE_STEP) * SIDE_STEP;
}

static bool cut_item(gb_contract *contract)
{
    if (contract->tile_times > 1)
        contract->tile_times = gb_ceil_div(contract->tile_times, 2);
    else if (contract->tile_m >= contract->tile_n && contract->tile_m >= 2 * SMALLEST_SIDE)
        contract->tile_m = half_side(contract->tile_m);
    else if (contract->tile_n >= 2 * SMALLEST_SIDE)
        contract->tile_n = half_side(contract->tile_n);
    else
        return false;
    return true;
}

static double item_work(const gb_contract *contract)
{
    double work = (double)contract->tile_times * (double)contract->tile_m * (double)contract->tile_n *
                  (double)contract->product.k.size;
    for (int i = 0; i < contract->sums; i++)
        work *= (double)contract->axis[contract->loops + i].size;
    return work;
}

/* Tiles depend only on sizes, not on the number of threads; so do the bits of the result. */
static void cut_into_tiles(gb_contract *contract)
{
    contract->tile_times = contract->product.times.size;
    contract->tile_m = contract->product.m.size;
    contract->tile_n = contract->product.n.size;
    contract->items = contract->items_per_tile = (size_t)count_items(contract);
    if (item_work(contract) * (double)contract->items < WORTH_THREADS)
        return;
    while (contract->items < ENOUGH &&
           item_work(contract) >= (contract->items < FEW ? 2 * TILE : LONG_TILE) && cut_item(contract))
        contract->items = (size_t)count_items(contract);
    contract->items_per_tile = (size_t)ceil(TILE / item_work(contract));
}

/* Returns whether an axis of that kind has no elements. An empty sum is zero, whatever A and B contain. */
static bool any_empty(const sorted_axes *sorted, axis_kind kind)
{
    for (int i = 0; i < sorted->count[kind]; i++)
        if (sorted->axis[kind][i].size == 0)
            return true;
    return false;
}

static bool is_empty(int count, const gb_contract_axis *axes)
{
    for (int i = 0; i < count; i++)
        if (axes[i].size == 0 && axes[i].c != 0)
            return true;
    return false;
}

bool gb_contract_prepare(gb_contract *contract, gb_real real, gb_isa isa, int count,
                         const gb_contract_axis *axes)
{
    sorted_axes sorted;
    *contract = (gb_contract){.real = real};
    if (is_empty(count, axes))
        return true;
    sort_axes(&sorted, count, axes);
    const bool no_terms = any_empty(&sorted, SUM);
    if (no_terms)
        sorted.count[SUM] = 0;
    const choice best = cheapest(&sorted);
    contract->form = best.form;
    contract->swapped = best.swapped;
    contract->product = best.product;
    if (no_terms)
        contract->product.k.size = 0;
    contract->call = best.call;
    add_loops(contract, &sorted, REPEAT, best.times);
    add_loops(contract, &sorted, ROWS, best.m);
    add_loops(contract, &sorted, COLUMNS, best.n);
    add_loops(contract, &sorted, SUM, best.k);
    cut_into_tiles(contract);
    if (best.form == GB_CONTRACT_BLAS) {
        contract->blas = gb_blas_load();
        return contract->blas && gb_blas_reserve();
    }
    contract->kernel = (best.form == GB_CONTRACT_DOTS ? dots_kernels : wide_kernels)[isa][real == GB_FLOAT];
    return true;
}
