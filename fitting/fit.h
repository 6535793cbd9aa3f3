/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitting an ELBO: q becomes the best member of its family, or the result says that it did not.
 *
 *     gb_fit_result r = gb_fit(e);
 *     puts(r.words);
 *
 * Without .optimiser, a method chooses its own steps and knows when it is done. It works on log p of
 * fitting/density.h, over the free numbers z of all latents.
 *
 * GB_FIT_FIXED_DRAWS, the usual one, maximises
 *
 *     F(m, L) = mean over s of log p(m + L ε_s) + log |L|
 *
 * over the locations m and the scales L of all latents together, for fixed draws ε_s of the standard normal:
 * Sobol points, in pairs ε and −ε, whose covariance is exactly the unit matrix (Giordano et al. 2024; Burroni
 * et al. 2024). So normal posteriors are solved exactly. It starts from Pathfinder's best normal, and doubles
 * the number of draws until means move less than 0.02 standard deviations, scales less than 2 % (for n > 100
 * numbers √(n/100) times that, at most 0.05 and 5 %), and fresh draws confirm the ELBO. Over the last draws,
 * F is maximised to about a hundredth of those moves. If q as it was given is better than what that leads to,
 * the search begins there instead. It is for gb_mean_field, gb_full_rank and gb_point, of latents or of
 * blocks. A model of points alone is maximised without draws.
 *
 * GB_FIT_PATHFINDER follows L-BFGS from several points to modes of log p; at each place it has a normal whose
 * covariance is L-BFGS's inverse Hessian, and takes that of the highest ELBO (Zhang et al. 2022).
 * GB_FIT_LAPLACE takes the mode, and there the inverse of minus the Hessian. Both are then brought into q's
 * family.
 *
 * GB_FIT_STOCHASTIC is for all other families, for learned variables besides q, and for many data in many
 * batches (see below): Adam on the loss of the ELBO, with a rate that falls each time that the iterates of
 * one run are stationary, and averages of the iterates (Welandawe et al. 2024).
 *
 * `end` is GB_FIT_CONVERGED or GB_FIT_UNFINISHED, and `words` say why; an ELBO that rises without end, as for
 * an improper posterior, is unfinished. Variables have what was found, also if it is unfinished; after
 * GB_FIT_ERROR they are as they were.
 *
 * That a method has converged does not mean that q is near the posterior. So fixed draws are followed by
 * searches from other points: around 0, and around q, 4, 10 and 30 standard deviations wide. Each mode of log
 * p that they find, and at least three in all, begins a search of its own, the highest first; so does a
 * normal across all of these modes. These are at most 8 searches: of more modes, the lowest are left out.
 * Those that are at the same place over the fewest draws end at the same place, without another search. If
 * one ends at a higher ELBO, q moves there. Then gb_judge (judge.h) compares q with the posterior, on draws
 * that no search has used, and with the other places. `verdict`, `judgement` and the first lines of `words`
 * have the answer:
 *
 *     if (r.verdict >= GB_VERDICT_GOOD_HERE) …
 *
 * What gb_judge rejects is fitted all the same, and `words` say "not judged" and why; so are data in more
 * than 64 batches whose rows times free numbers are more than 100,000, which take long. After other methods
 * no other starts are compared, and the best verdict is GB_VERDICT_GOOD_HERE. The other places stay known:
 * gb_judge(e) and gb_summary(e) compare with them as long as q is as the fit left it. A limit or a callback
 * ends the other searches too; a callback that returns false also ends the judging. */
#ifndef GREBE_FITTING_FIT_H
#define GREBE_FITTING_FIT_H

#include "../models/training.h"

GB_BEGIN_DECLS

/* Fits an ELBO. With .optimiser it trains: a second call for the same ELBO, with the same optimiser and
 * options of gb_minimise, continues the first: moments, noise and data. Gradient norms are known in the
 * second call only if the first call computed them. Without, a second call starts from where q is, and from
 * the other starting points. */
#define gb_fit(...) GB_CALL_1(gb_fit, __VA_ARGS__, .size = sizeof(gb_fit_options))
GB_API gb_fit_result gb_fit_with(gb_elbo *elbo, const gb_fit_options *options);

/* Fits the same model from several seeds. `make` records the model on the given tape, fills the options of
 * gb_fit, and returns the ELBO. It returns NULL on failure; the error is on the tape. `done`, if not NULL, is
 * called with each fitted model before its tape, and everything on it, is freed. All seeds are tried. Returns
 * the first status that is not GB_OK. */
typedef struct gb_fit_seeds {
    size_t size;
    const uint64_t *seeds;
    size_t count;
    const gb_tape_options *tape; /* OPTIONAL; the seed is replaced. NULL: all defaults */
    gb_elbo *(*make)(void *user, gb_tape *tape, gb_fit_options *options);
    void (*done)(void *user, size_t number, gb_tape *tape, const gb_fit_result *result);
    void *user;
} gb_fit_seeds;
GB_API gb_status gb_fit_each_seed(const gb_fit_seeds *seeds);

GB_END_DECLS
#endif
