/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values: at one place alone, alone and fused, with one thread and several, with NaN among the arguments, and
 * with numbers that are known at recording. */
#include <math.h>
#include <string.h>

#include "core/gradient.h"
#include "kit/ops/record_impl.h"
#include "kit/ops/values_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* Compares two arrays: to the last bit (bound 0), or to `bound` times the size of the numbers. */
static bool equal(gb_op_case *c, gb_statement statement, gb_node is_node, gb_op_case *of, gb_node should_node,
                  double bound)
{
    size_t count, should_count;
    const double *is = gb_kit_read(c->tape, is_node, &count),
                 *should = gb_kit_read(of->tape, should_node, &should_count);
    if (!is || !should)
        return gb_op_case_fine(c) && gb_op_case_fine(of);
    if (count != should_count)
        return gb_kit_verdict(c->kit, statement, false, "there are %zu elements, not %zu", count,
                              should_count);
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fabs(should[i]) > most ? fabs(should[i]) : most;
    for (size_t i = 0; i < count; i++) {
        const bool same = is[i] == should[i] || (isnan(is[i]) && isnan(should[i]));
        if (!same && !(fabs(is[i] - should[i]) <= bound * (1 + most)))
            return gb_kit_verdict(c->kit, statement, false, "element %zu is %.17g, not %.17g", i, is[i],
                                  should[i]);
    }
    return gb_kit_verdict(c->kit, statement, true, "%s", "");
}

/* ---- times ---- */

static bool same_values(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; a && b && i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

bool gb_op_case_is_random(gb_op_case *c)
{
    size_t count;
    gb_program *program = gb_op_case_run(c, 1, &c->real);
    const double *first = gb_kit_read(c->tape, c->real, &count);
    gb_program_set_step(program, 0);
    gb_run(program);
    const double *again = gb_kit_read(c->tape, c->real, &count);
    gb_run(program);
    const double *next = gb_kit_read(c->tape, c->real, &count);
    return gb_kit_verdict(c->kit, GB_ON_FUSED, same_values(first, again, count),
                          "it differs from run to run") &&
           !same_values(first, next, count);
}

/* ---- places and company ---- */

static gb_node at_the_place(gb_op_case *c, gb_node x)
{
    for (int i = 0; i < GB_CASE_AXES; i++)
        if (!(c->mixed & c->axis[i]))
            x = gb_select(x, c->axis[i], c->place[i]);
    return x;
}

/* Two operations that change no bit, and are fused with their readers. */
static gb_node among_others(gb_op_case *c, gb_node x)
{
    (void)c;
    return gb_node_type(x) == GB_TYPE_REAL ? gb_neg(gb_neg(x)) : x;
}

void gb_op_check_values(gb_op_case *c)
{
    if (c->check->random)
        return;
    const bool has_places = c->size[0] > 0 && c->size[1] > 0 && c->size[2] > 0;
    const gb_node place = has_places ? at_the_place(c, c->real) : c->real,
                  alone = has_places ? gb_op_case_again(c, at_the_place) : c->real,
                  fused = among_others(c, gb_op_case_again(c, among_others));
    if (gb_op_case_fine(c) && gb_op_case_run(c, 2, (const gb_node[]){c->real, place}) &&
        gb_op_case_run(c, 2, (const gb_node[]){alone, fused})) {
        if (has_places)
            equal(c, GB_ON_APART, alone, c, place, 1e-9);
        equal(c, GB_ON_FUSED, fused, c, c->real, 0);
    }
    gb_op_case_fine(c);
}

/* ---- threads ---- */

static gb_node run_large(gb_op_case *c, gb_op_check *check, int threads)
{
    const unsigned all_axes = 0777;
    gb_op_case_begin(c, check, (gb_case_setup){.number = all_axes, .threads = threads, .wide = true});
    if (!gb_op_case_record(c))
        return c->real;
    const gb_node y = among_others(c, gb_op_case_again(c, among_others));
    gb_op_case_run(c, 1, &y);
    return y;
}

void gb_op_check_threads(gb_op_check *check)
{
    gb_op_case one, three;
    if (check->op->form != GB_FORM_ELEMENTWISE && check->op->form != GB_FORM_KERNEL)
        return;
    const gb_node y = run_large(&one, check, 1), same = run_large(&three, check, 3);
    equal(&three, GB_ON_THREADS, same, &one, y, 0);
    gb_op_case_end(&three);
    gb_op_case_end(&one);
}

/* ---- NaN ---- */

enum { ELEMENTS = 67 };

/* Numbers of the domain; with NaN at every seventh place, if `with_nan`. */
static void fill_domain(const gb_op_case *c, size_t argument, bool with_nan, double x[ELEMENTS])
{
    const double low = c->op->domain[argument].low, high = c->op->domain[argument].high;
    for (size_t i = 0; i < ELEMENTS; i++)
        x[i] = with_nan && i % 7 == 3
                   ? (double)NAN
                   : low + (high - low) * ((double)((i * (5 + argument)) % ELEMENTS) + 0.37) / ELEMENTS;
}

static gb_node domain_values(const gb_op_case *c, size_t argument, bool with_nan)
{
    double x[ELEMENTS];
    fill_domain(c, argument, with_nan, x);
    return gb_constant(c->tape, gb_shape(ELEMENTS), gb_values_of(x, ELEMENTS));
}

static void judge_nan(gb_op_case *c, gb_node clean, gb_node spoilt, size_t argument)
{
    size_t count, same_count;
    const double *should = gb_kit_read(c->tape, clean, &count),
                 *is = gb_kit_read(c->tape, spoilt, &same_count);
    if (!gb_op_case_fine(c) || !should || !is || count != ELEMENTS || same_count != ELEMENTS)
        return;
    for (size_t i = 0; i < ELEMENTS; i++) {
        const bool nan = i % 7 == 3, vanished = nan && !isnan(is[i]) && !c->check->nan_may_vanish;
        if (vanished || (!nan && is[i] != should[i] && !isnan(should[i]))) {
            gb_kit_verdict(c->kit, GB_ON_NAN, false, "NaN in argument %zu: element %zu, where it is%s, is %g",
                           argument + 1, i, nan ? "" : " not", is[i]);
            return;
        }
    }
    gb_kit_verdict(c->kit, GB_ON_NAN, true, "%s", "");
}

/* Puts NaN into one argument after the other. */
static void check_nan_in(gb_op_check *check, gb_real real)
{
    gb_op_case c;
    gb_node arg[3], y[4];
    const size_t count = check->op->variadic ? 2 : check->op->arguments;
    gb_op_case_begin(&c, check, (gb_case_setup){.real = real});
    for (size_t spoilt = 0; spoilt <= count; spoilt++) {
        for (size_t i = 0; i < count; i++)
            arg[i] = domain_values(&c, check->op->variadic ? 0 : i, i == spoilt);
        y[spoilt] = gb_apply(NULL, check->op, count, arg, NULL, 0);
    }
    if (gb_node_type(y[0]) == GB_TYPE_REAL && gb_op_case_run(&c, count + 1, y))
        for (size_t spoilt = 0; spoilt < count; spoilt++)
            judge_nan(&c, y[count], y[spoilt], spoilt);
    gb_op_case_fine(&c);
    gb_op_case_end(&c);
}

/* ---- numbers that are known at recording ---- */

/* Records the operation with `x` as argument number `which`, and numbers of the domain as the others. */
static gb_node with_argument(gb_op_case *c, size_t count, size_t which, gb_node x)
{
    gb_node arg[3];
    for (size_t i = 0; i < count; i++)
        arg[i] = i == which ? x : domain_values(c, c->op->variadic ? 0 : i, false);
    return gb_apply(NULL, c->op, count, arg, NULL, 0);
}

static bool has_nan(gb_op_case *c, gb_node x)
{
    size_t count;
    const double *const values = gb_kit_read(c->tape, x, &count);
    for (size_t i = 0; values && i < count; i++)
        if (isnan(values[i]))
            return true;
    return false;
}

/* Some operations reject a gradient in some of their arguments: then there is nothing to look at. */
static gb_node slope_of(gb_op_case *c, gb_node y, gb_node x)
{
    const gb_node slope = c->op->vjp ? gb_grad(gb_sum(y), x) : (gb_node){0};
    if (gb_error(c->tape) == GB_EGRADIENT)
        gb_forgive(c->tape);
    return gb_node_ok(slope) ? slope : gb_num(c->tape, 0);
}

/* An operation may simplify a constant (same_as), and be special at 0 or 1: the value must be that of a
 * variable, and a number, and its gradient too. */
static void check_number(gb_op_case *c, size_t count, size_t which, double value)
{
    char name[64];
    snprintf(name, sizeof name, "%zu at %g", which, value);
    const gb_shape shape = gb_shape(ELEMENTS);
    const gb_node variable = gb_variable(c->tape, name, shape, gb_fill(value));
    const gb_node is = with_argument(c, count, which, gb_constant(c->tape, shape, gb_fill(value))),
                  should = with_argument(c, count, which, variable);
    if (gb_node_type(should) != GB_TYPE_REAL)
        return;
    const gb_node slope = slope_of(c, should, variable);
    if (!gb_op_case_run(c, 3, (const gb_node[]){is, should, slope}))
        return;
    equal(c, GB_ON_FUSED, is, c, should, 0);
    const bool is_nan = has_nan(c, should), is_lost = has_nan(c, slope);
    gb_kit_verdict(c->kit, GB_ON_NAN, !is_nan, "argument %zu is %g, in its domain, and the value is nan",
                   which + 1, value);
    gb_kit_verdict(c->kit, GB_ON_NAN, is_nan || !is_lost,
                   "argument %zu is %g, in its domain, and the gradient is nan", which + 1, value);
}

/* The values of a node at a number and at its neighbours. */
enum { BELOW, AT, ABOVE, SIDES };

/* Returns false where one of them is neither among its neighbours nor near to them. A step of 2^-20 is small
 * enough for every function of a domain, and may cross a kink or a jump. */
static bool lies_between(double below, double at, double above, double step)
{
    const double room = fabs(above - below) + 64 * step * (1 + fabs(below) + fabs(above));
    return !isfinite(room) || isnan(at) || fabs(at - (below + above) / 2) <= room;
}

static void judge_beside(gb_op_case *c, const char *what, const char *where, const gb_node node[SIDES],
                         double step)
{
    size_t count[SIDES];
    const double *x[SIDES];
    for (int side = 0; side < SIDES; side++)
        x[side] = gb_kit_read(c->tape, node[side], &count[side]);
    if (!x[BELOW] || !x[AT] || !x[ABOVE] || count[BELOW] != count[AT] || count[ABOVE] != count[AT])
        return;
    for (size_t i = 0; i < count[AT]; i++)
        if (!lies_between(x[BELOW][i], x[AT][i], x[ABOVE][i], step)) {
            gb_kit_verdict(c->kit, GB_ON_SINGLE, false, "%s, the %s is %.9g, but %.9g and %.9g beside it",
                           where, what, x[AT][i], x[BELOW][i], x[ABOVE][i]);
            return;
        }
    gb_kit_verdict(c->kit, GB_ON_SINGLE, true, "%s", "");
}

/* Unless it jumps, neither its value nor its gradient stands out at a single number. */
static void check_beside(gb_op_case *c, size_t count, size_t which, double value)
{
    char name[64];
    const double step = 0x1p-20;
    gb_node y[SIDES], slope[SIDES];
    for (int side = 0; side < SIDES; side++) {
        snprintf(name, sizeof name, "%zu beside %g, %d", which, value, side);
        const gb_node x = gb_variable(c->tape, name, gb_shape(ELEMENTS), gb_fill(value + (side - AT) * step));
        y[side] = with_argument(c, count, which, x);
        if (gb_node_type(y[side]) != GB_TYPE_REAL)
            return;
        slope[side] = slope_of(c, y[side], x);
    }
    const gb_node roots[] = {y[BELOW], y[AT], y[ABOVE], slope[BELOW], slope[AT], slope[ABOVE]};
    if (!gb_op_case_run(c, 2 * SIDES, roots))
        return;
    snprintf(name, sizeof name, "where argument %zu is %g", which + 1, value);
    judge_beside(c, "value", name, y, step);
    judge_beside(c, "gradient", name, slope, step);
}

/* The same for the gradient in another argument, which is not that number. */
static void check_other(gb_op_case *c, size_t count, size_t which, size_t other, double value)
{
    char name[64];
    double values[ELEMENTS];
    const double step = 0x1p-20;
    gb_node slope[SIDES], arg[3];
    for (size_t i = 0; i < count; i++)
        arg[i] = domain_values(c, c->op->variadic ? 0 : i, false);
    fill_domain(c, c->op->variadic ? 0 : other, false, values);
    snprintf(name, sizeof name, "%zu while %zu is %g", other, which, value);
    arg[other] = gb_variable(c->tape, name, gb_shape(ELEMENTS), gb_values_of(values, ELEMENTS));
    for (int side = 0; side < SIDES; side++) {
        snprintf(name, sizeof name, "%zu beside %g for %zu, %d", which, value, other, side);
        arg[which] = gb_variable(c->tape, name, gb_shape(ELEMENTS), gb_fill(value + (side - AT) * step));
        const gb_node y = gb_apply(NULL, c->op, count, arg, NULL, 0);
        if (gb_node_type(y) != GB_TYPE_REAL)
            return;
        slope[side] = slope_of(c, y, arg[other]);
    }
    if (!gb_op_case_run(c, SIDES, slope))
        return;
    gb_kit_verdict(c->kit, GB_ON_NAN, !has_nan(c, slope[AT]),
                   "argument %zu is %g, in its domain, and the gradient in argument %zu is nan", which + 1,
                   value, other + 1);
    snprintf(name, sizeof name, "where argument %zu is %g, argument %zu", which + 1, value, other + 1);
    judge_beside(c, "gradient", name, slope, step);
}

/* By a copy that does not say that it commutes: else both orders would be one value. */
static void check_order(gb_op_case *c)
{
    gb_op *const ordered = gb_tape_keep(c->tape, sizeof *ordered); /* lives as long as the nodes */
    if (!ordered)
        return;
    memcpy(ordered, c->op, sizeof *ordered);
    ordered->commutes = false;
    const gb_node x = domain_values(c, 0, false), y = domain_values(c, 1, false);
    const gb_node both[] = {gb_apply(NULL, ordered, 2, (const gb_node[]){x, y}, NULL, 0),
                            gb_apply(NULL, ordered, 2, (const gb_node[]){y, x}, NULL, 0)};
    if (gb_node_type(both[0]) == GB_TYPE_REAL && gb_op_case_run(c, 2, both))
        equal(c, GB_ON_FUSED, both[1], c, both[0], 0);
}

/* A value that varies although its gradient is 0 everywhere jumps somewhere. */
static void check_jumps(gb_op_case *c, size_t count)
{
    size_t read;
    gb_node arg[3], slope[3], sum = gb_num(c->tape, 0);
    for (size_t i = 0; i < count; i++)
        arg[i] =
            gb_add(domain_values(c, c->op->variadic ? 0 : i, false), gb_variable(c->tape,
                                                                                 i == 0   ? "x"
                                                                                 : i == 1 ? "y"
                                                                                          : "z",
                                                                                 gb_shape(), gb_fill(0)));
    const gb_node y = gb_apply(NULL, c->op, count, arg, NULL, 0);
    if (!c->op->vjp || gb_node_type(y) != GB_TYPE_REAL)
        return;
    if (gb_grads(gb_sum(y), arg, count, slope) == GB_EGRADIENT) {
        gb_forgive(c->tape);
        return;
    }
    for (size_t i = 0; i < count; i++)
        sum = gb_add(sum, gb_sum(gb_abs(slope[i])));
    if (!gb_op_case_run(c, 2, (const gb_node[]){y, sum}))
        return;
    const double *const value = gb_kit_read(c->tape, y, &read);
    bool varies = false;
    for (size_t i = 1; value && i < read; i++)
        varies |= value[i] != value[0];
    gb_kit_verdict(c->kit, GB_ON_FIRST, gb_value(sum) != 0 || !varies,
                   "it is 0 everywhere, and the value varies: it is piecewise constant, so set .jumps");
}

/* A piecewise constant value is the same a little further on, but where it jumps. */
static void check_constant(gb_op_case *c, size_t count)
{
    size_t read, same_read, same = 0;
    gb_node arg[3], moved[3];
    for (size_t i = 0; i < count; i++) {
        arg[i] = domain_values(c, c->op->variadic ? 0 : i, false);
        moved[i] = gb_shift(arg[i], 0x1p-20);
    }
    const gb_node y[] = {gb_apply(NULL, c->op, count, arg, NULL, 0),
                         gb_apply(NULL, c->op, count, moved, NULL, 0)};
    if (gb_node_type(y[0]) != GB_TYPE_REAL || !gb_op_case_run(c, 2, y))
        return;
    const double *const here = gb_kit_read(c->tape, y[0], &read), *const there =
                                                                      gb_kit_read(c->tape, y[1], &same_read);
    for (size_t i = 0; here && there && i < read; i++)
        same += here[i] == there[i] || isnan(here[i]) ? 1 : 0;
    gb_kit_verdict(c->kit, GB_ON_FIRST, 2 * same >= read,
                   ".jumps is set, and its value is not piecewise constant: it differs at %zu of %zu places "
                   "from that 1e-6 further on",
                   read - same, read);
}

static void check_numbers(gb_op_check *check)
{
    static const double numbers[] = {0, 1, -1, 2, -2, 0.5, -0.5};
    gb_op_case c;
    const size_t count = check->op->variadic ? 2 : check->op->arguments;
    gb_op_case_begin(&c, check, (gb_case_setup){0});
    for (size_t which = 0; which < count; which++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const size_t of = check->op->variadic ? 0 : which;
            if (!(check->op->domain[of].low < numbers[i] && numbers[i] < check->op->domain[of].high))
                continue;
            check_number(&c, count, which, numbers[i]);
            if (!check->op->jumps)
                check_beside(&c, count, which, numbers[i]);
            for (size_t other = 0; other < count && !check->op->jumps; other++)
                if (other != which)
                    check_other(&c, count, which, other, numbers[i]);
        }
    if (check->op->commutes && count == 2)
        check_order(&c);
    if (check->op->jumps)
        check_constant(&c, count);
    else
        check_jumps(&c, count);
    gb_op_case_fine(&c);
    gb_op_case_end(&c);
}

void gb_op_check_nan(gb_op_check *check)
{
    if (!gb_op_has_domain(check->op) || check->op->attribute_bytes > 0 || check->random)
        return;
    check_nan_in(check, GB_DOUBLE);
    check_nan_in(check, GB_FLOAT);
    check_numbers(check);
}
