/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every family by the kit. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "kit/check_family.h"

TEST(every_family_conforms)
{
    const gb_family families[] = {
        gb_point(gb_shape()),
        gb_point(gb_shape(), .location = 0.4),
        gb_mean_field(gb_shape(), .location = 0.4, .scale = 0.3),
        gb_mean_field(gb_shape(), .location = -0.4, .scale = 0.5, .map = GB_SCALE_EXP),
        gb_full_rank(gb_shape(), .location = 0.2, .scale = 0.3),
        gb_full_rank(gb_shape(), .location = 0.2, .scale = 0.3, .map = GB_SCALE_EXP),
        gb_low_rank(gb_shape(), .location = 0.2, .scale = 0.3, .rank = 2),
        gb_low_rank(gb_shape(), .location = 0.2, .scale = 0.3, .rank = 2, .blocks = 2),
        gb_mean_field_matching(gb_shape(), .location = 0.3, .scale = 0.3),
        gb_mean_field_matching(gb_shape(), .location = 0.3, .scale = 0.4, .positive = GB_MATCHING_LOGNORMAL,
                               .unit = GB_MATCHING_KUMARASWAMY, .map = GB_SCALE_EXP),
        gb_dropout_posterior(gb_shape(), .location = 0.6, .keep = 0.7),
        gb_dropout_posterior(gb_shape(), .location = 0.6, .keep = 0.7, .is_learned = true),
        gb_dropout_posterior(gb_shape(), .location = 0.6, .keep = 0.7, .is_learned = true, .rescaled = true,
                             .by_unit = true),
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        gb_report report = {.size = sizeof report, .file = stdout, .verbose = getenv("VERBOSE") != NULL};
        assert_true(gb_check_family(families[i], .report = &report));
    }
}
