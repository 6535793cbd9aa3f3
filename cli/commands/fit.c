/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe fit`: fits a ready model to a table. */
#include <string.h>

#include "cli/fitting/fit.h"
#include "cli/kinds/list.h"
#include "cli/results/outputs.h"

static const size_t inputs[] = {GB_CLI_M_DATA};
static const gb_cli_outputs_options results = {.first = GB_CLI_F_PLOT,
                                               .last = GB_CLI_F_OUT,
                                               .plot = GB_CLI_F_PLOT,
                                               .inputs = 1,
                                               .input = inputs},
                                    all_files = {.first = GB_CLI_F_SAVE,
                                                 .last = GB_CLI_F_OUT,
                                                 .plot = GB_CLI_F_PLOT,
                                                 .inputs = 1,
                                                 .input = inputs};

static gb_cli_code write_all(const gb_cli_fitted *f, const gb_cli_outputs *out)
{
    gb_cli_page page;
    if (!gb_cli_outputs_quiet(out) && gb_cli_page_begin(&page, stdout)) {
        gb_cli_fitted_print(f, page.file);
        gb_cli_page_end(&page);
    }
    if (out->file[GB_CLI_F_JSON])
        gb_cli_fitted_json(f, out->file[GB_CLI_F_JSON]);
    if (out->file[GB_CLI_F_OUT])
        gb_prediction_csv(f->prediction, out->file[GB_CLI_F_OUT]);
    return gb_cli_outputs_draw(out, gb_cli_fitted_plot, f) && gb_cli_files_keep(f->cli->files) ? GB_CLI_OK
                                                                                               : GB_CLI_IO;
}

/* A fit is saved when it is done. That it can be is known before. */
static bool can_save(const gb_cli *cli, const char *path)
{
    const bool is_open =
        !path || (strcmp(path, "-") == 0 ? gb_cli_reject("--save takes a file, and - is none")
                                         : gb_cli_files_open(cli->files, path) != NULL);
    gb_cli_files_discard(cli->files);
    return is_open;
}

/* The first member of a team writes what all have. */
static gb_cli without_files(const gb_cli *cli)
{
    gb_cli own = *cli;
    if (cli->team && cli->team->rank > 0)
        own.value[GB_CLI_F_JSON] = NULL;
    return own;
}

static gb_cli_code interrupted(const gb_cli_fitted *f)
{
    if (f->fit->file)
        gb_cli_reject("interrupted after %llu steps; %s has the fit as it is, and --resume goes on",
                      (unsigned long long)(f->result.before + f->result.steps), f->fit->file);
    else
        gb_cli_reject("interrupted; nothing is saved without --save FILE");
    return GB_CLI_INTERRUPTED;
}

static gb_cli_code run(const gb_cli *given)
{
    const gb_cli own = without_files(given), *const cli = &own;
    gb_cli_fit fit;
    gb_cli_fitted fitted;
    gb_cli_outputs out;
    if (!gb_cli_fit_read(&fit, cli) || !gb_cli_outputs_fit(cli, &all_files))
        return GB_CLI_USAGE;
    if (!can_save(cli, fit.file) || !gb_cli_outputs_open(&out, cli, &results, true))
        return GB_CLI_IO;
    gb_cli_code code = gb_cli_fit_run(&fitted, &fit, cli);
    if (code == GB_CLI_OK)
        code = fitted.is_interrupted ? interrupted(&fitted) : write_all(&fitted, &out);
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
                [GB_CLI_F_SAVE] = {"save", "FILE", "all that `grebe predict` needs"},
                [GB_CLI_F_CHECKPOINT_EVERY] = {"checkpoint-every", "N", "save a training every N steps, too"},
                [GB_CLI_F_RESUME] = {"resume", "FILE", "go on with a saved training"},
                [GB_CLI_F_PLOT] = {"plot", "FILE.svg|png", "a picture, by gnuplot"},
                [GB_CLI_F_JSON] = {"json", "FILE", "all numbers (schema grebe-fit-1)"},
                [GB_CLI_F_OUT] = {"out", "FILE.csv", "predictions of the rows, or of those held out"}},
    .run = run,
};
