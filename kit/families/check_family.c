/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks, and the checks of single values. */
#include "kit/check_family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/gradient.h"
#include "core/program.h"
#include "kit/families/asked_impl.h"
#include "kit/families/case_impl.h"
#include "kit/families/law_impl.h"
#include "kit/shell/settings_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_FAMILY_STATEMENTS);

/* ---- the struct ---- */

static const char *fault_of(const gb_family_type *type)
{
    if (GB_KIT_FAULT(type, gb_family_type))
        return GB_KIT_FAULT(type, gb_family_type);
    if (!type->posterior == !type->point)
        return type->point ? "it has both posterior and point" : "it has neither posterior nor point";
    return gb_kit_table_fault(type);
}

/* ---- one case ---- */

static bool begin(gb_family_case *c, gb_real type)
{
    c->tape = gb_tape_new(.seed = c->kit->seed, .real = type, .threads = 1);
    return gb_family_record(c);
}

/* A rejection must have the right code, and name the latent. */
static bool is_accepted(gb_family_case *c)
{
    if (begin(c, GB_DOUBLE))
        return true;
    const gb_status code = gb_error(c->tape);
    gb_kit_verdict(c->kit, GB_ON_RECORDED,
                   (code == GB_EARGUMENT || code == GB_ESHAPE) && strstr(gb_error_text(c->tape), "latent"),
                   "%s: %s", gb_status_text(code), gb_error_text(c->tape));
    return false;
}

static void check_names(const gb_family_case *c)
{
    static const char owner[] = "latent";
    const size_t length = strlen(owner);
    gb_kit_verdict(c->kit, GB_ON_NAMES, c->count > 0, "it has no variable");
    for (size_t i = 0; i < c->count; i++) {
        const char *const name = gb_variable_name(c->variable[i]);
        gb_kit_verdict(c->kit, GB_ON_NAMES,
                       strncmp(name, owner, length) == 0 && (!name[length] || name[length] == '.'),
                       "there is a variable %s of the latent %s", name, owner);
    }
}

static void check_shape(const gb_family_case *c)
{
    char is[GB_SHAPE_TEXT], should[GB_SHAPE_TEXT];
    const gb_shape shape = gb_node_shape(c->value);
    gb_kit_verdict(c->kit, GB_ON_SHAPE, gb_shape_same(shape, c->shape), "it is %s, not %s",
                   gb_shape_text(shape, is), gb_shape_text(c->shape, should));
}

/* Moves the variables, resets the tape, and records once more. */
static void check_reset(gb_family_case *c)
{
    double was[16], is[16];
    for (size_t i = 0; i < c->count; i++) {
        char name[128];
        gb_family_move(c); /* a variable that was new after the last reset has its start value */
        const size_t n = gb_value_count(c->variable[i]);
        if (n > sizeof was / sizeof *was || gb_read(c->variable[i], was, n) != GB_OK)
            return;
        snprintf(name, sizeof name, "%s", gb_variable_name(c->variable[i]));
        gb_tape_reset(c->tape);
        const bool again = gb_family_record(c) && i < c->count;
        gb_kit_verdict(c->kit, GB_ON_RESET,
                       again && gb_value_count(c->variable[i]) == n &&
                           gb_read(c->variable[i], is, n) == GB_OK && memcmp(is, was, n * sizeof *is) == 0,
                       "%s is another variable, or has lost its value: %s", name, gb_error_text(c->tape));
        if (!again)
            return;
    }
}

/* ---- points ---- */

static bool point_is_outside(const gb_family_case *c)
{
    const gb_node outside = gb_dist_ok(c->prior) ? gb_dist_outside(c->prior, c->value) : (gb_node){0};
    return gb_node_ok(outside) && gb_value(gb_sum(gb_to_real(outside))) != 0;
}

static void check_point_start(const gb_family_case *c)
{
    gb_family_start start;
    const gb_node free = gb_family_free(c, c->value);
    if (!gb_family_starts(c->family, &c->slot, &start))
        return;
    const double off = gb_value(gb_maximum(gb_abs(gb_shift(free, -start.location))));
    gb_kit_verdict(c->kit, GB_ON_START, off <= 1e-9 * (1 + fabs(start.location)),
                   "it is %.3g off the free number %g", off, start.location);
}

/* Σ of the free numbers has the slope 1 in each variable, for every transform. */
static void check_point_gradient(const gb_family_case *c)
{
    const gb_node free = gb_family_free(c, c->value);
    double sum = 0;
    for (size_t i = 0; i < c->count; i++)
        sum += gb_value(gb_sum(gb_grad(gb_sum(free), c->variable[i])));
    const double should = (double)gb_slot_count(&c->slot);
    gb_kit_verdict(c->kit, GB_ON_GRADIENT, fabs(sum - should) <= 1e-9 * should,
                   "the slopes of the free numbers sum to %.9g, not %g", sum, should);
}

static void check_point(gb_family_case *c)
{
    check_point_start(c);
    check_point_gradient(c);
    gb_kit_verdict(c->kit, GB_ON_SUPPORT, !point_is_outside(c), "the point is outside");
}

/* ---- floats ---- */

static void check_floats(const gb_family_case *like)
{
    double log_q[2][GB_FAMILY_LOOKS];
    bool good = true;
    for (int real = 0; real < 2; real++) {
        gb_family_case c = *like;
        const bool has = begin(&c, real ? GB_FLOAT : GB_DOUBLE) && gb_family_look(&c, log_q[real]);
        const bool failed = gb_error(c.tape) != GB_OK;
        if (failed)
            gb_kit_verdict(c.kit, GB_ON_FLOATS, false, "%s", gb_error_text(c.tape));
        gb_tape_free(c.tape);
        good &= has;
    }
    for (size_t i = 0; good && i < GB_FAMILY_LOOKS; i++)
        gb_kit_verdict(like->kit, GB_ON_FLOATS,
                       fabs(log_q[1][i] - log_q[0][i]) <= 1e-3 * (1 + fabs(log_q[0][i])),
                       "log q is %.7g as float, %.7g as double", log_q[1][i], log_q[0][i]);
}

/* ---- all of it ---- */

static void check_law(gb_kit *kit, gb_family family, size_t which, bool at_start, gb_family_near *near)
{
    gb_family_case c = gb_family_case_of(kit, family, which);
    c.near = near;
    if (begin(&c, GB_DOUBLE)) {
        const bool is_many = gb_slot_count(&c.slot) > GB_FAMILY_BY_INTEGRALS;
        if (!at_start)
            gb_family_move(&c);
        if (!is_many)
            gb_family_check_law(&c, at_start);
        else if (!at_start)
            gb_family_check_many(&c);
    }
    gb_tape_free(c.tape);
}

/* Returns whether it was accepted. */
static bool check_case(gb_kit *kit, gb_family family, size_t which, gb_family_near *near)
{
    gb_family_case c = gb_family_case_of(kit, family, which);
    const bool accepted = is_accepted(&c), is_point = accepted && !gb_dist_ok(c.q);
    if (accepted) {
        check_shape(&c);
        check_names(&c);
        if (is_point)
            check_point(&c);
        check_reset(&c);
    }
    gb_tape_free(c.tape);
    if (accepted && !is_point) {
        check_law(kit, which % 2 ? gb_family_elsewhere(family) : family, which, true, near);
        check_law(kit, family, which, false, near);
        check_floats(&c);
    }
    return accepted;
}

/* Options for the start are for gb_family_check_asked. */
static void check_settings(gb_kit *kit, gb_family family, gb_family_near *near)
{
    static const char *const start[] = {"location", "spread", "locations", "scale", "map", NULL};
    static const size_t cases[GB_KIT_SETTINGS] = {GB_FAMILY_VECTOR, GB_FAMILY_POSITIVES};
    gb_family other = family;
    for (size_t i = 0; i < GB_KIT_SETTINGS; i++) {
        if (!gb_kit_setting(family.type, &family.options, start, kit->seed, i, &other.options))
            return;
        check_case(kit, other, cases[i], near);
    }
}

bool gb_check_family_with(gb_family family, const gb_check_family_options *options)
{
    gb_check_family_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const gb_family_type *const type = family.type;
    const char *const fault = fault_of(type);
    gb_kit kit = {.subject = type && type->name ? type->name : "(no name)",
                  .report = own.report,
                  .seed = own.seed,
                  .statements = statements};
    if (gb_kit_verdict(&kit, GB_ON_FORM, !fault, "%s", fault ? fault : "")) {
        size_t accepted = 0;
        gb_family_near near = {0};
        for (size_t i = 0; i < gb_family_cases(); i++)
            accepted += check_case(&kit, family, i, &near);
        gb_family_check_asked(&kit, family);
        check_settings(&kit, family, &near);
        gb_kit_label(&kit, "%s", "");
        if (near.count > 0)
            gb_kit_verdict(&kit, GB_ON_START, near.off > 0,
                           "it says .is_near, and starts exactly where it says: leave it out, so that more "
                           "than a start to first order is checked");
        gb_kit_verdict(&kit, GB_ON_FITS, accepted > 0, "it rejects all of them");
    }
    return gb_kit_conclude(&kit);
}
