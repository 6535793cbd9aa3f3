/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients through reparameterised draws: for bounded f, the mean of ∂f(draw)/∂θ is ∂/∂θ ∫ f q. That
 * derivative is ∫ f q ∂log q/∂θ by quadrature, or over draws. If the support moves, it is a difference of
 * integrals. */
#include <math.h>

#include "compare/moments.h"
#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/bounded_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/distributions/slopes_impl.h"
#include "kit/shell/chance_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { BATCHES = 64, MOST = 32 };

/* The mean of batches, and its standard error. */
typedef struct estimate {
    double mean, error;
} estimate;

typedef struct paths {
    gb_dist_case *c;
    gb_rule rule;
    bool integrated;
    gb_case_scores score;
    size_t elements, each;
    gb_node slope[GB_CASE_FUNCTIONS][GB_CASE_VARIABLES];
    gb_program *there;
    double *draws; /* for the score, if there is no rule */
    double *buffer;
} paths;

static bool record(paths *p)
{
    gb_dist_case *const c = p->c;
    gb_node root[GB_CASE_FUNCTIONS * GB_CASE_VARIABLES];
    size_t roots = 0;
    const gb_node z =
        gb_case_project_node(c, &p->rule, gb_rsample(c->d, gb_stream(c->tape, "kit paths"), GB_SAMPLES));
    for (size_t k = 0; k < GB_CASE_FUNCTIONS; k++) {
        const gb_node mean = gb_mean_over(gb_case_bounded_node(k, z), GB_SAMPLES);
        if (!gb_case_slopes(c, mean, p->slope[k]))
            return false;
        for (size_t i = 0; i < c->variables; i++)
            root[roots++] = p->slope[k][i];
    }
    p->there = gb_compile(c->tape, (gb_node_list){.count = roots, .node = root}, gb_no_update);
    return gb_program_set_samples(p->there, (int64_t)p->each) == GB_OK;
}

static bool score_of_draws(paths *p, size_t which, size_t batch, double *out)
{
    const double *const x = p->draws + batch * p->each * p->c->size;
    for (size_t i = 0; i < p->each; i++)
        p->buffer[i] =
            gb_case_bounded(which, gb_case_project(p->c, &p->rule, x + i * p->c->size)) / (double)p->each;
    return gb_case_score(&p->score, p->each, x, p->buffer, out);
}

/* ---- comparison ---- */

static estimate estimated(const double *of_batches, size_t stride)
{
    gb_moments m = {0};
    gb_moments_add(&m, BATCHES, of_batches, stride);
    return (estimate){m.mean, sqrt(gb_moments_variance(&m) / BATCHES)};
}

static bool run_batches(paths *p, double *is, double *scores)
{
    const size_t all = GB_CASE_FUNCTIONS * p->elements;
    size_t count;
    for (size_t b = 0; b < BATCHES; b++) {
        if (gb_run(p->there) != GB_OK)
            return false;
        double *out = is + b * all;
        for (size_t k = 0; k < GB_CASE_FUNCTIONS; k++)
            for (size_t i = 0; i < p->c->variables; i++, out += count) {
                count = gb_value_count(p->slope[k][i]);
                if (gb_read(p->slope[k][i], out, count) != GB_OK)
                    return false;
            }
        for (size_t k = 0; scores && k < GB_CASE_FUNCTIONS; k++)
            if (!score_of_draws(p, k, b, scores + b * all + k * p->elements))
                return false;
    }
    return true;
}

static void compare(paths *p, const double *is, const double *scores, const double *should)
{
    /* means of batches are only approximately normal */
    const double bound = gb_chance_student(5e-12, BATCHES - 1);
    const size_t all = GB_CASE_FUNCTIONS * p->elements;
    for (size_t j = 0; j < all; j++) {
        const estimate path = estimated(is + j, all);
        const estimate other = scores ? estimated(scores + j, all) : (estimate){should[j], 0};
        const double allowed = bound * hypot(path.error, other.error) + 1e-6 * fabs(other.mean) +
                               1e3 * p->rule.error + 1e-9 / p->rule.width + 1e-9;
        gb_kit_verdict(p->c->kit, GB_ON_PATHWISE, fabs(path.mean - other.mean) <= allowed,
                       "of bounded function %zu in element %zu of its variables: the mean is %.6g, not %.6g; "
                       "%.2g is allowed",
                       j / p->elements, j % p->elements, path.mean, other.mean, allowed);
    }
}

static void check(paths *p)
{
    gb_dist_case *const c = p->c;
    const size_t all = GB_CASE_FUNCTIONS * p->elements;
    const bool moving = gb_dist_moving_support(c->d);
    double *const is = gb_tape_keep(c->tape, (2 * BATCHES + 1) * all * sizeof *is);
    p->buffer = gb_tape_keep(c->tape, p->each * sizeof *p->buffer);
    if (!is || !p->buffer)
        return;
    double *const should = is + BATCHES * all, *const scores = should + all;
    if (!p->integrated && !moving)
        p->draws =
            gb_case_draws(c, gb_sample(c->d, gb_stream(c->tape, "kit score"), GB_SAMPLES), BATCHES * p->each);
    if (!p->integrated && !p->draws) {
        gb_kit_skip(c->kit, GB_ON_PATHWISE, "too many elements for an integral");
        return;
    }
    if (p->draws && !gb_case_score_begin(&p->score, c, c->d))
        return;
    if (run_batches(p, is, p->draws ? scores : NULL) &&
        (p->draws || gb_case_expected_slopes(c, &p->rule, should)))
        compare(p, is, p->draws ? scores : NULL, should);
}

void gb_dist_check_pathwise(gb_dist_case *c)
{
    paths p = {.c = c, .elements = gb_case_elements(c), .each = c->check->draws / BATCHES};
    if (!gb_dist_can(c->d, GB_CAN_RSAMPLE)) {
        gb_kit_skip(c->kit, GB_ON_PATHWISE, "it has no reparameterised sampler");
    } else if (c->variables == 0 || p.elements > MOST) {
        gb_kit_skip(c->kit, GB_ON_PATHWISE, "it has no variables, or too many");
    } else {
        p.integrated = gb_rule_make(&p.rule, c, c->d) && gb_rule_is_finite(&p.rule);
        if (gb_error(c->tape) == GB_OK && record(&p))
            check(&p);
    }
}
