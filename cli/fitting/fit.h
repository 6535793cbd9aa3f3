/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit as `grebe fit` makes it: what is asked, and what comes of it. Functions print errors. */
#ifndef GREBE_CLI_FITTING_FIT_H
#define GREBE_CLI_FITTING_FIT_H

#include "cli/fitting/saved.h"
#include "data/split.h"
#include "fitting/analysis.h"
#include "fitting/fit.h"
#include "prediction/predict.h"

enum gb_cli_fit_option {
    GB_CLI_F_OPTIMISER = GB_CLI_M_END,
    GB_CLI_F_METHOD,
    GB_CLI_F_STEPS,
    GB_CLI_F_EPOCHS,
    GB_CLI_F_BATCH,
    GB_CLI_F_VALIDATE,
    GB_CLI_F_SAVE,
    GB_CLI_F_CHECKPOINT_EVERY,
    GB_CLI_F_RESUME,
    GB_CLI_F_PLOT,
    GB_CLI_F_JSON,
    GB_CLI_F_OUT
};

typedef struct gb_cli_fit {
    gb_cli_asked asked;
    gb_optimiser optimiser; /* type NULL: a method */
    gb_fit_method method;
    bool by_nuts;
    uint64_t steps, epochs, batch, every;
    double validate;  /* the share of rows that are held out */
    const char *file; /* --save or --resume; NULL: nothing is saved */
    bool resumes;
} gb_cli_fit;

/* Reads the options, and rejects those that do not go together. */
bool gb_cli_fit_read(gb_cli_fit *fit, const gb_cli *cli);

enum { GB_CLI_ROW_NAME = 256 };

/* What came of it. What does not exist is NULL, or NaN. */
typedef struct gb_cli_fitted {
    const gb_cli *cli;
    const gb_cli_fit *fit;
    gb_tape *tape;
    gb_table *table, *train, *held; /* `train` is `table` if nothing is held out */
    gb_analysis *analysis;
    gb_elbo *elbo;
    gb_fit_result result;
    const gb_judgement *judgement;
    gb_judgement *own_judgement; /* of a training */
    gb_nuts *nuts;
    const char *words, *stopped_by;
    gb_summary_table *summary; /* of what the model shows */
    gb_summary_table by_nodes; /* the same of a q that nothing judges: `row` and `row_name` */
    gb_summary_row *row;
    char (*row_name)[GB_CLI_ROW_NAME];
    gb_program *look;          /* has run: the terms of the ELBO can be read */
    gb_prediction *prediction; /* of the held-out rows, or of all */
    gb_scores scores;
    double seconds;
    char first_words[512];
} gb_cli_fitted;

/* Makes the fit, and all that is printed of it. gb_cli_fitted_end must follow in either case. */
gb_cli_code gb_cli_fit_run(gb_cli_fitted *fitted, const gb_cli_fit *fit, const gb_cli *cli);
void gb_cli_fitted_end(gb_cli_fitted *fitted);

/* Returns the table of what the model shows. */
const gb_summary_table *gb_cli_fitted_summary(const gb_cli_fitted *fitted);

/* Write it: for people, as JSON (docs/schemas/grebe-fit-1.json), and as a script for gnuplot. */
void gb_cli_fitted_print(const void *fitted, FILE *file);
void gb_cli_fitted_json(const void *fitted, FILE *file);
void gb_cli_fitted_plot(const void *fitted, bool png, FILE *file);

#endif
