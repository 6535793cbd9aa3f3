/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unordered set estimator: k draws without replacement, and the mean over all orders in which they may
 * have been drawn. For a part U of the drawn set S, Q(U) is the probability that the values of U are drawn
 * first where the others of S cannot be drawn. Value s has the weight p_s Q(S without s) / Q(S). Given that s
 * was drawn first, the same estimator of the other draws is its baseline. */
#include <stddef.h>

#include "estimators/estimators/subsets/shared/subset_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST_DRAWS = 10, MOST_PARTS = 1 << MOST_DRAWS, MOST_OF_SIZE = 252 * 5 };

static int64_t evaluations(const gb_site *site)
{
    const gb_unordered_set_options *const options = site->options;
    return gb_subset_evaluations(site, options->draws);
}

/* ---- parts of the set, as bits ---- */

/* The size of each part, and its number among those of its size. */
typedef struct part_table {
    int draws, size[MOST_PARTS], number[MOST_PARTS];
} part_table;

static void fill_parts(part_table *parts, int draws)
{
    int seen[MOST_DRAWS + 1] = {0};
    parts->draws = draws;
    for (int part = 0; part < 1 << draws; part++) {
        parts->size[part] = part ? parts->size[part & (part - 1)] + 1 : 0;
        parts->number[part] = seen[parts->size[part]]++;
    }
}

/* Q of all parts of one size, from that of the parts with one value less: Q(U) = Σ p_u Q(U without u) / (p of
 * U + p of all that were not drawn). All terms are positive. Where nothing is left to be drawn, Q is 1. */
static gb_node grown(const part_table *parts, int size, gb_node p, gb_node rest, gb_node smaller)
{
    int64_t value[MOST_OF_SIZE], without[MOST_OF_SIZE], places = 0;
    for (int part = 0; part < 1 << parts->draws; part++)
        for (int i = 0; i < parts->draws && parts->size[part] == size; i++)
            if (part >> i & 1) {
                value[places] = i;
                without[places++] = parts->number[part & ~(1 << i)];
            }
    const gb_shape shape = gb_shape(places / size, size);
    const gb_node p_of = gb_gather(p, 0, gb_ints(p.tape, shape, value));
    const gb_node q_of = gb_gather(smaller, 0, gb_ints(p.tape, shape, without));
    const gb_node left = gb_add(gb_sum_along(p_of, gb_axis(1)), rest);
    const gb_node q = gb_div(gb_sum_along(gb_mul(p_of, q_of), gb_axis(1)), left);
    return gb_where(gb_greater(left, gb_num(p.tape, 0)), q, gb_num(p.tape, 1));
}

/* Of each value, and of each pair: Q of the set without it. A value on the diagonal is a pair with itself. */
static gb_node without_each(const part_table *parts, gb_node q)
{
    int64_t number[MOST_DRAWS];
    for (int i = 0; i < parts->draws; i++)
        number[i] = parts->number[((1 << parts->draws) - 1) & ~(1 << i)];
    return gb_gather(q, 0, gb_ints(q.tape, gb_shape(parts->draws), number));
}

static gb_node without_pairs(const part_table *parts, gb_node q)
{
    int64_t number[MOST_DRAWS * MOST_DRAWS] = {0};
    for (int i = 0; i < parts->draws; i++)
        for (int j = 0; j < parts->draws; j++)
            if (i != j)
                number[i * parts->draws + j] =
                    parts->number[((1 << parts->draws) - 1) & ~(1 << i) & ~(1 << j)];
    return gb_gather(q, 0, gb_ints(q.tape, gb_shape(parts->draws, parts->draws), number));
}

/* ---- the draw ---- */

/* 0 where the probability underflows, so that it was not drawn. */
static gb_node ratio(gb_node x, gb_node y)
{
    const gb_node zero = gb_num(x.tape, 0);
    return gb_where(gb_greater(y, zero), gb_div(x, y), zero);
}

static gb_node draw(gb_site *site)
{
    const gb_ranking all = gb_ranking_of(site, true);
    const int64_t first = all.count - site->evaluations;
    const gb_node p = gb_slice(all.p, 0, first, all.count), place = gb_slice(all.place, 0, first, all.count);
    const gb_node rest = gb_sum(gb_slice(all.p, 0, 0, first));
    part_table parts;
    fill_parts(&parts, (int)site->evaluations);
    gb_node q = gb_ones(p.tape, gb_shape(1)), without_one = q, without_two = q;
    for (int size = 1; size <= parts.draws; size++) {
        without_two = without_one;
        without_one = q;
        q = grown(&parts, size, p, rest, q);
    }
    const gb_node without = without_each(&parts, without_one);
    const gb_node of_others = ratio(without_pairs(&parts, without_two), gb_expand(without, -1));
    const gb_node baselines = gb_subset_matrix(gb_mul(of_others, gb_expand(p, 0)), p);
    return gb_subset_draw(site, &all, place, ratio(without, q), baselines);
}

static const gb_domain draws = {.size = sizeof(gb_domain),
                                .name = "draws",
                                .must_be = "a whole number from 2 to 10",
                                .low = 2,
                                .high = MOST_DRAWS,
                                .whole = true};

static const gb_option table[] = {GB_OPTION_WHOLE(gb_unordered_set_options, draws, 4, &draws,
                                                  "evaluations: values drawn without replacement"),
                                  {0}};

const gb_estimator_type gb_unordered_set_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "unordered_set",
    .cite = "Kool, van Hoof and Welling 2020",
    .formula = "sum_s (f_s - b_s) R_s dp_s over the k values drawn, R_s = P(set | s first) / P(set)",
    GB_SUBSET_SLOTS(gb_unordered_set_options),
};

gb_estimator gb_unordered_set_with(const gb_unordered_set_options *options)
{
    return gb_estimator_of(&gb_unordered_set_estimator_type, options);
}
