/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transforms of vectors: ordered, positive and ordered, permutation, and two ways onto the simplex. */
#include <string.h>

#include "distributions/transforms.h"
#include "distributions/transforms/transform_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/scan.h"

static int64_t last_size(gb_node x)
{
    return gb_shape_size(gb_node_shape(x), -1);
}

static gb_node first(gb_node x, int64_t count)
{
    return gb_slice(x, -1, 0, count);
}

static gb_node after(gb_node x, int64_t place)
{
    return gb_slice(x, -1, place, last_size(x));
}

static gb_node joined(gb_node a, gb_node b)
{
    return gb_concat(2, (const gb_node[]){a, b}, -1);
}

/* ---- ordered: the steps are positive ---- */

static gb_node ordered_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_cumsum(joined(first(x, 1), gb_exp(after(x, 1))), -1);
}

static gb_node ordered_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return joined(first(y, 1), gb_log(gb_sub(after(y, 1), first(y, last_size(y) - 1))));
}

static gb_node ordered_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_sum_event(after(x, 1), 1);
}

const gb_transform_type gb_ordered_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "ordered",
    .formula = "y1 = x1, yi = y(i-1) + e^xi",
    .from = GB_REAL_VECTOR,
    .to = GB_ORDERED,
    .forward = ordered_forward,
    .inverse = ordered_inverse,
    .log_jacobian = ordered_log_jacobian,
};

gb_transform gb_ordered_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_ordered_transform_type, tape);
}

static gb_node positive_ordered_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_cumsum(gb_exp(x), -1);
}

static gb_node positive_ordered_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_log(joined(first(y, 1), gb_sub(after(y, 1), first(y, last_size(y) - 1))));
}

static gb_node positive_ordered_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_sum_event(x, 1);
}

const gb_transform_type gb_positive_ordered_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "positive_ordered",
    .formula = "y1 = e^x1, yi = y(i-1) + e^xi",
    .from = GB_REAL_VECTOR,
    .to = GB_POSITIVE_ORDERED,
    .forward = positive_ordered_forward,
    .inverse = positive_ordered_inverse,
    .log_jacobian = positive_ordered_log_jacobian,
};

gb_transform gb_positive_ordered_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_positive_ordered_transform_type, tape);
}

/* ---- onto the simplex: one number less than there are probabilities ---- */

static gb_shape one_more(const gb_transform *t, gb_shape x)
{
    (void)t;
    x.size[x.rank - 1]++;
    return x;
}

static gb_shape one_less(const gb_transform *t, gb_shape y)
{
    (void)t;
    return --y.size[y.rank - 1] >= 0 ? y : (gb_shape){.rank = -1};
}

/* Zeros in the shape of x, with `count` elements along the last axis. */
static gb_node zeros_beside(gb_node x, int64_t count)
{
    return gb_zeros(x.tape, gb_shape_replace(gb_node_shape(x), -1, count));
}

/* log(n − k) for k = 1 … n − 1. With it, x = 0 gives the middle of the simplex. */
static gb_node log_of_places_left(gb_tape *tape, int64_t numbers)
{
    return gb_log(gb_sub(gb_num(tape, (double)numbers), gb_arange(tape, numbers)));
}

/* The logit of each break. */
static gb_node break_logit(gb_node x)
{
    return gb_sub(x, log_of_places_left(x.tape, last_size(x)));
}

/* The log of the length of the stick before each break, and in the end. */
static gb_node log_left(gb_node logit)
{
    return gb_cumsum(joined(zeros_beside(logit, 1), gb_log_sigmoid(gb_neg(logit))), -1);
}

static gb_node stick_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    const gb_node logit = break_logit(x);
    return gb_exp(gb_add(log_left(logit), joined(gb_log_sigmoid(logit), zeros_beside(x, 1))));
}

/* The piece broken off divided by all later pieces. Sums from the end do not cancel. */
static gb_node stick_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    const int64_t numbers = last_size(y) - 1;
    const gb_node later = first(gb_cumsum(y, -1, .reverse = true, .exclusive = true), numbers);
    const gb_node logit = gb_sub(gb_log(first(y, numbers)), gb_log(later));
    return gb_add(logit, log_of_places_left(y.tape, numbers));
}

static gb_node stick_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    const gb_node logit = break_logit(x), left = first(log_left(logit), last_size(x));
    return gb_sum_event(gb_add(left, gb_add(gb_log_sigmoid(logit), gb_log_sigmoid(gb_neg(logit)))), 1);
}

const gb_transform_type gb_stick_breaking_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "stick_breaking",
    .formula = "yk = left(k) sigmoid(xk - log(n - k)), left(k) = 1 - y1 - ... - y(k-1)",
    .from = GB_REAL_VECTOR,
    .to = GB_SIMPLEX,
    .forward = stick_forward,
    .inverse = stick_inverse,
    .log_jacobian = stick_log_jacobian,
    .shape = one_more,
    .inverse_shape = one_less,
};

gb_transform gb_stick_breaking_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_stick_breaking_transform_type, tape);
}

static gb_node with_zero(gb_node x)
{
    return joined(x, zeros_beside(x, 1));
}

static gb_node softmax_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_softmax(with_zero(x), -1);
}

static gb_node softmax_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    const gb_node log_y = gb_log(y);
    const int64_t numbers = last_size(y) - 1;
    return gb_sub(first(log_y, numbers), after(log_y, numbers));
}

/* det = y1 … yn */
static gb_node softmax_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_sum_event(gb_log_softmax(with_zero(x), -1), 1);
}

const gb_transform_type gb_centred_softmax_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "centred_softmax",
    .formula = "softmax(x1, ..., x(n-1), 0)",
    .from = GB_REAL_VECTOR,
    .to = GB_SIMPLEX,
    .forward = softmax_forward,
    .inverse = softmax_inverse,
    .log_jacobian = softmax_log_jacobian,
    .shape = one_more,
    .inverse_shape = one_less,
};

gb_transform gb_centred_softmax_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_centred_softmax_transform_type, tape);
}

/* ---- permutation ---- */

static gb_node permuted(const gb_transform *t, gb_node x, bool back)
{
    int64_t *const order = gb_tape_keep(t->tape, (size_t)t->count * sizeof *order);
    for (int64_t i = 0; order && i < t->count; i++)
        order[back ? t->order[i] : i] = back ? i : t->order[i];
    return order ? gb_gather(x, -1, gb_ints(t->tape, gb_shape(t->count), order)) : (gb_node){0};
}

static gb_node permutation_forward(const gb_transform *t, gb_node x)
{
    return permuted(t, x, false);
}

static gb_node permutation_inverse(const gb_transform *t, gb_node y)
{
    return permuted(t, y, true);
}

static gb_shape permutation_shape(const gb_transform *t, gb_shape x)
{
    return x.size[x.rank - 1] == t->count ? x : (gb_shape){.rank = -1};
}

const gb_transform_type gb_permutation_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "permutation",
    .formula = "yi = x(order(i))",
    .from = GB_REAL_VECTOR,
    .to = GB_REAL_VECTOR,
    .forward = permutation_forward,
    .inverse = permutation_inverse,
    .log_jacobian = gb_keeps_volume,
    .shape = permutation_shape,
    .inverse_shape = permutation_shape,
};

/* Whether `order` has every place once. */
static bool is_permutation(int64_t count, const int64_t *order, bool *seen)
{
    for (int64_t i = 0; i < count; i++) {
        if (order[i] < 0 || order[i] >= count || seen[order[i]])
            return false;
        seen[order[i]] = true;
    }
    return true;
}

gb_transform gb_permutation_transform(gb_tape *tape, int64_t count, const int64_t *order)
{
    bool *const seen = count > 0 && order ? gb_tape_keep(tape, (size_t)count * sizeof *seen) : NULL;
    int64_t *const kept = seen ? gb_tape_keep(tape, (size_t)count * sizeof *kept) : NULL;
    if (!kept || !is_permutation(count, order, seen)) {
        gb_fail(tape, GB_EARGUMENT, "permutation: the order must have each of 0 … %lld once",
                (long long)count - 1);
        return (gb_transform){0};
    }
    memcpy(kept, order, (size_t)count * sizeof *kept);
    return (gb_transform){
        .type = &gb_permutation_transform_type, .tape = tape, .order = kept, .count = count};
}
