/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mixture of normals: its density by hand, and what a fit finds. */
#include "support/close.h"

#include "fitting/analysis.h"
#include "ready/by_hand.h"

enum { ROWS = 9, COLUMNS = 3, NUMBERS = 1 + 2 + 2 * (COLUMNS - 1) + 2 * COLUMNS };

typedef struct data {
    double x[ROWS * COLUMNS], weight[ROWS];
} data;

static data some_data(bool has_missing)
{
    data d;
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        d.x[i] = 100 * (double)(i % COLUMNS) + (1 + (double)(i % COLUMNS)) * pseudo(i);
    for (size_t i = 0; i < ROWS; i++)
        d.weight[i] = i == 2 ? 0 : 1 + 0.5 * (double)(i % 3);
    if (has_missing) {
        d.x[1] = d.x[3] = d.x[7 * COLUMNS + 2] = (double)NAN;
        for (size_t c = 0; c < COLUMNS; c++)
            d.x[5 * COLUMNS + c] = (double)NAN; /* a row that says nothing */
    }
    return d;
}

static gb_analysis *analysis(gb_tape *t, gb_model model, const data *d)
{
    return gb_analysis_new(t, model, .x = gb_doubles(d->x), .columns = COLUMNS, .rows = ROWS,
                           .weight = gb_doubles(d->weight));
}

/* The means of components of a column, ordered by column `order`; −1: all are free. */
static double standard_mean(const double *ordered, const double *others, size_t k, size_t column,
                            size_t order)
{
    if (column == order)
        return ordered[k];
    return others[k * (COLUMNS - 1) + column - (column > order)];
}

/* z: logit of the weights; the ordered means; the others; free numbers of sds. */
static double by_hand(const data *d, const double *z, size_t order)
{
    double mean[COLUMNS], sd[COLUMNS];
    column_scales(ROWS, COLUMNS, d->x, d->weight, mean, sd);
    const double share[2] = {1 / (1 + exp(-z[0])), 1 / (1 + exp(z[0]))};
    const double ordered[2] = {z[1], z[1] + exp(z[2])}, *const others = z + 3,
                 *const free_sd = z + 3 + 2 * (COLUMNS - 1);
    double log_p = log(share[0]) + log(share[1]) + z[2] + log(2);
    for (size_t k = 0; k < 2; k++)
        log_p += log_normal(ordered[k], 0, 2);
    for (size_t i = 0; i < 2 * (COLUMNS - 1); i++)
        log_p += log_normal(others[i], 0, 2);
    for (size_t i = 0; i < 2 * COLUMNS; i++)
        log_p += log_sd_free(free_sd[i], 1, 0.1);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t k = 0; k < 2; k++) {
            double each = log(share[k]);
            for (size_t c = 0; c < COLUMNS; c++)
                if (!isnan(d->x[i * COLUMNS + c]))
                    each += log_normal(d->x[i * COLUMNS + c],
                                       mean[c] + sd[c] * standard_mean(ordered, others, k, c, order),
                                       sd[c] * exp(-0.5 * free_sd[k * COLUMNS + c]));
            sum += exp(each);
        }
        log_p += d->weight[i] > 0 ? d->weight[i] * log(sum) : 0;
    }
    return log_p;
}

TEST(the_density_is_the_formula)
{
    for (int64_t order = 0; order < COLUMNS; order++)
        for (int missing = 0; missing < 2; missing++) {
            const data d = some_data(missing);
            gb_tape *const own = test_tape();
            gb_analysis *const a = analysis(own, gb_mixture_model(.order_by = order), &d);
            assert_fine(own);
            for (size_t number = 0; number < 3; number++) {
                double z[NUMBERS];
                for (size_t i = 0; i < NUMBERS; i++)
                    z[i] = 0.7 * pseudo(i + 31 * number);
                const double should = by_hand(&d, z, (size_t)order);
                assert_near(density_at(a, NUMBERS, z), should, 1e-12 * fabs(should));
            }
        }
}

TEST(a_row_of_weight_0_is_left_out)
{
    const data d = some_data(false);
    data without = d;
    without.x[2 * COLUMNS] = 1e6;
    double z[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++)
        z[i] = pseudo(i);
    gb_tape *const own = test_tape();
    assert_close(density_at(analysis(own, gb_mixture_model(), &without), NUMBERS, z),
                 density_at(analysis(t, gb_mixture_model(), &d), NUMBERS, z), 0);
}

TEST(components_that_are_drawn_have_the_bound_of_those_that_are_summed_out)
{
    for (int missing = 0; missing < 2; missing++) {
        const data d = some_data(missing);
        gb_tape *const own = test_tape(.seed = 4), *const another = test_tape(.seed = 4);
        gb_analysis *const summed = analysis(own, gb_mixture_model(.components = 3), &d),
                           *const drawn = analysis(
                               another, gb_mixture_model(.components = 3, .classes = gb_enumerated()), &d);
        assert_fine(another);
        assert_near(elbo_of(drawn), elbo_of(summed), 1e-9);
    }
}

TEST(gradients_of_drawn_components_are_those_of_the_sum, .seed = 4)
{
    const data d = some_data(true);
    gb_tape *const own = test_tape(.seed = 4);
    enum { DRAWS = 4000, FREE = NUMBERS };
    gb_analysis *const summed =
                           gb_analysis_new(own, gb_mixture_model(), .x = gb_doubles(d.x), .columns = COLUMNS,
                                           .rows = ROWS, .posterior = gb_point(gb_shape())),
                       *const drawn = gb_analysis_new(t, gb_mixture_model(.classes = gb_score()),
                                                      .x = gb_doubles(d.x), .columns = COLUMNS, .rows = ROWS,
                                                      .posterior = gb_point(gb_shape()), .samples = DRAWS);
    assert_fine(t);
    double is[FREE], should[FREE];
    for (int i = 0; i < 2; i++) {
        gb_analysis *const a = i == 0 ? summed : drawn;
        gb_tape *const tape = i == 0 ? own : t;
        gb_next_batch(gb_analysis_data(a));
        const gb_node at = gb_variable_named(tape, "latents");
        const gb_node loss = gb_elbo_loss(gb_analysis_elbo(a));
        assert_fine(tape);
        assert_int_equal(gb_read(gb_grad(loss, at), i == 0 ? should : is, FREE), GB_OK);
    }
    for (size_t i = 0; i < FREE; i++)
        assert_near(is[i], should[i], 0.1 + 0.05 * fabs(should[i]));
}

/* ---- fits ---- */

enum { MANY = 300 };

/* 30 % around (100 ± 10, 0.5 ± 0.1), the others around (160 ± 20, 0 ± 0.2). */
static void two_groups(double x[2 * MANY], bool has_missing)
{
    uint64_t state = 7;
    for (size_t i = 0; i < MANY; i++) {
        const bool is_first = i % 10 < 3;
        x[2 * i] = is_first ? 100 + 10 * normal_draw(&state) : 160 + 20 * normal_draw(&state);
        x[2 * i + 1] = is_first ? 0.5 + 0.1 * normal_draw(&state) : 0.2 * normal_draw(&state);
        if (has_missing && i % 7 == 0)
            x[2 * i + i % 2] = (double)NAN;
    }
}

TEST(a_fit_finds_the_groups, .seed = 1)
{
    static const struct {
        const char *name;
        double value;
    } truth[] = {{"weight[0]", 0.3},       {"mean of x[0][0]", 100}, {"mean of x[0][1]", 160},
                 {"mean of x[1][0]", 0.5}, {"mean of x[1][1]", 0},   {"sd of x[0][0]", 10},
                 {"sd of x[0][1]", 20},    {"sd of x[1][0]", 0.1},   {"sd of x[1][1]", 0.2}};
    for (int missing = 0; missing < 2; missing++) {
        double x[2 * MANY];
        two_groups(x, missing);
        gb_tape *const own = test_tape(.seed = 1);
        gb_analysis *const a =
            gb_analysis_new(own, gb_mixture_model(), .x = gb_doubles(x), .rows = MANY, .columns = 2);
        gb_elbo *const e = gb_analysis_elbo(a);
        const gb_fit_result r = gb_fit(e, .data = gb_analysis_data(a));
        assert_fine(own);
        assert_int_equal(r.end, GB_FIT_CONVERGED);
        assert_true(r.verdict >= GB_VERDICT_GOOD_HERE);
        gb_summary_table *const s = gb_analysis_summary(a, &r);
        for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
            const gb_summary_row *const row = gb_summary_find(s, truth[i].name);
            assert_non_null(row);
            assert_near(row->mean, truth[i].value, 3.5 * row->sd);
        }
        gb_summary_free(s);
        double component[2 * MANY];
        gb_prediction *const p =
            gb_predictive_node(e, gb_analysis_node_named(a, "component"), .data = gb_analysis_data(a));
        assert_fine(own);
        memcpy(component, p->mean, sizeof component);
        gb_prediction_free(p);
        size_t wrong = 0;
        for (size_t i = 0; i < MANY; i++) {
            assert_near(component[2 * i] + component[2 * i + 1], 1, 1e-9);
            wrong += (component[2 * i] > 0.5) != (i % 10 < 3);
        }
        assert_true(wrong < MANY / 20);
    }
}

/* ---- missing numbers ---- */

TEST(a_missing_number_is_imputed_from_its_row)
{
    data d = some_data(true);
    gb_analysis *const a = analysis(t, gb_mixture_model(), &d);
    double imputed[ROWS * COLUMNS];
    const gb_node_list kept = gb_analysis_kept_nodes(a);
    assert_int_equal(kept.count, 2);
    assert_string_equal(gb_node_name(kept.node[0]), "component");
    assert_true(gb_node_same(kept.node[1], gb_analysis_node_named(a, "imputed")));
    assert_int_equal(gb_analysis_kept_nodes(NULL).count, 0);
    read_node(a, "imputed", imputed, ROWS * COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        assert_true(isfinite(imputed[i]));
        if (!isnan(d.x[i]))
            assert_close(imputed[i], d.x[i], 4);
    }
}

TEST(new_rows_with_missing_numbers_need_a_training_with_some)
{
    const data d = some_data(false), missing = some_data(true);
    gb_tape *const own = test_tape();
    gb_analysis *const a = analysis(t, gb_mixture_model(), &d);
    assert_null(gb_analysis_new_rows(a, .x = gb_doubles(missing.x), .rows = ROWS));
    assert_rejected(t, GB_EARGUMENT, "numbers are missing in the new rows, and none was in the training");
    gb_analysis *const b = analysis(own, gb_mixture_model(), &missing);
    assert_non_null(gb_analysis_new_rows(b, .x = gb_doubles(d.x), .rows = ROWS));
    assert_fine(own);
}

typedef struct components {
    double weight[2], mean[COLUMNS][2], sd[COLUMNS][2];
} components;

/* What the others of a row say of number c: its mean, its sd, and log p of it. */
static void by_others(const components *k, const double *x, size_t c, double is[3])
{
    double share[2], total = 0, square = 0, density = 0;
    for (size_t i = 0; i < 2; i++) {
        share[i] = k->weight[i];
        for (size_t other = 0; other < COLUMNS; other++)
            if (other != c && !isnan(x[other]))
                share[i] *= exp(log_normal(x[other], k->mean[other][i], k->sd[other][i]));
        total += share[i];
    }
    is[0] = 0;
    for (size_t i = 0; i < 2; i++) {
        share[i] /= total;
        is[0] += share[i] * k->mean[c][i];
        square += share[i] * (k->mean[c][i] * k->mean[c][i] + k->sd[c][i] * k->sd[c][i]);
        density += share[i] * exp(log_normal(x[c], k->mean[c][i], k->sd[c][i]));
    }
    is[1] = sqrt(square - is[0] * is[0]);
    is[2] = log(density);
}

TEST(a_number_is_predicted_from_the_others_of_its_row)
{
    const data d = some_data(true);
    gb_analysis *const a =
        gb_analysis_new(t, gb_mixture_model(), .x = gb_doubles(d.x), .columns = COLUMNS, .rows = ROWS,
                        .weight = gb_doubles(d.weight), .posterior = gb_point(gb_shape()));
    components k;
    char name[40];
    move_variables(t);
    assert_int_equal(gb_read(gb_analysis_node_named(a, "weight"), k.weight, 2), GB_OK);
    for (size_t c = 0; c < COLUMNS; c++) {
        snprintf(name, sizeof name, "mean of x[%zu]", c);
        assert_int_equal(gb_read(gb_analysis_node_named(a, name), k.mean[c], 2), GB_OK);
        snprintf(name, sizeof name, "sd of x[%zu]", c);
        assert_int_equal(gb_read(gb_analysis_node_named(a, name), k.sd[c], 2), GB_OK);
    }
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "x", .data = gb_analysis_data(a), .draws = 4);
    assert_fine(t);
    assert_int_equal(p->elements, COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double should[3];
        by_others(&k, &d.x[i / COLUMNS * COLUMNS], i % COLUMNS, should);
        assert_near(p->mean[i], should[0], 1e-9 * (1 + fabs(should[0])));
        assert_near(p->sd[i], should[1], 1e-6 * should[1]);
        if (isnan(d.x[i]) || d.weight[i / COLUMNS] == 0)
            assert_true(isnan(p->log_density[i]) && isnan(p->outcome[i]));
        else
            assert_near(p->log_density[i], should[2], 1e-9 * (1 + fabs(should[2])));
    }
    gb_prediction_free(p);
}

/* ---- words ---- */

TEST(what_does_not_fit_is_rejected_in_words)
{
    const data d = some_data(false);
    gb_tape *const one = test_tape(), *const two = test_tape();
    analysis(one, gb_mixture_model(.components = 1), &d);
    assert_rejected(one, GB_EARGUMENT, "mixture: .components is 1, and must be at least 2");
    analysis(two, gb_mixture_model(.order_by = 3), &d);
    assert_rejected(two, GB_EARGUMENT, "mixture: .order_by is 3, and there are columns 0 to 2");
}

TEST(an_analysis_without_outcome_rejects_one_in_words)
{
    static const double few[] = {1, 2};
    gb_tape *const one = test_tape(), *const two = test_tape(), *const three = test_tape();
    gb_table *const table = gb_table_of_set(t, "curve");
    gb_analysis_new(t, gb_mixture_model(), .formula = "y ~ x", .table = table);
    assert_rejected(t, GB_EARGUMENT, "the model has no outcome: its data are the columns, \"~ a + b - 1\"");
    gb_analysis_new(one, gb_mixture_model(), .formula = "~ 1", .table = table);
    assert_rejected(one, GB_EARGUMENT, "analysis: there are no columns");
    gb_analysis_new(two, gb_mixture_model(), .formula = "~ x", .table = table,
                    .weight = gb_numbers_of(GB_NUMBER_DOUBLE, few, 2));
    assert_rejected(two, GB_ESHAPE, "design: .weight has 2 numbers, and the table 100 rows");
    gb_analysis_new(three, gb_linear_model(), .formula = "y ~ x", .table = table, .weight = gb_doubles(few));
    assert_rejected(three, GB_EARGUMENT, ".weight is for arrays and for models without outcome");
    gb_table_free(table);
}
