/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/products/contract_impl.h"

typedef struct running {
    const gb_contract *contract;
    const char *a, *b;
    char *c;
} running;

static void multiply(const gb_contract *contract, const gb_product *p)
{
    const gb_contract_call *call = &contract->call;
    const int m = (int)p->m.size, n = (int)p->n.size, k = (int)p->k.size;
    if (contract->form != GB_CONTRACT_BLAS)
        contract->kernel(p);
    else if (contract->real == GB_FLOAT)
        contract->blas->sgemm(GB_BLAS_ROW_MAJOR, call->trans_a, call->trans_b, m, n, k, 1, p->a, call->lda,
                              p->b, call->ldb, p->add ? 1 : 0, p->c, call->ldc);
    else
        contract->blas->dgemm(GB_BLAS_ROW_MAJOR, call->trans_a, call->trans_b, m, n, k, 1, p->a, call->lda,
                              p->b, call->ldb, p->add ? 1 : 0, p->c, call->ldc);
}

/* Offsets in elements, which then become pointers. */
typedef struct offsets {
    int64_t a, b, c;
} offsets;

static void step(offsets *at, const gb_contract_axis *axis, int64_t by)
{
    at->a += axis->a * by;
    at->b += axis->b * by;
    at->c += axis->c * by;
}

static void point(const running *r, gb_product *p, const offsets *at)
{
    const int64_t width = r->contract->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    p->a = r->a + at->a * width;
    p->b = r->b + at->b * width;
    p->c = r->c + at->c * width;
}

/* Splits the place along one axis off an item's number, the last axis first. */
static int64_t take_place(size_t *item, int64_t size)
{
    if (size == 1)
        return 0;
    const int64_t place = (int64_t)(*item % (size_t)size);
    *item /= (size_t)size;
    return place;
}

/* Restricts an axis of the product to the item's part of it. */
static void take_part(size_t *item, gb_contract_axis *axis, int64_t tile, offsets *at)
{
    const int64_t first = tile * take_place(item, gb_ceil_div(axis->size, tile));
    step(at, axis, first);
    axis->size = axis->size - first < tile ? axis->size - first : tile;
}

static void run_item(const running *r, size_t item)
{
    const gb_contract *contract = r->contract;
    const gb_contract_axis *sum = &contract->axis[contract->loops];
    gb_product p = contract->product;
    offsets at = {0};
    if (contract->items > 1) {
        take_part(&item, &p.n, contract->tile_n, &at);
        take_part(&item, &p.m, contract->tile_m, &at);
        take_part(&item, &p.times, contract->tile_times, &at);
    }
    for (int i = contract->loops - 1; i >= 0; i--)
        step(&at, &contract->axis[i], take_place(&item, contract->axis[i].size));
    int64_t place[GB_CONTRACT_AXES] = {0};
    for (int i = 0; i >= 0; p.add = true) {
        point(r, &p, &at);
        multiply(contract, &p);
        for (i = contract->sums - 1; i >= 0; i--) {
            step(&at, &sum[i], 1);
            if (++place[i] < sum[i].size)
                break;
            step(&at, &sum[i], -place[i]);
            place[i] = 0;
        }
    }
}

static void run_tile(void *context, size_t tile)
{
    const running *r = context;
    const size_t each = r->contract->items_per_tile, first = tile * each;
    const size_t end = first + each < r->contract->items ? first + each : r->contract->items;
    const bool by_blas = r->contract->form == GB_CONTRACT_BLAS;
    if (by_blas)
        gb_blas_begin();
    for (size_t item = first; item < end; item++)
        run_item(r, item);
    if (by_blas)
        gb_blas_end();
}

void gb_contract_run(const gb_contract *contract, gb_workers *workers, const void *a, const void *b, void *c)
{
    running r = {
        .contract = contract, .a = contract->swapped ? b : a, .b = contract->swapped ? a : b, .c = c};
    if (contract->items == 0)
        return;
    const size_t tiles = (contract->items + contract->items_per_tile - 1) / contract->items_per_tile;
    if (tiles == 1)
        run_tile(&r, 0);
    else
        gb_parallel(workers, tiles, run_tile, &r);
}
