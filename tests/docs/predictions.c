/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of docs/predictions.md, on a small regression. */
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 8 };

static void print(const char *draws, gb_prediction *p)
{
    printf("%s: %s\n", draws, p ? "predicted" : "failed");
    gb_prediction_free(p);
}

int main(void)
{
    static const double xs[2 * N] = {1, 0, 2, -1, 0.5, 3, -2, 1, 0, 1, 2, 2, -1, 0, 1, 1},
                               ys[N] = {0.4, 1.1, 2.5, -0.5, 1, 2, -0.3, 1.2};
    gb_tape *t = gb_tape_new(.seed = 1);
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    const gb_node w =
        gb_latent(e, "w", gb_full_rank(gb_shape(2)), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, 0.5)), y);
    gb_batches *train =
        gb_batches_new(t, .rows = N, .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_batches *held_out =
        gb_batches_new(t, .rows = 4, .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_batches *rows = held_out;
    gb_fit(e, .optimiser = gb_adam(), .data = train, .epochs = 500, .validate = held_out, .patience = 10);
    gb_judgement *j = gb_judge(e, .data = train);
    gb_nuts *r = gb_sample_nuts(e, .data = train);
    print("q", gb_predictive(e, "y", .data = rows, .draws = 1000));
    print("weights", gb_predictive(e, "y", .data = rows, .judgement = j));
    print("nuts", gb_predictive(e, "y", .data = rows, .nuts = r));
    gb_prediction *p = gb_predictive(e, "y", .data = rows, .quantiles = GB_VALUES(0.1, 0.9));
    gb_scores s = gb_prediction_scores(p);
    printf("%zu scores\n", s.count);
    gb_prediction_print(p, stdout);
    FILE *picture = tmpfile();
    gb_reliability c = gb_prediction_reliability(p, 0);
    gb_reliability_print(&c, stdout);
    gb_reliability_svg(&c, picture);
    if (picture)
        fclose(picture);
    gb_prediction_free(p);
    gb_nuts_free(r);
    gb_judgement_free(j);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}
