/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ready/models.h"

/* Means and standard deviations are (components, columns), in the units of the columns. */
typedef struct mixture {
    gb_node log_weight, mean, sd;
} mixture;

typedef struct numbers {
    size_t weight, ordered, mean, sd;
} numbers;

static bool options_fit(gb_model_site *s, const gb_mixture_model_options *o)
{
    if (o->components < 2)
        gb_fail(s->tape, GB_EARGUMENT, "mixture: .components is %lld, and must be at least 2",
                (long long)o->components);
    else if (o->order_by >= s->columns)
        gb_fail(s->tape, GB_EARGUMENT, "mixture: .order_by is %lld, and there are columns 0 to %lld",
                (long long)o->order_by, (long long)s->columns - 1);
    return gb_error(s->tape) == GB_OK;
}

static void declare(gb_model_site *s, const gb_mixture_model_options *o, numbers *part)
{
    gb_tape *const t = s->tape;
    const int64_t k = o->components, others = s->columns - (o->unordered ? 0 : 1);
    const gb_dist of_mean = gb_normal(gb_num(t, 0), gb_num(t, o->mean_scale));
    const gb_node concentration = gb_broadcast(gb_num(t, o->concentration), gb_shape(k));
    part->weight = gb_model_part_of(s, NULL, "weights", gb_shape(k), gb_dirichlet(concentration));
    if (!o->unordered)
        part->ordered = gb_model_part(s, (gb_latent_part){.name = "ordered means",
                                                          .shape = gb_shape(k),
                                                          .prior = gb_no_prior,
                                                          .support = GB_ORDERED});
    if (others > 0)
        part->mean = gb_model_part_of(s, NULL, "means", gb_shape(k, others), of_mean);
    part->sd = gb_model_part_of(s, NULL, "sds", gb_shape(k, s->columns),
                                gb_model_sd_prior(s, o->sd_scale, o->sd_floor));
}

/* Of the k! orders of independent means one is allowed, so their density is k! times as high. */
static void add_prior_of_ordered(gb_model_site *s, const gb_mixture_model_options *o, gb_node ordered)
{
    gb_tape *const t = s->tape;
    gb_prior(s->elbo, "prior of ordered means", gb_normal(gb_num(t, 0), gb_num(t, o->mean_scale)), ordered);
    gb_factor(s->elbo, "orders", gb_num(t, lgamma((double)o->components + 1)));
}

static gb_node standard_means(gb_model_site *s, const gb_mixture_model_options *o, const numbers *part)
{
    if (o->unordered)
        return gb_model_value(s, part->mean);
    const gb_node ordered = gb_model_value(s, part->ordered), column = gb_expand(ordered, -1);
    add_prior_of_ordered(s, o, ordered);
    if (s->columns == 1)
        return column;
    const gb_node others = gb_model_value(s, part->mean);
    gb_node side[3];
    size_t sides = 0;
    if (o->order_by > 0)
        side[sides++] = gb_slice(others, -1, 0, o->order_by);
    side[sides++] = column;
    if (o->order_by + 1 < s->columns)
        side[sides++] = gb_slice(others, -1, o->order_by, s->columns - 1);
    return gb_concat(sides, side, -1);
}

static void show(gb_model_site *s, const mixture *m)
{
    char name[160];
    gb_model_show(s, "weight", gb_exp(m->log_weight));
    for (int64_t c = 0; c < s->columns; c++) {
        snprintf(name, sizeof name, "mean of %.120s", s->column[c]);
        gb_model_show(s, name, gb_reshape(gb_slice(m->mean, -1, c, c + 1), gb_node_shape(m->log_weight)));
    }
    for (int64_t c = 0; c < s->columns; c++) {
        snprintf(name, sizeof name, "sd of %.120s", s->column[c]);
        gb_model_show(s, name, gb_reshape(gb_slice(m->sd, -1, c, c + 1), gb_node_shape(m->log_weight)));
    }
}

/* log p of each number of a row in each component, (components, columns); 0 where it is missing. */
static gb_node of_numbers(const gb_model_site *s, const mixture *m)
{
    const gb_node each = gb_log_prob(gb_normal(m->mean, m->sd), gb_expand(s->x, 0));
    return gb_node_ok(s->present) ? gb_mul(each, gb_expand(s->present, 0)) : each;
}

/* log w_k + log p(x | k) of a row, (components), of the numbers that are there. */
static gb_node joint(const mixture *m, gb_node of_number)
{
    return gb_add(m->log_weight, gb_sum_along(of_number, gb_axis(-1)));
}

/* The law of each number: the weights of the components are those that the other numbers of its row give. */
static gb_dist given_others(const mixture *m, gb_node of_number, gb_node log_joint)
{
    const gb_node by_others = gb_sub(gb_expand(log_joint, -1), of_number);
    return gb_mixture(gb_transpose(by_others, gb_axis()),
                      gb_normal(gb_transpose(m->mean, gb_axis()), gb_transpose(m->sd, gb_axis())));
}

static void show_rows(gb_model_site *s, const mixture *m, gb_node log_joint)
{
    const gb_node probability = gb_softmax(log_joint, -1);
    gb_model_keep(s, "component", probability);
    if (gb_node_ok(s->present))
        gb_model_keep(
            s, "imputed",
            gb_add(s->x, gb_mul(gb_sub(gb_num(s->tape, 1), s->present), gb_matmul(probability, m->mean))));
}

/* q of a row's component is its posterior given all else. There the ELBO has no slope in q, so that q has no
 * path of a gradient through it. */
static bool observe_drawn(gb_model_site *s, const mixture *m, gb_node log_joint, gb_estimator estimator)
{
    const gb_node component = gb_latent(s->elbo, gb_model_name(s, "component"),
                                        gb_posterior_of(gb_categorical_logits(gb_stop(log_joint))),
                                        gb_categorical_logits(m->log_weight), estimator, .weight = s->weight);
    const gb_node of_row = gb_to_int(component);
    return gb_model_observe_columns(s, gb_normal(gb_gather(m->mean, 0, of_row), gb_gather(m->sd, 0, of_row)));
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_mixture_model_options *const o = options;
    numbers part = {0};
    if (!options_fit(s, o))
        return false;
    declare(s, o, &part);
    if (!gb_model_draw(s))
        return false;
    const gb_node scale = gb_model_sds(s);
    const mixture m = {.log_weight = gb_log(gb_model_value(s, part.weight)),
                       .mean = gb_add(gb_model_means(s), gb_mul(scale, standard_means(s, o, &part))),
                       .sd = gb_mul(scale, gb_model_value(s, part.sd))};
    const gb_node of_number = of_numbers(s, &m), log_joint = joint(&m, of_number);
    show(s, &m);
    show_rows(s, &m, log_joint);
    if (o->classes.type)
        return observe_drawn(s, &m, log_joint, o->classes);
    if (gb_node_ok(s->present))
        return gb_model_observe_rows(s, gb_logsumexp(log_joint), given_others(&m, of_number, log_joint));
    return gb_model_observe_columns(s, gb_mixture(m.log_weight, gb_independent(gb_normal(m.mean, m.sd), 1)));
}

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_mixture_model_options, components, 2, GB_COUNT, "how many"),
    GB_OPTION_WHOLE(gb_mixture_model_options, order_by, 0, GB_COUNT,
                    "column by whose means they are ordered"),
    GB_OPTION_FLAG(gb_mixture_model_options, unordered, "components may be exchanged"),
    GB_OPTION_NUMBER(gb_mixture_model_options, concentration, 1, GB_POSITIVE, "of the Dirichlet prior"),
    GB_OPTION_NUMBER(gb_mixture_model_options, mean_scale, 2, GB_POSITIVE, "of means, in sds of columns"),
    GB_OPTION_NUMBER(gb_mixture_model_options, sd_scale, 1, GB_POSITIVE, "of sds, in sds of columns"),
    GB_OPTION_PLUGIN(gb_mixture_model_options, classes, gb_estimator, NULL, "draws components of rows"),
    GB_OPTION_NUMBER(gb_mixture_model_options, sd_floor, 0.1, GB_POSITIVE, "below it sds are unlikely"),
    {0}};

const gb_model_type gb_mixture_model_type = {
    .size = sizeof(gb_model_type),
    .name = "mixture",
    .formula = "x ~ sum_k w_k N(mean_k, diag sd_k^2)",
    .options = table,
    .option_bytes = sizeof(gb_mixture_model_options),
    .no_intercept = true,
    .build = build,
};

gb_model gb_mixture_model_with(const gb_mixture_model_options *options)
{
    return gb_model_of(&gb_mixture_model_type, options);
}
