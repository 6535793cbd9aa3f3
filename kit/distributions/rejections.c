/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Invalid parameters: constants are rejected at once, others by the run, with the same message. */
#include <math.h>
#include <string.h>

#include "core/op.h"
#include "core/program.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
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

/* Returns the instance of a case with another value for one parameter. */
static gb_dist with_value(gb_dist d, size_t which, gb_node value)
{
    d.param[which] = value;
    return gb_dist_checked(d);
}

/* A parameter of a case, its invalid value, and the message that rejects it. */
typedef struct rejected {
    size_t which;
    const gb_option *param;
    double value;
    char words[256];
} rejected;

static void as_constant(gb_dist_case *c, const rejected *r)
{
    const gb_dist made = with_value(c->d, r->which, gb_num(c->tape, r->value));
    gb_kit_verdict(c->kit, GB_ON_REJECTED, !gb_dist_ok(made), "%s of %g makes a distribution", r->param->name,
                   r->value);
    gb_kit_verdict(c->kit, GB_ON_REJECTED,
                   gb_error(c->tape) == GB_EARGUMENT && strstr(gb_error_text(c->tape), r->words),
                   "as a constant: the error is \"%s: %s\", not \"%s\"", gb_status_text(gb_error(c->tape)),
                   gb_error_text(c->tape), r->words);
}

/* Moves a variable from a valid value to the invalid one. */
static void as_variable(gb_dist_case *c, const rejected *r)
{
    const double good = gb_dist_grid_number(r->param->domain, 0);
    const gb_node moved = gb_variable(c->tape, "kit moved", gb_shape(), GB_VALUES(good));
    const gb_dist d = with_value(c->d, r->which, moved);
    const gb_node log_p = gb_sum(gb_log_prob(d, gb_sample(d, gb_stream(c->tape, "kit rejected"), 0)));
    gb_program *const program = gb_compile(c->tape, gb_roots(log_p), gb_no_update);
    if (!gb_dist_case_fine(c) || gb_set(moved, GB_VALUES(r->value)) != GB_OK)
        return;
    gb_run(program);
    gb_kit_verdict(c->kit, GB_ON_REJECTED, strstr(gb_error_text(c->tape), r->words) != NULL,
                   "as a variable: the error is \"%s\", not \"%s\"", gb_error_text(c->tape), r->words);
}

static void reject(gb_dist_check *check, gb_case_number which, rejected r,
                   void (*judge)(gb_dist_case *c, const rejected *r))
{
    gb_dist_case c;
    if (gb_dist_case_begin(&c, check, which)) {
        gb_hold_text((gb_hold_words){c.d.type->name, r.param->name, r.param->domain->must_be, 0}, &r.value,
                     r.words, sizeof r.words);
        judge(&c, &r);
    }
    gb_dist_case_end(&c);
}

/* A number that the domain of a parameter admits makes a distribution that accepts its own draws. Others of
 * its parameters may not fit it: that is rejected. */
static void check_end(gb_dist_case *c, size_t which, const char *name, double value)
{
    enum { DRAWS = 64 };
    gb_case_function f;
    double log_p[DRAWS];
    const gb_node moved = gb_variable(c->tape, "kit end", gb_shape(), GB_VALUES(value));
    const gb_dist d = with_value(c->d, which, moved);
    const double *const x =
        gb_dist_ok(d) ? gb_case_draws(c, gb_sample(d, gb_stream(c->tape, "kit end"), GB_SAMPLES), DRAWS)
                      : NULL;
    const bool is_drawn = x && gb_case_log_prob(&f, c, d) && gb_case_evaluate(&f, DRAWS, x, log_p);
    for (size_t i = 0; is_drawn && i < DRAWS; i++)
        if (isnan(log_p[i]) || log_p[i] == -INFINITY || isnan(x[i * c->size])) {
            gb_kit_verdict(c->kit, GB_ON_REJECTED, false,
                           "its domain admits %s = %g, and then log_prob of its draw %.9g is %g", name, value,
                           x[i * c->size], log_p[i]);
            return;
        }
    gb_kit_verdict(c->kit, GB_ON_REJECTED, is_drawn || gb_error(c->tape) == GB_EARGUMENT,
                   "its domain admits %s = %g, and then the error is \"%s\"", name, value,
                   gb_error_text(c->tape));
}

static void check_ends(gb_dist_check *check, gb_case_number which, const gb_option *param, size_t index)
{
    const double ends[] = {param->domain->low, param->domain->high};
    for (size_t i = 0; i < 2; i++) {
        gb_dist_case c;
        if (param->domain->event_rank > 0 || !isfinite(ends[i]) || !gb_domain_holds(param->domain, ends[i]))
            continue;
        if (gb_dist_case_begin(&c, check, which))
            check_end(&c, index, param->name, ends[i]);
        gb_dist_case_end(&c);
    }
}

void gb_dist_check_rejections(gb_dist_check *check, bool alternative)
{
    const gb_case_number which = {.alternative = alternative};
    const gb_dist like = {.type = check->grid.type, .alternative = alternative};
    size_t count;
    const gb_option *const params = gb_dist_params(&like, &count);
    for (size_t i = 0; i < count; i++)
        check_ends(check, which, &params[i], i);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < BAD; k++) {
            const gb_domain *const domain = params[i].domain;
            const double value = bad_number(domain, k);
            if (domain->event_rank > 0 || gb_domain_holds(domain, value) || (isnan(value) && k > 0))
                continue;
            const rejected r = {.which = i, .param = &params[i], .value = value};
            reject(check, which, r, as_constant);
            if (isfinite(value))
                reject(check, which, r, as_variable);
        }
}
