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

#define REFUSES(name, ...)                                                                                   \
    static void name(world *w)                                                                               \
    {                                                                                                        \
        gb_minimise(loss_of(w), __VA_ARGS__);                                                                \
    }

REFUSES(none, (gb_optimiser){0})
REFUSES(negative_lr, gb_sgd(.lr = -0.1))
REFUSES(nan_lr, gb_adam(.lr = NAN))
REFUSES(infinite_lr, gb_lbfgs(.lr = INFINITY))
REFUSES(momentum_of_1, gb_sgd(.momentum = 1))
REFUSES(negative_momentum, gb_rmsprop(.momentum = -0.1))
REFUSES(nesterov_without_momentum, gb_sgd(.nesterov = true))
REFUSES(decay_above_1, gb_rmsprop(.decay = 1.1))
REFUSES(beta1_of_1, gb_adam(.beta1 = 1))
REFUSES(negative_beta2, gb_adamw(.beta2 = -0.5))
REFUSES(negative_epsilon, gb_adagrad(.epsilon = -1e-8))
REFUSES(nan_decay, gb_adamw(.decay = NAN))
REFUSES(half_a_history, gb_lbfgs(.history = 2.5))
REFUSES(too_long_a_history, gb_lbfgs(.history = 101))
REFUSES(negative_others, gb_natural(.others = -1))
REFUSES(rate_of_another_tape, gb_adam(.rate = w->foreign))
REFUSES(rate_of_before, gb_adam(.rate = w->old))
REFUSES(rate_of_three, gb_adam(.rate = w->vector))
REFUSES(rate_of_a_boolean, gb_adam(.rate = gb_less(w->scalar, w->scalar)))
REFUSES(negative_rate, gb_adam(.rate = gb_num(w->t, -1)))
REFUSES(nan_rate, gb_natural(.rate = gb_num(w->t, NAN)))
REFUSES(rate_per_sample, gb_adam(.rate = gb_sum(w->hidden)))
REFUSES(negative_clip, gb_adam(), .clip = -1)
REFUSES(nan_clip_norm, gb_adam(), .clip_norm = NAN)
REFUSES(negative_after, gb_adam(), .average = true, .average_after = -1)
REFUSES(no_steps, gb_adam(.schedule = gb_cosine(0)))
REFUSES(end_above_1, gb_adam(.schedule = gb_cosine(10, .end = 2)))
REFUSES(every_nothing, gb_sgd(.schedule = gb_step_decay(0, 0.5)))
REFUSES(growing, gb_sgd(.schedule = gb_step_decay(10, 1.5)))
REFUSES(robbins_monro_too_slow, gb_sgd(.schedule = gb_robbins_monro(1, 0.5)))
REFUSES(robbins_monro_from_0, gb_sgd(.schedule = gb_robbins_monro(0, 1)))
REFUSES(no_period, gb_sgd(.schedule = gb_cyclical(0)))
REFUSES(rise_beyond_the_period, gb_sgd(.schedule = gb_cyclical(10, .rise = 1.5)))
REFUSES(negative_warm_up, gb_sgd(.schedule = gb_warm_up(-1, gb_steady())))
REFUSES(no_variable, gb_adam(), .variables = gb_roots(gb_square(w->scalar)))
REFUSES(foreign_variable, gb_adam(), .variables = gb_roots(w->scalar, w->foreign))
REFUSES(variable_twice, gb_adam(), .variables = gb_roots(w->scalar, w->scalar))
REFUSES(variable_without_gradient, gb_adam(), .variables = gb_roots(w->scalar, w->matrix))

static void no_gradient(world *w)
{
    gb_minimise(w->input, gb_adam());
}

static void constant_loss(world *w)
{
    gb_minimise(gb_num(w->t, 1), gb_lbfgs());
}

static void twice(world *w)
{
    gb_minimise(loss_of(w), gb_adam());
    gb_minimise(loss_of(w), gb_adam());
}

static void average_of_nothing(world *w)
{
    gb_variable_average(w->scalar);
}

static void average_of_a_value(world *w)
{
    gb_variable_average(gb_square(w->scalar));
}

static void swap_of_nothing(world *w)
{
    gb_minimise(loss_of(w), gb_adam());
    gb_swap_averages(loss_of(w));
}

/* What there is to remember has no room for its name. */
static void long_name(world *w)
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

static void long_part(world *w)
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

static void without_rows(world *w)
{
    static const gb_optimiser_type type = {
        .size = sizeof type, .name = "bare", .formula = "x", .update = remembers_much};
    gb_minimise(loss_of(w), gb_optimiser_of(&type, NULL));
}

static const misuse table[] = {
    {"a type without rows", without_rows, GB_EARGUMENT, "bare: the table of its options must begin with"},
    {"no optimiser", none, GB_EARGUMENT, "no optimiser was given"},
    {"negative lr", negative_lr, GB_EARGUMENT, "sgd: lr is -0.1, and must be positive"},
    {"lr of NaN", nan_lr, GB_EARGUMENT, "adam: lr is nan"},
    {"infinite lr", infinite_lr, GB_EARGUMENT, "lbfgs: lr is inf"},
    {"momentum of 1", momentum_of_1, GB_EARGUMENT, "sgd: momentum is 1, and must be from 0 to below 1"},
    {"negative momentum", negative_momentum, GB_EARGUMENT, "rmsprop: momentum is -0.1"},
    {"Nesterov without momentum", nesterov_without_momentum, GB_EARGUMENT,
     "nesterov is true and momentum is 0"},
    {"decay above 1", decay_above_1, GB_EARGUMENT, "rmsprop: decay is 1.1"},
    {"beta1 of 1", beta1_of_1, GB_EARGUMENT, "adam: beta1 is 1"},
    {"negative beta2", negative_beta2, GB_EARGUMENT, "adamw: beta2 is -0.5"},
    {"negative epsilon", negative_epsilon, GB_EARGUMENT, "adagrad: epsilon is -1e-08"},
    {"decay of NaN", nan_decay, GB_EARGUMENT, "adamw: decay is nan"},
    {"half a step of history", half_a_history, GB_EARGUMENT,
     "lbfgs: history is 2.5, and must be a whole number"},
    {"too long a history", too_long_a_history, GB_EARGUMENT, "lbfgs: history is 101"},
    {"negative share of others", negative_others, GB_EARGUMENT, "natural: others is -1"},
    {"rate of another tape", rate_of_another_tape, GB_ENODE, "adam: rate is not a usable node"},
    {"rate of before a reset", rate_of_before, GB_ENODE, "adam: rate is not a usable node"},
    {"rate of three numbers", rate_of_three, GB_ESHAPE, "adam: rate has the shape (3)"},
    {"rate that is no real", rate_of_a_boolean, GB_ESHAPE, "must be one real number"},
    {"negative rate", negative_rate, GB_EARGUMENT, "adam: rate is -1, and must be finite and not negative"},
    {"rate of NaN", nan_rate, GB_EARGUMENT, "natural: rate is nan"},
    {"rate for each sample", rate_per_sample, GB_ESHAPE, "and hidden axes, and must be one real number"},
    {"negative clip", negative_clip, GB_EARGUMENT, "minimise, adam: clip is -1"},
    {"clip_norm of NaN", nan_clip_norm, GB_EARGUMENT, "minimise, adam: clip_norm is nan"},
    {"average after a negative number", negative_after, GB_EARGUMENT, "average_after is -1"},
    {"cosine of no steps", no_steps, GB_EARGUMENT, "adam: schedule cosine: steps is 0"},
    {"cosine that ends above 1", end_above_1, GB_EARGUMENT, "adam: schedule cosine: end is 2"},
    {"decay every 0 steps", every_nothing, GB_EARGUMENT, "sgd: schedule step_decay: every is 0"},
    {"cycles of no length", no_period, GB_EARGUMENT, "sgd: schedule cyclical: period is 0"},
    {"a rise beyond the period", rise_beyond_the_period, GB_EARGUMENT, "sgd: schedule cyclical: rise is 1.5"},
    {"decay that grows", growing, GB_EARGUMENT, "sgd: schedule step_decay: factor is 1.5"},
    {"Robbins and Monro, too slow", robbins_monro_too_slow, GB_EARGUMENT, "c is 0.5, and must be above 1/2"},
    {"Robbins and Monro from 0", robbins_monro_from_0, GB_EARGUMENT, "robbins_monro: b is 0"},
    {"negative warm-up", negative_warm_up, GB_EARGUMENT, "sgd: schedule warm_up: steps is -1"},
    {"what is no variable", no_variable, GB_EARGUMENT, "number 0 of .variables is not a variable"},
    {"variable of another tape", foreign_variable, GB_EARGUMENT, "number 1 of .variables is not a variable"},
    {"variable twice", variable_twice, GB_EARGUMENT, "is given twice"},
    {"variable without gradient", variable_without_gradient, GB_EARGUMENT, "the loss has no gradient in"},
    {"loss of one vector", no_gradient, GB_EGRADIENT, "only a scalar has one"},
    {"loss without variables", constant_loss, GB_EARGUMENT, "no gradient in any variable"},
    {"the same twice", twice, GB_ENAME, "step"},
    {"name without room", long_name, GB_ENAME, "the name is too long"},
    {"part without room", long_part, GB_ENAME, "the name is too long"},
    {"average that is not there", average_of_nothing, GB_ENAME, "has no average: gb_minimise("},
    {"average of what has no name", average_of_a_value, GB_ENAME, "a node without a name has no average"},
    {"swap without averages", swap_of_nothing, GB_ENAME, "no variable of the loss has one"},
};

MISUSES(table)
