/* SPDX-License-Identifier: GPL-3.0-or-later */
/* E[∂ log q/∂θ] = 0 for every parameter: by quadrature, or else over draws. */
#include <math.h>

#include "compare/moments.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/chance_impl.h"

/* Σ mass · score, and the sum over half of the points, which shows how much cancels. */
static void by_rule(gb_dist_case *c, gb_case_scores *s, const gb_rule *rule)
{
    const size_t elements = gb_case_elements(c);
    double *const is = gb_tape_keep(c->tape, 2 * elements * sizeof *is), *const part = is + elements;
    double *const mass = gb_tape_keep(c->tape, 2 * rule->count * sizeof *mass), *const some =
                                                                                    mass + rule->count;
    if (!is || !mass)
        return;
    for (size_t i = 0; i < rule->count; i++) {
        mass[i] = gb_rule_mass(rule, i);
        some[i] = gb_case_bounded(0, gb_case_project(c, rule, rule->x + i * c->size)) > 0 ? mass[i] : 0;
    }
    if (!gb_case_score(s, rule->count, rule->x, mass, is) ||
        !gb_case_score(s, rule->count, rule->x, some, part))
        return;
    for (size_t j = 0; j < elements; j++) {
        const double allowed = (1e-7 + 1e3 * rule->error) * fmax(1, fabs(part[j])) + 10 * rule->entropy_error;
        gb_kit_verdict(c->kit, GB_ON_SCORE, fabs(is[j]) <= allowed,
                       "element %zu of its variables: the integral is %.3g; %.2g is allowed", j, is[j],
                       allowed);
    }
}

/* Means over batches of draws, by their own standard errors. */
static void by_draws(gb_dist_case *c, gb_case_scores *s)
{
    enum { BATCHES = 64 };
    /* means of batches are only approximately normal */
    const double bound = gb_chance_student(5e-12, BATCHES - 1);
    const size_t elements = gb_case_elements(c), each = c->check->draws / BATCHES;
    double *const draws =
        gb_case_draws(c, gb_sample(c->d, gb_stream(c->tape, "kit score"), GB_SAMPLES), BATCHES * each);
    double *const all = gb_tape_keep(c->tape, (BATCHES * elements + each) * sizeof *all);
    if (!draws || !all)
        return;
    double *const weight = all + BATCHES * elements;
    for (size_t i = 0; i < each; i++)
        weight[i] = 1 / (double)each;
    for (size_t b = 0; b < BATCHES; b++)
        if (!gb_case_score(s, each, draws + b * each * c->size, weight, all + b * elements))
            return;
    for (size_t j = 0; j < elements; j++) {
        gb_moments m = {0};
        gb_moments_add(&m, BATCHES, all + j, elements);
        const double error = sqrt(gb_moments_variance(&m) / BATCHES);
        gb_kit_verdict(c->kit, GB_ON_SCORE, fabs(m.mean) <= bound * error + 1e-12,
                       "element %zu of its variables: over draws it is %.3g, with an error of %.2g", j,
                       m.mean, error);
    }
}

void gb_dist_check_score(gb_dist_case *c)
{
    gb_rule rule;
    gb_case_scores s;
    if (c->variables == 0)
        gb_kit_skip(c->kit, GB_ON_SCORE, "it has no variables");
    else if (gb_dist_moving_support(c->d))
        gb_kit_skip(c->kit, GB_ON_SCORE, "its support moves");
    else if (gb_case_score_begin(&s, c, c->d) && gb_rule_make(&rule, c, c->d)) {
        if (gb_rule_is_finite(&rule))
            by_rule(c, &s, &rule);
        else
            gb_kit_skip(c->kit, GB_ON_SCORE, "its density has no integral");
    } else if (gb_error(c->tape) == GB_OK)
        by_draws(c, &s);
}
