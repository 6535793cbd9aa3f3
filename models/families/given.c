/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A posterior that the user gives as a distribution. */
#include "models/family.h"

static gb_dist posterior(const gb_slot *slot, const void *options)
{
    const gb_dist *const q = &((const gb_posterior_of_options *)options)->q;
    if (gb_dist_ok(*q) && q->tape == slot->tape)
        return *q;
    gb_fail(slot->tape, GB_EARGUMENT, "latent %s: gb_posterior_of was given no distribution of this tape",
            slot->name);
    return (gb_dist){0};
}

static const gb_option table[] = {{.name = "q",
                                   .form = GB_OPTION_IS_OTHER,
                                   .offset = offsetof(gb_posterior_of_options, q),
                                   .bytes = sizeof(gb_dist),
                                   .words = "a distribution",
                                   .is_argument = true},
                                  {0}};

const gb_family_type gb_given_family_type = {
    .size = sizeof(gb_family_type),
    .name = "given",
    .formula = "q as it was given",
    .options = table,
    .option_bytes = sizeof(gb_posterior_of_options),
    .posterior = posterior,
    .any_support = true,
};

/* An inert q has no shape, which gb_slot_of reports. */
gb_family gb_posterior_of(gb_dist q)
{
    const gb_posterior_of_options options = {.size = sizeof options, .q = q};
    return gb_family_of(&gb_given_family_type, gb_dist_shape(q), &options);
}
