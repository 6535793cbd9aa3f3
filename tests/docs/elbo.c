/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every line that docs/elbo.md has for a form of the objective trains a small regression. */
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 3, BY_PRIOR = 3, BY_FAMILY = 8, BY_OPTION = 11, FORMS = BY_PRIOR + BY_FAMILY + BY_OPTION };

typedef struct model {
    gb_tape *t;
    gb_node x, y;
    gb_shape shape;
    gb_dist prior;
} model;

static gb_elbo *observed(const model *m, gb_elbo *e, gb_node w)
{
    gb_observe(e, "y", gb_normal(gb_dot(m->x, w), gb_num(m->t, 0.5)), m->y);
    return e;
}

static gb_elbo *with(const model *m, gb_elbo *e, gb_family family, gb_dist prior)
{
    return observed(m, e, gb_latent(e, "w", family, prior, gb_pathwise()));
}

static gb_elbo *by_prior(const model *m, int which)
{
    gb_tape *const t = m->t;
    const gb_node zero = gb_num(t, 0), scale = gb_num(t, 2);
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    if (which == 0)
        return with(m, e, gb_point(m->shape), gb_normal(zero, scale));
    if (which == 1)
        return with(m, e, gb_point(m->shape), gb_laplace(zero, scale));
    const gb_node tau = gb_variable(t, "tau", gb_shape(), gb_fill(0));
    return with(m, e, gb_mean_field(m->shape), gb_normal(zero, gb_exp(tau)));
}

/* Any loss in place of -log p. */
static gb_elbo *by_loss(const model *m, gb_elbo *e)
{
    const double s = 0.25;
    const gb_node w = gb_latent(e, "w", gb_mean_field(m->shape), m->prior, gb_pathwise());
    const gb_node loss = gb_abs(gb_sub(m->y, gb_dot(m->x, w)));
    gb_log_likelihood(e, "y", gb_scale(loss, -1 / s));
    return e;
}

static gb_elbo *by_family(const model *m, int which)
{
    gb_tape *const t = m->t;
    const gb_shape shape = m->shape;
    const gb_dist prior = m->prior;
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    switch (which) {
    case 0: return observed(m, e, gb_latent(e, "w", gb_point(shape), prior, gb_pathwise()));
    case 1: return observed(m, e, gb_latent(e, "w", gb_point(shape), gb_no_prior, gb_pathwise()));
    case 2: return with(m, e, gb_row_by_row(gb_mean_field(shape)), prior);
    case 3: return with(m, e, gb_dropout_posterior(shape, .keep = 0.9), prior);
    case 4: return observed(m, e, gb_latent(e, "w", gb_mean_field(shape), prior, gb_sticking_the_landing()));
    default: break;
    }
    if (which == 7) {
        const gb_node f = gb_dense(e, "w", m->x, 1, .noise = GB_NOISE_LOCAL, .prior = prior);
        gb_observe(e, "y", gb_normal(gb_sum(f), gb_num(t, 0.5)), m->y);
        return e;
    }
    if (which == 5) {
        const gb_node prob = gb_num(t, 0.5), scale_1 = gb_num(t, 1), scale_2 = gb_num(t, 0.1);
        return with(m, e, gb_mean_field(shape), gb_scale_mixture(prob, scale_1, scale_2));
    }
    const gb_node location = gb_mul(gb_variable(t, "z.slope", gb_shape(), gb_fill(0.1)), m->y);
    const gb_dist q = gb_normal(location, gb_num(t, 0.3));
    const gb_node z =
        gb_latent(e, "z", gb_posterior_of(q), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(z, gb_num(t, 0.5)), m->y);
    return e;
}

static gb_elbo *by_option(const model *m, int which)
{
    gb_tape *const t = m->t;
    const double beta = 0.5;
    const gb_elbo_options forms[] = {
        {.kl = GB_KL_EXACT},
        {.kl = GB_KL_AUTO},
        {.unit = GB_PER_DATA_SET},
        {.unit = GB_PER_BATCH},
        {.unit = GB_PER_DATUM},
        {.kl_weight = gb_num(t, beta)},
        {.kl_schedule = gb_warm_up(1000, gb_steady())},
        {.kl_schedule = gb_cyclical(1000, .cycles = 4)},
    };
    const double weight = 2;
    if (which == 10)
        return by_loss(m, gb_elbo_new(t, .data_size = N));
    if (which == 9) {
        const gb_elbo_options options = {.unit = GB_PER_BATCH,
                                         .kl_weight = gb_input(t, "weight", gb_shape()),
                                         .size = sizeof options,
                                         .data_size = N};
        gb_feed(options.kl_weight, &weight, 1);
        return with(m, gb_elbo_new_with(t, &options), gb_mean_field(m->shape), m->prior);
    }
    if (which == 8)
        return with(m, gb_elbo_new(t, .data_size = N, .kl = GB_KL_SAMPLED), gb_mean_field(m->shape),
                    m->prior);
    gb_elbo_options options = forms[which];
    options.size = sizeof options;
    options.data_size = N;
    return with(m, gb_elbo_new_with(t, &options), gb_mean_field(m->shape), m->prior);
}

/* What docs/elbo.md reads by name. */
static gb_status read_by_name(void)
{
    enum { count = 2 };
    double mean[count], sd[count];
    gb_tape *const t = gb_tape_new(.seed = 1);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_latent_part parts[] = {{.name = "slope", .shape = gb_shape(count), .prior = prior}};
    gb_node theta;
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(count)), prior, gb_pathwise());
    gb_latent_block(e, "theta", gb_full_rank(gb_shape()), 1, parts, gb_pathwise(), &theta);
    const gb_node f = gb_sum(gb_exp(w));
    const gb_node read[] = {
        gb_elbo_term_named(e, "w").value,
        gb_elbo_term_named(e, "ELBO").value,
        gb_elbo_posterior_mean(e, "w"),
        gb_elbo_posterior_sd(e, "w"),
        gb_elbo_posterior_mean(e, "theta.slope"),
        gb_icdf(gb_elbo_posterior(e, "w"), gb_num(t, 0.975)),
        gb_predict_mean(e, f),
        gb_predict_sd(e, f),
    };
    gb_run(gb_compile(t, (gb_node_list){sizeof read / sizeof *read, read}, gb_no_update));
    gb_elbo_posterior_read(e, "w", mean, sd, count);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

int main(void)
{
    static const double xs[N][2] = {{1, 0}, {1, 1}, {1, 2}}, ys[N] = {0.3, 1.1, 1.8};
    gb_status status = read_by_name();
    for (int which = 0; status == GB_OK && which < FORMS; which++) {
        gb_tape *const t = gb_tape_new(.seed = 1);
        const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
        const model m = {t, x, y, gb_shape(2), gb_normal(gb_num(t, 0), gb_num(t, 1))};
        gb_elbo *const e = which < BY_PRIOR               ? by_prior(&m, which)
                           : which < BY_PRIOR + BY_FAMILY ? by_family(&m, which - BY_PRIOR)
                                                          : by_option(&m, which - BY_PRIOR - BY_FAMILY);
        const gb_node loss = gb_elbo_loss(e);
        gb_batches *const data =
            gb_batches_new(t, .rows = N, .columns = GB_COLUMNS({x, gb_doubles(*xs)}, {y, gb_doubles(ys)}));
        gb_fit(e, .optimiser = gb_adam(.lr = 1e-2), .data = data, .steps = 300);
        gb_run(gb_compile(t, gb_roots(loss), gb_no_update));
        status = gb_complain(t, stderr);
        gb_tape_free(t);
    }
    return status;
}
