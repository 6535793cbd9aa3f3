/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons and races from files of results: read, made again, and compared with what the file says.
 *
 *     gb_stored *s = gb_stored_read(text, bytes);       (gb_comparison_json, gb_sweep_json or gb_racing_json
 *                                                        wrote it)
 *     gb_comparison *c = gb_compare_with(&s->with);
 *     gb_agreement a = gb_comparison_agreement(&s->comparison[0], c);
 *     puts(a.words);
 *
 * The file names plug-ins, it does not contain them: those that are not built in must have been added before
 * (plugins/bundle.h). Nothing that a file names is opened or loaded. */
#ifndef GREBE_COMPARE_STORED_H
#define GREBE_COMPARE_STORED_H

#include "../core/memory.h"
#include "race.h"
#include "sweep.h"

GB_BEGIN_DECLS

typedef struct gb_stored_read_options {
    size_t size;
    const gb_memory *memory; /* OPTIONAL: for all that it holds; NULL: malloc and free */
} gb_stored_read_options;

/* A file of results. All pointers lead into it. */
typedef struct gb_stored {
    gb_status status;  /* GB_OK, or why the text is rejected; then nothing else is set */
    const char *error; /* the message; "" without an error */
    /* The options that made it, but for `threads`, and for `data`: that is the caller's to give, if
     * comparison[0].data has rows. */
    gb_compare_options with;
    const char *setting; /* of a sweep; NULL: a single comparison */
    bool is_path;        /* the sweep goes along the steps of a training: gb_compare_path makes it again */
    size_t points;       /* of the sweep, or 1 */
    const double *value; /* of the setting at each point; NULL for a single comparison */
    /* What came of it, as gb_compare returns it. A comparison that had an error has the status GB_EARGUMENT,
     * whatever it was. */
    size_t comparisons;
    const gb_comparison *comparison;
    /* Of a race of a problem: the options that made it, but for `threads` and `data`, and what came of it,
     * without single trainings. There is no comparison then, though `with` and comparison[0] say what was
     * asked. NULL: no race. */
    const gb_race_options *race;
    const gb_racing *racing;
} gb_stored;

/* Reads a text of `bytes` bytes, which need not end with 0. Returns what gb_stored_free frees; NULL only if
 * there is no memory at all. It takes memory in proportion to the text, at most. Its status is
 *  - GB_EFILE: the text is no JSON (the message has line and column), lacks a field, or has one that is out
 *    of its range; it is of a problem, a setting or an estimator that does not exist, or not here: then the
 *    message names the file of the plug-in;
 *  - GB_EARGUMENT: no text, or options without a size; GB_ENOMEM. */
#define gb_stored_read(...) GB_CALL_2(gb_stored_read, __VA_ARGS__, .size = sizeof(gb_stored_read_options))
GB_API gb_stored *gb_stored_read_with(const char *text, size_t bytes, const gb_stored_read_options *options);
GB_API void gb_stored_free(gb_stored *stored); /* NULL does nothing */

/* How two comparisons of the same options agree. */
typedef struct gb_agreement {
    bool is_same; /* as it should be: the same bits where these are promised, else within the intervals */
    bool same_bits;
    /* Versions, kernels, OpenBLAS and type of numbers are the same, so that all numbers should have the same
     * bits. Else means and variances should be within 5 standard errors of their difference. */
    bool promised;
    size_t numbers, differing; /* compared, and those with other bits; times are not compared */
    double worst;              /* the largest difference of a mean or variance, in standard errors */
    char words[512];           /* one sentence */
} gb_agreement;
GB_API gb_agreement gb_comparison_agreement(const gb_comparison *before, const gb_comparison *now);
/* Of two races: means over the trainings, at each point, and their standard errors. Seconds are not
 * compared. */
GB_API gb_agreement gb_racing_agreement(const gb_racing *before, const gb_racing *now);

GB_END_DECLS
#endif
