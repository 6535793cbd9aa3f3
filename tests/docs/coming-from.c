/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every line of docs/coming-from.md, in programs that run. */
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 6, K = 3 };

static const double xs[2 * N] = {1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5}, ys[N] = {0.2, 1.1, 1.9, 3.2, 3.8, 5.1};

static void save(gb_tape *t, gb_program *train)
{
    const gb_checkpoint c = {
        .size = sizeof c, .tape = t, .path = "run.grebe", .programs = 1, .program = &train};
    gb_checkpoint_save(&c);
    gb_checkpoint_load(&c);
    remove("run.grebe");
}

/* ---- Stan ---- */

static gb_elbo *regression(gb_tape *t, gb_node x, gb_node y)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 2));
    gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(2)), prior, gb_pathwise());
    gb_node sigma =
        gb_latent(e, "sigma", gb_mean_field(gb_shape()), gb_half_normal(gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), sigma), y);
    gb_factor(e, "weak", gb_scale(gb_square(gb_sum(w)), -1e-3));
    return e;
}

static void as_in_stan(gb_tape *t)
{
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = regression(t, x, y);
    gb_batches *data =
        gb_batches_new(t, .rows = N, .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_fit_result r = gb_fit(e, .data = data);
    gb_nuts *chains = gb_sample_nuts(e, .data = data);
    gb_summary_table *s = gb_summary(e, .nuts = chains);
    gb_prediction *p = gb_predictive(e, "y", .data = data, .judgement = r.judgement);
    gb_prediction_free(p);
    gb_summary_free(s);
    gb_nuts_free(chains);
}

static void by_formula(gb_tape *t)
{
    gb_table *d = gb_table_of_set(t, "counts");
    gb_analysis *a = gb_analysis_new(t, gb_poisson_model(), .formula = "count ~ x + dose", .table = d);
    gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a), .optimiser = gb_adam(), .steps = 10);
    gb_table_free(d);
}

/* ---- Pyro and NumPyro ---- */

static void level(gb_scan_step *s)
{
    s->output[0] = s->state[0];
    s->next[0] = gb_add(gb_scale(s->state[0], 0.5), s->input[0]);
}

/* Latents of 0 and 1. */
static void add_choices(gb_tape *t, gb_elbo *e)
{
    gb_dist coin = gb_bernoulli(gb_num(t, 0.5));
    gb_dist q = gb_bernoulli_logits(gb_variable(t, "chance", gb_shape(), gb_fill(0)));
    gb_node pick = gb_latent(e, "pick", gb_posterior_of(q), coin, gb_enumerated());
    gb_dist r = gb_bernoulli_logits(gb_variable(t, "other.chance", gb_shape(), gb_fill(0)));
    gb_node other =
        gb_latent(e, "other", gb_posterior_of(r), coin, gb_score(.baseline = gb_moving_average()));
    gb_observe(e, "seen", gb_normal(other, gb_num(t, 1)), gb_num(t, 0.4));
    gb_observe(e, "look", gb_normal(pick, gb_num(t, 1)), gb_num(t, 0.3));
}

static gb_elbo *sites(gb_tape *t, int which)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_dist prior = gb_normal(zero, one);
    const gb_shape shape = gb_shape(2);
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node w = {0};
    switch (which) {
    case 0: w = gb_latent(e, "w", gb_mean_field(shape), prior, gb_pathwise()); break;
    case 1: w = gb_latent(e, "w", gb_full_rank(shape), prior, gb_pathwise()); break;
    case 2: w = gb_latent(e, "w", gb_low_rank(shape, .rank = 1), prior, gb_pathwise()); break;
    case 3: w = gb_latent(e, "w", gb_point(shape), prior, gb_pathwise()); break;
    case 4: w = gb_latent(e, "w", gb_autoregressive(shape), prior, gb_pathwise()); break;
    case 5: e = gb_elbo_new(t, .data_size = N, .samples = 10); break;
    case 6: e = gb_elbo_new(t, .data_size = N, .kl = GB_KL_EXACT); break;
    case 7: e = gb_elbo_new(t, .data_size = N, .bound = gb_iwae(.draws = 10)); break;
    default: e = gb_elbo_new(t, .data_size = N, .kl_weight = gb_num(t, 0.5)); break;
    }
    if (which >= 5)
        w = gb_latent(e, "w", gb_mean_field(shape), prior, gb_pathwise());
    if (which != 7) /* that bound takes draws at once */
        add_choices(t, e);
    gb_observe(e, "data", gb_normal(w, one), gb_constant(t, shape, GB_VALUES(0.3, 0.7)));
    return e;
}

static void as_in_pyro(gb_tape *t, int which)
{
    gb_elbo *e = sites(t, which);
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .steps = 20);
    gb_node tau = gb_variable(t, "tau", gb_shape(), gb_fill(0));
    gb_scan_result r = gb_scan(t, level, gb_roots(tau), .inputs = gb_roots(gb_arange(t, 5)), .outputs = 1);
    gb_run(gb_compile(t, gb_roots(r.output[0]), gb_no_update));
}

/* ---- PyTorch ---- */

static void as_in_torch(gb_tape *t)
{
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_node h = gb_dense(e, "h", x, 8, .activation = "relu");
    gb_node f = gb_dense(e, "f", h, 1);
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.5)), y);
    gb_batches *batches = gb_batches_new(t, .rows = N, .batch = 3,
                                         .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_fit(e, .optimiser = gb_adam(.lr = 1e-3), .data = batches, .epochs = 10);

    gb_node w = gb_variable(t, "w", gb_shape(2), gb_fill(0.1)),
            v = gb_constant(t, gb_shape(2), GB_VALUES(1, 2));
    gb_node loss = gb_sum(gb_square(gb_sub(v, w)));
    gb_node gradient = gb_grad(loss, w);
    gb_program *step = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 0.1)));
    for (int i = 0; i < 10; i++)
        gb_run(step);
    double values[2];
    gb_read(w, values, 2);
    gb_dist q = gb_normal(w, gb_num(t, 0.5)), p = gb_normal(gb_num(t, 0), gb_num(t, 1));
    gb_node kl = gb_kl(q, p), log_p = gb_log_prob(p, v), draw = gb_rsample(q, gb_stream(t, "draw"), 0);
    gb_run(gb_compile(t, gb_roots(gradient, kl, log_p, draw), gb_no_update));
    save(t, step);
}

int main(void)
{
    gb_status status = GB_OK;
    for (int which = 0; status == GB_OK && which < 12; which++) {
        gb_tape *t = gb_tape_new(.seed = 1, .threads = 2);
        if (which == 0)
            as_in_stan(t);
        else if (which == 1)
            as_in_torch(t);
        else if (which == 2)
            by_formula(t);
        else
            as_in_pyro(t, which - 3);
        status = gb_complain(t, stderr);
        gb_tape_free(t);
    }
    return status;
}
