/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of draws with parameters. Rejection is tried once for all lanes, with a normal and uniforms of each
 * element's own. The few lanes that are rejected continue one by one. */
#include <stdbool.h>

#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "ops/draws/laws_impl.h"
#include "ops/draws/sample_impl.h"

enum { LINE_ELEMENTS = GB_LINE_BYTES / (int)sizeof(real), BLOCK_ELEMENTS = GB_BLOCK_LINES * LINE_ELEMENTS };

/* The keys that a kernel derives from its own (below GB_SAMPLE_USES). */
enum { USE_PROPOSAL = 1, USE_ACCEPTANCE, USE_BOOST };

typedef struct randoms {
    real at[BLOCK_ELEMENTS] __attribute__((aligned(64)));
} randoms;

/* Fills `out` with normal or uniform draws for the same elements, with the key of one use. */
static void fill(randoms *out, gb_block_kernel *kernel, const gb_noise_state *state, uint64_t use,
                 size_t lines, size_t first)
{
    gb_noise_state own = *state;
    own.key = gb_noise_key_for(state->key, use);
    own.count = SIZE_MAX;
    const gb_block block = {.out = out->at, .extra = &own};
    kernel(&block, lines, first);
}

/* An array of one element fills its whole line. */
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

/* Returns a bit for each lane of the vector at `i` that is an element and not padding. */
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

GB_INLINE void gamma_draws(const gb_block *block, size_t lines, size_t first, gb_gamma_form form)
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
        V draw = d * root * (root * root);
        if (form == GB_GAMMA_LOG)
            draw = v_log(d) + 3 * log_root;
        if (form == GB_GAMMA_SCALED_LOG) /* log(d / a), or log d */
            draw = v_log1p(v_select(a > GB_GAMMA_LARGE, (real)(-1. / 3) / a, d - 1)) + 3 * log_root;
        if (boosts) {
            const V log_boost = v_where(small, v_log(v_load(boost.at + i)) / a);
            draw = form == GB_GAMMA_DRAW ? draw * v_exp(log_boost) : draw + log_boost;
        }
        v_store(out + i, v_select(valid, draw, v_splat(NAN)));
        for (unsigned rejected = m_bits(~good) & lanes_of(elements, i); rejected; rejected &= rejected - 1) {
            const size_t lane = (size_t)__builtin_ctz(rejected);
            gb_sample_source source = gb_sample_source_of(state, first + i + lane);
            out[i + lane] = (real)gb_sample_gamma(&source, (double)a[lane], form);
        }
    }
    repeat_single(block);
}

void GB_BLOCK(gamma_noise)(const gb_block *block, size_t lines, size_t first)
{
    gamma_draws(block, lines, first, GB_GAMMA_DRAW);
}

void GB_BLOCK(log_gamma_noise)(const gb_block *block, size_t lines, size_t first)
{
    gamma_draws(block, lines, first, GB_GAMMA_LOG);
}

void GB_BLOCK(scaled_log_gamma_noise)(const gb_block *block, size_t lines, size_t first)
{
    gamma_draws(block, lines, first, GB_GAMMA_SCALED_LOG);
}

/* ---- counts ---- For a small mean: the first k whose cumulative probability reaches a uniform. Terms with
 * probabilities below 2^-60 are left out, since no uniform can resolve them. For a large mean: rejection, see
 * gb_sample_hat. */

/* The probability of 0, and that of k + 1 relative to that of k: (n − k) odds / (k + 1), or
 * odds / (k + 1). */
typedef struct count_law {
    V n, chance, odds, mean, deviation, none;
} count_law;

GB_INLINE V count_by_inversion(const count_law *law, V u, M wanted, bool binomial)
{
    const real least = (real)0x1p-60;
    V probability = law->none, count = v_splat(0);
    wanted &= u > probability;
    for (int k = 1; m_bits(wanted); k++) {
        u -= probability;
        count += v_of_mask(wanted);
        probability *= law->odds * ((real)1 / (real)k);
        if (binomial)
            probability *= law->n - (real)(k - 1);
        wanted &= (u > probability) & (probability > least);
    }
    return count;
}

/* Returns the lanes that are accepted without evaluating their probability. */
GB_INLINE M count_by_hat(const count_law *law, const gb_sample_hat *hat, V u, V v, V *count)
{
    const V b = (real)hat->b_start + (real)hat->b_slope * law->deviation;
    const V a = (real)hat->a_start + (real)hat->a_slope * b + (real)hat->a_chance * law->chance;
    const V centred = u - (real)0.5, w = (real)0.5 - v_abs(centred);
    *count = v_floor((2 * a / w + b) * centred + law->mean + (real)hat->shift);
    return (w >= (real)hat->wide) &
           (v <= (real)hat->inside_most - (real)hat->inside_slope / (b - (real)hat->inside_start));
}

GB_INLINE count_law poisson_law(V rate)
{
    return (count_law){
        .odds = rate, .mean = rate, .chance = v_splat(0), .deviation = v_sqrt(rate), .none = v_exp(-rate)};
}

/* The law of the rarer outcome. */
GB_INLINE count_law binomial_law(V n, V p)
{
    const V chance = v_select(p > (real)0.5, 1 - p, p), mean = n * chance;
    return (count_law){.n = n,
                       .chance = chance,
                       .odds = chance / (1 - chance),
                       .mean = mean,
                       .deviation = v_sqrt(mean * (1 - chance)),
                       .none = v_exp(n * v_log1p(-chance))};
}

/* Continues one lane after its first attempt with u and v. */
static real count_by_rejection(const gb_noise_state *state, size_t element, bool binomial, real n, real p,
                               real u, real v)
{
    gb_sample_source source = gb_sample_source_of(state, element);
    if (!binomial)
        return (real)gb_sample_poisson(&source, (double)n, (double)u, (double)v);
    const bool rare = p <= (real)0.5;
    const double wide = (double)p, chance = rare ? wide : 1 - wide;
    const double count = gb_sample_binomial(&source, (double)n, chance, (double)u, (double)v);
    return (real)(rare ? count : (double)n - count);
}

GB_INLINE void count_draws(const gb_block *block, size_t lines, size_t first, bool binomial)
{
    const gb_noise_state *state = block->extra;
    const real *a = block->in[0], *b = binomial ? block->in[1] : a;
    const size_t step_a = block->step[0] ? LANES : 0, step_b = block->step[binomial] ? LANES : 0;
    const size_t elements = elements_of(state, lines, first);
    real *out = block->out;
    randoms propose, accept;
    fill(&propose, GB_BLOCK(uniform), state, USE_PROPOSAL, lines, first);
    fill(&accept, GB_BLOCK(uniform), state, USE_ACCEPTANCE, lines, first);
    for (size_t i = 0; i < elements; i += LANES, a += step_a, b += step_b) {
        const V x = v_load(a), p = v_load(b), u = v_load(propose.at + i), v = v_load(accept.at + i);
        M valid = (x >= 0) & (x <= GB_REAL_MAX), good = ~(M){0};
        if (binomial)
            valid &= (v_floor(x) == x) & (p >= 0) & (p <= 1);
        const count_law law = binomial ? binomial_law(x, p) : poisson_law(x);
        const M many = valid & (law.mean >= GB_SAMPLE_MEAN);
        const unsigned lanes = lanes_of(elements, i);
        V count = v_splat(0), proposed;
        if (m_bits(valid & ~many) & lanes)
            count = count_by_inversion(&law, u, valid & ~many, binomial);
        if (m_bits(many) & lanes) {
            good = ~many | count_by_hat(&law, binomial ? &gb_binomial_hat : &gb_poisson_hat, u, v, &proposed);
            count = v_select(many, proposed, count);
        }
        if (binomial)
            count = v_select(p > (real)0.5, x - count, count);
        v_store(out + i, v_select(valid, count, v_splat(NAN)));
        for (unsigned rest = m_bits(~good) & lanes; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            const size_t at = i + (size_t)lane;
            out[at] = count_by_rejection(state, first + at, binomial, x[lane], p[lane], u[lane], v[lane]);
        }
    }
    repeat_single(block);
}

void GB_BLOCK(poisson_noise)(const gb_block *block, size_t lines, size_t first)
{
    count_draws(block, lines, first, false);
}

void GB_BLOCK(binomial_noise)(const gb_block *block, size_t lines, size_t first)
{
    count_draws(block, lines, first, true);
}

/* ---- von Mises: see gb_sample_von_mises for the formulas ---- */

void GB_BLOCK(von_mises_noise)(const gb_block *block, size_t lines, size_t first)
{
    const gb_noise_state *state = block->extra;
    const real *kappas = block->in[0];
    const size_t step = block->step[0] ? LANES : 0, elements = elements_of(state, lines, first);
    const real least = (real)(GB_REAL_BITS == 64 ? 1e-300 : 1e-30); /* numbers below this count as 0 */
    const real most = (real)(GB_REAL_BITS == 64 ? 0x1.921fb54442d18p+1 : 0x1.921fb4p+1); /* π, rounded down */
    real *out = block->out;
    randoms propose, accept;
    fill(&propose, GB_BLOCK(uniform), state, USE_PROPOSAL, lines, first);
    fill(&accept, GB_BLOCK(uniform), state, USE_ACCEPTANCE, lines, first);
    for (size_t i = 0; i < elements; i += LANES, kappas += step) {
        const V given = v_load(kappas), kappa = v_at_least(given, least), u = v_load(accept.at + i);
        const M valid = (given >= 0) & (given <= GB_REAL_MAX);
        const V delta = (real)0.5 / kappa * (1 + 1 / (v_sqrt(1 + 4 * kappa * kappa) + 2 * kappa));
        const V turn = 2 * v_load(propose.at + i) - 1;
        V sine, cosine;
        v_sincos_turn((real)0.25 * v_abs(turn), &sine, &cosine);
        const V w = 2 * sine * sine * (delta / (delta + 2 * cosine * cosine)), c = kappa * (delta + w);
        const M good = (c * (2 - c) > u) | (v_log(c / u) + 1 >= c) | ~valid;
        const V tangent = sine / cosine * v_sqrt(delta / (delta + 2));
        const V angle = v_at_most(2 * v_atan(tangent), most);
        v_store(out + i, v_select(valid, v_copysign(angle, turn), v_splat(NAN)));
        for (unsigned rejected = m_bits(~good) & lanes_of(elements, i); rejected; rejected &= rejected - 1) {
            const size_t lane = (size_t)__builtin_ctz(rejected);
            gb_sample_source source = gb_sample_source_of(state, first + i + lane);
            const real drawn = (real)gb_sample_von_mises(&source, (double)kappa[lane]);
            out[i + lane] = drawn > most ? most : drawn < -most ? -most : drawn;
        }
    }
    repeat_single(block);
}
