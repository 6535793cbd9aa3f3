/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each estimator may not go.
 *
 * Each estimator rests on a condition. Where that fails one can still compute a number, and it is wrong.
 * At six such places the program knows the gradient of E f and that number. grebe must refuse, and say why.
 *
 *     jump       [x > 0], x ~ N(mu, 1)           E f = Phi(mu). A path sees slopes, and the slope is 0
 *     floor      floor x, x ~ exponential(r)     E f = 1 / (e^r - 1). The same
 *     ends       x^2, x ~ uniform(0, b)          E f = b^2 / 3. Leibniz: the score misses what the end adds,
 *                                                f(b) / b, and is -E f / b
 *     counts     x^2, x ~ Poisson(r)             E f = r + r^2. A count has no path: its slope would be 0
 *     no end     x^2, x ~ Poisson(r)             A sum over 0 ... 5, and there are more values
 *     nodes      x^3, x ~ exponential(r)         E f = 6 / r^3. Nodes of a normal with its moments: 4 / r^3
 *
 * A jump can be smoothed: sigmoid(k x) has a path. The bias falls with k, and the variance rises. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { DRAWS = 200000, PLACES = 20000 };

static gb_dist normal(gb_node mu)
{
    return gb_normal(mu, gb_num(mu.tape, 1));
}

static gb_dist uniform(gb_node end)
{
    return gb_uniform(gb_num(end.tape, 0), end);
}

static gb_node square(gb_node x, double k)
{
    return gb_scale(gb_square(x), k);
}

static gb_node lower(gb_node x, double k)
{
    return gb_scale(gb_floor(x), k);
}

static gb_node jump(gb_node x, double k)
{
    return k < INFINITY ? gb_sigmoid(gb_scale(x, k)) : gb_to_real(gb_less(gb_num(x.tape, 0), x));
}

static gb_node cube(gb_node x, double k)
{
    return gb_scale(gb_mul(x, gb_square(x)), k);
}

typedef struct place {
    const char *name;
    gb_dist (*q)(gb_node parameter);
    gb_node (*cost)(gb_node x, double k);
    double at, k; /* the parameter; a factor of the cost, or how steep a jump is */
    gb_estimator unfit, fit;
    double exact, wrong; /* the gradient, and what the unfit estimator would give */
} place;

/* d/dr of the sum over 0 ... 5 of x^2 Poisson(x; r). */
static double cut_sum(double r)
{
    double sum = 0, p = exp(-r);
    for (int x = 0; x <= 5; p *= r / ++x)
        sum += x * x * p * (x / r - 1);
    return sum;
}

/* The gradient by one estimator, and its standard error from ten runs. */
static gb_status gradient(const place *p, gb_estimator estimator, double *mean, double *error, FILE *words)
{
    double squares = *mean = 0;
    gb_tape *t = gb_tape_new(.seed = 1, .samples = DRAWS / 10);
    gb_node parameter = gb_variable(t, "parameter", gb_shape(), gb_fill(p->at));
    gb_expect *e = gb_expect_new(t);
    gb_node x = gb_draw(e, "x", p->q(parameter), estimator);
    gb_node g = gb_grad(gb_expected(e, p->cost(x, p->k)), parameter);
    gb_program *look = gb_compile(t, gb_roots(g), gb_no_update);
    for (int run = 0; run < 10 && gb_run(look) == GB_OK; run++) {
        *mean += gb_value(g) / 10;
        squares += gb_value(g) * gb_value(g) / 10;
    }
    *error = sqrt(fmax(squares - *mean * *mean, 0) / 9);
    const gb_status status = gb_complain(t, words);
    gb_tape_free(t);
    *mean = status == GB_OK ? *mean : NAN;
    return status;
}

/* A t-test of ten runs: a right mean is off by 15 standard errors once in ten million times. */
static bool visit(const place *p)
{
    double mean, error;
    printf("%s: %s\n    ", p->name, p->unfit.type->name);
    bool good = gradient(p, p->unfit, &mean, &error, stdout) == GB_EARGUMENT;
    if (!good)
        printf("NOT REFUSED: it gives %.3f\n", mean);
    good = gradient(p, p->fit, &mean, &error, stderr) == GB_OK && good;
    printf("    it would be %.3f, exact is %.3f; %s gives %.3f\n", p->wrong, p->exact, p->fit.type->name,
           mean);
    return good && fabs(mean - p->exact) < 15 * error && fabs(p->wrong - p->exact) > 15 * error;
}

static double density(double x)
{
    return exp(-0.5 * x * x) / sqrt(2 * GB_PI);
}

/* Mean and standard deviation of the pathwise gradient k s (1 - s), s = sigmoid(k x), at mu. */
static void smoothed(double mu, double k, double *mean, double *sd)
{
    double squares = *mean = 0;
    for (int i = 0; i < PLACES; i++) {
        const double x = -8 + 16 * (i + 0.5) / PLACES, s = 1 / (1 + exp(-k * x)), slope = k * s * (1 - s);
        *mean += slope * density(x - mu) * 16 / PLACES;
        squares += slope * slope * density(x - mu) * 16 / PLACES;
    }
    *sd = sqrt(squares - *mean * *mean);
}

int main(int argc, char **argv)
{
    const double r = 3, b = 1.5, mu = 0.5, slope = -exp(1) / pow(exp(1) - 1, 2);
    const place places[] = {
        {"jump", normal, jump, mu, INFINITY, gb_pathwise(), gb_score(), density(mu), 0},
        {"floor", gb_exponential, lower, 1, 1, gb_pathwise(), gb_score(), slope, 0},
        {"ends", uniform, square, b, 1, gb_score(), gb_pathwise(), 2 * b / 3, -b / 3},
        {"counts", gb_poisson, square, r, 1, gb_pathwise(), gb_measure_valued(), 1 + 2 * r, 0},
        {"no end", gb_poisson, square, r, 1, gb_enumerated(), gb_measure_valued(), 1 + 2 * r, cut_sum(r)},
        {"nodes", gb_exponential, cube, 1, 1, gb_quadrature(), gb_pathwise(), -18, -12}};
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool good = true;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        good = visit(&places[i]) && good;
    puts("\nthe jump as sigmoid(k x): pathwise\n  k   gradient     exact      bias   sd of one draw");
    for (double k = 1; k < 200; k *= 2) {
        const place soft = {"", normal, jump, mu, k, gb_pathwise(), gb_pathwise(), 0, 0};
        double mean, sd, is, error;
        smoothed(mu, k, &mean, &sd);
        good = gradient(&soft, soft.fit, &is, &error, stderr) == GB_OK && good;
        good = good && fabs(is - mean) < 15 * error && error < sd / sqrt(DRAWS / 10.);
        printf("%3.0f %10.4f %9.4f %9.4f %16.3f\n", k, is, mean, mean - density(mu), sd);
        if (picture)
            fprintf(picture, "%g %g %g\n", k, fabs(mean - density(mu)), sd);
    }
    puts(good ? "All checks passed." : "FAILED: a place was not refused, or a gradient is another one.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
