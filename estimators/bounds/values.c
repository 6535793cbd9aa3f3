/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a bound is asked. */
#include "estimators/bound.h"

gb_bound gb_bound_of(const gb_bound_type *type, const void *options)
{
    return (gb_bound){.type = type, .options = gb_options_pack(type, options)};
}

gb_bound gb_evidence_bound(void)
{
    return gb_bound_of(&gb_evidence_bound_type, NULL);
}

int64_t gb_bound_particles(gb_bound bound)
{
    gb_option_block block;
    if (!bound.type || !GB_HAS(bound.type, particles))
        return 0;
    const void *const options = gb_options_unpack(bound.type, &bound.options, &block);
    return options ? bound.type->particles(options) : 0;
}

const char *gb_bound_caution(gb_bound bound)
{
    gb_option_block block;
    if (!bound.type || !GB_HAS(bound.type, caution))
        return NULL;
    const void *const options = gb_options_unpack(bound.type, &bound.options, &block);
    const bool is_safe = options && GB_HAS(bound.type, is_safe) && bound.type->is_safe(options);
    return is_safe ? NULL : bound.type->caution;
}

gb_node gb_bound_value(gb_bound bound, gb_node log_weights)
{
    gb_option_block block;
    if (!bound.type)
        bound = gb_evidence_bound();
    const void *const options =
        gb_options_use(log_weights.tape, "bound", NULL, &gb_bound_kind, bound.type, &bound.options, &block);
    return options ? bound.type->value(options, log_weights) : (gb_node){0};
}
