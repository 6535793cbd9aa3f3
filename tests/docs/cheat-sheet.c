/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every line of docs/cheat-sheet.md, in programs that run. */
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 8 };

static const double xs[2 * N] = {1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7},
                           ys[N] = {0.2, 1.1, 1.9, 3.2, 3.8, 5.1, 6.2, 6.8};

static void nodes(gb_tape *t)
{
    gb_node c = gb_constant(t, gb_shape(2, 3), GB_VALUES(1, 2, 3, 4, 5, 6));
    gb_node w = gb_variable(t, "w", gb_shape(3), gb_fill(0.1));
    gb_node one = gb_num(t, 1);
    gb_node y = gb_softplus(gb_add(gb_matmul(c, w), one));
    gb_node total = gb_sum(y), each = gb_sum_along(c, gb_axis(-1));
    gb_node part = gb_slice(c, -1, 0, 2), row = gb_at(c, 0), turned = gb_matrix_transpose(c);
    gb_node slope = gb_grad(total, w);
    gb_program *look = gb_compile(t, gb_roots(total, each, part, row, turned, slope), gb_no_update);
    gb_run(look);
    double slopes[3], value = gb_value(total);
    gb_read(slope, slopes, 3);
    gb_set(w, GB_VALUES(1, 2, 3));
    gb_run(look);
    gb_print(slope, stdout);
    (void)value;
}

static void laws(gb_tape *t)
{
    gb_dist d = gb_student_t(gb_num(t, 4), gb_num(t, 0), gb_num(t, 2));
    gb_node log_p = gb_log_prob(d, gb_num(t, 1.5));
    gb_node below = gb_cdf(d, gb_num(t, 1.5)), middle = gb_icdf(d, gb_num(t, 0.5));
    gb_node draws = gb_sample(d, gb_stream(t, "draws"), GB_SAMPLES);
    gb_node kl = gb_kl(gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_normal(gb_num(t, 1), gb_num(t, 2)));
    gb_dist positive = gb_transformed(gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_softplus_transform(t));
    gb_node density = gb_log_prob(positive, gb_num(t, 2));
    gb_run(gb_compile(t, gb_roots(log_p, below, middle, gb_sum_over(draws, GB_SAMPLES), kl, density),
                      gb_no_update));
}

static void fit(gb_tape *t)
{
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_batches *data =
        gb_batches_new(t, .rows = N, .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 2));
    gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(2)), prior, gb_pathwise());
    gb_node s = gb_latent(e, "s", gb_mean_field(gb_shape()), gb_half_normal(gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), s), y);

    gb_fit_result r = gb_fit(e, .data = data);
    printf("%s\n", r.verdict >= GB_VERDICT_GOOD_HERE ? "good" : r.words);
    gb_summary_table *table = gb_summary(e, .judgement = r.judgement);
    gb_prediction *p = gb_predictive(e, "y", .data = data, .judgement = r.judgement);
    gb_scores scores = gb_prediction_scores(p);
    gb_nuts *chains = gb_sample_nuts(e, .data = data);
    double mean[2], sd[2];
    gb_elbo_posterior_read(e, "w", mean, sd, 2);
    printf("%zu rows, %zu scores\n", table ? table->rows : 0, scores.count);
    gb_nuts_free(chains);
    gb_prediction_free(p);
    gb_summary_free(table);
}

static void train(gb_tape *t)
{
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_batches *data = gb_batches_new(t, .rows = N, .batch = 4,
                                      .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_elbo *e = gb_elbo_new(t, .data_size = N, .samples = 4);
    gb_node h = gb_dense(e, "h", x, 10, .activation = "tanh", .noise = GB_NOISE_LOCAL);
    gb_observe(e, "y", gb_normal(gb_dense(e, "f", h, 1), gb_num(t, 0.5)), y);
    gb_fit(e, .optimiser = gb_adam(.lr = 1e-2, .schedule = gb_cosine(200)), .data = data, .epochs = 100);
    gb_judgement *j = gb_judge(e, .data = data);
    gb_judgement_free(j);
}

int main(void)
{
    static void (*const part[])(gb_tape *) = {nodes, laws, fit, train};
    gb_status status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < sizeof part / sizeof *part; i++) {
        gb_tape *t = gb_tape_new(.seed = 1);
        part[i](t);
        status = gb_complain(t, stderr);
        gb_tape_free(t);
    }
    return status;
}
