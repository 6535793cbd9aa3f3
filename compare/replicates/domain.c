/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/replicates/domain_impl.h"

#include <math.h>

#include "core/op.h"
#include "estimators/expectation/sites_impl.h"
#include "estimators/visit.h"
#include "ops/list.h"

typedef struct search {
    gb_node parameter;
    bool is_found;
} search;

/* Follows operations that give each element its place, and change none. */
static bool look_for_parameter(void *context, gb_node node)
{
    search *const s = context;
    const gb_form form = gb_node_op(node)->form;
    s->is_found |= gb_node_same(node, s->parameter);
    return form == GB_FORM_VIEW || gb_node_is(node, "hold") || gb_node_is(node, "assemble");
}

static const gb_domain *domain_in(const gb_dist *q, gb_node parameter)
{
    size_t count;
    const gb_option *const option = gb_dist_params(q, &count);
    search s = {.parameter = parameter};
    for (size_t k = 0; k < count; k++)
        if (gb_visit(q->param[k], look_for_parameter, &s) == GB_OK && s.is_found)
            return option[k].domain;
    return NULL;
}

const gb_domain *gb_trial_domain(const gb_trial *trial, size_t parameter)
{
    for (const own_site *own = trial->expect->last; own; own = gb_site_before(own)) {
        const gb_domain *const domain = domain_in(&own->q, trial->parameter[parameter].variable);
        if (domain && (isfinite(domain->low) || isfinite(domain->high)))
            return domain;
    }
    return NULL;
}
