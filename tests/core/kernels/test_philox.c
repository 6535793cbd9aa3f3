/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise: Philox against its published answers, the kernels against Philox, and their draws against their
 * laws. */
#include "support/close.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/noise_impl.h"
#include "support/files.h"

/* ---------------------------------------------------------------------------------- every kernel there is */

static const char *const law_name[] = {"uniform", "normal"};
static const gb_block_kernels kernels[] = {GB_KERNELS(uniform), GB_KERNELS(normal)};
enum { UNIFORM, NORMAL, LAWS };

static bool supported(gb_isa isa)
{
#if defined(__x86_64__) && !defined(GB_PLAIN)
    if (isa == GB_ISA_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == GB_ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
    return isa == GB_ISA_BASELINE;
}

/* A law, a type and an instruction set: what each test below is done for. */
typedef struct variant {
    int law;
    bool is_float;
    gb_isa isa;
} variant;

static void for_each_variant(void (*test)(variant))
{
    for (int law = 0; law < LAWS; law++)
        for (int is_float = 0; is_float < 2; is_float++)
            for (gb_isa isa = 0; isa < GB_ISA_COUNT; isa++)
                if (supported(isa))
                    test((variant){law, is_float, isa});
}

static size_t line_elements(variant v)
{
    return GB_LINE_BYTES / (v.is_float ? sizeof(float) : sizeof(double));
}

static double element(variant v, const void *array, size_t i)
{
    return v.is_float ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void run(variant v, gb_noise_state state, void *out, size_t lines, size_t first)
{
    gb_block block = {.out = out, .extra = &state};
    kernels[v.law].of[v.isa][v.is_float](&block, lines, first);
}

/* `count` draws, block by block, in an array that the caller frees: as doubles, whatever they were. */
static double *draw(variant v, gb_noise_state state, size_t count)
{
    double *draws = malloc(count * sizeof *draws);
    assert_non_null(draws);
    size_t block = GB_BLOCK_LINES * line_elements(v);
    unsigned char buffer[GB_BLOCK_BYTES];
    for (size_t first = 0; first < count; first += block) {
        run(v, state, buffer, GB_BLOCK_LINES, first);
        for (size_t i = 0; i < block && first + i < count; i++)
            draws[first + i] = element(v, buffer, i);
    }
    return draws;
}

/* ------------------------------------------------------------------------------------------ known answers */

TEST(test_known_answers)
{
    FILE *file = open_table("core/kernels/philox.txt");
    char line[256];
    int answers = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        uint32_t w[10], out[4];
        char *p = line;
        for (int i = 0; i < 10; i++)
            w[i] = (uint32_t)strtoul(p, &p, 16);
        gb_philox(w, w[4] | (uint64_t)w[5] << 32, out);
        assert_memory_equal(out, w + 6, sizeof out);
        answers++;
    }
    fclose(file);
    assert_int_equal(answers, 3);
}

/* ------------------------------------------------------------------------------------------------ mapping */

static void philox_of_counter(gb_noise_state state, uint64_t counter, uint32_t out[4])
{
    uint32_t words[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)*state.step,
                         (uint32_t)(*state.step >> 32)};
    gb_philox(words, state.key, out);
}

static const double turn = 6.283185307179586477;

static double expected_float(int law, gb_noise_state state, size_t e)
{
    uint32_t word[4];
    philox_of_counter(state, 16 * (e / 64) + e % 16, word);
    size_t w = e % 64 / 16, pair = w / 2 * 2;
    if (law == UNIFORM)
        return ((double)(word[w] >> 9) + 0.5) * 0x1p-23;
    double u = (double)(((float)word[pair] + 0.5f) * 0x1p-32f),
           angle = (double)(word[pair + 1] >> 8) * 0x1p-24;
    return sqrt(-2 * log(u)) * (w % 2 ? sin(turn * angle) : cos(turn * angle));
}

static double expected_double(int law, gb_noise_state state, size_t e)
{
    uint32_t word[4];
    philox_of_counter(state, 16 * (e / 32) + e % 16, word);
    uint64_t pair[2] = {word[0] | (uint64_t)word[1] << 32, word[2] | (uint64_t)word[3] << 32};
    size_t w = e % 32 / 16;
    double u = ((double)(pair[law == UNIFORM ? w : 0] >> 12) + 0.5) * 0x1p-52;
    if (law == UNIFORM)
        return u;
    double angle = (double)(pair[1] >> 12) * 0x1p-52;
    return sqrt(-2 * log(u)) * (w ? sin(turn * angle) : cos(turn * angle));
}

static void check_mapping(variant v)
{
    static const uint64_t steps[] = {0, 1, UINT64_C(0x123456789abcdef0)};
    static const uint64_t keys[] = {0, UINT64_C(0xfedcba9876543210), UINT64_MAX};
    static const size_t firsts[] = {0, 64, 4096,
                                    (size_t)1 << 40}; /* the last needs a counter of more than 32 bits */
    for (size_t s = 0; s < 3; s++)
        for (size_t f = 0; f < 4; f++) {
            gb_noise_state state = {.key = keys[s], .step = &steps[s], .count = (size_t)1 << 41};
            unsigned char out[GB_BLOCK_BYTES];
            run(v, state, out, GB_BLOCK_LINES, firsts[f]);
            for (size_t i = 0; i < GB_BLOCK_LINES * line_elements(v); i++) {
                double expected =
                    (v.is_float ? expected_float : expected_double)(v.law, state, firsts[f] + i);
                double epsilon = v.is_float ? (double)FLT_EPSILON : DBL_EPSILON;
                double allowed =
                    v.law == UNIFORM ? 0 : 32 * epsilon; /* radius up to 9, angle exact to a few ulp */
                if (!(fabs(element(v, out, i) - expected) <= allowed))
                    fail_msg("%s %s isa %d: element %zu is %a, expected %a", law_name[v.law],
                             v.is_float ? "float" : "double", (int)v.isa, firsts[f] + i, element(v, out, i),
                             expected);
            }
        }
}

TEST(test_mapping)
{
    for_each_variant(check_mapping);
}

/* Any number of lines from any start gives the same elements, and no more than whole groups are written. */
static void check_blocks(variant v)
{
    const uint64_t step = 7;
    gb_noise_state state = {.key = 42, .step = &step, .count = 100000};
    enum { LINES = 64, UNTOUCHED = 0xA5 };
    unsigned char whole[LINES * GB_LINE_BYTES], part[LINES * GB_LINE_BYTES];
    run(v, state, whole, LINES, 0);
    for (size_t start = 0; start < LINES; start += 64 / line_elements(v))
        for (size_t lines = 1; start + lines <= LINES; lines++) {
            size_t bytes = lines * GB_LINE_BYTES;
            size_t written = (lines + GB_NOISE_GROUP_LINES - 1) / GB_NOISE_GROUP_LINES * GB_NOISE_GROUP_LINES;
            memset(part, UNTOUCHED, sizeof part);
            run(v, state, part, lines, start * line_elements(v));
            assert_memory_equal(part, whole + start * GB_LINE_BYTES, bytes);
            for (size_t i = written * GB_LINE_BYTES; i < sizeof part; i++)
                assert_int_equal(part[i], UNTOUCHED);
        }
}

TEST(test_blocks)
{
    for_each_variant(check_blocks);
}

static void check_one_element(variant v)
{
    const uint64_t step = 3;
    gb_noise_state one = {.key = 5, .step = &step, .count = 1}, many = one;
    many.count = 1000;
    unsigned char single[GB_NOISE_GROUP_LINES * GB_LINE_BYTES], array[GB_NOISE_GROUP_LINES * GB_LINE_BYTES];
    run(v, one, single, 1, 0);
    run(v, many, array, 1, 0);
    for (size_t i = 0; i < line_elements(v); i++)
        assert_true(element(v, single, i) == element(v, array, 0));
}

TEST(test_one_element)
{
    for_each_variant(check_one_element);
}

/* Other steps, other keys and other first rows give other draws. */
static void check_step_and_key(variant v)
{
    const uint64_t steps[] = {0, 1, UINT64_C(1) << 32};
    const gb_rows_place rows = {.first = 128}, of_team = {.before = 24, .others = 40};
    gb_noise_state state[6] = {
        {.key = 0, .step = &steps[0], .count = 64},
        {.key = 0, .step = &steps[1], .count = 64},
        {.key = 0, .step = &steps[2], .count = 64},
        {.key = 1, .step = &steps[0], .count = 64},
        {.step = &steps[0], .count = 64, .of_row = 4, .of_pass = 64, .of_row_in_all = 4, .rows = &rows},
        {.step = &steps[0], .count = 64, .of_row = 4, .of_pass = 64, .of_row_in_all = 4, .rows = &of_team}};
    unsigned char out[6][GB_LINE_BYTES * GB_NOISE_GROUP_LINES];
    for (int i = 0; i < 6; i++)
        run(v, state[i], out[i], GB_NOISE_GROUP_LINES, 0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            for (size_t e = 0; e < 16; e++)
                assert_true(element(v, out[i], e) != element(v, out[j], e));
}

TEST(test_step_and_key)
{
    for_each_variant(check_step_and_key);
}

/* --------------------------------------------------------------------------------------------------- laws */

static double cdf(int law, double x)
{
    return law == UNIFORM ? x : 0.5 * erfc(-x / sqrt(2));
}

/* Dvoretzky, Kiefer and Wolfowitz with Massart's constant: P(sup |F_n - F| > d) <= 2 exp(-2 n d^2), here
 * 1e-9. */
static void check_distribution(variant v)
{
    enum { N = 100000 };
    const uint64_t step = 11;
    double *x = draw(v, (gb_noise_state){.key = 2024, .step = &step, .count = N}, N);
    qsort(x, N, sizeof *x, ascending);
    double worst = 0;
    for (int i = 0; i < N; i++) {
        const double f = cdf(v.law, x[i]), off = fmax(f - (double)i / N, (double)(i + 1) / N - f);
        if (!(off <= worst)) /* not fmax: gcc 12 for Arm breaks down over it (-O3) */
            worst = off;
    }
    assert_true(v.law == NORMAL || (x[0] > 0 && x[N - 1] < 1));
    free(x);
    if (!(worst <= sqrt(log(2 / 1e-9) / (2 * N))))
        fail_msg("%s float %d isa %d: distance %g", law_name[v.law], v.is_float, (int)v.isa, worst);
}

TEST(test_distribution)
{
    for_each_variant(check_distribution);
}

enum { Z_BOUND = 6 }; /* exceeded with probability 2e-9 */

static double moment(int law, int k)
{
    static const double normal[] = {1, 0, 1, 0, 3, 0, 15, 0, 105};
    return law == UNIFORM ? 1.0 / (k + 1) : normal[k];
}

/* pow() takes minutes where it is emulated. */
static double power(double x, int k)
{
    double result = x;
    for (int i = 1; i < k; i++)
        result *= x;
    return result;
}

/* The moments, and the covariance of elements at distances that share a counter (16, 32), a vector or a
 * group. */
static void check_moments(variant v)
{
    enum { N = 1000000 };
    static const int lag[] = {1, 2, 4, 8, 16, 32, 48, 64};
    const uint64_t step = 12;
    double *x = draw(v, (gb_noise_state){.key = 2025, .step = &step, .count = N}, N);
    for (int k = 1; k <= 4; k++) {
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += power(x[i], k);
        double mean = moment(v.law, k), variance = moment(v.law, 2 * k) - mean * mean;
        double z = (sum / N - mean) / sqrt(variance / N);
        if (!(fabs(z) <= Z_BOUND))
            fail_msg("%s float %d isa %d: moment %d has z = %g", law_name[v.law], v.is_float, (int)v.isa, k,
                     z);
    }
    double mean = moment(v.law, 1), variance = moment(v.law, 2) - mean * mean;
    for (size_t l = 0; l < sizeof lag / sizeof *lag; l++) {
        double sum = 0;
        for (int i = 0; i + lag[l] < N; i++)
            sum += (x[i] - mean) * (x[i + lag[l]] - mean);
        double z = sum / (variance * sqrt(N - lag[l]));
        if (!(fabs(z) <= Z_BOUND))
            fail_msg("%s float %d isa %d: lag %d has z = %g", law_name[v.law], v.is_float, (int)v.isa, lag[l],
                     z);
    }
    free(x);
}

TEST(test_moments)
{
    for_each_variant(check_moments);
}
