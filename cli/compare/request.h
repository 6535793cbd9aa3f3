/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The request of `grebe compare`, as options of the library. */
#ifndef GREBE_CLI_COMPARE_REQUEST_H
#define GREBE_CLI_COMPARE_REQUEST_H

#include "cli/compare/data.h"
#include "cli/compare/settings.h"
#include "compare/stored.h"

/* The options of the command, in the order of its table. */
enum gb_cli_compare_option {
    GB_CLI_ESTIMATORS,
    GB_CLI_SET,
    GB_CLI_SAMPLES,
    GB_CLI_DRAWS,
    GB_CLI_SEED,
    GB_CLI_THREADS,
    GB_CLI_DTYPE,
    GB_CLI_EQUAL_COST,
    GB_CLI_BOUND,
    GB_CLI_BATCH,
    GB_CLI_AT,
    GB_CLI_STEPS,
    GB_CLI_TRAIN,
    GB_CLI_SEEDS,
    GB_CLI_SWEEP,
    GB_CLI_DATA_FILE,
    GB_CLI_TARGET,
    GB_CLI_STANDARDISE,
    GB_CLI_REPEAT,
    GB_CLI_PLOT,
    GB_CLI_JSON,
    GB_CLI_CSV,
    GB_CLI_DRAWS_OUT
};

enum { GB_CLI_ESTIMATORS_MOST = 24 };

typedef struct gb_cli_request {
    gb_compare_options with;                             /* its pointers lead into this struct */
    gb_compare_setting setting[GB_PROBLEM_SETTINGS + 1]; /* room for the swept one */
    gb_estimator estimator[GB_CLI_ESTIMATORS_MOST];
    const char *name[GB_CLI_ESTIMATORS_MOST];
    char list[GB_CLI_LIST];
    gb_cli_sweep sweep;
    bool is_path;         /* the sweep is along a training */
    int64_t train, seeds; /* of a race: steps and trainings; 0: no race */
    size_t points;        /* where it is evaluated; 0: as usual */
    double rate;          /* of its steps; 0: as usual */
    gb_cli_data data;
    gb_stored *stored; /* the file that is repeated; NULL: none */
} gb_cli_request;

/* Fills a request of zeros. Prints errors. gb_cli_request_end must follow in either case. */
gb_cli_code gb_cli_request_read(gb_cli_request *request, const gb_cli *cli);
void gb_cli_request_end(gb_cli_request *request);

/* Rejects what would have no effect beside --train, or without it. */
bool gb_cli_race_fits(const gb_cli_request *request, const gb_cli *cli);

/* Reads the data that the problem of the request needs; prints an error if there are none, or it needs
 * none. */
gb_cli_code gb_cli_request_data(gb_cli_request *request, const gb_cli *cli);

#endif
