/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plug-ins from a shared object that the test builds: listed, checked, compared, and named by files of
 * results. And files of results: made again, found the same or not. */
#include "command.h"

#include <math.h>
#include <time.h>

#include "core/version.h"
#include "plugins/bundle.h"
#include "support/json.h"

/* ---- the files ---- */

static const char *const variants[][2] = {{"every", ""},
                                          {"few", "-DFEW"},
                                          {"two", ""},
                                          {"version", "-DOTHER_VERSION"},
                                          {"undefined", "-DUNDEFINED"},
                                          {"taken", "-DTAKEN"},
                                          {"incomplete", "-DINCOMPLETE"},
                                          {"none", "-DNO_BUNDLE"},
                                          {"dies", "-DDIES"},
                                          {"leaves", "-DLEAVES"}};

/* All at once: each takes half a second. */
void test_begin(int argc, char **argv)
{
    char line[16384] = "", one[1024];
    (void)argc, (void)argv;
    enter_folder("own");
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        snprintf(one, sizeof one,
                 "%s -std=c17 -shared -fPIC %s '%s/cli/plugins/%s.c' -o %s.so -I'%s/include' -L'%s' "
                 "-Wl,-rpath,'%s' -lgrebe & ",
                 GB_COMPILER, variants[i][1], GB_TESTS, i < 2 ? "every" : "wrong", variants[i][0], GB_BUILD,
                 GB_BUILD, GB_BUILD);
        strcat(line, one);
    }
    strcat(line, "wait");
    if (system(line) != 0)
        abort();
}

#define QUICK " --draws 400 --threads 1 "

/* ---- lists ---- */

TEST(a_list_of_a_file_has_all_kinds_in_it)
{
    static const char *const members[][2] = {{"ops", "cube"},         {"distributions", "rayleigh"},
                                             {"transforms", "twice"}, {"estimators", "mirrored"},
                                             {"baselines", "one"},    {"families", "heavy"},
                                             {"optimisers", "signs"}, {"schedules", "falling"},
                                             {"bounds", "plain"},     {"models", "waits"},
                                             {"problems", "ring"},    {"shrinkages", "wide"}};
    const answer json = grebe("list ./every.so --json");
    assert_int_equal(json.code, 0);
    assert_true(json_is_valid(json.out));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char path[64], name[64];
        assert_int_equal(json_count(json.out, members[i][0]), 1);
        snprintf(path, sizeof path, "%s.0.name", members[i][0]);
        snprintf(name, sizeof name, "\"%s\"", members[i][1]);
        assert_int_equal(strncmp(json_find(json.out, path), name, strlen(name)), 0);
        snprintf(path, sizeof path, "%s.0.file", members[i][0]);
        assert_int_equal(strncmp(json_find(json.out, path), "\"./every.so\"", 12), 0);
    }
    const answer text = grebe("list ./every.so");
    assert_int_equal(text.code, 0);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        assert_true(strstr(text.out, members[i][0]) && strstr(text.out, members[i][1]));
    assert_null(strstr(text.out, "gauss-square"));
    assert_non_null(strstr(text.out, "the standard deviation of w: 0.7, from 0.01 to 10"));
}

TEST(a_list_of_a_kind_has_those_of_files_too)
{
    const answer with = grebe("list estimators ./every.so --json");
    assert_int_equal(with.code, 0);
    const int count = json_count(with.out, "estimators");
    assert_non_null(strstr(with.out, "\"file\": \"./every.so\""));
    assert_int_equal(json_count(grebe("list estimators --json").out, "estimators"), count - 1);
    assert_says("list", 2, "a word is missing");
    assert_says("check", 2, "a word is missing");
    assert_says("list estimator ./every.so", 2, "did you mean estimators?");
}

/* ---- checks ---- */

TEST(kits_check_what_is_in_a_file)
{
    const answer a = grebe("check ./few.so");
    if (a.code != 0)
        fail_msg("%s%s", a.out, a.err);
    assert_non_null(strstr(a.out, "operation cube "));
    assert_non_null(strstr(a.out, "transform twice "));
    assert_non_null(strstr(a.out, "bound plain "));
    assert_non_null(strstr(a.out, "schedule falling skipped: it needs steps; give its text: "
                                  "grebe check schedules falling:steps=…"));
    assert_non_null(strstr(a.out, "prior of coefficients wide: there is no kit of shrinkages"));
    assert_non_null(strstr(a.out, "0 of 5 plug-ins fail"));
    const answer one = grebe("check schedules falling:steps=20 ./few.so");
    assert_int_equal(one.code, 0);
    assert_non_null(strstr(one.out, "falling:steps=20 "));
    assert_says("check schedules fallin ./few.so", 2, "did you mean falling?");
}

/* ---- comparisons ---- */

/* With s = Σ centre = 0.4 the gradient in each of them is 2 Σ x (s x − y), that in s_i is 2 s_i. */
TEST(a_problem_and_an_estimator_of_a_file_are_compared)
{
    static const double x[] = {0.5, 1.2, -0.7, 0.9, -1.4, 0.3}, y[] = {0.1, 2.0, -0.9, 0.4, -2.2, 1.0};
    double slope = 0;
    for (size_t i = 0; i < 6; i++)
        slope += 2 * x[i] * (0.4 * x[i] - y[i]);
    const answer a = grebe("compare ./every.so --estimators score:baseline=one,mirrored:share=0.3,pathwise "
                           "--set scale=0.5 --json - " QUICK);
    assert_int_equal(a.code, 0);
    assert_true(json_is_valid(a.out));
    assert_int_equal(json_count(a.out, "estimators"), 3);
    for (int e = 0; e < 3; e++) {
        char path[64];
        assert_int_equal(snprintf(path, sizeof path, "estimators.%d.parameters", e) > 0, 1);
        assert_int_equal(json_count(a.out, path), 13);
        for (int p = 0; p < 13; p++) {
            snprintf(path, sizeof path, "estimators.%d.parameters.%d.exact", e, p);
            assert_true(fabs(json_number(a.out, path) - (p < 3 ? slope : 0.2 * (p - 3))) < 1e-12);
            snprintf(path, sizeof path, "estimators.%d.parameters.%d.z", e, p);
            assert_true(fabs(json_number(a.out, path)) < 6);
        }
    }
    assert_true(json_number(a.out, "estimators.1.evaluations_per_estimate") == 2);
}

TEST(names_of_files_stand_beside_built_in_ones)
{
    assert_int_equal(grebe("compare gauss-square ./every.so --estimators mirrored,score" QUICK).code, 0);
    assert_int_equal(grebe("compare ring ./every.so --estimators pathwise --batch 2" QUICK).code, 0);
    assert_int_equal(
        grebe("compare gauss-evidence ./every.so --bound plain --estimators pathwise" QUICK).code, 0);
    assert_int_equal(grebe("compare second ./two.so ./every.so --estimators pathwise" QUICK).code, 0);
    assert_int_equal(grebe("compare gauss-square ./every.so ././every.so --estimators mirrored" QUICK).code,
                     0);
    assert_says("compare poisson-square ./every.so --estimators mirrored" QUICK, 2,
                "mirrored needs a draw that can be mirrored (normal); poisson has none");
    assert_says("compare gauss-square --estimators mirrored", 2, "there is no estimator mirrored");
    assert_says("compare gauss-square ./every.so --estimators mirrord", 2, "did you mean mirrored?");
    assert_says("compare rin ./every.so --estimators score", 2, "did you mean ring?");
    assert_says("compare ./two.so --estimators score", 2, "the files have 2 problems; name one");
    assert_says("compare ./few.so --estimators score", 2, "the files have 0 problems; name one");
    assert_says("compare --estimators score", 2, "a word is missing");
    assert_says("compare ./every.so --estimators score --batch 7" QUICK, 2,
                "a batch of 7 rows, and there are 6");
    assert_says("compare gauss-square --estimators score --batch 2" QUICK, 2,
                "it has no rows to take batches of");
}

/* ---- files that are no plug-ins ---- */

/* Writes the beginning of a file, as a copy has it that was not finished. */
static void cut_off(const char *from, const char *to, size_t bytes)
{
    char *const some = malloc(bytes);
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
    assert_true(some && in && out);
    assert_int_equal(fread(some, 1, bytes, in), bytes);
    assert_int_equal(fwrite(some, 1, bytes, out), bytes);
    fclose(in);
    fclose(out);
    free(some);
}

/* The system's loader would map what is not there, and a signal would end the command. */
TEST(a_file_that_is_cut_off_is_rejected_in_words)
{
    static const size_t lengths[] = {64, 100, 500, 1000, 3000, 5000, 9000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        cut_off("every.so", "cut.so", lengths[i]);
        assert_says("list ./cut.so", 5, "./cut.so cannot be loaded: the file is cut off");
    }
    unlink("cut.so");
}

/* Bits of the tables that the loader and the command read: a process that tries the file dies for them. */
TEST(a_damaged_file_does_not_end_the_command)
{
    enum { FLIPS = 40, TABLES = 8000 };
    static char bytes[1 << 20];
    FILE *const in = fopen("every.so", "rb");
    assert_non_null(in);
    const size_t count = fread(bytes, 1, sizeof bytes, in);
    int dead = 0;
    fclose(in);
    assert_in_range(count, TABLES, sizeof bytes - 1);
    for (size_t i = 0; i < FLIPS; i++) {
        const size_t at = (i * TABLES + 3571 * i) / FLIPS % TABLES;
        FILE *const out = fopen("damaged.so", "wb");
        assert_non_null(out);
        bytes[at] ^= (char)(1 << i % 8);
        assert_int_equal(fwrite(bytes, 1, count, out), count);
        bytes[at] ^= (char)(1 << i % 8);
        fclose(out);
        const answer a = grebe("list ./damaged.so");
        if (a.code >= 1000)
            fail_msg("bit %zu of byte %zu ends the command by signal %d", i % 8, at, a.code - 1000);
        dead += strstr(a.err, "./damaged.so cannot be loaded: a process that tried it ended") != NULL;
    }
    assert_true(dead > 0);
    unlink("damaged.so");
}

TEST(a_file_that_cannot_be_used_is_rejected_in_words)
{
    assert_says("compare every.so --estimators score", 2,
                "every.so is a name; a file of plug-ins is given with a slash: ./every.so");
    assert_says("list ./nowhere.so", 5, "./nowhere.so cannot be loaded: No such file or directory");
    assert_says("list ./", 5, "it is not a regular file");
    file_put_text("text.so",
                  "this is not a shared object, though it has enough bytes for the head of one, 64");
    assert_says("list ./text.so", 5, "./text.so cannot be loaded: invalid ELF header");
    unlink("text.so");
    assert_says("list ./none.so", 5, "./none.so exports no plug-ins: it lacks GB_EXPORT_BUNDLE");
    assert_says("list ./dies.so", 5,
                "./dies.so cannot be loaded: a process that tried it ended by signal 9 (Killed)");
    assert_says("check ./leaves.so", 5,
                "./leaves.so cannot be loaded: a process that tried it ended with status 7");
    assert_says("list ./undefined.so", 5, "undefined symbol: nobody_defines_this; link it with what it uses");
    assert_says("list ./version.so", 2, "./version.so: it was compiled with the headers of grebe 0.99.");
    assert_says("list ./taken.so", 2, "./taken.so: problem gauss-square: this name is taken");
    assert_says("list ./incomplete.so", 2, "./incomplete.so: problem first: its type struct lacks cost");
    assert_says("list estimators ./every.so ./taken.so", 2, "this name is taken");
    char line[512] = "list";
    for (int i = 0; i < 17; i++)
        strcat(line, " ./every.so");
    assert_says(line, 2, "more than 16 files of plug-ins");
}

/* This program has a copy of the library in it, and the file calls the shared one. */
TEST(a_file_that_calls_another_copy_of_the_library_is_rejected)
{
    char error[512];
    const gb_bundle *bundle;
    assert_int_equal(gb_bundle_load("./every.so", &bundle, error, sizeof error), GB_EARGUMENT);
    assert_null(bundle);
    if (!strstr(error,
                "./every.so: it calls another copy of grebe than this program: link both to the shared"))
        fail_msg("%s", error);
}

/* ---- made again ---- */

static void make(const char *arguments, const char *path)
{
    char line[512];
    snprintf(line, sizeof line, "compare %s --json %s" QUICK, arguments, path);
    const answer a = grebe(line);
    if (a.code != 0)
        fail_msg("grebe %s: %s", line, a.err);
}

static void edit(const char *path, const char *from, const char *to)
{
    static char text[MOST_TEXT];
    snprintf(text, sizeof text, "%s", file(path));
    char *const at = strstr(text, from);
    if (!at)
        fail_msg("no %s in %s", from, text);
    FILE *const out = fopen(path, "w");
    fprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(out);
}

TEST(a_comparison_that_is_made_again_has_the_same_bits)
{
    static const char *const all[] = {
        "gauss-square --estimators score,score:baseline=moving,measure --seed 18446744073709551615",
        "bernoulli-3 --estimators rebar:temperature=0.3,disarm --at fitted --steps 20 --dtype f32",
        "rows --estimators score:baseline=loo,pathwise --batch 3 --equal-cost",
        "gauss-exp --estimators pathwise,score --at path --steps 30",
        "gauss-cos --estimators score,pathwise --sweep k=0.1:10:3:log --set mu=0.5",
        "gauss-evidence --estimators pathwise,vimco --bound iwae:draws=4",
        "gauss-evidence --estimators pathwise,vimco --bound iwae:draws=4 --train 30 --seeds 2",
        "rows --estimators score:baseline=loo,pathwise --batch 3 --train 20 --seeds 3 --dtype f32"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        make(all[i], "out.json");
        const answer a = grebe("compare --repeat out.json --threads 2");
        if (a.code != 0 || !strstr(a.out, "the same: all "))
            fail_msg("%s: %d: %s%s", all[i], a.code, a.out, a.err);
        assert_null(strstr(a.out, "NOT"));
    }
    unlink("out.json");
}

TEST(another_instruction_set_gives_the_same_within_intervals)
{
    if (strcmp(gb_kernels(), "baseline") == 0)
        skip();
    make("gauss-cos --estimators score,pathwise", "out.json");
    const answer a = grebe_with("GREBE_ISA=baseline", "compare --repeat out.json");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "the same within intervals: "));
    assert_non_null(strstr(a.out, "here "
                                  "0.2.0, baseline"));
    edit("out.json", "\"variance\": ", "\"variance\": 1");
    const answer b = grebe_with("GREBE_ISA=baseline", "compare --repeat out.json");
    assert_int_equal(b.code, 1);
    assert_non_null(strstr(b.out, "NOT the same: estimators[0].parameters[0].variance is 1"));
    unlink("out.json");
}

TEST(other_numbers_are_found_and_give_code_1)
{
    make("gauss-square --estimators score,pathwise", "out.json");
    edit("out.json", "\"seed\": 0", "\"seed\": 1");
    const answer a = grebe("compare --repeat out.json");
    assert_int_equal(a.code, 1);
    assert_non_null(strstr(a.out, "out.json: NOT the same: grebe "));
    assert_non_null(strstr(a.out, "numbers differ"));
    make("gauss-square --estimators score --sweep k=0:1:2", "out.json");
    edit("out.json", "\"kurtosis\": ", "\"kurtosis\": 1");
    const answer s = grebe("compare --repeat out.json");
    assert_int_equal(s.code, 1);
    assert_non_null(
        strstr(s.out, "out.json: NOT the same: comparisons[0].estimators[0].parameters[0].kurtosis is 1"));
    /* where results go to standard output, words do not */
    const answer j = grebe("compare --repeat out.json --json -");
    assert_int_equal(j.code, 1);
    assert_true(json_is_valid(j.out));
    assert_non_null(strstr(j.err, "NOT the same"));
    unlink("out.json");
}

/* A part of the file, too: the error, and the estimator that was not measured. */
TEST(what_failed_fails_again_alike)
{
    assert_int_equal(grebe("compare gauss-square --estimators score,arm --json out.json" QUICK).code, 2);
    const answer a = grebe("compare --repeat out.json");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "the same: all "));
    unlink("out.json");
}

TEST(plugins_of_a_file_are_asked_for_by_name)
{
    make("./every.so --estimators score:baseline=one,mirrored:share=0.3", "out.json");
    assert_non_null(strstr(file("out.json"),
                           "{\"kind\": \"estimator\", \"name\": \"mirrored\", \"from\": \"./every.so\"}"));
    assert_non_null(strstr(file("out.json"), "{\"kind\": \"baseline\", \"name\": \"one\""));
    assert_says("compare --repeat out.json", 3,
                "problem ring is a plug-in of the file ./every.so, which is not loaded; name that file, too");
    const answer a = grebe("compare --repeat out.json ./every.so");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "the same: all "));
    unlink("out.json");
}

TEST(data_are_asked_for_and_must_be_the_same)
{
    file_put_text("data.csv", "x,y\n0.5,1\n-1,0\n1.5,1\n0.2,0\n");
    file_put_text("other.csv", "x,y\n0.5,1\n-1,0\n1.5,1\n0.3,0\n");
    make("logistic --estimators pathwise,score --data data.csv --target y --standardise", "out.json");
    assert_says(
        "compare --repeat out.json", 2,
        "logistic needs data: --data FILE.csv --target NAME; the results were made with data.csv, target y, "
        "standardised");
    assert_says("compare --repeat out.json --data other.csv --target y --standardise", 3,
                "the data are not those of out.json");
    assert_says("compare --repeat out.json --data data.csv --target y", 3,
                "the data are not those of out.json");
    const answer a =
        grebe("compare --repeat out.json --data data.csv --target y --standardise --csv out.csv");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "the same: all "));
    assert_says("compare --repeat out.json --data data.csv --target y --standardise --json out.json", 2,
                "--json would replace out.json, which --repeat reads");
    unlink("data.csv");
    unlink("other.csv");
    unlink("out.json");
    unlink("out.csv");
}

TEST(a_file_that_is_damaged_or_options_that_it_decides_are_rejected)
{
    assert_says("compare gauss-square --estimators score --train 3 --batch 2", 2,
                "it has no rows to take batches of");
    assert_int_equal(grebe("compare gauss-square --estimators score --train 3 --json out.json").code, 0);
    assert_says("compare --repeat out.json --draws-out raw.csv", 2, "--draws-out is for gradients");
    assert_says("compare --repeat out.json --plot race.png", 2, "--plot of --train ends in .svg");
    make("gauss-square --estimators score", "out.json");
    assert_says("compare --repeat nowhere.json", 5, "cannot read nowhere.json");
    assert_says("compare --repeat out.json --draws 5", 2,
                "--repeat takes draws from its file; leave --draws out");
    assert_says("compare --repeat out.json --estimators score", 2, "leave --estimators out");
    assert_says("compare gauss-square --repeat out.json", 2,
                "--repeat takes the problem from its file; leave gauss-square out");
    assert_says("compare --repeat /dev/zero", 5, "cannot read /dev/zero: File too large");
    edit("out.json", "\"draws\": 400", "\"draws\": 4e2");
    assert_says("compare --repeat out.json", 3,
                "out.json: \"draws\" is missing, or is not a whole number from 1 to");
    file_put_text("out.json", "{\"problem\": \n");
    assert_says("compare --repeat out.json", 3, "out.json: line 2, column 1: no file of results");
    file_put_text("out.json",
                  "{\"schema\": \"grebe-comparison-1\", "
                  "\"plugins\": [{\"kind\": \"estimator\", \"name\": \"x\", \"from\": \"\\u001b[31m\"}]}");
    assert_says("compare --repeat out.json", 3, "\\x1b[31m");
    make("gauss-square --estimators score", "out.json");
    edit("out.json", "\"mean\": ", "\"mean\": null, \"m\": ");
    assert_says(
        "compare --repeat out.json", 3,
        "out.json: the file is damaged: estimators[0].parameters[0].mean is null, where a number is due");
    unlink("out.json");
}

/* What a terminal would obey is shown, wherever it comes from a file. */
TEST(words_of_a_file_do_not_reach_the_terminal)
{
    static const char *const of_race[] = {"\"name\": \"", "\"grebe\": \"", "\"kernels\": \"", "\"what\": \""};
    static const char *const runs[] = {"gauss-square --estimators score,pathwise",
                                       "gauss-square --estimators score --train 5 --seeds 2",
                                       "gauss-square --estimators score --sweep k=0:1:2"};
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < (r == 1 ? 4 : 3); i++) {
            char to[64];
            make(runs[r], "out.json");
            snprintf(to, sizeof to, "%sx\\n\\u001b[31mEVIL\\u009b\\u202e", of_race[i]);
            edit("out.json", of_race[i], to);
            const answer a = grebe("compare --repeat out.json");
            assert_true(a.code <= 1);
            const char *const shown = strstr(a.out, "\\x1b[31mEVIL");
            if (strchr(a.out, 27) || strchr(a.err, 27) || strstr(a.out, "\n\\x1b") || (i == 0 && !shown))
                fail_msg("%s %s: %s%s", runs[r], of_race[i], a.out, a.err);
        }
    unlink("out.json");
}
