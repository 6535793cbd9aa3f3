/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a case, and judges it. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gradient.h"
#include "support/op_case_impl.h"

enum { DIFFERENCE_POINTS = 4 };

/* ---- evaluation ---- */

/* What is known of one case after its runs. */
typedef struct findings {
    double total, directional, magnitude; /* T, D, Σ |v op(x)| */
    double slope[2], difference[2];       /* of T and of D along w: by gb_grad, by differences */
    double scale[2];                      /* Σ |∂| |w| */
    double along_u, condition[2];         /* Σ |∂T| |u|; Σ |∂| |x| */
} findings;

static void move_to(op_case *c, double t)
{
    for (size_t i = 0; i < c->variables; i++) {
        const op_variable *v = &c->variable[i];
        double *moved = calloc(v->count + 1, sizeof *moved);
        for (size_t j = 0; j < v->count; j++)
            moved[j] = v->value[j] + t * v->w[j];
        gb_set(v->node, gb_values_from(moved, v->count));
        free(moved);
    }
}

static void add_projections(const op_variable *v, gb_node gradient, int order, findings *f)
{
    double *g = calloc(v->count + 1, sizeof *g);
    gb_read(gradient, g, v->count);
    for (size_t j = 0; j < v->count; j++) {
        f->slope[order] += g[j] * v->w[j];
        f->scale[order] += fabs(g[j] * v->w[j]);
        f->condition[order] += fabs(g[j] * v->value[j]);
        f->along_u += order == 0 ? fabs(g[j] * v->u[j]) : 0;
    }
    free(g);
}

static void run_case(op_case *c, bool differences, findings *f)
{
    gb_node roots[3 + 2 * VARIABLES] = {c->total, c->magnitude, c->directional};
    size_t count = 3;
    const int orders = c->op->once_differentiable ? 1 : 2;
    for (size_t i = 0; i < c->variables; i++) {
        roots[count++] = c->variable[i].gradient;
        if (orders == 2)
            roots[count++] = c->variable[i].second;
    }
    gb_program *program = gb_compile(c->tape, (gb_node_list){.count = count, .node = roots}, gb_no_update);
    *f = (findings){0};
    if (gb_run(program) != GB_OK)
        return;
    f->total = gb_value(c->total);
    f->directional = gb_value(c->directional);
    f->magnitude = gb_value(c->magnitude);
    for (size_t i = 0; i < c->variables; i++) {
        add_projections(&c->variable[i], c->variable[i].gradient, 0, f);
        if (orders == 2)
            add_projections(&c->variable[i], c->variable[i].second, 1, f);
    }
    static const double at[DIFFERENCE_POINTS] = {-2, -1, 1, 2}, weight[DIFFERENCE_POINTS] = {1, -8, 8, -1};
    const double step = 0x1p-13;
    for (int k = 0; k < DIFFERENCE_POINTS && differences; k++) {
        move_to(c, at[k] * step);
        gb_run(program);
        f->difference[0] += weight[k] * gb_value(c->total) / (12 * step);
        f->difference[1] += weight[k] * gb_value(c->directional) / (12 * step);
    }
}

/* ---- verdicts ---- */

static bool complain(char *why, const char *what, double is, double should, double bound)
{
    snprintf(why, OP_CASE_TEXT, "%s is %.17g, not %.17g: off by %.3g, allowed are %.3g", what, is, should,
             fabs(is - should), bound);
    return false;
}

static bool agree(char *why, const char *what, double is, double should, double bound)
{
    return fabs(is - should) <= bound || complain(why, what, is, should, bound);
}

/* Differences of T see its rounding too: hence a floor, a ten-thousandth of the size of what is added up. */
static bool derivatives_agree(const op_case *c, const findings *f, char *why)
{
    const double first = f->scale[0] + 1e-4 * f->magnitude, second = f->scale[1] + 1e-4 * f->along_u;
    if (!agree(why, "the gradient along a direction", f->slope[0], f->difference[0], 1e-7 * first))
        return false;
    return c->op->once_differentiable ||
           agree(why, "the second gradient along a direction", f->slope[1], f->difference[1], 1e-5 * second);
}

static bool second_gradient_is_refused(op_case *c, char *why)
{
    gb_grad(c->directional, c->variable[0].node);
    const bool refused = gb_error(c->tape) == GB_EGRADIENT && strstr(gb_error_text(c->tape), c->op->name);
    if (!refused)
        snprintf(why, OP_CASE_TEXT, "a second gradient is not refused by name: \"%s\"",
                 gb_error_text(c->tape));
    gb_forgive(c->tape);
    return refused;
}

static bool floats_agree(const findings *single, const findings *wide, char *why)
{
    const double allowed = 8 * (double)FLT_EPSILON;
    return agree(why, "the value on a float tape", single->total, wide->total,
                 allowed * (wide->magnitude + wide->condition[0])) &&
           agree(why, "the gradient on a float tape", single->directional, wide->directional,
                 allowed * (wide->along_u + wide->condition[1]));
}

static bool no_error(const op_case *c, char *why)
{
    if (gb_error(c->tape) != GB_OK)
        snprintf(why, OP_CASE_TEXT, "%s", gb_error_text(c->tape));
    return gb_error(c->tape) == GB_OK;
}

bool op_case_passes(const gb_op *op, unsigned number, char why[OP_CASE_TEXT])
{
    op_case wide, single;
    findings of_wide, of_single;
    op_case_begin(&wide, op, number, GB_DOUBLE);
    op_case_record(&wide);
    run_case(&wide, true, &of_wide);
    op_case_begin(&single, op, number, GB_FLOAT);
    op_case_record(&single);
    run_case(&single, false, &of_single);
    const bool pass =
        no_error(&wide, why) && no_error(&single, why) && derivatives_agree(&wide, &of_wide, why) &&
        floats_agree(&of_single, &of_wide, why) &&
        (!op->once_differentiable || wide.variables == 0 || second_gradient_is_refused(&wide, why));
    op_case_end(&wide);
    op_case_end(&single);
    return pass;
}
