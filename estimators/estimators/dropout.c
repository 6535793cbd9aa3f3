/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout: pathwise in the weights. The mask is a site of its own, with any estimator. */
#include "estimators/list.h"

#include <stdio.h>
#include <string.h>

#include "core/op.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/list.h"

enum { WEIGHT, KEEP };

/* Returns one rate for each mask. Draws over the rows have a mask for each. */
static gb_node rates(const gb_site *site, bool per_row)
{
    const gb_node rate = gb_broadcast_to(site->q.param[KEEP], gb_dist_batch_shape(site->q));
    return gb_widen(rate, gb_dist_axes(site->q) | ((per_row ? GB_ROWS : site->axes) & GB_ROWS));
}

static gb_node mask_of(const gb_site *site)
{
    const gb_dropout_draws_options *const options = site->options;
    const gb_dist mask = gb_bernoulli(rates(site, options->per_row));
    const size_t bytes = strlen(site->name) + sizeof ".mask";
    char *const name = gb_tape_keep(site->q.tape, bytes);
    if (!name)
        return (gb_node){0};
    snprintf(name, bytes, "%s.mask", site->name);
    return options->mask.type ? gb_draw(site->expectation, name, mask, options->mask)
                              : gb_sample(mask, site->noise, site->axes | gb_dist_axes(mask));
}

static gb_node draw(gb_site *site)
{
    return gb_mul(gb_add_axes(mask_of(site), gb_dist_event_shape(site->q).rank), site->q.param[WEIGHT]);
}

/* Looks through the checks that the distribution adds to its parameters. */
static bool is_fixed(gb_node rate)
{
    while (gb_node_op(rate)->rejection)
        rate = gb_node_argument(rate, 0);
    return gb_is_constant(rate) || gb_node_is(rate, "stop");
}

static const char *lacks(const gb_dist *q, const void *bytes)
{
    const gb_dropout_draws_options *const options = bytes;
    if (q->type != &gb_bernoulli_dropout_type && q->type != &gb_unit_dropout_type)
        return "mask (bernoulli_dropout, unit_dropout)";
    return !options || options->mask.type || is_fixed(q->param[KEEP])
               ? NULL
               : "constant keep (or a stopped one), or an estimator for its mask: .mask = gb_arm()";
}

static const gb_option table[] = {GB_OPTION_PLUGIN(gb_dropout_draws_options, mask, gb_estimator, NULL,
                                                   "estimator of the mask; none: the rate is fixed"),
                                  GB_OPTION_FLAG(gb_dropout_draws_options, per_row, "a mask for each row"),
                                  {0}};

const gb_estimator_type gb_dropout_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "dropout",
    .cite = "Gal and Ghahramani 2016",
    .formula = "df(m weight) in the weight; the estimator of the mask m in keep",
    .needs = GB_NEEDS_SMOOTH_COST,
    .lacks = lacks,
    .draw = draw,
    .options = table,
    .option_bytes = sizeof(gb_dropout_draws_options),
};

gb_estimator gb_dropout_draws_with(const gb_dropout_draws_options *options)
{
    return gb_estimator_of(&gb_dropout_estimator_type, options);
}
