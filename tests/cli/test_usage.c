/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For words that it does not understand, the command prints the nearest name and ends with code 2. Lists have
 * all names. */
#include "command.h"

#include "compare/problem.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/bound.h"
#include "estimators/list.h"
#include "models/family.h"
#include "models/optimiser.h"
#include "ops/list.h"
#include "support/json.h"

TEST(the_nearest_name_is_suggested)
{
    assert_says("comprae", 2, "did you mean compare?");
    assert_says("compare gauss-sqare --estimators score", 2, "did you mean gauss-square?");
    assert_says("compare gauss-square --estimator score", 2, "did you mean estimators?");
    assert_says("compare gauss-square --estimators pathwize", 2, "did you mean pathwise?");
    assert_says("compare gauss-square --estimators score:baseline=moving_avrage", 2, "did you mean");
    assert_says("compare gauss-square --estimators score --set sigmas=1", 2, "did you mean sigma?");
    assert_says("compare gauss-square --estimators score --at fited", 2, "did you mean fitted?");
    assert_says("compare gauss-square --estimators score --dtype f65", 2, "did you mean f6");
    assert_says("list problem", 2, "did you mean problems?");
    assert_says("check ops softpus", 2, "did you mean softplus?");
    assert_says("check optimisers adm", 2, "did you mean adam?");
    assert_says("check families mean_feild", 2, "did you mean mean_field?");
    assert_says("check opps", 2, "did you mean ops?");
    assert_says("help lst", 2, "did you mean list?");
}

TEST(wrong_usage_is_reported)
{
    assert_says("", 2, "grebe compare");
    assert_says("compare", 2, "a word is missing");
    assert_says("compare gauss-square", 2, "--estimators LIST is required");
    assert_says("compare gauss-square more --estimators score", 2, "unexpected word \"more\"");
    assert_says("compare gauss-square --estimators", 2, "takes a value");
    assert_says("compare gauss-square --estimators score --equal-cost=1", 2, "takes no value");
    assert_says("compare gauss-square --estimators score --seed 1 --seed=2", 2, "given twice");
    assert_says("compare gauss-square -s 3 --estimators score", 2, "two dashes");
    assert_says("compare --estimators score -- --seed", 2, "no problem --seed");
    assert_says("compare gauss-square --estimators score,,score", 2, "a name is expected");
    assert_says("compare logistic --estimators score", 2, "--data FILE.csv --target NAME");
    assert_says("compare gauss-square --estimators score --data x.csv --target y", 2, "needs no data");
    assert_says("compare gauss-square --estimators score --steps 10", 2, "--at fitted");
    assert_says("compare gauss-square --estimators score --json - --csv -", 2,
                "each needs a file of its own");
    assert_says("compare gauss-square --estimators score --json a --csv a", 2,
                "--json and --csv both write to a");
    assert_says("compare gauss-square --estimators score --at path --sweep k=0:1:2", 2, "choose one");
    assert_says("compare gauss-square --estimators score --plot x.pdf", 2, ".svg or .png");
    assert_says("compare poisson-square --estimators pathwise", 2, "These fit: score");
    assert_says("compare gauss-square --estimators score:baseline=loo --samples 1", 2, "use --samples 2\n");
    assert_says("compare gauss-square --estimators vargrad --samples 1", 2, "use --samples 2\n");
}

TEST(values_are_held_to_their_ranges)
{
    static const char *const wrong[][2] = {
        {"--draws 1", "--draws is \"1\""},       {"--draws 10x", "whole number"},
        {"--draws 0x10", "whole number"},        {"--draws 1.5", "whole number"},
        {"--draws -4", "whole number"},          {"--samples 0", "--samples"},
        {"--seed 18446744073709551616", "seed"}, {"--threads ' 2'", "--threads"},
        {"--set sigma=0", "from 1e-06 to 100"},  {"--set sigma=nan", "takes a number"},
        {"--set sigma", "name=value"},           {"--set k=1,k=2", "twice"},
        {"--sweep k=1:2", "from:to:points"},     {"--sweep k=1:2:1", "2 to 1000"},
        {"--sweep k=2:1:5", "smaller"},          {"--sweep k=-1:1:5:log", "above 0"},
        {"--sweep k=0:200:5", "-100"},           {"--set k=1 --sweep k=0:1:3", "both"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[256];
        snprintf(line, sizeof line, "compare gauss-square --estimators score %s", wrong[i][0]);
        assert_says(line, 2, wrong[i][1]);
    }
}

TEST(a_sweep_that_is_cut_would_be_another_one_and_is_rejected)
{
    char line[512];
    snprintf(line, sizeof line, "compare gauss-square --estimators score --sweep k=0.%0250d:2:3", 1);
    assert_says(line, 2, "at most 255 characters");
}

TEST(a_value_that_is_required_is_not_empty)
{
    assert_says("compare gauss-square --estimators score --json \"\"", 2, "--json is empty");
    assert_says("compare gauss-square --estimators score --csv=", 2, "--csv is empty");
    assert_says("compare gauss-square --estimators= ", 2, "--estimators is empty");
}

TEST(control_characters_are_shown_and_not_obeyed)
{
    static const char *const words[] = {"\"$(printf 'a\\033[31m\\a\\177')\"",
                                        "compare \"$(printf 'x\\302\\2331m')\"",
                                        "compare x \"$(printf 'y\\rz\\nt')\"",
                                        "compare x --\"$(printf 'y\\rz')\"",
                                        "list \"$(printf '\\233')\"",
                                        "list \"$(printf 'a\\342\\200\\256b')\"",
                                        "list \"$(printf 'a\\342\\200\\250b')\"",
                                        "list \"$(printf 'a\\342\\201\\246b\\342\\200\\217')\"",
                                        "list \"$(printf 'a\\330\\234\\340\\200\\233')\"",
                                        "check estimators \"$(printf 'sc\\033\\342\\200\\256ore')\""};
    static const char *const shown[] = {"a\\x1b[31m\\x07\\x7f",
                                        "x\\xc2\\x9b1m",
                                        "\"y\\x0dz\\nt\"",
                                        "y\\x0dz",
                                        "\\x9b",
                                        "a\\xe2\\x80\\xaeb",
                                        "a\\xe2\\x80\\xa8b",
                                        "a\\xe2\\x81\\xa6b\\xe2\\x80\\x8f",
                                        "a\\xd8\\x9c\\xe0\\x80\\x9b",
                                        "sc\\x1b\\xe2\\x80\\xaeore"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const answer a = grebe(words[i]);
        assert_int_equal(a.code, 2);
        if (!strstr(a.err, shown[i]))
            fail_msg("\"%s\" should contain %s", a.err, shown[i]);
        for (const char *c = a.err; *c; c++)
            assert_true((unsigned char)*c >= ' ' || *c == '\n');
    }
    assert_says("list \"$(printf 'm\\303\\251')\"", 2, "m\303\251");
    assert_says("list \"$(printf '\\342\\211\\244\\360\\237\\246\\206')\"", 2,
                "\342\211\244\360\237\246\206");
}

TEST(help_is_no_error)
{
    static const char *const pages[] = {"help",           "--help",    "help compare",
                                        "compare --help", "help list", "--version"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const answer a = grebe(pages[i]);
        assert_int_equal(a.code, 0);
        assert_non_null(strstr(a.out, "grebe "));
        assert_string_equal(a.err, "");
    }
    assert_non_null(strstr(grebe("help compare").out, "--draws-out"));
    assert_non_null(strstr(grebe("--version").out, "grebe 0."));
}

/* ---- lists ---- */

static void lists(const char *topic, size_t count, const char *(*name)(size_t i))
{
    char arguments[64], path[64];
    snprintf(arguments, sizeof arguments, "list %s", topic);
    const answer text = grebe(arguments);
    assert_int_equal(text.code, 0);
    for (size_t i = 0; i < count; i++)
        assert_non_null(strstr(text.out, name(i)));
    snprintf(arguments, sizeof arguments, "list %s --json", topic);
    const answer json = grebe(arguments);
    assert_true(json_is_valid(json.out));
    assert_int_equal(json_count(json.out, topic), (int)count);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s.%zu.name", topic, i);
        const char *const at = json_find(json.out, path);
        assert_non_null(at);
        assert_int_equal(strncmp(at + 1, name(i), strlen(name(i))), 0);
    }
}

#define NAME_OF(kind, list)                                                                                  \
    static const char *name_of_##kind(size_t i)                                                              \
    {                                                                                                        \
        return list(NULL)[i]->name;                                                                          \
    }
#define KINDS(do_)                                                                                           \
    do_(estimators, gb_estimators) do_(baselines, gb_baselines) do_(distributions, gb_dists)                 \
        do_(transforms, gb_transforms) do_(problems, gb_problems) do_(ops, gb_ops)                           \
            do_(families, gb_families) do_(optimisers, gb_optimisers) do_(bounds, gb_bounds)
KINDS(NAME_OF)

TEST(lists_hold_all_names)
{
    size_t count;
#define LISTS(kind, list)                                                                                    \
    list(&count);                                                                                            \
    lists(#kind, count, name_of_##kind);
    KINDS(LISTS)
    const answer kl = grebe("list kl --json");
    assert_true(json_is_valid(kl.out));
    assert_true(json_count(kl.out, "kl") > 50);
    assert_non_null(json_find(kl.out, "kl.0.p"));
}

/* The number of the row with that name in a list; fails if there is none. */
static int place_of(const char *json, const char *list, const char *name)
{
    char path[128];
    for (int i = 0; i < json_count(json, list); i++) {
        snprintf(path, sizeof path, "%s.%d.name", list, i);
        const char *const at = json_find(json, path);
        if (at && strncmp(at + 1, name, strlen(name)) == 0 && at[1 + strlen(name)] == '"')
            return i;
    }
    fail_msg("there is no %s among %s", name, list);
    return -1;
}

static const char *option_field(const char *json, const char *estimator, const char *option,
                                const char *field)
{
    static char path[128];
    snprintf(path, sizeof path, "estimators.%d.options", place_of(json, "estimators", estimator));
    const int which = place_of(json, path, option);
    const size_t used = strlen(path);
    snprintf(path + used, sizeof path - used, ".%d.%s", which, field);
    const char *const at = json_find(json, path);
    if (!at)
        fail_msg("there is no %s", path);
    return at;
}

static void begins(const char *text, const char *words)
{
    if (strncmp(text, words, strlen(words)) != 0)
        fail_msg("\"%.40s\" should begin with %s", text, words);
}

TEST(lists_say_what_options_may_be)
{
    const answer json = grebe("list estimators --json");
    begins(option_field(json.out, "rebar", "temperature", "kind"), "\"number\"");
    assert_true(strtod(option_field(json.out, "rebar", "temperature", "high"), NULL) == 1000);
    begins(option_field(json.out, "rebar", "learn", "kind"), "\"flag\"");
    begins(option_field(json.out, "rebar", "learn", "low"), "null");
    begins(option_field(json.out, "score", "baseline", "kind"), "\"plugin\"");
    begins(option_field(json.out, "score", "baseline", "of"), "\"baseline\"");
    begins(option_field(json.out, "score", "baseline", "argument"), "false");
    begins(option_field(json.out, "pathwise", "draws", "kind"), "\"choice\"");
    assert_non_null(strstr(option_field(json.out, "pathwise", "draws", "choices"), "\"sobol\""));
    const answer text = grebe("list estimators");
    assert_non_null(strstr(text.out, "of the relaxation (from 0.001 to 1000; 0.5)"));
    assert_non_null(strstr(text.out, "antithetic"));
    assert_non_null(strstr(text.out, "only in a bound of several draws"));
    const answer baselines = grebe("list baselines --json");
    char path[64];
    snprintf(path, sizeof path, "baselines.%d.options.0.default",
             place_of(baselines.out, "baselines", "moving_average"));
    begins(json_find(baselines.out, path), "0.9");
    snprintf(path, sizeof path, "baselines.%d.options.0.name",
             place_of(baselines.out, "baselines", "constant"));
    begins(json_find(baselines.out, path), "\"value\"");
    snprintf(path, sizeof path, "baselines.%d.options.0.required",
             place_of(baselines.out, "baselines", "constant"));
    begins(json_find(baselines.out, path), "true");
}

/* ---- the others ---- */

TEST(a_check_tells_what_holds)
{
    assert_non_null(strstr(grebe("check ops softplus").out, "holds"));
    assert_non_null(strstr(grebe("check ops --verbose tanh").out, "gradient"));
    assert_non_null(strstr(grebe("check estimators arm").out, "holds"));
    assert_non_null(strstr(grebe("check distributions mixture").out, "skipped"));
    assert_int_equal(grebe("check distributions exponential").code, 0);
    assert_non_null(strstr(grebe("check distributions gamma:2.5:rate=4").out, "holds"));
    assert_says("check distributions gamma:2.5:rate=-4", 2, "rate");
    assert_says("check distributions gama:2", 2, "did you mean gamma?");
    assert_non_null(strstr(grebe("check families mean_field").out, "holds"));
    assert_non_null(strstr(grebe("check families given").out, "skipped"));
    assert_non_null(strstr(grebe("check baselines learned").out, "skipped"));
    assert_non_null(strstr(grebe("check baselines leave_one_row_out").out, "holds"));
    assert_non_null(strstr(grebe("check transforms composed").out, "skipped"));
}

TEST(cheap_kinds_hold_whole)
{
    static const char *const kinds[] = {"transforms", "schedules", "bounds", "models"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "check %s", kinds[i]);
        const answer a = grebe(arguments);
        assert_int_equal(a.code, 0);
        assert_non_null(strstr(a.out, "holds"));
        assert_non_null(strstr(a.out, "\n0 of "));
    }
}

TEST(schedules_are_listed_with_their_numbers)
{
    const answer json = grebe("list schedules --json");
    assert_true(json_is_valid(json.out));
    assert_int_equal(json_count(json.out, "schedules"), 6);
    begins(json_find(json.out, "schedules.2.options.0.name"), "\"steps\"");
    assert_non_null(strstr(grebe("list schedules").out, "positive and finite"));
    assert_non_null(strstr(grebe("list transforms").out, "softmax(x1, ..., x(n-1), 0)"));
}

TEST(models_are_listed_with_what_they_take)
{
    const answer json = grebe("list models --json");
    assert_true(json_is_valid(json.out));
    begins(json_find(json.out, "models.0.name"), "\"linear\"");
    begins(json_find(json.out, "models.0.takes_group"), "true");
    assert_true(json_is_valid(grebe("list shrinkages --json").out));
    assert_non_null(strstr(grebe("list shrinkages").out, "horseshoe"));
}

TEST(every_optimiser_holds_as_it_is_by_default)
{
    const answer a = grebe("check optimisers");
    size_t count;
    char words[64];
    gb_optimisers(&count);
    snprintf(words, sizeof words, "\n0 of %zu optimisers fail\n", count);
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, words));
}

TEST(what_has_no_kit_is_not_checked)
{
    assert_says("check kl normal", 2, "there is no kind of check called kl");
    assert_non_null(strstr(grebe("help list").out,
                           "ops distributions transforms estimators baselines families "
                           "optimisers schedules bounds models problems kl shrinkages"));
    assert_null(strstr(grebe("help check").out, "shrinkages"));
}

TEST(an_optimiser_is_listed_with_its_numbers)
{
    const answer json = grebe("list optimisers --json");
    char path[64];
    snprintf(path, sizeof path, "optimisers.%d.options", place_of(json.out, "optimisers", "adamw"));
    const int which = place_of(json.out, path, "decay");
    snprintf(path + strlen(path), sizeof path - strlen(path), ".%d.default", which);
    assert_true(strtod(json_find(json.out, path), NULL) == 1e-2);
    assert_non_null(strstr(grebe("list optimisers").out, "learning rate (positive and finite; 0.001)"));
}

TEST(the_doctor_knows_this_machine)
{
    const answer a = grebe("doctor --json");
    assert_int_equal(a.code, 0);
    assert_true(json_is_valid(a.out));
    static const char *const facts[] = {"grebe.is", "machine.is",     "kernels.is", "SLEEF.is",
                                        "BLAS.is",  "native code.is", "threads.is", "gnuplot.is"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        assert_non_null(json_find(a.out, facts[i]));
    assert_non_null(strstr(grebe_with("PATH=/nowhere", "doctor").out, "install gnuplot"));
}

TEST(the_doctor_knows_why_there_is_no_native_code)
{
    assert_non_null(strstr(grebe_with("GREBE_CC=/nowhere/cc", "doctor").out,
                           "native code   none\n              GREBE_CC is /nowhere/cc, which is no program"));
}

TEST(the_doctor_clears_the_cache_of_native_code)
{
    const answer cleared = grebe_with("XDG_CACHE_HOME=" GB_TEST_FOLDER "/no-cache", "doctor --clear-cache");
    assert_int_equal(cleared.code, 0);
    assert_string_equal(cleared.out, "removed 0 KB from " GB_TEST_FOLDER "/no-cache/grebe\n");
    const answer none = grebe_with("XDG_CACHE_HOME=/dev/null/none", "doctor --clear-cache");
    assert_int_equal(none.code, 1);
    assert_non_null(strstr(none.err, "no cache in /dev/null/none/grebe"));
}

TEST(the_doctor_fails_where_no_tape_can_be_made)
{
    const answer a = grebe_with("GREBE_ISA=bogus", "doctor");
    assert_int_equal(a.code, 1);
    assert_non_null(strstr(a.out, "Nothing works here"));
    assert_non_null(strstr(a.out, "must be baseline, avx2 or avx512"));
}

TEST(no_plug_in_is_blamed_where_no_tape_can_be_made)
{
    static const char *const plug_ins[] = {"ops tanh",         "distributions gamma", "transforms exp",
                                           "estimators score", "baselines loo",       "families mean_field",
                                           "optimisers adam",  "schedules steady",    "bounds elbo"};
    for (size_t i = 0; i < sizeof plug_ins / sizeof *plug_ins; i++) {
        char line[64];
        snprintf(line, sizeof line, "check %s", plug_ins[i]);
        const answer a = grebe_with("GREBE_ISA=bogus", line);
        if (a.code != 1 || !strstr(a.out, "it was not judged: tape_new: GREBE_ISA in the environment is") ||
            strstr(a.out, "times"))
            fail_msg("%s: %d, %s%s", line, a.code, a.out, a.err);
    }
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which need more addresses */
TEST(the_doctor_plans_a_product)
{
    static const char *const limits[] = {"ulimit -v 60000;", "ulimit -v 100000;", "ulimit -v 130000;"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const answer a = grebe_with(limits[i], "doctor");
        assert_int_equal(a.code, 1);
        assert_non_null(strstr(a.out, "memory"));
        assert_null(strstr(a.out, "It works"));
    }
}
#endif

TEST(the_doctor_fails_where_matrix_products_cannot_be_planned)
{
    file_put_text("libopenblas.so.0", "no library");
    const answer a = grebe_with("LD_LIBRARY_PATH=.", "doctor");
    unlink("libopenblas.so.0");
    assert_int_equal(a.code, 1);
    assert_non_null(strstr(a.out, "none: matrix products cannot be planned"));
    assert_null(strstr(a.out, "It works"));
}

TEST(nothing_is_coloured_in_a_file)
{
    assert_null(strchr(grebe("doctor").out, '\033'));
    assert_null(strchr(grebe("check ops tanh").out, '\033'));
    assert_null(strchr(grebe("comprae").err, '\033'));
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    enter_folder("usage");
}
