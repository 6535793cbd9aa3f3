/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command as a person or a script meets it: what it ends with, what it writes where, and what it says of what is wrong. */
#include "support/close.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- running it ---- */

enum { MOST_TEXT = 1 << 16 };

typedef struct said {
    int code;
    char out[MOST_TEXT], err[MOST_TEXT];
} said;

static void read_file(const char *path, char *text)
{
    FILE *const file = fopen(path, "r");
    size_t count = file ? fread(text, 1, MOST_TEXT - 1, file) : 0;
    text[count] = '\0';
    if (file)
        fclose(file);
}

/* Standard output and error apart, in this directory. */
static said *run(const char *arguments)
{
    static said s;
    char line[2048];
    snprintf(line, sizeof line, "%s %s >cli.out 2>cli.err", GB_COMMAND, arguments);
    const int status = system(line);
    s.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_file("cli.out", s.out);
    read_file("cli.err", s.err);
    return &s;
}

static void expect_code(const said *s, int code, const char *arguments)
{
    if (s->code != code)
        fail_msg("%s: ended with %d, not %d: %s", arguments, s->code, code, s->err);
}

static void refused(const char *arguments, int code, const char *words)
{
    const said *const s = run(arguments);
    expect_code(s, code, arguments);
    if (!strstr(s->err, words))
        fail_msg("%s: said \"%s\", without \"%s\"", arguments, s->err, words);
    if (*s->out)
        fail_msg("%s: wrote \"%s\"", arguments, s->out);
}

static bool is_there(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0;
}

/* ---- JSON, strictly ---- */

static const char *value(const char *at);

static const char *spaces(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *text_of(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at && *at != '"'; at++)
        if (*at == '\\' && !*++at)
            return NULL;
    return *at == '"' ? at + 1 : NULL;
}

static const char *number_of(const char *at)
{
    char *end;
    if (*at != '-' && !isdigit((unsigned char)*at))
        return NULL;
    strtod(at, &end);
    return end > at && strcspn(at, "xXnN") >= (size_t)(end - at) ? end : NULL;
}

static const char *members(const char *at, char close, bool named)
{
    at = spaces(at + 1);
    if (*at == close)
        return at + 1;
    for (;;) {
        if (named) {
            at = text_of(spaces(at));
            at = at ? spaces(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = value(spaces(at));
        at = at ? spaces(at) : NULL;
        if (!at || (*at != ',' && *at != close))
            return NULL;
        if (*at++ == close)
            return at;
    }
}

static const char *value(const char *at)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return *at == '{'   ? members(at, '}', true)
           : *at == '[' ? members(at, ']', false)
           : *at == '"' ? text_of(at)
                        : number_of(at);
}

static void is_json(const char *text)
{
    const char *const end = value(spaces(text));
    if (!end || *spaces(end))
        fail_msg("no JSON: %s", text);
}

static double number_after(const char *text, const char *key)
{
    const char *const at = strstr(text, key);
    if (!at)
        fail_msg("%s is not in %s", key, text);
    return strtod(at + strlen(key), NULL);
}

/* ---- what it says ---- */

static void words_that_it_does_not_know_are_usage_errors_with_the_nearest(void **state)
{
    (void)state;
    refused("", 2, "grebe compare");
    refused("compar", 2, "there is no command compar; did you mean compare?");
    refused("compare gauss-squar --estimators score", 2,
            "there is no problem gauss-squar; did you mean gauss-square?");
    refused("compare gauss-square --estimators scor", 2, "there is no estimator scor; did you mean score?");
    refused("compare gauss-square --estimator score", 2, "did you mean estimators?");
    refused("compare gauss-square", 2, "--estimators takes a list");
    refused("compare --estimators score", 2, "a word is missing");
    refused("compare gauss-square score --estimators score", 2, "one word too many");
    refused("compare gauss-square --estimators score --estimators score", 2, "given twice");
    refused("compare gauss-square --estimators score --set sigm=1", 2, "did you mean sigma?");
    refused("compare gauss-square --estimators score --set sigma=-1", 2, "sigma is -1, and must be from");
    refused("compare gauss-square --estimators score --set sigma=x", 2, "takes a number");
    refused("compare gauss-square --estimators score --draws 1.5", 2,
            "--draws is \"1.5\", and must be a whole number");
    refused("compare gauss-square --estimators score --samples 0", 2, "--samples is \"0\"");
    refused("compare gauss-square --estimators score --dtype f16", 2, "there is no --dtype f16");
    refused("compare gauss-square --estimators score --sweep k=1:2", 2, "--sweep takes NAME=FROM:TO:COUNT");
    refused("compare gauss-square --estimators score --plot a.gif", 2, "a picture ends in .svg or .png");
    refused("compare gauss-square --estimators score --json - --csv -", 2, "only one of");
    refused("compare gauss-square --estimators arm", 2, "arm needs a choice between 0 and 1");
    refused("compare logistic --estimators pathwise", 2, "logistic needs data");
    refused("list estimator", 2, "did you mean estimators?");
    refused("check estimators nobody", 2, "there is none called nobody");
}

static void help_and_version_go_to_standard_output(void **state)
{
    (void)state;
    const said *s = run("--version");
    expect_code(s, 0, "--version");
    assert_true(strncmp(s->out, "grebe ", 6) == 0 && !*s->err);
    s = run("help compare");
    assert_true(s->code == 0 && strstr(s->out, "--equal-cost"));
    s = run("compare --help");
    assert_true(s->code == 0 && strstr(s->out, "--sweep NAME=FROM:TO:COUNT"));
    s = run("doctor");
    assert_true(s->code == 0 && strstr(s->out, "kernels"));
}

static void lists_hold_the_names_there_are(void **state)
{
    (void)state;
    static const char *const all[][2] = {{"estimators", "disarm"},       {"baselines", "leave_one_out"},
                                         {"distributions", "student_t"}, {"problems", "gauss-square"},
                                         {"ops", "logsumexp"},           {"kl", "gamma, gamma"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char line[64];
        snprintf(line, sizeof line, "list %s", all[i][0]);
        const said *s = run(line);
        assert_true(s->code == 0 && strstr(s->out, all[i][1]));
        snprintf(line, sizeof line, "list %s --json", all[i][0]);
        s = run(line);
        assert_true(s->code == 0 && strstr(s->out, all[i][1]));
        is_json(s->out);
    }
}

/* ---- results ---- */

static void json_on_standard_output_is_all_there_is(void **state)
{
    (void)state;
    const said *const s =
        run("compare gauss-square --estimators pathwise,measure,quadrature --draws 20000 --seed 3 --json -");
    expect_code(s, 0, "json");
    is_json(s->out);
    static const char *const keys[] = {"\"problem\": \"gauss-square\"",
                                       "\"settings\"",
                                       "\"seed\": 3",
                                       "\"draws\": 20000",
                                       "\"samples\"",
                                       "\"estimators\"",
                                       "\"evaluations_per_estimate\"",
                                       "\"seconds_per_estimate\"",
                                       "\"parameters\"",
                                       "\"name\": \"mu\"",
                                       "\"stderr\"",
                                       "\"variance_stderr\"",
                                       "\"exact\"",
                                       "\"z\"",
                                       "\"snr\"",
                                       "\"total_variance\"",
                                       "\"variance_times_cost\""};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strstr(s->out, keys[i]))
            fail_msg("%s is not in %s", keys[i], s->out);
    /* d = 1, sigma = 1: the exact gradient is 2, the variances those of the closed forms */
    assert_close(number_after(s->out, "\"exact\": "), 2, 16);
    assert_true(fabs(number_after(s->out, "\"z\": ")) < 6);
    assert_true(fabs(number_after(s->out, "\"variance\": ") - 4) < 0.3);
    if (*s->err)
        fail_msg("said %s", s->err);
}

static void a_seed_repeats_the_table_with_any_number_of_threads(void **state)
{
    (void)state;
    static char first[MOST_TEXT];
    run("compare bernoulli-3 --estimators score,rebar --draws 3000 --csv - --threads 1");
    read_file("cli.out", first);
    const said *const s =
        run("compare bernoulli-3 --estimators score,rebar --draws 3000 --csv - --threads 8");
    /* all but the seconds: the fourth field on */
    for (const char *a = first, *b = s->out; *a; a++, b++) {
        for (int i = 0; i < 2; i++) {
            a += strcspn(a, ",\n") + 1;
            b += strcspn(b, ",\n") + 1;
        }
        a += strcspn(a, ",");
        b += strcspn(b, ",");
        const size_t length = strcspn(a, "\n");
        if (strncmp(a, b, length + 1) != 0)
            fail_msg("%.*s\n%.*s", (int)length, a, (int)length, b);
        a += length;
        b += length;
    }
}

static void sweeps_are_written_as_tables_json_and_csv(void **state)
{
    (void)state;
    const said *s = run(
        "compare gauss-cos --estimators pathwise,score --sweep k=0.5:2:4 --draws 2000 --json cli.json --csv cli.csv");
    expect_code(s, 0, "sweep");
    assert_true(strstr(s->out, "total variances") != NULL);
    static char text[MOST_TEXT];
    read_file("cli.json", text);
    is_json(text);
    assert_true(strstr(text, "\"sweep\": \"k\"") != NULL);
    read_file("cli.csv", text);
    size_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 1 + 4 * 2 * 2);
    unlink("cli.json");
    unlink("cli.csv");
}

static void single_gradients_are_written_out(void **state)
{
    (void)state;
    const said *const s = run("compare gauss-square --estimators pathwise --draws 50 --draws-out -");
    expect_code(s, 0, "draws-out");
    size_t lines = 0;
    for (const char *at = s->out; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 1 + 50 * 2);
}

/* ---- data ---- */

static void write_text(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void data_are_read_and_their_faults_are_told_by_line(void **state)
{
    (void)state;
    static const char start[] =
        "compare logistic --estimators pathwise --draws 200 --data cli.csv --target y";
    write_text("cli.csv", "a,\"b, too\",y\n1,2,0\n\n-1.5,1e-1,1\r\n0.5,0,1\n");
    expect_code(run(start), 0, start);
    write_text("cli.csv", "a,b,y\n1,2,0\n1,2\n");
    refused(start, 3, "cli.csv, line 3: 2 fields, where the first line has 3");
    write_text("cli.csv", "a,b,y\n1,2,0\n1,two,1\n");
    refused(start, 3, "cli.csv, line 3, column 2: \"two\" is no finite number");
    write_text("cli.csv", "a,b,y\n1,nan,0\n");
    refused(start, 3, "\"nan\" is no finite number");
    write_text("cli.csv", "a,b,z\n1,2,0\n");
    refused(start, 3, "there is no column in cli.csv called y");
    write_text("cli.csv", "a,\"b,y\n1,2,0\n");
    refused(start, 3, "a quotation mark is not closed");
    write_text("cli.csv", "");
    refused(start, 3, "there is nothing in it");
    write_text("cli.csv", "a,y\n");
    refused(start, 3, "there are no rows");
    unlink("cli.csv");
    refused(start, 5, "cannot read cli.csv");
}

/* ---- files ---- */

static void files_that_cannot_be_written_are_told(void **state)
{
    (void)state;
    const said *const s =
        run("compare gauss-square --estimators pathwise --draws 100 --json no/such/folder/a.json");
    expect_code(s, 5, "no folder");
    assert_true(strstr(s->err, "cannot write no/such/folder/a.json") != NULL);
}

static void without_gnuplot_it_says_so_and_goes_on(void **state)
{
    (void)state;
    char line[1024];
    snprintf(line, sizeof line,
             "PATH=/nowhere %s compare gauss-square --estimators pathwise --draws 100 --plot cli.svg "
             ">cli.out 2>cli.err",
             GB_COMMAND);
    const int status = system(line);
    static char text[MOST_TEXT];
    read_file("cli.err", text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(strstr(text, "there is no gnuplot here") != NULL);
    assert_false(is_there("cli.svg"));
}

/* A second's work, ended before. */
static void a_signal_ends_it_and_leaves_no_half_file(void **state)
{
    (void)state;
    const int signals[] = {SIGTERM, SIGINT};
    for (int i = 0; i < 2; i++) {
        int status = 0;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (!freopen("cli.out", "w", stdout) || !freopen("cli.err", "w", stderr))
                _exit(99);
            signal(SIGINT, SIG_DFL);
            execl(GB_COMMAND, "grebe", "compare", "gauss-square", "--estimators", "score:baseline=moving",
                  "--draws", "900000000", "--draws-out", "cli.half", (char *)NULL);
            _exit(98);
        }
        nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
        kill(child, signals[i]);
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 128 + signals[i])
            fail_msg("signal %d: status %x", signals[i], (unsigned)status);
        assert_false(is_there("cli.half"));
    }
    assert_int_equal(system("ls cli.half* >/dev/null 2>&1") == 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_it_does_not_know_are_usage_errors_with_the_nearest),
        cmocka_unit_test(help_and_version_go_to_standard_output),
        cmocka_unit_test(lists_hold_the_names_there_are),
        cmocka_unit_test(json_on_standard_output_is_all_there_is),
        cmocka_unit_test(a_seed_repeats_the_table_with_any_number_of_threads),
        cmocka_unit_test(sweeps_are_written_as_tables_json_and_csv),
        cmocka_unit_test(single_gradients_are_written_out),
        cmocka_unit_test(data_are_read_and_their_faults_are_told_by_line),
        cmocka_unit_test(files_that_cannot_be_written_are_told),
        cmocka_unit_test(without_gnuplot_it_says_so_and_goes_on),
        cmocka_unit_test(a_signal_ends_it_and_leaves_no_half_file),
    };
    return cmocka_run_group_tests_name("cli/command", tests, NULL, NULL);
}
