/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a distribution. */
#include <string.h>

#include "core/op.h"
#include "distributions/distribution.h"
#include "distributions/domains/parameters_impl.h"

/* ---- the struct ---- */

/* The fault of a list of parameters; NULL if there is none. */
static const char *fault_of(const gb_option *param)
{
    for (size_t i = 0; i < GB_MAX_PARAMS && param[i].name; i++) {
        if (!*param[i].name)
            return "a parameter has no name";
        if (!param[i].domain)
            return "a parameter has no domain";
        if (param[i].domain->size != sizeof(gb_domain) || !param[i].domain->must_be)
            return "the domain of a parameter is not complete";
    }
    return NULL;
}

const char *gb_dist_type_fault(const gb_dist_type *type)
{
    if (!type)
        return "its type is NULL";
    if (type->size != sizeof(gb_dist_type))
        return "its size is not sizeof(gb_dist_type)";
    if (!type->name || !*type->name)
        return "it has no name";
    if (!type->formula || !*type->formula)
        return "it has no formula";
    if (!type->wraps && !type->param[0].name)
        return "it has no parameters";
    if (!type->wraps && !type->support)
        return "it has no support";
    if (!type->log_prob)
        return "it has no log_prob";
    if (!type->sample && !type->rsample)
        return "it has neither sample nor rsample";
    if (type->relation.outside && (type->relation.which >= GB_MAX_PARAMS || !type->relation.must_be))
        return "the relation between its parameters has no words";
    const char *const missing = fault_of(type->param);
    return missing ? missing : fault_of(type->alternative);
}

/* ---- one ---- */

/* Copies what the distribution points to, so that it lives as long as the tape. */
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

static bool is_complete(const gb_dist *d)
{
    const char *fault = gb_dist_type_fault(d->type);
    if (!fault && d->alternative && !d->type->alternative[0].name)
        fault = "it has no alternative parameters";
    const bool named = d->type && d->type->size == sizeof(gb_dist_type) && d->type->name;
    if (fault)
        gb_fail(d->tape, GB_EARGUMENT, "%s: %s", named ? d->type->name : "a distribution", fault);
    return !fault;
}

gb_dist gb_dist_checked(gb_dist d)
{
    for (size_t i = 0; i < GB_MAX_PARAMS && !d.tape; i++)
        d.tape = d.param[i].tape;
    if (!d.tape || gb_error(d.tape) != GB_OK)
        return (gb_dist){0};
    return is_complete(&d) && parameters_fit(&d) && keep_parts(&d) ? d : (gb_dist){0};
}

static gb_dist of_parameters(const gb_dist_type *type, const gb_node *param, bool alternative)
{
    gb_dist d = {.type = type, .alternative = alternative};
    if (!param)
        return (gb_dist){0};
    size_t count = 0;
    if (!gb_dist_type_fault(type))
        gb_dist_params(&d, &count);
    memcpy(d.param, param, (count ? count : 1) * sizeof *param); /* of a faulty type only one, for its tape */
    return gb_dist_checked(d);
}

gb_dist gb_dist_of(const gb_dist_type *type, const gb_node *param)
{
    return of_parameters(type, param, false);
}

gb_dist gb_dist_alternative(const gb_dist_type *type, const gb_node *param)
{
    return of_parameters(type, param, true);
}
