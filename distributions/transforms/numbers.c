/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transforms of numbers: affine, exp, softplus, sigmoid, tanh, interval. */
#include "distributions/domains/parameters_impl.h"
#include "distributions/transforms.h"
#include "distributions/transforms/transform_impl.h"
#include "ops/elementwise.h"

/* Checks the parameters, as those of distributions. */
static gb_transform with_parameters(const gb_transform_type *type, const gb_option *param,
                                    const gb_relation *relation, gb_node first, gb_node second)
{
    gb_transform t = {.type = type, .param = {first, second}};
    t.tape = gb_node_ok(first) ? first.tape : second.tape;
    const gb_parameters p = {t.tape, type->name, param, 2, relation, t.param};
    return gb_transform_ok(t) && gb_parameters_fit(&p) ? t : (gb_transform){0};
}

/* The shape of y from that of x, and back: the parameters broadcast. */
static gb_shape shape_with_parameters(const gb_transform *t, gb_shape shape)
{
    for (size_t i = 0; i < 2; i++)
        if (!gb_shape_broadcast(shape, gb_node_shape(t->param[i]), &shape))
            return (gb_shape){.rank = -1};
    return shape;
}

/* ---- affine ---- */

static gb_node affine_forward(const gb_transform *t, gb_node x)
{
    return gb_add(t->param[0], gb_mul(t->param[1], x));
}

static gb_node affine_inverse(const gb_transform *t, gb_node y)
{
    return gb_div(gb_sub(y, t->param[0]), t->param[1]);
}

static gb_node affine_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)x, (void)y;
    return gb_log(gb_abs(t->param[1]));
}

static gb_node affine_increases(const gb_transform *t)
{
    return gb_greater(t->param[1], gb_num(t->tape, 0));
}

const gb_transform_type gb_affine_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "affine",
    .formula = "loc + scale x",
    .from = GB_REAL,
    .to = GB_REAL,
    .forward = affine_forward,
    .inverse = affine_inverse,
    .log_jacobian = affine_log_jacobian,
    .shape = shape_with_parameters,
    .inverse_shape = shape_with_parameters,
    .increases = affine_increases,
};

gb_transform gb_affine_transform(gb_node loc, gb_node scale)
{
    static const gb_option param[] = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER("scale", GB_NON_ZERO)};
    return with_parameters(&gb_affine_transform_type, param, NULL, loc, scale);
}

/* ---- onto the positive numbers ---- */

static gb_node exp_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_exp(x);
}

static gb_node exp_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_log(y);
}

static gb_node exp_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return x;
}

const gb_transform_type gb_exponential_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "exp",
    .formula = "e^x",
    .from = GB_REAL,
    .to = GB_POSITIVE,
    .forward = exp_forward,
    .inverse = exp_inverse,
    .log_jacobian = exp_log_jacobian,
};

gb_transform gb_exponential_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_exponential_transform_type, tape);
}

static gb_node softplus_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_softplus(x);
}

/* log(e^y − 1) = y + log(1 − e^−y), which does not overflow. */
static gb_node softplus_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_add(y, gb_log1mexp(gb_neg(y)));
}

static gb_node softplus_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_log_sigmoid(x);
}

const gb_transform_type gb_softplus_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "softplus",
    .formula = "log(1 + e^x)",
    .from = GB_REAL,
    .to = GB_POSITIVE,
    .forward = softplus_forward,
    .inverse = softplus_inverse,
    .log_jacobian = softplus_log_jacobian,
};

gb_transform gb_softplus_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_softplus_transform_type, tape);
}

/* ---- onto intervals ---- */

static gb_node sigmoid_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_sigmoid(x);
}

static gb_node logit(gb_node y)
{
    return gb_sub(gb_log(y), gb_log1p(gb_neg(y)));
}

static gb_node sigmoid_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return logit(y);
}

/* log σ(x) σ(−x) */
static gb_node sigmoid_log_slope(gb_node x)
{
    return gb_add(gb_log_sigmoid(x), gb_log_sigmoid(gb_neg(x)));
}

static gb_node sigmoid_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return sigmoid_log_slope(x);
}

const gb_transform_type gb_sigmoid_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "sigmoid",
    .formula = "1 / (1 + e^-x)",
    .from = GB_REAL,
    .to = GB_OPEN_UNIT,
    .forward = sigmoid_forward,
    .inverse = sigmoid_inverse,
    .log_jacobian = sigmoid_log_jacobian,
};

gb_transform gb_sigmoid_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_sigmoid_transform_type, tape);
}

static gb_node tanh_forward(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_tanh(x);
}

static gb_node tanh_inverse(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_scale(gb_sub(gb_log1p(y), gb_log1p(gb_neg(y))), 0.5);
}

/* 1 − tanh² x = 4 σ(2x) σ(−2x) */
static gb_node tanh_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    static const double log_4 = 1.386294361119890618834464242916353136;
    (void)t, (void)y;
    return gb_shift(sigmoid_log_slope(gb_scale(x, 2)), log_4);
}

const gb_transform_type gb_tanh_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "tanh",
    .formula = "tanh x",
    .from = GB_REAL,
    .to = GB_SIGNED_UNIT,
    .forward = tanh_forward,
    .inverse = tanh_inverse,
    .log_jacobian = tanh_log_jacobian,
};

gb_transform gb_tanh_transform(gb_tape *tape)
{
    return gb_transform_of_tape(&gb_tanh_transform_type, tape);
}

static gb_node width(const gb_transform *t)
{
    return gb_sub(t->param[1], t->param[0]);
}

/* From the nearer end, so that values near both ends have full precision. */
static gb_node interval_forward(const gb_transform *t, gb_node x)
{
    const gb_node from_low = gb_add(t->param[0], gb_mul(width(t), gb_sigmoid(x)));
    const gb_node from_high = gb_sub(t->param[1], gb_mul(width(t), gb_sigmoid(gb_neg(x))));
    return gb_where(gb_less(x, gb_num(t->tape, 0)), from_low, from_high);
}

static gb_node interval_inverse(const gb_transform *t, gb_node y)
{
    return gb_sub(gb_log(gb_sub(y, t->param[0])), gb_log(gb_sub(t->param[1], y)));
}

static gb_node interval_log_jacobian(const gb_transform *t, gb_node x, gb_node y)
{
    (void)y;
    return gb_add(gb_log(width(t)), sigmoid_log_slope(x));
}

/* The image depends on the parameters. The domain `to` is what holds for all images. */
const gb_transform_type gb_interval_transform_type = {
    .size = sizeof(gb_transform_type),
    .name = "interval",
    .formula = "low + (high - low) / (1 + e^-x)",
    .from = GB_REAL,
    .to = GB_REAL,
    .forward = interval_forward,
    .inverse = interval_inverse,
    .log_jacobian = interval_log_jacobian,
    .shape = shape_with_parameters,
    .inverse_shape = shape_with_parameters,
};

static gb_node not_above_low(const gb_node *param)
{
    return gb_less_equal(param[1], param[0]);
}

gb_transform gb_interval_transform(gb_node low, gb_node high)
{
    static const gb_option param[] = {GB_PARAMETER("low", GB_REAL), GB_PARAMETER("high", GB_REAL)};
    static const gb_relation relation = {.which = 1, .must_be = "above low", .outside = not_above_low};
    return with_parameters(&gb_interval_transform_type, param, &relation, low, high);
}
