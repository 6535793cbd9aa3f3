/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a file of results. Whoever wrote it may have written anything: every field is looked for, has its
 * type, and is in the range that the command would take. */
#include "compare/stored.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare/stored/json_impl.h"
#include "compare/stored/rules_impl.h"
#include "compare/stored/stored_impl.h"
#include "core/ground/memory_impl.h"
#include "estimators/list.h"
#include "models/family.h"
#include "models/optimiser.h"
#include "models/schedule.h"
#include "ready/models.h"

enum { MOST_TEXT = 2048, MOST_PATH = 4096, MOST_ESTIMATORS = 1000 };
/* Bytes that an element of a list has at least, so that short ones cannot ask for much memory. */
enum {
    LEAST_COMPARISON = 300,
    LEAST_MEASURED = 90,
    LEAST_PLUGIN = 20,
    LEAST_RACED = 40,
    LEAST_RACE_POINT = 50
};

typedef struct reading {
    gb_stored it; /* first: gb_stored_free gets its address */
    gb_arena arena;
    gb_memory memory;
    gb_json whole;        /* the file */
    char text[MOST_PATH]; /* a text that is being read */
    char error[768];
} reading;

static bool GB_PRINTF(3, 4) fail(reading *r, gb_status status, const char *format, ...)
{
    va_list words;
    if (r->it.status != GB_OK)
        return false;
    va_start(words, format);
    vsnprintf(r->error, sizeof r->error, format, words);
    va_end(words);
    r->it.status = status;
    return false;
}

static void *keep(reading *r, size_t count, size_t each)
{
    void *const block = gb_arena_take(&r->arena, count * each + 1);
    if (!block)
        fail(r, GB_ENOMEM, "no memory for a file of results");
    return block;
}

/* ---- fields ---- */

static bool wrong(reading *r, const char *name, const char *must_be)
{
    return fail(r, GB_EFILE, "\"%s\" is missing, or is not %s", name, must_be);
}

static bool read_whole(reading *r, gb_json in, const char *name, uint64_t low, uint64_t high, uint64_t *to)
{
    if (gb_json_read_whole(gb_json_member(in, name), to) && *to >= low && *to <= high)
        return true;
    return fail(r, GB_EFILE, "\"%s\" is missing, or is not a whole number from %llu to %llu", name,
                (unsigned long long)low, (unsigned long long)high);
}

static bool read_int64(reading *r, gb_json in, const char *name, int64_t low, int64_t high, int64_t *to)
{
    uint64_t value;
    const bool good = read_whole(r, in, name, (uint64_t)low, (uint64_t)high, &value);
    *to = good ? (int64_t)value : 0;
    return good;
}

static bool read_number(reading *r, gb_json in, const char *name, double *to)
{
    return gb_json_read_number(gb_json_member(in, name), to) || wrong(r, name, "a number or null");
}

static bool read_truth(reading *r, gb_json in, const char *name, bool *to)
{
    return gb_json_read_truth(gb_json_member(in, name), to) || wrong(r, name, "true or false");
}

/* Reads into r->text. */
static bool read_text(reading *r, gb_json in, const char *name, size_t most)
{
    return gb_json_read_text(gb_json_member(in, name), r->text, most) || wrong(r, name, "a text");
}

/* Null, or no member at all, is NULL. */
static bool keep_text(reading *r, gb_json in, const char *name, bool required, const char **to)
{
    const gb_json value = gb_json_member(in, name);
    if (!required && (!value.at || gb_json_kind(value) == 'n'))
        return true;
    if (!read_text(r, in, name, sizeof r->text))
        return false;
    char *const copy = keep(r, strlen(r->text) + 1, 1);
    *to = copy ? strcpy(copy, r->text) : NULL;
    return copy != NULL;
}

static bool read_choice(reading *r, gb_json in, const char *name, size_t count, const char *const *words,
                        size_t *to)
{
    if (!read_text(r, in, name, sizeof r->text))
        return false;
    for (*to = 0; *to < count; ++*to)
        if (strcmp(r->text, words[*to]) == 0)
            return true;
    return fail(r, GB_EFILE, "\"%s\" is \"%.40s\", which is no such choice", name, r->text);
}

/* A list whose elements have that many bytes or more; `count` receives its length. */
static bool read_list(reading *r, gb_json in, const char *name, size_t least, size_t *count, gb_json *to)
{
    *to = gb_json_member(in, name);
    *count = gb_json_kind(*to) == '[' ? gb_json_count(*to) : 0;
    if (gb_json_kind(*to) != '[')
        return wrong(r, name, "a list");
    return *count <= gb_json_bytes(*to) / least || fail(r, GB_EFILE, "\"%s\" has empty elements", name);
}

/* ---- what was asked ---- */

/* The kinds that a problem, an estimator or a bound may have in it. */
static const gb_kind *kind_called(const char *name)
{
    static const gb_kind *const kinds[] = {&gb_problem_kind, &gb_estimator_kind, &gb_baseline_kind,
                                           &gb_bound_kind,   &gb_schedule_kind,  &gb_optimiser_kind,
                                           &gb_family_kind,  &gb_model_kind,     &gb_shrinkage_kind};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

/* A built-in one of the same name would be another one. */
static bool is_here(reading *r, const gb_compare_plugin *p)
{
    const gb_kind *const kind = kind_called(p->kind);
    const gb_plugin *const type = kind ? gb_kind_find(kind, p->name) : NULL;
    if (type && gb_kind_origin(kind, type))
        return true;
    if (!*p->from)
        return fail(r, GB_EFILE,
                    "%s %s was a part of the program that made the results; here there is no such plug-in",
                    p->kind, p->name);
    return fail(r, GB_EFILE, "%s %s is a plug-in of the file %s, which is not loaded; name that file, too",
                p->kind, p->name, p->from);
}

static bool read_plugins(reading *r, gb_json in, gb_comparison *c)
{
    gb_json list, one = {0};
    if (!read_list(r, in, "plugins", LEAST_PLUGIN, &c->plugins, &list))
        return false;
    gb_compare_plugin *const plugin = keep(r, c->plugins, sizeof *plugin);
    if (!plugin)
        return false;
    c->plugin = plugin;
    for (size_t i = 0; (one = gb_json_next(list, one, NULL)).at; i++)
        if (!keep_text(r, one, "kind", true, &plugin[i].kind) ||
            !keep_text(r, one, "name", true, &plugin[i].name) ||
            !keep_text(r, one, "from", true, &plugin[i].from) || !is_here(r, &plugin[i]))
            return false;
    return true;
}

static int shown(gb_json value)
{
    enum { MOST = 40 };
    const size_t bytes = gb_json_bytes(value);
    return bytes < MOST ? (int)bytes : MOST;
}

static bool read_settings(reading *r, gb_json in, gb_comparison *c)
{
    const gb_json settings = gb_json_member(in, "settings");
    gb_json key, value = {0};
    if (gb_json_kind(settings) != '{')
        return wrong(r, "settings", "an object");
    gb_problem_defaults(c->problem, c->setting);
    while ((value = gb_json_next(settings, value, &key)).at) {
        double number;
        if (!gb_json_read_text(key, r->text, 64) || !gb_json_read_number(value, &number) ||
            !gb_problem_set(c->problem, c->setting, r->text, number))
            return fail(r, GB_EFILE, "\"settings\": problem %s has no setting %.*s that may be %.*s",
                        c->problem->name, shown(key), key.at, shown(value), value.at);
    }
    return true;
}

static bool read_problem(reading *r, gb_json in, gb_comparison *c)
{
    if (!read_text(r, in, "problem", sizeof r->text))
        return false;
    c->problem = gb_problem_find(r->text);
    return (c->problem || fail(r, GB_EFILE, "there is no problem %.80s", r->text)) && read_settings(r, in, c);
}

static bool read_bound(reading *r, gb_json in, gb_comparison *c)
{
    char error[256];
    if (!gb_json_member(in, "bound").at)
        return true;
    return read_text(r, in, "bound", MOST_TEXT) && (gb_bound_parse(r->text, &c->bound, error, sizeof error) ||
                                                    fail(r, GB_EFILE, "\"bound\": %s", error));
}

static bool read_options(reading *r, gb_json in, gb_comparison *c)
{
    static const char *const reals[] = {"f64", "f32"}, *const places[] = {"given", "fitted", "path"};
    size_t real, at;
    if (!read_whole(r, in, "seed", 0, UINT64_MAX, &c->seed) ||
        !read_int64(r, in, "draws", 1, GB_COMPARE_MOST_DRAWS, &c->draws) ||
        !read_int64(r, in, "samples", 1, GB_COMPARE_MOST_SAMPLES, &c->samples) ||
        !read_int64(r, in, "steps", 0, GB_COMPARE_MOST_STEPS, &c->steps) ||
        !read_int64(r, in, "batch", 0, GB_COMPARE_MOST_BATCH, &c->batch) ||
        !read_choice(r, in, "dtype", 2, reals, &real) || !read_choice(r, in, "at", 3, places, &at) ||
        !read_truth(r, in, "equal_cost", &c->equal_cost))
        return false;
    c->real = real == 0 ? GB_DOUBLE : GB_FLOAT;
    c->on_path = at == 2;
    c->where = at == 1 ? GB_AT_FITTED : GB_AT_GIVEN;
    return read_bound(r, in, c);
}

static bool read_hash(reading *r, gb_json data, uint64_t *hash)
{
    char *end;
    if (!read_text(r, data, "hash", 17) || strspn(r->text, "0123456789abcdef") != 16 || r->text[16] != '\0')
        return wrong(r, "hash", "16 hexadecimal digits");
    *hash = strtoull(r->text, &end, 16);
    return true;
}

static bool read_machine(reading *r, gb_json in, gb_comparison *c)
{
    uint64_t threads, rows, columns;
    const gb_json data = gb_json_member(in, "data");
    if (!keep_text(r, in, "grebe", true, &c->version) || !keep_text(r, in, "kernels", true, &c->kernels) ||
        !keep_text(r, in, "blas", false, &c->blas) || !read_whole(r, in, "threads", 0, 1 << 20, &threads))
        return false;
    c->threads = (int)threads;
    if (!data.at)
        return true;
    if (!read_whole(r, data, "rows", 1, INT64_MAX, &rows) ||
        !read_whole(r, data, "columns", 1, INT64_MAX, &columns) ||
        !keep_text(r, data, "from", false, &c->data.from))
        return false;
    c->data.rows = (size_t)rows;
    c->data.columns = (size_t)columns;
    return read_hash(r, data, &c->data.hash);
}

/* ---- what came of it ---- */

static bool read_measured(reading *r, gb_json in, gb_measured *m)
{
    return read_number(r, in, "mean", &m->mean) && read_number(r, in, "stderr", &m->stderr_) &&
           read_number(r, in, "variance", &m->variance) &&
           read_number(r, in, "variance_stderr", &m->variance_stderr) &&
           read_number(r, in, "kurtosis", &m->kurtosis) && read_number(r, in, "exact", &m->exact) &&
           read_number(r, in, "z", &m->z) && read_number(r, in, "snr", &m->snr) &&
           read_truth(r, in, "unseen", &m->unseen) && read_truth(r, in, "moving", &m->moving);
}

static bool read_totals(reading *r, gb_json in, gb_compared *e)
{
    return read_int64(r, in, "samples", 0, INT64_C(1000000000000), &e->samples) &&
           read_number(r, in, "evaluations_per_estimate", &e->evaluations) &&
           read_number(r, in, "seconds_per_estimate", &e->seconds) &&
           read_number(r, in, "total_variance", &e->total_variance) &&
           read_number(r, in, "total_variance_stderr", &e->total_variance_stderr) &&
           read_number(r, in, "variance_times_cost", &e->variance_times_cost) &&
           read_number(r, in, "ratio", &e->ratio) && read_number(r, in, "ratio_low", &e->ratio_low) &&
           read_number(r, in, "ratio_high", &e->ratio_high);
}

/* The first estimator with results names the parameters and says where they were; others have the same. */
static bool read_name(reading *r, gb_json in, const gb_comparison *c, const char **names, double *at,
                      size_t i)
{
    if (names)
        return keep_text(r, in, "name", true, &names[i]) && read_number(r, in, "at", &at[i]);
    return read_text(r, in, "name", sizeof r->text) &&
           (strcmp(r->text, c->parameter[i]) == 0 ||
            fail(r, GB_EFILE, "parameter %zu is %.80s, and for an earlier estimator %.80s", i + 1, r->text,
                 c->parameter[i]));
}

static bool read_parameters(reading *r, gb_json in, gb_comparison *c, gb_compared *e)
{
    gb_json list, one = {0};
    size_t count;
    if (!read_list(r, in, "parameters", LEAST_MEASURED, &count, &list))
        return false;
    const bool is_first = count > 0 && c->parameters == 0;
    if (count == 0)
        return true;
    if (!is_first && count != c->parameters)
        return fail(r, GB_EFILE, "%s has %zu parameters, and an earlier estimator %zu", e->name, count,
                    c->parameters);
    gb_measured *const measured = keep(r, count, sizeof *measured);
    const char **const names = is_first ? keep(r, count, sizeof *names) : NULL;
    double *const at = is_first ? keep(r, count, sizeof *at) : NULL;
    if (!measured || (is_first && (!names || !at)))
        return false;
    for (size_t i = 0; (one = gb_json_next(list, one, NULL)).at; i++)
        if (!read_measured(r, one, &measured[i]) || !read_name(r, one, c, names, at, i))
            return false;
    e->parameter = measured;
    c->parameters = count;
    c->parameter = is_first ? names : c->parameter;
    c->at = is_first ? at : c->at;
    return true;
}

static bool read_estimators(reading *r, gb_json in, gb_comparison *c)
{
    gb_json list, one = {0};
    if (!read_list(r, in, "estimators", LEAST_MEASURED, &c->estimators, &list))
        return false;
    if (c->estimators == 0 || c->estimators > MOST_ESTIMATORS)
        return fail(r, GB_EFILE, "%zu estimators; there are from 1 to %d", c->estimators, MOST_ESTIMATORS);
    gb_compared *const all = keep(r, c->estimators, sizeof *all);
    if (!all)
        return false;
    c->estimator = all;
    for (size_t i = 0; (one = gb_json_next(list, one, NULL)).at; i++) {
        all[i].why = "";
        if (!keep_text(r, one, "name", true, &all[i].name) ||
            !keep_text(r, one, "text", true, &all[i].text) || !keep_text(r, one, "why", false, &all[i].why) ||
            !read_totals(r, one, &all[i]) || !read_parameters(r, one, c, &all[i]))
            return false;
    }
    return true;
}

static bool read_comparison(reading *r, gb_json in, gb_comparison *c)
{
    const char *error = NULL;
    c->error = "";
    if (!read_plugins(r, in, c) || !read_problem(r, in, c) || !read_options(r, in, c) ||
        !read_machine(r, in, c) || !read_estimators(r, in, c) || !keep_text(r, in, "error", false, &error))
        return false;
    c->status = error ? GB_EARGUMENT : GB_OK;
    c->error = error ? error : "";
    return true;
}

/* ---- the options, from the first comparison ---- */

/* The name of an estimator is for tables; one that is the text of another estimator would mislead. */
static bool name_fits(reading *r, const char *name, const gb_estimator *one)
{
    gb_estimator named;
    char error[512];
    return !gb_estimator_parse(name, &named, error, sizeof error) || named.type == one->type ||
           fail(r, GB_EFILE, "\"estimators\": estimator %s has the name of another one, %.80s",
                one->type->name, name);
}

static bool parse_estimators(reading *r, const gb_comparison *c)
{
    gb_compare_options *const with = &r->it.with;
    gb_estimator *const all = keep(r, c->estimators, sizeof *all);
    const char **const names = keep(r, c->estimators, sizeof *names);
    char error[512];
    if (!all || !names)
        return false;
    for (size_t i = 0; i < c->estimators; i++) {
        names[i] = c->estimator[i].name;
        if (strchr(c->estimator[i].text, '?'))
            return fail(r, GB_EFILE, "%.200s: an option without a text form cannot be read from a file",
                        c->estimator[i].text);
        if (!gb_estimator_parse(c->estimator[i].text, &all[i], error, sizeof error))
            return fail(r, GB_EFILE, "\"estimators\": %s", error);
        if (!name_fits(r, names[i], &all[i]))
            return false;
    }
    with->estimators = c->estimators;
    with->estimator = all;
    with->names = names;
    return true;
}

/* All but the swept one. The places of a path are steps, and no setting. */
static bool take_settings(reading *r, const gb_comparison *c)
{
    gb_compare_setting *const all = keep(r, GB_PROBLEM_SETTINGS, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; all && i < GB_PROBLEM_SETTINGS && c->problem->settings[i].name; i++) {
        const char *const name = c->problem->settings[i].name;
        if (r->it.is_path || !r->it.setting || strcmp(name, r->it.setting) != 0)
            all[count++] = (gb_compare_setting){.name = name, .value = c->setting[i]};
    }
    r->it.with.settings = count;
    r->it.with.setting = all;
    return all;
}

static bool take_options(reading *r)
{
    const gb_comparison *const c = r->it.comparison;
    r->it.is_path = c->on_path;
    if (r->it.is_path && !r->it.setting)
        return fail(r, GB_EFILE, "\"at\" is \"path\", but there are no places");
    r->it.with = (gb_compare_options){.size = sizeof(gb_compare_options),
                                      .problem = c->problem,
                                      .draws = c->draws,
                                      .samples = c->samples,
                                      .seed = c->seed,
                                      .real = c->real,
                                      .equal_cost = c->equal_cost,
                                      .at = c->where,
                                      .steps = c->steps,
                                      .bound = c->bound,
                                      .batch = c->batch};
    return take_settings(r, c) && parse_estimators(r, c);
}

/* ---- a sweep ---- */

/* All points of a sweep were asked the same, but for the setting. */
static bool is_alike(reading *r, size_t point)
{
    const gb_comparison *const a = r->it.comparison, *const b = a + point;
    bool alike = a->problem == b->problem && a->seed == b->seed && a->draws == b->draws &&
                 a->samples == b->samples && a->real == b->real && a->equal_cost == b->equal_cost &&
                 a->where == b->where && a->on_path == b->on_path && a->steps == b->steps &&
                 a->batch == b->batch && a->bound.type == b->bound.type &&
                 gb_options_same(&a->bound.options, &b->bound.options) && a->data.hash == b->data.hash &&
                 a->estimators == b->estimators;
    for (size_t i = 0; alike && i < a->estimators; i++)
        alike = strcmp(a->estimator[i].text, b->estimator[i].text) == 0;
    return alike ||
           fail(r, GB_EFILE, "comparison %zu of the sweep has other options than the first", point + 1);
}

static bool read_values(reading *r, gb_json sweep)
{
    gb_json list, one = {0};
    if (!keep_text(r, sweep, "setting", true, &r->it.setting) ||
        !read_list(r, sweep, "values", 1, &r->it.points, &list))
        return false;
    double *const values = keep(r, r->it.points, sizeof *values);
    r->it.value = values;
    for (size_t i = 0; values && (one = gb_json_next(list, one, NULL)).at; i++)
        if (!gb_json_read_number(one, &values[i]) || !isfinite(values[i]))
            return wrong(r, "values", "a list of numbers");
    return values;
}

static bool read_points(reading *r, gb_json in)
{
    gb_json list, one = {0};
    size_t count;
    if (!read_list(r, in, "comparisons", LEAST_COMPARISON, &count, &list))
        return false;
    if (count == 0 || count != r->it.points)
        return fail(r, GB_EFILE, "%zu comparisons, and a sweep of %zu points: it was not finished", count,
                    r->it.points);
    gb_comparison *const all = keep(r, count, sizeof *all);
    if (!all)
        return false;
    r->it.comparison = all;
    r->it.comparisons = count;
    for (size_t i = 0; (one = gb_json_next(list, one, NULL)).at; i++)
        if (!read_comparison(r, one, &all[i]) || !is_alike(r, i))
            return false;
    return true;
}

/* ---- a race ---- */

static bool read_figure(reading *r, gb_json in, const char *name, gb_figure *f)
{
    double *const to[] = {&f->value, &f->error, &f->low, &f->high};
    gb_json list, one = {0};
    size_t count, i = 0;
    if (!read_list(r, in, name, 1, &count, &list))
        return false;
    while (count == 4 && (one = gb_json_next(list, one, NULL)).at)
        if (!gb_json_read_number(one, to[i++]))
            return wrong(r, name, "a list of numbers");
    return count == 4 || wrong(r, name, "a list of four numbers");
}

static bool read_race_points(reading *r, gb_json in, gb_racing *race, gb_raced *raced, int64_t **step)
{
    gb_json list, one = {0};
    size_t count;
    if (!read_list(r, in, "points", LEAST_RACE_POINT, &count, &list))
        return false;
    if (count == 0)
        return true;
    if (count != race->points)
        return fail(r, GB_EFILE, "%s has %zu points, and not %zu", raced->name, count, race->points);
    gb_race_point *const point = keep(r, count, sizeof *point);
    raced->point = point;
    *step = *step ? *step : keep(r, count, sizeof **step);
    race->step = *step;
    for (size_t i = 0; point && *step && (one = gb_json_next(list, one, NULL)).at; i++)
        if (!read_int64(r, one, "step", 0, GB_COMPARE_MOST_STEPS, *step + i) ||
            !read_figure(r, one, "value", &point[i].value) ||
            !read_figure(r, one, "seconds", &point[i].seconds))
            return false;
    return point && *step;
}

static bool read_raced(reading *r, gb_json in, gb_comparison *asked, gb_racing *race)
{
    gb_json list, one = {0};
    if (!read_list(r, in, "estimators", LEAST_RACED, &race->estimators, &list))
        return false;
    if (race->estimators == 0 || race->estimators > MOST_ESTIMATORS)
        return fail(r, GB_EFILE, "%zu estimators; there are from 1 to %d", race->estimators, MOST_ESTIMATORS);
    gb_compared *const texts = keep(r, race->estimators, sizeof *texts);
    gb_raced *const raced = keep(r, race->estimators, sizeof *raced);
    int64_t *step = NULL;
    if (!texts || !raced)
        return false;
    asked->estimator = texts;
    asked->estimators = race->estimators;
    race->estimator = raced;
    for (size_t i = 0; (one = gb_json_next(list, one, NULL)).at; i++)
        if (!keep_text(r, one, "name", true, &raced[i].name) ||
            !keep_text(r, one, "text", true, &texts[i].text) ||
            !keep_text(r, one, "why", true, &raced[i].why) ||
            !read_int64(r, one, "failed", 0, GB_COMPARE_MOST_SEEDS, &raced[i].failed) ||
            !read_race_points(r, one, race, &raced[i], &step))
            return false;
    for (size_t i = 0; i < race->estimators; i++)
        texts[i] = (gb_compared){.name = raced[i].name, .text = texts[i].text, .why = ""};
    return true;
}

static bool read_race_numbers(reading *r, gb_json in, gb_racing *race)
{
    int64_t points;
    if (!read_truth(r, in, "rises", &race->rises) || !read_truth(r, in, "exact", &race->is_exact) ||
        !read_int64(r, in, "trainings", 1, GB_COMPARE_MOST_SEEDS, &race->seeds) ||
        !read_int64(r, in, "places", 2, 10000, &points) || !read_number(r, in, "rate", &race->rate))
        return false;
    race->points = (size_t)points;
    return (race->rate > 0 && isfinite(race->rate)) || wrong(r, "rate", "a number above 0");
}

/* The options of a race are those of a comparison, and three more. */
static bool take_race(reading *r, gb_racing *race)
{
    gb_race_options *const o = keep(r, 1, sizeof *o);
    if (!o || !take_options(r))
        return false;
    const gb_compare_options *const with = &r->it.with;
    *o = (gb_race_options){.size = sizeof *o,
                           .estimators = gb_estimators_of(with->estimators, with->estimator),
                           .names = with->names,
                           .seeds = race->seeds,
                           .seed = with->seed,
                           .steps = with->steps,
                           .points = (int64_t)race->points,
                           .draws = with->draws,
                           .problem = with->problem,
                           .settings = with->settings,
                           .setting = with->setting,
                           .samples = with->samples,
                           .rate = race->rate,
                           .real = with->real,
                           .bound = with->bound,
                           .batch = with->batch};
    race->draws = with->draws;
    race->asked = r->it.comparison;
    race->what = with->problem->formula;
    r->it.race = o;
    r->it.racing = race;
    return true;
}

static bool read_race(reading *r, gb_json in)
{
    const char *error = NULL;
    gb_comparison *const asked = keep(r, 1, sizeof *asked);
    gb_racing *const race = keep(r, 1, sizeof *race);
    if (!asked || !race)
        return false;
    if (!gb_json_member(in, "problem").at)
        return fail(r, GB_EFILE, "\"problem\" is missing: trainings of a model are not repeated from a file");
    r->it.comparison = asked;
    r->it.points = 1;
    asked->error = "";
    if (!read_plugins(r, in, asked) || !read_problem(r, in, asked) || !read_options(r, in, asked) ||
        !read_machine(r, in, asked) || !read_race_numbers(r, in, race) || !read_raced(r, in, asked, race) ||
        !keep_text(r, in, "error", false, &error))
        return false;
    race->status = error ? GB_EARGUMENT : GB_OK;
    race->error = error ? error : "";
    return take_race(r, race);
}

/* ---- the whole ---- */

static bool read_one(reading *r, gb_json in)
{
    gb_comparison *const one = keep(r, 1, sizeof *one);
    r->it.comparison = one;
    r->it.comparisons = r->it.points = 1;
    return one && read_comparison(r, in, one) && take_options(r);
}

static bool read_sweep(reading *r, gb_json in)
{
    return read_values(r, gb_json_member(in, "sweep")) && read_points(r, in) && take_options(r);
}

/* By its schema. A later version of one may mean something else by the same words. */
static bool read_all(reading *r, gb_json in)
{
    static const struct {
        const char *schema;
        bool (*read)(reading *r, gb_json in);
    } all[] = {{"grebe-comparison-1", read_one}, {"grebe-sweep-1", read_sweep}, {"grebe-race-1", read_race}};
    const gb_json schema = gb_json_member(in, "schema");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (gb_json_is_text(schema, all[i].schema))
            return all[i].read(r, in);
    return fail(r, GB_EFILE, "\"schema\" is %s%.*s; this grebe reads %s, %s and %s",
                schema.at ? "" : "missing", shown(schema), schema.at ? schema.at : "", all[0].schema,
                all[1].schema, all[2].schema);
}

static bool no_json(reading *r, const char *text, size_t at, const char *why)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        line += text[i] == '\n';
        column = text[i] == '\n' ? 1 : column + 1;
    }
    return fail(r, GB_EFILE, "line %zu, column %zu: %s", line, column, why);
}

/* Keeps the text, with which a text that is made again is compared. */
static bool read_whole_text(reading *r, const char *text, size_t bytes)
{
    const char *why;
    char fault[512];
    size_t at;
    if (!gb_json_of(text, bytes, &at, &why).at)
        return no_json(r, text, at, why);
    char *const copy = keep(r, bytes, 1);
    if (!copy)
        return false;
    memcpy(copy, text, bytes);
    r->whole = gb_json_of(copy, bytes, &at, &why);
    return read_all(r, r->whole) &&
           (!gb_results_fault(r->whole, sizeof fault, fault) || fail(r, GB_EFILE, "%s", fault));
}

gb_stored *gb_stored_read_with(const char *text, size_t bytes, const gb_stored_read_options *options)
{
    gb_stored_read_options own;
    const bool fits = gb_options_copy(&own, sizeof own, options);
    const gb_memory memory = own.memory ? *own.memory : (gb_memory){0};
    reading *const r = gb_memory_resize(&memory, NULL, sizeof *r);
    if (!r)
        return NULL;
    *r = (reading){.memory = memory};
    r->arena.memory = &r->memory;
    r->it.error = r->error;
    if (!fits || !text)
        fail(r, GB_EARGUMENT, !text ? "no text was given" : "the options struct has no size");
    else
        read_whole_text(r, text, bytes);
    if (r->it.status != GB_OK)
        r->it = (gb_stored){.status = r->it.status, .error = r->error};
    return &r->it;
}

gb_json gb_stored_json(const gb_stored *stored)
{
    return stored && stored->status == GB_OK ? ((const reading *)stored)->whole : (gb_json){0};
}

void gb_stored_free(gb_stored *stored)
{
    reading *const r = (reading *)stored;
    if (!r)
        return;
    const gb_memory memory = r->memory;
    gb_arena_free(&r->arena);
    gb_memory_release(&memory, r);
}
