/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priors of coefficients whose latents are the coefficients themselves. */
#include "ready/shrinkage.h"

#include "distributions/list.h"

static gb_node the_latent(const gb_model_site *s, gb_shape shape, const void *options, const size_t *part)
{
    (void)shape;
    (void)options;
    return gb_model_value(s, part[0]);
}

static bool declare(gb_model_site *s, const char *name, gb_shape shape, gb_dist prior, size_t *part)
{
    part[0] = gb_model_part_of(s, name, "slopes", shape, prior);
    return gb_error(s->tape) == GB_OK;
}

/* ---- normal ---- */

static bool declare_normal(gb_model_site *s, const char *name, gb_shape shape, const void *options,
                           size_t *part)
{
    const gb_normal_shrinkage_options *const o = options;
    return declare(s, name, shape, gb_normal(gb_num(s->tape, 0), gb_num(s->tape, o->scale)), part);
}

static const gb_option normal_table[] = {
    GB_OPTION_NUMBER(gb_normal_shrinkage_options, scale, 2.5, GB_POSITIVE, "standard deviation"), {0}};

const gb_shrinkage_type gb_normal_shrinkage_type = {
    .size = sizeof(gb_shrinkage_type),
    .name = "normal",
    .formula = "b ~ N(0, scale^2)",
    .options = normal_table,
    .option_bytes = sizeof(gb_normal_shrinkage_options),
    .declare = declare_normal,
    .value = the_latent,
};

gb_shrinkage gb_normal_shrinkage_with(const gb_normal_shrinkage_options *options)
{
    return gb_shrinkage_of(&gb_normal_shrinkage_type, options);
}

/* ---- Laplace ---- */

static bool declare_laplace(gb_model_site *s, const char *name, gb_shape shape, const void *options,
                            size_t *part)
{
    const gb_laplace_shrinkage_options *const o = options;
    return declare(s, name, shape, gb_laplace(gb_num(s->tape, 0), gb_num(s->tape, o->scale)), part);
}

static const gb_option laplace_table[] = {
    GB_OPTION_NUMBER(gb_laplace_shrinkage_options, scale, 1, GB_POSITIVE, "scale"), {0}};

const gb_shrinkage_type gb_laplace_shrinkage_type = {
    .size = sizeof(gb_shrinkage_type),
    .name = "laplace",
    .cite = "Park and Casella 2008",
    .formula = "b ~ Laplace(0, scale)",
    .options = laplace_table,
    .option_bytes = sizeof(gb_laplace_shrinkage_options),
    .declare = declare_laplace,
    .value = the_latent,
};

gb_shrinkage gb_laplace_shrinkage_with(const gb_laplace_shrinkage_options *options)
{
    return gb_shrinkage_of(&gb_laplace_shrinkage_type, options);
}

/* ---- Student t ---- */

static bool declare_student_t(gb_model_site *s, const char *name, gb_shape shape, const void *options,
                              size_t *part)
{
    const gb_student_t_shrinkage_options *const o = options;
    return declare(s, name, shape,
                   gb_student_t(gb_num(s->tape, o->freedom), gb_num(s->tape, 0), gb_num(s->tape, o->scale)),
                   part);
}

static const gb_option student_t_table[] = {
    GB_OPTION_NUMBER(gb_student_t_shrinkage_options, freedom, 3, GB_POSITIVE, "degrees of freedom"),
    GB_OPTION_NUMBER(gb_student_t_shrinkage_options, scale, 2.5, GB_POSITIVE, "scale"),
    {0}};

const gb_shrinkage_type gb_student_t_shrinkage_type = {
    .size = sizeof(gb_shrinkage_type),
    .name = "student_t",
    .formula = "b ~ t(freedom, 0, scale)",
    .options = student_t_table,
    .option_bytes = sizeof(gb_student_t_shrinkage_options),
    .declare = declare_student_t,
    .value = the_latent,
};

gb_shrinkage gb_student_t_shrinkage_with(const gb_student_t_shrinkage_options *options)
{
    return gb_shrinkage_of(&gb_student_t_shrinkage_type, options);
}

/* ---- none ---- */

static bool declare_flat(gb_model_site *s, const char *name, gb_shape shape, const void *options,
                         size_t *part)
{
    (void)options;
    return declare(s, name, shape, gb_no_prior, part);
}

const gb_shrinkage_type gb_no_shrinkage_type = {
    .size = sizeof(gb_shrinkage_type),
    .name = "none",
    .formula = "p(b) = 1",
    .declare = declare_flat,
    .value = the_latent,
    .is_flat = true,
};

gb_shrinkage gb_no_shrinkage(void)
{
    return gb_shrinkage_of(&gb_no_shrinkage_type, NULL);
}
