/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe fit`: fits a ready model to a table. */
#include <string.h>

#include "cli/fitting/fit.h"
#include "cli/kinds/list.h"
#include "cli/results/outputs.h"

static void write_rows(const void *fitted, FILE *file)
{
    gb_prediction_csv(((const gb_cli_fitted *)fitted)->prediction, file);
}

static const gb_cli_results results = {
    .print = gb_cli_fitted_print,
    .file = {[GB_CLI_F_JSON] = gb_cli_fitted_json, [GB_CLI_F_OUT] = write_rows},
    .script = gb_cli_fitted_plot};

/* A fit is saved when it is done. That it can be is known before. */
static bool can_save(const gb_cli *cli, const char *path)
{
    const bool is_open = !path || gb_cli_files_open(cli->files, path) != NULL;
    gb_cli_files_discard(cli->files);
    return is_open;
}

static gb_cli_code run(const gb_cli *cli)
{
    gb_cli_fit fit;
    gb_cli_fitted fitted;
    gb_cli_outputs out;
    if (!gb_cli_fit_read(&fit, cli))
        return GB_CLI_USAGE;
    if (!can_save(cli, fit.file) || !gb_cli_outputs_open(&out, cli, &results))
        return GB_CLI_IO;
    gb_cli_code code = gb_cli_fit_run(&fitted, &fit, cli);
    if (code == GB_CLI_OK)
        code = gb_cli_outputs_write(&out, &fitted);
    gb_cli_fitted_end(&fitted);
    return code;
}

const gb_cli_command gb_cli_fit_command = {
    .name = "fit",
    .shares = true,
    .words = "MODEL|./FILE.so... --data FILE (--target COLUMN | --formula 'y ~ a*b') [OPTIONS]",
    .summary = "fit a model to a table: summary, terms of the bound, verdict",
    .help =
        "`grebe list models` prints the models with their options. A model, and every T, is NAME or\n"
        "NAME:OPTION=VALUE:OPTION=VALUE; `grebe list` has all of a kind.\n"
        "\n"
        "  grebe fit linear --data kidiq.csv --formula 'kid_score ~ mom_hs * mom_iq'\n"
        "  grebe fit logistic --data FILE.csv --target passed --prior horseshoe --save passed.grebe\n"
        "  grebe fit linear --likelihood student_t --data FILE.csv --target y --posterior mean_field\n"
        "  grebe fit network --data curve --target y --hidden 50,50 --epochs 2000 --plot curve.svg\n"
        "  grebe fit network_class --data moons --target class --batch 50 --epochs 200 --validate 0.2\n"
        "  grebe fit linear:raw --data schools.csv --formula 'effect ~ 1' --group school --error error \\\n"
        "      --method nuts\n"
        "  grebe fit poisson --data counts --formula 'count ~ x + offset(log(hours))' --json out.json\n"
        "  grebe fit network --data FILE.csv --target y --save net.grebe --checkpoint-every 500\n"
        "  grebe fit network --data FILE.csv --target y --resume net.grebe\n"
        "\n" GB_CLI_FILE_WORDS
        "Without an option of trainings (optimiser, steps, epochs, batch, resume) a method looks for\n"
        "the best member of the posterior family, and knows when it is done; networks are trained by\n"
        "adam. A training without --steps and --epochs ends when the ELBO no longer improves.\n"
        "The verdict says whether q can be trusted. A bad one does not change the exit status.\n"
        "Ctrl-C finishes the step, saves, and ends with status 130; a second one ends at once.\n"
        "A FILE may be -, for standard output, which then holds nothing else. Files are replaced when the\n"
        "work is done, all or none; --save with --checkpoint-every also on the way.\n",
    .least = 1,
    .most = 1,
    .loads = true,
    .options = {GB_CLI_MODEL_OPTIONS,
                [GB_CLI_F_OPTIMISER] = {"optimiser", "T", "train by it: adam:lr=0.01, rmsprop, sgd .."},
                [GB_CLI_F_METHOD] = {"method", "fixed_draws|pathfinder|laplace|stochastic|nuts",
                                     "how to fit without optimiser (fixed_draws where it can)"},
                [GB_CLI_F_STEPS] = {"steps", "N", "steps of a training"},
                [GB_CLI_F_EPOCHS] = {"epochs", "N", "passes of a training over the rows"},
                [GB_CLI_F_BATCH] = {"batch", "B", "rows of a step (all)"},
                [GB_CLI_F_VALIDATE] = {"validate", "SHARE",
                                       "hold out this share of the rows, as 0.1, for scores"},
                [GB_CLI_F_SAVE] = {"save", "FILE", "all that `grebe predict` needs", GB_CLI_KEEPS},
                [GB_CLI_F_CHECKPOINT_EVERY] = {"checkpoint-every", "N", "save a training every N steps, too"},
                [GB_CLI_F_RESUME] = {"resume", "FILE", "go on with a saved training, and save it there",
                                     GB_CLI_KEEPS},
                [GB_CLI_F_PLOT] = {"plot", "FILE.svg|png", "a picture, by gnuplot", GB_CLI_PICTURE},
                [GB_CLI_F_JSON] = {"json", "FILE", "all numbers (schema grebe-fit-1)", GB_CLI_WRITES},
                [GB_CLI_F_OUT] = {"out", "FILE.csv", "predictions of the rows, or of those held out",
                                  GB_CLI_WRITES}},
    .run = run,
};
