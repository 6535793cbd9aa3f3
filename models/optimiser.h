/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers: a few operations and an assign for each variable. gb_minimise puts one to work:
 *
 *     gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-2)));
 *
 * What an optimiser remembers (moments, its step) are variables like any other: read, set and saved as they
 * are. Among the options of each are a learning rate and its schedule (update.h, schedule.h); a 0 stands for the default.
 * Numbers that make no sense are an error of gb_minimise. One of your own: update.h, and docs/add-an-optimiser.md. */
#ifndef GREBE_MODELS_OPTIMISER_H
#define GREBE_MODELS_OPTIMISER_H

#include "../core/program.h"
#include "../estimators/visit.h"
#include "update.h"

GB_BEGIN_DECLS

/* Gradient descent: x - lr v, v = momentum v + g (Polyak 1964); with nesterov x - lr (g + momentum v) (Nesterov 1983, as
 * in Sutskever et al. 2013). */
typedef struct gb_sgd_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-2 */
    double momentum;   /* from 0 to below 1 */
    bool nesterov;
} gb_sgd_options;
#define gb_sgd(...) GB_CALL_0(gb_sgd, .size = sizeof(gb_sgd_options), __VA_ARGS__)
GB_API gb_optimiser gb_sgd_with(const gb_sgd_options *options);

/* Adagrad: steps shrink as the squares of gradients add up. x - lr g / (sqrt(sum g^2) + epsilon). */
typedef struct gb_adagrad_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-2 */
    double epsilon;    /* 0: 1e-10 */
} gb_adagrad_options;
#define gb_adagrad(...) GB_CALL_0(gb_adagrad, .size = sizeof(gb_adagrad_options), __VA_ARGS__)
GB_API gb_optimiser gb_adagrad_with(const gb_adagrad_options *options);

/* RMSprop: x - lr b, b = momentum b + g / (sqrt v + epsilon), v the moving mean of g^2; centred: of the variance of g
 * (Graves 2013). */
typedef struct gb_rmsprop_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-3 */
    double decay;      /* of the moving means; 0: 0.9 */
    double momentum;   /* from 0 to below 1 */
    double epsilon;    /* 0: 1e-8 */
    bool centred;
} gb_rmsprop_options;
#define gb_rmsprop(...) GB_CALL_0(gb_rmsprop, .size = sizeof(gb_rmsprop_options), __VA_ARGS__)
GB_API gb_optimiser gb_rmsprop_with(const gb_rmsprop_options *options);

/* Adam: steps of about lr for each element, whatever the scale of the gradient. */
typedef struct gb_adam_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-3 */
    double beta1;      /* decay of the mean of gradients; 0: 0.9 */
    double beta2;      /* decay of the mean of their squares; 0: 0.999 */
    double epsilon;    /* 0: 1e-8 */
} gb_adam_options;
#define gb_adam(...) GB_CALL_0(gb_adam, .size = sizeof(gb_adam_options), __VA_ARGS__)
GB_API gb_optimiser gb_adam_with(const gb_adam_options *options);

/* AdamW: Adam, and beside it each variable decays towards 0 by lr · decay of itself. */
typedef struct gb_adamw_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-3 */
    double beta1;      /* 0: 0.9 */
    double beta2;      /* 0: 0.999 */
    double epsilon;    /* 0: 1e-8 */
    double decay;      /* 0: 1e-2 */
} gb_adamw_options;
#define gb_adamw(...) GB_CALL_0(gb_adamw, .size = sizeof(gb_adamw_options), __VA_ARGS__)
GB_API gb_optimiser gb_adamw_with(const gb_adamw_options *options);

/* L-BFGS, for a loss that is the same in every run: one that depends on noise is refused. All variables move together. Each
 * run looks at the loss at one point: at a first one, or on the way from the last point that was accepted, where it either
 * accepts (weak Wolfe conditions), or shortens or lengthens the step. So between runs variables may stand where the loss
 * is higher (gb_fit brings them back at its end, and goes on from the trial at the next call); a loss that is not finite
 * there shortens the step too, if it is no root of the program (a run that has such a root is refused; that of gb_fit has
 * none). When nothing gets better they stay at the best point, until the loss there is another one. The
 * last accepted point is "FIRST.lbfgs.point", all variables end to end; averages are of such points. lr is the length that is tried first, of the
 * quasi-Newton step. Clipping makes gradients that are not the loss's, and the search may then fail. */
typedef struct gb_lbfgs_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1 */
    double history;    /* how many steps are remembered, a whole number up to 100; 0: 10 */
} gb_lbfgs_options;
#define gb_lbfgs(...) GB_CALL_0(gb_lbfgs, .size = sizeof(gb_lbfgs_options), __VA_ARGS__)
GB_API gb_optimiser gb_lbfgs_with(const gb_lbfgs_options *options);

/* Natural gradient (Amari 1998) of normal posteriors, in their natural parameters: with mean m, covariance S and the gradient
 * g in m,
 *     S^-1 becomes S^-1 + 2 lr dloss/dS, and then m becomes m - lr S g
 * (Khan and Rue 2023). It is the same step whatever variables S is made of, and in a conjugate model .lr = 1 reaches the
 * posterior in one. Where noise, or a loss that is not convex, would leave no precision, it
 * is S^-1 + d + d S d / 2 with d = 2 lr dloss/dS, which is one for every d (Lin, Schmidt and Khan 2020). Larger rates than
 * the usual one are for gradients without noise: few draws of a likelihood with an exponential in it can throw S far off.
 *
 * Known by the names of their variables, with no other that begins with "NAME.", are gb_mean_field (NAME.location and
 * NAME.raw_scale or NAME.log_scale) and gb_full_rank (NAME.lower besides, which moves with the scale or not at all). A normal
 * of low rank is refused. `metric` brings others: it returns F^-1 g for to->variable, F the Fisher information, for a step of
 * x - lr F^-1 g; it may be made of all of to->variables and to->gradients, or be an inert node for a variable that is none of
 * its own; it is asked first. A variable with no metric is refused by name, unless `others` says what share of the rate its
 * plain gradient gets. */
typedef gb_node gb_metric(const gb_update_step *to, const void *user);
typedef struct gb_natural_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-2 */
    double others;     /* 0: refuse variables with no metric */
    gb_metric *metric;
    const void *user; /* for it */
} gb_natural_options;
#define gb_natural(...) GB_CALL_0(gb_natural, .size = sizeof(gb_natural_options), __VA_ARGS__)
GB_API gb_optimiser gb_natural_with(const gb_natural_options *options);

/* For metrics of one's own: the gradients in the location and in the Cholesky factor L (…, n, n) of N(location, L Lᵀ) become
 * L Lᵀ g, and L Φ(Lᵀ G): Φ takes the lower triangle, with half of the diagonal. */
GB_API gb_node gb_natural_location(gb_node factor, gb_node gradient);
GB_API gb_node gb_natural_factor(gb_node factor, gb_node gradient);

/* clang-format off */
#define GB_OPTIMISER_LIST(do_) do_(sgd) do_(adagrad) do_(rmsprop) do_(adam) do_(adamw) do_(lbfgs) do_(natural)
/* clang-format on */

#define GB_DECLARE_OPTIMISER(name) GB_API extern const gb_optimiser_type gb_##name##_optimiser_type;
GB_OPTIMISER_LIST(GB_DECLARE_OPTIMISER)
#undef GB_DECLARE_OPTIMISER

GB_DECLARE_KIND(gb_optimiser, gb_optimisers)

/* ---- minimising ---- */

/* What gb_minimise can be told besides, and gb_fit in the same words. */
#define GB_MINIMISE_CHOICES                                                                                  \
    gb_node_list                                                                                             \
        variables;    /* OPTIONAL: the ones to change, each with a gradient. None: all that have one */      \
    double clip;      /* elements of gradients are cut to [−clip, clip]; 0: as they are */                 \
    double clip_norm; /* then all gradients are scaled until their common norm is no larger; 0: not */       \
    bool average;     /* keep means of the iterates (Polyak and Juditsky 1992) in "VARIABLE.average" … */  \
    double average_after /* … of those after so many runs; until then the average is the iterate */

typedef struct gb_minimise_options {
    size_t size;
    GB_MINIMISE_CHOICES;
} gb_minimise_options;

/* The assigns that lower `loss` (a real scalar) by one step in each run, for all variables that it has a
 * gradient in, and for what its estimators learn besides (estimators/learn.h: each objective with a norm of its own, and no
 * averages). An error where there is none. Variables behind gb_stop are left alone. Twice for one variable with one
 * optimiser is an error, since what is remembered for it has one name.
 *
 *     gb_minimise(loss, gb_adam())
 *     gb_minimise(loss, gb_sgd(.lr = 0.1), .clip_norm = 1, .average = true, .variables = gb_roots(w, b)) */
#define gb_minimise(...) GB_CALL_2(gb_minimise, __VA_ARGS__, .size = sizeof(gb_minimise_options))
GB_API gb_updates gb_minimise_with(gb_node loss, gb_optimiser optimiser, const gb_minimise_options *options);

/* The running mean of a variable that is minimised with .average, 0 before the first run. An error where there is none. */
GB_API gb_node gb_variable_average(gb_node variable);

/* Assigns that exchange the variables that `loss` depends on with their averages: a run of a program with them makes all
 * programs see the averages, another one takes it back. An error where there are none. Train in between, and averages are
 * what is trained.
 *
 *     gb_program *swap = gb_compile(t, (gb_node_list){0}, gb_swap_averages(loss)); */
GB_API gb_updates gb_swap_averages(gb_node loss);

GB_END_DECLS
#endif
