/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds: functions of log weights log p(data, z) − log q(z).
 *
 * The ELBO is the mean of one log weight. Other bounds take K draws for each sample, the *particles*, and are
 * functions of their K log weights: the importance weighted bound is E log (w₁ + … + w_K) / K. An expectation
 * with such a bound (gb_expect_new(tape, .bound = gb_iwae(.draws = 5)), gb_elbo_new(tape, …, .bound = …))
 * draws along a hidden axis of particles, beside the samples: the samples stay independent values of the
 * bound, with a standard error. gb_expected_bound (expect.h) closes the draws.
 *
 * Which estimators fit: a bound of several draws is one cost, and not linear in log q. So paths and scores
 * fit (gb_pathwise, gb_score, gb_disarm, gb_rebar …), and gb_dreg, gb_gdreg, gb_vimco, gb_ovis, gb_wake and
 * gb_path_covariance are made for it. Rejected are those whose gradient is a sum over values or over single
 * elements: gb_enumerated, gb_quadrature, gb_measure_valued, gb_bitflip, gb_ugc, gb_sum_and_sample,
 * gb_unordered_set, gb_gumbel_top_k.
 *
 * docs/add-a-bound.md shows how to write your own; gb_check_bound tests it. */
#ifndef GREBE_ESTIMATORS_BOUND_H
#define GREBE_ESTIMATORS_BOUND_H

#include "../distributions/domain.h"

GB_BEGIN_DECLS

struct gb_site;

/* The type of a bound. */
typedef struct gb_bound_type {
    GB_PLUGIN_HEAD; /* `formula` is the bound; K is the number of particles, l their log weights */
    /* OPTIONAL: what its mean is, if it is not below log Z for every q. NULL: a lower bound. */
    const char *caution;
    /* OPTIONAL: returns the number K of particles, at least 1. NULL: there is one, and the bound is linear in
     * its log weight; so terms with a closed form may be left out of the weight, and added afterwards. */
    int64_t (*particles)(const void *options);
    /* REQUIRED: returns the bound of K log weights, which lie along the first axis of `log_weights`: a node
     * without that axis. The order of the particles does not matter, and a number that is added to all log
     * weights is added to the bound. `options` is the options struct of the type, with defaults filled in. */
    gb_node (*value)(const void *options, gb_node log_weights);
    /* OPTIONAL: returns the second derivative of the bound in each log weight, ∂²/∂l_k². NULL: estimators
     * that need it (dreg) are rejected. */
    gb_node (*bend)(const void *options, gb_node log_weights);
    /* OPTIONAL: returns what gb_path_covariance weights the score of each particle by, besides the slope.
     * NULL: gb_path_covariance is rejected. */
    gb_node (*signal)(const void *options, gb_node log_weights);
    /* OPTIONAL: returns for each particle k the bound with instead_k in place of l_k. The arguments and the
     * result have one axis, of K. NULL: the bound is evaluated K times, so vimco and ovis take time and
     * memory as K². */
    gb_node (*value_instead)(const void *options, gb_node log_weights, gb_node instead);
    /* OPTIONAL, with a caution: returns whether it does not concern these options, so that the mean is below
     * log Z. NULL: it concerns all. */
    bool (*is_safe)(const void *options);
    GB_RESERVE(6);
} gb_bound_type;

/* A bound with its options, by value. type NULL: the ELBO. */
typedef struct gb_bound {
    const gb_bound_type *type;
    gb_packed options;
} gb_bound;

/* Returns the bound of a type with these options (an options struct; NULL: all defaults). For
 * constructors. */
GB_API gb_bound gb_bound_of(const gb_bound_type *type, const void *options);

/* Returns the number of particles of a bound: 0 if it is linear and has no axis of them. */
GB_API int64_t gb_bound_particles(gb_bound bound);

/* Returns the caution of the type, if it concerns the bound with these options; NULL: its mean is a lower
 * bound of log Z. */
GB_API const char *gb_bound_caution(gb_bound bound);

/* Returns the bound of log weights along the first axis of a node, however many there are: calls `value` of
 * its type with its options. */
GB_API gb_node gb_bound_value(gb_bound bound, gb_node log_weights);

/* clang-format off */
/* The members of the library, each as do_(name). */
#define GB_BOUND_LIST(do_) do_(evidence) do_(iwae) do_(renyi) do_(thermodynamic)
/* clang-format on */
#define GB_DECLARE_BOUND(name) GB_API extern const gb_bound_type gb_##name##_bound_type;
GB_BOUND_LIST(GB_DECLARE_BOUND)
#undef GB_DECLARE_BOUND

GB_DECLARE_KIND(gb_bound, gb_bounds)

/* The evidence lower bound, E l. */
GB_API gb_bound gb_evidence_bound(void);

/* The importance weighted bound, E log mean w: with one particle the ELBO; it rises to log Z with the number
 * of particles. */
typedef struct gb_iwae_options {
    size_t size;
    int64_t draws; /* particles; 0: 5 */
} gb_iwae_options;
#define gb_iwae(...) GB_CALL_0(gb_iwae, .size = sizeof(gb_iwae_options), __VA_ARGS__)
GB_API gb_bound gb_iwae_with(const gb_iwae_options *options);

/* Rényi's bound, E log mean w^(1 − α) / (1 − α). It falls with α: α → 1 is the ELBO, α → 0 the importance
 * weighted bound. For α < 0 exact expectations would be above log Z, but the mean of a sampled one may be on
 * either side, so it is no bound. α = −1 is half of what CUBO (χ, Dieng et al. 2017) samples. */
typedef struct gb_renyi_options {
    size_t size;
    double alpha;  /* 0: 0.5; gb_iwae has α = 0. At 1 it is the ELBO, of K log weights */
    int64_t draws; /* particles; 0: 5 */
} gb_renyi_options;
#define gb_renyi(...) GB_CALL_0(gb_renyi, .size = sizeof(gb_renyi_options), __VA_ARGS__)
GB_API gb_bound gb_renyi_with(const gb_renyi_options *options);

/* The thermodynamic objective: a left Riemann sum of the mean of l under q^(1 − β) p^β over β from 0 to 1,
 * each mean by the particles with weights w^β. β is 0, then equidistant in its logarithm from `lowest` to 1,
 * at `points` places in all. The exact sum is a lower bound; that of few particles is biased, upwards or
 * downwards. */
typedef struct gb_thermodynamic_options {
    size_t size;
    int64_t draws;  /* particles; 0: 10 */
    int64_t points; /* places of β but the 1, at least 1 (the ELBO); 0: 2 */
    double lowest;  /* the least β above 0; 0: 0.1 */
} gb_thermodynamic_options;
#define gb_thermodynamic(...)                                                                                \
    GB_CALL_0(gb_thermodynamic, .size = sizeof(gb_thermodynamic_options), __VA_ARGS__)
GB_API gb_bound gb_thermodynamic_with(const gb_thermodynamic_options *options);

/* ---- for authors of estimators with GB_NEEDS_BOUND, in `combine` ---- */

/* Each returns one number for each particle (along a hidden axis), without a gradient; for each row too, if
 * the bound is one of each row; and a vector over the evaluations of the site, if it has several.
 *
 * log_weights: l. slopes: ∂ cost / ∂ l. bends: ∂² cost / ∂ l². signals: `signal` of the bound. The cost is
 * the bound times the factor of its rows. */
GB_API gb_node gb_site_log_weights(const struct gb_site *site);
GB_API gb_node gb_site_slopes(const struct gb_site *site);
GB_API gb_node gb_site_bends(const struct gb_site *site);
GB_API gb_node gb_site_signals(const struct gb_site *site);

/* Returns the factor of the rows, one number: the cost is the sum of the bounds of all rows, times it. */
GB_API gb_node gb_site_row_factor(const struct gb_site *site);

/* Returns the cost (at the draws) with the log weight of one particle replaced, for each particle in turn:
 * one number for each. `instead` has one number for each particle. If `slope` is not NULL, it receives the
 * derivative in `instead`. It has all terms of the bound, also those that no draw reaches, such as −log K,
 * which the cost of `combine` lacks. So a difference is taken to
 * gb_site_cost_instead(site, gb_site_log_weights(site), NULL), as vimco does, and not to that cost. */
GB_API gb_node gb_site_cost_instead(const struct gb_site *site, gb_node instead, gb_node *slope);

/* Returns the mean over the other particles: of l, or (`log_of_mean`) log mean w. For one particle only, an
 * error. */
GB_API gb_node gb_site_other_weights(const struct gb_site *site, bool log_of_mean);

/* Returns log q(z) of each particle at its draw, held fixed, as gb_site_log_prob sums it over all
 * particles. */
GB_API gb_node gb_site_particle_log_probs(const struct gb_site *site);

GB_END_DECLS
#endif
