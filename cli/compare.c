/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe compare`: estimators side by side on one problem, at one place or along a setting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/data.h"
#include "cli/picture.h"
#include "cli/say.h"
#include "cli/values.h"
#include "estimators/compare.h"
#include "estimators/list.h"
#include "estimators/parse.h"

enum {
    ESTIMATORS,
    SET,
    SWEEP,
    SAMPLES,
    DRAWS,
    SEED,
    THREADS,
    DTYPE,
    EQUAL_COST,
    AT,
    STEPS,
    DATA,
    TARGET,
    STANDARDISE,
    JSON,
    CSV,
    DRAWS_OUT,
    PLOT,
};

enum { MOST_ESTIMATORS = 24, MOST_VALUES = 1000, MOST_LIST = 4096 };

typedef struct work {
    const gb_cli *cli;
    gb_compare_options options;
    gb_estimator estimator[MOST_ESTIMATORS];
    const char *name[MOST_ESTIMATORS];
    char list[MOST_LIST];
    gb_compare_setting setting[GB_PROBLEM_SETTINGS + 1];
    char settings[MOST_LIST];
    gb_cli_data data;
    /* of a sweep; one comparison without */
    char swept[64];
    size_t count, done;
    double value[MOST_VALUES];
    gb_comparison *comparison[MOST_VALUES];
    /* progress */
    double begun, told;
    bool shows;
} work;

/* ---- what was asked for ---- */

static bool find_problem(work *w)
{
    const char *names[64];
    size_t count;
    const gb_problem *const *const all = gb_problems(&count);
    w->options.problem = gb_problem_find(w->cli->word[0]);
    for (size_t i = 0; i < count && i < 64; i++)
        names[i] = all[i]->name;
    if (!w->options.problem)
        gb_cli_say_unknown("problem", w->cli->word[0], count, names);
    return w->options.problem != NULL;
}

static bool read_estimators(work *w)
{
    const char *const text = w->cli->value[ESTIMATORS];
    char error[256];
    if (!text || strlen(text) >= sizeof w->list)
        return gb_cli_say(false, "--estimators takes a list, as pathwise,score:baseline=leave_one_out");
    strcpy(w->list, text);
    for (char *at = w->list, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        const size_t i = w->options.estimators;
        if (i == MOST_ESTIMATORS)
            return gb_cli_say(false, "--estimators takes at most %d", MOST_ESTIMATORS);
        if (!gb_estimator_parse(at, &w->estimator[i], error, sizeof error))
            return gb_cli_say(false, "--estimators: %s", error);
        w->name[i] = at;
        w->options.estimators++;
    }
    w->options.estimator = w->estimator;
    w->options.names = w->name;
    return true;
}

static const gb_setting *find_setting(const gb_problem *problem, const char *name)
{
    const char *names[GB_PROBLEM_SETTINGS];
    char what[96];
    size_t count = 0;
    for (; count < GB_PROBLEM_SETTINGS && problem->settings[count].name; count++) {
        names[count] = problem->settings[count].name;
        if (strcmp(names[count], name) == 0)
            return &problem->settings[count];
    }
    snprintf(what, sizeof what, "setting of %s called", problem->name);
    gb_cli_say_unknown(what, name, count, names);
    return NULL;
}

static bool in_range(const gb_setting *setting, double value)
{
    return (value >= setting->low && value <= setting->high) ||
           gb_cli_say(false, "%s is %g, and must be from %g to %g", setting->name, value, setting->low,
                      setting->high);
}

static bool read_settings(work *w)
{
    const char *const text = w->cli->value[SET];
    if (!text)
        return true;
    if (strlen(text) >= sizeof w->settings)
        return gb_cli_say(false, "--set is too long");
    strcpy(w->settings, text);
    for (char *at = w->settings, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        char *const sign = strchr(at, '=');
        double value;
        if (!sign || w->options.settings == GB_PROBLEM_SETTINGS)
            return gb_cli_say(false, "--set takes NAME=VALUE,NAME=VALUE, not \"%s\"", text);
        *sign = '\0';
        const gb_setting *const setting = find_setting(w->options.problem, at);
        if (!setting)
            return false;
        if (!gb_cli_number(sign + 1, &value))
            return gb_cli_say(false, "--set %s takes a number, not \"%s\"", at, sign + 1);
        if (!in_range(setting, value))
            return false;
        w->setting[w->options.settings++] = (gb_compare_setting){setting->name, value};
    }
    return true;
}

/* NAME=FROM:TO:COUNT */
static bool read_sweep(work *w)
{
    const char *const text = w->cli->value[SWEEP];
    char copy[256], *field[3];
    double from, to, count;
    w->count = 1;
    if (!text)
        return true;
    snprintf(copy, sizeof copy, "%s", text);
    char *const sign = strchr(copy, '=');
    field[0] = sign ? sign + 1 : NULL;
    for (int i = 1; i < 3; i++) {
        field[i] = field[i - 1] ? strchr(field[i - 1], ':') : NULL;
        if (field[i])
            *field[i]++ = '\0';
    }
    if (sign)
        *sign = '\0';
    if (!field[2] || !gb_cli_number(field[0], &from) || !gb_cli_number(field[1], &to) ||
        !gb_cli_number(field[2], &count) || !(count >= 1 && count <= MOST_VALUES) || floor(count) < count)
        return gb_cli_say(false, "--sweep takes NAME=FROM:TO:COUNT, as k=-3:3:25, not \"%s\"", text);
    const gb_setting *const setting = find_setting(w->options.problem, copy);
    if (!setting || !in_range(setting, from) || !in_range(setting, to))
        return false;
    snprintf(w->swept, sizeof w->swept, "%s", setting->name);
    w->count = (size_t)count;
    for (size_t i = 0; i < w->count; i++)
        w->value[i] = w->count > 1 ? from + (to - from) * (double)i / (count - 1) : from;
    w->setting[w->options.settings++].name = setting->name; /* given last, it is the one that counts */
    return true;
}

static bool read_numbers(work *w)
{
    static const char *const types[] = {"f64", "f32"}, *const places[] = {"given", "fitted", "path"};
    uint64_t samples = 0, draws = 10000, seed = 1, threads = 1, steps = 0;
    size_t type = 0, place = 0;
    const gb_cli *const cli = w->cli;
    if (!gb_cli_whole(cli, SAMPLES, 1, 1000000, &samples) ||
        !gb_cli_whole(cli, DRAWS, 2, 1000000000, &draws) || !gb_cli_whole(cli, SEED, 0, UINT64_MAX, &seed) ||
        !gb_cli_whole(cli, THREADS, 1, 1024, &threads) || !gb_cli_whole(cli, STEPS, 1, 100000000, &steps) ||
        !gb_cli_choice(cli, DTYPE, 2, types, &type) || !gb_cli_choice(cli, AT, 3, places, &place))
        return false;
    w->options.samples = (int64_t)samples;
    w->options.draws = (int64_t)draws;
    w->options.seed = seed;
    w->options.threads = (int)threads;
    w->options.steps = (int64_t)steps;
    w->options.real = type == 0 ? GB_DOUBLE : GB_FLOAT;
    w->options.at = (gb_compare_at)place;
    w->options.equal_cost = cli->value[EQUAL_COST] != NULL;
    return true;
}

static gb_cli_code read_data(work *w)
{
    const gb_cli *const cli = w->cli;
    if (w->options.problem->needs_data != (cli->value[DATA] != NULL))
        return gb_cli_say(GB_CLI_USAGE,
                          w->options.problem->needs_data ? "%s needs data: --data FILE.csv --target NAME"
                                                         : "%s takes no data",
                          w->options.problem->name);
    if (!cli->value[DATA])
        return GB_CLI_OK;
    if (!cli->value[TARGET])
        return gb_cli_say(GB_CLI_USAGE, "--data needs --target, the name of the column to be explained");
    const gb_cli_code code =
        gb_cli_data_read(&w->data, cli->value[DATA], cli->value[TARGET], cli->value[STANDARDISE] != NULL);
    w->options.data = &w->data.data;
    return code;
}

static bool is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static bool files_fit(const work *w)
{
    const char *const *const value = w->cli->value;
    const int many = is_standard_output(value[JSON]) + is_standard_output(value[CSV]) +
                     is_standard_output(value[DRAWS_OUT]);
    if (many > 1)
        return gb_cli_say(false, "only one of --json, --csv and --draws-out can go to standard output");
    return !value[PLOT] || gb_cli_picture_fits(value[PLOT]);
}

/* ---- progress ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* On a terminal, of what takes more than a second. */
static bool tell(void *context, double part)
{
    work *const w = context;
    const double time = now(), done = ((double)w->done + part) / (double)w->count;
    if (!w->shows || time - w->begun < 1 || time - w->told < 0.2)
        return true;
    w->told = time;
    fprintf(stderr, "\rcompare: %3.0f %%, %.0f s left \033[K", 100 * done,
            (time - w->begun) * (1 - done) / fmax(done, 1e-3));
    return true;
}

static void end_progress(const work *w)
{
    if (w->told > 0)
        fputs("\r\033[K", stderr);
}

/* ---- results ---- */

static void write_csv(const work *w, FILE *file)
{
    fprintf(
        file,
        "%s%sestimator,evaluations,seconds,parameter,mean,stderr,variance,variance_stderr,kurtosis,exact,z,snr\n",
        w->swept, *w->swept ? "," : "");
    for (size_t i = 0; i < w->count; i++) {
        const gb_comparison *const c = w->comparison[i];
        for (size_t e = 0; e < c->estimators; e++)
            for (size_t k = 0; c->estimator[e].parameter && k < c->parameters; k++) {
                const gb_compared *const by = &c->estimator[e];
                const gb_measured *const m = &by->parameter[k];
                if (*w->swept)
                    fprintf(file, "%.17g,", w->value[i]);
                fprintf(file, "\"%s\",%.17g,%.6g,\"%s\",%.17g,%.6g,%.17g,%.6g,%.6g,%.17g,%.6g,%.6g\n",
                        by->name, by->evaluations, by->seconds, c->parameter[k], m->mean, m->stderr_,
                        m->variance, m->variance_stderr, m->kurtosis, m->exact, m->z, m->snr);
            }
    }
}

static void write_json(const work *w, FILE *file)
{
    if (!*w->swept) {
        gb_comparison_json(w->comparison[0], file);
        return;
    }
    fprintf(file, "{\"sweep\": \"%s\", \"runs\": [\n", w->swept);
    for (size_t i = 0; i < w->count; i++) {
        gb_comparison_json(w->comparison[i], file);
        fputs(i + 1 < w->count ? ",\n" : "\n", file);
    }
    fputs("]}\n", file);
}

/* Of a sweep: the total variance of each estimator at each value. */
static void print_sweep(const work *w, FILE *file)
{
    const gb_comparison *const first = w->comparison[0];
    fprintf(file, "%s: %s\ntotal variances of %lld gradients, each a mean over %lld sample%s\n\n%12s",
            first->problem->name, first->problem->formula, (long long)first->draws, (long long)first->samples,
            first->samples == 1 ? "" : "s", w->swept);
    for (size_t e = 0; e < first->estimators; e++)
        fprintf(file, " %*s", (int)fmax(11, (double)strlen(first->estimator[e].name)),
                first->estimator[e].name);
    for (size_t i = 0; i < w->count; i++) {
        fprintf(file, "\n%12.5g", w->value[i]);
        for (size_t e = 0; e < first->estimators; e++)
            fprintf(file, " %*.5g", (int)fmax(11, (double)strlen(first->estimator[e].name)),
                    w->comparison[i]->estimator[e].total_variance);
    }
    fputc('\n', file);
}

static gb_cli_code write_to(work *w, size_t option, void (*write)(const work *w, FILE *file))
{
    const char *const path = w->cli->value[option];
    FILE *const file = path ? gb_cli_files_open(w->cli->files, path) : NULL;
    if (file)
        write(w, file);
    return path && !file ? GB_CLI_IO : GB_CLI_OK;
}

static gb_cli_code write_all(work *w)
{
    const char *const *const value = w->cli->value;
    const bool taken = is_standard_output(value[JSON]) || is_standard_output(value[CSV]) ||
                       is_standard_output(value[DRAWS_OUT]);
    if (!taken && *w->swept)
        print_sweep(w, stdout);
    else if (!taken)
        gb_comparison_print(w->comparison[0], stdout);
    gb_cli_code code = write_to(w, JSON, write_json);
    if (code == GB_CLI_OK)
        code = write_to(w, CSV, write_csv);
    const gb_cli_series series = {.setting = *w->swept ? w->swept : NULL,
                                  .count = w->count,
                                  .value = w->value,
                                  .comparison = w->comparison};
    if (code == GB_CLI_OK && value[PLOT])
        code = gb_cli_picture(w->cli->files, value[PLOT], &series);
    if (code == GB_CLI_OK && !gb_cli_files_keep(w->cli->files))
        code = GB_CLI_IO;
    return code;
}

/* ---- the command ---- */

static gb_cli_code measure(work *w)
{
    w->begun = now();
    w->shows = isatty(STDERR_FILENO);
    for (; w->done < w->count; w->done++) {
        if (*w->swept)
            w->setting[w->options.settings - 1].value = w->value[w->done];
        gb_comparison *const c = w->comparison[w->done] = gb_compare_with(w->options);
        if (!c || c->status != GB_OK) {
            end_progress(w);
            return c ? gb_cli_say(gb_cli_code_of(c->status), "%s", c->error)
                     : gb_cli_say(GB_CLI_IO, "out of memory");
        }
    }
    end_progress(w);
    return GB_CLI_OK;
}

static gb_cli_code prepare(work *w)
{
    if (!find_problem(w) || !read_estimators(w) || !read_settings(w) || !read_sweep(w) || !read_numbers(w) ||
        !files_fit(w))
        return GB_CLI_USAGE;
    const gb_cli_code code = read_data(w);
    const char *const raw = w->cli->value[DRAWS_OUT];
    if (code != GB_CLI_OK || !raw)
        return code;
    w->options.raw = gb_cli_files_open(w->cli->files, raw);
    return w->options.raw ? GB_CLI_OK : GB_CLI_IO;
}

static gb_cli_code run(const gb_cli *cli)
{
    work *const w = calloc(1, sizeof *w);
    if (!w)
        return gb_cli_say(GB_CLI_IO, "out of memory");
    w->cli = cli;
    w->options = (gb_compare_options){
        .size = sizeof(gb_compare_options), .setting = w->setting, .progress = tell, .context = w};
    gb_cli_code code = prepare(w);
    if (code == GB_CLI_OK)
        code = measure(w);
    if (code == GB_CLI_OK)
        code = write_all(w);
    for (size_t i = 0; i < w->count; i++)
        gb_comparison_free(w->comparison[i]);
    gb_cli_data_free(&w->data);
    free(w);
    return code;
}

const gb_cli_command gb_cli_compare_command = {
    .name = "compare",
    .words = "PROBLEM --estimators LIST",
    .summary = "the mean, variance and cost of gradient estimators on a problem",
    .help = "LIST is of names with options: pathwise,score:baseline=leave_one_out,rebar:eta=0.5\n"
            "(`grebe list estimators`, `grebe list problems`). Examples:\n\n"
            "  grebe compare gauss-square --estimators pathwise,score,measure --set mu=1,k=0.5\n"
            "  grebe compare gauss-cos --estimators pathwise,score --sweep k=0.1:3:20 --plot cos.svg\n"
            "  grebe compare logistic --data cancer.csv --target malignant --standardise \\\n"
            "      --estimators pathwise,score:baseline=leave_one_out --samples 10 --json -\n",
    .least = 1,
    .most = 1,
    .options = {[ESTIMATORS] = {"estimators", "LIST", "what is compared"},
                [SET] = {"set", "NAME=VALUE,...", "settings of the problem"},
                [SWEEP] = {"sweep", "NAME=FROM:TO:COUNT", "a setting takes values in turn"},
                [SAMPLES] = {"samples", "S",
                             "samples that each gradient is a mean over; 1, or 2 where it takes two"},
                [DRAWS] = {"draws", "R", "gradients by each estimator; 10000"},
                [SEED] = {"seed", "N", "of all noise; 1"},
                [THREADS] = {"threads", "T", "1; results do not depend on it"},
                [DTYPE] = {"dtype", "f64|f32", "f64"},
                [EQUAL_COST] = {"equal-cost", NULL, "fewer samples for who evaluates more"},
                [AT] = {"at", "given|fitted|path",
                        "where: at the settings, after training, along one; given"},
                [STEPS] = {"steps", "N", "of that training; 1000"},
                [DATA] = {"data", "FILE.csv", "names of columns, then rows of numbers"},
                [TARGET] = {"target", "NAME", "the column that is explained by the others"},
                [STANDARDISE] = {"standardise", NULL, "the others get mean 0 and standard deviation 1"},
                [JSON] = {"json", "FILE", "results as JSON; - for standard output, and nothing else there"},
                [CSV] = {"csv", "FILE", "results as CSV"},
                [DRAWS_OUT] = {"draws-out", "FILE", "every single gradient as CSV"},
                [PLOT] = {"plot", "FILE.svg|png", "variances as a picture, by gnuplot"}},
    .run = run,
};
