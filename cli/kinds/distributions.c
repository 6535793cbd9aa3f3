/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions, the divergences between them, and transforms. */
#include <math.h>

#include "cli/kinds/kind.h"
#include "cli/kinds/options.h"
#include "cli/shell/say.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/text.h"
#include "distributions/transforms.h"
#include "kit/check_distribution.h"
#include "kit/check_transform.h"

static void list_distribution(gb_cli_listing *l, size_t i)
{
    const gb_dist_type *const type = (const void *)gb_kind_at(&gb_dist_kind, i);
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "cite", type->cite);
    gb_cli_field(l, "support", type->support ? type->support->name : NULL);
    gb_cli_flag(l, "discrete", type->discrete, "discrete");
    gb_cli_flag(l, "reparameterised", type->rsample != NULL, "reparameterised");
    gb_cli_options(l, "parameters", type->param, GB_MAX_PARAMS);
    if (!l->json && type->alternative[0].name)
        gb_cli_field(l, "or", "by other parameters:");
    gb_cli_options(l, "alternative", type->alternative, GB_MAX_PARAMS);
}

/* The kit makes instances from a type's parameters alone. */
static const char *distribution_is_beyond(const char *name)
{
    const gb_dist_type *const type = gb_dist_find(name);
    if (!type)
        return NULL;
    const bool needs_more = type->wraps || type == &gb_lkj_cholesky_type ||
                            type == &gb_bernoulli_dropout_type || type == &gb_unit_dropout_type;
    return needs_more ? "its instances are made by hand, in the tests" : NULL;
}

static bool is_distribution(const char *text)
{
    gb_tape *const tape = gb_tape_new();
    const bool is = gb_dist_ok(gb_dist_parse(tape, text)) || gb_cli_reject("%s", gb_error_text(tape));
    gb_tape_free(tape);
    return is;
}

static gb_dist some_distribution(gb_tape *tape, size_t which, void *user)
{
    const char *const *const text = user;
    (void)which;
    return gb_dist_parse(tape, *text);
}

/* A name: the kit's instances. A text with parameters: that instance. */
static bool check_distribution(const char *text, const gb_cli_checking *how, gb_report *report)
{
    gb_check_dist_options with = {.size = sizeof with, .report = report, .seed = how->seed};
    with.draws = how->thorough ? 1000000 : 0;
    const gb_dist_type *type = gb_dist_find(text);
    if (type)
        return gb_check_dist_with(type, &with);
    gb_tape *const tape = gb_tape_new();
    type = gb_dist_parse(tape, text).type;
    gb_tape_free(tape);
    with.make = some_distribution;
    with.count = 1;
    with.user = &text;
    return gb_check_dist_with(type, &with);
}

const gb_cli_kind gb_cli_distributions_kind = {
    .name = "distributions",
    .one = "distribution",
    .of = &gb_dist_kind,
    .list = list_distribution,
    .knows = is_distribution,
    .beyond = distribution_is_beyond,
    .check = check_distribution,
};

/* ---- divergences: the pairs of all types in turn ---- */

static const gb_kl_pair *find_pair(size_t i)
{
    const gb_plugin *type;
    for (size_t t = 0; (type = gb_kind_at(&gb_dist_kind, t)); t++)
        for (const gb_kl_pair *pair = ((const gb_dist_type *)(const void *)type)->kl; pair && pair->kl;
             pair++)
            if (i-- == 0)
                return pair;
    return NULL;
}

static size_t count_kl(void)
{
    size_t count = 0;
    while (find_pair(count))
        count++;
    return count;
}

static const char *kl_name(size_t i)
{
    return find_pair(i)->q->name;
}

static void list_kl(gb_cli_listing *l, size_t i)
{
    const gb_kl_pair *const pair = find_pair(i);
    if (l->json)
        gb_cli_field(l, "q", pair->q->name);
    gb_cli_field(l, "p", pair->p ? pair->p->name : "any");
    gb_cli_field(l, "note", pair->note);
}

const gb_cli_kind gb_cli_kl_kind = {
    .name = "kl", .one = "divergence", .count = count_kl, .row = kl_name, .list = list_kl};

/* ---- transforms ---- */

static void list_transform(gb_cli_listing *l, size_t i)
{
    const gb_transform_type *const type = (const void *)gb_kind_at(&gb_transform_kind, i);
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "from", type->from_of ? NULL : type->from->name);
    gb_cli_field(l, "to", type->to_of ? NULL : type->to->name);
}

static gb_transform some_affine(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    return gb_affine_transform(gb_num(tape, 0.7), gb_num(tape, which ? -0.6 : 1.8));
}

static gb_transform some_interval(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    return gb_interval_transform(gb_num(tape, which ? -1 : 2), gb_num(tape, 4));
}

static const char *transform_is_beyond(const char *name)
{
    const gb_transform_type *const type = gb_transform_find(name);
    const bool needs_more = type == &gb_permutation_transform_type || type == &gb_reshaped_transform_type ||
                            type == &gb_composed_transform_type || type == &gb_inverted_transform_type;
    return needs_more ? "its instances are made by hand, in the tests" : NULL;
}

static bool check_transform(const char *name, const gb_cli_checking *how, gb_report *report)
{
    const gb_transform_type *const type = gb_transform_find(name);
    const bool is_interval = type == &gb_interval_transform_type;
    return gb_check_transform(type, .report = report, .seed = how->seed, .count = 2, .is_part = is_interval,
                              .make = is_interval                         ? some_interval
                                      : type == &gb_affine_transform_type ? some_affine
                                                                          : NULL);
}

const gb_cli_kind gb_cli_transforms_kind = {
    .name = "transforms",
    .one = "transform",
    .of = &gb_transform_kind,
    .list = list_transform,
    .beyond = transform_is_beyond,
    .check = check_transform,
};
