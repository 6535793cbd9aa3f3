/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of results: what is written is read, made again and found the same; what is damaged is rejected. */
#include "support/close.h"

#include <stdio.h>
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
    const gb_agreement a = gb_comparison_agreement(r, again);
    if (!a.is_same || !a.same_bits || !a.promised)
        fail_msg("%s", a.words);
    assert_int_equal(a.numbers, 2 * (7 + 2 * 10) + 7);
    assert_string_equal(a.words, "the same: all 61 numbers have the same bits");
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
    for (size_t i = 0; i < w->points; i++)
        assert_true(gb_comparison_agreement(&s->comparison[i], again->point[i]).same_bits);
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
    rejected("{\"trainings\": 5}", "\"problem\" is missing: trainings of a model are not repeated");
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
    const gb_agreement a = gb_racing_agreement(r, again);
    if (!a.is_same || !a.same_bits || !a.promised)
        fail_msg("%s", a.words);
    assert_int_equal(a.numbers, 2 * 4 * 2);
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

TEST(another_race_is_not_the_same)
{
    gb_racing *const race = race_with_data(), *const now = race_with_data();
    gb_race_point *const point = (gb_race_point *)(uintptr_t)&now->estimator[1].point[2];
    point->value.value = nextafter(point->value.value, 9);
    gb_agreement a = gb_racing_agreement(race, now);
    assert_true(!a.is_same && a.differing == 1);
    assert_non_null(strstr(a.words, "NOT the same: grebe"));
    assert_non_null(strstr(a.words, "mean of step 20 by score"));
    ((gb_comparison *)(uintptr_t)now->asked)->kernels = "others";
    a = gb_racing_agreement(race, now);
    assert_true(a.is_same && !a.promised);
    point->value.value += 10 * point->value.error + 1;
    a = gb_racing_agreement(race, now);
    assert_true(!a.is_same && strstr(a.words, "NOT the same: mean of step 20 by score"));
    now->seeds = 3;
    assert_non_null(strstr(gb_racing_agreement(race, now).words, "2 trainings of 3 estimators at 4 points"));
    assert_false(gb_racing_agreement(NULL, now).is_same);
    now->seeds = 2;
    gb_racing_free(now);
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
    for (size_t i = 0; i < 3; i++)
        assert_true(gb_comparison_agreement(&s->comparison[i], again->point[i]).same_bits);
    assert_false(gb_comparison_agreement(&s->comparison[0], again->point[1]).is_same);
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
    rejected("{}", "\"plugins\" is missing, or is not a list");
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

typedef struct pair {
    gb_comparison *before, *now;
} pair;

static pair pair_of(uint64_t seed, int64_t draws)
{
    pair p = {0};
    for (int i = 0; i < 2; i++) {
        gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 2,
                                            .estimator = (gb_estimator[]){gb_pathwise(), gb_score()},
                                            .draws = draws, .seed = i == 0 ? 0 : seed, .threads = 1);
        *(i == 0 ? &p.before : &p.now) = c;
    }
    return p;
}

static void end(pair p)
{
    gb_comparison_free(p.before);
    gb_comparison_free(p.now);
}

static gb_measured *measured(const gb_comparison *c, size_t estimator, size_t parameter)
{
    return (gb_measured *)(uintptr_t)&c->estimator[estimator].parameter[parameter];
}

TEST(one_bit_is_a_difference_where_bits_are_promised)
{
    const pair p = pair_of(0, 1000);
    gb_agreement a = gb_comparison_agreement(p.before, p.now);
    assert_true(a.is_same && a.same_bits && a.promised && a.differing == 0);
    gb_measured *const m = measured(p.now, 1, 0);
    m->kurtosis = nextafter(m->kurtosis, 0);
    a = gb_comparison_agreement(p.before, p.now);
    assert_false(a.is_same || a.same_bits);
    assert_true(a.promised && a.differing == 1 && a.worst == 0);
    assert_non_null(strstr(a.words, "NOT the same"));
    assert_non_null(strstr(a.words, "kurtosis of mu by score"));
    p.now->kernels = "others"; /* then the last bit does not count */
    a = gb_comparison_agreement(p.before, p.now);
    assert_true(a.is_same && !a.same_bits && !a.promised && a.worst == 0);
    assert_non_null(strstr(a.words, "the same within intervals: 1 of 54 numbers"));
    assert_non_null(strstr(a.words, "by roundings only"));
    p.now->kernels = p.before->kernels;
    p.now->blas = "OpenBLAS";
    assert_false(gb_comparison_agreement(p.before, p.now).promised);
    p.now->blas = NULL;
    p.now->version = "0.2.9";
    assert_false(gb_comparison_agreement(p.before, p.now).promised);
    end(p);
}

TEST(other_noise_is_within_intervals_and_another_mean_is_not)
{
    const pair p = pair_of(1, 4000);
    p.now->kernels = "others";
    gb_agreement a = gb_comparison_agreement(p.before, p.now);
    if (!a.is_same || a.same_bits || !(a.worst > 0 && a.worst < 5))
        fail_msg("%s", a.words);
    gb_measured *const m = measured(p.now, 0, 1);
    const double mean = m->mean, variance = m->variance;
    m->mean += 15 * m->stderr_;
    a = gb_comparison_agreement(p.before, p.now);
    assert_false(a.is_same);
    assert_non_null(strstr(a.words, "NOT the same: mean of sigma by pathwise"));
    m->mean = mean;
    m->variance += 15 * m->variance_stderr;
    a = gb_comparison_agreement(p.before, p.now);
    assert_false(a.is_same);
    assert_non_null(strstr(a.words, "variance of sigma by pathwise"));
    m->variance = variance;
    m->exact += 1e-3;
    a = gb_comparison_agreement(p.before, p.now);
    assert_false(a.is_same);
    assert_non_null(strstr(a.words, "exact gradient of sigma"));
    end(p);
}

TEST(what_was_not_measured_alike_is_not_the_same)
{
    const pair p = pair_of(0, 100);
    gb_compared *const e = (gb_compared *)(uintptr_t)&p.now->estimator[1];
    const gb_measured *const parameter = e->parameter;
    e->parameter = NULL;
    gb_agreement a = gb_comparison_agreement(p.before, p.now);
    assert_false(a.is_same);
    assert_non_null(strstr(a.words, "score was measured, and now is not"));
    e->parameter = parameter;
    e->samples = 3;
    assert_non_null(
        strstr(gb_comparison_agreement(p.before, p.now).words, "score had 1 samples, and now has 3"));
    e->samples = 1;
    p.now->estimators = 1;
    assert_non_null(strstr(gb_comparison_agreement(p.before, p.now).words, "2 estimators, and now 1"));
    p.now->estimators = 2;
    p.now->status = GB_ENONFINITE;
    assert_non_null(strstr(gb_comparison_agreement(p.before, p.now).words, "no error, and now"));
    assert_false(gb_comparison_agreement(NULL, p.now).is_same);
    assert_false(gb_comparison_agreement(p.before, NULL).is_same);
    end(p);
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
    assert_true(gb_comparison_agreement(s->comparison, again).same_bits);
    assert_string_equal(again->plugin[1].from, "here");
    gb_comparison_free(again);
    gb_stored_free(s);
    free(text);
    gb_comparison_free(c);
}
