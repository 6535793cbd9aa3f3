/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers asked for what makes no sense: an error in words that name optimiser, option and value. */
#include "support/close.h"

#include "models/optimiser.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/misuse.h"

static gb_node loss_of(const world *w)
{
    return gb_add(gb_sum(gb_square(w->vector)), gb_square(w->scalar));
}

#define REJECTS(name, code, words, ...)                                                                      \
    MISUSE_BY(name, code, words)                                                                             \
    {                                                                                                        \
        gb_minimise(loss_of(w), __VA_ARGS__);                                                                \
    }

REJECTS(none, GB_EARGUMENT, "no optimiser was given", (gb_optimiser){0})
REJECTS(negative_lr, GB_EARGUMENT, "sgd: lr is -0.1, and must be positive", gb_sgd(.lr = -0.1))
REJECTS(nan_lr, GB_EARGUMENT, "adam: lr is nan", gb_adam(.lr = NAN))
REJECTS(infinite_lr, GB_EARGUMENT, "lbfgs: lr is inf", gb_lbfgs(.lr = INFINITY))
REJECTS(momentum_of_1, GB_EARGUMENT, "sgd: momentum is 1, and must be from 0 to below 1",
        gb_sgd(.momentum = 1))
REJECTS(negative_momentum, GB_EARGUMENT, "rmsprop: momentum is -0.1", gb_rmsprop(.momentum = -0.1))
REJECTS(nesterov_without_momentum, GB_EARGUMENT, "nesterov is true and momentum is 0",
        gb_sgd(.nesterov = true))
REJECTS(decay_above_1, GB_EARGUMENT, "rmsprop: decay is 1.1", gb_rmsprop(.decay = 1.1))
REJECTS(beta1_of_1, GB_EARGUMENT, "adam: beta1 is 1", gb_adam(.beta1 = 1))
REJECTS(negative_beta2, GB_EARGUMENT, "adamw: beta2 is -0.5", gb_adamw(.beta2 = -0.5))
REJECTS(negative_epsilon, GB_EARGUMENT, "adagrad: epsilon is -1e-08", gb_adagrad(.epsilon = -1e-8))
REJECTS(nan_decay, GB_EARGUMENT, "adamw: decay is nan", gb_adamw(.decay = NAN))
REJECTS(half_a_history, GB_EARGUMENT, "lbfgs: history is 2.5, and must be a whole number",
        gb_lbfgs(.history = 2.5))
REJECTS(too_long_a_history, GB_EARGUMENT, "lbfgs: history is 101", gb_lbfgs(.history = 101))
REJECTS(negative_others, GB_EARGUMENT, "natural: others is -1", gb_natural(.others = -1))
REJECTS(rate_of_another_tape, GB_ENODE, "adam: rate is not a usable node", gb_adam(.rate = w->foreign))
REJECTS(rate_of_before, GB_ENODE, "adam: rate is not a usable node", gb_adam(.rate = w->old))
REJECTS(rate_of_three, GB_ESHAPE, "adam: rate has the shape (3)", gb_adam(.rate = w->vector))
REJECTS(rate_of_a_boolean, GB_ESHAPE, "must be one real number",
        gb_adam(.rate = gb_less(w->scalar, w->scalar)))
REJECTS(negative_rate, GB_EARGUMENT, "adam: rate is -1, and must be finite and not negative",
        gb_adam(.rate = gb_num(w->t, -1)))
REJECTS(nan_rate, GB_EARGUMENT, "natural: rate is nan", gb_natural(.rate = gb_num(w->t, NAN)))
REJECTS(rate_per_sample, GB_ESHAPE, "and hidden axes, and must be one real number",
        gb_adam(.rate = gb_sum(w->hidden)))
REJECTS(negative_clip, GB_EARGUMENT, "minimise, adam: clip is -1", gb_adam(), .clip = -1)
REJECTS(nan_clip_norm, GB_EARGUMENT, "minimise, adam: clip_norm is nan", gb_adam(), .clip_norm = NAN)
REJECTS(negative_after, GB_EARGUMENT, "average_after is -1", gb_adam(), .average = true, .average_after = -1)
REJECTS(no_steps, GB_EARGUMENT, "adam: schedule cosine: steps is 0", gb_adam(.schedule = gb_cosine(0)))
REJECTS(end_above_1, GB_EARGUMENT, "adam: schedule cosine: end is 2",
        gb_adam(.schedule = gb_cosine(10, .end = 2)))
REJECTS(every_nothing, GB_EARGUMENT, "sgd: schedule step_decay: every is 0",
        gb_sgd(.schedule = gb_step_decay(0, 0.5)))
REJECTS(growing, GB_EARGUMENT, "sgd: schedule step_decay: factor is 1.5",
        gb_sgd(.schedule = gb_step_decay(10, 1.5)))
REJECTS(robbins_monro_too_slow, GB_EARGUMENT, "c is 0.5, and must be above 1/2",
        gb_sgd(.schedule = gb_robbins_monro(1, 0.5)))
REJECTS(robbins_monro_from_0, GB_EARGUMENT, "robbins_monro: b is 0",
        gb_sgd(.schedule = gb_robbins_monro(0, 1)))
REJECTS(no_period, GB_EARGUMENT, "sgd: schedule cyclical: period is 0", gb_sgd(.schedule = gb_cyclical(0)))
REJECTS(rise_beyond_the_period, GB_EARGUMENT, "sgd: schedule cyclical: rise is 1.5",
        gb_sgd(.schedule = gb_cyclical(10, .rise = 1.5)))
REJECTS(negative_warm_up, GB_EARGUMENT, "sgd: schedule warm_up: steps is -1",
        gb_sgd(.schedule = gb_warm_up(-1, gb_steady())))
REJECTS(no_variable, GB_EARGUMENT, "number 0 of .variables is not a variable", gb_adam(),
        .variables = gb_roots(gb_square(w->scalar)))
REJECTS(foreign_variable, GB_EARGUMENT, "number 1 of .variables is not a variable", gb_adam(),
        .variables = gb_roots(w->scalar, w->foreign))
REJECTS(variable_twice, GB_EARGUMENT, "is given twice", gb_adam(),
        .variables = gb_roots(w->scalar, w->scalar))
REJECTS(variable_without_gradient, GB_EARGUMENT, "the loss has no gradient in", gb_adam(),
        .variables = gb_roots(w->scalar, w->matrix))

MISUSE_BY(no_gradient, GB_EGRADIENT, "only a scalar has one")
{
    gb_minimise(w->input, gb_adam());
}

MISUSE_BY(constant_loss, GB_EARGUMENT, "no gradient in any variable")
{
    gb_minimise(gb_num(w->t, 1), gb_lbfgs());
}

MISUSE_BY(twice, GB_ENAME, "step")
{
    gb_minimise(loss_of(w), gb_adam());
    gb_minimise(loss_of(w), gb_adam());
}

MISUSE_BY(average_of_nothing, GB_ENAME, "has no average: gb_minimise(")
{
    gb_variable_average(w->scalar);
}

MISUSE_BY(average_of_a_value, GB_ENAME, "a node without a name has no average")
{
    gb_variable_average(gb_square(w->scalar));
}

MISUSE_BY(swap_of_nothing, GB_ENAME, "no variable of the loss has one")
{
    gb_minimise(loss_of(w), gb_adam());
    gb_swap_averages(loss_of(w));
}

/* The name of the state would be too long. */
MISUSE_BY(long_name, GB_ENAME, "the name is too long")
{
    char name[250];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    gb_minimise(gb_square(gb_variable(w->t, name, gb_shape(), gb_fill(1))), gb_adam());
}

static gb_node remembers_much(const gb_update_step *to)
{
    char part[300];
    memset(part, 'b', sizeof part - 1);
    part[sizeof part - 1] = 0;
    return gb_update_memory(to, part);
}

MISUSE_BY(long_part, GB_ENAME, "the name is too long")
{
    static const gb_option rows[] = {GB_OPTIMISER_ROWS(gb_optimiser_head, 1), {0}};
    static const gb_optimiser_type type = {.size = sizeof type,
                                           .name = "long",
                                           .formula = "x",
                                           .options = rows,
                                           .option_bytes = sizeof(gb_optimiser_head),
                                           .update = remembers_much};
    gb_minimise(loss_of(w), gb_optimiser_of(&type, NULL));
}

MISUSE_BY(without_rows, GB_EARGUMENT, "bare: the table of its options must begin with")
{
    static const gb_optimiser_type type = {
        .size = sizeof type, .name = "bare", .formula = "x", .update = remembers_much};
    gb_minimise(loss_of(w), gb_optimiser_of(&type, NULL));
}
