/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/plugins.h"

#include <string.h>

#include "estimators/bound.h"
#include "estimators/list.h"
#include "models/family.h"
#include "models/optimiser.h"
#include "ready/models.h"

const gb_kind *const plugin_kinds[PLUGIN_KINDS] = {&gb_estimator_kind, &gb_baseline_kind, &gb_family_kind,
                                                   &gb_optimiser_kind, &gb_schedule_kind, &gb_bound_kind,
                                                   &gb_model_kind,     &gb_shrinkage_kind};

static double number_for(const gb_option *o)
{
    static const double some[] = {0.25, 0.75, 3, 1, 2, 9, 7.5};
    size_t i = 0;
    while (i + 1 < sizeof some / sizeof *some &&
           (!gb_domain_holds(o->domain, some[i]) || some[i] == o->fallback))
        i++;
    return some[i];
}

static bool set(const gb_option *o, unsigned char *field)
{
    const double number = o->domain ? number_for(o) : 0;
    const int64_t whole = (int64_t)number;
    const int choice = 1;
    const bool flag = true;
    struct {
        const gb_plugin *type;
        gb_packed options;
    } nested = {0};
    switch (o->form) {
    case GB_OPTION_IS_NUMBER: memcpy(field, &number, sizeof number); return true;
    case GB_OPTION_IS_WHOLE: memcpy(field, &whole, sizeof whole); return true;
    case GB_OPTION_IS_FLAG: memcpy(field, &flag, sizeof flag); return true;
    case GB_OPTION_IS_CHOICE: memcpy(field, &choice, sizeof choice); return true;
    case GB_OPTION_IS_PLUGIN:
        nested.type = o->kind->at(1);
        if (o->is_argument || !plugin_example(nested.type, &nested.options))
            return true;
        memcpy(field, &nested, sizeof nested);
        return true;
    case GB_OPTION_IS_NODE:
    case GB_OPTION_IS_OTHER: break;
    }
    return !o->is_argument;
}

bool plugin_example(const gb_plugin *type, gb_packed *options)
{
    gb_option_block block = {0};
    const size_t bytes = type->options ? type->option_bytes : sizeof(size_t);
    memcpy(block.bytes, &bytes, sizeof bytes);
    for (const gb_option *o = type->options; o && o->name; o++)
        if (!set(o, block.bytes + o->offset))
            return false;
    *options = gb_options_pack(type, &block);
    return true;
}
