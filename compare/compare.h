/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares estimators: makes many independent gradient estimates of one problem, with common random numbers,
 * and reports their mean, variance and cost. One of these estimates is a *replicate*; `draws` is how many
 * there are.
 *
 *     gb_comparison *c = gb_compare(.problem = gb_problem_find("gauss-square"), .draws = 100000,
 *                                   .estimators = 2,
 *                                   .estimator = (gb_estimator[]){gb_pathwise(), gb_score()});
 *     gb_comparison_print(c, stdout);
 *     gb_comparison_free(c);
 *
 * Replicates run side by side, about a thousand at a time, with the same noise for all estimators. An
 * estimator that learns runs one replicate at a time, with noise of its own. It first learns in runs that are
 * not measured: in blocks of 1000, 1000, 2000, 4000 … runs, until the variance of a block is known to 3 % and
 * is not below that of the block before by more than 2 standard errors; at most twice as many runs as
 * `draws`, but not less than 20000 nor more than 100000. Then what it learns by gradient descent goes to its
 * optimum, by least squares over 20000 further runs, and stays there while it is measured
 * (gb_replicates_solve). Where that is not possible, it learns at a tenth of the rate for another such block,
 * and goes on at that rate while it is measured. The results are marked (`moving`) if the variance was still
 * falling in the last block, or if what it learns has no effect at all.
 *
 * What estimators learn by gradient descent, and the parameters in a training, are updated by Adam (Kingma
 * and Ba 2015), at rates of 0.01 and 0.05. */
#ifndef GREBE_COMPARE_COMPARE_H
#define GREBE_COMPARE_COMPARE_H

#include "../core/options.h"
#include "problem.h"

GB_BEGIN_DECLS

/* The largest numbers among the options of comparisons and races, and in files of results (stored.h). */
#define GB_COMPARE_MOST_DRAWS INT64_C(10000000000)
#define GB_COMPARE_MOST_SAMPLES INT64_C(1000000)
#define GB_COMPARE_MOST_STEPS INT64_C(100000000)
#define GB_COMPARE_MOST_SEEDS INT64_C(1000)
#define GB_COMPARE_MOST_BATCH INT64_C(2147483647)
#define GB_COMPARE_MOST_THREADS INT64_C(1024) /* of a tape */

/* The value of a setting of a problem. */
typedef struct gb_compare_setting {
    const char *name;
    double value;
} gb_compare_setting;

/* Where estimates are made. */
typedef enum gb_compare_at {
    GB_AT_GIVEN, /* at the parameters that the settings give */
    /* After a training of `steps` by the first estimator. Parameters with bounds move in the logarithm, or
     * the logit; steps that leave another domain are undone. (Along a training: gb_compare_path in sweep.h.)
     */
    GB_AT_FITTED
} gb_compare_at;

typedef struct gb_compare_options {
    size_t size;
    const gb_problem *problem;     /* REQUIRED */
    size_t estimators;             /* REQUIRED: how many */
    const gb_estimator *estimator; /* REQUIRED */
    const char *const *names;      /* OPTIONAL: one for each estimator, for tables; NULL: the type's name */
    size_t settings;
    const gb_compare_setting *setting; /* those that differ from the problem's defaults */
    const gb_problem_data *data;
    int64_t draws;   /* replicates of each estimator; 0: 10000 */
    int64_t samples; /* that each estimate averages over; 0: 1, or as many as an estimator needs */
    uint64_t seed;
    int threads;
    gb_real real;
    /* Gives fewer samples to estimators with more evaluations for each, so that all estimates cost the
     * same. The budget is the cost of the cheapest estimator with `samples`, or more if an estimator needs
     * more. An estimator that evaluates the cost once for all samples (a sum over all values, say) is left
     * as it is. */
    bool equal_cost;
    gb_compare_at at;
    int64_t steps; /* of training; 0: 1000 */
    FILE *raw;     /* OPTIONAL: receives every replicate as CSV: estimator, draw, parameter, value */
    /* OPTIONAL: called between runs, about ten times a second. `done` is the part, 0 to 1, of all estimates,
     * learning and training. Return true to go on. False ends the comparison with GB_ESTOPPED, and the
     * results so far are kept. */
    bool (*progress)(void *user, double done);
    void *user;
    /* OPTIONAL, for problems whose cost is a log weight: the bound whose gradient is estimated. None: the
     * ELBO. Exact gradients of bounds of several draws are not known. */
    gb_bound bound;
    /* For problems with data by rows (gb_trial_rows): how many random rows each estimate sees; 0: all. All
     * estimators see the same. The variance is then over rows and draws, and the exact gradient that of all
     * rows. Estimates are made one at a time, which takes longer. */
    int64_t batch;
    /* OPTIONAL: shares the estimates out among the members of a team (core/team.h), which all call gb_compare
     * with the same options. Blocks of about a thousand go to the members in turn; all members have the
     * results of all, equal to those of one process but for their last digits. What prepares a comparison
     * (training, learning) each member does by itself. Not together with `raw`. */
    struct gb_team *team;
} gb_compare_options;

/* A bias of more standard errors, or rounding errors, is taken for one; gb_comparison_print marks it "!". */
enum { GB_COMPARE_BIASED = 5 };

/* Statistics of the estimates of one element of a parameter. */
typedef struct gb_measured {
    double mean, stderr_; /* of the mean */
    double variance;      /* of one estimate */
    double variance_stderr;
    double kurtosis;
    /* The exact gradient; NaN if the problem has no reference. z is the bias in standard errors (or in
     * rounding errors), and NaN also if `unseen`. */
    double exact, z;
    double snr; /* |mean| / standard deviation */
    /* The event that the gradient comes from is rare, and too few draws had it, or none: all estimates are
     * the same, but not equal to the exact gradient, and no other estimator shows that they are wrong; or z
     * would be beyond GB_COMPARE_BIASED, but fewer than about twenty estimates make the variance (kurtosis /
     * draws above 1/20), or some bit or category of a draw is so rare (gb_replicates_rarest) that fewer than
     * twenty are to be expected in all draws. Variance and bias are then unknown. Never true for an estimator
     * that sums over all values. */
    bool unseen;
    /* The same for all parameters of an estimator: it learns, and what it learns was still moving when it was
     * measured, or had no effect. Its variance may fall further. */
    bool moving;
} gb_measured;

/* What was measured of one estimator. */
typedef struct gb_compared {
    const char *name;
    const char *text;   /* the text form (gb_estimator_text) */
    double evaluations; /* of the cost, for one estimate: over all samples, if the cost varies with them */
    double seconds;     /* for one estimate: time of runs, without recording and planning */
    int64_t samples;    /* that one estimate averages over */
    int64_t least;      /* samples that one estimate needs; 0 if the estimator does not fit */
    const gb_measured *parameter; /* one for each; NULL if the estimator was not measured */
    double total_variance, total_variance_stderr;
    double variance_times_cost;
    /* Variance × cost, relative to the first estimator's, and its 95 % interval (as if the two were
     * independent). */
    double ratio, ratio_low, ratio_high;
    const char *why; /* the first error of this estimator; "" without one */
} gb_compared;

/* A plug-in that a comparison used and that is not built in: the problem, an estimator, the bound, or one in
 * their options. */
typedef struct gb_compare_plugin {
    const char *kind, *name; /* "estimator", "mirrored" */
    const char *from;        /* the file that it was loaded from; "": the program itself has it */
} gb_compare_plugin;

/* What a comparison keeps of its data. */
typedef struct gb_compare_data {
    size_t rows, columns; /* 0: no data */
    const char *from;     /* as in gb_problem_data; NULL: not said */
    uint64_t hash;        /* of all numbers */
} gb_compare_data;
GB_API gb_compare_data gb_compare_data_of(const gb_problem_data *data); /* NULL: no data */

/* Results, with all that is needed to make them again (stored.h). Only the library makes one; it may grow at
 * its end. */
typedef struct gb_comparison {
    gb_status status;  /* GB_OK, or why results are missing */
    const char *error; /* the message; "" without an error */
    const gb_problem *problem;
    double setting[GB_PROBLEM_SETTINGS];
    uint64_t seed;
    int64_t draws, samples; /* as in the options */
    size_t parameters;
    const char *const *parameter; /* "mu", "w[3]" */
    size_t estimators;
    const gb_compared *estimator;
    gb_bound bound;   /* as in the options */
    int64_t step;     /* steps of the training that led to the parameters; 0: they are given */
    const double *at; /* the parameters where estimates were made; NULL: none were */
    gb_real real;     /* as in the options, like those that follow */
    bool equal_cost;
    gb_compare_at where;
    bool on_path; /* one of gb_compare_path; `steps` are those of the whole training */
    int64_t steps, batch;
    int threads;         /* that ran; the numbers do not depend on it */
    const char *version; /* of grebe */
    const char *kernels; /* the instruction set (gb_kernels): the same bits come of the same one */
    const char *blas; /* OpenBLAS and its kernels, which matrix products may use; NULL: it was not loaded */
    gb_compare_data data;
    size_t plugins;
    const gb_compare_plugin *plugin;
} gb_comparison;

/* Returns a comparison, which gb_comparison_free frees; NULL only if there is no memory at all. Its `status`
 * is the first error:
 *  - GB_EARGUMENT, nothing is measured: no problem, or one that is not complete; no estimator, a NULL list
 *    with a count above 0, a setting that the problem lacks, a bound for a cost that is no log weight, a
 *    number out of its range, or batches of a problem without rows.
 *  - GB_EARGUMENT, the other estimators are measured: an estimator does not fit the problem, or needs more
 *    samples.
 *  - GB_ENONFINITE: an estimate is not finite. That estimator keeps its earlier estimates; the others are
 *    measured. Or a variance, its standard error, or the exact gradient is not finite, and so not known; all
 *    others are.
 *  - GB_ESTOPPED: `progress` returned false. GB_ENOMEM. Both keep the results so far.
 *
 * Errors in writing to `raw` are left to the caller (ferror). */
#define gb_compare(...) GB_CALL_0(gb_compare, .size = sizeof(gb_compare_options), __VA_ARGS__)
GB_API gb_comparison *gb_compare_with(const gb_compare_options *options);
GB_API void gb_comparison_free(gb_comparison *comparison); /* NULL does nothing */

/* Returns what is asked, as a comparison without estimates: options that are checked, texts of estimators,
 * the samples that they need, plug-ins, data and machine. If the options are invalid, it has no estimators,
 * and `status` says why. A race keeps one (race.h). NULL only if there is no memory at all. */
GB_API gb_comparison *gb_compare_question(const gb_compare_options *options);

/* Returns whether at least one estimator was measured; false for NULL. */
GB_API bool gb_comparison_has_results(const gb_comparison *comparison);

/* Write a comparison: as tables of text; as JSON (docs/schemas/grebe-comparison-1.json), with all that
 * repeats it (stored.h), and null for an unknown or infinite number; as CSV, one line for each parameter
 * of each estimator, with an empty cell for an unknown number. JSON and CSV have decimal points in every
 * locale. Return GB_EARGUMENT for a NULL argument (JSON and CSV: also without a problem), and GB_ESYSTEM
 * if `file` cannot be written. */
GB_API gb_status gb_comparison_print(const gb_comparison *comparison, FILE *file);
GB_API gb_status gb_comparison_json(const gb_comparison *comparison, FILE *file);
GB_API gb_status gb_comparison_csv(const gb_comparison *comparison, FILE *file);

/* Prints one small run sample by sample, for teaching: draws, cost, injected terms and their weights (eight
 * of each at most), and the gradient. Several numbers for one sample (elements, rows, evaluations) stand in
 * brackets. On error, prints one line that says why, and returns the code; GB_EARGUMENT, and no line, if
 * `file` is NULL; GB_ESYSTEM if it cannot be written. */
GB_API gb_status gb_trace_estimate(const gb_problem *problem, size_t settings,
                                   const gb_compare_setting *setting, gb_estimator estimator, int64_t samples,
                                   uint64_t seed, FILE *file);

GB_END_DECLS
#endif
