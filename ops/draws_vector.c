/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of draws with parameters. What rejection draws is first tried for all lanes at once, with a normal and
 * uniforms that are the element's own; the few lanes that are rejected go on one by one. */
#include <stdbool.h>

#include "core/vector_impl.h"
#include "core/vector_math_impl.h"
#include "ops/draws_impl.h"
#include "ops/sample_impl.h"

enum { LINE_ELEMENTS = GB_LINE_BYTES / (int)sizeof(real), BLOCK_ELEMENTS = GB_BLOCK_LINES * LINE_ELEMENTS };

/* What a kernel makes of its key (below GB_SAMPLE_USES). */
enum { USE_PROPOSAL = 1, USE_ACCEPTANCE, USE_BOOST };

typedef struct randoms {
    real at[BLOCK_ELEMENTS] __attribute__((aligned(64)));
} randoms;

/* Normal or uniform draws of the same elements, for one use. */
static void fill(randoms *out, gb_block_kernel *kernel, const gb_noise_state *state, uint64_t use,
                 size_t lines, size_t first)
{
    const gb_noise_state own = {
        .key = gb_noise_key_for(state->key, use), .step = state->step, .count = SIZE_MAX};
    const gb_block block = {.out = out->at, .extra = &own};
    kernel(&block, lines, first);
}

/* An array of one element lies repeated over its line. */
static void repeat_single(const gb_block *block)
{
    const gb_noise_state *state = block->extra;
    real *out = block->out;
    for (int i = 1; i < LINE_ELEMENTS && state->count == 1; i++)
        out[i] = out[0];
}

static size_t elements_of(const gb_noise_state *state, size_t lines, size_t first)
{
    const size_t here = lines * LINE_ELEMENTS, left = state->count - first;
    return here < left ? here : left;
}

/* A bit for each lane of the vector at `i` that is an element, and not padding. */
static unsigned lanes_of(size_t elements, size_t i)
{
    return elements - i < LANES ? (1u << (elements - i)) - 1 : ~0u;
}

/* ---- gamma: see gb_sample_gamma for the formulas ---- */

static bool any_below_one(const real *alpha, size_t step, size_t elements)
{
    unsigned below = 0;
    for (size_t i = 0; i < elements; i += LANES, alpha += step)
        below |= m_bits(v_load(alpha) < 1) & lanes_of(elements, i);
    return below != 0;
}

GB_INLINE void gamma_draws(const gb_block *block, size_t lines, size_t first, bool logarithm)
{
    const gb_noise_state *state = block->extra;
    const real *alpha = block->in[0];
    const size_t step = block->step[0] ? LANES : 0, elements = elements_of(state, lines, first);
    const bool boosts = any_below_one(alpha, step, elements);
    real *out = block->out;
    randoms normal, accept, boost;
    fill(&normal, GB_BLOCK(normal), state, USE_PROPOSAL, lines, first);
    fill(&accept, GB_BLOCK(uniform), state, USE_ACCEPTANCE, lines, first);
    if (boosts)
        fill(&boost, GB_BLOCK(uniform), state, USE_BOOST, lines, first);
    for (size_t i = 0; i < elements; i += LANES, alpha += step) {
        const V a = v_load(alpha), x = v_load(normal.at + i);
        const M small = a < 1, valid = (a > 0) & (a <= GB_REAL_MAX);
        const V d = a + v_where(small, v_splat(1)) - (real)(1. / 3);
        const V t = x / (3 * v_sqrt(d)), log_root = v_log1p(t);
        const V log_ratio = 3 * d * (log_root - t * (1 - t * ((real)0.5 - t * (real)(1. / 3))));
        const M good = (v_log(v_load(accept.at + i)) < log_ratio) | ~valid;
        const V root = 1 + t;
        V draw = logarithm ? v_log(d) + 3 * log_root : d * root * (root * root);
        if (boosts) {
            const V log_boost = v_where(small, v_log(v_load(boost.at + i)) / a);
            draw = logarithm ? draw + log_boost : draw * v_exp(log_boost);
        }
        v_store(out + i, v_select(valid, draw, v_splat(NAN)));
        for (unsigned rejected = m_bits(~good) & lanes_of(elements, i); rejected; rejected &= rejected - 1) {
            const size_t lane = (size_t)__builtin_ctz(rejected);
            gb_sample_source source = gb_sample_source_of(state, first + i + lane);
            out[i + lane] = (real)gb_sample_gamma(&source, (double)a[lane], logarithm);
        }
    }
    repeat_single(block);
}

void GB_BLOCK(gamma)(const gb_block *block, size_t lines, size_t first)
{
    gamma_draws(block, lines, first, false);
}

void GB_BLOCK(log_gamma)(const gb_block *block, size_t lines, size_t first)
{
    gamma_draws(block, lines, first, true);
}

/* ---- one by one ---- */

/* `value` draws one element from `source` with the parameters x and y. */
#define ONE_BY_ONE(name, value)                                                                              \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        const gb_noise_state *state = block->extra;                                                          \
        const real *a = block->in[0], *b = block->in[1] ? block->in[1] : a;                                  \
        const size_t sa = block->step[0], sb = block->step[1];                                               \
        real *out = block->out;                                                                              \
        for (size_t i = 0; i < elements_of(state, lines, first); i++) {                                      \
            gb_sample_source source = gb_sample_source_of(state, first + i);                                 \
            const double x = (double)a[i * sa], y = (double)b[i * sb];                                       \
            (void)y;                                                                                         \
            out[i] = (real)(value);                                                                          \
        }                                                                                                    \
        repeat_single(block);                                                                                \
    }

/* The largest real that is not above π: rounding may leave the circle. */
static real within_circle(double angle)
{
    const real most = (real)(GB_REAL_BITS == 64 ? 0x1.921fb54442d18p+1 : 0x1.921fb4p+1);
    return angle > (double)most ? most : angle < -(double)most ? -most : (real)angle;
}

ONE_BY_ONE(poisson, gb_sample_poisson(&source, x))
ONE_BY_ONE(binomial, gb_sample_binomial(&source, x, y))
ONE_BY_ONE(von_mises, within_circle(gb_sample_von_mises(&source, x)))
