/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators where memory runs out, once or for good: an error and nothing else, and nothing lost. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

typedef struct tried {
    const char *name;
    gb_estimator (*estimator)(void);
    gb_dist (*q)(gb_node parameter);
} tried;

static gb_dist choice(gb_node parameter)
{
    return gb_bernoulli_logits(parameter);
}

static gb_dist category(gb_node parameter)
{
    return gb_one_hot_categorical_logits(parameter);
}

static gb_dist normal(gb_node parameter)
{
    return gb_normal(parameter, gb_num(parameter.tape, 1));
}

static gb_dist dropout(gb_node parameter)
{
    return gb_bernoulli_dropout(parameter, gb_sigmoid(parameter));
}

#define MADE_BY(name, made)                                                                                  \
    static gb_estimator name(void)                                                                           \
    {                                                                                                        \
        return made;                                                                                         \
    }
MADE_BY(relaxed, gb_relaxed_draws())
MADE_BY(straight_through, gb_straight_through())
MADE_BY(rebar, gb_rebar(.learn = true))
MADE_BY(rebar_of_each, gb_rebar(.learn = true, .learn_temperature = true, .each_element = true))
MADE_BY(relax, gb_relax())
MADE_BY(relax_by_network, gb_relax(.hidden = 3))
MADE_BY(quadrature, gb_quadrature(.nodes = 5))
MADE_BY(antithetic, gb_pathwise(.draws = GB_ANTITHETIC))
MADE_BY(sobol, gb_pathwise(.draws = GB_SOBOL))
MADE_BY(pairs, gb_score(.baseline = gb_leave_one_out(), .draws = GB_ANTITHETIC))
MADE_BY(sum, gb_score(.baseline = gb_sum_baseline(gb_delta(), gb_moving_average())))
MADE_BY(muprop, gb_muprop(.baseline = gb_moving_average()))
MADE_BY(dropped_by_score, gb_dropout_draws(.mask = gb_score(.baseline = gb_leave_one_out())))
MADE_BY(dropped_by_relax, gb_dropout_draws(.mask = gb_relax()))
MADE_BY(dropped_by_enumeration, gb_dropout_draws(.mask = gb_enumerated()))

static const tried all[] = {{"relaxed", relaxed, category},
                            {"straight_through", straight_through, category},
                            {"rebar", rebar, choice},
                            {"rebar of several", rebar, category},
                            {"rebar of each", rebar_of_each, category},
                            {"relax", relax, choice},
                            {"relax by a network", relax_by_network, choice},
                            {"relax of several", relax, category},
                            {"quadrature", quadrature, normal},
                            {"antithetic", antithetic, normal},
                            {"sobol", sobol, normal},
                            {"score by pairs", pairs, choice},
                            {"a sum of baselines", sum, normal},
                            {"muprop", muprop, choice},
                            {"dropout by score", dropped_by_score, dropout},
                            {"dropout by relax", dropped_by_relax, dropout},
                            {"dropout by enumeration", dropped_by_enumeration, dropout}};

static gb_status use(gb_tape *t, const void *what)
{
    const tried *const it = what;
    gb_expect *e = gb_expect_new(t);
    const gb_node parameter = gb_variable(t, "parameter", gb_shape(2), gb_fill(0.3));
    const gb_node z = gb_draw(e, "z", it->q(parameter), it->estimator());
    const gb_node loss = gb_expected(e, gb_square(gb_shift(gb_sum(z), -0.4)));
    gb_program *p = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.1)));
    gb_run(p);
    gb_run(p);
    return gb_error(t);
}

TEST_EACH(running_out_of_memory_is_an_error, all)
{
    assert_outlives_lack_of_memory(use, row, ((const tried *)row)->name, 40, (gb_tape_options){.samples = 3});
}
