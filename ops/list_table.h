/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of operations, one entry for each. gb_NAME_op is the struct of NAME. */

/* clang-format off */
#define GB_OP_LIST(do_)                                                                                      \
    do_(add) do_(sub) do_(mul) do_(div) do_(pow) do_(max) do_(min) do_(chain)                                \
    do_(neg) do_(abs) do_(square) do_(sqrt) do_(exp) do_(log) do_(log1p) do_(expm1) do_(reciprocal)          \
    do_(tanh) do_(sigmoid) do_(softplus) do_(log_sigmoid) do_(relu) do_(clip) do_(where)                     \
    do_(less) do_(less_equal) do_(greater) do_(greater_equal) do_(equal) do_(not) do_(and) do_(or)           \
    do_(rsqrt) do_(sign) do_(floor) do_(sin) do_(cos) do_(log1mexp) do_(gap) do_(logaddexp) do_(share)       \
    do_(xlogy)                                                                                               \
    do_(xlog1py) do_(ratio_excess) do_(scale_divergence) do_(scale_divergence_slope) do_(misfit)             \
    do_(misfit_slope) do_(log_bernoulli) do_(bernoulli_residual) do_(leaky_relu) do_(elu) do_(gelu)          \
    do_(silu) do_(ndtr) do_(erf) do_(erfc) do_(normal_density) do_(log_ndtr) do_(mills) do_(mills_excess)    \
    do_(ndtri)                                                                                               \
    do_(ndtri_exp) do_(i0e) do_(i1e) do_(real_to_int) do_(lgamma) do_(digamma) do_(trigamma)                 \
    do_(bool_to_real) do_(int_to_real)                                                                       \
    do_(total) do_(mean) do_(maximum) do_(logsumexp) do_(softmax) do_(log_softmax)                           \
    do_(sum_over) do_(mean_over) do_(logsumexp_over) do_(maximum_over) do_(leave_one_out_mean) do_(select)   \
    do_(reshape) do_(transpose) do_(slice) do_(assemble) do_(gather) do_(scatter_add)                        \
    do_(hide) do_(reveal) do_(spread)                                                                        \
    do_(matmul) do_(affine) do_(dot)                                                                         \
    do_(uniform_noise) do_(normal_noise) do_(bernoulli_noise)                                                \
    do_(gumbel_noise) do_(exponential_noise) do_(rademacher_noise)                                           \
    do_(gamma_noise) do_(log_gamma_noise) do_(poisson_noise) do_(binomial_noise) do_(von_mises_noise)        \
    do_(scaled_log_gamma_noise)                                                                              \
    do_(categorical_noise) do_(draw_category) do_(permutation_noise) do_(draw_permutation)                   \
    do_(antithetic_noise) do_(mirror_pairs)                                                                  \
    do_(sobol_noise) do_(sobol)                                                                              \
    do_(hold) do_(stop) do_(inject) do_(inject_score) do_(gradient_only) do_(continuous)                     \
    do_(moving_support) do_(relaxed) do_(open_draw) do_(close_draws)                                         \
    do_(expand) do_(squeeze) do_(at) do_(flip) do_(repeat) do_(stack) do_(one_hot)                           \
    do_(log_ratio) do_(deviance)                                                                             \
    do_(poisson_quantile) do_(binomial_quantile) do_(negative_binomial_quantile)                             \
    do_(cumsum)                                                                                              \
    do_(argmax)                                                                                              \
    do_(matrix_transpose) do_(outer) do_(diagonal) do_(diag) do_(tril) do_(triu)                             \
    do_(cholesky) do_(triangular_solve) do_(triangular_solve_vector)                                         \
    do_(triangular_log_det) do_(log_det) do_(quadratic_form)                                                 \
    do_(prod) do_(argsort) do_(sort)                                                                         \
    do_(take_along) do_(scatter_along)                                                                       \
    do_(gamma_p) do_(gamma_q) do_(gamma_density) do_(gamma_p_slope) do_(gamma_p_inverse)                     \
    do_(gamma_draw_slope) do_(scaled_log_gamma_slope)                                                        \
    do_(gamma_q_inverse)                                                                                     \
    do_(beta_i) do_(beta_density) do_(beta_i_slope_a) do_(beta_i_slope_b) do_(beta_i_inverse)                \
    do_(beta_draw_slope_a) do_(beta_draw_slope_b) do_(polygamma) do_(lbeta) do_(digamma_difference)          \
    do_(digamma_gap) do_(digamma_rest_gap)                                                                   \
    do_(von_mises_cdf) do_(von_mises_density) do_(von_mises_cdf_slope) do_(von_mises_draw_slope)             \
    do_(von_mises_spread) do_(von_mises_spread_slope) do_(von_mises_spread_curve) do_(atan2)                 \
    do_(exp_excess) do_(log_less_digamma) do_(log_gamma_kernel) do_(log_gamma_bregman)                       \
    do_(stirling_bregman)                                                                                    \
    do_(kumaraswamy_log_rest) do_(kumaraswamy_log_rest_slope_a) do_(kumaraswamy_log_rest_slope_b)            \
    do_(log1p_square) do_(log1p_square_slope) do_(log_gamma_step) do_(log_gamma_step_slope)                  \
    do_(gamma_body) do_(gamma_log_body) do_(gamma_rest) do_(gamma_rest_slope)                                \
    do_(normal_interval_mass) do_(normal_interval_mean) do_(normal_interval_variance)                        \
    do_(normal_interval_third_moment) do_(tetragamma)                                                        \
    do_(polygamma_rest) do_(polygamma_difference) do_(log_gamma_step_rest)                                   \
    do_(beta_log_odds_slope_a) do_(beta_log_odds_slope_b) do_(student_t_draw_slope) do_(log_i0e_slope)       \
    do_(beta_scaled_slope_a) do_(beta_scaled_slope_b) do_(beta_i_upper) do_(beta_i_upper_inverse)            \
    do_(von_mises_bregman) do_(chain_both) do_(cholesky_adjoint)                                             \
    do_(scan) do_(scan_back) do_(patches) do_(pool_maximum) do_(pool_mean)
/* These are declared in core/op.h, since gradients are made of them. */
#define GB_CORE_OP_LIST(do_) do_(sum) do_(broadcast)
/* clang-format on */
