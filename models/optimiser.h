/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers: a few operations and an assign for each variable. gb_minimise applies one:
 *
 *     gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-2)));
 *
 * The state of an optimiser (moments, step) consists of variables, which can be read, set and saved like all
 * others. Each optimiser has a learning rate and a schedule among its options (update.h, schedule.h); 0
 * stands for the default. Options outside their domain are an error of gb_minimise. Your own optimiser:
 * update.h, and docs/add-an-optimiser.md. */
#ifndef GREBE_MODELS_OPTIMISER_H
#define GREBE_MODELS_OPTIMISER_H

#include "../core/program.h"
#include "../estimators/visit.h"
#include "update.h"

GB_BEGIN_DECLS

/* Gradient descent: x - lr v with v = momentum v + g (Polyak 1964); with nesterov, x - lr (g + momentum v)
 * (Nesterov 1983, in the form of Sutskever et al. 2013). */
typedef struct gb_sgd_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-2 */
    double momentum;   /* from 0 to below 1 */
    bool nesterov;
} gb_sgd_options;
#define gb_sgd(...) GB_CALL_0(gb_sgd, .size = sizeof(gb_sgd_options), __VA_ARGS__)
GB_API gb_optimiser gb_sgd_with(const gb_sgd_options *options);

/* Adagrad: x - lr g / (sqrt(sum g^2) + epsilon). The steps decrease as the squares of gradients add up. */
typedef struct gb_adagrad_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-2 */
    double epsilon;    /* 0: 1e-10 */
} gb_adagrad_options;
#define gb_adagrad(...) GB_CALL_0(gb_adagrad, .size = sizeof(gb_adagrad_options), __VA_ARGS__)
GB_API gb_optimiser gb_adagrad_with(const gb_adagrad_options *options);

/* RMSprop: x - lr b with b = momentum b + g / (sqrt v + epsilon), where v is the moving mean of g^2; if
 * centred, the moving variance of g (Graves 2013). */
typedef struct gb_rmsprop_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-3 */
    double decay;      /* of the moving means; 0: 0.9 */
    double momentum;   /* from 0 to below 1 */
    double epsilon;    /* 0: 1e-8 */
    bool centred;
} gb_rmsprop_options;
#define gb_rmsprop(...) GB_CALL_0(gb_rmsprop, .size = sizeof(gb_rmsprop_options), __VA_ARGS__)
GB_API gb_optimiser gb_rmsprop_with(const gb_rmsprop_options *options);

/* Adam: x - lr m / (sqrt v + epsilon), with corrected moving means m of g and v of g^2. Steps are of about lr
 * in each element. */
typedef struct gb_adam_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-3 */
    double beta1;      /* decay of the mean of gradients; 0: 0.9 */
    double beta2;      /* decay of the mean of their squares; 0: 0.999 */
    double epsilon;    /* 0: 1e-8 */
} gb_adam_options;
#define gb_adam(...) GB_CALL_0(gb_adam, .size = sizeof(gb_adam_options), __VA_ARGS__)
GB_API gb_optimiser gb_adam_with(const gb_adam_options *options);

/* AdamW: Adam, and in addition each variable decreases by lr · decay · x. */
typedef struct gb_adamw_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-3 */
    double beta1;      /* 0: 0.9 */
    double beta2;      /* 0: 0.999 */
    double epsilon;    /* 0: 1e-8 */
    double decay;      /* 0: 1e-2 */
} gb_adamw_options;
#define gb_adamw(...) GB_CALL_0(gb_adamw, .size = sizeof(gb_adamw_options), __VA_ARGS__)
GB_API gb_optimiser gb_adamw_with(const gb_adamw_options *options);

/* L-BFGS, for a loss that is the same in every run; a loss that depends on noise is rejected. All variables
 * are updated together. Each run evaluates the loss at one trial point. It accepts the point (weak Wolfe
 * conditions), or shortens or lengthens the step. `lr` is the first length that is tried, in units of the
 * quasi-Newton step.
 *
 * So between runs, the variables may be at a trial point where the loss is higher. gb_fit moves them to the
 * last accepted point at its end, and its next call continues from the trial point. The accepted point is the
 * variable "FIRST.lbfgs.point", the concatenation of all variables; averages are of accepted points. If no
 * step decreases the loss, the variables stay at the best point until the loss there changes.
 *
 * A loss that is not finite at a trial point shortens the step, unless it is a root of the program: then the
 * run fails. The program of gb_fit has no such root. Clipping changes the gradients, and the search may then
 * fail. */
typedef struct gb_lbfgs_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1 */
    double history;    /* number of steps in the history, an integer up to 100; 0: 10 */
} gb_lbfgs_options;
#define gb_lbfgs(...) GB_CALL_0(gb_lbfgs, .size = sizeof(gb_lbfgs_options), __VA_ARGS__)
GB_API gb_optimiser gb_lbfgs_with(const gb_lbfgs_options *options);

/* Natural gradient (Amari 1998) of normal posteriors, in their natural parameters. With mean m, covariance S,
 * and gradient g in m, the step is
 *     S^-1 <- S^-1 + 2 lr dloss/dS, and then m <- m - lr S g
 * (Khan and Rue 2023). The step does not depend on the parametrisation of S. In a conjugate model, .lr = 1
 * reaches the posterior in one step. If a loss that is not convex would make the new S^-1 indefinite, it is
 * S^-1 + d + d S d / 2 with d = 2 lr dloss/dS, which is positive definite for every d (Lin, Schmidt and Khan
 * 2020).
 *
 * A step is shortened to stay where this model of the loss holds: KL(q_new ‖ q), to second order lr² (gᵀ S g
 * / 2 + |2 L' dloss/dS L|² / 4) with S = L L', is at most `trust`. For full rank that is the KL of the whole
 * normal, for independent elements that of each. If the loss depends on noise, 0.05 is usual: few draws of a
 * likelihood that contains an exponential would move S very far. If it does not, steps of any length are
 * usual.
 *
 * Normals are recognised by the names of their variables, if no other variable begins with "NAME.":
 * gb_mean_field (NAME.location, and NAME.raw_scale or NAME.log_scale) and gb_full_rank (also NAME.lower,
 * which is updated together with the scale or not at all). gb_low_rank is rejected.
 *
 * `metric` adds other parametrisations, and is called first. It returns F^-1 g for to->variable, where F is
 * the Fisher information; the step is then x - lr F^-1 g. It may use all of to->variables and to->gradients.
 * It returns an inert node for a variable that it does not know. A variable without a metric is an error that
 * names it, unless `others` is set: then the variable takes a plain gradient step with the rate others · lr.
 */
typedef gb_node gb_metric(const gb_update_step *to, const void *user);
typedef struct gb_natural_options {
    GB_OPTIMISER_HEAD; /* lr 0: 1e-2 */
    double others;     /* factor of the rate for variables without a metric; 0: reject them */
    gb_metric *metric;
    const void *user; /* passed to `metric` */
    double trust;     /* largest KL(q_new ‖ q) of a step; 0: the usual bound, described above */
} gb_natural_options;
#define gb_natural(...) GB_CALL_0(gb_natural, .size = sizeof(gb_natural_options), __VA_ARGS__)
GB_API gb_optimiser gb_natural_with(const gb_natural_options *options);

/* For your own metrics: multiply a gradient by F^-1, for N(location, L Lᵀ). From the gradient g in the
 * location, gb_natural_location returns L Lᵀ g. From the gradient G in the Cholesky factor L (…, n, n),
 * gb_natural_factor returns L Φ(Lᵀ G), where Φ takes the lower triangle with half of the diagonal. */
GB_API gb_node gb_natural_location(gb_node factor, gb_node gradient);
GB_API gb_node gb_natural_factor(gb_node factor, gb_node gradient);

/* clang-format off */
/* The members of the library, each as do_(name). */
#define GB_OPTIMISER_LIST(do_) do_(sgd) do_(adagrad) do_(rmsprop) do_(adam) do_(adamw) do_(lbfgs) do_(natural)
/* clang-format on */

#define GB_DECLARE_OPTIMISER(name) GB_API extern const gb_optimiser_type gb_##name##_optimiser_type;
GB_OPTIMISER_LIST(GB_DECLARE_OPTIMISER)
#undef GB_DECLARE_OPTIMISER

GB_DECLARE_KIND(gb_optimiser, gb_optimisers)

/* ---- minimising ---- */

/* Options of gb_minimise and gb_fit. */
#define GB_MINIMISE_CHOICES                                                                                  \
    /* OPTIONAL: the variables to update, each with a gradient. None: all that have one */                   \
    gb_node_list variables;                                                                                  \
    double clip;      /* elements of gradients are clipped to [−clip, clip]; 0: no clipping */             \
    double clip_norm; /* then gradients are scaled to a common norm of at most this; 0: no clipping */       \
    bool average; /* keep running means of the iterates (Polyak and Juditsky 1992): "VARIABLE.average" */    \
    double average_after /* the means begin after this many runs; until then the mean is the iterate */

typedef struct gb_minimise_options {
    size_t size;
    GB_MINIMISE_CHOICES;
} gb_minimise_options;

/* Returns the assigns that minimise `loss` (a real scalar): one step in each run, for all variables in which
 * it has a gradient. They include the rules of its estimators (estimators/learn.h): each objective is clipped
 * by its own norm, and has no averages. Fails if the loss has no gradient in any variable. Variables behind
 * gb_stop are not changed. A second call for the same variable and optimiser fails, because the state of the
 * optimiser has the same name.
 *
 *     gb_minimise(loss, gb_adam())
 *     gb_minimise(loss, gb_sgd(.lr = 0.1), .clip_norm = 1, .average = true, .variables = gb_roots(w, b)) */
#define gb_minimise(...) GB_CALL_2(gb_minimise, __VA_ARGS__, .size = sizeof(gb_minimise_options))
GB_API gb_updates gb_minimise_with(gb_node loss, gb_optimiser optimiser, const gb_minimise_options *options);

/* Returns the running mean of a variable that is minimised with .average; it is 0 before the first run. Fails
 * if the variable has no average. */
GB_API gb_node gb_variable_average(gb_node variable);

/* Returns assigns that exchange the variables of `loss` with their averages. After one run of a program with
 * these assigns, all programs use the averages; a second run reverses the exchange. Training in between would
 * train the averages. Fails if there are no averages.
 *
 *     gb_program *swap = gb_compile(t, (gb_node_list){0}, gb_swap_averages(loss)); */
GB_API gb_updates gb_swap_averages(gb_node loss);

GB_END_DECLS
#endif
