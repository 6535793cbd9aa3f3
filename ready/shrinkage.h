/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priors of coefficients, as plug-ins: how much are they drawn to 0?
 *
 *     gb_analysis_new(t, gb_linear_model(.prior = gb_horseshoe()), .formula = "y ~ .", .table = d)
 *
 * Unless the model is told .raw, they are priors of standardised coefficients (coefficients.h). */
#ifndef GREBE_READY_SHRINKAGE_H
#define GREBE_READY_SHRINKAGE_H

#include "model.h"

GB_BEGIN_DECLS

/* A prior of coefficients. Its latents stand in one block with all others of the model, so they are declared
 * first, and coefficients are a function of their draws. */
typedef struct gb_shrinkage_type {
    GB_PLUGIN_HEAD;
    /* REQUIRED: declares latents NAME… for coefficients of this shape (gb_model_part), and stores their
     * numbers in `part`, which has room for 8. Returns false on error. */
    bool (*declare)(gb_model_site *site, const char *name, gb_shape shape, const void *options, size_t *part);
    /* REQUIRED: returns the coefficients, of the shape, from the draws. */
    gb_node (*value)(const gb_model_site *site, gb_shape shape, const void *options, const size_t *part);
    bool shares_scale; /* all coefficients are 0 together with one latent, as in ridge */
    bool is_flat;      /* the density of the coefficients is 1: the data have to hold them */
    GB_RESERVE(7);
} gb_shrinkage_type;

/* A prior with its options, by value. type NULL: gb_normal_shrinkage(). */
typedef struct gb_shrinkage {
    const gb_shrinkage_type *type;
    gb_packed options;
} gb_shrinkage;
GB_API gb_shrinkage gb_shrinkage_of(const gb_shrinkage_type *type, const void *options);

GB_DECLARE_KIND(gb_shrinkage, gb_shrinkages)

/* All of them. */
#define GB_SHRINKAGE_LIST(do_) do_(normal) do_(laplace) do_(student_t) do_(no) do_(ridge) do_(horseshoe)
#define GB_SHRINKAGE_CODE(name) GB_API extern const gb_shrinkage_type gb_##name##_shrinkage_type;
GB_SHRINKAGE_LIST(GB_SHRINKAGE_CODE)
#undef GB_SHRINKAGE_CODE

/* Independent: N(0, scale²). */
typedef struct gb_normal_shrinkage_options {
    size_t size;
    double scale; /* 0: 2.5 */
} gb_normal_shrinkage_options;
#define gb_normal_shrinkage(...)                                                                             \
    GB_CALL_0(gb_normal_shrinkage, .size = sizeof(gb_normal_shrinkage_options), __VA_ARGS__)
GB_API gb_shrinkage gb_normal_shrinkage_with(const gb_normal_shrinkage_options *options);

/* Independent: Laplace (0, scale), as in the Bayesian lasso. */
typedef struct gb_laplace_shrinkage_options {
    size_t size;
    double scale; /* 0: 1 */
} gb_laplace_shrinkage_options;
#define gb_laplace_shrinkage(...)                                                                            \
    GB_CALL_0(gb_laplace_shrinkage, .size = sizeof(gb_laplace_shrinkage_options), __VA_ARGS__)
GB_API gb_shrinkage gb_laplace_shrinkage_with(const gb_laplace_shrinkage_options *options);

/* Independent: a Student t. */
typedef struct gb_student_t_shrinkage_options {
    size_t size;
    double freedom; /* 0: 3 */
    double scale;   /* 0: 2.5 */
} gb_student_t_shrinkage_options;
#define gb_student_t_shrinkage(...)                                                                          \
    GB_CALL_0(gb_student_t_shrinkage, .size = sizeof(gb_student_t_shrinkage_options), __VA_ARGS__)
GB_API gb_shrinkage gb_student_t_shrinkage_with(const gb_student_t_shrinkage_options *options);

/* No prior: every coefficient is as likely as another. There is a posterior only if the data hold all
 * coefficients; else it is rejected (gb_coefficients_are_held). */
GB_API gb_shrinkage gb_no_shrinkage(void);

/* Ridge: b ~ N(0, τ²), τ ~ half-normal(scale), so the data say how much is shrunk. */
typedef struct gb_ridge_options {
    size_t size;
    double scale; /* 0: 1 */
} gb_ridge_options;
#define gb_ridge(...) GB_CALL_0(gb_ridge, .size = sizeof(gb_ridge_options), __VA_ARGS__)
GB_API gb_shrinkage gb_ridge_with(const gb_ridge_options *options);

/* The regularised horseshoe (Piironen and Vehtari 2017), for many columns of which few matter:
 *
 *     b = z λ̃ τ,  λ̃² = c² λ² / (c² + τ² λ²),  z ~ N(0, 1),  λ ~ half-Cauchy(1),  τ ~ half-Cauchy(scale)
 *     c² ~ inverse gamma(slab_freedom / 2, slab_freedom slab² / 2) */
typedef struct gb_horseshoe_options {
    size_t size;
    /* Of τ. With m columns of which about m₀ matter: m₀ / (m − m₀) / √rows. 0: 1 / √rows,
     * where a row of weight 2 is two. */
    double scale;
    double slab;         /* the size of coefficients that matter; 0: 2.5 */
    double slab_freedom; /* 0: 4 */
} gb_horseshoe_options;
#define gb_horseshoe(...) GB_CALL_0(gb_horseshoe, .size = sizeof(gb_horseshoe_options), __VA_ARGS__)
GB_API gb_shrinkage gb_horseshoe_with(const gb_horseshoe_options *options);

GB_END_DECLS
#endif
