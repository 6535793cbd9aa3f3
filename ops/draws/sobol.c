/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scrambled Sobol points (Sobol 1967, Owen 1995). Point i is the exclusive or of the direction numbers that
 * the bits of i select. Then a hash of the digits before it flips each digit (Laine and Karras 2011, Burley
 * 2020). Noise gives the keys of the hash, so every point is uniform, and all points together keep their even
 * spread. The order of points is scrambled in the same way. Otherwise independent draws would move together
 * from sample to sample. */
#include <string.h>

#include "ops/draws.h"
#include "ops/draws/draws_impl.h"
#include "ops/draws/sobol_table.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/elementwise/element_impl.h"

enum { DIGITS = 64, SEEDS = 4, TILE_DIGITS = 8, TILE = 1 << TILE_DIGITS, CHUNK = 64 };

typedef struct sobol_attributes {
    gb_shape shape;
} sobol_attributes;

/* The key of a scramble, the same for all points. Digits are in reverse order: the first is the lowest
 * bit. */
typedef struct scramble {
    uint64_t before, between;
} scramble;

typedef struct sobol {
    const gb_kernel_call *call;
    size_t dimensions, places, samples; /* places: those of the other hidden axes */
    uint64_t *direction;                /* [DIGITS][dimensions] */
    scramble *scramble; /* [places][dimensions + 1]: one for each dimension, and one for the order */
} sobol;

/* ---- direction numbers ---- */

static uint64_t reversed(uint64_t x)
{
    x = __builtin_bswap64(x);
    x = (x & 0x0f0f0f0f0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0fu);
    x = (x & 0x3333333333333333u) << 2 | (x >> 2 & 0x3333333333333333u);
    return (x & 0x5555555555555555u) << 1 | (x >> 1 & 0x5555555555555555u);
}

/* The recurrence of the dimension's polynomial (Bratley and Fox 1988); van der Corput's for the first. */
static void direction_numbers(size_t dimension, uint64_t v[DIGITS])
{
    if (dimension == 0) {
        for (int i = 0; i < DIGITS; i++)
            v[i] = (uint64_t)1 << (DIGITS - 1 - i);
        return;
    }
    const gb_sobol_row *row = &gb_sobol_table[dimension - 1];
    const int degree = row->degree;
    for (int i = 0; i < degree; i++)
        v[i] = (uint64_t)row->m[i] << (DIGITS - 1 - i);
    for (int i = degree; i < DIGITS; i++) {
        v[i] = v[i - degree] ^ v[i - degree] >> degree;
        for (int k = 1; k < degree; k++)
            if (row->inner >> (degree - 1 - k) & 1)
                v[i] ^= v[i - k];
    }
}

static sobol sobol_of(const gb_kernel_call *call)
{
    const gb_layout *out = &call->out_layout;
    sobol s = {.call = call, .places = 1};
    s.dimensions = gb_shape_count(out->shape);
    s.samples = (size_t)out->hidden_size[0]; /* the lowest axis */
    for (int i = 1; i < __builtin_popcountll(out->axes); i++)
        s.places *= (size_t)out->hidden_size[i];
    s.direction = call->workspace;
    s.scramble = (scramble *)(void *)(s.direction + DIGITS * s.dimensions);
    return s;
}

static size_t sobol_workspace(const gb_kernel_call *call)
{
    const sobol s = sobol_of(call);
    return s.dimensions * DIGITS * sizeof *s.direction + s.places * (s.dimensions + 1) * sizeof *s.scramble;
}

static bool sobol_prepare(gb_tape *tape, const gb_kernel_call *call)
{
    (void)tape;
    const sobol s = sobol_of(call);
    for (size_t d = 0; d < s.dimensions; d++) {
        uint64_t v[DIGITS];
        direction_numbers(d, v);
        for (size_t i = 0; i < DIGITS; i++)
            s.direction[i * s.dimensions + d] = reversed(v[i]);
    }
    return true;
}

/* ---- scrambling ---- */

/* Each bit of the result depends on the same and lower bits of x only, since the steps are multiplications by
 * even numbers and additions. The numbers are the fractional parts of √2, √3, √5 and √7 with 10 as their
 * lowest bits. */
static uint64_t scrambled(uint64_t x, scramble with)
{
    x += with.before;
    x ^= x * 0x6a09e667f3bcc90au;
    x ^= x * 0xbb67ae8584caa73au;
    x += with.between;
    x ^= x * 0x3c6ef372fe94f82au;
    x ^= x * 0xa54ff53a5f1d36f2u;
    return x;
}

/* Makes a scramble from four uniform draws of 52 or 23 bits each. */
static scramble scramble_of(const gb_kernel_call *call, const void *seeds, size_t which)
{
    uint64_t part[SEEDS];
    for (size_t i = 0; i < SEEDS; i++)
        part[i] = (uint64_t)(gb_real_at(call, seeds, (int64_t)(which * SEEDS + i)) * 0x1p53);
    return (scramble){.before = gb_noise_key_for(gb_noise_key_for(part[0], 1) ^ part[1], 1),
                      .between = gb_noise_key_for(gb_noise_key_for(part[2], 2) ^ part[3], 2)};
}

/* ---- points ---- */

static void store(const gb_kernel_call *call, size_t at, uint64_t digits)
{
    digits = reversed(digits);
    if (call->real == GB_FLOAT)
        ((float *)call->out)[at] = ((float)(digits >> 41) + 0.5f) * 0x1p-23f;
    else
        ((double *)call->out)[at] = ((double)(digits >> 12) + 0.5) * 0x1p-52;
}

/* The points of a tile's samples. A coin, chosen by the digits above it, flips each binary digit of a
 * sample's number (Owen 1995). So samples that share their first digits get points that share theirs. */
typedef struct tile_order {
    uint64_t common;   /* the digits above those of a tile */
    uint8_t own[TILE]; /* the others */
} tile_order;

static void order_of(scramble with, size_t first, tile_order *order)
{
    uint64_t coins[TILE / 64]; /* for a tree of 255 nodes, numbered from 1 */
    order->common = 0;
    for (int digit = TILE_DIGITS; digit < DIGITS; digit++) {
        const uint64_t above = digit + 1 < DIGITS ? (uint64_t)first >> (digit + 1) : 0;
        const uint64_t coin = gb_noise_mix(gb_noise_key_for(with.before, (uint64_t)digit) ^ above) & 1;
        order->common |= (((uint64_t)first >> digit & 1) ^ coin) << digit;
    }
    for (size_t i = 0; i < TILE / 64; i++)
        coins[i] = gb_noise_mix(gb_noise_key_for(with.between, i) ^ first);
    for (unsigned i = 0; i < TILE; i++) {
        unsigned node = 1, point = 0;
        for (int digit = TILE_DIGITS; digit-- > 0; node = 2 * node + (i >> digit & 1))
            point |= ((i >> digit & 1) ^ (unsigned)(coins[node / 64] >> node % 64 & 1)) << digit;
        order->own[i] = (uint8_t)point;
    }
}

/* Adds the direction numbers of the bits of `which`, digit by digit without carry. */
static void turn(const sobol *s, uint64_t which, size_t d, size_t count, uint64_t point[CHUNK])
{
    for (; which; which &= which - 1) {
        const uint64_t *const direction = &s->direction[(size_t)__builtin_ctzll(which) * s->dimensions + d];
        for (size_t k = 0; k < count; k++)
            point[k] ^= direction[k];
    }
}

/* Computes samples first … last − 1 of a tile, in up to CHUNK dimensions from d on. */
static void fill_chunk(const sobol *s, const tile_order *order, size_t first, size_t last, size_t place,
                       size_t d)
{
    const size_t count = s->dimensions - d < CHUNK ? s->dimensions - d : CHUNK;
    const scramble *const with = &s->scramble[place * (s->dimensions + 1) + d];
    uint64_t common[CHUNK] = {0}, point[CHUNK];
    turn(s, order->common, d, count, common);
    for (size_t i = first; i < last; i++) {
        memcpy(point, common, count * sizeof *point);
        turn(s, order->own[i - first], d, count, point);
        for (size_t k = 0; k < count; k++)
            store(s->call, (i * s->places + place) * s->dimensions + d + k, scrambled(point[k], with[k]));
    }
}

static void fill_tile(void *context, size_t tile)
{
    const sobol *s = context;
    const size_t first = tile * TILE, last = s->samples - first < TILE ? s->samples : first + TILE;
    for (size_t place = 0; place < s->places; place++) {
        tile_order order;
        order_of(s->scramble[place * (s->dimensions + 1) + s->dimensions], first, &order);
        for (size_t d = 0; d < s->dimensions; d += CHUNK)
            fill_chunk(s, &order, first, last, place, d);
    }
}

static void sobol_run(const gb_kernel_call *call)
{
    sobol s = sobol_of(call);
    for (size_t i = 0; i < s.places * (s.dimensions + 1); i++)
        s.scramble[i] = scramble_of(call, call->in[0], i);
    gb_parallel(call->workers, (s.samples + TILE - 1) / TILE, fill_tile, &s);
}

/* ---- the operation ---- */

static bool sobol_infer(gb_infer *infer)
{
    const sobol_attributes *a = infer->attributes;
    infer->shape = a->shape;
    infer->axes |= GB_SAMPLES;
    if (gb_shape_count(infer->arg_shape[0]) != SEEDS * (gb_shape_count(a->shape) + 1) ||
        gb_node_axes(infer->arg[0]) & GB_SAMPLES || gb_shape_count(a->shape) > GB_SOBOL_DIMENSIONS)
        return gb_infer_fail(infer, GB_EARGUMENT, "use gb_sobol_noise");
    return true;
}

const gb_op gb_sobol_op = {.size = sizeof(gb_op),
                           .name = "sobol",
                           .formula = "Sobol points along the samples, scrambled by uniform draws",
                           .form = GB_FORM_KERNEL,
                           .arguments = 1,
                           .attribute_bytes = sizeof(sobol_attributes),
                           .infer = sobol_infer,
                           .vjp = gb_noise_vjp,
                           .run = sobol_run,
                           .workspace = sobol_workspace,
                           .prepare = sobol_prepare};

gb_node gb_sobol_noise(gb_noise noise, gb_shape shape, gb_axes axes)
{
    const size_t dimensions = gb_shape_count(shape);
    const char *const name = "sobol_noise";
    sobol_attributes attributes;
    memset(&attributes, 0, sizeof attributes);
    gb_shape_copy(&attributes.shape, shape);
    if (!(axes & GB_SAMPLES)) {
        gb_fail(noise.tape, GB_EARGUMENT,
                "%s: the points are along the samples, and GB_SAMPLES is not among the axes", name);
        return (gb_node){0};
    }
    if (dimensions > GB_SOBOL_DIMENSIONS) {
        gb_fail(noise.tape, GB_ELIMIT, "%s: %zu dimensions are requested, the table has %d", name, dimensions,
                GB_SOBOL_DIMENSIONS);
        return (gb_node){0};
    }
    const gb_node seeds =
        gb_uniform_noise(noise, gb_shape((int64_t)dimensions + 1, SEEDS), axes & ~GB_SAMPLES);
    return gb_apply(noise.tape, &gb_sobol_op, 1, &seeds, &attributes, sizeof attributes);
}

GB_COMPOSITE(sobol_noise, "scrambled Sobol points along the samples", NULL);
