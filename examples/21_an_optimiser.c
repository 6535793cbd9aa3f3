/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write an optimiser: Rprop (Riedmiller and Braun 1993).
 *
 * Each number has a step length of its own. While the sign of its derivative stays, the length grows by 1.2;
 * when it changes, the length is halved:
 *
 *     s <- s up     if g g_before > 0          x <- x - s sign(g)
 *     s <- s down   if g g_before < 0
 *
 * Only signs count, so the scale of the loss does not matter, nor that of each number. First the program
 * compares 200 steps with the same formula in plain C. Then it fits q to a posterior that
 * is known: by exact gradients (quadrature), and by noisy ones (pathwise, one draw). Noise changes signs at
 * random, so every length shrinks, wherever x is. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { D = 3, STEPS = 200, N = 10, FIT = 400 };
static const double sigma = 0.5;

/* ---- the optimiser ---- */

typedef struct rprop_options {
    GB_OPTIMISER_HEAD; /* size, lr, rate, schedule: lr is the first length */
    double up, down;   /* 0: 1.2 and 0.5 */
} rprop_options;

static gb_node update(const gb_update_step *to)
{
    const rprop_options *const o = to->options;
    const gb_node before = gb_update_memory(to, "sign"), grown = gb_update_memory(to, "log_length");
    const gb_node now = gb_sign(to->gradient), same = gb_mul(before, now); /* 1, -1; 0 in the first step */
    const gb_node up = gb_scale(gb_relu(same), log(o->up)),
                  down = gb_scale(gb_relu(gb_neg(same)), log(o->down));
    const gb_node length = gb_update_remember(to, grown, gb_add(grown, gb_add(up, down)));
    gb_update_remember(to, before, now);
    return gb_sub(to->variable, gb_mul(to->rate, gb_mul(gb_exp(length), now)));
}

static const gb_option table[] = {
    GB_OPTIMISER_ROWS(rprop_options, 0.1), /* 0.1: the default of lr */
    GB_OPTION_NUMBER(rprop_options, up, 1.2, GB_POSITIVE, "factor of a length while the sign stays"),
    GB_OPTION_NUMBER(rprop_options, down, 0.5, GB_OPEN_UNIT, "factor when the sign changes"),
    {0}};

static const gb_optimiser_type rprop_type = {
    .size = sizeof(gb_optimiser_type),
    .name = "rprop",
    .cite = "Riedmiller and Braun 1993",
    .formula = "x - s sign(g), s longer while the sign stays, else shorter",
    .options = table,
    .option_bytes = sizeof(rprop_options),
    .update = update,
};

static gb_optimiser rprop_with(const rprop_options *options)
{
    return gb_optimiser_of(&rprop_type, options);
}
#define rprop(...) GB_CALL_0(rprop, .size = sizeof(rprop_options), __VA_ARGS__)

/* ---- against plain C, on sum of h x^2 / 2 ---- */

static bool compare(void)
{
    bool good;
    static const double h[D] = {1, 100, 1e4}, start[D] = {3, 2, 1};
    double x[D] = {3, 2, 1}, s[D] = {0.1, 0.1, 0.1}, before[D] = {0}, now[D], off = 0;
    gb_tape *t = gb_tape_new();
    gb_node at = gb_variable(t, "x", gb_shape(D), gb_values_of(start, D));
    gb_node loss =
        gb_scale(gb_sum(gb_mul(gb_square(at), gb_constant(t, gb_shape(D), gb_values_of(h, D)))), 0.5);
    gb_program *step = gb_compile(t, gb_roots(loss), gb_minimise(loss, rprop()));
    for (int i = 0; i < STEPS && gb_run(step) == GB_OK; i++) {
        gb_read(at, now, D);
        for (int d = 0; d < D; d++) {
            const double g = h[d] * x[d], sign = (g > 0) - (g < 0);
            s[d] *= sign * before[d] > 0 ? 1.2 : sign * before[d] < 0 ? 0.5 : 1;
            x[d] -= s[d] * sign;
            before[d] = sign;
            off = fmax(off, fabs(now[d] - x[d]));
        }
    }
    good = gb_complain(t, stderr) == GB_OK && off < 1e-14;
    for (int d = 0; d < D; d++)
        good = good && fabs(x[d]) < 1e-20;
    printf("%d steps in valleys of steepness 1, 100, 10000: |x| is %s\n", STEPS,
           good ? "below 1e-20, as by hand" : "ANOTHER NUMBER");
    gb_tape_free(t);
    return good;
}

/* ---- with exact gradients, and with noisy ones ---- */

/* One weight, y_i ~ N(w x_i, sigma^2), w ~ N(0, 1): the posterior is N(m, 1 / a). Returns KL(q || posterior)
 * after the last step. */
static double fit(gb_optimiser optimiser, gb_estimator estimator, FILE *picture)
{
    static const double xs[N] = {0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8};
    static const double ys[N] = {0.3, 0.9, 0.2, 1.2, 1.1, 0.6, 1.6, 2.1, 1.4, 1.9};
    double a = 1, m = 0, end = INFINITY;
    for (int i = 0; i < N; i++) {
        a += xs[i] * xs[i] / (sigma * sigma);
        m += xs[i] * ys[i] / (sigma * sigma);
    }
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 1);
    gb_node x = gb_constant(t, gb_shape(N), gb_values_of(xs, N)), one = gb_num(t, 1);
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    gb_family q = gb_mean_field(gb_shape(), .location = -1, .scale = 1);
    gb_node w = gb_latent(e, "w", q, gb_normal(gb_num(t, 0), one), estimator);
    gb_observe(e, "y", gb_normal(gb_mul(x, w), gb_num(t, sigma)),
               gb_constant(t, gb_shape(N), gb_values_of(ys, N)));
    gb_node loss = gb_elbo_loss(e);
    gb_node kl = gb_kl(gb_elbo_posterior(e, "w"), gb_normal(gb_num(t, m / a), gb_num(t, 1 / sqrt(a))));
    gb_program *step = gb_compile(t, gb_roots(kl), gb_minimise(loss, optimiser));
    for (int i = 0; i <= FIT && gb_run(step) == GB_OK; i++) {
        end = gb_value(kl);
        if (picture)
            fprintf(picture, "%d %g\n", i, fmax(end, 1e-16));
    }
    if (picture)
        fputs("\n\n", picture);
    end = gb_complain(t, stderr) == GB_OK ? end : INFINITY;
    gb_tape_free(t);
    return end;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    char text[80];
    bool good = compare();
    gb_optimiser_text(rprop(.lr = 0.02, .up = 1.1), text, sizeof text);
    printf("as text: %s\n\nKL(q || posterior) after %d steps\n", text, FIT);
    const gb_optimiser adam = gb_adam(.lr = 0.1, .schedule = gb_cosine(FIT));
    const double exact = fit(rprop(), gb_quadrature(.nodes = 2), picture);
    const double adams = fit(adam, gb_quadrature(.nodes = 2), picture);
    const double noisy = fit(rprop(), gb_pathwise(), picture),
                 adams_noisy = fit(adam, gb_pathwise(), picture);
    printf("           exact gradient   of one draw\nrprop %19.1e %13.1e\nadam %20.1e %13.1e\n",
           fmax(exact, 1e-16), noisy, adams, adams_noisy);
    good = good && fabs(exact) < 1e-12 && noisy > 0.01 && adams_noisy < 0.01 && adams < 1e-4;
    puts(good ? "All checks passed." : "FAILED: a step is not that of the formula, or a KL is another one.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
