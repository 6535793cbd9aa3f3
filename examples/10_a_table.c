/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A real table: MC dropout and Bayes by Backprop on data of your own.
 *
 *     GREBE_DATA=houses.csv ./demo 10_a_table
 *
 * takes a file of numbers with a line of names, whose last column is the outcome. Without it the program
 * draws 300 rows of a known formula (Friedman 1991),
 *
 *     y = 10 sin(pi a b) + 20 (c - 1/2)^2 + 10 d + 5 e + noise,  noise ~ N(0, 1),  a ... g uniform on (0, 1)
 *
 * where f and g do nothing. A fifth of the rows is held out. Columns are standardised by the training
 * rows. A line and two networks with 50 hidden units predict the held-out rows: by Bayes by Backprop, a
 * normal for each weight; and by MC dropout, which drops hidden units with probability 0.05 (Gal and
 * Ghahramani 2016). No model can have a smaller error, or a higher score, than the noise leaves, except by
 * chance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <grebe/grebe.h>

enum { LINE, BACKPROP, DROPOUT, WAYS, ROWS = 300, INPUTS = 7, EPOCHS = 600 };
static const char *const name[WAYS] = {"a line", "Bayes by Backprop", "MC dropout"};

static double formula(const double *x)
{
    return 10 * sin(GB_PI * x[0] * x[1]) + 20 * pow(x[2] - 0.5, 2) + 10 * x[3] + 5 * x[4];
}

/* The embedded table. */
static gb_table *draw_table(gb_tape *t)
{
    static const char *const names[INPUTS] = {"a", "b", "c", "d", "e", "f", "g"};
    static double x[INPUTS][ROWS], y[ROWS];
    gb_table *table = gb_table_new(t, "Friedman 1", ROWS);
    gb_read(gb_uniform_noise(gb_stream(t, "table x"), gb_shape(INPUTS, ROWS), 0), x[0], INPUTS * ROWS);
    gb_read(gb_normal_noise(gb_stream(t, "table y"), gb_shape(ROWS), 0), y, ROWS);
    for (int i = 0; i < ROWS; i++)
        y[i] += formula((const double[]){x[0][i], x[1][i], x[2][i], x[3][i], x[4][i]});
    for (int c = 0; c < INPUTS; c++)
        gb_table_add(table, names[c], gb_doubles(x[c]));
    gb_table_add(table, "y", gb_doubles(y));
    return table;
}

/* The names of all columns but the last, separated by commas. */
static char *names_of_inputs(const gb_table *table)
{
    static char text[10000];
    size_t length = 0;
    for (size_t c = 0; c + 1 < gb_table_columns(table) && length < sizeof text; c++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s\"%s\"", c ? "," : "",
                                   gb_table_column_at(table, c)->name);
    return text;
}

static gb_node network(gb_elbo *e, int way, gb_node x)
{
    if (way == LINE)
        return gb_dense(e, "line", x, 1);
    if (way == DROPOUT)
        return gb_mlp(e, "net", x, gb_widths(50, 1), .activation = "relu", .dropout = 0.05);
    return gb_mlp(e, "net", x, gb_widths(50, 1), .activation = "relu", .noise = GB_NOISE_LOCAL);
}

/* Trains one model, and predicts the rows that are held out. */
static gb_prediction *predict(gb_tape *t, int way, gb_table *table, const gb_split *split)
{
    const gb_numbers xs = gb_table_numbers(table, names_of_inputs(table));
    const gb_numbers ys =
        gb_table_numbers(table, gb_table_column_at(table, gb_table_columns(table) - 1)->name);
    const int64_t inputs = (int64_t)gb_table_columns(table) - 1;
    gb_standard *of_x = gb_standard_new(t, xs, .columns = inputs, .of = split->train, .name = "x");
    gb_standard *of_y = gb_standard_new(t, ys, .of = split->train, .name = "y");

    gb_node x = gb_input_rows(t, "x", gb_shape(inputs)), y = gb_input_rows(t, "y", gb_shape(1));
    gb_elbo *e = gb_elbo_new(t, .data_size = (double)split->train.count);
    gb_node f = network(e, way, x);
    gb_family q = gb_point(gb_shape(), .location = log(0.5));
    gb_node sigma = gb_latent(e, "sigma", q, gb_half_normal(gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(f, sigma), y);

    gb_column_list columns =
        GB_COLUMNS({x, gb_standard_numbers(of_x, xs)}, {y, gb_standard_numbers(of_y, ys)});
    gb_batches *train = gb_batches_new(t, .batch = 32, .only = split->train, .columns = columns);
    gb_batches *test = gb_batches_new(t, .only = split->test, .columns = columns, .name = "test");
    gb_schedule fall = gb_cosine(EPOCHS * (double)gb_batches_count(train));
    gb_fit(e, .optimiser = gb_adam(.lr = 0.01, .schedule = fall), .data = train, .epochs = EPOCHS);
    return gb_predictive(e, "y", .data = test, .standard = of_y);
}

/* The scores of the formula itself on the rows that are held out: what the noise leaves. */
static void score_formula(const gb_table *table, const gb_split *split, double *rmse, double *log_density)
{
    double squares = 0;
    for (size_t i = 0; i < split->test.count; i++) {
        double x[INPUTS + 1];
        for (size_t c = 0; c <= INPUTS; c++)
            x[c] = gb_table_column_at(table, c)->number[split->test.row[i]];
        squares += pow(x[INPUTS] - formula(x), 2) / (double)split->test.count;
    }
    *rmse = sqrt(squares);
    *log_density = -0.5 * (log(2 * GB_PI) + squares);
}

static void draw(FILE *picture, const gb_prediction *p)
{
    for (size_t i = 0; i < p->rows; i++)
        fprintf(picture, "%g %g %g\n", p->outcome[i], p->mean[i], p->sd[i]);
    fputs("\n\n", picture);
}

int main(int argc, char **argv)
{
    FILE *picture = argc > 1 ? fopen(argv[1], "w") : NULL;
    const char *const given = getenv("GREBE_DATA"), *const path = given && *given ? given : NULL;
    double best_rmse = 0, best_density = INFINITY, line_rmse = INFINITY;
    bool good = true;
    puts("held-out rows        rmse   log density   coverage of 90 %");
    for (int way = 0; way < WAYS; way++) {
        gb_tape *t = gb_tape_new(.seed = 1, .threads = 1);
        gb_table *table = path ? gb_table_read(t, path) : draw_table(t);
        gb_split *split = gb_split_new(t, gb_table_rows(table), .test = 0.2);
        if (gb_complain(t, stderr) != GB_OK) /* no such file, or no table: the message says which line */
            return 1;
        gb_prediction *p = predict(t, way, table, split);
        const double rmse = gb_prediction_score(p, "rmse").value;
        const double density = gb_prediction_score(p, "log density").value;
        good = gb_complain(t, stderr) == GB_OK && good;
        printf("%-18s %6.3f %13.3f %15.0f %%\n", name[way], rmse, density,
               100 * gb_prediction_score(p, "coverage 90 %").value);
        if (!path) {
            score_formula(table, split, &best_rmse, &best_density);
            good =
                good && rmse > best_rmse && density < best_density && (way == LINE || rmse < line_rmse / 2);
        }
        line_rmse = way == LINE ? rmse : line_rmse;
        if (picture && p)
            draw(picture, p);
        gb_prediction_free(p);
        gb_split_free(split);
        gb_table_free(table);
        gb_tape_free(t);
    }
    if (!path)
        printf("%-18s %6.3f %13.3f\n", "the formula", best_rmse, best_density);
    puts(good ? "All checks passed." : "FAILED: an error, or a score that the noise does not allow.");
    return good && (!picture || fclose(picture) == 0) ? 0 : 1;
}
