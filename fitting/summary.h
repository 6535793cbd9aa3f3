/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The posterior as a table: each parameter by name and index, on its support, and any node of the model.
 *
 *     gb_summary_table *s = gb_summary(e);
 *     gb_summary_print(s, stdout);
 *     gb_draws_save(s, "draws.csv");
 *     gb_summary_free(s);
 *
 * Numbers are those of a judgement (judge.h) or of NUTS. Of a judgement, a number is *corrected*, by Pareto
 * smoothed weights of q's draws, or of the wider draws where the judgement goes by these, if k says that this
 * is reliable; else it is q's own. Each row says which. Of points alone (gb_point) there is no table without
 * NUTS: gb_elbo_posterior_read returns their values. */
#ifndef GREBE_FITTING_SUMMARY_H
#define GREBE_FITTING_SUMMARY_H

#include "judge.h"

GB_BEGIN_DECLS

/* Where the numbers of a row come from. */
typedef enum gb_summary_source {
    GB_SUMMARY_Q,    /* draws of q, as it is */
    GB_SUMMARY_PSIS, /* draws of q, corrected by weights */
    GB_SUMMARY_NUTS,
    GB_SUMMARY_POINT, /* a point, which has no spread */
    GB_SUMMARY_WIDE   /* draws that are wider than q, corrected by weights */
} gb_summary_source;

/* A row. Numbers that do not exist are NaN. */
typedef struct gb_summary_row {
    const char *name;   /* "beta[2]", as gb_density_value_name writes it */
    double mean, error; /* the Monte Carlo error of the mean, not the distance from the posterior */
    double sd, q05, q50, q95;
    double ess;  /* draws of equal weight that would have this error */
    double k;    /* of the weights; NaN for NUTS and points */
    double rhat; /* of NUTS; else NaN */
    gb_summary_source source;
    const char *words; /* what is wrong with it; "" if nothing is known to be */
} gb_summary_row;

/* A table with a row for each number of the posterior. */
typedef struct gb_summary_table {
    gb_verdict verdict;             /* GB_VERDICT_NONE for NUTS */
    const char *words;              /* of the verdict; of NUTS its warnings */
    size_t rows, parameters, draws; /* the first `parameters` rows are values of latents */
    const gb_summary_row *row;
} gb_summary_table;

typedef struct gb_summary_options {
    size_t size;
    const gb_judgement *judgement; /* NULL: gb_judge(e, .data) is made for the table, unless .nuts is given */
    const gb_nuts *nuts;           /* its draws instead */
    gb_batches *data;              /* for the judgement that is made here */
    /* More rows: any nodes of the model, evaluated at the draws. Rows of data are an axis before the node's
     * own; they are those that were fed last. A node's name is its own (gb_named), else "node 0", "node 1" …
     * */
    gb_node_list nodes;
    bool only_nodes; /* no rows of latents */
    bool of_q;       /* q's own numbers, also where they could be corrected */
} gb_summary_options;

/* Makes a table. It does not change when the tape does, or the judgement or the draws of NUTS that were given
 * are freed; gb_draws_save needs these. Returns NULL on error, which is on the tape. */
#define gb_summary(...) GB_CALL_1(gb_summary, __VA_ARGS__, .size = sizeof(gb_summary_options))
GB_API gb_summary_table *gb_summary_with(gb_elbo *e, const gb_summary_options *options);

/* Frees a table, before or after its tape. NULL is allowed. */
GB_API void gb_summary_free(gb_summary_table *summary);

/* Returns the row of that name; NULL, without an error, if there is none. */
GB_API const gb_summary_row *gb_summary_find(const gb_summary_table *summary, const char *name);

/* Write the table: for people; as one JSON object (docs/schemas/grebe-summary-1.json); as CSV with these
 * columns. An unknown number is null, or an empty cell. Return GB_EARGUMENT for NULL, GB_ESYSTEM if
 * writing failed. */
GB_API gb_status gb_summary_print(const gb_summary_table *summary, FILE *file);
GB_API gb_status gb_summary_json(const gb_summary_table *summary, FILE *file);
GB_API gb_status gb_summary_csv(const gb_summary_table *summary, FILE *file);

typedef struct gb_draws_save_options {
    size_t size;
    /* So many draws are taken in proportion to their smoothed weights, some more than once: draws of the
     * posterior, as far as the weights are right. 0: all draws as they are, and their log weights. */
    size_t resample;
    uint64_t seed;
} gb_draws_save_options;

/* Saves the draws of all rows to a file, which is written whole or not at all. The path decides the form:
 *
 *     NAME.csv    a line of names, then a line for each draw
 *     NAME.npy    an array of numpy: float64, [draw][number]
 *
 * Draws that are no posterior yet, of q or wider ones (whichever correct the table), have a last column
 * "log_weight", unless they are resampled; those of NUTS have first columns "chain" and "draw". A "_"
 * follows these names if a row has the same. Fails with
 * GB_EARGUMENT for another ending, for .resample with NUTS, or if the weights were rejected; else as writing
 * did. The error is on the tape, unless that was reset or freed. */
#define gb_draws_save(...) GB_CALL_2(gb_draws_save, __VA_ARGS__, .size = sizeof(gb_draws_save_options))
GB_API gb_status gb_draws_save_with(const gb_summary_table *summary, const char *path,
                                    const gb_draws_save_options *options);

GB_END_DECLS
#endif
