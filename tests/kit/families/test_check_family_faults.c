/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kit must see what is wrong: families with one fault each. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "kit/check_family.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/verdict.h"

/* ---- distributions from outside: e^x of a normal x, the Jacobian counted 0, 1 or 2 times ---- */

static gb_node log_prob_with(const gb_dist *d, gb_node y, double times)
{
    const gb_node x = gb_log(y);
    return gb_sub(gb_log_prob(gb_normal(d->param[0], d->param[1]), x), gb_scale(x, times));
}

static gb_node without_jacobian(const gb_dist *d, gb_node y)
{
    return log_prob_with(d, y, 0);
}

static gb_node with_two_jacobians(const gb_dist *d, gb_node y)
{
    return log_prob_with(d, y, 2);
}

static gb_node with_jacobian(const gb_dist *d, gb_node y)
{
    return log_prob_with(d, y, 1);
}

/* The volume of log q is that of another scale, and does not change with it. */
static gb_node of_fixed_volume(const gb_dist *d, gb_node y)
{
    return gb_add(with_jacobian(d, y), gb_shift(gb_log(d->param[1]), 1));
}

static gb_node normal_draw(const gb_source *from, gb_node loc, gb_node scale)
{
    return gb_add(loc, gb_mul(scale, gb_normal_noise(from->noise, from->shape, from->axes)));
}

static gb_node exp_draw(const gb_dist *d, const gb_source *from)
{
    return gb_exp(normal_draw(from, d->param[0], d->param[1]));
}

/* The draw takes another scale than log q does. */
static gb_node draw_of_other_scale(const gb_dist *d, const gb_source *from)
{
    const gb_node raw = gb_add(d->param[1], gb_log1mexp(gb_neg(d->param[1])));
    return gb_exp(normal_draw(from, d->param[0], gb_exp(raw)));
}

/* The mean of a draw is right, but its slope in the scale is not. */
static gb_node draw_without_slope(const gb_dist *d, const gb_source *from)
{
    return gb_exp(normal_draw(from, d->param[0], gb_stop(d->param[1])));
}

#define POSITIVE_TYPE(id, density, draw)                                                                     \
    static const gb_dist_type id = {                                                                         \
        .size = sizeof(gb_dist_type),                                                                        \
        .name = #id,                                                                                         \
        .formula = "of log x",                                                                               \
        .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},             \
        .support = GB_POSITIVE,                                                                              \
        .log_prob = density,                                                                                 \
        .rsample = draw}
POSITIVE_TYPE(right, with_jacobian, exp_draw);
POSITIVE_TYPE(no_jacobian, without_jacobian, exp_draw);
POSITIVE_TYPE(two_jacobians, with_two_jacobians, exp_draw);
POSITIVE_TYPE(two_scales, with_jacobian, draw_of_other_scale);
POSITIVE_TYPE(flat, of_fixed_volume, exp_draw);
POSITIVE_TYPE(no_slope, with_jacobian, draw_without_slope);

/* ---- families of them, for positive numbers ---- */

typedef struct plan {
    size_t size;
    const gb_dist_type *type;
    const char *owner; /* of the variables; NULL: the latent */
    double start;      /* of the location */
    gb_scale_map used; /* for a scale that starts as by softplus */
    bool is_unmapped, has_lost_shape, is_stopped;
    const gb_dist_type *of_many; /* in place of type, for more than two numbers; NULL: type */
} plan;

static gb_dist posterior(const gb_slot *slot, const void *options)
{
    const plan *const p = options;
    if (slot->reach.type != &gb_exponential_transform_type) {
        gb_fail(slot->tape, GB_EARGUMENT, "%s: for positive numbers only", slot->name);
        return (gb_dist){0};
    }
    const gb_shape shape = p->has_lost_shape ? gb_shape(1) : slot->shape;
    const gb_dist_type *const type = p->of_many && gb_slot_count(slot) > 2 ? p->of_many : p->type;
    const char *const owner = p->owner ? p->owner : slot->name;
    const gb_node loc = gb_part_variable(slot->tape, owner, "location", shape, p->start);
    const gb_node raw = gb_part_variable(slot->tape, owner, "raw_scale", shape, log(expm1(0.4)));
    const gb_node live = p->used == GB_SCALE_EXP ? gb_exp(raw) : gb_softplus(raw);
    const gb_node scale = p->is_stopped ? gb_stop(live) : live;
    return p->is_unmapped ? gb_normal(loc, scale) : gb_dist_of(type, (const gb_node[]){loc, scale});
}

static bool start(const gb_slot *slot, const void *options, gb_family_start *to)
{
    (void)options, (void)slot;
    *to = (gb_family_start){.location = 0.5, .scale = 0.4};
    return true;
}

/* The kit changes no option without a text: these are the faults. */
static const gb_option table[] = {GB_OPTION_OTHER(plan, type, "of what distribution"),
                                  GB_OPTION_OTHER(plan, owner, "of the variables"),
                                  GB_OPTION_OTHER(plan, start, "of the location"),
                                  GB_OPTION_OTHER(plan, used, "for the scale"),
                                  GB_OPTION_OTHER(plan, is_unmapped, "leave the map out"),
                                  GB_OPTION_OTHER(plan, has_lost_shape, "forget the shape"),
                                  GB_OPTION_OTHER(plan, is_stopped, "stop the scale"),
                                  GB_OPTION_OTHER(plan, of_many, "of more than two numbers"),
                                  {0}};

static const gb_family_type planted = {.size = sizeof(gb_family_type),
                                       .name = "planted",
                                       .formula = "for the test",
                                       .options = table,
                                       .option_bytes = sizeof(plan),
                                       .posterior = posterior,
                                       .start = start};

static void finds(plan p, const char *statement)
{
    p.size = sizeof p;
    gb_report report = {.size = sizeof report};
    const bool good = gb_check_family(gb_family_of(&planted, gb_shape(), &p), .report = &report);
    if (statement)
        assert_caught(good, &report, statement);
    else
        assert_passed(good, &report, planted.name, 1);
}

TEST(a_family_without_a_fault_passes)
{
    finds((plan){.type = &right, .start = 0.5}, NULL);
}

TEST(a_jacobian_is_counted_once)
{
    finds((plan){.type = &no_jacobian, .start = 0.5}, "log q integrates to 1");
    finds((plan){.type = &two_jacobians, .start = 0.5}, "log q integrates to 1");
}

TEST(a_scale_is_made_in_one_way)
{
    finds((plan){.type = &two_scales, .start = 0.5}, "draws follow log q");
    finds((plan){.type = &right, .start = 0.5, .used = GB_SCALE_EXP}, "it starts where it says");
}

TEST(a_start_is_not_ignored)
{
    finds((plan){.type = &right, .start = 0}, "it starts where it says");
}

TEST(a_gradient_has_all_its_paths)
{
    finds((plan){.type = &no_slope, .start = 0.5}, "the gradient of E_q[f]");
}

/* These can be right for as many numbers as integrals reach. */
TEST(faults_in_many_numbers_are_found)
{
    finds((plan){.type = &right, .start = 0.5, .of_many = &two_scales}, "draws follow log q");
    finds((plan){.type = &right, .start = 0.5, .of_many = &no_slope}, "the gradient of E_q[f]");
    finds((plan){.type = &right, .start = 0.5, .of_many = &flat}, "log q integrates to 1");
}

/* In log q and in the draw: both agree. */
TEST(no_variable_loses_its_gradient)
{
    finds((plan){.type = &right, .is_stopped = true, .start = 0.5}, "is a gradient stopped?");
}

TEST(draws_lie_in_the_support)
{
    finds((plan){.type = &right, .start = 0.5, .is_unmapped = true}, "draws lie in the support");
}

TEST(variables_are_named_after_the_latent)
{
    finds((plan){.type = &right, .start = 0.5, .owner = "another"}, "its variables are named");
}

TEST(draws_have_the_shape_that_was_asked_for)
{
    finds((plan){.type = &right, .start = 0.5, .has_lost_shape = true}, "draws have the requested shape");
}

static gb_node misplaced(const gb_slot *slot, const void *options)
{
    (void)options;
    return gb_variable(slot->tape, slot->name, slot->shape, gb_fill(-0.5));
}

static bool misplaced_start(const gb_slot *slot, const void *options, gb_family_start *to)
{
    (void)options, (void)slot;
    *to = (gb_family_start){.location = -0.5};
    return true;
}

/* A point for which every number is positive. */
TEST(a_point_lies_in_the_support)
{
    const gb_family_type type = {.size = sizeof type,
                                 .name = "misplaced",
                                 .formula = "x",
                                 .point = misplaced,
                                 .start = misplaced_start};
    gb_report report = {.size = sizeof report};
    assert_false(gb_check_family(gb_family_of(&type, gb_shape(), NULL), .report = &report));
    assert_true(report.failures > 0);
    bool is_found = false;
    for (size_t i = 0; i < report.failures && i < GB_REPORT_KEPT; i++)
        is_found |= strstr(report.failure[i], "lie in the support") != NULL;
    assert_true(is_found);
}

TEST(an_incomplete_struct_is_reported)
{
    gb_family_type type = planted;
    gb_report report = {.size = sizeof report};
    assert_false(gb_check_family((gb_family){0}, .report = &report));
    assert_non_null(strstr(report.failure[0], "there is none"));
    type.posterior = NULL;
    assert_false(gb_check_family(gb_family_of(&type, gb_shape(), NULL), .report = &report));
    assert_non_null(strstr(report.failure[1], "neither posterior nor point"));
    type.size = 3;
    assert_false(gb_check_family(gb_family_of(&type, gb_shape(), NULL), .report = &report));
    assert_non_null(strstr(report.failure[2], "size"));
}
