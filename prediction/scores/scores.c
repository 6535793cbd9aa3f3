/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scores that are means over rows. */
#include "prediction/scores.h"

#include <math.h>
#include <stdbool.h>

#include "prediction/scores/scores_impl.h"

/* ---- means ---- */

gb_score gb_score_without(const char *name, size_t count, gb_status status)
{
    return (gb_score){
        .name = name, .value = (double)NAN, .error = (double)NAN, .count = count, .status = status};
}

gb_score gb_score_of_mean(const char *name, size_t count, const double *x, gb_score_term *term,
                          const void *user)
{
    double mean = 0, squares = 0;
    if (count == 0 || !x)
        return gb_score_without(name, count, GB_EARGUMENT);
    for (size_t i = 0; i < count; i++) {
        const double at = term ? term(user, i) : x[i], off = at - mean;
        if (isnan(at))
            return gb_score_without(name, count, GB_ENONFINITE);
        mean += off / (double)(i + 1);
        squares += off * (at - mean);
        if (isinf(at)) /* the running mean has lost the others: they do not matter */
            return (gb_score){.name = name, .value = at, .error = (double)NAN, .count = count};
    }
    const double n = (double)count;
    return (gb_score){.name = name,
                      .value = mean,
                      .error = count > 1 ? sqrt(squares / (n - 1) / n) : (double)NAN,
                      .count = count};
}

gb_score gb_score_mean(const char *name, size_t count, const double *x)
{
    return gb_score_of_mean(name ? name : "mean", count, x, NULL, NULL);
}

/* ---- numbers ---- */

typedef struct pairs {
    const double *predicted, *outcome;
} pairs;

static double squared(const void *user, size_t i)
{
    const pairs *const p = user;
    const double off = p->predicted[i] - p->outcome[i];
    return off * off;
}

static double absolute(const void *user, size_t i)
{
    const pairs *const p = user;
    return fabs(p->predicted[i] - p->outcome[i]);
}

gb_score gb_score_rmse(size_t count, const double *predicted, const double *outcome)
{
    const pairs p = {predicted, outcome};
    gb_score s = gb_score_of_mean("rmse", count, outcome ? predicted : NULL, squared, &p);
    s.value = sqrt(s.value);
    s.error = s.value > 0 ? s.error / (2 * s.value) : s.error;
    return s;
}

gb_score gb_score_mae(size_t count, const double *predicted, const double *outcome)
{
    const pairs p = {predicted, outcome};
    return gb_score_of_mean("mae", count, outcome ? predicted : NULL, absolute, &p);
}

/* ---- classes ---- */

static bool is_class(double outcome, size_t classes)
{
    return outcome >= 0 && outcome < (double)classes && outcome == floor(outcome);
}

/* Of a probability, as far as sums of many draws keep it; NaN has its own status. */
static const double ROUNDING = 1e-6;

static bool can_be(double probability)
{
    return !(probability < -ROUNDING || probability > 1 + ROUNDING);
}

gb_status gb_classes_fit(size_t count, size_t classes, const double *probability, const double *outcome)
{
    if (count == 0 || classes == 0 || !probability || !outcome)
        return GB_EARGUMENT;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < classes; k++)
            if (isnan(probability[i * classes + k]))
                return GB_ENONFINITE;
            else if (!can_be(probability[i * classes + k]))
                return GB_EARGUMENT;
        if (!is_class(outcome[i], classes))
            return isnan(outcome[i]) ? GB_ENONFINITE : GB_EARGUMENT;
    }
    return GB_OK;
}

size_t gb_class_chosen(size_t classes, const double *probability)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        best = probability[k] > probability[best] ? k : best;
    return best;
}

typedef struct labelled {
    size_t classes;
    const double *probability, *outcome;
} labelled;

static double is_right(const void *user, size_t i)
{
    const labelled *const l = user;
    return (double)gb_class_chosen(l->classes, l->probability + i * l->classes) == l->outcome[i];
}

static double brier(const void *user, size_t i)
{
    const labelled *const l = user;
    double sum = 0;
    for (size_t k = 0; k < l->classes; k++) {
        const double off = l->probability[i * l->classes + k] - ((double)k == l->outcome[i]);
        sum += off * off;
    }
    return sum;
}

static gb_score of_classes(const char *name, size_t count, const labelled *l, gb_score_term *term)
{
    const gb_status status = gb_classes_fit(count, l->classes, l->probability, l->outcome);
    return status == GB_OK ? gb_score_of_mean(name, count, l->outcome, term, l)
                           : gb_score_without(name, count, status);
}

gb_score gb_score_accuracy(size_t count, size_t classes, const double *probability, const double *outcome)
{
    return of_classes("accuracy", count, &(labelled){classes, probability, outcome}, is_right);
}

gb_score gb_score_brier(size_t count, size_t classes, const double *probability, const double *outcome)
{
    return of_classes("brier", count, &(labelled){classes, probability, outcome}, brier);
}

/* ---- intervals ---- */

typedef struct interval {
    const double *below, *up_to;
    double level;
} interval;

double gb_interval_share(double below, double up_to, double level)
{
    const double from = (1 - level) / 2, to = (1 + level) / 2;
    if (!(up_to > below))
        return up_to >= from && below <= to;
    return fmax(0, fmin(up_to, to) - fmax(below, from)) / (up_to - below);
}

static double is_covered(const void *user, size_t i)
{
    const interval *const v = user;
    const double sum = v->below[i] + v->up_to[i];
    return isnan(sum) ? sum : gb_interval_share(v->below[i], v->up_to[i], v->level);
}

gb_score gb_score_coverage(size_t count, const double *below, const double *up_to, double level)
{
    const interval v = {below, up_to, level};
    bool fits = level >= 0 && level <= 1;
    for (size_t i = 0; below && up_to && i < count; i++)
        fits = fits && can_be(below[i]) && can_be(up_to[i]) && !(below[i] > up_to[i] + ROUNDING);
    if (!fits)
        return gb_score_without("coverage", count, GB_EARGUMENT);
    return gb_score_of_mean("coverage", count, up_to ? below : NULL, is_covered, &v);
}

/* ---- CRPS ---- */

double gb_crps_normal(double mean, double sd, double outcome)
{
    static const double root_pi = 1.7724538509055160273, root_two = 1.4142135623730950488,
                        root_two_pi = 2.5066282746310005024;
    if (sd == 0)
        return fabs(outcome - mean);
    if (!(sd > 0))
        return (double)NAN;
    const double z = (outcome - mean) / sd;
    return sd * (z * erf(z / root_two) + 2 * exp(-z * z / 2) / root_two_pi - 1 / root_pi);
}

double gb_crps_draws(size_t count, const double *sorted, double outcome)
{
    const double n = (double)count;
    double distance = 0, spread = 0;
    if (count < 2 || !sorted)
        return (double)NAN;
    for (size_t i = 0; i < count; i++) {
        distance += fabs(sorted[i] - outcome) / n;
        spread += (2 * (double)i + 1 - n) * (sorted[i] - outcome) / (n * (n - 1));
    }
    return distance - spread;
}
