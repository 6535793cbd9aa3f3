/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coefficients: standardised latents, and what they are for the columns as they are. */
#include <stdio.h>
#include <string.h>

#include "distributions/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ready/coefficients/coefficients_impl.h"
#include "ready/model/parts_impl.h"

enum { LONGEST_NAME = 160 };

static gb_shape of_slopes(const gb_coefficients *c)
{
    return gb_shape_join(gb_shape(c->columns), c->options.shape);
}

static bool has_groups(const gb_coefficients *c)
{
    return gb_node_ok(c->site->group) && c->options.shape.rank == 0;
}

static bool declare(gb_coefficients *c)
{
    gb_model_site *const s = c->site;
    const gb_coefficients_options *const o = &c->options;
    const void *const options = gb_options_use(s->tape, "model", "prior", &gb_shrinkage_kind, o->prior.type,
                                               &o->prior.options, &c->prior);
    if (!options || (c->columns > 0 && !o->prior.type->declare(s, o->name, of_slopes(c), options, c->slopes)))
        return false;
    if (c->has_intercept)
        c->intercept =
            gb_model_part_of(s, o->name, "intercept", o->shape,
                             gb_normal(gb_num(s->tape, 0),
                                       gb_num(s->tape, o->intercept_scale > 0 ? o->intercept_scale : 2.5)));
    if (has_groups(c)) {
        const gb_node one = gb_num(s->tape, 1);
        c->group =
            gb_model_part_of(s, o->name, "group.z", gb_shape(s->groups), gb_normal(gb_num(s->tape, 0), one));
        c->spread =
            gb_model_part_of(s, o->name, "group.tau", gb_shape(),
                             gb_half_normal(gb_num(s->tape, o->group_scale > 0 ? o->group_scale : 1)));
    }
    return gb_error(s->tape) == GB_OK;
}

static void take_choices(gb_coefficients_options *o)
{
    const gb_regression_choices *const given = o->choices;
    if (!given)
        return;
    o->prior = given->prior;
    o->intercept_scale = given->intercept_scale;
    o->group_scale = given->group_scale;
    o->raw = given->raw;
}

gb_coefficients *gb_coefficients_new_with(gb_model_site *s, const gb_coefficients_options *given)
{
    gb_coefficients *const c = s && gb_error(s->tape) == GB_OK ? gb_tape_keep(s->tape, sizeof *c) : NULL;
    if (!c)
        return NULL;
    *c = (gb_coefficients){.site = s, .first = s->has_intercept};
    if (!gb_options_take(s->tape, "coefficients", &c->options, sizeof c->options, given))
        return NULL;
    gb_coefficients_options *const o = &c->options;
    take_choices(o);
    o->name = gb_tape_keep_text(s->tape, o->name ? o->name : "");
    o->scale = o->scale != 0 ? o->scale : 1;
    if (!o->prior.type)
        o->prior = gb_normal_shrinkage();
    if (o->no_intercept && !s->has_intercept) {
        gb_fail(s->tape, GB_EARGUMENT,
                "model: its thresholds take the place of the intercept: leave out \"- 1\" or \"0 +\" of the "
                "formula, and .no_intercept of arrays");
        return NULL;
    }
    c->columns = s->columns - c->first;
    s->parts->has_scaled_slopes |= c->columns > 0 && !o->raw && !o->prior.type->is_flat;
    c->has_intercept = s->has_intercept && !o->no_intercept;
    if (!c->has_intercept && c->columns == 0) {
        gb_fail(s->tape, GB_EARGUMENT, "model: the formula has no column that could have a coefficient");
        return NULL;
    }
    return o->name && declare(c) && gb_coefficients_are_held(c, 0) ? c : NULL;
}

bool gb_coefficients_share_scale(const gb_coefficients *c)
{
    return c && c->options.prior.type->shares_scale;
}

/* ---- what the latents are for the columns as they are ---- */

/* (columns, 1 …): one number for each column, which broadcasts to the slopes. */
static gb_node for_slopes(const gb_coefficients *c, const double *of_column)
{
    gb_shape shape = gb_shape(c->columns);
    for (int i = 0; i < c->options.shape.rank; i++)
        shape = gb_shape_join(shape, gb_shape(1));
    return gb_constant(c->site->tape, shape, gb_values_of(of_column + c->first, (size_t)c->columns));
}

static void find_slopes(gb_coefficients *c)
{
    const gb_model_site *const s = c->site;
    const gb_coefficients_options *const o = &c->options;
    if (c->columns == 0)
        return;
    c->slope = o->prior.type->value(s, of_slopes(c), &c->prior, c->slopes);
    if (!o->raw)
        c->slope = gb_mul(gb_num(s->tape, o->scale), gb_div(c->slope, for_slopes(c, s->sd)));
}

/* Columns are centred where the formula has an intercept: its latent is the predictor at their means. */
static void find_level(gb_coefficients *c)
{
    const gb_model_site *const s = c->site;
    const gb_coefficients_options *const o = &c->options;
    if (!s->has_intercept)
        return;
    if (c->has_intercept)
        c->level = gb_model_value(s, c->intercept);
    if (o->raw)
        return;
    c->level = c->has_intercept
                   ? gb_add(gb_num(s->tape, o->centre), gb_mul(gb_num(s->tape, o->scale), c->level))
                   : gb_zeros(s->tape, o->shape);
    if (c->columns > 0)
        c->level = gb_sub(c->level, gb_sum_along(gb_mul(c->slope, for_slopes(c, s->mean)), gb_axis(0)));
}

static void find_groups(gb_coefficients *c)
{
    const gb_model_site *const s = c->site;
    if (!has_groups(c))
        return;
    c->tau = gb_model_value(s, c->spread);
    if (!c->options.raw)
        c->tau = gb_mul(gb_num(s->tape, c->options.scale), c->tau);
    c->of_group = gb_mul(c->tau, gb_model_value(s, c->group));
}

static bool find(gb_coefficients *c)
{
    if (!c || gb_error(c->site->tape) != GB_OK)
        return false;
    if (!gb_node_ok(c->slope) && !gb_node_ok(c->level)) {
        find_slopes(c);
        find_level(c);
        find_groups(c);
    }
    return gb_error(c->site->tape) == GB_OK;
}

gb_node gb_coefficients_level(gb_coefficients *c)
{
    return find(c) ? gb_node_ok(c->level) ? c->level : gb_zeros(c->site->tape, c->options.shape)
                   : (gb_node){0};
}

gb_node gb_coefficients_predictor(gb_coefficients *c, gb_node x)
{
    if (!find(c))
        return (gb_node){0};
    const gb_model_site *const s = c->site;
    gb_node sum = gb_num(s->tape, 0);
    if (c->columns > 0) {
        const gb_node part = c->first ? gb_slice(x, -1, c->first, s->columns) : x;
        sum = gb_matmul(part, c->slope);
    }
    if (gb_node_ok(c->level))
        sum = gb_add(sum, c->level);
    if (has_groups(c))
        sum = gb_add(sum, gb_gather(c->of_group, 0, s->group));
    return gb_node_ok(s->offset) ? gb_add(sum, s->offset) : sum;
}

/* ---- names ---- */

static void show(gb_coefficients *c, const char *column, gb_node node, const char *const *labels)
{
    char text[LONGEST_NAME];
    const int64_t count = (int64_t)gb_shape_count(c->options.shape);
    for (int64_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%.100s", column);
        if (c->options.shape.rank > 0 && labels)
            snprintf(text, sizeof text, "%.100s: %.50s", column, labels[i]);
        else if (c->options.shape.rank > 0)
            snprintf(text, sizeof text, "%.100s: %lld", column, (long long)i);
        gb_model_show(c->site, text, c->options.shape.rank > 0 ? gb_at(node, i) : node);
    }
}

void gb_coefficients_show(gb_coefficients *c, const char *const *labels)
{
    if (!find(c))
        return;
    if (c->has_intercept)
        show(c, c->site->column[0], c->level, labels);
    for (int64_t k = 0; k < c->columns; k++)
        show(c, c->site->column[c->first + k], gb_at(c->slope, k), labels);
    if (has_groups(c))
        gb_model_show(c->site, "tau", c->tau);
    for (int64_t g = 0; has_groups(c) && g < c->site->groups; g++) {
        char text[LONGEST_NAME];
        snprintf(text, sizeof text, "group[%.100s]", c->site->group_name[g]);
        gb_model_show(c->site, text, gb_at(c->of_group, g));
    }
}
