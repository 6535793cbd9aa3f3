/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `grebe fit`. */
#include <string.h>

#include "cli/fitting/fit.h"
#include "cli/shell/values.h"

/* What makes a training: each of these needs one. */
static const enum gb_cli_fit_option of_training[] = {GB_CLI_F_OPTIMISER,        GB_CLI_F_STEPS,
                                                     GB_CLI_F_EPOCHS,           GB_CLI_F_BATCH,
                                                     GB_CLI_F_CHECKPOINT_EVERY, GB_CLI_F_RESUME};

static bool is_network(const gb_model_type *type)
{
    static const gb_model_type *const all[] = {&gb_network_model_type, &gb_network_class_model_type,
                                               &gb_variational_autoencoder_model_type,
                                               &gb_belief_network_model_type};
    bool is = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        is |= type == all[i];
    return is;
}

/* Networks are trained; others are if an option of trainings is given. */
static bool read_optimiser(gb_cli_fit *fit, const gb_cli *cli)
{
    char error[512];
    const char *trains = is_network(fit->asked.model.type) ? "a network" : NULL;
    const char *const text = cli->value[GB_CLI_F_OPTIMISER];
    for (size_t i = 0; i < sizeof of_training / sizeof *of_training; i++)
        if (cli->value[of_training[i]])
            trains = cli->command->options[of_training[i]].name;
    if (cli->value[GB_CLI_F_METHOD])
        return !trains || strcmp(trains, "a network") == 0 ||
               gb_cli_reject("--%s is for a training by an optimiser, and --method is for fits without one",
                             trains);
    if (!gb_optimiser_parse(text ? text : "adam:lr=0.01", &fit->optimiser, error, sizeof error))
        return gb_cli_reject("--optimiser: %s", error);
    if (!trains)
        fit->optimiser = (gb_optimiser){0};
    return true;
}

static bool read_method(gb_cli_fit *fit, const gb_cli *cli)
{
    static const char *const names[] = {"fixed_draws", "pathfinder", "laplace", "stochastic", "nuts"};
    enum { METHODS = sizeof names / sizeof *names };
    size_t method = METHODS;
    if (!gb_cli_choice(cli, GB_CLI_F_METHOD, METHODS, names, &method))
        return false;
    fit->by_nuts = method == METHODS - 1;
    fit->method = method < METHODS - 1  ? (gb_fit_method)(GB_FIT_FIXED_DRAWS + method)
                  : fit->optimiser.type ? GB_FIT_USUAL
                                        : gb_cli_asked_method(&fit->asked);
    return true;
}

/* What a method would not look at. */
static bool method_fits(const gb_cli_fit *fit, const gb_cli *cli)
{
    static const enum gb_cli_model_option of_steps[] = {GB_CLI_M_ESTIMATOR, GB_CLI_M_SAMPLES};
    const char *const method = cli->value[GB_CLI_F_METHOD];
    if (fit->by_nuts && cli->value[GB_CLI_M_POSTERIOR])
        return gb_cli_reject("--method nuts draws from the posterior itself; leave --posterior out");
    for (size_t i = 0; method && fit->method != GB_FIT_STOCHASTIC && i < 2; i++)
        if (cli->value[of_steps[i]])
            return gb_cli_reject(
                "--%s is for gradients of draws in steps: of a training (--optimiser), or of "
                "--method stochastic",
                cli->command->options[of_steps[i]].name);
    return true;
}

static bool read_files(gb_cli_fit *fit, const gb_cli *cli)
{
    const char *const save = cli->value[GB_CLI_F_SAVE], *const resume = cli->value[GB_CLI_F_RESUME];
    fit->file = resume ? resume : save;
    fit->resumes = resume != NULL;
    if (save && resume && strcmp(save, resume) != 0)
        return gb_cli_reject("--resume goes on in %s, and saves there; leave --save %s out", resume, save);
    if (fit->by_nuts && fit->file)
        return gb_cli_reject(
            "--method nuts has draws and no q, so there is nothing to save: take what you need of "
            "them now (--json, --out, --plot), or fit a q by another method");
    return fit->every == 0 || fit->file ||
           gb_cli_reject("--checkpoint-every says how often --save is written: it needs --save FILE");
}

/* Each member of a team predicts the rows of its own, and the first alone would draw. */
static bool team_fits(const gb_cli *cli)
{
    static const enum gb_cli_fit_option of_one[] = {GB_CLI_F_VALIDATE, GB_CLI_F_PLOT, GB_CLI_F_OUT};
    for (size_t i = 0; cli->team && i < sizeof of_one / sizeof *of_one; i++)
        if (cli->value[of_one[i]])
            return gb_cli_reject("--%s is for one process, without --team; save the fit, and use it then",
                                 cli->command->options[of_one[i]].name);
    return true;
}

bool gb_cli_fit_read(gb_cli_fit *fit, const gb_cli *cli)
{
    const char *const validate = cli->value[GB_CLI_F_VALIDATE];
    *fit = (gb_cli_fit){0};
    if (!gb_cli_asked_read(&fit->asked, cli, cli->word[0]) || !read_optimiser(fit, cli) ||
        !read_method(fit, cli) || !gb_cli_whole(cli, GB_CLI_F_STEPS, 1, 1000000000, &fit->steps) ||
        !gb_cli_whole(cli, GB_CLI_F_EPOCHS, 1, 1000000000, &fit->epochs) ||
        !gb_cli_whole(cli, GB_CLI_F_BATCH, 1, INT32_MAX, &fit->batch) ||
        !gb_cli_whole(cli, GB_CLI_F_CHECKPOINT_EVERY, 1, INT32_MAX, &fit->every) || !read_files(fit, cli) ||
        !method_fits(fit, cli))
        return false;
    if (validate && (!gb_cli_number(validate, &fit->validate) || !(fit->validate > 0 && fit->validate < 1)))
        return gb_cli_reject(
            "--validate is \"%s\"; it is the share of rows that are held out, between 0 and 1", validate);
    const gb_model_type *const type = fit->asked.model.type;
    if (validate && type->is_whole && !type->has_new_rows)
        return gb_cli_reject(
            "--validate: rows of a series cannot be held out; leave outcomes at its end empty to "
            "forecast them");
    return team_fits(cli);
}
