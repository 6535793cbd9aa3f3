/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep as tables of variances over the setting, one for each parameter, and as JSON with a list of
 * comparisons. */
#include <math.h>
#include <string.h>

#include "compare/sweep.h"
#include "compare/tables/cells_impl.h"
#include "core/ground/text_impl.h"

enum { MOST_PARAMETERS = 12, LEAST_WIDTH = 13, ERROR = 11 };

static int width_of(const char *name)
{
    const int length = gb_cell_width(name);
    return (length < LEAST_WIDTH ? LEAST_WIDTH : length) + 2;
}

static void print_cell(FILE *file, const gb_compared *e, size_t parameter)
{
    const double variance = e->parameter ? e->parameter[parameter].variance : (double)NAN;
    if (isnan(variance))
        fprintf(file, "%*s", width_of(e->name), "-");
    else
        fprintf(file, "%*.5g", width_of(e->name), variance);
}

/* All parameters together, with standard errors. */
static void print_totals(const gb_sweep *sweep, FILE *file)
{
    const gb_comparison *const first = sweep->point[0];
    fprintf(file, "\nvariance of the gradient, all parameters together\n%10s", sweep->setting);
    for (size_t e = 0; e < first->estimators; e++)
        gb_cell_put(file, first->estimator[e].name, ERROR + width_of(first->estimator[e].name));
    for (size_t i = 0; i < sweep->points; i++) {
        fprintf(file, "\n%10.4g", sweep->value[i]);
        for (size_t e = 0; e < sweep->point[i]->estimators; e++) {
            const gb_compared *const one = &sweep->point[i]->estimator[e];
            const int width = ERROR + width_of(one->name);
            char text[64] = "-";
            if (isnan(one->total_variance_stderr) && !isnan(one->total_variance))
                snprintf(text, sizeof text, "%.5g", one->total_variance);
            else if (!isnan(one->total_variance))
                snprintf(text, sizeof text, "%.5g ± %.2g", one->total_variance, one->total_variance_stderr);
            fprintf(file, "%*s", width + (strstr(text, "±") != NULL), text); /* "±" has two bytes */
        }
    }
    fputc('\n', file);
}

static void print_parameter(const gb_sweep *sweep, FILE *file, size_t parameter)
{
    const gb_comparison *const first = sweep->point[0];
    fprintf(file, "\nvariance of the gradient in %s\n%10s", first->parameter[parameter], sweep->setting);
    for (size_t e = 0; e < first->estimators; e++)
        gb_cell_put(file, first->estimator[e].name, width_of(first->estimator[e].name));
    for (size_t i = 0; i < sweep->points; i++) {
        fprintf(file, "\n%10.4g", sweep->value[i]);
        for (size_t e = 0; e < sweep->point[i]->estimators; e++)
            print_cell(file, &sweep->point[i]->estimator[e], parameter);
    }
    fputc('\n', file);
}

static void print_head(const gb_sweep *sweep, FILE *file)
{
    const gb_comparison *const c = sweep->point[0];
    fprintf(file, "%s: %s\n", c->problem->name, c->problem->formula);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++)
        if (strcmp(c->problem->settings[i].name, sweep->setting) != 0)
            fprintf(file, "%s %.6g, ", c->problem->settings[i].name, c->setting[i]);
    if (sweep->point[sweep->points - 1]->step > 0)
        fprintf(file, "along a training of %lld steps by %s, ",
                (long long)sweep->point[sweep->points - 1]->step, c->estimator[0].name);
    fprintf(file, "seed %llu; %lld gradients by each estimator, each a mean over %lld %s\n",
            (unsigned long long)c->seed, (long long)c->draws, (long long)c->samples,
            c->samples == 1 ? "sample" : "samples");
}

gb_status gb_sweep_print(const gb_sweep *sweep, FILE *file)
{
    if (!sweep || !file)
        return GB_EARGUMENT;
    if (sweep->points > 0 && gb_comparison_has_results(sweep->point[0])) {
        const size_t parameters = sweep->point[0]->parameters;
        print_head(sweep, file);
        if (parameters > 1)
            print_totals(sweep, file);
        for (size_t p = 0; p < parameters && p < MOST_PARAMETERS; p++)
            print_parameter(sweep, file, p);
        if (parameters > MOST_PARAMETERS)
            fprintf(file, "… and %zu more\n", parameters - MOST_PARAMETERS);
    }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

gb_status gb_sweep_json(const gb_sweep *sweep, FILE *file)
{
    if (!sweep || !file)
        return GB_EARGUMENT;
    gb_json_begin(file, "grebe-sweep-1");
    fputs(",\n\"sweep\": {\"setting\": ", file);
    gb_json_text(file, sweep->setting);
    fputs(", \"values\": [", file);
    for (size_t i = 0; i < sweep->points; i++) {
        fputs(i ? ", " : "", file);
        gb_json_number(file, sweep->value[i]);
    }
    fputs("]},\n\"comparisons\": [\n", file);
    for (size_t i = 0; i < sweep->points; i++) {
        fputs(i ? ",\n" : "", file);
        gb_comparison_json(sweep->point[i], file);
    }
    fputs("]}\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
