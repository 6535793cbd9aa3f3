/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/domain.h"

#include <math.h>

static bool is_real(double x)
{
    return isfinite(x);
}

static bool is_positive(double x)
{
    return x > 0 && isfinite(x);
}

/* clang-format off */
const gb_domain gb_real_domain     = {sizeof(gb_domain), "real",     "finite",              is_real};
const gb_domain gb_positive_domain = {sizeof(gb_domain), "positive", "positive and finite", is_positive};
/* clang-format on */
