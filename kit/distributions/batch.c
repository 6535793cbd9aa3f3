/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances side by side, in a batch or along a hidden axis, equal single instances. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/array.h"
#include "ops/reduce.h"

enum { SIDE = 3, PLACES = 16 };

typedef struct batch {
    gb_dist_case c;
    gb_dist one[SIDE];
    gb_dist all;    /* a batch of SIDE */
    gb_dist hidden; /* the same along a hidden axis */
    gb_axes axis;
} batch;

/* The values of one parameter, side by side; their shapes are equal. */
static gb_node stacked(batch *b, size_t which)
{
    gb_shape shape = gb_node_shape(b->one[0].param[which]), whole = {.rank = 1, .size = {SIDE}};
    size_t count, each = gb_shape_count(shape);
    double *const values = gb_tape_keep(b->c.tape, SIDE * each * sizeof *values);
    for (size_t k = 0; k < SIDE; k++) {
        const double *const from = gb_kit_read(b->c.tape, b->one[k].param[which], &count);
        if (!values || !from || count != each)
            return (gb_node){0};
        memcpy(values + k * each, from, each * sizeof *values);
    }
    for (int i = 0; i < shape.rank; i++)
        whole.size[whole.rank++] = shape.size[i];
    return gb_constant(b->c.tape, whole, gb_values_of(values, SIDE * each));
}

static bool make_batch(batch *b, bool alternative)
{
    gb_dist_case *const c = &b->c;
    char prefix[16];
    size_t count;
    for (size_t k = 0; k < SIDE; k++) {
        snprintf(prefix, sizeof prefix, "%zu ", k);
        b->one[k] = gb_dist_at_grid(c->tape, c->check->grid.type,
                                    (gb_case_number){.number = k, .alternative = alternative}, prefix, false);
        if (!gb_dist_ok(b->one[k]) || !gb_shape_same(gb_dist_shape(b->one[k]), gb_dist_shape(b->one[0])))
            return false;
    }
    gb_dist_params(&b->one[0], &count);
    b->all = b->hidden = b->one[0];
    b->axis = gb_site_axis(c->tape, "side by side", SIDE);
    for (size_t i = 0; i < count; i++) {
        b->all.param[i] = stacked(b, i);
        b->hidden.param[i] = gb_hide(b->all.param[i], b->axis);
    }
    b->all = gb_dist_checked(b->all);
    b->hidden = gb_dist_checked(b->hidden);
    c->shape = gb_dist_shape(b->one[0]);
    c->size = gb_shape_count(c->shape);
    return gb_dist_ok(b->all) && gb_dist_ok(b->hidden);
}

static bool as_close(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fmax(1, fabs(a));
}

/* Compares log_prob at place k, as part of all, with log_prob of the single instance. */
static void compare(batch *b, size_t k, const double *x)
{
    gb_case_function f;
    double out[3 * PLACES];
    gb_case_function_begin(&f, &b->c);
    const gb_node in_batch = gb_log_prob(b->all, f.x), along = gb_log_prob(b->hidden, f.x);
    const gb_node roots[] = {
        gb_log_prob(b->one[k], f.x),
        gb_reshape(gb_slice(gb_broadcast(in_batch, gb_shape(SIDE)), 0, (int64_t)k, (int64_t)k + 1),
                   gb_shape()),
        gb_select(along, b->axis, (int64_t)k)};
    if (!gb_case_function_finish(&f, 3, roots) || !gb_case_evaluate(&f, PLACES, x, out))
        return;
    for (size_t i = 0; i < PLACES; i++) {
        gb_kit_verdict(b->c.kit, GB_ON_BATCH, as_close(out[i], out[PLACES + i]),
                       "log_prob(%.9g) is %.12g in a batch, but %.12g alone", x[i * b->c.size],
                       out[PLACES + i], out[i]);
        gb_kit_verdict(b->c.kit, GB_ON_BATCH, as_close(out[i], out[2 * PLACES + i]),
                       "log_prob(%.9g) is %.12g along a hidden axis, but %.12g alone", x[i * b->c.size],
                       out[2 * PLACES + i], out[i]);
    }
}

/* Each draw of a batch must lie in the support of its own distribution. */
static void check_draws(batch *b)
{
    const gb_node draw = gb_sample(b->all, gb_stream(b->c.tape, "kit batch"), 0);
    const gb_node log_p = gb_sum(gb_log_prob(b->all, draw));
    const double total = gb_kit_number(b->c.tape, log_p);
    gb_kit_verdict(b->c.kit, GB_ON_BATCH, isfinite(total),
                   "the sum of log_prob over one draw of a batch is %g", total);
}

void gb_dist_check_batch(gb_dist_check *check, bool alternative)
{
    batch b;
    gb_kit_label(&check->kit, "the first three instances");
    if (!gb_dist_case_tape(&b.c, check, GB_DOUBLE))
        return;
    if (check->points || !make_batch(&b, alternative)) {
        gb_kit_skip(b.c.kit, GB_ON_BATCH, "no three instances of one shape");
    } else {
        double *const x =
            gb_case_draws(&b.c, gb_sample(b.one[0], gb_stream(b.c.tape, "kit draws"), GB_SAMPLES), PLACES);
        for (size_t k = 0; x && k < SIDE; k++)
            compare(&b, k, x);
        check_draws(&b);
    }
    gb_dist_case_fine(&b.c);
    gb_dist_case_end(&b.c);
}
