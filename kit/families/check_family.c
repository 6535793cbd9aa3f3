/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks, and what is reported of them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/gradient.h"
#include "kit/families/check_family_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const char *const statements[] = {
#define GB_FAMILY_CHECK_TEXT(code, text) text,
    GB_FAMILY_CHECKS(GB_FAMILY_CHECK_TEXT)
#undef GB_FAMILY_CHECK_TEXT
};

bool gb_family_verdict(gb_family_check *check, gb_family_statement statement, bool passed, const char *format,
                       ...)
{
    va_list details;
    va_start(details, format);
    gb_tally_count(&check->tally[statement], passed, NULL, format, details);
    va_end(details);
    return passed;
}

/* ---- the struct ---- */

static const char *what_is_missing(const gb_family_type *type)
{
    if (type->size != sizeof(gb_family_type))
        return "its size is not sizeof(gb_family_type)";
    if (!type->name || !*type->name)
        return "it has no name";
    if (!type->formula || !*type->formula)
        return "it has no formula";
    if (!type->posterior == !type->point)
        return type->point ? "it has both posterior and point" : "it has neither posterior nor point";
    return NULL;
}

/* ---- one case ---- */

static bool begin(gb_family_case *c, gb_real type)
{
    c->tape = gb_tape_new(.seed = c->check->with.seed, .real = type, .threads = 1);
    return gb_family_record(c);
}

/* A refusal has the right code, and says which latent it is about. */
static bool is_accepted(gb_family_case *c)
{
    if (begin(c, GB_DOUBLE))
        return true;
    const gb_status code = gb_error(c->tape);
    gb_family_verdict(c->check, GB_FAMILY_CHECK_RECORDED,
                      (code == GB_EARGUMENT || code == GB_ESHAPE) && strstr(gb_error_text(c->tape), "latent"),
                      "%s: %s: %s", c->label, gb_status_text(code), gb_error_text(c->tape));
    return false;
}

static void check_names(const gb_family_case *c)
{
    static const char owner[] = "latent";
    const size_t length = strlen(owner);
    gb_family_verdict(c->check, GB_FAMILY_CHECK_NAMES, c->count > 0, "%s: it has no variable", c->label);
    for (size_t i = 0; i < c->count; i++) {
        const char *const name = gb_variable_name(c->variable[i]);
        gb_family_verdict(c->check, GB_FAMILY_CHECK_NAMES,
                          strncmp(name, owner, length) == 0 && (!name[length] || name[length] == '.'),
                          "%s: there is a variable %s of the latent %s", c->label, name, owner);
    }
}

static void check_shape(const gb_family_case *c)
{
    char is[GB_SHAPE_TEXT], should[GB_SHAPE_TEXT];
    const gb_shape shape = gb_node_shape(c->value);
    gb_family_verdict(c->check, GB_FAMILY_CHECK_SHAPE, gb_shape_equal(shape, c->shape),
                      "%s: it is %s, not %s", c->label, gb_shape_text(shape, is),
                      gb_shape_text(c->shape, should));
}

/* Moved, the tape reset, and recorded once more. */
static void check_reset(gb_family_case *c)
{
    double was[16], is[16];
    gb_family_move(c);
    for (size_t i = 0; i < c->count; i++) {
        char name[128];
        const size_t n = gb_value_count(c->variable[i]);
        if (n > sizeof was / sizeof *was || gb_read(c->variable[i], was, n) != GB_OK)
            return;
        snprintf(name, sizeof name, "%s", gb_variable_name(c->variable[i]));
        gb_tape_reset(c->tape);
        const bool again = gb_family_record(c) && i < c->count;
        gb_family_verdict(c->check, GB_FAMILY_CHECK_RESET,
                          again && gb_value_count(c->variable[i]) == n &&
                              gb_read(c->variable[i], is, n) == GB_OK && memcmp(is, was, n * sizeof *is) == 0,
                          "%s: %s is another, or has lost its value: %s", c->label, name,
                          gb_error_text(c->tape));
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
    if (!GB_HAS(c->family.type, start) || !c->family.type->start(&c->family, &c->slot, &start))
        return;
    const double off = gb_value(gb_maximum(gb_abs(gb_shift(free, -start.location))));
    gb_family_verdict(c->check, GB_FAMILY_CHECK_START, off <= 1e-9 * (1 + fabs(start.location)),
                      "%s: it is %.3g off the free number %g", c->label, off, start.location);
}

/* Σ of the free numbers in the variables: 1 for each, whatever the transform. */
static void check_point_gradient(const gb_family_case *c)
{
    const gb_node free = gb_family_free(c, c->value);
    double sum = 0;
    for (size_t i = 0; i < c->count; i++)
        sum += gb_value(gb_sum(gb_grad(gb_sum(free), c->variable[i])));
    const double should = (double)gb_slot_count(&c->slot);
    gb_family_verdict(c->check, GB_FAMILY_CHECK_GRADIENT, fabs(sum - should) <= 1e-9 * should,
                      "%s: the free numbers have slopes of %.9g together, not %g", c->label, sum, should);
}

static void check_point(gb_family_case *c)
{
    check_point_start(c);
    check_point_gradient(c);
    gb_family_verdict(c->check, GB_FAMILY_CHECK_SUPPORT, !point_is_outside(c), "%s: the point is outside",
                      c->label);
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
            gb_family_verdict(c.check, GB_FAMILY_CHECK_FLOATS, false, "%s: %s", c.label,
                              gb_error_text(c.tape));
        gb_tape_free(c.tape);
        good &= has;
    }
    for (size_t i = 0; good && i < GB_FAMILY_LOOKS; i++)
        gb_family_verdict(like->check, GB_FAMILY_CHECK_FLOATS,
                          fabs(log_q[1][i] - log_q[0][i]) <= 1e-3 * (1 + fabs(log_q[0][i])),
                          "%s: log q is %.7g as float, %.7g as double", like->label, log_q[1][i],
                          log_q[0][i]);
}

/* ---- all of it ---- */

static void check_law(gb_family_check *check, size_t which, bool at_start)
{
    gb_family_case c = gb_family_case_of(check, which);
    if (begin(&c, GB_DOUBLE)) {
        if (!at_start)
            gb_family_move(&c);
        gb_family_check_law(&c, at_start);
    }
    gb_tape_free(c.tape);
}

static void check_case(gb_family_check *check, size_t which)
{
    gb_family_case c = gb_family_case_of(check, which);
    const bool accepted = is_accepted(&c), is_point = accepted && !gb_dist_ok(c.q);
    if (accepted) {
        check->accepted++;
        check_shape(&c);
        check_names(&c);
        if (is_point)
            check_point(&c);
        check_reset(&c);
    }
    gb_tape_free(c.tape);
    if (!accepted || is_point)
        return;
    check_law(check, which, true);
    check_law(check, which, false);
    check_floats(&c);
}

static bool tell(const gb_family_check *check)
{
    const char *const name = check->type && check->type->name ? check->type->name : "(no name)";
    return gb_tally_tell(check->with.report, name, GB_FAMILY_CHECK_COUNT, check->tally, statements);
}

bool gb_check_family_with(gb_check_family_settings settings)
{
    gb_family_check check = {.with = settings, .type = settings.family.type};
    const char *const missing = check.type ? what_is_missing(check.type) : "there is none";
    if (gb_family_verdict(&check, GB_FAMILY_CHECK_FORM, !missing, "%s", missing ? missing : "")) {
        for (size_t i = 0; i < gb_family_cases(); i++)
            check_case(&check, i);
        gb_family_verdict(&check, GB_FAMILY_CHECK_FITS, check.accepted > 0, "it refuses all of them");
    }
    return tell(&check);
}
