/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as tables: first the sums over all parameters, then each parameter. */
#include <math.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/tables/cells_impl.h"
#include "core/ground/text_impl.h"
#include "estimators/list.h"

enum { NUMBER = 12, MOST_PARAMETERS = 12 };

static int width_of_names(const gb_comparison *c)
{
    int width = gb_cell_width("estimator");
    for (size_t i = 0; i < c->estimators; i++)
        width = gb_cell_width(c->estimator[i].name) > width ? gb_cell_width(c->estimator[i].name) : width;
    return width;
}

static int width_of_parameters(const gb_comparison *c)
{
    int width = gb_cell_width("parameter");
    for (size_t i = 0; i < c->parameters; i++)
        width = gb_cell_width(c->parameter[i]) > width ? gb_cell_width(c->parameter[i]) : width;
    return width;
}

static void print_number(FILE *file, double value, const char *mark)
{
    if (isnan(value))
        fprintf(file, " %*s", NUMBER, "-");
    else
        fprintf(file, " %*.5g", NUMBER, value);
    fprintf(file, "%-1s", mark);
}

/* Two digits suffice for an uncertainty. */
static void print_error(FILE *file, double value)
{
    if (isnan(value))
        fprintf(file, "   %-8s", "");
    else
        fprintf(file, " ± %-8.2g", value);
}

static void print_z(FILE *file, double z, bool unseen, bool said_biased)
{
    if (unseen)
        fprintf(file, " %7s ", "?");
    else if (isnan(z))
        fprintf(file, " %7s ", said_biased ? "b" : "-");
    else if (fabs(z) < 1e4)
        fprintf(file, " %7.1f%s", z, fabs(z) > GB_COMPARE_BIASED ? "!" : " ");
    else
        fprintf(file, " %7.0e!", z);
}

static void print_head(FILE *file, const gb_comparison *c)
{
    fprintf(file, "%s: %s\n", c->problem->name, c->problem->formula);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++)
        fprintf(file, "%s %.6g, ", c->problem->settings[i].name, c->setting[i]);
    if (c->bound.type) {
        char text[512];
        gb_bound_text(c->bound, text, sizeof text);
        fprintf(file, "bound %s, ", text);
    }
    fprintf(file, "seed %llu; %lld gradients by each estimator, each a mean over %lld %s\n\n",
            (unsigned long long)c->seed, (long long)c->draws, (long long)c->samples,
            c->samples == 1 ? "sample" : "samples");
}

static double worst_z(const gb_comparison *c, const gb_compared *e)
{
    double worst = (double)NAN;
    for (size_t i = 0; e->parameter && i < c->parameters; i++)
        if (!(fabs(e->parameter[i].z) <= fabs(worst)) && !isnan(e->parameter[i].z))
            worst = e->parameter[i].z;
    return worst;
}

static bool has_unseen(const gb_comparison *c, const gb_compared *e)
{
    for (size_t i = 0; e->parameter && i < c->parameters; i++)
        if (e->parameter[i].unseen)
            return true;
    return false;
}

/* An estimator that says of itself that it may be biased, where no exact gradient shows how much. */
static bool is_said_biased(const gb_comparison *c, const gb_compared *e)
{
    gb_estimator estimator;
    char error[200];
    return e->parameter && isnan(worst_z(c, e)) && !has_unseen(c, e) &&
           gb_estimator_parse(e->text, &estimator, error, sizeof error) && estimator.type->bias;
}

/* What has another mean does not compete in variance. */
static bool is_biased(const gb_comparison *c, const gb_compared *e)
{
    return fabs(worst_z(c, e)) > GB_COMPARE_BIASED || is_said_biased(c, e);
}

static bool competes(const gb_comparison *c, const gb_compared *e)
{
    return e->parameter && !has_unseen(c, e) && !is_biased(c, e);
}

static bool is_moving(const gb_compared *e)
{
    return e->parameter && e->parameter[0].moving;
}

/* ---- sums over all parameters ---- */

static bool is_cheapest(const gb_comparison *c, const gb_compared *e)
{
    for (size_t i = 0; i < c->estimators; i++)
        if (c->estimator[i].variance_times_cost < e->variance_times_cost && competes(c, &c->estimator[i]))
            return false;
    return !isnan(e->variance_times_cost) && competes(c, e);
}

static void print_totals(FILE *file, const gb_comparison *c, int wide)
{
    fprintf(file, "%-*s %*s %-9s %*s %*s  %*s  %-25s %8s\n", wide, "estimator", NUMBER, "variance", "",
            NUMBER, "evaluations", NUMBER + 1, "µs", NUMBER + 1, "var × cost", "  to the first [95 %]",
            "worst z");
    for (size_t i = 0; i < c->estimators; i++) {
        const gb_compared *const e = &c->estimator[i];
        char ratio[64] = "-";
        if (!isnan(e->ratio))
            snprintf(ratio, sizeof ratio, "%.4g [%.3g, %.3g]", e->ratio, e->ratio_low, e->ratio_high);
        gb_cell_put(file, e->name, -wide);
        print_number(file, e->total_variance, is_moving(e) ? "~" : "");
        print_error(file, e->total_variance_stderr);
        print_number(file, e->evaluations, "");
        print_number(file, e->seconds * 1e6, "");
        print_number(file, e->variance_times_cost, is_cheapest(c, e) ? "*" : " ");
        fprintf(file, "  %-25s", ratio);
        print_z(file, worst_z(c, e), has_unseen(c, e) && !(fabs(worst_z(c, e)) > GB_COMPARE_BIASED),
                is_said_biased(c, e));
        fputc('\n', file);
    }
}

/* ---- each parameter ---- */

static bool is_best(const gb_comparison *c, const gb_compared *e, size_t parameter)
{
    const gb_measured *const own = &e->parameter[parameter];
    for (size_t i = 0; i < c->estimators; i++) {
        const gb_measured *const all = c->estimator[i].parameter;
        if (all && all[parameter].variance < own->variance && !all[parameter].unseen &&
            !is_biased(c, &c->estimator[i]))
            return false;
    }
    return !isnan(own->variance) && !own->unseen && !is_biased(c, e);
}

static void print_parameter(FILE *file, const gb_comparison *c, size_t parameter, int wide, int first)
{
    const char *name = c->parameter[parameter];
    for (size_t i = 0; i < c->estimators; i++) {
        const gb_compared *const e = &c->estimator[i];
        if (!e->parameter)
            continue;
        const gb_measured *const m = &e->parameter[parameter];
        gb_cell_put(file, name, -first);
        fputc(' ', file);
        gb_cell_put(file, e->name, -wide);
        print_number(file, m->mean, "");
        print_error(file, m->stderr_);
        print_number(file, m->exact, "");
        print_z(file, m->z, m->unseen, is_said_biased(c, e));
        print_number(file, m->variance, is_moving(e) ? "~" : is_best(c, e, parameter) ? "*" : " ");
        print_error(file, m->variance_stderr);
        print_number(file, m->kurtosis, "");
        print_number(file, m->snr, "");
        fputc('\n', file);
        name = "";
    }
}

static void print_parameters(FILE *file, const gb_comparison *c, int wide)
{
    const int first = width_of_parameters(c);
    fprintf(file, "\n%-*s %-*s %*s %-9s %*s %8s %*s %-10s %*s %*s\n", first, "parameter", wide, "estimator",
            NUMBER, "gradient", "", NUMBER, "exact", "z", NUMBER, "variance", "", NUMBER, "kurtosis", NUMBER,
            "snr");
    for (size_t i = 0; i < c->parameters && i < MOST_PARAMETERS; i++)
        print_parameter(file, c, i, wide, first);
    if (c->parameters > MOST_PARAMETERS)
        fprintf(file, "… and %zu more\n", c->parameters - MOST_PARAMETERS);
}

static void print_legend(FILE *file, const gb_comparison *c)
{
    bool unseen = false, moving = false, said_biased = false;
    for (size_t i = 0; i < c->estimators; i++) {
        said_biased |= is_said_biased(c, &c->estimator[i]);
        unseen |= has_unseen(c, &c->estimator[i]);
        moving |= is_moving(&c->estimator[i]);
    }
    fputs(
        "\n* smallest of those that are not biased; ! more than 5 standard errors from the exact gradient;\n"
        "variances are of one gradient, costs are evaluations, µs of one gradient\n",
        file);
    if (said_biased)
        fputs(
            "b says of itself that its mean may be another than the gradient, which is not known here: grebe "
            "list estimators\n",
            file);
    if (c->bound.type && gb_bound_caution(c->bound))
        fprintf(file, "not a bound: %s\n", gb_bound_caution(c->bound));
    if (moving)
        fputs("~ still learning when it was measured, or without effect: more draws also mean more learning, "
              "and the variance may fall\n",
              file);
    if (unseen)
        fprintf(
            file,
            "? z and variance are not known: what the exact gradient comes from is rare, and none or only a "
            "few of %lld draws showed it;\nor an outcome of a draw is so rare that they may have missed it\n",
            (long long)c->draws);
}

/* The first error may be that of an estimator; then it begins with its name. */
static void print_errors(FILE *file, const gb_comparison *c)
{
    fprintf(file, "\n%s: %s\n", gb_status_text(c->status), c->error);
    for (size_t i = 0; i < c->estimators; i++)
        if (*c->estimator[i].why && !strstr(c->error, c->estimator[i].why))
            fprintf(file, "%s: %s\n", c->estimator[i].name, c->estimator[i].why);
}

gb_status gb_comparison_print(const gb_comparison *c, FILE *file)
{
    if (!c || !file)
        return GB_EARGUMENT;
    if (c->problem && c->estimators > 0) {
        const int wide = width_of_names(c);
        print_head(file, c);
        print_totals(file, c, wide);
        print_parameters(file, c, wide);
        print_legend(file, c);
    }
    if (c->status != GB_OK)
        print_errors(file, c);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
