/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compare estimators on your own cost.
 *
 * A baker means to bake mu loaves a day, and bakes a = mu + sigma e, e ~ N(0, 1), with sigma = 4. The demand
 * d_n of six days is known. A loaf too many costs 1, a loaf too few 3, and a day on which bread runs out
 * `fee` besides:
 *
 *     f(a) = sum_n (a - d_n)+ + 3 (d_n - a)+ + fee [a < d_n]
 *
 * f has a kink at each demand, and with a fee a jump. In mu the gradient of one draw is f'(a) by pathwise and
 * f(a) e / sigma by score. Between two demands f is a line in e. So all means and variances are sums over
 * such pieces, made of moments of a normal number beyond c:
 *
 *     M_k(c) = E[e^k; e > c] = c^(k-1) phi(c) + (k - 1) M_(k-2)(c) */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { DAYS = 6, SIGMA = 4 };

static double demand[DAYS] = {20, 24, 25, 29, 36, 40}; /* ascending */

/* ---- the cost, as grebe records it ---- */

static gb_node cost(gb_trial *trial)
{
    gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(trial->setting[0]));
    gb_node sigma = gb_num(trial->tape, SIGMA), zero = gb_num(trial->tape, 0);
    gb_node demands = gb_trial_rows(trial, "demand", gb_shape(), DAYS, trial->user);
    gb_node left = gb_sub(gb_trial_draw(trial, "baked", gb_normal(mu, sigma)), demands);
    gb_node day = gb_add(gb_max(left, zero), gb_scale(gb_max(gb_neg(left), zero), 3));
    if (trial->setting[1] != 0)
        day = gb_add(day, gb_scale(gb_to_real(gb_less(left, zero)), trial->setting[1]));
    return gb_trial_row_sum(trial, day);
}

static const gb_problem baker = {
    .size = sizeof(gb_problem),
    .name = "baker",
    .formula = "E sum_n (a - d_n)+ + 3 (d_n - a)+ + fee [a < d_n], a ~ N(mu, 4)",
    .settings = {{"mu", 30, 0, 100, "loaves a day"}, {"fee", 0, 0, 100, "of a day on which bread runs out"}},
    .cost = cost,
    .user = demand,
};

/* ---- the same by hand ---- */

static double moment(int k, double c)
{
    const double p = isinf(c) ? 0 : exp(-c * c / 2) / sqrt(2 * GB_PI);
    if (k == 0)
        return erfc(c / sqrt(2)) / 2;
    return (p > 0 ? pow(c, k - 1) * p : 0) + (k > 1 ? (k - 1) * moment(k - 2, c) : 0);
}

/* f is line[0] + line[1] e near e. */
static void line_at(double mu, double fee, double e, double line[2])
{
    line[0] = line[1] = 0;
    for (int n = 0; n < DAYS; n++) {
        const bool runs_out = mu + SIGMA * e < demand[n];
        line[0] += (runs_out ? -3 : 1) * (mu - demand[n]) + (runs_out ? fee : 0);
        line[1] += (runs_out ? -3 : 1) * SIGMA;
    }
}

/* The gradient in mu, and the variances of one draw: by score and pathwise of e, by measure of w > 0 with the
 * density w e^(-w^2 / 2), as (f(mu + sigma w) - f(mu - sigma w)) / (sigma sqrt(2 pi)). */
static double by_hand(double mu, double fee, double variance[3])
{
    double g = 0, slopes = 0, scores = 0, pairs = 0, cut[2][DAYS + 2] = {{-INFINITY}, {0}};
    for (int n = 1; n <= DAYS; n++) {
        int at = n;
        cut[0][n] = (demand[n - 1] - mu) / SIGMA;
        for (; at > 1 && cut[1][at - 1] > fabs(cut[0][n]); at--)
            cut[1][at] = cut[1][at - 1];
        cut[1][at] = fabs(cut[0][n]);
    }
    cut[0][DAYS + 1] = cut[1][DAYS + 1] = INFINITY;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i <= DAYS; i++) {
            const double low = cut[side][i], high = cut[side][i + 1];
            const double e = isinf(low) ? high - 1 : isinf(high) ? low + 1 : (low + high) / 2;
            double m[5], f[2], back[2];
            for (int k = 0; k < 5; k++)
                m[k] = moment(k, low) - moment(k, high);
            line_at(mu, fee, e, f);
            line_at(mu, fee, -e, back);
            if (side == 0) {
                g += (f[0] * m[1] + f[1] * m[2]) / SIGMA;
                slopes += f[1] * f[1] * m[0];
                scores += f[0] * f[0] * m[2] + 2 * f[0] * f[1] * m[3] + f[1] * f[1] * m[4];
            } else {
                const double a = f[0] - back[0], b = f[1] + back[1];
                pairs += a * a * m[1] + 2 * a * b * m[2] + b * b * m[3];
            }
        }
    variance[0] = scores / (SIGMA * SIGMA) - g * g;
    variance[1] = pairs / (SIGMA * SIGMA * sqrt(2 * GB_PI)) - g * g;
    variance[2] = fee > 0 ? NAN : slopes / (SIGMA * SIGMA) - g * g;
    return g;
}

/* ---- the comparison ---- */

/* By chance a right number is off by six standard errors once in 500 million times. */
static bool compare(double mu, double fee, bool prints, FILE *picture)
{
    const gb_estimator estimator[] = {gb_score(), gb_measure_valued(), gb_pathwise()};
    const gb_compare_setting setting[] = {{"mu", mu}, {"fee", fee}};
    double variance[3];
    const double g = by_hand(mu, fee, variance);
    gb_comparison *c = gb_compare(.problem = &baker, .estimators = 3, .estimator = estimator, .settings = 2,
                                  .setting = setting, .draws = 100000, .seed = 1);
    bool good = true;
    for (size_t i = 0; i < c->estimators; i++) {
        const gb_measured *m = c->estimator[i].parameter; /* NULL: it does not fit */
        good = good && !m == (fee > 0 && i == 2);
        if (m)
            good = good && fabs(m->mean - g) < 6 * m->stderr_ &&
                   !(fabs(m->variance - variance[i]) > 6 * m->variance_stderr);
        if (m && prints)
            printf("%4g  %-9s %9.2f %7.2f %12.1f %12.1f\n", fee, c->estimator[i].name, m->mean, g,
                   m->variance, variance[i]);
        if (picture)
            fprintf(picture, "%g %g ", m ? m->variance : NAN, variance[i]);
    }
    if (prints && c->status != GB_OK)
        printf("%s\n", c->error);
    gb_comparison_free(c);
    return good;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    puts(" fee  estimator  gradient   exact     variance  closed form");
    for (double fee = 0; fee <= 20; fee += 20)
        good = compare(30, fee, true, NULL) && good;
    for (double fee = 0; picture && fee <= 20; fee += 20, fputs("\n\n", picture))
        for (double mu = 15; mu <= 45; mu += 1.5) {
            fprintf(picture, "\n%g ", mu);
            good = compare(mu, fee, false, picture) && good;
        }
    puts(good ? "All checks passed." : "FAILED: a number differs from its closed form.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
