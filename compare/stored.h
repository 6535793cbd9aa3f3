/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons and races from files of results: read, made again, and compared with what the file says.
 *
 *     gb_stored *s = gb_stored_read(text, bytes);       (gb_comparison_json, gb_sweep_json or gb_racing_json
 *                                                        wrote it)
 *     gb_comparison *c = gb_compare_with(&s->with);      (or gb_compare_sweep_with, gb_race_with)
 *     gb_comparison_json(c, file);                       (into a text, such as that of open_memstream)
 *     gb_agreement a = gb_stored_agreement(s, now, strlen(now));
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
 *  - GB_EFILE: the text is no JSON, or has an object with one key twice (the message has line and column);
 *    it lacks a field, or has one that is out of its range, such as a negative standard error; it is of a
 *    problem, a setting or an estimator that does not exist, or not here: then the message names the file of
 *    the plug-in;
 *  - GB_EARGUMENT: no text, or options without a size; GB_ENOMEM. */
#define gb_stored_read(...) GB_CALL_2(gb_stored_read, __VA_ARGS__, .size = sizeof(gb_stored_read_options))
GB_API gb_stored *gb_stored_read_with(const char *text, size_t bytes, const gb_stored_read_options *options);
GB_API void gb_stored_free(gb_stored *stored); /* NULL does nothing */

/* How a file of results and another one, of the same options, agree. */
typedef struct gb_agreement {
    /* GB_OK; GB_EFILE if the file is damaged: it has null where a number is due; GB_EARGUMENT for no file,
     * or if the other text is no JSON. */
    gb_status status;
    bool is_same; /* as it should be: the same bits where these are promised, else within the intervals */
    bool same_bits;
    /* Versions, kernels, OpenBLAS and type of numbers are the same, so that all numbers should have the same
     * bits. */
    bool promised;
    size_t numbers, differing; /* compared, and those with other bits */
    double worst;              /* the largest difference of a mean or variance, in standard errors */
    char words[512];           /* one sentence, which names the first difference by its path */
} gb_agreement;

/* Compares a file with the text that gb_comparison_json, gb_sweep_json or gb_racing_json writes of the same
 * options now, member by member. Version, kernels, OpenBLAS, threads, files of plug-ins and data, and times
 * count for nothing; all else does. A member that only one of the two has is a difference. So is an element
 * of a list at another place.
 *
 * Where the same bits are promised, all numbers must have them. Elsewhere texts, whole numbers, truth values
 * and settings must be equal, and
 *  - means, variances, ratios, z, snr and ends of intervals differ by at most 5 standard errors of their
 *    difference, √2 times those of now. That of z is 1 or more; that of snr follows from those of mean and
 *    variance, and that of an end from its value and the length of the interval;
 *  - standard errors and kurtosis differ by a factor of 2 at most. A standard error from n gradients of
 *    kurtosis k has a relative one of √((k - 1) / n) / 2 itself, and the noise of both is the same;
 *  - exact gradients and fitted parameters differ by roundings: 1e-8 of the largest number, 1e-3 for float.
 */
GB_API gb_agreement gb_stored_agreement(const gb_stored *before, const char *now, size_t bytes);

GB_END_DECLS
#endif
