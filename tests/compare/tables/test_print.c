/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a comparison prints: the table, JSON, and every single estimate. */
#include "support/close.h"

#include <locale.h>

#include "compare/sweep.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "ops/elementwise.h"
#include "support/files.h"

enum { TEXT = 1 << 15 };

static const char *written(gb_status (*write)(const gb_comparison *, FILE *), const gb_comparison *c)
{
    static char text[TEXT];
    memset(text, 0, sizeof text);
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    assert_int_equal(write(c, file), GB_OK);
    fclose(file);
    return text;
}

TEST(tables_and_json_say_what_was_measured)
{
    const gb_estimator all[] = {gb_enumerated(), gb_score()};
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 2, .estimator = all,
                   .names = (const char *const[]){"exact \"one\"", NULL}, .draws = 1000, .threads = 1);
    const char *text = written(gb_comparison_json, c);
    const char *const keys[] = {"{\"schema\": \"grebe-comparison-1\",\n \"problem\": \"bernoulli-3\"",
                                "\"settings\": {\"p1\": 0.2999",
                                "\"seed\": 0",
                                "\"draws\": 1000",
                                "\"samples\": 1",
                                "\"name\": \"exact \\\"one\\\"\"",
                                "\"evaluations_per_estimate\": 8",
                                "\"seconds_per_estimate\": ",
                                "\"parameters\": [",
                                "{\"name\": \"p3\", \"at\": ",
                                "\"stderr\": ",
                                "\"variance\": 0, \"variance_stderr\": 0",
                                "\"kurtosis\": null",
                                "\"exact\": ",
                                "\"z\": ",
                                "\"snr\": null",
                                "\"total_variance\": ",
                                "\"variance_times_cost\": "};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strstr(text, keys[i]))
            fail_msg("no %s in %s", keys[i], text);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    text = written(gb_comparison_print, c);
    assert_non_null(strstr(text, "E [sum (b_i - 0.45)^2"));
    assert_non_null(strstr(text, "p2"));
    assert_non_null(strstr(text, "score"));
    gb_comparison_free(c);
    assert_int_equal(gb_comparison_print(NULL, stdout), GB_EARGUMENT);
    assert_int_equal(gb_comparison_json(NULL, stdout), GB_EARGUMENT);
}

TEST(json_and_raw_numbers_have_a_point_in_every_language)
{
    static const char *const languages[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",       "fr_FR.UTF-8",
                                            "fr_FR.utf8",  "fr_FR",      "nl_NL.UTF-8", "ps_AF.UTF-8"};
    static char raw[TEXT];
    bool comma = false;
    for (size_t i = 0; i < sizeof languages / sizeof *languages && !comma; i++)
        comma = setlocale(LC_NUMERIC, languages[i]) && strcmp(localeconv()->decimal_point, ".") != 0;
    if (!comma) {
        print_message("no language whose numbers have a comma is installed\n");
        setlocale(LC_NUMERIC, "C");
        skip();
    }
    FILE *const file = fmemopen(raw, sizeof raw - 1, "w");
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                   .estimator = (gb_estimator[]){gb_pathwise()}, .draws = 3, .threads = 1, .raw = file);
    fclose(file);
    const char *const text = written(gb_comparison_json, c);
    setlocale(LC_NUMERIC, "C");
    for (int i = 0; i < 10; i++) {
        const char between[] = {(char)('0' + i), ',', '0', '\0'};
        assert_null(strstr(text, between));
    }
    const char *const mean = strstr(text, "\"mean\": ");
    assert_true(strtod(mean + 8, NULL) == c->estimator[0].parameter[0].mean);
    const char *const first = strstr(raw, "pathwise,0,mu,");
    assert_non_null(first);
    assert_true(strchr(first, '.') < strchr(first, '\n') &&
                strcspn(first + 14, ",") > strcspn(first + 14, "\n"));
    gb_comparison_free(c);
}

/* gauss-square's pathwise gradient claimed for another cost. */
static gb_node wrong_mean(gb_trial *trial)
{
    return gb_square(gb_shift(gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(0)), 1));
}

static gb_node square_of_normal(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(0));
    return gb_square(gb_trial_draw(trial, "x", gb_normal(mu, gb_num(trial->tape, 1))));
}

TEST(a_bias_is_marked)
{
    static const gb_problem problem = {.size = sizeof(gb_problem),
                                       .name = "wrong",
                                       .formula = "not this",
                                       .cost = square_of_normal,
                                       .expected = wrong_mean};
    gb_comparison *const c = gb_compare(.problem = &problem, .estimators = 1,
                                        .estimator = (gb_estimator[]){gb_pathwise()}, .threads = 1);
    assert_true(c->estimator[0].parameter[0].z < -50);
    assert_non_null(strstr(written(gb_comparison_print, c), "! "));
    gb_comparison_free(c);
}

TEST(every_estimate_can_be_written_out)
{
    static char text[TEXT];
    double sum = 0;
    int lines = 0;
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                   .estimator = (gb_estimator[]){gb_pathwise()}, .draws = 100, .threads = 1, .raw = file);
    fclose(file);
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1, lines++)
        if (strstr(line, ",mu,") && strstr(line, ",mu,") < strchr(line, '\n'))
            sum += strtod(strstr(line, ",mu,") + 4, NULL) / 100;
    assert_int_equal(strncmp(text, "estimator,draw,parameter,value\npathwise,0,mu,", 45), 0);
    assert_int_equal(lines, 200);
    assert_true(fabs(sum - c->estimator[0].parameter[0].mean) < 1e-12);
    gb_comparison_free(c);
}

TEST(a_full_disk_is_an_error_of_all_writers)
{
    static gb_status (*const writers[])(const gb_comparison *, FILE *) = {
        gb_comparison_print, gb_comparison_json, gb_comparison_csv};
    static gb_status (*const sweep_writers[])(const gb_sweep *, FILE *) = {gb_sweep_print, gb_sweep_json,
                                                                           gb_sweep_csv};
    const gb_estimator pathwise = gb_pathwise();
    gb_comparison *const c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                                        .estimator = &pathwise, .draws = 100, .threads = 1);
    gb_sweep *const s =
        gb_compare_sweep("k", 1, (const double[]){1}, .problem = gb_problem_find("gauss-square"),
                         .estimators = 1, .estimator = &pathwise, .draws = 100, .threads = 1);
    FILE *const full = file_on_full_disk();
    for (int i = 0; i < 3; i++) {
        clearerr(full);
        assert_int_equal(writers[i](c, full), GB_ESYSTEM);
        clearerr(full);
        assert_int_equal(sweep_writers[i](s, full), GB_ESYSTEM);
    }
    clearerr(full);
    assert_int_equal(gb_trace_estimate(gb_problem_find("gauss-square"), 0, NULL, pathwise, 2, 0, full),
                     GB_ESYSTEM);
    fclose(full);
    gb_comparison_free(c);
    gb_sweep_free(s);
}
