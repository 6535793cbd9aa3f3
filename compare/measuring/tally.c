/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the estimates: means, variances, and their standard errors. */
#include "compare/measuring/tally_impl.h"

#include <math.h>

static bool all_finite(size_t count, const double *x, size_t stride)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i * stride]))
            return false;
    return true;
}

bool gb_compare_count(gb_compare_tally *tally, const gb_replicates *r, size_t count, double *scratch)
{
    const bool first = tally->total.count == 0;
    for (size_t i = 0; i < count; i++)
        scratch[i] = 0;
    for (size_t j = 0; j < r->elements; j++) {
        size_t stride;
        const double *const x = gb_replicates_element(r, j, &stride);
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += fabs(x[i * stride]);
        if (!isfinite(sum) && !all_finite(count, x, stride))
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
static double rounding(const gb_compare_work *c, const gb_compare_tally *tally)
{
    double scale = 0;
    for (size_t j = 0; j < c->it.parameters; j++)
        scale = fmax(scale, fabs(tally->element[j].mean));
    return c->with.real == GB_FLOAT ? 1e-5 * scale + 1e-7 : 1e-11 * scale + 1e-15;
}

/* An estimator that sums over all values cannot miss a rare one. */
static bool sees_all(const gb_compare_work *c, size_t which)
{
    return c->with.estimator[which].type->expansion == GB_WEIGHTS;
}

/* The variance comes from few estimates: kurtosis / count is about one over their number. Their number is far
 * from normal, so a bias in standard errors is not known if it is large. */
static bool is_of_few(const gb_moments *m)
{
    enum { FEW = 20 };
    return gb_moments_kurtosis(m) * FEW > m->count;
}

/* Statistics of one parameter. */
static gb_measured of_element(const gb_compare_work *c, const gb_compare_tally *tally, size_t j, double least,
                              bool sees)
{
    const gb_moments *const e = &tally->element[j];
    const bool varies = !(sqrt(gb_moments_variance(e)) <= least); /* least² may overflow */
    gb_measured m = {.mean = e->count > 0 ? e->mean : (double)NAN,
                     .variance = varies ? gb_moments_variance(e) : 0,
                     .kurtosis = varies ? gb_moments_kurtosis(e) : (double)NAN,
                     .exact = c->exact[j]};
    m.stderr_ = sqrt(m.variance / e->count);
    m.z = (m.mean - m.exact) / hypot(m.stderr_, least);
    m.unseen = !sees && (varies ? is_of_few(e) && fabs(m.z) > GB_COMPARE_BIASED
                                : fabs(e->mean - m.exact) > GB_COMPARE_BIASED * least);
    m.z = m.unseen ? (double)NAN : m.z;
    m.variance_stderr = m.unseen ? (double)NAN : varies ? gb_moments_variance_error(e) : 0;
    m.snr = m.unseen ? (double)NAN : fabs(m.mean) / sqrt(m.variance);
    return m;
}

/* The standard error of a variance overflows first: fourth powers are summed for it. */
static bool overflows(const gb_moments *m)
{
    return m->count > 1 && !isfinite(gb_moments_variance_error(m));
}

static void look_for_overflow(gb_compare_work *c, size_t which, const gb_compare_tally *tally)
{
    const char *const name = c->compared[which].name;
    for (size_t j = 0; j < c->it.parameters; j++)
        if (overflows(&tally->element[j]))
            gb_compare_fail(c, GB_ENONFINITE,
                            "%s: the variance of %s overflows, or its standard error; smaller data or "
                            "settings give smaller gradients",
                            name, c->it.parameter[j]);
    if (tally->total.count > 1 && !isfinite(gb_moments_variance(&tally->total)))
        gb_compare_fail(c, GB_ENONFINITE,
                        "%s: the standard error of the total variance overflows; smaller data or settings "
                        "give smaller gradients",
                        name);
}

void gb_compare_conclude(gb_compare_work *c, size_t which, const gb_compare_tally *tally)
{
    gb_compared *const result = &c->compared[which];
    const double least = rounding(c, tally);
    gb_measured *const measured = gb_compare_keep(c, c->it.parameters, sizeof *measured);
    if (!measured)
        return;
    double total = 0;
    bool unseen = false;
    for (size_t j = 0; j < c->it.parameters; j++) {
        measured[j] = of_element(c, tally, j, least, sees_all(c, which));
        measured[j].moving = c->probe[which].moving;
        total += measured[j].variance;
        unseen |= measured[j].unseen;
    }
    const double spread = total != 0 ? gb_moments_variance(&tally->total) / tally->total.count : 0;
    result->parameter = measured;
    result->total_variance = total;
    result->total_variance_stderr = unseen ? (double)NAN : sqrt(spread);
    result->variance_times_cost = total * result->evaluations;
    look_for_overflow(c, which, tally);
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
