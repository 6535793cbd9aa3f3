/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of results: what is written is read, made again and found the same; what is damaged is rejected. */
#include "support/close.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/stored.h"
#include "core/version.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/elementwise.h"
#include "plugins/bundle.h"
#include "support/counted_memory.h"
#include "support/files.h"

/* ---- texts ---- */

static char *json_of(const gb_comparison *c, const gb_sweep *s)
{
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_int_equal(s ? gb_sweep_json(s, file) : gb_comparison_json(c, file), GB_OK);
    fclose(file);
    return text;
}

/* Replaces one part of a text by another; the caller frees the result. */
static char *changed(const char *text, const char *from, const char *to)
{
    const char *const at = strstr(text, from);
    if (!at)
        fail_msg("no %s in %s", from, text);
    char *const copy = calloc(strlen(text) + strlen(to) + 1, 1);
    memcpy(copy, text, (size_t)(at - text));
    strcat(strcat(copy, to), at + strlen(from));
    return copy;
}

static gb_stored *good(const char *text)
{
    gb_stored *const s = gb_stored_read(text, strlen(text));
    assert_non_null(s);
    if (s->status != GB_OK)
        fail_msg("%s", s->error);
    assert_string_equal(s->error, "");
    return s;
}

static void rejected(const char *text, const char *words)
{
    gb_stored *const s = gb_stored_read(text, strlen(text));
    assert_non_null(s);
    if (s->status != GB_EFILE || !strstr(s->error, words))
        fail_msg("\"%s\" should contain \"%s\"", s->error, words);
    assert_null(s->comparison);
    gb_stored_free(s);
}

/* ---- a comparison with all that there is ---- */

static const double X[] = {0.5, -1, 1.5, 0.3, -0.7}, Y[] = {1, 1, 0, 0, 1};
static const gb_problem_data DATA = {.rows = 5, .columns = 1, .x = X, .y = Y, .from = "a \"file\"\n"};

static gb_comparison *with_data(void)
{
    const gb_estimator all[] = {gb_pathwise(), gb_score(.baseline = gb_leave_one_out()), gb_arm()};
    return gb_compare(.problem = gb_problem_find("logistic"), .estimators = 3, .estimator = all,
                      .names = (const char *const[]){"one", NULL, "\u00e9\t\"\\"}, .settings = 1,
                      .setting = (gb_compare_setting[]){{"bias", 0}}, .draws = 40, .samples = 3,
                      .seed = UINT64_MAX, .threads = 1, .real = GB_FLOAT, .equal_cost = true,
                      .at = GB_AT_FITTED, .steps = 30, .data = &DATA, .batch = 2);
}

TEST(what_is_written_is_read_and_makes_the_same_again)
{
    gb_comparison *const c = with_data();
    char *const text = json_of(c, NULL);
    gb_stored *const s = good(text);
    const gb_comparison *const r = s->comparison;
    assert_int_equal(s->comparisons, 1);
    assert_null(s->setting);
    assert_ptr_equal(r->problem, c->problem);
    assert_memory_equal(r->setting, c->setting, sizeof r->setting);
    assert_true(r->seed == UINT64_MAX && r->draws == 40 && r->samples == 3 && r->steps == 30 &&
                r->batch == 2);
    assert_true(r->real == GB_FLOAT && r->equal_cost && r->where == GB_AT_FITTED && r->threads == 1);
    assert_string_equal(r->version, gb_version());
    assert_string_equal(r->kernels, gb_kernels());
    assert_true(r->data.rows == 5 && r->data.columns == 1 && r->data.hash == c->data.hash);
    assert_string_equal(r->data.from, "a \"file\"\n");
    assert_int_equal(r->status, GB_EARGUMENT); /* arm does not fit */
    assert_string_equal(r->error, c->error);
    assert_string_equal(r->estimator[1].text, "score:baseline=leave_one_out");
    assert_string_equal(r->estimator[1].name, "score");
    assert_string_equal(r->estimator[2].name, c->estimator[2].name);
    assert_null(r->estimator[2].parameter);
    assert_string_equal(r->parameter[1], "rho[0]");
    assert_true(s->with.threads == 0 && !s->with.data);
    gb_compare_options with = s->with;
    with.data = &DATA;
    gb_comparison *const again = gb_compare_with(&with);
    char *const now = json_of(again, NULL);
    const gb_agreement a = gb_stored_agreement(s, now, strlen(now));
    if (a.status != GB_OK || !a.is_same || !a.same_bits || !a.promised)
        fail_msg("%s", a.words);
    assert_string_equal(a.words, "the same: all 55 numbers have the same bits");
    free(now);
    gb_comparison_free(again);
    gb_stored_free(s);
    free(text);
    gb_comparison_free(c);
}

TEST(a_path_is_read_and_makes_the_same_again)
{
    gb_sweep *const w =
        gb_compare_path(.problem = gb_problem_find("gauss-exp"), .estimators = 1,
                        .estimator = (gb_estimator[]){gb_pathwise()}, .draws = 50, .steps = 18, .threads = 1);
    char *text = json_of(NULL, w);
    gb_stored *const s = good(text);
    assert_true(s->is_path);
    assert_int_equal(s->comparisons, w->points);
    assert_int_equal(s->with.steps, 18);
    gb_sweep *const again = gb_compare_path_with(&s->with);
    assert_int_equal(again->points, w->points);
    char *const now = json_of(NULL, again);
    assert_true(gb_stored_agreement(s, now, strlen(now)).same_bits);
    free(now);
    gb_sweep_free(again);
    gb_stored_free(s);
    free(text);
    text = json_of(w->point[0], NULL);
    rejected(text, "\"at\" is \"path\", but there are no places");
    free(text);
    gb_sweep_free(w);
}

/* A setting may have the name that the places of a path have. */
TEST(a_sweep_along_a_setting_named_step_is_no_path)
{
    static gb_problem stairs;
    stairs = *gb_problem_find("gauss-exp");
    stairs.name = "stairs";
    size_t which = 0;
    while (strcmp(stairs.settings[which].name, "k") != 0)
        which++;
    stairs.settings[which].name = "step";
    const gb_bundle_member member = {&gb_problem_kind, &stairs};
    const gb_bundle bundle = GB_BUNDLE(1, &member);
    assert_int_equal(gb_bundle_add(&bundle, NULL, NULL, 0), GB_OK);
    const gb_compare_options o = {.size = sizeof o,
                                  .problem = &stairs,
                                  .estimators = 1,
                                  .estimator = (gb_estimator[]){gb_pathwise()},
                                  .draws = 20,
                                  .threads = 1};
    gb_sweep *const w = gb_compare_sweep_with("step", 3, (const double[]){0, 1, 2}, &o);
    char *const text = json_of(NULL, w);
    gb_stored *const s = good(text);
    assert_true(!s->is_path && strcmp(s->setting, "step") == 0);
    assert_true(s->value[1] == 1);
    gb_stored_free(s);
    free(text);
    gb_sweep_free(w);
}

TEST(trainings_of_a_model_are_rejected)
{
    rejected("{\"schema\": \"grebe-race-1\", \"trainings\": 5}",
             "\"problem\" is missing: trainings of a model are not repeated");
}

TEST(files_of_other_schemas_are_rejected)
{
    static const char *const schemas[] = {"\"grebe-sweep-2\"", "\"grebe-watch-1\"", "1", "null"};
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        char text[100], words[100];
        snprintf(text, sizeof text, "{\"schema\": %s, \"sweep\": {}}", schemas[i]);
        snprintf(words, sizeof words, "\"schema\" is %s; this grebe reads grebe-comparison-1", schemas[i]);
        rejected(text, words);
    }
    rejected("{\"sweep\": {}}", "\"schema\" is missing; this grebe reads");
}

/* ---- a race ---- */

static char *json_of_race(const gb_racing *r)
{
    char *text = NULL;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_int_equal(gb_racing_json(r, file), GB_OK);
    fclose(file);
    return text;
}

static gb_racing *race_with_data(void)
{
    return gb_race(.problem = gb_problem_find("logistic"),
                   .estimators =
                       GB_ESTIMATORS(gb_pathwise(), gb_score(.baseline = gb_leave_one_out()), gb_arm()),
                   .names = (const char *const[]){"one", NULL, "\u00e9\t\"\\"}, .settings = 1,
                   .setting = (gb_compare_setting[]){{"bias", 0}}, .seeds = 2, .steps = 30, .points = 4,
                   .draws = 50, .samples = 3, .seed = UINT64_MAX - 9, .threads = 1, .real = GB_FLOAT,
                   .rate = 0.02, .data = &DATA, .batch = 2);
}

TEST(a_race_is_read_and_makes_the_same_again)
{
    gb_racing *const race = race_with_data();
    char *const text = json_of_race(race);
    gb_stored *const s = good(text);
    const gb_racing *const r = s->racing;
    assert_true(s->race && r && s->comparisons == 0);
    assert_true(s->race->seeds == 2 && s->race->steps == 30 && s->race->points == 4 && s->race->rate == 0.02);
    assert_true(s->race->draws == 50 && s->race->samples == 3 && s->race->seed == UINT64_MAX - 9);
    assert_true(s->race->real == GB_FLOAT && s->race->batch == 2);
    assert_true(r->estimators == 3 && r->points == 4 && r->seeds == 2 && r->is_exact == race->is_exact);
    assert_string_equal(r->estimator[2].name, race->estimator[2].name);
    assert_string_equal(r->estimator[2].why, race->estimator[2].why);
    assert_true(!r->estimator[2].point && !r->estimator[0].value);
    assert_true(r->estimator[1].point[3].value.value == race->estimator[1].point[3].value.value);
    assert_int_equal(r->step[2], race->step[2]);
    gb_race_options with = *s->race;
    with.data = &DATA;
    with.threads = 1;
    gb_racing *const again = gb_race_with(&with);
    char *const now = json_of_race(again);
    const gb_agreement a = gb_stored_agreement(s, now, strlen(now));
    if (!a.is_same || !a.same_bits || !a.promised)
        fail_msg("%s", a.words);
    free(now);
    FILE *const file = tmpfile();
    assert_int_equal(gb_racing_csv(r, file), GB_OK);
    assert_int_equal(gb_racing_svg(r, file), GB_OK);
    assert_int_equal(gb_racing_print(r, file), GB_OK);
    fclose(file);
    gb_racing_free(again);
    gb_stored_free(s);
    free(text);
    gb_racing_free(race);
}

TEST(a_hash_is_of_all_numbers)
{
    double x[] = {1, 2, 3, 4}, y[] = {5, 6};
    const gb_problem_data d = {.rows = 2, .columns = 2, .x = x, .y = y};
    const uint64_t hash = gb_compare_data_of(&d).hash;
    assert_true(gb_compare_data_of(&d).hash == hash);
    for (size_t i = 0; i < 6; i++) {
        double *const at = i < 4 ? &x[i] : &y[i - 4], before = *at;
        *at = nextafter(before, 9);
        assert_true(gb_compare_data_of(&d).hash != hash);
        *at = before;
    }
    assert_int_equal(gb_compare_data_of(NULL).rows, 0);
}

TEST(a_sweep_is_read_with_its_points)
{
    const double values[] = {0.5, -2, 3};
    gb_sweep *const w =
        gb_compare_sweep("k", 3, values, .problem = gb_problem_find("gauss-square"), .estimators = 1,
                         .estimator = (gb_estimator[]){gb_pathwise()}, .settings = 1,
                         .setting = (gb_compare_setting[]){{"mu", 2}}, .draws = 50, .threads = 1);
    char *const text = json_of(NULL, w);
    gb_stored *const s = good(text);
    assert_string_equal(s->setting, "k");
    assert_int_equal(s->points, 3);
    assert_int_equal(s->comparisons, 3);
    assert_memory_equal(s->value, values, sizeof values);
    assert_int_equal(s->with.settings, 2); /* mu and sigma, not k */
    gb_sweep *const again = gb_compare_sweep_with(s->setting, s->points, s->value, &s->with);
    assert_int_equal(again->status, GB_OK);
    char *const now = json_of(NULL, again);
    assert_true(gb_stored_agreement(s, now, strlen(now)).same_bits);
    free(now);
    char *const other = changed(text, "\"seed\": 0", "\"seed\": 1");
    rejected(other, "comparison 2 of the sweep has other options than the first");
    char *const short_one = changed(text, "\"values\": [0.5, ", "\"values\": [");
    rejected(short_one, "3 comparisons, and a sweep of 2 points");
    free(other);
    free(short_one);
    gb_sweep_free(again);
    gb_stored_free(s);
    gb_sweep_free(w);
    free(text);
}

/* ---- damage ---- */

static char *small(void)
{
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-evidence"), .estimators = 2,
                                        .estimator = (gb_estimator[]){gb_pathwise(), gb_score()}, .draws = 20,
                                        .threads = 1, .bound = gb_iwae(.draws = 3));
    assert_string_equal(c->error, "");
    char *const text = json_of(c, NULL);
    gb_comparison_free(c);
    return text;
}

static char *small_race(void)
{
    gb_racing *const r = gb_race(.problem = gb_problem_find("gauss-evidence"),
                                 .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()), .seeds = 2,
                                 .steps = 9, .points = 4, .threads = 1, .bound = gb_iwae(.draws = 3));
    assert_string_equal(r->error, "");
    char *const text = json_of_race(r);
    gb_racing_free(r);
    return text;
}

static const struct kind_of_file {
    const char *name;
    char *(*text)(void);
} files[] = {{"a comparison", small}, {"a race", small_race}};

/* The members of the text, at any depth, each without its name in turn. */
TEST_EACH(every_field_is_missed, files)
{
    const struct kind_of_file *const kind = row;
    static const char *const optional[] = {"bound", "blas", "data", "error", "at", "figures", "what"};
    char *const text = kind->text();
    size_t fields = 0;
    for (char *at = text; (at = strstr(at, "\": ")); at++) {
        char *begin = at;
        while (begin[-1] != '"')
            begin--;
        const size_t length = (size_t)(at - begin);
        bool may_lack = strncmp(begin, "noise", length) == 0 || strncmp(begin, "sigma", length) == 0 ||
                        strncmp(begin, "mu", length) == 0 || strncmp(begin, "y", length) == 0;
        for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
            may_lack |= strlen(optional[i]) == length && strncmp(begin, optional[i], length) == 0;
        const char before = *begin;
        *begin = '!';
        gb_stored *const s = gb_stored_read(text, strlen(text));
        if (may_lack ? s->status != GB_OK && s->status != GB_EFILE : s->status != GB_EFILE)
            fail_msg("without %.*s: %s", (int)length, begin, s->error);
        if (!may_lack && !strstr(s->error, "is missing"))
            fail_msg("without %.*s: %s", (int)length, begin, s->error);
        gb_stored_free(s);
        *begin = before;
        fields++;
    }
    assert_true(fields > 50);
    free(text);
}

TEST_EACH(a_text_that_is_cut_anywhere_is_rejected_with_its_place, files)
{
    const struct kind_of_file *const kind = row;
    char *const text = kind->text();
    const size_t length = strlen(text);
    for (size_t i = 0; i + 2 < length; i++) {
        char *const piece = calloc(i + 1, 1); /* of its own length, so that a sanitizer sees what is beyond */
        memcpy(piece, text, i);
        gb_stored *const s = gb_stored_read(piece, i);
        if (s->status != GB_EFILE || !strstr(s->error, "JSON is expected"))
            fail_msg("%zu bytes: %s", i, s->error);
        gb_stored_free(s);
        free(piece);
    }
    char place[64];
    size_t line = 1;
    for (size_t i = 0; i < length - 10; i++)
        line += text[i] == '\n';
    text[length - 10] = '\0';
    snprintf(place, sizeof place, "line %zu, column ", line);
    rejected(text, place);
    free(text);
}

TEST(no_json_is_rejected)
{
    static const char *const wrong[] = {"",
                                        "[]",
                                        "7",
                                        "{\"a\": 01}",
                                        "{\"a\": .5}",
                                        "{\"a\"}",
                                        "{\"a\": 1,}",
                                        "{\"a\" 1}",
                                        "{'a': 1}",
                                        "{\"a\": nan}",
                                        "{} {}",
                                        "{\"a\": +1}",
                                        "{\"a\": 1.}",
                                        "{\"a\": 1e}",
                                        "{\"a\": \"\\x\"}",
                                        "{\"a\": \"\\u12g4\"}",
                                        "{\"a\": \"\n\"}",
                                        "{\"a\": tru}",
                                        "{"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        rejected(wrong[i], "JSON is expected");
    char deep[400] = "{\"a\": ";
    for (int i = 0; i < 80; i++)
        strcat(deep, "[1,");
    rejected(deep, "JSON is expected");
    rejected("{\"schema\": \"grebe-comparison-1\"}", "\"plugins\" is missing, or is not a list");
    gb_stored *const s = gb_stored_read(NULL, 0);
    assert_int_equal(s->status, GB_EARGUMENT);
    gb_stored_free(s);
    const gb_stored_read_options none = {0};
    gb_stored *const n = gb_stored_read_with("{}", 2, &none);
    assert_int_equal(n->status, GB_EARGUMENT);
    gb_stored_free(n);
    gb_stored_free(NULL);
}

TEST(values_of_a_race_outside_their_ranges_are_rejected)
{
    static const char *const wrong[][3] = {
        {"\"trainings\": 2", "\"trainings\": 0", "\"trainings\""},
        {"\"places\": 4", "\"places\": 1", "\"places\""},
        {"\"places\": 4", "\"places\": 5", "pathwise has 4 points, and not 5"},
        {"\"rate\": ", "\"rate\": -", "\"rate\""},
        {"\"failed\": 0", "\"failed\": -1", "\"failed\""},
        {"\"value\": [", "\"value\": [1, ", "a list of four numbers"},
        {"\"value\": [", "\"value\": [\"x\", ", "a list of four numbers"},
        {"\"step\": 3", "\"step\": 3.5", "\"step\""},
        {"\"rises\": true", "\"rises\": 1", "\"rises\""},
        {"\"points\": [\n", "\"points\": [{}, {}, {}], \"p\": [\n", "\"points\" has empty elements"},
        {"\"text\": \"score\"", "\"text\": \"scre\"", "there is no estimator scre"},
        {"\"estimators\": [", "\"estimators\": [], \"e\": [", "0 estimators; there are from 1"}};
    char *const text = small_race();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *const other = changed(text, wrong[i][0], wrong[i][1]);
        rejected(other, wrong[i][2]);
        free(other);
    }
    free(text);
}

TEST(values_outside_their_ranges_are_rejected)
{
    static const char *const wrong[][3] = {
        {"\"seed\": 0", "\"seed\": 18446744073709551616", "\"seed\""},
        {"\"seed\": 0", "\"seed\": -1", "\"seed\""},
        {"\"seed\": 0", "\"seed\": 1.5", "\"seed\""},
        {"\"draws\": 20", "\"draws\": 0", "\"draws\""},
        {"\"draws\": 20", "\"draws\": 10000000001", "\"draws\""},
        {"\"samples\": 1,", "\"samples\": 1000001,", "\"samples\""},
        {"\"steps\": 0", "\"steps\": 100000001", "\"steps\""},
        {"\"batch\": 0", "\"batch\": 4000000000", "\"batch\""},
        {"\"dtype\": \"f64\"", "\"dtype\": \"f16\"", "\"dtype\" is \"f16\""},
        {"grebe-comparison-1", "grebe-comparison-2",
         "\"schema\" is \"grebe-comparison-2\"; this grebe reads grebe-comparison-1, grebe-sweep-1 and"},
        {"\"at\": \"given\"", "\"at\": \"home\"", "\"at\" is \"home\""},
        {"\"at\": \"given\"", "\"at\": 0", "\"at\""},
        {"\"equal_cost\": false", "\"equal_cost\": 0", "\"equal_cost\""},
        {"\"problem\": \"gauss-evidence\"", "\"problem\": \"gauss\"", "there is no problem gauss"},
        {"\"sigma\": 0.5", "\"sigma\": -1", "problem gauss-evidence has no setting \"sigma\" that may be -1"},
        {"\"sigma\": 0.5", "\"sigma\": null", "has no setting \"sigma\" that may be null"},
        {"\"sigma\": 0.5", "\"tau\": 0.5", "has no setting \"tau\""},
        {"\"bound\": \"iwae:draws=3\"", "\"bound\": \"iwae:drws=3\"", "did you mean draws?"},
        {"\"text\": \"score\"", "\"text\": \"scre\"", "there is no estimator scre; did you mean score?"},
        {"\"text\": \"score\"", "\"text\": \"relax:surrogate=?\"", "without a text form"},
        {"\"mean\": ", "\"mean\": \"x\", \"m\": ", "\"mean\""},
        {"\"unseen\": false", "\"unseen\": null", "\"unseen\""},
        {"\"parameters\": [\n     {", "\"parameters\": [{}, {}, {}], \"p\": [\n     {",
         "\"parameters\" has empty elements"},
        {"\"plugins\": []", "\"plugins\": [1,2,3,4,5,6,7,8,9,10]", "\"plugins\" has empty elements"},
        {"\"plugins\": []",
         "\"plugins\": [{\"kind\": \"estimator\", \"name\": \"mine\", \"from\": \"./a.so\"}]",
         "estimator mine is a plug-in of the file ./a.so, which is not loaded; name that file, too"},
        {"\"plugins\": []",
         "\"plugins\": [{\"kind\": \"estimator\", \"name\": \"score\", \"from\": \"./a.so\"}]",
         "estimator score is a plug-in of the file ./a.so"}, /* and not the built-in one */
        {"\"plugins\": []", "\"plugins\": [{\"kind\": \"widget\", \"name\": \"mine\", \"from\": \"./a.so\"}]",
         "widget mine"},
        {"\"plugins\": []", "\"plugins\": [{\"kind\": \"problem\", \"name\": \"mine\", \"from\": \"\"}]",
         "problem mine was a part of the program"},
        {",\n \"plugins\"",
         ",\n \"data\": {\"rows\": 3, \"columns\": 1, \"hash\": \"12\", \"from\": null},\n \"plugins\"",
         "16 hexadecimal digits"}};
    char *const text = small();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *const other = changed(text, wrong[i][0], wrong[i][1]);
        rejected(other, wrong[i][2]);
        free(other);
    }
    free(text);
}

/* Whatever one letter becomes: no crash, and a status with words. */
TEST_EACH(a_letter_that_is_another_is_read_or_rejected, files)
{
    const struct kind_of_file *const kind = row;
    static const char letters[] = "\0\"\\{}[],:0-9aE.n\x80\xff";
    char *const text = kind->text();
    const size_t length = strlen(text);
    size_t read = 0;
    for (size_t i = 0; i < length; i++)
        for (size_t k = 0; k < sizeof letters - 1; k += 3) {
            const char before = text[i];
            text[i] = letters[(i + k) % (sizeof letters - 1)];
            gb_stored *const s = gb_stored_read(text, length);
            assert_true(s->status == GB_OK ? !*s->error : s->status == GB_EFILE && *s->error);
            read += s->status == GB_OK;
            gb_stored_free(s);
            text[i] = before;
        }
    assert_true(read > 0);
    free(text);
}

/* ---- memory ---- */

TEST_EACH(lack_of_memory_is_reported_and_loses_nothing, files)
{
    const struct kind_of_file *const kind = row;
    char *const text = kind->text();
    counted_memory m = {0};
    size_t most = 0;
    for (size_t fail = 1; most == 0 || fail <= most; fail++) {
        m = (counted_memory){.fail_at = most == 0 ? 0 : fail};
        const gb_memory memory = counted(&m);
        gb_stored *const s = gb_stored_read(text, strlen(text), .memory = &memory);
        if (most == 0) {
            assert_int_equal(s->status, GB_OK);
            most = m.asked;
            fail = 0;
        } else if (s)
            assert_int_equal(s->status, GB_ENOMEM);
        gb_stored_free(s);
        assert_int_equal(m.outstanding, 0);
    }
    assert_true(most >= 2);
    free(text);
}

/* ---- agreement ---- */

static char *simple(void)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 2,
                   .estimator = (gb_estimator[]){gb_pathwise(), gb_score()}, .draws = 1000, .threads = 1);
    char *const text = json_of(c, NULL);
    gb_comparison_free(c);
    return text;
}

static char *simple_sweep(void)
{
    const double values[] = {0, 1};
    gb_sweep *const w =
        gb_compare_sweep("k", 2, values, .problem = gb_problem_find("gauss-square"), .estimators = 1,
                         .estimator = (gb_estimator[]){gb_score()}, .draws = 100, .threads = 1);
    char *const text = json_of(NULL, w);
    gb_sweep_free(w);
    return text;
}

static const struct kind_of_file answers[] = {
    {"a comparison", simple}, {"a race", small_race}, {"a sweep", simple_sweep}};

/* `before` is freed. */
static gb_agreement agreement_of(char *before, const char *now)
{
    gb_stored *const s = good(before);
    const gb_agreement a = gb_stored_agreement(s, now, strlen(now));
    gb_stored_free(s);
    free(before);
    return a;
}

/* As changed, and the first kernels of the text are others. */
static char *elsewhere(const char *text, const char *from, const char *to)
{
    char *const one = changed(text, from, to), *const other =
                                                   changed(one, "\"kernels\": \"", "\"kernels\": \"o");
    free(one);
    return other;
}

static bool is_free(const char *key)
{
    static const char *const names[] = {"grebe",  "kernels", "blas", "threads", "seconds_per_estimate",
                                        "seconds"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(key, names[i], strlen(names[i])) == 0 && key[strlen(names[i])] == '"')
            return true;
    return false;
}

/* The text has another letter or digit at `at`: is that a difference, or an error? */
static void must_count(char *text, char *at, const char *key, const char *whole)
{
    const char before = *at;
    *at = before >= '0' && before <= '9' ? (before == '1' ? '2' : '1') : '~';
    gb_stored *const s = gb_stored_read(text, strlen(text));
    const gb_agreement a = gb_stored_agreement(s, whole, strlen(whole));
    if (is_free(key) ? s->status != GB_OK || !a.same_bits : a.same_bits)
        fail_msg("%.20s: %.30s: %s %s", key, at, s->error, a.words);
    gb_stored_free(s);
    *at = before;
}

/* Each number and text in turn becomes another: found, unless its key is free. */
TEST_EACH(every_value_counts_but_times_and_where_it_was_made, answers)
{
    const struct kind_of_file *const kind = row;
    char *const whole = kind->text(), *const text = changed(whole, "{", "{"), *key = text;
    size_t values = 0;
    for (char *at = text; *at; at++)
        if (*at == '"') {
            char *const end = strchr(at + 1, '"');
            if (end[1] == ':')
                key = at + 1;
            else if (end > at + 1 && ++values)
                must_count(text, at + 1, key, whole);
            at = end;
        } else if (*at >= '0' && *at <= '9' && strchr(" [-", at[-1]) && ++values)
            must_count(text, at, key, whole);
    assert_true(values > 50);
    free(text);
    free(whole);
}

/* What the tables of rules do not know is compared, too. */
static const struct structure {
    const char *name, *from, *to, *words;
} structures[] = {
    {"a key more", "{\"schema\"", "{\"more\": [1, {}], \"schema\"", "more is [1, {}], and now is not there"},
    {"a key more within", "\"snr\": ", "\"more\": null, \"snr\": ",
     "estimators[0].parameters[0].more is null, and now is not there"},
    {"a setting less", "\"sigma\": 1, ", "", "settings.sigma is missing in the file, and now is 1"},
    {"a text", "\"at\": \"given\"", "\"at\": \"fitted\"", "at is \"fitted\", and now \"given\""},
};

TEST_EACH(structure_counts_on_all_kernels, structures)
{
    const struct structure *const s = row;
    char *const text = simple();
    gb_agreement a = agreement_of(changed(text, s->from, s->to), text);
    if (a.is_same || a.status != GB_OK || !strstr(a.words, s->words))
        fail_msg("%s", a.words);
    a = agreement_of(elsewhere(text, s->from, s->to), text);
    if (a.is_same || a.promised || !strstr(a.words, s->words))
        fail_msg("%s", a.words);
    free(text);
}
/* As elsewhere, with the first number of that key times a factor. */
static gb_agreement scaled(const char *text, const char *key, double factor)
{
    char member[64], from[128], to[128];
    snprintf(member, sizeof member, "\"%s\": ", key);
    const size_t length = strlen(member);
    const char *at = strstr(text, member);
    while (!strchr("-0123456789", at[length]))
        at = strstr(at + 1, member);
    snprintf(from, sizeof from, "%.*s", (int)(length + strcspn(at + length, ",}\n")), at);
    snprintf(to, sizeof to, "%s%.17g", member, factor * strtod(at + length, NULL));
    return agreement_of(elsewhere(text, from, to), text);
}

static const struct tolerance {
    const char *name;
    double least, most; /* within that factor it is the same elsewhere, beyond this one it is not */
} tolerances[] = {{"mean", 1.02, 1.5},          {"stderr", 1.9, 2.1},
                  {"variance", 1.02, 1.5},      {"variance_stderr", 1.9, 2.1},
                  {"kurtosis", 0.51, 0.49},     {"z", 2, 1e3},
                  {"snr", 1.02, 1.5},           {"exact", 1 + 1e-9, 1.001},
                  {"at", 1 + 1e-9, 1.001},      {"total_variance", 1.02, 2},
                  {"ratio_high", 1 + 1e-9, 1.3}};

TEST_EACH(elsewhere_numbers_agree_within_what_is_stated, tolerances)
{
    const struct tolerance *const l = row;
    char *const text = simple();
    gb_agreement a = scaled(text, l->name, l->least);
    if (!a.is_same || a.same_bits || a.promised || a.status != GB_OK ||
        !strstr(a.words, "the same within intervals"))
        fail_msg("%s: %s", l->name, a.words);
    a = scaled(text, l->name, l->most);
    if (a.is_same || !strstr(a.words, l->name))
        fail_msg("%s: %s", l->name, a.words);
    free(text);
}

TEST(numbers_of_a_race_agree_elsewhere_within_what_is_stated)
{
    char *const text = small_race();
    assert_true(scaled(text, "rate", 1.0).is_same);
    gb_agreement a = agreement_of(elsewhere(text, "\"value\": [-", "\"value\": [-1000"), text);
    assert_false(a.is_same);
    assert_non_null(strstr(a.words, "estimators[0].points[0].value[0] is "));
    free(text);
}

TEST(other_noise_is_within_the_intervals)
{
    char *text = NULL;
    for (uint64_t seed = 0; seed <= 20; seed++) {
        char from[40];
        gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                                            .estimator = (gb_estimator[]){gb_pathwise()}, .draws = 2000,
                                            .seed = seed, .threads = 1);
        char *const other = json_of(c, NULL);
        snprintf(from, sizeof from, "\"seed\": %d", (int)seed);
        gb_comparison_free(c);
        if (seed == 0) {
            text = other;
            continue;
        }
        const gb_agreement a = agreement_of(elsewhere(other, from, "\"seed\": 0"), text);
        if (!a.is_same || !(a.worst > 0 && a.worst < 5))
            fail_msg("seed %d: %s", (int)seed, a.words);
        free(other);
    }
    free(text);
}

TEST(what_is_no_number_where_one_is_due_damages_a_file)
{
    char *const text = simple();
    char *const other = changed(text, "\"mean\": ", "\"mean\": null, \"m\": ");
    gb_agreement a = agreement_of(other, text);
    assert_int_equal(a.status, GB_EFILE);
    assert_false(a.is_same);
    assert_non_null(strstr(a.words, "estimators[0].parameters[0].mean is null, where a number is due"));
    a = gb_stored_agreement(NULL, text, strlen(text));
    assert_true(a.status == GB_EARGUMENT && *a.words);
    gb_stored *const s = good(text);
    assert_int_equal(gb_stored_agreement(s, NULL, 0).status, GB_EARGUMENT);
    assert_int_equal(gb_stored_agreement(s, "{", 1).status, GB_EARGUMENT);
    gb_stored_free(s);
    static const char *const wrong[][3] = {
        {"\"stderr\": ", "\"stderr\": -", "estimators[0].parameters[0].stderr is -"},
        {"\"at\": 1", "\"at\": null", "estimators[0].parameters[0].at is null, and must be a number"},
        {"\"seconds_per_estimate\": ", "\"seconds_per_estimate\": -", "seconds_per_estimate is -"},
        {"\"name\": \"pathwise\"", "\"name\": \"score\"", "estimator pathwise has the name of another one"},
        {"\"seed\": 0", "\"seed\": 0, \"se\\u0065d\": 1", "this key is in its object twice"},
        {"\"mean\": ", "\"mean\": 1, \"mean\": ", "this key is in its object twice"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *const bad = changed(text, wrong[i][0], wrong[i][1]);
        rejected(bad, wrong[i][2]);
        free(bad);
    }
    free(text);
}

TEST(an_object_without_end_of_keys_is_rejected)
{
    char *const text = calloc(20000, 1);
    size_t length = 0;
    for (int i = 0; i < 1000; i++)
        length += (size_t)sprintf(text + length, "%c\"%d\": 0", i ? ',' : '{', i);
    strcat(text, "}");
    rejected(text, "an object has too many members");
    free(text);
}

/* A promise is kept in each comparison of a sweep, also if it is not given in another. */
TEST(a_sweep_of_two_machines_has_the_same_bits_where_they_are_promised)
{
    char *const text = simple_sweep();
    char *const bit = changed(text, "\"kernels\": \"", "\"kernels\": \"o");
    char *const last = strstr(strstr(bit, "\"kernels\"") + 1, "\"kernels\""), *const mean =
                                                                                  strstr(last, "\"mean\": ") +
                                                                                  strlen("\"mean\": ");
    char *const digit = mean + strcspn(mean, ",") - 1;
    *digit = *digit == '1' ? '2' : '1';
    const gb_agreement a = agreement_of(bit, text);
    assert_true(!a.promised && !a.is_same);
    assert_non_null(strstr(a.words, "comparisons[1]"));
    free(text);
}

/* ---- plug-ins of the program ---- */

static gb_node own_draw(gb_site *site)
{
    return gb_rsample(site->q, site->noise, site->axes);
}

static const gb_estimator_type own_type = {.size = sizeof(gb_estimator_type),
                                           .name = "my_pathwise",
                                           .formula = "f",
                                           .needs = GB_NEEDS(GB_CAN_RSAMPLE),
                                           .draw = own_draw};

static gb_node own_cost(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(1));
    return gb_square(gb_trial_draw(trial, "x", gb_normal(mu, gb_num(trial->tape, 1))));
}

TEST(plugins_of_the_program_are_named_and_must_be_added_first)
{
    char error[256];
    const gb_problem own = {
        .size = sizeof(gb_problem), .name = "my-square", .formula = "E x^2", .cost = own_cost};
    const gb_estimator all[] = {gb_estimator_of(&own_type, NULL), gb_pathwise()};
    gb_comparison *const c =
        gb_compare(.problem = &own, .estimators = 2, .estimator = all, .draws = 30, .threads = 1);
    assert_string_equal(c->error, "");
    assert_int_equal(c->plugins, 2);
    assert_string_equal(c->plugin[0].kind, "problem");
    assert_string_equal(c->plugin[1].name, "my_pathwise");
    assert_string_equal(c->plugin[1].from, "");
    char *const text = json_of(c, NULL);
    rejected(text, "problem my-square was a part of the program");
    static gb_problem kept; /* it stays as long as the process */
    kept = own;
    const gb_bundle_member members[] = {{&gb_problem_kind, &kept}, {&gb_estimator_kind, &own_type}};
    const gb_bundle bundle = GB_BUNDLE(2, members);
    assert_int_equal(gb_bundle_add(&bundle, "here", error, sizeof error), GB_OK);
    gb_stored *const s = good(text);
    gb_comparison *const again = gb_compare_with(&s->with);
    char *const now = json_of(again, NULL);
    assert_true(
        gb_stored_agreement(s, now, strlen(now)).same_bits); /* the file of a plug-in may be another */
    free(now);
    assert_string_equal(again->plugin[1].from, "here");
    gb_comparison_free(again);
    gb_stored_free(s);
    free(text);
    gb_comparison_free(c);
}
