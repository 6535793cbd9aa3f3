/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of the machine: reading, reading and writing, draws, and a chain of single operations. */
#define GB_ISA hand_limits
#include "hand_bayes_impl.h"

void gb_hand_read(void *limits)
{
    gb_hand_limits *const l = limits;
    V sum[4] = {{0}};
    for (size_t i = 0; i < l->count; i += 4 * LANES)
        for (size_t way = 0; way < 4; way++)
            sum[way] += v_load(l->from + i + way * LANES);
    l->result = v_sum_wide(v_add_to((D){0}, (sum[0] + sum[1]) + (sum[2] + sum[3])));
}

void gb_hand_copy(void *limits)
{
    const gb_hand_limits *const l = limits;
    for (size_t i = 0; i < l->count; i += LANES)
        v_store(l->to + i, v_load(l->from + i));
}

void gb_hand_normals(void *limits)
{
    gb_hand_limits *const l = limits;
    const gb_noise_state state = {.key = 1, .step = &l->step, .count = l->count};
    const philox p = philox_of(&state);
    for (size_t i = 0; i < l->count; i += GROUP)
        fill_group(l->to + i, &p, i / GROUP, GB_NOISE_GROUP_LINES, true);
    l->step++;
}

/* x <- a x + b, each of which waits for the one before. */
void gb_hand_latency(void *limits)
{
    gb_hand_limits *const l = limits;
    double x = l->result;
    for (size_t i = 0; i < l->count; i += 2) {
        x *= 0.5;
        x += 1;
    }
    l->result = x;
}

void gb_hand_product(void *limits)
{
    const gb_hand_limits *const l = limits;
    product(l->transposed == 1, l->transposed == 2, l->m, l->n, l->k, l->from, l->by, 0, l->to);
}
