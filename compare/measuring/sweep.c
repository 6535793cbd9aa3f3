/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/sweep.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare/measuring/work_impl.h"
#include "core/ground/file_impl.h"
#include "core/ground/text_impl.h"

typedef struct sweeping {
    gb_sweep it; /* first: gb_sweep_free gets its address */
    gb_compare_options with;
    size_t asked; /* points */
    double *value;
    gb_comparison **point;
    gb_compare_setting *setting; /* those of the options, then the swept one */
    gb_comparison *training;     /* along a training: it owns `place`; else NULL */
    const double *place;         /* the parameters of each point; NULL: they are given by the setting */
    double from, part;           /* where the progress of the points begins, and their part of it */
    char name[64];
    char error[640];
} sweeping;

/* Replaces an earlier error: one that ends the sweep matters more than one that leaves an estimator out. */
static bool GB_PRINTF(3, 4) fail(sweeping *s, gb_status status, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(s->error, sizeof s->error, format, words);
    va_end(words);
    s->it.status = status;
    return false;
}

void gb_sweep_free(gb_sweep *sweep)
{
    sweeping *const s = (sweeping *)sweep;
    if (!s)
        return;
    for (size_t i = 0; i < s->it.points; i++)
        gb_comparison_free(s->point[i]);
    gb_comparison_free(s->training);
    free(s->value);
    free(s->point);
    free(s->setting);
    free(s);
}

/* ---- single estimates ---- */

/* Copies the lines of one comparison, each after the value of the setting. The header is copied once. */
static void copy_raw(const sweeping *s, FILE *from, FILE *to, size_t point)
{
    char line[512];
    rewind(from);
    for (bool head = true; fgets(line, sizeof line, from); head = false)
        if (!head) {
            gb_put_number(to, s->value[point]);
            fprintf(to, ",%s", line);
        } else if (point == 0)
            fprintf(to, "%s,%s", s->name, line);
}

/* ---- points ---- */

static bool report_progress(void *user, double done)
{
    const sweeping *const s = user;
    return s->with.progress(s->with.user,
                            s->from + s->part * ((double)s->it.points + done) / (double)s->asked);
}

/* Keeps a point. Returns false if its error ends the sweep. */
static bool keep(sweeping *s, gb_comparison *c)
{
    s->point[s->it.points++] = c;
    if (c->status == GB_OK)
        return true;
    if (c->status != GB_EARGUMENT || !gb_comparison_has_results(c))
        return fail(s, c->status, "%s", c->error);
    if (s->it.status == GB_OK)
        fail(s, c->status, "%s", c->error);
    return true;
}

/* Single estimates go through a temporary file, so that each line can begin with the value of the setting. */
static bool run_point(sweeping *s, gb_compare_options with)
{
    FILE *const raw = with.raw;
    if (raw && !(with.raw = gb_file_temporary()))
        return fail(s, GB_ESYSTEM, "cannot make a temporary file: %s", strerror(errno));
    const size_t at = s->it.points;
    gb_comparison *const c =
        s->place ? gb_compare_from(&with, (int64_t)s->value[at], s->place + at * s->training->parameters)
                 : gb_compare_with(&with);
    if (raw) {
        copy_raw(s, with.raw, raw, s->it.points);
        fclose(with.raw);
    }
    return c ? keep(s, c) : fail(s, GB_ENOMEM, "sweep: no memory for point %zu", s->it.points);
}

static void run(sweeping *s)
{
    gb_compare_options with = s->with;
    gb_compare_setting *const swept = &s->setting[with.settings];
    with.settings += s->place == NULL;
    with.setting = s->setting;
    if (with.progress) {
        with.progress = report_progress;
        with.user = s;
    }
    bool good = true;
    for (size_t i = 0; i < s->asked && good; i++) {
        *swept = (gb_compare_setting){.name = s->name, .value = s->value[i]};
        good = run_point(s, with);
    }
}

/* ---- the whole ---- */

static bool fits(sweeping *s, const char *setting, const double *values)
{
    const gb_compare_options *const with = &s->with;
    if (!setting || !values || s->asked == 0)
        return fail(s, GB_EARGUMENT, "sweep: a setting and values for it are required");
    if (strlen(setting) >= sizeof s->name)
        return fail(s, GB_EARGUMENT, "sweep: no setting has a name of %zu letters", strlen(setting));
    if (with->settings > 0 && !with->setting)
        return fail(s, GB_EARGUMENT, "sweep: %zu settings, but no list of them", with->settings);
    for (size_t i = 0; i < with->settings; i++)
        if (with->setting[i].name && strcmp(with->setting[i].name, setting) == 0)
            return fail(s, GB_EARGUMENT, "sweep: %s is both set and swept", setting);
    return true;
}

/* `values`: of the setting, NULL if they are not known yet. */
static bool make_room(sweeping *s, const double *values)
{
    s->value = calloc(s->asked, sizeof *s->value);
    s->point = calloc(s->asked, sizeof *s->point);
    s->setting = calloc(s->with.settings + 1, sizeof *s->setting);
    if (!s->value || !s->point || !s->setting)
        return fail(s, GB_ENOMEM, "sweep: no memory for %zu points", s->asked);
    if (values)
        memcpy(s->value, values, s->asked * sizeof *values);
    if (s->with.settings > 0 && s->with.setting)
        memcpy(s->setting, s->with.setting, s->with.settings * sizeof *s->setting);
    s->it.value = s->value;
    s->it.point = s->point;
    return true;
}

static sweeping *begun(size_t points, const gb_compare_options *options)
{
    sweeping *const s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->it.setting = s->name;
    s->it.error = s->error;
    s->asked = points;
    s->part = 1;
    if (!gb_options_copy(&s->with, sizeof s->with, options))
        fail(s, GB_EARGUMENT,
             "sweep: the options struct has no size; set .size = sizeof(gb_compare_options)");
    return s;
}

gb_sweep *gb_compare_sweep_with(const char *setting, size_t points, const double *values,
                                const gb_compare_sweep_options *options)
{
    sweeping *const s = begun(points, options);
    if (s && s->it.status == GB_OK && fits(s, setting, values) && make_room(s, values)) {
        strcpy(s->name, setting);
        run(s);
    }
    return s ? &s->it : NULL;
}

/* ---- along a training ---- */

enum { MOST_PLACES = 10 };
static const double PART_OF_TRAINING = 0.1; /* of the progress */

static bool report_training(void *user, double done)
{
    const sweeping *const s = user;
    return s->with.progress(s->with.user, PART_OF_TRAINING * done);
}

/* A short training has fewer places than ten: one for each step, and its start. */
static size_t places_of(int64_t steps)
{
    return steps > 0 && steps < MOST_PLACES - 1 ? (size_t)steps + 1 : MOST_PLACES;
}

/* Finds the places. */
static bool train(sweeping *s)
{
    int64_t step[MOST_PLACES];
    double *place = NULL;
    gb_compare_options with = s->with;
    if (with.progress) {
        with.progress = report_training;
        with.user = s;
    }
    s->training = gb_compare_places(&with, s->asked, step, &place);
    if (!s->training)
        return fail(s, GB_ENOMEM, "sweep: no memory for a training");
    if (!place)
        return fail(s, s->training->status, "%s", s->training->error);
    for (size_t i = 0; i < s->asked; i++)
        s->value[i] = (double)step[i];
    s->place = place;
    s->from = PART_OF_TRAINING;
    s->part = 1 - PART_OF_TRAINING;
    return true;
}

gb_sweep *gb_compare_path_with(const gb_compare_path_options *options)
{
    sweeping *const s = begun(MOST_PLACES, options);
    if (!s || s->it.status != GB_OK)
        return s ? &s->it : NULL;
    strcpy(s->name, "step");
    s->asked = places_of(s->with.steps);
    if (s->with.at != GB_AT_GIVEN)
        fail(s, GB_EARGUMENT, "path: .at is for single comparisons; a path has places of its own");
    else if (make_room(s, NULL) && train(s))
        run(s);
    return &s->it;
}
