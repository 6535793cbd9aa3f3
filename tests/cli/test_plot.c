/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script for gnuplot: no name in it is code. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compare/series_plot.c"
#include "cli/results/style.c"

#define EVIL "'`touch ran`'\nsystem('touch ran')\n!touch ran\n\"`touch ran`\" @run end"

static const gb_problem problem = {.name = EVIL, .formula = EVIL};
static const gb_measured measured = {.variance = 1, .variance_stderr = 0.1};
static const char *const parameter = EVIL;

typedef enum picture { OF_COMPARISON, OF_SWEEP, OF_PATH, PICTURES } picture;

/* Writes the picture of a comparison, of a sweep, or of a training with one point; all names are EVIL. */
static char *script_of(picture of, double variance)
{
    gb_measured one = measured;
    one.variance = variance;
    gb_compared compared = {.name = EVIL, .parameter = &one};
    gb_comparison c = {.problem = &problem,
                       .samples = 1,
                       .estimators = 1,
                       .estimator = &compared,
                       .parameters = 1,
                       .parameter = &parameter};
    gb_comparison *const point = &c;
    double value = 1;
    gb_sweep swept = {.setting = EVIL, .points = 1, .value = &value, .point = &point};
    const gb_cli_sweep sweep = {.setting = of == OF_SWEEP ? EVIL : NULL, .from = 0, .to = 2, .points = 1};
    const gb_cli_series series = {
        .sweep = &sweep, .swept = of == OF_COMPARISON ? NULL : &swept, .count = 1, .point = &point};
    static char text[1 << 16];
    FILE *const file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    gb_cli_series_plot(&series, false, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* Outside single quotes there is nothing of the name. */
static void assert_quoted(const char *script)
{
    bool is_inside = false;
    for (const char *c = script; *c; c++) {
        is_inside ^= *c == '\'';
        assert_false(*c == '\n' && is_inside);
        if (!is_inside && (*c == '`' || *c == '!' || *c == '@' || strncmp(c, "touch", 5) == 0))
            fail_msg("code: %.80s", c);
    }
    assert_false(is_inside);
    assert_non_null(strstr(script, "’`touch ran`’ system(’touch ran’) !touch ran"));
}

TEST(names_are_never_code)
{
    for (picture of = 0; of < PICTURES; of++)
        for (double variance = 0; variance < 2; variance++) {
            const char *const script = script_of(of, variance);
            assert_quoted(script);
            FILE *const file = fopen("plot_of_names.gp", "w");
            assert_non_null(file);
            fputs(script, file);
            assert_int_equal(fclose(file), 0);
            if (system("gnuplot --version >/dev/null 2>&1") == 0)
                assert_int_equal(system("gnuplot -d plot_of_names.gp >/dev/null 2>plot_of_names.err"), 0);
            assert_int_not_equal(access("ran", F_OK), 0);
        }
    unlink("plot_of_names.gp");
    unlink("plot_of_names.err");
}
