/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One plug-in of each kind, as short as they can be, in one bundle. With FEW the bundle has those whose kits
 * are quick. */
#include <math.h>

#include <grebe/grebe.h>

/* ---- a problem: rows of its own, arrays as parameters, more than eight of them ---- */

typedef struct ring {
    double x[6], y[6];
    const char *names[10];
} ring;

static ring own = {.x = {0.5, 1.2, -0.7, 0.9, -1.4, 0.3},
                   .y = {0.1, 2.0, -0.9, 0.4, -2.2, 1.0},
                   .names = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"}};

static gb_node ring_mean(gb_trial *trial, gb_node *pull)
{
    const ring *const r = trial->user;
    const gb_node centre = gb_trial_parameter(trial, "centre", gb_shape(3, 1), GB_VALUES(0.5, -0.3, 0.2));
    *pull = gb_num(trial->tape, 0);
    for (size_t i = 0; i < sizeof r->names / sizeof *r->names; i++) {
        const gb_node shift = gb_trial_parameter(trial, r->names[i], gb_shape(), gb_fill(0.1 * (double)i));
        *pull = gb_add(*pull, gb_square(shift));
    }
    return centre;
}

static gb_node ring_cost(gb_trial *trial)
{
    const ring *const r = trial->user;
    gb_node pull;
    const gb_node centre = ring_mean(trial, &pull);
    const gb_node x = gb_trial_rows(trial, "x", gb_shape(), 6, r->x),
                  y = gb_trial_rows(trial, "y", gb_shape(), 6, r->y);
    const gb_node w = gb_trial_draw(trial, "w", gb_normal(centre, gb_num(trial->tape, trial->setting[0])));
    const gb_node fit = gb_square(gb_sub(gb_mul(gb_sum(w), x), y));
    return gb_add(gb_trial_row_sum(trial, fit), pull);
}

/* E (s x - y)² for s = Σ w ~ N(Σ centre, 3 scale²) */
static gb_node ring_expected(gb_trial *trial)
{
    const ring *const r = trial->user;
    gb_node pull;
    const gb_node s = gb_sum(ring_mean(trial, &pull));
    const gb_node x = gb_trial_rows(trial, "x", gb_shape(), 6, r->x),
                  y = gb_trial_rows(trial, "y", gb_shape(), 6, r->y);
    const double variance = 3 * trial->setting[0] * trial->setting[0];
    const gb_node each = gb_add(gb_square(gb_sub(gb_mul(s, x), y)), gb_scale(gb_square(x), variance));
    return gb_add(gb_trial_row_sum(trial, each), pull);
}

static const gb_problem ring_problem = {
    .size = sizeof(gb_problem),
    .name = "ring",
    .formula = "E sum_n (sum w x_n - y_n)^2 + sum s_i^2, w ~ N(centre, scale)",
    .settings = {{"scale", 0.7, 0.01, 10, "the standard deviation of w"}},
    .cost = ring_cost,
    .expected = ring_expected,
    .user = &own,
};

/* ---- an estimator with options: a draw of a normal and its mirror image ---- */

typedef struct mirrored_options {
    size_t size;
    double share;
    gb_baseline baseline;
} mirrored_options;

static int64_t two(const gb_site *site)
{
    (void)site;
    return 2;
}

static gb_node mirrored_draw(gb_site *site)
{
    const gb_node z = gb_sample(site->q, site->noise, site->axes), loc = gb_dist_mean(site->q);
    return gb_stop(gb_stack(2, (const gb_node[]){z, gb_sub(gb_scale(loc, 2), z)}, 0));
}

static gb_node mirrored_combine(const gb_site *site, gb_node costs)
{
    const mirrored_options *const o = site->options;
    const gb_node share = gb_constant(costs.tape, gb_shape(2), GB_VALUES(1 - o->share, o->share));
    const gb_node weighted = gb_mul(costs, share);
    return gb_inject(gb_sum(weighted), gb_site_log_probs(site), weighted);
}

static const char *mirrored_lacks(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_normal_type ? NULL : "draw that can be mirrored (normal)";
}

static const gb_option mirrored_table[] = {
    GB_OPTION_NUMBER(mirrored_options, share, 0.5, GB_OPEN_UNIT, "weight of the mirror image"),
    GB_OPTION_PLUGIN(mirrored_options, baseline, gb_baseline, NULL, "not used; for texts"),
    {0}};

static const gb_estimator_type mirrored_type = {
    .size = sizeof(gb_estimator_type),
    .name = "mirrored",
    .formula = "(1 - share) f d log q at z + share f d log q at 2 loc - z",
    .options = mirrored_table,
    .option_bytes = sizeof(mirrored_options),
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = mirrored_lacks,
    .expansion = GB_PROBES,
    .evaluations = two,
    .first_order = true,
    .drops_own_path = true,
    .draw = mirrored_draw,
    .combine = mirrored_combine,
};

/* ---- a baseline ---- */

static gb_node one_value(const gb_site *site, const void *options, gb_node costs)
{
    (void)site, (void)options;
    return gb_num(costs.tape, 1);
}

static const gb_baseline_type one_type = {
    .size = sizeof(gb_baseline_type), .name = "one", .formula = "1", .value = one_value};

/* ---- a bound: the ELBO ---- */

static gb_node plain_value(const void *options, gb_node log_weight)
{
    (void)options;
    return gb_mean_along(log_weight, gb_axis(0));
}

static const gb_bound_type plain_type = {
    .size = sizeof(gb_bound_type), .name = "plain", .formula = "E log w", .value = plain_value};

/* ---- a family ---- */

static gb_dist heavy_posterior(const gb_slot *slot, const void *options)
{
    (void)options;
    const gb_node location = gb_slot_location(slot, "centre", slot->free, (gb_start){.location = 0});
    const gb_node deviation = gb_slot_scale(slot, "spread", slot->free, 0.1, GB_SCALE_SOFTPLUS);
    return gb_slot_reached(slot, gb_laplace(location, gb_scale(deviation, 0.70710678118654752)));
}

static const gb_family_type heavy_type = {.size = sizeof(gb_family_type),
                                          .name = "heavy",
                                          .formula = "independent Laplace distributions",
                                          .posterior = heavy_posterior};

/* ---- an optimiser ---- */

typedef struct signs_options {
    GB_OPTIMISER_HEAD;
} signs_options;

static gb_node signs_update(const gb_update_step *to)
{
    return gb_sub(to->variable, gb_mul(to->rate, gb_sign(to->gradient)));
}

static const gb_option signs_table[] = {GB_OPTIMISER_ROWS(signs_options, 1e-3), {0}};
static const gb_optimiser_type signs_type = {.size = sizeof(gb_optimiser_type),
                                             .name = "signs",
                                             .formula = "x - lr sign(g)",
                                             .options = signs_table,
                                             .option_bytes = sizeof(signs_options),
                                             .update = signs_update};

/* ---- a schedule, with an argument ---- */

typedef struct linear_options {
    size_t size;
    double steps;
} linear_options;

static gb_node linear_factor(gb_node t, const void *options)
{
    const linear_options *const o = options;
    return gb_max(gb_shift(gb_scale(t, -1 / o->steps), 1), gb_num(t.tape, 0));
}

static const gb_option linear_table[] = {
    GB_OPTION_ARGUMENT(linear_options, steps, GB_POSITIVE, "runs until the factor is 0"), {0}};
static const gb_schedule_type falling_type = {.size = sizeof(gb_schedule_type),
                                              .name = "falling",
                                              .formula = "max(1 - t / steps, 0)",
                                              .options = linear_table,
                                              .option_bytes = sizeof(linear_options),
                                              .factor = linear_factor};

/* ---- a distribution ---- */

static gb_node rayleigh_log_prob(const gb_dist *d, gb_node x)
{
    const gb_node scale = d->param[0], z = gb_div(x, scale);
    return gb_sub(gb_log(gb_div(z, scale)), gb_scale(gb_square(z), 0.5));
}

static gb_node rayleigh_rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node e = gb_exponential_noise(from->noise, from->shape, from->axes);
    return gb_mul(d->param[0], gb_sqrt(gb_scale(e, 2)));
}

static const gb_dist_type rayleigh_type = {.size = sizeof(gb_dist_type),
                                           .name = "rayleigh",
                                           .formula = "log(x / scale^2) - (x / scale)^2 / 2",
                                           .param = {GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
                                           .support = GB_NON_NEGATIVE,
                                           .log_prob = rayleigh_log_prob,
                                           .rsample = rayleigh_rsample};

/* ---- a transform ---- */

static gb_node twice(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_scale(x, 2);
}

static gb_node half(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_scale(y, 0.5);
}

static gb_node log_two(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_shift(gb_scale(x, 0), 0.69314718055994531);
}

static const gb_transform_type twice_type = {.size = sizeof(gb_transform_type),
                                             .name = "twice",
                                             .formula = "2 x",
                                             .from = GB_REAL,
                                             .to = GB_REAL,
                                             .forward = twice,
                                             .inverse = half,
                                             .log_jacobian = log_two};

/* ---- an operation ---- */

static double cube_at(double x, double y, double z)
{
    (void)y, (void)z;
    return x * x * x;
}

static void cube_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(gb_square(v->arg[0]), 3));
}

static const gb_op cube_op = {.size = sizeof(gb_op),
                              .name = "cube",
                              .formula = "x^3",
                              .form = GB_FORM_ELEMENTWISE,
                              .arguments = 1,
                              .lane = cube_at,
                              .vjp = cube_vjp,
                              .domain = {{-3, 3}}};

/* ---- a prior of coefficients, and a model ---- */

static bool flat_declare(gb_model_site *s, const char *name, gb_shape shape, const void *options,
                         size_t *part)
{
    (void)options;
    part[0] = gb_model_part(s, (gb_latent_part){.name = name,
                                                .shape = shape,
                                                .prior = gb_normal(gb_num(s->tape, 0), gb_num(s->tape, 9))});
    return true;
}

static gb_node flat_value(const gb_model_site *s, gb_shape shape, const void *options, const size_t *part)
{
    (void)shape, (void)options;
    return gb_model_value(s, part[0]);
}

static const gb_shrinkage_type wide_type = {.size = sizeof(gb_shrinkage_type),
                                            .name = "wide",
                                            .formula = "b ~ N(0, 81)",
                                            .declare = flat_declare,
                                            .value = flat_value};

typedef struct gamma_options {
    size_t size;
    GB_REGRESSION_CHOICES;
} gamma_options;

static bool gamma_build(gb_model_site *s, const void *options)
{
    gb_coefficients *const beta = gb_coefficients_new(s, .choices = options, .centre = gb_model_log_mean(s));
    if (!gb_model_draw(s))
        return false;
    gb_coefficients_show(beta, NULL);
    return gb_model_observe(s, gb_exponential(gb_exp(gb_neg(gb_coefficients_predictor(beta, s->x)))));
}

static const gb_option gamma_table[] = {GB_REGRESSION_ROWS(gamma_options), {0}};
static const gb_model_type waits_type = {.size = sizeof(gb_model_type),
                                         .name = "waits",
                                         .formula = "y ~ exponential with mean exp(x beta)",
                                         .options = gamma_table,
                                         .option_bytes = sizeof(gamma_options),
                                         .outcome = GB_POSITIVE,
                                         .takes_offset = true,
                                         .takes_group = true,
                                         .build = gamma_build};

#ifdef FEW
GB_EXPORT_BUNDLE({&gb_shrinkage_kind, &wide_type}, {&gb_schedule_kind, &falling_type},
                 {&gb_bound_kind, &plain_type}, {&gb_transform_kind, &twice_type}, {&gb_op_kind, &cube_op});
const void *const unused[] = {&ring_problem, &mirrored_type, &one_type,  &heavy_type,
                              &signs_type,   &rayleigh_type, &waits_type};
#else
GB_EXPORT_BUNDLE({&gb_problem_kind, &ring_problem}, {&gb_estimator_kind, &mirrored_type},
                 {&gb_baseline_kind, &one_type}, {&gb_bound_kind, &plain_type},
                 {&gb_family_kind, &heavy_type}, {&gb_optimiser_kind, &signs_type},
                 {&gb_schedule_kind, &falling_type}, {&gb_dist_kind, &rayleigh_type},
                 {&gb_transform_kind, &twice_type}, {&gb_op_kind, &cube_op}, {&gb_shrinkage_kind, &wide_type},
                 {&gb_model_kind, &waits_type});
#endif
