/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of docs/pictures/predictions.svg: data between two gaps, and what a curve of bells says of a
 * wider range. Prints a table for gnuplot: x, mean, epistemic, sd; then, after two empty lines, the data. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { DATA = 60, GRID = 161, BELLS = 12 };

/* exp(−(x − c)² / 2 w²) for centres from −3 to 3. */
static gb_node bells(gb_node x)
{
    gb_tape *const t = x.tape;
    double centre[BELLS];
    for (int i = 0; i < BELLS; i++)
        centre[i] = 6.0 * i / (BELLS - 1) - 3;
    const gb_node off = gb_sub(gb_expand(x, 0), gb_constant(t, gb_shape(BELLS), gb_values_of(centre, BELLS)));
    return gb_exp(gb_scale(gb_square(off), -2));
}

int main(void)
{
    double xs[DATA], ys[DATA], grid[GRID];
    for (int i = 0; i < DATA; i++) {
        xs[i] = (i < DATA / 2 ? -1.9 : 0.6) + 1.3 * (i % (DATA / 2)) / (DATA / 2 - 1);
        ys[i] = sin(2 * xs[i]) + 0.15 * (sin(97.0 * i) + cos(61.0 * i * i));
    }
    for (int i = 0; i < GRID; i++)
        grid[i] = 6.0 * i / (GRID - 1) - 3;
    gb_tape *t = gb_tape_new(.seed = 1);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = DATA);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_latent_part parts[] = {{.name = "w", .shape = gb_shape(BELLS), .prior = gb_normal(zero, one)},
                                    {.name = "noise", .shape = gb_shape(), .prior = gb_half_normal(one)}};
    gb_node w[2];
    gb_latent_block(e, "model", gb_full_rank(gb_shape()), 2, parts, gb_pathwise(), w);
    gb_observe(e, "y", gb_normal(gb_dot(bells(x), w[0]), w[1]), y);
    gb_batches *data =
        gb_batches_new(t, .rows = DATA, .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    gb_batches *wider = gb_batches_new(t, .rows = GRID, .columns = GB_COLUMNS({x, gb_doubles(grid)}));
    gb_fit(e, .data = data);
    gb_prediction *p = gb_predictive(e, "y", .data = wider, .draws = 4000);
    for (size_t i = 0; p && i < p->rows; i++)
        printf("%g %g %g %g\n", grid[i], p->mean[i], p->epistemic[i], p->sd[i]);
    printf("\n\n");
    for (int i = 0; i < DATA; i++)
        printf("%g %g\n", xs[i], ys[i]);
    gb_prediction_free(p);
    const gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}
