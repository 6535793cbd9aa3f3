/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Invalid parameters: constants are rejected at once, others by the run, with the same message. */
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

void gb_dist_check_rejections(gb_dist_check *check, bool alternative)
{
    const gb_case_number which = {.alternative = alternative};
    const gb_dist like = {.type = check->grid.type, .alternative = alternative};
    size_t count;
    const gb_option *const params = gb_dist_params(&like, &count);
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
