/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of small matrix products and of products with a vector. Sums are kept in vectors of reals. Sums
 * of more than DEPTH terms are computed in parts, which are then added, so that rounding errors grow with the
 * number of parts only. */
#include "core/kernels/vector_impl.h"
#include "ops/products/contract_impl.h"

#define GB_CONTRACT(name) GB_PASTE4(gb_contract_, name, GB_ISA, GB_REAL_BITS)

enum { DEPTH = 512 };

/* ---- strided vectors ---- */

GB_INLINE V load_strided(const real *p, int64_t stride, int64_t count)
{
    V x = {0};
    for (int i = 0; i < (int)count; i++)
        x[i] = p[i * stride];
    return x;
}

GB_INLINE void store_strided(real *p, int64_t stride, int64_t count, V x)
{
    for (int i = 0; i < (int)count; i++)
        p[i * stride] = x[i];
}

/* ---- wide: vectors of C along n ---- */

/* How B and C are read along n. */
typedef enum access { WHOLE, PART, STRIDED } access;

/* The last vector of a tile may be partial. Strided tiles are one vector wide. */
GB_INLINE V load_n(const real *p, int64_t stride, access how, bool last, int64_t count)
{
    if (how == STRIDED && stride != 1)
        return load_strided(p, stride, count);
    return how != WHOLE && last ? v_load_part(p, count) : v_load(p);
}

GB_INLINE void store_n(real *p, int64_t stride, access how, bool last, int64_t count, V x)
{
    if (how == STRIDED && stride != 1)
        store_strided(p, stride, count, x);
    else if (how != WHOLE && last)
        v_store_part(p, count, x);
    else
        v_store(p, x);
}

/* The constants that a tile is compiled for. `unroll` independent sums hide the latency of additions. */
typedef struct tile_form {
    int rows, columns, unroll; /* columns of `wide` are vectors */
    access how;
} tile_form;

/* sum[rows, vectors] += a[rows] b[vectors], for one k. `tail`: lanes of the last vector. */
GB_INLINE void wide_term(const gb_product *p, tile_form form, V *sum, const real *a, const real *b,
                         int64_t tail)
{
    V x[4];
#pragma GCC unroll 4
    for (int v = 0; v < form.columns; v++)
        x[v] = load_n(b + v * LANES, p->n.b, form.how, v == form.columns - 1, tail);
#pragma GCC unroll 4
    for (int r = 0; r < form.rows; r++) {
        const V y = v_splat(a[r * p->m.a]);
#pragma GCC unroll 4
        for (int v = 0; v < form.columns; v++)
            sum[r * form.columns + v] = v_fma(x[v], y, sum[r * form.columns + v]);
    }
}

GB_INLINE void wide_tile(const gb_product *p, tile_form form, const real *a, const real *b, real *c,
                         int64_t tail, int64_t depth, bool add)
{
    const int each = form.rows * form.columns;
    V sum[16];
    int64_t k = 0;
#pragma GCC unroll 16
    for (int i = 0; i < each * form.unroll; i++)
        sum[i] = v_splat(0);
    for (; k + form.unroll <= depth; k += form.unroll)
#pragma GCC unroll 4
        for (int u = 0; u < form.unroll; u++)
            wide_term(p, form, sum + u * each, a + (k + u) * p->k.a, b + (k + u) * p->k.b, tail);
    for (; k < depth && form.unroll > 1; k++)
        wide_term(p, form, sum, a + k * p->k.a, b + k * p->k.b, tail);
#pragma GCC unroll 16
    for (int i = each; i < each * form.unroll; i++)
        sum[i % each] += sum[i];
#pragma GCC unroll 16
    for (int i = 0; i < each; i++) {
        const bool last = i % form.columns == form.columns - 1;
        real *const to = c + i / form.columns * p->m.c + i % form.columns * LANES;
        if (add)
            sum[i] += load_n(to, p->n.c, form.how, last, tail);
        store_n(to, p->n.c, form.how, last, tail, sum[i]);
    }
}

/* Computes all rows of a panel of columns. */
GB_INLINE void wide_panel(const gb_product *p, int vectors, access how, const real *a, const real *b, real *c,
                          int64_t tail, int64_t depth, bool add)
{
    int64_t m = 0;
    for (; m + 4 <= p->m.size; m += 4)
        wide_tile(p, (tile_form){4, vectors, vectors == 1 ? 2 : 1, how}, a + m * p->m.a, b, c + m * p->m.c,
                  tail, depth, add);
    for (; m < p->m.size; m++)
        wide_tile(p, (tile_form){1, vectors, vectors == 1 ? 4 : 2, how}, a + m * p->m.a, b, c + m * p->m.c,
                  tail, depth, add);
}

enum { MOST_VECTORS = GB_VECTOR_AVX512 ? 4 : 2 }; /* in a panel; 4 rows of them fit in the registers */

GB_INLINE void wide_part(const gb_product *p, const real *a, const real *b, real *c, int64_t depth, bool add)
{
    const int64_t size = p->n.size;
    int64_t n = 0;
    if (p->n.b != 1 || p->n.c != 1) {
        for (; n < size; n += LANES)
            wide_panel(p, 1, STRIDED, a, b + n * p->n.b, c + n * p->n.c, size - n < LANES ? size - n : LANES,
                       depth, add);
        return;
    }
    for (; n + MOST_VECTORS * LANES <= size; n += MOST_VECTORS * LANES)
        wide_panel(p, MOST_VECTORS, WHOLE, a, b + n, c + n, LANES, depth, add);
    const int64_t left = size - n;
    if (left > 3 * LANES)
        wide_panel(p, 4, PART, a, b + n, c + n, left - 3 * LANES, depth, add);
    else if (left > 2 * LANES)
        wide_panel(p, 3, PART, a, b + n, c + n, left - 2 * LANES, depth, add);
    else if (left > LANES)
        wide_panel(p, 2, PART, a, b + n, c + n, left - LANES, depth, add);
    else if (left > 0)
        wide_panel(p, 1, PART, a, b + n, c + n, left, depth, add);
}

/* ---- dots: vectors along k ---- */

GB_INLINE real sum_of_lanes(V x)
{
#if GB_VECTOR_AVX512
    return GB_X86(reduce_add)(x);
#else
    real lane[LANES];
    memcpy(lane, &x, sizeof x);
#pragma GCC unroll 4
    for (int half = LANES / 2; half > 0; half /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
#endif
}

/* Stores the sums of the lanes of four vectors. */
GB_INLINE void sums_of_lanes(const V x[4], real sum[4])
{
#if GB_REAL_BITS == 64 && (GB_VECTOR_AVX512 || GB_VECTOR_AVX2)
    __m256d half[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
#if GB_VECTOR_AVX512
        half[i] = _mm512_castpd512_pd256(x[i]) + _mm512_extractf64x4_pd(x[i], 1);
#else
        half[i] = x[i];
#endif
    const __m256d low = _mm256_hadd_pd(half[0], half[1]), high = _mm256_hadd_pd(half[2], half[3]);
    _mm256_storeu_pd(sum, _mm256_permute2f128_pd(low, high, 0x20) + _mm256_permute2f128_pd(low, high, 0x31));
#elif GB_VECTOR_AVX512 || GB_VECTOR_AVX2
    __m128 quarter[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
#if GB_VECTOR_AVX512
        const __m256 half = _mm512_castps512_ps256(x[i]) + _mm512_extractf32x8_ps(x[i], 1);
#else
        const __m256 half = x[i];
#endif
        quarter[i] = _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1);
    }
    _mm_storeu_ps(sum, _mm_hadd_ps(_mm_hadd_ps(quarter[0], quarter[1]), _mm_hadd_ps(quarter[2], quarter[3])));
#else
    for (int i = 0; i < 4; i++)
        sum[i] = sum_of_lanes(x[i]);
#endif
}

/* sum[rows, columns] += a[rows] b[columns], for one vector along k; `tail` of its lanes if `part`. */
GB_INLINE void dots_term(const gb_product *p, tile_form form, V *sum, const real *a, const real *b, bool part,
                         int64_t tail)
{
    V x[4];
#pragma GCC unroll 4
    for (int n = 0; n < form.columns; n++)
        x[n] = part ? v_load_part(b + n * p->n.b, tail) : v_load(b + n * p->n.b);
#pragma GCC unroll 4
    for (int r = 0; r < form.rows; r++) {
        const V y = part ? v_load_part(a + r * p->m.a, tail) : v_load(a + r * p->m.a);
#pragma GCC unroll 4
        for (int n = 0; n < form.columns; n++)
            sum[r * form.columns + n] = v_fma(x[n], y, sum[r * form.columns + n]);
    }
}

GB_INLINE void dots_tile(const gb_product *p, tile_form form, const real *a, const real *b, real *c,
                         int64_t depth, bool add)
{
    const int each = form.rows * form.columns;
    V sum[8];
    int64_t k = 0;
#pragma GCC unroll 8
    for (int i = 0; i < each * form.unroll; i++)
        sum[i] = v_splat(0);
    for (; k + form.unroll * LANES <= depth; k += form.unroll * LANES)
#pragma GCC unroll 8
        for (int u = 0; u < form.unroll; u++)
            dots_term(p, form, sum + u * each, a + k + u * LANES, b + k + u * LANES, false, 0);
    for (; k + LANES <= depth && form.unroll > 1; k += LANES)
        dots_term(p, form, sum, a + k, b + k, false, 0);
    if (k < depth)
        dots_term(p, form, sum, a + k, b + k, true, depth - k);
#pragma GCC unroll 8
    for (int i = each; i < each * form.unroll; i++)
        sum[i % each] += sum[i];
#pragma GCC unroll 2
    for (int n = 0; n < form.columns; n++) {
        real total[4];
        if (form.rows == 4)
            sums_of_lanes((const V[]){sum[n], sum[form.columns + n], sum[2 * form.columns + n],
                                      sum[3 * form.columns + n]},
                          total);
        else
            total[0] = sum_of_lanes(sum[n]);
#pragma GCC unroll 4
        for (int r = 0; r < form.rows; r++) {
            real *const to = c + r * p->m.c + n * p->n.c;
            *to = add ? *to + total[r] : total[r];
        }
    }
}

GB_INLINE void one_dot(const gb_product *p, const real *a, const real *b, real *c, int64_t depth, bool add)
{
    if (depth < 8 * LANES)
        dots_tile(p, (tile_form){1, 1, 1, WHOLE}, a, b, c, depth, add);
    else
        dots_tile(p, (tile_form){1, 1, 8, WHOLE}, a, b, c, depth, add);
}

GB_INLINE void dots_part(const gb_product *p, const real *a, const real *b, real *c, int64_t depth, bool add)
{
    int64_t m = 0;
    for (; m + 4 <= p->m.size; m += 4) {
        int64_t n = 0;
        for (; n + 2 <= p->n.size; n += 2)
            dots_tile(p, (tile_form){4, 2, 1, WHOLE}, a + m * p->m.a, b + n * p->n.b,
                      c + m * p->m.c + n * p->n.c, depth, add);
        for (; n < p->n.size; n++)
            dots_tile(p, (tile_form){4, 1, 2, WHOLE}, a + m * p->m.a, b + n * p->n.b,
                      c + m * p->m.c + n * p->n.c, depth, add);
    }
    for (; m < p->m.size; m++)
        for (int64_t n = 0; n < p->n.size; n++)
            one_dot(p, a + m * p->m.a, b + n * p->n.b, c + m * p->m.c + n * p->n.c, depth, add);
}

/* ---- both ---- */

/* There is at least one part, since an empty sum must still store zero. */
#define GB_CONTRACT_KERNEL_OF(name)                                                                          \
    void GB_CONTRACT(name)(const gb_product *product)                                                        \
    {                                                                                                        \
        const gb_product p = *product; /* a copy, so that stores to C cannot alias it */                     \
        const real *a = p.a, *b = p.b;                                                                       \
        real *c = p.c;                                                                                       \
        for (int64_t t = 0; t < p.times.size; t++, a += p.times.a, b += p.times.b, c += p.times.c) {         \
            int64_t k = 0;                                                                                   \
            do {                                                                                             \
                const int64_t left = p.k.size - k;                                                           \
                name##_part(&p, a + k * p.k.a, b + k * p.k.b, c, left < DEPTH ? left : DEPTH,                \
                            p.add || k > 0);                                                                 \
            } while ((k += DEPTH) < p.k.size);                                                               \
        }                                                                                                    \
    }
GB_CONTRACT_KERNEL_OF(wide)
GB_CONTRACT_KERNEL_OF(dots)
