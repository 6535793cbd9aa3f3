/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances side by side, in a batch or along a hidden axis, equal single instances, and have draws of their
 * own. */
#include <math.h>
#include <string.h>

#include "compare/moments.h"
#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/chance_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { SIDE = 3, PLACES = 16 };

typedef struct batch {
    gb_dist_case c;
    gb_dist one[SIDE];
    gb_dist all;    /* a batch of SIDE */
    gb_dist hidden; /* the same along a hidden axis */
    gb_axes axis;
    gb_noise noise;
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
    b->noise = gb_stream(c->tape, "kit side by side");
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
static void check_support(batch *b)
{
    const gb_node draw = gb_sample(b->all, b->noise, 0);
    const gb_node log_p = gb_sum(gb_log_prob(b->all, draw));
    const double total = gb_kit_number(b->c.tape, log_p);
    gb_kit_verdict(b->c.kit, GB_ON_BATCH, isfinite(total),
                   "the sum of log_prob over one draw of a batch is %g", total);
}

enum { LAW_DRAWS = 8192 };

/* Compares the mean of a bounded function over draws of instance k, alone and side by side with others. */
static void compare_means(batch *b, const char *where, size_t k, const gb_rule *along, size_t which,
                          const double *alone, const double *beside)
{
    const gb_dist_case *const c = &b->c;
    gb_moments is = {0}, should = {0};
    for (size_t i = 0; i < LAW_DRAWS; i++) {
        const double one = gb_case_bounded(which, gb_case_project(c, along, alone + i * c->size));
        const double other =
            gb_case_bounded(which, gb_case_project(c, along, beside + (i * SIDE + k) * c->size));
        gb_moments_add(&should, 1, &one, 1);
        gb_moments_add(&is, 1, &other, 1);
    }
    const double n = LAW_DRAWS, variance = gb_moments_variance(&is) + gb_moments_variance(&should);
    const double allowed = gb_chance_normal(5e-10) * sqrt(variance / n) + 60 / n;
    gb_kit_verdict(
        c->kit, GB_ON_BATCH, fabs(is.mean - should.mean) <= allowed,
        "draws of instance %zu %s: bounded function %zu, along direction %zu, has the mean %.5g, but "
        "%.5g alone; %.2g is allowed",
        k, where, which, along->direction, is.mean, should.mean, allowed);
}

/* `draw` has SIDE places, each with the parameters of another instance. */
static void check_laws(batch *b, const char *where, gb_node draw,
                       gb_node (*draw_alone)(gb_dist d, gb_noise noise, gb_axes axes))
{
    gb_dist_case *const c = &b->c;
    const size_t size = c->size;
    c->size = SIDE * size;
    const double *const beside = gb_case_draws(c, draw, LAW_DRAWS);
    c->size = size;
    for (size_t k = 0; beside && k < SIDE; k++) {
        const double *const alone = gb_case_draws(c, draw_alone(b->one[k], b->noise, GB_SAMPLES), LAW_DRAWS);
        for (size_t way = 0; alone && way < gb_case_directions(c); way++) {
            const gb_rule along = gb_rule_of_draws(c, way, LAW_DRAWS, alone);
            for (size_t which = 0; which < GB_CASE_FUNCTIONS; which++)
                compare_means(b, where, k, &along, which, alone, beside);
        }
    }
}

/* Instances side by side differ: each draw must follow its own. */
static void check_draws(batch *b, gb_node (*draw)(gb_dist d, gb_noise noise, gb_axes axes))
{
    gb_dist_case *const c = &b->c;
    const gb_shape several = gb_shape_join(gb_shape(SIDE), c->shape);
    check_laws(b, "in a batch", gb_broadcast(draw(b->all, b->noise, GB_SAMPLES), several), draw);
    check_laws(b, "along a hidden axis",
               gb_widen(draw(b->hidden, b->noise, GB_SAMPLES), GB_SAMPLES | b->axis), draw);
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
        check_support(&b);
        check_draws(&b, gb_sample);
        if (gb_dist_can(b.all, GB_CAN_RSAMPLE) && GB_HAS(b.all.type, sample))
            check_draws(&b, gb_rsample);
    }
    gb_dist_case_fine(&b.c);
    gb_dist_case_end(&b.c);
}

/* ---- axes ---- */

/* A point mass needs no axes: its draws are all the same. */
static bool is_the_same_each_time(gb_dist_case *c, gb_noise noise)
{
    enum { TIMES = 32 };
    const gb_node draw = gb_sample(c->d, noise, 0);
    const gb_node look = gb_sum(gb_sum_over(draw, gb_node_axes(draw)));
    gb_program *const program = gb_compile(c->tape, gb_roots(look), gb_no_update);
    double first = NAN;
    bool same = true;
    for (int i = 0; i < TIMES && gb_run(program) == GB_OK; i++) {
        first = i == 0 ? gb_value(look) : first;
        same &= gb_value(look) == first;
    }
    gb_program_free(program);
    return same;
}

/* Without an axis, a draw is shared along it. */
static void check_drawn_axes(gb_dist_case *c)
{
    const gb_noise noise = gb_stream(c->tape, "kit axes");
    const gb_axes site = gb_site_axis(c->tape, "kit axes", SIDE), all = GB_SAMPLES | GB_ROWS | site;
    gb_axes missing = all & ~gb_node_axes(gb_sample(c->d, noise, all));
    if (gb_dist_can(c->d, GB_CAN_RSAMPLE))
        missing |= all & ~gb_node_axes(gb_rsample(c->d, noise, all));
    if (gb_dist_case_fine(c))
        gb_kit_verdict(c->kit, GB_ON_DRAWN, !missing || is_the_same_each_time(c, noise),
                       "draws lack the hidden axes of%s%s%s: draw noise along all of from->axes",
                       missing & GB_SAMPLES ? " samples" : "", missing & site ? " a site" : "",
                       missing & GB_ROWS ? " rows" : "");
}

void gb_dist_check_axes(gb_dist_case *c)
{
    check_drawn_axes(c);
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

/* An even number of places: halves may be alike. */
enum { DRAWN = 8192, EACH_WAY = 4, MOST_PLACES = EACH_WAY * EACH_WAY };

/* A bounded function of the draw at one of some places, for all samples, less its mean. Returns its
 * variance. */
static double bounded_at(const gb_dist_case *c, const gb_rule *rule, const double *draws, size_t places,
                         size_t place, double out[DRAWN])
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < DRAWN; i++) {
        out[i] = gb_case_bounded(0, gb_case_project(c, rule, draws + (i * places + place) * c->size));
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

static void judge_places(gb_dist_case *c, const char *where, size_t places, const double *draws, double *f)
{
    double variance[MOST_PLACES];
    const gb_rule rule = gb_rule_of_draws(c, 0, places * DRAWN, draws);
    for (size_t k = 0; k < places; k++)
        variance[k] = bounded_at(c, &rule, draws, places, k, f + k * DRAWN);
    for (size_t k = 1; k < places; k++)
        for (size_t j = 0; j < k; j++) {
            double product = 0;
            for (size_t i = 0; i < DRAWN; i++)
                product += f[k * DRAWN + i] * f[j * DRAWN + i] / DRAWN;
            judge_pair(c, where, product, variance[k] * variance[j]);
        }
}

typedef struct apart {
    gb_dist_case *c;
    gb_noise noise;
    gb_axes site;
    gb_node rows; /* EACH_WAY zeros: rows have no number before they are fed */
} apart;

/* `draw` has `places` places, in a batch or along hidden axes. */
static void check_places(const apart *a, const char *where, size_t places, gb_node draw, gb_axes axes)
{
    size_t count;
    gb_dist_case *const c = a->c;
    const gb_node root = gb_widen(axes & GB_ROWS ? gb_add(draw, a->rows) : draw, GB_SAMPLES | axes);
    gb_program *const program = gb_compile(c->tape, gb_roots(root), gb_no_update);
    double *const f = gb_tape_keep(c->tape, places * DRAWN * sizeof *f);
    if (!f || gb_program_set_samples(program, DRAWN) != GB_OK || gb_run(program) != GB_OK)
        return;
    const double *const draws = gb_kit_read(c->tape, root, &count);
    gb_program_free(program);
    if (draws && count == places * DRAWN * c->size)
        judge_places(c, where, places, draws, f);
}

/* `asked` says whether the axes are asked for; else parameters have them. Without axes the draws are a
 * batch. */
static void check_draws_of(const apart *a, const char *where, gb_dist d, gb_axes axes, bool asked)
{
    const gb_axes all = GB_SAMPLES | (asked ? axes : 0);
    const gb_shape several = axes ? a->c->shape : gb_shape_join(gb_shape(EACH_WAY), a->c->shape);
    const size_t places = axes == (a->site | GB_ROWS) ? MOST_PLACES : EACH_WAY;
    if (!gb_dist_ok(d) || !gb_shape_same(gb_dist_shape(d), several))
        return;
    check_places(a, where, places, gb_broadcast(gb_sample(d, a->noise, all), several), axes);
    if (gb_dist_can(d, GB_CAN_RSAMPLE))
        check_places(a, where, places, gb_broadcast(gb_rsample(d, a->noise, all), several), axes);
}

/* The instance several times: in a batch that comes from one parameter or another, or along hidden axes: of a
 * site, of rows, of both. */
void gb_dist_check_apart(gb_dist_case *c)
{
    char where[64];
    size_t count;
    const double zeros[EACH_WAY] = {0};
    const gb_option *const params = gb_dist_params(&c->d, &count);
    const apart a = {.c = c,
                     .noise = gb_stream(c->tape, "kit apart"),
                     .site = gb_site_axis(c->tape, "apart", EACH_WAY),
                     .rows = gb_input_rows(c->tape, "kit apart", gb_shape())};
    const gb_axes axes[] = {a.site, GB_ROWS, a.site | GB_ROWS};
    static const char *const of[] = {"a site", "rows", "a site and rows"};
    gb_feed(a.rows, zeros, EACH_WAY);
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
        snprintf(where, sizeof where, "along the hidden axis of %s", of[k]);
        check_draws_of(&a, where, c->d, axes[k], true);
    }
    for (size_t i = 0; i < count && !c->d.base; i++) {
        gb_dist d = c->d;
        const gb_node param = c->d.param[i];
        d.param[i] = gb_broadcast(param, gb_shape_join(gb_shape(EACH_WAY), gb_node_shape(param)));
        snprintf(where, sizeof where, "in a batch of %.40s", params[i].name);
        check_draws_of(&a, where, gb_dist_checked(d), 0, false);
        for (size_t k = 0; k < 2; k++) {
            d.param[i] = gb_widen(param, axes[k]);
            snprintf(where, sizeof where, "along the hidden axis of %s of %.30s", of[k], params[i].name);
            if (gb_dist_case_fine(c))
                check_draws_of(&a, where, gb_dist_checked(d), axes[k], false);
        }
    }
    if (c->d.base)
        check_draws_of(&a, "in a batch",
                       gb_dist_expand(c->d, gb_shape_join(gb_shape(EACH_WAY), gb_dist_batch_shape(c->d))), 0,
                       false);
}
