/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators with one slot spoilt. They fit few distributions only, so that a fault is found soon. */
#include "distributions/list.h"
#include "estimators/bound.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "kit/check_estimator.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_estimator_type *good;
static gb_estimator_type bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    return gb_check_estimator(gb_estimator_of(&bad, NULL), .report = report);
}

static const char *unless_normal(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_normal_type ? NULL : "normal distribution";
}

static const char *unless_bernoulli(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_bernoulli_type ? NULL : "choice between 0 and 1";
}

/* ---- the score ---- */

static gb_node stopped_draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

static gb_node score_of(const gb_site *site, gb_node cost, gb_node coefficient)
{
    return gb_inject_score(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), coefficient);
}

static gb_node score(const gb_site *site, gb_node cost)
{
    return score_of(site, cost, cost);
}

static const gb_estimator_type of_normals = {.size = sizeof(gb_estimator_type),
                                             .name = "mine",
                                             .formula = "f d log q(z)",
                                             .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
                                             .lacks = unless_normal,
                                             .draw = stopped_draw,
                                             .combine = score},
                               of_bernoullis = {.size = sizeof(gb_estimator_type),
                                                .name = "mine",
                                                .formula = "f d log q(z)",
                                                .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
                                                .lacks = unless_bernoulli,
                                                .draw = stopped_draw,
                                                .combine = score};

#define COMBINE(name, ...)                                                                                   \
    static gb_node name##_combine(const gb_site *site, gb_node cost)                                         \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_estimator_type, it->combine = name##_combine)
COMBINE(off_by_a_tenth, score_of(site, cost, gb_scale(cost, 1.1)))
COMBINE(own_sample_in_the_mean, score_of(site, cost, gb_sub(cost, gb_mean_over(cost, GB_SAMPLES))))
COMBINE(own_sample_in_the_mean_of_all,
        score_of(site, cost, gb_sub(cost, gb_mean_over(cost, gb_node_axes(cost)))))
COMBINE(opposite, score_of(site, cost, gb_neg(cost)))
COMBINE(squared, score_of(site, cost, gb_abs(cost)))
COMBINE(cost_is_stopped, score_of(site, gb_stop(cost), cost))
COMBINE(density_is_forgotten, gb_site_drop_own_path(site, cost))
COMBINE(value_is_doubled, gb_scale(score(site, cost), 2))
COMBINE(value_is_gone, gb_gradient_only(score(site, cost)))
COMBINE(coefficient_is_stopped,
        gb_inject(gb_site_drop_own_path(site, cost), gb_site_log_prob(site), gb_stop(cost)))
COMBINE(own_density_twice, gb_inject_score(score(site, cost), gb_site_log_prob(site), cost))
COMBINE(a_vector, gb_expand(score(site, cost), 0))

static gb_node draw_without_axes(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes & ~GB_SAMPLES);
}
SPOIL(one_draw_for_all_samples, gb_estimator_type, it->draw = draw_without_axes)

static gb_node draw_for_samples(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes & GB_SAMPLES);
}
SPOIL(one_draw_for_all_rows, gb_estimator_type, it->draw = draw_for_samples)

static gb_node live_draw(gb_site *site)
{
    return gb_rsample(site->q, site->noise, site->axes);
}
SPOIL(draw_is_not_stopped, gb_estimator_type, it->draw = live_draw)

static gb_node moved_draw(gb_site *site)
{
    return gb_shift(stopped_draw(site), 0.1);
}
SPOIL(draw_is_off, gb_estimator_type, it->draw = moved_draw)

static gb_node next_stream(gb_site *site)
{
    (void)stopped_draw(site);
    return gb_scale(gb_add(stopped_draw(site), stopped_draw(site)), 0.5);
}
SPOIL(mean_of_two_draws, gb_estimator_type, it->draw = next_stream)

SPOIL(no_name, gb_estimator_type, it->name = NULL)
SPOIL(no_draw, gb_estimator_type, it->draw = NULL)
SPOIL(false_bias, gb_estimator_type, it->bias = "none that can be seen")
SPOIL(no_evaluations, gb_estimator_type, it->expansion = GB_PROBES, it->evaluations = NULL)

static const char *nothing_fits(const gb_dist *q, const void *options)
{
    (void)q, (void)options;
    return "anything";
}
SPOIL(fits_nothing, gb_estimator_type, it->lacks = nothing_fits)

/* ---- those of grebe ---- */

SPOIL(bias_unsaid, gb_estimator_type, it->bias = NULL)
SPOIL(second_unsaid, gb_estimator_type, it->first_order = false)

static gb_node good_off(const gb_site *site, gb_node cost)
{
    return gb_add(good->combine(site, cost), gb_scale(gb_gradient_only(good->combine(site, cost)), 0.1));
}
SPOIL(gradient_off_by_a_tenth, gb_estimator_type, it->combine = good_off)

static gb_node paths_stopped(gb_site *site)
{
    return gb_stop(good->draw(site));
}
SPOIL(path_is_stopped, gb_estimator_type, it->lacks = unless_normal, it->draw = paths_stopped)

/* A score whose probe is a second draw: its cost is the baseline of the first. */
static int64_t two(const gb_site *site)
{
    (void)site;
    return 2;
}

static gb_node two_draws(gb_site *site)
{
    return gb_stack(2, (const gb_node[]){stopped_draw(site), stopped_draw(site)}, 0);
}

static gb_node less_the_other(const gb_site *site, gb_node costs)
{
    const gb_node cost = gb_evaluation(costs, 0);
    return score_of(site, cost, gb_sub(cost, gb_evaluation(costs, 1)));
}

static const gb_estimator_type with_a_probe = {.size = sizeof(gb_estimator_type),
                                               .name = "mine",
                                               .formula = "(f(z) - f(z')) d log q(z)",
                                               .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
                                               .lacks = unless_normal,
                                               .expansion = GB_PROBES,
                                               .evaluations = two,
                                               .first_order = true,
                                               .draw = two_draws,
                                               .combine = less_the_other};
SPOIL(false_weights, gb_estimator_type, it->expansion = GB_WEIGHTS)

static gb_node weights_doubled(const gb_site *site)
{
    return gb_scale(good->weights(site), 2);
}
SPOIL(other_weights, gb_estimator_type, it->weights = weights_doubled)

/* ---- a score in bounds of several draws ---- */

/* The score of each particle, weighted by the gain of the bound over one with a mean of the others. */
static gb_node gain(const gb_site *site)
{
    return gb_sub(gb_site_cost_instead(site, gb_site_log_weights(site), NULL),
                  gb_site_cost_instead(site, gb_site_other_weights(site, false), NULL));
}

static gb_node by_signal(const gb_site *site, gb_node cost, gb_node signal)
{
    return gb_site_inject(site, cost, gb_site_particle_log_probs(site), signal);
}

static gb_node gains(const gb_site *site, gb_node cost)
{
    return by_signal(site, cost, gain(site));
}

static const gb_estimator_type of_bounds = {.size = sizeof(gb_estimator_type),
                                            .name = "mine",
                                            .formula = "sum (L - L_k) d log q(z_k)",
                                            .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_BOUND,
                                            .lacks = unless_bernoulli,
                                            .first_order = true,
                                            .draw = stopped_draw,
                                            .combine = gains};

COMBINE(row_factor_is_lost, by_signal(site, cost, gb_div(gain(site), gb_site_row_factor(site))))
COMBINE(row_factor_counts_twice, by_signal(site, cost, gb_mul(gain(site), gb_site_row_factor(site))))
/* of the importance weighted bound, whatever the bound and the rows are */
COMBINE(bound_is_guessed, by_signal(site, cost,
                                    gb_sub(gb_logsumexp_over(gb_site_log_weights(site), site->particles),
                                           gb_site_other_weights(site, true))))
/* ---- an option: the weight of a baseline ---- */

typedef struct baseline_options {
    size_t size;
    double weight;
} baseline_options;

static const double BASELINE = 0.3;

static gb_node less_baseline(const gb_site *site, gb_node cost)
{
    const baseline_options *const o = site->options;
    return score_of(site, cost, gb_shift(cost, -BASELINE * o->weight));
}

static const gb_option baseline_table[] = {
    GB_OPTION_NUMBER(baseline_options, weight, 1, GB_POSITIVE, "of the baseline"), {0}};
static const gb_estimator_type with_baseline = {.size = sizeof(gb_estimator_type),
                                                .name = "mine",
                                                .formula = "(f - 0.3 w) d log q(z)",
                                                .options = baseline_table,
                                                .option_bytes = sizeof(baseline_options),
                                                .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
                                                .lacks = unless_bernoulli,
                                                .first_order = true,
                                                .draw = stopped_draw,
                                                .combine = less_baseline};

/* The weight of the baseline is that of the cost, too. */
static gb_node weighted_cost_combine(const gb_site *site, gb_node cost)
{
    const baseline_options *const o = site->options;
    return score_of(site, cost, gb_scale(gb_shift(cost, -BASELINE), o->weight));
}
SPOIL(cost_has_the_weight, gb_estimator_type, it->combine = weighted_cost_combine)

#define IN_ROWS "in bounds of rows, each of which stands for several data"

static const kit_fault faults[] = {
    {"the coefficient is off by a tenth", "its gradient has the mean", &of_normals, off_by_a_tenth},
    {"the mean contains the own sample", "its gradient has the mean", &of_bernoullis, own_sample_in_the_mean},
    {"the mean over all hidden axes contains the own sample", "its gradient has the mean", &of_normals,
     own_sample_in_the_mean_of_all},
    {"the coefficient has the other sign", "its gradient has the mean", &of_bernoullis, opposite},
    {"the coefficient is |f|", LATER "contains the log q of the draw", &of_bernoullis, squared},
    {"the cost is stopped", LATER "also if the cost depends on the parameters", &of_normals, cost_is_stopped},
    {"the density is forgotten", "its gradient has the mean", &of_normals, density_is_forgotten},
    {"the value is doubled", "its value has the mean", &of_bernoullis, value_is_doubled},
    {"the value is gone", "its value has the mean", &of_bernoullis, value_is_gone},
    {"the coefficient is stopped", "gradients of its gradient", &of_normals, coefficient_is_stopped},
    {"the score counts twice", "its gradient has the mean", &of_bernoullis, own_density_twice},
    {"the estimate is a vector", "it is recorded", &of_normals, a_vector},
    {"one draw for all rows", "each sample and each row", &of_normals, one_draw_for_all_rows},
    {"one draw for all samples", "each sample and each row", &of_normals, one_draw_for_all_samples},
    {"the draw is not stopped", "its gradient has the mean", &of_normals, draw_is_not_stopped},
    {"the draw is off by 0.1", "its value has the mean", &of_normals, draw_is_off},
    {"the draw is a mean of two", "its value has the mean", &of_normals, mean_of_two_draws},
    {"it has no name", "its struct is complete", &of_normals, no_name},
    {"it has no draw", "its struct is complete", &of_normals, no_draw},
    {"it declares a bias that is none", "the bias that its type", &of_normals, false_bias},
    {"it has probes, and no number of them", "its struct is complete", &of_normals, no_evaluations},
    {"it fits nothing", "it fits a problem", &of_normals, fits_nothing},
    {"relaxed draws without their bias", LATER "its gradient has the mean", &gb_relaxed_estimator_type,
     bias_unsaid},
    {"arm is off by a tenth", "its gradient has the mean", &gb_arm_estimator_type, gradient_off_by_a_tenth},
    {"arm does not say that it is of first order", "gradients of its gradient", &gb_arm_estimator_type,
     second_unsaid},
    {"disarm is off by a tenth", "its gradient has the mean", &gb_disarm_estimator_type,
     gradient_off_by_a_tenth},
    {"probes are declared weights", "set .expansion = GB_PROBES", &with_a_probe, false_weights},
    {"drawn values are declared exact", "or GB_DRAWN_WEIGHTS", &gb_unordered_set_estimator_type,
     false_weights},
    {"the weights are doubled", "its weights and its combine", &gb_enumerate_estimator_type, other_weights},
    {"arsm is off by a tenth", "its gradient has the mean", &gb_arsm_estimator_type, gradient_off_by_a_tenth},
    {"pathwise is stopped", "its gradient has the mean", &gb_pathwise_estimator_type, path_is_stopped},
    {"the factor of the rows is lost", IN_ROWS, &of_bounds, row_factor_is_lost},
    {"the factor of the rows counts twice", IN_ROWS, &of_bounds, row_factor_counts_twice},
    {"its option scales the gradient", "at other settings", &with_baseline, cost_has_the_weight},
    {"the bound is taken for another", "in bounds of several draws", &of_bounds, bound_is_guessed},
};
KIT_FAULTS(estimators, faults);
