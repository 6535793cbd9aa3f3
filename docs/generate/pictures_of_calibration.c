/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws docs/pictures/calibration-point.svg and calibration-full-rank.svg: probabilities of a logistic
 * regression with 20 weights, learnt from 30 rows, for 4000 new ones. Its argument is the folder. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { WEIGHTS = 20, LEARNT = 30, NEW = 4000 };

/* Uniform between −1 and 1: the golden ratio's multiples, mixed. */
static double number(size_t i)
{
    const double x = 43758.5453 * sin(12.9898 * (double)(i + 1));
    return 2 * (x - floor(x)) - 1;
}

static void make_rows(size_t first, size_t count, double *x, double *y)
{
    for (size_t row = 0; row < count; row++) {
        double logit = 0;
        for (size_t k = 0; k < WEIGHTS; k++) {
            x[row * WEIGHTS + k] = number((first + row) * (WEIGHTS + 1) + k);
            logit += x[row * WEIGHTS + k] * 3 * number(9000000 + k);
        }
        y[row] = number((first + row) * (WEIGHTS + 1) + WEIGHTS) < tanh(logit / 2);
    }
}

static gb_status draw(gb_family family, const char *folder, const char *name)
{
    static double x[NEW * WEIGHTS], y[NEW];
    char path[1024];
    gb_tape *t = gb_tape_new(.seed = 1);
    const gb_node xs = gb_input_rows(t, "x", gb_shape(WEIGHTS)), ys = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = LEARNT);
    const gb_node w = gb_latent(e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    gb_observe(e, "y", gb_bernoulli_logits(gb_dot(xs, w)), ys);
    make_rows(0, LEARNT, x, y);
    gb_batches *learnt =
        gb_batches_new(t, .rows = LEARNT, .columns = GB_COLUMNS({xs, gb_doubles(x)}, {ys, gb_doubles(y)}));
    gb_fit(e, .data = learnt);
    make_rows(LEARNT, NEW, x, y);
    gb_batches *others =
        gb_batches_new(t, .rows = NEW, .columns = GB_COLUMNS({xs, gb_doubles(x)}, {ys, gb_doubles(y)}));
    gb_prediction *p = gb_predictive(e, "y", .data = others);
    snprintf(path, sizeof path, "%s/calibration-%s.svg", folder, name);
    const gb_reliability r = gb_prediction_reliability(p, 0);
    FILE *file = fopen(path, "w");
    gb_reliability_print(&r, stdout);
    const gb_status drawn = gb_reliability_svg(&r, file), learns = gb_complain(t, stderr);
    if (file)
        fclose(file);
    gb_prediction_free(p);
    gb_tape_free(t);
    return learns != GB_OK ? learns : drawn;
}

int main(int argc, char **argv)
{
    const char *const folder = argc > 1 ? argv[1] : ".";
    return draw(gb_point(gb_shape(WEIGHTS)), folder, "point") ||
           draw(gb_full_rank(gb_shape(WEIGHTS)), folder, "full-rank");
}
