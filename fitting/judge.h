/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good is a fit? Draws of q that no fitting has used are weighted by p / q on the full data, and a
 * verdict says what they show.
 *
 *     gb_judgement *j = gb_judge(e);
 *     gb_judgement_print(j, stdout);
 *     if (j->verdict >= GB_VERDICT_GOOD_HERE) …
 *     gb_judgement_free(j);
 *
 * Everything is judged in the free numbers of gb_density, where q is often normal, and in the values. What is
 * looked at:
 *
 *   - the weights: Pareto-smoothed (psis.h), with k jointly and for each number. More draws are taken until
 *     the errors are small;
 *   - q's means and standard deviations against those of the weighted draws;
 *   - the same once more by draws that are spread wider than q's, around the same means:
 *     z' = m + c (z − m) has the density q(z) / cⁿ. A q that is too narrow hides from its own draws, since
 *     they never reach the tails of p. If the k of these is below 1/3, that of q's own need not be below the
 *     threshold; then ascents from the largest weights look for another mode;
 *   - p where no draw reaches: along lines through q's mean, one for each number (of more than 32 numbers,
 *     those along which draws of large weights lie far out), and along rays in all directions, to 1,000 sd
 *     and more. There a slab under a narrow core, or a broad part beside it, is found. Far out, p is also
 *     taken for a normal, by its gradient and its curvature, and draws from that normal say whether it is
 *     there: so slabs in oblique directions are found, of at most 128 numbers,
 *     and of operations that have second derivatives;
 *   - the gradient of the ELBO in q's locations and scales, against its noise;
 *   - other starts: where other fits ended, if the caller says so;
 *   - NUTS, with .reference = true.
 *
 * What the verdict cannot see: a part of p that neither q's draws nor the wider ones reach, and no start
 * found: a mode far away, a spike within q that is much narrower, a needle that is thinner than q across and
 * along no number. Without three other starts it is GB_VERDICT_GOOD_HERE at best. */
#ifndef GREBE_FITTING_JUDGE_H
#define GREBE_FITTING_JUDGE_H

#include "../models/training.h"
#include "nuts.h"
#include "psis.h"

GB_BEGIN_DECLS

/* Returns "good", "good, if no mode was missed", "usable for means", "not to be trusted", "not converged",
 * "not judged". */
GB_API const char *gb_verdict_text(gb_verdict verdict);

/* Where a fit from another starting point ended. The caller owns the arrays. */
typedef struct gb_judge_start {
    const double *mean, *sd; /* of the free numbers */
    double elbo;             /* NaN: not known. Then any other place counts as another answer */
    double error;            /* the standard error of `elbo` */
    bool is_unfinished;      /* it found no optimum, and does not count */
} gb_judge_start;

typedef struct gb_judge_options {
    size_t size;
    gb_density *density; /* NULL: gb_density_new(e, .data); else e is not used, and may be NULL */
    gb_batches *data;    /* see gb_density_options; for the density that is made here */
    /* Other fits, at least three from overdispersed points. One with a number that is not finite does not
     * count. NULL: those of the last gb_fit(e), if q is as that fit left it; else none, and the verdict says
     * "starts not compared". With .density none are known. */
    const gb_judge_start *starts;
    size_t start_count;
    int64_t draws;      /* to begin with; 0: 4000. At least 100 */
    int64_t most_draws; /* 0: 64,000, or fewer for many numbers: at most 2^27 numbers in all */
    uint64_t seed;      /* 0: that of the tape. Another seed, other draws */
    bool reference;     /* compare with gb_sample_nuts on the same density */
    /* Why q is not the best member of its family, if the caller knows that it is not; the verdict is then
     * "not converged". NULL: nobody knows, but for the last gb_fit(e), as for .starts. */
    const char *unfinished;
} gb_judge_options;

/* A number: what q says, and what its weighted draws say. */
typedef struct gb_judged {
    double mean, sd;                          /* of q, over its draws */
    gb_estimate corrected_mean, corrected_sd; /* under the weights, by PSIS; `k` is that of the number */
    /* (mean − corrected mean) / corrected sd, and sd / corrected sd − 1, with standard errors. If the sd
     * under the weights is unreliable though the weights are not (heavy tails), they are those of the median
     * and of the distance from the 5 % to the 95 % quantile; then by_quantiles. */
    double mean_off, mean_error, sd_off, sd_error;
    bool by_quantiles;
    /* The same by the wider draws. */
    double wide_mean_off, wide_mean_error, wide_sd_off, wide_sd_error;
    /* Of a free number, where q is a normal with a location and a scale of it; else NaN. By the gradient of
     * the ELBO: how far the mean would move in a natural step, in q's sd; and the derivative in the log of
     * the scale, which is 1 − (sd / best sd)² for a normal p. */
    double move, move_error, stretch, stretch_error;
} gb_judged;

/* The result. Arrays are [draw][number]. Only the library makes one; it may grow at its end. */
typedef struct gb_judgement {
    gb_verdict verdict;
    const char *words;           /* the verdict, then its reasons, one to a line */
    gb_density *density;         /* names of numbers; lives as long as the tape */
    size_t draws, count, values; /* free numbers and values of a draw */
    const double *z, *value;     /* of draws of q */
    /* log p − log q of each draw, smoothed weights, joint k, effective size; log_evidence is log p(data), up
     * to a constant if a prior or a factor has one. Its log_ratios are not smoothed. */
    gb_psis weights;
    gb_psis wide;            /* of the wider draws */
    double wide_factor;      /* c */
    double elbo, elbo_error; /* mean of log p − log q over draws that have a density */
    double spread;           /* standard deviation of log p − log q over the same draws */
    size_t lost;             /* draws without density: log p is −∞ */
    /* Of the ELBO, predicted for a natural step of locations, and of scales that are independent; NaN where
     * no gradient is defined. */
    double gain;
    const gb_judged *free, *judged; /* free numbers; values */
    size_t starts;                  /* compared */
    bool misses_mode;         /* another place may have a share of the posterior, which no weight shows */
    const gb_nuts *reference; /* NULL: none */
    double seconds;
    size_t wide_draws;
    const double *wide_z, *wide_value; /* of wider draws, as z and value are of q's */
    bool corrects_by_wide;             /* k of q's own draws is too large, and wider ones show how far q is */
    gb_node origin;                    /* of the density: other functions know by it which ELBO was judged */
} gb_judgement;

/* Judges q as it is now. Returns NULL on error, which is on the tape: what gb_density_new rejects (dropout,
 * discrete latents …); latents of each row, and other q's that have no density of their own; a model of
 * points alone. With points beside other latents the others are judged, at these points; the words say so. */
#define gb_judge(...) GB_CALL_1(gb_judge, __VA_ARGS__, .size = sizeof(gb_judge_options))
GB_API gb_judgement *gb_judge_with(gb_elbo *e, const gb_judge_options *options);

/* Frees a result, before or after its tape; that of a gb_fit, which the tape owns, only before. NULL is
 * allowed. */
GB_API void gb_judgement_free(const gb_judgement *judgement);

/* Prints the verdict with its reasons, then what was measured. Returns GB_EARGUMENT for NULL, GB_ESYSTEM if
 * writing failed. */
GB_API gb_status gb_judgement_print(const gb_judgement *judgement, FILE *file);

GB_END_DECLS
#endif
