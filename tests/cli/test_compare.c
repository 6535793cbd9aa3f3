/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe compare`: its numbers, its files, its data, and how it ends. */
#include "command.h"

#include <math.h>
#include <time.h>

#include "support/json.h"

#define SMALL "compare gauss-square --estimators pathwise,score,measure --draws 2000 --samples 2 --seed 3 "

/* ---- numbers ---- */

TEST(the_gradient_is_the_exact_one)
{
    const answer a = grebe(SMALL "--json -");
    assert_int_equal(a.code, 0);
    assert_true(json_is_valid(a.out));
    assert_string_equal(a.err, "");
    assert_int_equal(json_count(a.out, "estimators"), 3);
    for (int e = 0; e < 3; e++)
        for (int p = 0; p < 2; p++) {
            char path[64];
            snprintf(path, sizeof path, "estimators.%d.parameters.%d.exact", e, p);
            assert_true(json_number(a.out, path) == 2);
            snprintf(path, sizeof path, "estimators.%d.parameters.%d.z", e, p);
            assert_true(fabs(json_number(a.out, path)) < 6);
        }
}

TEST(json_has_all_fields)
{
    static const char *const fields[] = {"problem",
                                         "settings.mu",
                                         "seed",
                                         "draws",
                                         "samples",
                                         "estimators.0.name",
                                         "estimators.0.evaluations_per_estimate",
                                         "estimators.0.seconds_per_estimate",
                                         "estimators.0.parameters.0.name",
                                         "estimators.0.parameters.0.mean",
                                         "estimators.0.parameters.0.stderr",
                                         "estimators.0.parameters.0.variance",
                                         "estimators.0.parameters.0.variance_stderr",
                                         "estimators.0.parameters.0.exact",
                                         "estimators.0.parameters.0.z",
                                         "estimators.0.parameters.0.snr",
                                         "estimators.0.total_variance",
                                         "estimators.0.variance_times_cost"};
    const answer a = grebe(SMALL "--json=-");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!json_find(a.out, fields[i]))
            fail_msg("there is no %s", fields[i]);
    assert_true(json_number(a.out, "seed") == 3 && json_number(a.out, "draws") == 2000);
}

/* All but the seconds, which stand in one column: raw estimates have none. */
TEST(a_seed_repeats_the_numbers_with_any_number_of_threads)
{
    static char first[MOST_TEXT];
    snprintf(first, sizeof first, "%s", grebe(SMALL "--threads 1 --draws-out -").out);
    assert_non_null(strstr(first, "measure,1999,sigma,"));
    assert_string_equal(grebe(SMALL "--threads 8 --draws-out -").out, first);
    assert_string_not_equal(
        grebe("compare gauss-square --estimators pathwise,score,measure --draws 2000 --samples 2 "
              "--seed 4 --draws-out -")
            .out,
        first);
}

TEST(settings_and_precision_come_through)
{
    const answer a =
        grebe("compare gauss-square --estimators pathwise --set mu=2,k=-1 --dtype f32 --draws 1e4 "
              "--threads 2 --equal-cost --json -");
    assert_true(json_number(a.out, "settings.mu") == 2 && json_number(a.out, "settings.k") == -1);
    assert_true(fabs(json_number(a.out, "estimators.0.parameters.0.exact") - 6) < 1e-5);
    assert_true(fabs(json_number(a.out, "estimators.0.parameters.0.z")) < 6);
}

TEST(one_that_does_not_fit_leaves_the_others)
{
    const answer a = grebe("compare poisson-square --estimators pathwise,score --draws 1000 --json -");
    assert_int_equal(a.code, 2);
    assert_true(json_is_valid(a.out));
    assert_non_null(json_find(a.out, "error"));
    assert_int_equal(json_count(a.out, "estimators.0.parameters"), 0);
    assert_int_equal(json_count(a.out, "estimators.1.parameters"), 1);
}

TEST(what_is_not_finite_gives_code_4)
{
    assert_says("compare gauss-exp --set k=-0.49,mu=100 --estimators score --draws 1000", 4, "score");
    file_put_text("data.csv", "x,y\n1e308,0\n-1e308,1\n");
    assert_says("compare logistic --estimators pathwise --draws 100 --data data.csv --target y", 4,
                "logits is -inf, and must be finite");
    unlink("data.csv");
    assert_says("compare gauss-exp --estimators score,pathwise --set k=-1 --draws 100", 2,
                "is infinite at k -1 and sigma 1; k must be above -1 / (2 sigma^2) = -0.5");
}

/* Estimates of 1e100 have fourth powers that overflow, those of 1e170 squares. */
TEST(variances_that_overflow_give_code_4)
{
    static const char *const sizes[] = {"1e100", "1e170", "1e300"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char data[64];
        snprintf(data, sizeof data, "a,y\n%s,1\n-%s,0\n", sizes[i], sizes[i]);
        file_put_text("data.csv", data);
        assert_says("compare logistic --data data.csv --target y --estimators pathwise,score:baseline=loo "
                    "--samples 4 --draws 200",
                    4, "pathwise: the variance of mu[1] overflows");
        const answer a =
            grebe("compare logistic --data data.csv --target y --estimators pathwise --draws 200 "
                  "--json -");
        assert_int_equal(a.code, 4);
        assert_int_equal(strncmp(json_find(a.out, "estimators.0.parameters.1.variance_stderr"), "null", 4),
                         0);
    }
    unlink("data.csv");
    assert_says("compare gauss-exp --set k=-0.49,mu=12 --estimators score --draws 1000", 4,
                "the exact gradient of mu is not finite");
}

TEST(what_no_draw_has_shown_is_reported)
{
    const char *const rare =
        "compare bernoulli-toy --estimators disarm,enumerate --set phi=-20 --draws 1000 ";
    char line[256];
    snprintf(line, sizeof line, "%s--json -", rare);
    const answer json = grebe(line);
    assert_int_equal(json.code, 0);
    assert_int_equal(strncmp(json_find(json.out, "estimators.0.parameters.0.z"), "null", 4), 0);
    assert_int_equal(strncmp(json_find(json.out, "estimators.0.parameters.0.unseen"), "true", 4), 0);
    assert_true(fabs(json_number(json.out, "estimators.1.parameters.0.z")) < 6);
    assert_non_null(strstr(grebe(rare).out, "none or only a few of 1000 draws showed it"));
}

/* ---- a sweep ---- */

TEST(a_sweep_goes_through_its_values)
{
    const answer a =
        grebe("compare gauss-square --estimators pathwise,score --draws 200 --sweep k=-1:1:3 --json s.json "
              "--csv s.csv --draws-out s.raw");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "variance of the gradient in sigma"));
    char *text = file("s.json");
    assert_true(json_is_valid(text));
    assert_int_equal(json_count(text, "comparisons"), 3);
    assert_true(json_number(text, "sweep.values.2") == 1);
    for (int i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "comparisons.%d.estimators.0.parameters.0.exact", i);
        assert_true(json_number(text, path) == 2.0 * (2 - i));
    }
    text = file("s.csv");
    assert_int_equal(strncmp(text, "problem,mu,sigma,k,estimator,", 29), 0);
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    assert_int_equal(lines, 1 + 3 * 2 * 2);
    text = file("s.raw");
    assert_int_equal(strncmp(text, "k,estimator,draw,parameter,value\n-1,pathwise,0,mu,", 50), 0);
    for (lines = 0; *text; text++)
        lines += *text == '\n';
    assert_int_equal(lines, 1 + 3 * 2 * 2 * 200);
    unlink("s.json");
    unlink("s.csv");
    unlink("s.raw");
}

TEST(a_sweep_goes_on_without_one_that_does_not_fit)
{
    const answer a =
        grebe("compare gauss-square --estimators pathwise,arm --draws 200 --sweep k=0:1:3 --json -");
    assert_int_equal(a.code, 2);
    assert_int_equal(json_count(a.out, "comparisons"), 3);
    assert_int_equal(json_count(a.out, "comparisons.2.estimators.0.parameters"), 2);
    assert_int_equal(json_count(a.out, "comparisons.2.estimators.1.parameters"), 0);
    const char *const said = strstr(a.err, "arm");
    assert_non_null(said);
    assert_ptr_equal(strchr(said, '\n'), strrchr(a.err, '\n')); /* once */
    const answer none = grebe("compare gauss-square --estimators arm --draws 200 --sweep k=0:1:3 --json -");
    assert_int_equal(none.code, 2);
    assert_int_equal(json_count(none.out, "comparisons"), 1);
}

/* ---- data ---- */

static void data_say(const char *text, int code, const char *words)
{
    file_put_text("data.csv", text);
    assert_says("compare logistic --estimators pathwise --draws 100 --data data.csv --target y", code, words);
    unlink("data.csv");
}

TEST(wrong_data_are_reported_with_line_and_column)
{
    data_say("", 3, "data.csv is empty");
    data_say("x,y\n", 3, "no rows");
    data_say("x,y\n1,0\n2\n", 3, "line 3 has 1 cell, and the first line has 2");
    data_say("x,y\n1,0\n\n2,1,5\n", 3, "line 4 has more than 2 cells");
    data_say("x,y\n1,0\nabc,1\n", 3, "line 3, column x: \"abc\" is no finite number\n");
    data_say("x,y\n1,0\n,1\n", 3, "line 3, column x: the cell is missing (1 of 2 are)\n");
    data_say("x,y\nnan,0\n", 3, "\"nan\" is no finite number\n");
    data_say("x,y\n1e999,0\n", 3, "\"1e999\" is no finite number");
    data_say("x,x,y\n1,2,0\n", 3, "columns 1 and 2 are both named x");
    data_say("x,\"y\n1,2\n", 3, "none ends it");
    data_say("\"x\"y,z\n1,2\n", 3, "more than a separator");
    data_say("x,yy\n1,0\n", 2, "has no column y (is it yy?)");
    data_say("y\n1\n", 3, "no column besides");
    data_say("x,y\n1,2\n", 3, "must be 0 or 1");
    assert_says("compare logistic --estimators pathwise --data no.csv --target y", 5,
                "no.csv cannot be read");
    file_put_text("data.csv", "x,y\n1,0\n1,1\n");
    assert_says("compare logistic --estimators pathwise --data data.csv --target y --standardise", 3,
                "constant");
    unlink("data.csv");
}

/* The scale of a column does not matter, up to the largest number and down to the smallest. */
TEST(columns_of_any_size_are_standardised)
{
    static const char *const columns[] = {"1,0\n-1,1\n", "1e308,0\n-1e308,1\n", "5e-324,0\n-5e-324,1\n"};
    static char first[MOST_TEXT];
    for (int i = 0; i < 3; i++) {
        char text[64];
        snprintf(text, sizeof text, "x,y\n%s", columns[i]);
        file_put_text("data.csv", text);
        const answer a =
            grebe("compare logistic --estimators pathwise --draws 50 --threads 1 --data data.csv "
                  "--target y --standardise --draws-out -");
        assert_int_equal(a.code, 0);
        if (i == 0)
            snprintf(first, sizeof first, "%s", a.out);
        assert_string_equal(a.out, first);
    }
    unlink("data.csv");
}

static void write_wide(size_t columns)
{
    FILE *const wide = fopen("data.csv", "w");
    assert_non_null(wide);
    for (size_t i = 0; i < columns; i++)
        fprintf(wide, "c%zu,", i);
    fputs("y\n", wide);
    for (size_t i = 0; i < columns; i++)
        fputs("1,", wide);
    fputs("0\n", wide);
    assert_int_equal(fclose(wide), 0);
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SOME_SECONDS "ulimit -t 100;"
#else
#define SOME_SECONDS "ulimit -t 3;" /* it takes 0.02; it took 8 */
#endif

TEST(names_of_many_columns_are_read_in_linear_time)
{
    write_wide(80000);
    const answer a =
        grebe_with(SOME_SECONDS, "compare logistic --estimators pathwise --data data.csv --target z");
    assert_int_equal(a.code, 2);
    assert_non_null(strstr(a.err, "data.csv has no column z"));
    unlink("data.csv");
}

/* The sanitizers need much memory for themselves. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
TEST(lack_of_memory_for_data_is_no_fault_of_the_data)
{
    FILE *const data = fopen("data.csv", "w");
    assert_non_null(data);
    fputs("x,y\n", data);
    for (int i = 0; i < 3000000; i++)
        fputs("1,0\n", data);
    assert_int_equal(fclose(data), 0);
    const answer a =
        grebe_with("ulimit -v 80000;", "compare logistic --estimators pathwise --data data.csv --target y");
    assert_non_null(strstr(a.err, "data.csv: out of memory"));
    assert_int_equal(a.code, 5);
    unlink("data.csv");
}
#endif

TEST(fields_may_be_quoted_and_lines_end_anyhow)
{
    file_put_text("data.csv", "\xEF\xBB\xBF\"a, \"\"b\"\"\n\" , c,y\r\n\" 1\",2.5e0, 0\r\n\n\"-1\" ,+3,1");
    assert_says("compare logistic --estimators pathwise --draws 50 --data data.csv --target y", 3, "\" 1\"");
    file_put_text("data.csv", "\xEF\xBB\xBF\"a, \"\"b\"\"\n\" , c,y\r\n\"1\",2.5e0, 0\r\n\n\"-1\" ,+3,1");
    const answer a =
        grebe("compare logistic --estimators pathwise --draws 50 --data data.csv --target y --json -");
    assert_int_equal(a.code, 0);
    assert_int_equal(json_count(a.out, "estimators.0.parameters"),
                     6); /* mu and rho of a bias and two columns */
    static const char *const texts[] = {"a,y\r1,0\r-1,1\r", "a;y\n1;0\n-1;1\n", "a y\n1 0\n-1 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        file_put_text("data.csv", texts[i]);
        assert_int_equal(
            grebe("compare logistic --estimators pathwise --draws 50 --data data.csv --target y").code, 0);
    }
    unlink("data.csv");
}

/* ---- files ---- */

TEST(a_file_that_cannot_be_written_is_reported)
{
    assert_says(SMALL "--json no/folder.json", 5, "cannot write no/folder.json");
    assert_says(SMALL "--json /dev/full", 5, "cannot write /dev/full");
    assert_says(SMALL "--json left.json --csv no/folder.csv", 5, "cannot write");
    assert_says(SMALL "--json left.json --csv ./left.json", 5, "./left.json: two outputs are this one file");
    assert_int_equal(files_here(), 0);
}

TEST(a_link_is_followed_and_rights_are_kept)
{
    file_put_text("real.json", "old");
    assert_int_equal(symlink("real.json", "link.json"), 0);
    assert_int_equal(grebe(SMALL "--json link.json").code, 0);
    assert_true(json_is_valid(file("real.json")));
    char to[64];
    assert_int_equal(readlink("link.json", to, sizeof to), 9);
    assert_int_equal(files_here(), 2);
    unlink("link.json");
    unlink("real.json");
}

static void end_by(int number)
{
    const pid_t child =
        start_command("", "compare gauss-square --estimators pathwise,score --draws 10000000000 "
                          "--threads 1 --json j.json --csv c.csv --draws-out raw.csv");
    for (int i = 0; i < 1000 && files_here() < 3; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    const int files = files_here();
    assert_int_equal(kill(child, number), 0);
    assert_int_equal(code_of(child), 128 + number);
    assert_int_equal(files, 3);
    assert_int_equal(files_here(), 0);
}

TEST(a_signal_leaves_no_half_file)
{
    end_by(SIGTERM);
    end_by(SIGINT);
    end_by(SIGHUP);
    end_by(SIGQUIT);
    end_by(SIGXCPU);
    end_by(SIGALRM);
    end_by(SIGUSR1);
}

/* ---- pictures ---- */

TEST(without_gnuplot_all_but_the_picture_is_there)
{
    const answer a = grebe_with("PATH=/nowhere", SMALL "--plot p.svg --json j.json");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.err, "no gnuplot here, so p.svg will not be drawn"));
    assert_true(json_is_valid(file("j.json")));
    assert_int_equal(files_here(), 1);
    unlink("j.json");
}

TEST(with_gnuplot_there_is_a_picture)
{
    if (system("gnuplot --version >command.out 2>&1") != 0)
        skip();
    assert_int_equal(grebe(SMALL "--sweep k=0:1:3 --plot p.svg").code, 0);
    assert_non_null(strstr(file("p.svg"), "variance of the gradient in mu"));
    assert_int_equal(grebe("compare bernoulli-toy --estimators score,enumerate --draws 99 --plot p.png").code,
                     0);
    assert_int_equal(memcmp(file("p.png"), "\x89PNG", 4), 0);
    unlink("p.svg");
    unlink("p.png");
    assert_int_equal(files_here(), 0);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    enter_folder("compare");
}
