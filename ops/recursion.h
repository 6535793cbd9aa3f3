/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursions: a step that is repeated along an axis, with a state that goes from step to step. GARCH, ARMA,
 * the forward pass of a hidden Markov model, a recurrent network. */
#ifndef GREBE_OPS_RECURSION_H
#define GREBE_OPS_RECURSION_H

#include "../core/gradient.h"
#include "../core/op.h"
#include "../core/options.h"
#include "../core/program.h"

GB_BEGIN_DECLS

enum { GB_SCAN_MOST = 16 }; /* the largest number of states, and of outputs */

/* One step, while it is recorded. */
typedef struct gb_scan_step {
    gb_tape *tape;
    void *user;    /* of the options */
    gb_node index; /* 0, 1, 2 …: the place along the axis, a real number */
    size_t states, inputs, outputs;
    const gb_node *state; /* before the step */
    const gb_node *input; /* this step's part of each input, without the axis */
    gb_node *next;        /* to be set: the states after the step, with the shapes of the first ones */
    gb_node *output;      /* to be set: this step's part of each output */
} gb_scan_step;

/* Records one step. It is called once, during gb_scan, however many steps there are. It may use any node of
 * the tape: parameters, constants, data. What it records on the state or on the inputs belongs to the step,
 * and is rejected outside; the results of gb_scan say what is to be seen outside. */
typedef void gb_scan_function(gb_scan_step *step);

typedef struct gb_scan_options {
    size_t size;
    gb_node_list inputs; /* of any number and type; they have the same size along `axis` */
    int axis;            /* of inputs and outputs; −1: the last */
    size_t outputs;      /* their number */
    int64_t steps;       /* the number of steps; needed only if there are no inputs */
    bool reverse;        /* from the last place of the axis to the first */
    /* 0: keep all that the gradient needs. Otherwise keep the states of every recompute-th step only, and let
     * the gradient make those in between again: about √steps saves most memory. Takes longer. */
    int64_t recompute;
    void *user; /* for the function */
} gb_scan_options;

/* The results. All are inert on error. */
typedef struct gb_scan_result {
    gb_node last[GB_SCAN_MOST];   /* the states after the last step; the first ones if there are no steps */
    gb_node output[GB_SCAN_MOST]; /* with all steps along the axis */
} gb_scan_result;

/* Records a recursion: s ← f(s, x) for each place along an axis of the inputs.
 *
 *     static void step(gb_scan_step *s)             // h ← omega + alpha y² + beta h
 *     {
 *         const gb_node *p = s->user;
 *         s->output[0] = s->state[0];
 *         s->next[0] = gb_add(gb_add(p[0], gb_mul(p[1], gb_square(s->input[0]))), gb_mul(p[2], s->state[0]));
 *     }
 *     gb_scan_result r = gb_scan(t, step, gb_roots(h0), .inputs = gb_roots(y), .outputs = 1, .user = p);
 *     gb_node log_p = gb_sum(gb_log_prob(gb_normal(gb_num(t, 0), gb_sqrt(r.output[0])), y));
 *
 * States are real; `first` has 1 to GB_SCAN_MOST of them. Hidden axes are as elsewhere: states and outputs
 * have those of all that they are computed from, or more. On the way from state to state a step cannot join
 * samples or rows.
 *
 * Recording, gradients and planning take a time that does not depend on the number of steps. What a step
 * does not compute from its state is computed for all steps at once, by vectors; only the way from state to
 * state is evaluated step by step. So it pays to keep that way short. A sum of terms of which one has the
 * state, alone or times a factor, is evaluated as a s + b: terms may be added in another order, so that the
 * result is the same up to the rounding of such a sum, relative to its largest term. All states are kept for
 * the gradient, which is a scan again and has gradients of every order. A tape can have scans of about 60
 * different numbers of steps. Outputs of a scan that recomputes are real.
 *
 * A draw is a fresh one in each step. Its parameters may depend on the state if it is made by transforming
 * noise without parameters, as draws of most distributions are: normal, uniform, exponential, Bernoulli,
 * categorical … On the way to the next state, noise of gamma, Poisson, binomial and von Mises (draws.h) is
 * rejected, if its parameters depend on the state, and so are draws that are made of it. These are: shapes of
 * gamma, inverse gamma, beta, Dirichlet and LKJ; degrees of freedom of chi-squared and Student t; the
 * concentration of von Mises; Poisson, binomial, multinomial, negative binomial and beta-binomial. Draws that
 * only outputs need may be any. gb_draw (estimators/expect.h) belongs before gb_scan; its draw may be an
 * input. */
#define gb_scan(...) GB_CALL_3(gb_scan, __VA_ARGS__, .size = sizeof(gb_scan_options))
GB_API gb_scan_result gb_scan_with(gb_tape *tape, gb_scan_function *function, gb_node_list first,
                                   const gb_scan_options *options);

GB_END_DECLS
#endif
