/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A watch for other programs: CSV and JSON, with the same names for the same figures. */
#include <math.h>

#include "compare/watch.h"
#include "core/ground/text_impl.h"

/* ---- figures ---- */

/* The figures of a parameter, and those of an estimator at a point. */
enum { OF_PARAMETER = 5, OF_ESTIMATOR = 3 };
static const char *const of_parameter[OF_PARAMETER] = {"variance", "of_draws", "of_batches", "snr", "mean"};
static const char *const of_estimator[OF_ESTIMATOR] = {"seconds", "bound", "ratio"};

static const gb_figure *figure_of(const gb_watched *p, size_t which)
{
    const gb_figure *const all[OF_PARAMETER] = {&p->variance, &p->of_draws, &p->of_batches, &p->snr,
                                                &p->mean};
    return all[which];
}

static const gb_figure *figure_at(const gb_watched_estimator *e, size_t which)
{
    const gb_figure *const all[OF_ESTIMATOR] = {&e->seconds, &e->bound, &e->ratio};
    return all[which];
}

static const char *name_of(const gb_watching *w, size_t parameter)
{
    return parameter < w->parameters ? w->parameter[parameter] : "all";
}

static int64_t numbers_of(const gb_watching *w, size_t parameter)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w->parameters; i++)
        sum += w->numbers[i];
    return parameter < w->parameters ? w->numbers[parameter] : sum;
}

/* ---- CSV ---- */

static void cell(FILE *file, double value)
{
    fputc(',', file);
    if (isfinite(value))
        gb_put_number(file, value);
}

static void cells(FILE *file, const gb_figure *f)
{
    cell(file, f->value);
    cell(file, f->error);
    cell(file, f->low);
    cell(file, f->high);
}

/* The columns of a figure. */
static void write_names(FILE *file, const char *name)
{
    static const char *const endings[] = {"", "_error", "_low", "_high"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char text[400];
        snprintf(text, sizeof text, "%.380s%s", name, endings[i]);
        fputc(',', file);
        gb_csv_text(file, text);
    }
}

static bool has_draws(const gb_watching *w)
{
    for (size_t p = 0; p < w->points; p++)
        for (size_t i = 0; i < w->estimators; i++)
            if (w->point[p].estimator[i].parameter && w->point[p].estimator[i].parameter->of_draw)
                return true;
    return false;
}

static void write_head(const gb_watching *w, FILE *file)
{
    fputs("step,epoch,training_seconds,estimator,parameter,numbers,gradients,batches,evaluations", file);
    for (size_t i = 0; i < OF_PARAMETER; i++)
        write_names(file, of_parameter[i]);
    for (size_t i = 0; i < OF_ESTIMATOR; i++)
        write_names(file, of_estimator[i]);
    fputs(",grebe,kernels,seed,samples", file);
    for (size_t i = 0; has_draws(w) && i < w->draws; i++) {
        char name[320];
        snprintf(name, sizeof name, "of_draw_%.300s", w->draw[i]);
        write_names(file, name);
    }
    fputc('\n', file);
}

static void write_line(const gb_watching *w, FILE *file, size_t point, size_t estimator, size_t parameter)
{
    const gb_watch_point *const p = &w->point[point];
    const gb_watched_estimator *const e = &p->estimator[estimator];
    fprintf(file, "%llu,%llu", (unsigned long long)p->step, (unsigned long long)p->epoch);
    cell(file, p->seconds);
    fputc(',', file);
    gb_csv_text(file, w->name[estimator]);
    fputc(',', file);
    gb_csv_text(file, name_of(w, parameter));
    fprintf(file, ",%lld,%lld,%lld", (long long)numbers_of(w, parameter), (long long)w->gradients,
            (long long)w->batches);
    cell(file, e->evaluations);
    for (size_t i = 0; i < OF_PARAMETER; i++)
        cells(file, figure_of(&e->parameter[parameter], i));
    for (size_t i = 0; i < OF_ESTIMATOR; i++)
        cells(file, figure_at(e, i));
    fprintf(file, ",%s,%s,%llu,%lld", w->version, w->kernels, (unsigned long long)w->seed,
            (long long)w->samples);
    for (size_t i = 0; has_draws(w) && i < w->draws; i++)
        cells(file, &e->parameter[parameter].of_draw[i]);
    fputc('\n', file);
}

gb_status gb_watching_csv(const gb_watching *w, FILE *file)
{
    if (!w || !file)
        return GB_EARGUMENT;
    write_head(w, file);
    for (size_t p = 0; p < w->points; p++)
        for (size_t e = 0; e < w->estimators; e++)
            for (size_t i = 0; w->point[p].estimator[e].parameter && i <= w->parameters; i++)
                write_line(w, file, p, e, i);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

/* ---- JSON ---- */

static void put_figure(FILE *file, const char *name, const gb_figure *f)
{
    fputs(", ", file);
    gb_json_text(file, name);
    fputs(": [", file);
    gb_json_number(file, f->value);
    fputs(", ", file);
    gb_json_number(file, f->error);
    fputs(", ", file);
    gb_json_number(file, f->low);
    fputs(", ", file);
    gb_json_number(file, f->high);
    fputc(']', file);
}

static void put_parameter(const gb_watching *w, FILE *file, const gb_watched_estimator *e, size_t parameter)
{
    const gb_watched *const p = &e->parameter[parameter];
    fputs("\n    {\"name\": ", file);
    gb_json_text(file, name_of(w, parameter));
    fprintf(file, ", \"numbers\": %lld", (long long)numbers_of(w, parameter));
    for (size_t i = 0; i < OF_PARAMETER; i++)
        put_figure(file, of_parameter[i], figure_of(p, i));
    for (size_t i = 0; p->of_draw && i < w->draws; i++) {
        char name[320];
        snprintf(name, sizeof name, "of_draw_%.300s", w->draw[i]);
        put_figure(file, name, &p->of_draw[i]);
    }
    fputc('}', file);
}

static void put_estimator(const gb_watching *w, FILE *file, const gb_watch_point *p, size_t estimator)
{
    const gb_watched_estimator *const e = &p->estimator[estimator];
    fputs("\n   {\"name\": ", file);
    gb_json_text(file, w->name[estimator]);
    fputs(", \"evaluations\": ", file);
    gb_json_number(file, e->evaluations);
    for (size_t i = 0; i < OF_ESTIMATOR; i++)
        put_figure(file, of_estimator[i], figure_at(e, i));
    fputs(",\n    \"parameters\": [", file);
    for (size_t i = 0; e->parameter && i <= w->parameters; i++) {
        fputs(i ? "," : "", file);
        put_parameter(w, file, e, i);
    }
    fputs("]}", file);
}

static void put_point(const gb_watching *w, FILE *file, const gb_watch_point *p)
{
    fprintf(file, "\n  {\"step\": %llu, \"epoch\": %llu, \"training_seconds\": ", (unsigned long long)p->step,
            (unsigned long long)p->epoch);
    gb_json_number(file, p->seconds);
    fputs(", \"estimators\": [", file);
    bool first = true;
    for (size_t i = 0; i < w->estimators; i++) {
        if (!p->estimator[i].parameter)
            continue;
        fputs(first ? "" : ",", file);
        put_estimator(w, file, p, i);
        first = false;
    }
    fputs("]}", file);
}

static void put_left_out(const gb_watching *w, FILE *file)
{
    bool first = true;
    fputs(", \"left_out\": {", file);
    for (size_t i = 0; i < w->estimators; i++) {
        if (!*w->why[i])
            continue;
        fputs(first ? "" : ", ", file);
        gb_json_text(file, w->name[i]);
        fputs(": ", file);
        gb_json_text(file, w->why[i]);
        first = false;
    }
    fputc('}', file);
}

static void put_text(FILE *file, const char *name, const char *text)
{
    fprintf(file, ", \"%s\": ", name);
    gb_json_text(file, text);
}

/* What makes it again, with the model and the data of the program. */
static void put_question(const gb_watching *w, FILE *file)
{
    gb_json_begin(file, "grebe-watch-1");
    put_text(file, "grebe", w->version);
    put_text(file, "kernels", w->kernels);
    put_text(file, "dtype", w->real == GB_FLOAT ? "f32" : "f64");
    put_text(file, "latent", w->latent);
    fprintf(file, ", \"seed\": %llu, \"every\": %lld, \"samples\": %lld, \"lessons\": %lld,\n \"watched\": [",
            (unsigned long long)w->seed, (long long)w->every, (long long)w->samples, (long long)w->lessons);
    for (size_t i = 0; i < w->estimators; i++) {
        fputs(i ? ", {\"name\": " : "{\"name\": ", file);
        gb_json_text(file, w->name[i]);
        put_text(file, "text", w->text[i]);
        fputc('}', file);
    }
    fputc(']', file);
}

gb_status gb_watching_json(const gb_watching *w, FILE *file)
{
    if (!w || !file)
        return GB_EARGUMENT;
    put_question(w, file);
    fprintf(
        file,
        ",\n \"figures\": [\"value\", \"standard error\", \"95 %% from\", \"to\"],\n \"gradients\": %lld, "
        "\"batches\": %lld, \"points_left_out\": %zu, \"seconds\": ",
        (long long)w->gradients, (long long)w->batches, w->left_out);
    gb_json_number(file, w->seconds);
    fputs(", \"training_seconds\": ", file);
    gb_json_number(file, w->training_seconds);
    put_left_out(w, file);
    if (w->status != GB_OK) {
        fputs(", \"error\": ", file);
        gb_json_text(file, w->error);
    }
    fputs(",\n \"points\": [", file);
    for (size_t p = 0; p < w->points; p++) {
        fputs(p ? "," : "", file);
        put_point(w, file, &w->point[p]);
    }
    fputs("]}\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
