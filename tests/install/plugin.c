/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of plug-ins, as a user of the installed library would write it. It is also C++. */
#include <grebe/grebe.h>

static gb_node cost(gb_trial *trial)
{
    gb_node mu = gb_trial_parameter(trial, "mu", gb_shape_of(0, NULL), gb_fill(1));
    return gb_square(gb_trial_draw(trial, "x", gb_normal(mu, gb_num(trial->tape, 1))));
}

#ifdef __cplusplus
static gb_problem made(void)
{
    gb_problem p = gb_problem();
    p.size = sizeof(gb_problem);
    p.name = "outside";
    p.formula = "E x^2, x ~ N(mu, 1)";
    p.cost = cost;
    return p;
}
static const gb_problem problem = made();
#else
static const gb_problem problem = {
    .size = sizeof(gb_problem), .name = "outside", .formula = "E x^2, x ~ N(mu, 1)", .cost = cost};
#endif

GB_EXPORT_BUNDLE({&gb_problem_kind, &problem});
