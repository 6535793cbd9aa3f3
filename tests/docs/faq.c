/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What docs/faq.md says of errors: each fault gives the words, and the line given there mends it. */
#include <stdio.h>
#include <string.h>

#include <grebe/grebe.h>

enum { N = 4 };

static int faults;

/* The tape's error has these words; it is cleared. */
static void says(gb_tape *t, const char *words)
{
    if (!strstr(gb_error_text(t), words)) {
        fprintf(stderr, "not \"%s\" but \"%s\"\n", words, gb_error_text(t));
        faults++;
    }
    gb_forgive(t);
}

static void nothing(gb_tape *t)
{
    if (gb_complain(t, stderr) != GB_OK)
        faults++;
}

static void shapes(gb_tape *t)
{
    gb_node x = gb_zeros(t, gb_shape(5, 2)), w = gb_zeros(t, gb_shape(3)), column = gb_zeros(t, gb_shape(5));
    gb_matmul(x, w);
    says(t, "inner sizes 2 and 3 differ");
    gb_add(x, column);
    says(t, "(5×2)");
    gb_add(x, gb_expand(column, -1));
    nothing(t);
}

static void values(gb_tape *t)
{
    gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(2)), y = gb_square(w), z = gb_exp(w);
    gb_run(gb_compile(t, gb_roots(y), gb_no_update));
    double seen[1];
    gb_read(z, seen, 1);
    says(t, "make it a root of one");
    gb_run(gb_compile(t, gb_roots(y, z), gb_no_update));
    gb_read(z, seen, 1);
    nothing(t);
}

static void feeds(gb_tape *t)
{
    gb_node x = gb_input_rows(t, "x", gb_shape());
    gb_program *p = gb_compile(t, gb_roots(gb_sum_over(x, GB_ROWS)), gb_no_update);
    gb_run(p);
    says(t, "input x");
    gb_feed(x, (const double[]){1, 2, 3}, 3);
    gb_run(p);
    nothing(t);
    gb_input_rows(t, "x", gb_shape());
    says(t, "there is an input of that name already");
}

static void infinite(gb_tape *t)
{
    gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(-1)), loss = gb_neg(gb_log(w));
    gb_run(gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 0.1))));
    says(t, "log");
    gb_node free = gb_variable(t, "free", gb_shape(), gb_fill(-1));
    gb_node positive = gb_softplus(free), better = gb_neg(gb_log(positive));
    gb_run(gb_compile(t, gb_roots(better), gb_minimise(better, gb_sgd(.lr = 0.2))));
    nothing(t);
}

static gb_elbo *choice(gb_tape *t, gb_estimator estimator, const char *name)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .samples = 2);
    gb_dist coin = gb_bernoulli_logits(gb_variable(t, name, gb_shape(), gb_fill(0)));
    gb_node z = gb_latent(e, "z", gb_posterior_of(coin), gb_bernoulli(gb_num(t, 0.5)), estimator);
    gb_observe(e, "y", gb_normal(z, gb_num(t, 1)), gb_num(t, 0.8));
    return e;
}

static void estimators(gb_tape *t)
{
    gb_fit(choice(t, gb_pathwise(), "a"), .optimiser = gb_adam(), .steps = 2);
    says(t, "These fit");
    gb_fit(choice(t, gb_score(.baseline = gb_leave_one_out()), "b"), .optimiser = gb_adam(), .steps = 2);
    nothing(t);
}

static void rows(gb_tape *t)
{
    static const double ys[N] = {0.1, 0.4, 0.3, 0.8};
    gb_node y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 100);
    gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(w, gb_num(t, 1)), y);
    gb_batches *data = gb_batches_new(t, .rows = N, .columns = GB_COLUMNS({y, gb_doubles(ys)}));
    gb_fit(e, .data = data);
    says(t, ".part_of_data");
    gb_fit(e, .data = data, .part_of_data = true);
    nothing(t);
}

int main(void)
{
    static void (*const question[])(gb_tape *) = {shapes, values, feeds, infinite, estimators, rows};
    for (size_t i = 0; i < sizeof question / sizeof *question; i++) {
        gb_tape *t = gb_tape_new(.seed = 1);
        question[i](t);
        gb_tape_free(t);
    }
    return faults > 0;
}
