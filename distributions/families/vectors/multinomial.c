/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each of K categories occurs in `total` trials. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/scan.h"

enum { MOST_VALUES = 10000 };

static gb_node total(const gb_dist *d)
{
    return d->param[0];
}

/* The number of trials, for each category. */
static gb_node trials(const gb_dist *d)
{
    return gb_add_axes(total(d), 1);
}

/* The law of independent Poisson counts with these means, given their sum. It uses that the probabilities sum
 * to 1, except for the gradient, which is that of Σ x log p in each p. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_chances c = gb_chances_of(d);
    const gb_node n = trials(d), log_n = gb_log(n);
    gb_node each = gb_log_poisson(x, gb_mul(n, c.p), gb_add(log_n, c.log_p));
    if (!c.soft)
        each = gb_add(each, gb_gradient_only(gb_mul(n, c.p)));
    const gb_node of_total = gb_log_poisson(total(d), total(d), gb_log(total(d)));
    const gb_node sum = gb_sum_event(x, 1), log_p = gb_sub(gb_sum_event(each, 1), of_total);
    const gb_node differs = gb_greater(gb_abs(gb_sub(sum, total(d))), gb_num(d->tape, 0));
    return gb_where(differs, gb_num(d->tape, -INFINITY), log_p);
}

/* ---- draws ---- */

/* The probability of each category, given that it is none of those before it. */
static gb_node conditional(const gb_dist *d)
{
    const gb_node p = gb_chances_of(d).p, zero = gb_num(d->tape, 0);
    const gb_node tail = gb_cumsum(p, -1, .reverse = true);
    const gb_node ratio = gb_min(gb_div(p, tail), gb_num(d->tape, 1));
    return gb_where(gb_greater(tail, zero), ratio, zero);
}

/* One binomial draw after another, each of the trials that are left. */
static void draw_counts(const gb_dist *d, const gb_source *from, int64_t count, gb_node *part)
{
    const gb_node p = conditional(d);
    const gb_shape batch = gb_dist_batch_shape(*d);
    gb_node left = gb_broadcast_to(total(d), batch);
    for (int64_t k = 0; k + 1 < count; k++) {
        const gb_node p_k = gb_squeeze(gb_slice(p, -1, k, k + 1), -1);
        part[k] = gb_binomial_noise(from->noise, batch, from->axes, left, p_k);
        left = gb_sub(left, part[k]);
    }
    part[count - 1] = left;
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const int64_t count = gb_chances_of(d).count;
    const gb_memory memory = gb_tape_memory(d->tape);
    gb_node *const part = gb_memory_resize(&memory, NULL, (size_t)count * sizeof *part), x = {0};
    if (part) {
        draw_counts(d, from, count, part);
        x = gb_stack((size_t)count, part, -1);
    } else {
        gb_fail(d->tape, GB_ENOMEM, "multinomial: out of memory");
    }
    gb_memory_release(&memory, part);
    return x;
}

/* ---- moments ---- */

static gb_node mean(const gb_dist *d)
{
    return gb_mul(trials(d), gb_chances_of(d).p);
}

static gb_node variance(const gb_dist *d)
{
    const gb_chances c = gb_chances_of(d);
    return gb_mul(mean(d), gb_chances_rest(&c));
}

/* ---- all values ---- */

/* C(total + K − 1, K − 1), or a number above MOST_VALUES if it is larger. */
static int64_t how_many(int64_t total, int64_t count)
{
    int64_t values = 1;
    for (int64_t i = 1; i < count && values <= MOST_VALUES; i++)
        values = total > MOST_VALUES ? MOST_VALUES + 1 : values * (total + i) / i;
    return values;
}

/* The next value in order. The last count that is not 0 gives one to the place before it, and the rest of it
 * moves to the last place. */
static void step(double *x, int64_t count)
{
    int64_t i = count - 1;
    while (i > 0 && x[i] == 0)
        i--;
    const double gathered = i > 0 ? x[i] - 1 : 0;
    if (i == 0)
        return;
    x[i - 1]++;
    x[i] = 0;
    x[count - 1] = gathered;
}

static gb_node list(const gb_dist *d, int64_t total_count, int64_t count, int64_t values)
{
    const gb_memory memory = gb_tape_memory(d->tape);
    const size_t elements = (size_t)(values * count);
    double *const x = gb_memory_resize(&memory, NULL, elements * sizeof *x);
    gb_node all = {0};
    if (!x) {
        gb_fail(d->tape, GB_ENOMEM, "multinomial: out of memory");
        return all;
    }
    memset(x, 0, (size_t)count * sizeof *x);
    x[count - 1] = (double)total_count;
    for (int64_t i = 1; i < values; i++) {
        memcpy(x + i * count, x + (i - 1) * count, (size_t)count * sizeof *x);
        step(x + i * count, count);
    }
    all = gb_constant(d->tape, gb_shape(values, count), gb_values_of(x, elements));
    gb_memory_release(&memory, x);
    return all;
}

static gb_node enumerate(const gb_dist *d)
{
    const int64_t most = gb_known_total(d), count = gb_chances_of(d).count;
    if (most < 0)
        return (gb_node){0};
    const int64_t values = how_many(most, count);
    if (values <= MOST_VALUES)
        return list(d, most, count, values);
    gb_fail(d->tape, GB_EARGUMENT,
            "multinomial: more than %d values to list, with total %lld and %lld categories", MOST_VALUES,
            (long long)most, (long long)count);
    return (gb_node){0};
}

/* ---- divergence ---- */

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_chain(total(q), gb_chances_kl(q, p));
}

static bool fits(const gb_dist *q, const gb_dist *p)
{
    return gb_same_total(q, p) && gb_same_count(q, p);
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_multinomial_type, .p = &gb_multinomial_type, .kl = kl, .fits = fits}, {0}};

const gb_dist_type gb_multinomial_type = {
    .size = sizeof(gb_dist_type),
    .name = "multinomial",
    .formula = "log total! + sum(x log probs - log x!)",
    .param = {GB_PARAMETER("total", GB_COUNT), GB_PARAMETER("probs", GB_SIMPLEX)},
    .alternative = {GB_PARAMETER("total", GB_COUNT), GB_PARAMETER("logits", GB_LOGITS)},
    .support = GB_COUNT_VECTOR,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .mean = mean,
    .variance = variance,
    .enumerate = enumerate,
    .kl = pairs,
};
