/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/compare.h"
#include "core/ground/text_impl.h"

/* A number that is not finite becomes null. */
static void write_number(FILE *file, const char *before, const char *name, double value)
{
    fprintf(file, "%s\"%s\": ", before, name);
    gb_json_number(file, value);
}

static void write_settings(FILE *file, const gb_comparison *c)
{
    fputs(",\n \"settings\": {", file);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++)
        write_number(file, i ? ", " : "", c->problem->settings[i].name, c->setting[i]);
    fputc('}', file);
}

static void write_measured(FILE *file, const char *name, double at, const gb_measured *m)
{
    fputs("\n     {\"name\": ", file);
    gb_json_text(file, name);
    write_number(file, ", ", "at", at);
    write_number(file, ", ", "mean", m->mean);
    write_number(file, ", ", "stderr", m->stderr_);
    write_number(file, ", ", "variance", m->variance);
    write_number(file, ", ", "variance_stderr", m->variance_stderr);
    write_number(file, ", ", "kurtosis", m->kurtosis);
    write_number(file, ", ", "exact", m->exact);
    write_number(file, ", ", "z", m->z);
    write_number(file, ", ", "snr", m->snr);
    fprintf(file, ", \"unseen\": %s, \"moving\": %s}", m->unseen ? "true" : "false",
            m->moving ? "true" : "false");
}

static void write_estimator(FILE *file, const gb_comparison *c, const gb_compared *e)
{
    fputs("\n  {\"name\": ", file);
    gb_json_text(file, e->name);
    fprintf(file, ", \"samples\": %lld", (long long)e->samples);
    write_number(file, ", ", "evaluations_per_estimate", e->evaluations);
    write_number(file, ", ", "seconds_per_estimate", e->seconds);
    fputs(",\n   \"parameters\": [", file);
    for (size_t i = 0; e->parameter && i < c->parameters; i++) {
        fputs(i ? "," : "", file);
        write_measured(file, c->parameter[i], c->at[i], &e->parameter[i]);
    }
    fputc(']', file);
    write_number(file, ",\n   ", "total_variance", e->total_variance);
    write_number(file, ", ", "total_variance_stderr", e->total_variance_stderr);
    write_number(file, ", ", "variance_times_cost", e->variance_times_cost);
    write_number(file, ", ", "ratio", e->ratio);
    write_number(file, ", ", "ratio_low", e->ratio_low);
    write_number(file, ", ", "ratio_high", e->ratio_high);
    fputc('}', file);
}

gb_status gb_comparison_json(const gb_comparison *c, FILE *file)
{
    if (!c || !c->problem || !file)
        return GB_EARGUMENT;
    fputs("{\"problem\": ", file);
    gb_json_text(file, c->problem->name);
    write_settings(file, c);
    fprintf(file, ",\n \"seed\": %llu, \"draws\": %lld, \"samples\": %lld", (unsigned long long)c->seed,
            (long long)c->draws, (long long)c->samples);
    if (c->step > 0)
        fprintf(file, ", \"step\": %lld", (long long)c->step);
    if (c->bound.type) {
        char text[512];
        gb_bound_text(c->bound, text, sizeof text);
        fputs(", \"bound\": ", file);
        gb_json_text(file, text);
    }
    if (c->status != GB_OK) {
        fputs(",\n \"error\": ", file);
        gb_json_text(file, c->error);
    }
    fputs(",\n \"estimators\": [", file);
    for (size_t i = 0; i < c->estimators; i++) {
        fputs(i ? "," : "", file);
        write_estimator(file, c, &c->estimator[i]);
    }
    fputs("]}\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
