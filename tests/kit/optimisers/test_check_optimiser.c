/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for optimisers: grebe's pass it, and planted faults are
 * caught by the statement that names them. */
#include "support/close.h"

#include <stdio.h>
#include <string.h>

#include "core/gradient.h"
#include "kit/check_optimiser.h"
#include "ops/elementwise.h"
#include "support/verdict.h"

static void passes(gb_optimiser optimiser)
{
    gb_report report = {.size = sizeof report, .file = stderr};
    assert_passed(gb_check_optimiser(optimiser, .report = &report), &report, optimiser.type->name, 9);
}

TEST(every_optimiser_passes)
{
    size_t count;
    const gb_optimiser_type *const *const all = gb_optimisers(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i] != &gb_natural_optimiser_type)
            passes(gb_optimiser_of(all[i], NULL));
    passes(gb_natural(.others = 1));
}

TEST(every_option_keeps_to_the_published_formula)
{
    passes(gb_sgd(.momentum = 0.9));
    passes(gb_sgd(.momentum = 0.9, .nesterov = true, .lr = 0.003));
    passes(gb_adagrad(.epsilon = 1e-3));
    passes(gb_rmsprop(.decay = 0.99, .epsilon = 1e-3));
    passes(gb_rmsprop(.centred = true));
    passes(gb_rmsprop(.centred = true, .momentum = 0.5, .decay = 0.8));
    passes(gb_adam(.beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-4, .lr = 0.1));
    passes(gb_adamw(.beta1 = 0.8, .beta2 = 0.99, .decay = 1e-3));
    passes(gb_lbfgs(.history = 1));
    passes(gb_natural(.others = 0.5));
}

/* ---- planted faults ---- */

static void is_caught(gb_optimiser faulty, const char *statement)
{
    gb_report report = {.size = sizeof report};
    assert_caught(gb_check_optimiser(faulty, .report = &report), &report, statement);
}

static gb_optimiser faulty(const char *name, gb_node (*update)(const gb_update_step *to))
{
    static gb_optimiser_type type;
    static const gb_adam_options options = {
        .size = sizeof options, .lr = 0.01, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    type = (gb_optimiser_type){.size = sizeof type,
                               .name = name,
                               .formula = "wrong",
                               .options = gb_adam_optimiser_type.options,
                               .option_bytes = gb_adam_optimiser_type.option_bytes,
                               .update = update};
    return gb_optimiser_of(&type, &options);
}

static gb_node moving(const gb_update_step *to, const char *part, gb_node now, double beta)
{
    const gb_node before = gb_update_memory(to, part);
    return gb_update_remember(to, before, gb_add(gb_scale(before, beta), gb_scale(now, 1 - beta)));
}

static gb_node corrected(gb_node mean, double beta, gb_node step)
{
    return gb_div(mean, gb_shift(gb_neg(gb_pow(gb_num(mean.tape, beta), step)), 1));
}

static gb_node down(const gb_update_step *to, gb_node direction)
{
    return gb_sub(to->variable, gb_mul(to->rate, direction));
}

static gb_node without_correction(const gb_update_step *to)
{
    const gb_node m = moving(to, "m", to->gradient, 0.9), v = moving(to, "v", gb_square(to->gradient), 0.999);
    return down(to, gb_div(m, gb_shift(gb_sqrt(v), 1e-8)));
}

static gb_node epsilon_inside_the_root(const gb_update_step *to)
{
    const gb_node m = moving(to, "m", to->gradient, 0.9), v = moving(to, "v", gb_square(to->gradient), 0.999);
    return down(to,
                gb_div(corrected(m, 0.9, to->step), gb_sqrt(gb_shift(corrected(v, 0.999, to->step), 1e-8))));
}

/* The control: what is right passes as a stranger's. */
static gb_node right(const gb_update_step *to)
{
    const gb_node m = moving(to, "m", to->gradient, 0.9), v = moving(to, "v", gb_square(to->gradient), 0.999);
    return down(to,
                gb_div(corrected(m, 0.9, to->step), gb_shift(gb_sqrt(corrected(v, 0.999, to->step)), 1e-8)));
}

static gb_node uphill(const gb_update_step *to)
{
    return gb_add(to->variable, gb_mul(to->rate, to->gradient));
}

static gb_node plain(const gb_update_step *to)
{
    return down(to, to->gradient);
}

/* One memory for all variables of a shape: that of the first. */
static gb_node shared_memory(const gb_update_step *to)
{
    const char *const name = "x.shares.sum";
    const bool there = gb_tape_has_variable(to->variable.tape, name);
    const gb_node sum = there ? gb_variable_named(to->variable.tape, name) : gb_update_memory(to, "sum");
    const gb_node now = gb_add(sum, gb_square(to->gradient));
    if (!there)
        gb_update_remember(to, sum, now);
    return down(to, gb_div(to->gradient, gb_shift(gb_sqrt(now), 1e-8)));
}

static gb_node number_in_place_of_rate(const gb_update_step *to)
{
    const gb_adam_options *const o = to->options;
    return gb_sub(to->variable, gb_scale(to->gradient, o->rate.tape ? 2 * o->lr : o->lr));
}

/* A decay by lr, whatever the rate is. */
static gb_node decays_by_lr(const gb_update_step *to)
{
    const gb_adam_options *const o = to->options;
    return gb_sub(down(to, to->gradient), gb_scale(to->variable, 0.1 * o->lr));
}

static gb_node takes_its_own_gradient(const gb_update_step *to)
{
    return down(to, gb_grad(to->loss, to->variable));
}

static gb_node swallows_nan(const gb_update_step *to)
{
    const gb_node g = to->gradient, zero = gb_num(g.tape, 0);
    return down(to, gb_where(gb_equal(g, g), g, zero));
}

static unsigned records;
static gb_node remembers_elsewhere(const gb_update_step *to)
{
    return down(to, gb_scale(to->gradient, records++ % 2 ? 1 : 1.5));
}

/* Forgets with the recording. */
static gb_node renames_its_memory(const gb_update_step *to)
{
    char part[32];
    snprintf(part, sizeof part, "velocity%u", records++);
    const gb_node before = gb_update_memory(to, part);
    return down(to, gb_update_remember(to, before, gb_add(gb_scale(before, 0.5), to->gradient)));
}

static gb_node vanishes_in_float(const gb_update_step *to)
{
    const gb_node small = gb_scale(gb_scale(to->gradient, 1e-30), 1e-30);
    return down(to, gb_scale(gb_scale(small, 1e30), 1e30));
}

static gb_node eternal_descent(const gb_update_step *to)
{
    return gb_sub(to->variable, gb_mul(to->rate, gb_sign(to->gradient)));
}

TEST(planted_faults_are_caught)
{
    passes(faulty("adam", right));
    is_caught(faulty("adam", without_correction), "its steps are those of its formula");
    is_caught(faulty("adam", epsilon_inside_the_root), "its steps are those of its formula");
    is_caught(faulty("mine", uphill), "it lowers the losses of test functions");
    is_caught(faulty("shares", shared_memory), "two variables are updated as one");
    is_caught(faulty("mine", number_in_place_of_rate), "a rate that is a node");
    is_caught(faulty("mine", decays_by_lr), "a schedule multiplies the rate");
    is_caught(faulty("mine", takes_its_own_gradient), "that gb_minimise has clipped");
    is_caught(faulty("mine", swallows_nan), "data that are not finite");
    is_caught(faulty("mine", remembers_elsewhere), "recorded again gives the same bits");
    is_caught(faulty("mine", renames_its_memory), "its state is in variables");
    is_caught(faulty("mine", vanishes_in_float), "on a float tape");
}

TEST(forgotten_momentum_is_caught)
{
    gb_optimiser_type type = gb_sgd_optimiser_type;
    const gb_sgd_options options = {.size = sizeof options, .lr = 0.01, .momentum = 0.9};
    type.update = plain;
    is_caught(gb_optimiser_of(&type, &options), "its steps are those of its formula");
}

static void sign_descent(const void *options, double x, size_t steps, const double *g, double *out)
{
    const gb_optimiser_head *const head = options;
    for (size_t i = 0; i < steps; i++)
        out[i] = x -= head->lr * (g[i] > 0 ? 1 : -1);
}

TEST(a_formula_of_ones_own_is_compared)
{
    gb_report report = {.size = sizeof report, .file = stderr};
    assert_true(
        gb_check_optimiser(faulty("mine", eternal_descent), .reference = sign_descent, .report = &report));
    assert_false(gb_check_optimiser(faulty("mine", plain), .reference = sign_descent));
}

TEST(without_a_formula_the_report_says_so)
{
    char text[64 * 1024] = "";
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    assert_non_null(file);
    gb_report report = {.size = sizeof report, .file = file};
    assert_true(gb_check_optimiser(faulty("mine", plain), .report = &report));
    gb_report_print(&report, file);
    fclose(file);
    assert_int_equal(report.unchecked, 1);
    assert_non_null(strstr(text, "its steps are those of its formula: not checked: its formula is unknown"));
    assert_non_null(strstr(text, "0 failed, 1 not checked"));
    report = (gb_report){.size = sizeof report};
    assert_true(gb_check_optimiser(gb_sgd(), .report = &report));
    assert_int_equal(report.unchecked, 0);
}

TEST(an_incomplete_struct_is_reported)
{
    is_caught((gb_optimiser){0}, "its struct is complete");
    is_caught(faulty("mine", NULL), "its struct is complete");
    is_caught(faulty("", plain), "its struct is complete");
    assert_false(gb_check_optimiser((gb_optimiser){0}));
}
