/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe fit`: the numbers of a closed form, files of fits and predictions by them, trainings that go on
 * where they stopped, interrupts, texts of plug-ins, pictures. */
#include "command.h"

#include <math.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "support/json.h"

/* y = 1 + 2 x and noise, without a formula that the command knows. */
enum { ROWS = 40 };
static double x_of(int i)
{
    return 0.1 * i - 2;
}

static double y_of(int i)
{
    return 1 + 2 * x_of(i) + 0.3 * sin(37.0 * i);
}

static void prepare(void)
{
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    enter_folder("fit");
    FILE *const f = fopen("line.csv", "w"), *const both = fopen("groups.csv", "w");
    fputs("x,y\n", f);
    fputs("mom_hs,mom_iq,kid_score\n", both);
    for (int i = 0; i < ROWS; i++) {
        fprintf(f, "%.17g,%.17g\n", x_of(i), y_of(i));
        fprintf(both, "%s,%g,%g\n", i % 3 ? "yes" : "no", 100 + x_of(i * 7 % ROWS), y_of(i));
    }
    fclose(f);
    fclose(both);
}

static double number_of(const char *json, const char *latent, const char *what)
{
    char path[64], name[64];
    snprintf(name, sizeof name, "\"%s\"", latent);
    for (int i = 0; i < json_count(json, "latents"); i++) {
        snprintf(path, sizeof path, "latents.%d.name", i);
        if (strncmp(json_find(json, path), name, strlen(name)) != 0)
            continue;
        snprintf(path, sizeof path, "latents.%d.%s", i, what);
        return json_number(json, path);
    }
    fail_msg("there is no latent %s", latent);
    return NAN;
}

/* ---- numbers ---- */

/* With flat priors of the slopes the posterior is that of least squares, nearly: sd of the slope by the
 * residual's. */
TEST(a_line_has_the_numbers_of_least_squares)
{
    (void)t;
    prepare();
    const answer a = grebe("fit linear --prior none --data line.csv --target y --json -");
    assert_int_equal(a.code, 0);
    assert_true(json_is_valid(a.out));
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, rest = 0;
    for (int i = 0; i < ROWS; i++) {
        mean_x += x_of(i) / ROWS;
        mean_y += y_of(i) / ROWS;
    }
    for (int i = 0; i < ROWS; i++) {
        xx += (x_of(i) - mean_x) * (x_of(i) - mean_x);
        xy += (x_of(i) - mean_x) * (y_of(i) - mean_y);
    }
    for (int i = 0; i < ROWS; i++)
        rest += pow(y_of(i) - mean_y - xy / xx * (x_of(i) - mean_x), 2);
    const double sigma = sqrt(rest / (ROWS - 2)), sd = sigma / sqrt(xx);
    assert_true(fabs(number_of(a.out, "x", "mean") - xy / xx) < 0.1 * sd);
    assert_true(fabs(number_of(a.out, "x", "sd") / sd - 1) < 0.1);
    assert_true(fabs(number_of(a.out, "(Intercept)", "mean") - (mean_y - xy / xx * mean_x)) < 0.1 * sd);
    assert_true(fabs(number_of(a.out, "sigma", "mean") / sigma - 1) < 0.1);
    const double width = number_of(a.out, "x", "q95") - number_of(a.out, "x", "q05");
    assert_true(fabs(width / (2 * 1.645 * sd) - 1) < 0.15);
    const double terms = json_number(a.out, "terms.0.value") + json_number(a.out, "terms.1.value");
    assert_true(fabs(terms / json_number(a.out, "elbo.mean") - 1) < 1e-9);
    assert_true(strncmp(json_find(a.out, "verdict"), "\"good\"", 6) == 0);
    assert_true(isfinite(json_number(a.out, "k_hat")));
}

TEST(latents_have_the_names_of_their_terms)
{
    (void)t;
    prepare();
    char *const out =
        grebe("fit linear --data groups.csv --formula 'kid_score ~ mom_hs * mom_iq' --json -").out;
    static const char *const names[] = {"(Intercept)", "mom_hsyes", "mom_iq", "mom_hsyes:mom_iq", "sigma"};
    for (size_t i = 0; i < 5; i++)
        assert_true(number_of(out, names[i], "sd") > 0);
}

TEST(what_is_printed_has_the_summary_the_terms_and_the_verdict)
{
    (void)t;
    prepare();
    const char *const out = grebe("fit linear --data line.csv --target y").out;
    static const char *const words[] = {"40 rows of line.csv", "Verdict: good", "(Intercept)", "sigma",
                                        "-KL(q || prior)",     "ELBO",          "rmse",        "log density"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(out, words[i]));
    assert_null(strchr(out, '\033'));
}

/* A model that shows no numbers of its own has a verdict all the same. */
TEST(words_of_an_outcome_have_their_numbers)
{
    (void)t;
    prepare();
    const answer a = grebe("fit logistic --data groups.csv --formula 'mom_hs ~ mom_iq' --json fit.json");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "mom_hs: 0 is no, 1 is yes\n"));
    assert_true(strncmp(json_find(file("fit.json"), "levels"), "[\"no\", \"yes\"]", 13) == 0);
    const answer numbers = grebe("fit linear --data line.csv --target y --json fit.json");
    assert_null(strstr(numbers.out, "0 is"));
    assert_true(strncmp(json_find(file("fit.json"), "levels"), "null", 4) == 0);
}

TEST(a_training_of_weights_alone_has_its_verdict)
{
    (void)t;
    prepare();
    const char *const judged =
        grebe("fit network_class --data moons --target class --hidden 3 --steps 20").out;
    assert_non_null(strstr(judged, "\nVerdict: not converged\n"));
    assert_non_null(strstr(judged, "\nk is "));
    const char *const large =
        grebe("fit network_class --data moons --target class --hidden 40,30 --steps 20").out;
    assert_non_null(
        strstr(large, "\nVerdict: not judged: there are 1412 numbers, and a training is judged up to"));
}

/* ---- swaps: each text reaches the library ---- */

static const struct swap {
    const char *name, *arguments, *words;
} swaps[] = {{"likelihood", "linear --likelihood student_t:df=4", "robust:freedom=4: "},
             {"prior", "linear --prior laplace:scale=0.5", "linear:prior=laplace(scale=0.5): "},
             {"posterior", "linear --posterior mean_field", "linear: "},
             {"estimator", "linear --estimator score:baseline=loo --samples 4 --steps 60", "60 steps"},
             {"its method", "linear --estimator score:baseline=loo --samples 4", "fitted by stochastic"},
             {"optimiser", "linear --optimiser sgd:lr=0.001 --epochs 30", "30 steps"},
             {"batch", "linear --batch 10 --epochs 30", "120 steps"},
             {"laplace", "linear --method laplace", "fitted by Laplace"},
             {"nuts", "linear --method nuts", "R-hat"},
             {"hidden", "network --hidden 6,6 --steps 20", "network:units=6:layers=2: "},
             {"unequal", "network --hidden 6,4,4 --dropout 0,0.1,0.2 --steps 20",
              "network:units=6:layers=3:units_2=4:dropout_2=0.1:dropout_3=0.2: "},
             {"dropout", "network --hidden 6 --dropout 0.1 --steps 20", "dropout=0.1"},
             {"validate", "linear --validate 0.25", "30 rows of line.csv, and 10 that are held out"}};

TEST_EACH(each_part_is_swapped_by_a_text, swaps)
{
    (void)t;
    char line[256];
    const struct swap *const c = row;
    prepare();
    snprintf(line, sizeof line, "fit %s --data line.csv --target y", c->arguments);
    const answer a = grebe(line);
    if (a.code != 0 || !strstr(a.out, c->words))
        fail_msg("grebe %s: code %d, %s%s", line, a.code, a.err, a.out);
}

/* ---- files of fits ---- */

TEST(a_saved_fit_predicts_as_the_fit_did)
{
    (void)t;
    prepare();
    file_put_text("new.csv", "x,y\n-1,-1\n0.5,\n");
    assert_int_equal(grebe("fit linear --data line.csv --target y --save line.grebe").code, 0);
    answer a = grebe("predict --load line.grebe --data new.csv --json -");
    assert_int_equal(a.code, 0);
    assert_true(fabs(json_number(a.out, "predictions.1.mean") - 2) < 0.3);
    a = grebe("predict --load line.grebe --data new.csv --out p.csv");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "the verdict on its fit: good"));
    assert_non_null(strstr(a.out, "rmse"));
    assert_true(strncmp(file("p.csv"), "row,element,mean,sd,epistemic,noise,", 36) == 0);
}

/* 200 steps at once, or 120 and then the rest: the same file of predictions. */
TEST(a_training_goes_on_where_it_stopped)
{
    (void)t;
    prepare();
    static const char network[] = "fit network --data line.csv --target y --hidden 5 --batch 10 ";
    char line[256];
    snprintf(line, sizeof line, "%s --steps 200 --save whole.grebe >/dev/null", network);
    assert_int_equal(grebe(line).code, 0);
    snprintf(line, sizeof line, "%s --steps 120 --save part.grebe --checkpoint-every 50 >/dev/null", network);
    assert_int_equal(grebe(line).code, 0);
    snprintf(line, sizeof line, "%s --steps 200 --resume part.grebe", network);
    assert_non_null(strstr(grebe(line).out, "trained: 200 steps"));
    assert_int_equal(grebe("predict --load whole.grebe --data line.csv --out whole.csv").code, 0);
    assert_int_equal(grebe("predict --load part.grebe --data line.csv --out part.csv").code, 0);
    assert_int_equal(system("cmp whole.csv part.csv"), 0);
}

static void pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* Waits until a process waits for SIGINT, which it blocks then, where the system shows that. */
static void wait_for_its_waiting(pid_t child)
{
    char path[64], line[128];
    unsigned long long blocked = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    for (int i = 0; i < 2000 && !(blocked >> (SIGINT - 1) & 1); i++) {
        FILE *const status = fopen(path, "r");
        while (status && fgets(line, sizeof line, status))
            sscanf(line, "SigBlk: %llx", &blocked);
        if (status)
            fclose(status);
        pause_for(10);
    }
}

/* The training is endless; whether it runs is known by its checkpoints. */
static pid_t start_endless(void)
{
    unlink("endless.grebe");
    const pid_t child =
        start_command("", "fit network --data line.csv --target y --hidden 5 --steps 1000000000 "
                          "--save endless.grebe --checkpoint-every 100 --json endless.json");
    for (int i = 0; i < 1000 && access("endless.grebe", F_OK) != 0; i++)
        pause_for(10);
    assert_int_equal(access("endless.grebe", F_OK), 0);
    return child;
}

TEST(an_interrupt_finishes_the_step_and_saves)
{
    (void)t;
    prepare();
    const pid_t child = start_endless();
    kill(child, SIGINT);
    assert_int_equal(code_of(child), 130);
    assert_non_null(strstr(file("command.err"), "endless.grebe has the fit as it is"));
    assert_int_equal(access("endless.json", F_OK), -1);
    assert_int_equal(grebe("predict --load endless.grebe --data line.csv").code, 0);
}

/* In the middle of a search there are no steps to go on with; the file says what it has. */
TEST(an_interrupted_search_is_saved_and_says_so)
{
    (void)t;
    prepare();
    for (int i = 1; i < 60; i++) {
        const pid_t child =
            start_command("", "fit linear --data groups --formula 'y ~ x' --group group --save search.grebe");
        pause_for(5 * i);
        kill(child, SIGINT);
        const int code = code_of(child);
        if (code != 130 || !strstr(file("command.err"), "before the end of the fit"))
            continue;
        assert_null(strstr(file("command.err"), "--resume"));
        assert_non_null(strstr(grebe("predict --load search.grebe --data groups").out,
                               "it was interrupted before its end"));
        return;
    }
    fail_msg("no interrupt met the search");
}

TEST(interrupted_draws_have_the_status_of_an_interrupt)
{
    (void)t;
    prepare();
    const pid_t child = start_command("", "fit gaussian_process --data curve --target y --method nuts");
    pause_for(400);
    kill(child, SIGINT);
    assert_int_equal(code_of(child), 130);
    assert_non_null(strstr(file("command.err"), "interrupted"));
}

TEST(other_signals_end_at_once)
{
    (void)t;
    prepare();
    const pid_t child = start_endless();
    kill(child, SIGTERM);
    assert_int_equal(code_of(child), 128 + SIGTERM);
    assert_int_equal(access("endless.json", F_OK), -1);
}

/* The judging of a fit takes long here, and asks only about ten times a second. */
TEST(a_second_interrupt_ends_at_once)
{
    (void)t;
    prepare();
    const pid_t child = start_command("", "fit gaussian_process --data curve --target y --method nuts");
    wait_for_its_waiting(child);
    pause_for(400);
    kill(child, SIGINT);
    pause_for(5);
    kill(child, SIGINT);
    assert_int_equal(code_of(child), 130);
}

/* ---- native code ---- */

/* Starts it with a compiler that leaves a file and fails. Returns after how many milliseconds that is called;
 * `most`: it is not. Each has a file of its own: the compiler of one that was ended may still be running. */
static int compiled_after(const char *before, const char *arguments, int most)
{
    enum { STEP = 10 };
    static int calls;
    char called[32], surroundings[128];
    int after = 0;
    snprintf(called, sizeof called, "called-%d", calls++);
    snprintf(surroundings, sizeof surroundings, "CALLED=%s GREBE_CC=./cc %s", called, before);
    const pid_t child = start_command(surroundings, arguments);
    for (; after < most && access(called, F_OK) != 0; after += STEP)
        pause_for(STEP);
    kill(child, SIGTERM);
    const int code = code_of(child);
    assert_true(code == 128 + SIGTERM || code == 1000 + SIGTERM);
    return after;
}

TEST(long_work_is_compiled_but_for_measurements)
{
    enum { LONG = 60000 };
    static const char compare[] = "compare gauss-square --estimators score --draws 10000000000";
    (void)t;
    prepare();
    file_put_text("cc", "#!/bin/sh\n: >\"$CALLED\"\nexit 1\n");
    assert_int_equal(chmod("cc", 0700), 0);
    assert_int_equal(grebe("fit linear --data line.csv --target y --save line.grebe").code, 0);
    const int after = compiled_after("", "predict --load line.grebe --data line.csv --draws 10000000", LONG);
    assert_true(after < LONG);
    const int asked = compiled_after("GREBE_NATIVE=auto", compare, LONG);
    assert_true(asked < LONG);
    assert_true(compiled_after("", compare, asked + asked / 2) > asked);
}

/* ---- pictures and graphs ---- */

TEST(pictures_tell_epistemic_and_noise_apart)
{
    (void)t;
    prepare();
    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    assert_int_equal(grebe("fit linear --data line.csv --target y --plot band.svg >/dev/null").code, 0);
    static const char *const words[] = {
        "epistemic: 90 %", "noise besides: 90 %", "mean", "data", "smoothed (PSIS)", "k̂ = "};
    for (size_t i = 0; i < 6; i++)
        assert_non_null(strstr(file("band.svg"), words[i]));
    assert_null(strstr(file("band.svg"), "signal-to-noise"));
    assert_int_equal(grebe("fit linear --data groups.csv --target kid_score --plot both.svg >/dev/null").code,
                     0);
    assert_non_null(strstr(file("both.svg"), "posterior"));
    assert_non_null(strstr(file("both.svg"), "prior"));
    assert_int_equal(grebe("fit linear --data line.csv --target y --plot p.png >/dev/null").code, 0);
}

TEST(pictures_of_a_training_show_its_trace_and_the_ratios_of_each_layer)
{
    (void)t;
    prepare();
    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    static const char network[] = "fit network --data line.csv --target y --hidden 4,4 --steps 300";
    static const char *const words[] = {"± 2 standard errors", "signal-to-noise", "network.1.weight",
                                        "network.3.weight"};
    char line[256];
    snprintf(line, sizeof line, "%s --plot net.svg >/dev/null", network);
    assert_int_equal(grebe(line).code, 0);
    for (size_t i = 0; i < 4; i++)
        assert_non_null(strstr(file("net.svg"), words[i]));
    snprintf(line, sizeof line, "%s --dropout 0.1 --plot net.svg >/dev/null", network);
    assert_int_equal(grebe(line).code, 0); /* ratios of dropout are those of its rate */
    assert_null(strstr(file("net.svg"), "signal-to-noise"));
}

TEST(a_graph_folds_layers_and_sums_its_terms)
{
    (void)t;
    prepare();
    const char *const out = grebe("graph network --data line.csv --target y --hidden 5,5").out;
    assert_non_null(strstr(out, "layer   network.1       weight (1×5), bias (5)  <- x"));
    assert_non_null(strstr(out, "<- network.1\n"));
    assert_non_null(strstr(out, "<- y, mean, sigma\n"));
    assert_non_null(strstr(out, "<- -KL(network.1), -KL(network.2), -KL(network.3), -KL(sigma), log p(y)\n"));
    assert_non_null(
        strstr(grebe("graph linear --data line.csv --target y --format graphviz").out, "digraph elbo"));
    assert_int_equal(grebe("graph linear --data line.csv --target y --format svg --out g.svg").code, 0);
    assert_non_null(strstr(file("g.svg"), "</svg>"));
}

/* ---- calibration by simulation ---- */

/* 60 simulations: a right q fails with probability 1 %, and the seed is fixed. */
TEST(calibration_holds_for_a_right_q_and_fails_for_one_too_narrow)
{
    (void)t;
    prepare();
    assert_int_equal(grebe("check model linear --data line.csv --target y --simulations 60").code, 0);
    /* The data are far from this prior: latents that are not drawn from it are noticed. */
    assert_int_equal(
        grebe("check model linear --prior normal:scale=0.1 --data line.csv --target y --simulations 60").code,
        0);
    const answer a =
        grebe("check model linear --data line.csv --formula 'y ~ x + I((x + 1)^2)' --simulations 60 "
              "--posterior mean_field");
    assert_int_equal(a.code, 1);
    assert_non_null(strstr(a.out, "q is too narrow"));
}

/* ---- the clock ---- */

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which take longer to begin */
static double seconds_between(struct timeval before, struct timeval after)
{
    return (double)(after.tv_sec - before.tv_sec) + 1e-6 * (double)(after.tv_usec - before.tv_usec);
}

/* Without a shell. */
static int spawn_version(void)
{
    static char name[] = GB_COMMAND, option[] = "--version";
    char *const argument[] = {name, option, NULL}, *const environment[] = {NULL};
    posix_spawn_file_actions_t nowhere;
    pid_t child;
    posix_spawn_file_actions_init(&nowhere);
    posix_spawn_file_actions_addopen(&nowhere, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    assert_int_equal(posix_spawn(&child, GB_COMMAND, &nowhere, NULL, argument, environment), 0);
    posix_spawn_file_actions_destroy(&nowhere);
    return code_of(child);
}

TEST(the_version_takes_no_time)
{
    (void)t;
    prepare();
    double least = INFINITY;                        /* processor seconds */
    for (int i = 0; i < 40 && least > 0.020; i++) { /* the rest of the machine may be busy */
        struct rusage before, after;
        getrusage(RUSAGE_CHILDREN, &before);
        assert_int_equal(spawn_version(), 0);
        getrusage(RUSAGE_CHILDREN, &after);
        least = fmin(least, seconds_between(before.ru_utime, after.ru_utime) +
                                seconds_between(before.ru_stime, after.ru_stime));
    }
    assert_true(least < 0.020);
}
#endif
