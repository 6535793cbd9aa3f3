/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Discrete draws: score, leave-one-out, ARM, DisARM, two relaxations, and the exact sum.
 *
 * b is 1 with probability theta = sigmoid(phi), else 0. The cost (b - t)^2 is f1 at 1 and f0 at 0, so
 *
 *     E f = theta f1 + (1 - theta) f0        g = dE f/dphi = theta (1 - theta) d,   d = f1 - f0
 *
 * A draw has no path: b jumps. So the estimators differ in what they use. With m = min(theta, 1 - theta) the
 * variances of one estimate are
 *
 *     score            f (b - theta)                 theta (1 - theta) ((1 - theta) f1 + theta f0)^2
 *     leave one out    (f - f') (b - b') / 2         d^2 theta (1 - theta) / 2 - g^2,  of two draws
 *     ARM              (f(b) - f(b')) (u - 1/2)      2 d^2 (1/8 - (1/2 - m)^3) / 3 - g^2
 *     DisARM           ARM, averaged over u          d^2 m (1 - m)^2 / 2 - g^2
 *     enumerate        the sum itself                0
 *
 * where u makes b, and 1 - u makes b'. A relaxed draw z = sigmoid((phi + logit u) / temperature) has a path.
 * Its gradient is that of E f(z), another function. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { WAYS = 7, EXACT_ONES = 5, STEPS = 300, PLACES = 20000 };
static const char *const name[] = {"score",   "leave one out",   "ARM", "DisARM", "enumerate",
                                   "relaxed", "straight-through"};
static const double t_cost = 0.45, temperature = 0.5;

static gb_estimator estimator(int way)
{
    const gb_estimator of[WAYS] = {gb_score(),
                                   gb_score(.baseline = gb_leave_one_out()),
                                   gb_arm(),
                                   gb_disarm(),
                                   gb_enumerated(),
                                   gb_relaxed_draws(.temperature = temperature),
                                   gb_straight_through(.temperature = temperature)};
    return of[way];
}

static double logit(double p)
{
    return log(p / (1 - p));
}

/* Mean and variance over u of a relaxed gradient. Straight-through: z is rounded, but has the slope of z. */
static void relaxed(double theta, bool is_rounded, double *mean, double *variance)
{
    double squares = *mean = 0;
    for (int i = 0; i < PLACES; i++) {
        const double z = 1 / (1 + exp(-(logit(theta) + logit((i + 0.5) / PLACES)) / temperature));
        const double slope = 2 * ((is_rounded ? z > 0.5 : z) - t_cost) * z * (1 - z) / temperature;
        *mean += slope / PLACES;
        squares += slope * slope / PLACES;
    }
    *variance = squares - *mean * *mean;
}

/* Where a relaxed gradient is 0: the training comes to rest there. */
static double rest(bool is_rounded)
{
    double theta = 0.5, mean, variance;
    for (double step = 0.25; step > 1e-4; step /= 2) {
        relaxed(theta, is_rounded, &mean, &variance);
        theta += mean < 0 ? step : -step;
    }
    return theta;
}

static void by_hand(double theta, double mean[WAYS], double variance[WAYS])
{
    const double f1 = (1 - t_cost) * (1 - t_cost), f0 = t_cost * t_cost, d = f1 - f0;
    const double p = theta * (1 - theta), g = p * d, m = fmin(theta, 1 - theta);
    for (int way = 0; way < EXACT_ONES; way++)
        mean[way] = g;
    variance[0] = p * pow((1 - theta) * f1 + theta * f0, 2);
    variance[1] = d * d * p / 2 - g * g;
    variance[2] = 2 * d * d * (1. / 8 - pow(0.5 - m, 3)) / 3 - g * g;
    variance[3] = d * d * m * pow(1 - m, 2) / 2 - g * g;
    variance[4] = 0;
    relaxed(theta, false, &mean[5], &variance[5]);
    relaxed(theta, true, &mean[6], &variance[6]);
    for (int way = 0; way < WAYS; way++)
        variance[way] /= way == 1 ? 1 : 2; /* all estimates are means over two draws */
}

/* Measures all at one theta. A right number is off by six standard errors once in 500 million times. */
static bool measure(double theta, bool prints, FILE *picture)
{
    gb_estimator all[WAYS];
    double mean[WAYS], variance[WAYS];
    for (int way = 0; way < WAYS; way++)
        all[way] = estimator(way);
    by_hand(theta, mean, variance);
    const gb_compare_setting setting[] = {{"phi", logit(theta)}, {"t", t_cost}};
    gb_comparison *c =
        gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = WAYS, .estimator = all,
                   .settings = 2, .setting = setting, .draws = 100000, .samples = 2, .seed = 1);
    bool good = c && c->status == GB_OK;
    for (int way = 0; good && way < WAYS; way++) {
        const gb_measured *is = c->estimator[way].parameter;
        good = fabs(is->mean - mean[way]) <= 6 * is->stderr_ + 1e-12 &&
               fabs(is->variance - variance[way]) <= 6 * is->variance_stderr + 1e-9;
        if (prints)
            printf("%-17s %9.5f %9.5f  %11.6f %11.6f\n", name[way], is->mean, mean[way], is->variance,
                   variance[way]);
        if (picture)
            fprintf(picture, "%g %g ", is->variance, variance[way]);
    }
    if (picture)
        fprintf(picture, "%g\n", theta);
    gb_comparison_free(c);
    return good;
}

/* Trains theta from 0.3 by steps of 1000 draws each, which end with small ones; returns where it ends. */
static double train(int way, FILE *picture)
{
    gb_tape *t = gb_tape_new(.seed = 1, .samples = 1000);
    gb_node phi = gb_variable(t, "phi", gb_shape(), gb_fill(logit(0.3)));
    gb_expect *e = gb_expect_new(t);
    gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), estimator(way));
    gb_node loss = gb_expected(e, gb_square(gb_sub(b, gb_num(t, t_cost))));
    gb_program *step =
        gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 20, .schedule = gb_cosine(STEPS))));
    for (int i = 0; i < STEPS && gb_run(step) == GB_OK; i++)
        if (picture && i % 5 == 0)
            fprintf(picture, "%d %g%s\n", i, 1 / (1 + exp(-gb_value(phi))), i < STEPS - 5 ? "" : "\n\n");
    const double theta = gb_complain(t, stderr) == GB_OK ? 1 / (1 + exp(-gb_value(phi))) : NAN;
    gb_tape_free(t);
    return theta;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    puts("theta = 0.3        gradient     exact     variance       exact");
    bool good = measure(0.3, true, NULL);
    puts("\n300 steps from theta = 0.3; the least cost is at 0");
    for (int way = 0; way < WAYS; way++) {
        const double end = train(way, way == 3 || way >= 5 ? picture : NULL);
        printf("%-17s %9.3f%s\n", name[way], end, way < EXACT_ONES ? "" : "   biased");
        good = good && (way < EXACT_ONES ? end < 0.01 : fabs(end - rest(way == 6)) < 0.01);
    }
    for (double theta = 0.05; picture && theta < 0.96; theta += 0.05)
        good = measure(theta, false, picture) && good;
    puts(good ? "All checks passed." : "FAILED: a number differs from its closed form.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
