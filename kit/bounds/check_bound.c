/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks, and the checks at given log weights. */
#include "kit/check_bound.h"

#include <math.h>
#include <string.h>

#include "core/gradient.h"
#include "kit/bounds/draws_impl.h"
#include "kit/shell/settings_impl.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_BOUND_STATEMENTS);

static const char *fault_of(const gb_bound_type *type)
{
    if (GB_KIT_FAULT(type, gb_bound_type))
        return GB_KIT_FAULT(type, gb_bound_type);
    return type->value ? gb_kit_table_fault(type) : "it has no value";
}

/* ---- given log weights ---- */

enum { MOST = 5 };
typedef double weights[MOST];
static const weights given[] = {{0.3, -1.2, 0.8, -0.1, -2.5},
                                {1.1, 0.4, -0.7, -2, 0.6},
                                {-7, 0.2, 3, -40, 2.9},
                                {0.5, 0.5, -1, 0.5, -1},
                                {40, 0, 0.5, -1, 1}};
enum { GIVEN = sizeof given / sizeof *given };

typedef struct function {
    gb_tape *tape;
    gb_node log_weight, value, slope, bend, other, instead, of_instead;
    gb_node columns, alone; /* of the log weights and of others, side by side and one by one */
    gb_program *program;
    size_t count;
} function;

static bool begin(gb_bound_check *c, function *f, size_t count, gb_real real)
{
    f->tape = gb_bound_tape(c, real);
    f->count = count;
    f->log_weight = gb_input(f->tape, "log_weight", gb_shape((int64_t)count));
    f->value = gb_bound_value(c->bound, f->log_weight);
    if (!gb_bound_is_scalar(c, f->tape, f->value))
        return false;
    f->slope = gb_grad(f->value, f->log_weight);
    const gb_node other = gb_shift(gb_scale(f->log_weight, 0.5), 1);
    const gb_node both[] = {f->log_weight, other};
    f->columns = gb_bound_value(c->bound, gb_stack(2, both, 1));
    f->alone = gb_stack(2, (const gb_node[]){f->value, gb_bound_value(c->bound, other)}, 0);
    f->bend = c->bend ? c->bend(c->options, f->log_weight) : f->slope;
    f->other = gb_input(f->tape, "other", gb_shape((int64_t)count));
    f->instead = c->instead ? c->instead(c->options, f->log_weight, f->other) : f->other;
    f->of_instead = gb_grad(gb_sum(f->instead), f->other);
    f->program = gb_compile(
        f->tape, gb_roots(f->value, f->slope, f->columns, f->alone, f->bend, f->instead, f->of_instead),
        gb_no_update);
    return gb_error(f->tape) == GB_OK;
}

static void end(gb_bound_check *c, function *f)
{
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, f->tape);
    gb_tape_free(f->tape);
}

/* `other` are the log weights that stand instead. Returns NaN on error. */
static double at_both(const function *f, const double *log_weight, const double *other)
{
    gb_feed(f->log_weight, log_weight, 1);
    gb_feed(f->other, other, 1);
    gb_run(f->program);
    return gb_value(f->value);
}

static double at(const function *f, const double *log_weight)
{
    return at_both(f, log_weight, given[1]);
}

/* Returns the value at a · x + b · y + shift. */
static double at_sum(const function *f, double a, const double *x, double b, const double *y, double shift)
{
    weights sum;
    for (size_t i = 0; i < f->count; i++)
        sum[i] = a * x[i] + b * y[i] + shift;
    return at(f, sum);
}

/* The formula of grebe's own. */
static double mean_of(size_t count, const double *log_weight)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log_weight[i];
    return sum / (double)count;
}

static void check_formula(gb_bound_check *c, const function *f)
{
    for (size_t i = 0; i < GIVEN && c->reference; i++) {
        const double is = at(f, given[i]), should = c->reference(f->count, given[i]);
        gb_kit_verdict(&c->kit, GB_ON_FORMULA, gb_bound_is_near(is, should, 1e-12),
                       "of %zu log weights it is %.17g, not %.17g", f->count, is, should);
    }
}

static void check_tight(gb_bound_check *c, const function *f)
{
    static const double numbers[] = {0, 2.5, -3.7, -2000, 2000};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !c->is_no_mean; i++) {
        const double is = at_sum(f, 0, given[0], 0, given[0], numbers[i]);
        gb_kit_verdict(&c->kit, GB_ON_TIGHT, gb_bound_is_near(is, numbers[i], 1e-12),
                       "of %zu log weights %g it is %.17g", f->count, numbers[i], is);
    }
}

static void check_shift(gb_bound_check *c, const function *f)
{
    static const double shifts[] = {-3, 5, -2000, 2000};
    for (size_t i = 0; i < GIVEN * sizeof shifts / sizeof *shifts && !c->is_no_mean; i++) {
        const double *const x = given[i % GIVEN], shift = shifts[i / GIVEN], was = at(f, x);
        const double is = at_sum(f, 1, x, 0, x, shift);
        gb_kit_verdict(&c->kit, GB_ON_SHIFT, gb_bound_is_near(is, was + shift, 1e-12),
                       "of %zu log weights it is %.17g, and %.17g after adding %g", f->count, was, is, shift);
    }
}

static void check_order(gb_bound_check *c, const function *f)
{
    for (size_t i = 0; i < GIVEN; i++) {
        weights turned;
        for (size_t k = 0; k < f->count; k++)
            turned[(k + 1) % f->count] = given[i][k];
        const double was = at(f, given[i]), is = at(f, turned);
        gb_kit_verdict(&c->kit, GB_ON_ORDER, gb_bound_is_near(is, was, 1e-12),
                       "it is %.17g, but %.17g in another order", was, is);
    }
}

static void check_linear(gb_bound_check *c, const function *f)
{
    for (size_t i = 0; i < GIVEN && !GB_HAS(c->bound.type, particles); i++) {
        const double *const x = given[i], *const y = given[(i + 1) % GIVEN];
        const double should = 2 * at(f, x) - 0.5 * at(f, y), is = at_sum(f, 2, x, -0.5, y, 0);
        gb_kit_verdict(&c->kit, GB_ON_LINEAR, gb_bound_is_near(is, should, 1e-11),
                       "of 2 a - b / 2 it is %.12g, but 2 times that of a less half that of b is %.12g", is,
                       should);
    }
}

static void check_gradient(gb_bound_check *c, const function *f)
{
    const double step = 1e-3;
    for (size_t i = 0; i < GIVEN * f->count; i++) {
        const double *const x = given[i / f->count];
        const size_t element = i % f->count;
        weights unit = {0}, slope = {0};
        unit[element] = step;
        const double one = at_sum(f, 1, x, 1, unit, 0) - at_sum(f, 1, x, -1, unit, 0),
                     two = at_sum(f, 1, x, 2, unit, 0) - at_sum(f, 1, x, -2, unit, 0);
        const double should = (8 * one - two) / (12 * step);
        at(f, x);
        gb_read(f->slope, slope, f->count);
        gb_kit_verdict(&c->kit, GB_ON_GRADIENT, gb_bound_is_near(slope[element], should, 1e-8),
                       "in log weight %zu of %zu it is %.12g, not %.12g", element, f->count, slope[element],
                       should);
    }
}

static void check_bend(gb_bound_check *c, const function *f)
{
    const double step = 1e-4;
    for (size_t i = 0; i < GIVEN * f->count && c->bend; i++) {
        const double *const x = given[i / f->count];
        const size_t element = i % f->count;
        weights unit = {0}, low = {0}, high = {0}, bend = {0};
        unit[element] = step;
        at_sum(f, 1, x, -1, unit, 0);
        gb_read(f->slope, low, f->count);
        at_sum(f, 1, x, 1, unit, 0);
        gb_read(f->slope, high, f->count);
        at(f, x);
        gb_read(f->bend, bend, f->count);
        const double should = (high[element] - low[element]) / (2 * step);
        gb_kit_verdict(&c->kit, GB_ON_BEND, gb_bound_is_near(bend[element], should, 1e-6),
                       "in log weight %zu of %zu it is %.12g, not %.12g", element, f->count, bend[element],
                       should);
    }
}

/* Each log weight in turn is replaced by another; and by itself: then the slope in it is the bound's. */
static void check_instead(gb_bound_check *c, const function *f)
{
    for (size_t i = 0; i < GIVEN * f->count && c->instead; i++) {
        const size_t element = i % f->count;
        weights x, each = {0}, slope = {0}, should = {0};
        memcpy(x, given[i / f->count], sizeof x);
        at_both(f, x, given[1]);
        gb_read(f->instead, each, f->count);
        at_both(f, x, x);
        gb_read(f->of_instead, slope, f->count);
        gb_read(f->slope, should, f->count);
        gb_kit_verdict(&c->kit, GB_ON_INSTEAD, gb_bound_is_near(slope[element], should[element], 1e-12),
                       "its slope in log weight %zu of %zu is %.17g, and that of the bound %.17g", element,
                       f->count, slope[element], should[element]);
        x[element] = given[1][element];
        const double value = at(f, x);
        gb_kit_verdict(&c->kit, GB_ON_INSTEAD, gb_bound_is_near(each[element], value, 1e-12),
                       "in log weight %zu of %zu it is %.17g, not %.17g", element, f->count, each[element],
                       value);
    }
}

static void check_columns(gb_bound_check *c, const function *f)
{
    for (size_t i = 0; i < GIVEN; i++) {
        double is[2] = {NAN, NAN}, should[2] = {NAN, NAN};
        at(f, given[i]);
        gb_read(f->columns, is, 2);
        gb_read(f->alone, should, 2);
        for (size_t k = 0; k < 2; k++)
            gb_kit_verdict(&c->kit, GB_ON_COLUMNS, gb_bound_is_near(is[k], should[k], 1e-12),
                           "of a matrix of %zu rows, column %zu gives %.17g, and alone %.17g", f->count, k,
                           is[k], should[k]);
    }
}

static void check_given(gb_bound_check *c)
{
    static const size_t counts[] = {1, 2, MOST};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        function f = {0};
        if (begin(c, &f, counts[i], GB_DOUBLE)) {
            check_formula(c, &f);
            check_tight(c, &f);
            check_shift(c, &f);
            check_order(c, &f);
            check_linear(c, &f);
            check_gradient(c, &f);
            check_bend(c, &f);
            check_instead(c, &f);
            check_columns(c, &f);
        }
        end(c, &f);
    }
}

static void check_float(gb_bound_check *c)
{
    function f = {0}, exact = {0};
    const bool begun = begin(c, &f, MOST, GB_FLOAT), good = begin(c, &exact, MOST, GB_DOUBLE) && begun;
    for (size_t i = 0; i < GIVEN && good; i++) {
        const double is = at(&f, given[i]), should = at(&exact, given[i]);
        gb_kit_verdict(&c->kit, GB_ON_FLOAT, gb_bound_is_near(is, should, 1e-5), "it is %.9g, not %.9g", is,
                       should);
    }
    end(c, &f);
    end(c, &exact);
}

/* ---- all of it ---- */

/* With the options that it has. The caller knows on which side of log Z it is, but for what its type says. */
static void check_one(gb_bound_check *c, gb_bound bound, gb_bound_side side)
{
    gb_option_block block;
    c->bound = bound;
    c->side = side == GB_BOUND_BELOW ? -(gb_bound_caution(bound) == NULL) : side == GB_BOUND_ABOVE;
    c->options = gb_options_unpack(bound.type, &bound.options, &block);
    check_given(c);
    check_float(c);
    gb_bound_check_draws(c);
}

/* The formula is that of the given options alone. */
static void check_settings(gb_bound_check *c, gb_bound bound, gb_bound_side side)
{
    gb_bound other = bound;
    char text[160];
    c->reference = NULL;
    for (size_t i = 0; i < GB_KIT_SETTINGS; i++) {
        if (!gb_kit_setting(bound.type, &bound.options, NULL, c->kit.seed, i, &other.options))
            return;
        gb_plugin_text(other.type, &other.options, text, sizeof text);
        gb_kit_label(&c->kit, "%s", text);
        check_one(c, other, side);
    }
}

bool gb_check_bound_with(gb_bound bound, const gb_check_bound_options *options)
{
    gb_check_bound_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const gb_bound_type *const type = bound.type;
    const char *const fault = fault_of(type);
    gb_bound_check c = {.kit = {.subject = type && type->name && *type->name ? type->name : "(no name)",
                                .report = own.report,
                                .seed = own.seed,
                                .memory = own.memory,
                                .statements = statements},
                        .reference = own.reference                     ? own.reference
                                     : type == &gb_evidence_bound_type ? mean_of
                                                                       : NULL,
                        .is_no_mean = own.is_no_mean};
    if (gb_kit_verdict(&c.kit, GB_ON_FORM, !fault, "%s", fault ? fault : "")) {
        c.bend = GB_HAS(type, bend) ? type->bend : NULL;
        c.instead = GB_HAS(type, value_instead) ? type->value_instead : NULL;
        if (!c.reference)
            gb_kit_unchecked(&c.kit, GB_ON_FORMULA, "its formula is unknown; give it by .reference");
        check_one(&c, bound, own.side);
        check_settings(&c, bound, own.side);
    }
    return gb_kit_conclude(&c.kit);
}
