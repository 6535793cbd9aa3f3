/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the estimates: means, variances, and their standard errors. */
#include "compare/measuring/tally_impl.h"

#include <float.h>
#include <math.h>

static bool all_finite(size_t count, const double *x, size_t stride)
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        others += fabs(x[i * stride]) <= DBL_MAX ? 0 : 1;
    return others == 0;
}

bool gb_compare_count(gb_compare_tally *tally, const gb_replicates *r, size_t count, double *scratch)
{
    const bool first = !tally->has_origin;
    tally->has_origin = true;
    for (size_t i = 0; i < count; i++)
        scratch[i] = 0;
    for (size_t j = 0; j < r->elements; j++) {
        size_t stride;
        const double *const x = gb_replicates_element(r, j, &stride);
        if (!all_finite(count, x, stride))
            return false;
        gb_moments_add(&tally->element[j], count, x, stride);
        if (first)
            tally->origin[j] = tally->element[j].mean;
        for (size_t i = 0; i < count; i++)
            scratch[i] += (x[i * stride] - tally->origin[j]) * (x[i * stride] - tally->origin[j]);
    }
    gb_moments_add(&tally->total, count, scratch, 1);
    return true;
}

/* Smaller differences are rounding errors. */
static double rounding(const gb_compare_work *c, const gb_measured *measured)
{
    double scale = 0;
    for (size_t j = 0; j < c->it.parameters; j++)
        scale = fmax(scale, fabs(measured[j].mean));
    return c->with.real == GB_FLOAT ? 1e-5 * scale + 1e-7 : 1e-11 * scale + 1e-15;
}

/* An estimator that sums over all values cannot miss a rare one. */
static bool sees_all(const gb_compare_work *c, size_t which)
{
    return c->with.estimator[which].type->expansion == GB_WEIGHTS;
}

/* Events that occur less often in all estimates do not show what they bring, and may not occur at all. */
enum { FEW = 20 };

/* The variance comes from few estimates: kurtosis / count is about one over their number. Their number is far
 * from normal, so a bias in standard errors is not known if it is large. */
static bool is_of_few(double kurtosis, double count)
{
    return kurtosis * FEW > count;
}

/* The estimates had all outcomes of the draws many times. */
static bool had_all(const gb_compare_work *c, size_t which)
{
    return c->rarest * (double)c->it.draws * (double)c->probe[which].samples >= FEW;
}

/* Some outcome of a draw is so rare that all estimates may have missed it. Other outcomes make a variance
 * without it: that of the kurtosis is then small. Nothing is known of counts. */
static bool may_have_missed(const gb_compare_work *c, size_t which)
{
    return !isnan(c->rarest) && !had_all(c, which);
}

static void forget(gb_measured *m)
{
    m->unseen = true;
    m->z = m->variance_stderr = m->snr = (double)NAN;
}

/* Statistics of one parameter. */
static gb_measured of_element(const gb_compare_work *c, const gb_moments *e, size_t which, size_t j,
                              double least)
{
    const bool varies = !(sqrt(gb_moments_variance(e)) <= least); /* least² may overflow */
    gb_measured m = {.mean = e->count > 0 ? e->mean : (double)NAN,
                     .variance = varies ? gb_moments_variance(e) : 0,
                     .variance_stderr = varies ? gb_moments_variance_error(e) : 0,
                     .kurtosis = varies ? gb_moments_kurtosis(e) : (double)NAN,
                     .exact = c->exact[j]};
    m.stderr_ = sqrt(m.variance / e->count);
    m.z = (m.mean - m.exact) / hypot(m.stderr_, least);
    m.snr = fabs(m.mean) / sqrt(m.variance);
    if (!sees_all(c, which) && fabs(m.z) > GB_COMPARE_BIASED &&
        (!varies || is_of_few(m.kurtosis, e->count) || may_have_missed(c, which)))
        forget(&m);
    return m;
}

/* The standard error of a variance overflows first: fourth powers are summed for it. */
static bool overflows(const gb_moments *m)
{
    return m->count > 1 && !isfinite(gb_moments_variance_error(m));
}

static void look_for_overflow(gb_compare_work *c, size_t which, const gb_compare_tally *tally)
{
    for (size_t j = 0; j < c->it.parameters; j++)
        if (overflows(&tally->element[j]))
            gb_compare_fail_one(c, which, GB_ENONFINITE,
                                "the variance of %s overflows, or its standard error; smaller data or "
                                "settings give smaller gradients",
                                c->it.parameter[j]);
    if (tally->total.count > 1 && !isfinite(gb_moments_variance(&tally->total)))
        gb_compare_fail_one(c, which, GB_ENONFINITE,
                            "the standard error of the total variance overflows; smaller data or settings "
                            "give smaller gradients");
}

static void sum_up(const gb_compare_work *c, size_t which)
{
    gb_compared *const result = &c->compared[which];
    bool unseen = false;
    result->total_variance = 0;
    for (size_t j = 0; j < c->it.parameters; j++) {
        result->total_variance += result->parameter[j].variance;
        unseen |= result->parameter[j].unseen;
    }
    result->total_variance_stderr = unseen ? (double)NAN : c->spread[which];
    result->variance_times_cost = result->total_variance * result->evaluations;
}

void gb_compare_conclude(gb_compare_work *c, size_t which, const gb_compare_tally *tally)
{
    gb_measured *const measured = gb_compare_keep(c, c->it.parameters, sizeof *measured);
    if (!measured)
        return;
    for (size_t j = 0; j < c->it.parameters; j++)
        measured[j].mean = tally->element[j].mean;
    const double least = rounding(c, measured);
    double spread = 0;
    for (size_t j = 0; j < c->it.parameters; j++) {
        measured[j] = of_element(c, &tally->element[j], which, j, least);
        measured[j].moving = c->probe[which].moving;
        spread += measured[j].variance;
    }
    c->measured[which] = measured;
    c->compared[which].parameter = measured;
    c->spread[which] = spread != 0 ? sqrt(gb_moments_variance(&tally->total) / tally->total.count) : 0;
    sum_up(c, which);
    look_for_overflow(c, which, tally);
}

/* Another estimator shows that what the gradient comes from is not rare. */
static bool is_seen_by_another(const gb_compare_work *c, size_t parameter)
{
    for (size_t i = 0; i < c->it.estimators; i++) {
        const gb_measured *const m = c->measured[i] ? &c->measured[i][parameter] : NULL;
        if (m && m->variance > 0 && fabs(m->z) <= GB_COMPARE_BIASED &&
            !is_of_few(m->kurtosis, (double)c->it.draws))
            return true;
    }
    return false;
}

void gb_compare_judge_equal(gb_compare_work *c)
{
    for (size_t i = 0; i < c->it.estimators; i++) {
        gb_measured *const measured = had_all(c, i) ? c->measured[i] : NULL;
        const double least = measured ? rounding(c, measured) : 0;
        for (size_t j = 0; measured && j < c->it.parameters; j++) {
            gb_measured *const m = &measured[j];
            if (!m->unseen || m->variance > 0 || !is_seen_by_another(c, j))
                continue;
            m->unseen = false;
            m->variance_stderr = 0;
            m->z = (m->mean - m->exact) / least;
            m->snr = fabs(m->mean) / sqrt(m->variance);
            sum_up(c, i);
        }
    }
}

/* The interval is that of the logarithm of the ratio, whose variance is the sum of the squared relative
 * errors. */
void gb_compare_ratios(gb_compare_work *c)
{
    const gb_compared *const first = &c->compared[0];
    const bool known = first->total_variance > 0 && !isnan(first->total_variance_stderr);
    for (size_t i = 0; i < c->it.estimators && known; i++) {
        gb_compared *const r = &c->compared[i];
        if (isnan(r->total_variance_stderr))
            continue;
        r->ratio = r->variance_times_cost / first->variance_times_cost;
        const double own = r->total_variance > 0 ? r->total_variance_stderr / r->total_variance : 0;
        const double other = first->total_variance_stderr / first->total_variance;
        const double reach = exp(1.959963984540054 * (i == 0 ? 0 : hypot(own, other)));
        r->ratio_low = r->ratio / reach;
        r->ratio_high = r->ratio * reach;
    }
}
