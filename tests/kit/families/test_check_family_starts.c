/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families by the kit, wherever they start. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "kit/check_family.h"

/* As they are by default, wide, narrow and elsewhere. */
TEST(families_conform_wherever_they_start)
{
    const gb_family families[] = {
        gb_point(gb_shape()),
        gb_mean_field(gb_shape(), .scale = 2),
        gb_full_rank(gb_shape(), .scale = 1),
        gb_full_rank(gb_shape(), .scale = 2, .location = -0.5, .map = GB_SCALE_EXP),
        gb_low_rank(gb_shape(), .scale = 0.01, .factor = 0.1),
        gb_low_rank(gb_shape()),
        gb_low_rank(gb_shape(), .scale = 1, .rank = 3),
        gb_mean_field_matching(gb_shape(), .scale = 0.5),
        gb_mean_field_matching(gb_shape(), .scale = 0.05, .location = 0.7), /* to first order this is exact */
        gb_mean_field_matching(gb_shape(), .scale = 0.8, .location = -1, .map = GB_SCALE_EXP),
        gb_mean_field_matching(gb_shape(), .scale = 0.05, .positive = GB_MATCHING_LOGNORMAL,
                               .unit = GB_MATCHING_KUMARASWAMY),
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        gb_report report = {.size = sizeof report, .file = stdout};
        if (!gb_check_family(families[i], .report = &report))
            fail_msg("number %zu, %s", i, families[i].type->name);
    }
}
