/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each pair in the type's table against E_q[log q − log p], unless a note says that it is approximate. The
 * gradient of each against differences. */
#include <math.h>

#include "distributions/kl.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/reduce.h"

/* ---- the gradient ---- */

typedef struct graded {
    gb_dist_case *c;
    const char *pair;
    gb_node total, slope[GB_CASE_VARIABLES];
    gb_program *program;
    double value;
} graded;

static bool record(graded *n, gb_node kl)
{
    gb_dist_case *const c = n->c;
    gb_node root[1 + GB_CASE_VARIABLES];
    n->total = root[0] = gb_sum(kl);
    if (!gb_case_slopes(c, n->total, n->slope))
        return false;
    for (size_t i = 0; i < c->variables; i++)
        root[1 + i] = n->slope[i];
    n->program = gb_compile(c->tape, (gb_node_list){.count = 1 + c->variables, .node = root}, gb_no_update);
    return gb_run(n->program) == GB_OK;
}

static bool value_at(graded *n, gb_node variable, const double *values, size_t count, double *value)
{
    if (gb_set(variable, gb_values_of(values, count)) != GB_OK || gb_run(n->program) != GB_OK)
        return false;
    *value = gb_value(n->total);
    return true;
}

/* Returns NaN if a step leaves the domain. */
static double difference(graded *n, gb_node variable, double *values, size_t count, size_t j, double step)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double start = values[j];
    double sum = 0, value;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        values[j] = start + at[i] * step;
        sum += value_at(n, variable, values, count, &value) ? weight[i] * value / (12 * step) : (double)NAN;
        gb_forgive(n->c->tape);
    }
    values[j] = start;
    return sum;
}

/* A wrong gradient disagrees at all steps; a correct one only at some that are too long or too short. */
static void check_element(graded *n, gb_node variable, double *values, size_t count, size_t j, double slope)
{
    static const double steps[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    enum { STEPS = sizeof steps / sizeof *steps };
    double best = INFINITY;
    for (size_t i = 0; i < STEPS; i++) {
        const double step = steps[i] * (values[j] == 0 ? 1 : fabs(values[j]));
        const double by_difference = difference(n, variable, values, count, j, step);
        const double allowed = 1e-6 * (1 + fabs(slope)) + 1e-14 * fabs(n->value) / step;
        if (!isfinite(by_difference))
            return;                                               /* near the end of the domain */
        best = fmin(best, fabs(by_difference - slope) / allowed); /* a slope of NaN leaves it infinite */
    }
    gb_kit_verdict(n->c->kit, GB_ON_KL, best <= 1,
                   "%s: its gradient in %s is %.9g, which no difference confirms", n->pair,
                   gb_node_name(variable), slope);
}

static void check_variable(graded *n, size_t which)
{
    size_t count, slopes;
    const gb_node variable = n->c->variable[which];
    if (gb_run(n->program) != GB_OK)
        return;
    const double *const slope = gb_kit_read(n->c->tape, n->slope[which], &slopes);
    double *const values = gb_kit_read(n->c->tape, variable, &count);
    for (size_t j = 0; slope && values && j < count; j++)
        check_element(n, variable, values, count, j, slope[j]);
    if (values)
        gb_set(variable, gb_values_of(values, count));
}

static void check_gradient(gb_dist_case *c, gb_node kl, const char *pair)
{
    graded n = {.c = c, .pair = pair};
    if (!record(&n, kl))
        return;
    n.value = gb_value(n.total);
    gb_kit_verdict(c->kit, GB_ON_KL, !isnan(n.value), "%s: it is %g", pair, n.value);
    for (size_t i = 0; i < c->variables && isfinite(n.value); i++)
        check_variable(&n, i);
    gb_program_free(n.program);
}

/* ---- exact ones ---- */

static void compare(gb_dist_case *c, const gb_rule *rule, const double *log_p, double is, const char *pair)
{
    double should = 0, magnitude = 1;
    for (size_t i = 0; i < rule->count; i++) {
        const double mass = gb_rule_mass(rule, i);
        if (mass < 1e-250)
            continue;
        should += mass * (rule->log_p[i] - log_p[i]);
        magnitude += mass * (fabs(rule->log_p[i]) + fabs(log_p[i]));
    }
    if (isinf(should)) {
        gb_kit_verdict(c->kit, GB_ON_KL, is == INFINITY, "%s: it is %.12g, not infinite", pair, is);
        return;
    }
    const double allowed = 1e-8 * magnitude + 100 * rule->entropy_error + 1e3 * rule->error;
    gb_kit_verdict(c->kit, GB_ON_KL, is >= -1e-12 && fabs(is - should) <= allowed,
                   "%s: it is %.12g, not %.12g; %.2g is allowed", pair, is, should, allowed);
}

static void check_pair(gb_dist_case *c, gb_dist q, gb_dist p)
{
    gb_rule rule;
    gb_case_function f;
    char pair[96];
    const gb_kl_pair *const found = gb_kl_find(q, p);
    if (!found || !q.type || !p.type || !gb_shape_same(gb_dist_shape(q), c->shape) ||
        !gb_shape_same(gb_dist_shape(p), c->shape)) {
        gb_kit_skip(c->kit, GB_ON_KL, "no two instances of a pair");
        return;
    }
    snprintf(pair, sizeof pair, "KL(%s, %s)", q.type->name, p.type->name);
    const gb_node kl = gb_kl(q, p);
    check_gradient(c, kl, pair);
    if (found->note || gb_error(c->tape) != GB_OK)
        return;
    if (!gb_rule_make_for(&rule, c, q, p)) {
        gb_kit_skip(c->kit, GB_ON_KL, "too many elements for an integral");
        return;
    }
    double *const log_p = gb_tape_keep(c->tape, (rule.count + 1) * sizeof *log_p);
    if (log_p && gb_case_log_prob(&f, c, p) && gb_case_evaluate(&f, rule.count, rule.x, log_p))
        compare(c, &rule, log_p, gb_kit_number(c->tape, kl), pair);
}

/* Returns another instance, of any type, on the case's tape: the `turn`-th that fits the pair. */
static gb_dist another(gb_dist_case *c, const gb_dist_type *type, gb_case_number which, size_t turn,
                       bool from_here)
{
    enum { TRIES = 8 };
    const gb_dist_check *const check = c->check;
    const bool made = type == check->grid.type && check->make;
    const size_t tries = made ? check->count : TRIES;
    for (size_t i = 1, fitting = 0; i < tries && gb_error(c->tape) == GB_OK; i++) {
        const size_t number = (which.number + i) % tries, from = gb_tape_length(c->tape);
        char prefix[32];
        snprintf(prefix, sizeof prefix, "other %zu ", i);
        const gb_dist d =
            made ? check->make(c->tape, number, check->user)
                 : gb_dist_at_grid(c->tape, type, (gb_case_number){.number = number}, prefix, true);
        const bool fits = gb_dist_ok(d) && (from_here ? gb_kl_find(c->d, d) : gb_kl_find(d, c->d));
        if (!fits || fitting++ != turn)
            continue;
        gb_dist_case_find_variables(c, from);
        return d;
    }
    return (gb_dist){0};
}

static void check_table(gb_dist_check *check, gb_case_number which, const gb_kl_pair *pair)
{
    enum { PARTNERS = 2 };
    for (size_t turn = 0; turn < PARTNERS; turn++) {
        gb_dist_case c;
        const bool from_here = pair->q == check->grid.type;
        const gb_dist_type *const partner = !from_here ? pair->q : pair->p ? pair->p : check->grid.type;
        if (gb_dist_case_begin(&c, check, which)) {
            const gb_dist other = another(&c, partner, which, turn, from_here);
            if (gb_dist_ok(other))
                check_pair(&c, from_here ? c.d : other, from_here ? other : c.d);
            else
                gb_kit_skip(c.kit, GB_ON_KL, "no second instance for a pair");
            gb_dist_case_fine(&c);
        }
        gb_dist_case_end(&c);
    }
}

static void check_self(gb_dist_case *c)
{
    const gb_kl_pair *const pair = gb_kl_find(c->d, c->d);
    const double is = pair && !pair->note ? gb_kit_number(c->tape, gb_kl(c->d, c->d)) : 0;
    if (pair && pair->note)
        gb_kit_skip(c->kit, GB_ON_KL_ZERO, "it is approximate");
    else if (pair)
        gb_kit_verdict(c->kit, GB_ON_KL_ZERO, fabs(is) <= 1e-12, "it is %.3g", is);
    else
        gb_kit_skip(c->kit, GB_ON_KL_ZERO, "it has none");
}

void gb_dist_check_kl(gb_dist_check *check, gb_case_number which)
{
    gb_dist_case_judge(check, which, check_self);
    for (const gb_kl_pair *pair = check->grid.type->kl; pair && pair->kl; pair++)
        check_table(check, which, pair);
}
