/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances side by side, in a batch or along a hidden axis, equal single instances, and have draws of their
 * own. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
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

/* ---- axes ---- */

void gb_dist_check_axes(gb_dist_case *c)
{
    char is[GB_SHAPE_TEXT], should[GB_SHAPE_TEXT];
    const gb_node x = gb_input_rows(c->tape, "kit axes", c->shape);
    const gb_node log_p = c->d.type->log_prob(&c->d, x), broadcast = gb_log_prob(c->d, x);
    const gb_shape side = gb_dist_batch_shape(c->d);
    if (!gb_dist_case_fine(c))
        return;
    gb_kit_verdict(c->kit, GB_ON_AXES, (gb_node_axes(log_p) & GB_ROWS) != 0,
                   "log_prob of a value with rows has no rows");
    gb_kit_verdict(c->kit, GB_ON_AXES, gb_shape_same(gb_node_shape(broadcast), side),
                   "log_prob has the shape %s, and its batch %s", gb_shape_text(gb_node_shape(broadcast), is),
                   gb_shape_text(side, should));
}

/* ---- draws of their own ---- */

enum { DRAWN = 8192 };

/* A bounded function of the draw at one place, for all samples, less its mean. Returns its variance. */
static double bounded_at(const gb_dist_case *c, const gb_rule *rule, const double *draws, size_t place,
                         double out[DRAWN])
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < DRAWN; i++) {
        out[i] = gb_case_bounded(0, gb_case_project(c, rule, draws + (i * SIDE + place) * c->size));
        mean += out[i] / DRAWN;
    }
    for (size_t i = 0; i < DRAWN; i++) {
        out[i] -= mean;
        variance += out[i] * out[i] / DRAWN;
    }
    return variance;
}

/* Bernstein's bound on the mean of products of independent numbers, which are at most 2: it holds for rare
 * events too, of which it sees nothing. */
static void judge_pair(gb_dist_case *c, const char *where, double product, double variance)
{
    const double log_chance = log(2 / 5e-10);
    const double allowed = sqrt(2 * variance * log_chance / DRAWN) + 8 * log_chance / (3.0 * DRAWN);
    if (variance > 0 && allowed < 0.9 * sqrt(variance))
        gb_kit_verdict(c->kit, GB_ON_APART, fabs(product) <= allowed,
                       "%s: the correlation of two is %.3g; %.2g is allowed", where, product / sqrt(variance),
                       allowed / sqrt(variance));
}

/* `draw` has SIDE places, in a batch or along `axis`. */
static void check_places(gb_dist_case *c, const char *where, gb_node draw, gb_axes axis)
{
    size_t count;
    const gb_node root = gb_widen(draw, GB_SAMPLES | axis);
    gb_program *const program = gb_compile(c->tape, gb_roots(root), gb_no_update);
    double *const f = gb_tape_keep(c->tape, SIDE * DRAWN * sizeof *f);
    if (!f || gb_program_set_samples(program, DRAWN) != GB_OK || gb_run(program) != GB_OK)
        return;
    const double *const draws = gb_kit_read(c->tape, root, &count);
    gb_program_free(program);
    if (!draws || count != SIDE * DRAWN * c->size)
        return;
    double variance[SIDE];
    const gb_rule rule = gb_rule_of_draws(c, SIDE * DRAWN, draws);
    for (size_t k = 0; k < SIDE; k++)
        variance[k] = bounded_at(c, &rule, draws, k, f + k * DRAWN);
    for (size_t k = 1; k < SIDE; k++)
        for (size_t j = 0; j < k; j++) {
            double product = 0;
            for (size_t i = 0; i < DRAWN; i++)
                product += f[k * DRAWN + i] * f[j * DRAWN + i] / DRAWN;
            judge_pair(c, where, product, variance[k] * variance[j]);
        }
}

/* `asked` says whether the axis is asked for; else it is one of the parameters. */
static void check_draws_of(gb_dist_case *c, const char *where, gb_noise noise, gb_dist d, gb_axes axis,
                           bool asked)
{
    const gb_axes axes = GB_SAMPLES | (asked ? axis : 0);
    const gb_shape several = axis ? c->shape : gb_shape_join(gb_shape(SIDE), c->shape);
    if (!gb_dist_ok(d) || !gb_shape_same(gb_dist_shape(d), several))
        return;
    check_places(c, where, gb_broadcast(gb_sample(d, noise, axes), several), axis);
    if (gb_dist_can(d, GB_CAN_RSAMPLE))
        check_places(c, where, gb_broadcast(gb_rsample(d, noise, axes), several), axis);
}

/* The instance SIDE times: in a batch that comes from one parameter or another, or along a hidden axis. */
void gb_dist_check_apart(gb_dist_case *c)
{
    char where[64];
    size_t count;
    const gb_option *const params = gb_dist_params(&c->d, &count);
    const gb_axes axis = gb_site_axis(c->tape, "apart", SIDE);
    const gb_noise noise = gb_stream(c->tape, "kit apart");
    check_draws_of(c, "along a hidden axis", noise, c->d, axis, true);
    for (size_t i = 0; i < count && !c->d.base; i++) {
        gb_dist d = c->d;
        const gb_node param = c->d.param[i];
        d.param[i] = gb_broadcast(param, gb_shape_join(gb_shape(SIDE), gb_node_shape(param)));
        snprintf(where, sizeof where, "in a batch of %.40s", params[i].name);
        check_draws_of(c, where, noise, gb_dist_checked(d), 0, false);
        d.param[i] = gb_widen(param, axis);
        snprintf(where, sizeof where, "along a hidden axis of %.40s", params[i].name);
        if (gb_dist_case_fine(c))
            check_draws_of(c, where, noise, gb_dist_checked(d), axis, false);
    }
    if (c->d.base)
        check_draws_of(c, "in a batch", noise,
                       gb_dist_expand(c->d, gb_shape_join(gb_shape(SIDE), gb_dist_batch_shape(c->d))), 0,
                       false);
}
