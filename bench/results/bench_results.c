/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/results/run builds this program.
 *
 *     bench_results FOLDER EXPERIMENT... [--only a,b] [--splits N] [--epochs N] [--draws N] [--data DIR]
 *                   [--build TEXT]
 *
 * --only names parts of an experiment: sets, posteriors, methods. --splits, --epochs and --draws make a run
 * smaller, for a look, whose records are in a folder of their own within FOLDER: look-splits-2-epochs-3.
 *
 * Each experiment appends a line to FOLDER/EXPERIMENT.tsv for each run that it ends. A run whose line is
 * there is not done again, so an interrupted call goes on where it was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "results.h"

enum { MOST = 16 };

const results_experiment results_experiments[] = {
    {"uci", "set\tsplit\tpart\trate\ttau\tll\trmse\tmae\tcrps\tcover50\tcover90\tcover95\tcalibration\tsteps",
     results_uci},
    {"beside", "set\tmethod\tsplit\tll\trmse\tmae\tcrps\tcover50\tcover90\tcover95\tcalibration\tsteps",
     results_uci_beside},
    {"posteriors", "posterior\tmethod\tmean_off\tsd_off\telbo\terror\tlog_z\tverdict", results_posteriors},
    {"logistic", "estimator\tstep\telbo\terror\taccuracy\taccuracy_of_draw\tvariance\tvariance_error",
     results_logistic},
    {"sbc", "model\tsimulation\tbelow1\tbelow2\tbelow3", results_sbc},
    {"mnist",
     "method\tunits\tpart\ta\tb\tseed\terror\tll\tcalibration\tentropy\tentropy_turned\tentropy_mixed\t"
     "epochs",
     results_mnist},
    {"noise", "noise\tstep\telbo", results_noise},
    {"mnist_curve", "method\ta\tb\tstep\telbo\tvalidation", NULL}, /* of mnist */
    {"co2", "model\tx\tmean\tepistemic\tsd", results_co2},
    {"belief", "estimator\tstep\tbound\ttest_bound\tvariance", results_belief},
    {"toys", "t\tphi\testimator\texact\tvariance\tvariance_error\tz", results_toys},
    {"toys_race", "t\testimator\tseed\tsteps\tp", NULL}, /* of toys */
    {"dreg", "estimator\tK\tvariance\tvariance_low\tvariance_high\tsnr\tsnr_low\tsnr_high\tbias\tgradients",
     results_dreg},
    {"belief200", "bound\testimator\tstep\tvariance\tlow\thigh\tevaluations\tms", results_belief200},
    {"belief200_bound", "layers\testimator\tK\tsteps\telbo\tbound\tiwae\tms", NULL}, /* of belief200 */
    {NULL, NULL, NULL},
};

static const results_experiment *experiment_named(const char *name)
{
    for (const results_experiment *e = results_experiments; e->name; e++)
        if (e->run && !strcmp(e->name, name))
            return e;
    fprintf(stderr, "unknown experiment or option %s; experiments are", name);
    for (const results_experiment *e = results_experiments; e->name; e++)
        fprintf(stderr, " %s", e->name);
    fputc('\n', stderr);
    return NULL;
}

/* Takes an option with a value. Returns false for other words. */
static bool take(results *r, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **text;
        int64_t *number;
    } options[] = {{"--only", &r->only, NULL},     {"--data", &r->data, NULL},
                   {"--build", &r->build, NULL},   {"--splits", NULL, &r->splits},
                   {"--epochs", NULL, &r->epochs}, {"--draws", NULL, &r->draws}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(options[i].name, name)) {
            if (options[i].text)
                *options[i].text = value;
            else
                *options[i].number = strtoll(value, NULL, 10);
            return true;
        }
    return false;
}

static bool make_folder(const char *folder)
{
    if (folder[0] && (mkdir(folder, 0777) == 0 || errno == EEXIST))
        return true;
    fprintf(stderr, "%s: no such folder can be made\n", folder);
    return false;
}

/* Records of smaller runs do not mix with others. */
static bool choose_folder(results *r, const char *given, char folder[RESULTS_PATH])
{
    const struct {
        const char *name;
        int64_t number;
    } looks[] = {{"splits", r->splits}, {"epochs", r->epochs}, {"draws", r->draws}};
    int used = snprintf(folder, RESULTS_PATH, "%s", given);
    bool is_look = false;
    r->folder = folder;
    if (!make_folder(folder))
        return false;
    for (size_t i = 0; i < sizeof looks / sizeof *looks && used < RESULTS_PATH; i++)
        if (looks[i].number > 0) {
            used += snprintf(folder + used, (size_t)(RESULTS_PATH - used), "%s-%s-%lld",
                             is_look ? "" : "/look", looks[i].name, (long long)looks[i].number);
            is_look = true;
        }
    return !is_look || make_folder(folder);
}

int main(int count, char **argument)
{
    results r = {.data = GB_BENCH_DIRECTORY "/../../shared/data", .build = "unknown"};
    const results_experiment *wanted[MOST];
    size_t experiments = 0;
    for (int i = 2; i < count; i++) {
        if (i + 1 < count && take(&r, argument[i], argument[i + 1])) {
            i++;
            continue;
        }
        if (experiments == MOST || !(wanted[experiments++] = experiment_named(argument[i])))
            return 1;
    }
    if (!experiments) {
        fprintf(stderr,
                "bench_results FOLDER EXPERIMENT... [OPTION...]: a folder and an experiment are needed\n");
        return 1;
    }
    char folder[RESULTS_PATH];
    if (!choose_folder(&r, argument[1], folder))
        return 1;
    bool good = true, found = false;
    r.found = &found;
    for (size_t i = 0; i < experiments; i++)
        good = wanted[i]->run(&r) && good;
    if (r.only && !found) {
        fprintf(stderr, "--only %s: the experiments have no such part\n", r.only);
        good = false;
    }
    return good ? 0 : 1;
}
