/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/tables/json_impl.h"

#include "core/ground/text_impl.h"

/* A number that is not finite becomes null. */
static void write_number(FILE *file, const char *before, const char *name, double value)
{
    fprintf(file, "%s\"%s\": ", before, name);
    gb_json_number(file, value);
}

static void write_text(FILE *file, const char *before, const char *name, const char *text)
{
    fprintf(file, "%s\"%s\": ", before, name);
    gb_json_text(file, text);
}

static void write_settings(FILE *file, const gb_comparison *c)
{
    fputs(",\n \"settings\": {", file);
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++) {
        fputs(i ? ", " : "", file);
        gb_json_text(file, c->problem->settings[i].name);
        fputs(": ", file);
        gb_json_number(file, c->setting[i]);
    }
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
    fputs(", \"text\": ", file);
    gb_json_text(file, e->text);
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
    if (*e->why)
        write_text(file, ", ", "why", e->why);
    fputc('}', file);
}

/* The names of enums, as the command has them. */
static void write_context(FILE *file, const gb_comparison *c)
{
    write_text(file, ",\n ", "grebe", c->version);
    write_text(file, ", ", "kernels", c->kernels);
    write_text(file, ", ", "blas", c->blas);
    write_text(file, ", ", "dtype", c->real == GB_FLOAT ? "f32" : "f64");
    write_text(file, ", ", "at", c->on_path ? "path" : c->where == GB_AT_FITTED ? "fitted" : "given");
    fprintf(file, ", \"steps\": %lld, \"batch\": %lld, \"equal_cost\": %s, \"threads\": %d",
            (long long)c->steps, (long long)c->batch, c->equal_cost ? "true" : "false", c->threads);
}

static void write_data(FILE *file, const gb_comparison *c)
{
    if (c->data.rows == 0)
        return;
    fprintf(file, ",\n \"data\": {\"rows\": %zu, \"columns\": %zu, \"hash\": \"%016llx\"", c->data.rows,
            c->data.columns, (unsigned long long)c->data.hash);
    write_text(file, ", ", "from", c->data.from);
    fputc('}', file);
}

static void write_plugins(FILE *file, const gb_comparison *c)
{
    fputs(",\n \"plugins\": [", file);
    for (size_t i = 0; i < c->plugins; i++) {
        write_text(file, i ? ", {" : "{", "kind", c->plugin[i].kind);
        write_text(file, ", ", "name", c->plugin[i].name);
        write_text(file, ", ", "from", c->plugin[i].from);
        fputc('}', file);
    }
    fputc(']', file);
}

void gb_json_put_question(FILE *file, const char *schema, const gb_comparison *c)
{
    gb_json_begin(file, schema);
    fputs(",\n \"problem\": ", file);
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
    write_context(file, c);
    write_data(file, c);
    write_plugins(file, c);
}

gb_status gb_comparison_json(const gb_comparison *c, FILE *file)
{
    if (!c || !c->problem || !file)
        return GB_EARGUMENT;
    gb_json_put_question(file, "grebe-comparison-1", c);
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
