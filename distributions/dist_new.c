/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a distribution. */
#include <string.h>

#include "core/op.h"
#include "distributions/parameters_impl.h"

const gb_param *gb_dist_params(const gb_dist *d, size_t *count)
{
    const gb_param *const params = d->alternative ? d->type->alternative : d->type->param;
    *count = 0;
    while (*count < GB_MAX_PARAMS && params[*count].name)
        ++*count;
    return params;
}

/* What is pointed to must live as long as the distribution. */
static bool keep_parts(gb_dist *d)
{
    if (d->base) {
        gb_dist *const kept = gb_tape_keep(d->tape, sizeof *kept);
        if (!kept)
            return false;
        *kept = *d->base;
        d->base = kept;
    }
    if (d->transform) {
        gb_transform *const kept = gb_tape_keep(d->tape, sizeof *kept);
        if (!kept)
            return false;
        *kept = *d->transform;
        d->transform = kept;
    }
    return true;
}

static bool parameters_fit(gb_dist *d)
{
    const gb_relation *const relation = &d->type->relation;
    gb_parameters p = {.tape = d->tape, .who = d->type->name, .node = d->param};
    p.param = gb_dist_params(d, &p.count);
    p.relation = relation->outside && !d->alternative ? relation : NULL;
    return gb_parameters_fit(&p);
}

gb_dist gb_dist_checked(gb_dist d)
{
    size_t count;
    gb_dist_params(&d, &count);
    for (size_t i = 0; i < count && !d.tape; i++)
        d.tape = d.param[i].tape;
    if (!d.tape || gb_error(d.tape) != GB_OK)
        return (gb_dist){0};
    return parameters_fit(&d) && keep_parts(&d) ? d : (gb_dist){0};
}

static gb_dist of_parameters(const gb_dist_type *type, const gb_node *param, bool alternative)
{
    gb_dist d = {.type = type, .alternative = alternative};
    size_t count;
    gb_dist_params(&d, &count);
    memcpy(d.param, param, count * sizeof *param);
    return gb_dist_checked(d);
}

gb_dist gb_dist_new(const gb_dist_type *type, const gb_node *param)
{
    return of_parameters(type, param, false);
}

gb_dist gb_dist_alternative(const gb_dist_type *type, const gb_node *param)
{
    return of_parameters(type, param, true);
}
