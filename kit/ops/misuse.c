/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inert arguments, arguments of another type, and memory that runs out. */
#include <math.h>
#include <string.h>

#include "kit/ops/checks_impl.h"
#include "kit/ops/record_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/elementwise.h"

/* ---- wrong arguments ---- */

/* Records the operation once more, with other arguments. */
static gb_node apply_as(gb_op_case *c, const gb_node *arg)
{
    return gb_apply(c->tape, c->op, gb_node_arguments(c->own), arg, gb_node_attributes(c->own),
                    gb_node_attribute_bytes(c->own));
}

static gb_node of_type(gb_op_case *c, gb_type type, gb_shape shape)
{
    if (type == GB_TYPE_REAL)
        return gb_ones(c->tape, shape);
    if (type == GB_TYPE_BOOL)
        return gb_less(gb_zeros(c->tape, shape), gb_ones(c->tape, shape));
    int64_t *values = gb_tape_keep(c->tape, (gb_shape_count(shape) + 1) * sizeof *values);
    for (size_t i = 0; values && i < gb_shape_count(shape); i++)
        values[i] = 1;
    return values ? gb_ints(c->tape, shape, values) : (gb_node){0};
}

/* It must be rejected, and by name. */
static bool is_rejected(gb_op_case *c, gb_node y)
{
    const size_t length = strlen(c->op->name);
    const char *text = gb_error_text(c->tape);
    return !gb_node_ok(y) && gb_error(c->tape) != GB_OK && strncmp(text, c->op->name, length) == 0 &&
           text[length] == ':';
}

static void judge_inert(gb_op_case *c, gb_node *arg, size_t at)
{
    const gb_node good = arg[at];
    arg[at] = (gb_node){0};
    const gb_node y = apply_as(c, arg);
    arg[at] = good;
    gb_kit_verdict(c->kit, GB_ON_MISUSE, is_rejected(c, y),
                   "argument %zu is inert; the error of the tape is \"%s\"", at + 1, gb_error_text(c->tape));
    gb_forgive(c->tape);
}

/* An operation that takes integers and booleans for reals must compute with their numbers, not with their
 * bits. */
static void judge_accepted(gb_op_case *c, gb_node *arg, size_t at, gb_node y)
{
    size_t count, same_count;
    const gb_node good = arg[at];
    arg[at] = gb_to_real(good);
    const gb_node by_numbers = gb_to_real(apply_as(c, arg)), by_type = gb_to_real(y);
    arg[at] = good;
    if (!gb_op_case_run(c, 2, (const gb_node[]){by_type, by_numbers}))
        return; /* rejected elsewhere: an index out of range, say */
    const double *is = gb_kit_read(c->tape, by_type, &count),
                 *should = gb_kit_read(c->tape, by_numbers, &same_count);
    for (size_t i = 0; is && should && i < count && i < same_count; i++)
        if (is[i] != should[i] && !(isnan(is[i]) && isnan(should[i]))) {
            gb_kit_verdict(c->kit, GB_ON_MISUSE, false,
                           "argument %zu may be %s, but their bits are taken for reals", at + 1,
                           gb_node_type(good) == GB_TYPE_INT ? "integers" : "booleans");
            return;
        }
    gb_kit_verdict(c->kit, GB_ON_MISUSE, true, "%s", "");
}

static void judge_type(gb_op_case *c, gb_node *arg, size_t at, gb_type type)
{
    const gb_node good = arg[at];
    arg[at] = of_type(c, type, gb_node_shape(good));
    const gb_node y = apply_as(c, arg);
    if (!gb_node_ok(y))
        gb_kit_verdict(c->kit, GB_ON_MISUSE, is_rejected(c, y),
                       "argument %zu is of a wrong type; the error of the tape is \"%s\"", at + 1,
                       gb_error_text(c->tape));
    else if (gb_node_type(good) == GB_TYPE_REAL)
        judge_accepted(c, arg, at, y);
    gb_forgive(c->tape);
    arg[at] = good;
}

static void judge_arguments(gb_op_case *c)
{
    gb_node arg[GB_CASE_ARGUMENTS];
    const size_t count = gb_node_arguments(c->own);
    if (!gb_node_ok(c->own) || count > GB_CASE_ARGUMENTS)
        return;
    for (size_t i = 0; i < count; i++)
        arg[i] = gb_node_argument(c->own, i);
    for (size_t i = 0; i < count; i++) {
        judge_inert(c, arg, i);
        for (gb_type type = GB_TYPE_REAL; type <= GB_TYPE_BOOL; type++)
            if (type != gb_node_type(arg[i]))
                judge_type(c, arg, i, type);
    }
}

void gb_op_check_misuse(gb_op_check *check, unsigned number)
{
    gb_op_case c;
    gb_op_case_begin(&c, check, (gb_case_setup){.number = number, .real = number % 2 ? GB_FLOAT : GB_DOUBLE});
    if (gb_op_case_record(&c))
        judge_arguments(&c);
    gb_op_case_fine(&c);
    gb_op_case_end(&c);
}

/* ---- memory that runs out ---- */

typedef struct scarce {
    gb_memory from;
    bool draws; /* requests of the kit itself are not counted and do not fail */
    size_t asked, fail_at, outstanding;
} scarce;

static void *scarce_resize(void *user, void *old, size_t bytes)
{
    scarce *s = user;
    if (!s->draws && ++s->asked == s->fail_at)
        return NULL;
    void *block = gb_memory_resize(&s->from, old, bytes ? bytes : 1);
    s->outstanding += block && !old;
    return block;
}

static void scarce_release(void *user, void *old)
{
    scarce *s = user;
    s->outstanding -= old != NULL;
    gb_memory_release(&s->from, old);
}

/* Records and runs; returns true without an error. In the other cases, checks the error. */
static bool live(gb_op_case *c, scarce *s, double *total)
{
    s->draws = false;
    const size_t known = c->check->kit.tally[GB_ON_RECORDED].failed;
    bool done = gb_op_case_record(c) && gb_op_case_record_gradients(c);
    done = done && gb_op_case_run(c, c->orders > 0 ? 2 : 1, (const gb_node[]){c->total, c->directional});
    c->check->kit.tally[GB_ON_RECORDED].failed = known;
    s->draws = true;
    *total = done ? gb_value(c->total) : (double)NAN;
    return done;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Runs a case whose request `fail_at` fails (0: none), and then the same case again. Returns the number of
 * requests. */
static size_t starve(gb_op_check *check, size_t fail_at, double *expected)
{
    gb_op_case c;
    double total, again;
    scarce s = {.from = check->kit.memory, .draws = true, .fail_at = fail_at};
    const gb_memory memory = {.resize = scarce_resize, .release = scarce_release, .user = &s};
    gb_op_case_begin(&c, check, (gb_case_setup){.number = 63, .memory = memory});
    c.draws = &s.draws;
    const bool done = live(&c, &s, &total);
    const size_t asked = s.asked;
    if (fail_at == 0)
        *expected = total;
    gb_kit_verdict(c.kit, GB_ON_MEMORY, done ? same_number(total, *expected) : gb_error(c.tape) == GB_ENOMEM,
                   "request %zu failed; the error of the tape is \"%s\" (the value is %g, not %g)", fail_at,
                   gb_error_text(c.tape), total, *expected);
    gb_forgive(c.tape);
    gb_op_case_restart(&c);
    s.fail_at = 0;
    const bool lives = live(&c, &s, &again) && same_number(again, *expected);
    gb_kit_verdict(c.kit, GB_ON_MEMORY, lives,
                   "after request %zu failed, the error of the tape is \"%s\", its value is %g", fail_at,
                   gb_error_text(c.tape), again);
    gb_op_case_end(&c);
    gb_kit_verdict(c.kit, GB_ON_MEMORY, s.outstanding == 0, "after request %zu failed, %zu blocks are lost",
                   fail_at, s.outstanding);
    return asked;
}

void gb_op_check_memory(gb_op_check *check)
{
    enum { TIMES = 24 };
    double expected = 0;
    const size_t asked = starve(check, 0, &expected);
    for (size_t i = 0; i < TIMES && i < asked; i++)
        starve(check, asked <= TIMES ? i + 1 : 1 + i * (asked - 1) / (TIMES - 1), &expected);
}
