/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons as CSV: a line for each parameter of each estimator. An unknown number is an empty cell. */
#include <math.h>

#include "compare/sweep.h"
#include "core/ground/text_impl.h"

static void cell(FILE *file, double value)
{
    fputc(',', file);
    if (isfinite(value))
        gb_put_number(file, value);
}

static void write_line(FILE *file, const gb_comparison *c, const gb_compared *e, size_t parameter)
{
    const gb_measured *const m = &e->parameter[parameter];
    gb_csv_text(file, c->problem->name);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++)
        cell(file, c->setting[i]);
    fputc(',', file);
    gb_csv_text(file, e->name);
    fprintf(file, ",%lld", (long long)e->samples);
    cell(file, e->evaluations);
    cell(file, e->seconds);
    fputc(',', file);
    gb_csv_text(file, c->parameter[parameter]);
    const double numbers[] = {m->mean,     m->stderr_, m->variance, m->variance_stderr,
                              m->kurtosis, m->exact,   m->z,        m->snr};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cell(file, numbers[i]);
    fprintf(file, ",%d,%lld", m->moving, (long long)c->step);
    cell(file, c->at ? c->at[parameter] : (double)NAN);
    fputc('\n', file);
}

static void write_head(FILE *file, const gb_problem *problem)
{
    fputs("problem", file);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && problem->settings[i].name; i++) {
        fputc(',', file);
        gb_csv_text(file, problem->settings[i].name);
    }
    fputs(",estimator,samples,evaluations_per_estimate,seconds_per_estimate,parameter,mean,stderr,variance,"
          "variance_stderr,kurtosis,exact,z,snr,moving,step,at\n",
          file);
}

static void write_lines(FILE *file, const gb_comparison *c)
{
    for (size_t e = 0; c->problem && e < c->estimators; e++)
        for (size_t p = 0; c->estimator[e].parameter && p < c->parameters; p++)
            write_line(file, c, &c->estimator[e], p);
}

gb_status gb_comparison_csv(const gb_comparison *c, FILE *file)
{
    if (!c || !c->problem || !file)
        return GB_EARGUMENT;
    write_head(file, c->problem);
    write_lines(file, c);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

gb_status gb_sweep_csv(const gb_sweep *sweep, FILE *file)
{
    if (!sweep || !file)
        return GB_EARGUMENT;
    if (sweep->points > 0 && sweep->point[0]->problem)
        write_head(file, sweep->point[0]->problem);
    for (size_t i = 0; i < sweep->points; i++)
        write_lines(file, sweep->point[i]);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
