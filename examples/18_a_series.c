/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A time series, by scan: the local level.
 *
 *     level_t ~ N(level_{t-1}, tau^2)        y_t ~ N(level_t, sigma^2)        level_1 ~ N(0, 10^2)
 *
 * The levels are normal given tau, so the Kalman filter integrates them out. It is a recursion: given y_1
 * ... y_{t-1} the level is N(m, v), and
 *
 *     y_t ~ N(m, v + sigma^2)    k = v / (v + sigma^2)    m <- m + k (y_t - m)    v <- (1 - k) v + tau^2
 *
 * gb_scan records the step once, whatever the number of steps. The sum of log N(y_t; m, v + sigma^2) is
 * the log likelihood of tau, whose logarithm gets a normal q. The program compares the likelihood with
 * that of all y as one normal vector, and q with an integral over a grid. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { T = 60, PLACES = 200 };
static const double sigma = 0.5, wide = 10;

/* ---- the filter ---- */

static void filter(gb_scan_step *s)
{
    const gb_node tau = *(const gb_node *)s->user, noise = gb_num(s->tape, sigma);
    const gb_node m = s->state[0], v = s->state[1], y = s->input[0];
    const gb_node all = gb_add(v, gb_square(noise)), k = gb_div(v, all), surprise = gb_sub(y, m);
    s->output[0] = gb_log_prob(gb_normal(m, gb_sqrt(all)), y);
    s->output[1] = s->next[0] = gb_add(m, gb_mul(k, surprise));
    s->output[2] = gb_mul(k, gb_square(noise)); /* (1 - k) v */
    s->next[1] = gb_add(s->output[2], gb_square(tau));
}

static gb_scan_result run_filter(gb_tape *t, gb_node *tau, gb_node y)
{
    const gb_node first[] = {gb_num(t, 0), gb_num(t, wide * wide)};
    return gb_scan(t, filter, gb_roots(first[0], first[1]), .inputs = gb_roots(y), .outputs = 3, .user = tau);
}

/* ---- the same by hand ---- */

/* log N(y; 0, C), C_ij = 10^2 + tau^2 min(i, j) + sigma^2 [i = j], i and j from 0: C = L L', L z = y. */
static double by_hand(const double *y, double tau)
{
    double l[T][T], z[T], sum = 0;
    for (int i = 0; i < T; i++) {
        z[i] = y[i];
        for (int j = 0; j <= i; j++) {
            l[i][j] = wide * wide + tau * tau * j + (i == j ? sigma * sigma : 0);
            for (int k = 0; k < j; k++)
                l[i][j] -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(l[i][j]) : l[i][j] / l[j][j];
            z[i] -= j < i ? l[i][j] * z[j] : 0;
        }
        z[i] /= l[i][i];
        sum -= 0.5 * (z[i] * z[i] + log(2 * GB_PI)) + log(l[i][i]);
    }
    return sum;
}

static double log_prior(double log_tau) /* tau lognormal(-1, 1) */
{
    return -0.5 * pow(log_tau + 1, 2);
}

/* Mean and standard deviation of log tau given y, and log p(y). */
static void integrate(const double *y, double *mean, double *sd, double *evidence)
{
    double sum = 0, first = 0, second = 0;
    const double step = 8.0 / PLACES, top = by_hand(y, 0.3);
    for (int i = 0; i < PLACES; i++) {
        const double u = -5 + step * (i + 0.5), p = exp(by_hand(y, exp(u)) - top + log_prior(u)) * step;
        sum += p;
        first += p * u;
        second += p * u * u;
    }
    *mean = first / sum;
    *sd = sqrt(second / sum - *mean * *mean);
    *evidence = top + log(sum) - 0.5 * log(2 * GB_PI);
}

static void make_data(double *y)
{
    double e[2][T], level = 1;
    gb_tape *t = gb_tape_new(.seed = 3);
    gb_read(gb_normal_noise(gb_stream(t, "data"), gb_shape(2, T), 0), e[0], 2 * T);
    gb_tape_free(t);
    for (int i = 0; i < T; i++) {
        y[i] = level + sigma * e[0][i];
        level += 0.3 * e[1][i];
    }
}

/* The levels given the data until then: means over the draws of tau. */
static void draw(FILE *picture, gb_elbo *e, const gb_scan_result *r, const double *y)
{
    double m[T], v[T], sd[T];
    gb_node mean = gb_predict_mean(e, r->output[1]), spread = gb_predict_sd(e, r->output[1]);
    gb_node within = gb_predict_mean(e, r->output[2]);
    gb_program *look = gb_compile(mean.tape, gb_roots(mean, spread, within), gb_no_update);
    gb_program_set_samples(look, 1000);
    gb_run(look);
    gb_read(mean, m, T);
    gb_read(spread, sd, T);
    gb_read(within, v, T);
    for (int i = 0; i < T; i++)
        fprintf(picture, "%d %g %g %g\n", i + 1, y[i], m[i], sqrt(v[i] + sd[i] * sd[i]));
}

int main(int argc, char **argv)
{
    double y[T], mean, sd, evidence;
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    make_data(y);
    integrate(y, &mean, &sd, &evidence);
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_node data = gb_constant(t, gb_shape(T), gb_values_of(y, T)), fixed = gb_num(t, 0.3);
    gb_scan_result once = run_filter(t, &fixed, data);
    const double log_p = gb_value(gb_sum(once.output[0])), exact = by_hand(y, 0.3);

    gb_elbo *e = gb_elbo_new(t, .data_size = T);
    gb_dist prior = gb_lognormal(gb_num(t, -1), gb_num(t, 1));
    gb_node tau = gb_latent(e, "tau", gb_mean_field(gb_shape(), .map = GB_SCALE_EXP), prior, gb_pathwise());
    gb_scan_result r = run_filter(t, &tau, data);
    gb_log_likelihood(e, "y", gb_sum(r.output[0]));
    gb_fit_result fit = gb_fit(e);
    const double location = gb_value(gb_variable_named(t, "tau.location"));
    const double scale = exp(gb_value(gb_variable_named(t, "tau.log_scale")));
    if (picture)
        draw(picture, e, &r, y);
    bool good = gb_complain(t, stderr) == GB_OK;
    gb_tape_free(t);

    printf("log p(y | tau = 0.3)   by scan %14.9f, by hand %14.9f\n", log_p, exact);
    printf("log tau given y        q %6.3f +- %.3f,     exact %6.3f +- %.3f\n", location, scale, mean, sd);
    printf("log p(y)               ELBO %.3f,          exact %.3f\n", fit.elbo, evidence);
    printf("verdict                %s\n", gb_verdict_text(fit.verdict));
    good = good && fabs(log_p - exact) < 1e-10 && fabs(location - mean) < 0.1 * sd;
    good = good && fabs(scale / sd - 1) < 0.2 && fit.verdict == GB_VERDICT_GOOD;
    good = good && fit.elbo < evidence + 6 * fit.error && fit.elbo > evidence - 0.1;
    puts(good ? "All checks passed."
              : "FAILED: a number differs from its closed form, or from its integral.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
