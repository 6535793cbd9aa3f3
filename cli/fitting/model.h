/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of data as it was asked for on the command line, for the commands that record one: MODEL, and the
 * options that all of them begin with. Each function prints errors. */
#ifndef GREBE_CLI_FITTING_MODEL_H
#define GREBE_CLI_FITTING_MODEL_H

#include "cli/shell/command.h"
#include "cli/shell/table.h"
#include "fitting/fit.h"
#include "ready/analysis.h"
#include "ready/models.h"

/* The options, in the order of GB_CLI_MODEL_OPTIONS. Those of data tables come first. */
enum gb_cli_model_option {
    GB_CLI_M_DATA,
    GB_CLI_M_MISSING,
    GB_CLI_M_DECIMAL_COMMA,
    GB_CLI_M_NO_HEADER,
    GB_CLI_M_DROP_MISSING,
    GB_CLI_M_TABLE_END,
    GB_CLI_M_TARGET = GB_CLI_M_TABLE_END,
    GB_CLI_M_FORMULA,
    GB_CLI_M_GROUP,
    GB_CLI_M_ERROR,
    GB_CLI_M_LIKELIHOOD,
    GB_CLI_M_PRIOR,
    GB_CLI_M_POSTERIOR,
    GB_CLI_M_ESTIMATOR,
    GB_CLI_M_HIDDEN,
    GB_CLI_M_DROPOUT,
    GB_CLI_M_SAMPLES,
    GB_CLI_M_SEED,
    GB_CLI_M_END
};

#define GB_CLI_TABLE_OPTIONS                                                                                 \
    [GB_CLI_M_DATA] = {"data", "FILE|SET", "rows: CSV, or numbers with spaces; or a built-in set, as curve", \
                       GB_CLI_READS},                                                                        \
    [GB_CLI_M_MISSING] = {"missing", "WORDS", "words of missing cells besides empty ones (NA)"},             \
    [GB_CLI_M_DECIMAL_COMMA] = {"decimal-comma", NULL, "numbers are written as 3,14"},                       \
    [GB_CLI_M_NO_HEADER] = {"no-header", NULL, "the file has no names; columns are called 1, 2 ..."},        \
    [GB_CLI_M_DROP_MISSING] = {"drop-missing", NULL, "leave rows with a missing predictor out"}

#define GB_CLI_MODEL_OPTIONS                                                                                 \
    GB_CLI_TABLE_OPTIONS,                                                                                    \
        [GB_CLI_M_TARGET] = {"target", "COLUMN", "the outcome; all other columns are predictors"},           \
        [GB_CLI_M_FORMULA] = {"formula", "FORMULA", "instead: which columns, as in R: 'y ~ a*b'"},           \
        [GB_CLI_M_GROUP] = {"group", "COLUMN", "groups of rows, each with an intercept of its own"},         \
        [GB_CLI_M_ERROR] = {"error", "COLUMN", "the known standard error of each outcome (linear)"},         \
        [GB_CLI_M_LIKELIHOOD] = {"likelihood", "T",                                                          \
                                 "another law of the outcome: normal, student_t, poisson .."},               \
        [GB_CLI_M_PRIOR] = {"prior", "T", "of coefficients, as horseshoe or normal:scale=1"},                \
        [GB_CLI_M_POSTERIOR] = {"posterior", "T",                                                            \
                                "the family of q, as mean_field (full_rank, if it is small)"},               \
        [GB_CLI_M_ESTIMATOR] = {"estimator", "T", "of gradients, as score:baseline=loo (pathwise)"},         \
        [GB_CLI_M_HIDDEN] = {"hidden", "UNITS,..", "of each hidden layer of a network, as 50,50 (50)"},      \
        [GB_CLI_M_DROPOUT] = {"dropout", "RATE,..", "of each hidden layer, in place of weight uncertainty"}, \
        [GB_CLI_M_SAMPLES] = {"samples", "S", "draws of q in a step (1)"},                                   \
        [GB_CLI_M_SEED] = {"seed", "N", "of all noise (1)"}

enum { GB_CLI_TEXT = 1024 };

/* What was asked for. Texts of plug-ins are canonical: default options are left out. */
typedef struct gb_cli_asked {
    gb_model model;
    gb_family posterior;
    gb_estimator estimator;
    uint64_t seed, samples;
    char model_text[GB_CLI_TEXT], posterior_text[GB_CLI_TEXT];
} gb_cli_asked;

/* Reads `word`, a model with its options, and the options of plug-ins. */
bool gb_cli_asked_read(gb_cli_asked *asked, const gb_cli *cli, const char *word);

/* Returns the method of a fit without optimiser where none is given: the usual one, but one of gradients if
 * something is asked of these (an estimator, samples). */
gb_fit_method gb_cli_asked_method(const gb_cli_asked *asked);

/* Makes the tape of the command, with its team. NULL: there is no memory. */
gb_tape *gb_cli_asked_tape(const gb_cli_asked *asked, const gb_cli *cli);

/* Reads the rows of --data: a file, "-" for standard input, or the name of a built-in set. NULL on error,
 * which is on the tape, or was printed. */
gb_table *gb_cli_table_read(gb_tape *tape, const gb_cli *cli);

/* Records the model for the rows of a table; `batch` 0: all of them in each step. NULL on error, as above. */
gb_analysis *gb_cli_asked_record(const gb_cli_asked *asked, const gb_cli *cli, gb_tape *tape,
                                 const gb_table *table, int64_t batch);

/* The same with the weights of a column GB_CLI_WEIGHT, which the table has. A formula with weights of its own
 * is rejected in words. */
#define GB_CLI_WEIGHT "grebe.weight"
gb_analysis *gb_cli_asked_record_weighted(const gb_cli_asked *asked, const gb_cli *cli, gb_tape *tape,
                                          const gb_table *table);

#endif
