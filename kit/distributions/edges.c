/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log_prob where there is no density (at NaN, at infinity, outside the support), and on a float tape. */
#include <math.h>

#include "core/gradient.h"
#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/distributions/rule/points_impl.h"
#include "kit/distributions/rule/rule_impl.h"
#include "kit/shell/values_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* Records log_prob, and Σ |∂|, where ∂ are the derivatives of its sum in all elements of x and in all
 * variables. */
static bool record(gb_case_function *f, gb_dist_case *c)
{
    gb_node slope[GB_CASE_VARIABLES];
    gb_case_function_begin(f, c);
    const gb_node log_p = gb_log_prob(c->d, f->x);
    const gb_node total = gb_sum_over(gb_sum(log_p), GB_ROWS);
    gb_node size =
        c->discrete ? gb_num(c->tape, 0) : gb_sum_over(gb_sum(gb_abs(gb_grad(total, f->x))), GB_ROWS);
    if (!gb_case_slopes(c, total, slope))
        return false;
    for (size_t i = 0; i < c->variables; i++)
        size = gb_add(size, gb_sum(gb_abs(slope[i])));
    return gb_case_function_finish(f, 2, (const gb_node[]){log_p, size});
}

static double probe(const gb_domain *domain, size_t which)
{
    const double low = isfinite(domain->low) ? domain->low : 0,
                 high = isfinite(domain->high) ? domain->high : 1;
    switch (which) {
    case 0: return domain->low - 0.5;
    case 1: return domain->high + 0.5;
    case 2: return domain->above ? domain->low : domain->low - 3;
    case 3: return domain->below ? domain->high : domain->high + 3;
    default: return domain->whole ? (low + high) / 2 + (fmod(low + high, 2) == 0 ? 0.5 : 0) : NAN;
    }
}

/* Reads log_prob and the size of its gradient when all elements are x. */
static bool look_at(gb_dist_case *c, gb_case_function *f, double x, double out[2])
{
    double *const all = gb_tape_keep(c->tape, c->size * sizeof *all);
    for (size_t i = 0; all && i < c->size; i++)
        all[i] = x;
    return all && gb_case_evaluate(f, 1, all, out);
}

static void expect_outside(gb_dist_case *c, gb_case_function *f, double x)
{
    double out[2];
    const bool good = look_at(c, f, x, out);
    if (good)
        gb_kit_verdict(c->kit, GB_ON_OUTSIDE, out[0] == -INFINITY, "log_prob(%g) is %g", x, out[0]);
    if (good && isfinite(x))
        gb_kit_verdict(c->kit, GB_ON_OUTSIDE, out[1] == 0, "log_prob(%g) has a gradient of %g", x, out[1]);
}

/* An end of an image belongs to it if the mapped interval ends there, and not if that interval is
 * infinite. */
static bool ends_are_outside(gb_dist d)
{
    const gb_dist_type *const of = d.transform ? d.base->type : NULL;
    return of && of->support && isinf(of->support->low) && isinf(of->support->high) && !GB_HAS(of, ends);
}

/* At an end that is rounded to a number inside there is hardly any density. */
static void expect_end(gb_dist_case *c, gb_case_function *f, double end)
{
    double out[2];
    if (isfinite(end) && look_at(c, f, end, out))
        gb_kit_verdict(c->kit, GB_ON_OUTSIDE, out[0] < -50, "log_prob(%g), at an end, is %g", end, out[0]);
}

static void check_outside(gb_dist_case *c, gb_case_function *f)
{
    enum { PROBES = 5 };
    const gb_domain *const support = c->d.type->support;
    for (size_t i = 0; support && i < PROBES; i++) {
        const double x = probe(support, i);
        if (isfinite(x) && !gb_domain_holds(support, x))
            expect_outside(c, f, x);
    }
    if (c->shape.rank > 0)
        return;
    double ends[2];
    if (!gb_rule_ends(c, c->d, ends))
        return;
    for (size_t i = 0; i < 2; i++)
        if (isfinite(ends[i]))
            expect_outside(c, f, ends[i] + (i == 0 ? -0.5 : 0.5));
    for (size_t i = 0; i < 2 && ends_are_outside(c->d); i++)
        expect_end(c, f, ends[i]);
    expect_outside(c, f, INFINITY);
    expect_outside(c, f, -INFINITY);
}

/* A gradient at NaN may be NaN. The gradients of a run sum over all rows, so each probe has its own run. */
static void check_nan(gb_dist_case *c, gb_case_function *f)
{
    double out[2];
    if (look_at(c, f, NAN, out))
        gb_kit_verdict(c->kit, GB_ON_AT_NAN, isnan(out[0]), "it is %g", out[0]);
}

/* Wherever the domain of the support allows a number, the ends and far out included: log_prob is a number or
 * infinite, also beyond the last count that is possible. */
static void check_everywhere(gb_dist_case *c, gb_case_function *f)
{
    static const double far[] = {0,   1,   2,    3,      4,     7,    20,   31,   100,
                                 1e4, 1e6, 1e15, 1e-300, 1e-30, 1e-9, 1e30, 1e300};
    enum { FAR = sizeof far / sizeof *far, COUNT = 3 * FAR };
    const gb_domain *const support = c->d.type->support;
    double x[COUNT], out[2];
    if (!support || c->shape.rank > 0)
        return;
    for (size_t i = 0; i < FAR; i++) {
        x[3 * i] = isfinite(support->low) ? support->low + far[i] : far[i];
        x[3 * i + 1] = isfinite(support->high) ? support->high - far[i] : -far[i];
        x[3 * i + 2] = far[i];
    }
    for (size_t i = 0; i < COUNT; i++)
        if (gb_domain_holds(support, x[i]) && look_at(c, f, x[i], out))
            gb_kit_verdict(c->kit, GB_ON_EVERYWHERE, !isnan(out[0]), "log_prob(%.9g) is %g", x[i], out[0]);
}

/* ---- far out ---- */

enum { DECADES = 13 };

/* Whether −∞ after two finite numbers is a surprise, as each place is ten times as far as the one before: a
 * density may fall like the exponential of an exponential, but not faster. */
static bool falls_off(double before, double last, double now)
{
    const double one = log(fabs(before)), two = log(fabs(last)), most = 600;
    return now == -INFINITY && last < before && before < -3 && isfinite(last) && two * two / one < most;
}

static void check_far(gb_dist_case *c, gb_case_function *f, const gb_rule *draws, const double ends[2],
                      double from, double sign, double growth)
{
    double x[DECADES], out[2], log_p[DECADES];
    for (size_t i = 0; i < DECADES; i++) {
        x[i] = from + sign * draws->width * pow(growth, (double)i);
        if (!(ends[0] < x[i] && x[i] < ends[1]) || !look_at(c, f, x[i], out))
            return;
        log_p[i] = out[0];
        if (i < 2)
            continue;
        const bool passed = !falls_off(log_p[i - 2], log_p[i - 1], log_p[i]);
        gb_kit_verdict(c->kit, GB_ON_FAR, passed, "log_prob is %.6g, %.6g and %.6g at %.9g, %.9g and %.9g",
                       log_p[i - 2], log_p[i - 1], log_p[i], x[i - 2], x[i - 1], x[i]);
        if (!passed)
            return;
    }
}

/* Away from the draws, up to 10^12 times their spread, and towards the ends. */
static void check_all_far(gb_dist_case *c, gb_case_function *f)
{
    enum { DRAWS = 1024 };
    double ends[2];
    if (c->shape.rank > 0 || c->discrete || !gb_rule_ends(c, c->d, ends))
        return;
    const double *const x =
        gb_case_draws(c, gb_sample(c->d, gb_stream(c->tape, "kit far"), GB_SAMPLES), DRAWS);
    if (!x)
        return;
    const gb_rule draws = gb_rule_of_draws(c, 0, DRAWS, x);
    check_far(c, f, &draws, ends, draws.centre, 1, 10);
    check_far(c, f, &draws, ends, draws.centre, -1, 10);
    if (isfinite(ends[0]))
        check_far(c, f, &draws, ends, ends[0], 1, 0.1);
    if (isfinite(ends[1]))
        check_far(c, f, &draws, ends, ends[1], -1, 0.1);
}

/* ---- float ---- */

enum { PLACES = 32, SCORES = 4 };

/* Rounds the parameters that are numbers to floats. Returns false if there are other parameters. */
static bool round_parameters(gb_dist_case *c)
{
    bool all = true;
    for (size_t i = 0; i < c->variables; i++) {
        size_t count;
        const double *const value = gb_kit_read(c->tape, c->variable[i], &count);
        if (!value || count > 1)
            all = false;
        else
            gb_set(c->variable[i], gb_fill((double)(float)*value));
    }
    return all;
}

/* A rounded vector may be outside the support of the double tape. */
static bool is_near(const gb_dist_case *c, double is, double should, double allowed)
{
    if (isinf(should))
        return is == should || c->shape.rank > 0;
    return is == should || fabs(is - should) <= allowed * fmax(1, fabs(should));
}

static void compare_values(gb_dist_case *c, const double *x, const double *is, const double *should,
                           double allowed)
{
    for (size_t i = 0; i < PLACES; i++)
        gb_kit_verdict(c->kit, GB_ON_FLOAT, is_near(c, is[i], should[i], allowed),
                       "log_prob(%.9g) is %.9g, but %.9g on a double tape", x[i * c->size], is[i], should[i]);
}

/* Compares at a few single places: a sum would hide a wrong one. */
static void compare_scores(gb_dist_case *c, gb_dist_case *narrow, const double *x)
{
    gb_case_scores wide_s, narrow_s;
    double is[GB_CASE_VARIABLES], should[GB_CASE_VARIABLES];
    if (!gb_case_score_begin(&wide_s, c, c->d) || !gb_case_score_begin(&narrow_s, narrow, narrow->d))
        return;
    for (size_t i = 0; i < SCORES; i++) {
        const double one = 1, *const at = x + i * (PLACES / SCORES) * c->size;
        if (!gb_case_score(&wide_s, 1, at, &one, should) || !gb_case_score(&narrow_s, 1, at, &one, is))
            return;
        for (size_t j = 0; j < c->variables; j++)
            gb_kit_verdict(c->kit, GB_ON_FLOAT, fabs(is[j] - should[j]) <= 1e-4 * fmax(1, fabs(should[j])),
                           "d log_prob(%.9g) / d %s is %.9g, but %.9g on a double tape", *at,
                           gb_node_name(c->variable[j]), is[j], should[j]);
    }
}

/* Compares at draws that a float can hold. */
static void check_float(gb_dist_case *c)
{
    gb_dist_case narrow;
    gb_case_function wide_f, narrow_f;
    double is[PLACES], should[PLACES];
    double *const x = gb_case_draws(c, gb_sample(c->d, gb_stream(c->tape, "kit draws"), GB_SAMPLES), PLACES);
    if (!x)
        return;
    const bool made = gb_dist_case_narrow(&narrow, c);
    for (size_t i = 0; i < PLACES * c->size; i++)
        x[i] = (double)(float)x[i];
    const bool rounded = made && round_parameters(c);
    if (made && gb_case_log_prob(&narrow_f, &narrow, narrow.d) && gb_case_log_prob(&wide_f, c, c->d) &&
        gb_case_evaluate(&narrow_f, PLACES, x, is) && gb_case_evaluate(&wide_f, PLACES, x, should)) {
        compare_values(c, x, is, should, rounded ? 2e-5 : 1e-3);
        if (rounded && c->shape.rank == 0 && narrow.variables == c->variables)
            compare_scores(c, &narrow, x);
    } else if (narrow.tape && gb_error(narrow.tape) != GB_ENOMEM)
        gb_kit_skip(c->kit, GB_ON_FLOAT,
                    gb_error(narrow.tape) ? gb_error_text(narrow.tape) : "it was not made");
    if (narrow.tape && gb_error(narrow.tape) == GB_ENOMEM)
        gb_dist_case_fine(&narrow);
    gb_dist_case_end(&narrow);
}

void gb_dist_check_edges(gb_dist_case *c)
{
    gb_case_function f;
    if (record(&f, c)) {
        check_nan(c, &f);
        check_outside(c, &f);
        check_everywhere(c, &f);
        check_all_far(c, &f);
    }
    if (gb_error(c->tape) == GB_OK)
        check_float(c);
}
