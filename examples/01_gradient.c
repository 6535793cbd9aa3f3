/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gradient and its gradient.
 *
 *     f(x) = x e^x,   its derivative of order k:  (k + x) e^x
 *
 * A gradient is a node like any other, so it has a gradient itself. First the program compares derivatives
 * up to the third with the closed form, at many points. Then it uses the second derivative: gradient
 * descent and Newton's method go to the minimum of f, at x = -1. Their errors e = x + 1 follow
 *
 *     x <- x - rate f'        is  e <- e - rate e e^x
 *     x <- x - f' / f''       is  e <- e^2 / (1 + e):  the number of right digits doubles in each step */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { POINTS = 61, ORDERS = 4, STEPS = 7 };
static const double start = 1, rate = 0.2;

static double closed_form(int order, double x)
{
    return (order + x) * exp(x);
}

/* d[k][i] becomes the derivative of order k at x[i]. */
static gb_status differentiate(const double *x, double d[ORDERS][POINTS])
{
    gb_tape *t = gb_tape_new();
    gb_node at = gb_variable(t, "x", gb_shape(POINTS), gb_values_of(x, POINTS));
    gb_node y = gb_mul(at, gb_exp(at));
    for (int k = 0; k < ORDERS; k++) {
        gb_read(y, d[k], POINTS);
        y = gb_grad(gb_sum(y), at);
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

/* off[n] becomes x + 1 after n steps: the error. */
static gb_status descend(bool newton, double off[STEPS + 1])
{
    gb_tape *t = gb_tape_new();
    gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(start));
    gb_node f = gb_mul(x, gb_exp(x));
    gb_node slope = gb_grad(f, x), curvature = gb_grad(slope, x);
    gb_node step = newton ? gb_div(slope, curvature) : gb_scale(slope, rate);
    gb_program *move = gb_compile(t, gb_roots(f), gb_assign(x, gb_sub(x, step)));
    for (int n = 0; n <= STEPS; n++) {
        off[n] = gb_value(x) + 1;
        gb_run(move);
    }
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

static bool show_derivatives(FILE *picture)
{
    static double x[POINTS], d[ORDERS][POINTS];
    bool good = true;
    for (int i = 0; i < POINTS; i++)
        x[i] = -5 + 0.1 * i;
    if (differentiate(x, d) != GB_OK)
        return false;
    printf("%4s %9s %9s %9s %9s   %s\n", "x", "f", "f'", "f''", "f'''", "(3 + x) e^x");
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < ORDERS; k++)
            good = good && fabs(d[k][i] - closed_form(k, x[i])) <= 1e-14 * exp(x[i]) * (k + fabs(x[i]));
        if (i % 10 == 0)
            printf("%4.0f %9.5f %9.5f %9.5f %9.5f   %9.5f\n", x[i], d[0][i], d[1][i], d[2][i], d[3][i],
                   closed_form(3, x[i]));
        if (picture)
            fprintf(picture, "%g %g %g %g %g\n", x[i], d[0][i], d[1][i], d[2][i], d[3][i]);
    }
    if (!good)
        puts("FAILED: a derivative differs from (k + x) e^x by more than 1e-14 of its terms");
    return good;
}

static bool show_descents(FILE *picture)
{
    double plain[STEPS + 1], newton[STEPS + 1], e = start + 1, r = start + 1;
    bool good = true;
    if (descend(false, plain) != GB_OK || descend(true, newton) != GB_OK)
        return false;
    printf("\n%4s   %-16s   %-16s   %s\n", "step", "x + 1 by descent", "by Newton's step", "closed form");
    if (picture)
        fputs("\n\n", picture);
    for (int n = 0; n <= STEPS; n++) {
        printf("%4d   %16.12f   %16.12f   %.12f\n", n, plain[n], newton[n], e);
        if (picture)
            fprintf(picture, "%d %g %g %g\n", n, fabs(plain[n]), newton[n], e);
        good = good && fabs(newton[n] - e) < 1e-14 && fabs(plain[n] - r) < 1e-13;
        e = e * e / (1 + e);
        r -= rate * r * exp(r - 1);
    }
    if (!good)
        puts("FAILED: a step differs from its closed form");
    return good;
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    const bool good = show_derivatives(picture) && show_descents(picture);
    puts(good ? "All checks passed." : "A check failed.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
