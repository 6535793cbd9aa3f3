/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients against differences, and a float tape against a double one. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/gradient.h"
#include "kit/ops/checks_impl.h"
#include "kit/ops/record_impl.h"
#include "kit/ops/values_impl.h"
#include "kit/shell/values_impl.h"

/* ---- evaluation ---- */

/* The values of one case after its runs. */
typedef struct findings {
    double total, directional, magnitude; /* T, D, Σ |v op(x)| */
    double slope[2], difference[2];       /* of T and of D along w: by gb_grad, by differences */
    double scale[2];                      /* Σ |∂| |w| */
    double along_u, condition[2];         /* Σ |∂T| |u|; Σ |∂| |x| */
} findings;

static void move_to(gb_op_case *c, double t)
{
    for (size_t i = 0; i < c->variables; i++) {
        const gb_case_variable *v = &c->variable[i];
        for (size_t j = 0; j < v->count; j++)
            v->moved[j] = v->value[j] + t * v->w[j];
        gb_set(v->node, gb_values_of(v->moved, v->count));
    }
}

static void add_projections(gb_op_case *c, const gb_case_variable *v, int order, findings *f)
{
    size_t count;
    const double *g = gb_kit_read(c->tape, order == 0 ? v->gradient : v->second, &count);
    for (size_t j = 0; g && j < v->count; j++) {
        f->slope[order] += g[j] * v->w[j];
        f->scale[order] += fabs(g[j] * v->w[j]);
        f->condition[order] += fabs(g[j] * v->value[j]);
        f->along_u += order == 0 ? fabs(g[j] * v->u[j]) : 0;
    }
}

static void take_differences(gb_op_case *c, gb_program *program, findings *f)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double step = 0x1p-13;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        move_to(c, at[k] * step);
        gb_program_set_step(program, 0);
        gb_run(program);
        f->difference[0] += weight[k] * gb_value(c->total) / (12 * step);
        f->difference[1] += c->orders == 2 ? weight[k] * gb_value(c->directional) / (12 * step) : 0;
    }
    move_to(c, 0);
}

static void run_case(gb_op_case *c, bool differences, findings *f)
{
    gb_node roots[3 + 2 * GB_CASE_VARIABLES] = {c->total, c->magnitude, c->directional};
    size_t count = c->orders > 0 ? 3 : 2;
    *f = (findings){0};
    for (int order = 0; order < c->orders; order++)
        for (size_t i = 0; i < c->variables; i++)
            roots[count++] = order == 0 ? c->variable[i].gradient : c->variable[i].second;
    gb_program *program = gb_op_case_run(c, count, roots);
    if (!program)
        return;
    f->total = gb_value(c->total);
    f->magnitude = gb_value(c->magnitude);
    f->directional = c->orders > 0 ? gb_value(c->directional) : 0;
    for (int order = 0; order < c->orders; order++)
        for (size_t i = 0; i < c->variables; i++)
            add_projections(c, &c->variable[i], order, f);
    if (differences && c->orders > 0)
        take_differences(c, program, f);
}

/* ---- verdicts ---- */

static bool agree(gb_op_case *c, gb_statement statement, const char *what, double is, double should,
                  double bound)
{
    if (isnan(is) || isnan(should) || isnan(bound))
        return gb_kit_verdict(c->kit, statement, false,
                              "%s is %g, not %g: an argument of the domain gives nan", what, is, should);
    return gb_kit_verdict(c->kit, statement, fabs(is - should) <= bound,
                          "%s is %.17g, not %.17g: off by %.3g, where %.3g is allowed", what, is, should,
                          fabs(is - should), bound);
}

/* Differences of T also contain its rounding: hence a floor, a ten-thousandth of the size of its terms. */
static void judge_derivatives(gb_op_case *c, const findings *f)
{
    if (c->orders > 0 &&
        agree(c, GB_ON_FIRST, "along a direction it", f->slope[0], f->difference[0],
              1e-7 * (f->scale[0] + 1e-4 * f->magnitude)) &&
        c->orders > 1)
        agree(c, GB_ON_SECOND, "along a direction it", f->slope[1], f->difference[1],
              1e-5 * (f->scale[1] + 1e-4 * f->along_u));
}

/* Without a gradient, the growth of rounding errors inside is unknown, so more is allowed. */
static void judge_float(gb_op_case *c, const findings *single, const findings *wide)
{
    const double allowed = 8 * (double)FLT_EPSILON,
                 inside = c->orders > 0 ? wide->condition[0] : 100 * wide->magnitude;
    if (!c->check->random &&
        agree(c, GB_ON_FLOAT, "the value", single->total, wide->total, allowed * (wide->magnitude + inside)))
        agree(c, GB_ON_FLOAT, "the gradient", single->directional, wide->directional,
              allowed * (wide->along_u + wide->condition[1]));
}

/* Requests a second gradient in everything: the first one is at least linear in the weights v, which come
 * last. */
static void judge_rejection(gb_op_case *c)
{
    gb_node x[GB_CASE_VARIABLES], second[GB_CASE_VARIABLES];
    if (c->orders != 1 || c->variables < 2 || gb_node_type(c->value) != GB_TYPE_REAL)
        return;
    for (size_t i = 0; i < c->variables; i++)
        x[i] = c->variable[i].node;
    gb_grads(c->directional, x, c->variables, second);
    const bool rejected = gb_error(c->tape) == GB_EGRADIENT && strstr(gb_error_text(c->tape), c->op->name);
    gb_kit_verdict(c->kit, GB_ON_REJECTION, rejected, "for a second gradient the error of the tape is \"%s\"",
                   gb_error_text(c->tape));
    gb_forgive(c->tape);
}

/* ---- some of the arguments ---- */

/* Rounding may differ: the same sum may be recorded in another order. */
static void compare_wanted(gb_op_case *c, size_t which, const double *is, const double *should, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(should[i]));
    for (size_t i = 0; i < count; i++)
        if (fabs(is[i] - should[i]) > 1e-12 * most) {
            gb_kit_verdict(c->kit, GB_ON_WANTED, false,
                           "in argument %zu it is %.9g if others are constant, and %.9g if they are not",
                           which + 1, is[i], should[i]);
            return;
        }
    gb_kit_verdict(c->kit, GB_ON_WANTED, true, "%s", "");
}

/* A vjp sees by `wanted` which adjoints are needed. Here it is asked for those of a subset of the arguments;
 * the weights, which come last, are left out. */
static void judge_wanted(gb_op_case *c, unsigned turn)
{
    gb_node x[GB_CASE_VARIABLES], roots[2 * GB_CASE_VARIABLES];
    size_t which[GB_CASE_VARIABLES], count = 0, all, some;
    if (c->orders == 0 || c->variables < 3)
        return;
    const unsigned subset = 1 + turn % ((1u << (c->variables - 1)) - 2);
    for (size_t i = 0; i + 1 < c->variables; i++)
        if (subset >> i & 1u) {
            x[count] = c->variable[i].node;
            which[count++] = i;
        }
    if (gb_grads(c->total, x, count, roots) != GB_OK)
        return;
    for (size_t i = 0; i < count; i++)
        roots[count + i] = c->variable[which[i]].gradient;
    if (!gb_op_case_run(c, 2 * count, roots))
        return;
    for (size_t i = 0; i < count; i++) {
        const double *const is = gb_kit_read(c->tape, roots[i], &some), *const should = gb_kit_read(
                                                                            c->tape, roots[count + i], &all);
        if (is && should && some == all)
            compare_wanted(c, which[i], is, should, all);
    }
}

static bool run_recorded(gb_op_case *c, bool differences, findings *f)
{
    if (!gb_op_case_record(c) || !gb_op_case_record_gradients(c))
        return false;
    run_case(c, differences, f);
    return gb_op_case_fine(c);
}

void gb_op_check_derivatives(gb_op_check *check, unsigned number)
{
    gb_op_case wide, single;
    findings of_wide, of_single;
    gb_op_case_begin(&wide, check, (gb_case_setup){.number = number, .real = GB_DOUBLE});
    gb_op_case_begin(&single, check, (gb_case_setup){.number = number, .real = GB_FLOAT});
    if (run_recorded(&wide, true, &of_wide) && run_recorded(&single, false, &of_single)) {
        judge_derivatives(&wide, &of_wide);
        judge_float(&wide, &of_single, &of_wide);
        if (number % 16 == 5 || number % 16 == 10) /* half of the cases are large */
            gb_op_check_values(&wide);
        if (number % 4 == 2)
            judge_wanted(&wide, number / 4);
        gb_op_case_fine(&wide);
        judge_rejection(&wide);
    }
    gb_op_case_end(&single);
    gb_op_case_end(&wide);
}
