/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters that are not allowed: constants are refused when they are given, others by the run, in the same words. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "core/program.h"
#include "kit/distributions/checks_impl.h"
#include "ops/hold.h"
#include "ops/reduce.h"

enum { BAD = 7 };

static double bad_number(const gb_domain *domain, size_t which)
{
    switch (which) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return isfinite(domain->low) ? domain->low - 1 : INFINITY;
    case 4: return isfinite(domain->high) ? domain->high + 1 : INFINITY;
    case 5: return isfinite(domain->low) ? domain->low : domain->high;
    default: return domain->whole ? 0.5 : NAN;
    }
}

/* The instance of a case with another value in one parameter. */
static gb_dist with_value(gb_dist d, size_t which, gb_node value)
{
    d.param[which] = value;
    return gb_dist_checked(d);
}

static void words_for(gb_dist d, const gb_param *param, double value, char *text, size_t bytes)
{
    gb_hold_text((gb_hold_words){d.type->name, param->name, param->domain->must_be, 0}, &value, text, bytes);
}

static void expect_words(gb_dist_case *c, gb_status code, const char *words, const char *when)
{
    gb_kit_verdict(c->kit, GB_ON_REFUSED, gb_error(c->tape) == code && strstr(gb_error_text(c->tape), words),
                   "%s the error is \"%s: %s\", not \"%s\"", when, gb_status_text(gb_error(c->tape)),
                   gb_error_text(c->tape), words);
}

static void as_constant(gb_dist_check *check, gb_case_number which, size_t i, double value)
{
    gb_dist_case c;
    char words[256];
    if (!gb_dist_case_begin(&c, check, which)) {
        gb_dist_case_end(&c);
        return;
    }
    size_t count;
    const gb_param *const param = &gb_dist_params(&c.d, &count)[i];
    words_for(c.d, param, value, words, sizeof words);
    const gb_dist made = with_value(c.d, i, gb_num(c.tape, value));
    gb_kit_verdict(c.kit, GB_ON_REFUSED, !gb_dist_ok(made), "%s of %g makes a distribution", param->name,
                   value);
    expect_words(&c, GB_EARGUMENT, words, "as a constant:");
    gb_dist_case_end(&c);
}

/* A variable of a good value, which is then another one. */
static void as_variable(gb_dist_check *check, gb_case_number which, size_t i, double value)
{
    gb_dist_case c;
    char words[256];
    size_t count;
    if (!gb_dist_case_begin(&c, check, which)) {
        gb_dist_case_end(&c);
        return;
    }
    const gb_param *const param = &gb_dist_params(&c.d, &count)[i];
    const double good = gb_dist_grid_number(param->domain, 0);
    words_for(c.d, param, value, words, sizeof words);
    const gb_node moved = gb_variable(c.tape, "kit moved", gb_shape(), GB_VALUES(good));
    const gb_dist d = with_value(c.d, i, moved);
    const gb_node log_p = gb_sum(gb_log_prob(d, gb_sample(d, gb_stream(c.tape, "kit refused"), 0)));
    gb_program *const program = gb_compile(c.tape, gb_roots(log_p), gb_no_update);
    if (gb_dist_case_fine(&c) && gb_set(moved, GB_VALUES(value)) == GB_OK) {
        gb_run(program);
        gb_kit_verdict(c.kit, GB_ON_REFUSED, strstr(gb_error_text(c.tape), words) != NULL,
                       "as a variable: the error is \"%s\", not \"%s\"", gb_error_text(c.tape), words);
    }
    gb_dist_case_end(&c);
}

void gb_dist_check_refusals(gb_dist_check *check, bool alternative)
{
    const gb_case_number which = {.alternative = alternative};
    const gb_dist like = {.type = check->grid.type, .alternative = alternative};
    size_t count;
    const gb_param *const params = gb_dist_params(&like, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < BAD; k++) {
            const gb_domain *const domain = params[i].domain;
            const double value = bad_number(domain, k);
            if (domain->event_rank > 0 || gb_domain_holds(domain, value) || (isnan(value) && k > 0))
                continue;
            as_constant(check, which, i, value);
            if (isfinite(value))
                as_variable(check, which, i, value);
        }
}
